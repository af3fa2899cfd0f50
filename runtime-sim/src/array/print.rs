//! Values that cores show for debugging.

use aiec_device::TileLoc;

use crate::time::Cycle;

/// Values that are kept at most.
const LIMIT: usize = 100_000;

/// A value that a core showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorePrint {
    /// The core's tile.
    pub tile: TileLoc,
    /// Cycle of the print.
    pub at: Cycle,
    /// Checksum of the core's program.
    pub checksum: u32,
    /// The instruction, counted from 0.
    pub instruction: u32,
    /// The value.
    pub text: String,
}

/// The values of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prints {
    pub kept: Vec<CorePrint>,
    /// Values beyond the limit.
    pub dropped: u64,
}

impl Prints {
    pub fn add(&mut self, print: CorePrint) {
        if self.kept.len() < LIMIT {
            self.kept.push(print)
        } else {
            self.dropped += 1
        }
    }
}
