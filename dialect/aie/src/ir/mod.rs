//! A small MLIR.
//!
//! A [`Module`] owns dense arenas of operations, blocks, regions and values, addressed by typed
//! ids ([`Op`], [`Block`], [`Region`], [`Value`]). Operations of a block form a doubly linked
//! list; values know their uses, in the order in which they were made. Types and attributes are
//! values with structural equality. Attribute keys and operation names are interned in the module.
//!
//! Invariants:
//!
//! * ids are never reused within a module; an erased operation's id stays dead ([`Module::is_live`]);
//! * every operation has a location ([`Loc`]) that survives passes: a pass makes new operations
//!   with [`Module::derived_loc`];
//! * nothing here iterates over a hash table, so any walk is deterministic.

mod attrs;
mod build;
mod clone;
mod loc;
mod module;
mod names;
mod regions;
mod symbols;
mod values;
mod walk;

pub use attrs::{
    AffineExpr, AffineMap, Attr, BdDim, BdIteration, BdPad, DYNAMIC, DenseArray, DenseElements,
    FloatKind, FunctionType, MemRefType, PacketInfo, Signedness, SymbolRef, TensorType, Type,
    VectorType,
};
pub use build::{InsertPoint, OpBuilder};
pub use clone::ValueMap;
pub use loc::{FifoAction, FifoUse, Loc, LocInfo, LocTable};
pub use module::{Block, Module, NamedFile, Op, Region, Use, Value, ValueDef};
pub use names::{Name, Names};
pub use symbols::SymbolTable;
pub use walk::Walk;
