//! Tasks of DMA channels, read back from register writes.

use std::collections::BTreeMap;

use aiec_device::regmap::{BdFields, BdLayout, DmaCtrl, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, DmaDir, LockId, TileKind, TileLoc};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unproven;
use super::marked_graph::{PlaceId, ProcessNode, TokenStep};
use crate::regops::{RegAction, RegOp};
use aiec_regprog::known_values::words_of;

/// Most descriptors of a chain.
const LONGEST_CHAIN: usize = 64;

/// A lock and a number of its units.
pub(super) type Units = (LockId, i64);

/// A descriptor's part in a task.
pub(super) struct TaskBd {
    pub(super) acquire: Option<Units>,
    pub(super) release: Option<Units>,
    /// The descriptor.
    pub(super) image: BdFields,
}

impl TaskBd {
    /// The packet that it sends.
    pub(super) fn packet(&self) -> Option<u8> {
        self.image.packet_enable.then_some(self.image.packet_id)
    }
}

/// A task: its descriptors, which of them follows the last, and how often it is done.
pub(super) struct Task {
    pub(super) moves: Vec<TaskBd>,
    pub(super) next: Option<usize>,
    pub(super) runs: u64,
    /// Whether the configuration starts it, else the sequence does.
    pub(super) configured: bool,
}

/// Known descriptors, tasks and locks of the array's channels.
#[derive(Default)]
pub(super) struct Channels {
    words: FxHashMap<(TileLoc, u8), Vec<u32>>,
    pub(super) tasks: BTreeMap<ChannelId, Vec<Task>>,
    /// Channels with a descriptor that counts its uses: its position isn't a matter of the chain.
    pub(super) counting: FxHashSet<ChannelId>,
    /// Values of locks that were written.
    pub(super) locks: FxHashMap<LockId, i64>,
}

impl Channels {
    /// Notes writes in order.
    ///
    /// # Errors
    /// One of them does what isn't followed here.
    pub(super) fn add(
        &mut self,
        model: &'static DeviceModel,
        ops: &[RegOp],
        sequence: bool,
    ) -> Result<(), Unproven> {
        for op in ops {
            match op.action {
                RegAction::Mask { address, value, .. } => {
                    let known = model.register_at(address).ok_or(Unproven::Register)?;
                    match known {
                        (tile, RegisterRef::DmaCtrl { dir, .. }) => {
                            control(model, tile, dir, value, sequence)?;
                        }
                        (_, RegisterRef::DataMemory { .. }) => {}
                        (_, RegisterRef::ShimMux | RegisterRef::ShimDemux) if !sequence => {}
                        _ => return Err(Unproven::Register),
                    }
                }
                RegAction::Copy { to, .. } => match model.register_at(to) {
                    Some((_, RegisterRef::DataMemory { .. })) => {}
                    _ => return Err(Unproven::Register),
                },
                RegAction::Poll { .. }
                | RegAction::Read { .. }
                | RegAction::Wait { .. }
                | RegAction::Sync { .. }
                | RegAction::CreateScratchpad { .. }
                | RegAction::Preempt { .. } => {}
                RegAction::Patch { .. } | RegAction::UpdateFromScratchpad { .. } => {
                    return Err(Unproven::Descriptor);
                }
                RegAction::Write { .. } | RegAction::Block { .. } | RegAction::PatchedBd { .. } => {
                    for (address, word) in words_of(op) {
                        self.write(model, address, word, sequence)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        model: &'static DeviceModel,
        address: u32,
        word: u32,
        sequence: bool,
    ) -> Result<(), Unproven> {
        let (tile, what) = model.register_at(address).ok_or(Unproven::Register)?;
        match what {
            RegisterRef::BdWord { bd, word: at } => {
                let words = self.words.entry((tile, bd)).or_default();
                words.resize(words.len().max(usize::from(at) + 1), 0);
                words[usize::from(at)] = word;
            }
            RegisterRef::DmaQueue { dir, channel } => {
                let key = ChannelId::new(tile, dir, channel);
                let task = self.task(model, key, word, !sequence)?;
                self.tasks.entry(key).or_default().push(task);
            }
            RegisterRef::LockValue { id } if !sequence => {
                self.locks.insert(LockId::new(tile, id), i64::from(word));
            }
            RegisterRef::DmaCtrl { dir, .. } => control(model, tile, dir, word, sequence)?,
            RegisterRef::DataMemory { .. } => {}
            _ if sequence => return Err(Unproven::Register),
            RegisterRef::Known { .. } => return Err(Unproven::Register),
            _ => {}
        }
        Ok(())
    }

    /// The task that a word pushes.
    fn task(
        &mut self,
        model: &'static DeviceModel,
        key: ChannelId,
        word: u32,
        configured: bool,
    ) -> Result<Task, Unproven> {
        let ChannelId { tile, dir, .. } = key;
        let kind = model.tile_kind(tile).ok_or(Unproven::Register)?;
        let entry = QueueEntry::unpack(model.arch(), kind, dir, word).ok_or(Unproven::Register)?;
        let layout = BdLayout::of(model.arch(), kind).ok_or(Unproven::Register)?;
        let mut moves = Vec::new();
        let mut seen: Vec<u8> = Vec::new();
        let mut at = Some(entry.bd);
        let mut next = None;
        while let Some(bd) = at {
            if let Some(back) = seen.iter().position(|known| *known == bd) {
                next = Some(back);
                break;
            }
            if seen.len() >= LONGEST_CHAIN {
                return Err(Unproven::Descriptor);
            }
            seen.push(bd);
            let words = self.words.get(&(tile, bd)).ok_or(Unproven::Descriptor)?;
            let mut words = words.clone();
            words.resize(usize::from(layout.words()), 0);
            let fields = layout.unpack(&words);
            at = fields.use_next.then_some(fields.next_bd);
            if fields.iteration_count > 1 && !kind.is_shim() {
                self.counting.insert(key);
            }
            moves.push(one(model, tile, kind, dir, fields)?);
        }
        Ok(Task {
            moves,
            next,
            runs: u64::from(entry.repeat) + 1,
            configured,
        })
    }
}

/// Modes of a channel in which descriptors end otherwise than by their length aren't followed, nor
/// are resets by a sequence.
fn control(
    model: &DeviceModel,
    tile: TileLoc,
    dir: DmaDir,
    word: u32,
    sequence: bool,
) -> Result<(), Unproven> {
    let kind = model.tile_kind(tile);
    let control = kind.and_then(|kind| DmaCtrl::unpack(model.arch(), kind, dir, word));
    let control = control.ok_or(Unproven::Register)?;
    if control.out_of_order || control.finish_on_tlast != 0 || control.reset && sequence {
        Err(Unproven::Mode)
    } else {
        Ok(())
    }
}

fn one(
    model: &'static DeviceModel,
    tile: TileLoc,
    kind: TileKind,
    dir: DmaDir,
    image: BdFields,
) -> Result<TaskBd, Unproven> {
    let padded = image.pad_before != [0; 3] || image.pad_after != [0; 3];
    if padded && dir == DmaDir::Mm2s || image.compression {
        return Err(Unproven::Descriptor);
    }
    let units = |(id, value): (u8, i8)| {
        let lock = match kind {
            TileKind::Mem => model.resolve_mem_tile_lock(tile, id),
            _ => Some(LockId::new(tile, id)),
        };
        Ok((lock.ok_or(Unproven::Register)?, i64::from(value).abs()))
    };
    let acquire = match image.acquire() {
        // Waiting for an exact value depends on the order of steps.
        Some((_, value)) if value >= 0 => return Err(Unproven::ExactLock),
        acquire => acquire.map(units).transpose()?,
    };
    let release = match image.release() {
        Some((_, value)) if value < 0 => return Err(Unproven::ExactLock),
        release => release.map(units).transpose()?,
    };
    Ok(TaskBd {
        acquire,
        release,
        image,
    })
}

/// The steps of a channel's tasks, and how many of them the configuration starts. `streams` tells
/// for each packet where its words go, and how many there are beside the descriptor's own: an MM2S
/// channel gives them, an S2MM channel takes them.
pub(super) fn steps(
    tasks: &[Task],
    dir: DmaDir,
    streams: &dyn Fn(Option<u8>) -> Vec<(PlaceId, i64)>,
    place: &mut dyn FnMut(LockId) -> PlaceId,
) -> (Vec<ProcessNode>, usize) {
    let mut nodes = Vec::new();
    let mut started = 0;
    for task in tasks {
        let mut moves: Vec<Vec<ProcessNode>> = Vec::new();
        for one in &task.moves {
            let mut list = Vec::new();
            if let Some((lock, n)) = one.acquire {
                list.push(ProcessNode::Step(TokenStep::Take(place(lock), n)));
            }
            let packet = one.packet().filter(|_| dir == DmaDir::Mm2s);
            list.extend(streams(packet).into_iter().map(|(stream, more)| {
                let words = i64::from(one.image.length);
                ProcessNode::Step(match dir {
                    DmaDir::S2mm => TokenStep::Take(stream, words),
                    DmaDir::Mm2s => TokenStep::Give(stream, words + more),
                })
            }));
            if let Some((lock, n)) = one.release {
                list.push(ProcessNode::Step(TokenStep::Give(place(lock), n)));
            }
            moves.push(list);
        }
        match task.next {
            Some(back) => {
                let rest = moves.split_off(back.min(moves.len()));
                nodes.extend(moves.into_iter().flatten());
                nodes.push(ProcessNode::Loop(
                    u64::MAX,
                    rest.into_iter().flatten().collect(),
                ));
            }
            None => nodes.push(ProcessNode::Loop(
                task.runs,
                moves.into_iter().flatten().collect(),
            )),
        }
        if task.configured {
            started = nodes.len();
        }
    }
    (nodes, started)
}
