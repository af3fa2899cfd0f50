//! Keeps task queues from overflowing.
//!
//! A channel's queue holds a few tasks; a task that is pushed into a full queue is lost. A token
//! that was awaited says that its task and all before it on that channel are done. When more tasks
//! than the queue holds may be pending, the controller waits until there is room.

use std::collections::VecDeque;

use aiec_aie::ir::Loc;
use aiec_device::regmap::{DmaStatus, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DeviceModel};
use rustc_hash::FxHashMap;

use crate::regops::RegOp;

/// Known tasks of a channel, counted from the start of the sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChannelTasks {
    pub(crate) pushed: u64,
    /// Tasks that are surely done.
    pub(crate) done: u64,
    /// Tasks that send a token which wasn't awaited yet.
    pub(crate) tokens: VecDeque<u64>,
}

impl ChannelTasks {
    /// Notes a task that is pushed, with a token or without.
    pub(crate) fn push(&mut self, token: bool) {
        if token {
            self.tokens.push_back(self.pushed);
        }
        self.pushed += 1;
    }

    /// Notes that tokens were awaited.
    pub(crate) fn awaited(&mut self, tokens: u8) {
        for _ in 0..tokens {
            if let Some(task) = self.tokens.pop_front() {
                self.done = self.done.max(task + 1);
            }
        }
    }
}

/// The queues of all channels.
#[derive(Default)]
pub(super) struct Queues {
    queues: FxHashMap<ChannelId, ChannelTasks>,
}

impl Queues {
    /// Notes a write. If it pushes a task into a queue that may be full: what to wait for first.
    pub(super) fn before_write(
        &mut self,
        model: &'static DeviceModel,
        address: u32,
        value: u32,
        loc: Loc,
    ) -> Option<RegOp> {
        let (channel, entry) = queue_entry(model, address, value)?;
        let ChannelId { tile, dir, .. } = channel;
        let kind = model.tile_kind(tile)?;
        let depth = model.tile(tile)?.dma.as_ref()?.queue_depth.get(dir);
        let queue = self.queues.entry(channel).or_default();
        let mut wait = None;
        if queue.pushed - queue.done >= depth.into() {
            // Depths are powers of two: the bit of the depth is set when the queue is full only.
            let full = DmaStatus {
                queue_size: depth,
                ..DmaStatus::default()
            };
            let mask = full.pack(model.arch(), kind, dir)?.ok()?;
            let status = model.register_address(tile, channel.status())?;
            wait = Some(RegOp::poll(status, mask, 0, loc));
            // There is room in the queue, and one task may run.
            queue.done = queue.done.max(queue.pushed - u64::from(depth));
        }
        queue.push(entry.token);
        wait
    }

    /// Notes that tokens of a channel were awaited.
    pub(super) fn awaited(&mut self, channel: ChannelId, tokens: u8) {
        self.queues.entry(channel).or_default().awaited(tokens);
    }

    /// Notes that a channel was reset: its queue is empty.
    pub(super) fn reset(&mut self, channel: ChannelId) {
        self.queues.remove(&channel);
    }
}

/// The channel that a write gives a task to, and the task; none of other writes.
pub(crate) fn queue_entry(
    model: &'static DeviceModel,
    address: u32,
    value: u32,
) -> Option<(ChannelId, QueueEntry)> {
    let (tile, RegisterRef::DmaQueue { dir, channel }) = model.register_at(address)? else {
        return None;
    };
    let entry = QueueEntry::unpack(model.arch(), model.tile_kind(tile)?, dir, value)?;
    Some((ChannelId::new(tile, dir, channel), entry))
}
