//! Lowering of one core: its functions, its stack, findings.

use std::cell::OnceCell;
use std::ops::Range;

use aiec_aie::ir::{Attr, Module, Op, SymbolTable, Type};
use aiec_aie::ops::{Buffer, Core, Device, OpKind, OpView};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Code as DiagCode, Diag, Diags, Reported};
use indexmap::{IndexMap, IndexSet};

use self::function::Function;
use crate::DataSegment;
use crate::codes::{NOT_PLACED, OUT_OF_STACK, RECURSION, UNSUPPORTED_OP, UNSUPPORTED_TYPE};
use crate::data::DATA_BUFFER;
use crate::mir::Code;

mod aievec;
mod arith;
mod block_products;
mod contraction;
mod contraction_loops;
mod control;
mod extended;
mod function;
mod index;
mod layout;
mod math;
mod memory;
mod pure;
mod reused_memory;
mod sync;
pub(crate) mod value;
mod vector;
mod vector_bounds;
mod vector_memory;
mod wide;

/// The lowering of an operation; one that failed was reported there, or at one it depends on.
pub(crate) type Lowered<T> = Result<T, Reported>;

/// Alignment of data in the stack, in bytes: a 256-bit access.
pub(crate) const STACK_ALIGNMENT: u32 = 32;

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
pub(crate) struct Lowering<'m, 'd> {
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
    pub(crate) placed: IndexMap<Op, u32>,
    stack: Stack,
    /// Offset and bytes of the part of the stack that operations use for themselves while they run, one after another.
    scratch: (u32, u64),
    data: Vec<DataSegment>,
    pub diags: &'d mut Diags,
}

/// A core's body over virtual registers, which the programs of all engines are made from.
pub(crate) struct LoweredCore {
    /// The `aie.core`.
    pub core: Op,
    pub model: &'static DeviceModel,
    pub loc: TileLoc,
    /// The `aie.core`, then each `func.func` that it reaches, with their code: a call names its callee by the
    /// index in this list.
    pub functions: Vec<(Op, Code)>,
    /// Texts of the signatures of external kernels, which calls name by their index.
    pub kernels: Vec<String>,
    /// Initial contents of the core's own data memory.
    pub data: Vec<DataSegment>,
    /// Byte offset in the data memory of the core's tile of each array of its own.
    pub placed: IndexMap<Op, u32>,
    /// Part of the core's stack that its own data leave free, in bytes of the data memory of its
    /// tile.
    pub stack: Range<u32>,
}

/// Lowers an `aie.core` and the functions that it reaches. Findings of all operations go to `diags`.
///
/// # Errors
/// Something in the core can't be lowered.
pub(crate) fn lower(module: &Module, core: Op, diags: &mut Diags) -> Result<LoweredCore, Reported> {
    Lowering::begin(module, core, [core].into(), diags)?.core_body()
}

/// Lowers some functions of the device around a core as that core would call them: these in order, then those that
/// they reach. A call names its callee by the index in the list.
///
/// # Errors
/// Something in them can't be lowered.
pub(crate) fn lower_functions(
    module: &Module,
    core: Op,
    functions: &[Op],
    diags: &mut Diags,
) -> Result<Vec<(Op, Code)>, Reported> {
    let functions = functions.iter().copied().collect();
    let lowered = Lowering::begin(module, core, functions, diags)?.core_body()?;
    Ok(lowered.functions)
}

/// Where a core's own data go: its stack, or the buffer that was made for them.
fn local_data(module: &Module, model: &DeviceModel, core: Core) -> Result<Stack, Diag> {
    let Some(name) = module.symbol_attr(core.op(), DATA_BUFFER) else {
        let size = core.stack_bytes(module, model);
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

impl<'m, 'd> Lowering<'m, 'd> {
    /// The start of a lowering of some functions of a core.
    fn begin(
        module: &'m Module,
        core: Op,
        functions: IndexSet<Op>,
        diags: &'d mut Diags,
    ) -> Result<Self, Reported> {
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
        Ok(Lowering {
            module,
            model,
            loc,
            core,
            symbols: OnceCell::new(),
            device: device.op(),
            functions,
            calls: Vec::new(),
            kernels: IndexSet::new(),
            placed: IndexMap::new(),
            stack,
            scratch: (0, 0),
            data: Vec::new(),
            diags,
        })
    }

    fn core_body(mut self) -> Result<LoweredCore, Reported> {
        let mut codes = Vec::new();
        let mut good = true;
        while let Some(&op) = self.functions.get_index(codes.len()) {
            let code = Function::lower(&mut self, codes.len(), op);
            good &= code.is_ok();
            codes.push(code.unwrap_or_default());
        }
        good &= self.refuse_recursion() && self.one_place_is_enough();
        if !good {
            return Err(Reported);
        }
        let stack = self.free_stack();
        Ok(LoweredCore {
            stack,
            core: self.core,
            model: self.model,
            loc: self.loc,
            functions: self.functions.iter().copied().zip(codes).collect(),
            kernels: self.kernels.into_iter().collect(),
            data: self.data,
            placed: self.placed,
        })
    }

    /// Part of the core's stack that its own data leave free: all of it if they have a buffer of
    /// their own.
    fn free_stack(&self) -> Range<u32> {
        let size = Core(self.core).stack_bytes(self.module, self.model);
        let end = u32::try_from(size).unwrap_or(u32::MAX);
        let in_buffer = self.module.symbol_attr(self.core, DATA_BUFFER).is_some();
        let start = if in_buffer { 0 } else { self.stack.used };
        start..end.max(start)
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
    pub(crate) fn report(
        &mut self,
        code: &'static DiagCode,
        op: Op,
        message: String,
        help: &str,
    ) -> Reported {
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
        Reported
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
    pub(crate) fn function_number(&mut self, from: usize, callee: Op, call: Op) -> usize {
        let (number, _) = self.functions.insert_full(callee);
        self.calls.push((from, number, call));
        number
    }

    /// The calls in the program of a function of it.
    pub(crate) fn calls_of(&self, function: Op) -> Vec<Op> {
        let number = self.functions.get_index_of(&function);
        let calls = self.calls.iter().filter(|(_, to, _)| Some(*to) == number);
        calls.map(|(.., call)| *call).collect()
    }

    /// The number of an external kernel.
    pub(crate) fn kernel_number(&mut self, name: &str) -> usize {
        self.kernels.insert_full(name.to_string()).0
    }

    /// The operation that defines a symbol, the innermost first.
    pub(crate) fn symbol(&self, name: &str) -> Option<Op> {
        let tables = self.symbols.get_or_init(|| {
            [self.device, self.module.top()].map(|table| SymbolTable::of(self.module, table))
        });
        tables.iter().find_map(|table| table.get(name))
    }

    /// Reserves bytes in the stack; returns their offset in data memory.
    pub(crate) fn stack_bytes(&mut self, op: Op, bytes: u64) -> Lowered<u32> {
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

    /// Bytes of the stack for one operation while it runs, which others use as well; their offset in data memory, `None` if the
    /// stack has no room.
    pub(crate) fn scratch_bytes(&mut self, bytes: u64) -> Option<u32> {
        if bytes > self.scratch.1 {
            let start = self.stack.used.next_multiple_of(STACK_ALIGNMENT);
            let end = bytes.checked_add(start.into())?;
            if end > u64::from(self.stack.size) {
                return None;
            }
            self.stack.used = end as u32;
            self.scratch = (self.stack.base + start, bytes);
        }
        Some(self.scratch.0)
    }

    /// Reserves bytes in the stack with initial contents.
    pub(crate) fn stack_data(&mut self, op: Op, mut bytes: Vec<u8>) -> Lowered<u32> {
        let offset = self.stack_bytes(op, bytes.len() as u64)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.data.push(DataSegment { offset, bytes });
        Ok(offset)
    }

    /// The core-local address of a byte of its own data memory.
    pub(crate) fn own_address(&self, offset: u32) -> i64 {
        i64::from(self.model.own_data_address(self.loc)) + i64::from(offset)
    }

    /// The offset in the stack of a global, which is placed when it is first used.
    pub(crate) fn global(&mut self, global: Op, user: Op, ty: &Type) -> Lowered<u32> {
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

    pub(crate) fn unsupported_type(&mut self, op: Op, ty: &Type) -> Reported {
        let name = self.module.op_name(op).to_string();
        let message = format!(
            "`{name}` has a type that cores can't compute with: {}",
            show(ty)
        );
        self.report(&UNSUPPORTED_TYPE, op, message, "use another type")
    }

    /// Reports an operation that cores execute, but not with these operands, types or attributes.
    pub(crate) fn unsupported(&mut self, op: Op) -> Reported {
        let name = self.module.op_name(op).to_string();
        let message = format!("cores can't execute `{name}` in this form");
        let help = "write it with other types, or with simpler operations";
        self.report(&UNSUPPORTED_OP, op, message, help)
    }

    /// Reports an operation that cores don't execute at all.
    pub(crate) fn unknown(&mut self, op: Op) -> Reported {
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
        _ => "one that isn't a number".to_string(),
    }
}
