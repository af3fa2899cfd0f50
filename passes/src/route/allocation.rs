//! Packet resources of all switches for the routes of a routing: arbiters, msels and rules, so
//! that no packets wait in a cycle.

use std::collections::BTreeSet;

use aiec_device::{Port, TileLoc};
use rustc_hash::FxHashMap;

use super::arbiters::{self, ArbiterChoice};
use super::deadlock::RoutedNets;
use super::memory::Memory;
use super::packets::{
    Overflow, PacketSettings, SwitchDemand, SwitchResources, TurnPhases, allocate_switch,
};
use super::problem::AllSettings;
use super::turns::TurnOrder;
use super::waits::WaitCycle;

/// Packet settings without wait cycles but for some through memory.
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

    /// How bad the wait cycles through memory are.
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
    let demands = routing.demands();
    let mut cyclic = None;
    let mut best: Option<ArbiterAssignment> = None;
    for order in orders {
        let settings =
            allocate_all(routing, &demands, *order, None).map_err(AllocationFailure::Overflows)?;
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
        let settings =
            |choice: &ArbiterChoice| allocate_all(routing, &demands, order, Some(choice)).ok();
        arbiters::search(routing, &demands, start, memory, settings)
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
            Ok(found) => _ = settings.insert(tile, found),
            Err(list) => overflows.extend(list.into_iter().map(|what| (tile, what))),
        }
    }
    match overflows.is_empty() {
        true => Ok(settings),
        false => Err(overflows),
    }
}

/// How many pairs of some nets and some others can block each other through memory.
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
