//! DMA channels of the ends: written ones first, then the lowest free ones.

use std::collections::BTreeMap;

use aiec_device::{Bundle, DeviceModel, DmaDir, Port, TileLoc};
use aiec_dialect::diag::Diag;
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::netlist::dma_channels;
use aiec_dialect::ops::{Flow, OpView, PacketDest, PacketFlow, PacketSource, ShimDmaAllocation};

use super::ends::{End, Ends, Role};
use super::fifo::Netlist;
use super::pools::Pools;
use super::{BAD_PIN, NO_CHANNEL};
use crate::budget::{TileBudget, dma_containers, tile_of_op};
use crate::pass::PassContext;

/// Who uses which channel.
struct Channels {
    model: &'static DeviceModel,
    used: BTreeMap<(TileLoc, DmaDir, u8), User>,
}

#[derive(Clone)]
struct User {
    name: String,
    op: Op,
}

impl Channels {
    fn count(&self, tile: TileLoc, dir: DmaDir) -> u8 {
        let model = self.model.tile(tile);
        // Ends at programmable logic are numbered as if the shim tile had a DMA.
        let shim = self.model.tile_kind(tile).filter(|kind| kind.is_shim());
        let model = shim.map_or(model, |_| Some(&self.model.arch_model().shim_noc));
        let dma = model.and_then(|t| t.dma.as_ref());
        dma.map_or(0, |dma| dma.channels.get(dir))
    }

    fn take(&mut self, tile: TileLoc, dir: DmaDir, channel: u8, user: User) {
        self.used.entry((tile, dir, channel)).or_insert(user);
    }

    fn lowest_free(&self, tile: TileLoc, dir: DmaDir, below: u8) -> Option<u8> {
        let below = below.min(self.count(tile, dir));
        (0..below).find(|c| !self.used.contains_key(&(tile, dir, *c)))
    }

    fn table(&self, tile: TileLoc, dir: DmaDir) -> String {
        let mut text = format!("{dir} channels of tile {tile}:");
        for channel in 0..self.count(tile, dir) {
            let user = self.used.get(&(tile, dir, channel));
            let user = user.map_or("free", |u| u.name.as_str());
            text += &format!("\n  {channel}: {user}");
        }
        text
    }
}

/// What a channel of an end must be.
struct Wish {
    end: usize,
    dir: DmaDir,
    pin: Option<i64>,
    /// Its buffers are partly on a neighbouring mem tile.
    spilled: bool,
}

/// The channel of each end that has one.
pub(super) fn assign(
    module: &Module,
    device: Op,
    netlist: &Netlist,
    ends: &Ends,
    pools: &Pools,
    context: &mut PassContext<'_>,
) -> Vec<Option<u8>> {
    let mut channels = Channels {
        model: netlist.model,
        used: written(module, device),
    };
    let mut found = vec![None; ends.ends.len()];
    let wishes = wishes(netlist, ends, pools);
    for wish in wishes.iter().filter(|w| w.pin.is_some()) {
        let end = &ends.ends[wish.end];
        let op = netlist.fifos[end.fifo].op.op();
        let pin = wish.pin.and_then(|p| u8::try_from(p).ok());
        let tile = end.tile.loc;
        let free = |c: &u8| {
            *c < channels.count(tile, wish.dir)
                && !channels.used.contains_key(&(tile, wish.dir, *c))
        };
        match pin.filter(free) {
            Some(channel) => {
                found[wish.end] = Some(channel);
                channels.take(tile, wish.dir, channel, user(end, op));
            }
            None => context.report(bad_pin(module, &channels, wish, end, op)),
        }
    }
    // Ends with buffers on a neighbour can use few channels, so they choose first.
    for spilled in [true, false] {
        for wish in wishes
            .iter()
            .filter(|w| w.spilled == spilled && w.pin.is_none())
        {
            let end = &ends.ends[wish.end];
            let op = netlist.fifos[end.fifo].op.op();
            let tile = end.tile.loc;
            let dma = netlist.model.tile(tile).and_then(|t| t.dma.as_ref());
            let below = match spilled {
                true => dma.map_or(0, |d| d.neighbour_channels),
                false => u8::MAX,
            };
            match channels.lowest_free(tile, wish.dir, below) {
                Some(channel) => {
                    found[wish.end] = Some(channel);
                    channels.take(tile, wish.dir, channel, user(end, op));
                }
                None => context.report(exhausted(module, device, &channels, wish, end, op)),
            }
        }
    }
    found
}

fn user(end: &End, op: Op) -> User {
    User {
        name: format!("object fifo end {}", end.name),
        op,
    }
}

/// Fifo by fifo, the producer's end before the consumers'.
fn wishes(netlist: &Netlist, ends: &Ends, pools: &Pools) -> Vec<Wish> {
    let mut list = Vec::new();
    for of_fifo in ends.of_fifo.iter().filter(|f| !f.shared) {
        let all = [of_fifo.producer]
            .into_iter()
            .chain(of_fifo.consumers.iter().copied());
        for id in all.filter(|id| !ends.ends[*id].is_stream) {
            let end = &ends.ends[id];
            let fifo = &netlist.fifos[end.fifo];
            let (dir, pin) = match end.role {
                Role::Consumer(i) => (DmaDir::S2mm, fifo.consumer_pins.get(i).copied().flatten()),
                _ => (DmaDir::Mm2s, fifo.producer_pin),
            };
            let spilled = pools.of(id).is_some_and(|p| p.spilled);
            list.push(Wish {
                end: id,
                dir,
                pin,
                spilled,
            });
        }
    }
    list
}

/// Channels that written DMA programs, allocations and flows use.
fn written(module: &Module, device: Op) -> BTreeMap<(TileLoc, DmaDir, u8), User> {
    let mut used = BTreeMap::new();
    let mut add = |tile, dir, channel, name: String, op| {
        used.entry((tile, dir, channel))
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
    for op in module.children::<ShimDmaAllocation>(device) {
        let channel = u8::try_from(op.channel_index(module)).ok();
        let place = op.tile_loc(module).zip(op.channel_dir(module)).zip(channel);
        if let Some(((tile, dir), channel)) = place {
            add(
                tile,
                dir,
                channel,
                format!("@{}", op.sym_name(module)),
                op.op(),
            );
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

fn port(bundle: Option<Bundle>, channel: i32) -> Option<Port> {
    Some(Port::new(bundle?, u8::try_from(channel).ok()?))
}

fn bad_pin(module: &Module, channels: &Channels, wish: &Wish, end: &End, op: Op) -> Diag {
    let (dir, tile) = (wish.dir, end.tile.loc);
    let pin = wish.pin.unwrap_or_default();
    let message = format!(
        "pinned {dir} DMA channel {pin} is out of range or already in use on this tile, {tile}"
    );
    let channel = u8::try_from(pin).unwrap_or(u8::MAX);
    let other = channels.used.get(&(tile, dir, channel));
    Diag::error(&BAD_PIN, message)
        .label(module.span(op), "this object fifo")
        .label(
            other.and_then(|user| module.span(user.op)),
            "uses the channel already",
        )
        .help("pin a free channel, or leave the choice to the compiler")
        .remark(channels.table(tile, dir))
}

fn exhausted(
    module: &Module,
    device: Op,
    channels: &Channels,
    wish: &Wish,
    end: &End,
    op: Op,
) -> Diag {
    let (dir, tile) = (wish.dir, end.tile.loc);
    let which = match dir {
        DmaDir::Mm2s => "output",
        DmaDir::S2mm => "input",
    };
    let why = match wish.spilled {
        true => ", among those that reach the neighbouring mem tile where its buffers are",
        false => "",
    };
    let message = format!(
        "number of {which} DMA channel exceeded! Tile {tile} has no {dir} channel left for \
         `{}`{why}",
        end.name
    );
    let mut diag = Diag::error(&NO_CHANNEL, message)
        .label(module.value_span(end.tile.handle), "this tile")
        .label(module.span(op), "this object fifo needs a channel");
    let range = (tile, dir, 0)..=(tile, dir, u8::MAX);
    for (_, user) in channels.used.range(range) {
        let span = module.span(user.op);
        if diag.labels.iter().all(|l| Some(l.span) != span) {
            diag = diag.label(span, "uses a channel");
        }
    }
    diag.help(
        "put neighbours next to each other so that they share memory, join or distribute on a \
         mem tile, or move the fifo to another tile",
    )
    .remark(channels.table(tile, dir))
    .remark(TileBudget::of(module, device, tile).table())
}
