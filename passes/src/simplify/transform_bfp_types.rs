//! `aie-transform-bfp-types`: blocks of block floating point become integers of the same size, which
//! memory, DMAs and streams move alike (`mlir-aie: lib/Dialect/AIEX/Transforms/AIETransformBfpTypes.cpp`).

use std::sync::Arc;

use aiec_aie::ir::{
    Attr, FunctionType, MemRefType, Module, Op, Signedness, Type, Value, VectorType,
};
use aiec_diag::{Diag, MlirAieReport, Reported, codes};

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-transform-bfp-types", run)
    .summary("Turn blocks of block floating point into integers of their size")
    .postconditions(&["no type is !aiex.bfp"]);

codes! {
    /// Codes of `aie-transform-bfp-types`.
    pub static CODES;
    UNKNOWN_BLOCK = "bfp::unknown-block",
        "Block floating point is known in blocks of 8 elements of 8 bits (v8bfp16ebs8) and of 16 elements \
         of 8 bits (v16bfp16ebs16), each with one exponent of 8 bits.";
}

/// Blocks by name with their bits.
const BLOCKS: [(&str, u32); 2] = [("v8bfp16ebs8", 72), ("v16bfp16ebs16", 136)];

/// Prefix and suffix of a block's type.
const TYPE: (&str, &str) = ("!aiex.bfp<\"", "\">");

/// The name of a block that isn't known.
struct UnknownBlock(String);

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let ops: Vec<Op> = module.walk(module.top()).collect();
    for op in ops {
        if let Err(UnknownBlock(block)) = transform(module, op) {
            let message = format!("there are no blocks `{block}` of block floating point");
            let text = format!(
                "Invalid block type: {block}. Known types are: v8bfp16ebs8, v16bfp16ebs16."
            );
            context.report(
                Diag::error(&UNKNOWN_BLOCK, message)
                    .label(module.span(op), "used here")
                    .help("use v8bfp16ebs8 or v16bfp16ebs16")
                    .mlir_aie(MlirAieReport::plain(text).at(module.span(op))),
            );
        }
    }
    context.diags.check()
}

/// Changes the types of an operation's results, of its blocks' arguments and in its attributes; a
/// block that isn't known is the error.
fn transform(m: &mut Module, op: Op) -> Result<(), UnknownBlock> {
    let mut values: Vec<Value> = m.results(op).collect();
    for region in m.regions_of(op).to_vec() {
        for block in m.blocks_of(region) {
            values.extend(m.block_args(*block));
        }
    }
    for value in values {
        if let Some(ty) = plain(m.ty(value))? {
            m.set_ty(value, ty);
        }
    }
    let mut changed = Vec::new();
    for (key, attr) in m.attrs(op) {
        if let Attr::Type(ty) = attr
            && let Some(ty) = plain(ty)?
        {
            changed.push((key.to_string(), Attr::Type(ty)));
        }
    }
    for (key, attr) in changed {
        m.set_attr(op, &key, attr);
    }
    Ok(())
}

/// The type without blocks; `None` if it has none.
fn plain(ty: &Type) -> Result<Option<Type>, UnknownBlock> {
    let inner = |ty: &Arc<Type>| plain(ty);
    Ok(match ty {
        Type::Opaque(text) => {
            let name = text
                .strip_prefix(TYPE.0)
                .and_then(|rest| rest.strip_suffix(TYPE.1));
            let Some(name) = name else { return Ok(None) };
            let block = BLOCKS.iter().find(|(known, _)| *known == name);
            let (_, width) = block.ok_or_else(|| UnknownBlock(name.to_string()))?;
            Some(Type::Int {
                width: *width,
                sign: Signedness::Signless,
            })
        }
        Type::MemRef(memref) => plain(&memref.elem)?.map(|elem| {
            let memref = MemRefType::clone(memref);
            Type::MemRef(Arc::new(MemRefType { elem, ..memref }))
        }),
        Type::Vector(vector) => plain(&vector.elem)?.map(|elem| {
            let vector = VectorType::clone(vector);
            Type::Vector(Arc::new(VectorType { elem, ..vector }))
        }),
        Type::UnrankedMemRef(elem) => inner(elem)?.map(|ty| Type::UnrankedMemRef(Arc::new(ty))),
        Type::ObjectFifo(object) => inner(object)?.map(|ty| Type::ObjectFifo(Arc::new(ty))),
        Type::ObjectFifoSubview(object) => {
            inner(object)?.map(|ty| Type::ObjectFifoSubview(Arc::new(ty)))
        }
        Type::Function(function) => {
            let all = |types: &[Type]| -> Result<Vec<Option<Type>>, UnknownBlock> {
                types.iter().map(plain).collect()
            };
            let (inputs, results) = (all(&function.inputs)?, all(&function.results)?);
            if inputs.iter().chain(&results).all(Option::is_none) {
                return Ok(None);
            }
            let merge = |new: Vec<Option<Type>>, old: &[Type]| -> Vec<Type> {
                let pairs = new.into_iter().zip(old);
                pairs
                    .map(|(new, old)| new.unwrap_or_else(|| old.clone()))
                    .collect()
            };
            Some(Type::Function(Arc::new(FunctionType {
                inputs: merge(inputs, &function.inputs),
                results: merge(results, &function.results),
            })))
        }
        _ => None,
    })
}
