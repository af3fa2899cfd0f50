//! `aiec opt --verify-diagnostics`: holds the findings against what comments of the input expect.
//!
//! ```text
//! aie.tile(99, 0)  // expected-error {{outside the device}}
//! // expected-warning@+1 {{never used}}
//! // expected-note@below {{here}}
//! ```
//!
//! Places: none (this line), `@+N`, `@-N`, `@above`, `@below` (the nearest line without an
//! expectation), `@unknown` (no place in the text). The text between the braces must be part of
//! the message, or of what mlir-aie's tools say of the same where they say it; with
//! `expected-error-re {{…{{regex}}…}}` the parts between inner braces are regular expressions.
//! Every error and warning must be expected. An `expected-note` is also met by a label or a remark
//! of a finding; labels and remarks need no expectation.

use aiec_diag::{Diag, Severity, SourceFile, SourceMap, Span};
use regex_lite::Regex;

/// Something a comment expects.
#[derive(Clone, Debug)]
struct Expectation {
    severity: Severity,
    /// Line from 1; `None` for `@unknown`.
    line: Option<usize>,
    text: Pattern,
    /// Line of the comment, for messages.
    at: usize,
}

/// Text that a message must contain.
#[derive(Clone, Debug)]
enum Pattern {
    Text(String),
    /// The regular expression, and how it was written.
    Regex(Regex, String),
}

/// An expected text without the name of the operation that MLIR puts before its messages
/// (`'aie.tile' op …`): ours is in the excerpt.
fn without_op_name(text: &str) -> &str {
    let after = text
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once("' op "));
    after.map_or(text, |(_, message)| message)
}

impl Pattern {
    fn is_in(&self, message: &str) -> bool {
        match self {
            Pattern::Text(text) => message.contains(without_op_name(text)),
            Pattern::Regex(regex, _) => regex.is_match(message),
        }
    }

    fn written(&self) -> &str {
        match self {
            Pattern::Text(text) | Pattern::Regex(_, text) => text,
        }
    }
}

const KEYWORDS: [(&str, Severity); 4] = [
    ("expected-error", Severity::Error),
    ("expected-warning", Severity::Warning),
    ("expected-note", Severity::Note),
    ("expected-remark", Severity::Note),
];

/// Violated expectations, one line each; empty if all hold.
pub fn check(diags: &[Diag], sources: &SourceMap, file: &SourceFile) -> Vec<String> {
    let mut problems = Vec::new();
    let expectations = match parse(&file.text) {
        Ok(expectations) => expectations,
        Err((line, message)) => {
            return vec![format!("{}:{line}: error: {message}", file.name)];
        }
    };
    let line_of = |span: Span| sources.file(span.file).map(|f| f.line_col(span.start).0);
    let mut met = vec![false; expectations.len()];
    for diag in diags {
        let line = diag.span().and_then(line_of);
        let mut meets = |severity: Severity, line: Option<usize>, text: &str| {
            let found = expectations.iter().zip(&met).position(|(expected, met)| {
                let fits = expected.severity == severity && expected.line == line;
                !met && fits && expected.text.is_in(text)
            });
            if let Some(index) = found {
                met[index] = true;
            }
            found.is_some()
        };
        let own = meets(diag.severity, line, &diag.message);
        let mut theirs = diag.mlir_aie.is_some();
        let reports = diag.mlir_aie.iter().flat_map(|mlir_aie| mlir_aie.reports());
        for (n, report) in reports.enumerate() {
            let line = report.span.or(diag.span()).and_then(line_of);
            let severity = report.severity.unwrap_or(diag.severity);
            // The first says what the message says: one of the two is expected.
            theirs &= (own && n == 0) || meets(severity, line, &report.text);
            for note in &report.notes {
                meets(Severity::Note, line_of(note.span), &note.text);
            }
        }
        // Notes need no expectation.
        if !own && !theirs && diag.severity != Severity::Note {
            problems.push(format!("unexpected {}", diag.one_line(sources)));
        }
        for label in &diag.labels {
            meets(Severity::Note, line_of(label.span), &label.text);
        }
        for note in diag.notes.iter().chain(&diag.help) {
            meets(Severity::Note, line, note);
        }
    }
    for (expected, _) in expectations.iter().zip(&met).filter(|(_, met)| !**met) {
        let Expectation {
            severity, text, at, ..
        } = expected;
        let (severity, text) = (severity.name(), text.written());
        let name = &file.name;
        problems.push(format!(
            "{name}:{at}: error: expected {severity} \"{text}\" was not produced"
        ));
    }
    problems
}

type Malformed = (usize, String);

fn parse(text: &str) -> Result<Vec<Expectation>, Malformed> {
    let mut out: Vec<Expectation> = Vec::new();
    // expectations that wait for the next line without one
    let mut below: Vec<usize> = Vec::new();
    let mut above = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut rest = line;
        let mut any = false;
        while let Some((severity, after)) = next_keyword(rest) {
            let head = &rest[..rest.len() - after.len()];
            let before = head.rfind("expected-").map_or(head, |at| &head[..at]);
            if !after.contains("{{") && !before.trim_end().ends_with("//") {
                // A sentence that mentions expectations.
                break;
            }
            any = true;
            let malformed = |what: &str| (number, format!("{what} in the expectation '{line}'"));
            let (place, after) = after.split_once("{{").ok_or(malformed("no '{{'"))?;
            let (is_regex, place) = match place.strip_prefix("-re") {
                Some(place) => (true, place),
                None => (false, place),
            };
            let end = closing(after, is_regex).ok_or(malformed("no '}}'"))?;
            let (text, after) = (&after[..end], &after[end + 2..]);
            let text = if is_regex {
                regex_of(text).map_err(|what| malformed(&what))?
            } else {
                Pattern::Text(text.to_string())
            };
            let place = place.trim();
            let line = match place {
                "" => Some(number),
                "@unknown" => None,
                "@above" => Some(above),
                "@below" => {
                    below.push(out.len());
                    Some(number)
                }
                _ => {
                    let offset: isize = place
                        .strip_prefix('@')
                        .and_then(|offset| offset.parse().ok())
                        .ok_or(malformed("unknown place"))?;
                    Some(number.saturating_add_signed(offset))
                }
            };
            out.push(Expectation {
                severity,
                line,
                text,
                at: number,
            });
            rest = after;
        }
        if !any {
            above = number;
            for waiting in below.drain(..) {
                out[waiting].line = Some(number);
            }
        }
    }
    Ok(out)
}

/// Where the braces of an expectation close; those of regular expressions nest.
fn closing(text: &str, nested: bool) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let close = text[at..].find("}}")? + at;
        let open = text[at..close].find("{{").filter(|_| nested);
        match open {
            Some(open) => {
                depth += 1;
                at += open + 2;
            }
            None if depth == 0 => return Some(close),
            None => {
                depth -= 1;
                at = close + 2;
            }
        }
    }
}

/// The pattern of `text{{regex}}text`.
fn regex_of(text: &str) -> Result<Pattern, String> {
    let mut pattern = String::new();
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once("{{") {
        let (expression, after) = after.split_once("}}").ok_or("no inner '}}'")?;
        pattern += &regex_lite::escape(plain);
        pattern += &format!("({expression})");
        rest = after;
    }
    pattern += &regex_lite::escape(rest);
    let regex = Regex::new(&pattern).map_err(|error| error.to_string())?;
    Ok(Pattern::Regex(regex, text.to_string()))
}

fn next_keyword(text: &str) -> Option<(Severity, &str)> {
    let found = KEYWORDS
        .iter()
        .filter_map(|(key, severity)| Some((text.find(key)?, key, *severity)))
        .min_by_key(|(at, ..)| *at);
    found.map(|(at, key, severity)| (severity, &text[at + key.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    aiec_diag::codes! {
        /// Codes for the tests.
        pub static CODES;
        WRONG = "test::wrong", "Something is wrong.";
    }

    /// The problems of a text in which the words `bad` are errors and `odd` warnings.
    fn problems(text: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let id = sources.add(SourceFile::new("a", text));
        let mut diags = Vec::new();
        for (at, word) in text.match_indices("bad!") {
            let span = Span::new(id, at, at + word.len());
            diags.push(Diag::error(&WRONG, "this is bad").label(span, "really"));
        }
        let file = sources.file(id).expect("the file").clone();
        check(&diags, &sources, &file)
    }

    #[test]
    fn places() {
        assert!(problems("bad! // expected-error {{is bad}}\n").is_empty());
        assert!(problems("// expected-error@+1 {{is bad}}\nbad!\n").is_empty());
        assert!(problems("bad!\n// expected-error@above {{is bad}}\n").is_empty());
        let stacked = "// expected-error@below {{bad}}\n// expected-note@below {{really}}\nbad!\n";
        assert!(problems(stacked).is_empty());
    }

    #[test]
    fn regular_expressions() {
        assert!(problems("bad! // expected-error-re {{this {{i[st]+}} bad}}\n").is_empty());
        assert_eq!(
            problems("bad! // expected-error-re {{this {{x+}} bad}}\n").len(),
            2
        );
        assert!(problems("// expected-error-re {{a{{(}}}}\n")[0].contains("group"));
    }

    #[test]
    fn what_does_not_hold_is_said() {
        assert!(problems("bad!\n")[0].contains("unexpected a:1:1: error[test::wrong]"));
        let missing = problems("// expected-error {{x}}\n");
        assert_eq!(
            missing,
            ["a:1: error: expected error \"x\" was not produced"]
        );
        assert!(problems("// expected-error x\n")[0].contains("no '{{'"));
        assert!(problems("// there is no expected-error here\n").is_empty());
        assert_eq!(problems("// expected-error@+2 {{is bad}}\nbad!\n").len(), 2);
    }
}
