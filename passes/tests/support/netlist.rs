//! Builds netlists of flows through the builder, for tests and benches of the router.
#![allow(dead_code)] // each user needs a part of it

use std::collections::BTreeMap;

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::{OpKind, OpView};
use aiec_device::{DeviceModel, Port, TileLoc};
use aiec_diag::{Diags, Reported};
use aiec_passes::analysis::switches::Switches;
use aiec_passes::infra::manager::{self, PassStep};
use aiec_passes::route;
use aiec_passes::route::requests::{FlowKinds, FlowRequest};

/// A port of a tile.
pub type Place = (TileLoc, Port);

/// A module with one device, growing.
pub struct Netlist {
    pub module: Module,
    pub device: Op,
    pub model: &'static DeviceModel,
    tiles: BTreeMap<TileLoc, Value>,
}

impl Netlist {
    pub fn new(name: &str) -> Netlist {
        let model = DeviceModel::by_name(name).unwrap();
        let mut module = Module::new();
        let at = InsertPoint::End(module.body());
        let device = module
            .build(OpKind::Device, Loc::UNKNOWN)
            .attr("device", Attr::i32(model.value().into()))
            .body()
            .insert(at);
        Netlist {
            module,
            device,
            model,
            tiles: BTreeMap::new(),
        }
    }

    fn at_end(&self) -> InsertPoint {
        InsertPoint::End(self.module.entry(self.device, 0).unwrap())
    }

    pub fn tile(&mut self, tile: TileLoc) -> Value {
        if let Some(value) = self.tiles.get(&tile) {
            return *value;
        }
        let at = self.at_end();
        let op = self
            .module
            .build(OpKind::Tile, Loc::UNKNOWN)
            .attr("col", Attr::i32(tile.col.into()))
            .attr("row", Attr::i32(tile.row.into()))
            .result(Type::Index)
            .insert(at);
        let value = self.module.result(op, 0).unwrap();
        self.tiles.insert(tile, value);
        value
    }

    pub fn flow(&mut self, from: Place, to: Place) -> Op {
        let ends = [self.tile(from.0), self.tile(to.0)];
        let at = self.at_end();
        self.module
            .build(OpKind::Flow, Loc::UNKNOWN)
            .operands(ends)
            .attr("source_bundle", Attr::i32(from.1.bundle.value().into()))
            .attr("source_channel", Attr::i32(from.1.channel.into()))
            .attr("dest_bundle", Attr::i32(to.1.bundle.value().into()))
            .attr("dest_channel", Attr::i32(to.1.channel.into()))
            .insert(at)
    }

    pub fn packet_flow(&mut self, id: i64, sources: &[Place], sinks: &[Place]) -> Op {
        let sources: Vec<_> = sources.iter().map(|p| (self.tile(p.0), p.1)).collect();
        let sinks: Vec<_> = sinks.iter().map(|p| (self.tile(p.0), p.1)).collect();
        let at = self.at_end();
        let op = self
            .module
            .build(OpKind::PacketFlow, Loc::UNKNOWN)
            .attr("ID", Attr::Int(id, Type::I8))
            .body()
            .insert(at);
        let body = InsertPoint::End(self.module.entry(op, 0).unwrap());
        let groups = [(OpKind::PacketSource, sources), (OpKind::PacketDest, sinks)];
        for (kind, ends) in groups {
            for (tile, port) in ends {
                self.module
                    .build(kind, Loc::UNKNOWN)
                    .operand(tile)
                    .attr("bundle", Attr::i32(port.bundle.value().into()))
                    .attr("channel", Attr::i32(port.channel.into()))
                    .insert(body);
            }
        }
        op
    }

    /// An empty switchbox (or shim mux) of a tile.
    pub fn container(&mut self, kind: OpKind, tile: TileLoc) -> Op {
        let handle = self.tile(tile);
        let at = self.at_end();
        let build = self.module.build(kind, Loc::UNKNOWN).operand(handle);
        build.result(Type::Index).body().insert(at)
    }

    /// A connection in a switchbox or shim mux.
    pub fn connect(&mut self, container: Op, from: Port, to: Port) {
        let at = InsertPoint::End(self.module.entry(container, 0).unwrap());
        self.module
            .build(OpKind::Connect, Loc::UNKNOWN)
            .attr("source_bundle", Attr::i32(from.bundle.value().into()))
            .attr("source_channel", Attr::i32(from.channel.into()))
            .attr("dest_bundle", Attr::i32(to.bundle.value().into()))
            .attr("dest_channel", Attr::i32(to.channel.into()))
            .insert(at);
    }

    /// The flows as the router reads them.
    pub fn requests(&self, diags: &mut Diags) -> Vec<FlowRequest> {
        let kinds = FlowKinds {
            circuit: true,
            packet: true,
        };
        route::requests::read(&self.module, self.device, self.model, kinds, diags)
    }

    /// Runs the router; afterwards the flows are gone.
    pub fn route(&mut self, diags: &mut Diags) -> Result<(), Reported> {
        let step = [PassStep::new(&route::PASS)];
        manager::run(&mut self.module, &step, diags, &mut |_, _, _| {}).map(|_| ())
    }

    pub fn switches(&self) -> Switches {
        Switches::read(&self.module, self.device).unwrap()
    }

    /// Connections of all switches, shim muxes not counted.
    pub fn connections(&self) -> usize {
        let switches = self.switches();
        let count =
            |s: &aiec_passes::analysis::switches::Switch| s.connections.len() + s.masters.len();
        switches.tiles.values().map(count).sum()
    }

    /// Number of operations of a view.
    pub fn count<V: OpView>(&self) -> usize {
        self.module.find_all::<V>(self.device).len()
    }
}
