//! Conversion between `aiex.cert` operations and CERT instructions.
//!
//! There is no table of pairs. An operation is the instruction of its name, `_` and case aside, and its
//! attributes are the instruction's operands in text order ([`aiec_cert::isa::OPS`]): symbols where these are labels or
//! scopes, numbers as they are written in assembly where they aren't.

use std::sync::LazyLock;

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, Type};
use aiec_aie::ops::{self, AttrDef, OpKind};
use aiec_cert::isa::{
    ADDRESS_IS_IMMEDIATE, ArgOffset, Barrier, FieldInfo, FieldKind, FieldValue, OPS, OpInfo,
    Operand, SymOp,
};
use aiec_cert::program::{DataId, ScopeId};
use rustc_hash::FxHashMap;

/// Prefix of the operations' names.
const PREFIX: &str = "aiex.cert.";

/// Reason why an operation has no CERT encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoInstruction {
    /// Its kind has no CERT instruction; the name.
    #[error("`{0}` has no form in control code")]
    Form(String),
    /// An operand's bits don't hold a number.
    #[error("`{operand}` of {mnemonic} is out of range: {number}")]
    Range {
        /// Name of the attribute.
        operand: &'static str,
        /// The instruction.
        mnemonic: &'static str,
        /// Written number.
        number: i64,
    },
    /// It names a section that its controller doesn't have.
    #[error("`@{0}` isn't a section of this controller")]
    Section(String),
    /// It names data that its device doesn't have.
    #[error("`@{0}` isn't data of this device")]
    Data(String),
}

/// Instructions by operation.
static INSTRUCTIONS: LazyLock<FxHashMap<OpKind, &'static OpInfo>> = LazyLock::new(|| {
    let letters = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let of = |name: &str| {
        OPS.iter()
            .find(|row| letters(row.mnemonic) == letters(name))
    };
    let pair = |def: &ops::OpDef| Some((def.kind, of(def.name.strip_prefix(PREFIX)?)?));
    ops::OPS.iter().filter_map(pair).collect()
});

/// Operations by opcode.
static KINDS: LazyLock<FxHashMap<u8, OpKind>> = LazyLock::new(|| {
    INSTRUCTIONS
        .iter()
        .map(|(kind, info)| (info.opcode, *kind))
        .collect()
});

/// The instruction of an operation.
pub fn instruction_of(kind: OpKind) -> Option<&'static OpInfo> {
    INSTRUCTIONS.get(&kind).copied()
}

/// The value of an operand that operations leave out: WRITE_32_D's address is a number.
fn implied(info: &OpInfo, field: &FieldInfo) -> Option<u32> {
    let flags = info.mnemonic == "WRITE_32_D" && field.name == "flags";
    flags.then_some(ADDRESS_IS_IMMEDIATE.into())
}

/// The attributes of an operation with their operands.
fn operands(
    kind: OpKind,
    info: &'static OpInfo,
) -> impl Iterator<Item = (&'static AttrDef, &'static FieldInfo)> {
    let attrs = kind.def().map_or(&[][..], |def| def.attrs);
    let written = info
        .operands()
        .filter(|field| implied(info, field).is_none());
    attrs.iter().filter(|attr| attr.required).zip(written)
}

/// The encoded value of a number as it is written; `None` if it is out of range.
fn encoded(field: &FieldInfo, number: i64) -> Option<u32> {
    match field.kind {
        FieldKind::RemoteBarrier => {
            let n = u8::try_from(number)
                .ok()
                .filter(|n| *n < Barrier::REMOTE_MAX)?;
            Some(Barrier::remote(n).to_bits())
        }
        FieldKind::Argument => match number {
            // All ones in 16 bits: the control code itself.
            -1 | 0xFFFF => Some(ArgOffset::CODE.to_bits()),
            n => {
                let n = u32::try_from(n)
                    .ok()
                    .filter(|n| *n <= ArgOffset::MAX_INDEX)?;
                Some(ArgOffset::argument(n as u16).to_bits())
            }
        },
        _ if field.bits == u32::BITS as u8 => {
            let signed = i32::try_from(number).ok().map(|n| n as u32);
            u32::try_from(number).ok().or(signed)
        }
        _ => u32::try_from(number).ok().filter(|n| *n <= field.max()),
    }
}

/// An encoded value as it is written.
fn written(field: &FieldInfo, bits: u32) -> i64 {
    match field.kind {
        FieldKind::RemoteBarrier => i64::from(bits) - 1,
        FieldKind::Argument => ArgOffset::from_bits(bits).index().map_or(-1, i64::from),
        _ => bits.into(),
    }
}

/// Makes the operation of an instruction. `name` returns the symbols of data and sections.
///
/// # Panics
/// Never: every instruction that the passes emit has an operation, which a test holds.
pub fn build(
    module: &mut Module,
    op: SymOp,
    name: &dyn Fn(Operand<DataId, ScopeId>) -> String,
    loc: Loc,
    at: InsertPoint,
) {
    let Some(kind) = KINDS.get(&op.info().opcode).copied() else {
        debug_assert!(false, "{} has no operation", op.info().mnemonic);
        return;
    };
    let mut values = Vec::new();
    op.for_each_field(|field, value| values.push((field.name, value)));
    let mut builder = module.build(kind, loc);
    for (attr, field) in operands(kind, op.info()) {
        let value = values.iter().find(|(name, _)| *name == field.name);
        let made = match value {
            Some((_, Operand::Number(bits))) => {
                let ty = attr.integer.clone().unwrap_or(Type::I32);
                Attr::Int(written(field, *bits), ty)
            }
            Some((_, named)) => Attr::symbol(name(*named)),
            None => continue,
        };
        builder = builder.attr(attr.name, made);
    }
    builder.insert(at);
}

/// Reads the instruction of an operation. `label` and `scope` find data and sections by
/// their symbols.
///
/// # Errors
/// Why there is none.
pub fn read(
    module: &Module,
    op: Op,
    label: &mut dyn FnMut(&str) -> Result<DataId, NoInstruction>,
    scope: &dyn Fn(&str) -> Result<ScopeId, NoInstruction>,
) -> Result<SymOp, NoInstruction> {
    let kind = module.kind(op);
    let no_form = || NoInstruction::Form(module.op_name(op).to_string());
    let info = instruction_of(kind).ok_or_else(no_form)?;
    let mut values = Vec::with_capacity(info.fields.len());
    for field in info.fields {
        if let Some(bits) = implied(info, field) {
            values.push(Operand::Number(bits));
            continue;
        }
        let attr = operands(kind, info).find(|(_, f)| f.name == field.name);
        let name = attr.map_or(field.name, |(attr, _)| attr.name);
        let symbol = || module.symbol_attr(op, name).unwrap_or_default();
        values.push(match field.kind {
            FieldKind::Label => Operand::Label(label(symbol())?),
            FieldKind::Scope => Operand::Scope(scope(symbol())?),
            _ => {
                let number = module.int_attr(op, name).unwrap_or_default();
                let wrong = || NoInstruction::Range {
                    operand: name,
                    mnemonic: info.mnemonic,
                    number,
                };
                Operand::Number(encoded(field, number).ok_or_else(wrong)?)
            }
        });
    }
    SymOp::from_fields(info, values).ok_or_else(no_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other operations are pages, jobs, sections, groups, chains and descriptors.
    const STRUCTURE: usize = 6;

    #[test]
    fn operations_have_the_operands_of_their_instructions() {
        let all = ops::OPS.iter().filter(|def| def.name.starts_with(PREFIX));
        assert_eq!(INSTRUCTIONS.len(), all.count() - STRUCTURE);
        for (kind, info) in INSTRUCTIONS.iter() {
            let def = kind.def().unwrap();
            let fields = info.fields.iter().filter(|f| implied(info, f).is_none());
            assert_eq!(def.attrs.len(), fields.count(), "{}", def.name);
            for (attr, field) in operands(*kind, info) {
                let symbol = matches!(field.kind, FieldKind::Label | FieldKind::Scope);
                assert_eq!(
                    (attr.accepts)(&Attr::symbol("a")),
                    symbol,
                    "{} of {}",
                    attr.name,
                    def.name
                );
            }
        }
    }

    #[test]
    fn an_operation_stands_for_the_instruction_that_it_was_made_of() {
        for (kind, info) in INSTRUCTIONS.iter() {
            let value = |field: &FieldInfo| match field.kind {
                FieldKind::Label => Operand::Label(DataId(0)),
                FieldKind::Scope => Operand::Scope(ScopeId(1)),
                FieldKind::RemoteBarrier => Operand::Number(Barrier::remote(3).to_bits()),
                FieldKind::Argument => Operand::Number(ArgOffset::CODE.to_bits()),
                _ => Operand::Number(implied(info, field).unwrap_or(field.max())),
            };
            let op = SymOp::from_fields(info, info.fields.iter().map(value)).unwrap();
            let mut module = Module::new();
            let at = InsertPoint::End(module.body());
            build(&mut module, op, &|_| "a".to_string(), Loc::UNKNOWN, at);
            let made = module.ops_in(module.body())[0];
            assert_eq!(module.kind(made), *kind);
            let again = read(&module, made, &mut |_| Ok(DataId(0)), &|_| Ok(ScopeId(1)));
            assert_eq!(again, Ok(op));
        }
    }
}
