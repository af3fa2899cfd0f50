//! From waits to the chain that explains them.

use std::collections::BTreeMap;

use super::wait_record::WaitRecord;
use crate::array::ActorOrJob;

/// Most waits of a chain in a report.
const MAX_CHAIN: usize = 64;
/// Most jobs from which the walk starts.
const MAX_STARTS: usize = 64;
/// An end of a chain of at least this rank is a certain mistake: it explains more than a cycle.
pub(super) const CERTAIN: u8 = 5;

/// A chain of waits, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WaitChain {
    pub path: Vec<usize>,
    /// Its last wait is for its first.
    pub is_cycle: bool,
    /// Rank of its end as an explanation.
    pub rank: u8,
}

impl WaitChain {
    /// Worth as an explanation: a certain mistake at its end, a cycle, a likely mistake; the
    /// longer of two alike.
    fn worth(&self) -> (bool, bool, u8, usize) {
        let certain = self.rank >= CERTAIN && !self.is_cycle;
        (certain, self.is_cycle, self.rank, self.path.len())
    }
}

/// The chain that explains most, from any waiting job; from the first wait if no job waits.
pub(super) fn explain(
    all: &[WaitRecord],
    index: &BTreeMap<ActorOrJob, usize>,
    rank: &dyn Fn(usize) -> u8,
) -> WaitChain {
    let jobs = (0..all.len()).filter(|&i| !matches!(all[i].who, ActorOrJob::Actor(_)));
    let mut starts: Vec<usize> = jobs.take(MAX_STARTS).collect();
    if starts.is_empty() {
        starts.extend((!all.is_empty()).then_some(0));
    }
    let mut best = WaitChain::default();
    let mut visited = vec![false; all.len()];
    for start in starts {
        if !visited[start] {
            let found = walk(all, index, start, &mut visited, rank);
            if found.worth() > best.worth() {
                best = found;
            }
        }
    }
    best
}

/// Depth-first search over what was not visited: the best of the chains to an end and the cycles.
fn walk(
    all: &[WaitRecord],
    index: &BTreeMap<ActorOrJob, usize>,
    start: usize,
    visited: &mut [bool],
    rank: &dyn Fn(usize) -> u8,
) -> WaitChain {
    let edges = |i: usize| -> Vec<usize> {
        let known = all[i].by.iter().filter_map(|node| index.get(node));
        known.copied().collect()
    };
    let mut best = WaitChain::default();
    let mut offer = |chain: WaitChain| {
        if chain.worth() > best.worth() {
            best = chain;
        }
    };
    let mut path = vec![start];
    let mut stack = vec![edges(start).into_iter()];
    visited[start] = true;
    let mut is_end = true;
    while let Some(top) = stack.last_mut() {
        let Some(next) = top.next() else {
            if is_end {
                offer(WaitChain {
                    path: path.clone(),
                    is_cycle: false,
                    rank: path.last().map_or(0, |&last| rank(last)),
                });
            }
            is_end = false;
            stack.pop();
            path.pop();
            continue;
        };
        if let Some(at) = path.iter().position(|&i| i == next) {
            is_end = false;
            offer(WaitChain {
                path: path[at..].to_vec(),
                is_cycle: true,
                rank: 0,
            });
        } else if !visited[next] && path.len() < MAX_CHAIN {
            visited[next] = true;
            path.push(next);
            stack.push(edges(next).into_iter());
            is_end = true;
        }
    }
    best
}
