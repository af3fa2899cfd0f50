//! Tracks of cores, DMA channels and ports.

use std::borrow::Cow;

use aiec_device::{ChannelId, DmaDir, LockId, TileLoc, WORD_BYTES};

use super::rows::TrackBuilder;
use super::{ActorOrJob, Builder, Sample, SpanState, TrackSubject};
use crate::array::{ActorId, ActorKind, HwEvent, PacketHeader, StallKind, TraceEvent};
use crate::core::CoreScope;
use crate::time::Cycle;

/// Depths of a channel's track.
const TASK: u8 = 0;
const BD: u8 = 1;
const PHASE: u8 = 2;

impl Builder<'_> {
    pub(super) fn array(&mut self, at: Cycle, tile: TileLoc, event: TraceEvent) {
        match event {
            TraceEvent::Hw(event) => self.hw_event(at, tile, event),
            TraceEvent::LockRequested { by, lock, need } => {
                self.requested.insert(by, (lock, need));
            }
            TraceEvent::LockAcquired {
                by, lock, value, ..
            } => {
                let words = self.names.lock_words(lock);
                self.mark(by, at, format!("acquires {words}"));
                self.lock_value(at, lock, value);
            }
            TraceEvent::LockReleased {
                by,
                lock,
                change,
                value,
            } => {
                let words = self.names.lock_words(lock);
                self.mark(by, at, format!("releases {words} by {change:+}"));
                self.lock_value(at, lock, value);
            }
            TraceEvent::LockSet { lock, value } => self.lock_value(at, lock, value),
            TraceEvent::MemoryAccess { channel, words, .. } => {
                let bytes = u64::from(words) * WORD_BYTES;
                let samples = self.rates.add(channel, at, bytes);
                let track = TrackSubject::Rate(channel);
                self.samples.extend(samples.map(|sample| (track, sample)));
            }
            TraceEvent::CoreStalled { kind, until } => {
                let text = self.stall_words(tile, kind);
                let row = self.row(ActorId::core(tile));
                row.insert(0, at, until, stalled(kind), text);
            }
            TraceEvent::CoreScope {
                checksum,
                scope,
                until,
                depth,
                rounds,
                omitted,
            } => {
                let mut text = self.names.scope(tile, checksum, scope).to_string();
                if let CoreScope::Loop(_) = scope {
                    text += &format!(", {rounds} rounds");
                }
                if omitted > 0 {
                    text += &format!("; {omitted} calls and loops inside are left out");
                }
                let until = until.unwrap_or(self.end);
                let row = self.row_of(TrackSubject::Program(tile));
                row.add(depth, at, until, SpanState::Part, text);
            }
            TraceEvent::TaskPushed {
                channel,
                bd,
                runs,
                token,
                by,
            } => {
                let text = match runs {
                    1 => format!("task of BD {bd}"),
                    runs => format!("task of BD {bd}, {runs} times"),
                };
                let text = if token { text + ", token" } else { text };
                self.tasks.pushed(channel, at, text, by);
            }
            TraceEvent::StreamStall { channel, until } => {
                let text = match channel.dir {
                    DmaDir::S2mm => "waits for words",
                    DmaDir::Mm2s => "waits for room in the stream",
                };
                let row = self.channel_row(channel);
                row.insert(PHASE, at, until, SpanState::Stream, text);
            }
            TraceEvent::BdLoaded {
                channel,
                bd,
                address,
            } => {
                let row = self.channel_row(channel);
                row.open(BD, at, SpanState::Part, format!("BD {bd} at 0x{address:X}"));
                row.open(PHASE, at, SpanState::Setup, "loaded");
            }
            TraceEvent::BdStarted { channel, .. } => {
                let row = self.channel_row(channel);
                row.open(PHASE, at, SpanState::Move, "moves words");
            }
            TraceEvent::BdFinished { channel, .. } => {
                let row = self.channel_row(channel);
                row.close(PHASE, at);
                row.close(BD, at);
            }
            TraceEvent::TokenSent { channel, actor } => {
                self.channel_row(channel).mark(at, "sends its token");
                self.tasks.sent(channel, actor, at);
            }
            TraceEvent::TokenArrived { actor } => self.tasks.arrived(tile, actor),
            TraceEvent::PortBurst { .. } | TraceEvent::PortStalled { .. } => self.words(at, event),
            _ => {}
        }
    }

    fn lock_value(&mut self, at: Cycle, lock: LockId, value: i8) {
        let value = u64::from(value.unsigned_abs());
        let sample = Sample { at, value };
        self.samples.push((TrackSubject::Lock(lock), sample));
    }

    fn channel_row(&mut self, channel: ChannelId) -> &mut TrackBuilder {
        self.row(ActorId::channel(channel))
    }

    fn mark(&mut self, by: ActorId, at: Cycle, text: impl Into<Cow<'static, str>>) {
        if let ActorKind::Core | ActorKind::Channel(_) = by.kind() {
            self.row(by).mark(at, text);
        }
    }

    /// Wait of a core, in words.
    fn stall_words(&self, tile: TileLoc, kind: StallKind) -> Cow<'static, str> {
        match (kind, self.requested_words(ActorId::core(tile))) {
            (StallKind::Lock, Some(lock)) => format!("waits for {lock}").into(),
            (StallKind::Lock, None) => "waits for a lock".into(),
            (StallKind::Stream, _) => "waits for its stream".into(),
            (StallKind::Cascade, _) => "waits for its cascade".into(),
        }
    }

    /// The request of an actor, in words.
    fn requested_words(&self, actor: ActorId) -> Option<String> {
        let (lock, need) = *self.requested.get(&actor)?;
        Some(self.names.need_words(lock, need))
    }

    fn hw_event(&mut self, at: Cycle, tile: TileLoc, event: HwEvent) {
        let core = ActorId::core(tile);
        match event {
            HwEvent::CoreActive(true) => {
                self.row(core).open(0, at, SpanState::Run, "runs");
            }
            HwEvent::CoreActive(false) => self.row(core).close(0, at),
            HwEvent::CoreLockStall(on) => self.core_stall(at, tile, StallKind::Lock, on),
            HwEvent::CoreStreamStall(on) => self.core_stall(at, tile, StallKind::Stream, on),
            HwEvent::CoreCascadeStall(on) => self.core_stall(at, tile, StallKind::Cascade, on),
            HwEvent::Instruction(n) => self.row(core).mark(at, HwEvent::instruction_name(n)),
            HwEvent::StartTask(channel) => {
                let text = self.tasks.begins(channel, at);
                let row = self.channel_row(channel);
                row.open(TASK, at, SpanState::Part, text);
                row.open(PHASE, at, SpanState::Setup, "loads its BD");
            }
            HwEvent::FinishedTask(channel) => {
                let row = self.channel_row(channel);
                for depth in [PHASE, BD, TASK] {
                    row.close(depth, at);
                }
            }
            HwEvent::LockStall(channel, on) => {
                if on {
                    let lock = self.requested_words(ActorId::channel(channel));
                    let text = format!("waits for {}", lock.unwrap_or_default());
                    let row = self.channel_row(channel);
                    row.open(PHASE, at, SpanState::Lock, text)
                } else {
                    let row = self.channel_row(channel);
                    row.open(PHASE, at, SpanState::Setup, "has its lock")
                }
            }
            HwEvent::BankConflict(bank) if self.rows.has(ActorOrJob::Actor(core).into()) => {
                self.row(core).mark(at, format!("conflict in bank {bank}"));
            }
            HwEvent::DmaError(channel) => {
                let row = self.channel_row(channel);
                row.mark(at, "stops with a fault");
                for depth in [PHASE, BD, TASK] {
                    row.close(depth, at);
                }
            }
            _ => {}
        }
    }

    fn core_stall(&mut self, at: Cycle, tile: TileLoc, kind: StallKind, begins: bool) {
        let text = self.stall_words(tile, kind);
        let row = self.row(ActorId::core(tile));
        match begins {
            true => row.open(0, at, stalled(kind), text),
            false if row.state(0) == Some(stalled(kind)) => {
                row.open(0, at, SpanState::Run, "runs");
            }
            false => {}
        }
    }

    fn words(&mut self, at: Cycle, event: TraceEvent) {
        match event {
            TraceEvent::PortBurst {
                port,
                until,
                words,
                header,
                ..
            } => {
                let packet = header.map(|word| PacketHeader::from_word(word).id);
                let text = match packet {
                    Some(id) => format!("{words} words, packet id {id}"),
                    None => format!("{words} words"),
                };
                let row = self.row(port);
                row.add(0, at, until.max(at + 1), SpanState::Move, text);
            }
            TraceEvent::PortStalled { port, until } => {
                let row = self.row(port);
                row.add(0, at, until, SpanState::Stalled, "a word waits");
            }
            _ => {}
        }
    }
}

fn stalled(kind: StallKind) -> SpanState {
    match kind {
        StallKind::Lock => SpanState::Lock,
        StallKind::Stream => SpanState::Stream,
        StallKind::Cascade => SpanState::Cascade,
    }
}
