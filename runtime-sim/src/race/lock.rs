//! The order that a counting lock gives.
//!
//! A release adds units, an acquire takes some. Units are matched first in, first out: the n-th unit
//! that is taken is the n-th that was given, and its taker is ordered after its giver. With
//! one giver and one taker, as in an object fifo, that is exact: the taker can't have its n-th unit
//! before the giver has given n. With several the match of this run is one of many; where another
//! one is possible the lock is in doubt ([`LockUnits::in_doubt`]) and the run isn't determinate.
//!
//! An acquire that waits for a value (equal) takes nothing and is ordered after all changes so far.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::clock::{Clock, Stamp, Thread, Time};

/// Units of a lock that a thread took and gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockBalance {
    /// The thread.
    pub thread: Thread,
    /// Units that its acquires took.
    pub taken: u64,
    /// Units that its releases gave.
    pub given: u64,
    /// The most units of one acquire.
    pub most: u32,
}

/// The units of a lock.
#[derive(Clone, Debug, Default)]
pub(super) struct LockUnits {
    /// Units that aren't taken, oldest first: how many, and who gave them.
    units: VecDeque<(u32, Stamp)>,
    /// The last change by each thread.
    changes: SmallVec<[Stamp; 2]>,
    /// Who took units last, and at which time of its own.
    taker: Option<(Thread, Time)>,
    /// Who gave what was taken last.
    givers: SmallVec<[(Thread, Time); 2]>,
    /// Who took units and gave them.
    balances: SmallVec<[LockBalance; 2]>,
    /// Another timing could match releases and acquires in another way.
    pub in_doubt: bool,
    /// The value that a register write has set last.
    pub initial: u32,
    /// It was set when it had been used, or its user started again.
    pub is_restarted: bool,
}

impl LockUnits {
    fn balance(&mut self, thread: Thread) -> &mut LockBalance {
        let known = self.balances.iter().position(|b| b.thread == thread);
        let at = known.unwrap_or_else(|| {
            self.balances.push(LockBalance {
                thread,
                taken: 0,
                given: 0,
                most: 0,
            });
            self.balances.len() - 1
        });
        &mut self.balances[at]
    }

    /// Who took units and gave them.
    pub fn balances(&self) -> &[LockBalance] {
        &self.balances
    }

    /// Units that a thread has taken, and given.
    pub fn exchanged(&self, thread: Thread) -> (u64, u64) {
        let mut balances = self.balances.iter();
        let found = balances.find(|balance| balance.thread == thread);
        found.map_or((0, 0), |balance| (balance.taken, balance.given))
    }

    fn changed(&mut self, stamp: Stamp) {
        let known = self.changes.iter_mut().find(|s| s.thread == stamp.thread);
        match known {
            Some(known) => *known = stamp,
            None => self.changes.push(stamp),
        }
    }

    /// A thread starts again.
    pub fn forget_balance(&mut self, thread: Thread) {
        let known = self.balances.len();
        self.balances.retain(|balance| balance.thread != thread);
        self.is_restarted |= self.balances.len() < known;
    }

    /// A register write sets the value.
    pub fn set(&mut self, value: u32, stamp: Stamp) {
        self.is_restarted |= !self.balances.is_empty();
        self.initial = value;
        self.units.clear();
        self.changes.clear();
        self.givers.clear();
        self.balances.clear();
        self.taker = None;
        if value > 0 {
            self.units.push_back((value, stamp.clone()));
        }
        self.changed(stamp);
    }

    /// A release adds units, or takes some if `change` is negative.
    pub fn release(&mut self, change: i32, stamp: Stamp) {
        self.doubt_release(&stamp);
        match u32::try_from(change) {
            Ok(0) => {}
            Ok(units) => {
                self.units.push_back((units, stamp.clone()));
                self.balance(stamp.thread).given += u64::from(units);
            }
            Err(_) => drop(self.take(change.unsigned_abs())),
        }
        self.changed(stamp);
    }

    /// A unit that is given now could have been there before units of others were taken.
    fn doubt_release(&mut self, stamp: &Stamp) {
        let Some((taker, time)) = self.taker else {
            return;
        };
        let early = !stamp.covers(taker, time);
        let other =
            |&(giver, time): &(Thread, Time)| giver != stamp.thread && !stamp.covers(giver, time);
        self.in_doubt |= early && self.givers.iter().any(other);
    }

    fn take(&mut self, mut count: u32) -> SmallVec<[Stamp; 2]> {
        let mut taken = SmallVec::new();
        while count > 0
            && let Some((units, stamp)) = self.units.front_mut()
        {
            if *units > count {
                *units -= count;
                taken.push(stamp.clone());
                break;
            }
            count -= *units;
            taken.extend(self.units.pop_front().map(|(_, stamp)| stamp));
        }
        taken
    }

    /// A thread takes `units`; `None` for a wait for a value.
    pub fn acquire(&mut self, units: Option<u32>, clock: &mut Clock, thread: Thread) {
        let Some(units) = units else {
            self.changes.iter().for_each(|stamp| clock.join(stamp));
            return;
        };
        let balance = self.balance(thread);
        balance.taken += u64::from(units);
        balance.most = balance.most.max(units);
        if let Some((taker, time)) = self.taker {
            self.in_doubt |= !clock.covers(taker, time);
        }
        let taken = self.take(units);
        self.givers = taken.iter().map(|s| (s.thread, s.time)).collect();
        self.in_doubt |= self.units.iter().any(|(_, stamp)| {
            let givers = self.givers.iter();
            let mut others = givers.filter(|(giver, _)| *giver != stamp.thread);
            others.any(|&(giver, time)| !stamp.covers(giver, time))
        });
        taken.iter().for_each(|stamp| clock.join(stamp));
        self.taker = Some((thread, clock.own()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads() -> [Clock; 3] {
        [1, 2, 3].map(|number| Clock::new(Thread::new(number)))
    }

    fn give(lock: &mut LockUnits, clock: &mut Clock, units: i32) -> Time {
        let stamp = clock.stamp();
        let time = stamp.time;
        lock.release(units, stamp);
        clock.tick(1);
        time
    }

    #[test]
    fn the_nth_unit_taken_is_the_nth_given() {
        let mut lock = LockUnits::default();
        let [mut giver, mut taker, _] = threads();
        let times: Vec<Time> = (0..3).map(|_| give(&mut lock, &mut giver, 1)).collect();
        lock.acquire(Some(2), &mut taker, Thread::new(2));
        assert!(taker.covers(Thread::new(1), times[1]));
        assert!(!taker.covers(Thread::new(1), times[2]));
        lock.acquire(Some(1), &mut taker, Thread::new(2));
        assert!(taker.covers(Thread::new(1), times[2]) && !lock.in_doubt);
    }

    #[test]
    fn an_acquire_of_all_units_comes_behind_each_giver() {
        let mut lock = LockUnits::default();
        let [mut one, mut two, mut taker] = threads();
        for _ in 0..3 {
            give(&mut lock, &mut one, 1);
            give(&mut lock, &mut two, 1);
            lock.acquire(Some(2), &mut taker, Thread::new(3));
            // both wait for the taker before they give again
            let stamp = taker.stamp();
            taker.tick(1);
            one.join(&stamp);
            two.join(&stamp);
        }
        assert!(taker.covers(Thread::new(1), 3) && taker.covers(Thread::new(2), 3));
        assert!(!lock.in_doubt);
    }

    #[test]
    fn givers_that_race_for_one_unit_are_in_doubt() {
        let mut lock = LockUnits::default();
        let [mut one, mut two, mut taker] = threads();
        give(&mut lock, &mut one, 1);
        lock.acquire(Some(1), &mut taker, Thread::new(3));
        assert!(!lock.in_doubt);
        give(&mut lock, &mut two, 1);
        assert!(lock.in_doubt);
    }

    #[test]
    fn takers_that_race_are_in_doubt() {
        let mut lock = LockUnits::default();
        let [mut giver, mut one, mut two] = threads();
        give(&mut lock, &mut giver, 2);
        lock.acquire(Some(1), &mut one, Thread::new(2));
        assert!(!lock.in_doubt);
        lock.acquire(Some(1), &mut two, Thread::new(3));
        assert!(lock.in_doubt);
    }

    #[test]
    fn a_wait_for_a_value_comes_behind_every_change() {
        let mut lock = LockUnits::default();
        let [mut one, mut two, mut taker] = threads();
        give(&mut lock, &mut one, 1);
        give(&mut lock, &mut two, -1);
        lock.acquire(None, &mut taker, Thread::new(3));
        assert!(taker.covers(Thread::new(1), 1) && taker.covers(Thread::new(2), 1));
    }
}
