//! Vector clocks, and the stamps that carry them from one thread to another.

use std::rc::Rc;

/// An actor with one order of events: a core, a DMA channel, a control port, a job, the chains of a
/// job, the host. The host is number 0; the others are numbered so that those that know much of one another are
/// near each other ([`super::Detector::begin`]).
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

/// Time of a thread: grows by one with each event of it that others can be ordered after. 0 is
/// before the run; a thread that acts begins with 1. It doesn't grow beyond the largest number, from where on
/// races with that thread may be missed.
pub type Time = u32;

/// Threads that share a block of times.
pub(super) const BLOCK: usize = 7;

/// The number of a block, and what is known of the time of each of its threads.
type Block = [u32; 1 + BLOCK];

/// Vector clock of a thread: the times of all threads that it knows, its own included.
#[derive(Clone, Debug)]
pub struct Clock {
    thread: Thread,
    own: Time,
    /// Blocks with threads of which it knows, in the order of their numbers. The thread's own time isn't up to date.
    blocks: Vec<Block>,
    /// Grows whenever the thread learns of others.
    version: u64,
    /// A copy of the blocks that stamps share, if it has learned of nothing since.
    copy: Option<Rc<[Block]>>,
    /// The clock joined last, so that the same times aren't compared again.
    joined: Option<Rc<[Block]>>,
    /// The index of the block with the thread that was raised last.
    raised: usize,
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
    blocks: Rc<[Block]>,
}

impl Clock {
    /// The clock of a thread that begins.
    pub fn new(thread: Thread) -> Clock {
        Clock {
            thread,
            own: 1,
            blocks: Vec::new(),
            version: 0,
            copy: None,
            joined: None,
            raised: 0,
        }
    }

    /// The time that it knows of a thread.
    pub fn time_of(&self, thread: Thread) -> Time {
        if thread == self.thread {
            self.own
        } else {
            time_in(&self.blocks, thread)
        }
    }

    /// The thread's own time.
    pub fn own(&self) -> Time {
        self.own
    }

    /// Grows whenever the thread learns of others.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Whether an event of a thread at a time comes before what this thread does now.
    pub fn covers(&self, thread: Thread, time: Time) -> bool {
        thread == self.thread || time_in(&self.blocks, thread) >= time
    }

    /// Advances the own time by `events`.
    pub fn tick(&mut self, events: Time) {
        self.own = self.own.saturating_add(events);
    }

    /// Learns of a thread that it has come to a time.
    pub fn raise(&mut self, thread: Thread, time: Time) {
        if thread == self.thread {
            return;
        }
        let known = self.time_mut(thread);
        if *known < time {
            *known = time;
            self.has_learned();
        }
    }

    fn time_mut(&mut self, thread: Thread) -> &mut Time {
        let (number, lane) = place(thread);
        let last = self.blocks.get(self.raised);
        if last.is_none_or(|block| block[0] != number) {
            self.raised = find(&self.blocks, number).unwrap_or_else(|at| {
                self.blocks.insert(at, new_block(number));
                at
            });
        }
        &mut self.blocks[self.raised][lane]
    }

    fn has_learned(&mut self) {
        self.version += 1;
        self.copy = None;
    }

    /// Learns all that a stamp knows.
    pub fn join(&mut self, stamp: &Stamp) {
        self.join_all_but_own(stamp);
        self.raise(stamp.thread, stamp.time);
    }

    /// Learns all that a stamp knows, except for the time of its own thread.
    pub fn join_all_but_own(&mut self, stamp: &Stamp) {
        // a clock that covers its time has learned the rest with it
        if self.covers(stamp.thread, stamp.time) {
            return;
        }
        let known = self.joined.as_ref();
        if known.is_some_and(|joined| Rc::ptr_eq(joined, &stamp.blocks)) {
            return;
        }
        self.joined = Some(stamp.blocks.clone());
        // others can't know more of its own time than itself
        *self.time_mut(self.thread) = self.own;
        if raise_all(&mut self.blocks, &stamp.blocks) {
            self.has_learned();
        }
    }

    /// The clock as it is. What the thread does from the next [`Clock::tick`] on isn't covered.
    pub fn stamp(&mut self) -> Stamp {
        let blocks = &self.blocks;
        let copy = self.copy.get_or_insert_with(|| blocks.as_slice().into());
        Stamp {
            thread: self.thread,
            time: self.own,
            version: self.version,
            blocks: copy.clone(),
        }
    }

    /// Whether a stamp taken now would differ from `stamp` only in a time that is `events` later.
    pub(super) fn is_later_by(&self, events: u64, stamp: &Stamp) -> bool {
        (self.thread, self.version) == (stamp.thread, stamp.version)
            && stamp.time.saturating_add(events as Time) == self.own
    }
}

impl Stamp {
    /// Whether an event of a thread at a time comes before that of the stamp.
    pub fn covers(&self, thread: Thread, time: Time) -> bool {
        if thread == self.thread {
            self.time >= time
        } else {
            time_in(&self.blocks, thread) >= time
        }
    }

    /// Whether it knows of the others what another stamp of the same thread knows.
    pub(super) fn knows_the_same(&self, other: &Stamp) -> bool {
        (self.thread, self.version) == (other.thread, other.version)
    }
}

/// The block of a thread, and where in it its time is.
fn place(thread: Thread) -> (u32, usize) {
    let block = thread.0 / BLOCK as u32;
    (block, 1 + (thread.0 - block * BLOCK as u32) as usize)
}

/// The index of a block; `Err` with where it would be.
fn find(blocks: &[Block], number: u32) -> Result<usize, usize> {
    /// Up to here looking at each is quicker.
    const FEW: usize = 8;
    let before = |block: &Block| block[0] < number;
    let at = match blocks.len() {
        ..=FEW => blocks.iter().take_while(|block| before(block)).count(),
        _ => blocks.partition_point(before),
    };
    match blocks.get(at) {
        Some(block) if block[0] == number => Ok(at),
        _ => Err(at),
    }
}

fn time_in(blocks: &[Block], thread: Thread) -> Time {
    let (number, lane) = place(thread);
    find(blocks, number).map_or(0, |at| blocks[at][lane])
}

fn new_block(number: u32) -> Block {
    let mut block = Block::default();
    block[0] = number;
    block
}

/// Raises the times of some blocks to those of others; returns whether any grows.
fn raise_all(blocks: &mut Vec<Block>, others: &[Block]) -> bool {
    let mut news = false;
    let mut at = 0;
    for other in others {
        while blocks.get(at).is_some_and(|block| block[0] < other[0]) {
            at += 1;
        }
        if blocks.get(at).is_none_or(|block| block[0] > other[0]) {
            blocks.insert(at, new_block(other[0]));
        }
        news |= raise_block(&mut blocks[at], other);
        at += 1;
    }
    news
}

/// Same for the times of a block.
#[inline]
fn raise_block(block: &mut Block, other: &Block) -> bool {
    let before = *block;
    for (time, &other) in block.iter_mut().zip(other) {
        *time = other.max(*time);
    }
    *block != before
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
