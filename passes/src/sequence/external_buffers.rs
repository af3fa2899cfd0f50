//! `aie-bind-external-buffers`: gives host buffers of the netlist their place in host memory.
//!
//! An `aie.external_buffer` with an `address` lies there. One without is memory that the host
//! gives the design, as it gives the arguments of a runtime sequence: it becomes an argument after
//! those of the sequence, and its number is written into its `argument`. The loader puts the address
//! into each shim BD that names it. A design without a sequence gets one that waits until the shim
//! tiles' DMA programs have written what they write to the host.

use aiec_aie::ir::{InsertPoint, Module, Op, Type};
use aiec_aie::ops::netlist::dma_channels;
use aiec_aie::ops::{
    ArithConstant, Device, DmaBd, ExternalBuffer, NpuSync, OpView, RuntimeSequence, ShimDma,
};
use aiec_device::DmaDir;
use aiec_diag::{Diag, Reported};
use rustc_hash::FxHashSet;

use super::codes::HOST_BUFFERS;
use crate::infra::packet_flow::device_end;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-bind-external-buffers", run)
    .summary("Make host buffers without an address arguments of the runtime sequence")
    .postconditions(&[
        "each aie.external_buffer that a BD uses has an address or the number of an argument",
    ]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let buffers = unbound(module, device);
    let Some(first) = buffers.first() else {
        return Ok(());
    };
    let mut sequences = module.children::<RuntimeSequence>(device);
    let count = |module: &Module, sequence: &RuntimeSequence| {
        let entry = module.entry(sequence.op(), 0);
        entry.map_or(0, |entry| module.block_args(entry).len())
    };
    let counts: Vec<usize> = sequences.iter().map(|s| count(module, s)).collect();
    let alone = module.children::<Device>(module.top()).len() == 1;
    if !alone || counts.windows(2).any(|pair| pair[0] != pair[1]) {
        let message = "which argument this host buffer is can't be said";
        let mut diag =
            Diag::error(&HOST_BUFFERS, message).label(module.span(first.op()), "this one");
        for sequence in &sequences {
            diag = diag.label(module.span(sequence.op()), "a sequence");
        }
        return Err(context.fail(diag.help("write the buffer's `address`, or leave one sequence")));
    }
    if sequences.is_empty() {
        sequences.extend(waiting_sequence(module, device, context.pass));
    }
    // The text of a sequence without operations and arguments has no block.
    for sequence in &sequences {
        if let Some(region) = module.region(sequence.op(), 0)
            && module.blocks_of(region).is_empty()
        {
            module.add_block(region);
        }
    }
    let before = counts.first().copied().unwrap_or(0);
    for (n, buffer) in buffers.into_iter().enumerate() {
        let Some(ty) = memref(module, buffer) else {
            continue;
        };
        for sequence in &sequences {
            if let Some(entry) = module.entry(sequence.op(), 0) {
                module.add_block_arg(entry, ty.clone());
            }
        }
        let argument = i32::try_from(before + n).unwrap_or(i32::MAX);
        buffer.edit(module).argument(argument);
        context.count("arguments", 1);
    }
    Ok(())
}

/// A sequence that waits for what the shim tiles' DMA programs write to host memory.
fn waiting_sequence(
    module: &mut Module,
    device: Op,
    pass: &'static str,
) -> Option<RuntimeSequence> {
    let loc = module.derived_loc(pass, device);
    let at = device_end(module, device);
    let sequence = RuntimeSequence::build(module, loc)
        .sym_name("sequence")
        .body()
        .insert(at);
    let sequence = RuntimeSequence::cast(module, sequence)?;
    let at = InsertPoint::End(module.entry(sequence.op(), 0)?);
    for shim in module.children::<ShimDma>(device) {
        let Some(tile) = shim.tile_loc(module) else {
            continue;
        };
        for channel in dma_channels(module, shim.op()) {
            // A chain that goes around has no end.
            if channel.dir == DmaDir::S2mm && channel.next_of_last.is_none() {
                let (dir, column_num, row_num) = (0, 1, 1);
                let fields = [
                    tile.col.into(),
                    tile.row.into(),
                    dir,
                    channel.channel.into(),
                ];
                let mut constant = |word: i32| ArithConstant::i32(module, loc, word, at);
                let mut operands: Vec<_> = fields.into_iter().map(&mut constant).collect();
                operands.extend([column_num, row_num].map(constant));
                NpuSync::build(module, loc).operands(operands).insert(at);
            }
        }
    }
    Some(sequence)
}

fn memref(module: &Module, buffer: ExternalBuffer) -> Option<Type> {
    Some(module.ty(module.result(buffer.op(), 0)?).clone())
}

/// The host buffers without a place that BDs use, in the order of the text.
fn unbound(module: &Module, device: Op) -> Vec<ExternalBuffer> {
    let mut list = module.children::<ExternalBuffer>(device);
    if list.is_empty() {
        return list;
    }
    let used: FxHashSet<Op> = module
        .find_all::<DmaBd>(device)
        .into_iter()
        .filter_map(|bd| ExternalBuffer::of(module, bd.buffer(module)?))
        .map(OpView::op)
        .collect();
    list.retain(|buffer| {
        let bound = buffer.address(module).is_some() || buffer.argument(module).is_some();
        !bound && used.contains(&buffer.op())
    });
    list
}
