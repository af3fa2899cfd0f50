//! Findings of the assembler as diagnostics with places in the sources.

use aiec_ctrlcode::asm::{self, AsmError, Assembled};
use aiec_ctrlcode::error::LayoutError;
use aiec_ctrlcode::program::SourceLoc;
use aiec_dialect::diag::{Code, Diag, Reported};
use aiec_dialect::source::{FileId, SourceFile, Span};

use super::codes;
use crate::session::Session;

/// Adds the files that were read to the session's sources; the number of the first.
fn add_sources(session: &mut Session, assembled: &Assembled) -> u32 {
    let mut first = None;
    for source in &assembled.sources {
        let file = SourceFile::new(source.name.clone(), source.text.clone());
        let id = session.sources.add(file);
        first.get_or_insert(id.0);
    }
    first.unwrap_or_default()
}

/// Reports errors of a text.
pub fn asm_errors(session: &mut Session, assembled: &Assembled, errors: &[AsmError]) -> Reported {
    let first_file = add_sources(session, assembled);
    for error in errors {
        let span = |span: asm::Span| {
            let start = span.start as usize;
            let file = FileId(first_file + span.file);
            Span::new(file, start, start + span.len as usize)
        };
        let mut diag = Diag::error(code(error.kind.code_name()), error.to_string())
            .label(span(error.span), "");
        if let Some((other, what)) = error.related {
            diag = diag.label(span(other), what);
        }
        if let Some(help) = error.kind.help_text() {
            diag = diag.help(help);
        }
        session.diags.push(diag);
    }
    Reported
}

/// Reports errors of the layout.
pub fn layout_errors(
    session: &mut Session,
    assembled: &Assembled,
    errors: &[LayoutError],
) -> Reported {
    let first_file = add_sources(session, assembled);
    for error in errors {
        let place = error.place.source;
        let span = place.and_then(|place| word_at(session, place, first_file));
        let diag = Diag::error(code(error.code_name()), error.to_string())
            .label(span, "")
            .help(error.help_text());
        session.diags.push(diag);
    }
    Reported
}

/// The word at a place of the sources.
fn word_at(session: &Session, place: SourceLoc, first_file: u32) -> Option<Span> {
    let id = FileId(first_file + place.file);
    let file = session.sources.file(id)?;
    let start = file.offset(place.line as usize, place.column.max(1) as usize)? as usize;
    let rest = file.text.get(start..)?;
    let len = rest
        .find(|c: char| c.is_ascii_whitespace() || c == ':')
        .unwrap_or(rest.len());
    Some(Span::new(id, start, start + len))
}

/// The code of that name; the test below holds that there is one.
fn code(name: &str) -> &'static Code {
    let found = codes::CODES.iter().find(|code| code.id == name);
    found.copied().unwrap_or(&codes::DESCRIPTION)
}
