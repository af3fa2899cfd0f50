//! Scalar arguments of runtime sequences, given a value when the design is compiled.
//!
//! A loader patches addresses of buffers into control code, and nothing else: XRT has a relocation
//! for 32-bit values, but applies it to no control code of these devices
//! (`Xilinx/XRT: src/runtime_src/core/common/api/elf_patcher.cpp`). So a design is compiled for one
//! value of each scalar argument. The argument stays, so that buffers keep their numbers.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, Device, OpKind, OpView, RuntimeSequence};
use aiec_diag::{Diag, Diags, Reported, codes};

codes! {
    /// Codes of scalar arguments.
    pub static CODES;
    SCALAR = "sequence::scalar-argument",
        "`--scalar N=VALUE` compiles a design for one value of argument N of its runtime sequence, \
         which must be an integer that the argument's type can hold. Buffers are arguments too: N \
         counts all of them from 0.";
}

/// Which sequences of a module are meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct SequenceFilter<'a> {
    /// Those of the device of this name only.
    pub device: Option<&'a str>,
    /// Those of this name only.
    pub sequence: Option<&'a str>,
}

/// Puts constants in the place of scalar arguments, by their numbers.
///
/// # Errors
/// Numbers of no scalar argument, and values that don't fit.
pub fn bind(
    module: &mut Module,
    which: SequenceFilter<'_>,
    values: &[(u32, i128)],
    diags: &mut Diags,
) -> Result<(), Reported> {
    let sequences = sequences(module, which);
    let mut result = Ok(());
    for (index, value) in values {
        let mut found = false;
        for sequence in &sequences {
            let Some((argument, ty)) = scalar(module, *sequence, *index) else {
                continue;
            };
            found = true;
            match fitting(*value, &ty) {
                Some(value) => put(module, *sequence, argument, value, ty),
                None => {
                    let message = format!("argument {index} is {ty}, which can't hold {value}");
                    let diag = Diag::error(&SCALAR, message)
                        .label(module.span(*sequence), "an argument of this sequence")
                        .help("give a value that fits");
                    result = Err(diags.fail(diag));
                }
            }
        }
        if !found {
            result = Err(diags.fail(none(module, &sequences, *index)));
        }
    }
    result
}

fn sequences(module: &Module, which: SequenceFilter<'_>) -> Vec<Op> {
    let devices = module.children::<Device>(module.top()).into_iter();
    let devices = devices.filter(|d| which.device.is_none_or(|name| d.name(module) == name));
    let sequences = devices.flat_map(|device| module.children::<RuntimeSequence>(device.op()));
    let named = |s: &RuntimeSequence| {
        let name = s.sym_name(module);
        which
            .sequence
            .is_none_or(|wanted| name.is_some_and(|name| *name == *wanted))
    };
    sequences.filter(named).map(RuntimeSequence::op).collect()
}

/// An argument, if it is a number.
fn scalar(module: &Module, sequence: Op, index: u32) -> Option<(Value, Type)> {
    let entry = module.entry(sequence, 0)?;
    let argument = *module.block_args(entry).get(index as usize)?;
    let ty = module.ty(argument).clone();
    (ty == Type::Index || ty.is_int()).then_some((argument, ty))
}

/// The value as a constant holds it, if it fits the type, read with sign or without.
fn fitting(value: i128, ty: &Type) -> Option<i64> {
    let bits = ty.bit_width().unwrap_or(i64::BITS);
    let (least, most) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    if !(least..=most).contains(&value) {
        return None;
    }
    let unused = i128::BITS - bits;
    i64::try_from((value << unused) >> unused).ok()
}

fn put(module: &mut Module, sequence: Op, argument: Value, value: i64, ty: Type) {
    let Some(entry) = module.entry(sequence, 0) else {
        return;
    };
    let loc = module.loc(sequence);
    let attr = if ty == Type::I1 {
        Attr::Bool(value != 0)
    } else {
        Attr::Int(value, ty.clone())
    };
    let constant = ArithConstant::build(module, loc, attr);
    let constant = constant.insert_value(ty, InsertPoint::Start(entry));
    module.replace_all_uses(argument, constant);
}

fn none(module: &Module, sequences: &[Op], index: u32) -> Diag {
    let message = format!("argument {index} of the runtime sequence isn't a number");
    let mut scalars: Vec<String> = Vec::new();
    for sequence in sequences {
        let count = module
            .entry(*sequence, 0)
            .map_or(0, |entry| module.block_args(entry).len());
        for at in 0..count as u32 {
            if let Some((_, ty)) = scalar(module, *sequence, at) {
                let text = format!("{at} ({ty})");
                if !scalars.contains(&text) {
                    scalars.push(text);
                }
            }
        }
    }
    let help = if scalars.is_empty() {
        "it has no scalar arguments; files for buffers are given with --arg".to_string()
    } else {
        format!(
            "its scalar arguments are {}; files for buffers are given with --arg",
            scalars.join(", ")
        )
    };
    let first = sequences
        .first()
        .and_then(|sequence| module.span(*sequence));
    Diag::error(&SCALAR, message)
        .label(first, "this sequence")
        .help(help)
}

/// The scalar argument of a sequence that a value is computed from, if there is one.
pub(crate) fn behind(module: &Module, value: Value) -> Option<u32> {
    let mut seen: Vec<Value> = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        if let aiec_aie::ir::ValueDef::Argument(block, index) = module.def(value) {
            let parent = module.block_parent(block)?;
            match module.kind(parent) {
                OpKind::RuntimeSequence => {
                    if scalar(module, parent, index).is_some() {
                        return Some(index);
                    }
                }
                // The counter of a loop depends on its bounds.
                _ => todo.extend(module.operands(parent)),
            }
        } else if let Some(op) = module.def_op(value) {
            todo.extend(module.operands(op));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_types_with_sign_or_without() {
        assert_eq!(fitting(255, &Type::I8), Some(-1));
        assert_eq!(fitting(-128, &Type::I8), Some(-128));
        assert_eq!(fitting(256, &Type::I8), None);
        assert_eq!(fitting(-129, &Type::I8), None);
        assert_eq!(fitting(i128::from(u64::MAX), &Type::I64), Some(-1));
        assert_eq!(fitting(1, &Type::I1), Some(-1));
        assert_eq!(fitting(2, &Type::I1), None);
        assert_eq!(fitting(-5, &Type::Index), Some(-5));
    }
}
