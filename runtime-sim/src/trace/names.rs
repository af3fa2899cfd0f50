//! Names of locks, channels, ports and jobs in a trace.

use std::fmt;

use aiec_cert::debug::{DebugInfo, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_device::{LockId, TileKind, TileLoc};
use rustc_hash::FxHashMap;

use crate::array::{
    ActorId, Array, CorePosition, FirmwareOperation, HwEvent, JobId, JobWaitKind, LockNeed,
    TraceEvent, TraceRecord,
};
use crate::core::CoreScope;
use crate::diagnosis::{CoreLine, DebugNames, WaitRecord, wait_words};
use crate::run::SimResult;

/// Events in words, with the names of the design if there are any.
pub fn describe(array: &Array, debug: Option<&DebugInfo>, record: &TraceRecord) -> String {
    let names = TraceNames::of(array, debug);
    let tile = record.tile;
    let actor = |actor| names.actor_words(actor);
    let channel = |id| names.actor_words(ActorId::channel(id));
    let job = |id: JobId| format!("job {} of page {} of uC {}", id.job, id.page, id.uc);
    match record.event {
        TraceEvent::LockAcquired {
            by, lock, value, ..
        } => {
            let (who, lock) = (actor(by), names.lock_words(lock));
            format!("{who} acquired {lock}, which is {value} now")
        }
        TraceEvent::LockReleased {
            by,
            lock,
            change,
            value,
        } => {
            let (who, lock) = (actor(by), names.lock_words(lock));
            format!("{who} released {lock} by {change:+}, which is {value} now")
        }
        TraceEvent::LockSet { lock, value } => {
            let lock = names.lock_words(lock);
            format!("a register write set {lock} to {value}")
        }
        TraceEvent::Hw(HwEvent::StartTask(id)) => format!("{} begins a task", channel(id)),
        TraceEvent::Hw(HwEvent::FinishedBd(id)) => format!("{} has finished a BD", channel(id)),
        TraceEvent::Hw(HwEvent::FinishedTask(id)) => {
            format!("{} has finished its task", channel(id))
        }
        TraceEvent::Hw(HwEvent::LockStall(id, _)) => format!("{} waits for its lock", channel(id)),
        TraceEvent::Hw(HwEvent::DmaError(id)) => format!("{} has a fault", channel(id)),
        TraceEvent::Hw(event) => {
            let what = match event {
                HwEvent::CoreActive(true) => "starts",
                HwEvent::CoreActive(false) => "has ended or is in reset",
                HwEvent::CoreLockStall(_) => "waits for a lock",
                HwEvent::CoreStreamStall(_) => "waits for its stream",
                _ => "waits for its cascade",
            };
            format!("{} {what}", actor(ActorId::core(tile)))
        }
        TraceEvent::WatchedAccess {
            by,
            address,
            bytes,
            writes,
        } => {
            let who = by.map_or("a write over the bus".to_string(), actor);
            let what = if writes { "writes" } else { "reads" };
            let buffer = names.buffer(tile, address);
            let buffer = buffer.map_or(String::new(), |(name, inside)| {
                format!(" ('{name}' + {inside})")
            });
            format!("{who} {what} {bytes} byte(s) at 0x{address:X}{buffer} of tile {tile}")
        }
        TraceEvent::RegisterWritten { offset, value } => {
            format!("0x{value:08X} is written to 0x{offset:05X} of tile {tile}")
        }
        TraceEvent::TokenArrived { actor } => match array.token_sender(tile, actor) {
            Some(sender) => format!("a token of {sender} arrives"),
            None => format!("a token of actor {actor} of tile {tile} arrives"),
        },
        TraceEvent::JobStarted(id) => format!("{} runs", job(id)),
        TraceEvent::JobBlocked { job: id, on } => {
            format!("{} begins to wait for {}", job(id), names.wait_words(on))
        }
        TraceEvent::JobEnded(id) => format!("{} ends", job(id)),
        TraceEvent::Page { uc, page, .. } => format!("uC {uc} begins page {page}"),
        TraceEvent::Instruction {
            job: id,
            offset,
            mnemonic,
        } => {
            let source = names.source(id, offset);
            let source = source.map_or(String::new(), |source| format!(" ({source})"));
            format!("{} executes {mnemonic}{source}", job(id))
        }
        TraceEvent::CoreInstruction { checksum, at } => {
            let position = CorePosition {
                checksum,
                at,
                calls: Vec::new(),
            };
            let line = debug.and_then(|debug| CoreLine::of(debug, tile, &position));
            let what = line.as_ref().map_or(String::new(), ToString::to_string);
            let source = line.and_then(|line| debug?.show(line.source));
            let source = source.map_or(String::new(), |source| format!(" ({source})"));
            format!("{} executes {what}{source}", actor(ActorId::core(tile)))
        }
        TraceEvent::FirmwareOperation(operation) => {
            let FirmwareOperation { program, name, .. } = operation;
            format!("the firmware executes {name} of {program}")
        }
        _ => "it happened".to_string(),
    }
}

/// A call or a loop in the design.
pub(super) struct ScopeName<'a> {
    scope: CoreScope,
    /// The name of the function that is called.
    pub function: Option<&'a str>,
    /// `file:line:column` of the loop, or of the first operation of the function.
    pub source: Option<String>,
}

impl fmt::Display for ScopeName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.scope, self.function) {
            (CoreScope::Call(_), Some(name)) => write!(f, "{name}")?,
            (CoreScope::Call(at), None) => write!(f, "function at instruction {at}")?,
            (CoreScope::Loop(_), _) => write!(f, "loop")?,
        }
        match &self.source {
            Some(source) => write!(f, " at {source}"),
            None => Ok(()),
        }
    }
}

/// Look-up of names for a run.
pub(super) struct TraceNames<'a> {
    array: &'a Array,
    names: DebugNames<'a>,
    /// The locks of the design, if many are to be looked up.
    locks: Option<FxHashMap<LockId, &'a Resource>>,
}

impl<'a> TraceNames<'a> {
    pub fn new(result: &'a SimResult) -> TraceNames<'a> {
        let names = TraceNames::of(&result.array, result.debug.as_ref());
        let mut locks = FxHashMap::default();
        for resource in result.debug.iter().flat_map(|debug| &debug.resources) {
            if let ResourceKind::Lock { id } = resource.kind {
                let tile = TileLoc::new(resource.column, resource.row);
                locks.entry(LockId::new(tile, id)).or_insert(resource);
            }
        }
        TraceNames {
            locks: Some(locks),
            ..names
        }
    }

    fn of(array: &'a Array, debug: Option<&'a DebugInfo>) -> TraceNames<'a> {
        let names = DebugNames { debug };
        TraceNames {
            array,
            names,
            locks: None,
        }
    }

    /// The entry of a lock in the design.
    fn lock_resource(&self, lock: LockId) -> Option<&'a Resource> {
        match &self.locks {
            Some(locks) => locks.get(&lock).copied(),
            None => self.names.lock(lock),
        }
    }

    /// The name of a lock in the design.
    pub fn lock(&self, lock: LockId) -> Option<&'a str> {
        let name = self.lock_resource(lock)?.name.as_str();
        (!name.is_empty()).then_some(name)
    }

    /// The buffer that a byte of a tile's memory is in, and the bytes from its begin.
    fn buffer(&self, tile: TileLoc, address: u32) -> Option<(&'a str, u32)> {
        let mut all = self.names.debug?.resources.iter();
        all.find_map(|resource| match resource.kind {
            ResourceKind::Buffer {
                address: start,
                bytes,
            } if TileLoc::new(resource.column, resource.row) == tile => {
                let inside = address.checked_sub(start)?;
                (inside < bytes).then_some((resource.name.as_str(), inside))
            }
            _ => None,
        })
    }

    /// The object fifo whose filled objects a lock counts.
    pub fn filled_objects(&self, lock: LockId) -> Option<&'a str> {
        self.lock_resource(lock)?.counts_filled_objects()
    }

    /// A lock in words: its name, or its number and tile.
    pub fn lock_words(&self, lock: LockId) -> String {
        match self.lock(lock) {
            Some(name) => format!("lock '{name}'"),
            None => format!("lock {} of {}", lock.index, lock.tile),
        }
    }

    /// Request on a lock, in words.
    pub fn need_words(&self, lock: LockId, need: LockNeed) -> String {
        let lock = self.lock_words(lock);
        match need {
            LockNeed::AtLeast(n) => format!("{lock} ≥ {n}"),
            LockNeed::Equal(n) => format!("{lock} = {n}"),
        }
    }

    /// The name of an actor in the design, and where it is declared.
    pub fn actor(&self, actor: ActorId) -> (Option<&'a str>, Option<String>) {
        let resource = self.names.of_actor(actor);
        let name = resource.map(|resource| resource.name.as_str());
        let source = resource.and_then(|resource| self.names.show(resource.source));
        (name.filter(|name| !name.is_empty()), source)
    }

    /// The object fifo that an actor is part of.
    pub fn fifo(&self, actor: ActorId) -> Option<&'a str> {
        let part = self.names.of_actor(actor)?.fifo.as_ref()?;
        Some(part.fifo.as_str())
    }

    /// Wait of an actor or job, in words.
    pub fn wait_record(&self, wait: &WaitRecord) -> String {
        wait_words(wait, &self.names)
    }

    /// An actor in words, with its name in the design.
    pub fn actor_words(&self, actor: ActorId) -> String {
        self.names.with_name(actor)
    }

    /// Kind of a tile, in words.
    pub fn kind(&self, tile: TileLoc) -> &'static str {
        match self.array.device().tile_kind(tile) {
            Some(TileKind::Core) | None => "tile",
            Some(TileKind::Mem) => "mem tile",
            Some(TileKind::ShimNoc | TileKind::ShimPl) => "shim tile",
        }
    }

    /// A place in the design.
    pub fn show(&self, source: SourceLoc) -> Option<String> {
        self.names.show(Some(source))
    }

    /// A call or a loop of the program of a tile's core.
    pub fn scope(&self, tile: TileLoc, checksum: u32, scope: CoreScope) -> ScopeName<'a> {
        let debug = self.names.debug;
        let marks = debug.and_then(|debug| debug.program((tile.col, tile.row), checksum));
        let found = marks.and_then(|marks| match scope {
            CoreScope::Call(at) => {
                let function = marks.function(at).map(|mark| mark.name.as_str());
                Some((function, marks.operation(at).map(|mark| mark.source)))
            }
            CoreScope::Loop(number) => {
                let mark = marks.loops.get(number as usize)?;
                Some((None, Some(mark.source)))
            }
        });
        let (function, source) = found.unwrap_or_default();
        ScopeName {
            scope,
            function,
            source: source.and_then(|source| self.show(source)),
        }
    }

    /// The line of the design that an instruction comes from.
    pub fn source(&self, job: JobId, offset: u16) -> Option<String> {
        let site = crate::cert::InstructionSite {
            uc: job.uc.into(),
            page: job.page,
            offset,
            mnemonic: "",
        };
        crate::diagnosis::source_of(site, self.names.debug)
    }

    /// Wait of a job, in words.
    pub fn wait_words(&self, on: JobWaitKind) -> String {
        match on {
            JobWaitKind::UcDma => "uC-DMA".into(),
            JobWaitKind::UcDmaQueue => "room in the queue of the uC-DMA".into(),
            JobWaitKind::Tokens { tile, actor, need } => {
                match self.array.token_sender(tile, actor) {
                    Some(sender) => format!("{need} token(s) of {sender}"),
                    None => format!("{need} token(s) of actor {actor} of {tile}"),
                }
            }
            JobWaitKind::LocalBarrier(n) => format!("local barrier {n}"),
            JobWaitKind::RemoteBarrier(n) => format!("remote barrier {}", n.saturating_sub(1)),
            JobWaitKind::Poll => "a register (polls)".into(),
            JobWaitKind::SubProgram => "the pages it runs".into(),
            JobWaitKind::SyncPoint => "all controllers".into(),
            JobWaitKind::Controller => "the controller".into(),
        }
    }
}
