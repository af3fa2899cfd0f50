//! `memref.global` operations that hold 32-bit words.

use std::sync::Arc;

use aiec_aie::ir::{
    Attr, DenseElements, InsertPoint, Loc, Module, Op, SymbolTable, TensorType, Type,
};
use aiec_aie::ops::{MemrefGlobal, OpKind, OpView};

/// Bytes of a word.
const WORD_BYTES: usize = 4;

/// The words of a global's initial value; none if it has no such value.
pub(crate) fn words_of(module: &Module, global: Op) -> Option<Vec<u32>> {
    MemrefGlobal::cast(module, global)?;
    let Attr::Dense(dense) = module.attr(global, "initial_value")? else {
        return None;
    };
    let bytes = dense.expand()?;
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    rest.is_empty().then_some(words)
}

/// Makes a private global; its name begins with `base`.
pub(crate) fn build(
    module: &mut Module,
    symbols: &mut SymbolTable,
    base: &str,
    words: &[u32],
    at: InsertPoint,
    loc: Loc,
) -> String {
    let name = symbols.unique_name(base);
    let op = module
        .build(OpKind::MemrefGlobal, loc)
        .attr("sym_name", Attr::str(name.as_str()))
        .attr("sym_visibility", Attr::str("private"))
        .attr("type", Attr::Type(words_type(words.len())))
        .attr("initial_value", dense(words))
        .attr("constant", Attr::Unit)
        .insert(at);
    symbols.insert(name.as_str(), op);
    name
}

/// Changes the words of a global.
pub(crate) fn set_words(module: &mut Module, global: Op, words: &[u32]) {
    module.set_attr(global, "initial_value", dense(words));
}

/// The type of memory that holds so many words.
pub(crate) fn words_type(words: usize) -> Type {
    Type::memref(vec![words as i64], Type::I32)
}

fn dense(words: &[u32]) -> Attr {
    let ty = TensorType {
        shape: vec![words.len() as i64],
        elem: Type::I32,
        encoding: None,
    };
    Attr::Dense(Arc::new(DenseElements {
        ty: Type::Tensor(Arc::new(ty)),
        splat: false,
        bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }))
}
