//! Copies that nothing needs: where a block copies a value, and reads the copy only after it, it can read the value itself.

use aiec_core::CoreIsa;
use rustc_hash::FxHashMap;

use super::liveness::{AccessedUnits, places};
use super::prepare::{replace, virtual_of};
use super::{MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// Where a virtual register is named.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// Number of steps that write it.
    writes: usize,
    /// The block and place of the first step that writes it.
    written: (usize, usize),
    /// The block and place of the first step that reads it, and whether all that do are in that block.
    read: Option<(usize, usize)>,
    is_read_elsewhere: bool,
}

/// The two registers of a copy of a whole register.
fn copied(inst: &MachineInst) -> Option<(VirtualRegister, VirtualRegister)> {
    match inst.operands[..] {
        [MachineOperand::Virtual(to), MachineOperand::Virtual(from)]
            if inst.op == MachineOp::Copy && to != from =>
        {
            Some((to, from))
        }
        _ => None,
    }
}

fn uses(isa: &'static CoreIsa, function: &MachineFunction) -> FxHashMap<VirtualRegister, Uses> {
    let mut uses: FxHashMap<VirtualRegister, Uses> = FxHashMap::default();
    for (number, block) in function.blocks.iter().enumerate() {
        for (at, inst) in block.insts.iter().enumerate() {
            let mut named: Vec<(VirtualRegister, bool, bool)> = Vec::new();
            places(isa, function, &[], inst, |place, is_read, is_written| {
                if let AccessedUnits::Virtual(register, _) = place {
                    match named.iter_mut().find(|(known, ..)| *known == register) {
                        Some((_, reads, writes)) => {
                            *reads |= is_read;
                            *writes |= is_written;
                        }
                        None => named.push((register, is_read, is_written)),
                    }
                }
            });
            for (register, is_read, is_written) in named {
                let of = uses.entry(register).or_default();
                if is_written {
                    of.writes += 1;
                    if of.writes == 1 {
                        of.written = (number, at);
                    }
                }
                if is_read {
                    let first = *of.read.get_or_insert((number, at));
                    of.is_read_elsewhere |= first.0 != number;
                }
            }
        }
    }
    uses
}

/// Leaves such copies out.
pub(super) fn propagate(isa: &'static CoreIsa, function: &mut MachineFunction) {
    let uses = uses(isa, function);
    for number in 0..function.blocks.len() {
        let mut at = 0;
        let mut left_out = 0;
        while at < function.blocks[number].insts.len() {
            let place = at + left_out;
            let unneeded = copied(&function.blocks[number].insts[at]).filter(|(to, from)| {
                let (Some(copy), Some(value)) = (uses.get(to), uses.get(from)) else {
                    return false;
                };
                let same_file =
                    function.registers[to.0 as usize] == function.registers[from.0 as usize];
                let is_once = copy.writes == 1
                    && value.writes == 1
                    && value.written.0 == number
                    && value.written.1 < place;
                let is_after = copy
                    .read
                    .is_none_or(|(block, first)| block == number && first > place);
                same_file && is_once && is_after && !copy.is_read_elsewhere
            });
            let Some((to, from)) = unneeded else {
                at += 1;
                continue;
            };
            let block = &mut function.blocks[number];
            block.insts.remove(at);
            left_out += 1;
            for operand in block.insts[at..]
                .iter_mut()
                .flat_map(|inst| &mut inst.operands)
            {
                if virtual_of(*operand).is_some_and(|(register, _)| register == to) {
                    *operand = replace(*operand, to, from);
                }
            }
        }
    }
}
