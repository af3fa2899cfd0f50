//! Nodes of the runtime sequence and their dependencies.

mod host_tasks;

use std::collections::{BTreeSet, VecDeque};

use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DmaDir, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::host::{Access, HostRanges};
use super::{Builder, DepKind, EVERYTHING, Node, NodeKind};
use crate::regops::{RegAction, RegOp};
use aiec_regprog::known_values::{registers_of, words_of};
use aiec_regprog::network::Endpoint;

/// Operations of one component on one controller.
#[derive(Default)]
struct OrderChain {
    last: Option<usize>,
    last_wait: Option<usize>,
    /// The last node that other chains must come after.
    order: Option<(usize, DepKind)>,
    /// Last nodes of other chains that the next operation must come after.
    pending_deps: FxHashMap<ChainKey, (usize, DepKind)>,
    /// The last node of each other chain that this one is known to come after.
    behind: FxHashMap<ChainKey, usize>,
}

/// Component and controller.
type ChainKey = (usize, u32);

/// Known tasks of a channel.
#[derive(Default)]
struct Queue {
    /// The last operation of the sequence.
    last: Option<usize>,
    pushed: u64,
    /// Tasks whose token wasn't awaited yet.
    tokens: VecDeque<u64>,
    /// Number of tasks done after each wait that proves some, both ascending.
    done: Vec<(u64, usize)>,
    /// Components that must not go on before a task is done, once the sequence awaits it: they may let a transfer
    /// go on that meets it.
    awaited_by: Vec<(u64, usize)>,
}

impl Queue {
    /// The wait that proves a task done.
    fn proof(&self, task: u64) -> Option<usize> {
        let at = self.done.partition_point(|(done, _)| *done <= task);
        self.done.get(at).map(|(_, wait)| *wait)
    }
}

/// Known contents and users of a descriptor.
#[derive(Default)]
struct Bd {
    words: Vec<Option<u32>>,
    argument: Option<u32>,
    image: Option<usize>,
    /// Whether a word of it is read when the sequence runs: the image holds an example.
    read: bool,
    /// Tasks that use it as it is now.
    users: Vec<Access>,
}

impl Bd {
    fn write(&mut self, at: u8, word: u32) {
        let at = usize::from(at);
        if self.words.len() <= at {
            // Most descriptors have eight words at most: room for all at once.
            self.words.resize((at + 1).next_multiple_of(8), None);
        }
        self.words[at] = Some(word);
    }
}

/// State of the analysis of a sequence.
#[derive(Default)]
pub(super) struct SequenceState {
    chains: FxHashMap<ChainKey, OrderChain>,
    /// Nodes of other components that later chains of a component must come after.
    pending_by_component: FxHashMap<usize, FxHashMap<ChainKey, (usize, DepKind)>>,
    queues: FxHashMap<ChannelId, Queue>,
    bds: FxHashMap<(TileLoc, u8), Bd>,
    hosts: HostRanges,
    /// Images whose component isn't known yet, because nothing has used them.
    unassigned_images: FxHashMap<(TileLoc, u8), Vec<usize>>,
    /// The last node that everything comes after.
    barrier: Option<usize>,
    /// The last node of the configuration of each controller.
    pub(super) last_of_config: FxHashMap<u32, usize>,
    /// Tiles whose set-up a controller's sequence already comes after.
    seen: FxHashSet<(u32, TileLoc)>,
    /// Pairs of controllers: the first one's sequence comes after the second one's whole configuration.
    after_columns: FxHashSet<(u32, u32)>,
    /// First node of the sequence; each operation is a node.
    start: usize,
}

impl Builder<'_> {
    /// Notes descriptors and tasks of the configuration.
    pub(super) fn bookkeep(&mut self, op: &RegOp) {
        for (_, tile, what, word) in registers_of(self.model, op) {
            match what {
                RegisterRef::BdWord { bd, word: at } => {
                    let state = self.state.bds.entry((tile, bd)).or_default();
                    state.write(at, word);
                }
                RegisterRef::DmaQueue { dir, channel } => {
                    // The push is node 0 for what asks: before everything of the sequence.
                    let chain = self.chain(tile, dir, word);
                    self.push_task(ChannelId::new(tile, dir, channel), word, &chain, 0);
                }
                _ => {}
            }
        }
    }

    /// Adds the operations of a sequence.
    pub(super) fn sequence(&mut self, ops: Vec<RegOp>) {
        self.state.start = self.graph.nodes.len();
        for op in ops {
            let what = self.node_kind(&op);
            match what {
                NodeKind::Image(tile, bd) => self.image(tile, bd, op),
                NodeKind::Channel(channel) => self.on_channel(what, channel, op),
                NodeKind::Wait(channel) => self.on_channel(what, channel, op),
                NodeKind::Fence(tile) => {
                    let component = self.rest_of(tile);
                    let node = self.add(what, tile, component, op);
                    self.fence(node);
                }
                _ => {
                    let tile = self.tile_of(&op);
                    let copy = match op.action {
                        RegAction::Copy { add, to, .. } => Some((to, add)),
                        _ => None,
                    };
                    let node = self.add(what, tile, EVERYTHING, op);
                    self.fence_all(node);
                    if let Some((to, add)) = copy {
                        self.copied(to, add, node);
                    }
                }
            }
        }
    }

    /// Notes a word that is read from the array and written into a descriptor, or a queue: which
    /// descriptor of the tile is run then isn't known.
    fn copied(&mut self, to: u32, word: u32, node: usize) {
        match self.model.register_at(to) {
            Some((tile, RegisterRef::BdWord { bd, .. })) => {
                let state = self.state.bds.entry((tile, bd)).or_default();
                state.read = true;
                if let Some(image) = state.image {
                    self.edge(image, node, DepKind::Image);
                }
            }
            Some((tile, RegisterRef::DmaQueue { dir, channel })) => {
                let channel = ChannelId::new(tile, dir, channel);
                let chain = self.chain(tile, dir, word);
                let task = self.push_task(channel, word, &chain, node);
                let bds = self.state.bds.iter_mut();
                let mut images = Vec::new();
                for (_, state) in bds.filter(|((there, _), _)| *there == tile) {
                    images.extend(state.image);
                    state.users.retain(|user| user.channel != channel);
                    state.users.push(Access {
                        channel,
                        task,
                        push: node,
                    });
                }
                images.sort_unstable();
                for image in images {
                    self.edge(image, node, DepKind::Image);
                }
            }
            _ => {}
        }
    }

    /// Assigns the images that nothing uses to their own tiles.
    pub(super) fn finish_images(&mut self) {
        let unassigned_images = std::mem::take(&mut self.state.unassigned_images);
        // New components are numbered in the order of their tiles.
        for tile in unassigned_images
            .keys()
            .map(|(tile, _)| *tile)
            .collect::<BTreeSet<_>>()
        {
            self.network.component(Endpoint::ShimRest(tile));
        }
        for ((tile, _), nodes) in unassigned_images {
            let component = self.network.component(Endpoint::ShimRest(tile));
            for node in nodes {
                self.graph.nodes[node].component = component;
            }
        }
    }

    fn tile_of(&self, op: &RegOp) -> TileLoc {
        let (tile, _) = op.action.target(self.model);
        if self.model.contains(tile) {
            tile
        } else {
            TileLoc::new(0, 0)
        }
    }

    fn node_kind(&self, op: &RegOp) -> NodeKind {
        if let RegAction::Wait { channel, .. } = op.action {
            return NodeKind::Wait(channel);
        }
        let (address, words) = match &op.action {
            RegAction::Block { address, words } | RegAction::PatchedBd { address, words, .. } => {
                (*address, words.len())
            }
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Poll { address, .. } => (*address, 1),
            // It reads what another component may write.
            RegAction::Copy { .. }
            | RegAction::Wait { .. }
            | RegAction::Sync { .. }
            | RegAction::Patch { .. }
            | RegAction::Read { .. }
            | RegAction::CreateScratchpad { .. }
            | RegAction::UpdateFromScratchpad { .. }
            | RegAction::Preempt { .. } => return NodeKind::GlobalFence,
        };
        let Some((tile, first)) = self.model.register_at(address) else {
            return NodeKind::GlobalFence;
        };
        let poll = matches!(op.action, RegAction::Poll { .. });
        match first {
            RegisterRef::BdWord { bd, .. } if !poll => {
                // A block that covers several descriptors, or part of one by a mask, isn't an image.
                let last = address + 4 * (words as u32 - 1);
                let end = self.model.register_at(last);
                let one = matches!(end, Some((t, RegisterRef::BdWord { bd: b, .. })) if (t, b) == (tile, bd));
                if one && !matches!(op.action, RegAction::Mask { .. }) {
                    NodeKind::Image(tile, bd)
                } else {
                    NodeKind::GlobalFence
                }
            }
            RegisterRef::DmaQueue { dir, channel } | RegisterRef::DmaCtrl { dir, channel }
                if words == 1 && !poll =>
            {
                NodeKind::Channel(ChannelId::new(tile, dir, channel))
            }
            RegisterRef::DmaStatus { dir, channel } if poll => {
                NodeKind::Channel(ChannelId::new(tile, dir, channel))
            }
            RegisterRef::DataMemory { .. }
            | RegisterRef::ProgramMemory { .. }
            | RegisterRef::LockValue { .. }
            | RegisterRef::CoreControl
            | RegisterRef::CoreStatus
            | RegisterRef::PadValue { .. }
                if tile.row != 0 =>
            {
                NodeKind::Fence(tile)
            }
            _ => NodeKind::GlobalFence,
        }
    }

    /// Component of a tile above the shim row.
    fn rest_of(&mut self, tile: TileLoc) -> usize {
        self.network.component(Endpoint::Tile(tile))
    }

    fn add(&mut self, what: NodeKind, tile: TileLoc, component: usize, op: RegOp) -> usize {
        let home = self.owners.of(tile.col);
        let step = self.graph.nodes.len() - self.state.start;
        let uc = self.owners.of_step(step, tile.col);
        let node = self.node(Node {
            kind: what,
            uc,
            component,
            configures: false,
            hoistable: false,
            ops: vec![op],
        });
        if uc != home
            && self.state.after_columns.insert((uc, home))
            && let Some(last) = self.state.last_of_config.get(&home).copied()
        {
            self.edge(last, node, DepKind::Column);
        }
        node
    }

    /// The chain of a node. A new one must come after what the others of its component have done so far, and
    /// after the last barrier.
    fn order_chain(&mut self, key: ChainKey) -> &mut OrderChain {
        if !self.state.chains.contains_key(&key) {
            let mut lane = OrderChain::default();
            for (other, done) in &self.state.chains {
                if let Some(order) = done.order.filter(|_| other.0 == key.0) {
                    lane.pending_deps.insert(*other, order);
                }
            }
            let pending_by_component = self
                .state
                .pending_by_component
                .get(&key.0)
                .into_iter()
                .flatten();
            lane.pending_deps
                .extend(pending_by_component.map(|(other, debt)| (*other, *debt)));
            if let Some(barrier) = self.state.barrier {
                // A key of its own, which no lane has.
                lane.pending_deps
                    .insert((EVERYTHING, u32::MAX), (barrier, DepKind::Fence));
            }
            self.state.chains.insert(key, lane);
        }
        self.state.chains.entry(key).or_default()
    }

    fn key(&self, node: usize) -> ChainKey {
        let node = &self.graph.nodes[node];
        (node.component, node.uc)
    }

    /// Appends a node to its chain; with `takes_deps`, after the chain's pending dependencies.
    fn append(&mut self, node: usize, takes_deps: bool) {
        let key = self.key(node);
        let lane = self.order_chain(key);
        lane.last = Some(node);
        if !takes_deps {
            return;
        }
        let pending_deps = std::mem::take(&mut lane.pending_deps);
        for (other, (from, why)) in pending_deps {
            self.order_chain(key).behind.insert(other, from);
            self.edge(from, node, why);
        }
    }

    fn on_channel(&mut self, what: NodeKind, channel: ChannelId, op: RegOp) {
        let ChannelId { tile, dir, .. } = channel;
        let part = self.network.part(channel);
        let component = self.network.component(part);
        let mut pushed = None;
        if let RegAction::Write { address, value } = op.action
            && let Some((_, RegisterRef::DmaQueue { .. })) = self.model.register_at(address)
        {
            pushed = Some(value);
        }
        let mut streams = self.streams_of(&op);
        streams.extend(self.network.mem_neighbours(tile));
        let tokens = match op.action {
            RegAction::Wait { tokens, .. } => Some(tokens),
            _ => None,
        };
        let node = self.add(what, tile, component, op);
        let queue = self.state.queues.entry(channel).or_default();
        if let Some(last) = queue.last.replace(node) {
            self.edge(last, node, DepKind::Channel);
        }
        self.append(node, tokens.is_none());
        if let Some(value) = pushed {
            self.depend_on_configuration(node, streams);
            let chain = self.chain(tile, dir, value);
            self.depend_on_images(tile, &chain, node);
            let task = self.push_task(channel, value, &chain, node);
            self.depend_on_host_tasks(channel, &chain, task, node);
        }
        if let Some(tokens) = tokens {
            self.take_tokens(channel, tokens, node);
            let key = self.key(node);
            self.order_chain(key).last_wait = Some(node);
            self.require_after(key, node, DepKind::Wait, false);
            self.let_go_on(channel, node);
        }
    }

    /// Requires all other chains of the component (or all chains) to come after a node.
    fn require_after(&mut self, from: ChainKey, node: usize, why: DepKind, all: bool) {
        self.order_chain(from).order = Some((node, why));
        let lanes = self.state.chains.iter_mut();
        for (key, lane) in lanes {
            if *key != from && (all || key.0 == from.0) {
                lane.pending_deps.insert(from, (node, why));
            }
        }
    }

    /// Orders a node with everything of its component.
    fn fence(&mut self, node: usize) {
        let key = self.key(node);
        self.append(node, true);
        self.barrier_after(node, false);
        self.require_after(key, node, DepKind::Fence, false);
    }

    fn fence_all(&mut self, node: usize) {
        self.append(node, true);
        self.barrier_after(node, true);
        let key = self.key(node);
        self.require_after(key, node, DepKind::Fence, true);
        self.state.barrier = Some(node);
        let configured = self.setups.keys().copied().collect();
        self.depend_on_configuration(node, configured);
    }

    /// Orders a node after the last ones of all other chains, of its component or at all.
    fn barrier_after(&mut self, node: usize, all: bool) {
        let key = self.key(node);
        let lanes = self.state.chains.iter();
        let others: Vec<(ChainKey, usize)> = lanes
            .filter(|(other, _)| **other != key && (all || other.0 == key.0))
            .filter_map(|(other, lane)| Some((*other, lane.last?)))
            .collect();
        for (other, last) in others {
            if self.order_chain(key).behind.insert(other, last) != Some(last) {
                self.edge(last, node, DepKind::Fence);
            }
        }
    }

    /// The first operation on a controller that needs the set-up of another's tile.
    fn depend_on_configuration(&mut self, node: usize, tiles: Vec<TileLoc>) {
        let uc = self.graph.nodes[node].uc;
        for tile in tiles {
            let Some(setup) = self.setups.get(&tile).copied() else {
                continue;
            };
            if self.graph.nodes[setup].uc != uc && self.state.seen.insert((uc, tile)) {
                self.edge(setup, node, DepKind::Stream);
            }
        }
    }

    /// The waits that prove a task done, or all that might: with the push itself.
    fn depend_on_task(&mut self, task: &Access, node: usize, why: DepKind) -> bool {
        let queue = self.state.queues.get(&task.channel);
        if let Some(wait) = queue.and_then(|queue| queue.proof(task.task)) {
            self.edge(wait, node, why);
            return true;
        }
        if task.push >= self.state.start {
            self.edge(task.push, node, why);
        }
        let lanes = self.state.chains.values();
        let waits = lanes.filter_map(|lane| lane.last_wait);
        let waits: Vec<usize> = waits.filter(|wait| *wait > task.push).collect();
        for wait in waits {
            self.edge(wait, node, why);
        }
        false
    }

    fn image(&mut self, tile: TileLoc, bd: u8, op: RegOp) {
        let shim = tile.row == 0;
        let component = if shim { EVERYTHING } else { self.rest_of(tile) };
        let state = self.state.bds.entry((tile, bd)).or_default();
        for (address, word) in words_of(&op) {
            if let Some((_, RegisterRef::BdWord { word: at, .. })) = self.model.register_at(address)
            {
                state.write(at, word);
            }
        }
        let argument = match op.action {
            RegAction::PatchedBd { argument, .. } => Some(argument),
            _ => None,
        };
        let node = self.add(NodeKind::Image(tile, bd), tile, component, op);
        let state = self.state.bds.entry((tile, bd)).or_default();
        let users = std::mem::take(&mut state.users);
        let before = state.image.replace(node);
        state.read = false;
        state.argument = argument;
        // Before its edges are made: they are what keeps it in place.
        self.graph.nodes[node].hoistable = true;
        if shim {
            self.state
                .unassigned_images
                .entry((tile, bd))
                .or_default()
                .push(node);
        }
        let mut proven = true;
        for user in &users {
            proven &= self.depend_on_task(user, node, DepKind::BdReuse);
        }
        if let Some(before) = before {
            self.edge(before, node, DepKind::BdReuse);
        }
        if let Some(barrier) = self.state.barrier {
            self.edge(barrier, node, DepKind::Fence);
        }
        if !shim {
            // It may be part of what a fence of its tile is about.
            let key = self.key(node);
            let last = self.order_chain(key).last;
            if let Some(last) = last {
                self.edge(last, node, DepKind::Fence);
            }
            self.append(node, true);
        }
        self.graph.nodes[node].hoistable = proven && shim;
    }

    /// The descriptors of a task in order, as far as they are known.
    fn chain(&self, tile: TileLoc, dir: DmaDir, value: u32) -> Vec<u8> {
        let kind = self.model.tile_kind(tile);
        let entry = kind.and_then(|k| QueueEntry::unpack(self.model.arch(), k, dir, value));
        let mut chain = Vec::new();
        let mut next = entry.map(|entry| entry.bd);
        while let Some(bd) = next.filter(|bd| !chain.contains(bd)) {
            let descriptor = self.descriptor(tile, bd);
            next = descriptor.and_then(|(layout, words)| layout.next(&words));
            chain.push(bd);
        }
        chain
    }

    /// The words of a descriptor, if all are known.
    fn descriptor(&self, tile: TileLoc, bd: u8) -> Option<(&'static BdLayout, Vec<u32>)> {
        let layout = BdLayout::of(self.model.arch(), self.model.tile_kind(tile)?)?;
        let state = self.state.bds.get(&(tile, bd))?;
        let known = state.words.get(..usize::from(layout.words()))?;
        let mut words = Vec::with_capacity(known.len());
        for word in known {
            words.push((*word)?);
        }
        Some((layout, words))
    }

    fn depend_on_images(&mut self, tile: TileLoc, chain: &[u8], node: usize) {
        let component = self.graph.nodes[node].component;
        for bd in chain {
            let key = (tile, *bd);
            for image in self
                .state
                .unassigned_images
                .remove(&key)
                .unwrap_or_default()
            {
                self.graph.nodes[image].component = component;
            }
            let image = self.state.bds.get(&key).and_then(|state| state.image);
            if let Some(image) = image {
                self.edge(image, node, DepKind::Image);
            }
        }
    }

    /// Notes a task; returns its number.
    fn push_task(&mut self, channel: ChannelId, value: u32, chain: &[u8], node: usize) -> u64 {
        let ChannelId { tile, dir, .. } = channel;
        let kind = self.model.tile_kind(tile);
        let entry = kind.and_then(|k| QueueEntry::unpack(self.model.arch(), k, dir, value));
        let queue = self.state.queues.entry(channel).or_default();
        let task = queue.pushed;
        queue.pushed += 1;
        if entry.is_some_and(|entry| entry.token) {
            queue.tokens.push_back(task);
        }
        for bd in chain {
            let state = self.state.bds.entry((tile, *bd)).or_default();
            // A later task of a channel ends later, so that a wait for it covers the earlier ones.
            state.users.retain(|user| user.channel != channel);
            state.users.push(Access {
                channel,
                task,
                push: node,
            });
        }
        task
    }

    /// Notes that tokens of a channel were awaited.
    fn take_tokens(&mut self, channel: ChannelId, tokens: u8, node: usize) {
        let queue = self.state.queues.entry(channel).or_default();
        for _ in 0..tokens {
            if let Some(task) = queue.tokens.pop_front() {
                queue.done.push((task + 1, node));
            }
        }
    }
}
