//! Barriers that wait for one another.
//!
//! Rounds of barriers are the nodes of a graph; what a job passes later depends on what it passes
//! before, and what a page does depends on all of the page before it. A circle never ends. A
//! round is only known where all jobs of a barrier come to each of its rounds; the others are left
//! out, which loses circles but makes none up.

use std::collections::{BTreeMap, HashMap};

use aiec_diag::Diag;

use super::codes;
use super::local;
use super::remote::Round;
use super::survey::{Event, ProgramIndex};
use crate::finding::Finding;
use crate::program::SourceLoc;

/// Most places of a circle that are shown.
const SHOWN: usize = 6;

pub(super) fn check(
    survey: &ProgramIndex<'_>,
    remote: &[Round<'_, '_>],
    findings: &mut Vec<Finding>,
) {
    let mut graph = Graph::default();
    for round in remote {
        let members = round.iter().map(|arrival| (arrival.group, arrival.event));
        graph.round(members);
    }
    for (group, code) in survey.groups.iter().enumerate() {
        let Some(main) = code.main() else { continue };
        for uses in local::uses(main).values() {
            let mut by_job: BTreeMap<usize, Vec<&Event<'_>>> = BTreeMap::new();
            for (event, _) in uses {
                by_job.entry(event.job).or_default().push(event);
            }
            let participants = uses.first().map_or(0, |(_, n)| usize::from(*n));
            let rounds = by_job.values().next().map_or(0, Vec::len);
            let full = by_job.len() == participants
                && participants > 1
                && by_job.values().all(|events| events.len() == rounds)
                && uses.iter().all(|(_, n)| usize::from(*n) == participants);
            if full {
                for k in 0..rounds {
                    let members = by_job.values().filter_map(|events| events.get(k));
                    graph.round(members.map(|event| (group, *event)));
                }
            }
        }
    }
    if graph.rounds.len() < 2 {
        return;
    }
    for (group, code) in survey.groups.iter().enumerate() {
        if let Some(main) = code.main() {
            let pages = main.jobs.iter().map(|job| {
                let events = main.events.get(job.events.clone()).unwrap_or_default();
                (job.page, events)
            });
            graph.pages(group, pages);
        }
    }
    let Some(circle) = graph.circle() else { return };
    let mut places: Vec<(usize, &Event<'_>)> = circle
        .iter()
        .filter_map(|&node| graph.rounds.get(node).copied().flatten())
        .collect();
    places.sort_by_key(|(_, event)| event.inst.source);
    let Some((&(group, first), rest)) = places.split_first() else {
        return;
    };
    if let Some(main) = survey.groups.get(group).and_then(|g| g.main()) {
        let message = "these barriers wait for one another: each comes before the next somewhere";
        let diag = Diag::error(&codes::BARRIER_ORDER, message)
            .help("let all jobs and controllers come to the barriers in one order");
        let mut finding = main.finding(first, diag);
        for (_, event) in rest.iter().take(SHOWN) {
            finding = finding.with(event.inst.source, "and this one");
        }
        findings.push(finding);
    }
}

/// A place by which an event is distinguished.
type Key = (usize, Option<SourceLoc>, *const ());

fn key(group: usize, event: &Event<'_>) -> Key {
    let inst: *const crate::program::Inst = event.inst;
    (group, event.inst.source, inst.cast())
}

#[derive(Default)]
struct Graph<'s, 'a> {
    /// Nodes: a round with one of its places, or the boundary of a page.
    rounds: Vec<Option<(usize, &'s Event<'a>)>>,
    before: Vec<Vec<usize>>,
    of_event: HashMap<Key, usize>,
}

impl<'s, 'a> Graph<'s, 'a> {
    fn node(&mut self, round: Option<(usize, &'s Event<'a>)>) -> usize {
        self.rounds.push(round);
        self.before.push(Vec::new());
        self.rounds.len() - 1
    }

    fn round(&mut self, members: impl Iterator<Item = (usize, &'s Event<'a>)>) {
        let mut node = None;
        for (group, event) in members {
            let at = *node.get_or_insert_with(|| self.node(Some((group, event))));
            self.of_event.insert(key(group, event), at);
        }
    }

    fn edge(&mut self, from: usize, to: usize) {
        if let Some(before) = self.before.get_mut(to) {
            before.push(from);
        }
    }

    /// The jobs of a controller: each a chain of rounds between the boundaries of its page.
    fn pages<'e>(
        &mut self,
        group: usize,
        jobs: impl Iterator<Item = (Option<usize>, &'e [Event<'a>])>,
    ) where
        'a: 'e,
    {
        let mut chains: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
        for (page, events) in jobs {
            let nodes: Vec<usize> = events
                .iter()
                .filter_map(|event| self.of_event.get(&key(group, event)).copied())
                .collect();
            if let (Some(page), false) = (page, nodes.is_empty()) {
                chains.entry(page).or_default().push(nodes);
            }
        }
        let mut start = self.node(None);
        for chains in chains.values() {
            let end = self.node(None);
            for chain in chains {
                let mut previous = start;
                for &node in chain {
                    self.edge(previous, node);
                    previous = node;
                }
                self.edge(previous, end);
            }
            start = end;
        }
    }

    /// Nodes of a circle, if there is one.
    fn circle(&self) -> Option<Vec<usize>> {
        let count = self.before.len();
        let mut after = vec![Vec::new(); count];
        let mut open: Vec<usize> = self.before.iter().map(Vec::len).collect();
        for (to, before) in self.before.iter().enumerate() {
            for &from in before {
                after[from].push(to);
            }
        }
        let mut ready: Vec<usize> = (0..count).filter(|&n| open[n] == 0).collect();
        while let Some(node) = ready.pop() {
            for &next in &after[node] {
                open[next] -= 1;
                if open[next] == 0 {
                    ready.push(next);
                }
            }
        }
        // each remaining node has a remaining predecessor, so that walking back must reach a
        // cycle
        let mut at = (0..count).find(|&n| open[n] > 0)?;
        let mut seen = vec![false; count];
        while !std::mem::replace(&mut seen[at], true) {
            at = *self.before[at].iter().find(|&&n| open[n] > 0)?;
        }
        let first = at;
        let mut circle = vec![first];
        loop {
            at = *self.before[at].iter().find(|&&n| open[n] > 0)?;
            if at == first {
                return Some(circle);
            }
            circle.push(at);
        }
    }
}
