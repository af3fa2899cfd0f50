//! Where parties must meet so that the order of a graph holds.
//!
//! The nodes of a program are in one order, each belongs to a party, and a party does its nodes in
//! that order. An edge between two parties holds if they meet between its ends. A meeting is a
//! place in the order: each of its parties has done all its nodes before that place and none after
//! it. As a place cuts the program order, no party waits at it for something that only happens
//! later: a program that ends when it is done in order ends with meetings too.
//!
//! [`places`] takes as few as a greedy choice finds: places are as late as the next edge allows,
//! one meeting serves all edges whose parties are connected, and what follows from earlier
//! meetings needs none. [`missing`] checks the result on its own terms.
//!
//! A party that has done nothing before the first place it comes to, and meets only one other
//! there, need not wait: that one launches it ([`launch`]). [`number`] gives the other meetings
//! their barriers.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// A place where parties meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncPoint {
    /// Before this node of the program order.
    pub before: usize,
    /// Who meets, ascending.
    pub parties: Vec<u32>,
    /// Number of the barrier. Two meetings of one number are never pending at once.
    pub id: u8,
    /// Whether it needs no barrier: of its two parties the second begins here, launched by the
    /// first.
    pub launch: bool,
}

/// Edges between two parties that no other edge of theirs implies, both ends ascending.
#[derive(Default)]
struct PartyEdges {
    edges: Vec<(usize, usize)>,
    /// Edges before this one are served.
    served: usize,
}

/// Knowledge of parties about one another.
struct Clocks {
    /// `known[b][a]`: b is after all nodes of a before this place.
    known: FxHashMap<u32, FxHashMap<u32, usize>>,
}

impl Clocks {
    fn knows(&self, b: u32, a: u32) -> usize {
        let of = self.known.get(&b).and_then(|known| known.get(&a));
        of.copied().unwrap_or(0)
    }

    fn meet(&mut self, place: usize, parties: &BTreeSet<u32>) {
        let mut all: FxHashMap<u32, usize> = FxHashMap::default();
        for party in parties {
            for (other, known) in self.known.get(party).into_iter().flatten() {
                let entry = all.entry(*other).or_default();
                *entry = (*known).max(*entry);
            }
        }
        all.extend(parties.iter().map(|party| (*party, place)));
        for party in parties {
            self.known.insert(*party, all.clone());
        }
    }
}

/// The meetings that make the edges hold, in program order, without numbers of barriers.
///
/// `party` is the party of each node, `edges` lead from lower to higher nodes.
pub fn places(party: &dyn Fn(usize) -> u32, edges: &[(usize, usize)]) -> Vec<SyncPoint> {
    let mut order: Vec<(usize, usize)> = edges.to_vec();
    order.retain(|(from, to)| party(*from) != party(*to));
    // By the end; the closest first.
    order.sort_unstable_by_key(|(from, to)| (*to, std::cmp::Reverse(*from)));
    let mut pairs: FxHashMap<(u32, u32), PartyEdges> = FxHashMap::default();
    for (from, to) in &order {
        let key = (party(*from), party(*to));
        let edges = &mut pairs.entry(key).or_default().edges;
        // One that starts later and ends sooner says more.
        if edges.last().is_none_or(|(last, _)| last < from) {
            edges.push((*from, *to));
        }
    }
    let mut clocks = Clocks {
        known: FxHashMap::default(),
    };
    let mut list = Vec::new();
    for (from, to) in &order {
        if clocks.knows(party(*to), party(*from)) > *from {
            continue;
        }
        let first = (party(*from), party(*to));
        let parties = connected(&mut pairs, &clocks, *to, first);
        clocks.meet(*to, &parties);
        list.push(SyncPoint {
            before: *to,
            parties: parties.into_iter().collect(),
            id: 0,
            launch: false,
        });
    }
    prune(party, &order, &mut list);
    list
}

/// Gives meetings that aren't launches their numbers, below `ids`, of which there must be at least
/// two. The last is for meetings of all parties that have begun: where no other is left.
pub fn number(list: &mut [SyncPoint], ids: u8) {
    let barriers = list.iter().filter(|meeting| !meeting.launch);
    let met: BTreeSet<u32> = barriers.flat_map(|m| m.parties.iter().copied()).collect();
    let launched = list.iter().filter(|meeting| meeting.launch);
    let launched: BTreeSet<u32> = launched.filter_map(|m| m.parties.last().copied()).collect();
    let mut begun: BTreeSet<u32> = met.difference(&launched).copied().collect();
    let mut numbers = Numbers::new(ids);
    for meeting in list {
        if let (true, [by, party]) = (meeting.launch, &meeting.parties[..]) {
            numbers.launch(*by, *party);
            begun.extend(met.get(party));
            continue;
        }
        let parties = meeting.parties.iter().copied().collect();
        let (id, parties) = numbers.take(parties, &begun);
        meeting.id = id;
        meeting.parties = parties.into_iter().collect();
    }
}

/// Turns meetings into launches where it can: meetings of two parties that are the first of the one
/// with the higher number, which does nothing before that place. `first` is the first node of each
/// party. If `late`, what it does before that place may also wait until then: where no edge leads
/// from there to another party.
pub fn launch(
    list: &mut [SyncPoint],
    party: &dyn Fn(usize) -> u32,
    edges: &[(usize, usize)],
    first: &FxHashMap<u32, usize>,
    late: bool,
) {
    // The first node of each party that another one comes after.
    let mut needed: FxHashMap<u32, usize> = FxHashMap::default();
    for (from, to) in edges {
        let (a, b) = (party(*from), party(*to));
        if a != b {
            let needed = needed.entry(a).or_insert(*from);
            *needed = (*needed).min(*from);
        }
    }
    let begins = if late { &needed } else { first };
    let begins = |party: u32| begins.get(&party).copied().unwrap_or(usize::MAX);
    let mut met: BTreeSet<u32> = BTreeSet::new();
    for meeting in list {
        if let [_, party] = meeting.parties[..] {
            meeting.launch = !met.contains(&party) && begins(party) >= meeting.before;
        }
        met.extend(&meeting.parties);
    }
}

/// Work that [`prune`] may do, in steps of its check.
const PRUNE_LIMIT: usize = 1 << 22;

/// Takes parties out of meetings, and meetings away, that the edges don't need with the others
/// there.
pub fn prune(party: &dyn Fn(usize) -> u32, edges: &[(usize, usize)], list: &mut Vec<SyncPoint>) {
    let parties: usize = list.iter().map(|m| m.parties.len()).sum();
    if parties.saturating_mul(edges.len() + parties) > PRUNE_LIMIT {
        return;
    }
    for at in 0..list.len() {
        for other in list[at].parties.clone() {
            let all = list[at].parties.clone();
            list[at].parties.retain(|p| *p != other);
            if !missing(party, edges, list).is_empty() {
                list[at].parties = all;
            }
        }
    }
    list.retain(|meeting| meeting.parties.len() > 1);
}

/// All parties that edges across a place connect with two of them.
fn connected(
    pairs: &mut FxHashMap<(u32, u32), PartyEdges>,
    clocks: &Clocks,
    place: usize,
    first: (u32, u32),
) -> BTreeSet<u32> {
    let mut links: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for ((a, b), pair) in pairs.iter_mut() {
        // Edges that end before the place hold already.
        while pair
            .edges
            .get(pair.served)
            .is_some_and(|(_, to)| *to < place)
        {
            pair.served += 1;
        }
        let open = pair.edges[pair.served..]
            .iter()
            .take_while(|(from, _)| *from < place)
            .last();
        if open.is_some_and(|(from, _)| clocks.knows(*b, *a) <= *from) {
            links.entry(*a).or_default().push(*b);
            links.entry(*b).or_default().push(*a);
        }
    }
    let mut parties = BTreeSet::from([first.0, first.1]);
    let mut list = vec![first.0, first.1];
    while let Some(party) = list.pop() {
        for other in links.get(&party).into_iter().flatten() {
            if parties.insert(*other) {
                list.push(*other);
            }
        }
    }
    parties
}

/// Numbers of barriers. A number may be taken again by parties that all know that its last
/// meeting is over.
struct Numbers {
    /// For each number the parties that know of its end; `None` if it was never taken.
    over: Vec<Option<BTreeSet<u32>>>,
}

impl Numbers {
    fn new(ids: u8) -> Numbers {
        Numbers {
            over: vec![None; usize::from(ids.max(2))],
        }
    }

    /// A launched party knows all that its launcher knows.
    fn launch(&mut self, by: u32, party: u32) {
        for over in self.over.iter_mut().flatten() {
            if over.contains(&by) {
                over.insert(party);
            }
        }
    }

    /// A number for a meeting. Where none is left, everyone meets.
    fn take(&mut self, parties: BTreeSet<u32>, everyone: &BTreeSet<u32>) -> (u8, BTreeSet<u32>) {
        let last = self.over.len() - 1;
        let free = self.over[..last].iter().position(|over| {
            over.as_ref()
                .is_none_or(|knowing| parties.is_subset(knowing))
        });
        let (id, parties) = match free {
            Some(id) => (id, parties),
            None => (last, everyone.clone()),
        };
        // Parties of a meeting share their knowledge.
        for over in self.over.iter_mut().flatten() {
            if !over.is_disjoint(&parties) {
                over.extend(&parties);
            }
        }
        self.over[id] = Some(parties.clone());
        (id as u8, parties)
    }
}

/// Edges that don't hold with these meetings: nothing if all is well. A plain simulation of the
/// parties' knowledge, for tests and debug builds.
pub fn missing(
    party: &dyn Fn(usize) -> u32,
    edges: &[(usize, usize)],
    meetings: &[SyncPoint],
) -> Vec<(usize, usize)> {
    let mut clocks = Clocks {
        known: FxHashMap::default(),
    };
    let mut order: Vec<(usize, usize)> = edges.to_vec();
    order.sort_unstable_by_key(|(_, to)| *to);
    let mut next = meetings.iter().peekable();
    let mut list = Vec::new();
    for (from, to) in order {
        while let Some(meeting) = next.next_if(|m| m.before <= to) {
            clocks.meet(meeting.before, &meeting.parties.iter().copied().collect());
        }
        let (a, b) = (party(from), party(to));
        if a != b && clocks.knows(b, a) <= from {
            list.push((from, to));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Party by last digit.
    fn digit(node: usize) -> u32 {
        (node % 10) as u32
    }

    fn meetings(party: &dyn Fn(usize) -> u32, edges: &[(usize, usize)], ids: u8) -> Vec<SyncPoint> {
        let mut list = places(party, edges);
        number(&mut list, ids);
        list
    }

    fn of(edges: &[(usize, usize)]) -> Vec<(usize, Vec<u32>)> {
        let list = meetings(&digit, edges, 8);
        assert_eq!(missing(&digit, edges, &list), []);
        list.into_iter().map(|m| (m.before, m.parties)).collect()
    }

    #[test]
    fn no_edge_no_meeting() {
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[(1, 11), (21, 31)]), []);
    }

    #[test]
    fn one_meeting_serves_many_edges() {
        // Everyone needs its right neighbour's first node.
        let ring: Vec<_> = (0..9).map(|n| (n + 1, 20 + n)).collect();
        assert_eq!(of(&ring), [(20, (0..10).collect())]);
        assert_eq!(
            of(&[(1, 20), (11, 20), (21, 30)]),
            [(20, vec![0, 1]), (30, vec![0, 1])]
        );
        // The second follows from the first.
        assert_eq!(of(&[(11, 20), (1, 30)]), [(20, vec![0, 1])]);
    }

    #[test]
    fn what_is_not_connected_meets_apart() {
        assert_eq!(
            of(&[(1, 20), (3, 22)]),
            [(20, vec![0, 1]), (22, vec![2, 3])]
        );
    }

    #[test]
    fn knowledge_travels() {
        // 2 hears of 0 through 1.
        assert_eq!(
            of(&[(0, 11), (11, 22), (0, 32)]),
            [(11, vec![0, 1]), (22, vec![1, 2])]
        );
    }

    #[test]
    fn numbers_are_taken_again_only_by_those_who_know() {
        let list = meetings(&digit, &[(1, 10), (13, 22), (21, 30), (31, 42)], 8);
        let ids: Vec<_> = list.iter().map(|m| m.id).collect();
        // 2 doesn't know that 0 and 1 have met, nor 1 that 2 and 3 have.
        assert_eq!(ids, [0, 1, 0, 2]);
        let everyone = meetings(&digit, &[(1, 10), (13, 22), (5, 44), (7, 66)], 3);
        assert_eq!(everyone[2].id, 2);
        assert_eq!(everyone[2].parties.len(), 8);
        assert_eq!(everyone[3].id, 0, "all know of the first meeting now");
    }

    /// Who launches whom: places and parties.
    fn launched(
        edges: &[(usize, usize)],
        first: &[(u32, usize)],
        late: bool,
    ) -> Vec<(usize, Vec<u32>)> {
        let mut list = places(&digit, edges);
        let first = first.iter().copied().collect();
        launch(&mut list, &digit, edges, &first, late);
        list.retain(|meeting| meeting.launch);
        list.into_iter().map(|m| (m.before, m.parties)).collect()
    }

    #[test]
    fn who_begins_at_a_place_of_one_other_is_launched_there() {
        let one = vec![(21, vec![0, 1])];
        assert_eq!(launched(&[(10, 21)], &[(0, 0), (1, 21)], false), one);
        // It does something before: launched only if that may wait, and no other party needs it.
        let before = [(0, 0), (1, 1)];
        assert_eq!(launched(&[(10, 21)], &before, false), []);
        assert_eq!(launched(&[(10, 21)], &before, true), one);
        assert_eq!(launched(&[(10, 21), (1, 30)], &before, true), []);
        // It needs two others.
        let both = [(10, 22), (11, 22)];
        assert_eq!(launched(&both, &[(0, 0), (1, 1), (2, 22)], false), []);
    }

    #[test]
    fn who_is_not_launched_yet_meets_nobody() {
        let meeting = |before, parties: &[u32], launch| SyncPoint {
            before,
            parties: parties.to_vec(),
            id: 0,
            launch,
        };
        let mut list = [
            meeting(10, &[0, 1], false),
            meeting(20, &[2, 3], false),
            meeting(35, &[0, 5], true),
            meeting(40, &[2, 5], false),
        ];
        number(&mut list, 2);
        assert_eq!(list[1].parties, [0, 1, 2, 3], "those that have begun");
        assert!(list[3].parties.contains(&5));
    }

    #[test]
    fn a_dropped_meeting_is_missed() {
        let edges = [(1, 10), (10, 32), (32, 41), (3, 54)];
        let list = meetings(&digit, &edges, 8);
        for at in 0..list.len() {
            let mut fewer = list.clone();
            fewer.remove(at);
            assert!(!missing(&digit, &edges, &fewer).is_empty());
        }
    }
}
