//! Copies of a run on its way, from which a movement backwards sets out instead of the begin.
//!
//! They lie at equal distances. When there are too many, each second one is dropped and the distance doubles, so that a run of any
//! length has some, and a movement by a few cycles repeats a part of the run only.

use std::collections::BTreeMap;

use aiec_sim::{LiveRun, Pause};

use crate::interrupt::{Interrupt, watcher};

/// Cycles between copies at first.
const FIRST_SPACING: u64 = 1024;

/// Copies that are kept at most. A whole array of 8 columns holds some 6 MB of memory (AM020: 512 KB in a mem tile, 80 KB in a core's).
const MAX_COPIES: u64 = 16;

/// Bytes of arguments that all copies hold at most.
const MAX_ARGUMENT_BYTES: u64 = 1 << 28;

/// Copies of one run, by the cycle at whose end each was made.
#[derive(Debug)]
pub struct Checkpoints {
    kept: BTreeMap<u64, LiveRun>,
    spacing: u64,
}

impl Checkpoints {
    /// None yet.
    pub fn new() -> Checkpoints {
        Checkpoints {
            kept: BTreeMap::new(),
            spacing: FIRST_SPACING,
        }
    }

    /// Goes on with the run as [`LiveRun::go_on`] does, and keeps copies on the way.
    pub fn go_on(
        &mut self,
        run: &mut LiveRun,
        until: Option<u64>,
        at_hazards: bool,
        interrupt: Interrupt<'_>,
    ) -> Pause {
        loop {
            // A short stretch may end before the run asks by itself.
            if interrupt() {
                return Pause::Interrupted;
            }
            let next = (run.cycle() / self.spacing)
                .saturating_add(1)
                .saturating_mul(self.spacing);
            let end = until.map_or(next, |until| until.min(next));
            let pause = run.go_on(Some(end), at_hazards, &mut watcher(interrupt));
            if pause != Pause::Until(end) {
                return pause;
            }
            if end == next {
                self.keep(end, run);
            }
            if until == Some(end) {
                return pause;
            }
        }
    }

    /// A copy of the run, without breakpoints, from the end of the last cycle up to `cycle` that was kept.
    pub fn last_up_to(&self, cycle: u64) -> Option<LiveRun> {
        let (_, kept) = self.kept.range(..=cycle).next_back()?;
        let mut run = kept.checkpoint()?;
        run.stop_at(Vec::new());
        Some(run)
    }

    /// The last cycle before `cycle` at whose end a copy was made; 0, the begin, if there is none.
    pub fn cycle_before(&self, cycle: u64) -> u64 {
        let before = self.kept.range(..cycle).next_back();
        before.map_or(0, |(cycle, _)| *cycle)
    }

    fn keep(&mut self, cycle: u64, run: &LiveRun) {
        let max = MAX_ARGUMENT_BYTES / run.argument_bytes().max(1);
        let max = max.min(MAX_COPIES) as usize;
        if max == 0 || self.kept.contains_key(&cycle) {
            return;
        }
        if let Some(copy) = run.checkpoint() {
            self.kept.insert(cycle, copy);
        }
        while self.kept.len() > max {
            self.spacing = self.spacing.saturating_mul(2);
            let spacing = self.spacing;
            self.kept.retain(|cycle, _| cycle.is_multiple_of(spacing));
        }
    }
}
