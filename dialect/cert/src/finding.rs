//! Findings about a program: the problem, and the code that has it.
//!
//! Layout and checks see programs of several makers (assembler, compiler, disassembler), so they
//! name places by [`SourceLoc`]; [`Finding::into_diag`] looks these up in the maker's sources.

use std::fmt;

use aiec_diag::{Code, Diag, Severity, Span};

use crate::program::{Job, MAIN_SCOPE, Scope, SourceLoc};

/// Which code of a program a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// Controller.
    pub uc: u32,
    /// Name of the scope.
    pub scope: String,
    /// Number of the job, if it is about one.
    pub job: Option<u16>,
    /// Source of the instruction, job or block, if known.
    pub source: Option<SourceLoc>,
}

impl CodePlace {
    /// A place of a scope; without a source of its own it has that of the job.
    pub fn new(uc: u32, scope: &Scope, job: Option<&Job>, source: Option<SourceLoc>) -> Self {
        Self {
            uc,
            scope: scope.name.clone(),
            job: job.map(|job| job.id),
            source: source.or_else(|| job?.source),
        }
    }
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = self.job {
            write!(f, "job {job} of ")?;
        }
        write!(f, "controller {}", self.uc)?;
        if self.scope != MAIN_SCOPE {
            write!(f, ", scope '{}'", self.scope)?;
        }
        Ok(())
    }
}

/// A finding about a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which code it is about.
    pub place: CodePlace,
    /// The finding; its message does not name the place, and it has no spans yet.
    pub diag: Diag,
    /// Related places, with a label for each.
    pub related: Vec<(SourceLoc, String)>,
}

impl Finding {
    /// A finding with one place.
    pub fn new(place: CodePlace, diag: Diag) -> Self {
        let related = Vec::new();
        Self {
            place,
            diag,
            related,
        }
    }

    /// With another place, if it is known.
    pub fn with(mut self, at: Option<SourceLoc>, what: impl Into<String>) -> Self {
        self.related.extend(at.map(|at| (at, what.into())));
        self
    }

    /// Its kind.
    pub fn code(&self) -> &'static Code {
        self.diag.code
    }

    /// True if it is an error.
    pub fn is_error(&self) -> bool {
        self.diag.severity == Severity::Error
    }

    /// The finding with the spans that `span_of` finds for source lines.
    pub fn into_diag(self, span_of: impl Fn(SourceLoc) -> Option<Span>) -> Diag {
        let message = self.to_string();
        let labels = [(self.place.source, String::new())];
        let related = self.related.into_iter().map(|(at, what)| (Some(at), what));
        let mut diag = self.diag;
        diag.message = message;
        for (at, what) in labels.into_iter().chain(related) {
            diag = diag.label(at.and_then(&span_of), what);
        }
        diag
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.diag.message)
    }
}

/// Parts of a program that could not be read, because lines of its text were refused. Checks that
/// would blame the remaining lines for a missing part are skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnreadCounts {
    /// Whole jobs, scopes or lines of unknown meaning.
    pub jobs: bool,
    /// Barrier instructions.
    pub barriers: bool,
    /// Instructions that set or wait for handles, or change registers.
    pub registers: bool,
    /// LAUNCH_JOB.
    pub launches: bool,
    /// Instructions that run scopes.
    pub loads: bool,
    /// Data, or instructions that patch it.
    pub data: bool,
}

impl UnreadCounts {
    /// Nothing can be relied on.
    pub const ALL: Self = Self {
        jobs: true,
        barriers: true,
        registers: true,
        launches: true,
        loads: true,
        data: true,
    };
}
