//! `--trace`: which format, how much; `--critical-path`.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use aiec_diag::{Diag, Reported};
use aiec_sim::external_sort::{MemoryScratch, Scratch};
use aiec_sim::report::CriticalPathReport;
use aiec_sim::time::Cycle;
use aiec_sim::trace::Format;
use aiec_sim::{Recording, SimResult};

use crate::args::RunArgs;
use crate::codes;
use crate::io::output::{self, Outputs, STANDARD_STREAM};
use crate::io::scratch::ScratchFolder;
use crate::session::Session;

/// Events that a page has at most: it is made in memory.
pub const MAX_PAGE_EVENTS: usize = 4_000_000;

/// The file and the format of the trace that the command line asks for.
pub fn wanted(
    path: Option<&PathBuf>,
    format: Option<Format>,
    session: &mut Session,
) -> Result<Option<(PathBuf, Format)>, Reported> {
    let Some(path) = path else {
        return Ok(None);
    };
    let format = format_of(path, format, session)?;
    Ok(Some((path.clone(), format)))
}

/// The format of a trace: what is asked for, or the ending's.
fn format_of(
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
            Err(session.fail(diag))
        }
    }
}

/// Recording that the options need, where a trace or totals are wanted.
pub fn recording(run: &RunArgs, trace: bool, totals: bool) -> Recording {
    match (trace, run.critical_path, totals) {
        (true, ..) => Recording::Trace {
            from: run.trace_from,
            limit: MAX_PAGE_EVENTS,
        },
        (false, true, _) => Recording::Waits {
            limit: MAX_PAGE_EVENTS,
        },
        (false, false, true) => Recording::Totals,
        (false, false, false) => Recording::Nothing,
    }
}

/// Where a trace goes while the run goes on, if its format can be written piece by piece: to the disk that
/// it will be on.
pub fn scratch(wanted: &Option<(PathBuf, Format)>) -> Option<Rc<dyn Scratch>> {
    let (path, _) = wanted.as_ref().filter(|(_, format)| format.is_streamed())?;
    let is_file = path.as_os_str() != STANDARD_STREAM;
    let file = is_file.then_some(path.as_path());
    Some(Rc::new(ScratchFolder::beside(file)))
}

/// Where what is written is sorted: in memory, unless the trace has scratch files.
pub fn scratch_or_memory(scratch: Option<&Rc<dyn Scratch>>) -> Rc<dyn Scratch> {
    scratch.map_or_else(|| Rc::new(MemoryScratch) as Rc<dyn Scratch>, Rc::clone)
}

/// Writes the trace of a run to a temporary file that becomes the trace with the other results.
///
/// # Errors
/// A file can't be written.
pub fn write(
    result: &SimResult,
    path: &Path,
    format: Format,
    scratch: Option<&Rc<dyn Scratch>>,
    outputs: &mut Outputs,
) -> Result<(), Diag> {
    let scratch = scratch_or_memory(scratch);
    outputs.stream(path, |out| {
        aiec_sim::trace::write_to(result, format, &scratch, out)
    })
}

/// The finding for a trace that doesn't hold everything.
pub fn is_full(result: &SimResult) -> Option<Diag> {
    let from = result.array.trace_overflow()?;
    Some(full_page(from, result.cycles))
}

/// The critical path of a run that recorded its waits or all of its trace; `None` of one that didn't complete.
///
/// # Errors
/// A scratch file can't be written or read.
pub fn critical_path(
    result: &SimResult,
    session: &mut Session,
) -> Result<Option<CriticalPathReport>, Reported> {
    if let Some(diag) = has_no_path(result) {
        session.push(diag);
        return Ok(None);
    }
    let path = aiec_sim::critical_path(result);
    let scratch = Path::new("scratch file of the critical path");
    let path = path.map_err(|error| session.fail(output::cannot_write(scratch, &error)))?;
    Ok(path.map(|path| aiec_sim::report::critical_path(result, &path)))
}

/// The finding for a run whose critical path isn't known, as not all of its events are.
fn has_no_path(result: &SimResult) -> Option<Diag> {
    let from = result.array.trace_overflow()?;
    let message = format!(
        "the critical path isn't known: of the run's events {MAX_PAGE_EVENTS} are in memory, those up to about cycle {from}"
    );
    let help = "run `aiec sim --critical-path` without a page: its events have no limit";
    Some(Diag::warning(&codes::TRACE_FULL, message).help(help))
}

/// The finding for a page that ends at a cycle of a run, as it has the most events that a page can have.
pub fn full_page(from: Cycle, cycles: Cycle) -> Diag {
    let message = format!(
        "the trace ends at about cycle {from} of {cycles}: a page has no more than {MAX_PAGE_EVENTS} events"
    );
    Diag::warning(&codes::TRACE_FULL, message).help(format!(
        "`--trace-from {from}` shows what follows, `--until CYCLE` ends the run early; \
         other formats, such as `--trace FILE.pftrace`, have all events"
    ))
}
