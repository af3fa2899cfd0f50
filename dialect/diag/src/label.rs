//! How bad a finding is, and spans with remarks.

use crate::Span;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input can't be compiled.
    Error,
    /// The input compiles, but probably not into what its author wants.
    Warning,
    /// Something worth knowing.
    Note,
}

impl Severity {
    /// "error", "warning" or "note".
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A span with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What there is to say about it; may be empty.
    pub text: String,
}
