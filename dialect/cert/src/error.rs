//! Why a program cannot be laid out.

use std::fmt;

use crate::check::Lost;
use crate::program::SourceLoc;

/// Where in a program an error lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Controller.
    pub uc: u32,
    /// Name of the scope.
    pub scope: String,
    /// Number of the job, if it is about one.
    pub job: Option<u16>,
    /// Source of the instruction, job or block, if known.
    pub source: Option<SourceLoc>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = self.job {
            write!(f, "job {job} of ")?;
        }
        write!(f, "controller {}", self.uc)?;
        if self.scope != crate::program::MAIN_SCOPE {
            write!(f, ", scope '{}'", self.scope)?;
        }
        Ok(())
    }
}

/// What a job takes of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobBudget {
    /// Its number.
    pub job: u16,
    /// Where it begins.
    pub source: Option<SourceLoc>,
    /// Bytes of text, its start and end included.
    pub text: usize,
    /// Bytes of data that no job of the page before it names.
    pub data: usize,
}

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A job, those that must share its page and their data don't fit a page.
    #[error("text and data need {bytes} bytes, a page has {limit}")]
    JobTooBig {
        /// Bytes needed.
        bytes: usize,
        /// Bytes of a page.
        limit: usize,
        /// What each job takes of it.
        budget: Vec<JobBudget>,
    },
    /// Jobs that meet at a local barrier are on both sides of a page end.
    #[error("local barrier {barrier} is also used by job {other}, behind another page end")]
    BarrierSplit {
        /// Barrier number.
        barrier: u8,
        /// The job in another region.
        other: u16,
        /// Where that is.
        there: Option<SourceLoc>,
    },
    /// A launched job does not exist.
    #[error("launches job {target}, which this region does not have")]
    LaunchMissing {
        /// The number launched.
        target: u16,
    },
    /// A job is needed on two pages.
    #[error("is already on page {page} when another job wants it beside itself")]
    JobOnTwoPages {
        /// The page it is on.
        page: usize,
    },
    /// A job number occurs twice where it may not.
    #[error("another job has the same number")]
    DuplicateJob,
    /// A table of BD images runs past the last data block.
    #[error("a table of {entries} blocks begins at '{label}', but there are only {present}")]
    TableTooLong {
        /// Label of the first block.
        label: String,
        /// Blocks wanted.
        entries: u16,
        /// Blocks there are.
        present: usize,
    },
    /// The blocks of a table don't follow one another in the page.
    #[error("the blocks of the table that begins at '{label}' are not side by side in the page")]
    TableScattered {
        /// Label of the first block.
        label: String,
    },
    /// A BD image is shorter than what the host patches.
    #[error("'{label}' has {bytes} bytes, a patched BD image needs {needed}")]
    ImageTooShort {
        /// Label of the block.
        label: String,
        /// Its size in bytes.
        bytes: usize,
        /// Bytes that patching touches.
        needed: usize,
    },
    /// An id names nothing.
    #[error("refers to {what} number {id}, which does not exist")]
    DanglingId {
        /// Sort of thing.
        what: &'static str,
        /// The id.
        id: u32,
    },
    /// A referenced scope has no jobs and so no page.
    #[error("refers to scope '{name}', which has no jobs")]
    EmptyScope {
        /// Its name.
        name: String,
    },
    /// The target lacks an instruction.
    #[error("{mnemonic} does not exist on {target}")]
    NotOnTarget {
        /// The instruction.
        mnemonic: &'static str,
        /// The target.
        target: &'static str,
    },
    /// A label is too far from the page's begin, or there are too many pages.
    #[error("{what} {value} does not fit 16 bits")]
    Overflow {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: usize,
    },
    /// A descriptor has a length of zero or over the limit.
    #[error("a descriptor of '{label}' moves {words} words, allowed are 1 to {limit}")]
    DescriptorLength {
        /// Label of the block.
        label: String,
        /// Words asked for.
        words: u32,
        /// Most words.
        limit: u32,
    },
}

/// A problem and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct LayoutError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

impl LayoutError {
    /// True if the error stands although some lines of the text were refused.
    pub fn stands(&self, lost: Lost) -> bool {
        match self.problem {
            Problem::DuplicateJob | Problem::LaunchMissing { .. } => !lost.jobs,
            Problem::JobOnTwoPages { .. } => !lost.jobs && !lost.launches && !lost.barriers,
            Problem::BarrierSplit { .. } => !lost.jobs && !lost.barriers,
            _ => true,
        }
    }

    /// Stable code for diagnostics.
    pub fn code_name(&self) -> &'static str {
        match self.problem {
            Problem::JobTooBig { .. } => "cert::job-too-big",
            Problem::BarrierSplit { .. } => "cert::barrier-split",
            Problem::LaunchMissing { .. } => "cert::launch-missing",
            Problem::JobOnTwoPages { .. } => "cert::job-on-two-pages",
            Problem::DuplicateJob => "cert::duplicate-job",
            Problem::TableTooLong { .. } | Problem::TableScattered { .. } => "cert::bd-table",
            Problem::ImageTooShort { .. } => "cert::bd-image",
            Problem::DanglingId { .. } | Problem::EmptyScope { .. } => "cert::dangling",
            Problem::NotOnTarget { .. } => "cert::not-on-target",
            Problem::Overflow { .. } => "cert::overflow",
            Problem::DescriptorLength { .. } => "cert::descriptor-length",
        }
    }

    /// A way out.
    pub fn help_text(&self) -> &'static str {
        match self.problem {
            Problem::JobTooBig { .. } => {
                "split the job, as `aiec asm --fix-pages` does, or move data to another job"
            }
            Problem::BarrierSplit { .. } => {
                "a local barrier number is one group for the whole scope: use another number, or \
                 keep the jobs in one .eop region"
            }
            Problem::LaunchMissing { .. } => "add a START_JOB_DEFERRED with that number",
            Problem::JobOnTwoPages { .. } => {
                "put a deferred job behind its launcher, and barrier partners side by side"
            }
            Problem::DuplicateJob => "give each job of a page its own number",
            Problem::TableTooLong { .. } => "define the other images directly behind the first",
            Problem::TableScattered { .. } => {
                "refer to the table before its later blocks, or patch the images one by one"
            }
            Problem::ImageTooShort { .. } => "append zero words up to the length patching needs",
            Problem::DanglingId { .. } => "add what is referred to before layout",
            Problem::EmptyScope { .. } => "add a job to the scope, or remove the reference",
            Problem::NotOnTarget { .. } => "choose another target, or leave the instruction out",
            Problem::Overflow { .. } => "use fewer pages",
            Problem::DescriptorLength { .. } => "split the transfer over several descriptors",
        }
    }
}

impl miette::Diagnostic for LayoutError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code_name()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.help_text()))
    }
}
