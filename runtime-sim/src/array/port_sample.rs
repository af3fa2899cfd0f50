//! Words at ports as event selectors see them.

use super::hw_event::HwEvent;
use crate::time::Cycle;

/// An event selector that watches a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortWatch {
    /// Index of its tile.
    pub tile: usize,
    /// Selector.
    pub port: u8,
}

/// Something seen at a watched port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortSample {
    pub by: PortWatch,
    pub at: Cycle,
    /// The event of a selector.
    pub event: fn(u8) -> HwEvent,
}
