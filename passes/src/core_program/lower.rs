//! Lowering of a core with its functions, and what all operations need: values, constants,
//! pure operations, findings.

use aiec_device::core_program::{
    CoreProgram, EncodeError, Function as ProgramFunction, Immediate, Instruction, Opcode, Operand,
};
use aiec_device::{DeviceModel, TileLoc};
use aiec_dialect::diag::{Code as DiagCode, Diag, Diags, Reported};
use aiec_dialect::ir::{Attr, Block, Module, Op, SymbolTable, Type, Value};
use aiec_dialect::ops::{Buffer, Core, Device, OpKind, OpView};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::allocate::{OutOfRegisters, allocate};
use super::arith::fold;
use super::emit::emit;
use super::mir::{Arg, Code, Imm, Label, Node, Place, Scalar, Vector};
use super::value::{Address, Elem, MemRef, Num, Shape, Val};
use super::{
    CoreCode, DataSegment, NO_FUNCTION, NOT_CONSTANT, NOT_LOWERED, NOT_PLACED, NOT_VISIBLE,
    OUT_OF_REGISTERS, OUT_OF_STACK, RECURSION, TOO_LARGE, UNSUPPORTED_LAYOUT, UNSUPPORTED_OP,
    UNSUPPORTED_TYPE,
};

/// The operation can't be lowered, and that has been reported (perhaps at one it depends on).
#[derive(Clone, Copy, Debug)]
pub(super) struct Skip;

pub(super) type Lowered<T> = Result<T, Skip>;

/// Constants that get a register for the whole function; more are loaded where they are used.
const POOLED_CONSTANTS: usize = 96;

/// Nodes past which a function can't fit the program memory (4096 words) and isn't analysed.
const MAX_NODES: usize = 0x4000;

/// Alignment of data in the stack, in bytes: a 256-bit access.
const STACK_ALIGNMENT: u32 = 32;

/// A core's stack: data of fixed size, laid out from the bottom.
#[derive(Debug)]
struct Stack {
    used: u32,
    size: u32,
}

/// The lowering of one core.
pub(super) struct Lowering<'m, 'd> {
    pub module: &'m Module,
    pub model: &'static DeviceModel,
    pub loc: TileLoc,
    core: Op,
    /// Symbols from the inside out: the device, then the module.
    symbols: Vec<SymbolTable>,
    /// The functions that are reached, in the order of their numbers; the core is 0.
    functions: IndexSet<Op>,
    /// Calls between functions, by number.
    calls: Vec<(usize, usize, Op)>,
    kernels: IndexSet<String>,
    globals: IndexMap<Op, u32>,
    stack: Stack,
    data: Vec<DataSegment>,
    diags: &'d mut Diags,
}

/// One function while it is lowered.
pub(super) struct Function<'a, 'm, 'd> {
    pub low: &'a mut Lowering<'m, 'd>,
    pub number: usize,
    pub code: Code,
    values: FxHashMap<Value, Val>,
    constants: IndexMap<u64, Scalar>,
    /// Where constants are inserted: behind the parameters.
    prologue: usize,
    /// Labels and argument places of blocks that branches name.
    pub targets: FxHashMap<Block, (Label, Vec<Merged>)>,
}

pub(super) fn lower(module: &Module, core: Op, diags: &mut Diags) -> Result<CoreCode, Reported> {
    let device = Device::around(module, core);
    let model = device.and_then(|device| device.model(module));
    let loc = Core::cast(module, core).and_then(|core| core.tile_loc(module));
    let (Some(device), Some(model), Some(loc)) = (device, model, loc) else {
        let diag = Diag::error(&NOT_PLACED, "the core is on no tile of a known device")
            .label(module.span(core), "this core")
            .help("put it into an aie.device and on an aie.tile");
        return Err(diags.fail(diag));
    };
    let stack_size = Core(core)
        .stack_size(module)
        .and_then(|size| u32::try_from(size).ok());
    let mut low = Lowering {
        module,
        model,
        loc,
        core,
        symbols: vec![
            SymbolTable::of(module, device.op()),
            SymbolTable::of(module, module.top()),
        ],
        functions: IndexSet::from([core]),
        calls: Vec::new(),
        kernels: IndexSet::new(),
        globals: IndexMap::new(),
        stack: Stack {
            used: 0,
            size: stack_size.unwrap_or(model.arch_model().default_stack_bytes),
        },
        data: Vec::new(),
        diags,
    };
    low.program()
}

impl Lowering<'_, '_> {
    fn program(&mut self) -> Result<CoreCode, Reported> {
        let mut program = CoreProgram::default();
        let mut good = true;
        let mut number = 0;
        while let Some(&op) = self.functions.get_index(number) {
            let entry = program.code.len() as u32;
            match self.function(number, op) {
                Ok((code, registers, granules)) => {
                    let relocated = code.into_iter().map(|mut instruction| {
                        if instruction.op.shape().immediate == Immediate::Target {
                            instruction.imm += entry;
                        }
                        instruction
                    });
                    program.code.extend(relocated);
                    program.functions.push(ProgramFunction {
                        entry,
                        registers,
                        granules,
                    });
                }
                Err(Skip) => good = false,
            }
            number += 1;
        }
        good &= self.refuse_recursion();
        if !good {
            return Err(Reported);
        }
        program.kernels = self.kernels.iter().cloned().collect();
        let limit = self.model.arch_model().core.program_bytes;
        match program.encode(limit) {
            Ok(words) => Ok(CoreCode {
                words,
                program,
                data: std::mem::take(&mut self.data),
            }),
            Err(error) => Err(self.too_large(&error)),
        }
    }

    fn too_large(&mut self, error: &EncodeError) -> Reported {
        let loc = self.loc;
        let message = format!("the program of the core at {loc} is too large: {error}");
        let diag = Diag::error(&TOO_LARGE, message)
            .label(self.module.span(self.core), "this core")
            .help("use loops instead of written-out code, or split the work over more cores");
        self.diags.fail(diag)
    }

    /// Lowers one function: its instructions and the size of its frame.
    fn function(&mut self, number: usize, op: Op) -> Lowered<(Vec<Instruction>, u16, u16)> {
        let mut function = Function {
            low: self,
            number,
            code: Code::default(),
            values: FxHashMap::default(),
            constants: IndexMap::new(),
            prologue: 0,
            targets: FxHashMap::default(),
        };
        let lowered = function.body(op);
        function.insert_constants();
        let code = function.code;
        lowered?;
        if code.nodes.len() > MAX_NODES {
            let error = EncodeError::TooLarge {
                bytes: code.nodes.len() as u32 * 4,
                limit: self.model.arch_model().core.program_bytes,
            };
            self.too_large(&error);
            return Err(Skip);
        }
        let emitted = allocate(&code).and_then(|assignment| emit(&code, &assignment));
        match emitted {
            Ok(emitted) => Ok((emitted.code, emitted.registers, emitted.granules)),
            Err(OutOfRegisters { vectors }) => {
                let what = if vectors { "vector lanes" } else { "values" };
                let message = format!("too many {what} are alive at one place of this function");
                Err(self.report(
                    &OUT_OF_REGISTERS,
                    op,
                    message,
                    "keep fewer of them over loops",
                ))
            }
        }
    }

    fn refuse_recursion(&mut self) -> bool {
        // A function's calls all lead to functions that no cycle reaches: peel those off.
        let mut open: Vec<bool> = vec![true; self.functions.len()];
        loop {
            let leaf = (0..open.len()).find(|&number| {
                open[number]
                    && !self
                        .calls
                        .iter()
                        .any(|&(from, to, _)| from == number && open[to])
            });
            match leaf {
                Some(number) => open[number] = false,
                None => break,
            }
        }
        let in_cycle = self
            .calls
            .iter()
            .find(|&&(from, to, _)| open[from] && open[to])
            .copied();
        let Some((_, _, call)) = in_cycle else {
            return true;
        };
        let message = "this call makes a function call itself".to_string();
        self.report(&RECURSION, call, message, "use a loop");
        false
    }

    /// Reports a finding about an operation.
    pub(super) fn report(
        &mut self,
        code: &'static DiagCode,
        op: Op,
        message: String,
        help: &str,
    ) -> Skip {
        let name = self.module.op_name(op);
        let label = format!("{name} in the core at {}", self.loc);
        let diag = Diag::error(code, message)
            .label(self.module.span(op), label)
            .help(help);
        self.diags.push(diag);
        Skip
    }

    /// The number of a function that is called.
    pub(super) fn function_number(&mut self, from: usize, callee: Op, call: Op) -> usize {
        let (number, _) = self.functions.insert_full(callee);
        self.calls.push((from, number, call));
        number
    }

    /// The number of an external kernel.
    pub(super) fn kernel_number(&mut self, name: &str) -> usize {
        self.kernels.insert_full(name.to_string()).0
    }

    /// The operation that defines a symbol, the innermost first.
    pub(super) fn symbol(&self, name: &str) -> Option<Op> {
        self.symbols.iter().find_map(|table| table.get(name))
    }

    /// Reserves bytes in the stack; answers their offset in data memory.
    pub(super) fn stack_bytes(&mut self, op: Op, bytes: u64) -> Lowered<u32> {
        let start = self.stack.used.next_multiple_of(STACK_ALIGNMENT);
        let end = u64::from(start) + bytes;
        if end > u64::from(self.stack.size) {
            let size = self.stack.size;
            let message = format!("the core's local data take {end} bytes, its stack has {size}");
            let help = "give aie.core a larger stack_size, or use an aie.buffer";
            return Err(self.report(&OUT_OF_STACK, op, message, help));
        }
        self.stack.used = end as u32;
        Ok(start)
    }

    /// Reserves bytes in the stack with initial contents.
    pub(super) fn stack_data(&mut self, op: Op, mut bytes: Vec<u8>) -> Lowered<u32> {
        let offset = self.stack_bytes(op, bytes.len() as u64)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.data.push(DataSegment { offset, bytes });
        Ok(offset)
    }

    /// The core-local address of a byte of its own data memory.
    pub(super) fn own_address(&self, offset: u32) -> i64 {
        let window = self.model.core_window_to(self.loc, self.loc);
        i64::from(window.map_or(0, |window| window.base)) + i64::from(offset)
    }

    /// The offset in the stack of a global, which is placed when it is first used.
    pub(super) fn global(&mut self, global: Op, user: Op, ty: &Type) -> Lowered<u32> {
        if let Some(&offset) = self.globals.get(&global) {
            return Ok(offset);
        }
        let bytes = ty.as_memref().and_then(|memref| memref.num_bytes());
        let Some(bytes) = bytes else {
            return Err(self.unsupported_type(user, ty));
        };
        let contents = match self.module.attr(global, "initial_value") {
            Some(Attr::Dense(dense)) => dense.expand(),
            _ => None,
        };
        let offset = match contents {
            Some(contents) => self.stack_data(user, contents)?,
            None => self.stack_bytes(user, bytes)?,
        };
        self.globals.insert(global, offset);
        Ok(offset)
    }

    pub(super) fn unsupported_type(&mut self, op: Op, ty: &Type) -> Skip {
        let name = self.module.op_name(op).to_string();
        let message = format!(
            "`{name}` has a type that cores can't compute with: {}",
            show(ty)
        );
        self.report(&UNSUPPORTED_TYPE, op, message, "use another type")
    }

    fn unsupported(&mut self, op: Op) -> Skip {
        let name = self.module.op_name(op).to_string();
        let message = format!("`{name}` is not supported in cores");
        let help = "write it with supported operations, or call an external function";
        self.report(&UNSUPPORTED_OP, op, message, help)
    }
}

/// A type in a message.
fn show(ty: &Type) -> String {
    match ty {
        Type::Int { width, .. } => format!("an integer of {width} bits"),
        Type::Float(kind) => kind.text().to_string(),
        Type::Vector(vector) => format!("a vector of shape {:?}", vector.shape),
        Type::MemRef(memref) => {
            format!(
                "a memref of shape {:?} of {}",
                memref.shape,
                show(&memref.elem)
            )
        }
        Type::Opaque(text) => text.to_string(),
        Type::Tensor(_) | Type::UnrankedTensor(_) => "a tensor".to_string(),
        _ => "one that is no number".to_string(),
    }
}

impl Function<'_, '_, '_> {
    /// Lowers the whole body of a core or a function.
    fn body(&mut self, op: Op) -> Lowered<()> {
        if let Some(region) = self.low.module.region(op, 0) {
            if self.low.module.kind(op) == OpKind::FuncFunc {
                self.parameters(op)?;
            }
            self.prologue = self.code.nodes.len();
            let errors = self.low.diags.len();
            self.blocks(region);
            if self.low.diags.len() > errors {
                return Err(Skip);
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
    pub(super) fn block(&mut self, block: Block) {
        let mut next = self.low.module.first_op(block);
        while let Some(op) = next {
            if self.op(op).is_err() {
                for result in self.low.module.results(op) {
                    self.values.insert(result, Val::Bad);
                }
            }
            next = self.low.module.next_op(op);
        }
    }

    fn op(&mut self, op: Op) -> Lowered<()> {
        use OpKind::*;
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
            // Their operations read what they end.
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
            // It only prints.
            Debug => Ok(()),
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
        } else if let Some(name) = name.strip_prefix("math.") {
            self.math_op(op, name)
        } else {
            self.arith_op(op)
        };
        handled.unwrap_or_else(|| Err(self.unsupported(op)))
    }

    pub(super) fn unsupported(&mut self, op: Op) -> Skip {
        self.low.unsupported(op)
    }

    // ---- values ----

    pub(super) fn set(&mut self, value: Value, val: Val) {
        self.values.insert(value, val);
    }

    /// Sets the only result of an operation.
    pub(super) fn set_result(&mut self, op: Op, val: Val) {
        if let Some(result) = self.low.module.result(op, 0) {
            self.set(result, val);
        }
    }

    pub(super) fn val(&mut self, value: Value) -> Lowered<Val> {
        if let Some(val) = self.values.get(&value) {
            return if matches!(val, Val::Bad) {
                Err(Skip)
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
            return Err(Skip);
        };
        if Buffer::cast(module, op).is_some() {
            return self.buffer(op);
        }
        if let Some(constant) = aiec_dialect::ops::netlist::const_int(module, value) {
            return Ok(Val::Const(constant as u64));
        }
        if module.kind(op) == OpKind::ArithConstant {
            self.constant(op)?;
            return self.values.get(&value).cloned().ok_or(Skip);
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
            return Err(Skip);
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
    pub(super) fn memref_at(&mut self, op: Op, ty: Option<&Type>, start: Address) -> Lowered<Val> {
        let memref = ty
            .and_then(Type::as_memref)
            .and_then(|ty| MemRef::of_type(ty, start));
        match memref {
            Some(memref) => Ok(Val::MemRef(Box::new(memref))),
            None => Err(self.open_layout(op)),
        }
    }

    pub(super) fn open_layout(&mut self, op: Op) -> Skip {
        let message = "the layout of this memref is not known when it is compiled".to_string();
        let help = "use a memref of fixed sizes and strides";
        self.low.report(&UNSUPPORTED_LAYOUT, op, message, help)
    }

    /// The shape of a value in registers.
    pub(super) fn shape(&mut self, op: Op, value: Value) -> Lowered<Shape> {
        let ty = self.low.module.ty(value);
        Shape::of(ty).ok_or_else(|| self.low.unsupported_type(op, ty))
    }

    /// The shape of the only result of an operation.
    pub(super) fn result_shape(&mut self, op: Op) -> Lowered<Shape> {
        let result = self.low.module.result(op, 0).ok_or(Skip)?;
        self.shape(op, result)
    }

    /// The n-th operand.
    pub(super) fn operand(&mut self, op: Op, n: usize) -> Lowered<Val> {
        let value = self.low.module.operand(op, n).ok_or(Skip)?;
        self.val(value)
    }

    pub(super) fn operand_memref(&mut self, op: Op, n: usize) -> Lowered<MemRef> {
        match self.operand(op, n)? {
            Val::MemRef(memref) => Ok(*memref),
            _ => Err(Skip),
        }
    }

    /// An index as a number.
    pub(super) fn num(&mut self, value: Value) -> Lowered<Num> {
        match self.val(value)? {
            Val::Const(bits) => Ok(Num::Const(bits as i64)),
            val => Ok(Num::Scalar(self.scalar(&val)?)),
        }
    }

    /// An integer that must be known now.
    pub(super) fn known(&mut self, op: Op, n: usize, what: &str) -> Lowered<i64> {
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
    pub(super) fn scalar(&mut self, val: &Val) -> Lowered<Scalar> {
        match val {
            Val::Scalar(scalar) => Ok(*scalar),
            Val::Const(bits) => Ok(self.constant_scalar(*bits)),
            Val::Compare { op, left, right } => {
                let result = self.binary(None, *op, left, right)?;
                self.scalar(&result)
            }
            _ => Err(Skip),
        }
    }

    pub(super) fn vector(&mut self, val: &Val) -> Lowered<Vector> {
        match val {
            Val::Vector(vector) => Ok(*vector),
            _ => Err(Skip),
        }
    }

    /// A register with a constant.
    pub(super) fn constant_scalar(&mut self, bits: u64) -> Scalar {
        if let Some(scalar) = self.constants.get(&bits) {
            return *scalar;
        }
        let scalar = self.code.scalar();
        if self.constants.len() < POOLED_CONSTANTS {
            self.constants.insert(bits, scalar);
        } else {
            let nodes = load_constant(scalar, bits);
            self.code.nodes.extend(nodes);
        }
        scalar
    }

    /// Puts the constants of the whole function at its start.
    fn insert_constants(&mut self) {
        let loads: Vec<Node> = self
            .constants
            .iter()
            .flat_map(|(bits, scalar)| load_constant(*scalar, *bits))
            .collect();
        self.code.nodes.splice(self.prologue..self.prologue, loads);
    }

    // ---- pure operations ----

    /// Applies an operation of one operand and perhaps a number.
    pub(super) fn unary(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        b: &Val,
        number: u8,
    ) -> Lowered<Val> {
        self.pure(lanes, op, &[b], number, None)
    }

    /// Applies an operation of two operands.
    pub(super) fn binary(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        b: &Val,
        c: &Val,
    ) -> Lowered<Val> {
        self.pure(lanes, op, &[b, c], 0, None)
    }

    /// Applies a pure operation to scalars or lane by lane. `number` is the third operand where
    /// that is a number, `small` the immediate where that is one.
    pub(super) fn pure(
        &mut self,
        lanes: Option<u16>,
        op: Opcode,
        operands: &[&Val],
        number: u8,
        small: Option<u8>,
    ) -> Lowered<Val> {
        let third_is_number = op.shape().operands[2] == Operand::Number;
        if let Some(lanes) = lanes {
            let mut args = [Arg::None; 3];
            for (slot, val) in args.iter_mut().zip(operands) {
                *slot = Arg::Vector(self.vector(val)?);
            }
            let [b, c, fourth] = args;
            // Operations of one operand repeat it, so that the operand is a vector.
            let c = if third_is_number {
                Arg::Number(number)
            } else if c == Arg::None {
                b
            } else {
                c
            };
            let fourth = match small {
                Some(small) => Arg::Number(small),
                None if fourth == Arg::None => Arg::Number(0),
                None => fourth,
            };
            let result = self.code.vector(lanes);
            let imm = Imm::Map { op, lanes, fourth };
            self.code.op(Opcode::VMap, [Arg::Vector(result), b, c], imm);
            return Ok(Val::Vector(result));
        }
        if let Some(folded) = fold(op, operands, number) {
            return Ok(Val::Const(folded));
        }
        if let Some(result) = self.with_immediate(op, operands)? {
            return Ok(result);
        }
        let mut args = [Arg::None; 3];
        for (slot, val) in args.iter_mut().zip(operands) {
            *slot = Arg::Scalar(self.scalar(val)?);
        }
        let [b, c, fourth] = args;
        let c = if third_is_number {
            Arg::Number(number)
        } else {
            c
        };
        let imm = match (small, fourth) {
            (Some(small), _) => Imm::Word(small.into()),
            (None, Arg::Scalar(fourth)) => Imm::Source(fourth),
            _ => Imm::None,
        };
        let result = self.code.scalar();
        self.code.op(op, [Arg::Scalar(result), b, c], imm);
        Ok(Val::Scalar(result))
    }

    /// The form of an operation with a constant in the instruction, if it has one.
    fn with_immediate(&mut self, op: Opcode, operands: &[&Val]) -> Lowered<Option<Val>> {
        use Opcode::*;
        let [b, c] = operands else { return Ok(None) };
        let commutes = matches!(op, Add32 | Add64 | Mul32 | Mul64 | And | Or | Xor);
        let (value, constant) = match (b, c) {
            (_, Val::Const(constant)) => (*b, *constant as i64),
            (Val::Const(constant), _) if commutes => (*c, *constant as i64),
            _ => return Ok(None),
        };
        let immediate = match op {
            Add32 => Some((Addi32, constant)),
            Add64 => Some((Addi64, constant)),
            Sub32 => Some((Addi32, constant.wrapping_neg())),
            Sub64 => Some((Addi64, constant.wrapping_neg())),
            Mul32 => Some((Muli32, constant)),
            Mul64 => Some((Muli64, constant)),
            And => Some((Andi, constant)),
            Or => Some((Ori, constant)),
            Xor => Some((Xori, constant)),
            _ => None,
        };
        if let Some((op, constant)) = immediate {
            let neutral = if matches!(op, Muli32 | Muli64) { 1 } else { 0 };
            if constant == neutral && op != Andi {
                return Ok(Some(value.clone()));
            }
            let Ok(word) = i32::try_from(constant) else {
                return Ok(None);
            };
            return Ok(Some(self.with_word(op, value, word as u32)?));
        }
        let bits = match op {
            Shl32 => 32,
            _ => 64,
        };
        let shift = match op {
            Shl32 => Shli32,
            Shl64 => Shli64,
            Shrs => Shrsi,
            Shru => Shrui,
            _ => return Ok(None),
        };
        match u8::try_from(constant) {
            Ok(amount) if amount < bits => Ok(Some(self.unary(None, shift, value, amount)?)),
            _ => Ok(None),
        }
    }

    /// Applies an operation of a register and an immediate.
    pub(super) fn with_word(&mut self, op: Opcode, b: &Val, word: u32) -> Lowered<Val> {
        let b = Arg::Scalar(self.scalar(b)?);
        let result = self.code.scalar();
        self.code
            .op(op, [Arg::Scalar(result), b, Arg::None], Imm::Word(word));
        Ok(Val::Scalar(result))
    }

    /// Sets all lanes of a vector to a scalar.
    pub(super) fn splat(&mut self, val: &Val, lanes: u16) -> Lowered<Val> {
        let scalar = self.scalar(val)?;
        let result = self.code.vector(lanes);
        if lanes <= 256 {
            let args = [
                Arg::Vector(result),
                Arg::Scalar(scalar),
                Arg::Number(lanes as u8),
            ];
            self.code.op(Opcode::VSplat, args, Imm::None);
            return Ok(Val::Vector(result));
        }
        // Wider than the instruction: splat 256 lanes and copy them.
        let part = self.code.vector(256);
        let args = [Arg::Vector(part), Arg::Scalar(scalar), Arg::Number(0)];
        self.code.op(Opcode::VSplat, args, Imm::None);
        self.code.nodes.push(Node::Define(result));
        let mut done = 0;
        while done < lanes {
            let some = (lanes - done).min(256);
            self.copy_lanes(result, done, part, 0, some);
            done += some;
        }
        Ok(Val::Vector(result))
    }

    /// Copies up to 256 lanes from one vector into another.
    pub(super) fn copy_lanes(
        &mut self,
        to: Vector,
        to_lane: u16,
        from: Vector,
        from_lane: u16,
        lanes: u16,
    ) {
        let args = [Arg::Vector(to), Arg::Vector(from), Arg::Number(lanes as u8)];
        let pair = u32::from(to_lane) << 16 | u32::from(from_lane);
        self.code.op(Opcode::VCopy, args, Imm::Word(pair));
    }

    /// `arith.constant`.
    fn constant(&mut self, op: Op) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        let value = self.low.module.attr(op, "value").cloned();
        let val = match (value, shape.lanes) {
            (Some(Attr::Float(bits, _)), None) => {
                Val::Const(shape.elem.float_constant(f64::from_bits(bits)))
            }
            (Some(Attr::Dense(dense)), Some(lanes)) => {
                let elem = shape.elem;
                let size = dense.elem_bytes().unwrap_or(1) as usize;
                if dense.splat {
                    let bits = elem.constant(little_endian(&dense.bytes));
                    self.splat(&Val::Const(bits), lanes)?
                } else {
                    let Some(kind) = elem.memory() else {
                        let ty = dense.ty.clone();
                        return Err(self.low.unsupported_type(op, &ty));
                    };
                    debug_assert_eq!(kind.bytes() as usize, size);
                    let offset = self.low.stack_data(op, dense.bytes.clone())?;
                    let address = Val::Const(self.low.own_address(offset) as u64);
                    let address = self.scalar(&address)?;
                    self.load_vector(kind, address, 0, lanes)
                }
            }
            (Some(attr), None) => match attr.as_int() {
                Some(value) => Val::Const(match shape.elem {
                    Elem::Int(bits) => super::value::sign_extend(value as u64, bits),
                    Elem::Float(_) => return Err(self.unsupported(op)),
                }),
                None => return Err(self.unsupported(op)),
            },
            _ => return Err(self.unsupported(op)),
        };
        self.set_result(op, val);
        Ok(())
    }

    /// `builtin.unrealized_conversion_cast` between integers of one width.
    fn cast(&mut self, op: Op) -> Lowered<()> {
        let from = self.low.module.operand(op, 0).ok_or(Skip)?;
        let (from_shape, to_shape) = (self.shape(op, from)?, self.result_shape(op)?);
        if from_shape != to_shape {
            return Err(self.unsupported(op));
        }
        let val = self.val(from)?;
        self.set_result(op, val);
        Ok(())
    }

    // ---- moves ----

    /// Makes the places that values of these types are merged in, and the values themselves.
    pub(super) fn merged(&mut self, op: Op, values: &[Value]) -> Lowered<Vec<Merged>> {
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
                place: Place::Scalar(place),
            });
        }
        let shape = self.shape(op, value)?;
        let place = match shape.lanes {
            None => {
                let scalar = self.code.scalar();
                self.set(value, Val::Scalar(scalar));
                Place::Scalar(scalar)
            }
            Some(lanes) => {
                let vector = self.code.vector(lanes);
                self.set(value, Val::Vector(vector));
                Place::Vector(vector)
            }
        };
        Ok(Merged { place })
    }

    /// The moves of values into the places they are merged in.
    pub(super) fn merge_moves(
        &mut self,
        into: &[Merged],
        values: &[Value],
    ) -> Lowered<Vec<(Place, Place)>> {
        into.iter()
            .zip(values)
            .map(|(merged, value)| Ok((merged.place, self.source(*value)?)))
            .collect()
    }

    /// The place of a value as the source of a move; a memref is the address of its start.
    pub(super) fn source(&mut self, value: Value) -> Lowered<Place> {
        match self.val(value)? {
            Val::Vector(vector) => Ok(Place::Vector(vector)),
            Val::MemRef(memref) => {
                let address = self.address_scalar(memref.start)?;
                Ok(Place::Scalar(address))
            }
            val => Ok(Place::Scalar(self.scalar(&val)?)),
        }
    }

    /// An address in a register.
    pub(super) fn address_scalar(&mut self, address: Address) -> Lowered<Scalar> {
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
    pub(super) fn callee(&mut self, op: Op, name: &str) -> Lowered<Op> {
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
pub(super) struct Merged {
    pub place: Place,
}

/// The nodes that load a constant.
pub(super) fn load_constant(scalar: Scalar, bits: u64) -> Vec<Node> {
    let li = |op, word| Node::Op {
        op,
        args: [Arg::Scalar(scalar), Arg::None, Arg::None],
        imm: Imm::Word(word),
    };
    let mut nodes = vec![li(Opcode::Li, bits as u32)];
    if bits as i32 as i64 as u64 != bits {
        nodes.push(li(Opcode::Lih, (bits >> 32) as u32));
    }
    nodes
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}
