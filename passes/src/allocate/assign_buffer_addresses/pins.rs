//! Written addresses and banks that no scheme can honour.

use std::ops::Range;

use aiec_aie::ir::Module;
use aiec_aie::ops::{OpView, Tile};
use aiec_diag::Diag;

use super::memory::{BufferToPlace, TileMemory};
use super::{AllocationScheme, BAD_BANK, BAD_PIN, FAR_OUT, OVERLAP, in_mlir_aie};
use crate::analysis::budget::name_of;

struct Pins<'a> {
    module: &'a Module,
    tile: &'a TileMemory,
    tile_op: Tile,
    scheme: AllocationScheme,
}

/// All contradictions among the written places of a tile.
pub(super) fn check(
    module: &Module,
    tile: &TileMemory,
    tile_op: Tile,
    scheme: AllocationScheme,
) -> Vec<Diag> {
    let pins = Pins {
        module,
        tile,
        tile_op,
        scheme,
    };
    let mut found = Vec::new();
    for item in &tile.items {
        found.extend(pins.bank(item));
        found.extend(pins.address(item));
    }
    if found.is_empty() {
        found = pins.overlaps();
    }
    if found.is_empty() {
        found = pins.full_banks();
    }
    found
}

impl Pins<'_> {
    fn name(&self, item: &BufferToPlace) -> String {
        name_of(self.module, item.buffer.op())
    }

    /// With the words of mlir-aie: for its first scheme, and for its second if that finds it too.
    fn in_mlir_aie(
        &self,
        diag: Diag,
        item: &BufferToPlace,
        first: &str,
        second: Option<String>,
    ) -> Diag {
        let buffer = item.buffer.op();
        let (module, tile_op) = (self.module, self.tile_op);
        diag.mlir_aie(in_mlir_aie::pin(
            module,
            tile_op,
            self.scheme,
            buffer,
            first,
            second,
        ))
    }

    fn bank(&self, item: &BufferToPlace) -> Option<Diag> {
        let bank = item.bank.filter(|bank| *bank >= self.tile.banks)?;
        let name = self.name(item);
        let asked = match bank {
            FAR_OUT => "a negative bank".to_string(),
            b => format!("bank {b}"),
        };
        let mlir_aie = "mem_bank attribute value is out of range";
        let last = self.tile.banks.saturating_sub(1);
        let diag = Diag::error(
            &BAD_BANK,
            format!("{mlir_aie}: buffer `{name}` asks for {asked}"),
        )
        .label(self.module.span(item.buffer.op()), "this mem_bank")
        .help(format!("banks are 0 to {last}"));
        Some(self.in_mlir_aie(diag, item, mlir_aie, None))
    }

    fn address(&self, item: &BufferToPlace) -> Option<Diag> {
        let tile = self.tile;
        let range = item.written()?;
        let address = range.start;
        let error = |problem: String, help: String| {
            let name = self.name(item);
            let shown = match address {
                FAR_OUT => "below 0".to_string(),
                address => format!("{address:#x}"),
            };
            Diag::error(
                &BAD_PIN,
                format!("the address {shown} of buffer `{name}` {problem}"),
            )
            .label(self.module.span(item.buffer.op()), "this address")
            .help(help)
        };
        if range.end > tile.bytes {
            let (bytes, loc) = (tile.bytes, tile.loc);
            return Some(error(
                format!("ends outside the {bytes} bytes of memory of tile {loc}"),
                "choose a lower address, or leave it to the compiler".to_string(),
            ));
        }
        if address % item.align != 0 {
            let what = "must be aligned to tile load/store bus width when aligned attribute is set";
            let next = address.next_multiple_of(item.align);
            let diag = error(
                format!("{what}: {} bytes", item.align),
                format!(
                    "use {next:#x}, or set aligned = false if nothing reads it with full width"
                ),
            );
            let mlir_aie = format!("pre-allocated address {what}");
            return Some(self.in_mlir_aie(diag, item, &mlir_aie, Some(mlir_aie.clone())));
        }
        let bank = tile.bank_of(address);
        if item.bank.is_some_and(|written| written != bank) {
            let what = "mem_bank attribute is inconsistent with address attribute";
            let diag = error(
                format!("is in bank {bank}: {what}"),
                "write one of the two, not both".to_string(),
            );
            return Some(self.in_mlir_aie(diag, item, what, None));
        }
        None
    }

    fn overlaps(&self) -> Vec<Diag> {
        let mut found = Vec::new();
        let mut furthest: Option<(&BufferToPlace, Range<u64>)> = None;
        for i in self.tile.fixed_by_address() {
            let item = &self.tile.items[i];
            let Some(range) = item.written().filter(|range| !range.is_empty()) else {
                continue;
            };
            if range.start < self.tile.stack {
                found.push(self.on_stack(item, range.start));
            }
            let before = furthest.take_if(|(_, other)| other.end <= range.end);
            if let Some((other, there)) = before.as_ref().or(furthest.as_ref())
                && range.start < there.end
            {
                found.push(self.on_other(item, range.start, other, there));
            }
            if furthest.is_none() {
                furthest = Some((item, range));
            }
        }
        found
    }

    fn on_stack(&self, item: &BufferToPlace, start: u64) -> Diag {
        let (name, bytes) = (self.name(item), self.tile.stack);
        let message = format!(
            "buffer `{name}` at address {start:#x} overlaps with stack (size: {bytes} bytes)"
        );
        let diag = Diag::error(&OVERLAP, message)
            .label(self.module.span(item.buffer.op()), "this address")
            .help("choose a higher address, or a smaller stack_size of the core");
        let second = format!(
            "buffer '\"{name}\"' at address 0x{start:X} overlaps with stack (size: {bytes} bytes)"
        );
        self.in_mlir_aie(diag, item, "would override allocated address", Some(second))
    }

    fn on_other(
        &self,
        item: &BufferToPlace,
        start: u64,
        other: &BufferToPlace,
        there: &Range<u64>,
    ) -> Diag {
        let (name, first) = (self.name(item), self.name(other));
        let (at, bytes) = (there.start, other.bytes);
        let message =
            format!("buffer `{name}` at address {start:#x} overlaps with `{first}` at {at:#x}");
        let diag = Diag::error(&OVERLAP, message)
            .label(self.module.span(item.buffer.op()), "this buffer")
            .label(self.module.span(other.buffer.op()), "the other one")
            .help("move one of them, or leave one address to the compiler");
        let second = format!(
            "buffer '\"{name}\"' at address 0x{start:X} overlaps with '\"{first}\"' at address \
             0x{at:X} (size: {bytes} bytes)"
        );
        self.in_mlir_aie(diag, item, "would override allocated address", Some(second))
    }

    /// Banks that are asked to hold more than their size, by addresses and by banks.
    fn full_banks(&self) -> Vec<Diag> {
        let tile = self.tile;
        let mut asked = vec![(0u64, Vec::new()); tile.banks as usize];
        for (i, item) in tile.items.iter().enumerate() {
            if let (None, Some(bank)) = (item.address, item.bank)
                && let Some((bytes, items)) = asked.get_mut(bank as usize)
            {
                *bytes += item.bytes;
                items.push(i);
            }
        }
        let mut found = Vec::new();
        for (bank, (bytes, items)) in asked.into_iter().enumerate() {
            let range = tile.bank_range(bank as u64);
            let inside = |r: &Range<u64>| {
                r.end
                    .min(range.end)
                    .saturating_sub(r.start.max(range.start))
            };
            let stack = inside(&(0..tile.stack));
            let standing: u64 = tile.standing().iter().map(inside).sum();
            if items.is_empty() || bytes + stack + standing <= tile.bank_bytes {
                continue;
            }
            let first = &tile.items[items[0]];
            let with = match stack + standing {
                0 => String::new(),
                n => format!(" beside the {n} bytes of the stack and of written addresses"),
            };
            let message = format!(
                "bank {bank} of tile {} has {} bytes, but buffers of {bytes} bytes ask for it{with}",
                tile.loc, tile.bank_bytes
            );
            let mut diag = Diag::error(&OVERLAP, message);
            for i in &items {
                let span = self.module.span(tile.items[*i].buffer.op());
                diag = diag.label(span, "wants this bank");
            }
            let touches = |item: &&BufferToPlace| item.written().is_some_and(|r| inside(&r) > 0);
            for item in tile.items.iter().filter(touches) {
                let span = self.module.span(item.buffer.op());
                diag = diag.label(span, "its address is in this bank");
            }
            diag = diag.help("leave the bank or the address of one of them to the compiler");
            found.push(self.in_mlir_aie(diag, first, "would override existing mem_bank", None));
        }
        found
    }
}
