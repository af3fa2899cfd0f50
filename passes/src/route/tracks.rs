//! Wires for trees of channels: which track of each channel a circuit takes.
//!
//! Inside a core or shim tile any track leads to any other, so it matters in the columns of mem
//! tiles only, where a stream keeps its track. There it is the colouring of intervals, which succeeds
//! whenever no channel has more streams than wires; hand-written settings may leave gaps, so the
//! solver looks for it.

use super::channels::{ChannelGraph, ChannelTree};
use super::graph::Node;
use super::net::Route;
use super::problem::RoutingProblem;
use super::sat::{Answer, Lit, Solver};

/// The routes of some trees, one for each net; `None` if there are no wires for them, or not
/// found within the limit of conflicts.
pub(super) fn assign(
    problem: &RoutingProblem<'_>,
    channels: &ChannelGraph,
    trees: &[ChannelTree],
    conflicts: u64,
) -> Option<Vec<Route>> {
    let mut solver = Solver::new();
    let graph = problem.graph;
    let joined = |slave: Node, master: Node| graph.next(slave).contains(&master);
    // For each tree and channel of it the literals of its tracks.
    let mut tracks: Vec<Vec<Vec<Lit>>> = Vec::new();
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); channels.list.len()];
    for (t, tree) in trees.iter().enumerate() {
        let mut own: Vec<Vec<Lit>> = Vec::new();
        for (at, (channel, before)) in tree.channels.iter().enumerate() {
            let wires = &channels.list[*channel as usize].tracks;
            let lits: Vec<Lit> = wires.iter().map(|_| solver.variable()).collect();
            solver.clause(lits.iter().copied());
            solver.at_most(1, &lits);
            for (lit, (master, _)) in lits.iter().zip(wires) {
                match before {
                    None if !joined(tree.source, *master) => solver.clause([!*lit]),
                    None => {}
                    Some(before) => {
                        let previous = &channels.list[tree.channels[*before].0 as usize].tracks;
                        for (other, (_, slave)) in own[*before].iter().zip(previous) {
                            if !joined(*slave, *master) {
                                solver.clause([!*lit, !*other]);
                            }
                        }
                    }
                }
            }
            users[*channel as usize].push((t, at));
            own.push(lits);
        }
        for (sink, feeder) in &tree.sinks {
            let Some(feeder) = *feeder else { continue };
            let wires = &channels.list[tree.channels[feeder].0 as usize].tracks;
            for (lit, (_, slave)) in own[feeder].iter().zip(wires) {
                if !joined(*slave, *sink) {
                    solver.clause([!*lit]);
                }
            }
        }
        tracks.push(own);
    }
    for (channel, users) in channels.list.iter().zip(&users) {
        let mut on_track: Vec<Vec<Lit>> = vec![Vec::new(); channel.tracks.len()];
        for (t, at) in users {
            for (list, lit) in on_track.iter_mut().zip(&tracks[*t][*at]) {
                list.push(*lit);
            }
        }
        on_track.iter().for_each(|lits| solver.at_most(1, lits));
    }
    if solver.solve(&[], conflicts) != Answer::Solved {
        return None;
    }
    let wire = |t: usize, at: usize| {
        let list = &channels.list[trees[t].channels[at].0 as usize].tracks;
        let mut pairs = tracks[t][at].iter().zip(list);
        pairs.find(|(lit, _)| solver.holds(**lit)).map(|(_, w)| *w)
    };
    let trees = trees.iter().enumerate();
    trees
        .map(|(t, tree)| route(tree, |at| wire(t, at)))
        .collect()
}

/// The route of a tree whose channels have wires.
fn route(tree: &ChannelTree, wire: impl Fn(usize) -> Option<(Node, Node)>) -> Option<Route> {
    let mut route = Route {
        nodes: vec![tree.source],
        links: Vec::new(),
    };
    let input = |before: Option<usize>| match before {
        None => Some(tree.source),
        Some(at) => wire(at).map(|(_, slave)| slave),
    };
    for (at, (_, before)) in tree.channels.iter().enumerate() {
        let (master, slave) = wire(at)?;
        route.links.push((input(*before)?, master));
        route.nodes.extend([master, slave]);
    }
    for (sink, feeder) in &tree.sinks {
        route.links.push((input(*feeder)?, *sink));
        route.nodes.push(*sink);
    }
    Some(route)
}
