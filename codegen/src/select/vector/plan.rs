//! Which vectors are in registers, and in which form.
//!
//! Vectors that are moved into each other have one form: they make a group. Its lanes are as wide as its numbers, or as the
//! lower bits that anything asks for. Sums of products of matrices, and f32 that is computed, are in accumulators, and bf16 where
//! nothing else needs it. What is passed to functions, set lane by lane or
//! used by an operation without an instruction for registers is in memory.

use aiec_core::CoreArch;
use aiec_vcode::{FloatFormat, MemoryType, Opcode};

use super::alignment::Alignment;
use super::arrays::ArrayProduct;
use super::format::{
    Form, LaneFormat, REGISTER_BITS, SPREAD_LANES, Side, SumFormat, WHOLE, range_bits,
};
use super::maps::{Operands, Operation, operation};
use crate::mir::Vector;
use crate::select::rows::{Row, Rows};
use crate::ssa::width::Widths;
use crate::ssa::{Action, Function, Step, Terminator, VectorAction};

/// Registers of a vector at most: with more of them, spills cost more than the gain.
const MAX_REGISTERS: u32 = 2;

/// Lanes of a vector of computed floats at most: as many as bf16 has in these registers.
const MAX_FLOATS: u32 = MAX_REGISTERS * REGISTER_BITS / 16;

/// Bits of half a vector register, the least that is loaded.
const HALF_BITS: u32 = REGISTER_BITS / 2;

/// Vectors of one group have one root.
struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    fn root(&self, vector: Vector) -> usize {
        let mut at = vector.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at as usize
    }

    fn join(&mut self, a: Vector, b: Vector) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}

/// Facts about a group of vectors.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    is_refused: bool,
    is_float: bool,
    sums: Option<SumFormat>,
    bits: u8,
    /// A lane is set that isn't the upper half of an f32.
    is_wide: bool,
    is_used: bool,
    /// Instructions compute f32.
    is_computed: bool,
    floats: FloatUses,
}

/// Operation on the vectors of a group of bf16.
#[derive(Clone, Copy, Debug, Default)]
struct FloatUses {
    /// They are loaded, or one number in all lanes.
    are_given: bool,
    /// They are rounded f32.
    are_rounded: bool,
    /// They are set otherwise.
    are_others: bool,
    /// They are added to others.
    are_added: bool,
    /// They are factors of products lane by lane.
    are_factors: bool,
    /// They are the first, the second factors of products in blocks.
    are_left_blocks: bool,
    are_right_blocks: bool,
    are_stored: bool,
    /// They are read otherwise.
    are_read: bool,
}

impl FloatUses {
    /// Whether accumulators hold them: those that load them as f32, or that stores round.
    fn fit_sums(self) -> bool {
        let sources = (self.are_given, self.are_rounded, self.are_others);
        let uses = (self.are_added, self.are_stored);
        !self.are_factors
            && !self.are_left_blocks
            && !self.are_right_blocks
            && !self.are_read
            && match sources {
                (true, false, false) => uses == (true, false),
                (false, true, false) => uses == (false, true),
                _ => false,
            }
    }

    /// Whether nothing but products reads them.
    fn are_only_factors(self) -> bool {
        self.are_factors && !(self.are_others || self.are_used_as_lanes())
    }

    fn are_used_as_lanes(self) -> bool {
        self.are_added || self.are_stored || self.are_read
    }

    /// The side of products in blocks on which they are, if they are nothing else.
    fn block_side(self) -> Option<Side> {
        let is_other = self.are_factors || self.are_used_as_lanes();
        match (self.are_left_blocks, self.are_right_blocks) {
            (true, false) if !is_other => Some(Side::Left),
            (false, true) if !is_other => Some(Side::Right),
            _ => None,
        }
    }
}

struct Planner<'a> {
    function: &'a Function,
    widths: &'a Widths,
    alignment: &'a Alignment,
    rows: &'a Rows,
    arch: CoreArch,
    groups: Groups,
    /// Number of lower bits that count in the lanes of each vector.
    demands: Vec<u8>,
}

/// The form of each vector that is in registers.
pub(in crate::select) fn plan(
    function: &Function,
    widths: &Widths,
    alignment: &Alignment,
    (rows, arch): (&Rows, CoreArch),
) -> Vec<Option<Form>> {
    let count = function.vectors.len();
    if count == 0 {
        return Vec::new();
    }
    let mut planner = Planner {
        function,
        widths,
        alignment,
        rows,
        arch,
        groups: Groups {
            parents: (0..count as u32).collect(),
        },
        demands: vec![0; count],
    };
    for step in planner.steps() {
        match &step.action {
            Action::Vector(VectorAction::Move(moves)) => {
                for (to, from) in moves {
                    planner.groups.join(*to, *from);
                }
            }
            Action::Vector(VectorAction::Window { to, from, .. }) => {
                from.iter().for_each(|from| planner.groups.join(*to, *from));
            }
            _ => {}
        }
    }
    while planner.demand_round() {}
    planner.forms()
}

impl<'a> Planner<'a> {
    fn steps(&self) -> impl Iterator<Item = &'a Step> + use<'a> {
        self.function.blocks.iter().flat_map(|block| &block.steps)
    }

    fn is_whole(&self, vector: Vector, lanes: u16) -> bool {
        self.function.vectors[vector.0 as usize] == lanes
    }

    /// Asks for more lower bits of operands; returns whether something changed. Each round raises a
    /// demand, of 64 at most.
    fn demand_round(&mut self) -> bool {
        let mut changed = false;
        let blocks = self.function.blocks.iter().rev();
        for step in blocks.flat_map(|block| block.steps.iter().rev()) {
            match &step.action {
                Action::Vector(VectorAction::Move(moves)) => {
                    for (to, from) in moves {
                        let bits = self.demands[to.0 as usize];
                        changed |= self.demand(*from, bits);
                    }
                }
                Action::Vector(VectorAction::Store { from, kind, .. }) => {
                    changed |= self.demand(*from, bits_of(*kind));
                }
                Action::Vector(VectorAction::Contract {
                    product,
                    left,
                    right,
                    sums,
                    ..
                }) => {
                    changed |= self.demand(*left, bits_of(product.left.kind));
                    changed |= self.demand(*right, bits_of(product.right.kind));
                    if let Some(sums) = sums {
                        changed |= self.demand(*sums, 32);
                    }
                }
                Action::Vector(VectorAction::Window { to, from, .. }) => {
                    let bits = self.demands[to.0 as usize];
                    for from in from {
                        changed |= self.demand(*from, bits);
                    }
                }
                Action::Vector(VectorAction::Map {
                    op,
                    to,
                    operands,
                    number,
                    ..
                }) => {
                    let asked = self.demands[to.0 as usize];
                    let bits = match operation(*op).map(|operation| operation.operands()) {
                        Some(Operands::LowBits) => match op {
                            Opcode::Add32 | Opcode::Sub32 | Opcode::Mul32 => asked.min(32),
                            _ => asked,
                        },
                        Some(Operands::LowestBits) => *number,
                        Some(Operands::Words) => 32,
                        Some(Operands::Numbers) | None => WHOLE,
                    };
                    for operand in operands {
                        changed |= self.demand(*operand, bits);
                    }
                }
                _ => step.vector_reads(|vector| changed |= self.demand(vector, WHOLE)),
            }
        }
        changed
    }

    fn demand(&mut self, vector: Vector, bits: u8) -> bool {
        let known = &mut self.demands[vector.0 as usize];
        let more = bits > *known;
        *known = bits.max(*known);
        more
    }

    fn forms(&self) -> Vec<Option<Form>> {
        let count = self.function.vectors.len();
        let mut groups = vec![Group::default(); count];
        for number in 0..count {
            let root = self.groups.root(Vector(number as u32));
            let bits = range_bits(self.widths.lanes[number]).min(self.demands[number]);
            groups[root].bits = groups[root].bits.max(bits);
        }
        self.widen_splats(&mut groups);
        let mut refuse = |vector: &Vector| groups[self.groups.root(*vector)].is_refused = true;
        self.function.vector_arguments.iter().for_each(&mut refuse);
        for block in &self.function.blocks {
            if let Terminator::Return { vectors, .. } = &block.terminator {
                vectors.iter().for_each(&mut refuse);
            }
        }
        for step in self.steps() {
            self.observe(step, &mut groups);
        }
        while self.mark_wide(&mut groups) {}
        self.refuse_floats(&mut groups);
        self.observe_floats(&mut groups);
        // Operations without instructions read and write memory.
        for step in self.steps() {
            let Action::Vector(VectorAction::Map {
                op, to, operands, ..
            }) = &step.action
            else {
                continue;
            };
            let operation = operation(*op).filter(|operation| operation.exists(self.rows));
            let reads_all = operation.is_none_or(|it| it.operands() == Operands::Numbers);
            let bits = |vector: &Vector| range_bits(self.widths.lanes[vector.0 as usize]);
            let is_wide = |vector: &Vector| bits(vector) == WHOLE;
            if operation.is_none() {
                self.keep_in_memory(operands, *to, &mut groups);
            } else if reads_all && operands.iter().any(is_wide) {
                groups[self.groups.root(*to)].is_refused = true;
            }
        }
        let form = |number: usize| {
            let group = &groups[self.groups.root(Vector(number as u32))];
            self.form(group, self.function.vectors[number].into())
        };
        (0..count).map(form).collect()
    }

    /// Whether the vectors of a group are one number in all lanes each, by the group's root.
    fn splats(&self) -> Vec<bool> {
        let mut is_splat = vec![true; self.function.vectors.len()];
        for step in self.steps() {
            if !matches!(step.action, Action::Vector(VectorAction::Splat { .. })) {
                step.vector_writes(|vector| is_splat[self.groups.root(vector)] = false);
            }
        }
        is_splat
    }

    /// Gives vectors that are one number in all lanes the width of the vectors that they are combined with: an
    /// instruction makes any of them.
    fn widen_splats(&self, groups: &mut [Group]) {
        let is_splat = self.splats();
        for step in self.steps() {
            let Action::Vector(VectorAction::Map {
                op, to, operands, ..
            }) = &step.action
            else {
                continue;
            };
            let extends = matches!(op, Opcode::Sext | Opcode::Zext);
            for operand in operands.iter().filter(|_| !extends) {
                let root = self.groups.root(*operand);
                let bits = groups[self.groups.root(*to)].bits;
                if is_splat[root] {
                    groups[root].bits = groups[root].bits.max(bits);
                }
            }
        }
    }

    /// The form of a group's vectors of some lanes.
    fn form(&self, group: &Group, lanes: u32) -> Option<Form> {
        if group.is_refused || !group.is_used {
            return None;
        }
        if let Some(sums) = group.sums {
            return Some(Form::Sums(sums));
        }
        if group.is_float && group.is_computed | group.floats.fit_sums() {
            let is_filled = lanes.is_multiple_of(SPREAD_LANES) && lanes <= MAX_FLOATS;
            let sums = Form::Sums(SumFormat::floats(self.arch));
            if is_filled || group.is_wide {
                return Some(sums).filter(|_| is_filled);
            }
        }
        let fits = |format: &LaneFormat| {
            let bits = lanes * format.bits();
            bits.is_multiple_of(HALF_BITS) && bits <= MAX_REGISTERS * REGISTER_BITS
        };
        let format = match (group.is_float, group.is_wide) {
            (true, false) => {
                let format = Some(LaneFormat::Bf16).filter(fits)?;
                if let Some(side) = group.floats.block_side() {
                    return Some(Form::Blocks(side));
                }
                let is_spread = self.arch == CoreArch::Aie2 && group.floats.are_only_factors();
                return Some(if is_spread {
                    Form::Spread
                } else {
                    Form::Lanes(format)
                });
            }
            (true, true) => Some(LaneFormat::F32).filter(fits),
            // Few small numbers are in lanes that fill half a register.
            (false, _) => [8, 16, 32]
                .into_iter()
                .filter(|bits| *bits >= group.bits)
                .filter_map(LaneFormat::of_bits)
                .find(fits),
        };
        format.map(Form::Lanes)
    }

    /// Records the facts that a step implies for the groups of its vectors.
    fn observe(&self, step: &Step, groups: &mut [Group]) {
        use VectorAction::*;
        let root = |vector: &Vector| self.groups.root(*vector);
        match &step.action {
            Action::Vector(
                Load {
                    to: vector,
                    kind,
                    lanes,
                    ..
                }
                | Store {
                    from: vector,
                    kind,
                    lanes,
                    ..
                },
            ) => {
                let group = &mut groups[root(vector)];
                group.is_used = true;
                group.is_float |= is_float(*kind);
                group.is_refused |=
                    LaneFormat::of(*kind).is_none() || !self.is_whole(*vector, *lanes);
            }
            Action::Vector(Contract {
                product,
                to,
                left,
                right,
                sums,
            }) => {
                let array = ArrayProduct::of(self.arch, product);
                for vector in [to].into_iter().chain(sums) {
                    let group = &mut groups[root(vector)];
                    group.is_used = true;
                    group.is_float |= product.left.kind == MemoryType::Bf16;
                    if group.sums.is_none() {
                        group.sums = array.map(|array| array.sums);
                    }
                }
                for (vector, factor) in [(left, product.left), (right, product.right)] {
                    let group = &mut groups[root(vector)];
                    group.is_used = true;
                    group.is_float |= is_float(factor.kind);
                }
            }
            Action::Vector(Map {
                op,
                to,
                operands,
                number,
                lanes,
            }) => {
                let whole = self.is_whole(*to, *lanes)
                    && operands.iter().all(|one| self.is_whole(*one, *lanes));
                let known = operation(*op).is_some_and(|operation| operation.takes(*number));
                for vector in operands.iter().chain([to]) {
                    let group = &mut groups[root(vector)];
                    group.is_used = true;
                    group.is_refused |= !whole || (!known && group.sums.is_none());
                    group.is_float |= operation(*op).is_some_and(Operation::is_float);
                }
                groups[root(to)].is_computed |= matches!(
                    operation(*op),
                    Some(Operation::FloatSum(_) | Operation::FloatProduct)
                );
            }
            Action::Vector(Splat { to, lanes }) => {
                groups[root(to)].is_refused |= !self.is_whole(*to, *lanes);
            }
            Action::Vector(Move(moves)) => {
                for (to, from) in moves {
                    let lanes = self.function.vectors[to.0 as usize];
                    groups[root(to)].is_refused |= !self.is_whole(*from, lanes);
                }
            }
            Action::Vector(Window { to, .. }) => groups[root(to)].is_used = true,
            // Lanes are read from a copy in the frame.
            Action::Vector(Define(_) | Reduce { .. } | Extract { .. }) => {}
            Action::Vector(Copy { to, .. }) => groups[root(to)].is_refused = true,
            _ => {
                let mut refuse = |vector: Vector| groups[root(&vector)].is_refused = true;
                step.vector_reads(&mut refuse);
                step.vector_writes(&mut refuse);
            }
        }
    }

    /// Leaves the vectors of an operation in memory, but those that are sums of the array.
    fn keep_in_memory(&self, operands: &[Vector], to: Vector, groups: &mut [Group]) {
        for vector in operands.iter().copied().chain([to]) {
            let group = &mut groups[self.groups.root(vector)];
            group.is_refused |= group.sums.is_none();
        }
    }

    /// Leaves operations in memory of which the vector unit has no exact result: those of f32, and sums that aren't rounded to
    /// bf16.
    fn refuse_floats(&self, groups: &mut [Group]) {
        let mut is_rounded = vec![true; self.function.vectors.len()];
        for step in self.steps() {
            let rounds = match &step.action {
                Action::Vector(VectorAction::Map { op, number, .. }) => {
                    *op == Opcode::NarrowF && *number == FloatFormat::Bf16.code()
                }
                _ => false,
            };
            if !rounds {
                step.vector_reads(|vector| is_rounded[vector.0 as usize] = false);
            }
        }
        for step in self.steps() {
            let Action::Vector(VectorAction::Map {
                op, to, operands, ..
            }) = &step.action
            else {
                continue;
            };
            let has_wide = |vectors: &[Vector]| {
                let mut vectors = vectors.iter();
                vectors.any(|vector| groups[self.groups.root(*vector)].is_wide)
            };
            let is_exact = match operation(*op) {
                Some(Operation::FloatSum(_)) => !has_wide(operands) && is_rounded[to.0 as usize],
                Some(
                    Operation::FloatProduct | Operation::FloatFused | Operation::FloatChoice(..),
                ) => !has_wide(operands),
                _ => true,
            };
            if !is_exact {
                self.keep_in_memory(operands, *to, groups);
            }
        }
    }

    /// The operand of a sum of two vectors that aren't constants which is better in vector registers, to be added as a
    /// factor: what was rounded is there, and of two loads that convert only one load unit is capable.
    fn factor_of_sum(
        &self,
        row: Row,
        operands: &[Vector],
        is_splat: &[bool],
        groups: &[Group],
    ) -> Option<usize> {
        let [a, b] = [operands[0], operands[1]].map(|vector| self.groups.root(vector));
        let is_rounded = |root: usize| groups[root].floats.are_rounded;
        if a == b || is_splat[a] || is_splat[b] {
            None
        } else if row == Row::FloatAdd && is_rounded(a) && !is_rounded(b) {
            Some(0)
        } else {
            Some(1)
        }
    }

    /// Finds the uses of the vectors of bf16 groups.
    fn observe_floats(&self, groups: &mut [Group]) {
        use VectorAction::*;
        let is_splat = self.splats();
        let wide: Vec<bool> = groups.iter().map(|group| group.is_wide).collect();
        for step in self.steps() {
            let added_factor = match &step.action {
                Action::Vector(Map { op, operands, .. }) => match operation(*op) {
                    Some(Operation::FloatSum(row)) => {
                        self.factor_of_sum(row, operands, &is_splat, groups)
                    }
                    _ => None,
                },
                _ => None,
            };
            let mut at = |vector: &Vector, note: &dyn Fn(&mut FloatUses)| {
                note(&mut groups[self.groups.root(*vector)].floats);
            };
            let Action::Vector(action) = &step.action else {
                step.vector_reads(|vector| at(&vector, &|uses| uses.are_read = true));
                step.vector_writes(|vector| at(&vector, &|uses| uses.are_others = true));
                continue;
            };
            match action {
                Define(_) => {}
                Load { to, kind, .. } if *kind == MemoryType::Bf16 => {
                    at(to, &|uses| uses.are_given = true);
                }
                Splat { to, .. } => at(to, &|uses| uses.are_given = true),
                Store { from, kind, .. } if *kind == MemoryType::Bf16 => {
                    at(from, &|uses| uses.are_stored = true);
                }
                // Both have one form.
                Move(_) => {}
                Map {
                    op, to, operands, ..
                } => {
                    match operation(*op) {
                        // Values that are bf16 already stay where they are.
                        Some(Operation::Narrow) if !wide[self.groups.root(operands[0])] => {
                            at(to, &|uses| uses.are_others = true);
                        }
                        Some(Operation::Narrow | Operation::FloatFused) => {
                            at(to, &|uses| uses.are_rounded = true);
                        }
                        _ => at(to, &|uses| uses.are_others = true),
                    }
                    for (n, vector) in operands.iter().enumerate() {
                        at(vector, &|uses| match operation(*op) {
                            Some(Operation::FloatSum(_)) if added_factor == Some(n) => {
                                uses.are_factors = true;
                            }
                            Some(Operation::FloatSum(_)) => uses.are_added = true,
                            Some(Operation::FloatFused) if n == 2 => uses.are_added = true,
                            Some(Operation::FloatProduct | Operation::FloatFused) => {
                                uses.are_factors = true;
                            }
                            _ => uses.are_read = true,
                        });
                    }
                }
                Contract {
                    product,
                    left,
                    right,
                    ..
                } if product.in_blocks => {
                    // Sums are in accumulators whatever reads them.
                    at(left, &|uses| uses.are_left_blocks = true);
                    at(right, &|uses| uses.are_right_blocks = true);
                }
                _ => {
                    step.vector_reads(|vector| at(&vector, &|uses| uses.are_read = true));
                    step.vector_writes(|vector| at(&vector, &|uses| uses.are_others = true));
                }
            }
        }
    }

    /// Marks groups of which a lane may be more than the upper half of an f32; whether one was marked.
    fn mark_wide(&self, groups: &mut [Group]) -> bool {
        use VectorAction::*;
        let mut changed = false;
        for step in self.steps() {
            let Action::Vector(action) = &step.action else {
                continue;
            };
            let is_wide = |vector: &Vector| groups[self.groups.root(*vector)].is_wide;
            let (to, wide) = match action {
                Load { to, kind, .. } => (to, *kind != MemoryType::Bf16),
                Splat { to, .. } => (to, self.alignment.zeros(step.args[0]) < 16),
                Map {
                    op,
                    to,
                    operands,
                    number,
                    ..
                } => (
                    to,
                    match op {
                        Opcode::NarrowF => *number != FloatFormat::Bf16.code(),
                        _ => match operation(*op) {
                            Some(Operation::Same | Operation::FloatNegate)
                            | Some(Operation::FloatChoice(..)) => operands.iter().any(is_wide),
                            Some(Operation::FloatFused) => false,
                            _ => true,
                        },
                    },
                ),
                Contract { to, .. } => (to, true),
                // Others are in memory, or define nothing.
                _ => continue,
            };
            let group = &mut groups[self.groups.root(*to)];
            changed |= wide && !group.is_wide;
            group.is_wide |= wide;
        }
        changed
    }
}

fn bits_of(kind: MemoryType) -> u8 {
    // bf16 is the upper half of its lane.
    if is_float(kind) {
        32
    } else {
        (8 * kind.bytes()) as u8
    }
}

fn is_float(kind: MemoryType) -> bool {
    matches!(kind, MemoryType::Bf16 | MemoryType::F32)
}
