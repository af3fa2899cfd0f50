//! `--trace`: which format, how much.

use std::path::{Path, PathBuf};

use aiec_diag::{Diag, Reported};
use aiec_sim::trace::Format;
use aiec_sim::{Recording, SimResult};

use crate::args::RunArgs;
use crate::codes;
use crate::output::STANDARD_STREAM;
use crate::session::Session;

/// Events that a trace keeps at most.
pub const LIMIT: usize = 4_000_000;

/// The file and the format of the trace that the command line asks for.
pub fn wanted(run: &RunArgs, session: &mut Session) -> Result<Option<(PathBuf, Format)>, Reported> {
    let Some(path) = &run.trace else {
        return Ok(None);
    };
    let format = format_of(path, run.trace_format, session)?;
    Ok(Some((path.clone(), format)))
}

/// The format of a trace: what is asked for, or the ending's.
pub fn format_of(
    path: &Path,
    asked: Option<Format>,
    session: &mut Session,
) -> Result<Format, Reported> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let standard = path.as_os_str() == STANDARD_STREAM;
    let format = match (asked, ending) {
        (Some(format), _) => Some(format),
        (None, Some(ending)) => Format::of_ending(ending),
        (None, None) => standard.then_some(Format::Text),
    };
    match format {
        Some(format) => Ok(format),
        None => {
            let endings: Vec<String> = Format::ALL
                .iter()
                .map(|(_, ending, what)| format!(".{ending} ({what})"))
                .collect();
            let message = format!("the trace has no format: {}", path.display());
            let help = format!(
                "let it end in {}, or add --trace-format",
                endings.join(", ")
            );
            let diag = Diag::error(&codes::TRACE_FORMAT, message).help(help);
            Err(session.diags.fail(diag))
        }
    }
}

/// What of the run has to be recorded.
pub fn recording(run: &RunArgs) -> Recording {
    match (&run.trace, run.report.as_ref().or(run.profile.as_ref())) {
        (Some(_), _) => Recording::Trace {
            from: run.trace_from,
            limit: LIMIT,
        },
        (None, Some(_)) => Recording::Totals,
        (None, None) => Recording::Nothing,
    }
}

/// The finding for a trace that doesn't hold everything.
pub fn is_full(result: &SimResult) -> Option<Diag> {
    let from = result.array.trace_overflow()?;
    let message = format!(
        "the trace ends at about cycle {from} of {}: a run may have no more than {LIMIT} events",
        result.cycles
    );
    Some(Diag::warning(&codes::TRACE_FULL, message).help(format!(
        "`--trace-from {from}` shows what follows, `--until CYCLE` ends the run early"
    )))
}
