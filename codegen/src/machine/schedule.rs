//! Scheduling: when instructions of a block are issued, and in which bundles.
//!
//! A block is cut into regions, each of which ends with a branch, a call, `done`, or the end of the
//! block. Within a region a graph says how many bundles after another one an instruction may be
//! issued at the earliest; what the graph is made of is in the tables of timing
//! ([`aiec_core::CoreIsa::accesses`]):
//! * a result that lands in cycle d is read in cycle u: d − u + 1 bundles, one less on a bypass that
//!   both have, at least 1, because a bundle reads before it writes;
//! * a register that is read in cycle u is overwritten in cycle d: u − d bundles;
//! * two results of one register land in order;
//! * accesses of memory that may overlap happen in order by their stages, locks keep away from
//!   accesses of memory, locks, streams, cascades and events keep their order.
//!
//! A list scheduler fills bundle after bundle with what is ready, the longest way to the end first,
//! if a format of bundles has the slots and no port is held. At the end of a region everything has
//! landed: then nothing needs to be known about what comes before a block. The five bundles after a
//! branch are executed before it takes place, so that it is issued as early as that allows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use aiec_core::{
    Access, Accesses, Bypass, CoreIsa, Operand, Port, Register, RegisterFile, Slot,
    SlotInstruction, SlotSet, TextPart,
};
use smallvec::SmallVec;

use super::alternatives::alternatives;
use super::frame::{Inst, Memory, Value};
use super::hardware_loop::is_setup;
use super::register::{Unit, gathers, units};
use super::{FIRST_OUTSIDE, OUTSIDE};

/// Bundles after a branch that are executed before it takes place.
pub(super) const DELAY_SLOTS: u32 = 5;
/// Stage of the earliest access to memory that selection makes: of all loads but `lda.tm`.
const FIRST_STAGE: u32 = 5;
/// Least distance of a lock operation from one of streams or cascades, and from `done`: the core waits
/// for a lock in the stages in which these are under way (`llvm-aie: AIEBaseInstrInfo.cpp`, stall and
/// resume cycle); AMD's compiler has seven empty bundles before `done`.
const LOCK_TO_STREAM: u32 = 8;
/// Bytes of an access that takes a whole bank for a cycle (AM020: 256 bits).
const BANK_BYTES: u32 = 32;
/// Bytes of addresses of the two banks that such an access takes at once (AM020: eight banks of 8 KiB).
const BANK_RANGE: i64 = 16 * 1024;
/// Ready instructions that are tried for one bundle before it counts as full.
const MAX_TRIES: usize = 32;

/// The bank of an access, as far as it is known which ones are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    /// That of a buffer.
    Object(u32),
    /// That of an address, in units of the bytes that two banks have.
    Address(i64),
    /// One of those that are counted from the place from which walks with a base are counted.
    Walk { base: u32, number: i64 },
}

/// Effect of an instruction besides registers and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Lock {
        acquires: bool,
    },
    /// Streams, cascades, tile registers.
    Outside,
    /// An event, which keeps its place among all of these and waits for none of them.
    Event,
    Done,
    /// The start of a hardware loop is set.
    LoopStart,
    /// The end of a hardware loop is set.
    LoopEnd,
    /// The count of a hardware loop is set.
    LoopCount,
}

/// Ports with the first and last bundle after the issue in which they are held.
pub(super) type Ports = SmallVec<[(Port, u8, u8); 4]>;

/// An instruction in one of the slots that have it.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub slot: Slot,
    pub ports: Ports,
    /// The instruction, where it isn't the one of the program.
    pub other: Option<Inst>,
}

/// An access of a unit of registers: a physical one, or one of virtual registers, which have the numbers after all of those.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitAccess {
    pub unit: u32,
    pub cycle: u8,
    pub bypass: Bypass,
    /// Whether instructions that write it only add flags.
    gathers: bool,
}

/// An instruction as the scheduler sees it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The slot with the ports that the instruction holds there; after it the other slots that it may be
    /// in.
    pub forms: SmallVec<[Form; 2]>,
    accesses: Accesses,
    pub reads: SmallVec<[UnitAccess; 8]>,
    pub writes: SmallVec<[UnitAccess; 8]>,
    pub effect: Effect,
    /// Delay slots, if it is a branch.
    pub is_branch: bool,
    memory: Option<Memory>,
    is_store: bool,
    /// Bundles from its issue until everything that it does has taken place.
    pub drain: u32,
}

/// Whether two instructions read and write the same at the same times.
fn same_times(a: &Accesses, b: &Accesses) -> bool {
    let of = |accesses: &[Access]| {
        let mut all: SmallVec<[_; 8]> = accesses
            .iter()
            .map(|access| (access.register, access.cycle, access.bypass as u8))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    of(&a.reads) == of(&b.reads) && of(&a.writes) == of(&b.writes) && a.stages == b.stages
}

pub(super) fn effect_of(isa: &CoreIsa, row: u16) -> Effect {
    let row = &isa.instructions[usize::from(row)];
    match row.mnemonic.split('.').next() {
        Some("acq") => return Effect::Lock { acquires: true },
        Some("rel") => return Effect::Lock { acquires: false },
        Some("done") => return Effect::Done,
        Some("event") => return Effect::Event,
        _ => {}
    }
    let is_outside = row.mnemonic.ends_with(".tm")
        || row.text.iter().any(|part| match part {
            TextPart::Literal(text) => text
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| matches!(word, "ms" | "SS" | "ss" | "SCD" | "scd" | "MCD" | "mcd")),
            TextPart::Operand(_) => false,
        });
    if is_outside {
        Effect::Outside
    } else {
        Effect::None
    }
}

impl Node {
    pub fn new(isa: &CoreIsa, inst: &Inst) -> Node {
        Node::with_units(isa, inst, u32::from)
    }

    /// The node of an instruction whose units of registers have other numbers.
    pub fn with_units(isa: &CoreIsa, inst: &Inst, number: impl Fn(Unit) -> u32) -> Node {
        let row = &isa.instructions[usize::from(inst.row)];
        let accesses = isa.accesses(&slot_instruction(inst, |_| 0));
        let effect = match effect_of(isa, inst.row) {
            Effect::None if is_setup(isa, inst) => {
                if inst
                    .operands
                    .iter()
                    .any(|value| matches!(value, Value::BlockEnd(_)))
                {
                    Effect::LoopEnd
                } else if inst
                    .operands
                    .iter()
                    .any(|value| matches!(value, Value::Block(_)))
                {
                    Effect::LoopStart
                } else {
                    Effect::LoopCount
                }
            }
            effect => effect,
        };
        let mut forms: SmallVec<[Form; 2]> = SmallVec::new();
        forms.push(Form {
            slot: row.slot,
            ports: accesses.ports.clone(),
            other: None,
        });
        for other in alternatives(isa, inst) {
            let theirs = isa.accesses(&slot_instruction(&other, |_| 0));
            if same_times(&accesses, &theirs) {
                forms.push(Form {
                    slot: isa.instructions[usize::from(other.row)].slot,
                    ports: theirs.ports,
                    other: Some(other),
                });
            }
        }
        let mut node = Node {
            forms,
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            accesses,
            effect,
            is_branch: row.delay_slots > 0,
            memory: inst.memory,
            is_store: row.is_store,
            drain: 1,
        };
        if !node.is_branch {
            let plain = |registers: &[Register]| -> SmallVec<[Access; 4]> {
                let access = |register: &Register| Access {
                    register: *register,
                    cycle: 1,
                    bypass: Bypass::None,
                };
                registers.iter().map(access).collect()
            };
            node.accesses.reads.extend(plain(&inst.reads));
            node.accesses.writes.extend(plain(&inst.clobbers));
        }
        let of_units = |accesses: &[Access]| -> SmallVec<[UnitAccess; 8]> {
            let each = accesses.iter().flat_map(|access| {
                let units = units(isa.arch, access.register).into_iter();
                let number = &number;
                units.map(move |unit| UnitAccess {
                    unit: number(unit),
                    cycle: access.cycle,
                    bypass: access.bypass,
                    gathers: gathers(access.register),
                })
            });
            each.collect()
        };
        node.reads = of_units(&node.accesses.reads);
        node.writes = of_units(&node.accesses.writes);
        node.drain = node.drain_of(isa);
        node
    }

    /// The bank that the instruction accesses by a whole vector, and the stage in which it does: two of them in one
    /// cycle wait for one another.
    pub fn bank(&self) -> Option<(Bank, u8)> {
        let bank = match self.memory? {
            Memory::Object(access) if access.bytes >= BANK_BYTES => match access.walk {
                // Parts of a buffer are objects of their own if they don't overlap, but they are in one bank.
                Some(walk) => Bank::Walk {
                    base: walk.base,
                    number: walk.offset.div_euclid(BANK_RANGE),
                },
                // Of memory that isn't of the frame offsets are addresses.
                None => match (access.object?, access.offset) {
                    (OUTSIDE | FIRST_OUTSIDE.., Some(address)) => {
                        Bank::Address(address.div_euclid(BANK_RANGE))
                    }
                    (object, _) => Bank::Object(object),
                },
            },
            _ => return None,
        };
        Some((bank, *self.accesses.stages.first()?))
    }

    /// Whether it loads or stores.
    pub fn accesses_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Whether it is a store of less than a word, which reads the word first.
    pub fn stores_part_of_word(&self) -> bool {
        self.is_store && self.forms[0].slot == Slot::LoadA
    }

    /// Whether the core may wait in it, while results that are under way land, or it marks a place in the program.
    pub fn keeps_its_place(&self) -> bool {
        matches!(
            self.effect,
            Effect::Lock { .. } | Effect::Outside | Effect::Event | Effect::Done
        )
    }

    /// Whether it sets a hardware loop up.
    pub fn sets_loop_up(&self) -> bool {
        matches!(
            self.effect,
            Effect::LoopStart | Effect::LoopEnd | Effect::LoopCount
        )
    }

    /// The node of the same instruction in any iteration of its loop.
    pub fn in_any_iteration(&self) -> Node {
        Node {
            memory: self.memory.map(Memory::in_any_iteration),
            ..self.clone()
        }
    }

    /// The node of the same instruction one iteration later.
    pub fn in_next_iteration(&self) -> Node {
        Node {
            memory: self.memory.map(|memory| memory.later(1)),
            ..self.clone()
        }
    }

    fn drain_of(&self, isa: &CoreIsa) -> u32 {
        let timing = &isa.timing;
        let written = self
            .accesses
            .writes
            .iter()
            .map(|write| u32::from(write.cycle));
        let read = self
            .accesses
            .reads
            .iter()
            .map(|read| u32::from(read.cycle).saturating_sub(1));
        let ports = self.forms.iter().flat_map(|form| &form.ports);
        let held = ports.map(|(_, _, last)| u32::from(*last) + 1);
        let last = self.accesses.stages.last();
        let stages = last.into_iter().flat_map(|stage| {
            [
                (u32::from(*stage) + 1).saturating_sub(FIRST_STAGE),
                u32::from(timing.before_lock(*stage)),
            ]
        });
        let effect = match self.effect {
            Effect::Lock { .. } => u32::from(timing.after_lock(FIRST_STAGE as u8)),
            Effect::Outside => LOCK_TO_STREAM,
            Effect::None
            | Effect::Event
            | Effect::Done
            | Effect::LoopStart
            | Effect::LoopEnd
            | Effect::LoopCount => 1,
        };
        written
            .chain(read)
            .chain(held)
            .chain(stages)
            .max()
            .unwrap_or(1)
            .max(effect)
            .max(1)
    }
}

/// An instruction with its operands as the tables take them; `number` gives the numbers of those
/// that are not known yet.
pub(super) fn slot_instruction(inst: &Inst, number: impl Fn(Value) -> i32) -> SlotInstruction {
    let operands = inst.operands.iter().map(|value| match *value {
        Value::Register(register) => Operand::Register(register),
        Value::Immediate(value) => Operand::Immediate(value),
        other => Operand::Immediate(number(other)),
    });
    SlotInstruction {
        instruction: inst.row,
        operands: operands.collect(),
        ignored: 0,
    }
}

/// A bundle: the instructions of its slots, as indices into the block.
pub(super) type Bundle = SmallVec<[u32; 4]>;

/// Bundles that are executed one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Region {
    pub bundles: Vec<Bundle>,
    /// Whether something branches or returns to its first bundle.
    pub is_target: bool,
}

/// An edge of the graph: the target is issued at least this many bundles after the source.
pub(super) type Edges = SmallVec<[(u32, i32); 4]>;

/// The graph of a region.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Of each instruction those that wait for it, with the bundles between.
    pub successors: Vec<Edges>,
    pub predecessors: Vec<u32>,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, distance: i32) {
        let edges = &mut self.successors[from];
        if let Some((_, known)) = edges.iter_mut().find(|(known, _)| *known == to as u32) {
            *known = (*known).max(distance);
            return;
        }
        edges.push((to as u32, distance));
        self.predecessors[to] += 1;
    }
}

/// The accesses of a unit since its last write.
#[derive(Clone, Debug, Default)]
struct UnitHistory {
    writers: SmallVec<[(u32, u8, Bypass); 2]>,
    readers: SmallVec<[(u32, u8, Bypass); 4]>,
    /// Whether the writers only add flags.
    gathering: bool,
}

fn same(a: Bypass, b: Bypass) -> bool {
    a != Bypass::None && a == b
}

/// Bundles from a result to its reader.
fn read_after_write(written: u8, by: Bypass, read: u8, from: Bypass) -> i32 {
    (i32::from(written) - i32::from(read) + 1 - i32::from(same(by, from))).max(1)
}

/// Bundles from a reader to the next result.
fn write_after_read(read: u8, from: Bypass, written: u8, by: Bypass) -> i32 {
    // A read in a late cycle keeps one bundle more, as llvm-aie's scheduler does.
    let late = i32::from(read > 1);
    i32::from(read) - i32::from(written) + late.max(i32::from(same(from, by)))
}

/// Bundles from a result to the next one of the same register.
fn write_after_write(first: u8, second: u8) -> i32 {
    (i32::from(first) - i32::from(second) + 1).max(1)
}

/// Whether two objects have no byte in common.
fn are_apart(a: u32, b: u32) -> bool {
    let has_all = |one: u32, other: u32| one == OUTSIDE && other >= FIRST_OUTSIDE;
    a != b && !has_all(a, b) && !has_all(b, a)
}

/// The least number of iterations, from 2 on, after which an instruction touches bytes that another one, of which
/// this is known too, touched.
pub(super) fn later_overlap(first: &Node, second: &Node) -> Option<i64> {
    let walk = |node: &Node| match node.memory {
        Some(Memory::Object(access)) => access.walk.map(|walk| (walk, i64::from(access.bytes))),
        _ => None,
    };
    if !(first.is_store || second.is_store) {
        return None;
    }
    let ((a, a_bytes), (b, b_bytes)) = (walk(first)?, walk(second)?);
    if a.base != b.base || a.stride != b.stride || a.stride == 0 {
        return None;
    }
    // Of walks downward the same holds of negated addresses.
    let (a_low, b_low, stride) = if a.stride > 0 {
        (a.offset, b.offset, a.stride)
    } else {
        (-a.offset - a_bytes, -b.offset - b_bytes, -a.stride)
    };
    let least = (a_low - b_low - b_bytes).div_euclid(stride) + 1;
    let least = least.max(2);
    (least * stride < a_low + a_bytes - b_low).then_some(least)
}

/// Whether two accesses may touch the same bytes.
fn may_overlap(a: Memory, b: Memory) -> bool {
    match (a, b) {
        (Memory::Spill(slot, at, bytes), Memory::Spill(other, other_at, other_bytes)) => {
            slot == other && at < other_at + other_bytes && other_at < at + bytes
        }
        (Memory::Spill(..), _) | (_, Memory::Spill(..)) => false,
        (Memory::Any, _) | (_, Memory::Any) => true,
        (Memory::Object(a), Memory::Object(b)) => {
            let overlap = |x: i64, y: i64| x < y + i64::from(b.bytes) && y < x + i64::from(a.bytes);
            match (a.object, b.object, a.walk, b.walk) {
                (Some(x), Some(y), ..) if are_apart(x, y) => false,
                (.., Some(x), Some(y)) if x.base == y.base && x.stride == y.stride => {
                    overlap(x.offset, y.offset)
                }
                (Some(x), Some(y), ..) if x == y => match (a.offset, b.offset) {
                    (Some(x), Some(y)) => overlap(x, y),
                    _ => true,
                },
                _ => true,
            }
        }
    }
}

/// Builds the graph of instructions in the order of the program. Where iterations `overlap` a result may
/// be under way to a register while its value from before is read; elsewhere it is issued after that.
pub(super) fn graph(isa: &CoreIsa, nodes: &[Node], overlap: bool) -> Graph {
    let mut graph = Graph {
        successors: vec![Edges::new(); nodes.len()],
        predecessors: vec![0; nodes.len()],
    };
    let accesses = nodes
        .iter()
        .flat_map(|node| node.reads.iter().chain(&node.writes));
    let known = accesses.map(|access| access.unit as usize + 1).max();
    let mut histories = vec![UnitHistory::default(); known.unwrap_or(0)];
    let mut memory: Vec<usize> = Vec::new();
    let mut locks: Vec<usize> = Vec::new();
    let mut outside: Option<usize> = None;
    let mut event: Option<usize> = None;
    let mut loop_end: Option<usize> = None;
    for (at, node) in nodes.iter().enumerate() {
        for read in &node.reads {
            let history = &mut histories[read.unit as usize];
            for (writer, cycle, bypass) in &history.writers {
                let distance = read_after_write(*cycle, *bypass, read.cycle, read.bypass);
                graph.add(*writer as usize, at, distance);
            }
            history.readers.push((at as u32, read.cycle, read.bypass));
        }
        for write in &node.writes {
            let history = &mut histories[write.unit as usize];
            for (reader, cycle, bypass) in &history.readers {
                if *reader as usize != at {
                    let distance = write_after_read(*cycle, *bypass, write.cycle, write.bypass);
                    let least = if overlap { i32::MIN } else { 0 };
                    graph.add(*reader as usize, at, distance.max(least));
                }
            }
            let gathers_on = write.gathers && history.gathering && history.readers.is_empty();
            if !gathers_on {
                for (writer, cycle, _) in &history.writers {
                    if *writer as usize != at {
                        graph.add(*writer as usize, at, write_after_write(*cycle, write.cycle));
                    }
                }
                history.writers.clear();
            }
            history.readers.clear();
            history.gathering = write.gathers;
            history.writers.push((at as u32, write.cycle, write.bypass));
        }
        if let Some(here) = node.memory {
            for before in memory.iter().rev() {
                let other = &nodes[*before];
                let Some(there) = other.memory else { continue };
                if !(node.is_store || other.is_store) || !may_overlap(here, there) {
                    continue;
                }
                graph.add(*before, at, memory_distance(other, node));
            }
            memory.push(at);
        }
        let timing = &isa.timing;
        match node.effect {
            Effect::Lock { .. } => {
                for before in &memory {
                    let last = nodes[*before].accesses.stages.last();
                    let distance = last.map_or(1, |stage| timing.before_lock(*stage));
                    graph.add(*before, at, i32::from(distance).max(1));
                }
                memory.clear();
                if let Some(before) = locks.last() {
                    graph.add(*before, at, 1);
                }
                if let Some(before) = outside {
                    graph.add(before, at, LOCK_TO_STREAM as i32);
                }
                if let Some(before) = event {
                    graph.add(before, at, 1);
                }
                locks.push(at);
            }
            Effect::Event => {
                let others = [locks.last().copied(), outside, event.replace(at)];
                for before in others.into_iter().flatten() {
                    graph.add(before, at, 1);
                }
            }
            Effect::Outside | Effect::Done => {
                if let Some(before) = outside.replace(at) {
                    graph.add(before, at, 1);
                }
                if let Some(before) = event {
                    graph.add(before, at, 1);
                }
                if let Some(before) = locks.last() {
                    graph.add(*before, at, LOCK_TO_STREAM as i32);
                }
            }
            Effect::LoopEnd => loop_end = Some(at),
            Effect::LoopCount => {
                // Else the end of a loop before, or 0 after reset, would count.
                if let Some(before) = loop_end {
                    graph.add(before, at, 1);
                }
            }
            Effect::None | Effect::LoopStart => {}
        }
        if node.memory.is_some()
            && let Some(lock) = locks.last()
        {
            let Effect::Lock { acquires } = nodes[*lock].effect else {
                continue;
            };
            let first = node.accesses.stages.first();
            let distance = match (acquires, first) {
                (true, Some(stage)) => i32::from(timing.after_lock(*stage)),
                _ => 1,
            };
            graph.add(*lock, at, distance);
        }
    }
    graph
}

/// Bundles between two accesses of memory that must happen in their order.
pub(super) fn memory_distance(first: &Node, second: &Node) -> i32 {
    let stages = |node: &Node| {
        let first = node.accesses.stages.first().copied().unwrap_or(5);
        let last = node.accesses.stages.last().copied().unwrap_or(5);
        (i32::from(first), i32::from(last))
    };
    let ((_, last), (next, next_last)) = (stages(first), stages(second));
    if first.is_store {
        // A stored value is in memory one stage later.
        (last - next + 1).max(1)
    } else {
        // A load in the bundle of a store gets the bytes from before.
        (last - next_last).max(0)
    }
}

/// Ports in the cycles of a region.
#[derive(Clone, Debug, Default)]
struct HeldPorts {
    cycles: Vec<SmallVec<[Port; 8]>>,
}

impl HeldPorts {
    fn is_free(&self, ports: &Ports, at: u32) -> bool {
        ports.iter().all(|(port, first, last)| {
            (u32::from(*first)..=u32::from(*last)).all(|cycle| {
                let held = self.cycles.get((at + cycle) as usize);
                !held.is_some_and(|held| held.contains(port))
            })
        })
    }

    fn hold(&mut self, ports: &Ports, at: u32) {
        for (port, first, last) in ports {
            let end = (at + u32::from(*last)) as usize;
            if self.cycles.len() <= end {
                self.cycles.resize(end + 1, SmallVec::new());
            }
            for cycle in u32::from(*first)..=u32::from(*last) {
                self.cycles[(at + cycle) as usize].push(*port);
            }
        }
    }
}

/// A schedule under construction.
#[derive(Clone)]
pub(super) struct Scheduler<'a> {
    isa: &'a CoreIsa,
    nodes: &'a [Node],
    held: HeldPorts,
    pub bundles: Vec<Bundle>,
    slots: Vec<SlotSet>,
    /// The form that was chosen for each node.
    pub forms: Vec<u8>,
}

/// Facts about the nodes of a region before they have their bundles.
pub(super) struct Waiting<'a> {
    pub graph: &'a Graph,
    /// Nodes with the greatest number come first.
    pub rank: &'a [i32],
    /// The first bundle that each may be in, and the number of nodes that it waits for.
    pub earliest: Vec<i32>,
    pub waits: Vec<u32>,
    /// The last bundle that each may be in.
    pub latest: Option<&'a [i32]>,
}

/// Where nodes of a region are.
#[derive(Clone, Copy, Debug, Default)]
struct Filled {
    /// The first bundle by which all that they do has taken place.
    end: u32,
    last_lock: Option<u32>,
}

impl<'a> Scheduler<'a> {
    pub fn new(isa: &'a CoreIsa, nodes: &'a [Node]) -> Scheduler<'a> {
        Scheduler {
            isa,
            nodes,
            held: HeldPorts::default(),
            bundles: Vec::new(),
            slots: Vec::new(),
            forms: vec![0; nodes.len()],
        }
    }

    /// The first form of an instruction that a bundle has room for.
    fn form(&self, node: usize, at: u32) -> Option<u8> {
        let mut forms = 0..self.nodes[node].forms.len() as u8;
        forms.find(|form| self.has_room(node, *form, at))
    }

    /// Whether a bundle has room for a form of an instruction.
    pub fn has_room(&self, node: usize, form: u8, at: u32) -> bool {
        let taken = self.slots.get(at as usize).copied().unwrap_or_default();
        let form = &self.nodes[node].forms[usize::from(form)];
        !taken.contains(form.slot)
            && self.isa.shortest_format(taken.with(form.slot)).is_some()
            && self.held.is_free(&form.ports, at)
    }

    pub fn issue(&mut self, node: usize, form: u8, at: u32) {
        let end = at as usize + 1;
        if self.bundles.len() < end {
            self.bundles.resize(end, Bundle::new());
            self.slots.resize(end, SlotSet::default());
        }
        self.bundles[at as usize].push(node as u32);
        let form_there = &self.nodes[node].forms[usize::from(form)];
        self.slots[at as usize] = self.slots[at as usize].with(form_there.slot);
        self.held.hold(&form_there.ports, at);
        self.forms[node] = form;
    }

    /// Issues nodes that aren't branches from a bundle on; whether each found one that it may be in.
    pub fn fill(&mut self, nodes: Range<usize>, waiting: &mut Waiting<'_>, from: u32) -> bool {
        self.fill_bundles(nodes, waiting, from).is_some()
    }

    fn fill_bundles(
        &mut self,
        nodes: Range<usize>,
        waiting: &mut Waiting<'_>,
        from: u32,
    ) -> Option<Filled> {
        let Waiting {
            graph,
            rank,
            earliest,
            waits,
            latest,
        } = waiting;
        let mut pending: BinaryHeap<Reverse<(i32, u32)>> = BinaryHeap::new();
        let mut ready: BinaryHeap<(i32, Reverse<u32>)> = BinaryHeap::new();
        for at in nodes.clone().filter(|at| waits[*at] == 0) {
            pending.push(Reverse((earliest[at], at as u32)));
        }
        let mut left = nodes.len();
        let mut now = from;
        let mut filled = Filled::default();
        while left > 0 {
            while let Some(Reverse((at, node))) = pending.peek().copied() {
                if at > now as i32 {
                    break;
                }
                pending.pop();
                ready.push((rank[node as usize], Reverse(node)));
            }
            let mut put_off = Vec::new();
            while let Some((priority, Reverse(node))) = ready.pop() {
                if latest.is_some_and(|latest| latest[node as usize] < now as i32) {
                    return None;
                }
                let Some(form) = self.form(node as usize, now) else {
                    put_off.push((priority, Reverse(node)));
                    if put_off.len() >= MAX_TRIES {
                        break;
                    }
                    continue;
                };
                self.issue(node as usize, form, now);
                left -= 1;
                filled.end = filled.end.max(now + self.nodes[node as usize].drain);
                if matches!(self.nodes[node as usize].effect, Effect::Lock { .. }) {
                    filled.last_lock = Some(now);
                }
                for (to, distance) in &graph.successors[node as usize] {
                    let to = *to as usize;
                    earliest[to] = earliest[to].max(now as i32 + distance);
                    waits[to] -= 1;
                    if waits[to] == 0 && nodes.contains(&to) {
                        if earliest[to] <= now as i32 {
                            ready.push((rank[to], Reverse(to as u32)));
                        } else {
                            pending.push(Reverse((earliest[to], to as u32)));
                        }
                    }
                }
            }
            ready.extend(put_off);
            now += 1;
        }
        Some(filled)
    }

    /// Issues the nodes from one on, which a region ends with, from a bundle on; all that is under way then has taken place by `end`.
    /// Branches are the last ones. The bundles are as many as take everything to its end.
    pub fn finish_region(
        &mut self,
        first: usize,
        waiting: &mut Waiting<'_>,
        from: u32,
        mut end: u32,
    ) {
        let is_end = |node: &Node| node.is_branch || node.effect == Effect::Done;
        let nodes = self.nodes;
        let body = nodes[first..].iter().take_while(|node| !is_end(node));
        let body = first + body.count();
        let filled = self.fill_bundles(first..body, waiting, from);
        let Filled {
            end: own,
            last_lock,
        } = filled.unwrap_or_default();
        end = end.max(own);
        for (branch, node) in nodes.iter().enumerate().skip(body) {
            let slots = if node.is_branch { DELAY_SLOTS } else { 0 };
            // In the delay slots everything else ends; no lock operation is in them.
            let mut at = (waiting.earliest[branch].max(from as i32) as u32)
                .max(end.saturating_sub(slots + 1))
                .max(last_lock.map_or(0, |lock| lock + 1));
            if slots == 0 {
                at = at.max(end);
            }
            // Ports are free at some time.
            let form = loop {
                match self.form(branch, at) {
                    Some(form) => break form,
                    None => at += 1,
                }
            };
            self.issue(branch, form, at);
            for (to, distance) in &waiting.graph.successors[branch] {
                let to = *to as usize;
                waiting.earliest[to] = waiting.earliest[to].max(at as i32 + distance);
            }
            end = at + slots + 1;
            // The next branch is none of its delay slots.
            for next in &mut waiting.earliest[branch + 1..] {
                *next = (*next).max(end as i32);
            }
        }
        self.bundles.resize(end as usize, Bundle::new());
    }
}

/// The longest way from each node to where all that follows from it has taken place.
pub(super) fn heights(graph: &Graph, nodes: &[Node]) -> Vec<i32> {
    let mut height = vec![0_i32; nodes.len()];
    for at in (0..nodes.len()).rev() {
        let way = graph.successors[at]
            .iter()
            .map(|(to, distance)| distance + height[*to as usize]);
        height[at] = way.max().unwrap_or(0).max(nodes[at].drain as i32);
    }
    height
}

/// Schedules a region. Its branches, if any, are its last nodes. Returns the bundles; they are as
/// many as take everything to its end.
pub(super) fn schedule_region(isa: &CoreIsa, nodes: &[Node]) -> (Vec<Bundle>, Vec<u8>) {
    let graph = graph(isa, nodes, false);
    let mut scheduler = Scheduler::new(isa, nodes);
    let mut waiting = Waiting {
        graph: &graph,
        rank: &heights(&graph, nodes),
        earliest: vec![0; nodes.len()],
        waits: graph.predecessors.clone(),
        latest: None,
    };
    scheduler.finish_region(0, &mut waiting, 0, 0);
    (scheduler.bundles, scheduler.forms)
}

/// Whether an instruction calls a function.
pub(super) fn is_call(isa: &CoreIsa, inst: &Inst) -> bool {
    let row = &isa.instructions[usize::from(inst.row)];
    let mut defined = row.defs.iter();
    row.delay_slots > 0 && defined.any(|register| register.file == RegisterFile::Lr)
}

/// The instructions of the first region of a block: up to its first call.
pub(super) fn first_region(isa: &CoreIsa, insts: &[Inst]) -> usize {
    let call = insts.iter().position(|inst| is_call(isa, inst));
    call.map_or(insts.len(), |call| call + 1)
}

/// Where the last region of a block begins: after its last call.
pub(super) fn last_region(isa: &CoreIsa, insts: &[Inst]) -> usize {
    let call = insts.iter().rposition(|inst| is_call(isa, inst));
    call.map_or(0, |call| call + 1)
}

/// Schedules a block. Instructions for which another slot was chosen become the equal ones of that
/// slot.
pub(super) fn schedule_block(isa: &CoreIsa, insts: &mut [Inst], is_target: bool) -> Vec<Region> {
    let nodes: Vec<Node> = insts.iter().map(|inst| Node::new(isa, inst)).collect();
    let mut regions = Vec::new();
    let mut start = 0;
    let mut returns_here = is_target;
    while start < nodes.len() {
        let end = start + first_region(isa, &insts[start..]);
        let (mut bundles, forms) = schedule_region(isa, &nodes[start..end]);
        for (at, form) in (start..end).zip(forms) {
            if let Some(other) = &nodes[at].forms[usize::from(form)].other {
                insts[at] = other.clone();
            }
        }
        for bundle in &mut bundles {
            bundle.iter_mut().for_each(|node| *node += start as u32);
        }
        regions.push(Region {
            bundles,
            is_target: returns_here,
        });
        returns_here = true;
        start = end;
    }
    if regions.is_empty() {
        regions.push(Region {
            bundles: Vec::new(),
            is_target,
        });
    }
    regions
}
