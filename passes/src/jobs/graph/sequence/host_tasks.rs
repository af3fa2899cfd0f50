//! Transfers that meet in host memory.

use aiec_device::{ChannelId, DmaDir, TileKind};

use super::super::host::{Access, Overlaps};
use super::super::{Builder, DepKind};
use super::SequenceState;
use aiec_regprog::extent;

impl Builder<'_> {
    /// Orders a push with other channels' tasks on the same bytes of the host.
    pub(super) fn depend_on_host_tasks(
        &mut self,
        channel: ChannelId,
        chain: &[u8],
        task: u64,
        node: usize,
    ) {
        let ChannelId { tile, dir, .. } = channel;
        if self.model.tile_kind(tile) != Some(TileKind::ShimNoc) {
            return;
        }
        let access = Access {
            channel,
            task,
            push: node,
        };
        let mut unknown = false;
        let mut met = Vec::new();
        for bd in chain {
            let descriptor = self.descriptor(tile, *bd);
            let fields = descriptor.map(|(layout, words)| layout.unpack(&words));
            let state = self.state.bds.get(&(tile, *bd));
            let argument = state.and_then(|bd| bd.argument);
            let is_read = state.is_some_and(|bd| bd.read);
            match (fields, argument) {
                (Some(fields), Some(argument)) => {
                    let writes = dir == DmaDir::S2mm;
                    let range = if is_read {
                        (0, u64::MAX)
                    } else {
                        extent(&fields)
                    };
                    let SequenceState { hosts, queues, .. } = &mut self.state;
                    let is_done = |other: &Access| {
                        let queue = queues.get(&other.channel);
                        queue.is_some_and(|queue| queue.proof(other.task).is_some())
                    };
                    met.push(hosts.access(argument, range, writes, access, &is_done));
                }
                _ => unknown = true,
            }
        }
        for Overlaps { before, unfinished } in met {
            for other in before {
                if !self.depend_on_task(&other, node, DepKind::HostRange) {
                    self.keep_apart(other, access);
                }
            }
            for other in unfinished {
                self.keep_apart(other, access);
            }
        }
        if unknown {
            self.barrier_after(node, true);
            let key = self.key(node);
            self.require_after(key, node, DepKind::HostRange, true);
            self.state.barrier = Some(node);
        }
    }

    /// Lets components go on after a wait that must not do so before the tasks that it proves done.
    pub(super) fn let_go_on(&mut self, channel: ChannelId, wait: usize) {
        let Some(queue) = self.state.queues.get_mut(&channel) else {
            return;
        };
        let done = queue.done.last().map_or(0, |(done, _)| *done);
        let mut components = Vec::new();
        queue.awaited_by.retain(|(task, component)| {
            let is_done = *task < done;
            components.extend(is_done.then_some(*component));
            !is_done
        });
        let from = self.key(wait);
        for component in components.into_iter().filter(|other| *other != from.0) {
            let debt = (wait, DepKind::HostRange);
            self.state
                .pending_by_component
                .entry(component)
                .or_default()
                .insert(from, debt);
            let lanes = self.state.chains.iter_mut();
            for (_, lane) in lanes.filter(|(key, _)| key.0 == component) {
                lane.pending_deps.insert(from, debt);
            }
        }
    }

    /// Of two transfers that meet in host memory, neither proven done, each component goes on only after what the
    /// sequence awaits of the other: a task that is pushed moves nothing before its stream flows, and what makes
    /// it flow may come much later.
    fn keep_apart(&mut self, one: Access, other: Access) {
        let component = |this: &mut Self, access: &Access| {
            let part = this.network.part(access.channel);
            this.network.component(part)
        };
        let components = [&one, &other].map(|access| component(self, access));
        if components[0] == components[1] {
            return;
        }
        for (access, waits) in [(one, components[1]), (other, components[0])] {
            let queue = self.state.queues.entry(access.channel).or_default();
            queue.awaited_by.push((access.task, waits));
        }
    }
}
