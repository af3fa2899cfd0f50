//! `aie-ctrl-packet-to-dma`: control packets become transfers from a host buffer, an argument that
//! is added to the sequence. The buffer holds the packets one after the other, each with its
//! header, its control word, and its data.
//!
//! Packets to one tile that follow one another are one transfer, but on AIE2, whose control ports
//! take one at a time.

use aiec_aie::ir::{DYNAMIC, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::{
    ArithConstant, ControlPacket, Device, NpuDmaMemcpyNd, NpuSync, OpView, RuntimeSequence, Traits,
};
use aiec_device::{Arch, DeviceModel, DmaDir, TileLoc};
use aiec_diag::Reported;

use super::target;
use crate::flows::control_overlay::packet_channel;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-ctrl-packet-to-dma", run)
    .summary("Turn control packets into transfers from a host buffer that holds them")
    .postconditions(&["no aiex.control_packet is left; its sequence has one argument more"]);

/// Words of a packet beside its data: the stream header and the control word.
const HEADER_WORDS: i64 = 2;

/// Packets that are sent in one transfer.
struct Batch {
    target: TileLoc,
    /// First word in the host buffer.
    start: i64,
    words: i64,
    packets: Vec<Op>,
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    // Tiles of the first generation have no control ports.
    if model.arch() == Arch::Aie1 {
        return Ok(());
    }
    for sequence in module.children::<RuntimeSequence>(device) {
        let batches = batches(module, model, sequence, context);
        let Some(block) = module
            .entry(sequence.op(), 0)
            .filter(|_| !batches.is_empty())
        else {
            continue;
        };
        let ty = Type::memref([DYNAMIC], Type::I32);
        let buffer = module.add_block_arg(block, ty);
        for batch in batches {
            send(module, model, &batch, buffer, context.pass);
            for packet in batch.packets {
                module.erase(packet);
            }
            context.count("transfers", 1);
        }
    }
    context.diags.check()
}

fn batches(
    module: &Module,
    model: &DeviceModel,
    sequence: RuntimeSequence,
    context: &mut PassContext<'_>,
) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    let mut next = 0;
    let mut open = false;
    let block = module.entry(sequence.op(), 0);
    for op in block.map(|block| module.ops_in(block)).unwrap_or_default() {
        let Some(packet) = ControlPacket::cast(module, op) else {
            open &= module.kind(op).has(Traits::PURE);
            continue;
        };
        let target = match target(module, model, packet) {
            Ok(target) => target,
            Err(diag) => {
                context.report(*diag);
                continue;
            }
        };
        let data = packet.data(module).map(|words| words.len() as i64);
        let length = packet.length(module).map(i64::from);
        // A read carries no data; its length is that of the answer.
        let words = HEADER_WORDS + data.or(length).unwrap_or(0);
        let joins = open && model.arch() != Arch::Aie2;
        match batches
            .last_mut()
            .filter(|last| joins && last.target == target)
        {
            Some(last) => {
                last.words += words;
                last.packets.push(op);
            }
            None => batches.push(Batch {
                target,
                start: next,
                words,
                packets: vec![op],
            }),
        }
        next += words;
        open = true;
    }
    batches
}

/// The transfer of a batch, and the wait for it, in front of its first packet.
fn send(
    module: &mut Module,
    model: &DeviceModel,
    batch: &Batch,
    buffer: Value,
    pass: &'static str,
) {
    let Some(first) = batch.packets.first().copied() else {
        return;
    };
    let loc = module.derived_loc(pass, first);
    let at = InsertPoint::Before(first);
    let channel = packet_channel(model, batch.target.row);
    let name = format!("ctrlpkt_col{}_mm2s_chan{channel}", batch.target.col);
    NpuDmaMemcpyNd::build(module, loc)
        .operand(buffer)
        .static_offsets([0, 0, 0, batch.start])
        .static_sizes([1, 1, 1, batch.words])
        .static_strides([0, 0, 0, 1])
        .metadata(name)
        .id(0)
        .segment_sizes([1, 0, 0, 0])
        .issue_token(true)
        .insert(at);
    let shim = [batch.target.col.into(), 0, DmaDir::Mm2s as i32];
    let waits = shim.into_iter().chain([channel as i32, 1, 1]);
    let operands: Vec<Value> = waits
        .map(|number| ArithConstant::i32(module, loc, number, at))
        .collect();
    NpuSync::build(module, loc).operands(operands).insert(at);
}
