//! Moves of pointers in the accesses before them: `lda r0, [p0, #0]; padda [p0], #4` is `lda r0, [p0], #4`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aiec_core::{AddressMode, CoreArch, CoreIsa, Instruction, OperandKind, immediate_range};
use smallvec::SmallVec;

use super::prepare::virtual_of;
use super::{MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// For each row of an access at an offset the row of one that moves its pointer afterwards.
#[derive(Debug)]
struct Table {
    post: BTreeMap<u16, u16>,
}

static TABLES: LazyLock<[Table; 3]> = LazyLock::new(|| CoreArch::ALL.map(Table::new));

/// Slot, name and operands, which an access at an offset shares with the one that moves its pointer.
fn key(row: &Instruction) -> (&'static str, bool, u8, Vec<(String, bool, u16)>) {
    let mut operands: Vec<(String, bool, u16)> = row
        .operands
        .iter()
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
        let moved = of_mode(AddressMode::PostImmediate);
        let post = moved.filter_map(|(index, row)| {
            let offset = with_offset.get(&key(row))?;
            Some((*offset, index as u16))
        });
        Table {
            post: post.collect(),
        }
    }
}

/// The place of an operand by its name.
fn operand(row: &Instruction, name: &str) -> Option<usize> {
    row.operands.iter().position(|field| field.name == name)
}

/// The pointer that an instruction moves and by how many bytes, if it does nothing else.
fn moved(isa: &CoreIsa, inst: &MachineInst) -> Option<(VirtualRegister, i32)> {
    let MachineOp::Row(row) = inst.op else {
        return None;
    };
    let row = &isa.instructions[usize::from(row)];
    if !row.mnemonic.starts_with("padd") || row.operands.len() != 2 {
        return None;
    }
    let (pointer, _) = virtual_of(inst.operands[operand(row, "ptr")?])?;
    match inst.operands[operand(row, "imm")?] {
        MachineOperand::Immediate(by) => Some((pointer, by)),
        _ => None,
    }
}

/// The access with its pointer moved afterwards, if it accesses where the pointer is.
fn with_move(
    isa: &CoreIsa,
    inst: &MachineInst,
    pointer: VirtualRegister,
    by: i32,
) -> Option<MachineInst> {
    let MachineOp::Row(index) = inst.op else {
        return None;
    };
    let post = *TABLES[isa.arch as usize].post.get(&index)?;
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
    let field = &other.operands[operand(other, "imm")?];
    let OperandKind::Immediate { sign, scale, .. } = field.kind else {
        return None;
    };
    let (least, most, step) = immediate_range(sign, scale, field.width());
    let by_fits = (least..=most).contains(&by.into()) && i64::from(by) % step == 0;
    if !is_there || uses.count() != 1 || !by_fits {
        return None;
    }
    let operands: Option<SmallVec<[MachineOperand; 5]>> = other
        .operands
        .iter()
        .map(|field| match field.name {
            "imm" => Some(MachineOperand::Immediate(by)),
            name => Some(inst.operands[operand(row, name)?]),
        })
        .collect();
    Some(MachineInst {
        op: MachineOp::Row(post),
        operands: operands?,
        ..inst.clone()
    })
}

/// Moves pointers by the accesses before the moves, where nothing between them uses the pointer.
pub(super) fn fold(isa: &CoreIsa, function: &mut MachineFunction) {
    for block in &mut function.blocks {
        let mut at = 0;
        while at < block.insts.len() {
            let folded = moved(isa, &block.insts[at]).and_then(|(pointer, by)| {
                let uses = |inst: &MachineInst| {
                    let mut operands = inst.operands.iter();
                    operands.any(|operand| {
                        virtual_of(*operand).is_some_and(|(register, _)| register == pointer)
                    })
                };
                let last = block.insts[..at].iter().rposition(uses)?;
                let access = with_move(isa, &block.insts[last], pointer, by)?;
                Some((last, access))
            });
            match folded {
                Some((last, access)) => {
                    block.insts[last] = access;
                    block.insts.remove(at);
                }
                None => at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_of_all_sizes_move_pointers() {
        for arch in CoreArch::ALL {
            let isa = CoreIsa::of(arch);
            let table = &TABLES[arch as usize];
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
