//! Declarations of operations.

use crate::ir::{Attr, Module, Op, OpBuilder, Type};
use crate::op_table::{AttrName, OpKind};

bitflags::bitflags! {
    /// Properties of an operation.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Traits: u32 {
        /// Ends a block.
        const TERMINATOR = 1;
        /// Defines a symbol by its `sym_name`, which is required or has a default.
        const SYMBOL = 1 << 1;
        /// Its region is a symbol table.
        const SYMBOL_TABLE = 1 << 2;
        /// Its regions can't use values from outside.
        const ISOLATED = 1 << 3;
        /// No side effects: unused ones may go, equal ones may merge.
        const PURE = 1 << 4;
        /// Each region has exactly one block, whose terminator `aie.end` may be left out in text.
        const IMPLICIT_END = 1 << 5;
        /// Each region has one block without terminator.
        const NO_TERMINATOR = 1 << 6;
        /// The order of its two operands does not matter.
        const COMMUTATIVE = 1 << 7;
        /// All operands and results have one type.
        const SAME_TYPE = 1 << 8;
        /// Computes with signless integers or index, or vectors of them.
        const INT_LIKE = 1 << 9;
        /// Computes with floats, or vectors of them.
        const FLOAT_LIKE = 1 << 10;
        /// Converts its operand's elements to the result's.
        const CAST = 1 << 11;
        /// Goes on in its successors, handing values over to their arguments.
        const BRANCH = 1 << 12;
        /// Gives the results of the operation around its region.
        const RETURN_LIKE = 1 << 13;
        /// Computes with `index`.
        const INDEX_LIKE = 1 << 14;
    }
}

/// An attribute of a declaration.
#[derive(Clone, Debug)]
pub struct AttrDef {
    /// The number of its key.
    pub(crate) number: AttrName,
    /// Its key.
    pub name: &'static str,
    /// Whether the operation must have it.
    pub required: bool,
    /// The expectation, in words ("32-bit integer").
    pub expected: &'static str,
    /// The type of the attribute, where it is an integer.
    pub integer: Option<Type>,
    /// Whether an attribute is of that kind.
    pub accepts: fn(&Attr) -> bool,
}

/// The declaration of an operation: a row of [`super::OPS`].
#[derive(Clone, Debug)]
pub struct OpDef {
    /// Its kind.
    pub kind: OpKind,
    /// Its full name.
    pub name: &'static str,
    /// One line for the reference page.
    pub summary: &'static str,
    /// Names of its operands in order; a trailing `?` marks an optional one, `*` any number.
    pub operands: &'static [&'static str],
    /// Number of results; `None` when it varies.
    pub results: Option<u8>,
    /// Number of regions; `None` when it varies.
    pub regions: Option<u8>,
    /// Number of successors; `None` when it varies.
    pub successors: Option<u8>,
    /// Its properties.
    pub traits: Traits,
    /// Its attributes; others may be there and are kept.
    pub attrs: &'static [AttrDef],
}

/// A typed view of an operation.
pub trait OpView: Copy {
    /// The kind of operation it views.
    const KIND: OpKind;

    /// The view of an operation of that kind.
    fn cast(module: &Module, op: Op) -> Option<Self>;

    /// The operation.
    fn op(self) -> Op;

    /// Sets attributes of the operation: `tile.edit(module).col(2).row(3)`.
    fn edit(self, module: &mut Module) -> OpBuilder<'_, Self> {
        OpBuilder::edit(module, self.op())
    }
}
