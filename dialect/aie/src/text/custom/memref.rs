//! Memory of core bodies and sequences.

use super::fragments::{mixed, print_elements, print_mixed};
use super::syntax::OwnSyntax;
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed, unescape};
use crate::text::print::{Printer, escape};

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::MemrefGlobal, Rule::memref_global, parse_global, print_global),
    (OpKind::MemrefCollapseShape, Rule::memref_collapse_shape, parse_reshape, print_reshape),
    (OpKind::MemrefExpandShape, Rule::memref_expand_shape, parse_reshape, print_reshape),
    (OpKind::TensorCollapseShape, Rule::memref_collapse_shape, parse_reshape, print_reshape),
    (OpKind::TensorExpandShape, Rule::memref_expand_shape, parse_reshape, print_reshape),
];

// ---- globals ----

fn parse_global(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if let Some(visibility) = p.fields.take(Rule::string) {
        p.build
            .attr("sym_visibility", Attr::str(unescape(visibility.as_str())));
    }
    if let Some(visibility) = p.fields.take(Rule::visibility) {
        p.build
            .attr("sym_visibility", Attr::str(visibility.as_str()));
    }
    if p.fields.take(Rule::constant_flag).is_some() {
        p.build.attr("constant", Attr::Unit);
    }
    p.sym_name()?;
    let ty = p.next_type()?;
    if p.fields.take(Rule::uninitialized).is_some() {
        p.build.attr("initial_value", Attr::Unit);
    } else if let Some(value) = p.fields.take(Rule::attr) {
        let value = p.parser.literals().elements(value, &ty)?;
        p.build.attr("initial_value", value);
    }
    p.build.attr("type", Attr::Type(ty));
    p.dict()?;
    p.create()
}

fn print_global(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    if let Some(visibility) = m.str_attr(op, "sym_visibility") {
        printer.text(&format!(" \"{}\"", escape(visibility)));
    }
    if m.flag(op, "constant") {
        printer.text(" constant");
    }
    printer.text(" ");
    printer.symbol(m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text(" : ");
    if let Some(ty) = m.attr(op, "type") {
        printer.attr(ty);
    }
    match m.attr(op, "initial_value") {
        Some(Attr::Unit) => printer.text(" = uninitialized"),
        Some(value) => {
            printer.text(" = ");
            print_elements(printer, value);
        }
        None => {}
    }
    printer.dict(
        op,
        &[
            "sym_visibility",
            "constant",
            "sym_name",
            "type",
            "initial_value",
        ],
    );
}

// ---- views ----

/// `: T to U`: the type of the first operand and of the result.
fn types_from_to(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    let from = p.next_type()?;
    let to = p.next_type()?;
    if let Some(slot) = p.build.operands.first_mut() {
        slot.1 = from;
    }
    p.build.results.push(to);
    Ok(())
}

fn print_from_to(printer: &mut Printer<'_>, op: Op, word: &str) {
    printer.text(" : ");
    if let Some(source) = printer.m.operand(op, 0) {
        printer.types_of(&[source]);
    }
    printer.text(word);
    printer.result_type(op, 0);
}

pub(super) fn parse_reshape(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::None)?;
    let groups = p.next()?;
    let groups = p.parser.literals().attr(groups)?;
    p.build.attr("reassociation", groups);
    let shape = match p.fields.group(Rule::mixed_list) {
        Some(list) => Some(mixed(&mut p, list, &Type::Index)?),
        None => None,
    };
    p.dict()?;
    types_from_to(&mut p)?;
    if matches!(
        p.build.kind,
        OpKind::MemrefExpandShape | OpKind::TensorExpandShape
    ) {
        // Older texts leave the shape to the result type.
        let shape = shape.or_else(|| match p.build.results.first()? {
            Type::MemRef(m) => Some(Attr::i64_array(m.shape.iter().copied())),
            Type::Tensor(t) => Some(Attr::i64_array(t.shape.iter().copied())),
            _ => None,
        });
        if let Some(shape) = shape {
            p.build.attr("static_output_shape", shape);
        }
    }
    p.create()
}

pub(super) fn print_reshape(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(" ");
    if let Some(groups) = printer.m.attr(op, "reassociation") {
        printer.attr(groups);
    }
    if printer.m.attr(op, "static_output_shape").is_some() {
        printer.text(" output_shape ");
        print_mixed(printer, op, "static_output_shape", 1);
    }
    printer.dict(op, &["reassociation", "static_output_shape"]);
    print_from_to(printer, op, " into ");
}
