//! Attributes in generic form: defaults that MLIR stores, and forms that differ from those of
//! custom syntax.

use crate::ir::{AffineExpr, AffineMap, Attr, Module, Op, Type};
use crate::ops::OpKind;
use crate::ops::enums::FifoPort;

use super::linalg_body::product_maps;
use super::words::INDEX_CMP;

/// Defaults that MLIR stores with the operation, so that they show in generic form.
pub(crate) fn defaults(m: &Module, op: Op) -> Vec<(&'static str, Attr)> {
    let no = || Attr::Bool(false);
    match m.kind(op) {
        OpKind::DmaStart => vec![("repeat_count", Attr::i32(0))],
        OpKind::Dma => vec![("loop", Attr::Bool(true)), ("repeat_count", Attr::i32(0))],
        OpKind::Buffer => vec![("aligned", Attr::Bool(true))],
        OpKind::ShimDmaAllocation => vec![("plio", no())],
        OpKind::RuntimeSequence => vec![("sym_name", Attr::str("sequence"))],
        OpKind::Device => vec![("sym_name", Attr::str("main"))],
        OpKind::ObjectFifo => vec![
            (
                "dimensionsFromStreamPerConsumer",
                Attr::BdDimsArray([].into()),
            ),
            ("dimensionsToStream", Attr::BdDims([].into())),
            ("disable_synchronization", no()),
            ("plio", no()),
            ("via_DMA", no()),
        ],
        OpKind::VectorTransferRead => {
            let vector = m.result(op, 0).map(|value| m.ty(value));
            transfer(m, op, 0, vector)
        }
        OpKind::VectorTransferWrite => {
            let vector = m.operand(op, 0).map(|value| m.ty(value));
            transfer(m, op, 1, vector)
        }
        OpKind::LinalgMatmul => vec![("indexing_maps", product_maps())],
        OpKind::VectorContract => vec![("kind", Attr::Opaque("#vector.kind<add>".into()))],
        _ => Vec::new(),
    }
}

/// A transfer's map and bounds (mlir: lib/Dialect/Vector/IR/VectorOps.cpp): the innermost
/// dimensions in order, none of them known to be inside. Elements that are vectors themselves take
/// the vector's innermost dimensions; a scalar in memory is a vector of one.
fn transfer(m: &Module, op: Op, memory: usize, vector: Option<&Type>) -> Vec<(&'static str, Attr)> {
    let (Some(memory), Some(Type::Vector(vector))) = (m.operand(op, memory), vector) else {
        return Vec::new();
    };
    let (rank, element) = match m.ty(memory) {
        Type::MemRef(memref) => (memref.shape.len(), &memref.elem),
        Type::Tensor(tensor) => (tensor.shape.len(), &tensor.elem),
        _ => return Vec::new(),
    };
    let inner = element.as_vector().map_or(0, |v| v.shape.len());
    let count = vector.shape.len().saturating_sub(inner);
    let results: Vec<AffineExpr> = match rank.checked_sub(count) {
        Some(skip) => (skip..rank).map(|n| AffineExpr::Dim(n as u32)).collect(),
        None if rank == 0 && vector.shape == [1] => vec![AffineExpr::Const(0)],
        None => return Vec::new(),
    };
    // With a map in the text, the bounds are as many as the map's results.
    let bounds = match m.attr(op, "permutation_map") {
        Some(Attr::AffineMap(map)) => map.results.len(),
        _ => results.len(),
    };
    let map = AffineMap {
        dims: rank as u32,
        symbols: 0,
        results,
    };
    vec![
        ("permutation_map", Attr::AffineMap(map.into())),
        (
            "in_bounds",
            Attr::Array(vec![Attr::Bool(false); bounds].into()),
        ),
    ]
}

/// Whether MLIR leaves out an attribute that every operation of its kind has here: the count of an
/// acquire whose results are the objects, and the port where an endpoint gives the direction
/// (mlir-aie 1.4.5).
pub(crate) fn is_implied(m: &Module, op: Op, key: &str) -> bool {
    match (m.kind(op), key) {
        (OpKind::ObjectFifoAcquire, "size") => acquired_objects(m, op).is_some(),
        (OpKind::ObjectFifoAcquire | OpKind::ObjectFifoRelease, "port") => {
            m.int_attr(op, key) == Some(FifoPort::Endpoint as i64)
        }
        _ => false,
    }
}

/// Sets the attributes of an acquire or a release that generic form implies.
pub(crate) fn set_implied(m: &mut Module, op: Op) {
    if m.attr(op, "port").is_none() {
        m.set_attr(op, "port", Attr::i32(FifoPort::Endpoint as i32));
    }
    if m.attr(op, "size").is_none()
        && let Some(count) = acquired_objects(m, op)
    {
        m.set_attr(op, "size", Attr::i32(count));
    }
}

/// How many objects an acquire has as results; none where it has a view of them.
fn acquired_objects(m: &Module, op: Op) -> Option<i32> {
    let is_object = |value| matches!(m.ty(value), Type::MemRef(_));
    let count = i32::try_from(m.num_results(op)).ok()?;
    (count > 0 && m.results(op).all(is_object)).then_some(count)
}

/// Own attributes whose names are words of Rust, so that the table can't declare them.
pub(crate) fn undeclared(kind: OpKind) -> &'static [&'static str] {
    match kind {
        OpKind::Dma => &["loop"],
        OpKind::TracePacket => &["type"],
        OpKind::ScratchpadParameter | OpKind::MemrefGlobal => &["type"],
        _ => &[],
    }
}

/// Groups of operands of `aie.dma_bd` in mlir-aie 1.4.5.
const BD_GROUPS: usize = 5;

/// An attribute as MLIR stores it, where it isn't as custom syntax has it.
pub(crate) fn form(kind: OpKind, key: &str, value: &Attr) -> Option<Attr> {
    match (kind, key, value) {
        (OpKind::IndexCmp, "pred", Attr::Int(value, _)) => {
            let word = INDEX_CMP.print(*value);
            Some(Attr::Opaque(
                format!("{INDEX_PREDICATE}{word}>").as_str().into(),
            ))
        }
        // mlir-aie 1.4.5 has the groups up to the strides; those after it are written where they are used.
        (OpKind::DmaBd, "operandSegmentSizes", Attr::DenseArray(sizes)) => {
            let (known, later) = sizes.values.split_at_checked(BD_GROUPS)?;
            let is_unused = later.iter().all(|size| *size == 0);
            is_unused.then(|| Attr::i32_array(known.iter().map(|size| *size as i32)))
        }
        (_, "iterator_types", Attr::Array(list)) => {
            let before = iterator_prefix(kind)?;
            let each = list.iter().map(|item| match item {
                Attr::Str(word) => Attr::Opaque(format!("{before}{word}>").as_str().into()),
                other => other.clone(),
            });
            Some(Attr::Array(each.collect()))
        }
        _ => None,
    }
}

/// The inverse of [`form`].
pub(super) fn unform(kind: OpKind, key: &str, value: &Attr) -> Option<Attr> {
    let word = |value: &Attr, before: &str| match value {
        Attr::Opaque(text) => text
            .strip_prefix(before)?
            .strip_suffix('>')
            .map(|word| word.trim().to_string()),
        _ => None,
    };
    match (kind, key, value) {
        (OpKind::IndexCmp, "pred", value) => {
            let word = word(value, INDEX_PREDICATE)?;
            Some(Attr::i32((INDEX_CMP.value)(&word)? as i32))
        }
        (_, "iterator_types", Attr::Array(list)) => {
            let before = iterator_prefix(kind)?;
            let each = list.iter().map(|item| match word(item, before) {
                Some(word) => Attr::str(word),
                None => item.clone(),
            });
            Some(Attr::Array(each.collect()))
        }
        _ => None,
    }
}

const INDEX_PREDICATE: &str = "#index<cmp_predicate ";

/// The part before the word of an iterator's kind.
fn iterator_prefix(kind: OpKind) -> Option<&'static str> {
    match kind {
        OpKind::LinalgGeneric => Some("#linalg.iterator_type<"),
        OpKind::VectorContract => Some("#vector.iterator_type<"),
        _ => None,
    }
}
