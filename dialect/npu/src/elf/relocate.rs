//! Parts of a transaction that the host patches, and the text that it patches.

use std::collections::HashMap;

use aiec_diag::Diag;

use super::patch::PatchKind;
use super::{ARGUMENTS_BEFORE_BUFFERS, MAX_ARGUMENTS, PM_SYMBOL, SCRATCH_CONTROL, SECTION_PDI};
use crate::bytes::put;
use crate::codes::{LIMIT, NOT_IN_ELF, PATCH_WITHOUT_WRITE};
use crate::txn::{Operation, TransactionReader};

/// A place of a section that the host patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionPatch {
    pub(super) symbol: String,
    pub(super) symbol_size: u32,
    pub(super) kind: PatchKind,
    /// Byte offset in the section.
    pub(super) offset: u32,
    pub(super) addend: u32,
}

/// Names of a transaction's symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolStyle<'a> {
    /// A partial file: numbers count the kernel's arguments before the buffers; some have names.
    Partial { control_packets: Option<u32> },
    /// A full file with PDIs of these numbers.
    Full {
        pdis: &'a [u32],
        control_packets: Option<u32>,
    },
    /// A save or restore program: every address is the scratch pad's.
    Scratch(&'a str),
}

/// Bytes of a descriptor.
const BD_BYTES: u32 = 32;
/// Tile part of a register address.
const IN_TILE: u32 = 0xF_FFFF;
/// Shim BDs: first register, how many.
const SHIM_BDS: (u32, u32) = (0x1_D000, 16);
/// Memory tile BDs: first register, how many.
const MEMORY_BDS: (u32, u32) = (0xA_0000, 48);

/// Where in the text a descriptor's words are.
#[derive(Clone, Copy)]
struct DescriptorText {
    offset: u32,
    /// Length of the transfer in bytes: word 0 counts words.
    length: u32,
}

/// The patches of a transaction in its order. Clears the address bits of the descriptors that get an
/// address.
///
/// # Errors
/// The bytes aren't a transaction, or one that a file can't carry.
pub(super) fn relocate(
    text: &mut [u8],
    style: SymbolStyle<'_>,
    program_memory: &[u32],
) -> Result<Vec<SectionPatch>, Diag> {
    let mut descriptors: HashMap<u32, DescriptorText> = HashMap::new();
    let mut patches = Vec::new();
    let mut cleared = Vec::new();
    // operations that still belong to a load of program memory, and its buffer
    let mut loading: Option<(u32, u32)> = None;
    let reader = TransactionReader::new(text)?;
    let short = reader.header.is_short();
    for found in reader {
        let (at, encoded) = found?;
        let in_load = loading.map(|(_, id)| id);
        loading =
            loading.and_then(|(left, id)| Some((left.checked_sub(1).filter(|l| *l > 0)?, id)));
        match encoded.operation {
            Operation::BlockWrite { register, words } => {
                let data = (at + if short { 12 } else { 16 }) as u32;
                for (k, descriptor) in words.chunks(BD_BYTES as usize / 4).enumerate() {
                    let skip = BD_BYTES * k as u32;
                    let text = DescriptorText {
                        offset: data + skip,
                        length: descriptor[0].wrapping_mul(4),
                    };
                    descriptors.insert(register.wrapping_add(skip), text);
                }
                if let Some(id) = in_load.filter(|id| program_memory.contains(id)) {
                    cleared.push(data);
                    patches.push(SectionPatch {
                        symbol: format!("{PM_SYMBOL}{id}"),
                        symbol_size: words.first().map_or(0, |w| w.wrapping_mul(4)),
                        kind: PatchKind::ShimBd48,
                        offset: data,
                        addend: 0,
                    });
                }
            }
            Operation::DdrPatch {
                register,
                argument,
                plus,
            } => {
                if in_load.is_some_and(|id| program_memory.contains(&id)) {
                    let why =
                        format!("at offset 0x{at:X}: a patch inside a load of program memory");
                    return Err(Diag::error(&NOT_IN_ELF, why));
                }
                let found = descriptors.get(&(register & !15));
                let descriptor = *found.ok_or_else(|| patch_without_write(at, register))?;
                let patch = address_patch(register, descriptor);
                let Some((kind, offset, symbol_size)) = patch else {
                    continue;
                };
                if kind == PatchKind::ShimBd48 {
                    cleared.push(offset);
                }
                patches.push(SectionPatch {
                    symbol: argument_symbol(style, argument, at)?,
                    symbol_size: match style {
                        SymbolStyle::Scratch(_) => 0,
                        _ => symbol_size,
                    },
                    kind,
                    offset,
                    addend: u32::try_from(plus).map_err(|_| {
                        let why = format!("at offset 0x{at:X}: 0x{plus:X} bytes don't fit 32 bits");
                        Diag::error(&LIMIT, why)
                    })?,
                });
            }
            Operation::LoadPdi { id, size, .. } => patches.push(SectionPatch {
                symbol: pdi_symbol(style, u32::from(id), at)?,
                symbol_size: size,
                kind: PatchKind::Address64,
                offset: at as u32 + 8,
                addend: 0,
            }),
            Operation::CreateScratchpad { size, .. } => patches.push(SectionPatch {
                symbol: SCRATCH_CONTROL.to_owned(),
                symbol_size: size,
                kind: PatchKind::Address64,
                offset: at as u32 + 8,
                addend: 0,
            }),
            Operation::LoadPmStart { count, id } => loading = Some((count, id)),
            _ => {}
        }
    }
    for offset in cleared {
        clear_address(text, offset as usize);
    }
    if let SymbolStyle::Scratch(_) = style {
        // the buffer holds what all transfers move
        let ends = patches.iter().map(|p| (p.addend, p.offset));
        let size = ends
            .map(|(addend, offset)| addend + length_at(text, offset))
            .max();
        patches
            .iter_mut()
            .for_each(|p| p.symbol_size = size.unwrap_or(0));
    }
    Ok(patches)
}

/// Length in bytes of the transfer whose descriptor is at an offset.
fn length_at(text: &[u8], offset: u32) -> u32 {
    let at = offset as usize;
    let word = text.get(at..at + 4).and_then(|w| w.first_chunk());
    word.map_or(0, |w| u32::from_le_bytes(*w).wrapping_mul(4))
}

/// Clears bits 31:2 of word 1 and bits 15:0 of word 2 of a shim BD.
fn clear_address(text: &mut [u8], at: usize) {
    let Some(words) = text.get_mut(at + 4..at + 12) else {
        return;
    };
    let low = u64::from(words[0] & 3);
    put(words, 0, 4, low);
    put(words, 4, 2, 0);
}

/// Kind, place and symbol size of the patch of a register of a descriptor; `None` if the vendor's
/// assembler makes none.
fn address_patch(register: u32, descriptor: DescriptorText) -> Option<(PatchKind, u32, u32)> {
    let in_tile = register & IN_TILE;
    let word = |(first, count): (u32, u32)| {
        let within = in_tile.checked_sub(first)?;
        (within < count * BD_BYTES).then_some(within % BD_BYTES / 4)
    };
    let start = descriptor.offset;
    match (word(SHIM_BDS), word(MEMORY_BDS)) {
        (Some(1), _) => Some((PatchKind::ShimBd48, start, descriptor.length)),
        (Some(0), _) => Some((PatchKind::Scalar, start, u32::MAX)),
        (_, Some(0)) => Some((PatchKind::Scalar, start, 0x1_FFFF)),
        (_, Some(1)) => Some((PatchKind::Scalar, start + 4, 0x7_FFFF)),
        _ => None,
    }
}

fn patch_without_write(at: usize, register: u32) -> Diag {
    let why = format!(
        "at offset 0x{at:X}: DDR_PATCH of 0x{register:X}, but no BLOCKWRITE before it writes that descriptor"
    );
    Diag::error(&PATCH_WITHOUT_WRITE, why)
}

fn argument_symbol(style: SymbolStyle<'_>, argument: u32, at: usize) -> Result<String, Diag> {
    if argument > MAX_ARGUMENTS {
        let why = format!("at offset 0x{at:X}: argument {argument} of at most {MAX_ARGUMENTS}");
        return Err(Diag::error(&LIMIT, why));
    }
    Ok(match style {
        SymbolStyle::Scratch(symbol) => symbol.to_owned(),
        SymbolStyle::Partial { control_packets }
        | SymbolStyle::Full {
            control_packets, ..
        } if control_packets == Some(argument) => "control-packet".to_owned(),
        SymbolStyle::Partial { .. } => (argument + ARGUMENTS_BEFORE_BUFFERS).to_string(),
        SymbolStyle::Full { .. } => argument.to_string(),
    })
}

fn pdi_symbol(style: SymbolStyle<'_>, id: u32, at: usize) -> Result<String, Diag> {
    match style {
        SymbolStyle::Full { pdis, .. } if pdis.contains(&id) => Ok(format!("{SECTION_PDI}{id}")),
        SymbolStyle::Full { .. } => {
            let why = format!("at offset 0x{at:X}: the file holds no PDI {id}");
            Err(Diag::error(&NOT_IN_ELF, why))
        }
        _ => {
            let why = format!("at offset 0x{at:X}: LOADPDI, but this file holds no PDIs");
            Err(Diag::error(&NOT_IN_ELF, why).help("write a full ELF, or leave the load out"))
        }
    }
}
