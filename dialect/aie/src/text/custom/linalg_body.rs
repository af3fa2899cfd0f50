//! Bodies of named structured operations for one element. Custom syntax leaves them out: MLIR
//! derives the region from the name and the types of the operands' elements, and generic form shows
//! it (mlir: lib/Dialect/Linalg/IR/LinalgOps.cpp, `regionBuilder` of each operation).

use crate::ir::{AffineExpr, AffineMap, Attr, Block, InsertPoint, Module, Op, Type, Value};
use crate::ops::OpKind;

use super::fragments::element;

/// Value of the attribute `cast` for unsigned integers.
const CAST_UNSIGNED: &str = "#linalg.type_fn<cast_unsigned>";

/// Whether an operation's region follows from its name.
pub(super) fn has_implied_body(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::LinalgFill | OpKind::LinalgCopy | OpKind::LinalgMatmul
    )
}

/// Which elements of matrices a product of `m`, `n` and `k` takes if the operation doesn't say:
/// `(m, k)`, `(k, n)` and `(m, n)`.
pub(super) fn product_maps() -> Attr {
    let map = |a, b| {
        Attr::AffineMap(
            AffineMap {
                dims: 3,
                symbols: 0,
                results: vec![AffineExpr::Dim(a), AffineExpr::Dim(b)],
            }
            .into(),
        )
    };
    Attr::Array([map(0, 2), map(2, 1), map(0, 1)].into())
}

/// Gives an operation without a region the one that its name implies. Adds nothing where the types
/// of the operands imply none.
pub(super) fn imply(m: &mut Module, op: Op) {
    if !has_implied_body(m.kind(op)) || !m.regions_of(op).is_empty() {
        return;
    }
    // a scalar operand is its own element
    let taken = |ty: &Type| match element(ty) {
        Type::None => ty.clone(),
        elements => elements,
    };
    let operands: Vec<Type> = m.operands(op).map(|value| taken(m.ty(value))).collect();
    let Some(output) = operands.last().cloned() else {
        return;
    };
    let unsigned = matches!(m.attr(op, "cast"), Some(Attr::Opaque(how)) if **how == *CAST_UNSIGNED);
    let region = m.add_region(op);
    let block = m.add_block(region);
    let args: Vec<Value> = operands
        .into_iter()
        .map(|ty| m.add_block_arg(block, ty))
        .collect();
    let mut body = Body {
        m,
        op,
        block,
        unsigned,
    };
    let value = match (body.m.kind(op), &args[..]) {
        // A fill takes no conversion: the verifiers want one type.
        (OpKind::LinalgFill, [value, _]) => Some(*value),
        (OpKind::LinalgCopy, [value, _]) => body.as_type(*value, &output),
        (OpKind::LinalgMatmul, [left, right, sum]) => body.product(*left, *right, *sum, &output),
        _ => None,
    };
    match value {
        Some(value) => {
            body.make(OpKind::LinalgYield, &[value], None);
        }
        None => {
            m.erase_block(block);
            m.drop_last_region(op);
        }
    }
}

struct Body<'m> {
    m: &'m mut Module,
    op: Op,
    block: Block,
    unsigned: bool,
}

impl Body<'_> {
    fn make(&mut self, kind: OpKind, operands: &[Value], result: Option<&Type>) -> Option<Value> {
        let loc = self.m.loc(self.op);
        let made = self
            .m
            .build(kind, loc)
            .operands(operands.iter().copied())
            .results(result.cloned())
            .insert(InsertPoint::End(self.block));
        self.m.result(made, 0)
    }

    /// A value as one of another type of numbers.
    fn as_type(&mut self, value: Value, to: &Type) -> Option<Value> {
        let from = self.m.ty(value).clone();
        if from == *to {
            return Some(value);
        }
        let narrower = || Some(from.bit_width()? < to.bit_width()?);
        let kind = match (from.is_float(), to.is_float()) {
            _ if from == Type::Index || *to == Type::Index => match (from.is_int(), to.is_int()) {
                (false, false) => return None,
                _ if self.unsigned => OpKind::ArithIndexCastUI,
                _ => OpKind::ArithIndexCast,
            },
            (true, true) if narrower()? => OpKind::ArithExtF,
            (true, true) => OpKind::ArithTruncF,
            (true, false) if !to.is_int() => return None,
            (true, false) if self.unsigned => OpKind::ArithFPToUI,
            (true, false) => OpKind::ArithFPToSI,
            (false, _) if !from.is_int() => return None,
            (false, true) if self.unsigned => OpKind::ArithUIToFP,
            (false, true) => OpKind::ArithSIToFP,
            (false, false) if !to.is_int() => return None,
            (false, false) if !narrower()? => OpKind::ArithTruncI,
            (false, false) if self.unsigned => OpKind::ArithExtUI,
            (false, false) => OpKind::ArithExtSI,
        };
        self.make(kind, &[value], Some(to))
    }

    /// `sum + left * right`, in the type of the sum.
    fn product(&mut self, left: Value, right: Value, sum: Value, ty: &Type) -> Option<Value> {
        let (multiply, add) = match ty {
            Type::Float(_) => (OpKind::ArithMulF, OpKind::ArithAddF),
            _ if *ty == Type::I1 => (OpKind::ArithAndI, OpKind::ArithOrI),
            Type::Int { .. } => (OpKind::ArithMulI, OpKind::ArithAddI),
            _ => return None,
        };
        let left = self.as_type(left, ty)?;
        let right = self.as_type(right, ty)?;
        let product = self.make(multiply, &[left, right], Some(ty))?;
        self.make(add, &[sum, product], Some(ty))
    }
}
