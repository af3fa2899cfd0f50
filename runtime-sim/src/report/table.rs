//! The report as tables for people.

use std::fmt::Write;

use serde_json::Value;

/// Stalls that the table lists at most.
const MAX_STALLS: usize = 20;
/// Lines of cores that the table lists at most.
const MAX_LINES: usize = 20;
/// Spaces between columns.
const GAP: &str = "  ";

/// The tables of a report of [`super::report`].
pub fn table(report: &Value) -> String {
    let mut out = String::new();
    let cycles = number(&report["cycles"]);
    let _ = writeln!(
        out,
        "{} on {} after {cycles} cycles: {} to configure, {} to run\n",
        text(&report["status"]),
        text(&report["device"]),
        number(&report["config_cycles"]),
        number(&report["run_cycles"]),
    );
    controllers(&mut out, report, cycles);
    firmware(&mut out, report, cycles);
    jobs(&mut out, report);
    out += &arguments_table(report);
    cores(&mut out, report, cycles);
    core_lines(&mut out, report, cycles);
    channels(&mut out, report, cycles);
    links(&mut out, report, cycles);
    stalls(&mut out, report, cycles);
    out
}

fn controllers(out: &mut String, report: &Value, cycles: u64) {
    let rows = list(&report["uc"]).map(|uc| {
        vec![
            text(&uc["uc"]),
            share(&uc["busy_cycles"], cycles),
            text(&uc["pages"]),
            text(&uc["jobs"]),
            text(&uc["instructions"]),
            text(&uc["dma_words"]),
        ]
    });
    let heads = [
        "uC",
        "busy",
        "pages",
        "jobs",
        "instructions",
        "uC-DMA words",
    ];
    print(out, &heads, rows.collect());
}

/// The operations in which the firmware of an NPU waited longest.
fn firmware(out: &mut String, report: &Value, cycles: u64) {
    let mut stalls: Vec<&Value> = list(&report["firmware"]["stalls"]).collect();
    stalls.sort_by_key(|stall| std::cmp::Reverse(number(&stall["cycles"])));
    let rows = stalls.into_iter().take(MAX_STALLS).map(|stall| {
        vec![
            text(&stall["operation"]),
            format!(
                "{} at {:#x}",
                text(&stall["program"]),
                number(&stall["offset"])
            ),
            text(&stall["begin"]),
            share(&stall["cycles"], cycles),
            text(&stall["source"]),
        ]
    });
    let heads = ["firmware waits in", "of", "since", "for", "line"];
    print(out, &heads, rows.collect());
}

fn jobs(out: &mut String, report: &Value) {
    let rows = list(&report["jobs"]).map(|job| {
        let waits = job["wait_cycles"].as_object();
        let waits = waits.into_iter().flatten();
        let waits: Vec<String> = waits.map(|(on, n)| format!("{on} {n}")).collect();
        vec![
            format!("uC {} page {} job {}", job["uc"], job["page"], job["job"]),
            text(&job["run_cycles"]),
            text(&job["ready_cycles"]),
            waits.join(", "),
        ]
    });
    print(
        out,
        &["job", "runs", "is ready", "waits for"],
        rows.collect(),
    );
}

/// The lines of all cores that take most cycles.
fn core_lines(out: &mut String, report: &Value, cycles: u64) {
    let mut lines: Vec<(&Value, &Value)> = Vec::new();
    for tile in list(&report["tiles"]) {
        lines.extend(list(&tile["core"]["lines"]).map(|line| (tile, line)));
    }
    lines.sort_by_key(|(_, line)| std::cmp::Reverse(number(&line["busy_cycles"])));
    let rows = lines.into_iter().take(MAX_LINES).map(|(tile, line)| {
        vec![
            place(tile),
            text(&line["source"]),
            share(&line["busy_cycles"], cycles),
            share(&line["stall_cycles"], cycles),
        ]
    });
    let heads = ["core", "line", "busy", "stalled"];
    print(out, &heads, rows.collect());
}

fn cores(out: &mut String, report: &Value, cycles: u64) {
    let rows = list(&report["tiles"]).filter(|tile| !tile["core"].is_null());
    let rows = rows.map(|tile| {
        let core = &tile["core"];
        vec![
            place(tile),
            share(&core["busy_cycles"], cycles),
            share(&core["lock_stall_cycles"], cycles),
            share(&core["stream_stall_cycles"], cycles),
            share(&core["cascade_stall_cycles"], cycles),
            share(&core["idle_cycles"], cycles),
        ]
    });
    let heads = ["core", "busy", "lock", "stream", "cascade", "idle"];
    print(out, &heads, rows.collect());
}

fn channels(out: &mut String, report: &Value, cycles: u64) {
    let mut rows = Vec::new();
    for tile in list(&report["tiles"]) {
        for channel in list(&tile["channels"]) {
            let direction = text(&channel["direction"]).to_uppercase();
            rows.push(vec![
                format!("{} {direction} {}", place(tile), channel["channel"]),
                share(&channel["move_cycles"], cycles),
                share(&channel["lock_stall_cycles"], cycles),
                share(&channel["stream_stall_cycles"], cycles),
                share(&channel["overhead_cycles"], cycles),
                share(&channel["idle_cycles"], cycles),
                text(&channel["words"]),
                text(&channel["bytes_per_cycle"]),
            ]);
        }
    }
    let heads = [
        "DMA channel",
        "moves",
        "lock",
        "stream",
        "overhead",
        "idle",
        "words",
        "bytes/cycle",
    ];
    print(out, &heads, rows);
}

/// The table of what was moved from and to the arguments of the host, of a report of [`super::report`];
/// nothing if there are none.
pub fn arguments_table(report: &Value) -> String {
    let rows = list(&report["arguments"]).map(|argument| {
        let name = argument["name"].as_str();
        let name = name.map_or(String::new(), |name| format!(" '{name}'"));
        vec![
            format!("argument {}{name}", argument["index"]),
            text(&argument["bytes_read"]),
            text(&argument["bytes_written"]),
            text(&argument["bytes_per_cycle"]),
        ]
    });
    let heads = ["of the host", "bytes read", "bytes written", "bytes/cycle"];
    rows_as_table(&heads, rows.collect())
}

fn links(out: &mut String, report: &Value, cycles: u64) {
    let rows = list(&report["links"]).map(|link| {
        vec![
            format!(
                "{} {} {}",
                place(link),
                text(&link["side"]),
                text(&link["port"])
            ),
            share(&link["busy_cycles"], cycles),
            share(&link["stood_cycles"], cycles),
            text(&link["packets"]),
            text(&link["words"]),
            text(&link["bytes_per_cycle"]),
        ]
    });
    let heads = ["port", "busy", "stood", "packets", "words", "bytes/cycle"];
    print(out, &heads, rows.collect());
}

fn stalls(out: &mut String, report: &Value, cycles: u64) {
    let rows = list(&report["stalls"]).take(MAX_STALLS).map(|stall| {
        let name = match stall["name"].as_str() {
            Some(name) => format!("{} '{name}'", text(&stall["who"])),
            None => text(&stall["who"]),
        };
        let on = match stall["on"].as_str() {
            Some(on) => on.to_string(),
            None => text(&stall["cause"]).replace('_', " "),
        };
        vec![share(&stall["cycles"], cycles), name, on]
    });
    print(out, &["longest stalls", "of", "for"], rows.collect());
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// A value without quotes; a dash if there is none.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn place(of: &Value) -> String {
    format!("({}, {})", of["column"], of["row"])
}

/// Cycles, and their share of all.
fn share(value: &Value, cycles: u64) -> String {
    match value.as_u64() {
        None => "-".to_string(),
        Some(n) => format!("{n} {:3}%", n * 100 / cycles.max(1)),
    }
}

fn print(out: &mut String, heads: &[&str], rows: Vec<Vec<String>>) {
    *out += &rows_as_table(heads, rows);
}

/// A table and an empty line; nothing if it has no rows. Numbers are aligned to the right, all else
/// to the left.
pub fn rows_as_table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(heads[column].len())
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let numbers: Vec<bool> = (0..heads.len())
        .map(|column| {
            let mut cells = rows.iter().filter_map(|row| row.get(column));
            cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        })
        .collect();
    let heads = heads.iter().map(|head| head.to_string()).collect();
    for row in std::iter::once(&heads).chain(&rows) {
        let cells = row.iter().zip(&widths).zip(&numbers);
        let cells = cells.map(|((cell, &width), &number)| {
            if number {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    out
}
