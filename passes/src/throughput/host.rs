//! Transfers and waits of a runtime sequence, for the bound.
//!
//! A sequence of transfers and tasks is read as it is written ([`host_steps`]), with its loops. One that writes registers is
//! executed by the lowering that makes its code, and its steps are read from the register operations: descriptors of shim tiles as they
//! are when a task is pushed, tasks, tokens. Writes that can only delay a run (data memories, event units, traces) change nothing; those to
//! locks leave these out of the bound; any other write may change the array and is refused.

use std::collections::VecDeque;

use aiec_aie::ir::{Loc, Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_device::regmap::{BdFields, BdLayout, DmaCtrl, EventRegister, RegisterRef, RegisterRole};
use aiec_device::{ChannelId, DeviceModel, DmaDir, LockId, TileLoc};
use aiec_diag::Diags;
use aiec_regprog::known_values::words_of;
use rustc_hash::{FxHashMap, FxHashSet};

use super::LeftOut;
use crate::analysis::host_transfers::{HostStep, HostTransfer, host_steps};
use crate::regops::{RegAction, RegOp};
use crate::sequence::firmware_regions;
use crate::sequence::queues::queue_entry;

/// Buffer descriptors of a chain that are followed; a longer one is taken for a ring.
const MAX_CHAIN: usize = 64;

/// A sequence, as far as a bound needs it.
#[derive(Default)]
pub(super) struct HostProgram {
    /// Its transfers and waits.
    pub steps: Vec<HostStep>,
    /// Locks whose counters it writes.
    pub locks: FxHashSet<LockId>,
}

/// Reads the sequence of a device; `None` without one.
///
/// # Errors
/// It may change the array, or use channels that aren't known.
pub(super) fn host_program(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
) -> Result<Option<HostProgram>, LeftOut> {
    let sequences = module.children::<RuntimeSequence>(device);
    let sequence = match sequences.as_slice() {
        [] => return Ok(None),
        [sequence] => sequence.op(),
        [_, second, ..] => {
            return Err(refused(
                Some(second.op()),
                "the device has several runtime sequences",
            ));
        }
    };
    if let Some(steps) = host_steps(module, device, model).filter(|steps| are_known(steps)) {
        return Ok(Some(HostProgram {
            steps,
            locks: FxHashSet::default(),
        }));
    }
    // A device that others load runs more than once, or goes on from where another sequence left it.
    let around = module.parent_op(device);
    let devices = around.map_or_else(Vec::new, |around| module.children::<Device>(around));
    let mut loads = devices.into_iter().flat_map(|device| {
        let sequences = module.children::<RuntimeSequence>(device.op()).into_iter();
        sequences.flat_map(|sequence| module.find(sequence.op(), OpKind::Configure))
    });
    if let Some(load) = loads.next() {
        return Err(refused(Some(load), "a runtime sequence loads devices"));
    }
    let regions = firmware_regions(module, sequence, &mut Diags::default());
    let regions = regions.map_err(|_| {
        refused(
            Some(sequence),
            "the runtime sequence can't be executed before the run",
        )
    })?;
    let region = match regions.as_slice() {
        [] => return Ok(None),
        [region] if region.device == device => region,
        [_, loaded, ..] => return Err(refused(loaded.load, "a runtime sequence loads devices")),
        [_] => {
            return Err(refused(
                Some(sequence),
                "the runtime sequence runs another device",
            ));
        }
    };
    let mut reader = RegisterReader::new(model, module, sequence);
    for op in &region.ops {
        reader.read(op)?;
    }
    Ok(Some(reader.program))
}

/// Whether tasks of two descriptors take the same words, packets and locks, from or to whatever addresses.
fn moves_the_same(a: &BdFields, b: &BdFields) -> bool {
    let moved = |bd: &BdFields| {
        (
            bd.length,
            bd.next(),
            bd.packet(),
            bd.acquire(),
            bd.release(),
        )
    };
    moved(a) == moved(b)
}

/// Whether all words and repetitions of steps are known.
fn are_known(steps: &[HostStep]) -> bool {
    steps.iter().all(|step| match step {
        HostStep::Start(transfer) => transfer.words.is_some(),
        HostStep::Wait(_) => true,
        HostStep::Repeat(times, steps) => times.is_some() && are_known(steps),
    })
}

fn refused(op: Option<Op>, reason: impl Into<String>) -> LeftOut {
    LeftOut {
        op,
        reason: reason.into(),
    }
}

/// A task whose descriptors the channel may read later.
struct PushedTask {
    bds: Vec<u8>,
    has_token: bool,
}

/// Reads register operations in order.
struct RegisterReader {
    model: &'static DeviceModel,
    sequence: Op,
    /// The operation of each place, for findings.
    ops: FxHashMap<Loc, Op>,
    /// Words of descriptors by address; `None`: it isn't known.
    words: FxHashMap<u32, Option<u32>>,
    /// Tasks of channels whose end wasn't awaited.
    pushed: FxHashMap<ChannelId, VecDeque<PushedTask>>,
    /// Descriptors of these tasks that the operation changes, with their fields before it.
    changed: Vec<(TileLoc, u8, Option<BdFields>)>,
    program: HostProgram,
}

impl RegisterReader {
    fn new(model: &'static DeviceModel, module: &Module, sequence: Op) -> RegisterReader {
        let ops = module.walk(sequence);
        RegisterReader {
            model,
            sequence,
            ops: ops.map(|op| (module.loc(op), op)).collect(),
            words: FxHashMap::default(),
            pushed: FxHashMap::default(),
            changed: Vec::new(),
            program: HostProgram::default(),
        }
    }

    fn op_of(&self, op: &RegOp) -> Op {
        self.ops.get(&op.loc).copied().unwrap_or(self.sequence)
    }

    fn read(&mut self, op: &RegOp) -> Result<(), LeftOut> {
        match &op.action {
            RegAction::Write { .. } | RegAction::Block { .. } | RegAction::PatchedBd { .. } => {
                for (address, word) in words_of(op) {
                    self.write(op, address, u32::MAX, Some(word))?;
                }
            }
            RegAction::Mask {
                address,
                mask,
                value,
            } => {
                self.write(op, *address, *mask, Some(*value))?;
            }
            RegAction::Copy { to, .. } => self.write(op, *to, u32::MAX, None)?,
            RegAction::Wait { channel, tokens } => {
                (0..*tokens).for_each(|_| self.wait(*channel));
            }
            RegAction::Sync {
                first,
                columns,
                rows,
            } => {
                for col in first.tile.col..first.tile.col.saturating_add(*columns) {
                    for row in first.tile.row..first.tile.row.saturating_add(*rows) {
                        self.wait(ChannelId::new(TileLoc { col, row }, first.dir, first.index));
                    }
                }
            }
            // Addresses of host buffers change no number of words, and the rest takes time only.
            RegAction::Patch { .. }
            | RegAction::UpdateFromScratchpad { .. }
            | RegAction::CreateScratchpad { .. }
            | RegAction::Poll { .. }
            | RegAction::Read { .. }
            | RegAction::Preempt { .. } => {}
        }
        for (tile, bd, before) in std::mem::take(&mut self.changed) {
            let after = self.bd(tile, bd);
            let is_same = before
                .zip(after)
                .is_some_and(|(a, b)| moves_the_same(&a, &b));
            if !is_same {
                let reason = format!(
                    "the runtime sequence changes BD {bd} of tile {tile}, whose task may not have begun"
                );
                return Err(refused(Some(self.op_of(op)), reason));
            }
        }
        Ok(())
    }

    /// Bits `mask` of a word become those of `value`, if it is known.
    fn write(
        &mut self,
        op: &RegOp,
        address: u32,
        mask: u32,
        value: Option<u32>,
    ) -> Result<(), LeftOut> {
        use RegisterRef as R;
        let Some((tile, register)) = self.model.register_at(address) else {
            return Err(self.may_change(op, address));
        };
        let is_shim = self
            .model
            .tile_kind(tile)
            .is_some_and(|kind| kind.is_shim());
        match register {
            R::DataMemory { .. } | R::EventGenerate { .. } | R::PadValue { .. } => Ok(()),
            R::LockValue { id } | R::LockRequest { id, .. } => {
                self.program.locks.insert(LockId::new(tile, id));
                Ok(())
            }
            R::BdWord { bd, .. } if is_shim => {
                self.write_bd((tile, bd), address, mask, value);
                Ok(())
            }
            R::DmaQueue { .. } if is_shim => {
                match (value, queue_entry(self.model, address, value.unwrap_or(0))) {
                    (Some(_), Some((channel, entry))) => self.push(
                        op,
                        channel,
                        entry.bd,
                        u64::from(entry.repeat) + 1,
                        entry.token,
                    ),
                    _ => Err(self.may_change(op, address)),
                }
            }
            R::DmaCtrl { dir, .. } if self.names_receiver(tile, dir, mask, value) => Ok(()),
            _ if self.only_watches(tile, address) => Ok(()),
            _ => Err(self.may_change(op, address)),
        }
    }

    /// Whether the control of a channel gets no more than a receiver of its tokens, or a pause.
    fn names_receiver(&self, tile: TileLoc, dir: DmaDir, mask: u32, value: Option<u32>) -> bool {
        let kind = self.model.tile_kind(tile);
        let control = kind
            .zip(value)
            .and_then(|(kind, value)| DmaCtrl::unpack(self.model.arch(), kind, dir, value & mask));
        control.is_some_and(|control| {
            let rest = DmaCtrl {
                controller_id: 0,
                pause_memory: false,
                pause_stream: false,
                ..control
            };
            rest == DmaCtrl::default()
        })
    }

    /// Whether a register only counts, times or traces what happens.
    fn only_watches(&self, tile: TileLoc, address: u32) -> bool {
        let (_, offset) = self.model.split_address(address);
        let map = self.model.register_map(tile);
        let role = map.and_then(|map| map.role_at(offset));
        match role {
            Some((RegisterRole::Event(register), _)) => register != EventRegister::CoreEnable,
            _ => false,
        }
    }

    fn write_bd(&mut self, (tile, bd): (TileLoc, u8), address: u32, mask: u32, value: Option<u32>) {
        let old = self.words.get(&address).copied().flatten();
        let new = match (mask, value) {
            (u32::MAX, value) => value,
            (_, Some(value)) => old.map(|old| old & !mask | value & mask),
            (_, None) => None,
        };
        let mut pushed = self
            .pushed
            .iter()
            .filter(|(channel, _)| channel.tile == tile);
        let may_be_read = pushed.any(|(_, tasks)| tasks.iter().any(|task| task.bds.contains(&bd)));
        let is_noted = self
            .changed
            .iter()
            .any(|(at, id, _)| (*at, *id) == (tile, bd));
        if may_be_read && !is_noted {
            self.changed.push((tile, bd, self.bd(tile, bd)));
        }
        self.words.insert(address, new);
    }

    fn bd(&self, tile: TileLoc, bd: u8) -> Option<BdFields> {
        let layout = BdLayout::of(self.model.arch(), self.model.tile_kind(tile)?)?;
        let words = (0..layout.words()).map(|word| {
            let address = self
                .model
                .register_address(tile, RegisterRef::BdWord { bd, word })?;
            self.words.get(&address).copied().flatten()
        });
        Some(layout.unpack(&words.collect::<Option<Vec<u32>>>()?))
    }

    /// A channel gets a task of some runs of a descriptor and those after it.
    fn push(
        &mut self,
        op: &RegOp,
        channel: ChannelId,
        first: u8,
        runs: u64,
        has_token: bool,
    ) -> Result<(), LeftOut> {
        let task = self.op_of(op);
        let unknown = |bd: u8, why: &str| {
            let reason = format!(
                "the runtime sequence pushes BD {bd} of tile {}, {why}",
                channel.tile
            );
            refused(Some(task), reason)
        };
        let mut bds = Vec::new();
        let (mut words, mut packet) = (0u64, None);
        let mut next = Some(first);
        while let Some(bd) = next {
            let fields = self.bd(channel.tile, bd);
            let fields = fields.ok_or_else(|| unknown(bd, "whose words aren't all known"))?;
            if fields.acquire().is_some() || fields.release().is_some() {
                return Err(unknown(bd, "which uses locks"));
            }
            if bds.contains(&bd) || bds.len() == MAX_CHAIN {
                return Err(unknown(first, "whose chain doesn't end"));
            }
            if bds.is_empty() {
                packet = fields.packet().map(|(id, _)| id);
            }
            bds.push(bd);
            words += u64::from(fields.length);
            next = fields.next();
        }
        self.program.steps.push(HostStep::Start(HostTransfer {
            channel,
            name: None,
            words: words.checked_mul(runs),
            runs,
            packet,
            issues_token: has_token,
            op: task,
        }));
        let tasks = self.pushed.entry(channel).or_default();
        tasks.push_back(PushedTask { bds, has_token });
        Ok(())
    }

    /// A token of a channel: its tasks have ended up to the next one that sends one.
    fn wait(&mut self, channel: ChannelId) {
        self.program.steps.push(HostStep::Wait(channel));
        let tasks = self.pushed.entry(channel).or_default();
        while let Some(task) = tasks.pop_front()
            && !task.has_token
        {}
    }

    fn may_change(&self, op: &RegOp, address: u32) -> LeftOut {
        let name = match self.model.describe(address) {
            Some(info) => info.to_string(),
            None => format!("address {address:#x}"),
        };
        let reason = format!("the runtime sequence writes {name}, which may change anything");
        refused(Some(self.op_of(op)), reason)
    }
}
