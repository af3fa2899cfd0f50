//! Writes a routing into the netlist: switchboxes and shim muxes with their contents, made where
//! they are missing.

use std::collections::BTreeMap;

use aiec_aie::ir::{Attr, Block, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::{Connect, OpKind, OpView, Tile};
use aiec_device::{Bundle, Port, TileLoc};
use rustc_hash::FxHashMap;

use super::fixed::MuxLinks;
use super::packets::PacketSettings;
use crate::analysis::switches::{Amsel, Switch, Switches, amsel_ops};

/// Additions to the switch of a tile.
#[derive(Default)]
pub(crate) struct SwitchAddition {
    /// Circuits, with the flow each is made from.
    pub connects: BTreeMap<(Port, Port), Op>,
    /// Packet settings.
    pub settings: PacketSettings,
    /// The flow that the settings are made from, where there are any.
    pub packet_op: Option<Op>,
    /// Whether the header is kept at outputs where flows end and say so.
    pub keep_header: FxHashMap<Port, bool>,
}

impl SwitchAddition {
    fn made_from(&self) -> Option<Op> {
        let circuit = self.connects.values().next().copied();
        circuit.or(self.packet_op)
    }
}

/// Additions to each switch.
pub(crate) type SwitchAdditions = FxHashMap<TileLoc, SwitchAddition>;

/// The mark of control streams, as mlir-aie names it.
const CONTROL_MARK: &str = "is_ctrl_pkt_overlay";

/// Adds switch and mux settings to a device.
pub(crate) fn emit(
    module: &mut Module,
    device: Op,
    pass: &'static str,
    switches: &Switches,
    additions: &SwitchAdditions,
    muxes: &MuxLinks,
) {
    let Some(body) = module.entry(device, 0) else {
        return;
    };
    let mut emitter = Emitter {
        module,
        body,
        pass,
        tiles: FxHashMap::default(),
        last_tile: None,
    };
    for tile in emitter.module.children::<Tile>(device) {
        if let Some(loc) = tile.loc(emitter.module) {
            emitter.tiles.entry(loc).or_insert(tile.op());
            emitter.last_tile = Some(tile.op());
        }
    }
    let tiles = || switches.device.tiles();
    for addition in tiles().filter_map(|tile| Some((tile, additions.get(&tile)?))) {
        let loc = emitter.loc(addition.1.made_from());
        emitter.tile(addition.0, loc);
    }
    let nothing = Switch::default();
    for (tile, addition) in tiles().filter_map(|tile| Some((tile, additions.get(&tile)?))) {
        let have = switches.switch(tile).unwrap_or(&nothing);
        emitter.switch(tile, addition, have);
    }
    // Each goes right after its tile, so muxes end up before switchboxes.
    for (tile, links) in tiles().filter_map(|tile| Some((tile, muxes.get(&tile)?))) {
        let ops = switches.muxes.get(&tile).map(|mux| &mux.ops[..]);
        emitter.mux(tile, links, ops.and_then(|ops| ops.first().copied()));
    }
}

struct Emitter<'m> {
    module: &'m mut Module,
    body: Block,
    pass: &'static str,
    tiles: FxHashMap<TileLoc, Op>,
    last_tile: Option<Op>,
}

impl Emitter<'_> {
    fn loc(&mut self, from: Option<Op>) -> Loc {
        match from {
            Some(op) => self.module.derived_loc(self.pass, op),
            None => Loc::UNKNOWN,
        }
    }

    /// The operation of a tile, made after the last one if it isn't there.
    fn tile(&mut self, tile: TileLoc, loc: Loc) -> Op {
        if let Some(op) = self.tiles.get(&tile) {
            return *op;
        }
        let at = match self.last_tile {
            Some(last) => InsertPoint::After(last),
            None => InsertPoint::Start(self.body),
        };
        let op = self
            .module
            .build(OpKind::Tile, loc)
            .attr("col", Attr::i32(tile.col.into()))
            .attr("row", Attr::i32(tile.row.into()))
            .result(Type::Index)
            .insert(at);
        self.tiles.insert(tile, op);
        self.last_tile = Some(op);
        op
    }

    /// The block of a switchbox or shim mux of a tile; a missing one is made after its tile.
    fn container(&mut self, kind: OpKind, tile: TileLoc, have: Option<Op>, loc: Loc) -> Block {
        let op = have.unwrap_or_else(|| {
            let tile_op = self.tile(tile, loc);
            let handle = self.module.result(tile_op, 0);
            self.module
                .build(kind, loc)
                .operands(handle)
                .result(Type::Index)
                .body()
                .insert(InsertPoint::After(tile_op))
        });
        match self.module.entry(op, 0) {
            Some(block) => block,
            None => {
                let region = match self.module.region(op, 0) {
                    Some(region) => region,
                    None => self.module.add_region(op),
                };
                self.module.add_block(region)
            }
        }
    }

    /// Where the next operation of a block goes: before its terminator, if that is written.
    fn end(&self, block: Block) -> InsertPoint {
        end_of(self.module, block)
    }

    fn mux(&mut self, tile: TileLoc, links: &BTreeMap<(Port, Port), Op>, have: Option<Op>) {
        let loc = self.loc(links.values().next().copied());
        let block = self.container(OpKind::ShimMux, tile, have, loc);
        for (link, from) in links {
            self.connect(block, *link, *from);
        }
    }

    fn connect(&mut self, block: Block, (from, to): (Port, Port), op: Op) {
        let loc = self.loc(Some(op));
        let at = self.end(block);
        let module = &mut *self.module;
        Connect::build(
            module,
            loc,
            from.bundle,
            from.channel,
            to.bundle,
            to.channel,
        )
        .insert(at);
    }

    fn switch(&mut self, tile: TileLoc, addition: &SwitchAddition, have: &Switch) {
        let loc = self.loc(addition.made_from());
        let op = have.ops.first().copied();
        let block = self.container(OpKind::Switchbox, tile, op, loc);
        for (link, from) in &addition.connects {
            self.connect(block, *link, *from);
        }
        let loc = self.loc(addition.packet_op);
        let amsels = self.amsels(block, &addition.settings, have, loc);
        self.masters(block, addition, have, &amsels, loc);
        self.rules(block, &addition.settings, have, &amsels, loc);
    }

    /// The values of all amsels that are used, made where they are missing.
    fn amsels(
        &mut self,
        block: Block,
        settings: &PacketSettings,
        have: &Switch,
        loc: Loc,
    ) -> FxHashMap<Amsel, Value> {
        let mut used: Vec<Amsel> = settings.masters.values().flatten().copied().collect();
        // By msel, then arbiter, as mlir-aie prints them.
        used.sort_by_key(|amsel| (amsel.msel, amsel.arbiter));
        used.dedup();
        let mut values = FxHashMap::default();
        for op in &have.ops {
            values.extend(amsel_ops(self.module, *op));
        }
        // Hand-written mastersets and rules may come to use them, so they go before those.
        let packets = !have.masters.is_empty() || !have.slaves.is_empty();
        let first = self.module.first_op(block).filter(|_| packets);
        for amsel in used {
            if values.contains_key(&amsel) {
                continue;
            }
            let at = match first {
                Some(first) => InsertPoint::Before(first),
                None => self.end(block),
            };
            let op = self
                .module
                .build(OpKind::Amsel, loc)
                .attr("arbiterID", Attr::Int(amsel.arbiter.into(), Type::I8))
                .attr("msel", Attr::Int(amsel.msel.into(), Type::I8))
                .result(Type::Index)
                .insert(at);
            values.extend(self.module.result(op, 0).map(|value| (amsel, value)));
        }
        values
    }

    fn masters(
        &mut self,
        block: Block,
        addition: &SwitchAddition,
        have: &Switch,
        amsels: &FxHashMap<Amsel, Value>,
        loc: Loc,
    ) {
        for (port, selects) in &addition.settings.masters {
            if let Some(master) = have.masters.iter().find(|m| m.port == *port) {
                let fresh = |a: &&Amsel| !master.amsels.contains(&(a.arbiter, a.msel));
                for value in values_of(amsels, selects.iter().filter(fresh)) {
                    self.module.add_operand(master.op, value);
                }
                continue;
            }
            let at = self.end(block);
            let keep = addition.keep_header.get(port).copied().map(Attr::Bool);
            let control = addition.settings.control_masters.contains(port);
            self.module
                .build(OpKind::MasterSet, loc)
                .operands(values_of(amsels, selects.iter()))
                .attr("dest_bundle", bundle(port.bundle))
                .attr("dest_channel", Attr::i32(port.channel.into()))
                .attr_opt(CONTROL_MARK, control.then_some(Attr::Unit))
                .attr_opt("keep_pkt_header", keep)
                .result(Type::Index)
                .insert(at);
        }
    }

    fn rules(
        &mut self,
        block: Block,
        settings: &PacketSettings,
        have: &Switch,
        amsels: &FxHashMap<Amsel, Value>,
        loc: Loc,
    ) {
        // Last port and rule first, as mlir-aie prints them: no two rules of a port match one id.
        for (port, rules) in settings.rules.iter().rev() {
            let known = have.slaves.iter().find(|slave| slave.port == *port);
            let op = match known {
                Some(slave) => slave.op,
                None => {
                    let at = self.end(block);
                    let control = settings.control_slaves.contains(port);
                    self.module
                        .build(OpKind::PacketRules, loc)
                        .attr("source_bundle", bundle(port.bundle))
                        .attr("source_channel", Attr::i32(port.channel.into()))
                        .attr_opt(CONTROL_MARK, control.then_some(Attr::Unit))
                        .body()
                        .insert(at)
                }
            };
            let Some(inner) = self.module.entry(op, 0) else {
                continue;
            };
            for rule in rules.iter().rev() {
                let at = self.end(inner);
                self.module
                    .build(OpKind::Rule, loc)
                    .operands(amsels.get(&rule.amsel).copied())
                    .attr("mask", Attr::Int(rule.cube.mask.into(), Type::I8))
                    .attr("value", Attr::Int(rule.cube.value.into(), Type::I8))
                    .insert(at);
            }
        }
    }
}

fn values_of<'a>(
    amsels: &FxHashMap<Amsel, Value>,
    wanted: impl Iterator<Item = &'a Amsel>,
) -> Vec<Value> {
    let values = wanted.filter_map(|amsel| amsels.get(amsel));
    values.copied().collect()
}

fn bundle(bundle: Bundle) -> Attr {
    Attr::i32(bundle.value().into())
}

/// The end of a block, before its terminator if that is written.
pub(super) fn end_of(module: &Module, block: Block) -> InsertPoint {
    match module.last_op(block) {
        Some(last) if module.kind(last) == OpKind::End => InsertPoint::Before(last),
        _ => InsertPoint::End(block),
    }
}
