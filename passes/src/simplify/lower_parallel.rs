//! `scf-parallel-for-to-nested-fors`: parallel loops become nests of counted loops (MLIR's passes of that name and
//! `scf-forall-to-for`, `mlir: lib/Dialect/SCF/Transforms`). A core has one thread, and any order of the passes
//! is right.

use aiec_aie::ir::{Attr, DYNAMIC, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{ArithConstant, OpKind};
use aiec_diag::{Diag, Reported, codes};

use super::loop_nest::LoopNest;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("scf-parallel-for-to-nested-fors", run)
    .summary("Turn scf.parallel and scf.forall into nests of scf.for")
    .postconditions(&["no scf.parallel and no scf.forall is left"]);

codes! {
    /// Codes of `scf-parallel-for-to-nested-fors`.
    pub static CODES;
    SHARED_OUTPUTS = "parallel::shared-outputs",
        "A scf.forall with shared_outs gives tensors, values without memory. Upstream's bufferization turns them \
         into memrefs, which the body writes itself.";
}

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    const PARALLEL: [OpKind; 2] = [OpKind::ScfParallel, OpKind::ScfForall];
    if PARALLEL.iter().all(|kind| module.count(*kind) == 0) {
        return Ok(());
    }
    // Inner loops first: what encloses them moves them whole.
    let is_parallel = |kind| PARALLEL.contains(&kind);
    let all: Vec<Op> = module
        .walk(module.top())
        .filter(|op| is_parallel(module.kind(*op)))
        .collect();
    for op in all.into_iter().rev() {
        let lowered = match module.kind(op) {
            OpKind::ScfParallel => parallel(module, op),
            _ => forall(module, op),
        };
        if lowered.is_none() {
            let name = module.op_name(op);
            context.report(
                Diag::error(
                    &SHARED_OUTPUTS,
                    format!("`{name}` shares outputs that have no memory"),
                )
                .label(module.span(op), "this loop")
                .help("run upstream's --one-shot-bufferize, or store into a memref in the body"),
            );
        }
        context.count("loops", 1);
    }
    context.diags.check()
}

fn parallel(m: &mut Module, op: Op) -> Option<()> {
    let [lower, upper, step, inits] =
        ["lowerBound", "upperBound", "step", "initVals"].map(|group| m.operand_group(op, group));
    let bounds: Vec<[Value; 3]> = (0..lower.len())
        .map(|n| Some([lower[n], *upper.get(n)?, *step.get(n)?]))
        .collect::<Option<_>>()?;
    let nest = LoopNest::build(m, op, &bounds, &inits)?;
    let body = m.entry(op, 0)?;
    let reduce = nest.fill(m, body)?;
    let terms: Vec<Value> = m.operands(reduce).collect();
    let mut combined = Vec::new();
    for (n, (term, so_far)) in terms.into_iter().zip(nest.carried.clone()).enumerate() {
        let region = m.entry(reduce, n)?;
        let operations = m.ops_in(region);
        let (end, rest) = operations.split_last()?;
        for (argument, value) in m
            .block_args(region)
            .to_vec()
            .into_iter()
            .zip([so_far, term])
        {
            m.replace_all_uses(argument, value);
        }
        for inner in rest {
            m.move_to(*inner, nest.end());
        }
        combined.push(m.operand(*end, 0)?);
    }
    nest.replace(m, op, &combined);
    Some(())
}

fn forall(m: &mut Module, op: Op) -> Option<()> {
    if m.num_results(op) > 0 {
        return None;
    }
    let lower = numbers(m, op, "staticLowerBound", "dynamicLowerBound")?;
    let upper = numbers(m, op, "staticUpperBound", "dynamicUpperBound")?;
    let step = numbers(m, op, "staticStep", "dynamicStep")?;
    let bounds = lower.into_iter().zip(upper).zip(step);
    let bounds: Vec<[Value; 3]> = bounds.map(|((l, u), s)| [l, u, s]).collect();
    let nest = LoopNest::build(m, op, &bounds, &[])?;
    let body = m.entry(op, 0)?;
    nest.fill(m, body)?;
    nest.replace(m, op, &[]);
    Some(())
}

/// Values for the entries of a list of numbers and values.
fn numbers(m: &mut Module, op: Op, key: &str, group: &str) -> Option<Vec<Value>> {
    let Some(Attr::DenseArray(list)) = m.attr(op, key).cloned() else {
        return None;
    };
    let mut open = m.operand_group(op, group).into_iter();
    let loc = m.loc(op);
    let mut value = |number: &i64| match *number {
        DYNAMIC => open.next(),
        number => Some(ArithConstant::int(
            m,
            loc,
            number,
            Type::Index,
            InsertPoint::Before(op),
        )),
    };
    list.values.iter().map(&mut value).collect()
}
