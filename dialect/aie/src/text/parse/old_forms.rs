//! Forms of 2023 and early 2024 that became others: a runtime sequence was a function, a transfer had
//! three strides, a written BD no size of its third dimension, a link no offsets.

use crate::ir::{Attr, DenseArray, InsertPoint, Module, Op, SymbolTable, Type};
use crate::ops::{ObjectFifo, ObjectFifoLink, OpKind, OpView};

/// Marks a link whose text has no lists of offsets.
pub(crate) const NO_OFFSETS: &str = "no_offsets";

/// Strides of a transfer in old texts; the innermost was 1.
const OLD_STRIDES: usize = 3;

/// Brings older forms into today's; the first operation that had one.
pub(super) fn todays_forms(m: &mut Module) -> Option<Op> {
    let mut first = None;
    for function in m.find(m.top(), OpKind::FuncFunc) {
        if let Some(sequence) = sequence(m, function) {
            first.get_or_insert(sequence);
        }
    }
    for memcpy in m.find(m.top(), OpKind::NpuDmaMemcpyNd) {
        if add_stride(m, memcpy) {
            first.get_or_insert(memcpy);
        }
    }
    for write in m.find(m.top(), OpKind::NpuWriteBd) {
        if add_third_size(m, write) {
            first.get_or_insert(write);
        }
    }
    for link in m.find_all::<ObjectFifoLink>(m.top()) {
        if m.remove_attr(link.op(), NO_OFFSETS).is_some() && add_offsets(m, link) {
            first.get_or_insert(link.op());
        }
    }
    first
}

/// A function of a device whose body holds operations of sequences becomes a runtime sequence.
fn sequence(m: &mut Module, function: Op) -> Option<Op> {
    let device = m.parent_op(function)?;
    let body = m.entry(function, 0)?;
    let ops = m.ops_in(body);
    let of_sequence = |op: &Op| m.op_name(*op).starts_with("aiex.npu.");
    if m.kind(device) != OpKind::Device || !ops.iter().any(of_sequence) {
        return None;
    }
    let one_block = m.blocks_of(m.region(function, 0)?).len() == 1;
    let end = ops
        .last()
        .copied()
        .filter(|end| m.kind(*end) == OpKind::FuncReturn)?;
    if !one_block || m.num_operands(end) != 0 {
        return None;
    }
    let loc = m.loc(function);
    let name = m.attr(function, "sym_name").cloned();
    let build = m.build(OpKind::RuntimeSequence, loc);
    let sequence = build.insert(InsertPoint::Before(function));
    if let Some(name) = name {
        m.set_attr(sequence, "sym_name", name);
    }
    let (to, from) = (m.add_region(sequence), m.region(function, 0)?);
    m.swap_region_contents(to, from);
    m.erase(end);
    m.erase(function);
    Some(sequence)
}

/// Three strides are those of the outer dimensions.
fn add_stride(m: &mut Module, memcpy: Op) -> bool {
    let Some(Attr::DenseArray(strides)) = m.attr(memcpy, "static_strides") else {
        return false;
    };
    if strides.values.len() != OLD_STRIDES {
        return false;
    }
    let elem = strides.elem.clone();
    let values = [&strides.values[..], &[1]].concat();
    let strides = Attr::DenseArray(DenseArray { elem, values }.into());
    m.set_attr(memcpy, "static_strides", strides);
    true
}

/// The size of a written BD's third dimension is 0, for the last one, where the text says its step only.
fn add_third_size(m: &mut Module, write: Op) -> bool {
    let missing = m.attr(write, "d2_size").is_none() && m.attr(write, "d2_stride").is_some();
    if missing {
        m.set_attr(write, "d2_size", Attr::i32(0));
    }
    missing
}

/// The parts of a join or a distribution follow one another.
fn add_offsets(m: &mut Module, link: ObjectFifoLink) -> bool {
    let Some(device) = m.parent_op(link.op()) else {
        return false;
    };
    let symbols = SymbolTable::of(m, device);
    let sides = [("fifoIns", "src_offsets"), ("fifoOuts", "dst_offsets")];
    let mut changed = false;
    for (fifos, offsets) in sides {
        let Some(Attr::Array(names)) = m.attr(link.op(), fifos).cloned() else {
            continue;
        };
        if names.len() < 2 {
            continue;
        }
        let (mut list, mut next) = (Vec::new(), 0);
        for name in names.iter() {
            let Attr::Symbol(name) = name else { continue };
            let fifo = symbols
                .get(name.leaf())
                .and_then(|op| ObjectFifo::cast(m, op));
            let elements = fifo.and_then(|fifo| match fifo.elemType(m)? {
                Type::ObjectFifo(object) => object.as_memref()?.num_elements(),
                _ => None,
            });
            list.push(next);
            next += elements
                .and_then(|count| i64::try_from(count).ok())
                .unwrap_or(0);
        }
        let list: Vec<Attr> = list
            .into_iter()
            .map(|offset| Attr::Int(offset, Type::I64))
            .collect();
        m.set_attr(link.op(), offsets, Attr::Array(list.into()));
        changed = true;
    }
    changed
}
