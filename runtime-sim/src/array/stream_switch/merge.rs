//! Deterministic merge: an arbiter takes packets of its slaves in a fixed order.
//!
//! Arbiters 0 and 1 of a switch have four entries of a slave and a count of packets each, and a bit
//! that enables them (AM025, AM029). The arbiter takes as many packets of the first entry's slave as its count says, then
//! those of the next, and begins again after the last. The manuals say no more; that entries with count
//! 0 are skipped, that slaves without an entry are never served, and that a write starts again, is our
//! reading.

/// Entries of an arbiter.
const ENTRIES: usize = 4;
/// Bits of a half word with an entry (AM025): Slave_ID and Packet_Count.
const SLAVE_ID: u32 = 0x1F;
const PACKET_COUNT_SHIFT: u32 = 8;
const PACKET_COUNT: u32 = 0x3F;

/// The order of packets at an arbiter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Merge {
    enabled: bool,
    /// Physical index of a slave port, and packets.
    entries: [(u8, u8); ENTRIES],
    /// The entry whose turn it is.
    at: usize,
    /// Packets that it has had.
    taken: u8,
}

impl Merge {
    /// Takes over the value of a register: entries 0 and 1, entries 2 and 3, control.
    pub fn write(&mut self, word: u8, value: u32) {
        let entry = |half: u32| {
            let slave = (half & SLAVE_ID) as u8;
            (slave, (half >> PACKET_COUNT_SHIFT & PACKET_COUNT) as u8)
        };
        match self.entries.get_mut(2 * usize::from(word)..) {
            Some([first, second, ..]) => (*first, *second) = (entry(value), entry(value >> 16)),
            _ => self.enabled = value & 1 != 0,
        }
        (self.at, self.taken) = (0, 0);
    }

    /// The slave whose packet comes next; `None` if there is no order.
    pub fn turn(&self) -> Option<u8> {
        let order = (self.at..self.at + ENTRIES).map(|at| self.entries[at % ENTRIES]);
        let mut order = order.filter(|&(_, count)| count > 0 && self.enabled);
        order.next().map(|(slave, _)| slave)
    }

    /// A packet was taken.
    pub fn advance(&mut self) {
        let skipped = (0..ENTRIES).find(|skip| self.entries[(self.at + skip) % ENTRIES].1 > 0);
        let Some(skipped) = skipped.filter(|_| self.enabled) else {
            return;
        };
        self.at = (self.at + skipped) % ENTRIES;
        self.taken += 1;
        if self.taken >= self.entries[self.at].1 {
            self.at = (self.at + 1) % ENTRIES;
            self.taken = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slaves_have_their_turns() {
        let mut merge = Merge::default();
        merge.write(0, 5 | 2 << 8 | 9 << 16);
        merge.write(1, 7 << 16 | 1 << 24);
        assert_eq!(merge.turn(), None);
        merge.write(2, 1);
        let mut turns = Vec::new();
        for _ in 0..7 {
            turns.extend(merge.turn());
            merge.advance();
        }
        assert_eq!(turns, [5, 5, 7, 5, 5, 7, 5]);
        merge.write(2, 0);
        assert_eq!(merge.turn(), None);
    }
}
