//! .RELATION and .DEPENDENCY: relations and dependencies for a scheduler. They are kept; scheduling is another
//! program.

use std::collections::HashSet;

use aiec_diag::{Diag, Diags, Span, did_you_mean};
use aiec_isa::Set;
use aiec_isa::text::TokenKind;
use regex_lite::RegexBuilder;

use super::cursor::LineCursor;
use crate::codes;
use crate::fabric::MEMORY_CHUNKS;
use crate::phase::phase_names;
use crate::program::{CellProgram, Dependency, DrraProgram, Relation};

/// Bytes that a compiled expression may take.
const REGEX_BYTES: usize = 1 << 16;
/// Expressions of a file that are tried on all names; more are taken as they are, as the time that
/// they take is the product of both.
const MAX_EXPRESSIONS: usize = 4096;

/// Reads lines of .RELATION and .DEPENDENCY.
#[derive(Default)]
pub struct ScheduleReader {
    relations: Vec<Relation>,
    dependencies: Vec<Dependency>,
    /// Names of phases and nodes that have to exist, with their places.
    used: Vec<(String, Span, NameUse)>,
    nodes: HashSet<String>,
}

/// Use of a name, which decides what it may refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameUse {
    /// In the lists of a relation, where it may be an expression.
    Child,
    /// In a dependency.
    Phase,
}

impl ScheduleReader {
    /// All relations.
    pub fn relations(&self) -> Vec<Relation> {
        self.relations.clone()
    }

    /// All dependencies.
    pub fn dependencies(&self) -> Vec<Dependency> {
        self.dependencies.clone()
    }

    /// Reads `"NAME" 1 BULK [names] [names] EXPAND`.
    pub fn relation(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<(), Diag> {
        let node = cursor.quoted("the name of a node")?;
        let (name, name_span) = (node.text, node.span);
        let (one, span) = cursor.number("1")?;
        if one != 1 {
            return Err(
                Diag::error(&codes::SYNTAX, format!("the second value is {one}"))
                    .label(span, "of no use any more")
                    .help("it is always 1"),
            );
        }
        let bulk = cursor.flag("BULK", "1 if nothing else may overlap, else 0")?;
        let children = [self.names(cursor)?, self.names(cursor)?];
        let expand = cursor.flag("EXPAND", "1 if iterations may overlap, else 0")?;
        cursor.end()?;
        if !self.nodes.insert(name.to_owned()) {
            return Err(
                Diag::error(&codes::RELATION, format!("node \"{name}\" is there twice"))
                    .label(name_span, "the second one")
                    .help("put the names of both into one"),
            );
        }
        self.relations.push(Relation {
            name: name.to_owned(),
            bulk,
            children,
            expand,
        });
        Ok(())
    }

    fn names(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<Vec<String>, Diag> {
        const FORM: &str = "a line is `\"NAME\" 1 BULK [names] [names] EXPAND`";
        cursor.expect('[', FORM)?;
        let mut names = Vec::new();
        while !cursor.take(']') {
            if !names.is_empty() {
                cursor.expect(',', FORM)?;
            }
            let name = cursor.quoted("a name")?;
            self.used
                .push((name.text.to_owned(), name.span, NameUse::Child));
            names.push(name.text.to_owned());
        }
        Ok(names)
    }

    /// Reads `"SRC" "DST" LOW HIGH`.
    pub fn dependency(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<(), Diag> {
        let source = cursor.quoted("the name of a phase")?;
        let destination = cursor.quoted("the name of a phase")?;
        let (low, low_span) = cursor.number("the least number of cycles")?;
        let (high, high_span) = bound(cursor)?;
        cursor.end()?;
        if high.is_some_and(|high| high < low) {
            let message = "the most cycles are fewer than the least";
            return Err(Diag::error(&codes::DEPENDENCY, message)
                .label(low_span.to(high_span), "in the wrong order")
                .help("write the least first; +INF means no bound"));
        }
        for name in [source, destination] {
            self.used
                .push((name.text.to_owned(), name.span, NameUse::Phase));
        }
        self.dependencies.push(Dependency {
            source: source.text.to_owned(),
            destination: destination.text.to_owned(),
            low,
            high,
        });
        Ok(())
    }

    /// All names that are used exist.
    pub fn check(&self, program: &DrraProgram, set: &Set, diags: &mut Diags) {
        // a list that is too long was reported, and its names are unlimited
        let fits = |cell: &CellProgram| cell.chunks() as usize <= MEMORY_CHUNKS;
        if self.used.is_empty() || !program.cells.iter().all(fits) {
            return;
        }
        let phases = phase_names(program, set);
        let known: HashSet<&str> = phases.iter().map(String::as_str).collect();
        let mut expressions = 0;
        for (name, span, used) in &self.used {
            let is_node = *used == NameUse::Child && self.nodes.contains(name);
            if is_node || known.contains(name.as_str()) {
                continue;
            }
            let matches = if *used == NameUse::Child && is_expression(name) {
                expressions += 1;
                expressions > MAX_EXPRESSIONS || self.any_matches(name, *span, &phases, diags)
            } else {
                false
            };
            if !matches {
                diags.push(unknown_name(name, *span, *used, &phases, &self.nodes));
            }
        }
    }

    /// Whether an expression is the whole name of a phase or node; also for an invalid expression,
    /// which is reported.
    fn any_matches(&self, name: &str, span: Span, phases: &[String], diags: &mut Diags) -> bool {
        let expression = RegexBuilder::new(&format!("^(?:{name})$"))
            .size_limit(REGEX_BYTES)
            .build();
        match expression {
            Ok(expression) => {
                let nodes = self.nodes.iter();
                phases
                    .iter()
                    .chain(nodes)
                    .any(|name| expression.is_match(name))
            }
            Err(error) => {
                let message = format!("\"{name}\" isn't a regular expression: {error}");
                let diag = Diag::error(&codes::RELATION, message)
                    .label(span, "neither a name nor an expression")
                    .help("write a name, or an expression like \"Op_0_0_0_.*\"");
                diags.push(diag);
                true
            }
        }
    }
}

/// Whether a name has what only expressions have.
fn is_expression(name: &str) -> bool {
    name.chars()
        .any(|c| !(c.is_ascii_alphanumeric() || c == '_'))
}

fn bound(cursor: &mut LineCursor<'_, '_>) -> Result<(Option<i64>, Span), Diag> {
    let start = cursor.place();
    let mut ahead = cursor.clone();
    if ahead.take('+')
        && let Some(word) = ahead.take_kind(TokenKind::Word)
        && word.text.eq_ignore_ascii_case("INF")
    {
        *cursor = ahead;
        return Ok((None, start.to(word.span)));
    }
    let (value, span) = cursor.number("the most cycles, or +INF")?;
    Ok((Some(value), span))
}

fn unknown_name(
    name: &str,
    span: Span,
    used: NameUse,
    phases: &[String],
    nodes: &HashSet<String>,
) -> Diag {
    let code = match used {
        NameUse::Child => &codes::RELATION,
        NameUse::Phase => &codes::DEPENDENCY,
    };
    let mut candidates: Vec<&str> = phases.iter().map(String::as_str).collect();
    if used == NameUse::Child {
        let mut nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
        nodes.sort_unstable();
        candidates.extend(nodes);
    }
    let help = match did_you_mean(name, candidates) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => "phases are LABEL_k or Op_ROW_COLUMN_INDEX_k, with k from 1 on".to_owned(),
    };
    Diag::error(code, format!("there is no phase \"{name}\""))
        .label(span, "unknown")
        .help(help)
}
