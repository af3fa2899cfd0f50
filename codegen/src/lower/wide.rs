//! Integers of more than 64 bits, as streams of 128 bits and cascades move them.
//!
//! Such an integer is a vector of 32-bit words, the lowest first. There is no arithmetic on it but
//! what only moves words: constants, extensions, truncations, shifts by whole words, and bitwise
//! operations.

use aiec_aie::ir::{Attr, Op, Type};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use aiec_vcode::{MemoryType, Opcode};

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Shape, Val};
use crate::mir::{Arg, Imm, Node, Vector};

/// Bits of a word.
const WORD_BITS: u32 = 32;

/// Words of the widest integer: 512 bits, a cascade transfer of AIE2 (AM020).
const MAX_WORDS: u32 = 16;

/// Words of an integer type of more than 64 bits.
pub(crate) fn wide_words(ty: &Type) -> Option<u16> {
    match ty {
        Type::Int { width, .. } => {
            let words = width.div_ceil(WORD_BITS);
            let whole = width % WORD_BITS == 0 && (3..=MAX_WORDS).contains(&words);
            whole.then_some(words as u16)
        }
        _ => None,
    }
}

impl Function<'_, '_, '_> {
    /// Words of the wide integer that is the result of an operation, or its n-th operand.
    fn result_words(&self, op: Op) -> Option<u16> {
        let module = self.low.module;
        wide_words(module.ty(module.result(op, 0)?))
    }

    fn operand_words(&self, op: Op, n: usize) -> Option<u16> {
        let module = self.low.module;
        wide_words(module.ty(module.operand(op, n)?))
    }

    /// An operation that moves the words of wide integers; `None` for all others.
    pub(crate) fn wide_op(&mut self, op: Op) -> Option<Lowered<()>> {
        use OpKind::*;
        let (result, operand) = (self.result_words(op), self.operand_words(op, 0));
        let kind = self.low.module.kind(op);
        let val = match (kind, result, operand) {
            (PutStream, ..) => {
                let words = self.operand_words(op, 1)?;
                return Some(self.put_stream_words(op, words));
            }
            (PutCascade, _, Some(words)) => return Some(self.put_cascade_words(op, words)),
            (GetStream, Some(words), _) => self.get_stream_words(op, words),
            (GetCascade, Some(words), _) => self.get_cascade_words(op, words),
            (ArithConstant, Some(words), _) => self.wide_constant(op, words),
            (ArithExtSI | ArithExtUI | ArithTruncI, ..) if result.or(operand).is_some() => {
                self.resize(op, kind)
            }
            (ArithShRUI | ArithShRSI | ArithShLI, Some(words), _) => {
                self.shift_words(op, kind, words)
            }
            (ArithAndI, Some(words), _) => self.bitwise(op, Opcode::And, words),
            (ArithOrI, Some(words), _) => self.bitwise(op, Opcode::Or, words),
            (ArithXOrI, Some(words), _) => self.bitwise(op, Opcode::Xor, words),
            _ => return None,
        };
        Some(val.map(|val| self.set_result(op, val)))
    }

    /// A vector of words.
    fn vector_of_words(&mut self, words: &[Val]) -> Lowered<Val> {
        let vector = self.code.vector(words.len() as u16);
        let scalars = words.iter().map(|word| self.scalar(word));
        let scalars: Vec<_> = scalars.collect::<Lowered<_>>()?;
        self.code.nodes.push(Node::Define(vector));
        for (lane, scalar) in scalars.into_iter().enumerate() {
            let args = [Arg::Vector(vector), Arg::Scalar(scalar), Arg::None];
            self.code.op(Opcode::VInsert, args, Imm::Word(lane as u32));
        }
        Ok(Val::Vector(vector))
    }

    fn words_of(&mut self, vector: Vector, words: u16) -> Vec<Val> {
        (0..words.into())
            .map(|lane| self.lane(vector, lane))
            .collect()
    }

    fn wide_operand(&mut self, op: Op, n: usize) -> Lowered<Vector> {
        match self.operand(op, n)? {
            Val::Vector(vector) => Ok(vector),
            _ => Err(self.unsupported(op)),
        }
    }

    fn wide_constant(&mut self, op: Op, words: u16) -> Lowered<Val> {
        let value = match self.low.module.attr(op, "value") {
            Some(Attr::WideInt(value, _)) => **value,
            Some(attr) => i128::from(attr.as_int().ok_or(Reported)?),
            None => return Err(Reported),
        };
        // Words of attributes are extended to 128 bits; the sign fills the words above.
        let bits = |word: u16| value >> (WORD_BITS * u32::from(word)).min(i128::BITS - 1);
        let word = |word| Val::Const(i64::from(bits(word) as i32) as u64);
        let list: Vec<Val> = (0..words).map(word).collect();
        self.vector_of_words(&list)
    }

    /// An extension or a truncation with a wide integer at one of its sides.
    fn resize(&mut self, op: Op, kind: OpKind) -> Lowered<Val> {
        let mut words = match self.operand_words(op, 0) {
            Some(words) => {
                let vector = self.wide_operand(op, 0)?;
                self.words_of(vector, words)
            }
            None => self.two_words(op, kind)?,
        };
        if let Some(wanted) = self.result_words(op) {
            let fill = match (kind, words.last()) {
                (OpKind::ArithExtSI, Some(last)) => self.sign_of(&last.clone())?,
                _ => Val::Const(0),
            };
            words.resize(wanted.into(), fill);
            return self.vector_of_words(&words);
        }
        let shape = self.result_shape(op)?;
        let (Elem::Int(bits), [low, high, ..]) = (shape.elem, words.as_slice()) else {
            return Err(self.unsupported(op));
        };
        if u32::from(bits) <= WORD_BITS {
            return self.wrap(shape, WORD_BITS as u8, low);
        }
        let low = self.unary(None, Opcode::Zext, low, WORD_BITS as u8)?;
        let distance = Val::Const(WORD_BITS.into());
        let high = self.binary(None, Opcode::Shl64, high, &distance)?;
        let both = self.binary(None, Opcode::Or, &low, &high)?;
        self.wrap(shape, 64, &both)
    }

    /// The two words of an operand of at most 64 bits, extended as an operation says.
    fn two_words(&mut self, op: Op, kind: OpKind) -> Lowered<Vec<Val>> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let from: Shape = self.shape(op, value)?;
        let val = self.val(value)?;
        let val = match kind {
            OpKind::ArithExtUI => self.unsigned(from, &val)?,
            _ => val,
        };
        let distance = Val::Const(WORD_BITS.into());
        let low = self.unary(None, Opcode::Sext, &val, WORD_BITS as u8)?;
        let high = self.binary(None, Opcode::Shrs, &val, &distance)?;
        Ok(vec![low, high])
    }

    /// All bits as the sign of a word.
    fn sign_of(&mut self, word: &Val) -> Lowered<Val> {
        let distance = Val::Const(u64::from(WORD_BITS) - 1);
        self.binary(None, Opcode::Shrs, word, &distance)
    }

    /// A shift by whole words.
    fn shift_words(&mut self, op: Op, kind: OpKind, words: u16) -> Lowered<Val> {
        let by = self.low.module.operand(op, 1).ok_or(Reported)?;
        let known = aiec_aie::ops::netlist::const_int(self.low.module, by);
        let by = known.and_then(|bits| usize::try_from(bits).ok());
        let whole = |bits: &usize| *bits < usize::from(words) * 32 && bits.is_multiple_of(32);
        let Some(by) = by.filter(whole).map(|bits| bits / 32) else {
            return Err(self.unsupported(op));
        };
        let vector = self.wide_operand(op, 0)?;
        let mut list = self.words_of(vector, words);
        let fill = match (kind, list.last()) {
            (OpKind::ArithShRSI, Some(last)) => self.sign_of(&last.clone())?,
            _ => Val::Const(0),
        };
        if kind == OpKind::ArithShLI {
            list.truncate(usize::from(words) - by);
            list.splice(0..0, std::iter::repeat_n(fill, by));
        } else {
            list.drain(..by);
            list.resize(words.into(), fill);
        }
        self.vector_of_words(&list)
    }

    fn bitwise(&mut self, op: Op, opcode: Opcode, words: u16) -> Lowered<Val> {
        let (left, right) = self.two_operands(op)?;
        self.binary(Some(words), opcode, &left, &right)
    }

    /// The words come one after the other, the lowest first.
    fn get_stream_words(&mut self, op: Op, words: u16) -> Lowered<Val> {
        let channel = self.channel(op)?;
        let mut list = Vec::new();
        for _ in 0..words {
            let word = self.code.scalar();
            let args = [Arg::Scalar(word), Arg::Number(channel), Arg::None];
            self.code.op(Opcode::StreamGet, args, Imm::None);
            list.push(Val::Scalar(word));
        }
        self.vector_of_words(&list)
    }

    fn put_stream_words(&mut self, op: Op, words: u16) -> Lowered<()> {
        let channel = self.channel(op)?;
        let vector = self.wide_operand(op, 1)?;
        for word in self.words_of(vector, words) {
            let word = self.scalar(&word)?;
            let args = [Arg::Scalar(word), Arg::Number(channel), Arg::Number(0)];
            self.code.op(Opcode::StreamPut, args, Imm::None);
        }
        Ok(())
    }

    fn get_cascade_words(&mut self, op: Op, words: u16) -> Lowered<Val> {
        let vector = self.code.vector(words);
        self.move_cascade(op, Opcode::CascadeGet, vector, words)?;
        Ok(Val::Vector(vector))
    }

    fn put_cascade_words(&mut self, op: Op, words: u16) -> Lowered<()> {
        let vector = self.wide_operand(op, 0)?;
        self.move_cascade(op, Opcode::CascadePut, vector, words)
    }

    fn move_cascade(&mut self, op: Op, way: Opcode, vector: Vector, words: u16) -> Lowered<()> {
        if u32::from(words) * WORD_BITS > self.low.model.arch_model().cascade_bits {
            return Err(self.unsupported(op));
        }
        let kind = Arg::Number(MemoryType::I32.code());
        let args = [Arg::Vector(vector), kind, Arg::Number(words as u8)];
        self.code.op(way, args, Imm::None);
        Ok(())
    }
}
