//! The jumps, loads and stores of a core, one by one: those of machine code for a trace, and those of watched memory.
//!
//! Between two waits there can be any number of them, so that only the first few are kept for a trace; how many
//! followed is counted. Accesses to watched memory are kept all.

use std::ops::Range;

use crate::time::Cycle;

/// Steps that are kept between two waits.
const MAX_STEPS: usize = 256;

/// Bytes of a window that are loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreAccess {
    /// The window, of south, west, north and east.
    pub window: u8,
    /// First byte in the window.
    pub inside: u32,
    /// Bytes.
    pub bytes: u32,
}

/// A step of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreStepKind {
    /// Execution goes on at an address, not after the bundle.
    Jump(u32),
    /// A load.
    Load(CoreAccess),
    /// A store.
    Store(CoreAccess),
    /// Number of further steps up to the next wait.
    Omitted(u32),
}

/// A step with its place in program memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreStep {
    /// When.
    pub at: Cycle,
    /// Address of the bundle.
    pub pc: u32,
    /// Its kind.
    pub kind: CoreStepKind,
}

/// Bytes of a window of a core whose accesses are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedRange {
    /// The window, of south, west, north and east.
    pub window: usize,
    /// Bytes in the window.
    pub bytes: Range<u32>,
}

impl WatchedRange {
    fn overlaps(&self, access: CoreAccess) -> bool {
        let end = access.inside.saturating_add(access.bytes);
        usize::from(access.window) == self.window
            && access.inside < self.bytes.end
            && self.bytes.start < end
    }
}

/// Keeps the steps of a core.
#[derive(Clone, Debug, Default)]
pub struct StepLog {
    /// Steps are kept for a trace.
    pub traced: bool,
    /// Accesses to these are kept beside the others.
    pub watched: Vec<WatchedRange>,
    /// Accesses to watched memory since the last call of [`StepLog::take_watched`].
    watched_accesses: Vec<CoreStep>,
    steps: Vec<CoreStep>,
    /// Steps since the last wait, those that were taken among them.
    count: usize,
}

impl StepLog {
    /// Keeps a step, if there is room.
    #[cold]
    pub(super) fn add(&mut self, step: CoreStep) {
        if let CoreStepKind::Load(access) | CoreStepKind::Store(access) = step.kind
            && self.watched.iter().any(|range| range.overlaps(access))
        {
            self.watched_accesses.push(step);
        }
        if !self.traced {
            return;
        }
        if self.count < MAX_STEPS {
            self.steps.push(step);
        }
        self.count += 1;
    }

    /// Accesses to watched memory since the last call.
    pub fn take_watched(&mut self) -> Vec<CoreStep> {
        std::mem::take(&mut self.watched_accesses)
    }

    /// The steps since the last call; at a wait, or at the end, with the number of those that were not kept.
    pub fn take(&mut self, waits: Option<(Cycle, u32)>) -> Vec<CoreStep> {
        let mut steps = std::mem::take(&mut self.steps);
        if let Some((at, pc)) = waits {
            let more = self.count.saturating_sub(MAX_STEPS);
            if let Ok(more @ 1..) = u32::try_from(more) {
                let kind = CoreStepKind::Omitted(more);
                steps.push(CoreStep { at, pc, kind });
            }
            self.count = 0;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(at: Cycle) -> CoreStep {
        let kind = CoreStepKind::Jump(64);
        CoreStep { at, pc: 16, kind }
    }

    #[test]
    fn after_a_wait_steps_are_kept_again() {
        let mut log = StepLog {
            traced: true,
            ..StepLog::default()
        };
        for at in 0..300 {
            log.add(jump(at));
        }
        assert_eq!(log.take(None).len(), MAX_STEPS);
        log.add(jump(300));
        let end = log.take(Some((301, 16)));
        let kinds: Vec<CoreStepKind> = end.iter().map(|step| step.kind).collect();
        assert_eq!(kinds, [CoreStepKind::Omitted(301 - MAX_STEPS as u32)]);
        log.add(jump(302));
        assert_eq!(log.take(Some((303, 16))), [jump(302)]);
    }

    #[test]
    fn accesses_to_watched_bytes_are_kept_without_a_trace() {
        let mut log = StepLog {
            watched: vec![WatchedRange {
                window: 1,
                bytes: 8..12,
            }],
            ..StepLog::default()
        };
        let store = |window, inside, bytes| CoreStep {
            at: 5,
            pc: 16,
            kind: CoreStepKind::Store(CoreAccess {
                window,
                inside,
                bytes,
            }),
        };
        log.add(jump(4));
        for (window, inside, bytes) in [(0, 8, 4), (1, 4, 4), (1, 12, 4), (1, 0, 16), (1, 11, 1)] {
            log.add(store(window, inside, bytes));
        }
        assert_eq!(log.take_watched(), [store(1, 0, 16), store(1, 11, 1)]);
        assert_eq!(log.take_watched(), []);
        assert_eq!(log.take(Some((6, 16))), []);
    }
}
