//! Findings of the assembler as diagnostics with places in the sources.

use std::fmt::Write;

use aiec_cert::asm::{self, AsmError, Assembled};
use aiec_cert::check::{Finding, Severity};
use aiec_cert::error::{JobBudget, LayoutError, Problem};
use aiec_cert::fix::{Split, Stuck};
use aiec_cert::page::{EOF_BYTES, HEADER_BYTES};
use aiec_cert::program::SourceLoc;
use aiec_diag::{Code, Diag, FileId, Reported, SourceFile, Span};

use super::codes;
use crate::session::Session;

/// Turns findings about one text into diagnostics.
pub struct Reporter<'a> {
    session: &'a mut Session,
    assembled: &'a Assembled,
    /// Number of the text's first file in the session.
    first_file: u32,
    /// What can't work on the machine is no error.
    lenient: bool,
    diags: Vec<Diag>,
}

impl<'a> Reporter<'a> {
    /// Makes the sources of a text known to the session.
    pub fn new(session: &'a mut Session, assembled: &'a Assembled, lenient: bool) -> Self {
        let mut first = None;
        for source in &assembled.sources {
            let file = SourceFile::new(source.name.clone(), source.text.clone());
            let id = session.sources.add(file);
            first.get_or_insert(id.0);
        }
        Self {
            session,
            assembled,
            first_file: first.unwrap_or_default(),
            lenient,
            diags: Vec::new(),
        }
    }

    /// Hands the diagnostics to the session, by place.
    pub fn finish(self) -> Result<(), Reported> {
        let mut diags = self.diags;
        // whatever is found for several pages, includes or controllers is said once
        let place = |diag: &Diag| diag.span().map_or((1, Span::default()), |s| (0, s));
        diags.sort_by_key(place);
        diags.dedup();
        let start = self.session.diags.len();
        for diag in diags {
            self.session.diags.push(diag);
        }
        let new = self.session.diags.iter().skip(start);
        let is_error = |diag: &Diag| diag.severity == aiec_diag::Severity::Error;
        match new.into_iter().any(is_error) {
            true => Err(Reported),
            false => Ok(()),
        }
    }

    /// An error of the text.
    pub fn asm(&mut self, error: &AsmError) {
        let mut diag = Diag::error(code(error.kind.code_name()), error.to_string())
            .label(self.span(error.span), "");
        if let Some((other, what)) = error.related {
            diag = diag.label(self.span(other), what);
        }
        if let Some(help) = error.kind.help_text() {
            diag = diag.help(help);
        }
        self.push(diag, error.span.file);
    }

    /// Jobs that were split over several pages.
    pub fn split(&mut self, split: &Split) {
        let place = split.place.source;
        let message = format!("{}: split over {} pages", split.place, split.parts);
        let mut diag = Diag::note(&codes::PAGE_SPLIT, message)
            .label(place.and_then(|place| self.word_at(place)), "");
        for cut in &split.cuts {
            diag = diag.label(self.word_at(*cut), "a page begins here");
        }
        self.push(diag, place.map_or(0, |place| place.file));
    }

    /// An error of the layout; `stuck` says why overfull pages could not be split.
    pub fn layout(&mut self, error: &LayoutError, stuck: &[Stuck]) {
        let place = error.place.source;
        let mut diag = Diag::error(code(error.code_name()), error.to_string())
            .label(place.and_then(|place| self.word_at(place)), "")
            .help(error.help_text());
        match &error.problem {
            Problem::JobTooBig { budget, bytes, .. } => {
                diag = diag.remark(budget_table(budget, *bytes));
                if let Some(stuck) = stuck.iter().find(|stuck| stuck.place == error.place) {
                    diag = diag
                        .label(stuck.at.and_then(|at| self.word_at(at)), "in the way")
                        .remark(format!("it cannot be split: {}", stuck.why));
                }
            }
            Problem::BarrierSplit {
                there: Some(there), ..
            } => diag = diag.label(self.word_at(*there), "the other job"),
            _ => {}
        }
        self.push(diag, place.map_or(0, |place| place.file));
    }

    /// A finding of the checks.
    pub fn check(&mut self, finding: &Finding) {
        let make = match finding.severity() {
            Severity::Error if !self.lenient => Diag::error,
            _ => Diag::warning,
        };
        let place = finding.place.source;
        let mut diag = make(code(finding.kind.code_name()), finding.to_string())
            .label(place.and_then(|place| self.word_at(place)), "")
            .help(finding.kind.help_text());
        for (at, what) in &finding.related {
            diag = diag.label(self.word_at(*at), what);
        }
        if let Some(note) = finding.kind.note() {
            diag = diag.remark(note);
        }
        self.push(diag, place.map_or(0, |place| place.file));
    }

    /// Adds a diagnostic about a file, with the lines that include that file.
    fn push(&mut self, mut diag: Diag, file: u32) {
        let mut file = file;
        // included files come after those that include them
        while let Some(line) = self.included(file) {
            diag = diag.label(self.span(line), "included here");
            if line.file >= file {
                break;
            }
            file = line.file;
        }
        self.diags.push(diag);
    }

    fn included(&self, file: u32) -> Option<asm::Span> {
        self.assembled.sources.get(file as usize)?.included
    }

    fn span(&self, span: asm::Span) -> Span {
        let start = span.start as usize;
        let file = FileId(self.first_file + span.file);
        Span::new(file, start, start + span.len as usize)
    }

    /// The word at a place of the sources.
    fn word_at(&self, place: SourceLoc) -> Option<Span> {
        let id = FileId(self.first_file + place.file);
        let file = self.session.sources.file(id)?;
        let start = file.offset(place.line as usize, place.column.max(1) as usize)? as usize;
        let rest = file.text.get(start..)?;
        let len = rest
            .find(|c: char| c.is_ascii_whitespace() || c == ':')
            .unwrap_or(rest.len());
        Some(Span::new(id, start, start + len))
    }
}

/// What the jobs of an overfull page take, as a table.
fn budget_table(budget: &[JobBudget], bytes: usize) -> String {
    let mut table = String::from("bytes that must share the page:\n");
    let mut row = |name: &str, text: usize, data: usize| {
        // writing to a string does not fail
        let _ = writeln!(table, "    {name:<24} {text:>7} text {data:>7} data");
    };
    let (mut text, mut data) = (0, 0);
    for job in budget {
        let line = job.source.map(|at| format!(" (line {})", at.line));
        let name = format!("job {}{}", job.job, line.unwrap_or_default());
        row(&name, job.text, job.data);
        text += job.text;
        data += job.data;
    }
    let frame = HEADER_BYTES + EOF_BYTES;
    row("header and EOF", frame, 0);
    let filler = bytes.saturating_sub(text + data + frame);
    if filler > 0 {
        row("filler", filler, 0);
    }
    let limit = aiec_cert::page::PAGE_BYTES;
    let over = bytes.saturating_sub(limit);
    let _ = write!(table, "    {bytes} of {limit} bytes: {over} too many");
    table
}

/// The code of that name.
fn code(name: &str) -> &'static Code {
    let found = codes::CODES.iter().find(|code| code.id == name);
    found.copied().unwrap_or(&codes::DESCRIPTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_add_up() {
        let job = |job, text, data| JobBudget {
            job,
            source: None,
            text,
            data,
        };
        let table = budget_table(&[job(1, 5000, 0), job(2, 3000, 400)], 8424);
        assert!(
            table.contains("job 2                       3000 text     400 data"),
            "{table}"
        );
        assert!(
            table.contains("filler                         4 text"),
            "{table}"
        );
        assert!(
            table.ends_with("8424 of 8192 bytes: 232 too many"),
            "{table}"
        );
    }
}
