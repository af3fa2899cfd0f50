//! `emit-jobs`: turns a lowered device into control code operations.
//!
//! Configuration and runtime sequence are lists of register operations, which [`program`] collects.
//! [`graph`] finds what must stay ordered, [`partition`] which controller does what, [`barriers`]
//! where controllers and jobs meet, [`schedule`] makes pages and jobs, and [`encode`] chooses the
//! cheapest instructions. The [`plan`] becomes a program for `aiec-cert` in a compilation, and
//! operations (`build`; `mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp` has the same ones)
//! where the pass is run by name; [`read`] reads these again. The book's page "Jobs and barriers"
//! has the rules.

pub mod barriers;
mod build;
pub mod cost;
pub mod encode;
pub mod estimate;
pub mod graph;
pub mod operations;
pub mod pages;
pub mod partition;
pub mod plan;
pub mod program;
pub mod read;
pub mod schedule;
#[cfg(test)]
mod tests;
pub mod timeline;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{CertJob, OpView, RuntimeSequence};
use aiec_cert::program::Phase;
use aiec_device::DeviceModel;
use aiec_diag::{Diag, Diags, Reported, codes, named_enum};
use indexmap::IndexMap;

use crate::infra::pass::{OptionDef, OptionValue, Options, PassContext, PassDef, pass_options};
use crate::reconfigure::prologue::{DEFAULT_PROLOGUE, Prologue};
use crate::reconfigure::{DEFAULT_RECONFIGURE, Reconfigure};
use aiec_codegen::CorePrograms;
use plan::{ControllerPlan, Plan};
use program::{ControlCodeOptions, programs};

/// The pass.
pub static PASS: PassDef = PassDef::of_module("emit-jobs", |module, context| {
    run(module, &context.options()?, context)
})
.summary("Turn device configuration and runtime sequence into jobs of control code")
.postconditions(&[
    "aiex.cert.page operations hold the configuration, then the sequence: in the device for \
         controller 0, else in an aiex.cert.attach_to_group",
    "the jobs of a page with their data fit it",
    "controllers and jobs meet at barriers wherever one needs what another does",
    "every patched BD image has one descriptor",
    "the compiled runtime sequence keeps its arguments and has no body; others are gone",
])
.options(<JobOptions as Options>::DEFS);

pass_options! {
    /// Options of `emit-jobs`.
    pub(crate) struct JobOptions {
        /// Name of the sequence; empty for the only one.
        pub(crate) sequence: String = OptionDef::text(
            "sequence",
            "",
            "Name of the runtime sequence to compile, if the device has several",
        ),
        /// Name of the device; empty for the only one.
        pub(crate) device_name: String = OptionDef::text(
            "device-name",
            "",
            "Name of the device to compile, if the module has several",
        ),
        /// Writes when a sequence loads another device.
        pub(crate) reconfigure: Reconfigure = OptionDef::one_of(
            "reconfigure",
            DEFAULT_RECONFIGURE.name(),
            Reconfigure::NAMES,
            "full or diff: what is written when a sequence loads another device",
        ),
        /// State of the array before.
        pub(crate) prologue: Prologue = OptionDef::one_of(
            "prologue",
            DEFAULT_PROLOGUE.name(),
            Prologue::NAMES,
            "none or reset: whether the array is as after a reset, or what is used is reset",
        ),
        /// Division of work; `None` by the device.
        pub(crate) jobs: Option<Jobs> = OptionDef::one_of(
            "jobs",
            OF_DEVICE,
            WAYS,
            "single, per-column or parallel: who does what, and how much at a time; device: parallel \
             where columns have controllers, else single",
        ),
    }
}

named_enum! {
    /// Division of work.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Jobs {
        /// One controller does everything, one thing after the other.
        Single => "single",
        /// Each column's controller does what its column needs, one thing after the other.
        PerColumn => "per-column",
        /// Each column's controller works on independent things at the same time.
        Parallel => "parallel",
    }
}

/// The name of the way that [`Jobs::of_device`] chooses.
const OF_DEVICE: &str = "device";
/// The values of the option `jobs`.
const WAYS: &[&str] = &[
    OF_DEVICE,
    Jobs::Single.name(),
    Jobs::PerColumn.name(),
    Jobs::Parallel.name(),
];

impl Jobs {
    /// The way of a compilation that names none: devices without controllers in their columns have one
    /// command processor, which does one thing after the other (Ryzen AI: npu1 and npu2).
    pub fn of_device(model: &DeviceModel) -> Jobs {
        if model.has_cert() {
            Jobs::Parallel
        } else {
            Jobs::Single
        }
    }
}

codes! {
    /// Codes of `emit-jobs`.
    pub static CODES;
    WHICH_SEQUENCE = "jobs::which-sequence",
        "A control code file runs one runtime sequence. A device with several needs an option that \
         names it.";
    WHICH_DEVICE = "jobs::which-device",
        "A control code file is made for one device and those that its runtime sequence loads. A \
         module with several others needs an option that names it.";
    CONFIGURED_TWICE = "emit::configured-twice",
        "A device with the control code of a compilation (jobs with `configures`, as `--emit=mlir` and \
         `emit-jobs` leave them) is configured by it. A runtime sequence beside it isn't part of that code, and \
         to compile it the whole device would be configured again. Compile the design that the control code \
         was made of.";
    NOT_CONTROL_CODE = "emit::not-control-code",
        "An operation inside a job has no form in control code, or an operand is out of range.";
}

fn run(
    module: &mut Module,
    options: &JobOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let choice = options.control_code();
    let mut cores = CorePrograms::default();
    let codes = control_code(
        module,
        &choice,
        &mut cores,
        context.diags,
        context.statistics,
    )?;
    let mut made = Vec::new();
    for code in codes {
        if !code.is_held(module, context.diags)? {
            made.push(code);
        }
    }
    insert_operations(module, &made);
    Ok(())
}

/// The control code of a device.
pub struct ControlCode {
    /// The device.
    pub device: Op,
    /// The runtime sequence that it runs.
    pub sequence: Option<RuntimeSequence>,
    /// The code.
    pub plan: Plan,
    /// Division of its work.
    pub jobs: Jobs,
}

impl ControlCode {
    /// Whether the device holds it already, as operations that a compilation left.
    ///
    /// # Errors
    /// It holds the configuration, and the sequence is another matter.
    pub fn is_held(&self, module: &Module, diags: &mut Diags) -> Result<bool, Reported> {
        let jobs = module.find_all::<CertJob>(self.device);
        let Some(held) = jobs.iter().find(|job| job.configures(module) == Some(true)) else {
            return Ok(false);
        };
        let pages = self.plan.controllers.iter();
        let mut jobs = pages.flat_map(ControllerPlan::all_pages).flatten();
        if jobs.all(|job| job.phase == Phase::Configure) {
            return Ok(true);
        }
        let message =
            "this device holds the control code of a compilation, and a runtime sequence beside it";
        let diag = Diag::error(&CONFIGURED_TWICE, message)
            .label(module.span(held.op()), "this job configures the device")
            .help(
                "compile the design that it was made of, or take the control code operations out",
            );
        Err(diags.fail(diag))
    }
}

/// The control code of a lowered module, and counters of what it is made of. What its cores are
/// lowered to comes to `cores`.
///
/// # Errors
/// Something can't be lowered, or it isn't known which device or sequence is meant.
pub fn control_code(
    module: &Module,
    choice: &ControlCodeOptions,
    cores: &mut CorePrograms,
    diags: &mut Diags,
    statistics: &mut IndexMap<&'static str, u64>,
) -> Result<Vec<ControlCode>, Reported> {
    let mut codes = Vec::new();
    for program in programs(module, choice, cores, diags)? {
        for how in program.loads.iter().filter_map(|load| load.how) {
            *statistics.entry(how).or_default() += 1;
        }
        let jobs = choice.jobs(program.model);
        let plan = program.plan(jobs);
        count(&plan, statistics);
        codes.push(ControlCode {
            device: program.device,
            sequence: program.sequence,
            plan,
            jobs,
        });
    }
    Ok(codes)
}

/// Puts control code into its devices as operations.
pub fn insert_operations(module: &mut Module, codes: &[ControlCode]) {
    for code in codes {
        build::build(module, code.device, &code.plan, code.jobs, PASS.name);
        finish(module, code.device, code.sequence);
    }
}

impl JobOptions {
    fn control_code(&self) -> ControlCodeOptions {
        ControlCodeOptions {
            jobs: self.jobs,
            reconfigure: self.reconfigure,
            prologue: self.prologue,
            device: self.device_name.clone(),
            sequence: self.sequence.clone(),
        }
    }
}

/// `None` is the way that [`Jobs::of_device`] chooses.
impl OptionValue for Option<Jobs> {
    fn parse(text: &str) -> Option<Option<Jobs>> {
        match text {
            OF_DEVICE => Some(None),
            name => Jobs::by_name(name).map(Some),
        }
    }
}

impl OptionValue for Reconfigure {
    fn parse(text: &str) -> Option<Reconfigure> {
        Reconfigure::by_name(text)
    }
}

impl OptionValue for Prologue {
    fn parse(text: &str) -> Option<Prologue> {
        Prologue::by_name(text)
    }
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

fn count(plan: &Plan, statistics: &mut IndexMap<&'static str, u64>) {
    let mut add = |what, n: usize| *statistics.entry(what).or_default() += n as u64;
    let pages = || plan.controllers.iter().flat_map(ControllerPlan::all_pages);
    add("controllers", plan.controllers.len());
    add("pages", pages().count());
    add("jobs", pages().map(Vec::len).sum());
    add("bytes", pages().map(|page| plan.page_bytes(page)).sum());
    for op in plan.instructions() {
        add(op.info().mnemonic, 1);
        if !plan.chain_of(op).is_empty() {
            add("descriptors", plan.chain_of(op).len());
        }
    }
}
