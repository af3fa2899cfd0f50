//! `aie-dma-to-npu`: transfers, BD writes, queue pushes and parameter writes become register writes
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDmaToNpu.cpp`):
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.npu.dma_memcpy_nd` | `aiex.npu.blockwrite` and `aiex.npu.address_patch` of a BD, and a push |
//! | `aiex.npu.writebd` | `aiex.npu.blockwrite` |
//! | `aiex.npu.push_queue` | `aiex.npu.write32`, and `aiex.npu.maskwrite32` of the controller's number in front of the first one of a channel that asks for a token |
//! | `aiex.npu.dma_wait` | `aiex.npu.sync` |
//! | `aiex.npu.rtp_write` | `aiex.npu.write32` into the buffer's tile |
//! | writes relative to a buffer | writes to an address |
//!
//! The writes are those of the lowering of sequences ([`crate::sequence`]); this pass makes them
//! operations, for users who lower step by step. Numbers that are known at run time only become
//! arithmetic ([`crate::mlir_aie_compat::run_time`]). Each block has a global of its own, even if
//! another one has the same words: patches change them. As in the reference, nothing waits for room
//! in a queue; a compilation does.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, SymbolTable, Value};
use aiec_aie::ops::{
    Buffer, Device, NpuBlockWrite, NpuDmaMemcpyNd, NpuRtpWrite, OpKind, OpView, RuntimeSequence,
};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileLoc};
use aiec_diag::Reported;

use crate::infra::pass::{PassContext, PassDef};
use crate::infra::word_globals;
use crate::mlir_aie_compat::npu_ops::NpuOps;
use crate::mlir_aie_compat::run_time::arith::{Arith, Num};
use crate::mlir_aie_compat::run_time::{self, WholeBdWrite};
use crate::regops::{RegAction, RegOp};
use crate::sequence::controller_write;
use crate::sequence::run_time::{AtRunTime, RunTimeLowering, ops_by_operation};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-dma-to-npu", run)
    .summary("Lower transfers, BD writes and queue pushes of runtime sequences to register writes")
    .postconditions(&[
        "runtime sequences hold register writes, address patches and waits (and tasks, if those \
         were not lowered before)",
    ]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut symbols = SymbolTable::of(module, device);
    let mut globals = 0;
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let sequence = sequence.op();
        let list = match ops_by_operation(module, sequence, &may_be_lowered, context.diags) {
            Ok(list) => list,
            Err(Reported) => {
                result = Err(Reported);
                continue;
            }
        };
        for (op, made) in list {
            if !is_lowered(module, op) {
                continue;
            }
            let mut lowering = Lower {
                module,
                model,
                device,
                symbols: &mut symbols,
                globals: &mut globals,
                sequence,
            };
            match made {
                RunTimeLowering::Now(made) => {
                    lowering.operation(op, &made, context.pass);
                    context.count("operations", made.len() as u64);
                }
                RunTimeLowering::AtRunTime(known) => {
                    result = result.and(lowering.at_run_time(op, &known, context));
                    context.count("operations", 1);
                }
            }
        }
    }
    result
}

/// Kinds of operations that are lowered, some of them only if they name a buffer.
fn may_be_lowered(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::NpuDmaMemcpyNd
            | OpKind::NpuDmaWait
            | OpKind::NpuWriteBd
            | OpKind::NpuPushQueue
            | OpKind::NpuRtpWrite
            | OpKind::NpuWrite32
            | OpKind::NpuMaskWrite32
            | OpKind::NpuMaskPoll
            | OpKind::NpuBlockWrite
    )
}

fn is_lowered(module: &Module, op: Op) -> bool {
    match module.kind(op) {
        OpKind::NpuBlockWrite => module.attr(op, "buffer").is_some(),
        _ if names_address(module, op) => module.attr(op, "buffer").is_some(),
        kind => may_be_lowered(kind),
    }
}

struct Lower<'m> {
    module: &'m mut Module,
    model: &'static DeviceModel,
    device: Op,
    symbols: &'m mut SymbolTable,
    /// Globals made so far.
    globals: &'m mut usize,
    sequence: Op,
}

impl Lower<'_> {
    fn operation(&mut self, op: Op, made: &[RegOp], pass: &'static str) {
        let loc = self.module.derived_loc(pass, op);
        if self.module.kind(op) == OpKind::NpuBlockWrite {
            // The words stay where they are.
            if let Some(RegAction::Block { address, .. }) = made.first().map(|made| &made.action) {
                let keys: Vec<String> = self.module.attrs(op).map(|(key, _)| key.into()).collect();
                for key in keys {
                    self.module.remove_attr(op, &key);
                }
                NpuBlockWrite(op).edit(self.module).address(*address);
            }
            return;
        }
        if names_address(self.module, op) {
            if let Some(
                RegAction::Write { address, .. }
                | RegAction::Mask { address, .. }
                | RegAction::Poll { address, .. },
            ) = made.first().map(|made| &made.action)
            {
                self.name_address(op, *address, loc);
            }
            return;
        }
        for made in made {
            let blocks = match &made.action {
                RegAction::Block { words, .. } | RegAction::PatchedBd { words, .. } => {
                    let base = format!("blockwrite_data_{}", self.globals);
                    *self.globals += 1;
                    let at = InsertPoint::Before(self.sequence);
                    let (module, symbols) = (&mut *self.module, &mut *self.symbols);
                    Some(word_globals::build(module, symbols, &base, words, at, loc))
                }
                _ => None,
            };
            let parameter = self.value_of(op).zip(self.rtp_tile(op));
            let mut out = NpuOps::before(self.module, op, loc);
            match (&made.action, parameter) {
                (RegAction::Write { address, .. }, Some((value, tile))) => {
                    let offset = address.wrapping_sub(self.model.tile_address(tile, 0));
                    out.write(offset, value, Some(tile));
                }
                // Polls for room in a queue have no operation; nothing else here is without one.
                (action, _) => {
                    let _ = out.action(self.model, action, blocks.as_deref());
                }
            }
        }
        self.module.erase(op);
    }

    /// Lets a write name its address. Value and mask stay what they are; they may be known at run
    /// time only.
    fn name_address(&mut self, op: Op, address: u32, loc: Loc) {
        let mut out = NpuOps::before(self.module, op, loc);
        let address = out.constant(address);
        self.module.set_operand(op, 0, address);
        for key in ["buffer", "column", "row"] {
            self.module.remove_attr(op, key);
        }
    }

    /// Same as [`Lower::operation`], where numbers are known at run time only.
    fn at_run_time(
        &mut self,
        op: Op,
        known: &AtRunTime,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        let loc = self.module.derived_loc(context.pass, op);
        match known {
            AtRunTime::Memcpy { .. } => self.memcpy(op, known, context)?,
            AtRunTime::Push { channel, token } => {
                if *token {
                    self.name_controller(op, *channel, loc);
                }
                let mut arith = Arith::new(self.module, InsertPoint::Before(op), loc);
                let operands: Vec<Value> = arith.module.operands(op).collect();
                if let [repeat, bd] = operands[..] {
                    let (repeat, bd) = (arith.number(repeat), arith.number(bd));
                    run_time::push_word(&mut arith, self.model, *channel, (bd, repeat, *token));
                }
            }
            AtRunTime::Write { address } if names_address(self.module, op) => {
                self.name_address(op, *address, loc);
                return Ok(());
            }
            AtRunTime::Write { address } => {
                let (value, tile) = (self.value_of(op), self.rtp_tile(op));
                let mut out = NpuOps::before(self.module, op, loc);
                if let Some((value, tile)) = value.zip(tile) {
                    let offset = address.wrapping_sub(self.model.tile_address(tile, 0));
                    out.write(offset, value, Some(tile));
                }
            }
            // Tasks are lowered by a pass of their own.
            AtRunTime::Task { .. }
            | AtRunTime::Start { .. }
            | AtRunTime::Await { .. }
            | AtRunTime::Free => return Ok(()),
        }
        self.module.erase(op);
        Ok(())
    }

    /// Writes the receiver of a channel's tokens, in front of an operation.
    fn name_controller(&mut self, op: Op, channel: ChannelId, loc: Loc) {
        let write = controller_write(self.module, self.device, self.model, channel);
        if let Some(RegAction::Mask {
            address,
            mask,
            value,
        }) = write
        {
            let mut out = NpuOps::before(self.module, op, loc);
            out.mask(address, value, mask);
        }
    }

    /// A transfer with sizes, strides or offsets that are known at run time only.
    fn memcpy(
        &mut self,
        op: Op,
        known: &AtRunTime,
        context: &mut PassContext<'_>,
    ) -> Result<(), Reported> {
        let AtRunTime::Memcpy {
            channel,
            bd,
            memory,
            fields,
        } = known
        else {
            return Ok(());
        };
        let loc = self.module.derived_loc(context.pass, op);
        let number = Num::Known((*bd).into());
        let (symbols, globals, sequence) = (&mut *self.symbols, &mut *self.globals, self.sequence);
        let mut block = |module: &mut Module, words: &[u32]| {
            let base = format!("blockwrite_data_{globals}");
            *globals += 1;
            let at = InsertPoint::Before(sequence);
            word_globals::build(module, symbols, &base, words, at, loc)
        };
        let mut arith = Arith::new(self.module, InsertPoint::Before(op), loc);
        let written = run_time::template(self.model, fields).and_then(|template| {
            let place = (*channel, *bd);
            match run_time::of_memcpy(&mut arith, op, place, memory, template) {
                Some(bd) => {
                    let whole = WholeBdWrite::Block(&mut block);
                    run_time::write_descriptor(&mut arith, self.model, &bd, whole)
                }
                // The verifier reports lists that aren't of four entries.
                None => Ok(Num::Known(0)),
            }
        });
        let refused = |bd_error| run_time::refused(context, arith.module, op, bd_error);
        let repeat = written.map_err(refused)?;
        let issue = NpuDmaMemcpyNd(op).issue_token(self.module).unwrap_or(false);
        // Data that arrives in host memory is always announced.
        let token = channel.dir == DmaDir::S2mm || issue;
        if token {
            self.name_controller(op, *channel, loc);
        }
        let mut arith = Arith::new(self.module, InsertPoint::Before(op), loc);
        run_time::push_word(&mut arith, self.model, *channel, (number, repeat, token));
        Ok(())
    }

    /// The value that an `aiex.npu.rtp_write` writes.
    fn value_of(&self, op: Op) -> Option<Value> {
        let is_rtp = self.module.kind(op) == OpKind::NpuRtpWrite;
        self.module.operand(op, 0).filter(|_| is_rtp)
    }

    /// The tile of the buffer that an `aiex.npu.rtp_write` writes to.
    fn rtp_tile(&self, op: Op) -> Option<TileLoc> {
        let name = NpuRtpWrite::cast(self.module, op)?.buffer(self.module);
        Buffer::cast(self.module, self.symbols.get(&name)?)?.tile_loc(self.module)
    }
}

/// Whether an operation's first operand is the address of a register that it writes or polls.
fn names_address(module: &Module, op: Op) -> bool {
    matches!(
        module.kind(op),
        OpKind::NpuWrite32 | OpKind::NpuMaskWrite32 | OpKind::NpuMaskPoll
    )
}
