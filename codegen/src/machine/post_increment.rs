//! Moves of pointers in the accesses before them: `lda r0, [p0, #0]; padda [p0], #4` is `lda r0, [p0], #4`. In a loop moves
//! that are too far for the field are by a register, which gets the number before the loop.

use std::collections::BTreeMap;

use aiec_core::{
    AddressMode, CoreArch, CoreIsa, Instruction, OperandKind, PerArch, Register, RegisterFile,
    immediate_range,
};
use smallvec::SmallVec;

use super::alternatives::has_choice;
use super::hoist::{entered_from, insert_at_end};
use super::moves::Moves;
use super::prepare::virtual_of;
use super::{MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// Numbers in registers for a loop at most, of the eight registers that there are.
const MAX_SHARED: usize = 6;

/// For each row of an access at an offset the row of one that moves its pointer afterwards.
#[derive(Debug)]
struct Table {
    post: BTreeMap<u16, u16>,
    /// Same, for rows that move it by a register.
    by_register: BTreeMap<u16, u16>,
}

static TABLES: PerArch<Table> = PerArch::new();

/// Slot, name and operands, which an access at an offset shares with the one that moves its pointer.
fn key(row: &Instruction) -> (&'static str, bool, u8, Vec<(String, bool, u16)>) {
    // They differ in the operand that it moves by.
    let others = row
        .operands
        .iter()
        .filter(|field| !["imm", "mod"].contains(&field.name));
    let mut operands: Vec<(String, bool, u16)> = others
        .map(|field| {
            let class = match field.kind {
                OperandKind::Register { class } => class,
                _ => 0,
            };
            let is_register = matches!(field.kind, OperandKind::Register { .. });
            (field.name.to_string(), is_register, class)
        })
        .collect();
    operands.sort();
    (row.mnemonic, row.is_store, row.slot as u8, operands)
}

impl Table {
    fn new(arch: CoreArch) -> Table {
        let isa = CoreIsa::of(arch);
        let of_mode = |mode: AddressMode| {
            let rows = isa.instructions.iter().enumerate();
            rows.filter(move |(_, row)| row.memory.is_some_and(|memory| memory.mode == mode))
        };
        let mut with_offset = BTreeMap::new();
        for (index, row) in of_mode(AddressMode::IndexImmediate) {
            with_offset.entry(key(row)).or_insert(index as u16);
        }
        let moved = |mode: AddressMode| {
            let moved = of_mode(mode).filter_map(|(index, row)| {
                let offset = with_offset.get(&key(row))?;
                Some((*offset, index as u16))
            });
            moved.collect()
        };
        Table {
            post: moved(AddressMode::PostImmediate),
            by_register: moved(AddressMode::PostModifier),
        }
    }
}

/// The place of an operand by its name.
fn operand(row: &Instruction, name: &str) -> Option<usize> {
    row.operands.iter().position(|field| field.name == name)
}

/// The distance by which a pointer is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Bytes(i32),
    Register(MachineOperand),
}

/// The pointer that an instruction moves and its distance, if it does nothing else.
fn moved(isa: &CoreIsa, inst: &MachineInst) -> Option<(VirtualRegister, Move)> {
    let MachineOp::Row(row) = inst.op else {
        return None;
    };
    let row = &isa.instructions[usize::from(row)];
    let is_plain = matches!(row.mnemonic, "padda" | "paddb" | "padds");
    if !is_plain || row.operands.len() != 2 {
        return None;
    }
    let (pointer, _) = virtual_of(inst.operands[operand(row, "ptr")?])?;
    let by = operand(row, "imm").or_else(|| operand(row, "mod"))?;
    match inst.operands[by] {
        MachineOperand::Immediate(by) => Some((pointer, Move::Bytes(by))),
        by @ MachineOperand::Virtual(_) => Some((pointer, Move::Register(by))),
        _ => None,
    }
}

/// The access with its pointer moved afterwards, if it accesses where the pointer is.
fn with_move(
    isa: &CoreIsa,
    inst: &MachineInst,
    pointer: VirtualRegister,
    by: Move,
) -> Option<MachineInst> {
    let MachineOp::Row(index) = inst.op else {
        return None;
    };
    let table = TABLES.of(isa.arch, Table::new);
    let post = match by {
        Move::Bytes(_) => *table.post.get(&index)?,
        Move::Register(_) => *table.by_register.get(&index)?,
    };
    let (row, other) = (
        &isa.instructions[usize::from(index)],
        &isa.instructions[usize::from(post)],
    );
    let is_there = virtual_of(inst.operands[operand(row, "ptr")?])?.0 == pointer
        && inst.operands[operand(row, "imm")?] == MachineOperand::Immediate(0);
    let uses = inst
        .operands
        .iter()
        .filter(|operand| virtual_of(**operand).is_some_and(|(register, _)| register == pointer));
    if !is_there || uses.count() != 1 {
        return None;
    }
    if let Move::Bytes(by) = by {
        let field = &other.operands[operand(other, "imm")?];
        let OperandKind::Immediate { sign, scale, .. } = field.kind else {
            return None;
        };
        let (least, most, step) = immediate_range(sign, scale, field.width());
        if !(least..=most).contains(&by.into()) || i64::from(by) % step != 0 {
            return None;
        }
    }
    let operands: Option<SmallVec<[MachineOperand; 5]>> = other
        .operands
        .iter()
        .map(|field| match (field.name, by) {
            ("imm", Move::Bytes(by)) => Some(MachineOperand::Immediate(by)),
            ("mod", Move::Register(by)) => Some(by),
            (name, _) => Some(inst.operands[operand(row, name)?]),
        })
        .collect();
    Some(MachineInst {
        op: MachineOp::Row(post),
        operands: operands?,
        ..inst.clone()
    })
}

fn names(inst: &MachineInst, register: VirtualRegister) -> bool {
    let mut operands = inst.operands.iter();
    operands.any(|operand| virtual_of(*operand).is_some_and(|(known, _)| known == register))
}

/// Moves pointers by the accesses before the moves, where nothing between them uses the pointer.
pub(super) fn fold(isa: &'static CoreIsa, function: &mut MachineFunction) {
    for number in 0..function.blocks.len() {
        let before = entered_from(function, number);
        // Numbers in registers for all of the loop.
        let mut shared: Vec<(i32, MachineOperand)> = Vec::new();
        let mut loads: Vec<MachineInst> = Vec::new();
        let mut at = 0;
        while at < function.blocks[number].insts.len() {
            let insts = &function.blocks[number].insts;
            let Some((pointer, by)) = moved(isa, &insts[at]) else {
                at += 1;
                continue;
            };
            let Some(last) = insts[..at].iter().rposition(|inst| names(inst, pointer)) else {
                at += 1;
                continue;
            };
            // A register that only this move reads is the number that it was loaded with.
            let loaded = match by {
                Move::Register(register) => {
                    constant_at(isa, function, number, register).filter(|_| before.is_some())
                }
                Move::Bytes(_) => None,
            };
            let bytes = match by {
                Move::Bytes(bytes) => Some(bytes),
                Move::Register(_) => loaded.map(|(_, bytes)| bytes),
            };
            let mut access =
                bytes.and_then(|bytes| with_move(isa, &insts[last], pointer, Move::Bytes(bytes)));
            let row_of = |inst: &Option<MachineInst>| match inst.as_ref()?.op {
                MachineOp::Row(row) => Some(row),
                _ => None,
            };
            let other = Move::Register(insts[at].operands[0]);
            let by_register = row_of(&with_move(isa, &insts[last], pointer, other));
            // A number that fits the field of one slot only keeps the access out of the others.
            let is_better = by_register.is_some_and(|by_register| {
                row_of(&access).is_none_or(|by_number| {
                    has_choice(isa, by_register, None) && !has_choice(isa, by_number, bytes)
                })
            });
            if let (true, Some(bytes), Some(_)) = (is_better, bytes, before) {
                let like = insts[at].clone();
                let known = shared.iter().find(|(known, _)| *known == bytes);
                let register = known.map(|(_, register)| *register).or_else(|| {
                    let fresh = (shared.len() < MAX_SHARED)
                        .then(|| constant_load(isa, function, bytes, &like))?;
                    let (register, load) = fresh?;
                    shared.push((bytes, register));
                    loads.push(load);
                    Some(register)
                });
                let moved = register.and_then(|register| {
                    let insts = &function.blocks[number].insts;
                    with_move(isa, &insts[last], pointer, Move::Register(register))
                });
                access = moved.or(access);
            }
            let insts = &mut function.blocks[number].insts;
            match access {
                Some(access) => {
                    insts[last] = access;
                    insts.remove(at);
                    if let Some((load, _)) = loaded {
                        insts.remove(load);
                        at -= usize::from(load < at);
                    }
                }
                None => at += 1,
            }
        }
        if let Some(before) = before {
            insert_at_end(isa, function, before, loads);
        }
    }
}

/// The place in a block of the step that gives a register a number, and the number, if only one step reads it and that is here.
fn constant_at(
    isa: &CoreIsa,
    function: &MachineFunction,
    block: usize,
    register: MachineOperand,
) -> Option<(usize, i32)> {
    let (register, _) = virtual_of(register)?;
    let all = function.blocks.iter().flat_map(|block| &block.insts);
    if all.filter(|inst| names(inst, register)).count() != 2 {
        return None;
    }
    let insts = &function.blocks[block].insts;
    let at = insts.iter().position(|inst| names(inst, register))?;
    let MachineOp::Row(row) = insts[at].op else {
        return None;
    };
    let mut operands = insts[at].operands.iter();
    let number = operands.find_map(|operand| match operand {
        MachineOperand::Immediate(number) => Some(*number),
        _ => None,
    });
    number
        .filter(|_| Moves::of(isa.arch).is_constant(row))
        .map(|number| (at, number))
}

/// A step that loads a new register with a number to move pointers by.
fn constant_load(
    isa: &CoreIsa,
    function: &mut MachineFunction,
    number: i32,
    like: &MachineInst,
) -> Option<(MachineOperand, MachineInst)> {
    let sample = Register::new(RegisterFile::M, 0);
    let (row, place) = Moves::of(isa.arch).constant(sample, number)?;
    let register = MachineOperand::Virtual(function.register(RegisterFile::M));
    let number = MachineOperand::Immediate(number);
    let load = MachineInst {
        op: MachineOp::Row(row),
        operands: if place == 0 {
            [register, number].into_iter().collect()
        } else {
            [number, register].into_iter().collect()
        },
        access: None,
        reads: SmallVec::new(),
        clobbers: SmallVec::new(),
        ..like.clone()
    };
    Some((register, load))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_of_all_sizes_move_pointers() {
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            let table = TABLES.of(arch, Table::new);
            for mnemonic in ["lda", "lda.s8", "st", "st.s16", "vlda", "vldb", "vst"] {
                let mut rows = table.post.keys();
                assert!(
                    rows.any(|row| isa.instructions[usize::from(*row)].mnemonic == mnemonic),
                    "{arch}: {mnemonic}"
                );
            }
        }
    }
}
