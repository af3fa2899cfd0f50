//! `aie-substitute-shim-dma-allocations`: tasks and chains that name a shim channel by a symbol
//! (`…_for @alloc`) are given its tile, direction and channel
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIESubstituteShimDMAAllocations.cpp`).
//!
//! In a compilation the lowering of sequences looks symbols up itself; this pass is for users who
//! lower step by step.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, PacketInfo, SymbolTable, Type, Value};
use aiec_aie::ops::netlist::chain as bd_chain;
use aiec_aie::ops::{
    Device, DmaConfigureTask, DmaConfigureTaskFor, DmaStartBdChain, DmaStartBdChainFor, OpKind,
    OpView, RuntimeSequence, ShimDmaAllocation,
};
use aiec_device::DmaDir;
use aiec_diag::{Diag, Reported, did_you_mean};

use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::codes::{NO_ALLOCATION, NOT_LOADED};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-substitute-shim-dma-allocations", run)
    .summary("Give tasks that name a shim channel by symbol its tile and number")
    .postconditions(&["no aiex.dma_configure_task_for and no aiex.dma_start_bd_chain_for remains"]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let symbols = SymbolTable::of(module, device);
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let users = module.walk(sequence.op()).collect::<Vec<_>>();
        for op in users {
            let done = match module.kind(op) {
                OpKind::DmaConfigureTaskFor => task(module, &symbols, op, context),
                OpKind::DmaStartBdChainFor => chain(module, &symbols, op, context),
                _ => Ok(()),
            };
            result = result.and(done);
        }
    }
    result
}

/// Channel of a shim allocation, with the tile as a value of the text.
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

fn task(
    module: &mut Module,
    symbols: &SymbolTable,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let name = DmaConfigureTaskFor(op).alloc(module).to_string();
    let channel = channel(module, symbols, &name, op, context)?;
    let repeat: Vec<Value> = module.operands(op).collect();
    let from = DmaConfigureTaskFor(op);
    // Each BD of interleaved channels has the header of its own.
    let mut headers = vec![channel.packet];
    for name in from.interleave(module).unwrap_or_default() {
        if let Attr::Symbol(name) = name {
            headers.push(self::channel(module, symbols, name.leaf(), op, context)?.packet);
        }
    }
    if headers.len() > 1 {
        let (slots, _) = module
            .entry(op, 0)
            .map_or_else(Default::default, |b| bd_chain(module, b));
        for (slot, header) in slots.iter().zip(headers) {
            if let Some(header) = header.filter(|_| slot.bd.packet(module).is_none()) {
                module.set_attr(slot.bd.op(), "packet", Attr::Packet(header));
            }
        }
    }
    let (token, repeat_count) = (from.issue_token(module), from.repeat_count(module));
    let loc = module.derived_loc(context.pass, op);
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
    context.count("tasks", 1);
    Ok(())
}

fn chain(
    module: &mut Module,
    symbols: &SymbolTable,
    op: Op,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let name = DmaStartBdChainFor(op).alloc(module).to_string();
    let channel = channel(module, symbols, &name, op, context)?;
    let args: Vec<Value> = module.operands(op).collect();
    let from = DmaStartBdChainFor(op);
    let symbol = from.symbol(module);
    let (token, repeat_count) = (from.issue_token(module), from.repeat_count(module));
    let loc = module.derived_loc(context.pass, op);
    let new = DmaStartBdChain::build(module, loc, symbol, channel.direction, channel.number)
        .operand_groups([&args, &[channel.tile]])
        .issue_token(token)
        .repeat_count(repeat_count)
        .result(Type::Index)
        .insert(InsertPoint::Before(op));
    replace(module, op, new);
    context.count("chains", 1);
    Ok(())
}

/// Lets an operation's result be that of another, and takes it away.
pub(crate) fn replace(module: &mut Module, old: Op, new: Op) {
    if let (Some(from), Some(to)) = (module.result(old, 0), module.result(new, 0)) {
        module.replace_all_uses(from, to);
    }
    module.erase(old);
}
