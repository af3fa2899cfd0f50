//! The verifier: what must hold of a netlist before any pass works on it.
//!
//! All findings of a module are made in one run and sorted by position. The checklist:
//!
//! * **structure** ([`structure`]): operands, attributes, results, regions and successors are as
//!   the operation's declaration says; blocks end with a terminator and nothing follows it;
//!   operations stand inside the operations they belong to.
//! * **values** ([`dominance`]): each use is dominated by the definition and sees it.
//! * **symbols** ([`symbols`]): names are unique in their table; references name something of the
//!   right kind.
//! * **array** ([`array`]): tiles lie in the device; at most one core, switchbox and DMA program
//!   per tile; ports exist, connections are legal, outputs are driven once; packet ids, arbiters,
//!   selects and rules are in range; cascades connect neighbours.
//! * **memory** ([`memory`]): lock ids and initial values; buffers on tiles with memory, inside
//!   it, with initial values of their size; users reach what they use.
//! * **DMA** ([`dma`]): programs consist of channels and BD chains; fields fit the hardware.
//! * **object fifos** ([`fifo`]): ends, depths, links, acquires and releases.
//! * **sequences** ([`sequence`]): transfers, tasks, waits and register operations.
//!
//! Each check is total: it must stand anything that the parser lets through.

mod array;
pub mod codes;
mod dma;
mod dominance;
mod fifo;
mod memory;
mod sequence;
mod structure;
mod symbols;

pub use codes::CODES;

use aiec_device::{DeviceModel, TileKind, TileLoc};

use crate::diag::{Code, Diag, Diags};
use crate::ir::{Module, Op, SymbolTable, Value};
use crate::ops::{self, Device, OpKind, OpView};

/// Verifies a module; findings are added to `diags`, sorted by position.
pub fn verify(module: &Module, diags: &mut Diags) {
    let mut found = Diags::new();
    let bad = structure::check(module, &mut found);
    dominance::check(module, &mut found);
    symbols::check(module, &mut found);
    for op in module.find(module.top(), OpKind::Device) {
        let Some(device) = Device::cast(module, op) else {
            continue;
        };
        let Some(model) = device.model(module) else {
            let diag = Diag::error(&codes::DEVICE, "this device is unknown");
            found.push(
                diag.label(module.span(op), "here")
                    .help("`aiec devices` lists the known devices"),
            );
            continue;
        };
        let mut cx = Context {
            module,
            device: op,
            model,
            symbols: SymbolTable::of(module, op),
            by_kind: by_kind(module, op, &bad),
            bad: &bad,
            diags: &mut found,
        };
        array::check(&mut cx);
        memory::check(&mut cx);
        dma::check(&mut cx);
        fifo::check(&mut cx);
        sequence::check(&mut cx);
    }
    found.sort_by_position();
    diags.append(found);
}

/// What the checks of one device share.
struct Context<'a> {
    module: &'a Module,
    device: Op,
    model: &'static DeviceModel,
    symbols: SymbolTable,
    /// Operations whose structure is wrong, by [`Op::index`]: further checks pass over them.
    bad: &'a [bool],
    /// The other operations in the device in textual order, by kind: each check looks for a few
    /// kinds, and none needs a walk of its own.
    by_kind: Vec<Vec<Op>>,
    diags: &'a mut Diags,
}

impl<'a> Context<'a> {
    /// All operations of a kind in the device whose structure is right.
    fn all<V: OpView>(&self) -> Vec<V> {
        let ops = self.by_kind.get(V::KIND as usize);
        let ops = ops.into_iter().flatten();
        ops.filter_map(|op| V::cast(self.module, *op)).collect()
    }

    fn is_bad(&self, op: Op) -> bool {
        self.bad.get(op.index()).copied().unwrap_or(false)
    }

    /// An error at an operation; finish it with labels and help, then [`Context::push`].
    fn error(&self, op: Op, code: &'static Code, message: impl Into<String>) -> Diag {
        let name = self.module.op_name(op).to_string();
        Diag::error(code, message).label(self.module.span(op), name)
    }

    fn push(&mut self, diag: Diag) {
        self.diags.push(diag);
    }

    /// The tile of a handle, if it lies in the device.
    fn tile(&self, handle: Option<Value>) -> Option<TileLoc> {
        let loc = ops::netlist::tile_loc(self.module, handle?)?;
        self.model.contains(loc).then_some(loc)
    }

    fn kind_at(&self, loc: TileLoc) -> Option<TileKind> {
        self.model.tile_kind(loc)
    }
}

/// The operations in a device whose structure is right, in textual order, by kind.
fn by_kind(module: &Module, device: Op, bad: &[bool]) -> Vec<Vec<Op>> {
    let mut lists = vec![Vec::new(); ops::OPS.len() + 1];
    for op in module.walk(device) {
        if bad.get(op.index()).copied().unwrap_or(false) {
            continue;
        }
        if let Some(list) = lists.get_mut(module.kind(op) as usize) {
            list.push(op);
        }
    }
    lists
}

/// "core tile", "mem tile"…
fn kind_text(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Core => "core tile",
        TileKind::Mem => "mem tile",
        TileKind::ShimNoc => "shim tile with a DMA",
        TileKind::ShimPl => "shim tile without a DMA",
    }
}
