//! `dense<…>` and number texts. Literals can be long, so they are read by hand.

use super::{Fields, Literals, ParseFailed, codes};
use crate::ir::{Attr, DenseElements, FloatKind, Type};
use crate::text::grammar::Rule;
use aiec_diag::{Diag, MlirAieReport};
use std::sync::Arc;

/// The size of lists that haven't ended yet.
const UNKNOWN_SIZE: i64 = -1;

/// Nesting of a literal's lists at most.
const MAX_DENSE_DEPTH: usize = 32;

/// Bytes of the widest integers in dense literals: those of a cascade stream.
const MAX_INTEGER_BYTES: usize = 64;

/// A literal being read.
struct Literal<'s> {
    text: &'s str,
    at: usize,
    elem: Type,
    bytes: Vec<u8>,
    count: u64,
    /// Items of the lists at each depth.
    sizes: Vec<i64>,
}

impl<'s> Literals<'_, 's> {
    pub(super) fn dense(&mut self, mut fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let all = fields.text();
        let body = fields.next(self.cursor)?.as_str();
        let ty = match fields.take(Rule::ty) {
            Some(ty) => self.ty(ty.as_str())?,
            None => match self.known.implied_type.clone() {
                Some(ty) => ty,
                None => {
                    let message = "a dense literal needs its type here".to_string();
                    return Err(self.cursor.error(&codes::BAD_ATTRIBUTE, all, message));
                }
            },
        };
        let body = body.get(1..body.len() - 1).unwrap_or("");
        self.dense_of(body, ty)
    }

    /// The literal between the angle brackets, of a shaped type.
    fn dense_of(&mut self, body: &'s str, ty: Type) -> Result<Attr, ParseFailed> {
        let (shape, elem) = match &ty {
            Type::Tensor(t) => (t.shape.clone(), t.elem.clone()),
            Type::Vector(t) => (t.shape.clone(), t.elem.clone()),
            Type::MemRef(t) => (t.shape.clone(), t.elem.clone()),
            _ => return Err(self.bad_dense(body, "the type of a dense literal has a shape")),
        };
        let total = shape
            .iter()
            .try_fold(1u64, |n, s| n.checked_mul(u64::try_from(*s).ok()?));
        let Some(total) = total else {
            return Err(self.bad_dense(body, "a dense literal has a static shape"));
        };
        let Some(size) = elem.elem_bytes() else {
            return Err(self.bad_dense(body, "elements of this type can't be written"));
        };
        let trimmed = body.trim();
        if let Some(hex) = trimmed.strip_prefix("\"0x") {
            let bytes = from_hex(hex.trim_end_matches('"'));
            let length = bytes.as_ref().map(|b| b.len() as u64);
            let splat = length == Some(size) && total != 1;
            return match bytes {
                Some(bytes) if splat || length == total.checked_mul(size) => {
                    Ok(Attr::Dense(Arc::new(DenseElements { ty, splat, bytes })))
                }
                _ => Err(self.bad_dense(body, "the hex string has the wrong length")),
            };
        }
        let mut literal = Literal {
            text: body,
            at: 0,
            elem,
            bytes: Vec::new(),
            count: 0,
            sizes: Vec::new(),
        };
        if !trimmed.is_empty() {
            self.dense_item(&mut literal, 0)?;
        }
        let list = trimmed.starts_with('[');
        let splat = !list && total != 1 && literal.count == 1;
        if !splat && literal.count != total {
            let message = format!(
                "the literal has {} element{}, its type {total}",
                literal.count,
                if literal.count == 1 { "" } else { "s" }
            );
            return Err(self.wrong_shape(body, message, &literal.sizes, &shape));
        }
        let complex = matches!(literal.elem, Type::Complex(_));
        if list && !complex && total != 0 && !literal.sizes.iter().eq(&shape) {
            let of = |sizes: &[i64]| {
                sizes
                    .iter()
                    .map(i64::to_string)
                    .collect::<Vec<_>>()
                    .join("x")
            };
            let message = format!(
                "the literal's lists are {}, its type's {}",
                of(&literal.sizes),
                of(&shape)
            );
            return Err(self.wrong_shape(body, message, &literal.sizes, &shape));
        }
        let mut bytes = literal.bytes;
        // Equal elements are a splat however they are written, as in MLIR.
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let equal = bytes.len() > size && bytes.chunks_exact(size).all(|e| e == &bytes[..size]);
        if equal {
            bytes.truncate(size);
        }
        let splat = splat || equal;
        Ok(Attr::Dense(Arc::new(DenseElements { ty, splat, bytes })))
    }

    fn wrong_shape(
        &mut self,
        at: &'s str,
        message: String,
        found: &[i64],
        wanted: &[i64],
    ) -> ParseFailed {
        let span = self.cursor.span(at);
        let text = format!(
            "inferred shape of elements literal ({found:?}) does not match type ({wanted:?})"
        );
        self.cursor.report(
            Diag::error(&codes::BAD_ATTRIBUTE, message)
                .label(span, "")
                .help("give it as many elements as its type has, in lists of its dimensions")
                .mlir_aie(MlirAieReport::plain(text).at(span)),
        )
    }

    fn bad_dense(&mut self, at: &'s str, message: &str) -> ParseFailed {
        self.cursor
            .error(&codes::BAD_ATTRIBUTE, at, message.to_string())
    }

    fn dense_item(&mut self, literal: &mut Literal<'s>, depth: usize) -> Result<(), ParseFailed> {
        if depth > MAX_DENSE_DEPTH {
            let message = "the literal nests too deeply".to_string();
            return Err(self.cursor.error(&codes::NESTING, literal.text, message));
        }
        literal.skip_blanks();
        match literal.peek() {
            Some(open @ (b'[' | b'(')) => {
                let close = if open == b'[' { b']' } else { b')' };
                literal.at += 1;
                literal.skip_blanks();
                if literal.peek() == Some(close) {
                    literal.at += 1;
                    return Ok(());
                }
                let mut items = 0;
                loop {
                    self.dense_item(literal, depth + 1)?;
                    items += 1;
                    literal.skip_blanks();
                    match literal.peek() {
                        Some(b',') => literal.at += 1,
                        Some(b) if b == close => {
                            literal.at += 1;
                            return if literal.list_of(depth, items) {
                                Ok(())
                            } else {
                                Err(self.bad_dense(
                                    literal.text,
                                    "lists of one dimension have different numbers of elements",
                                ))
                            };
                        }
                        _ => {
                            let at = literal.text.get(literal.at..).unwrap_or("");
                            return Err(self.bad_dense(at, "expected `,` or the list's end"));
                        }
                    }
                }
            }
            _ => self.dense_element(literal),
        }
    }

    fn dense_element(&mut self, literal: &mut Literal<'s>) -> Result<(), ParseFailed> {
        let rest = literal.text.get(literal.at..).unwrap_or("");
        let end = rest
            .find(|c: char| c == ',' || c == ']' || c == ')' || c.is_whitespace())
            .unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or("");
        literal.at += end;
        let elem = match &literal.elem {
            Type::Complex(inner) => (**inner).clone(),
            other => other.clone(),
        };
        if text.is_empty() {
            return Err(self.bad_dense(literal.text, "expected a number"));
        }
        let value = match text {
            "true" | "false" if elem.is_int() => i128::from(text == "true"),
            _ => match &elem {
                Type::Float(kind) => {
                    let bits = self.float_bits(text, &elem)?;
                    let bytes = float_bytes(bits, *kind);
                    literal.bytes.extend_from_slice(&bytes);
                    literal.count += 1;
                    return Ok(());
                }
                _ => self.int_of_type(text, &elem)?,
            },
        };
        let size = elem.elem_bytes().unwrap_or(8) as usize;
        if size > MAX_INTEGER_BYTES {
            return Err(self.bad_dense(text, "integers of dense literals have up to 512 bits"));
        }
        let end = literal.bytes.len() + size;
        literal.bytes.extend(value.to_le_bytes().iter().take(size));
        literal.bytes.resize(end, if value < 0 { 0xff } else { 0 });
        literal.count += 1;
        Ok(())
    }

    /// The value of a number text of a float type, as the bits of its double.
    pub(super) fn float_bits(&mut self, text: &str, ty: &Type) -> Result<u64, ParseFailed> {
        let Type::Float(kind) = ty else {
            let message = format!("`{text}` is not a value of type {ty}");
            return Err(self.cursor.error(&codes::BAD_NUMBER, text, message));
        };
        if let Some(hex) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(hex, 16).ok();
            if let Some(double) = bits.and_then(|bits| double_of_bits(bits, *kind)) {
                return Ok(double);
            }
        } else if let Some(value) = float_of_text(text, *kind) {
            return Ok(value.to_bits());
        }
        let message = format!("`{text}` is not a value of type {ty}");
        Err(self.cursor.error(&codes::BAD_NUMBER, text, message))
    }
}

impl Literal<'_> {
    /// Whether a list of `items` items at a depth is as long as the others there.
    fn list_of(&mut self, depth: usize, items: i64) -> bool {
        if self.sizes.len() <= depth {
            self.sizes.resize(depth + 1, UNKNOWN_SIZE);
        }
        match self.sizes.get_mut(depth) {
            Some(size) if *size == UNKNOWN_SIZE => {
                *size = items;
                true
            }
            Some(size) => *size == items,
            None => false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}

fn float_of_text(text: &str, kind: FloatKind) -> Option<f64> {
    let double: f64 = text.parse().ok()?;
    Some(match kind {
        FloatKind::F32 => f64::from(text.parse::<f32>().ok()?),
        _ => match kind.format() {
            Some(format) => {
                f64::from_bits(format.to_f64_bits(format.from_f64_bits(double.to_bits())))
            }
            None => double,
        },
    })
}

/// The bits of the f64 with the value of these bits of a format; `None` if they are too many.
fn double_of_bits(bits: u64, kind: FloatKind) -> Option<u64> {
    let spare = u64::BITS - kind.bits().min(u64::BITS);
    let fits = bits.leading_zeros() >= spare;
    Some(kind.format().filter(|_| fits)?.to_f64_bits(bits))
}

/// A float's bytes in memory, little-endian, from the bits of its f64.
fn float_bytes(double: u64, kind: FloatKind) -> Vec<u8> {
    let bits = kind
        .format()
        .map_or(double, |format| format.from_f64_bits(double));
    let mut bytes = bits.to_le_bytes().to_vec();
    bytes.resize(kind.bits().div_ceil(8) as usize, 0);
    bytes
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok())
        .collect()
}
