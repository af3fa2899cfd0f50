//! Resets of modules: stream switches, and the DMA of shim tiles.

use aiec_device::DmaDir;
use aiec_device::regmap::{Register, RegisterRole};

use super::Array;
use super::dma::channel::State;

/// Stream_Switch_Reset of Module_Reset_Control and Module_Reset_Control_0, NoC_Module_Reset of
/// Module_Reset_Control_1 of shim tiles (AM025, AM029).
const RESET: u32 = 1;

impl Array {
    /// Takes over a value of a register that resets modules.
    pub(super) fn write_reset(
        &mut self,
        tile: usize,
        role: RegisterRole,
        row: &'static Register,
        offset: u32,
        value: u32,
    ) {
        let resets = (value | self.read_shadow(tile, offset)) & RESET != 0;
        match role {
            RegisterRole::StreamSwitchReset if resets => self.net.reset_switch(tile, self.now),
            RegisterRole::NocModuleReset if resets => {
                for channel in 0..self.dma[tile].channels.len() {
                    self.reset_channel(tile, channel);
                }
            }
            _ => {}
        }
        let unmodelled = (value & !RESET != 0).then(|| row.template());
        self.keep(tile, offset, value, unmodelled);
    }

    /// What the firmware of an NPU does before it loads a configuration: everything is as after
    /// power-up, but for the data memories, which keep their contents (unconfirmed:
    /// `docs/src/fidelity.md`), and for what was recorded of the run.
    pub fn reset_partition(&mut self) {
        let fresh = Array::new(self.device, self.timing.clone());
        let mut net = fresh.net;
        let (old, new) = (&mut self.net.fabric, &mut net.fabric);
        std::mem::swap(&mut old.sched.jitter, &mut new.sched.jitter);
        std::mem::swap(&mut old.samples, &mut new.samples);
        std::mem::swap(&mut old.bursts, &mut new.bursts);
        self.net = net;
        self.locks = fresh.locks;
        self.dma = fresh.dma;
        self.cores = fresh.cores;
        self.cascades = fresh.cascades;
        self.control = fresh.control;
        self.shadow = fresh.shadow;
        self.sinks = fresh.sinks;
        self.grants.clear();
        self.log.cores_reset(|_| true);
        self.drop_tokens();
    }

    /// Drops a channel's queue and what it does.
    pub(super) fn reset_channel(&mut self, tile: usize, index: usize) {
        let channel = &mut self.dma[tile].channels[index];
        let me = channel.actor();
        if let State::Acquire { lock, .. } = channel.state {
            self.locks[self.grid.at(lock.tile)].cancel(me);
        }
        channel.reset();
        let id = channel.id;
        if id.dir == DmaDir::S2mm {
            self.net.fabric.unclaim(channel.stream);
        }
        if let Some(races) = &mut self.races {
            races.channel_reset(id);
        }
        self.net.fabric.sched.wake(me);
    }
}
