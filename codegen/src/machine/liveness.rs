//! Where values are live: backward data flow over blocks, then ranges over positions.
//!
//! State is counted in bits: first the units of physical registers, then the lanes of each virtual
//! register, which are the units that a register of its file has. Step n of the function (counted
//! over all blocks) reads at position 2n and writes at 2n + 1, so that a value that ends at a step
//! and one that begins there may share a register: bundles read before they write.

use std::ops::Range;

use aiec_core::{Access, CoreIsa, Register, RegisterFile};

use super::register::{UNITS, Unit, gathers, lanes_of_part, part, units};
use super::{FunctionId, MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};
use crate::bits::Bits;

/// Registers that a step accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessedUnits {
    /// Lanes of a virtual register.
    Virtual(VirtualRegister, u16),
    /// A unit of a physical register.
    Unit(Unit),
}

/// The units that calls of each function destroy; of functions that are not allocated yet none.
pub(super) type CalleeUnits = [Vec<Unit>];

/// All lanes of a file's registers.
pub(super) fn all_lanes(isa: &CoreIsa, file: RegisterFile) -> u16 {
    let count = units(isa.arch, Register::new(file, 0)).len();
    ((1_u32 << count) - 1) as u16
}

/// The operand's virtual register with the lanes that it names.
fn virtual_place(
    isa: &CoreIsa,
    function: &MachineFunction,
    operand: MachineOperand,
) -> Option<(VirtualRegister, u16, Register)> {
    let (register, file, index) = match operand {
        MachineOperand::Virtual(register) => {
            let file = function.registers[register.0 as usize];
            return Some((register, all_lanes(isa, file), Register::new(file, 0)));
        }
        MachineOperand::Part(register, file) => (register, file, 0),
        MachineOperand::Nth(register, file, index) => (register, file, index),
        _ => return None,
    };
    let whole = function.registers[register.0 as usize];
    let lanes = lanes_of_part(isa.arch, whole, file, index);
    let sample = part(isa.arch, Register::new(whole, 0), file, index)?;
    Some((register, lanes, sample))
}

/// The lanes of an address generator that its walk writes: the counts of its dimensions.
fn walked_lanes(file: RegisterFile) -> Option<u16> {
    match file {
        RegisterFile::Dim2 => Some(1 << 3),
        RegisterFile::Dim3 => Some(1 << 3 | 1 << 6),
        _ => None,
    }
}

/// Whether a row reads and writes an operand, which may be `sample`.
fn directions(isa: &CoreIsa, row: u16, operand: usize, sample: Register) -> (bool, bool) {
    let is = |access: Option<Access>| access.is_some();
    (
        is(isa.read(row, operand, sample)),
        is(isa.written(row, operand, sample)),
    )
}

/// Calls `visit` with every place that a step touches, whether it reads it and whether it writes it.
/// Registers that gather flags are left out, and the stack pointer, which never changes.
pub(super) fn places(
    isa: &CoreIsa,
    function: &MachineFunction,
    callees: &CalleeUnits,
    inst: &MachineInst,
    mut visit: impl FnMut(AccessedUnits, bool, bool),
) {
    let is_row = matches!(inst.op, MachineOp::Row(_));
    let touch = |operand: MachineOperand,
                 reads: bool,
                 writes: bool,
                 visit: &mut dyn FnMut(AccessedUnits, bool, bool)| {
        if let Some((register, lanes, sample)) = virtual_place(isa, function, operand) {
            let written = walked_lanes(sample.file).filter(|_| is_row);
            match written {
                Some(walked) => {
                    visit(AccessedUnits::Virtual(register, lanes), true, false);
                    visit(AccessedUnits::Virtual(register, walked), false, true);
                }
                None => visit(AccessedUnits::Virtual(register, lanes), reads, writes),
            }
        } else if let MachineOperand::Physical(register) = operand {
            let walked = walked_lanes(register.file).filter(|_| is_row).unwrap_or(0);
            for (lane, unit) in units(isa.arch, register).into_iter().enumerate() {
                if !is_ignored(register) {
                    visit(
                        AccessedUnits::Unit(unit),
                        reads,
                        writes || walked >> lane & 1 != 0,
                    );
                }
            }
        }
    };
    match inst.op {
        MachineOp::Row(row) => {
            for (index, operand) in inst.operands.iter().enumerate() {
                let sample = match *operand {
                    MachineOperand::Physical(register) => Some(register),
                    other => virtual_place(isa, function, other).map(|(.., sample)| sample),
                };
                if let Some(sample) = sample {
                    let (reads, writes) = directions(isa, row, index, sample);
                    touch(*operand, reads, writes, &mut visit);
                }
            }
            if let Some(row) = isa.instructions.get(usize::from(row)) {
                for (registers, is_read) in [(&row.uses, true), (&row.defs, false)] {
                    for register in registers.iter().filter(|register| !is_ignored(**register)) {
                        for unit in units(isa.arch, *register) {
                            visit(AccessedUnits::Unit(unit), is_read, !is_read);
                        }
                    }
                }
            }
        }
        MachineOp::Copy => {
            touch(inst.operands[1], true, false, &mut visit);
            touch(inst.operands[0], false, true, &mut visit);
        }
        MachineOp::FrameAddress(_) | MachineOp::Reload(_) => {
            touch(inst.operands[0], false, true, &mut visit);
        }
        MachineOp::Spill(_) => touch(inst.operands[0], true, false, &mut visit),
        MachineOp::CountedBranch => touch(inst.operands[0], true, true, &mut visit),
        MachineOp::Hold => {
            for pair in inst.operands.chunks_exact(2) {
                if let [
                    MachineOperand::Virtual(register),
                    MachineOperand::Immediate(lanes),
                ] = *pair
                {
                    visit(AccessedUnits::Virtual(register, lanes as u16), false, true);
                }
            }
        }
    }
    for register in inst.reads.iter().filter(|register| !is_ignored(**register)) {
        for unit in units(isa.arch, *register) {
            visit(AccessedUnits::Unit(unit), true, false);
        }
    }
    for register in inst
        .clobbers
        .iter()
        .filter(|register| !is_ignored(**register))
    {
        for unit in units(isa.arch, *register) {
            visit(AccessedUnits::Unit(unit), false, true);
        }
    }
    for operand in &inst.operands {
        if let MachineOperand::Function(FunctionId(function)) = operand {
            for unit in callees.get(*function as usize).into_iter().flatten() {
                visit(AccessedUnits::Unit(*unit), false, true);
            }
        }
    }
}

fn is_ignored(register: Register) -> bool {
    register.file == RegisterFile::Sp || gathers(register)
}

/// Live ranges of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Liveness {
    /// The ranges of each virtual register, in order, not touching.
    pub virtuals: Vec<Vec<Range<u32>>>,
    /// The ranges of each unit of physical registers.
    pub units: Vec<Vec<Range<u32>>>,
}

/// Ranges under construction, from the last to the first.
#[derive(Clone, Debug, Default)]
struct Open {
    lanes: u16,
    end: u32,
    ranges: Vec<Range<u32>>,
}

impl Open {
    fn read(&mut self, lanes: u16, position: u32) {
        if self.lanes == 0 {
            self.end = position + 1;
        }
        self.lanes |= lanes;
    }

    fn write(&mut self, lanes: u16, position: u32) {
        if self.lanes == 0 {
            self.push(position..position + 1);
            return;
        }
        self.lanes &= !lanes;
        if self.lanes == 0 {
            self.push(position..self.end);
        }
    }

    fn begin(&mut self, position: u32) {
        if self.lanes != 0 {
            self.push(position..self.end);
            self.lanes = 0;
        }
    }

    /// Adds a range before all others.
    fn push(&mut self, range: Range<u32>) {
        match self.ranges.last_mut() {
            Some(next) if next.start <= range.end => next.start = next.start.min(range.start),
            _ => self.ranges.push(range),
        }
    }

    fn finish(mut self) -> Vec<Range<u32>> {
        self.ranges.reverse();
        self.ranges
    }
}

/// Computes the live ranges of a function. In blocks that are `held` the iterations of a loop overlap:
/// there nothing ends where it is written again, so that no two values share a register.
pub(super) fn liveness(
    isa: &CoreIsa,
    function: &MachineFunction,
    callees: &CalleeUnits,
    held: &[bool],
) -> Liveness {
    let mut base = Vec::with_capacity(function.registers.len());
    let mut size = UNITS;
    let mut owner = Vec::new();
    for (index, file) in function.registers.iter().enumerate() {
        base.push(size);
        let lanes = all_lanes(isa, *file).count_ones() as usize;
        owner.extend(std::iter::repeat_n(index, lanes));
        size += lanes;
    }
    let bits_of = |place: AccessedUnits, visit: &mut dyn FnMut(usize)| match place {
        AccessedUnits::Unit(unit) => visit(usize::from(unit)),
        AccessedUnits::Virtual(register, lanes) => {
            let first = base[register.0 as usize];
            (0..16)
                .filter(|lane| lanes >> lane & 1 != 0)
                .for_each(|lane| visit(first + lane));
        }
    };
    let count = function.blocks.len();
    // Units that each block reads before it writes them, and those that it writes.
    let mut reads = vec![Bits::new(size); count];
    let mut writes = vec![Bits::new(size); count];
    for (at, (block, (reads, writes))) in function
        .blocks
        .iter()
        .zip(reads.iter_mut().zip(writes.iter_mut()))
        .enumerate()
    {
        let is_held = held.get(at).copied().unwrap_or(false);
        for inst in block.insts.iter().rev() {
            places(isa, function, callees, inst, |place, _, is_written| {
                if is_written {
                    bits_of(place, &mut |bit| {
                        writes.insert(bit);
                        reads.remove(bit);
                    });
                }
            });
            places(
                isa,
                function,
                callees,
                inst,
                |place, is_read, is_written| {
                    if is_read || is_held && is_written {
                        bits_of(place, &mut |bit| reads.insert(bit));
                    }
                },
            );
        }
    }
    let mut live_in = reads;
    let mut live_out = vec![Bits::new(size); count];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..count).rev() {
            let mut out = Bits::new(size);
            for successor in &function.blocks[at].successors {
                out.merge(&live_in[successor.0 as usize]);
            }
            if live_out[at].merge(&out) {
                changed = true;
                live_in[at].merge_except(&out, &writes[at]);
            }
        }
    }
    let mut starts = Vec::with_capacity(count);
    let mut step = 0;
    for block in &function.blocks {
        starts.push(step);
        step += block.insts.len() as u32;
    }
    let mut virtuals = vec![Open::default(); function.registers.len()];
    let mut units = vec![Open::default(); UNITS];
    for (at, block) in function.blocks.iter().enumerate().rev() {
        let end = 2 * (starts[at] + block.insts.len() as u32);
        let is_held = held.get(at).copied().unwrap_or(false);
        for bit in live_out[at].iter() {
            match bit.checked_sub(UNITS) {
                None => units[bit].read(1, end - 1),
                Some(lane) => {
                    let register = owner[lane];
                    virtuals[register].read(1 << (bit - base[register]), end - 1);
                }
            }
        }
        for (index, inst) in block.insts.iter().enumerate().rev() {
            let position = 2 * (starts[at] + index as u32);
            places(isa, function, callees, inst, |place, _, is_written| {
                if is_written {
                    match place {
                        AccessedUnits::Unit(unit) => {
                            units[usize::from(unit)].write(1, position + 1)
                        }
                        AccessedUnits::Virtual(register, lanes) => {
                            virtuals[register.0 as usize].write(lanes, position + 1);
                        }
                    }
                }
            });
            places(
                isa,
                function,
                callees,
                inst,
                |place, is_read, is_written| {
                    if is_read || is_held && is_written {
                        match place {
                            AccessedUnits::Unit(unit) => units[usize::from(unit)].read(1, position),
                            AccessedUnits::Virtual(register, lanes) => {
                                virtuals[register.0 as usize].read(lanes, position);
                            }
                        }
                    }
                },
            );
        }
        let start = 2 * starts[at];
        virtuals
            .iter_mut()
            .chain(&mut units)
            .for_each(|open| open.begin(start));
    }
    Liveness {
        virtuals: virtuals.into_iter().map(Open::finish).collect(),
        units: units.into_iter().map(Open::finish).collect(),
    }
}

/// Whether two lists of ranges, each in order, have a position in common.
pub(super) fn overlap(a: &[Range<u32>], b: &[Range<u32>]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.start < y.end && y.start < x.end {
            return true;
        }
        if x.end <= y.end {
            i += 1;
        } else {
            j += 1;
        }
    }
    false
}

/// Joins two lists of ranges that don't overlap.
pub(super) fn union(a: &[Range<u32>], b: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = a.iter().chain(b).cloned().collect();
    all.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u32>> = Vec::with_capacity(all.len());
    for range in all {
        match joined.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
