//! Reasons why a run cannot begin, the outcome of one, and its outputs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use aiec_cert::debug::DebugInfo;
use aiec_diag::{Diag, InternalError, named_enum};

use crate::array::{Array, Fault, SpilledTrace, TraceRecord};
use crate::cert::{CertFault, Machine};
use crate::diagnosis::{Deadlock, LeftoverReport, Limit, RaceFindings};
use crate::elf_load::{HostBuffer, LoadError};
use crate::host::BufferTraffic;
use crate::time::Cycle;

/// Why a run cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// The file isn't control code.
    #[error("{}", .0.message)]
    Elf(Box<Diag>),
    /// The device is unknown.
    #[error("there is no device '{0}'")]
    UnknownDevice(String),
    /// The instance doesn't exist.
    #[error("the file has {count} instances, number {wanted} is none of them")]
    NoInstance {
        /// Number asked for.
        wanted: u32,
        /// Instances there are.
        count: usize,
    },
    /// The array that is there is another one.
    #[error("the file is for {wanted}, the array is {left}")]
    OtherDevice {
        /// The array's device.
        left: &'static str,
        /// The file's.
        wanted: &'static str,
    },
    /// A buffer is smaller than the runtime sequence states.
    #[error("argument {index} has {given} bytes, the runtime sequence takes {wanted}")]
    ArgumentSize {
        /// Index of the argument.
        index: u32,
        /// Bytes given.
        given: u64,
        /// Bytes wanted.
        wanted: u64,
    },
    /// The files of a driver of an NPU cannot be loaded.
    #[error("{}", .0.message)]
    Npu(Box<Diag>),
    /// The simulator contradicts itself.
    #[error(transparent)]
    Internal(#[from] InternalError),
    /// The code cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// All jobs ended.
    Completed,
    /// Nothing could go on.
    Deadlock(Box<Deadlock>),
    /// The array or a controller stopped.
    Fault(SimFault),
    /// It took more cycles than allowed; what was going on then.
    Limit(Box<Limit>),
    /// It came to where it was to stop.
    Stopped(Box<StopReason>),
}

named_enum! {
    /// The ways in which a run ends.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Ending {
        /// All jobs ended.
        Completed => "completed",
        /// Nothing could go on.
        Deadlock => "deadlock",
        /// The array or a controller stopped.
        Fault => "fault",
        /// It took more cycles than allowed.
        Limit => "limit",
        /// It came to where it was to stop.
        Stopped => "stopped",
    }
}

/// Where a run was to stop.
#[derive(Debug, Clone, PartialEq)]
pub enum StopReason {
    /// At a breakpoint: which of [`SimOptions::breakpoints`](super::SimOptions::breakpoints), and what happened.
    Breakpoint(usize, TraceRecord),
    /// After [`SimOptions::until`](super::SimOptions::until).
    Until(Cycle),
}

impl Status {
    /// Outcome of the run, without the details.
    pub fn ending(&self) -> Ending {
        match self {
            Self::Completed => Ending::Completed,
            Self::Deadlock(_) => Ending::Deadlock,
            Self::Fault(_) => Ending::Fault,
            Self::Limit(_) => Ending::Limit,
            Self::Stopped(_) => Ending::Stopped,
        }
    }

    /// Name in reports.
    pub fn name(&self) -> &'static str {
        self.ending().name()
    }
}

/// A fault that ended a run.
#[derive(Debug, Clone, PartialEq)]
pub enum SimFault {
    /// Of the control code, with its source line if known.
    Cert {
        /// What.
        fault: CertFault,
        /// `file:line:column`.
        source: Option<String>,
    },
    /// Of the array.
    Array {
        /// What.
        fault: Fault,
        /// Named things of that tile that it concerns: name and source line.
        concerns: Vec<String>,
    },
}

impl std::fmt::Display for SimFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cert { fault, source } => {
                write!(f, "{fault}")?;
                source
                    .iter()
                    .try_for_each(|source| write!(f, " ({source})"))
            }
            Self::Array { fault, concerns } => {
                write!(f, "{fault}")?;
                concerns.iter().try_for_each(|name| write!(f, " ({name})"))
            }
        }
    }
}

/// Result of a run.
#[derive(Debug)]
pub struct SimResult {
    /// Its outcome.
    pub status: Status,
    /// Cycles from the first fetch to the end.
    pub cycles: Cycle,
    /// Cycles until the runtime sequence began; 0 if the file doesn't mark it.
    pub config_cycles: Cycle,
    /// All arguments as they are now, by index.
    pub outputs: Vec<HostBuffer>,
    /// Traffic from and to each argument, by index.
    pub traffic: BTreeMap<u32, BufferTraffic>,
    /// The array at the end.
    pub array: Array,
    /// The controllers at the end.
    pub machine: Machine,
    /// Work that a completed run left unfinished.
    pub leftovers: Vec<LeftoverReport>,
    /// Findings about the order of accesses, if races were looked for.
    pub races: Option<RaceFindings>,
    /// The trace, in order of time, unless there was [`SimOptions::scratch`].
    ///
    /// [`SimOptions::scratch`]: super::SimOptions::scratch
    pub trace: Vec<TraceRecord>,
    /// The trace in scratch files.
    pub spilled_trace: RefCell<Option<SpilledTrace>>,
    /// Names and source lines, if the file has them.
    pub debug: Option<DebugInfo>,
}

impl SimResult {
    /// The arguments of which the run read what it had not written itself, by index.
    pub fn read_arguments(&self) -> Vec<u32> {
        let read = self.traffic.iter();
        let read = read.filter(|(_, traffic)| traffic.reads_given);
        read.map(|(index, _)| *index).collect()
    }

    /// Cycles of the runtime sequence.
    pub fn run_cycles(&self) -> Cycle {
        self.cycles - self.config_cycles
    }

    /// Shows what was recorded, in order of time.
    ///
    /// # Errors
    /// A scratch file couldn't be written or can't be read; what a visit ended with.
    pub fn each_record(
        &self,
        visit: &mut dyn FnMut(&TraceRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut *self.spilled_trace.borrow_mut() {
            Some(spilled) => spilled.each(&self.array, visit),
            None => self.trace.iter().try_for_each(visit),
        }
    }

    /// Contents of an argument at the end.
    pub fn output(&self, index: u32) -> Option<&[u8]> {
        self.outputs
            .iter()
            .find(|b| b.index == index)
            .map(|b| b.bytes.as_slice())
    }
}
