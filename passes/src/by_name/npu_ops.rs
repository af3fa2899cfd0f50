//! Building `aiex.npu` operations.

use aiec_aie::ir::{Attr, InsertPoint, Loc, Module, Type, Value};
use aiec_aie::ops::OpKind;
use aiec_device::regmap::BdFields;
use aiec_device::{DmaDir, TileLoc};

use crate::analysis::transfer::WORD_BYTES;
use crate::infra::word_globals;

/// Where operations are made, and from what.
pub(crate) struct NpuOps<'m> {
    /// The module.
    pub module: &'m mut Module,
    /// They are put there, one after the other.
    pub at: InsertPoint,
    /// Where they come from.
    pub loc: Loc,
}

/// The number of a direction in `aiex.npu.sync` and `aiex.npu.push_queue`.
pub(crate) fn direction(dir: DmaDir) -> i32 {
    match dir {
        DmaDir::S2mm => 0,
        DmaDir::Mm2s => 1,
    }
}

impl NpuOps<'_> {
    /// A 32-bit constant.
    pub fn constant(&mut self, word: u32) -> Option<Value> {
        let op = self
            .module
            .build(OpKind::ArithConstant, self.loc)
            .attr("value", Attr::i32(word as i32))
            .result(Type::I32)
            .insert(self.at);
        self.module.result(op, 0)
    }

    /// `aiex.npu.write32`; with a tile the address is an offset in it.
    pub fn write(&mut self, address: u32, value: Option<Value>, tile: Option<TileLoc>) {
        let address = self.constant(address);
        let place = |n: Option<u8>| n.map(|n| Attr::i32(n.into()));
        self.module
            .build(OpKind::NpuWrite32, self.loc)
            .operands(address.into_iter().chain(value))
            .attr_opt("column", place(tile.map(|tile| tile.col)))
            .attr_opt("row", place(tile.map(|tile| tile.row)))
            .insert(self.at);
    }

    /// `aiex.npu.maskwrite32`.
    pub fn mask(&mut self, address: u32, value: u32, mask: u32) {
        let operands = [address, value, mask].map(|word| self.constant(word));
        self.module
            .build(OpKind::NpuMaskWrite32, self.loc)
            .operands(operands.into_iter().flatten())
            .insert(self.at);
    }

    /// `aiex.npu.blockwrite` of a global.
    pub fn block(&mut self, address: u32, global: &str, words: usize) {
        let memref = word_globals::words_type(words);
        let op = self
            .module
            .build(OpKind::MemrefGetGlobal, self.loc)
            .attr("name", Attr::symbol(global))
            .result(memref)
            .insert(self.at);
        let data = self.module.result(op, 0);
        self.module
            .build(OpKind::NpuBlockWrite, self.loc)
            .operands(data)
            .attr("address", unsigned(address))
            .insert(self.at);
    }

    /// `aiex.npu.address_patch`: the word at an address gets that of an argument, and an offset.
    pub fn patch(&mut self, address: u32, argument: u32, offset: u32) {
        let offset = self.constant(offset);
        self.module
            .build(OpKind::NpuAddressPatch, self.loc)
            .operands(offset)
            .attr("addr", unsigned(address))
            .attr("arg_idx", Attr::i32(argument as i32))
            .attr("operandSegmentSizes", Attr::i32_array([0, 1]))
            .insert(self.at);
    }

    /// `aiex.npu.sync` with one column and one row.
    pub fn sync(&mut self, tile: TileLoc, dir: DmaDir, channel: u8) {
        let dir = direction(dir) as u32;
        let operands = [tile.col.into(), tile.row.into(), dir, channel.into(), 1, 1];
        let operands = operands.map(|word| self.constant(word));
        self.module
            .build(OpKind::NpuSync, self.loc)
            .operands(operands.into_iter().flatten())
            .insert(self.at);
    }

    /// `aiex.npu.push_queue`.
    pub fn push(&mut self, tile: TileLoc, dir: DmaDir, channel: u8, entry: (u8, u8, bool)) {
        let (bd, repeat, token) = entry;
        let bd = self.constant(bd.into());
        let repeat = self.constant(repeat.into());
        self.module
            .build(OpKind::NpuPushQueue, self.loc)
            .operands([repeat, bd].into_iter().flatten())
            .attr("column", Attr::i32(tile.col.into()))
            .attr("row", Attr::i32(tile.row.into()))
            .attr("direction", Attr::i32(direction(dir)))
            .attr("channel", Attr::i32(channel.into()))
            .attr("issue_token", Attr::Bool(token))
            .insert(self.at);
    }

    /// `aiex.npu.writebd`: fields as the registers hold them, but for the offset, which is in
    /// bytes. `burst` is in bytes, 0 for the longest.
    pub fn write_bd(&mut self, tile: TileLoc, id: u8, fields: &BdFields, offset: u32, burst: i32) {
        let less_one = |n: u32| n.saturating_sub(1);
        // Linear transfers have no dimensions.
        let step = |n: usize| less_one(fields.steps[n]);
        let size = |n: usize| fields.wraps[n];
        let flag = |on: bool| u32::from(on);
        let list: [(&str, i64); 33] = [
            ("bd_id", id.into()),
            ("buffer_length", fields.length.into()),
            ("buffer_offset", offset.into()),
            ("burst_length", burst.into()),
            ("column", tile.col.into()),
            ("d0_size", size(0).into()),
            ("d0_stride", step(0).into()),
            ("d0_zero_after", fields.pad_after[0].into()),
            ("d0_zero_before", fields.pad_before[0].into()),
            ("d1_size", size(1).into()),
            ("d1_stride", step(1).into()),
            ("d1_zero_after", fields.pad_after[1].into()),
            ("d1_zero_before", fields.pad_before[1].into()),
            ("d2_size", size(2).into()),
            ("d2_stride", step(2).into()),
            ("d2_zero_after", fields.pad_after[2].into()),
            ("d2_zero_before", fields.pad_before[2].into()),
            ("enable_packet", flag(fields.packet_enable).into()),
            ("iteration_current", fields.iteration_current.into()),
            ("iteration_size", less_one(fields.iteration_count).into()),
            ("iteration_stride", less_one(fields.iteration_step).into()),
            ("lock_acq_enable", flag(fields.lock_acq_enable).into()),
            ("lock_acq_id", fields.lock_acq_id.into()),
            ("lock_acq_val", fields.lock_acq_value.into()),
            ("lock_rel_id", fields.lock_rel_id.into()),
            ("lock_rel_val", fields.lock_rel_value.into()),
            ("next_bd", fields.next_bd.into()),
            ("out_of_order_id", fields.out_of_order_id.into()),
            ("packet_id", fields.packet_id.into()),
            ("packet_type", fields.packet_type.into()),
            ("row", tile.row.into()),
            ("use_next_bd", flag(fields.use_next).into()),
            ("valid_bd", flag(fields.valid).into()),
        ];
        let mut op = self.module.build(OpKind::NpuWriteBd, self.loc);
        for (key, value) in list {
            if key != "burst_length" || value != 0 {
                op = op.attr(key, Attr::i32(value as i32));
            }
        }
        op.insert(self.at);
    }
}

fn unsigned(word: u32) -> Attr {
    Attr::Int(word.into(), Type::UI32)
}

/// Bytes from the first register of a BD to the one that holds its address.
pub(crate) fn address_bytes(word: u8) -> u32 {
    u32::from(word) * WORD_BYTES as u32
}
