//! From a decoded instruction to what the engine executes: a table of rules over names.
//!
//! Latencies, late reads and forwarding are those of the tables of timing
//! (`dialect/core/src/tables/*.timing`), which name their sources.

pub(crate) mod coverage;
#[cfg(test)]
mod coverage_tests;
mod fifo;
mod memory;
mod product;
mod scalar;
mod vector;

use aiec_core::{Access, CoreArch, CoreIsa, Instruction, Operand, Register, Slot, SlotInstruction};

use super::formats::FloatFormat;
use super::op::{Conversion, Lanes, Op, Read, Sign, Source, TimedConversion, Write};
use super::registers::{
    DC, DJ, DN, M, Scalar, Vector, control, pair, scalar as scalar_register,
    vector as vector_register,
};

/// The stage in which plain loads access memory: what a store has done by then a load of the next
/// bundle sees.
const LOAD_STAGE: u8 = 5;

/// An instruction to be resolved.
struct Resolver<'a> {
    isa: &'a CoreIsa,
    /// Its index in the table.
    index: u16,
    row: &'a Instruction,
    operands: &'a [Operand],
    /// The mnemonic, cut at its dots.
    parts: Vec<&'a str>,
    place: InstructionPlace,
}

/// Where an instruction is.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::core::isa) struct InstructionPlace {
    /// The address of its bundle.
    pub pc: u32,
    /// The address after five more bundles.
    pub return_to: Option<u32>,
}

/// The operation of an instruction; `None` for those that do nothing, an error for those without a
/// model.
pub(in crate::core::isa) fn resolve(
    isa: &CoreIsa,
    instruction: &SlotInstruction,
    place: InstructionPlace,
) -> Result<Option<Op>, String> {
    let Some(row) = isa.instructions.get(usize::from(instruction.instruction)) else {
        return Err("an instruction that the table does not have".to_string());
    };
    if row.mnemonic.starts_with("nop") {
        return Ok(None);
    }
    if let Some(operand) = row.unconfirmed_operand() {
        return Err(format!(
            "`{}` is not simulated: the registers of its operand `{}` are unconfirmed",
            row.mnemonic, operand.name
        ));
    }
    let resolver = Resolver {
        isa,
        index: instruction.instruction,
        row,
        operands: &instruction.operands,
        parts: row.mnemonic.split('.').collect(),
        place,
    };
    match resolver.resolve() {
        Some(op) => Ok(Some(op)),
        None => Err(format!(
            "`{}` is not simulated ({}: no confirmed meaning)",
            row.mnemonic, row.name
        )),
    }
}

impl Resolver<'_> {
    fn resolve(&self) -> Option<Op> {
        if let Some(op) = self.memory().or_else(|| self.fifo()) {
            return Some(op);
        }
        if self.row.memory.is_some() {
            return self.look_up();
        }
        match self.row.slot {
            Slot::Vector => self.product(),
            _ if self.row.mnemonic.starts_with('v') => self.vector_operation(),
            _ => self
                .control_flow()
                .or_else(|| self.alu())
                .or_else(|| self.nonlinear())
                .or_else(|| self.moves())
                .or_else(|| self.bus()),
        }
    }

    pub(super) fn arch(&self) -> CoreArch {
        self.isa.arch
    }

    /// The register that the first of some names is, and how it is written.
    pub(super) fn written(&self, names: &[&str]) -> Option<Access> {
        let index = names.iter().find_map(|name| self.row.operand_index(name))?;
        match self.operands.get(index)? {
            Operand::Register(register) => self.isa.written(self.index, index, *register),
            _ => None,
        }
    }

    /// Cycles until the operand of the first of some names is written.
    pub(super) fn latency(&self, names: &[&str]) -> Option<u8> {
        Some(self.written(names)?.cycle)
    }

    /// Cycles until a register that isn't an operand is written.
    pub(super) fn implicit_latency(&self, register: Register) -> u8 {
        self.isa.implicit(self.index, register).1.unwrap_or(1)
    }

    /// Read of the register that the first of some names is.
    pub(super) fn access(&self, names: &[&str]) -> Option<Access> {
        let index = names.iter().find_map(|name| self.row.operand_index(name))?;
        match self.operands.get(index)? {
            Operand::Register(register) => self.isa.read(self.index, index, *register),
            _ => None,
        }
    }

    /// Cycles after the issue in which the operand of the first of some names is read.
    pub(super) fn late(&self, names: &[&str]) -> u8 {
        self.access(names).map_or(0, |access| access.cycle - 1)
    }

    /// A vector that is read.
    pub(super) fn read(&self, names: &[&str]) -> Option<Read> {
        let access = self.access(names)?;
        let vector = self.vector(names)?;
        Some(Read::new(vector, access.cycle - 1, access.bypass))
    }

    /// A vector that is written.
    pub(super) fn write(&self, names: &[&str]) -> Option<Write> {
        let access = self.written(names)?;
        Some(Write::new(self.vector(names)?, access.cycle, access.bypass))
    }

    /// A conversion with the cycles in which it reads its shift, sign and modes.
    pub(super) fn timed(&self, conversion: Conversion) -> TimedConversion {
        let late = |name: &str| {
            let register = Register::control(name)?;
            Some(self.isa.implicit(self.index, register).0? - 1)
        };
        let sign = |names: &[&str]| names.iter().find_map(|name| late(name));
        let shift = self.late(&["shft", "su", "base"]);
        match conversion {
            Conversion::None | Conversion::WidenFloat(_) | Conversion::Exp2 | Conversion::Tanh => {
                TimedConversion {
                    conversion,
                    ..TimedConversion::NONE
                }
            }
            Conversion::Ups(..) => TimedConversion {
                conversion,
                late: shift,
                mode_late: late("crUPSMode").unwrap_or(shift),
            },
            Conversion::Unpack(..) => {
                let late = sign(&["crUnpackSign", "crUnpackSize"]).unwrap_or(0);
                TimedConversion {
                    conversion,
                    late,
                    mode_late: late,
                }
            }
            Conversion::Srs(..) | Conversion::Pack(..) | Conversion::FloorFloat(..) => {
                TimedConversion {
                    conversion,
                    late: shift,
                    mode_late: shift,
                }
            }
            Conversion::NarrowFloat(..) => TimedConversion {
                conversion,
                late: self.late(&["i"]),
                mode_late: late("crRnd").unwrap_or(0),
            },
        }
    }

    /// The operand of the first of some names.
    pub(super) fn operand(&self, names: &[&str]) -> Option<Operand> {
        let index = names.iter().find_map(|name| self.row.operand_index(name))?;
        self.operands.get(index).copied()
    }

    pub(super) fn register(&self, names: &[&str]) -> Option<Register> {
        match self.operand(names)? {
            Operand::Register(register) => Some(register),
            _ => None,
        }
    }

    pub(super) fn scalar(&self, names: &[&str]) -> Option<Scalar> {
        scalar_register(self.register(names)?)
    }

    pub(super) fn vector(&self, names: &[&str]) -> Option<Vector> {
        vector_register(self.register(names)?)
    }

    pub(super) fn immediate(&self, names: &[&str]) -> Option<u32> {
        match self.operand(names)? {
            Operand::Immediate(value) => Some(value as u32),
            _ => None,
        }
    }

    /// A register or a number.
    pub(super) fn source(&self, names: &[&str]) -> Option<Source> {
        match self.operand(names)? {
            Operand::Immediate(value) => Some(Source::Immediate(value as u32)),
            Operand::Register(register) => scalar_register(register).map(Source::Register),
            Operand::Code(_) => None,
        }
    }

    /// A scalar or the lower register of a pair, and whether it is one.
    pub(super) fn scalar_or_pair(&self, names: &[&str]) -> Option<(Scalar, bool)> {
        let register = self.register(names)?;
        match pair(self.arch(), register) {
            Some(low) => Some((low, true)),
            None => Some((scalar_register(register)?, false)),
        }
    }

    /// The sign in an instruction's name: `…Sign1`.
    pub(super) fn named_sign(&self) -> Option<bool> {
        match self.row.name {
            name if name.ends_with("Sign1") => Some(true),
            name if name.ends_with("Sign0") => Some(false),
            _ => None,
        }
    }

    /// Width and sign of lanes: `s16`, `d16` (the sign is in a control register), `16`.
    pub(super) fn lanes(&self, text: &str, register: &str) -> Option<Lanes> {
        if let Some(format) = FloatFormat::of_name(text) {
            return Some(Lanes::Float(format));
        }
        let (letter, digits) = match text.as_bytes().first()? {
            b's' | b'd' => text.split_at(1),
            _ => ("", text),
        };
        let bits: u8 = digits.parse().ok()?;
        if !bits.is_power_of_two() || bits > 128 {
            return None;
        }
        let sign = match letter {
            "s" => Sign::Fixed(true),
            "d" => Sign::Control(control(register)),
            _ => Sign::Fixed(self.named_sign().unwrap_or(false)),
        };
        Some(Lanes::Int { bits, sign })
    }
}

/// The scalars of the dimension of a number: mN, dnN, djN, dcN.
pub(in crate::core::isa) fn dimension(number: u8) -> [Scalar; 4] {
    [M + number, DN + number, DJ + number, DC + number]
}
