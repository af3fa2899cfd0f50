//! The trace as a value change dump, for GTKWave and other wave viewers.
//!
//! A scope for each tile (`tile_C_R`) and controller (`uc_N`), in it one for each part. States are
//! strings and wires of their own; a lock is a vector with its value; a port has `running`,
//! `stalled` and `tlast`. The timescale is 1 ps, a cycle a nanosecond.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use aiec_device::TileLoc;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Vector};

use super::PICOSECONDS;
use super::names::TraceNames;
use super::timeline::{
    self, KeyedArrow, Mark, Sample, Span, SpanState, TimelineSink, TrackHead, TrackKey, TrackKind,
};
use crate::array::{TraceEvent, TraceRecord};
use crate::external_sort::{Scratch, Sortable, Sorter, field_enum, field_struct};
use crate::run::SimResult;
use crate::time::Cycle;
use aiec_run_loop::MachineOutcome;

/// Bits of a lock's value: 0 to 63 and a sign, as a release may leave the range.
const LOCK_BITS: u32 = 7;
/// Name of the state of a part that does nothing.
const IDLE: &str = "idle";

/// A signal: its scopes and name, sort and value at first.
struct Signal {
    scopes: [String; 2],
    name: String,
    kind: SignalKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SignalKind {
    Wire,
    Number(u32),
    Text,
}

/// A value of a signal.
#[derive(Clone, Copy)]
enum SignalValue {
    Wire(bool),
    Number(u64, u32),
    Text(&'static str),
}

field_enum!(SignalValue {
    0: Wire(on),
    1: Number(value, bits),
    2: Text(text)
});

/// Which signal: those of tracks come before those of events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SignalKey {
    /// A signal of a track, in the order of its wires.
    Track(TrackKey, u8),
    /// A signal by its number among those of events.
    Event(u32),
}

field_enum!(SignalKey {
    0: Track(track, wire),
    1: Event(number)
});

/// A signal gets a value.
#[derive(Clone)]
struct Change {
    at: Cycle,
    signal: SignalKey,
    value: SignalValue,
    /// Which change of the signal comes first in a cycle.
    order: Cycle,
}

field_struct!(Change {
    at,
    signal,
    value,
    order
});

impl Sortable for Change {
    type Key = (Cycle, u8, Option<SignalKey>, Cycle);

    fn key(&self) -> Self::Key {
        // what ends comes before what begins in the same cycle
        let rank = match self.value {
            SignalValue::Wire(on) => u8::from(on),
            SignalValue::Text(text) => u8::from(text != IDLE),
            SignalValue::Number(..) => 0,
        };
        // those of events are in the order in which they come
        let (rank, signal) = match self.signal {
            SignalKey::Track(..) => (2 * rank, Some(self.signal)),
            SignalKey::Event(_) => (2 * rank + 1, None),
        };
        (self.at, rank, signal, self.order)
    }

    fn first_of_key(&self) -> u64 {
        self.at
    }
}

/// The dump of a run under construction.
struct Dump {
    changes: Sorter<Change>,
    /// Signals of events.
    events: Vec<Signal>,
}

/// Facts in the head of a dump.
struct RunFacts<'a> {
    device: &'a str,
    status: &'a str,
    cycles: Cycle,
}

/// Writes the dump of a run.
///
/// # Errors
/// The trace can't be read, or the output not be written.
pub(super) fn write(
    result: &SimResult,
    scratch: &Rc<dyn Scratch>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut dump = Dump::new(scratch);
    let tracks = timeline::build(result, &mut dump)?;
    dump.events(result)?;
    let facts = RunFacts {
        device: result.array.device().name(),
        status: result.status.name(),
        cycles: timeline::end_of(result),
    };
    let tracks = tracks.iter().map(|(_, track)| track);
    let tracks = tracks.filter(|track| track.kind != TrackKind::Program);
    let signals = tracks.flat_map(signals_of);
    dump.write(signals.collect(), &facts, out)
}

/// Writes the dump of a run of another machine: for each unit its event and the event's number.
pub(super) fn write_units(
    outcome: &MachineOutcome,
    scratch: &Rc<dyn Scratch>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let trace = &outcome.trace;
    let mut dump = Dump::new(scratch);
    let signals: Vec<[SignalKey; 2]> = trace
        .units
        .iter()
        .map(|(group, name)| {
            let (group, part) = (identifier(group), identifier(name));
            let scopes = [group.as_str(), part.as_str()];
            [
                ("event", SignalKind::Text),
                ("number", SignalKind::Number(u64::BITS)),
            ]
            .map(|(name, kind)| dump.event_signal(scopes, name, kind))
        })
        .collect();
    trace.each_record(&mut |record| {
        let Some(&[event, number]) = signals.get(record.unit.0 as usize) else {
            return Ok(());
        };
        let key = SignalValue::Number(record.key, u64::BITS);
        let (begin, end) = (record.at, record.until.max(record.at + 1));
        dump.change(begin, number, key)?;
        dump.change(begin, event, SignalValue::Text(record.event))?;
        dump.change(end, event, SignalValue::Text(IDLE))
    })?;
    let facts = RunFacts {
        device: outcome.machine,
        status: outcome.status.name(),
        cycles: outcome.cycles,
    };
    dump.write(Vec::new(), &facts, out)
}

/// The wires of a track, each with the state that it shows.
fn wires(kind: TrackKind) -> &'static [(SpanState, &'static str)] {
    match kind {
        TrackKind::Port => &[
            (SpanState::Move, "running"),
            (SpanState::Stalled, "stalled"),
        ],
        TrackKind::Core => &[
            (SpanState::Run, "active"),
            (SpanState::Lock, "lock_stall"),
            (SpanState::Stream, "stream_stall"),
            (SpanState::Cascade, "cascade_stall"),
        ],
        TrackKind::Channel => &[
            (SpanState::Move, "moves"),
            (SpanState::Lock, "lock_stall"),
            (SpanState::Stream, "stream_stall"),
        ],
        TrackKind::Controller
        | TrackKind::UcDma
        | TrackKind::Unit
        | TrackKind::Program
        | TrackKind::Lock
        | TrackKind::Rate => &[],
        TrackKind::Job => &[(SpanState::Run, "runs")],
    }
}

/// The signals of a track: its wires and, after them, the innermost span of each cycle.
fn signals_of(track: &TrackHead) -> Vec<(SignalKey, Signal)> {
    // Locks are signals of the events, and no wave shows rates.
    if track.kind.samples_per_value().is_some() {
        return Vec::new();
    }
    let scopes = [identifier(&track.group), identifier(&track.name)];
    let wires = wires(track.kind).iter();
    let wires = wires.map(|&(_, name)| (name, SignalKind::Wire));
    let all = wires.chain([("state", SignalKind::Text)]);
    let signals = (0..).zip(all).map(|(index, (name, kind))| {
        let signal = Signal {
            scopes: scopes.clone(),
            name: name.to_string(),
            kind,
        };
        (SignalKey::Track(track.key, index), signal)
    });
    signals.collect()
}

impl TimelineSink for Dump {
    fn span(&mut self, kind: TrackKind, track: TrackKey, span: Span) -> io::Result<()> {
        // Calls and loops lie inside each other: they have no value at a time.
        if kind == TrackKind::Program {
            return Ok(());
        }
        let wires = wires(kind);
        let wire = wires.iter().position(|(state, _)| *state == span.state);
        if let Some(wire) = wire {
            let signal = SignalKey::Track(track, wire as u8);
            self.span_changes(
                &span,
                signal,
                [SignalValue::Wire(true), SignalValue::Wire(false)],
            )?;
        }
        let leaf = match kind {
            TrackKind::Channel => 2,
            _ => 0,
        };
        if span.depth == leaf {
            let signal = SignalKey::Track(track, wires.len() as u8);
            let values = [
                SignalValue::Text(span.state.name()),
                SignalValue::Text(IDLE),
            ];
            self.span_changes(&span, signal, values)?;
        }
        Ok(())
    }

    fn mark(&mut self, _: TrackKey, _: Mark) -> io::Result<()> {
        Ok(())
    }

    fn sample(&mut self, _: TrackKind, _: TrackKey, _: Sample) -> io::Result<()> {
        Ok(())
    }

    fn arrow(&mut self, _: KeyedArrow) -> io::Result<()> {
        Ok(())
    }
}

impl Dump {
    fn new(scratch: &Rc<dyn Scratch>) -> Dump {
        Dump {
            changes: Sorter::new(scratch),
            events: Vec::new(),
        }
    }

    fn event_signal(&mut self, scopes: [&str; 2], name: &str, kind: SignalKind) -> SignalKey {
        self.events.push(Signal {
            scopes: scopes.map(String::from),
            name: name.to_string(),
            kind,
        });
        SignalKey::Event(self.events.len() as u32 - 1)
    }

    fn change(&mut self, at: Cycle, signal: SignalKey, value: SignalValue) -> io::Result<()> {
        self.changes.push(Change {
            at,
            signal,
            value,
            order: 0,
        })
    }

    /// A signal gets a value when a span begins, and another when it ends.
    fn span_changes(
        &mut self,
        span: &Span,
        signal: SignalKey,
        [begun, ended]: [SignalValue; 2],
    ) -> io::Result<()> {
        self.changes.push(Change {
            at: span.begin,
            signal,
            value: begun,
            order: span.end,
        })?;
        self.changes.push(Change {
            at: span.end,
            signal,
            value: ended,
            order: span.begin,
        })
    }

    /// Locks, BDs and ends of packets.
    fn events(&mut self, result: &SimResult) -> io::Result<()> {
        let names = TraceNames::new(result);
        let mut known: BTreeMap<(TileLoc, String, String), SignalKey> = BTreeMap::new();
        result.each_record(&mut |record| {
            let TraceRecord { at, tile, event } = *record;
            let Some((part, name, kind)) = event_signal(&names, event) else {
                return Ok(());
            };
            let group = identifier(&format!("{} {tile}", names.kind(tile)));
            let key = (tile, part, name);
            let signal = match known.get(&key) {
                Some(&signal) => signal,
                None => {
                    let signal = self.event_signal([&group, &key.1], &key.2, kind);
                    known.insert(key, signal);
                    signal
                }
            };
            match event {
                TraceEvent::LockAcquired { value, .. }
                | TraceEvent::LockReleased { value, .. }
                | TraceEvent::LockSet { value, .. } => {
                    let value = i64::from(value) as u64;
                    self.change(at, signal, SignalValue::Number(value, LOCK_BITS))
                }
                TraceEvent::BdLoaded { bd, .. } => {
                    self.change(at, signal, SignalValue::Number(bd.into(), 8))
                }
                TraceEvent::PortBurst { until, .. } => {
                    let last = until.saturating_sub(1);
                    self.change(last, signal, SignalValue::Wire(true))?;
                    self.change(until, signal, SignalValue::Wire(false))
                }
                _ => Ok(()),
            }
        })
    }

    fn write(
        mut self,
        mut signals: Vec<(SignalKey, Signal)>,
        facts: &RunFacts<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let events = (0..).map(SignalKey::Event);
        signals.extend(events.zip(std::mem::take(&mut self.events)));
        let mut writer = vcd::Writer::new(out);
        writer.comment(&format!(
            "aiec: {} on {}, 1 cycle = {PICOSECONDS} ps",
            facts.status, facts.device
        ))?;
        writer.timescale(1, TimescaleUnit::PS)?;
        let ids = declare(&signals, &mut writer)?;
        writer.enddefinitions()?;
        writer.timestamp(0)?;
        writer.begin(SimulationCommand::Dumpvars)?;
        for ((_, signal), &id) in signals.iter().zip(&ids) {
            match signal.kind {
                SignalKind::Wire => writer.change_scalar(id, Value::V0)?,
                SignalKind::Number(bits) => {
                    writer.change_vector(id, &Vector::zeros(bits as usize))?
                }
                SignalKind::Text => writer.change_string(id, IDLE)?,
            }
        }
        writer.end()?;
        let keys = signals.iter().map(|(key, _)| *key);
        let by_key: BTreeMap<SignalKey, IdCode> = keys.zip(ids).collect();
        let mut now = 0;
        let mut changes = self.changes.sorted()?;
        while let Some(change) = changes.next()? {
            if change.at > now {
                now = change.at;
                writer.timestamp(now * PICOSECONDS)?;
            }
            let Some(&id) = by_key.get(&change.signal) else {
                continue;
            };
            match change.value {
                SignalValue::Wire(on) => writer.change_scalar(id, on)?,
                SignalValue::Text(text) => writer.change_string(id, text)?,
                SignalValue::Number(value, bits) => {
                    writer.change_vector(id, &bits_of(value, bits))?
                }
            }
        }
        if facts.cycles > now {
            writer.timestamp(facts.cycles * PICOSECONDS)?;
        }
        Ok(())
    }
}

/// The signal that an event changes: part, name and kind.
fn event_signal(names: &TraceNames<'_>, event: TraceEvent) -> Option<(String, String, SignalKind)> {
    Some(match event {
        TraceEvent::LockAcquired { lock, .. }
        | TraceEvent::LockReleased { lock, .. }
        | TraceEvent::LockSet { lock, .. } => {
            let id = lock.index;
            let name = match names.lock(lock) {
                Some(name) => format!("lock_{id}_{}", identifier(name)),
                None => format!("lock_{id}"),
            };
            ("locks".to_string(), name, SignalKind::Number(LOCK_BITS))
        }
        TraceEvent::BdLoaded { channel, .. } => {
            let part = identifier(&format!("DMA {} {}", channel.dir, channel.index));
            (part, "bd".to_string(), SignalKind::Number(8))
        }
        TraceEvent::PortBurst {
            port, last: true, ..
        } => {
            let side = if port.is_slave_port() { "from" } else { "to" };
            let port = port.port();
            let port = port.map(|p| format!("{side} {} {}", p.bundle, p.channel));
            let part = identifier(&port.unwrap_or_default());
            (part, "tlast".to_string(), SignalKind::Wire)
        }
        _ => return None,
    })
}

/// Declares all signals by scope; their ids.
fn declare<W: Write>(
    signals: &[(SignalKey, Signal)],
    writer: &mut vcd::Writer<W>,
) -> io::Result<Vec<IdCode>> {
    let mut scopes: BTreeMap<&str, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for (index, (_, signal)) in signals.iter().enumerate() {
        let [group, part] = &signal.scopes;
        let group = scopes.entry(group).or_default();
        group.entry(part).or_default().push(index);
    }
    let mut ids = vec![IdCode::FIRST; signals.len()];
    for (group, parts) in scopes {
        writer.add_module(group)?;
        for (part, members) in parts {
            writer.add_module(part)?;
            for index in members {
                let (_, Signal { name, kind, .. }) = &signals[index];
                ids[index] = match *kind {
                    SignalKind::Wire => writer.add_wire(1, name)?,
                    SignalKind::Number(bits) => writer.add_var(VarType::Reg, bits, name, None)?,
                    SignalKind::Text => writer.add_var(VarType::String, 1, name, None)?,
                };
            }
            writer.upscope()?;
        }
        writer.upscope()?;
    }
    Ok(ids)
}

fn bits_of(value: u64, bits: u32) -> Vector {
    let bit = |n: u32| match value >> n & 1 {
        0 => Value::V0,
        _ => Value::V1,
    };
    (0..bits).rev().map(bit).collect()
}

/// A name that viewers take: letters, digits and underscores.
fn identifier(name: &str) -> String {
    let mut identifier = String::new();
    for c in name.chars() {
        let fits = c.is_ascii_alphanumeric();
        if fits {
            identifier.push(c);
        } else if !identifier.ends_with('_') && !identifier.is_empty() {
            identifier.push('_');
        }
    }
    identifier.trim_end_matches('_').to_string()
}
