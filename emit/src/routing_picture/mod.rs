//! The picture of a routing, which `routing-svg` writes and the page of `routing-html` shows: tiles
//! with the ports that flows use, flows by name in the colours of the dataflow's page, arbiters,
//! the use of wires.
//!
//! [`geometry`] says where things are, [`names`] what flows are called, [`draw`] draws, [`usage`] says
//! in words what of ports and tiles is used, [`heat`] shows it, [`comparison`] finds what another
//! routing of the same design does differently.

pub mod comparison;
mod draw;
mod geometry;
mod heat;
pub mod names;
mod usage;

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::switch::PortSide;
use aiec_device::{Port, TileLoc};
use aiec_passes::route::ends::switch_port;
use aiec_passes::route::trace::{FoundFlow, Hop};
use rustc_hash::FxHashMap;

use crate::dataflow::graph::Dataflow;
use crate::routing_view::DeviceView;
use comparison::RoutingComparison;
use geometry::{GAP, LineEnd, TileRange};
use names::{NamedFlow, named_flows};

pub use draw::{FAR_FONT, NEAR_FONT};
pub use geometry::{MARGIN, Point};

/// The style of the picture; colours are those of [`aiec_page::palette::css`].
pub const STYLE: &str = include_str!("picture.css");

/// A routed device as it is drawn.
pub struct RoutingPicture<'a> {
    /// The routing.
    pub view: &'a DeviceView,
    /// Names and looks of its flows.
    pub flows: Vec<NamedFlow>,
    /// Differences of another routing.
    pub other: Option<RoutingComparison<'a>>,
    /// Data that each tile passes on without streams.
    memory: FxHashMap<TileLoc, String>,
    range: TileRange,
    /// The own ports of each tile at which flows end, and those at which they begin, with the
    /// numbers of the flows.
    own: BTreeMap<TileLoc, [BTreeMap<Port, Vec<usize>>; 2]>,
    /// The arbiters of each tile that flows use, with their numbers.
    arbiters: BTreeMap<TileLoc, BTreeMap<u8, Vec<usize>>>,
    hops: FxHashMap<Hop, Vec<usize>>,
    wires: FxHashMap<(TileLoc, Port), Vec<usize>>,
}

impl<'a> RoutingPicture<'a> {
    /// Lays out a routing, and draws where another one goes under it.
    pub fn new(
        view: &'a DeviceView,
        dataflow: &Dataflow,
        other: Option<RoutingComparison<'a>>,
    ) -> RoutingPicture<'a> {
        let used = |view: &DeviceView| {
            let ends = |flow: &FoundFlow| {
                let sinks = flow.sinks.iter().map(|sink| sink.0);
                sinks.chain([flow.source.0]).collect::<Vec<_>>()
            };
            let hops = view.flows.iter().flat_map(|flow| &flow.hops);
            let tiles = hops.map(|hop| hop.tile).chain(view.tiles.iter().copied());
            tiles
                .chain(view.flows.iter().flat_map(ends))
                .collect::<BTreeSet<TileLoc>>()
        };
        let mut tiles = used(view);
        tiles.extend(view.cut.iter().flat_map(|cut| [cut.from, cut.to]));
        if let Some(other) = &other {
            tiles.extend(used(other.view));
        }
        let mut picture = RoutingPicture {
            view,
            flows: named_flows(view, dataflow),
            other,
            memory: usage::memory_texts(dataflow),
            range: TileRange::around(tiles.into_iter()),
            own: BTreeMap::new(),
            arbiters: BTreeMap::new(),
            hops: view.flows_by_hop(),
            wires: view.flows_by_wire(),
        };
        for (number, flow) in view.flows.iter().enumerate() {
            picture.add_own_ports(number, flow);
            for hop in &flow.hops {
                if let Some(arbiter) = picture.arbiter_of(flow, hop) {
                    let used = picture.arbiters.entry(hop.tile).or_default();
                    let flows = used.entry(arbiter).or_default();
                    if flows.last() != Some(&number) {
                        flows.push(number);
                    }
                }
            }
        }
        let others = picture.other.as_ref().map(|other| other.view);
        for flow in others.into_iter().flat_map(|other| &other.flows) {
            // They get boxes, but the boxes belong to no flow of this routing.
            picture.own_ports(flow, |_| {});
        }
        picture
    }

    fn add_own_ports(&mut self, number: usize, flow: &FoundFlow) {
        self.own_ports(flow, |flows| flows.push(number));
    }

    fn own_ports(&mut self, flow: &FoundFlow, mut add: impl FnMut(&mut Vec<usize>)) {
        let (tile, port) = flow.source;
        add(self.own.entry(tile).or_default()[1]
            .entry(port)
            .or_default());
        for (tile, port) in &flow.sinks {
            let ports = &mut self.own.entry(*tile).or_default()[0];
            add(ports.entry(*port).or_default());
        }
    }

    /// Width of the tiles, in pixels.
    pub fn width(&self) -> f64 {
        self.range.width()
    }

    /// Height of headline and tiles, in pixels.
    pub fn height(&self) -> f64 {
        self.range.height() + GAP / 2.0
    }

    /// The arbiter that a hop of packets takes.
    fn arbiter_of(&self, flow: &FoundFlow, hop: &Hop) -> Option<u8> {
        if flow.circuit {
            return None;
        }
        let switch = self.view.switches.switch(hop.tile)?;
        let rule = switch.rule(hop.slave, *flow.ids.first()?)?;
        Some(rule.amsel.0)
    }

    /// Where a line meets a switch port: at the border, or at an own port.
    fn line_end(
        &self,
        flow: &FoundFlow,
        tile: TileLoc,
        side: PortSide,
        port: Port,
    ) -> Option<LineEnd> {
        let source = [flow.source];
        let ends: &[(TileLoc, Port)] = match side {
            PortSide::Slave => &source,
            PortSide::Master => &flow.sinks,
        };
        let is_it = |end: &&(TileLoc, Port)| {
            end.0 == tile && switch_port(self.view.model, tile, end.1, side) == Some(port)
        };
        let own = ends
            .iter()
            .find(is_it)
            .and_then(|end| self.own_end(tile, side, end.1));
        own.or_else(|| self.range.border(tile, side, port).map(LineEnd::Border))
    }

    /// The box of an own port.
    fn own_end(&self, tile: TileLoc, side: PortSide, port: Port) -> Option<LineEnd> {
        let ports = &self.own.get(&tile)?[usize::from(side == PortSide::Slave)];
        let at = ports.keys().position(|own| *own == port)?;
        let destination = side == PortSide::Master;
        let (corner, height) = self.range.own_box(tile, destination, at, ports.len());
        Some(LineEnd::Own(corner, height))
    }
}
