//! Findings of the parser: places, and what the grammar expected.

use pest::Parser as _;
use pest::error::{Error, InputLocation};

use super::{Parser, Stop, codes};
use crate::diag::{Code, Diag};
use crate::source::Span;
use crate::text::grammar::{Grammar, Rule};

impl<'s> Parser<'s> {
    /// The span of a slice of the file's text.
    pub(crate) fn span(&self, text: &str) -> Span {
        let start = self.offset(text);
        Span::new(self.file, start, start + text.len())
    }

    /// The byte offset of a slice of the file's text.
    pub(super) fn offset(&self, text: &str) -> usize {
        (text.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// Reports an error at a slice of the text.
    pub(crate) fn error(&mut self, code: &'static Code, at: &str, message: String) -> Stop {
        let span = self.span(at);
        self.report(Diag::error(code, message).label(span, ""))
    }

    /// Reports a finding; the operation can't be made.
    pub(crate) fn report(&mut self, diag: Diag) -> Stop {
        self.diags.push(diag);
        Stop
    }

    /// Reports what the grammar found wrong in the text from byte `base` on.
    pub(super) fn syntax_error(&mut self, rule: Rule, error: &Error<Rule>, base: usize) -> Stop {
        let at = base
            + match error.location {
                InputLocation::Pos(p) => p,
                InputLocation::Span((s, _)) => s,
            };
        let (at, expected) = self.expectation(rule, base, at);
        self.unexpected(at, &expected)
    }

    /// Reports what comes next where an operation should start.
    pub(super) fn unexpected_item(&mut self, expected: &str) -> Stop {
        let (start, end, found) = self.token(self.pos);
        let span = Span::new(self.file, start, end);
        let message = format!("expected {expected}, found {found}");
        self.report(Diag::error(&codes::SYNTAX, message).label(span, "here"))
    }

    /// Reports an unexpected token at a byte offset.
    pub(super) fn unexpected(&mut self, at: usize, expected: &str) -> Stop {
        let (start, end, found) = self.found(at);
        let message = if expected.is_empty() {
            format!("unexpected {found}")
        } else {
            format!("expected {expected}, found {found}")
        };
        let span = Span::new(self.file, start, end);
        self.report(Diag::error(&codes::SYNTAX, message).label(span, "here"))
    }

    /// Matches once more, now with the matcher's record of attempts, to say what could stand at
    /// the furthest place reached.
    fn expectation(&self, rule: Rule, base: usize, at: usize) -> (usize, String) {
        let text = self.text.get(base..).unwrap_or("");
        pest::set_error_detail(true);
        let result = Grammar::parse(rule, text);
        pest::set_error_detail(false);
        let Some(attempts) = result.err().and_then(|e| e.parse_attempts()) else {
            return (at, String::new());
        };
        let furthest = base + attempts.max_position;
        let mut words: Vec<String> = Vec::new();
        for stack in attempts.call_stacks() {
            if let Some(name) = stack.deepest.get_rule().and_then(|r| describe(*r)) {
                add(&mut words, name.to_string());
            }
        }
        for token in attempts.expected_tokens() {
            let text = token.to_string();
            let text = text.trim_matches('`');
            if is_punctuation(text) || is_keyword(text) {
                add(&mut words, format!("`{text}`"));
            }
        }
        if furthest < at {
            return (at, String::new());
        }
        (furthest, join(&words))
    }

    /// The token at a byte offset: its place and what to call it. At the end of a line the place
    /// is right after the last token.
    fn found(&self, at: usize) -> (usize, usize, String) {
        let at = at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or("");
        let rest = self.text.get(at..).unwrap_or("");
        let trimmed = before.trim_end();
        let line_ended = before.get(trimmed.len()..).unwrap_or("").contains('\n');
        let ended = rest.trim_start_matches(' ').starts_with('\n') || line_ended;
        if ended && !rest.trim_start().is_empty() {
            let at = trimmed.len();
            return (at, at, "the end of the line".to_string());
        }
        self.token(at)
    }

    /// The token at a byte offset and what to call it.
    fn token(&self, at: usize) -> (usize, usize, String) {
        let rest = self.text.get(at..).unwrap_or("");
        let Some(first) = rest.chars().next() else {
            let at = self.text.trim_end().len();
            return (at, at, "the end of the file".to_string());
        };
        let wordlike = |c: char| c.is_alphanumeric() || "_.$".contains(c);
        let mut len = match first {
            '"' => rest[1..].find(['"', '\n']).map_or(rest.len(), |n| n + 2),
            '%' | '@' | '^' | '#' | '!' => {
                1 + rest[1..].find(|c| !wordlike(c)).unwrap_or(rest.len() - 1)
            }
            c if wordlike(c) => rest.find(|c| !wordlike(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        len = len.min(rest.len());
        let token = rest.get(..len).unwrap_or("").trim_end();
        (at, at + token.len(), format!("`{token}`"))
    }
}

/// What to call a rule in "expected …"; `None` for rules made of others.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::value => "a value (`%name`)",
        Rule::symbol | Rule::symbol_ref => "a symbol (`@name`)",
        Rule::block => "a block (`^name`)",
        Rule::string => "a string",
        Rule::int => "an integer",
        Rule::number => "a number",
        Rule::word | Rule::bare_id => "a word",
        Rule::ty | Rule::type_node => "a type",
        Rule::attr => "an attribute",
        Rule::attr_dict => "`{`",
        Rule::EOI => "the end",
        _ => return None,
    })
}

fn is_punctuation(text: &str) -> bool {
    !text.is_empty() && text.len() <= 2 && text.chars().all(|c| "(){}[]<>,:=->".contains(c))
}

fn is_keyword(text: &str) -> bool {
    const TOO_MANY: [&str; 12] = [
        "dense",
        "sparse",
        "dense_resource",
        "affine_map",
        "affine_set",
        "array",
        "strided",
        "loc",
        "unit",
        "true",
        "false",
        "memref",
    ];
    text.len() > 2
        && text.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
        && !TOO_MANY.contains(&text)
}

fn add(words: &mut Vec<String>, word: String) {
    if !words.contains(&word) {
        words.push(word);
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
