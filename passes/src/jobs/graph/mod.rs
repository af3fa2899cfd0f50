//! The dependence graph: what must stay ordered.
//!
//! Nodes are register operations (those of a tile's set-up together), in program order. Each has
//! the micro-controller that does it and a lane: operations of one component of the array
//! ([`aiec_regprog::network`]) on one controller are done in program order and need no edges among
//! themselves. An edge says that one node must come before another in another lane, or keeps a
//! descriptor's image ([`NodeKind::Image`]), which may move up, after what it depends on.
//!
//! What isn't proven independent is ordered. The rules are in the book, page "Jobs and barriers".

mod config;
mod host;
mod sequence;

use std::collections::BTreeSet;

use aiec_device::{ChannelId, DeviceModel, TileLoc};
use aiec_diag::named_enum;
use rustc_hash::FxHashMap;

use super::Jobs;
use crate::regops::RegOp;
use aiec_regprog::known_values::{KnownRegisters, resolve_masked_writes};
use aiec_regprog::network::{CoreUses, Network};

/// Most controllers that meet at a remote barrier: bits of its party mask.
pub const BARRIER_PARTIES: u32 = 32;

/// Action of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Puts a core into reset.
    Hold(TileLoc),
    /// Sets up a tile: memories, locks, switch, descriptors; in any order.
    Setup(TileLoc),
    /// Starts channels of a tile's DMA program.
    Start(TileLoc),
    /// Lets a core run.
    Release(TileLoc),
    /// Writes a descriptor.
    Image(TileLoc, u8),
    /// Pushes a task or sets up a channel.
    Channel(ChannelId),
    /// Waits for tokens of a channel.
    Wait(ChannelId),
    /// Changes a tile in a way that orders it with everything in its component.
    Fence(TileLoc),
    /// Does something that may concern anything.
    GlobalFence,
}

named_enum! {
    /// Why a node must come before another.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum DepKind {
        /// A stream leads through a switch that must be set up first.
        Stream => "stream",
        /// A lock or memory of another tile must be set up first.
        Memory => "memory",
        /// A cascade's far end must be set up first.
        Cascade => "cascade",
        /// A task uses the descriptor that an image wrote.
        Image => "image",
        /// A descriptor is written again.
        BdReuse => "bd reuse",
        /// Two transfers touch one range of a host buffer and one of them writes it.
        HostRange => "host range",
        /// A wait in program order that may stand for something unseen.
        Wait => "wait",
        /// Operations of a channel keep their order.
        Channel => "channel",
        /// Another controller than that of the tile's column sees to it, after the configuration of
        /// that column.
        Column => "column",
        /// A register or memory of the component changes.
        Fence => "fence",
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Action.
    pub kind: NodeKind,
    /// The controller that does it.
    pub uc: u32,
    /// Component of the array; nodes of one component and controller keep their order.
    pub component: usize,
    /// Whether it belongs to the configuration.
    pub configures: bool,
    /// Whether it may move up in its lane, as far as its edges let it.
    pub hoistable: bool,
    /// The operations.
    pub ops: Vec<RegOp>,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Comes first, by index of the node.
    pub from: usize,
    /// Comes later; a higher index.
    pub to: usize,
    /// Reason of the dependence.
    pub kind: DepKind,
}

/// Nodes in program order, and their edges.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges, sorted.
    pub edges: Vec<Edge>,
}

/// Component of the configuration's nodes.
pub const CONFIGURATION: usize = usize::MAX;

/// Component of global fences.
pub const EVERYTHING: usize = usize::MAX - 1;

/// Input of a graph.
#[derive(Clone, Debug)]
pub struct GraphInput<'a> {
    /// The configuration.
    pub config: Vec<RegOp>,
    /// Part of the configuration that is written, if the array already holds some of it.
    pub written: Option<Vec<RegOp>>,
    /// The sequence.
    pub sequence: Vec<RegOp>,
    /// Which other tiles' memories and locks each core uses.
    pub uses: &'a CoreUses,
    /// Highest number of a controller.
    pub last_uc: u32,
}

impl<'a> GraphInput<'a> {
    /// A configuration, all of which is written, and a sequence.
    pub fn new(config: Vec<RegOp>, sequence: Vec<RegOp>, uses: &'a CoreUses) -> GraphInput<'a> {
        GraphInput {
            config,
            written: None,
            sequence,
            uses,
            last_uc: u32::MAX,
        }
    }
}

/// Operations of a sequence, by place, and the controllers that do them instead of those of their
/// columns. Numbers of controllers are below [`BARRIER_PARTIES`].
pub type Reassignment = FxHashMap<usize, u32>;

impl Graph {
    /// The graph of a configuration and a sequence.
    pub fn of(
        model: &'static DeviceModel,
        config: Vec<RegOp>,
        sequence: Vec<RegOp>,
        uses: &CoreUses,
        jobs: Jobs,
    ) -> Graph {
        let work = GraphInput::new(config, sequence, uses);
        Graph::of_work(model, &work, jobs, &Reassignment::default())
    }

    /// Same as [`Graph::of`], for a part of the configuration, and with operations that other
    /// controllers do.
    pub fn of_work(
        model: &'static DeviceModel,
        work: &GraphInput<'_>,
        jobs: Jobs,
        moved: &Reassignment,
    ) -> Graph {
        let GraphInput {
            mut config,
            mut written,
            mut sequence,
            uses,
            last_uc,
        } = work.clone();
        let network = Network::of(model, &config, &sequence, uses);
        let mut known = KnownRegisters::default();
        resolve_masked_writes(model, &mut config, &mut known, &|_| false);
        if let Some(written) = &mut written {
            resolve_masked_writes(model, written, &mut known.clone(), &|_| false);
        }
        // The value of a register is known until a control packet may have changed it.
        let opaque = |tile| network.takes_control_packets(tile);
        let mut later = known.clone();
        resolve_masked_writes(model, &mut sequence, &mut later, &opaque);
        let owners = Owners {
            jobs,
            last_uc,
            moved: moved.clone(),
        };
        let mut builder = Builder::new(model, network, &owners);
        builder.config(config, written, uses, &known);
        builder.sequence(sequence);
        let mut graph = builder.finish();
        // Columns beyond the party mask that others must wait for are the last controller's.
        let mut beyond = BTreeSet::new();
        for edge in &graph.edges {
            let [from, to] = [edge.from, edge.to].map(|n| graph.nodes[n].uc);
            if from != to {
                beyond.extend([from, to].into_iter().filter(|uc| *uc >= BARRIER_PARTIES));
            }
        }
        for node in &mut graph.nodes {
            if beyond.contains(&node.uc) {
                node.uc = BARRIER_PARTIES - 1;
            }
        }
        graph
    }

    /// Index of the first node of the sequence.
    pub fn first_of_sequence(&self) -> usize {
        let first = self.nodes.iter().position(|node| !node.configures);
        first.unwrap_or(self.nodes.len())
    }

    /// Forgets the edges from the configuration to the sequence: something else sees to it that
    /// the configuration is over everywhere before.
    pub fn set_apart(&mut self) {
        let first = self.first_of_sequence();
        self.edges
            .retain(|edge| edge.from >= first || edge.to < first);
    }

    /// Edges between controllers.
    pub fn remote_edges(&self) -> impl Iterator<Item = &Edge> {
        let remote = |edge: &&Edge| self.nodes[edge.from].uc != self.nodes[edge.to].uc;
        self.edges.iter().filter(remote)
    }
}

/// Assignment of operations to controllers.
struct Owners {
    jobs: Jobs,
    last_uc: u32,
    moved: Reassignment,
}

impl Owners {
    fn of(&self, column: u8) -> u32 {
        match self.jobs {
            Jobs::Single => 0,
            Jobs::PerColumn | Jobs::Parallel => u32::from(column).min(self.last_uc),
        }
    }

    /// Of the operation of a sequence at a place.
    fn of_step(&self, step: usize, column: u8) -> u32 {
        let moved = self.moved.get(&step).copied();
        moved.unwrap_or_else(|| self.of(column))
    }
}

/// Operations by the number of the controller that does them: that of their tile's column.
pub fn by_controller(
    model: &DeviceModel,
    ops: Vec<RegOp>,
    jobs: Jobs,
    last_uc: u32,
) -> Vec<Vec<RegOp>> {
    let owners = Owners {
        jobs,
        last_uc,
        moved: Reassignment::default(),
    };
    let mut list: Vec<Vec<RegOp>> = Vec::new();
    for op in ops {
        let (tile, _) = op.action.target(model);
        let uc = owners.of(tile.col) as usize;
        list.resize(list.len().max(uc + 1), Vec::new());
        list[uc].push(op);
    }
    list
}

/// Builds a graph in program order.
struct Builder<'a> {
    model: &'static DeviceModel,
    network: Network,
    owners: &'a Owners,
    graph: Graph,
    /// Set-up node of each tile.
    setups: FxHashMap<TileLoc, usize>,
    state: sequence::SequenceState,
}

impl<'a> Builder<'a> {
    fn new(model: &'static DeviceModel, network: Network, owners: &'a Owners) -> Self {
        Builder {
            model,
            network,
            owners,
            graph: Graph::default(),
            setups: FxHashMap::default(),
            state: sequence::SequenceState::default(),
        }
    }

    fn finish(mut self) -> Graph {
        self.finish_images();
        self.graph
            .edges
            .sort_unstable_by_key(|e| (e.to, e.from, e.kind));
        self.graph.edges.dedup_by_key(|e| (e.to, e.from));
        self.graph
    }

    fn node(&mut self, node: Node) -> usize {
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    /// Adds an edge, unless the order of a lane implies it.
    fn edge(&mut self, from: usize, to: usize, kind: DepKind) {
        let [a, b] = [from, to].map(|n| &self.graph.nodes[n]);
        let lane = (a.uc, a.component) == (b.uc, b.component) && !b.hoistable && !a.hoistable;
        if from < to && !lane {
            self.graph.edges.push(Edge { from, to, kind });
        }
    }
}
