//! Runs passes in order: options, findings, timing, and a hook after each pass.

use std::time::{Duration, Instant};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::OpKind;
use aiec_diag::{Diags, Reported};
use indexmap::IndexMap;

use crate::infra::pass::{PassContext, PassDef, PassOptions, PassScope, flag};

/// A pass with the options of this run.
#[derive(Clone)]
pub struct PassStep {
    /// The pass.
    pub pass: &'static PassDef,
    /// Its options.
    pub options: PassOptions,
}

impl PassStep {
    /// A pass with default options.
    pub fn new(pass: &'static PassDef) -> PassStep {
        PassStep {
            pass,
            options: PassOptions::new(),
        }
    }

    /// Whether an option that is true or false is true.
    pub fn flag(&self, name: &str) -> bool {
        flag(self.pass.option(&self.options, name)) == Some(true)
    }

    /// Sets an option; what a user gives is checked by [`OptionDef::check`](super::pass::OptionDef::check).
    pub fn with(mut self, name: &str, value: &str) -> PassStep {
        self.options.insert(name.to_string(), value.to_string());
        self
    }
}

/// Time and counters of one step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The pass's name.
    pub pass: &'static str,
    /// Wall time.
    pub time: Duration,
    /// Its counters.
    pub statistics: IndexMap<&'static str, u64>,
}

/// Called after each pass that succeeded.
pub type AfterPass<'a> = dyn FnMut(&'static PassDef, &Module, &mut Diags) + 'a;

/// Looks on while passes run, for `--print-ir-after` and `--verify-each`.
pub trait Observer {
    /// Called before each step.
    fn before(&mut self, _step: &PassStep, _module: &Module) {}

    /// Called after each pass that succeeded.
    fn after(&mut self, pass: &'static PassDef, module: &Module, diags: &mut Diags);
}

/// A function observes what passes leave only.
impl<F: FnMut(&'static PassDef, &Module, &mut Diags)> Observer for F {
    fn after(&mut self, pass: &'static PassDef, module: &Module, diags: &mut Diags) {
        self(pass, module, diags);
    }
}

/// Runs the steps until one fails or reports an error.
pub fn run(
    module: &mut Module,
    steps: &[PassStep],
    diags: &mut Diags,
    mut after: &mut AfterPass<'_>,
) -> Result<Vec<StepReport>, Reported> {
    run_observed(module, steps, diags, &mut after)
}

/// Same as [`run`], with an observer.
pub fn run_observed(
    module: &mut Module,
    steps: &[PassStep],
    diags: &mut Diags,
    observer: &mut dyn Observer,
) -> Result<Vec<StepReport>, Reported> {
    let mut reports = Vec::with_capacity(steps.len());
    for step in &options_where_they_are_read(steps) {
        let start = Instant::now();
        let mut statistics = IndexMap::new();
        observer.before(step, module);
        run_step(module, step, diags, &mut statistics)?;
        diags.check()?;
        reports.push(StepReport {
            pass: step.pass.name,
            time: start.elapsed(),
            statistics,
        });
        observer.after(step.pass, module, diags);
        diags.check()?;
    }
    Ok(reports)
}

/// The steps, with the options of a pass that is part of an earlier one given to that one.
fn options_where_they_are_read(steps: &[PassStep]) -> Vec<PassStep> {
    let mut given: Vec<PassStep> = Vec::with_capacity(steps.len());
    for step in steps {
        if let PassScope::PartOf(whole, _) = step.pass.run {
            let earlier = given.iter_mut().rev().find(|s| s.pass.name == whole.name);
            if let Some(earlier) = earlier {
                earlier.options.extend(step.options.clone());
            }
        }
        given.push(step.clone());
    }
    given
}

/// The devices of a module, found without a walk through them.
fn devices(module: &Module) -> Vec<Op> {
    let regions = module.regions_of(module.top()).iter();
    let blocks = regions.flat_map(|region| module.blocks_of(*region));
    let ops = blocks.flat_map(|block| module.block_ops(*block));
    ops.flat_map(|op| match module.kind(op) {
        OpKind::Device => vec![op],
        _ => module.find(op, OpKind::Device),
    })
    .collect()
}

fn run_step(
    module: &mut Module,
    step: &PassStep,
    diags: &mut Diags,
    statistics: &mut IndexMap<&'static str, u64>,
) -> Result<(), Reported> {
    let mut context = PassContext::new(step.pass, &step.options, diags, statistics);
    match step.pass.run {
        PassScope::Module(run) | PassScope::PartOf(_, run) => run(module, &mut context),
        PassScope::Device(run) => {
            // All devices are tried, so that one run reports what is wrong in each.
            let mut result = Ok(());
            for device in devices(module) {
                result = result.and(run(module, device, &mut context));
            }
            result
        }
    }
}
