//! Products and reductions of vectors along their dimensions. For each place of the dimensions that
//! are reduced, one operation on all lanes of the result: the lanes that it needs are gathered first.

use aiec_aie::ir::{AffineExpr, Attr, Op, Value, ValueDef};
use aiec_aie::ops::OpKind;
use aiec_device::BFP16_BLOCKS;
use aiec_diag::Reported;
use aiec_vcode::{FloatFormat, MemoryType, Opcode};

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Shape, Val};
use super::vector::row_major;
use crate::mir::{Arg, Contraction, Factor, Imm, MatrixProduct, Node, Vector};

/// Lanes of one number that are worth a splat instead of copies.
const MANY: usize = 3;

/// Bits of the integers of which two are in a byte.
const NIBBLE_BITS: u8 = 4;

/// The kind of contractions that add products up.
const SUMS: &str = "add";

/// Nodes of products by lanes from which on machine code has loops: each is several instructions where lanes move singly.
const MAX_WRITTEN_OUT: usize = 64;

/// A vector with the iteration dimensions that its own dimensions run along.
pub(super) struct Operand {
    pub vector: Vector,
    pub map: Vec<usize>,
    pub strides: Vec<u64>,
}

/// The products of a contraction, and what they are combined with.
pub(super) struct Products {
    /// Places of each dimension; those that the result has, in its order; those that are reduced.
    pub sizes: Vec<u64>,
    pub kept: Vec<usize>,
    pub reduced: Vec<usize>,
    pub left: Operand,
    pub right: Operand,
    /// Operation that combines the products.
    pub sums: Vector,
    /// The type of the sums, in which products are made.
    pub elem: Elem,
    mul: Opcode,
    pub combine: Opcode,
    is_sum: bool,
}

impl Operand {
    /// The lane at a place of the iteration.
    fn lane(&self, place: &[u64]) -> u64 {
        let along = self.map.iter().zip(&self.strides);
        along.map(|(dim, stride)| place[*dim] * stride).sum()
    }
}

/// All places of some dimensions in row-major order, written into a place of all.
pub(super) fn places(sizes: &[u64], dims: &[usize], start: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![start.to_vec()];
    for &dim in dims {
        all = all
            .into_iter()
            .flat_map(|place| {
                (0..sizes[dim]).map(move |at| {
                    let mut place = place.clone();
                    place[dim] = at;
                    place
                })
            })
            .collect();
    }
    all
}

impl Function<'_, '_, '_> {
    /// A vector of lanes of another one, in any order and number.
    pub(crate) fn pick(&mut self, source: Vector, lanes: &[u64]) -> Vector {
        let whole = usize::from(self.code.lanes(source)) == lanes.len();
        if whole && lanes.iter().enumerate().all(|(n, lane)| *lane == n as u64) {
            return source;
        }
        let result = self.fresh(lanes.len() as u16);
        let mut at = 0;
        while let Some(&first) = lanes.get(at) {
            let rest = &lanes[at..];
            let same = rest.iter().take_while(|lane| **lane == first).count();
            if same >= MANY {
                let scalar = self.lane(source, first as u32);
                if let Ok(Val::Vector(copies)) = self.splat(&scalar, same as u16) {
                    self.copy_all(result, at as u64, copies, 0, same as u64);
                }
                at += same;
                continue;
            }
            let run = rest.iter().enumerate();
            let run = run.take_while(|(n, lane)| **lane == first + *n as u64);
            let run = run.count();
            self.copy_all(result, at as u64, source, first, run as u64);
            at += run;
        }
        result
    }

    /// A vector of one lane for each place.
    pub(super) fn at_places(&mut self, operand: &Operand, places: &[Vec<u64>]) -> Vector {
        let lanes: Vec<u64> = places.iter().map(|place| operand.lane(place)).collect();
        self.pick(operand.vector, &lanes)
    }

    /// The operand with a map, one of `aievec.matmul` or `vector.contract`.
    fn mapped(&mut self, op: Op, n: usize, map: Vec<usize>) -> Lowered<Operand> {
        let sizes = self.operand_sizes(op, n)?;
        if sizes.len() != map.len() {
            return Err(self.unsupported(op));
        }
        Ok(Operand {
            vector: self.operand_vector(op, n)?,
            map,
            strides: row_major(&sizes),
        })
    }

    /// Products of two vectors combined, sums if the kind is `add`: `acc` and, for each place of its
    /// dimensions, the products at all places of the dimensions that it lacks.
    fn products(&mut self, op: Op, maps: [Vec<usize>; 3], kind: &str) -> Lowered<Val> {
        let product = (kind == SUMS).then(|| self.matrices(op, &maps)).flatten();
        // A result of no dimensions is a number: a vector of one lane on the way.
        let start = self.operand(op, 2)?;
        let is_scalar = !matches!(start, Val::Vector(_));
        let start = if is_scalar {
            self.splat(&start, 1)?
        } else {
            start
        };
        let sums = self.vector(&start)?;
        let products = self.all_products(op, maps, kind, sums)?;
        let first = self.code.nodes.len();
        let in_blocks = product.is_some_and(|(product, ..)| product.in_blocks);
        let val = if in_blocks {
            self.products_in_blocks(&products)?
        } else {
            self.products_by_lanes(op, &products)?
        };
        let to = self.vector(&val)?;
        let is_long = !in_blocks && self.code.nodes.len() - first > MAX_WRITTEN_OUT;
        if product.is_some() || is_long {
            let by_lanes = self.code.nodes.split_off(first);
            let in_loops = if is_long {
                self.products_in_loops(op, &products, to)?
            } else {
                Vec::new()
            };
            let (product, left, right) = match product {
                Some((product, left, right)) => (Some(product), left, right),
                None => (None, products.left.vector, products.right.vector),
            };
            self.code
                .nodes
                .push(Node::Contraction(Box::new(Contraction {
                    product,
                    to,
                    left,
                    right,
                    sums,
                    by_lanes,
                    in_loops,
                })));
        }
        Ok(if is_scalar { self.lane(to, 0) } else { val })
    }

    /// The product of two matrices into 32-bit sums, row by row, with its factors, if a contraction is that.
    fn matrices(
        &mut self,
        op: Op,
        maps: &[Vec<usize>; 3],
    ) -> Option<(MatrixProduct, Vector, Vector)> {
        let [left, right, result] = maps;
        let ([m, k], [l, n]) = (left[..].try_into().ok()?, right[..].try_into().ok()?);
        if k != l || m == n || result[..] != [m, n] || [m, n].contains(&k) {
            return None;
        }
        let operand = |n| self.low.module.operand(op, n);
        let (left, right, sums) = (operand(0)?, operand(1)?, operand(2)?);
        let (rows, inner) = self.sides(left)?;
        let (_, columns) = self.sides(right)?;
        let sum = self.shape(op, sums).ok()?.elem;
        let (left, left_factor) = self.factor(op, left)?;
        let (right, right_factor) = self.factor(op, right)?;
        let is_float = |factor: Factor| factor.kind == MemoryType::Bf16;
        let fits = match sum {
            Elem::Int(32) => !is_float(left_factor) && !is_float(right_factor),
            Elem::Float(FloatFormat::F32) => is_float(left_factor) && is_float(right_factor),
            _ => false,
        };
        let mut vector = |value| match self.val(value).ok()? {
            Val::Vector(vector) => Some(vector),
            _ => None,
        };
        let (left, right) = (vector(left)?, vector(right)?);
        let product = MatrixProduct {
            left: left_factor,
            right: right_factor,
            rows,
            inner,
            columns,
            in_blocks: is_float(left_factor)
                && [rows, inner, columns].map(u64::from) == BFP16_BLOCKS
                && self.permits_blocks(op),
        };
        fits.then_some((product, left, right))
    }

    /// Rows and columns of a vector that is a matrix.
    fn sides(&self, value: Value) -> Option<(u16, u16)> {
        let (sizes, _) = self.vector_type(value)?;
        let [rows, columns] = sizes[..].try_into().ok()?;
        Some((u16::try_from(rows).ok()?, u16::try_from(columns).ok()?))
    }

    /// A factor of a product, as it is before it was extended, and its elements; `None` for
    /// elements that no architecture multiplies.
    fn factor(&mut self, op: Op, value: Value) -> Option<(Value, Factor)> {
        let module = self.low.module;
        let extension = match module.def(value) {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Argument(..) => None,
        };
        let kind = extension.map(|op| module.kind(op));
        let extends = matches!(
            kind,
            Some(OpKind::ArithExtSI | OpKind::ArithExtUI | OpKind::ArithExtF)
        );
        let value = match extension {
            Some(op) if extends => module.operand(op, 0)?,
            _ => value,
        };
        let factor = Factor {
            kind: self.shape(op, value).ok()?.elem.memory()?,
            is_signed: kind != Some(OpKind::ArithExtUI),
        };
        let narrow = matches!(
            factor.kind,
            MemoryType::I8 | MemoryType::I16 | MemoryType::Bf16
        );
        narrow.then_some((value, factor))
    }

    /// Factors and sums of a contraction.
    fn all_products(
        &mut self,
        op: Op,
        [left, right, kept]: [Vec<usize>; 3],
        kind: &str,
        sums: Vector,
    ) -> Lowered<Products> {
        let dims = left.iter().chain(&right).chain(&kept).max();
        let mut sizes = vec![0; dims.map_or(0, |dim| dim + 1)];
        for (n, map) in [(0, &left), (1, &right)] {
            for (dim, size) in map.iter().zip(self.operand_sizes(op, n)?) {
                sizes[*dim] = u64::try_from(size).map_err(|_| Reported)?;
            }
        }
        let (left, right) = (self.mapped(op, 0, left)?, self.mapped(op, 1, right)?);
        let value = self.low.module.operand(op, 2).ok_or(Reported)?;
        let elem = self.shape(op, value)?.elem;
        let (Some(mul), Some(combine)) = (self.combining("mul", elem), self.combining(kind, elem))
        else {
            return Err(self.unsupported(op));
        };
        Ok(Products {
            reduced: (0..sizes.len()).filter(|dim| !kept.contains(dim)).collect(),
            kept,
            sizes,
            left,
            right,
            sums,
            elem,
            mul,
            combine,
            is_sum: kind == SUMS,
        })
    }

    /// One product combined with what has been, lane by lane or of scalars.
    pub(super) fn combined(
        &mut self,
        op: Op,
        products: &Products,
        lanes: Option<u16>,
        [left, right, sum]: [&Val; 3],
    ) -> Lowered<Val> {
        let elem = products.elem;
        let narrow = matches!(elem, Elem::Float(FloatFormat::Bf16 | FloatFormat::F16));
        if narrow && products.is_sum {
            // Rounded to f32 in between, the sum would be rounded twice.
            return self.fused(op, Shape { elem, lanes }, left, right, sum);
        }
        let mut product = self.binary(lanes, products.mul, left, right)?;
        if !products.is_sum {
            // Sums wrap alike whether or not the product did; comparisons don't.
            product = self.settle_lanes(elem, lanes, &product)?;
        }
        let sum = self.binary(lanes, products.combine, sum, &product)?;
        self.settle_lanes(elem, lanes, &sum)
    }

    fn products_by_lanes(&mut self, op: Op, products: &Products) -> Lowered<Val> {
        let start = vec![0; products.sizes.len()];
        let outer = places(&products.sizes, &products.kept, &start);
        let lanes = Some(outer.len() as u16);
        let mut sum = Val::Vector(products.sums);
        for step in places(&products.sizes, &products.reduced, &start) {
            let here: Vec<Vec<u64>> = outer
                .iter()
                .map(|place| place.iter().zip(&step).map(|(a, b)| a + b).collect())
                .collect();
            let l = Val::Vector(self.at_places(&products.left, &here));
            let r = Val::Vector(self.at_places(&products.right, &here));
            sum = self.combined(op, products, lanes, [&l, &r, &sum])?;
        }
        Ok(sum)
    }

    /// Brings the lanes of a chain of operations into the form of their type.
    pub(crate) fn settle_lanes(
        &mut self,
        elem: Elem,
        lanes: Option<u16>,
        val: &Val,
    ) -> Lowered<Val> {
        match elem {
            // 32-bit operations have cut them already.
            Elem::Int(32 | 64) => Ok(val.clone()),
            Elem::Int(bits) => self.unary(lanes, Opcode::Sext, val, bits),
            Elem::Float(format @ (FloatFormat::Bf16 | FloatFormat::F16)) => {
                self.unary(lanes, Opcode::NarrowF, val, format.code())
            }
            Elem::Float(_) => Ok(val.clone()),
        }
    }

    /// `aievec.matmul`: m × k times k × n, added to m × n.
    pub(crate) fn matrix_product(&mut self, op: Op) -> Lowered<()> {
        let (m, n, k) = (0, 1, 2);
        let val = self.products(op, [vec![m, k], vec![k, n], vec![m, n]], SUMS)?;
        self.set_result(op, val);
        Ok(())
    }

    /// `vector.contract`, without a kind with sums of products.
    pub(crate) fn contract(&mut self, op: Op) -> Lowered<()> {
        let kind = self.reduction_kind(op);
        let maps = match self.low.module.attr(op, "indexing_maps") {
            Some(Attr::Array(maps)) => maps.iter().map(dimensions).collect(),
            _ => None,
        };
        let maps: Option<[Vec<usize>; 3]> =
            maps.and_then(|maps: Vec<Vec<usize>>| maps.try_into().ok());
        let masked = self.low.module.num_operands(op) > 3;
        match maps {
            Some(maps) if !masked => {
                let kind = if kind.is_empty() { SUMS } else { &kind };
                let val = self.products(op, maps, kind)?;
                self.set_result(op, val);
                Ok(())
            }
            _ => Err(self.unsupported(op)),
        }
    }

    /// `vector.multi_reduction <kind>, %source, %acc [dims]`.
    pub(crate) fn multi_reduction(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let Shape { elem, .. } = self.shape(op, value)?;
        let kind = self.reduction_kind(op);
        let Some(opcode) = self.combining(&kind, elem) else {
            return Err(self.unsupported(op));
        };
        let sizes = self.operand_sizes(op, 0)?;
        let dims = self.list(op, "reduction_dims").ok_or(Reported)?;
        let reduced: Vec<usize> = dims
            .iter()
            .filter_map(|d| usize::try_from(*d).ok())
            .collect();
        if reduced.iter().any(|dim| *dim >= sizes.len()) {
            return Err(self.unsupported(op));
        }
        let kept: Vec<usize> = (0..sizes.len())
            .filter(|dim| !reduced.contains(dim))
            .collect();
        let source = Operand {
            vector: self.operand_vector(op, 0)?,
            map: (0..sizes.len()).collect(),
            strides: row_major(&sizes),
        };
        let sizes: Vec<u64> = sizes
            .iter()
            .map(|size| u64::try_from(*size).unwrap_or(0))
            .collect();
        let start = vec![0; sizes.len()];
        let outer = places(&sizes, &kept, &start);
        let lanes = Some(outer.len() as u16);
        let mut sum = self.operand(op, 1)?;
        let scalar = !matches!(sum, Val::Vector(_));
        if scalar {
            sum = self.splat(&sum, 1)?;
        }
        for step in places(&sizes, &reduced, &start) {
            let here: Vec<Vec<u64>> = outer
                .iter()
                .map(|place| place.iter().zip(&step).map(|(a, b)| a + b).collect())
                .collect();
            let next = Val::Vector(self.at_places(&source, &here));
            sum = self.binary(lanes, opcode, &sum, &next)?;
            sum = self.settle_lanes(elem, lanes, &sum)?;
        }
        let val = match sum {
            Val::Vector(vector) if scalar => self.lane(vector, 0),
            sum => sum,
        };
        self.set_result(op, val);
        Ok(())
    }

    /// `vector.from_elements`.
    pub(crate) fn elements(&mut self, op: Op) -> Lowered<()> {
        let lanes = self.result_shape(op)?.lanes.ok_or(Reported)?;
        let result = self.fresh(lanes);
        for lane in 0..lanes {
            let element = self.operand(op, lane.into())?;
            let element = self.scalar(&element)?;
            let args = [Arg::Vector(result), Arg::Scalar(element), Arg::None];
            self.code.op(Opcode::VInsert, args, Imm::Word(lane.into()));
        }
        self.set_result(op, Val::Vector(result));
        Ok(())
    }

    /// `vector.step`: the numbers from 0 on.
    pub(crate) fn step(&mut self, op: Op) -> Lowered<()> {
        let lanes = self.result_shape(op)?.lanes.ok_or(Reported)?;
        let result = self.fresh(lanes);
        let counter = self.code.scalar();
        self.code
            .nodes
            .extend(super::pure::load_constant(counter, 0));
        for lane in 0..lanes {
            let args = [Arg::Vector(result), Arg::Scalar(counter), Arg::None];
            self.code.op(Opcode::VInsert, args, Imm::Word(lane.into()));
            let args = [Arg::Scalar(counter), Arg::Scalar(counter), Arg::None];
            self.code.op(Opcode::Addi64, args, Imm::Word(1));
        }
        self.set_result(op, Val::Vector(result));
        Ok(())
    }

    /// `vector.bitcast`: through memory, where bits are just bits.
    pub(crate) fn vector_bitcast(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let (mut from, mut to) = (self.shape(op, value)?, self.result_shape(op)?);
        let mut vector = self.operand_vector(op, 0)?;
        if from == to {
            self.set_result(op, Val::Vector(vector));
            return Ok(());
        }
        if from.elem == Elem::Int(NIBBLE_BITS) {
            from = self.bytes_of_nibbles(op, from)?;
            vector = self.packed_nibbles(vector)?;
        }
        let unpacks = to.elem == Elem::Int(NIBBLE_BITS);
        if unpacks {
            to = self.bytes_of_nibbles(op, to)?;
        }
        if from != to {
            vector = self.through_memory(op, vector, from, to)?;
        }
        if unpacks {
            vector = self.unpacked_nibbles(vector)?;
        }
        self.set_result(op, Val::Vector(vector));
        Ok(())
    }

    /// A vector stored as elements of one shape, and loaded as those of another.
    fn through_memory(
        &mut self,
        op: Op,
        vector: Vector,
        from: Shape,
        to: Shape,
    ) -> Lowered<Vector> {
        let (Some(store), Some(load)) = (from.elem.memory(), to.elem.memory()) else {
            return Err(self.unsupported(op));
        };
        let (from, to) = (from.lanes.ok_or(Reported)?, to.lanes.ok_or(Reported)?);
        let bytes = u64::from(from) * u64::from(store.bytes());
        if bytes != u64::from(to) * u64::from(load.bytes()) {
            return Err(self.unsupported(op));
        }
        let offset = self.low.stack_bytes(op, bytes)?;
        let address = Val::Const(self.low.own_address(offset) as u64);
        let address = self.scalar(&address)?;
        self.store_vector(store, address, 0, vector, from);
        let loaded = self.load_vector(load, address, 0, to);
        self.vector(&loaded)
    }

    // ---- integers of four bits, two in a byte, the first one in the low half ----

    /// The shape of the bytes that hold a vector of integers of four bits.
    fn bytes_of_nibbles(&mut self, op: Op, shape: Shape) -> Lowered<Shape> {
        match shape.lanes {
            Some(lanes) if lanes.is_multiple_of(2) => Ok(Shape {
                elem: Elem::Int(2 * NIBBLE_BITS),
                lanes: Some(lanes / 2),
            }),
            _ => Err(self.unsupported(op)),
        }
    }

    fn packed_nibbles(&mut self, vector: Vector) -> Lowered<Vector> {
        let lanes = self.code.lanes(vector) / 2;
        let halves = [0, 1].map(|half| {
            let some = self.fresh(lanes);
            for lane in 0..lanes {
                self.copy_lanes(some, lane, vector, 2 * lane + half, 1);
            }
            Val::Vector(some)
        });
        let distance = self.splat(&Val::Const(NIBBLE_BITS.into()), lanes)?;
        let low = self.unary(Some(lanes), Opcode::Zext, &halves[0], NIBBLE_BITS)?;
        let high = self.binary(Some(lanes), Opcode::Shl64, &halves[1], &distance)?;
        let both = self.binary(Some(lanes), Opcode::Or, &low, &high)?;
        self.vector(&both)
    }

    fn unpacked_nibbles(&mut self, bytes: Vector) -> Lowered<Vector> {
        let lanes = self.code.lanes(bytes);
        let all = Val::Vector(bytes);
        let distance = self.splat(&Val::Const(NIBBLE_BITS.into()), lanes)?;
        let low = self.unary(Some(lanes), Opcode::Sext, &all, NIBBLE_BITS)?;
        let high = self.binary(Some(lanes), Opcode::Shrs, &all, &distance)?;
        let result = self.fresh(2 * lanes);
        for (half, val) in [low, high].iter().enumerate() {
            let some = self.vector(val)?;
            for lane in 0..lanes {
                self.copy_lanes(result, 2 * lane + half as u16, some, lane, 1);
            }
        }
        Ok(result)
    }
}

/// The dimensions that the results of a map are; `None` if one is something else.
fn dimensions(map: &Attr) -> Option<Vec<usize>> {
    let Attr::AffineMap(map) = map else {
        return None;
    };
    let dim = |result: &AffineExpr| match result {
        AffineExpr::Dim(dim) => Some(*dim as usize),
        _ => None,
    };
    map.results.iter().map(dim).collect()
}
