//! Observations of a core: its status register, its wait, its totals.

use aiec_device::Bundle;
use aiec_device::regmap::RegisterRef;

use super::{CoreState, stall_kind};
use crate::array::actor::ActorId;
use crate::array::core_port::{cascade_receiver, cascade_sender};
use crate::array::stats::CoreStats;
use crate::array::view::ArrayView;
use crate::array::wait_reason::{Wait, WaitReason};
use crate::core::CoreWait;

impl ArrayView<'_> {
    /// Core_Status.
    pub(in crate::array) fn core_status(&self, tile: usize) -> u32 {
        let Some(core) = &self.cores[tile] else {
            return 0;
        };
        let map = self.device.register_map(self.grid.loc(tile));
        let Some((row, _)) = map.and_then(|map| map.register(RegisterRef::CoreStatus)) else {
            return 0;
        };
        let mut names = Vec::new();
        if core.control.enable && core.state != CoreState::Done {
            names.push("Enable");
        }
        if core.control.reset {
            names.push("Reset");
        }
        match core.state {
            CoreState::Done => names.push("Core_Done"),
            CoreState::Failed => names.push("Error_Halt"),
            CoreState::Waiting { on, .. } => names.push(match on {
                CoreWait::Acquire { lock, .. } | CoreWait::Release { lock, .. } => {
                    let locks = self.grid.tiles[tile].model.locks.max(1);
                    let stalls = [
                        "Lock_Stall_S",
                        "Lock_Stall_W",
                        "Lock_Stall_N",
                        "Lock_Stall_E",
                    ];
                    stalls[usize::from(lock / locks) % stalls.len()]
                }
                CoreWait::StreamGet { .. } => "Stream_Stall_SS0",
                CoreWait::StreamPut { .. } => "Stream_Stall_MS0",
                CoreWait::CascadeGet => "Cascade_Stall_SCD",
                CoreWait::CascadePut => "Cascade_Stall_MCD",
                CoreWait::Register { .. } => "Core_Processor_Bus_Stall",
            }),
            CoreState::Off | CoreState::Blank | CoreState::Ready { .. } => {}
        }
        let fields = names.into_iter().filter_map(|name| row.field(name));
        fields.fold(0, |word, field| field.set(word, 1))
    }

    /// Wait of the core of a tile.
    pub(in crate::array) fn core_wait(&self, tile: usize) -> Option<Wait> {
        let core = self.cores[tile].as_ref()?;
        let who = ActorId::core(self.grid.loc(tile));
        let (reason, since) = match core.state {
            CoreState::Off if core.loaded => (WaitReason::Paused, self.now),
            CoreState::Failed => (WaitReason::Stopped, self.now),
            CoreState::Blank => (WaitReason::Program, self.now),
            CoreState::Off | CoreState::Done | CoreState::Ready { .. } => return None,
            CoreState::Waiting { on, since } => match on {
                CoreWait::Acquire { .. } | CoreWait::Release { .. } => {
                    self.lock_wait(core.waits_for?, who)?
                }
                // It takes place at once.
                CoreWait::Register { .. } => return None,
                CoreWait::StreamGet { channel } => {
                    let master = self.net.switches[tile].master(Bundle::Core, channel)?;
                    (self.data_from(master.target?), since)
                }
                CoreWait::StreamPut { channel } => {
                    let slave = self.net.switches[tile].slave(Bundle::Core, channel)?;
                    (self.space_behind(slave.pipe), since)
                }
                CoreWait::CascadeGet => {
                    let from = cascade_sender(self.grid, self.cascades, tile);
                    let from = from.map(|at| self.grid.loc(at));
                    (WaitReason::CascadeData { from }, since)
                }
                CoreWait::CascadePut => {
                    let to = cascade_receiver(self.grid, self.cascades, tile);
                    let to = to.map(|at| self.grid.loc(at));
                    (WaitReason::CascadeSpace { to }, since)
                }
            },
        };
        Some(Wait { who, reason, since })
    }

    /// Totals of the core of a tile, if it ever ran.
    pub(in crate::array) fn core_stats(&self, tile: usize) -> Option<CoreStats> {
        let core = self.cores[tile].as_ref().filter(|core| core.started)?;
        let mut times = core.times;
        if let CoreState::Waiting { on, since } = core.state
            && let Some(until) = self.open_stalls_until()
        {
            *times.stall(stall_kind(on)) += until.saturating_sub(since);
        }
        Some(CoreStats {
            tile: self.grid.loc(tile),
            times,
            done: core.state == CoreState::Done,
        })
    }
}
