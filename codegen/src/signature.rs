//! The types of external functions in the words of core programs.

use aiec_aie::ir::{Attr, DYNAMIC, FloatKind, Module, Op, Signedness, Type};
use aiec_vcode::{ArgumentType, ElementType, Sign, Signature};

/// The type of a number; `None` for all others.
fn element(ty: &Type) -> Option<ElementType> {
    Some(match ty {
        Type::Index => ElementType::Index,
        Type::Int { width, sign } => ElementType::Int {
            width: u8::try_from(*width).ok().filter(|w| (1..=64).contains(w))?,
            sign: match sign {
                Signedness::Signless => Sign::Signless,
                Signedness::Signed => Sign::Signed,
                Signedness::Unsigned => Sign::Unsigned,
            },
        },
        Type::Float(FloatKind::BF16) => ElementType::Bf16,
        Type::Float(FloatKind::F16) => ElementType::F16,
        Type::Float(FloatKind::F32) => ElementType::F32,
        Type::Float(FloatKind::F64) => ElementType::F64,
        _ => return None,
    })
}

/// The type of an argument: a number, or a buffer of numbers. The layout of a buffer is not part of
/// it: a kernel gets the address of the first element.
fn argument(ty: &Type) -> Option<ArgumentType> {
    let Some(memref) = ty.as_memref() else {
        return element(ty).map(ArgumentType::Scalar);
    };
    let size = |size: &i64| match *size {
        DYNAMIC => Some(None),
        size => u64::try_from(size).ok().map(Some),
    };
    let mut shape: Vec<Option<u64>> = memref.shape.iter().map(size).collect::<Option<_>>()?;
    if shape.is_empty() {
        shape.push(Some(1));
    }
    Some(ArgumentType::Buffer {
        shape,
        element: element(&memref.elem)?,
    })
}

/// Signature by which core programs name a function of the design without a body; `None` if they
/// can't call it.
pub fn external_signature(module: &Module, function: Op) -> Option<Signature> {
    let Some(Attr::Type(Type::Function(types))) = module.attr(function, "function_type") else {
        return None;
    };
    signature(
        module.str_attr(function, "sym_name")?,
        types.inputs.iter(),
        types.results.iter(),
    )
}

/// The signature of a function of some name and types.
pub(crate) fn signature<'t>(
    name: &str,
    inputs: impl Iterator<Item = &'t Type>,
    mut results: impl Iterator<Item = &'t Type>,
) -> Option<Signature> {
    let result = match results.next() {
        Some(ty) => Some(element(ty)?),
        None => None,
    };
    results.next().is_none().then_some(())?;
    Some(Signature {
        name: name.to_string(),
        arguments: inputs.map(argument).collect::<Option<_>>()?,
        result,
    })
}
