//! A core: its program memory, its enable and reset.

use super::Array;
use super::memory::Memory;
use super::stats::CoreStats;
use super::waits::Wait;
use super::world::TileInfo;
use crate::time::Cycle;
use aiec_device::regmap::CoreControl;

#[derive(Debug)]
pub(crate) struct CoreTile {
    program: Memory,
    /// When the lock that was asked for is held.
    pub granted: Option<Cycle>,
    control: CoreControl,
}

impl CoreTile {
    /// The core of a tile, in reset, if it has one.
    pub fn of(info: &TileInfo) -> Option<Box<CoreTile>> {
        (info.model.program_bytes > 0).then(|| {
            Box::new(CoreTile {
                program: Memory::new(info.model.program_bytes),
                granted: None,
                control: CoreControl {
                    enable: false,
                    reset: true,
                },
            })
        })
    }

    pub fn program(&self) -> &Memory {
        &self.program
    }

    /// Stores a word of program memory.
    pub fn write_program(&mut self, byte: u32, value: u32) {
        // In range: the register map has checked it.
        let _ = self.program.set_word(byte, value);
    }
}

impl Array {
    pub(super) fn run_core(&mut self, _tile: usize) {}
    pub(super) fn control_core(&mut self, tile: usize, control: CoreControl) {
        if let Some(core) = &mut self.cores[tile] {
            core.control = control;
        }
    }
    pub(super) fn core_status(&self, _tile: usize) -> u32 {
        0
    }
    pub(super) fn core_waits(&self, _tile: usize, _waits: &mut Vec<Wait>) {}
    pub(super) fn core_stats(&self, _tile: usize) -> Option<CoreStats> {
        None
    }
    pub(super) fn wake_cores_around(&mut self, _tile: usize) {}
}
