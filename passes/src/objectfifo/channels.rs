//! DMA channels of the ends: written ones first, then the lowest free ones.

use std::collections::HashSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{
    Flow, ObjectFifo, OpView, PacketDest, PacketFlow, PacketSource, ShimDmaAllocation,
};
use aiec_device::{Bundle, ChannelId, DeviceModel, DmaDir, Port, TileLoc};
use aiec_diag::Diag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ends::{EndTable, Role};
use super::fifo::{Netlist, TileRef};
use super::pools::Pools;
use super::{BAD_PIN, NO_CHANNEL};
use crate::analysis::budget::{TileBudget, dma_containers, tile_of_op};
use crate::analysis::switches::port;
use crate::infra::pass::PassContext;

/// Who uses which channel.
pub(super) struct Channels {
    model: &'static DeviceModel,
    used: FxHashMap<ChannelId, User>,
    /// Tiles and directions whose users a finding has named already.
    named: FxHashSet<(TileLoc, DmaDir)>,
}

#[derive(Clone)]
struct User {
    name: String,
    op: Op,
}

impl Channels {
    /// Those that the device uses already.
    pub fn of(module: &Module, device: Op, model: &'static DeviceModel) -> Channels {
        Channels {
            model,
            used: written(module, device),
            named: FxHashSet::default(),
        }
    }

    /// The channel for an end: the pinned one, or the lowest free one.
    pub fn choose(
        &mut self,
        module: &Module,
        device: Op,
        ask: &ChannelRequest<'_>,
    ) -> Result<u8, Box<Diag>> {
        let (tile, dir) = (ask.tile.loc, ask.dir);
        let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
        let below = if ask.spilled {
            dma.map_or(0, |d| d.neighbour_channels)
        } else {
            u8::MAX
        };
        let free = |c: &u8| {
            *c < self.count(tile, dir) && !self.used.contains_key(&ChannelId::new(tile, dir, *c))
        };
        let channel = match ask.pin {
            Some(pin) => u8::try_from(pin).ok().filter(free),
            None => self.lowest_free(tile, dir, below),
        };
        let Some(channel) = channel else {
            return Err(Box::new(match ask.pin {
                Some(_) => bad_pin(module, self, ask),
                None => {
                    let first = self.named.insert((tile, dir));
                    exhausted(module, device, first.then_some(&*self), ask)
                }
            }));
        };
        let user = User {
            name: format!("object fifo end {}", ask.name),
            op: ask.op,
        };
        self.used.insert(ChannelId::new(tile, dir, channel), user);
        Ok(channel)
    }

    fn count(&self, tile: TileLoc, dir: DmaDir) -> u8 {
        let model = self.model.tile(tile);
        // Ends at programmable logic are numbered as if the shim tile had a DMA.
        let shim = self.model.tile_kind(tile).filter(|kind| kind.is_shim());
        let model = shim.map_or(model, |_| Some(&self.model.arch_model().shim_noc));
        let dma = model.and_then(|t| t.dma.as_ref());
        dma.map_or(0, |dma| dma.channels.get(dir))
    }

    fn lowest_free(&self, tile: TileLoc, dir: DmaDir, below: u8) -> Option<u8> {
        let below = below.min(self.count(tile, dir));
        (0..below).find(|c| !self.used.contains_key(&ChannelId::new(tile, dir, *c)))
    }

    /// The tile's budget with the channels that ends have already, whose programs come later.
    fn budget(&self, module: &Module, device: Op, tile: TileLoc) -> TileBudget {
        let mut budget = TileBudget::of(module, device, tile);
        for dir in DmaDir::ALL {
            for channel in 0..=u8::MAX {
                if let Some(user) = self.used.get(&ChannelId::new(tile, dir, channel)) {
                    budget.claim(dir, channel, &user.name);
                }
            }
        }
        budget
    }

    fn table(&self, tile: TileLoc, dir: DmaDir) -> String {
        let mut text = format!("{dir} channels of tile {tile}:");
        for channel in 0..self.count(tile, dir) {
            let user = self.used.get(&ChannelId::new(tile, dir, channel));
            let user = user.map_or("free", |u| u.name.as_str());
            text += &format!("\n  {channel}: {user}");
        }
        text
    }
}

/// A channel that is asked for.
pub(super) struct ChannelRequest<'a> {
    pub tile: TileRef,
    /// The end that asks.
    pub name: &'a str,
    /// Declaring operation.
    pub op: Op,
    pub dir: DmaDir,
    /// The only one that will do.
    pub pin: Option<i64>,
    /// Its buffers are partly on a neighbouring mem tile.
    pub spilled: bool,
}

/// The channel of each end that has one.
pub(super) fn assign(
    module: &Module,
    device: Op,
    netlist: &Netlist,
    ends: &EndTable,
    pools: &Pools,
    context: &mut PassContext<'_>,
) -> Vec<Option<u8>> {
    let mut channels = Channels::of(module, device, netlist.model);
    let mut found = vec![None; ends.ends.len()];
    let mut wishes = wishes(netlist, ends, pools);
    // Ends with buffers on a neighbour can use few channels, so they choose before the others.
    wishes.sort_by_key(|(_, ask)| (ask.pin.is_none(), ask.pin.is_none() && !ask.spilled));
    for (end, ask) in wishes {
        match channels.choose(module, device, &ask) {
            Ok(channel) => found[end] = Some(channel),
            Err(diag) => context.report(*diag),
        }
    }
    for (fifo, ends_of) in netlist.fifos.values().zip(&ends.of_fifo) {
        if let Some(leader) = fifo.channel_of {
            found[ends_of.producer] = found[ends.of_fifo[leader].producer];
        }
    }
    found
}

/// The channel that a fifo's producer must have: as written there, or at a fifo that shares it.
fn producer_pin(netlist: &Netlist, at: usize) -> Option<i64> {
    let mut sharing = netlist.fifos.values().filter(|f| f.channel_of == Some(at));
    let pin = netlist.fifos[at].producer_pin;
    pin.or_else(|| sharing.find_map(|fifo| fifo.producer_pin))
}

/// Requests of each end, fifo by fifo, the producer's end before the consumers'.
fn wishes<'a>(
    netlist: &Netlist,
    ends: &'a EndTable,
    pools: &Pools,
) -> Vec<(usize, ChannelRequest<'a>)> {
    let mut list = Vec::new();
    for of_fifo in ends.of_fifo.iter().filter(|f| !f.shared) {
        let all = [&of_fifo.producer].into_iter().chain(&of_fifo.consumers);
        for (id, end) in all.map(|id| (*id, &ends.ends[*id])) {
            if end.is_stream {
                continue;
            }
            let fifo = &netlist.fifos[end.fifo];
            let pin = match end.role {
                Role::Consumer(i) => fifo.consumer_pins.get(i).copied().flatten(),
                _ if fifo.channel_of.is_some() => continue,
                _ => producer_pin(netlist, end.fifo),
            };
            let ask = ChannelRequest {
                tile: end.tile,
                name: &end.name,
                op: fifo.op.op(),
                dir: end.role.dir(),
                pin,
                spilled: pools.of(id).is_some_and(|p| p.spilled),
            };
            list.push((id, ask));
        }
    }
    list
}

/// Channels that written DMA programs, allocations and flows use.
fn written(module: &Module, device: Op) -> FxHashMap<ChannelId, User> {
    let mut used = FxHashMap::default();
    let mut add = |tile, dir, channel, name: String, op| {
        used.entry(ChannelId::new(tile, dir, channel))
            .or_insert(User { name, op });
    };
    for container in dma_containers(module, device) {
        let Some(tile) = tile_of_op(module, container) else {
            continue;
        };
        for channel in dma_channels(module, container) {
            let name = module.op_name(container).to_string();
            add(tile, channel.dir, channel.channel, name, channel.op);
        }
    }
    // One with the name of a fifo is for the fifo's own end.
    let fifos = module.children::<ObjectFifo>(device);
    let fifos: HashSet<_> = fifos.iter().map(|f| f.sym_name(module)).collect();
    let allocations = module.children::<ShimDmaAllocation>(device).into_iter();
    for op in allocations.filter(|op| !fifos.contains(&op.sym_name(module))) {
        let channel = u8::try_from(op.channel_index(module)).ok();
        let place = op.tile_loc(module).zip(op.channel_dir(module)).zip(channel);
        if let Some(((tile, dir), channel)) = place {
            let name = format!("@{}", op.sym_name(module));
            add(tile, dir, channel, name, op.op());
        }
    }
    let mut add_port = |end: Option<(TileLoc, Port)>, dir, op| {
        if let Some((tile, port)) = end.filter(|(_, port)| port.bundle == Bundle::Dma) {
            add(tile, dir, port.channel, module.op_name(op).to_string(), op);
        }
    };
    for flow in module.children::<Flow>(device) {
        add_port(flow.from(module), DmaDir::Mm2s, flow.op());
        add_port(flow.to(module), DmaDir::S2mm, flow.op());
    }
    for flow in module.children::<PacketFlow>(device) {
        for source in module.children::<PacketSource>(flow.op()) {
            let port = port(source.bundle(module), source.channel(module));
            add_port(source.tile_loc(module).zip(port), DmaDir::Mm2s, flow.op());
        }
        for dest in module.children::<PacketDest>(flow.op()) {
            let port = port(dest.bundle(module), dest.channel(module));
            add_port(dest.tile_loc(module).zip(port), DmaDir::S2mm, flow.op());
        }
    }
    used
}

fn bad_pin(module: &Module, channels: &Channels, ask: &ChannelRequest<'_>) -> Diag {
    let (dir, tile) = (ask.dir, ask.tile.loc);
    let pin = ask.pin.unwrap_or_default();
    let message = format!(
        "pinned {dir} DMA channel {pin} is out of range or already in use on this tile, {tile}"
    );
    let channel = u8::try_from(pin).unwrap_or(u8::MAX);
    let other = channels.used.get(&ChannelId::new(tile, dir, channel));
    let other = other.and_then(|user| module.span(user.op));
    Diag::error(&BAD_PIN, message)
        .label(module.span(ask.op), "this object fifo")
        .label(other, "uses the channel already")
        .help("pin a free channel, or leave the choice to the compiler")
        .remark(channels.table(tile, dir))
}

/// Reports a tile without a channel for an end. The users of all channels are named when `channels`
/// are given: once for a tile, or messages would be longer than designs.
fn exhausted(
    module: &Module,
    device: Op,
    channels: Option<&Channels>,
    ask: &ChannelRequest<'_>,
) -> Diag {
    let (dir, tile) = (ask.dir, ask.tile.loc);
    let which = match dir {
        DmaDir::Mm2s => "output",
        DmaDir::S2mm => "input",
    };
    let why = if ask.spilled {
        ", among those that reach the neighbouring mem tile where its buffers are"
    } else {
        ""
    };
    // Those of all fifos after the first are equal, so that people are shown a few and their number.
    let name = match channels {
        Some(_) => format!("`{}`", ask.name),
        None => "this one either".to_string(),
    };
    let message = format!(
        "number of {which} DMA channel exceeded! Tile {tile} has no {dir} channel left for {name}{why}",
    );
    let diag = Diag::error(&NO_CHANNEL, message);
    let Some(channels) = channels else {
        return diag
            .label(module.span(ask.op), "this object fifo needs a channel")
            .help("see the first fifo without a channel on this tile");
    };
    let mut diag = diag
        .label(module.value_span(ask.tile.handle), "this tile")
        .label(module.span(ask.op), "this object fifo needs a channel");
    for user in
        (0..=u8::MAX).filter_map(|channel| channels.used.get(&ChannelId::new(tile, dir, channel)))
    {
        let span = module.span(user.op);
        if diag.labels.iter().all(|l| Some(l.span) != span) {
            diag = diag.label(span, "uses a channel");
        }
    }
    diag.help(
        "put neighbours next to each other so that they share memory, join or distribute on a \
         mem tile, or move the fifo to another tile",
    )
    .remark(channels.budget(module, device, tile).table())
}
