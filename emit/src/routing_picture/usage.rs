//! Ports, wires and arbiters that a routing uses, in words.

use std::collections::BTreeSet;

use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port, TileLoc};
use aiec_passes::analysis::switches::Switch;
use rustc_hash::FxHashMap;

use super::RoutingPicture;
use super::geometry::{Anchor, TileRange};
use crate::dataflow::graph::{Dataflow, LinkKind};
use crate::routing_view::ranges;

/// The wires that leave a tile on one side.
pub struct SideUse {
    /// The side.
    pub bundle: Bundle,
    /// Used wires.
    pub used: usize,
    /// Existing wires.
    pub of: usize,
}

impl SideUse {
    /// The place of a wire.
    pub fn anchor(&self, range: TileRange, tile: TileLoc, channel: u8) -> Option<Anchor> {
        range.border(tile, PortSide::Master, Port::new(self.bundle, channel))
    }
}

impl RoutingPicture<'_> {
    /// Whether the routing uses a tile's switch, or the design names the tile.
    pub fn is_used(&self, tile: TileLoc) -> bool {
        self.view.switches.switch(tile).is_some() || self.view.tiles.contains(&tile)
    }

    /// The wires that leave a tile to neighbours.
    pub fn sides(&self, tile: TileLoc) -> Vec<SideUse> {
        let model = self.view.model;
        let empty = Switch::default();
        let switch = self.view.switches.switch(tile).unwrap_or(&empty);
        let side = |bundle| {
            let count = model.port_count(tile, PortSide::Master, bundle);
            let ports = (0..count).map(|channel| Port::new(bundle, channel));
            let wired = ports.filter(|port| model.wire_from(tile, *port).is_some());
            let wired: Vec<Port> = wired.collect();
            let is_used = |port: &&Port| {
                self.wires.contains_key(&(tile, **port)) || switch.driver(**port).is_some()
            };
            SideUse {
                bundle,
                used: wired.iter().filter(is_used).count(),
                of: wired.len(),
            }
        };
        let sides = [Bundle::North, Bundle::South, Bundle::East, Bundle::West].map(side);
        sides.into_iter().filter(|side| side.of > 0).collect()
    }

    /// A tile in lines of text: its wires, its arbiters with the flows of each, what it shares.
    pub fn tile_text(&self, tile: TileLoc) -> String {
        let kind = self.view.model.tile_kind(tile);
        let mut lines = vec![format!("{} {tile}", kind.map_or("", |kind| kind.name()))];
        for side in self.sides(tile) {
            let SideUse { bundle, used, of } = side;
            lines.push(format!("wires {bundle}: {used} of {of}"));
        }
        for (arbiter, flows) in self.arbiters.get(&tile).into_iter().flatten() {
            let names = flows.iter().map(|n| {
                let ids = ranges(&self.view.flows[*n].ids);
                format!("{} (id {ids})", self.flows[*n].name)
            });
            let names: Vec<String> = names.collect();
            lines.push(format!("arbiter {arbiter}: {}", names.join(", ")));
        }
        lines.extend(self.memory.get(&tile).cloned());
        if self.view.switches.switch(tile).is_none() {
            lines.push("its switch is not used".to_string());
        }
        lines.join("\n")
    }

    /// A switch port in lines of text: where its wire leads, its arbiter, its rules.
    pub fn port_text(&self, tile: TileLoc, side: PortSide, port: Port) -> String {
        let model = self.view.model;
        let kind = model.tile_kind(tile).map_or("", |kind| kind.name());
        let mut lines = Vec::new();
        let switch = self.view.switches.switch(tile);
        match side {
            PortSide::Master => {
                lines.push(format!("output {port} of {kind} {tile}"));
                if let Some((far, input)) = model.wire_from(tile, port) {
                    lines.push(format!("wire to {input} of {far}"));
                }
                let masters = switch.into_iter().flat_map(|switch| &switch.masters);
                for master in masters.filter(|master| master.port == port) {
                    let amsels = master.amsels.iter();
                    let amsels = amsels.map(|(arbiter, msel)| format!("{arbiter}, msel {msel}"));
                    let header = match master.keep_header {
                        Some(true) => "; header kept",
                        Some(false) => "; header dropped",
                        None => "",
                    };
                    let amsels = amsels.collect::<Vec<_>>().join("; ");
                    lines.push(format!("arbiter {amsels}{header}"));
                }
            }
            PortSide::Slave => {
                lines.push(format!("input {port} of {kind} {tile}"));
                if let Some((far, output)) = model.wire_into(tile, port) {
                    lines.push(format!("wire from {output} of {far}"));
                }
                let slaves = switch.into_iter().flat_map(|switch| &switch.slaves);
                let rules = slaves
                    .filter(|slave| slave.port == port)
                    .flat_map(|slave| &slave.rules);
                for rule in rules {
                    let (arbiter, msel) = rule.amsel;
                    lines.push(format!(
                        "rule: id & {} = {} to arbiter {arbiter}, msel {msel}",
                        rule.mask, rule.value
                    ));
                }
            }
        }
        lines.join("\n")
    }
}

/// Data that each tile passes on without streams: `shared memory: a, b; cascade`.
pub fn memory_texts(dataflow: &Dataflow) -> FxHashMap<TileLoc, String> {
    // Names of what is shared, and whether a cascade leads there.
    let mut passed: FxHashMap<TileLoc, (BTreeSet<&str>, bool)> = FxHashMap::default();
    let links = dataflow.links.iter();
    for link in links.filter(|l| matches!(l.kind, LinkKind::SharedMemory | LinkKind::Cascade)) {
        for tile in link
            .from
            .iter()
            .chain(&link.to)
            .filter_map(|end| end.tile())
        {
            let (names, cascade) = passed.entry(tile).or_default();
            match link.kind {
                LinkKind::Cascade => *cascade = true,
                _ => drop(names.insert(&link.name)),
            }
        }
    }
    let text = |names: BTreeSet<&str>, cascade: bool| {
        let shared = Some(LinkKind::SharedMemory.name()).filter(|_| !names.is_empty());
        let names: Vec<&str> = names.into_iter().collect();
        let shared = shared.map(|kind| format!("{kind}: {}", names.join(", ")));
        let cascade = cascade.then(|| LinkKind::Cascade.name().to_string());
        let parts: Vec<String> = shared.into_iter().chain(cascade).collect();
        parts.join("; ")
    };
    let texts = passed.into_iter();
    let texts = texts.map(|(tile, (names, cascade))| (tile, text(names, cascade)));
    texts.collect()
}
