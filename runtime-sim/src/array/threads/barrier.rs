//! Where threads meet to agree on how far each may go.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::time::Cycle;

#[derive(Debug)]
struct BarrierState {
    /// Who hasn't come to this meeting yet.
    awaited: usize,
    /// The least cycle that those who have come to this meeting have named.
    least: Cycle,
    /// The least of the meeting before.
    agreed: Cycle,
    /// Meetings so far.
    count: u64,
    /// A thread won't come any more.
    is_broken: bool,
}

/// A meeting of a number of threads, again and again.
#[derive(Debug)]
pub(super) struct CycleBarrier {
    threads: usize,
    state: Mutex<BarrierState>,
    over: Condvar,
}

impl CycleBarrier {
    /// For `threads` threads.
    pub fn new(threads: usize) -> CycleBarrier {
        let state = BarrierState {
            awaited: threads,
            least: Cycle::MAX,
            agreed: 0,
            count: 0,
            is_broken: false,
        };
        CycleBarrier {
            threads,
            state: Mutex::new(state),
            over: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, BarrierState> {
        // all of it is valid at any time
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of the threads won't come any more.
    pub fn give_up(&self) {
        self.state().is_broken = true;
        self.over.notify_all();
    }

    /// Waits until all have come; returns the least of the cycles that they name, 0 if one can't come.
    pub fn agree(&self, cycle: Cycle) -> Cycle {
        let mut state = self.state();
        state.least = state.least.min(cycle);
        state.awaited -= 1;
        if state.awaited == 0 {
            state.awaited = self.threads;
            state.agreed = std::mem::replace(&mut state.least, Cycle::MAX);
            state.count += 1;
            self.over.notify_all();
        }
        let meeting = state.count + u64::from(state.awaited != self.threads);
        while state.count < meeting && !state.is_broken {
            let woken = self.over.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_broken { 0 } else { state.agreed }
    }
}

/// Lets the other threads go on without this one if it panics.
pub(super) struct BarrierParticipant<'a>(pub &'a CycleBarrier);

impl Drop for BarrierParticipant<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn all_agree_on_the_least_each_time() {
        let meeting = CycleBarrier::new(3);
        let rounds = |own: Cycle| -> Vec<Cycle> {
            let rounds = (0..100).map(|round| meeting.agree(round + own * (round % 3)));
            rounds.collect()
        };
        let wanted: Vec<Cycle> = (0..100).map(|round| round + round % 3).collect();
        thread::scope(|scope| {
            let threads = [1, 2, 3].map(|own| scope.spawn(move || rounds(own)));
            for thread in threads {
                assert_eq!(thread.join().unwrap(), wanted);
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panics() {
        let meeting = CycleBarrier::new(2);
        let left = catch_unwind(AssertUnwindSafe(|| {
            let _participant = BarrierParticipant(&meeting);
            panic!("the thread ends");
        }));
        assert!(left.is_err());
        assert_eq!(meeting.agree(7), 0);
    }
}
