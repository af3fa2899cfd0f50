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
//! What is written is what the lowering of sequences makes of each operation ([`crate::sequence`]);
//! this pass writes it as operations, for those who go step by step. Each block has a global of
//! its own, even if another one has the same words: patches change them. As in the reference,
//! nothing waits for room in a queue; a compilation does.

use aiec_device::regmap::BdLayout;
use aiec_device::{DeviceModel, TileLoc};
use aiec_dialect::diag::Reported;
use aiec_dialect::ir::{Attr, InsertPoint, Module, Op, SymbolTable, Type, Value};
use aiec_dialect::ops::{Buffer, Device, NpuRtpWrite, OpKind, OpView, RuntimeSequence};

use crate::npu_ops::{NpuOps, address_bytes, global};
use crate::pass::{PassContext, PassDef, Run};
use crate::register_ops::{RegAction, RegOp};
use crate::sequence::ops_by_operation;

/// The pass.
pub static PASS: PassDef = PassDef {
    name: "aie-dma-to-npu",
    summary: "Lower transfers, BD writes and queue pushes of runtime sequences to register writes",
    leaves: &[
        "runtime sequences hold register writes, address patches and waits (and tasks, if those \
         were not lowered before)",
    ],
    options: &[],
    run: Run::Device(run),
};

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let model = Device::cast(module, device).and_then(|device| device.model(module));
    let Some(model) = model else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let mut symbols = SymbolTable::of(module, device);
    let mut globals = 0;
    let mut result = Ok(());
    for sequence in module.children::<RuntimeSequence>(device) {
        let sequence = sequence.op();
        let list = match ops_by_operation(module, sequence, context.diags) {
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
                symbols: &mut symbols,
                globals: &mut globals,
                sequence,
            };
            lowering.operation(op, &made, context.pass);
            context.count("operations", made.len() as u64);
        }
    }
    result
}

fn is_lowered(module: &Module, op: Op) -> bool {
    match module.kind(op) {
        OpKind::NpuDmaMemcpyNd
        | OpKind::NpuDmaWait
        | OpKind::NpuWriteBd
        | OpKind::NpuPushQueue
        | OpKind::NpuRtpWrite => true,
        OpKind::NpuWrite32 | OpKind::NpuMaskWrite32 | OpKind::NpuBlockWrite => {
            module.attr(op, "buffer").is_some()
        }
        _ => false,
    }
}

struct Lower<'m> {
    module: &'m mut Module,
    model: &'static DeviceModel,
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
                let address = Attr::Int((*address).into(), Type::UI32);
                self.module.set_attr(op, "address", address);
                self.module.remove_attr(op, "buffer");
            }
            return;
        }
        let is_write = matches!(
            self.module.kind(op),
            OpKind::NpuWrite32 | OpKind::NpuMaskWrite32
        );
        if let Some(
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Copy { to: address, .. },
        ) = made.first().map(|made| &made.action).filter(|_| is_write)
        {
            // Value and mask stay what they are; they may be known at run time only.
            let mut out = NpuOps {
                module: self.module,
                at: InsertPoint::Before(op),
                loc,
            };
            if let Some(address) = out.constant(*address) {
                self.module.set_operand(op, 0, address);
            }
            for key in ["buffer", "column", "row"] {
                self.module.remove_attr(op, key);
            }
            return;
        }
        for made in made {
            let blocks = match &made.action {
                RegAction::Block { words, .. } | RegAction::PatchedBd { words, .. } => {
                    let base = format!("blockwrite_data_{}", self.globals);
                    *self.globals += 1;
                    Some(global(
                        self.module,
                        self.symbols,
                        &base,
                        words,
                        self.sequence,
                        loc,
                    ))
                }
                _ => None,
            };
            let value = self.value_of(op);
            let tile = self.rtp_tile(op);
            let mut out = NpuOps {
                module: self.module,
                at: InsertPoint::Before(op),
                loc,
            };
            write(
                &mut out,
                self.model,
                &made.action,
                blocks.as_deref(),
                value.zip(tile),
            );
        }
        self.module.erase(op);
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

/// One register operation as operations of the sequence.
fn write(
    out: &mut NpuOps<'_>,
    model: &'static DeviceModel,
    action: &RegAction,
    data: Option<&str>,
    parameter: Option<(Value, TileLoc)>,
) {
    match action {
        RegAction::Write { address, value } => match parameter {
            Some((value, tile)) => {
                let offset = address.wrapping_sub(model.tile_address(tile, 0));
                out.write(offset, Some(value), Some(tile));
            }
            None => {
                let value = out.constant(*value);
                out.write(*address, value, None);
            }
        },
        RegAction::Mask {
            address,
            mask,
            value,
        } => out.mask(*address, *value, *mask),
        RegAction::Block { address, words } => {
            out.block(*address, data.unwrap_or_default(), words.len());
        }
        RegAction::PatchedBd {
            address,
            words,
            argument,
        } => {
            out.block(*address, data.unwrap_or_default(), words.len());
            let layout = model
                .register_at(*address)
                .and_then(|(tile, _)| BdLayout::of(model.arch(), model.tile_kind(tile)?));
            let word = layout.map_or(0, BdLayout::address_word);
            let offset = words.get(usize::from(word)).copied().unwrap_or(0);
            out.patch(address + address_bytes(word), *argument, offset);
        }
        RegAction::Wait {
            tile,
            dir,
            channel,
            tokens,
        } => {
            for _ in 0..*tokens {
                out.sync(*tile, *dir, *channel);
            }
        }
        RegAction::Copy { to, .. } => {
            if let Some((value, tile)) = parameter {
                let offset = to.wrapping_sub(model.tile_address(tile, 0));
                out.write(offset, Some(value), Some(tile));
            }
        }
        RegAction::Poll { .. } => {}
    }
}
