//! How an array is brought to rest: what devices touched, and what sets it back.
//!
//! 1. Channels of shim tiles are waited for: their transfers to and from host memory must be over,
//!    which no register could undo.
//! 2. Cores, channels of core and mem tiles, and stream switches are put into reset: what stands in
//!    streams is lost.
//! 3. Channels and switches are let out of reset, and what only the devices before had connected is
//!    switched off. No switch is let out before all are in: its neighbour would fill it again.
//!
//! All controllers have done a step before one begins the next: a core in one column may feed a
//! stream into the next one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aiec_device::regmap::{
    CoreControl, DmaCtrl, DmaState, DmaStatus, Module, QueueEntry, RegisterRef,
};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_dialect::ir::Loc;

use crate::jobs::registers::words_of;
use crate::register_ops::{RegAction, RegOp};

/// Names of the register whose bit 0 resets a stream switch, by kind of tile (AM025, AM029).
const SWITCH_RESETS: [&str; 2] = ["Module_Reset_Control", "Module_Reset_Control_0"];

/// Stream_Switch_Reset of that register.
const STREAM_SWITCH_RESET: u32 = 1;

/// What is known of a channel's tasks.
#[derive(Clone, Debug, Default)]
struct Tasks {
    pushed: u64,
    /// Tasks that are surely over.
    done: u64,
    /// Tasks whose token wasn't awaited yet.
    tokens: VecDeque<u64>,
}

/// What was touched since the array was reset.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    cores: BTreeSet<TileLoc>,
    channels: BTreeMap<(TileLoc, DmaDir, u8), Tasks>,
    switches: BTreeSet<TileLoc>,
    /// Registers that go on to have an effect, by address.
    sticky: BTreeSet<u32>,
}

impl Touched {
    /// Notes what operations touch.
    pub(super) fn add(&mut self, model: &DeviceModel, ops: &[RegOp]) {
        for op in ops {
            for (address, word) in words_of(op) {
                self.write(model, address, word);
            }
            match op.action {
                RegAction::Mask { address, .. } => self.register(model, address),
                RegAction::Wait {
                    tile,
                    dir,
                    channel,
                    tokens,
                } => {
                    let tasks = self.channels.entry((tile, dir, channel)).or_default();
                    for _ in 0..tokens {
                        if let Some(task) = tasks.tokens.pop_front() {
                            tasks.done = tasks.done.max(task + 1);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes all tasks as pending: the order of what was added isn't that of a run.
    pub(super) fn settle_all(&mut self) {
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
        let tasks = self.channels.entry((tile, dir, channel)).or_default();
        if entry.is_some_and(|entry| entry.token) {
            tasks.tokens.push_back(tasks.pushed);
        }
        tasks.pushed += 1;
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
                self.channels.entry((tile, dir, channel)).or_default();
                self.sticky.insert(address);
            }
            RegisterRef::PadValue { .. }
            | RegisterRef::ShimMux
            | RegisterRef::ShimDemux
            | RegisterRef::CascadeControl => {
                self.sticky.insert(address);
            }
            RegisterRef::Known { name, .. }
                if name.starts_with("Trace_") || name.starts_with("Performance_C") =>
            {
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
    pub(super) fn left_over<'a>(
        &'a self,
        model: &'static DeviceModel,
        config: &[RegOp],
    ) -> impl Iterator<Item = u32> + use<'a> {
        let written: BTreeSet<u32> = config
            .iter()
            .flat_map(words_of)
            .map(|(address, _)| address)
            .collect();
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

    /// The steps where all else is at rest: channels of shim tiles are waited for, cores stopped.
    pub(super) fn swap_stages(&self, model: &'static DeviceModel, loc: Loc) -> Vec<Vec<RegOp>> {
        let [wait, stop, _] = self.steps(model, loc);
        let is_core = |op: &RegOp| match op.action {
            RegAction::Write { address, .. } => matches!(
                model.register_at(address),
                Some((_, RegisterRef::CoreControl))
            ),
            _ => false,
        };
        vec![wait, stop.into_iter().filter(is_core).collect()]
    }

    /// The steps, see the module.
    pub(super) fn stages(&self, model: &'static DeviceModel, loc: Loc) -> Vec<Vec<RegOp>> {
        self.steps(model, loc).into()
    }

    fn steps(&self, model: &'static DeviceModel, loc: Loc) -> [Vec<RegOp>; 3] {
        let (mut wait, mut stop, mut clear) = (Vec::new(), Vec::new(), Vec::new());
        let held = CoreControl {
            enable: false,
            reset: true,
        };
        for tile in &self.cores {
            let address = model.register_address(*tile, RegisterRef::CoreControl);
            stop.extend(address.map(|address| RegOp::write(address, held.pack(), loc)));
        }
        for ((tile, dir, channel), tasks) in &self.channels {
            let Some(kind) = model.tile_kind(*tile) else {
                continue;
            };
            let (dir, channel) = (*dir, *channel);
            if kind.is_shim() {
                if tasks.done < tasks.pushed {
                    wait.extend(idle(model, *tile, kind, (dir, channel), loc));
                }
                continue;
            }
            let what = RegisterRef::DmaCtrl { dir, channel };
            let reset = DmaCtrl {
                reset: true,
                ..DmaCtrl::default()
            };
            let word = reset.pack(model.arch(), kind, dir).and_then(Result::ok);
            let address = model.register_address(*tile, what);
            if let (Some(address), Some(word)) = (address, word) {
                stop.push(RegOp::write(address, word, loc));
                clear.push(RegOp::write(address, 0, loc));
            }
        }
        for tile in &self.switches {
            if let Some(address) = switch_reset(model, *tile) {
                stop.push(RegOp::write(address, STREAM_SWITCH_RESET, loc));
                clear.push(RegOp::write(address, 0, loc));
            }
        }
        [wait, stop, clear]
    }
}

/// Waits until a shim channel has nothing to do.
fn idle(
    model: &'static DeviceModel,
    tile: TileLoc,
    kind: TileKind,
    (dir, channel): (DmaDir, u8),
    loc: Loc,
) -> Option<RegOp> {
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
fn switch_reset(model: &'static DeviceModel, tile: TileLoc) -> Option<u32> {
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
