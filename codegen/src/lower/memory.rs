//! The `memref` dialect: layouts are followed when the core is compiled, so that an access is an
//! address computation and a load or store.

use aiec_aie::ir::{MemRefType, Op, Type, Value};
use aiec_aie::ops::OpKind;
use aiec_diag::Reported;
use aiec_vcode::{MemoryImmediate, MemoryType, Opcode};

use super::Lowered;
use super::function::Function;
use super::pure::load_constant;
use super::value::{Address, Elem, MemRef, Num, Shape, Val};
use crate::codes::UNSUPPORTED_TYPE;
use crate::mir::{Arg, Imm, Scalar, Vector};

/// A place in memory: address plus a scaled index.
#[derive(Clone, Copy, Debug)]
struct Element {
    address: Address,
    /// In elements.
    index: Option<Scalar>,
}

impl Function<'_, '_, '_> {
    pub(crate) fn memref_op(&mut self, op: Op) -> Lowered<()> {
        use OpKind::*;
        let val = match self.low.module.kind(op) {
            MemrefLoad => return self.load(op),
            MemrefStore => return self.store(op),
            MemrefCopy => return self.copy(op),
            MemrefDealloc => return Ok(()),
            MemrefAlloc | MemrefAlloca => self.alloc(op)?,
            MemrefGetGlobal => self.get_global(op)?,
            MemrefSubview => self.subview(op)?,
            MemrefReinterpretCast => self.reinterpret_cast(op)?,
            MemrefView => self.view(op)?,
            MemrefDim => self.dim(op)?,
            MemrefCollapseShape | MemrefExpandShape => self.reshape(op)?,
            MemrefCast | MemrefAssumeAlignment => self.recast(op)?,
            _ => return Err(self.unsupported(op)),
        };
        self.set_result(op, val);
        Ok(())
    }

    pub(crate) fn result_type(&self, op: Op) -> Option<Type> {
        self.low
            .module
            .result(op, 0)
            .map(|result| self.low.module.ty(result).clone())
    }

    pub(crate) fn result_memref(&self, op: Op) -> Lowered<MemRefType> {
        self.result_type(op)
            .and_then(|ty| ty.as_memref().cloned())
            .ok_or(Reported)
    }

    // ---- numbers ----

    /// a * b.
    pub(crate) fn product(&mut self, a: Num, b: Num) -> Lowered<Num> {
        let (a, b) = (val_of(a), val_of(b));
        let val = self.binary(None, Opcode::Mul64, &a, &b)?;
        self.num_of(&val)
    }

    /// a + b.
    pub(crate) fn sum(&mut self, a: Num, b: Num) -> Lowered<Num> {
        let (a, b) = (val_of(a), val_of(b));
        let val = self.binary(None, Opcode::Add64, &a, &b)?;
        self.num_of(&val)
    }

    pub(crate) fn num_of(&mut self, val: &Val) -> Lowered<Num> {
        match val {
            Val::Const(bits) => Ok(Num::Const(*bits as i64)),
            val => Ok(Num::Scalar(self.scalar(val)?)),
        }
    }

    /// An address moved by a number of elements.
    pub(crate) fn advance(
        &mut self,
        address: Address,
        elements: Num,
        elem_bytes: u32,
    ) -> Lowered<Address> {
        match self.product(elements, Num::Const(elem_bytes.into()))? {
            Num::Const(bytes) => Ok(Address {
                offset: address.offset.wrapping_add(bytes),
                ..address
            }),
            Num::Scalar(bytes) => {
                let scalar = match address.scalar {
                    None => bytes,
                    Some(base) => {
                        let sum = self.sum(Num::Scalar(base), Num::Scalar(bytes))?;
                        let sum = val_of(sum);
                        self.scalar(&sum)?
                    }
                };
                Ok(Address {
                    scalar: Some(scalar),
                    ..address
                })
            }
        }
    }

    /// Where an element is. Constant parts of the index go to the address.
    fn element(&mut self, memref: &MemRef, indices: &[Num]) -> Lowered<Element> {
        let mut constant = 0i64;
        let mut variable: Option<Num> = None;
        for (index, stride) in indices.iter().zip(&memref.strides) {
            match self.product(*index, *stride)? {
                Num::Const(elements) => constant = constant.wrapping_add(elements),
                term => {
                    variable = Some(match variable {
                        None => term,
                        Some(so_far) => self.sum(so_far, term)?,
                    });
                }
            }
        }
        let bytes = constant.wrapping_mul(memref.elem_bytes.into());
        let start = memref.start;
        let address = Address {
            offset: start.offset.wrapping_add(bytes),
            ..start
        };
        let index = match variable {
            Some(Num::Scalar(index)) => Some(index),
            _ => None,
        };
        Ok(Element { address, index })
    }

    /// The address of an element in a register, and an offset that fits an instruction.
    pub(crate) fn element_address(
        &mut self,
        memref: &MemRef,
        indices: &[Num],
    ) -> Lowered<(Scalar, i32)> {
        let Element { address, index } = self.element(memref, indices)?;
        let address = match index {
            None => address,
            Some(index) => self.advance(address, Num::Scalar(index), memref.elem_bytes)?,
        };
        match address.scalar {
            Some(scalar) if MemoryImmediate::fits(address.offset) => {
                Ok((scalar, address.offset as i32))
            }
            _ => Ok((self.address_scalar(address)?, 0)),
        }
    }

    pub(crate) fn indices(&mut self, values: &[Value]) -> Lowered<Vec<Num>> {
        values.iter().map(|value| self.num(*value)).collect()
    }

    /// Representation in memory of the elements of a memref of scalars.
    pub(crate) fn memory_type(&mut self, op: Op, elem: Elem) -> Lowered<MemoryType> {
        elem.memory().ok_or_else(|| {
            let message = "memory can't hold elements of this width".to_string();
            let help = "use i1, i8, i16, i32, i64, bf16, f16, f32 or f64";
            self.low.report(&UNSUPPORTED_TYPE, op, message, help)
        })
    }

    // ---- accesses ----

    fn load(&mut self, op: Op) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        let memref = self.operand_memref(op, 0)?;
        let values: Vec<Value> = self.low.module.operands(op).skip(1).collect();
        let indices = self.indices(&values)?;
        let kind = self.memory_type(op, shape.elem)?;
        let val = match shape.lanes {
            None => Val::Scalar(self.load_scalar(kind, &memref, &indices)?),
            Some(lanes) => {
                let (address, offset) = self.element_address(&memref, &indices)?;
                self.load_vector(kind, address, offset, lanes)
            }
        };
        self.set_result(op, val);
        Ok(())
    }

    fn store(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let shape = self.shape(op, value)?;
        let memref = self.operand_memref(op, 1)?;
        let values: Vec<Value> = self.low.module.operands(op).skip(2).collect();
        let indices = self.indices(&values)?;
        let kind = self.memory_type(op, shape.elem)?;
        let val = self.val(value)?;
        match shape.lanes {
            None => {
                let scalar = self.scalar(&val)?;
                self.store_scalar(kind, &memref, &indices, scalar)
            }
            Some(lanes) => {
                let vector = self.vector(&val)?;
                let (address, offset) = self.element_address(&memref, &indices)?;
                self.store_vector(kind, address, offset, vector, lanes);
                Ok(())
            }
        }
    }

    pub(crate) fn load_scalar(
        &mut self,
        kind: MemoryType,
        memref: &MemRef,
        indices: &[Num],
    ) -> Lowered<Scalar> {
        let element = self.element(memref, indices)?;
        let result = self.code.scalar();
        let opcodes = [
            Opcode::LdAbs,
            Opcode::LdBase,
            Opcode::LdIdx,
            Opcode::LdBaseIdx,
        ];
        self.access(opcodes, kind, element, result)?;
        Ok(result)
    }

    pub(crate) fn store_scalar(
        &mut self,
        kind: MemoryType,
        memref: &MemRef,
        indices: &[Num],
        value: Scalar,
    ) -> Lowered<()> {
        let element = self.element(memref, indices)?;
        let opcodes = [
            Opcode::StAbs,
            Opcode::StBase,
            Opcode::StIdx,
            Opcode::StBaseIdx,
        ];
        self.access(opcodes, kind, element, value)
    }

    /// Emits a scalar access in the form that fits: absolute, base, index, or both.
    fn access(
        &mut self,
        [absolute, base, indexed, both]: [Opcode; 4],
        kind: MemoryType,
        element: Element,
        value: Scalar,
    ) -> Lowered<()> {
        let mut address = element.address;
        if !MemoryImmediate::fits(address.offset) {
            let scalar = self.address_scalar(address)?;
            address = Address {
                offset: 0,
                scalar: Some(scalar),
            };
        }
        let value = Arg::Scalar(value);
        let (opcode, args) = match (address.scalar, element.index) {
            (None, None) => (absolute, [value, Arg::None, Arg::None]),
            (Some(scalar), None) => (base, [value, Arg::Scalar(scalar), Arg::None]),
            (None, Some(index)) => (indexed, [value, Arg::Scalar(index), Arg::None]),
            (Some(scalar), Some(index)) => (both, [value, Arg::Scalar(scalar), Arg::Scalar(index)]),
        };
        let offset = address.offset as i32;
        self.code.op(
            opcode,
            args,
            Imm::Word(MemoryImmediate { kind, offset }.pack()),
        );
        Ok(())
    }

    /// Loads a vector from consecutive elements.
    pub(crate) fn load_vector(
        &mut self,
        kind: MemoryType,
        address: Scalar,
        offset: i32,
        lanes: u16,
    ) -> Val {
        let result = self.code.vector(lanes);
        if lanes <= 256 {
            self.vector_access(Opcode::VLd, kind, address, offset, (result, lanes));
        } else {
            self.code.nodes.push(crate::mir::Node::Define(result));
            for (first, some) in parts(lanes) {
                let part = self.code.vector(some);
                let offset = offset + i32::from(first) * kind.bytes() as i32;
                self.vector_access(Opcode::VLd, kind, address, offset, (part, some));
                self.copy_lanes(result, first, part, 0, some);
            }
        }
        Val::Vector(result)
    }

    /// Stores a vector to consecutive elements.
    pub(crate) fn store_vector(
        &mut self,
        kind: MemoryType,
        address: Scalar,
        offset: i32,
        vector: Vector,
        lanes: u16,
    ) {
        if lanes <= 256 {
            self.vector_access(Opcode::VSt, kind, address, offset, (vector, lanes));
            return;
        }
        for (first, some) in parts(lanes) {
            let part = self.code.vector(some);
            self.code.nodes.push(crate::mir::Node::Define(part));
            self.copy_lanes(part, 0, vector, first, some);
            let offset = offset + i32::from(first) * kind.bytes() as i32;
            self.vector_access(Opcode::VSt, kind, address, offset, (part, some));
        }
    }

    fn vector_access(
        &mut self,
        op: Opcode,
        kind: MemoryType,
        address: Scalar,
        offset: i32,
        (vector, lanes): (Vector, u16),
    ) {
        let args = [
            Arg::Vector(vector),
            Arg::Scalar(address),
            Arg::Number(lanes as u8),
        ];
        self.code
            .op(op, args, Imm::Word(MemoryImmediate { kind, offset }.pack()));
    }

    /// A vector in memory from an element of a memref on: `vector.load` and its kin.
    pub(crate) fn load_row(
        &mut self,
        op: Op,
        memref: &MemRef,
        indices: &[Value],
        shape: Shape,
    ) -> Lowered<Val> {
        let kind = self.memory_type(op, shape.elem)?;
        let indices = self.indices(indices)?;
        let (address, offset) = self.element_address(memref, &indices)?;
        Ok(self.load_vector(kind, address, offset, shape.lanes.unwrap_or(1)))
    }

    // ---- copies ----

    fn copy(&mut self, op: Op) -> Lowered<()> {
        let source = self.operand_memref(op, 0)?;
        let target = self.operand_memref(op, 1)?;
        let Some(sizes) = source.fixed_sizes().or_else(|| target.fixed_sizes()) else {
            return Err(self.open_layout(op));
        };
        if sizes.contains(&0) {
            return Ok(());
        }
        self.copy_dimensions(op, &target, &source, &sizes)
    }

    /// Copies the dimensions that are contiguous in both as one piece, in loops over the others.
    fn copy_dimensions(
        &mut self,
        op: Op,
        target: &MemRef,
        source: &MemRef,
        sizes: &[i64],
    ) -> Lowered<()> {
        let inner = contiguous(source, sizes).min(contiguous(target, sizes));
        let outer = sizes.len() - inner;
        let mut indices = vec![Num::Const(0); sizes.len()];
        let mut loops = Vec::new();
        for (index, &size) in indices.iter_mut().zip(&sizes[..outer]) {
            if size == 1 {
                continue;
            }
            let counter = self.code.scalar();
            let bound = self.constant_scalar(size as u64);
            self.code.nodes.extend(load_constant(counter, 0));
            let head = self.code.label();
            self.code.place(head);
            *index = Num::Scalar(counter);
            loops.push((counter, bound, head));
        }
        let elements = sizes[outer..]
            .iter()
            .fold(1i64, |count, size| count.saturating_mul(*size));
        let bytes = elements.saturating_mul(source.elem_bytes.into());
        let Ok(bytes) = u32::try_from(bytes) else {
            return Err(self.open_layout(op));
        };
        let from = self.element_address(source, &indices)?;
        let from = self.address_scalar(Address {
            offset: from.1.into(),
            scalar: Some(from.0),
        })?;
        let to = self.element_address(target, &indices)?;
        let to = self.address_scalar(Address {
            offset: to.1.into(),
            scalar: Some(to.0),
        })?;
        let args = [Arg::Scalar(to), Arg::Scalar(from), Arg::None];
        self.code.op(Opcode::Copy, args, Imm::Word(bytes));
        for (counter, bound, head) in loops.into_iter().rev() {
            let args = [Arg::Scalar(counter), Arg::Number(1), Arg::Scalar(bound)];
            self.code.branch(Opcode::Loopi, args, head);
        }
        Ok(())
    }
}

pub(crate) fn val_of(num: Num) -> Val {
    match num {
        Num::Const(value) => Val::Const(value as u64),
        Num::Scalar(scalar) => Val::Scalar(scalar),
    }
}

/// Number of innermost dimensions that are contiguous.
fn contiguous(memref: &MemRef, sizes: &[i64]) -> usize {
    let Some(strides) = memref.fixed_strides() else {
        return 0;
    };
    let mut expected = 1;
    let mut inner = 0;
    for (size, stride) in sizes.iter().zip(&strides).rev() {
        if *stride != expected && *size != 1 {
            break;
        }
        expected = size.saturating_mul(expected);
        inner += 1;
    }
    inner
}

/// The parts of up to 256 lanes of a long vector: first lane and lanes.
fn parts(lanes: u16) -> impl Iterator<Item = (u16, u16)> {
    (0..lanes)
        .step_by(256)
        .map(move |first| (first, (lanes - first).min(256)))
}
