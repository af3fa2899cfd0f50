//! The array as observers see it.

use aiec_device::DeviceModel;

use super::Array;
use super::cascade::Cascade;
use super::core_tile::CoreTile;
use super::dma::Dma;
use super::grid::Grid;
use super::lock::LockBank;
use super::stream_switch::Net;
use crate::time::Cycle;

/// The state of actors, locks and switches, for reports: waits (`wait_state`), progress of
/// transfers (`progress`), totals. It can change nothing, and has no access to memories or to the
/// race detector, so that observing a run can't alter it.
#[derive(Clone, Copy)]
pub struct ArrayView<'a> {
    pub(super) now: Cycle,
    pub(super) device: &'static DeviceModel,
    pub(super) grid: &'a Grid,
    pub(super) net: &'a Net,
    /// By tile index, as are the following.
    pub(super) dma: &'a [Dma],
    pub(super) cores: &'a [Option<Box<CoreTile>>],
    pub(super) locks: &'a [LockBank],
    pub(super) cascades: &'a [Cascade],
    /// The run has completed: open waits aren't stalls.
    pub(super) rests: bool,
}

impl Array {
    /// The array for observers.
    pub fn view(&self) -> ArrayView<'_> {
        ArrayView {
            now: self.now,
            device: self.device,
            grid: &self.grid,
            net: &self.net,
            dma: &self.dma,
            cores: &self.cores,
            locks: &self.locks,
            cascades: &self.cascades,
            rests: self.rests,
        }
    }
}

impl ArrayView<'_> {
    /// Up to when an open wait counts as a stall; `None` if it doesn't.
    pub(super) fn open_stalls_until(self) -> Option<Cycle> {
        (!self.rests).then_some(self.now)
    }
}
