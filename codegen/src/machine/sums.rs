//! Sums of products: a chain of instructions that each add to the result of the one before has one
//! register, and those of half an accumulator use both halves of all of them.

use aiec_core::{CoreIsa, RegisterFile};
use rustc_hash::FxHashMap;

use super::liveness::{AccessedUnits, places};
use super::prepare::{replace, virtual_of};
use super::register::allowed;
use super::{MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// Bundles in which a sum is loaded and stored, about.
const SHORT_LOOP: usize = 12;

/// Where a virtual register is read and written: the block, if it is one only, and the first and last place there.
#[derive(Clone, Copy, Debug, Default)]
struct RegisterUses {
    count: usize,
    /// The block and the first and last place in it; none if there are several blocks.
    within: Option<(usize, usize, usize)>,
}

impl RegisterUses {
    fn add(&mut self, block: usize, at: usize) {
        self.within = match self.within {
            None if self.count == 0 => Some((block, at, at)),
            Some((known, first, last)) if known == block => {
                Some((block, first.min(at), last.max(at)))
            }
            _ => None,
        };
        self.count += 1;
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    reads: RegisterUses,
    writes: RegisterUses,
}

fn uses(isa: &'static CoreIsa, function: &MachineFunction) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); function.registers.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        for (at, inst) in block.insts.iter().enumerate() {
            places(isa, function, &[], inst, |place, is_read, is_written| {
                let AccessedUnits::Virtual(register, _) = place else {
                    return;
                };
                let uses = &mut uses[register.0 as usize];
                if is_read {
                    uses.reads.add(number, at);
                }
                if is_written {
                    uses.writes.add(number, at);
                }
            });
        }
    }
    uses
}

/// The registers of an instruction's sums before and after it, if these are two.
fn sums(isa: &CoreIsa, inst: &MachineInst) -> Option<(VirtualRegister, VirtualRegister)> {
    let MachineOp::Row(row) = inst.op else {
        return None;
    };
    let row = &isa.instructions[usize::from(row)];
    let whole = |name: &str| {
        let at = row.operands.iter().position(|field| field.name == name)?;
        match inst.operands.get(at)? {
            MachineOperand::Virtual(register) => Some(*register),
            _ => None,
        }
    };
    let (before, after) = (whole("acc1")?, whole("dst")?);
    (before != after).then_some((before, after))
}

/// Instructions of a block with sums, and of its longest chain.
fn chains(isa: &CoreIsa, insts: &[MachineInst]) -> (usize, usize) {
    let mut lengths: FxHashMap<VirtualRegister, usize> = FxHashMap::default();
    let mut links = 0;
    for (before, after) in insts.iter().filter_map(|inst| sums(isa, inst)) {
        links += 1;
        let length = lengths.get(&before).copied().unwrap_or(0) + 1;
        lengths.insert(after, length);
    }
    (links, lengths.into_values().max().unwrap_or(0))
}

/// Gives the sums of each chain one register, in blocks that are much longer than their chains: iterations of a short loop
/// overlap while the links of a chain have registers of their own.
pub(super) fn join(isa: &'static CoreIsa, function: &mut MachineFunction) {
    let mut uses = uses(isa, function);
    let mut joined: FxHashMap<VirtualRegister, VirtualRegister> = FxHashMap::default();
    for number in 0..function.blocks.len() {
        let (links, longest) = chains(isa, &function.blocks[number].insts);
        if links < 2 * longest + SHORT_LOOP {
            continue;
        }
        for at in 0..function.blocks[number].insts.len() {
            let inst = &mut function.blocks[number].insts[at];
            for operand in &mut inst.operands {
                if let Some((register, _)) = virtual_of(*operand)
                    && let Some(by) = joined.get(&register)
                {
                    *operand = replace(*operand, register, *by);
                }
            }
            let Some((before, after)) = sums(isa, inst) else {
                continue;
            };
            if function.registers[before.0 as usize] != function.registers[after.0 as usize] {
                continue;
            }
            let (of_before, of_after) = (uses[before.0 as usize], uses[after.0 as usize]);
            // All of the first is before this instruction, which is its last reader; the other one begins here.
            let is_last = |places: RegisterUses, last: usize| {
                places
                    .within
                    .is_some_and(|(block, _, end)| block == number && end <= last)
            };
            let begins = of_after.writes.count == 1
                && of_after
                    .reads
                    .within
                    .is_some_and(|(block, first, _)| block == number && first > at);
            let first = |places: RegisterUses| places.within.map_or(0, |(_, first, _)| first);
            // Not one that an iteration leaves to the next.
            let is_inside = first(of_before.writes) < first(of_before.reads);
            let is_whole = is_last(of_before.reads, at) && is_last(of_before.writes, at);
            if is_whole && is_inside && begins {
                inst.operands
                    .iter_mut()
                    .for_each(|operand| *operand = replace(*operand, after, before));
                joined.insert(after, before);
                let merged = &mut uses[before.0 as usize];
                merged.reads = of_after.reads;
                merged.writes.add(number, at);
            }
        }
    }
}

/// The other half of an accumulator.
const fn other_half(file: RegisterFile) -> Option<RegisterFile> {
    use RegisterFile::*;
    Some(match file {
        Bml => Bmh,
        Amll => Amhl,
        Amlh => Amhh,
        Cml => Cmh,
        Bmll => Bmhl,
        Bmlh => Bmhh,
        _ => return None,
    })
}

/// An operand in the other half of its accumulator.
fn in_other_half(operand: MachineOperand) -> Option<MachineOperand> {
    Some(match operand {
        MachineOperand::Part(register, file) => MachineOperand::Part(register, other_half(file)?),
        MachineOperand::Nth(register, file, 0) => {
            MachineOperand::Nth(register, other_half(file)?, 0)
        }
        MachineOperand::Nth(..) => return None,
        other => other,
    })
}

/// Puts every second sum in the other halves of the accumulators, where all that touches it can name those.
pub(super) fn spread(isa: &'static CoreIsa, function: &mut MachineFunction) {
    let halves = |file: RegisterFile| {
        let is_whole = matches!(file, RegisterFile::Bml | RegisterFile::Cml);
        other_half(file).filter(|_| is_whole)
    };
    let mut movable: Vec<Option<RegisterFile>> = function
        .registers
        .iter()
        .map(|file| halves(*file))
        .collect();
    if movable.iter().all(Option::is_none) {
        return;
    }
    let mut order = Vec::new();
    let mut is_seen = vec![false; movable.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        for (index, operand) in inst.operands.iter().enumerate() {
            let Some((register, _)) = virtual_of(*operand) else {
                continue;
            };
            let at = register.0 as usize;
            let Some(file) = movable[at] else { continue };
            if !is_seen[at] {
                is_seen[at] = true;
                order.push(register);
            }
            let moved = in_other_half(*operand).and_then(virtual_of);
            let fits = match (moved, inst.op) {
                (None, _) => false,
                // Copies within a file move a whole register by one instruction.
                (Some((_, part)), MachineOp::Copy) => part.is_some(),
                (Some((_, part)), MachineOp::Row(row)) => allowed(isa, row, index, file, part) != 0,
                (Some(_), MachineOp::Hold) => true,
                _ => false,
            };
            if !fits {
                movable[at] = None;
            }
        }
    }
    let movable_ones = order
        .into_iter()
        .filter(|register| movable[register.0 as usize].is_some());
    let moved: Vec<VirtualRegister> = movable_ones.skip(1).step_by(2).collect();
    let mut is_moved = vec![false; movable.len()];
    for register in moved {
        let at = register.0 as usize;
        is_moved[at] = true;
        if let Some(file) = movable[at] {
            function.registers[at] = file;
        }
    }
    let insts = function
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.insts);
    for operand in insts.flat_map(|inst| &mut inst.operands) {
        if let Some((register, _)) = virtual_of(*operand)
            && is_moved[register.0 as usize]
            && let Some(moved) = in_other_half(*operand)
        {
            *operand = moved;
        }
    }
}
