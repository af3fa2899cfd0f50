//! Finish on TLAST, mode 3: the counts of finished BDs, which software reads one by one.

/// Counts that the FIFO holds. Not documented.
pub(super) const DEPTH: usize = 8;

/// Used part of a BD.
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
