//! Branches.

use super::syntax::OwnSyntax;
use crate::ir::{Attr, Op, Type};
use crate::ops::OpKind;
use crate::text::grammar::Rule;
use crate::text::parse::{OpParser, Stop};
use crate::text::print::Printer;

#[rustfmt::skip]
pub(super) const SYNTAX: &[OwnSyntax] = &[
    (OpKind::CfBr, Rule::cf_br, parse_br, print_br),
    (OpKind::CfCondBr, Rule::cf_cond_br, parse_cond_br, print_cond_br),
];

/// A successor with its arguments; answers how many.
fn successor(p: &mut OpParser<'_, '_>) -> Result<usize, Stop> {
    let label = p.next()?;
    let block = p.parser.successor(label.as_str());
    p.build.successors.push(block);
    super::fragments::typed_values(p)
}

fn parse_br(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
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

fn parse_cond_br(mut p: OpParser<'_, '_>) -> Result<Op, Stop> {
    p.operand(Type::I1)?;
    if let Some(weights) = p.fields.take(Rule::squares) {
        let text = weights.as_str().trim_matches(['[', ']']);
        let mut list = Vec::new();
        for part in text.split(',') {
            list.push(i32::try_from(p.parser.int_text(part.trim())?).unwrap_or(i32::MAX));
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
