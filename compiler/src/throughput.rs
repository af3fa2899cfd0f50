//! `--emit=throughput`: how fast a design can be at best, and what limits it, before any run.
//!
//! The bound itself is computed in [`aiec_passes::throughput`]; here it gets the times of the simulator's model and the cycles
//! of cores, whose programs are executed alone.

use std::fmt::Write as _;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, Device};
use aiec_codegen::lower_core;
use aiec_device::PerDir;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::analysis::core_elf;
use aiec_passes::throughput::{
    self, ArrayTimes, BoundAnalysis, CoreLockEvent, CoreToMeasure, DesignBound, LeftOut, PartBound,
    ResourceBound,
};
use aiec_sim::array::Timing;
use aiec_sim::core::{CoreSettings, NotAlone, lock_operations};
use serde_json::{Value, json};

/// The JSON schema of [`json()`].
pub const SCHEMA: &str = include_str!("throughput.schema.json");

/// Version of the JSON form.
const FORM: u32 = 1;

/// Ticks of a cycle: a port of 64 bits moves two words in one.
const TICKS_PER_CYCLE: i64 = 2;

/// Bytes of a word of a stream.
const WORD_BYTES: u64 = 4;

/// Resources of a part that the text lists.
const MAX_RESOURCES: usize = 12;

/// The times of the simulator's model, as far as a bound needs them.
fn array_times(timing: &Timing) -> ArrayTimes {
    let ticks = |cycles: u64| i64::try_from(cycles).unwrap_or(0) * TICKS_PER_CYCLE;
    let word = |words_per_cycle: u32| (TICKS_PER_CYCLE / i64::from(words_per_cycle.max(1))).max(1);
    let beats = |beats: u32| u64::from(beats * timing.words_per_cycle);
    let first = timing.channel_start + timing.bd_load;
    let next = PerDir {
        s2mm: timing.host_next.s2mm.min(timing.host_first.s2mm),
        mm2s: timing.host_next.mm2s.min(timing.host_first.mm2s),
    };
    let ends = timing.mm2s_fifo_words + timing.s2mm_fifo_words + timing.s2mm_open_words;
    let longest_port = timing.external_master_depth.max(timing.local_master_depth);
    ArrayTimes {
        ticks_per_cycle: TICKS_PER_CYCLE,
        word: word(timing.words_per_cycle),
        host_word: word(timing.host_words_per_cycle),
        bd_switch: ticks(timing.bd_switch),
        lock_release: ticks(timing.lock_release),
        host_first: PerDir {
            s2mm: ticks(first + timing.host_first.s2mm),
            mm2s: ticks(first + timing.host_first.mm2s),
        },
        host_next: PerDir {
            s2mm: ticks(timing.bd_load + next.s2mm),
            mm2s: ticks(timing.bd_load + next.mm2s),
        },
        stream_latency: ticks(timing.slave_latency + timing.local_master_latency),
        words_of_hop: beats(timing.slave_depth + longest_port),
        words_of_fifo: beats(timing.fifo_depth),
        words_of_ends: u64::from(ends) + beats(timing.slave_depth + longest_port),
        words_per_cycle: timing.words_per_cycle.into(),
    }
}

/// A device and its bound, or why there is none.
struct BoundedDevice {
    /// Its symbol.
    name: String,
    /// Name of the device model.
    model: &'static str,
    /// The bound.
    bound: Result<DesignBound, LeftOut>,
}

/// The least cycles of the run of a routed module's only sequence, if they are known: of its cores too, if they run their bodies with these
/// settings and nothing else is known to be called, and with the latencies of the array or without.
pub fn run_cycles(
    module: &Module,
    cores: Option<CoreSettings>,
    has_latencies: bool,
) -> Option<u64> {
    let devices = throughput::devices(module);
    let &[device] = devices.as_slice() else {
        return None;
    };
    let arch = Device(device).model(module)?.arch();
    let timing = if has_latencies {
        Timing::of(arch)
    } else {
        Timing::fast(arch)
    };
    let bound = bound(module, device, cores.as_ref(), &timing).ok()?;
    Some(bound.run?.cycles)
}

/// The bounds of the devices of a routed module.
fn bounds(module: &Module) -> Vec<BoundedDevice> {
    let settings = CoreSettings::default();
    let devices = throughput::devices(module).into_iter();
    let devices = devices.filter_map(|device| {
        let model = Device(device).model(module)?;
        let timing = Timing::of(model.arch());
        Some(BoundedDevice {
            name: Device(device).name(module).to_string(),
            model: model.name(),
            bound: bound(module, device, Some(&settings), &timing),
        })
    });
    devices.collect()
}

/// The bound of a device whose cores run their bodies with some settings, or machine code.
fn bound(
    module: &Module,
    device: Op,
    settings: Option<&CoreSettings>,
    timing: &Timing,
) -> Result<DesignBound, LeftOut> {
    let mut analysis = BoundAnalysis::read(module, device, array_times(timing))?;
    for core in analysis.cores() {
        let settings = settings.ok_or(NotAlone::MachineCode);
        match settings.and_then(|settings| measured(module, core, &analysis, settings)) {
            Ok(events) => analysis.set_core(core, &events),
            Err(error) => {
                let reason = format!("the cycles of core {}: {error}", core.tile);
                analysis.leave_out(Some(core.op), reason);
            }
        }
    }
    Ok(analysis.bound())
}

/// The lock operations of a core that is alone.
fn measured(
    module: &Module,
    core: CoreToMeasure,
    analysis: &BoundAnalysis<'_>,
    settings: &CoreSettings,
) -> Result<Vec<CoreLockEvent>, NotAlone> {
    if core_elf::file_of(module, Core(core.op)).is_some() {
        return Err(NotAlone::MachineCode);
    }
    // Operations that can't be lowered are reported by the compilation.
    let code = lower_core(module, core.op, &mut Diags::default());
    let code = code.map_err(|Reported| NotAlone::Fails)?;
    let model = analysis.model();
    let machine = (model.arch(), model.arch_model().core.memory_bytes);
    let most = usize::try_from(core.lock_operations).unwrap_or(usize::MAX);
    let operations = lock_operations(core.tile, &code.words, machine, settings, most)?;
    let events = operations.into_iter().map(|operation| {
        let lock = model.resolve_core_lock(core.tile, operation.lock);
        Some(CoreLockEvent {
            lock: lock?,
            gives: operation.gives,
            at: operation.at,
        })
    });
    events.collect::<Option<_>>().ok_or(NotAlone::Fails)
}

/// `84`, or `84.5`: ticks as cycles by rounds.
fn cycles(ticks: i64, rounds: i64) -> String {
    let tenths = i128::from(ticks) * 10 / i128::from(TICKS_PER_CYCLE * rounds.max(1));
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number to read")]
fn cycles_number(ticks: i64, rounds: i64) -> f64 {
    ticks as f64 / (TICKS_PER_CYCLE * rounds.max(1)) as f64
}

/// The line of an operation.
fn place(module: &Module, sources: &SourceMap, op: Option<Op>) -> Option<String> {
    let span = module.span(op?)?;
    let file = sources.file(span.file)?;
    Some(format!("{}:{}", file.name, file.line_col(span.start).0))
}

/// Percent of the time of a round that a resource is busy at least.
fn share(part: &PartBound, resource: &ResourceBound) -> i128 {
    let round = i128::from(part.ticks).max(1);
    i128::from(resource.ticks) * i128::from(part.rounds) * 100 / round
}

/// `--emit=throughput`.
pub fn text(module: &Module, sources: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut text = String::new();
    for device in bounds(module) {
        // A string takes any text.
        let _ = writeln!(text, "device {} ({})", device.name, device.model);
        match &device.bound {
            Ok(bound) => write_bound(&mut text, bound, module, sources),
            Err(left) => _ = writeln!(text, "no bound: {}", left_out(left, module, sources)),
        }
    }
    Ok(text.into_bytes())
}

fn write_bound(text: &mut String, bound: &DesignBound, module: &Module, sources: &SourceMap) {
    if let Some(run) = &bound.run {
        let more = if run.is_whole {
            ""
        } else {
            "; its end is not looked at"
        };
        let _ = writeln!(
            text,
            "run: at least {} cycles after the configuration{more}",
            run.cycles
        );
    }
    for part in &bound.parts {
        let round = cycles(part.ticks, part.rounds);
        let mut rows = vec![[
            "limited by".to_string(),
            "cycles".to_string(),
            "waits for".to_string(),
            "line".to_string(),
        ]];
        for link in &part.critical {
            rows.push([
                link.worker.name(),
                cycles(link.ticks, part.rounds),
                link.waits_for.clone(),
                place(module, sources, link.op).unwrap_or_default(),
            ]);
        }
        let _ = writeln!(text, "\nsteady state: at least {round} cycles a round");
        table(text, &rows);
        let mut rows = vec![[
            "busy in a round".to_string(),
            "cycles".to_string(),
            "%".to_string(),
            "bytes".to_string(),
        ]];
        for resource in part.resources.iter().take(MAX_RESOURCES) {
            rows.push([
                resource.worker.name(),
                cycles(resource.ticks, 1),
                share(part, resource).to_string(),
                (resource.words * WORD_BYTES).to_string(),
            ]);
        }
        text.push('\n');
        table(text, &rows);
        let more = part.resources.len().saturating_sub(MAX_RESOURCES);
        if more > 0 {
            let _ = writeln!(text, "and {more} more");
        }
    }
    if !bound.left_out.is_empty() {
        text.push_str("\nleft out\n");
    }
    for left in &bound.left_out {
        let _ = writeln!(text, "  {}", left_out(left, module, sources));
    }
}

/// The reason with its place.
fn left_out(left: &LeftOut, module: &Module, sources: &SourceMap) -> String {
    match place(module, sources, left.op) {
        Some(place) => format!("{} ({place})", left.reason),
        None => left.reason.clone(),
    }
}

/// Rows of a table whose second and third columns are numbers if the fourth is one too.
fn table(text: &mut String, rows: &[[String; 4]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [0, 1, 2].map(width);
    for [name, number, third, last] in rows {
        let line = format!(
            "{name:0$}  {number:>1$}  {third:2$}  {last}",
            widths[0], widths[1], widths[2]
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// `--emit=throughput-json`.
pub fn json(module: &Module, sources: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let devices = bounds(module);
    let devices = devices.iter().map(|device| {
        let mut value = json!({"name": device.name, "device": device.model});
        match &device.bound {
            Ok(bound) => {
                let known = bound_json(bound, module, sources);
                value["bound"] = known;
            }
            Err(left) => value["no_bound"] = json!(left_out(left, module, sources)),
        }
        value
    });
    let value = json!({"form": FORM, "devices": devices.collect::<Vec<_>>()});
    let text = serde_json::to_string_pretty(&value)
        .map_err(|error| diags.fail(aiec_diag::internal!("the bound: {error}")))?;
    Ok((text + "\n").into_bytes())
}

fn bound_json(bound: &DesignBound, module: &Module, sources: &SourceMap) -> Value {
    let line = |op| place(module, sources, op);
    let parts = bound.parts.iter().map(|part| {
        let critical = part.critical.iter().map(|link| {
            json!({
                "who": link.worker.name(),
                "cycles": cycles_number(link.ticks, part.rounds),
                "waits_for": link.waits_for,
                "line": line(link.op),
            })
        });
        let resources = part.resources.iter().map(|resource| {
            json!({
                "who": resource.worker.name(),
                "rounds": resource.rounds,
                "cycles": cycles_number(resource.ticks, 1),
                "bytes": resource.words * WORD_BYTES,
                "line": line(resource.op),
            })
        });
        json!({
            "cycles": cycles_number(part.ticks, part.rounds),
            "critical": critical.collect::<Vec<_>>(),
            "resources": resources.collect::<Vec<_>>(),
        })
    });
    let left_out = bound
        .left_out
        .iter()
        .map(|left| json!({"reason": left.reason, "line": line(left.op)}));
    let run = bound
        .run
        .map(|run| json!({"cycles": run.cycles, "whole": run.is_whole}));
    json!({
        "run": run,
        "parts": parts.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

/// `--emit=throughput-json-schema`.
pub fn schema(_: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(SCHEMA.as_bytes().to_vec())
}
