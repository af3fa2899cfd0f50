//! Hardware loops: counted loops of one block whose counter the core keeps.
//!
//! A block that a counted branch repeats becomes one if nothing else branches to it, the block
//! before it in the code runs into it, it calls nothing, and its counter is read by nothing else. The
//! block before it sets start, end and count; the rules on how long before the end of the loop are
//! layout's matter. All others keep a branch.

use aiec_core::{CoreIsa, Register, RegisterFile};
use smallvec::{SmallVec, smallvec};

use super::liveness::{AccessedUnits, places};
use super::register::UNITS;

use super::frame::{Inst, Value};
use super::moves::Moves;
use super::prepare::{operand_directions, ordered, virtual_of};
use super::{BlockId, MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// Whether an instruction sets start, end or count of a hardware loop.
pub(super) fn is_setup(isa: &CoreIsa, inst: &Inst) -> bool {
    let moves = Moves::of(isa.arch);
    let is_lc = |value: &Value| matches!(value, Value::Register(register) if register.file == RegisterFile::Lc);
    let sets_address = |value: &Value| matches!(value, Value::Block(_) | Value::BlockEnd(_));
    let sets_loop = moves
        .set_loop
        .is_some_and(|(start, end)| [start, end].contains(&inst.row));
    let row = &isa.instructions[usize::from(inst.row)];
    let has_lc = row
        .text
        .iter()
        .any(|part| matches!(part, aiec_core::TextPart::Literal(text) if text.contains(" lc,")));
    inst.operands.iter().any(is_lc) || has_lc || sets_loop && inst.operands.iter().any(sets_address)
}

/// The counter of a block that a counted branch repeats and that can be a hardware loop.
fn counter_of(isa: &CoreIsa, function: &MachineFunction, at: usize) -> Option<VirtualRegister> {
    let block = &function.blocks[at];
    let (last, body) = block.insts.split_last()?;
    let target = BlockId(at as u32);
    let [
        MachineOperand::Virtual(counter),
        MachineOperand::Block(back),
    ] = last.operands[..]
    else {
        return None;
    };
    if last.op != MachineOp::CountedBranch || back != target {
        return None;
    }
    let before = at.checked_sub(1)?;
    let names_it = |inst: &MachineInst| inst.operands.contains(&MachineOperand::Block(target));
    let runs_into_it = function.blocks[before].successors.contains(&target);
    let is_named = function.blocks.iter().enumerate().any(|(other, block)| {
        let is_other = other != at && other != before && block.successors.contains(&target);
        is_other || other != at && block.insts.iter().any(names_it)
    });
    let branches = |inst: &MachineInst| match inst.op {
        MachineOp::Row(row) => isa.instructions[usize::from(row)].delay_slots > 0,
        MachineOp::CountedBranch => true,
        _ => false,
    };
    let ends_loop = function.blocks[before]
        .insts
        .last()
        .is_some_and(|inst| inst.op == MachineOp::CountedBranch);
    if !runs_into_it || is_named || ends_loop || body.iter().any(branches) {
        return None;
    }
    let reads_counter = |inst: &MachineInst| {
        inst.operands.iter().enumerate().any(|(index, operand)| {
            let is_it = virtual_of(*operand).is_some_and(|(register, _)| register == counter);
            is_it && operand_directions(isa, inst, index).0
        })
    };
    let all = function.blocks.iter().flat_map(|block| &block.insts);
    (all.filter(|inst| reads_counter(inst)).count() == 1).then_some(counter)
}

/// A hardware loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HardwareLoop {
    /// Number of iterations, if known; otherwise the instruction that sets its count reads a
    /// register.
    pub trips: Option<u32>,
}

/// Steps that are followed to the number that a counter begins with.
const MAX_STEPS: usize = 4;

/// The number that a virtual register has, if it is set once, to a constant.
fn constant_of(
    isa: &CoreIsa,
    function: &MachineFunction,
    mut register: VirtualRegister,
) -> Option<i32> {
    let moves = Moves::of(isa.arch);
    for _ in 0..MAX_STEPS {
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        let mut definitions = insts.filter(|inst| {
            inst.op != MachineOp::CountedBranch
                && inst.operands.iter().enumerate().any(|(index, operand)| {
                    let is_it = virtual_of(*operand).is_some_and(|(known, _)| known == register);
                    is_it && operand_directions(isa, inst, index).1
                })
        });
        let definition = definitions.next()?;
        if definitions.next().is_some() {
            return None;
        }
        match definition.op {
            MachineOp::Copy => match definition.operands[1] {
                MachineOperand::Virtual(from) => register = from,
                _ => return None,
            },
            MachineOp::Row(row) if moves.is_constant(row) => {
                return definition
                    .operands
                    .iter()
                    .find_map(|operand| match operand {
                        MachineOperand::Immediate(value) => Some(*value),
                        _ => None,
                    });
            }
            _ => return None,
        }
    }
    None
}

/// The step before a loop after which what the loop writes before it reads it counts as written: there
/// its iterations may overlap.
fn hold(isa: &CoreIsa, function: &MachineFunction, at: usize, like: &MachineInst) -> MachineInst {
    let mut written: Vec<(VirtualRegister, u16)> = Vec::new();
    let mut seen: Vec<(VirtualRegister, u16)> = Vec::new();
    let mut units = vec![(false, false); UNITS];
    let lanes_of = |list: &[(VirtualRegister, u16)], register| {
        let known = list.iter().find(|(known, _)| *known == register);
        known.map_or(0, |(_, lanes)| *lanes)
    };
    let add = |list: &mut Vec<(VirtualRegister, u16)>, register, lanes| match list
        .iter_mut()
        .find(|(known, _)| *known == register)
    {
        Some((_, known)) => *known |= lanes,
        None => list.push((register, lanes)),
    };
    for inst in &function.blocks[at].insts {
        places(isa, function, &[], inst, |place, is_read, _| {
            if is_read {
                match place {
                    AccessedUnits::Virtual(register, lanes) => {
                        let fresh = lanes & !lanes_of(&written, register);
                        add(&mut seen, register, fresh);
                    }
                    AccessedUnits::Unit(unit) => {
                        units[usize::from(unit)].0 |= !units[usize::from(unit)].1
                    }
                }
            }
        });
        places(isa, function, &[], inst, |place, _, is_written| {
            if is_written {
                match place {
                    AccessedUnits::Virtual(register, lanes) => add(&mut written, register, lanes),
                    AccessedUnits::Unit(unit) => units[usize::from(unit)].1 = true,
                }
            }
        });
    }
    let mut operands = SmallVec::new();
    for (register, lanes) in &written {
        let fresh = lanes & !lanes_of(&seen, *register);
        if fresh != 0 {
            operands.push(MachineOperand::Virtual(*register));
            operands.push(MachineOperand::Immediate(i32::from(fresh)));
        }
    }
    let mut clobbers: SmallVec<[Register; 4]> = SmallVec::new();
    for class in &isa.classes {
        for register in class.registers() {
            let [unit] = super::register::units(isa.arch, register)[..] else {
                continue;
            };
            let (is_read, is_written) = units[usize::from(unit)];
            if is_written && !is_read && !clobbers.contains(&register) {
                clobbers.push(register);
            }
        }
    }
    MachineInst {
        op: MachineOp::Hold,
        operands,
        reads: smallvec![],
        clobbers,
        access: None,
        source: like.source,
    }
}

/// Makes hardware loops of the blocks that can be; returns them by block.
pub(super) fn convert(
    isa: &'static CoreIsa,
    function: &mut MachineFunction,
) -> Vec<Option<HardwareLoop>> {
    let mut is_loop = vec![None; function.blocks.len()];
    let moves = Moves::of(isa.arch);
    let (Some((start, end)), Some(count)) = (moves.set_loop, moves.set_count) else {
        return is_loop;
    };
    for (at, place) in is_loop.iter_mut().enumerate().skip(1) {
        let Some(counter) = counter_of(isa, function, at) else {
            continue;
        };
        let Some(branch) = function.blocks[at].insts.pop() else {
            continue;
        };
        let trips = constant_of(isa, function, counter);
        let trips = trips
            .and_then(|trips| u32::try_from(trips).ok())
            .filter(|trips| *trips > 0);
        let lc = Register::new(RegisterFile::Lc, 0);
        let constant = trips.and_then(|trips| moves.constant(lc, trips as i32));
        *place = Some(HardwareLoop {
            trips: trips.filter(|_| constant.is_some()),
        });
        let target = BlockId(at as u32);
        let step = |row: u16, file, rest: &[MachineOperand]| {
            let names_register = isa.instructions[usize::from(row)].operands.len() > rest.len();
            let register = MachineOperand::Physical(Register::new(file, 0));
            let own: SmallVec<[MachineOperand; 3]> = names_register
                .then_some(register)
                .into_iter()
                .chain(rest.iter().copied())
                .collect();
            MachineInst {
                op: MachineOp::Row(row),
                operands: ordered(isa, row, &own),
                reads: smallvec![],
                clobbers: smallvec![],
                access: None,
                source: branch.source,
            }
        };
        let setup = [
            step(start, RegisterFile::Ls, &[MachineOperand::Block(target)]),
            step(end, RegisterFile::Le, &[MachineOperand::BlockEnd(target)]),
            match (constant, trips) {
                (Some((row, _)), Some(trips)) => {
                    let trips = MachineOperand::Immediate(trips as i32);
                    step(row, RegisterFile::Lc, &[trips])
                }
                _ => step(
                    count,
                    RegisterFile::Lc,
                    &[
                        MachineOperand::Virtual(counter),
                        MachineOperand::Immediate(0),
                    ],
                ),
            },
        ];
        let held = hold(isa, function, at, &branch);
        let before = &mut function.blocks[at - 1].insts;
        let is_branch = |inst: &MachineInst| match inst.op {
            MachineOp::Row(row) => isa.instructions[usize::from(row)].delay_slots > 0,
            _ => false,
        };
        let branches = before
            .iter()
            .rev()
            .take_while(|inst| is_branch(inst))
            .count();
        let end = before.len() - branches;
        before.splice(end..end, setup.into_iter().chain([held]));
    }
    is_loop
}
