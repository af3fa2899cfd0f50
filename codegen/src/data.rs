//! Size in bytes of a core's own data: what `lower` will lay out, counted before addresses are
//! known, so that the memory can be kept free.

use std::cell::OnceCell;

use aiec_aie::ir::{Attr, Module, Op, SymbolTable};
use aiec_aie::ops::OpKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::STACK_ALIGNMENT;

/// The attribute of an `aie.core` that names the buffer for its own data, where these don't fit
/// its stack.
pub const DATA_BUFFER: &str = "data_buffer";

/// Measures the cores of one device.
pub struct LocalData<'m> {
    module: &'m Module,
    device: Op,
    /// The symbols of the device, then those of the module; most cores need none.
    symbols: OnceCell<[SymbolTable; 2]>,
    parts: FxHashMap<Op, DataRequirements>,
}

/// Data memory that a core or function needs by itself.
#[derive(Clone, Default)]
struct DataRequirements {
    bytes: u64,
    /// Globals with their bytes.
    globals: Vec<(Op, u64)>,
    callees: Vec<Op>,
}

impl<'m> LocalData<'m> {
    /// Of a device.
    pub fn of(module: &'m Module, device: Op) -> LocalData<'m> {
        LocalData {
            module,
            device,
            symbols: OnceCell::new(),
            parts: FxHashMap::default(),
        }
    }

    /// Bytes of the local arrays, the globals and the vector constants of a core and of the
    /// functions that it calls, each once and aligned; 0 for a core without such data.
    pub fn bytes(&mut self, core: Op) -> u64 {
        let mut seen = FxHashSet::default();
        let mut counted = FxHashSet::default();
        let mut open = vec![core];
        let mut total = 0u64;
        while let Some(function) = open.pop() {
            if !seen.insert(function) {
                continue;
            }
            let part = match self.parts.get(&function) {
                Some(part) => part,
                None => {
                    let part = self.part(function);
                    self.parts.entry(function).or_insert(part)
                }
            };
            total = total.saturating_add(part.bytes);
            for (_, bytes) in part.globals.iter().filter(|(g, _)| counted.insert(*g)) {
                total = total.saturating_add(*bytes);
            }
            open.extend(&part.callees);
        }
        total
    }

    fn symbol(&self, name: Option<&str>) -> Option<Op> {
        let name = name?;
        let symbols = self.symbols.get_or_init(|| {
            [self.device, self.module.top()].map(|table| SymbolTable::of(self.module, table))
        });
        symbols.iter().find_map(|table| table.get(name))
    }

    fn part(&self, function: Op) -> DataRequirements {
        let module = self.module;
        let mut part = DataRequirements::default();
        for op in module.walk(function) {
            match module.kind(op) {
                OpKind::VectorBitcast => {
                    let bytes = vector_bytes(module, op);
                    part.bytes = part.bytes.saturating_add(bytes);
                }
                OpKind::MemrefAlloc | OpKind::MemrefAlloca => {
                    part.bytes = part.bytes.saturating_add(result_bytes(module, op));
                }
                OpKind::ArithConstant => {
                    if let Some(Attr::Dense(dense)) = module.attr(op, "value")
                        && !dense.splat
                    {
                        part.bytes = part.bytes.saturating_add(aligned(dense.bytes.len() as u64));
                    }
                }
                OpKind::MemrefGetGlobal => {
                    let global = self.symbol(module.symbol_attr(op, "name"));
                    let bytes = result_bytes(module, op);
                    part.globals.extend(global.map(|global| (global, bytes)));
                }
                OpKind::FuncCall => {
                    part.callees
                        .extend(self.symbol(module.symbol_attr(op, "callee")));
                }
                _ => {}
            }
        }
        part
    }
}

/// The aligned size of the memref that an operation gives; one of open size counts as nothing.
fn result_bytes(module: &Module, op: Op) -> u64 {
    let ty = module.result(op, 0).map(|value| module.ty(value));
    let bytes = ty.and_then(|ty| ty.as_memref()?.num_bytes());
    aligned(bytes.unwrap_or(0))
}

/// The aligned size of the vector that an operation gives: its way through memory.
fn vector_bytes(module: &Module, op: Op) -> u64 {
    let ty = module.result(op, 0).map(|value| module.ty(value));
    let vector = ty.and_then(|ty| ty.as_vector());
    let bytes = vector.and_then(|vector| {
        let lanes = vector.shape.iter().try_fold(1u64, |lanes, size| {
            lanes.checked_mul(u64::try_from(*size).ok()?)
        })?;
        lanes.checked_mul(vector.elem.elem_bytes()?)
    });
    aligned(bytes.unwrap_or(0))
}

fn aligned(bytes: u64) -> u64 {
    bytes
        .checked_next_multiple_of(STACK_ALIGNMENT.into())
        .unwrap_or(u64::MAX)
}
