//! From a decoded instruction to what the engine executes: a table of rules over names.
//!
//! Latencies, late reads and forwarding are those of `llvm-aie`'s itineraries (AIE2:
//! `AIE2Schedule.td`; AIE2P: by class; AIE2PS: taken to be AIE2P's, unconfirmed).

#[cfg(test)]
mod coverage_tests;
mod memory;
mod product;
mod scalar;
mod vector;

use aiec_core::{CoreArch, CoreIsa, Instruction, Operand, Register, Slot, SlotInstruction};

use super::op::{Lanes, Op, Sign, Source};
use super::registers::{
    DC, DJ, DN, M, Scalar, Vector, control, pair, scalar as scalar_register,
    vector as vector_register,
};

/// Cycles from a load to its result.
pub(in crate::core::isa) const LOAD_LATENCY: u8 = 7;
/// From a load that shifts up to its result.
pub(in crate::core::isa) const LOAD_UPS_LATENCY: u8 = 9;
/// Multiplications of the scalar unit, and operations of the move slot on vectors.
const MULTIPLY_LATENCY: u8 = 2;
const MOVE_LATENCY: u8 = 2;
const UPS_LATENCY: u8 = 3;
const SRS_LATENCY: u8 = 4;
/// jl writes lr this much later.
pub(in crate::core::isa) const LINK_LATENCY: u8 = 4;
/// The cycle in which unpacking and part-word stores read their source.
pub(in crate::core::isa) const LATE_SOURCE: u8 = 6;

/// An instruction to be resolved.
struct Resolver<'a> {
    isa: &'a CoreIsa,
    row: &'a Instruction,
    operands: &'a [Operand],
    /// The mnemonic, cut at its dots.
    parts: Vec<&'a str>,
    /// The address after five more bundles.
    return_to: Option<u32>,
}

/// The operation of an instruction; `None` for those that do nothing, an error for those without a
/// model.
pub(in crate::core::isa) fn resolve(
    isa: &CoreIsa,
    instruction: &SlotInstruction,
    return_to: Option<u32>,
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
        row,
        operands: &instruction.operands,
        parts: row.mnemonic.split('.').collect(),
        return_to,
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
        if let Some(op) = self.memory() {
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
                .or_else(|| self.moves())
                .or_else(|| self.bus()),
        }
    }

    pub(super) fn arch(&self) -> CoreArch {
        self.isa.arch
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
        if text == "bf16" {
            return Some(Lanes::Bf16);
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
