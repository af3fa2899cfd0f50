//! Types from text.

use crate::text::syntax::Pair;
use std::sync::Arc;

use super::attrs::alias_help;
use super::errors::join;
use super::{Fields, Literals, ParseFailed, codes};
use crate::ir::{
    Attr, DYNAMIC, FloatKind, FunctionType, MemRefType, Signedness, TensorType, Type, VectorType,
};
use crate::text::grammar::Rule;
use crate::text::syntax::{Mismatch, matched};
use aiec_diag::{Diag, did_you_mean};

/// The widest integer type, as in MLIR.
const MAX_INT_WIDTH: u32 = (1 << 24) - 1;

/// Words that types start with, for suggestions.
const TYPE_WORDS: [&str; 17] = [
    "memref",
    "vector",
    "tensor",
    "index",
    "none",
    "complex",
    "tuple",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "f32",
    "f64",
    "!aie.objectfifo",
];

/// The types of the array's dialects.
const OWN_TYPES: [&str; 3] = ["!aie.objectfifo", "!aie.objectfifosubview", "!aiex.bfp"];

/// Nesting of types at most.
const MAX_TYPE_DEPTH: usize = 64;

impl<'s> Literals<'_, 's> {
    /// The type a text says. Texts are remembered, since a design repeats few types often.
    pub(crate) fn ty(&mut self, text: &'s str) -> Result<Type, ParseFailed> {
        if let Some(ty) = scalar(text) {
            return Ok(ty);
        }
        if let Some(ty) = self.known.type_cache.get(text) {
            return Ok(ty.clone());
        }
        let whole = match matched(Rule::type_only, text, &mut self.cursor.spare) {
            Ok(whole) => whole,
            Err(mismatch) => return Err(self.bad_type(text, Some(mismatch))),
        };
        let node = whole.and_then(|whole| whole.into_inner().next());
        let ty = self.type_node(node.ok_or(ParseFailed)?, 0)?;
        self.known.type_cache.insert(text, ty.clone());
        Ok(ty)
    }

    fn bad_type(&mut self, text: &str, mismatch: Option<Mismatch>) -> ParseFailed {
        let start = self.cursor.offset(text);
        let (before, after) = self.cursor.text.split_at(start);
        let after = after.get(text.len()..).unwrap_or("");
        // A word of the next line isn't meant to be a type.
        let own_line = before.trim_end_matches(' ').ends_with('\n') && self.cursor.depth == 0;
        if own_line && self.cursor.operation.is_none() {
            return self.cursor.unexpected(start, "a type");
        }
        if after.starts_with('<') {
            return self.cursor.unexpected(start + text.len(), "a type");
        }
        let message = format!("`{text}` is not a type");
        let mut diag = Diag::error(&codes::BAD_TYPE, message);
        let word = text.split(['<', '(', ' ']).next().unwrap_or("");
        let words = TYPE_WORDS.iter().copied();
        if let (Some(near), false) = (did_you_mean(word, words), TYPE_WORDS.contains(&word)) {
            diag = diag
                .label(self.cursor.span(text), "no type")
                .help(format!("did you mean `{near}`?"));
        } else if let Some(Mismatch::TooDeep(_)) = mismatch {
            diag = Diag::error(&codes::NESTING, "this type nests too deeply")
                .label(self.cursor.span(text), "");
        } else if let Some(Mismatch::Unexpected(at, mut expected)) = mismatch
            && at > 0
            && !expected.is_empty()
        {
            // Blanks can be nearly everywhere; between sizes the element's type is what is missing.
            expected.retain(|what| what != "` `");
            if expected == ["`x`"] {
                expected = vec!["`x` and the type of an element".to_string()];
            }
            let rest = text.get(at..).unwrap_or("");
            let first = rest.get(..rest.len().min(1)).unwrap_or("");
            diag = diag.label(self.cursor.span(text), "this type").label(
                self.cursor.span(first),
                format!("expected {}", join(&expected)),
            );
        } else {
            diag = diag.label(self.cursor.span(text), "no type");
        }
        self.cursor.report(diag)
    }

    fn type_node(&mut self, pair: Pair<'s>, depth: usize) -> Result<Type, ParseFailed> {
        if depth > MAX_TYPE_DEPTH {
            let message = "types nest too deeply".to_string();
            return Err(self.cursor.error(&codes::NESTING, pair.as_str(), message));
        }
        let mut outer = Fields::of(pair);
        let pair = outer.next(self.cursor)?;
        let text = pair.as_str();
        let rule = pair.as_rule();
        let mut fields = Fields::of(pair);
        Ok(match rule {
            Rule::scalar_type => match scalar(text) {
                Some(ty) => ty,
                None => return Err(self.bad_type(text, None)),
            },
            Rule::type_alias => match self.known.type_aliases.get(text) {
                Some(Some(ty)) => ty.clone(),
                // Its definition was reported.
                Some(None) => return Err(ParseFailed),
                None => {
                    let message = format!("type alias `{text}` is not defined");
                    let known: Vec<_> = self.known.type_aliases.keys().copied().collect();
                    let help = alias_help(text, known, "TYPE");
                    return Err(self
                        .cursor
                        .error_help(&codes::UNKNOWN_ALIAS, text, message, help));
                }
            },
            Rule::dialect_type => {
                self.known_type(text)?;
                Type::Opaque(text.into())
            }
            Rule::fifo_type => {
                let inner = fields.next(self.cursor)?;
                Type::ObjectFifo(Arc::new(self.type_node(inner, depth + 1)?))
            }
            Rule::subview_type => {
                let inner = fields.next(self.cursor)?;
                Type::ObjectFifoSubview(Arc::new(self.type_node(inner, depth + 1)?))
            }
            Rule::complex_type => {
                let inner = fields.next(self.cursor)?;
                Type::Complex(Arc::new(self.type_node(inner, depth + 1)?))
            }
            Rule::tuple_type => Type::Tuple(self.type_nodes(fields, depth + 1)?.into()),
            Rule::function_type => {
                let mut inputs = Vec::new();
                let mut results = Vec::new();
                for part in fields.rest() {
                    if part.as_rule() == Rule::function_results {
                        results = self.type_nodes(Fields::of(part), depth + 1)?;
                    } else {
                        inputs.push(self.type_node(part, depth + 1)?);
                    }
                }
                Type::Function(Arc::new(FunctionType { inputs, results }))
            }
            Rule::memref_type => self.memref(fields, depth)?,
            Rule::tensor_type => self.tensor(fields, depth)?,
            Rule::vector_type => {
                let shape = fields.next(self.cursor)?;
                let (shape, scalable, elem) = self.shape(shape, depth)?;
                Type::Vector(Arc::new(VectorType {
                    shape,
                    scalable,
                    elem,
                }))
            }
            _ => return Err(self.bad_type(text, None)),
        })
    }

    /// Reports a type of the array's dialects that they don't have; of other dialects any type is
    /// kept.
    fn known_type(&mut self, text: &'s str) -> Result<(), ParseFailed> {
        let name = text.split('<').next().unwrap_or("");
        let own = name.starts_with("!aie.") || name.starts_with("!aiex.");
        if !own || OWN_TYPES.contains(&name) {
            return Ok(());
        }
        let message = format!("there is no type `{name}`");
        let help = match did_you_mean(name, OWN_TYPES) {
            Some(near) => format!("did you mean `{near}<…>`?"),
            None => format!("the types of the dialect are {}", OWN_TYPES.join(", ")),
        };
        let at = text.get(..name.len()).unwrap_or(text);
        Err(self.cursor.error_help(&codes::BAD_TYPE, at, message, help))
    }

    fn type_nodes(&mut self, fields: Fields<'s>, depth: usize) -> Result<Vec<Type>, ParseFailed> {
        fields.rest().map(|p| self.type_node(p, depth)).collect()
    }

    fn memref(&mut self, mut fields: Fields<'s>, depth: usize) -> Result<Type, ParseFailed> {
        let first = fields.next(self.cursor)?;
        if first.as_rule() == Rule::unranked {
            let inner = Fields::of(first).next(self.cursor)?;
            return Ok(Type::UnrankedMemRef(Arc::new(
                self.type_node(inner, depth + 1)?,
            )));
        }
        let (shape, _, elem) = self.shape(first, depth)?;
        let mut layout = None;
        let mut space = None;
        for pair in fields.rest() {
            let at = pair.as_str();
            let attr = self.attr(pair)?;
            match attr {
                Attr::AffineMap(ref map) if is_identity(map) => {}
                Attr::AffineMap(_) | Attr::Strided { .. } if layout.is_none() => {
                    layout = Some(attr);
                }
                _ if space.is_none() => space = Some(attr),
                _ => {
                    let message = "a memref has one layout and one memory space".to_string();
                    return Err(self.cursor.error(&codes::BAD_TYPE, at, message));
                }
            }
        }
        Ok(Type::MemRef(Arc::new(MemRefType {
            shape,
            elem,
            layout,
            space,
        })))
    }

    fn tensor(&mut self, mut fields: Fields<'s>, depth: usize) -> Result<Type, ParseFailed> {
        let first = fields.next(self.cursor)?;
        if first.as_rule() == Rule::unranked {
            let inner = Fields::of(first).next(self.cursor)?;
            return Ok(Type::UnrankedTensor(Arc::new(
                self.type_node(inner, depth + 1)?,
            )));
        }
        let (shape, _, elem) = self.shape(first, depth)?;
        let encoding = match fields.take(Rule::attr) {
            Some(pair) => Some(self.attr(pair)?),
            None => None,
        };
        Ok(Type::Tensor(Arc::new(TensorType {
            shape,
            elem,
            encoding,
        })))
    }

    fn shape(
        &mut self,
        pair: Pair<'s>,
        depth: usize,
    ) -> Result<(Vec<i64>, Vec<bool>, Type), ParseFailed> {
        let text = pair.as_str();
        let mut shape = Vec::new();
        let mut scalable = Vec::new();
        let mut elem = None;
        for part in pair.into_inner() {
            if part.as_rule() == Rule::dim {
                let dim = part.as_str();
                let digits = dim.trim_matches(['[', ']']);
                scalable.push(digits.len() != dim.len());
                shape.push(match digits {
                    "?" => DYNAMIC,
                    _ => self.int_text(digits)?,
                });
            } else {
                elem = Some(self.type_node(part, depth + 1)?);
            }
        }
        if !scalable.contains(&true) {
            scalable.clear();
        }
        match elem {
            Some(elem) => Ok((shape, scalable, elem)),
            None => Err(self.bad_type(text, None)),
        }
    }
}

fn is_identity(map: &crate::ir::AffineMap) -> bool {
    map.symbols == 0
        && map.results.len() == map.dims as usize
        && (0u32..)
            .zip(&map.results)
            .all(|(n, e)| *e == crate::ir::AffineExpr::Dim(n))
}

/// A type that is one word.
fn scalar(text: &str) -> Option<Type> {
    match text {
        "i32" => return Some(Type::I32),
        "index" => return Some(Type::Index),
        "none" => return Some(Type::None),
        _ => {}
    }
    let int = |digits: &str, sign| {
        let width: u32 = digits.parse().ok()?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        (plain && (1..=MAX_INT_WIDTH).contains(&width)).then_some(Type::Int { width, sign })
    };
    if let Some(digits) = text.strip_prefix("si") {
        return int(digits, Signedness::Signed);
    }
    if let Some(digits) = text.strip_prefix("ui") {
        return int(digits, Signedness::Unsigned);
    }
    if let Some(digits) = text.strip_prefix('i') {
        return int(digits, Signedness::Signless);
    }
    FloatKind::by_name(text).map(Type::Float)
}
