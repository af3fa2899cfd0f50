//! Agents that pass tokens: how far they get, and how far they must have got.
//!
//! Cores and DMA channels are sequential. They take from places (locks, streams) and give to them,
//! and nobody else takes from the same place. Such a net has one outcome whatever the order of
//! steps: [`Net::run`] finds it. [`Net::forced`] finds what must have happened for agents to have
//! done what they did: whoever took something came behind the one who gave it.

use std::collections::{BTreeSet, VecDeque};

/// Number of a place.
pub(super) type Place = usize;

/// Number of an agent.
pub(super) type Agent = usize;

/// Most steps of a run: a net that goes on has no rest, or none that is worth looking for.
const MOST_STEPS: usize = 1 << 18;

/// Steps of an agent that count as done at once if none of them takes its time: a few cycles each.
const FEW_STEPS: usize = 8;

/// A step of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Waits for so many tokens and takes them.
    Take(Place, i64),
    /// Gives so many tokens.
    Give(Place, i64),
    /// Does something that takes its time.
    Work,
}

impl Step {
    /// The place that it takes from or gives to.
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Step::Take(place, _) | Step::Give(place, _) => Some(place),
            Step::Work => None,
        }
    }

    /// What it does to the tokens of places.
    pub(super) fn apply(self, tokens: &mut [i64]) {
        match self {
            Step::Take(place, n) => tokens[place] -= n,
            Step::Give(place, n) => tokens[place] += n,
            Step::Work => {}
        }
    }
}

/// What an agent does.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// One step.
    Step(Step),
    /// The same again and again.
    Loop(u64, Vec<Node>),
}

/// Agents and places.
#[derive(Default)]
pub(super) struct Net {
    /// Tokens of each place at the start.
    tokens: Vec<i64>,
    /// Which places are streams; the others are locks.
    streams: Vec<bool>,
    agents: Vec<Vec<Node>>,
    /// How many nodes of each agent happen before anything comes from outside.
    begun: Vec<usize>,
    taker: Vec<Option<Agent>>,
    /// Places that several agents take from.
    shared: BTreeSet<Place>,
}

/// Parts of a net that have no place in common: what happens in one is no matter of the others.
pub(super) struct Parts {
    of_places: Vec<usize>,
    of_agents: Vec<Option<usize>>,
}

impl Parts {
    /// The part of a place.
    pub(super) fn of_place(&self, place: Place) -> usize {
        self.of_places[place]
    }

    /// Whether an agent is in one of these parts.
    pub(super) fn has(&self, parts: &BTreeSet<usize>, agent: Agent) -> bool {
        self.of_agents[agent].is_some_and(|part| parts.contains(&part))
    }
}

/// How far a net runs.
#[derive(Clone, Copy)]
pub(super) enum Until<'a> {
    /// What the configuration starts is done, and nothing else.
    Begun,
    /// Nothing can happen any more.
    Rest,
    /// As [`Until::Rest`], but beyond so many steps of each agent nothing that takes its time: a few
    /// locks are taken and given, no work is done and no stream moves.
    Soon(&'a [usize]),
}

/// Where a net comes to.
pub(super) struct State {
    /// Tokens that are left.
    pub(super) tokens: Vec<i64>,
    /// The steps that each agent did.
    pub(super) steps: Vec<Vec<Step>>,
    /// Which agents have done all that they have to.
    pub(super) over: Vec<bool>,
}

impl Net {
    /// A new place.
    pub(super) fn place(&mut self, tokens: i64, stream: bool) -> Place {
        self.tokens.push(tokens);
        self.streams.push(stream);
        self.taker.push(None);
        self.tokens.len() - 1
    }

    /// A new agent, of whose nodes so many happen before anything comes from outside.
    pub(super) fn agent(&mut self, nodes: Vec<Node>, begun: usize) -> Agent {
        let agent = self.agents.len();
        for step in steps_in(&nodes) {
            if let Step::Take(place, _) = step
                && *self.taker[place].get_or_insert(agent) != agent
            {
                self.shared.insert(place);
            }
        }
        self.agents.push(nodes);
        self.begun.push(begun);
        agent
    }

    /// Places that several agents take from: what happens there depends on the order of steps.
    pub(super) fn shared(&self) -> &BTreeSet<Place> {
        &self.shared
    }

    /// An agent does nothing any more.
    pub(super) fn still(&mut self, agent: Agent) {
        self.agents[agent].clear();
        self.begun[agent] = 0;
    }

    /// The parts of the net.
    pub(super) fn parts(&self) -> Parts {
        let mut parent: Vec<usize> = (0..self.tokens.len()).collect();
        fn root(parent: &mut [usize], mut at: usize) -> usize {
            while parent[at] != at {
                parent[at] = parent[parent[at]];
                at = parent[at];
            }
            at
        }
        let mut first: Vec<Option<Place>> = Vec::with_capacity(self.agents.len());
        for nodes in &self.agents {
            let mut places = steps_in(nodes).filter_map(Step::place);
            let one = places.next();
            for other in places {
                let [a, b] = [one.unwrap_or(other), other].map(|place| root(&mut parent, place));
                parent[a.max(b)] = a.min(b);
            }
            first.push(one);
        }
        let of_agents = first.into_iter();
        Parts {
            of_agents: of_agents
                .map(|place| Some(root(&mut parent, place?)))
                .collect(),
            of_places: (0..parent.len()).map(|at| root(&mut parent, at)).collect(),
        }
    }

    /// How many agents there are.
    pub(super) fn count(&self) -> usize {
        self.agents.len()
    }

    /// What an agent does.
    pub(super) fn nodes(&self, agent: Agent) -> &[Node] {
        &self.agents[agent]
    }

    /// How many nodes of an agent happen before anything comes from outside.
    pub(super) fn begun(&self, agent: Agent) -> usize {
        self.begun[agent]
    }

    /// Tokens of each place at the start.
    pub(super) fn start(&self) -> Vec<i64> {
        self.tokens.clone()
    }

    /// Whether a step takes words from a stream or gives them to it.
    pub(super) fn moves_words(&self, step: Step) -> bool {
        step.place().is_some_and(|place| self.streams[place])
    }

    /// Streams in which words are left.
    pub(super) fn words_left(&self, state: &State) -> impl Iterator<Item = Place> {
        let places = state.tokens.iter().zip(&self.streams).enumerate();
        places.filter_map(|(place, (tokens, stream))| (*stream && *tokens != 0).then_some(place))
    }

    /// Runs the agents until nothing can happen; `None` if that takes too long.
    pub(super) fn run(&self, until: Until<'_>) -> Option<State> {
        let count = self.agents.len();
        let mut state = State {
            tokens: self.tokens.clone(),
            steps: vec![Vec::new(); count],
            over: vec![false; count],
        };
        let nodes = |agent: Agent| match until {
            Until::Begun => &self.agents[agent][..self.begun[agent]],
            Until::Rest | Until::Soon(_) => &self.agents[agent][..],
        };
        let mut cursors: Vec<Cursor<'_>> = (0..count).map(|a| Cursor::new(nodes(a))).collect();
        let mut ready: VecDeque<Agent> = (0..count).collect();
        let mut left = MOST_STEPS;
        while let Some(agent) = ready.pop_front() {
            while let Some(step) = cursors[agent].peek() {
                if let Until::Soon(done) = until
                    && let Some(more) = state.steps[agent].len().checked_sub(done[agent])
                    && (more >= FEW_STEPS || step == Step::Work || self.moves_words(step))
                {
                    break;
                }
                match step {
                    Step::Take(place, n) if state.tokens[place] < n => break,
                    Step::Give(place, _) => {
                        ready.extend(self.taker[place].filter(|a| *a != agent));
                    }
                    Step::Take(..) | Step::Work => {}
                }
                step.apply(&mut state.tokens);
                state.steps[agent].push(step);
                cursors[agent].advance();
                left = left.checked_sub(1)?;
            }
        }
        for (over, cursor) in state.over.iter_mut().zip(&cursors) {
            *over = cursor.peek().is_none();
        }
        Some(state)
    }

    /// How many steps of a run each agent must have done when some have done all of theirs. Where
    /// several agents give to one place, nobody knows whose tokens were taken, unless all were.
    pub(super) fn forced(&self, rest: &State, done: &[Agent]) -> Vec<usize> {
        let mut gifts: Vec<Vec<Gifts>> = vec![Vec::new(); self.tokens.len()];
        for (agent, steps) in rest.steps.iter().enumerate() {
            for (at, step) in steps.iter().enumerate() {
                if let Step::Give(place, n) = step {
                    let list = &mut gifts[*place];
                    if list.last().is_none_or(|gifts| gifts.giver != agent) {
                        let sums = Vec::new();
                        list.push(Gifts { giver: agent, sums });
                    }
                    if let Some(gifts) = list.last_mut() {
                        let sum = gifts.total() + n;
                        gifts.sums.push((at, sum));
                    }
                }
            }
        }
        let mut forced = vec![0; self.agents.len()];
        let mut taken: Vec<i64> = vec![0; self.tokens.len()];
        let mut list: Vec<(Agent, usize)> = done
            .iter()
            .map(|agent| (*agent, rest.steps[*agent].len()))
            .collect();
        while let Some((agent, until)) = list.pop() {
            let from = forced[agent];
            if until <= from {
                continue;
            }
            forced[agent] = until;
            for step in &rest.steps[agent][from..until] {
                let Step::Take(place, n) = *step else {
                    continue;
                };
                taken[place] += n;
                let needed = taken[place] - self.tokens[place];
                let givers = &gifts[place];
                let all = givers.iter().map(Gifts::total).sum::<i64>();
                for gifts in givers.iter().filter(|_| needed > 0) {
                    let needed = match (givers.len(), needed == all) {
                        (1, _) => needed,
                        (_, true) => gifts.total(),
                        (_, false) => continue,
                    };
                    let at = gifts.sums.partition_point(|(_, sum)| *sum < needed);
                    if let Some((at, sum)) = gifts.sums.get(at) {
                        // A part of what a step gives doesn't say that the step is over.
                        let whole = *sum == needed || !self.streams[place];
                        list.push((gifts.giver, at + usize::from(whole)));
                    }
                }
            }
        }
        forced
    }
}

/// All steps in nodes, each once.
fn steps_in(nodes: &[Node]) -> impl Iterator<Item = Step> + '_ {
    let mut list: Vec<&Node> = nodes.iter().collect();
    std::iter::from_fn(move || {
        loop {
            match list.pop()? {
                Node::Loop(_, body) => list.extend(body),
                Node::Step(step) => return Some(*step),
            }
        }
    })
}

/// What an agent gives to a place.
#[derive(Clone)]
struct Gifts {
    giver: Agent,
    /// The place of each step that gives, and how much was given behind it.
    sums: Vec<(usize, i64)>,
}

impl Gifts {
    fn total(&self) -> i64 {
        self.sums.last().map_or(0, |(_, sum)| *sum)
    }
}

/// A place in what an agent does.
struct Cursor<'a> {
    /// Bodies with the next node, and how often they are still to be done.
    stack: Vec<(&'a [Node], usize, u64)>,
}

impl<'a> Cursor<'a> {
    fn new(nodes: &'a [Node]) -> Cursor<'a> {
        let mut cursor = Cursor {
            stack: vec![(nodes, 0, 1)],
        };
        cursor.settle();
        cursor
    }

    fn peek(&self) -> Option<Step> {
        let (nodes, at, _) = self.stack.last()?;
        match nodes.get(*at)? {
            Node::Step(step) => Some(*step),
            Node::Loop(..) => None,
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
                Some(Node::Step(_)) => return,
                Some(Node::Loop(count, body)) => {
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
    fn net(words: i64) -> (Net, [Agent; 3]) {
        let mut net = Net::default();
        let stream = net.place(0, true);
        let (free, full) = (net.place(1, false), net.place(0, false));
        let host = net.agent(vec![Node::Step(Step::Give(stream, words))], 0);
        let step = Node::Step;
        let round = vec![
            step(Step::Take(free, 1)),
            step(Step::Take(stream, 4)),
            step(Step::Give(full, 1)),
        ];
        let channel = net.agent(vec![Node::Loop(u64::MAX, round)], 1);
        let round = vec![
            step(Step::Take(full, 1)),
            step(Step::Work),
            step(Step::Give(free, 1)),
        ];
        let core = net.agent(vec![Node::Loop(u64::MAX, round)], 0);
        (net, [host, channel, core])
    }

    #[test]
    fn a_net_comes_to_rest_where_nothing_can_be_taken() {
        let (net, [_, channel, core]) = net(8);
        let rest = net.run(Until::Rest).unwrap();
        // The channel has its buffer for a third piece and waits for words.
        assert_eq!(rest.tokens, [0, 0, 0]);
        assert_eq!((rest.steps[channel].len(), rest.steps[core].len()), (7, 6));
        let (net, _) = self::net(10);
        assert_eq!(net.run(Until::Rest).unwrap().tokens, [2, 0, 0]);
    }

    #[test]
    fn who_takes_comes_behind_who_gave() {
        let (net, [host, channel, core]) = net(8);
        let rest = net.run(Until::Rest).unwrap();
        // That the host has sent all says nothing of those behind it.
        assert_eq!(net.forced(&rest, &[host])[channel], 0);
        // That the channel has done all says that the core gave the buffer back twice.
        let forced = net.forced(&rest, &[channel]);
        assert_eq!((forced[host], forced[core]), (1, 6));
    }

    #[test]
    fn two_takers_of_a_place_are_found_and_concern_their_part_only() {
        let (mut net, [_, channel, core]) = net(8);
        let place = net.place(1, false);
        let take = || vec![Node::Step(Step::Take(place, 1))];
        let takers = [net.agent(take(), 0), net.agent(take(), 0)];
        assert_eq!(net.shared().iter().collect::<Vec<_>>(), [&place]);
        let parts = net.parts();
        let bad = BTreeSet::from([parts.of_place(place)]);
        assert!(takers.iter().all(|taker| parts.has(&bad, *taker)));
        assert!(!parts.has(&bad, channel) && !parts.has(&bad, core));
    }

    #[test]
    fn a_net_that_goes_on_has_no_rest() {
        let mut net = Net::default();
        let stream = net.place(0, true);
        let give = vec![Node::Step(Step::Give(stream, 1))];
        net.agent(vec![Node::Loop(u64::MAX, give)], 0);
        assert!(net.run(Until::Rest).is_none());
    }

    #[test]
    fn only_channels_begin() {
        let (net, [host, channel, core]) = net(8);
        let begun = net.run(Until::Begun).unwrap();
        assert_eq!(
            [host, channel, core].map(|agent| begun.steps[agent].len()),
            [0, 1, 0]
        );
        assert_eq!(begun.over, [true, false, true]);
    }

    #[test]
    fn soon_there_is_no_work_and_no_stream_moves() {
        let (net, [_, channel, core]) = net(8);
        let rest = net.run(Until::Rest).unwrap();
        let steps = |done: [usize; 3]| {
            let soon = net.run(Until::Soon(&done)).unwrap();
            [channel, core].map(|agent| soon.steps[agent].len())
        };
        // The core has taken the first buffer and works on it; the channel has the second piece.
        assert_eq!(steps([1, 3, 0]), [3, 1]);
        // The work is done: the buffer is given back and taken again.
        assert_eq!(steps([1, 3, 2]), [4, 3]);
        assert_eq!(rest.steps[core].len(), 6);
    }

    #[test]
    fn of_several_givers_all_are_sure_if_all_was_taken() {
        let mut net = Net::default();
        let place = net.place(0, false);
        let give = || vec![Node::Step(Step::Give(place, 1))];
        let givers = [net.agent(give(), 0), net.agent(give(), 0)];
        let one = vec![Node::Step(Step::Take(place, 1))];
        let taker = net.agent(vec![Node::Loop(2, one)], 0);
        let mut rest = net.run(Until::Rest).unwrap();
        let forced = net.forced(&rest, &[taker]);
        assert_eq!(givers.map(|giver| forced[giver]), [1, 1]);
        rest.steps[taker].truncate(1);
        let forced = net.forced(&rest, &[taker]);
        assert_eq!(givers.map(|giver| forced[giver]), [0, 0]);
    }
}
