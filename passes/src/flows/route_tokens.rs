//! `aie-route-tokens`: gives the task complete tokens of a design their way to the controller of
//! their column.
//!
//! A token leaves a tile as a packet through its TileControl port, with the low five bits of the
//! channel's controller id as packet id, and ends at the shim tile: at the port of the column's
//! micro-controller, or on its south side where the device has none (AM020, AM025;
//! `mlir-aie: lib/Dialect/AIE/Transforms/AIEGenerateColumnControlOverlay.cpp` makes the same flows
//! for shim tiles). Without it a tile keeps a few tokens, then its channels stall.
//!
//! Flows are made for the tiles whose channels a runtime sequence lets send tokens, or waits for;
//! not for those whose port is connected already.

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::netlist::{const_int, tile_loc};
use aiec_aie::ops::{
    Device, Flow, NpuPushQueue, OpKind, OpView, PacketSource, RuntimeSequence, ShimDmaAllocation,
};
use aiec_device::{Arch, Bundle, DeviceModel, DmaDir, TileLoc};
use aiec_diag::Reported;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flows::control_overlay::{Tiles, token_flow};
use crate::infra::packet_flow::PacketFlowMarks;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-route-tokens", |module, context| {
    run(module, &context.options()?, context)
})
.summary("Give the task complete tokens of runtime sequences a way to their controllers")
.postconditions(&["each tile whose channels send tokens has a flow from its control port"])
.options(<TokenOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-route-tokens`.
    pub(crate) struct TokenOptions {
        /// Tiles that get a flow: `senders`, `inner` or `none`.
        pub(crate) tiles: String = OptionDef::one_of(
        "tiles",
        "senders",
        &["senders", "inner", "none"],
        "senders: those that send tokens; inner: of these core and mem tiles only; none",
    ),
    }
}

/// The destination sees the header: controllers look for the id.
const MARKS: PacketFlowMarks = PacketFlowMarks {
    keep_header: true,
    priority: false,
};

fn run(
    module: &mut Module,
    options: &TokenOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let wanted = &options.tiles;
    if wanted == "none" {
        return Ok(());
    }
    for (device, mut senders) in senders(module) {
        let model = Device(device).model(module);
        // The verifier reports unknown devices.
        let Some(model) = model.filter(|model| model.arch() != Arch::Aie1) else {
            continue;
        };
        if senders.is_empty() {
            continue;
        }
        for tile in connected(module, device) {
            senders.remove(&tile);
        }
        let cause = module.derived_loc(context.pass, device);
        let mut tiles = Tiles::of(module, device);
        for tile in model.tiles().filter(|tile| senders.contains(tile)) {
            if (tile.row != 0 || wanted != "inner") && has_control(model, tile) {
                token_flow(module, model, &mut tiles, tile, MARKS, cause);
                context.count("token flows", 1);
            }
        }
    }
    Ok(())
}

/// Whether tokens can leave a tile: it has a DMA.
fn has_control(model: &DeviceModel, tile: TileLoc) -> bool {
    model.tile(tile).is_some_and(|tile| tile.dma.is_some())
}

/// The allocations of a device by name.
struct Allocations(FxHashMap<String, ShimDmaAllocation>);

impl Allocations {
    fn of(module: &Module, device: Op) -> Allocations {
        let all = module.children::<ShimDmaAllocation>(device).into_iter();
        let named = all.map(|allocation| (allocation.sym_name(module).to_string(), allocation));
        Allocations(named.collect())
    }

    /// That of an object fifo may be named after it.
    fn get(&self, name: &str) -> Option<&ShimDmaAllocation> {
        let other = || self.0.get(&format!("{name}_shim_alloc"));
        self.0.get(name).or_else(other)
    }
}

/// Of each device, in order of the text, the tiles whose channels send tokens, or are waited for.
/// Sequences of other devices name what is of a device by `@device::@name`.
fn senders(module: &Module) -> Vec<(Op, FxHashSet<TileLoc>)> {
    let devices = module.find(module.top(), OpKind::Device);
    let names = devices.iter().enumerate();
    let names = names.map(|(index, &device)| (Device(device).name(module).to_string(), index));
    let names: FxHashMap<String, usize> = names.collect();
    let allocations = devices
        .iter()
        .map(|&device| Allocations::of(module, device));
    let allocations: Vec<Allocations> = allocations.collect();
    let mut senders = vec![FxHashSet::default(); devices.len()];
    for (own, &device) in devices.iter().enumerate() {
        for sequence in module.children::<RuntimeSequence>(device) {
            for op in module.walk(sequence.op()) {
                let meant = match module.nested_root(op) {
                    None => own,
                    Some(root) => match names.get(root) {
                        Some(meant) => *meant,
                        None => continue,
                    },
                };
                add_senders(module, op, &allocations[meant], &mut senders[meant]);
            }
        }
    }
    devices.into_iter().zip(senders).collect()
}

/// Adds the tiles that an operation of a sequence lets send tokens, or waits for.
fn add_senders(module: &Module, op: Op, allocations: &Allocations, found: &mut FxHashSet<TileLoc>) {
    let token = module.flag(op, "issue_token");
    let named = |key: &str| allocations.get(module.symbol_attr(op, key).unwrap_or_default());
    let place = |value: Option<Value>| tile_loc(module, value?);
    match module.kind(op) {
        OpKind::NpuDmaMemcpyNd => {
            let allocation = named("metadata");
            let receives = |allocation: &&ShimDmaAllocation| {
                allocation.channel_dir(module) == Some(DmaDir::S2mm)
            };
            let allocation = allocation.filter(|a| token || receives(a));
            found.extend(allocation.and_then(|a| a.tile_loc(module)));
        }
        OpKind::NpuDmaWait => {
            found.extend(named("symbol").and_then(|a| a.tile_loc(module)));
        }
        OpKind::DmaConfigureTask if token => found.extend(place(module.operand(op, 0))),
        // The tile is after the arguments of the chain.
        OpKind::DmaStartBdChain if token => found.extend(place(module.operands(op).last())),
        OpKind::DmaConfigureTaskFor | OpKind::DmaStartBdChainFor if token => {
            found.extend(named("alloc").and_then(|a| a.tile_loc(module)));
        }
        OpKind::NpuPushQueue if token => {
            let push = NpuPushQueue(op);
            let (col, row) = (push.column(module), push.row(module));
            let loc = u8::try_from(col).ok().zip(u8::try_from(row).ok());
            found.extend(loc.map(|(col, row)| TileLoc::new(col, row)));
        }
        OpKind::NpuSync => found.extend(synced(module, op)),
        _ => {}
    }
}

/// The tiles that an `aiex.npu.sync` waits for, as far as they are constants.
fn synced(module: &Module, op: Op) -> Vec<TileLoc> {
    let number = |n| {
        let value = const_int(module, module.operand(op, n)?)?;
        u8::try_from(value).ok()
    };
    let (Some(col), Some(row)) = (number(0), number(1)) else {
        return Vec::new();
    };
    let (cols, rows) = (number(4).unwrap_or(1), number(5).unwrap_or(1));
    let cols = col..col.saturating_add(cols.max(1));
    cols.flat_map(|col| {
        let rows = row..row.saturating_add(rows.max(1));
        rows.map(move |row| TileLoc::new(col, row))
    })
    .collect()
}

/// The tiles whose control port is connected already: by a flow, or in a switch that is written.
fn connected(module: &Module, device: Op) -> FxHashSet<TileLoc> {
    let control = |bundle: Option<Bundle>| bundle == Some(Bundle::TileControl);
    let mut found = FxHashSet::default();
    for flow in module.children::<Flow>(device) {
        let tile = flow
            .source(module)
            .filter(|_| control(flow.source_bundle(module)));
        found.extend(tile.and_then(|tile| tile_loc(module, tile)));
    }
    let [packet_sources, switches] =
        module.find_each(device, [OpKind::PacketSource, OpKind::Switchbox]);
    for op in packet_sources {
        let source = PacketSource(op);
        let tile = source
            .tile(module)
            .filter(|_| control(source.bundle(module)));
        found.extend(tile.and_then(|tile| tile_loc(module, tile)));
    }
    for switch in switches {
        let Some(loc) = module.operand(switch, 0).and_then(|v| tile_loc(module, v)) else {
            continue;
        };
        let wanted = i64::from(Bundle::TileControl.value());
        let leads = |op: Op| match module.kind(op) {
            OpKind::PacketRules | OpKind::Connect => {
                module.int_attr(op, "source_bundle") == Some(wanted)
            }
            _ => false,
        };
        if module.walk(switch).any(leads) {
            found.insert(loc);
        }
    }
    found
}
