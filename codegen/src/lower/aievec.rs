//! The `aievec` dialect: the vector operations of the cores. An accumulator is a vector of wider
//! elements. The core's modes are those after reset: no rounding up, no saturation.
//! Source of the meanings: `mlir-aie: include/aie/Dialect/AIEVec/IR/AIEVecOps.td`.

use aiec_aie::ir::{Op, Value};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use aiec_vcode::{FloatFormat, MathFunction, Opcode};

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Num, Shape, Val};

/// Bits of a vector register, the unit of shuffles.
const REGISTER_BITS: u64 = 512;

impl Function<'_, '_, '_> {
    /// An operation of `aievec`; `None` if it isn't known.
    pub(crate) fn aievec_op(&mut self, op: Op) -> Option<Lowered<()>> {
        use OpKind::*;
        let result = match self.low.module.kind(op) {
            AieVecAddElem => self.elementwise(op, "add"),
            AieVecSubElem => self.difference(op),
            AieVecMin => self.elementwise(op, "min"),
            AieVecMax => self.elementwise(op, "max"),
            AieVecMulElem => self.elementwise(op, "mul"),
            AieVecMacElem => self.multiply_add(op),
            AieVecNeg => self.negated(op),
            AieVecExp => self.of_elements(op, MathFunction::Exp),
            AieVecTanh => self.of_elements(op, MathFunction::Tanh),
            AieVecInv => self.inverse(op),
            AieVecCast => self.operand(op, 0),
            AieVecBroadcastScalar => self.scalar_everywhere(op),
            AieVecBroadcast => self.lane_everywhere(op),
            AieVecSrs => self.shift_down(op),
            AieVecUps => self.shift_up(op),
            AieVecPack | AieVecUnpack => self.other_width(op),
            AieVecMatMul | AieVecMatMulAie2p => return Some(self.matrix_product(op)),
            AieVecExt => return Some(self.part_of(op)),
            AieVecExtElem => {
                let vector = self.operand_vector(op, 0);
                return Some(vector.and_then(|vector| self.extract_at(op, vector, 1)));
            }
            AieVecConcat => return Some(self.concat(op)),
            AieVecShift => return Some(self.shift(op)),
            AieVecShuffle => return Some(self.shuffle_by_mode(op)),
            AieVecUpd => return Some(self.update(op)),
            _ => return None,
        };
        Some(result.map(|val| self.set_result(op, val)))
    }

    /// The operation `kind` of two elements in the type of the result; min and max are signed.
    fn elementwise(&mut self, op: Op, kind: &str) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        let kind = match (kind, elem) {
            ("min", Elem::Int(_)) => "minsi",
            ("max", Elem::Int(_)) => "maxsi",
            ("min", Elem::Float(_)) => "minnumf",
            ("max", Elem::Float(_)) => "maxnumf",
            (kind, _) => kind,
        };
        let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
        match self.combining(kind, elem) {
            Some(opcode) => {
                let val = self.binary(lanes, opcode, &left, &right)?;
                self.settle_lanes(elem, lanes, &val)
            }
            None => Err(self.unsupported(op)),
        }
    }

    fn subtract(&mut self, shape: Shape, left: &Val, right: &Val) -> Lowered<Val> {
        let opcode = match shape.elem {
            Elem::Int(bits) if bits <= 32 => Opcode::Sub32,
            Elem::Int(_) => Opcode::Sub64,
            Elem::Float(FloatFormat::F64) => Opcode::SubD,
            Elem::Float(_) => Opcode::SubF,
        };
        let val = self.binary(shape.lanes, opcode, left, right)?;
        self.settle_lanes(shape.elem, shape.lanes, &val)
    }

    fn difference(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
        self.subtract(shape, &left, &right)
    }

    fn negated(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let val = self.operand(op, 0)?;
        match shape.elem {
            Elem::Float(FloatFormat::F64) => self.unary(shape.lanes, Opcode::NegD, &val, 0),
            Elem::Float(_) => self.unary(shape.lanes, Opcode::NegF, &val, 0),
            Elem::Int(_) => {
                let zero = self.splat(&Val::Const(0), shape.lanes.ok_or(Reported)?)?;
                self.subtract(shape, &zero, &val)
            }
        }
    }

    /// `acc + lhs · rhs`, or `acc - lhs · rhs` with `fmsub`, in the accumulator's type.
    fn multiply_add(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let sum = self.operand(op, 2)?;
        let minus = self.low.module.flag(op, "fmsub")
            || self.low.module.attr(op, "fmsub").and_then(|a| a.as_bool()) == Some(true);
        let codes = (
            self.combining("mul", shape.elem),
            self.combining("add", shape.elem),
        );
        let (Some(mul), Some(add)) = codes else {
            return Err(self.unsupported(op));
        };
        if matches!(
            shape.elem,
            Elem::Float(FloatFormat::Bf16 | FloatFormat::F16)
        ) {
            let left = if minus {
                self.unary(shape.lanes, Opcode::NegF, &left, 0)?
            } else {
                left
            };
            return self.fused(op, shape, &left, &right, &sum);
        }
        let product = self.binary(shape.lanes, mul, &left, &right)?;
        if minus {
            self.subtract(shape, &sum, &product)
        } else {
            let val = self.binary(shape.lanes, add, &sum, &product)?;
            self.settle_lanes(shape.elem, shape.lanes, &val)
        }
    }

    fn of_elements(&mut self, op: Op, function: MathFunction) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        let val = self.operand(op, 0)?;
        match elem {
            Elem::Float(format) if format != FloatFormat::F64 => {
                let val = self.unary(lanes, Opcode::MathF, &val, function.code())?;
                self.settle_lanes(elem, lanes, &val)
            }
            _ => Err(self.unsupported(op)),
        }
    }

    /// `aievec.inv`: 1 / x, of a number or of each element.
    fn inverse(&mut self, op: Op) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        if !matches!(elem, Elem::Float(format) if format != FloatFormat::F64) {
            return Err(self.unsupported(op));
        }
        let val = self.operand(op, 0)?;
        let mut one = Val::Const(elem.float_constant(1f64.to_bits()).ok_or(Reported)?);
        if let Some(lanes) = lanes {
            one = self.splat(&one, lanes)?;
        }
        let val = self.binary(lanes, Opcode::DivF, &one, &val)?;
        self.settle_lanes(elem, lanes, &val)
    }

    fn scalar_everywhere(&mut self, op: Op) -> Lowered<Val> {
        let lanes = self.result_shape(op)?.lanes.ok_or(Reported)?;
        let val = self.operand(op, 0)?;
        self.splat(&val, lanes)
    }

    fn lane_everywhere(&mut self, op: Op) -> Lowered<Val> {
        let lanes = self.result_shape(op)?.lanes.ok_or(Reported)?;
        let vector = self.operand_vector(op, 0)?;
        let lane = self.low.module.int_attr(op, "idx").unwrap_or(0);
        match u32::try_from(lane) {
            Ok(lane) if lane < self.code.lanes(vector).into() => {
                let scalar = self.lane(vector, lane);
                self.splat(&scalar, lanes)
            }
            _ => Err(self.unsupported(op)),
        }
    }

    /// `aievec.srs`: shifted down and cut, or a narrower float.
    fn shift_down(&mut self, op: Op) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        let val = self.operand(op, 0)?;
        if matches!(elem, Elem::Float(_)) {
            return self.settle_lanes(elem, lanes, &val);
        }
        let shift = self.operand(op, 1)?;
        let shift = self.splat(&shift, lanes.ok_or(Reported)?)?;
        let val = self.binary(lanes, Opcode::Shrs, &val, &shift)?;
        self.cut(elem, lanes, &val)
    }

    /// `aievec.ups`: a wider element, shifted up.
    fn shift_up(&mut self, op: Op) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        let val = self.operand(op, 0)?;
        let shift = self.low.module.int_attr(op, "shift").unwrap_or(0);
        match (elem, u8::try_from(shift)) {
            (Elem::Float(_), _) | (_, Ok(0)) => Ok(val),
            (Elem::Int(_), Ok(shift)) if shift < 64 => {
                let val = self.unary(lanes, Opcode::Shli64, &val, shift)?;
                self.cut(elem, lanes, &val)
            }
            _ => Err(self.unsupported(op)),
        }
    }

    /// `aievec.pack`, `aievec.unpack`.
    fn other_width(&mut self, op: Op) -> Lowered<Val> {
        let Shape { elem, lanes } = self.result_shape(op)?;
        let val = self.operand(op, 0)?;
        self.cut(elem, lanes, &val)
    }

    /// Cuts integers to their width.
    fn cut(&mut self, elem: Elem, lanes: Option<u16>, val: &Val) -> Lowered<Val> {
        match elem {
            Elem::Int(bits) if bits < 64 => self.unary(lanes, Opcode::Sext, val, bits),
            _ => Ok(val.clone()),
        }
    }

    /// `aievec.ext`: a half or a quarter.
    fn part_of(&mut self, op: Op) -> Lowered<()> {
        let lanes = u64::from(self.result_shape(op)?.lanes.ok_or(Reported)?);
        let vector = self.operand_vector(op, 0)?;
        let index = self.low.module.int_attr(op, "index").unwrap_or(0);
        let first = u64::try_from(index).unwrap_or(0) * lanes;
        if first + lanes > u64::from(self.code.lanes(vector)) {
            return Err(self.unsupported(op));
        }
        self.gather(
            op,
            (first..first + lanes).map(|lane| (vector, lane)).collect(),
        )
    }

    fn concat(&mut self, op: Op) -> Lowered<()> {
        let mut lanes = Vec::new();
        for n in 0..self.low.module.num_operands(op) {
            let vector = self.operand_vector(op, n)?;
            lanes.extend((0..u64::from(self.code.lanes(vector))).map(|lane| (vector, lane)));
        }
        self.gather(op, lanes)
    }

    /// Bits of an element in a register.
    fn element_bits(&mut self, op: Op, value: Value) -> Lowered<u64> {
        let shape = self.shape(op, value)?;
        let memory = shape.elem.memory();
        memory
            .map(|memory| u64::from(memory.bytes()) * 8)
            .ok_or_else(|| self.unsupported(op))
    }

    /// `aievec.shift`: the bytes of both vectors one after the other, from a byte on.
    fn shift(&mut self, op: Op) -> Lowered<()> {
        let (left, right) = (self.operand_vector(op, 0)?, self.operand_vector(op, 1)?);
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let bytes = self.element_bits(op, value)? / 8;
        let shift = self.known(op, 2, "the shift of aievec.shift")?;
        let shift = u64::try_from(shift).unwrap_or(u64::MAX);
        let lanes = u64::from(self.code.lanes(left));
        if !shift.is_multiple_of(bytes) || shift / bytes > lanes {
            return Err(self.unsupported(op));
        }
        let both = |lane: u64| {
            if lane < lanes {
                (left, lane)
            } else {
                (right, lane - lanes)
            }
        };
        let first = shift / bytes;
        self.gather(op, (first..first + lanes).map(both).collect())
    }

    /// `aievec.shuffle`: matrices of elements are transposed, see [`Transposed`].
    fn shuffle_by_mode(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let bits = self.element_bits(op, value)?;
        let left = self.operand_vector(op, 0)?;
        let right = match self.low.module.num_operands(op) {
            1 => left,
            _ => self.operand_vector(op, 1)?,
        };
        let lanes = u64::from(self.code.lanes(left));
        let mode = self.low.module.int_attr(op, "mode").unwrap_or(-1);
        let mode = usize::try_from(mode).ok().and_then(|n| MODES.get(n));
        let picked = mode.and_then(|mode| mode.lanes(bits));
        let Some(picked) = picked.filter(|_| lanes * bits == REGISTER_BITS) else {
            return Err(self.unsupported(op));
        };
        let both = |lane: u64| {
            if lane < lanes {
                (left, lane)
            } else {
                (right, lane - lanes)
            }
        };
        self.gather(op, picked.into_iter().map(both).collect())
    }

    /// `aievec.upd`: a load; with a vector to update, that of a half of it. The offset is in bits.
    fn update(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let memref = self.operand_memref(op, 0)?;
        let rank = memref.strides.len();
        let shape = self.result_shape(op)?;
        let result = module.result(op, 0).ok_or(Reported)?;
        let bits = self.element_bits(op, result)?;
        let offset = u64::try_from(module.int_attr(op, "offset").unwrap_or(0)).unwrap_or(1);
        if !offset.is_multiple_of(bits) {
            return Err(self.unsupported(op));
        }
        let indices: Vec<Value> = module.operands(op).skip(1).take(rank).collect();
        let mut memref = memref;
        let elements = Num::Const((offset / bits) as i64);
        memref.start = self.advance(memref.start, elements, memref.elem_bytes)?;
        let index = module.int_attr(op, "index").unwrap_or(0);
        let updates = module.num_operands(op) > 1 + rank;
        if !updates && index == 0 {
            let val = self.load_row(op, &memref, &indices, shape)?;
            self.set_result(op, val);
            return Ok(());
        }
        let lanes = shape.lanes.ok_or(Reported)?;
        let half = lanes / 2;
        let part = Shape {
            lanes: Some(half),
            ..shape
        };
        let loaded = self.load_row(op, &memref, &indices, part)?;
        let loaded = self.vector(&loaded)?;
        let result = if updates {
            let old = self.operand_vector(op, 1 + rank)?;
            self.duplicate(old)
        } else {
            let zeros = self.splat(&Val::Const(0), lanes)?;
            self.vector(&zeros)?
        };
        let first = if index == 0 { 0 } else { u64::from(half) };
        self.copy_all(result, first, loaded, 0, half.into());
        self.set_result(op, Val::Vector(result));
        Ok(())
    }
}

/// A mode of `aievec.shuffle`: elements of `bits` bits are read as a matrix in rows, which is
/// transposed; smaller matrices than a register follow one another, of larger ones a half is taken.
/// Source of the names: `mlir-aie: include/aie/Dialect/AIEVec/IR/AIEVecAttributes.td`.
struct Transposed {
    bits: u64,
    rows: u64,
    columns: u64,
    high: bool,
}

const fn mode(bits: u64, rows: u64, columns: u64, high: bool) -> Transposed {
    Transposed {
        bits,
        rows,
        columns,
        high,
    }
}

impl Transposed {
    /// For each lane of the result the lane of both operands one after the other, for elements of
    /// `bits` bits; `None` if the matrix has smaller ones.
    fn lanes(&self, bits: u64) -> Option<Vec<u64>> {
        if !self.bits.is_multiple_of(bits) {
            return None;
        }
        let group = self.bits / bits;
        let wanted = REGISTER_BITS / self.bits;
        let size = self.rows * self.columns;
        let first = if self.high { wanted } else { 0 };
        let element = |at: u64| {
            let (matrix, inside) = (at / size, at % size);
            // `t16_1x2_flip` is a name for the exchange of neighbours.
            if self.rows == 1 && size == 2 && self.bits == 16 {
                return matrix * size + (1 - inside);
            }
            let (row, column) = (inside % self.rows, inside / self.rows);
            matrix * size + row * self.columns + column
        };
        let lanes = (first..first + wanted).map(element);
        Some(
            lanes
                .flat_map(|at| (0..group).map(move |n| at * group + n))
                .collect(),
        )
    }
}

/// The modes by number.
static MODES: [Transposed; 48] = [
    mode(8, 64, 2, false),
    mode(8, 64, 2, true),
    mode(16, 32, 2, false),
    mode(16, 32, 2, true),
    mode(32, 16, 2, false),
    mode(32, 16, 2, true),
    mode(64, 8, 2, false),
    mode(64, 8, 2, true),
    mode(128, 4, 2, false),
    mode(128, 4, 2, true),
    mode(256, 2, 2, false),
    mode(256, 2, 2, true),
    mode(128, 2, 4, false),
    mode(128, 2, 4, true),
    mode(64, 2, 8, false),
    mode(64, 2, 8, true),
    mode(32, 2, 16, false),
    mode(32, 2, 16, true),
    mode(16, 2, 32, false),
    mode(16, 2, 32, true),
    mode(8, 2, 64, false),
    mode(8, 2, 64, true),
    mode(512, 1, 2, false),
    mode(512, 1, 2, true),
    mode(16, 16, 4, false),
    mode(16, 16, 4, true),
    mode(16, 4, 16, false),
    mode(16, 4, 16, true),
    mode(16, 8, 4, false),
    mode(16, 4, 8, false),
    mode(32, 8, 4, false),
    mode(32, 8, 4, true),
    mode(32, 4, 8, false),
    mode(32, 4, 8, true),
    mode(32, 4, 4, false),
    mode(8, 8, 8, false),
    mode(8, 16, 4, false),
    mode(8, 4, 16, false),
    mode(16, 1, 2, false),
    mode(16, 4, 4, false),
    mode(16, 4, 2, false),
    mode(16, 2, 4, false),
    mode(16, 8, 2, false),
    mode(16, 2, 8, false),
    mode(16, 16, 2, false),
    mode(16, 2, 16, false),
    mode(8, 8, 4, false),
    mode(8, 4, 8, false),
];
