//! Checks of programs for code that can't work on the machine, or is hardly intended.
//!
//! Layout finds what has no encoding; these checks find what has one and still never ends or does
//! something else: barriers that are short of participants, waits for handles that were never set,
//! deferred jobs that are never launched. They go by what the instruction set promises (aiebu:
//! specification/aie2ps/isa-spec.yaml): every job of a page runs once, a page ends before the next
//! one begins, and no page may depend on a later one.
//!
//! One walk over the code ([`survey`]) collects the few instructions that matter; each check then
//! looks at these alone, so that the work stays linear in the size of the program.

mod codes;
mod data;
mod handle;
mod launch;
mod local;
mod meeting;
mod order;
mod remote;
mod survey;
mod value;

pub use codes::CODES;

use crate::finding::{Finding, UnreadCounts};
use crate::pager::GroupPlan;
use crate::program::Program;
use survey::ProgramIndex;

/// Checks a program; `plans` holds the pages of its groups, in their order, and `columns` is the
/// size of the partition if the text declares one. Findings come in the order of the checks; sort
/// them by place to show them.
pub fn check(
    program: &Program,
    plans: &[GroupPlan],
    columns: Option<u32>,
    unread: UnreadCounts,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let survey = ProgramIndex::new(program, plans, &mut findings);
    if !unread.jobs {
        if !unread.launches {
            launch::check(&survey, &mut findings);
            if !unread.barriers {
                local::check(&survey, &mut findings);
                let rounds = remote::check(&survey, &mut findings);
                order::check(&survey, &rounds, &mut findings);
            }
        }
        if !unread.registers {
            handle::check(&survey, &mut findings);
        }
        if !unread.loads {
            meeting::check(&survey, &mut findings);
        }
    }
    value::check(&survey, columns, &mut findings);
    if !unread.jobs && !unread.data {
        data::check(&survey, &mut findings);
    }
    findings
}
