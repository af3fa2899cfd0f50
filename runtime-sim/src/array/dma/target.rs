//! Targets of a DMA channel: data memories, host memory, locks.
//!
//! A core tile's DMA reaches its own memory and locks; a mem tile's also those of the mem tiles
//! beside it (its first channels only); a shim's reaches its own locks and host memory.

use aiec_device::{LockId, TileKind, TileLoc};

use crate::array::address::Run;
use crate::array::fault::DmaFault;
use crate::array::tile_context::TileContext;

/// Bytes of a DMA word.
const WORD: u64 = 4;

/// The lock that a channel names by a number in its BD.
pub(crate) fn lock(ctx: &TileContext, channel: u8, number: u8) -> Option<LockId> {
    let lock = match ctx.kind {
        TileKind::Mem => ctx.device.resolve_mem_tile_lock(ctx.loc, number)?,
        _ => LockId::new(ctx.loc, number),
    };
    let tile = reachable(ctx, channel, lock.tile)?;
    (u32::from(lock.index) < ctx.locks.get(tile)?.len()).then_some(lock)
}

fn reachable(ctx: &TileContext, channel: u8, owner: TileLoc) -> Option<usize> {
    let neighbours = ctx.dma_model().map_or(0, |dma| dma.neighbour_channels);
    if owner != ctx.loc && channel >= neighbours {
        return None;
    }
    ctx.grid.index(owner)
}

/// Reads the words of a run, the first of which is at a place. The host doesn't count them: they may be
/// read again.
pub(crate) fn read(
    ctx: &TileContext,
    channel: u8,
    (run, first): (Run, MemoryPlace),
    words: &mut [u32],
) -> Result<(), DmaFault> {
    let words = &mut words[..run.count as usize];
    if let Some(bytes) = span(run) {
        let bytes = match first {
            MemoryPlace::Host(addr) => Some(ctx.host.peek(addr, bytes).map_err(DmaFault::Host)?),
            MemoryPlace::Tile(tile, addr) => ctx.memory[tile].read(addr, bytes as u32),
        };
        if let Some(bytes) = bytes {
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u32::from_le_bytes(*bytes);
            }
            return Ok(());
        }
    }
    for (i, word) in words.iter_mut().enumerate() {
        let at = run.start.wrapping_add(i as u64 * run.step);
        *word = match place(ctx, channel, at)? {
            MemoryPlace::Host(addr) => {
                let bytes = ctx.host.peek(addr, WORD).map_err(DmaFault::Host)?;
                u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
            }
            MemoryPlace::Tile(tile, addr) => ctx.memory[tile]
                .word(addr)
                .ok_or_else(|| unavailable(ctx, at))?,
        };
    }
    Ok(())
}

/// Writes the words of a run, the first of which is at a place.
pub(crate) fn write(
    ctx: &mut TileContext,
    channel: u8,
    (run, first): (Run, MemoryPlace),
    words: &[u32],
) -> Result<(), DmaFault> {
    if let Some(bytes) = span(run) {
        let bytes = match first {
            MemoryPlace::Host(addr) => Some(ctx.host.write(addr, bytes).map_err(DmaFault::Host)?),
            MemoryPlace::Tile(tile, addr) => ctx.memory[tile].write(addr, bytes as u32),
        };
        if let Some(bytes) = bytes {
            for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = word.to_le_bytes();
            }
            return Ok(());
        }
    }
    for (i, &word) in words.iter().enumerate() {
        let at = run.start.wrapping_add(i as u64 * run.step);
        match place(ctx, channel, at)? {
            MemoryPlace::Host(addr) => ctx.host.write_word(addr, word).map_err(DmaFault::Host)?,
            MemoryPlace::Tile(tile, addr) => {
                if !ctx.memory[tile].set_word(addr, word) {
                    return Err(unavailable(ctx, at));
                }
            }
        }
    }
    Ok(())
}

/// Bytes of a run without gaps.
fn span(run: Run) -> Option<u64> {
    (run.step == 1 || run.count == 1).then(|| u64::from(run.count) * WORD)
}

/// Where a word is.
#[derive(Clone, Copy)]
pub(crate) enum MemoryPlace {
    /// Byte address in host memory.
    Host(u64),
    /// Tile index and byte address in its data memory.
    Tile(usize, u32),
}

impl MemoryPlace {
    /// Tile and byte address, if accesses there wait for banks.
    pub fn in_banks(self, ctx: &TileContext) -> Option<(usize, u32)> {
        match self {
            MemoryPlace::Tile(tile, byte) if ctx.timing.bank_conflicts => Some((tile, byte)),
            MemoryPlace::Tile(..) | MemoryPlace::Host(_) => None,
        }
    }
}

/// Where the word at a word address is.
pub(crate) fn place(ctx: &TileContext, channel: u8, word: u64) -> Result<MemoryPlace, DmaFault> {
    let byte = word.wrapping_mul(WORD);
    if ctx.kind.is_shim() {
        return Ok(MemoryPlace::Host(byte));
    }
    let addr = u32::try_from(byte).map_err(|_| unavailable(ctx, word))?;
    if ctx.kind != TileKind::Mem {
        return Ok(MemoryPlace::Tile(ctx.tile, addr));
    }
    let found = ctx
        .device
        .resolve_mem_tile_address(ctx.loc, addr)
        .and_then(|(owner, addr)| Some(MemoryPlace::Tile(reachable(ctx, channel, owner)?, addr)));
    found.ok_or_else(|| unavailable(ctx, word))
}

fn unavailable(ctx: &TileContext, word: u64) -> DmaFault {
    let window = ctx.device.mem_tile_window(ctx.loc, ctx.loc);
    DmaFault::MemoryUnavailable {
        address: word.wrapping_mul(WORD),
        own: window.map(|window| window.base),
    }
}
