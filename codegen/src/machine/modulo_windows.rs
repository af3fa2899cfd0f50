//! Search for the modulo schedule of a small loop with little room: each instruction is placed within the bundles that those which
//! have their places leave it, the one with the fewest bundles first; where one has none left, the last choice is
//! taken back.
//!
//! A value of a loop keeps its register until it is read for the last time, and the next one lands there no sooner. So most
//! pairs of instructions are bound from both sides, which a search that places instructions as early as possible, and makes
//! room by moving others, doesn't see until it is too late.

use super::modulo_table::{Edge, Table};

/// Instructions of a loop up to which the search is worth its time.
const MAX_SMALL: usize = 48;
/// Places that are tried.
const MAX_TRIED: usize = 4000;
/// Searches that begin again with what the ones before learned, and places that each of them tries.
const RESTARTS: usize = 8;
const RESTART_TRIED: usize = 1000;
/// No way from one instruction to another.
const NO_WAY: i32 = i32::MIN / 4;

/// The search for one interval.
struct WindowSearch<'a> {
    table: Table<'a>,
    /// The longest way from one node to another: bundles that the latter is after the former at least.
    ways: Vec<Vec<i32>>,
    /// Of each node those that it waits for, and those that wait for it, in its iteration.
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
    /// How often each node had no place left, and 1: one with a greater weight comes before others with as many bundles (Boussemart et
    /// al., "Boosting systematic search by weighting constraints", 2004).
    weights: Vec<i64>,
    /// Whether weights count: they don't in the first search, which learns them.
    is_weighted: bool,
    /// Places that are tried yet.
    budget: usize,
}

/// Wishes for a schedule beyond those of its edges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowWishes {
    /// Most bundles from a result that has landed to its only readers.
    pub slack: Option<i32>,
    /// Most bundles of an iteration.
    pub length: Option<i32>,
}

/// Times and forms of all nodes, if the search finds some.
pub(super) fn by_windows(
    table: Table<'_>,
    edges: &[Edge],
    wishes: WindowWishes,
) -> Option<(Vec<i32>, Vec<u8>)> {
    let count = table.nodes.len();
    if count > MAX_SMALL {
        return None;
    }
    let mut bounds = edges.to_vec();
    if let Some(slack) = wishes.slack {
        bounds.extend(edges.iter().filter_map(|edge| near(edges, *edge, slack)));
    }
    if let Some(length) = wishes.length {
        bounds.extend(within(count as u32, length));
    }
    let ways = ways(count, &bounds, table.interval())?;
    let (mut before, mut after) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for edge in edges.iter().filter(|edge| edge.omega == 0) {
        before[edge.to as usize].push(edge.from);
        after[edge.from as usize].push(edge.to);
    }
    let mut search = WindowSearch {
        table,
        ways,
        before,
        after,
        weights: vec![1; count],
        is_weighted: false,
        budget: MAX_TRIED,
    };
    let mut found = search.place_rest(count);
    for _ in 0..RESTARTS {
        // With budget left all places were tried.
        if found || search.budget > 0 {
            break;
        }
        search.is_weighted = true;
        search.budget = RESTART_TRIED;
        found = search.place_rest(count);
    }
    if !found {
        return None;
    }
    let (times, forms) = search.table.places()?;
    let step = search.table.interval();
    let holds = edges.iter().all(|edge| {
        times[edge.to as usize] + step * edge.omega >= times[edge.from as usize] + edge.distance
    });
    if !holds {
        return None;
    }
    let first = times.iter().copied().min().unwrap_or(0);
    Some((times.iter().map(|time| time - first).collect(), forms))
}

/// The bound that a reader comes soon: of the edge from a result to it, which the next result has to wait for.
fn near(edges: &[Edge], edge: Edge, slack: i32) -> Option<Edge> {
    let is_read = edge.omega == 0 && edge.from != edge.to && edge.distance > 0;
    let mut others = edges.iter();
    let is_kept =
        others.any(|other| (other.from, other.to, other.omega) == (edge.to, edge.from, 1));
    (is_read && is_kept).then_some(Edge {
        from: edge.to,
        to: edge.from,
        distance: -(edge.distance + slack),
        omega: 0,
    })
}

/// The bounds that no node is issued `length` bundles after another or later.
fn within(count: u32, length: i32) -> impl Iterator<Item = Edge> {
    let all = (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
        .map(move |(from, to)| Edge {
            from,
            to,
            distance: 1 - length,
            omega: 0,
        })
}

/// The longest ways between all nodes at an interval; none if a circle doesn't fit it.
fn ways(count: usize, edges: &[Edge], interval: i32) -> Option<Vec<Vec<i32>>> {
    let mut ways = vec![vec![NO_WAY; count]; count];
    for edge in edges {
        let way = &mut ways[edge.from as usize][edge.to as usize];
        *way = (*way).max(edge.distance - interval * edge.omega);
    }
    for through in 0..count {
        let onward = ways[through].clone();
        for way in &mut ways {
            let first = way[through];
            if first == NO_WAY {
                continue;
            }
            for (known, second) in way.iter_mut().zip(&onward) {
                if *second != NO_WAY {
                    *known = (*known).max(first + second);
                }
            }
        }
    }
    let fits = (0..count).all(|node| ways[node][node] <= 0);
    fits.then_some(ways)
}

impl WindowSearch<'_> {
    /// The bundles that a node may be in for the sake of those that have their places, as far as one interval goes.
    fn window(&self, node: usize) -> (i32, i32) {
        let (mut first, mut last) = (None, None);
        for other in 0..self.ways.len() {
            let Some(time) = self.table.time(other as u32) else {
                continue;
            };
            let (there, back) = (self.ways[other][node], self.ways[node][other]);
            if there != NO_WAY {
                first = first.max(Some(time + there));
            }
            if back != NO_WAY {
                let least = last.map_or(i32::MAX, |last: i32| last);
                last = Some(least.min(time - back));
            }
        }
        let span = self.table.interval() - 1;
        match (first, last) {
            (Some(first), Some(last)) => (first, last.min(first + span)),
            (Some(first), None) => (first, first + span),
            (None, Some(last)) => (last - span, last),
            (None, None) => (0, span),
        }
    }

    fn weight(&self, node: usize) -> i64 {
        if self.is_weighted {
            self.weights[node]
        } else {
            1
        }
    }

    /// Places the nodes that have no place yet; `left` are as many.
    fn place_rest(&mut self, left: usize) -> bool {
        if left == 0 {
            return true;
        }
        let open = (0..self.ways.len()).filter(|node| self.table.time(*node as u32).is_none());
        let windows = open.map(|node| (node, self.window(node)));
        // The fewest bundles by weight; the first of those that are equal.
        let bundles = |(first, last): (i32, i32)| i64::from((last - first).max(-1)) + 1;
        let next = windows.reduce(|best, other| {
            let less =
                bundles(other.1) * self.weight(best.0) < bundles(best.1) * self.weight(other.0);
            if less { other } else { best }
        });
        let Some((node, (first, last))) = next else {
            return true;
        };
        let forms = self.table.nodes[node].forms.len() as u8;
        // Near to the readers of its results, if only these have their places.
        let has_place = |nodes: &[u32]| nodes.iter().any(|other| self.table.time(*other).is_some());
        let is_late = has_place(&self.after[node]) && !has_place(&self.before[node]);
        for n in 0..=last - first {
            let at = if is_late { last - n } else { first + n };
            for form in 0..forms {
                if !self.table.is_free(node as u32, form, at) {
                    continue;
                }
                if self.budget == 0 {
                    return false;
                }
                self.budget -= 1;
                self.table.add(node as u32, form, at);
                if self.place_rest(left - 1) {
                    return true;
                }
                self.table.remove(node as u32);
            }
        }
        self.weights[node] += 1;
        false
    }
}
