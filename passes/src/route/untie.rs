//! The negotiation's part in [`super::waits`]: the streams of its routes, and what it does when
//! their packets could wait for each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::TileLoc;

use super::negotiate::{Failure, Negotiation};
use super::net::{Link, Net, NetKind, Route};
use super::packets::Settings;
use super::turns::{ORDERS, TurnOrder};
use super::waits::{Circle, Resource, Stream, Way, circles};

/// Packet settings by switch.
pub(crate) type AllSettings = BTreeMap<TileLoc, Settings>;

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

    /// Circular waits that some net takes part in.
    pub(super) fn circles(&self, settings: &AllSettings) -> Vec<Circle> {
        let mut streams = self.streams(settings);
        let own = self.problem.nets.len();
        streams.extend(self.problem.fixed_streams.iter().map(|fixed| Stream {
            name: own,
            ways: fixed.ways.clone(),
        }));
        let mut list = circles(&streams);
        list.retain(|circle| circle.iter().any(|(net, _)| *net < own));
        list
    }

    /// Makes the connections of circles dearer; answers the nets to route again.
    pub(super) fn untie(&mut self, circles: &[Circle]) -> Result<BTreeSet<u32>, Failure> {
        if self.repairs == 0 {
            return Err(self.circular(circles));
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
    pub(super) fn circular(&self, circles: &[Circle]) -> Failure {
        let describe = |circle: &Circle| {
            let tiles: BTreeSet<TileLoc> = circle.iter().map(|(_, r)| r.tile()).collect();
            let nets = self.nets_of(circle);
            (nets.into_iter().collect(), tiles.into_iter().collect())
        };
        Failure::Circular(circles.iter().map(describe).collect())
    }
}
