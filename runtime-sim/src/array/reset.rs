//! Resets of modules: stream switches, and the DMA of shim tiles.

use aiec_device::DmaDir;
use aiec_device::regmap::{Register, RegisterRole};

use super::Array;
use super::dma::channel::State;
use super::hw_event::HwEvent;

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
            RegisterRole::StreamSwitchReset if resets => {
                self.net.reset_switch(tile, self.now);
                self.last_progress = self.now;
            }
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

    /// Resets the array as the firmware of an NPU does before it loads a configuration: everything
    /// is as after power-up, except for the data memories, which keep their contents (unconfirmed:
    /// `docs/src/fidelity.md`), and for the observers of the run and their records: trace, totals,
    /// the race detector, random latencies.
    pub fn reset_partition(&mut self) {
        let now = self.now;
        self.reset_in_races();
        for tile in 0..self.cores.len() {
            if self.cores[tile]
                .as_ref()
                .is_some_and(|core| core.is_running())
            {
                self.emit(tile, now, HwEvent::CoreActive(false));
            }
        }
        if let Some(totals) = self.events.log.as_mut().and_then(|log| log.totals.as_mut()) {
            totals.end_requests(now);
        }
        let mut fresh = Array::new(self.device, self.timing.clone());
        fresh.net.keep_records(&mut self.net, now);
        self.net = fresh.net;
        self.locks = fresh.locks;
        for (new, old) in fresh.dma.iter_mut().zip(&self.dma) {
            let channels = new.channels.iter_mut().zip(&old.channels);
            channels.for_each(|(new, old)| new.keep_records(old, now));
        }
        self.dma = fresh.dma;
        for (tile, (new, old)) in fresh.cores.iter_mut().zip(&mut self.cores).enumerate() {
            if let (Some(new), Some(old)) = (new, old) {
                old.end_scopes(&mut self.events, tile, Some(now));
                new.keep_records(old, now);
            }
        }
        self.cores = fresh.cores;
        self.events.tiles = fresh.events.tiles;
        let units = self
            .events
            .tiles
            .iter_mut()
            .flat_map(|tile| &mut tile.units);
        units.for_each(|unit| unit.begin_at(now));
        self.cascades = fresh.cascades;
        self.control = fresh.control;
        self.shadow = fresh.shadow;
        self.sinks = fresh.sinks;
        self.grants.clear();
        self.log.cores_reset(|_| true);
        self.drop_tokens();
    }

    /// Lets the race detector know that all parts are reset.
    fn reset_in_races(&mut self) {
        self.record_core_accesses();
        if let Some(races) = &mut self.races {
            races.partition_reset();
        }
    }

    /// Drops a channel's queue and its task in progress.
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
