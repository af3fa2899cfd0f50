//! Lowering of one core: its functions, its stack, findings.

use std::cell::OnceCell;

use aiec_aie::ir::{Attr, Module, Op, SymbolTable, Type};
use aiec_aie::ops::{Buffer, Core, Device, OpKind, OpView};
use aiec_device::core_program::{CoreProgram, EncodeError, Function as ProgramFunction, Immediate};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Code as DiagCode, Diag, Diags, Reported};
use indexmap::{IndexMap, IndexSet};

use super::allocate::{OutOfRegisters, allocate};
use super::emit::{FunctionCode, emit};
use super::function::Function;
use super::{
    CoreCode, DATA_BUFFER, DataSegment, NOT_PLACED, OUT_OF_REGISTERS, OUT_OF_STACK, RECURSION,
    TOO_LARGE, UNSUPPORTED_OP, UNSUPPORTED_TYPE,
};
use crate::analysis::budget::stack_bytes;

/// The operation can't be lowered, and that has been reported (perhaps at one it depends on).
#[derive(Clone, Copy, Debug)]
pub(super) struct AlreadyReported;

pub(super) type Lowered<T> = Result<T, AlreadyReported>;

/// Nodes past which a function can't fit the program memory (4096 words) and isn't analysed.
const MAX_NODES: usize = 0x4000;

/// Alignment of data in the stack, in bytes: a 256-bit access.
pub(super) const STACK_ALIGNMENT: u32 = 32;

/// A core's stack, or the buffer that it has for its data: data of fixed size, laid out from the
/// bottom.
#[derive(Debug)]
struct Stack {
    /// Where it starts, in bytes of data memory.
    base: u32,
    used: u32,
    size: u32,
}

/// The lowering of one core.
pub(super) struct Lowering<'m, 'd> {
    pub module: &'m Module,
    pub model: &'static DeviceModel,
    pub loc: TileLoc,
    core: Op,
    /// Symbols from the inside out: the device, then the module. Most cores need none.
    symbols: OnceCell<[SymbolTable; 2]>,
    device: Op,
    /// The functions that are reached, in the order of their numbers; the core is 0.
    functions: IndexSet<Op>,
    /// Calls between functions, by number.
    calls: Vec<(usize, usize, Op)>,
    kernels: IndexSet<String>,
    /// Offsets in data memory of the core's own arrays; globals have one when they are first used.
    pub(super) placed: IndexMap<Op, u32>,
    stack: Stack,
    data: Vec<DataSegment>,
    pub diags: &'d mut Diags,
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
    let stack = local_data(module, model, Core(core)).map_err(|diag| diags.fail(diag))?;
    let mut low = Lowering {
        module,
        model,
        loc,
        core,
        symbols: OnceCell::new(),
        device: device.op(),
        functions: IndexSet::from([core]),
        calls: Vec::new(),
        kernels: IndexSet::new(),
        placed: IndexMap::new(),
        stack,
        data: Vec::new(),
        diags,
    };
    low.program()
}

/// Where a core's own data go: its stack, or the buffer that was made for them.
fn local_data(module: &Module, model: &DeviceModel, core: Core) -> Result<Stack, Diag> {
    let Some(name) = module.symbol_attr(core.op(), DATA_BUFFER) else {
        let size = stack_bytes(module, model, core);
        return Ok(Stack {
            base: 0,
            used: 0,
            size: u32::try_from(size).unwrap_or(u32::MAX),
        });
    };
    let device = Device::around(module, core.op());
    let buffers = device.map(|device| module.children::<Buffer>(device.op()));
    let buffer = buffers
        .into_iter()
        .flatten()
        .find(|b| module.str_attr(b.op(), "sym_name") == Some(name));
    let address = buffer.and_then(|b| u32::try_from(b.address(module)?).ok());
    let bytes = buffer.and_then(|b| b.bytes(module));
    match address.zip(bytes) {
        Some((base, bytes)) => Ok(Stack {
            base,
            used: 0,
            size: u32::try_from(bytes).unwrap_or(u32::MAX),
        }),
        None => {
            let message = format!("`{name}`, the buffer for the core's own data, has no address");
            Err(Diag::error(&NOT_PLACED, message)
                .label(module.span(core.op()), "this core")
                .help("declare it in the device, and run aie-assign-buffer-addresses"))
        }
    }
}

impl Lowering<'_, '_> {
    fn program(&mut self) -> Result<CoreCode, Reported> {
        let mut program = CoreProgram::default();
        let mut sources = Vec::new();
        let mut good = true;
        let mut number = 0;
        while let Some(&op) = self.functions.get_index(number) {
            let entry = program.code.len() as u32;
            match self.function(number, op) {
                Ok(emitted) => {
                    let FunctionCode {
                        registers,
                        granules,
                        ..
                    } = emitted;
                    sources.extend(emitted.sources);
                    let relocated = emitted.code.into_iter().map(|mut instruction| {
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
                Err(AlreadyReported) => good = false,
            }
            number += 1;
        }
        good &= self.refuse_recursion() && self.one_place_is_enough();
        if !good {
            return Err(Reported);
        }
        program.kernels = self.kernels.iter().cloned().collect();
        let limit = self.model.arch_model().core.program_bytes;
        match program.encode(limit) {
            Ok(words) => Ok(CoreCode {
                words,
                program,
                sources,
                functions: self.functions.iter().copied().collect(),
                data: std::mem::take(&mut self.data),
                placed: std::mem::take(&mut self.placed),
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
    fn function(&mut self, number: usize, op: Op) -> Lowered<FunctionCode> {
        let code = Function::lower(self, number, op)?;
        if code.nodes.len() > MAX_NODES {
            let error = EncodeError::TooLarge {
                bytes: code.nodes.len() as u32 * 4,
                limit: self.model.arch_model().core.program_bytes,
            };
            self.too_large(&error);
            return Err(AlreadyReported);
        }
        let emitted = allocate(&code).and_then(|assignment| emit(&code, &assignment));
        match emitted {
            Ok(emitted) => Ok(emitted),
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
    ) -> AlreadyReported {
        let name = self.module.op_name(op);
        let label = format!("{name} in the core at {}", self.loc);
        let diag = Diag::error(code, message)
            .label(self.module.span(op), label)
            .help(help);
        let diag = match self.linked_objects() {
            Some(names) => diag.remark(format!(
                "the core is linked with {names}: what is in object files can't be compiled here; \
                 link the whole core with the vendor's tools and name the result with elf_file"
            )),
            None => diag,
        };
        self.diags.push(diag);
        AlreadyReported
    }

    /// The object files that the core, or a function declared for it, is linked with.
    fn linked_objects(&self) -> Option<String> {
        let module = self.module;
        let mut names: Vec<String> = Vec::new();
        let calls = module.find(self.core, OpKind::FuncCall).into_iter();
        let callees = calls.filter_map(|call| self.symbol(module.symbol_attr(call, "callee")?));
        for op in callees.chain([self.core]) {
            names.extend(
                module
                    .str_attr(op, "link_with")
                    .map(|name| name.to_string()),
            );
            for key in ["link_files", "link_merge_files"] {
                if let Some(Attr::Array(list)) = module.attr(op, key) {
                    let files = list.iter().filter_map(Attr::as_str);
                    names.extend(files.map(|name| name.to_string()));
                }
            }
        }
        names.sort();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The number of a function that is called.
    pub(super) fn function_number(&mut self, from: usize, callee: Op, call: Op) -> usize {
        let (number, _) = self.functions.insert_full(callee);
        self.calls.push((from, number, call));
        number
    }

    /// The calls in the program of a function of it.
    pub(super) fn calls_of(&self, function: Op) -> Vec<Op> {
        let number = self.functions.get_index_of(&function);
        let calls = self.calls.iter().filter(|(_, to, _)| Some(*to) == number);
        calls.map(|(.., call)| *call).collect()
    }

    /// The number of an external kernel.
    pub(super) fn kernel_number(&mut self, name: &str) -> usize {
        self.kernels.insert_full(name.to_string()).0
    }

    /// The operation that defines a symbol, the innermost first.
    pub(super) fn symbol(&self, name: &str) -> Option<Op> {
        let tables = self.symbols.get_or_init(|| {
            [self.device, self.module.top()].map(|table| SymbolTable::of(self.module, table))
        });
        tables.iter().find_map(|table| table.get(name))
    }

    /// Reserves bytes in the stack; answers their offset in data memory.
    pub(super) fn stack_bytes(&mut self, op: Op, bytes: u64) -> Lowered<u32> {
        let start = self.stack.used.next_multiple_of(STACK_ALIGNMENT);
        let end = bytes.saturating_add(start.into());
        if end > u64::from(self.stack.size) {
            let size = self.stack.size;
            let message = format!("the core's local data take {end} bytes, its stack has {size}");
            let help = "run aie-assign-buffer-addresses, which makes a buffer for them, give \
                        aie.core a larger stack_size, or use an aie.buffer";
            return Err(self.report(&OUT_OF_STACK, op, message, help));
        }
        self.stack.used = end as u32;
        Ok(self.stack.base + start)
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
        if let Some(&offset) = self.placed.get(&global) {
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
        self.placed.insert(global, offset);
        Ok(offset)
    }

    pub(super) fn unsupported_type(&mut self, op: Op, ty: &Type) -> AlreadyReported {
        let name = self.module.op_name(op).to_string();
        let message = format!(
            "`{name}` has a type that cores can't compute with: {}",
            show(ty)
        );
        self.report(&UNSUPPORTED_TYPE, op, message, "use another type")
    }

    pub(super) fn unsupported(&mut self, op: Op) -> AlreadyReported {
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
        Type::Float(kind) => kind.to_string(),
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
