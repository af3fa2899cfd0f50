//! A trace without a limit: what has no room in memory is in scratch files.

use std::io;
use std::rc::Rc;

use super::Array;
use super::bursts::Burst;
use super::trace_event::TraceRecord;
use crate::external_sort::{Scratch, Sortable, Sorter};
use crate::time::Cycle;

/// Records that are sorted in scratch files until the first of them can't be written.
#[derive(Debug)]
pub(crate) struct SpilledItems<T: Sortable> {
    sorter: Sorter<T>,
    failure: Option<io::Error>,
}

impl<T: Sortable> SpilledItems<T> {
    pub fn new(scratch: &Rc<dyn Scratch>) -> SpilledItems<T> {
        SpilledItems {
            sorter: Sorter::new(scratch),
            failure: None,
        }
    }

    pub fn push(&mut self, item: T) {
        if self.failure.is_none() {
            self.failure = self.sorter.push(item).err();
        }
    }

    fn check(&self) -> io::Result<()> {
        match &self.failure {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}

/// The trace of a run in scratch files.
#[derive(Debug)]
pub struct SpilledTrace {
    pub(super) records: SpilledItems<TraceRecord>,
    /// Words at ports.
    pub(super) bursts: SpilledItems<Burst>,
    /// Bursts before are left out.
    pub(super) from: Cycle,
}

impl SpilledTrace {
    /// Shows all records in order of time; of one cycle those of words at ports are the last.
    ///
    /// # Errors
    /// A scratch file couldn't be written or can't be read; what a visit ended with.
    pub(crate) fn each(
        &mut self,
        array: &Array,
        visit: &mut dyn FnMut(&TraceRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        self.records.check()?;
        self.bursts.check()?;
        let mut records = self.records.sorter.sorted()?;
        let mut bursts = self.bursts.sorter.sorted()?;
        loop {
            let burst_is_next = match (records.next_key(), bursts.next_key()) {
                (None, None) => return Ok(()),
                (Some(record), Some(burst)) => burst < record,
                (record, _) => record.is_none(),
            };
            let record = match burst_is_next {
                true => bursts.next()?.map(|burst| array.port_record(burst)),
                false => records.next()?,
            };
            if let Some(record) = record.filter(|record| record.at >= self.from) {
                visit(&record)?;
            }
        }
    }
}
