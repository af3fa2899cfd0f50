//! The declarations and typed views of all rows of the table.
#![allow(non_snake_case)] // accessors are named as the attributes are

use super::def::{AttrDef, OpDef, OpView, Traits};
use super::define::{
    build_fn, count, group_accessor, group_name, operand_accessor, operand_accessors, ops,
};
use super::kind::{self, AttrKind, IntoAttr};
use crate::ir::{Loc, Module, Op, OpBuilder, Value};
use crate::op_table::rows::for_each_op;
use crate::op_table::{AttrName, OpKind};

for_each_op!(ops);

const fn attr_def<K: AttrKind>(number: AttrName, name: &'static str, required: bool) -> AttrDef {
    AttrDef {
        number,
        name,
        required,
        expected: K::EXPECTED,
        integer: K::INTEGER,
        accepts: |attr| K::get(attr).is_some(),
    }
}

fn read<K: AttrKind>(module: &Module, op: Op, attr_name: AttrName) -> Option<K::Value> {
    K::get(module.declared_attr(op, attr_name)?)
}
