//! Shares of the jobs of an overfull page, for messages.

use std::fmt::Write;

use crate::page::{EOF_BYTES, HEADER_BYTES, PAGE_BYTES};
use crate::program::SourceLoc;

/// Bytes that a job takes of a page.
pub(super) struct JobBudget {
    /// Its number.
    pub job: u16,
    /// Where it begins.
    pub source: Option<SourceLoc>,
    /// Bytes of text, its start and end included.
    pub text: usize,
    /// Bytes of data that no job of the page before it names.
    pub data: usize,
}

/// The space that jobs with this number of bytes take together, as a table.
pub(super) fn table(budget: &[JobBudget], bytes: usize) -> String {
    let mut table = String::from("bytes that must share the page:\n");
    let mut row = |name: &str, text: usize, data: usize| {
        // writing to a string does not fail
        let _ = writeln!(table, "    {name:<24} {text:>7} text {data:>7} data");
    };
    let (mut text, mut data) = (0, 0);
    for job in budget {
        let line = job.source.map(|at| format!(" (line {})", at.line));
        let name = format!("job {}{}", job.job, line.unwrap_or_default());
        row(&name, job.text, job.data);
        text += job.text;
        data += job.data;
    }
    let frame = HEADER_BYTES + EOF_BYTES;
    row("header and EOF", frame, 0);
    let filler = bytes.saturating_sub(text + data + frame);
    if filler > 0 {
        row("filler", filler, 0);
    }
    let over = bytes.saturating_sub(PAGE_BYTES);
    let _ = write!(table, "    {bytes} of {PAGE_BYTES} bytes: {over} too many");
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_add_up() {
        let job = |job, text, data| JobBudget {
            job,
            source: None,
            text,
            data,
        };
        let table = table(&[job(1, 5000, 0), job(2, 3000, 400)], 8424);
        assert!(
            table.contains("job 2                       3000 text     400 data"),
            "{table}"
        );
        assert!(
            table.contains("filler                         4 text"),
            "{table}"
        );
        assert!(
            table.ends_with("8424 of 8192 bytes: 232 too many"),
            "{table}"
        );
    }
}
