//! A marked graph of processes and places: how far its processes get, and how far they must have got.
//!
//! Cores and DMA channels are sequential processes. They take tokens from places (locks, streams) and
//! put tokens there; one process only takes from each place. Such a graph has one final marking
//! whatever the order of steps: [`MarkedGraph::run`] finds it. [`MarkedGraph::implied_steps`] finds
//! which steps of all processes must have happened for some processes to have finished: a token is
//! taken after it was given.

use std::collections::{BTreeSet, VecDeque};

use petgraph::unionfind::UnionFind;

/// Number of a place.
pub(super) type PlaceId = usize;

/// Number of a process.
pub(super) type ProcessId = usize;

/// Most steps of a run; a graph that goes on beyond them counts as never quiescent.
const MAX_STEPS: usize = 1 << 18;

/// Steps of a process that count as done at once if none of them takes its time: a few cycles each.
const FEW_STEPS: usize = 8;

/// A step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenStep {
    /// Waits for a number of tokens and takes them.
    Take(PlaceId, i64),
    /// Gives a number of tokens.
    Give(PlaceId, i64),
    /// Does something that takes its time.
    Work,
}

impl TokenStep {
    /// The place that it takes from or gives to.
    pub(super) fn place(self) -> Option<PlaceId> {
        match self {
            TokenStep::Take(place, _) | TokenStep::Give(place, _) => Some(place),
            TokenStep::Work => None,
        }
    }

    /// Applies it to the tokens of places.
    pub(super) fn apply(self, tokens: &mut [i64]) {
        match self {
            TokenStep::Take(place, n) => tokens[place] -= n,
            TokenStep::Give(place, n) => tokens[place] += n,
            TokenStep::Work => {}
        }
    }
}

/// Program of a process.
#[derive(Clone, Debug)]
pub(super) enum ProcessNode {
    /// One step.
    Step(TokenStep),
    /// A body repeated a number of times.
    Loop(u64, Vec<ProcessNode>),
}

/// Processes and places.
#[derive(Default)]
pub(super) struct MarkedGraph {
    /// Tokens of each place at the start.
    tokens: Vec<i64>,
    /// Which places are streams; the others are locks.
    streams: Vec<bool>,
    processes: Vec<Vec<ProcessNode>>,
    /// Number of nodes of each process that happen before anything comes from outside.
    started: Vec<usize>,
    taker: Vec<Option<ProcessId>>,
    /// Places that several processes take from.
    shared: BTreeSet<PlaceId>,
}

/// Connected components of the graph: what happens in one does not affect the others.
pub(super) struct Components {
    of_places: Vec<usize>,
    of_processes: Vec<Option<usize>>,
}

impl Components {
    /// The component of a place.
    pub(super) fn of_place(&self, place: PlaceId) -> usize {
        self.of_places[place]
    }

    /// Whether a process is in one of these components.
    pub(super) fn has(&self, parts: &BTreeSet<usize>, process: ProcessId) -> bool {
        self.of_processes[process].is_some_and(|part| parts.contains(&part))
    }
}

/// End of a run.
#[derive(Clone, Copy)]
pub(super) enum RunUntil<'a> {
    /// The processes that the configuration starts have come to rest; the host has done nothing.
    Started,
    /// Nothing can happen any more.
    Quiescent,
    /// Same as [`RunUntil::Quiescent`], but beyond the given number of steps of each process nothing that takes its time: a few
    /// locks are taken and given, no work is done and no stream moves.
    Soon(&'a [usize]),
}

/// Tokens and steps at the end of a run.
pub(super) struct Marking {
    /// Tokens that are left.
    pub(super) tokens: Vec<i64>,
    /// The steps that each process did.
    pub(super) steps: Vec<Vec<TokenStep>>,
    /// Which processes have done all that they have to.
    pub(super) finished: Vec<bool>,
}

impl MarkedGraph {
    /// A new place.
    pub(super) fn place(&mut self, tokens: i64, stream: bool) -> PlaceId {
        self.tokens.push(tokens);
        self.streams.push(stream);
        self.taker.push(None);
        self.tokens.len() - 1
    }

    /// Adds a process. Its first `started` nodes fire without external tokens.
    pub(super) fn process(&mut self, nodes: Vec<ProcessNode>, started: usize) -> ProcessId {
        let process = self.processes.len();
        for step in steps_in(&nodes) {
            if let TokenStep::Take(place, _) = step
                && *self.taker[place].get_or_insert(process) != process
            {
                self.shared.insert(place);
            }
        }
        self.processes.push(nodes);
        self.started.push(started);
        process
    }

    /// Places that several processes take from: what happens there depends on the order of steps.
    pub(super) fn shared(&self) -> &BTreeSet<PlaceId> {
        &self.shared
    }

    /// Disables a process.
    pub(super) fn disable(&mut self, process: ProcessId) {
        self.processes[process].clear();
        self.started[process] = 0;
    }

    /// The parts of the net.
    pub(super) fn parts(&self) -> Components {
        let mut sets = UnionFind::<usize>::new(self.tokens.len());
        let mut first: Vec<Option<PlaceId>> = Vec::with_capacity(self.processes.len());
        for nodes in &self.processes {
            let mut places = steps_in(nodes).filter_map(TokenStep::place);
            let one = places.next();
            for other in places {
                sets.union(one.unwrap_or(other), other);
            }
            first.push(one);
        }
        let of_processes = first.into_iter();
        Components {
            of_processes: of_processes.map(|place| Some(sets.find(place?))).collect(),
            of_places: sets.into_labeling(),
        }
    }

    /// Number of processes.
    pub(super) fn count(&self) -> usize {
        self.processes.len()
    }

    /// Program of a process.
    pub(super) fn nodes(&self, process: ProcessId) -> &[ProcessNode] {
        &self.processes[process]
    }

    /// Number of nodes of a process that happen before anything comes from outside.
    pub(super) fn started(&self, process: ProcessId) -> usize {
        self.started[process]
    }

    /// Tokens of each place at the start.
    pub(super) fn start(&self) -> Vec<i64> {
        self.tokens.clone()
    }

    /// Whether a step takes words from a stream or gives them to it.
    pub(super) fn moves_words(&self, step: TokenStep) -> bool {
        step.place().is_some_and(|place| self.streams[place])
    }

    /// Streams in which words are left.
    pub(super) fn words_left(&self, state: &Marking) -> impl Iterator<Item = PlaceId> {
        let places = state.tokens.iter().zip(&self.streams).enumerate();
        places.filter_map(|(place, (tokens, stream))| (*stream && *tokens != 0).then_some(place))
    }

    /// Runs the processes until nothing can happen; `None` if that takes too long.
    pub(super) fn run(&self, until: RunUntil<'_>) -> Option<Marking> {
        let count = self.processes.len();
        let mut state = Marking {
            tokens: self.tokens.clone(),
            steps: vec![Vec::new(); count],
            finished: vec![false; count],
        };
        let nodes = |process: ProcessId| match until {
            RunUntil::Started => &self.processes[process][..self.started[process]],
            RunUntil::Quiescent | RunUntil::Soon(_) => &self.processes[process][..],
        };
        let mut cursors: Vec<Cursor<'_>> = (0..count).map(|a| Cursor::new(nodes(a))).collect();
        let mut ready: VecDeque<ProcessId> = (0..count).collect();
        let mut left = MAX_STEPS;
        while let Some(process) = ready.pop_front() {
            while let Some(step) = cursors[process].peek() {
                if let RunUntil::Soon(done) = until
                    && let Some(more) = state.steps[process].len().checked_sub(done[process])
                    && (more >= FEW_STEPS || step == TokenStep::Work || self.moves_words(step))
                {
                    break;
                }
                match step {
                    TokenStep::Take(place, n) if state.tokens[place] < n => break,
                    TokenStep::Give(place, _) => {
                        ready.extend(self.taker[place].filter(|a| *a != process));
                    }
                    TokenStep::Take(..) | TokenStep::Work => {}
                }
                step.apply(&mut state.tokens);
                state.steps[process].push(step);
                cursors[process].advance();
                left = left.checked_sub(1)?;
            }
        }
        for (finished, cursor) in state.finished.iter_mut().zip(&cursors) {
            *finished = cursor.peek().is_none();
        }
        Some(state)
    }

    /// Number of steps of a run that each process must have done when some have done all of theirs.
    /// Where several processes give to one place, it is unknown whose tokens were taken, unless all
    /// were.
    pub(super) fn implied_steps(&self, end: &Marking, done: &[ProcessId]) -> Vec<usize> {
        let mut gifts: Vec<Vec<TokensGiven>> = vec![Vec::new(); self.tokens.len()];
        for (process, steps) in end.steps.iter().enumerate() {
            for (at, step) in steps.iter().enumerate() {
                if let TokenStep::Give(place, n) = step {
                    let list = &mut gifts[*place];
                    if list.last().is_none_or(|gifts| gifts.giver != process) {
                        let sums = Vec::new();
                        list.push(TokensGiven {
                            giver: process,
                            sums,
                        });
                    }
                    if let Some(gifts) = list.last_mut() {
                        let sum = gifts.total() + n;
                        gifts.sums.push((at, sum));
                    }
                }
            }
        }
        let mut implied_steps = vec![0; self.processes.len()];
        let mut taken: Vec<i64> = vec![0; self.tokens.len()];
        let mut list: Vec<(ProcessId, usize)> = done
            .iter()
            .map(|process| (*process, end.steps[*process].len()))
            .collect();
        while let Some((process, until)) = list.pop() {
            let from = implied_steps[process];
            if until <= from {
                continue;
            }
            implied_steps[process] = until;
            for step in &end.steps[process][from..until] {
                let TokenStep::Take(place, n) = *step else {
                    continue;
                };
                taken[place] += n;
                let needed = taken[place] - self.tokens[place];
                let givers = &gifts[place];
                let all = givers.iter().map(TokensGiven::total).sum::<i64>();
                for gifts in givers.iter().filter(|_| needed > 0) {
                    let needed = match (givers.len(), needed == all) {
                        (1, _) => needed,
                        (_, true) => gifts.total(),
                        (_, false) => continue,
                    };
                    let at = gifts.sums.partition_point(|(_, sum)| *sum < needed);
                    if let Some((at, sum)) = gifts.sums.get(at) {
                        // A part of the tokens that a step gives doesn't prove that the step is
                        // over.
                        let whole = *sum == needed || !self.streams[place];
                        list.push((gifts.giver, at + usize::from(whole)));
                    }
                }
            }
        }
        implied_steps
    }
}

/// All steps in nodes, each once.
fn steps_in(nodes: &[ProcessNode]) -> impl Iterator<Item = TokenStep> + '_ {
    let mut list: Vec<&ProcessNode> = nodes.iter().collect();
    std::iter::from_fn(move || {
        loop {
            match list.pop()? {
                ProcessNode::Loop(_, body) => list.extend(body),
                ProcessNode::Step(step) => return Some(*step),
            }
        }
    })
}

/// Tokens that a process gives to a place.
#[derive(Clone)]
struct TokensGiven {
    giver: ProcessId,
    /// The place of each step that gives, and how much was given after it.
    sums: Vec<(usize, i64)>,
}

impl TokensGiven {
    fn total(&self) -> i64 {
        self.sums.last().map_or(0, |(_, sum)| *sum)
    }
}

/// A place in what a process does.
struct Cursor<'a> {
    /// Bodies with the next node, and how often they are still to be done.
    stack: Vec<(&'a [ProcessNode], usize, u64)>,
}

impl<'a> Cursor<'a> {
    fn new(nodes: &'a [ProcessNode]) -> Cursor<'a> {
        let mut cursor = Cursor {
            stack: vec![(nodes, 0, 1)],
        };
        cursor.settle();
        cursor
    }

    fn peek(&self) -> Option<TokenStep> {
        let (nodes, at, _) = self.stack.last()?;
        match nodes.get(*at)? {
            ProcessNode::Step(step) => Some(*step),
            ProcessNode::Loop(..) => None,
        }
    }

    fn advance(&mut self) {
        if let Some((_, at, _)) = self.stack.last_mut() {
            *at += 1;
        }
        self.settle();
    }

    /// Goes to the next step: into loops, around them, out of them.
    fn settle(&mut self) {
        while let Some((nodes, at, left)) = self.stack.last_mut() {
            match nodes.get(*at) {
                Some(ProcessNode::Step(_)) => return,
                Some(ProcessNode::Loop(count, body)) => {
                    let (count, body) = (*count, body.as_slice());
                    *at += 1;
                    if count > 0 && !body.is_empty() {
                        self.stack.push((body, 0, count));
                    }
                }
                None if *left > 1 => {
                    *left -= 1;
                    *at = 0;
                }
                None => {
                    self.stack.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host that sends `words`, a channel that takes pieces of four into a buffer, and a core
    /// that empties it.
    fn net(words: i64) -> (MarkedGraph, [ProcessId; 3]) {
        let mut net = MarkedGraph::default();
        let stream = net.place(0, true);
        let (free, full) = (net.place(1, false), net.place(0, false));
        let host = net.process(vec![ProcessNode::Step(TokenStep::Give(stream, words))], 0);
        let step = ProcessNode::Step;
        let cycle = vec![
            step(TokenStep::Take(free, 1)),
            step(TokenStep::Take(stream, 4)),
            step(TokenStep::Give(full, 1)),
        ];
        let channel = net.process(vec![ProcessNode::Loop(u64::MAX, cycle)], 1);
        let cycle = vec![
            step(TokenStep::Take(full, 1)),
            step(TokenStep::Work),
            step(TokenStep::Give(free, 1)),
        ];
        let core = net.process(vec![ProcessNode::Loop(u64::MAX, cycle)], 0);
        (net, [host, channel, core])
    }

    #[test]
    fn a_net_comes_to_rest_where_nothing_can_be_taken() {
        let (net, [_, channel, core]) = net(8);
        let end = net.run(RunUntil::Quiescent).unwrap();
        // The channel has its buffer for a third piece and waits for words.
        assert_eq!(end.tokens, [0, 0, 0]);
        assert_eq!((end.steps[channel].len(), end.steps[core].len()), (7, 6));
        let (net, _) = self::net(10);
        assert_eq!(net.run(RunUntil::Quiescent).unwrap().tokens, [2, 0, 0]);
    }

    #[test]
    fn who_takes_comes_behind_who_gave() {
        let (net, [host, channel, core]) = net(8);
        let end = net.run(RunUntil::Quiescent).unwrap();
        // The host's last step implies nothing about processes after it.
        assert_eq!(net.implied_steps(&end, &[host])[channel], 0);
        // The channel's last step implies that the core gave the buffer back twice.
        let implied_steps = net.implied_steps(&end, &[channel]);
        assert_eq!((implied_steps[host], implied_steps[core]), (1, 6));
    }

    #[test]
    fn two_takers_of_a_place_are_found_and_concern_their_part_only() {
        let (mut net, [_, channel, core]) = net(8);
        let place = net.place(1, false);
        let take = || vec![ProcessNode::Step(TokenStep::Take(place, 1))];
        let takers = [net.process(take(), 0), net.process(take(), 0)];
        assert_eq!(net.shared().iter().collect::<Vec<_>>(), [&place]);
        let parts = net.parts();
        let unproven = BTreeSet::from([parts.of_place(place)]);
        assert!(takers.iter().all(|taker| parts.has(&unproven, *taker)));
        assert!(!parts.has(&unproven, channel) && !parts.has(&unproven, core));
    }

    #[test]
    fn a_net_that_goes_on_has_no_rest() {
        let mut net = MarkedGraph::default();
        let stream = net.place(0, true);
        let give = vec![ProcessNode::Step(TokenStep::Give(stream, 1))];
        net.process(vec![ProcessNode::Loop(u64::MAX, give)], 0);
        assert!(net.run(RunUntil::Quiescent).is_none());
    }

    #[test]
    fn only_channels_begin() {
        let (net, [host, channel, core]) = net(8);
        let started = net.run(RunUntil::Started).unwrap();
        assert_eq!(
            [host, channel, core].map(|process| started.steps[process].len()),
            [0, 1, 0]
        );
        assert_eq!(started.finished, [true, false, true]);
    }

    #[test]
    fn soon_there_is_no_work_and_no_stream_moves() {
        let (net, [_, channel, core]) = net(8);
        let end = net.run(RunUntil::Quiescent).unwrap();
        let steps = |done: [usize; 3]| {
            let soon = net.run(RunUntil::Soon(&done)).unwrap();
            [channel, core].map(|process| soon.steps[process].len())
        };
        // The core has taken the first buffer and works on it; the channel has the second piece.
        assert_eq!(steps([1, 3, 0]), [3, 1]);
        // The work is done: the buffer is given back and taken again.
        assert_eq!(steps([1, 3, 2]), [4, 3]);
        assert_eq!(end.steps[core].len(), 6);
    }

    #[test]
    fn of_several_givers_all_are_sure_if_all_was_taken() {
        let mut net = MarkedGraph::default();
        let place = net.place(0, false);
        let give = || vec![ProcessNode::Step(TokenStep::Give(place, 1))];
        let givers = [net.process(give(), 0), net.process(give(), 0)];
        let one = vec![ProcessNode::Step(TokenStep::Take(place, 1))];
        let taker = net.process(vec![ProcessNode::Loop(2, one)], 0);
        let mut end = net.run(RunUntil::Quiescent).unwrap();
        let implied_steps = net.implied_steps(&end, &[taker]);
        assert_eq!(givers.map(|giver| implied_steps[giver]), [1, 1]);
        end.steps[taker].truncate(1);
        let implied_steps = net.implied_steps(&end, &[taker]);
        assert_eq!(givers.map(|giver| implied_steps[giver]), [0, 0]);
    }
}
