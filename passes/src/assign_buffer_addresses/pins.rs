//! Written addresses and banks: what can't be honoured by any scheme.

use aiec_dialect::diag::Diag;
use aiec_dialect::ir::Module;
use aiec_dialect::ops::OpView;

use super::{BAD_BANK, BAD_PIN, Item, OVERLAP, TileMemory};
use crate::budget::name_of;

/// All contradictions among the written places of a tile.
pub(super) fn check(module: &Module, tile: &TileMemory) -> Vec<Diag> {
    let mut found = Vec::new();
    for item in &tile.items {
        found.extend(bank(module, tile, item));
        found.extend(address(module, tile, item));
    }
    if found.is_empty() {
        found = overlaps(module, tile);
    }
    found
}

fn bank(module: &Module, tile: &TileMemory, item: &Item) -> Option<Diag> {
    let bank = item.bank.filter(|bank| *bank >= tile.banks)?;
    let name = name_of(module, item.buffer.op());
    let bank = match bank {
        b if b >= u64::MAX / 2 => "a negative bank".to_string(),
        b => format!("bank {b}"),
    };
    let message =
        format!("mem_bank attribute value is out of range: buffer `{name}` asks for {bank}");
    Some(
        Diag::error(&BAD_BANK, message)
            .label(module.span(item.buffer.op()), "this mem_bank")
            .help(format!("banks are 0 to {}", tile.banks.saturating_sub(1))),
    )
}

fn address(module: &Module, tile: &TileMemory, item: &Item) -> Option<Diag> {
    let address = item.address?;
    let name = name_of(module, item.buffer.op());
    let (problem, help) = if address.saturating_add(item.bytes) > tile.bytes {
        (
            format!(
                "ends outside the {} bytes of memory of tile {}",
                tile.bytes, tile.loc
            ),
            "choose a lower address, or leave it to the compiler".to_string(),
        )
    } else if address % item.align != 0 {
        (
            format!(
                "must be aligned to tile load/store bus width when aligned attribute is set: {} \
                 bytes",
                item.align
            ),
            format!(
                "use {:#x}, or set aligned = false if nothing reads it with full width",
                address.next_multiple_of(item.align)
            ),
        )
    } else if item.bank.is_some_and(|bank| bank != tile.bank_of(address)) {
        (
            format!(
                "is in bank {}: mem_bank attribute is inconsistent with address attribute",
                tile.bank_of(address)
            ),
            "write one of the two, not both".to_string(),
        )
    } else {
        return None;
    };
    let message = format!("the address {address:#x} of buffer `{name}` {problem}");
    Some(
        Diag::error(&BAD_PIN, message)
            .label(module.span(item.buffer.op()), "this address")
            .help(help),
    )
}

fn overlaps(module: &Module, tile: &TileMemory) -> Vec<Diag> {
    let mut found = Vec::new();
    let mut furthest: Option<&Item> = None;
    for i in tile.fixed_by_address() {
        let item = &tile.items[i];
        let start = item.address.unwrap_or(0);
        let name = name_of(module, item.buffer.op());
        let span = module.span(item.buffer.op());
        if item.bytes > 0 && start < tile.stack {
            let message = format!(
                "buffer `{name}` at address {start:#x} overlaps with stack (size: {} bytes)",
                tile.stack
            );
            found.push(
                Diag::error(&OVERLAP, message)
                    .label(span, "this address")
                    .help("choose a higher address, or a smaller stack_size of the core"),
            );
        }
        let end = |item: &Item| item.address.unwrap_or(0) + item.bytes;
        if let Some(other) = furthest.filter(|other| item.bytes > 0 && start < end(other)) {
            let first = name_of(module, other.buffer.op());
            let at = other.address.unwrap_or(0);
            let message =
                format!("buffer `{name}` at address {start:#x} overlaps with `{first}` at {at:#x}");
            found.push(
                Diag::error(&OVERLAP, message)
                    .label(span, "this buffer")
                    .label(module.span(other.buffer.op()), "the other one")
                    .help("move one of them, or leave one address to the compiler"),
            );
        }
        if furthest.is_none_or(|other| end(item) > end(other)) {
            furthest = Some(item);
        }
    }
    found
}
