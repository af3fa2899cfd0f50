//! Severities of findings, and spans with remarks.

use crate::{Span, named_enum};

named_enum! {
    /// Severity of a finding.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Severity {
        /// The input can't be compiled.
        Error => "error",
        /// The input compiles, but probably not into what its author wants.
        Warning => "warning",
        /// Something worth knowing.
        Note => "note",
    }
}

/// A span with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Place in the text.
    pub span: Span,
    /// Messages about it; may be empty.
    pub text: String,
}
