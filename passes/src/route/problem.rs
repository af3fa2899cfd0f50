//! Input and output of the searches: a routing problem, a routing of it, or why
//! there is none.

use std::collections::BTreeSet;

use aiec_device::{Bundle, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cuts::{self, Cut, CutShapes};
use super::graph::{Node, SwitchGraph};
use super::memory::Memory;
use super::net::{Net, NetKind, Route, Unreachable};
use super::occupancy::PortBlock;
use super::packets::{Overflow, PacketSettings};
use super::waits::{Resource, RoutedStream, WaitCycle};
use crate::analysis::switches::Amsel;

/// Packet settings by switch.
pub(crate) type AllSettings = FxHashMap<TileLoc, PacketSettings>;

/// Flows to route, and the graph to route them on.
#[derive(Clone, Copy)]
pub(crate) struct RoutingProblem<'a> {
    /// The graph.
    pub graph: &'a SwitchGraph,
    /// Nets to route.
    pub nets: &'a [Net],
    /// Nodes that hand-written settings use, and which nets they exclude.
    pub closed: &'a [(Node, PortBlock)],
    /// Hand-written packet settings.
    pub fixed: &'a AllSettings,
    /// Amsels that hand-written settings use.
    pub taken: &'a FxHashMap<TileLoc, BTreeSet<Amsel>>,
    /// Packets of hand-written settings; their names don't matter.
    pub fixed_streams: &'a [RoutedStream],
    /// Waits through memory.
    pub memory: &'a Memory,
    /// Number of a switch's arbiters that may be used, counted from arbiter 0.
    pub arbiters: u8,
}

impl RoutingProblem<'_> {
    /// Nodes that no net may use. Hand-written packet ports are among them if there are no packets
    /// to add to them.
    pub fn blocked(&self) -> Vec<Node> {
        let packets = self.has_packets();
        let closed = self.closed.iter();
        let all = closed.filter(|(_, closed)| !packets || *closed == PortBlock::ALL);
        all.map(|(node, _)| *node).collect()
    }

    /// Whether some net is packet-switched.
    pub fn has_packets(&self) -> bool {
        self.nets.iter().any(|net| net.kind != NetKind::Circuit)
    }

    /// Fails if a cut proves that there is no routing.
    pub fn rule_out(&self, shapes: CutShapes) -> Result<(), RoutingFailure> {
        match cuts::tightest(self.graph, self.nets, &self.blocked(), shapes) {
            Some(cut) => Err(RoutingFailure::Cut(cut)),
            None => Ok(()),
        }
    }
}

/// A legal routing of all nets.
#[derive(Debug)]
pub(crate) struct Routing {
    /// One per net.
    pub routes: Vec<Route>,
    /// Packet settings of the switches that packets pass.
    pub settings: AllSettings,
    /// Rounds of the negotiation.
    pub iterations: usize,
    /// Nodes expanded by the searches.
    pub expanded: u64,
    /// Pairs of nets of different groups that share a port.
    pub unrelated: FxHashSet<(u32, u32)>,
    /// Wait cycles through memory: nets (a number beyond them means hand-written settings)
    /// and what they share.
    pub memory_cycles: Vec<WaitCycle>,
}

/// Why there is no routing, as far as is known.
#[derive(Debug)]
pub(crate) enum RoutingFailure {
    /// Sinks that no path leads to, with their net.
    Unreachable(Vec<(u32, Unreachable)>),
    /// More streams than wires across a border: proof that there is no routing.
    Cut(Cut),
    /// Ports that were still wanted by several nets when the iterations were used up, and the
    /// routes that want them.
    Congested(Vec<(Node, Vec<u32>)>, Vec<Route>),
    /// Switches whose packet resources were still exceeded, with the nets that pass there.
    Exhausted(Vec<(TileLoc, Overflow, Vec<u32>)>),
    /// Nets whose packets could wait for each other without end.
    Cyclic(CyclicWaits),
    /// The exact search found that there is no routing.
    Proved(InfeasibilityProof),
    /// Neither a routing nor a proof: what negotiation found, and where the exact search ended.
    GaveUp(Box<RoutingFailure>, SearchLimit),
}

/// Circular waits that are left.
#[derive(Debug)]
pub(crate) struct CyclicWaits {
    /// All nets that take part in some.
    pub nets: Vec<u32>,
    /// The switches where.
    pub tiles: Vec<TileLoc>,
    /// A cycle of few: nets with what they occupy, each waiting for what the next one occupies.
    pub example: Vec<(usize, Resource)>,
}

/// Streams and wires that no routing satisfies together.
#[derive(Clone, Debug)]
pub(crate) struct InfeasibilityProof {
    /// Nets that can't all be routed, even without the others.
    pub nets: Vec<u32>,
    /// The routing channels that are too narrow: from where, in which direction, how many wires.
    pub channels: Vec<(TileLoc, Bundle, usize)>,
    /// Number of choices (net and routing channel) that were searched.
    pub choices: usize,
}

/// Why the exact search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchLimit {
    /// More choices than the search is made for; their number.
    Choices(usize),
    /// Conflicts of the solver, or its rounds.
    Effort,
    /// The relaxed problem has a solution, but it leaves out arbiters and rules, or no wires
    /// were found for it.
    Relaxed,
}
