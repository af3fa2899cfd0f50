//! Cascades: wide transfers from a core to the core below or to the right (AM020).
//!
//! A core sends to the south or east and takes from the north or west, as Accumulator_Control
//! says. The FIFOs between two cores, two entries at either end, are kept at the receiver.

use std::collections::VecDeque;

use aiec_device::TileLoc;

use crate::time::Cycle;

pub(crate) use crate::core::CASCADE_WORDS;

/// One transfer.
pub(crate) type CascadeWord = [u32; CASCADE_WORDS];

/// Which neighbour an end of the cascade faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Axis {
    /// From north to south.
    #[default]
    Vertical,
    /// From west to east.
    Horizontal,
}

impl Axis {
    pub fn horizontal_if(horizontal: bool) -> Axis {
        if horizontal {
            Axis::Horizontal
        } else {
            Axis::Vertical
        }
    }

    /// The tile that a core's output on this axis faces.
    pub fn receiver(self, from: TileLoc) -> Option<TileLoc> {
        match self {
            Axis::Vertical => Some(TileLoc::new(from.col, from.row.checked_sub(1)?)),
            Axis::Horizontal => Some(TileLoc::new(from.col.checked_add(1)?, from.row)),
        }
    }

    /// The tile that a core's input on this axis faces.
    pub fn sender(self, to: TileLoc) -> Option<TileLoc> {
        match self {
            Axis::Vertical => Some(TileLoc::new(to.col, to.row.checked_add(1)?)),
            Axis::Horizontal => Some(TileLoc::new(to.col.checked_sub(1)?, to.row)),
        }
    }
}

/// Cascade configuration of a core tile, and the transfers in flight to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cascade {
    pub input: Axis,
    pub output: Axis,
    /// Arrival and value.
    fifo: VecDeque<(Cycle, CascadeWord)>,
    /// When the places that are free became so, oldest first.
    freed: VecDeque<Cycle>,
}

impl Cascade {
    /// Earliest cycle from `now` on at which a transfer can enter a FIFO of `depth` places.
    pub fn entry(&self, now: Cycle, depth: u32) -> Option<Cycle> {
        let depth = depth as usize;
        if self.fifo.len() >= depth {
            return None;
        }
        let unused = depth - self.fifo.len() > self.freed.len();
        let freed = self.freed.front().filter(|_| !unused);
        Some(now.max(freed.copied().unwrap_or(0)))
    }

    /// Enters a transfer at a cycle that [`Cascade::entry`] gave.
    pub fn push(&mut self, arrival: Cycle, word: CascadeWord, depth: u32) {
        if depth as usize - self.fifo.len() <= self.freed.len() {
            self.freed.pop_front();
        }
        self.fifo.push_back((arrival, word));
    }

    /// Arrival of the next transfer.
    pub fn arrival(&self) -> Option<Cycle> {
        self.fifo.front().map(|(arrival, _)| *arrival)
    }

    /// Takes the next transfer at `now`.
    pub fn pop(&mut self, now: Cycle) -> Option<CascadeWord> {
        let (_, word) = self.fifo.pop_front()?;
        self.freed.push_back(now);
        Some(word)
    }

    /// Drops all transfers (reset of the core).
    pub fn clear(&mut self) {
        self.fifo.clear();
        self.freed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cascade_takes_when_one_left() {
        let mut cascade = Cascade::default();
        for i in 0..4 {
            let at = cascade.entry(10, 4).unwrap();
            cascade.push(at + 1, [i; CASCADE_WORDS], 4);
        }
        assert_eq!(cascade.entry(10, 4), None);
        assert_eq!(cascade.arrival(), Some(11));
        assert_eq!(cascade.pop(30), Some([0; CASCADE_WORDS]));
        assert_eq!(cascade.entry(10, 4), Some(30));
    }

    #[test]
    fn outputs_face_inputs() {
        let core = TileLoc::new(1, 3);
        assert_eq!(Axis::Vertical.receiver(core), Some(TileLoc::new(1, 2)));
        assert_eq!(Axis::Vertical.sender(TileLoc::new(1, 2)), Some(core));
        assert_eq!(Axis::Horizontal.receiver(core), Some(TileLoc::new(2, 3)));
        assert_eq!(Axis::Horizontal.sender(TileLoc::new(0, 3)), None);
    }
}
