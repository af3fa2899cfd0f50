//! The maximum cycle ratio of a graph of events: the time that a round takes in the long run.
//!
//! An edge says that an event comes at least `delay` after another one of `rounds` rounds before. Around a cycle with delays
//! D and rounds R, R rounds take at least D; the cycle with the greatest D / R is what limits all events that depend on
//! it. It is found by policy iteration (Howard): each event follows one of its edges, the events that are followed in
//! circles have ratios, and edges that promise more are taken until there are none. All numbers are exact.

use std::cmp::Ordering;

/// A dependence of an event on one of the same round or others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatioEdge {
    /// The event that has to come first.
    pub from: usize,
    /// The event that waits for it.
    pub to: usize,
    /// Least time between them, at least 0.
    pub delay: i64,
    /// Rounds by which the first one is earlier; less than 0 if it is of a later round.
    pub rounds: i64,
}

/// A cycle of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalCycle {
    /// Sum of the delays.
    pub delay: i64,
    /// Sum of the rounds, at least 1.
    pub rounds: i64,
    /// Its edges by their number, each from where the one before leads to.
    pub edges: Vec<usize>,
}

/// Changes of policies after which the search is given up: they come down to few quickly.
const MAX_TURNS: usize = 1000;

/// Ratio and relative time of an event under a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EventValue {
    /// Delay and rounds of the cycle that is followed, without common divisor.
    ratio: (i128, i128),
    /// Time after an event of that cycle, times the rounds of the ratio.
    time: i128,
}

impl EventValue {
    /// The value of an event that follows an edge from one of this value.
    fn over(self, edge: &RatioEdge) -> EventValue {
        let (delay, rounds) = self.ratio;
        let time = self.time + i128::from(edge.delay) * rounds - i128::from(edge.rounds) * delay;
        EventValue { time, ..self }
    }

    /// How its ratio compares with another one.
    fn compare_ratio(self, other: EventValue) -> Ordering {
        (self.ratio.0 * other.ratio.1).cmp(&(other.ratio.0 * self.ratio.1))
    }
}

/// Finds the cycle with the greatest ratio of delay to rounds among `events` events. Returns `None` without a cycle, with one without rounds
/// (events that wait for each other without end), or if the search takes too long.
pub fn critical_cycle(events: usize, edges: &[RatioEdge]) -> Option<CriticalCycle> {
    let mut policy = first_policy(events, edges);
    // From here on each event that comes from a cycle follows one that does.
    let mut values: Vec<Option<EventValue>> = vec![None; events];
    for _ in 0..MAX_TURNS {
        let best;
        (values, best) = evaluate(&policy, edges, &values)?;
        // Times are compared under equal ratios only, and once no ratio can become greater: each turn makes ratios or times
        // greater, so that no policy comes twice.
        let has_changed = improve(&mut policy, edges, &values, |over, known| {
            over.compare_ratio(known).is_gt()
        }) || improve(&mut policy, edges, &values, |over, known| {
            over.compare_ratio(known).is_eq() && over.time > known.time
        });
        if !has_changed {
            return best;
        }
    }
    None
}

/// Lets events follow edges over which their value is better; returns whether there are any.
fn improve(
    policy: &mut [Option<usize>],
    edges: &[RatioEdge],
    values: &[Option<EventValue>],
    is_better: impl Fn(EventValue, EventValue) -> bool,
) -> bool {
    let mut wanted = values.to_vec();
    let mut has_changed = false;
    for (number, edge) in edges.iter().enumerate() {
        if let Some(from) = values[edge.from] {
            let over = from.over(edge);
            if wanted[edge.to].is_none_or(|known| is_better(over, known)) {
                wanted[edge.to] = Some(over);
                policy[edge.to] = Some(number);
                has_changed = true;
            }
        }
    }
    has_changed
}

/// The edge with the greatest delay for each event that comes from a cycle, from another such event; none for the others.
fn first_policy(events: usize, edges: &[RatioEdge]) -> Vec<Option<usize>> {
    let mut leading: Vec<Vec<usize>> = vec![Vec::new(); events];
    let mut waits = vec![0usize; events];
    for (number, edge) in edges.iter().enumerate() {
        leading[edge.from].push(number);
        waits[edge.to] += 1;
    }
    // An event that waits for none that comes from a cycle doesn't come from one either.
    let mut free: Vec<usize> = (0..events).filter(|event| waits[*event] == 0).collect();
    while let Some(event) = free.pop() {
        for edge in &leading[event] {
            let to = edges[*edge].to;
            waits[to] -= 1;
            if waits[to] == 0 {
                free.push(to);
            }
        }
    }
    let mut policy: Vec<Option<usize>> = vec![None; events];
    for (number, edge) in edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| waits[edge.from] > 0)
    {
        let known = policy[edge.to].map(|at: usize| edges[at].delay);
        if known.is_none_or(|delay| edge.delay > delay) {
            policy[edge.to] = Some(number);
        }
    }
    policy
}

/// The values of events that come from a cycle, and the cycle with the greatest ratio; `None` if one has no rounds. An event of each
/// cycle keeps the time that it had before under the same ratio, as only so times of events become greater from turn to turn.
fn evaluate(
    policy: &[Option<usize>],
    edges: &[RatioEdge],
    before: &[Option<EventValue>],
) -> Option<(Vec<Option<EventValue>>, Option<CriticalCycle>)> {
    let mut values: Vec<Option<EventValue>> = vec![None; policy.len()];
    let mut best: Option<CriticalCycle> = None;
    // Of each event the walk that came to it.
    let mut walks = vec![usize::MAX; policy.len()];
    let mut path = Vec::new();
    for start in 0..policy.len() {
        path.clear();
        let mut at = start;
        let end = loop {
            if walks[at] != usize::MAX {
                break Some(at);
            }
            walks[at] = start;
            let Some(edge) = policy[at] else { break None };
            path.push(edge);
            at = edges[edge].from;
        };
        if let Some(end) = end
            && walks[end] == start
        {
            let first = path.iter().position(|edge| edges[*edge].to == end)?;
            let cycle = cycle_of(path[first..].iter().rev().copied().collect(), edges)?;
            let ratio = reduced(&cycle);
            let known = before[end].filter(|known| known.ratio == ratio);
            values[end] = Some(known.unwrap_or(EventValue { ratio, time: 0 }));
            if best.as_ref().is_none_or(|best| exceeds(&cycle, best)) {
                best = Some(cycle);
            }
        }
        for edge in path.iter().rev() {
            let edge = &edges[*edge];
            if values[edge.to].is_none() {
                values[edge.to] = values[edge.from].map(|from| from.over(edge));
            }
        }
    }
    Some((values, best))
}

fn cycle_of(numbers: Vec<usize>, edges: &[RatioEdge]) -> Option<CriticalCycle> {
    let of = numbers.iter().map(|number| &edges[*number]);
    let (delay, rounds) = of.fold((0, 0), |(delay, rounds), edge| {
        (delay + edge.delay, rounds + edge.rounds)
    });
    (rounds > 0).then_some(CriticalCycle {
        delay,
        rounds,
        edges: numbers,
    })
}

fn exceeds(cycle: &CriticalCycle, other: &CriticalCycle) -> bool {
    i128::from(cycle.delay) * i128::from(other.rounds)
        > i128::from(other.delay) * i128::from(cycle.rounds)
}

fn reduced(cycle: &CriticalCycle) -> (i128, i128) {
    let (delay, rounds) = (i128::from(cycle.delay), i128::from(cycle.rounds));
    let divisor = greatest_divisor(delay, rounds).max(1);
    (delay / divisor, rounds / divisor)
}

/// The greatest common divisor of two numbers that aren't negative.
pub(super) fn greatest_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from a seed (xorshift).
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }

    /// A graph in which each cycle has rounds: edges without go to greater numbers.
    fn drawn(seed: u64, most: u64) -> (usize, Vec<RatioEdge>) {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let events = 2 + draw.below(most) as usize;
        let count = events + draw.below(2 * most) as usize;
        let edges = (0..count).map(|_| {
            let from = draw.below(events as u64) as usize;
            let to = draw.below(events as u64) as usize;
            let rounds = draw.below(3) as i64 + i64::from(to <= from);
            // Rounds that are counted from elsewhere: cycles keep their sums.
            let rounds = rounds + (from % 3) as i64 - (to % 3) as i64;
            RatioEdge {
                from,
                to,
                delay: draw.below(20) as i64,
                rounds,
            }
        });
        (events, edges.collect())
    }

    /// The greatest ratio of all simple cycles, by walking all of them.
    fn by_trying(events: usize, edges: &[RatioEdge]) -> Option<(i64, i64)> {
        fn walk(
            (start, at): (usize, usize),
            edges: &[RatioEdge],
            on_path: &mut Vec<bool>,
            (delay, rounds): (i64, i64),
            best: &mut Option<(i64, i64)>,
        ) {
            for edge in edges.iter().filter(|edge| edge.from == at) {
                let (delay, rounds) = (delay + edge.delay, rounds + edge.rounds);
                if edge.to == start {
                    if best.is_none_or(|(d, r)| delay * r > d * rounds) {
                        *best = Some((delay, rounds));
                    }
                } else if edge.to > start && !on_path[edge.to] {
                    on_path[edge.to] = true;
                    walk((start, edge.to), edges, on_path, (delay, rounds), best);
                    on_path[edge.to] = false;
                }
            }
        }
        let mut best = None;
        for start in 0..events {
            walk(
                (start, start),
                edges,
                &mut vec![false; events],
                (0, 0),
                &mut best,
            );
        }
        best
    }

    /// Whether times exist with which each event keeps its delays if a round takes `delay / rounds` (Bellman-Ford).
    fn keeps_up(events: usize, edges: &[RatioEdge], (delay, rounds): (i64, i64)) -> bool {
        let mut times = vec![0i128; events];
        for _ in 0..=events {
            let mut has_changed = false;
            for edge in edges {
                let length = i128::from(edge.delay) * i128::from(rounds)
                    - i128::from(edge.rounds) * i128::from(delay);
                let least = times[edge.from] + length;
                if least > times[edge.to] {
                    times[edge.to] = least;
                    has_changed = true;
                }
            }
            if !has_changed {
                return true;
            }
        }
        false
    }

    fn holds(cycle: &CriticalCycle, edges: &[RatioEdge]) {
        for (at, number) in cycle.edges.iter().enumerate() {
            let next = cycle.edges[(at + 1) % cycle.edges.len()];
            assert_eq!(edges[*number].to, edges[next].from);
        }
        let delay: i64 = cycle.edges.iter().map(|edge| edges[*edge].delay).sum();
        let rounds: i64 = cycle.edges.iter().map(|edge| edges[*edge].rounds).sum();
        assert_eq!((delay, rounds), (cycle.delay, cycle.rounds));
    }

    #[test]
    fn small_graphs_have_the_cycle_that_trying_finds() {
        for seed in 0..3000 {
            let (events, edges) = drawn(seed, 7);
            let found = critical_cycle(events, &edges);
            let best = by_trying(events, &edges);
            match (&found, best) {
                (Some(cycle), Some((delay, rounds))) => {
                    holds(cycle, &edges);
                    let ratios = (cycle.delay * rounds, delay * cycle.rounds);
                    assert_eq!(ratios.0, ratios.1, "seed {seed}");
                }
                (None, None) => {}
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }

    /// Circles of the same ratio side by side, which edges join: times after events of different circles can't be compared, and the
    /// search went round in such graphs.
    #[test]
    fn circles_of_one_ratio_end_the_search() {
        for seed in 0..300 {
            let mut draw = Draw(seed * 2 + 1);
            let (circles, length) = (8, 6);
            let mut edges = Vec::new();
            for circle in 0..circles {
                for at in 0..length {
                    edges.push(RatioEdge {
                        from: circle * length + at,
                        to: circle * length + (at + 1) % length,
                        delay: 10,
                        rounds: i64::from(at + 1 == length),
                    });
                }
            }
            let events = circles * length;
            for _ in 0..2 * events {
                edges.push(RatioEdge {
                    from: draw.below(events as u64) as usize,
                    to: draw.below(events as u64) as usize,
                    delay: draw.below(12) as i64,
                    rounds: 1 + draw.below(3) as i64,
                });
            }
            let cycle = critical_cycle(events, &edges).expect("the search ends");
            holds(&cycle, &edges);
            assert!(
                keeps_up(events, &edges, (cycle.delay, cycle.rounds)),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn larger_graphs_keep_up_with_the_ratio_and_not_with_less() {
        for seed in 0..200 {
            let (events, edges) = drawn(seed, 300);
            let Some(cycle) = critical_cycle(events, &edges) else {
                continue;
            };
            holds(&cycle, &edges);
            let (delay, rounds) = (cycle.delay, cycle.rounds);
            assert!(keeps_up(events, &edges, (delay, rounds)), "seed {seed}");
            if delay > 0 {
                let less = (delay * 1000 - 1, rounds * 1000);
                assert!(!keeps_up(events, &edges, less), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_cycle_without_rounds_has_no_ratio() {
        let edge = |from, to| RatioEdge {
            from,
            to,
            delay: 1,
            rounds: 0,
        };
        assert_eq!(critical_cycle(2, &[edge(0, 1), edge(1, 0)]), None);
    }
}
