//! `aie-assign-buffer-addresses`: places the buffers of each tile in its data memory.
//!
//! Per tile the schemes of mlir-aie (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBuffers.cpp`)
//! are tried in order, each from a clean state:
//!
//! 1. [`bank_aware`]: no buffer crosses a bank, free buffers go round the banks by falling size;
//! 2. [`sequential`]: one after the other, banks ignored;
//! 3. [`first_fit`]: exact free lists, which uses the gaps that the two leave.
//!
//! `allocation_scheme` on the tile, or the pass's option, asks for one of the first two alone.
//! What is written stands in every scheme: an `address`, and a `mem_bank`. Contradictions among
//! these are found first and no scheme papers over them.
//!
//! Units: bytes from the start of the tile's data memory.

mod bank_aware;
mod first_fit;
mod pins;
mod sequential;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Reported};
use aiec_dialect::ir::{Attr, Module, Op};
use aiec_dialect::ops::netlist::tile_of;
use aiec_dialect::ops::{Buffer, Core, Device, OpView};

use crate::budget::{TileBudget, name_of};
use crate::pass::{OptionDef, PassContext, PassDef, Run};
use crate::self_check;

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-assign-buffer-addresses",
    summary: "Place the buffers of each tile in its data memory",
    leaves: &[
        "every buffer has a name and an address",
        "buffers of a tile overlap neither each other nor the stack, and lie inside the memory",
    ],
    options: &[OptionDef {
        name: "alloc-scheme",
        default: "",
        summary: "bank-aware or basic-sequential; by default one after the other is tried",
    }],
    run: Run::Device(run),
};

codes! {
    /// Codes of `aie-assign-buffer-addresses`.
    pub static CODES;
    BAD_PIN = "buffers::bad-address",
        "The written address of a buffer is outside the tile's memory, misaligned, or in \
         another bank than its mem_bank says.";
    BAD_BANK = "buffers::bad-bank",
        "The written mem_bank is not a bank of this tile: core tiles have 4 banks of 16 KiB (AIE1: \
         8 KiB), mem tiles 8 of 64 KiB.";
    OVERLAP = "buffers::overlap",
        "Two buffers with written addresses, or such a buffer and the core's stack, share bytes.";
    DOES_NOT_FIT = "buffers::do-not-fit",
        "The buffers of a tile, with the core's stack, need more memory than it has. Smaller \
         object fifo depths or objects, or buffers on a neighbour (objectfifo.allocate), help.";
    BAD_SCHEME = "buffers::unknown-scheme",
        "allocation_scheme is one of bank-aware and basic-sequential.";
    NO_SIZE = "buffers::no-size",
        "A buffer needs a static shape and an element type whose size in memory is known.";
}

/// Start addresses of mem tile buffers are multiples of 4 bytes
/// (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBuffers.cpp`).
const MEM_TILE_ALIGNMENT: u64 = 4;

/// A buffer to place.
#[derive(Clone, Debug)]
struct Item {
    buffer: Buffer,
    bytes: u64,
    /// Written address.
    address: Option<u64>,
    /// Written bank.
    bank: Option<u64>,
    /// Start address must be a multiple of this.
    align: u64,
}

/// The memory of one tile and what has to go into it.
#[derive(Clone, Debug)]
struct TileMemory {
    loc: TileLoc,
    bytes: u64,
    banks: u64,
    bank_bytes: u64,
    /// Bytes from 0 that the core's stack takes.
    stack: u64,
    items: Vec<Item>,
}

/// Where an item was put: its address and, if the scheme knows banks, its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    address: u64,
    bank: Option<u64>,
}

/// A scheme's answer: a place for each item, or the first item that found none.
type Placement = Result<Vec<Place>, usize>;

impl TileMemory {
    fn bank_range(&self, bank: u64) -> Range<u64> {
        bank * self.bank_bytes..(bank + 1) * self.bank_bytes
    }

    fn bank_of(&self, address: u64) -> u64 {
        address.checked_div(self.bank_bytes).unwrap_or(0)
    }

    /// Numbers of the items without a written place, by falling size; equal ones in textual order.
    fn free_by_size(&self) -> Vec<usize> {
        let free = |item: &Item| item.address.is_none() && item.bank.is_none();
        let mut list: Vec<usize> = (0..self.items.len())
            .filter(|i| free(&self.items[*i]))
            .collect();
        list.sort_by_key(|i| std::cmp::Reverse(self.items[*i].bytes));
        list
    }

    /// Numbers of the items with a written address, by address.
    fn fixed_by_address(&self) -> Vec<usize> {
        let mut list: Vec<usize> = (0..self.items.len())
            .filter(|i| self.items[*i].address.is_some())
            .collect();
        list.sort_by_key(|i| self.items[*i].address);
        list
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    BankAware,
    Sequential,
    Any,
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    name_buffers(module, device);
    let tiles = collect(module, device, model, context);
    for tile in tiles.values() {
        place_tile(module, device, tile, context);
    }
    context.diags.check()?;
    self_check::hold(context, || check(module, device))
}

/// Gives buffers without a symbol one that is free.
fn name_buffers(module: &mut Module, device: Op) {
    let buffers = module.find_all::<Buffer>(device);
    let taken: BTreeSet<String> = module
        .walk(device)
        .filter_map(|op| module.str_attr(op, "sym_name").map(str::to_string))
        .collect();
    let mut number = 0usize;
    for buffer in buffers {
        if module.str_attr(buffer.op(), "sym_name").is_none() {
            let mut name = format!("_anonymous{number}");
            while taken.contains(&name) {
                number += 1;
                name = format!("_anonymous{number}");
            }
            number += 1;
            module.set_attr(buffer.op(), "sym_name", Attr::str(name));
        }
    }
}

/// The memories of the tiles that have buffers.
fn collect(
    module: &Module,
    device: Op,
    model: &DeviceModel,
    context: &mut PassContext<'_>,
) -> BTreeMap<TileLoc, TileMemory> {
    let mut tiles: BTreeMap<TileLoc, TileMemory> = BTreeMap::new();
    for buffer in module.find_all::<Buffer>(device) {
        let Some(loc) = buffer.tile_loc(module) else {
            continue;
        };
        let Some(kind) = model.tile_kind(loc) else {
            continue;
        };
        let Some(tile) = model.tile(loc) else {
            continue;
        };
        let bus = u64::from(model.arch_model().load_store_bits / 8);
        let alignment = match kind {
            TileKind::Core => bus,
            _ => MEM_TILE_ALIGNMENT,
        };
        let memory = tiles.entry(loc).or_insert_with(|| TileMemory {
            loc,
            bytes: tile.memory_bytes.into(),
            banks: tile.banks.count.into(),
            bank_bytes: tile.banks.bytes.into(),
            stack: 0,
            items: Vec::new(),
        });
        match item(module, buffer, alignment) {
            Some(item) => memory.items.push(item),
            None => context.report(no_size(module, buffer)),
        }
    }
    for core in module.children::<Core>(device) {
        let memory = core.tile_loc(module).and_then(|loc| tiles.get_mut(&loc));
        if let Some(memory) = memory {
            let default = model.arch_model().default_stack_bytes;
            let written = core.stack_size(module);
            memory.stack = written
                .and_then(|size| u64::try_from(size).ok())
                .unwrap_or(default.into());
        }
    }
    tiles
}

fn item(module: &Module, buffer: Buffer, alignment: u64) -> Option<Item> {
    // A negative address is out of any memory: keep it as a number that is out of range too.
    let unsigned = |v: i32| u64::try_from(v).unwrap_or(u64::MAX / 2);
    Some(Item {
        buffer,
        bytes: buffer.bytes(module)?,
        address: buffer.address(module).map(unsigned),
        bank: buffer.mem_bank(module).map(unsigned),
        align: match buffer.aligned(module) {
            Some(false) => 1,
            _ => alignment,
        },
    })
}

fn no_size(module: &Module, buffer: Buffer) -> Diag {
    let name = name_of(module, buffer.op());
    Diag::error(&NO_SIZE, format!("the size of buffer `{name}` isn't known"))
        .label(module.span(buffer.op()), "this type")
        .help("use a memref of static shape with integer, float or vector elements")
}

fn place_tile(module: &mut Module, device: Op, tile: &TileMemory, context: &mut PassContext<'_>) {
    let Some(scheme) = scheme_of(module, tile, context) else {
        return;
    };
    let wrong_pins = pins::check(module, tile);
    if !wrong_pins.is_empty() {
        for diag in wrong_pins {
            context.report(diag.remark(memory_map(module, tile)));
        }
        return;
    }
    let placement = match scheme {
        Scheme::BankAware => bank_aware::place(tile),
        Scheme::Sequential => sequential::place(tile),
        Scheme::Any => bank_aware::place(tile).or_else(|in_bank| {
            let last = sequential::place(tile).or_else(|_| first_fit::place(tile));
            // A full bank is the cause where one is asked for.
            let asked = tile.items[in_bank].bank.is_some();
            last.map_err(|at| if asked { in_bank } else { at })
        }),
    };
    match placement {
        Ok(places) => {
            for (item, place) in tile.items.iter().zip(places) {
                let op = item.buffer.op();
                // Addresses fit: they are below the size of a tile's memory.
                module.set_attr(op, "address", Attr::i32(place.address as i32));
                if let Some(bank) = place.bank {
                    module.set_attr(op, "mem_bank", Attr::i32(bank as i32));
                }
            }
        }
        Err(at) => context.report(does_not_fit(module, device, tile, scheme, at)),
    }
}

fn scheme_of(module: &Module, tile: &TileMemory, context: &mut PassContext<'_>) -> Option<Scheme> {
    let handle = tile.items.first()?.buffer.tile(module)?;
    let tile_op = tile_of(module, handle)?;
    let written = tile_op.allocation_scheme(module);
    let name = match &written {
        Some(name) => &**name,
        None => context.option("alloc-scheme"),
    };
    match name {
        "" => Some(Scheme::Any),
        "bank-aware" => Some(Scheme::BankAware),
        "basic-sequential" => Some(Scheme::Sequential),
        other => {
            let message = format!("there is no allocation scheme `{other}`");
            let span = written.as_ref().and_then(|_| module.span(tile_op.op()));
            context.report(
                Diag::error(&BAD_SCHEME, message)
                    .label(span, "asked for here")
                    .help("use bank-aware or basic-sequential, or leave it out"),
            );
            None
        }
    }
}

fn does_not_fit(module: &Module, device: Op, tile: &TileMemory, scheme: Scheme, at: usize) -> Diag {
    let item = &tile.items[at];
    let name = name_of(module, item.buffer.op());
    let needed: u64 = tile.items.iter().map(|i| i.bytes).sum::<u64>() + tile.stack;
    let full_bank = item.bank.filter(|_| item.address.is_none());
    let by = match scheme {
        _ if full_bank.is_some() => "",
        Scheme::BankAware => " bank by bank",
        Scheme::Sequential => " one after the other",
        Scheme::Any => "",
    };
    let place = full_bank.map_or(String::new(), |bank| format!(" in bank {bank}"));
    let message = format!(
        "the buffers of tile {} don't fit{by}: no room{place} for `{name}` of {} bytes; \
         stack and buffers need {needed} of {} bytes",
        tile.loc, item.bytes, tile.bytes
    );
    let help = if full_bank.is_some() {
        "would override existing mem_bank: ask for another bank, or leave mem_bank out"
    } else if needed > tile.bytes {
        "use smaller objects or depths, or put some buffers on a neighbour that both ends reach \
         (objectfifo.allocate)"
    } else if scheme != Scheme::Any {
        "leave allocation_scheme out: the default also uses the gaps between buffers"
    } else {
        "the free bytes are in pieces: move or remove written addresses, or split the buffer"
    };
    Diag::error(&DOES_NOT_FIT, message)
        .label(module.span(item.buffer.op()), "no room for this buffer")
        .help(help)
        .remark(memory_map(module, tile))
        .remark(TileBudget::of(module, device, tile.loc).table())
}

/// The stack and the written places of a tile, for notes.
fn memory_map(module: &Module, tile: &TileMemory) -> String {
    let mut text = format!(
        "memory of tile {}: {} bytes in {} banks",
        tile.loc, tile.bytes, tile.banks
    );
    if tile.stack > 0 {
        text += &format!("\n  0x0-{:#x}: stack ({} bytes)", tile.stack, tile.stack);
    }
    for i in tile.fixed_by_address() {
        let item = &tile.items[i];
        let start = item.address.unwrap_or(0);
        let name = name_of(module, item.buffer.op());
        let end = start.saturating_add(item.bytes);
        text += &format!("\n  {start:#x}-{end:#x}: {name} ({} bytes)", item.bytes);
    }
    for item in tile.items.iter().filter(|i| i.address.is_none()) {
        let name = name_of(module, item.buffer.op());
        let bank = item.bank.map_or(String::new(), |b| format!(" in bank {b}"));
        text += &format!("\n  anywhere{bank}: {name} ({} bytes)", item.bytes);
    }
    text
}

/// Whether all buffers have addresses, lie inside their memory and overlap neither each other nor
/// the stack; what is wrong otherwise.
pub fn check(module: &Module, device: Op) -> Result<(), String> {
    let model = Device(device).model(module).ok_or("unknown device")?;
    let mut used: BTreeMap<TileLoc, Vec<(u64, u64, String)>> = BTreeMap::new();
    for buffer in module.find_all::<Buffer>(device) {
        let name = name_of(module, buffer.op());
        let Some(loc) = buffer.tile_loc(module) else {
            continue;
        };
        let address = buffer
            .address(module)
            .ok_or(format!("{name} has no address"))?;
        let start = u64::try_from(address).map_err(|_| format!("{name} is below 0"))?;
        let bytes = buffer.bytes(module).ok_or(format!("{name} has no size"))?;
        used.entry(loc)
            .or_default()
            .push((start, start + bytes, name));
    }
    for core in module.children::<Core>(device) {
        if let Some(list) = core.tile_loc(module).and_then(|loc| used.get_mut(&loc)) {
            let default = model.arch_model().default_stack_bytes as i32;
            let size = core.stack_size(module).unwrap_or(default);
            list.push((0, size.max(0) as u64, "the stack".to_string()));
        }
    }
    for (loc, mut list) in used {
        list.sort();
        let limit = model.tile(loc).map_or(0, |t| u64::from(t.memory_bytes));
        // The furthest end so far and whose it is; empty buffers share bytes with nothing.
        let mut furthest: Option<(u64, String)> = None;
        for (start, end, name) in list {
            if end > limit {
                return Err(format!("{name} ends at {end} of {limit} in tile {loc}"));
            }
            if let Some((until, other)) = &furthest
                && start < *until
                && end > start
            {
                return Err(format!("{name} and {other} overlap in tile {loc}"));
            }
            if furthest.as_ref().is_none_or(|(until, _)| end > *until) {
                furthest = Some((end, name));
            }
        }
    }
    Ok(())
}
