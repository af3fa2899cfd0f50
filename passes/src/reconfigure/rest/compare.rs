//! From a net at rest to what must be set before the device after it begins.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Module, Op};
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, TileLoc};

use super::channels::Channels;
use super::net::{Agent, Net, Node, Place, State, Until};
use super::turn::{self, Buffers, Standing};
use super::{Agents, Unsure};
use crate::analysis::register_ops::RegOp;
use crate::jobs::graph::ChannelKey;

/// By how many descriptors channels are further than where their device means them to begin.
pub(in crate::reconfigure) type Further = BTreeMap<ChannelKey, usize>;

/// A device that is through with its transfers.
pub(in crate::reconfigure) struct AtRest {
    model: &'static DeviceModel,
    net: Net,
    begun: State,
    /// Tokens of each place at the end.
    tokens: Vec<i64>,
    /// Address and place of each lock.
    locks: Vec<(u32, Place)>,
    /// Places whose tokens aren't known.
    open: BTreeSet<Place>,
    channels: BTreeMap<ChannelKey, Agent>,
    standing: BTreeMap<ChannelKey, Standing>,
    /// Channels that can't go on.
    stuck: BTreeSet<ChannelKey>,
    over: BTreeSet<ChannelKey>,
    flush: BTreeSet<TileLoc>,
}

/// What must be set before a device begins, beside its cores, which start anew in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::reconfigure) struct Rest {
    /// Address and value of each lock to set.
    pub(in crate::reconfigure) locks: Vec<(u32, u32)>,
    /// Channels of core and mem tiles that begin anew. The others go on from where they stand.
    pub(in crate::reconfigure) again: BTreeSet<ChannelKey>,
    /// Channels of shim tiles that are over, though nobody waited for them: what they sent was
    /// taken.
    pub(in crate::reconfigure) over: BTreeSet<ChannelKey>,
    /// Tiles whose switches may hold words.
    pub(in crate::reconfigure) flush: BTreeSet<TileLoc>,
    /// Buffers that lie elsewhere for cores, and where.
    pub(in crate::reconfigure) moved: Vec<(Op, u32)>,
    /// How channels stand when the device begins.
    pub(in crate::reconfigure) further: Further,
}

/// Compares what the configuration starts with how the device ends.
pub(super) fn compare(
    mut agents: Agents,
    all: &Channels,
    waited: &dyn Fn(ChannelKey) -> bool,
    further: &Further,
) -> Result<AtRest, Unsure> {
    // Transfers of the host end; else the controller waits for ever, in any case.
    let endless = |node: &Node| matches!(node, Node::Loop(u64::MAX, _));
    let mut hosts = agents.hosts.values();
    if hosts.any(|agent| agents.net.nodes(*agent).iter().any(endless)) {
        return Err(Unsure::Endless);
    }
    let parts = agents.net.parts();
    let places = agents.bad.iter().chain(agents.net.shared());
    let mut bad: BTreeSet<usize> = places.map(|place| parts.of_place(*place)).collect();
    let ends = loop {
        for agent in 0..agents.net.count() {
            if parts.has(&bad, agent) {
                agents.net.still(agent);
            }
        }
        match ends(&agents, waited)? {
            Ok(ends) => break ends,
            Err(moving) => bad.extend(moving.into_iter().map(|place| parts.of_place(place))),
        }
    };
    let is_bad = |agent: &Agent| parts.has(&bad, *agent);
    let Ends {
        begun,
        ended,
        mut open,
        late,
        sure,
    } = ends;
    let net = &agents.net;
    let over = agents.hosts.iter().filter(|(_, agent)| {
        // One that can't end is polled for: nothing may come behind it.
        ended.over[**agent] && !is_bad(agent) && sure[**agent] >= ended.steps[**agent].len()
    });
    let over = over.map(|(key, _)| *key).collect();
    let (mut flush, in_bad) = (BTreeSet::new(), |place| {
        bad.contains(&parts.of_place(place))
    });
    for (_, tiles) in agents.tiles.iter().filter(|(stream, _)| in_bad(**stream)) {
        flush.extend(tiles);
    }
    open.extend(agents.locks.values().filter(|place| in_bad(**place)));

    let mut standing = BTreeMap::new();
    let mut stuck = BTreeSet::new();
    for (key, agent) in &agents.channels {
        let tasks = all.tasks.get(key).map_or(&[][..], Vec::as_slice);
        let round = turn::round(tasks).unwrap_or_default();
        let before = further.get(key).copied().unwrap_or(0);
        let goes_on = (!is_bad(agent) && !late.contains(agent) && !all.counting.contains(key))
            .then(|| goes_on(net, *agent, (&begun, &ended), round.len()))
            .flatten()
            .map(|more| (before + more) % round.len().max(1))
            .filter(|further| turn::is_even(&round, *further));
        if goes_on.is_none() {
            stuck.insert(*key);
        }
        // What a channel that begins anew uses stays where it is.
        let images = tasks.iter().flat_map(|task| &task.moves);
        let further = goes_on.unwrap_or(0);
        let round = images.map(|one| one.image.clone()).collect();
        standing.insert(*key, Standing { round, further });
    }
    let mut locks = Vec::new();
    for ((tile, id), place) in &agents.locks {
        let what = RegisterRef::LockValue { id: *id };
        let address = agents.model.register_address(*tile, what);
        locks.push((address.ok_or(Unsure::Register)?, *place));
    }
    Ok(AtRest {
        model: agents.model,
        tokens: ended.tokens,
        begun,
        locks,
        open,
        channels: agents.channels,
        standing,
        stuck,
        over,
        flush,
        net: agents.net,
    })
}

/// How a net begins and ends.
struct Ends {
    begun: State,
    ended: State,
    /// Places whose tokens aren't known.
    open: BTreeSet<Place>,
    /// Agents that may still be on their way.
    late: BTreeSet<Agent>,
    /// The steps that each agent has surely done when the controller has all that it waits for.
    sure: Vec<usize>,
}

/// Runs a net; streams in which words are left or may still move if there are any.
fn ends(
    agents: &Agents,
    waited: &dyn Fn(ChannelKey) -> bool,
) -> Result<Result<Ends, Vec<Place>>, Unsure> {
    let net = &agents.net;
    let begun = net.run(Until::Begun).ok_or(Unsure::Endless)?;
    let ended = net.run(Until::Rest).ok_or(Unsure::Endless)?;
    let mut moving: Vec<Place> = net.words_left(&ended).collect();
    let surely = |done: &[Agent]| {
        let mut forced = net.forced(&ended, done);
        for (forced, begun) in forced.iter_mut().zip(&begun.steps) {
            // What happens before the host does anything has long happened.
            *forced = begun.len().max(*forced);
        }
        forced
    };
    let awaited = agents.hosts.iter().filter(|(key, _)| waited(**key));
    let awaited: Vec<Agent> = awaited.map(|(_, agent)| *agent).collect();
    let hosts: Vec<Agent> = agents.hosts.values().copied().collect();
    let forced = surely(&hosts);
    let soon = net.run(Until::Soon(&forced)).ok_or(Unsure::Endless)?;
    let mut open: BTreeSet<Place> = BTreeSet::new();
    let mut late: BTreeSet<Agent> = BTreeSet::new();
    for (agent, steps) in ended.steps.iter().enumerate() {
        let rest = steps.get(soon.steps[agent].len()..).unwrap_or_default();
        let words = rest.iter().filter(|step| net.moves_words(**step));
        moving.extend(words.filter_map(|step| step.place()));
        open.extend(rest.iter().filter_map(|step| step.place()));
        late.extend((!rest.is_empty()).then_some(agent));
    }
    if !moving.is_empty() {
        return Ok(Err(moving));
    }
    Ok(Ok(Ends {
        open,
        late,
        sure: surely(&awaited),
        begun,
        ended,
    }))
}

impl AtRest {
    /// What must be set before a device with the same ways begins, of which `sequence` is done.
    ///
    /// # Errors
    /// A lock would need a value that can't be written.
    pub(in crate::reconfigure) fn before(
        &self,
        module: &Module,
        device: Op,
        sequence: &[RegOp],
    ) -> Result<Rest, Unsure> {
        let buffers = Buffers::of(module, device, self.model, sequence);
        let mut again = self.stuck.clone();
        let (begin, moved) = loop {
            let count = again.len();
            let begin = self.locks_to_begin_with(&mut again);
            let moved = turn::moved(self.model, &buffers, &self.standing, &mut again);
            if again.len() == count {
                break (begin, moved);
            }
        };
        let mut locks = Vec::new();
        for (address, place) in &self.locks {
            let then = begin[*place];
            if self.tokens[*place] != then || self.open.contains(place) {
                locks.push((*address, u32::try_from(then).map_err(|_| Unsure::Register)?));
            }
        }
        let further = self.standing.iter().filter(|(key, _)| !again.contains(key));
        let further = further.map(|(key, standing)| (*key, standing.further));
        Ok(Rest {
            locks,
            over: self.over.clone(),
            flush: self.flush.clone(),
            moved,
            further: further.filter(|(_, further)| *further != 0).collect(),
            again,
        })
    }

    /// The locks' values from which channels that begin anew come to what all channels have come to
    /// by themselves, while the others stand there already. A channel that took what one that begins
    /// anew gave it begins anew too.
    fn locks_to_begin_with(&self, again: &mut BTreeSet<ChannelKey>) -> Vec<i64> {
        loop {
            let mut tokens = self.net.start();
            let steps = |agent: &Agent| self.begun.steps[*agent].iter();
            let kept = self.channels.iter().filter(|(key, _)| !again.contains(key));
            for step in kept.flat_map(|(_, agent)| steps(agent)) {
                step.apply(&mut tokens);
            }
            let kept = self.channels.iter().filter(|(key, _)| !again.contains(key));
            let took_too_much = kept.filter(|(_, agent)| {
                let mut places = steps(agent).filter_map(|step| step.place());
                places.any(|place| tokens[place] < 0)
            });
            let more: Vec<ChannelKey> = took_too_much.map(|(key, _)| *key).collect();
            if more.is_empty() {
                return tokens;
            }
            again.extend(more);
        }
    }
}

/// Whether a channel can go on as if it had just been started: it waits at the same place of its
/// program, or of another descriptor of a round of so many, and had moved no words by itself when it
/// was started. By how many descriptors it is further.
fn goes_on(net: &Net, agent: Agent, ends: (&State, &State), round: usize) -> Option<usize> {
    let (then, now) = (&ends.0.steps[agent], &ends.1.steps[agent]);
    let nodes = net.nodes(agent);
    if net.begun(agent) < nodes.len() {
        // The sequence gave it tasks. If it has none of its own it had nothing to do before, either.
        return (net.begun(agent) == 0 && ends.1.over[agent]).then_some(0);
    }
    if then.iter().any(|step| net.moves_words(*step)) {
        return None;
    }
    if let [Node::Loop(u64::MAX, body)] = nodes
        && round > 0
        && body.len() % round == 0
        && !body.is_empty()
    {
        let steps = body.len() / round;
        let more = now.len().checked_sub(then.len())?;
        return (more % steps == 0).then_some(more / steps % round);
    }
    (phase(nodes, then.len()) == phase(nodes, now.len())).then_some(0)
}

/// Where an agent is after so many steps, within what it repeats.
fn phase(nodes: &[Node], steps: usize) -> usize {
    let mut before = 0;
    for node in nodes {
        match node {
            Node::Step(_) => before += 1,
            Node::Loop(u64::MAX, body) if steps >= before && !body.is_empty() => {
                return before + (steps - before) % body.len();
            }
            Node::Loop(..) => return steps,
        }
    }
    steps
}
