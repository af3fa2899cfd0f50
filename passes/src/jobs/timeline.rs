//! When the nodes of a dependence graph begin and end, as estimated, and which of them the whole
//! takes as long as: the critical path.
//!
//! Nodes are executed in program order as soon as what they need is there: the controller, the
//! operations of their lane, the ends of their edges, the meetings of their controller. Costs are those of
//! [`super::cost`], tokens come as [`super::estimate`] expects them. Pages and their fetches are left out,
//! and so is what divides them into jobs: the times are for pictures, not for choices.

use aiec_cert::isa::{Op, SymOp};
use aiec_device::{ChannelId, DeviceModel};
use rustc_hash::FxHashMap;

use super::Jobs;
use super::barriers::SyncPoint;
use super::cost::{self, CHAIN, TIMING};
use super::encode::{JobBuilder, in_run, instructions};
use super::estimate::Array;
use super::graph::{Graph, Node};
use super::plan::Plan;
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp};

/// When something begins and ends, in cycles from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSpan {
    /// When it begins.
    pub start: u64,
    /// When it is over.
    pub end: u64,
}

/// The times of a graph.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Of each node.
    pub nodes: Vec<TimeSpan>,
    /// When each meeting is over.
    pub meetings: Vec<u64>,
    /// For each node, the one whose end its own start or end waited for.
    pub waited_for: Vec<Option<usize>>,
    /// The nodes of the critical path, ascending.
    pub critical: Vec<usize>,
}

/// A time, and the node that it is the end of.
type NodeEnd = (u64, Option<usize>);

/// State while nodes are executed.
struct Execution {
    array: Array,
    timeline: Timeline,
    /// When each controller has nothing to execute.
    free: FxHashMap<u32, NodeEnd>,
    /// When all that a controller does, waits included, is over.
    done: FxHashMap<u32, NodeEnd>,
    /// The ends of the lanes of controllers.
    lanes: FxHashMap<(u32, usize), NodeEnd>,
    /// The last push to the channel whose tokens come from there.
    pushed: FxHashMap<ChannelId, usize>,
}

/// Estimates the times of a graph whose controllers meet at some places.
pub fn timeline(
    model: &'static DeviceModel,
    graph: &Graph,
    meetings: &[SyncPoint],
    jobs: Jobs,
) -> Timeline {
    let mut execution = Execution {
        array: Array::new(model),
        timeline: Timeline::default(),
        free: FxHashMap::default(),
        done: FxHashMap::default(),
        lanes: FxHashMap::default(),
        pushed: FxHashMap::default(),
    };
    let mut edges = graph.edges.iter().peekable();
    let mut meetings = meetings.iter().peekable();
    for (at, node) in graph.nodes.iter().enumerate() {
        while let Some(meeting) = meetings.next_if(|meeting| meeting.before <= at) {
            execution.meet(meeting);
        }
        let mut before = Vec::new();
        while let Some(edge) = edges.next_if(|edge| edge.to <= at) {
            before.push(edge.from);
        }
        execution.node(model, at, node, &before, jobs);
    }
    for meeting in meetings {
        execution.meet(meeting);
    }
    let mut timeline = execution.timeline;
    let last = timeline
        .nodes
        .iter()
        .enumerate()
        .max_by_key(|(at, span)| (span.end, usize::MAX - at));
    let mut next = last.map(|(at, _)| at);
    while let Some(at) = next {
        timeline.critical.push(at);
        next = timeline.waited_for[at].filter(|before| *before < at);
    }
    timeline.critical.reverse();
    timeline
}

impl Execution {
    /// All parties of a meeting go on when the last one is there.
    fn meet(&mut self, meeting: &SyncPoint) {
        let ends = meeting.parties.iter().filter_map(|uc| self.done.get(uc));
        let (last, node) = ends.copied().max_by_key(|end| end.0).unwrap_or_default();
        let end = (last + TIMING.remote_barrier, node);
        for uc in &meeting.parties {
            self.free.insert(*uc, end);
            self.done.insert(*uc, end);
        }
        self.timeline.meetings.push(end.0);
    }

    fn node(
        &mut self,
        model: &'static DeviceModel,
        at: usize,
        node: &Node,
        before: &[usize],
        jobs: Jobs,
    ) {
        let lane = (node.uc, node.component);
        let known = [self.free.get(&node.uc), self.lanes.get(&lane)];
        let ends = before
            .iter()
            .map(|from| (self.timeline.nodes[*from].end, Some(*from)));
        let ends = known.into_iter().flatten().copied().chain(ends);
        let (start, mut reason) = ends.max_by_key(|end| end.0).unwrap_or_default();
        let executed = start + node_cycles(model, &node.ops);
        let mut end = executed;
        for op in &node.ops {
            if let RegAction::Wait { channel, .. } = op.action {
                let tokens = instructions(model, &op.action)
                    .into_iter()
                    .flatten()
                    .find_map(|op| match op {
                        Op::WaitTcts {
                            tile,
                            actor,
                            target_tcts,
                        } => self.array.take(tile, actor, target_tcts),
                        _ => None,
                    });
                if tokens.is_some_and(|time| time > end) {
                    end = tokens.unwrap_or(end);
                    reason = self.pushed.get(&channel).copied().or(reason);
                }
            }
            for key in writes(&mut self.array, op, executed) {
                self.pushed.insert(key, at);
            }
        }
        // While a job waits others go on, if there are others.
        let free = if jobs == Jobs::Parallel {
            executed
        } else {
            end
        };
        self.free.insert(node.uc, (free, Some(at)));
        self.lanes.insert(lane, (end, Some(at)));
        let done = self.done.entry(node.uc).or_default();
        if end >= done.0 {
            *done = (end, Some(at));
        }
        self.timeline.nodes.push(TimeSpan { start, end });
        self.timeline.waited_for.push(reason);
    }
}

/// Tells the array of an operation's writes; returns the channels that it gives tasks.
fn writes(array: &mut Array, op: &RegOp, at: u64) -> Vec<ChannelId> {
    let (first, words) = match &op.action {
        RegAction::Write { address, value } => (*address, std::slice::from_ref(value)),
        RegAction::Block { address, words } | RegAction::PatchedBd { address, words, .. } => {
            (*address, words.as_slice())
        }
        _ => return Vec::new(),
    };
    let mut address = first;
    let mut pushed = Vec::new();
    for word in words {
        pushed.extend(array.write(address, *word, at));
        address = address.wrapping_add(WORD_BYTES as u32);
    }
    pushed
}

/// Cycles that a controller and its uC-DMA take for operations, one after the other.
fn node_cycles(model: &'static DeviceModel, ops: &[RegOp]) -> u64 {
    let mut plan = Plan::default();
    let mut code = JobBuilder {
        plan: &mut plan,
        list: Vec::new(),
    };
    for run in ops.chunk_by(|a, b| in_run(a) && in_run(b)) {
        match run {
            [first, ..] if in_run(first) => code.run(run.to_vec()),
            others => {
                for op in others
                    .iter()
                    .flat_map(|op| instructions(model, &op.action).unwrap_or_default())
                {
                    let loc = others[0].loc;
                    code.push(op, loc);
                }
            }
        }
    }
    let list = code.list;
    let cost = |op: &SymOp| {
        let chain = plan.chain_of(op);
        let descriptors = chain.iter().map(|bd| TIMING.descriptor(bd.words.into()));
        let chain_cycles = if chain.is_empty() {
            0
        } else {
            CHAIN + descriptors.sum::<u64>()
        };
        cost::cycles(op) + chain_cycles
    };
    list.iter().map(|(op, _)| cost(op)).sum()
}

#[cfg(test)]
mod tests {
    use aiec_aie::ir::Loc;
    use aiec_device::TileLoc;

    use super::*;
    use crate::jobs::graph::{DepKind, Edge, NodeKind};

    /// Two controllers: the second one's long write comes after the first one's, the first goes on.
    #[test]
    fn meetings_make_the_critical_path_cross_controllers() {
        let model = DeviceModel::by_name("npu2").expect("a device");
        let node = |uc: u8, writes: u32| Node {
            kind: NodeKind::Setup(TileLoc::new(uc, 0)),
            uc: uc.into(),
            component: 0,
            configures: true,
            hoistable: false,
            ops: (0..writes)
                .map(|n| RegOp::write(0x1000 * n, 1, Loc::UNKNOWN))
                .collect(),
        };
        let graph = Graph {
            nodes: vec![node(0, 2), node(1, 1), node(0, 1), node(1, 20)],
            edges: vec![Edge {
                from: 0,
                to: 3,
                kind: DepKind::Memory,
            }],
        };
        let meeting = SyncPoint {
            before: 3,
            parties: vec![0, 1],
            id: 0,
            launch: false,
        };
        let times = timeline(model, &graph, &[meeting], Jobs::Parallel);
        let [first, other, next, last] = times.nodes[..] else {
            panic!("{times:?}");
        };
        assert_eq!((first.start, other.start), (0, 0));
        assert_eq!(
            next.start, first.end,
            "a controller does one thing after the other"
        );
        assert_eq!(last.start, next.end + TIMING.remote_barrier);
        assert_eq!(times.meetings, [last.start]);
        assert_eq!(times.critical, [0, 2, 3]);
    }
}
