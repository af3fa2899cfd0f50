//! The steady state: the rounds of channels and cores as a graph of events, and the cycle that limits it.
//!
//! In the long run a process repeats the steps of its ring. A *round* of the design is a number of rounds of each ring after which all locks and
//! streams have as many units and words as before it. Which events need which is read from the computation of the earliest
//! times ([`EarliestTimes`]): after some rounds each needs the same ones, the same number of rounds before.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cycle_ratio::{CriticalCycle, RatioEdge, critical_cycle, greatest_divisor};
use super::earliest::{EarliestTimes, EventId, Need, NeedCause};
use super::timed::{Tally, TimedDesign};
use crate::route::memory::{ProcessOrigin, ProcessStep, Turns};

/// Events of a round of the design, at most.
const MAX_EVENTS: u64 = 100_000;
/// Numbers of rounds that are computed in turn, until the events of two rounds need the same.
const RECORDED_ROUNDS: [usize; 3] = [6, 24, 96];
/// Steps of a computation for each recorded event.
const STEPS_PER_EVENT: u64 = 8;

/// Processes that go on together, and what a round of them takes.
#[derive(Clone, Debug)]
pub(super) struct SteadyPart {
    /// Rounds of each process's ring in a round, and what it does in that.
    pub processes: Vec<(usize, u64, Tally)>,
    /// The limit; `None` if no cycle of events was found.
    pub critical: Option<CriticalPart>,
}

/// A cycle of events that takes `ticks` for `rounds` rounds.
#[derive(Clone, Debug)]
pub(super) struct CriticalPart {
    pub ticks: i64,
    pub rounds: i64,
    /// The processes in turn, each with the cause of its wait for the one before and its ticks.
    pub links: Vec<(usize, NeedCause, i64)>,
}

/// Rates of processes to one another.
struct Balance {
    /// Rounds of each process as a fraction, and the part that it belongs to.
    rates: Vec<Option<((i128, i128), usize)>>,
    parts: usize,
}

/// Two processes that pass units on, and how many a round of each passes.
struct Coupling {
    processes: [usize; 2],
    units: [u64; 2],
    /// The lock, or the stream and the number of the sink.
    lock: Option<usize>,
    sink: Option<(usize, usize)>,
}

/// The parts of a design that go on together. Locks and streams whose ends pass different numbers of units are taken to delay
/// nothing from then on.
pub(super) fn steady_parts(design: &mut TimedDesign) -> Vec<SteadyPart> {
    let mut rounds: Vec<Option<Tally>> = (0..design.processes.len())
        .map(|process| {
            design
                .round(process)
                .filter(|_| takes_part(design, process))
        })
        .collect();
    let balance = balance(design, &rounds);
    let mut parts = host_rings(design, &mut rounds, &balance);
    for part in &mut parts {
        part.critical = limit(design, part);
    }
    parts
}

/// Processes whose rounds are looked at. What the sequence starts moves words all the time, in the long run.
fn takes_part(design: &TimedDesign, process: usize) -> bool {
    matches!(
        design.processes[process].origin,
        ProcessOrigin::Channel(..) | ProcessOrigin::Core(_)
    )
}

fn couplings(design: &TimedDesign, rounds: &[Option<Tally>]) -> Vec<Coupling> {
    let mut list = Vec::new();
    for (at, lock) in design.locks.iter().enumerate() {
        let (&[taker], &[giver]) = (lock.takers.as_slice(), lock.givers.as_slice()) else {
            continue;
        };
        let units = |tally: &FxHashMap<usize, i64>| {
            u64::try_from(tally.get(&at).copied().unwrap_or(0)).unwrap_or(0)
        };
        if let (true, Some(takes), Some(gives)) = (lock.is_coupled, &rounds[taker], &rounds[giver])
        {
            list.push(Coupling {
                processes: [giver, taker],
                units: [units(&gives.given), units(&takes.taken)],
                lock: Some(at),
                sink: None,
            });
        }
    }
    for (at, stream) in design.streams.iter().enumerate() {
        let receivers = stream.receivers.iter().enumerate();
        let receivers = receivers.filter_map(|(sink, receiver)| Some((sink, (*receiver)?)));
        let mut first: Option<usize> = None;
        for (sink, receiver) in receivers {
            let Some(takes) = &rounds[receiver] else {
                continue;
            };
            let mut couple = |sender: usize, words: u64| {
                list.push(Coupling {
                    processes: [sender, receiver],
                    units: [words, takes.received],
                    lock: None,
                    sink: Some((at, sink)),
                });
            };
            let sender = stream
                .sender
                .and_then(|sender| Some((sender, rounds[sender].as_ref()?)));
            match (sender, first) {
                (Some((sender, sends)), _) => {
                    couple(sender, sends.sent.get(&at).copied().unwrap_or(0));
                }
                // The receivers of what the host sends take the same words.
                (None, Some(other)) if stream.sender.is_some() => {
                    couple(
                        other,
                        rounds[other].as_ref().map_or(0, |other| other.received),
                    );
                }
                _ => {}
            }
            first = first.or(Some(receiver));
        }
    }
    list
}

fn balance(design: &mut TimedDesign, rounds: &[Option<Tally>]) -> Balance {
    let couplings = couplings(design, rounds);
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); design.processes.len()];
    for (number, coupling) in couplings.iter().enumerate() {
        coupling
            .processes
            .iter()
            .for_each(|process| around[*process].push(number));
    }
    let mut balance = Balance {
        rates: vec![None; design.processes.len()],
        parts: 0,
    };
    for (start, round) in rounds.iter().enumerate() {
        if round.is_none() || balance.rates[start].is_some() {
            continue;
        }
        balance.rates[start] = Some(((1, 1), balance.parts));
        let mut list = vec![start];
        while let Some(process) = list.pop() {
            let Some((rate, part)) = balance.rates[process] else {
                continue;
            };
            for coupling in around[process].iter().map(|number| &couplings[*number]) {
                let [from, to] = if coupling.processes[0] == process {
                    [0, 1]
                } else {
                    [1, 0]
                };
                let (given, taken) = (coupling.units[from], coupling.units[to]);
                let wanted = reduced((rate.0 * i128::from(given), rate.1 * i128::from(taken)));
                let other = coupling.processes[to];
                let is_known = balance.rates[other].is_some_and(|known| known.0 == wanted);
                if given > 0 && taken > 0 && (is_known || balance.rates[other].is_none()) {
                    if !is_known {
                        balance.rates[other] = Some((wanted, part));
                        list.push(other);
                    }
                } else if let Some(lock) = coupling.lock {
                    design.locks[lock].is_coupled = false;
                } else if let Some((stream, sink)) = coupling.sink {
                    design.streams[stream].receivers[sink] = None;
                    design.processes[coupling.processes[1]].input = None;
                }
            }
        }
        balance.parts += 1;
    }
    balance
}

fn reduced((a, b): (i128, i128)) -> (i128, i128) {
    let divisor = greatest_divisor(a, b).max(1);
    (a / divisor, b / divisor)
}

/// The parts with whole numbers of rounds, and rings for the channels of the host that one of them has to do with: in the long run they move
/// words all the time.
fn host_rings(
    design: &mut TimedDesign,
    rounds: &mut [Option<Tally>],
    balance: &Balance,
) -> Vec<SteadyPart> {
    let mut multiples = vec![1i128; balance.parts];
    for ((_, divisor), part) in balance.rates.iter().flatten() {
        let known = multiples[*part];
        multiples[*part] = known / greatest_divisor(known, *divisor).max(1) * divisor;
    }
    let mut parts = vec![Vec::new(); balance.parts];
    let mut times = vec![0u64; design.processes.len()];
    for (process, rate) in balance.rates.iter().enumerate() {
        if let Some(((count, divisor), part)) = rate {
            times[process] = u64::try_from(multiples[*part] / divisor * count).unwrap_or(0);
            parts[*part].push(process);
        }
    }
    for process in 0..design.processes.len() {
        let timed = &design.processes[process];
        let ProcessOrigin::HostChannel(..) = timed.origin else {
            continue;
        };
        let mut steps = Vec::new();
        let mut of_parts = FxHashSet::default();
        if let Some((stream, _)) = timed.input
            && let Some(sender) = design.streams[stream].sender
            && let (Some((_, part)), Some(sends)) = (balance.rates[sender], &rounds[sender])
        {
            let words = sends.sent.get(&stream).copied().unwrap_or(0);
            let words = words.saturating_mul(times[sender]);
            steps.push(ProcessStep::Receive { words });
            of_parts.insert(part);
        }
        for (at, stream) in design.streams.iter().enumerate() {
            if stream.sender != Some(process) {
                continue;
            }
            let mut receivers = stream.receivers.iter().flatten();
            let known = receivers.find_map(|receiver| {
                let (_, part) = balance.rates[*receiver]?;
                let words = rounds[*receiver].as_ref()?.received;
                Some((part, words.saturating_mul(times[*receiver])))
            });
            if let Some((part, words)) = known {
                let words = words.saturating_sub(stream.kept_header);
                let stream = Some(at);
                steps.push(ProcessStep::Send { stream, words });
                of_parts.insert(part);
            }
        }
        // Nothing says how fast parts go that only have a channel of the host in common.
        let part = of_parts
            .iter()
            .next()
            .copied()
            .filter(|_| of_parts.len() == 1);
        let Some(part) = part else {
            detach(design, process);
            continue;
        };
        let len = steps.len();
        steps.insert(0, ProcessStep::Loop { times: None, len });
        let timed = &mut design.processes[process];
        timed.waits = vec![0; steps.len()];
        timed.steps = steps;
        timed.host = None;
        timed.ring = Some(0);
        times[process] = 1;
        rounds[process] = design.round(process);
        parts[part].push(process);
    }
    for process in &mut design.processes {
        let ring = process
            .ring
            .filter(|_| process.origin != ProcessOrigin::Sequence);
        if let Some(ProcessStep::Loop { times, .. }) =
            ring.and_then(|ring| process.steps.get_mut(ring))
        {
            *times = None;
        }
    }
    let parts = parts.into_iter().map(|mut processes| {
        processes.sort_unstable();
        let processes = processes
            .into_iter()
            .filter_map(|process| Some((process, times[process], rounds[process].clone()?)));
        SteadyPart {
            processes: processes.collect(),
            critical: None,
        }
    });
    parts.collect()
}

/// Lets nothing wait for a process.
fn detach(design: &mut TimedDesign, process: usize) {
    if let Some((stream, sink)) = design.processes[process].input.take() {
        design.streams[stream].receivers[sink] = None;
    }
    for stream in &mut design.streams {
        if stream.sender == Some(process) {
            stream.sender = None;
            for receiver in stream.receivers.iter_mut().filter_map(Option::take) {
                design.processes[receiver].input = None;
            }
        }
    }
}

/// The cycle that limits a part.
fn limit(design: &mut TimedDesign, part: &SteadyPart) -> Option<CriticalPart> {
    let events = |(_, times, tally): &(usize, u64, Tally)| tally.events.saturating_mul(*times);
    let sum = part.processes.iter().map(events);
    let sum = sum.fold(0u64, u64::saturating_add);
    if sum == 0 || sum > MAX_EVENTS {
        return None;
    }
    for (at, process) in design.processes.iter_mut().enumerate() {
        process.plays = part.processes.iter().any(|(own, ..)| *own == at);
    }
    RECORDED_ROUNDS
        .iter()
        .find_map(|count| limit_after(design, part, *count, sum))
}

/// The same with a number of rounds; `None` if the last two differ.
fn limit_after(
    design: &TimedDesign,
    part: &SteadyPart,
    count: usize,
    events: u64,
) -> Option<CriticalPart> {
    let most = part.processes.iter().map(|(_, times, _)| *times).max()?;
    let most_rounds = usize::try_from(most).ok()?.checked_mul(2 * count)?;
    let mut earliest = EarliestTimes::recorded(design, most_rounds);
    let steps = events
        .saturating_mul(STEPS_PER_EVENT)
        .saturating_mul(2 * count as u64);
    let ranges = |earliest: &EarliestTimes<'_>, round: usize| {
        let of = |(process, times, _): &(usize, u64, Tally)| {
            let times = usize::try_from(*times).ok()?;
            let rounds = earliest.rounds(*process);
            let (from, to) = (rounds.get(round * times)?, rounds.get((round + 1) * times)?);
            Some((*process, *from..*to))
        };
        let all: Option<FxHashMap<usize, Range<usize>>> = part.processes.iter().map(of).collect();
        all
    };
    let mut looked_at = 0u64;
    while looked_at < steps && ranges(&earliest, count).is_none() {
        let run = earliest.run(events);
        if run == 0 {
            break;
        }
        looked_at += run;
    }
    let (before, last) = (ranges(&earliest, count - 1)?, ranges(&earliest, count)?);
    let graph = event_graph(&earliest, part, &last)?;
    let earlier = event_graph(&earliest, part, &before)?;
    if graph.edges != earlier.edges {
        return None;
    }
    let cycle = critical_cycle(graph.events, &graph.edges)?;
    Some(named(&graph, &cycle))
}

/// The events of a round.
struct EventGraph {
    events: usize,
    edges: Vec<RatioEdge>,
    /// By edge.
    causes: Vec<NeedCause>,
    /// The process of each event.
    processes: Vec<usize>,
}

fn event_graph(
    earliest: &EarliestTimes<'_>,
    part: &SteadyPart,
    round: &FxHashMap<usize, Range<usize>>,
) -> Option<EventGraph> {
    let mut graph = EventGraph {
        events: 0,
        edges: Vec::new(),
        causes: Vec::new(),
        processes: Vec::new(),
    };
    let mut first: FxHashMap<usize, usize> = FxHashMap::default();
    for (process, ..) in &part.processes {
        let range = &round[process];
        first.insert(*process, graph.events);
        graph.events += range.len();
        graph.processes.extend(range.clone().map(|_| *process));
    }
    let mut needs = Vec::new();
    for (process, ..) in &part.processes {
        let range = &round[process];
        for number in range.clone() {
            let to = first[process] + number - range.start;
            let event = EventId {
                process: *process as u32,
                number: number as u32,
            };
            strongest(earliest.needs(event), &mut needs);
            for need in &needs {
                let process = need.event.process as usize;
                let of = round.get(&process)?;
                let len = i64::try_from(of.len()).ok().filter(|len| *len > 0)?;
                let place = i64::from(need.event.number) - of.start as i64;
                graph.edges.push(RatioEdge {
                    from: first[&process] + place.rem_euclid(len) as usize,
                    to,
                    delay: need.delay,
                    rounds: -place.div_euclid(len),
                });
                graph.causes.push(need.cause);
            }
        }
    }
    Some(graph)
}

/// Of needs of the same event the one with the greatest delay, in a list that is used again.
fn strongest(needs: &[Need], list: &mut Vec<Need>) {
    list.clear();
    list.extend(needs.iter().filter(|need| need.delay >= 0));
    list.sort_unstable();
    list.reverse();
    list.dedup_by_key(|need| need.event);
    list.reverse();
}

/// The cycle by processes, each with the time of its events in a row, from the one that takes longest on.
fn named(graph: &EventGraph, cycle: &CriticalCycle) -> CriticalPart {
    let mut links: Vec<(usize, NeedCause, i64)> = Vec::new();
    for edge in &cycle.edges {
        let process = graph.processes[graph.edges[*edge].to];
        let delay = graph.edges[*edge].delay;
        match links.last_mut() {
            Some(last) if last.0 == process => last.2 += delay,
            _ => links.push((process, graph.causes[*edge], delay)),
        }
    }
    if links.len() > 1 && links[0].0 == links[links.len() - 1].0 {
        let first = links.remove(0);
        if let Some(last) = links.last_mut() {
            last.2 += first.2;
        }
    }
    let longest = links.iter().enumerate();
    let longest = longest.max_by_key(|(at, link)| (link.2, std::cmp::Reverse(*at)));
    let longest = longest.map_or(0, |(at, _)| at);
    links.rotate_left(longest);
    CriticalPart {
        ticks: cycle.delay,
        rounds: cycle.rounds,
        links,
    }
}
