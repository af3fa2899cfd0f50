//! `aie-assign-buffer-addresses`: places the buffers of each tile in its data memory.
//!
//! Per tile the schemes of mlir-aie (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBuffers.cpp`)
//! and two exact ones are tried in order, each from a clean state:
//!
//! 1. [`bank_aware`]: no buffer crosses a bank, free buffers go round the banks by falling size;
//! 2. [`bank_fit`]: the same with the space before written buffers, which the first wastes;
//! 3. [`sequential`]: one after the other, banks ignored;
//! 4. [`first_fit`]: exact free lists, which uses the gaps that all these leave.
//!
//! `allocation_scheme` on the tile, or the pass's option, asks for the first two or for the third
//! alone, or for the first two and [`whole_banks`], after buffers that are larger than a bank. What is written is in every scheme: an `address`, and a `mem_bank`. Contradictions
//! among these are found first and no scheme papers over them.
//!
//! Units: bytes from the start of the tile's data memory.

mod bank_aware;
mod bank_fit;
mod check;
mod core_data;
mod first_fit;
mod in_mlir_aie;
mod memory;
mod pins;
mod report;
mod sequential;
mod whole_banks;

use aiec_aie::ir::{LocInfo, Module, Op};
use aiec_aie::ops::netlist::tile_of;
use aiec_aie::ops::{Buffer, Core, Device, OpKind, OpView, Tile};
use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_diag::{Diag, Reported, codes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::budget::{TileBudget, name_of};
use crate::analysis::core_elf::machine_code_data;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::infra::self_check;
use memory::{BufferToPlace, TileMemory};

pub use check::check;

/// The pass.
pub static PASS: PassDef =
    PassDef::of_device("aie-assign-buffer-addresses", |module, device, context| {
        run(module, device, &context.options()?, context)
    })
    .summary("Placement the buffers of each tile in its data memory")
    .postconditions(&[
        "every buffer has a name and an address",
        "buffers of a tile overlap neither each other nor the stack, and lie inside the memory",
    ])
    .options(<BufferOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-assign-buffer-addresses`.
    pub(crate) struct BufferOptions {
        /// Scheme of tiles that name none; empty for all in turn.
        pub(crate) alloc_scheme: String = OptionDef::one_of(
        "alloc-scheme",
        "",
        &["", "bank-aware", "whole-banks", "basic-sequential"],
        "bank-aware, whole-banks or basic-sequential; by default the first is tried before the last",
    ),
    }
}

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
        "allocation_scheme is one of bank-aware, whole-banks and basic-sequential.";
    ACROSS_BANKS = "buffers::across-banks",
        "Bank by bank the buffers of a tile don't fit, so they lie one after the other. Accesses to \
         buffers in one bank wait for each other; otherwise nothing is wrong.";
    IN_CORE = "buffers::in-core",
        "A buffer inside a core's body belongs to the device: its address is given there, and \
         others may use it. Only constants with an initial value may be in a core.";
    NO_SIZE = "buffers::no-size",
        "A buffer needs a static shape and an element type whose size in memory is known.";
}

/// Start addresses of mem tile buffers are multiples of 4 bytes
/// (`mlir-aie: lib/Dialect/AIE/Transforms/AIEAssignBuffers.cpp`).
const MEM_TILE_ALIGNMENT: u64 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum AllocationScheme {
    BankAware,
    WholeBanks,
    Sequential,
    Any,
}

/// Items of a tile that the schemes found no place for.
struct PlacementFailure {
    /// The scheme that was asked for.
    scheme: AllocationScheme,
    /// The item that found no place in the last scheme tried.
    at: usize,
    /// The item that found no bank.
    no_bank: usize,
}

fn run(
    module: &mut Module,
    device: Op,
    options: &BufferOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let mut names = TakenNames::default();
    name_buffers(module, device, &mut names);
    core_data::reserve(module, device, model, &mut names, context);
    let tiles = collect(module, device, model, context);
    let mut across = Vec::new();
    for tile in model.tiles().filter_map(|loc| tiles.get(&loc)) {
        if let Some(unplaced) = place_tile(module, device, tile, options, context) {
            across.push((tile, unplaced));
        }
    }
    if !across.is_empty() {
        context.report(report::across_banks(module, &across));
    }
    context.diags.check()?;
    self_check::verify_in_debug(context, module, || check(module, device))
}

/// The symbols of a device, read when the first is asked for.
#[derive(Default)]
struct TakenNames(Option<FxHashSet<String>>);

impl TakenNames {
    fn of(&mut self, module: &Module, device: Op) -> &mut FxHashSet<String> {
        self.0.get_or_insert_with(|| {
            let ops = module.walk(device);
            let names = ops.filter_map(|op| module.str_attr(op, "sym_name"));
            names.map(str::to_string).collect()
        })
    }

    /// The name, or with a number after it if it is taken.
    fn free(&mut self, module: &Module, device: Op, name: String) -> String {
        let taken = self.of(module, device);
        let numbered = (0u32..).map(|n| format!("{name}_{n}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        let free = candidates.find(|name| !taken.contains(name));
        let free = free.unwrap_or(name);
        taken.insert(free.clone());
        free
    }
}

/// Gives buffers without a symbol one that is free.
fn name_buffers(module: &mut Module, device: Op, names: &mut TakenNames) {
    let mut number = 0usize;
    for buffer in module.find_all::<Buffer>(device) {
        if buffer.sym_name(module).is_some() {
            continue;
        }
        let mut name = format!("_anonymous{number}");
        while !names.of(module, device).insert(name.clone()) {
            number += 1;
            name = format!("_anonymous{number}");
        }
        number += 1;
        buffer.edit(module).sym_name(name);
    }
}

/// The memories of the tiles that have buffers.
fn collect(
    module: &Module,
    device: Op,
    model: &DeviceModel,
    context: &mut PassContext<'_>,
) -> FxHashMap<TileLoc, TileMemory> {
    let mut tiles: FxHashMap<TileLoc, TileMemory> = FxHashMap::default();
    let bus = u64::from(model.arch_model().load_store_bits / 8);
    for buffer in module.find_all::<Buffer>(device) {
        if let Some(diag) = in_core(module, buffer) {
            context.report(diag);
            continue;
        }
        let Some(loc) = buffer.tile_loc(module) else {
            continue;
        };
        let (Some(kind), Some(tile)) = (model.tile_kind(loc), model.tile(loc)) else {
            continue;
        };
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
            reserved: Vec::new(),
            items: Vec::new(),
        });
        match item(module, buffer, (kind, alignment)) {
            Some(item) => memory.items.push(item),
            None => context.report(no_size(module, buffer)),
        }
    }
    for core in module.children::<Core>(device) {
        let memory = core.tile_loc(module).and_then(|loc| tiles.get_mut(&loc));
        if let Some(memory) = memory {
            memory.stack = core.stack_bytes(module, model);
        }
        for (loc, range) in machine_code_data(module, model, core) {
            if let Some(memory) = tiles.get_mut(&loc) {
                // The linker may have placed written buffers itself, and the stack.
                memory
                    .reserved
                    .push(range.start.max(memory.stack)..range.end.max(memory.stack));
            }
        }
    }
    tiles
}

/// Sizes and addresses past this are outside of every memory; sums of a few stay in range.
const FAR_OUT: u64 = u64::MAX / (1 << 24);

fn item(
    module: &Module,
    buffer: Buffer,
    (kind, alignment): (TileKind, u64),
) -> Option<BufferToPlace> {
    // A negative address is out of any memory: keep it as a number that is out of range too.
    let unsigned = |v: i32| u64::try_from(v).unwrap_or(FAR_OUT);
    let address = buffer.address(module).map(unsigned);
    // The memory of a mem tile is interleaved, its banks of 64 KiB are the allocators' own;
    // iree-amd-aie counts one, and writes bank 0 beside every address.
    let one_bank = kind == TileKind::Mem && address.is_some();
    let bank = buffer
        .mem_bank(module)
        .filter(|bank| *bank != 0 || !one_bank);
    Some(BufferToPlace {
        buffer,
        bytes: buffer.bytes(module)?.min(FAR_OUT),
        address,
        bank: bank.map(unsigned),
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

/// A buffer that the input declares in a core's body; with an initial value it is a constant.
fn in_core(module: &Module, buffer: Buffer) -> Option<Diag> {
    let op = buffer.op();
    let core = module.ancestor(op, OpKind::Core)?;
    let made = matches!(module.locs.info(module.loc(op)), LocInfo::Derived { .. });
    if made || buffer.initial_value(module).is_some() {
        return None;
    }
    let name = name_of(module, op);
    Some(
        Diag::error(
            &IN_CORE,
            format!("buffer `{name}` is declared inside a core"),
        )
        .label(module.span(op), "this buffer")
        .label(module.span(core), "inside this core")
        .help("declare it in the device, before the core")
        .mlir_aie(in_mlir_aie::in_core(module, buffer)),
    )
}

/// Gives the buffers of a tile their addresses. Where they don't fit bank by bank but one after
/// the other, returns the first that found no bank.
fn place_tile(
    module: &mut Module,
    device: Op,
    tile: &TileMemory,
    options: &BufferOptions,
    context: &mut PassContext<'_>,
) -> Option<usize> {
    let tile_op = tile_of(module, tile.items.first()?.buffer.tile(module)?)?;
    let scheme = scheme_of(module, tile_op, options, context)?;
    let wrong_pins = pins::check(module, tile, tile_op, scheme);
    if !wrong_pins.is_empty() {
        let table = TileBudget::of(module, device, tile.loc).table();
        for diag in wrong_pins {
            context.report(diag.remark(table.clone()));
        }
        return None;
    }
    let by_bank = match scheme {
        AllocationScheme::Sequential => Err(0),
        _ => bank_aware::place(tile).or_else(|at| bank_fit::place(tile).map_err(|_| at)),
    };
    let crossing = by_bank.as_ref().err().copied();
    let placement = by_bank.or_else(|at| match scheme {
        AllocationScheme::BankAware => Err(at),
        AllocationScheme::WholeBanks => whole_banks::place(tile),
        AllocationScheme::Sequential => sequential::place(tile),
        AllocationScheme::Any => sequential::place(tile).or_else(|_| first_fit::place(tile)),
    });
    match placement {
        Ok(places) => {
            for (item, place) in tile.items.iter().zip(places) {
                let op = item.buffer.op();
                // Addresses fit: they are below the size of a tile's memory.
                Buffer(op).edit(module).address(place.address as i32);
                if let Some(bank) = place.bank {
                    Buffer(op).edit(module).mem_bank(bank as i32);
                }
            }
            crossing.filter(|_| scheme == AllocationScheme::Any)
        }
        Err(at) => {
            let failure = PlacementFailure {
                scheme,
                at,
                no_bank: crossing.unwrap_or(at),
            };
            context.report(report::does_not_fit(
                module, device, tile, tile_op, &failure,
            ));
            None
        }
    }
}

fn scheme_of(
    module: &Module,
    tile_op: Tile,
    options: &BufferOptions,
    context: &mut PassContext<'_>,
) -> Option<AllocationScheme> {
    let written = tile_op.allocation_scheme(module);
    let name = match &written {
        Some(name) => &**name,
        None => &options.alloc_scheme,
    };
    match name {
        "" => Some(AllocationScheme::Any),
        "bank-aware" => Some(AllocationScheme::BankAware),
        "whole-banks" => Some(AllocationScheme::WholeBanks),
        "basic-sequential" => Some(AllocationScheme::Sequential),
        other => {
            let message = format!("there is no allocation scheme `{other}`");
            let span = written.as_ref().and_then(|_| module.span(tile_op.op()));
            context.report(
                Diag::error(&BAD_SCHEME, message)
                    .label(span, "asked for here")
                    .help("use bank-aware, whole-banks or basic-sequential, or leave it out"),
            );
            None
        }
    }
}
