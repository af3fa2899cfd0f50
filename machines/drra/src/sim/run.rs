//! A run of the fabric, in the form that all machines report in.

use serde_json::{Map, Value, json};

use super::cell::FabricCell;
use super::fabric::Fabric;
use super::fault::{DrraFault, PORT_NAMES};
use aiec_run_loop::Cycle;
use aiec_run_loop::{
    self as run_loop, EndStatus, Limits, MachineBreak, MachineOutcome, RunEnd, UnitRecording,
};

/// Name of the machine, as `--target` has it.
pub const MACHINE: &str = "drra-v2";

/// Options of a run.
#[derive(Debug)]
pub struct DrraOptions {
    /// Its limits.
    pub limits: Limits,
    /// Stop at the first of these.
    pub breakpoints: Vec<MachineBreak>,
    /// The records to keep.
    pub trace: Option<UnitRecording>,
}

/// Runs a fabric from where it is; beside the outcome the fault that ended it, if one did.
pub fn run(
    fabric: &mut Fabric,
    options: DrraOptions,
    progress: &mut dyn FnMut(Cycle),
) -> (MachineOutcome, Option<DrraFault>) {
    let recorder = fabric.recorder();
    if let Some(recording) = options.trace {
        recorder.keep(recording);
    }
    recorder.stop_at(options.breakpoints);
    let start = fabric.now();
    let end = run_loop::run(fabric, options.limits, progress);
    let mut fault = None;
    let status = match end {
        RunEnd::Completed => EndStatus::Completed,
        RunEnd::Limit | RunEnd::Interrupted => EndStatus::Limit,
        // a fabric always acts until it is done
        RunEnd::Deadlock => EndStatus::Deadlock(Vec::new()),
        RunEnd::Until(cycle) => EndStatus::Stopped(None, format!("after cycle {cycle}")),
        RunEnd::Breakpoint(which, record) => {
            let unit = fabric.recorder().unit_name(record.unit);
            let what = format!("{unit}: {} {}", record.event, record.text);
            EndStatus::Stopped(Some(which), format!("in cycle {}, {what}", record.at))
        }
        RunEnd::Fault(found) => {
            let status = EndStatus::Fault {
                // the cycle is in the message about the end of the run
                message: format!("cell {}, pc {}: {}", found.cell, found.address, found.kind),
                help: found.kind.help().to_owned(),
            };
            fault = Some(found);
            status
        }
    };
    let outcome = MachineOutcome {
        machine: MACHINE,
        status,
        cycles: fabric.now() - start,
        remarks: Vec::new(),
        printed: String::new(),
        parts: parts(fabric),
        trace: fabric.take_trace(),
    };
    (outcome, fault)
}

/// The report's part about the fabric: each cell that has code or did something.
fn parts(fabric: &Fabric) -> Map<String, Value> {
    let cells = fabric.cells().iter().enumerate();
    let cells = cells.filter(|(_, cell)| !cell.code.is_empty() || cell.dpu.operations() > 0);
    let cells: Vec<Value> = cells
        .map(|(at, cell)| cell_part(fabric.shape().cell_at(at).to_string(), cell))
        .collect();
    let mut parts = Map::new();
    parts.insert("cell_cycles".to_owned(), json!(fabric.cell_cycles()));
    parts.insert("cells".to_owned(), Value::Array(cells));
    parts
}

fn cell_part(name: String, cell: &FabricCell) -> Value {
    let ports = PORT_NAMES.iter().zip(cell.totals.port_accesses);
    let ports: Map<String, Value> = ports
        .map(|(name, n)| ((*name).to_owned(), json!(n)))
        .collect();
    json!({
        "cell": name,
        "halted": cell.sequencer.is_halted(),
        "pc": cell.sequencer.pc(),
        "instructions": cell.sequencer.issued(),
        "dpu_operations": cell.dpu.operations(),
        "port_accesses": ports,
        "rows_read": cell.totals.rows_read,
        "rows_written": cell.totals.rows_written,
    })
}
