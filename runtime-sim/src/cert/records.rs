//! Records of SAVE_TIMESTAMPS and SAVE_REGISTER for the host.
//!
//! Entries gather in the controller's shared memory; when that is full, and at the
//! end, the uC-DMA moves them to host memory. The published text gives neither its size
//! nor the layout of an entry: both are ours. An entry is four words: identifier, sort
//! (0 a time, 1 a register), and the time or value, low word first.

use super::context::{ExecContext, InstructionOutcome};
use super::fault::CertFault;
use super::job::JobBlock;
use super::saved::SavedRecords;
use super::sync::{Record, RecordKind};
use super::vm::Vm;
use crate::array::Array;
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Entries that the shared memory holds.
const SHARED_ENTRIES: usize = 32;
/// Words of an entry.
const ENTRY_WORDS: usize = 4;
/// Bytes of the host buffer; older entries are overwritten when it is full.
const HOST_BYTES: usize = 0x1_0000;

impl Vm {
    /// The records.
    pub fn saved(&self) -> &SavedRecords {
        &self.saved
    }

    /// SAVE_TIMESTAMPS, or SAVE_REGISTER of an address.
    pub(super) fn save(
        &mut self,
        c: &mut ExecContext<'_>,
        id: u32,
        now: Cycle,
        address: Option<u32>,
    ) -> Result<InstructionOutcome, CertFault> {
        let full = self.saved.words.len() + ENTRY_WORDS > SHARED_ENTRIES * ENTRY_WORDS;
        if full && self.dma.is_full() {
            return Ok(InstructionOutcome::Retry(JobBlock::UcDmaQueue));
        }
        if full {
            self.flush_saved(c.array, c.timing)?;
        }
        let (kind, value) = match address {
            None => (RecordKind::Time, now),
            Some(address) => {
                let value = self.read(c, now, address)?;
                (RecordKind::Register(value), value.into())
            }
        };
        let sort = u32::from(address.is_some());
        self.saved
            .words
            .extend([id, sort, value as u32, (value >> 32) as u32]);
        let (uc, at) = (self.uc, now);
        c.shared.records.push(Record { uc, id, at, kind });
        Ok(InstructionOutcome::Next)
    }

    /// Entries wait in shared memory, and this is the end of the main program.
    pub(super) fn saves_remain(&self) -> bool {
        let last = self.stack.last().is_some_and(|run| run.is_last());
        self.stack.len() == 1 && last && !self.saved.words.is_empty()
    }

    /// Lets the uC-DMA move the entries to host memory.
    pub(super) fn flush_saved(
        &mut self,
        array: &mut Array,
        timing: &CertTiming,
    ) -> Result<(), CertFault> {
        let words = std::mem::take(&mut self.saved.words);
        let (_, base) = *self.saved.host.get_or_insert_with(|| {
            let name = format!("records of controller {}", self.uc);
            let mapping = array.host.map(name, vec![0; HOST_BYTES]);
            (mapping.id, mapping.base)
        });
        if self.saved.next + words.len() * 4 > HOST_BYTES {
            self.saved.next = 0;
        }
        let address = base + self.saved.next as u64;
        self.saved.next += words.len() * 4;
        self.dma.push_host(address, words, self.time, timing);
        Ok(())
    }
}
