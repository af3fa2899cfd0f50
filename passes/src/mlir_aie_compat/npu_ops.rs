//! Building `aiex.npu` operations.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Op, Value};
use aiec_aie::ops::{
    ArithConstant, MemrefGetGlobal, NpuAddressPatch, NpuBlockWrite, NpuMaskWrite32, NpuPushQueue,
    NpuSync, NpuUpdateFromScratchpad, NpuWrite32, NpuWriteBd,
};
use aiec_device::regmap::{BdFields, BdLayout};
use aiec_device::{ChannelId, DeviceModel, TileLoc};

use crate::infra::word_globals;
use crate::regops::{RegAction, Unsupported};

/// Where operations are made, and from what.
pub(crate) struct NpuOps<'m> {
    /// The module.
    pub module: &'m mut Module,
    /// They are put there, one after the other.
    pub at: InsertPoint,
    /// Where they come from.
    pub loc: Loc,
}

impl<'m> NpuOps<'m> {
    /// In front of an operation.
    pub fn before(module: &'m mut Module, op: Op, loc: Loc) -> NpuOps<'m> {
        let at = InsertPoint::Before(op);
        NpuOps { module, at, loc }
    }

    /// A 32-bit constant.
    pub fn constant(&mut self, word: u32) -> Value {
        ArithConstant::i32(self.module, self.loc, word as i32, self.at)
    }

    /// `aiex.npu.write32`; with a tile the address is an offset in it.
    pub fn write(&mut self, address: u32, value: Value, tile: Option<TileLoc>) {
        let address = self.constant(address);
        NpuWrite32::build(self.module, self.loc, address, value)
            .column(tile.map(|tile| tile.col))
            .row(tile.map(|tile| tile.row))
            .insert(self.at);
    }

    /// `aiex.npu.maskwrite32`.
    pub fn mask(&mut self, address: u32, value: u32, mask: u32) {
        self.mask_in(address, value, mask, None);
    }

    /// `aiex.npu.maskwrite32`; with a tile the address is an offset in it.
    pub fn mask_in(&mut self, address: u32, value: u32, mask: u32, tile: Option<TileLoc>) {
        let [address, value, mask] = [address, value, mask].map(|word| self.constant(word));
        NpuMaskWrite32::build(self.module, self.loc, address, value, mask)
            .column(tile.map(|tile| tile.col))
            .row(tile.map(|tile| tile.row))
            .insert(self.at);
    }

    /// `aiex.npu.blockwrite` of a global.
    pub fn block(&mut self, address: u32, global: &str, words: usize) {
        let memref = word_globals::words_type(words);
        let data = MemrefGetGlobal::build(self.module, self.loc, global);
        let data = data.insert_value(memref, self.at);
        NpuBlockWrite::build(self.module, self.loc, data, address).insert(self.at);
    }

    /// `aiex.npu.address_patch`: the word at an address gets that of an argument, and an offset.
    pub fn patch(&mut self, address: u32, argument: u32, offset: u32) {
        let offset = self.constant(offset);
        NpuAddressPatch::build(self.module, self.loc, address, argument as i32)
            .operand_groups([&[], &[offset]])
            .insert(self.at);
    }

    /// Makes the operations of a register operation; `global` holds the words of a block or BD.
    ///
    /// # Errors
    /// The dialect can neither poll registers nor add to words of the array.
    pub fn action(
        &mut self,
        model: &DeviceModel,
        action: &RegAction,
        global: Option<&str>,
    ) -> Result<(), Unsupported> {
        match action {
            RegAction::Write { address, value } => {
                let value = self.constant(*value);
                self.write(*address, value, None);
            }
            RegAction::Mask {
                address,
                mask,
                value,
            } => self.mask(*address, *value, *mask),
            RegAction::Block { address, words } => {
                self.block(*address, global.unwrap_or_default(), words.len());
            }
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => {
                self.block(*address, global.unwrap_or_default(), words.len());
                let tile = model.split_address(*address).0;
                let kind = model.tile_kind(tile);
                let layout = kind.and_then(|kind| BdLayout::of(model.arch(), kind));
                let layout = layout.ok_or(Unsupported::HostAddress)?;
                let offset = layout.address(words) as u32;
                self.patch(address + layout.address_offset(), *argument, offset);
            }
            RegAction::Wait { channel, tokens } => {
                for _ in 0..*tokens {
                    self.sync(*channel, 1, 1);
                }
            }
            RegAction::Sync {
                first,
                columns,
                rows,
            } => self.sync(*first, *columns, *rows),
            RegAction::Patch {
                address,
                argument,
                plus,
            } => self.patch(*address, *argument, *plus as u32),
            // So do reads for the host.
            RegAction::Read { .. } => return Err(Unsupported::Read),
            // Preemption points of a text stay the operations that they are.
            RegAction::Preempt { .. } => return Err(Unsupported::Preemption),
            // The creation of a table stays the operation that it is.
            RegAction::CreateScratchpad { .. } => return Err(Unsupported::Scratchpad),
            RegAction::UpdateFromScratchpad {
                address,
                index,
                function,
                argument,
            } => {
                NpuUpdateFromScratchpad::build(self.module, self.loc, i64::from(*index), *address)
                    .attr("state_table_idx", Attr::ui8(*index))
                    .func(i32::from(*function))
                    .func_arg(*argument)
                    .insert(self.at);
            }
            RegAction::Copy { .. } => return Err(Unsupported::Copy),
            RegAction::Poll { .. } => return Err(Unsupported::Wait),
        }
        Ok(())
    }

    /// `aiex.npu.sync` with a channel of the first tile, and the columns and rows of a rectangle.
    pub fn sync(&mut self, first: ChannelId, columns: u8, rows: u8) {
        let ChannelId { tile, dir, index } = first;
        let (col, row, dir) = (tile.col.into(), tile.row.into(), dir as u32);
        let operands = [col, row, dir, index.into(), columns.into(), rows.into()];
        let operands = operands.map(|word| self.constant(word));
        NpuSync::build(self.module, self.loc)
            .operands(operands)
            .insert(self.at);
    }

    /// `aiex.npu.push_queue`.
    pub fn push(&mut self, channel: ChannelId, entry: (u8, u8, bool)) {
        let (bd, repeat, token) = entry;
        let bd = self.constant(bd.into());
        let repeat = self.constant(repeat.into());
        self.push_values(channel, [repeat, bd], token);
    }

    /// `aiex.npu.push_queue` of a repeat count and a BD number.
    pub fn push_values(&mut self, channel: ChannelId, operands: [Value; 2], token: bool) {
        NpuPushQueue::build(self.module, self.loc)
            .column(channel.tile.col)
            .row(channel.tile.row)
            .direction(channel.dir)
            .channel(channel.index)
            .issue_token(token)
            .operands(operands)
            .insert(self.at);
    }

    /// `aiex.npu.writebd`: fields as the registers hold them, except for the offset, which is in
    /// bytes. `burst` is in bytes, 0 for the longest.
    pub fn write_bd(&mut self, tile: TileLoc, id: u8, fields: &BdFields, offset: u32, burst: i32) {
        let less_one = |n: u32| n.saturating_sub(1);
        // Linear transfers have no dimensions.
        let step = |n: usize| less_one(fields.steps[n]);
        let size = |n: usize| fields.wraps[n];
        let word = |value: u32| value as i32;
        NpuWriteBd::build(self.module, self.loc)
            .bd_id(id)
            .buffer_length(word(fields.length))
            .buffer_offset(word(offset))
            .burst_length((burst != 0).then_some(burst))
            .column(tile.col)
            .d0_size(word(size(0)))
            .d0_stride(word(step(0)))
            .d0_zero_after(word(fields.pad_after[0]))
            .d0_zero_before(word(fields.pad_before[0]))
            .d1_size(word(size(1)))
            .d1_stride(word(step(1)))
            .d1_zero_after(word(fields.pad_after[1]))
            .d1_zero_before(word(fields.pad_before[1]))
            .d2_size(word(size(2)))
            .d2_stride(word(step(2)))
            .d2_zero_after(word(fields.pad_after[2]))
            .d2_zero_before(word(fields.pad_before[2]))
            .enable_packet(i32::from(fields.packet_enable))
            .iteration_current(word(fields.iteration_current))
            .iteration_size(word(less_one(fields.iteration_count)))
            .iteration_stride(word(less_one(fields.iteration_step)))
            .lock_acq_enable(i32::from(fields.lock_acq_enable))
            .lock_acq_id(fields.lock_acq_id)
            .lock_acq_val(fields.lock_acq_value)
            .lock_rel_id(fields.lock_rel_id)
            .lock_rel_val(fields.lock_rel_value)
            .next_bd(fields.next_bd)
            .out_of_order_id(fields.out_of_order_id)
            .packet_id(fields.packet_id)
            .packet_type(fields.packet_type)
            .row(tile.row)
            .use_next_bd(i32::from(fields.use_next))
            .valid_bd(i32::from(fields.valid))
            .insert(self.at);
    }
}
