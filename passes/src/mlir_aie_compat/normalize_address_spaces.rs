//! `aie-normalize-address-spaces`: memrefs lose their memory spaces, which other dialects number in
//! their own ways (`mlir-aie: lib/Dialect/AIE/Transforms/AIENormalizeAddressSpaces.cpp`).
//!
//! Tiles say where memory is here; a core reaches all that it sees through one address space.

use std::sync::Arc;

use aiec_aie::ir::{Attr, FunctionType, MemRefType, Module, Op, Type, Value};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-normalize-address-spaces", run)
    .summary("Take memory spaces off memrefs")
    .postconditions(&["no memref has a memory space"]);

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let ops: Vec<Op> = module.walk(module.top()).collect();
    for op in ops {
        let changed = normalize(module, op);
        context.count("types", changed);
    }
    Ok(())
}

/// Changes the types of results, of arguments of blocks and in attributes; how many.
fn normalize(m: &mut Module, op: Op) -> u64 {
    let mut values: Vec<Value> = m.results(op).collect();
    for region in m.regions_of(op).to_vec() {
        for block in m.blocks_of(region) {
            values.extend(m.block_args(*block));
        }
    }
    let mut count = 0;
    for value in values {
        if let Some(ty) = without_space(m.ty(value)) {
            m.set_ty(value, ty);
            count += 1;
        }
    }
    let changed = m.attrs(op).filter_map(|(key, attr)| match attr {
        Attr::Type(ty) => Some((key.to_string(), without_space(ty)?)),
        _ => None,
    });
    let changed: Vec<(String, Type)> = changed.collect();
    count += changed.len() as u64;
    for (key, ty) in changed {
        m.set_attr(op, &key, Attr::Type(ty));
    }
    count
}

/// The type without memory spaces; `None` if it has none.
fn without_space(ty: &Type) -> Option<Type> {
    match ty {
        Type::MemRef(memref) => {
            memref.space.as_ref()?;
            let memref = MemRefType::clone(memref);
            Some(Type::MemRef(Arc::new(MemRefType {
                space: None,
                ..memref
            })))
        }
        Type::Function(function) => {
            let all = function.inputs.iter().chain(&function.results);
            let new: Vec<Option<Type>> = all.map(without_space).collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let old = function.inputs.iter().chain(&function.results);
            let pairs = new.into_iter().zip(old);
            let mut types = pairs.map(|(new, old)| new.unwrap_or_else(|| old.clone()));
            let inputs = types.by_ref().take(function.inputs.len()).collect();
            let results = types.collect();
            Some(Type::Function(Arc::new(FunctionType { inputs, results })))
        }
        _ => None,
    }
}
