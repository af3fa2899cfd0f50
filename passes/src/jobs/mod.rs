//! `emit-jobs`: turns a lowered device into control code operations.
//!
//! The configuration and the runtime sequence become jobs of one micro-controller (group 0),
//! each on a page of its own: pages run one after the other, so that the order of the register
//! operations is kept where a job had to be cut. [`plan`] decides, this file builds the
//! operations (`mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp` has the same ones).

mod build;
pub mod plan;
pub mod size;

use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Reported};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Device, OpView, RuntimeSequence};

use crate::configure::device_writes;
use crate::pass::{OptionDef, PassContext, PassDef, Run};
use crate::sequence::sequence_ops;
use plan::{Instruction, Plan, Planner};

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "emit-jobs",
    summary: "Turn device configuration and runtime sequence into jobs of control code",
    leaves: &[
        "aiex.cert.page operations with one job each hold the configuration, then the sequence",
        "each job with its data fits a page",
        "every patched BD image has one descriptor",
        "the compiled runtime sequence keeps its arguments and has no body; others are gone",
    ],
    options: &[OptionDef {
        name: "sequence",
        default: "",
        summary: "Name of the runtime sequence to compile, if the device has several",
    }],
    run: Run::Device(run),
};

codes! {
    /// Codes of `emit-jobs`.
    pub static CODES;
    WHICH_SEQUENCE = "jobs::which-sequence",
        "A control code file runs one runtime sequence. A device with several needs to be told \
         which one.";
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let sequence = choose(module, device, context)?;
    let writes = device_writes(module, device, context.diags);
    let ops = match sequence {
        Some(sequence) => sequence_ops(module, sequence.op(), context.diags),
        None => Ok(Vec::new()),
    };
    let (writes, ops) = (writes?, ops?);
    let mut planner = Planner::new(model);
    planner.add(writes, true);
    planner.add(ops, false);
    let plan = planner.finish();
    count(&plan, context);
    build::build(module, device, &plan, context.pass);
    for other in module.children::<RuntimeSequence>(device) {
        if Some(other) != sequence {
            module.erase(other.op());
        } else if let Some(block) = module.entry(other.op(), 0) {
            for op in module.ops_in(block).into_iter().rev() {
                module.erase(op);
            }
        }
    }
    Ok(())
}

/// The sequence to compile.
fn choose(
    module: &Module,
    device: Op,
    context: &mut PassContext<'_>,
) -> Result<Option<RuntimeSequence>, Reported> {
    let sequences = module.children::<RuntimeSequence>(device);
    let wanted = context.option("sequence").to_string();
    let name = |s: &RuntimeSequence| {
        s.sym_name(module)
            .map_or("sequence".into(), |n| n.to_string())
    };
    if wanted.is_empty() && sequences.len() <= 1 {
        return Ok(sequences.first().copied());
    }
    if let Some(found) = sequences.iter().find(|s| name(s) == wanted) {
        return Ok(Some(*found));
    }
    let names: Vec<String> = sequences.iter().map(|s| format!("`{}`", name(s))).collect();
    let message = match wanted.as_str() {
        "" => "the device has several runtime sequences".to_string(),
        wanted => format!("the device has no runtime sequence `{wanted}`"),
    };
    let help = match names.is_empty() {
        true => "leave the option out: there is no sequence".to_string(),
        false => format!(
            "choose one with the option `sequence` of `emit-jobs`: {}",
            names.join(", ")
        ),
    };
    let mut diag = Diag::error(&WHICH_SEQUENCE, message).help(help);
    for sequence in sequences.iter().take(3) {
        diag = diag.label(module.span(sequence.op()), "one of them");
    }
    Err(context.fail(diag))
}

fn count(plan: &Plan, context: &mut PassContext<'_>) {
    context.count("jobs", plan.jobs.len() as u64);
    let words: usize = plan.data.iter().map(|data| data.words.len()).sum();
    context.count("data words", words as u64);
    let code = plan.jobs.iter().flat_map(|job| &job.code);
    for (instruction, _) in code {
        let what = match instruction {
            Instruction::Write { .. } => "writes",
            Instruction::Mask { .. } => "masked writes",
            Instruction::Patch { .. } => "patches",
            Instruction::Chain(_) => "descriptor chains",
            Instruction::Poll { .. } => "polls",
            Instruction::Wait { .. } => "waits",
        };
        context.count(what, 1);
    }
}
