//! Findings of the parser: places, the found and the expected tokens, and advice.

use super::{Cursor, ParseFailed, codes};
use crate::ops::kind_of;
use crate::text::custom;
use crate::text::grammar::Rule;
use crate::text::syntax::{Mismatch, form};
use aiec_diag::Span;
use aiec_diag::{Code, Diag, did_you_mean};

/// Things that are listed as expected, at most.
const MAX_EXPECTED: usize = 4;

/// The generic form, for messages.
pub(super) const GENERIC_FORM: &str =
    "\"dialect.op\"(%operand, …) {key = value, …} : (TYPE, …) -> TYPE";

/// Something that can't be where it was found.
struct UnexpectedToken {
    start: usize,
    end: usize,
    /// Its name in messages.
    text: String,
    /// A way out that follows from the token alone.
    help: Option<String>,
}

impl<'s> Cursor<'s> {
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
    pub(crate) fn error(&mut self, code: &'static Code, at: &str, message: String) -> ParseFailed {
        let span = self.span(at);
        self.report(Diag::error(code, message).label(span, ""))
    }

    /// Reports an error at a slice of the text with a way out.
    pub(crate) fn error_help(
        &mut self,
        code: &'static Code,
        at: &str,
        message: String,
        help: impl Into<String>,
    ) -> ParseFailed {
        let span = self.span(at);
        self.report(Diag::error(code, message).label(span, "").help(help))
    }

    /// Adds a finding that reading goes on after.
    pub(crate) fn remark(&mut self, diag: Diag) {
        self.diags.push(diag);
    }

    /// Reports a finding; the operation can't be made.
    pub(crate) fn report(&mut self, diag: Diag) -> ParseFailed {
        if self.gave_up {
            return ParseFailed;
        }
        let diag = match diag.help {
            None => match codes::usual_way_out(diag.code) {
                Some(help) => diag.help(help),
                None => diag,
            },
            Some(_) => diag,
        };
        self.diags.push(diag);
        ParseFailed
    }

    /// Reports why the text from byte `base` on doesn't match a rule.
    pub(super) fn syntax_error(
        &mut self,
        rule: Rule,
        mismatch: &Mismatch,
        base: usize,
    ) -> ParseFailed {
        match mismatch {
            Mismatch::TooDeep(at) => self.too_deep(base + at),
            Mismatch::Unexpected(at, expected) => self.unexpected_in(rule, base + at, expected),
        }
    }

    /// Reports a text that nests too deeply.
    fn too_deep(&mut self, at: usize) -> ParseFailed {
        let found = self.found(at);
        let span = Span::new(self.file, found.start, found.end);
        self.report(
            Diag::error(&codes::NESTING, "this nests too deeply").label(span, "too deep here"),
        )
    }

    fn unexpected_in(&mut self, rule: Rule, at: usize, expected: &[String]) -> ParseFailed {
        let found = self.found(at);
        let keywords = expected
            .iter()
            .filter_map(|e| e.strip_prefix('`')?.strip_suffix('`'))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        let word = self.word_at(found.start);
        let help = match (found.help.clone(), did_you_mean(word, keywords)) {
            (Some(help), _) => Some(help),
            (None, Some(near)) if !word.is_empty() => Some(format!("did you mean `{near}`?")),
            _ => self.form_of(rule),
        };
        self.unexpected_with(found, &join(&shortened(expected)), help)
    }

    /// Syntax of the things that a rule reads, as a sentence.
    fn form_of(&self, rule: Rule) -> Option<String> {
        Some(match rule {
            Rule::generic_head | Rule::generic_tail | Rule::properties => {
                format!("the generic form is {GENERIC_FORM}")
            }
            Rule::block_label => "a block starts with `^name:` or `^name(%arg: TYPE, …):`".into(),
            Rule::attr_alias_def => "an attribute alias is `#name = ATTRIBUTE`".into(),
            Rule::type_alias_def => "a type alias is `!name = TYPE`".into(),
            Rule::file_metadata => "the file's metadata end with `#-}`".into(),
            Rule::attr_dict => "attributes are `{key = value, key, …}`".into(),
            Rule::trailing_loc => "a location is `loc(\"file\":line:column)`".into(),
            _ => match self.operation {
                Some((_, name)) => match form(rule, name) {
                    Some(form) if form.starts_with(name) => {
                        let kind = kind_of(custom::full_name(name));
                        let regions = kind.def().and_then(|def| def.regions);
                        let region = if regions == Some(0) { "" } else { " { … }" };
                        format!("`{name}` is written `{form}{region}`")
                    }
                    Some(form) => format!("this part of `{name}` is written `{form}`"),
                    None => format!("compare it with the form of `{name}` in its reference"),
                },
                None => return None,
            },
        })
    }

    /// Reports the next token where an operation should start.
    pub(super) fn unexpected_item(&mut self, expected: &str) -> ParseFailed {
        let found = self.token(self.pos);
        let help = match self.peek() {
            Some(b'}') => "remove it, or look for the brace that it should close".to_string(),
            _ => format!("an operation is `dialect.op …`, or in generic form {GENERIC_FORM}"),
        };
        let help = found.help.clone().unwrap_or(help);
        self.unexpected_with(found, expected, Some(help))
    }

    /// As [`Cursor::unexpected_item`], with a way out.
    pub(super) fn unexpected_item_help(&mut self, expected: &str, help: &str) -> ParseFailed {
        let found = self.token(self.pos);
        let help = found.help.clone().unwrap_or_else(|| help.to_string());
        self.unexpected_with(found, expected, Some(help))
    }

    /// Reports text after an operation on its line that doesn't belong to it.
    pub(super) fn unexpected_after(&mut self) -> ParseFailed {
        let found = self.token(self.pos);
        let form = self.operation.and_then(|(rule, _)| self.form_of(rule));
        let help = found.help.clone().or(form);
        self.unexpected_with(found, "the end of the operation", help)
    }

    /// Reports an unexpected token at a byte offset.
    pub(super) fn unexpected(&mut self, at: usize, expected: &str) -> ParseFailed {
        let found = self.found(at);
        let form = self.operation.and_then(|(rule, _)| self.form_of(rule));
        let help = found.help.clone().or(form);
        self.unexpected_with(found, expected, help)
    }

    /// Reports an unexpected token at a byte offset, with a way out.
    pub(super) fn unexpected_help(
        &mut self,
        at: usize,
        expected: &str,
        help: String,
    ) -> ParseFailed {
        let found = self.found(at);
        let help = found.help.clone().unwrap_or(help);
        self.unexpected_with(found, expected, Some(help))
    }

    fn unexpected_with(
        &mut self,
        found: UnexpectedToken,
        expected: &str,
        help: Option<String>,
    ) -> ParseFailed {
        let (message, label) = if expected.is_empty() {
            (format!("unexpected {}", found.text), "here".to_string())
        } else {
            let message = format!("expected {expected}, found {}", found.text);
            (message, format!("expected {expected}"))
        };
        let span = Span::new(self.file, found.start, found.end);
        let mut diag = Diag::error(&codes::SYNTAX, message).label(span, label);
        // Where the operation began, if that is on another line.
        if let Some((_, name)) = self.operation {
            let start = self.offset(name);
            let between = self.text.get(start..found.start).unwrap_or("");
            if between.contains('\n') {
                diag = diag.label(self.span(name), "of this operation");
            }
        }
        if let Some(help) = help {
            diag = diag.help(help);
        }
        self.report(diag)
    }

    /// The token at a byte offset. At the end of a line that is the place right after the last
    /// token.
    fn found(&self, at: usize) -> UnexpectedToken {
        let at = at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or("");
        let rest = self.text.get(at..).unwrap_or("");
        let trimmed = before.trim_end();
        let line_ended = before.get(trimmed.len()..).unwrap_or("").contains('\n');
        let ended = rest.trim_start_matches(' ').starts_with('\n') || line_ended;
        if ended && !rest.trim_start().is_empty() {
            let at = trimmed.len();
            return UnexpectedToken {
                start: at,
                end: at,
                text: "the end of the line".to_string(),
                help: None,
            };
        }
        self.token(at)
    }

    /// A word of letters that names can't have, `len` bytes at a byte offset, and the name that it
    /// is in.
    fn in_a_name(&self, at: usize, len: usize) -> UnexpectedToken {
        let part = |c: char| c.is_alphanumeric() || "_.$-".contains(c);
        let before = self.text.get(..at).unwrap_or("");
        let start = before.trim_end_matches(part).len();
        let sign = before.get(..start).unwrap_or("").ends_with(['@', '%']);
        let start = start - usize::from(sign);
        let name = self.text.get(start..at + len).unwrap_or("");
        UnexpectedToken {
            start: at,
            end: at + len,
            text: format!("`{}`", abridged(self.text.get(at..at + len).unwrap_or(""))),
            help: Some(with_other_letters(name)),
        }
    }

    /// The token at a byte offset.
    fn token(&self, at: usize) -> UnexpectedToken {
        let rest = self.text.get(at..).unwrap_or("");
        let Some(first) = rest.chars().next() else {
            let at = self.text.trim_end().len();
            return UnexpectedToken {
                start: at,
                end: at,
                text: "the end of the file".to_string(),
                help: None,
            };
        };
        let wordlike = |c: char| c.is_alphanumeric() || "_.$".contains(c);
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        let word_end = |text: &str| text.find(|c| !wordlike(c)).unwrap_or(text.len());
        let mut help = None;
        let len = match first {
            '"' => match after.find(['"', '\n']) {
                Some(n) if after.as_bytes().get(n) == Some(&b'"') => n + 2,
                n => {
                    help = Some("close the string with `\"`".to_string());
                    1 + n.unwrap_or(after.len())
                }
            },
            '%' | '@' | '^' | '#' | '!' => 1 + word_end(after),
            '(' | '[' | '<' => {
                if !closes(rest) {
                    let close = match first {
                        '(' => ')',
                        '[' => ']',
                        _ => '>',
                    };
                    help = Some(format!("close this `{first}` with `{close}`"));
                }
                1
            }
            c if wordlike(c) => {
                let len = word_end(rest);
                if !c.is_ascii() {
                    return self.in_a_name(at, len);
                }
                len
            }
            c => c.len_utf8(),
        };
        let token = rest.get(..len).unwrap_or("").trim_end();
        let never = if help.is_some() {
            ", which is never closed"
        } else {
            ""
        };
        UnexpectedToken {
            start: at,
            end: at + token.len(),
            text: format!("`{}`{never}", abridged(token)),
            help,
        }
    }
}

/// Advice for a name that ends at a letter which can't be in it.
fn with_other_letters(name: &str) -> String {
    match name.strip_prefix('@') {
        Some(plain) => format!("write a name with such letters in quotes: @\"{plain}\""),
        None => "names consist of ASCII letters, digits and `_ $ . -`".to_string(),
    }
}

/// Whether the bracket that a text starts with is closed on its line.
fn closes(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("");
    let mut depth = 0usize;
    let mut before = ' ';
    for c in line.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return true;
                }
            }
            _ => {}
        }
        before = c;
    }
    false
}

/// A token of bearable length.
fn abridged(token: &str) -> String {
    const LONGEST: usize = 40;
    if token.chars().count() <= LONGEST {
        return token.to_string();
    }
    let start: String = token.chars().take(LONGEST).collect();
    format!("{start}…")
}

/// The most telling of the things that could be somewhere: signs first, and not too many.
fn shortened(expected: &[String]) -> Vec<String> {
    let sign = |word: &&String| {
        word.strip_prefix('`')
            .is_some_and(|w| !w.starts_with(|c: char| c.is_alphanumeric()))
    };
    let keyword = |word: &&String| word.starts_with('`') && !sign(word);
    let signs = expected.iter().filter(sign);
    let others = expected.iter().filter(|w| !sign(w) && !keyword(w));
    let keywords = expected.iter().filter(keyword);
    let mut list: Vec<String> = signs.chain(others).chain(keywords).cloned().collect();
    list.truncate(MAX_EXPECTED);
    list
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
