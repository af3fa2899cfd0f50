//! `report` and `report-json`: the use of each tile's resources by the compiled design.
//!
//! The JSON form is described by its schema, `report.schema.json`, which `--emit=report-json-schema`
//! writes.

use std::fmt::Write;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpKind};
use aiec_device::DmaDir;
use aiec_device::switch::PortSide;
use aiec_diag::{Diags, Reported, SourceMap};
use aiec_passes::analysis::budget::{PacketIds, TileBudget};
use serde_json::{Value, json};

/// The JSON schema of [`json()`].
pub const SCHEMA: &str = include_str!("report.schema.json");

/// The JSON schema, whatever the design.
pub fn schema(_: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    Ok(SCHEMA.as_bytes().to_vec())
}

/// The report as text.
pub fn text(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let mut out = String::new();
    for device in module.find(module.top(), OpKind::Device) {
        let Some(model) = Device(device).model(module) else {
            continue;
        };
        let name = Device(device).name(module);
        let _ = writeln!(out, "device {name} ({})", model.name());
        if let Some(ids) = PacketIds::of(module, device) {
            let _ = writeln!(out, "packet ids {} of {}", ids.used.len(), ids.of);
        }
        let budgets = TileBudget::all(module, device);
        let used: Vec<&TileBudget> = budgets.values().filter(|b| !b.is_unused()).collect();
        overview(&mut out, &used);
        for budget in used {
            let _ = writeln!(out, "\n{}", budget.full_table());
        }
    }
    Ok(out.into_bytes())
}

/// One line for each tile; the fullest resource of each kind is at the end.
fn overview(out: &mut String, budgets: &[&TileBudget]) {
    let _ = writeln!(
        out,
        "\ntile      kind            memory   locks     BDs    S2MM    MM2S   rules"
    );
    let of = |used: usize, of: usize| match of {
        0 => "-".to_string(),
        of => format!("{used}/{of}"),
    };
    for budget in budgets {
        let place = budget.loc.map_or(String::new(), |loc| loc.to_string());
        let kind = budget.kind.map_or("", |kind| kind.name());
        let memory = match budget.memory_bytes {
            0 => "-".to_string(),
            bytes => format!("{} %", (budget.used_bytes() * 100).div_ceil(bytes)),
        };
        let channels = |dir, max: u8| {
            let used = budget.channels.iter().filter(|c| c.dir == dir).count();
            of(used, max.into())
        };
        if budget.is_passed_only() {
            let _ = writeln!(out, "{place:<9} {kind:<14} streams pass through");
            continue;
        }
        let rules = budget.slots.iter().map(|slot| slot.used).max().unwrap_or(0);
        let _ = writeln!(
            out,
            "{place:<9} {kind:<14} {memory:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            of(budget.locks.len(), budget.max_locks),
            of(budget.bds().iter().sum(), budget.max_bds),
            channels(DmaDir::S2mm, budget.max_channels.0),
            channels(DmaDir::Mm2s, budget.max_channels.1),
            of(rules, budget.max_slots.into()),
        );
    }
}

/// The report for programs.
pub fn json(module: &Module, _: &SourceMap, _: &mut Diags) -> Result<Vec<u8>, Reported> {
    let devices: Vec<Value> = module
        .find(module.top(), OpKind::Device)
        .into_iter()
        .filter_map(|op| device(module, op))
        .collect();
    let mut text = format!("{:#}", json!({ "form": 1, "devices": devices }));
    text.push('\n');
    Ok(text.into_bytes())
}

fn device(module: &Module, op: Op) -> Option<Value> {
    let model = Device(op).model(module)?;
    let ids = PacketIds::of(module, op)?;
    let budgets = TileBudget::all(module, op);
    let used = budgets.values().filter(|budget| !budget.is_unused());
    Some(json!({
        "name": Device(op).name(module),
        "device": model.name(),
        "packet_ids": { "used": ids.used, "of": ids.of },
        "tiles": used.filter_map(tile).collect::<Vec<_>>(),
    }))
}

fn tile(budget: &TileBudget) -> Option<Value> {
    let loc = budget.loc?;
    let buffers = budget.buffers.iter().map(|b| {
        json!({
            "name": b.name,
            "bank": b.bank,
            "first": b.address,
            "last": b.address.map(|first| first + b.bytes.saturating_sub(1)),
            "bytes": b.bytes,
        })
    });
    let locks = budget.locks.iter();
    let locks = locks.map(|lock| json!({ "name": lock.name, "id": lock.id }));
    let [even, odd] = budget.bds();
    let half = budget.max_bds / 2;
    let halves = if budget.bds_by_parity {
        vec![
            json!({ "used": even, "of": half }),
            json!({ "used": odd, "of": half }),
        ]
    } else {
        Vec::new()
    };
    let channels = DmaDir::ALL.iter().map(|dir| {
        let list = budget.channels.iter().filter(|c| c.dir == *dir);
        let list = list.map(|c| json!({ "channel": c.channel, "bds": c.bds, "user": c.user }));
        let of = match dir {
            DmaDir::S2mm => budget.max_channels.0,
            DmaDir::Mm2s => budget.max_channels.1,
        };
        json!({ "dir": dir.name(), "of": of, "list": list.collect::<Vec<_>>() })
    });
    let ports = budget.ports.iter().map(|p| {
        let side = match p.side {
            PortSide::Master => "outputs",
            PortSide::Slave => "inputs",
        };
        json!({ "side": side, "bundle": p.bundle.name(), "used": p.used, "of": p.of })
    });
    let rules = budget.slots.iter().map(
        |slot| json!({ "port": slot.port.to_string(), "used": slot.used, "of": budget.max_slots }),
    );
    Some(json!({
        "col": loc.col,
        "row": loc.row,
        "kind": budget.kind.map_or("", |kind| kind.name()),
        "memory": {
            "used": budget.used_bytes(),
            "of": budget.memory_bytes,
            "stack": budget.stack_bytes,
            "bank_bytes": budget.bank_bytes,
            "banks": budget.banks(),
            "buffers": buffers.collect::<Vec<_>>(),
        },
        "locks": {
            "used": budget.locks.len(),
            "of": budget.max_locks,
            "list": locks.collect::<Vec<_>>(),
        },
        "bds": { "used": even + odd, "of": budget.max_bds, "halves": halves },
        "channels": channels.collect::<Vec<_>>(),
        "ports": ports.collect::<Vec<_>>(),
        "packets": {
            "rules": rules.collect::<Vec<_>>(),
            "arbiters": { "used": budget.arbiters, "of": budget.max_arbiters },
        },
    }))
}
