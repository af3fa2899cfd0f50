//! What the DMA at an end does: its buffer descriptors with their locks.

use aiec_aie::ir::{BdDim, BdIteration, BdPad, Module, Value};
use aiec_aie::ops::OpView;
use aiec_device::{DmaDir, TileKind};
use aiec_diag::Diag;

use super::ends::{EndTable, FifoEnd, LinkEnd, Role};
use super::fifo::{Fifo, Netlist};
use super::links::{Link, LinkKind, ObjectPart};
use super::pools::{Pool, PoolLocks, Pools};
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
    /// What changes from run to run.
    pub iteration: Option<BdIteration>,
    /// Lock and value to wait for.
    pub acquire: Option<(Value, i64)>,
    /// Lock and value to give.
    pub release: Option<(Value, i64)>,
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
    /// The chain ends instead of starting anew.
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
        let dir = match end.role {
            Role::Consumer(_) => DmaDir::S2mm,
            _ => DmaDir::Mm2s,
        };
        let iterations = fifo.iterations.filter(|_| end.tile.kind == TileKind::Mem);
        let segments = self.segments(end);
        let whole = segments.is_empty();
        let drains = dir == DmaDir::Mm2s;
        let ring_of_one =
            pool.buffers.len() == 1 && pool.ring.is_none() && whole && iterations.is_none();
        let copies = match drains {
            true if !ring_of_one => pool.repeat.max(1),
            _ => 1,
        };
        // Before they are made: their number is one of the input.
        let count = (pool.buffers.len())
            .saturating_mul(usize::try_from(copies).unwrap_or(usize::MAX))
            .saturating_mul(segments.len().max(1));
        self.check_bds(module, end, fifo, count, copies)?;
        let mut bds = Vec::new();
        for object in 0..pool.buffers.len() {
            for _ in 0..copies {
                match segments.as_slice() {
                    [] => bds.push(self.bd(module, id, pool, object, None)?),
                    parts => {
                        for part in parts {
                            bds.push(self.bd(module, id, pool, object, Some(*part))?);
                        }
                    }
                }
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
            dir,
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
        Err(Diag::error(&TOO_MANY_BDS, message)
            .label(module.span(fifo.op.op()), "this object fifo")
            .help(
                "use a smaller depth or repeat_count, or repeat on a mem tile; a fifo of depth 1 \
                 repeats with one BD",
            ))
    }

    /// The parts that an end transfers one by one, with the number of the lock pair of each;
    /// empty when it transfers whole objects under the only pair.
    fn segments(&self, end: &FifoEnd) -> Vec<(usize, ObjectPart)> {
        let Some(LinkEnd {
            link,
            output,
            member,
        }) = end.link
        else {
            return Vec::new();
        };
        let link = &self.links[link];
        let all = || link.parts.iter().copied().enumerate();
        match (link.kind, output) {
            (LinkKind::Plain, _) => Vec::new(),
            (LinkKind::Join, true) | (LinkKind::Distribute, false) => all().collect(),
            (LinkKind::Join, false) | (LinkKind::Distribute, true) => {
                all().filter(|(i, _)| *i == member).collect()
            }
        }
    }

    fn bd(
        &self,
        module: &Module,
        id: usize,
        pool: &Pool,
        object: usize,
        part: Option<(usize, ObjectPart)>,
    ) -> Result<Bd, Diag> {
        let end = &self.ends.ends[id];
        let fifo = &self.netlist.fifos[end.fifo];
        let fills = matches!(end.role, Role::Consumer(_));
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
        let (acquire, release) = match &pool.locks {
            PoolLocks::None => (None, None),
            PoolLocks::Counting(pairs) => {
                let pair = pairs.get(pair).or(pairs.first()).copied();
                let ends = pair.map(|(prod, cons)| match fills {
                    true => (prod, cons),
                    false => (cons, prod),
                });
                (ends.map(|e| (e.0, amount)), ends.map(|e| (e.1, amount)))
            }
            PoolLocks::PerObject(locks) => {
                let lock = locks.get(object).copied();
                let (from, to) = if fills { (0, 1) } else { (1, 0) };
                (lock.map(|l| (l, from)), lock.map(|l| (l, to)))
            }
        };
        let bd = Bd {
            buffer,
            offset,
            len,
            dims,
            pads: match fills {
                true => Vec::new(),
                false => fifo.pads.clone(),
            },
            iteration: pool.ring,
            acquire,
            release,
        };
        Ok(bd)
    }

    /// Elements of a transfer of a whole object. Ends of a link move what the pool holds, however
    /// their own objects are cut; padding sends more.
    fn whole_len(&self, module: &Module, end: &FifoEnd, pool: &Pool, buffer: Value) -> u64 {
        if end.tile.kind.is_shim() {
            let memref = module.ty(buffer).as_memref();
            return memref.and_then(|m| m.num_elements()).unwrap_or(0);
        }
        let owner = &self.ends.ends[pool.owner];
        let drains = !matches!(end.role, Role::Consumer(_));
        if owner.fifo == end.fifo || (drains && !self.netlist.fifos[end.fifo].pads.is_empty()) {
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
        Err(Diag::error(&BAD_DELEGATE, message)
            .label(module.span(fifo.op.op()), "this object fifo")
            .label(
                fifo.delegate.and_then(|(_, op)| module.span(op)),
                "allocated here",
            )
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
    let diag = Diag::error(&OUT_OF_BOUNDS, message)
        .label(module.span(fifo.op.op()), "this object fifo")
        .help(
            "check sizes and strides against the object, and the objects of a link against each \
               other",
        );
    Some(diag)
}
