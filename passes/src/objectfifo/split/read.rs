//! Reads and checks pools, endpoints and routes.

use aiec_aie::ir::{Attr, Module, Op, SymbolTable};
use aiec_aie::ops::enums::FifoRole;
use aiec_aie::ops::{
    CoreEndpoint, DmaEndpoint, FifoPool, FifoSegment, OpView, Route, RouteEndpoint,
};
use aiec_device::{Arch, Bundle, DeviceModel, TileKind};
use aiec_diag::{Diag, Diags};
use rustc_hash::FxHashMap;

use super::super::fifo::{Object, TileRef, bad_tile, tile_ref};
use super::super::{BAD_POOL, UNSUPPORTED};
use super::pieces::{
    DevicePieces, Dma, Endpoint, ForeignEnd, Pool, RouteEnd, RouteStream, Segment,
};

impl DevicePieces {
    /// Reads all pieces; what doesn't fit is reported.
    pub fn read(
        module: &Module,
        device: Op,
        model: &DeviceModel,
        diags: &mut Diags,
    ) -> DevicePieces {
        let symbols = SymbolTable::of(module, device);
        let mut reader = Reader {
            module,
            model,
            symbols: &symbols,
            diags,
            pool_names: FxHashMap::default(),
            end_names: FxHashMap::default(),
            pieces: DevicePieces {
                counting: model.arch() != Arch::Aie1,
                pools: Vec::new(),
                ends: Vec::new(),
                foreign: Vec::new(),
                ways: Vec::new(),
                starts: Vec::new(),
                tasks: Vec::new(),
            },
        };
        for op in module.children::<FifoPool>(device) {
            reader.pool(op);
        }
        for op in module.children::<CoreEndpoint>(device) {
            let what = (op.sym_name(module), op.pool(module), op.role(module));
            reader.endpoint(op.op(), op.tile(module), what, op.segments(module), None);
        }
        for op in module.children::<DmaEndpoint>(device) {
            let what = (op.sym_name(module), op.pool(module), op.role(module));
            let dims = op.dimensions(module).unwrap_or_default();
            let pads = op.padDimensions(module).unwrap_or_default();
            let dma = Some(Dma {
                pin: op.channelIndex(module).map(i64::from),
                iterations: op.iterCount(module).map(i64::from),
                dims: dims.iter().map(|d| d.to_vec()).collect(),
                pads: pads.iter().map(|p| p.to_vec()).collect(),
                pad_value: op.padValue(module).filter(|value| *value != 0),
                packet: op.packet(module),
            });
            reader.endpoint(op.op(), op.tile(module), what, op.segments(module), dma);
        }
        for op in module.children::<RouteEndpoint>(device) {
            reader.foreign(op);
        }
        for op in module.children::<Route>(device) {
            reader.way(op);
        }
        reader.starts(device);
        reader.tasks(device);
        if reader.diags.check().is_ok() {
            reader.whole();
        }
        reader.pieces
    }
}

/// Reads piece by piece; what doesn't fit is reported.
pub(super) struct Reader<'a> {
    pub module: &'a Module,
    model: &'a DeviceModel,
    symbols: &'a SymbolTable,
    diags: &'a mut Diags,
    pool_names: FxHashMap<String, usize>,
    pub end_names: FxHashMap<String, RouteEnd>,
    pub pieces: DevicePieces,
}

/// The name that an entry of a list is; empty for anything else.
fn leaf(attr: &Attr) -> &str {
    match attr {
        Attr::Symbol(symbol) => symbol.leaf(),
        _ => "",
    }
}

/// Name of an endpoint, the pool that it names, and its role there.
type Named = (std::sync::Arc<str>, std::sync::Arc<str>, FifoRole);

impl Reader<'_> {
    pub fn bad(&mut self, op: Op, message: impl Into<String>, help: &str) {
        let diag = Diag::error(&BAD_POOL, message)
            .label(self.module.span(op), "here")
            .help(help);
        self.diags.push(diag);
    }

    /// The end of a route that an operation programs by its name; none if the name is unknown, or of a pool, which
    /// is reported.
    pub(super) fn foreign_end(&mut self, op: Op, name: &str) -> Option<usize> {
        match self.end_names.get(name)? {
            RouteEnd::Foreign(end) => Some(*end),
            RouteEnd::Pool(_) => {
                let message = format!("the DMA of `@{name}` is programmed by its pool");
                self.bad(op, message, "name an aie.route_endpoint");
                None
            }
        }
    }

    /// Attributes that mean something which this lowering doesn't know aren't passed over.
    /// The names of those that it knows are in one text, with spaces between.
    fn refuse_unknown(&mut self, op: Op, known: &str) {
        let name = self.module.op_name(op);
        for (key, _) in self.module.attrs(op) {
            if known.split(' ').any(|name| name == key) {
                continue;
            }
            let message = format!("`{key}` of `{name}` isn't known here");
            let help = "leave it out, or write the fifo as aie.objectfifo, which has more features";
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(self.module.span(op), "written here")
                .help(help);
            self.diags.push(diag);
        }
    }

    fn tile(&mut self, op: Op, handle: Option<aiec_aie::ir::Value>) -> Option<TileRef> {
        let tile = handle.and_then(|h| tile_ref(self.module, self.model, h));
        if tile.is_none() {
            self.diags.push(bad_tile(self.module, op, "its"));
        }
        tile
    }

    fn symbol(&mut self, op: Op, attr: &Attr) -> Option<Op> {
        let Attr::Symbol(symbol) = attr else {
            let message = "a list of names holds something else";
            self.bad(op, message, "write `[@a, @b]`");
            return None;
        };
        let found = self.symbols.get(symbol.leaf());
        if found.is_none() {
            let message = format!("there is no `@{}`", symbol.leaf());
            self.bad(op, message, "declare it in the same device");
        }
        found
    }

    fn symbols(&mut self, op: Op, list: Option<Vec<Attr>>) -> Option<Vec<Op>> {
        let list = list?;
        Some(list.iter().filter_map(|s| self.symbol(op, s)).collect())
    }

    fn pool(&mut self, view: FifoPool) {
        let (m, op) = (self.module, view.op());
        let known = "sym_name elemType depth buffers locks repeatCount iterateBds fifoName";
        self.refuse_unknown(op, known);
        let name = view.sym_name(m).to_string();
        let Some(tile) = self.tile(op, view.tile(m)) else {
            return;
        };
        let object = view.elemType(m).as_ref().and_then(Object::of);
        let Some(object) = object else {
            let message = format!("the objects of pool `@{name}` have no size");
            self.bad(op, message, "use a memref of static shape");
            return;
        };
        let segments = self.segments(op, &object);
        let buffers = self.symbols(op, view.buffers(m));
        let locks = self.symbols(op, view.locks(m));
        let depth = usize::try_from(view.depth(m)).unwrap_or(0);
        let ring = view.iterateBds(m).unwrap_or(false);
        let held = if ring { 1 } else { depth };
        for (what, list, count) in [("buffers", &buffers, held), ("locks", &locks, depth)] {
            if list.as_ref().is_some_and(|l| l.len() != count) {
                let message = format!("pool `@{name}` is {depth} deep, but not its {what}");
                let help = if ring {
                    "name one buffer for all objects, as iterateBds says"
                } else {
                    "name as many as the depth says"
                };
                self.bad(op, message, help);
            }
        }
        if ring && view.repeatCount(m).is_some() {
            let message = "iterate_bds cannot be combined with 'repeatCount'";
            self.bad(op, message, "leave out one of the two");
        }
        if depth == 0 {
            let message = format!("pool `@{name}` holds nothing");
            self.bad(op, message, "make it 1 or more deep");
        }
        if !self.pieces.counting && (segments.len() > 1 || view.repeatCount(m).is_some()) {
            let message = format!("pool `@{name}` needs locks that count");
            let help = "locks of this device hold 0 or 1: use one segment, and no repeatCount";
            self.bad(op, message, help);
        }
        let base = name.strip_suffix("_pool").unwrap_or(&name).to_string();
        self.pool_names.insert(name, self.pieces.pools.len());
        self.pieces.pools.push(Pool {
            op,
            base,
            tile,
            object,
            depth,
            segments,
            repeat: view.repeatCount(m).map_or(1, i64::from),
            ring,
            buffers,
            locks,
        });
    }

    /// In rising order, without gaps, over the whole object.
    fn segments(&mut self, pool: Op, object: &Object) -> Vec<Segment> {
        let m = self.module;
        let mut list = Vec::new();
        let mut next = 0;
        for view in m.children::<FifoSegment>(pool) {
            let op = view.op();
            self.refuse_unknown(op, "sym_name offset size produceLock consumeLock");
            let offset = u64::try_from(view.offset(m)).unwrap_or(u64::MAX);
            let size = u64::try_from(view.size(m)).unwrap_or(0);
            let name = view.sym_name(m).to_string();
            if offset != next || size == 0 {
                let message =
                    format!("segment `@{name}` starts at {offset}, the next free is {next}");
                let help = "write the segments in rising order, one after the other";
                self.bad(op, message, help);
            }
            next = offset.saturating_add(size);
            let lock = |name: Option<std::sync::Arc<str>>| self.symbols.get(&name?);
            let locks = lock(view.produceLock(m)).zip(lock(view.consumeLock(m)));
            if locks.is_none() && (view.produceLock(m).is_some() || view.consumeLock(m).is_some()) {
                let message = format!("segment `@{name}` has not both of its locks");
                let help = "name two aie.lock operations of the device, or none";
                self.bad(op, message, help);
            }
            list.push(Segment {
                name,
                offset,
                size,
                locks,
            });
        }
        if next != object.elems {
            let message = format!("the segments cover {next} of {} elements", object.elems);
            self.bad(pool, message, "write segments for the whole object");
        }
        list
    }

    fn endpoint(
        &mut self,
        op: Op,
        tile: Option<aiec_aie::ir::Value>,
        (name, pool, role): Named,
        segments: Option<Vec<Attr>>,
        dma: Option<Dma>,
    ) {
        let known = match dma {
            None => "sym_name role pool segments fifoName",
            Some(_) => {
                "sym_name role pool segments fifoName channelIndex iterCount dimensions \
                 padDimensions padValue packet"
            }
        };
        self.refuse_unknown(op, known);
        let Some(tile) = self.tile(op, tile) else {
            return;
        };
        let Some(at) = self.pool_names.get(&*pool).copied() else {
            let message = format!("there is no pool `@{pool}`");
            let help = "declare it with aie.objectfifo.pool in the same device";
            self.bad(op, message, help);
            return;
        };
        let Some(chosen) = self.chosen(op, at, segments) else {
            return;
        };
        let pool = &self.pieces.pools[at];
        let problem = self.bd_error(tile, pool, chosen.len(), role, dma.as_ref());
        if let Some(problem) = problem {
            let message = format!("endpoint `@{name}`: {problem}");
            let help = "put it on another tile or pool, or write the fifo as aie.objectfifo";
            self.bad(op, message, help);
            return;
        }
        self.end_names
            .insert(name.to_string(), RouteEnd::Pool(self.pieces.ends.len()));
        self.pieces.ends.push(Endpoint {
            op,
            name: name.to_string(),
            tile,
            pool: at,
            fills: role == FifoRole::fills,
            segments: chosen,
            dma,
        });
    }

    /// The problem of an endpoint with this number of segments of a pool.
    fn bd_error(
        &self,
        tile: TileRef,
        pool: &Pool,
        chosen: usize,
        role: FifoRole,
        dma: Option<&Dma>,
    ) -> Option<&'static str> {
        match dma {
            None if chosen != pool.segments.len() || chosen > 1 => {
                Some("a core takes whole objects of pools with one segment")
            }
            None if tile.kind != TileKind::Core => Some("only core tiles have cores"),
            None if pool.ring => Some("objects of iterate_bds are addressed only by a DMA"),
            None if self.model.core_window_to(tile.loc, pool.tile.loc).is_none() => {
                Some("the core doesn't reach the pool's memory")
            }
            Some(_) if tile.loc != pool.tile.loc => Some("a DMA moves objects of its own tile"),
            Some(dma) if !dma.dims.is_empty() && dma.dims.len() != chosen => {
                Some("there are not as many dimensions as segments")
            }
            Some(dma) if !dma.pads.is_empty() && dma.pads.len() != chosen => {
                Some("there are not as many lists of pads as segments")
            }
            Some(dma) if !dma.pads.is_empty() && role == FifoRole::fills => {
                Some("only an endpoint that drains pads")
            }
            Some(dma) if !dma.pads_fit() => Some("pads need a dimension each"),
            Some(dma) if dma.packet.is_some() && pool.ring => {
                Some("packet header cannot be combined with a pool using iterate_bds")
            }
            Some(dma) if dma.iterations.is_some_and(|n| !(1..=256).contains(&n)) => {
                Some("iterCount is from 1 to 256")
            }
            _ => None,
        }
    }

    /// The segments that an endpoint names; the only one if it names none.
    fn chosen(&mut self, op: Op, pool: usize, named: Option<Vec<Attr>>) -> Option<Vec<usize>> {
        let segments = &self.pieces.pools[pool].segments;
        let Some(named) = named else {
            if segments.len() > 1 {
                let help = "write segments = [@s0, …]";
                self.bad(op, "which segments of the pool is left open", help);
                return None;
            }
            return Some(vec![0]);
        };
        let mut chosen = Vec::with_capacity(named.len());
        for attr in &named {
            let at = segments.iter().position(|s| s.name == leaf(attr));
            chosen.extend(at.filter(|at| chosen.last().is_none_or(|last| last < at)));
        }
        if chosen.len() != named.len() || chosen.is_empty() {
            let help = "name segments of the pool in rising order";
            self.bad(op, "the segments don't fit the pool", help);
            return None;
        }
        Some(chosen)
    }

    fn foreign(&mut self, view: RouteEndpoint) {
        let (m, op) = (self.module, view.op());
        self.refuse_unknown(op, "sym_name bundle channelIndex sharesChannel fifoName");
        let Some(tile) = self.tile(op, view.tile(m)) else {
            return;
        };
        let name = view.sym_name(m).to_string();
        self.end_names
            .insert(name.clone(), RouteEnd::Foreign(self.pieces.foreign.len()));
        self.pieces.foreign.push(ForeignEnd {
            op,
            name,
            fifo: view.fifoName(m).map(|n| n.to_string()),
            tile,
            bundle: view.bundle(m).unwrap_or(Bundle::Dma),
            pin: view.channelIndex(m).map(i64::from),
            leader: view.sharesChannel(m).map(|name| name.to_string()),
        });
    }

    fn way(&mut self, view: Route) {
        let (m, op) = (self.module, view.op());
        self.refuse_unknown(op, "from to packet");
        let from = self.ends_of(op, &view.from(m));
        let to = self.ends_of(op, &view.to(m));
        let packet = view.packet(m).map(|attr| match attr {
            Attr::Packet(packet) => Some(packet.pkt_id),
            _ => None,
        });
        if from.len() > 1 && packet.is_none() {
            let help = "make it packet-switched: {packet = #aie.packet_info<>}";
            self.bad(op, "several sources can't share a circuit", help);
        }
        self.pieces.ways.push(RouteStream {
            op,
            from,
            to,
            packet,
        });
    }

    fn ends_of(&mut self, op: Op, list: &[Attr]) -> Vec<RouteEnd> {
        let mut ends = Vec::with_capacity(list.len());
        for attr in list {
            let end = self.end_names.get(leaf(attr)).copied();
            if end.is_none() {
                let message = format!("there is no endpoint `@{}`", leaf(attr));
                self.bad(op, message, "declare it in the same device");
            }
            ends.extend(end);
        }
        ends
    }

    /// Checks that need all parts: each segment is filled and drained once, each DMA is in one
    /// route.
    fn whole(&mut self) {
        let mut filled: FxHashMap<(usize, usize, bool), Op> = FxHashMap::default();
        for end in &self.pieces.ends {
            for segment in &end.segments {
                if let Some(first) = filled.insert((end.pool, *segment, end.fills), end.op) {
                    let base = &self.pieces.pools[end.pool].base;
                    let message = format!("two endpoints do the same to a segment of `@{base}`");
                    let diag = Diag::error(&BAD_POOL, message)
                        .label(self.module.span(end.op), "the second one")
                        .label(self.module.span(first), "the first one")
                        .help("give each its own segments");
                    self.diags.push(diag);
                }
            }
        }
        for (at, pool) in self.pieces.pools.clone().iter().enumerate() {
            for (n, segment) in pool.segments.iter().enumerate() {
                for (fills, verb) in [(true, "fills"), (false, "drains")] {
                    // Contents may be there from the start, or kept by the host.
                    let by_others = pool.buffers.is_some();
                    if !by_others && !filled.contains_key(&(at, n, fills)) {
                        let message = format!("no endpoint {verb} `@{}`", segment.name);
                        let help = "a pool's segments have one endpoint on each side";
                        self.bad(pool.op, message, help);
                    }
                }
            }
        }
        let mut used: FxHashMap<RouteEnd, Op> = FxHashMap::default();
        for way in self.pieces.ways.clone() {
            for (end, source) in way.ends() {
                if used.insert(end, way.op).is_some() {
                    self.bad(way.op, "an endpoint is in two routes", "make it one route");
                }
                if let RouteEnd::Pool(n) = end {
                    let end = &self.pieces.ends[n];
                    if end.fills == source || end.dma.is_none() {
                        let message = format!("`@{}` can't be on this side of a route", end.name);
                        let help = "a route leads from draining DMAs to filling ones";
                        self.bad(way.op, message, help);
                    }
                }
            }
        }
        for (n, end) in self.pieces.ends.clone().iter().enumerate() {
            if end.dma.is_some() && !used.contains_key(&RouteEnd::Pool(n)) {
                let message = format!("endpoint `@{}` is in no route", end.name);
                self.bad(end.op, message, "connect it with aie.route");
            }
        }
    }
}
