//! Object fifos split into pools, endpoints and routes.
//! Source of the forms: `mlir-aie: test/objectFifo-stateful-transform/` of main after 2026-08.

use super::part::{Part, Part::*, Syntax, T};
use super::words::{BUNDLE, FIFO_ROLE};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, RegionStyle, Stop, symbol_ref};
use crate::text::print::Printer;

/// An endpoint of a pool.
const POOL_END: &[Part] = &[
    Lit(" "),
    SymName,
    Lit("("),
    Val(T::Index),
    Lit(") "),
    Enum("role", &FIFO_ROLE),
    Lit(" "),
    Sym("pool"),
    Dict,
];

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::FifoPool, Rule::aie_objectfifo_pool, parse_pool, print_pool),
    Syntax::parts(OpKind::FifoSegment, Rule::aie_objectfifo_segment, &[Lit(" "), SymName, Dict]),
    Syntax::parts(OpKind::CoreEndpoint, Rule::aie_objectfifo_core_endpoint, POOL_END),
    Syntax::parts(OpKind::DmaEndpoint, Rule::aie_objectfifo_dma_endpoint, POOL_END),
    Syntax::parts(OpKind::RouteEndpoint, Rule::aie_route_endpoint, &[
        Lit(" "), SymName, Lit("("), Val(T::Index), Lit(") "), Enum("bundle", &BUNDLE), Dict,
    ]),
    Syntax::own(OpKind::Route, Rule::aie_route, parse_route, print_route),
];

fn parse_pool(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    p.operand(Type::Index)?;
    if let Some(dict) = p.fields.take(Rule::attr_dict) {
        p.parser.dict_into(&mut p.build, dict)?;
    }
    let ty = p.next_type()?;
    p.build.attr("elemType", Attr::Type(ty));
    let op = p.create()?;
    p.parser.region(op, &[], RegionStyle::default())?;
    Ok(op)
}

fn print_pool(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text("(");
    printer.operand(op, 0);
    printer.text(")");
    printer.dict(op, &["sym_name", "elemType"]);
    printer.text(" : ");
    if let Some(Attr::Type(ty)) = printer.m.attr(op, "elemType") {
        printer.ty(ty);
    }
    printer.text(" ");
    printer.region(op, 0);
}

fn parse_route(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
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
        p.parser.dict_into(&mut p.build, dict)?;
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
