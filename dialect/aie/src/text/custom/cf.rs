//! Branches.

use super::syntax::OwnSyntax;
use crate::ir::{Attr, DenseElements, Op, Type};
use crate::ops::{CfSwitch, OpKind};
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, ParseFailed};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::CfBr, Rule::cf_br, parse_br, print_br),
    (OpKind::CfCondBr, Rule::cf_cond_br, parse_cond_br, print_cond_br),
    (OpKind::CfSwitch, Rule::cf_switch, parse_switch, print_switch),
];

/// A successor with its arguments; returns how many.
fn successor(p: &mut OpParser<'_, '_>) -> Result<usize, ParseFailed> {
    let label = p.next()?;
    let block = p.parser.successor(label.as_str());
    p.build.successors.push(block);
    super::fragments::typed_values(p)
}

fn parse_br(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    if let Some(target) = p.fields.group(Rule::successor) {
        p.within(target, successor)?;
    }
    p.dict()?;
    p.create()
}

fn print_br(printer: &mut Printer<'_>, op: Op) {
    printer.text(" ");
    let args: Vec<_> = printer.m.operands(op).collect();
    if let Some(block) = printer.m.successors(op).first() {
        printer.successor(*block, &args);
    }
    printer.dict(op, &[]);
}

fn parse_cond_br(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    p.operand(Type::I1)?;
    if let Some(weights) = p.fields.take(Rule::squares) {
        let text = weights.as_str().trim_matches(['[', ']']);
        let mut list = Vec::new();
        for part in text.split(',') {
            list.push(
                i32::try_from(p.parser.literals().int_text(part.trim())?).unwrap_or(i32::MAX),
            );
        }
        p.build.attr("branch_weights", Attr::i32_array(list));
    }
    let mut counts = [1, 0, 0];
    for count in counts.iter_mut().skip(1) {
        if let Some(target) = p.fields.group(Rule::successor) {
            *count = p.within(target, successor)?;
        }
    }
    p.dict()?;
    p.build.segments(&counts);
    p.create()
}

fn print_cond_br(printer: &mut Printer<'_>, op: Op) {
    let values: Vec<_> = printer.m.operands(op).collect();
    let groups = printer.m.operand_groups(op);
    printer.text(" ");
    printer.operand(op, 0);
    if let Some(Attr::DenseArray(weights)) = printer.m.attr(op, "branch_weights") {
        let list: Vec<_> = weights.values.iter().map(i64::to_string).collect();
        printer.text(&format!(" weights([{}])", list.join(", ")));
    }
    for (n, block) in printer.m.successors(op).iter().enumerate() {
        printer.text(", ");
        let range = groups.get(n + 1).cloned().unwrap_or(0..0);
        printer.successor(*block, values.get(range).unwrap_or(&[]));
    }
    printer.dict(op, &["branch_weights"]);
}

fn parse_switch(mut p: OpParser<'_, '_>) -> Result<Op, ParseFailed> {
    let flag = p.next()?;
    let text = p.next()?;
    let ty = p.parser.literals().ty(text.as_str())?;
    p.build.operand(&flag, ty.clone());
    let mut default = 0;
    if let Some(target) = p.fields.group(Rule::successor) {
        default = p.within(target, successor)?;
    }
    let (mut bytes, mut segments) = (Vec::new(), Vec::new());
    let size = ty.elem_bytes().unwrap_or(1) as usize;
    while let Some(mut case) = p.fields.group(Rule::switch_case) {
        let number = case.next(&mut p.parser.cursor)?;
        let value = p.parser.literals().int(number)?.to_le_bytes();
        bytes.extend(value.iter().chain(std::iter::repeat(&0)).take(size));
        if let Some(target) = case.group(Rule::successor) {
            segments.push(p.within(target, successor)?);
        }
    }
    p.dict()?;
    if !segments.is_empty() {
        let ty = Type::vector(vec![segments.len() as i64], ty);
        let splat = false;
        p.build.attr(
            "case_values",
            Attr::Dense(DenseElements { ty, splat, bytes }.into()),
        );
    }
    p.build.segments(&[1, default, segments.iter().sum()]);
    let sizes = segments
        .iter()
        .map(|n| i32::try_from(*n).unwrap_or(i32::MAX));
    p.build
        .attr("case_operand_segments", Attr::i32_array(sizes));
    p.create()
}

fn print_switch(printer: &mut Printer<'_>, op: Op) {
    let switch = CfSwitch(op);
    let targets = switch.targets(printer.m);
    printer.text(" ");
    printer.operand(op, 0);
    if let Some(flag) = printer.m.operand(op, 0) {
        printer.text(" : ");
        printer.types_of(&[flag]);
    }
    printer.text(", [");
    for (n, (case, block, values)) in targets.iter().enumerate() {
        printer.text(if n == 0 { "" } else { "," });
        printer.newline();
        match case {
            None => printer.text("  default: "),
            Some(case) => printer.text(&format!("  {case}: ")),
        }
        printer.successor(*block, values);
    }
    printer.newline();
    printer.text("]");
    let hidden = [
        "case_values",
        "case_operand_segments",
        "operandSegmentSizes",
    ];
    printer.dict(op, &hidden);
}
