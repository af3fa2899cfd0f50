//! What runs of all machines besides CERT have in common: limits, stops, traces and reports.

use std::path::PathBuf;

use aiec_diag::{Diag, Reported};
use aiec_sim::drive::{EndStatus, Limits, MachineOutcome};
use aiec_sim::trace::Format as TraceFormat;
use clap::Args;

use crate::args::{cycles, trace_format};
use crate::codes;
use crate::diagnostics::Format;
use crate::io::{Exit, Io};
use crate::output::Outputs;
use crate::session::Session;
use crate::sim::trace::{LIMIT, format_of};

/// Cycles after which a run is aborted if the command line says nothing.
const DEFAULT_MAX_CYCLES: u64 = 4_000_000_000;

/// How to run a machine.
#[derive(Args, Clone, Debug)]
pub struct MachineRunArgs {
    /// Write a report of the run as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Stop after this many cycles
    #[arg(long, value_name = "N", value_parser = cycles, allow_negative_numbers = true)]
    pub max_cycles: Option<u64>,
    /// Write a trace of everything that happens; the file's ending names the format
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The format of the trace, whatever its file is called
    #[arg(long, value_name = "FORMAT", value_parser = trace_format(), requires = "trace")]
    pub trace_format: Option<TraceFormat>,
    /// Leave out what happens before this cycle
    #[arg(long, value_name = "CYCLE", value_parser = cycles, allow_negative_numbers = true,
          requires = "trace", default_value = "0", hide_default_value = true)]
    pub trace_from: u64,
    /// Stop when this happens; may be repeated
    #[arg(long = "break", value_name = "PLACE")]
    pub breaks: Vec<String>,
    /// Stop after this cycle
    #[arg(long, value_name = "CYCLE", value_parser = cycles, allow_negative_numbers = true)]
    pub until: Option<u64>,
    /// How diagnostics are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub diagnostics: Format,
}

impl MachineRunArgs {
    /// How far the run may go.
    pub fn limits(&self) -> Limits {
        Limits {
            max_cycles: self.max_cycles.unwrap_or(DEFAULT_MAX_CYCLES),
            until: self.until,
        }
    }

    /// What the run is to keep: from which cycle on, and how much at most.
    pub fn recording(&self) -> Option<(u64, usize)> {
        self.trace.as_ref().map(|_| (self.trace_from, LIMIT))
    }

    /// The format of the trace, before the run, so that a wrong one costs no time.
    pub fn format(&self, session: &mut Session) -> Result<Option<TraceFormat>, Reported> {
        let path = self.trace.as_ref();
        path.map(|path| format_of(path, self.trace_format, session))
            .transpose()
    }

    /// Adds report and trace to the outputs, and says how the run ended. `fault` is given the
    /// finding of a fault, to add its place.
    pub fn conclude(
        &self,
        outcome: &MachineOutcome,
        format: Option<TraceFormat>,
        fault: impl FnOnce(Diag) -> Diag,
        outputs: &mut Outputs,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Exit {
        if let Some(path) = &self.report {
            outputs.add(path.clone(), format!("{:#}\n", outcome.report()));
        }
        if let Some((path, format)) = self.trace.as_ref().zip(format) {
            outputs.add(
                path.clone(),
                aiec_sim::trace::write_machine(outcome, format),
            );
        }
        if let Some(from) = outcome.trace.full {
            let message = format!("the trace ends at cycle {from}: it has {LIMIT} events");
            let help = format!("`--trace-from {from}` shows what follows");
            session
                .diags
                .push(Diag::warning(&codes::TRACE_FULL, message).help(help));
        }
        for remark in &outcome.remarks {
            session
                .diags
                .push(Diag::warning(&codes::HAZARD, remark.clone()));
        }
        if !outcome.printed.is_empty() {
            outputs.add(crate::output::STANDARD_STREAM, outcome.printed.clone());
        }
        let cycles = outcome.cycles;
        // When the error stream is gone there is nobody left to tell.
        let mut say = |how: &str| {
            let _ = writeln!(io.stderr, "{how} after {cycles} cycles");
        };
        let diag = match &outcome.status {
            EndStatus::Completed => {
                say("completed");
                self.not_stopped(session);
                return Exit::Done;
            }
            EndStatus::Stopped(which, what) => {
                let place = which.and_then(|which| self.breaks.get(which));
                let place = place
                    .map(|place| format!(" at {place}"))
                    .unwrap_or_default();
                let message = format!("stopped{place}: {what}");
                session.diags.push(Diag::note(&codes::STOPPED, message));
                say("stopped");
                return Exit::Done;
            }
            EndStatus::Fault { message, help } => {
                let message = format!("the simulation stopped: {message}");
                fault(Diag::error(&codes::FAULT, message).help(help.clone()))
            }
            EndStatus::Limit => {
                let message = format!("not done within {cycles} cycles");
                Diag::error(&codes::LIMIT, message).help("allow more with --max-cycles N")
            }
            EndStatus::Deadlock(waits) => {
                let message = format!("deadlock at cycle {cycles}: nothing can go on");
                let diag = Diag::error(&codes::DEADLOCK, message);
                let diag = waits
                    .iter()
                    .fold(diag, |diag, wait| diag.remark(wait.clone()));
                diag.help("`--trace FILE.txt` shows what happened before")
            }
        };
        session.diags.push(diag);
        Exit::SimulationFailed
    }

    /// A run that was to stop somewhere didn't.
    fn not_stopped(&self, session: &mut Session) {
        let mut never = self.breaks.clone();
        never.extend(self.until.map(|cycle| format!("--until {cycle}")));
        if !never.is_empty() {
            let message = format!("the run ended before it came to {}", never.join(", "));
            let diag = Diag::warning(&codes::NOT_STOPPED, message);
            session
                .diags
                .push(diag.help("`--trace FILE.txt` shows what happened, and when"));
        }
    }
}
