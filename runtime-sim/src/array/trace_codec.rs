//! Trace records in scratch files.

use aiec_cert::program::SourceLoc;

use super::actor::{ActorId, JobId};
use super::bursts::Burst;
use super::firmware_operation::{FirmwareOperation, FirmwareProgram};
use super::hw_event::HwEvent;
use super::lock::LockNeed;
use super::trace_event::{JobWaitKind, StallKind, TraceEvent, TraceRecord};
use crate::core::CoreScope;
use crate::external_sort::{Decoder, Encoder, Field, Sortable, field_enum, field_struct};
use crate::time::{Cycle, TICKS_PER_CYCLE};

impl Sortable for TraceRecord {
    type Key = Cycle;

    fn key(&self) -> Cycle {
        self.at
    }
}

impl Sortable for Burst {
    type Key = Cycle;

    fn key(&self) -> Cycle {
        self.from / TICKS_PER_CYCLE
    }
}

impl Field for ActorId {
    fn put(&self, out: &mut Encoder<'_>) {
        self.to_bits().put(out);
    }

    fn get(input: &mut Decoder<'_>) -> Option<Self> {
        u32::get(input).map(ActorId::from_bits)
    }
}

field_struct!(TraceRecord { at, tile, event });
field_struct!(Burst {
    pipe,
    from,
    until,
    words,
    first,
    last
});
field_struct!(JobId { uc, page, job });
field_struct!(SourceLoc { file, line, column });
field_struct!(FirmwareOperation {
    program,
    offset,
    name,
    source
});
field_enum!(LockNeed {
    0: AtLeast(value),
    1: Equal(value)
});
field_enum!(CoreScope {
    0: Call(at),
    1: Loop(number)
});
field_enum!(StallKind {
    0: Lock,
    1: Stream,
    2: Cascade
});
field_enum!(FirmwareProgram {
    0: Transaction,
    1: Save,
    2: Restore,
    3: XclbinPdi,
    4: Pdi(id),
});
field_enum!(JobWaitKind {
    0: UcDma,
    1: UcDmaQueue,
    2: Tokens { tile, actor, need },
    3: LocalBarrier(barrier),
    4: RemoteBarrier(barrier),
    5: Poll,
    6: SubProgram,
    7: SyncPoint,
    8: Controller,
});
field_enum!(HwEvent {
    0: StartTask(channel),
    1: FinishedBd(channel),
    2: FinishedTask(channel),
    3: LockStall(channel, on),
    4: DmaError(channel),
    5: Acquired(lock, equal),
    6: Released(lock),
    7: LockError,
    8: CoreActive(on),
    9: CoreLockStall(on),
    10: CoreStreamStall(on),
    11: CoreCascadeStall(on),
    12: Instruction(number),
    13: ControlPacketError,
    14: PortRunning(port),
    15: PortTlast(port),
    16: PortStalled(port, on),
    17: BankConflict(bank),
    18: Number(module, number),
});
field_enum!(TraceEvent {
    0: Hw(event),
    1: LockRequested { by, lock, need },
    2: LockAcquired {
        by,
        lock,
        need,
        value
    },
    3: LockReleased {
        by,
        lock,
        change,
        value
    },
    4: LockSet { lock, value },
    5: CoreStalled { kind, until },
    6: CoreInstruction { checksum, at },
    7: TaskPushed {
        channel,
        bd,
        runs,
        token,
        by
    },
    8: BdLoaded {
        channel,
        bd,
        address
    },
    9: BdStarted { channel, bd },
    10: BdFinished { channel, bd, words },
    11: StreamStall { channel, until },
    12: ChannelIdle(channel),
    13: MemoryAccess {
        channel,
        address,
        words
    },
    14: TokenSent { channel, actor },
    15: TokenArrived { actor },
    16: PortBurst {
        port,
        until,
        words,
        header,
        first,
        last
    },
    17: PortStalled { port, until },
    18: RegisterWritten { offset, value },
    19: Page { uc, page, begins },
    20: Instruction {
        job,
        offset,
        mnemonic
    },
    21: JobStarted(job),
    22: JobBlocked { job, on },
    23: TokensTaken {
        job,
        tile,
        actor,
        need
    },
    24: JobReady(job),
    25: JobEnded(job),
    26: InstructionEnded { uc },
    27: FirmwareOperation(operation),
    28: FirmwareOperationEnded,
    29: UcDma {
        uc,
        chain,
        words,
        until
    },
    30: CoreScope {
        checksum,
        scope,
        until,
        depth,
        rounds,
        omitted
    },
});
