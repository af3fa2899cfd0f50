//! The uC-DMA of a controller: chains of descriptors that write page data to the array.
//!
//! A chain is read when it is queued; its words go out in bursts. Chains run one after the other
//! in the order they were queued, so a handle is simply the number of the chain.

use std::collections::VecDeque;

use aiec_cert::bd::{UC_BD_BYTES, UcDmaBd};

use crate::array::{Array, BusFault, ThreadName};
use crate::race::Site;
use crate::time::Cycle;
use aiec_cert::timing::CertTiming;

/// Chains that the queue holds (AM029).
pub const QUEUE_DEPTH: usize = 16;

/// Words to write from an address up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JobBlock {
    to: UcDmaTarget,
    words: Vec<u32>,
}

/// Where words go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UcDmaTarget {
    /// Partition-relative address in the array.
    Array(u32),
    /// Address in host memory.
    Host(u64),
}

/// Who queued a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedBy {
    /// The chains of the job, as a thread of the race detector.
    pub(super) thread: ThreadName,
    /// The instruction.
    pub(super) site: Site,
}

/// A queued chain.
#[derive(Debug, Clone)]
struct Chain {
    /// `None`: the controller itself, for what was saved.
    by: Option<QueuedBy>,
    blocks: VecDeque<JobBlock>,
    /// Words of the first block that are written.
    written: usize,
}

/// Why a descriptor cannot be executed: where in the page, and what is wrong.
pub type BadDescriptor = (usize, &'static str);

/// The engine and its queue.
#[derive(Clone, Debug, Default)]
pub struct UcDma {
    queue: VecDeque<Chain>,
    /// Chains ever queued.
    issued: u32,
    /// Who queued each.
    queued_by: Vec<Option<QueuedBy>>,
    /// Chains that are done.
    done: u32,
    next: Option<Cycle>,
    /// Words written.
    pub words: u64,
}

impl UcDma {
    /// True if no chain can be queued now.
    pub fn is_full(&self) -> bool {
        self.queue.len() >= QUEUE_DEPTH
    }

    /// Number of the chain in progress, or of the next.
    pub(super) fn current(&self) -> u32 {
        self.done
    }

    /// When it acts next.
    pub fn next(&self) -> Option<Cycle> {
        self.next
    }

    /// True once a chain is done; `None` if there never was one of that handle.
    pub fn is_done(&self, handle: u32) -> Option<bool> {
        (handle < self.issued).then_some(handle < self.done)
    }

    /// The thread of the race detector that a chain belongs to.
    pub(super) fn thread_of(&self, handle: u32) -> Option<ThreadName> {
        let by = self.queued_by.get(handle as usize).copied().flatten();
        by.map(|by| by.thread)
    }

    /// Queues the chain at a byte offset of a page in cycle `now`; gives its handle.
    pub fn push(
        &mut self,
        page: &[u8],
        at: usize,
        by: Option<QueuedBy>,
        now: Cycle,
        timing: &CertTiming,
    ) -> Result<u32, BadDescriptor> {
        let blocks = read_chain(page, at)?;
        Ok(self.queue_blocks(blocks, by, now, timing))
    }

    /// Queues words for host memory in cycle `now`.
    pub(super) fn push_host(
        &mut self,
        address: u64,
        words: Vec<u32>,
        now: Cycle,
        timing: &CertTiming,
    ) {
        let to = UcDmaTarget::Host(address);
        let blocks = VecDeque::from([JobBlock { to, words }]);
        self.queue_blocks(blocks, None, now, timing);
    }

    fn queue_blocks(
        &mut self,
        blocks: VecDeque<JobBlock>,
        by: Option<QueuedBy>,
        now: Cycle,
        timing: &CertTiming,
    ) -> u32 {
        if self.queue.is_empty() {
            self.next = Some(now + timing.dma_start.max(1));
        }
        self.queue.push_back(Chain {
            by,
            blocks,
            written: 0,
        });
        self.queued_by.push(by);
        self.issued += 1;
        self.issued - 1
    }

    /// Writes the next burst; when a chain is done with it, gives its handle and when.
    pub fn step(
        &mut self,
        array: &mut Array,
        timing: &CertTiming,
    ) -> Result<Option<(u32, Cycle)>, BusFault> {
        let (Some(now), Some(chain)) = (self.next, self.queue.front_mut()) else {
            self.next = None;
            return Ok(None);
        };
        array.act_as(chain.by.map(|by| (by.thread, by.site)));
        let mut burst = 0;
        if let Some(block) = chain.blocks.front() {
            let limit = timing.dma_burst_words.max(1) as usize;
            for &word in block.words.iter().skip(chain.written).take(limit) {
                let offset = 4 * chain.written as u32;
                match block.to {
                    UcDmaTarget::Array(to) => {
                        array.bus_write(now, to.wrapping_add(offset), word)?
                    }
                    UcDmaTarget::Host(to) => {
                        let address = to.wrapping_add(offset.into());
                        let written = array.host.write_word(address, word);
                        written.map_err(BusFault::Host)?;
                        array.host_written(address, size_of::<u32>() as u64, now);
                    }
                }
                chain.written += 1;
                burst += 1;
            }
            if chain.written >= block.words.len() {
                chain.blocks.pop_front();
                chain.written = 0;
            }
        }
        self.words += burst;
        let end = now + timing.burst(burst);
        if !chain.blocks.is_empty() {
            self.next = Some(end);
            return Ok(None);
        }
        self.queue.pop_front();
        self.done += 1;
        self.next = (!self.queue.is_empty()).then(|| end + timing.dma_start);
        Ok(Some((self.done - 1, end)))
    }
}

/// The partition-relative addresses that the chain at a byte offset of a page writes, with the words
/// from each; empty if it can't be read.
pub(super) fn chain_writes(page: &[u8], at: usize) -> Vec<(u32, usize)> {
    let blocks = read_chain(page, at).unwrap_or_default().into_iter();
    let writes = blocks.filter_map(|block| match block.to {
        UcDmaTarget::Array(address) => Some((address, block.words.len())),
        UcDmaTarget::Host(_) => None,
    });
    writes.collect()
}

fn read_chain(page: &[u8], mut at: usize) -> Result<VecDeque<JobBlock>, BadDescriptor> {
    let mut blocks = VecDeque::new();
    loop {
        let words = read_words(page, at, UC_BD_BYTES / 4).ok_or((at, "leaves the page"))?;
        let words: [u32; 4] = words.try_into().map_err(|_| (at, "leaves the page"))?;
        let (bd, relative) = UcDmaBd::from_words(words);
        if !at.is_multiple_of(UC_BD_BYTES) {
            return Err((at, "is not 16-byte aligned"));
        }
        let to = if bd.external {
            UcDmaTarget::Host(bd.remote)
        } else {
            UcDmaTarget::Array(
                u32::try_from(bd.remote).map_err(|_| (at, "has an address over 32 bits"))?,
            )
        };
        if !relative {
            return Err((at, "has an absolute local address, which is not simulated"));
        }
        if bd.words == 0 {
            return Err((at, "has length 0"));
        }
        let local = (at as u32).wrapping_add(bd.local) as usize;
        let words = read_words(page, local, bd.words as usize);
        let words = words.ok_or((at, "takes data from outside the page"))?;
        blocks.push_back(JobBlock { to, words });
        if !bd.next {
            return Ok(blocks);
        }
        at += UC_BD_BYTES;
    }
}

fn read_words(page: &[u8], at: usize, count: usize) -> Option<Vec<u32>> {
    let bytes = page.get(at..at.checked_add(count * 4)?)?;
    let words = bytes.as_chunks::<4>().0.iter();
    Some(words.map(|word| u32::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[u32]) -> Vec<u8> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.resize(64, 0);
        bytes
    }

    #[test]
    fn reads_chains() {
        let next = 1 << 16;
        let rel = 1 << 18;
        let page = page(&[
            2 | next | rel,
            0x20,
            0x100,
            0, //
            1 | rel,
            0x14,
            0x200,
            0, //
            7,
            8,
            9,
        ]);
        let blocks = read_chain(&page, 0).unwrap();
        assert_eq!(
            blocks[0],
            JobBlock {
                to: UcDmaTarget::Array(0x100),
                words: vec![7, 8]
            }
        );
        assert_eq!(
            blocks[1],
            JobBlock {
                to: UcDmaTarget::Array(0x200),
                words: vec![8]
            }
        );
    }

    #[test]
    fn refuses_what_leaves_the_page() {
        let rel = 1 << 18;
        assert!(read_chain(&page(&[1 | rel, 0x40, 0, 0]), 0).is_err());
        assert!(read_chain(&page(&[1 | rel, 0x8000_0000, 0, 0]), 0).is_err());
        assert!(read_chain(&page(&[rel, 0, 0, 0]), 0).is_err());
        assert!(read_chain(&page(&[1, 0, 0, 0]), 0).is_err());
        assert!(read_chain(&page(&[]), 64).is_err());
    }
}
