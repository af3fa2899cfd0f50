//! Findings about the memory of a tile: the buffers that don't fit, and the consequences.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpView, Tile};
use aiec_diag::Diag;

use super::memory::TileMemory;
use super::{ACROSS_BANKS, AllocationScheme, DOES_NOT_FIT, PlacementFailure, in_mlir_aie};
use crate::analysis::budget::{TileBudget, name_of};

/// Tiles that a note names.
const SHOWN: usize = 8;

/// The buffers of a tile that need more memory than there is.
pub(super) fn does_not_fit(
    module: &Module,
    device: Op,
    tile: &TileMemory,
    tile_op: Tile,
    failure: &PlacementFailure,
) -> Diag {
    let item = &tile.items[failure.at];
    let name = name_of(module, item.buffer.op());
    let needed = tile.needed();
    let by = match failure.scheme {
        AllocationScheme::BankAware => " bank by bank",
        AllocationScheme::WholeBanks => " in whole banks",
        AllocationScheme::Sequential => " one after the other",
        AllocationScheme::Any => "",
    };
    let message = format!(
        "the buffers of tile {} don't fit{by}: no room for `{name}` of {} bytes; \
         stack and buffers need {needed} of {} bytes",
        tile.loc, item.bytes, tile.bytes
    );
    let help = if needed > tile.bytes {
        format!(
            "{} bytes too many: use smaller objects or depths, or put some buffers on a neighbour \
             that both ends reach (objectfifo.allocate){}",
            needed - tile.bytes,
            match tile.stack {
                0 => "",
                _ => ", or a smaller stack_size",
            }
        )
    } else if failure.scheme != AllocationScheme::Any {
        "leave allocation_scheme out: the default also uses the gaps between buffers".to_string()
    } else {
        "the free bytes are in pieces: move or remove written addresses, or split the buffer"
            .to_string()
    };
    Diag::error(&DOES_NOT_FIT, message)
        .label(module.span(item.buffer.op()), "no room for this buffer")
        .help(help)
        .remark(TileBudget::of(module, device, tile.loc).table())
        .mlir_aie(in_mlir_aie::does_not_fit(module, tile, tile_op, failure))
}

/// Tiles whose buffers lie across banks, each with the first buffer that found no bank.
pub(super) fn across_banks(module: &Module, tiles: &[(&TileMemory, usize)]) -> Diag {
    let names: Vec<String> = tiles
        .iter()
        .take(SHOWN)
        .map(|(tile, at)| {
            let item = &tile.items[*at];
            let name = name_of(module, item.buffer.op());
            format!("{} (no bank for `{name}`, {} bytes)", tile.loc, item.bytes)
        })
        .collect();
    let more = match tiles.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let message = format!(
        "buffers share banks or cross their borders on {}{more}: bank by bank they don't fit",
        names.join(", ")
    );
    let span = tiles
        .first()
        .and_then(|(tile, at)| module.span(tile.items[*at].buffer.op()));
    let diag = Diag::note(&ACROSS_BANKS, message)
        .label(span, "found no bank with room for all of it")
        .help("smaller buffers keep core and DMA out of each other's way; nothing has to be done");
    match in_mlir_aie::across_banks(module, tiles) {
        Some(mlir_aie) => diag.mlir_aie(mlir_aie),
        None => diag,
    }
}
