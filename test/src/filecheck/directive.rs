//! Finds the directives in a check file and groups them: each positive directive owns the `NOT`
//! and `DAG` directives written before it.

use super::numeric::Value;
use super::options::{Options, is_prefix_char};
use super::pattern::{Kind, Pattern};

/// A directive and its pattern.
#[derive(Debug)]
pub(super) struct Directive {
    pub kind: Kind,
    /// As written: `CHECK-NEXT`.
    pub name: String,
    pub pattern: Pattern,
    /// Byte offset of the pattern in the check file; `None` for one from the command line.
    pub offset: Option<usize>,
}

/// A positive directive with the `NOT` and `DAG` directives before it, in order.
#[derive(Debug)]
pub(super) struct Group {
    pub before: Vec<Directive>,
    pub main: Directive,
}

/// A check file, ready to run.
#[derive(Debug)]
pub(super) struct Program {
    pub groups: Vec<Group>,
    /// String variables of the command line.
    pub strings: Vec<(String, String)>,
    /// Numeric variables of the command line.
    pub numbers: Vec<(String, Value)>,
}

/// Something wrong in the check file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CheckError {
    /// Byte offset in the (canonical) check file.
    pub offset: Option<usize>,
    pub message: String,
}

/// Reads all directives of `text`; all errors are collected.
pub(super) fn parse(options: &Options, text: &str) -> Result<Program, Vec<CheckError>> {
    let mut parser = Parser {
        options,
        prefixes: Prefixes::new(options),
        used: vec![false; options.prefixes.len()],
        groups: Vec::new(),
        pending: Vec::new(),
        errors: Vec::new(),
    };
    let (strings, numbers) = parser.command_line_variables();
    parser.implicit_nots();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        parser.line(line, start, number + 1);
        start += line.len() + 1;
    }
    parser.finish(strings, numbers)
}

type Definitions = (Vec<(String, String)>, Vec<(String, Value)>);

struct Parser<'a> {
    options: &'a Options,
    prefixes: Prefixes<'a>,
    used: Vec<bool>,
    groups: Vec<Group>,
    pending: Vec<Directive>,
    errors: Vec<CheckError>,
}

impl Parser<'_> {
    fn error(&mut self, offset: impl Into<Option<usize>>, message: impl Into<String>) {
        self.errors.push(CheckError {
            offset: offset.into(),
            message: message.into(),
        });
    }

    fn command_line_variables(&mut self) -> Definitions {
        let mut strings = Vec::new();
        let mut numbers: Vec<(String, Value)> = Vec::new();
        for define in &self.options.defines {
            let Some((name, value)) = define.split_once('=') else {
                self.error(None, format!("-D{define}: expected NAME=VALUE"));
                continue;
            };
            match name.strip_prefix('#') {
                None => strings.push((name.to_string(), value.to_string())),
                Some(numeric) => match super::numeric::define(numeric, value, &numbers) {
                    Ok(pair) => numbers.push(pair),
                    Err(message) => self.error(None, format!("-D{define}: {message}")),
                },
            }
        }
        (strings, numbers)
    }

    fn implicit_nots(&mut self) {
        for text in &self.options.implicit_check_not {
            match Pattern::parse(self.options, Kind::Not, text, false, 0) {
                Ok(pattern) => self.pending.push(Directive {
                    kind: Kind::Not,
                    name: format!("--implicit-check-not='{text}'"),
                    pattern,
                    offset: None,
                }),
                Err((_, message)) => {
                    let message = format!("--implicit-check-not='{text}': {message}");
                    self.errors.push(CheckError {
                        offset: None,
                        message,
                    });
                }
            }
        }
    }

    fn line(&mut self, line: &str, start: usize, number: usize) {
        let Some(found) = self.prefixes.find(line) else {
            return;
        };
        let DirectiveMatch {
            at,
            end,
            prefix,
            suffix,
        } = found;
        let Some(prefix) = prefix else { return };
        self.used[prefix] = true;
        let name = line[at..end - 1].to_string();
        let (kind, literal) = match suffix {
            Ok(suffix) => suffix,
            Err(message) => {
                return self.error(start + at, format!("'{name}': {message}"));
            }
        };
        let raw = &line[end..];
        let (text, indent) = if self.options.strict_whitespace && self.options.match_full_lines {
            (raw, 0)
        } else {
            let text = raw.trim_start_matches([' ', '\t']);
            (text.trim_end_matches([' ', '\t']), raw.len() - text.len())
        };
        let offset = start + end + indent;
        if text.is_empty() != (kind == Kind::Empty) {
            let what = if text.is_empty() {
                "empty"
            } else {
                "non-empty"
            };
            return self.error(
                offset,
                format!("found {what} check string with prefix '{name}:'"),
            );
        }
        if matches!(kind, Kind::Next | Kind::Same | Kind::Empty) && self.groups.is_empty() {
            let message = format!("found '{name}' without a previous positive directive");
            return self.error(start + at, message);
        }
        match Pattern::parse(self.options, kind, text, literal, number) {
            Ok(pattern) if kind == Kind::Label && pattern.has_variables() => {
                self.error(
                    offset,
                    format!("found '{name}:' with a variable definition or use"),
                );
            }
            Ok(pattern) => self.push(Directive {
                kind,
                name,
                pattern,
                offset: Some(offset),
            }),
            Err((column, message)) => self.error(offset + column, message),
        }
    }

    fn push(&mut self, directive: Directive) {
        if matches!(directive.kind, Kind::Not | Kind::Dag) {
            self.pending.push(directive);
            return;
        }
        let before = std::mem::take(&mut self.pending);
        self.groups.push(Group {
            before,
            main: directive,
        });
        self.implicit_nots();
    }

    fn finish(
        mut self,
        strings: Vec<(String, String)>,
        numbers: Vec<(String, Value)>,
    ) -> Result<Program, Vec<CheckError>> {
        let unused: Vec<String> = (self.options.prefixes.iter().zip(&self.used))
            .filter(|(_, used)| !**used)
            .map(|(prefix, _)| format!("'{prefix}:'"))
            .collect();
        let none = unused.len() == self.used.len();
        if none || (!unused.is_empty() && !self.options.allow_unused_prefixes) {
            let message = format!("no check strings found with prefix {}", unused.join(", "));
            self.error(None, message);
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        if !self.pending.is_empty() {
            let end = Directive {
                kind: Kind::EndOfInput,
                name: "end of input".into(),
                pattern: Pattern::end_of_input(),
                offset: None,
            };
            self.groups.push(Group {
                before: self.pending,
                main: end,
            });
        }
        Ok(Program {
            groups: self.groups,
            strings,
            numbers,
        })
    }
}

/// A directive's head found in a line.
struct DirectiveMatch {
    /// Byte offset of the prefix in the line.
    at: usize,
    /// Byte offset after the colon.
    end: usize,
    /// Index of the check prefix; `None` for a comment.
    prefix: Option<usize>,
    suffix: Suffix,
}

/// Kind and whether the text is literal, or what is wrong with the suffix.
type Suffix = Result<(Kind, bool), String>;

/// The prefixes, the longest first; the index is that of a check prefix.
struct Prefixes<'a>(Vec<(&'a str, Option<usize>)>);

impl<'a> Prefixes<'a> {
    fn new(options: &'a Options) -> Self {
        let checks = options
            .prefixes
            .iter()
            .enumerate()
            .map(|(i, p)| (p.as_str(), Some(i)));
        let comments = options.comment_prefixes.iter().map(|p| (p.as_str(), None));
        let mut all: Vec<_> = checks.chain(comments).collect();
        all.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        Prefixes(all)
    }

    /// The first directive (or comment) of a line.
    fn find(&self, line: &str) -> Option<DirectiveMatch> {
        let mut previous = ' ';
        for (at, c) in line.char_indices() {
            if !is_prefix_char(previous) {
                for (prefix, index) in &self.0 {
                    if let Some(rest) = line[at..].strip_prefix(prefix)
                        && let Some((length, suffix)) = suffix(rest)
                    {
                        let end = at + prefix.len() + length;
                        return Some(DirectiveMatch {
                            at,
                            end,
                            prefix: *index,
                            suffix,
                        });
                    }
                }
            }
            previous = c;
        }
        None
    }
}

/// Reads what follows a prefix up to the colon: its length with the colon, and its meaning. `None`
/// if this isn't a directive at all.
fn suffix(rest: &str) -> Option<(usize, Suffix)> {
    let (body, _) = rest.split_once(':')?;
    let length = body.len() + 1;
    let (body, literal) = match body.strip_suffix("{LITERAL}") {
        Some(body) => (body, true),
        None => (body, false),
    };
    let kind = match body {
        "" => Kind::Plain(1),
        "-NEXT" => Kind::Next,
        "-SAME" => Kind::Same,
        "-EMPTY" => Kind::Empty,
        "-NOT" => Kind::Not,
        "-DAG" => Kind::Dag,
        "-LABEL" => Kind::Label,
        "-DAG-NOT" | "-NOT-DAG" | "-NEXT-NOT" | "-NOT-NEXT" | "-SAME-NOT" | "-NOT-SAME"
        | "-EMPTY-NOT" | "-NOT-EMPTY" => {
            return Some((
                length,
                Err("-NOT cannot be combined with another suffix".into()),
            ));
        }
        _ => {
            let count = body.strip_prefix("-COUNT")?;
            let number = count
                .strip_prefix('-')
                .and_then(|n| n.parse().ok())
                .filter(|n| *n > 0);
            match number {
                Some(number) => Kind::Plain(number),
                None => {
                    return Some((length, Err("-COUNT needs a positive number".into())));
                }
            }
        }
    };
    Some((length, Ok((kind, literal))))
}
