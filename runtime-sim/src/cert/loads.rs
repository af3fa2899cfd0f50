//! Instructions that load configurations and core programs, and preemption points.
//!
//! A preemption point is a synchronisation point of all controllers whether or not the context is switched
//! there. If it is, each controller runs its save pages, they meet, the array passes to another
//! context and comes back, and each runs its restore pages. Only mem tiles are saved (cores are
//! taken as stateless), so that is what the switch destroys here.

use super::context::{ExecContext, InstructionOutcome};
use super::fault::{CertFault, InstructionFault};
use super::vm::Vm;

/// Steps of PREEMPT.
mod step {
    /// Meets the others.
    pub const SYNC: u8 = 0;
    /// Looks whether a switch was asked for.
    pub const CHECK: u8 = 1;
    /// All have saved.
    pub const SWITCH: u8 = 2;
    /// Has restored.
    pub const RESTORED: u8 = 3;
}

impl Vm {
    fn step_of(&mut self, c: &ExecContext<'_>) -> Option<&mut u8> {
        let job = self.stack.get_mut(c.key.depth)?.jobs.get_mut(c.key.job)?;
        Some(&mut job.step)
    }

    /// Sets the step that the instruction goes on with; gives the one it was at.
    fn enter(&mut self, c: &ExecContext<'_>, next: impl FnOnce(u8) -> u8) -> u8 {
        match self.step_of(c) {
            Some(step) => {
                let at = *step;
                *step = next(at);
                at
            }
            None => step::SYNC,
        }
    }

    /// PREEMPT: where the context may be switched.
    pub(super) fn preempt(
        &mut self,
        c: &mut ExecContext<'_>,
        id: u16,
        save: u16,
        restore: u16,
    ) -> InstructionOutcome {
        let at = self.enter(c, |at| at + 1);
        match at {
            step::SYNC => InstructionOutcome::SyncAgain,
            step::CHECK => {
                self.preempted = c.shared.preempt.contains(&id);
                if self.preempted {
                    return InstructionOutcome::ScopeAgain(save);
                }
                self.enter(c, |_| step::SYNC);
                InstructionOutcome::Next
            }
            step::SWITCH => {
                if c.shared.switched.insert(id) {
                    c.array.poison_mem_tiles();
                }
                self.time += c.timing.context_switch;
                InstructionOutcome::ScopeAgain(restore)
            }
            _ => {
                debug_assert_eq!(at, step::RESTORED);
                self.enter(c, |_| step::SYNC);
                InstructionOutcome::Next
            }
        }
    }

    /// LOAD_LAST_PDI: the configuration once more, then the core programs if a scope holds them.
    pub(super) fn load_last(
        &mut self,
        c: &ExecContext<'_>,
    ) -> Result<InstructionOutcome, CertFault> {
        let none = InstructionFault::NotExecutable("no configuration was loaded before");
        let (_, configuration) = self.last_pdi.ok_or(none.at(c.site))?;
        let cores = self.last_cores.and_then(|(_, scope)| scope);
        let at = self.enter(c, |at| at + 1);
        Ok(match (at, cores) {
            (0, Some(_)) => InstructionOutcome::ScopeAgain(configuration),
            (_, last) => {
                self.enter(c, |_| 0);
                InstructionOutcome::Scope(last.unwrap_or(configuration))
            }
        })
    }

    /// Skips the rest of the job if these core programs were loaded last.
    pub(super) fn load_cores_inline(&mut self, c: &ExecContext<'_>, id: u32) -> InstructionOutcome {
        let job = &mut self.stack[c.key.depth].jobs[c.key.job];
        if self.last_cores.is_some_and(|(last, _)| last == id) {
            // the step after this instruction leads to END_JOB
            job.pc = job.ops.len().saturating_sub(2);
        } else {
            self.last_cores = Some((id, None));
        }
        InstructionOutcome::Next
    }
}

/// LOAD_PDI and LOAD_CORES: nothing to do if that was loaded last.
pub(super) fn load(loaded: Option<(u32, u16)>, id: u32, scope: u16) -> InstructionOutcome {
    match loaded {
        Some((last, _)) if last == id => InstructionOutcome::Sync,
        _ => InstructionOutcome::Scope(scope),
    }
}
