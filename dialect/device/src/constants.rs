//! The constants of a generation: its tiles with their memories, locks, DMAs and switches.

use crate::arch::{Arch, PerDir};
use crate::switch::SwitchModel;

/// Banks of a data memory as the allocator sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// Number of banks.
    pub count: u32,
    /// Size of each, in bytes.
    pub bytes: u32,
}

/// Largest values that a buffer descriptor can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BdLimits {
    /// Dimensions including the innermost, without iteration.
    pub dims: u8,
    /// Bits of a step field: steps are 1..=2^bits words on AIE2 and later (stored minus 1).
    pub step_bits: u8,
    /// Bits of a wrap field: wraps are 0..2^bits, 0 = never.
    pub wrap_bits: u8,
    /// Whether the outermost dimension has no wrap field (its extent follows from the length).
    pub outermost_unbounded: bool,
    /// Bits of the iteration count, stored minus 1; 0 where there is no iteration.
    pub iteration_bits: u8,
    /// Longest transfer of one BD, in 32-bit words.
    pub max_length_words: u32,
    /// Bits of the base address in bytes (the window of a mem tile's DMA, or a host address).
    pub address_bits: u8,
}

impl BdLimits {
    /// Largest step, in words.
    pub const fn max_step(&self) -> u32 {
        1 << self.step_bits
    }

    /// Largest wrap, in steps.
    pub const fn max_wrap(&self) -> u32 {
        (1 << self.wrap_bits) - 1
    }

    /// Largest iteration count; 1 where there is no iteration.
    pub const fn max_iterations(&self) -> u32 {
        1 << self.iteration_bits
    }
}

/// The DMA of a kind of tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaModel {
    /// Buffer descriptors, shared by all channels of the tile.
    pub bds: u8,
    /// Channels for each direction.
    pub channels: PerDir<u8>,
    /// Tasks a channel's queue holds.
    pub queue_depth: PerDir<u8>,
    /// Limits of a BD.
    pub bd: BdLimits,
    /// Even channels use only the lower half of the BDs and odd channels the upper half.
    pub bd_by_parity: bool,
    /// Channels below this number also reach the memory and locks of the tiles to the left and
    /// right (mem tiles).
    pub neighbour_channels: u8,
    /// MM2S channels can insert padding (mem tiles).
    pub padding: bool,
    /// MM2S channels have a pad value register; without it padding is zero.
    pub pad_value: bool,
    /// Burst lengths in bytes, indexed by the register's code (shim tiles, else empty).
    pub bursts: &'static [u32],
}

impl DmaModel {
    /// Whether a channel may use a BD.
    pub const fn bd_usable(&self, channel: u8, bd: u8) -> bool {
        bd < self.bds && (!self.bd_by_parity || (channel % 2 == 1) == (bd >= self.bds / 2))
    }

    /// The BDs a channel may use, as a half-open range.
    pub const fn bd_range(&self, channel: u8) -> std::ops::Range<u8> {
        if !self.bd_by_parity {
            0..self.bds
        } else if channel.is_multiple_of(2) {
            0..self.bds / 2
        } else {
            self.bds / 2..self.bds
        }
    }

    /// The register code of a burst length in bytes; 0 bytes means the longest.
    pub fn burst_code(&self, bytes: u32) -> Option<u8> {
        if bytes == 0 {
            return self.bursts.len().checked_sub(1).map(|code| code as u8);
        }
        self.bursts
            .iter()
            .position(|&length| length == bytes)
            .map(|code| code as u8)
    }
}

/// The constants of one kind of tile.
#[derive(Clone, Copy, Debug)]
pub struct TileModel {
    /// Data memory in bytes; 0 in shim tiles.
    pub memory_bytes: u32,
    /// Banks of the data memory as the allocator sees them.
    pub banks: Banks,
    /// Program memory in bytes; 0 where there is no core.
    pub program_bytes: u32,
    /// Locks of the tile itself.
    pub locks: u8,
    /// The tile's DMA, if any.
    pub dma: Option<DmaModel>,
    /// The tile's stream switch.
    pub switch: SwitchModel,
}

/// The constants of one generation.
#[derive(Clone, Copy, Debug)]
pub struct ArchModel {
    /// Which generation.
    pub arch: Arch,
    /// Bits by which the column is shifted in an address.
    pub column_shift: u8,
    /// Bits by which the row is shifted in an address.
    pub row_shift: u8,
    /// Largest value of a lock (`init`, and the counter itself): 1 on AIE1, 63 later.
    pub max_lock_value: i8,
    /// Locks count (AIE2 and later) or hold one bit (AIE1).
    pub semaphore_locks: bool,
    /// Width of the core's load and store buses as the allocator aligns for it, in bits.
    pub load_store_bits: u32,
    /// Stream words (32 bits) that a port moves in a cycle (AM020, AM027; on AIE2P a routing that hung on a Strix,
    /// mlir-aie: `hw_verdicts/stress_s208_old`, completes with two).
    pub stream_words_per_cycle: u8,
    /// Width of a cascade transfer, in bits.
    pub cascade_bits: u32,
    /// Stack of a core that names no other size, in bytes.
    pub default_stack_bytes: u32,
    /// Largest packet id.
    pub max_packet_id: u8,
    /// Largest packet type.
    pub max_packet_type: u8,
    /// Arbiters of a stream switch.
    pub arbiters: u8,
    /// Msels of an arbiter.
    pub msels: u8,
    /// Packet rule slots of a slave port.
    pub slots: u8,
    /// Bits of a host address.
    pub host_address_bits: u8,
    /// Core tiles.
    pub core: TileModel,
    /// Mem tiles, if the generation has them.
    pub mem: Option<TileModel>,
    /// Shim tiles with DMA.
    pub shim_noc: TileModel,
    /// Shim tiles without, if the generation has them.
    pub shim_pl: Option<TileModel>,
}
