//! References to fifos by the runtime sequence become references to their shim allocations.

use std::sync::Arc;

use aiec_aie::ir::{Attr, Module, Op, SymbolRef};
use aiec_aie::ops::OpKind;
use rustc_hash::FxHashMap;

/// Renames references to fifos to those of their shim allocations.
pub(super) fn rename(module: &mut Module, device: Op, names: &FxHashMap<String, String>) {
    if names.is_empty() {
        return;
    }
    let mut changes: Vec<(Op, String, Attr)> = Vec::new();
    for op in module.walk(device) {
        if is_fifo_op(module.kind(op)) {
            continue;
        }
        for (key, attr) in module.attrs(op) {
            if let Some(renamed) = renamed(attr, names) {
                changes.push((op, key.to_string(), renamed));
            }
        }
    }
    for (op, key, attr) in changes {
        module.set_attr(op, &key, attr);
    }
}

/// A symbol, or a list of them, with the new names; `None` if nothing changes.
fn renamed(attr: &Attr, names: &FxHashMap<String, String>) -> Option<Attr> {
    match attr {
        Attr::Symbol(symbol) => {
            let to: Arc<str> = names.get(symbol.leaf())?.as_str().into();
            let (_, outer) = symbol.path.split_last()?;
            let path = outer.iter().cloned().chain([to]).collect();
            Some(Attr::Symbol(SymbolRef { path }))
        }
        Attr::Array(list) => {
            let mut changes = false;
            let new = list.iter().map(|old| {
                let new = renamed(old, names);
                changes |= new.is_some();
                new.unwrap_or_else(|| old.clone())
            });
            let new = Attr::Array(new.collect());
            changes.then_some(new)
        }
        _ => None,
    }
}

fn is_fifo_op(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::ObjectFifo
            | OpKind::ObjectFifoLink
            | OpKind::ObjectFifoAllocate
            | OpKind::ObjectFifoRegisterExternalBuffers
            | OpKind::ObjectFifoAcquire
            | OpKind::ObjectFifoRelease
            | OpKind::ObjectFifoRegisterProcess
            | OpKind::DmaChannelResetFor
    )
}
