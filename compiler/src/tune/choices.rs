//! The choices that a design leaves open: depths of object fifos, sizes of objects that no core sees, and how far a runtime sequence works ahead of what
//! it waits for.

use std::collections::BTreeMap;

use aiec_aie::ir::{Attr, Block, InsertPoint, MemRefType, Module, Op, Type, Value};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{Device, ObjectFifo, ObjectFifoLink, OpKind, OpView, RuntimeSequence};
use aiec_device::TileKind;

use crate::sim::smallest_depth::depths;

/// The depth of each end of each fifo: the producer's, then those of the consumers.
pub type Depths = Vec<Vec<usize>>;

/// Numbers for the BDs of a shim tile, which transfers under way share (AM020: 16 BDs).
const SHIM_BDS: i64 = 16;

/// Attributes of fifos whose objects can't be cut: they say what is where in an object, or how often it is sent.
const ORDERED: [&str; 12] = [
    "consumerElemType",
    "dimensionsToStream",
    "dimensionsFromStreamPerConsumer",
    "disable_synchronization",
    "repeat_count",
    "aie_stream",
    "initValues",
    "padDimensions",
    "iter_count",
    "iterate_bds",
    "packet",
    "plio",
];

/// A choice of all that is open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Depths of fifos.
    pub depths: Depths,
    /// Parts that objects are cut into, by chain.
    pub parts: Vec<u32>,
    /// Groups of transfers that are started before the wait for an earlier one.
    pub ahead: usize,
}

impl Choice {
    /// Whether no end of a fifo is deeper than in another choice that is the same otherwise.
    pub fn is_within(&self, other: &Choice) -> bool {
        let mut ends = self
            .depths
            .iter()
            .flatten()
            .zip(other.depths.iter().flatten());
        self.parts == other.parts
            && self.ahead == other.ahead
            && ends.all(|(depth, deeper)| depth <= deeper)
    }
}

/// The choices that a design leaves open.
pub struct DesignChoices {
    /// The design as it is written.
    module: Module,
    /// Its fifos.
    pub fifos: Vec<ObjectFifo>,
    /// Fifos that mem tiles pass objects of one kind on through, from end to end without a core.
    chains: Vec<Vec<usize>>,
    /// The waits of the sequence in groups, between which transfers are started.
    waits: Vec<Vec<Op>>,
}

impl DesignChoices {
    /// Finds what a design leaves open.
    pub fn of(module: Module) -> DesignChoices {
        let fifos = module.find_all::<ObjectFifo>(module.top());
        let mut choices = DesignChoices {
            chains: Vec::new(),
            waits: waits(&module),
            fifos,
            module,
        };
        choices.chains = choices.chains();
        choices
    }

    /// The choice that is written.
    pub fn written(&self) -> Choice {
        let fifos = self.fifos.iter();
        Choice {
            depths: fifos.map(|fifo| depths(&self.module, *fifo)).collect(),
            parts: vec![1; self.chains.len()],
            ahead: 0,
        }
    }

    /// Number of chains whose objects can be cut.
    pub fn chain_count(&self) -> usize {
        self.chains.len()
    }

    /// Groups of transfers that can be started ahead at most.
    pub fn max_ahead(&self) -> usize {
        self.waits.len().saturating_sub(1)
    }

    /// Names of the fifos, in textual order.
    pub fn names(&self) -> Vec<String> {
        let names = self.fifos.iter().map(|fifo| fifo.sym_name(&self.module));
        names.map(|name| name.to_string()).collect()
    }

    /// The fifos of a chain.
    pub fn chain(&self, chain: usize) -> &[usize] {
        &self.chains[chain]
    }

    /// Twice as many parts for the objects of a chain; `None` if their elements can't be divided so, or a part isn't whole words.
    pub fn cut(&self, choice: &Choice, chain: usize) -> Option<Choice> {
        const WORD_BYTES: u64 = 4;
        let parts = choice.parts[chain].checked_mul(2)?;
        let memref = self.object(self.chains[chain][0])?;
        let bytes = memref.num_bytes()?;
        let elements = u64::try_from(memref.shape.iter().product::<i64>()).ok()?;
        let divides = |count: u64, unit: u64| count.is_multiple_of(u64::from(parts) * unit);
        if !divides(elements, 1) || !divides(bytes, WORD_BYTES) {
            return None;
        }
        let mut cut = choice.clone();
        cut.parts[chain] = parts;
        Some(cut)
    }

    fn object(&self, fifo: usize) -> Option<MemRefType> {
        match self.fifos[fifo].elemType(&self.module)? {
            Type::ObjectFifo(inner) => inner.as_memref().cloned(),
            _ => None,
        }
    }

    /// Bytes of an object of a fifo as it is written.
    pub fn object_bytes(&self, fifo: usize) -> u64 {
        let memref = self.object(fifo);
        memref.and_then(|memref| memref.num_bytes()).unwrap_or(0)
    }

    /// The design with a choice.
    pub fn apply(&self, choice: &Choice) -> Module {
        let mut module = self.module.clone();
        for (fifo, ends) in self.fifos.iter().zip(&choice.depths) {
            if depths(&module, *fifo) != *ends {
                module.set_attr(fifo.op(), "elemNumber", depth_attr(ends));
            }
        }
        for (chain, parts) in self.chains.iter().zip(&choice.parts) {
            for fifo in chain.iter().filter(|_| *parts > 1) {
                if let Some(memref) = self.object(*fifo) {
                    let elements = memref.shape.iter().product::<i64>() / i64::from(*parts);
                    let shape = vec![elements];
                    let part = Type::MemRef(MemRefType { shape, ..memref }.into());
                    let ty = Attr::Type(Type::ObjectFifo(part.into()));
                    module.set_attr(self.fifos[*fifo].op(), "elemType", ty);
                }
            }
        }
        if choice.ahead > 0 {
            self.wait_later(&mut module, choice.ahead);
        }
        module
    }

    /// Puts each group of waits where the one `ahead` groups later was.
    fn wait_later(&self, module: &mut Module, ahead: usize) {
        let last = self.max_ahead();
        for (number, group) in self.waits.iter().enumerate() {
            let later = (number + ahead).min(last);
            if let Some(first) = self.waits[later].first().filter(|_| later > number) {
                for op in group {
                    module.move_to(*op, InsertPoint::Before(*first));
                }
            }
        }
        // Transfers that are under way together need BDs of their own.
        let transfers = module.find(module.top(), OpKind::NpuDmaMemcpyNd);
        for (number, transfer) in transfers.into_iter().enumerate() {
            module.set_attr(transfer, "id", Attr::i64(number as i64 % SHIM_BDS));
        }
    }

    /// Fifos that links join end to end, whose objects no core sees.
    fn chains(&self) -> Vec<Vec<usize>> {
        let module = &self.module;
        let number: BTreeMap<String, usize> = self.names().into_iter().zip(0..).collect();
        let find = |attr: &Attr| match attr {
            Attr::Symbol(symbol) => number.get(symbol.leaf()).copied(),
            _ => None,
        };
        let mut of_fifo: Vec<usize> = (0..self.fifos.len()).collect();
        let mut can_cut: Vec<bool> = (0..self.fifos.len())
            .map(|fifo| self.is_plain(fifo))
            .collect();
        let mut is_linked = vec![false; self.fifos.len()];
        for link in module.find_all::<ObjectFifoLink>(module.top()) {
            let ends = [link.fifoIns(module), link.fifoOuts(module)];
            let [ins, outs] = ends.map(|list| list.iter().filter_map(find).collect::<Vec<_>>());
            let same = match (ins.as_slice(), outs.as_slice()) {
                (&[from], &[to]) => Some((from, to)),
                _ => None,
            };
            match same.filter(|(from, to)| self.object(*from) == self.object(*to)) {
                Some((from, to)) => {
                    let (old, new) = (of_fifo[to], of_fifo[from]);
                    of_fifo
                        .iter_mut()
                        .filter(|of| **of == old)
                        .for_each(|of| *of = new);
                    is_linked[from] = true;
                    is_linked[to] = true;
                }
                None => ins
                    .iter()
                    .chain(&outs)
                    .for_each(|fifo| can_cut[*fifo] = false),
            }
        }
        let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (fifo, of) in of_fifo.into_iter().enumerate() {
            if is_linked[fifo] {
                chains.entry(of).or_default().push(fifo);
            }
        }
        let whole = |chain: &Vec<usize>| chain.iter().all(|fifo| can_cut[*fifo]);
        chains.into_values().filter(whole).collect()
    }

    /// Whether a fifo passes its objects on as they are, between shim and mem tiles.
    fn is_plain(&self, fifo: usize) -> bool {
        let (module, view) = (&self.module, self.fifos[fifo]);
        let model = module
            .parent_op(view.op())
            .and_then(|device| Device::cast(module, device)?.model(module));
        let has_no_core = |tile: Value| {
            let kind = tile_loc(module, tile).and_then(|tile| model?.tile_kind(tile));
            kind.is_some_and(|kind| kind != TileKind::Core)
        };
        let is_set = |name: &str| match module.attr(view.op(), name) {
            Some(Attr::Array(list)) => !list.is_empty(),
            Some(Attr::Bool(is_set)) => *is_set,
            other => other.is_some(),
        };
        module.operands(view.op()).all(has_no_core)
            && !ORDERED.iter().any(|name| is_set(name))
            && self
                .object(fifo)
                .is_some_and(|object| object.layout.is_none())
    }
}

fn depth_attr(ends: &[usize]) -> Attr {
    let number = |depth: usize| Attr::i32(i32::try_from(depth).unwrap_or(i32::MAX));
    match ends.first() {
        Some(first) if ends.iter().all(|depth| depth == first) => number(*first),
        _ => Attr::Array(
            ends.iter()
                .map(|depth| number(*depth))
                .collect::<Vec<_>>()
                .into(),
        ),
    }
}

/// The waits of the only sequence in groups, with what is freed after them; none if it has loops or branches.
fn waits(module: &Module) -> Vec<Vec<Op>> {
    let sequences = module.find_all::<RuntimeSequence>(module.top());
    let entry = match sequences.as_slice() {
        [only] => module.entry(only.op(), 0),
        _ => None,
    };
    entry.map_or(Vec::new(), |entry| wait_groups(module, entry))
}

fn wait_groups(module: &Module, entry: Block) -> Vec<Vec<Op>> {
    let mut groups: Vec<Vec<Op>> = Vec::new();
    let mut has_started = true;
    for op in module.block_ops(entry) {
        match module.kind(op) {
            OpKind::NpuDmaWait | OpKind::DmaAwaitTask | OpKind::DmaFreeTask => {
                if std::mem::take(&mut has_started) {
                    groups.push(Vec::new());
                }
                groups
                    .last_mut()
                    .into_iter()
                    .for_each(|group| group.push(op));
            }
            OpKind::NpuDmaMemcpyNd | OpKind::DmaStartTask => has_started = true,
            OpKind::ScfFor | OpKind::ScfIf => return Vec::new(),
            _ => {}
        }
    }
    groups
}
