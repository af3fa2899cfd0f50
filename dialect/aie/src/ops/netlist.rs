//! Reading a netlist: queries of views beyond single attributes. Everything here is total: on IR
//! that isn't verified the result is `None` or the readable part.

use std::sync::Arc;

use aiec_device::{Bundle, DeviceModel, DmaDir, LockId, Port, TileLoc};

use super::{
    ArithConstant, Buffer, CfAssert, Connect, Core, Device, Dma, DmaBd, DmaConfigureTask, DmaStart,
    ExternalBuffer, Flow, Lock, Mem, MemTileDma, NpuRequire, OpKind, OpView, PacketDest,
    PacketSource, RuntimeSequence, ScfFor, ShimDma, ShimDmaAllocation, ShimMux, Switchbox, Tile,
    UseLock,
};
use crate::ir::{Attr, BdDim, Block, DYNAMIC, InsertPoint, Loc, Module, Op, Type, Value};
use crate::op_table::AttrName;

/// The device of operations outside any `aie.device`, as in mlir-aie
/// (`mlir-aie: lib/Dialect/AIE/IR/AIEDialect.cpp`, default target model).
pub(crate) const DEFAULT_DEVICE: &str = "xcvc1902";

impl Device {
    /// The device that the netlist is for.
    pub fn model(self, module: &Module) -> Option<&'static DeviceModel> {
        DeviceModel::by_value(module.int_attr(self.0, "device")?)
    }

    /// The symbol; `main` when none is written.
    pub fn name(self, module: &Module) -> String {
        module
            .str_attr(self.0, "sym_name")
            .unwrap_or("main")
            .to_string()
    }

    /// The device around an operation.
    pub fn around(module: &Module, op: Op) -> Option<Device> {
        module.ancestor(op, OpKind::Device).map(Device)
    }
}

impl Tile {
    /// Column and row.
    pub fn loc(self, module: &Module) -> Option<TileLoc> {
        let col = u8::try_from(self.col(module)).ok()?;
        let row = u8::try_from(self.row(module)).ok()?;
        Some(TileLoc::new(col, row))
    }
}

/// The tile that a handle (`index` value) is the result of.
pub fn tile_of(module: &Module, handle: Value) -> Option<Tile> {
    Tile::cast(module, module.def_op(handle)?)
}

/// Column and row of a tile handle.
pub fn tile_loc(module: &Module, handle: Value) -> Option<TileLoc> {
    tile_of(module, handle)?.loc(module)
}

macro_rules! tile_element {
    ($($view:ident)*) => {$(
        impl $view {
            /// Column and row of its tile.
            pub fn tile_loc(self, module: &Module) -> Option<TileLoc> {
                tile_loc(module, self.tile(module)?)
            }
        }
    )*};
}

tile_element!(Buffer Core Lock Mem MemTileDma PacketDest PacketSource ShimDma ShimDmaAllocation
    ShimMux Switchbox);

impl RuntimeSequence {
    /// The symbol; `sequence` when none is written.
    pub fn name(self, module: &Module) -> String {
        let name = self.sym_name(module);
        name.as_deref().unwrap_or("sequence").to_string()
    }
}

impl Lock {
    /// Its tile and number, once it has both.
    pub fn place(self, module: &Module) -> Option<LockId> {
        let id = u8::try_from(self.lockID(module)?).ok()?;
        Some(LockId::new(self.tile_loc(module)?, id))
    }
}

impl Core {
    /// Bytes of its stack: as written, else the architecture's default.
    pub fn stack_bytes(self, module: &Module, model: &DeviceModel) -> u64 {
        let written = self.stack_size(module);
        let written = written.and_then(|size| u64::try_from(size).ok());
        written.unwrap_or(model.arch_model().default_stack_bytes.into())
    }
}

impl Buffer {
    /// The address of its first byte in the array, where it has one in its tile.
    pub fn array_address(self, module: &Module, model: &DeviceModel) -> Option<u32> {
        let byte = u32::try_from(self.address(module)?).ok()?;
        Some(model.tile_address(self.tile_loc(module)?, byte))
    }

    /// The buffer that a memref is the result of.
    pub fn of(module: &Module, memref: Value) -> Option<Buffer> {
        Buffer::cast(module, module.def_op(memref)?)
    }

    /// Size in bytes.
    pub fn bytes(self, module: &Module) -> Option<u64> {
        module
            .ty(module.result(self.0, 0)?)
            .as_memref()?
            .num_bytes()
    }
}

impl ExternalBuffer {
    /// The external buffer that a memref is the result of.
    pub fn of(module: &Module, memref: Value) -> Option<ExternalBuffer> {
        ExternalBuffer::cast(module, module.def_op(memref)?)
    }
}

/// A port of a bundle, if the channel may be one.
fn port(bundle: Option<Bundle>, channel: i32) -> Option<Port> {
    Some(Port::new(bundle?, u8::try_from(channel).ok()?))
}

impl Flow {
    /// Source tile and port.
    pub fn from(self, module: &Module) -> Option<(TileLoc, Port)> {
        let port = port(self.source_bundle(module), self.source_channel(module))?;
        Some((tile_loc(module, self.source(module)?)?, port))
    }

    /// Destination tile and port.
    pub fn to(self, module: &Module) -> Option<(TileLoc, Port)> {
        let port = port(self.dest_bundle(module), self.dest_channel(module))?;
        Some((tile_loc(module, self.dest(module)?)?, port))
    }
}

impl Connect {
    /// Source and destination port inside the switch.
    pub fn ports(self, module: &Module) -> Option<(Port, Port)> {
        let from = port(self.source_bundle(module), self.source_channel(module))?;
        Some((
            from,
            port(self.dest_bundle(module), self.dest_channel(module))?,
        ))
    }
}

impl UseLock {
    /// The lock.
    pub fn lock_op(self, module: &Module) -> Option<Lock> {
        Lock::cast(module, module.def_op(self.lock(module)?)?)
    }

    /// The value, when it is a constant.
    pub fn const_value(self, module: &Module) -> Option<i64> {
        const_int(module, self.value(module)?)
    }
}

impl ArithConstant {
    /// Makes an integer constant.
    pub fn int(module: &mut Module, loc: Loc, value: i64, ty: Type, at: InsertPoint) -> Value {
        Self::build(module, loc, Attr::Int(value, ty.clone())).insert_value(ty, at)
    }

    /// Makes an `i32` constant.
    pub fn i32(module: &mut Module, loc: Loc, value: i32, at: InsertPoint) -> Value {
        Self::int(module, loc, value.into(), Type::I32, at)
    }
}

impl ScfFor {
    /// Trip count of the loop if its bounds and its step are constants.
    pub fn trips(self, module: &Module) -> Option<u64> {
        self.trips_of(module, |value| const_int(module, value).map(i128::from))
    }

    /// Trip count of the loop for the integers that its bounds and its step are known to be; `None`
    /// if one isn't known, or the step isn't above 0. They have the width of the loop's variable,
    /// 64 bits if that is an index, and are signed unless the loop compares unsigned numbers.
    pub fn trips_of(self, module: &Module, known: impl Fn(Value) -> Option<i128>) -> Option<u64> {
        let bits = self.bits(module)?;
        let unsigned = self.unsignedCmp(module) == Some(true);
        let int = |value: Option<Value>| {
            let above = u64::BITS - bits;
            let shifted = (known(value?)? as u64) << above;
            Some(if unsigned {
                i128::from(shifted >> above)
            } else {
                i128::from(shifted as i64 >> above)
            })
        };
        let span = int(self.upper(module))? - int(self.lower(module))?;
        let step = int(self.step(module)).filter(|step| *step > 0)?;
        u64::try_from((span.max(0) + step - 1) / step).ok()
    }

    /// Bits of the loop's variable, 64 if that is an index.
    fn bits(self, module: &Module) -> Option<u32> {
        let bits = module.ty(self.lower(module)?).bit_width();
        bits.filter(|bits| (1..=u64::BITS).contains(bits))
    }

    /// The loop's variable in a run, counted from 0, with its sign; `None` as for [`ScfFor::trips_of`].
    pub fn variable_of(
        self,
        module: &Module,
        run: u64,
        known: impl Fn(Value) -> Option<i128>,
    ) -> Option<i64> {
        let above = u64::BITS - self.bits(module)?;
        let (lower, step) = (known(self.lower(module)?)?, known(self.step(module)?)?);
        let value = (lower as u64).wrapping_add((step as u64).wrapping_mul(run));
        Some((value << above) as i64 >> above)
    }
}

/// The integer that a value is known to be: a constant, or an integer or index cast of one.
pub fn const_int(module: &Module, value: Value) -> Option<i64> {
    let mut op = module.def_op(value)?;
    loop {
        match module.kind(op) {
            OpKind::ArithConstant | OpKind::IndexConstant => {
                let value = module.declared_attr(op, AttrName::value);
                return value.and_then(Attr::as_int);
            }
            OpKind::ArithIndexCast | OpKind::IndexCastS | OpKind::ArithExtSI => {
                op = module.def_op(module.operand(op, 0)?)?;
            }
            _ => return None,
        }
    }
}

/// The message of an operation that says what must hold: a `cf.assert` or an `aiex.npu.require`.
pub fn message_of_requirement(module: &Module, op: Op) -> Arc<str> {
    if module.kind(op) == OpKind::CfAssert {
        CfAssert(op).msg(module)
    } else {
        NpuRequire(op).message(module)
    }
}

/// The parts of an operand list that is cut into groups (`operandSegmentSizes`); without the
/// attribute `None`.
pub fn operand_group(module: &Module, op: Op, group: usize) -> Option<Vec<Value>> {
    let Attr::DenseArray(sizes) = module.attr(op, "operandSegmentSizes")? else {
        return None;
    };
    let size = |n: &i64| usize::try_from(*n).unwrap_or(0);
    let start: usize = sizes.values.iter().take(group).map(size).sum();
    let len = sizes.values.get(group).map(size)?;
    Some(module.operands(op).skip(start).take(len).collect())
}

/// A list that is partly static: its static attribute with the marks of dynamic entries replaced
/// by the constants they turn out to be; `None` for entries that are known at run time only.
pub fn mixed_list(
    module: &Module,
    op: Op,
    static_attr: &str,
    group: usize,
) -> Option<Vec<Option<i64>>> {
    let Attr::DenseArray(fixed) = module.attr(op, static_attr)? else {
        return None;
    };
    let mut dynamic = operand_group(module, op, group)
        .unwrap_or_default()
        .into_iter();
    let entry = |v: &i64| match *v {
        DYNAMIC => dynamic.next().and_then(|value| const_int(module, value)),
        v => Some(v),
    };
    Some(fixed.values.iter().map(entry).collect())
}

impl DmaBd {
    /// Offset into the buffer in elements: as written, or 0; `None` if known at run time only.
    pub fn offset_elems(self, module: &Module) -> Option<i64> {
        self.static_or_operand(module, self.static_offset(module), 1, Some(0))
    }

    /// Length in elements: as written, or that of the whole buffer; `None` if known at run time
    /// only.
    pub fn len_elems(self, module: &Module) -> Option<i64> {
        let whole = || {
            let elements = module
                .ty(self.buffer(module)?)
                .as_memref()?
                .num_elements()?;
            i64::try_from(elements).ok()
        };
        self.static_or_operand(module, self.static_len(module), 2, whole())
    }

    /// Size and stride (in elements) of its iteration, where operands say them.
    pub fn iteration_values(self, module: &Module) -> Option<(Value, Value)> {
        let first = |name| module.operand_group(self.0, name).first().copied();
        first("iteration_size_val").zip(first("iteration_stride_val"))
    }

    /// The value that its number is, where a sequence takes it from a pool. Texts up to mlir-aie 1.4.5 write that of the
    /// first descriptor of a task at the task.
    pub fn number_value(self, module: &Module) -> Option<Value> {
        let own = module.operand_group(self.0, "bd_id_val");
        let of_task = || {
            let block = module.parent_block(self.0);
            let task = module.parent_op(self.0)?;
            let is_first = DmaConfigureTask::cast(module, task).is_some()
                && block.is_some_and(|block| module.entry(task, 0) == Some(block));
            let value = module.operand_group(task, "bd_id_val").first().copied();
            value.filter(|_| is_first)
        };
        own.first().copied().or_else(of_task)
    }

    fn static_or_operand(
        self,
        module: &Module,
        fixed: Option<i32>,
        group: usize,
        default: Option<i64>,
    ) -> Option<i64> {
        let operand = operand_group(module, self.0, group)
            .unwrap_or_default()
            .first()
            .copied();
        match (fixed, operand) {
            (Some(v), _) if v != i32::MIN => Some(v.into()),
            (_, Some(operand)) => const_int(module, operand),
            _ => default,
        }
    }

    /// Dimensions, outermost first, in elements; empty for a linear transfer; `None` when an entry
    /// is known at run time only.
    pub fn dims(self, module: &Module) -> Option<Vec<BdDim>> {
        if module.attr(self.0, "static_sizes").is_none() {
            return Some(Vec::new());
        }
        let sizes = mixed_list(module, self.0, "static_sizes", 3)?;
        let strides = mixed_list(module, self.0, "static_strides", 4)?;
        let dim = |(size, stride): (Option<i64>, Option<i64>)| {
            Some(BdDim {
                size: size?,
                stride: stride?,
            })
        };
        sizes.into_iter().zip(strides).map(dim).collect()
    }
}

/// One BD of a DMA program, with its block and its locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BdSlot {
    /// The BD.
    pub bd: DmaBd,
    /// The block it is in.
    pub block: Block,
    /// The lock it waits for.
    pub acquire: Option<UseLock>,
    /// The lock it gives back.
    pub release: Option<UseLock>,
}

/// Program of a DMA channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DmaChannel {
    /// `aie.dma_start`, `aie.dma` or a task.
    pub op: Op,
    /// Direction.
    pub dir: DmaDir,
    /// Channel number.
    pub channel: u8,
    /// Further runs of the chain after the first.
    pub repeat_count: i32,
    /// Its BDs in chain order.
    pub bds: Vec<BdSlot>,
    /// The BD of `bds` that follows the last one; `None` if the chain ends.
    pub next_of_last: Option<usize>,
}

impl DmaChannel {
    /// Whether packets choose its descriptors.
    pub fn is_out_of_order(&self, module: &Module) -> bool {
        module.flag(self.op, "out_of_order")
    }

    /// Value that the channel pads with: from its start or, as before mid-2026, from one of its
    /// BDs.
    pub fn pad_value(&self, module: &Module) -> i32 {
        let own = module
            .int_attr(self.op, "pad_value")
            .filter(|value| *value != 0);
        let of_bds = || self.bds.iter().find_map(|slot| slot.bd.pad_value(module));
        own.map(|value| value as i32).or_else(of_bds).unwrap_or(0)
    }
}

/// The channels of an `aie.mem`, `aie.memtile_dma` or `aie.shim_dma`, in textual order. Blocks
/// without a BD inside a chain are passed over.
pub fn dma_channels(module: &Module, container: Op) -> Vec<DmaChannel> {
    let mut list = Vec::new();
    let Some(region) = module.region(container, 0) else {
        return list;
    };
    // A start ends its block: where there is no `aie.dma`, other operations needn't be looked at.
    let ends_only = module.count(OpKind::Dma) == 0;
    let blocks = module.blocks_of(region).iter();
    let ops = blocks.flat_map(|block| {
        let first = if ends_only {
            module.last_op(*block)
        } else {
            module.first_op(*block)
        };
        std::iter::successors(first, |op| module.next_op(*op))
    });
    for op in ops {
        let (dir, index, repeat_count, bds, next_of_last);
        if let Some(start) = DmaStart::cast(module, op) {
            dir = start.channel_dir(module);
            // One that names an endpoint has no channel yet.
            index = start.channel_index(module).unwrap_or(-1);
            repeat_count = start.repeat_count(module);
            let first = module.successors(op).first();
            (bds, next_of_last) = first.map_or_else(Default::default, |b| chain(module, *b));
        } else if let Some(dma) = Dma::cast(module, op) {
            dir = dma.channel_dir(module);
            index = dma.channel_index(module);
            repeat_count = dma.repeat_count(module);
            let regions = module.regions_of(op).iter();
            let blocks = regions.filter_map(|r| module.blocks_of(*r).first().copied());
            bds = blocks
                .filter_map(|b| bd_slot(module, b))
                .collect::<Vec<_>>();
            let loops = module.attr(op, "loop").and_then(Attr::as_bool);
            next_of_last = (loops.unwrap_or(true) && !bds.is_empty()).then_some(0);
        } else {
            continue;
        }
        if let (Some(dir), Ok(channel)) = (dir, u8::try_from(index)) {
            list.push(DmaChannel {
                op,
                dir,
                channel,
                repeat_count: repeat_count.unwrap_or(0),
                bds,
                next_of_last,
            });
        }
    }
    list
}

/// The BDs of the chain that starts at a block, in order, and which of them follows the last.
pub fn chain(module: &Module, first: Block) -> (Vec<BdSlot>, Option<usize>) {
    let region = module.block_region(first);
    let mut blocks_left = region.map_or(0, |region| module.blocks_of(region).len());
    let mut bds: Vec<BdSlot> = Vec::new();
    let mut at = first;
    // Most chains end or close with their first block. One that passes more blocks than there are closes elsewhere.
    while blocks_left > 0 {
        bds.extend(bd_slot(module, at));
        match next_of_chain(module, at) {
            None => return (bds, None),
            Some(next) if next == first => {
                let next_of_last = (!bds.is_empty()).then_some(0);
                return (bds, next_of_last);
            }
            Some(next) => at = next,
        }
        blocks_left -= 1;
    }
    chain_that_closes_within(module, first)
}

/// Same as [`chain`], for any chain.
fn chain_that_closes_within(module: &Module, first: Block) -> (Vec<BdSlot>, Option<usize>) {
    let mut bds: Vec<BdSlot> = Vec::new();
    // Blocks passed so far with the number of BDs before each, to notice where the chain closes.
    let mut seen: rustc_hash::FxHashMap<Block, usize> = Default::default();
    let mut at = Some(first);
    while let Some(block) = at {
        if let Some(back_to) = seen.insert(block, bds.len()) {
            let next_of_last = (back_to < bds.len()).then_some(back_to);
            return (bds, next_of_last);
        }
        bds.extend(bd_slot(module, block));
        at = next_of_chain(module, block);
    }
    (bds, None)
}

/// The block that follows one of a chain.
fn next_of_chain(module: &Module, block: Block) -> Option<Block> {
    let last = module.last_op(block)?;
    let goes_on = matches!(module.kind(last), OpKind::NextBd | OpKind::CfBr);
    module.successors(last).first().copied().filter(|_| goes_on)
}

/// The BD of a block and its locks.
pub fn bd_slot(module: &Module, block: Block) -> Option<BdSlot> {
    use super::enums::LockAction;
    let (mut bd, mut acquire, mut release) = (None, None, None);
    for op in module.block_ops(block) {
        match module.kind(op) {
            OpKind::DmaBd => bd = bd.or(Some(DmaBd(op))),
            OpKind::UseLock => {
                let lock = UseLock(op);
                match lock.action(module) {
                    LockAction::Release => release = release.or(Some(lock)),
                    _ => acquire = acquire.or(Some(lock)),
                }
            }
            _ => {}
        }
    }
    Some(BdSlot {
        bd: bd?,
        block,
        acquire,
        release,
    })
}

#[cfg(test)]
mod tests {
    use aiec_diag::{Diags, FileId};

    use super::*;
    use crate::text::parse_text;

    /// The trips of a loop over these constants.
    fn trips(order: &str, [lower, upper, step]: [i64; 3], ty: &str) -> Option<u64> {
        let text = format!(
            "%l = arith.constant {lower} : {ty}\n%u = arith.constant {upper} : {ty}\n\
             %s = arith.constant {step} : {ty}\nscf.for {order} %i = %l to %u step %s : {ty} {{}}"
        );
        let mut diags = Diags::new();
        let module = parse_text(FileId(0), &text, &mut diags);
        assert!(diags.is_empty(), "{diags:?}");
        let loops = module.find_all::<ScfFor>(module.top());
        loops[0].trips(&module)
    }

    #[test]
    fn trips_count_the_last_that_is_not_whole() {
        assert_eq!(trips("", [0, 10, 1], "index"), Some(10));
        assert_eq!(trips("", [0, 10, 3], "index"), Some(4));
        assert_eq!(trips("", [0, 9, 3], "index"), Some(3));
        assert_eq!(trips("", [-4, 5, 4], "i32"), Some(3));
        assert_eq!(trips("", [5, 5, 1], "index"), Some(0));
        assert_eq!(trips("", [6, 5, 1], "index"), Some(0));
        assert_eq!(trips("", [i64::MIN, i64::MAX, 1], "index"), Some(u64::MAX));
    }

    #[test]
    fn a_step_that_never_ends_has_no_trips() {
        assert_eq!(trips("", [0, 10, 0], "index"), None);
        assert_eq!(trips("", [10, 0, -1], "index"), None);
    }

    #[test]
    fn bounds_have_the_width_and_the_order_of_the_loop() {
        assert_eq!(trips("", [0, -1, 1], "i32"), Some(0));
        assert_eq!(
            trips("unsigned", [0, -1, 1], "i32"),
            Some(u64::from(u32::MAX))
        );
        assert_eq!(trips("unsigned", [0, -1, 1], "index"), Some(u64::MAX));
        assert_eq!(trips("", [0, 1 << 31, 1], "i32"), Some(0));
    }

    #[test]
    fn variables_wrap_to_their_width() {
        let text = "%l = arith.constant 120 : i8\n%u = arith.constant 200 : i8\n\
                    %s = arith.constant 4 : i8\nscf.for unsigned %i = %l to %u step %s : i8 {}";
        let module = parse_text(FileId(0), text, &mut Diags::new());
        let view = module.find_all::<ScfFor>(module.top())[0];
        let known = |value| const_int(&module, value).map(i128::from);
        assert_eq!(view.trips(&module), Some(20));
        let values = [0, 1, 2, 19].map(|run| view.variable_of(&module, run, known));
        assert_eq!(values, [120, 124, -128, -60].map(Some));
    }

    #[test]
    fn trips_of_what_is_not_constant_need_somebody_who_knows() {
        let text = "func.func @f(%n : index) {\n%c = arith.constant 1 : index\n\
                    scf.for %i = %c to %n step %c {}\nreturn }";
        let module = parse_text(FileId(0), text, &mut Diags::new());
        let view = module.find_all::<ScfFor>(module.top())[0];
        assert_eq!(view.trips(&module), None);
        let known = |value| const_int(&module, value).map_or(Some(5), |n| Some(n.into()));
        assert_eq!(view.trips_of(&module, known), Some(4));
    }

    #[test]
    fn chains_end_or_close_at_any_of_their_blocks() {
        // Of three descriptors, the next one of the last: none, or one of the three.
        let chain_of = |closing: &str| {
            let text = format!(
                "aie.device(npu2) {{\n%t = aie.tile(0, 2)\n\
                 %b = aie.buffer(%t) : memref<8xi32>\naie.mem(%t) {{\n\
                 %s = aie.dma_start(MM2S, 0, ^b0, ^end)\n\
                 ^b0: aie.dma_bd(%b : memref<8xi32>, 0, 4) aie.next_bd ^b1\n\
                 ^b1: aie.dma_bd(%b : memref<8xi32>, 0, 4) aie.next_bd ^b2\n\
                 ^b2: aie.dma_bd(%b : memref<8xi32>, 0, 4) aie.next_bd ^{closing}\n\
                 ^end: aie.end\n}}\n}}"
            );
            let mut diags = Diags::new();
            let module = parse_text(FileId(0), &text, &mut diags);
            assert!(diags.is_empty(), "{diags:?}");
            let program = module.find(module.top(), OpKind::Mem)[0];
            let channels = dma_channels(&module, program);
            assert_eq!(channels.len(), 1);
            let first = channels[0].bds[0].block;
            assert_eq!(
                chain(&module, first),
                chain_that_closes_within(&module, first)
            );
            (channels[0].bds.len(), channels[0].next_of_last)
        };
        let closings = ["end", "b0", "b1", "b2"].map(chain_of);
        assert_eq!(
            closings,
            [(3, None), (3, Some(0)), (3, Some(1)), (3, Some(2))]
        );
    }
}
