//! Functions of numbers, lane by lane on vectors: the `math` dialect.

use aiec_aie::ir::Op;
use aiec_vcode::{FloatFormat, MathFunction, MathFunction2, Opcode};

use super::Lowered;
use super::arith::by_format;
use super::function::Function;
use super::value::{Elem, Shape, Val};

impl Function<'_, '_, '_> {
    /// An operation of `math`; `None` if it isn't known.
    pub(crate) fn math_op(&mut self, op: Op, name: &str) -> Option<Lowered<()>> {
        let (one, two) = (MathFunction::by_name(name), MathFunction2::by_name(name));
        let count = match name {
            "ctlz" => Some(Opcode::Ctlz),
            "cttz" => Some(Opcode::Cttz),
            "ctpop" => Some(Opcode::Ctpop),
            _ => None,
        };
        let result = match (one, two, count, name) {
            (Some(function), ..) => self.math_function(op, function),
            (_, Some(function), ..) => self.math_function2(op, function),
            (_, _, Some(opcode), _) => self.count_bits(op, opcode),
            (.., "fma") => self.fma(op),
            (.., "absi") => self.absolute(op),
            (.., "ipowi") => self.whole_power(op),
            _ => return None,
        };
        Some(result.map(|val| self.set_result(op, val)))
    }

    fn math_function(&mut self, op: Op, function: MathFunction) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        if matches!(shape.elem, Elem::Int(_)) {
            return Err(self.unsupported(op));
        }
        let operand = self.operand(op, 0)?;
        let opcode = by_format(shape, Opcode::MathF, Opcode::MathD);
        let val = self.unary(shape.lanes, opcode, &operand, function.code())?;
        // The sign is a bit of its own: nothing is rounded.
        if function == MathFunction::Absf {
            return Ok(val);
        }
        self.narrow(shape, &val)
    }

    fn math_function2(&mut self, op: Op, function: MathFunction2) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        if matches!(shape.elem, Elem::Int(_)) {
            return Err(self.unsupported(op));
        }
        let (left, right) = self.two_operands(op)?;
        let opcode = by_format(shape, Opcode::Math2F, Opcode::Math2D);
        let operands = [&left, &right];
        let val = self.pure(shape.lanes, opcode, &operands, 0, Some(function.code()))?;
        if function == MathFunction2::Copysign {
            return Ok(val);
        }
        self.narrow(shape, &val)
    }

    fn count_bits(&mut self, op: Op, opcode: Opcode) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let Elem::Int(bits) = shape.elem else {
            return Err(self.unsupported(op));
        };
        let operand = self.operand(op, 0)?;
        let val = self.unary(shape.lanes, opcode, &operand, bits)?;
        self.wrap(shape, 64, &val)
    }

    /// `math.fma` and `vector.fma`.
    pub(crate) fn fma(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let (left, right) = self.two_operands(op)?;
        let sum = self.operand(op, 2)?;
        self.fused(op, shape, &left, &right, &sum)
    }

    /// left * right + sum of floats, rounded once to their format.
    pub(crate) fn fused(
        &mut self,
        op: Op,
        shape: Shape,
        left: &Val,
        right: &Val,
        sum: &Val,
    ) -> Lowered<Val> {
        let opcode = match shape.elem {
            Elem::Float(FloatFormat::F32) => Opcode::FmaF,
            Elem::Float(FloatFormat::F64) => Opcode::FmaD,
            Elem::Float(FloatFormat::Bf16) => Opcode::FmaBf16,
            Elem::Float(FloatFormat::F16) => Opcode::FmaF16,
            Elem::Int(_) => return Err(self.unsupported(op)),
        };
        self.pure(shape.lanes, opcode, &[left, right, sum], 0, None)
    }

    /// `math.ipowi`
    fn whole_power(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let (left, right) = self.two_operands(op)?;
        let val = self.binary(shape.lanes, Opcode::Pows, &left, &right)?;
        self.wrap(shape, 64, &val)
    }

    fn absolute(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let Elem::Int(bits) = shape.elem else {
            return Err(self.unsupported(op));
        };
        let operand = self.operand(op, 0)?;
        let mut zero = Val::Const(0);
        if let Some(lanes) = shape.lanes {
            zero = self.splat(&zero, lanes)?;
        }
        let (subtract, computed) = if bits <= 32 {
            (Opcode::Sub32, 32)
        } else {
            (Opcode::Sub64, 64)
        };
        let negated = self.binary(shape.lanes, subtract, &zero, &operand)?;
        let negated = self.wrap(shape, computed, &negated)?;
        self.binary(shape.lanes, Opcode::Maxs, &operand, &negated)
    }
}
