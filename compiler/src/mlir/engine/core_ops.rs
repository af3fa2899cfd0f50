//! Operations of cores as calls of the host, and memrefs as places.

use aiec_aie::ir::{Attr, InsertPoint, MemRefType, Op, Type, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{OpKind, UseLock};
use aiec_codegen::external_signature;
use aiec_vcode::Signature;

use super::body::{BodyBuilder, CASCADE_WORDS, WORDS, transfer_buffer};
use super::numbers;

impl BodyBuilder<'_> {
    /// Lowers the copy of an operation; `None` if that has no form.
    pub fn lower(&mut self, old: Op, op: Op) -> Option<()> {
        match self.out.kind(op) {
            OpKind::End => {
                let loc = self.out.loc(op);
                let at = InsertPoint::Before(op);
                self.out.build(OpKind::FuncReturn, loc).insert(at);
                self.out.erase(op);
            }
            OpKind::UseLock => self.use_lock(old, op)?,
            OpKind::Event => {
                let event = self.out.int_attr(op, "val")?;
                let event = self.i32(event, op)?;
                self.host("event", &[event], None, op);
                self.out.erase(op);
            }
            OpKind::PutStream => {
                let channel = self.channel(op)?;
                let value = self.out.operand(op, 1)?;
                let word = self.same_bits(value, Type::I32, op)?;
                self.host("stream_put", &[channel, word], None, op);
                self.out.erase(op);
            }
            OpKind::GetStream => {
                let channel = self.channel(op)?;
                let word = self.host_value("stream_get", &[channel], Type::I32, op)?;
                let ty = self.out.ty(self.out.result(op, 0)?).clone();
                let word = self.same_bits(word, ty, op)?;
                self.replace(op, word)?;
            }
            OpKind::PutCascade | OpKind::GetCascade => self.cascade(op)?,
            // It only prints.
            OpKind::Debug | OpKind::MemrefDealloc => self.out.erase(op),
            OpKind::MemrefAlloc | OpKind::MemrefAlloca => self.own_array(old, op)?,
            OpKind::MemrefGetGlobal => {
                let name = self.from.symbol_attr(old, "name")?;
                let global = self.symbol(name)?;
                self.own_array(global, op)?;
            }
            OpKind::MemrefCopy => self.copy(op)?,
            OpKind::FuncCall => self.call(old, op)?,
            OpKind::CfAssert => {
                let condition = self.out.operand(op, 0)?;
                let holds = self.make("arith.extui", &[condition], Type::I32, op)?;
                self.host("assert", &[holds], None, op);
                self.out.erase(op);
            }
            _ if self.out.op_name(op).starts_with("aie") => return None,
            _ => numbers::lower(self, op)?,
        }
        Some(())
    }

    fn symbol(&self, name: &str) -> Option<Op> {
        self.symbols.iter().find_map(|table| table.get(name))
    }

    /// A memref that is the core's own: its place is that which the built-in engine has for it.
    fn own_array(&mut self, owner: Op, op: Op) -> Option<()> {
        let offset = *self.source.code.placed.get(&owner)?;
        let window = self.source.model.core_window_to(self.here, self.here)?;
        let ty = self.out.ty(self.out.result(op, 0)?).clone();
        let address = i64::from(window.base) + i64::from(offset);
        let place = self.place(address, ty, InsertPoint::Before(op))?;
        self.replace(op, place)
    }

    fn channel(&mut self, op: Op) -> Option<Value> {
        let channel = const_int(&self.out, self.out.operand(op, 0)?)?;
        self.i32(channel, op)
    }

    fn use_lock(&mut self, old: Op, op: Op) -> Option<()> {
        let number = const_int(&self.out, self.out.operand(op, 0)?)?;
        let number = self.i32(number, op)?;
        let action = UseLock(old).action(self.from);
        let value = self.out.operand(op, 1)?;
        match (const_int(&self.out, value), action) {
            (Some(value), action) => {
                let name = match action {
                    LockAction::Release => "release",
                    LockAction::Acquire | LockAction::AcquireGreaterEqual => "acquire",
                };
                if let Some(operand) = action.core_operand(value) {
                    let operand = self.i32(operand, op)?;
                    self.host(name, &[number, operand], None, op);
                }
            }
            // A number that is known at run time is taken or given one by one.
            (None, action) => {
                let name = match action {
                    LockAction::Release => "release_some",
                    LockAction::AcquireGreaterEqual => "acquire_some",
                    LockAction::Acquire => return None,
                };
                let count = self.register(value, op)?;
                self.host(name, &[number, count], None, op);
            }
        }
        self.out.erase(op);
        Some(())
    }

    /// A number as core programs keep it in a register: integers sign-extended, floats of up to 32
    /// bits as bits of an f32, f64 as its bits.
    fn register(&mut self, value: Value, op: Op) -> Option<Value> {
        let ty = self.out.ty(value).clone();
        match ty {
            Type::Index => self.make("arith.index_cast", &[value], Type::I64, op),
            Type::Int { width: 64, .. } => Some(value),
            Type::Int { .. } => self.make("arith.extsi", &[value], Type::I64, op),
            Type::Float(_) if ty.bit_width() == Some(64) => {
                self.make("arith.bitcast", &[value], Type::I64, op)
            }
            Type::Float(_) => {
                let single = match ty == Type::F32 {
                    true => value,
                    false => self.make("arith.extf", &[value], Type::F32, op)?,
                };
                let bits = self.make("arith.bitcast", &[single], Type::I32, op)?;
                self.make("arith.extui", &[bits], Type::I64, op)
            }
            _ => None,
        }
    }

    /// The inverse of [`BodyBuilder::register`].
    fn of_register(&mut self, value: Value, ty: Type, op: Op) -> Option<Value> {
        match ty {
            Type::Index => self.make("arith.index_cast", &[value], ty, op),
            Type::Int { width: 64, .. } => Some(value),
            Type::Int { .. } => self.make("arith.trunci", &[value], ty, op),
            Type::Float(_) if ty.bit_width() == Some(64) => {
                self.make("arith.bitcast", &[value], ty, op)
            }
            Type::Float(_) => {
                let bits = self.make("arith.trunci", &[value], Type::I32, op)?;
                let single = self.make("arith.bitcast", &[bits], Type::F32, op)?;
                match ty == Type::F32 {
                    true => Some(single),
                    false => numbers::narrow(self, single, ty, op),
                }
            }
            _ => None,
        }
    }

    /// A value as another type of the same bits.
    fn same_bits(&mut self, value: Value, ty: Type, op: Op) -> Option<Value> {
        let from = self.out.ty(value).clone();
        if from == ty {
            return Some(value);
        }
        (from.bit_width() == ty.bit_width()).then_some(())?;
        self.make("arith.bitcast", &[value], ty, op)
    }

    fn cascade(&mut self, op: Op) -> Option<()> {
        let put = self.out.kind(op) == OpKind::PutCascade;
        let value = match put {
            true => self.out.operand(op, 0)?,
            false => self.out.result(op, 0)?,
        };
        let ty = self.out.ty(value).clone();
        let vector = ty.as_vector()?.clone();
        let elements = vector.shape.iter().product::<i64>();
        let bytes = u64::try_from(elements).ok()? * vector.elem.elem_bytes()?;
        let words = bytes / 4;
        (bytes % 4 == 0 && (1..=CASCADE_WORDS).contains(&words)).then_some(())?;
        let row = Type::vector([elements], vector.elem.clone());
        let in_words = Type::vector([words as i64], Type::I32);
        let buffer = self.make_with(
            "memref.get_global",
            &[],
            transfer_buffer(),
            &[("name", Attr::symbol(WORDS))],
            op,
        )?;
        let zero = self.constant(0, Type::Index, InsertPoint::Before(op))?;
        if put {
            let value = self.make("vector.shape_cast", &[value], row, op)?;
            let value = self.make("vector.bitcast", &[value], in_words, op)?;
            let loc = self.out.loc(op);
            self.out
                .build_named("vector.store", loc)
                .operands([value, buffer, zero])
                .insert(InsertPoint::Before(op));
            self.host("cascade_put", &[], None, op);
            self.out.erase(op);
            return Some(());
        }
        self.host("cascade_get", &[], None, op);
        let value = self.make("vector.load", &[buffer, zero], in_words, op)?;
        let value = self.make("vector.bitcast", &[value], row, op)?;
        let value = self.make("vector.shape_cast", &[value], ty, op)?;
        self.replace(op, value)
    }

    /// Upstream copies strided memrefs by a function of its run-time library: loops instead.
    fn copy(&mut self, op: Op) -> Option<()> {
        let (source, target) = (self.out.operand(op, 0)?, self.out.operand(op, 1)?);
        let types = [source, target].map(|value| self.out.ty(value).as_memref().cloned());
        let [Some(from), Some(to)] = types else {
            return None;
        };
        if from.layout.is_none() && to.layout.is_none() {
            return Some(());
        }
        let sizes = [&from.shape, &to.shape];
        let sizes = sizes
            .into_iter()
            .find(|s| s.iter().all(|n| *n >= 0))?
            .clone();
        let first = InsertPoint::Before(op);
        let zero = self.constant(0, Type::Index, first)?;
        let one = self.constant(1, Type::Index, first)?;
        let (mut indices, mut inner) = (Vec::new(), op);
        for size in sizes {
            let end = self.constant(size, Type::Index, InsertPoint::Before(inner))?;
            let loc = self.out.loc(op);
            let nest = self
                .out
                .build(OpKind::ScfFor, loc)
                .operands([zero, end, one])
                .insert(InsertPoint::Before(inner));
            let region = self.out.add_region(nest);
            let block = self.out.add_block(region);
            indices.push(self.out.add_block_arg(block, Type::Index));
            inner = self
                .out
                .build(OpKind::ScfYield, loc)
                .insert(InsertPoint::End(block));
        }
        let loc = self.out.loc(op);
        let load = [source].into_iter().chain(indices.iter().copied());
        let load = self
            .out
            .build(OpKind::MemrefLoad, loc)
            .operands(load)
            .result(from.elem.clone())
            .insert(InsertPoint::Before(inner));
        let value = self.out.result(load, 0)?;
        let store = [value, target].into_iter().chain(indices.iter().copied());
        self.out
            .build(OpKind::MemrefStore, loc)
            .operands(store)
            .insert(InsertPoint::Before(inner));
        self.out.erase(op);
        Some(())
    }

    fn call(&mut self, old: Op, op: Op) -> Option<()> {
        let callee = self.symbol(self.from.symbol_attr(old, "callee")?)?;
        if self.from.entry(callee, 0).is_some() {
            let number = self.functions.len();
            let name = self.functions.entry(callee);
            let name = name.or_insert_with(|| format!("aiec.fn.{number}")).clone();
            self.out.set_attr(op, "callee", Attr::symbol(name));
            return Some(());
        }
        let signature: Signature = external_signature(self.from, callee)?;
        let kernels = &self.source.code.program.kernels;
        let text = signature.to_string();
        let number = kernels.iter().position(|kernel| *kernel == text)?;
        for value in self.out.operands(op).collect::<Vec<_>>() {
            let argument = match self.out.ty(value).as_memref() {
                Some(_) => self.address(value, op)?,
                None => self.register(value, op)?,
            };
            self.host("argument", &[argument], None, op);
        }
        let number = self.i32(i64::try_from(number).ok()?, op)?;
        let result = self.host_value("call", &[number], Type::I64, op)?;
        match self.out.result(op, 0).map(|old| self.out.ty(old).clone()) {
            Some(ty) => {
                let result = self.of_register(result, ty, op)?;
                self.replace(op, result)
            }
            None => {
                self.out.erase(op);
                Some(())
            }
        }
    }

    /// The core-local address of the first element of a memref.
    fn address(&mut self, memref: Value, op: Op) -> Option<Value> {
        let ty = self.out.ty(memref).as_memref()?.clone();
        let name = "memref.extract_aligned_pointer_as_index";
        let start = self.make(name, &[memref], Type::Index, op)?;
        let rank = ty.shape.len();
        let loc = self.out.loc(op);
        let base = Type::MemRef(
            MemRefType {
                shape: Vec::new(),
                elem: ty.elem.clone(),
                layout: None,
                space: ty.space.clone(),
            }
            .into(),
        );
        let parts = self
            .out
            .build_named("memref.extract_strided_metadata", loc)
            .operand(memref)
            .result(base)
            .results(vec![Type::Index; 1 + 2 * rank])
            .insert(InsertPoint::Before(op));
        let offset = self.out.result(parts, 1)?;
        let bytes = i64::try_from(ty.elem.elem_bytes()?).ok()?;
        let bytes = self.constant(bytes, Type::Index, InsertPoint::Before(op))?;
        let offset = self.make("arith.muli", &[offset, bytes], Type::Index, op)?;
        let address = self.make("arith.addi", &[start, offset], Type::Index, op)?;
        self.make("arith.index_cast", &[address], Type::I64, op)
    }
}
