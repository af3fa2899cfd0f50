//! Generic form.

use super::Printer;
use crate::ir::{Attr, Module, Op, Type};
use crate::text::PROPERTIES;
use crate::text::custom::stored;

impl Printer<'_> {
    /// `"name"(%a)[^bb] <{properties}> ({…}) {attributes} : (T) -> T`, without results.
    pub(super) fn generic_op(&mut self, op: Op) {
        let m = self.m;
        self.out.push('"');
        self.out.push_str(m.op_name(op));
        self.out.push_str("\"(");
        let operands: Vec<_> = m.operands(op).collect();
        self.values(&operands);
        self.out.push(')');
        let successors = m.successors(op);
        if !successors.is_empty() {
            self.out.push('[');
            for (n, block) in successors.iter().enumerate() {
                if n > 0 {
                    self.out.push_str(", ");
                }
                self.block_name(*block);
            }
            self.out.push(']');
        }
        let (properties, others) = split_attributes(m, op);
        if !properties.is_empty() {
            self.out.push_str(" <");
            let list: Vec<_> = properties.iter().map(|(k, v)| (*k, v)).collect();
            self.entries(&list);
            self.out.push('>');
        }
        let regions = m.regions_of(op);
        if !regions.is_empty() {
            self.out.push_str(" (");
            for (n, region) in regions.iter().enumerate() {
                if n > 0 {
                    self.out.push_str(", ");
                }
                self.region_body(*region, true, false, true);
            }
            self.out.push(')');
        }
        if !others.is_empty() {
            self.out.push(' ');
            let list: Vec<_> = others.iter().map(|(k, v)| (*k, v)).collect();
            self.entries(&list);
        }
        self.out.push_str(" : (");
        self.types_of(&operands);
        self.out.push_str(") -> ");
        let types: Vec<Type> = m.results(op).map(|r| m.ty(r).clone()).collect();
        self.arrow_types(&types);
    }
}

/// The attributes of an operation as generic form shows them, sorted by key.
pub fn stored_attributes(module: &Module, op: Op) -> Vec<(&str, Attr)> {
    let (mut attributes, others) = split_attributes(module, op);
    attributes.extend(others);
    attributes.sort_by(|a, b| a.0.cmp(b.0));
    attributes
}

type Attributes<'m> = Vec<(&'m str, Attr)>;

/// The operation's own attributes, completed by those defaults that the reference always
/// stores, and the discardable ones; both sorted.
fn split_attributes(m: &Module, op: Op) -> (Attributes<'_>, Attributes<'_>) {
    let undeclared = stored::undeclared(m.kind(op));
    let own = m.kind(op).def().map_or(&[][..], |def| def.attrs);
    let mut properties: Attributes<'_> = Vec::new();
    let mut others: Attributes<'_> = Vec::new();
    for (key, value) in m.attrs(op) {
        if key == PROPERTIES {
            if let Attr::Dict(entries) = value {
                for (key, value) in &**entries {
                    properties.push((key, value.clone()));
                }
            }
        } else if stored::is_implied(m, op, key) {
            continue;
        } else if key == "operandSegmentSizes"
            || undeclared.contains(&key)
            || own.iter().any(|a| a.name == key)
        {
            let form = stored::form(m.kind(op), key, value);
            properties.push((key, form.unwrap_or_else(|| value.clone())));
        } else {
            others.push((key, value.clone()));
        }
    }
    for (key, value) in stored::defaults(m, op) {
        if !properties.iter().any(|(k, _)| *k == key) {
            properties.push((key, value));
        }
    }
    properties.sort_by(|a, b| a.0.cmp(b.0));
    others.sort_by(|a, b| a.0.cmp(b.0));
    (properties, others)
}
