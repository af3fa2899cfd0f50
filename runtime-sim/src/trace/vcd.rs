//! The trace as a value change dump, for GTKWave and other wave viewers.
//!
//! A scope for each tile (`tile_C_R`) and controller (`uc_N`), in it one for each part. States are
//! strings and wires of their own; a lock is a vector with its value; a port has `running`,
//! `stalled` and `tlast`. The timescale is 1 ps, a cycle a nanosecond.

use std::collections::BTreeMap;

use aiec_device::TileLoc;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Vector};

use super::PICOSECONDS;
use super::names::Naming;
use super::timeline::{Sort, State, Timeline, Track};
use crate::array::{Note, Noted};
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
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wire,
    Number(u32),
    Text,
}

/// A value of a signal.
#[derive(Clone, Copy)]
enum Level {
    Wire(bool),
    Number(u64, u32),
    Text(&'static str),
}

#[derive(Default)]
struct Dump {
    signals: Vec<Signal>,
    changes: Vec<(Cycle, usize, Level)>,
}

/// The dump of a run.
pub fn write(result: &SimResult) -> Vec<u8> {
    let timeline = Timeline::of(result);
    let mut dump = Dump::default();
    for track in &timeline.tracks {
        dump.track(track);
    }
    dump.notes(result);
    let mut out = Vec::new();
    // A vector takes whatever is written.
    let _ = dump.write(&timeline, &mut out);
    out
}

impl Dump {
    fn signal(&mut self, scopes: [&str; 2], name: &str, kind: Kind) -> usize {
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
        let wires: &[(State, &str)] = match track.sort {
            Sort::Port => &[(State::Move, "running"), (State::Stood, "stalled")],
            Sort::Core => &[
                (State::Run, "active"),
                (State::Lock, "lock_stall"),
                (State::Stream, "stream_stall"),
                (State::Cascade, "cascade_stall"),
            ],
            Sort::Channel => &[
                (State::Move, "moves"),
                (State::Lock, "lock_stall"),
                (State::Stream, "stream_stall"),
            ],
            Sort::Controller | Sort::UcDma => &[],
            Sort::Job => &[(State::Run, "runs")],
        };
        for &(state, name) in wires {
            let id = self.signal(scopes, name, Kind::Wire);
            for span in track.spans.iter().filter(|span| span.state == state) {
                self.changes.push((span.begin, id, Level::Wire(true)));
                self.changes.push((span.end, id, Level::Wire(false)));
            }
        }
        let id = self.signal(scopes, "state", Kind::Text);
        let leaf = match track.sort {
            Sort::Channel => 2,
            _ => 0,
        };
        for span in track.spans.iter().filter(|span| span.depth == leaf) {
            self.changes
                .push((span.begin, id, Level::Text(span.state.name())));
            self.changes.push((span.end, id, Level::Text(IDLE)));
        }
    }

    /// Locks, BDs and ends of packets.
    fn notes(&mut self, result: &SimResult) {
        let names = Naming::new(result);
        let mut known: BTreeMap<(TileLoc, String, String), usize> = BTreeMap::new();
        for Noted { at, tile, what } in result.notes.iter().copied() {
            let (part, name, kind) = match what {
                Note::LockTaken { lock, .. }
                | Note::LockReleased { lock, .. }
                | Note::LockSet { lock, .. } => {
                    let name = match names.lock(tile, lock) {
                        Some(name) => format!("lock_{lock}_{}", identifier(name)),
                        None => format!("lock_{lock}"),
                    };
                    ("locks".to_string(), name, Kind::Number(LOCK_BITS))
                }
                Note::BdBegins { dir, channel, .. } => {
                    let part = identifier(&format!("DMA {dir} {channel}"));
                    (part, "bd".to_string(), Kind::Number(8))
                }
                Note::Words {
                    slave,
                    index,
                    last: true,
                    ..
                } => {
                    let way = if slave { "from" } else { "to" };
                    let port = names.port(tile, slave, index);
                    let port = port.map(|p| format!("{way} {} {}", p.bundle, p.channel));
                    let part = identifier(&port.unwrap_or_default());
                    (part, "tlast".to_string(), Kind::Wire)
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
            match what {
                Note::LockTaken { value, .. }
                | Note::LockReleased { value, .. }
                | Note::LockSet { value, .. } => {
                    let value = i64::from(value) as u64;
                    self.changes.push((at, id, Level::Number(value, LOCK_BITS)));
                }
                Note::BdBegins { bd, .. } => {
                    self.changes.push((at, id, Level::Number(bd.into(), 8)));
                }
                Note::Words { until, .. } => {
                    let at = until.saturating_sub(1);
                    self.changes.push((at, id, Level::Wire(true)));
                    self.changes.push((until, id, Level::Wire(false)));
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
                Kind::Wire => writer.change_scalar(id, Value::V0)?,
                Kind::Number(bits) => writer.change_vector(id, &Vector::zeros(bits as usize))?,
                Kind::Text => writer.change_string(id, IDLE)?,
            }
        }
        writer.end()?;
        // what ends comes before what begins in the same cycle
        let rank = |level: &Level| match level {
            Level::Wire(on) => u8::from(*on),
            Level::Text(text) => u8::from(*text != IDLE),
            Level::Number(..) => 0,
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
                Level::Wire(on) => writer.change_scalar(id, on)?,
                Level::Text(text) => writer.change_string(id, text)?,
                Level::Number(value, bits) => writer.change_vector(id, &bits_of(value, bits))?,
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
                        Kind::Wire => writer.add_wire(1, name)?,
                        Kind::Number(bits) => writer.add_var(VarType::Reg, bits, name, None)?,
                        Kind::Text => writer.add_var(VarType::String, 1, name, None)?,
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
