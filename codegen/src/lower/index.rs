//! The `index` dialect, and poison values.

use aiec_aie::ir::{Attr, Op};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use aiec_vcode::Opcode;

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Val};

/// Bits of an index.
const INDEX_BITS: u8 = 64;

/// The names of `index.cmp`'s predicates by number, with the operation that compares, and whether the operands
/// change places.
const PREDICATES: [(&str, Opcode, bool); 10] = [
    ("eq", Opcode::Eq, false),
    ("ne", Opcode::Ne, false),
    ("slt", Opcode::Lts, false),
    ("sle", Opcode::Les, false),
    ("sgt", Opcode::Lts, true),
    ("sge", Opcode::Les, true),
    ("ult", Opcode::Ltu, false),
    ("ule", Opcode::Leu, false),
    ("ugt", Opcode::Ltu, true),
    ("uge", Opcode::Leu, true),
];

/// The operation of two indices.
fn operation(kind: OpKind) -> Option<Opcode> {
    use OpKind::*;
    Some(match kind {
        IndexAdd => Opcode::Add64,
        IndexSub => Opcode::Sub64,
        IndexMul => Opcode::Mul64,
        IndexDivS => Opcode::Divs,
        IndexDivU => Opcode::Divu,
        IndexCeilDivS => Opcode::DivCeil,
        IndexCeilDivU => Opcode::DivuCeil,
        IndexFloorDivS => Opcode::DivFloor,
        IndexRemS => Opcode::Rems,
        IndexRemU => Opcode::Remu,
        IndexMaxS => Opcode::Maxs,
        IndexMaxU => Opcode::Maxu,
        IndexMinS => Opcode::Mins,
        IndexMinU => Opcode::Minu,
        IndexShl => Opcode::Shl64,
        IndexShrS => Opcode::Shrs,
        IndexShrU => Opcode::Shru,
        IndexAnd => Opcode::And,
        IndexOr => Opcode::Or,
        IndexXor => Opcode::Xor,
        _ => return None,
    })
}

impl Function<'_, '_, '_> {
    /// An operation of `index`, or `ub.poison`; `None` if it isn't known.
    pub(crate) fn index_op(&mut self, op: Op) -> Option<Lowered<()>> {
        let kind = self.low.module.kind(op);
        let result = match kind {
            OpKind::IndexConstant | OpKind::IndexBoolConstant => self.index_constant(op),
            OpKind::IndexCastS => self.index_cast(op, false),
            OpKind::IndexCastU => self.index_cast(op, true),
            OpKind::IndexCmp => self.index_compare(op),
            OpKind::UbPoison | OpKind::LlvmUndef => self.poison(op),
            _ => {
                let opcode = operation(kind)?;
                self.index_operands(op)
                    .and_then(|(left, right)| self.binary(None, opcode, &left, &right))
            }
        };
        Some(result.map(|val| self.set_result(op, val)))
    }

    fn index_operands(&mut self, op: Op) -> Lowered<(Val, Val)> {
        Ok((self.operand(op, 0)?, self.operand(op, 1)?))
    }

    fn index_constant(&mut self, op: Op) -> Lowered<Val> {
        let module = self.low.module;
        let value = module.attr(op, "value");
        let number = match module.kind(op) {
            OpKind::IndexBoolConstant => value.and_then(Attr::as_bool).map(|is| -i64::from(is)),
            _ => value.and_then(Attr::as_int),
        };
        match number {
            Some(number) => Ok(Val::Const(number as u64)),
            None => Err(self.unsupported(op)),
        }
    }

    /// Between an index and an integer of another width: bits are cut, or filled up with the sign
    /// or with zeros.
    fn index_cast(&mut self, op: Op, unsigned: bool) -> Lowered<Val> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let (from, to) = (self.shape(op, value)?, self.result_shape(op)?);
        let val = self.val(value)?;
        match (from.elem, to.elem) {
            (Elem::Int(_), Elem::Int(to)) if to < INDEX_BITS => {
                self.unary(None, Opcode::Sext, &val, to)
            }
            (Elem::Int(from), Elem::Int(_)) if from < INDEX_BITS && unsigned => {
                self.unary(None, Opcode::Zext, &val, from)
            }
            _ => Ok(val),
        }
    }

    fn index_compare(&mut self, op: Op) -> Lowered<Val> {
        let predicate = match self.low.module.attr(op, "pred") {
            // The custom form has the number of the name.
            Some(Attr::Int(number, _)) => usize::try_from(*number).ok(),
            // `#index<cmp_predicate slt>` in generic form
            Some(Attr::Opaque(text)) => {
                let word = text.trim_end_matches('>').rsplit([' ', '<', '(']).next();
                PREDICATES.iter().position(|(name, ..)| Some(*name) == word)
            }
            _ => None,
        };
        let Some(&(_, opcode, swap)) = predicate.and_then(|n| PREDICATES.get(n)) else {
            return Err(self.unsupported(op));
        };
        let (left, right) = self.index_operands(op)?;
        if swap {
            self.binary(None, opcode, &right, &left)
        } else {
            self.binary(None, opcode, &left, &right)
        }
    }

    /// Lowers poison to zero.
    fn poison(&mut self, op: Op) -> Lowered<Val> {
        match self.result_shape(op)?.lanes {
            Some(lanes) => self.splat(&Val::Const(0), lanes),
            None => Ok(Val::Const(0)),
        }
    }
}
