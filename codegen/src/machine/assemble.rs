//! From machine functions to the bytes of a program.

use std::fmt;

use aiec_aie::ir::Op;
use aiec_core::{CoreIsa, EncodeError, OldRead, Register, RegisterFile};
use smallvec::smallvec;

use super::allocate::{Impossible, allocate, allocate_overlapped, written_units};
use super::around_loops::{Joined, join_after, join_before, join_between};
use super::check::{Checked, Rule, Unsound, check};
use super::check_allocation::check_allocation;
use super::check_steps::check_steps;
use super::copies;
use super::frame::{self, Inst, PhysicalFunction, StackLayout, Value};
use super::hardware_loop::{self, HardwareLoop};
use super::hoist;
use super::layout::{self, Addresses, CodeBlock, FunctionLayout, NotEncoded};
use super::moves::Moves;
use super::overlap::LoopTimes;
use super::pipeline::{LoopReport, Pipelined, pipeline};
use super::post_increment;
use super::prepare::{Allocation, save_return_address};
use super::register::Unit;
use super::schedule::{Bundle, Node, Region, first_region, is_call, last_region, schedule_block};
use super::sums;
use super::{BlockId, FunctionId, MachineFunction, MachineOp, MachineOperand, MachineProgram};

/// A function of an assembled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledFunction {
    /// The function.
    pub function: FunctionId,
    /// Its name in listings and debug information.
    pub name: String,
    /// Byte address of its first bundle.
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// Bytes of its own part of the stack.
    pub stack_bytes: u32,
}

/// A hardware loop of an assembled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssembledLoop {
    /// The function.
    pub function: FunctionId,
    /// The block that is repeated.
    pub block: BlockId,
    /// Its schedule.
    pub report: LoopReport,
}

/// The machine code of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledProgram {
    /// Program memory from address 0 on.
    pub bytes: Vec<u8>,
    /// Its functions, in the order of their addresses.
    pub functions: Vec<AssembledFunction>,
    /// The address of each bundle and the operation that it was made for, in order.
    pub sources: Vec<(u32, Op)>,
    /// Its hardware loops.
    pub loops: Vec<AssembledLoop>,
    /// Registers that overlapping iterations read while later results are under way to them.
    pub old_reads: Vec<OldRead>,
    /// Bytes of the stack that are used.
    pub stack_bytes: u32,
    /// The stack pointer, which never moves.
    pub stack_pointer: u32,
}

/// Why there is no machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssembleError {
    /// The program doesn't fit program memory.
    ProgramTooLarge {
        /// Bytes that it has.
        bytes: u32,
        /// Bytes that there are.
        available: u32,
        /// Its functions with their sizes.
        functions: Vec<AssembledFunction>,
    },
    /// The frames of functions that are active together don't fit the stack.
    StackTooSmall {
        /// Bytes that they need.
        bytes: u32,
        /// Bytes that there are.
        available: u32,
        /// The program's functions with the bytes of each.
        functions: Vec<(String, Op, u32)>,
    },
    /// One step needs more registers of a file at once than there are.
    OutOfRegisters {
        /// The function.
        function: String,
        /// The `aie.core` or `func.func`.
        source: Op,
        /// The file.
        file: RegisterFile,
    },
    /// There is no instruction that moves one register to another, or to memory.
    NoMove {
        /// The operation.
        source: Op,
        /// The two registers.
        registers: (Register, Register),
    },
    /// An instruction has an operand that its field can't hold.
    NotEncodable {
        /// The operation.
        source: Op,
        /// The reason.
        error: EncodeError,
    },
    /// The checker refuses the code: a defect of this crate.
    Unsound(Unsound),
    /// Functions call each other in a circle.
    Recursion {
        /// A function of it.
        function: String,
        /// The `func.func`.
        source: Op,
    },
}

impl AssembleError {
    /// The operation that the error is about; none if it is about the program.
    pub fn source(&self) -> Option<Op> {
        match self {
            AssembleError::ProgramTooLarge { .. } | AssembleError::StackTooSmall { .. } => None,
            AssembleError::Unsound(unsound) => Some(unsound.source),
            AssembleError::OutOfRegisters { source, .. }
            | AssembleError::NoMove { source, .. }
            | AssembleError::NotEncodable { source, .. }
            | AssembleError::Recursion { source, .. } => Some(*source),
        }
    }
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssembleError::ProgramTooLarge {
                bytes,
                available,
                functions,
            } => {
                write!(
                    f,
                    "the program has {bytes} bytes, program memory {available}:"
                )?;
                for function in functions {
                    write!(f, " {} {}", function.name, function.size)?;
                }
                Ok(())
            }
            AssembleError::StackTooSmall {
                bytes,
                available,
                functions,
            } => {
                write!(f, "frames take {bytes} bytes, the stack has {available}:")?;
                for (name, _, bytes) in functions {
                    write!(f, " {name} {bytes}")?;
                }
                Ok(())
            }
            AssembleError::OutOfRegisters { function, file, .. } => write!(
                f,
                "an instruction of {function} needs more registers {} than there are",
                file.prefix()
            ),
            AssembleError::NoMove { registers, .. } => {
                write!(f, "no instruction moves {} to {}", registers.1, registers.0)
            }
            AssembleError::NotEncodable { error, .. } => error.fmt(f),
            AssembleError::Unsound(unsound) => unsound.fmt(f),
            AssembleError::Recursion { function, .. } => write!(f, "{function} calls itself"),
        }
    }
}

/// The functions that each one calls.
fn callees_of(program: &MachineProgram) -> Vec<Vec<usize>> {
    let of = |function: &MachineFunction| {
        let mut called: Vec<usize> = function
            .blocks
            .iter()
            .flat_map(|block| &block.insts)
            .flat_map(|inst| &inst.operands)
            .filter_map(|operand| match operand {
                MachineOperand::Function(function) => Some(function.0 as usize),
                _ => None,
            })
            .filter(|called| *called < program.functions.len())
            .collect();
        called.sort_unstable();
        called.dedup();
        called
    };
    program.functions.iter().map(of).collect()
}

/// Functions with callers before those that they call; the index of one in a circle otherwise.
fn callers_first(callees: &[Vec<usize>]) -> Result<Vec<usize>, usize> {
    let mut callers = vec![0_usize; callees.len()];
    for callee in callees.iter().flatten() {
        callers[*callee] += 1;
    }
    let mut order: Vec<usize> = (0..callees.len()).filter(|at| callers[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        for callee in &callees[at] {
            callers[*callee] -= 1;
            if callers[*callee] == 0 {
                order.push(*callee);
            }
        }
    }
    match callers.iter().position(|count| *count != 0) {
        Some(circle) => Err(circle),
        None => Ok(order),
    }
}

/// Makes the machine code of a program. Iterations of its loops overlap, unless it fits program memory without
/// that only: each such loop has parts of iterations before and after it.
///
/// # Errors
/// It doesn't fit, or holds something that no instruction does.
pub fn assemble(program: &MachineProgram) -> Result<AssembledProgram, AssembleError> {
    let isa = CoreIsa::of(program.arch);
    let scheduled = schedule_program(program, true)?;
    let overlaps = scheduled.loops.iter().any(|found| found.report.overlaps);
    match write(isa, program, &scheduled) {
        Err(AssembleError::ProgramTooLarge { .. }) if overlaps => {
            write(isa, program, &schedule_program(program, false)?)
        }
        assembled => assembled,
    }
}

/// A program in bundles.
#[derive(Clone, Debug)]
pub(super) struct Scheduled {
    /// The blocks of each function.
    pub blocks: Vec<Vec<CodeBlock>>,
    pub stack: StackLayout,
    loops: Vec<AssembledLoop>,
}

/// Gives a program registers, places in its stack, and an order; iterations of its loops may `overlap`.
pub(super) fn schedule_program(
    program: &MachineProgram,
    overlap: bool,
) -> Result<Scheduled, AssembleError> {
    let isa = CoreIsa::of(program.arch);
    let callees = callees_of(program);
    let order = callers_first(&callees).map_err(|circle| AssembleError::Recursion {
        function: program.functions[circle].name.clone(),
        source: program.functions[circle].source,
    })?;
    let mut destroyed = vec![Vec::new(); program.functions.len()];
    let mut loops = vec![Vec::new(); program.functions.len()];
    let mut allocations: Vec<Option<Allocation>> = vec![None; program.functions.len()];
    let mut times = vec![Vec::new(); program.functions.len()];
    for at in order.iter().rev() {
        let mut function = program.functions[*at].clone();
        copies::propagate(isa, &mut function);
        hoist::hoist(isa, &mut function);
        post_increment::fold(isa, &mut function);
        let unjoined = cfg!(debug_assertions).then(|| function.clone());
        sums::join(isa, &mut function);
        sums::spread(isa, &mut function);
        if let Some(unjoined) = unjoined {
            for (block, data) in function.blocks.iter().enumerate() {
                let order: Vec<usize> = (0..data.insts.len()).collect();
                confirm_steps(isa, &unjoined, &function, block, &order)?;
            }
        }
        save_return_address(isa, &mut function, *at != 0);
        loops[*at] = hardware_loop::convert(isa, &mut function);
        if !overlap {
            for found in loops[*at].iter_mut().flatten() {
                found.trips = None;
            }
        }
        let out_of_registers = |file| AssembleError::OutOfRegisters {
            function: program.functions[*at].name.clone(),
            source: program.functions[*at].source,
            file,
        };
        let (allocation, found) = allocate_held(isa, function, &destroyed, &loops[*at])
            .map_err(|impossible| out_of_registers(impossible.file))?;
        times[*at] = found;
        if cfg!(debug_assertions) {
            for (block, found) in times[*at].iter().enumerate() {
                let Some(found) = found else { continue };
                let mut unordered = allocation.function.clone();
                unordered.blocks[block].insts.clone_from(&found.unordered);
                confirm_steps(isa, &unordered, &allocation.function, block, &found.order)?;
            }
            check_allocation(isa, &allocation, &destroyed).map_err(|wrong| {
                AssembleError::Unsound(Unsound {
                    address: wrong.block as u32,
                    source: allocation.function.blocks[wrong.block].insts[wrong.step].source,
                    rule: Rule::Allocation(wrong.unit),
                })
            })?;
        }
        destroyed[*at] = written_units(isa, &allocation, &destroyed);
        allocations[*at] = Some(allocation);
    }
    let mut functions = Vec::with_capacity(program.functions.len());
    for (at, allocation) in allocations.iter().flatten().enumerate() {
        let function =
            frame::physical(isa, allocation, at == 0).map_err(|missing| AssembleError::NoMove {
                source: missing.source,
                registers: missing.registers,
            })?;
        functions.push(function);
    }
    let stack = frame::lay_out(&functions, &order, &callees, program.stack);
    if stack.bytes > program.stack_bytes {
        let named = program.functions.iter().zip(&stack.own_bytes);
        return Err(AssembleError::StackTooSmall {
            bytes: stack.bytes,
            available: program.stack_bytes,
            functions: named
                .map(|(function, bytes)| (function.name.clone(), function.source, *bytes))
                .collect(),
        });
    }
    set_stack_pointer(isa, program, &mut functions, &stack);
    let mut scheduled = Vec::with_capacity(functions.len());
    let mut reports = Vec::new();
    let known = loops.iter().zip(&times);
    for (at, (physical, (loops, times))) in functions.into_iter().zip(known).enumerate() {
        let (blocks, found) = schedule(isa, physical, loops, times);
        scheduled.push(blocks);
        reports.extend(found.into_iter().map(|(block, report)| AssembledLoop {
            function: FunctionId(at as u32),
            block,
            report,
        }));
    }
    Ok(Scheduled {
        blocks: scheduled,
        stack,
        loops: reports,
    })
}

/// Checks that the steps of a block read the values that they read before.
fn confirm_steps(
    isa: &CoreIsa,
    before: &MachineFunction,
    after: &MachineFunction,
    block: usize,
    order: &[usize],
) -> Result<(), AssembleError> {
    check_steps(isa, before, after, block, order).map_err(|step| {
        let found = after.blocks[block].insts.get(step);
        AssembleError::Unsound(Unsound {
            address: block as u32,
            source: found.map_or(after.source, |inst| inst.source),
            rule: Rule::OtherSteps,
        })
    })
}

/// Sets the stack pointer at the start of the first function, if anything is on the stack.
fn set_stack_pointer(
    isa: &'static CoreIsa,
    program: &MachineProgram,
    functions: &mut [PhysicalFunction],
    stack: &StackLayout,
) {
    let sp = Register::new(RegisterFile::Sp, 0);
    let constant = Moves::of(isa.arch).constant(sp, stack.pointer as i32);
    let uses_stack = stack.bytes != 0;
    let (Some((row, place)), Some(first)) = (constant, functions.first_mut()) else {
        return;
    };
    let Some(entry) = first.blocks.first_mut().filter(|_| uses_stack) else {
        return;
    };
    let (register, pointer) = (Value::Register(sp), Value::Immediate(stack.pointer as i32));
    entry.insts.insert(
        0,
        Inst {
            row,
            operands: if place == 0 {
                smallvec![register, pointer]
            } else {
                smallvec![pointer, register]
            },
            reads: smallvec![],
            clobbers: smallvec![],
            memory: None,
            source: program.functions[0].source,
        },
    );
}

/// Allocates registers so that iterations of loops can overlap, if that takes no spill code in them. The schedules of loops that
/// were found for it are by block.
fn allocate_held(
    isa: &'static CoreIsa,
    mut function: MachineFunction,
    destroyed: &[Vec<Unit>],
    loops: &[Option<HardwareLoop>],
) -> Result<(Allocation, Vec<Option<LoopTimes>>), Impossible> {
    let held: Vec<bool> = loops
        .iter()
        .map(|found| found.is_some_and(|found| found.trips.is_some()))
        .collect();
    if !held.contains(&true) {
        return Ok((allocate(isa, function, destroyed, &[])?, Vec::new()));
    }
    // Nothing is held before loops whose registers are shared.
    let mut shared = function.clone();
    for at in (0..held.len()).filter(|at| held[*at]) {
        let before = &mut shared.blocks[at - 1].insts;
        if let Some(hold) = before.iter().rposition(|inst| inst.op == MachineOp::Hold) {
            before.remove(hold);
        }
    }
    if let Some(found) = allocate_overlapped(isa, shared.clone(), destroyed, loops) {
        return Ok(found);
    }
    if let Ok(allocation) = allocate(isa, function.clone(), destroyed, &held) {
        let blocks = allocation.function.blocks.iter().zip(&function.blocks);
        let mut in_loops = blocks.zip(&held).filter(|(_, held)| **held);
        if in_loops.all(|((after, before), _)| after.insts.len() == before.insts.len()) {
            return Ok((allocation, Vec::new()));
        }
    }
    function = shared;
    Ok((allocate(isa, function, destroyed, &[])?, Vec::new()))
}

/// Schedules the blocks of a function, of which some are bodies of hardware loops.
fn schedule(
    isa: &CoreIsa,
    physical: PhysicalFunction,
    loops: &[Option<HardwareLoop>],
    times: &[Option<LoopTimes>],
) -> (Vec<CodeBlock>, Vec<(BlockId, LoopReport)>) {
    let mut is_target = vec![false; physical.blocks.len()];
    let insts = physical.blocks.iter().flat_map(|block| &block.insts);
    for value in insts.flat_map(|inst| &inst.operands) {
        if let Value::Block(block) = value
            && let Some(target) = is_target.get_mut(block.0 as usize)
        {
            *target = true;
        }
    }
    let (mut blocks, steps): (Vec<Vec<Inst>>, Vec<Vec<u32>>) = physical
        .blocks
        .into_iter()
        .map(|block| (block.insts, block.steps))
        .unzip();
    let mut overlapped: Vec<Option<Pipelined>> = vec![None; blocks.len()];
    let mut reports = Vec::new();
    for (at, found) in loops.iter().enumerate() {
        let Some(HardwareLoop { trips }) = found else {
            continue;
        };
        let known = times.get(at).and_then(Option::as_ref).and_then(|times| {
            let steps = steps[at].iter().map(|step| times.steps[*step as usize]);
            Some((times.report, steps.collect::<Option<Vec<_>>>()?))
        });
        match pipeline(isa, &blocks[at], *trips, known) {
            Ok(pipelined) => {
                reports.push((BlockId(at as u32), pipelined.report));
                let count = trips.unwrap_or(0) + 1 - pipelined.report.stages;
                if set_count(isa, &mut blocks[at - 1], count as i32) {
                    overlapped[at] = Some(pipelined);
                }
            }
            Err(report) => reports.push((BlockId(at as u32), report)),
        }
    }
    let joined = join_loops(isa, &blocks, loops, &overlapped, &is_target);
    let overlapped_loops = |at: usize| Some((&blocks[at][..], overlapped[at].as_ref()?));
    let mut scheduled: Vec<CodeBlock> = Vec::with_capacity(blocks.len());
    for (at, insts) in blocks.iter().enumerate() {
        if let Some(overlapped) = &overlapped[at] {
            let JoinedLoop {
                before,
                after,
                follows,
            } = &joined[at];
            let taken_before = before.as_ref().map(|(count, joined)| {
                let insts = &blocks[at - 1];
                (&insts[insts.len() - count..], joined)
            });
            let taken_after = after.as_ref().map(|(count, joined)| {
                let insts = &blocks[at + 1];
                (&insts[..*count], joined)
            });
            let ended = at.checked_sub(2).filter(|_| *follows);
            let ended = ended.and_then(overlapped_loops);
            let block = loop_block(isa, ended, (insts, overlapped), taken_before, taken_after);
            scheduled.push(if joined.get(at + 2).is_some_and(|next| next.follows) {
                // These bundles are part of the next loop.
                CodeBlock {
                    epilogue: Vec::new(),
                    ..block
                }
            } else {
                block
            });
            continue;
        }
        let first = at
            .checked_sub(1)
            .and_then(|before| joined[before].after.as_ref());
        let last = joined.get(at + 1).and_then(|next| next.before.as_ref());
        let [first, last] = [first, last].map(|of| of.map_or(0, |(count, _)| *count));
        let own = &insts[first..insts.len() - last];
        let is_target = match first.checked_sub(1) {
            None => is_target[at],
            Some(end) => is_call(isa, &insts[end]),
        };
        let mut chosen = own.to_vec();
        let mut regions = schedule_block(isa, &mut chosen, is_target);
        if last != 0 && !own.is_empty() {
            // A call returns to what is part of the loop.
            regions.push(Region {
                bundles: Vec::new(),
                is_target: true,
            });
        }
        scheduled.push(CodeBlock {
            program: own.to_vec(),
            regions,
            insts: chosen,
            is_loop: loops[at].is_some(),
            prologue: Vec::new(),
            epilogue: Vec::new(),
            first: 0,
            ended: 0,
            around: [0; 2],
            stages: 1,
            is_exact: false,
        });
    }
    (scheduled, reports)
}

/// Instructions of the blocks before and after a loop that are issued together with it: their number, and the bundles.
#[derive(Default)]
struct JoinedLoop {
    before: Option<(usize, Joined)>,
    after: Option<(usize, Joined)>,
    /// Whether the loop before ends among the bundles before this one.
    follows: bool,
}

/// Joins loops whose iterations overlap with the last region of the block before, and the first one of the block after it.
fn join_loops(
    isa: &CoreIsa,
    blocks: &[Vec<Inst>],
    loops: &[Option<HardwareLoop>],
    all: &[Option<Pipelined>],
    is_target: &[bool],
) -> Vec<JoinedLoop> {
    let is_plain = |at: usize| loops.get(at).is_none_or(Option::is_none);
    let nodes =
        |insts: &[Inst]| -> Vec<Node> { insts.iter().map(|inst| Node::new(isa, inst)).collect() };
    let mut joined: Vec<JoinedLoop> = Vec::with_capacity(blocks.len());
    for (at, overlapped) in all.iter().enumerate() {
        let mut found = JoinedLoop::default();
        let Some(overlapped) = overlapped else {
            joined.push(found);
            continue;
        };
        if let Some(before) = at.checked_sub(1).filter(|before| is_plain(*before)) {
            let insts = &blocks[before];
            let ended = before.checked_sub(1).filter(|_| !is_target[before]);
            let ended = ended.and_then(|ended| all[ended].as_ref());
            let between = ended.and_then(|ended| {
                let joined = join_between(isa, ended, &nodes(insts), overlapped)?;
                Some((insts.len(), joined))
            });
            found.follows = between.is_some();
            found.before = between.or_else(|| {
                let insts = &insts[last_region(isa, insts)..];
                Some((insts.len(), join_before(isa, &nodes(insts), overlapped)?))
            });
        }
        joined.push(found);
    }
    for (at, overlapped) in all.iter().enumerate() {
        let Some(overlapped) = overlapped else {
            continue;
        };
        let Some(after) = blocks.get(at + 1) else {
            continue;
        };
        if !is_plain(at + 1) || is_target[at + 1] {
            continue;
        }
        let count = first_region(isa, after);
        // The next loop keeps its share of the block.
        let next = joined.get(at + 2).and_then(|next| next.before.as_ref());
        if next.is_none_or(|(taken, _)| count + taken <= after.len()) {
            let found = join_after(isa, &nodes(&after[..count]), overlapped);
            joined[at].after = found.map(|joined| (count, joined));
        }
    }
    joined
}

/// The block of a loop whose iterations overlap, with what is issued together with it before and after it.
fn loop_block(
    isa: &CoreIsa,
    ended: Option<(&[Inst], &Pipelined)>,
    (own, overlapped): (&[Inst], &Pipelined),
    before: Option<(&[Inst], &Joined)>,
    after: Option<(&[Inst], &Joined)>,
) -> CodeBlock {
    let insts_of =
        |of: Option<(&[Inst], &Joined)>| of.map_or(Vec::new(), |(insts, _)| insts.to_vec());
    let chosen = |of: Option<(&[Inst], &Joined)>| -> Vec<Inst> {
        let Some((insts, joined)) = of else {
            return Vec::new();
        };
        let each = insts.iter().zip(&joined.forms);
        each.map(|(inst, form)| {
            let other = Node::new(isa, inst).forms[usize::from(*form)].other.clone();
            other.unwrap_or_else(|| inst.clone())
        })
        .collect()
    };
    let (ended, ended_chosen) = match ended {
        Some((insts, overlapped)) => (insts.to_vec(), overlapped.insts.clone()),
        None => (Vec::new(), Vec::new()),
    };
    let lead = ended.len() + before.map_or(0, |(insts, _)| insts.len());
    let shifted = |bundles: &[Bundle]| -> Vec<Bundle> {
        let shift = |bundle: &Bundle| bundle.iter().map(|inst| inst + lead as u32).collect();
        bundles.iter().map(shift).collect()
    };
    CodeBlock {
        ended: ended.len(),
        program: [ended, insts_of(before), own.to_vec(), insts_of(after)].concat(),
        insts: [
            ended_chosen,
            chosen(before),
            overlapped.insts.clone(),
            chosen(after),
        ]
        .concat(),
        regions: vec![Region {
            bundles: shifted(&overlapped.kernel),
            is_target: true,
        }],
        is_loop: true,
        prologue: match before {
            Some((_, joined)) => joined.bundles.clone(),
            None => shifted(&overlapped.prologue),
        },
        epilogue: shifted(match after {
            Some((_, joined)) => &joined.bundles,
            None => &overlapped.epilogue,
        }),
        first: before.map_or(0, |(_, joined)| joined.first),
        around: [lead, after.map_or(0, |(insts, _)| insts.len())],
        stages: overlapped.report.stages,
        is_exact: true,
    }
}

/// Sets the count of the hardware loop that a block sets up last to another constant.
fn set_count(isa: &CoreIsa, block: &mut [Inst], count: i32) -> bool {
    let is_count = |inst: &&mut Inst| {
        let mut operands = inst.operands.iter();
        hardware_loop::is_setup(isa, inst)
            && operands.any(|operand| {
                matches!(operand, Value::Register(register) if register.file == RegisterFile::Lc)
            })
    };
    let found = block.iter_mut().rev().find(is_count);
    let value = found.and_then(|inst| {
        let mut operands = inst.operands.iter_mut();
        operands.find(|operand| matches!(operand, Value::Immediate(_)))
    });
    match value {
        Some(value) => {
            *value = Value::Immediate(count);
            true
        }
        None => false,
    }
}

/// Lays out and encodes scheduled functions.
pub(super) fn write(
    isa: &CoreIsa,
    program: &MachineProgram,
    scheduled: &Scheduled,
) -> Result<AssembledProgram, AssembleError> {
    let Scheduled {
        blocks: scheduled,
        stack,
        loops,
    } = scheduled;
    let layouts: Vec<FunctionLayout> = scheduled
        .iter()
        .map(|blocks| layout::lay_out(isa, blocks))
        .collect();
    let mut addresses = Vec::with_capacity(layouts.len());
    let mut end = 0;
    for layout in &layouts {
        addresses.push(end);
        end += layout.size;
    }
    let functions: Vec<AssembledFunction> = program
        .functions
        .iter()
        .enumerate()
        .map(|(at, function)| AssembledFunction {
            function: FunctionId(at as u32),
            name: function.name.clone(),
            address: addresses[at],
            size: layouts[at].size,
            stack_bytes: stack.own_bytes[at],
        })
        .collect();
    if end > program.program_bytes {
        return Err(AssembleError::ProgramTooLarge {
            bytes: end,
            available: program.program_bytes,
            functions,
        });
    }
    let mut bytes = Vec::with_capacity(end as usize);
    let mut sources = Vec::new();
    let mut old_reads = Vec::new();
    for (at, (layout, blocks)) in layouts.iter().zip(scheduled).enumerate() {
        let of_stack = |value: Value| stack.value(at, value);
        let places = Addresses {
            functions: &addresses,
            function: at,
            stack: &of_stack,
            source: program.functions[at].source,
        };
        layout::encode(
            isa,
            layout,
            blocks,
            &places,
            &mut bytes,
            |address, source| sources.push((address, source)),
        )
        .map_err(|NotEncoded { source, error }| AssembleError::NotEncodable { source, error })?;
        let overlaps = blocks.iter().any(|block| block.stages > 1);
        if overlaps || cfg!(debug_assertions) {
            let checked = check(Checked {
                isa,
                blocks,
                layout,
                bytes: &bytes[addresses[at] as usize..],
                address: addresses[at],
                source: places.source,
            });
            old_reads.extend(checked.map_err(AssembleError::Unsound)?);
        }
    }
    Ok(AssembledProgram {
        bytes,
        functions,
        sources,
        loops: loops.clone(),
        old_reads,
        stack_bytes: stack.bytes,
        stack_pointer: stack.pointer,
    })
}
