//! Runtime sequences: DMA tasks, BD chains, resets, configurations.
//! Source of the forms: `mlir-aie: include/aie/Dialect/AIEX/IR/AIEX.td`.

use super::array::print_packet;
use super::part::{DefaultAttr, Part, Part::*, Syntax, T};
use super::region_style;
use super::words::DIRECTION;
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{Fields, OpParser, Stop, symbol_ref};
use crate::text::print::Printer;

/// `(%task)`
const ON_TASK: &[Part] = &[Lit("("), Val(T::Index), Lit(")"), Dict];

#[rustfmt::skip]
pub(super) static SYNTAX: &[Syntax] = &[
    Syntax::own(OpKind::DmaConfigureTask, Rule::aiex_dma_configure_task, parse_task, print_task)
        .defaults(&[("issue_token", DefaultAttr::Bool(false)), ("repeat_count", DefaultAttr::Int(0))]),
    Syntax::own(OpKind::DmaConfigureTaskFor, Rule::aiex_dma_configure_task_for, parse_task_for, print_task_for)
        .defaults(&[("issue_token", DefaultAttr::Bool(false)), ("repeat_count", DefaultAttr::Int(0))]),
    Syntax::parts(OpKind::DmaStartTask, Rule::aiex_dma_start_task, ON_TASK),
    Syntax::parts(OpKind::DmaAwaitTask, Rule::aiex_dma_await_task, ON_TASK),
    Syntax::parts(OpKind::DmaFreeTask, Rule::aiex_dma_free_task, ON_TASK),
    Syntax::own(OpKind::DmaStartBdChain, Rule::aiex_dma_start_bd_chain, parse_chain, print_chain)
        .defaults(&[("issue_token", DefaultAttr::Bool(false)), ("repeat_count", DefaultAttr::Int(0))]),
    Syntax::own(OpKind::DmaStartBdChainFor, Rule::aiex_dma_start_bd_chain_for, parse_chain, print_chain_for)
        .defaults(&[("issue_token", DefaultAttr::Bool(false)), ("repeat_count", DefaultAttr::Int(0))]),
    Syntax::parts(OpKind::DmaBdPoolPop, Rule::aiex_dma_bd_pool_pop, &[
        Lit("("), Int("column", T::I32), Lit(", "), Int("row", T::I32), Lit(")"), Dict, Lit(" : "), ResultTy,
    ]),
    Syntax::parts(OpKind::DmaBdPoolPush, Rule::aiex_dma_bd_pool_push, &[
        Lit("("), Int("column", T::I32), Lit(", "), Int("row", T::I32), Lit(") bd_id "), Typed, Dict,
        Lit(" : "), Ty(0),
    ]),
    Syntax::parts(OpKind::SetLock, Rule::aiex_set_lock, &[
        Lit("("), Val(T::Index), Lit(", "), Int("value", T::I32), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::DmaChannelReset, Rule::aiex_dma_channel_reset, &[
        Lit("("), Val(T::Index), Lit(", "), Enum("direction", &DIRECTION), Lit(", "), Int("channel", T::I32),
        Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::DmaChannelResetFor, Rule::aiex_dma_channel_reset_for, &[
        Lit("("), Sym("objfifo"), Lit(")"), Dict,
    ]),
    Syntax::parts(OpKind::CoreReset, Rule::aiex_core_reset, ON_TASK),
    Syntax::parts(OpKind::Configure, Rule::aiex_configure, &[Lit(" "), Sym("symbol"), Region, Dict]),
    Syntax::own(OpKind::Run, Rule::aiex_run, parse_run, print_run),
];

// ---- tasks ----

fn task_operands(p: &mut OpParser<'_, '_>) -> Result<[usize; 2], Stop> {
    let mut counts = [0, 0];
    for (n, rule) in [Rule::task_repeat, Rule::task_bd_id]
        .into_iter()
        .enumerate()
    {
        if let Some(mut clause) = p.fields.group(rule) {
            let value = clause.next(p.parser)?;
            let ty = clause.next(p.parser)?;
            let ty = p.parser.ty(ty.as_str())?;
            p.build.operand(&value, ty);
            counts[n] = 1;
        }
    }
    Ok(counts)
}

fn parse_task(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::Index)?;
    p.word("direction", &DIRECTION)?;
    p.int("channel", T::I32)?;
    if let Some(packet) = p.fields.group(Rule::inline_struct) {
        let packet = p.parser.packet(packet)?;
        p.build.attr("packet", packet);
    }
    let [repeat, bd_id] = task_operands(&mut p)?;
    p.build.segments(&[1, repeat, bd_id]);
    finish_task(p)
}

fn parse_task_for(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.symbol("alloc")?;
    task_operands(&mut p)?;
    finish_task(p)
}

fn finish_task(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.build.results.push(Type::Index);
    let op = p.create()?;
    p.parser.region(op, &[], region_style(p.build.kind))?;
    p.parser.trailing_dict(op)?;
    Ok(op)
}

fn print_task(printer: &mut Printer<'_>, op: Op) {
    printer.text("(");
    printer.operand(op, 0);
    printer.text(", ");
    let direction = printer.m.int_attr(op, "direction").unwrap_or(0);
    printer.text(&DIRECTION.print(direction));
    printer.text(", ");
    printer.int(op, "channel");
    print_packet(printer, op, ", ");
    printer.text(")");
    let groups = printer.m.operand_groups(op);
    for (n, word) in [(1, " repeat "), (2, " bd_id ")] {
        if let Some(at) = groups.get(n).filter(|g| !g.is_empty()) {
            print_clause(printer, op, at.start, word);
        }
    }
    printer.text(" ");
    printer.region(op, 0);
    printer.dict(op, &["direction", "channel", "packet"]);
}

fn print_clause(printer: &mut Printer<'_>, op: Op, operand: usize, word: &str) {
    printer.text(word);
    printer.operand(op, operand);
    printer.text(" : ");
    if let Some(value) = printer.m.operand(op, operand) {
        printer.types_of(&[value]);
    }
}

fn print_task_for(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    if let Some(alloc) = printer.m.attr(op, "alloc") {
        printer.attr(alloc);
    }
    if printer.m.num_operands(op) > 0 {
        print_clause(printer, op, 0, " repeat ");
    }
    printer.text(" ");
    printer.region(op, 0);
    printer.dict(op, &["alloc"]);
}

// ---- chains and runs ----

/// `(%a, %b) : (T, U)`
fn list_and_types(p: &mut OpParser<'_, '_>) -> Result<usize, Stop> {
    let values = p.next()?;
    let types = p.next()?;
    let types = p.parser.types(Fields::of(types))?;
    let at = values.as_str();
    let written = values
        .clone()
        .into_inner()
        .flat_map(|v| v.into_inner())
        .count();
    p.parser.same_count(at, written, types.len())?;
    Ok(p.build.operands_of(Fields::of(values), &types))
}

fn parse_chain(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.symbol("symbol")?;
    list_and_types(&mut p)?;
    if let Some(alloc) = p.fields.take(Rule::symbol) {
        p.build
            .attr("alloc", Attr::Symbol(symbol_ref(alloc.as_str())));
    } else {
        p.operand(Type::Index)?;
        p.word("direction", &DIRECTION)?;
        p.int("channel", T::I32)?;
    }
    p.dict()?;
    p.build.results.push(Type::Index);
    p.create()
}

fn print_call(printer: &mut Printer<'_>, op: Op, key: &str, args: &[Value]) {
    printer.text(" ");
    if let Some(symbol) = printer.m.attr(op, key) {
        printer.attr(symbol);
    }
    printer.text("(");
    printer.values(args);
    printer.text(") : (");
    printer.types_of(args);
    printer.text(")");
}

fn print_chain(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let (tile, args) = match values.split_last() {
        Some((tile, args)) => (Some(*tile), args),
        None => (None, &[][..]),
    };
    print_call(printer, op, "symbol", args);
    printer.text(" on (");
    if let Some(tile) = tile {
        printer.value(tile);
    }
    printer.text(", ");
    let direction = printer.m.int_attr(op, "direction").unwrap_or(0);
    printer.text(&DIRECTION.print(direction));
    printer.text(", ");
    printer.int(op, "channel");
    printer.text(")");
    printer.dict(op, &["symbol", "direction", "channel"]);
}

fn print_chain_for(printer: &mut Printer<'_>, op: Op) {
    let args: Vec<_> = printer.m.operands(op).collect();
    print_call(printer, op, "symbol", &args);
    printer.text(" for  ");
    if let Some(alloc) = printer.m.attr(op, "alloc") {
        printer.attr(alloc);
    }
    printer.dict(op, &["symbol", "alloc"]);
}

fn parse_run(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    let name = p.next()?;
    p.build.attr(
        "runtime_sequence_symbol",
        Attr::Symbol(symbol_ref(name.as_str())),
    );
    list_and_types(&mut p)?;
    p.dict()?;
    p.create()
}

fn print_run(printer: &mut Printer<'_>, op: Op) {
    let args: Vec<_> = printer.m.operands(op).collect();
    print_call(printer, op, "runtime_sequence_symbol", &args);
    printer.dict(op, &["runtime_sequence_symbol"]);
}
