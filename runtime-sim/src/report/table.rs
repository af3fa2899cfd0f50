//! The report as tables for people.

use std::cmp::Reverse;
use std::fmt::Write;

use super::columns::{rows_as_table, share};
use super::path::{bound_line, critical_path_table};
use super::types::{
    ArgumentReport, ControllerReport, FirmwareStallReport, JobReport, LinkReport, SimReport,
    StallReport, TileReport,
};
use crate::array::{ChannelTimes, CoreTimes};
use crate::run::Ending;
use crate::time::Cycle;

/// Stalls that the table lists at most.
const MAX_STALLS: usize = 20;
/// Lines of cores that the table lists at most.
const MAX_LINES: usize = 20;
/// Cell of a value that isn't known.
const UNKNOWN: &str = "-";

/// The tables of a report.
pub fn table(report: &SimReport) -> String {
    let mut out = String::new();
    let cycles = report.cycles;
    let _ = writeln!(
        out,
        "{} on {} after {cycles} cycles: {} to configure, {} to run\n",
        report.status, report.device, report.config_cycles, report.run_cycles,
    );
    if let (Some(bound), Ending::Completed) = (report.bound_cycles, report.status) {
        let _ = writeln!(out, "{}\n", bound_line(bound, report.run_cycles));
    }
    out += &controllers(report, cycles);
    out += &firmware(report, cycles);
    out += &jobs(report);
    out += &arguments_table(report);
    out += &cores(report, cycles);
    out += &core_lines(report, cycles);
    out += &channels(report, cycles);
    out += &links(report, cycles);
    out += &stalls(report, cycles);
    out += &report
        .critical_path
        .as_ref()
        .map_or(String::new(), critical_path_table);
    out
}

fn controllers(report: &SimReport, cycles: Cycle) -> String {
    let row = |uc: &ControllerReport| {
        vec![
            uc.uc.to_string(),
            share(uc.counts.busy, cycles),
            uc.counts.pages.to_string(),
            uc.counts.jobs.to_string(),
            uc.counts.instructions.to_string(),
            uc.dma_words.to_string(),
        ]
    };
    let heads = [
        "uC",
        "busy",
        "pages",
        "jobs",
        "instructions",
        "uC-DMA words",
    ];
    rows_as_table(&heads, report.uc.iter().map(row).collect())
}

/// The operations in which the firmware of an NPU waited longest.
fn firmware(report: &SimReport, cycles: Cycle) -> String {
    let stalls = report.firmware.iter().flat_map(|firmware| &firmware.stalls);
    let mut stalls: Vec<&FirmwareStallReport> = stalls.collect();
    stalls.sort_by_key(|stall| Reverse(stall.cycles));
    let rows = stalls.into_iter().take(MAX_STALLS).map(|stall| {
        vec![
            stall.operation.to_string(),
            format!("{} at {:#x}", stall.program, stall.offset),
            stall.begin.to_string(),
            share(stall.cycles, cycles),
            stall.source.clone().unwrap_or_else(|| UNKNOWN.to_string()),
        ]
    });
    let heads = ["firmware waits in", "of", "since", "for", "line"];
    rows_as_table(&heads, rows.collect())
}

fn jobs(report: &SimReport) -> String {
    let row = |job: &JobReport| {
        let waits = job.wait_cycles.iter();
        let waits: Vec<String> = waits.map(|(on, n)| format!("{on} {n}")).collect();
        vec![
            format!("uC {} page {} job {}", job.uc, job.page, job.job),
            job.run_cycles.to_string(),
            job.ready_cycles.to_string(),
            waits.join(", "),
        ]
    };
    let heads = ["job", "runs", "is ready", "waits for"];
    rows_as_table(&heads, report.jobs.iter().flatten().map(row).collect())
}

/// The lines of all cores that take most cycles.
fn core_lines(report: &SimReport, cycles: Cycle) -> String {
    let lines = report.tiles.iter().flat_map(|tile| {
        let lines = tile
            .core
            .iter()
            .flat_map(|core| core.lines.iter().flatten());
        lines.map(move |line| (tile, line))
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort_by_key(|(_, line)| Reverse(line.busy_cycles));
    let rows = lines.into_iter().take(MAX_LINES).map(|(tile, line)| {
        vec![
            location(tile.column, tile.row),
            line.source.clone(),
            share(line.busy_cycles, cycles),
            share(line.stall_cycles, cycles),
        ]
    });
    let heads = ["core", "line", "busy", "stalled"];
    rows_as_table(&heads, rows.collect())
}

fn cores(report: &SimReport, cycles: Cycle) -> String {
    let row = |tile: &TileReport| {
        let core = tile.core.as_ref()?;
        let mut row = vec![location(tile.column, tile.row)];
        row.extend(shares(core.times.fields(), cycles));
        row.push(share(core.idle_cycles, cycles));
        Some(row)
    };
    let mut heads = vec!["core"];
    heads.extend(state_names(CoreTimes::default().fields()));
    heads.push("idle");
    rows_as_table(&heads, report.tiles.iter().filter_map(row).collect())
}

fn channels(report: &SimReport, cycles: Cycle) -> String {
    let mut rows = Vec::new();
    for tile in &report.tiles {
        for channel in &tile.channels {
            let place = location(tile.column, tile.row);
            let mut row = vec![
                format!("{place} {} {}", channel.direction, channel.channel),
                share(channel.move_cycles, cycles),
            ];
            row.extend(shares(channel.times.fields(), cycles));
            row.extend([
                share(channel.idle_cycles, cycles),
                channel.counts.words.to_string(),
                bytes_per_cycle(channel.bytes_per_cycle),
            ]);
            rows.push(row);
        }
    }
    let mut heads = vec!["DMA channel", "moves"];
    heads.extend(state_names(ChannelTimes::default().fields()));
    heads.extend(["idle", "words", "bytes/cycle"]);
    rows_as_table(&heads, rows)
}

/// The table of the traffic from and to the arguments of the host; nothing if there are none.
pub fn arguments_table(report: &SimReport) -> String {
    let row = |argument: &ArgumentReport| {
        let name = argument.name.as_ref();
        let name = name.map_or(String::new(), |name| format!(" '{name}'"));
        vec![
            format!("argument {}{name}", argument.index),
            argument.bytes_read.to_string(),
            argument.bytes_written.to_string(),
            bytes_per_cycle(argument.bytes_per_cycle),
        ]
    };
    let heads = ["of the host", "bytes read", "bytes written", "bytes/cycle"];
    rows_as_table(&heads, report.arguments.iter().map(row).collect())
}

fn links(report: &SimReport, cycles: Cycle) -> String {
    let known = |cell: Option<String>| cell.unwrap_or_else(|| UNKNOWN.to_string());
    let row = |link: &LinkReport| {
        let place = location(link.column, link.row);
        vec![
            format!("{place} {} {}", link.side, link.port),
            known(link.busy_cycles.map(|busy| share(busy, cycles))),
            known(link.stalled_cycles.map(|stalled| share(stalled, cycles))),
            known(link.packets.map(|packets| packets.to_string())),
            link.words.to_string(),
            bytes_per_cycle(link.bytes_per_cycle),
        ]
    };
    let heads = ["port", "busy", "stalled", "packets", "words", "bytes/cycle"];
    rows_as_table(&heads, report.links.iter().map(row).collect())
}

fn stalls(report: &SimReport, cycles: Cycle) -> String {
    let row = |stall: &StallReport| {
        let name = match &stall.name {
            Some(name) => format!("{} '{name}'", stall.who),
            None => stall.who.clone(),
        };
        let on = match &stall.on {
            Some(on) => on.clone(),
            None => stall.cause.name().replace('_', " "),
        };
        vec![share(stall.cycles, cycles), name, on]
    };
    let rows = report.stalls.iter().flatten().take(MAX_STALLS).map(row);
    rows_as_table(&["longest stalls", "of", "for"], rows.collect())
}

/// Cycles by state as shares, one cell a state.
fn shares(states: Vec<(&'static str, Cycle)>, all: Cycle) -> impl Iterator<Item = String> {
    states.into_iter().map(move |(_, part)| share(part, all))
}

/// Name of a state whose cycles are counted under a key: `lock` of `lock_stall_cycles`.
pub fn state_name(key: &'static str) -> &'static str {
    key.trim_end_matches("_cycles").trim_end_matches("_stall")
}

/// Heads of columns of cycles by state.
fn state_names(states: Vec<(&'static str, Cycle)>) -> impl Iterator<Item = &'static str> {
    states.into_iter().map(|(key, _)| state_name(key))
}

/// A rate as the JSON has it: with at least one place.
fn bytes_per_cycle(rate: f64) -> String {
    format!("{rate:?}")
}

fn location(column: u8, row: u8) -> String {
    format!("({column}, {row})")
}
