//! Runtime sequences: transfers, register access, scratchpads.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEX/IR/AIEX.td`.

use super::array::print_packet;
use super::dma::{mixed, print_mixed};
use super::part::{DefaultAttr, Part, Part::*, Syntax, T};
use super::region_style;
use super::words::{DIRECTION, STATE_FUNCTION};
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, OpParser, Parser, Stop, codes, symbol_name};
use crate::text::print::Printer;
use aiec_diag::Diag;

/// Nothing but attributes.
pub(super) const ONLY_DICT: &[Part] = &[Dict];

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::RuntimeSequence, Rule::aie_runtime_sequence, parse_sequence, print_sequence)
        .defaults(&[("sym_name", DefaultAttr::Str("sequence"))]),
    Syntax::own(OpKind::NpuDmaMemcpyNd, Rule::aiex_npu_dma_memcpy_nd, parse_memcpy, print_memcpy).defaults(&[
        ("issue_token", DefaultAttr::Bool(false)),
        ("burst_length", DefaultAttr::Int(0)),
        ("d0_zero_before", DefaultAttr::Int(0)),
        ("d1_zero_before", DefaultAttr::Int(0)),
        ("d2_zero_before", DefaultAttr::Int(0)),
        ("d0_zero_after", DefaultAttr::Int(0)),
        ("d1_zero_after", DefaultAttr::Int(0)),
        ("d2_zero_after", DefaultAttr::Int(0)),
    ]),
    Syntax::parts(OpKind::NpuDmaWait, Rule::aiex_npu_dma_wait, ONLY_DICT),
    Syntax::own(OpKind::NpuRtpWrite, Rule::aiex_npu_rtp_write, parse_rtp, print_rtp),
    Syntax::own(OpKind::NpuPushQueue, Rule::aiex_npu_push_queue, parse_push, print_push),
    Syntax::own(OpKind::NpuWrite32, Rule::aiex_npu_write32, parse_write, print_values_and_types),
    Syntax::own(OpKind::NpuMaskWrite32, Rule::aiex_npu_maskwrite32, parse_mask_write, print_values_and_types),
    Syntax::own(OpKind::NpuSync, Rule::aiex_npu_sync, parse_sync, print_values_and_types),
    Syntax::parts(OpKind::NpuBlockWrite, Rule::aiex_npu_blockwrite, &[
        Lit("("), Typed, Lit(")"), Dict, Lit(" : "), Ty(0),
    ]),
    Syntax::own(OpKind::NpuAddressPatch, Rule::aiex_npu_address_patch, parse_patch, print_patch),
    Syntax::parts(OpKind::NpuPreempt, Rule::aiex_npu_preempt, ONLY_DICT),
    Syntax::parts(OpKind::NpuLoadPdi, Rule::aiex_npu_load_pdi, ONLY_DICT).defaults(&[
        ("id", DefaultAttr::Int(0)),
        ("size", DefaultAttr::Int(0)),
        ("address", DefaultAttr::Int(0)),
    ]),
    Syntax::parts(OpKind::NpuWriteBd, Rule::aiex_npu_writebd, ONLY_DICT)
        .defaults(&[("burst_length", DefaultAttr::Int(0))]),
    Syntax::parts(OpKind::NpuCreateScratchpad, Rule::aiex_npu_create_scratchpad, ONLY_DICT)
        .defaults(&[("usage_type", DefaultAttr::Int(0))]),
    Syntax::own(
        OpKind::NpuUpdateFromScratchpad,
        Rule::aiex_npu_update_from_scratchpad,
        parse_update,
        print_update,
    )
    .defaults(&[("func", DefaultAttr::Int(1)), ("func_arg", DefaultAttr::Int(0))]),
    Syntax::parts(OpKind::NpuAssertBdField, Rule::aiex_npu_assert_bd_field, &[
        Lit("("), Typed, Lit(")"), Dict, Lit(" : "), Ty(0),
    ]),
    Syntax::parts(OpKind::NpuAssertBdDivisible, Rule::aiex_npu_assert_bd_divisible, &[
        Lit("("), Typed, Lit(")"), Dict, Lit(" : "), Ty(0),
    ]),
    Syntax::parts(OpKind::ControlPacket, Rule::aiex_control_packet, ONLY_DICT),
    Syntax::own(
        OpKind::ScratchpadParameter,
        Rule::aiex_scratchpad_parameter,
        parse_parameter,
        print_parameter,
    ),
    Syntax::parts(OpKind::ReadScratchpadParameter, Rule::aiex_read_scratchpad_parameter, &[
        Lit(" "), Sym("parameter"), Lit(" : "), ResultTy, Dict,
    ]),
    Syntax::parts(
        OpKind::SyncScratchpadParametersFromHost,
        Rule::aiex_sync_scratchpad_parameters_from_host,
        ONLY_DICT,
    ),
];

// ---- the sequence ----

fn parse_sequence(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(name) = p.fields.take(Rule::symbol) {
        p.build
            .attr("sym_name", Attr::str(symbol_name(name.as_str())));
    }
    let args = match p.fields.group(Rule::block_args) {
        Some(args) => p.parser.block_args(args)?,
        None => Vec::new(),
    };
    p.dict()?;
    let op = p.create()?;
    p.parser
        .region(op, &args, region_style(OpKind::RuntimeSequence))?;
    Ok(op)
}

fn print_sequence(printer: &mut Printer<'_>, op: Op) {
    if let Some(name) = printer
        .m
        .str_attr(op, "sym_name")
        .filter(|n| *n != "sequence")
    {
        printer.text(" ");
        printer.symbol(name);
    }
    printer.text("(");
    printer.entry_arguments(op, 0);
    printer.text(")");
    printer.dict_with(op, &["sym_name"], " attributes ");
    printer.text(" ");
    printer.region_with(op, 0, false, false);
}

// ---- transfers ----

fn parse_memcpy(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    // Leading coordinates of the oldest form say nothing that the symbol doesn't.
    while p.fields.take(Rule::int).is_some() {}
    p.operand(Type::None)?;
    let mut groups = [1, 0, 0, 0];
    for (n, key) in ["static_offsets", "static_sizes", "static_strides"]
        .into_iter()
        .enumerate()
    {
        let list = p.next()?;
        let (count, list) = mixed(&mut p, Fields::of(list))?;
        groups[n + 1] = count;
        p.build.attr(key, list);
    }
    if let Some(packet) = p.fields.group(Rule::inline_struct) {
        let packet = p.parser.packet(packet)?;
        p.build.attr("packet", packet);
    }
    p.dict()?;
    let ty = p.next_type()?;
    if let Some(slot) = p.build.operands.first_mut() {
        slot.1 = ty;
    }
    p.build.segments(&groups);
    p.create()
}

fn print_memcpy(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.operand(op, 0);
    let mut operand = 1;
    for key in ["static_offsets", "static_sizes", "static_strides"] {
        operand = print_mixed(printer, op, key, operand);
    }
    print_packet(printer, op, ", packet = ");
    printer.text(")");
    printer.dict(
        op,
        &["static_offsets", "static_sizes", "static_strides", "packet"],
    );
    printer.text(" : ");
    if let Some(memref) = printer.m.operand(op, 0) {
        printer.types_of(&[memref]);
    }
}

// ---- register access: SSA operands today, attributes in early 2025 ----

/// Takes 32-bit operands: those in parentheses, or constants for the attributes of older form.
fn values_or_attributes(p: &mut OpParser<'_, '_>, keys: &[&str]) -> Result<(), Stop> {
    let values = p.fields.group(Rule::value_list);
    if let Some(dict) = p.fields.take(Rule::attr_dict) {
        p.parser.dict_into(&mut p.build, dict)?;
    }
    let Some(values) = values else {
        return constants_for(p.parser, &mut p.build, keys);
    };
    let at = p.build.text;
    let types = match p.fields.group(Rule::types) {
        Some(types) => p.parser.types(types)?,
        None => vec![Type::I32; keys.len()],
    };
    let count = p.build.operands_of(values, &types);
    p.parser.same_count(at, count, keys.len())
}

/// Turns attributes of older form into constants.
fn constants_for<'s>(
    parser: &mut Parser<'s>,
    build: &mut Build<'s>,
    keys: &[&str],
) -> Result<(), Stop> {
    for key in keys {
        let number = build.take(key).and_then(|a| a.as_int());
        let Some(number) = number else {
            let span = parser.span(build.text);
            return Err(parser.report(
                Diag::error(&codes::LEGACY_SYNTAX, format!("`{key}` is missing"))
                    .label(span, "")
                    .help(format!(
                        "give it as an operand, or as an attribute `{key} = … : ui32`"
                    )),
            ));
        };
        let constant = parser.i32_constant(i64::from(number as i32), build.text)?;
        build.values.push(constant);
    }
    Ok(())
}

fn parse_write(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    values_or_attributes(&mut p, &["address", "value"])?;
    p.create()
}

fn parse_mask_write(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    values_or_attributes(&mut p, &["address", "value", "mask"])?;
    p.create()
}

fn parse_sync(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let keys = [
        "column",
        "row",
        "direction",
        "channel",
        "column_num",
        "row_num",
    ];
    values_or_attributes(&mut p, &keys)?;
    p.create()
}

/// `(%a, %b) {…} : i32, i32`
fn print_values_and_types(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.text("(");
    printer.values(&values);
    printer.text(")");
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.types_of(&values);
}

fn parse_rtp(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let buffer = p.next()?.as_str();
    let name = symbol_name(buffer);
    p.build.attr("buffer", Attr::symbol(name));
    p.int("index", T::UI32)?;
    if let Some(value) = p.fields.take(Rule::value) {
        p.build.operand(&value, Type::I32);
    } else {
        let literal = p.next()?;
        let at = literal.as_str();
        let number = p.parser.int(literal)?;
        let constant = p.parser.i32_constant(i64::from(number as i32), at)?;
        p.build.values.push(constant);
    }
    p.dict()?;
    p.create()
}

fn print_rtp(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    if let Some(buffer) = printer.m.attr(op, "buffer") {
        printer.attr(buffer);
    }
    printer.text(", ");
    printer.int(op, "index");
    printer.text(", ");
    printer.operand(op, 0);
    printer.text(")");
    printer.dict(op, &["buffer", "index"]);
    printer.text(" : ");
    let values: Vec<_> = printer.m.operands(op).collect();
    printer.types_of(&values);
}

fn parse_push(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    for key in ["column", "row"] {
        p.int(key, T::I32)?;
    }
    p.word("direction", &DIRECTION)?;
    p.int("channel", T::I32)?;
    // Operands are (repeat_count, bd_id), the text has them the other way round.
    let bd_id = p.fields.take(Rule::value);
    let repeat = p.fields.take(Rule::value);
    p.dict()?;
    match (bd_id, repeat) {
        (Some(bd_id), Some(repeat)) => {
            p.build.operand(&repeat, Type::I32);
            p.build.operand(&bd_id, Type::I32);
        }
        _ => constants_for(p.parser, &mut p.build, &["repeat_count", "bd_id"])?,
    }
    p.create()
}

fn print_push(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.int(op, "column");
    printer.text(", ");
    printer.int(op, "row");
    printer.text(", ");
    let direction = printer.m.int_attr(op, "direction").unwrap_or(0);
    printer.text(&DIRECTION.print(direction));
    printer.text(" : ");
    printer.int(op, "channel");
    printer.text(") bd_id ");
    printer.operand(op, 1);
    printer.text(" repeat ");
    printer.operand(op, 0);
    printer.dict(op, &["column", "row", "direction", "channel"]);
    printer.text(" : i32, i32");
}

fn parse_patch(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(plus) = p.fields.take(Rule::value) {
        let ty = p.next_type()?;
        if let Some(mut address) = p.fields.group(Rule::patch_address) {
            let value = address.next(p.parser)?;
            let ty = address.next(p.parser)?;
            let ty = p.parser.ty(ty.as_str())?;
            p.build.operand(&value, ty);
        }
        p.build.operand(&plus, ty);
        p.dict()?;
    } else {
        p.dict()?;
        constants_for(p.parser, &mut p.build, &["arg_plus"])?;
    }
    p.create()
}

fn print_patch(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<Value> = printer.m.operands(op).collect();
    printer.text("(");
    if let Some(plus) = values.last() {
        printer.value(*plus);
        printer.text(" : ");
        printer.types_of(&[*plus]);
    }
    printer.text(")");
    if let [address, _] = values[..] {
        printer.text(" addr ");
        printer.value(address);
        printer.text(" : ");
        printer.types_of(&[address]);
    }
    printer.dict(op, &[]);
}

fn parse_update(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(function) = p.fields.take(Rule::word) {
        let function = p.parser.enum_attr(function, &STATE_FUNCTION)?;
        p.build.attr("func", function);
    }
    p.dict()?;
    p.create()
}

fn print_update(printer: &mut Printer<'_>, op: Op) {
    if let Some(function) = printer.m.int_attr(op, "func").filter(|f| *f != 1) {
        printer.text("<");
        printer.text(&STATE_FUNCTION.print(function));
        printer.text(">");
    }
    printer.dict(op, &["func"]);
}

// ---- scratchpad parameters ----

fn parse_parameter(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    let ty = p.next_type()?;
    p.build.attr("type", Attr::Type(ty));
    p.dict()?;
    p.create()
}

fn print_parameter(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text(" : ");
    if let Some(ty) = printer.m.attr(op, "type") {
        printer.attr(ty);
    }
    printer.dict(op, &["sym_name", "type"]);
}
