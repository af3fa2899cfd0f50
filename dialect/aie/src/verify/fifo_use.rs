//! Accesses of cores to object fifos: acquires, uses of objects, releases.

use aiec_device::TileLoc;

use super::array::below_minimum;
use super::fifo::depths;
use super::{Context, Report, codes};
use crate::ir::{Attr, Module, Op, Type, Value, ValueDef};
use crate::ops::enums::FifoPort;
use crate::ops::netlist::tile_loc;
use crate::ops::{
    ObjectFifo, ObjectFifoAcquire, ObjectFifoRelease, ObjectFifoSubviewAccess, OpKind, OpView,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let m = cx.module;
    for acquire in cx.all::<ObjectFifoAcquire>() {
        let (port, name) = (acquire.port(m), acquire.objFifo_name(m));
        access(cx, acquire.op(), port, &name, acquire.size(m));
        match m.result(acquire.op(), 0).map(|r| m.ty(r).clone()) {
            Some(Type::ObjectFifoSubview(inner)) => {
                subview_type(cx, acquire.op(), &name, port, &inner);
            }
            Some(_) => object_results(cx, acquire, &name, port),
            None => {}
        }
    }
    for release in cx.all::<ObjectFifoRelease>() {
        let (port, name) = (release.port(m), release.objFifo_name(m));
        access(cx, release.op(), port, &name, release.size(m));
    }
    for view in cx.all::<ObjectFifoSubviewAccess>() {
        // The acquire of a function's parameter is in the core that calls it.
        if view.subview(m).is_some_and(|v| is_parameter(m, v)) {
            continue;
        }
        let acquire = view.subview(m).and_then(|v| m.def_op(v));
        let Some(acquire) = acquire.and_then(|op| ObjectFifoAcquire::cast(m, op)) else {
            let message = "this isn't the result of an acquire";
            let help = "give it the result of aie.objectfifo.acquire directly";
            let text = "subview operand must be the direct result of an aie.objectfifo.acquire";
            cx.shared(view.op(), &codes::FIFO_USE, (message, help), text);
            continue;
        };
        object_type(cx, view, acquire);
        let (index, size) = (view.index(m), acquire.size(m));
        if !(0..size).contains(&index) {
            let message = format!("object {index} isn't acquired");
            let text = "accessed farther than number of acquired elements";
            cx.error(view.op(), &codes::FIFO_USE, message)
                .label(
                    m.span(acquire.op()),
                    format!("{size} objects are acquired here"),
                )
                .help("objects are counted from 0")
                .mlir_aie(cx.mlir_aie(view.op(), text))
                .push(cx);
        }
    }
}

/// Whether a value is the parameter of a function.
fn is_parameter(m: &Module, value: Value) -> bool {
    let ValueDef::Argument(block, _) = m.def(value) else {
        return false;
    };
    let function = m.block_parent(block);
    function.is_some_and(|op| m.kind(op) == OpKind::FuncFunc && m.entry(op, 0) == Some(block))
}

/// An access gives an object of the type that was acquired.
fn object_type(cx: &mut Context<'_>, view: ObjectFifoSubviewAccess, acquire: ObjectFifoAcquire) {
    let m = cx.module;
    let ty = |op: Op| m.result(op, 0).map(|value| m.ty(value));
    let (Some(Type::ObjectFifoSubview(object)), Some(given)) = (ty(acquire.op()), ty(view.op()))
    else {
        return;
    };
    if **object != *given {
        let message = format!("objects of this fifo are {object}");
        cx.error(view.op(), &codes::TYPE, message)
            .label(m.span(acquire.op()), "acquired here")
            .help(format!("write `-> {object}`"))
            .push_of_whole(cx);
    }
}

/// The type of the objects of a fifo at an end.
fn object_type_of(cx: &Context<'_>, fifo: ObjectFifo, port: FifoPort) -> Option<Type> {
    let consumer = fifo
        .consumerElemType(cx.module)
        .filter(|_| port == FifoPort::Consume);
    match consumer.or_else(|| fifo.elemType(cx.module)) {
        Some(Type::ObjectFifo(object)) => Some((*object).clone()),
        _ => None,
    }
}

/// Objects that an acquire gives by themselves: each that it acquires, of the fifo's elements, in whichever shape.
fn object_results(cx: &mut Context<'_>, acquire: ObjectFifoAcquire, name: &str, port: FifoPort) {
    let (m, op) = (cx.module, acquire.op());
    let Some(fifo) = cx.named::<ObjectFifo>(name) else {
        return;
    };
    let (size, given) = (acquire.size(m), m.num_results(op));
    if i32::try_from(given) != Ok(size) {
        let message = format!("{size} objects are acquired and {given} given");
        let help = "write a type for each object";
        cx.problem(op, &codes::FIFO_USE, message, help);
    }
    let Some(object) = object_type_of(cx, fifo, port) else {
        return;
    };
    let contents = |ty: &Type| {
        let memref = ty.as_memref()?;
        Some((memref.elem.clone(), memref.num_elements()?))
    };
    let wanted = contents(&object);
    let differs = |ty: &&Type| {
        contents(ty)
            .zip(wanted.clone())
            .is_some_and(|(a, b)| a != b)
    };
    let types: Vec<&Type> = m.results(op).map(|value| m.ty(value)).collect();
    if let Some(ty) = types.into_iter().find(differs) {
        cx.error(
            op,
            &codes::TYPE,
            format!("an object of this fifo is {object}, not {ty}"),
        )
        .label(m.span(fifo.op()), "the fifo")
        .help("acquire the fifo's type, and take views of it (`memref.subview`, `memref.view`)")
        .push(cx);
    }
}

fn subview_type(cx: &mut Context<'_>, op: Op, name: &str, port: FifoPort, inner: &Type) {
    let m = cx.module;
    let Some(fifo) = cx.named::<ObjectFifo>(name) else {
        return;
    };
    let Some(object) = object_type_of(cx, fifo, port) else {
        return;
    };
    if object != *inner {
        let message = "the objects acquired have another type than the fifo's";
        let text = "ObjectFifo element and ObjectFifoSubview element must match.";
        cx.error(op, &codes::TYPE, message)
            .label(m.span(fifo.op()), "the fifo")
            .help("use the fifo's element type in !aie.objectfifosubview<…>")
            .mlir_aie(cx.mlir_aie(op, text))
            .push(cx);
    }
}

fn access(cx: &mut Context<'_>, op: Op, port: FifoPort, name: &str, size: i32) {
    let m = cx.module;
    let Some(fifo) = cx.named::<ObjectFifo>(name) else {
        return;
    };
    let error = |cx: &Context<'_>, message: String, help: &str| {
        cx.error(op, &codes::FIFO_USE, message)
            .label(m.span(fifo.op()), "the fifo")
            .help(help)
    };
    if size < 1 {
        let help = "acquire or release at least one";
        error(cx, format!("{size} objects of `@{name}`"), help)
            .mlir_aie(below_minimum(cx, op, "size", 1))
            .push(cx);
    }
    stream_port(cx, op, port, fifo);
    // A single number is a wish: the lowering gives each end what its core holds at once.
    let number = fifo.elemNumber(m);
    let fixed = number.filter(|n| matches!(n, Attr::Array(_) | Attr::DenseArray(_)));
    let depths = fixed.as_ref().and_then(depths);
    if let Some(depth) = depths.and_then(|list| list.into_iter().max())
        && i64::from(size) > depth
    {
        let message = format!("{size} objects of `@{name}`, which holds at most {depth}");
        error(cx, message, "make the fifo deeper").push_of_whole(cx);
    }
    let Some(core) = m.ancestor(op, OpKind::Core) else {
        // A function is put into the cores that call it.
        if m.ancestor(op, OpKind::FuncFunc).is_some() {
            return;
        }
        let help = "put it into the core of the producer or a consumer";
        return error(cx, "fifos are used in cores only".to_string(), help)
            .mlir_aie(cx.mlir_aie(op, "must be called from inside a CoreOp"))
            .push(cx);
    };
    let Some(core_loc) = m.operand(core, 0).and_then(|t| tile_loc(m, t)) else {
        return;
    };
    let tiles = match port {
        FifoPort::Produce => fifo.producerTile(m).into_iter().collect(),
        FifoPort::Consume => fifo.consumers(m),
        FifoPort::Endpoint => {
            let help = "write Produce or Consume; only endpoints need no port";
            return error(cx, format!("`@{name}` is a fifo: which end?"), help).push(cx);
        }
    };
    let ends = tiles.into_iter().filter_map(|tile| tile_loc(m, tile));
    let ends: Vec<TileLoc> = ends.collect();
    if !ends.is_empty() && !ends.contains(&core_loc) {
        let who = if port == FifoPort::Produce {
            "producer"
        } else {
            "consumer"
        };
        let list: Vec<String> = ends.iter().map(TileLoc::to_string).collect();
        let text = format!("{who} port of objectFifo accessed by core running on non-{who} tile");
        let message = format!("the core of {core_loc} isn't a {who} of `@{name}`");
        let help = format!("the fifo's {who} is on {}", list.join(", "));
        error(cx, message, &help)
            .mlir_aie(cx.mlir_aie(core, text))
            .push(cx);
    }
}

/// An end that is the core's stream port has no objects to acquire or release.
fn stream_port(cx: &mut Context<'_>, op: Op, port: FifoPort, fifo: ObjectFifo) {
    /// Both ends, as `aie_stream` says it; else the number of the end.
    const BOTH: i32 = 2;
    let m = cx.module;
    let is_stream = |which: i32| which == BOTH || which == port as i32;
    if !fifo.aie_stream(m).is_some_and(is_stream) {
        return;
    }
    let verb = match m.kind(op) {
        OpKind::ObjectFifoAcquire => "acquire",
        _ => "release",
    };
    let message = "this end of the fifo is a stream port of the core";
    cx.error(op, &codes::FIFO_USE, message)
        .label(m.span(fifo.op()), "the fifo")
        .help("use aie.get_stream and aie.put_stream, or remove aie_stream")
        .mlir_aie(cx.mlir_aie(op, format!("cannot {verb} from objectfifo stream port")))
        .push(cx);
}
