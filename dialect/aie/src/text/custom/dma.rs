//! Locks, buffers and DMA programs.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`.

use super::array::ON_TILE;
use super::legacy_syntax;
use super::part::{DefaultAttr, NameHint, Part::*, Syntax, T};
use super::region_style;
use super::words::{BLOCKING, DIRECTION, LOCK_ACTION};
use crate::ir::{Attr, DYNAMIC, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Build, Fields, OpParser, Parser, Stop};
use crate::text::print::{Printer, write_dense, write_pads};

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::parts(OpKind::Lock, Rule::aie_lock, &[
        Lit("("), Val(T::Index), OptInt(", ", "lockID", T::I32), Lit(")"), Dict, Gives(T::Index),
    ]).hint(NameHint::SymbolOnTile("lock")),
    Syntax::own(OpKind::UseLock, Rule::aie_use_lock, parse_use_lock, print_use_lock)
        .defaults(&[("acq_en", DefaultAttr::Bool(true))]),
    Syntax::own(OpKind::Buffer, Rule::aie_buffer, parse_buffer, print_buffer)
        .defaults(&[("aligned", DefaultAttr::Bool(true))])
        .hint(NameHint::SymbolOnTile("buffer")),
    Syntax::own(OpKind::ExternalBuffer, Rule::aie_external_buffer, parse_external, print_external)
        .hint(NameHint::Symbol),
    Syntax::parts(OpKind::Mem, Rule::aie_mem, ON_TILE).hint(NameHint::OnTile("mem")),
    Syntax::parts(OpKind::MemTileDma, Rule::aie_memtile_dma, ON_TILE).hint(NameHint::OnTile("memtile_dma")),
    Syntax::parts(OpKind::ShimDma, Rule::aie_shim_dma, ON_TILE).hint(NameHint::OnTile("shim_dma")),
    Syntax::own(OpKind::DmaBd, Rule::aie_dma_bd, parse_bd, print_bd)
        .defaults(&[("burst_length", DefaultAttr::Int(0))]),
    Syntax::parts(OpKind::DmaBdPacket, Rule::aie_dma_bd_packet, &[
        Lit("("), Int("packet_type", T::I32), Lit(", "), Int("packet_id", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::DmaStart, Rule::aie_dma_start, &[
        Lit("("), Enum("channel_dir", &DIRECTION), Lit(", "),
        IntOrSym("channel_index", "endpoint", T::I32), Lit(", "), Block, Lit(", "), Block, OptInt(", repeat_count = ", "repeat_count", T::I32), Lit(")"), Dict,
        Gives(T::I1),
    ]).defaults(&[("repeat_count", DefaultAttr::Int(0)), ("pad_value", DefaultAttr::Int(0))]),
    Syntax::own(OpKind::Dma, Rule::aie_dma, parse_dma, print_dma)
        .defaults(&[
            ("loop", DefaultAttr::Bool(true)),
            ("repeat_count", DefaultAttr::Int(0)),
            ("pad_value", DefaultAttr::Int(0)),
        ])
        .hint(NameHint::Symbol),
    Syntax::parts(OpKind::NextBd, Rule::aie_next_bd, &[Lit(" "), Block, Dict]),
    Syntax::own(OpKind::BdChain, Rule::aie_bd_chain, parse_chain, print_chain),
    Syntax::own(OpKind::ObjectFifoRearmBinding, Rule::aie_objectfifo_rearm_binding, parse_rearm, print_rearm),
];

// ---- locks ----

/// The value is an SSA value today; before it was a literal with the default 1.
fn parse_use_lock(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::Index)?;
    let action = p.next()?;
    let at = action.as_str();
    let action = p.parser.enum_attr(action, &LOCK_ACTION)?;
    p.build.attr("action", action);
    if let Some(value) = p.fields.take(Rule::value) {
        p.build.operand(&value, Type::I32);
    } else {
        let (literal, at) = match p.fields.take(Rule::int) {
            Some(n) => (p.parser.int(n.clone())?, n.as_str()),
            None => (1, at),
        };
        let constant = p.parser.i32_constant(literal, at)?;
        p.build.values.push(constant);
    }
    if let Some(blocking) = p.fields.take(Rule::word) {
        let blocking = p.parser.enum_attr(blocking, &BLOCKING)?;
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

// ---- buffers ----

fn parse_buffer(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::Index)?;
    p.dict()?;
    let ty = p.next_type()?;
    if let Some(value) = p.fields.take(Rule::attr) {
        let value = p.parser.elements(value, &ty)?;
        p.build.attr("initial_value", value);
    }
    p.build.results.push(ty);
    p.create()
}

fn print_buffer(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.operand(op, 0);
    printer.text(")");
    printer.dict(op, &["initial_value"]);
    printer.text(" : ");
    printer.result_type(op, 0);
    printer.text(" ");
    if let Some(value) = printer.m.attr(op, "initial_value") {
        printer.text("= ");
        print_elements(printer, value);
    }
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

/// Very old texts give the address as a number before the dictionary.
fn parse_external(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    if let Some(address) = p.fields.take(Rule::int) {
        let address = p.parser.int_attr(address, T::I64)?;
        p.build.attr("address", address);
    }
    p.dict()?;
    let ty = p.next_type()?;
    p.build.results.push(ty);
    p.create()
}

fn print_external(printer: &mut Printer<'_>, op: Op) {
    printer.dict(op, &[]);
    printer.text(" : ");
    printer.result_type(op, 0);
}

// ---- buffer descriptors ----

fn parse_bd(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let buffer = p.next()?;
    let ty = p.next_type()?;
    p.build.operand(&buffer, ty);
    let mut groups = [1, 0, 0, 0, 0];
    if let Some(old) = p.fields.group(Rule::bd_positional) {
        positional(p.parser, old, &mut p.build)?;
    }
    for (rule, key, group) in [
        (Rule::bd_offset, "static_offset", 1),
        (Rule::bd_len, "static_len", 2),
    ] {
        if let Some(mut clause) = p.fields.group(rule) {
            let entry = clause.next(p.parser)?;
            if entry.as_rule() == Rule::value {
                p.build.operand(&entry, Type::I32);
                groups[group] = 1;
            } else {
                let value = p.parser.int_attr(entry, T::I32)?;
                p.build.attr(key, value);
            }
        }
    }
    for (rule, key, group) in [
        (Rule::bd_sizes, "static_sizes", 3),
        (Rule::bd_strides, "static_strides", 4),
    ] {
        if let Some(mut clause) = p.fields.group(rule) {
            let list = clause.next(p.parser)?;
            let (count, list) = mixed(&mut p, Fields::of(list))?;
            groups[group] = count;
            p.build.attr(key, list);
        }
    }
    if let Some(mut clause) = p.fields.group(Rule::bd_pad) {
        let pads = clause.next(p.parser)?;
        let pads = p.parser.pads(pads)?;
        p.build.attr("pad_dimensions", pads);
    }
    p.dict()?;
    p.build.segments(&groups);
    let op = p.create()?;
    legacy_syntax::bd(p.parser, op);
    Ok(op)
}

/// Offset, length, dimensions, padding and pad value by position, as before mid-2026.
fn positional<'s>(
    parser: &mut Parser<'s>,
    fields: Fields<'s>,
    build: &mut Build<'s>,
) -> Result<(), Stop> {
    let mut keys = ["static_offset", "static_len"].into_iter();
    let mut lists = 0;
    for part in fields.rest() {
        match part.as_rule() {
            Rule::int => {
                let value = parser.int_attr(part, T::I32)?;
                if let Some(key) = keys.next() {
                    build.attr(key, value);
                }
            }
            Rule::inline_list if lists == 0 => {
                lists = 1;
                let dims = parser.dims(part)?;
                if let Attr::BdDims(dims) = dims {
                    build.attr("static_sizes", Attr::i64_array(dims.iter().map(|d| d.size)));
                    build.attr(
                        "static_strides",
                        Attr::i64_array(dims.iter().map(|d| d.stride)),
                    );
                }
            }
            Rule::inline_list => {
                let pads = parser.pads(part)?;
                build.attr("pad_dimensions", pads);
            }
            _ => {
                let value = Fields::of(part).next(parser)?;
                let value = parser.int_attr(value, T::I32)?;
                build.attr("pad_value", value);
            }
        }
    }
    Ok(())
}

/// A list of numbers and values: how many values, and the numbers with [`DYNAMIC`] for those.
pub(super) fn mixed<'s>(
    p: &mut OpParser<'_, 's>,
    fields: Fields<'s>,
) -> Result<(usize, Attr), Stop> {
    mixed_of(p, fields, &Type::I64)
}

/// As [`mixed`], for values of another type.
pub(super) fn mixed_of<'s>(
    p: &mut OpParser<'_, 's>,
    fields: Fields<'s>,
    ty: &Type,
) -> Result<(usize, Attr), Stop> {
    let mut numbers = Vec::new();
    let mut values = 0;
    for part in fields.rest() {
        if part.as_rule() == Rule::value {
            p.build.operand(&part, ty.clone());
            numbers.push(DYNAMIC);
            values += 1;
        } else {
            numbers.push(p.parser.int(part)?);
        }
    }
    Ok((values, Attr::i64_array(numbers)))
}

/// `[1, %a, 4]`: numbers of an attribute with values, from the n-th operand on, for the dynamic
/// ones. Answers the next operand's number.
pub(super) fn print_mixed(
    printer: &mut Printer<'_>,
    op: Op,
    key: &str,
    mut operand: usize,
) -> usize {
    let numbers = match printer.m.attr(op, key) {
        Some(Attr::DenseArray(array)) => array.values.clone(),
        _ => Vec::new(),
    };
    printer.text("[");
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
    printer.text("]");
    operand
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

fn parse_dma(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.word("channel_dir", &DIRECTION)?;
    p.int("channel_index", T::I32)?;
    p.dict()?;
    p.build.results.push(Type::I1);
    let op = p.create()?;
    p.parser.expect("[")?;
    if p.parser.eat("]") {
        return Ok(op);
    }
    loop {
        p.parser.region(op, &[], region_style(OpKind::Dma))?;
        if !p.parser.eat(",") {
            break;
        }
    }
    p.parser.expect("]")?;
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

fn parse_chain(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    let args = match p.fields.group(Rule::block_args) {
        Some(args) => p.parser.block_args(args)?,
        None => Vec::new(),
    };
    let op = p.create()?;
    p.parser.region(op, &args, region_style(OpKind::BdChain))?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_chain(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    printer.text("(");
    printer.entry_arguments(op, 0);
    printer.text(") ");
    printer.region_with(op, 0, false, false);
    printer.dict(op, &["sym_name"]);
}

// ---- rearming ----

fn parse_rearm(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.sym_name()?;
    // Each list is optional, so the text between tells which one a group is.
    let locks_at = p.build.text.find("locks").unwrap_or(0);
    let mut counts = [0, 0];
    while let Some(mut list) = p.fields.group(Rule::typed_values) {
        let offset = list.text().as_ptr() as usize - p.build.text.as_ptr() as usize;
        let values = list.next(p.parser)?;
        let types = list.next(p.parser)?;
        let types = p.parser.types(Fields::of(types))?;
        let count = p.build.operands_of(Fields::of(values), &types);
        counts[usize::from(offset > locks_at)] = count;
    }
    p.dict()?;
    p.build.segments(&counts);
    p.create()
}

fn print_rearm(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    printer.symbol(printer.m.str_attr(op, "sym_name").unwrap_or(""));
    let operands: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    for (n, word) in [" channels(", " locks("].into_iter().enumerate() {
        printer.text(word);
        let range = groups.get(n).cloned().unwrap_or(0..0);
        let values = operands.get(range).unwrap_or(&[]);
        if !values.is_empty() {
            printer.values(values);
            printer.text(" : ");
            printer.types_of(values);
        }
        printer.text(")");
    }
    printer.dict(op, &["sym_name"]);
}
