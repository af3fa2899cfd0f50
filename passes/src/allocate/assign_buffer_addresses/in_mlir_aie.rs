//! The findings of this pass in the words of mlir-aie, which reports each step of its two schemes
//! (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBuffers.cpp`).

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::tile_of;
use aiec_aie::ops::{Buffer, OpView, Tile};
use aiec_aie::text::{PrintOptions, print_op};
use aiec_diag::MlirAieReport;

use super::memory::TileMemory;
use super::{AllocationScheme, PlacementFailure, sequential};
use crate::analysis::budget::name_of;

const FALLING_BACK: &str = "Bank-aware allocation failed, trying basic sequential allocation.";
const BY_BANK_FAILED: &str = "Bank-aware allocation failed.";

fn tile_says(module: &Module, tile_op: Tile, text: impl std::fmt::Display) -> MlirAieReport {
    MlirAieReport::op("aie.tile", text).at(module.span(tile_op.op()))
}

/// A written place that can't be kept: at its buffer, then how their schemes end.
pub(super) fn pin(
    module: &Module,
    tile_op: Tile,
    scheme: AllocationScheme,
    buffer: Op,
    text: &str,
    later: Option<String>,
) -> MlirAieReport {
    let of_buffer = |text: &str| MlirAieReport::op("aie.buffer", text).at(module.span(buffer));
    let falling_back = || {
        MlirAieReport::plain(FALLING_BACK)
            .warning()
            .at(module.span(tile_op.op()))
    };
    match (scheme, later) {
        (AllocationScheme::BankAware | AllocationScheme::WholeBanks, _) => {
            of_buffer(text).then(tile_says(module, tile_op, BY_BANK_FAILED))
        }
        (AllocationScheme::Sequential, later) => {
            let text = later.unwrap_or_else(|| text.to_string());
            let failed = "Basic sequential allocation failed.";
            of_buffer(&text).then(tile_says(module, tile_op, failed))
        }
        // Their second scheme doesn't look at banks.
        (AllocationScheme::Any, None) => of_buffer(text).then(falling_back()),
        (AllocationScheme::Any, Some(later)) => {
            let failed = "Basic sequential allocation also failed.";
            of_buffer(text)
                .then(falling_back())
                .then(of_buffer(&later))
                .then(tile_says(module, tile_op, failed))
        }
    }
}

pub(super) fn in_core(module: &Module, buffer: Buffer) -> MlirAieReport {
    let name = name_of(module, buffer.op());
    let tile = buffer.tile(module).and_then(|tile| tile_of(module, tile));
    let text = format!(
        "Buffer '\"{name}\"' must be defined directly under the device scope. Currently it is \
         nested inside a core tile."
    );
    MlirAieReport::op("aie.tile", text).at(tile.and_then(|tile| module.span(tile.op())))
}

/// Their two warnings about a buffer that found no bank.
fn no_bank(module: &Module, tile: &TileMemory, tile_op: Tile, at: usize) -> MlirAieReport {
    let item = &tile.items[at];
    let op = item.buffer.op();
    let name = name_of(module, op);
    let (span, tile_span) = (module.span(op), module.span(tile_op.op()));
    let mut map = "Current configuration of buffers in bank(s) : MemoryMap:\n".to_string();
    map += &stack_line(tile);
    for bank in 0..tile.banks {
        let range = tile.bank_range(bank);
        map += &format!(
            "\tbank : {bank}\t0x{:X}-0x{:X}\n",
            range.start,
            range.end - 1
        );
    }
    let text = format!(
        "Failed to allocate buffer: \"{name}\" with size: {} bytes.",
        item.bytes
    );
    MlirAieReport::plain(text)
        .warning()
        .at(span)
        .note(span, current(module, op))
        .then(
            MlirAieReport::plain("Not all requested buffers fit in the available memory.")
                .warning()
                .at(tile_span)
                .note(tile_span, current(module, tile_op.op()))
                .note(tile_span, map),
        )
}

/// An operation as their notes show it.
fn current(module: &Module, op: Op) -> String {
    let printed = |op| print_op(module, op, PrintOptions::default());
    let mut text = printed(op);
    if let Some(tile) = Buffer::cast(module, op).and_then(|b| tile_of(module, b.tile(module)?)) {
        // An operation printed alone doesn't know the names of its operands.
        let name = printed(tile.op());
        let name = name.split(" = ").next().unwrap_or_default();
        text = text.replacen("<<UNKNOWN SSA VALUE>>", name, 1);
    }
    format!("see current operation: {text}")
}

fn stack_line(tile: &TileMemory) -> String {
    match tile.stack {
        0 => "(no stack allocated)\n".to_string(),
        bytes => format!("\t\t(stack) : 0x0-0x{:X} \t({bytes} bytes)\n", bytes - 1),
    }
}

/// Their error about the second scheme.
fn past_the_end(module: &Module, tile: &TileMemory, tile_op: Tile) -> MlirAieReport {
    let span = module.span(tile_op.op());
    let mut places: Vec<(u64, usize)> = sequential::unlimited(tile)
        .into_iter()
        .enumerate()
        .map(|(i, place)| (place.address, i))
        .collect();
    places.sort_unstable();
    let mut map = "MemoryMap:\n".to_string();
    for (address, i) in places {
        let item = &tile.items[i];
        let name = name_of(module, item.buffer.op());
        let last = address + item.bytes.saturating_sub(1);
        map += &format!(
            "\t{name} : 0x{address:X}-0x{last:X} \t({} bytes)\n",
            item.bytes
        );
    }
    let text = format!(
        "allocated buffers exceeded available memory\n{}",
        stack_line(tile)
    );
    let generic = print_op(module, tile_op.op(), PrintOptions { generic: true });
    MlirAieReport::op("aie.tile", text.trim_end())
        .at(span)
        .note(span, format!("see current operation: {generic}"))
        .note(span, map)
}

pub(super) fn does_not_fit(
    module: &Module,
    tile: &TileMemory,
    tile_op: Tile,
    failure: &PlacementFailure,
) -> MlirAieReport {
    let says = |text| tile_says(module, tile_op, text);
    let at = failure.no_bank;
    match failure.scheme {
        AllocationScheme::BankAware | AllocationScheme::WholeBanks => {
            no_bank(module, tile, tile_op, at).then(says(BY_BANK_FAILED))
        }
        AllocationScheme::Sequential => {
            past_the_end(module, tile, tile_op).then(says("Basic sequential allocation failed."))
        }
        AllocationScheme::Any => no_bank(module, tile, tile_op, at)
            .then(
                MlirAieReport::plain(FALLING_BACK)
                    .warning()
                    .at(module.span(tile_op.op())),
            )
            .then(past_the_end(module, tile, tile_op))
            .then(says("Basic sequential allocation also failed.")),
    }
}

/// Their warnings for each tile whose buffers fit one after the other only.
pub(super) fn across_banks(
    module: &Module,
    tiles: &[(&TileMemory, usize)],
) -> Option<MlirAieReport> {
    let reports = tiles.iter().filter_map(|(tile, at)| {
        let handle = tile.items[*at].buffer.tile(module)?;
        let tile_op = tile_of(module, handle)?;
        let fallback = MlirAieReport::plain(FALLING_BACK)
            .warning()
            .at(module.span(tile_op.op()));
        Some(no_bank(module, tile, tile_op, *at).then(fallback))
    });
    reports.reduce(MlirAieReport::then)
}
