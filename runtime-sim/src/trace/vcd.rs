//! The trace as a value change dump, for GTKWave and other wave viewers.
//!
//! A scope for each tile (`tile_C_R`) and controller (`uc_N`), in it one for each part. States are
//! strings and wires of their own; a lock is a vector with its value; a port has `running`,
//! `stalled` and `tlast`. The timescale is 1 ps, a cycle a nanosecond.

use std::collections::BTreeMap;

use aiec_device::TileLoc;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Vector};

use super::PICOSECONDS;
use super::names::TraceNames;
use super::timeline::{SpanState, Timeline, Track, TrackKind};
use crate::array::{TraceEvent, TraceRecord};
use crate::drive::UnitTrace;
use crate::run::SimResult;
use crate::time::Cycle;

/// Bits of a lock's value: 0 to 63 and a sign, as a release may leave the range.
const LOCK_BITS: u32 = 7;
/// What a part that does nothing is called.
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

#[derive(Default)]
struct Dump {
    signals: Vec<Signal>,
    changes: Vec<(Cycle, usize, SignalValue)>,
}

/// The dump of a run.
pub fn write(result: &SimResult) -> Vec<u8> {
    let timeline = Timeline::of(result);
    let mut dump = Dump::default();
    for track in &timeline.tracks {
        dump.track(track);
    }
    dump.events(result);
    let mut out = Vec::new();
    // A vector takes whatever is written.
    let _ = dump.write(&timeline, &mut out);
    out
}

/// The dump of a run of another machine: for each unit its event and the event's number.
pub(super) fn write_units(trace: &UnitTrace, timeline: &Timeline) -> Vec<u8> {
    let mut dump = Dump::default();
    let signals: Vec<(usize, usize)> = trace
        .units
        .iter()
        .map(|(group, name)| {
            let (group, part) = (identifier(group), identifier(name));
            let scopes = [group.as_str(), part.as_str()];
            (
                dump.signal(scopes, "event", SignalKind::Text),
                dump.signal(scopes, "number", SignalKind::Number(u64::BITS)),
            )
        })
        .collect();
    for record in &trace.records {
        let Some(&(event, number)) = signals.get(record.unit.0 as usize) else {
            continue;
        };
        let key = SignalValue::Number(record.key, u64::BITS);
        let (begin, end) = (record.at, record.until.max(record.at + 1));
        dump.changes.push((begin, number, key));
        dump.changes
            .push((begin, event, SignalValue::Text(record.event)));
        dump.changes.push((end, event, SignalValue::Text(IDLE)));
    }
    let mut out = Vec::new();
    // A vector takes whatever is written.
    let _ = dump.write(timeline, &mut out);
    out
}

impl Dump {
    fn signal(&mut self, scopes: [&str; 2], name: &str, kind: SignalKind) -> usize {
        self.signals.push(Signal {
            scopes: scopes.map(String::from),
            name: name.to_string(),
            kind,
        });
        self.signals.len() - 1
    }

    /// The states of a track: the innermost spans of each cycle.
    fn track(&mut self, track: &Track) {
        let (group, part) = (identifier(&track.group), identifier(&track.name));
        let scopes = [group.as_str(), part.as_str()];
        let wires: &[(SpanState, &str)] = match track.kind {
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
            TrackKind::Controller | TrackKind::UcDma | TrackKind::Unit => &[],
            TrackKind::Job => &[(SpanState::Run, "runs")],
        };
        for &(state, name) in wires {
            let id = self.signal(scopes, name, SignalKind::Wire);
            for span in track.spans.iter().filter(|span| span.state == state) {
                self.changes.push((span.begin, id, SignalValue::Wire(true)));
                self.changes.push((span.end, id, SignalValue::Wire(false)));
            }
        }
        let id = self.signal(scopes, "state", SignalKind::Text);
        let leaf = match track.kind {
            TrackKind::Channel => 2,
            _ => 0,
        };
        for span in track.spans.iter().filter(|span| span.depth == leaf) {
            self.changes
                .push((span.begin, id, SignalValue::Text(span.state.name())));
            self.changes.push((span.end, id, SignalValue::Text(IDLE)));
        }
    }

    /// Locks, BDs and ends of packets.
    fn events(&mut self, result: &SimResult) {
        let names = TraceNames::new(result);
        let mut known: BTreeMap<(TileLoc, String, String), usize> = BTreeMap::new();
        for TraceRecord { at, tile, event } in result.trace.iter().copied() {
            let (part, name, kind) = match event {
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
                _ => continue,
            };
            let group = identifier(&format!("{} {tile}", names.kind(tile)));
            let key = (tile, part, name);
            let id = match known.get(&key) {
                Some(&id) => id,
                None => {
                    let id = self.signal([&group, &key.1], &key.2, kind);
                    known.insert(key, id);
                    id
                }
            };
            match event {
                TraceEvent::LockAcquired { value, .. }
                | TraceEvent::LockReleased { value, .. }
                | TraceEvent::LockSet { value, .. } => {
                    let value = i64::from(value) as u64;
                    self.changes
                        .push((at, id, SignalValue::Number(value, LOCK_BITS)));
                }
                TraceEvent::BdLoaded { bd, .. } => {
                    self.changes
                        .push((at, id, SignalValue::Number(bd.into(), 8)));
                }
                TraceEvent::PortBurst { until, .. } => {
                    let at = until.saturating_sub(1);
                    self.changes.push((at, id, SignalValue::Wire(true)));
                    self.changes.push((until, id, SignalValue::Wire(false)));
                }
                _ => {}
            }
        }
    }

    fn write(mut self, timeline: &Timeline, out: &mut Vec<u8>) -> std::io::Result<()> {
        let mut writer = vcd::Writer::new(out);
        writer.comment(&format!(
            "aiec: {} on {}, 1 cycle = {PICOSECONDS} ps",
            timeline.status, timeline.device
        ))?;
        writer.timescale(1, TimescaleUnit::PS)?;
        let ids = self.declare(&mut writer)?;
        writer.enddefinitions()?;
        writer.timestamp(0)?;
        writer.begin(SimulationCommand::Dumpvars)?;
        for (signal, &id) in self.signals.iter().zip(&ids) {
            match signal.kind {
                SignalKind::Wire => writer.change_scalar(id, Value::V0)?,
                SignalKind::Number(bits) => {
                    writer.change_vector(id, &Vector::zeros(bits as usize))?
                }
                SignalKind::Text => writer.change_string(id, IDLE)?,
            }
        }
        writer.end()?;
        // what ends comes before what begins in the same cycle
        let rank = |level: &SignalValue| match level {
            SignalValue::Wire(on) => u8::from(*on),
            SignalValue::Text(text) => u8::from(*text != IDLE),
            SignalValue::Number(..) => 0,
        };
        self.changes
            .sort_by_key(|(at, _, level)| (*at, rank(level)));
        let mut now = 0;
        for (at, signal, level) in &self.changes {
            if *at > now {
                now = *at;
                writer.timestamp(now * PICOSECONDS)?;
            }
            let id = ids[*signal];
            match *level {
                SignalValue::Wire(on) => writer.change_scalar(id, on)?,
                SignalValue::Text(text) => writer.change_string(id, text)?,
                SignalValue::Number(value, bits) => {
                    writer.change_vector(id, &bits_of(value, bits))?
                }
            }
        }
        if timeline.cycles > now {
            writer.timestamp(timeline.cycles * PICOSECONDS)?;
        }
        Ok(())
    }

    /// Declares all signals by scope; their ids.
    fn declare(&self, writer: &mut vcd::Writer<&mut Vec<u8>>) -> std::io::Result<Vec<IdCode>> {
        let mut scopes: BTreeMap<&str, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
        for (index, signal) in self.signals.iter().enumerate() {
            let [group, part] = &signal.scopes;
            let group = scopes.entry(group).or_default();
            group.entry(part).or_default().push(index);
        }
        let mut ids = vec![IdCode::FIRST; self.signals.len()];
        for (group, parts) in scopes {
            writer.add_module(group)?;
            for (part, signals) in parts {
                writer.add_module(part)?;
                for index in signals {
                    let Signal { name, kind, .. } = &self.signals[index];
                    ids[index] = match *kind {
                        SignalKind::Wire => writer.add_wire(1, name)?,
                        SignalKind::Number(bits) => {
                            writer.add_var(VarType::Reg, bits, name, None)?
                        }
                        SignalKind::Text => writer.add_var(VarType::String, 1, name, None)?,
                    };
                }
                writer.upscope()?;
            }
            writer.upscope()?;
        }
        Ok(ids)
    }
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
