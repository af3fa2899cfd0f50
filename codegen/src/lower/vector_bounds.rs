//! Vector transfers that may reach beyond their memref: elements outside are padding to a read, and
//! aren't written by a write (`mlir: VectorOps.td, transfer_read`, `in_bounds`).

use aiec_aie::ir::{AffineExpr, Attr, Op, Type, Value, ValueDef};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{OpKind, ScfFor};
use aiec_diag::Reported;
use aiec_vcode::{MemoryType, Opcode};

use super::Lowered;
use super::function::Function;
use super::memory::val_of;
use super::pure::load_constant;
use super::value::{MemRef, Num, Val};
use super::vector::row_major;
use crate::mir::{Arg, Imm, Label, Vector};

/// Operations that a bound of an index is followed back through at most.
const MAX_DEPTH: usize = 8;

/// A vector at a place of a memref.
pub(crate) struct Transfer {
    pub memref: MemRef,
    /// The first element, in each dimension of the memref.
    pub indices: Vec<Num>,
    /// Elements in each dimension of the vector.
    pub sizes: Vec<u64>,
    /// The dimension of the memref that each dimension of the vector runs along; `None` for those that repeat the
    /// same elements.
    pub dims: Vec<Option<usize>>,
    /// The elements in each dimension of the vector that are inside the memref.
    inside: Vec<Num>,
}

impl Transfer {
    /// Whether all elements are inside, whatever the indices are.
    pub fn is_inside(&self) -> bool {
        let mut all = self.sizes.iter().zip(&self.inside);
        all.all(|(size, inside)| *inside == Num::Const(*size as i64))
    }
}

impl Function<'_, '_, '_> {
    /// The transfer of an operation between a vector and a memref. Without `bounded` all elements are inside.
    pub(crate) fn vector_place(
        &mut self,
        op: Op,
        vector: Value,
        memref: MemRef,
        indices: &[Value],
        bounded: bool,
    ) -> Lowered<Transfer> {
        let (sizes, _) = self.vector_type(vector).ok_or(Reported)?;
        let sizes: Vec<u64> = sizes.iter().map(|size| *size as u64).collect();
        let rank = memref.strides.len();
        let dims: Option<Vec<Option<usize>>> = match self.low.module.attr(op, "permutation_map") {
            Some(Attr::AffineMap(map)) => {
                let dim = |result: &AffineExpr| match result {
                    AffineExpr::Dim(dim) if (*dim as usize) < rank => Some(Some(*dim as usize)),
                    AffineExpr::Const(0) => Some(None),
                    _ => None,
                };
                map.results.iter().map(dim).collect()
            }
            Some(_) => None,
            // The last ones.
            None => {
                let first = rank.checked_sub(sizes.len());
                first.map(|first| (first..rank).map(Some).collect())
            }
        };
        let dims = dims.filter(|dims| dims.len() == sizes.len() && indices.len() == rank);
        let Some(dims) = dims else {
            return Err(self.unsupported(op));
        };
        let is_known = self.known_inside(op, dims.len());
        let mut inside = Vec::new();
        for (n, (dim, size)) in dims.iter().zip(&sizes).enumerate() {
            let whole = *size as i64;
            inside.push(match dim {
                Some(dim) if bounded && !is_known[n] => {
                    let index = indices[*dim];
                    match (self.range(index, MAX_DEPTH), memref.sizes.get(*dim)) {
                        (Some((0.., last)), Some(Num::Const(end)))
                            if last.saturating_add(whole) <= *end =>
                        {
                            Num::Const(whole)
                        }
                        (_, Some(end)) => self.count_inside(index, *end, whole)?,
                        (_, None) => return Err(self.unsupported(op)),
                    }
                }
                _ => Num::Const(whole),
            });
        }
        Ok(Transfer {
            indices: self.indices(indices)?,
            memref,
            sizes,
            dims,
            inside,
        })
    }

    /// The dimensions that `in_bounds` marks as staying inside.
    fn known_inside(&self, op: Op, count: usize) -> Vec<bool> {
        let mut known = match self.low.module.attr(op, "in_bounds") {
            Some(Attr::Array(list)) => list.iter().map(|one| one.as_bool() == Some(true)).collect(),
            Some(Attr::DenseArray(list)) => list.values.iter().map(|one| *one != 0).collect(),
            _ => Vec::new(),
        };
        known.resize(count, false);
        known
    }

    /// Number of elements, of `most` from an index on, that are before the end.
    fn count_inside(&mut self, index: Value, end: Num, most: i64) -> Lowered<Num> {
        let (index, end) = (val_of(self.num(index)?), val_of(end));
        let rest = self.binary(None, Opcode::Sub64, &end, &index)?;
        let rest = self.binary(None, Opcode::Mins, &rest, &Val::Const(most as u64))?;
        let begins = self.binary(None, Opcode::Ltu, &index, &end)?;
        let count = self.pure(
            None,
            Opcode::Select,
            &[&begins, &rest, &Val::Const(0)],
            0,
            None,
        )?;
        self.num_of(&count)
    }

    /// The least and the greatest number that an index can be, if constants and counted loops bound
    /// it.
    fn range(&self, value: Value, depth: usize) -> Option<(i64, i64)> {
        let module = self.low.module;
        let depth = depth.checked_sub(1)?;
        if let Some(constant) = const_int(module, value) {
            return Some((constant, constant));
        }
        match module.def(value) {
            ValueDef::Argument(block, 0) => {
                let around = module.block_parent(block)?;
                if module.kind(around) != OpKind::ScfFor || *module.ty(value) != Type::Index {
                    return None;
                }
                let view = ScfFor(around);
                let trips = view.trips(module)?.checked_sub(1)?;
                let known = |bound| const_int(module, bound).map(i128::from);
                let variable = |run| view.variable_of(module, run, known);
                // A loop without sign whose numbers have the sign bit goes on below.
                let (first, last) = (variable(0)?, variable(trips)?);
                (first <= last).then_some((first, last))
            }
            ValueDef::Argument(..) => None,
            ValueDef::Result(op, _) => {
                let operand = |n| self.range(module.operand(op, n)?, depth);
                let (a, b) = (operand(0)?, operand(1)?);
                match module.kind(op) {
                    OpKind::ArithAddI => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
                    OpKind::ArithMulI if a.0 >= 0 && b.0 >= 0 => {
                        Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?))
                    }
                    _ => None,
                }
            }
        }
    }

    /// Goes to a label if an element is outside.
    pub(crate) fn branch_if_outside(&mut self, transfer: &Transfer, label: Label) -> Lowered<()> {
        for (size, inside) in transfer.sizes.iter().zip(&transfer.inside) {
            match inside {
                Num::Const(inside) if *inside == *size as i64 => {}
                Num::Const(_) => {
                    self.code.jump(label);
                    return Ok(());
                }
                Num::Scalar(inside) => {
                    let size = self.constant_scalar(*size);
                    let args = [Arg::Scalar(*inside), Arg::Scalar(size), Arg::None];
                    self.code.branch(Opcode::Bne, args, label);
                }
            }
        }
        Ok(())
    }

    /// Reads the elements that are inside into the lanes of a vector.
    pub(crate) fn read_inside(
        &mut self,
        transfer: &Transfer,
        kind: MemoryType,
        result: Vector,
    ) -> Lowered<()> {
        self.each_inside(transfer, |this, indices, lane| {
            let element = this.load_scalar(kind, &transfer.memref, indices)?;
            let lanes = this.code.lanes(result);
            let (op, place, imm) = match lane {
                Num::Const(lane) => (Opcode::VInsert, Arg::None, lane as u32),
                Num::Scalar(lane) => (Opcode::VInsertAt, Arg::Scalar(lane), lanes.into()),
            };
            let args = [Arg::Vector(result), Arg::Scalar(element), place];
            this.code.op(op, args, Imm::Word(imm));
            Ok(())
        })
    }

    /// Writes the lanes of a vector whose elements are inside.
    pub(crate) fn write_inside(
        &mut self,
        transfer: &Transfer,
        kind: MemoryType,
        vector: Vector,
    ) -> Lowered<()> {
        self.each_inside(transfer, |this, indices, lane| {
            let element = match lane {
                Num::Const(lane) => {
                    let element = this.lane(vector, lane as u32);
                    this.scalar(&element)?
                }
                Num::Scalar(lane) => {
                    let element = this.code.scalar();
                    let lanes = this.code.lanes(vector);
                    let args = [Arg::Scalar(element), Arg::Vector(vector), Arg::Scalar(lane)];
                    this.code
                        .op(Opcode::VExtractAt, args, Imm::Word(lanes.into()));
                    element
                }
            };
            this.store_scalar(kind, &transfer.memref, indices, element)
        })
    }

    /// Loops over the elements that are inside: their indices in the memref, and their lanes.
    fn each_inside(
        &mut self,
        transfer: &Transfer,
        body: impl FnOnce(&mut Self, &[Num], Num) -> Lowered<()>,
    ) -> Lowered<()> {
        let exit = self.code.label();
        let mut loops = Vec::new();
        let mut places = Vec::new();
        for inside in &transfer.inside {
            if let Num::Const(0 | 1) = inside {
                if *inside == Num::Const(0) {
                    self.code.jump(exit);
                }
                places.push(Num::Const(0));
                continue;
            }
            let counter = self.code.scalar();
            let end = val_of(*inside);
            let end = self.scalar(&end)?;
            self.code.nodes.extend(load_constant(counter, 0));
            if let Num::Scalar(_) = inside {
                let args = [Arg::Scalar(end), Arg::Scalar(counter), Arg::None];
                self.code.branch(Opcode::Bles, args, exit);
            }
            let head = self.code.label();
            self.code.place(head);
            places.push(Num::Scalar(counter));
            loops.push((counter, end, head));
        }
        let sizes: Vec<i64> = transfer.sizes.iter().map(|size| *size as i64).collect();
        let mut indices = transfer.indices.clone();
        let mut lane = Num::Const(0);
        for ((place, dim), stride) in places.iter().zip(&transfer.dims).zip(row_major(&sizes)) {
            let lanes = self.product(*place, Num::Const(stride as i64))?;
            lane = self.sum(lane, lanes)?;
            if let Some(dim) = dim {
                indices[*dim] = self.sum(indices[*dim], *place)?;
            }
        }
        body(self, &indices, lane)?;
        for (counter, end, head) in loops.into_iter().rev() {
            let args = [Arg::Scalar(counter), Arg::Number(1), Arg::Scalar(end)];
            self.code.branch(Opcode::Loopi, args, head);
        }
        self.code.place(exit);
        Ok(())
    }
}
