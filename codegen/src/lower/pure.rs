//! Pure operations on scalars and lanes, and constants.

use aiec_aie::ir::{Attr, Op};
use aiec_diag::Reported;
use aiec_vcode::{Opcode, Operand};

use super::Lowered;
use super::arith::fold;
use super::function::Function;
use super::value::{Elem, Val};
use crate::mir::{Arg, Imm, Node, Scalar, Vector};

/// Constants that get a register for the whole function; more are loaded where they are used.
const POOLED_CONSTANTS: usize = 96;

impl Function<'_, '_, '_> {
    // ---- constants in registers ----

    /// A register with a constant.
    pub(crate) fn constant_scalar(&mut self, bits: u64) -> Scalar {
        if let Some(scalar) = self.constants.get(&bits) {
            return *scalar;
        }
        let scalar = self.code.scalar();
        if self.constants.len() < POOLED_CONSTANTS {
            self.constants.insert(bits, scalar);
        } else {
            let nodes = load_constant(scalar, bits);
            self.code.nodes.extend(nodes);
        }
        scalar
    }

    /// Puts the constants of the whole function at its start.
    pub(crate) fn insert_constants(&mut self, function: Op) {
        let loads: Vec<Node> = self
            .constants
            .iter()
            .flat_map(|(bits, scalar)| load_constant(*scalar, *bits))
            .collect();
        let at = self.prologue..self.prologue;
        let sources = std::iter::repeat_n(function, loads.len());
        self.code.sources.splice(at.clone(), sources);
        self.code.nodes.splice(at, loads);
    }

    // ---- pure operations ----

    /// Applies an operation of one operand and perhaps a number.
    pub(crate) fn unary(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        b: &Val,
        number: u8,
    ) -> Lowered<Val> {
        self.pure(lanes, op, &[b], number, None)
    }

    /// Applies an operation of two operands.
    pub(crate) fn binary(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        b: &Val,
        c: &Val,
    ) -> Lowered<Val> {
        self.pure(lanes, op, &[b, c], 0, None)
    }

    /// Applies a pure operation to scalars or lane by lane. `number` is the third operand where
    /// that is a number, `small` the immediate where that is one.
    pub(crate) fn pure(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        operands: &[&Val],
        number: u8,
        small: Option<u8>,
    ) -> Lowered<Val> {
        let third_is_number = op.shape().operands[2] == Operand::Number;
        if let Some(lanes) = lanes {
            let mut args = [Arg::None; 3];
            for (slot, val) in args.iter_mut().zip(operands) {
                *slot = Arg::Vector(self.vector(val)?);
            }
            let [b, c, fourth] = args;
            // Operations of one operand repeat it, so that the operand is a vector.
            let c = if third_is_number {
                Arg::Number(number)
            } else if c == Arg::None {
                b
            } else {
                c
            };
            let fourth = match small {
                Some(small) => Arg::Number(small),
                None if fourth == Arg::None => Arg::Number(0),
                None => fourth,
            };
            let result = self.code.vector(lanes);
            let imm = Imm::Map { op, lanes, fourth };
            self.code.op(Opcode::VMap, [Arg::Vector(result), b, c], imm);
            return Ok(Val::Vector(result));
        }
        if let Some(folded) = fold(op, operands, number) {
            return Ok(Val::Const(folded));
        }
        if let Some(result) = self.with_immediate(op, operands)? {
            return Ok(result);
        }
        let mut args = [Arg::None; 3];
        for (slot, val) in args.iter_mut().zip(operands) {
            *slot = Arg::Scalar(self.scalar(val)?);
        }
        let [b, c, fourth] = args;
        let c = if third_is_number {
            Arg::Number(number)
        } else {
            c
        };
        let imm = match (small, fourth) {
            (Some(small), _) => Imm::Word(small.into()),
            (None, Arg::Scalar(fourth)) => Imm::Source(fourth),
            _ => Imm::None,
        };
        let result = self.code.scalar();
        self.code.op(op, [Arg::Scalar(result), b, c], imm);
        Ok(Val::Scalar(result))
    }

    /// The form of an operation with a constant in the instruction, if it has one.
    fn with_immediate(&mut self, op: Opcode, operands: &[&Val]) -> Lowered<Option<Val>> {
        use Opcode::*;
        let [b, c] = operands else { return Ok(None) };
        let commutes = matches!(op, Add32 | Add64 | Mul32 | Mul64 | And | Or | Xor);
        let (value, constant) = match (b, c) {
            (_, Val::Const(constant)) => (*b, *constant as i64),
            (Val::Const(constant), _) if commutes => (*c, *constant as i64),
            _ => return Ok(None),
        };
        let immediate = match op {
            Add32 => Some((Addi32, constant)),
            Add64 => Some((Addi64, constant)),
            Sub32 => Some((Addi32, constant.wrapping_neg())),
            Sub64 => Some((Addi64, constant.wrapping_neg())),
            Mul32 => Some((Muli32, constant)),
            Mul64 => Some((Muli64, constant)),
            And => Some((Andi, constant)),
            Or => Some((Ori, constant)),
            Xor => Some((Xori, constant)),
            _ => None,
        };
        if let Some((op, constant)) = immediate {
            let neutral = if matches!(op, Muli32 | Muli64) { 1 } else { 0 };
            if constant == neutral && op != Andi {
                return Ok(Some(value.clone()));
            }
            let Ok(word) = i32::try_from(constant) else {
                return Ok(None);
            };
            return Ok(Some(self.with_word(op, value, word as u32)?));
        }
        let bits = match op {
            Shl32 => 32,
            _ => 64,
        };
        let shift = match op {
            Shl32 => Shli32,
            Shl64 => Shli64,
            Shrs => Shrsi,
            Shru => Shrui,
            _ => return Ok(None),
        };
        match u8::try_from(constant) {
            Ok(amount) if amount < bits => Ok(Some(self.unary(None, shift, value, amount)?)),
            _ => Ok(None),
        }
    }

    /// Applies an operation of a register and an immediate.
    pub(crate) fn with_word(&mut self, op: Opcode, b: &Val, word: u32) -> Lowered<Val> {
        let b = Arg::Scalar(self.scalar(b)?);
        let result = self.code.scalar();
        self.code
            .op(op, [Arg::Scalar(result), b, Arg::None], Imm::Word(word));
        Ok(Val::Scalar(result))
    }

    /// Sets all lanes of a vector to a scalar.
    pub(crate) fn splat(&mut self, val: &Val, lanes: u16) -> Lowered<Val> {
        let scalar = self.scalar(val)?;
        let result = self.code.vector(lanes);
        if lanes <= 256 {
            let args = [
                Arg::Vector(result),
                Arg::Scalar(scalar),
                Arg::Number(lanes as u8),
            ];
            self.code.op(Opcode::VSplat, args, Imm::None);
            return Ok(Val::Vector(result));
        }
        // Wider than the instruction: splat 256 lanes and copy them.
        let part = self.code.vector(256);
        let args = [Arg::Vector(part), Arg::Scalar(scalar), Arg::Number(0)];
        self.code.op(Opcode::VSplat, args, Imm::None);
        self.code.nodes.push(Node::Define(result));
        let mut done = 0;
        while done < lanes {
            let some = (lanes - done).min(256);
            self.copy_lanes(result, done, part, 0, some);
            done += some;
        }
        Ok(Val::Vector(result))
    }

    /// Copies up to 256 lanes from one vector into another.
    pub(crate) fn copy_lanes(
        &mut self,
        to: Vector,
        to_lane: u16,
        from: Vector,
        from_lane: u16,
        lanes: u16,
    ) {
        let args = [Arg::Vector(to), Arg::Vector(from), Arg::Number(lanes as u8)];
        let pair = u32::from(to_lane) << 16 | u32::from(from_lane);
        self.code.op(Opcode::VCopy, args, Imm::Word(pair));
    }

    /// `arith.constant`.
    pub(crate) fn constant(&mut self, op: Op) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        let value = self.low.module.attr(op, "value").cloned();
        let val = match (value, shape.lanes) {
            (Some(Attr::Float(bits, _)), None) => {
                let constant = shape.elem.float_constant(bits);
                Val::Const(constant.ok_or_else(|| self.unsupported(op))?)
            }
            (Some(Attr::Dense(dense)), Some(lanes)) => {
                let elem = shape.elem;
                let size = dense.elem_bytes().unwrap_or(1) as usize;
                if dense.splat {
                    let bits = elem.constant(little_endian(&dense.bytes));
                    self.splat(&Val::Const(bits), lanes)?
                } else {
                    let Some(kind) = elem.memory() else {
                        let ty = dense.ty.clone();
                        return Err(self.low.unsupported_type(op, &ty));
                    };
                    debug_assert_eq!(kind.bytes() as usize, size);
                    let offset = self.low.stack_data(op, dense.bytes.clone())?;
                    let address = Val::Const(self.low.own_address(offset) as u64);
                    let address = self.scalar(&address)?;
                    self.load_vector(kind, address, 0, lanes)
                }
            }
            (Some(attr), None) => match attr.as_int() {
                Some(value) => Val::Const(match shape.elem {
                    Elem::Int(bits) => super::value::sign_extend(value as u64, bits),
                    Elem::Float(_) => return Err(self.unsupported(op)),
                }),
                None => return Err(self.unsupported(op)),
            },
            _ => return Err(self.unsupported(op)),
        };
        self.set_result(op, val);
        Ok(())
    }

    /// `builtin.unrealized_conversion_cast` between integers of one width.
    pub(crate) fn cast(&mut self, op: Op) -> Lowered<()> {
        let from = self.low.module.operand(op, 0).ok_or(Reported)?;
        let (from_shape, to_shape) = (self.shape(op, from)?, self.result_shape(op)?);
        if from_shape != to_shape {
            return Err(self.unsupported(op));
        }
        let val = self.val(from)?;
        self.set_result(op, val);
        Ok(())
    }
}

/// The nodes that load a constant.
pub(crate) fn load_constant(scalar: Scalar, bits: u64) -> Vec<Node> {
    let li = |op, word| Node::Op {
        op,
        args: [Arg::Scalar(scalar), Arg::None, Arg::None],
        imm: Imm::Word(word),
    };
    let mut nodes = vec![li(Opcode::Li, bits as u32)];
    if bits as i32 as i64 as u64 != bits {
        nodes.push(li(Opcode::Lih, (bits >> 32) as u32));
    }
    nodes
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}
