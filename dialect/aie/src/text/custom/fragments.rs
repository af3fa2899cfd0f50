//! Pieces of text that several operations share.

use crate::ir::{Attr, DYNAMIC, Op, Type, Value};
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, OpParser, Pair, ParseFailed, codes};
use crate::text::print::{Printer, write_dense};

// ---- types ----

/// The type of the elements of a shaped type.
pub(super) fn element(ty: &Type) -> Type {
    match ty {
        Type::MemRef(m) => m.elem.clone(),
        Type::Tensor(t) => t.elem.clone(),
        Type::Vector(v) => v.elem.clone(),
        Type::UnrankedMemRef(elem) => (**elem).clone(),
        _ => Type::None,
    }
}

/// ` -> T` or ` -> (T, U)`; nothing without results.
pub(super) fn print_arrow(printer: &mut Printer<'_>, op: Op) {
    let types = result_types(printer, op);
    if !types.is_empty() {
        printer.text(" -> ");
        printer.arrow_types(&types);
    }
}

/// The types of an operation's results.
pub(super) fn result_types(printer: &Printer<'_>, op: Op) -> Vec<Type> {
    let results = printer.m.results(op);
    results.map(|r| printer.m.ty(r).clone()).collect()
}

// ---- lists ----

/// The values of `[%i, %j]`, all indices; returns how many.
pub(super) fn indices<'s>(fields: Fields<'s>, build: &mut Build<'s>) -> usize {
    let mut count = 0;
    for list in fields.rest() {
        for value in list.into_inner() {
            build.operand(&value, Type::Index);
            count += 1;
        }
    }
    count
}

/// `%a, %b : T, U`, or nothing; returns how many.
pub(super) fn typed_values(p: &mut OpParser<'_, '_>) -> Result<usize, ParseFailed> {
    let Some(values) = p.fields.group(Rule::values) else {
        return Ok(0);
    };
    let types = match p.fields.group(Rule::types) {
        Some(types) => p.parser.literals().types(types)?,
        None => Vec::new(),
    };
    let at = values.text();
    let written = values.clone().rest().count();
    p.parser.literals().same_count(at, written, types.len())?;
    Ok(p.build.operands_of(values, &types))
}

/// A list of numbers and values: the numbers with [`DYNAMIC`] for the values, which become
/// operands of a type.
pub(super) fn mixed<'s>(
    p: &mut OpParser<'_, 's>,
    fields: Fields<'s>,
    ty: &Type,
) -> Result<Attr, ParseFailed> {
    let mut numbers = Vec::new();
    for part in fields.rest() {
        if part.as_rule() == Rule::value {
            p.build.operand(&part, ty.clone());
            numbers.push(DYNAMIC);
        } else {
            numbers.push(p.parser.literals().int(part)?);
        }
    }
    Ok(Attr::i64_array(numbers))
}

/// `[1, %a, 4]`: numbers of an attribute with values, from the n-th operand on, for the dynamic
/// ones. Returns the next operand's number.
pub(super) fn print_mixed(printer: &mut Printer<'_>, op: Op, key: &str, operand: usize) -> usize {
    print_mixed_in(printer, op, key, operand, ["[", "]"])
}

/// Same as [`print_mixed`], between other brackets.
pub(super) fn print_mixed_in(
    printer: &mut Printer<'_>,
    op: Op,
    key: &str,
    mut operand: usize,
    [opens, closes]: [&str; 2],
) -> usize {
    let numbers = static_numbers(printer, op, key);
    printer.text(opens);
    for (n, number) in numbers.iter().enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        if *number == DYNAMIC {
            printer.operand(op, operand);
            operand += 1;
        } else {
            printer.text(&number.to_string());
        }
    }
    printer.text(closes);
    operand
}

/// The numbers of an attribute, [`DYNAMIC`] where a value gives one.
pub(super) fn static_numbers(printer: &Printer<'_>, op: Op, key: &str) -> Vec<i64> {
    match printer.m.attr(op, key) {
        Some(Attr::DenseArray(array)) => array.values.clone(),
        _ => Vec::new(),
    }
}

/// The values of the n-th group of operands.
pub(super) fn group(printer: &Printer<'_>, op: Op, n: usize) -> Vec<Value> {
    let range = printer.m.operand_groups(op).get(n).cloned();
    let range = range.unwrap_or(0..0);
    let values = printer.m.operands(op).skip(range.start);
    values.take(range.len()).collect()
}

// ---- attributes ----

/// An attribute of a dialect that is kept as text.
pub(super) fn opaque(text: &str) -> Attr {
    Attr::Opaque(text.into())
}

/// A literal without its type.
pub(super) fn print_elements(printer: &mut Printer<'_>, value: &Attr) {
    match value {
        Attr::Dense(dense) => {
            let _ = write_dense(&mut printer.out, dense);
        }
        Attr::DenseResource(key, _) => {
            printer.text("dense_resource<");
            printer.text(key);
            printer.text(">");
        }
        other => printer.attr(other),
    }
}

/// `<add>` as an attribute.
pub(super) fn combining_kind<'s>(
    p: &mut OpParser<'_, 's>,
    kind: Pair<'s>,
) -> Result<Attr, ParseFailed> {
    let kind = Fields::of(kind).next(&mut p.parser.cursor)?;
    Ok(opaque(&format!("#vector.kind<{}>", kind.as_str())))
}

/// Keeps `fastmath<…>`, `overflow<…>` and `exact` as attributes.
pub(super) fn flags(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    while let Some(flag) = p.fields.take(Rule::op_flags) {
        let text = flag.as_str();
        let (key, value) = match text.split_once('<') {
            Some(("fastmath", v)) => ("fastmath", format!("#arith.fastmath<{v}")),
            Some(("overflow", v)) => ("overflowFlags", format!("#arith.overflow<{v}")),
            _ if text == "exact" => {
                p.build.attr("isExact", Attr::Unit);
                continue;
            }
            _ => {
                let message = "expected `<` and flags".to_string();
                return Err(p.parser.cursor.error(&codes::SYNTAX, text, message));
            }
        };
        p.build.attr(key, opaque(&value));
    }
    Ok(())
}

pub(super) const FLAG_KEYS: [&str; 3] = ["fastmath", "overflowFlags", "isExact"];

pub(super) fn print_flags(printer: &mut Printer<'_>, op: Op) {
    for (key, word, quiet) in [
        ("fastmath", " fastmath", "#arith.fastmath<none>"),
        ("overflowFlags", " overflow", "#arith.overflow<none>"),
    ] {
        if let Some(Attr::Opaque(text)) = printer.m.attr(op, key)
            && **text != *quiet
            && let Some((_, list)) = text.split_once('<')
        {
            printer.text(word);
            printer.text("<");
            printer.text(list);
        }
    }
    if printer.m.flag(op, "isExact") && printer.m.attr(op, "isExact").is_some() {
        printer.text(" exact");
    }
}
