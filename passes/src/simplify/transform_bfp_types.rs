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
    let with_blocks = module.walk(module.top());
    // Most designs have none: nothing is collected for them.
    let with_blocks: Vec<Op> = with_blocks
        .filter(|op| !matches!(changes(module, *op), Ok(changes) if changes.is_empty()))
        .collect();
    for op in with_blocks {
        match changes(module, op) {
            Ok(changes) => changes.apply(module, op),
            Err(block) => context.report(unknown_block(module, op, block)),
        }
    }
    context.diags.check()
}

fn unknown_block(module: &Module, op: Op, UnknownBlock(block): UnknownBlock) -> Diag {
    let message = format!("there are no blocks `{block}` of block floating point");
    let text = format!("Invalid block type: {block}. Known types are: v8bfp16ebs8, v16bfp16ebs16.");
    Diag::error(&UNKNOWN_BLOCK, message)
        .label(module.span(op), "used here")
        .help("use v8bfp16ebs8 or v16bfp16ebs16")
        .mlir_aie(MlirAieReport::plain(text).at(module.span(op)))
}

/// New types of an operation.
#[derive(Default)]
struct Changes {
    values: Vec<(Value, Type)>,
    attrs: Vec<(String, Type)>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.attrs.is_empty()
    }

    fn apply(self, m: &mut Module, op: Op) {
        for (value, ty) in self.values {
            m.set_ty(value, ty);
        }
        for (key, ty) in self.attrs {
            m.set_attr(op, &key, Attr::Type(ty));
        }
    }
}

/// The new types of an operation's results, of its blocks' arguments and in its attributes; a
/// block that isn't known is the error.
fn changes(m: &Module, op: Op) -> Result<Changes, UnknownBlock> {
    let mut changes = Changes::default();
    let blocks = m
        .regions_of(op)
        .iter()
        .flat_map(|region| m.blocks_of(*region));
    let args = blocks.flat_map(|block| m.block_args(*block)).copied();
    for value in m.results(op).chain(args) {
        let ty = plain(m.ty(value))?;
        changes.values.extend(ty.map(|ty| (value, ty)));
    }
    for (key, attr) in m.attrs(op) {
        if let Attr::Type(ty) = attr
            && let Some(ty) = plain(ty)?
        {
            changes.attrs.push((key.to_string(), ty));
        }
    }
    Ok(changes)
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
