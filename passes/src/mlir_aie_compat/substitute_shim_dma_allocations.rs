//! `aie-substitute-shim-dma-allocations`: tasks and chains that name a shim channel by a symbol
//! (`…_for @alloc`) are given its tile, direction and channel
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIESubstituteShimDMAAllocations.cpp`).
//!
//! In a compilation the lowering of sequences looks symbols up itself; this pass is for users who
//! lower step by step.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolTable, Type, Value};
use aiec_aie::ops::netlist::chain as bd_chain;
use aiec_aie::ops::{
    DmaConfigureTask, DmaConfigureTaskFor, DmaStartBdChain, DmaStartBdChainFor, OpKind, OpView,
    RuntimeSequence,
};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::allocated_channel::{channel, replace};

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
            headers.push(
                crate::sequence::allocated_channel::channel(
                    module,
                    symbols,
                    name.leaf(),
                    op,
                    context,
                )?
                .packet,
            );
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
