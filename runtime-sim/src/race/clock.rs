//! Vector clocks, and the stamps that carry them from one thread to another.

use std::rc::Rc;

/// What acts in one order of its own: a core, a DMA channel, a control port, a job, the chains of a
/// job, the host. Threads are numbered densely from 0, which is the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread(u32);

impl Thread {
    /// The host, whose writes before the run are known to all.
    pub const HOST: Thread = Thread(0);

    /// The thread with a number.
    pub fn new(number: usize) -> Thread {
        Thread(number as u32)
    }

    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Time of a thread: grows by one with each event of it that others can be ordered behind. 0 is
/// before the run; a thread that acts begins with 1. It doesn't grow beyond the largest number, from where on
/// races with that thread may be missed.
pub type Time = u32;

/// Threads that changed since the last copy of a clock, up to which a stamp names them one by one.
const FEW: usize = 4;

/// Times that are compared at once.
const BLOCK: usize = 16;

/// Times of a few threads.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    list: [(Thread, Time); FEW],
    count: u8,
}

impl Changes {
    fn as_slice(&self) -> &[(Thread, Time)] {
        &self.list[..usize::from(self.count)]
    }

    /// Sets the time of a thread; answers whether there was room for it.
    fn set(&mut self, thread: Thread, time: Time) -> bool {
        let count = usize::from(self.count);
        let known = self.list[..count].iter_mut().find(|(t, _)| *t == thread);
        if let Some((_, known)) = known {
            *known = time;
        } else if count < FEW {
            self.list[count] = (thread, time);
            self.count += 1;
        } else {
            return false;
        }
        true
    }
}

/// What a thread knows of the times of all threads, its own included.
#[derive(Clone, Debug)]
pub struct Clock {
    thread: Thread,
    times: Vec<Time>,
    /// Grows whenever the thread learns of others.
    version: u64,
    /// A copy of the times that stamps share.
    copy: Option<Rc<[Time]>>,
    /// Other threads of which it has learned since the copy was made.
    changed: Changes,
    /// What it joined last, so as not to compare the same times again.
    joined: Option<Rc<[Time]>>,
}

/// The clock of a thread at an event.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The thread.
    pub thread: Thread,
    /// Its own time.
    pub time: Time,
    /// That of its thread's clock.
    version: u64,
    copy: Rc<[Time]>,
    changed: Changes,
}

impl Clock {
    /// The clock of a thread that begins.
    pub fn new(thread: Thread) -> Clock {
        let mut times = vec![0; thread.index() + 1];
        times[thread.index()] = 1;
        Clock {
            thread,
            times,
            version: 0,
            copy: None,
            changed: Changes::default(),
            joined: None,
        }
    }

    /// What it knows of a thread.
    pub fn time_of(&self, thread: Thread) -> Time {
        self.times.get(thread.index()).copied().unwrap_or(0)
    }

    /// The thread's own time.
    pub fn own(&self) -> Time {
        self.time_of(self.thread)
    }

    /// Grows whenever the thread learns of others.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Whether an event of a thread at a time comes before what this thread does now.
    pub fn covers(&self, thread: Thread, time: Time) -> bool {
        thread == self.thread || self.time_of(thread) >= time
    }

    /// The own time goes on by so many events.
    pub fn tick(&mut self, events: Time) {
        let own = &mut self.times[self.thread.index()];
        *own = own.saturating_add(events);
    }

    /// Learns of a thread that it has come to a time.
    pub fn raise(&mut self, thread: Thread, time: Time) {
        if thread == self.thread || self.time_of(thread) >= time {
            return;
        }
        if self.times.len() <= thread.index() {
            self.times.resize(thread.index() + 1, 0);
        }
        self.times[thread.index()] = time;
        self.version += 1;
        if self.copy.is_some() && !self.changed.set(thread, time) {
            self.forget_copy();
        }
    }

    fn forget_copy(&mut self) {
        self.copy = None;
        self.changed = Changes::default();
    }

    /// Learns all that a stamp knows.
    pub fn join(&mut self, stamp: &Stamp) {
        self.join_all_but_own(stamp);
        self.raise(stamp.thread, stamp.time);
    }

    /// Learns what a stamp knows, but for the time of its own thread.
    pub fn join_all_but_own(&mut self, stamp: &Stamp) {
        // whoever knows of its time has learned the rest with it
        if self.covers(stamp.thread, stamp.time) {
            return;
        }
        for &(thread, time) in stamp.changed.as_slice() {
            self.raise(thread, time);
        }
        let known = self.joined.as_ref();
        if known.is_some_and(|joined| Rc::ptr_eq(joined, &stamp.copy)) {
            return;
        }
        self.joined = Some(stamp.copy.clone());
        let own = self.own();
        if self.times.len() < stamp.copy.len() {
            self.times.resize(stamp.copy.len(), 0);
        }
        let mut news = false;
        let (blocks, rest) = self.times[..stamp.copy.len()].as_chunks_mut::<BLOCK>();
        let (others, other_rest) = stamp.copy.as_chunks::<BLOCK>();
        for (times, others) in blocks.iter_mut().zip(others) {
            // most threads know nothing of most others
            if times != others {
                news |= raise_all(times, others);
            }
        }
        news |= raise_all(rest, other_rest);
        self.times[self.thread.index()] = own;
        if news {
            self.version += 1;
            self.forget_copy();
        }
    }

    /// The clock as it is. What the thread does from the next [`Clock::tick`] on isn't covered.
    pub fn stamp(&mut self) -> Stamp {
        let copy = match &self.copy {
            Some(copy) => copy.clone(),
            None => {
                let copy: Rc<[Time]> = self.times.as_slice().into();
                self.copy = Some(copy.clone());
                copy
            }
        };
        Stamp {
            thread: self.thread,
            time: self.own(),
            version: self.version,
            copy,
            changed: self.changed,
        }
    }

    /// Whether a stamp of the clock as it is would be another one but for a time that is so many events later.
    pub(super) fn is_later_by(&self, events: u64, stamp: &Stamp) -> bool {
        (self.thread, self.version) == (stamp.thread, stamp.version)
            && stamp.time.saturating_add(events as Time) == self.own()
    }
}

impl Stamp {
    /// Whether an event of a thread at a time comes before that of the stamp.
    pub fn covers(&self, thread: Thread, time: Time) -> bool {
        if thread == self.thread {
            return self.time >= time;
        }
        let mut changed = self.changed.as_slice().iter();
        let changed = changed.find(|(other, _)| *other == thread);
        let known = changed.map(|(_, time)| *time);
        let known = known.or_else(|| self.copy.get(thread.index()).copied());
        known.unwrap_or(0) >= time
    }

    /// Whether it knows of the others what another stamp of the same thread knows.
    pub(super) fn knows_the_same(&self, other: &Stamp) -> bool {
        (self.thread, self.version) == (other.thread, other.version)
    }
}

/// Raises times to others; answers whether any grows.
#[inline]
fn raise_all(times: &mut [Time], others: &[Time]) -> bool {
    let mut news = false;
    for (time, &other) in times.iter_mut().zip(others) {
        news |= other > *time;
        *time = (*time).max(other);
    }
    news
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Thread = Thread(1);
    const B: Thread = Thread(2);
    const C: Thread = Thread(3);

    #[test]
    fn a_stamp_covers_what_came_before_it() {
        let (mut a, mut b) = (Clock::new(A), Clock::new(B));
        let stamp = a.stamp();
        a.tick(1);
        assert!(!b.covers(A, 1));
        b.join(&stamp);
        assert!(b.covers(A, 1) && !b.covers(A, a.own()));
        assert!(b.covers(Thread::HOST, 0));
    }

    #[test]
    fn order_is_transitive_through_few_and_many_changes() {
        for others in [1, 10] {
            let (mut b, mut c) = (Clock::new(B), Clock::new(C));
            b.stamp();
            for other in 0..others {
                let stamp = Clock::new(Thread(10 + other)).stamp();
                b.join(&stamp);
            }
            c.join(&b.stamp());
            assert!((0..others).all(|other| c.covers(Thread(10 + other), 1)));
            assert!(!c.covers(Thread(10), 2) && !c.covers(A, 1));
        }
    }

    #[test]
    fn times_of_many_threads_are_joined_whatever_their_number() {
        for (few, many) in [(3, 40), (17, 24), (32, 33), (5, 16)] {
            for (knows, learns) in [(few, many), (many, few)] {
                let (mut a, mut b) = (Clock::new(A), Clock::new(B));
                (3..knows).for_each(|n| a.raise(Thread(n), n));
                (3..learns).for_each(|n| b.raise(Thread(n), 20));
                b.join(&a.stamp());
                let known = |n| {
                    let own = if n < learns { 20 } else { 0 };
                    if n < knows { own.max(n) } else { own }
                };
                assert!((3..50).all(|n| b.time_of(Thread(n)) == known(n)));
                assert_eq!((b.time_of(A), b.own()), (1, 1));
            }
        }
    }

    #[test]
    fn a_thread_never_learns_of_itself() {
        let (mut a, mut b) = (Clock::new(A), Clock::new(B));
        b.join(&a.stamp());
        a.tick(3);
        a.join(&b.stamp());
        assert_eq!(a.own(), 4);
    }
}
