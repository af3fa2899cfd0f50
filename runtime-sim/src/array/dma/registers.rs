//! Registers of DMA channels: control, task queue, status.

use aiec_device::regmap::{DmaCtrl, DmaStatus, QueueEntry, RegisterMap, RegisterRef};
use aiec_device::{ChannelId, DmaDir};
use aiec_diag::internal;

use super::channel::Task;
use crate::array::Array;
use crate::array::fault::FaultKind;
use crate::array::trace_event::TraceEvent;

impl Array {
    pub(in crate::array) fn write_dma_control(
        &mut self,
        tile: usize,
        dir: DmaDir,
        channel: u8,
        value: u32,
    ) {
        let info = self.grid.tiles[tile];
        let dma = &mut self.dma[tile];
        let Some(index) = dma.index(dir, channel) else {
            let tile = info.loc;
            return self.broken(internal!(
                "tile {tile} has no channel {dir} {channel}, the map has"
            ));
        };
        let Some(control) = DmaCtrl::unpack(self.device.arch(), info.kind, dir, value) else {
            let tile = info.loc;
            return self.broken(internal!(
                "tile {tile} has channels without a control register"
            ));
        };
        dma.channels[index].control = control;
        if control.reset {
            self.reset_channel(tile, index);
        }
        let me = self.dma[tile].channels[index].actor();
        self.net.fabric.sched.wake(me);
    }

    pub(in crate::array) fn push_task(&mut self, tile: usize, id: ChannelId, value: u32) {
        let info = self.grid.tiles[tile];
        let entry = QueueEntry::unpack(self.device.arch(), info.kind, id.dir, value);
        let (Some(channel), Some(QueueEntry { bd, repeat, token })) =
            (self.dma[tile].channel_mut(id.dir, id.index), entry)
        else {
            return self.broken(internal!("{id} has a task queue in the map only"));
        };
        let depth = channel.depth;
        if channel.queue.len() >= depth {
            channel.overflow = true;
            let fault = FaultKind::TaskQueueOverflow {
                channel: id,
                bd,
                depth,
            };
            self.log.fault(self.now, fault);
            return;
        }
        channel.queue.push_back(Task {
            bd,
            runs: u32::from(repeat) + 1,
            token,
        });
        self.net.fabric.sched.wake(channel.actor());
        if let Some(races) = &mut self.races {
            races.task_pushed(id);
        }
        self.trace(id.tile, self.now, || TraceEvent::TaskPushed {
            channel: id,
            bd,
            runs: u16::from(repeat) + 1,
            token,
            by: None,
        });
    }

    pub(in crate::array) fn dma_status(&self, tile: usize, dir: DmaDir, number: u8) -> Option<u32> {
        let dma = &self.dma[tile];
        let channel = &dma.channels[dma.index(dir, number)?];
        let pipe = self.net.fabric.pipe(self.net.fabric.end_of(channel.stream));
        let stalled = match dir {
            DmaDir::S2mm => pipe.is_empty(),
            DmaDir::Mm2s => pipe.space() == 0,
        };
        let (arch, kind) = (self.device.arch(), self.grid.tiles[tile].kind);
        // Errors that this kind of tile has no bit for cannot be shown.
        let mut status = channel.status(stalled);
        let register = RegisterRef::DmaStatus {
            dir,
            channel: number,
        };
        let row = RegisterMap::of(arch, kind).and_then(|map| map.register(register));
        let known = |name| row.is_some_and(|(row, _)| row.field(name).is_some());
        status.error_bd_unavailable &= known("Error_BD_Unavailable");
        status.error_lock_unavailable &= known("Error_Lock_Access_to_Unavailable");
        status.error_memory_unavailable &= known("Error_DM_Access_to_Unavailable");
        DmaStatus::pack(status, arch, kind, dir).and_then(Result::ok)
    }
}
