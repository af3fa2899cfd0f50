//! FileCheck: does a text contain what the `CHECK` lines of another text ask for?
//!
//! A strict subset of the language of LLVM's tool of the same name
//! (`llvm: docs/CommandGuide/FileCheck.rst`): whatever this one accepts, LLVM's accepts with the
//! same verdict; what it doesn't know (perl-like regex escapes, numbered back references), it
//! refuses. One deliberate difference: alternations in a regex prefer their first branch where
//! LLVM's prefers the longest, which matters only where one branch is a prefix of another.
//!
//! The way of a check: [`options`] → [`directive`] (lines of the check file) → [`pattern`] (one
//! line's text, with [`regex`] and [`numeric`] parts) → [`matcher`] (against the input) →
//! [`report`] (what to say when it fails).

mod bless;
mod directive;
mod matcher;
mod numeric;
mod options;
mod pattern;
mod regex;
mod report;
#[cfg(test)]
mod tests;

pub use bless::{NOTE, bless};
pub use options::{Options, UsageError};

use report::Report;

/// The verdict of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every directive is satisfied.
    Pass,
    /// The input is not what the directives ask for; the text says where and why.
    Fail(String),
    /// The check file or the input is unusable (no directives, syntax error, empty input).
    Unusable(String),
}

impl Verdict {
    /// Exit code, as LLVM's tool gives it: 0, 1 or 2.
    pub fn code(&self) -> u8 {
        match self {
            Verdict::Pass => 0,
            Verdict::Fail(_) => 1,
            Verdict::Unusable(_) => 2,
        }
    }

    /// Text for standard error.
    pub fn message(&self) -> &str {
        match self {
            Verdict::Pass => "",
            Verdict::Fail(text) | Verdict::Unusable(text) => text,
        }
    }
}

/// Checks `input` against the directives in `check`. The names are only for messages.
pub fn check(
    options: &Options,
    check: &str,
    check_name: &str,
    input: &str,
    input_name: &str,
) -> Verdict {
    let check = options.canonicalise(check);
    let input = options.canonicalise(input);
    let report = Report {
        check: &check,
        check_name,
        input: &input,
        input_name,
    };
    if input.is_empty() && !options.allow_empty {
        return Verdict::Unusable(format!("FileCheck error: '{input_name}' is empty.\n"));
    }
    let program = match directive::parse(options, &check) {
        Ok(program) => program,
        Err(errors) => {
            return Verdict::Unusable(errors.iter().map(|e| report.check_error(e)).collect());
        }
    };
    match matcher::run(options, &program, &input) {
        Ok(()) => Verdict::Pass,
        Err(failures) => Verdict::Fail(
            failures
                .iter()
                .map(|failure| report.failure(failure))
                .collect(),
        ),
    }
}
