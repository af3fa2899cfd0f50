//! The one table of latencies and rates of the array model, in array clock cycles.
//!
//! The model is cycle-approximate. Figures with a manual named are architecture; those marked
//! xdna-emu were measured or modelled by that emulator on Phoenix silicon and are a calibration
//! (`xdna-emu: docs/superpowers/findings`, `src/device/dma/timing.rs`). DDR and network on chip
//! are stochastic on silicon; a constant keeps runs deterministic.

use aiec_device::{Arch, PerDir};

use crate::time::Cycle;

/// Latencies and depths that the array model uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Words of 32 bits that a wide stream port or DMA channel moves in a cycle: 1 on AIE2
    /// (AM020), 2 on AIE2p and later (AM027). Core ports always move 1.
    pub words_per_cycle: u32,

    /// Slave port of a switch: cycles through it (AM020, AM027).
    pub slave_latency: Cycle,
    /// Slave port: depth in stream beats (one beat = `words_per_cycle` words).
    pub slave_depth: u32,
    /// Master port towards something in the tile: cycles.
    pub local_master_latency: Cycle,
    /// Master port towards something in the tile: beats.
    pub local_master_depth: u32,
    /// Master port towards a neighbour: cycles.
    pub external_master_latency: Cycle,
    /// Master port towards a neighbour: beats.
    pub external_master_depth: u32,
    /// FIFO port: beats (AM020).
    pub fifo_depth: u32,
    /// From a packet header at the head of a slave port to its arbiter's decision. Not
    /// documented.
    pub arbitration: Cycle,

    /// Channel start from idle: from the queue push to the load of the first BD (xdna-emu).
    pub channel_start: Cycle,
    /// Load of a BD (xdna-emu).
    pub bd_load: Cycle,
    /// Cycles without a word between a BD and the next one of its chain, which the channel loads
    /// ahead (xdna-emu: BDs of 16 words with locks, traced on NPU1).
    pub bd_switch: Cycle,
    /// From the last BD of a chain to the load of the first, where the task repeats it (xdna-emu).
    pub bd_repeat: Cycle,
    /// From the request of a free lock to its grant (xdna-emu).
    pub lock_acquire: Cycle,
    /// From the last word of a BD to the release of its lock (xdna-emu).
    pub lock_release: Cycle,
    /// Local memory read: first word of an MM2S transfer after its lock (xdna-emu).
    pub memory_read: Cycle,
    /// Words of loaded BDs that an S2MM channel takes ahead of memory, such as while it waits for the
    /// lock, besides those in front of its FIFO. xdna-emu measured 15 to 16 on NPU1.
    pub s2mm_fifo_words: u32,
    /// Words that leave the switch towards an S2MM channel that has no BD for them, the master port's
    /// FIFO included: 5 on NPU2 (mlir-aie: hw_verdicts, `ovr_5_arb` passes, `ovr_6_arb` hangs).
    pub s2mm_open_words: u32,
    /// Words the MM2S side can give ahead of the stream: 12 on NPU1 (xdna-emu), at most 5 on NPU2, where
    /// with more of them the next header of a repeated task would be at hand too early for
    /// `stress_s117_old` to hang as it does (mlir-aie: hw_verdicts).
    pub mm2s_fifo_words: u32,

    /// Shim: from the grant of the first BD after idle to its first word (xdna-emu).
    pub host_first: PerDir<Cycle>,
    /// Shim: the same for a task that follows another at once (xdna-emu). Later BDs of one task
    /// pay nothing.
    pub host_next: PerDir<Cycle>,
    /// Shim: words of 32 bits per cycle and channel, sustained (xdna-emu for AIE2; taken as the
    /// stream's width later).
    pub host_words_per_cycle: u32,

    /// From the end of a task to its token at the column's micro-controller. A constant is
    /// for the way through the control overlay.
    pub token: Cycle,
    /// From the enable of a core to its first instruction. Not documented.
    pub core_start: Cycle,
    /// Cascade: from put to get (AM020: one transfer a cycle).
    pub cascade: Cycle,
    /// Cascade transfers that fit between two cores: 2 at the sender, 2 at the receiver (AM020).
    pub cascade_depth: u32,

    /// Accesses to one bank of a data memory in one cycle wait for each other.
    pub bank_conflicts: bool,
    /// Cycles by which a DMA channel fetches or stores ahead of its stream, so that a conflict
    /// costs nothing until they are used up. Our assumption: one access of a channel.
    pub bank_slack: Cycle,

    /// Cycles that a part of the model may work ahead of the clock while nothing
    /// can interrupt it. Larger is faster; results of designs without races don't depend on it.
    pub lookahead: Cycle,
}

impl Timing {
    /// The calibrated table of a generation.
    pub fn of(arch: Arch) -> Timing {
        let words_per_cycle = u32::from(arch.model().stream_words_per_cycle);
        Timing {
            words_per_cycle,
            slave_latency: 2,
            slave_depth: 4,
            local_master_latency: 1,
            local_master_depth: 2,
            external_master_latency: 2,
            external_master_depth: 4,
            fifo_depth: 16,
            arbitration: 1,
            channel_start: 2,
            bd_load: 4,
            bd_switch: 1,
            bd_repeat: 3,
            lock_acquire: 1,
            lock_release: 1,
            memory_read: 5,
            s2mm_fifo_words: 16,
            s2mm_open_words: 5,
            mm2s_fifo_words: if arch == Arch::Aie2p { 4 } else { 12 },
            host_first: PerDir {
                s2mm: 341,
                mm2s: 1330,
            },
            host_next: PerDir {
                s2mm: 179,
                mm2s: 325,
            },
            host_words_per_cycle: words_per_cycle,
            token: 16,
            core_start: 1,
            cascade: 1,
            cascade_depth: 4,
            bank_conflicts: true,
            bank_slack: 3,
            lookahead: 512,
        }
    }

    /// A table for function only: every fixed latency is the least that keeps the order of
    /// causes, depths and rates stay. Data are the same as with [`Timing::of`].
    pub fn fast(arch: Arch) -> Timing {
        Timing {
            channel_start: 1,
            bd_load: 1,
            bd_switch: 0,
            bd_repeat: 0,
            lock_acquire: 0,
            lock_release: 0,
            memory_read: 0,
            host_first: PerDir { s2mm: 1, mm2s: 1 },
            host_next: PerDir { s2mm: 1, mm2s: 1 },
            token: 1,
            bank_conflicts: false,
            ..Timing::of(arch)
        }
    }
}
