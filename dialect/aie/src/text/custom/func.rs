//! Functions and calls.

use super::dict;
use super::part::{NameHint, Syntax};
use super::region_style;
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, Stop, symbol_name, symbol_ref};
use crate::text::print::Printer;

pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::FuncFunc, Rule::func_func, parse_func, print_func),
    Syntax::own(OpKind::FuncCall, Rule::func_call, parse_call, print_call),
    Syntax::own(
        OpKind::FuncCallIndirect,
        Rule::func_call_indirect,
        parse_call,
        print_call,
    ),
    Syntax::own(
        OpKind::FuncConstant,
        Rule::func_constant,
        parse_constant,
        print_constant,
    )
    .hint(NameHint::Fixed("f")),
    Syntax::own(
        OpKind::FuncReturn,
        Rule::values_and_types,
        parse_values,
        print_values,
    ),
];

fn parse_func<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    if let Some(visibility) = fields.take(Rule::visibility) {
        build.attr("sym_visibility", Attr::str(visibility.as_str()));
    }
    let name = fields.next(parser)?;
    build.attr("sym_name", Attr::str(symbol_name(name.as_str())));
    let mut args = Vec::new();
    let mut inputs = Vec::new();
    let mut arg_attrs = Vec::new();
    let list = fields.next(parser)?;
    for arg in list.into_inner() {
        let mut parts = Fields::of(arg);
        let value = parts.take(Rule::value);
        let ty = parts.next(parser)?;
        let ty = parser.ty(ty.as_str())?;
        arg_attrs.push(optional_dict(parser, &mut parts)?);
        if let Some(value) = value {
            args.push((value.as_str(), ty.clone()));
        }
        inputs.push(ty);
    }
    let mut results = Vec::new();
    let mut res_attrs = Vec::new();
    if let Some(list) = fields.group(Rule::func_results) {
        for result in list.rest() {
            let mut parts = Fields::of(result.clone());
            let ty = if result.as_rule() == Rule::ty {
                result
            } else {
                parts.next(parser)?
            };
            results.push(parser.ty(ty.as_str())?);
            res_attrs.push(optional_dict(parser, &mut parts)?);
        }
    }
    build.attr(
        "function_type",
        Attr::Type(Type::function(inputs.clone(), results)),
    );
    for (key, attrs) in [("arg_attrs", arg_attrs), ("res_attrs", res_attrs)] {
        if attrs
            .iter()
            .any(|a| !matches!(a, Attr::Dict(d) if d.is_empty()))
        {
            build.attr(key, Attr::Array(attrs.into()));
        }
    }
    dict(parser, fields, &mut build)?;
    let op = build.create(parser)?;
    if parser.at_brace() {
        parser.region(op, &args, region_style(OpKind::FuncFunc))?;
    } else {
        parser.m.add_region(op);
    }
    Ok(op)
}

fn optional_dict<'s>(parser: &mut Parser<'s>, fields: &mut Fields<'s>) -> Result<Attr, Stop> {
    match fields.take(Rule::attr_dict) {
        Some(dict) => parser.attr(dict),
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

fn parse_call<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let callee = fields.next(parser)?;
    let values = fields.next(parser)?;
    dict(parser, fields, &mut build)?;
    let ty = fields.next(parser)?;
    let (inputs, results) = parser.fn_type(ty)?;
    if callee.as_rule() == Rule::value {
        build.operand(&callee, Type::function(inputs.clone(), results.clone()));
    } else {
        build.attr("callee", Attr::Symbol(symbol_ref(callee.as_str())));
    }
    let at = values.as_str();
    let written = values
        .clone()
        .into_inner()
        .flat_map(|v| v.into_inner())
        .count();
    parser.same_count(at, written, inputs.len())?;
    build.operands_of(Fields::of(values), &inputs);
    build.results = results.into();
    build.create(parser)
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
    let types: Vec<Type> = printer
        .m
        .results(op)
        .map(|r| printer.m.ty(r).clone())
        .collect();
    printer.arrow_types(&types);
}

fn parse_constant<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let name = fields.next(parser)?;
    build.attr("value", Attr::Symbol(symbol_ref(name.as_str())));
    dict(parser, fields, &mut build)?;
    let ty = fields.next(parser)?;
    let ty = parser.ty(ty.as_str())?;
    build.results.push(ty);
    build.create(parser)
}

fn print_constant(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    if let Some(value) = printer.m.attr(op, "value") {
        printer.attr(value);
    }
    printer.dict(op, &["value"]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

/// `yield %a, %b : T, U` and the like.
pub(super) fn parse_values<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    // The name itself is the first part of the shared rule.
    fields.next(parser)?;
    dict(parser, fields, &mut build)?;
    typed_values(parser, fields, &mut build)?;
    build.create(parser)
}

/// `%a, %b : T, U`, or nothing.
pub(super) fn typed_values<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    build: &mut Build<'s>,
) -> Result<usize, Stop> {
    let Some(values) = fields.group(Rule::values) else {
        return Ok(0);
    };
    let types = match fields.group(Rule::types) {
        Some(types) => parser.types(types)?,
        None => Vec::new(),
    };
    let at = values.text();
    let written = values.clone().rest().count();
    parser.same_count(at, written, types.len())?;
    Ok(build.operands_of(values, &types))
}

pub(super) fn print_values(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &[]);
    let values: Vec<_> = printer.m.operands(op).collect();
    if !values.is_empty() {
        printer.text(" ");
        printer.values(&values);
        printer.text(" : ");
        printer.types_of(&values);
    }
}
