//! Bundles: the instructions that a core issues in a cycle, decoded from and encoded to bytes.

use smallvec::SmallVec;
use thiserror::Error;

use crate::isa::{
    CoreIsa, Format, ImmediateSign, OperandField, OperandKind, Slot, SlotSet, low_bits,
};
use crate::register::Register;

/// Length in bytes of the longest bundle.
pub const MAX_BUNDLE_BYTES: usize = 16;

/// The value of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A number, already multiplied by the field's scale.
    Immediate(i32),
    /// The code of a register whose class is unconfirmed.
    Code(u8),
}

/// An instruction with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SlotInstruction {
    /// Index into [`CoreIsa::instructions`].
    pub instruction: u16,
    /// Its operands, in the order of [`crate::Instruction::operands`].
    pub operands: SmallVec<[Operand; 5]>,
    /// Bits of the slot that the instruction ignores, as they were decoded; 0 in text.
    pub ignored: u32,
}

/// A bundle.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bundle {
    /// Index into [`CoreIsa::formats`].
    pub format: u16,
    /// Length in bytes: 2 to 16.
    pub length: u8,
    /// The instruction of each slot that the format has.
    pub slots: SmallVec<[(Slot, SlotInstruction); 7]>,
}

/// Why bytes don't decode as a bundle.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The bytes end within the bundle.
    #[error("the bundle has {length} bytes, only {available} follow")]
    Truncated {
        /// Length of the bundle in bytes.
        length: u8,
        /// Bytes that there are.
        available: usize,
    },
    /// No length or format has these bits.
    #[error("no format of a bundle has the bits {bits}")]
    UnknownFormat {
        /// The bundle's bytes in hexadecimal, lowest address first.
        bits: String,
    },
    /// No instruction of the slot has these bits.
    #[error("no instruction of slot {} has the bits {word:#x} (format {format})", slot.name())]
    UnknownInstruction {
        /// The slot.
        slot: Slot,
        /// The slot's bits.
        word: u64,
        /// The bundle's format.
        format: &'static str,
    },
}

/// Why a bundle has no bytes.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// The operands are not as many as the instruction has, or the slots not those of the format.
    #[error("`{instruction}` does not have these operands")]
    WrongOperands {
        /// The instruction's name.
        instruction: &'static str,
    },
    /// The register is not one of those that the field can name.
    #[error("`{register}` can't be operand `{operand}` of `{instruction}`")]
    WrongRegister {
        /// The register.
        register: Register,
        /// The operand's name.
        operand: &'static str,
        /// The instruction's mnemonic.
        instruction: &'static str,
    },
    /// The number does not fit.
    #[error("{value} can't be operand `{operand}` of `{instruction}`: {range}")]
    WrongImmediate {
        /// The number.
        value: i32,
        /// The operand's name.
        operand: &'static str,
        /// The instruction's mnemonic.
        instruction: &'static str,
        /// Values that the operand can hold.
        range: String,
    },
    /// The codes of the operand's registers are unconfirmed.
    #[error(
        "the register codes of operand `{operand}` of `{instruction}` are unconfirmed: no public source states those of class `{class}`"
    )]
    Unconfirmed {
        /// The operand's name.
        operand: &'static str,
        /// The instruction's name in llvm-aie.
        instruction: &'static str,
        /// The class.
        class: &'static str,
    },
}

/// The numbers that an immediate field can have: least, greatest, step.
pub fn immediate_range(sign: ImmediateSign, scale: u8, width: u32) -> (i64, i64, i64) {
    let scale = i64::from(scale);
    let (least, greatest) = match sign {
        ImmediateSign::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        ImmediateSign::Unsigned => (0, (1 << width) - 1),
        ImmediateSign::Negative => (-(1 << width), -1),
    };
    (least * scale, greatest * scale, scale)
}

impl CoreIsa {
    /// Decodes the bundle at the start of `bytes`.
    pub fn decode(&self, bytes: &[u8]) -> Result<Bundle, DecodeError> {
        let unknown = |length: usize| DecodeError::UnknownFormat {
            bits: bytes
                .iter()
                .take(length)
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        };
        let first = *bytes.first().ok_or(DecodeError::Truncated {
            length: 2,
            available: 0,
        })?;
        let length = self.bundle_length(first).ok_or_else(|| unknown(1))?;
        let Some(code) = bytes.get(..usize::from(length)) else {
            return Err(DecodeError::Truncated {
                length,
                available: bytes.len(),
            });
        };
        let mut padded = [0; MAX_BUNDLE_BYTES];
        padded[..code.len()].copy_from_slice(code);
        let bits = u128::from_le_bytes(padded);
        let format = self
            .format_of(bits, length)
            .ok_or_else(|| unknown(code.len()))?;
        let row = &self.formats[format];
        let mut slots = SmallVec::new();
        for (slot, lsb) in &row.slots {
            let word = (bits >> lsb) as u64 & low_bits(self.slot_width(*slot));
            let instruction = self.decode_slot(*slot, word).ok_or({
                DecodeError::UnknownInstruction {
                    slot: *slot,
                    word,
                    format: row.name,
                }
            })?;
            slots.push((*slot, instruction));
        }
        Ok(Bundle {
            format: format as u16,
            length,
            slots,
        })
    }

    /// The format of a bundle of this length: of those that fit the one with most fixed bits.
    fn format_of(&self, bits: u128, length: u8) -> Option<usize> {
        let formats = self.formats.iter().enumerate();
        formats
            .filter(|(_, format)| format.bytes == length && bits & format.mask == format.fixed)
            .max_by_key(|(_, format)| format.mask.count_ones())
            .map(|(index, _)| index)
    }

    /// Decodes a slot's bits.
    pub fn decode_slot(&self, slot: Slot, word: u64) -> Option<SlotInstruction> {
        self.by_slot[slot as usize].iter().find_map(|index| {
            let row = &self.instructions[usize::from(*index)];
            if word & row.mask != row.fixed {
                return None;
            }
            let operands = row.operands.iter();
            let operands = operands.map(|field| self.decode_operand(field, word));
            let meant = row.operands.iter().map(|field| field.place(u64::MAX));
            let meant = meant.fold(row.mask, |bits, field| bits | field);
            Some(SlotInstruction {
                instruction: *index,
                operands: operands.collect::<Option<_>>()?,
                ignored: (word & !meant) as u32,
            })
        })
    }

    fn decode_operand(&self, field: &OperandField, word: u64) -> Option<Operand> {
        let code = field.extract(word);
        Some(match field.kind {
            OperandKind::Register { class } => Operand::Register(self.class(class).register(code)?),
            OperandKind::Unconfirmed { .. } => Operand::Code(code as u8),
            OperandKind::Immediate { sign, scale, .. } => {
                let width = field.width();
                let is_negative = match sign {
                    ImmediateSign::Signed => code >> (width - 1) != 0,
                    ImmediateSign::Unsigned => false,
                    ImmediateSign::Negative => true,
                };
                let value = code as i64 - if is_negative { 1 << width } else { 0 };
                Operand::Immediate((value * i64::from(scale)) as i32)
            }
        })
    }

    /// The bits of an instruction in its slot.
    pub fn encode_slot(&self, instruction: &SlotInstruction) -> Result<u64, EncodeError> {
        let row = &self.instructions[usize::from(instruction.instruction)];
        if row.operands.len() != instruction.operands.len() {
            return Err(EncodeError::WrongOperands {
                instruction: row.name,
            });
        }
        let mut word = row.fixed | u64::from(instruction.ignored);
        for (field, operand) in row.operands.iter().zip(&instruction.operands) {
            word |= field.place(self.encode_operand(row.mnemonic, row.name, field, *operand)?);
        }
        Ok(word)
    }

    fn encode_operand(
        &self,
        mnemonic: &'static str,
        name: &'static str,
        field: &OperandField,
        operand: Operand,
    ) -> Result<u64, EncodeError> {
        match (field.kind, operand) {
            (OperandKind::Register { class }, Operand::Register(register)) => {
                let code = self.class(class).code(register);
                code.ok_or(EncodeError::WrongRegister {
                    register,
                    operand: field.name,
                    instruction: mnemonic,
                })
            }
            (OperandKind::Immediate { sign, scale, .. }, Operand::Immediate(value)) => {
                let (least, greatest, step) = immediate_range(sign, scale, field.width());
                let wide = i64::from(value);
                if wide < least || wide > greatest || wide % step != 0 {
                    return Err(EncodeError::WrongImmediate {
                        value,
                        operand: field.name,
                        instruction: mnemonic,
                        range: range_text(least, greatest, step),
                    });
                }
                Ok((wide / step) as u64 & low_bits(field.width()))
            }
            (OperandKind::Unconfirmed { .. }, Operand::Code(code)) => Ok(u64::from(code)),
            (OperandKind::Unconfirmed { class }, _) => Err(EncodeError::Unconfirmed {
                operand: field.name,
                instruction: name,
                class,
            }),
            _ => Err(EncodeError::WrongOperands { instruction: name }),
        }
    }

    /// The bytes of a bundle.
    pub fn encode(&self, bundle: &Bundle) -> Result<SmallVec<[u8; 16]>, EncodeError> {
        let format = &self.formats[usize::from(bundle.format)];
        let mut bits = format.fixed;
        for (slot, instruction) in &bundle.slots {
            let word = self.encode_slot(instruction)?;
            let lsb = format.slots.iter().find(|(known, _)| known == slot);
            let Some((_, lsb)) = lsb else {
                let row = &self.instructions[usize::from(instruction.instruction)];
                return Err(EncodeError::WrongOperands {
                    instruction: row.name,
                });
            };
            bits |= u128::from(word) << lsb;
        }
        let bytes = bits.to_le_bytes();
        Ok(SmallVec::from_slice(&bytes[..usize::from(format.bytes)]))
    }

    /// The shortest format that has all of `slots`; of several the one with fewest others.
    pub fn shortest_format(&self, slots: SlotSet) -> Option<usize> {
        self.shortest_formats[slots.index()].map(usize::from)
    }

    /// The format with just these slots.
    pub fn exact_format(&self, slots: SlotSet) -> Option<usize> {
        let matches = |format: &Format| format.slot_set == slots;
        self.formats.iter().position(matches)
    }

    /// The instruction that does nothing in `slot`.
    pub fn nop(&self, slot: Slot) -> Option<SlotInstruction> {
        let candidates = self.by_slot[slot as usize].iter().copied();
        let mut nops = candidates.filter(|index| {
            let row = &self.instructions[usize::from(*index)];
            row.mnemonic.starts_with("nop")
        });
        nops.next().map(|instruction| SlotInstruction {
            instruction,
            operands: SmallVec::new(),
            ignored: 0,
        })
    }

    /// Bundles that do nothing and take `bytes` bytes together; an odd byte is left out.
    pub fn padding(&self, bytes: usize) -> Vec<u8> {
        let mut padding = Vec::with_capacity(bytes);
        while padding.len() + 1 < bytes {
            let left = bytes - padding.len();
            let fits = |format: &&Format| usize::from(format.bytes) <= left;
            let longest = self
                .formats
                .iter()
                .filter(fits)
                .max_by_key(|format| format.bytes);
            let Some(format) = longest else { break };
            let mut bits = format.fixed;
            for (slot, lsb) in &format.slots {
                let nop = self.nop(*slot).and_then(|nop| self.encode_slot(&nop).ok());
                bits |= u128::from(nop.unwrap_or(0)) << lsb;
            }
            padding.extend_from_slice(&bits.to_le_bytes()[..usize::from(format.bytes)]);
        }
        padding
    }
}

/// `0 to 63`, `-64 to 60 in steps of 4`
fn range_text(least: i64, greatest: i64, step: i64) -> String {
    if step == 1 {
        format!("{least} to {greatest}")
    } else {
        format!("{least} to {greatest} in steps of {step}")
    }
}
