//! `memref` and the accesses of `vector` and `affine`: elements and indices of the memref's own
//! types, sizes that go together (`mlir: lib/Dialect/MemRef/IR/MemRefOps.cpp`,
//! `lib/Dialect/Vector/IR/VectorOps.cpp`).

use super::Findings;
use crate::ir::{Attr, DYNAMIC, MemRefType, Module, Op, Type, Value};
use crate::ops::OpKind;
use crate::ops::netlist::const_int;

/// Kinds that [`check`] knows.
pub(super) fn handles(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        MemrefLoad
            | MemrefAlloc
            | MemrefAlloca
            | MemrefDealloc
            | MemrefCopy
            | MemrefCast
            | MemrefSubview
            | MemrefReinterpretCast
            | MemrefCollapseShape
            | MemrefExpandShape
            | MemrefView
            | MemrefDim
            | MemrefAssumeAlignment
            | MemrefGlobal
            | MemrefStore
            | VectorLoad
            | VectorStore
            | VectorTransferRead
            | VectorTransferWrite
            | AffineLoad
            | AffineStore
            | AffineVectorLoad
            | AffineVectorStore
    )
}

pub(super) fn check(finding: &mut Findings<'_>, kind: OpKind) {
    use OpKind::*;
    match kind {
        MemrefAlloc | MemrefAlloca => allocation(finding),
        MemrefDealloc => {
            finding.memref(0);
        }
        MemrefDim => dimension(finding),
        MemrefAssumeAlignment => {
            finding.memref(0);
            finding.same_as_operand(0);
            let bytes = finding.module.int_attr(finding.op, "alignment");
            let power = |n: i64| u64::try_from(n).is_ok_and(u64::is_power_of_two);
            if let Some(bytes) = bytes.filter(|bytes| !power(*bytes)) {
                let message = format!("an alignment of {bytes} bytes");
                finding.of_type(message, "alignments are powers of two");
            }
        }
        MemrefCopy => copy(finding),
        MemrefCast => cast(finding),
        MemrefSubview | MemrefReinterpretCast => view_with_strides(finding, kind),
        MemrefCollapseShape | MemrefExpandShape => regrouped(finding, kind),
        MemrefView => view_of_bytes(finding),
        MemrefGlobal => global(finding),
        kind => access(finding, kind),
    }
}

impl<'a> Findings<'a> {
    /// The memref that operand `n` must be.
    fn memref(&mut self, n: usize) -> Option<&'a MemRefType> {
        let ty = self.operand(n)?;
        if let Type::MemRef(memref) = ty {
            return Some(memref);
        }
        // A memref of unknown rank is refused where it is lowered.
        if !matches!(ty, Type::UnrankedMemRef(_)) {
            let message = format!("`{}` needs a memref, not {ty}", self.name());
            self.of_type(message, "name the memref here");
        }
        None
    }
}

impl<'a> Findings<'a> {
    /// The memref that the result must be.
    fn memref_result(&mut self) -> Option<&'a MemRefType> {
        let ty = self.result(0)?;
        if ty.as_memref().is_none() {
            let message = format!("`{}` makes a memref, not {ty}", self.name());
            self.of_type(message, "write a memref type after the colon");
        }
        ty.as_memref()
    }

    /// Reports a group of sizes that isn't one for each dynamic dimension of the result.
    fn dynamic_sizes(&mut self, group: &str, memref: &MemRefType) {
        let dynamic = memref.shape.iter().filter(|size| **size == DYNAMIC).count();
        let given = self.group(group).len();
        if let Some(ty) = self.result(0).filter(|_| given != dynamic) {
            let message = format!("{given} sizes for the {dynamic} dynamic dimensions of {ty}");
            self.of_type(message, "give one size for each `?` of the type");
        }
    }
}

/// Whether the kind writes what its first operand is.
fn stores(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        MemrefStore | VectorStore | VectorTransferWrite | AffineStore | AffineVectorStore
    )
}

/// The memrefs that an operation writes by itself.
pub(super) fn written(m: &Module, op: Op) -> Vec<Value> {
    match m.kind(op) {
        OpKind::MemrefCopy => m.operand(op, 1).into_iter().collect(),
        OpKind::LinalgFill | OpKind::LinalgCopy | OpKind::LinalgGeneric => {
            m.operand_group(op, "outputs")
        }
        kind if stores(kind) => m.operand(op, 1).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The memref whose memory another views.
pub(super) fn root(m: &Module, memref: Value) -> Value {
    let mut at = memref;
    while let Some(op) = m.def_op(at) {
        let source = match m.kind(op) {
            OpKind::MemrefSubview
            | OpKind::MemrefCast
            | OpKind::MemrefReinterpretCast
            | OpKind::MemrefCollapseShape
            | OpKind::MemrefExpandShape
            | OpKind::MemrefAssumeAlignment
            | OpKind::MemrefView => m.operand(op, 0),
            _ => None,
        };
        match source {
            Some(source) => at = source,
            None => break,
        }
    }
    at
}

/// An access moves elements of the memref, at indices of type `index`.
pub(super) fn access(finding: &mut Findings<'_>, kind: OpKind) {
    use OpKind::*;
    let memref_at = usize::from(stores(kind));
    // Transfers between vectors and tensors don't occur in cores.
    if matches!(finding.operand(memref_at), Some(Type::Tensor(_))) {
        return;
    }
    let Some(memref) = finding.memref(memref_at) else {
        return;
    };
    finding.indices("indices");
    let moved = if stores(kind) {
        finding.operand(0)
    } else {
        finding.result(0)
    };
    let Some(moved) = moved else {
        return;
    };
    let by_vector = matches!(
        kind,
        VectorLoad
            | VectorStore
            | VectorTransferRead
            | VectorTransferWrite
            | AffineVectorLoad
            | AffineVectorStore
    );
    let (verb, of) = if stores(kind) {
        ("write", "into")
    } else {
        ("read", "from")
    };
    if !by_vector {
        if *moved != memref.elem {
            let message = format!("can't {verb} {moved} {of} a memref of {}", memref.elem);
            finding.of_type(
                message,
                "elements have the memref's type: convert the value",
            );
        }
        return;
    }
    let Type::Vector(vector) = moved else {
        let message = format!("`{}` moves a vector, not {moved}", finding.name());
        finding.of_type(message, "take memref.load or memref.store for an element");
        return;
    };
    let whole_element = memref.elem == *moved;
    // A memref of vectors is accessed by vectors of their elements, or by whole ones.
    let elem = match &memref.elem {
        Type::Vector(of) => &of.elem,
        elem => elem,
    };
    if !whole_element && vector.elem != *elem {
        let message = format!("can't {verb} {moved} {of} a memref of {}", memref.elem);
        finding.of_type(message, "the vector has the memref's element type");
    }
    if matches!(kind, VectorTransferRead | VectorTransferWrite) {
        transfer(finding, (kind, moved), memref);
    } else if !whole_element && vector.shape.len() > memref.shape.len().max(1) {
        let message = format!(
            "a vector of {} dimensions {of} a memref of {}",
            vector.shape.len(),
            memref.shape.len()
        );
        finding.of_type(message, "a vector has at most the memref's dimensions");
    }
}

/// A transfer's map has one result for each dimension of the vector, its padding is an element.
fn transfer(finding: &mut Findings<'_>, (kind, moved): (OpKind, &Type), memref: &MemRefType) {
    let m = finding.module;
    let Some(vector) = moved.as_vector() else {
        return;
    };
    let rank = vector.shape.len();
    let indices = finding.group("indices").len();
    if indices != memref.shape.len() {
        let message = format!(
            "{indices} indices into a memref of {} dimensions",
            memref.shape.len()
        );
        finding.of_type(message, "give one index for each dimension");
    }
    if let Some(Attr::AffineMap(map)) = m.attr(finding.op, "permutation_map") {
        let elements = !matches!(memref.elem, Type::Vector(_));
        if elements && map.results.len() != rank {
            let message = format!("a map of {} results for {moved}", map.results.len());
            finding.of_type(
                message,
                "permutation_map has one result for each dimension of the vector",
            );
        }
        if map.dims as usize != memref.shape.len() {
            let message = format!(
                "a map of {} dimensions for a memref of {}",
                map.dims,
                memref.shape.len()
            );
            finding.of_type(
                message,
                "permutation_map takes one dimension for each of the memref",
            );
        }
    }
    if let Some(Attr::Array(bounds)) = m.attr(finding.op, "in_bounds")
        && bounds.len() != rank
    {
        let message = format!("in_bounds of {} entries for {moved}", bounds.len());
        finding.of_type(
            message,
            "in_bounds has one entry for each dimension of the vector",
        );
    }
    if kind == OpKind::VectorTransferRead
        && let Some(padding) = finding.group("padding").first()
        && **padding != memref.elem
    {
        let message = format!("padding of {padding} for a memref of {}", memref.elem);
        finding.of_type(message, "the padding is an element of the memref");
    }
}

/// A dimension of the memref, by number; its size is an `index`.
fn dimension(finding: &mut Findings<'_>) {
    let m = finding.module;
    let Some(memref) = finding.memref(0) else {
        return;
    };
    for ty in [finding.operand(1), finding.result(0)] {
        if let Some(ty) = ty.filter(|ty| **ty != Type::Index) {
            let message = format!("`memref.dim` counts in index, not in {ty}");
            finding.of_type(message, "convert it: arith.index_cast");
        }
    }
    let number = m.operand(finding.op, 1).and_then(|n| const_int(m, n));
    let rank = memref.shape.len();
    if let Some(n) = number.filter(|n| usize::try_from(*n).map_or(true, |n| n >= rank)) {
        let message = format!("a memref of {rank} dimensions has none of number {n}");
        finding.of_type(message, "dimensions count from 0");
    }
}

/// One operand for each dynamic size.
fn allocation(finding: &mut Findings<'_>) {
    if let Some(memref) = finding.memref_result() {
        finding.indices("dynamicSizes");
        finding.dynamic_sizes("dynamicSizes", memref);
    }
}

fn copy(finding: &mut Findings<'_>) {
    let (Some(from), Some(to)) = (finding.memref(0), finding.memref(1)) else {
        return;
    };
    if from.elem != to.elem || !compatible(&from.shape, &to.shape) {
        let types = [0, 1].map(|n| finding.operand(n).map(ToString::to_string));
        let [Some(from), Some(to)] = types else {
            return;
        };
        let message = format!("can't copy {from} to {to}");
        finding.of_type(message, "both have the same sizes and elements");
    }
}

/// Whether two shapes may be the same at run time.
fn compatible(a: &[i64], b: &[i64]) -> bool {
    let same = |(a, b): (&i64, &i64)| a == b || *a == DYNAMIC || *b == DYNAMIC;
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn cast(finding: &mut Findings<'_>) {
    let (Some(from_ty), Some(to_ty)) = (finding.operand(0), finding.result(0)) else {
        return;
    };
    let (Type::MemRef(from), Type::MemRef(to)) = (from_ty, to_ty) else {
        // A memref of unknown rank is refused where it is lowered.
        let other = [from_ty, to_ty]
            .into_iter()
            .find(|ty| !matches!(ty, Type::MemRef(_) | Type::UnrankedMemRef(_)));
        if let Some(ty) = other {
            let message = format!("`memref.cast` goes between memrefs, {ty} is none");
            finding.of_type(message, "take arith.bitcast or a conversion for values");
        }
        return;
    };
    let strides = match (from.strides_and_offset(), to.strides_and_offset()) {
        (Some((a, x)), Some((b, y))) => compatible(&a, &b) && compatible(&[x], &[y]),
        _ => true,
    };
    if from.elem != to.elem || !compatible(&from.shape, &to.shape) || !strides {
        let message = format!("`memref.cast` can't make {to_ty} of {from_ty}");
        let help = "it exchanges known for dynamic sizes and strides: memref.reinterpret_cast, \
                    memref.expand_shape and memref.collapse_shape change shapes";
        finding.of_type(message, help);
    }
}

/// Offsets, sizes and strides: as many as dimensions, with an operand for each that isn't known.
fn view_with_strides(finding: &mut Findings<'_>, kind: OpKind) {
    let m = finding.module;
    let (Some(source), Some(view)) = (finding.memref(0), finding.memref_result()) else {
        return;
    };
    if source.elem != view.elem {
        let message = format!(
            "a view of {} elements has {} elements",
            source.elem, view.elem
        );
        finding.of_type(message, "a view keeps the type of the elements");
    }
    // `verify::views` checks number by number that a reinterpret_cast's lists agree with its type.
    let rank = (kind == OpKind::MemrefSubview).then_some(source.shape.len());
    for (list, group) in [
        ("static_offsets", "offsets"),
        ("static_sizes", "sizes"),
        ("static_strides", "strides"),
    ] {
        let Some(Attr::DenseArray(values)) = m.attr(finding.op, list) else {
            continue;
        };
        finding.indices(group);
        let dynamic = values.values.iter().filter(|n| **n == DYNAMIC).count();
        let given = finding.group(group).len();
        if let Some(rank) = rank.filter(|rank| values.values.len() != *rank) {
            let message = format!(
                "{} {group} for a memref of {rank} dimensions",
                values.values.len()
            );
            finding.of_type(message, "give one for each dimension of the source");
        } else if given != dynamic {
            let message = format!("{given} operands for {dynamic} dynamic {group}");
            finding.of_type(message, "give one operand for each that isn't a constant");
        }
    }
}

/// The groups of `reassociation`, each the dimensions that become or come from one.
fn groups(m: &Module, op: Op) -> Option<Vec<Vec<i64>>> {
    let Some(Attr::Array(groups)) = m.attr(op, "reassociation") else {
        return None;
    };
    let of = |group: &Attr| match group {
        Attr::Array(dims) => dims.iter().map(Attr::as_int).collect::<Option<Vec<i64>>>(),
        _ => None,
    };
    groups.iter().map(of).collect()
}

/// Groups of dimensions are all of the longer shape in order, and multiply to the shorter one.
fn regrouped(finding: &mut Findings<'_>, kind: OpKind) {
    let (Some(source), Some(result)) = (finding.memref(0), finding.memref_result()) else {
        return;
    };
    let (long, short) = if kind == OpKind::MemrefCollapseShape {
        (source, result)
    } else {
        (result, source)
    };
    if let Some(Attr::DenseArray(sizes)) = finding.module.attr(finding.op, "static_output_shape")
        && (sizes.values.len() != result.shape.len()
            || sizes
                .values
                .iter()
                .zip(&result.shape)
                .any(|(a, b)| *b != DYNAMIC && a != b))
    {
        let message = format!("`{}` names other sizes than its result has", finding.name());
        finding.of_type(message, "output_shape lists the sizes of the result");
        return;
    }
    let Some(groups) = groups(finding.module, finding.op) else {
        return;
    };
    let in_order = groups
        .iter()
        .flatten()
        .copied()
        .eq(0..long.shape.len() as i64);
    let fits = in_order && groups.len() == short.shape.len();
    let sizes_fit = || {
        groups.iter().zip(&short.shape).all(|(group, size)| {
            let sizes = group
                .iter()
                .filter_map(|dim| long.shape.get(usize::try_from(*dim).ok()?));
            let product = sizes.clone().try_fold(1i64, |n, size| n.checked_mul(*size));
            *size == DYNAMIC || sizes.clone().any(|size| *size == DYNAMIC) || product == Some(*size)
        })
    };
    // No dimensions become, or come from, a single element.
    let single = short.shape.is_empty() && groups.is_empty() && long.shape.iter().all(|n| *n == 1);
    if source.elem != result.elem || !(single || (fits && sizes_fit())) {
        let (Some(from), Some(to)) = (finding.operand(0), finding.result(0)) else {
            return;
        };
        let message = format!(
            "`{}` can't make {to} of {from} by these groups",
            finding.name()
        );
        let help = "the groups name each dimension of the longer shape in order, one group for \
                    each dimension of the shorter, whose size is the product";
        finding.of_type(message, help);
    }
}

/// Bytes seen as a memref: a row of `i8`, with an operand for each dynamic size.
fn view_of_bytes(finding: &mut Findings<'_>) {
    let (Some(source), Some(view)) = (finding.memref(0), finding.memref_result()) else {
        return;
    };
    if source.elem != Type::I8 || source.shape.len() != 1 {
        let message = "`memref.view` looks at a row of i8".to_string();
        finding.of_type(message, "declare the memory as memref<…xi8>");
    }
    if let Some(ty) = finding.operand(1).filter(|ty| **ty != Type::Index) {
        let message = format!("`memref.view` begins at {ty}");
        finding.of_type(message, "convert the offset to index: arith.index_cast");
    }
    if view.layout.is_some() && view.strides_and_offset() != row_major(&view.shape) {
        let message = "`memref.view` lays its elements out one after the other".to_string();
        finding.of_type(message, "leave the layout out of the result's type");
    }
    finding.dynamic_sizes("sizes", view);
}

/// Strides and offset of a memref without a layout of its own.
fn row_major(shape: &[i64]) -> Option<(Vec<i64>, i64)> {
    let plain = MemRefType {
        shape: shape.to_vec(),
        elem: Type::I8,
        layout: None,
        space: None,
    };
    plain.strides_and_offset()
}

/// The initial value of a global has its shape and elements.
fn global(finding: &mut Findings<'_>) {
    let m = finding.module;
    let (Some(Attr::Type(ty)), Some(Attr::Dense(value))) = (
        m.attr(finding.op, "type"),
        m.attr(finding.op, "initial_value"),
    ) else {
        return;
    };
    let (declared, given) = match (ty, &value.ty) {
        (Type::MemRef(memref), Type::Tensor(tensor)) => {
            ((&memref.shape, &memref.elem), (&tensor.shape, &tensor.elem))
        }
        (Type::MemRef(memref), Type::Vector(vector)) => {
            ((&memref.shape, &memref.elem), (&vector.shape, &vector.elem))
        }
        (Type::MemRef(memref), Type::MemRef(other)) => {
            ((&memref.shape, &memref.elem), (&other.shape, &other.elem))
        }
        _ => return,
    };
    if declared != given {
        let message = format!("a global of {ty} can't begin as {}", value.ty);
        finding.of_type(message, "the value has the global's sizes and elements");
    }
}
