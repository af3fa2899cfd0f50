//! Outcomes of machines' runs, in the form that the driver of the command line takes of every
//! machine but CERT, whose runs have a diagnosis of their own.

use serde_json::{Map, Value, json};

use super::recorder::UnitTrace;
use crate::Cycle;

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndStatus {
    /// All is done.
    Completed,
    /// Nothing could go on: which units wait for what, a sentence each.
    Deadlock(Vec<String>),
    /// It went wrong: what, and a way out if there is one.
    Fault {
        /// The problem, with its place.
        message: String,
        /// The way out.
        help: String,
    },
    /// It took more cycles than allowed.
    Limit,
    /// It came to where it was to stop: the number of the breakpoint if it was one, and what
    /// happened.
    Stopped(Option<usize>, String),
}

impl EndStatus {
    /// Name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            EndStatus::Completed => "completed",
            EndStatus::Deadlock(_) => "deadlock",
            EndStatus::Fault { .. } => "fault",
            EndStatus::Limit => "limit",
            EndStatus::Stopped(..) => "stopped",
        }
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct MachineOutcome {
    /// Name of the machine, as `--target` has it.
    pub machine: &'static str,
    /// Its outcome.
    pub status: EndStatus,
    /// Cycles from the start to the end.
    pub cycles: Cycle,
    /// Hazards, and other remarks on a run that went well: a sentence each.
    pub remarks: Vec<String>,
    /// Text that the program printed.
    pub printed: String,
    /// Parts of the report beyond those of every machine.
    pub parts: Map<String, Value>,
    /// The records.
    pub trace: UnitTrace,
}

impl MachineOutcome {
    /// `report.json`: status, cycles, machine, then what the machine adds.
    pub fn report(&self) -> Value {
        let mut report = json!({
            "status": self.status.name(),
            "cycles": self.cycles,
            "machine": self.machine,
        });
        let Some(object) = report.as_object_mut() else {
            return report;
        };
        match &self.status {
            EndStatus::Deadlock(waits) => object.insert("deadlock".into(), json!(waits)),
            EndStatus::Fault { message, .. } => object.insert("fault".into(), json!(message)),
            EndStatus::Stopped(_, what) => object.insert("stopped".into(), json!(what)),
            EndStatus::Completed | EndStatus::Limit => None,
        };
        object.insert("remarks".into(), json!(self.remarks));
        object.extend(self.parts.clone());
        report
    }
}
