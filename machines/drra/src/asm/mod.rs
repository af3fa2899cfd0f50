//! The assembler: text of the four sections to a program.

mod code;
mod cursor;
mod data;
mod names;
mod place;
mod schedule;

use aiec_diag::{Diag, Diags, FileId, Span};
use aiec_isa::Set;
use aiec_isa::text::{Comments, LineReader, TokenKind};

use crate::codes;
use crate::fabric::FabricShape;
use crate::program::DrraProgram;
use code::CodeReader;
use cursor::LineCursor;
use data::DataReader;
use schedule::ScheduleReader;

/// Options of reading a text.
#[derive(Clone, Copy, Debug)]
pub struct AssembleOptions {
    /// The fabric that the text is for.
    pub shape: FabricShape,
    /// Take what published programs write otherwise: an `extra` that is too small, and values of
    /// fields that can't be set.
    pub compat: bool,
}

impl Default for AssembleOptions {
    fn default() -> AssembleOptions {
        AssembleOptions {
            shape: FabricShape::DEFAULT,
            compat: false,
        }
    }
}

/// The sections of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SectionKind {
    Data,
    Code,
    Relation,
    Dependency,
}

/// Comments of the text.
const COMMENTS: Comments = Comments {
    line: &["#", "//"],
    block: true,
};

/// Names of the sections.
const SECTIONS: [(&str, SectionKind); 4] = [
    (".DATA", SectionKind::Data),
    (".CODE", SectionKind::Code),
    (".RELATION", SectionKind::Relation),
    (".DEPENDENCY", SectionKind::Dependency),
];

/// Reads a text. The program is its readable part; it is of use only if no finding is an error.
pub fn assemble(
    text: &str,
    file: FileId,
    set: &Set,
    options: AssembleOptions,
    diags: &mut Diags,
) -> DrraProgram {
    let mut lines = LineReader::new(file, text, COMMENTS);
    let mut tokens = Vec::new();
    let mut data = DataReader::new(options.shape);
    let mut code = CodeReader::new(set, options);
    let mut schedule = ScheduleReader::default();
    let mut section = None;
    while lines.next_line(&mut tokens, diags) {
        let mut cursor = LineCursor::new(&tokens);
        if let Some((name, span)) = section_name(&cursor) {
            match find_section(name) {
                Some(found) => {
                    section = Some(found);
                    cursor.next();
                    diags.extend(cursor.end().err());
                    continue;
                }
                None if name != code::RAW_CHUNK => {
                    diags.push(unknown_section(name, span));
                    continue;
                }
                None => {}
            }
        }
        let result = match section {
            Some(SectionKind::Data) => data.line(&mut cursor),
            Some(SectionKind::Code) => code.line(&mut cursor, diags),
            Some(SectionKind::Relation) => schedule.relation(&mut cursor),
            Some(SectionKind::Dependency) => schedule.dependency(&mut cursor),
            None => Err(Diag::error(&codes::SECTION, "the line is in no section")
                .label(cursor.line_span(), "in front of the first section")
                .help("begin with .DATA, .CODE, .RELATION or .DEPENDENCY")),
        };
        diags.extend(result.err());
    }
    let pending = code.finish();
    let cells = place::place(&pending, set, options, diags);
    let program = DrraProgram {
        cells,
        variables: data.finish(),
        relations: schedule.relations(),
        dependencies: schedule.dependencies(),
    };
    schedule.check(&program, set, diags);
    program
}

/// A word with a dot at the beginning of a line.
fn section_name<'a>(cursor: &LineCursor<'a, '_>) -> Option<(&'a str, Span)> {
    let token = cursor.peek_kind(TokenKind::Word)?;
    token
        .text
        .starts_with('.')
        .then_some((token.text, token.span))
}

fn find_section(name: &str) -> Option<SectionKind> {
    let mut sections = SECTIONS.iter();
    let found = sections.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

fn unknown_section(name: &str, span: Span) -> Diag {
    let known = SECTIONS.iter().map(|(name, _)| *name);
    let help = match aiec_diag::did_you_mean(&name.to_ascii_uppercase(), known) {
        Some(section) => format!("did you mean {section}?"),
        None => "there are .DATA, .CODE, .RELATION and .DEPENDENCY".to_owned(),
    };
    Diag::error(&codes::SECTION, format!("there is no section {name}"))
        .label(span, "unknown")
        .help(help)
}
