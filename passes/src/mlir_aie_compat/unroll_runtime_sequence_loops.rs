//! `aie-unroll-runtime-sequence-loops`: writes out the loops of runtime sequences whose bounds are
//! constants (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEUnrollRuntimeSequenceLoops.cpp`).
//!
//! Inner loops come first, so that each copy of an outer body holds what its inner loops became. A
//! compilation executes loops symbolically and needs no copies; this pass is for users who lower
//! step by step.

use aiec_aie::ir::{InsertPoint, Module, Op, Value, ValueMap};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{ArithConstant, OpKind, OpView, RuntimeSequence, ScfFor};
use aiec_diag::{Diag, Reported};

use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::UNROLL_LIMIT;
use crate::sequence::codes::UNROLL;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-unroll-runtime-sequence-loops", run)
    .summary("Unroll the loops of runtime sequences whose bounds are constants")
    .postconditions(&["no scf.for with constant bounds remains in a runtime sequence"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        result = result.and(of_sequence(module, sequence.op(), context));
    }
    result
}

fn of_sequence(
    module: &mut Module,
    sequence: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let mut left = UNROLL_LIMIT;
    // Bounds of inner loops may be constants only when the loop around them is written out.
    loop {
        let mut any = false;
        // Pre-order backwards: inner loops before the loops around them.
        for op in module.find(sequence, OpKind::ScfFor).into_iter().rev() {
            let Some(trips) = ScfFor(op).trips(module) else {
                continue;
            };
            let size = module.walk(op).count().max(1);
            let fitting = usize::try_from(trips).ok();
            let Some(trips) = fitting.filter(|trips| *trips <= left / size) else {
                let message = format!("this loop unrolls to more than {UNROLL_LIMIT} operations");
                let diag = Diag::error(&UNROLL, message)
                    .label(module.span(op), "this loop")
                    .help("let a transfer repeat (outermost size with stride 0) instead of a loop");
                return Err(context.fail(diag));
            };
            left -= trips * size;
            unroll(module, op, trips as u64, context.pass);
            context.count("loops", 1);
            any = true;
        }
        if !any {
            return Ok(());
        }
    }
}

/// Puts a copy of the body for each run in the place of a loop.
fn unroll(module: &mut Module, op: Op, trips: u64, pass: &'static str) {
    let Some(body) = module.entry(op, 0) else {
        return;
    };
    let args = module.block_args(body).to_vec();
    let Some((index, carried)) = args.split_first() else {
        return;
    };
    let ops = module.ops_in(body);
    let Some((last, rest)) = ops.split_last() else {
        return;
    };
    let yielded: Vec<Value> = module.operands(*last).collect();
    let mut state: Vec<Value> = module.operands(op).skip(3).collect();
    let ty = module.ty(*index).clone();
    let counted = module.has_uses(*index);
    let loc = module.derived_loc(pass, op);
    let variable = |module: &Module, run| {
        let known = |bound| const_int(module, bound).map(i128::from);
        ScfFor(op).variable_of(module, run, known)
    };
    for run in 0..trips {
        let mut map = ValueMap::new();
        for (arg, value) in carried.iter().zip(&state) {
            map.map(*arg, *value);
        }
        if counted && let Some(value) = variable(module, run) {
            let before = InsertPoint::Before(op);
            let constant = ArithConstant::int(module, loc, value, ty.clone(), before);
            map.map(*index, constant);
        }
        for inner in rest {
            module.clone_op(*inner, &mut map, InsertPoint::Before(op));
        }
        state = yielded.iter().map(|value| map.get(*value)).collect();
    }
    for (result, value) in module.results(op).zip(state) {
        module.replace_all_uses(result, value);
    }
    module.erase(op);
}
