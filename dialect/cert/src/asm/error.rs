//! What can be wrong with a text.

use std::borrow::Cow;
use std::fmt;

use super::Span;
use crate::names::Target;

/// What PREEMPT names.
pub(super) const SAVE_RESTORE_SCOPE: &str = "save or restore scope";

/// An error in a source text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct AsmError {
    /// What is wrong.
    pub kind: AsmErrorKind,
    /// Where.
    pub span: Span,
    /// Another place that has to do with it, and what it is.
    pub related: Option<(Span, &'static str)>,
}

impl AsmError {
    /// An error with one place.
    pub fn new(span: Span, kind: AsmErrorKind) -> Self {
        Self {
            kind,
            span,
            related: None,
        }
    }
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AsmErrorKind {
    /// No such operation.
    #[error("unknown operation '{name}'")]
    UnknownOperation {
        /// As written.
        name: String,
        /// An operation with a similar name.
        near: Option<&'static str>,
    },
    /// A line that is nothing.
    #[error("this is neither an operation, a label nor a directive")]
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
    /// A comma without an operand.
    #[error("an operand is missing beside this comma")]
    StrayComma,
    /// An operand is of the wrong sort.
    #[error("'{text}' is not {wanted}")]
    Operand {
        /// The operand.
        text: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// No such actor.
    #[error("'{text}' is not an actor of {target}")]
    Actor {
        /// The operand.
        text: String,
        /// The target.
        target: Target,
    },
    /// The actor cannot be in that row.
    #[error("'{actor}' is not in the row of '{tile}'")]
    ActorRow {
        /// The actor.
        actor: String,
        /// The tile.
        tile: String,
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
    /// Something that does not exist.
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
    /// A name that several scopes have.
    #[error("there are {count} scopes '{name}'")]
    Ambiguous {
        /// The name.
        name: String,
        /// How many have it.
        count: usize,
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
    #[error(".align inside the data of a label")]
    AlignInData,
    /// A descriptor in the text of a job.
    #[error("UC_DMA_BD is data, but this is text")]
    DataInText,
    /// The last descriptor of a chain says that another follows.
    #[error("the last descriptor of a label says that another one follows")]
    ChainEnd,
    /// An operation outside a job.
    #[error("{0} stands outside a job")]
    OutsideJob(String),
    /// END_JOB that ends nothing.
    #[error("END_JOB without START_JOB")]
    EndWithoutStart,
    /// A job begins inside another.
    #[error("job {inner} begins inside job {outer}")]
    NestedJob {
        /// Number of the open job.
        outer: u16,
        /// Number of the job that begins.
        inner: u16,
    },
    /// Something that cannot be in a job.
    #[error("{what} inside job {job}")]
    InsideJob {
        /// What it is.
        what: &'static str,
        /// Number of the open job.
        job: u16,
    },
    /// A job without end.
    #[error("job {0} has no END_JOB")]
    OpenJob(u16),
    /// A controller's scope without EOF.
    #[error("controller {uc} has no EOF in scope '{scope}'")]
    NoEof {
        /// The controller.
        uc: u32,
        /// The scope.
        scope: String,
    },
    /// `.endl` of another scope.
    #[error(".endl {found} does not close the open scope '{open}'")]
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
    /// An annotation's line has the wrong shape.
    #[error("an annotation has the lines 'id:', 'name:' and 'description:'")]
    Annotation,
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
    /// The vendor has no save and restore programs for that.
    #[error("there are no save and restore programs for {0}")]
    NoSaveRestore(String),
    /// A save or restore program that cannot be read.
    #[error("cannot read the program '{0}' that PREEMPT runs")]
    MissingProgram(String),
    /// A save or restore program that is built otherwise than the vendor's.
    #[error("'{0}' is not built as a save or restore program")]
    OddProgram(String),
    /// A map of memory to save with gaps.
    #[error("the map of memory to save has gaps between bits {first} and {last}")]
    MapGaps {
        /// First bit that is set.
        first: u32,
        /// Last bit that is set.
        last: u32,
    },
    /// A map of more memory than is saved.
    #[error("the map of memory to save sets bit {bit}, there are {chunks} chunks of 64 KiB")]
    MapBeyond {
        /// Last bit that is set.
        bit: u64,
        /// Chunks of the memory tiles that the program moves.
        chunks: u64,
    },
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
            Self::UnknownOperation { .. } => "asm::unknown-operation",
            Self::UnknownLine => "asm::unknown-line",
            Self::OperandCount { .. } | Self::StrayComma => "asm::operand-count",
            Self::Operand { .. } => "asm::operand",
            Self::Actor { .. } | Self::ActorRow { .. } => "asm::actor",
            Self::TooWide { .. } | Self::HugeNumber(_) => "asm::number",
            Self::OutOfRange { .. } => "asm::out-of-range",
            Self::Undefined { .. } | Self::Ambiguous { .. } => "asm::undefined",
            Self::NoSaveRestore(_)
            | Self::MissingProgram(_)
            | Self::OddProgram(_)
            | Self::MapGaps { .. }
            | Self::MapBeyond { .. } => "asm::preempt",
            Self::Duplicate { .. } => "asm::duplicate",
            Self::EmptyLabel(_)
            | Self::DataWithoutLabel
            | Self::AlignInData
            | Self::DataInText
            | Self::ChainEnd => "asm::data",
            Self::OutsideJob(_)
            | Self::EndWithoutStart
            | Self::NestedJob { .. }
            | Self::InsideJob { .. }
            | Self::OpenJob(_) => "asm::job",
            Self::NoEof { .. } => "asm::no-eof",
            Self::ScopeMismatch { .. } | Self::OpenScope(_) => "asm::scope",
            Self::Directive { .. } | Self::UnknownSection(_) | Self::Annotation => "asm::directive",
            Self::TargetMismatch { .. } | Self::NotOnTarget { .. } => "asm::target",
            Self::MissingFile(_) | Self::IncludeDepth(_) => "asm::include",
        }
    }

    /// True if the error may have cost more than the line it is about, so that nothing can be
    /// said about how the rest fits together.
    pub(super) fn loses_all(&self) -> bool {
        match self {
            Self::Duplicate { what, .. } => *what != "label",
            Self::Directive { directive, .. } => {
                matches!(*directive, ".attach_to_group" | ".section" | ".include")
            }
            Self::UnknownOperation { .. }
            | Self::UnknownLine
            | Self::OutsideJob(_)
            | Self::EndWithoutStart
            | Self::NestedJob { .. }
            | Self::InsideJob { .. }
            | Self::OpenJob(_)
            | Self::ScopeMismatch { .. }
            | Self::OpenScope(_)
            | Self::UnknownSection(_)
            | Self::MissingFile(_)
            | Self::IncludeDepth(_) => true,
            _ => false,
        }
    }

    /// A way out, where it is not plain from the message.
    pub fn help_text(&self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::UnknownOperation {
                near: Some(near), ..
            } => return Some(format!("did you mean {near}?").into()),
            Self::UnknownOperation { near: None, .. } => "`aiec isa` lists the operations",
            Self::UnknownLine => "comments begin with ';' or '#'",
            Self::Operand { text, wanted } if wanted.starts_with("a number") => {
                match text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    true => "a name would become a symbol that no loader fills in",
                    false => "there are no negative numbers, fractions or expressions",
                }
            }
            Self::Actor { .. } => "`aiec isa` lists the actors of each target",
            Self::ActorRow { .. } => "SHIM_ actors are in row 0, MEM_ and TILE_ actors above it",
            Self::Undefined { what, .. } if *what == SAVE_RESTORE_SCOPE => {
                "define it in the text, or name a folder of programs with --save-restore"
            }
            Self::Ambiguous { .. } => "give them different names",
            Self::NoSaveRestore(_) => {
                "there are programs for controllers 0, 2 and 4, or for controller 0 and a \
                 `.partition` of 1 to 3 columns"
            }
            Self::MissingProgram(_) => {
                "--save-restore names a folder such as specification/aie4/preemption_asm of aiebu"
            }
            Self::OddProgram(_) => {
                "it needs APPLY_OFFSET_57 with a pad for each shim BD, and behind these BDs as many \
                 for memory tiles"
            }
            Self::MapGaps { .. } => "one range of memory is saved: set all bits of it",
            Self::Undefined { .. } => "names are looked up in the same file and scope",
            Self::EmptyLabel(_) => "put .align before the label",
            Self::AlignInData => "put .align before a label",
            Self::DataWithoutLabel => "add a `name:` line before it",
            Self::DataInText => "data go behind EOF, or behind `.section .ctrldata`",
            Self::ChainEnd => "make its last operand 0, or add the next descriptor",
            Self::OutsideJob(_) => "put it between START_JOB and END_JOB",
            Self::NestedJob { .. } | Self::OpenJob(_) => "add END_JOB",
            Self::InsideJob { .. } => "add END_JOB before it",
            Self::NoEof { .. } => "add EOF behind the jobs",
            Self::OpenScope(_) => "add `.endl NAME` behind the scope's data",
            Self::MissingFile(_) => {
                "it is looked up as it is, beside the file that names it, and in each -I folder"
            }
            Self::TargetMismatch { .. } => "choose the target with --target",
            _ => return None,
        }))
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
