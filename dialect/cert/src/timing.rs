//! The one table of costs of the controllers, in array clock cycles: the compiler's scheduler
//! estimates by it, the simulator executes by it.
//!
//! There are no public figures for CERT. These are a model: a fixed cost for each instruction,
//! more for each access of the register bus ([`BusAccess`]) and for each burst of the uC-DMA (the
//! shared memory of a controller is 128 bits wide, AM029, so 16 bytes a cycle is the upper bound).
//! Only their proportions matter.

use crate::isa::{BusAccess, OpInfo};

/// Array clock cycles.
type Cycle = u64;

/// Costs of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertTiming {
    /// Decoding and executing any instruction.
    pub instruction: Cycle,
    /// Writing a register, on top.
    pub bus_write: Cycle,
    /// Reading a register, on top.
    pub bus_read: Cycle,
    /// Going from one job to another.
    pub job_switch: Cycle,
    /// From a register that differs to the next look.
    pub poll_interval: Cycle,
    /// From the last arrival at a remote barrier to the release.
    pub remote_barrier: Cycle,
    /// Starting a chain of uC-DMA descriptors.
    pub dma_start: Cycle,
    /// Words of one burst of the uC-DMA.
    pub dma_burst_words: u32,
    /// A burst, on top of a cycle for every 4 words.
    pub dma_burst: Cycle,
    /// From the end of a chain to the job that waited for it.
    pub dma_end: Cycle,
    /// From the request of a page to its first bytes.
    pub page_latency: Cycle,
    /// Bytes of a page that arrive in a cycle.
    pub page_bytes_per_cycle: u64,
    /// Controller cycles of a probe.
    pub probe: Cycle,
    /// From the end of the save pages to the restore pages, while others have the array.
    pub context_switch: Cycle,
    /// Array clock cycles in a microsecond, for SLEEP.
    pub cycles_per_microsecond: Cycle,
}

/// Words that the 128-bit shared memory gives in a cycle.
const WORDS_PER_CYCLE: u64 = 4;

impl CertTiming {
    /// The model of hardware.
    pub const MODEL: Self = Self {
        instruction: 8,
        bus_write: 12,
        bus_read: 24,
        job_switch: 8,
        poll_interval: 32,
        remote_barrier: 64,
        dma_start: 16,
        dma_burst_words: 16,
        dma_burst: 8,
        dma_end: 8,
        page_latency: 200,
        page_bytes_per_cycle: 16,
        probe: 16,
        context_switch: 1000,
        cycles_per_microsecond: 1000,
    };

    /// For function only: everything takes the least that keeps the order of causes.
    pub fn fast() -> Self {
        Self {
            instruction: 1,
            bus_write: 0,
            bus_read: 0,
            job_switch: 0,
            poll_interval: 16,
            remote_barrier: 0,
            dma_start: 0,
            dma_burst_words: 1024,
            dma_burst: 1,
            dma_end: 0,
            page_latency: 0,
            page_bytes_per_cycle: u64::MAX,
            probe: 0,
            context_switch: 1,
            cycles_per_microsecond: 1,
        }
    }

    /// Cycles that a controller takes for an instruction, without its waits.
    pub const fn instruction_cycles(&self, op: &OpInfo) -> Cycle {
        let bus = match op.bus {
            BusAccess::None => 0,
            BusAccess::Read => self.bus_read,
            BusAccess::Write => self.bus_write,
            BusAccess::ReadWrite => self.bus_read + self.bus_write,
        };
        self.instruction + bus
    }

    /// Cycles to fetch `bytes` bytes of a page.
    pub fn page_fetch(&self, bytes: u64) -> Cycle {
        self.page_latency + bytes.div_ceil(self.page_bytes_per_cycle.max(1))
    }

    /// Cycles of a burst of `words` words.
    pub fn burst(&self, words: u64) -> Cycle {
        (self.dma_burst + words.div_ceil(WORDS_PER_CYCLE)).max(1)
    }

    /// Cycles that the uC-DMA takes for a descriptor of `words` words, in bursts.
    pub const fn descriptor(&self, words: u64) -> Cycle {
        let bursts = words.div_ceil(self.dma_burst_words as u64);
        bursts * self.dma_burst + words.div_ceil(WORDS_PER_CYCLE)
    }
}
