//! `emit-jobs`: turns a lowered device into control code operations.
//!
//! Configuration and runtime sequence are lists of register operations. [`graph`] finds what must
//! stay ordered and which controller does what, [`barriers`] where controllers and jobs meet,
//! [`schedule`] makes pages and jobs, [`encode`] chooses the cheapest instructions, and `build`
//! makes the operations (`mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp` has the same
//! ones). The book's page "Jobs and barriers" tells the rules.

pub mod barriers;
mod build;
pub mod cost;
pub mod encode;
pub mod graph;
pub mod network;
pub mod pages;
pub mod plan;
pub mod registers;
pub mod schedule;
mod several;
pub mod size;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aiec_dialect::codes;
use aiec_dialect::diag::{Diag, Reported};
use aiec_dialect::ir::{Module, Op};
use aiec_dialect::ops::{Buffer, Core, Device, Lock, OpView, RuntimeSequence};

use crate::configure::device_writes;
use crate::pass::{OptionDef, PassContext, PassDef, Run};
use crate::reconfigure::prologue::{DEFAULT_PROLOGUE, Prologue};
use crate::reconfigure::{DEFAULT_RECONFIGURE, Phase, Reconfigure, WHICH_PROLOGUE, WHICH_WAY};
use crate::sequence::sequence_ops;
use graph::Graph;
use network::CoreUses;
use plan::{Instruction, Plan};

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
    run: Run::Module(run_all),
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

fn run_all(module: &mut Module, context: &mut PassContext<'_>) -> Result<(), Reported> {
    // All are tried, so that one run reports what is wrong in each.
    let mut result = Ok(());
    for device in several::compiled(module, context)? {
        result = result.and(run(module, device, context));
    }
    result
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    let wanted = context.option("jobs").to_string();
    let Some(jobs) = Jobs::by_name(&wanted) else {
        let message = format!("there is no way `{wanted}` to divide jobs");
        let diag = Diag::error(&WHICH_JOBS, message);
        return Err(context.fail(diag.help("write single, per-column or parallel")));
    };
    let wanted = context.option("reconfigure").to_string();
    let Some(way) = Reconfigure::by_name(&wanted) else {
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
    let sequence = choose(module, device, context)?;
    if let Some(sequence) = sequence.filter(|s| several::loads_devices(module, s.op())) {
        let plan = several::plan(module, sequence.op(), (way, prologue), jobs, context)?;
        count(&plan, context);
        build::build(module, device, &plan, jobs, context.pass);
        finish(module, device, Some(sequence));
        return Ok(());
    }
    let writes = device_writes(module, device, context.diags);
    let ops = match sequence {
        Some(sequence) => sequence_ops(module, sequence.op(), context.diags),
        None => Ok(Vec::new()),
    };
    let (writes, ops) = (writes?, ops?);
    let plan = match prologue {
        Prologue::None => {
            let graph = Graph::of(model, writes, ops, &core_uses(module, device), jobs);
            schedule::schedule(model, &graph, jobs)
        }
        Prologue::Reset => {
            let alone = Phase::alone(module, device, writes, ops);
            several::plan_of(module, model, vec![alone], prologue, jobs)
        }
    };
    count(&plan, context);
    build::build(module, device, &plan, jobs, context.pass);
    finish(module, device, sequence);
    Ok(())
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

/// The dependence graph of a lowered device, as the pass makes it.
///
/// # Errors
/// Something can't be lowered, or it isn't known which sequence is meant.
pub fn graph_of(
    module: &Module,
    device: Op,
    jobs: Jobs,
    diags: &mut aiec_dialect::diag::Diags,
) -> Result<Graph, Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(Graph::default());
    };
    let writes = device_writes(module, device, diags)?;
    let sequences = module.children::<RuntimeSequence>(device);
    let ops = match sequences.as_slice() {
        [] => Vec::new(),
        [first, ..] => sequence_ops(module, first.op(), diags)?,
    };
    let uses = core_uses(module, device);
    Ok(Graph::of(model, writes, ops, &uses, jobs))
}

/// The tiles whose memories and locks each core uses, beside its own.
fn core_uses(module: &Module, device: Op) -> CoreUses {
    let mut uses: CoreUses = BTreeMap::new();
    for core in module.children::<Core>(device) {
        let Some(loc) = core.tile_loc(module) else {
            continue;
        };
        let mut used = BTreeSet::new();
        for op in module.walk(core.op()) {
            for operand in module.operands(op) {
                let Some(definition) = module.def_op(operand) else {
                    continue;
                };
                let buffer = Buffer::cast(module, definition).and_then(|b| b.tile_loc(module));
                let lock = Lock::cast(module, definition).and_then(|l| l.tile_loc(module));
                used.extend(buffer.or(lock).filter(|tile| *tile != loc));
            }
        }
        uses.insert(loc, used);
    }
    uses
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
            "choose one with `--sequence` (in `aiec opt` the option `sequence` of `emit-jobs`): {}",
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
            Instruction::RemoteBarrier { .. } => "remote barriers",
            Instruction::Load { .. } => "loads",
        };
        context.count(what, 1);
        if !instruction.chain().is_empty() {
            context.count("descriptors", instruction.chain().len() as u64);
        }
    }
}
