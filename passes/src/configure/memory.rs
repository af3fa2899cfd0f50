//! Locks and the initial contents of buffers.

use std::collections::BTreeMap;

use super::{BAD_CONTENTS, MemoryByte, UNASSIGNED, Writer};
use crate::analysis::budget::{locks_by_tile, name_of};
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::RegOp;
use aiec_aie::ir::{Attr, Op};
use aiec_aie::ops::{Buffer, OpView};
use aiec_device::TileLoc;
use aiec_device::regmap::RegisterRef;

/// Sets the locks of the design: to their initial value, or to zero. Locks that nothing uses are
/// left alone.
pub(super) fn locks(writer: &mut Writer<'_>) {
    let mut values: BTreeMap<(TileLoc, u8), (u32, Op)> = BTreeMap::new();
    for (loc, lock) in locks_by_tile(writer.module, writer.device) {
        let init = lock.init(writer.module);
        let id = lock.lockID(writer.module);
        let Some(id) = id.and_then(|id| u8::try_from(id).ok()) else {
            if init.is_none() {
                continue;
            }
            let name = name_of(writer.module, lock.op());
            let message = format!("lock `{name}` of tile {loc} has no usable number");
            let help = "run `aie-assign-lock-ids`, or write its number";
            writer.refuse(&UNASSIGNED, message, (lock.op(), "this lock"), help);
            continue;
        };
        values.insert((loc, id), (init.unwrap_or(0) as u32, lock.op()));
    }
    for ((loc, id), (value, op)) in values {
        writer.write(loc, RegisterRef::LockValue { id }, value, op);
    }
}

/// Fills the buffers that have initial contents.
pub(super) fn contents(writer: &mut Writer<'_>) {
    for buffer in writer.module.find_all::<Buffer>(writer.device) {
        if let Some(value) = buffer.initial_value(writer.module) {
            fill(writer, buffer, &value);
        }
    }
}

fn fill(writer: &mut Writer<'_>, buffer: Buffer, value: &Attr) {
    let module = writer.module;
    let Some(loc) = buffer.tile_loc(module) else {
        return;
    };
    let name = name_of(module, buffer.op());
    let bytes = match value {
        Attr::Dense(dense) => dense.expand(),
        _ => None,
    };
    // Of a buffer that is longer the rest stays as it is: IRON pads short ones to whole words.
    let fits = |b: &Vec<u8>| {
        buffer
            .bytes(module)
            .is_some_and(|all| b.len() as u64 <= all)
    };
    let Some(bytes) = bytes.filter(fits) else {
        let message = format!("buffer `{name}` can't be filled with its initial value");
        let help = "give a dense attribute with at most as many bytes as the buffer has";
        writer.refuse(&BAD_CONTENTS, message, (buffer.op(), "this buffer"), help);
        return;
    };
    let address = buffer.address(module).and_then(|a| u32::try_from(a).ok());
    let Some(start) = address else {
        let message = format!("buffer `{name}` has no address");
        let help = "run `aie-assign-buffer-addresses`, or write its address";
        writer.refuse(&UNASSIGNED, message, (buffer.op(), "this buffer"), help);
        return;
    };
    let memory: MemoryByte = |byte| RegisterRef::DataMemory { byte };
    writer.bytes((loc, memory), start, &bytes, buffer.op());
}

impl Writer<'_> {
    /// Writes bytes to a memory of a tile: whole words in one block; words that are shared with
    /// others by masked writes.
    pub(super) fn bytes(
        &mut self,
        (loc, memory): (TileLoc, MemoryByte),
        start: u32,
        bytes: &[u8],
        op: Op,
    ) {
        let last = start.saturating_add(bytes.len().saturating_sub(1) as u32);
        let word = WORD_BYTES as u32;
        let first = start & !(word - 1);
        if bytes.is_empty() || self.address(loc, memory(last), op).is_none() {
            return;
        }
        let Some(first_address) = self.address(loc, memory(first), op) else {
            return;
        };
        let at = self.loc(op);
        let head = (start.wrapping_neg() % word).min(bytes.len() as u32) as usize;
        let (head, rest) = bytes.split_at(head);
        let (words, tail) = rest.as_chunks::<{ WORD_BYTES as usize }>();
        let address = |byte: u32| first_address + (byte - first);
        let partial = |byte: u32, part: &[u8]| {
            let shift = 8 * (byte % word);
            let (mut mask, mut value) = (0u32, 0u32);
            for (n, b) in part.iter().enumerate() {
                mask |= 0xFF << (shift + 8 * n as u32);
                value |= u32::from(*b) << (shift + 8 * n as u32);
            }
            RegOp::mask(address(byte & !(word - 1)), mask, value, at)
        };
        if !head.is_empty() {
            self.ops.push(partial(start, head));
        }
        let body = start + head.len() as u32;
        if !words.is_empty() {
            let words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
            self.ops.push(RegOp::block(address(body), words, at));
        }
        if !tail.is_empty() {
            let byte = body + (rest.len() - tail.len()) as u32;
            self.ops.push(partial(byte, tail));
        }
    }
}
