//! Arithmetic on scalars and, lane by lane, on vectors: the `arith` dialect.
//!
//! Integers are kept sign-extended whatever their width, so most operations need only be cut
//! to their width again; those that read bits as unsigned widen their operands first. Narrow
//! floats are computed in f32 and narrowed after each operation.

use aiec_aie::ir::{Attr, Op};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use aiec_vcode::{FloatFormat, Narrowing, Opcode, RoundingMode};

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Shape, Val, sign_extend};

impl Function<'_, '_, '_> {
    /// An operation of `arith`; `None` if it isn't known.
    pub(crate) fn arith_op(&mut self, op: Op) -> Option<Lowered<()>> {
        use OpKind::*;
        let kind = self.low.module.kind(op);
        let result = match kind {
            ArithCmpI => self.compare_integers(op),
            ArithCmpF => self.compare_floats(op),
            ArithSelect => self.select(op),
            ArithExtSI | ArithExtUI | ArithExtF | ArithTruncI | ArithTruncF | ArithSIToFP
            | ArithUIToFP | ArithFPToSI | ArithFPToUI | ArithIndexCast | ArithIndexCastUI
            | ArithBitcast => self.convert(op, kind),
            ArithNegF => self.negate(op),
            _ => match (integer_operation(kind), float_operation(kind)) {
                (Some(operation), _) => self.integers(op, operation),
                (_, Some(operation)) => self.floats(op, operation),
                _ => return None,
            },
        };
        Some(result.map(|val| self.set_result(op, val)))
    }

    pub(crate) fn two_operands(&mut self, op: Op) -> Lowered<(Val, Val)> {
        Ok((self.operand(op, 0)?, self.operand(op, 1)?))
    }

    /// Cuts an integer to its width again.
    pub(crate) fn wrap(&mut self, shape: Shape, computed: u8, val: &Val) -> Lowered<Val> {
        match shape.elem {
            Elem::Int(bits) if bits < computed => self.unary(shape.lanes, Opcode::Sext, val, bits),
            _ => Ok(val.clone()),
        }
    }

    /// An integer read as unsigned.
    pub(crate) fn unsigned(&mut self, shape: Shape, val: &Val) -> Lowered<Val> {
        match shape.elem {
            Elem::Int(bits) if bits < 64 => self.unary(shape.lanes, Opcode::Zext, val, bits),
            _ => Ok(val.clone()),
        }
    }

    fn integers(&mut self, op: Op, operation: Integer) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let Elem::Int(bits) = shape.elem else {
            return Err(self.unsupported(op));
        };
        let (mut left, mut right) = self.two_operands(op)?;
        if operation.unsigned_left {
            left = self.unsigned(shape, &left)?;
        }
        if operation.unsigned_right {
            right = self.unsigned(shape, &right)?;
        }
        let (opcode, computed) = match operation.narrow {
            Some(narrow) if bits <= 32 => (narrow, 32),
            _ => (operation.wide, 64),
        };
        let val = self.binary(shape.lanes, opcode, &left, &right)?;
        if operation.closed {
            Ok(val)
        } else {
            self.wrap(shape, computed, &val)
        }
    }

    /// Rounds a float to its format after an operation in f32 or f64.
    pub(crate) fn narrow(&mut self, shape: Shape, val: &Val) -> Lowered<Val> {
        match shape.elem {
            Elem::Float(format @ (FloatFormat::Bf16 | FloatFormat::F16)) => {
                self.unary(shape.lanes, Opcode::NarrowF, val, format.code())
            }
            _ => Ok(val.clone()),
        }
    }

    fn floats(&mut self, op: Op, (single, double): (Opcode, Opcode)) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let (left, right) = self.two_operands(op)?;
        let opcode = by_format(shape, single, double);
        let val = self.binary(shape.lanes, opcode, &left, &right)?;
        self.narrow(shape, &val)
    }

    fn negate(&mut self, op: Op) -> Lowered<Val> {
        let shape = self.result_shape(op)?;
        let operand = self.operand(op, 0)?;
        self.unary(
            shape.lanes,
            by_format(shape, Opcode::NegF, Opcode::NegD),
            &operand,
            0,
        )
    }

    fn compare_integers(&mut self, op: Op) -> Lowered<Val> {
        let lanes = self.result_shape(op)?.lanes;
        let (left, right) = self.two_operands(op)?;
        let predicate = self.low.module.int_attr(op, "predicate").unwrap_or(-1);
        // The numbers of arith.cmpi: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
        let (opcode, swap) = match predicate {
            0 => (Opcode::Eq, false),
            1 => (Opcode::Ne, false),
            2 => (Opcode::Lts, false),
            3 => (Opcode::Les, false),
            4 => (Opcode::Lts, true),
            5 => (Opcode::Les, true),
            6 => (Opcode::Ltu, false),
            7 => (Opcode::Leu, false),
            8 => (Opcode::Ltu, true),
            9 => (Opcode::Leu, true),
            _ => return Err(self.unsupported(op)),
        };
        let (left, right) = if swap { (right, left) } else { (left, right) };
        let folded = fold(opcode, &[&left, &right], 0).is_some();
        if lanes.is_none() && !folded && self.only_branches(op) {
            let (left, right) = (Box::new(left), Box::new(right));
            return Ok(Val::Compare {
                op: opcode,
                left,
                right,
            });
        }
        self.binary(lanes, opcode, &left, &right)
    }

    /// Whether the result of a comparison has one user, which branches by it.
    fn only_branches(&self, op: Op) -> bool {
        let module = self.low.module;
        let users = module
            .result(op, 0)
            .map(|result| module.uses(result))
            .unwrap_or_default();
        let [(user, 0)] = users[..] else { return false };
        matches!(
            module.kind(user),
            OpKind::ScfIf | OpKind::CfCondBr | OpKind::ScfCondition
        )
    }

    fn compare_floats(&mut self, op: Op) -> Lowered<Val> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let shape = self.shape(op, value)?;
        let (left, right) = self.two_operands(op)?;
        let predicate = self.low.module.int_attr(op, "predicate");
        let Some(predicate) = predicate.and_then(|code| u8::try_from(code).ok()) else {
            return Err(self.unsupported(op));
        };
        let opcode = by_format(shape, Opcode::CmpF, Opcode::CmpD);
        self.pure(shape.lanes, opcode, &[&left, &right], 0, Some(predicate))
    }

    fn select(&mut self, op: Op) -> Lowered<Val> {
        let ty = self
            .low
            .module
            .result(op, 0)
            .map(|result| self.low.module.ty(result));
        if ty.is_some_and(|ty| ty.as_memref().is_some()) {
            return self.select_memref(op);
        }
        let shape = self.result_shape(op)?;
        let mut condition = self.operand(op, 0)?;
        if let (Some(lanes), false) = (shape.lanes, matches!(condition, Val::Vector(_))) {
            condition = self.splat(&condition, lanes)?;
        }
        let (yes, no) = (self.operand(op, 1)?, self.operand(op, 2)?);
        self.pure(
            shape.lanes,
            Opcode::Select,
            &[&condition, &yes, &no],
            0,
            None,
        )
    }

    /// One of two memrefs of the same layout.
    fn select_memref(&mut self, op: Op) -> Lowered<Val> {
        let condition = self.operand(op, 0)?;
        let yes = self.operand_memref(op, 1)?;
        let no = self.operand_memref(op, 2)?;
        let yes = Val::Scalar(self.address_scalar(yes.start)?);
        let no = Val::Scalar(self.address_scalar(no.start)?);
        let start = self.pure(None, Opcode::Select, &[&condition, &yes, &no], 0, None)?;
        let scalar = Some(self.scalar(&start)?);
        let ty = self
            .low
            .module
            .result(op, 0)
            .map(|result| self.low.module.ty(result).clone());
        self.memref_at(op, ty.as_ref(), super::value::Address { offset: 0, scalar })
    }

    fn convert(&mut self, op: Op, kind: OpKind) -> Lowered<Val> {
        use OpKind::*;
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let (from, to) = (self.shape(op, value)?, self.result_shape(op)?);
        if from.lanes != to.lanes {
            return Err(self.unsupported(op));
        }
        let lanes = from.lanes;
        let val = self.val(value)?;
        let mode = self.rounding_mode(op);
        if kind != ArithTruncF && mode != Some(RoundingMode::ToNearestEven) {
            return Err(self.unsupported(op));
        }
        match (kind, from.elem, to.elem) {
            (ArithExtSI, Elem::Int(_), Elem::Int(_)) => Ok(val),
            (ArithExtUI, Elem::Int(_), Elem::Int(_)) => self.unsigned(from, &val),
            (ArithTruncI, Elem::Int(bits), Elem::Int(_)) => self.wrap(to, bits, &val),
            (ArithIndexCast, Elem::Int(bits), Elem::Int(_)) => self.wrap(to, bits, &val),
            (ArithIndexCastUI, Elem::Int(bits), Elem::Int(wide)) if bits < wide => {
                self.unsigned(from, &val)
            }
            (ArithIndexCastUI, Elem::Int(bits), Elem::Int(_)) => self.wrap(to, bits, &val),
            (ArithExtF, Elem::Float(FloatFormat::F64), Elem::Float(_)) => Ok(val),
            (ArithExtF, Elem::Float(_), Elem::Float(FloatFormat::F64)) => {
                self.unary(lanes, Opcode::Widen, &val, 0)
            }
            (ArithExtF, Elem::Float(_), Elem::Float(_)) => Ok(val),
            (ArithTruncF, Elem::Float(from), Elem::Float(format)) => {
                let wide = from == FloatFormat::F64;
                let opcode = if wide {
                    Opcode::NarrowD
                } else {
                    Opcode::NarrowF
                };
                let mode = mode.ok_or_else(|| self.unsupported(op))?;
                let narrowing = Narrowing { format, mode };
                self.unary(lanes, opcode, &val, narrowing.pack())
            }
            (ArithSIToFP, Elem::Int(_), Elem::Float(format)) => {
                self.unary(lanes, Opcode::SToF, &val, format.code())
            }
            (ArithUIToFP, Elem::Int(_), Elem::Float(format)) => {
                let val = self.unsigned(from, &val)?;
                self.unary(lanes, Opcode::UToF, &val, format.code())
            }
            (ArithFPToSI, Elem::Float(format), Elem::Int(_)) => {
                let val = self.unary(lanes, Opcode::FToS, &val, wide_format(format).code())?;
                self.wrap(to, 64, &val)
            }
            (ArithFPToUI, Elem::Float(format), Elem::Int(_)) => {
                let val = self.unary(lanes, Opcode::FToU, &val, wide_format(format).code())?;
                self.wrap(to, 64, &val)
            }
            (ArithBitcast, Elem::Int(_), Elem::Float(format)) => {
                self.unary(lanes, Opcode::FromBits, &val, format.code())
            }
            (ArithBitcast, Elem::Float(format), Elem::Int(_)) => {
                self.unary(lanes, Opcode::ToBits, &val, format.code())
            }
            (ArithBitcast, from, to) if from == to => Ok(val),
            _ => Err(self.unsupported(op)),
        }
    }

    /// Rounding mode of a conversion, to nearest even by default; `None` if the attribute names none.
    fn rounding_mode(&self, op: Op) -> Option<RoundingMode> {
        match self.low.module.attr(op, "roundingmode") {
            None => Some(RoundingMode::ToNearestEven),
            Some(Attr::Int(code, _)) => RoundingMode::from_code(u8::try_from(*code).ok()?),
            Some(Attr::Str(name) | Attr::Opaque(name)) => {
                // `#arith.roundingmode<upward>` in generic form
                let word = name.trim_end_matches('>').rsplit('<').next();
                RoundingMode::by_name(word.unwrap_or_default())
            }
            Some(_) => None,
        }
    }

    /// The operation of a reduction (`vector.reduction <kind>`), with whether a result in its
    /// format must be rounded, for an element type.
    pub(crate) fn combining(&self, kind: &str, elem: Elem) -> Option<Opcode> {
        use Opcode::*;
        let wide = elem == Elem::Float(FloatFormat::F64);
        Some(match (kind, elem) {
            ("add", Elem::Int(bits)) => {
                if bits <= 32 {
                    Add32
                } else {
                    Add64
                }
            }
            ("mul", Elem::Int(bits)) => {
                if bits <= 32 {
                    Mul32
                } else {
                    Mul64
                }
            }
            ("minsi", Elem::Int(_)) => Mins,
            ("maxsi", Elem::Int(_)) => Maxs,
            ("minui", Elem::Int(_)) => Minu,
            ("maxui", Elem::Int(_)) => Maxu,
            ("and", Elem::Int(_)) => And,
            ("or", Elem::Int(_)) => Or,
            ("xor", Elem::Int(_)) => Xor,
            ("add", _) => {
                if wide {
                    AddD
                } else {
                    AddF
                }
            }
            ("mul", _) => {
                if wide {
                    MulD
                } else {
                    MulF
                }
            }
            ("minimumf", _) => {
                if wide {
                    MinD
                } else {
                    MinF
                }
            }
            ("maximumf", _) => {
                if wide {
                    MaxD
                } else {
                    MaxF
                }
            }
            ("minnumf", _) => {
                if wide {
                    MinNumD
                } else {
                    MinNumF
                }
            }
            ("maxnumf", _) => {
                if wide {
                    MaxNumD
                } else {
                    MaxNumF
                }
            }
            _ => return None,
        })
    }

    /// Brings the result of a chain of operations into the form of its type.
    pub(crate) fn settle(&mut self, elem: Elem, val: &Val) -> Lowered<Val> {
        let shape = Shape { elem, lanes: None };
        match elem {
            Elem::Int(_) => self.wrap(shape, 64, val),
            Elem::Float(_) => self.narrow(shape, val),
        }
    }
}

/// Lowering of an integer operation.
#[derive(Clone, Copy)]
struct Integer {
    /// Operation for up to 32 bits, if it differs from that for 64.
    narrow: Option<Opcode>,
    wide: Opcode,
    unsigned_left: bool,
    unsigned_right: bool,
    /// The result needs no cutting: it is in range whenever the operands are.
    closed: bool,
}

fn integer_operation(kind: OpKind) -> Option<Integer> {
    use OpKind::*;
    let open = |wide| Integer {
        narrow: None,
        wide,
        unsigned_left: false,
        unsigned_right: false,
        closed: false,
    };
    let closed = |wide| Integer {
        closed: true,
        ..open(wide)
    };
    let unsigned = |wide| Integer {
        unsigned_left: true,
        unsigned_right: true,
        ..open(wide)
    };
    let both = |narrow, wide| Integer {
        narrow: Some(narrow),
        ..open(wide)
    };
    Some(match kind {
        ArithAddI => both(Opcode::Add32, Opcode::Add64),
        ArithSubI => both(Opcode::Sub32, Opcode::Sub64),
        ArithMulI => both(Opcode::Mul32, Opcode::Mul64),
        ArithShLI => both(Opcode::Shl32, Opcode::Shl64),
        ArithDivSI => open(Opcode::Divs),
        ArithRemSI => closed(Opcode::Rems),
        ArithFloorDivSI => open(Opcode::DivFloor),
        ArithCeilDivSI => open(Opcode::DivCeil),
        ArithDivUI => unsigned(Opcode::Divu),
        ArithRemUI => unsigned(Opcode::Remu),
        ArithCeilDivUI => unsigned(Opcode::DivuCeil),
        ArithAndI => closed(Opcode::And),
        ArithOrI => closed(Opcode::Or),
        ArithXOrI => closed(Opcode::Xor),
        ArithShRSI => closed(Opcode::Shrs),
        ArithShRUI => Integer {
            unsigned_left: true,
            ..open(Opcode::Shru)
        },
        ArithMinSI => closed(Opcode::Mins),
        ArithMaxSI => closed(Opcode::Maxs),
        // Sign extension keeps the order of unsigned numbers of one width.
        ArithMinUI => closed(Opcode::Minu),
        ArithMaxUI => closed(Opcode::Maxu),
        _ => return None,
    })
}

fn float_operation(kind: OpKind) -> Option<(Opcode, Opcode)> {
    use OpKind::*;
    Some(match kind {
        ArithAddF => (Opcode::AddF, Opcode::AddD),
        ArithSubF => (Opcode::SubF, Opcode::SubD),
        ArithMulF => (Opcode::MulF, Opcode::MulD),
        ArithDivF => (Opcode::DivF, Opcode::DivD),
        ArithRemF => (Opcode::RemF, Opcode::RemD),
        ArithMinimumF => (Opcode::MinF, Opcode::MinD),
        ArithMaximumF => (Opcode::MaxF, Opcode::MaxD),
        ArithMinNumF => (Opcode::MinNumF, Opcode::MinNumD),
        ArithMaxNumF => (Opcode::MaxNumF, Opcode::MaxNumD),
        _ => return None,
    })
}

pub(crate) fn by_format(shape: Shape, single: Opcode, double: Opcode) -> Opcode {
    if shape.elem == Elem::Float(FloatFormat::F64) {
        double
    } else {
        single
    }
}

/// The format that values of a format are kept in.
pub(crate) fn wide_format(format: FloatFormat) -> FloatFormat {
    match format {
        FloatFormat::F64 => FloatFormat::F64,
        _ => FloatFormat::F32,
    }
}

/// The value of an integer operation on constants.
pub(crate) fn fold(op: Opcode, operands: &[&Val], number: u8) -> Option<u64> {
    use Opcode::*;
    let constant = |n: usize| match operands.get(n) {
        Some(Val::Const(bits)) => Some(*bits),
        _ => None,
    };
    if op == Select {
        return if constant(0)? != 0 {
            constant(1)
        } else {
            constant(2)
        };
    }
    let b = constant(0)?;
    let truth = |is: bool| Some(if is { u64::MAX } else { 0 });
    match op {
        Sext if number <= 64 => return Some(sign_extend(b, number)),
        Zext if number <= 64 => return Some(b & (u64::MAX >> (64 - u32::from(number)))),
        _ => {}
    }
    let c = constant(1)?;
    let narrow = |value: i32| Some(i64::from(value) as u64);
    let (sb, sc) = (b as i64, c as i64);
    match op {
        Add32 => narrow((b as i32).wrapping_add(c as i32)),
        Sub32 => narrow((b as i32).wrapping_sub(c as i32)),
        Mul32 => narrow((b as i32).wrapping_mul(c as i32)),
        Add64 => Some(b.wrapping_add(c)),
        Sub64 => Some(b.wrapping_sub(c)),
        Mul64 => Some(b.wrapping_mul(c)),
        Divs => sb.checked_div(sc).map(|value| value as u64),
        Rems => sb.checked_rem(sc).map(|value| value as u64),
        Divu => b.checked_div(c),
        Remu => b.checked_rem(c),
        And => Some(b & c),
        Or => Some(b | c),
        Xor => Some(b ^ c),
        Mins => Some(sb.min(sc) as u64),
        Maxs => Some(sb.max(sc) as u64),
        Eq => truth(b == c),
        Ne => truth(b != c),
        Lts => truth(sb < sc),
        Les => truth(sb <= sc),
        Ltu => truth(b < c),
        Leu => truth(b <= c),
        _ => None,
    }
}
