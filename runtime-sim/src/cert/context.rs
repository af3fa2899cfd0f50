//! Context in which an instruction executes, and the fate of its job after it.

use aiec_cert::timing::CertTiming;

use super::fault::InstructionSite;
use super::job::JobBlock;
use super::sync::{JobKey, SharedState};
use crate::array::Array;
use crate::time::Cycle;

/// Fate of the job after an instruction.
pub(super) enum InstructionOutcome {
    /// It goes on.
    Next,
    /// It waits; the instruction is done once it is woken.
    Block(JobBlock),
    /// It waits and then tries the instruction again.
    Retry(JobBlock),
    /// The controller spins: the instruction is tried again and no other job runs.
    Spin(Cycle),
    /// Others run first.
    Yield,
    /// It has ended.
    End,
    /// It runs the pages of a scope, then waits for the other controllers.
    Scope(u16),
    /// Same as [`Self::Scope`], after which the instruction goes on with its next step.
    ScopeAgain(u16),
    /// It waits at a synchronisation point for the other controllers.
    Sync,
    /// Same as [`Self::Sync`], after which the instruction goes on with its next step.
    SyncAgain,
}

/// Context of an instruction.
pub(super) struct ExecContext<'a> {
    pub array: &'a mut Array,
    pub shared: &'a mut SharedState,
    pub timing: &'a CertTiming,
    pub key: JobKey,
    pub site: InstructionSite,
}
