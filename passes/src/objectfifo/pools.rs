//! Pools: the buffers that hold an end's objects and the locks that count them.

use aiec_aie::ir::{
    Attr, BdIteration, FifoAction, FifoUse, InsertPoint, Loc, Module, Op, Type, Value,
};
use aiec_aie::ops::{Buffer, Lock, OpKind, OpView, Tile};
use aiec_device::{TileKind, TileLoc};
use rustc_hash::FxHashMap;

use super::ends::{EndTable, FifoEnd};
use super::fifo::{Fifo, Netlist, TileRef};
use super::links::{Link, LinkKind};
use super::{BAD_ATTRIBUTE, LOCK_RANGE};
use crate::analysis::transfer::WORD_BYTES;
use crate::infra::pass::PassContext;

/// The locks of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PoolLocks {
    /// Nothing is counted.
    None,
    /// For each part: free places (the filler takes them) and filled ones (the drainer).
    Counting(Vec<(Value, Value)>),
    /// For each object: 0 is free, 1 is filled.
    PerObject(Vec<Value>),
}

impl PoolLocks {
    /// The locks of an object, or of a part of the objects, for an end that fills or drains them:
    /// which one to wait for and which one to give to, each with its value.
    pub fn of_bd(
        &self,
        part: usize,
        object: usize,
        fills: bool,
        amount: i64,
    ) -> Option<[(Value, i64); 2]> {
        match self {
            PoolLocks::None => None,
            PoolLocks::Counting(pairs) => {
                let (free, filled) = pairs.get(part).or(pairs.first()).copied()?;
                let locks = if fills {
                    [free, filled]
                } else {
                    [filled, free]
                };
                Some(locks.map(|lock| (lock, amount)))
            }
            PoolLocks::PerObject(locks) => {
                let lock = locks.get(object).copied()?;
                Some([!fills, fills].map(|value| (lock, value.into())))
            }
        }
    }
}

/// The objects of one end, or of the ends that a link brings together.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// The end that it is named after.
    pub owner: usize,
    /// Where its locks are, and its buffers unless they had to go to a neighbour.
    pub tile: TileRef,
    pub buffers: Vec<Value>,
    pub locks: PoolLocks,
    /// Whether a buffer lies on a neighbouring mem tile.
    pub spilled: bool,
    /// Times that each object is drained before its place is free again.
    pub repeat: i64,
    /// All objects lie in one buffer, which BDs go around so.
    pub ring: Option<BdIteration>,
}

/// All pools and the pool of each end.
pub(super) struct Pools {
    pub pools: Vec<Pool>,
    pub of_end: Vec<Option<usize>>,
}

impl Pools {
    /// The pool of an end; `None` where it has none (streams).
    pub fn of(&self, end: usize) -> Option<&Pool> {
        self.pools.get((*self.of_end.get(end)?)?)
    }
}

/// Makes the buffers and locks of all ends.
pub(super) fn create(
    module: &mut Module,
    device: Op,
    netlist: &Netlist,
    links: &[Link],
    ends: &EndTable,
    context: &mut PassContext<'_>,
) -> Pools {
    tiles_before_programs(module, device);
    let mut maker = PoolBuilder {
        after: last_tile(module, device),
        tiles: module
            .children::<Tile>(device)
            .into_iter()
            .filter_map(|t| Some((t.loc(module)?, module.result(t.op(), 0)?)))
            .collect(),
        used_bytes: buffer_bytes(module, device),
        pools: Pools {
            pools: Vec::new(),
            of_end: vec![None; ends.ends.len()],
        },
        device,
        netlist,
        links,
        ends,
        context,
    };
    for end in ends.creation_order() {
        if maker.owner(end) == end && !ends.ends[end].is_stream {
            maker.make(module, end);
        }
    }
    for end in 0..ends.ends.len() {
        if !ends.ends[end].is_stream {
            let owner = maker.owner(end);
            maker.pools.of_end[end] = maker.pools.of_end[owner];
        }
    }
    maker.pools
}

/// Reports ends with more objects than their tile's memory has words, so that no buffers are made in
/// proportion to a depth that is only a number.
pub(super) fn check_depths(
    module: &Module,
    netlist: &Netlist,
    ends: &EndTable,
    context: &mut PassContext<'_>,
) {
    for end in ends.ends.iter().filter(|end| !end.tile.kind.is_shim()) {
        let tile = netlist.model.tile(end.tile.loc);
        let words = tile.map_or(0, |t| u64::from(t.memory_bytes) / WORD_BYTES);
        if end.depth as u64 <= words {
            continue;
        }
        let fifo = &netlist.fifos[end.fifo];
        let message = format!(
            "a depth of {} is more than the {words} words in the memory of tile {}",
            end.depth, end.tile.loc
        );
        let diag = fifo.error(module, &BAD_ATTRIBUTE, message);
        context.report(diag.help("use a depth whose objects fit the tile's memory"));
    }
}

/// Pools are after the last tile, and programs use them: tiles that are written after a program
/// go in front of the first one.
pub(super) fn tiles_before_programs(module: &mut Module, device: Op) {
    let block = module.entry(device, 0);
    let ops = block.map_or(Vec::new(), |block| module.ops_in(block));
    let mut first = None;
    for op in ops {
        match module.kind(op) {
            OpKind::Core | OpKind::Mem | OpKind::MemTileDma | OpKind::ShimDma => {
                first.get_or_insert(op);
            }
            OpKind::Tile => {
                if let Some(first) = first {
                    module.move_to(op, InsertPoint::Before(first));
                }
            }
            _ => {}
        }
    }
}

/// The last tile, after which pools are placed.
pub(super) fn last_tile(module: &Module, device: Op) -> Option<Op> {
    let last = module.last_op(module.entry(device, 0)?);
    std::iter::successors(last, |op| module.prev_op(*op))
        .find(|op| module.kind(*op) == OpKind::Tile)
}

/// Bytes of the buffers that are there already, by tile.
fn buffer_bytes(module: &Module, device: Op) -> FxHashMap<TileLoc, u64> {
    let mut used = FxHashMap::default();
    for buffer in module.find_all::<Buffer>(device) {
        if let Some(loc) = buffer.tile_loc(module) {
            *used.entry(loc).or_default() += buffer.bytes(module).unwrap_or(0);
        }
    }
    used
}

struct PoolBuilder<'a, 'c> {
    device: Op,
    netlist: &'a Netlist,
    links: &'a [Link],
    ends: &'a EndTable,
    context: &'a mut PassContext<'c>,
    /// New pools go directly after this operation, so that later ones come first in the text.
    after: Option<Op>,
    /// Handles of tiles.
    tiles: FxHashMap<TileLoc, Value>,
    used_bytes: FxHashMap<TileLoc, u64>,
    pools: Pools,
}

/// Where the next operation of a pool goes.
pub(super) struct InsertionCursor {
    pub loc: Loc,
    pub after: Option<Op>,
}

impl InsertionCursor {
    fn next(&self) -> InsertPoint {
        self.after.map_or(InsertPoint::Detached, InsertPoint::After)
    }

    /// Makes a buffer.
    pub fn buffer(
        &mut self,
        module: &mut Module,
        tile: Value,
        name: String,
        init: Option<Attr>,
        ty: Type,
    ) -> Value {
        let build = Buffer::build(module, self.loc, tile).sym_name(name);
        let buffer = build.initial_value(init).insert_value(ty, self.next());
        self.after = module.def_op(buffer);
        buffer
    }

    /// Makes a lock.
    pub fn lock(&mut self, module: &mut Module, tile: Value, name: String, init: i64) -> Value {
        let lock = Lock::build(module, self.loc, tile)
            .init(i32::try_from(init).unwrap_or(i32::MAX))
            .sym_name(name)
            .insert_value(Type::Index, self.next());
        self.after = module.def_op(lock);
        lock
    }
}

impl PoolBuilder<'_, '_> {
    /// The end whose pool an end uses.
    fn owner(&self, end: usize) -> usize {
        let Some(at) = self.ends.ends[end].link else {
            return end;
        };
        let link = &self.links[at.link];
        let owner = &self.ends.of_fifo[link.owner()];
        if link.output_owns {
            owner.producer
        } else {
            let consumer = link.input_consumer.first().copied().unwrap_or(0);
            owner.consumer(consumer).unwrap_or(end)
        }
    }

    fn make(&mut self, module: &mut Module, id: usize) {
        let end = &self.ends.ends[id];
        let fifo = &self.netlist.fifos[end.fifo];
        let link = end.link.map(|l| &self.links[l.link]);
        let produces = !end.role.fills();
        let repeat = match link {
            Some(link) => link.repeat,
            None if produces => fifo.repeat.unwrap_or(1),
            None => 1,
        };
        let init: &[Attr] = if produces { &fifo.init } else { &[] };
        let part = FifoUse {
            fifo: fifo.name.as_str().into(),
            produces,
            action: FifoAction::Part {
                depth: u32::try_from(end.depth).unwrap_or(u32::MAX),
            },
        };
        let declared = module.loc(fifo.op.op());
        let mut place = InsertionCursor {
            loc: (module.locs).derived_for_fifo(self.context.pass, declared, part),
            after: self.after,
        };
        let external = fifo.external.iter().find(|(loc, _)| *loc == end.tile.loc);
        let (buffers, spilled) = match external {
            Some((_, buffers)) => (buffers.clone(), false),
            None if end.tile.kind.is_shim() => (Vec::new(), false),
            None => self.buffers(module, end, init, link, &mut place),
        };
        let ring = link
            .filter(|link| link.ring)
            .map(|_| BdIteration::new(end.depth as i64, end.object.elems as i64));
        let objects = if end.tile.kind.is_shim() {
            buffers.len()
        } else {
            end.depth
        };
        // Nothing fills such a pool again: its contents are sent a number of times.
        let frozen = !init.is_empty() && link.is_none() && fifo.iterations.unwrap_or(1) > 1;
        let unused = end.depth == 0 && external.is_none();
        let locks = if fifo.synchronized && !frozen && !unused {
            let wanted = self.lock_names(end, link, objects, init.len(), repeat);
            self.check_range(module, fifo, &wanted);
            self.locks(module, end, wanted, &mut place)
        } else {
            PoolLocks::None
        };
        self.context.count("buffers", buffers.len() as u64);
        self.pools.of_end[id] = Some(self.pools.pools.len());
        self.pools.pools.push(Pool {
            owner: id,
            tile: end.tile,
            buffers,
            locks,
            spilled,
            repeat,
            ring,
        });
    }

    /// The buffers of an end; whether one had to go to a neighbour.
    fn buffers(
        &mut self,
        module: &mut Module,
        end: &FifoEnd,
        init: &[Attr],
        link: Option<&Link>,
        place: &mut InsertionCursor,
    ) -> (Vec<Value>, bool) {
        let mut buffers = Vec::with_capacity(end.depth);
        let mut spilled = false;
        let ring = link.is_some_and(|link| link.ring) && end.depth > 0;
        let (names, ty) = end.object.buffers(&end.name, end.depth, ring);
        let objects = if ring { end.depth as u64 } else { 1 };
        let bytes = end.object.bytes().saturating_mul(objects);
        for (k, name) in names.into_iter().enumerate() {
            let tile = self.tile_for(module, end, bytes, place.loc);
            spilled |= tile != end.tile.handle;
            let init = init.get(k).cloned();
            buffers.push(place.buffer(module, tile, name, init, ty.clone()));
        }
        (buffers, spilled)
    }

    fn locks(
        &self,
        module: &mut Module,
        end: &FifoEnd,
        wanted: Vec<(String, i64)>,
        place: &mut InsertionCursor,
    ) -> PoolLocks {
        let wanted = wanted.into_iter();
        let made: Vec<Value> = wanted
            .map(|(name, value)| place.lock(module, end.tile.handle, name, value))
            .collect();
        if self.netlist.counting_locks() {
            PoolLocks::Counting(made.chunks_exact(2).map(|p| (p[0], p[1])).collect())
        } else {
            PoolLocks::PerObject(made)
        }
    }

    /// Locks that count further than they can.
    fn check_range(&mut self, module: &Module, fifo: &Fifo, wanted: &[(String, i64)]) {
        let max = i64::from(self.netlist.model.arch_model().max_lock_value);
        let Some((name, value)) = wanted.iter().find(|(_, value)| *value > max) else {
            return;
        };
        let message = format!("lock `{name}` would start at {value}, but locks hold 0 to {max}");
        let help = "use a smaller depth or repeat_count: the lock counts their product";
        let diag = fifo.error(module, &LOCK_RANGE, message);
        self.context.report(diag.help(help));
    }

    /// Names and initial values of a pool's locks.
    fn lock_names(
        &self,
        end: &FifoEnd,
        link: Option<&Link>,
        objects: usize,
        init: usize,
        repeat: i64,
    ) -> Vec<(String, i64)> {
        let name = &end.name;
        if !self.netlist.counting_locks() {
            let value = i64::from(init > 0);
            return (0..objects)
                .map(|k| (format!("{name}_lock_{k}"), value))
                .collect();
        }
        let parts = match link {
            Some(link) if link.kind != LinkKind::Plain => link.parts.len(),
            _ => 1,
        };
        let filled = init.min(objects) as i64;
        let free = objects as i64 - filled;
        let (free, filled) = (free.saturating_mul(repeat), filled.saturating_mul(repeat));
        let pair = |j| {
            let names = [
                format!("{name}_prod_lock_{j}"),
                format!("{name}_cons_lock_{j}"),
            ];
            names.into_iter().zip([free, filled])
        };
        (0..parts).flat_map(pair).collect()
    }

    /// The tile for the next buffer of an end: its own while there is room; else the less filled
    /// one of the neighbouring mem tiles, if it has room.
    fn tile_for(&mut self, module: &mut Module, end: &FifoEnd, bytes: u64, loc: Loc) -> Value {
        let home = end.tile.loc;
        let model = self.netlist.model.tile(home);
        let capacity = model.map_or(0, |t| u64::from(t.memory_bytes));
        let used = |tile: &TileLoc| self.used_bytes.get(tile).copied().unwrap_or(0);
        let fits = |tile: &TileLoc| used(tile).saturating_add(bytes) <= capacity;
        let in_reach = |tile: &TileLoc| self.netlist.model.mem_tile_window(home, *tile).is_some();
        let mut chosen = home;
        if end.tile.kind == TileKind::Mem && !fits(&home) {
            let sides = [home.col.checked_sub(1), home.col.checked_add(1)];
            let beside = sides.into_iter().flatten();
            let tiles = beside.map(|col| TileLoc::new(col, home.row));
            let with_room = tiles.filter(|tile| in_reach(tile) && fits(tile));
            // The first of equal ones.
            chosen = with_room.min_by_key(used).unwrap_or(home);
        }
        *self.used_bytes.entry(chosen).or_default() += bytes;
        if chosen == home {
            return end.tile.handle;
        }
        self.handle(module, chosen, loc).unwrap_or(end.tile.handle)
    }

    /// The handle of a tile, made at the start of the device if there is none.
    fn handle(&mut self, module: &mut Module, tile: TileLoc, loc: Loc) -> Option<Value> {
        if let Some(handle) = self.tiles.get(&tile) {
            return Some(*handle);
        }
        let block = module.entry(self.device, 0)?;
        let handle = Tile::build(module, loc, tile.col, tile.row)
            .insert_value(Type::Index, InsertPoint::Start(block));
        self.tiles.insert(tile, handle);
        Some(handle)
    }
}
