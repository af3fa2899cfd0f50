//! The `vector` dialect. A vector of several dimensions is its elements row by row.

use aiec_aie::ir::{Attr, DYNAMIC, Op, Type, Value};
use aiec_diag::Reported;
use aiec_vcode::{FloatFormat, Opcode};

use super::Lowered;
use super::function::Function;
use super::value::{Elem, Val};
use crate::mir::{Arg, Imm, Node, Vector};

impl Function<'_, '_, '_> {
    /// An operation of `vector`; `None` if it isn't known.
    pub(crate) fn vector_op(&mut self, op: Op, name: &str) -> Option<Lowered<()>> {
        Some(match name {
            "load" => self.vector_load(op),
            "store" => self.vector_store(op),
            "transfer_read" => self.transfer_read(op),
            "transfer_write" => self.transfer_write(op),
            "broadcast" => self.broadcast(op),
            "fma" => self.fma(op).map(|val| self.set_result(op, val)),
            "reduction" => self.reduction(op),
            "extract" => self.extract(op),
            "insert" => self.insert(op),
            "extractelement" => self.extract_element(op),
            "insertelement" => self.insert_element(op),
            "shape_cast" => self.operand(op, 0).map(|val| self.set_result(op, val)),
            "extract_strided_slice" => self.extract_slice(op),
            "insert_strided_slice" => self.insert_slice(op),
            "shuffle" => self.shuffle(op),
            "transpose" => self.transpose(op),
            "contract" => self.contract(op),
            "multi_reduction" => self.multi_reduction(op),
            "from_elements" => self.elements(op),
            "step" => self.step(op),
            "bitcast" => self.vector_bitcast(op),
            _ => return None,
        })
    }

    pub(crate) fn vector_type(&self, value: Value) -> Option<(Vec<i64>, Type)> {
        let vector = self.low.module.ty(value).as_vector()?;
        Some((vector.shape.clone(), vector.elem.clone()))
    }

    pub(crate) fn result(&self, op: Op) -> Lowered<Value> {
        self.low.module.result(op, 0).ok_or(Reported)
    }

    /// The sizes of the vector that is an operand.
    pub(crate) fn operand_sizes(&self, op: Op, n: usize) -> Lowered<Vec<i64>> {
        let value = self.low.module.operand(op, n).ok_or(Reported)?;
        Ok(self
            .vector_type(value)
            .map(|(shape, _)| shape)
            .unwrap_or_default())
    }

    fn result_sizes(&self, op: Op) -> Lowered<Vec<i64>> {
        let result = self.result(op)?;
        Ok(self
            .vector_type(result)
            .map(|(shape, _)| shape)
            .unwrap_or_default())
    }

    pub(crate) fn operand_vector(&mut self, op: Op, n: usize) -> Lowered<Vector> {
        let val = self.operand(op, n)?;
        self.vector(&val)
    }

    /// Integers of an attribute that is a list.
    pub(crate) fn list(&self, op: Op, attr: &str) -> Option<Vec<i64>> {
        match self.low.module.attr(op, attr)? {
            Attr::DenseArray(list) => Some(list.values.clone()),
            Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
            _ => None,
        }
    }

    // ---- lanes ----

    /// A vector of which every lane will be set.
    pub(crate) fn fresh(&mut self, lanes: u16) -> Vector {
        let vector = self.code.vector(lanes);
        self.code.nodes.push(Node::Define(vector));
        vector
    }

    pub(crate) fn copy_all(
        &mut self,
        to: Vector,
        to_lane: u64,
        from: Vector,
        from_lane: u64,
        lanes: u64,
    ) {
        let mut done = 0;
        while done < lanes {
            let some = (lanes - done).min(256);
            let (to_lane, from_lane) = ((to_lane + done) as u16, (from_lane + done) as u16);
            self.copy_lanes(to, to_lane, from, from_lane, some as u16);
            done += some;
        }
    }

    /// A copy of a vector, to be changed.
    pub(crate) fn duplicate(&mut self, vector: Vector) -> Vector {
        let lanes = self.code.lanes(vector);
        let copy = self.fresh(lanes);
        self.copy_all(copy, 0, vector, 0, lanes.into());
        copy
    }

    fn broadcast(&mut self, op: Op) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        let lanes = shape.lanes.ok_or(Reported)?;
        let source = self.operand(op, 0)?;
        let val = match source {
            Val::Vector(vector) => {
                let (from, to) = (self.operand_sizes(op, 0)?, self.result_sizes(op)?);
                if !to.ends_with(&from) {
                    let sources = stretched(&from, &to);
                    let val = Val::Vector(self.pick(vector, &sources));
                    self.set_result(op, val);
                    return Ok(());
                }
                // Leading dimensions are new: the whole is repeated.
                let part = u64::from(self.code.lanes(vector));
                let result = self.fresh(lanes);
                for copy in 0..u64::from(lanes) / part.max(1) {
                    self.copy_all(result, copy * part, vector, 0, part);
                }
                Val::Vector(result)
            }
            val => self.splat(&val, lanes)?,
        };
        self.set_result(op, val);
        Ok(())
    }

    /// The kind of a reduction by its name, such as `add`.
    pub(crate) fn reduction_kind(&self, op: Op) -> String {
        let kind = match self.low.module.attr(op, "kind") {
            Some(Attr::Opaque(text)) => text.to_string(),
            Some(Attr::Str(text)) => text.to_string(),
            _ => String::new(),
        };
        // `#vector.kind<add>` in generic form.
        let word = kind.trim_end_matches('>').rsplit('<').next();
        word.unwrap_or_default().to_string()
    }

    fn reduction(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let shape = self.shape(op, value)?;
        let (elem, lanes) = (shape.elem, shape.lanes.ok_or(Reported)?);
        let kind = self.reduction_kind(op);
        let narrow = matches!(elem, Elem::Float(FloatFormat::Bf16 | FloatFormat::F16));
        let rounds = narrow && matches!(kind.as_str(), "add" | "mul");
        let Some(opcode) = self.combining(&kind, elem) else {
            return Err(self.unsupported(op));
        };
        let vector = self.operand_vector(op, 0)?;
        let start = match self.low.module.operand(op, 1) {
            Some(start) => Some(self.val(start)?),
            None => None,
        };
        if rounds {
            return self.reduce_rounding(op, opcode, elem, (vector, lanes), start);
        }
        // Without a start value the first lane starts; a second use of it would count twice.
        let (start, rest) = match start {
            Some(start) => (start, vector),
            None => {
                let first = self.lane(vector, 0);
                if lanes == 1 {
                    self.set_result(op, first);
                    return Ok(());
                }
                let rest = self.fresh(lanes - 1);
                self.copy_all(rest, 0, vector, 1, u64::from(lanes) - 1);
                (first, rest)
            }
        };
        let start = self.scalar(&start)?;
        let result = self.code.scalar();
        let lanes = self.code.lanes(rest);
        let args = [Arg::Scalar(result), Arg::Vector(rest), Arg::Scalar(start)];
        let imm = Imm::Map {
            op: opcode,
            lanes,
            fourth: Arg::Number(0),
        };
        self.code.op(Opcode::VReduce, args, imm);
        let val = self.settle(elem, &Val::Scalar(result))?;
        self.set_result(op, val);
        Ok(())
    }

    /// A reduction in a narrow format rounds after each step.
    fn reduce_rounding(
        &mut self,
        op: Op,
        opcode: Opcode,
        elem: Elem,
        (vector, lanes): (Vector, u16),
        start: Option<Val>,
    ) -> Lowered<()> {
        let first = u16::from(start.is_none());
        let mut sum = match start {
            Some(start) => start,
            None => self.lane(vector, 0),
        };
        for lane in first..lanes {
            let next = self.lane(vector, lane.into());
            let combined = self.binary(None, opcode, &sum, &next)?;
            sum = self.settle(elem, &combined)?;
        }
        self.set_result(op, sum);
        Ok(())
    }

    /// One lane as a scalar.
    pub(crate) fn lane(&mut self, vector: Vector, lane: u32) -> Val {
        let result = self.code.scalar();
        let args = [Arg::Scalar(result), Arg::Vector(vector), Arg::None];
        self.code.op(Opcode::VExtract, args, Imm::Word(lane));
        Val::Scalar(result)
    }

    /// The positions of extract and insert: `None` for those known at run time.
    fn positions(&self, op: Op) -> Option<Vec<Option<i64>>> {
        let list = self
            .list(op, "static_position")
            .or_else(|| self.list(op, "position"))?;
        let known = |position| {
            if position == DYNAMIC {
                None
            } else {
                Some(position)
            }
        };
        Some(list.into_iter().map(known).collect())
    }

    /// First lane and lanes of the part of a vector that positions name; `None` if it is not
    /// known.
    fn part(sizes: &[i64], positions: &[Option<i64>]) -> Option<(u64, u64)> {
        let inner = sizes.get(positions.len()..)?;
        let lanes = u64::try_from(inner.iter().product::<i64>()).ok()?;
        let mut first = 0u64;
        for (size, position) in sizes.iter().zip(positions) {
            let position = (*position)?;
            if !(0..*size).contains(&position) {
                return None;
            }
            first = first * *size as u64 + position as u64;
        }
        Some((first * lanes, lanes))
    }

    fn extract(&mut self, op: Op) -> Lowered<()> {
        let vector = self.operand_vector(op, 0)?;
        let sizes = self.operand_sizes(op, 0)?;
        let positions = self.positions(op).unwrap_or_default();
        if let ([None], [_]) = (positions.as_slice(), sizes.as_slice()) {
            return self.extract_at(op, vector, 1);
        }
        let Some((first, lanes)) = Self::part(&sizes, &positions) else {
            return Err(self.unsupported(op));
        };
        let val = if self.is_scalar(self.result(op)?) {
            self.lane(vector, first as u32)
        } else {
            let result = self.fresh(lanes as u16);
            self.copy_all(result, 0, vector, first, lanes);
            Val::Vector(result)
        };
        self.set_result(op, val);
        Ok(())
    }

    /// A lane whose number is the n-th operand.
    pub(crate) fn extract_at(&mut self, op: Op, vector: Vector, n: usize) -> Lowered<()> {
        let lanes = self.code.lanes(vector);
        let position = self.operand(op, n)?;
        let val = match position {
            Val::Const(lane) if lane < u64::from(lanes) => self.lane(vector, lane as u32),
            position => {
                let position = self.scalar(&position)?;
                let result = self.code.scalar();
                let args = [
                    Arg::Scalar(result),
                    Arg::Vector(vector),
                    Arg::Scalar(position),
                ];
                self.code
                    .op(Opcode::VExtractAt, args, Imm::Word(lanes.into()));
                Val::Scalar(result)
            }
        };
        self.set_result(op, val);
        Ok(())
    }

    fn extract_element(&mut self, op: Op) -> Lowered<()> {
        let vector = self.operand_vector(op, 0)?;
        if self.low.module.num_operands(op) == 1 {
            let val = self.lane(vector, 0);
            self.set_result(op, val);
            return Ok(());
        }
        self.extract_at(op, vector, 1)
    }

    fn insert(&mut self, op: Op) -> Lowered<()> {
        let target = self.operand_vector(op, 1)?;
        let sizes = self.operand_sizes(op, 1)?;
        let positions = self.positions(op).unwrap_or_default();
        if let ([None], [_]) = (positions.as_slice(), sizes.as_slice()) {
            return self.insert_at(op, target, 2);
        }
        let Some((first, lanes)) = Self::part(&sizes, &positions) else {
            return Err(self.unsupported(op));
        };
        let source = self.operand(op, 0)?;
        let result = self.duplicate(target);
        match source {
            Val::Vector(source) => self.copy_all(result, first, source, 0, lanes),
            source => {
                let source = self.scalar(&source)?;
                let args = [Arg::Vector(result), Arg::Scalar(source), Arg::None];
                self.code.op(Opcode::VInsert, args, Imm::Word(first as u32));
            }
        }
        self.set_result(op, Val::Vector(result));
        Ok(())
    }

    /// Sets the lane whose number is the n-th operand to the first operand.
    fn insert_at(&mut self, op: Op, target: Vector, n: usize) -> Lowered<()> {
        let lanes = self.code.lanes(target);
        let source = self.operand(op, 0)?;
        let source = self.scalar(&source)?;
        let position = self.operand(op, n)?;
        let position = self.scalar(&position)?;
        let result = self.duplicate(target);
        let args = [
            Arg::Vector(result),
            Arg::Scalar(source),
            Arg::Scalar(position),
        ];
        self.code
            .op(Opcode::VInsertAt, args, Imm::Word(lanes.into()));
        self.set_result(op, Val::Vector(result));
        Ok(())
    }

    fn insert_element(&mut self, op: Op) -> Lowered<()> {
        let target = self.operand_vector(op, 1)?;
        self.insert_at(op, target, 2)
    }

    // ---- rearranging ----

    /// Builds a vector lane by lane, joining runs of lanes that follow one another.
    pub(crate) fn gather(&mut self, op: Op, lanes: Vec<(Vector, u64)>) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        if shape.lanes.map(usize::from) != Some(lanes.len()) {
            return Err(self.unsupported(op));
        }
        let result = self.fresh(lanes.len() as u16);
        let mut at = 0;
        while let Some(&(source, first)) = lanes.get(at) {
            let run = lanes[at..]
                .iter()
                .enumerate()
                .take_while(|(n, lane)| **lane == (source, first + *n as u64))
                .count();
            self.copy_all(result, at as u64, source, first, run as u64);
            at += run;
        }
        self.set_result(op, Val::Vector(result));
        Ok(())
    }

    fn shuffle(&mut self, op: Op) -> Lowered<()> {
        let (left, right) = (self.operand_vector(op, 0)?, self.operand_vector(op, 1)?);
        let (left_sizes, sizes) = (self.operand_sizes(op, 0)?, self.operand_sizes(op, 1)?);
        let mask = self.list(op, "mask").ok_or(Reported)?;
        let row = u64::try_from(sizes.iter().skip(1).product::<i64>()).map_err(|_| Reported)?;
        let first_rows =
            u64::try_from(left_sizes.first().copied().unwrap_or(1)).map_err(|_| Reported)?;
        let mut lanes = Vec::new();
        for pick in mask {
            // -1 is poison: any lane will do.
            let pick = u64::try_from(pick).unwrap_or(0);
            let (source, pick) = if pick < first_rows {
                (left, pick)
            } else {
                (right, pick - first_rows)
            };
            lanes.extend((0..row).map(|lane| (source, pick * row + lane)));
        }
        self.gather(op, lanes)
    }

    fn transpose(&mut self, op: Op) -> Lowered<()> {
        let vector = self.operand_vector(op, 0)?;
        let sizes = self.operand_sizes(op, 0)?;
        let permutation = self.list(op, "permutation").ok_or(Reported)?;
        let strides = row_major(&sizes);
        let mut picked = vec![0u64];
        for dim in permutation {
            let dim = usize::try_from(dim).map_err(|_| Reported)?;
            let (size, stride) = (
                *sizes.get(dim).ok_or(Reported)?,
                *strides.get(dim).ok_or(Reported)?,
            );
            picked = picked
                .into_iter()
                .flat_map(|base| (0..size as u64).map(move |at| base + at * stride))
                .collect();
        }
        self.gather(op, picked.into_iter().map(|lane| (vector, lane)).collect())
    }

    /// The lanes of a slice of a vector, in order.
    fn slice(sizes: &[i64], offsets: &[i64], extents: &[i64]) -> Option<Vec<u64>> {
        let strides = row_major(sizes);
        let mut lanes = vec![0u64];
        for (dim, size) in sizes.iter().enumerate() {
            let offset = offsets.get(dim).copied().unwrap_or(0);
            let extent = extents.get(dim).copied().unwrap_or(*size);
            if offset < 0 || extent < 0 || extent > *size || offset > *size - extent {
                return None;
            }
            let (first, stride) = (offset as u64, strides[dim]);
            lanes = lanes
                .into_iter()
                .flat_map(|base| (0..extent as u64).map(move |at| base + (first + at) * stride))
                .collect();
        }
        Some(lanes)
    }

    fn extract_slice(&mut self, op: Op) -> Lowered<()> {
        let vector = self.operand_vector(op, 0)?;
        let sizes = self.operand_sizes(op, 0)?;
        let offsets = self.list(op, "offsets").unwrap_or_default();
        let extents = self.list(op, "sizes").unwrap_or_default();
        self.unit_steps(op)?;
        let Some(lanes) = Self::slice(&sizes, &offsets, &extents) else {
            return Err(self.unsupported(op));
        };
        self.gather(op, lanes.into_iter().map(|lane| (vector, lane)).collect())
    }

    fn unit_steps(&mut self, op: Op) -> Lowered<()> {
        let steps = self.list(op, "strides").unwrap_or_default();
        if steps.iter().all(|step| *step == 1) {
            Ok(())
        } else {
            Err(self.unsupported(op))
        }
    }

    fn insert_slice(&mut self, op: Op) -> Lowered<()> {
        let source = self.operand_vector(op, 0)?;
        let target = self.operand_vector(op, 1)?;
        let (small, sizes) = (self.operand_sizes(op, 0)?, self.operand_sizes(op, 1)?);
        let offsets = self.list(op, "offsets").unwrap_or_default();
        self.unit_steps(op)?;
        // The source lacks the leading dimensions that the target has more.
        let more = sizes.len().saturating_sub(small.len());
        let extents: Vec<i64> = std::iter::repeat_n(1, more).chain(small).collect();
        let Some(lanes) = Self::slice(&sizes, &offsets, &extents) else {
            return Err(self.unsupported(op));
        };
        let total = self.code.lanes(target);
        let mut picked: Vec<(Vector, u64)> =
            (0..u64::from(total)).map(|lane| (target, lane)).collect();
        for (from, to) in lanes.into_iter().enumerate() {
            if let Some(slot) = picked.get_mut(to as usize) {
                *slot = (source, from as u64);
            }
        }
        self.gather(op, picked)
    }
}

/// Strides in lanes of a vector's dimensions.
pub(crate) fn row_major(sizes: &[i64]) -> Vec<u64> {
    let mut strides = vec![1u64; sizes.len()];
    for dim in (1..sizes.len()).rev() {
        strides[dim - 1] = strides[dim] * u64::try_from(sizes[dim]).unwrap_or(0);
    }
    strides
}

/// For each lane of a vector that another is broadcast to, the other's lane: dimensions of size 1
/// are stretched, leading ones are new.
fn stretched(from: &[i64], to: &[i64]) -> Vec<u64> {
    let size = |size: i64| u64::try_from(size).unwrap_or(0);
    let new = to.len().saturating_sub(from.len());
    let mut lanes = vec![0u64];
    for (dim, count) in to.iter().enumerate() {
        let source = dim.checked_sub(new).map_or(1, |dim| size(from[dim]));
        lanes = lanes
            .into_iter()
            .flat_map(|lane| {
                let along = move |at| lane * source + if source == 1 { 0 } else { at };
                (0..size(*count)).map(along)
            })
            .collect();
    }
    lanes
}
