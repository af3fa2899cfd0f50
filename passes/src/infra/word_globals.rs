//! `memref.global` operations that hold 32-bit words.

use std::sync::Arc;

use aiec_aie::ir::{
    Attr, DenseElements, InsertPoint, Loc, Module, Op, SymbolTable, TensorType, Type,
};
use aiec_aie::ops::{MemrefGlobal, OpView};

/// Bytes of a word.
const WORD_BYTES: usize = 4;

/// The words of a global's initial value; none if it has no such value.
pub(crate) fn words_of(module: &Module, global: Op) -> Option<Vec<u32>> {
    let Attr::Dense(dense) = MemrefGlobal::cast(module, global)?.initial_value(module)? else {
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
    let op = MemrefGlobal::build(module, loc, name.as_str())
        .sym_visibility("private")
        .attr("type", Attr::Type(words_type(words.len())))
        .initial_value(dense(words))
        .constant(true)
        .insert(at);
    symbols.insert(name.as_str(), op);
    name
}

/// Changes the words of a global.
pub(crate) fn set_words(module: &mut Module, global: Op, words: &[u32]) {
    MemrefGlobal(global)
        .edit(module)
        .initial_value(dense(words));
}

/// The type of memory that holds `words` words.
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
