//! Semaphore locks of the AIE2 family: counters of 6 bits with signed 7-bit operands (AM020).
//!
//! A bank holds the locks of one tile and the requests that wait on them. It decides which request
//! is granted and when; the caller wakes the winners. Requests on one lock are served first come,
//! first served among those whose condition holds, one grant a cycle.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::actor::ActorId;
use super::stored_enum::stored_enum;
use crate::time::Cycle;

/// Largest value of the 6-bit counter.
pub const LOCK_MAX: i32 = 63;

/// Whether an `acquire equal` subtracts its operand when it is granted. The AIE-ML intrinsics
/// guide describes a pure comparison; other models subtract. Unconfirmed on silicon.
pub const ACQUIRE_EQUAL_TAKES: bool = false;

stored_enum! {
    /// Condition of an acquire.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LockNeed {
        /// Waits until value ≥ n, then subtracts n (1..=64).
        AtLeast(value: i32),
        /// Waits until value = n (0..=63).
        Equal(value: i32),
    }
}

impl LockNeed {
    /// From a signed operand: negative is greater-equal of its magnitude, else equal (AM025).
    pub fn from_operand(operand: i32) -> LockNeed {
        if operand < 0 {
            LockNeed::AtLeast(-operand)
        } else {
            LockNeed::Equal(operand)
        }
    }

    fn holds(self, value: i32) -> bool {
        match self {
            LockNeed::AtLeast(n) => value >= n,
            LockNeed::Equal(n) => value == n,
        }
    }

    fn taken(self) -> i32 {
        match self {
            LockNeed::AtLeast(n) => n,
            LockNeed::Equal(n) if ACQUIRE_EQUAL_TAKES => n,
            LockNeed::Equal(_) => 0,
        }
    }
}

/// The last change of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockChange {
    /// Actor that changed it; `None` for a register write.
    pub by: Option<ActorId>,
    /// Cycle of the change.
    pub at: Cycle,
    /// The change of the value; for a register write the value written.
    pub change: i32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LockWaiter {
    pub who: ActorId,
    pub need: LockNeed,
    pub since: Cycle,
}

/// A request that was granted, from the given cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub who: ActorId,
    pub at: Cycle,
    pub need: LockNeed,
}

#[derive(Clone, Debug, Default)]
struct Lock {
    value: i32,
    /// No grant before this cycle: one is given each cycle.
    next_grant: Cycle,
    waiters: VecDeque<LockWaiter>,
    last: Option<LockChange>,
    /// Sum of the releases since the value was written.
    given: u64,
}

/// The locks of one tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockBank {
    locks: Vec<Lock>,
    /// Sticky bits of Locks_Overflow and Locks_Underflow, bit = lock id.
    pub overflow: u64,
    pub underflow: u64,
}

pub(crate) type Grants = SmallVec<[Grant; 2]>;

impl LockBank {
    pub fn new(count: u32) -> LockBank {
        LockBank {
            locks: vec![Lock::default(); count as usize],
            ..LockBank::default()
        }
    }

    pub fn len(&self) -> u32 {
        self.locks.len() as u32
    }

    pub fn value(&self, id: u32) -> i32 {
        self.locks.get(id as usize).map_or(0, |lock| lock.value)
    }

    /// Sum of the releases since the value was written.
    pub fn given(&self, id: u32) -> u64 {
        self.locks.get(id as usize).map_or(0, |lock| lock.given)
    }

    pub fn last_change(&self, id: u32) -> Option<LockChange> {
        self.locks.get(id as usize)?.last
    }

    /// Every waiting request, by lock id and then in order of arrival.
    pub fn waiters(&self) -> impl Iterator<Item = (u32, &LockWaiter)> {
        let locks = self.locks.iter().enumerate();
        locks.flat_map(|(id, lock)| lock.waiters.iter().map(move |waiter| (id as u32, waiter)))
    }

    /// Sets the value as a register write does; grants follow.
    pub fn set(&mut self, id: u32, value: i32, now: Cycle) -> Grants {
        let Some(lock) = self.locks.get_mut(id as usize) else {
            return Grants::new();
        };
        lock.value = value;
        lock.given = 0;
        lock.changed(None, now, value);
        lock.grant(now)
    }

    /// Asks for a lock. `None`: not granted, the request waits.
    pub fn acquire(&mut self, id: u32, who: ActorId, need: LockNeed, now: Cycle) -> Option<Grant> {
        let lock = self.locks.get_mut(id as usize)?;
        if need.holds(lock.value) {
            return Some(lock.take(who, need, now));
        }
        let since = now;
        lock.waiters.push_back(LockWaiter { who, need, since });
        None
    }

    /// Asks once, without waiting (a read of the Lock_Request window).
    pub fn try_acquire(&mut self, id: u32, need: LockNeed, now: Cycle) -> bool {
        let Some(lock) = self.locks.get_mut(id as usize) else {
            return false;
        };
        let granted = need.holds(lock.value);
        if granted {
            lock.value -= need.taken();
            lock.changed(None, now, -need.taken());
        }
        granted
    }

    /// Adds a signed `change`. Out of range the value stays at the limit, the sticky bit is set
    /// and the error says what it would have been.
    pub fn release(
        &mut self,
        id: u32,
        by: Option<ActorId>,
        change: i32,
        now: Cycle,
    ) -> (Grants, Option<i32>) {
        let Some(lock) = self.locks.get_mut(id as usize) else {
            return (Grants::new(), None);
        };
        let value = lock.value + change;
        lock.value = value.clamp(0, LOCK_MAX);
        lock.given += u64::from(change.max(0).unsigned_abs());
        lock.changed(by, now, change);
        let error = (value != lock.value).then_some(value);
        if value > LOCK_MAX {
            self.overflow |= 1 << id;
        } else if value < 0 {
            self.underflow |= 1 << id;
        }
        (lock.grant(now), error)
    }

    /// Withdraws what an actor waits for (its reset).
    pub fn cancel(&mut self, who: ActorId) {
        for lock in &mut self.locks {
            lock.waiters.retain(|waiter| waiter.who != who);
        }
    }
}

impl Lock {
    fn changed(&mut self, by: Option<ActorId>, at: Cycle, change: i32) {
        self.last = Some(LockChange { by, at, change });
    }

    fn grant(&mut self, now: Cycle) -> Grants {
        let mut grants = Grants::new();
        let mut index = 0;
        while index < self.waiters.len() {
            match self.grant_one(index, now) {
                Some(grant) => grants.push(grant),
                None => index += 1,
            }
        }
        grants
    }

    fn grant_one(&mut self, index: usize, now: Cycle) -> Option<Grant> {
        let LockWaiter { who, need, .. } = *self.waiters.get(index)?;
        if !need.holds(self.value) {
            return None;
        }
        self.waiters.remove(index);
        Some(self.take(who, need, now))
    }

    /// Grants a request whose condition holds.
    fn take(&mut self, who: ActorId, need: LockNeed, now: Cycle) -> Grant {
        let at = now.max(self.next_grant);
        self.next_grant = at + 1;
        self.value -= need.taken();
        self.changed(Some(who), at, -need.taken());
        Grant { who, at, need }
    }
}

#[cfg(test)]
mod tests {
    use aiec_device::TileLoc;

    use super::*;

    const A: ActorId = ActorId::core(TileLoc::new(0, 2));
    const B: ActorId = ActorId::core(TileLoc::new(0, 3));

    fn grant(who: ActorId, at: Cycle, need: LockNeed) -> Grant {
        Grant { who, at, need }
    }

    #[test]
    fn acquire_greater_equal_takes_its_count() {
        let mut bank = LockBank::new(16);
        bank.set(3, 2, 0);
        let need = LockNeed::from_operand(-2);
        assert_eq!(bank.acquire(3, A, need, 5), Some(grant(A, 5, need)));
        assert_eq!(bank.value(3), 0);
        assert_eq!(bank.acquire(3, A, need, 6), None);
        let (grants, error) = bank.release(3, Some(B), 1, 7);
        assert!(grants.is_empty() && error.is_none());
        let (grants, _) = bank.release(3, Some(B), 1, 9);
        assert_eq!(grants[..], [grant(A, 9, need)]);
        assert_eq!(bank.value(3), 0);
    }

    #[test]
    fn acquire_equal_compares_only() {
        let mut bank = LockBank::new(16);
        bank.set(0, 5, 0);
        let need = LockNeed::from_operand(4);
        assert_eq!(bank.acquire(0, A, need, 1), None);
        let (grants, _) = bank.release(0, Some(B), -1, 2);
        assert_eq!(grants[..], [grant(A, 2, need)]);
        assert_eq!(bank.value(0), 4);
    }

    #[test]
    fn two_grants_of_one_lock_take_two_cycles() {
        let mut bank = LockBank::new(16);
        let one = LockNeed::AtLeast(1);
        assert!(bank.acquire(1, A, one, 0).is_none() && bank.acquire(1, B, one, 0).is_none());
        let (grants, _) = bank.release(1, None, 2, 10);
        assert_eq!(grants[..], [grant(A, 10, one), grant(B, 11, one)]);
    }

    #[test]
    fn leaving_the_range_is_reported_and_sticks() {
        let mut bank = LockBank::new(64);
        bank.set(40, 63, 0);
        let (_, error) = bank.release(40, Some(A), 1, 1);
        assert_eq!(error, Some(64));
        assert_eq!((bank.value(40), bank.overflow), (63, 1 << 40));
        let (_, error) = bank.release(0, Some(A), -1, 1);
        assert_eq!(error, Some(-1));
        assert_eq!(bank.underflow, 1);
    }

    #[test]
    fn a_cancelled_request_is_never_granted() {
        let mut bank = LockBank::new(16);
        bank.acquire(2, A, LockNeed::AtLeast(1), 0);
        bank.cancel(A);
        let (grants, _) = bank.release(2, None, 1, 1);
        assert!(grants.is_empty());
        assert_eq!(bank.value(2), 1);
    }
}
