//! `aie-verify-runtime-rearm`: a DMA channel that a sequence resets finds its locks as the reset left
//! them, so each lock of its BDs must be set by some sequence as well
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEVerifyRuntimeRearm.cpp`).

use std::collections::HashSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::{dma_channels, tile_loc};
use aiec_aie::ops::{DmaChannelReset, OpKind, OpView, SetLock};
use aiec_diag::{Diag, MlirAieReport, Reported, codes};

use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-verify-runtime-rearm", run)
    .summary("Check that the locks of DMA channels which sequences reset are set again")
    .postconditions(&["every lock of a channel that is reset is set by a sequence"]);

codes! {
    /// Codes of `aie-verify-runtime-rearm`.
    pub static CODES;
    NOT_REARMED = "rearm::lock-not-set",
        "A reset empties a DMA channel but leaves its locks as they are, in the middle of their count. \
         The channel then waits for a value that never comes. Set all locks of its BDs with \
         aiex.set_lock.";
}

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let m = &*module;
    let set: HashSet<Op> = m
        .find_all::<SetLock>(device)
        .into_iter()
        .filter_map(|set| m.def_op(set.lock(m)?))
        .collect();
    for reset in m.find_all::<DmaChannelReset>(device) {
        let missing: Vec<Op> = locks(m, device, reset)
            .into_iter()
            .filter(|lock| !set.contains(lock))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let text = "resets a DMA channel whose objectFIFO lock is never re-armed";
        let mut mlir_aie = MlirAieReport::op(m.op_name(reset.op()), text).at(m.span(reset.op()));
        let mut diag = Diag::error(
            &NOT_REARMED,
            "locks of this channel are not set after its reset",
        )
        .label(m.span(reset.op()), "reset here")
        .help(
            "set them with aiex.set_lock, or reset the whole fifo with aiex.dma_channel_reset_for",
        );
        for lock in missing {
            diag = diag.label(m.span(lock), "this lock keeps its count");
            let text = "this lock is bound to the reset channel and is not re-armed";
            mlir_aie = mlir_aie.note(m.span(lock), text);
        }
        context.report(diag.mlir_aie(mlir_aie));
    }
    context.diags.check()
}

/// The locks that the BDs of a channel use, in their order.
fn locks(m: &Module, device: Op, reset: DmaChannelReset) -> Vec<Op> {
    let place = reset.tile(m).and_then(|tile| tile_loc(m, tile));
    let programs = [OpKind::Mem, OpKind::MemTileDma].into_iter();
    let here = programs
        .flat_map(|kind| m.find(device, kind))
        .filter(|program| m.operand(*program, 0).and_then(|tile| tile_loc(m, tile)) == place);
    let mut locks = Vec::new();
    for channel in here.flat_map(|program| dma_channels(m, program)) {
        let same = Some(channel.dir) == reset.direction(m)
            && i32::from(channel.channel) == reset.channel(m);
        for bd in channel.bds.iter().filter(|_| same) {
            for lock in [bd.acquire, bd.release].into_iter().flatten() {
                let op = lock.lock_op(m).map(|lock| lock.op());
                locks.extend(op.filter(|op| !locks.contains(op)));
            }
        }
    }
    locks
}
