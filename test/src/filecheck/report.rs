//! Message of a failed check: the directive, where in the input it was looked for, and the line
//! that comes nearest to it.

use std::fmt::Write;

use super::directive::CheckError;
use super::matcher::{Failure, Reason};
use super::pattern::Kind;

/// Lines after the start of the search among which the nearest candidate is looked for.
const CANDIDATE_LINES: usize = 400;

/// The two texts of a run, for rendering.
pub(super) struct Report<'a> {
    pub check: &'a str,
    pub check_name: &'a str,
    pub input: &'a str,
    pub input_name: &'a str,
}

impl Report<'_> {
    /// An error in the check file.
    pub fn check_error(&self, error: &CheckError) -> String {
        match error.offset {
            Some(offset) => self.in_check(offset, "error", &error.message),
            None => format!("error: {}\n", error.message),
        }
    }

    /// A directive that is not satisfied.
    pub fn failure(&self, failure: &Failure<'_>) -> String {
        let directive = failure.directive;
        let headline = |message: &str| match directive.offset {
            Some(offset) => {
                self.in_check(offset, "error", &format!("{}: {message}", directive.name))
            }
            None => format!("error: {}: {message}\n", directive.name),
        };
        let mut out = match &failure.reason {
            Reason::NotFound { from, to, found } => {
                let mut out = match directive.kind {
                    Kind::Plain(count) if count > 1 => headline(&format!(
                        "expected string found {found} of {count} times in input"
                    )),
                    _ => headline("expected string not found in input"),
                };
                out += &self.in_input(*from, "note", "scanning from here");
                if let Some(at) = nearest(&directive.pattern.source, self.input, *from, *to) {
                    out += &self.in_input(at, "note", "possible intended match here");
                }
                out
            }
            Reason::Substitution { from, message } => {
                headline(message) + &self.in_input(*from, "note", "scanning from here")
            }
            Reason::WrongLine {
                matched,
                previous,
                newlines,
            } => {
                let wrong = match (directive.kind, newlines) {
                    (Kind::Same, _) => "is not on the same line as the previous match",
                    (_, 0) => "is on the same line as the previous match",
                    _ => "is not on the line after the previous match",
                };
                headline(wrong)
                    + &self.in_input(matched.start, "note", "the match is here")
                    + &self.in_input(*previous, "note", "previous match ended here")
            }
            Reason::Excluded { matched } => {
                headline("excluded string found in input")
                    + &self.in_input(matched.start, "note", "found here")
            }
        };
        for note in &failure.notes {
            let _ = writeln!(out, "note: {note}");
        }
        out
    }

    fn in_check(&self, offset: usize, level: &str, message: &str) -> String {
        point(self.check_name, self.check, offset, level, message)
    }

    fn in_input(&self, offset: usize, level: &str, message: &str) -> String {
        point(self.input_name, self.input, offset, level, message)
    }
}

/// `name:line:column: level: message`, the line and a caret.
fn point(name: &str, text: &str, offset: usize, level: &str, message: &str) -> String {
    let offset = offset.min(text.len());
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| at + offset);
    let line = text[..offset].matches('\n').count() + 1;
    let column = text[start..offset].chars().count();
    let indent = " ".repeat(column);
    let source = &text[start..end];
    format!(
        "{name}:{line}:{}: {level}: {message}\n{source}\n{indent}^\n",
        column + 1
    )
}

/// The start of the line between two offsets that is most like the pattern, if any is.
fn nearest(pattern: &str, input: &str, from: usize, to: usize) -> Option<usize> {
    let mut best = None;
    let mut at = from;
    for line in input[from..to].split_inclusive('\n').take(CANDIDATE_LINES) {
        let text = line.trim();
        if !text.is_empty() {
            let distance = distance(pattern, text);
            let limit = pattern.chars().count().max(text.chars().count()) / 2;
            if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, at + line.len() - line.trim_start().len()));
            }
        }
        at += line.len();
    }
    best.map(|(_, at)| at)
}

/// Levenshtein's distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
