//! Sums and products that keep all their bits: `arith.addui_extended`, `arith.mulsi_extended` and
//! `arith.mului_extended`, for integers of up to 64 bits and vectors of them.

use aiec_aie::ir::Op;
use aiec_aie::ops::OpKind;
use aiec_vcode::Opcode;

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Shape, Val};

/// Bits of a register, and of half of one.
const REGISTER_BITS: u8 = 64;
const HALF_BITS: u8 = 32;

impl Function<'_, '_, '_> {
    /// One of these operations; `None` if it is another.
    pub(crate) fn extended_op(&mut self, op: Op) -> Option<Lowered<()>> {
        let both = match self.low.module.kind(op) {
            OpKind::ArithAddUIExtended => self.sum_and_carry(op),
            OpKind::ArithMulSIExtended => self.product_halves(op, true),
            OpKind::ArithMulUIExtended => self.product_halves(op, false),
            _ => return None,
        };
        Some(both.map(|both| {
            for (result, val) in self.low.module.results(op).zip(both) {
                self.set(result, val);
            }
        }))
    }

    fn sum_and_carry(&mut self, op: Op) -> Lowered<[Val; 2]> {
        let shape = self.result_shape(op)?;
        let (left, right) = self.two_operands(op)?;
        let sum = self.binary(shape.lanes, Opcode::Add64, &left, &right)?;
        let sum = self.wrap(shape, REGISTER_BITS, &sum)?;
        // A sum that lost a bit is below its terms. Sign extension keeps the order of unsigned numbers.
        let carry = self.binary(shape.lanes, Opcode::Ltu, &sum, &left)?;
        Ok([sum, carry])
    }

    /// The low and the high half of a product.
    fn product_halves(&mut self, op: Op, signed: bool) -> Lowered<[Val; 2]> {
        let shape = self.result_shape(op)?;
        let Elem::Int(bits) = shape.elem else {
            return Err(self.unsupported(op));
        };
        let (mut left, mut right) = self.two_operands(op)?;
        if !signed {
            left = self.unsigned(shape, &left)?;
            right = self.unsigned(shape, &right)?;
        }
        let product = self.binary(shape.lanes, Opcode::Mul64, &left, &right)?;
        let low = self.wrap(shape, REGISTER_BITS, &product)?;
        if bits <= HALF_BITS {
            let high = self.shifted(shape, Opcode::Shrs, &product, bits)?;
            return Ok([low, self.wrap(shape, REGISTER_BITS, &high)?]);
        }
        let above = self.bits_above(shape, &left, &right, signed)?;
        if bits == REGISTER_BITS {
            return Ok([low, above]);
        }
        let from_low = self.shifted(shape, Opcode::Shru, &product, bits)?;
        let from_above = self.shifted(shape, Opcode::Shl64, &above, REGISTER_BITS - bits)?;
        let high = self.binary(shape.lanes, Opcode::Or, &from_low, &from_above)?;
        Ok([low, self.wrap(shape, REGISTER_BITS, &high)?])
    }

    /// Bits 64 to 127 of a product of two registers, from products of their halves.
    fn bits_above(&mut self, shape: Shape, a: &Val, b: &Val, signed: bool) -> Lowered<Val> {
        let lanes = shape.lanes;
        let half = |f: &mut Self, val: &Val| -> Lowered<[Val; 2]> {
            let low = f.unary(lanes, Opcode::Zext, val, HALF_BITS)?;
            Ok([low, f.shifted(shape, Opcode::Shru, val, HALF_BITS)?])
        };
        let ([a_low, a_high], [b_low, b_high]) = (half(self, a)?, half(self, b)?);
        let low = self.binary(lanes, Opcode::Mul64, &a_low, &b_low)?;
        let carried = self.shifted(shape, Opcode::Shru, &low, HALF_BITS)?;
        let cross = self.binary(lanes, Opcode::Mul64, &a_high, &b_low)?;
        let cross = self.binary(lanes, Opcode::Add64, &cross, &carried)?;
        let [cross_low, cross_high] = half(self, &cross)?;
        let other = self.binary(lanes, Opcode::Mul64, &a_low, &b_high)?;
        let other = self.binary(lanes, Opcode::Add64, &other, &cross_low)?;
        let other_high = self.shifted(shape, Opcode::Shru, &other, HALF_BITS)?;
        let high = self.binary(lanes, Opcode::Mul64, &a_high, &b_high)?;
        let high = self.binary(lanes, Opcode::Add64, &high, &cross_high)?;
        let mut high = self.binary(lanes, Opcode::Add64, &high, &other_high)?;
        if signed {
            // As unsigned numbers, negative ones are 2^64 more: the other factor is too often in the upper half.
            for (one, other) in [(a, b), (b, a)] {
                let sign = self.shifted(shape, Opcode::Shrs, one, REGISTER_BITS - 1)?;
                let excess = self.binary(lanes, Opcode::And, &sign, other)?;
                high = self.binary(lanes, Opcode::Sub64, &high, &excess)?;
            }
        }
        Ok(high)
    }

    /// A value shifted by a fixed distance, lane by lane if it is a vector.
    fn shifted(&mut self, shape: Shape, shift: Opcode, val: &Val, by: u8) -> Lowered<Val> {
        let distance = Val::Const(by.into());
        let distance = match shape.lanes {
            Some(lanes) => self.splat(&distance, lanes)?,
            None => distance,
        };
        self.binary(shape.lanes, shift, val, &distance)
    }
}
