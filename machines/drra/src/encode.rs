//! Instructions to chunks and back.

use aiec_isa::{Instruction, Set};

use crate::layout::{EXTRA, most_chunks};
use crate::operation::DrraOperation;
use crate::program::{CellProgram, InstructionValues, ItemContent};
use crate::sequencer::CellCode;

/// The chunks of a cell.
pub fn encode(cell: &CellProgram, set: &Set) -> Vec<u64> {
    let mut chunks = Vec::new();
    for item in &cell.items {
        append(&item.content, set, &mut chunks);
    }
    chunks
}

/// Appends the chunks of an instruction.
pub fn append(content: &ItemContent, set: &Set, chunks: &mut Vec<u64>) {
    match content {
        ItemContent::Raw(bits) => chunks.push(*bits),
        ItemContent::Instruction(values) => {
            let instruction = &set.instructions[values.instruction];
            set.pack(instruction, &values.values, values.chunks, chunks);
        }
    }
}

/// Why chunks are kept as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RawReason {
    /// No instruction has the code.
    #[error("no instruction has code {0}")]
    UnknownCode(u64),
    /// `extra` counts more chunks than the instruction can have.
    #[error("extra={0} is more than the instruction can have")]
    TooManyChunks(u64),
    /// The code ends inside the instruction.
    #[error("the code ends inside the instruction")]
    Incomplete,
    /// Bits that no field names are set.
    #[error("bits that no field names are set")]
    UnnamedBits,
}

/// The instruction at the beginning of chunks; `Err` for chunks that don't decode, with how many of
/// them are to be kept.
pub fn decode_first(chunks: &[u64], set: &Set) -> Result<InstructionValues, (usize, RawReason)> {
    let Some(&first) = chunks.first() else {
        return Err((0, RawReason::Incomplete));
    };
    let code = set.code_of(first);
    let position = set.instructions.iter().position(|i| i.code == code);
    let Some(position) = position else {
        return Err((1, RawReason::UnknownCode(code)));
    };
    let instruction = &set.instructions[position];
    let count = chunk_count(first, instruction, set)?;
    let Some(own) = chunks.get(..count as usize) else {
        return Err((chunks.len(), RawReason::Incomplete));
    };
    if set
        .unnamed_bits(instruction, own)
        .iter()
        .any(|bits| *bits != 0)
    {
        return Err((own.len(), RawReason::UnnamedBits));
    }
    let mut values = Vec::new();
    set.unpack(instruction, own, &mut values);
    Ok(InstructionValues {
        instruction: position,
        values,
        chunks: count,
    })
}

/// Number of an instruction's chunks, by its first one.
fn chunk_count(
    first: u64,
    instruction: &Instruction,
    set: &Set,
) -> Result<u32, (usize, RawReason)> {
    let Some((extra, field)) = instruction.field(EXTRA) else {
        return Ok(instruction.longest());
    };
    if set.chunks_to(instruction, field) > 1 {
        return Ok(instruction.longest());
    }
    let mut values = Vec::new();
    set.unpack(instruction, &[first], &mut values);
    let extra = values.get(extra).copied().unwrap_or(0);
    match u32::try_from(extra) {
        Ok(more) if more < most_chunks(instruction) => Ok(more + 1),
        _ => Err((1, RawReason::TooManyChunks(extra))),
    }
}

/// The contents of an instruction memory, and the addresses of chunks that are kept as they are.
pub fn decode(chunks: &[u64], set: &Set) -> (Vec<ItemContent>, Vec<(usize, RawReason)>) {
    let (mut items, mut raw) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = chunks.get(at..).filter(|rest| !rest.is_empty()) {
        match decode_first(rest, set) {
            Ok(values) => {
                at += values.chunks.max(1) as usize;
                items.push(ItemContent::Instruction(values));
            }
            Err((count, reason)) => {
                raw.push((at, reason));
                let kept = rest.iter().take(count.max(1));
                items.extend(kept.map(|bits| ItemContent::Raw(*bits)));
                at += count.max(1);
            }
        }
    }
    (items, raw)
}

/// The operation of an item; `None` for raw chunks and for instructions whose meaning isn't known.
pub fn operation_of(content: &ItemContent, set: &Set) -> Option<DrraOperation> {
    match content {
        ItemContent::Raw(_) => None,
        ItemContent::Instruction(values) => {
            let instruction = &set.instructions[values.instruction];
            DrraOperation::of(instruction, &values.values)
        }
    }
}

/// The operations of a cell, by address.
pub fn cell_code(cell: &CellProgram, set: &Set) -> CellCode {
    let operations = cell.items.iter().map(|item| {
        let chunks = u8::try_from(item.chunks()).unwrap_or(u8::MAX);
        (chunks, operation_of(&item.content, set))
    });
    CellCode::new(operations)
}
