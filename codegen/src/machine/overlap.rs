//! Schedules of loops that are found before registers are given away, and what registers then are needed for: each value
//! of an iteration has its register from the bundle in which it lands to the one in which it is read last.
//!
//! A register that is named twice in an iteration holds one value after the other, and all of an iteration before those
//! of the next one. So two values share a register if the first is read for the last time before the second lands, and
//! the second before the first one of the next iteration does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use aiec_core::{Bypass, CoreIsa, Register, Slot};
use smallvec::SmallVec;

use super::frame::expand;
use super::liveness::{AccessedUnits, Liveness, all_lanes, places};
use super::pipeline::{LoopReport, MIN_PRODUCTS, ModuloSchedule, ModuloSearch};
use super::prepare::virtual_of;
use super::register::{UNITS, units};
use super::schedule::{Node, schedule_region};
use super::{MachineFunction, MachineInst, MachineOperand, VirtualRegister};

/// The part by which an interval is made longer at least where registers are too few.
const LENGTHENED_BY: u32 = 32;
/// Bundles that results may wait for their readers, for schedules of one interval that take fewer registers.
const CLOSE_SLACKS: [i32; 3] = [0, 1, 2];

/// When a unit of a virtual register is taken in each iteration: bundles from the begin of the iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// The first bundle that could read it.
    start: i32,
    /// The first bundle in which another value may be there.
    end: i32,
    /// The first and the last instruction that writes it.
    first_write: i32,
    last_write: i32,
}

impl Life {
    /// Whether two values can have the same register, in a loop with this interval.
    pub(super) fn fits(&self, other: &Life, interval: i32) -> bool {
        let precedes = |a: &Life, b: &Life| {
            a.end <= b.start
                && a.last_write < b.first_write
                && b.end <= a.start + interval
                && b.last_write < a.first_write + interval
        };
        precedes(self, other) || precedes(other, self)
    }

    fn join(&mut self, other: &Life) {
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.first_write = self.first_write.min(other.first_write);
        self.last_write = self.last_write.max(other.last_write);
    }
}

/// The lives of the units of a virtual register, which is named in one block only.
#[derive(Clone, Debug)]
pub(super) struct Lives {
    pub register: VirtualRegister,
    pub units: SmallVec<[Life; 4]>,
}

/// Orders in which values get registers: none is best for all loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifeOrder {
    /// As they begin, so that one takes the register of another that just ended.
    Start,
    /// As they end, from the last on.
    End,
    /// The longest first.
    Length,
}

impl LifeOrder {
    pub(super) const ALL: [LifeOrder; 3] = [LifeOrder::Start, LifeOrder::End, LifeOrder::Length];
}

/// A weight beyond those of values that live outside of loops.
const LOCAL: u64 = 1 << 48;

impl Lives {
    /// The weight by which registers are given away in an order.
    pub(super) fn weight(&self, order: LifeOrder) -> u64 {
        let start = self.units.iter().map(|life| life.start).min().unwrap_or(0);
        let end = self.units.iter().map(|life| life.end).max().unwrap_or(0);
        let rank = match order {
            LifeOrder::Start => -i64::from(start),
            LifeOrder::End => i64::from(end),
            LifeOrder::Length => i64::from(end - start),
        };
        LOCAL.saturating_add_signed(rank)
    }
}

/// A loop of one block, as its steps are over virtual registers.
pub(super) struct VirtualLoop<'a> {
    pub block: usize,
    /// Positions of its steps, as those of ranges.
    pub positions: Range<u32>,
    search: ModuloSearch<'a>,
    /// The step of each node.
    steps: Vec<usize>,
    /// The first unit of each virtual register.
    base: Vec<u32>,
    /// Virtual registers of this block alone.
    local: Vec<VirtualRegister>,
    pub schedule: ModuloSchedule,
    /// Schedules with results near to their readers that were tried with the interval.
    close: usize,
    pub lives: Vec<Lives>,
}

/// A schedule of a block: for each of its steps the bundle and the slot, if it is an instruction.
#[derive(Clone, Debug)]
pub(super) struct LoopTimes {
    pub report: LoopReport,
    pub steps: Vec<Option<(i32, Slot)>>,
    /// The block as it was, and the place of each step there.
    pub unordered: Vec<MachineInst>,
    pub order: Vec<usize>,
}

/// The node of a step: that of the instruction which it is with some registers that its fields allow. None of steps that are
/// no instruction; an error if there is no such choice, or it is several instructions.
fn node_of(
    isa: &'static CoreIsa,
    allowed: &[u64],
    function: &MachineFunction,
    base: &[u32],
    inst: &MachineInst,
    registers: &mut [Option<Register>],
) -> Result<Option<Node>, ()> {
    let mut taken: SmallVec<[(VirtualRegister, SmallVec<[u16; 8]>); 5]> = SmallVec::new();
    let physical = inst.operands.iter().filter_map(|operand| match operand {
        MachineOperand::Physical(register) => Some(units(isa.arch, *register)),
        _ => None,
    });
    let fixed: SmallVec<[u16; 8]> = physical.flatten().collect();
    for operand in &inst.operands {
        let Some((register, _)) = virtual_of(*operand) else {
            continue;
        };
        if taken.iter().any(|(known, _)| *known == register) {
            continue;
        }
        let at = register.0 as usize;
        let file = function.registers[at];
        let numbers = (0..64).filter(|number| allowed[at] >> number & 1 != 0);
        let mut free = numbers.filter_map(|number| {
            let named = Register::new(file, number);
            let own = units(isa.arch, named);
            let is_taken = |unit: &u16| {
                fixed.contains(unit) || taken.iter().any(|(_, known)| known.contains(unit))
            };
            (!own.iter().any(is_taken)).then_some((named, own))
        });
        let (named, own) = free.next().ok_or(())?;
        registers[at] = Some(named);
        taken.push((register, own));
    }
    let mut insts = Vec::new();
    let expanded = expand(isa, registers, inst, false, &mut insts);
    for (register, _) in &taken {
        registers[register.0 as usize] = None;
    }
    expanded.map_err(|_| ())?;
    let [inst] = &insts[..] else {
        return if insts.is_empty() { Ok(None) } else { Err(()) };
    };
    let number = |unit: u16| {
        let of = taken.iter().find_map(|(register, units)| {
            let lane = units.iter().position(|known| *known == unit)?;
            Some(base[register.0 as usize] + lane as u32)
        });
        of.unwrap_or(u32::from(unit))
    };
    Ok(Some(Node::with_units(isa, inst, number)))
}

impl<'a> VirtualLoop<'a> {
    /// The loop that a block is, scheduled; `live` are ranges as if its iterations didn't overlap. None if it can't be.
    pub(super) fn new(
        isa: &'static CoreIsa,
        function: &MachineFunction,
        allowed: &[u64],
        live: &Liveness,
        block: usize,
        trips: u32,
    ) -> Option<VirtualLoop<'a>> {
        let mut base = Vec::with_capacity(function.registers.len());
        let mut next = UNITS as u32;
        for file in &function.registers {
            base.push(next);
            next += all_lanes(isa, *file).count_ones();
        }
        let mut registers = vec![None; function.registers.len()];
        let (mut nodes, mut steps) = (Vec::new(), Vec::new());
        for (step, inst) in function.blocks[block].insts.iter().enumerate() {
            let node = node_of(isa, allowed, function, &base, inst, &mut registers).ok()?;
            if let Some(node) = node {
                nodes.push(node);
                steps.push(step);
            }
        }
        let length = schedule_region(isa, &nodes).0.len() as u32;
        let search = ModuloSearch::new(isa, nodes, length, Some(trips)).ok()?;
        let schedule = search.run(0).ok()?;
        let before: usize = function.blocks[..block]
            .iter()
            .map(|block| block.insts.len())
            .sum();
        let (first, last) = (
            2 * before as u32,
            2 * (before + function.blocks[block].insts.len()) as u32,
        );
        let is_local = |register: &VirtualRegister| {
            let ranges = &live.virtuals[register.0 as usize];
            let ends = ranges.first().zip(ranges.last());
            ends.is_some_and(|(a, b)| a.start > first && b.end < last)
        };
        let all = (0..function.registers.len() as u32).map(VirtualRegister);
        let mut found = VirtualLoop {
            block,
            positions: first..last,
            search,
            steps,
            base,
            local: all.filter(is_local).collect(),
            schedule,
            close: 0,
            lives: Vec::new(),
        };
        found.measure();
        Some(found)
    }

    /// Takes the next schedule, for which registers may be enough: one of the same length that has results near to their readers, or
    /// a longer one.
    pub(super) fn relax(&mut self) -> bool {
        let interval = self.schedule.report.interval;
        let slacks = CLOSE_SLACKS.iter().enumerate().skip(self.close);
        let mut close = slacks.filter_map(|(n, slack)| {
            let found = self.search.close(interval, *slack)?;
            Some((n + 1, found))
        });
        let least = interval + interval / LENGTHENED_BY + 1;
        let next = close
            .next()
            .or_else(|| Some((0, self.search.run(least).ok()?)));
        match next {
            Some((close, schedule)) => {
                self.close = close;
                self.schedule = schedule;
                self.measure();
                true
            }
            None => false,
        }
    }

    /// Finds the lives of the registers that are named in this block alone.
    fn measure(&mut self) {
        let nodes = self.search.nodes();
        let products = nodes
            .iter()
            .filter(|node| node.forms[0].slot == Slot::Vector);
        let has_room = products.count() < MIN_PRODUCTS;
        let begins = |node: usize| {
            let node = &nodes[node];
            let reads = |unit: u32| node.reads.iter().any(|read| read.unit == unit);
            let mut own = node
                .writes
                .iter()
                .filter(|write| write.unit >= UNITS as u32);
            // A pointer that moves later lets the accesses before it be later; around many products it has its place for another reason.
            let is_move = has_room && node.forms.len() > 1 && !node.accesses_memory();
            own.any(|write| is_move || !reads(write.unit))
        };
        self.search.delay(&mut self.schedule, begins);
        let nodes = self.search.nodes();
        let last = self.base.last().map_or(0, |base| *base as usize + 16);
        let mut lives: Vec<Option<Life>> = vec![None; last];
        for (node, time) in nodes.iter().zip(&self.schedule.times) {
            for write in &node.writes {
                let start = time + i32::from(write.cycle);
                let life = Life {
                    start,
                    end: start + 1,
                    first_write: *time,
                    last_write: *time,
                };
                match &mut lives[write.unit as usize] {
                    Some(known) => known.join(&life),
                    new => *new = Some(life),
                }
            }
        }
        for (node, time) in nodes.iter().zip(&self.schedule.times) {
            for read in &node.reads {
                let late = read.cycle > 1 || read.bypass != Bypass::None;
                let end = time + i32::from(read.cycle) + i32::from(late);
                if let Some(life) = &mut lives[read.unit as usize] {
                    life.end = life.end.max(end);
                }
            }
        }
        let of = |register: &VirtualRegister| {
            let first = self.base[register.0 as usize] as usize;
            let next = self.base.get(register.0 as usize + 1).copied();
            let end = next.map_or(last, |next| next as usize);
            let own = &lives[first..end];
            let mut all: Option<Life> = None;
            for life in own.iter().flatten() {
                match &mut all {
                    Some(known) => known.join(life),
                    None => all = Some(*life),
                }
            }
            // Units that nothing writes hold nothing, but are read with the others.
            let all = all?;
            let units = own.iter().map(|life| life.unwrap_or(all)).collect();
            Some(Lives {
                register: *register,
                units,
            })
        };
        self.lives = self.local.iter().filter_map(of).collect();
    }

    pub(super) fn interval(&self) -> i32 {
        self.schedule.report.interval as i32
    }

    /// Puts the steps of the block in an order in which registers hold what they are read for, once virtual registers have
    /// these. None if there is no such order.
    pub(super) fn order(
        &self,
        isa: &'static CoreIsa,
        function: &mut MachineFunction,
        registers: &[Option<Register>],
    ) -> Option<LoopTimes> {
        let insts = &function.blocks[self.block].insts;
        let count = insts.len();
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut touched: Vec<Vec<(usize, bool)>> = vec![Vec::new(); function.registers.len()];
        for (step, inst) in insts.iter().enumerate() {
            places(isa, function, &[], inst, |place, _, is_written| {
                if let AccessedUnits::Virtual(register, _) = place {
                    touched[register.0 as usize].push((step, is_written));
                }
            });
        }
        for (first, second) in self.search.ordered_pairs() {
            successors[self.steps[first]].push(self.steps[second]);
        }
        // Steps that aren't instructions keep their places among those that name the same register.
        let is_node = |step: usize| self.steps.binary_search(&step).is_ok();
        for of in &touched {
            for (n, (step, _)) in of
                .iter()
                .enumerate()
                .filter(|(_, (step, _))| !is_node(*step))
            {
                for (other, _) in &of[..n] {
                    successors[*other].push(*step);
                }
                for (other, _) in &of[n + 1..] {
                    successors[*step].push(*other);
                }
            }
        }
        for (step, of) in successors.iter_mut().enumerate() {
            of.retain(|to| *to != step);
        }
        // Values of one register follow each other.
        let mut of_units: Vec<(u16, i32, VirtualRegister)> = Vec::new();
        for lives in &self.lives {
            let Some(register) = registers[lives.register.0 as usize] else {
                continue;
            };
            let own = units(isa.arch, register);
            of_units.extend(
                own.iter()
                    .zip(&lives.units)
                    .map(|(unit, life)| (*unit, life.start, lives.register)),
            );
        }
        of_units.sort();
        for pair in of_units.windows(2) {
            let [(unit, _, before), (other, _, after)] = pair else {
                continue;
            };
            if unit != other || before == after {
                continue;
            }
            for (from, _) in &touched[before.0 as usize] {
                let writers = touched[after.0 as usize]
                    .iter()
                    .filter(|(_, written)| *written);
                successors[*from].extend(writers.map(|(to, _)| *to).filter(|to| to != from));
            }
        }
        let mut times: Vec<Option<(i32, Slot)>> = vec![None; count];
        for (node, step) in self.steps.iter().enumerate() {
            let form = usize::from(self.schedule.forms[node]);
            let slot = self.search.nodes()[node].forms[form].slot;
            times[*step] = Some((self.schedule.times[node], slot));
        }
        let mut waits = vec![0_usize; count];
        for of in &mut successors {
            of.sort_unstable();
            of.dedup();
            of.iter().for_each(|to| waits[*to] += 1);
        }
        let time = |step: usize| times[step].map_or(0, |(time, _)| time);
        let mut ready: BinaryHeap<Reverse<(i32, usize)>> = (0..count)
            .filter(|step| waits[*step] == 0)
            .map(|step| Reverse((time(step), step)))
            .collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse((_, step))) = ready.pop() {
            order.push(step);
            for to in &successors[step] {
                waits[*to] -= 1;
                if waits[*to] == 0 {
                    ready.push(Reverse((time(*to), *to)));
                }
            }
        }
        if order.len() != count {
            return None;
        }
        let ordered = order
            .iter()
            .map(|step| function.blocks[self.block].insts[*step].clone());
        let ordered = ordered.collect();
        let unordered = std::mem::replace(&mut function.blocks[self.block].insts, ordered);
        Some(LoopTimes {
            report: self.schedule.report,
            steps: order.iter().map(|step| times[*step]).collect(),
            unordered,
            order,
        })
    }
}
