//! Findings as the protocol has them, and the edits that their helps name.

use std::path::Path;

use aiec_diag::{Diag, Severity, Span, did_you_mean};
use lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    Location, NumberOrString, Range, TextEdit, Uri, WorkspaceEdit,
};

use crate::document::{Document, Lines};

/// Name of the source of findings.
const SOURCE: &str = "aiec";

/// The findings of a document.
pub fn of_document(document: &Document) -> Vec<Diagnostic> {
    let analysis = &document.analysis;
    let findings = analysis.diags.iter();
    findings.map(|diag| diagnostic(diag, document)).collect()
}

fn diagnostic(diag: &Diag, document: &Document) -> Diagnostic {
    let mut message = diag.message.clone();
    if let Some(first) = diag.labels.first().filter(|label| !label.text.is_empty()) {
        message += &format!("\n{}", first.text);
    }
    if let Some(help) = &diag.help {
        message += &format!("\nhelp: {help}");
    }
    for note in &diag.notes {
        message += &format!("\nnote: {note}");
    }
    let related: Vec<DiagnosticRelatedInformation> = diag
        .labels
        .iter()
        .skip(1)
        .filter_map(|label| {
            Some(DiagnosticRelatedInformation {
                location: location(label.span, document)?,
                message: if label.text.is_empty() {
                    "here".to_string()
                } else {
                    label.text.clone()
                },
            })
        })
        .collect();
    Diagnostic {
        range: primary_range(diag, document),
        severity: Some(match diag.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(diag.code.id.to_string())),
        source: Some(SOURCE.to_string()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// The place of a finding in the document: of one in another file the place that names that file, and of one
/// without a place the start.
fn primary_range(diag: &Diag, document: &Document) -> Range {
    let analysis = &document.analysis;
    let here = diag
        .labels
        .iter()
        .find(|label| label.span.file == analysis.file);
    here.and_then(|label| range_of(label.span, document))
        .unwrap_or_default()
}

/// The range of a span, in the document or in a file that it reads.
fn range_of(span: Span, document: &Document) -> Option<Range> {
    let (start, end) = (span.start as usize, span.end as usize);
    let analysis = &document.analysis;
    if span.file == analysis.file {
        return Some(document.lines.range(&document.text, start, end));
    }
    let text = &analysis.sources.file(span.file)?.text;
    Some(Lines::of(text).range(text, start, end))
}

/// A place of the document, or of a file that it reads.
fn location(span: Span, document: &Document) -> Option<Location> {
    let file = document.analysis.sources.file(span.file)?;
    let uri = if span.file == document.analysis.file {
        document.uri.clone()
    } else {
        uri_of(Path::new(&file.name))?
    };
    Some(Location {
        uri,
        range: range_of(span, document)?,
    })
}

/// The name of a file in the protocol.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let mut uri = "file://".to_string();
    for byte in path.to_str()?.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri.parse().ok()
}

/// The edits of a range that helps of findings name.
#[allow(clippy::mutable_key_type)] // the protocol's own type; its hash leaves out the part that may change
pub fn actions(document: &Document, range: Range) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    if document.is_dirty {
        return actions;
    }
    for diag in &document.analysis.diags {
        let place = primary_range(diag, document);
        if place.end < range.start || range.end < place.start {
            continue;
        }
        let Some((span, word)) = replacement(diag, document) else {
            continue;
        };
        let Some(edited) = range_of(span, document) else {
            continue;
        };
        let old = document.text.get(span.start as usize..span.end as usize);
        let edit = TextEdit {
            range: edited,
            new_text: word.clone(),
        };
        actions.push(CodeAction {
            title: format!("replace `{}` by `{word}`", old.unwrap_or_default()),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic(diag, document)]),
            edit: Some(WorkspaceEdit {
                changes: Some([(document.uri.clone(), vec![edit])].into()),
                ..WorkspaceEdit::default()
            }),
            is_preferred: Some(true),
            ..CodeAction::default()
        });
    }
    actions
}

/// The word that a help of a finding asks for, and what it replaces.
fn replacement(diag: &Diag, document: &Document) -> Option<(Span, String)> {
    let help = diag.help.as_deref()?;
    let (_, after) = help.split_once("did you mean ")?;
    let quote = after.chars().next().filter(|c| "`'".contains(*c));
    let wanted = match quote {
        Some(quote) => after.get(1..)?.split(quote).next()?,
        None => after.split(['?', ' ']).next()?,
    };
    let span = diag.span()?;
    if span.file != document.analysis.file || wanted.is_empty() {
        return None;
    }
    let text = document.text.get(span.start as usize..span.end as usize)?;
    // The place may be more than the word.
    let is_word = |c: char| c.is_alphanumeric() || "_.$@%#!^-".contains(c);
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, text.get(from..at)?));
                start = None;
            }
            _ => {}
        }
    }
    let misspelt = did_you_mean(wanted, words.iter().map(|(_, word)| *word))?;
    let (from, old) = words.into_iter().find(|(_, word)| *word == misspelt)?;
    if old == wanted {
        return None;
    }
    let start = span.start as usize + from;
    Some((
        Span::new(span.file, start, start + old.len()),
        wanted.to_string(),
    ))
}
