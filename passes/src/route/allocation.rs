//! Packet resources of all switches for the routes of a routing: arbiters, msels and rules, so
//! that no packets wait in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::{Port, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arbiters::{self, ArbiterChoice};
use super::deadlock::RoutedNets;
use super::memory::Memory;
use super::net::NetKind;
use super::packets::{
    Overflow, PacketSettings, SwitchDemand, SwitchResources, TurnPhases, allocate_switch, clusters,
};
use super::problem::AllSettings;
use super::turns::TurnOrder;
use super::waits::WaitCycle;

/// Packet settings without wait cycles except for some through memory.
#[derive(Clone, Default)]
pub(super) struct ArbiterAssignment {
    pub settings: AllSettings,
    /// Wait cycles through memory.
    pub memory_cycles: Vec<WaitCycle>,
}

impl ArbiterAssignment {
    fn new(routing: RoutedNets<'_>, settings: AllSettings) -> ArbiterAssignment {
        ArbiterAssignment {
            memory_cycles: routing.cycles(&settings, Some(routing.problem.memory)),
            settings,
        }
    }

    /// Total length of the wait cycles through memory: an assignment with less is better.
    pub fn weight(&self) -> usize {
        self.memory_cycles.iter().map(Vec::len).sum()
    }
}

/// Why there are no settings for some routes.
pub(super) enum AllocationFailure {
    /// Limits of switches are exceeded.
    Overflows(Vec<(TileLoc, Overflow)>),
    /// Packets could wait for each other in cycles with these settings.
    Cyclic(Vec<WaitCycle>, AllSettings),
}

/// Settings for the routes: with arbiters by the phases of the first turn order that leaves no
/// wait cycle, else with arbiters that are searched for. If each choice leaves some through memory,
/// the one that leaves least.
pub(super) fn allocate(
    routing: RoutedNets<'_>,
    orders: &[TurnOrder],
) -> Result<ArbiterAssignment, AllocationFailure> {
    allocate_demands(routing, orders, &routing.demands(), &Circuits::default())
}

/// Same as [`allocate`], with circuits for some packets in switches with too few arbiters; `None` if
/// no packets can pass on circuits, or too few.
pub(super) fn allocate_with_circuits(
    routing: RoutedNets<'_>,
    orders: &[TurnOrder],
) -> Option<ArbiterAssignment> {
    let mut demands = routing.demands();
    let circuits = connect_circuits(routing, &mut demands);
    if circuits.is_empty() {
        return None;
    }
    allocate_demands(routing, orders, &demands, &circuits).ok()
}

/// By switch, the outputs that packets reach on circuits, with the input.
type Circuits = FxHashMap<TileLoc, BTreeMap<Port, Port>>;

/// Takes packets off the demand of switches with more clusters of outputs than arbiters, as many
/// clusters as there are too many: those that packets of one input go to, which go nowhere else.
/// A circuit does the same without an arbiter. It doesn't drop headers, so none leads
/// to where packets end. Control packets, which carry a mark, and switches with hand-written
/// packet settings stay as they are.
fn connect_circuits(
    routing: RoutedNets<'_>,
    demands: &mut FxHashMap<TileLoc, SwitchDemand>,
) -> Circuits {
    let problem = routing.problem;
    let graph = problem.graph;
    let packets = problem.nets.iter().filter(|n| n.kind != NetKind::Circuit);
    let sinks = packets.flat_map(|net| net.branches.iter().flat_map(|branch| &branch.sinks));
    let ends: FxHashSet<(TileLoc, Port)> = sinks
        .map(|sink| (graph.info(*sink).tile, graph.info(*sink).port))
        .collect();
    let mut circuits = Circuits::default();
    for (tile, demand) in demands {
        let by_hand = problem.taken.get(tile);
        if by_hand.is_some_and(|taken| !taken.is_empty()) {
            continue;
        }
        let list = clusters(demand);
        let too_many = list.len().saturating_sub(usize::from(problem.arbiters));
        let input_alone = |masters: &BTreeSet<Port>| -> Option<Port> {
            let mut streams = demand.iter();
            let ((input, _), _) = streams.find(|(_, s)| !s.masters.is_disjoint(masters))?;
            let alone = demand.iter().all(|((slave, _), stream)| {
                if slave == input {
                    stream.masters == *masters && !stream.priority
                } else {
                    stream.masters.is_disjoint(masters)
                }
            });
            alone.then_some(*input)
        };
        let leads_on =
            |masters: &BTreeSet<Port>| masters.iter().all(|m| !ends.contains(&(*tile, *m)));
        let able = list.iter().filter(|cluster| leads_on(&cluster.masters));
        let able =
            able.filter_map(|cluster| Some((&cluster.masters, input_alone(&cluster.masters)?)));
        let links: BTreeMap<Port, Port> = able
            .take(too_many)
            .flat_map(|(masters, input)| masters.iter().map(move |master| (*master, input)))
            .collect();
        if !links.is_empty() {
            let inputs: FxHashSet<Port> = links.values().copied().collect();
            demand.retain(|(slave, _), _| !inputs.contains(slave));
            circuits.insert(*tile, links);
        }
    }
    circuits
}

fn allocate_demands(
    routing: RoutedNets<'_>,
    orders: &[TurnOrder],
    demands: &FxHashMap<TileLoc, SwitchDemand>,
    circuits: &Circuits,
) -> Result<ArbiterAssignment, AllocationFailure> {
    let allocate_all = |order: TurnOrder, choice: Option<&ArbiterChoice>| {
        allocate_all(routing, demands, circuits, order, choice)
    };
    let mut cyclic = None;
    let mut best: Option<ArbiterAssignment> = None;
    for order in orders {
        let settings = allocate_all(*order, None).map_err(AllocationFailure::Overflows)?;
        let cycles = routing.cycles(&settings, None);
        if !cycles.is_empty() {
            cyclic.get_or_insert((cycles, settings));
            continue;
        }
        let found = ArbiterAssignment::new(routing, settings);
        if best
            .as_ref()
            .is_none_or(|best| found.weight() < best.weight())
        {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|best| best.weight() == 0) {
            break;
        }
    }
    let search = |start: &AllSettings, memory: Option<&Memory>| {
        let order = orders.first().copied()?;
        let settings = |choice: &ArbiterChoice| allocate_all(order, Some(choice)).ok();
        arbiters::search(routing, demands, start, memory, settings)
    };
    if best.is_none() {
        let (cycles, settings) = cyclic.unwrap_or_default();
        best = search(&settings, None).map(|found| ArbiterAssignment::new(routing, found));
        if best.is_none() {
            return Err(AllocationFailure::Cyclic(cycles, settings));
        }
    }
    let best = best.unwrap_or_default();
    if best.weight() == 0 {
        return Ok(best);
    }
    let settings = search(&best.settings, Some(routing.problem.memory));
    Ok(match settings {
        Some(settings) => ArbiterAssignment {
            settings,
            memory_cycles: Vec::new(),
        },
        None => best,
    })
}

/// Settings of all switches, with arbiters by the phases of a turn order or as they are chosen.
fn allocate_all(
    routing: RoutedNets<'_>,
    demands: &FxHashMap<TileLoc, SwitchDemand>,
    circuits: &Circuits,
    order: TurnOrder,
    choice: Option<&ArbiterChoice>,
) -> Result<AllSettings, Vec<(TileLoc, Overflow)>> {
    let problem = routing.problem;
    let device = problem.graph.device;
    let (nothing, unset) = (BTreeSet::new(), PacketSettings::default());
    let mut settings = AllSettings::default();
    let mut overflows = Vec::new();
    for tile in device.tiles() {
        let Some(demand) = demands.get(&tile) else {
            continue;
        };
        let phases = |port: Port| match device.wire_from(tile, port) {
            Some(_) => order.phases(port.bundle),
            None => TurnPhases::END,
        };
        let resources = SwitchResources {
            arch: device.arch_model(),
            arbiters: problem.arbiters,
            chosen: choice.and_then(|choice| choice.get(&tile)),
            taken: problem.taken.get(&tile).unwrap_or(&nothing),
            fixed: problem.fixed.get(&tile).unwrap_or(&unset),
            phases: &phases,
            interdependent: &|nets, others| interdependent(problem.memory, nets, others),
        };
        match allocate_switch(&resources, demand) {
            Ok(mut found) => {
                found.circuits = circuits.get(&tile).cloned().unwrap_or_default();
                settings.insert(tile, found);
            }
            Err(list) => overflows.extend(list.into_iter().map(|what| (tile, what))),
        }
    }
    if overflows.is_empty() {
        Ok(settings)
    } else {
        Err(overflows)
    }
}

/// Number of pairs of some nets and some others that can block each other through memory.
fn interdependent(memory: &Memory, nets: &BTreeSet<u32>, others: &BTreeSet<u32>) -> usize {
    if memory.is_trivial() {
        return 0;
    }
    let with = |net: &u32| {
        let waits = |other: &&u32| memory.interdependent(*net as usize, **other as usize);
        others.iter().filter(waits).count()
    };
    nets.iter().map(with).sum()
}
