//! Input and output of the search: nets between nodes of the graph, and the routes found for them.

use super::graph::Node;

/// Kind of switching of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetKind {
    /// One stream that has its ports for itself.
    Circuit,
    /// Packets of this id, 0..=31; ports may be shared with other ids.
    Packet(u8),
}

/// One source of a net and all it must reach.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// A slave port.
    pub source: Node,
    /// Master ports, sorted.
    pub sinks: Vec<Node>,
}

/// Streams that are routed together. A circuit net has one branch; the branches of a packet net
/// carry the same id and share sinks, so they may join on their way.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    /// Its kind of switching.
    pub kind: NetKind,
    /// A control stream: routed first, shares no port with ordinary streams.
    pub priority: bool,
    /// Packet nets of one group share a source or a sink, directly or through others. Their
    /// streams wait for each other anyway, so they may share ports without a new danger.
    pub group: u32,
    /// The sources.
    pub branches: Vec<Branch>,
}

/// A connection inside a switch: slave node, master node.
pub(crate) type Link = (Node, Node);

/// The route of a net.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// The connections, each once; those of a branch that joins an earlier one end at the join.
    pub links: Vec<Link>,
    /// Every node that the net occupies, each once, in the order of discovery.
    pub nodes: Vec<Node>,
}

/// A sink that cannot be reached from its source, whatever the other nets do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable {
    /// The source.
    pub source: Node,
    /// The sink.
    pub sink: Node,
}
