//! Words that a runtime sequence moves through each channel, where its loops and transfers are constant.

use std::collections::BTreeMap;

use aiec_aie::ir::{Block, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::{chain, const_int, operand_group, tile_loc};
use aiec_aie::ops::{
    Device, DmaBd, DmaConfigureTask, DmaConfigureTaskFor, NpuDmaMemcpyNd, OpKind, OpView,
    RuntimeSequence, ScfFor, ShimDmaAllocation,
};
use aiec_device::{DeviceModel, DmaDir, TileLoc};
use rustc_hash::FxHashMap;

use crate::analysis::transfer::{Transfer, WORD_BYTES, element_bytes, mixed_ints};

/// A DMA channel of a tile.
pub(super) type ChannelKey = (TileLoc, DmaDir, u8);

/// What a sequence moves through a channel.
#[derive(Clone, Debug, Default)]
pub(super) struct MovedWords {
    /// 32-bit words.
    pub words: u64,
    /// What the sequence calls the channel, if it has a name.
    pub name: Option<String>,
    /// The operations that start transfers, or configure the tasks that are started.
    pub transfers: Vec<Op>,
}

/// The channels that a sequence uses; `None`: how many words isn't known.
pub(super) type WordsOfChannels = BTreeMap<ChannelKey, Option<MovedWords>>;

/// Counts the words of the device's only sequence; `None`: channels may be used that aren't known.
pub(super) fn moved_words(
    module: &Module,
    device: Op,
    model: &DeviceModel,
) -> Option<WordsOfChannels> {
    let sequences = module.children::<RuntimeSequence>(device);
    let [sequence] = sequences.as_slice() else {
        return None;
    };
    // A device that others load runs more than once, or with other sequences.
    let devices = module
        .parent_op(device)
        .map_or_else(Vec::new, |around| module.children::<Device>(around));
    let mut sequences = devices
        .into_iter()
        .flat_map(|device| module.children::<RuntimeSequence>(device.op()));
    if sequences.any(|sequence| !module.find(sequence.op(), OpKind::Configure).is_empty()) {
        return None;
    }
    let mut counter = WordCounter {
        module,
        model,
        symbols: SymbolTable::of(module, device),
        tasks: FxHashMap::default(),
        moved: WordsOfChannels::new(),
    };
    counter.block(module.entry(sequence.op(), 0)?, Some(1))?;
    Some(counter.moved)
}

/// A configured task: its channel, and the words of each start.
struct TaskWords {
    key: ChannelKey,
    name: Option<String>,
    words: Option<u64>,
}

struct WordCounter<'a> {
    module: &'a Module,
    model: &'a DeviceModel,
    symbols: SymbolTable,
    tasks: FxHashMap<Op, TaskWords>,
    moved: WordsOfChannels,
}

impl WordCounter<'_> {
    /// Counts a block that is executed so many times, if that is known.
    fn block(&mut self, block: Block, times: Option<u64>) -> Option<()> {
        use OpKind as K;
        let module = self.module;
        for op in module.ops_in(block) {
            match module.kind(op) {
                K::NpuDmaMemcpyNd => {
                    let name = NpuDmaMemcpyNd(op).metadata(module);
                    let key = self.allocation(&name)?;
                    let words = self.memcpy_words(op);
                    self.add(key, Some(name.to_string()), op, words, times);
                }
                K::DmaConfigureTask | K::DmaConfigureTaskFor => {
                    let task = self.task(op)?;
                    self.tasks.insert(op, task);
                }
                K::DmaStartTask => {
                    let task = module.def_op(module.operand(op, 0)?)?;
                    let TaskWords { key, name, words } = self.tasks.get(&task)?;
                    let (key, name, words) = (*key, name.clone(), *words);
                    self.add(key, name, task, words, times);
                }
                K::ScfFor => {
                    let trips = ScfFor(op).trips(module);
                    let times = times
                        .zip(trips)
                        .and_then(|(times, trips)| times.checked_mul(trips));
                    self.block(module.entry(op, 0)?, times)?;
                }
                K::ScfIf => {
                    for region in 0..module.regions_of(op).len() {
                        if let Some(block) = module.entry(op, region) {
                            self.block(block, None)?;
                        }
                    }
                }
                // They may start or stop any channel.
                K::NpuWrite32
                | K::NpuMaskWrite32
                | K::NpuBlockWrite
                | K::NpuPushQueue
                | K::NpuWriteBd
                | K::NpuUpdateFromScratchpad
                | K::DmaStartBdChain
                | K::DmaStartBdChainFor
                | K::DmaChannelReset
                | K::DmaChannelResetFor
                | K::CoreReset
                | K::NpuLoadPdi => return None,
                _ if module.regions_of(op).is_empty() => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn add(
        &mut self,
        key: ChannelKey,
        name: Option<String>,
        op: Op,
        words: Option<u64>,
        times: Option<u64>,
    ) {
        let more = words
            .zip(times)
            .and_then(|(words, times)| words.checked_mul(times));
        let all = self
            .moved
            .entry(key)
            .or_insert_with(|| Some(MovedWords::default()));
        let sum = |all: MovedWords| {
            let mut transfers = all.transfers;
            transfers.push(op);
            Some(MovedWords {
                words: all.words.checked_add(more?)?,
                name: all.name.or(name),
                transfers,
            })
        };
        *all = all.take().and_then(sum);
    }

    /// The channel of a shim allocation, by its name or that of an object fifo.
    fn allocation(&self, name: &str) -> Option<ChannelKey> {
        let module = self.module;
        let of = |name: &str| ShimDmaAllocation::cast(module, self.symbols.get(name)?);
        let found = of(name).or_else(|| of(&format!("{name}_shim_alloc")))?;
        let channel = u8::try_from(found.channel_index(module)).ok()?;
        Some((found.tile_loc(module)?, found.channel_dir(module)?, channel))
    }

    fn memcpy_words(&self, op: Op) -> Option<u64> {
        let module = self.module;
        let known = |value| const_int(module, value);
        let sizes = mixed_ints(module, op, "static_sizes", 2, &known)?;
        let element = element_bytes(module.ty(NpuDmaMemcpyNd(op).memref(module)?))?;
        let bytes = sizes.into_iter().try_fold(element, |product, size| {
            product.checked_mul(u64::try_from(size).ok()?)
        })?;
        bytes
            .is_multiple_of(WORD_BYTES)
            .then_some(bytes / WORD_BYTES)
    }

    fn task(&self, op: Op) -> Option<TaskWords> {
        let module = self.module;
        let (key, name, repeat_group) = match DmaConfigureTask::cast(module, op) {
            Some(task) => {
                let channel = u8::try_from(task.channel(module)).ok()?;
                let tile = tile_loc(module, task.tile(module)?)?;
                ((tile, task.direction(module)?, channel), None, 1)
            }
            None => {
                let name = DmaConfigureTaskFor(op).alloc(module);
                (self.allocation(&name)?, Some(name.to_string()), 0)
            }
        };
        let words = self.task_words(op, key.0, repeat_group);
        Some(TaskWords { key, name, words })
    }

    /// Words of one start of a task.
    fn task_words(&self, op: Op, tile: TileLoc, repeat_group: usize) -> Option<u64> {
        let module = self.module;
        let dims = self.model.tile(tile)?.dma.as_ref()?.bd.dims;
        let (slots, next_of_last) = chain(module, module.entry(op, 0)?);
        let repeat = operand_group(module, op, repeat_group).unwrap_or_default();
        let repeat = match repeat.first() {
            Some(value) => const_int(module, *value)?,
            None => module.int_attr(op, "repeat_count").unwrap_or(0),
        };
        if next_of_last.is_some() {
            return None;
        }
        let mut words = 0u64;
        for slot in slots {
            if slot.bd.next_bd_id(module).is_some() {
                return None;
            }
            words = words.checked_add(bd_words(module, slot.bd, dims)?)?;
        }
        words.checked_mul(u64::try_from(repeat).ok()?.checked_add(1)?)
    }
}

/// Words of one run of a buffer descriptor of a DMA with so many dimensions.
pub(super) fn bd_words(module: &Module, bd: DmaBd, dims: u8) -> Option<u64> {
    let mut transfer = Transfer::of_bd(module, bd, &|value| const_int(module, value)).ok()?;
    transfer.outermost_to_iteration(dims.into(), bd.static_len(module).is_some());
    let bytes = u64::try_from(transfer.length)
        .ok()?
        .checked_mul(transfer.elem_bytes)?;
    bytes
        .is_multiple_of(WORD_BYTES)
        .then_some(bytes / WORD_BYTES)
}
