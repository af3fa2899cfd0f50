//! Which instructions of the tables have a model.

use std::collections::BTreeMap;

use aiec_core::{CoreArch, CoreIsa, Instruction, Operand, OperandKind, SlotInstruction};

use super::{InstructionPlace, resolve};

const HERE: InstructionPlace = InstructionPlace {
    pc: 0,
    return_to: Some(0),
};

/// Choices of registers that are tried for an instruction: some have a model with certain ones only.
const CHOICES: usize = 64;

/// Whether an instruction has a model with some registers, its immediates being 0.
pub(super) fn is_modelled(isa: &CoreIsa, index: usize, row: &Instruction) -> bool {
    (0..CHOICES).any(|choice| {
        let operands = row.operands.iter().enumerate();
        let operands = operands.map(|(place, field)| match field.kind {
            OperandKind::Register { class } => {
                let registers: Vec<_> = isa.class(class).registers().collect();
                // Steps without a common divisor meet all pairs of small classes.
                Operand::Register(registers[(choice * (2 * place + 1)) % registers.len()])
            }
            OperandKind::Unconfirmed { .. } => Operand::Code(0),
            OperandKind::Immediate { .. } => Operand::Immediate(0),
        });
        let instruction = SlotInstruction {
            instruction: index as u16,
            operands: operands.collect::<Vec<_>>().into(),
            ignored: 0,
        };
        resolve(isa, &instruction, HERE).is_ok()
    })
}

/// An instruction that the simulator refuses to execute in some forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnmodelledInstruction {
    /// Its name in assembly.
    pub mnemonic: &'static str,
    /// Rows of the table with this name that have no model.
    pub refused_forms: usize,
    /// Rows of the table with this name.
    pub forms: usize,
}

/// The instructions of an architecture that the simulator refuses to execute, by name.
pub fn unmodelled(arch: CoreArch) -> Vec<UnmodelledInstruction> {
    let isa = CoreIsa::of(arch);
    let mut by_name: BTreeMap<&str, UnmodelledInstruction> = BTreeMap::new();
    for (index, row) in isa.instructions.iter().enumerate() {
        let all = by_name
            .entry(row.mnemonic)
            .or_insert(UnmodelledInstruction {
                mnemonic: row.mnemonic,
                refused_forms: 0,
                forms: 0,
            });
        all.forms += 1;
        all.refused_forms += usize::from(!is_modelled(isa, index, row));
    }
    let refused = by_name.into_values().filter(|all| all.refused_forms > 0);
    refused.collect()
}
