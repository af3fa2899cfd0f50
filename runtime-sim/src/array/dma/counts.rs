//! Finish on TLAST, mode 3: the counts of finished BDs, which software reads one by one.

use std::collections::VecDeque;

/// Counts that the FIFO holds. Not documented.
const DEPTH: usize = 8;

/// How much of a BD was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub bd: u8,
    /// Words written.
    pub words: u32,
    /// The BD was the last of its task.
    pub last: bool,
}

impl Count {
    /// The word of FoT_Count_FIFO_Pop (AM025).
    pub fn word(self) -> u32 {
        const VALID: u32 = 1 << 31;
        VALID | u32::from(self.last) << 30 | u32::from(self.bd & 0x3F) << 24 | self.words & 0x3_FFFF
    }
}

/// The FIFO of a channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountFifo(VecDeque<Count>);

impl CountFifo {
    pub fn has_space(&self) -> bool {
        self.0.len() < DEPTH
    }

    pub fn push(&mut self, count: Count) {
        self.0.push_back(count);
    }

    pub fn pop(&mut self) -> Option<Count> {
        self.0.pop_front()
    }
}
