//! Reports of findings by mlir-aie's tools.

use crate::{Label, Severity, Span};

/// Report of the same finding by mlir-aie's tools, for tests and scripts that were written for
/// them: `--diagnostics=mlir` prints it, `--verify-diagnostics` takes it for the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MlirAieReport {
    /// Their severity; as the finding's if `None`.
    pub severity: Option<Severity>,
    /// Where they report it; the primary span if `None`.
    pub span: Option<Span>,
    /// The words.
    pub text: String,
    /// Their notes.
    pub notes: Vec<Label>,
    /// Further reports of the same cause, in order.
    pub then: Vec<MlirAieReport>,
}

impl MlirAieReport {
    /// The words for a finding on an operation.
    pub fn op(name: &str, text: impl std::fmt::Display) -> MlirAieReport {
        MlirAieReport::plain(format!("'{name}' op {text}"))
    }

    /// The words as they are.
    pub fn plain(text: impl Into<String>) -> MlirAieReport {
        MlirAieReport {
            severity: None,
            span: None,
            text: text.into(),
            notes: Vec::new(),
            then: Vec::new(),
        }
    }

    /// Reported as a warning.
    pub fn warning(mut self) -> MlirAieReport {
        self.severity = Some(Severity::Warning);
        self
    }

    /// Followed by another report of the same cause, with those that follow that.
    pub fn then(mut self, mut next: MlirAieReport) -> MlirAieReport {
        let rest = std::mem::take(&mut next.then);
        self.then.push(next);
        self.then.extend(rest);
        self
    }

    /// This report and those that follow it, in order.
    pub fn reports(&self) -> impl Iterator<Item = &MlirAieReport> {
        std::iter::once(self).chain(&self.then)
    }

    /// Reported at another place.
    pub fn at(mut self, span: impl Into<Option<Span>>) -> MlirAieReport {
        self.span = span.into();
        self
    }

    /// With a note; without a span nothing is added.
    pub fn note(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> MlirAieReport {
        if let Some(span) = span.into() {
            let text = text.into();
            self.notes.push(Label { span, text });
        }
        self
    }
}
