//! The switch settings of a netlist as data: what `aie.switchbox` and `aie.shim_mux` say.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::{
    Amsel as AmselOp, Connect, Device, MasterSet, OpView, PacketRules, Rule, ShimMux, Switchbox,
};
use aiec_device::{DeviceModel, Port, TileLoc};

/// An arbiter and one of its msels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Amsel {
    /// Arbiter.
    pub arbiter: u8,
    /// Msel of the arbiter, 0..=3.
    pub msel: u8,
}

/// A connection and the operation that makes it.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    /// Where the stream comes in.
    pub from: Port,
    /// Where it goes out.
    pub to: Port,
    /// `aie.connect`.
    pub op: Op,
}

/// An output that packets leave through.
#[derive(Clone, Debug)]
pub struct PacketMaster {
    /// The output.
    pub port: Port,
    /// (arbiter, msel) pairs that select it.
    pub amsels: Vec<(u8, u8)>,
    /// Whether the header is kept, where the text has it.
    pub keep_header: Option<bool>,
    /// `aie.masterset`.
    pub op: Op,
}

/// One packet rule; the first that matches counts.
#[derive(Clone, Copy, Debug)]
pub struct PacketRule {
    /// Bits of the id that are compared, 0..=31.
    pub mask: u8,
    /// Their value, 0..=31.
    pub value: u8,
    /// The (arbiter, msel) that the packet is given to.
    pub amsel: (u8, u8),
    /// `aie.rule`.
    pub op: Op,
}

impl PacketRule {
    /// Whether packets of an id match.
    pub fn matches(&self, id: u8) -> bool {
        (id ^ self.value) & self.mask == 0
    }
}

/// The rules of an input.
#[derive(Clone, Debug)]
pub struct PacketSlave {
    /// The input.
    pub port: Port,
    /// In order of precedence.
    pub rules: Vec<PacketRule>,
    /// `aie.packet_rules`.
    pub op: Op,
}

/// The settings of one switch. Lists are in textual order; a port may be in them twice if the
/// text says so.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    /// The `aie.switchbox` operations, usually one.
    pub ops: Vec<Op>,
    /// Circuits.
    pub connections: Vec<Connection>,
    /// All arbiter selects, used or not.
    pub amsels: Vec<(u8, u8)>,
    /// Packet outputs.
    pub masters: Vec<PacketMaster>,
    /// Packet inputs.
    pub slaves: Vec<PacketSlave>,
}

impl Switch {
    /// Adds what an `aie.switchbox` says. Settings of ports that can't be read are left out.
    pub(crate) fn add(&mut self, module: &Module, op: Op) {
        self.ops.push(op);
        self.connections.extend(connections(module, op));
        for amsel in module.children::<AmselOp>(op) {
            self.amsels.extend(amsel_numbers(module, amsel));
        }
        for set in module.children::<MasterSet>(op) {
            if let Some(port) = port(set.dest_bundle(module), set.dest_channel(module)) {
                let amsels = module.operands(set.op());
                self.masters.push(PacketMaster {
                    port,
                    amsels: amsels.filter_map(|v| amsel_of(module, v)).collect(),
                    keep_header: set.keep_pkt_header(module),
                    op: set.op(),
                });
            }
        }
        for rules in module.children::<PacketRules>(op) {
            if let Some(port) = port(rules.source_bundle(module), rules.source_channel(module)) {
                let list = module.children::<Rule>(rules.op()).into_iter();
                self.slaves.push(PacketSlave {
                    port,
                    rules: list.filter_map(|rule| packet_rule(module, rule)).collect(),
                    op: rules.op(),
                });
            }
        }
    }

    /// Where a circuit that comes in at a port goes.
    pub fn circuit_outputs(&self, from: Port) -> impl Iterator<Item = Port> + '_ {
        let matching = self.connections.iter().filter(move |c| c.from == from);
        matching.map(|c| c.to)
    }

    /// The first rule at a port that matches an id.
    pub fn rule(&self, from: Port, id: u8) -> Option<&PacketRule> {
        let rules = self.slaves.iter().filter(|s| s.port == from);
        rules.flat_map(|s| &s.rules).find(|rule| rule.matches(id))
    }

    /// Where packets of an id that come in at a port go.
    pub fn packet_outputs(&self, from: Port, id: u8) -> impl Iterator<Item = Port> + '_ {
        let amsel = self.rule(from, id).map(|rule| rule.amsel);
        let selected = move |m: &&PacketMaster| amsel.is_some_and(|a| m.amsels.contains(&a));
        self.masters.iter().filter(selected).map(|m| m.port)
    }

    /// Whether an input is connected or has rules.
    pub fn uses_slave(&self, port: Port) -> bool {
        self.connections.iter().any(|c| c.from == port)
            || self.slaves.iter().any(|s| s.port == port)
    }

    /// The operation that drives an output.
    pub fn driver(&self, port: Port) -> Option<Op> {
        let circuit = self.connections.iter().find(|c| c.to == port);
        let packet = || self.masters.iter().find(|m| m.port == port).map(|m| m.op);
        circuit.map(|c| c.op).or_else(packet)
    }

    /// The operation that says where an input goes.
    pub fn consumer(&self, port: Port) -> Option<Op> {
        let circuit = self.connections.iter().find(|c| c.from == port);
        let packet = || self.slaves.iter().find(|s| s.port == port).map(|s| s.op);
        circuit.map(|c| c.op).or_else(packet)
    }
}

/// The settings of one shim mux; `North k` faces the switch's South port k.
#[derive(Clone, Debug, Default)]
pub struct Mux {
    /// The `aie.shim_mux` operations.
    pub ops: Vec<Op>,
    /// Its connections.
    pub connections: Vec<Connection>,
}

/// All switch settings of a device.
#[derive(Clone, Debug)]
pub struct Switches {
    /// The device.
    pub device: &'static DeviceModel,
    /// Switches by tile.
    pub tiles: BTreeMap<TileLoc, Switch>,
    /// Shim muxes by tile.
    pub muxes: BTreeMap<TileLoc, Mux>,
}

impl Switches {
    /// Reads the switchboxes and shim muxes of a device operation; `None` if the device is unknown.
    /// Settings on tiles or ports that can't be read are left out: the verifier rejects them.
    pub fn read(module: &Module, device: Op) -> Option<Switches> {
        let model = Device::cast(module, device)?.model(module)?;
        let mut switches = Switches {
            device: model,
            tiles: BTreeMap::new(),
            muxes: BTreeMap::new(),
        };
        for switchbox in module.children::<Switchbox>(device) {
            if let Some(tile) = switchbox.tile_loc(module) {
                let switch = switches.tiles.entry(tile).or_default();
                switch.add(module, switchbox.op());
            }
        }
        for shim_mux in module.children::<ShimMux>(device) {
            if let Some(tile) = shim_mux.tile_loc(module) {
                let mux = switches.muxes.entry(tile).or_default();
                mux.ops.push(shim_mux.op());
                mux.connections.extend(connections(module, shim_mux.op()));
            }
        }
        Some(switches)
    }

    /// The settings of a tile's switch, if there are any.
    pub fn switch(&self, tile: TileLoc) -> Option<&Switch> {
        self.tiles.get(&tile)
    }

    /// The mux connection that ends at (into the switch: `North k`) or comes from a South port.
    pub fn mux_source(&self, tile: TileLoc, south: u8) -> Option<Connection> {
        let north = Port::new(aiec_device::Bundle::North, south);
        let mut list = self.muxes.get(&tile)?.connections.iter();
        list.find(|c| c.to == north).copied()
    }

    /// The mux connections that a South port of the switch feeds.
    pub fn mux_sinks(&self, tile: TileLoc, south: u8) -> impl Iterator<Item = Connection> + '_ {
        let north = Port::new(aiec_device::Bundle::North, south);
        let list = self.muxes.get(&tile).map_or(&[][..], |m| &m.connections);
        list.iter().filter(move |c| c.from == north).copied()
    }
}

fn connections(module: &Module, op: Op) -> Vec<Connection> {
    let list = module.children::<Connect>(op).into_iter();
    list.filter_map(|connect| {
        let (from, to) = connect.ports(module)?;
        let op = connect.op();
        Some(Connection { from, to, op })
    })
    .collect()
}

fn packet_rule(module: &Module, rule: Rule) -> Option<PacketRule> {
    Some(PacketRule {
        mask: u8::try_from(rule.mask(module)).ok()?,
        value: u8::try_from(rule.value(module)).ok()?,
        amsel: amsel_of(module, rule.amsel(module)?)?,
        op: rule.op(),
    })
}

/// A port by its written bundle and channel.
pub(crate) fn port(bundle: Option<aiec_device::Bundle>, channel: i32) -> Option<Port> {
    Some(Port::new(bundle?, u8::try_from(channel).ok()?))
}

fn amsel_of(module: &Module, value: Value) -> Option<(u8, u8)> {
    amsel_numbers(module, AmselOp::cast(module, module.def_op(value)?)?)
}

fn amsel_numbers(module: &Module, amsel: AmselOp) -> Option<(u8, u8)> {
    let arbiter = u8::try_from(amsel.arbiterID(module)).ok()?;
    Some((arbiter, u8::try_from(amsel.msel(module)).ok()?))
}

/// The amsels that a switchbox defines.
pub(crate) fn amsel_ops(module: &Module, switchbox: Op) -> Vec<(Amsel, Value)> {
    let list = module.children::<AmselOp>(switchbox).into_iter();
    list.filter_map(|op| {
        let (arbiter, msel) = amsel_numbers(module, op)?;
        Some((Amsel { arbiter, msel }, module.result(op.op(), 0)?))
    })
    .collect()
}

/// The amsels that hand-written settings of a switch occupy.
pub(crate) fn taken_amsels(switch: &Switch) -> impl Iterator<Item = Amsel> + '_ {
    let pairs = switch.amsels.iter();
    pairs.map(|&(arbiter, msel)| Amsel { arbiter, msel })
}
