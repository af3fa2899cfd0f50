//! Packet resources of one switch: which arbiter grants which outputs, which msel selects which
//! set of outputs, and the rules of each input.
//!
//! Outputs that some packet goes to together must belong to one arbiter; each distinct set of
//! outputs is one msel of it. Sets that share no output get arbiters of their own as long as
//! there are any, because a stalled packet occupies its arbiter; only then do they share.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::switches::Amsel;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use aiec_device::{ArchModel, Port};

use super::rules::{Cube, EXACT, cover};

/// The arbiter from which control streams take downwards, as mlir-aie does
/// (`mlir-aie: lib/Dialect/AIE/Transforms/AIECreatePathFindFlows.cpp`).
const LAST_CONTROL_ARBITER: u8 = 5;

/// The arbiters that mlir-aie uses and its verifier accepts
/// (`mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`, `aie.amsel`: arbiterID 0 to 5).
pub(crate) const MLIR_AIE_ARBITERS: u8 = 6;

/// Packets of one id at one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PacketStream {
    /// The outputs that all these packets go to.
    pub masters: BTreeSet<Port>,
    /// Whether it is a control stream.
    pub priority: bool,
    /// The nets that they belong to.
    pub nets: BTreeSet<u32>,
}

/// Streams through a switch: per input and id.
pub(crate) type SwitchDemand = BTreeMap<(Port, u8), PacketStream>;

/// A rule of an input with what it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    /// Which ids.
    pub cube: Cube,
    /// Where they go.
    pub amsel: Amsel,
}

/// The packet settings of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PacketSettings {
    /// Outputs with their msels, each list ascending.
    pub masters: BTreeMap<Port, BTreeSet<Amsel>>,
    /// Inputs with their rules.
    pub rules: BTreeMap<Port, Vec<RuleEntry>>,
    /// Outputs that all packets of one input go to, and no others: (output, input). They are
    /// connected as circuits, without arbiter and rules.
    pub circuits: BTreeMap<Port, Port>,
    /// Outputs and inputs that control streams use.
    pub control_masters: FxHashSet<Port>,
    /// Inputs that control streams use.
    pub control_slaves: FxHashSet<Port>,
}

/// A limit of the switch that the demand exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// An input needs more rules than it has slots.
    Slots {
        /// The input.
        slave: Port,
    },
    /// Outputs that belong together need more msels than an arbiter has, or there are no
    /// arbiters left for them.
    Arbiters {
        /// The outputs.
        masters: BTreeSet<Port>,
        /// Distinct sets of outputs among them.
        sets: usize,
    },
}

/// Which way packets leave a switch; see [`super::turns`]. Outputs of different phases don't share
/// an arbiter if that can be helped, so that a packet in the second phase never waits for one in
/// the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnPhases {
    /// Some output leads on in the first phase.
    pub first: bool,
    /// Some output leads on in the second phase, or nowhere: packets of either phase wait for it.
    pub second: bool,
}

impl TurnPhases {
    /// Those of an output that packets end at.
    pub const END: TurnPhases = TurnPhases {
        first: false,
        second: true,
    };

    fn and(self, other: TurnPhases) -> TurnPhases {
        TurnPhases {
            first: self.first | other.first,
            second: self.second | other.second,
        }
    }

    fn mixed(self) -> bool {
        self.first && self.second
    }
}

/// The packet resources of a switch, and what to consider in sharing them.
pub(crate) struct SwitchResources<'a> {
    /// Limits.
    pub arch: &'a ArchModel,
    /// Number of arbiters that may be used, from 0.
    pub arbiters: u8,
    /// The arbiters of outputs where they are chosen already.
    pub chosen: Option<&'a FxHashMap<Port, u8>>,
    /// Amsels that are taken.
    pub taken: &'a BTreeSet<Amsel>,
    /// Hand-written settings, which stay and may be added to.
    pub fixed: &'a PacketSettings,
    /// The phase of an output.
    pub phases: &'a dyn Fn(Port) -> TurnPhases,
    /// Number of pairs of some nets and some others that had better not share an arbiter, because
    /// of waits through memory.
    pub interdependent: &'a dyn Fn(&BTreeSet<u32>, &BTreeSet<u32>) -> usize,
}

/// Finds settings for a demand within the resources, or says what is too much.
pub(crate) fn allocate_switch(
    resources: &SwitchResources<'_>,
    demand: &SwitchDemand,
) -> Result<PacketSettings, Vec<Overflow>> {
    let arch = resources.arch;
    let mut overflows = Vec::new();
    let selects = match assign_amsels(resources, demand) {
        Ok(selects) => selects,
        Err(overflow) => {
            overflows.push(overflow);
            FxHashMap::default()
        }
    };
    let mut settings = PacketSettings::default();
    let mut slaves: IndexMap<Port, BTreeMap<&BTreeSet<Port>, u32>, FxBuildHasher> =
        IndexMap::default();
    for ((slave, id), stream) in demand {
        let groups = slaves.entry(*slave).or_default();
        *groups.entry(&stream.masters).or_default() |= 1 << (id & EXACT);
        if stream.priority {
            settings.control_slaves.insert(*slave);
            settings.control_masters.extend(&stream.masters);
        }
        if let Some(amsel) = selects.get(&stream.masters) {
            for master in &stream.masters {
                settings.masters.entry(*master).or_default().insert(*amsel);
            }
        }
    }
    for (slave, groups) in slaves {
        let fixed = resources
            .fixed
            .rules
            .get(&slave)
            .map_or(&[][..], Vec::as_slice);
        match rules_of(arch, &groups, fixed) {
            Some(list) => {
                let entry = |(masters, cube)| {
                    let amsel = *selects.get(masters)?;
                    Some(RuleEntry { cube, amsel })
                };
                let list = list.into_iter().filter_map(entry).collect();
                settings.rules.insert(slave, list);
            }
            None => overflows.push(Overflow::Slots { slave }),
        }
    }
    if overflows.is_empty() {
        Ok(settings)
    } else {
        Err(overflows)
    }
}

type GroupRule<'a> = (&'a BTreeSet<Port>, Cube);

fn rules_of<'a>(
    arch: &ArchModel,
    groups: &BTreeMap<&'a BTreeSet<Port>, u32>,
    fixed: &[RuleEntry],
) -> Option<Vec<GroupRule<'a>>> {
    let slots = usize::from(arch.slots).checked_sub(fixed.len())?;
    // Ids of hand-written rules are not to match ours.
    let theirs = fixed.iter().fold(0, |all, rule| all | rule.cube.ids());
    let all = groups.values().fold(theirs, |all, ids| all | ids);
    let mut list = Vec::new();
    for (masters, ids) in groups {
        let left = slots.checked_sub(list.len())?;
        let cubes = cover(*ids, all & !ids, left)?;
        list.extend(cubes.into_iter().map(|cube| (*masters, cube)));
    }
    Some(list)
}

/// Outputs that must share an arbiter, and the distinct sets among them.
pub(crate) struct OutputCluster<'a> {
    /// The outputs.
    pub masters: BTreeSet<Port>,
    /// The sets of outputs that packets go to; each takes an msel.
    pub sets: Vec<&'a BTreeSet<Port>>,
    /// The nets whose packets go there.
    pub nets: BTreeSet<u32>,
    priority: bool,
}

impl OutputCluster<'_> {
    fn phases(&self, resources: &SwitchResources<'_>) -> TurnPhases {
        let phases = self.masters.iter().map(|m| (resources.phases)(*m));
        phases.fold(TurnPhases::default(), TurnPhases::and)
    }
}

/// The clusters of a demand, those of many sets first.
pub(crate) fn clusters(demand: &SwitchDemand) -> Vec<OutputCluster<'_>> {
    let mut list: Vec<OutputCluster<'_>> = Vec::new();
    for stream in demand.values() {
        let (touched, mut rest): (Vec<_>, Vec<_>) = list
            .into_iter()
            .partition(|cluster| !cluster.masters.is_disjoint(&stream.masters));
        let mut merged = OutputCluster {
            masters: stream.masters.clone(),
            sets: Vec::new(),
            nets: stream.nets.clone(),
            priority: stream.priority,
        };
        for cluster in touched {
            merged.nets.extend(cluster.nets);
            merged.masters.extend(cluster.masters);
            merged.sets.extend(cluster.sets);
            merged.priority |= cluster.priority;
        }
        if !merged.sets.contains(&&stream.masters) {
            merged.sets.push(&stream.masters);
        }
        rest.push(merged);
        list = rest;
    }
    // Those with many sets are the hardest to place; the order among equals is by output.
    list.sort_by(|a, b| {
        let key =
            |c: &OutputCluster<'_>| (std::cmp::Reverse(c.sets.len()), c.masters.first().copied());
        key(a).cmp(&key(b))
    });
    list
}

/// The state of an arbiter while amsels are assigned.
#[derive(Clone, Debug)]
struct Arbiter {
    number: u8,
    free: Vec<Amsel>,
    used: bool,
    phases: TurnPhases,
    nets: BTreeSet<u32>,
}

fn arbiters(resources: &SwitchResources<'_>) -> Vec<Arbiter> {
    let arch = resources.arch;
    let arbiter = |number| {
        let msels = (0..arch.msels).map(|msel| Amsel {
            arbiter: number,
            msel,
        });
        let free: Vec<Amsel> = msels.filter(|a| !resources.taken.contains(a)).collect();
        let used = free.len() < usize::from(arch.msels);
        Arbiter {
            number,
            free,
            used,
            // Hand-written settings may use the arbiter in any phase: avoid it.
            phases: TurnPhases {
                first: used,
                second: used,
            },
            nets: BTreeSet::new(),
        }
    };
    (0..arch.arbiters).map(arbiter).collect()
}

fn assign_amsels<'a>(
    resources: &SwitchResources<'_>,
    demand: &'a SwitchDemand,
) -> Result<FxHashMap<&'a BTreeSet<Port>, Amsel>, Overflow> {
    let mut arbiters = arbiters(resources);
    let mut selects = FxHashMap::default();
    let overflow = |cluster: &OutputCluster<'_>| Overflow::Arbiters {
        masters: cluster.masters.clone(),
        sets: cluster.sets.len(),
    };
    let (bound, free): (Vec<_>, Vec<_>) = clusters(demand)
        .into_iter()
        .partition(|cluster| !fixed_arbiters(resources.fixed, &cluster.masters).is_empty());
    for cluster in bound {
        let amsels = join_fixed(resources, &cluster, &mut arbiters);
        let amsels = amsels.ok_or_else(|| overflow(&cluster))?;
        selects.extend(cluster.sets.iter().copied().zip(amsels));
    }
    let mut free = in_turns(resources, free);
    let usable = arbiters.iter().filter(|a| a.number < resources.arbiters);
    let unused = usable.filter(|arbiter| !arbiter.used).count();
    if free.len() > unused
        && let Some(order) = by_interdependence(resources, &free)
    {
        // As many as possible of those that better keep apart get an arbiter each. That may leave
        // clusters of many sets without room; then the usual order is tried.
        let known = (arbiters.clone(), selects.clone());
        if place_all(
            resources,
            order.iter().map(|at| &free[*at]),
            &mut arbiters,
            &mut selects,
        )
        .is_ok()
        {
            return Ok(selects);
        }
        (arbiters, selects) = known;
    }
    let free = std::mem::take(&mut free);
    match place_all(resources, free.iter(), &mut arbiters, &mut selects) {
        Ok(()) => Ok(selects),
        Err(at) => Err(overflow(&free[at])),
    }
}

/// Orders clusters by how many others they had better not share an arbiter with, most first. Returns
/// `None` if no cluster has such another.
fn by_interdependence(
    resources: &SwitchResources<'_>,
    clusters: &[OutputCluster<'_>],
) -> Option<Vec<usize>> {
    let count = |cluster: &OutputCluster<'_>| -> usize {
        let others = clusters
            .iter()
            .map(|other| (resources.interdependent)(&cluster.nets, &other.nets));
        others.sum()
    };
    let counts: Vec<usize> = clusters.iter().map(count).collect();
    let mut order: Vec<usize> = (0..clusters.len()).collect();
    order.sort_by_key(|at| (!clusters[*at].priority, std::cmp::Reverse(counts[*at])));
    counts.iter().any(|count| *count > 0).then_some(order)
}

/// Places clusters one after the other, or returns which one has no place.
fn place_all<'a: 'b, 'b>(
    resources: &SwitchResources<'_>,
    clusters: impl Iterator<Item = &'b OutputCluster<'a>>,
    arbiters: &mut [Arbiter],
    selects: &mut FxHashMap<&'a BTreeSet<Port>, Amsel>,
) -> Result<(), usize> {
    for (at, cluster) in clusters.enumerate() {
        let amsels = place(resources, cluster, arbiters).ok_or(at)?;
        selects.extend(cluster.sets.iter().copied().zip(amsels));
    }
    Ok(())
}

/// The arbiters that hand-written settings bind some outputs to.
fn fixed_arbiters(fixed: &PacketSettings, masters: &BTreeSet<Port>) -> FxHashSet<u8> {
    let amsels = masters.iter().filter_map(|port| fixed.masters.get(port));
    amsels.flatten().map(|amsel| amsel.arbiter).collect()
}

/// Amsels for outputs some of which hand-written settings bind to an arbiter: theirs for a set of
/// outputs that has one already, free ones for the rest.
fn join_fixed(
    resources: &SwitchResources<'_>,
    cluster: &OutputCluster<'_>,
    arbiters: &mut [Arbiter],
) -> Option<Vec<Amsel>> {
    let bound = fixed_arbiters(resources.fixed, &cluster.masters);
    let (Some(number), 1) = (bound.iter().next().copied(), bound.len()) else {
        return None;
    };
    let arbiter = arbiters.iter_mut().find(|a| a.number == number)?;
    let outputs = |amsel: &Amsel| -> BTreeSet<Port> {
        let masters = resources.fixed.masters.iter();
        let selected = masters.filter(|(_, amsels)| amsels.contains(amsel));
        let mut outputs = BTreeSet::new();
        outputs.extend(selected.map(|(port, _)| *port));
        outputs
    };
    let theirs = || resources.fixed.masters.values().flatten();
    let amsel = |set: &&BTreeSet<Port>| {
        let same = |amsel: &&Amsel| amsel.arbiter == number && outputs(amsel) == **set;
        match theirs().filter(same).min() {
            Some(known) => Some(*known),
            None => (!arbiter.free.is_empty()).then(|| arbiter.free.remove(0)),
        }
    };
    cluster.sets.iter().map(amsel).collect()
}

/// OutputClusters in the order in which they get arbiters: those of the two phases in turns, so that
/// neither takes all arbiters.
fn in_turns<'a>(
    resources: &SwitchResources<'_>,
    clusters: Vec<OutputCluster<'a>>,
) -> Vec<OutputCluster<'a>> {
    let mut seen = [0usize; 2];
    let mut list: Vec<(usize, OutputCluster<'a>)> = Vec::new();
    for cluster in clusters {
        let class = usize::from(cluster.phases(resources).first);
        list.push((seen[class], cluster));
        seen[class] += 1;
    }
    list.sort_by_key(|(turn, cluster)| (!cluster.priority, *turn));
    list.into_iter().map(|(_, cluster)| cluster).collect()
}

/// Free amsels of one arbiter for the sets of a cluster: of an unused arbiter if possible, else of
/// one without waits through memory, of one for the same phase, of any; among equals of the one with
/// most room.
fn place(
    resources: &SwitchResources<'_>,
    cluster: &OutputCluster<'_>,
    arbiters: &mut [Arbiter],
) -> Option<Vec<Amsel>> {
    let phases = cluster.phases(resources);
    let count = cluster.sets.len();
    let last = LAST_CONTROL_ARBITER.min(resources.arbiters.saturating_sub(1));
    let chosen = resources
        .chosen
        .and_then(|chosen| chosen.get(cluster.masters.first()?));
    let fits = |arbiter: &&mut Arbiter| {
        arbiter.number < resources.arbiters
            && arbiter.free.len() >= count
            && chosen.is_none_or(|chosen| *chosen == arbiter.number)
    };
    let unused = arbiters
        .iter_mut()
        .filter(fits)
        .any(|arbiter| !arbiter.used);
    let best = arbiters.iter_mut().filter(fits).min_by_key(|arbiter| {
        let interdependent = if unused {
            0
        } else {
            (resources.interdependent)(&cluster.nets, &arbiter.nets)
        };
        let clash = phases.and(arbiter.phases).mixed();
        let order = if cluster.priority && arbiter.number <= last {
            last - arbiter.number
        } else {
            arbiter.number
        };
        let room = std::cmp::Reverse(arbiter.free.len());
        (
            interdependent,
            arbiter.used && clash,
            arbiter.used,
            room,
            order,
        )
    })?;
    best.nets.extend(&cluster.nets);
    best.used = true;
    best.phases = best.phases.and(phases);
    if cluster.priority {
        best.free.reverse();
    }
    let amsels = best.free.drain(..count).collect();
    if cluster.priority {
        best.free.reverse();
    }
    Some(amsels)
}

#[cfg(test)]
mod tests;
