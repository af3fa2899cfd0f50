//! Options of a run, and of its recording.

use std::collections::BTreeMap;
use std::rc::Rc;

use aiec_cert::probes::ControlBody;
use aiec_device::TileLoc;

use crate::array::Breakpoint;
use crate::cert::Probe;
use crate::core::{BoundCore, Kernels};
use crate::elf_load::Patching;
use crate::external_sort::Scratch;
use crate::time::Cycle;

/// Cycles after which a run is aborted by default.
const DEFAULT_MAX_CYCLES: Cycle = 4_000_000_000;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct SimOptions {
    /// Device; by default what the file was compiled for.
    pub device: Option<String>,
    /// Model the time that things take; otherwise everything goes as fast as causes allow, with
    /// the same data.
    pub timing: bool,
    /// Cycles after which the run is aborted.
    pub max_cycles: Cycle,
    /// Who patches BD images.
    pub patching: Patching,
    /// Which instance of a configuration file, by its number.
    pub instance: u32,
    /// Adds random latencies drawn from this seed. The data of a design without races stay.
    pub jitter: Option<u64>,
    /// A write to where the device has nothing is only reported; otherwise it ends the run.
    pub report_unmapped: bool,
    /// Preemption points at which the context is switched: identifiers in PREEMPT.
    pub preempt: Vec<u16>,
    /// Instructions whose times are recorded.
    pub probes: Vec<Probe>,
    /// Control bodies of probes, by controller.
    pub probe_bodies: BTreeMap<u32, ControlBody>,
    /// Kernels that cores can call, and costs of their operations.
    pub kernels: Kernels,
    /// Machine code of cores that depends on latencies, alignment or missing memory is a fault.
    pub core_strict: bool,
    /// Cores that are bound to targets other than the contents of their program memory.
    pub bound_cores: BTreeMap<TileLoc, BoundCore>,
    /// Choice of the records.
    pub recording: Recording,
    /// Where a trace goes that has no room in memory; it has no limit then.
    pub scratch: Option<Rc<dyn Scratch>>,
    /// Stop at the first of these.
    pub breakpoints: Vec<Breakpoint>,
    /// Stop after this cycle.
    pub until: Option<Cycle>,
    /// Look for races.
    pub races: bool,
    /// Move each word and execute each instruction by itself instead of in bursts and loops:
    /// slower, with the same outcome.
    pub exact: bool,
}

/// Choice of the records of a run. Each level but the lowest costs time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recording {
    /// Totals only.
    #[default]
    Nothing,
    /// Totals, those of links and jobs by state too, and what the stalls are for.
    Totals,
    /// These, and who waited for whom, for [`crate::critical_path()`].
    Waits {
        /// Trace events that are kept at most, unless there is [`SimOptions::scratch`].
        limit: usize,
    },
    /// Every trace event from a cycle on, up to a limit.
    Trace {
        /// The cycle.
        from: Cycle,
        /// Trace events that are kept at most, unless there is [`SimOptions::scratch`].
        limit: usize,
    },
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            device: None,
            timing: true,
            max_cycles: DEFAULT_MAX_CYCLES,
            patching: Patching::Host,
            instance: 0,
            jitter: None,
            report_unmapped: false,
            preempt: Vec::new(),
            probes: Vec::new(),
            probe_bodies: BTreeMap::new(),
            kernels: Kernels::default(),
            core_strict: false,
            bound_cores: BTreeMap::new(),
            recording: Recording::Nothing,
            scratch: None,
            breakpoints: Vec::new(),
            until: None,
            races: true,
            exact: false,
        }
    }
}
