//! The exact search, for when negotiation has failed: routing as a satisfiability problem.
//!
//! It works on *channels* ([`super::channels`]): all free wires from one tile to a neighbour. A variable says that a net
//! takes a channel; clauses say that
//!
//! * each sink is fed by its source or by a channel of its net that may be connected to it;
//! * a channel that a net takes is fed likewise;
//! * a channel holds as many circuits as it has wires, and of packets with one id as many as the
//!   circuits leave (different ids may share a wire).
//!
//! What feeds what may be a ring that no source feeds; whenever a solution has one, a clause says
//! that some channel must lead out of what the source does reach. A channel back to where the stream has
//! been is of no use, but next to the source, whose port may have fewer connections than the
//! wires.
//!
//! Every routing is a solution, so if there is none there is no routing: that is a proof, for all
//! routes through the whole device. The nets and channels of the solver's core, thinned out, say why.
//! The other way round, wires for the channels of a solution are found by [`super::tracks`]. With
//! packets the clauses leave out what arbiters and rules can't do, so they can prove that there is
//! no routing, but not find one.
//!
//! Limits: [`MAX_CHOICES`], [`MAX_CONFLICTS`], [`MAX_ROUNDS`]. They count steps, not time, so that
//! the answer is the same on every machine.

use std::collections::BTreeSet;

use aiec_device::TileLoc;
use rustc_hash::FxHashSet;

use super::channels::{ChannelGraph, ChannelTree, RoutingChannel};
use super::graph::{Node, SwitchGraph};
use super::negotiate::improve;
use super::net::{Branch, Net, NetKind, Route};
use super::problem::{InfeasibilityProof, Routing, RoutingFailure, RoutingProblem, SearchLimit};
use super::sat::{Answer, Lit, Solver};
use super::tracks;

/// Nets times channels.
pub(crate) const MAX_CHOICES: usize = 100_000;
/// Conflicts of the solver in one search.
pub(crate) const MAX_CONFLICTS: u64 = 100_000;
/// Solutions with rings that are looked at.
const MAX_ROUNDS: usize = 1_000;
/// Conflicts for leaving one net or channel out of a core.
const MAX_CONFLICTS_THINNING: u64 = 1_000;
/// Nets and channels that a core may have to be thinned out one by one.
const MAX_THINNED: usize = 200;

/// Outcome of the search.
#[derive(Debug)]
pub(crate) enum ExactResult {
    /// A route for each net.
    Routed(Vec<Route>),
    /// There is no routing.
    Impossible(InfeasibilityProof),
    /// A limit was reached.
    Unknown(SearchLimit),
}

/// Decides whether there is a routing; begins at some routes that nearly are one, if there are any.
pub(crate) fn decide(problem: &RoutingProblem<'_>, nearly: &[Route]) -> ExactResult {
    let channels = ChannelGraph::new(problem.graph, &problem.blocked());
    let choices = channels.list.len() * problem.nets.len();
    if choices > MAX_CHOICES {
        return ExactResult::Unknown(SearchLimit::Choices(choices));
    }
    let mut search = ExactSearch::new(problem, &channels);
    search.begin_at(nearly);
    let all = search.everything();
    match search.solve(&all, MAX_CONFLICTS) {
        SearchResult::ChannelTrees(trees) => {
            let circuits = problem.nets.iter().all(|net| net.kind == NetKind::Circuit);
            let routes = if circuits {
                tracks::assign(problem, &channels, &trees, MAX_CONFLICTS)
            } else {
                None
            };
            routes.map_or(
                ExactResult::Unknown(SearchLimit::Relaxed),
                ExactResult::Routed,
            )
        }
        SearchResult::Core(core) => ExactResult::Impossible(search.prove(core, choices)),
        SearchResult::Nothing => ExactResult::Unknown(SearchLimit::Effort),
    }
}

/// Settles a problem that negotiation hasn't solved, or names the limit at which it stopped.
pub(crate) fn complete(
    problem: &RoutingProblem<'_>,
    failure: RoutingFailure,
) -> Result<Routing, RoutingFailure> {
    let nearly = match &failure {
        RoutingFailure::Congested(_, routes) => &routes[..],
        RoutingFailure::Exhausted(_) | RoutingFailure::Cyclic(_) => &[],
        _ => return Err(failure),
    };
    match decide(problem, nearly) {
        ExactResult::Routed(routes) => Ok(improve(problem, routes)),
        ExactResult::Impossible(proof) => Err(RoutingFailure::Proved(proof)),
        ExactResult::Unknown(limit) => Err(RoutingFailure::GaveUp(Box::new(failure), limit)),
    }
}

enum SearchResult {
    /// One for each net, in the order of the nets.
    ChannelTrees(Vec<ChannelTree>),
    /// These assumptions exclude each other.
    Core(Vec<Lit>),
    Nothing,
}

/// A branch of a net: the channels from its source, and those into each sink that needs one.
struct BranchChannels {
    source: Node,
    first: Vec<u32>,
    sinks: Vec<(Node, Vec<u32>)>,
    /// Sinks that the source itself feeds.
    direct: Vec<Node>,
}

struct ExactSearch<'a> {
    nets: &'a [Net],
    channels: &'a ChannelGraph,
    solver: Solver,
    /// Net by net: whether it takes each channel.
    takes: Vec<Vec<Lit>>,
    /// Whether a net is to be routed.
    wanted: Vec<Lit>,
    /// Whether the width of a channel counts.
    narrow: Vec<Lit>,
    ends: Vec<Vec<BranchChannels>>,
}

impl<'a> ExactSearch<'a> {
    fn new(problem: &'a RoutingProblem<'a>, channels: &'a ChannelGraph) -> ExactSearch<'a> {
        let graph = problem.graph;
        let mut solver = Solver::new();
        let count = channels.list.len();
        let mut block = |count| (0..count).map(|_| solver.variable()).collect::<Vec<Lit>>();
        let takes = problem.nets.iter().map(|_| block(count)).collect();
        let (wanted, narrow) = (block(problem.nets.len()), block(count));
        let ends = |branch: &Branch| {
            let next = graph.next(branch.source);
            let (direct, far): (Vec<Node>, Vec<Node>) =
                branch.sinks.iter().partition(|sink| next.contains(sink));
            let far = far.into_iter();
            BranchChannels {
                source: branch.source,
                first: channels.out_of_source(graph, branch.source),
                sinks: far.map(|s| (s, channels.to_sink(graph, s))).collect(),
                direct,
            }
        };
        let all = |net: &Net| net.branches.iter().map(ends).collect();
        let mut search = ExactSearch {
            nets: problem.nets,
            channels,
            solver,
            takes,
            wanted,
            narrow,
            ends: problem.nets.iter().map(all).collect(),
        };
        for net in 0..problem.nets.len() {
            search.feed(graph, net);
        }
        for channel in 0..count {
            search.share(channel);
        }
        search
    }

    /// Lets the solver try some routes first.
    fn begin_at(&mut self, routes: &[Route]) {
        for (takes, route) in self.takes.iter().zip(routes) {
            let taken: FxHashSet<Node> = route.links.iter().map(|link| link.1).collect();
            for (lit, channel) in takes.iter().zip(&self.channels.list) {
                if channel.tracks.iter().any(|track| taken.contains(&track.0)) {
                    self.solver.prefer(*lit);
                }
            }
        }
    }

    /// All nets, and all channels as narrow as they are.
    fn everything(&self) -> Vec<Lit> {
        self.narrow.iter().chain(&self.wanted).copied().collect()
    }

    /// Sinks and taken channels of a net are fed.
    fn feed(&mut self, graph: &SwitchGraph, net: usize) {
        let takes = &self.takes[net];
        let unwanted = !self.wanted[net];
        let lits = |channels: &[u32]| -> Vec<Lit> {
            channels
                .iter()
                .map(|channel| takes[*channel as usize])
                .collect()
        };
        let mut fed = vec![false; takes.len()];
        let mut home = FxHashSet::default();
        for ends in &self.ends[net] {
            home.insert(graph.info(ends.source).tile);
            for (sink, into) in &ends.sinks {
                let clause = lits(into);
                self.solver.clause(clause.into_iter().chain([unwanted]));
                for cut in self.lines(graph.info(ends.source).tile, graph.info(*sink).tile) {
                    let clause = lits(&cut);
                    self.solver.clause(clause.into_iter().chain([unwanted]));
                }
            }
            for channel in &ends.first {
                fed[*channel as usize] = true;
            }
        }
        for channel in (0..fed.len()).filter(|channel| !fed[*channel]) {
            let here = &self.channels.list[channel];
            let useful = |before: &&u32| {
                let before = &self.channels.list[**before as usize];
                before.from != here.to || home.contains(&before.from)
            };
            let before = self.channels.before[channel].iter().filter(useful).copied();
            let clause = lits(&before.collect::<Vec<u32>>());
            self.solver
                .clause(clause.into_iter().chain([!takes[channel]]));
        }
    }

    /// For each straight line between two tiles the channels across it: one must be taken. The other
    /// clauses say so too, but not as plainly.
    fn lines(&self, from: TileLoc, to: TileLoc) -> Vec<Vec<u32>> {
        let across = |side: &dyn Fn(TileLoc) -> bool| {
            let crosses = |channel: &RoutingChannel| side(channel.from) && !side(channel.to);
            let list = self.channels.list.iter().enumerate();
            list.filter(|(_, channel)| crosses(channel))
                .map(|(at, _)| at as u32)
                .collect::<Vec<u32>>()
        };
        let mut cuts = Vec::new();
        for col in from.col.min(to.col)..from.col.max(to.col) {
            let west = from.col <= col;
            cuts.push(across(&|tile| (tile.col <= col) == west));
        }
        for row in from.row.min(to.row)..from.row.max(to.row) {
            let south = from.row <= row;
            cuts.push(across(&|tile| (tile.row <= row) == south));
        }
        cuts
    }

    /// Who may share a channel.
    fn share(&mut self, channel: usize) {
        let width = self.channels.list[channel].tracks.len();
        let mut circuits = Vec::new();
        let mut of_id: Vec<Vec<Lit>> = Vec::new();
        for (net, takes) in self.nets.iter().zip(&self.takes) {
            match net.kind {
                NetKind::Circuit => circuits.push(takes[channel]),
                NetKind::Packet(id) => {
                    let id = usize::from(id);
                    of_id.resize(of_id.len().max(id + 1), Vec::new());
                    of_id[id].push(takes[channel]);
                }
            }
        }
        of_id.retain(|list| !list.is_empty());
        if of_id.is_empty() {
            of_id.push(Vec::new());
        }
        for packets in of_id {
            let all: Vec<Lit> = circuits.iter().chain(&packets).copied().collect();
            self.solver.at_most_if(self.narrow[channel], width, &all);
        }
    }

    /// A solution without rings under some assumptions.
    fn solve(&mut self, assumptions: &[Lit], mut conflicts: u64) -> SearchResult {
        for _ in 0..MAX_ROUNDS {
            let before = self.solver.conflicts;
            match self.solver.solve(assumptions, conflicts) {
                Answer::Impossible(core) => return SearchResult::Core(core),
                Answer::Unknown => return SearchResult::Nothing,
                Answer::Solved => {}
            }
            match self.trees(assumptions) {
                Ok(trees) => return SearchResult::ChannelTrees(trees),
                Err(clauses) => clauses.into_iter().for_each(|c| self.solver.clause(c)),
            }
            conflicts = conflicts
                .saturating_sub(self.solver.conflicts - before)
                .max(1);
        }
        SearchResult::Nothing
    }

    /// The trees of the solver's solution, or clauses against its rings.
    fn trees(&self, assumptions: &[Lit]) -> Result<Vec<ChannelTree>, Vec<Vec<Lit>>> {
        let assumed: FxHashSet<Lit> = assumptions.iter().copied().collect();
        let mut trees = Vec::new();
        let mut clauses = Vec::new();
        for (net, branches) in self.ends.iter().enumerate() {
            if !assumed.contains(&self.wanted[net]) {
                continue;
            }
            for ends in branches {
                match self.tree(net, ends) {
                    Ok(tree) => trees.push(tree),
                    Err(clause) => clauses.push(clause),
                }
            }
        }
        if clauses.is_empty() {
            Ok(trees)
        } else {
            Err(clauses)
        }
    }

    /// The channels that a source reaches, nearest first; or a clause of channels one of which must
    /// lead further.
    fn tree(&self, net: usize, ends: &BranchChannels) -> Result<ChannelTree, Vec<Lit>> {
        let takes = &self.takes[net];
        let mut place = vec![None; takes.len()];
        let mut reached: Vec<(u32, Option<usize>)> = Vec::new();
        let mut beyond = BTreeSet::new();
        let mut at: Option<usize> = None;
        loop {
            let after = match at {
                None => &ends.first,
                Some(at) => &self.channels.next[reached[at].0 as usize],
            };
            for channel in after {
                let known: &mut Option<usize> = &mut place[*channel as usize];
                if !self.solver.holds(takes[*channel as usize]) {
                    beyond.insert(*channel);
                } else if known.is_none() {
                    *known = Some(reached.len());
                    reached.push((*channel, at));
                }
            }
            let next = at.map_or(0, |at| at + 1);
            if next == reached.len() {
                break;
            }
            at = Some(next);
        }
        let mut sinks: Vec<(Node, Option<usize>)> =
            ends.direct.iter().map(|sink| (*sink, None)).collect();
        for (sink, into) in &ends.sinks {
            match into
                .iter()
                .filter_map(|channel| place[*channel as usize])
                .min()
            {
                Some(at) => sinks.push((*sink, Some(at))),
                None => {
                    let mut clause = vec![!self.wanted[net]];
                    clause.extend(beyond.iter().map(|channel| takes[*channel as usize]));
                    return Err(clause);
                }
            }
        }
        Ok(ChannelTree {
            source: ends.source,
            channels: reached,
            sinks,
        }
        .pruned())
    }

    /// Thins a core out, and says what is left.
    fn prove(&mut self, mut core: Vec<Lit>, choices: usize) -> InfeasibilityProof {
        if core.len() <= MAX_THINNED {
            // Nets first: the fewer flows, the plainer the proof.
            let wanted: FxHashSet<Lit> = self.wanted.iter().copied().collect();
            let (nets, channels): (Vec<Lit>, Vec<Lit>) =
                core.iter().partition(|lit| wanted.contains(lit));
            for lit in nets.into_iter().chain(channels) {
                if !core.contains(&lit) {
                    continue;
                }
                let rest: Vec<Lit> = core.iter().copied().filter(|l| *l != lit).collect();
                if let SearchResult::Core(smaller) = self.solve(&rest, MAX_CONFLICTS_THINNING) {
                    core = smaller;
                }
            }
        }
        let core: FxHashSet<Lit> = core.into_iter().collect();
        let in_core = |list: &[Lit]| -> Vec<usize> {
            (0..list.len())
                .filter(|at| core.contains(&list[*at]))
                .collect()
        };
        let channel = |at: usize| {
            let channel = &self.channels.list[at];
            (channel.from, channel.side, channel.tracks.len())
        };
        let nets = in_core(&self.wanted).into_iter();
        InfeasibilityProof {
            nets: nets.map(|net| net as u32).collect(),
            channels: in_core(&self.narrow).into_iter().map(channel).collect(),
            choices,
        }
    }
}

#[cfg(test)]
mod tests {
    use aiec_device::switch::PortSide;
    use aiec_device::{Bundle, DeviceModel, Port};
    use rustc_hash::FxHashMap;

    use super::super::cuts::{CutShapes, tightest};
    use super::super::occupancy::PortBlock;
    use super::*;

    type Place = (u8, u8, u8);

    fn node(graph: &SwitchGraph, (col, row, channel): Place, side: PortSide) -> Node {
        let port = Port::new(Bundle::Dma, channel);
        graph.node(TileLoc::new(col, row), side, port).unwrap()
    }

    fn nets(graph: &SwitchGraph, flows: &[(Place, &[Place])]) -> Vec<Net> {
        let net = |(source, sinks): &(Place, &[Place])| Net {
            kind: NetKind::Circuit,
            priority: false,
            group: 0,
            branches: vec![Branch {
                source: node(graph, *source, PortSide::Slave),
                sinks: sinks
                    .iter()
                    .map(|sink| node(graph, *sink, PortSide::Master))
                    .collect(),
            }],
        };
        flows.iter().map(net).collect()
    }

    fn verdict(graph: &SwitchGraph, nets: &[Net], closed: &[(Node, PortBlock)]) -> ExactResult {
        let problem = RoutingProblem {
            graph,
            nets,
            closed,
            fixed: &FxHashMap::default(),
            taken: &FxHashMap::default(),
            fixed_streams: &[],
            memory: &super::super::memory::Memory::default(),
            arbiters: super::super::packets::MLIR_AIE_ARBITERS,
        };
        decide(&problem, &[])
    }

    #[test]
    fn finds_a_routing_where_there_is_one() {
        let device = DeviceModel::by_name("npu1").unwrap();
        let graph = SwitchGraph::new(device, 0..4);
        let flows: [(Place, &[Place]); 4] = [
            ((0, 1, 0), &[(0, 2, 0), (2, 4, 1)]),
            ((0, 2, 0), &[(0, 1, 1), (0, 1, 2), (3, 3, 0)]),
            ((0, 2, 1), &[(0, 1, 3), (0, 3, 0)]),
            ((1, 1, 5), &[(1, 1, 0)]),
        ];
        let nets = nets(&graph, &flows);
        let ExactResult::Routed(routes) = verdict(&graph, &nets, &[]) else {
            panic!("not routed");
        };
        let mut driven = BTreeSet::new();
        for (net, route) in nets.iter().zip(&routes) {
            let mut reached = BTreeSet::from([net.branches[0].source]);
            for (slave, master) in &route.links {
                assert!(reached.contains(slave), "links come in order");
                assert!(graph.next(*slave).contains(master) && driven.insert(*master));
                reached.insert(*master);
                reached.extend(graph.next(*master));
            }
            assert!(net.branches[0].sinks.iter().all(|s| reached.contains(s)));
        }
    }

    /// Three tiles in an L with two wires out of it: no rectangle shows that three streams can't
    /// leave.
    #[test]
    fn proves_what_no_rectangle_shows() {
        let device = DeviceModel::by_name("npu1").unwrap();
        let graph = SwitchGraph::new(device, 0..4);
        let inside = |tile: TileLoc| [(1, 3), (1, 4), (2, 3)].contains(&(tile.col, tile.row));
        let leaves = |node: &Node| {
            let info = graph.info(*node);
            info.wired && inside(info.tile) && !inside(info.at)
        };
        let wires: Vec<Node> = (0..graph.len() as Node).filter(leaves).collect();
        // For circuits it is the same whether others are closed out too.
        let closed = wires[2..]
            .iter()
            .enumerate()
            .map(|(at, node)| match at % 2 {
                0 => (*node, PortBlock::ALL),
                _ => (*node, PortBlock::to_packets(1)),
            });
        let closed: Vec<(Node, PortBlock)> = closed.collect();
        let flows: [(Place, &[Place]); 4] = [
            ((1, 3, 0), &[(3, 5, 0)]),
            ((0, 2, 0), &[(1, 4, 0)]),
            ((1, 4, 0), &[(0, 2, 0)]),
            ((2, 3, 0), &[(0, 5, 0), (1, 3, 1)]),
        ];
        let nets = nets(&graph, &flows);
        let blocked: Vec<Node> = closed.iter().map(|(node, _)| *node).collect();
        assert!(tightest(&graph, &nets, &blocked, CutShapes::All).is_none());
        let ExactResult::Impossible(proof) = verdict(&graph, &nets, &closed) else {
            panic!("not proved");
        };
        assert_eq!(proof.nets, [0, 2, 3]);
        let wires: usize = proof.channels.iter().map(|(_, _, wires)| wires).sum();
        assert_eq!(wires, 2, "{:?}", proof.channels);
        let fewer = [nets[0].clone(), nets[1].clone(), nets[2].clone()];
        assert!(matches!(
            verdict(&graph, &fewer, &closed),
            ExactResult::Routed(_)
        ));
    }

    #[test]
    fn gives_up_where_there_are_too_many_choices() {
        let device = DeviceModel::by_name("xcvc1902").unwrap();
        let graph = SwitchGraph::new(device, 0..device.columns());
        let flow: (Place, &[Place]) = ((3, 3, 0), &[(40, 5, 1)]);
        let nets = nets(&graph, &[flow; 80]);
        let ExactResult::Unknown(SearchLimit::Choices(count)) = verdict(&graph, &nets, &[]) else {
            panic!("decided");
        };
        assert!(count > MAX_CHOICES);
    }
}
