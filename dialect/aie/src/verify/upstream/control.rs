//! Branches, functions, loops and conditionals: each value arrives where one of its type is
//! expected (`mlir: lib/Dialect/SCF/IR/SCF.cpp`, `lib/Interfaces/ControlFlowInterfaces.cpp`).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Findings, difference, expected, types};
use crate::ir::{Attr, Block, FunctionType, Module, Op, Signedness, Type, Value};
use crate::ops::netlist::const_int;
use crate::ops::{CfSwitch, OpKind, OpView, ScfFor};
use crate::verify::codes;

/// Kinds that [`check`] knows.
pub(super) fn handles(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        ScfFor
            | ScfIf
            | ScfWhile
            | ScfCondition
            | ScfIndexSwitch
            | ScfExecuteRegion
            | CfAssert
            | NpuRequire
            | AffineFor
            | AffineIf
    )
}

pub(super) fn check(finding: &mut Findings<'_>, kind: OpKind) {
    match kind {
        OpKind::ScfFor => counted_loop(finding),
        OpKind::ScfIf => conditional(finding),
        OpKind::ScfWhile => while_loop(finding),
        OpKind::ScfCondition => condition(finding),
        OpKind::ScfIndexSwitch => index_switch(finding),
        OpKind::CfAssert => decides(finding, "`cf.assert`"),
        OpKind::NpuRequire => decides(finding, "`aiex.npu.require`"),
        OpKind::AffineFor => {
            let inits = finding.group("inits");
            carried(finding, &inits, Some(&Type::Index));
            let step = finding.module.int_attr(finding.op, "step");
            positive(finding, step, false);
        }
        _ => {}
    }
    one_block_each(finding, kind);
}

/// The declared type of a function.
pub(super) fn function_type(m: &Module, function: Op) -> Option<Arc<FunctionType>> {
    match m.attr(function, "function_type") {
        Some(Attr::Type(Type::Function(ty))) => Some(ty.clone()),
        _ => None,
    }
}

/// The arguments of a function's body are those of its type.
pub(super) fn function(finding: &mut Findings<'_>) {
    let m = finding.module;
    let (Some(ty), Some(entry)) = (function_type(m, finding.op), m.entry(finding.op, 0)) else {
        return;
    };
    let args = types(m, m.block_args(entry).iter().copied());
    finding.same_types(
        &args,
        &ty.inputs,
        "argument of the body",
        "the body takes what the function's type says",
    );
}

/// A branch hands over the arguments of its block, and never goes to the first block of a region.
pub(super) fn branch(finding: &mut Findings<'_>, kind: OpKind) {
    let m = finding.module;
    match kind {
        OpKind::CfCondBr => decides(finding, "a branch"),
        OpKind::CfSwitch => {
            let switch = CfSwitch::cast(m, finding.op);
            let targets = switch.map(|switch| switch.targets(m)).unwrap_or_default();
            each_case_once(finding, targets.iter().filter_map(|(case, ..)| *case));
        }
        _ => {}
    }
    for (target, given) in targets(m, finding.op, kind) {
        let taken = expected(m, m.block_args(target).iter().copied());
        let given = types(m, given);
        if let Some(difference) = difference(&given, &taken, "argument") {
            let message = format!("the block that this branch goes to takes others: {difference}");
            finding.of_type(
                message,
                "hand over one value for each argument of the block",
            );
        }
        let region = m.block_region(target);
        let first = region.and_then(|region| m.blocks_of(region).first().copied());
        if first == Some(target) {
            let message = "a branch to the first block of a region".to_string();
            let help = "put an empty block before it that branches on, and go to the second block";
            finding.refuse(&codes::SHAPE, message, help);
        }
    }
}

/// The blocks that a branch goes to, with their arguments.
fn targets(m: &Module, op: Op, kind: OpKind) -> Vec<(Block, Vec<Value>)> {
    let blocks = m.successors(op);
    match kind {
        OpKind::CfSwitch => {
            let switch = CfSwitch::cast(m, op);
            let targets = switch.map(|switch| switch.targets(m)).unwrap_or_default();
            targets
                .into_iter()
                .map(|(_, block, given)| (block, given))
                .collect()
        }
        OpKind::CfCondBr => {
            let groups = ["true_args", "false_args"].map(|group| m.operand_group(op, group));
            blocks.iter().copied().zip(groups).collect()
        }
        _ => {
            let given = m.operands(op).collect();
            blocks.iter().copied().zip([given]).collect()
        }
    }
}

/// A terminator such as `scf.yield` must pass the types that the operation around expects from its
/// region.
pub(super) fn results_of_region(finding: &mut Findings<'_>, kind: OpKind) {
    let m = finding.module;
    let block = m.parent_block(finding.op);
    let (Some(parent), Some(region)) = (
        m.parent_op(finding.op),
        block.and_then(|block| m.block_region(block)),
    ) else {
        return;
    };
    let wanted: Vec<Type> = match (kind, m.kind(parent)) {
        (OpKind::FuncReturn, OpKind::FuncFunc) => match function_type(m, parent) {
            Some(ty) => ty.results.clone(),
            None => return,
        },
        (OpKind::ScfYield, OpKind::ScfWhile) => {
            if m.region(parent, 0) == Some(region) {
                return;
            }
            expected(m, m.operands(parent))
        }
        (
            OpKind::ScfYield,
            OpKind::ScfFor | OpKind::ScfIf | OpKind::ScfIndexSwitch | OpKind::ScfExecuteRegion,
        )
        | (OpKind::AffineYield, OpKind::AffineFor | OpKind::AffineParallel | OpKind::AffineIf) => {
            expected(m, m.results(parent))
        }
        _ => return,
    };
    let given = types(m, m.operands(finding.op));
    if let Some(difference) = difference(&given, &wanted, "value") {
        let outer = m.op_name(parent);
        let message = format!("`{}` doesn't fit `{outer}`: {difference}", finding.name());
        let diag = finding.error(&codes::TYPE, message);
        let diag = diag.label(m.span(parent), format!("`{outer}`"));
        finding
            .diags
            .push(diag.help("give one value for each result, of the result's type"));
    }
}

/// The values that a loop carries: what it starts with, its body's arguments and its results are
/// of the same types; `counter` is the body's first argument.
fn carried(finding: &mut Findings<'_>, inits: &[&Type], counter: Option<&Type>) {
    let m = finding.module;
    let inits: Vec<Type> = inits.iter().map(|ty| (*ty).clone()).collect();
    let results = types(m, m.results(finding.op));
    finding.same_types(
        &results,
        &inits,
        "result",
        "one result for each value carried",
    );
    if let Some(entry) = m.entry(finding.op, 0) {
        let args = types(m, m.block_args(entry).iter().copied());
        let wanted: Vec<Type> = counter.cloned().into_iter().chain(inits).collect();
        finding.same_types(
            &args,
            &wanted,
            "argument of the body",
            "the body takes the counter, if it has one, and each value carried",
        );
    }
}

fn counted_loop(finding: &mut Findings<'_>) {
    let m = finding.module;
    let [lower, upper, step] = [0, 1, 2].map(|n| finding.operand(n));
    let (Some(lower), Some(upper), Some(step)) = (lower, upper, step) else {
        return;
    };
    let signless =
        |ty: &Type| matches!(ty, Type::Int { sign, .. } if *sign == Signedness::Signless);
    if lower != upper || lower != step {
        let message = format!("a loop from {lower} to {upper} by {step}");
        finding.of_type(message, "bounds and step have one type");
        return;
    }
    if *lower != Type::Index && !signless(lower) {
        let message = format!("a loop can't count in {lower}");
        finding.of_type(message, "count in index or in an integer such as i32");
        return;
    }
    let inits = finding.group("init_args");
    carried(finding, &inits, Some(lower));
    let Some(view) = ScfFor::cast(m, finding.op) else {
        return;
    };
    let constant = view.step(m).and_then(|step| const_int(m, step));
    positive(finding, constant, m.flag(finding.op, "unsignedCmp"));
}

/// A loop whose step is known gets nearer to its end with each pass.
pub(super) fn positive(finding: &mut Findings<'_>, step: Option<i64>, unsigned: bool) {
    if let Some(by) = step.filter(|by| *by == 0 || (*by < 0 && !unsigned)) {
        let message = format!("a loop whose step is {by} doesn't end");
        let help = "the step is positive: to count down, subtract the counter in the body";
        finding.refuse(&codes::CORE, message, help);
    }
}

/// The first operand, by which something is decided, is `i1`.
fn decides(finding: &mut Findings<'_>, who: &str) {
    if let Some(ty) = finding.operand(0).filter(|ty| **ty != Type::I1) {
        let message = format!("{who} can't decide by {ty}");
        finding.of_type(message, "the condition is i1: compare it with zero");
    }
}

/// No number has two cases: only one of them could be gone to.
fn each_case_once(finding: &mut Findings<'_>, cases: impl Iterator<Item = i64>) {
    let mut met = FxHashSet::default();
    let mut cases = cases;
    if let Some(twice) = cases.find(|case| !met.insert(*case)) {
        let message = format!("`{}` has two cases for {twice}", finding.name());
        finding.refuse(&codes::SHAPE, message, "remove one of them");
    }
}

fn conditional(finding: &mut Findings<'_>) {
    let m = finding.module;
    decides(finding, "`scf.if`");
    let no_else = m
        .region(finding.op, 1)
        .is_none_or(|region| m.blocks_of(region).is_empty());
    if m.num_results(finding.op) > 0 && no_else {
        let message = "`scf.if` with results has no else".to_string();
        let help = "add `else` with an scf.yield of what the results are then";
        finding.refuse(&codes::SHAPE, message, help);
    }
}

fn while_loop(finding: &mut Findings<'_>) {
    let m = finding.module;
    let inits = expected(m, m.operands(finding.op));
    let results = expected(m, m.results(finding.op));
    for (region, wanted, what, help) in [
        (
            0,
            inits,
            "argument of the condition's region",
            "the first region takes what the loop starts with",
        ),
        (
            1,
            results,
            "argument of the body",
            "the body takes what scf.condition hands on, which are the results",
        ),
    ] {
        if let Some(entry) = m.entry(finding.op, region) {
            let args = types(m, m.block_args(entry).iter().copied());
            finding.same_types(&args, &wanted, what, help);
        }
    }
}

fn condition(finding: &mut Findings<'_>) {
    let m = finding.module;
    decides(finding, "`scf.condition`");
    let parent = m.parent_op(finding.op);
    if let Some(parent) = parent.filter(|op| m.kind(*op) == OpKind::ScfWhile) {
        let results = expected(m, m.results(parent));
        let given = finding.group("args");
        finding.same_types(
            &given,
            &results,
            "value",
            "hand on one value for each result of the scf.while",
        );
    }
}

fn index_switch(finding: &mut Findings<'_>) {
    let m = finding.module;
    if let Some(ty) = finding.operand(0).filter(|ty| **ty != Type::Index) {
        let message = format!("`scf.index_switch` can't decide by {ty}");
        finding.of_type(message, "convert it to index: arith.index_cast");
    }
    let cases: &[i64] = match m.attr(finding.op, "cases") {
        Some(Attr::DenseArray(cases)) => &cases.values,
        _ => &[],
    };
    each_case_once(finding, cases.iter().copied());
    let cases = cases.len();
    let regions = m.regions_of(finding.op).len();
    if regions != cases + 1 {
        let message = format!("`scf.index_switch` has {regions} regions for {cases} cases");
        let help = "one region for the default, and one for each case";
        finding.refuse(&codes::SHAPE, message, help);
    }
}

/// Structured regions are one block that ends with the terminator of their operation.
pub(super) fn one_block_each(finding: &mut Findings<'_>, kind: OpKind) {
    use OpKind::*;
    let m = finding.module;
    for (n, region) in m.regions_of(finding.op).iter().enumerate() {
        let blocks = m.blocks_of(*region);
        // A region that runs once may have branches inside.
        if kind != ScfExecuteRegion && blocks.len() > 1 {
            let message = format!("a region of `{}` must be one block", finding.name());
            let help = "branches go inside an scf.execute_region or a function";
            finding.refuse(&codes::SHAPE, message, help);
            continue;
        }
        let Some(last) = blocks.first().and_then(|block| m.last_op(*block)) else {
            continue;
        };
        let terminator = match kind {
            ScfWhile if n == 0 => ScfCondition,
            AffineFor | AffineIf | AffineParallel => AffineYield,
            ScfParallel => ScfReduce,
            ScfReduce => ScfReduceReturn,
            ScfForall => ScfInParallel,
            ScfExecuteRegion => continue,
            _ => ScfYield,
        };
        let found = m.kind(last);
        if found != terminator && found.has(crate::ops::Traits::TERMINATOR) {
            let message = format!(
                "a region of `{}` ends with {}",
                finding.name(),
                m.op_name(last)
            );
            let help = format!("end it with {}", terminator.name());
            let diag = finding.error(&codes::TERMINATOR, message);
            let diag = diag.label(m.span(last), "the region ends here").help(help);
            finding.diags.push(diag);
        }
    }
}
