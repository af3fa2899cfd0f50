//! Steps of loops that compute the same in each iteration, moved in front of them: what selection makes of one
//! operation may do so where the operation itself doesn't, as halves of a vector that all iterations multiply by.

use std::ops::Range;

use aiec_core::{CoreIsa, RegisterFile};
use rustc_hash::{FxHashMap, FxHashSet};

use super::liveness::{AccessedUnits, all_lanes, places};
use super::moves::Moves;
use super::prepare::virtual_of;
use super::schedule::{Effect, effect_of};
use super::{
    BlockId, MachineBlock, MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister,
};

/// Constants of locks that are set before a loop for what follows it.
const MAX_LOCK_VALUES: usize = 2;

/// Constants of a loop around others that are set before it: beside its own values and those of the loops in it there is room for these.
const MAX_NEST_CONSTANTS: usize = 12;

/// Registers of a file that values of a whole loop may take at most, so that its own values keep enough.
fn max_hoisted(file: RegisterFile) -> usize {
    match file {
        RegisterFile::R => 8,
        RegisterFile::X => 4,
        RegisterFile::S => 2,
        _ => 1,
    }
}

/// Whether a step computes something and does nothing else.
fn is_pure(isa: &CoreIsa, inst: &MachineInst) -> bool {
    match inst.op {
        MachineOp::Copy => true,
        MachineOp::Row(index) => {
            let row = &isa.instructions[usize::from(index)];
            row.delay_slots == 0
                && row.memory.is_none()
                && isa.stages(index).is_empty()
                && inst.access.is_none()
                && inst.reads.is_empty()
                && inst.clobbers.is_empty()
                && effect_of(isa, index) == Effect::None
        }
        _ => false,
    }
}

/// The block from which a loop of one block is entered, if that is the only one.
pub(super) fn entered_from(function: &MachineFunction, at: usize) -> Option<usize> {
    let this = BlockId(at as u32);
    let block = &function.blocks[at];
    if !block.successors.contains(&this) {
        return None;
    }
    let numbered = function.blocks.iter().enumerate();
    let mut before =
        numbered.filter(|(number, block)| *number != at && block.successors.contains(&this));
    match (before.next(), before.next()) {
        (Some((number, _)), None) => Some(number),
        _ => None,
    }
}

/// Number of writes of each virtual register in the function.
fn writes(isa: &'static CoreIsa, function: &MachineFunction) -> FxHashMap<VirtualRegister, usize> {
    let mut counts = FxHashMap::default();
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let mut written = FxHashSet::default();
        places(isa, function, &[], inst, |place, _, is_written| {
            if let (AccessedUnits::Virtual(register, _), true) = (place, is_written) {
                written.insert(register);
            }
        });
        for register in written {
            *counts.entry(register).or_insert(0) += 1;
        }
    }
    counts
}

/// Moves such steps of all loops of one block, and constants of loops around others.
pub(super) fn hoist(isa: &'static CoreIsa, function: &mut MachineFunction) {
    let counts = writes(isa, function);
    for at in 0..function.blocks.len() {
        let Some(before) = entered_from(function, at) else {
            continue;
        };
        let mut taken: FxHashMap<RegisterFile, usize> = FxHashMap::default();
        let mut moved = Vec::new();
        loop {
            let found = hoistable(isa, function, at, &counts, &taken);
            if found.is_empty() {
                break;
            }
            let mut place = 0;
            function.blocks[at].insts.retain(|inst| {
                let is_found = found.contains(&place);
                place += 1;
                if is_found {
                    moved.push(inst.clone());
                }
                !is_found
            });
            for inst in &moved[moved.len() - found.len()..] {
                places(isa, function, &[], inst, |place, _, is_written| {
                    if let (AccessedUnits::Virtual(register, _), true) = (place, is_written) {
                        let file = function.registers[register.0 as usize];
                        *taken.entry(file).or_insert(0) += 1;
                    }
                });
            }
        }
        moved.extend(lock_values_after(isa, function, at, &counts));
        insert_at_end(isa, function, before, moved);
    }
    hoist_constants(isa, function, &counts);
}

/// The loops that hold others: of each its blocks, one after another, and the only block that it is entered from; inner ones first.
fn outer_loops(function: &MachineFunction) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    for (last, block) in function.blocks.iter().enumerate() {
        for first in block.successors.iter().map(|target| target.0 as usize) {
            if first >= last {
                continue;
            }
            let within = first..last + 1;
            let numbered = function.blocks.iter().enumerate();
            let mut entries = numbered.filter(|(number, block)| {
                let mut targets = block.successors.iter();
                !within.contains(number) && targets.any(|to| within.contains(&(to.0 as usize)))
            });
            if let (Some((before, _)), None) = (entries.next(), entries.next()) {
                found.push((within, before));
            }
        }
    }
    found.sort_by_key(|(within, _)| within.len());
    found
}

/// Moves constants of such loops in front of them, from where allocation takes those back for which registers are too few.
fn hoist_constants(
    isa: &'static CoreIsa,
    function: &mut MachineFunction,
    counts: &FxHashMap<VirtualRegister, usize>,
) {
    let moves = Moves::of(isa.arch);
    for (within, before) in outer_loops(function) {
        let calls = |inst: &MachineInst| {
            let mut operands = inst.operands.iter();
            operands.any(|operand| matches!(operand, MachineOperand::Function(_)))
        };
        let mut insts = function.blocks[within.clone()]
            .iter()
            .flat_map(|block| &block.insts);
        // Of values that live on over a call nothing is gained.
        if insts.any(calls) {
            continue;
        }
        let is_constant = |inst: &MachineInst, registers: &[RegisterFile]| match inst.op {
            MachineOp::Row(row) => {
                moves.is_constant(row)
                    && first_virtual(inst).is_some_and(|register| {
                        counts.get(&register) == Some(&1)
                            && registers[register.0 as usize] == RegisterFile::R
                    })
            }
            _ => false,
        };
        let mut moved = Vec::new();
        let MachineFunction {
            blocks, registers, ..
        } = &mut *function;
        for block in &mut blocks[within] {
            block.insts.retain(|inst| {
                let is_moved = moved.len() < MAX_NEST_CONSTANTS && is_constant(inst, registers);
                if is_moved {
                    moved.push(inst.clone());
                }
                !is_moved
            });
        }
        insert_at_end(isa, function, before, moved);
    }
}

/// Takes constants of locks out of the block after a loop: locks that follow the loop's last accesses then wait for nothing else.
fn lock_values_after(
    isa: &'static CoreIsa,
    function: &mut MachineFunction,
    at: usize,
    counts: &FxHashMap<VirtualRegister, usize>,
) -> Vec<MachineInst> {
    let this = BlockId(at as u32);
    let mut others = function.blocks[at]
        .successors
        .iter()
        .filter(|to| **to != this);
    let (Some(after), None) = (others.next().copied(), others.next()) else {
        return Vec::new();
    };
    let numbered = function.blocks.iter().enumerate();
    let enters =
        |(number, block): (usize, &MachineBlock)| number != at && block.successors.contains(&after);
    if numbered.into_iter().any(enters) {
        return Vec::new();
    }
    let insts = &function.blocks[after.0 as usize].insts;
    let is_lock = |inst: &&MachineInst| match inst.op {
        MachineOp::Row(row) => matches!(effect_of(isa, row), Effect::Lock { .. }),
        _ => false,
    };
    let values: FxHashSet<VirtualRegister> = insts
        .iter()
        .filter(is_lock)
        .flat_map(|inst| &inst.operands)
        .filter_map(|operand| virtual_of(*operand))
        .map(|(register, _)| register)
        .collect();
    let moves = Moves::of(isa.arch);
    let sets_value = |inst: &MachineInst| match (inst.op, first_virtual(inst)) {
        (MachineOp::Row(row), Some(register)) => {
            moves.is_constant(row)
                && values.contains(&register)
                && counts.get(&register) == Some(&1)
                && function.registers[register.0 as usize] == RegisterFile::R
        }
        _ => false,
    };
    let found: Vec<usize> = (0..insts.len())
        .filter(|place| sets_value(&insts[*place]))
        .take(MAX_LOCK_VALUES)
        .collect();
    let insts = &mut function.blocks[after.0 as usize].insts;
    let moved = found.iter().rev().map(|place| insts.remove(*place));
    moved.collect()
}

/// The virtual register among the operands of a step.
fn first_virtual(inst: &MachineInst) -> Option<VirtualRegister> {
    let mut named = inst
        .operands
        .iter()
        .filter_map(|operand| virtual_of(*operand));
    named.next().map(|(register, _)| register)
}

/// Inserts steps before the branches that end a block.
pub(super) fn insert_at_end(
    isa: &CoreIsa,
    function: &mut MachineFunction,
    block: usize,
    steps: Vec<MachineInst>,
) {
    let insts = &mut function.blocks[block].insts;
    let is_end = |inst: &MachineInst| match inst.op {
        MachineOp::Row(row) => isa.instructions[usize::from(row)].delay_slots > 0,
        MachineOp::CountedBranch => true,
        _ => false,
    };
    let ends = insts.iter().rev().take_while(|inst| is_end(inst)).count();
    let end = insts.len() - ends;
    insts.splice(end..end, steps);
}

/// The steps of a block that depend on nothing that the block writes.
fn hoistable(
    isa: &'static CoreIsa,
    function: &MachineFunction,
    at: usize,
    counts: &FxHashMap<VirtualRegister, usize>,
    taken: &FxHashMap<RegisterFile, usize>,
) -> Vec<usize> {
    let insts = &function.blocks[at].insts;
    let mut written: FxHashSet<VirtualRegister> = FxHashSet::default();
    let mut units = FxHashSet::default();
    for inst in insts {
        places(isa, function, &[], inst, |place, _, is_written| {
            match place {
                AccessedUnits::Virtual(register, _) if is_written => {
                    written.insert(register);
                }
                AccessedUnits::Unit(unit) if is_written => {
                    units.insert(unit);
                }
                _ => {}
            };
        });
    }
    let mut taken = taken.clone();
    let mut found = Vec::new();
    for (place, inst) in insts.iter().enumerate() {
        if !is_pure(isa, inst) {
            continue;
        }
        let mut fits = true;
        let mut results = Vec::new();
        places(isa, function, &[], inst, |place, is_read, is_written| {
            match place {
                AccessedUnits::Virtual(register, lanes) => {
                    if is_written {
                        let file = function.registers[register.0 as usize];
                        let is_whole = lanes == all_lanes(isa, file);
                        fits &= !is_read && is_whole && counts.get(&register) == Some(&1);
                        results.push(file);
                    } else {
                        fits &= !written.contains(&register);
                    }
                }
                AccessedUnits::Unit(unit) => fits &= !is_written && !units.contains(&unit),
            };
        });
        let has_room =
            |file: &RegisterFile| taken.get(file).copied().unwrap_or(0) < max_hoisted(*file);
        if fits && !results.is_empty() && results.iter().all(has_room) {
            for file in results {
                *taken.entry(file).or_insert(0) += 1;
            }
            found.push(place);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use aiec_core::{CoreArch, CoreIsa};

    use super::{first_virtual, hoist, outer_loops, writes};
    use crate::machine::moves::Moves;
    use crate::machine::{MachineFunction, MachineInst, MachineOp};
    use crate::test_cores::test_core;

    /// Constants in loops that hold others, but for what counters begin with.
    fn constants(isa: &'static CoreIsa, function: &MachineFunction) -> usize {
        let moves = Moves::of(isa.arch);
        let counts = writes(isa, function);
        let within = outer_loops(function)
            .into_iter()
            .flat_map(|(within, _)| within);
        let insts = within.flat_map(|block| &function.blocks[block].insts);
        let is_constant = |inst: &&MachineInst| match (inst.op, first_virtual(inst)) {
            (MachineOp::Row(row), Some(register)) => {
                moves.is_constant(row) && counts.get(&register) == Some(&1)
            }
            _ => false,
        };
        insts.filter(is_constant).count()
    }

    #[test]
    fn constants_of_a_nest_are_set_before_it() {
        let buffers = "%a = aie.buffer(%tile) {address = 8192 : i32} : memref<8x64xi32>";
        let body = "%c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c8 = arith.constant 8 : index
           %c64 = arith.constant 64 : index
           scf.for %i = %c0 to %c8 step %c1 {
             scf.for %j = %c0 to %c64 step %c1 {
               %x = memref.load %a[%i, %j] : memref<8x64xi32>
               %y = arith.muli %x, %x : i32
               memref.store %y, %a[%i, %j] : memref<8x64xi32>
             }
           }";
        for arch in CoreArch::ALL {
            let (made, diags) = test_core(arch, buffers, body, 4096);
            let made = made.unwrap_or_else(|_| panic!("{diags:?}"));
            let isa = CoreIsa::of(arch);
            let mut function = made.program.functions[0].clone();
            let before = constants(isa, &function);
            hoist(isa, &mut function);
            // Products of 32 bits take numbers of shuffles and configurations of products.
            assert!(before > 0, "{arch}");
            assert_eq!(constants(isa, &function), 0, "{arch}: {before}");
        }
    }
}
