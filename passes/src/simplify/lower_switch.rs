//! `aie-lower-switch`: `cf.switch` becomes a chain of comparisons and branches, so that every later
//! pass knows two kinds of jumps only.

use aiec_aie::ir::{InsertPoint, Module, Op, Type};
use aiec_aie::ops::{ArithCmpI, ArithConstant, CfBr, CfSwitch, OpKind};
use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-lower-switch", run)
    .summary("Turn cf.switch into comparisons and branches")
    .postconditions(&["no cf.switch is left"]);

codes! {
    /// Codes of `aie-lower-switch`.
    pub static CODES;
    BAD_SWITCH = "switch::not-understood",
        "A cf.switch has a default and, for each further block, a number in `case_values` and the \
         count of its arguments in `case_operand_segments`.";
}

/// Predicate of `arith.cmpi`.
const EQUAL: i64 = 0;

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    for op in module.find(module.top(), OpKind::CfSwitch) {
        if lower(module, op).is_none() {
            context.report(
                Diag::error(&BAD_SWITCH, "the cases of this switch don't fit its blocks")
                    .label(module.span(op), "this switch")
                    .help("write it as `cf.switch %x : i32, [default: ^bb1, 4: ^bb2]`"),
            );
        }
        context.count("switches", 1);
    }
    context.diags.check()
}

/// One comparison for each case: a block of its own except for the first.
fn lower(m: &mut Module, op: Op) -> Option<()> {
    let targets = CfSwitch(op).targets(m);
    if targets.len() != m.successors(op).len() {
        return None;
    }
    let loc = m.loc(op);
    let flag = m.operand(op, 0)?;
    let ty = m.ty(flag).clone();
    let region = m.block_region(m.parent_block(op)?)?;
    let ((_, default, given), cases) = targets.split_first()?;
    let mut at = InsertPoint::Before(op);
    for (n, (case, block, values)) in cases.iter().enumerate() {
        let constant = ArithConstant::int(m, loc, (*case)?, ty.clone(), at);
        let same = ArithCmpI::build(m, loc, flag, constant, EQUAL).insert_value(Type::I1, at);
        let last = n + 1 == cases.len();
        let next = if last { *default } else { m.add_block(region) };
        let otherwise = if last { given.clone() } else { Vec::new() };
        m.build(OpKind::CfCondBr, loc)
            .operand_groups([&[same], values, &otherwise])
            .successor(*block)
            .successor(next)
            .insert(at);
        at = InsertPoint::End(next);
    }
    if cases.is_empty() {
        CfBr::build(m, loc)
            .operands(given.iter().copied())
            .successor(*default)
            .insert(at);
    }
    m.erase(op);
    Some(())
}
