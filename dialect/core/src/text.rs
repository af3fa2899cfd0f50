//! Text of bundles in the compiler's syntax.

use std::fmt::Write;

use crate::arch::CoreArch;
use crate::bundle::{Bundle, Operand, SlotInstruction};
use crate::isa::{CoreIsa, OperandField, OperandKind, TextPart};
use crate::register::{Register, RegisterFile};

/// Number of the first general register in AIE2's pairs: `l0` is `r17:r16`.
const AIE2_FIRST_PAIRED: u8 = 16;

/// r24 and r25: the positions of the two load fifos (llvm-aie: `AIE2PRegisterInfo.td`).
pub const FIRST_FIFO_POSITION: u8 = 24;

impl CoreIsa {
    /// The text of a bundle: its instructions with `; ` between them.
    pub fn bundle_text(&self, bundle: &Bundle) -> String {
        self.bundle_text_with(bundle, &|_, _| None)
    }

    /// Same as [`Self::bundle_text`], with names for immediates: `name_of` gets the operand's field
    /// and value.
    pub fn bundle_text_with(
        &self,
        bundle: &Bundle,
        name_of: &dyn Fn(&OperandField, i32) -> Option<String>,
    ) -> String {
        let mut text = String::new();
        for (index, (_, instruction)) in bundle.slots.iter().enumerate() {
            if index > 0 {
                text += "; ";
            }
            self.write_instruction(&mut text, instruction, name_of);
        }
        text
    }

    /// The text of an instruction.
    pub fn instruction_text(&self, instruction: &SlotInstruction) -> String {
        let mut text = String::new();
        self.write_instruction(&mut text, instruction, &|_, _| None);
        text
    }

    fn write_instruction(
        &self,
        text: &mut String,
        instruction: &SlotInstruction,
        name_of: &dyn Fn(&OperandField, i32) -> Option<String>,
    ) {
        let row = &self.instructions[usize::from(instruction.instruction)];
        for part in &row.text {
            match part {
                TextPart::Literal(literal) => text.push_str(literal),
                TextPart::Operand(index) => {
                    let index = usize::from(*index);
                    let operand = instruction.operands.get(index).copied();
                    let field = &row.operands[index];
                    self.write_operand(text, field, operand, name_of);
                }
            }
        }
    }

    fn write_operand(
        &self,
        text: &mut String,
        field: &OperandField,
        operand: Option<Operand>,
        name_of: &dyn Fn(&OperandField, i32) -> Option<String>,
    ) {
        // Writing to a string can't fail.
        let _ = match operand {
            None => write!(text, "?"),
            Some(Operand::Register(register)) => write!(text, "{}", self.register_text(register)),
            Some(Operand::Immediate(value)) => match name_of(field, value) {
                Some(name) => write!(text, "#{name}"),
                None => write!(text, "#{value}"),
            },
            Some(Operand::Code(code)) => match field.kind {
                OperandKind::Unconfirmed { class } => write!(text, "<{class}:{code}>"),
                _ => write!(text, "<{code}>"),
            },
        };
    }

    /// A register as the compiler of the architecture writes it: pairs are `r17:r16`, load fifos
    /// `p0, lf0, r24`.
    pub fn register_text(&self, register: Register) -> String {
        let number = register.number;
        match register.file {
            // `crsat`: llvm-aie's tests `aie2ps/BinaryOutput`.
            RegisterFile::Control | RegisterFile::CoreId if self.arch == CoreArch::Aie2ps => {
                register.to_string().to_ascii_lowercase()
            }
            RegisterFile::L => {
                let low = self.first_paired() + 2 * number;
                format!("r{}:r{low}", low + 1)
            }
            RegisterFile::Plfr => {
                format!("p{number}, lf{number}, r{}", FIRST_FIFO_POSITION + number)
            }
            _ => register.to_string(),
        }
    }

    /// Number of the lower general register of the pair `l0`.
    fn first_paired(&self) -> u8 {
        match self.arch {
            CoreArch::Aie2 => AIE2_FIRST_PAIRED,
            CoreArch::Aie2p | CoreArch::Aie2ps => 0,
        }
    }
}
