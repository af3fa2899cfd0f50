//! The text of one directive: fixed parts, regexes, and string and numeric variables.

use std::cell::OnceCell;
use std::ops::Range;

use fancy_regex::{Regex, RegexBuilder};

use super::numeric::{self, Format, Numeric, Variables, is_variable};
use super::options::Options;
use super::regex::translate;

#[derive(Debug)]
enum Part {
    Fixed(String),
    /// An anonymous `{{regex}}`, translated.
    Regex(String),
    /// `[[NAME:regex]]`, translated.
    Define(String, String),
    /// `[[NAME]]`
    Use(String),
    /// `[[#…]]`
    Number(Numeric),
}

/// Kind of match that a directive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The text occurs, `n` times in a row (`n` is 1 except for `COUNT`).
    Plain(u32),
    /// As `Plain(1)`, on the line after the previous match.
    Next,
    /// As `Plain(1)`, on the line of the previous match.
    Same,
    /// The next line is empty.
    Empty,
    /// The text does not occur before the next positive match.
    Not,
    /// The text occurs, in any order with its neighbours.
    Dag,
    /// As `Plain(1)`; cuts the input into regions first.
    Label,
    /// Made for trailing `NOT` and `DAG` directives: matches the end of the input.
    EndOfInput,
}

/// Pattern of a directive.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    /// The text as written.
    pub source: String,
    full_lines: bool,
    flexible_margins: bool,
    ignore_case: bool,
    /// 1-based line in the check file; the value of `@LINE`.
    line: usize,
    /// Compiled once if it depends on no variable.
    compiled: OnceCell<Regex>,
}

/// A place where a pattern matched, relative to the text searched.
pub(super) type Match = Range<usize>;

/// Why a pattern did not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// The text does not occur.
    Absent,
    /// A substitution failed (undefined variable, overflow); the text says how.
    Substitution(String),
}

/// Variable that a capture group of the compiled regex sets.
enum Capture<'a> {
    String(&'a str),
    Number(&'a str, Format),
}

impl Pattern {
    /// Reads a directive's text. An error is a byte offset in the text and a message.
    pub fn parse(
        options: &Options,
        kind: Kind,
        text: &str,
        literal: bool,
        line: usize,
    ) -> Result<Pattern, (usize, String)> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !literal && let Some(at) = next_block(rest) {
            push_fixed(&mut parts, &rest[..at]);
            let start = text.len() - rest.len() + at;
            let (part, length) = parse_block(&rest[at..]).map_err(|message| (start, message))?;
            if let Part::Number(number) = &part {
                check_same_line_use(number, &parts).map_err(|message| (start, message))?;
            }
            parts.push(part);
            rest = &rest[at + length..];
        }
        push_fixed(&mut parts, rest);
        let pattern = Pattern {
            parts,
            source: text.to_string(),
            full_lines: options.match_full_lines && kind != Kind::Not,
            flexible_margins: !options.strict_whitespace,
            ignore_case: options.ignore_case,
            line,
            compiled: OnceCell::new(),
        };
        if !pattern.depends_on_variables() {
            let (source, _) = pattern
                .regex(&Variables::default())
                .map_err(|message| (0, message))?;
            let regex = pattern.compile(&source).map_err(|message| (0, message))?;
            let _ = pattern.compiled.set(regex);
        }
        Ok(pattern)
    }

    /// The pattern of the directive made for trailing `NOT`s and `DAG`s.
    pub fn end_of_input() -> Pattern {
        Pattern {
            parts: Vec::new(),
            source: String::new(),
            full_lines: false,
            flexible_margins: false,
            ignore_case: false,
            line: 0,
            compiled: OnceCell::new(),
        }
    }

    /// Whether the text sets or reads a variable.
    pub fn has_variables(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Fixed(_) | Part::Regex(_) => false,
            Part::Define(..) | Part::Use(_) => true,
            Part::Number(number) => number.defines.is_some() || !number.is_fixed(),
        })
    }

    fn depends_on_variables(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Fixed(_) | Part::Regex(_) | Part::Define(..) => false,
            Part::Use(_) => true,
            Part::Number(number) => !number.is_fixed(),
        })
    }

    /// The variables it reads and their values, for messages.
    pub fn substitutions(&self, variables: &Variables) -> Vec<String> {
        let mut notes = Vec::new();
        for part in &self.parts {
            match part {
                Part::Use(name) => {
                    if let Some(value) = variables.strings.get(name) {
                        notes.push(format!("with \"{name}\" equal to \"{value}\""));
                    }
                }
                Part::Number(number) => {
                    for name in number.uses() {
                        if let Some(value) = variables.numbers.get(name) {
                            notes.push(format!("with \"{name}\" equal to \"{}\"", value.number));
                        }
                    }
                }
                Part::Fixed(_) | Part::Regex(_) | Part::Define(..) => {}
            }
        }
        notes
    }

    /// The first match in `text`; sets the variables it defines.
    pub fn find(&self, text: &str, variables: &mut Variables) -> Result<Match, Mismatch> {
        if let ([Part::Fixed(fixed)], false, false) =
            (self.parts.as_slice(), self.full_lines, self.ignore_case)
        {
            let at = text.find(fixed.as_str()).ok_or(Mismatch::Absent)?;
            return Ok(at..at + fixed.len());
        }
        let (source, captures) = self.regex(variables).map_err(Mismatch::Substitution)?;
        let fresh;
        let regex = match self.compiled.get() {
            Some(regex) => regex,
            None => {
                fresh = self.compile(&source).map_err(Mismatch::Substitution)?;
                &fresh
            }
        };
        let found = regex
            .captures(text)
            .map_err(|error| Mismatch::Substitution(error.to_string()))?
            .ok_or(Mismatch::Absent)?;
        let mut defined = Vec::new();
        for (index, capture) in captures.iter().enumerate() {
            let matched = found.get(index + 1).map_or("", |group| group.as_str());
            match capture {
                Capture::String(name) => {
                    variables
                        .strings
                        .insert((*name).to_string(), matched.to_string());
                }
                Capture::Number(name, format) => {
                    let value = numeric::read(matched, *format).ok_or_else(|| {
                        Mismatch::Substitution(format!("'{matched}' is too large a number"))
                    })?;
                    defined.push(((*name).to_string(), value));
                }
            }
        }
        variables.numbers.extend(defined);
        let whole = found.get(0).ok_or(Mismatch::Absent)?;
        Ok(whole.start()..whole.end())
    }

    /// The regex with all substitutions made, and what its groups stand for.
    fn regex(&self, variables: &Variables) -> Result<(String, Vec<Capture<'_>>), String> {
        let margin = if self.flexible_margins { " *" } else { "" };
        let mut out = String::new();
        if self.full_lines {
            out.push_str(&format!("^{margin}"));
        }
        let mut captures = Vec::new();
        for part in &self.parts {
            match part {
                Part::Fixed(text) => out.push_str(&fancy_regex::escape(text)),
                Part::Regex(regex) => out.push_str(&format!("(?:{regex})")),
                Part::Define(name, regex) => {
                    out.push_str(&format!("({regex})"));
                    captures.push(Capture::String(name));
                }
                Part::Use(name) => {
                    let here = captures.iter().rposition(
                        |capture| matches!(capture, Capture::String(other) if other == name),
                    );
                    match (here, variables.strings.get(name)) {
                        (Some(index), _) => out.push_str(&format!("(?:\\{})", index + 1)),
                        (None, Some(value)) => out.push_str(&fancy_regex::escape(value)),
                        (None, None) => return Err(numeric::undefined(name)),
                    }
                }
                Part::Number(number) => {
                    let (regex, format) = number.regex(variables, self.line)?;
                    match &number.defines {
                        Some(name) => {
                            out.push_str(&format!("({regex})"));
                            captures.push(Capture::Number(name, format));
                        }
                        None => out.push_str(&format!("(?:{regex})")),
                    }
                }
            }
        }
        if self.full_lines {
            out.push_str(&format!("{margin}$"));
        }
        Ok((out, captures))
    }

    fn compile(&self, source: &str) -> Result<Regex, String> {
        RegexBuilder::new(&format!("(?m){source}"))
            .case_insensitive(self.ignore_case)
            .build()
            .map_err(|error| format!("invalid regex: {error}"))
    }
}

fn push_fixed(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Fixed(text.to_string()));
    }
}

/// The byte offset of the next `{{` or `[[`.
fn next_block(text: &str) -> Option<usize> {
    match (text.find("{{"), text.find("[[")) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Reads a `{{…}}` or `[[…]]`; the part and its length in bytes.
fn parse_block(text: &str) -> Result<(Part, usize), String> {
    if let Some(body) = text.strip_prefix("{{") {
        let end = body
            .find("}}")
            .ok_or("found start of regex string with no end '}}'")?;
        return Ok((Part::Regex(translate(&body[..end])?), end + 4));
    }
    let body = text.strip_prefix("[[").unwrap_or(text);
    if let Some(numeric) = body.strip_prefix('#') {
        let end = numeric.find("]]").ok_or("numeric block with no end ']]'")?;
        return Ok((Part::Number(Numeric::parse(&numeric[..end])?), end + 5));
    }
    let end = variable_end(body)?;
    let inner = &body[..end];
    if inner.starts_with('@') {
        return Ok((Part::Number(Numeric::parse_line(inner)?), end + 4));
    }
    let (name, regex) = match inner.split_once(':') {
        Some((name, regex)) => (name, Some(regex)),
        None => (inner, None),
    };
    if !is_variable(name) {
        return Err(format!("invalid name '{name}' in a string variable"));
    }
    let part = match regex {
        None => Part::Use(name.to_string()),
        Some("") => return Err(format!("the definition of '{name}' has an empty regex")),
        Some(regex) => Part::Define(name.to_string(), translate(regex)?),
    };
    Ok((part, end + 4))
}

/// Where the `]]` of a string variable is, past brackets in its regex.
fn variable_end(body: &str) -> Result<usize, String> {
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match c {
            ']' if depth == 0 && body[at..].starts_with("]]") => return Ok(at),
            '\\' => escaped = true,
            '[' => depth += 1,
            ']' if depth == 0 => return Err("missing closing ']' for a variable".into()),
            ']' => depth -= 1,
            _ => {}
        }
    }
    Err("variable with no end ']]'".into())
}

/// A numeric variable cannot be used in the directive that sets it.
fn check_same_line_use(number: &Numeric, earlier: &[Part]) -> Result<(), String> {
    let defined = |name: &str| {
        earlier.iter().any(|part| match part {
            Part::Number(other) => other.defines.as_deref() == Some(name),
            _ => false,
        })
    };
    match number.uses().into_iter().find(|name| defined(name)) {
        Some(name) => Err(format!(
            "numeric variable '{name}' is defined earlier in the same directive"
        )),
        None => Ok(()),
    }
}
