//! Agents that pass tokens: how far they get, and how far they must have got.
//!
//! Cores and DMA channels are sequential. They take from places (locks, streams) and give to them,
//! and nobody else takes from the same place. Such a net has one outcome whatever the order of
//! steps: [`Net::run`] finds it. [`Net::forced`] finds what must have happened for agents to have
//! done what they did: whoever took something came behind the one who gave it.

use std::collections::VecDeque;

/// Number of a place.
pub(super) type Place = usize;

/// Number of an agent.
pub(super) type Agent = usize;

/// Most steps of a run: a net that goes on has no rest, or none that is worth looking for.
const MOST_STEPS: usize = 1 << 18;

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
    pub(super) tokens: Vec<i64>,
    /// Which places are streams.
    pub(super) streams: Vec<bool>,
    pub(super) agents: Vec<Vec<Node>>,
    taker: Vec<Option<Agent>>,
}

/// Where a net comes to rest.
pub(super) struct Rest {
    /// Tokens that are left.
    pub(super) tokens: Vec<i64>,
    /// The steps that each agent did.
    pub(super) steps: Vec<Vec<Step>>,
}

impl Net {
    /// A new place.
    pub(super) fn place(&mut self, tokens: i64, stream: bool) -> Place {
        self.tokens.push(tokens);
        self.streams.push(stream);
        self.taker.push(None);
        self.tokens.len() - 1
    }

    /// A new agent; `None` if it takes from a place that another one takes from.
    pub(super) fn agent(&mut self, nodes: Vec<Node>) -> Option<Agent> {
        let agent = self.agents.len();
        let mut list: Vec<&Node> = nodes.iter().collect();
        while let Some(node) = list.pop() {
            match node {
                Node::Loop(_, body) => list.extend(body),
                Node::Step(Step::Take(place, _)) => {
                    let taker = self.taker.get_mut(*place)?;
                    if *taker.get_or_insert(agent) != agent {
                        return None;
                    }
                }
                Node::Step(_) => {}
            }
        }
        self.agents.push(nodes);
        Some(agent)
    }

    /// Runs the chosen agents until nothing can happen; `None` if that takes too long.
    pub(super) fn run(&self, chosen: &dyn Fn(Agent) -> bool) -> Option<Rest> {
        let mut rest = Rest {
            tokens: self.tokens.clone(),
            steps: vec![Vec::new(); self.agents.len()],
        };
        let mut cursors: Vec<Cursor<'_>> =
            self.agents.iter().map(|nodes| Cursor::new(nodes)).collect();
        let mut ready: VecDeque<Agent> = (0..self.agents.len()).filter(|a| chosen(*a)).collect();
        let mut left = MOST_STEPS;
        while let Some(agent) = ready.pop_front() {
            while let Some(step) = cursors[agent].peek() {
                match step {
                    Step::Take(place, n) if rest.tokens[place] < n => break,
                    Step::Take(place, n) => rest.tokens[place] -= n,
                    Step::Give(place, n) => {
                        rest.tokens[place] += n;
                        if let Some(taker) = self.taker[place].filter(|a| *a != agent && chosen(*a))
                        {
                            ready.push_back(taker);
                        }
                    }
                    Step::Work => {}
                }
                rest.steps[agent].push(step);
                cursors[agent].advance();
                left = left.checked_sub(1)?;
            }
        }
        Some(rest)
    }

    /// How many steps of a run each agent must have done when some have done all of theirs; `None`
    /// where several agents give to one place.
    pub(super) fn forced(&self, rest: &Rest, done: &[Agent]) -> Option<Vec<usize>> {
        // Who gives to a place, and how much it has given after which step.
        let mut given: Vec<Vec<(Agent, usize, i64)>> = vec![Vec::new(); self.tokens.len()];
        for (agent, steps) in rest.steps.iter().enumerate() {
            for (at, step) in steps.iter().enumerate() {
                if let Step::Give(place, n) = step {
                    let list = &mut given[*place];
                    let before = list.last().map_or(0, |(_, _, sum)| *sum);
                    list.push((agent, at, before + n));
                }
            }
        }
        let one = |list: &Vec<(Agent, usize, i64)>| {
            let first = list.first().map(|(agent, _, _)| *agent);
            list.iter().all(|(agent, _, _)| Some(*agent) == first)
        };
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
                if needed <= 0 {
                    continue;
                }
                let givers = &given[place];
                if !one(givers) {
                    return None;
                }
                let at = givers.partition_point(|(_, _, sum)| *sum < needed);
                let (giver, at, sum) = *givers.get(at)?;
                // A part of what a step gives doesn't say that the step is over.
                list.push((
                    giver,
                    at + usize::from(sum == needed || !self.streams[place]),
                ));
            }
        }
        Some(forced)
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
        let host = net
            .agent(vec![Node::Step(Step::Give(stream, words))])
            .unwrap();
        let step = Node::Step;
        let round = vec![
            step(Step::Take(free, 1)),
            step(Step::Take(stream, 4)),
            step(Step::Give(full, 1)),
        ];
        let channel = net.agent(vec![Node::Loop(u64::MAX, round)]).unwrap();
        let round = vec![
            step(Step::Take(full, 1)),
            step(Step::Work),
            step(Step::Give(free, 1)),
        ];
        let core = net.agent(vec![Node::Loop(u64::MAX, round)]).unwrap();
        (net, [host, channel, core])
    }

    #[test]
    fn a_net_comes_to_rest_where_nothing_can_be_taken() {
        let (net, [_, channel, core]) = net(8);
        let rest = net.run(&|_| true).unwrap();
        // The channel has its buffer for a third piece and waits for words.
        assert_eq!(rest.tokens, [0, 0, 0]);
        assert_eq!((rest.steps[channel].len(), rest.steps[core].len()), (7, 6));
        let (net, _) = self::net(10);
        assert_eq!(net.run(&|_| true).unwrap().tokens, [2, 0, 0]);
    }

    #[test]
    fn who_takes_comes_behind_who_gave() {
        let (net, [host, channel, core]) = net(8);
        let rest = net.run(&|_| true).unwrap();
        // That the host has sent all says nothing of those behind it.
        assert_eq!(net.forced(&rest, &[host]).unwrap()[channel], 0);
        // That the channel has done all says that the core gave the buffer back twice.
        let forced = net.forced(&rest, &[channel]).unwrap();
        assert_eq!((forced[host], forced[core]), (1, 6));
    }

    #[test]
    fn two_takers_of_a_place_are_no_net() {
        let mut net = Net::default();
        let place = net.place(1, false);
        let take = || vec![Node::Step(Step::Take(place, 1))];
        assert!(net.agent(take()).is_some());
        assert!(net.agent(take()).is_none());
    }

    #[test]
    fn a_net_that_goes_on_has_no_rest() {
        let mut net = Net::default();
        let stream = net.place(0, true);
        let give = vec![Node::Step(Step::Give(stream, 1))];
        net.agent(vec![Node::Loop(u64::MAX, give)]).unwrap();
        assert!(net.run(&|_| true).is_none());
    }
}
