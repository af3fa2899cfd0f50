//! A checker of finished code, which sees the bytes, the tables and the intended results of the
//! instructions one after another, but nothing of how they were scheduled.
//!
//! Each block is executed twice with symbols for values: its instructions in the order of the
//! program, each finished before the next, and its bundles as the core executes them, decoded from
//! the bytes again, with results that land late, bypasses and delay slots. It holds that
//! * every operand has the same symbol both ways, and every register at the end of the block, also where the core waits for the
//!   store of a part of a word while results arrive;
//! * no two results land in one register in one cycle, none after the end of its block;
//! * no port is held twice;
//! * accesses of memory that may overlap happen in their order, lock operations keep their distance;
//! * nothing but empty or harmless bundles is after a branch, and branches go to the start of a line.
//!
//! Symbols are of units of registers. It is exact for the code that this crate writes; other code may
//! be right and be refused.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use aiec_aie::ir::Op;
use aiec_core::{
    Accesses, Bypass, CoreIsa, OldRead, Operand, PART_WORD_BUNDLES, Register, RegisterFile, Slot,
    SlotInstruction,
};
use rustc_hash::FxHashMap;

use super::frame::{Inst, Memory};
use super::layout::{CodeBlock, FunctionLayout, LINE, MIN_SETUP};
pub use super::register::Unit;
use super::register::{UNITS, gathers, units};
use super::schedule::{DELAY_SLOTS, slot_instruction};
use super::{FIRST_OUTSIDE, OUTSIDE};

/// Something that is wrong with a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    /// Byte address of the bundle.
    pub address: u32,
    /// The operation that it was made for.
    pub source: Op,
    /// The rule that it breaks.
    pub rule: Rule,
}

/// A rule of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The bytes don't decode, or not to the intended bundle.
    OtherCode,
    /// An operand has another value than in the order of the program.
    OtherValue(Register),
    /// A register has another value at the end of the block.
    OtherResult(Unit),
    /// Two results land in one register in one cycle.
    SameCycle(Register),
    /// A result lands, or a port is held, after the end of the block.
    LandsLate,
    /// Two instructions hold a port in one cycle.
    Port(&'static str),
    /// Accesses of memory, locks, streams in another order or too close.
    Order,
    /// A branch in a delay slot, or something after the delay slots that should be before.
    DelaySlot,
    /// A target within a line.
    Alignment,
    /// A hardware loop is set up too near to its last bundle, or its count before its end.
    LoopSetup,
    /// An instruction of the program is missing or is there twice.
    Missing,
    /// Allocation gave a register to two values at a time.
    Allocation(Unit),
    /// A step finds another value, or other memory, than before sums were joined or a loop's steps were ordered.
    OtherSteps,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bundle {:#x}: ", self.address)?;
        match &self.rule {
            Rule::OtherCode => write!(f, "the bytes are not those of the bundle"),
            Rule::OtherValue(register) => write!(f, "{register} is read too early or too late"),
            Rule::OtherResult(unit) => write!(f, "unit {unit} ends with another value"),
            Rule::SameCycle(register) => write!(f, "two results land in {register} at once"),
            Rule::LandsLate => write!(f, "a result lands after the end of the block"),
            Rule::Port(port) => write!(f, "port {port} is held twice"),
            Rule::Order => write!(f, "accesses are out of order or too close"),
            Rule::DelaySlot => write!(f, "an instruction is on the wrong side of a branch"),
            Rule::Alignment => write!(f, "a target begins within a line"),
            Rule::LoopSetup => write!(f, "a hardware loop is set up too late"),
            Rule::Allocation(unit) => write!(f, "two values share unit {unit}"),
            Rule::OtherSteps => write!(f, "a step finds another value than it was made for"),
            Rule::Missing => write!(f, "an instruction is missing or there twice"),
        }
    }
}

/// A value: of a unit at the start of the block, or the result of an instruction there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Start,
    Result(u32),
}

/// A result on its way.
#[derive(Clone, Copy, Debug)]
struct Landing {
    at: u32,
    bypass: Bypass,
    symbol: Symbol,
    register: Register,
    bundle: usize,
}

/// A decoded instruction at its time.
#[derive(Clone, Copy, Debug)]
struct Issued<'a> {
    /// Index into the block.
    inst: u32,
    at: u32,
    accesses: &'a Accesses,
}

/// An instruction of a bundle, and its registers and ports.
#[derive(Clone, Debug)]
struct DecodedSlot {
    slot: Slot,
    instruction: SlotInstruction,
    accesses: Accesses,
}

/// A function as it was before scheduling and as it is in memory.
#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    pub isa: &'a CoreIsa,
    /// The blocks; of their instructions only those in the order of the program are looked at.
    pub blocks: &'a [CodeBlock],
    pub layout: &'a FunctionLayout,
    /// The function's bytes.
    pub bytes: &'a [u8],
    /// Byte address of the first one.
    pub address: u32,
    pub source: Op,
}

/// A bundle as it is in memory.
#[derive(Clone, Debug)]
struct DecodedBundle {
    address: u32,
    /// The block of the function that it is part of.
    block: u32,
    /// The instructions that it should hold.
    insts: Vec<u32>,
    /// Those that it holds.
    slots: Vec<DecodedSlot>,
}

/// A bundle in the order of execution: the instructions that it should hold, counted through all iterations.
type ExecutedBundle<'a> = (Vec<u32>, &'a DecodedBundle);

/// Bundles after which no result is under way any more, and no port held.
const LONGEST: usize = 16;

/// Checks the code of a function, and returns the reads of values to whose registers other results are
/// under way. Loops are checked as what they are when their bundles are executed once, and so often that
/// nothing changes from one time to the next.
pub(super) fn check(function: Checked<'_>) -> Result<Vec<OldRead>, Unsound> {
    let isa = function.isa;
    let mut old_reads = BTreeSet::new();
    let mut decoded: Vec<DecodedBundle> = Vec::new();
    let mut offset = 0_usize;
    for (block, insts) in function.layout.bundles() {
        let address = function.address + offset as u32;
        let unsound = || Unsound {
            address,
            source: function.source,
            rule: Rule::OtherCode,
        };
        let rest = function.bytes.get(offset..).ok_or_else(unsound)?;
        let bundle = isa.decode(rest).map_err(|_| unsound())?;
        offset += usize::from(bundle.length);
        let is_nop = |instruction: &SlotInstruction| {
            let row = &isa.instructions[usize::from(instruction.instruction)];
            row.mnemonic.starts_with("nop")
        };
        let slots = bundle.slots.into_iter();
        let instructions = slots.filter(|(_, instruction)| !is_nop(instruction));
        let slots = instructions.map(|(slot, instruction)| DecodedSlot {
            slot,
            accesses: isa.accesses(&instruction),
            instruction,
        });
        decoded.push(DecodedBundle {
            address,
            block,
            insts: insts.to_vec(),
            slots: slots.collect(),
        });
    }
    let mut first = 0;
    let mut at = 0;
    while at < function.blocks.len() {
        let chain = Chain::new(&function, (&decoded, first), at);
        for times in chain.all_times() {
            let program = chain.program(times);
            let sequence = chain.sequence(times);
            old_reads.extend(check_block(&function, &program, &sequence)?);
        }
        for block in chain.first..chain.first + chain.parts.len() {
            check_loop(&function, function.layout.kernel(block), &decoded)?;
        }
        first += chain
            .parts
            .iter()
            .map(|part| part.bundles.len())
            .sum::<usize>();
        at += chain.parts.len();
    }
    // The end of loops is 0 at first: a count that is set there ends the loop with this very bundle.
    let sets_count = |bundle: &&DecodedBundle| {
        bundle.address == 0 && writes_one_of(&bundle.slots, &[RegisterFile::Lc])
    };
    if decoded.first().filter(sets_count).is_some() {
        return Err(Unsound {
            address: 0,
            source: function.source,
            rule: Rule::LoopSetup,
        });
    }
    Ok(old_reads.into_iter().collect())
}

/// A block in a chain.
struct Part<'a> {
    block: &'a CodeBlock,
    bundles: &'a [DecodedBundle],
    /// The bundles that are repeated, counted from its first one; empty if none are.
    repeated: Range<usize>,
}

impl Part<'_> {
    /// Its own instructions: those before, of and after a loop.
    fn split(&self) -> [Range<usize>; 3] {
        let [lead, tail] = self.block.around;
        let (length, ended) = (self.block.program.len(), self.block.ended);
        [ended..lead, lead..length - tail, length - tail..length]
    }
}

/// A block, or loops in each of which the one before ends, with what is between: they are checked together.
struct Chain<'a> {
    first: usize,
    parts: Vec<Part<'a>>,
}

impl<'a> Chain<'a> {
    /// The chain that begins with a block, whose first bundle has the number `start`.
    fn new(
        function: &Checked<'a>,
        (decoded, start): (&'a [DecodedBundle], usize),
        first: usize,
    ) -> Chain<'a> {
        // The block between two loops, all of which is in the second one, is none of its own.
        let chained = function.blocks[first + 1..].chunks_exact(2);
        let chained = chained.take_while(|pair| pair[1].ended != 0).count();
        let mut passed = start;
        let blocks = function.blocks.iter().enumerate().skip(first);
        let parts = blocks.take(1 + 2 * chained).map(|(at, block)| {
            let rest = &decoded[passed..];
            let own = rest
                .iter()
                .take_while(|bundle| bundle.block as usize == at)
                .count();
            let before = passed;
            passed += own;
            let kernel = function.layout.kernel(at);
            Part {
                block,
                bundles: &rest[..own],
                repeated: kernel.map_or(0..0, |kernel| kernel.start - before..kernel.end - before),
            }
        });
        Chain {
            parts: parts.collect(),
            first,
        }
    }

    /// How often the repeated bundles are executed in the runs that are checked: until nothing changes from one time to the next.
    fn all_times(&self) -> impl Iterator<Item = usize> + use<> {
        let repeated = self.parts.iter().map(|part| part.repeated.len());
        let least = repeated.filter(|length| *length != 0).min();
        let settled = least.map(|length| 2 + LONGEST.div_ceil(length));
        std::iter::once(1).chain(settled)
    }

    /// Iterations of a part whose repeated bundles are executed some times.
    fn iterations(part: &Part<'_>, times: usize) -> usize {
        part.block.stages as usize + times - 1
    }

    /// The instructions one after another.
    fn program(&self, times: usize) -> Vec<Inst> {
        let mut program = Vec::new();
        for part in &self.parts {
            let all = &part.block.program;
            let [before, body, after] = part.split();
            let around = |inst: &Inst| Inst {
                memory: inst.memory.map(Memory::in_any_iteration),
                ..inst.clone()
            };
            program.extend(all[before].iter().map(around));
            for iteration in 0..Chain::iterations(part, times) {
                program.extend(all[body.clone()].iter().map(|inst| Inst {
                    memory: inst.memory.map(|memory| memory.later(iteration as i64)),
                    ..inst.clone()
                }));
            }
            program.extend(all[after].iter().map(around));
        }
        program
    }

    /// The bundles as they are executed, with the places of their instructions in the program.
    fn sequence(&self, times: usize) -> Vec<ExecutedBundle<'a>> {
        let mut sequence: Vec<ExecutedBundle<'a>> = Vec::new();
        // The place of the first iteration of the loop before, its length, and the next iteration of each of its instructions.
        let mut ended = (0, Vec::new(), 0);
        let mut start = 0;
        for part in &self.parts {
            let [before, body, after] = part.split();
            let all = Chain::iterations(part, times);
            let first = start + before.len();
            let mut around = vec![false; part.block.program.len()];
            let mut own = (first, vec![0_usize; body.len()], all);
            let again = std::iter::repeat_n(part.repeated.clone(), times - 1).flatten();
            let order = (0..part.repeated.end).chain(again);
            for index in order.chain(part.repeated.end..part.bundles.len()) {
                let bundle = &part.bundles[index];
                let numbered = bundle.insts.iter().map(|inst| {
                    let place = *inst as usize;
                    let (of_loop, place) = if place < part.block.ended {
                        (&mut ended, place)
                    } else if body.contains(&place) {
                        (&mut own, place - body.start)
                    } else {
                        let is_known = around.get_mut(place);
                        if is_known.is_none_or(|known| std::mem::replace(known, true)) {
                            return u32::MAX;
                        }
                        return if before.contains(&place) {
                            (start + place - before.start) as u32
                        } else {
                            (first + all * body.len() + place - after.start) as u32
                        };
                    };
                    let (first, iterations, all) = of_loop;
                    let length = iterations.len();
                    match iterations.get_mut(place) {
                        Some(next) if *next < *all => {
                            *next += 1;
                            (*first + (*next - 1) * length + place) as u32
                        }
                        _ => u32::MAX,
                    }
                });
                sequence.push((numbered.collect(), bundle));
            }
            start = first + all * body.len() + after.len();
            if !body.is_empty() {
                ended = own;
            }
        }
        sequence
    }
}

/// Whether instructions write a register of one of these files.
fn writes_one_of(slots: &[DecodedSlot], files: &[RegisterFile]) -> bool {
    slots.iter().any(|slot| {
        let mut written = slot.accesses.writes.iter();
        written.any(|write| files.contains(&write.register.file))
    })
}

/// Start and last bundle of a hardware loop begin lines, the latter fills one; it is set up [`MIN_SETUP`] bundles and lines before.
fn check_loop(
    function: &Checked<'_>,
    kernel: Option<Range<usize>>,
    decoded: &[DecodedBundle],
) -> Result<(), Unsound> {
    let Some(kernel) = kernel else { return Ok(()) };
    let address = |at: usize| decoded.get(at).map(|bundle| bundle.address);
    let (first, last) = (address(kernel.start), address(kernel.end - 1));
    let next = address(kernel.end).unwrap_or(function.address + function.layout.size);
    let lines = first.into_iter().chain(last).chain([next]);
    let broken = lines
        .into_iter()
        .find(|address| !address.is_multiple_of(LINE));
    let is_short = last.is_none_or(|last| last + LINE != next);
    let files = [RegisterFile::Ls, RegisterFile::Le, RegisterFile::Lc];
    let before = decoded.get(..kernel.start).unwrap_or_default();
    let setup = before
        .iter()
        .rposition(|bundle| writes_one_of(&bundle.slots, &files));
    if let Some((setup, last)) = setup.zip(last) {
        let address = decoded[setup].address;
        let bundles = kernel.end - 1 - setup;
        if bundles < MIN_SETUP as usize || last / LINE - address / LINE < MIN_SETUP {
            return Err(Unsound {
                address,
                source: function.source,
                rule: Rule::LoopSetup,
            });
        }
    }
    match broken.or(last.filter(|_| is_short)) {
        None => Ok(()),
        Some(address) => Err(Unsound {
            address,
            source: function.source,
            rule: Rule::Alignment,
        }),
    }
}

fn check_block(
    function: &Checked<'_>,
    program: &[Inst],
    bundles: &[ExecutedBundle<'_>],
) -> Result<BTreeSet<OldRead>, Unsound> {
    let isa = function.isa;
    let address = |at: usize| bundles.get(at).map(|(_, bundle)| bundle.address);
    let start = address(0).unwrap_or(function.address);
    let unsound = |bundle: usize, inst: Option<u32>, rule: Rule| Unsound {
        address: address(bundle).unwrap_or(start),
        source: inst
            .and_then(|inst| program.get(inst as usize))
            .map_or(function.source, |inst| inst.source),
        rule,
    };
    // One after another.
    let meant: Vec<Accesses> = program
        .iter()
        .map(|inst| isa.accesses(&slot_instruction(inst, |_| 0)))
        .collect();
    let mut now = vec![Symbol::Start; UNITS];
    // Units that instructions read, with their values; those of one instruction are together.
    let mut read: Vec<(Unit, Symbol)> = Vec::new();
    let mut reads_end: Vec<usize> = Vec::with_capacity(program.len() + 1);
    reads_end.push(0);
    for (index, accesses) in meant.iter().enumerate() {
        for access in accesses
            .reads
            .iter()
            .filter(|access| !gathers(access.register))
        {
            for unit in units(isa.arch, access.register) {
                read.push((unit, now[usize::from(unit)]));
            }
        }
        reads_end.push(read.len());
        for access in accesses
            .writes
            .iter()
            .filter(|access| !gathers(access.register))
        {
            for unit in units(isa.arch, access.register) {
                now[usize::from(unit)] = Symbol::Result(index as u32);
            }
        }
    }
    // As bundles.
    let mut issued: Vec<Issued<'_>> = Vec::with_capacity(program.len());
    let mut seen = vec![false; program.len()];
    for (at, (insts, bundle)) in bundles.iter().enumerate() {
        if insts.len() != bundle.slots.len() {
            return Err(unsound(at, None, Rule::OtherCode));
        }
        for inst in insts {
            let Some(seen) = seen.get_mut(*inst as usize) else {
                return Err(unsound(at, None, Rule::OtherCode));
            };
            if std::mem::replace(seen, true) {
                return Err(unsound(at, Some(*inst), Rule::Missing));
            }
            let expected = &meant[*inst as usize];
            let matching = bundle.slots.iter().find(|slot| {
                same_operation(isa, &program[*inst as usize], &slot.instruction)
                    && same_registers(expected, &slot.accesses)
            });
            let Some(slot) = matching else {
                return Err(unsound(at, Some(*inst), Rule::OtherCode));
            };
            issued.push(Issued {
                inst: *inst,
                at: at as u32,
                accesses: &slot.accesses,
            });
        }
    }
    if let Some(missing) = seen.iter().position(|seen| !seen) {
        return Err(unsound(0, Some(missing as u32), Rule::Missing));
    }
    let end = bundles.len() as u32;
    let mut landings: Vec<Vec<Landing>> = vec![Vec::new(); UNITS];
    for one in &issued {
        for write in &one.accesses.writes {
            if gathers(write.register) {
                continue;
            }
            let at = one.at + u32::from(write.cycle);
            if at > end {
                return Err(unsound(one.at as usize, Some(one.inst), Rule::LandsLate));
            }
            for unit in units(isa.arch, write.register) {
                landings[usize::from(unit)].push(Landing {
                    at,
                    bypass: write.bypass,
                    symbol: Symbol::Result(one.inst),
                    register: write.register,
                    bundle: one.at as usize,
                });
            }
        }
    }
    for (unit, landings) in landings.iter_mut().enumerate() {
        landings.sort_by_key(|landing| landing.at);
        for pair in landings.windows(2) {
            if pair[0].at == pair[1].at && pair[0].symbol != pair[1].symbol {
                let rule = Rule::SameCycle(pair[1].register);
                return Err(unsound(pair[1].bundle, None, rule));
            }
        }
        let last = landings
            .last()
            .map_or(Symbol::Start, |landing| landing.symbol);
        if last != now[unit] {
            let bundle = landings.last().map_or(0, |landing| landing.bundle);
            return Err(unsound(bundle, None, Rule::OtherResult(unit as Unit)));
        }
    }
    let waited = cycles_waited(isa, program, bundles);
    let mut old_reads = BTreeSet::new();
    for one in &issued {
        for access in one
            .accesses
            .reads
            .iter()
            .filter(|access| !gathers(access.register))
        {
            let at = one.at + u32::from(access.cycle) - 1;
            if at > end {
                return Err(unsound(one.at as usize, Some(one.inst), Rule::LandsLate));
            }
            for unit in units(isa.arch, access.register) {
                let has_landed = |landing: &&Landing| {
                    let early = access.bypass != Bypass::None && access.bypass == landing.bypass;
                    landing.at <= at + u32::from(early)
                };
                let landings = &landings[usize::from(unit)];
                let is_under_way =
                    |landing: &Landing| landing.bundle < one.at as usize && !has_landed(&landing);
                if landings.iter().any(is_under_way) {
                    old_reads.insert(OldRead {
                        address: bundles[one.at as usize].1.address,
                        register: access.register.to_string(),
                    });
                }
                // Results that are under way arrive while the core waits.
                let in_time = |landing: &Landing| Landing {
                    at: (landing.at + waited[landing.bundle])
                        .saturating_sub(waited[one.at as usize]),
                    ..*landing
                };
                let known = landings.iter().rev().find(has_landed);
                let waiting = landings
                    .iter()
                    .rev()
                    .find(|landing| has_landed(&&in_time(landing)));
                let inst = one.inst as usize;
                let mine = &read[reads_end[inst]..reads_end[inst + 1]];
                let is_meant = |found: Option<&Landing>| {
                    let symbol = found.map_or(Symbol::Start, |landing| landing.symbol);
                    mine.contains(&(unit, symbol))
                };
                if !is_meant(known) || !is_meant(waiting) {
                    let rule = Rule::OtherValue(access.register);
                    return Err(unsound(one.at as usize, Some(one.inst), rule));
                }
            }
        }
    }
    check_ports(isa, program, &issued, end)
        .map_err(|(at, inst, rule)| unsound(at as usize, Some(inst), rule))?;
    check_order(isa, program, &issued)
        .map_err(|(at, inst)| unsound(at as usize, Some(inst), Rule::Order))?;
    check_branches(isa, program, &issued, end)
        .map_err(|(at, inst)| unsound(at as usize, Some(inst), Rule::DelaySlot))?;
    // A call returns to the bundle after its delay slots.
    let returns_within = issued.iter().find(|one| {
        let row = &isa.instructions[usize::from(program[one.inst as usize].row)];
        let after = address((one.at + DELAY_SLOTS + 1) as usize);
        row.mnemonic == "jl" && after.is_some_and(|address| !address.is_multiple_of(LINE))
    });
    if let Some(call) = returns_within {
        return Err(unsound(call.at as usize, Some(call.inst), Rule::Alignment));
    }
    let goes_to = bundles.iter().enumerate().find_map(|(at, (_, bundle))| {
        let target = bundle.slots.iter().find_map(|slot| {
            let instruction = &slot.instruction;
            let row = &isa.instructions[usize::from(instruction.instruction)];
            let mut operands = instruction.operands.iter();
            operands.find_map(|operand| match operand {
                Operand::Immediate(target) if row.delay_slots > 0 => Some(*target),
                _ => None,
            })
        })?;
        (!(target as u32).is_multiple_of(LINE)).then_some(at)
    });
    match goes_to {
        Some(at) => Err(unsound(at, None, Rule::Alignment)),
        None => Ok(old_reads),
    }
}

/// Cycles for which the core has waited when each bundle is issued, as an access of memory waits for the store of a part of a
/// word before it (`llvm-aie: AIE2Schedule.td`, `PART_WORD_STORE`).
fn cycles_waited(isa: &CoreIsa, program: &[Inst], bundles: &[ExecutedBundle<'_>]) -> Vec<u32> {
    let (mut waited, mut until) = (0, 0);
    let stores_part = |slot: &DecodedSlot| {
        slot.slot == Slot::LoadA
            && isa.instructions[usize::from(slot.instruction.instruction)].is_store
    };
    let mut all = Vec::with_capacity(bundles.len());
    for (at, (insts, bundle)) in bundles.iter().enumerate() {
        let mut known = insts.iter().filter_map(|inst| program.get(*inst as usize));
        let now = at as u32 + waited;
        if known.any(|inst| inst.memory.is_some()) {
            waited += u32::saturating_sub(until, now);
        }
        all.push(waited);
        if bundle.slots.iter().any(stores_part) {
            until = at as u32 + waited + u32::from(PART_WORD_BUNDLES);
        }
    }
    all
}

/// Whether a decoded instruction is an instruction of the program, in whichever slot.
fn same_operation(isa: &CoreIsa, inst: &Inst, decoded: &SlotInstruction) -> bool {
    let is = |inst: &Inst| {
        let meant = slot_instruction(inst, |_| 0);
        inst.row == decoded.instruction
            && meant.operands.len() == decoded.operands.len()
            && meant
                .operands
                .iter()
                .zip(&decoded.operands)
                .zip(&inst.operands)
                .all(|((a, b), value)| {
                    let is_known = matches!(
                        value,
                        super::frame::Value::Register(_) | super::frame::Value::Immediate(_)
                    );
                    a == b || !is_known
                })
    };
    is(inst) || super::alternatives::alternatives(isa, inst).iter().any(is)
}

/// Whether two instructions read and write the same registers.
fn same_registers(a: &Accesses, b: &Accesses) -> bool {
    let reads = |accesses: &Accesses, register: Register| {
        accesses
            .reads
            .iter()
            .any(|access| access.register == register)
    };
    let writes = |accesses: &Accesses, register: Register| {
        accesses
            .writes
            .iter()
            .any(|access| access.register == register)
    };
    a.reads.iter().all(|access| reads(b, access.register))
        && b.reads.iter().all(|access| reads(a, access.register))
        && a.writes.iter().all(|access| writes(b, access.register))
        && b.writes.iter().all(|access| writes(a, access.register))
}

fn check_ports(
    isa: &CoreIsa,
    program: &[Inst],
    issued: &[Issued<'_>],
    end: u32,
) -> Result<(), (u32, u32, Rule)> {
    let ends =
        |inst: u32| isa.instructions[usize::from(program[inst as usize].row)].mnemonic == "done";
    let mut held: FxHashMap<(u8, u32), u32> = FxHashMap::default();
    for one in issued {
        for (port, first, last) in &one.accesses.ports {
            // Nothing comes after `done`, which holds its unit for longer.
            if one.at + u32::from(*last) >= end && !ends(one.inst) {
                return Err((one.at, one.inst, Rule::LandsLate));
            }
            for cycle in *first..=*last {
                let taken = held.insert((*port, one.at + u32::from(cycle)), one.inst);
                if taken.is_some_and(|other| other != one.inst) {
                    let name = isa.timing.ports.get(usize::from(*port)).copied();
                    return Err((one.at, one.inst, Rule::Port(name.unwrap_or_default())));
                }
            }
        }
    }
    Ok(())
}

/// Whether a row is a lock operation, and whether it acquires.
fn lock(isa: &CoreIsa, inst: &Inst) -> Option<bool> {
    let mnemonic = isa.instructions[usize::from(inst.row)].mnemonic;
    match mnemonic.split('.').next() {
        Some("acq") => Some(true),
        Some("rel") => Some(false),
        _ => None,
    }
}

/// The bytes of an object that an access may touch, as its name and a range.
fn touched(memory: Memory) -> (Option<(bool, u32)>, Option<Range<i64>>) {
    match memory {
        Memory::Any => (None, None),
        Memory::Object(access) => {
            let object = access.object.map(|object| (false, object));
            let range = access.offset.map(|at| at..at + i64::from(access.bytes));
            (object, range)
        }
        Memory::Spill(slot, at, bytes) => {
            let range = i64::from(at)..i64::from(at + bytes);
            (Some((true, slot.0)), Some(range))
        }
    }
}

/// Whether two accesses have no byte in common in any iteration.
pub(super) fn apart(a: Memory, b: Memory) -> bool {
    let is_spill = |memory| matches!(memory, Memory::Spill(..));
    if is_spill(a) != is_spill(b) {
        return true;
    }
    if let (Memory::Object(a), Memory::Object(b)) = (a, b)
        && let (Some(x), Some(y)) = (a.walk, b.walk)
        && (x.base, x.stride) == (y.base, y.stride)
        && (x.offset + i64::from(a.bytes) <= y.offset || y.offset + i64::from(b.bytes) <= x.offset)
    {
        return true;
    }
    let ((a, a_range), (b, b_range)) = (touched(a), touched(b));
    match (a, b) {
        (Some(a), Some(b)) if a != b => {
            let is_outside = |(is_spill, object): (bool, u32)| {
                !is_spill && (object == OUTSIDE || object >= FIRST_OUTSIDE)
            };
            let has_all = [a, b].contains(&(false, OUTSIDE));
            !(has_all && is_outside(a) && is_outside(b))
        }
        (Some(_), Some(_)) => match (a_range, b_range) {
            (Some(a), Some(b)) => a.end <= b.start || b.end <= a.start,
            _ => false,
        },
        _ => false,
    }
}

fn check_order(isa: &CoreIsa, program: &[Inst], issued: &[Issued<'_>]) -> Result<(), (u32, u32)> {
    let mut times = vec![0_u32; program.len()];
    let mut stages = vec![(0_u32, 0_u32); program.len()];
    for one in issued {
        times[one.inst as usize] = one.at;
        let first = one.accesses.stages.first().copied().unwrap_or(0);
        let last = one.accesses.stages.last().copied().unwrap_or(0);
        stages[one.inst as usize] = (u32::from(first), u32::from(last));
    }
    let timing = &isa.timing;
    let kinds: Vec<_> = program
        .iter()
        .enumerate()
        .filter_map(|(at, inst)| {
            let lock = lock(isa, inst);
            (lock.is_some() || inst.memory.is_some()).then_some((at, lock, inst.memory))
        })
        .collect();
    let stores = |at: usize| isa.instructions[usize::from(program[at].row)].is_store;
    // Bundles after which an access and any later one are in their order.
    let far = kinds.iter().map(|(at, ..)| {
        let (first, last) = stages[*at];
        let lock = timing
            .before_lock(last as u8)
            .max(timing.after_lock(first as u8));
        u32::from(lock).max(last + 1)
    });
    let far = far.max().unwrap_or(0);
    // The last bundle of each access and of those before it.
    let latest = kinds.iter().scan(0, |latest, (at, ..)| {
        *latest = times[*at].max(*latest);
        Some(*latest)
    });
    let latest: Vec<u32> = latest.collect();
    for (place, (second, second_lock, second_memory)) in kinds.iter().enumerate() {
        let near = (0..place)
            .rev()
            .take_while(|first| latest[*first] + far > times[*second]);
        for (first, first_lock, first_memory) in near.map(|first| &kinds[first]) {
            let (early, late) = (times[*first], times[*second]);
            let distance = i64::from(late) - i64::from(early);
            let ((first_stage, last_stage), (next_stage, next_last)) =
                (stages[*first], stages[*second]);
            let is_right = match ((first_lock, first_memory), (second_lock, second_memory)) {
                ((Some(_), _), (Some(_), _)) => distance >= 1,
                ((None, Some(_)), (Some(_), _)) => {
                    distance >= i64::from(timing.before_lock(last_stage as u8))
                }
                ((Some(true), _), (None, Some(_))) => {
                    distance >= i64::from(timing.after_lock(next_stage as u8))
                }
                ((Some(false), _), (None, Some(_))) => distance >= 1,
                ((None, Some(a)), (None, Some(b))) => {
                    let reads_only = !stores(*first) && !stores(*second);
                    let (before, after) = (early + last_stage, late + next_stage);
                    reads_only
                        || apart(*a, *b)
                        || if stores(*first) {
                            before < after
                        } else {
                            early + first_stage <= late + next_last && before <= late + next_last
                        }
                }
                _ => true,
            };
            if !is_right {
                return Err((late, *second as u32));
            }
        }
    }
    Ok(())
}

/// Everything of the program before a branch is issued by its last delay slot, everything after it
/// later.
fn check_branches(
    isa: &CoreIsa,
    program: &[Inst],
    issued: &[Issued<'_>],
    end: u32,
) -> Result<(), (u32, u32)> {
    let is_branch =
        |inst: u32| isa.instructions[usize::from(program[inst as usize].row)].delay_slots > 0;
    for branch in issued.iter().filter(|one| is_branch(one.inst)) {
        let leaves = branch.at + DELAY_SLOTS + 1;
        if leaves > end {
            return Err((branch.at, branch.inst));
        }
        for other in issued {
            let written = other.accesses.writes.iter().map(|write| {
                if gathers(write.register) {
                    0
                } else {
                    other.at + u32::from(write.cycle)
                }
            });
            let lands = written.max().unwrap_or(0);
            let is_wrong = if other.inst < branch.inst {
                other.at >= leaves || lands > leaves
            } else if other.inst > branch.inst {
                other.at < leaves
            } else {
                false
            };
            let is_lock = lock(isa, &program[other.inst as usize]).is_some();
            if is_wrong || is_lock && (branch.at..leaves).contains(&other.at) {
                return Err((other.at, other.inst));
            }
        }
    }
    Ok(())
}
