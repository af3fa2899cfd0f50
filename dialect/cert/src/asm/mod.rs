//! The assembler: text to [`Program`].
//!
//! Reading goes in two steps: [`read`] follows directives, scopes and the text/data state and
//! collects what belongs to which controller and scope; [`build`] resolves names and makes
//! instructions. Layout and encoding are [`crate::image`]'s.
//!
//! Default is strict: nothing is dropped or cut without a diagnosis, and more spellings are
//! accepted (`a,b`, `;` behind code, `#` lines, names in any case). With
//! [`AsmOptions::compat`] the vendor's quirks are reproduced (aiebu: src/cpp/preprocessor/asm).

mod build;
mod lexer;
mod operand;
mod read;

use std::fmt;

use crate::names::Target;
use crate::program::Program;

/// How to assemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsmOptions {
    /// Family of controllers.
    pub target: Target,
    /// Reproduce the vendor's quirks.
    pub compat: bool,
}

/// Where included files and pads come from.
pub trait Files {
    /// Contents of a file as named in the text; `None` if there is none.
    fn read(&self, name: &str) -> Option<Vec<u8>>;
}

/// No files at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _name: &str) -> Option<Vec<u8>> {
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
    /// Byte offset in the file.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A source file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name as given or included.
    pub name: String,
    /// Contents; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// What assembling gives: the program if there was no error, and the sources for diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The program, or all errors in the order they were found.
    pub program: Result<Program, Vec<AsmError>>,
    /// Files that were read; the main file is the first.
    pub sources: Vec<Source>,
}

/// Assembles a text into a program.
pub fn parse(name: &str, text: &[u8], files: &dyn Files, options: AsmOptions) -> Assembled {
    let mut reader = read::Reader::new(files, options);
    reader.read_main(name, text);
    let (parts, mut errors, sources) = reader.finish();
    let program = build::build(&parts, &sources, options, &mut errors);
    Assembled {
        program: if errors.is_empty() {
            Ok(program)
        } else {
            Err(errors)
        },
        sources,
    }
}

/// An error in a source text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct AsmError {
    /// What is wrong.
    pub kind: AsmErrorKind,
    /// Where.
    pub span: Span,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AsmErrorKind {
    /// No such operation.
    #[error("unknown operation '{0}'")]
    UnknownOperation(String),
    /// A line that is nothing.
    #[error("this line is neither an operation, a label nor a directive")]
    UnknownLine,
    /// Too few or too many operands.
    #[error("{mnemonic} takes {wanted} operands, found {found}")]
    OperandCount {
        /// The operation.
        mnemonic: String,
        /// Operands it takes.
        wanted: usize,
        /// Operands there are.
        found: usize,
    },
    /// An operand is of the wrong sort.
    #[error("'{text}' is not {wanted}")]
    Operand {
        /// The operand.
        text: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// A number exceeds its field.
    #[error("{value} does not fit {bits} bits")]
    TooWide {
        /// The number as written.
        value: String,
        /// Bits of the field.
        bits: u8,
    },
    /// A number of more than 64 bits.
    #[error("{0} does not fit 64 bits")]
    HugeNumber(String),
    /// A register or barrier that does not exist.
    #[error("'{text}' is out of range: {range}")]
    OutOfRange {
        /// The operand.
        text: String,
        /// What exists.
        range: &'static str,
    },
    /// A reference finds no definition.
    #[error("there is no {what} '{name}' here")]
    Undefined {
        /// Sort of name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A second definition.
    #[error("{what} '{name}' is already defined")]
    Duplicate {
        /// Sort of name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A label without data, or with something other than data first.
    #[error("label '{0}' is not followed by UC_DMA_BD or .long")]
    EmptyLabel(String),
    /// Data without a label.
    #[error("data before the first label")]
    DataWithoutLabel,
    /// `.align` between the items of a label.
    #[error(".align inside the data of label '{0}'")]
    AlignInData(String),
    /// An operation outside a job.
    #[error("{0} stands outside a job")]
    OutsideJob(String),
    /// A job without end.
    #[error("job {0} has no END_JOB")]
    OpenJob(String),
    /// A controller's scope without EOF.
    #[error("controller {uc} has no EOF in scope '{scope}'")]
    NoEof {
        /// The controller.
        uc: u32,
        /// The scope.
        scope: String,
    },
    /// `.endl` of another scope.
    #[error(".endl {found} closes scope '{open}'")]
    ScopeMismatch {
        /// Name behind `.endl`.
        found: String,
        /// Innermost open scope.
        open: String,
    },
    /// A scope left open.
    #[error("scope '{0}' is not closed before this")]
    OpenScope(String),
    /// A directive's operand has the wrong shape.
    #[error("{directive} takes {wanted}")]
    Directive {
        /// The directive.
        directive: &'static str,
        /// What it takes.
        wanted: &'static str,
    },
    /// `.target` names another family.
    #[error(".target names '{found}', the program is assembled for {wanted}")]
    TargetMismatch {
        /// Name found.
        found: String,
        /// Family chosen.
        wanted: Target,
    },
    /// A section of an unknown name.
    #[error("unknown section '{0}'")]
    UnknownSection(String),
    /// A file that cannot be read.
    #[error("cannot read file '{0}'")]
    MissingFile(String),
    /// Includes go round in a circle or too deep.
    #[error("'{0}' includes itself, or includes are nested too deeply")]
    IncludeDepth(String),
    /// The target lacks the operation.
    #[error("{mnemonic} does not exist on {target}")]
    NotOnTarget {
        /// The operation.
        mnemonic: &'static str,
        /// The target.
        target: Target,
    },
}

impl AsmErrorKind {
    /// Stable code for diagnostics.
    pub fn code_name(&self) -> &'static str {
        match self {
            Self::UnknownOperation(_) => "asm::unknown-operation",
            Self::UnknownLine => "asm::unknown-line",
            Self::OperandCount { .. } => "asm::operand-count",
            Self::Operand { .. } => "asm::operand",
            Self::TooWide { .. } | Self::HugeNumber(_) => "asm::number",
            Self::OutOfRange { .. } => "asm::out-of-range",
            Self::Undefined { .. } => "asm::undefined",
            Self::Duplicate { .. } => "asm::duplicate",
            Self::EmptyLabel(_) | Self::DataWithoutLabel | Self::AlignInData(_) => "asm::data",
            Self::OutsideJob(_) | Self::OpenJob(_) => "asm::job",
            Self::NoEof { .. } => "asm::no-eof",
            Self::ScopeMismatch { .. } | Self::OpenScope(_) => "asm::scope",
            Self::Directive { .. } | Self::UnknownSection(_) => "asm::directive",
            Self::TargetMismatch { .. } | Self::NotOnTarget { .. } => "asm::target",
            Self::MissingFile(_) | Self::IncludeDepth(_) => "asm::include",
        }
    }

    /// A way out, where it is not plain from the message.
    pub fn help_text(&self) -> Option<&'static str> {
        Some(match self {
            Self::UnknownOperation(_) => "`aiec isa` lists the operations",
            Self::UnknownLine => "comments begin with ';' or '#'",
            Self::Undefined { .. } => "names are looked up in the same file and scope",
            Self::EmptyLabel(_) => "put .align before the label",
            Self::AlignInData(_) => "put .align before a label",
            Self::DataWithoutLabel => "add a `name:` line before it",
            Self::OutsideJob(_) => "put it between START_JOB and END_JOB",
            Self::OpenJob(_) => "add END_JOB",
            Self::NoEof { .. } => "add EOF behind the jobs",
            Self::OpenScope(_) => "add `.endl NAME` behind the scope's data",
            Self::MissingFile(_) => "it is looked up beside the source and in each -I folder",
            _ => return None,
        })
    }
}

impl miette::Diagnostic for AsmError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.kind.code_name()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.kind
            .help_text()
            .map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let (start, len) = (self.span.start as usize, self.span.len as usize);
        Some(Box::new(std::iter::once(miette::LabeledSpan::underline((
            start, len,
        )))))
    }
}
