//! Tiles, placed and not, the operations on them, and shim allocations.

use aiec_device::{TileKind, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Context, Report, codes, kind_text};
use crate::ir::{Attr, Op, PacketInfo, Value};
use crate::ops::enums::LogicalTileType;
use crate::ops::{
    Core, LogicalTile, Mem, MemTileDma, ObjectFifoRegisterExternalBuffers, OpKind, OpView, ShimDma,
    ShimDmaAllocation, ShimMux, Switchbox, Tile,
};
use aiec_diag::MlirAieReport;

pub(super) fn check(cx: &mut Context<'_>) {
    tiles(cx);
    cx.each(logical_tile);
    on_tiles(cx);
    cx.each(allocation);
}

fn tiles(cx: &mut Context<'_>) {
    for tile in cx.all::<Tile>() {
        let loc = tile.loc(cx.module);
        if loc.is_some_and(|loc| cx.model.contains(loc)) {
            continue;
        }
        let (columns, rows) = (cx.model.columns(), cx.model.rows());
        let name = cx.model.name();
        let (col, row) = (tile.col(cx.module), tile.row(cx.module));
        let message = format!("tile ({col}, {row}) lies outside of {name}");
        let help = format!("columns are 0..={}, rows 0..={}", columns - 1, rows - 1);
        cx.error(tile.op(), &codes::TILE_OUTSIDE, message)
            .label(
                cx.module.span(cx.device),
                format!("{name} is {columns} columns × {rows} rows"),
            )
            .help(help)
            .mlir_aie(outside_in_mlir_aie(cx, tile.op(), col.into(), row.into()))
            .push(cx);
    }
    for tile in cx.all::<Tile>() {
        if let Some(Attr::Packet(info)) = cx.module.attr(tile.op(), "controller_id") {
            packet_range(cx, tile.op(), Some(*info));
        }
        let shim = cx.kind_of(cx.module.result(tile.op(), 0));
        scheme_on_shim(cx, tile.op(), shim);
    }
}

/// The type and id of packets fit their headers.
fn packet_range(cx: &mut Context<'_>, op: Op, packet: Option<PacketInfo>) {
    let arch = cx.model.arch_model();
    let (max_type, max_id) = (arch.max_packet_type.into(), arch.max_packet_id.into());
    let Some(PacketInfo { pkt_type, pkt_id }) = packet else {
        return;
    };
    if !(0..=max_type).contains(&pkt_type) || !(0..=max_id).contains(&pkt_id) {
        let message = format!("packet type {pkt_type} with id {pkt_id} is out of range");
        let help = format!("types are 0..={max_type}, ids 0..={max_id}");
        cx.problem(op, &codes::PACKET, message, help);
    }
}

/// Report by mlir-aie's tools of coordinates outside of the device.
fn outside_in_mlir_aie(cx: &Context<'_>, op: Op, col: i64, row: i64) -> MlirAieReport {
    let ends = [
        ("col", "column", "columns", col, cx.model.columns()),
        ("row", "row", "rows", row, cx.model.rows()),
    ];
    for (key, one, many, value, count) in ends {
        if value < 0 {
            return below_minimum(cx, op, key, 0);
        }
        if value >= i64::from(count) {
            let text = format!(
                "{one} index ({value}) must be less than the number of {many} in the device \
                 ({count})"
            );
            return cx.mlir_aie(op, text);
        }
    }
    cx.mlir_aie(op, "lies outside of the device")
}

/// Report by mlir-aie's tools of a 32-bit integer attribute below its minimum.
pub(super) fn below_minimum(cx: &Context<'_>, op: Op, key: &str, min: i64) -> MlirAieReport {
    cx.mlir_aie(
        op,
        format!(
            "attribute '{key}' failed to satisfy constraint: 32-bit signless integer attribute \
             whose minimum value is {min}"
        ),
    )
}

fn scheme_on_shim(cx: &mut Context<'_>, op: Op, kind: Option<TileKind>) {
    if kind.is_some_and(TileKind::is_shim) && cx.module.attr(op, "allocation_scheme").is_some() {
        let message = "a shim tile has no memory to allocate buffers in";
        let help = "remove allocation_scheme";
        let text = "Shim tiles cannot have an allocation scheme";
        cx.shared(op, &codes::TILE_KIND, (message, help), text);
    }
}

/// Tiles that are placed later: what is given of their place must be possible.
fn logical_tile(cx: &mut Context<'_>, tile: LogicalTile) {
    let m = cx.module;
    let (columns, rows) = (cx.model.columns(), cx.model.rows());
    let op = tile.op();
    let Some(wanted) = LogicalTileType::of(tile.tile_type(m).into()) else {
        return;
    };
    let kind = cx.kind_of(m.result(op, 0));
    let exists = (0..columns).any(|c| (0..rows).any(|r| cx.kind_at(TileLoc::new(c, r)) == kind));
    let (col, row) = (tile.col(m), tile.row(m));
    let inside = |n: Option<i32>, count: u8| n.is_none_or(|n| (0..i32::from(count)).contains(&n));
    if !exists {
        let text = format!(
            "tile type '{}' does not exist on the target device",
            wanted.text()
        );
        let message = format!("{} has no {}", cx.model.name(), wanted.text());
        cx.error(op, &codes::TILE_KIND, message)
            .label(m.span(cx.device), "this device")
            .help("`aiec devices NAME` shows the tiles of a device")
            .mlir_aie(cx.mlir_aie(op, text))
            .push(cx);
    } else if !inside(col, columns) || !inside(row, rows) {
        let name = cx.model.name();
        let text = |n: Option<i32>| n.map_or("?".to_string(), |n| n.to_string());
        let message = format!("tile ({}, {}) lies outside of {name}", text(col), text(row));
        let (col, row) = (col.unwrap_or(0).into(), row.unwrap_or(0).into());
        let help = format!("columns are 0..={}, rows 0..={}", columns - 1, rows - 1);
        let mlir_aie = outside_in_mlir_aie(cx, op, col, row);
        cx.shared_as(op, &codes::TILE_OUTSIDE, (message, help), mlir_aie);
    } else if let Some(loc) = logical_place(col, row)
        && cx.kind_at(loc) != kind
    {
        let found = cx.kind_at(loc).map_or("tile", kind_text);
        let message = format!("{loc} is a {found}, not a {}", wanted.text());
        let text =
            format!("declared logical tile type does not match the tile type at coordinates {loc}");
        let help = "leave the place open with `?`, or ask for that kind of tile";
        cx.shared(op, &codes::TILE_KIND, (message, help), text);
    }
    scheme_on_shim(cx, op, kind);
}

/// The place of a tile that is given in full.
fn logical_place(col: Option<i32>, row: Option<i32>) -> Option<TileLoc> {
    let col = u8::try_from(col?).ok()?;
    Some(TileLoc::new(col, u8::try_from(row?).ok()?))
}

/// Operations that are on a tile: of the right kind, and one of each.
fn on_tiles(cx: &mut Context<'_>) {
    const SHIM: &[TileKind] = &[TileKind::ShimNoc, TileKind::ShimPl];
    check_tile::<Core>(cx, &[TileKind::Core], "a core tile");
    check_tile::<Mem>(cx, &[TileKind::Core], "a core tile");
    check_tile::<MemTileDma>(cx, &[TileKind::Mem], "a MemTile");
    let noc = "a shim tile with NOC connection";
    check_tile::<ShimDma>(cx, &[TileKind::ShimNoc], noc);
    check_tile::<ShimMux>(cx, SHIM, "a shim tile");
    check_tile::<Switchbox>(cx, &TileKind::ALL, "a tile");
    for register in cx.all::<ObjectFifoRegisterExternalBuffers>() {
        let handle = register.tile(cx.module);
        right_kind(cx, register.op(), handle, &[TileKind::ShimNoc], noc);
    }
}

/// Whether an operation is on the right kind of tile; reports if not.
fn right_kind(
    cx: &mut Context<'_>,
    op: Op,
    handle: Option<Value>,
    kinds: &[TileKind],
    in_mlir_aie: &str,
) -> bool {
    let Some(kind) = cx.kind_of(handle) else {
        needs_tile(cx, op, handle);
        return false;
    };
    if kinds.contains(&kind) {
        return true;
    }
    let name = cx.module.op_name(op);
    let wanted: Vec<&str> = kinds.iter().map(|k| kind_text(*k)).collect();
    let message = match cx.tile(handle) {
        Some(loc) => format!("`{name}` can't be on {loc}, a {}", kind_text(kind)),
        None => format!("`{name}` can't be on a {}", kind_text(kind)),
    };
    let text = format!("failed to verify that op exists in {in_mlir_aie}");
    cx.error(op, &codes::TILE_KIND, message)
        .label(handle.and_then(|h| cx.module.value_span(h)), "this tile")
        .help(format!("put it on a {}", wanted.join(" or a ")))
        .mlir_aie(cx.mlir_aie(op, text))
        .push(cx);
    false
}

fn check_tile<V: OpView>(cx: &mut Context<'_>, kinds: &[TileKind], in_mlir_aie: &str) {
    let mut seen: IndexMap<Value, Op, FxBuildHasher> = IndexMap::default();
    let mut seen_at: IndexMap<TileLoc, Op, FxBuildHasher> = IndexMap::default();
    for view in cx.all::<V>() {
        let op = view.op();
        let handle = cx.module.operand(op, 0);
        if !right_kind(cx, op, handle, kinds, in_mlir_aie) {
            continue;
        }
        // A tile that isn't placed yet is known by its value only.
        let wished = handle
            .and_then(|h| LogicalTile::cast(cx.module, cx.module.def_op(h)?))
            .and_then(|t| logical_place(t.col(cx.module), t.row(cx.module)));
        let loc = cx.tile(handle).or(wished);
        let first = match (loc, handle) {
            (Some(loc), _) => seen_at.insert(loc, op),
            (None, Some(handle)) => seen.insert(handle, op),
            (None, None) => None,
        };
        let Some(first) = first else { continue };
        let name = cx.module.op_name(op);
        let place = loc.map_or("?".to_string(), |loc| loc.to_string());
        let message = match loc {
            Some(_) => format!("tile {place} has two `{name}`"),
            None => format!("one tile has two `{name}`"),
        };
        let text =
            format!("tile {place} already has a core; each compute tile can host only one core");
        let diag = cx
            .error(op, &codes::DUPLICATE_ON_TILE, message)
            .label(cx.module.span(first), "the first one")
            .help("merge them into one")
            .mlir_aie(cx.mlir_aie(op, text));
        let in_device = cx.module.kind(cx.device) == OpKind::Device;
        match V::KIND {
            OpKind::Core | OpKind::Switchbox if in_device => diag.push(cx),
            _ => diag.push_of_whole(cx),
        }
    }
}

/// A handle that isn't a tile of the device: reported once, at the tile, if that lies outside.
pub(super) fn needs_tile(cx: &mut Context<'_>, op: Op, handle: Option<Value>) {
    let Some(handle) = handle else { return };
    let def = cx.module.def_op(handle).map(|d| cx.module.kind(d));
    if matches!(def, Some(OpKind::Tile | OpKind::LogicalTile)) {
        return;
    }
    let message = format!("`{}` needs a tile as its operand", cx.module.op_name(op));
    cx.error(op, &codes::TILE_KIND, message)
        .label(cx.module.value_span(handle), "this isn't a tile")
        .help("give it the result of an aie.tile")
        .push(cx);
}

fn allocation(cx: &mut Context<'_>, allocation: ShimDmaAllocation) {
    let m = cx.module;
    let op = allocation.op();
    let handle = allocation.tile(m);
    let Some(kind) = cx.kind_of(handle) else {
        needs_tile(cx, op, handle);
        return;
    };
    if !kind.is_shim() {
        let message = format!(
            "a shim DMA can't be allocated on {}, a {}",
            cx.tile(handle)
                .map_or("this".to_string(), |l| l.to_string()),
            kind_text(kind)
        );
        let help = "name a tile of row 0";
        let text = "tile must be a shim tile";
        cx.shared(op, &codes::TILE_KIND, (message, help), text);
        return;
    }
    let Some(loc) = cx.tile(handle) else { return };
    let channel = allocation.channel_index(m);
    let dma = cx.dma_at(loc);
    let Some(dir) = allocation.channel_dir(m) else {
        return;
    };
    let count = dma.map_or(0, |d| i64::from(d.channels.get(dir)));
    let plio = allocation.plio(m).unwrap_or(false);
    packet_range(cx, op, allocation.packet(m));
    if !plio && !(0..count).contains(&channel) {
        let message = format!("{dir} channel {channel} of {loc} doesn't exist");
        let help = format!("this tile has {count} {dir} channels, counted from 0");
        cx.problem(op, &codes::DMA_CHANNEL, message, help);
    }
}
