//! Faults of the array: accesses to unmapped addresses, and faults of the design.

use std::fmt;

use aiec_device::{ChannelId, LockId, TileLoc};
use aiec_diag::InternalError;
use indexmap::IndexMap;
use thiserror::Error;

use crate::core::NoKernel;
use crate::host::HostFault;
use crate::time::Cycle;

/// An access of the register bus that the array cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BusFault {
    /// The address names a tile that the device doesn't have.
    #[error("address {address:#010x} names tile ({col}, {row}), which {device} doesn't have")]
    NoTile {
        /// The address.
        address: u32,
        /// Column of the address.
        col: u8,
        /// Row of the address.
        row: u8,
        /// Name of the device.
        device: &'static str,
    },
    /// The tile has neither register nor memory there.
    #[error("address {address:#010x} (tile {tile}, offset {offset:#x}) isn't a register or memory")]
    Unmapped {
        /// The address.
        address: u32,
        /// The tile.
        tile: TileLoc,
        /// Byte offset in the tile.
        offset: u32,
    },
    /// An access to host memory outside every buffer.
    #[error("{0}")]
    Host(HostFault),
    /// The address isn't a multiple of 4.
    #[error("address {address:#010x} is not a multiple of 4 bytes")]
    Unaligned {
        /// The address.
        address: u32,
    },
}

/// A fault of the design or of its control code, found while the array ran.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cycle {at}: {kind}")]
pub struct Fault {
    /// Cycle of the fault.
    pub at: Cycle,
    /// Kind of fault.
    pub kind: FaultKind,
}

/// Kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// A DMA channel stopped; it needs a reset.
    #[error("tile {}: DMA {} {} stopped at BD {bd}: {fault}", .channel.tile, .channel.dir, .channel.index)]
    Dma {
        /// The channel.
        channel: ChannelId,
        /// The BD in progress.
        bd: u8,
        /// Reason.
        fault: DmaFault,
    },
    /// A task was pushed to a full queue and is lost.
    #[error(
        "tile {}: task queue of DMA {} {} is full ({depth} tasks), the push of BD {bd} is lost",
        .channel.tile, .channel.dir, .channel.index
    )]
    TaskQueueOverflow {
        /// The channel.
        channel: ChannelId,
        /// The BD that was pushed.
        bd: u8,
        /// Tasks that the queue holds.
        depth: usize,
    },
    /// A release took a lock out of 0..=63.
    #[error("tile {}: a release takes lock {} to {value}, outside 0..=63", .lock.tile, .lock.index)]
    LockRange {
        /// The lock.
        lock: LockId,
        /// The value it would have had.
        value: i32,
    },
    /// A core stopped.
    #[error("tile {tile}: core stopped: {message}")]
    Core {
        /// The tile.
        tile: TileLoc,
        /// Reason.
        message: String,
    },
    /// A core calls functions that have no body, or not for these types.
    #[error(
        "tile {tile}: the core's program calls functions that can't run: {}",
        list(missing)
    )]
    NoKernels {
        /// The tile.
        tile: TileLoc,
        /// Which, and why.
        missing: Vec<NoKernel>,
    },
    /// The model contradicts itself.
    #[error(transparent)]
    Internal(#[from] InternalError),
    /// A packet for the tile's control packet handler is malformed or asks for what the model
    /// doesn't have.
    #[error("tile {tile}: control packet {header:#010x}: {message}")]
    ControlPacket {
        /// The tile.
        tile: TileLoc,
        /// The control header.
        header: u32,
        /// Reason.
        message: String,
    },
}

impl FaultKind {
    /// The tile whose core stopped, which a reset starts again.
    pub(crate) fn stopped_core(&self) -> Option<TileLoc> {
        match self {
            FaultKind::Core { tile, .. } => Some(*tile),
            _ => None,
        }
    }
}

fn list(missing: &[NoKernel]) -> String {
    let all: Vec<String> = missing.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// Why a DMA channel stopped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DmaFault {
    /// The channel cannot use a BD of this number.
    #[error("this channel cannot use the BD")]
    BdUnavailable,
    /// Valid_BD is not set.
    #[error("the BD is not valid")]
    BdInvalid,
    /// A packet goes on where its BD ends, in a mode in which both end together.
    #[error("the packet is longer than the BD")]
    NoTlast,
    /// The lock doesn't exist, or not for this channel.
    #[error("lock {lock} is out of the channel's reach")]
    LockUnavailable {
        /// The number in the BD.
        lock: u8,
    },
    /// The memory doesn't exist, or not for this channel.
    #[error("byte address {address:#x} is out of the channel's reach{}", own_memory(*own))]
    MemoryUnavailable {
        /// Byte address as the channel counts.
        address: u64,
        /// Where the tile's own memory begins as the channel counts, in bytes, where that isn't 0.
        own: Option<u32>,
    },
    /// An access outside every host buffer.
    #[error("{0}")]
    Host(HostFault),
    /// A packet of compressed words ends inside a unit.
    #[error(
        "the packet ends inside a unit of compressed words: it isn't compressed, or not for this generation"
    )]
    DecompressionUnderflow,
    /// A feature that the model doesn't have.
    #[error("{0} is not simulated")]
    Unsupported(&'static str),
}

fn own_memory(own: Option<u32>) -> String {
    own.map_or(String::new(), |base| {
        format!("; the tile's own memory begins at {base:#x}")
    })
}

/// A part of a register that has, or may have, an effect on silicon but not in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnmodelledPart {
    /// All of it.
    Register,
    /// A field that isn't 0.
    Field(&'static str),
    /// Bits for which the manual has no field.
    Bits,
}

/// A register, or a part of it, that has an effect on silicon but not in this model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmodelled {
    /// Name of the register in the manual.
    pub register: &'static str,
    /// The part.
    pub part: UnmodelledPart,
    /// The bits that were written, of all writes together.
    pub bits: u32,
    /// Where it was first written.
    pub tile: TileLoc,
    /// Number of writes.
    pub writes: u64,
}

impl fmt::Display for Unmodelled {
    /// The register with the letter n for an index, and the field or the bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let register = self.register.replace("{}", "n");
        match self.part {
            UnmodelledPart::Register => f.write_str(&register),
            UnmodelledPart::Field(field) => write!(f, "{register}.{field}"),
            UnmodelledPart::Bits => write!(f, "{register} (bits {:#x})", self.bits),
        }
    }
}

/// A write to where nothing is, if such writes are only reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmapped {
    /// Why there is nothing.
    pub fault: BusFault,
    /// Number of writes.
    pub writes: u64,
}

/// Collects the findings of a run besides its results.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    pub faults: Vec<Fault>,
    pub unmodelled: IndexMap<(&'static str, UnmodelledPart), Unmodelled>,
    /// By address; `None` if such a write is a fault.
    pub unmapped: Option<IndexMap<u32, Unmapped>>,
}

impl FaultLog {
    pub fn fault(&mut self, at: Cycle, kind: FaultKind) {
        self.faults.push(Fault { at, kind });
    }

    /// Why cores stopped before their reset doesn't count any more.
    pub fn cores_reset(&mut self, is_reset: impl Fn(TileLoc) -> bool) {
        self.faults
            .retain(|fault| !fault.kind.stopped_core().is_some_and(&is_reset));
    }

    /// A write to where nothing is: recorded if such writes are only reported.
    pub fn unmapped_write(&mut self, address: u32, fault: BusFault) -> Result<(), BusFault> {
        let Some(unmapped) = &mut self.unmapped else {
            return Err(fault);
        };
        let entry = unmapped.entry(address);
        entry.or_insert(Unmapped { fault, writes: 0 }).writes += 1;
        Ok(())
    }

    pub fn unmodelled(&mut self, register: &'static str, tile: TileLoc) {
        self.unmodelled_part(register, UnmodelledPart::Register, u32::MAX, tile);
    }

    pub fn unmodelled_part(
        &mut self,
        register: &'static str,
        part: UnmodelledPart,
        bits: u32,
        tile: TileLoc,
    ) {
        let entry = self.unmodelled.entry((register, part));
        let entry = entry.or_insert(Unmodelled {
            register,
            part,
            bits: 0,
            tile,
            writes: 0,
        });
        entry.bits |= bits;
        entry.writes += 1;
    }
}
