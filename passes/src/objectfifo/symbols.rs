//! References to fifos by the runtime sequence become references to their shim allocations.

use std::sync::Arc;

use aiec_aie::ir::{Attr, Module, Op, SymbolRef};
use aiec_aie::ops::OpKind;
use rustc_hash::FxHashMap;

/// Renames the uses of what a shim allocation stands for.
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
            let to = names.get(symbol.leaf())?;
            let mut path: Vec<Arc<str>> = symbol.path.to_vec();
            if let Some(leaf) = path.last_mut() {
                *leaf = to.as_str().into();
            }
            Some(Attr::Symbol(SymbolRef { path: path.into() }))
        }
        Attr::Array(list) => {
            let new: Vec<Option<Attr>> = list.iter().map(|attr| renamed(attr, names)).collect();
            let new_or_old =
                |(new, old): (&Option<Attr>, &Attr)| new.as_ref().unwrap_or(old).clone();
            new.iter()
                .any(Option::is_some)
                .then(|| Attr::Array(new.iter().zip(list.iter()).map(new_or_old).collect()))
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
