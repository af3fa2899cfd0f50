//! The object fifos of a device as the lowering sees them: what is written, with tiles resolved.

use std::sync::Arc;

use aiec_aie::ir::{Attr, BdDim, BdPad, MemRefType, Module, Op, Type, Value};
use aiec_aie::ops::enums::FifoPort;
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{
    Core, Device, ObjectFifo, ObjectFifoAcquire, ObjectFifoAllocate,
    ObjectFifoRegisterExternalBuffers, OpKind, OpView, ShimDmaAllocation,
};
use aiec_device::{Arch, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Code, Diag, Diags, Severity};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{BAD_ATTRIBUTE, BAD_TILE, UNKNOWN_FIFO};

/// A tile by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileRef {
    pub handle: Value,
    pub loc: TileLoc,
    pub kind: TileKind,
}

/// Number of objects that the ends hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FifoDepths {
    /// One number is written for all ends; each end is then sized by its use.
    Uniform(usize),
    /// Written for the producer, then for each consumer.
    PerEnd(Vec<usize>),
}

/// Core stream ports instead of DMAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CoreStream {
    pub producer: bool,
    pub consumer: bool,
    pub port: i32,
}

/// One `aie.objectfifo`.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    pub op: ObjectFifo,
    pub name: String,
    pub producer: TileRef,
    pub consumers: Vec<TileRef>,
    /// The producer's object.
    pub object: Object,
    /// The consumers' object, when a different one is written.
    pub consumer_object: Option<Object>,
    pub depths: FifoDepths,
    pub to_stream: Vec<BdDim>,
    /// For each consumer.
    pub from_stream: Vec<Vec<BdDim>>,
    pub via_dma: bool,
    pub plio: bool,
    pub synchronized: bool,
    /// Times each object is sent, as written.
    pub repeat: Option<i64>,
    /// Runs of the finite chain at mem tiles.
    pub iterations: Option<i64>,
    /// The pool of its link is one buffer, which BDs go around (`iterate_bds`).
    pub iterates: bool,
    /// A packet flow instead of a circuit.
    pub packet: bool,
    /// The id of its packets, as written.
    pub packet_id: Option<i64>,
    pub stream: Option<CoreStream>,
    pub producer_pin: Option<i64>,
    /// The fifo whose producer's channel this one's uses, too (`shared_input_channel`).
    pub channel_of: Option<usize>,
    /// For each consumer.
    pub consumer_pins: Vec<Option<i64>>,
    pub init: Vec<Attr>,
    pub pads: Vec<BdPad>,
    pub pad_value: Option<i32>,
    /// Written by `aie.objectfifo.allocate`, or by the older `via_shared_mem` (0 means the
    /// producer's tile, 1 the consumer's).
    pub delegate: Option<(TileRef, Op)>,
    /// Host buffers by shim tile.
    pub external: Vec<(TileLoc, Vec<Value>)>,
    /// The link that takes this fifo's objects.
    pub input_of: Option<usize>,
    /// The link that gives this fifo its objects.
    pub output_of: Option<usize>,
}

/// The type of an object, with its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub ty: Type,
    /// Elements.
    pub elems: u64,
    pub elem_bytes: u64,
}

impl Object {
    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.elems.saturating_mul(self.elem_bytes)
    }

    /// The object of a fifo type or a memref; `None` without a static size.
    pub fn of(ty: &Type) -> Option<Object> {
        let inner = match ty {
            Type::ObjectFifo(inner) => inner,
            other => other,
        };
        let memref: &MemRefType = inner.as_memref()?;
        Some(Object {
            ty: inner.clone(),
            elems: memref.num_elements()?,
            elem_bytes: memref.elem.elem_bytes()?,
        })
    }

    /// Names and type of the buffers of a number of objects: one for each, or a ring of all.
    pub fn buffers(&self, base: &str, depth: usize, ring: bool) -> (Vec<String>, Type) {
        if ring {
            return (vec![format!("{base}_buff")], self.ring(depth));
        }
        let names = (0..depth).map(|k| format!("{base}_buff_{k}"));
        (names.collect(), self.ty.clone())
    }

    /// One buffer for all objects.
    fn ring(&self, depth: usize) -> Type {
        match &self.ty {
            Type::MemRef(memref) => {
                let elems = self.elems.saturating_mul(depth as u64);
                let shape = vec![i64::try_from(elems).unwrap_or(i64::MAX)];
                Type::MemRef(Arc::new(MemRefType {
                    shape,
                    ..MemRefType::clone(memref)
                }))
            }
            other => other.clone(),
        }
    }
}

impl Fifo {
    /// An error about the fifo.
    pub fn error(&self, module: &Module, code: &'static Code, message: impl Into<String>) -> Diag {
        Diag::error(code, message).label(module.span(self.op.op()), "this object fifo")
    }

    /// The consumers' object.
    pub fn consumer_side(&self) -> &Object {
        self.consumer_object.as_ref().unwrap_or(&self.object)
    }
}

/// The fifos of a device and how cores use them.
pub(super) struct Netlist {
    pub model: &'static DeviceModel,
    pub fifos: IndexMap<String, Fifo, FxBuildHasher>,
    /// Largest acquire by (core tile, fifo, is it the producer's end).
    pub acquires: FxHashMap<(TileLoc, usize, bool), usize>,
    /// Whether what no run can do is refused; else it gets a warning.
    pub whole_design: bool,
}

impl Netlist {
    /// A finding about what no run can do, which mlir-aie's transform takes.
    pub fn of_whole(&self, mut diag: Diag) -> Diag {
        if !self.whole_design {
            diag.severity = Severity::Warning;
        }
        diag
    }

    /// Reads all fifos of a device. What can't be read is reported.
    pub fn read(module: &Module, device: Op, diags: &mut Diags) -> Option<Netlist> {
        let model = Device(device).model(module)?;
        let mut netlist = Netlist {
            model,
            fifos: IndexMap::default(),
            acquires: FxHashMap::default(),
            whole_design: false,
        };
        for op in module.children::<ObjectFifo>(device) {
            if let Some(fifo) = read_fifo(module, model, op, diags) {
                netlist.fifos.insert(fifo.name.clone(), fifo);
            }
        }
        diags.check().ok()?;
        netlist.read_shim_channels(module, device, diags);
        netlist.read_allocations(module, device, diags);
        netlist.read_external_buffers(module, device, diags);
        netlist.read_acquires(module, device);
        diags.check().ok()?;
        Some(netlist)
    }

    /// Whether lock values count objects (AIE2 and later) or each object has its own lock.
    pub fn counting_locks(&self) -> bool {
        self.model.arch() != Arch::Aie1
    }

    /// The number of a fifo that an operation names; an unknown name is reported.
    pub fn known(&self, module: &Module, op: Op, name: &str, diags: &mut Diags) -> Option<usize> {
        let at = self.fifos.get_index_of(name);
        if at.is_none() {
            let known = self.fifos.keys().map(String::as_str);
            let help = match aiec_diag::did_you_mean(name, known) {
                Some(near) => format!("did you mean `@{near}`?"),
                None => "declare it with aie.objectfifo in the same device".to_string(),
            };
            let message = format!("there is no object fifo `@{name}`");
            let diag = Diag::error(&UNKNOWN_FIFO, message);
            diags.push(diag.label(module.span(op), "used here").help(help));
        }
        at
    }

    /// A shim allocation with the name of a fifo, as older text has it, says which channel the
    /// fifo's end in that shim tile has.
    fn read_shim_channels(&mut self, module: &Module, device: Op, diags: &mut Diags) {
        for op in module.children::<ShimDmaAllocation>(device) {
            let Some(fifo) = self.fifos.get_mut(&*op.sym_name(module)) else {
                continue;
            };
            let (tile, channel) = (op.tile_loc(module), op.channel_index(module));
            let pin = match op.channel_dir(module) {
                Some(DmaDir::Mm2s) if Some(fifo.producer.loc) == tile => {
                    Some(&mut fifo.producer_pin)
                }
                Some(DmaDir::S2mm) => {
                    let ends = fifo.consumers.iter();
                    let at = ends.clone().position(|end| Some(end.loc) == tile);
                    at.and_then(|at| fifo.consumer_pins.get_mut(at))
                }
                _ => None,
            };
            let same_port = op.plio(module).unwrap_or(false) == fifo.plio;
            let is_only = pin.filter(|pin| pin.is_none_or(|pin| pin == channel));
            match is_only.filter(|_| same_port && op.packet(module).is_none()) {
                Some(pin) => *pin = Some(channel),
                None => {
                    let message = format!(
                        "the shim allocation with the name of fifo `@{}` isn't that of its end",
                        fifo.name
                    );
                    let help = "let it name the tile, direction and kind of port of the fifo's end \
                                in a shim tile, once, or leave it out";
                    let diag = bad_attribute(module, fifo.op, message, help);
                    diags.push(diag.label(module.span(op.op()), "this allocation"));
                }
            }
        }
    }

    fn read_allocations(&mut self, module: &Module, device: Op, diags: &mut Diags) {
        for op in module.children::<ObjectFifoAllocate>(device) {
            let Some(at) = self.known(module, op.op(), &op.objFifo_name(module), diags) else {
                continue;
            };
            let handle = op.delegateTile(module);
            let Some(tile) = handle.and_then(|h| tile_ref(module, self.model, h)) else {
                diags.push(bad_tile(module, op.op(), "delegate"));
                continue;
            };
            let fifo = &mut self.fifos[at];
            let first = fifo.delegate.replace((tile, op.op()));
            // An older `via_shared_mem` names the fifo itself.
            if let Some((_, first)) = first.filter(|(_, first)| *first != fifo.op.op()) {
                let message = format!("fifo `@{}` has more than one allocate operation", fifo.name);
                let diag = bad_attribute(module, fifo.op, message, "keep one of them")
                    .label(module.span(first), "the first one")
                    .label(module.span(op.op()), "the second one");
                diags.push(diag);
            }
        }
    }

    fn read_external_buffers(&mut self, module: &Module, device: Op, diags: &mut Diags) {
        for op in module.children::<ObjectFifoRegisterExternalBuffers>(device) {
            let Some(at) = self.known(module, op.op(), &op.objFifo_name(module), diags) else {
                continue;
            };
            let Some(loc) = op.tile(module).and_then(|t| tile_loc(module, t)) else {
                diags.push(bad_tile(module, op.op(), "shim"));
                continue;
            };
            let buffers: Vec<Value> = module.operands(op.op()).skip(1).collect();
            let known = &mut self.fifos[at].external;
            // The first registration of a tile counts, as in mlir-aie.
            if known.iter().all(|(tile, _)| *tile != loc) {
                known.push((loc, buffers));
            }
        }
    }

    fn read_acquires(&mut self, module: &Module, device: Op) {
        for core in module.children::<Core>(device) {
            let Some(loc) = core.tile_loc(module) else {
                continue;
            };
            for op in module.find(core.op(), OpKind::ObjectFifoAcquire) {
                let acquire = ObjectFifoAcquire(op);
                let name = acquire.objFifo_name(module);
                // Unknown names are reported where the operation is lowered.
                if let Some(fifo) = self.fifos.get_index_of(&*name) {
                    let produce = acquire.port(module) == FifoPort::Produce;
                    let size = usize::try_from(acquire.size(module)).unwrap_or(0);
                    let most = self.acquires.entry((loc, fifo, produce)).or_default();
                    *most = (*most).max(size);
                }
            }
        }
    }
}

/// A tile of the device by its handle.
pub(super) fn tile_ref(module: &Module, model: &DeviceModel, handle: Value) -> Option<TileRef> {
    let loc = tile_loc(module, handle)?;
    Some(TileRef {
        handle,
        loc,
        kind: model.tile_kind(loc)?,
    })
}

/// A tile that isn't placed.
pub(super) fn bad_tile(module: &Module, op: Op, what: &str) -> Diag {
    let message = format!(
        "{what} tile is not a placed aie.tile; run --aie-place-tiles before this pass if it is a \
         logical tile"
    );
    Diag::error(&BAD_TILE, message)
        .label(module.span(op), "here")
        .help("name an aie.tile of the device")
}

fn bad_attribute(module: &Module, op: ObjectFifo, message: String, help: &str) -> Diag {
    Diag::error(&BAD_ATTRIBUTE, message)
        .label(module.span(op.op()), "this object fifo")
        .help(help)
}

fn read_fifo(
    module: &Module,
    model: &DeviceModel,
    op: ObjectFifo,
    diags: &mut Diags,
) -> Option<Fifo> {
    let name = op.sym_name(module).to_string();
    let mut tiles = module.operands(op.op());
    let producer = tiles.next().and_then(|h| tile_ref(module, model, h));
    let consumers: Option<Vec<TileRef>> = tiles.map(|h| tile_ref(module, model, h)).collect();
    let (Some(producer), Some(consumers)) = (producer, consumers) else {
        let which = producer.map_or("producer", |_| "consumer");
        diags.push(bad_tile(module, op.op(), which));
        return None;
    };
    let (object, consumer_object) = objects(module, op, diags)?;
    let depths = depths(module, op, consumers.len(), diags)?;
    let from_stream = op
        .dimensionsFromStreamPerConsumer(module)
        .unwrap_or_default();
    let pins = op.cons_dma_channels(module).unwrap_or_default();
    let pin = |v: i64| (v >= 0).then_some(v);
    let fifo = Fifo {
        op,
        producer,
        object,
        consumer_object,
        depths,
        to_stream: op.dimensionsToStream(module).unwrap_or_default(),
        from_stream: (0..consumers.len())
            .map(|i| from_stream.get(i).map(|d| d.to_vec()).unwrap_or_default())
            .collect(),
        via_dma: op.via_DMA(module).unwrap_or(false),
        plio: op.plio(module).unwrap_or(false),
        synchronized: !op.disable_synchronization(module).unwrap_or(false),
        repeat: op.repeat_count(module).map(i64::from),
        iterations: op.iter_count(module).map(i64::from),
        iterates: op.iterate_bds(module).unwrap_or(false),
        packet: op.packet(module).unwrap_or(false),
        packet_id: op.packet_id(module),
        stream: op.aie_stream(module).map(|which| CoreStream {
            producer: which != 1,
            consumer: which != 0,
            port: op.aie_stream_port(module).unwrap_or(0),
        }),
        producer_pin: op.prod_dma_channel(module).map(i64::from).and_then(pin),
        channel_of: None,
        consumer_pins: (0..consumers.len())
            .map(|i| pins.get(i).copied().and_then(pin))
            .collect(),
        init: op.initValues(module).unwrap_or_default(),
        pads: op.padDimensions(module).unwrap_or_default(),
        pad_value: op.padValue(module),
        delegate: op.via_shared_mem(module).and_then(|which| match which {
            0 => Some((producer, op.op())),
            _ => Some((*consumers.first()?, op.op())),
        }),
        external: Vec::new(),
        input_of: None,
        output_of: None,
        consumers,
        name,
    };
    check_fifo(module, model, &fifo, diags)?;
    Some(fifo)
}

/// The producer's object, and the consumers' if another one is written.
fn objects(module: &Module, op: ObjectFifo, diags: &mut Diags) -> Option<(Object, Option<Object>)> {
    let object = op.elemType(module).as_ref().and_then(Object::of);
    let consumer_type = op.consumerElemType(module);
    let consumer_object = consumer_type.as_ref().and_then(Object::of);
    let sized = consumer_object.is_some() || consumer_type.is_none();
    let object = object.filter(|_| sized);
    if object.is_none() {
        let name = op.sym_name(module);
        let message = format!("the object size of fifo `@{name}` isn't known");
        let help = "use a memref of static shape with integer, float or vector elements";
        diags.push(bad_attribute(module, op, message, help));
    }
    Some((object?, consumer_object))
}

fn depths(
    module: &Module,
    op: ObjectFifo,
    consumers: usize,
    diags: &mut Diags,
) -> Option<FifoDepths> {
    let depths = written_depths(module, op, consumers);
    if depths.is_none() {
        let (name, ends) = (op.sym_name(module), consumers + 1);
        let message = format!(
            "fifo `@{name}` does not have enough depths specified for producer and for each \
             consumer: it must be one number, or {ends} numbers"
        );
        let help = "write for example 2 : i32, or [2, 2]";
        diags.push(bad_attribute(module, op, message, help));
    }
    depths
}

fn written_depths(module: &Module, op: ObjectFifo, consumers: usize) -> Option<FifoDepths> {
    let number = |attr: &Attr| usize::try_from(attr.as_int()?).ok();
    let list: Option<Vec<usize>> = match op.elemNumber(module)? {
        Attr::Array(list) => list.iter().map(number).collect(),
        Attr::DenseArray(list) => {
            let numbers = list.values.iter();
            numbers.map(|v| usize::try_from(*v).ok()).collect()
        }
        other => return number(&other).map(FifoDepths::Uniform),
    };
    list.filter(|l| l.len() == consumers + 1)
        .map(FifoDepths::PerEnd)
}

/// Refuses fifos that can't be lowered.
fn check_fifo(module: &Module, model: &DeviceModel, fifo: &Fifo, diags: &mut Diags) -> Option<()> {
    let before = diags.len();
    let name = &fifo.name;
    let mut refuse = |message: String, help: &str| {
        diags.push(bad_attribute(module, fifo.op, message, help));
    };
    if fifo.consumers.is_empty() {
        refuse(
            format!("fifo `@{name}` has no consumer"),
            "name at least one tile in {…}",
        );
    }
    for (what, count) in [
        ("repeat_count", fifo.repeat),
        ("iter_count", fifo.iterations),
    ] {
        if count.is_some_and(|n| n < 1) {
            refuse(
                format!("{what} of fifo `@{name}` is below 1"),
                "use 1 or more",
            );
        }
    }
    /// The queue's repeat field has 8 bits and counts the runs after the first
    /// (AM025: DMA task queue registers).
    const MAX_ITERATIONS: i64 = 256;
    if fifo.iterations.is_some_and(|n| n > MAX_ITERATIONS) {
        refuse(
            format!("iter_count of fifo `@{name}` is above {MAX_ITERATIONS}"),
            "a DMA task runs at most 256 times; leave iter_count out for an endless chain",
        );
    }
    if model.arch() == Arch::Aie1 && fifo.repeat.unwrap_or(1) > 1 {
        refuse(
            format!("repeat_count of fifo `@{name}` needs locks that count"),
            "send the object several times from the core: locks of this device hold 0 or 1",
        );
    }
    if fifo.stream.is_some() && fifo.consumers.len() > 1 {
        refuse(
            format!("`aie_stream` can only be used in 1-to-1 object FIFOs, `@{name}` is none"),
            "use one fifo for each consumer",
        );
    }
    let shim_producer = fifo.producer.kind.is_shim();
    if shim_producer && (fifo.repeat.is_some() || !fifo.init.is_empty()) {
        refuse(
            format!("fifo `@{name}` starts at a shim tile, where the runtime sequence decides"),
            "repeat the transfer in the runtime sequence, and keep contents in host memory",
        );
    }
    if shim_producer && fifo.consumers.iter().any(|c| c.kind.is_shim()) {
        refuse(
            format!("fifo `@{name}` leads from a shim tile to a shim tile"),
            "end it in a mem tile and link a second fifo from there",
        );
    }
    if !fifo.pads.is_empty() && (fifo.producer.kind != TileKind::Mem || fifo.to_stream.is_empty()) {
        refuse(
            format!("padDimensions of fifo `@{name}` need a mem tile producer with dimensions"),
            "only a mem tile's DMA can pad, and only along dimensionsToStream",
        );
    }
    let producer_depth = match &fifo.depths {
        FifoDepths::Uniform(n) => *n,
        FifoDepths::PerEnd(list) => list.first().copied().unwrap_or(0),
    };
    if !fifo.init.is_empty() && fifo.init.len() != producer_depth {
        refuse(
            format!("initial values of fifo `@{name}` should initialize all objects"),
            "give one value for each object of the producer's end",
        );
    }
    check_packets(module, model, fifo, diags);
    (diags.len() == before).then_some(())
}

fn check_packets(module: &Module, model: &DeviceModel, fifo: &Fifo, diags: &mut Diags) {
    let mut refuse = |message: String, help: &str| {
        diags.push(bad_attribute(module, fifo.op, message, help));
    };
    let max_id = i64::from(model.arch_model().max_packet_id);
    match fifo.packet_id {
        Some(_) if !fifo.packet => refuse(
            "packet_id is only meaningful on a packet objectfifo".to_string(),
            "add `packet`, or leave the id out",
        ),
        Some(id) if !(0..=max_id).contains(&id) => refuse(
            format!("packet_id {id} is out of range (max {max_id})"),
            "leave it out, and a free id is chosen",
        ),
        _ => {}
    }
    if fifo.packet && fifo.stream.is_some() {
        let name = &fifo.name;
        refuse(
            format!("fifo `@{name}` can't be packets: it has an end at a core's stream port"),
            "leave out `packet`: only DMA ports write headers and take them off",
        );
    }
}
