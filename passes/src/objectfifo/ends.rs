//! Which fifos share memory and which move data by DMA, and the ends that result: their names,
//! tiles and depths.

use aiec_aie::ir::Module;
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, Diags};

use super::fifo::{Fifo, FifoDepths, Netlist, Object, TileRef};
use super::links::{Link, LinkKind};
use super::{BAD_DELEGATE, BAD_PIN};

/// Role of an end in its fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Producer and consumer at once, through shared memory.
    Shared,
    /// The producer's end of a fifo that moves data by DMA.
    Producer,
    /// The end of the n-th consumer.
    Consumer(usize),
}

impl Role {
    /// Whether the end takes what others send.
    pub fn fills(self) -> bool {
        matches!(self, Role::Consumer(_))
    }

    /// The direction of its DMA channel.
    pub fn dir(self) -> DmaDir {
        if self.fills() {
            DmaDir::S2mm
        } else {
            DmaDir::Mm2s
        }
    }
}

/// Where an end takes part in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkEnd {
    pub link: usize,
    /// Whether the end belongs to an output of the link.
    pub output: bool,
    /// Which input or output of the link.
    pub member: usize,
}

/// One end of a fifo: what owns a pool of objects and a DMA channel.
#[derive(Clone, Debug)]
pub(super) struct FifoEnd {
    pub fifo: usize,
    pub role: Role,
    pub name: String,
    /// Where its pool is by default, and its DMA.
    pub tile: TileRef,
    pub object: Object,
    pub depth: usize,
    pub link: Option<LinkEnd>,
    /// Its data go through the core's stream port.
    pub is_stream: bool,
}

/// All ends, and those of each fifo.
pub(super) struct EndTable {
    pub ends: Vec<FifoEnd>,
    /// For each fifo its producer's end and those of its consumers; a shared fifo has one end.
    pub of_fifo: Vec<FifoEnds>,
}

/// The ends of one fifo.
#[derive(Clone, Debug)]
pub(super) struct FifoEnds {
    pub producer: usize,
    pub consumers: Vec<usize>,
    pub shared: bool,
}

impl FifoEnds {
    /// The end of a consumer; of the first one where they share one.
    pub fn consumer(&self, n: usize) -> Option<usize> {
        self.consumers.get(n).or(self.consumers.first()).copied()
    }
}

impl EndTable {
    /// Adds an end of a fifo.
    fn add(
        &mut self,
        netlist: &Netlist,
        at: usize,
        role: Role,
        tile: TileRef,
        link: Option<LinkEnd>,
    ) -> usize {
        let fifo = &netlist.fifos[at];
        let fills = role.fills();
        self.ends.push(FifoEnd {
            fifo: at,
            role,
            name: match role {
                Role::Consumer(i) if fifo.consumers.len() > 1 => format!("{}_{i}_cons", fifo.name),
                Role::Consumer(_) => format!("{}_cons", fifo.name),
                Role::Shared | Role::Producer => fifo.name.clone(),
            },
            tile,
            object: if fills {
                fifo.consumer_side()
            } else {
                &fifo.object
            }
            .clone(),
            depth: depth(netlist, at, fifo, role, tile),
            link,
            is_stream: fifo
                .stream
                .is_some_and(|s| if fills { s.consumer } else { s.producer }),
        });
        self.ends.len() - 1
    }
    /// Ends in the order in which mlir-aie creates their pools: fifos in textual order, each with
    /// its producer and then its consumers backwards; ends on mem tiles exchange their places so
    /// that larger objects come first.
    pub fn creation_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.ends.len());
        for fifo in &self.of_fifo {
            order.push(fifo.producer);
            if !fifo.shared {
                order.extend(fifo.consumers.iter().rev());
            }
        }
        let places: Vec<usize> = (0..order.len())
            .filter(|i| self.ends[order[*i]].tile.kind == TileKind::Mem)
            .collect();
        // By falling size, equal ones as they are.
        let bytes = |i: &usize| (!self.ends[order[*i]].object.bytes(), *i);
        let mut by_size: Vec<(u64, usize)> = places.iter().map(bytes).collect();
        by_size.sort_unstable();
        let on_mem_tiles: Vec<usize> = by_size.iter().map(|(_, i)| order[*i]).collect();
        for (place, end) in places.into_iter().zip(on_mem_tiles) {
            order[place] = end;
        }
        order
    }
}

/// Whether the core or the DMA of one tile reaches the memory of another.
fn reaches(model: &DeviceModel, from: TileRef, owner: TileLoc) -> bool {
    match from.kind {
        TileKind::Core => model.core_window_to(from.loc, owner).is_some(),
        TileKind::Mem => model.mem_tile_window(from.loc, owner).is_some(),
        TileKind::ShimNoc | TileKind::ShimPl => false,
    }
}

/// The tile that both ends of a fifo reach without a DMA, if there is one: the delegate, the
/// producer's or the consumer's.
fn common_memory(
    module: &Module,
    netlist: &Netlist,
    fifo: &Fifo,
    diags: &mut Diags,
) -> Option<TileRef> {
    let model = netlist.model;
    let consumer = *fifo.consumers.first()?;
    let both =
        |owner: TileLoc| reaches(model, fifo.producer, owner) && reaches(model, consumer, owner);
    if let Some((tile, op)) = fifo.delegate {
        if both(tile.loc) {
            return Some(tile);
        }
        let message = format!(
            "objectfifo has no shared memory access to delegate tile's memory module: tile {} is \
             not in reach of both ends of `@{}`, {} and {}",
            tile.loc, fifo.name, fifo.producer.loc, consumer.loc
        );
        let help = "choose a tile that is a neighbour of both ends, or leave allocate out";
        let linked = fifo.input_of.is_some() || fifo.output_of.is_some();
        let diag = if linked {
            Diag::warning(&BAD_DELEGATE, message + ", so each end has its own objects")
        } else {
            Diag::error(&BAD_DELEGATE, message)
        };
        diags.push(
            diag.label(module.span(op), "allocated here")
                .label(module.span(fifo.op.0), "this object fifo")
                .help(help),
        );
        return None;
    }
    // Mem tiles share through their DMAs only, and the reference keeps core and mem tiles apart.
    if fifo.producer.kind != consumer.kind {
        return None;
    }
    [fifo.producer, consumer]
        .into_iter()
        .find(|tile| both(tile.loc))
}

/// Reasons that rule shared memory out whatever the tiles are.
fn needs_dma(fifo: &Fifo, links: &[Link]) -> bool {
    let linked = |link: Option<usize>| {
        link.is_some_and(|l| links[l].kind != LinkKind::Plain || fifo.delegate.is_none())
    };
    fifo.via_dma
        || fifo.repeat.is_some()
        || fifo.stream.is_some()
        || fifo.consumer_object.is_some()
        || fifo.consumers.len() > 1
        || !fifo.to_stream.is_empty()
        || fifo.from_stream.iter().any(|d| !d.is_empty())
        || linked(fifo.input_of)
        || linked(fifo.output_of)
}

/// Splits the fifos into ends.
pub(super) fn split(
    module: &Module,
    netlist: &Netlist,
    links: &[Link],
    diags: &mut Diags,
) -> EndTable {
    let mut ends = EndTable {
        ends: Vec::new(),
        of_fifo: Vec::new(),
    };
    for (at, fifo) in netlist.fifos.values().enumerate() {
        let split = needs_dma(fifo, links);
        if let (true, Some((_, op))) = (split, fifo.delegate) {
            let message = format!(
                "the buffers of `@{}` can't be allocated elsewhere",
                fifo.name
            );
            diags.push(
                Diag::error(&BAD_DELEGATE, message)
                    .label(module.span(op), "allocated here")
                    .label(module.span(fifo.op.0), "this object fifo moves data by DMA")
                    .help(
                        "leave out allocate, or what needs the DMA (via_DMA, repeat_count, \
                           several consumers, dimensions, another element type)",
                    ),
            );
            continue;
        }
        let shared = if split {
            None
        } else {
            common_memory(module, netlist, fifo, diags)
        };
        let of_fifo = match shared {
            Some(tile) => {
                warn_of_pins(module, fifo, tile, diags);
                let end = ends.add(netlist, at, Role::Shared, tile, shared_link(fifo));
                FifoEnds {
                    producer: end,
                    consumers: vec![end],
                    shared: true,
                }
            }
            None => dma_ends(&mut ends, netlist, links, at),
        };
        ends.of_fifo.push(of_fifo);
    }
    ends
}

/// Channels that are chosen for a fifo without a DMA.
fn warn_of_pins(module: &Module, fifo: &Fifo, tile: TileRef, diags: &mut Diags) {
    if fifo.producer_pin.is_none() && fifo.consumer_pins.iter().all(Option::is_none) {
        return;
    }
    let message = format!(
        "the DMA channels of `@{}` aren't used: its ends share the memory of tile {}",
        fifo.name, tile.loc
    );
    diags.push(
        Diag::warning(&BAD_PIN, message)
            .label(module.span(fifo.op.0), "this object fifo")
            .help("add via_DMA = true to move its objects by DMA, or leave the channels out"),
    );
}

/// A shared fifo can only be on one side of a plain link.
fn shared_link(fifo: &Fifo) -> Option<LinkEnd> {
    let output = fifo.input_of.is_none();
    let link = fifo.input_of.or(fifo.output_of)?;
    Some(LinkEnd {
        link,
        output,
        member: 0,
    })
}

fn dma_ends(ends: &mut EndTable, netlist: &Netlist, links: &[Link], at: usize) -> FifoEnds {
    let fifo = &netlist.fifos[at];
    let link_end = |link: usize, output: bool| {
        let of = &links[link];
        let fifos = if output { &of.outputs } else { &of.inputs };
        let member = fifos.iter().position(|f| *f == at)?;
        Some(LinkEnd {
            link,
            output,
            member,
        })
    };
    let link = fifo.output_of.and_then(|link| link_end(link, true));
    let producer = ends.add(netlist, at, Role::Producer, fifo.producer, link);
    let input = fifo.input_of.and_then(|link| link_end(link, false));
    let mut consumers = Vec::with_capacity(fifo.consumers.len());
    for (i, tile) in fifo.consumers.iter().enumerate() {
        let is_here = |at: &LinkEnd| links[at.link].input_consumer.get(at.member) == Some(&i);
        let link = input.filter(is_here);
        consumers.push(ends.add(netlist, at, Role::Consumer(i), *tile, link));
    }
    FifoEnds {
        producer,
        consumers,
        shared: false,
    }
}

/// Number of objects that an end holds. Written depths per end are kept; one written number is the
/// depth of shared pools and of ends without a core that acquires, and other ends get one object
/// more than the largest window, so that the DMA can work ahead of the core.
fn depth(netlist: &Netlist, at: usize, fifo: &Fifo, role: Role, tile: TileRef) -> usize {
    let written = match &fifo.depths {
        FifoDepths::PerEnd(list) => {
            let entry = match role {
                Role::Shared | Role::Producer => 0,
                Role::Consumer(i) => i + 1,
            };
            return list.get(entry).copied().unwrap_or(0);
        }
        FifoDepths::Uniform(n) => *n,
    };
    let produces = !role.fills();
    let keeps_contents = produces && !fifo.init.is_empty();
    if role == Role::Shared || written == 0 || keeps_contents || tile.kind != TileKind::Core {
        return written;
    }
    match netlist.acquires.get(&(tile.loc, at, produces)) {
        None | Some(0) => written,
        Some(1) if written == 1 => 1,
        Some(window) => window + 1,
    }
}
