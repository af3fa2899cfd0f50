//! Reads the tokens of a line one by one.

use aiec_diag::{Diag, Span};
use aiec_isa::number;
use aiec_isa::text::{Token, TokenKind};

use crate::codes;

/// A line under way; it has a token at least.
#[derive(Clone)]
pub struct LineCursor<'t, 'l> {
    tokens: &'l [Token<'t>],
    at: usize,
}

impl<'t, 'l> LineCursor<'t, 'l> {
    /// The line from its first token on.
    pub fn new(tokens: &'l [Token<'t>]) -> LineCursor<'t, 'l> {
        LineCursor { tokens, at: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    /// The next token if it is of a kind.
    pub fn peek_kind(&self, kind: TokenKind) -> Option<Token<'t>> {
        self.peek().filter(|token| token.kind == kind)
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Takes the next token if it is of a kind.
    pub fn take_kind(&mut self, kind: TokenKind) -> Option<Token<'t>> {
        let token = self.peek_kind(kind)?;
        self.at += 1;
        Some(token)
    }

    /// Takes a sign if it is next.
    pub fn take(&mut self, sign: char) -> bool {
        let found = self.peek().is_some_and(|token| token.is_sign(sign));
        self.at += usize::from(found);
        found
    }

    /// The place of the next token, or of the end of the line.
    pub fn place(&self) -> Span {
        let end = || {
            let span = self.line_span();
            Span {
                start: span.end,
                ..span
            }
        };
        self.peek().map_or_else(end, |token| token.span)
    }

    /// The place of the whole line.
    pub fn line_span(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        }
    }

    /// The expectation here.
    pub fn expected(&self, what: &str) -> Diag {
        let found = match self.peek() {
            Some(token) => format!("'{}'", token.text),
            None => "the end of the line".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        Diag::error(&codes::SYNTAX, message).label(self.place(), "")
    }

    /// Takes a sign.
    pub fn expect(&mut self, sign: char, help: &str) -> Result<(), Diag> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.expected(&format!("'{sign}'")).help(help))
        }
    }

    /// Takes a text in quotes.
    pub fn quoted(&mut self, what: &str) -> Result<Token<'t>, Diag> {
        self.take_kind(TokenKind::Quoted)
            .ok_or_else(|| self.expected(what).help("write it between quotes"))
    }

    /// Takes a whole number, with a sign if there is one.
    pub fn number(&mut self, what: &str) -> Result<(i64, Span), Diag> {
        let start = self.place();
        let negative = self.take('-');
        if !negative {
            self.take('+');
        }
        let Some(token) = self.take_kind(TokenKind::Number) else {
            return Err(self.expected(what).help("write a number, decimal or 0x…"));
        };
        let span = start.to(token.span);
        let value = whole_number(token.text, span)?;
        Ok((if negative { -value } else { value }, span))
    }

    /// Takes 0 or 1.
    pub fn flag(&mut self, what: &str, meaning: &str) -> Result<bool, Diag> {
        let (value, span) = self.number(what)?;
        match value {
            0 | 1 => Ok(value == 1),
            _ => Err(
                Diag::error(&codes::SYNTAX, format!("{what} is {value}, not 0 or 1"))
                    .label(span, "neither 0 nor 1")
                    .help(meaning),
            ),
        }
    }

    /// The line is over.
    pub fn end(&self) -> Result<(), Diag> {
        match self.peek() {
            None => Ok(()),
            Some(_) => {
                let diag = self.expected("the end of the line");
                Err(diag.help("leave the rest out, or put it on a line of its own"))
            }
        }
    }
}

/// A number that fits 63 bits.
pub fn whole_number(text: &str, span: Span) -> Result<i64, Diag> {
    let value = number::parse(text).map_err(|error| error.diag(text, span))?;
    i64::try_from(value).map_err(|_| number::NumberError::TooLarge.diag(text, span))
}
