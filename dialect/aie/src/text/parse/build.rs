//! Operations under construction.

use std::mem::{replace, take};

use crate::text::syntax::Pair;
use smallvec::SmallVec;

use super::{Fields, Literals, ParseFailed, Parser, codes, symbol_name, symbol_ref};
use crate::ir::{Attr, Block, InsertPoint, Loc, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::custom::words::{ScalarType, Words};
use crate::text::grammar::Rule;
use aiec_diag::{Diag, did_you_mean};

/// An operation under construction.
pub(crate) struct Build<'s> {
    /// Its kind.
    pub(crate) kind: OpKind,
    /// Its location.
    pub(crate) loc: Loc,
    /// Its header as written.
    pub(crate) text: &'s str,
    /// Uses with their types.
    pub(crate) operands: SmallVec<[(&'s str, Type); 4]>,
    /// Operands that are values already, appended after `operands`.
    pub(crate) values: SmallVec<[Value; 2]>,
    /// Result types.
    pub(crate) results: SmallVec<[Type; 1]>,
    /// Attributes.
    pub(crate) attrs: SmallVec<[(&'s str, Attr); 6]>,
    /// Attributes whose keys don't are in the text here.
    pub(crate) later: Vec<(String, Attr)>,
    /// Successors.
    pub(crate) successors: SmallVec<[Block; 2]>,
}

impl<'s> Build<'s> {
    /// Starts an operation whose header was matched.
    pub(super) fn new(parser: &mut Parser<'s>, kind: OpKind, pair: &Pair<'s>) -> Build<'s> {
        // The match swallows the blanks at its end.
        let text = pair.as_str().trim_end();
        let span = parser.cursor.span(text);
        Build {
            kind,
            loc: parser.m.locs.span(span),
            text,
            operands: SmallVec::new(),
            values: SmallVec::new(),
            results: SmallVec::new(),
            attrs: SmallVec::new(),
            later: Vec::new(),
            successors: SmallVec::new(),
        }
    }

    /// Adds an attribute.
    pub(crate) fn attr(&mut self, key: &'s str, value: Attr) {
        self.attrs.push((key, value));
    }

    /// Takes an attribute out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Attr> {
        let at = self.attrs.iter().position(|(k, _)| *k == key)?;
        Some(self.attrs.remove(at).1)
    }

    /// Adds an operand.
    pub(crate) fn operand(&mut self, pair: &Pair<'s>, ty: Type) {
        self.operands.push((pair.as_str(), ty));
    }

    /// Adds the operands of a [`Rule::values`] or a list around one.
    pub(crate) fn operands_of(&mut self, values: Fields<'s>, types: &[Type]) -> usize {
        let mut count = 0;
        for (pair, ty) in flat(values).zip(types) {
            self.operand(&pair, ty.clone());
            count += 1;
        }
        count
    }

    /// Records how many operands each group has.
    pub(crate) fn segments(&mut self, sizes: &[usize]) {
        let sizes = sizes.iter().map(|n| i32::try_from(*n).unwrap_or(i32::MAX));
        self.attr("operandSegmentSizes", Attr::i32_array(sizes));
    }

    /// Makes the operation at the end of the current block.
    fn create(&mut self, parser: &mut Parser<'s>) -> Result<Op, ParseFailed> {
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        let mut failed = false;
        for (text, ty) in &self.operands {
            match parser.operand(text, ty) {
                Ok(value) => values.push(value),
                Err(ParseFailed) => failed = true,
            }
        }
        if failed {
            return Err(ParseFailed);
        }
        let block = parser.block;
        let mut builder = parser
            .m
            .build(self.kind, self.loc)
            .operands(values)
            .operands(take(&mut self.values))
            .results(take(&mut self.results))
            .room_for_attrs(self.attrs.len() + self.later.len());
        for (key, value) in take(&mut self.attrs) {
            builder = builder.attr(key, value);
        }
        for (key, value) in take(&mut self.later) {
            builder = builder.attr(&key, value);
        }
        for successor in take(&mut self.successors) {
            builder = builder.successor(successor);
        }
        Ok(builder.insert(InsertPoint::End(block)))
    }
}

/// An operation whose header was matched: what is to be read of it yet, and what was read.
pub(crate) struct OpParser<'p, 's> {
    /// The file's parser.
    pub(crate) parser: &'p mut Parser<'s>,
    /// The parts of the header that are to be read yet.
    pub(crate) fields: Fields<'s>,
    /// The parts that were read.
    pub(crate) build: Build<'s>,
}

impl<'s> OpParser<'_, 's> {
    /// The next part of the header.
    pub(crate) fn next(&mut self) -> Result<Pair<'s>, ParseFailed> {
        self.fields.next(&mut self.parser.cursor)
    }

    /// The type that comes next.
    pub(crate) fn next_type(&mut self) -> Result<Type, ParseFailed> {
        let ty = self.next()?;
        self.parser.literals().ty(ty.as_str())
    }

    /// Adds the value that comes next as an operand of a type.
    pub(crate) fn operand(&mut self, ty: Type) -> Result<(), ParseFailed> {
        let value = self.next()?;
        self.build.operand(&value, ty);
        Ok(())
    }

    /// Adds the integer that comes next as an attribute of a type.
    pub(crate) fn int(&mut self, key: &'static str, ty: ScalarType) -> Result<(), ParseFailed> {
        let value = self.next()?;
        let value = self.parser.literals().int_attr(value, ty)?;
        self.build.attr(key, value);
        Ok(())
    }

    /// Adds the case of an enumeration that comes next as an attribute.
    pub(crate) fn word(&mut self, key: &'static str, words: &Words) -> Result<(), ParseFailed> {
        let value = self.next()?;
        let value = self.parser.literals().enum_attr(value, words)?;
        self.build.attr(key, value);
        Ok(())
    }

    /// Adds the symbol that comes next as the name of the operation.
    pub(crate) fn sym_name(&mut self) -> Result<(), ParseFailed> {
        let name = symbol_name(self.next()?.as_str());
        self.build.attr("sym_name", Attr::str(name));
        Ok(())
    }

    /// Adds the symbol that comes next as a reference.
    pub(crate) fn symbol(&mut self, key: &'static str) -> Result<(), ParseFailed> {
        let symbol = symbol_ref(self.next()?.as_str());
        self.build.attr(key, Attr::Symbol(symbol));
        Ok(())
    }

    /// Reads something by the parts inside a part of the header.
    pub(crate) fn within<R>(
        &mut self,
        fields: Fields<'s>,
        read: impl FnOnce(&mut Self) -> Result<R, ParseFailed>,
    ) -> Result<R, ParseFailed> {
        let around = replace(&mut self.fields, fields);
        let result = read(self);
        self.fields = around;
        result
    }

    /// Adds the attribute dictionary, if one comes next.
    pub(crate) fn dict(&mut self) -> Result<(), ParseFailed> {
        match self.fields.take(Rule::attr_dict) {
            Some(dict) => self.parser.literals().dict_into(&mut self.build, dict),
            None => Ok(()),
        }
    }

    /// Makes the operation at the end of the current block.
    pub(crate) fn create(&mut self) -> Result<Op, ParseFailed> {
        self.build.create(self.parser)
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

/// The values of a list, whether or not it is wrapped.
fn flat<'s>(values: Fields<'s>) -> impl Iterator<Item = Pair<'s>> {
    values.rest().flat_map(|pair| {
        let mut list: SmallVec<[Pair<'s>; 4]> = SmallVec::new();
        if pair.as_rule() == Rule::values {
            list.extend(pair.into_inner());
        } else {
            list.push(pair);
        }
        list
    })
}

impl<'s> Parser<'s> {
    /// The block of a label, which may come later.
    pub(crate) fn successor(&mut self, label: &'s str) -> Block {
        let scope = self.blocks.last_mut();
        if let Some(scope) = scope
            && let Some((block, ..)) = scope.names.get(label)
        {
            return *block;
        }
        let block = self.m.new_block();
        if let Some(scope) = self.blocks.last_mut() {
            scope.names.insert(label, (block, label, false));
        }
        block
    }
}

impl<'s> Literals<'_, 's> {
    /// The value of an integer token.
    pub(crate) fn int(&mut self, pair: Pair<'s>) -> Result<i64, ParseFailed> {
        self.int_text(pair.as_str())
    }

    /// The value of an integer text of up to 64 bits.
    pub(crate) fn int_text(&mut self, text: &str) -> Result<i64, ParseFailed> {
        Ok(self.int_of_type(text, &Type::I64)? as i64)
    }

    /// The value of an integer text of a type, decimal or `0x…`, possibly negative: signed or
    /// unsigned, it must fit the type and 128 bits. It is sign-extended, or zero-extended for
    /// unsigned types.
    pub(super) fn int_of_type(&mut self, text: &str, ty: &Type) -> Result<i128, ParseFailed> {
        let Some(width) = ty.bit_width().filter(|_| !ty.is_float()) else {
            let message = format!("`{text}` is not a value of type {ty}");
            return Err(self.cursor.error(&codes::BAD_NUMBER, text, message));
        };
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) => u128::from_str_radix(hex, 16).ok(),
            None => digits.parse::<u128>().ok(),
        };
        // A wider integer keeps its sign in 128 bits too.
        let highest = match width {
            _ if negative => 1 << (width.min(128) - 1),
            0..=128 => u128::MAX >> (128 - width),
            _ => i128::MAX as u128,
        };
        let Some(magnitude) = magnitude.filter(|magnitude| *magnitude <= highest) else {
            let message = match width {
                0..=128 => format!("`{text}` doesn't fit {ty}"),
                _ => format!("`{text}` doesn't fit 128 bits, as much as is kept of {ty}"),
            };
            return Err(self.cursor.error(&codes::BAD_NUMBER, text, message));
        };
        let value = if negative {
            (magnitude as i128).wrapping_neg()
        } else {
            magnitude as i128
        };
        let shift = 128u32.saturating_sub(width);
        Ok(if ty.is_unsigned() {
            ((value as u128) << shift >> shift) as i128
        } else {
            value << shift >> shift
        })
    }

    /// An integer token as an attribute of a type; its range is checked.
    pub(crate) fn int_attr(&mut self, pair: Pair<'s>, ty: ScalarType) -> Result<Attr, ParseFailed> {
        let text = pair.as_str();
        let value = self.int_text(text)?;
        let (low, high) = match ty {
            ScalarType::I1 => (0, 1),
            ScalarType::I8 => (-0x80, 0xff),
            ScalarType::I16 => (-0x8000, 0xffff),
            ScalarType::I32 => (i64::from(i32::MIN), i64::from(u32::MAX)),
            ScalarType::UI32 => (i64::from(i32::MIN), i64::from(u32::MAX)),
            ScalarType::I64 | ScalarType::Index => (i64::MIN, i64::MAX),
        };
        if value < low || value > high {
            let message = format!("`{text}` doesn't fit {}", ty.ty());
            return Err(self.cursor.error(&codes::BAD_NUMBER, text, message));
        }
        let value = match ty {
            ScalarType::I8 => i64::from(value as i8),
            ScalarType::I16 => i64::from(value as i16),
            ScalarType::I32 => i64::from(value as i32),
            ScalarType::UI32 => i64::from(value as u32),
            _ => value,
        };
        Ok(Attr::Int(value, ty.ty()))
    }

    /// A case of an enumeration as an attribute.
    pub(crate) fn enum_attr(&mut self, pair: Pair<'s>, words: &Words) -> Result<Attr, ParseFailed> {
        let text = pair.as_str();
        let word = text.trim_matches('"');
        match (words.value)(word) {
            Some(value) => Ok(Attr::Int(value, Type::I32)),
            None => {
                let all = (words.all)();
                let help = match did_you_mean(word, all.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("one of: {}", all.join(", ")),
                };
                let span = self.cursor.span(text);
                Err(self.cursor.report(
                    Diag::error(
                        &codes::UNKNOWN_WORD,
                        format!("`{word}` is not {} {}", article(words.what), words.what),
                    )
                    .label(span, "unknown")
                    .help(help),
                ))
            }
        }
    }

    /// The types of a list.
    pub(crate) fn types(&mut self, fields: Fields<'s>) -> Result<Vec<Type>, ParseFailed> {
        let mut list = Vec::new();
        for pair in fields.rest() {
            if pair.as_rule() == Rule::types {
                for inner in pair.into_inner() {
                    list.push(self.ty(inner.as_str())?);
                }
            } else {
                list.push(self.ty(pair.as_str())?);
            }
        }
        Ok(list)
    }

    /// Inputs and results of a [`Rule::fn_ty`].
    pub(crate) fn fn_type(
        &mut self,
        pair: Pair<'s>,
    ) -> Result<(Vec<Type>, Vec<Type>), ParseFailed> {
        let mut fields = Fields::of(pair);
        let inputs = match fields.group(Rule::types) {
            Some(types) => self.types(types)?,
            None => Vec::new(),
        };
        let results = match fields.group(Rule::result_types) {
            Some(types) => self.types(types)?,
            None => Vec::new(),
        };
        Ok((inputs, results))
    }

    /// Adds the entries of an attribute dictionary.
    pub(crate) fn dict_into(
        &mut self,
        build: &mut Build<'s>,
        pair: Pair<'s>,
    ) -> Result<(), ParseFailed> {
        for entry in pair.into_inner() {
            let (key, at, value) = self.entry(entry)?;
            if build.attrs.iter().any(|(k, _)| *k == key) {
                let message = format!("attribute `{key}` is given twice");
                return Err(self.cursor.error(&codes::DUPLICATE_ATTRIBUTE, at, message));
            }
            build.attrs.push((key, value));
        }
        Ok(())
    }

    /// Adds the entries of a dictionary, or of an alias of one.
    pub(crate) fn trait_into(
        &mut self,
        build: &mut Build<'s>,
        pair: Pair<'s>,
    ) -> Result<(), ParseFailed> {
        if pair.as_rule() == Rule::attr_dict {
            return self.dict_into(build, pair);
        }
        let at = pair.as_str();
        let Attr::Dict(entries) = self.attr(pair)? else {
            let message = "expected a dictionary".to_string();
            return Err(self.cursor.error(&codes::BAD_ATTRIBUTE, at, message));
        };
        for (key, value) in &*entries {
            build.later.push((key.to_string(), value.clone()));
        }
        Ok(())
    }

    /// Requires as many operands as types.
    pub(crate) fn same_count(
        &mut self,
        at: &'s str,
        values: usize,
        types: usize,
    ) -> Result<(), ParseFailed> {
        if values == types {
            return Ok(());
        }
        let message = format!("{values} operands, but {types} types");
        Err(self.cursor.error(&codes::TYPE_MISMATCH, at, message))
    }
}
