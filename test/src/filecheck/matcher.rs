//! Holds the directives against the input, as LLVM's tool does: `LABEL`s cut the input into
//! regions first, then each region is checked from its start.

use super::directive::{Directive, Group, Program};
use super::numeric::Variables;
use super::options::Options;
use super::pattern::{Kind, Match, Mismatch};

/// A directive that is not satisfied. Offsets are bytes in the (canonical) input.
#[derive(Debug)]
pub(super) struct Failure<'a> {
    pub directive: &'a Directive,
    pub reason: Reason,
    /// Values of the variables the directive reads.
    pub notes: Vec<String>,
}

/// Why a directive is not satisfied.
#[derive(Debug)]
pub(super) enum Reason {
    /// Not found between the two offsets; for `COUNT`, how often it was found before.
    NotFound { from: usize, to: usize, found: u32 },
    /// Its substitutions failed.
    Substitution { from: usize, message: String },
    /// `NEXT`, `EMPTY` or `SAME` matched on another line; `previous` is the end of the match
    /// before.
    WrongLine {
        matched: Match,
        previous: usize,
        newlines: usize,
    },
    /// A `NOT` matched.
    Excluded { matched: Match },
}

/// Runs the program; all regions' failures are reported, at most one in each.
pub(super) fn run<'a>(
    options: &Options,
    program: &'a Program,
    input: &str,
) -> Result<(), Vec<Failure<'a>>> {
    let mut matcher = Matcher {
        input,
        variables: Variables {
            strings: program.strings.iter().cloned().collect(),
            numbers: program.numbers.iter().cloned().collect(),
        },
    };
    let mut failures = Vec::new();
    let mut start = 0;
    let mut done = 0;
    while done < program.groups.len() {
        let label = program.groups[done..]
            .iter()
            .position(|g| g.main.kind == Kind::Label);
        let (last, end) = match label {
            None => (program.groups.len(), input.len()),
            Some(offset) => {
                let group = &program.groups[done + offset];
                match matcher.find(&group.main, start, input.len()) {
                    Ok(found) => (done + offset + 1, found.end),
                    Err(failure) => {
                        failures.push(failure);
                        return Err(failures);
                    }
                }
            }
        };
        if done > 0 && options.enable_var_scope {
            matcher.variables.clear_local();
        }
        let mut position = start;
        for group in &program.groups[done..last] {
            match matcher.group(group, position, end) {
                Ok(after) => position = after,
                Err(failure) => {
                    failures.push(failure);
                    break;
                }
            }
        }
        start = if label.is_some() { end } else { input.len() };
        done = last;
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures)
    }
}

struct Matcher<'t> {
    input: &'t str,
    variables: Variables,
}

impl Matcher<'_> {
    fn failure<'a>(&self, directive: &'a Directive, reason: Reason) -> Failure<'a> {
        let notes = directive.pattern.substitutions(&self.variables);
        Failure {
            directive,
            reason,
            notes,
        }
    }

    /// The first match of a directive between two offsets.
    fn find<'a>(
        &mut self,
        directive: &'a Directive,
        from: usize,
        to: usize,
    ) -> Result<Match, Failure<'a>> {
        let text = &self.input[from..to];
        let result = match directive.kind {
            Kind::EndOfInput => Ok(text.len()..text.len()),
            Kind::Empty => empty_line(text).map(|at| at..at).ok_or(Mismatch::Absent),
            _ => directive.pattern.find(text, &mut self.variables),
        };
        result
            .map(|m| m.start + from..m.end + from)
            .map_err(|mismatch| {
                let reason = match mismatch {
                    Mismatch::Absent => Reason::NotFound { from, to, found: 0 },
                    Mismatch::Substitution(message) => Reason::Substitution { from, message },
                };
                self.failure(directive, reason)
            })
    }

    /// Checks a group from `from` on; the offset after its match.
    fn group<'a>(
        &mut self,
        group: &'a Group,
        from: usize,
        to: usize,
    ) -> Result<usize, Failure<'a>> {
        let (start, nots) = self.dags(&group.before, from, to)?;
        let main = &group.main;
        let count = if let Kind::Plain(count) = main.kind {
            count
        } else {
            1
        };
        let mut first = None;
        let mut position = start;
        for found in 0..count {
            let matched = self.find(main, position, to).map_err(|mut failure| {
                if let Reason::NotFound { found: times, .. } = &mut failure.reason {
                    *times = found;
                }
                failure
            })?;
            position = matched.end;
            first.get_or_insert(matched);
        }
        let first = first.unwrap_or(start..start);
        let newlines = self.input[start..first.start].matches('\n').count();
        let wanted = match main.kind {
            Kind::Next | Kind::Empty => Some(1),
            Kind::Same => Some(0),
            _ => None,
        };
        if wanted.is_some_and(|wanted| wanted != newlines) {
            let reason = Reason::WrongLine {
                matched: first,
                previous: start,
                newlines,
            };
            return Err(self.failure(main, reason));
        }
        self.nots(&nots, start, first.start)?;
        Ok(position)
    }

    /// Checks the `DAG`s of a group and the `NOT`s between them; the end of the last `DAG` run
    /// and the `NOT`s after it.
    fn dags<'a>(
        &mut self,
        before: &'a [Directive],
        from: usize,
        to: usize,
    ) -> Result<(usize, Vec<&'a Directive>), Failure<'a>> {
        let mut start = from;
        let mut nots = Vec::new();
        let mut taken: Vec<Match> = Vec::new();
        for (index, directive) in before.iter().enumerate() {
            if directive.kind == Kind::Not {
                nots.push(directive);
                continue;
            }
            self.dag(directive, &mut taken, start, to)?;
            let run_ends = before
                .get(index + 1)
                .is_none_or(|next| next.kind == Kind::Not);
            if run_ends && let (Some(first), Some(last)) = (taken.first(), taken.last()) {
                let (begin, end) = (first.start, last.end);
                self.nots(&nots, start, begin)?;
                nots.clear();
                start = end;
                taken.clear();
            }
        }
        Ok((start, nots))
    }

    /// Finds the first match that overlaps none of `taken` (kept in order of position).
    fn dag<'a>(
        &mut self,
        directive: &'a Directive,
        taken: &mut Vec<Match>,
        from: usize,
        to: usize,
    ) -> Result<(), Failure<'a>> {
        let mut position = from;
        let mut index = 0;
        loop {
            let matched = self.find(directive, position, to)?;
            while taken.get(index).is_some_and(|old| matched.start >= old.end) {
                index += 1;
            }
            match taken.get(index) {
                Some(old) if old.start < matched.end => position = old.end,
                _ => {
                    taken.insert(index, matched);
                    return Ok(());
                }
            }
        }
    }

    fn nots<'a>(
        &mut self,
        nots: &[&'a Directive],
        from: usize,
        to: usize,
    ) -> Result<(), Failure<'a>> {
        for directive in nots {
            match self.find(directive, from, to) {
                Ok(matched) => {
                    return Err(self.failure(directive, Reason::Excluded { matched }));
                }
                Err(failure) if matches!(failure.reason, Reason::NotFound { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }
}

/// The offset of the first empty line after a line end.
fn empty_line(text: &str) -> Option<usize> {
    text.match_indices('\n')
        .map(|(at, _)| at + 1)
        .find(|&at| at == text.len() || text[at..].starts_with('\n'))
}
