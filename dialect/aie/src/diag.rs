//! Findings about the user's input: a code, a message, the spans involved and a way out.
//!
//! Stages push findings to a [`Diags`] sink and go on as far as they can, so that one run reports
//! all that is wrong; a stage that can't give a result returns [`Reported`]. Only the `compiler`
//! crate renders them.

use crate::source::{SourceMap, Span};

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

/// A kind of finding: its stable name and the text of `aiec explain`.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The name, `stage::what-is-wrong`.
    pub id: &'static str,
    /// What it means, why it is refused and what to do: a few sentences.
    pub explanation: &'static str,
}

/// Declares the diagnostic codes of a stage as constants plus the table of all of them.
///
/// ```
/// aiec_dialect::codes! {
///     /// Codes of an example stage.
///     pub static EXAMPLE_CODES;
///     TOO_BIG = "example::too-big", "The thing is larger than its place. Make it smaller.";
/// }
/// assert_eq!(EXAMPLE_CODES[0].id, TOO_BIG.id);
/// ```
#[macro_export]
macro_rules! codes {
    ($(#[$doc:meta])* pub static $table:ident;
     $($name:ident = $id:literal, $explanation:expr;)*) => {
        $(#[doc = concat!("`", $id, "`: ", $explanation)]
          pub static $name: $crate::diag::Code =
              $crate::diag::Code { id: $id, explanation: $explanation };)*
        $(#[$doc])*
        pub static $table: &[&$crate::diag::Code] = &[$(&$name),*];
    };
}

/// A span with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What there is to say about it; may be empty.
    pub text: String,
}

/// How mlir-aie's tools report the same finding, for tests and scripts that were written for them:
/// `--diagnostics=mlir` prints it, `--verify-diagnostics` takes it for the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// How bad they find it; as the finding if nothing else is said.
    pub severity: Option<Severity>,
    /// Where they report it; the primary span if nothing else is said.
    pub span: Option<Span>,
    /// The words.
    pub text: String,
    /// Their notes.
    pub notes: Vec<Label>,
    /// What else they report of the same cause, in order.
    pub then: Vec<Peer>,
}

impl Peer {
    /// The words for a finding on an operation.
    pub fn op(name: &str, text: impl std::fmt::Display) -> Peer {
        Peer::plain(format!("'{name}' op {text}"))
    }

    /// The words as they are.
    pub fn plain(text: impl Into<String>) -> Peer {
        Peer {
            severity: None,
            span: None,
            text: text.into(),
            notes: Vec::new(),
            then: Vec::new(),
        }
    }

    /// Reported as a warning.
    pub fn warning(mut self) -> Peer {
        self.severity = Some(Severity::Warning);
        self
    }

    /// Followed by another report of the same cause, with those that follow that.
    pub fn then(mut self, mut next: Peer) -> Peer {
        let rest = std::mem::take(&mut next.then);
        self.then.push(next);
        self.then.extend(rest);
        self
    }

    /// This report and those that follow it, in order.
    pub fn reports(&self) -> impl Iterator<Item = &Peer> {
        std::iter::once(self).chain(&self.then)
    }

    /// Reported at another place.
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Peer {
        self.span = span.into();
        self
    }

    /// With a note; without a span nothing is added.
    pub fn note(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> Peer {
        if let Some(span) = span.into() {
            let text = text.into();
            self.notes.push(Label { span, text });
        }
        self
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind.
    pub code: &'static Code,
    /// What is wrong and why, one sentence without a final stop.
    pub message: String,
    /// The spans; the first is the primary one. Empty when no place in the text is to blame.
    pub labels: Vec<Label>,
    /// The way out.
    pub help: Option<String>,
    /// Further remarks, each a sentence.
    pub notes: Vec<String>,
    /// The same in the words of mlir-aie's tools, if they find it too.
    pub peer: Option<Box<Peer>>,
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
            peer: None,
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
    pub fn peer(mut self, peer: Peer) -> Diag {
        self.peer = Some(Box::new(peer));
        self
    }

    /// The finding with other spans, for a text that stood for another.
    pub fn map_spans(mut self, map: &dyn Fn(Span) -> Span) -> Diag {
        let each = |labels: &mut Vec<Label>| labels.iter_mut().for_each(|l| l.span = map(l.span));
        each(&mut self.labels);
        if let Some(peer) = &mut self.peer {
            let mut then = std::mem::take(&mut peer.then);
            for report in std::iter::once(&mut **peer).chain(&mut then) {
                report.span = report.span.map(map);
                each(&mut report.notes);
            }
            peer.then = then;
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
    pub fn push(&mut self, diag: Diag) {
        self.list.push(diag);
    }

    /// Adds a finding and answers the mark of a failed stage, for `return Err(diags.fail(…))`.
    pub fn fail(&mut self, diag: Diag) -> Reported {
        self.list.push(diag);
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

    /// How many findings there are.
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

/// The candidate closest to a misspelt word: at most a third of its letters wrong; ties go to the
/// earlier candidate. Else the only one that starts with the word.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    /// Shorter words are the start of too much.
    const SHORTEST_START: usize = 3;
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut longer: Vec<&str> = Vec::new();
    for candidate in candidates {
        if word.len() >= SHORTEST_START && candidate.starts_with(word) {
            longer.push(candidate);
        }
        let distance = edit_distance(word, candidate, limit);
        if distance <= limit && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    match (best, &longer[..]) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

/// Insertions, deletions, substitutions and swaps of neighbours; anything above `limit` answers
/// `limit + 1`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitute = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = substitute.min(row[j] + 1).min(next[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word_only() {
        let words = ["aie.tile", "aie.lock", "aie.flow"];
        assert_eq!(did_you_mean("aie.tiel", words), Some("aie.tile"));
        assert_eq!(did_you_mean("aie.fow", words), Some("aie.flow"));
        assert_eq!(did_you_mean("scf.for", words), None);
        assert_eq!(did_you_mean("aie", words), None);
        let actions = ["Acquire", "AcquireGreaterEqual"];
        assert_eq!(
            did_you_mean("AcquireGreater", actions),
            Some("AcquireGreaterEqual")
        );
    }
}
