//! Deadlock analysis of a routing: the packet streams of its routes, the wait cycles among them
//! ([`super::waits`]), and the connections by which nets come into a cycle.

use std::collections::BTreeSet;

use aiec_device::TileLoc;
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::Memory;
use super::net::{Link, Net, NetKind, Route};
use super::packets::SwitchDemand;
use super::problem::{AllSettings, CyclicWaits, RoutingFailure, RoutingProblem};
use super::waits::{ArbiterHop, Resource, RoutedStream, WaitCycle, cycles, smallest};

/// A problem with a route for each net.
#[derive(Clone, Copy)]
pub(super) struct RoutedNets<'a> {
    pub problem: &'a RoutingProblem<'a>,
    pub routes: &'a [Route],
}

impl RoutedNets<'_> {
    /// The packets at each switch.
    pub fn demands(&self) -> FxHashMap<TileLoc, SwitchDemand> {
        let graph = self.problem.graph;
        let mut demands: FxHashMap<TileLoc, SwitchDemand> = FxHashMap::default();
        for (number, (net, route)) in self.problem.nets.iter().zip(self.routes).enumerate() {
            let NetKind::Packet(id) = net.kind else {
                continue;
            };
            for (slave, master) in &route.links {
                let (from, to) = (graph.info(*slave), graph.info(*master));
                let demand = demands.entry(from.tile).or_default();
                let stream = demand.entry((from.port, id)).or_default();
                stream.masters.insert(to.port);
                stream.priority |= net.priority;
                stream.nets.insert(number as u32);
            }
        }
        demands
    }

    /// The packet streams of the nets, and hand-written ones, named by a number beyond the nets.
    pub fn streams(&self, settings: &AllSettings) -> Vec<RoutedStream> {
        let mut list = Vec::new();
        for (name, (net, route)) in self.problem.nets.iter().zip(self.routes).enumerate() {
            if net.kind == NetKind::Circuit {
                continue;
            }
            for links in self.links_by_source(net, route) {
                let hops = links.iter().filter_map(|link| self.hop(settings, *link));
                let hops = hops.collect();
                list.push(RoutedStream { name, hops });
            }
        }
        let name = self.problem.nets.len();
        list.extend(self.problem.fixed_streams.iter().map(|fixed| RoutedStream {
            name,
            hops: fixed.hops.clone(),
        }));
        list
    }

    fn hop(&self, settings: &AllSettings, (slave, master): Link) -> Option<ArbiterHop> {
        let graph = self.problem.graph;
        let (from, to) = (graph.info(slave), graph.info(master));
        let settings = settings.get(&from.tile)?;
        let arbiter = match settings.circuits.get(&to.port) {
            Some(_) => None,
            None => Some(settings.masters.get(&to.port)?.first()?.arbiter),
        };
        Some(ArbiterHop {
            tile: from.tile,
            slave: from.port,
            arbiter,
            next: graph.device.wire_from(to.tile, to.port),
        })
    }

    /// The links that the packets of each source pass, those after a join included.
    fn links_by_source(&self, net: &Net, route: &Route) -> Vec<Vec<Link>> {
        if net.branches.len() == 1 {
            return vec![route.links.clone()];
        }
        let mut next: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (slave, master) in &route.links {
            next.entry(*slave).or_default().push(*master);
        }
        let links_from = |source: u32| {
            let mut links = Vec::new();
            let mut seen = FxHashSet::from_iter([source]);
            let mut slaves = vec![source];
            while let Some(slave) = slaves.pop() {
                for master in next.get(&slave).into_iter().flatten() {
                    links.push((slave, *master));
                    let wire = self.problem.graph.next(*master).iter().copied();
                    slaves.extend(wire.filter(|to| next.contains_key(to) && seen.insert(*to)));
                }
            }
            links
        };
        net.branches.iter().map(|b| links_from(b.source)).collect()
    }

    /// The wait cycles that some net takes part in; with `memory`, those in which destinations
    /// don't accept everything too.
    pub fn cycles(&self, settings: &AllSettings, memory: Option<&Memory>) -> Vec<WaitCycle> {
        if memory.is_some_and(Memory::is_trivial) {
            return Vec::new();
        }
        let own = self.problem.nets.len();
        let mut list = cycles(&self.streams(settings), memory);
        list.retain(|cycle| cycle.iter().any(|(net, _)| *net < own));
        list
    }

    /// The nets of a cycle, without hand-written streams.
    pub fn nets_of(&self, cycle: &WaitCycle) -> BTreeSet<u32> {
        let own = self.problem.nets.len();
        let own = cycle.iter().filter(|(net, _)| *net < own);
        let mut nets = BTreeSet::new();
        nets.extend(own.map(|(net, _)| *net as u32));
        nets
    }

    /// The links over which the nets of a cycle come into switch inputs of it: inputs that they
    /// occupy themselves if `own`, that any of them does otherwise.
    pub fn links_into(&self, cycle: &WaitCycle, own: bool) -> Vec<(u32, Link)> {
        let graph = self.problem.graph;
        let occupied: FxHashSet<(usize, Resource)> = cycle.iter().copied().collect();
        let by_any: FxHashSet<Resource> = cycle.iter().map(|(_, resource)| *resource).collect();
        let mut list = Vec::new();
        for net in self.nets_of(cycle) {
            for link in &self.routes[net as usize].links {
                let to = graph.info(link.1);
                let Some((tile, port)) = graph.device.wire_from(to.tile, to.port) else {
                    continue;
                };
                let buffer = Resource::Buffer(tile, port);
                let concerned = if own {
                    occupied.contains(&(net as usize, buffer))
                } else {
                    by_any.contains(&buffer)
                };
                if concerned {
                    list.push((net, *link));
                }
            }
        }
        list
    }

    /// The failure that wait cycles are.
    pub fn cyclic_failure(&self, cycles: &[WaitCycle], settings: &AllSettings) -> RoutingFailure {
        let mut nets = BTreeSet::new();
        nets.extend(cycles.iter().flat_map(|c| self.nets_of(c)));
        let resources = cycles.iter().flatten();
        let tiles: FxHashSet<TileLoc> = resources.map(|(_, resource)| resource.tile()).collect();
        let all = self.problem.graph.device.tiles();
        RoutingFailure::Cyclic(CyclicWaits {
            nets: nets.into_iter().collect(),
            tiles: all.filter(|tile| tiles.contains(tile)).collect(),
            example: smallest(&self.streams(settings)).unwrap_or_default(),
        })
    }
}
