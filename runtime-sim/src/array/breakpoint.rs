//! Where a run stops before its end.

use std::ops::Range;

use aiec_cert::debug::DebugInfo;
use aiec_cert::program::SourceLoc;
use aiec_device::{ChannelId, LockId, TileLoc};

use super::actor::{ActorId, ActorKind};
use super::firmware_operation::FirmwareProgram;
use super::hw_event::HwEvent;
use super::trace_event::{TraceEvent, TraceRecord};

/// A place to stop: an event, and the number of its occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// The event.
    pub on: BreakCondition,
    /// The run stops when it happens this many times, counted from 1.
    pub times: u32,
}

/// Bytes of a data memory whose accesses stop a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryWatch {
    /// The tile whose memory it is.
    pub tile: TileLoc,
    /// First byte.
    pub start: u32,
    /// Bytes.
    pub bytes: u32,
    /// The accesses.
    pub accesses: WatchedAccesses,
}

/// Accesses at which a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedAccesses {
    /// Those that write.
    Writes,
    /// Those that read.
    Reads,
    /// All.
    All,
}

impl MemoryWatch {
    /// The bytes.
    pub fn range(self) -> Range<u32> {
        self.start..self.start.saturating_add(self.bytes)
    }

    /// Whether some of the bytes are written, or else read.
    fn concerns(self, tile: TileLoc, bytes: Range<u32>, writes: bool) -> bool {
        let range = self.range();
        let is_kind = match self.accesses {
            WatchedAccesses::Writes => writes,
            WatchedAccesses::Reads => !writes,
            WatchedAccesses::All => true,
        };
        is_kind && tile == self.tile && bytes.start < range.end && range.start < bytes.end
    }
}

/// Conditions that stop a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakCondition {
    /// A lock changes; to the value, if one is given.
    Lock(LockId, Option<i8>),
    /// A core begins to run, to wait, or ends.
    Core(TileLoc),
    /// A DMA channel begins a task, has finished a BD or a task, or begins to wait for a lock.
    Dma(ChannelId),
    /// A channel loads a BD of a tile.
    Bd(TileLoc, u8),
    /// A core, a channel or a write over the bus accesses bytes of a data memory.
    Memory(MemoryWatch),
    /// A register is written: byte offset in the tile, and the value if one is given.
    Register(TileLoc, u32, Option<u32>),
    /// The token of an actor of a tile arrives.
    Token(TileLoc, u8),
    /// A job begins, waits, goes on or ends: controller, page if one is given, job.
    Job(u8, Option<u16>, u16),
    /// A controller comes to a page: controller and page.
    Page(u8, u16),
    /// A controller executes the instruction at a byte offset of a page: controller, page, offset.
    Instruction(u8, u16, u16),
    /// The core of a tile comes to an instruction of the program with a checksum: tile, checksum,
    /// number of the instruction.
    CoreInstruction(TileLoc, u32, u32),
    /// The firmware of an NPU executes the operation at a byte offset of the transaction.
    Operation(u32),
    /// A core, a job of a controller, or the firmware comes to its next instruction.
    Step(ActorId),
}

impl BreakCondition {
    /// The instructions of controllers and cores at which lines of the source begin, with these. A core comes to a line
    /// where the operation before it is of another.
    pub fn of_lines(debug: &DebugInfo) -> impl Iterator<Item = (SourceLoc, BreakCondition)> + '_ {
        let controllers = debug.pages.iter().flat_map(|page| {
            let uc = u8::try_from(page.uc).unwrap_or(u8::MAX);
            let on = move |at| BreakCondition::Instruction(uc, page.page, at);
            page.lines
                .iter()
                .map(move |mark| (mark.source, on(mark.at)))
        });
        let cores = debug.programs.iter().flat_map(|program| {
            let tile = TileLoc::new(program.column, program.row);
            let on = move |at| BreakCondition::CoreInstruction(tile, program.checksum, at);
            let line = |source: SourceLoc| (source.file, source.line);
            let mut before = None;
            program.operations.iter().filter_map(move |mark| {
                let is_new = before.replace(line(mark.source)) != Some(line(mark.source));
                is_new.then(|| (mark.source, on(mark.at)))
            })
        });
        controllers.chain(cores)
    }

    /// Whether an event is the awaited one.
    pub(super) fn holds(self, record: &TraceRecord) -> bool {
        let here = record.tile;
        match (self, record.event) {
            (
                Self::Lock(id, wanted),
                TraceEvent::LockAcquired { lock, value, .. }
                | TraceEvent::LockReleased { lock, value, .. }
                | TraceEvent::LockSet { lock, value },
            ) => id == lock && wanted.is_none_or(|wanted| wanted == value),
            (
                Self::Core(tile),
                TraceEvent::Hw(
                    HwEvent::CoreActive(_)
                    | HwEvent::CoreLockStall(true)
                    | HwEvent::CoreStreamStall(true)
                    | HwEvent::CoreCascadeStall(true),
                ),
            ) => tile == here,
            (
                Self::Dma(wanted),
                TraceEvent::Hw(
                    HwEvent::StartTask(channel)
                    | HwEvent::FinishedBd(channel)
                    | HwEvent::FinishedTask(channel)
                    | HwEvent::DmaError(channel)
                    | HwEvent::LockStall(channel, true),
                ),
            ) => wanted == channel,
            (Self::Bd(tile, wanted), TraceEvent::BdLoaded { bd, .. }) => {
                tile == here && wanted == bd
            }
            (
                Self::Memory(watch),
                TraceEvent::WatchedAccess {
                    address,
                    bytes,
                    writes,
                    ..
                },
            ) => watch.concerns(here, address..address.saturating_add(bytes), writes),
            (Self::Operation(wanted), TraceEvent::FirmwareOperation(operation)) => {
                operation.program == FirmwareProgram::Transaction && operation.offset == wanted
            }
            (Self::Step(who), TraceEvent::CoreInstruction { .. }) => who == ActorId::core(here),
            (Self::Step(who), TraceEvent::Instruction { job, .. }) => {
                who == ActorId::controller(job.uc)
            }
            (Self::Step(who), TraceEvent::FirmwareOperation(_)) => who.kind() == ActorKind::Host,
            (Self::Register(tile, at, wanted), TraceEvent::RegisterWritten { offset, value }) => {
                tile == here && at == offset && wanted.is_none_or(|wanted| wanted == value)
            }
            (Self::Token(tile, wanted), TraceEvent::TokenArrived { actor }) => {
                tile == here && wanted == actor
            }
            (
                Self::Job(uc, page, number),
                TraceEvent::JobStarted(job)
                | TraceEvent::JobBlocked { job, .. }
                | TraceEvent::JobEnded(job),
            ) => (job.uc, job.job) == (uc, number) && page.is_none_or(|page| page == job.page),
            (
                Self::Page(uc, page),
                TraceEvent::Page {
                    uc: by,
                    page: at,
                    begins: true,
                },
            ) => (uc, page) == (by, at),
            (Self::Instruction(uc, page, at), TraceEvent::Instruction { job, offset, .. }) => {
                (uc, page, at) == (job.uc, job.page, offset)
            }
            (
                Self::CoreInstruction(tile, program, wanted),
                TraceEvent::CoreInstruction { checksum, at },
            ) => (tile, program, wanted) == (here, checksum, at),
            _ => false,
        }
    }
}
