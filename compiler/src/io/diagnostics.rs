//! Renders findings: for people with miette (source excerpts, labels), for programs as JSON lines.

use std::fmt;
use std::io::Write;

use aiec_diag::{Diag, Diags, Label, Severity, SourceFile, SourceMap, Span};
use indexmap::IndexMap;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};
use serde_json::{Value, json};

use crate::io::{Terminal, Verbosity};

/// Form of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object on each line.
    Json,
    /// `FILE:LINE:COLUMN: error: …`, as MLIR's tools and compilers write, for editors and scripts.
    Mlir,
}

/// Writes all findings.
pub fn write(
    out: &mut dyn Write,
    diags: &Diags,
    sources: &SourceMap,
    format: Format,
    terminal: Terminal,
) {
    let mut equal: IndexMap<(&str, &str, char), usize> = IndexMap::new();
    let quiet = terminal.verbosity == Verbosity::Quiet;
    let said = |diag: &&Diag| !quiet || diag.severity == Severity::Error;
    for (n, diag) in diags.iter().filter(said).enumerate() {
        let seen = equal
            .entry((diag.code.id, &diag.message, mark(diag.severity)))
            .or_default();
        *seen += 1;
        // Programs get all of them.
        if *seen > MAX_EQUAL && format == Format::Text {
            continue;
        }
        let text = match format {
            // An empty line between findings.
            Format::Text if n > 0 => format!("\n{}", render(diag, sources, terminal)),
            Format::Text => render(diag, sources, terminal),
            Format::Json => format!("{}\n", to_json(diag, sources)),
            Format::Mlir => as_mlir(diag, sources),
        };
        // A closed error stream can't report its own failure.
        let _ = out.write_all(text.as_bytes());
    }
    if format != Format::Text {
        return;
    }
    for ((code, message, mark), count) in equal.into_iter().filter(|(_, count)| *count > MAX_EQUAL)
    {
        let more = count - MAX_EQUAL;
        let _ = write!(out, "\n{code}\n\n  {mark} {more} more: {message}\n");
    }
}

/// Findings of one message that are shown to people; the others are counted.
const MAX_EQUAL: usize = 10;

/// Longer lines are shown in part.
const LONGEST_LINE: usize = 1000;

/// Characters of a longer line that are shown on each side of a place.
const AROUND: usize = 40;

/// A finding as text.
pub fn render(diag: &Diag, sources: &SourceMap, terminal: Terminal) -> String {
    if has_long_lines(diag, sources) {
        return in_parts(diag, sources);
    }
    let theme = if terminal.colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(terminal.width)
        .with_break_words(false)
        .with_links(false);
    let report = Report::new(diag, sources);
    let mut text = String::new();
    if handler.render_report(&mut text, &report).is_err() {
        // miette fails only on spans outside the text; the plain line still says it all.
        text = diag.one_line(sources) + "\n";
    }
    for note in &diag.notes {
        text += &format!("  note: {note}\n");
    }
    text
}

/// Whether an excerpt of a finding would hold a line that no terminal can show.
fn has_long_lines(diag: &Diag, sources: &SourceMap) -> bool {
    diag.labels.iter().any(|label| {
        let Some(file) = sources.file(label.span.file) else {
            return false;
        };
        let (first, _) = file.line_col(label.span.start);
        let (last, _) = file.line_col(label.span.end);
        // Excerpts show the neighbours too.
        let lines = first.saturating_sub(1)..=last + 1;
        lines
            .take(AROUND)
            .any(|line| file.line_text(line).len() > LONGEST_LINE)
    })
}

/// The mark before a message, as in excerpts.
fn mark(severity: Severity) -> char {
    match severity {
        Severity::Error => '×',
        Severity::Warning => '⚠',
        Severity::Note => '☞',
    }
}

/// A finding whose lines are too long to be shown whole.
fn in_parts(diag: &Diag, sources: &SourceMap) -> String {
    let mut text = format!(
        "{}\n\n  {} {}\n",
        diag.code.id,
        mark(diag.severity),
        diag.message
    );
    for label in &diag.labels {
        let Some(file) = sources.file(label.span.file) else {
            continue;
        };
        let (line, _) = file.line_col(label.span.start);
        let (part, caret) = part_of_line(file, label.span);
        text += &format!("   ╭─[{}]\n", sources.position(label.span));
        text += &format!(" {line} │ {part}\n");
        let margin = " ".repeat(line.to_string().len());
        text += &format!(
            " {margin} · {}^ {}\n   ╰────\n",
            " ".repeat(caret),
            label.text
        );
    }
    if let Some(help) = &diag.help {
        text += &format!("  help: {help}\n");
    }
    for note in &diag.notes {
        text += &format!("  note: {note}\n");
    }
    text
}

/// The line that a span starts on, and the column (from 0) at which it starts there; of a long
/// line what is around.
fn part_of_line(file: &SourceFile, span: Span) -> (String, usize) {
    let (line, column) = file.line_col(span.start);
    let text = file.line_text(line);
    if text.len() <= LONGEST_LINE {
        return (text.to_string(), column - 1);
    }
    let start = (column - 1).saturating_sub(AROUND);
    let before = if start > 0 { "…" } else { "" };
    let part: String = text.chars().skip(start).take(2 * AROUND).collect();
    let caret = column - 1 - start + before.chars().count();
    (format!("{before}{part}…"), caret)
}

/// A finding as MLIR's tools write it: the place and the operation before the message, in
/// mlir-aie's words where its tools find the same; then labels, help and remarks as notes. Each
/// place is followed by its line of the source.
pub fn as_mlir(diag: &Diag, sources: &SourceMap) -> String {
    let mut text = String::new();
    let severity = diag.severity.name();
    let code = diag.code.id;
    match &diag.mlir_aie {
        Some(mlir_aie) => {
            for (n, report) in mlir_aie.reports().enumerate() {
                let span = report.span.or(diag.span());
                let severity = report.severity.unwrap_or(diag.severity).name();
                let words = format!("{} [{code}]", report.text);
                mlir_line(&mut text, span, severity, &words, sources);
                if n == 0 {
                    mlir_line(&mut text, diag.span(), "note", &diag.message, sources);
                }
                for note in &report.notes {
                    mlir_line(&mut text, Some(note.span), "note", &note.text, sources);
                }
            }
        }
        None => {
            let op = diag.span().and_then(|span| op_name_at(span, sources));
            let op = op.map_or(String::new(), |name| format!("'{name}' op "));
            let message = format!("{op}{} [{code}]", diag.message);
            mlir_line(&mut text, diag.span(), severity, &message, sources);
        }
    }
    for label in diag
        .labels
        .iter()
        .skip(1)
        .filter(|label| !label.text.is_empty())
    {
        mlir_line(&mut text, Some(label.span), "note", &label.text, sources);
    }
    for note in diag.help.iter().chain(&diag.notes) {
        text += &format!("note: {note}\n");
    }
    text
}

fn mlir_line(
    out: &mut String,
    span: Option<Span>,
    severity: &str,
    message: &str,
    sources: &SourceMap,
) {
    let Some((span, file)) = span.and_then(|span| Some((span, sources.file(span.file)?))) else {
        *out += &format!("<unknown>: {severity}: {message}\n");
        return;
    };
    let (line, column) = file.line_col(span.start);
    let (excerpt, caret) = part_of_line(file, span);
    let caret = " ".repeat(caret) + "^";
    *out += &format!(
        "{}:{line}:{column}: {severity}: {message}\n{excerpt}\n{caret}\n",
        file.name
    );
}

/// The name of the operation whose text a span covers.
fn op_name_at(span: Span, sources: &SourceMap) -> Option<String> {
    let file = sources.file(span.file)?;
    let text = file.text.get(span.start as usize..span.end as usize)?;
    // Results are before the name.
    let after = match text.split_once('=') {
        Some((results, after)) if results.trim_start().starts_with('%') => after,
        _ => text,
    };
    let name = after.trim_start().trim_start_matches('"');
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    let name = &name[..end.unwrap_or(name.len())];
    let dialect = name.split_once('.').map(|(dialect, _)| dialect);
    dialect
        .is_some_and(|d| d.starts_with(|c: char| c.is_ascii_lowercase()))
        .then(|| name.to_string())
}

/// A finding as a JSON object.
pub fn to_json(diag: &Diag, sources: &SourceMap) -> Value {
    let spans: Vec<Value> = diag
        .labels
        .iter()
        .map(|label| json_span(label, sources))
        .collect();
    let file = diag.span().and_then(|span| sources.file(span.file));
    json!({
        "severity": diag.severity.name(),
        "code": diag.code.id,
        "message": diag.message,
        "file": file.map(|file| file.name.as_str()),
        "spans": spans,
        "help": diag.help,
        "notes": diag.notes,
    })
}

/// A place as JSON: lines and columns from 1, columns in characters, the end exclusive.
fn json_span(label: &Label, sources: &SourceMap) -> Value {
    let Some(file) = sources.file(label.span.file) else {
        return json!({ "text": label.text });
    };
    let (line, column) = file.line_col(label.span.start);
    let (end_line, end_column) = file.line_col(label.span.end);
    json!({
        "file": file.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": label.text,
    })
}

/// A finding with its primary file, as miette sees it. Labels in other files become reports of
/// their own, below.
#[derive(Debug)]
struct Report<'a> {
    diag: &'a Diag,
    code: String,
    source: Option<Excerpt<'a>>,
    labels: Vec<LabeledSpan>,
    elsewhere: Vec<SecondaryFile<'a>>,
}

impl<'a> Report<'a> {
    fn new(diag: &'a Diag, sources: &'a SourceMap) -> Report<'a> {
        let primary = diag.span().map(|span| span.file);
        let (here, others): (Vec<_>, Vec<_>) = diag
            .labels
            .iter()
            .partition(|label| Some(label.span.file) == primary);
        let labels = here.iter().enumerate().map(|(index, label)| {
            let text = Some(label.text.clone()).filter(|text| !text.is_empty());
            let span = miette_span(label.span);
            if index == 0 {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        });
        let elsewhere = others.iter().filter_map(|label| {
            let file = sources.file(label.span.file)?;
            Some(SecondaryFile {
                label,
                source: Excerpt(file),
            })
        });
        Report {
            diag,
            code: diag.code.id.to_string(),
            source: primary
                .and_then(|file| sources.file(file))
                .map(|f| Excerpt(f)),
            labels: labels.collect(),
            elsewhere: elsewhere.collect(),
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diag.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diag.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let help = self.diag.help.as_deref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'b>(&'b self) -> Option<Box<dyn Iterator<Item = &'b dyn miette::Diagnostic> + 'b>> {
        if self.elsewhere.is_empty() {
            return None;
        }
        let reports = self.elsewhere.iter();
        Some(Box::new(
            reports.map(|report| report as &dyn miette::Diagnostic),
        ))
    }
}

/// A label in another file than the primary one.
#[derive(Debug)]
struct SecondaryFile<'a> {
    label: &'a Label,
    source: Excerpt<'a>,
}

impl fmt::Display for SecondaryFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label.text)
    }
}

impl std::error::Error for SecondaryFile<'_> {}

impl miette::Diagnostic for SecondaryFile<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(miette::Severity::Advice)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = LabeledSpan::new_primary_with_span(None, miette_span(self.label.span));
        Some(Box::new(std::iter::once(span)))
    }
}

fn miette_span(span: Span) -> SourceSpan {
    let length = span.end.saturating_sub(span.start) as usize;
    SourceSpan::new((span.start as usize).into(), length)
}

/// Reads excerpts through the line index of a file; miette's own reader scans from the start.
#[derive(Debug)]
struct Excerpt<'a>(&'a SourceFile);

impl SourceCode for Excerpt<'_> {
    fn read_span<'b>(
        &'b self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let text = self.0.text.as_bytes();
        let start = span.offset().min(text.len());
        let end = (span.offset() + span.len()).clamp(start, text.len());
        let mut begin = start;
        let mut column = 0;
        if lines_before == 0 {
            column = self.0.line_col(offset(start)).1 - 1;
        } else {
            begin = line_start(text, start);
            for _ in 0..lines_before {
                begin = line_start(text, begin.saturating_sub(1));
            }
        }
        let mut finish = line_end(text, end);
        for _ in 0..lines_after {
            finish = line_end(text, (finish + 1).min(text.len()));
        }
        // miette counts a lone carriage return as a line.
        if finish > end && text[finish - 1] == b'\r' {
            finish -= 1;
        }
        let line = self.0.line_col(offset(begin)).0 - 1;
        let excerpt = &text[begin..finish];
        let count = excerpt.iter().filter(|byte| **byte == b'\n').count() + 1;
        let whole = SourceSpan::new(begin.into(), excerpt.len());
        let name = self.0.name.clone();
        Ok(Box::new(MietteSpanContents::new_named(
            name, excerpt, whole, line, column, count,
        )))
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn line_start(text: &[u8], at: usize) -> usize {
    let before = text[..at].iter().rposition(|byte| *byte == b'\n');
    before.map_or(0, |newline| newline + 1)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let after = text[at..].iter().position(|byte| *byte == b'\n');
    after.map_or(text.len(), |newline| at + newline)
}

#[cfg(test)]
mod tests {
    use super::*;

    aiec_diag::codes! {
        /// Codes for the tests.
        pub static CODES;
        WRONG = "test::wrong", "Something is wrong.";
    }

    fn sources() -> SourceMap {
        let mut sources = SourceMap::new();
        sources.add(SourceFile::new("a.mlir", "one\n  two three\nfour\n"));
        sources.add(SourceFile::new("b.mlir", "five\nsix\n"));
        sources
    }

    fn span(file: u32, start: u32, end: u32) -> Span {
        let file = aiec_diag::FileId(file);
        Span { file, start, end }
    }

    #[test]
    fn text_shows_place_cause_and_way_out() {
        let diag = Diag::error(&WRONG, "two is wrong")
            .label(span(0, 6, 9), "this")
            .label(span(0, 14, 18), "because of that")
            .help("write 2")
            .remark("it was two before");
        let text = render(&diag, &sources(), Terminal::default());
        for part in [
            "test::wrong",
            "two is wrong",
            "a.mlir:2:3",
            "this",
            "because of that",
            "help: write 2",
            "note: it was",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn text_shows_other_files_below() {
        let diag = Diag::error(&WRONG, "twice")
            .label(span(0, 0, 3), "here")
            .label(span(1, 5, 8), "and there");
        let text = render(&diag, &sources(), Terminal::default());
        assert!(
            text.contains("b.mlir:2:1") && text.contains("and there"),
            "{text}"
        );
    }

    #[test]
    fn spans_past_the_end_do_not_fail() {
        let diag = Diag::error(&WRONG, "gone").label(span(0, 500, 600), "here");
        assert!(render(&diag, &sources(), Terminal::default()).contains("gone"));
        let empty = Diag::error(&WRONG, "gone").label(span(7, 0, 1), "here");
        assert!(render(&empty, &sources(), Terminal::default()).contains("gone"));
    }

    #[test]
    fn long_lines_are_shown_in_part() {
        let mut sources = SourceMap::new();
        let long = format!("{} here {}\n", "x".repeat(100_000), "y".repeat(100_000));
        sources.add(SourceFile::new("long.mlir", long));
        let diag = Diag::error(&WRONG, "wrong")
            .label(span(0, 100_001, 100_005), "this")
            .help("write less");
        for text in [
            render(&diag, &sources, Terminal::default()),
            as_mlir(&diag, &sources),
        ] {
            assert!(text.contains("xx here yy"), "{text}");
            assert!(text.contains("long.mlir:1:100002"), "{text}");
            assert!(text.len() < 1000, "{} characters", text.len());
        }
    }

    #[test]
    fn line_numbers_are_right_with_carriage_returns() {
        let mut sources = SourceMap::new();
        sources.add(SourceFile::new("a.mlir", "one\r\ntwo\r\nthree\r\n"));
        let diag = Diag::error(&WRONG, "wrong").label(span(0, 5, 8), "this");
        let text = render(&diag, &sources, Terminal::default());
        assert!(
            text.contains("2 │ two") && text.contains("3 │ three"),
            "{text}"
        );
    }

    #[test]
    fn json_has_lines_and_columns() {
        let diag = Diag::error(&WRONG, "two is wrong").label(span(0, 6, 9), "this");
        let value = to_json(&diag, &sources());
        assert_eq!(value["code"], "test::wrong");
        assert_eq!(value["spans"][0]["file"], "a.mlir");
        assert_eq!(
            (&value["spans"][0]["line"], &value["spans"][0]["end_column"]),
            (&json!(2), &json!(6))
        );
    }
}
