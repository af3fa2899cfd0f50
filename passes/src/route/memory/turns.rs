//! Processes that have their steps in turns.

use std::collections::VecDeque;

/// Steps of a process before others have their turn.
const STEPS_PER_TURN: usize = 64;

/// Processes that may be able to go on, each once, in the order in which they were woken.
#[derive(Clone, Debug)]
pub(crate) struct ProcessQueue {
    queue: VecDeque<usize>,
    queued: Vec<bool>,
}

impl ProcessQueue {
    /// A queue for `processes` processes, none of which was woken.
    pub fn new(processes: usize) -> ProcessQueue {
        ProcessQueue {
            queue: VecDeque::new(),
            queued: vec![false; processes],
        }
    }

    /// Lets a process have a turn, after those that wait for theirs.
    pub fn wake(&mut self, process: usize) {
        if !std::mem::replace(&mut self.queued[process], true) {
            self.queue.push_back(process);
        }
    }

    fn next(&mut self) -> Option<usize> {
        let process = self.queue.pop_front()?;
        self.queued[process] = false;
        Some(process)
    }
}

/// A simulation of processes, each of which waits for one thing at a time.
pub(crate) trait Turns {
    /// The processes that may be able to go on.
    fn queue(&mut self) -> &mut ProcessQueue;

    /// One step of a process; whether it could do it.
    fn step(&mut self, process: usize) -> bool;

    /// Steps until no process can go on, or `most` steps were taken; returns the number of steps, those that couldn't
    /// be done included.
    fn run(&mut self, most: u64) -> u64 {
        self.run_until(most, |_| false)
    }

    /// Same as [`Turns::run`], for a run that also ends before a turn at which `is_enough`.
    fn run_until(&mut self, most: u64, is_enough: impl Fn(&Self) -> bool) -> u64 {
        let mut steps = 0;
        while steps < most
            && !is_enough(self)
            && let Some(process) = self.queue().next()
        {
            for turn in 0.. {
                steps += 1;
                if !self.step(process) {
                    break;
                }
                if turn == STEPS_PER_TURN {
                    self.queue().wake(process);
                    break;
                }
            }
        }
        steps
    }
}
