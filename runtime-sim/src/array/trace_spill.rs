//! A trace without a limit: what has no room in memory is in scratch files.

use std::io;

use super::Array;
use super::bursts::Burst;
use super::trace_event::TraceRecord;
use crate::external_sort::SpilledItems;
use crate::time::Cycle;

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
        let mut records = self.records.sorted()?;
        let mut bursts = self.bursts.sorted()?;
        loop {
            let burst_is_next = match (records.next_key(), bursts.next_key()) {
                (None, None) => return Ok(()),
                (Some(record), Some(burst)) => burst < record,
                (record, _) => record.is_none(),
            };
            let record = if burst_is_next {
                bursts.next()?.map(|burst| array.port_record(burst))
            } else {
                records.next()?
            };
            if let Some(record) = record.filter(|record| record.at >= self.from) {
                visit(&record)?;
            }
        }
    }
}
