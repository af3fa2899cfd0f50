//! Vectors in memory: `vector.load`, `vector.store` and the transfers, row by row.

use aiec_aie::ir::{AffineExpr, Attr, Op, Value};
use aiec_aie::ops::netlist::operand_group;
use aiec_device::core_program::{MemoryImmediate, Opcode};

use super::function::Function;
use super::lower::{AlreadyReported, Lowered};
use super::mir::Scalar;
use super::value::{MemRef, Num, Val};

/// Where the lanes of a vector are in memory.
struct Rows {
    /// Bytes from the first element to the first of each row, in the order of the lanes.
    starts: Vec<i64>,
    /// Lanes of a row, one behind the other in memory.
    lanes: u16,
}

impl Function<'_, '_, '_> {
    pub(super) fn vector_load(&mut self, op: Op) -> Lowered<()> {
        self.read_vector(op, self.low.module.num_operands(op))
    }

    pub(super) fn vector_store(&mut self, op: Op) -> Lowered<()> {
        self.write_vector(op, self.low.module.num_operands(op))
    }

    /// `vector.transfer_read %memref[%i...], %padding`. Reading past the end is undefined here as
    /// it is with `in_bounds`: the padding is not used.
    pub(super) fn transfer_read(&mut self, op: Op) -> Lowered<()> {
        self.no_mask(op)?;
        // The padding comes last.
        self.read_vector(op, self.low.module.num_operands(op).saturating_sub(1))
    }

    pub(super) fn transfer_write(&mut self, op: Op) -> Lowered<()> {
        self.no_mask(op)?;
        self.write_vector(op, self.low.module.num_operands(op))
    }

    fn no_mask(&mut self, op: Op) -> Lowered<()> {
        let masked = operand_group(self.low.module, op, 3).is_some_and(|mask| !mask.is_empty());
        if masked {
            return Err(self.unsupported(op));
        }
        Ok(())
    }

    /// Loads the vector at the indices, which are the operands 1 to `end` - 1.
    fn read_vector(&mut self, op: Op, end: usize) -> Lowered<()> {
        let memref = self.operand_memref(op, 0)?;
        let result = self.result(op)?;
        let rows = self.rows(op, result, &memref)?;
        let shape = self.result_shape(op)?;
        let kind = self.memory_type(op, shape.elem)?;
        let indices: Vec<Value> = self.low.module.operands(op).take(end).skip(1).collect();
        let indices = self.indices(&indices)?;
        let (address, offset) = self.element_address(&memref, &indices)?;
        let val = match &rows.starts[..] {
            [0] => self.load_vector(kind, address, offset, rows.lanes),
            starts => {
                let whole = self.fresh(shape.lanes.ok_or(AlreadyReported)?);
                for (row, start) in starts.iter().enumerate() {
                    let (address, offset) = self.row_address(address, offset, *start)?;
                    let part = self.load_vector(kind, address, offset, rows.lanes);
                    let part = self.vector(&part)?;
                    let first = row as u64 * u64::from(rows.lanes);
                    self.copy_all(whole, first, part, 0, rows.lanes.into());
                }
                Val::Vector(whole)
            }
        };
        self.set_result(op, val);
        Ok(())
    }

    /// Stores the vector at the indices, which are the operands 2 to `end` - 1.
    fn write_vector(&mut self, op: Op, end: usize) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(AlreadyReported)?;
        let vector = self.operand_vector(op, 0)?;
        let memref = self.operand_memref(op, 1)?;
        let rows = self.rows(op, value, &memref)?;
        let shape = self.shape(op, value)?;
        let kind = self.memory_type(op, shape.elem)?;
        let indices: Vec<Value> = self.low.module.operands(op).take(end).skip(2).collect();
        let indices = self.indices(&indices)?;
        let (address, offset) = self.element_address(&memref, &indices)?;
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

    /// The address of a row so many bytes further.
    fn row_address(&mut self, address: Scalar, offset: i32, start: i64) -> Lowered<(Scalar, i32)> {
        let further = i64::from(offset) + start;
        if MemoryImmediate::fits(further) {
            return Ok((address, further as i32));
        }
        let bytes = Val::Const(start as u64);
        let moved = self.binary(None, Opcode::Add64, &Val::Scalar(address), &bytes)?;
        Ok((self.scalar(&moved)?, offset))
    }

    /// The rows of a vector in a memref: its dimensions are the last ones of the memref, or those
    /// that the permutation map of a transfer names; a constant in it repeats the same elements.
    fn rows(&mut self, op: Op, vector: Value, memref: &MemRef) -> Lowered<Rows> {
        let (sizes, _) = self.vector_type(vector).ok_or(AlreadyReported)?;
        let sizes: Vec<u64> = sizes.iter().map(|size| *size as u64).collect();
        let strides = match (memref.fixed_strides(), memref.strides.last()) {
            (Some(strides), _) => strides,
            // Only the distance of neighbours is asked for.
            (None, Some(Num::Const(1))) if sizes.len() == 1 => {
                let mut strides = vec![0; memref.strides.len()];
                *strides.last_mut().ok_or(AlreadyReported)? = 1;
                strides
            }
            (None, _) => return Err(self.open_layout(op)),
        };
        let along: Option<Vec<i64>> = match self.low.module.attr(op, "permutation_map") {
            Some(Attr::AffineMap(map)) => {
                let stride = |result: &AffineExpr| match result {
                    AffineExpr::Dim(dim) => strides.get(*dim as usize).copied(),
                    AffineExpr::Const(0) => Some(0),
                    _ => None,
                };
                map.results.iter().map(stride).collect()
            }
            _ => {
                let first = strides.len().checked_sub(sizes.len());
                first.map(|first| strides[first..].to_vec())
            }
        };
        let along = along.filter(|along| along.len() == sizes.len());
        let Some(along) = along else {
            return Err(self.unsupported(op));
        };
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
