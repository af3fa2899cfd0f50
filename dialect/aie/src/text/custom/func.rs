//! Functions and calls.

use super::fragments::result_types;
use super::region_style;
use super::syntax::OwnSyntax;
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, ParseFailed, Parser, symbol_ref};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::FuncFunc, Rule::func_func, parse_func, print_func),
    (OpKind::FuncCall, Rule::func_call, parse_call, print_call),
    (OpKind::FuncCallIndirect, Rule::func_call_indirect, parse_call, print_call),
];

fn parse_func(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if let Some(visibility) = p.fields.take(Rule::visibility) {
        p.build
            .attr("sym_visibility", Attr::str(visibility.as_str()));
    }
    p.sym_name()?;
    let mut args = Vec::new();
    let mut inputs = Vec::new();
    let mut arg_attrs = Vec::new();
    let list = p.next()?;
    for arg in list.into_inner() {
        let mut parts = Fields::of(arg);
        let value = parts.take(Rule::value);
        let ty = parts.next(&mut p.parser.cursor)?;
        let ty = p.parser.literals().ty(ty.as_str())?;
        arg_attrs.push(optional_dict(p.parser, &mut parts)?);
        if let Some(value) = value {
            args.push((value.as_str(), ty.clone()));
        }
        inputs.push(ty);
    }
    let mut results = Vec::new();
    let mut res_attrs = Vec::new();
    if let Some(list) = p.fields.group(Rule::func_results) {
        for result in list.rest() {
            let mut parts = Fields::of(result.clone());
            let ty = if result.as_rule() == Rule::ty {
                result
            } else {
                parts.next(&mut p.parser.cursor)?
            };
            results.push(p.parser.literals().ty(ty.as_str())?);
            res_attrs.push(optional_dict(p.parser, &mut parts)?);
        }
    }
    p.build.attr(
        "function_type",
        Attr::Type(Type::function(inputs.clone(), results)),
    );
    for (key, attrs) in [("arg_attrs", arg_attrs), ("res_attrs", res_attrs)] {
        if attrs
            .iter()
            .any(|a| !matches!(a, Attr::Dict(d) if d.is_empty()))
        {
            p.build.attr(key, Attr::Array(attrs.into()));
        }
    }
    p.dict()?;
    let op = p.create()?;
    if p.parser.cursor.at_brace() {
        p.parser.region(op, &args, region_style(OpKind::FuncFunc))?;
    } else {
        p.parser.m.add_region(op);
    }
    Ok(op)
}

fn optional_dict<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
) -> Result<Attr, ParseFailed> {
    match fields.take(Rule::attr_dict) {
        Some(dict) => parser.literals().attr(dict),
        None => Ok(Attr::Dict([].into())),
    }
}

fn print_func(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    if let Some(visibility) = m.str_attr(op, "sym_visibility") {
        printer.text(" ");
        printer.text(visibility);
    }
    printer.text(" ");
    printer.symbol(m.str_attr(op, "sym_name").unwrap_or(""));
    let Some(Attr::Type(Type::Function(function))) = m.attr(op, "function_type") else {
        return;
    };
    let dict_of = |key: &str, n: usize| match m.attr(op, key) {
        Some(Attr::Array(list)) => list
            .get(n)
            .filter(|a| !matches!(a, Attr::Dict(d) if d.is_empty())),
        _ => None,
    };
    let args = m.entry(op, 0).map(|b| m.block_args(b)).unwrap_or(&[]);
    printer.text("(");
    for (n, ty) in function.inputs.iter().enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        if let Some(arg) = args.get(n) {
            printer.value(*arg);
            printer.text(": ");
        }
        printer.ty(ty);
        if let Some(dict) = dict_of("arg_attrs", n) {
            printer.text(" ");
            printer.attr(dict);
        }
    }
    printer.text(")");
    if !function.results.is_empty() {
        printer.text(" -> ");
        let with_attrs = m.attr(op, "res_attrs").is_some();
        if with_attrs {
            printer.text("(");
            for (n, ty) in function.results.iter().enumerate() {
                if n > 0 {
                    printer.text(", ");
                }
                printer.ty(ty);
                if let Some(dict) = dict_of("res_attrs", n) {
                    printer.text(" ");
                    printer.attr(dict);
                }
            }
            printer.text(")");
        } else {
            printer.arrow_types(&function.results);
        }
    }
    let hidden = [
        "sym_name",
        "sym_visibility",
        "function_type",
        "arg_attrs",
        "res_attrs",
    ];
    printer.dict_with(op, &hidden, " attributes ");
    if m.entry(op, 0).is_some() {
        printer.text(" ");
        printer.region_with(op, 0, false, false);
    }
}

fn parse_call(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let callee = p.next()?;
    let values = p.next()?;
    p.dict()?;
    let ty = p.next()?;
    let (inputs, results) = p.parser.literals().fn_type(ty)?;
    if callee.as_rule() == Rule::value {
        p.build
            .operand(&callee, Type::function(inputs.clone(), results.clone()));
    } else {
        p.build
            .attr("callee", Attr::Symbol(symbol_ref(callee.as_str())));
    }
    let at = values.as_str();
    let written = values
        .clone()
        .into_inner()
        .flat_map(|v| v.into_inner())
        .count();
    p.parser.literals().same_count(at, written, inputs.len())?;
    p.build.operands_of(Fields::of(values), &inputs);
    p.build.results = results.into();
    p.create()
}

fn print_call(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    let mut values: Vec<_> = printer.m.operands(op).collect();
    match printer.m.attr(op, "callee") {
        Some(callee) => printer.attr(callee),
        None if !values.is_empty() => {
            let function = values.remove(0);
            printer.value(function);
        }
        None => {}
    }
    printer.text("(");
    printer.values(&values);
    printer.text(")");
    printer.dict(op, &["callee"]);
    printer.text(" : (");
    printer.types_of(&values);
    printer.text(") -> ");
    let types = result_types(printer, op);
    printer.arrow_types(&types);
}
