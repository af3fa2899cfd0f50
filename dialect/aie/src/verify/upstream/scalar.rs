//! `arith`, `math` and `index`: elements of one kind, casts, comparisons
//! (`mlir: include/mlir/Dialect/Arith/IR/ArithOps.td`, `Math/IR/MathOps.td`, `Index/IR/IndexOps.td`).

use super::Findings;
use crate::ir::{Attr, Signedness, Type};
use crate::ops::{OpKind, Traits};

/// Predicates of `arith.cmpi` (`eq` to `uge`) and of `arith.cmpf` (`false` to `true`).
const INT_PREDICATES: i64 = 10;
const FLOAT_PREDICATES: i64 = 16;

/// The element type of a scalar, vector or tensor.
pub(super) fn element(ty: &Type) -> &Type {
    match ty {
        Type::Vector(vector) => &vector.elem,
        Type::Tensor(tensor) => &tensor.elem,
        ty => ty,
    }
}

/// Whether two types are of one shape: both scalars, or vectors or tensors of the same sizes.
pub(super) fn same_shape(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Vector(a), Type::Vector(b)) => a.shape == b.shape && a.scalable == b.scalable,
        (Type::Tensor(a), Type::Tensor(b)) => a.shape == b.shape,
        (Type::Vector(_) | Type::Tensor(_), _) | (_, Type::Vector(_) | Type::Tensor(_)) => false,
        _ => true,
    }
}

/// `i1` in the shape of a type.
fn is_mask_of(mask: &Type, ty: &Type) -> bool {
    *element(mask) == Type::I1 && same_shape(mask, ty)
}

/// Integers without a sign of their own, as upstream's operations take.
fn is_signless(ty: &Type) -> bool {
    matches!(ty, Type::Int { sign, .. } if *sign == Signedness::Signless)
}

fn is_int_like(ty: &Type) -> bool {
    is_signless(element(ty)) || *element(ty) == Type::Index
}

fn is_float_like(ty: &Type) -> bool {
    element(ty).is_float()
}

/// The elements are integers or floats, as the operation computes.
pub(super) fn element_class(finding: &mut Findings<'_>, traits: Traits) {
    let (fits, what): (fn(&Type) -> bool, _) = if traits.contains(Traits::INT_LIKE) {
        (is_int_like, "signless integers or index")
    } else if traits.contains(Traits::INDEX_LIKE) {
        (|ty| *ty == Type::Index, "index")
    } else {
        (is_float_like, "floats")
    };
    let Some(ty) = finding.operand(0) else {
        return;
    };
    if !fits(ty) {
        let message = format!("`{}` computes with {what}, not with {ty}", finding.name());
        let help = match element(ty) {
            Type::Float(_) => "take the operation for floats, such as arith.addf for arith.addi",
            Type::Int { sign, .. } if *sign != Signedness::Signless => {
                "write the type without its sign (i32 for ui32): operations say how they read it"
            }
            _ => "take the operation for this type, or convert its operands before",
        };
        finding.of_type(message, help);
    }
}

pub(super) fn comparison(finding: &mut Findings<'_>, kind: OpKind) {
    let (Some(lhs), Some(rhs), Some(result)) =
        (finding.operand(0), finding.operand(1), finding.result(0))
    else {
        return;
    };
    if lhs != rhs {
        let message = format!("`{}` compares {lhs} with {rhs}", finding.name());
        finding.of_type(message, "convert one of them before");
        return;
    }
    let (fits, what, limit) = match kind {
        OpKind::ArithCmpI => (is_int_like(lhs), "integers", INT_PREDICATES),
        OpKind::ArithCmpF => (is_float_like(lhs), "floats", FLOAT_PREDICATES),
        _ => (*lhs == Type::Index, "indices", i64::MAX),
    };
    if !fits {
        let message = format!("`{}` compares {what}, not {lhs}", finding.name());
        finding.of_type(message, "take the comparison for this type");
    }
    if !is_mask_of(result, lhs) {
        let message = format!("comparing {lhs} doesn't give {result}");
        finding.of_type(message, "its result is i1 for each element");
    }
    let predicate = finding.module.int_attr(finding.op, "predicate");
    if predicate.is_some_and(|n| !(0..limit).contains(&n)) {
        let message = format!("`{}` has no such predicate", finding.name());
        finding.of_type(message, format!("predicates are 0 to {}", limit - 1));
    }
}

pub(super) fn select(finding: &mut Findings<'_>) {
    let types = [0, 1, 2].map(|n| finding.operand(n));
    let ([Some(condition), Some(yes), Some(no)], Some(result)) = (types, finding.result(0)) else {
        return;
    };
    if yes != no || yes != result {
        let message = format!("`arith.select` of {yes} and {no} can't give {result}");
        finding.of_type(message, "both values and the result have one type");
    } else if *condition != Type::I1 && !is_mask_of(condition, result) {
        let message = format!("`arith.select` of {result} can't decide by {condition}");
        finding.of_type(
            message,
            "the condition is i1, or i1 for each element of the result",
        );
    }
}

/// Terms and the first result are of one type; the second is the high half, or `i1` for each element of a sum.
pub(super) fn extended(finding: &mut Findings<'_>, kind: OpKind) {
    let (Some(lhs), Some(rhs)) = (finding.operand(0), finding.operand(1)) else {
        return;
    };
    let (Some(low), Some(second)) = (finding.result(0), finding.result(1)) else {
        return;
    };
    let fits = match kind {
        OpKind::ArithAddUIExtended => is_mask_of(second, lhs),
        _ => second == lhs,
    };
    if lhs != rhs || lhs != low || !fits {
        let message = format!(
            "`{}` of {lhs} and {rhs} can't give {low} and {second}",
            finding.name()
        );
        let help = match kind {
            OpKind::ArithAddUIExtended => {
                "both terms and the sum have one type, the overflow is i1 for each element"
            }
            _ => "both factors and both halves of the product have one type",
        };
        finding.of_type(message, help);
    }
}

/// The value of a constant has the type of its result.
pub(super) fn constant(finding: &mut Findings<'_>) {
    let (Some(value), Some(result)) = (finding.module.attr(finding.op, "value"), finding.result(0))
    else {
        return;
    };
    let ty = match value {
        Attr::Int(_, ty) | Attr::WideInt(_, ty) | Attr::Float(_, ty) => ty,
        Attr::Dense(dense) => &dense.ty,
        Attr::DenseResource(_, ty) => ty,
        Attr::Bool(_) => &Type::I1,
        _ => return,
    };
    if ty != result {
        let message = format!("a constant of {ty} can't be the result {result}");
        finding.of_type(message, "give the value the type of the result");
    }
}

pub(super) fn integer_exponent(finding: &mut Findings<'_>) {
    let (Some(base), Some(exponent)) = (finding.operand(0), finding.operand(1)) else {
        return;
    };
    if !is_float_like(base) || !is_int_like(exponent) || !same_shape(base, exponent) {
        let message = format!("`math.fpowi` can't raise {base} to {exponent}");
        finding.of_type(
            message,
            "the base is a float, the exponent an integer of the same shape",
        );
    } else {
        finding.same_as_operand(0);
    }
}

/// Rule about the element types of a cast.
enum CastRule {
    /// From one class to another, without a rule of widths.
    Between(fn(&Type) -> bool, fn(&Type) -> bool, &'static str),
    /// To more bits of the class.
    Wider(fn(&Type) -> bool, &'static str),
    /// To fewer bits of the class.
    Narrower(fn(&Type) -> bool, &'static str),
    /// Between `index` and a signless integer.
    Index,
    /// Between `index` and an integer of any sign.
    AnyIndex,
    /// To another type of as many bits.
    SameBits,
}

fn cast_rule(kind: OpKind) -> Option<CastRule> {
    use CastRule::{AnyIndex, Between, Index, Narrower, SameBits, Wider};
    const INT: fn(&Type) -> bool = is_signless;
    const FLOAT: fn(&Type) -> bool = Type::is_float;
    Some(match kind {
        OpKind::ArithExtSI | OpKind::ArithExtUI => Wider(INT, "arith.trunci narrows"),
        OpKind::ArithExtF => Wider(FLOAT, "arith.truncf narrows"),
        OpKind::ArithTruncI => Narrower(INT, "arith.extsi and arith.extui widen"),
        OpKind::ArithTruncF => Narrower(FLOAT, "arith.extf widens"),
        OpKind::ArithSIToFP | OpKind::ArithUIToFP => {
            Between(INT, FLOAT, "it makes floats of integers")
        }
        OpKind::ArithFPToSI | OpKind::ArithFPToUI => {
            Between(FLOAT, INT, "it makes integers of floats")
        }
        OpKind::ArithIndexCast | OpKind::ArithIndexCastUI => Index,
        OpKind::IndexCastS | OpKind::IndexCastU => AnyIndex,
        OpKind::ArithBitcast => SameBits,
        _ => return None,
    })
}

pub(super) fn cast(finding: &mut Findings<'_>, kind: OpKind) {
    let (Some(from), Some(to), Some(rule)) =
        (finding.operand(0), finding.result(0), cast_rule(kind))
    else {
        return;
    };
    // Casts of memrefs of index, which upstream has, go element by element.
    if matches!((from, to), (Type::MemRef(_), Type::MemRef(_))) {
        return;
    }
    let (a, b) = (element(from), element(to));
    let bits = (a.bit_width(), b.bit_width());
    let (fits, help) = match rule {
        CastRule::Between(source, target, help) => (source(a) && target(b), help),
        CastRule::Wider(class, help) => (class(a) && class(b) && bits.0 < bits.1, help),
        CastRule::Narrower(class, help) => (class(a) && class(b) && bits.0 > bits.1, help),
        CastRule::Index => {
            let pair =
                (*a == Type::Index && is_signless(b)) || (is_signless(a) && *b == Type::Index);
            (pair, "one side is index, the other an integer")
        }
        CastRule::AnyIndex => {
            let pair = (*a == Type::Index && b.is_int()) || (a.is_int() && *b == Type::Index);
            (pair, "one side is index, the other an integer")
        }
        CastRule::SameBits => {
            let fits = [a, b].iter().all(|ty| is_signless(ty) || ty.is_float()) && bits.0 == bits.1;
            (fits, "both are signless integers or floats of as many bits")
        }
    };
    if !fits || !same_shape(from, to) {
        let message = format!("`{}` can't make {to} of {from}", finding.name());
        let help = if fits {
            "both have the same shape"
        } else {
            help
        };
        finding.of_type(message, help);
    }
}
