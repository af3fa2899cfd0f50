//! Attributes from matched text.

use crate::text::syntax::Pair;
use std::sync::Arc;

use super::{Fields, Literals, ParseFailed, codes};
use crate::ir::{
    Attr, BdDim, BdIteration, BdPad, DYNAMIC, DenseArray, PacketInfo, SymbolRef, Type,
};
use crate::text::grammar::Rule;
use aiec_diag::did_you_mean;

/// Nesting of attributes at most.
const MAX_ATTR_DEPTH: usize = 64;

impl<'s> Literals<'_, 's> {
    /// The attribute of a [`Rule::attr`] or one of its alternatives.
    pub(crate) fn attr(&mut self, pair: Pair<'s>) -> Result<Attr, ParseFailed> {
        self.attr_at(pair, 0)
    }

    fn attr_at(&mut self, pair: Pair<'s>, depth: usize) -> Result<Attr, ParseFailed> {
        let text = pair.as_str();
        if depth > MAX_ATTR_DEPTH {
            let message = "attributes nest too deeply".to_string();
            return Err(self.cursor.error(&codes::NESTING, text, message));
        }
        let rule = pair.as_rule();
        let mut fields = Fields::of(pair.clone());
        Ok(match rule {
            Rule::attr => {
                let inner = fields.next(self.cursor)?;
                self.attr_at(inner, depth)?
            }
            Rule::number_attr => self.number(fields)?,
            Rule::string_attr => Attr::str(unescape(fields.next(self.cursor)?.as_str())),
            Rule::symbol_ref | Rule::symbol => Attr::Symbol(symbol_ref(text)),
            Rule::array_attr => Attr::Array(
                fields
                    .rest()
                    .map(|p| self.attr_at(p, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Rule::attr_dict => {
                let mut entries: Vec<(Arc<str>, Attr)> = Vec::new();
                for entry in fields.rest() {
                    let (key, _, value) = self.entry_at(entry, depth + 1)?;
                    entries.push((key.into(), value));
                }
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                Attr::Dict(entries.into())
            }
            Rule::boolean_attr => Attr::Bool(text.starts_with("true")),
            Rule::unit_attr => Attr::Unit,
            Rule::dense_attr => self.dense(fields)?,
            Rule::resource_attr => {
                let key = fields.next(self.cursor)?.as_str();
                let key = key.trim_start_matches('<').trim_end_matches('>').trim();
                let ty = fields.next(self.cursor)?;
                Attr::DenseResource(key.into(), self.ty(ty.as_str())?)
            }
            Rule::affine_map => {
                let body = fields.next(self.cursor)?;
                Attr::AffineMap(Arc::new(self.affine_map(body)?))
            }
            Rule::affine_set => {
                let body = fields.next(self.cursor)?.as_str();
                Attr::AffineSet(body.get(1..body.len() - 1).unwrap_or("").into())
            }
            Rule::dense_array => self.dense_array(fields)?,
            Rule::strided_attr => self.strided(fields)?,
            Rule::aie_struct => {
                let name = fields.next(self.cursor)?.as_str();
                let body = fields.next(self.cursor)?;
                self.aie_struct(name.trim_start_matches("#aie."), body)?
            }
            Rule::aie_list => self.aie_list(fields)?,
            Rule::attr_alias => match self.known.attr_aliases.get(text) {
                Some(Some(attr)) => attr.clone(),
                // Its definition was reported.
                Some(None) => return Err(ParseFailed),
                None => {
                    let message = format!("attribute alias `{text}` is not defined");
                    let known: Vec<_> = self.known.attr_aliases.keys().copied().collect();
                    let help = alias_help(text, known, "ATTRIBUTE");
                    return Err(self
                        .cursor
                        .error_help(&codes::UNKNOWN_ALIAS, text, message, help));
                }
            },
            Rule::type_attr => {
                let ty = fields.next(self.cursor)?;
                Attr::Type(self.ty(ty.as_str())?)
            }
            _ => Attr::Opaque(text.into()),
        })
    }

    /// Key, the key's place and value of an [`Rule::attr_entry`].
    pub(crate) fn entry(
        &mut self,
        pair: Pair<'s>,
    ) -> Result<(&'s str, &'s str, Attr), ParseFailed> {
        self.entry_at(pair, 0)
    }

    fn entry_at(
        &mut self,
        pair: Pair<'s>,
        depth: usize,
    ) -> Result<(&'s str, &'s str, Attr), ParseFailed> {
        let mut fields = Fields::of(pair);
        let at = fields.next(self.cursor)?.as_str();
        let key = at
            .strip_prefix('"')
            .and_then(|k| k.strip_suffix('"'))
            .unwrap_or(at);
        let value = match fields.take(Rule::attr) {
            Some(value) => self.attr_at(value, depth)?,
            None => Attr::Unit,
        };
        Ok((key, at, value))
    }

    fn number(&mut self, mut fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let literal = fields.next(self.cursor)?;
        let ty = match fields.take(Rule::ty) {
            Some(ty) => Some(self.ty(ty.as_str())?),
            None => None,
        };
        let text = literal.as_str();
        let float = text.contains('.');
        match ty {
            Some(ty @ Type::Float(_)) => Ok(Attr::Float(self.float_bits(text, &ty)?, ty)),
            None if float => {
                let ty = Type::Float(crate::ir::FloatKind::F64);
                Ok(Attr::Float(self.float_bits(text, &ty)?, ty))
            }
            Some(ty) if float => {
                let message = format!("`{text}` is not a value of type {ty}");
                Err(self.cursor.error(&codes::BAD_NUMBER, text, message))
            }
            ty => {
                let ty = ty.unwrap_or(Type::I64);
                let value = self.int_of_type(text, &ty)?;
                if ty == Type::I1 {
                    return Ok(Attr::Bool(value != 0));
                }
                Ok(Attr::int_of_type(value, ty))
            }
        }
    }

    fn dense_array(&mut self, mut fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let ty = fields.next(self.cursor)?;
        let elem = self.ty(ty.as_str())?;
        let mut values = Vec::new();
        for pair in fields.rest() {
            let text = pair.as_str();
            values.push(match pair.as_rule() {
                Rule::boolean => i64::from(text == "true"),
                _ if elem.is_float() => self.float_bits(text, &elem)? as i64,
                Rule::number if !text.contains('.') => self.int_of_type(text, &elem)? as i64,
                _ => {
                    let message = format!("`{text}` is not a value of type {elem}");
                    return Err(self.cursor.error(&codes::BAD_NUMBER, text, message));
                }
            });
        }
        Ok(Attr::DenseArray(Arc::new(DenseArray { elem, values })))
    }

    fn strided(&mut self, fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let mut strides = Vec::new();
        let mut offset = 0;
        for pair in fields.rest() {
            let value = match pair.as_str() {
                "?" => DYNAMIC,
                text => self.int_text(text)?,
            };
            match pair.as_rule() {
                Rule::stride => strides.push(value),
                _ => offset = value,
            }
        }
        Ok(Attr::Strided {
            strides: strides.into(),
            offset,
        })
    }

    // ---- the dialect's own ----

    /// A structure of a name; every key must be there.
    fn aie_struct(&mut self, name: &str, body: Pair<'s>) -> Result<Attr, ParseFailed> {
        match name {
            "packet_info" => {
                let [pkt_type, pkt_id] = self.keys(body, ["pkt_type", "pkt_id"])?;
                Ok(Attr::Packet(PacketInfo { pkt_type, pkt_id }))
            }
            "bd_iteration" => {
                let [size, stride, current] = self.keys(body, ["size", "stride", "current"])?;
                Ok(Attr::BdIteration(BdIteration {
                    size,
                    stride,
                    current,
                }))
            }
            "bd_dim_layout" => {
                let [size, stride] = self.keys(body, ["size", "stride"])?;
                Ok(Attr::BdDims([BdDim { size, stride }].into()))
            }
            _ => {
                let [before, after] = self.keys(body, ["const_pad_before", "const_pad_after"])?;
                Ok(Attr::BdPads([BdPad { before, after }].into()))
            }
        }
    }

    /// The packet of an [`Rule::inline_struct`].
    pub(crate) fn packet(&mut self, fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let text = fields.text();
        match fields.rest().last() {
            Some(body) => self.aie_struct("packet_info", body),
            None => Err(self
                .cursor
                .error(&codes::BAD_ATTRIBUTE, text, "not a packet".to_string())),
        }
    }

    /// The integers of a structure's keys, in any order; without keys in this order.
    fn keys<const N: usize>(
        &mut self,
        body: Pair<'s>,
        names: [&str; N],
    ) -> Result<[i64; N], ParseFailed> {
        let text = body.as_str();
        let mut values = [None; N];
        for (n, field) in body.into_inner().enumerate() {
            let mut fields = Fields::of(field);
            let key = fields.take(Rule::bare_id);
            let value = fields.next(self.cursor)?;
            let place = match &key {
                Some(key) => names.iter().position(|name| *name == key.as_str()),
                None => Some(n).filter(|n| *n < N),
            };
            let key = key.unwrap_or(value.clone()).as_str();
            let value = self.int(value)?;
            match place {
                Some(at) if values[at].is_none() => values[at] = Some(value),
                Some(_) => {
                    let message = format!("key `{key}` is given twice");
                    return Err(self.cursor.error(&codes::DUPLICATE_ATTRIBUTE, key, message));
                }
                None => {
                    let message = format!("there is no key `{key}` here");
                    let help = match did_you_mean(key, names) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("the keys are {}", names.join(" and ")),
                    };
                    return Err(self
                        .cursor
                        .error_help(&codes::BAD_ATTRIBUTE, key, message, help));
                }
            }
        }
        let mut out = [0; N];
        for ((slot, value), name) in out.iter_mut().zip(values).zip(names) {
            match value {
                Some(value) => *slot = value,
                None => {
                    let message = format!("the key `{name}` is missing");
                    let all: Vec<_> = names.iter().map(|n| format!("{n} = N")).collect();
                    let help = format!("give all of them: <{}>", all.join(", "));
                    return Err(self
                        .cursor
                        .error_help(&codes::BAD_ATTRIBUTE, text, message, help));
                }
            }
        }
        Ok(out)
    }

    fn aie_list(&mut self, mut fields: Fields<'s>) -> Result<Attr, ParseFailed> {
        let name = fields.next(self.cursor)?.as_str();
        let body = fields.next(self.cursor)?;
        match name {
            "bd_pad_layout_array" => self.pads(body),
            "bd_dim_layout_array" => self.dims(body),
            "bd_pad_layout_array_array" => {
                let mut list = Vec::new();
                for item in body.into_inner() {
                    match self.pads(item)? {
                        Attr::BdPads(pads) => list.push(pads),
                        _ => return Err(ParseFailed),
                    }
                }
                Ok(Attr::BdPadsArray(list.into()))
            }
            _ => {
                let mut list = Vec::new();
                for item in body.into_inner() {
                    match self.dims(item)? {
                        Attr::BdDims(dims) => list.push(dims),
                        _ => return Err(ParseFailed),
                    }
                }
                Ok(Attr::BdDimsArray(list.into()))
            }
        }
    }

    /// The dimensions of an [`Rule::inline_list`] or what it holds.
    pub(crate) fn dims(&mut self, pair: Pair<'s>) -> Result<Attr, ParseFailed> {
        self.listed(pair, &DIMS)
    }

    /// The padding of an [`Rule::inline_list`] or what it holds.
    pub(crate) fn pads(&mut self, pair: Pair<'s>) -> Result<Attr, ParseFailed> {
        self.listed(pair, &PADS)
    }

    fn listed(&mut self, pair: Pair<'s>, form: &KeyedList) -> Result<Attr, ParseFailed> {
        let text = pair.as_str();
        match pair.as_rule() {
            Rule::inline_list => {
                let inner = Fields::of(pair).next(self.cursor)?;
                self.listed(inner, form)
            }
            Rule::aie_list | Rule::attr_alias => {
                let attr = self.attr(pair)?;
                if (form.is)(&attr) {
                    return Ok(attr);
                }
                let [first, second] = form.keys;
                let message = format!("expected a list of <{first} = N, {second} = N>");
                Err(self.cursor.error(&codes::BAD_ATTRIBUTE, text, message))
            }
            _ => {
                let mut list = Vec::new();
                for item in pair.into_inner() {
                    let body = self.item_body(item)?;
                    list.push(self.keys(body, form.keys)?);
                }
                Ok((form.make)(list))
            }
        }
    }

    fn item_body(&mut self, item: Pair<'s>) -> Result<Pair<'s>, ParseFailed> {
        let text = item.as_str();
        match item.into_inner().last() {
            Some(body) if body.as_rule() == Rule::struct_body => Ok(body),
            _ => {
                let message = "expected an entry in angle brackets".to_string();
                Err(self.cursor.error(&codes::BAD_ATTRIBUTE, text, message))
            }
        }
    }
}

/// A list of entries with two keys.
struct KeyedList {
    keys: [&'static str; 2],
    /// The attribute of the values.
    make: fn(Vec<[i64; 2]>) -> Attr,
    /// Whether an attribute is of its kind.
    is: fn(&Attr) -> bool,
}

/// `[<size = 4, stride = 1>, …]`
const DIMS: KeyedList = KeyedList {
    keys: ["size", "stride"],
    make: |list| {
        let dims = list.into_iter();
        Attr::BdDims(dims.map(|[size, stride]| BdDim { size, stride }).collect())
    },
    is: |attr| matches!(attr, Attr::BdDims(_)),
};

/// `[<const_pad_before = 1, const_pad_after = 0>, …]`
const PADS: KeyedList = KeyedList {
    keys: ["const_pad_before", "const_pad_after"],
    make: |list| {
        let pads = list.into_iter();
        Attr::BdPads(
            pads.map(|[before, after]| BdPad { before, after })
                .collect(),
        )
    },
    is: |attr| matches!(attr, Attr::BdPads(_)),
};

/// The help about an alias that isn't defined.
pub(super) fn alias_help(name: &str, mut known: Vec<&str>, what: &str) -> String {
    known.sort_unstable();
    match did_you_mean(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("define it before, outside of all braces: {name} = {what}"),
    }
}

/// `@a::@"b c"` as a path.
pub(crate) fn symbol_ref(text: &str) -> SymbolRef {
    SymbolRef {
        path: split_symbols(text).map(|name| name.into()).collect(),
    }
}

fn split_symbols(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.strip_prefix("::").unwrap_or(rest);
        rest = rest.strip_prefix('@')?;
        let end = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |n| n + 2),
            None => rest.find("::").unwrap_or(rest.len()),
        };
        let (name, after) = rest.split_at(end);
        rest = after;
        Some(symbol_name(name))
    })
}

/// A symbol's name without `@` and quotes.
pub(crate) fn symbol_name(text: &str) -> String {
    let text = text.strip_prefix('@').unwrap_or(text);
    if text.starts_with('"') {
        unescape(text)
    } else {
        text.to_string()
    }
}

/// A string literal's value: `\n`, `\t`, `\"`, `\\` and two hex digits.
pub(crate) fn unescape(text: &str) -> String {
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    if !text.contains('\\') {
        return text.to_string();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let hex = after
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (after.first(), hex) {
            (_, Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or(&[]);
            }
            (Some(b'n'), _) => push_escape(&mut bytes, &mut rest, b'\n'),
            (Some(b't'), _) => push_escape(&mut bytes, &mut rest, b'\t'),
            (Some(other), _) => push_escape(&mut bytes, &mut rest, *other),
            (None, _) => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn push_escape(bytes: &mut Vec<u8>, rest: &mut &[u8], byte: u8) {
    bytes.push(byte);
    *rest = rest.get(1..).unwrap_or(&[]);
}
