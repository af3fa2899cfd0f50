//! Parallel loops: bounds, counters and steps for the same dimensions, reductions of one type
//! (`mlir: lib/Dialect/SCF/IR/SCF.cpp`, `lib/Dialect/Affine/IR/AffineOps.cpp`).

use super::control::{one_block_each, positive};
use super::{Findings, expected, types};
use crate::ir::{Attr, DYNAMIC, Type};
use crate::ops::OpKind;
use crate::ops::netlist::const_int;
use crate::verify::codes;

/// Kinds that [`check`] knows.
pub(super) fn handles(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, ScfParallel | ScfReduce | ScfForall | AffineParallel)
}

pub(super) fn check(finding: &mut Findings<'_>, kind: OpKind) {
    match kind {
        OpKind::ScfParallel => parallel(finding),
        OpKind::ScfReduce => reduce(finding),
        OpKind::ScfForall => forall(finding),
        _ => affine_parallel(finding),
    }
    one_block_each(finding, kind);
}

/// Each of the lists has an entry for each dimension, and the body a counter.
fn dimensions(finding: &mut Findings<'_>, lists: &[usize]) {
    let m = finding.module;
    let entry = m.entry(finding.op, 0);
    let counters = entry.map_or(0, |block| m.block_args(block).len());
    let message = match lists.iter().find(|length| **length != counters) {
        Some(length) => format!("{length} bounds or steps for {counters} counters"),
        None if counters == 0 => "a loop without counters".to_string(),
        None => return,
    };
    let help = "give a lower bound, an upper bound and a step for each counter";
    finding.refuse(&codes::SHAPE, message, help);
}

fn parallel(finding: &mut Findings<'_>) {
    let m = finding.module;
    let groups = ["lowerBound", "upperBound", "step"];
    dimensions(finding, &groups.map(|group| finding.group(group).len()));
    groups.iter().for_each(|group| finding.indices(group));
    let inits: Vec<Type> = expected(m, m.operand_group(finding.op, "initVals"));
    let results = types(m, m.results(finding.op));
    finding.same_types(
        &results,
        &inits,
        "result",
        "one result for each initial value",
    );
    for step in m.operand_group(finding.op, "step") {
        positive(finding, const_int(m, step), false);
    }
    let body = m.entry(finding.op, 0);
    let last = body.and_then(|block| m.last_op(block));
    if let Some(reduce) = last.filter(|op| m.kind(*op) == OpKind::ScfReduce) {
        let given = types(m, m.operands(reduce));
        let results = expected(m, m.results(finding.op));
        let help = "scf.reduce combines one value for each result, of the result's type";
        finding.same_types(&given, &results, "value of scf.reduce", help);
    }
}

/// Each region combines two values of the operand's type to a third.
fn reduce(finding: &mut Findings<'_>) {
    let m = finding.module;
    let operands = expected(m, m.operands(finding.op));
    let regions = m.regions_of(finding.op).len();
    if regions != operands.len() {
        let message = format!(
            "`scf.reduce` has {regions} regions for {} values",
            operands.len()
        );
        finding.refuse(&codes::SHAPE, message, "give one region for each value");
        return;
    }
    for (n, ty) in operands.into_iter().enumerate() {
        let Some(block) = m.entry(finding.op, n) else {
            continue;
        };
        let help = "a reduction takes two values, and returns one, of the type of its operand";
        let taken = types(m, m.block_args(block).iter().copied());
        finding.same_types(
            &taken,
            &[ty.clone(), ty.clone()],
            "argument of the region",
            help,
        );
        let last = m.last_op(block);
        if let Some(end) = last.filter(|op| m.kind(*op) == OpKind::ScfReduceReturn) {
            let given = types(m, m.operands(end));
            finding.same_types(&given, &[ty], "value of scf.reduce.return", help);
        }
    }
}

fn forall(finding: &mut Findings<'_>) {
    let m = finding.module;
    let op = finding.op;
    let length = |key| match m.attr(op, key) {
        Some(Attr::DenseArray(list)) => {
            let dynamic = list.values.iter().filter(|n| **n == DYNAMIC).count();
            (list.values.len(), dynamic)
        }
        _ => (0, 0),
    };
    let pairs = [
        ("staticLowerBound", "dynamicLowerBound"),
        ("staticUpperBound", "dynamicUpperBound"),
        ("staticStep", "dynamicStep"),
    ];
    let outputs = m.operand_group(finding.op, "outputs").len();
    dimensions(finding, &pairs.map(|(key, _)| length(key).0 + outputs));
    for (key, group) in pairs {
        finding.indices(group);
        let (given, wanted) = (m.operand_group(finding.op, group).len(), length(key).1);
        if given != wanted {
            let message = format!("{given} values for {wanted} open entries of `{key}`");
            finding.refuse(&codes::SHAPE, message, "give one value for each open entry");
        }
    }
    if let Some(Attr::DenseArray(steps)) = m.attr(finding.op, "staticStep") {
        for step in steps.values.iter().filter(|step| **step != DYNAMIC) {
            positive(finding, Some(*step), false);
        }
    }
}

fn affine_parallel(finding: &mut Findings<'_>) {
    let m = finding.module;
    finding.indices("mapOperands");
    let groups = |key| match m.attr(finding.op, key) {
        Some(Attr::Dense(dense)) => dense.int_values().unwrap_or_default(),
        _ => Vec::new(),
    };
    let steps = match m.attr(finding.op, "steps") {
        Some(Attr::Array(list)) => list.iter().filter_map(Attr::as_int).collect(),
        _ => Vec::new(),
    };
    let (lower, upper) = (groups("lowerBoundsGroups"), groups("upperBoundsGroups"));
    dimensions(finding, &[lower.len(), upper.len(), steps.len()]);
    for step in steps {
        positive(finding, Some(step), false);
    }
    let mut inputs = 0;
    for (key, groups) in [("lowerBoundsMap", lower), ("upperBoundsMap", upper)] {
        let Some(Attr::AffineMap(map)) = m.attr(finding.op, key) else {
            continue;
        };
        inputs += map.dims as usize + map.symbols as usize;
        let wanted: i64 = groups.iter().sum();
        if i64::try_from(map.results.len()) != Ok(wanted) {
            let message = format!(
                "`{key}` has {} results for {wanted} bounds",
                map.results.len()
            );
            finding.refuse(
                &codes::SHAPE,
                message,
                "the map gives one number for each bound",
            );
        }
    }
    let given = m.num_operands(finding.op);
    if given != inputs {
        let message = format!("{given} operands for maps of {inputs} dimensions and symbols");
        finding.of_type(
            message,
            "give one operand for each of them, the lower bounds' first",
        );
    }
    let kinds = match m.attr(finding.op, "reductions") {
        Some(Attr::Array(list)) => list.len(),
        _ => 0,
    };
    let results = m.num_results(finding.op);
    if kinds != results {
        let message = format!("{kinds} reductions for {results} results");
        finding.refuse(&codes::SHAPE, message, "give one reduction for each result");
    }
}
