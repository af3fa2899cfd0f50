//! Makes a function fit for allocation: the return address is saved, and no virtual register has
//! uses that exclude each other.

use aiec_core::{CoreIsa, Register, RegisterFile};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::register::{self, numbers};
use super::{MachineFunction, MachineInst, MachineOp, MachineOperand, VirtualRegister};

/// A step that only copies.
pub(super) fn copy(to: MachineOperand, from: MachineOperand, like: &MachineInst) -> MachineInst {
    MachineInst {
        op: MachineOp::Copy,
        operands: smallvec![to, from],
        reads: smallvec![],
        clobbers: smallvec![],
        access: None,
        source: like.source,
    }
}

/// A field and its contents: row, operand, file and the part of a register of it.
type FieldUse = (u16, u8, RegisterFile, Option<(RegisterFile, u8)>);

/// Cache of the registers that fields can name.
#[derive(Debug)]
pub(super) struct Fields {
    isa: &'static CoreIsa,
    known: FxHashMap<FieldUse, u64>,
    numbers: FxHashMap<RegisterFile, u64>,
}

impl Fields {
    pub fn new(isa: &'static CoreIsa) -> Fields {
        Fields {
            isa,
            known: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// The numbers of a file's registers, as a bit set.
    pub fn numbers(&mut self, file: RegisterFile) -> u64 {
        let isa = self.isa;
        *self
            .numbers
            .entry(file)
            .or_insert_with(|| numbers(isa, file))
    }

    /// The numbers of a file that an operand of a row can be, as a bit set.
    pub fn allowed(
        &mut self,
        row: u16,
        operand: usize,
        file: RegisterFile,
        part: Option<(RegisterFile, u8)>,
    ) -> u64 {
        let isa = self.isa;
        let key = (row, operand as u8, file, part);
        *self
            .known
            .entry(key)
            .or_insert_with(|| register::allowed(isa, row, operand, file, part))
    }

    /// Registers that an operand of a step allows for its virtual register, if it is one.
    pub fn of(
        &mut self,
        function: &MachineFunction,
        inst: &MachineInst,
        operand: usize,
    ) -> Option<(VirtualRegister, u64)> {
        let (register, part) = virtual_of(inst.operands[operand])?;
        let file = function.registers[register.0 as usize];
        let allowed = match inst.op {
            MachineOp::Row(row) => self.allowed(row, operand, file, part),
            _ => self.numbers(file),
        };
        Some((register, allowed))
    }
}

/// The virtual register of an operand, and which part of it.
pub(super) fn virtual_of(
    operand: MachineOperand,
) -> Option<(VirtualRegister, Option<(RegisterFile, u8)>)> {
    match operand {
        MachineOperand::Virtual(register) => Some((register, None)),
        MachineOperand::Part(register, file) => Some((register, Some((file, 0)))),
        MachineOperand::Nth(register, file, index) => Some((register, Some((file, index)))),
        _ => None,
    }
}

/// Puts another virtual register in the place of one.
pub(super) fn replace(
    operand: MachineOperand,
    from: VirtualRegister,
    to: VirtualRegister,
) -> MachineOperand {
    match operand {
        MachineOperand::Virtual(register) if register == from => MachineOperand::Virtual(to),
        MachineOperand::Part(register, file) if register == from => MachineOperand::Part(to, file),
        MachineOperand::Nth(register, file, index) if register == from => {
            MachineOperand::Nth(to, file, index)
        }
        other => other,
    }
}

/// Saves the return address of functions that call others, in a virtual register like any other.
pub(super) fn save_return_address(isa: &CoreIsa, function: &mut MachineFunction, returns: bool) {
    let lr = Register::new(RegisterFile::Lr, 0);
    let row_of = |inst: &MachineInst| match inst.op {
        MachineOp::Row(row) => isa.instructions.get(usize::from(row)),
        _ => None,
    };
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let calls = insts.any(|inst| row_of(inst).is_some_and(|row| row.defs.contains(&lr)));
    let first = function
        .blocks
        .first()
        .and_then(|block| block.insts.first());
    let Some(like) = first.cloned().filter(|_| calls && returns) else {
        return;
    };
    let saved = function.register(RegisterFile::R);
    for block in &mut function.blocks {
        let is_return = |inst: &MachineInst| row_of(inst).is_some_and(|row| row.uses.contains(&lr));
        if let Some(at) = block.insts.iter().position(is_return) {
            let restore = copy(
                MachineOperand::Physical(lr),
                MachineOperand::Virtual(saved),
                &block.insts[at],
            );
            block.insts.insert(at, restore);
        }
    }
    if let Some(entry) = function.blocks.first_mut() {
        let save = copy(
            MachineOperand::Virtual(saved),
            MachineOperand::Physical(lr),
            &like,
        );
        entry.insts.insert(0, save);
    }
}

/// Gives uses that exclude each other registers of their own, with copies between them. Returns the
/// allowed registers of each virtual register, as a bit set of numbers.
pub(super) fn split_conflicts(
    isa: &'static CoreIsa,
    fields: &mut Fields,
    function: &mut MachineFunction,
) -> Vec<u64> {
    let mut allowed: Vec<u64> = function
        .registers
        .iter()
        .map(|file| fields.numbers(*file))
        .collect();
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].insts.len() {
            if function.blocks[block].insts[at].op == MachineOp::Hold {
                at += 1;
                continue;
            }
            for operand in 0..function.blocks[block].insts[at].operands.len() {
                let inst = &function.blocks[block].insts[at];
                let Some((register, here)) = fields.of(function, inst, operand) else {
                    continue;
                };
                let known = &mut allowed[register.0 as usize];
                if *known & here != 0 {
                    *known &= here;
                    continue;
                }
                let inst = inst.clone();
                let own = function.register(function.registers[register.0 as usize]);
                allowed.push(here);
                let (reads, writes) = operand_directions(isa, &inst, operand);
                let (own_operand, operand_before) = (
                    MachineOperand::Virtual(own),
                    MachineOperand::Virtual(register),
                );
                let insts = &mut function.blocks[block].insts;
                insts[at].operands[operand] = replace(inst.operands[operand], register, own);
                let is_part = !matches!(inst.operands[operand], MachineOperand::Virtual(_));
                if writes {
                    insts.insert(at + 1, copy(operand_before, own_operand, &inst));
                }
                if reads || is_part {
                    insts.insert(at, copy(own_operand, operand_before, &inst));
                    at += 1;
                }
            }
            at += 1;
        }
    }
    allowed
}

/// Whether a step reads and writes an operand.
pub(super) fn operand_directions(
    isa: &CoreIsa,
    inst: &MachineInst,
    operand: usize,
) -> (bool, bool) {
    match inst.op {
        MachineOp::Row(row) => {
            // The directions don't depend on the register.
            let sample = Register::new(RegisterFile::R, 0);
            let field = isa.instructions[usize::from(row)].operands.get(operand);
            let walks = field.is_some_and(|field| field.name == "mod")
                && isa.written(row, operand, sample).is_none();
            (
                isa.read(row, operand, sample).is_some(),
                isa.written(row, operand, sample).is_some() || walks,
            )
        }
        MachineOp::Copy => (operand == 1, operand == 0),
        MachineOp::FrameAddress(_) | MachineOp::Reload(_) | MachineOp::Hold => (false, true),
        MachineOp::Spill(_) => (true, false),
        MachineOp::CountedBranch => (true, true),
    }
}

/// A function with the registers that allocation gave it.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    /// The function, with spill code.
    pub function: MachineFunction,
    /// The register of each virtual one. Those that are never touched have none.
    pub registers: Vec<Option<Register>>,
    /// The first slot of the frame that holds a spilled register; later ones do too.
    pub first_spill: usize,
}

/// Operands in the order of the text, in that of the row.
pub(super) fn ordered(
    isa: &CoreIsa,
    row: u16,
    in_text: &[MachineOperand],
) -> SmallVec<[MachineOperand; 5]> {
    let row = &isa.instructions[usize::from(row)];
    let mut order = row.text.iter().filter_map(|part| match part {
        aiec_core::TextPart::Operand(index) => Some(usize::from(*index)),
        aiec_core::TextPart::Literal(_) => None,
    });
    let mut operands: SmallVec<[MachineOperand; 5]> =
        smallvec![MachineOperand::Immediate(0); row.operands.len()];
    for operand in in_text {
        if let Some(at) = order.next() {
            operands[at] = *operand;
        }
    }
    operands
}
