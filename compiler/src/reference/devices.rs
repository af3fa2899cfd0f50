//! `aiec devices`: the devices and what their tiles hold.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use aiec_device::regmap::{Field, Module, Register, RegisterMap};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileModel};
use clap::Args;
use serde_json::{Value, json};

use crate::args::OutputFormat;
use crate::args::values::device;
use crate::targets::{self, MACHINES, MachineRow};

/// `aiec devices`
#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// Show this device only
    #[arg(value_name = "NAME", value_parser = device_or_machine)]
    pub name: Option<DeviceOrMachine>,
    /// List the registers of its tiles, with their fields
    #[arg(long, requires = "name")]
    pub registers: bool,
    /// Form of the output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// Subject that `aiec devices` shows.
#[derive(Clone, Copy)]
pub enum DeviceOrMachine {
    /// A device of the array.
    Device(&'static DeviceModel),
    /// Another machine.
    Machine(&'static MachineRow),
}

impl std::fmt::Debug for DeviceOrMachine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DeviceOrMachine::Device(device) => device.name(),
            DeviceOrMachine::Machine(machine) => machine.name,
        })
    }
}

fn device_or_machine(name: &str) -> Result<DeviceOrMachine, String> {
    match targets::by_name(name) {
        Some(machine) => Ok(DeviceOrMachine::Machine(machine)),
        None => device(name).map(DeviceOrMachine::Device),
    }
}

/// The text to print.
pub fn run(args: &DevicesArgs) -> String {
    let (devices, machines): (Vec<&DeviceModel>, Vec<&MachineRow>) = match args.name {
        Some(DeviceOrMachine::Device(device)) => (vec![device], Vec::new()),
        Some(DeviceOrMachine::Machine(machine)) => (Vec::new(), vec![machine]),
        None => (DeviceModel::all().collect(), MACHINES.to_vec()),
    };
    if args.registers {
        return registers(&devices, args.format);
    }
    match (args.format, args.name) {
        (OutputFormat::Json, _) => {
            let devices: Vec<Value> = devices.into_iter().map(to_json).collect();
            let machines: Vec<Value> = machines.into_iter().map(machine_to_json).collect();
            format!(
                "{:#}\n",
                json!({ "devices": devices, "machines": machines })
            )
        }
        (OutputFormat::Text, None) => list(&devices) + &list_machines(&machines),
        (OutputFormat::Text, Some(DeviceOrMachine::Device(device))) => details(device),
        (OutputFormat::Text, Some(DeviceOrMachine::Machine(machine))) => machine_details(machine),
    }
}

/// A register of each tile of a kind, or as many at equal distances.
struct RegisterRow {
    module: Module,
    register: &'static Register,
    /// Byte offset of the first in the tile.
    offset: u32,
    /// The manual's name of the first.
    name: String,
    count: usize,
}

/// The registers of a kind of tile, by offset.
fn register_rows(map: &RegisterMap) -> Vec<RegisterRow> {
    let mut rows: Vec<RegisterRow> = Vec::new();
    let mut places = HashMap::new();
    for (offset, _) in map.registers() {
        let (Some(module), Some((_, register))) = (map.module_at(offset), map.role_at(offset))
        else {
            continue;
        };
        let place = *places
            .entry(std::ptr::from_ref(register))
            .or_insert(rows.len());
        match rows.get_mut(place) {
            Some(row) => row.count += 1,
            None => rows.push(RegisterRow {
                module,
                register,
                offset,
                name: map.name_at(offset).unwrap_or_default(),
                count: 1,
            }),
        }
    }
    rows
}

/// The registers of a device's tiles, a row for each array of them.
fn registers(devices: &[&DeviceModel], format: OutputFormat) -> String {
    let maps = devices.iter().flat_map(|device| {
        let of = |kind| Some((kind, RegisterMap::of(device.arch(), kind)?));
        kinds(device).filter_map(of)
    });
    match format {
        OutputFormat::Text => maps.map(|(kind, map)| register_text(kind, map)).collect(),
        OutputFormat::Json => {
            let tiles: serde_json::Map<String, Value> = maps
                .map(|(kind, map)| {
                    let rows = register_rows(map);
                    let rows = rows.iter().map(register_json).collect();
                    (json_kind(kind).to_owned(), rows)
                })
                .collect();
            format!("{:#}\n", json!({ "tiles": tiles }))
        }
    }
}

fn register_text(kind: TileKind, map: &RegisterMap) -> String {
    let mut out = format!("{kind}\n");
    for row in register_rows(map) {
        let array = match row.count {
            1 => String::new(),
            count => format!("{count} every {:#x}", row.register.stride()),
        };
        let fields: Vec<String> = row
            .register
            .fields()
            .iter()
            .map(ToString::to_string)
            .collect();
        let module = row.module;
        let line = format!(
            "  {:#07x}  {module:<9}{:<48}{array:<16}{}",
            row.offset,
            row.name,
            fields.join(", ")
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out + "\n"
}

fn register_json(row: &RegisterRow) -> Value {
    let field = |field: &Field| json!({ "name": field.name, "low": field.low, "high": field.high });
    json!({
        "name": row.name,
        "module": row.module.name(),
        "offset": row.offset,
        "count": row.count,
        "stride_bytes": row.register.stride(),
        "fields": row.register.fields().iter().map(field).collect::<Vec<_>>(),
    })
}

/// Machines besides the array, for `-t`.
fn list_machines(machines: &[&MachineRow]) -> String {
    let mut out = String::from("\nother machines, for -t of asm, dis and sim:\n");
    for machine in machines {
        let _ = writeln!(out, "{:<12}{}", machine.name, machine.summary);
    }
    out
}

fn machine_details(machine: &MachineRow) -> String {
    let mut out = format!("{}: {}\n", machine.name, machine.summary);
    for (name, value) in (machine.facts)() {
        let _ = writeln!(out, "  {name:<18}{value}");
    }
    out
}

fn machine_to_json(machine: &MachineRow) -> Value {
    let facts = (machine.facts)().into_iter();
    let facts: serde_json::Map<String, Value> = facts
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    json!({ "name": machine.name, "summary": machine.summary, "facts": facts })
}

fn list(devices: &[&DeviceModel]) -> String {
    let mut out = format!(
        "{:<12}{:<8}{:>8}{:>6}  {:<11}{:<11}{:<6}{}\n",
        "device", "arch", "columns", "rows", "mem rows", "core rows", "CERT", "also called"
    );
    for device in devices {
        let _ = writeln!(
            out,
            "{:<12}{:<8}{:>8}{:>6}  {:<11}{:<11}{:<6}{}",
            device.name(),
            device.arch(),
            device.columns(),
            device.rows(),
            rows(device.mem_rows()),
            rows(device.core_rows()),
            if device.has_cert() { "yes" } else { "no" },
            device.aliases().join(", "),
        );
    }
    // Trailing blanks of a line have no use.
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

fn details(device: &DeviceModel) -> String {
    let mut out = format!(
        "{}: {}, {} columns, {} rows\n",
        device.name(),
        device.arch(),
        device.columns(),
        device.rows()
    );
    if !device.aliases().is_empty() {
        let _ = writeln!(out, "also called: {}", device.aliases().join(", "));
    }
    let _ = writeln!(
        out,
        "mem tiles in rows: {}\ncore tiles in rows: {}\nshim DMA in columns: {}\n{}",
        rows(device.mem_rows()),
        rows(device.core_rows()),
        noc_columns(device),
        if device.has_cert() {
            "CERT: one micro-controller in each column"
        } else {
            "CERT: none; control code is for the simulator only"
        }
    );
    for kind in kinds(device) {
        if let Some(tile) = device.arch().tile(kind) {
            let _ = writeln!(out, "\n{kind}\n{}", tile_text(tile));
        }
    }
    out
}

fn tile_text(tile: &TileModel) -> String {
    let mut lines = Vec::new();
    if tile.memory_bytes > 0 {
        let banks = tile.banks;
        lines.push(format!(
            "  data memory     {} bytes, {} banks of {}",
            tile.memory_bytes, banks.count, banks.bytes
        ));
    }
    if tile.program_bytes > 0 {
        lines.push(format!("  program memory  {} bytes", tile.program_bytes));
    }
    lines.push(format!("  locks           {}", tile.locks));
    match &tile.dma {
        Some(dma) => lines.push(format!(
            "  DMA             {} S2MM and {} MM2S channels, {} BDs of {} dimensions",
            dma.channels.get(DmaDir::S2mm),
            dma.channels.get(DmaDir::Mm2s),
            dma.bds,
            dma.bd.dims
        )),
        None => lines.push("  DMA             none".to_string()),
    }
    lines.join("\n")
}

fn to_json(device: &DeviceModel) -> Value {
    let tiles: serde_json::Map<String, Value> = kinds(device)
        .filter_map(|kind| Some((json_kind(kind).to_string(), device.arch().tile(kind)?)))
        .map(|(kind, tile)| (kind, tile_json(tile)))
        .collect();
    json!({
        "name": device.name(),
        "aliases": device.aliases(),
        "arch": device.arch().name(),
        "columns": device.columns(),
        "rows": device.rows(),
        "mem_rows": device.mem_rows().collect::<Vec<_>>(),
        "core_rows": device.core_rows().collect::<Vec<_>>(),
        "shim_dma_columns": shim_dma_columns(device),
        "npu": device.is_npu(),
        "cert": device.has_cert(),
        "tiles": tiles,
    })
}

fn tile_json(tile: &TileModel) -> Value {
    let dma = tile.dma.as_ref().map(|dma| {
        json!({
            "s2mm_channels": dma.channels.get(DmaDir::S2mm),
            "mm2s_channels": dma.channels.get(DmaDir::Mm2s),
            "bds": dma.bds,
            "dimensions": dma.bd.dims,
            "max_length_words": dma.bd.max_length_words,
            "bursts_bytes": dma.bursts,
        })
    });
    json!({
        "memory_bytes": tile.memory_bytes,
        "banks": tile.banks.count,
        "program_bytes": tile.program_bytes,
        "locks": tile.locks,
        "dma": dma,
    })
}

/// The kinds of tiles that the device has.
fn kinds(device: &DeviceModel) -> impl Iterator<Item = TileKind> {
    let present = |kind: TileKind| device.tiles().any(|at| device.tile_kind(at) == Some(kind));
    TileKind::ALL.into_iter().filter(move |kind| present(*kind))
}

fn json_kind(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Core => "core",
        TileKind::Mem => "mem",
        TileKind::ShimNoc => "shim_noc",
        TileKind::ShimPl => "shim_pl",
    }
}

fn shim_dma_columns(device: &DeviceModel) -> Vec<u8> {
    device
        .tiles()
        .filter(|at| device.tile_kind(*at) == Some(TileKind::ShimNoc))
        .map(|at| at.col)
        .collect()
}

fn noc_columns(device: &DeviceModel) -> String {
    let columns = shim_dma_columns(device);
    if columns.len() == usize::from(device.columns()) {
        return "all".to_string();
    }
    let columns: Vec<String> = columns.iter().map(u8::to_string).collect();
    columns.join(", ")
}

fn rows(range: Range<u8>) -> String {
    match range.len() {
        0 => "none".to_string(),
        1 => range.start.to_string(),
        _ => format!("{} to {}", range.start, range.end - 1),
    }
}
