//! The array: devices, tiles, switches, flows, cores, and what cores do to streams.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use super::part::{DefaultAttr, NameHint, Part::*, Syntax, T};
use super::region_style;
use super::words::{BUNDLE, CASCADE_SIDE, DEVICE, DIRECTION, TILE_TYPE};
use crate::ir::{Attr, InsertPoint, Module, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Parser, Stop, codes, symbol_name};
use crate::text::print::Printer;
use aiec_diag::Diag;

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::BuiltinModule, Rule::builtin_module, parse_module, print_module),
    Syntax::own(OpKind::UnrealizedCast, Rule::builtin_unrealized_conversion_cast, parse_cast, print_cast),
    Syntax::own(OpKind::Device, Rule::aie_device, parse_device, print_device)
        .defaults(&[("sym_name", DefaultAttr::Str("main"))]),
    Syntax::parts(OpKind::Tile, Rule::aie_tile, &[
        Lit("("), Int("col", T::I32), Lit(", "), Int("row", T::I32), Lit(")"), Dict, Gives(T::Index),
    ]).hint(NameHint::Of(tile_hint)),
    Syntax::own(OpKind::LogicalTile, Rule::aie_logical_tile, parse_logical_tile, print_logical_tile)
        .hint(NameHint::Of(logical_tile_hint)),
    Syntax::parts(OpKind::End, Rule::aie_end, &[Dict]),
    Syntax::parts(OpKind::Switchbox, Rule::aie_switchbox, ON_TILE).hint(NameHint::OnTile("switchbox")),
    Syntax::parts(OpKind::ShimMux, Rule::aie_shim_mux, ON_TILE).hint(NameHint::OnTile("shim_mux")),
    Syntax::parts(OpKind::ShimSwitchbox, Rule::aie_shim_switchbox, &[
        Lit("("), Int("col", T::I32), Lit(")"), Gives(T::Index), Region, Dict,
    ]),
    Syntax::parts(OpKind::Plio, Rule::aie_plio, &[
        Lit("("), Int("col", T::I32), Lit(")"), Dict, Gives(T::Index),
    ]),
    Syntax::parts(OpKind::Core, Rule::aie_core, ON_TILE).hint(NameHint::OnTile("core")),
    Syntax::parts(OpKind::Connect, Rule::aie_connect, &[
        Lit("<"), Enum("source_bundle", &BUNDLE), Lit(" : "), Int("source_channel", T::I32), Lit(", "),
        Enum("dest_bundle", &BUNDLE), Lit(" : "), Int("dest_channel", T::I32), Lit(">"), Dict,
    ]),
    Syntax::parts(OpKind::Flow, Rule::aie_flow, &[
        Lit("("), Val(T::Index), Lit(", "), Enum("source_bundle", &BUNDLE), Lit(" : "),
        Int("source_channel", T::I32), Lit(", "), Val(T::Index), Lit(", "),
        Enum("dest_bundle", &BUNDLE), Lit(" : "), Int("dest_channel", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::Amsel, Rule::aie_amsel, &[
        Lit("<"), Int("arbiterID", T::I8), Lit("> ("), Int("msel", T::I8), Lit(")"), Dict, Gives(T::Index),
    ]),
    Syntax::parts(OpKind::MasterSet, Rule::aie_masterset, &[
        Lit("("), Enum("dest_bundle", &BUNDLE), Lit(" : "), Int("dest_channel", T::I32),
        MoreVals(T::Index), Lit(")"), Dict, Gives(T::Index),
    ]),
    Syntax::parts(OpKind::PacketRules, Rule::aie_packet_rules, &[
        Lit("("), Enum("source_bundle", &BUNDLE), Lit(" : "), Int("source_channel", T::I32), Lit(")"),
        Region, Dict,
    ]),
    Syntax::parts(OpKind::Rule, Rule::aie_rule, &[
        Lit("("), Int("mask", T::I8), Lit(", "), Int("value", T::I8), Lit(", "), Val(T::Index), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::PacketFlow, Rule::aie_packet_flow, &[
        Lit("("), Int("ID", T::I8), Lit(")"), Region, Dict,
    ]),
    Syntax::parts(OpKind::PacketSource, Rule::aie_packet_source, PACKET_END),
    Syntax::parts(OpKind::PacketDest, Rule::aie_packet_dest, PACKET_END),
    Syntax::parts(OpKind::Wire, Rule::aie_wire, &[
        Lit("("), Val(T::Index), Lit(" : "), Enum("source_bundle", &BUNDLE), Lit(", "),
        Val(T::Index), Lit(" : "), Enum("dest_bundle", &BUNDLE), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CascadeFlow, Rule::aie_cascade_flow, &[
        Lit("("), Val(T::Index), Lit(", "), Val(T::Index), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::ConfigureCascade, Rule::aie_configure_cascade, &[
        Lit("("), Val(T::Index), Lit(", "), Enum("inputDir", &CASCADE_SIDE), Lit(", "),
        Enum("outputDir", &CASCADE_SIDE), Lit(")"), Dict,
    ]),
    Syntax::own(OpKind::ShimDmaAllocation, Rule::aie_shim_dma_allocation, parse_allocation, print_allocation)
        .defaults(&[("plio", DefaultAttr::Bool(false))]),
    Syntax::parts(OpKind::Event, Rule::aie_event, &[Lit("("), Int("val", T::I32), Lit(")"), Dict]),
    Syntax::parts(OpKind::Debug, Rule::aie_debug, &[Lit("("), Typed, Lit(" : "), Ty(0), Lit(")"), Dict]),
    Syntax::parts(OpKind::GetStream, Rule::aie_get_stream, &[
        Lit("("), Typed, Lit(" : "), Ty(0), Lit(")"), Dict, Lit(" : "), ResultTy,
    ]),
    Syntax::parts(OpKind::PutStream, Rule::aie_put_stream, &[
        Lit("("), Typed, Lit(" : "), Ty(0), Lit(", "), Typed, Lit(" : "), Ty(1), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::GetCascade, Rule::aie_get_cascade, &[Lit("()"), Dict, Lit(" : "), ResultTy]),
    Syntax::parts(OpKind::PutCascade, Rule::aie_put_cascade, &[
        Lit("("), Typed, Lit(" : "), Ty(0), Lit(")"), Dict,
    ]),
];

/// `(%tile) { … }`
pub(super) const ON_TILE: &[super::part::Part] = &[
    Lit("("),
    Val(T::Index),
    Lit(")"),
    Gives(T::Index),
    Region,
    Dict,
];

/// `<%tile, DMA : 0>`
pub(super) const PACKET_END: &[super::part::Part] = &[
    Lit("<"),
    Val(T::Index),
    Lit(", "),
    Enum("bundle", &BUNDLE),
    Lit(" : "),
    Int("channel", T::I32),
    Lit(">"),
    Dict,
];

// ---- builtin ----

fn parse_module(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(name) = p.fields.take(Rule::symbol) {
        p.build
            .attr("sym_name", Attr::str(symbol_name(name.as_str())));
    }
    p.dict()?;
    let op = p.create()?;
    p.parser
        .region(op, &[], region_style(OpKind::BuiltinModule))?;
    Ok(op)
}

fn print_module(printer: &mut Printer<'_>, op: Op) {
    if let Some(name) = printer.m.str_attr(op, "sym_name") {
        printer.text(" ");
        printer.symbol(name);
    }
    printer.dict_with(op, &["sym_name"], " attributes ");
    printer.text(" ");
    printer.region(op, 0);
}

fn parse_cast(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(values) = p.fields.group(Rule::values) {
        let types = match p.fields.group(Rule::types) {
            Some(types) => p.parser.types(types)?,
            None => Vec::new(),
        };
        p.build.operands_of(values, &types);
    }
    if let Some(types) = p.fields.group(Rule::types) {
        p.build.results = p.parser.types(types)?.into();
    }
    p.dict()?;
    p.create()
}

fn print_cast(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    if !values.is_empty() {
        printer.text(" ");
        printer.values(&values);
        printer.text(" : ");
        printer.types_of(&values);
    }
    printer.text(" to ");
    let results: Vec<_> = printer.m.results(op).collect();
    printer.types_of(&results);
    printer.dict(op, &[]);
}

// ---- device and tiles ----

fn parse_device(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.word("device", &DEVICE)?;
    if let Some(name) = p.fields.take(Rule::symbol) {
        p.build
            .attr("sym_name", Attr::str(symbol_name(name.as_str())));
    }
    let op = p.create()?;
    p.parser.region(op, &[], region_style(OpKind::Device))?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_device(printer: &mut Printer<'_>, op: Op) {
    let device = printer.m.int_attr(op, "device").unwrap_or(0);
    printer.text("(");
    printer.text(&DEVICE.print(device));
    printer.text(")");
    if let Some(name) = printer.m.str_attr(op, "sym_name").filter(|n| *n != "main") {
        printer.text(" ");
        printer.symbol(name);
    }
    printer.text(" ");
    printer.region(op, 0);
    printer.dict(op, &["device", "sym_name"]);
}

fn tile_hint(m: &Module, op: Op) -> Option<String> {
    use aiec_device::{TileKind, TileLoc};
    let (col, row) = (m.int_attr(op, "col")?, m.int_attr(op, "row")?);
    let model = match m.ancestor(op, OpKind::Device) {
        Some(device) => aiec_device::DeviceModel::by_value(m.int_attr(device, "device")?)?,
        None => aiec_device::DeviceModel::by_name(crate::ops::netlist::DEFAULT_DEVICE)?,
    };
    let loc = TileLoc::new(u8::try_from(col).ok()?, u8::try_from(row).ok()?);
    let prefix = match model.tile_kind(loc) {
        Some(TileKind::Mem) => "mem_tile",
        Some(TileKind::ShimNoc) => "shim_noc_tile",
        Some(TileKind::ShimPl) => "shim_pl_tile",
        _ => "tile",
    };
    Some(format!("{prefix}_{col}_{row}"))
}

fn logical_tile_hint(m: &Module, op: Op) -> Option<String> {
    let name = match m.int_attr(op, "tile_type")? {
        0 => "logical_core",
        1 => "logical_mem",
        2 => "logical_shim_noc",
        _ => "logical_shim_pl",
    };
    Some(name.to_string())
}

fn parse_logical_tile(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.word("tile_type", &TILE_TYPE)?;
    for key in ["col", "row"] {
        let coordinate = p.next()?;
        if coordinate.as_str() != "?" {
            let value = p.parser.int_attr(coordinate, T::I32)?;
            p.build.attr(key, value);
        }
    }
    p.dict()?;
    p.build.results.push(Type::Index);
    p.create()
}

fn print_logical_tile(printer: &mut Printer<'_>, op: Op) {
    let kind = printer.m.int_attr(op, "tile_type").unwrap_or(0);
    printer.text("<");
    printer.text(&TILE_TYPE.print(kind));
    printer.text(">(");
    for (n, key) in ["col", "row"].into_iter().enumerate() {
        if n > 0 {
            printer.text(", ");
        }
        if printer.m.attr(op, key).is_some() {
            printer.int(op, key);
        } else {
            printer.text("?");
        }
    }
    printer.text(")");
    printer.dict(op, &["tile_type", "col", "row"]);
}

// ---- shim allocations ----

fn parse_allocation(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    if let Some(on) = p.fields.group(Rule::allocation_on_tile) {
        p.within(on, |p| {
            p.operand(Type::Index)?;
            channel(p)?;
            if let Some(packet) = p.fields.group(Rule::inline_struct) {
                let packet = p.parser.packet(packet)?;
                p.build.attr("packet", packet);
            }
            Ok(())
        })?;
    } else if let Some(on) = p.fields.group(Rule::allocation_on_column) {
        p.within(on, |p| {
            channel(p)?;
            let column = p.next()?;
            let at = column.as_str();
            let column = p.parser.int(column)?;
            let tile = shim_tile(p.parser, column, at)?;
            p.build.values.push(tile);
            Ok(())
        })?;
    }
    p.dict()?;
    p.create()
}

fn channel(p: &mut OpParser<'_, '_>) -> Result<(), Stop> {
    p.word("channel_dir", &DIRECTION)?;
    p.int("channel_index", T::I64)?;
    Ok(())
}

/// The shim tile of a column in the device around: the one that is declared, or a new one.
fn shim_tile(parser: &mut Parser<'_>, column: i64, at: &str) -> Result<crate::ir::Value, Stop> {
    let Some(block) = parser.enclosing_entry(OpKind::Device) else {
        let span = parser.span(at);
        return Err(parser.report(
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
            return parser.m.result(op, 0).ok_or(Stop);
        }
    }
    let span = parser.span(at);
    let loc = parser.m.locs.span(span);
    let tile = parser
        .m
        .build(OpKind::Tile, loc)
        .attr("col", Attr::Int(column, Type::I32))
        .attr("row", Attr::i32(0))
        .result(Type::Index)
        .insert(InsertPoint::Start(block));
    parser.m.result(tile, 0).ok_or(Stop)
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
