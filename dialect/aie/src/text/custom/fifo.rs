//! Object fifos.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use std::sync::Arc;

use super::dict;
use super::part::{DefaultAttr, Part::*, Syntax, T};
use super::words::FIFO_PORT;
use crate::ir::{Attr, BdDim, Op, Type};
use crate::ops::OpKind;
use crate::ops::enums::FifoPort;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, Parser, Stop, symbol_name, symbol_ref};
use crate::text::print::{Printer, write_dims};

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::ObjectFifo, Rule::aie_objectfifo, parse_fifo, print_fifo).defaults(&[
        ("via_DMA", DefaultAttr::Bool(false)),
        ("plio", DefaultAttr::Bool(false)),
        ("disable_synchronization", DefaultAttr::Bool(false)),
        ("padValue", DefaultAttr::Int(0)),
    ]),
    Syntax::parts(OpKind::ObjectFifoAllocate, Rule::aie_objectfifo_allocate, &[
        Lit(" "), Sym("objFifo_name"), Lit("("), Val(T::Index), Lit(")"), Dict,
    ]),
    Syntax::own(OpKind::ObjectFifoLink, Rule::aie_objectfifo_link, parse_link, print_link),
    Syntax::own(
        OpKind::ObjectFifoRegisterExternalBuffers,
        Rule::aie_objectfifo_register_external_buffers,
        parse_register,
        print_register,
    ),
    Syntax::own(OpKind::ObjectFifoAcquire, Rule::aie_objectfifo_acquire, parse_access, print_acquire),
    Syntax::own(OpKind::ObjectFifoRelease, Rule::aie_objectfifo_release, parse_access, print_release),
    Syntax::parts(OpKind::ObjectFifoSubviewAccess, Rule::aie_objectfifo_subview_access, &[
        Lit(" "), Typed, Lit("["), Int("index", T::I32), Lit("]"), Dict, Lit(" : "), Ty(0), Lit(" -> "),
        ResultTy,
    ]),
    Syntax::own(
        OpKind::ObjectFifoRegisterProcess,
        Rule::aie_objectfifo_register_process,
        parse_process,
        print_process,
    ),
];

// ---- the fifo ----

fn parse_fifo<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    let name = fields.next(parser)?;
    build.attr("sym_name", Attr::str(symbol_name(name.as_str())));
    let mut ends = Vec::new();
    while let Some(mut end) = fields.group(Rule::fifo_end) {
        let tile = end.next(parser)?;
        build.operand(&tile, Type::Index);
        ends.push(match end.take(Rule::inline_list) {
            Some(list) => match parser.dims(list)? {
                Attr::BdDims(dims) => dims,
                _ => [].into(),
            },
            None => Arc::new([]) as Arc<[BdDim]>,
        });
    }
    let consumers: Vec<_> = ends.split_off(1.min(ends.len()));
    if let Some(producer) = ends.pop()
        && !producer.is_empty()
    {
        build.attr("dimensionsToStream", Attr::BdDims(producer));
    }
    if consumers.iter().any(|dims| !dims.is_empty()) {
        build.attr(
            "dimensionsFromStreamPerConsumer",
            Attr::BdDimsArray(consumers.into()),
        );
    }
    let depth = fields.next(parser)?;
    let depth = parser.attr(depth)?;
    build.attr("elemNumber", as_i32(depth));
    dict(parser, fields, &mut build)?;
    let ty = fields.next(parser)?;
    let ty = parser.ty(ty.as_str())?;
    build.attr("elemType", Attr::Type(ty.clone()));
    if let Some(mut consumer) = fields.group(Rule::consumer_type) {
        let ty = consumer.next(parser)?;
        let ty = parser.ty(ty.as_str())?;
        build.attr("consumerElemType", Attr::Type(ty));
    }
    if let Some(mut init) = fields.group(Rule::init_values) {
        let list = init.next(parser)?;
        let elem = match &ty {
            Type::ObjectFifo(elem) => (**elem).clone(),
            other => other.clone(),
        };
        parser.implied_type = Some(elem);
        let list = parser.attr(list);
        parser.implied_type = None;
        build.attr("initValues", list?);
    }
    build.create(parser)
}

/// A depth for all ends is 32-bit, also when written without a type; those of lists stay as they
/// are.
fn as_i32(depth: Attr) -> Attr {
    match depth {
        Attr::Int(n, _) => Attr::Int(n, Type::I32),
        other => other,
    }
}

fn print_fifo(printer: &mut Printer<'_>, op: Op) {
    let m = printer.m;
    printer.text(" ");
    printer.symbol(m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text("(");
    printer.operand(op, 0);
    if let Some(Attr::BdDims(dims)) = m.attr(op, "dimensionsToStream")
        && !dims.is_empty()
    {
        printer.text(" dimensionsToStream ");
        let _ = write_dims(&mut printer.out, dims);
    }
    printer.text(", {");
    for n in 1..m.num_operands(op) {
        if n > 1 {
            printer.text(", ");
        }
        printer.operand(op, n);
        if let Some(Attr::BdDimsArray(lists)) = m.attr(op, "dimensionsFromStreamPerConsumer")
            && let Some(dims) = lists.get(n - 1).filter(|d| !d.is_empty())
        {
            printer.text(" dimensionsFromStream ");
            let _ = write_dims(&mut printer.out, dims);
        }
    }
    printer.text("}, ");
    match m.attr(op, "elemNumber") {
        Some(Attr::Array(list)) => {
            let list: Vec<_> = list
                .iter()
                .map(|depth| match depth {
                    Attr::Int(n, ty) if *ty != Type::I64 => format!("{n} : {ty}"),
                    depth => depth.as_int().unwrap_or(0).to_string(),
                })
                .collect();
            printer.text(&format!("[{}]", list.join(", ")));
        }
        Some(depth) => printer.attr(depth),
        None => {}
    }
    printer.text(")");
    printer.dict(
        op,
        &[
            "sym_name",
            "dimensionsToStream",
            "dimensionsFromStreamPerConsumer",
            "elemNumber",
            "elemType",
            "consumerElemType",
            "initValues",
        ],
    );
    printer.text(" : ");
    print_type(printer, op, "elemType");
    printer.text(" ");
    if m.attr(op, "consumerElemType").is_some() {
        printer.text(" -> ");
        print_type(printer, op, "consumerElemType");
    }
    printer.text(" ");
    if let Some(Attr::Array(values)) = m.attr(op, "initValues") {
        printer.text("= [");
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                printer.text(", ");
            }
            printer.attr(value);
        }
        printer.text("]");
    }
}

fn print_type(printer: &mut Printer<'_>, op: Op, key: &str) {
    if let Some(Attr::Type(ty)) = printer.m.attr(op, key) {
        printer.ty(ty);
    }
}

// ---- links ----

fn parse_link<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    for key in ["fifoIns", "fifoOuts"] {
        let list = fields.next(parser)?;
        let list: Arc<[Attr]> = list
            .into_inner()
            .map(|p| Attr::Symbol(symbol_ref(p.as_str())))
            .collect();
        build.attr(key, Attr::Array(list));
    }
    for key in ["src_offsets", "dst_offsets"] {
        let list = match fields.take(Rule::array_attr) {
            Some(list) => parser.attr(list)?,
            None => Attr::Array([].into()),
        };
        build.attr(key, list);
    }
    dict(parser, fields, &mut build)?;
    build.create(parser)
}

fn print_link(printer: &mut Printer<'_>, op: Op) {
    let keys = ["fifoIns", "fifoOuts", "src_offsets", "dst_offsets"];
    let texts = [" ", " -> ", "(", " "];
    for (key, text) in keys.into_iter().zip(texts) {
        printer.text(text);
        if let Some(list) = printer.m.attr(op, key) {
            printer.attr(list);
        }
    }
    printer.text(")");
    printer.dict(op, &keys);
}

// ---- external buffers ----

fn parse_register<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    dict(parser, fields, &mut build)?;
    let name = fields.next(parser)?;
    build.attr("objFifo_name", Attr::Symbol(symbol_ref(name.as_str())));
    let tile = fields.next(parser)?;
    build.operand(&tile, Type::Index);
    let values = fields.next(parser)?;
    let types = fields.next(parser)?;
    let types = parser.types(Fields::of(types))?;
    let values = Fields::of(values);
    let at = values.text();
    let count = values.clone().rest().count();
    parser.same_count(at, count, types.len())?;
    build.operands_of(values, &types);
    build.create(parser)
}

fn print_register(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &["objFifo_name"]);
    printer.text(" ");
    if let Some(name) = printer.m.attr(op, "objFifo_name") {
        printer.attr(name);
    }
    printer.text("(");
    printer.operand(op, 0);
    printer.text(", {");
    let buffers: Vec<_> = printer.m.operands(op).skip(1).collect();
    printer.values(&buffers);
    printer.text("}) : (");
    printer.types_of(&buffers);
    printer.text(")");
}

// ---- acquire, release ----

/// Attributes, the fifo's name, and which end of it.
fn end_of_fifo<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(), Stop> {
    dict(parser, fields, build)?;
    let name = fields.next(parser)?;
    build.attr("objFifo_name", Attr::Symbol(symbol_ref(name.as_str())));
    let port = match fields.take(Rule::word) {
        Some(port) => parser.enum_attr(port, &FIFO_PORT)?,
        None => Attr::i32(FifoPort::Endpoint as i32),
    };
    build.attr("port", port);
    Ok(())
}

fn parse_access<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    end_of_fifo(parser, fields, &mut build)?;
    let size = fields.next(parser)?;
    let size = parser.int_attr(size, T::I32)?;
    build.attr("size", size);
    if let Some(types) = fields.group(Rule::types) {
        build.results = parser.types(types)?.into();
    }
    build.create(parser)
}

fn print_acquire(printer: &mut Printer<'_>, op: Op) {
    print_release(printer, op);
    printer.text(" : ");
    let results: Vec<_> = printer.m.results(op).collect();
    printer.types_of(&results);
}

fn print_release(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &["objFifo_name", "port", "size"]);
    printer.text(" ");
    if let Some(name) = printer.m.attr(op, "objFifo_name") {
        printer.attr(name);
    }
    printer.text("(");
    let port = printer.m.int_attr(op, "port").unwrap_or(0);
    if port != FifoPort::Endpoint as i64 {
        printer.text(&FIFO_PORT.print(port));
        printer.text(", ");
    }
    printer.int(op, "size");
    printer.text(")");
}

// ---- processes (early 2025) ----

fn parse_process<'s>(
    parser: &mut Parser<'s>,
    fields: &mut Fields<'s>,
    mut build: Build<'s>,
) -> Result<Op, Stop> {
    end_of_fifo(parser, fields, &mut build)?;
    for _ in 0..2 {
        let pattern = fields.next(parser)?;
        let ty = fields.next(parser)?;
        let ty = parser.ty(ty.as_str())?;
        build.operand(&pattern, ty);
    }
    let callee = fields.next(parser)?;
    build.attr("callee", Attr::Symbol(symbol_ref(callee.as_str())));
    let length = fields.next(parser)?;
    build.operand(&length, Type::Index);
    build.create(parser)
}

fn print_process(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &["objFifo_name", "port", "callee"]);
    printer.text(" ");
    if let Some(name) = printer.m.attr(op, "objFifo_name") {
        printer.attr(name);
    }
    printer.text("(");
    let port = printer.m.int_attr(op, "port").unwrap_or(0);
    printer.text(&FIFO_PORT.print(port));
    for n in 0..2 {
        printer.text(", ");
        printer.operand(op, n);
        printer.text(" : ");
        if let Some(value) = printer.m.operand(op, n) {
            printer.types_of(&[value]);
        }
    }
    printer.text(", ");
    if let Some(callee) = printer.m.attr(op, "callee") {
        printer.attr(callee);
    }
    printer.text(", ");
    printer.operand(op, 2);
    printer.text(")");
}
