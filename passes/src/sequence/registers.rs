//! Register writes, address patches, queue pushes and waits that a sequence spells out.

use aiec_aie::ir::Op;
use aiec_aie::ops::netlist::{message_of_requirement, operand_group};
use aiec_aie::ops::{
    Buffer, BufferClear, MemrefGetGlobal, MemrefGlobal, NpuAddressPatch, NpuBlockWrite,
    NpuPushQueue, NpuReadReg, NpuRtpWrite, OpKind, OpView, SetLock,
};
use aiec_cert::isa::ArgOffset;
use aiec_device::regmap::{BdLayout, RegisterRef};
use aiec_device::{ChannelId, DmaDir, TileKind};
use aiec_diag::{Diag, MlirAieReport};

use super::codes::*;
use super::read_fields::covers;
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::{BdError, WORD_BYTES};
use crate::infra::word_globals::words_of;
use crate::regops::{RegAction, RegOp};

/// Columns and rows that an `aiex.npu.sync` can wait for; 0 counts as 1
/// (`mlir-aie: lib/Targets/AIETargetNPU.cpp`, appendSync: 8 bits each).
const MAX_SYNC_TILES: i64 = 255;

/// A BD that the sequence wrote.
struct WrittenBd {
    /// The operation that wrote it.
    at: usize,
    /// Its first word there.
    first: usize,
    /// Address of its first word.
    address: u32,
    /// Its words.
    words: Vec<u32>,
    /// Whether it was neither patched nor changed nor, as far as is known, used since.
    fresh: bool,
}

/// A write of some bits of a word of a BD.
struct WordChange {
    /// Number of the word in the BD.
    word: usize,
    /// The bits that it changes.
    mask: u32,
    /// Their new values.
    value: u32,
}

/// Changes by an operation to the BD of `count` words whose first has the address `start`, the last
/// word first. Nothing if it writes the BD as a whole.
fn changes_of_words(action: &RegAction, start: u32, count: usize) -> Vec<WordChange> {
    let change = |address: u32, mask, value| {
        let word = (address.checked_sub(start)? / WORD_BYTES as u32) as usize;
        (word < count).then_some(WordChange { word, mask, value })
    };
    match action {
        RegAction::Write { address, value } => {
            change(*address, u32::MAX, *value).into_iter().collect()
        }
        RegAction::Mask {
            address,
            mask,
            value,
        } => change(*address, *mask, *value).into_iter().collect(),
        RegAction::Block { address, words } => {
            let first = start.saturating_sub(*address) / WORD_BYTES as u32;
            let places = (first..).map(|n| address.wrapping_add(n * WORD_BYTES as u32));
            let words = words.iter().skip(first as usize).take(count);
            let written = words
                .zip(places)
                .filter_map(|(word, at)| change(at, u32::MAX, *word));
            let mut written: Vec<WordChange> = written.collect();
            if written.len() == count {
                written.clear();
            }
            written.reverse();
            written
        }
        _ => Vec::new(),
    }
}

impl Lowering<'_> {
    /// `aiex.npu.write32` and `aiex.npu.maskwrite32`.
    pub(super) fn write_register(&mut self, op: Op) -> LoweringResult {
        let address = self.int(op, 0, "the address of this write")?;
        let address = self.absolute(op, address, 1)?;
        let masked = self.module.kind(op) == OpKind::NpuMaskWrite32;
        if let Some(read) = self.read_operand(op, 1).filter(|_| !masked) {
            return self.copy_word(op, read, address);
        }
        let value = self.int(op, 1, "the value of this write")? as u32;
        let loc = self.module.loc(op);
        if masked {
            let mask = self.int(op, 2, "the mask of this write")? as u32;
            self.push(RegOp::mask(address, mask, value, loc));
        } else {
            self.push(RegOp::write(address, value, loc));
        }
        Ok(())
    }

    /// `aiex.npu.maskpoll`.
    pub(super) fn poll_register(&mut self, op: Op) -> LoweringResult {
        let address = self.int(op, 0, "the address of this poll")?;
        let address = self.absolute(op, address, 1)?;
        let value = self.int(op, 1, "the value of this poll")? as u32;
        let mask = self.int(op, 2, "the mask of this poll")? as u32;
        let loc = self.module.loc(op);
        self.waited();
        self.unawaited.clear();
        self.push(RegOp::poll(address, mask, value, loc));
        Ok(())
    }

    /// `aiex.npu.read_reg`: only transactions return words to the host.
    pub(super) fn read_register(&mut self, op: Op) -> LoweringResult {
        if !self.by_firmware {
            let message = "control code returns no words of registers to the host";
            let diag = Diag::error(&UNSUPPORTED, message).help(
                "the firmware of the NPUs (npu1, npu2) does: `--emit=insts`, `--emit=npu-elf`, \
                 `aiec sim --as=npu-elf`; elsewhere move a word of a buffer to the host by a DMA",
            );
            return self.refuse(op, diag);
        }
        let tile = self.tile_operand(op, 0)?;
        let offset = NpuReadReg(op).offset(self.module) as u32;
        let address = self.model.tile_address(tile, offset);
        self.emit_action(op, RegAction::Read { address });
        Ok(())
    }

    /// The address that an operation means: an index of words in its buffer, an offset in its
    /// tile, or absolute. `words` 32-bit words are written there.
    pub(super) fn absolute(&mut self, op: Op, address: i64, words: usize) -> LoweringResult<u32> {
        let module = self.module;
        if let Some(name) = module.symbol_attr(op, "buffer").map(str::to_string) {
            let base = self.buffer_address(&name, op)?;
            let buffer = self.symbols.get(&name).map(Buffer);
            let bytes = buffer.and_then(|buffer| buffer.bytes(module));
            let size = (bytes.unwrap_or(0) / WORD_BYTES).cast_signed();
            let end = i64::try_from(words).map_or(i64::MAX, |words| address.saturating_add(words));
            if address < 0 || end > size {
                let message = format!("words {address} to {end} of a buffer of {size}");
                let diag = Diag::error(&BAD_MEMORY, message)
                    .help("with `buffer`, the address is the number of a 32-bit word, from 0 on");
                self.refuse_in_designs(op, diag)?;
            }
            return Ok(base.wrapping_add((address as u32).wrapping_mul(WORD_BYTES as u32)));
        }
        let absolute = u32::try_from(address).or(i32::try_from(address).map(i32::cast_unsigned));
        let Ok(absolute) = absolute else {
            let bd_error = BdError::new(
                format!("{address:#x} isn't an address of the array"),
                "addresses have 32 bits: column << 25 | row << 20 | offset",
            );
            return self.bd_error(op, bd_error);
        };
        if !absolute.is_multiple_of(WORD_BYTES as u32) {
            let message = format!("no register or word of memory begins at {absolute:#x}");
            let diag = Diag::error(&NO_REGISTER, message).help("write a multiple of 4");
            self.refuse_in_designs(op, diag)?;
        }
        let place = module
            .int_attr(op, "column")
            .zip(module.int_attr(op, "row"));
        let Some((col, row)) = place else {
            return Ok(absolute);
        };
        let tile = self.tile_at(col, row, op)?;
        let in_tile = self.model.tile_address(tile, absolute);
        if absolute >= self.model.arch().tile_bytes() && absolute != in_tile {
            let message = format!("address {absolute:#x} isn't one of tile {tile}");
            let diag = Diag::error(&NO_REGISTER, message)
                .help("write the offset in the tile, or leave column and row out");
            self.refuse_in_designs(op, diag)?;
        }
        Ok(in_tile)
    }

    /// First byte of a named buffer.
    pub(super) fn buffer_address(&mut self, name: &str, op: Op) -> LoweringResult<u32> {
        let module = self.module;
        let buffer = self.symbols.get(name);
        let buffer = buffer.and_then(|op| Buffer::cast(module, op));
        let address = buffer.and_then(|b| b.array_address(module, self.model));
        if let Some(address) = address {
            return Ok(address);
        }
        let message = match buffer {
            Some(_) => format!("buffer `@{name}` has no address"),
            None => format!("there is no buffer `@{name}`"),
        };
        let mut diag =
            Diag::error(&BAD_MEMORY, message).help("name an `aie.buffer` by its `sym_name`");
        if buffer.is_none() {
            let op_name = module.op_name(op);
            let text = format!("buffer '{name}' not found in device");
            let legalize = format!(
                "failed to legalize operation '{op_name}' that was explicitly marked illegal"
            );
            let then = MlirAieReport::plain(legalize).at(module.span(op));
            diag = diag.mlir_aie(MlirAieReport::op(op_name, text).then(then));
        }
        self.refuse(op, diag)
    }

    pub(super) fn rtp_write(&mut self, op: Op) -> LoweringResult {
        let address = self.rtp_address(op)?;
        if let Some(read) = self.read_operand(op, 0) {
            return self.copy_word(op, read, address);
        }
        let value = self.int(op, 0, "the value of this parameter")? as u32;
        self.emit_action(op, RegAction::Write { address, value });
        Ok(())
    }

    /// Where an `aiex.npu.rtp_write` writes.
    pub(super) fn rtp_address(&mut self, op: Op) -> LoweringResult<u32> {
        let write = NpuRtpWrite(op);
        let base = self.buffer_address(&write.buffer(self.module), op)?;
        let offset = write.index(self.module).wrapping_mul(WORD_BYTES as u32);
        Ok(base.wrapping_add(offset))
    }

    pub(super) fn block_write(&mut self, op: Op) -> LoweringResult {
        let address = NpuBlockWrite(op).address(self.module);
        let Some(words) = self.global_words(op) else {
            let diag = Diag::error(&NOT_CONSTANT, "the words of this write aren't known")
                .help("use `memref.get_global` of a `memref.global` with a dense initial value");
            return self.refuse(op, diag);
        };
        let address = self.absolute(op, address.into(), words.len())?;
        self.emit_action(op, RegAction::Block { address, words });
        Ok(())
    }

    /// The words of the global that the first operand is.
    fn global_words(&self, op: Op) -> Option<Vec<u32>> {
        let module = self.module;
        let definition = module.def_op(module.operand(op, 0)?)?;
        let name = MemrefGetGlobal::cast(module, definition)?.name(module);
        let in_device = self.symbols.get(&name);
        let global = in_device.or_else(|| {
            let mut globals = module.children::<MemrefGlobal>(module.top()).into_iter();
            globals
                .find(|g| g.sym_name(module) == name)
                .map(MemrefGlobal::op)
        });
        words_of(module, global?)
    }

    /// Lets the BD that was written before receive the address of an argument.
    pub(super) fn address_patch(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let patch = NpuAddressPatch(op);
        let address = match operand_group(module, op, 0).unwrap_or_default().first() {
            Some(address) => self.values.int(module, *address).map(|a| a as u32),
            None => Some(patch.addr(module)),
        };
        let plus_at = module.num_operands(op).checked_sub(1);
        let plus = match plus_at {
            Some(n) => self.int(op, n, "the offset of this patch")?,
            None => module.int_attr(op, "arg_plus").unwrap_or(0),
        };
        let argument = u32::try_from(patch.arg_idx(module)).ok();
        let argument = argument.filter(|index| *index <= ArgOffset::MAX_INDEX);
        let (Some(address), Some(argument)) = (address, argument) else {
            let message = "the address or argument of this patch isn't known";
            let diag = Diag::error(&BAD_PATCH, message).help("use constants");
            return self.refuse(op, diag);
        };
        let found = self.written_bd_at(address);
        let Some(found) = found.filter(|_| address.is_multiple_of(WORD_BYTES as u32)) else {
            let message = format!("no buffer descriptor was written at {address:#010x} before");
            let diag = Diag::error(&BAD_PATCH, message)
                .help("write the whole BD with `aiex.npu.blockwrite` or `aiex.npu.writebd` before");
            return self.refuse(op, diag);
        };
        let mut image = found.words.clone();
        if let Some(layout) = BdLayout::of(self.model.arch(), TileKind::ShimNoc) {
            layout.set_address(&mut image, u64::from(plus as u32));
        }
        let loc = if found.fresh {
            self.ops[found.at].loc
        } else {
            self.module.loc(op)
        };
        let patched = RegOp {
            action: RegAction::PatchedBd {
                address: found.address,
                words: image,
                argument,
            },
            loc,
        };
        if found.fresh {
            self.replace_in_block(&found, patched)
        } else {
            self.push(patched)
        }
        Ok(())
    }

    /// The shim BD whose address field begins at `address`, as it was written last.
    fn written_bd_at(&self, address: u32) -> Option<WrittenBd> {
        let (tile, what) = self.model.register_at(address)?;
        let RegisterRef::BdWord { bd, word } = what else {
            return None;
        };
        let layout = BdLayout::of(self.model.arch(), TileKind::ShimNoc)?;
        let is_shim = self.model.tile_kind(tile)? == TileKind::ShimNoc;
        if !is_shim || word != layout.address_word() {
            return None;
        }
        let start = RegisterRef::BdWord { bd, word: 0 };
        let start = self.model.register_address(tile, start)?;
        let count = usize::from(layout.words());
        let (mut used, mut copied) = (false, false);
        let mut changes = Vec::new();
        for (at, op) in self.ops.iter().enumerate().rev() {
            let before = changes.len();
            changes.extend(changes_of_words(&op.action, start, count));
            if changes.len() > before {
                continue;
            }
            let (from, words, patched) = match &op.action {
                RegAction::Block { address, words } => (*address, words, false),
                RegAction::PatchedBd { address, words, .. } => (*address, words, true),
                RegAction::Copy { to, .. } if covers(start, count, *to) => {
                    copied = true;
                    continue;
                }
                // A descriptor written once more would lose what was added.
                RegAction::UpdateFromScratchpad { .. } => return None,
                RegAction::Write { address, .. } | RegAction::Copy { to: address, .. } => {
                    let what = self.model.register_at(*address);
                    used |= matches!(what, Some((t, RegisterRef::DmaQueue { .. })) if t == tile);
                    continue;
                }
                _ => continue,
            };
            let first = start
                .checked_sub(from)
                .map(|b| (b / WORD_BYTES as u32) as usize);
            let found = first.and_then(|first| Some((first, words.get(first..first + count)?)));
            if let Some((first, words)) = found {
                // It can't be written again as a whole: a word of it isn't known.
                let fresh = !patched && !used && changes.is_empty();
                if copied && !fresh {
                    return None;
                }
                let mut words = words.to_vec();
                for WordChange { word, mask, value } in changes.into_iter().rev() {
                    words[word] = words[word] & !mask | value & mask;
                }
                return Some(WrittenBd {
                    at,
                    first,
                    address: start,
                    words,
                    fresh,
                });
            }
        }
        None
    }

    /// Cuts a BD out of the block that writes it and puts the patched one there.
    fn replace_in_block(&mut self, found: &WrittenBd, patched: RegOp) {
        let op = self.ops.remove(found.at);
        let RegAction::Block { address, words } = op.action else {
            return;
        };
        let place = |word: usize| address + word as u32 * WORD_BYTES as u32;
        let end = found.first + found.words.len();
        let mut parts = Vec::new();
        if found.first > 0 {
            let before = words[..found.first].to_vec();
            parts.push(RegOp::block(address, before, op.loc));
        }
        parts.push(patched);
        if end < words.len() {
            parts.push(RegOp::block(place(end), words[end..].to_vec(), op.loc));
        }
        self.ops.splice(found.at..found.at, parts);
    }

    pub(super) fn push_queue(&mut self, op: Op) -> LoweringResult {
        let (channel, token) = self.pushed_channel(op)?;
        let repeat = self.int(op, 0, "the repeat count of this push")?;
        if let Some(read) = self.read_operand(op, 1) {
            return self.push_read(op, channel, read, (repeat, token));
        }
        let bd = self.int(op, 1, "the BD number of this push")?;
        self.enqueue(channel, bd, repeat, token, op)
    }

    /// The channel of an `aiex.npu.push_queue`, and whether it asks for a token.
    pub(super) fn pushed_channel(&mut self, op: Op) -> LoweringResult<(ChannelId, bool)> {
        let (push, module) = (NpuPushQueue(op), self.module);
        let tile = self.tile_at(push.column(module).into(), push.row(module).into(), op)?;
        let number = push.channel(module).into();
        let channel = self.channel(tile, push.direction(module), number, op)?;
        Ok((channel, push.issue_token(module)))
    }

    pub(super) fn sync(&mut self, op: Op) -> LoweringResult {
        let mut numbers = [0i64; 6];
        for (n, number) in numbers.iter_mut().enumerate() {
            *number = self.int(op, n, "what this waits for")?;
        }
        let [col, row, dir, channel, columns, rows] = numbers;
        for (count, what) in [(columns, "columns"), (rows, "rows")] {
            if !(0..=MAX_SYNC_TILES).contains(&count) {
                let message = format!("this can't wait for {count} {what}");
                let diag = Diag::error(&NO_REGISTER, message).help("count them from 1");
                return self.refuse(op, diag);
            }
        }
        for col in col..col.saturating_add(columns.max(1)) {
            for row in row..row.saturating_add(rows.max(1)) {
                let tile = self.tile_at(col, row, op)?;
                let channel = self.channel(tile, DmaDir::by_value(dir), channel, op)?;
                self.need_token(channel, op, false)?;
                self.wait(channel, 1, op);
            }
        }
        Ok(())
    }

    pub(super) fn set_lock(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let lock = self.numbered_lock(module.operand(op, 0));
        let value = SetLock(op).value(module);
        let max = i32::from(self.model.arch_model().max_lock_value);
        let Some(lock) = lock.filter(|_| (0..=max).contains(&value)) else {
            let diag = Diag::error(&BAD_LOCK, format!("this lock can't be set to {value}")).help(
                format!("name an `aie.lock` with a number; its values are 0 to {max}"),
            );
            return self.refuse(op, diag);
        };
        self.write_lock(op, lock, value as u32)
    }

    /// A condition that must hold for the sequence to be right.
    pub(super) fn condition(&mut self, op: Op) -> LoweringResult {
        let holds = self.int(op, 0, "the condition that must hold")? != 0;
        if holds {
            return Ok(());
        }
        let module = self.module;
        let said = message_of_requirement(module, op);
        let text = format!("shape constraint is violated at compile time: {said}");
        let diag = Diag::error(&BAD_TRANSFER, format!("this must hold: {said}"))
            .help("choose other numbers (`--scalar N=VALUE`), for which it holds")
            .mlir_aie(MlirAieReport::op(module.op_name(op), text));
        self.refuse(op, diag)
    }

    /// Clears words of a tile's data memory.
    pub(super) fn buffer_clear(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let clear = BufferClear(op);
        let tile = self.tile_operand(op, 0)?;
        let memory = self.model.tile(tile).map_or(0, |tile| tile.memory_bytes);
        let (begin, words) = (
            i64::from(clear.address(module)),
            i64::from(clear.length(module)),
        );
        let end = begin + words * WORD_BYTES as i64;
        let aligned = begin % WORD_BYTES as i64 == 0;
        if begin < 0 || words < 1 || !aligned || end > i64::from(memory) {
            let message = format!("{words} words from byte {begin} of {memory} can't be cleared");
            let diag = Diag::error(&BAD_MEMORY, message).help(
                "write the first byte, a multiple of 4, and the count of 32-bit words, within the data memory of a core's or \
                 a mem tile",
            );
            return self.refuse(op, diag);
        }
        let byte = begin as u32;
        let address = self.address(tile, RegisterRef::DataMemory { byte }, op, "data memory")?;
        let words = vec![0; words as usize];
        self.emit_action(op, RegAction::Block { address, words });
        Ok(())
    }

    /// Checks on values that are known here.
    pub(super) fn assertion(&mut self, op: Op) -> LoweringResult {
        let value = self.int(op, 0, "the value that is asserted")?;
        let module = self.module;
        let number = |key| module.int_attr(op, key);
        let (holds, text) = match (number("max"), number("divisor")) {
            (Some(max), _) => (
                (0..=max).contains(&value),
                format!("constant value {value} exceeds the guarded field range [0:{max}]"),
            ),
            (_, Some(divisor)) => {
                let unit = module.flag(op, "allow_unit") && value == 1;
                let divides = divisor != 0 && (unit || value % divisor == 0);
                let text = format!("constant value {value} is not divisible by {divisor}");
                (divides, text)
            }
            _ => return Ok(()),
        };
        if holds {
            return Ok(());
        }
        let diag = Diag::error(&BAD_TRANSFER, format!("the asserted value is {value}"))
            .help("choose a value that the assertion allows")
            .mlir_aie(MlirAieReport::op(module.op_name(op), text));
        self.refuse(op, diag)
    }
}
