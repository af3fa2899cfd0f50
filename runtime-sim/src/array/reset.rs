//! Resets of modules: stream switches, and the DMA of shim tiles.

use super::Array;
use super::dma::channel::State;
use super::sched::{CompId, Part};

/// Stream_Switch_Reset of Module_Reset_Control and Module_Reset_Control_0 (AM025, AM029).
const STREAM_SWITCH_RESET: u32 = 1;
/// NoC_Module_Reset of Module_Reset_Control_1 of shim tiles (AM025, AM029).
const NOC_MODULE_RESET: u32 = 1;

impl Array {
    /// Takes over a value of a register that resets modules; false if it is none.
    pub(super) fn write_reset(
        &mut self,
        tile: usize,
        name: &'static str,
        offset: u32,
        value: u32,
    ) -> bool {
        let before = self.plain[tile].get(&offset).copied().unwrap_or(0);
        let modelled = match name {
            "Module_Reset_Control" | "Module_Reset_Control_0" => {
                // What comes while a switch is in reset is lost too.
                if (value | before) & STREAM_SWITCH_RESET != 0 {
                    self.net.reset_switch(tile, self.now);
                }
                STREAM_SWITCH_RESET
            }
            "Module_Reset_Control_1" => {
                if (value | before) & NOC_MODULE_RESET != 0 {
                    for channel in 0..self.dma[tile].channels.len() {
                        self.reset_channel(tile, channel);
                    }
                }
                NOC_MODULE_RESET
            }
            _ => return false,
        };
        self.plain[tile].insert(offset, value);
        if value & !modelled != 0 {
            self.log.unmodelled(name, self.grid.loc(tile));
        }
        true
    }

    /// Drops a channel's queue and what it does.
    pub(super) fn reset_channel(&mut self, tile: usize, index: usize) {
        let me = CompId::new(tile, Part::Channel(index as u8));
        let channel = &mut self.dma[tile].channels[index];
        if let State::Acquire { owner, .. } = channel.state {
            self.locks[owner].cancel(me);
        }
        channel.reset();
        self.net.fabric.sched.wake(me);
    }
}
