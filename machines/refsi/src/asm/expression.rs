//! Sums of numbers and names, with names that are defined later.

use aiec_diag::{Diag, Span};
use aiec_isa::finding::unknown_name;
use aiec_isa::number;
use aiec_isa::text::{Token, TokenKind};

use super::{Assembler, Symbol};
use crate::memory_map::REGIONS;
use crate::register::RegisterField;
use crate::{codes, dma, register};

/// Where in the chunks the value of an expression goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    /// The chunk.
    pub chunk: usize,
    /// Lowest bit in it.
    pub low: u32,
    /// Width in bits.
    pub bits: u32,
    /// The register's field whose form it has.
    pub field: Option<&'static RegisterField>,
    /// A description in words.
    pub what: &'static str,
}

/// An expression with names that were not known when it was read.
#[derive(Debug)]
pub(super) struct Pending<'t> {
    to: Destination,
    known: i128,
    names: Vec<(bool, Token<'t>)>,
    span: Span,
}

/// The kind of thing that a built-in name denotes ("a register", …); such names can't be redefined.
pub(super) fn is_taken(name: &str) -> Option<&'static str> {
    if register::by_name(name).is_some() {
        return Some("a register");
    }
    if address_name(name).is_some() {
        return Some("an address");
    }
    None
}

/// The address of a name: a DMA register or a region.
fn address_name(name: &str) -> Option<u64> {
    let region = REGIONS.iter().find(|r| r.name.eq_ignore_ascii_case(name));
    dma::by_name(name).or(region.map(|r| r.base))
}

impl<'t> Assembler<'t, '_> {
    /// The value of a part that is one plain number.
    pub(super) fn literal(&self, part: &[Token<'t>]) -> Option<u64> {
        match part {
            [one] if one.kind == TokenKind::Number => number::parse(one.text).ok(),
            _ => None,
        }
    }

    /// Sums up a part; names that are not known yet are left over. `None` for an invalid
    /// expression, which is reported.
    fn sum(
        &mut self,
        first: &Token<'t>,
        part: &[Token<'t>],
    ) -> Option<(i128, Vec<(bool, Token<'t>)>)> {
        let (mut total, mut names) = (0i128, Vec::new());
        let mut tokens = part.iter();
        let (mut expected, mut negative) = (true, false);
        let mut last = first;
        for token in tokens.by_ref() {
            last = token;
            if !expected {
                negative = token.is_sign('-');
                if !negative && !token.is_sign('+') {
                    let message = format!("'{}' is not expected here", token.text);
                    let diag = Diag::error(&codes::SYNTAX, message).label(token.span, "");
                    self.fail(diag.help("operands are separated by commas; sums have + or -"));
                    return None;
                }
                expected = true;
                continue;
            }
            let value = match token.kind {
                TokenKind::Number => match number::parse(token.text) {
                    Ok(value) => Some(value),
                    Err(error) => {
                        self.fail(error.diag(token.text, token.span));
                        return None;
                    }
                },
                TokenKind::Word => match (address_name(token.text), self.symbols.get(token.text)) {
                    (Some(address), _) => Some(address),
                    (_, Some(symbol)) if !symbol.is_label => Some(symbol.value),
                    _ => {
                        names.push((negative, *token));
                        None
                    }
                },
                _ => {
                    let message = format!("'{}' isn't a number or name", token.text);
                    let diag = Diag::error(&codes::SYNTAX, message).label(token.span, "");
                    let help = if token.is_sign('-') {
                        "negative numbers are written as what they are in 64 bits"
                    } else {
                        "write a number, a name or a sum of these"
                    };
                    self.fail(diag.help(help));
                    return None;
                }
            };
            let value = i128::from(value.unwrap_or(0));
            total += if negative { -value } else { value };
            expected = false;
        }
        if expected {
            let message = "a number is missing".to_owned();
            let diag = Diag::error(&codes::SYNTAX, message).label(last.span, "behind this");
            self.fail(diag.help("operands are separated by commas, with nothing after the last"));
            return None;
        }
        Some((total, names))
    }

    /// The value of a part whose names are all known by now.
    pub(super) fn known(&mut self, first: &Token<'t>, part: &[Token<'t>]) -> Option<u64> {
        let (total, names) = self.sum(first, part)?;
        if let Some((_, name)) = names.first() {
            let message = format!("'{}' is not defined before this line", name.text);
            let diag = Diag::error(&codes::SYMBOL, message).label(name.span, "");
            self.fail(diag.help("constants use numbers, addresses and constants in front of them"));
            return None;
        }
        let span = span_of(first, part);
        self.unsigned(total, span)
    }

    /// The value of a part, encoded for its destination; 0 where names are not known yet, whose
    /// sum is added at the end.
    pub(super) fn value(&mut self, first: &Token<'t>, part: &[Token<'t>], to: Destination) -> u64 {
        let span = span_of(first, part);
        match self.sum(first, part) {
            None => 0,
            Some((total, names)) if names.is_empty() => self.encoded(total, span, to),
            Some((known, names)) => {
                self.pending.push(Pending {
                    to,
                    known,
                    names,
                    span,
                });
                0
            }
        }
    }

    /// The value of a part as a whole chunk.
    pub(super) fn number(
        &mut self,
        first: &Token<'t>,
        part: &[Token<'t>],
        at: usize,
        what: &'static str,
    ) {
        let to = Destination {
            chunk: at,
            low: 0,
            bits: u64::BITS,
            field: None,
            what,
        };
        let value = self.value(first, part, to);
        if let Some(chunk) = self.assembly.chunks.get_mut(at) {
            *chunk = value;
        }
    }

    fn unsigned(&mut self, total: i128, span: Span) -> Option<u64> {
        let value = u64::try_from(total).ok();
        if value.is_none() {
            let message = format!("the sum {total} doesn't fit 64 bits");
            let diag = Diag::error(&codes::RANGE, message).label(span, "");
            self.fail(diag.help("values are 0 to 0xffffffffffffffff"));
        }
        value
    }

    /// A value as its destination has it; reported if it doesn't fit.
    fn encoded(&mut self, total: i128, span: Span, to: Destination) -> u64 {
        let Some(value) = self.unsigned(total, span) else {
            return 0;
        };
        if let Some(field) = to.field {
            let encoded = field.encode(value);
            if encoded.is_none() {
                let message = format!("0x{value:x} isn't a value of {}", field.name);
                let diag = Diag::error(&codes::RANGE, message).label(span, "");
                self.fail(diag.help(format!("{} is {}", field.name, field.range())));
            }
            return encoded.unwrap_or(0);
        }
        let mask = u64::MAX >> (u64::BITS - to.bits);
        if value > mask {
            let message = format!(
                "0x{value:x} doesn't fit the {} bits of {}",
                to.bits, to.what
            );
            let diag = Diag::error(&codes::RANGE, message).label(span, "");
            self.fail(diag.help(format!("{} is 0 to 0x{mask:x}", to.what)));
        }
        value & mask
    }

    /// Adds the values of names that were defined after their use, and of labels.
    pub(super) fn resolve_pending(&mut self) {
        for Pending {
            to,
            known,
            names,
            span,
        } in std::mem::take(&mut self.pending)
        {
            let mut total = known;
            let mut all = true;
            for (negative, name) in names {
                let Some(value) = self.symbol(&name) else {
                    all = false;
                    continue;
                };
                let value = i128::from(value);
                total += if negative { -value } else { value };
            }
            if !all {
                continue;
            }
            let value = self.encoded(total, span, to);
            if let Some(chunk) = self.assembly.chunks.get_mut(to.chunk) {
                *chunk |= value << to.low;
            }
        }
    }

    fn symbol(&mut self, name: &Token<'t>) -> Option<u64> {
        let base = self.assembly.base;
        let Some(Symbol {
            value, is_label, ..
        }) = self.symbols.get(name.text)
        else {
            let regions = REGIONS.iter().map(|r| r.name);
            let registers = dma::REGISTERS.iter().map(|(name, _)| *name);
            let known = self.symbols.keys().copied().chain(registers).chain(regions);
            let mut known: Vec<&str> = known.collect();
            known.sort_unstable();
            let help = "define it with .equ, or as a label in front of a line";
            let mut diag = unknown_name(
                "label, constant or address",
                name.text,
                name.span,
                known,
                help,
            );
            diag.code = &codes::SYMBOL;
            self.fail(diag);
            return None;
        };
        Some(value.wrapping_add(if *is_label { base } else { 0 }))
    }
}

fn span_of(first: &Token<'_>, part: &[Token<'_>]) -> Span {
    match part {
        [] => first.span,
        [one] => one.span,
        [begin, .., end] => begin.span.to(end.span),
    }
}
