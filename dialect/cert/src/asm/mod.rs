//! The assembler: text to [`Program`].
//!
//! [`reader`] takes the text line by line and follows directives, scopes and the text/data
//! state; [`scope`] makes instructions and data of the lines of one scope; [`resolve`] puts ids
//! where names were used. Layout and encoding are [`crate::image`]'s.
//!
//! Default is strict: nothing is dropped or cut without a diagnosis, and more spellings are
//! accepted (`a,b`, `;` after code, `#` lines, names in any case). With
//! [`AsmOptions::compat`] the vendor's quirks are reproduced (aiebu: src/cpp/preprocessor/asm).
//!
//! A line is read once and nothing is kept of its text but where it was; the work is linear in
//! the number of lines.

mod codes;
mod directive;
mod lexer;
mod operand;
mod reader;
mod resolve;
mod scope;

pub use codes::{CODES, NO_CODE};
pub use directive::{DIRECTIVES, DirectiveInfo, OPERATIONS, OperationInfo};
pub(crate) use reader::symbol_text;

use aiec_diag::{Diag, FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

use crate::finding::{Finding, UnreadCounts};
use crate::names::Target;
use crate::program::{Program, SourceLoc};

/// Options of the assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsmOptions {
    /// Family of controllers.
    pub target: Target,
    /// Reproduce the vendor's quirks.
    pub compat: bool,
}

/// A file that a text asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it was found; one path is one file, however often it is included.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// A name that isn't that of a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRegister {
    /// Cause.
    pub why: String,
    /// Way out.
    pub help: String,
}

/// Where included files, pads and addresses of registers come from.
pub trait Files {
    /// The file that a text of the file `from` calls `name`; `None` if there is none.
    fn find(&self, name: &str, from: &str) -> Option<FoundFile>;

    /// True if PREEMPT runs programs of [`Files::save_restore`] instead of the scopes it names.
    fn has_save_restore(&self) -> bool {
        false
    }

    /// A save or restore program of the vendor by its file name, such as `aie4_save_1c.asm`
    /// (aiebu: specification/aie4/preemption_asm).
    fn save_restore(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }

    /// The address of a register of the tile in a column and row of the partition, by the name that
    /// the manual gives it, in any letter case.
    ///
    /// # Errors
    /// The cause, if the tile has no such register.
    fn register(
        &self,
        target: Target,
        _tile: (u8, u8),
        _name: &str,
    ) -> Result<u32, UnknownRegister> {
        Err(UnknownRegister {
            why: format!("names of registers of {target} aren't known here"),
            help: "write the address".to_owned(),
        })
    }
}

/// No files at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn find(&self, _name: &str, _from: &str) -> Option<FoundFile> {
        None
    }
}

/// Kind of the scope that PREEMPT names, for messages.
const SAVE_RESTORE_SCOPE: &str = "save or restore scope";

/// Declarations of a text about its target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Declared {
    /// `.target`, with its sub-architecture.
    pub target: Option<String>,
    /// `.partition`, in columns.
    pub columns: Option<u32>,
    /// `.aie_row_topology`.
    pub topology: Option<String>,
}

/// A note of the author on an instruction, for the debug record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The instruction.
    pub at: SourceLoc,
    /// `id:`
    pub id: String,
    /// `name:`
    pub name: String,
    /// `description:`
    pub description: String,
}

/// Result of assembling: the program if there was no error, and the sources for diagnostics.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The program, or all errors by file, line and column.
    pub program: Result<Program, Vec<Diag>>,
    /// The readable part of a text with errors, so that layout and checks can report on it in the
    /// same run.
    pub rest: Option<(Program, UnreadCounts)>,
    /// The sources that were given, and after them those that were read.
    pub sources: SourceMap,
    /// The first main file.
    pub first_file: FileId,
    /// The line that includes a file first; main files have none.
    pub included: FxHashMap<FileId, Span>,
    /// The declarations of a text about itself.
    pub declared: Declared,
    /// Annotations in text order.
    pub annotations: Vec<Annotation>,
}

impl Assembled {
    /// A finding about the program with its places in the sources.
    pub fn diag(&self, finding: Finding) -> Diag {
        self.with_includes(finding.into_diag(|place| self.word_at(place)))
    }

    /// A finding about a file, with the lines that include that file.
    fn with_includes(&self, mut diag: Diag) -> Diag {
        let mut file = diag.span().map(|span| span.file);
        // included files come after those that include them
        while let Some((of, line)) = file.and_then(|of| Some((of, *self.included.get(&of)?))) {
            diag = diag.label(line, "included here");
            file = Some(line.file).filter(|next| *next < of);
        }
        diag
    }

    /// The word at a place of the sources.
    fn word_at(&self, place: SourceLoc) -> Option<Span> {
        let file = self.sources.file(FileId(place.file))?;
        let start = file.offset(place.line as usize, place.column.max(1) as usize)? as usize;
        let rest = file.text.get(start..)?;
        let len = rest
            .find(|c: char| c.is_ascii_whitespace() || c == ':')
            .unwrap_or(rest.len());
        Some(Span::new(FileId(place.file), start, start + len))
    }
}

/// True if an operand is a symbol that the host would have to know, and no number or name.
pub(crate) fn is_symbol(text: &str, target: Target) -> bool {
    !text.is_empty() && operand::value(text, target, true) == Ok(operand::Value::Symbol)
}

/// Assembles a text into a program.
pub fn parse(name: &str, text: &[u8], files: &dyn Files, options: AsmOptions) -> Assembled {
    parse_files(&[(name, text)], files, options, SourceMap::new())
}

/// Assembles several texts (name and contents) into one program. Each begins again in the main
/// scope, with no controller chosen, and has its own names of labels and numbers of jobs; what
/// they say to one controller is joined. What is read is added to `sources`.
pub fn parse_files(
    inputs: &[(&str, &[u8])],
    files: &dyn Files,
    options: AsmOptions,
    sources: SourceMap,
) -> Assembled {
    let mut reader = reader::Reader::new(files, options, sources);
    for (name, text) in inputs {
        reader.read_main(name, text);
    }
    reader.finish()
}
