//! Findings about the user's input: a code, a message, the spans involved and a way out.
//!
//! Stages push findings to a [`Diags`] sink and go on as far as they can, so that one run reports
//! all that is wrong; a stage that can't give a result returns [`Reported`]. Only the `compiler`
//! crate renders them.

use crate::{Code, Label, MlirAieReport, Severity, SourceMap, Span};

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// Severity.
    pub severity: Severity,
    /// Its kind.
    pub code: &'static Code,
    /// The problem and its reason, one sentence without a final stop.
    pub message: String,
    /// The spans; the first is the primary one. Empty when no place in the text is to blame.
    pub labels: Vec<Label>,
    /// The way out.
    pub help: Option<String>,
    /// Further remarks, each a sentence.
    pub notes: Vec<String>,
    /// The report by mlir-aie's tools, if they find it too.
    pub mlir_aie: Option<Box<MlirAieReport>>,
}

impl Diag {
    /// An error of this kind.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Diag {
        Diag::new(Severity::Error, code, message)
    }

    /// A warning of this kind.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Diag {
        Diag::new(Severity::Warning, code, message)
    }

    /// A note of this kind.
    pub fn note(code: &'static Code, message: impl Into<String>) -> Diag {
        Diag::new(Severity::Note, code, message)
    }

    fn new(severity: Severity, code: &'static Code, message: impl Into<String>) -> Diag {
        Diag {
            severity,
            code,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            notes: Vec::new(),
            mlir_aie: None,
        }
    }

    /// Adds a span with a remark; without a span nothing is added.
    pub fn label(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> Diag {
        if let Some(span) = span.into() {
            self.labels.push(Label {
                span,
                text: text.into(),
            });
        }
        self
    }

    /// Sets the way out.
    pub fn help(mut self, text: impl Into<String>) -> Diag {
        self.help = Some(text.into());
        self
    }

    /// Adds a further remark.
    pub fn remark(mut self, text: impl Into<String>) -> Diag {
        self.notes.push(text.into());
        self
    }

    /// Says how mlir-aie's tools report it.
    pub fn mlir_aie(mut self, report: MlirAieReport) -> Diag {
        self.mlir_aie = Some(Box::new(report));
        self
    }

    /// The finding with other spans, for a text that stood for another.
    pub fn map_spans(mut self, map: &dyn Fn(Span) -> Span) -> Diag {
        let each = |labels: &mut Vec<Label>| labels.iter_mut().for_each(|l| l.span = map(l.span));
        each(&mut self.labels);
        if let Some(first) = &mut self.mlir_aie {
            let mut then = std::mem::take(&mut first.then);
            for report in std::iter::once(&mut **first).chain(&mut then) {
                report.span = report.span.map(map);
                each(&mut report.notes);
            }
            first.then = then;
        }
        self
    }

    /// The primary span.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|l| l.span)
    }

    /// One plain line: `file:line:col: error[code]: message`.
    pub fn one_line(&self, sources: &SourceMap) -> String {
        let severity = self.severity.name();
        let place = self
            .span()
            .map(|s| sources.position(s) + ": ")
            .unwrap_or_default();
        format!("{place}{severity}[{}]: {}", self.code.id, self.message)
    }
}

/// The stage failed and its reasons are in the [`Diags`] sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reported;

/// Collects findings in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Diags {
    list: Vec<Diag>,
}

impl Diags {
    /// An empty sink.
    pub fn new() -> Diags {
        Diags::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diag: impl Into<Diag>) {
        self.list.push(diag.into());
    }

    /// Adds a finding and returns the mark of a failed stage, for `return Err(diags.fail(…))`.
    pub fn fail(&mut self, diag: impl Into<Diag>) -> Reported {
        self.push(diag);
        Reported
    }

    /// Whether an error is among them.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// `Err` when an error is among them.
    pub fn check(&self) -> Result<(), Reported> {
        if self.has_errors() {
            Err(Reported)
        } else {
            Ok(())
        }
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings in the order they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Diag> {
        self.list.iter()
    }

    /// Sorts by position (file, then byte offset), keeping the order of equal ones; findings
    /// without a span come last.
    pub fn sort_by_position(&mut self) {
        self.list
            .sort_by_key(|d| d.span().map_or((1, Span::default()), |s| (0, s)));
    }

    /// Takes all findings of another sink.
    pub fn append(&mut self, mut other: Diags) {
        self.list.append(&mut other.list);
    }

    /// The findings.
    pub fn into_vec(self) -> Vec<Diag> {
        self.list
    }
}

impl Extend<Diag> for Diags {
    fn extend<I: IntoIterator<Item = Diag>>(&mut self, diags: I) {
        self.list.extend(diags);
    }
}

impl<'a> IntoIterator for &'a Diags {
    type Item = &'a Diag;
    type IntoIter = std::slice::Iter<'a, Diag>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
