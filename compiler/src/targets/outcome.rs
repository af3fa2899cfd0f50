//! Common parts of the simulations of all machines on the command line: limits, stops, report,
//! trace, and the message about a run's end.

use std::io::Write;
use std::path::PathBuf;

use aiec_diag::{Diag, Reported, Span};
use aiec_run_loop::{EndStatus, Limits, MachineOutcome, UnitRecording};
use aiec_sim::trace::{self, Format};
use clap::Args;

use crate::codes;
use crate::io::output::{Outputs, STANDARD_STREAM};
use crate::io::{Exit, Io};
use crate::session::Session;
use crate::sim::{self, trace::MAX_PAGE_EVENTS};

/// Cycles after which a run is aborted by default.
const DEFAULT_MAX_CYCLES: u64 = 4_000_000_000;

/// Options of a machine's run.
#[derive(Args, Clone, Debug)]
pub struct MachineRunArgs {
    /// Stop with an error after this many cycles
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_CYCLES)]
    pub max_cycles: u64,
    /// Stop after this cycle
    #[arg(long, value_name = "CYCLE")]
    pub until: Option<u64>,
    /// Stop when this happens; may be repeated
    #[arg(long = "break", value_name = "PLACE")]
    pub breaks: Vec<String>,
    /// Write a report of the run as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write a trace of everything that happens; the file's ending names the format
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The format of the trace, whatever its file is called
    #[arg(long, value_name = "FORMAT", value_parser = crate::args::values::trace_format(), requires = "trace")]
    pub trace_format: Option<Format>,
    /// Leave out what happens before this cycle
    #[arg(long, value_name = "CYCLE", requires = "trace", default_value_t = 0)]
    pub trace_from: u64,
    /// Form of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: crate::io::diagnostics::Format,
}

impl MachineRunArgs {
    /// Limits of the run.
    pub fn limits(&self) -> Limits {
        Limits {
            max_cycles: self.max_cycles,
            until: self.until,
        }
    }

    /// Settings of recording; `None` for nothing. All but pages are kept in scratch files.
    pub fn recording(&self, file: &Option<(PathBuf, Format)>) -> Option<UnitRecording> {
        file.as_ref().map(|_| UnitRecording {
            from: self.trace_from,
            store: sim::trace::scratch(file).as_ref().map(trace::record_store),
            limit: MAX_PAGE_EVENTS,
        })
    }

    /// The file and the format of the trace.
    pub fn trace_format(
        &self,
        session: &mut Session,
    ) -> Result<Option<(PathBuf, Format)>, Reported> {
        sim::trace::wanted(self.trace.as_ref(), self.trace_format, session)
    }
}

/// Says how a run ended, a fault with its place in the text, and adds report and trace.
pub fn finish(
    outcome: &MachineOutcome,
    args: &MachineRunArgs,
    place: Option<Span>,
    outputs: &mut Outputs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Exit, Reported> {
    let asked = args.trace_format(session)?;
    if let Some((path, format)) = &asked {
        let scratch = sim::trace::scratch_or_memory(sim::trace::scratch(&asked).as_ref());
        let write = |out: &mut dyn Write| trace::write_machine(outcome, *format, &scratch, out);
        let written = outputs.stream(path, write);
        written.map_err(|diag| session.fail(diag))?;
        if let Some(from) = outcome.trace.full {
            let diag = sim::trace::full_page(from, outcome.cycles);
            session.push(diag);
        }
    }
    if let Some(path) = &args.report {
        outputs.add(path.clone(), format!("{:#}\n", outcome.report()));
    }
    if !outcome.printed.is_empty() {
        outputs.add(STANDARD_STREAM, outcome.printed.clone());
    }
    for remark in &outcome.remarks {
        let diag = Diag::warning(&codes::MACHINE_REMARK, remark.clone());
        session.push(diag.help("`--trace FILE.txt` shows what happened, and when"));
    }
    let cycles = outcome.cycles;
    let stops = !args.breaks.is_empty() || args.until.is_some();
    let error = match &outcome.status {
        EndStatus::Completed => {
            if stops {
                let until = args.until.map(|cycle| format!("--until {cycle}"));
                let never: Vec<String> = args.breaks.iter().cloned().chain(until).collect();
                let message = format!("the run ended before it came to {}", never.join(", "));
                let diag = Diag::warning(&codes::NOT_STOPPED, message);
                session.push(diag.help("`--trace FILE.txt` shows what happened, and when"));
            }
            // A closed error stream can't report its own failure.
            let _ = writeln!(io.stderr, "completed after {cycles} cycles");
            return Ok(Exit::Done);
        }
        EndStatus::Stopped(which, what) => {
            let at = which.and_then(|which| args.breaks.get(which));
            let message = match at {
                Some(at) => format!("stopped at {at}: {what}"),
                None => format!("stopped: {what}"),
            };
            let help = "results are not written, as the run is not over";
            session.push(Diag::note(&codes::STOPPED, message).help(help));
            let _ = writeln!(io.stderr, "stopped after {cycles} cycles");
            return Ok(Exit::Done);
        }
        EndStatus::Deadlock(waits) => {
            let message = format!("deadlock at cycle {cycles}: nothing can go on");
            let diag = Diag::error(&codes::DEADLOCK, message);
            waits
                .iter()
                .fold(diag, |diag, wait| diag.remark(wait.clone()))
                .help(
                    "something that is waited for never happens; `--trace FILE.txt` shows what did",
                )
        }
        EndStatus::Fault { message, help } => {
            let message = format!("the simulation stopped at cycle {cycles}: {message}");
            let diag = Diag::error(&codes::FAULT, message).help(help.clone());
            diag.label(place, "")
        }
        EndStatus::Limit => {
            let message = "not done within the cycles that --max-cycles allows".to_owned();
            Diag::error(&codes::LIMIT, message).help("allow more with --max-cycles N")
        }
    };
    session.push(error);
    Ok(Exit::SimulationFailed)
}
