//! `report.json` of a run.
//!
//! Units: cycles of the array clock, words of 32 bits. Keys come in a fixed order. What stalls are
//! for, and the states of jobs and links, are there if they were recorded
//! ([`crate::Recording::Totals`]).

mod lines;
mod races;
mod stalls;
mod table;

use serde_json::{Value, json};

use crate::array::{ActorKind, ActorOrJob};
use crate::cert::RecordKind;
use crate::diagnosis::{Deadlock, WaitRecord, hazard_source};
use crate::host::BufferTraffic;
use crate::npu::{Firmware, FirmwareRecord, FirmwareStall};
use crate::run::{SimResult, Status};

pub use lines::folded;
pub use table::{arguments_table, rows_as_table, table};

/// Bytes of a word of streams and memories.
const BYTES_PER_WORD: u64 = 4;

/// The report of a run.
pub fn report(result: &SimResult) -> Value {
    let stats = result.array.stats();
    let mut report = json!({
        "status": result.status.name(),
        "cycles": result.cycles,
        "config_cycles": result.config_cycles,
        "run_cycles": result.run_cycles(),
        "device": result.array.device().name(),
        "uc": controllers(result),
        "firmware": result.machine.firmware.as_ref().map(|firmware| firmware_report(firmware, result)),
        "jobs": stalls::jobs(result),
        "arguments": arguments(result),
        "tiles": tiles(&stats, result),
        "links": links(&stats),
        "stalls": stalls::stalls(result, &stats),
        "deadlock": match &result.status {
            Status::Deadlock(deadlock) => deadlock.all.iter().map(waiting).collect(),
            _ => Vec::<Value>::new(),
        },
    });
    let extra = match &result.status {
        Status::Deadlock(deadlock) => Some(("diagnosis", diagnosis(deadlock))),
        Status::Fault(fault) => Some(("fault", json!(fault.to_string()))),
        Status::Limit(limit) => Some((
            "limit",
            json!({
                "cause": limit.to_string(),
                "last_progress": limit.last_progress,
                "active": limit.active,
                "waiting": limit.waiting.iter().map(waiting).collect::<Vec<_>>(),
            }),
        )),
        Status::Completed | Status::Stopped(_) => None,
    };
    if let (Some(object), Some((key, value))) = (report.as_object_mut(), extra) {
        object.insert(key.into(), value);
    }
    let ignored: Vec<Value> = result
        .array
        .unmodelled()
        .map(|u| json!({ "register": u.to_string(), "tile": [u.tile.col, u.tile.row], "writes": u.writes }))
        .collect();
    if let Some(object) = report.as_object_mut() {
        object.insert("unmodelled".into(), Value::Array(ignored));
        let hazards = result.array.hazards();
        let debug = result.debug.as_ref();
        let hazards = hazards.map(|h| {
            json!({
                "what": h.kind.to_string(),
                "cycle": h.at,
                "times": h.times,
                "source": hazard_source(h, &result.machine, debug),
            })
        });
        object.insert("hazards".into(), hazards.collect());
        object.extend(races::entries(result.races.as_ref()));
        let near = result.leftovers.iter();
        let near = near.map(|n| json!({ "what": n.what, "source": n.source }));
        object.insert("near_misses".into(), near.collect());
        let unmapped = result.array.unmapped();
        let unmapped =
            unmapped.map(|u| json!({ "address": u.fault.to_string(), "writes": u.writes }));
        object.insert("unmapped".into(), unmapped.collect());
    }
    report
}

fn controllers(result: &SimResult) -> Vec<Value> {
    let shared = &result.machine.shared;
    let describe = |vm: &crate::cert::Vm| {
        let stats = vm.stats();
        let records = shared.records.iter().filter(|r| r.uc == vm.uc);
        let records: Vec<Value> = records.map(record).collect();
        json!({
            "uc": vm.uc,
            "instructions": stats.instructions,
            "jobs": stats.jobs,
            "pages": stats.pages,
            "busy_cycles": stats.busy,
            "idle_cycles": result.cycles.saturating_sub(stats.busy),
            "dma_words": stats.dma_words,
            "ended": stats.ended,
            "records": records,
        })
    };
    result.machine.controllers().iter().map(describe).collect()
}

/// What the firmware of an NPU did.
fn firmware_report(firmware: &Firmware, result: &SimResult) -> Value {
    let debug = result.debug.as_ref();
    let stats = firmware.stats;
    let stall = |stall: &FirmwareStall| {
        let operation = stall.operation;
        json!({
            "operation": operation.name,
            "program": operation.program.to_string(),
            "offset": operation.offset,
            "begin": stall.begin,
            "cycles": stall.end - stall.begin,
            "source": operation.source.and_then(|source| debug?.show(source)),
        })
    };
    let record = |record: &FirmwareRecord| match *record {
        FirmwareRecord::Register(address, value) => {
            json!({ "kind": "register", "id": address, "value": value })
        }
        FirmwareRecord::Timer(id, cycle) => json!({ "kind": "time", "id": id, "value": cycle }),
    };
    json!({
        "operations": stats.operations,
        "commands": stats.commands,
        "loads": stats.loads,
        "skipped_loads": stats.skipped_loads,
        "words": stats.words,
        "switches": stats.switches,
        "stalls": firmware.stalls.iter().map(stall).collect::<Vec<_>>(),
        "records": firmware.records.iter().map(record).collect::<Vec<_>>(),
    })
}

fn record(record: &crate::cert::Record) -> Value {
    let (kind, value) = match record.kind {
        RecordKind::Time => ("time", None),
        RecordKind::Register(value) => ("register", Some(value)),
        RecordKind::Probe => ("probe", None),
    };
    json!({ "id": record.id, "cycle": record.at, "kind": kind, "value": value })
}

/// What was moved from and to the arguments of the host.
fn arguments(result: &SimResult) -> Vec<Value> {
    let named = result
        .debug
        .as_ref()
        .map_or(&[][..], |debug| &debug.arguments);
    let describe = |(index, traffic): (&u32, &BufferTraffic)| {
        let name = named.iter().find(|argument| argument.index == *index);
        let bytes = traffic.bytes_read + traffic.bytes_written;
        json!({
            "index": index,
            "name": name.map(|argument| &argument.name),
            "bytes_read": traffic.bytes_read,
            "bytes_written": traffic.bytes_written,
            "bytes_per_cycle": rate(bytes, result.cycles),
        })
    };
    result.traffic.iter().map(describe).collect()
}

fn tiles(stats: &crate::array::Stats, result: &SimResult) -> Vec<Value> {
    let array = &result.array;
    let mut tiles: std::collections::BTreeMap<(u8, u8), (Vec<Value>, Option<Value>)> =
        std::collections::BTreeMap::new();
    for c in &stats.channels {
        let is_shim = array
            .device()
            .tile_kind(c.channel.tile)
            .is_some_and(|k| k.is_shim());
        let id = c.channel;
        let tile = tiles.entry((id.tile.col, id.tile.row)).or_default();
        tile.0.push(json!({
            "direction": id.dir.to_string().to_lowercase(),
            "channel": id.index,
            "tasks": c.tasks,
            "bds": c.bds,
            "words": c.words,
            "bytes_per_cycle": rate(c.words * BYTES_PER_WORD, stats.cycles),
            "move_cycles": c.moving(array.timing(), is_shim),
            "lock_stall_cycles": c.lock_stall,
            "stream_stall_cycles": c.stream_stall,
            "overhead_cycles": c.overhead,
            "idle_cycles": stats.cycles.saturating_sub(
                c.moving(array.timing(), is_shim) + c.lock_stall + c.stream_stall + c.overhead,
            ),
        }));
    }
    for c in &stats.cores {
        let tile = tiles.entry((c.tile.col, c.tile.row)).or_default();
        tile.1 = Some(json!({
            "busy_cycles": c.busy,
            "lock_stall_cycles": c.lock_stall,
            "stream_stall_cycles": c.stream_stall,
            "cascade_stall_cycles": c.cascade_stall,
            "idle_cycles": stats.cycles.saturating_sub(
                c.busy + c.lock_stall + c.stream_stall + c.cascade_stall,
            ),
            "done": c.done,
            "lines": lines::lines(result, c.tile),
        }));
    }
    let describe = |((column, row), (channels, core))| {
        let conflicts = array.bank_conflicts(aiec_device::TileLoc::new(column, row));
        json!({
            "column": column,
            "row": row,
            "channels": channels,
            "core": core,
            "bank_conflicts": conflicts.iter().sum::<u64>(),
        })
    };
    tiles.into_iter().map(describe).collect()
}

/// Bytes by cycle, to three places.
fn rate(bytes: u64, cycles: u64) -> f64 {
    let thousandths = (bytes * 1000) as f64 / cycles.max(1) as f64;
    thousandths.round() / 1000.0
}

fn links(stats: &crate::array::Stats) -> Vec<Value> {
    let describe = |p: &crate::array::PortStats| {
        json!({
            "column": p.port.tile().col,
            "row": p.port.tile().row,
            "side": if p.port.is_slave_port() { "slave" } else { "master" },
            "port": p.port.port().map(|port| port.to_string()),
            "words": p.words,
            "bytes_per_cycle": rate(p.words * BYTES_PER_WORD, stats.cycles),
            "busy_cycles": p.states.map(|states| states.busy),
            "stood_cycles": p.states.map(|states| states.stalled),
            "idle_cycles": p
                .states
                .map(|states| stats.cycles.saturating_sub(states.busy + states.stalled)),
            "packets": p.states.map(|states| states.packets),
        })
    };
    stats.ports.iter().map(describe).collect()
}

fn diagnosis(deadlock: &Deadlock) -> Value {
    json!({
        "kind": deadlock.kind.name(),
        "mistake": deadlock.mistake.kind.name(),
        "cause": deadlock.mistake.cause,
        "help": deadlock.mistake.help,
        "story": deadlock.story,
        "is_cycle": deadlock.is_cycle,
        "chain": deadlock.chain.iter().map(waiting).collect::<Vec<_>>(),
    })
}

fn waiting(w: &WaitRecord) -> Value {
    let tile = match w.who {
        ActorOrJob::Actor(actor) => Some([actor.tile().col, actor.tile().row]),
        ActorOrJob::Job(_) | ActorOrJob::Firmware => None,
    };
    json!({
        "who": w.who.to_string(),
        "kind": kind(w.who),
        "tile": tile,
        "name": w.name,
        "waits_for": w.on(),
        "since": w.since,
        "source": w.source,
        "on": w.by.iter().map(ActorOrJob::to_string).collect::<Vec<_>>(),
    })
}

fn kind(node: ActorOrJob) -> &'static str {
    match node {
        ActorOrJob::Job(_) => "job",
        ActorOrJob::Firmware => "firmware",
        ActorOrJob::Actor(actor) => match actor.kind() {
            ActorKind::Core => "core",
            ActorKind::Channel(_) => "channel",
            ActorKind::SlavePort(_) | ActorKind::MasterPort(_) => "port",
            _ => "bus",
        },
    }
}
