//! DMA program of an end: its buffer descriptors with their locks.

use aiec_aie::ir::{BdDim, BdIteration, BdPad, Module, Value};
use aiec_device::{DmaDir, TileKind};
use aiec_diag::Diag;

use super::ends::{EndTable, FifoEnd, Role};
use super::fifo::{Fifo, Netlist};
use super::links::{Link, LinkKind, ObjectPart};
use super::pools::{Pool, Pools};
use super::{BAD_DELEGATE, OUT_OF_BOUNDS, TOO_MANY_BDS};

/// A buffer descriptor to be written.
#[derive(Clone, Debug)]
pub(super) struct Bd {
    pub buffer: Value,
    /// First element.
    pub offset: u64,
    /// Elements.
    pub len: u64,
    pub dims: Vec<BdDim>,
    pub pads: Vec<BdPad>,
    /// Changes from run to run.
    pub iteration: Option<BdIteration>,
    /// Lock and value to wait for, and those to give.
    pub locks: Option<[(Value, i64); 2]>,
}

impl Bd {
    /// Elements of the buffer up to the last one that it touches.
    pub fn reach(&self) -> u64 {
        let steps = self.iteration.map_or(0, |i| {
            let last = i.size.saturating_sub(1).max(0);
            last.saturating_mul(i.stride.max(0)) as u64
        });
        let first = self.offset.saturating_add(steps);
        if self.dims.is_empty() {
            return first.saturating_add(self.len);
        }
        let reach = |d: &BdDim| (d.size - 1).max(0).saturating_mul(d.stride.max(0));
        let last: i64 = self.dims.iter().map(reach).fold(0, i64::saturating_add);
        first.saturating_add(last as u64).saturating_add(1)
    }
}

/// The program of one channel.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub dir: DmaDir,
    pub bds: Vec<Bd>,
    /// Further runs after the first.
    pub queue_repeat: i64,
    /// The chain ends instead of restarting.
    pub finite: bool,
    pub pad_value: Option<i32>,
}

/// Everything that a program depends on.
pub(super) struct Planner<'a> {
    pub netlist: &'a Netlist,
    pub links: &'a [Link],
    pub ends: &'a EndTable,
    pub pools: &'a Pools,
}

impl Planner<'_> {
    /// The program of an end; `None` where there is nothing to do (no buffers).
    pub fn program(&self, module: &Module, id: usize) -> Result<Option<Program>, Diag> {
        let end = &self.ends.ends[id];
        let fifo = &self.netlist.fifos[end.fifo];
        let Some(pool) = self.pools.of(id).filter(|p| !p.buffers.is_empty()) else {
            return Ok(None);
        };
        self.check_reach(module, end, fifo, pool)?;
        let iterations = fifo.iterations.filter(|_| end.tile.kind == TileKind::Mem);
        let segments = self.segments(end);
        let drains = !end.role.fills();
        let ring_of_one = pool.buffers.len() == 1
            && pool.ring.is_none()
            && segments == [None]
            && iterations.is_none();
        let copies = if drains && !ring_of_one {
            pool.repeat.max(1)
        } else {
            1
        };
        // Before they are made: their number is one of the input.
        let count = (pool.buffers.len())
            .saturating_mul(usize::try_from(copies).unwrap_or(usize::MAX))
            .saturating_mul(segments.len());
        self.check_bds(module, end, fifo, count, copies)?;
        let mut bds = Vec::new();
        for object in 0..pool.buffers.len() {
            for _ in 0..copies {
                let parts = segments.iter();
                bds.extend(parts.map(|part| self.bd(module, end, pool, object, *part)));
            }
        }
        /// The queue's repeat field (AM025: DMA task queue registers).
        const MAX_QUEUE_REPEAT: i64 = 255;
        let queue_repeat = match iterations {
            Some(runs) => runs - 1,
            // The ring never ends, so the count has no effect; it documents what was asked for.
            None if drains && ring_of_one => (pool.repeat - 1).clamp(0, MAX_QUEUE_REPEAT),
            None => 0,
        };
        Ok(Some(Program {
            dir: end.role.dir(),
            bds,
            queue_repeat,
            finite: iterations.is_some(),
            pad_value: fifo.pad_value.filter(|v| *v != 0 && drains),
        }))
    }

    /// Refuses a chain that no channel of the tile has BDs for, whatever else the tile does.
    fn check_bds(
        &self,
        module: &Module,
        end: &FifoEnd,
        fifo: &Fifo,
        bds: usize,
        copies: i64,
    ) -> Result<(), Diag> {
        let tile = self.netlist.model.tile(end.tile.loc);
        let Some(dma) = tile.and_then(|t| t.dma.as_ref()) else {
            return Ok(());
        };
        let most = usize::from(dma.bds) / if dma.bd_by_parity { 2 } else { 1 };
        if bds <= most {
            return Ok(());
        }
        let times = match copies {
            1 => String::new(),
            n => format!(", each sent {n} times"),
        };
        let message = format!(
            "the DMA of `{}` needs {bds} BDs{times}, but a channel of tile {} has {most}",
            end.name, end.tile.loc
        );
        let help = "use a smaller depth or repeat_count, or repeat on a mem tile; a fifo of depth \
                    1 repeats with one BD";
        Err(fifo.error(module, &TOO_MANY_BDS, message).help(help))
    }

    /// The parts that an end transfers one by one, with the number of the lock pair of each;
    /// `None` for whole objects under the only pair.
    fn segments(&self, end: &FifoEnd) -> Vec<Option<(usize, ObjectPart)>> {
        let at = end.link.map(|at| (at, &self.links[at.link]));
        let Some((at, link)) = at.filter(|(_, link)| link.kind != LinkKind::Plain) else {
            return vec![None];
        };
        let whole = (link.kind == LinkKind::Join) == at.output;
        let parts = link.parts.iter().copied().enumerate();
        let own = parts.filter(|(i, _)| whole || *i == at.member);
        own.map(Some).collect()
    }

    fn bd(
        &self,
        module: &Module,
        end: &FifoEnd,
        pool: &Pool,
        object: usize,
        part: Option<(usize, ObjectPart)>,
    ) -> Bd {
        let fifo = &self.netlist.fifos[end.fifo];
        let fills = end.role.fills();
        let buffer = pool.buffers[object];
        let (pair, offset, len) = match part {
            Some((pair, part)) => (pair, part.offset, part.len),
            None => (0, 0, self.whole_len(module, end, pool, buffer)),
        };
        let dims = match end.role {
            Role::Consumer(i) => fifo.from_stream.get(i).cloned().unwrap_or_default(),
            _ => fifo.to_stream.clone(),
        };
        // A linked pool is filled once for the several times that each object is sent on.
        let amount = match end.link {
            Some(_) if fills => pool.repeat,
            _ => 1,
        };
        Bd {
            buffer,
            offset,
            len,
            dims,
            pads: if fills { Vec::new() } else { fifo.pads.clone() },
            iteration: pool.ring,
            locks: pool.locks.of_bd(pair, object, fills, amount),
        }
    }

    /// Elements of a transfer of a whole object. Ends of a link move what the pool holds, however
    /// their own objects are cut; padding sends more.
    fn whole_len(&self, module: &Module, end: &FifoEnd, pool: &Pool, buffer: Value) -> u64 {
        if end.tile.kind.is_shim() {
            let memref = module.ty(buffer).as_memref();
            return memref.and_then(|m| m.num_elements()).unwrap_or(0);
        }
        let owner = &self.ends.ends[pool.owner];
        let pads = !end.role.fills() && !self.netlist.fifos[end.fifo].pads.is_empty();
        if owner.fifo == end.fifo || pads {
            return end.object.elems;
        }
        owner.object.elems
    }

    fn check_reach(
        &self,
        module: &Module,
        end: &FifoEnd,
        fifo: &Fifo,
        pool: &Pool,
    ) -> Result<(), Diag> {
        if pool.tile.loc == end.tile.loc {
            return Ok(());
        }
        let message = format!(
            "the DMA of tile {} can't reach the objects that fifo `@{}` shares with its link on \
             tile {}",
            end.tile.loc, fifo.name, pool.tile.loc
        );
        let delegate = fifo.delegate.and_then(|(_, op)| module.span(op));
        Err(fifo
            .error(module, &BAD_DELEGATE, message)
            .label(delegate, "allocated here")
            .help("allocate the other fifo of the link on the tile where they meet"))
    }
}

/// The finding about a BD that leaves its buffer.
pub(super) fn out_of_bounds(module: &Module, fifo: &Fifo, end: &FifoEnd, bd: &Bd) -> Option<Diag> {
    let elems = module.ty(bd.buffer).as_memref()?.num_elements()?;
    let past = bd.reach();
    if past <= elems {
        return None;
    }
    let message = format!(
        "out of bounds access: the DMA of `{}` reaches element {} of a buffer of {elems}",
        end.name,
        past - 1
    );
    let help = "check sizes and strides against the object, and the objects of a link against \
                each other";
    Some(fifo.error(module, &OUT_OF_BOUNDS, message).help(help))
}
