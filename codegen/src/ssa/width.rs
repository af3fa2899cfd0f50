//! Which values need one register of 32 bits and which need two.
//!
//! Ranges go forward: each value is between two numbers, read as signed; branches narrow what they compare, so that
//! counters of loops stay within their bounds. Demand goes backward: of each value some lower bits are enough, 20 for
//! an address. A value is narrow if its upper half follows from the lower one by its range, or if nothing asks for it.

use aiec_vcode::{MemoryType, Opcode};
use rustc_hash::FxHashMap;

use super::{
    Action, Block, Function, FunctionType, Graph, PassedType, ScalarType, Terminator, Value,
    VectorAction,
};

/// Bits of an address (AM020: the data memory map of a core has 20 bits).
pub(crate) const ADDRESS_BITS: u8 = 20;

/// The numbers that a value may be, read as signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: i64,
    pub high: i64,
}

impl Range {
    pub(crate) const FULL: Range = Range::new(i64::MIN, i64::MAX);
    pub(crate) const I32: Range = Range::new(i32::MIN as i64, i32::MAX as i64);
    pub(crate) const U32: Range = Range::new(0, u32::MAX as i64);
    /// -1 and 0: true and false.
    pub(crate) const BOOL: Range = Range::new(-1, 0);

    /// Just this number.
    pub(crate) const fn of(number: i64) -> Range {
        Range::new(number, number)
    }

    pub(crate) const fn new(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    pub(crate) fn is_in(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    fn join(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The intersection of both, unless it is empty.
    pub(crate) fn meet(self, other: Range) -> Option<Range> {
        let both = Range::new(self.low.max(other.low), self.high.min(other.high));
        (both.low <= both.high).then_some(both)
    }

    /// The range of exact results, or all numbers if some don't fit.
    fn exact(low: i128, high: i128) -> Range {
        match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) => Range::new(low, high),
            _ => Range::FULL,
        }
    }

    /// The range of an operation of 32 bits with these exact results.
    fn narrow(self) -> Range {
        if self.is_in(Range::I32) {
            self
        } else {
            Range::I32
        }
    }

    /// The signed integers of some bits.
    pub(crate) fn of_bits(bits: u8) -> Range {
        if bits >= 64 {
            return Range::FULL;
        }
        let high = (1i64 << (bits.max(1) - 1)) - 1;
        Range::new(-high - 1, high)
    }

    pub(crate) fn of_type(ty: ScalarType) -> Range {
        match ty {
            ScalarType::Int(bits) => Range::of_bits(bits),
            ScalarType::Float => Range::U32,
            ScalarType::Double => Range::FULL,
            ScalarType::Address => Range::new(0, (1 << ADDRESS_BITS) - 1),
        }
    }

    /// Values that a type in memory can hold.
    pub(crate) fn of_memory(kind: MemoryType) -> Range {
        match kind {
            MemoryType::I1 => Range::BOOL,
            MemoryType::I8 => Range::of_bits(8),
            MemoryType::I16 => Range::of_bits(16),
            MemoryType::I32 => Range::I32,
            MemoryType::Bf16 | MemoryType::F16 | MemoryType::F32 => Range::U32,
            MemoryType::I64 | MemoryType::F64 => Range::FULL,
        }
    }
}

/// Contents of the upper 32 bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upper {
    /// Zeros.
    Zero,
    /// Copies of bit 31.
    Sign,
    /// Nothing asks for them.
    Any,
    /// In a register of their own.
    Own,
}

/// Ranges and demands of a function's values.
pub(crate) struct Widths {
    pub ranges: Vec<Range>,
    /// Number of lower bits of each value that uses ask for.
    pub demands: Vec<u8>,
    /// Ranges of each vector's lanes.
    pub lanes: Vec<Range>,
}

impl Widths {
    /// Recomputes the demands, after the function has changed.
    pub(crate) fn update_demands(&mut self, function: &Function, types: &[FunctionType]) {
        debug_assert_eq!(self.ranges.len(), function.values as usize);
        self.demands = demands(function, types);
    }

    /// The widths of a function's values. `types` are those of the functions that it calls, `arguments` what is
    /// known of its own arguments.
    pub(crate) fn of(
        function: &Function,
        graph: &Graph,
        types: &[FunctionType],
        arguments: &[Range],
    ) -> Widths {
        let (ranges, lanes) = Forward::new(function, graph, types).run(arguments);
        let demands = demands(function, types);
        Widths {
            ranges,
            demands,
            lanes,
        }
    }

    pub(crate) fn upper(&self, value: Value) -> Upper {
        match Upper::of(self.ranges[value.index()]) {
            Upper::Own if self.demands[value.index()] <= 32 => Upper::Any,
            upper => upper,
        }
    }

    /// Contents of the upper halves of a vector's lanes.
    pub(crate) fn lane_upper(&self, vector: crate::mir::Vector) -> Upper {
        Upper::of(self.lanes[vector.0 as usize])
    }
}

impl Upper {
    /// The upper half of any number in a range.
    pub(crate) fn of(range: Range) -> Upper {
        if range.is_in(Range::U32) {
            Upper::Zero
        } else if range.is_in(Range::I32) {
            Upper::Sign
        } else {
            Upper::Own
        }
    }
}

/// Reading of lower halves under which their order is that of the whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HalfOrder {
    Signed,
    Unsigned,
    Either,
}

impl HalfOrder {
    /// The order of two numbers by their lower halves, if these are enough.
    pub(crate) fn of(a: Range, b: Range) -> Option<HalfOrder> {
        let both = |range| a.is_in(range) && b.is_in(range);
        if both(Range::new(0, i64::from(i32::MAX))) {
            Some(HalfOrder::Either)
        } else if both(Range::I32) {
            Some(HalfOrder::Signed)
        } else if both(Range::U32) {
            Some(HalfOrder::Unsigned)
        } else {
            None
        }
    }
}

/// The scalar types of a list, in order.
pub(crate) fn scalar_types(passed: &[PassedType]) -> impl Iterator<Item = ScalarType> {
    passed.iter().filter_map(|ty| match ty {
        PassedType::Scalar(ty) => Some(*ty),
        PassedType::Vector(_) => None,
    })
}

struct Forward<'a> {
    function: &'a Function,
    graph: &'a Graph,
    types: &'a [FunctionType],
    ranges: Vec<Option<Range>>,
    lanes: Vec<Option<Range>>,
    /// The comparison that holds in each block because of the branch that is the only way to it.
    facts: Vec<Option<Fact>>,
    /// The first number and the step of values that a loop counts up.
    counted: FxHashMap<Value, (i64, i64)>,
}

/// The counters of loops, each before and after its step: they are a constant and a whole number of steps above it.
fn counted(function: &Function, graph: &Graph) -> FxHashMap<Value, (i64, i64)> {
    let constants = function.constants();
    let steps = function.blocks.iter().flat_map(|block| &block.steps);
    let sums: FxHashMap<Value, (Value, i64)> = steps
        .filter_map(|step| {
            let is_sum = matches!(
                step.action,
                Action::Pure {
                    op: Opcode::Add64,
                    ..
                }
            );
            let by = step.args.get(1).filter(|_| is_sum)?;
            Some((
                step.results[0],
                (step.args[0], constants[by.index()]? as i64),
            ))
        })
        .collect();
    let mut counted = FxHashMap::default();
    for (number, of) in graph.loops.iter().enumerate() {
        let header = function.block(of.header);
        let Some(before) = graph.preheader(function, number) else {
            continue;
        };
        let Some(entry) = function.block(before).terminator.targets().first() else {
            continue;
        };
        let inside = graph.predecessors[of.header.index()].iter();
        let mut back = inside
            .filter(|block| graph.is_in_loop(**block, number))
            .flat_map(|block| function.block(*block).terminator.targets())
            .filter(|target| target.block == of.header);
        let (Some(back), None) = (back.next(), back.next()) else {
            continue;
        };
        for (at, param) in header.params.iter().enumerate() {
            let next = back.args[at];
            if let (Some(first), Some((from, step @ 1..=0x7fff_ffff))) =
                (constants[entry.args[at].index()], sums.get(&next))
                && from == param
            {
                counted.insert(*param, (first as i64, *step));
                counted.insert(next, (first as i64, *step));
            }
        }
    }
    counted
}

/// A comparison that holds.
#[derive(Clone, Copy)]
struct Fact {
    op: Opcode,
    args: [Value; 2],
}

impl<'a> Forward<'a> {
    fn new(function: &'a Function, graph: &'a Graph, types: &'a [FunctionType]) -> Forward<'a> {
        let mut facts = vec![None; function.blocks.len()];
        for (_, data) in function.numbered_blocks() {
            let Terminator::Branch { op, args, targets } = &data.terminator else {
                continue;
            };
            for (target, holds) in targets.iter().zip([true, false]) {
                if graph.predecessors[target.block.index()].len() == 1 {
                    facts[target.block.index()] = fact(*op, *args, holds);
                }
            }
        }
        Forward {
            function,
            graph,
            types,
            ranges: vec![None; function.values as usize],
            lanes: vec![None; function.vectors.len()],
            facts,
            counted: counted(function, graph),
        }
    }

    fn run(mut self, arguments: &[Range]) -> (Vec<Range>, Vec<Range>) {
        // After these rounds bounds that still grow are widened, then what was too wide narrows again.
        const EXACT_ROUNDS: usize = 3;
        const WIDENING_ROUNDS: usize = 16;
        const NARROWING_ROUNDS: usize = 3;
        let types = scalar_types(&self.function.ty.arguments);
        for (at, (argument, ty)) in self.function.arguments.iter().zip(types).enumerate() {
            let range = Range::of_type(ty);
            let known = arguments.get(at).and_then(|known| known.meet(range));
            self.ranges[argument.index()] = Some(known.unwrap_or(range));
        }
        for vector in &self.function.vector_arguments {
            self.lanes[vector.0 as usize] = Some(Range::FULL);
        }
        let mut settled = false;
        for round in 0..EXACT_ROUNDS + WIDENING_ROUNDS {
            if !self.round(round >= EXACT_ROUNDS, false) {
                settled = true;
                break;
            }
        }
        if !settled {
            // Not a single bound may be too tight.
            let full = (
                vec![Range::FULL; self.ranges.len()],
                vec![Range::FULL; self.lanes.len()],
            );
            return full;
        }
        for _ in 0..NARROWING_ROUNDS {
            if !self.round(false, true) {
                break;
            }
        }
        let known = |range: Option<Range>| range.unwrap_or(Range::FULL);
        (
            self.ranges.into_iter().map(known).collect(),
            self.lanes.into_iter().map(known).collect(),
        )
    }

    /// Goes through all blocks once; whether anything changed.
    fn round(&mut self, widen: bool, narrow: bool) -> bool {
        let mut changed = false;
        let function = self.function;
        for &block in &self.graph.order {
            let data = function.block(block);
            for (at, param) in data.params.iter().enumerate() {
                let mut range: Option<Range> = None;
                for before in &self.graph.predecessors[block.index()] {
                    for (place, target) in function
                        .block(*before)
                        .terminator
                        .targets()
                        .iter()
                        .enumerate()
                    {
                        if target.block != block {
                            continue;
                        }
                        if let Some(passed) = self.passed(*before, place, target.args[at]) {
                            range = Some(range.map_or(passed, |range| range.join(passed)));
                        }
                    }
                }
                if let Some(range) = range {
                    changed |= self.set(*param, range, widen, narrow);
                }
            }
            for step in &data.steps {
                match &step.action {
                    Action::Vector(action) => changed |= self.vector(action, step, block),
                    Action::Call { results, .. } => {
                        for vector in results {
                            changed |= self.set_lanes(*vector, Range::FULL);
                        }
                    }
                    _ => {}
                }
                for (at, result) in step.results.iter().enumerate() {
                    if let Some(range) = self.result(step, at, block) {
                        changed |= self.set(*result, range, false, narrow);
                    }
                }
            }
        }
        changed
    }

    /// Makes the range of a value wider; in the narrowing rounds, exactly this.
    fn set(&mut self, value: Value, range: Range, widen: bool, narrow: bool) -> bool {
        let known = &mut self.ranges[value.index()];
        let Some(old) = *known else {
            *known = Some(range);
            return true;
        };
        let mut new = if narrow {
            // Ranges only shrink here.
            old.meet(range).unwrap_or(old)
        } else {
            old.join(range)
        };
        if widen && new.high > old.high {
            new.high = [i64::from(i32::MAX), i64::from(u32::MAX)]
                .into_iter()
                .find(|bound| *bound >= new.high)
                .unwrap_or(i64::MAX);
        }
        if widen && new.low < old.low {
            new.low = [0, i64::from(i32::MIN)]
                .into_iter()
                .find(|bound| *bound <= new.low)
                .unwrap_or(i64::MIN);
        }
        *known = Some(new);
        new != old
    }

    fn set_lanes(&mut self, vector: crate::mir::Vector, range: Range) -> bool {
        let known = &mut self.lanes[vector.0 as usize];
        // Lanes are set in many places: a few classes of ranges are enough, and settle fast.
        let range = [
            Range::BOOL,
            Range::of_bits(8),
            Range::of_bits(16),
            Range::I32,
            Range::U32,
        ]
        .into_iter()
        .find(|class| range.is_in(*class))
        .unwrap_or(Range::FULL);
        let new = match *known {
            None => range,
            Some(old) if range.is_in(old) => old,
            Some(old) if old.is_in(range) => range,
            Some(_) => Range::FULL,
        };
        let changed = *known != Some(new);
        *known = Some(new);
        changed
    }

    /// The range of a value in a block, narrowed by the branches before it.
    fn at(&self, value: Value, block: Block) -> Option<Range> {
        let mut range = self.ranges[value.index()]?;
        let mut at = block;
        const DEPTH: usize = 8;
        for _ in 0..DEPTH {
            if let Some(fact) = self.facts[at.index()] {
                range = self.refine(value, range, fact);
            }
            let up = self.graph.dominator[at.index()];
            if up == at {
                break;
            }
            at = up;
        }
        Some(range)
    }

    /// The range of a value that the jump at a place of a block's terminator passes.
    fn passed(&self, block: Block, place: usize, value: Value) -> Option<Range> {
        let range = self.at(value, block)?;
        Some(match &self.function.block(block).terminator {
            Terminator::Branch { op, args, targets } if targets[0].block != targets[1].block => {
                let fact = fact(*op, *args, place == 0);
                // A comparison that can't hold is of a jump that is never taken.
                if fact.is_some_and(|fact| self.never_holds(fact)) {
                    return None;
                }
                fact.map_or(range, |fact| self.refine(value, range, fact))
            }
            _ => range,
        })
    }

    /// Whether a comparison holds for none of the numbers that are known of its arguments.
    fn never_holds(&self, fact: Fact) -> bool {
        let [left, right] = fact.args;
        let (Some(left), Some(right)) = (self.ranges[left.index()], self.ranges[right.index()])
        else {
            return false;
        };
        match fact.op {
            Opcode::Lts => left.low >= right.high,
            Opcode::Les => left.low > right.high,
            Opcode::Eq => left.meet(right).is_none(),
            _ => false,
        }
    }

    /// The part of a range in which a comparison holds.
    fn refine(&self, value: Value, range: Range, fact: Fact) -> Range {
        let [left, right] = fact.args;
        let other = |other: Value| self.ranges[other.index()].unwrap_or(Range::FULL);
        let bound = if value == left {
            let right = other(right);
            match fact.op {
                Opcode::Lts => Range::new(i64::MIN, right.high.saturating_sub(1)),
                Opcode::Les => Range::new(i64::MIN, right.high),
                Opcode::Eq => right,
                _ => return range,
            }
        } else if value == right {
            let left = other(left);
            match fact.op {
                Opcode::Lts => Range::new(left.low.saturating_add(1), i64::MAX),
                Opcode::Les => Range::new(left.low, i64::MAX),
                Opcode::Eq => left,
                _ => return range,
            }
        } else {
            return range;
        };
        let mut range = range.meet(bound).unwrap_or(range);
        if let Some((first, step)) = self.counted.get(&value)
            && range.high < i64::MAX
        {
            let steps = range.high.saturating_sub(*first).div_euclid(*step);
            let high = first.saturating_add(steps.saturating_mul(*step));
            if high >= range.low {
                range.high = high.min(range.high);
            }
        }
        range
    }

    fn result(&self, step: &super::Step, at: usize, block: Block) -> Option<Range> {
        let arg = |at: usize| {
            let value = step.args.get(at)?;
            self.at(*value, block)
        };
        Some(match &step.action {
            Action::Const(bits) => Range::new(*bits as i64, *bits as i64),
            Action::Pure { op, number } => {
                let args: Option<Vec<Range>> = (0..step.args.len()).map(arg).collect();
                pure(*op, &args?, *number)
            }
            Action::Load { kind, .. } => Range::of_memory(*kind),
            Action::StreamGet { .. } => Range::I32,
            Action::Call {
                callee: super::Callee::Function(number),
                ..
            } => {
                let ty = self.types.get(*number as usize);
                let mut scalars = ty.into_iter().flat_map(|ty| scalar_types(&ty.results));
                scalars.nth(at).map_or(Range::FULL, Range::of_type)
            }
            Action::Vector(action) => match action {
                VectorAction::Extract { from, .. } | VectorAction::ExtractAt { from, .. } => {
                    self.lanes[from.0 as usize]?
                }
                VectorAction::Reduce {
                    op, from, number, ..
                } => {
                    // Any number of steps: a bound that one more step keeps.
                    let (start, lane) = (arg(0)?, self.lanes[from.0 as usize]?);
                    let classes = [Range::BOOL, Range::of_bits(8), Range::of_bits(16)];
                    let mut classes = classes.into_iter().chain([Range::I32, Range::U32]);
                    let kept = classes.find(|class| {
                        start.is_in(*class) && pure(*op, &[*class, lane], *number).is_in(*class)
                    });
                    kept.unwrap_or(Range::FULL)
                }
                _ => Range::FULL,
            },
            _ => Range::FULL,
        })
    }

    /// Ranges of the lanes that a step sets.
    fn vector(&mut self, action: &VectorAction, step: &super::Step, block: Block) -> bool {
        use VectorAction::*;
        let first = step.args.first().and_then(|value| self.at(*value, block));
        match action {
            Load { to, kind, .. } | CascadeGet { to, kind, .. } => {
                self.set_lanes(*to, Range::of_memory(*kind))
            }
            Splat { to, .. } | Insert { to, .. } | InsertAt { to, .. } => match first {
                Some(range) => self.set_lanes(*to, range),
                None => false,
            },
            Copy { to, from, .. } => match self.lanes[from.0 as usize] {
                Some(range) => self.set_lanes(*to, range),
                None => false,
            },
            Window { to, from, .. } => {
                let mut changed = false;
                for from in from {
                    if let Some(range) = self.lanes[from.0 as usize] {
                        changed |= self.set_lanes(*to, range);
                    }
                }
                changed
            }
            Move(moves) => {
                let mut changed = false;
                for (to, from) in moves {
                    if let Some(range) = self.lanes[from.0 as usize] {
                        changed |= self.set_lanes(*to, range);
                    }
                }
                changed
            }
            Map {
                op,
                to,
                operands,
                number,
                ..
            } => {
                let lanes: Option<Vec<Range>> = operands
                    .iter()
                    .map(|vector| self.lanes[vector.0 as usize])
                    .collect();
                match lanes {
                    Some(lanes) => self.set_lanes(*to, pure(*op, &lanes, *number)),
                    None => false,
                }
            }
            // Integers wrap; floats have zeros above.
            Contract { product, to, .. } => {
                let is_float = product.left.kind == MemoryType::Bf16;
                let range = if is_float { Range::U32 } else { Range::I32 };
                self.set_lanes(*to, range)
            }
            Store { .. }
            | Reduce { .. }
            | Extract { .. }
            | ExtractAt { .. }
            | Define(_)
            | CascadePut { .. } => false,
        }
    }
}

/// The fact that a comparison implies where it holds, or where it doesn't.
fn fact(op: Opcode, args: [Value; 2], holds: bool) -> Option<Fact> {
    let [left, right] = args;
    let swapped = [right, left];
    let (op, args) = match (op, holds) {
        (_, true) => (op, args),
        // not a < b is b <= a.
        (Opcode::Lts, false) => (Opcode::Les, swapped),
        (Opcode::Les, false) => (Opcode::Lts, swapped),
        (Opcode::Ne, false) => (Opcode::Eq, args),
        _ => return None,
    };
    matches!(op, Opcode::Lts | Opcode::Les | Opcode::Eq).then_some(Fact { op, args })
}

/// The range of an operation's results.
pub(crate) fn pure(op: Opcode, args: &[Range], number: u8) -> Range {
    use Opcode::*;
    let full = Range::FULL;
    let a = args.first().copied().unwrap_or(full);
    let b = args.get(1).copied().unwrap_or(full);
    let wide = |value: i64| i128::from(value);
    let sum = Range::exact(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high));
    let difference = Range::exact(wide(a.low) - wide(b.high), wide(a.high) - wide(b.low));
    let product = || {
        let ends = [
            wide(a.low) * wide(b.low),
            wide(a.low) * wide(b.high),
            wide(a.high) * wide(b.low),
            wide(a.high) * wide(b.high),
        ];
        let (low, high) = ends
            .iter()
            .fold((i128::MAX, i128::MIN), |(low, high), end| {
                (low.min(*end), high.max(*end))
            });
        Range::exact(low, high)
    };
    let amount = (b.low == b.high && (0..64).contains(&b.low)).then_some(b.low as u32);
    let shifted = || match amount {
        Some(amount) => Range::exact(wide(a.low) << amount, wide(a.high) << amount),
        None => full,
    };
    let low_bits = |bits: u8| {
        if bits >= 64 {
            full
        } else {
            Range::new(0, (u64::MAX >> (64 - u32::from(bits).max(1))) as i64)
        }
    };
    match op {
        Mov => a,
        Add32 => sum.narrow(),
        Sub32 => difference.narrow(),
        Mul32 => product().narrow(),
        Shl32 => shifted().narrow(),
        Add64 => sum,
        Sub64 => difference,
        Mul64 => product(),
        Shl64 => shifted(),
        And => match (a.low >= 0, b.low >= 0) {
            (true, true) => Range::new(0, a.high.min(b.high)),
            (true, false) => Range::new(0, a.high),
            (false, true) => Range::new(0, b.high),
            (false, false) if a.is_in(Range::I32) && b.is_in(Range::I32) => Range::I32,
            _ => full,
        },
        Or | Xor => {
            if a.low >= 0 && b.low >= 0 {
                let top = (a.high | b.high) as u64;
                low_bits((64 - top.leading_zeros()) as u8)
            } else if a.is_in(Range::BOOL) && b.is_in(Range::BOOL) {
                Range::BOOL
            } else if a.is_in(Range::I32) && b.is_in(Range::I32) {
                Range::I32
            } else {
                full
            }
        }
        Shrs => match amount {
            Some(amount) => Range::new(a.low >> amount, a.high >> amount),
            None => Range::new(a.low.min(0), a.high.max(-1)).join(a),
        },
        Shru if a.low >= 0 => match amount {
            Some(amount) => Range::new(a.low >> amount, a.high >> amount),
            None => Range::new(0, a.high),
        },
        Shru => match amount {
            Some(amount @ 1..) => low_bits((64 - amount) as u8),
            _ => full,
        },
        Divs | DivFloor | DivCeil if b.low > 0 => Range::new(a.low.min(0), a.high.max(0)),
        Divu | DivuCeil if a.low >= 0 && b.low > 0 => Range::new(0, a.high),
        Rems if b.low > 0 => {
            let most = b.high - 1;
            let low = if a.low < 0 { -most } else { 0 };
            Range::new(low.max(a.low.min(0)), most.min(a.high.max(0)))
        }
        Remu if a.low >= 0 && b.low > 0 => Range::new(0, a.high.min(b.high - 1)),
        Mins => Range::new(a.low.min(b.low), a.high.min(b.high)),
        Maxs => Range::new(a.low.max(b.low), a.high.max(b.high)),
        Minu | Maxu if a.low >= 0 && b.low >= 0 => match op {
            Minu => Range::new(a.low.min(b.low), a.high.min(b.high)),
            _ => Range::new(a.low.max(b.low), a.high.max(b.high)),
        },
        Minu | Maxu => a.join(b),
        Eq | Ne | Lts | Les | Ltu | Leu | CmpF | CmpD => Range::BOOL,
        Select => b.join(args.get(2).copied().unwrap_or(full)),
        Sext => {
            let bits = Range::of_bits(number);
            if a.is_in(bits) { a } else { bits }
        }
        Zext => {
            let bits = low_bits(number);
            if a.is_in(bits) { a } else { bits }
        }
        Ctlz | Cttz | Ctpop => Range::new(0, 64),
        AddF | SubF | MulF | DivF | RemF | MinF | MaxF | MinNumF | MaxNumF | NegF | FmaF
        | MathF | Math2F | FmaBf16 | FmaF16 | NarrowF => Range::U32,
        NarrowD | SToF | UToF | FromBits => match number & 0xF {
            // The formats f32, bf16 and f16 are the bits of an f32 in registers.
            1 => full,
            _ => Range::U32,
        },
        ToBits => match number {
            0 => Range::I32,
            1 => full,
            _ => Range::of_bits(16),
        },
        _ => full,
    }
}

/// Number of lower bits of each value that uses ask for.
fn demands(function: &Function, types: &[FunctionType]) -> Vec<u8> {
    let constants = function.constants();
    let mut demands = vec![0u8; function.values as usize];
    let mut changed = true;
    let ask = |demands: &mut Vec<u8>, value: Value, bits: u8| {
        let known = &mut demands[value.index()];
        let more = bits > *known;
        *known = bits.max(*known);
        more
    };
    let of_type = |ty: ScalarType| match ty {
        ScalarType::Int(bits) if bits <= 32 => 32,
        ScalarType::Int(_) | ScalarType::Double => 64,
        ScalarType::Float => 32,
        ScalarType::Address => ADDRESS_BITS,
    };
    while changed {
        changed = false;
        for data in function.blocks.iter().rev() {
            match &data.terminator {
                Terminator::Branch { args, .. } => {
                    for arg in args {
                        changed |= ask(&mut demands, *arg, 64);
                    }
                }
                Terminator::Return { scalars, .. } => {
                    for (value, ty) in scalars.iter().zip(scalar_types(&function.ty.results)) {
                        changed |= ask(&mut demands, *value, of_type(ty));
                    }
                }
                _ => {}
            }
            for target in data.terminator.targets() {
                let params = &function.block(target.block).params;
                for (param, arg) in params.iter().zip(&target.args) {
                    let bits = demands[param.index()];
                    changed |= ask(&mut demands, *arg, bits);
                }
            }
            for step in data.steps.iter().rev() {
                let result = step.results.first();
                let asked = result.map_or(64, |result| demands[result.index()]);
                let called = match &step.action {
                    Action::Call {
                        callee: super::Callee::Function(number),
                        ..
                    } => types.get(*number as usize),
                    _ => None,
                };
                let mut passed = called
                    .into_iter()
                    .flat_map(|ty| scalar_types(&ty.arguments));
                for (at, arg) in step.args.iter().enumerate() {
                    let bits = match &step.action {
                        Action::Pure { op, number } => {
                            let second = step.args.get(1).and_then(|arg| constants[arg.index()]);
                            operand_demand(*op, at, asked, *number, second)
                        }
                        Action::Load { .. } => ADDRESS_BITS,
                        Action::Store { kind, .. } => match (at, kind) {
                            (0, MemoryType::I64 | MemoryType::F64) => 64,
                            (0, _) => 32,
                            _ => ADDRESS_BITS,
                        },
                        Action::Copy { .. } => ADDRESS_BITS,
                        Action::StreamPut { .. } => 32,
                        Action::Print => 0,
                        Action::Call { .. } => passed.next().map_or(64, of_type),
                        Action::Vector(VectorAction::Load { .. } | VectorAction::Store { .. }) => {
                            ADDRESS_BITS
                        }
                        Action::Vector(
                            VectorAction::ExtractAt { .. } | VectorAction::InsertAt { .. },
                        ) if at + 1 == step.args.len() => 32,
                        _ => 64,
                    };
                    changed |= ask(&mut demands, *arg, bits);
                }
            }
        }
    }
    demands
}

/// Number of lower bits of an operand on which the lower `asked` bits of the result depend.
fn operand_demand(op: Opcode, at: usize, asked: u8, number: u8, second: Option<u64>) -> u8 {
    use Opcode::*;
    match op {
        Add64 | Sub64 | Mul64 | Or | Xor | Mov => asked,
        Add32 | Sub32 | Mul32 => asked.min(32),
        Shl32 if at == 0 => asked.min(32),
        Shl64 if at == 0 => match second {
            Some(amount) => asked.saturating_sub(amount.min(64) as u8),
            None => asked,
        },
        Shrs | Shru if at == 0 => match second {
            Some(amount) => asked.saturating_add(amount.min(64) as u8).min(64),
            None => 64,
        },
        And => match second {
            Some(mask) if at == 0 => asked.min(64 - mask.leading_zeros() as u8),
            _ => asked,
        },
        Select if at > 0 => asked,
        Sext | Zext => asked.min(number),
        Cttz | Ctlz | Ctpop => number.min(64),
        _ => 64,
    }
}
