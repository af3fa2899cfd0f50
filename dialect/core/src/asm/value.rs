//! Values of operands and of directives' arguments: a number, or a symbol with a number added.

use super::lexer::{Token, Word};

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value<'a> {
    /// The symbol whose address it is, if any.
    pub symbol: Option<&'a str>,
    /// The number, or the addend to the address.
    pub number: i64,
    /// First byte in the file.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Reads a value: terms with `+` and `-` between them, of which at most one is a symbol that no
/// constant has the name of. Advances `at` past it.
pub(super) fn read<'a>(
    words: &[Word<'a>],
    at: &mut usize,
    constant: &dyn Fn(&str) -> Option<i64>,
) -> Option<Value<'a>> {
    let start = words.get(*at)?.start;
    let mut value = Value {
        symbol: None,
        number: 0,
        start,
        end: start,
    };
    let mut next = *at;
    let mut is_negative = false;
    loop {
        while let Some(Token::Mark(sign @ ('-' | '+'))) = words.get(next).map(|word| &word.token) {
            is_negative ^= *sign == '-';
            next += 1;
        }
        let word = words.get(next)?;
        let term = match &word.token {
            Token::Number(number) => *number,
            Token::Name(name) => match constant(name) {
                Some(number) => number,
                None if value.symbol.is_none() && !is_negative => {
                    value.symbol = Some(name);
                    0
                }
                None => return None,
            },
            _ => return None,
        };
        let term = if is_negative {
            term.wrapping_neg()
        } else {
            term
        };
        value.number = value.number.wrapping_add(term);
        value.end = word.end;
        next += 1;
        match words.get(next).map(|word| &word.token) {
            Some(Token::Mark('+')) => is_negative = false,
            Some(Token::Mark('-')) => is_negative = true,
            _ => break,
        }
        next += 1;
    }
    *at = next;
    Some(value)
}
