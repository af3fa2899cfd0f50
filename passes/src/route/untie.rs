//! The negotiation's part in [`super::waits`]: the streams of its routes, and what it does when
//! their packets could wait for each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::TileLoc;

use super::memory::Memory;
use super::negotiate::{Circular, Failure, Negotiation};
use super::net::{Link, Net, NetKind, Route};
use super::packets::Settings;
use super::turns::{ORDERS, TurnOrder};
use super::waits::{Circle, Resource, Stream, Way, circles, smallest};

/// Packet settings by switch.
pub(super) type AllSettings = BTreeMap<TileLoc, Settings>;

/// Packet settings without circular waits but for some through memory.
#[derive(Default)]
pub(super) struct Dealt {
    pub settings: AllSettings,
    /// Circular waits through memory.
    pub tangles: Vec<Circle>,
}

impl Dealt {
    /// How bad the waits through memory are.
    pub fn weight(&self) -> usize {
        self.tangles.iter().map(Vec::len).sum()
    }
}

/// A routing with waits through memory.
pub(super) struct Tangled {
    routes: Vec<Route>,
    dealt: Dealt,
}

impl Negotiation<'_> {
    /// The turn orders by whose phases arbiters may be dealt: the one in force, else any.
    pub(super) fn orders(&self) -> &[TurnOrder] {
        match &self.turns {
            Some(order) => std::slice::from_ref(order),
            None => &ORDERS,
        }
    }

    /// The ways of each packet source of the nets.
    fn streams(&self, settings: &AllSettings) -> Vec<Stream> {
        let mut list = Vec::new();
        for (name, (net, route)) in self.problem.nets.iter().zip(&self.routes).enumerate() {
            if net.kind != NetKind::Circuit {
                let parts = self.parts(net, route).into_iter();
                list.extend(parts.map(|links| {
                    let ways = links.iter().filter_map(|link| self.way(settings, *link));
                    Stream {
                        name,
                        ways: ways.collect(),
                    }
                }));
            }
        }
        list
    }

    fn way(&self, settings: &AllSettings, (slave, master): Link) -> Option<Way> {
        let graph = self.problem.graph;
        let (from, to) = (graph.info(slave), graph.info(master));
        let amsels = settings.get(&from.tile)?.masters.get(&to.port)?;
        Some(Way {
            tile: from.tile,
            slave: from.port,
            arbiter: amsels.first()?.arbiter,
            next: graph.device.wire_from(to.tile, to.port),
        })
    }

    /// The links that the packets of each source pass, those behind a join included.
    fn parts(&self, net: &Net, route: &Route) -> Vec<Vec<Link>> {
        if net.branches.len() == 1 {
            return vec![route.links.clone()];
        }
        let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (slave, master) in &route.links {
            next.entry(*slave).or_default().push(*master);
        }
        let part = |source: u32| {
            let mut links = Vec::new();
            let mut seen = BTreeSet::from([source]);
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
        net.branches.iter().map(|b| part(b.source)).collect()
    }

    /// Circular waits that some net takes part in if destinations take what arrives.
    pub(super) fn circles(&self, settings: &AllSettings) -> Vec<Circle> {
        self.circles_with(settings, None)
    }

    /// Circular waits with those through memory.
    pub(super) fn tangles(&self, settings: &AllSettings) -> Vec<Circle> {
        let memory = self.problem.memory;
        match memory.is_trivial() {
            true => Vec::new(),
            false => self.circles_with(settings, Some(memory)),
        }
    }

    /// The streams of the nets and, named by a number beyond them, hand-written ones.
    fn all_streams(&self, settings: &AllSettings) -> Vec<Stream> {
        let mut streams = self.streams(settings);
        let own = self.problem.nets.len();
        streams.extend(self.problem.fixed_streams.iter().map(|fixed| Stream {
            name: own,
            ways: fixed.ways.clone(),
        }));
        streams
    }

    fn circles_with(&self, settings: &AllSettings, memory: Option<&Memory>) -> Vec<Circle> {
        let own = self.problem.nets.len();
        let streams = self.all_streams(settings);
        let mut list = circles(&streams, memory);
        list.retain(|circle| circle.iter().any(|(net, _)| *net < own));
        list
    }

    /// How many pairs of some nets and some others can hold each other up through memory.
    pub(super) fn tangled_pairs(&self, nets: &BTreeSet<u32>, others: &BTreeSet<u32>) -> usize {
        let memory = self.problem.memory;
        if memory.is_trivial() {
            return 0;
        }
        let with = |net: &u32| {
            let tangled = |other: &&u32| memory.tangled(*net as usize, **other as usize);
            others.iter().filter(tangled).count()
        };
        nets.iter().map(with).sum()
    }

    /// Keeps a routing if it has no waits through memory, or if nothing is left to be done about
    /// them: then the best one. Otherwise makes the shared ports and arbiters dearer that take part;
    /// answers the nets to route again.
    pub(super) fn loosen(&mut self, dealt: Dealt) -> Result<Dealt, BTreeSet<u32>> {
        if dealt.tangles.is_empty() {
            return Ok(dealt);
        }
        let tangles = dealt.tangles.clone();
        let known = self.tangled.as_ref();
        if known.is_none_or(|known| dealt.weight() < known.dealt.weight()) {
            let routes = self.routes.clone();
            self.tangled = Some(Tangled { routes, dealt });
        }
        let nets = match self.loosenings {
            0 => BTreeSet::new(),
            _ => self.discourage_passing(&tangles),
        };
        self.loosenings = self.loosenings.saturating_sub(1);
        match (nets.is_empty(), self.tangled.take()) {
            (true, Some(known)) => Ok(self.restore(known)),
            (_, known) => {
                self.tangled = known;
                Err(nets)
            }
        }
    }

    /// Goes back to a routing.
    pub(super) fn restore(&mut self, known: Tangled) -> Dealt {
        let nets = self.problem.nets;
        for (net, route) in self.routes.iter().enumerate() {
            self.occupancy.remove(nets, net as u32, route);
        }
        self.routes = known.routes;
        for (net, route) in self.routes.iter().enumerate() {
            self.occupancy.add(nets, net as u32, route);
        }
        known.dealt
    }

    /// Makes the connections dearer by which nets of circles come to what they share where they
    /// could pass elsewhere; answers these nets.
    fn discourage_passing(&mut self, circles: &[Circle]) -> BTreeSet<u32> {
        let graph = self.problem.graph;
        let mut moved = BTreeSet::new();
        for circle in circles {
            let held: BTreeSet<(usize, Resource)> = circle.iter().copied().collect();
            for net in self.nets_of(circle) {
                for (slave, master) in &self.routes[net as usize].links {
                    let to = graph.info(*master);
                    let next = graph.device.wire_from(to.tile, to.port);
                    let buffer = next.map(|(tile, port)| Resource::Buffer(tile, port));
                    if buffer.is_some_and(|buffer| held.contains(&(net as usize, buffer))) {
                        self.occupancy.discourage((*slave, *master));
                        moved.insert(net);
                    }
                }
            }
        }
        moved
    }

    /// Makes the connections of circles dearer; answers the nets to route again.
    pub(super) fn untie(
        &mut self,
        circles: &[Circle],
        settings: &AllSettings,
    ) -> Result<BTreeSet<u32>, Failure> {
        if self.repairs == 0 {
            return Err(self.circular(circles, settings));
        }
        self.repairs -= 1;
        let graph = self.problem.graph;
        let mut all = BTreeSet::new();
        for circle in circles {
            let held: BTreeSet<Resource> = circle.iter().map(|(_, resource)| *resource).collect();
            let nets = self.nets_of(circle);
            for net in &nets {
                for (slave, master) in &self.routes[*net as usize].links {
                    let to = graph.info(*master);
                    let next = graph.device.wire_from(to.tile, to.port);
                    if next.is_some_and(|(t, p)| held.contains(&Resource::Buffer(t, p))) {
                        self.occupancy.discourage((*slave, *master));
                    }
                }
            }
            all.extend(nets);
        }
        Ok(all)
    }

    /// The nets of a circle, without hand-written streams.
    fn nets_of(&self, circle: &Circle) -> BTreeSet<u32> {
        let own = self.problem.nets.len();
        let nets = circle.iter().map(|(net, _)| *net);
        nets.filter(|net| *net < own)
            .map(|net| net as u32)
            .collect()
    }

    /// The failure that circles are.
    pub(super) fn circular(&self, circles: &[Circle], settings: &AllSettings) -> Failure {
        let nets: BTreeSet<u32> = circles.iter().flat_map(|c| self.nets_of(c)).collect();
        let held = circles.iter().flatten();
        let tiles: BTreeSet<TileLoc> = held.map(|(_, resource)| resource.tile()).collect();
        Failure::Circular(Circular {
            nets: nets.into_iter().collect(),
            tiles: tiles.into_iter().collect(),
            example: smallest(&self.all_streams(settings)).unwrap_or_default(),
        })
    }
}
