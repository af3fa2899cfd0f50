//! The array: devices, tiles, switches, flows, cores, and what cores do to streams.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use super::syntax::OwnSyntax;
use super::words::{DIRECTION, ScalarType};
use crate::ir::{Attr, InsertPoint, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed, Parser, codes};
use crate::text::print::Printer;
use aiec_diag::Diag;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::ShimDmaAllocation, Rule::aie_shim_dma_allocation, parse_allocation, print_allocation),
];

// ---- shim allocations ----

fn parse_allocation(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.sym_name()?;
    if let Some(on) = p.fields.group(Rule::allocation_on_tile) {
        p.within(on, |p| {
            p.operand(Type::Index)?;
            channel(p)?;
            if let Some(packet) = p.fields.group(Rule::inline_struct) {
                let packet = p.parser.literals().packet(packet)?;
                p.build.attr("packet", packet);
            }
            Ok(())
        })?;
    } else if let Some(on) = p.fields.group(Rule::allocation_on_column) {
        p.within(on, |p| {
            channel(p)?;
            let column = p.next()?;
            let at = column.as_str();
            let column = p.parser.literals().int(column)?;
            let tile = shim_tile(p.parser, column, at)?;
            p.build.values.push(tile);
            Ok(())
        })?;
    }
    p.dict()?;
    p.create()
}

fn channel(p: &mut OpParser<'_, '_>) -> Result<(), ParseFailed> {
    p.word("channel_dir", &DIRECTION)?;
    p.int("channel_index", ScalarType::I64)?;
    Ok(())
}

/// The shim tile of a column in the device around: the one that is declared, or a new one.
fn shim_tile(
    parser: &mut Parser<'_>,
    column: i64,
    at: &str,
) -> Result<crate::ir::Value, ParseFailed> {
    let Some(block) = parser.enclosing_entry(OpKind::Device) else {
        let span = parser.cursor.span(at);
        return Err(parser.cursor.report(
            Diag::error(
                &codes::LEGACY_SYNTAX,
                "a shim allocation by column must be inside a device",
            )
            .label(span, ""),
        ));
    };
    let mut next = parser.m.first_op(block);
    while let Some(op) = next {
        next = parser.m.next_op(op);
        if parser.m.kind(op) == OpKind::Tile
            && parser.m.int_attr(op, "col") == Some(column)
            && parser.m.int_attr(op, "row") == Some(0)
        {
            return parser.m.result(op, 0).ok_or(ParseFailed);
        }
    }
    let span = parser.cursor.span(at);
    let loc = parser.m.locs.span(span);
    let tile = parser
        .m
        .build(OpKind::Tile, loc)
        .attr("col", Attr::Int(column, Type::I32))
        .attr("row", Attr::i32(0))
        .result(Type::Index)
        .insert(InsertPoint::Start(block));
    parser.m.result(tile, 0).ok_or(ParseFailed)
}

fn print_allocation(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text("(");
    printer.operand(op, 0);
    printer.text(", ");
    let direction = printer.m.int_attr(op, "channel_dir").unwrap_or(0);
    printer.text(&DIRECTION.print(direction));
    printer.text(", ");
    printer.int(op, "channel_index");
    print_packet(printer, op, ", ");
    printer.text(")");
    printer.dict(op, &["sym_name", "channel_dir", "channel_index", "packet"]);
}

/// The `packet` attribute without its prefix, after some text; nothing if there is none.
pub(super) fn print_packet(printer: &mut Printer<'_>, op: Op, before: &str) {
    if let Some(Attr::Packet(p)) = printer.m.attr(op, "packet") {
        let text = format!("{before}<pkt_type = {}, pkt_id = {}>", p.pkt_type, p.pkt_id);
        printer.text(&text);
    }
}
