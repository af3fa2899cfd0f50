//! Teardown: what devices have changed, and the register writes that stop and clear it.
//!
//! 1. Channels of shim tiles are waited for: their transfers to and from host memory must be over,
//!    which no register could undo.
//! 2. Cores, channels of core and mem tiles, and stream switches are put into reset: words in
//!    streams are lost.
//! 3. Switches are let out of reset, and channels that the configuration doesn't start; it lets out the
//!    others. What only the devices before had connected is switched off. No switch is let out before
//!    all are in: its neighbour would fill it again.
//!
//! All controllers have done a step before one begins the next: a core in one column may feed a
//! stream into the next one.
//!
//! After a quiescent device ([`super::quiescence`]) less is done: [`DirtySet::resume_stages`].

use std::collections::BTreeSet;

use aiec_aie::ir::Loc;
use aiec_device::regmap::{
    CoreControl, DmaCtrl, DmaState, DmaStatus, Module, QueueEntry, RegisterRef,
};
use aiec_device::{ChannelId, DeviceModel, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::quiescence::ResumePlan;
use crate::regops::{RegAction, RegOp};
use crate::sequence::queues::ChannelTasks;
use aiec_regprog::known_values::{pushed, words_of};

/// Names of the register whose bit 0 resets a stream switch, by kind of tile (AM025, AM029).
const SWITCH_RESETS: [&str; 2] = ["Module_Reset_Control", "Module_Reset_Control_0"];

/// Stream_Switch_Reset of that register.
pub(super) const STREAM_SWITCH_RESET: u32 = 1;

/// Parts of the array touched since it was reset.
#[derive(Clone, Debug, Default)]
pub(super) struct DirtySet {
    cores: BTreeSet<TileLoc>,
    channels: FxHashMap<ChannelId, ChannelTasks>,
    switches: BTreeSet<TileLoc>,
    /// Registers that go on to have an effect, by address.
    sticky: BTreeSet<u32>,
}

impl DirtySet {
    /// Notes what operations touch.
    pub(super) fn add(&mut self, model: &DeviceModel, ops: &[RegOp]) {
        for op in ops {
            for (address, word) in words_of(op) {
                self.write(model, address, word);
            }
            if let RegAction::Mask { address, .. } = op.action {
                self.register(model, address);
            }
            for (channel, tokens) in op.action.awaited() {
                self.channels.entry(channel).or_default().awaited(tokens);
            }
        }
    }

    /// Takes all tasks as pending: the order of what was added isn't that of a run.
    pub(super) fn forget_completions(&mut self) {
        for tasks in self.channels.values_mut() {
            tasks.done = 0;
        }
    }

    /// All tasks of shim tiles were waited for.
    pub(super) fn waited(&mut self) {
        for tasks in self.channels.values_mut() {
            tasks.done = tasks.pushed;
            tasks.tokens.clear();
        }
    }

    fn write(&mut self, model: &DeviceModel, address: u32, word: u32) {
        self.register(model, address);
        let Some((tile, RegisterRef::DmaQueue { dir, channel })) = model.register_at(address)
        else {
            return;
        };
        let kind = model.tile_kind(tile);
        let entry = kind.and_then(|kind| QueueEntry::unpack(model.arch(), kind, dir, word));
        let tasks = self
            .channels
            .entry(ChannelId::new(tile, dir, channel))
            .or_default();
        tasks.push(entry.is_some_and(|entry| entry.token));
    }

    fn register(&mut self, model: &DeviceModel, address: u32) {
        let Some((tile, what)) = model.register_at(address) else {
            return;
        };
        match what {
            RegisterRef::CoreControl => {
                self.cores.insert(tile);
            }
            RegisterRef::MasterConfig { .. }
            | RegisterRef::SlaveConfig { .. }
            | RegisterRef::SlaveSlot { .. } => {
                self.switches.insert(tile);
                self.sticky.insert(address);
            }
            RegisterRef::DmaCtrl { dir, channel } => {
                self.channels
                    .entry(ChannelId::new(tile, dir, channel))
                    .or_default();
                self.sticky.insert(address);
            }
            RegisterRef::PadValue { .. }
            | RegisterRef::ShimMux
            | RegisterRef::ShimDemux
            | RegisterRef::CascadeControl => {
                self.sticky.insert(address);
            }
            RegisterRef::Known { name, .. } if is_trace_or_counter(name) => {
                self.sticky.insert(address);
            }
            _ => {}
        }
    }

    /// Tiles whose streams are emptied.
    pub(super) fn switches(&self) -> impl Iterator<Item = TileLoc> + '_ {
        self.switches.iter().copied()
    }

    /// Registers that have an effect and that a configuration doesn't write.
    pub(super) fn stale_registers<'a>(
        &'a self,
        model: &'static DeviceModel,
        config: &[RegOp],
    ) -> impl Iterator<Item = u32> + use<'a> {
        let written = written(config);
        let of_reset = move |address: &u32| {
            // Letting a channel out of reset clears the rest of its register.
            matches!(
                model.register_at(*address),
                Some((tile, RegisterRef::DmaCtrl { .. })) if tile.row != 0
            )
        };
        let list = self.sticky.iter().copied();
        list.filter(move |address| !written.contains(address) && !of_reset(address))
    }

    /// Stages before a load after a quiescent device: waits for channels of shim tiles that aren't
    /// known to have finished; resets of cores, of channels that restart, and of switches that may
    /// hold words, which are let out again.
    pub(super) fn resume_stages(
        &self,
        model: &'static DeviceModel,
        rest: &ResumePlan,
        loc: Loc,
    ) -> Vec<Vec<RegOp>> {
        let wait = self.channels().into_iter().filter(|key| {
            let is_over = self.is_waited_for(*key) || rest.finished.contains(key);
            key.tile.row == 0 && !is_over
        });
        let wait = wait.filter_map(|key| idle(model, key, loc));
        let channels = rest.restart.iter();
        let resets = channels.filter_map(|key| reset(model, *key, loc));
        let switches = rest.flush.iter();
        let switches = switches.filter_map(|tile| switch_reset(model, *tile));
        let switches: Vec<u32> = switches.collect();
        let write = |value| {
            let switches = switches.iter();
            switches.map(move |address| RegOp::write(*address, value, loc))
        };
        let stop = self.reset_cores(model, loc).chain(resets);
        let mut stages = vec![
            wait.collect(),
            stop.chain(write(STREAM_SWITCH_RESET)).collect(),
        ];
        if !switches.is_empty() {
            stages.push(write(0).collect());
        }
        stages
    }

    /// The channels in order.
    fn channels(&self) -> BTreeSet<ChannelId> {
        self.channels.keys().copied().collect()
    }

    /// Whether all tasks of a channel were waited for.
    pub(super) fn is_waited_for(&self, channel: ChannelId) -> bool {
        let tasks = self.channels.get(&channel);
        tasks.is_none_or(|tasks| tasks.done >= tasks.pushed)
    }

    /// Puts the cores into reset.
    fn reset_cores(
        &self,
        model: &'static DeviceModel,
        loc: Loc,
    ) -> impl Iterator<Item = RegOp> + '_ {
        let in_reset = CoreControl::IN_RESET;
        self.cores.iter().filter_map(move |tile| {
            let address = model.register_address(*tile, RegisterRef::CoreControl)?;
            Some(RegOp::write(address, in_reset.pack(), loc))
        })
    }

    /// The steps, see the module. Channels that the configuration starts are let out of reset there,
    /// where that is one write with the start ([`DirtySet::adapt`]).
    pub(super) fn teardown_stages(
        &self,
        model: &'static DeviceModel,
        config: &[RegOp],
        loc: Loc,
    ) -> Vec<Vec<RegOp>> {
        let (mut wait, mut clear) = (Vec::new(), Vec::new());
        let mut stop: Vec<RegOp> = self.reset_cores(model, loc).collect();
        let started = pushed(model, config);
        for key in self.channels() {
            let ChannelId {
                tile,
                dir,
                index: channel,
            } = key;
            if tile.row == 0 {
                if !self.is_waited_for(key) {
                    wait.extend(idle(model, key, loc));
                }
                continue;
            }
            stop.extend(reset(model, key, loc));
            let control = model.register_address(tile, RegisterRef::DmaCtrl { dir, channel });
            let control = control.filter(|_| !started.contains(&key));
            clear.extend(control.map(|control| RegOp::write(control, 0, loc)));
        }
        for tile in &self.switches {
            if let Some(address) = switch_reset(model, *tile) {
                stop.push(RegOp::write(address, STREAM_SWITCH_RESET, loc));
                clear.push(RegOp::write(address, 0, loc));
            }
        }
        vec![wait, stop, clear]
    }

    /// A configuration that comes after [`DirtySet::teardown_stages`]: cores that are in reset aren't put there
    /// again, and channels that are started are let out of reset.
    pub(super) fn adapt(&self, model: &'static DeviceModel, config: &mut Vec<RegOp>, loc: Loc) {
        config.retain(|op| {
            let RegAction::Write { address, value } = op.action else {
                return true;
            };
            match model.register_at(address) {
                Some((tile, RegisterRef::CoreControl)) => {
                    CoreControl::unpack(value).enable || !self.cores.contains(&tile)
                }
                _ => true,
            }
        });
        let started = pushed(model, config).into_iter();
        let touched = started.filter(|key| self.channels.contains_key(key));
        clear_controls(model, touched, config, loc);
    }
}

/// Lets channels out of reset whose control register no operation writes.
pub(super) fn clear_controls(
    model: &'static DeviceModel,
    channels: impl Iterator<Item = ChannelId>,
    ops: &mut Vec<RegOp>,
    loc: Loc,
) {
    let written = written(ops);
    let controls =
        channels.filter_map(|channel| model.register_address(channel.tile, channel.control()));
    let plain = controls.filter(|control| !written.contains(control));
    ops.extend(plain.map(|control| RegOp::write(control, 0, loc)));
}

/// The addresses of the words that operations write.
fn written(ops: &[RegOp]) -> FxHashSet<u32> {
    let words = ops.iter().flat_map(words_of);
    words.map(|(address, _)| address).collect()
}

/// Registers of trace units and performance counters, by their names in the manuals.
fn is_trace_or_counter(name: &str) -> bool {
    name.starts_with("Trace_") || name.starts_with("Performance_C")
}

/// Puts a channel of a core or mem tile into reset; those of shim tiles have none.
pub(super) fn reset(model: &'static DeviceModel, channel: ChannelId, loc: Loc) -> Option<RegOp> {
    let ChannelId {
        tile,
        dir,
        index: channel,
    } = channel;
    let kind = model.tile_kind(tile).filter(|kind| !kind.is_shim())?;
    let control = DmaCtrl {
        reset: true,
        ..DmaCtrl::default()
    };
    let word = control.pack(model.arch(), kind, dir).and_then(Result::ok)?;
    let address = model.register_address(tile, RegisterRef::DmaCtrl { dir, channel })?;
    Some(RegOp::write(address, word, loc))
}

/// Waits until a shim channel has nothing to do.
fn idle(model: &'static DeviceModel, channel: ChannelId, loc: Loc) -> Option<RegOp> {
    let ChannelId {
        tile,
        dir,
        index: channel,
    } = channel;
    let kind = model.tile_kind(tile)?;
    let depth = model.tile(tile)?.dma.as_ref()?.queue_depth.get(dir);
    let status = |of: DmaStatus| of.pack(model.arch(), kind, dir)?.ok();
    let running = status(DmaStatus {
        state: DmaState::Running,
        running: true,
        ..DmaStatus::default()
    })?;
    let starting = status(DmaStatus {
        state: DmaState::Starting,
        ..DmaStatus::default()
    })?;
    // Depths are powers of two: together with the lower bits, all of the field.
    let queue = status(DmaStatus {
        queue_size: depth | depth.saturating_sub(1),
        ..DmaStatus::default()
    })?;
    let what = RegisterRef::DmaStatus { dir, channel };
    let address = model.register_address(tile, what)?;
    Some(RegOp::poll(address, running | starting | queue, 0, loc))
}

/// The register that resets a tile's switch.
pub(super) fn switch_reset(model: &'static DeviceModel, tile: TileLoc) -> Option<u32> {
    let modules = [Module::Core, Module::MemTile, Module::Shim];
    let names = SWITCH_RESETS.into_iter();
    let mut registers = names.flat_map(|name| {
        modules.map(|module| RegisterRef::Known {
            module,
            name,
            index: 0,
        })
    });
    registers.find_map(|what| model.register_address(tile, what))
}
