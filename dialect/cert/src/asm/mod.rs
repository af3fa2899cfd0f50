//! The assembler: text to [`Program`].
//!
//! [`reader`] takes the text line by line and follows directives, scopes and the text/data
//! state; [`scope`] makes instructions and data of the lines of one scope; [`resolve`] puts ids
//! where names were used. Layout and encoding are [`crate::image`]'s.
//!
//! Default is strict: nothing is dropped or cut without a diagnosis, and more spellings are
//! accepted (`a,b`, `;` behind code, `#` lines, names in any case). With
//! [`AsmOptions::compat`] the vendor's quirks are reproduced (aiebu: src/cpp/preprocessor/asm).
//!
//! A line is read once and nothing is kept of its text but where it was; the work is linear in
//! the number of lines.

mod bounds;
mod directive;
mod error;
mod lexer;
mod operand;
mod raw_page;
mod reader;
mod resolve;
mod scope;

pub use directive::{DIRECTIVES, DirectiveInfo, OPERATIONS, OperationInfo};
pub use error::{AsmError, AsmErrorKind};
pub(crate) use raw_page::symbol_text;

use crate::check::Lost;
use crate::names::Target;
use crate::program::{Program, SourceLoc};

/// How to assemble.
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

/// Where included files and pads come from.
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
}

/// No files at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn find(&self, _name: &str, _from: &str) -> Option<FoundFile> {
        None
    }
}

/// A piece of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Index in [`Assembled::sources`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Byte offset in the file.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Span {
    /// The place without its extent.
    pub fn loc(self) -> SourceLoc {
        let Self {
            file, line, column, ..
        } = self;
        SourceLoc { file, line, column }
    }
}

/// A source file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it was found.
    pub name: String,
    /// Contents; bytes that are no UTF-8 are replaced, and in compatible mode the bytes that the
    /// vendor's assembler deletes are gone.
    pub text: String,
    /// The line that includes it first; main files have none.
    pub included: Option<Span>,
}

/// What a text says about itself.
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

/// What assembling gives: the program if there was no error, and the sources for diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The program, or all errors by file, line and column.
    pub program: Result<Program, Vec<AsmError>>,
    /// What could be read of a text with errors, so that layout and checks can say what is wrong
    /// with the rest in the same run.
    pub rest: Option<(Program, Lost)>,
    /// Files that were read; the main files come first.
    pub sources: Vec<Source>,
    /// What the text says about itself.
    pub declared: Declared,
    /// Annotations in text order.
    pub annotations: Vec<Annotation>,
}

/// True if an operand is a symbol that the host would have to know, and no number or name.
pub(crate) fn is_symbol(text: &str, target: Target) -> bool {
    !text.is_empty() && operand::value(text, target, true) == Ok(operand::Value::Symbol)
}

/// Assembles a text into a program.
pub fn parse(name: &str, text: &[u8], files: &dyn Files, options: AsmOptions) -> Assembled {
    parse_files(&[(name, text)], files, options)
}

/// Assembles several texts (name and contents) into one program. Each begins anew in the main
/// scope, with no controller chosen, and has its own names of labels and numbers of jobs; what
/// they say to one controller is joined.
pub fn parse_files(inputs: &[(&str, &[u8])], files: &dyn Files, options: AsmOptions) -> Assembled {
    let mut reader = reader::Reader::new(files, options);
    for (name, text) in inputs {
        reader.read_main(name, text);
    }
    reader.finish()
}
