//! Shim channels that tasks and chains name by a symbol, with their tiles as values of the text.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, PacketInfo, SymbolTable, Type, Value};
use aiec_aie::ops::{
    Device, DmaConfigureTask, DmaConfigureTaskFor, DmaStartBdChain, DmaStartBdChainFor, OpKind,
    OpView, ShimDmaAllocation,
};
use aiec_device::DmaDir;
use aiec_diag::{Diag, Reported, did_you_mean};

use super::codes::{NO_ALLOCATION, NOT_LOADED};
use crate::infra::pass::PassContext;

/// Channel that a symbol names, with the tile as a value of the text.
pub(crate) struct AllocatedChannel {
    pub(crate) tile: Value,
    pub(crate) direction: DmaDir,
    pub(crate) number: i32,
    pub(crate) packet: Option<PacketInfo>,
}

/// The channel of a name: an allocation, or the one that was made for an object fifo of that name.
pub(crate) fn channel(
    module: &Module,
    symbols: &SymbolTable,
    name: &str,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<AllocatedChannel, Reported> {
    let around = Device::around(module, op).map(|device| device.name(module));
    let other = module
        .nested_root(op)
        .filter(|root| around.as_deref() != Some(root));
    if let Some(other) = other {
        let message = format!("this channel is one of device `@{other}`");
        let diag = Diag::error(&NOT_LOADED, message)
            .label(module.span(op), "named here")
            .help(format!(
                "move it into a sequence of `@{other}`, run that, and put it in its place by \
                 --aie-materialize-runtime-sequences"
            ));
        return Err(context.fail(diag));
    }
    let of = |name: &str| ShimDmaAllocation::cast(module, symbols.get(name)?);
    let found = of(name).or_else(|| of(&format!("{name}_shim_alloc")));
    let channel = found.and_then(|allocation| {
        let number = i32::try_from(allocation.channel_index(module)).ok()?;
        Some(AllocatedChannel {
            tile: allocation.tile(module)?,
            direction: allocation.channel_dir(module)?,
            number,
            packet: allocation.packet(module),
        })
    });
    channel.ok_or_else(|| {
        let all = symbols
            .iter()
            .filter(|(_, op)| module.kind(*op) == OpKind::ShimDmaAllocation);
        let help = match did_you_mean(name, all.map(|(name, _)| name)) {
            Some(near) => format!("did you mean `@{near}`?"),
            None => "declare it with `aie.shim_dma_allocation`".to_string(),
        };
        let message = format!("there is no shim DMA channel `@{name}`");
        let diag = Diag::error(&NO_ALLOCATION, message)
            .label(module.span(op), "named here")
            .help(help);
        context.fail(diag)
    })
}

/// Gives a task that names its channel by a symbol the tile, direction and number of the channel.
pub(crate) fn place_task(
    module: &mut Module,
    from: DmaConfigureTaskFor,
    channel: &AllocatedChannel,
    loc: Loc,
) {
    let op = from.op();
    let repeat: Vec<Value> = module.operands(op).collect();
    let (token, repeat_count) = (from.issue_token(module), from.repeat_count(module));
    let segments = [1, usize::from(!repeat.is_empty()), 0];
    let new = DmaConfigureTask::build(module, loc, channel.tile, channel.direction, channel.number)
        .operands(repeat)
        .segment_sizes(segments)
        .packet(channel.packet)
        .issue_token(token)
        .repeat_count(repeat_count)
        .region()
        .result(Type::Index)
        .insert(InsertPoint::Before(op));
    if let (Some(from), Some(to)) = (module.region(op, 0), module.region(new, 0)) {
        for block in module.blocks_of(from).to_vec() {
            module.move_block_to_end(block, to);
        }
    }
    replace(module, op, new);
}

/// The same for the start of a BD chain.
pub(crate) fn place_chain(
    module: &mut Module,
    from: DmaStartBdChainFor,
    channel: &AllocatedChannel,
    loc: Loc,
) {
    let op = from.op();
    let args: Vec<Value> = module.operands(op).collect();
    let symbol = from.symbol(module);
    let (token, repeat_count) = (from.issue_token(module), from.repeat_count(module));
    let new = DmaStartBdChain::build(module, loc, symbol, channel.direction, channel.number)
        .operand_groups([&args, &[channel.tile]])
        .issue_token(token)
        .repeat_count(repeat_count)
        .result(Type::Index)
        .insert(InsertPoint::Before(op));
    replace(module, op, new);
}

/// Lets an operation's result be that of another, and takes it away.
pub(super) fn replace(module: &mut Module, old: Op, new: Op) {
    if let (Some(from), Some(to)) = (module.result(old, 0), module.result(new, 0)) {
        module.replace_all_uses(from, to);
    }
    module.erase(old);
}
