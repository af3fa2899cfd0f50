//! Lowering of one function: dispatch over operations, and the values they compute.

use aiec_aie::ir::{Block, Op, Type, Value};
use aiec_aie::ops::{Buffer, OpKind, OpView};
use aiec_diag::Reported;
use aiec_vcode::Opcode;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::value::{Address, MemRef, Num, Shape, Val};
use super::{Lowered, Lowering};
use crate::codes::{
    NO_FUNCTION, NOT_CONSTANT, NOT_LOWERED, NOT_PLACED, NOT_VISIBLE, UNSUPPORTED_LAYOUT,
    UNSUPPORTED_OP,
};
use crate::mir::{Arg, Code, Imm, Label, MoveOperand, Node, Scalar, Vector};

/// One function while it is lowered.
pub(crate) struct Function<'a, 'm, 'd> {
    pub low: &'a mut Lowering<'m, 'd>,
    pub number: usize,
    /// The operation that is being lowered.
    pub current: Op,
    pub code: Code,
    pub values: FxHashMap<Value, Val>,
    pub constants: IndexMap<u64, Scalar>,
    /// Where constants are inserted: after the parameters.
    pub prologue: usize,
    /// Labels and argument places of blocks that branches name.
    pub targets: FxHashMap<Block, (Label, Vec<Merged>)>,
}

impl Function<'_, '_, '_> {
    /// Lowers the whole body of a core or a function.
    pub(crate) fn lower(low: &mut Lowering<'_, '_>, number: usize, op: Op) -> Lowered<Code> {
        let mut function = Function {
            low,
            number,
            current: op,
            code: Code::default(),
            values: FxHashMap::default(),
            constants: IndexMap::new(),
            prologue: 0,
            targets: FxHashMap::default(),
        };
        function.body(op)?;
        function.code.attribute(op);
        function.insert_constants(op);
        Ok(function.code)
    }

    fn body(&mut self, op: Op) -> Lowered<()> {
        if let Some(region) = self.low.module.region(op, 0) {
            if self.low.module.kind(op) == OpKind::FuncFunc {
                self.parameters(op)?;
            }
            self.prologue = self.code.nodes.len();
            let errors = self.low.diags.len();
            self.blocks(region);
            if self.low.diags.len() > errors {
                return Err(Reported);
            }
        }
        // Blocks end with a terminator, so this is reached only in IR that isn't verified.
        let open = !self.code.nodes.last().is_some_and(Node::ends_block);
        if open {
            self.code.op(Opcode::End, [Arg::None; 3], Imm::None);
        }
        Ok(())
    }

    /// Lowers the operations of a block in order.
    pub(crate) fn block(&mut self, block: Block) {
        let mut next = self.low.module.first_op(block);
        while let Some(op) = next {
            self.code.attribute(self.current);
            let outer = std::mem::replace(&mut self.current, op);
            let lowered = self.op(op);
            self.code.attribute(op);
            self.current = outer;
            if lowered.is_err() {
                // Nothing is left out of a program without a word.
                if !self.low.diags.has_errors() {
                    self.low.unsupported(op);
                }
                for result in self.low.module.results(op) {
                    self.values.insert(result, Val::Bad);
                }
            }
            next = self.low.module.next_op(op);
        }
    }

    fn op(&mut self, op: Op) -> Lowered<()> {
        use OpKind::*;
        if let Some(lowered) = self.wide_op(op).or_else(|| self.extended_op(op)) {
            return lowered;
        }
        match self.low.module.kind(op) {
            End => {
                self.code.op(Opcode::End, [Arg::None; 3], Imm::None);
                Ok(())
            }
            ArithConstant => self.constant(op),
            ScfFor => self.scf_for(op),
            ScfIf => self.scf_if(op),
            ScfWhile => self.scf_while(op),
            ScfIndexSwitch => self.index_switch(op),
            ScfExecuteRegion => self.execute_region(op),
            // The operations that they end read them.
            ScfYield | ScfCondition => Ok(()),
            CfBr | CfCondBr | CfAssert => self.branch(op),
            FuncCall => self.call(op),
            FuncReturn => self.function_return(op),
            MemrefAlloc
            | MemrefAlloca
            | MemrefDealloc
            | MemrefLoad
            | MemrefStore
            | MemrefCopy
            | MemrefGetGlobal
            | MemrefSubview
            | MemrefReinterpretCast
            | MemrefCast
            | MemrefCollapseShape
            | MemrefExpandShape
            | MemrefView
            | MemrefDim
            | MemrefAssumeAlignment => self.memref_op(op),
            UseLock => self.use_lock(op),
            Event => self.event(op),
            GetStream => self.get_stream(op),
            PutStream => self.put_stream(op),
            GetCascade => self.get_cascade(op),
            PutCascade => self.put_cascade(op),
            Debug => self.debug(op),
            UnrealizedCast => self.cast(op),
            ObjectFifoAcquire | ObjectFifoRelease | ObjectFifoSubviewAccess => {
                let message = "object fifos are not lowered yet".to_string();
                let help = "run aie-objectFifo-stateful-transform first";
                Err(self.low.report(&NOT_LOWERED, op, message, help))
            }
            _ => self.by_name(op),
        }
    }

    /// Arithmetic, and operations that have no row in the table.
    fn by_name(&mut self, op: Op) -> Lowered<()> {
        let name = self.low.module.op_name(op);
        let handled = if let Some(name) = name.strip_prefix("vector.") {
            self.vector_op(op, name)
        } else if name.starts_with("aievec.") {
            self.aievec_op(op)
        } else if ["index.", "ub.", "llvm."]
            .iter()
            .any(|dialect| name.starts_with(dialect))
        {
            self.index_op(op)
        } else if let Some(name) = name.strip_prefix("math.") {
            self.math_op(op, name)
        } else {
            self.arith_op(op)
        };
        handled.unwrap_or_else(|| Err(self.low.unknown(op)))
    }

    /// Reports an operation that cores execute, but not with these operands, types or attributes.
    pub(crate) fn unsupported(&mut self, op: Op) -> Reported {
        self.low.unsupported(op)
    }

    // ---- values ----

    pub(crate) fn set(&mut self, value: Value, val: Val) {
        self.values.insert(value, val);
    }

    /// Sets the only result of an operation.
    pub(crate) fn set_result(&mut self, op: Op, val: Val) {
        if let Some(result) = self.low.module.result(op, 0) {
            self.set(result, val);
        }
    }

    pub(crate) fn val(&mut self, value: Value) -> Lowered<Val> {
        if let Some(val) = self.values.get(&value) {
            return if matches!(val, Val::Bad) {
                Err(Reported)
            } else {
                Ok(val.clone())
            };
        }
        let val = self.outside(value)?;
        self.values.insert(value, val.clone());
        Ok(val)
    }

    /// A value that is defined outside the function: a buffer, or a constant.
    fn outside(&mut self, value: Value) -> Lowered<Val> {
        let module = self.low.module;
        let Some(op) = module.def_op(value) else {
            return Err(Reported);
        };
        if Buffer::cast(module, op).is_some() {
            return self.buffer(op);
        }
        if let Some(constant) = aiec_aie::ops::netlist::const_int(module, value) {
            return Ok(Val::Const(constant as u64));
        }
        if module.kind(op) == OpKind::ArithConstant {
            self.constant(op)?;
            return self.values.get(&value).cloned().ok_or(Reported);
        }
        let name = module.op_name(op).to_string();
        let message = format!("a core can't use the result of `{name}` from outside");
        let help = "move the operation into the core, or pass the value in a buffer";
        Err(self.low.report(&UNSUPPORTED_OP, op, message, help))
    }

    fn buffer(&mut self, op: Op) -> Lowered<Val> {
        let module = self.low.module;
        let buffer = Buffer(op);
        let name = buffer
            .sym_name(module)
            .map_or_else(String::new, |name| format!(" `{name}`"));
        let Some(loc) = buffer.tile_loc(module) else {
            return Err(Reported);
        };
        let Some(window) = self.low.model.core_window_to(self.low.loc, loc) else {
            let here = self.low.loc;
            let message = format!("the core at {here} can't see the buffer{name} of tile {loc}");
            let help = "put the buffer into a tile that the core sees, or use a DMA";
            return Err(self.low.report(&NOT_VISIBLE, op, message, help));
        };
        let Some(address) = buffer.address(module) else {
            let message = format!("the buffer{name} has no address yet");
            let help = "run aie-assign-buffer-addresses first";
            return Err(self.low.report(&NOT_PLACED, op, message, help));
        };
        let offset = i64::from(window.base) + i64::from(address);
        let result = module.result(op, 0).map(|result| module.ty(result).clone());
        self.memref_at(
            op,
            result.as_ref(),
            Address {
                offset,
                scalar: None,
            },
        )
    }

    /// The memref of a type with fixed layout at an address.
    pub(crate) fn memref_at(&mut self, op: Op, ty: Option<&Type>, start: Address) -> Lowered<Val> {
        let memref = ty
            .and_then(Type::as_memref)
            .and_then(|ty| MemRef::of_type(ty, start));
        match memref {
            Some(memref) => Ok(Val::MemRef(Box::new(memref))),
            None => Err(self.open_layout(op)),
        }
    }

    pub(crate) fn open_layout(&mut self, op: Op) -> Reported {
        let message = "the layout of this memref is not known when it is compiled".to_string();
        let help = "use a memref of fixed sizes and strides";
        self.low.report(&UNSUPPORTED_LAYOUT, op, message, help)
    }

    /// The shape of a value in registers.
    pub(crate) fn shape(&mut self, op: Op, value: Value) -> Lowered<Shape> {
        let ty = self.low.module.ty(value);
        Shape::of(ty).ok_or_else(|| self.low.unsupported_type(op, ty))
    }

    /// The shape of the only result of an operation.
    pub(crate) fn result_shape(&mut self, op: Op) -> Lowered<Shape> {
        let result = self.low.module.result(op, 0).ok_or(Reported)?;
        self.shape(op, result)
    }

    /// The n-th operand.
    pub(crate) fn operand(&mut self, op: Op, n: usize) -> Lowered<Val> {
        let value = self.low.module.operand(op, n).ok_or(Reported)?;
        self.val(value)
    }

    pub(crate) fn operand_memref(&mut self, op: Op, n: usize) -> Lowered<MemRef> {
        match self.operand(op, n)? {
            Val::MemRef(memref) => Ok(*memref),
            _ => Err(Reported),
        }
    }

    /// An index as a number.
    pub(crate) fn num(&mut self, value: Value) -> Lowered<Num> {
        match self.val(value)? {
            Val::Const(bits) => Ok(Num::Const(bits as i64)),
            val => Ok(Num::Scalar(self.scalar(&val)?)),
        }
    }

    /// An integer that must be known now.
    pub(crate) fn known(&mut self, op: Op, n: usize, what: &str) -> Lowered<i64> {
        match self.operand(op, n)? {
            Val::Const(bits) => Ok(bits as i64),
            _ => {
                let message = format!("{what} must be a constant");
                Err(self
                    .low
                    .report(&NOT_CONSTANT, op, message, "use arith.constant"))
            }
        }
    }

    /// A scalar in a register.
    pub(crate) fn scalar(&mut self, val: &Val) -> Lowered<Scalar> {
        match val {
            Val::Scalar(scalar) => Ok(*scalar),
            Val::Const(bits) => Ok(self.constant_scalar(*bits)),
            Val::Compare { op, left, right } => {
                let result = self.binary(None, *op, left, right)?;
                self.scalar(&result)
            }
            _ => Err(Reported),
        }
    }

    pub(crate) fn vector(&mut self, val: &Val) -> Lowered<Vector> {
        match val {
            Val::Vector(vector) => Ok(*vector),
            _ => Err(Reported),
        }
    }

    // ---- moves ----

    /// Makes the places that values of these types are merged in, and the values themselves.
    pub(crate) fn merged(&mut self, op: Op, values: &[Value]) -> Lowered<Vec<Merged>> {
        values
            .iter()
            .map(|value| self.merged_one(op, *value))
            .collect()
    }

    fn merged_one(&mut self, op: Op, value: Value) -> Lowered<Merged> {
        let ty = self.low.module.ty(value).clone();
        if ty.as_memref().is_some() {
            let place = self.code.scalar();
            let start = Address {
                offset: 0,
                scalar: Some(place),
            };
            let val = self.memref_at(op, Some(&ty), start)?;
            self.set(value, val);
            return Ok(Merged {
                place: MoveOperand::Scalar(place),
            });
        }
        let shape = self.shape(op, value)?;
        let place = match shape.lanes {
            None => {
                let scalar = self.code.scalar();
                self.set(value, Val::Scalar(scalar));
                MoveOperand::Scalar(scalar)
            }
            Some(lanes) => {
                let vector = self.code.vector(lanes);
                self.set(value, Val::Vector(vector));
                MoveOperand::Vector(vector)
            }
        };
        Ok(Merged { place })
    }

    /// The moves of values into the places they are merged in.
    pub(crate) fn merge_moves(
        &mut self,
        into: &[Merged],
        values: &[Value],
    ) -> Lowered<Vec<(MoveOperand, MoveOperand)>> {
        into.iter()
            .zip(values)
            .map(|(merged, value)| Ok((merged.place, self.source(*value)?)))
            .collect()
    }

    /// The place of a value as the source of a move; a memref is the address of its start.
    pub(crate) fn source(&mut self, value: Value) -> Lowered<MoveOperand> {
        match self.val(value)? {
            Val::Vector(vector) => Ok(MoveOperand::Vector(vector)),
            Val::MemRef(memref) => {
                let address = self.address_scalar(memref.start)?;
                Ok(MoveOperand::Scalar(address))
            }
            val => Ok(MoveOperand::Scalar(self.scalar(&val)?)),
        }
    }

    /// An address in a register.
    pub(crate) fn address_scalar(&mut self, address: Address) -> Lowered<Scalar> {
        let val = match address.scalar {
            None => Val::Const(address.offset as u64),
            Some(scalar) => {
                let offset = Val::Const(address.offset as u64);
                self.binary(None, Opcode::Add64, &Val::Scalar(scalar), &offset)?
            }
        };
        self.scalar(&val)
    }

    /// The function that a call names.
    pub(crate) fn callee(&mut self, op: Op, name: &str) -> Lowered<Op> {
        let found = self.low.symbol(name);
        found
            .filter(|found| self.low.module.kind(*found) == OpKind::FuncFunc)
            .ok_or_else(|| {
                let message = format!("there is no function `{name}`");
                let help = "declare it with func.func in the device or the module";
                self.low.report(&NO_FUNCTION, op, message, help)
            })
    }
}

/// Where values of several ways come together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merged {
    pub place: MoveOperand,
}
