//! Records of a trace of the whole array: the events that hardware has, and others that it lacks
//! (which actor requested which lock, which words pass a port, which instructions a controller
//! executes).
//!
//! Without an observer a trace event costs the test of a flag, and words cost nothing at all:
//! pipes are watched only on request ([`super::Array::watch_words`]).

use aiec_device::{ChannelId, LockId, TileLoc};
use aiec_diag::named_enum;

use super::actor::{ActorId, JobId};
use super::firmware_operation::FirmwareOperation;
use super::hw_event::HwEvent;
use super::lock::LockNeed;
use super::stored_enum::stored_enum;
use crate::core::{CoreScope, CoreStepKind};
use crate::time::Cycle;

/// A trace event with its place and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// When. Records come in the order of simulation; actors work ahead of the clock, so that this
    /// isn't always the order of time.
    pub at: Cycle,
    /// Tile. For actions of controllers, the shim tile of their column.
    pub tile: TileLoc,
    /// The event.
    pub event: TraceEvent,
}

named_enum! {
    /// Cause of a stall of a core or a channel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum StallKind {
        /// A lock.
        Lock => "lock",
        /// A stream that is empty or full.
        Stream => "stream",
        /// A cascade that is empty or full.
        Cascade => "cascade",
    }
}

stored_enum! {
    /// The event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceEvent {
        /// Hardware has an event for it.
        Hw(event: HwEvent),
        /// A core or channel requests a lock of the tile.
        LockRequested {
            /// Actor.
            by: ActorId,
            /// The lock.
            lock: LockId,
            /// The condition.
            need: LockNeed,
        },
        /// The request was granted.
        LockAcquired {
            /// Who requested it.
            by: ActorId,
            /// The lock.
            lock: LockId,
            /// The condition.
            need: LockNeed,
            /// The value afterwards.
            value: i8,
        },
        /// A core or channel released a lock of the tile.
        LockReleased {
            /// Actor.
            by: ActorId,
            /// The lock.
            lock: LockId,
            /// The amount added.
            change: i8,
            /// The value afterwards.
            value: i8,
        },
        /// A register write set a lock of the tile.
        LockSet {
            /// The lock.
            lock: LockId,
            /// The value.
            value: i8,
        },
        /// A core is stalled until a cycle that is known beforehand.
        CoreStalled {
            /// The cause.
            kind: StallKind,
            /// Until when.
            until: Cycle,
        },
        /// A core was in a function that it called, or in a loop.
        CoreScope {
            /// Checksum of the core's program.
            checksum: u32,
            /// The scope.
            scope: CoreScope,
            /// Until when; none if it still went on when the trace ended.
            until: Option<Cycle>,
            /// Number of recorded scopes around it.
            depth: u8,
            /// Times that a loop's body began; 1 for a call.
            rounds: u64,
            /// Scopes right inside that were not recorded.
            omitted: u64,
        },
        /// Machine code jumps, loads or stores.
        CoreStep {
            /// Address of the bundle.
            pc: u32,
            /// The jump or access.
            step: CoreStepKind,
            /// The tile whose memory is accessed.
            owner: Option<TileLoc>,
        },
        /// A core has come to an instruction at which the run may stop.
        CoreInstruction {
            /// Checksum of the core's program.
            checksum: u32,
            /// The instruction, counted from 0.
            at: u32,
        },
        /// A task was put into the queue of a channel.
        TaskPushed {
            /// The channel.
            channel: ChannelId,
            /// First BD.
            bd: u8,
            /// Runs of the chain.
            runs: u16,
            /// It sends a token at its end.
            token: bool,
            /// The job whose instruction pushed it; `None` if a uC-DMA or a control packet did.
            by: Option<JobId>,
        },
        /// A channel has read a BD.
        BdLoaded {
            /// The channel.
            channel: ChannelId,
            /// The BD.
            bd: u8,
            /// Byte address it starts at: in the tile's memory, or of host memory.
            address: u64,
        },
        /// The lock of the BD is acquired: its words may move.
        BdStarted {
            /// The channel.
            channel: ChannelId,
            /// The BD.
            bd: u8,
        },
        /// A channel has finished a BD.
        BdFinished {
            /// The channel.
            channel: ChannelId,
            /// The BD.
            bd: u8,
            /// Words of memory that it moved.
            words: u32,
        },
        /// A channel was stalled by its stream.
        StreamStall {
            /// The channel.
            channel: ChannelId,
            /// Until when.
            until: Cycle,
        },
        /// A channel has no task any more.
        ChannelIdle(channel: ChannelId),
        /// A channel accesses words of a memory.
        MemoryAccess {
            /// The channel.
            channel: ChannelId,
            /// Byte address.
            address: u64,
            /// Words.
            words: u32,
        },
        /// Bytes of the tile's data memory are accessed that a breakpoint watches.
        WatchedAccess {
            /// The core or channel; `None` for a write over the bus: of a controller, its uC-DMA, the firmware or a control
            /// packet.
            by: Option<ActorId>,
            /// First byte.
            address: u32,
            /// Bytes.
            bytes: u32,
            /// They are written, else read.
            writes: bool,
        },
        /// A channel sends the token of its task.
        TokenSent {
            /// The channel.
            channel: ChannelId,
            /// Its actor id in tokens.
            actor: u8,
        },
        /// The token of an actor of the tile reached its controller.
        TokenArrived {
            /// The actor id in the token.
            actor: u8,
        },
        /// Words passed a port of the switch in one burst.
        PortBurst {
            /// The port.
            port: ActorId,
            /// End of the last word.
            until: Cycle,
            /// Number of words.
            words: u32,
            /// The first word, if a packet's header is to be expected there.
            header: Option<u32>,
            /// They begin a packet or a transfer.
            first: bool,
            /// They end with TLAST.
            last: bool,
        },
        /// A word at a port was not taken.
        PortStalled {
            /// The port.
            port: ActorId,
            /// When it was taken, or the end of the run.
            until: Cycle,
        },
        /// A register was written.
        RegisterWritten {
            /// Byte offset in the tile.
            offset: u32,
            /// The value.
            value: u32,
        },
        /// A controller begins or ends a page.
        Page {
            /// Number of the controller.
            uc: u8,
            /// The page.
            page: u16,
            /// It begins, else it ends.
            begins: bool,
        },
        /// A job executes an instruction.
        Instruction {
            /// The job.
            job: JobId,
            /// Byte offset of the instruction in the page.
            offset: u16,
            /// Opcode.
            mnemonic: &'static str,
        },
        /// A job gets the controller.
        JobStarted(job: JobId),
        /// A job begins to wait.
        JobBlocked {
            /// The job.
            job: JobId,
            /// Reason of the wait.
            on: JobWaitKind,
        },
        /// A job takes tokens that were there already.
        TokensTaken {
            /// The job.
            job: JobId,
            /// The tile that sent them.
            tile: TileLoc,
            /// The actor id in the tokens.
            actor: u8,
            /// Number of tokens.
            need: u8,
        },
        /// The wait of a job has ended.
        JobReady(job: JobId),
        /// A job has ended.
        JobEnded(job: JobId),
        /// The controller has finished the instruction that was recorded last.
        InstructionEnded {
            /// Number of the controller.
            uc: u8,
        },
        /// The firmware of an NPU begins an operation.
        FirmwareOperation(operation: FirmwareOperation),
        /// The firmware has finished the operation that was recorded last.
        FirmwareOperationEnded,
        /// The uC-DMA of a controller writes words of a chain.
        UcDma {
            /// Number of the controller.
            uc: u8,
            /// Number of the chain.
            chain: u32,
            /// Words.
            words: u32,
            /// Until when.
            until: Cycle,
        },
    }
}

impl TraceEvent {
    /// Whether [`super::totals::Totals`] have something of it.
    #[inline(always)]
    pub(super) fn is_summed_up(&self) -> bool {
        matches!(
            self,
            TraceEvent::JobStarted(_)
                | TraceEvent::JobReady(_)
                | TraceEvent::JobBlocked { .. }
                | TraceEvent::JobEnded(_)
                | TraceEvent::LockRequested { .. }
                | TraceEvent::LockAcquired { .. }
        )
    }

    /// Whether an instruction of a controller begins or ends, to which tasks that are pushed belong.
    #[inline(always)]
    pub(super) fn is_of_execution(&self) -> bool {
        matches!(
            self,
            TraceEvent::Instruction { .. } | TraceEvent::InstructionEnded { .. }
        )
    }

    /// Whether it is of a wait, or may end one.
    #[inline(always)]
    pub(super) fn is_of_waits(&self) -> bool {
        !matches!(
            self,
            TraceEvent::CoreScope { .. }
                | TraceEvent::CoreStep { .. }
                | TraceEvent::CoreInstruction { .. }
                | TraceEvent::BdLoaded { .. }
                | TraceEvent::MemoryAccess { .. }
                | TraceEvent::WatchedAccess { .. }
                | TraceEvent::PortBurst { .. }
                | TraceEvent::PortStalled { .. }
                | TraceEvent::RegisterWritten { .. }
                | TraceEvent::Page { .. }
                | TraceEvent::InstructionEnded { .. }
        )
    }
}

stored_enum! {
    /// Cause of a wait of a job.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum JobWaitKind {
        /// A chain of uC-DMA descriptors.
        UcDma,
        /// A free place in the queue of the uC-DMA.
        UcDmaQueue,
        /// Tokens.
        Tokens {
            /// Tile that sends, as the instruction names it.
            tile: TileLoc,
            /// Its actor.
            actor: u8,
            /// Number of tokens.
            need: u8,
        },
        /// Jobs of the page.
        LocalBarrier(barrier: u8),
        /// Jobs of other controllers.
        RemoteBarrier(barrier: u8),
        /// The value of a register.
        Poll,
        /// Pages that it runs.
        SubProgram,
        /// The synchronisation point of all controllers.
        SyncPoint,
        /// The controller, which another job has.
        Controller,
    }
}

impl JobWaitKind {
    /// Name in reports and traces.
    pub fn name(self) -> &'static str {
        match self {
            JobWaitKind::UcDma => "uc_dma",
            JobWaitKind::UcDmaQueue => "uc_dma_queue",
            JobWaitKind::Tokens { .. } => "tokens",
            JobWaitKind::LocalBarrier(_) => "local_barrier",
            JobWaitKind::RemoteBarrier(_) => "remote_barrier",
            JobWaitKind::Poll => "poll",
            JobWaitKind::SubProgram => "sub_program",
            JobWaitKind::SyncPoint => "meeting",
            JobWaitKind::Controller => "controller",
        }
    }
}
