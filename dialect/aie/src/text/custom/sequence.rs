//! Runtime sequences: transfers, register access, scratchpads.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEX/IR/AIEX.td`.

use super::syntax::OwnSyntax;
use super::words::{DIRECTION, ScalarType};
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, OpParser, ParseFailed, Parser, codes, symbol_name};
use crate::text::print::Printer;
use aiec_diag::Diag;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::NpuRtpWrite, Rule::aiex_npu_rtp_write, parse_rtp, print_rtp),
    (OpKind::NpuPushQueue, Rule::aiex_npu_push_queue, parse_push, print_push),
    (OpKind::NpuWrite32, Rule::aiex_npu_write32, parse_write, print_values_and_types),
    (OpKind::NpuMaskWrite32, Rule::aiex_npu_maskwrite32, parse_write, print_values_and_types),
    (OpKind::NpuSync, Rule::aiex_npu_sync, parse_write, print_values_and_types),
    (OpKind::NpuAddressPatch, Rule::aiex_npu_address_patch, parse_patch, print_patch),
];

// ---- register access: SSA operands today, attributes in early 2025 ----

/// Takes 32-bit operands: those in parentheses, or constants for the attributes of older form.
fn values_or_attributes(p: &mut OpParser<'_, '_>, keys: &[&str]) -> Result<(), ParseFailed> {
    let values = p.fields.group(Rule::value_list);
    if let Some(dict) = p.fields.take(Rule::attr_dict) {
        p.parser.literals().dict_into(&mut p.build, dict)?;
    }
    let Some(values) = values else {
        return constants_for(p.parser, &mut p.build, keys);
    };
    let at = p.build.text;
    let types = match p.fields.group(Rule::types) {
        Some(types) => p.parser.literals().types(types)?,
        None => vec![Type::I32; keys.len()],
    };
    let count = p.build.operands_of(values, &types);
    p.parser.literals().same_count(at, count, keys.len())
}

/// Turns attributes of older form into constants.
fn constants_for<'s>(
    parser: &mut Parser<'s>,
    build: &mut Build<'s>,
    keys: &[&str],
) -> Result<(), ParseFailed> {
    for key in keys {
        let number = build.take(key).and_then(|a| a.as_int());
        let Some(number) = number else {
            let span = parser.cursor.span(build.text);
            return Err(parser.cursor.report(
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

fn parse_write(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let keys = p.build.kind.def().map_or(&[][..], |def| def.operands);
    values_or_attributes(&mut p, keys)?;
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

fn parse_rtp(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let by_place = p.fields.take(Rule::rtp_place).is_some();
    if !by_place {
        let buffer = p.next()?.as_str();
        let name = symbol_name(buffer);
        p.build.attr("buffer", Attr::symbol(name));
    }
    p.int("index", ScalarType::UI32)?;
    if let Some(value) = p.fields.take(Rule::value) {
        p.build.operand(&value, Type::I32);
    } else {
        let literal = p.next()?;
        let at = literal.as_str();
        let number = p.parser.literals().int(literal)?;
        let constant = p.parser.i32_constant(i64::from(number as i32), at)?;
        p.build.values.push(constant);
    }
    p.dict()?;
    if by_place {
        let name = p.build.take("buffer_sym_name");
        let Some(Attr::Str(name)) = name else {
            let span = p.parser.cursor.span(p.build.text);
            let message = "`buffer_sym_name` is missing";
            return Err(p.parser.cursor.report(
                Diag::error(&codes::LEGACY_SYNTAX, message)
                    .label(span, "")
                    .help("write `aiex.npu.rtp_write(@buffer, index, value)`"),
            ));
        };
        p.build.attr("buffer", Attr::symbol(&*name));
    }
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

fn parse_push(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    for key in ["column", "row"] {
        p.int(key, ScalarType::I32)?;
    }
    p.word("direction", &DIRECTION)?;
    p.int("channel", ScalarType::I32)?;
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

fn parse_patch(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if let Some(plus) = p.fields.take(Rule::value) {
        let ty = p.next_type()?;
        if let Some(mut address) = p.fields.group(Rule::patch_address) {
            let value = address.next(&mut p.parser.cursor)?;
            let ty = address.next(&mut p.parser.cursor)?;
            let ty = p.parser.literals().ty(ty.as_str())?;
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
