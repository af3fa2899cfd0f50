//! `emit-jobs`: turns a lowered device into control code operations.
//!
//! Configuration and runtime sequence are lists of register operations, which [`program`] collects.
//! [`graph`] finds what must stay ordered, [`division`] which controller does what, [`barriers`]
//! where controllers and jobs meet, [`schedule`] makes pages and jobs, [`encode`] chooses the
//! cheapest instructions, and `build` makes the operations
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp` has the same ones). The book's page "Jobs and barriers" tells the rules.

pub mod barriers;
mod build;
pub mod cost;
pub mod division;
pub mod encode;
pub mod estimate;
pub mod graph;
pub mod network;
pub mod pages;
pub mod plan;
pub mod program;
pub mod registers;
pub mod schedule;
pub mod size;
#[cfg(test)]
mod tests;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{OpView, RuntimeSequence};
use aiec_diag::{Diag, Reported, codes};

use crate::infra::pass::{OptionDef, PassContext, PassDef, Run};
use crate::reconfigure::prologue::{DEFAULT_PROLOGUE, Prologue};
use crate::reconfigure::{DEFAULT_RECONFIGURE, Reconfigure, WHICH_PROLOGUE, WHICH_WAY};
use plan::{Instruction, Plan};
use program::{Choice, programs};

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "emit-jobs",
    summary: "Turn device configuration and runtime sequence into jobs of control code",
    leaves: &[
        "aiex.cert.page operations hold the configuration, then the sequence: in the device for \
         controller 0, else in an aiex.cert.attach_to_group",
        "the jobs of a page with their data fit it",
        "controllers and jobs meet at barriers wherever one needs what another does",
        "every patched BD image has one descriptor",
        "the compiled runtime sequence keeps its arguments and has no body; others are gone",
    ],
    options: &[
        OptionDef {
            name: "sequence",
            default: "",
            summary: "Name of the runtime sequence to compile, if the device has several",
        },
        OptionDef {
            name: "device-name",
            default: "",
            summary: "Name of the device to compile, if the module has several",
        },
        OptionDef {
            name: "reconfigure",
            default: DEFAULT_RECONFIGURE.name(),
            summary: "full or diff: what is written when a sequence loads another device",
        },
        OptionDef {
            name: "prologue",
            default: DEFAULT_PROLOGUE.name(),
            summary: "none or reset: whether the array is as after a reset, or what is used is reset",
        },
        OptionDef {
            name: "jobs",
            default: DEFAULT_JOBS.name(),
            summary: "single, per-column or parallel: who does what, and how much at a time",
        },
    ],
    run: Run::Module(run),
};

/// How work is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jobs {
    /// One controller does everything, one thing after the other.
    Single,
    /// Each column's controller does what its column needs, one thing after the other.
    PerColumn,
    /// Each column's controller works on independent things at the same time.
    Parallel,
}

/// What a compilation does unless told otherwise.
pub const DEFAULT_JOBS: Jobs = Jobs::Parallel;

impl Jobs {
    /// All ways.
    pub const ALL: [Jobs; 3] = [Jobs::Single, Jobs::PerColumn, Jobs::Parallel];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Jobs::Single => "single",
            Jobs::PerColumn => "per-column",
            Jobs::Parallel => "parallel",
        }
    }

    /// The way of a name.
    pub fn by_name(name: &str) -> Option<Jobs> {
        Jobs::ALL.into_iter().find(|jobs| jobs.name() == name)
    }
}

codes! {
    /// Codes of `emit-jobs`.
    pub static CODES;
    WHICH_SEQUENCE = "jobs::which-sequence",
        "A control code file runs one runtime sequence. A device with several needs to be told \
         which one.";
    WHICH_DEVICE = "jobs::which-device",
        "A control code file is made for one device and those that its runtime sequence loads. A \
         module with several others needs to be told which one.";
    WHICH_JOBS = "jobs::which-jobs",
        "Work is divided in one of three ways: `single` (one controller, one job), `per-column` \
         (each column's controller does its column) or `parallel` (controllers overlap waiting \
         and working too).";
}

fn run(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let choice = choice(context)?;
    for program in programs(module, &choice, context.diags)? {
        for how in program.loads.iter().filter_map(|load| load.how) {
            context.count(how, 1);
        }
        let plan = program.plan(choice.jobs);
        count(&plan, context);
        build::build(module, program.device, &plan, choice.jobs, context.pass);
        finish(module, program.device, program.sequence);
    }
    Ok(())
}

/// What the options say.
fn choice(context: &mut PassContext<'_>) -> Result<Choice, Reported> {
    let wanted = context.option("jobs").to_string();
    let Some(jobs) = Jobs::by_name(&wanted) else {
        let message = format!("there is no way `{wanted}` to divide jobs");
        let diag = Diag::error(&WHICH_JOBS, message);
        return Err(context.fail(diag.help("write single, per-column or parallel")));
    };
    let wanted = context.option("reconfigure").to_string();
    let Some(reconfigure) = Reconfigure::by_name(&wanted) else {
        let message = format!("there is no way `{wanted}` to load a device");
        let diag = Diag::error(&WHICH_WAY, message);
        return Err(context.fail(diag.help("write full or diff")));
    };
    let wanted = context.option("prologue").to_string();
    let Some(prologue) = Prologue::by_name(&wanted) else {
        let message = format!("there is no prologue `{wanted}`");
        let diag = Diag::error(&WHICH_PROLOGUE, message);
        return Err(context.fail(diag.help("write none or reset")));
    };
    Ok(Choice {
        jobs,
        reconfigure,
        prologue,
        device: context.option("device-name").to_string(),
        sequence: context.option("sequence").to_string(),
    })
}

/// Leaves of the sequences the arguments of the compiled one.
fn finish(module: &mut Module, device: Op, sequence: Option<RuntimeSequence>) {
    for other in module.children::<RuntimeSequence>(device) {
        if Some(other) != sequence {
            module.erase(other.op());
        } else if let Some(block) = module.entry(other.op(), 0) {
            for op in module.ops_in(block).into_iter().rev() {
                module.erase(op);
            }
        }
    }
}

fn count(plan: &Plan, context: &mut PassContext<'_>) {
    let pages = plan.groups.iter().flat_map(plan::Group::all_pages);
    let (mut jobs, mut bytes, mut count) = (0, 0, 0);
    for page in pages {
        count += 1;
        jobs += page.len();
        bytes += plan.page_bytes(page);
    }
    context.count("controllers", plan.groups.len() as u64);
    context.count("pages", count);
    context.count("jobs", jobs as u64);
    context.count("bytes", bytes as u64);
    for instruction in plan.instructions() {
        let what = match instruction {
            Instruction::Write { .. } => "writes",
            Instruction::Mask { .. } => "masked writes",
            Instruction::Chain(_) => "descriptor chains",
            Instruction::StartChain { .. } => "descriptor chains beside a job",
            Instruction::WaitChain { .. } => "waits for chains",
            Instruction::Patch { .. } => "patches",
            Instruction::Copy { .. } => "copies of words",
            Instruction::Poll { .. } => "polls",
            Instruction::Wait { .. } => "waits",
            Instruction::LocalBarrier { .. } => "local barriers",
            Instruction::Launch { .. } => "launches",
            Instruction::RemoteBarrier { .. } => "remote barriers",
            Instruction::Load { .. } => "loads",
        };
        context.count(what, 1);
        if !instruction.chain().is_empty() {
            context.count("descriptors", instruction.chain().len() as u64);
        }
    }
}
