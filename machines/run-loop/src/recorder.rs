//! Records of what units of a machine do: kept, up to a limit or in scratch files, and compared
//! with breakpoints.
//!
//! CERT's array has records of its own; the other machines record in these.

use std::cell::RefCell;
use std::fmt::Debug;
use std::io;

use crate::Cycle;

/// A unit of a machine: its number in [`UnitTrace::units`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u32);

/// One action of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitRecord {
    /// When it began.
    pub at: Cycle,
    /// When it was done; the same cycle for what takes no time.
    pub until: Cycle,
    /// Unit that acts.
    pub unit: UnitId,
    /// Kind of event, upper case, as text traces name it: `COMMAND`.
    pub event: &'static str,
    /// The number by which breakpoints find it: a program counter, an offset.
    pub key: u64,
    /// Further keys and values of a text trace: `op=FINISH,chunk=12`.
    pub text: String,
}

/// Keeps the records of long runs, so that memory doesn't grow with them.
pub trait RecordStore: Debug {
    /// Takes a record. What goes wrong is reported when the records are read.
    fn push(&mut self, record: UnitRecord);

    /// Shows all records in order of time; those of one cycle in the order in which they came.
    ///
    /// # Errors
    /// A record couldn't be kept or can't be read; what a visit ended with.
    fn each_sorted(
        &mut self,
        visit: &mut dyn FnMut(&UnitRecord) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// Which records of a run are kept, and where.
#[derive(Debug)]
pub struct UnitRecording {
    /// Records that end before this cycle are left out.
    pub from: Cycle,
    /// Where all records are kept; without, the first `limit` are, in memory.
    pub store: Option<Box<dyn RecordStore>>,
    /// Records that are kept in memory at most.
    pub limit: usize,
}

/// The records of a run.
#[derive(Debug, Default)]
pub struct UnitTrace {
    /// Names of the units: a group and a name in it ("core 0", "hart 1").
    pub units: Vec<(String, String)>,
    /// Those in memory, in order of time.
    records: Vec<UnitRecord>,
    /// All, if memory doesn't keep them; reading moves on in it.
    store: Option<RefCell<Box<dyn RecordStore>>>,
    /// From here on something was left out.
    pub full: Option<Cycle>,
}

/// A place to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineBreak {
    /// Kind of event.
    pub event: &'static str,
    /// Only of this unit.
    pub unit: Option<UnitId>,
    /// The number that the event has to have; any if there is none.
    pub key: Option<u64>,
    /// The run stops when it happens this many times, counted from 1.
    pub times: u32,
}

/// Keeps records and finds breakpoints. Without either it costs the test of a flag.
#[derive(Debug, Default)]
pub struct Recorder {
    trace: UnitTrace,
    from: Cycle,
    limit: usize,
    breakpoints: Vec<MachineBreak>,
    hit: Option<(usize, UnitRecord)>,
}

impl Recorder {
    /// A recorder for these units, by group and name.
    pub fn new(units: Vec<(String, String)>) -> Recorder {
        let trace = UnitTrace {
            units,
            ..UnitTrace::default()
        };
        Recorder {
            trace,
            ..Recorder::default()
        }
    }

    /// Keeps records.
    pub fn keep(&mut self, recording: UnitRecording) {
        (self.from, self.limit) = (recording.from, recording.limit);
        self.trace.store = recording.store.map(RefCell::new);
    }

    /// Stops the run at the first of these.
    pub fn stop_at(&mut self, breakpoints: Vec<MachineBreak>) {
        self.breakpoints = breakpoints;
    }

    /// Whether records are wanted. Ask before a record is made, as its text costs.
    pub fn is_on(&self) -> bool {
        self.limit > 0 || self.trace.store.is_some() || !self.breakpoints.is_empty()
    }

    /// Takes a record.
    pub fn add(&mut self, record: UnitRecord) {
        if self.hit.is_none() {
            self.check(&record);
        }
        if record.until < self.from {
            return;
        }
        if let Some(store) = &mut self.trace.store {
            store.get_mut().push(record);
        } else if self.trace.records.len() < self.limit {
            self.trace.records.push(record);
        } else if self.limit > 0 {
            self.trace.full.get_or_insert(record.at);
        }
    }

    /// The breakpoint that was hit, by its number, and what happened.
    pub fn hit(&self) -> Option<(usize, UnitRecord)> {
        self.hit.clone()
    }

    /// Whether a breakpoint was hit.
    pub fn is_hit(&self) -> bool {
        self.hit.is_some()
    }

    /// Name of a unit, in words.
    pub fn unit_name(&self, unit: UnitId) -> String {
        self.trace.unit_name(unit)
    }

    /// The records, in order of time.
    pub fn into_trace(mut self) -> UnitTrace {
        self.trace.records.sort_by_key(|record| record.at);
        self.trace
    }

    fn check(&mut self, record: &UnitRecord) {
        let holds = |point: &&mut MachineBreak| {
            point.event == record.event
                && point.unit.is_none_or(|unit| unit == record.unit)
                && point.key.is_none_or(|key| key == record.key)
        };
        for (which, point) in self.breakpoints.iter_mut().enumerate() {
            if holds(&&mut *point) {
                point.times = point.times.saturating_sub(1);
                if point.times == 0 && self.hit.is_none() {
                    self.hit = Some((which, record.clone()));
                }
            }
        }
    }
}

impl UnitTrace {
    /// Shows all records in order of time.
    ///
    /// # Errors
    /// A record couldn't be kept or can't be read; what a visit ended with.
    pub fn each_record(
        &self,
        visit: &mut dyn FnMut(&UnitRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        match &self.store {
            Some(store) => store.borrow_mut().each_sorted(visit),
            None => self.records.iter().try_for_each(visit),
        }
    }

    /// Name of a unit, in words: "core 0 hart 1".
    pub fn unit_name(&self, unit: UnitId) -> String {
        match self.units.get(unit.0 as usize) {
            Some((group, name)) if group.is_empty() => name.clone(),
            Some((group, name)) => format!("{group} {name}"),
            None => format!("unit {}", unit.0),
        }
    }
}
