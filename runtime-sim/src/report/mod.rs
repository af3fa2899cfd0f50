//! The report of a run.
//!
//! [`types`] declares what it holds; this module fills it from the result. Reasons of stalls, and the states of jobs and
//! links, are there if they were recorded ([`crate::Recording::Totals`]).

mod columns;
mod lines;
mod path;
mod stalls;
mod table;
mod types;

use std::collections::BTreeMap;
use std::fmt;

use aiec_device::TileLoc;
use serde_json::Value;

use crate::array::{
    ActorKind, ActorOrJob, Array, ChannelStats, CoreStats, Hazard, PortStats, Stats, Unmapped,
    Unmodelled,
};
use crate::cert::{Record, RecordKind, Vm};
use crate::diagnosis::{Deadlock, Limit, RaceFindings, WaitRecord, hazard_source};
use crate::npu::{Firmware, FirmwareRecord, FirmwareStall};
use crate::record::document_schema;
use crate::run::{SimResult, Status};
use crate::time::Cycle;

pub use columns::rows_as_table;
pub use lines::folded;
pub use path::{bound_line, critical_path, critical_path_table};
pub use table::{arguments_table, state_name, table};
pub use types::{
    ArgumentReport, ChannelReport, ControllerReport, CoreReport, CriticalPathReport,
    DiagnosisReport, FirmwareRecordReport, FirmwareRecordedAs, FirmwareReport, FirmwareStallReport,
    HazardReport, JobReport, LimitReport, LineReport, LinkReport, PathLinkReport, PathShareReport,
    PortSide, RecordReport, RecordedAs, SimReport, StallCause, StallReport, TileReport,
    UnmappedReport, UnmodelledReport, WaitReport, WaiterKind,
};

/// Bytes of a word of streams and memories.
const BYTES_PER_WORD: u64 = 4;

/// The report of a run.
pub fn report(result: &SimResult) -> SimReport {
    let (array, debug) = (&result.array, result.debug.as_ref());
    let stats = array.view().stats();
    let controllers = result.machine.controllers().iter();
    let firmware = result.machine.firmware.as_ref();
    let status = &result.status;
    let found = result.races.as_ref();
    let RaceFindings {
        races,
        unwritten,
        outside,
        not_acquired,
        doubts,
    } = found.cloned().unwrap_or_else(|| RaceFindings {
        // Without the search it isn't known whether data depend on time.
        doubts: vec!["races were not looked for".to_string()],
        ..RaceFindings::default()
    });
    SimReport {
        status: status.ending(),
        cycles: result.cycles,
        config_cycles: result.config_cycles,
        run_cycles: result.run_cycles(),
        device: array.device().name(),
        uc: controllers.map(|vm| controller(vm, result)).collect(),
        firmware: firmware.map(|firmware| firmware_report(firmware, result)),
        jobs: stalls::jobs(result),
        arguments: arguments(result),
        tiles: tiles(&stats, result),
        links: links(&stats),
        stalls: stalls::stalls(result, &stats),
        critical_path: None,
        bound_cycles: None,
        deadlock: match status {
            Status::Deadlock(deadlock) => deadlock.all.iter().map(wait).collect(),
            _ => Vec::new(),
        },
        diagnosis: match status {
            Status::Deadlock(deadlock) => Some(diagnosis(deadlock)),
            _ => None,
        },
        fault: match status {
            Status::Fault(fault) => Some(fault.to_string()),
            _ => None,
        },
        limit: match status {
            Status::Limit(limit) => Some(limit_report(limit)),
            _ => None,
        },
        unmodelled: array.unmodelled().map(unmodelled).collect(),
        hazards: {
            let describe = |hazard: &Hazard| HazardReport {
                what: hazard.kind.to_string(),
                cycle: hazard.at,
                times: hazard.times,
                source: hazard_source(hazard, &result.machine, debug),
            };
            array.hazards().map(describe).collect()
        },
        races,
        unwritten_reads: unwritten,
        outside_of_buffers: outside,
        not_acquired,
        determinate: doubts.is_empty(),
        not_determinate_because: doubts,
        near_misses: result.leftovers.clone(),
        unmapped: array.unmapped().map(unmapped).collect(),
    }
}

impl SimReport {
    /// The JSON Schema of reports.
    pub fn schema() -> Value {
        document_schema::<SimReport>("Report of a run")
    }
}

/// The report as JSON; in the alternate form with line breaks.
impl fmt::Display for SimReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if f.alternate() {
            serde_json::to_string_pretty(self)
        } else {
            serde_json::to_string(self)
        };
        f.write_str(&text.map_err(|_| fmt::Error)?)
    }
}

fn controller(vm: &Vm, result: &SimResult) -> ControllerReport {
    let stats = vm.stats();
    let records = result.machine.shared.records.iter();
    let records = records.filter(|record| record.uc == vm.uc);
    ControllerReport {
        uc: vm.uc,
        counts: stats.counts,
        idle_cycles: result.cycles.saturating_sub(stats.counts.busy),
        dma_words: stats.dma_words,
        ended: stats.ended,
        records: records.map(record).collect(),
    }
}

fn record(record: &Record) -> RecordReport {
    let (kind, value) = match record.kind {
        RecordKind::Time => (RecordedAs::Time, None),
        RecordKind::Register(value) => (RecordedAs::Register, Some(value)),
        RecordKind::Probe => (RecordedAs::Probe, None),
    };
    RecordReport {
        id: record.id,
        cycle: record.at,
        kind,
        value,
    }
}

fn firmware_report(firmware: &Firmware, result: &SimResult) -> FirmwareReport {
    let debug = result.debug.as_ref();
    let stall = |stall: &FirmwareStall| {
        let operation = stall.operation;
        FirmwareStallReport {
            operation: operation.name,
            program: operation.program.to_string(),
            offset: operation.offset,
            begin: stall.begin,
            cycles: stall.end - stall.begin,
            source: operation.source.and_then(|source| debug?.show(source)),
        }
    };
    let record = |record: &FirmwareRecord| match *record {
        FirmwareRecord::Register(address, value) => FirmwareRecordReport {
            kind: FirmwareRecordedAs::Register,
            id: address,
            value: value.into(),
        },
        FirmwareRecord::Timer(id, cycle) => FirmwareRecordReport {
            kind: FirmwareRecordedAs::Time,
            id: id.into(),
            value: cycle,
        },
    };
    FirmwareReport {
        counts: firmware.stats,
        stalls: firmware.stalls.iter().map(stall).collect(),
        records: firmware.records.iter().map(record).collect(),
    }
}

/// Traffic from and to the arguments of the host.
fn arguments(result: &SimResult) -> Vec<ArgumentReport> {
    let debug = result.debug.as_ref();
    let named = debug.map_or(&[][..], |debug| &debug.arguments);
    let traffic = result.traffic.iter().map(|(&index, traffic)| {
        let name = named.iter().find(|argument| argument.index == index);
        let bytes = traffic.bytes_read + traffic.bytes_written;
        ArgumentReport {
            index,
            name: name.map(|argument| argument.name.clone()),
            bytes_read: traffic.bytes_read,
            bytes_written: traffic.bytes_written,
            bytes_per_cycle: rate(bytes, result.cycles),
        }
    });
    traffic.collect()
}

fn tiles(stats: &Stats, result: &SimResult) -> Vec<TileReport> {
    let array = &result.array;
    let mut tiles: BTreeMap<TileLoc, (Vec<ChannelReport>, Option<CoreReport>)> = BTreeMap::new();
    for channel in &stats.channels {
        let (channels, _) = tiles.entry(channel.channel.tile).or_default();
        channels.push(channel_report(channel, stats.cycles, array));
    }
    for core in &stats.cores {
        let (_, slot) = tiles.entry(core.tile).or_default();
        *slot = Some(core_report(core, stats.cycles, result));
    }
    let tiles = tiles
        .into_iter()
        .map(|(tile, (channels, core))| TileReport {
            column: tile.col,
            row: tile.row,
            channels,
            core,
            bank_conflicts: array.bank_conflicts(tile).iter().sum(),
        });
    tiles.collect()
}

fn channel_report(stats: &ChannelStats, cycles: Cycle, array: &Array) -> ChannelReport {
    let id = stats.channel;
    let kind = array.device().tile_kind(id.tile);
    let moving = stats.moving(array.timing(), kind.is_some_and(|kind| kind.is_shim()));
    ChannelReport {
        direction: id.dir,
        channel: id.index,
        counts: stats.counts,
        bytes_per_cycle: rate(stats.counts.words * BYTES_PER_WORD, cycles),
        move_cycles: moving,
        times: stats.times,
        idle_cycles: cycles.saturating_sub(moving + stats.times.total()),
    }
}

fn core_report(stats: &CoreStats, cycles: Cycle, result: &SimResult) -> CoreReport {
    CoreReport {
        times: stats.times,
        idle_cycles: cycles.saturating_sub(stats.times.total()),
        done: stats.done,
        lines: lines::lines(result, stats.tile),
    }
}

/// Bytes by cycle, to three places.
fn rate(bytes: u64, cycles: Cycle) -> f64 {
    let thousandths = (bytes * 1000) as f64 / cycles.max(1) as f64;
    thousandths.round() / 1000.0
}

fn links(stats: &Stats) -> Vec<LinkReport> {
    let describe = |link: &PortStats| LinkReport {
        column: link.port.tile().col,
        row: link.port.tile().row,
        side: if link.port.is_slave_port() {
            PortSide::Slave
        } else {
            PortSide::Master
        },
        port: link
            .port
            .port()
            .map_or(String::new(), |port| port.to_string()),
        words: link.words,
        bytes_per_cycle: rate(link.words * BYTES_PER_WORD, stats.cycles),
        busy_cycles: link.states.map(|states| states.busy),
        stalled_cycles: link.states.map(|states| states.stalled),
        idle_cycles: link
            .states
            .map(|states| stats.cycles.saturating_sub(states.busy + states.stalled)),
        packets: link.states.map(|states| states.packets),
    };
    stats.ports.iter().map(describe).collect()
}

fn diagnosis(deadlock: &Deadlock) -> DiagnosisReport {
    DiagnosisReport {
        kind: deadlock.kind,
        mistake: deadlock.mistake.kind,
        cause: deadlock.mistake.cause.clone(),
        help: deadlock.mistake.help.clone(),
        story: deadlock.story.clone(),
        is_cycle: deadlock.is_cycle,
        chain: deadlock.chain.iter().map(wait).collect(),
    }
}

fn limit_report(limit: &Limit) -> LimitReport {
    LimitReport {
        cause: limit.to_string(),
        last_progress: limit.last_progress,
        active: limit.active.clone(),
        waiting: limit.waiting.iter().map(wait).collect(),
    }
}

fn wait(record: &WaitRecord) -> WaitReport {
    WaitReport {
        who: record.who.to_string(),
        kind: waiter_kind(record.who),
        tile: match record.who {
            ActorOrJob::Actor(actor) => Some(actor.tile()),
            ActorOrJob::Job(_) | ActorOrJob::Firmware => None,
        },
        name: record.name.clone(),
        waits_for: record.on(),
        since: record.since,
        source: record.source.clone(),
        on: record.by.iter().map(ActorOrJob::to_string).collect(),
    }
}

fn waiter_kind(who: ActorOrJob) -> WaiterKind {
    match who {
        ActorOrJob::Job(_) => WaiterKind::Job,
        ActorOrJob::Firmware => WaiterKind::Firmware,
        ActorOrJob::Actor(actor) => match actor.kind() {
            ActorKind::Core => WaiterKind::Core,
            ActorKind::Channel(_) => WaiterKind::Channel,
            ActorKind::SlavePort(_) | ActorKind::MasterPort(_) => WaiterKind::Port,
            _ => WaiterKind::Bus,
        },
    }
}

fn unmodelled(register: &Unmodelled) -> UnmodelledReport {
    UnmodelledReport {
        register: register.to_string(),
        tile: register.tile,
        writes: register.writes,
    }
}

fn unmapped(unmapped: &Unmapped) -> UnmappedReport {
    UnmappedReport {
        address: unmapped.fault.to_string(),
        writes: unmapped.writes,
    }
}
