//! Resets of channels and cores.

use aiec_aie::ir::{Op, Value};
use aiec_aie::ops::netlist::{operand_group, tile_loc};
use aiec_aie::ops::{DmaChannelReset, DmaChannelResetFor, Lock, ObjectFifoRearmBinding, OpView};
use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{ChannelId, DmaDir, LockId};
use aiec_diag::Diag;

use super::codes::*;
use super::{Lowering, LoweringResult};
use crate::regops::{RegAction, RegOp};

/// Reset bit of a channel's control register (AM025, DMA_*_Ctrl).
pub(crate) const CHANNEL_RESET: u32 = 1 << 1;

impl Lowering<'_> {
    pub(super) fn channel_reset(&mut self, op: Op) -> LoweringResult {
        let reset = DmaChannelReset(op);
        let tile = self.tile_operand(op, 0)?;
        let number = reset.channel(self.module).into();
        let channel = self.channel(tile, reset.direction(self.module), number, op)?;
        self.reset_channel(channel, op)
    }

    fn reset_channel(&mut self, channel: ChannelId, op: Op) -> LoweringResult {
        let tile = channel.tile;
        if self.kind(tile, op)?.is_shim() {
            let diag = Diag::error(&NO_REGISTER, "the channels of shim DMAs have no reset")
                .help("reset channels of core and mem tiles only");
            return self.refuse(op, diag);
        }
        let address = self.address(tile, channel.control(), op, "such channel")?;
        self.pulse(address, CHANNEL_RESET, op);
        self.queues.reset(channel);
        self.unawaited.clear();
        Ok(())
    }

    /// Sets bits, then clears them.
    fn pulse(&mut self, address: u32, bits: u32, op: Op) {
        let loc = self.module.loc(op);
        self.push(RegOp::mask(address, bits, bits, loc));
        self.push(RegOp::mask(address, bits, 0, loc));
    }

    pub(super) fn core_reset(&mut self, op: Op) -> LoweringResult {
        let tile = self.tile_operand(op, 0)?;
        let address = self.address(tile, RegisterRef::CoreControl, op, "core")?;
        let reset = CoreControl::IN_RESET;
        self.pulse(address, reset.pack(), op);
        Ok(())
    }

    /// Resets all channels of an object fifo, its locks, and starts its DMA programs again.
    pub(super) fn channel_reset_for(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let name = DmaChannelResetFor(op).objfifo(module);
        let of = |name: &str| ObjectFifoRearmBinding::cast(module, self.symbols.get(name)?);
        let Some(binding) = of(&name).or_else(|| of(&format!("{name}_rearm_binding"))) else {
            let message = format!("it isn't known how to rearm the fifo `@{name}`");
            let diag = Diag::error(&UNSUPPORTED, message).help(
                "reset its channels with `aiex.dma_channel_reset`, its locks with `aiex.set_lock`",
            );
            return self.refuse(op, diag);
        };
        let tiles = operand_group(module, binding.op(), 0).unwrap_or_default();
        let locks = operand_group(module, binding.op(), 1).unwrap_or_default();
        let (dirs, numbers) = (
            binding.channel_dirs(module),
            binding.channel_indices(module),
        );
        let mut channels = Vec::new();
        for (tile, (dir, number)) in tiles.iter().zip(dirs.iter().zip(&numbers)) {
            let Some(tile) = tile_loc(module, *tile) else {
                continue;
            };
            let channel = self.channel(tile, DmaDir::by_value(*dir), *number, op)?;
            channels.push(channel);
        }
        for channel in channels.iter().filter(|c| c.tile.row != 0) {
            self.reset_channel(*channel, op)?;
        }
        for (lock, init) in locks.iter().zip(binding.lock_inits(module)) {
            if let Some(lock) = self.numbered_lock(Some(*lock)) {
                self.write_lock(op, lock, init as u32)?;
            }
        }
        let heads = binding.head_bd_ids(module).unwrap_or_default();
        let repeats = binding.repeat_counts(module).unwrap_or_default();
        for (channel, (head, repeat)) in channels.iter().zip(heads.iter().zip(repeats)) {
            if *head >= 0 && channel.tile.row != 0 {
                self.enqueue(*channel, *head, repeat, false, op)?;
            }
        }
        Ok(())
    }

    /// The tile and number of a lock that has both.
    pub(super) fn numbered_lock(&self, lock: Option<Value>) -> Option<LockId> {
        let module = self.module;
        Lock::cast(module, module.def_op(lock?)?)?.place(module)
    }

    pub(super) fn write_lock(&mut self, op: Op, lock: LockId, value: u32) -> LoweringResult {
        let LockId { tile, index: id } = lock;
        let what = RegisterRef::LockValue { id };
        let address = self.address(tile, what, op, &format!("lock {id}"))?;
        self.emit_action(op, RegAction::Write { address, value });
        Ok(())
    }
}
