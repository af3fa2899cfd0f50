//! Locks, buffers and DMA programs.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use super::fragments::{mixed, print_mixed};
use super::legacy_syntax;
use super::region_style;
use super::syntax::OwnSyntax;
use super::words::{BLOCKING, DIRECTION, LOCK_ACTION, ScalarType};
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::codes;
use crate::text::parse::{Build, Fields, OpParser, ParseFailed, Parser};
use crate::text::print::{Printer, write_pads};
use aiec_diag::Diag;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::UseLock, Rule::aie_use_lock, parse_use_lock, print_use_lock),
    (OpKind::DmaBd, Rule::aie_dma_bd, parse_bd, print_bd),
    (OpKind::Dma, Rule::aie_dma, parse_dma, print_dma),
];

// ---- locks ----

/// The value is an SSA value today; before it was a literal with the default 1.
fn parse_use_lock(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::Index)?;
    let action = p.next()?;
    let at = action.as_str();
    let action = p.parser.literals().enum_attr(action, &LOCK_ACTION)?;
    p.build.attr("action", action);
    if let Some(value) = p.fields.take(Rule::value) {
        p.build.operand(&value, Type::I32);
    } else {
        let (literal, at) = match p.fields.take(Rule::int) {
            Some(n) => (p.parser.literals().int(n.clone())?, n.as_str()),
            None => (1, at),
        };
        let constant = p.parser.i32_constant(literal, at)?;
        p.build.values.push(constant);
    }
    if let Some(blocking) = p.fields.take(Rule::word) {
        let blocking = p.parser.literals().enum_attr(blocking, &BLOCKING)?;
        p.build.attr("blocking", blocking);
    }
    p.dict()?;
    p.create()
}

fn print_use_lock(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.operand(op, 0);
    printer.text(", ");
    let action = printer.m.int_attr(op, "action").unwrap_or(0);
    printer.text(&LOCK_ACTION.print(action));
    printer.text(", ");
    printer.operand(op, 1);
    if let Some(blocking) = printer.m.int_attr(op, "blocking") {
        printer.text(", ");
        printer.text(&BLOCKING.print(blocking));
    }
    printer.text(")");
    printer.dict(op, &["action", "blocking"]);
}

// ---- buffer descriptors ----

fn parse_bd(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let buffer = p.next()?;
    let ty = p.next_type()?;
    p.build.operand(&buffer, ty);
    let mut groups = [1, 0, 0, 0, 0, 0, 0, 0];
    if let Some(old) = p.fields.group(Rule::bd_positional) {
        positional(p.parser, old, &mut p.build)?;
    }
    if let Some(old) = p.fields.group(Rule::bd_bracketed) {
        positional(p.parser, old, &mut p.build)?;
    }
    for (rule, key, group) in [
        (Rule::bd_offset, "static_offset", 1),
        (Rule::bd_len, "static_len", 2),
    ] {
        if let Some(mut clause) = p.fields.group(rule) {
            let entry = clause.next(&mut p.parser.cursor)?;
            if entry.as_rule() == Rule::value {
                p.build.operand(&entry, Type::I32);
                groups[group] = 1;
            } else {
                let value = p.parser.literals().int_attr(entry, ScalarType::I32)?;
                p.build.attr(key, value);
            }
        }
    }
    for (rule, key, group) in [
        (Rule::bd_sizes, "static_sizes", 3),
        (Rule::bd_strides, "static_strides", 4),
    ] {
        if let Some(mut clause) = p.fields.group(rule) {
            let list = clause.next(&mut p.parser.cursor)?;
            let before = p.build.operands.len();
            let list = mixed(&mut p, Fields::of(list), &Type::I64)?;
            groups[group] = p.build.operands.len() - before;
            p.build.attr(key, list);
        }
    }
    if let Some(mut clause) = p.fields.group(Rule::bd_pad) {
        let pads = clause.next(&mut p.parser.cursor)?;
        let pads = p.parser.literals().pads(pads)?;
        p.build.attr("pad_dimensions", pads);
    }
    for (rule, group) in [
        (Rule::bd_id_value, 5),
        (Rule::bd_iteration_size, 6),
        (Rule::bd_iteration_stride, 7),
    ] {
        if let Some(mut clause) = p.fields.group(rule) {
            let number = clause.next(&mut p.parser.cursor)?;
            let ty = clause.next(&mut p.parser.cursor)?;
            let ty = p.parser.literals().ty(ty.as_str())?;
            p.build.operand(&number, ty);
            groups[group] = 1;
        }
    }
    p.dict()?;
    p.build.segments(&groups);
    let op = p.create()?;
    legacy_syntax::bd(p.parser, op)?;
    Ok(op)
}

/// Offset, length, dimensions, padding and pad value by position, as before mid-2026.
fn positional<'s>(
    parser: &mut Parser<'s>,
    fields: Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(), ParseFailed> {
    let mut keys = ["static_offset", "static_len"].into_iter();
    let mut lists = 0;
    for part in fields.rest() {
        match part.as_rule() {
            Rule::int => {
                let value = parser.literals().int_attr(part, ScalarType::I32)?;
                if let Some(key) = keys.next() {
                    build.attr(key, value);
                }
            }
            Rule::bd_which => {
                let at = part.as_str();
                let span = parser.cursor.span(at);
                if parser.literals().int(part)? != 0 {
                    let message = "a second buffer of a BD is a matter of AI Engines before AIE2";
                    return Err(parser.cursor.report(
                        Diag::error(&codes::SYNTAX, message)
                            .label(span, "this says the second of two buffers")
                            .help("write a BD for each buffer, and 0 here"),
                    ));
                }
            }
            Rule::inline_list if lists == 0 => {
                lists = 1;
                let dims = parser.literals().dims(part)?;
                if let Attr::BdDims(dims) = dims {
                    build.attr("static_sizes", Attr::i64_array(dims.iter().map(|d| d.size)));
                    build.attr(
                        "static_strides",
                        Attr::i64_array(dims.iter().map(|d| d.stride)),
                    );
                }
            }
            Rule::inline_list => {
                let pads = parser.literals().pads(part)?;
                build.attr("pad_dimensions", pads);
            }
            _ => {
                let value = Fields::of(part).next(&mut parser.cursor)?;
                let value = parser.literals().int_attr(value, ScalarType::I32)?;
                build.attr("pad_value", value);
            }
        }
    }
    Ok(())
}

fn print_bd(printer: &mut Printer<'_>, op: Op) {
    let groups = printer.m.operand_groups(op);
    let count = |n: usize| groups.get(n).map_or(0, |g| g.len());
    printer.text("(");
    printer.operand(op, 0);
    printer.text(" : ");
    if let Some(buffer) = printer.m.operand(op, 0) {
        let ty = printer.m.ty(buffer).clone();
        printer.ty(&ty);
    }
    let mut operand = 1;
    for (group, text, key) in [
        (1, " offset = ", "static_offset"),
        (2, " len = ", "static_len"),
    ] {
        if count(group) > 0 {
            printer.text(text);
            printer.operand(op, operand);
            operand += 1;
        } else if printer.m.attr(op, key).is_some() {
            printer.text(text);
            printer.int(op, key);
        }
    }
    for (text, key) in [
        (" sizes = ", "static_sizes"),
        (" strides = ", "static_strides"),
    ] {
        if printer.m.attr(op, key).is_some() {
            printer.text(text);
            operand = print_mixed(printer, op, key, operand);
        }
    }
    if let Some(Attr::BdPads(pads)) = printer.m.attr(op, "pad_dimensions") {
        printer.text(" pad ");
        let _ = write_pads(&mut printer.out, pads);
    }
    printer.text(")");
    for (group, text) in [
        (5, " bd_id_val "),
        (6, " iteration_size_val "),
        (7, " iteration_stride_val "),
    ] {
        let number = groups.get(group).filter(|g| !g.is_empty());
        let number = number.and_then(|g| Some((g.start, printer.m.operand(op, g.start)?)));
        if let Some((at, number)) = number {
            printer.text(text);
            printer.operand(op, at);
            printer.text(" : ");
            let ty = printer.m.ty(number).clone();
            printer.ty(&ty);
        }
    }
    printer.dict(
        op,
        &[
            "static_offset",
            "static_len",
            "static_sizes",
            "static_strides",
            "pad_dimensions",
        ],
    );
}

// ---- channels ----

fn parse_dma(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.word("channel_dir", &DIRECTION)?;
    p.int("channel_index", ScalarType::I32)?;
    p.dict()?;
    p.build.results.push(Type::I1);
    let op = p.create()?;
    p.parser.cursor.expect("[")?;
    if p.parser.cursor.eat("]") {
        return Ok(op);
    }
    loop {
        p.parser.region(op, &[], region_style(OpKind::Dma))?;
        if !p.parser.cursor.eat(",") {
            break;
        }
    }
    p.parser.cursor.expect("]")?;
    Ok(op)
}

fn print_dma(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    let direction = printer.m.int_attr(op, "channel_dir").unwrap_or(0);
    printer.text(&DIRECTION.print(direction));
    printer.text(", ");
    printer.int(op, "channel_index");
    printer.text(")");
    printer.dict(op, &["channel_dir", "channel_index"]);
    printer.text(" [");
    for n in 0..printer.m.regions_of(op).len() {
        if n > 0 {
            printer.text(", ");
        }
        printer.region(op, n);
    }
    printer.text("]");
}
