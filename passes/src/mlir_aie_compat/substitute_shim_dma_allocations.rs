//! `aie-substitute-shim-dma-allocations`: tasks and chains that name a shim channel by a symbol
//! (`…_for @alloc`) are given its tile, direction and channel
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIESubstituteShimDMAAllocations.cpp`).
//!
//! In a compilation the lowering of sequences looks symbols up itself; this pass is for users who
//! lower step by step.

use aiec_aie::ir::{Attr, Module, Op, SymbolTable};
use aiec_aie::ops::netlist::chain as bd_chain;
use aiec_aie::ops::{DmaConfigureTaskFor, DmaStartBdChainFor, OpKind, OpView, RuntimeSequence};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};
use crate::sequence::allocated_channel::{channel, place_chain, place_task};

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
    let loc = module.derived_loc(context.pass, op);
    place_task(module, from, &channel, loc);
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
    let loc = module.derived_loc(context.pass, op);
    place_chain(module, DmaStartBdChainFor(op), &channel, loc);
    context.count("chains", 1);
    Ok(())
}
