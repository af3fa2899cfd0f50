//! The trace as lines of text: `time=<ps>,event=<NAME>,key=value,…`, in order of time.
//!
//! Events and keys are those of the AI Engine simulator's table (UG1076, simulation event trace),
//! with rows counted from the shim, and events of our own for what a CERT machine does. Locks of
//! AIE-ML are semaphores without reader or writer: an acquire is written as
//! `ACQ_WRITE_LOCK_REQ` if the lock's name says that it counts free buffers (object fifos call it
//! `…_prod_lock…`), else as `ACQ_READ_LOCK_REQ`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::io::{self, Write};

use aiec_device::{ChannelId, DmaDir, LockId, TileLoc};

use super::PICOSECONDS;
use super::names::TraceNames;
use crate::array::{
    ActorId, ActorKind, FirmwareOperation, FirmwareProgram, HwEvent, JobId, LockNeed, PacketHeader,
    StallKind, TraceEvent, TraceRecord,
};
use crate::core::{CoreAccess, CoreScope, CoreStepKind};
use crate::run::SimResult;
use crate::time::Cycle;

/// Part of the names of locks that count free buffers.
const PRODUCER: &str = "_prod_";

/// Writes the lines of a run.
///
/// # Errors
/// The trace can't be read, or the output not be written.
pub fn write(result: &SimResult, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines {
        names: TraceNames::new(result),
        waiting: BinaryHeap::new(),
        count: 0,
        transfers: BTreeMap::new(),
        packets: BTreeMap::new(),
        headers: BTreeSet::new(),
        bds: BTreeMap::new(),
        running: BTreeSet::new(),
    };
    result.each_record(&mut |record| {
        lines.write_until(record.at, out)?;
        lines.add(record);
        Ok(())
    })?;
    lines.write_until(Cycle::MAX, out)
}

struct Lines<'a> {
    names: TraceNames<'a>,
    /// Lines that others may still come before, with their number in the order in which they came: those
    /// of the last record, and ends of what goes on.
    waiting: BinaryHeap<Reverse<(Cycle, u64, String)>>,
    count: u64,
    /// Transfers that began at each port.
    transfers: BTreeMap<ActorId, u32>,
    /// Id of the packet that passes each port.
    packets: BTreeMap<ActorId, u8>,
    /// Ports that a header has passed, but no other word of its packet.
    headers: BTreeSet<ActorId>,
    /// BD and address in progress in each channel.
    bds: BTreeMap<ChannelId, (u8, u64)>,
    /// Cores that were started and have not ended.
    running: BTreeSet<TileLoc>,
}

impl Lines<'_> {
    fn line(&mut self, at: Cycle, text: String) {
        self.waiting.push(Reverse((at, self.count, text)));
        self.count += 1;
    }

    /// Writes what is not later than a cycle.
    fn write_until(&mut self, last: Cycle, out: &mut dyn Write) -> io::Result<()> {
        while let Some(Reverse((at, ..))) = self.waiting.peek()
            && *at <= last
            && let Some(Reverse((at, _, line))) = self.waiting.pop()
        {
            writeln!(out, "time={},event={line}", at * PICOSECONDS)?;
        }
        Ok(())
    }

    fn add(&mut self, record: &TraceRecord) {
        let TraceRecord { at, tile, event } = *record;
        let place = at_tile(tile);
        let line = match event {
            TraceEvent::Hw(event) => return self.hw_event(at, tile, event),
            TraceEvent::LockRequested { by, lock, need } => {
                return self.lock_requested(at, by, lock, need);
            }
            TraceEvent::LockAcquired { lock, value, .. } | TraceEvent::LockSet { lock, value } => {
                let (id, name) = (lock.index, self.lock(lock));
                format!("LOCK_VALUE,{place},lockid={id},value={value}{name}")
            }
            TraceEvent::LockReleased {
                by,
                lock,
                change,
                value,
            } => {
                let (id, name) = (lock.index, self.lock(lock));
                if by.kind() == ActorKind::Core {
                    let (at_core, dir) = (at_tile(by.tile()), side(by.tile(), tile));
                    let text = format!("REL_LOCK_REQ,{at_core},lockid={id},dir={dir}");
                    self.line(at, format!("{text},change={change}{name}"));
                }
                format!("LOCK_VALUE,{place},lockid={id},value={value}{name}")
            }
            TraceEvent::CoreStalled { kind, until } => {
                self.line(at, core_stall(&place, kind, true));
                return self.line(until, core_stall(&place, kind, false));
            }
            TraceEvent::CoreScope {
                checksum,
                scope,
                until,
                rounds,
                ..
            } => {
                let name = self.names.scope(tile, checksum, scope);
                let source = name.source.as_ref();
                let source = source.map_or(String::new(), |source| format!(",source={source}"));
                let (sort, what, count) = match scope {
                    CoreScope::Call(entry) => {
                        let number = format!("instruction_{entry}");
                        let function = name.function.unwrap_or(&number);
                        ("CALL", format!(",function={function}"), String::new())
                    }
                    CoreScope::Loop(_) => ("LOOP", String::new(), format!(",rounds={rounds}")),
                };
                self.line(at, format!("CORE_{sort}_BEGIN,{place}{what}{source}"));
                if let Some(until) = until {
                    let text = format!("CORE_{sort}_END,{place}{what}{source}{count}");
                    self.line(until, text);
                }
                return;
            }
            TraceEvent::CoreStep { pc, step, owner } => {
                let access = |access: CoreAccess| {
                    let dir = owner.map_or(' ', |owner| side(tile, owner));
                    let CoreAccess { inside, bytes, .. } = access;
                    format!("address={inside:#x},dir={dir},bytes={bytes},pcinfo={pc:#x}")
                };
                match step {
                    CoreStepKind::Jump(to) => {
                        format!("PC_CHANGE,{place},pc={to:#x},info={pc:#x}")
                    }
                    CoreStepKind::Load(load) => {
                        format!("CORE_READ_REQ,{place},{}", access(load))
                    }
                    CoreStepKind::Store(store) => {
                        format!("CORE_WRITE_REQ,{place},{}", access(store))
                    }
                    CoreStepKind::Omitted(count) => {
                        format!("CORE_STEPS_OMITTED,{place},count={count}")
                    }
                }
            }
            TraceEvent::TaskPushed {
                channel,
                bd,
                runs,
                token,
                ..
            } => {
                let (dma, ch, token) = (dma(channel), channel.index, u8::from(token));
                format!("{dma}_PUSH_TASK,{place},bd={bd},ch={ch},runs={runs},token={token}")
            }
            TraceEvent::BdLoaded {
                channel,
                bd,
                address,
            } => {
                self.bds.insert(channel, (bd, address));
                return;
            }
            TraceEvent::BdStarted { channel, bd } => {
                let loaded = self.bds.get(&channel);
                let address = loaded.map_or(0, |(_, address)| *address);
                let (dma, ch) = (dma(channel), channel.index);
                format!("{dma}_START,{place},bd={bd},ch={ch},start=0x{address:X}")
            }
            TraceEvent::BdFinished { channel, bd, words } => {
                let (dma, ch) = (dma(channel), channel.index);
                format!("{dma}_DONE,{place},bd={bd},ch={ch},words={words}")
            }
            TraceEvent::StreamStall { channel, until } => {
                let (dma, ch) = (dma(channel), channel.index);
                self.line(at, format!("{dma}_STREAMSTALL,{place},ch={ch}"));
                return self.line(until, format!("{dma}_STREAMSTALL_RELEASE,{place},ch={ch}"));
            }
            TraceEvent::ChannelIdle(channel) => {
                let bd = self.bds.get(&channel).map(|(bd, _)| format!("bd={bd},"));
                let (dma, bd) = (dma(channel), bd.unwrap_or_default());
                format!("{dma}_IDLE,{place},{bd}ch={}", channel.index)
            }
            TraceEvent::MemoryAccess {
                channel,
                address,
                words,
            } => {
                // A shim tile has no memory: its channels access the host's.
                let request = match (channel.dir, tile.row) {
                    (DmaDir::Mm2s, 0) => "HOST_READ_REQ",
                    (DmaDir::S2mm, 0) => "HOST_WRITE_REQ",
                    (DmaDir::Mm2s, _) => "DM_READ_REQ",
                    (DmaDir::S2mm, _) => "DM_WRITE_REQ",
                };
                let port = format!("{}_{}", dma(channel).to_lowercase(), channel.index);
                format!("{request},{place},portname={port},address=0x{address:X},words={words}")
            }
            TraceEvent::WatchedAccess {
                address,
                bytes,
                writes,
                ..
            } => {
                let kind = if writes { "WRITE" } else { "READ" };
                format!("WATCHED_{kind},{place},address=0x{address:X},bytes={bytes}")
            }
            TraceEvent::TokenSent { channel, actor } => {
                let (dma, ch) = (dma(channel), channel.index);
                format!("{dma}_TOKEN,{place},ch={ch},actor={actor}")
            }
            TraceEvent::TokenArrived { actor } => format!("TOKEN,{place},actor={actor}"),
            TraceEvent::PortBurst { port, .. } | TraceEvent::PortStalled { port, .. } => {
                return self.words(at, port, event);
            }
            TraceEvent::RegisterWritten { offset, value } => {
                format!("REG_WRITE,{place},offset=0x{offset:05X},value=0x{value:08X}")
            }
            TraceEvent::FirmwareOperation(operation) => self.firmware_operation(operation),
            TraceEvent::FirmwareOperationEnded => "NPU_OP_END".to_string(),
            _ => return self.controller(at, event),
        };
        self.line(at, line);
    }

    /// `,name=…` of a lock that has one.
    fn lock(&self, lock: LockId) -> String {
        let name = self.names.lock(lock);
        name.map_or(String::new(), |name| format!(",name={name}"))
    }

    fn lock_requested(&mut self, at: Cycle, by: ActorId, lock: LockId, need: LockNeed) {
        let name = self.names.lock(lock);
        let producer = name.is_some_and(|name| name.contains(PRODUCER));
        let (key, n) = match need {
            LockNeed::AtLeast(n) => ("atleast", n),
            LockNeed::Equal(n) => ("equal", n),
        };
        let (place, id, name) = (at_tile(by.tile()), lock.index, self.lock(lock));
        let line = match by.kind() {
            ActorKind::Channel(channel) => {
                let (dma, ch) = (dma(channel), channel.index);
                format!("{dma}_ACQ_LOCK,{place},ch={ch},lockid={id}")
            }
            ActorKind::Core => {
                let sort = if producer { "WRITE" } else { "READ" };
                let dir = side(by.tile(), lock.tile);
                format!("ACQ_{sort}_LOCK_REQ,{place},lockid={id},dir={dir}")
            }
            _ => return,
        };
        self.line(at, format!("{line},{key}={n}{name}"));
    }

    fn hw_event(&mut self, at: Cycle, tile: TileLoc, event: HwEvent) {
        let place = at_tile(tile);
        let line = match event {
            HwEvent::CoreActive(true) => {
                self.running.insert(tile);
                format!("CORE_RESET,{place}")
            }
            HwEvent::CoreActive(false) if self.running.remove(&tile) => {
                format!("CORE_DONE,{place}")
            }
            HwEvent::CoreLockStall(on) => core_stall(&place, StallKind::Lock, on),
            HwEvent::CoreStreamStall(on) => core_stall(&place, StallKind::Stream, on),
            HwEvent::CoreCascadeStall(on) => core_stall(&place, StallKind::Cascade, on),
            HwEvent::Instruction(n) => format!("{},{place}", HwEvent::instruction_name(n)),
            HwEvent::StartTask(channel) => {
                format!("{}_START_TASK,{place},ch={}", dma(channel), channel.index)
            }
            HwEvent::FinishedTask(channel) => {
                format!(
                    "{}_FINISHED_TASK,{place},ch={}",
                    dma(channel),
                    channel.index
                )
            }
            HwEvent::LockStall(channel, on) => {
                let bd = self.bds.get(&channel).map_or(0, |(bd, _)| *bd);
                let end = if on { "" } else { "_RELEASE" };
                let (dma, ch) = (dma(channel), channel.index);
                format!("{dma}_LOCKSTALL{end},{place},bd={bd},ch={ch}")
            }
            HwEvent::DmaError(channel) => {
                format!("{}_ERROR,{place},ch={}", dma(channel), channel.index)
            }
            HwEvent::BankConflict(bank) => {
                format!("DM_BANK_CONFLICT,{place},bankid={bank},bank={bank}")
            }
            HwEvent::LockError => format!("LOCK_ERROR,{place}"),
            HwEvent::ControlPacketError => format!("CONTROL_PACKET_ERROR,{place}"),
            // other trace events have more of it
            _ => return,
        };
        self.line(at, line);
    }

    fn words(&mut self, at: Cycle, actor: ActorId, event: TraceEvent) {
        let count = self.transfers.entry(actor).or_default();
        if matches!(event, TraceEvent::PortBurst { first: true, .. }) {
            *count += 1;
        }
        let number = count.saturating_sub(1);
        let side = if actor.is_slave_port() {
            "slave"
        } else {
            "master"
        };
        let port = actor.port();
        let port = port.map_or(String::new(), |p| format!("{}_{}", p.bundle, p.channel));
        let (tile, place) = (actor.tile(), at_tile(actor.tile()));
        let port = format!("{place},name=tile_{}_{}.{side}.{port}", tile.col, tile.row);
        match event {
            TraceEvent::PortStalled { until, .. } => {
                let id = packet_key(self.packets.get(&actor).copied());
                self.line(at, format!("DATA_STALL,{port},idx={number}"));
                self.line(until, format!("DATA_RESUME,{port}{id},idx={number}"));
            }
            TraceEvent::PortBurst {
                until,
                words,
                header,
                first,
                last,
                ..
            } => {
                let id = header.map(|word| PacketHeader::from_word(word).id);
                match id {
                    Some(id) => self.packets.insert(actor, id),
                    None if first => self.packets.remove(&actor),
                    None => None,
                };
                let id = packet_key(id);
                // The payload of a packet begins with the word after its header, which another burst may begin with.
                let start = if header.is_some() {
                    self.line(at, format!("DATA_HEAD,{port}{id},idx={number}"));
                    if words == 1 && !last {
                        self.headers.insert(actor);
                    }
                    let each = until.saturating_sub(at).div_ceil(Cycle::from(words.max(1)));
                    (words > 1).then_some(at + each)
                } else {
                    (first || self.headers.remove(&actor)).then_some(at)
                };
                if let Some(start) = start {
                    self.line(start, format!("DATA_START,{port}{id},idx={number}"));
                }
                if last {
                    self.line(until, format!("DATA_END,{port},idx={number},words={words}"));
                }
            }
            _ => {}
        }
    }

    fn firmware_operation(&self, operation: FirmwareOperation) -> String {
        let FirmwareOperation {
            offset,
            name,
            source,
            ..
        } = operation;
        let place = match operation.program {
            FirmwareProgram::Transaction => format!("program=transaction,offset={offset}"),
            FirmwareProgram::Save => format!("program=save,offset={offset}"),
            FirmwareProgram::Restore => format!("program=restore,offset={offset}"),
            FirmwareProgram::XclbinPdi => format!("program=xclbin,command={offset}"),
            FirmwareProgram::Pdi(id) => format!("program=pdi_{id},command={offset}"),
        };
        let source = source.and_then(|source| self.names.show(source));
        let source = source.map_or(String::new(), |source| format!(",source={source}"));
        format!("NPU_OP,{place},op={name}{source}")
    }

    fn controller(&mut self, at: Cycle, event: TraceEvent) {
        let job = |id: JobId| format!("uc={},page={},job={}", id.uc, id.page, id.job);
        let line = match event {
            TraceEvent::Page { uc, page, begins } => {
                let end = if begins { "BEGIN" } else { "END" };
                format!("UC_PAGE_{end},uc={uc},page={page}")
            }
            TraceEvent::Instruction {
                job: id,
                offset,
                mnemonic,
            } => format!("UC_OP,{},offset={offset},op={mnemonic}", job(id)),
            TraceEvent::JobStarted(id) => format!("UC_JOB_RUN,{}", job(id)),
            TraceEvent::JobBlocked { job: id, on } => {
                format!("UC_JOB_WAIT,{},for={}", job(id), on.name())
            }
            TraceEvent::JobReady(id) => format!("UC_JOB_READY,{}", job(id)),
            TraceEvent::JobEnded(id) => format!("UC_JOB_END,{}", job(id)),
            TraceEvent::UcDma {
                uc,
                chain,
                words,
                until,
            } => {
                self.line(
                    at,
                    format!("UC_DMA_START,uc={uc},chain={chain},words={words}"),
                );
                return self.line(until, format!("UC_DMA_END,uc={uc},chain={chain}"));
            }
            _ => return,
        };
        self.line(at, line);
    }
}

fn core_stall(place: &str, kind: StallKind, on: bool) -> String {
    if on {
        format!("CORE_WAIT,{place},cause={}", kind.name())
    } else {
        format!("CORE_READY,{place}")
    }
}

/// `,pktid=…` of a packet.
fn packet_key(id: Option<u8>) -> String {
    id.map_or(String::new(), |id| format!(",pktid={id}"))
}

fn at_tile(tile: TileLoc) -> String {
    format!("col={},row={}", tile.col, tile.row)
}

fn dma(channel: ChannelId) -> &'static str {
    match channel.dir {
        DmaDir::S2mm => "DMA_S2MM",
        DmaDir::Mm2s => "DMA_MM2S",
    }
}

/// On which side of a core a memory module is; its own is in the east (AM020).
fn side(core: TileLoc, owner: TileLoc) -> char {
    match (owner.col.cmp(&core.col), owner.row.cmp(&core.row)) {
        (std::cmp::Ordering::Less, _) => 'W',
        (_, std::cmp::Ordering::Less) => 'S',
        (_, std::cmp::Ordering::Greater) => 'N',
        _ => 'E',
    }
}
