//! Runtime sequences: what the host asks for, as ordered register operations.
//!
//! The operations are executed symbolically in program order: loops with constant bounds are
//! unrolled, arithmetic on constants is folded, memrefs are traced to the sequence's argument (or
//! the tile's buffer) they view. Each transfer gets its own image of the buffer descriptor. The
//! byte offset into a host buffer is in the image's address field, as the address is added to
//! it when the code is loaded; that holds for the 57-bit field of AIE2ps shim BDs and for the
//! 48-bit field of the NPUs alike, which has the same words for its lower 48 bits.
//!
//! A channel that is to send tokens gets the controller id of its tile before its first task
//! that asks for one; `aie-route-tokens` gave the tile's tokens a way to the controller.
//!
//! Rules: `mlir-aie: lib/Dialect/AIEX/Transforms/{AIEDmaToNpu,AIEDMATasksToNPU}.cpp`.

pub(crate) mod allocated_channel;
pub(crate) mod bd_pool;
pub(crate) mod codes;
mod control_flow;
pub mod external_buffers;
mod findings;
mod host_addresses;
pub mod materialize_bd_chains;
mod memcpy;
pub(crate) mod queues;
mod read_fields;
mod registers;
mod resets;
pub(crate) mod run_time;
mod runs;
pub mod scalars;
pub(crate) mod scratchpad;
pub mod scratchpad_parameters;
pub(crate) mod task_checks;
mod tasks;
mod tokens;
mod values;
mod write_bd;

pub use codes::CODES;
pub(crate) use resets::CHANNEL_RESET;
pub(crate) use runs::device_named;
pub use runs::{DeviceRegion, Preemption};

use aiec_aie::ir::{Block, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::{dma_channels, tile_loc, tile_of};
use aiec_aie::ops::{Device, OpKind, OpView, ShimDmaAllocation, Tile};
use aiec_device::regmap::{DmaCtrl, QueueEntry, RegisterRef};
use aiec_device::{Arch, ChannelId, DeviceModel, DmaDir, TileKind, TileLoc};
use aiec_diag::{Diag, Diags, MlirAieReport, Reported};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::budget::{dma_containers, tile_of_op};
use crate::analysis::transfer::{BdError, element_bytes, not_constant};
use crate::regops::{RegAction, RegOp};
use bd_pool::BdPools;
use codes::*;
use queues::Queues;
use runs::LoadedDevices;
use tasks::{Proofs, Task};
use tokens::TokenCounts;
use values::{KnownValue, Values};

/// AxCache of BDs that sequences write (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDmaToNpu.cpp`).
const SEQUENCE_AX_CACHE: u8 = 2;

/// Most operations that a sequence may unroll to.
pub(crate) const UNROLL_LIMIT: usize = 1 << 20;

/// All register operations of a runtime sequence, with those of the sequences that it runs.
pub fn sequence_ops(
    module: &Module,
    sequence: Op,
    diags: &mut Diags,
) -> Result<Vec<RegOp>, Reported> {
    let spans = sequence_regions(module, sequence, diags)?;
    Ok(spans.into_iter().flat_map(|span| span.ops).collect())
}

/// The register operations of a runtime sequence, by the device that is loaded while they are
/// done. The first span is that of the sequence's own device.
pub fn sequence_regions(
    module: &Module,
    sequence: Op,
    diags: &mut Diags,
) -> Result<Vec<DeviceRegion>, Reported> {
    regions(module, sequence, false, diags)
}

/// The same for a transaction: NPU firmware has a state table, which controllers (CERT) lack.
pub fn firmware_regions(
    module: &Module,
    sequence: Op,
    diags: &mut Diags,
) -> Result<Vec<DeviceRegion>, Reported> {
    regions(module, sequence, true, diags)
}

fn regions(
    module: &Module,
    sequence: Op,
    by_firmware: bool,
    diags: &mut Diags,
) -> Result<Vec<DeviceRegion>, Reported> {
    let Some(mut lowering) = Lowering::new(module, sequence, diags)? else {
        return Ok(Vec::new());
    };
    lowering.by_firmware = by_firmware;
    if let Some(block) = module.entry(sequence, 0) {
        lowering.run_block(block);
    }
    lowering.warn_of_unwalked();
    let refused = lowering.diags.check();
    let model = lowering.model;
    let spans = lowering.into_regions();
    refused?;
    let ops = spans.iter().flat_map(|span| &span.ops);
    host_addresses::check(module, model, ops, diags);
    Ok(spans)
}

/// The state of a symbolic execution.
struct Lowering<'a> {
    module: &'a Module,
    device: Op,
    model: &'static DeviceModel,
    symbols: SymbolTable,
    pools: BdPools,
    values: Values,
    tasks: Vec<Task>,
    proofs: Proofs,
    tokens: TokenCounts,
    queues: Queues,
    /// The memcpy that used each BD since the sequence last waited for anything.
    unawaited: FxHashMap<(TileLoc, u8), Op>,
    /// Channels that have their controller id.
    controllers: FxHashSet<ChannelId>,
    /// Channels whose descriptors packets choose.
    out_of_order: FxHashSet<ChannelId>,
    /// Operations with a finding: a loop reports them once.
    reported: FxHashSet<Op>,
    /// A pass of mlir-aie runs by name.
    by_name: bool,
    /// NPU firmware does the operations, not a controller.
    by_firmware: bool,
    /// The creation of the scratchpad, and its words.
    scratchpad: Option<(Op, i64)>,
    executed: usize,
    ops: Vec<RegOp>,
    loads: LoadedDevices,
    diags: &'a mut Diags,
}

type LoweringResult<T = ()> = Result<T, Reported>;

/// A channel as findings of a sequence name it.
pub(crate) fn channel_name(channel: ChannelId) -> String {
    let ChannelId { tile, dir, index } = channel;
    format!("{dir} channel {index} of tile {tile}")
}

impl<'a> Lowering<'a> {
    /// The state before the first operation; `None` if the device is unknown, which the verifier
    /// reports.
    fn new(
        module: &'a Module,
        sequence: Op,
        diags: &'a mut Diags,
    ) -> Result<Option<Lowering<'a>>, Reported> {
        let device = Device::around(module, sequence);
        let Some((device, model)) = device.and_then(|d| Some((d, d.model(module)?))) else {
            return Ok(None);
        };
        if model.arch() == Arch::Aie1 {
            let message = format!("{} is of the first generation (AIE)", model.name());
            let diag = Diag::error(&UNSUPPORTED, message)
                .label(module.span(sequence), "this sequence")
                .help("runtime sequences need AIE-ML or later: npu1, npu2, xcve3858 and others");
            return Err(diags.fail(diag));
        }
        let mut lowering = Lowering {
            module,
            device: device.op(),
            model,
            symbols: SymbolTable::of(module, device.op()),
            pools: BdPools::of(module, device.op(), model, sequence),
            values: Values::default(),
            tasks: Vec::new(),
            proofs: Proofs::default(),
            tokens: TokenCounts::default(),
            queues: Queues::default(),
            unawaited: FxHashMap::default(),
            controllers: FxHashSet::default(),
            out_of_order: out_of_order_channels(module, device.op()),
            reported: FxHashSet::default(),
            by_name: false,
            by_firmware: false,
            scratchpad: None,
            executed: 0,
            ops: Vec::new(),
            loads: LoadedDevices::of(sequence),
            diags,
        };
        lowering.tokens.add_static(module, device.op());
        let arguments = module.entry(sequence, 0);
        let arguments = arguments.map_or(&[][..], |block| module.block_args(block));
        for (index, argument) in arguments.iter().enumerate() {
            if element_bytes(module.ty(*argument)).is_some() {
                let place = values::MemoryLocation::argument(index as u32);
                lowering.values.set(*argument, KnownValue::Memory(place));
            }
        }
        Ok(Some(lowering))
    }
}

impl Lowering<'_> {
    fn run_block(&mut self, block: Block) {
        let mut next = self.module.first_op(block);
        while let Some(op) = next {
            self.executed += 1;
            if self.executed > UNROLL_LIMIT {
                let message =
                    format!("the sequence unrolls to more than {UNROLL_LIMIT} operations");
                let diag = Diag::error(&UNROLL, message)
                    .help("let a transfer repeat (outermost size with stride 0) instead of a loop");
                let _: LoweringResult = self.refuse(op, diag);
                return;
            }
            // A refused operation is reported; the rest is tried for more findings.
            let _ = self.run_op(op);
            next = self.module.next_op(op);
        }
    }

    fn run_op(&mut self, op: Op) -> LoweringResult {
        use OpKind as K;
        if let Some(device) = self.other_device(op)? {
            return self.in_device(op, device);
        }
        self.needs_loaded(op)?;
        match self.module.kind(op) {
            K::NpuDmaMemcpyNd => self.memcpy(op),
            K::NpuDmaWait => self.dma_wait(op),
            K::DmaConfigureTask | K::DmaConfigureTaskFor => self.configure_task(op),
            K::DmaStartTask => self.start_task(op),
            K::DmaAwaitTask => self.await_task(op),
            K::DmaFreeTask => self.free_task(op),
            K::NpuWrite32 | K::NpuMaskWrite32 => self.write_register(op),
            K::NpuMaskPoll => self.poll_register(op),
            K::NpuReadReg => self.read_register(op),
            K::NpuBlockWrite => self.block_write(op),
            K::NpuAddressPatch => self.address_patch(op),
            K::NpuWriteBd => self.write_bd(op),
            K::NpuPushQueue => self.push_queue(op),
            K::NpuSync => self.sync(op),
            K::NpuRtpWrite => self.rtp_write(op),
            K::SetLock => self.set_lock(op),
            K::DmaChannelReset => self.channel_reset(op),
            K::DmaChannelResetFor => self.channel_reset_for(op),
            K::CoreReset => self.core_reset(op),
            K::BufferClear => self.buffer_clear(op),
            K::Configure => self.configure(op),
            K::Run => self.run_sequence(op),
            K::NpuLoadPdi => self.load_pdi(op),
            K::NpuWriteConfig => self.write_config(op),
            K::NpuAssertBdField | K::NpuAssertBdDivisible => self.assertion(op),
            K::CfAssert | K::NpuRequire => self.condition(op),
            K::NpuPreempt => {
                // The array may be reconfigured there: controller ids of channels are lost, and their modes.
                self.controllers.clear();
                self.out_of_order = out_of_order_channels(self.module, self.device);
                self.preempt(op);
                Ok(())
            }
            K::ScfFor => self.scf_for(op),
            K::ScfIf => self.scf_if(op),
            K::MemrefLoad => self.load_word(op),
            K::NpuCreateScratchpad if self.by_firmware => self.create_scratchpad(op),
            K::NpuUpdateFromScratchpad if self.by_firmware => self.update_from_scratchpad(op),
            K::NpuCreateScratchpad
            | K::NpuUpdateFromScratchpad
            | K::SyncScratchpadParametersFromHost => self.only_by_firmware(op),
            K::ScfYield | K::MemrefGlobal | K::MemrefGetGlobal | K::End => Ok(()),
            K::MemrefSubview
            | K::MemrefReinterpretCast
            | K::MemrefCast
            | K::MemrefCollapseShape
            | K::MemrefExpandShape
            | K::MemrefView
            | K::MemrefAssumeAlignment => self.view(op),
            _ if values::folds(self.module.kind(op)) => {
                self.values.fold(self.module, op);
                Ok(())
            }
            _ => {
                let message = format!(
                    "`{}` can't be used in a runtime sequence",
                    self.module.op_name(op)
                );
                let help = match self.module.kind(op) {
                    OpKind::ControlPacket => {
                        "write `--emit=control-packets` first, then let `aiec opt --aie-ctrl-packet-to-dma` \
                         turn packets into transfers from a host buffer that holds them"
                    }
                    OpKind::DmaStartBdChain | OpKind::DmaStartBdChainFor => {
                        "run --aie-materialize-bd-chains before"
                    }
                    _ => "use transfers, tasks, register writes and loops with constant bounds",
                };
                let diag = Diag::error(&UNSUPPORTED, message).help(help);
                self.refuse(op, diag)
            }
        }
    }

    /// Emits an action, attributed to an operation.
    fn emit_action(&mut self, op: Op, action: RegAction) {
        let loc = self.module.loc(op);
        self.push(RegOp { action, loc });
    }

    fn push(&mut self, op: RegOp) {
        if let RegAction::Write { address, value } = op.action {
            self.tokens.note_write(self.model, address, value);
            let wait = self.queues.before_write(self.model, address, value, op.loc);
            self.ops.extend(wait);
        }
        self.ops.push(op);
    }

    /// The integer that operand `n` is known to be.
    fn int(&mut self, op: Op, n: usize, what: &str) -> LoweringResult<i64> {
        let operand = self.module.operand(op, n);
        match operand.and_then(|v| self.values.int(self.module, v)) {
            Some(value) => Ok(value),
            None => self.bd_error(op, not_constant(what)),
        }
    }

    /// The address of a register; if there is none, a finding about `op`.
    fn address(
        &mut self,
        loc: TileLoc,
        what: RegisterRef,
        op: Op,
        name: &str,
    ) -> LoweringResult<u32> {
        if let Some(address) = self.model.register_address(loc, what) {
            return Ok(address);
        }
        let kind = self.model.tile_kind(loc).map_or("no tile", |k| k.name());
        let message = format!("tile {loc} ({kind}) has no {name}");
        let diag = Diag::error(&NO_REGISTER, message)
            .help("`aiec devices NAME` lists what each kind of tile has");
        self.refuse(op, diag)
    }

    fn kind(&mut self, loc: TileLoc, op: Op) -> LoweringResult<TileKind> {
        match self.model.tile_kind(loc) {
            Some(kind) => Ok(kind),
            None => self.no_tile(&loc.to_string(), op),
        }
    }

    fn no_tile<T>(&mut self, tile: &str, op: Op) -> LoweringResult<T> {
        let model = self.model;
        let message = format!("{} has no tile {tile}", model.name());
        let diag = Diag::error(&NO_REGISTER, message).help(format!(
            "its columns are 0 to {}, its rows 0 to {}",
            model.columns().saturating_sub(1),
            model.rows().saturating_sub(1)
        ));
        self.refuse(op, diag)
    }

    /// A tile by numbers of the text.
    fn tile_at(&mut self, col: i64, row: i64, op: Op) -> LoweringResult<TileLoc> {
        let loc = u8::try_from(col).ok().zip(u8::try_from(row).ok());
        let loc = loc.map(|(col, row)| TileLoc::new(col, row));
        match loc.filter(|loc| self.model.contains(*loc)) {
            Some(loc) => Ok(loc),
            None => self.no_tile(&format!("({col}, {row})"), op),
        }
    }

    /// A channel of a tile, if the tile has it.
    fn channel(
        &mut self,
        tile: TileLoc,
        dir: Option<DmaDir>,
        number: i64,
        op: Op,
    ) -> LoweringResult<ChannelId> {
        let Some(dir) = dir else {
            let diag = Diag::error(&NO_REGISTER, "a DMA has no such direction")
                .help("0 is S2MM, 1 is MM2S");
            return self.refuse(op, diag);
        };
        let dma = self.model.tile(tile).and_then(|t| t.dma.as_ref());
        let channels = dma.map_or(0, |dma| dma.channels.get(dir));
        if let Some(index) = u8::try_from(number).ok().filter(|n| *n < channels) {
            return Ok(ChannelId { tile, dir, index });
        }
        let message = format!("tile {tile} has no {dir} channel {number}");
        let help = match channels {
            0 => "choose a tile with a DMA".to_string(),
            n => format!("its {dir} channels are 0 to {}", n - 1),
        };
        self.refuse(op, Diag::error(&NO_REGISTER, message).help(help))
    }

    /// The channel of a shim allocation: of that name, or the one that was made for the object fifo
    /// of that name.
    fn allocation(&mut self, name: &str, op: Op) -> LoweringResult<(ChannelId, ShimDmaAllocation)> {
        let module = self.module;
        let of = |name: &str| ShimDmaAllocation::cast(module, self.symbols.get(name)?);
        let found = of(name).or_else(|| of(&format!("{name}_shim_alloc")));
        let placed = found.and_then(|a| Some((a, a.tile_loc(module)?)));
        let Some((allocation, tile)) = placed else {
            let known = self.symbols.iter();
            let known = known.filter(|(_, op)| module.kind(*op) == OpKind::ShimDmaAllocation);
            let names = known.map(|(name, _)| name);
            let fifo = self.symbols.get(name);
            let fifo = fifo.filter(|op| module.kind(*op) == OpKind::ObjectFifo);
            let help = match aiec_diag::did_you_mean(name, names) {
                _ if fifo.is_some() => {
                    "the object fifo of that name has no channel yet: lower it first \
                     (--aie-objectFifo-stateful-transform)"
                        .to_string()
                }
                Some(near) => format!("did you mean `@{near}`?"),
                None => "declare it with `aie.shim_dma_allocation`, or name an object fifo that \
                         ends in a shim tile"
                    .to_string(),
            };
            let message = format!("there is no shim DMA channel `@{name}`");
            return self.refuse(op, Diag::error(&NO_ALLOCATION, message).help(help));
        };
        let dir = allocation.channel_dir(module);
        let channel = self.channel(tile, dir, allocation.channel_index(module), op)?;
        Ok((channel, allocation))
    }

    /// Pushes a task onto a channel's queue, with the controller id first if it sends a token.
    fn enqueue(
        &mut self,
        channel: ChannelId,
        bd: i64,
        repeat: i64,
        token: bool,
        op: Op,
    ) -> LoweringResult {
        let tile = channel.tile;
        let kind = self.kind(tile, op)?;
        let bds = self.pools.count(tile);
        let Some(bd) = u8::try_from(bd).ok().filter(|bd| *bd < bds) else {
            let bd_error = BdError::new(
                format!("tile {tile} has no buffer descriptor {bd}"),
                format!("its buffer descriptors are 0 to {}", bds.saturating_sub(1)),
            );
            return self.bd_error(op, bd_error);
        };
        let repeat = self.repeat(op, repeat)?;
        if token {
            self.set_controller(channel, op)?;
        }
        let address = self.address(tile, channel.queue(), op, "such channel")?;
        let entry = QueueEntry { bd, repeat, token };
        let word = entry.pack(self.model.arch(), kind, channel.dir);
        let value = word.ok_or(Reported)?;
        let value = value.or_else(|overflow| self.bd_error(op, overflow.into()))?;
        self.emit_action(op, RegAction::Write { address, value });
        Ok(())
    }

    /// A number of further runs as the queue holds it.
    fn repeat(&mut self, op: Op, repeat: i64) -> LoweringResult<u8> {
        u8::try_from(repeat).or_else(|_| {
            let runs = repeat.saturating_add(1);
            let message = format!("{runs} runs of a task are not possible");
            let help = "a task runs 1 to 256 times: split the transfer into several";
            self.bd_error(op, BdError::new(message, help))
        })
    }

    /// Writes the receiver of a channel's tokens, before the first one.
    fn set_controller(&mut self, channel: ChannelId, op: Op) -> LoweringResult {
        if !self.controllers.insert(channel) {
            return Ok(());
        }
        self.address(channel.tile, channel.control(), op, "such channel")?;
        if let Some(action) = controller_write(self.module, self.device, self.model, channel) {
            self.emit_action(op, action);
        }
        Ok(())
    }

    /// Lets packets choose the descriptors of a channel, or not any more, before a task of it.
    fn set_mode(&mut self, channel: ChannelId, out_of_order: bool, op: Op) -> LoweringResult {
        if out_of_order == self.out_of_order.contains(&channel) {
            return Ok(());
        }
        let address = self.address(channel.tile, channel.control(), op, "such channel")?;
        let Some(mask) = out_of_order_bit(self.model, channel) else {
            let name = channel_name(channel);
            let message = format!("packets can't choose the descriptors of {name}");
            let diag = Diag::error(&NO_REGISTER, message)
                .help("only S2MM channels of AIE2 and later can: leave out `out_of_order`");
            return self.refuse(op, diag);
        };
        let value = if out_of_order { mask } else { 0 };
        self.push(RegOp::mask(address, mask, value, self.module.loc(op)));
        if out_of_order {
            self.out_of_order.insert(channel);
        } else {
            self.out_of_order.remove(&channel);
        }
        Ok(())
    }

    /// The tile of a handle operand.
    fn tile_operand(&mut self, op: Op, n: usize) -> LoweringResult<TileLoc> {
        let handle = self.module.operand(op, n);
        let loc = handle
            .filter(|v| tile_of(self.module, *v).is_some())
            .and_then(|v| tile_loc(self.module, v));
        if let Some(loc) = loc {
            return Ok(loc);
        }
        let text = "Cannot lower a DMA task whose tile is not placed";
        let diag = Diag::error(&NO_REGISTER, "this isn't a tile with a place")
            .help("name an `aie.tile`")
            .mlir_aie(MlirAieReport::op(self.module.op_name(op), text));
        self.refuse(op, diag)
    }

    /// Waits for tokens of a channel.
    fn wait(&mut self, channel: ChannelId, tokens: u8, op: Op) {
        self.queues.awaited(channel, tokens);
        self.waited();
        self.unawaited.clear();
        self.push(RegOp::wait(channel, tokens, self.module.loc(op)));
    }
}

/// The write of the receiver of a channel's tokens, if its tile has a controller: the packet id
/// that the `aie.tile` names, or the device's.
pub(crate) fn controller_write(
    module: &Module,
    device: Op,
    model: &'static DeviceModel,
    channel: ChannelId,
) -> Option<RegAction> {
    let ChannelId { tile, dir, .. } = channel;
    let tiles = module.children::<Tile>(device).into_iter();
    let written = tiles
        .filter(|t| t.loc(module) == Some(tile))
        .find_map(|tile| match module.attr(tile.op(), "controller_id") {
            Some(aiec_aie::ir::Attr::Packet(packet)) => u8::try_from(packet.pkt_id).ok(),
            _ => None,
        });
    let what = channel.control();
    let kind = model.tile_kind(tile)?;
    let (register, _) = model.register_map(tile)?.register(what)?;
    let field = register.field("Controller_ID")?;
    let word = DmaCtrl {
        controller_id: written.or_else(|| model.controller_id(tile))?,
        ..DmaCtrl::default()
    };
    let value = word.pack(model.arch(), kind, dir)?.ok()?;
    Some(RegAction::Mask {
        address: model.register_address(tile, what)?,
        mask: field.mask(),
        value: value & field.mask(),
    })
}

/// The bit of a channel's control register by which packets choose its descriptors, if it has one.
pub(crate) fn out_of_order_bit(model: &DeviceModel, channel: ChannelId) -> Option<u32> {
    let ChannelId { tile, dir, .. } = channel;
    let control = DmaCtrl {
        out_of_order: true,
        ..DmaCtrl::default()
    };
    control
        .pack(model.arch(), model.tile_kind(tile)?, dir)?
        .ok()
}

/// The channels that a device's own DMA programs let packets choose the descriptors of.
fn out_of_order_channels(module: &Module, device: Op) -> FxHashSet<ChannelId> {
    let mut found = FxHashSet::default();
    for container in dma_containers(module, device) {
        let Some(tile) = tile_of_op(module, container) else {
            continue;
        };
        for channel in dma_channels(module, container) {
            if channel.is_out_of_order(module) {
                found.insert(ChannelId::new(tile, channel.dir, channel.channel));
            }
        }
    }
    found
}
