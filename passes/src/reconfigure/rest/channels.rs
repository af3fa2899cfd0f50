//! What DMA channels do, read back from register writes.

use std::collections::BTreeMap;

use aiec_device::regmap::{BdFields, BdLayout, QueueEntry, RegisterRef};
use aiec_device::{DeviceModel, DmaDir, TileKind, TileLoc};

use super::net::{Node, Place, Step};
use crate::jobs::graph::ChannelKey;
use crate::jobs::registers::words_of;
use crate::register_ops::{RegAction, RegOp};

/// Most descriptors of a chain.
const LONGEST_CHAIN: usize = 64;

/// What a channel does beside its descriptors' locks.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    /// Words that pass its stream.
    pub(super) words: i64,
}

/// A descriptor's part in a task.
pub(super) struct Move {
    pub(super) acquire: Option<((TileLoc, u8), i64)>,
    pub(super) transfer: Transfer,
    pub(super) release: Option<((TileLoc, u8), i64)>,
}

/// A task: its descriptors, which of them follows the last, and how often it is done.
pub(super) struct Task {
    pub(super) moves: Vec<Move>,
    pub(super) next: Option<usize>,
    pub(super) runs: u64,
}

/// What is known of the array's channels.
#[derive(Default)]
pub(super) struct Channels {
    words: BTreeMap<(TileLoc, u8), Vec<u32>>,
    pub(super) tasks: BTreeMap<ChannelKey, Vec<Task>>,
    /// Values of locks that were written.
    pub(super) locks: BTreeMap<(TileLoc, u8), i64>,
}

impl Channels {
    /// Notes writes in order; `None` if one of them does what isn't followed here.
    pub(super) fn add(
        &mut self,
        model: &'static DeviceModel,
        ops: &[RegOp],
        sequence: bool,
    ) -> Option<()> {
        for op in ops {
            match op.action {
                RegAction::Mask { address, .. } => match model.register_at(address)?.1 {
                    RegisterRef::DmaCtrl { .. } | RegisterRef::DataMemory { .. } => {}
                    RegisterRef::ShimMux | RegisterRef::ShimDemux if !sequence => {}
                    _ => return None,
                },
                RegAction::Poll { .. } | RegAction::Wait { .. } => {}
                _ => {
                    for (address, word) in words_of(op) {
                        self.write(model, address, word, sequence)?;
                    }
                }
            }
        }
        Some(())
    }

    fn write(
        &mut self,
        model: &'static DeviceModel,
        address: u32,
        word: u32,
        sequence: bool,
    ) -> Option<()> {
        let (tile, what) = model.register_at(address)?;
        match what {
            RegisterRef::BdWord { bd, word: at } => {
                let words = self.words.entry((tile, bd)).or_default();
                words.resize(words.len().max(usize::from(at) + 1), 0);
                words[usize::from(at)] = word;
            }
            RegisterRef::DmaQueue { dir, channel } => {
                let kind = model.tile_kind(tile)?;
                let entry = QueueEntry::unpack(model.arch(), kind, dir, word)?;
                let task = self.task(model, (tile, kind, dir), entry)?;
                self.tasks
                    .entry((tile, dir, channel))
                    .or_default()
                    .push(task);
            }
            RegisterRef::LockValue { id } if !sequence => {
                self.locks.insert((tile, id), i64::from(word));
            }
            RegisterRef::DataMemory { .. } | RegisterRef::DmaCtrl { .. } => {}
            _ if sequence => return None,
            RegisterRef::Known { .. } => return None,
            _ => {}
        }
        Some(())
    }

    fn task(
        &self,
        model: &'static DeviceModel,
        (tile, kind, dir): (TileLoc, TileKind, DmaDir),
        entry: QueueEntry,
    ) -> Option<Task> {
        let layout = BdLayout::of(model.arch(), kind)?;
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
                return None;
            }
            seen.push(bd);
            let mut words = self.words.get(&(tile, bd))?.clone();
            words.resize(usize::from(layout.words()), 0);
            let fields = layout.unpack(&words);
            moves.push(one(model, tile, kind, dir, &fields)?);
            at = fields.use_next.then_some(fields.next_bd);
        }
        // A position that the hardware counts would have to be the same again too.
        Some(Task {
            moves,
            next,
            runs: u64::from(entry.repeat) + 1,
        })
    }
}

fn one(
    model: &'static DeviceModel,
    tile: TileLoc,
    kind: TileKind,
    dir: DmaDir,
    fields: &BdFields,
) -> Option<Move> {
    let padded = fields.pad_before != [0; 3] || fields.pad_after != [0; 3];
    let counts = fields.iteration_count > 1 && !kind.is_shim();
    if padded && dir == DmaDir::Mm2s || counts || fields.packet_enable || fields.compression {
        return None;
    }
    let lock = |id: u8| match kind {
        TileKind::Mem => model.resolve_mem_tile_lock(tile, id),
        _ => Some((tile, id)),
    };
    let acquire = match fields.acquire() {
        // Waiting for an exact value depends on the order of steps.
        Some((_, value)) if value >= 0 => return None,
        Some((id, value)) => Some((lock(id)?, -i64::from(value))),
        None => None,
    };
    let release = match fields.release() {
        Some((_, value)) if value < 0 => return None,
        Some((id, value)) => Some((lock(id)?, i64::from(value))),
        None => None,
    };
    Some(Move {
        acquire,
        transfer: Transfer {
            words: i64::from(fields.length),
        },
        release,
    })
}

/// The steps of a channel's tasks. A stream is taken from by S2MM channels, and given to by MM2S.
pub(super) fn steps(
    tasks: &[Task],
    dir: DmaDir,
    streams: &[Place],
    place: &mut dyn FnMut(TileLoc, u8) -> Place,
) -> Vec<Node> {
    let mut nodes = Vec::new();
    for task in tasks {
        let mut moves: Vec<Vec<Node>> = Vec::new();
        for one in &task.moves {
            let mut list = Vec::new();
            if let Some(((tile, id), n)) = one.acquire {
                list.push(Node::Step(Step::Take(place(tile, id), n)));
            }
            let words = one.transfer.words;
            list.extend(streams.iter().map(|stream| {
                Node::Step(match dir {
                    DmaDir::S2mm => Step::Take(*stream, words),
                    DmaDir::Mm2s => Step::Give(*stream, words),
                })
            }));
            if let Some(((tile, id), n)) = one.release {
                list.push(Node::Step(Step::Give(place(tile, id), n)));
            }
            moves.push(list);
        }
        match task.next {
            Some(back) => {
                let rest = moves.split_off(back.min(moves.len()));
                nodes.extend(moves.into_iter().flatten());
                nodes.push(Node::Loop(u64::MAX, rest.into_iter().flatten().collect()));
            }
            None => nodes.push(Node::Loop(task.runs, moves.into_iter().flatten().collect())),
        }
    }
    nodes
}
