//! Register allocation: every virtual register gets a register of its file for as long as it lives,
//! or a slot of the frame.
//!
//! Live ranges are lists of intervals with holes. Copies between registers that never live at one
//! time are coalesced first. Then the ranges are taken widest register first, heaviest next (uses
//! weighted by loop depth, per length); each gets a register that nothing else has meanwhile, a
//! hinted one if it can. Where none is free, lighter ones give way; a range that is the lightest
//! itself goes to the frame, to a general register if it is an address or a shift amount, or is
//! computed again if it is a constant. Each of its uses then has a register of its own, and another
//! round begins, until nothing is left over: registers of spill code live for one step, so that the
//! rounds end.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use aiec_core::{CoreIsa, Register, RegisterFile};
use smallvec::{SmallVec, smallvec};

use super::hardware_loop::HardwareLoop;
use super::liveness::{CalleeUnits, Liveness, liveness, overlap, union};
use super::moves::Moves;
use super::overlap::{Life, LifeOrder, LoopTimes, VirtualLoop};
use super::prepare::{
    Allocation, Fields, copy, operand_directions, ordered, replace, split_conflicts, virtual_of,
};
use super::register::{UNITS, Unit, units};
use super::{FrameSlot, MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// Rounds of spilling before giving up; each round only spills registers whose uses are far apart,
/// so that two or three are usual.
const MAX_ROUNDS: usize = 64;
/// Weight of a use in a loop over that of one around it.
const LOOP_WEIGHT: u64 = 8;
/// Depth of loops beyond which weights don't grow.
const MAX_DEPTH: u32 = 6;
/// No loop with a schedule.
const NO_LOOPS: (&[VirtualLoop<'_>], LifeOrder) = (&[], LifeOrder::Start);
/// Intervals of loops that are tried with registers.
const MAX_LENGTHENED: usize = 8;
/// Weight of registers that can't be spilled.
const PINNED: u64 = u64::MAX;

/// A register that no choice of registers satisfies: more of its file are needed by one instruction
/// than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Impossible {
    /// The file.
    pub file: RegisterFile,
}

/// Frequencies of blocks, in steps of [`LOOP_WEIGHT`]: an edge back in the order of code makes a
/// loop of the blocks that it spans.
fn frequencies(function: &MachineFunction) -> Vec<u64> {
    let mut depth = vec![0_u32; function.blocks.len()];
    for (at, block) in function.blocks.iter().enumerate() {
        for target in &block.successors {
            let target = target.0 as usize;
            if target <= at {
                depth[target..=at].iter_mut().for_each(|depth| *depth += 1);
            }
        }
    }
    depth
        .into_iter()
        .map(|depth| LOOP_WEIGHT.pow(depth.min(MAX_DEPTH)))
        .collect()
}

/// Allocates the registers of a function; `held` are blocks in which no two values share a register.
pub(super) fn allocate(
    isa: &'static CoreIsa,
    mut function: MachineFunction,
    callees: &CalleeUnits,
    held: &[bool],
) -> Result<Allocation, Impossible> {
    let mut fields = Fields::new(isa);
    let first_spill = function.slots.len();
    let mut state = Spilled::default();
    for round in 0..MAX_ROUNDS {
        let mut allowed = split_conflicts(isa, &mut fields, &mut function);
        let mut live = liveness(isa, &function, callees, held);
        if round == 0 {
            coalesce(&mut function, &mut allowed, &mut live);
        }
        state.pinned.resize(function.registers.len(), false);
        state.shadow.resize(function.registers.len(), false);
        let mut assigner = Assigner::new(
            isa,
            &function,
            &live,
            allowed.clone(),
            &state.pinned,
            NO_LOOPS,
        );
        let mut spilled = assigner.run()?;
        if !spilled.is_empty() {
            // Registers given away in turn leave none for long ranges.
            let mut other = Assigner::new(isa, &function, &live, allowed, &state.pinned, NO_LOOPS);
            other.turns = false;
            let left = other.run()?;
            if left.len() < spilled.len() {
                (assigner, spilled) = (other, left);
            }
        }
        match spilled {
            spilled if spilled.is_empty() => {
                let registers = assigner.registers();
                return Ok(Allocation {
                    function,
                    registers,
                    first_spill,
                });
            }
            spilled => {
                // Spill code in a loop whose iterations are to overlap would only need more registers.
                if let Some(register) = in_blocks(&function, held, &spilled) {
                    return Err(Impossible {
                        file: function.registers[register.0 as usize],
                    });
                }
                state.spill(isa, &mut function, &spilled);
            }
        }
    }
    Err(Impossible {
        file: RegisterFile::R,
    })
}

/// Gives a function registers with schedules of its loops, of those that have one with iterations that overlap: there registers
/// are taken as the schedule says. None without such loops, or registers are too few.
pub(super) fn allocate_overlapped(
    isa: &'static CoreIsa,
    mut function: MachineFunction,
    callees: &CalleeUnits,
    loops: &[Option<HardwareLoop>],
) -> Option<(Allocation, Vec<Option<LoopTimes>>)> {
    let mut fields = Fields::new(isa);
    let first_spill = function.slots.len();
    let mut allowed = split_conflicts(isa, &mut fields, &mut function);
    let mut live = liveness(isa, &function, callees, &[]);
    coalesce(&mut function, &mut allowed, &mut live);
    let trips = |found: &Option<HardwareLoop>| found.and_then(|found| found.trips);
    let counted = loops.iter().enumerate();
    let counted = counted.filter_map(|(block, found)| Some((block, trips(found)?)));
    let mut scheduled: Vec<VirtualLoop<'_>> = counted
        .filter_map(|(block, trips)| {
            VirtualLoop::new(isa, &function, &allowed, &live, block, trips)
        })
        .collect();
    if scheduled.is_empty() {
        return None;
    }
    let pinned = vec![false; function.registers.len()];
    for _ in 0..MAX_LENGTHENED {
        let mut spilled: Vec<VirtualRegister> = Vec::new();
        // Registers given away in turn leave none for long ranges: of the files that are too small first, then of all.
        let orders = LifeOrder::ALL.into_iter();
        let choices = [Turns::All, Turns::Enough, Turns::None];
        for (order, turns) in orders.flat_map(|order| choices.map(|turns| (order, turns))) {
            let known = (&scheduled[..], order);
            let mut assigner =
                Assigner::new(isa, &function, &live, allowed.clone(), &pinned, known);
            match turns {
                Turns::All => {}
                Turns::Enough => {
                    let files = spilled.iter().map(|register| assigner.file(*register));
                    assigner.small = files.collect();
                }
                Turns::None => assigner.turns = false,
            }
            spilled = assigner.run().ok()?;
            if !spilled.is_empty() {
                continue;
            }
            let registers = assigner.registers();
            let mut times = vec![None; loops.len()];
            for found in &scheduled {
                times[found.block] = Some(found.order(isa, &mut function, &registers)?);
            }
            let allocation = Allocation {
                function,
                registers,
                first_spill,
            };
            return Some((allocation, times));
        }
        let mut is_longer = false;
        for found in &mut scheduled {
            // Values around the loop that keep their registers in it are in the way as well.
            let Range { start, end } = found.positions;
            let is_within = |register: &VirtualRegister| {
                let mut ranges = live.virtuals[register.0 as usize].iter();
                ranges.any(|range| range.start < end && start < range.end)
            };
            if spilled.iter().any(is_within) {
                is_longer |= found.relax();
            }
        }
        if !is_longer {
            return None;
        }
    }
    None
}

/// The first of some virtual registers that one of some blocks touches.
fn in_blocks(
    function: &MachineFunction,
    blocks: &[bool],
    registers: &[VirtualRegister],
) -> Option<VirtualRegister> {
    let marked = function
        .blocks
        .iter()
        .zip(blocks)
        .filter(|(_, marked)| **marked);
    let mut operands = marked
        .flat_map(|(block, _)| &block.insts)
        .flat_map(|inst| &inst.operands);
    operands.find_map(|operand| {
        let (register, _) = virtual_of(*operand)?;
        registers
            .binary_search(&register)
            .is_ok()
            .then_some(register)
    })
}

/// Joins virtual registers that are copied to each other and never live at one time.
fn coalesce(function: &mut MachineFunction, allowed: &mut [u64], live: &mut Liveness) {
    let frequencies = frequencies(function);
    let mut copies = Vec::new();
    for (block, frequency) in function.blocks.iter().zip(&frequencies) {
        for inst in &block.insts {
            if let (MachineOp::Copy, [MachineOperand::Virtual(to), MachineOperand::Virtual(from)]) =
                (inst.op, &inst.operands[..])
                && function.registers[to.0 as usize] == function.registers[from.0 as usize]
            {
                copies.push((*frequency, *to, *from));
            }
        }
    }
    copies.sort_by_key(|(frequency, ..)| Reverse(*frequency));
    let mut joined: Vec<u32> = (0..function.registers.len() as u32).collect();
    fn root(joined: &mut [u32], mut at: u32) -> u32 {
        while joined[at as usize] != at {
            joined[at as usize] = joined[joined[at as usize] as usize];
            at = joined[at as usize];
        }
        at
    }
    for (_, to, from) in copies {
        let (a, b) = (root(&mut joined, to.0), root(&mut joined, from.0));
        let common = allowed[a as usize] & allowed[b as usize];
        // A register with few choices would take others into the same bottleneck.
        let is_narrow = common.count_ones() * 2 < allowed[a as usize].count_ones()
            || common.count_ones() * 2 < allowed[b as usize].count_ones();
        let (first, second) = (&live.virtuals[a as usize], &live.virtuals[b as usize]);
        if a == b || common == 0 || is_narrow || overlap(first, second) {
            continue;
        }
        live.virtuals[a as usize] = union(first, second);
        live.virtuals[b as usize] = Vec::new();
        allowed[a as usize] = common;
        joined[b as usize] = a;
    }
    for block in &mut function.blocks {
        for inst in &mut block.insts {
            for operand in &mut inst.operands {
                if let Some((register, _)) = virtual_of(*operand) {
                    let to = VirtualRegister(root(&mut joined, register.0));
                    *operand = replace(*operand, register, to);
                }
            }
        }
    }
    // Copies of a register to itself stay, so that positions do; they become nothing later.
}

/// A unit in a loop whose iterations overlap: the loop, when it is taken in each iteration, and by which register.
type LoopOwner = (usize, Life, VirtualRegister);

/// Who has a unit at a time.
type Owned = BTreeMap<u32, (u32, Option<VirtualRegister>)>;

/// One round of assignment.
struct Assigner<'a> {
    isa: &'static CoreIsa,
    function: &'a MachineFunction,
    live: &'a Liveness,
    allowed: Vec<u64>,
    weights: Vec<u64>,
    /// Registers that copies would like a virtual register to be, by weight.
    hints: Vec<SmallVec<[(u64, RegisterHint); 2]>>,
    owned: Vec<Owned>,
    /// The loops whose iterations overlap.
    loops: &'a [VirtualLoop<'a>],
    /// The loop that a virtual register is named in alone, and its place among those.
    local: Vec<Option<(usize, usize)>>,
    /// For each unit those that have it in such a loop.
    in_loops: Vec<SmallVec<[LoopOwner; 4]>>,
    assigned: Vec<Option<Register>>,
    /// The number after the last one of each file that was given away.
    next: BTreeMap<RegisterFile, u8>,
    /// Whether registers are given away in turn; else the first free one is.
    turns: bool,
    /// Files whose registers aren't even so.
    small: Vec<RegisterFile>,
}

/// Files whose registers are given away in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turns {
    All,
    /// Those of which no register was missing before.
    Enough,
    None,
}

#[derive(Clone, Copy, Debug)]
enum RegisterHint {
    Virtual(VirtualRegister),
    Physical(Register),
}

impl<'a> Assigner<'a> {
    fn new(
        isa: &'static CoreIsa,
        function: &'a MachineFunction,
        live: &'a Liveness,
        allowed: Vec<u64>,
        pinned: &[bool],
        (loops, order): (&'a [VirtualLoop<'a>], LifeOrder),
    ) -> Assigner<'a> {
        let count = function.registers.len();
        let mut weights = vec![0_u64; count];
        let mut hints = vec![SmallVec::new(); count];
        for (block, frequency) in function.blocks.iter().zip(frequencies(function)) {
            for inst in &block.insts {
                for operand in &inst.operands {
                    if let Some((register, _)) = virtual_of(*operand) {
                        weights[register.0 as usize] += frequency;
                    }
                }
                if inst.op == MachineOp::Copy {
                    for (to, from) in [(0, 1), (1, 0)] {
                        let hint = match inst.operands[from] {
                            MachineOperand::Virtual(other) => RegisterHint::Virtual(other),
                            MachineOperand::Physical(register) => RegisterHint::Physical(register),
                            _ => continue,
                        };
                        if let MachineOperand::Virtual(register) = inst.operands[to] {
                            let list: &mut SmallVec<_> = &mut hints[register.0 as usize];
                            list.push((frequency, hint));
                        }
                    }
                }
            }
        }
        for (at, weight) in weights.iter_mut().enumerate() {
            let length: u32 = live.virtuals[at]
                .iter()
                .map(|range| range.end - range.start)
                .sum();
            // Spilling pays by the time that a register becomes free.
            *weight = if pinned[at] {
                PINNED
            } else {
                *weight * 4096 / u64::from(length + 8)
            };
        }
        for hints in &mut hints {
            hints.sort_by_key(|(frequency, _)| Reverse(*frequency));
        }
        let mut owned = vec![Owned::new(); UNITS];
        for (unit, ranges) in live.units.iter().enumerate() {
            for range in ranges {
                owned[unit].insert(range.start, (range.end, None));
            }
        }
        let mut local = vec![None; count];
        for (number, found) in loops.iter().enumerate() {
            for (place, lives) in found.lives.iter().enumerate() {
                local[lives.register.0 as usize] = Some((number, place));
                weights[lives.register.0 as usize] = lives.weight(order);
            }
        }
        Assigner {
            loops,
            local,
            in_loops: vec![SmallVec::new(); UNITS],
            isa,
            function,
            live,
            allowed,
            weights,
            hints,
            owned,
            assigned: vec![None; count],
            next: BTreeMap::new(),
            turns: true,
            small: Vec::new(),
        }
    }

    fn registers(self) -> Vec<Option<Register>> {
        self.assigned
    }

    fn file(&self, register: VirtualRegister) -> RegisterFile {
        self.function.registers[register.0 as usize]
    }

    /// Assigns as many as possible; returns the rest, which is to be spilled.
    fn run(&mut self) -> Result<Vec<VirtualRegister>, Impossible> {
        let mut order: Vec<VirtualRegister> = (0..self.function.registers.len() as u32)
            .map(VirtualRegister)
            .filter(|register| !self.live.virtuals[register.0 as usize].is_empty())
            .collect();
        order.sort_by_key(|register| {
            let at = register.0 as usize;
            (
                self.file(*register).bits(),
                Reverse(self.allowed[at].count_ones()),
                self.weights[at],
                Reverse(*register),
            )
        });
        let mut spilled = Vec::new();
        while let Some(register) = order.pop() {
            match self.place(register) {
                Ok(evicted) => order.extend(evicted),
                Err(()) if self.weights[register.0 as usize] == PINNED => {
                    return Err(Impossible {
                        file: self.file(register),
                    });
                }
                Err(()) => spilled.push(register),
            }
        }
        spilled.sort();
        Ok(spilled)
    }

    /// Gives a virtual register a register, evicting lighter ones if none is free.
    fn place(&mut self, register: VirtualRegister) -> Result<Vec<VirtualRegister>, ()> {
        let file = self.file(register);
        let weight = self.weights[register.0 as usize];
        let mut cheapest: Option<(u64, Register, Vec<VirtualRegister>)> = None;
        for candidate in self.candidates(register) {
            match self.conflicts(register, candidate) {
                None => {}
                Some(others) if others.is_empty() => {
                    self.take(register, candidate);
                    if self.local[register.0 as usize].is_none() {
                        self.next.insert(file, candidate.number + 1);
                    }
                    return Ok(Vec::new());
                }
                Some(others) => {
                    let weights = others.iter().map(|other| self.weights[other.0 as usize]);
                    let heaviest = weights.max().unwrap_or(0);
                    if heaviest < weight
                        && cheapest
                            .as_ref()
                            .is_none_or(|(known, ..)| heaviest < *known)
                    {
                        cheapest = Some((heaviest, candidate, others));
                    }
                }
            }
        }
        let (_, candidate, others) = cheapest.ok_or(())?;
        for other in &others {
            self.release(*other);
        }
        self.take(register, candidate);
        Ok(others)
    }

    /// The registers that a virtual one may be, those that copies ask for first, then those that were
    /// given away longest ago, so that results don't wait for each other's register.
    fn candidates(&self, register: VirtualRegister) -> Vec<Register> {
        let at = register.0 as usize;
        let file = self.file(register);
        let allowed = self.allowed[at];
        let is_allowed =
            |wanted: &Register| wanted.file == file && allowed >> wanted.number & 1 != 0;
        let hinted = self.hints[at].iter().filter_map(|(_, hint)| match hint {
            RegisterHint::Physical(wanted) => Some(*wanted),
            RegisterHint::Virtual(other) => self.assigned[other.0 as usize],
        });
        let mut found: Vec<Register> = hinted.filter(is_allowed).collect();
        // A loop's schedule says when registers are free: nothing waits for them.
        let turns = self.turns && self.local[at].is_none() && !self.small.contains(&file);
        let next = self.next.get(&file).copied().filter(|_| turns);
        let next = next.unwrap_or(0);
        let numbers = (next..64).chain(0..next.min(64));
        found.extend(
            numbers
                .filter(|number| allowed >> number & 1 != 0)
                .map(|number| Register::new(file, number)),
        );
        found
    }

    /// The virtual registers that have a candidate's units while the register lives; none if
    /// something has them that can't give way.
    fn conflicts(
        &self,
        register: VirtualRegister,
        candidate: Register,
    ) -> Option<Vec<VirtualRegister>> {
        let mut others: Vec<VirtualRegister> = Vec::new();
        let local = self.local[register.0 as usize];
        for (lane, unit) in units(self.isa.arch, candidate).into_iter().enumerate() {
            let unit = usize::from(unit);
            let mut add = |owner: VirtualRegister| {
                if !others.contains(&owner) {
                    others.push(owner);
                }
            };
            for range in self.ranges(register) {
                for owner in owners(&self.owned[unit], range) {
                    add(owner?);
                }
            }
            for (number, life, owner) in &self.in_loops[unit] {
                let found = &self.loops[*number];
                let is_free = match local {
                    Some((own, place)) => {
                        own != *number
                            || found.lives[place].units[lane].fits(life, found.interval())
                    }
                    None => {
                        let mut ranges = self.ranges(register).iter();
                        ranges.all(|range| {
                            range.end <= found.positions.start || range.start >= found.positions.end
                        })
                    }
                };
                if !is_free {
                    add(*owner);
                }
            }
        }
        Some(others)
    }

    /// Where a register is live; one that is named in a loop alone, all over that.
    fn ranges(&self, register: VirtualRegister) -> &[Range<u32>] {
        match self.local[register.0 as usize] {
            Some((number, _)) => std::slice::from_ref(&self.loops[number].positions),
            None => &self.live.virtuals[register.0 as usize],
        }
    }

    fn take(&mut self, register: VirtualRegister, candidate: Register) {
        self.assigned[register.0 as usize] = Some(candidate);
        let local = self.local[register.0 as usize];
        for (lane, unit) in units(self.isa.arch, candidate).into_iter().enumerate() {
            let unit = usize::from(unit);
            if let Some((number, place)) = local {
                let life = self.loops[number].lives[place].units[lane];
                self.in_loops[unit].push((number, life, register));
                continue;
            }
            for range in &self.live.virtuals[register.0 as usize] {
                self.owned[unit].insert(range.start, (range.end, Some(register)));
            }
        }
    }

    fn release(&mut self, register: VirtualRegister) {
        let Some(candidate) = self.assigned[register.0 as usize].take() else {
            return;
        };
        for unit in units(self.isa.arch, candidate) {
            let unit = usize::from(unit);
            if self.local[register.0 as usize].is_some() {
                self.in_loops[unit].retain(|(.., owner)| *owner != register);
                continue;
            }
            for range in &self.live.virtuals[register.0 as usize] {
                self.owned[unit].remove(&range.start);
            }
        }
    }
}

/// Who has a unit in a range.
fn owners(owned: &Owned, range: &Range<u32>) -> impl Iterator<Item = Option<VirtualRegister>> {
    let before = owned
        .range(..range.start)
        .next_back()
        .filter(|(_, (end, _))| *end > range.start);
    let within = owned.range(range.clone());
    before
        .into_iter()
        .chain(within)
        .map(|(_, (_, owner))| *owner)
}

/// Decisions about spilled registers over the rounds.
#[derive(Debug, Default)]
struct Spilled {
    /// Registers of spill code, which can't be spilled again.
    pinned: Vec<bool>,
    /// General registers in place of those that other files had no room for.
    shadow: Vec<bool>,
}

/// Where a spilled value is.
#[derive(Clone, Debug)]
enum Home {
    /// It is computed again.
    Again(MachineInst),
    /// In a general register.
    Register(VirtualRegister),
    /// In the frame.
    Slot(FrameSlot),
}

impl Spilled {
    fn register(
        &mut self,
        function: &mut MachineFunction,
        file: RegisterFile,
        is_pinned: bool,
    ) -> VirtualRegister {
        self.pinned.resize(function.registers.len(), false);
        self.shadow.resize(function.registers.len(), false);
        self.pinned.push(is_pinned);
        self.shadow.push(!is_pinned);
        function.register(file)
    }

    /// Writes the spill code of virtual registers.
    fn spill(
        &mut self,
        isa: &'static CoreIsa,
        function: &mut MachineFunction,
        spilled: &[VirtualRegister],
    ) {
        let mut homes: BTreeMap<VirtualRegister, Home> = BTreeMap::new();
        for register in spilled {
            let home = self.home(isa, function, *register);
            homes.insert(*register, home);
        }
        for block in 0..function.blocks.len() {
            let insts = std::mem::take(&mut function.blocks[block].insts);
            let mut rewritten = Vec::with_capacity(insts.len());
            for inst in insts {
                self.rewrite(isa, function, &homes, inst, &mut rewritten);
            }
            function.blocks[block].insts = rewritten;
        }
    }

    fn home(
        &mut self,
        isa: &'static CoreIsa,
        function: &mut MachineFunction,
        register: VirtualRegister,
    ) -> Home {
        let moves = Moves::of(isa.arch);
        let mut definition = None;
        let mut definitions = 0;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            for (index, operand) in inst.operands.iter().enumerate() {
                let is_it = inst.op != MachineOp::Hold
                    && virtual_of(*operand).is_some_and(|(known, _)| known == register);
                if is_it && operand_directions(isa, inst, index).1 {
                    definitions += 1;
                    let is_constant = match inst.op {
                        MachineOp::Row(row) => moves.is_constant(row),
                        MachineOp::FrameAddress(_) => true,
                        _ => false,
                    };
                    definition = is_constant.then(|| inst.clone());
                }
            }
        }
        if let Some(definition) = definition.filter(|_| definitions == 1) {
            return Home::Again(definition);
        }
        let file = function.registers[register.0 as usize];
        let is_small = matches!(
            file,
            RegisterFile::S
                | RegisterFile::P
                | RegisterFile::M
                | RegisterFile::Dn
                | RegisterFile::Dj
                | RegisterFile::Dc
        );
        if is_small {
            return Home::Register(self.register(function, RegisterFile::R, false));
        }
        let numbers = super::register::numbers(isa, file);
        let sample = Register::new(file, numbers.trailing_zeros().min(63) as u8);
        let bytes = moves.stack(sample, true).map_or(0, |(_, bytes)| bytes);
        let align = bytes
            .next_power_of_two()
            .clamp(4, super::frame::VECTOR_ALIGN);
        Home::Slot(function.slot(bytes, align))
    }

    fn rewrite(
        &mut self,
        isa: &'static CoreIsa,
        function: &mut MachineFunction,
        homes: &BTreeMap<VirtualRegister, Home>,
        inst: MachineInst,
        out: &mut Vec<MachineInst>,
    ) {
        let mut touched: SmallVec<[VirtualRegister; 4]> = SmallVec::new();
        for operand in &inst.operands {
            if let Some((register, _)) = virtual_of(*operand)
                && homes.contains_key(&register)
                && !touched.contains(&register)
            {
                touched.push(register);
            }
        }
        if touched.is_empty() {
            out.push(inst);
            return;
        }
        if inst.op == MachineOp::Hold {
            let mut inst = inst;
            inst.operands = inst
                .operands
                .chunks_exact(2)
                .filter(|pair| {
                    virtual_of(pair[0]).is_none_or(|(known, _)| !touched.contains(&known))
                })
                .flatten()
                .copied()
                .collect();
            out.push(inst);
            return;
        }
        if inst.op == MachineOp::CountedBranch {
            self.counted_branch(isa, function, homes, &inst, out);
            return;
        }
        let like = inst.clone();
        let mut inst = inst;
        let mut after = Vec::new();
        for register in touched {
            let home = &homes[&register];
            let file = function.registers[register.0 as usize];
            let mut reads = false;
            let mut writes = false;
            for (index, operand) in inst.operands.iter().enumerate() {
                if let Some((known, part)) = virtual_of(*operand)
                    && known == register
                {
                    let (is_read, is_written) = operand_directions(isa, &inst, index);
                    // A part that is written leaves the others as they are.
                    reads |= is_read || is_written && part.is_some();
                    writes |= is_written;
                }
            }
            if let Home::Again(_) = home
                && writes
            {
                // The definition itself: each use has its own.
                return;
            }
            let own = self.register(function, file, true);
            for operand in &mut inst.operands {
                *operand = replace(*operand, register, own);
            }
            let (own, step) = (MachineOperand::Virtual(own), |op, operand| MachineInst {
                op,
                operands: smallvec![operand],
                reads: smallvec![],
                clobbers: smallvec![],
                access: None,
                source: like.source,
            });
            match home {
                Home::Again(definition) => {
                    let mut again = definition.clone();
                    for operand in &mut again.operands {
                        if let Some((known, _)) = virtual_of(*operand)
                            && known == register
                        {
                            *operand = own;
                        }
                    }
                    out.push(again);
                }
                Home::Register(shadow) => {
                    let shadow = MachineOperand::Virtual(*shadow);
                    if reads {
                        out.push(copy(own, shadow, &like));
                    }
                    if writes {
                        after.push(copy(shadow, own, &like));
                    }
                }
                Home::Slot(slot) => {
                    if reads {
                        out.push(step(MachineOp::Reload(*slot), own));
                    }
                    if writes {
                        after.push(step(MachineOp::Spill(*slot), own));
                    }
                }
            }
        }
        out.push(inst);
        out.extend(after);
    }

    /// A counted branch whose counter is in the frame: the counter is stored before the branch, which
    /// is written out.
    fn counted_branch(
        &mut self,
        isa: &'static CoreIsa,
        function: &mut MachineFunction,
        homes: &BTreeMap<VirtualRegister, Home>,
        inst: &MachineInst,
        out: &mut Vec<MachineInst>,
    ) {
        let moves = Moves::of(isa.arch);
        let (Some(add), Some(jump)) = (moves.add_immediate, moves.jump_nonzero) else {
            return;
        };
        let counter = inst.operands[0];
        let row = |op, operands| MachineInst {
            op,
            operands,
            ..inst.clone()
        };
        let add = row(
            MachineOp::Row(add),
            ordered(isa, add, &[counter, counter, MachineOperand::Immediate(-1)]),
        );
        let jump = row(
            MachineOp::Row(jump),
            ordered(isa, jump, &[counter, inst.operands[1]]),
        );
        self.rewrite(isa, function, homes, add, out);
        self.rewrite(isa, function, homes, jump, out);
    }
}

/// The units that a function writes, its callees' included: a call of it destroys them.
pub(super) fn written_units(
    isa: &CoreIsa,
    allocation: &Allocation,
    callees: &CalleeUnits,
) -> Vec<Unit> {
    let mut written = vec![false; UNITS];
    let function = &allocation.function;
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        super::liveness::places(isa, function, callees, inst, |place, _, is_written| {
            if !is_written {
                return;
            }
            match place {
                super::liveness::AccessedUnits::Unit(unit) => written[usize::from(unit)] = true,
                super::liveness::AccessedUnits::Virtual(register, lanes) => {
                    let assigned = allocation.registers[register.0 as usize];
                    let units = assigned.map(|assigned| units(isa.arch, assigned));
                    for (lane, unit) in units.into_iter().flatten().enumerate() {
                        written[usize::from(unit)] |= lanes >> lane & 1 != 0;
                    }
                }
            }
        });
    }
    (0..UNITS as Unit)
        .filter(|unit| written[usize::from(*unit)])
        .collect()
}
