//! Trace records in scratch files.

use aiec_cert::program::SourceLoc;

use super::actor::JobId;
use super::bursts::Burst;
use super::firmware_operation::FirmwareOperation;
use super::trace_event::{StallKind, TraceRecord};
use crate::core::{CoreAccess, CoreScope, CoreStepKind};
use crate::external_sort::{Sortable, field_enum, field_struct};
use crate::time::{Cycle, TICKS_PER_CYCLE};

impl Sortable for TraceRecord {
    type Key = Cycle;

    fn key(&self) -> Cycle {
        self.at
    }

    fn first_of_key(&self) -> u64 {
        self.at
    }
}

impl Sortable for Burst {
    type Key = Cycle;

    fn key(&self) -> Cycle {
        self.from / TICKS_PER_CYCLE
    }

    fn first_of_key(&self) -> u64 {
        self.key()
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
field_enum!(CoreScope {
    0: Call(at),
    1: Loop(number)
});
field_struct!(CoreAccess {
    window,
    inside,
    bytes
});
field_enum!(CoreStepKind {
    0: Jump(to),
    1: Load(access),
    2: Store(access),
    3: Omitted(count)
});
field_enum!(StallKind {
    0: Lock,
    1: Stream,
    2: Cascade
});
