//! What a program says that cannot work on the machine, or hardly can be meant.
//!
//! Layout finds what has no encoding; these checks find what has one and still never ends or does
//! something else: barriers that are short of participants, waits for handles that nobody set,
//! deferred jobs that nobody launches. They go by what the instruction set promises (aiebu:
//! specification/aie2ps/isa-spec.yaml): every job of a page runs once, a page ends before the
//! next one begins, and no page may depend on a later one.
//!
//! One walk over the code ([`survey`]) collects the few instructions that matter; each check then
//! looks at these alone, so that the work stays linear in the size of the program.

mod data;
mod finding;
mod handle;
mod launch;
mod local;
mod meeting;
mod order;
mod remote;
mod survey;
mod value;

pub use finding::{Finding, FindingKind, Named, Severity};

use crate::pager::GroupPlan;
use crate::program::Program;
use survey::Survey;

/// What of a program is known to be incomplete, because lines of its text were refused: checks
/// that would blame what is left are not made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lost {
    /// Whole jobs, scopes or lines of unknown meaning.
    pub jobs: bool,
    /// Barrier instructions.
    pub barriers: bool,
    /// Instructions that set or wait for handles, or change registers.
    pub registers: bool,
    /// LAUNCH_JOB.
    pub launches: bool,
    /// Instructions that run scopes.
    pub loads: bool,
    /// Data, or instructions that patch it.
    pub data: bool,
}

impl Lost {
    /// Nothing can be relied on.
    pub const ALL: Self = Self {
        jobs: true,
        barriers: true,
        registers: true,
        launches: true,
        loads: true,
        data: true,
    };
}

/// Checks a program; `plans` holds the pages of its groups, in their order, and `columns` is the
/// size of the partition if the text declares one. Findings come in the order of the checks; sort
/// them by place to show them.
pub fn check(
    program: &Program,
    plans: &[GroupPlan],
    columns: Option<u32>,
    lost: Lost,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let survey = Survey::new(program, plans, &mut findings);
    if !lost.jobs {
        if !lost.launches {
            launch::check(&survey, &mut findings);
            if !lost.barriers {
                local::check(&survey, &mut findings);
                let rounds = remote::check(&survey, &mut findings);
                order::check(&survey, &rounds, &mut findings);
            }
        }
        if !lost.registers {
            handle::check(&survey, &mut findings);
        }
        if !lost.loads {
            meeting::check(&survey, &mut findings);
        }
    }
    value::check(&survey, columns, &mut findings);
    if !lost.jobs && !lost.data {
        data::check(&survey, &mut findings);
    }
    findings
}
