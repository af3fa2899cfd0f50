//! Vectors in memory: `vector.load`, `vector.store` and the transfers, row by row.

use aiec_aie::ir::{Op, Type, Value};
use aiec_aie::ops::netlist::operand_group;
use aiec_diag::Reported;
use aiec_vcode::{MemoryImmediate, MemoryType, Opcode};

use super::function::Function;
use super::value::{Num, Val};
use super::vector_bounds::Transfer;
use super::{Lowered, UNSUPPORTED_OP};
use crate::mir::{Scalar, Vector};

/// Where the lanes of a vector are in memory.
struct Rows {
    /// Bytes from the first element to the first of each row, in the order of the lanes.
    starts: Vec<i64>,
    /// Lanes of a row, contiguous in memory.
    lanes: u16,
}

impl Function<'_, '_, '_> {
    pub(crate) fn vector_load(&mut self, op: Op) -> Lowered<()> {
        self.read_vector(op, self.low.module.num_operands(op), None)
    }

    pub(crate) fn vector_store(&mut self, op: Op) -> Lowered<()> {
        self.write_vector(op, self.low.module.num_operands(op), false)
    }

    /// `vector.transfer_read %memref[%i...], %padding`.
    pub(crate) fn transfer_read(&mut self, op: Op) -> Lowered<()> {
        self.of_scalars(op, 0)?;
        // The padding comes last.
        let end = self.low.module.num_operands(op).saturating_sub(1);
        let padding = self.operand(op, end)?;
        self.read_vector(op, end, Some(padding))
    }

    pub(crate) fn transfer_write(&mut self, op: Op) -> Lowered<()> {
        self.of_scalars(op, 1)?;
        self.write_vector(op, self.low.module.num_operands(op), true)
    }

    /// Refuses masks, and memrefs of vectors, whose own dimensions are among those of the transfer.
    fn of_scalars(&mut self, op: Op, memref: usize) -> Lowered<()> {
        let module = self.low.module;
        let masked = operand_group(module, op, 3).is_some_and(|mask| !mask.is_empty());
        let memref = module.operand(op, memref).map(|value| module.ty(value));
        let of_vectors = memref
            .and_then(Type::as_memref)
            .is_some_and(|memref| memref.elem.as_vector().is_some());
        if masked {
            let message = format!("cores have no masks: `{}` has one", module.op_name(op));
            let help = "transfer whole vectors, and choose lanes by `arith.select`";
            return Err(self.low.report(&UNSUPPORTED_OP, op, message, help));
        }
        if of_vectors {
            return Err(self.unsupported(op));
        }
        Ok(())
    }

    /// Loads the vector at the indices, which are the operands 1 to `end` - 1; with `padding` in place of elements
    /// beyond the memref.
    fn read_vector(&mut self, op: Op, end: usize, padding: Option<Val>) -> Lowered<()> {
        let memref = self.operand_memref(op, 0)?;
        let result = self.result(op)?;
        let shape = self.result_shape(op)?;
        let kind = self.memory_type(op, shape.elem)?;
        let indices: Vec<Value> = self.low.module.operands(op).take(end).skip(1).collect();
        let transfer = self.vector_place(op, result, memref, &indices, padding.is_some())?;
        let lanes = shape.lanes.ok_or(Reported)?;
        let val = match padding {
            Some(padding) if !transfer.is_inside() => {
                let whole = self.fresh(lanes);
                let (outside, done) = (self.code.label(), self.code.label());
                self.branch_if_outside(&transfer, outside)?;
                let loaded = self.read_rows(op, &transfer, kind, lanes)?;
                let loaded = self.vector(&loaded)?;
                self.copy_all(whole, 0, loaded, 0, lanes.into());
                self.code.jump(done);
                self.code.place(outside);
                let padding = self.splat(&padding, lanes)?;
                let padding = self.vector(&padding)?;
                self.copy_all(whole, 0, padding, 0, lanes.into());
                self.read_inside(&transfer, kind, whole)?;
                self.code.place(done);
                Val::Vector(whole)
            }
            _ => self.read_rows(op, &transfer, kind, lanes)?,
        };
        self.set_result(op, val);
        Ok(())
    }

    /// Loads a vector of which all elements are inside.
    fn read_rows(
        &mut self,
        op: Op,
        transfer: &Transfer,
        kind: MemoryType,
        lanes: u16,
    ) -> Lowered<Val> {
        let rows = self.rows(op, transfer)?;
        let (address, offset) = self.element_address(&transfer.memref, &transfer.indices)?;
        if rows.starts[..] == [0] {
            return Ok(self.load_vector(kind, address, offset, rows.lanes));
        }
        let whole = self.fresh(lanes);
        for (row, start) in rows.starts.iter().enumerate() {
            let (address, offset) = self.row_address(address, offset, *start)?;
            let part = self.load_vector(kind, address, offset, rows.lanes);
            let part = self.vector(&part)?;
            let first = row as u64 * u64::from(rows.lanes);
            self.copy_all(whole, first, part, 0, rows.lanes.into());
        }
        Ok(Val::Vector(whole))
    }

    /// Stores the vector at the indices, which are the operands 2 to `end` - 1; if it is `bounded`, without the
    /// elements beyond the memref.
    fn write_vector(&mut self, op: Op, end: usize, bounded: bool) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let vector = self.operand_vector(op, 0)?;
        let memref = self.operand_memref(op, 1)?;
        let shape = self.shape(op, value)?;
        let kind = self.memory_type(op, shape.elem)?;
        let indices: Vec<Value> = self.low.module.operands(op).take(end).skip(2).collect();
        let transfer = self.vector_place(op, value, memref, &indices, bounded)?;
        if transfer.is_inside() {
            return self.write_rows(op, &transfer, kind, vector);
        }
        let (outside, done) = (self.code.label(), self.code.label());
        self.branch_if_outside(&transfer, outside)?;
        self.write_rows(op, &transfer, kind, vector)?;
        self.code.jump(done);
        self.code.place(outside);
        self.write_inside(&transfer, kind, vector)?;
        self.code.place(done);
        Ok(())
    }

    /// Stores a vector of which all elements are inside.
    fn write_rows(
        &mut self,
        op: Op,
        transfer: &Transfer,
        kind: MemoryType,
        vector: Vector,
    ) -> Lowered<()> {
        let rows = self.rows(op, transfer)?;
        let (address, offset) = self.element_address(&transfer.memref, &transfer.indices)?;
        for (row, start) in rows.starts.iter().enumerate() {
            let (address, offset) = self.row_address(address, offset, *start)?;
            let part = match rows.starts.len() {
                1 => vector,
                _ => {
                    let part = self.fresh(rows.lanes);
                    let first = row as u64 * u64::from(rows.lanes);
                    self.copy_all(part, 0, vector, first, rows.lanes.into());
                    part
                }
            };
            self.store_vector(kind, address, offset, part, rows.lanes);
        }
        Ok(())
    }

    /// The address of a row `start` bytes further.
    fn row_address(&mut self, address: Scalar, offset: i32, start: i64) -> Lowered<(Scalar, i32)> {
        let further = i64::from(offset) + start;
        if MemoryImmediate::fits(further) {
            return Ok((address, further as i32));
        }
        let bytes = Val::Const(start as u64);
        let moved = self.binary(None, Opcode::Add64, &Val::Scalar(address), &bytes)?;
        Ok((self.scalar(&moved)?, offset))
    }

    /// The rows of a vector in a memref; a dimension that repeats the same elements has no distance.
    fn rows(&mut self, op: Op, transfer: &Transfer) -> Lowered<Rows> {
        let Transfer {
            memref,
            sizes,
            dims,
            ..
        } = transfer;
        let strides = match (memref.fixed_strides(), memref.strides.last()) {
            (Some(strides), _) => strides,
            // Only the distance of neighbours is asked for.
            (None, Some(Num::Const(1))) if dims[..] == [Some(memref.strides.len() - 1)] => {
                let mut strides = vec![0; memref.strides.len()];
                *strides.last_mut().ok_or(Reported)? = 1;
                strides
            }
            (None, _) => return Err(self.open_layout(op)),
        };
        let along = dims.iter().map(|dim| dim.map_or(0, |dim| strides[dim]));
        let along: Vec<i64> = along.collect();
        // Inner dimensions without gaps between them are one row.
        let (mut lanes, mut inner) = (1u64, sizes.len());
        while inner > 0 && along[inner - 1] == lanes as i64 {
            lanes *= sizes[inner - 1];
            inner -= 1;
        }
        let mut starts = vec![0i64];
        for (size, stride) in sizes.iter().zip(&along).take(inner) {
            let step = stride * i64::from(memref.elem_bytes);
            let next = |start: &i64| {
                let start = *start;
                (0..*size as i64).map(move |n| start + n * step)
            };
            starts = starts.iter().flat_map(next).collect();
        }
        Ok(Rows {
            starts,
            lanes: lanes as u16,
        })
    }
}
