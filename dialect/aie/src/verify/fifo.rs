//! Object fifos: their ends, links, and what cores do with them.

use aiec_device::{TileKind, TileLoc};

use super::{Context, codes, kind_text};
use crate::diag::Diag;
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::enums::FifoPort;
use crate::ops::netlist::tile_loc;
use crate::ops::{
    ObjectFifo, ObjectFifoAcquire, ObjectFifoAllocate, ObjectFifoLink, ObjectFifoRelease,
    ObjectFifoSubviewAccess, OpKind, OpView,
};

pub(super) fn check(cx: &mut Context<'_>) {
    for fifo in cx.all::<ObjectFifo>() {
        ends(cx, fifo);
        options(cx, fifo);
        stream(cx, fifo);
    }
    for link in cx.all::<ObjectFifoLink>() {
        check_link(cx, link);
    }
    for allocate in cx.all::<ObjectFifoAllocate>() {
        check_allocate(cx, allocate);
    }
    accesses(cx);
}

impl ObjectFifo {
    /// Tiles of the consumers.
    pub fn consumers(self, module: &crate::ir::Module) -> Vec<Value> {
        module.operands(self.op()).skip(1).collect()
    }
}

fn problem(cx: &mut Context<'_>, op: Op, message: impl Into<String>, help: impl Into<String>) {
    let diag = cx.error(op, &codes::FIFO, message).help(help);
    cx.push(diag);
}

fn ends(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    let consumers = fifo.consumers(m);
    if consumers.is_empty() {
        problem(
            cx,
            op,
            "a fifo without consumers",
            "name at least one consumer tile in { }",
        );
    }
    for end in fifo
        .producerTile(m)
        .into_iter()
        .chain(consumers.iter().copied())
    {
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
                cx.push(diag);
            }
        }
    }
    let shim = |end: Option<Value>| {
        cx.tile(end)
            .and_then(|l| cx.kind_at(l))
            .is_some_and(|k| k.is_shim())
    };
    let from_shim = shim(fifo.producerTile(m));
    let all_shim = from_shim && !consumers.is_empty() && consumers.iter().all(|c| shim(Some(*c)));
    if all_shim {
        problem(
            cx,
            op,
            "a fifo between shim tiles has no memory to keep its objects in",
            "let it pass a mem or core tile: two fifos and an aie.objectfifo.link",
        );
    }
}

/// Ends that are a core's stream ports: nothing of the end is in memory, so nothing that
/// describes memory or its DMA can be asked of it.
fn stream(cx: &mut Context<'_>, fifo: ObjectFifo) {
    let m = cx.module;
    let op = fifo.op();
    // 0: the producer's end, 1: the consumers', 2: both.
    let Some(which) = fifo.aie_stream(m) else {
        return;
    };
    let (produces, consumes) = (which != 1, which != 0);
    let producer = fifo.producerTile(m).filter(|_| produces);
    let consumers = fifo.consumers(m).into_iter().filter(|_| consumes);
    let on_core = |end: Value| {
        let kind = cx.tile(Some(end)).and_then(|l| cx.kind_at(l));
        kind.is_none_or(|kind| kind == TileKind::Core)
    };
    let from_stream = fifo.dimensionsFromStreamPerConsumer(m);
    let from_stream = from_stream.is_some_and(|l| l.iter().any(|d| !d.is_empty()));
    let pinned = fifo.prod_dma_channel(m).is_some_and(|c| c >= 0)
        || fifo
            .cons_dma_channels(m)
            .is_some_and(|l| l.iter().any(|c| *c >= 0));
    let rules = [
        (
            !producer.into_iter().chain(consumers).all(on_core),
            "`aie_stream` is not available for shim and mem tiles",
        ),
        (
            produces && fifo.dimensionsToStream(m).is_some_and(|d| !d.is_empty()),
            "`dimensionsToStream` data layout transformations are unavailable on stream end",
        ),
        (
            consumes && from_stream,
            "`dimensionsFromStreamPerConsumer` data layout transformations are unavailable on \
             stream end",
        ),
        (
            produces && fifo.initValues(m).is_some_and(|l| !l.is_empty()),
            "`init_values` unavailable on stream end",
        ),
        (
            produces && fifo.iter_count(m).is_some(),
            "`iter_count` unavailable on stream end",
        ),
        (
            produces && fifo.repeat_count(m).is_some(),
            "`repeat_count` unavailable on stream end",
        ),
        (
            pinned,
            "cannot pin a DMA channel on an objectfifo that also uses aie_stream (stream ports \
             bypass DMA channels)",
        ),
    ];
    for (_, message) in rules.into_iter().filter(|(broken, _)| *broken) {
        let help = "the core reads or writes this end word by word (aie.get_stream, \
                    aie.put_stream): leave the option or aie_stream out";
        problem(cx, op, message, help);
    }
}

/// Depths: one for all, or producer first and then each consumer.
fn depths(attr: &Attr) -> Option<Vec<i64>> {
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
    let from_shim = cx
        .tile(fifo.producerTile(m))
        .and_then(|l| cx.kind_at(l))
        .is_some_and(|k| k.is_shim());
    match fifo.elemNumber(m).as_ref().and_then(depths) {
        None => problem(
            cx,
            op,
            "the depth is neither a number nor a list of numbers",
            "write `2 : i32` or `[2, 3]`",
        ),
        Some(list) => {
            if list.len() != 1 && list.len() != consumers.len() + 1 {
                let message = format!(
                    "does not have enough depths specified for producer and for each consumer. \
                     There are {} for {} ends",
                    list.len(),
                    consumers.len() + 1
                );
                problem(
                    cx,
                    op,
                    message,
                    "give one for the producer, then one for each consumer",
                );
            }
            // Depth 0 at an end means that the end has no buffers of its own.
            if list.iter().any(|n| *n < 0) || list.iter().all(|n| *n == 0) {
                problem(
                    cx,
                    op,
                    "a fifo of depth 0",
                    "a fifo holds at least one object",
                );
            }
        }
    }
    element_type(cx, fifo);
    for (what, given) in [
        ("repeat_count", fifo.repeat_count(m).is_some()),
        (
            "initial values",
            fifo.initValues(m).is_some_and(|l| !l.is_empty()),
        ),
    ] {
        if given && from_shim {
            let message = format!("a fifo from a shim tile can't have {what}");
            problem(
                cx,
                op,
                message,
                "give it to the fifo behind a link through a mem tile",
            );
        }
    }
    if fifo.repeat_count(m).is_some_and(|n| n < 1) {
        problem(
            cx,
            op,
            "repeat_count must be at least 1",
            "1 sends each object once",
        );
    }
    if let Some(count) = fifo.iter_count(m)
        && !(1..=256).contains(&count)
    {
        problem(
            cx,
            op,
            format!("`iter_count` must be between 1 and 256, and is {count}"),
            "a DMA task runs its chain up to 256 times; leave it out for an endless chain",
        );
    }
    let on_mem_tile = |end: Value| {
        let kind = cx.tile(Some(end)).and_then(|l| cx.kind_at(l));
        kind.is_none_or(|kind| kind == TileKind::Mem)
    };
    let mut ends = fifo
        .producerTile(m)
        .into_iter()
        .chain(consumers.iter().copied());
    if fifo.iter_count(m).is_some() && fifo.aie_stream(m).is_none() && !ends.any(on_mem_tile) {
        problem(
            cx,
            op,
            "`iter_count` is currently only supported on MemTiles, and no end is on one",
            "leave it out, or let the fifo start or end on a mem tile",
        );
    }
    if fifo.padValue(m).is_some() && fifo.padDimensions(m).is_none() {
        problem(
            cx,
            op,
            "padValue without padDimensions",
            "add padDimensions or remove padValue",
        );
    }
    let to_stream = fifo.dimensionsToStream(m).is_some_and(|d| !d.is_empty());
    if to_stream && from_shim {
        problem(
            cx,
            op,
            "dimensionsToStream on a shim tile",
            "give the sizes and strides to the transfer in the runtime sequence",
        );
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
    match bytes {
        Some(n) if n > 0 => {}
        _ => problem(
            cx,
            fifo.op(),
            "the objects of this fifo have no known size",
            "use !aie.objectfifo<memref<…>> with a static shape",
        ),
    }
}

fn fifos_of(cx: &Context<'_>, list: &[Attr]) -> Vec<(String, Option<ObjectFifo>)> {
    let name = |attr: &Attr| match attr {
        Attr::Symbol(symbol) => symbol.leaf().to_string(),
        _ => String::new(),
    };
    let find = |name: &str| {
        cx.symbols
            .get(name)
            .and_then(|op| ObjectFifo::cast(cx.module, op))
    };
    list.iter()
        .map(name)
        .map(|n| (n.clone(), find(&n)))
        .collect()
}

fn check_link(cx: &mut Context<'_>, link: ObjectFifoLink) {
    let m = cx.module;
    let op = link.op();
    let error = |cx: &mut Context<'_>, message: String, help: &str| {
        let diag = cx.error(op, &codes::LINK, message).help(help.to_string());
        cx.push(diag);
    };
    let ins = fifos_of(cx, &link.fifoIns(m));
    let outs = fifos_of(cx, &link.fifoOuts(m));
    if ins.is_empty() || outs.is_empty() {
        return error(
            cx,
            "a link needs fifos on both sides".into(),
            "name them in [ ]",
        );
    }
    for (name, fifo) in ins.iter().chain(&outs) {
        if fifo.is_none() {
            let diag = cx
                .error(
                    op,
                    &codes::SYMBOL,
                    format!("`@{name}` isn't an object fifo"),
                )
                .help("define the fifo in this device");
            cx.push(diag);
        }
    }
    let ins: Vec<ObjectFifo> = ins.into_iter().filter_map(|f| f.1).collect();
    let outs: Vec<ObjectFifo> = outs.into_iter().filter_map(|f| f.1).collect();
    if ins.len() > 1 && outs.len() > 1 {
        return error(
            cx,
            "a link can't join and distribute at once".into(),
            "use two links with a fifo between them",
        );
    }
    // They meet where the outputs are produced; a broadcast input may have other consumers too.
    let Some(meeting) = outs.first().and_then(|fifo| fifo.producerTile(m)) else {
        return;
    };
    let met = |value: Value| match (cx.tile(Some(value)), cx.tile(Some(meeting))) {
        (Some(a), Some(b)) => a == b,
        // Tiles that are placed later are compared as they are written.
        _ => value == meeting,
    };
    let elsewhere = outs
        .iter()
        .filter_map(|fifo| fifo.producerTile(m))
        .find(|tile| !met(*tile))
        .or_else(|| {
            let missed = |fifo: &&ObjectFifo| !fifo.consumers(m).iter().any(|c| met(*c));
            let fifo = ins.iter().find(missed)?;
            fifo.consumers(m).first().copied()
        });
    let first = cx.tile(Some(meeting));
    if let Some(other) = elsewhere {
        let message = match (first, cx.tile(Some(other))) {
            (Some(first), Some(other)) => format!("linked fifos meet on {first} and on {other}"),
            _ => "linked fifos meet on different tiles".to_string(),
        };
        let help = "a consumer of each input and the producer of each output must be one tile";
        return error(cx, message, help);
    }
    let Some(first) = first else {
        return;
    };
    let parts = ins.len().max(outs.len());
    let kind = cx.kind_at(first).unwrap_or(TileKind::Core);
    if parts > 1 && kind != TileKind::Mem {
        error(
            cx,
            format!("{first}, a {}, can't join or distribute", kind_text(kind)),
            "let the fifos meet on a mem tile",
        );
    }
    if kind.is_shim() {
        error(
            cx,
            format!("{first}, a shim tile, can't link fifos"),
            "link on a mem or core tile",
        );
    }
    let offsets = [
        ("source", link.src_offsets(m), ins.len()),
        ("destination", link.dst_offsets(m), outs.len()),
    ];
    for (what, list, count) in offsets {
        if count > 1 && list.len() != count {
            error(
                cx,
                format!("{} {what} offsets for {count} fifos", list.len()),
                "give the first element of each part, in the order of the fifos",
            );
        }
        if count == 1 && parts > 1 && !list.is_empty() {
            error(
                cx,
                format!("{what} offsets for a single fifo"),
                "leave this list empty: []",
            );
        }
    }
}

fn check_allocate(cx: &mut Context<'_>, allocate: ObjectFifoAllocate) {
    let m = cx.module;
    let name = allocate.objFifo_name(m);
    let Some(fifo) = cx.symbols.get(&name).and_then(|op| ObjectFifo::cast(m, op)) else {
        return;
    };
    if fifo.aie_stream(m).is_some() {
        let message = "cannot allocate a shared memory module to objectfifo using stream port";
        let diag = cx
            .error(allocate.op(), &codes::FIFO, message)
            .label(m.span(fifo.op()), "the fifo")
            .help("leave the allocation out: the core's stream has no objects");
        return cx.push(diag);
    }
    let refused = fifo.consumers(m).len() != 1
        || fifo.via_DMA(m).unwrap_or(false)
        || fifo.repeat_count(m).is_some();
    if refused {
        let diag = cx
            .error(
                allocate.op(),
                &codes::FIFO,
                "this fifo's buffers can't be put elsewhere",
            )
            .label(m.span(fifo.op()), "the fifo")
            .help("only a fifo of one consumer, without via_DMA and repeat_count, shares memory");
        cx.push(diag);
    }
}

fn accesses(cx: &mut Context<'_>) {
    let m = cx.module;
    for acquire in cx.all::<ObjectFifoAcquire>() {
        let (port, name) = (acquire.port(m), acquire.objFifo_name(m));
        access(cx, acquire.op(), port, &name, acquire.size(m));
        if let Some(Type::ObjectFifoSubview(inner)) =
            m.result(acquire.op(), 0).map(|r| m.ty(r).clone())
        {
            subview_type(cx, acquire.op(), &name, port, &inner);
        }
    }
    for release in cx.all::<ObjectFifoRelease>() {
        let (port, name) = (release.port(m), release.objFifo_name(m));
        access(cx, release.op(), port, &name, release.size(m));
    }
    for view in cx.all::<ObjectFifoSubviewAccess>() {
        let acquire = view
            .subview(m)
            .and_then(|v| m.def_op(v))
            .and_then(|op| ObjectFifoAcquire::cast(m, op));
        let Some(acquire) = acquire else {
            let diag = cx
                .error(
                    view.op(),
                    &codes::FIFO_USE,
                    "subview operand must be the direct result of an aie.objectfifo.acquire",
                )
                .help("give it the result of aie.objectfifo.acquire directly");
            cx.push(diag);
            continue;
        };
        let (index, size) = (view.index(m), acquire.size(m));
        if !(0..size).contains(&index) {
            let diag = cx
                .error(
                    view.op(),
                    &codes::FIFO_USE,
                    format!("object {index} isn't acquired"),
                )
                .label(
                    m.span(acquire.op()),
                    format!("{size} objects are acquired here"),
                )
                .help("objects are counted from 0");
            cx.push(diag);
        }
    }
}

fn subview_type(cx: &mut Context<'_>, op: Op, name: &str, port: FifoPort, inner: &Type) {
    let m = cx.module;
    let Some(fifo) = cx.symbols.get(name).and_then(|op| ObjectFifo::cast(m, op)) else {
        return;
    };
    let consumer = fifo
        .consumerElemType(m)
        .flatten()
        .filter(|_| port == FifoPort::Consume);
    let Some(Type::ObjectFifo(object)) = consumer.or_else(|| fifo.elemType(m)) else {
        return;
    };
    if *object != *inner {
        let diag = cx
            .error(
                op,
                &codes::TYPE,
                "the objects acquired have another type than the fifo's",
            )
            .label(m.span(fifo.op()), "the fifo")
            .help("use the fifo's element type in !aie.objectfifosubview<…>");
        cx.push(diag);
    }
}

fn access(cx: &mut Context<'_>, op: Op, port: FifoPort, name: &str, size: i32) {
    let m = cx.module;
    let Some(fifo) = cx.symbols.get(name).and_then(|op| ObjectFifo::cast(m, op)) else {
        return;
    };
    let error = |cx: &mut Context<'_>, message: String, help: String| {
        let diag = cx
            .error(op, &codes::FIFO_USE, message)
            .label(m.span(fifo.op()), "the fifo")
            .help(help);
        cx.push(diag);
    };
    if size < 1 {
        let help = "acquire or release at least one".to_string();
        error(cx, format!("{size} objects of `@{name}`"), help);
    }
    let depth = fifo
        .elemNumber(m)
        .as_ref()
        .and_then(depths)
        .and_then(|l| l.into_iter().max());
    // A single number is a wish: the lowering gives each end what its core holds at once.
    let fixed = matches!(
        fifo.elemNumber(m),
        Some(Attr::Array(_) | Attr::DenseArray(_))
    );
    if let Some(depth) = depth.filter(|_| fixed)
        && i64::from(size) > depth
    {
        error(
            cx,
            format!("{size} objects of `@{name}`, which holds at most {depth}"),
            "make the fifo deeper".to_string(),
        );
    }
    let Some(core) = m.ancestor(op, OpKind::Core) else {
        // Functions that cores call are checked where they are called.
        if m.ancestor(op, OpKind::FuncFunc).is_none() {
            let help = "put it into the core of the producer or a consumer".to_string();
            error(cx, "fifos are used in cores only".to_string(), help);
        }
        return;
    };
    let Some(core_loc) = m.operand(core, 0).and_then(|t| tile_loc(m, t)) else {
        return;
    };
    let ends: Vec<TileLoc> = match port {
        FifoPort::Produce => fifo
            .producerTile(m)
            .and_then(|t| tile_loc(m, t))
            .into_iter()
            .collect(),
        FifoPort::Consume => fifo
            .consumers(m)
            .into_iter()
            .filter_map(|t| tile_loc(m, t))
            .collect(),
    };
    if !ends.is_empty() && !ends.contains(&core_loc) {
        let who = if port == FifoPort::Produce {
            "producer"
        } else {
            "consumer"
        };
        let list: Vec<String> = ends.iter().map(TileLoc::to_string).collect();
        error(
            cx,
            format!("the core of {core_loc} isn't a {who} of `@{name}`"),
            format!("the fifo's {who} is on {}", list.join(", ")),
        );
    }
}
