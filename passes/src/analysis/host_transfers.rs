//! Transfers and waits of a runtime sequence, in order, where its loops and
//! transfers are constant.

use aiec_aie::ir::{Block, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::{chain, const_int, operand_group, tile_loc};
use aiec_aie::ops::{
    Device, DmaBd, DmaConfigureTask, DmaConfigureTaskFor, NpuDmaMemcpyNd, NpuDmaWait, OpKind,
    OpView, RuntimeSequence, ScfFor, ShimDmaAllocation,
};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileLoc};
use rustc_hash::FxHashMap;

use super::transfer::{Transfer, WORD_BYTES, element_bytes, mixed_ints, packet_of_bd};

/// A transfer through a channel.
#[derive(Clone, Debug)]
pub(crate) struct HostTransfer {
    /// The channel.
    pub channel: ChannelId,
    /// Name of the channel in the sequence, if it has one.
    pub name: Option<String>,
    /// 32-bit words, if their number is known.
    pub words: Option<u64>,
    /// Runs of its descriptors, each a packet of its own: those of the outermost dimension, or of the task.
    pub runs: u64,
    /// The id of its packets, if it says one.
    pub packet: Option<u8>,
    /// It sends a token at its end.
    pub issues_token: bool,
    /// The operation that starts it, or configures the task that is started.
    pub op: Op,
}

/// A step of a sequence.
#[derive(Clone, Debug)]
pub(crate) enum HostStep {
    /// It starts a transfer.
    Start(HostTransfer),
    /// It waits for a token of a channel.
    Wait(ChannelId),
    /// It repeats some steps; how often, if that is known.
    Repeat(Option<u64>, Vec<HostStep>),
}

/// The steps of the device's only sequence; `None`: it may use channels that aren't known.
pub(crate) fn host_steps(
    module: &Module,
    device: Op,
    model: &DeviceModel,
) -> Option<Vec<HostStep>> {
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
    let mut reader = StepReader {
        module,
        model,
        symbols: SymbolTable::of(module, device),
        tasks: FxHashMap::default(),
    };
    reader.block(module.entry(sequence.op(), 0)?)
}

struct StepReader<'a> {
    module: &'a Module,
    model: &'a DeviceModel,
    symbols: SymbolTable,
    tasks: FxHashMap<Op, HostTransfer>,
}

impl StepReader<'_> {
    fn block(&mut self, block: Block) -> Option<Vec<HostStep>> {
        use OpKind as K;
        let module = self.module;
        let mut steps = Vec::new();
        for op in module.ops_in(block) {
            match module.kind(op) {
                K::NpuDmaMemcpyNd => {
                    let view = NpuDmaMemcpyNd(op);
                    let name = view.metadata(module);
                    let packet = view.packet(module).map(|packet| packet.pkt_id);
                    let channel = self.allocation(&name)?;
                    steps.push(HostStep::Start(HostTransfer {
                        channel,
                        name: Some(name.to_string()),
                        words: self.memcpy_words(op),
                        runs: self.memcpy_runs(op),
                        packet: packet.and_then(|id| u8::try_from(id).ok()),
                        // One into host memory always does.
                        issues_token: channel.dir == DmaDir::S2mm || module.flag(op, "issue_token"),
                        op,
                    }));
                }
                K::DmaConfigureTask | K::DmaConfigureTaskFor => {
                    let task = self.task(op)?;
                    self.tasks.insert(op, task);
                }
                K::DmaStartTask => {
                    let task = module.def_op(module.operand(op, 0)?)?;
                    steps.push(HostStep::Start(self.tasks.get(&task)?.clone()));
                }
                K::DmaAwaitTask => {
                    let task = module.operand(op, 0).and_then(|task| module.def_op(task));
                    let task = task.and_then(|task| self.tasks.get(&task));
                    steps.extend(task.map(|task| HostStep::Wait(task.channel)));
                }
                K::NpuDmaWait => {
                    let name = NpuDmaWait(op).symbol(module);
                    steps.extend(self.allocation(&name).map(HostStep::Wait));
                }
                K::ScfFor => {
                    let times = ScfFor(op).trips(module);
                    let body = self.block(module.entry(op, 0)?)?;
                    steps.push(HostStep::Repeat(times, body));
                }
                K::ScfIf => {
                    for region in 0..module.regions_of(op).len() {
                        if let Some(block) = module.entry(op, region) {
                            steps.push(HostStep::Repeat(None, self.block(block)?));
                        }
                    }
                }
                // A word of a buffer starts no channel.
                K::NpuWrite32 | K::NpuMaskWrite32 | K::NpuUpdateFromScratchpad
                    if module.attr(op, "buffer").is_some() => {}
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
                | K::NpuLoadPdi
                | K::NpuWriteConfig => return None,
                _ if module.regions_of(op).is_empty() => {}
                _ => return None,
            }
        }
        Some(steps)
    }

    /// The channel of a shim allocation, by its name or that of an object fifo.
    fn allocation(&self, name: &str) -> Option<ChannelId> {
        let module = self.module;
        let of = |name: &str| ShimDmaAllocation::cast(module, self.symbols.get(name)?);
        let found = of(name).or_else(|| of(&format!("{name}_shim_alloc")))?;
        let channel = u8::try_from(found.channel_index(module)).ok()?;
        let tile = found.tile_loc(module)?;
        Some(ChannelId::new(tile, found.channel_dir(module)?, channel))
    }

    fn memcpy_runs(&self, op: Op) -> u64 {
        let known = |value| const_int(self.module, value);
        let sizes = mixed_ints(self.module, op, "static_sizes", 2, &known);
        let outermost = sizes.and_then(|sizes| u64::try_from(*sizes.first()?).ok());
        outermost.unwrap_or(1).max(1)
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

    fn task(&self, op: Op) -> Option<HostTransfer> {
        let module = self.module;
        let (channel, name, repeat_group) = match DmaConfigureTask::cast(module, op) {
            Some(task) => {
                let channel = u8::try_from(task.channel(module)).ok()?;
                let tile = tile_loc(module, task.tile(module)?)?;
                (
                    ChannelId::new(tile, task.direction(module)?, channel),
                    None,
                    1,
                )
            }
            None => {
                let name = DmaConfigureTaskFor(op).alloc(module);
                (self.allocation(&name)?, Some(name.to_string()), 0)
            }
        };
        Some(HostTransfer {
            words: self.task_words(op, channel.tile, repeat_group),
            runs: self.task_runs(op, repeat_group).unwrap_or(1),
            packet: self.task_packet(op),
            issues_token: module.flag(op, "issue_token"),
            channel,
            name,
            op,
        })
    }

    /// The id of a task's packets, if they have one id.
    fn task_packet(&self, op: Op) -> Option<u8> {
        let module = self.module;
        let of_task = DmaConfigureTask::cast(module, op).and_then(|task| task.packet(module));
        let (slots, _) = chain(module, module.entry(op, 0)?);
        let ids = slots.iter().map(|slot| {
            let packet = packet_of_bd(module, slot.bd, slot.block).or(of_task)?;
            u8::try_from(packet.pkt_id).ok()
        });
        let mut ids: Vec<Option<u8>> = ids.collect();
        ids.dedup();
        match ids[..] {
            [id] => id,
            _ => None,
        }
    }

    fn task_runs(&self, op: Op, repeat_group: usize) -> Option<u64> {
        let module = self.module;
        let repeat = operand_group(module, op, repeat_group).unwrap_or_default();
        let repeat = match repeat.first() {
            Some(value) => const_int(module, *value)?,
            None => module.int_attr(op, "repeat_count").unwrap_or(0),
        };
        u64::try_from(repeat).ok()?.checked_add(1)
    }

    /// Words of one start of a task.
    fn task_words(&self, op: Op, tile: TileLoc, repeat_group: usize) -> Option<u64> {
        let module = self.module;
        let dims = self.model.tile(tile)?.dma.as_ref()?.bd.dims;
        let (slots, next_of_last) = chain(module, module.entry(op, 0)?);
        let runs = self.task_runs(op, repeat_group)?;
        if next_of_last.is_some() {
            return None;
        }
        let mut words = 0u64;
        for slot in slots {
            if slot.bd.next_bd_id(module).is_some() {
                return None;
            }
            words = words.checked_add(task_bd_words(module, slot.bd, dims)?)?;
        }
        words.checked_mul(runs)
    }
}

/// Words of one run of a buffer descriptor of a DMA program. All of its dimensions are walked in one run: what the DMA
/// has too few for was lowered before, or fits when contiguous ones are merged.
pub(crate) fn bd_words(module: &Module, bd: DmaBd) -> Option<u64> {
    let transfer = Transfer::of_bd(module, bd, &|value| const_int(module, value));
    words_of(&transfer.ok()?)
}

/// Same as [`bd_words`], for a descriptor of a task on a DMA with `dims` dimensions: the repeat count says how often an outermost one too
/// many is walked.
fn task_bd_words(module: &Module, bd: DmaBd, dims: u8) -> Option<u64> {
    let mut transfer = Transfer::of_bd(module, bd, &|value| const_int(module, value)).ok()?;
    transfer.outermost_to_iteration(dims.into(), bd.static_len(module).is_some());
    words_of(&transfer)
}

fn words_of(transfer: &Transfer) -> Option<u64> {
    let bytes = u64::try_from(transfer.length)
        .ok()?
        .checked_mul(transfer.elem_bytes)?;
    bytes
        .is_multiple_of(WORD_BYTES)
        .then_some(bytes / WORD_BYTES)
}
