//! Object fifos: their ends and options.

use aiec_device::{TileKind, TileLoc};

use super::array::below_minimum;
use super::{Context, Report, codes};
use crate::ir::{Attr, MemRefType, Module, Type, Value};
use crate::ops::netlist::tile_loc;
use crate::ops::{ObjectFifo, ObjectFifoAllocate, OpView};
use aiec_diag::Diag;

pub(super) fn check(cx: &mut Context<'_>) {
    for fifo in cx.all::<ObjectFifo>() {
        ends(cx, fifo);
        options(cx, fifo);
    }
    cx.each(check_allocate);
}

impl ObjectFifo {
    /// Tiles of the consumers.
    pub fn consumers(self, module: &Module) -> Vec<Value> {
        module.operands(self.op()).skip(1).collect()
    }

    /// Whether the producer sends its objects in another layout.
    fn lays_out_to_stream(self, module: &Module) -> bool {
        let dims = self.dimensionsToStream(module);
        dims.is_some_and(|dims| !dims.is_empty())
    }

    /// Whether a consumer receives its objects in another layout.
    fn lays_out_from_stream(self, module: &Module) -> bool {
        let lists = self.dimensionsFromStreamPerConsumer(module);
        lists
            .unwrap_or_default()
            .iter()
            .any(|dims| !dims.is_empty())
    }
}

fn ends(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    let consumers = fifo.consumers(m);
    if consumers.is_empty() {
        let text = "must have at least one consumer tile";
        let message = "a fifo without consumers";
        let help = "name at least one consumer tile in { }";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    for end in m.operands(op) {
        let kind = cx.tile(Some(end)).and_then(|l| cx.kind_at(l));
        let plio = fifo.plio(m).unwrap_or(false);
        if kind == Some(TileKind::ShimPl) && !plio {
            let loc = tile_loc(m, end).map(|l| l.to_string()).unwrap_or_default();
            let noc: Vec<String> = (0..cx.model.columns())
                .filter(|c| cx.kind_at(TileLoc::new(*c, 0)) == Some(TileKind::ShimNoc))
                .map(|c| c.to_string())
                .collect();
            // Only a warning: the lowering of the fifo is the same, and netlists that are only
            // transformed need no router. The router refuses the port that isn't there.
            let message = format!("{loc}, a shim tile without a DMA, can't be the end of a fifo");
            let diag = Diag::warning(&codes::FIFO, message)
                .label(m.span(op), "this object fifo")
                .label(m.value_span(end), "this tile")
                .help(format!("columns with a shim DMA: {}", noc.join(", ")));
            if fifo.aie_stream(m).is_none() {
                diag.push_of_whole(cx);
            }
        }
    }
    let all_shim = m.operands(op).all(|end| cx.on_shim(Some(end)));
    if all_shim && !consumers.is_empty() {
        let message = "a fifo between shim tiles has no memory to keep its objects in";
        let help = "let it pass a mem or core tile: two fifos and an aie.objectfifo.link";
        cx.problem(op, &codes::FIFO, message, help);
    }
}

/// Depths: one for all, or producer first and then each consumer.
pub(super) fn depths(attr: &Attr) -> Option<Vec<i64>> {
    match attr {
        Attr::Int(n, _) => Some(vec![*n]),
        Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
        Attr::DenseArray(list) => Some(list.values.clone()),
        _ => None,
    }
}

fn options(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    let consumers = fifo.consumers(m);
    let from_shim = cx.on_shim(fifo.producerTile(m));
    match fifo.elemNumber(m).as_ref().and_then(depths) {
        None => cx.problem(
            op,
            &codes::FIFO,
            "the depth is neither a number nor a list of numbers",
            "write `2 : i32` or `[2, 3]`",
        ),
        Some(list) => {
            if list.len() != 1 && list.len() != consumers.len() + 1 {
                let message = format!("{} depths for {} ends", list.len(), consumers.len() + 1);
                let help = "give one for the producer, then one for each consumer";
                let text =
                    "does not have enough depths specified for producer and for each consumer.";
                cx.shared(op, &codes::FIFO, (message, help), text);
            }
            // Depth 0 at an end means that the end has no buffers of its own.
            let wrong = list.iter().find(|n| **n < 0);
            let zero = || list.first().filter(|_| list.iter().all(|n| *n == 0));
            if let Some(depth) = wrong.or_else(zero) {
                let message = format!("a fifo of depth {depth}");
                let help = "a fifo holds at least one object";
                cx.problem(op, &codes::FIFO, message, help);
            }
        }
    }
    element_type(cx, fifo);
    asymmetric(cx, fifo);
    initial_values(cx, fifo);
    stream_ends(cx, fifo);
    let repeats = fifo.repeat_count(m).is_some();
    let has_values = fifo.initValues(m).is_some_and(|l| !l.is_empty());
    for (what, key, given) in [
        ("repeat_count", "repeat_count", repeats),
        ("initial values", "init_values", has_values),
    ] {
        if given && from_shim {
            let message = format!("a fifo from a shim tile can't have {what}");
            let help = "give it to the fifo after a link through a mem tile";
            let text = format!("`{key}` unavailable for shim tiles");
            cx.shared(op, &codes::FIFO, (message, help), text);
        }
    }
    if fifo.repeat_count(m).is_some_and(|n| n < 1) {
        let message = "repeat_count must be at least 1";
        let help = "1 sends each object once";
        let mlir_aie = below_minimum(cx, op, "repeat_count", 1);
        cx.shared_as(op, &codes::FIFO, (message, help), mlir_aie);
    }
    if let Some(which) = fifo.via_shared_mem(m)
        && !(0..=1).contains(&which)
    {
        let message = format!("via_shared_mem {which} names no end of the fifo");
        let help = "0 keeps the objects at the producer, 1 at the consumer";
        cx.problem(op, &codes::FIFO, message, help);
    }
    if let Some(count) = fifo.iter_count(m)
        && !(1..=256).contains(&count)
    {
        let message = format!("iter_count {count} is out of range");
        let help = "it is 1 to 256: a DMA task runs its chain up to 256 times; leave it out for \
                    an endless chain";
        let text = "`iter_count` must be between 1 and 256";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    let mut kinds = m.operands(op).map(|end| cx.kind_of(Some(end)));
    let on_mem = kinds.any(|kind| matches!(kind, None | Some(TileKind::Mem)));
    if fifo.iter_count(m).is_some() && fifo.aie_stream(m).is_none() && !on_mem {
        let message = "iter_count on a fifo without an end on a mem tile";
        let help = "leave it out, or let the fifo start or end on a mem tile";
        let text = "`iter_count` is currently only supported on MemTiles";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    if fifo.padValue(m).is_some() && fifo.padDimensions(m).is_none() {
        let message = "padValue without padDimensions";
        let help = "add padDimensions or remove padValue";
        let text = "`padValue` requires `padDimensions`";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    let pads = fifo.padValue(m).is_some_and(|value| value != 0);
    let mem = cx.model.arch_model().mem.as_ref();
    let dma = mem.and_then(|tile| tile.dma.as_ref());
    if pads && fifo.padDimensions(m).is_some() && !dma.is_some_and(|dma| dma.pad_value) {
        let message = format!("{} can pad with zeros only", cx.model.name());
        let text = "`padValue` requires the CONSTANT_PAD_VALUE register";
        let help = "remove padValue, or compile for AIE2P";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    if fifo.lays_out_to_stream(m) && from_shim {
        let text = "`dimensionsToStream` data layout transformations are not supported on shim \
                    tile producers";
        let help = "give the sizes and strides to the transfer in the runtime sequence";
        let message = "dimensionsToStream on a shim tile";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
    let from_stream = fifo.dimensionsFromStreamPerConsumer(m).unwrap_or_default();
    let at_shim = consumers
        .iter()
        .zip(&from_stream)
        .any(|(tile, dims)| !dims.is_empty() && cx.on_shim(Some(*tile)));
    if at_shim {
        let text = "`dimensionsFromStreamPerConsumer` data layout transformations are not \
                    supported on shim tile consumers";
        let help = "give the sizes and strides to the transfer in the runtime sequence";
        let message = "dimensionsFromStream on a shim tile";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
}

/// The memref in a fifo's type.
fn object(ty: Option<&Type>) -> Option<&MemRefType> {
    match ty? {
        Type::ObjectFifo(inner) => inner.as_memref(),
        _ => None,
    }
}

/// A consumer that sees smaller objects: whole parts of the producer's, of the same scalar.
fn asymmetric(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    let (produced, consumed) = (fifo.elemType(m), fifo.consumerElemType(m));
    let (Some(from), Some(to)) = (object(produced.as_ref()), object(consumed.as_ref())) else {
        return;
    };
    let (size, part) = (
        from.num_elements().unwrap_or(0),
        to.num_elements().unwrap_or(0),
    );
    if from.elem != to.elem {
        let help = "use one element type on both sides of `->`";
        let text = "producer and consumer must have the same scalar element type";
        let message = "the ends have different element types";
        cx.shared(op, &codes::FIFO, (message, help), text);
    } else if part == 0 {
        let help = "give the consumer's objects at least one element";
        let text = "consumer element count must be positive";
        let message = "the consumer's objects are empty";
        cx.shared(op, &codes::FIFO, (message, help), text);
    } else if !size.is_multiple_of(part) {
        let message = format!("objects of {size} elements can't be read in parts of {part}");
        let text = format!(
            "producer element size ({size}) must be an integer multiple of consumer element size \
             ({part})"
        );
        let help = "choose a divisor of the producer's size";
        cx.shared(op, &codes::FIFO, (message, help), text);
    }
}

/// One initial value for each object of the producer.
fn initial_values(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    let values = fifo.initValues(m).unwrap_or_default();
    if values.is_empty() {
        return;
    }
    let depth = fifo.elemNumber(m).as_ref().and_then(depths);
    let depth = depth.and_then(|list| list.first().copied());
    if depth.is_some_and(|n| n != values.len() as i64) {
        let (count, objects) = (values.len(), depth.unwrap_or(0));
        let message = format!("{count} initial values for {objects} objects");
        let help = "give one for each object of the producer";
        let text = "custom op 'aie.objectfifo' initial values should initialize all objects";
        cx.shared_plain(op, &codes::FIFO, (message, help), text);
    }
    if !values
        .iter()
        .all(|v| matches!(v, Attr::Dense(_) | Attr::Opaque(_)))
    {
        let message = "an initial value that isn't a literal of the object's type";
        let help = "write dense<…> : memref<…>";
        let text = "custom op 'aie.objectfifo' initial value should be an elements attribute";
        cx.shared_plain(op, &codes::FIFO, (message, help), text);
    }
}

/// Ends that are the core's own stream port have neither buffers nor a DMA.
fn stream_ends(cx: &mut Context<'_>, fifo: ObjectFifo) {
    /// Values of `aie_stream`: which ends are stream ports.
    const PRODUCER: i32 = 0;
    const CONSUMER: i32 = 1;
    const BOTH: i32 = 2;
    let m = cx.module;
    let op = fifo.op();
    let Some(which) = fifo.aie_stream(m) else {
        if fifo.aie_stream_port(m).is_some() {
            let help =
                "say which ends are streams: aie_stream = 0 : i32 (producer), 1 (consumer), 2";
            let text = "`aie_stream` and `aie_stream_port` must be used together";
            let message = "aie_stream_port without aie_stream";
            cx.shared(op, &codes::FIFO, (message, help), text);
        }
        return;
    };
    let consumers = fifo.consumers(m);
    let mut ends: Vec<Option<Value>> = Vec::new();
    if matches!(which, PRODUCER | BOTH) {
        ends.push(fifo.producerTile(m));
    }
    if matches!(which, CONSUMER | BOTH) {
        ends.extend(consumers.iter().map(|c| Some(*c)));
    }
    let on_core = ends
        .iter()
        .all(|end| matches!(cx.kind_of(*end), Some(TileKind::Core) | None));
    let values = fifo.initValues(m).is_some_and(|l| !l.is_empty());
    let produces = matches!(which, PRODUCER | BOTH);
    let given = |channel: &i64| *channel >= 0;
    let pinned = fifo.prod_dma_channel(m).is_some_and(|c| given(&c.into()))
        || fifo
            .cons_dma_channels(m)
            .is_some_and(|list| list.iter().any(given));
    const KEEP_OUT: &str = "remove it, or give this end a buffer: leave aie_stream out";
    if !matches!(which, PRODUCER | CONSUMER | BOTH) {
        let message = format!("aie_stream {which} names no end of the fifo");
        let help = "0 is the producer, 1 the consumer, 2 both";
        cx.problem(op, &codes::FIFO, message, help);
    }
    let rules = [
        (
            fifo.aie_stream_port(m).is_none(),
            "aie_stream without aie_stream_port",
            "name the port of the core: aie_stream_port = 0 : i32",
            "`aie_stream` and `aie_stream_port` must be used together",
        ),
        (
            consumers.len() > 1,
            "a stream end of a fifo with several consumers",
            "use one fifo for each consumer",
            "`aie_stream` is only available for objectfifos with one consumer",
        ),
        (
            !on_core,
            "only cores have stream ports",
            "put this end on a core tile, or leave aie_stream out",
            "`aie_stream` is not available for shim and mem tiles",
        ),
        (
            produces && fifo.repeat_count(m).is_some(),
            "repeat_count with a stream end",
            KEEP_OUT,
            "`repeat_count` unavailable on stream end",
        ),
        (
            produces && values,
            "initial values with a stream end",
            KEEP_OUT,
            "`init_values` unavailable on stream end",
        ),
        (
            produces && fifo.iter_count(m).is_some(),
            "iter_count with a stream end",
            KEEP_OUT,
            "`iter_count` unavailable on stream end",
        ),
        (
            produces && fifo.lays_out_to_stream(m),
            "dimensionsToStream at a stream end",
            KEEP_OUT,
            "`dimensionsToStream` data layout transformations are unavailable on stream end",
        ),
        (
            fifo.lays_out_from_stream(m) && matches!(which, CONSUMER | BOTH),
            "dimensionsFromStream at a stream end",
            KEEP_OUT,
            "`dimensionsFromStreamPerConsumer` data layout transformations are unavailable on \
             stream end",
        ),
        (
            pinned,
            "a DMA channel is chosen for a fifo with a stream end",
            "stream ports bypass the DMA: leave the channels or aie_stream out",
            "cannot pin a DMA channel on an objectfifo that also uses aie_stream (stream ports \
             bypass DMA channels)",
        ),
    ];
    for (broken, message, help, text) in rules {
        if broken {
            cx.shared(op, &codes::FIFO, (message, help), text);
        }
    }
}

fn element_type(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let Some(ty) = fifo.elemType(cx.module) else {
        return;
    };
    let bytes = match &ty {
        Type::ObjectFifo(inner) => inner.as_memref().and_then(|memref| memref.num_bytes()),
        _ => None,
    };
    let message = "the objects of this fifo have no known size";
    let help = "use !aie.objectfifo<memref<…>> with a static shape";
    let text = match &ty {
        Type::ObjectFifo(inner) if inner.as_memref().is_none() => {
            "non memref type passed to 'ObjectFifoType'"
        }
        Type::ObjectFifo(_) if bytes.is_some_and(|n| n > 0) => return,
        Type::ObjectFifo(_) => return cx.problem(fifo.op(), &codes::FIFO, message, help),
        _ => {
            "attribute 'elemType' failed to satisfy constraint: type attribute of AIE objectFifo \
             type"
        }
    };
    cx.shared(fifo.op(), &codes::FIFO, (message, help), text);
}

/// A fifo whose buffers are put on another tile shares memory between its ends.
fn check_allocate(cx: &mut Context<'_>, allocate: ObjectFifoAllocate) {
    let m = cx.module;
    let op = allocate.op();
    let name = allocate.objFifo_name(m);
    let Some(fifo) = cx.named::<ObjectFifo>(&name) else {
        return;
    };
    let consumers = fifo.consumers(m).len();
    let shared_memory = "cannot allocate a shared memory module to objectfifo";
    let (why, text) = if consumers != 1 {
        (
            format!("it has {consumers} consumers"),
            "can only be used in 1-to-1 object FIFOs".to_string(),
        )
    } else if fifo.via_DMA(m).unwrap_or(false) {
        (
            "it goes through DMAs".into(),
            format!("{shared_memory} with set `via_DMA` attribute"),
        )
    } else if fifo.repeat_count(m).is_some() {
        (
            "it repeats its objects".into(),
            format!("{shared_memory} with set `repeat_count` attribute"),
        )
    } else if fifo.lays_out_to_stream(m) || fifo.lays_out_from_stream(m) {
        (
            "it changes the layout on the way".into(),
            format!("{shared_memory} with set dimensions attribute"),
        )
    } else if fifo.aie_stream(m).is_some() {
        (
            "an end is a stream port".into(),
            format!("{shared_memory} using stream port"),
        )
    } else {
        return;
    };
    let message = "this fifo's buffers can't be put elsewhere";
    cx.error(op, &codes::FIFO, message)
        .label(m.span(fifo.op()), why)
        .help("only a fifo of one consumer, without via_DMA and repeat_count, shares memory")
        .mlir_aie(cx.mlir_aie(op, text))
        .push(cx);
}
