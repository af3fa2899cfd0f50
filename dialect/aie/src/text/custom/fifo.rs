//! Object fifos.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use std::sync::Arc;

use super::syntax::OwnSyntax;
use super::words::{FIFO_PORT, ScalarType};
use crate::ir::{Attr, BdDim, Op, Type};
use crate::ops::OpKind;
use crate::ops::enums::FifoPort;
use crate::text::grammar::Rule;
use crate::text::parse::old_forms::NO_OFFSETS;
use crate::text::parse::{OpParser, ParseFailed, symbol_ref};
use crate::text::print::{Printer, write_dims};

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::ObjectFifo, Rule::aie_objectfifo, parse_fifo, print_fifo),
    (OpKind::ObjectFifoLink, Rule::aie_objectfifo_link, parse_link, print_link),
    (OpKind::ObjectFifoAcquire, Rule::aie_objectfifo_acquire, parse_access, print_acquire),
    (OpKind::ObjectFifoRelease, Rule::aie_objectfifo_release, parse_access, print_release),
    (OpKind::Route, Rule::aie_route, parse_route, print_route),
];

// ---- the fifo ----

fn parse_fifo(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.sym_name()?;
    let mut ends = Vec::new();
    while let Some(mut end) = p.fields.group(Rule::fifo_end) {
        let tile = end.next(&mut p.parser.cursor)?;
        p.build.operand(&tile, Type::Index);
        ends.push(match end.take(Rule::inline_list) {
            Some(list) => match p.parser.literals().dims(list)? {
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
        p.build.attr("dimensionsToStream", Attr::BdDims(producer));
    }
    if consumers.iter().any(|dims| !dims.is_empty()) {
        p.build.attr(
            "dimensionsFromStreamPerConsumer",
            Attr::BdDimsArray(consumers.into()),
        );
    }
    let depth = p.next()?;
    let depth = p.parser.literals().attr(depth)?;
    p.build.attr("elemNumber", as_i32(depth));
    p.dict()?;
    let ty = p.next_type()?;
    p.build.attr("elemType", Attr::Type(ty.clone()));
    if let Some(mut consumer) = p.fields.group(Rule::consumer_type) {
        let ty = consumer.next(&mut p.parser.cursor)?;
        let ty = p.parser.literals().ty(ty.as_str())?;
        p.build.attr("consumerElemType", Attr::Type(ty));
    }
    if let Some(mut init) = p.fields.group(Rule::init_values) {
        let list = init.next(&mut p.parser.cursor)?;
        let elem = match &ty {
            Type::ObjectFifo(elem) => (**elem).clone(),
            other => other.clone(),
        };
        let list = p.parser.literals().of_type(list, elem)?;
        p.build.attr("initValues", list);
    }
    p.create()
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

fn parse_link(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    for key in ["fifoIns", "fifoOuts"] {
        let list = p.next()?;
        let list: Arc<[Attr]> = list
            .into_inner()
            .map(|p| Attr::Symbol(symbol_ref(p.as_str())))
            .collect();
        p.build.attr(key, Attr::Array(list));
    }
    let mut written = false;
    for key in ["src_offsets", "dst_offsets"] {
        let list = match p.fields.take(Rule::array_attr) {
            Some(list) => {
                written = true;
                p.parser.literals().attr(list)?
            }
            None => Attr::Array([].into()),
        };
        p.build.attr(key, list);
    }
    if !written {
        p.build.attr(NO_OFFSETS, Attr::Unit);
    }
    p.dict()?;
    p.create()
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

// ---- acquire, release ----

/// Attributes, the fifo's name, and which end of it.
fn end_of_fifo(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    p.dict()?;
    p.symbol("objFifo_name")?;
    let port = match p.fields.take(Rule::word) {
        Some(port) => p.parser.literals().enum_attr(port, &FIFO_PORT)?,
        None => Attr::i32(FifoPort::Endpoint as i32),
    };
    p.build.attr("port", port);
    Ok(())
}

fn parse_access(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    end_of_fifo(&mut p)?;
    p.int("size", ScalarType::I32)?;
    if let Some(types) = p.fields.group(Rule::types) {
        p.build.results = p.parser.literals().types(types)?.into();
    }
    p.create()
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

// ---- routes of split fifos ----

fn parse_route(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    for key in ["from", "to"] {
        let list = p.next()?;
        let symbols: Vec<Attr> = match list.as_rule() {
            Rule::symbols => list
                .into_inner()
                .map(|p| Attr::Symbol(symbol_ref(p.as_str())))
                .collect(),
            _ => vec![Attr::Symbol(symbol_ref(list.as_str()))],
        };
        p.build.attr(key, Attr::Array(symbols.into()));
    }
    if let Some(dict) = p.fields.take(Rule::attr_dict) {
        p.parser.literals().dict_into(&mut p.build, dict)?;
    }
    p.create()
}

fn print_route(printer: &mut Printer<'_>, op: Op) {
    printer.text(" from ");
    match printer.m.attr(op, "from") {
        Some(Attr::Array(list)) if list.len() == 1 => printer.attr(&list[0]),
        Some(list) => printer.attr(list),
        None => {}
    }
    printer.text(" to ");
    if let Some(list) = printer.m.attr(op, "to") {
        printer.attr(list);
    }
    printer.dict(op, &["from", "to"]);
}
