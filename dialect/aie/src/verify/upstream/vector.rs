//! `vector`: shapes and elements that go together (`mlir: lib/Dialect/Vector/IR/VectorOps.cpp`).

use super::Findings;
use super::scalar::element;
use crate::ir::{AffineExpr, AffineMap, Attr, Type, VectorType};
use crate::ops::OpKind;

/// Kinds that [`check`] knows.
pub(super) fn handles(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        VectorBroadcast
            | VectorExtract
            | VectorInsert
            | VectorReduction
            | VectorMultiReduction
            | VectorContract
            | VectorTranspose
            | VectorShapeCast
            | VectorBitcast
            | VectorShuffle
            | VectorExtractStridedSlice
            | VectorInsertStridedSlice
            | VectorFromElements
            | VectorStep
    )
}

pub(super) fn check(finding: &mut Findings<'_>, kind: OpKind) {
    use OpKind::*;
    match kind {
        VectorBroadcast => broadcast(finding),
        VectorExtract => part(finding, 0),
        VectorInsert => {
            part(finding, 1);
            finding.same_as_operand(1);
        }
        VectorReduction => reduction(finding),
        VectorMultiReduction => multi_reduction(finding),
        VectorContract => contract(finding),
        VectorTranspose => transpose(finding),
        VectorShapeCast => shape_cast(finding),
        VectorBitcast => bitcast(finding),
        VectorShuffle => shuffle(finding),
        VectorExtractStridedSlice => slice(finding, 0),
        VectorInsertStridedSlice => {
            slice(finding, 1);
            finding.same_as_operand(1);
        }
        VectorFromElements => from_elements(finding),
        _ => step(finding),
    }
}

impl<'a> Findings<'a> {
    /// The vector that operand `n` must be.
    fn vector(&mut self, n: usize) -> Option<&'a VectorType> {
        let ty = self.operand(n)?;
        self.as_vector(ty)
    }

    /// The vector that the result must be.
    fn vector_result(&mut self) -> Option<&'a VectorType> {
        let ty = self.result(0)?;
        self.as_vector(ty)
    }

    fn as_vector(&mut self, ty: &'a Type) -> Option<&'a VectorType> {
        if ty.as_vector().is_none() {
            let message = format!("`{}` works on vectors, not on {ty}", self.name());
            self.of_type(message, "write a vector type such as vector<16xi32>");
        }
        ty.as_vector()
    }

    /// Reports that the result can't be made of the first operand.
    fn cannot_make(&mut self, help: &str) {
        if let (Some(from), Some(to)) = (self.operand(0), self.result(0)) {
            let message = format!("`{}` can't make {to} of {from}", self.name());
            self.of_type(message, help);
        }
    }

    /// The numbers of an attribute: an array of integers, dense or not.
    fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        match self.module.attr(self.op, name)? {
            Attr::DenseArray(list) => Some(list.values.clone()),
            Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
            _ => None,
        }
    }
}

fn count(shape: &[i64]) -> Option<i64> {
    shape.iter().try_fold(1i64, |n, size| n.checked_mul(*size))
}

/// Sizes repeat, counted from the innermost: each is 1 or the result's.
fn broadcast(finding: &mut Findings<'_>) {
    let (Some(source), Some(result)) = (finding.operand(0), finding.vector_result()) else {
        return;
    };
    let shape: &[i64] = source.as_vector().map_or(&[], |vector| &vector.shape);
    let inner = result.shape.iter().rev();
    let sizes = shape
        .iter()
        .rev()
        .zip(inner)
        .all(|(a, b)| a == b || *a == 1);
    if *element(source) != result.elem || shape.len() > result.shape.len() || !sizes {
        finding.cannot_make(
            "the elements are the same; from the innermost dimension on, each size is 1 or the \
             result's",
        );
    }
}

/// A position in a vector, and what is there: the value taken out (`vector_at` 0), or put in.
fn part(finding: &mut Findings<'_>, vector_at: usize) {
    let Some(vector) = finding.vector(vector_at) else {
        return;
    };
    let part = if vector_at == 0 {
        finding.result(0)
    } else {
        finding.operand(0)
    };
    let (Some(part), Some(position)) = (part, finding.numbers("static_position")) else {
        return;
    };
    let rank = vector.shape.len();
    if position.len() > rank {
        let message = format!(
            "a position of {} numbers in {rank} dimensions",
            position.len()
        );
        finding.of_type(message, "give at most one number for each dimension");
        return;
    }
    finding.indices("dynamic_position");
    let dynamic = crate::ir::DYNAMIC;
    for (dim, (at, size)) in position.iter().zip(&vector.shape).enumerate() {
        // -1 marks a lane of poison.
        if *at != dynamic && !(-1..*size).contains(at) {
            let message = format!("position {at} lies outside of the {size} of dimension {dim}");
            finding.of_type(message, format!("positions count from 0 to {}", size - 1));
            return;
        }
    }
    let left = &vector.shape[position.len()..];
    let fits = match part {
        Type::Vector(part) => part.elem == vector.elem && part.shape == left,
        part => *part == vector.elem && left.is_empty(),
    };
    // A vector of one element may stand for the element, and the other way round.
    let single = count(left) == Some(1) && *element(part) == vector.elem;
    let one_part = part
        .as_vector()
        .is_none_or(|part| count(&part.shape) == Some(1));
    if !fits && (!single || !one_part) {
        let whole = Type::Vector(vector.clone().into());
        let message = format!("the part of {whole} at this position isn't {part}");
        let help = "a part has the dimensions that the position leaves";
        finding.of_type(message, help);
    }
}

/// Whether elements can be combined so: floats have no bits, integers no NaN.
fn combines(kind: &str, elem: &Type) -> bool {
    let float = elem.is_float();
    match kind {
        "add" | "mul" => float || elem.is_int() || *elem == Type::Index,
        "minnumf" | "maxnumf" | "minimumf" | "maximumf" => float,
        "and" | "or" | "xor" | "minsi" | "maxsi" | "minui" | "maxui" => {
            elem.is_int() || *elem == Type::Index
        }
        _ => true,
    }
}

/// The kind of a reduction, such as `add` of `#vector.kind<add>`.
fn combining(finding: &Findings<'_>) -> Option<String> {
    let text = match finding.module.attr(finding.op, "kind")? {
        Attr::Opaque(text) | Attr::Str(text) => text.to_string(),
        _ => return None,
    };
    let inner = text
        .split('<')
        .nth(1)
        .and_then(|rest| rest.split('>').next());
    Some(inner.unwrap_or(&text).trim().to_string())
}

fn check_kind(finding: &mut Findings<'_>, elem: &Type) {
    if let Some(kind) = combining(finding)
        && !combines(&kind, elem)
    {
        let message = format!("{elem} can't be combined by `{kind}`");
        let help = "floats: add, mul, minnumf, maxnumf, minimumf, maximumf; integers: add, mul, \
                    minsi, minui, maxsi, maxui, and, or, xor";
        finding.of_type(message, help);
    }
}

fn reduction(finding: &mut Findings<'_>) {
    let (Some(vector), Some(result)) = (finding.vector(0), finding.result(0)) else {
        return;
    };
    if *result != vector.elem || vector.shape.len() > 1 {
        finding.cannot_make(
            "a row of elements becomes one element: vector.multi_reduction has dimensions",
        );
        return;
    }
    if let Some(acc) = finding.operand(1).filter(|acc| *acc != result) {
        let message = format!("an accumulator of {acc} for elements of {result}");
        finding.of_type(message, "the accumulator is one element");
    }
    let elem = vector.elem.clone();
    check_kind(finding, &elem);
}

fn multi_reduction(finding: &mut Findings<'_>) {
    let (Some(source), Some(acc), Some(result)) =
        (finding.vector(0), finding.operand(1), finding.result(0))
    else {
        return;
    };
    let Some(dims) = finding.numbers("reduction_dims") else {
        return;
    };
    let reduced = |n: usize| dims.contains(&(n as i64));
    let left = source.shape.iter().enumerate();
    let left: Vec<i64> = left
        .filter(|(n, _)| !reduced(*n))
        .map(|(_, n)| *n)
        .collect();
    let fits = match result {
        Type::Vector(result) => result.elem == source.elem && result.shape == left,
        result => *result == source.elem && left.is_empty(),
    };
    let in_range = dims
        .iter()
        .all(|n| (0..source.shape.len() as i64).contains(n));
    if acc != result || !fits || !in_range {
        finding.cannot_make(
            "accumulator and result have the dimensions that aren't combined, and the elements",
        );
        return;
    }
    let elem = source.elem.clone();
    check_kind(finding, &elem);
}

/// The dimensions of the loop nest that an indexing map picks, in the order of the operand's.
fn picked(map: &AffineMap) -> Option<Vec<u32>> {
    let dim = |expr: &AffineExpr| match expr {
        AffineExpr::Dim(n) => Some(*n),
        _ => None,
    };
    map.results.iter().map(dim).collect()
}

/// Each operand has a size for each dimension that its map picks, the same in all of them.
fn contract(finding: &mut Findings<'_>) {
    let m = finding.module;
    let Some(Attr::Array(maps)) = m.attr(finding.op, "indexing_maps") else {
        return;
    };
    let Some(Attr::Array(iterators)) = m.attr(finding.op, "iterator_types") else {
        return;
    };
    let loops = iterators.len();
    if maps.len() != 3 {
        let message = format!("`vector.contract` has {} maps", maps.len());
        finding.of_type(message, "give one map each for left, right and accumulator");
        return;
    }
    let (Some(acc), Some(result)) = (finding.operand(2), finding.result(0)) else {
        return;
    };
    if acc != result {
        let message = format!("`vector.contract` adds to {acc} and gives {result}");
        finding.of_type(message, "accumulator and result have one type");
        return;
    }
    if let (Some(left), Some(right)) = (finding.operand(0), finding.operand(1))
        && element(left) != element(right)
    {
        let message = format!("`vector.contract` multiplies {left} with {right}");
        finding.of_type(
            message,
            "left and right have the same elements: convert one before",
        );
        return;
    }
    let mut sizes: Vec<Option<i64>> = vec![None; loops];
    for (n, map) in maps.iter().enumerate() {
        let Attr::AffineMap(map) = map else {
            return;
        };
        let Some(ty) = finding.operand(n) else {
            return;
        };
        let shape: &[i64] = ty.as_vector().map_or(&[], |vector| &vector.shape);
        let dims = picked(map);
        let Some(dims) = dims.filter(|_| map.dims as usize == loops) else {
            let message = format!("map {n} doesn't pick dimensions of the {loops} loops");
            finding.of_type(message, "each map goes from all loops to some of them");
            return;
        };
        let mut fits = dims.len() == shape.len();
        for (dim, size) in dims.iter().zip(shape) {
            match sizes.get_mut(*dim as usize) {
                Some(known) => fits &= *known.get_or_insert(*size) == *size,
                None => fits = false,
            }
        }
        if !fits {
            let message = format!("operand {n} of type {ty} doesn't have the sizes of its map");
            let help = "each dimension has one size in all operands, in the order of the maps";
            finding.of_type(message, help);
            return;
        }
    }
    let elem = element(result).clone();
    check_kind(finding, &elem);
}

fn transpose(finding: &mut Findings<'_>) {
    let (Some(source), Some(result)) = (finding.vector(0), finding.vector_result()) else {
        return;
    };
    let Some(order) = finding.numbers("permutation") else {
        return;
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let each_once = sorted.iter().copied().eq(0..source.shape.len() as i64);
    let size = |n: &i64| source.shape.get(usize::try_from(*n).ok()?).copied();
    let shape: Option<Vec<i64>> = order.iter().map(size).collect();
    if !each_once || source.elem != result.elem || shape.as_ref() != Some(&result.shape) {
        finding.cannot_make("the order names each dimension once; the result's sizes follow it");
    }
}

fn shape_cast(finding: &mut Findings<'_>) {
    let (Some(source), Some(result)) = (finding.vector(0), finding.vector_result()) else {
        return;
    };
    if source.elem != result.elem || count(&source.shape) != count(&result.shape) {
        finding.cannot_make("both have the same elements, as many of them");
    }
}

fn bitcast(finding: &mut Findings<'_>) {
    let (Some(source), Some(result)) = (finding.vector(0), finding.vector_result()) else {
        return;
    };
    let row = |vector: &VectorType| {
        let last = vector.shape.last().copied().unwrap_or(1);
        last.checked_mul(vector.elem.bit_width()?.into())
    };
    let outer = |vector: &VectorType| vector.shape.split_last().map(|(_, outer)| outer.to_vec());
    let fits = row(source).is_some() && row(source) == row(result);
    if !fits || outer(source) != outer(result) {
        finding.cannot_make("rows have as many bits, the other dimensions the same sizes");
    }
}

fn shuffle(finding: &mut Findings<'_>) {
    let (Some(a), Some(b), Some(result)) = (
        finding.vector(0),
        finding.vector(1),
        finding.vector_result(),
    ) else {
        return;
    };
    let Some(mask) = finding.numbers("mask") else {
        return;
    };
    let rows = |vector: &VectorType| vector.shape.first().copied().unwrap_or(1);
    let inner = |vector: &VectorType| vector.shape.get(1..).unwrap_or(&[]).to_vec();
    let total = rows(a) + rows(b);
    let fits = a.elem == b.elem
        && a.elem == result.elem
        && inner(a) == inner(b)
        && (inner(result) == inner(a) || a.shape.is_empty())
        && rows(result) == mask.len() as i64;
    if !fits {
        finding
            .cannot_make("the result has a row for each number of the mask, of the same elements");
    } else if let Some(n) = mask.iter().find(|n| !(-1..total).contains(*n)) {
        let message = format!("the mask picks {n} of {total} rows");
        finding.of_type(message, format!("numbers are 0 to {}", total - 1));
    }
}

/// A strided part lies in the vector: taken out (`vector_at` 0), or put in.
fn slice(finding: &mut Findings<'_>, vector_at: usize) {
    let Some(whole) = finding.vector(vector_at) else {
        return;
    };
    let part = if vector_at == 0 {
        finding.vector_result()
    } else {
        finding.vector(0)
    };
    let (Some(part), Some(offsets)) = (part, finding.numbers("offsets")) else {
        return;
    };
    let strides = finding.numbers("strides").unwrap_or_default();
    if let Some(stride) = strides.iter().find(|stride| **stride != 1) {
        let message = format!("`{}` with a stride of {stride}", finding.name());
        finding.of_type(
            message,
            "strides are 1: vector.shuffle picks elements further apart",
        );
    }
    let sizes = if vector_at == 0 {
        finding.numbers("sizes").unwrap_or_default()
    } else {
        // The part's dimensions are the innermost ones.
        let outer = whole.shape.len().saturating_sub(part.shape.len());
        let ones = std::iter::repeat_n(1, outer);
        ones.chain(part.shape.iter().copied()).collect()
    };
    let inside = offsets.len() <= whole.shape.len()
        && offsets.len() == sizes.len()
        && (offsets.iter().zip(&sizes).zip(&whole.shape))
            .all(|((at, size), of)| *at >= 0 && *size >= 1 && at.saturating_add(*size) <= *of);
    let rest = whole.shape.get(sizes.len()..).unwrap_or(&[]);
    let shape_fits = vector_at == 1 || sizes.iter().chain(rest).eq(part.shape.iter());
    if !inside || !shape_fits || part.elem != whole.elem {
        let message = format!(
            "`{}` reaches outside of its vector, or has other sizes",
            finding.name()
        );
        let help = "offset and size of each dimension stay inside the vector, and the part has these sizes";
        finding.of_type(message, help);
    }
}

fn from_elements(finding: &mut Findings<'_>) {
    let Some(result) = finding.vector_result() else {
        return;
    };
    let given = finding.group("elements");
    let other = given.iter().find(|ty| ***ty != result.elem);
    if let Some(ty) = other {
        let message = format!("an element of {ty} in a vector of {}", result.elem);
        finding.of_type(message, "all elements have the vector's type");
    } else if count(&result.shape) != Some(given.len() as i64) {
        let message = format!(
            "{} elements for a vector of {:?}",
            given.len(),
            result.shape
        );
        finding.of_type(message, "give one value for each element");
    }
}

fn step(finding: &mut Findings<'_>) {
    let Some(result) = finding.vector_result() else {
        return;
    };
    if result.elem != Type::Index || result.shape.len() != 1 {
        let message = "`vector.step` counts in a row of index".to_string();
        finding.of_type(
            message,
            "write vector<…xindex>, and convert it: arith.index_cast",
        );
    }
}
