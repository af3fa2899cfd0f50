//! Memory of core bodies and sequences.

use super::dma::{mixed_of, print_elements, print_mixed};
use super::part::{NameHint, Part::*, Syntax};
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, OpParser, Stop, unescape};
use crate::text::print::{Printer, escape};

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::MemrefAlloc, Rule::memref_alloc, parse_alloc, print_alloc)
        .hint(NameHint::Fixed("alloc")),
    Syntax::own(OpKind::MemrefAlloca, Rule::memref_alloc, parse_alloc, print_alloc)
        .hint(NameHint::Fixed("alloca")),
    Syntax::parts(OpKind::MemrefDealloc, Rule::memref_dealloc, &[Lit(" "), Typed, Dict, Lit(" : "), Ty(0)]),
    Syntax::own(OpKind::MemrefLoad, Rule::memref_load, parse_access, print_load),
    Syntax::own(OpKind::MemrefStore, Rule::memref_store, parse_access, print_store),
    Syntax::parts(OpKind::MemrefCopy, Rule::memref_copy, &[
        Lit(" "), Typed, Lit(", "), Typed, Dict, Lit(" : "), Ty(0), Lit(" to "), Ty(1),
    ]),
    Syntax::own(OpKind::MemrefGlobal, Rule::memref_global, parse_global, print_global),
    Syntax::parts(OpKind::MemrefGetGlobal, Rule::memref_get_global, &[
        Lit(" "), Sym("name"), Dict, Lit(" : "), ResultTy,
    ]),
    Syntax::own(OpKind::MemrefSubview, Rule::memref_subview, parse_view, print_subview)
        .hint(NameHint::Fixed("subview")),
    Syntax::own(OpKind::MemrefReinterpretCast, Rule::memref_reinterpret_cast, parse_view, print_reinterpret)
        .hint(NameHint::Fixed("reinterpret_cast")),
    Syntax::own(OpKind::MemrefCast, Rule::cast_op, super::scalar::parse_cast, super::scalar::print_cast)
        .hint(NameHint::Fixed("cast")),
    Syntax::own(OpKind::MemrefCollapseShape, Rule::memref_collapse_shape, parse_reshape, print_reshape)
        .hint(NameHint::Fixed("collapse_shape")),
    Syntax::own(OpKind::MemrefExpandShape, Rule::memref_expand_shape, parse_reshape, print_reshape)
        .hint(NameHint::Fixed("expand_shape")),
    Syntax::own(OpKind::MemrefView, Rule::memref_view, parse_byte_view, print_byte_view)
        .hint(NameHint::Fixed("view")),
    Syntax::own(OpKind::MemrefDim, Rule::memref_dim, parse_dim, print_dim).hint(NameHint::Fixed("dim")),
    Syntax::own(
        OpKind::MemrefAssumeAlignment,
        Rule::memref_assume_alignment,
        parse_alignment,
        print_alignment,
    )
    .hint(NameHint::Fixed("assume_align")),
];

/// What one element of a memref or tensor is.
fn element(ty: &Type) -> Type {
    match ty {
        Type::MemRef(m) => m.elem.clone(),
        Type::Tensor(t) => t.elem.clone(),
        Type::UnrankedMemRef(elem) => (**elem).clone(),
        _ => Type::None,
    }
}

/// The values of `[%i, %j]`, all indices; answers how many.
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

// ---- load, store ----

fn parse_access(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let store = p.build.kind == OpKind::MemrefStore;
    let stored = if store { Some(p.next()?) } else { None };
    let memref = p.next()?;
    let list = p.fields.group(Rule::indices);
    p.dict()?;
    let ty = p.next_type()?;
    if let Some(stored) = stored {
        p.build.operand(&stored, element(&ty));
    } else {
        p.build.results.push(element(&ty));
    }
    p.build.operand(&memref, ty);
    if let Some(list) = list {
        indices(list, &mut p.build);
    }
    p.create()
}

fn print_load(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    print_element(printer, op, 0);
}

fn print_store(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    print_element(printer, op, 1);
}

/// `%m[%i, %j] {…} : T`, the memref being the n-th operand.
pub(super) fn print_element(printer: &mut Printer<'_>, op: Op, n: usize) {
    let values: Vec<_> = printer.m.operands(op).skip(n).collect();
    let Some((memref, list)) = values.split_first() else {
        return;
    };
    printer.value(*memref);
    printer.text("[");
    printer.values(list);
    printer.text("]");
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.types_of(&[*memref]);
}

// ---- alloc ----

fn parse_alloc(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let mut counts = [0, 0];
    if let Some(sizes) = p.fields.group(Rule::value_list) {
        counts[0] = indices(sizes, &mut p.build);
    }
    if let Some(symbols) = p.fields.group(Rule::indices) {
        counts[1] = indices(symbols, &mut p.build);
    }
    p.dict()?;
    let ty = p.next_type()?;
    p.build.results.push(ty);
    p.build.segments(&counts);
    p.create()
}

fn print_alloc(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    let group = |n: usize| {
        let range = groups.get(n).cloned().unwrap_or(0..0);
        values.get(range).unwrap_or(&[])
    };
    printer.text("(");
    printer.values(group(0));
    printer.text(")");
    if !group(1).is_empty() {
        printer.text("[");
        printer.values(group(1));
        printer.text("]");
    }
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

// ---- globals ----

fn parse_global(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
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
        let value = p.parser.elements(value, &ty)?;
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

fn parse_view(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::None)?;
    let mut counts = [1, 0, 0, 0];
    for (n, key) in ["static_offsets", "static_sizes", "static_strides"]
        .into_iter()
        .enumerate()
    {
        let list = p.next()?;
        let (count, list) = mixed_of(&mut p, Fields::of(list), &Type::Index)?;
        counts[n + 1] = count;
        p.build.attr(key, list);
    }
    p.dict()?;
    types_from_to(&mut p)?;
    p.build.segments(&counts);
    p.create()
}

/// `: T to U`: the type of the first operand and of the result.
fn types_from_to(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
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

const VIEW_KEYS: [&str; 3] = ["static_offsets", "static_sizes", "static_strides"];

fn print_subview(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    let mut operand = 1;
    for (n, key) in VIEW_KEYS.into_iter().enumerate() {
        if n > 0 {
            printer.text(" ");
        }
        operand = print_mixed(printer, op, key, operand);
    }
    printer.dict(op, &VIEW_KEYS);
    print_from_to(printer, op, " to ");
}

fn print_reinterpret(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    let mut operand = 1;
    for (text, key) in [" to offset: ", ", sizes: ", ", strides: "]
        .into_iter()
        .zip(VIEW_KEYS)
    {
        printer.text(text);
        operand = print_mixed(printer, op, key, operand);
    }
    printer.dict(op, &VIEW_KEYS);
    print_from_to(printer, op, " to ");
}

pub(super) fn parse_reshape(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::None)?;
    let groups = p.next()?;
    let groups = p.parser.attr(groups)?;
    p.build.attr("reassociation", groups);
    let shape = match p.fields.group(Rule::mixed_list) {
        Some(list) => Some(mixed_of(&mut p, list, &Type::Index)?.1),
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

fn parse_byte_view(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::None)?;
    p.operand(Type::Index)?;
    if let Some(sizes) = p.fields.group(Rule::indices) {
        indices(sizes, &mut p.build);
    }
    p.dict()?;
    types_from_to(&mut p)?;
    p.create()
}

fn print_byte_view(printer: &mut Printer<'_>, op: Op) {
    let sizes: Vec<Value> = printer.m.operands(op).skip(2).collect();
    printer.text(" ");
    printer.operand(op, 0);
    printer.text("[");
    printer.operand(op, 1);
    printer.text("][");
    printer.values(&sizes);
    printer.text("]");
    printer.dict(op, &[]);
    print_from_to(printer, op, " to ");
}

pub(super) fn parse_dim(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.next()?;
    let source = p.next()?;
    let index = p.next()?;
    p.dict()?;
    let ty = p.next_type()?;
    p.build.operand(&source, ty);
    p.build.operand(&index, Type::Index);
    p.build.results.push(Type::Index);
    p.create()
}

pub(super) fn print_dim(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    printer.operand(op, 1);
    printer.dict(op, &[]);
    printer.text(" : ");
    if let Some(source) = printer.m.operand(op, 0) {
        printer.types_of(&[source]);
    }
}

/// Today it answers the aligned memref; before 2025-06 it had no result.
fn parse_alignment(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let memref = p.next()?;
    let alignment = p.next()?;
    let alignment = p.parser.int_attr(alignment, super::part::T::I32)?;
    p.build.attr("alignment", alignment);
    p.dict()?;
    let ty = p.next_type()?;
    p.build.operand(&memref, ty.clone());
    p.build.results.push(ty);
    p.create()
}

fn print_alignment(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.operand(op, 0);
    printer.text(", ");
    printer.int(op, "alignment");
    printer.dict(op, &["alignment"]);
    printer.text(" : ");
    if let Some(memref) = printer.m.operand(op, 0) {
        printer.types_of(&[memref]);
    }
}
