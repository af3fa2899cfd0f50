//! Targets of a DMA channel: data memories, host memory, locks.
//!
//! A core tile's DMA reaches its own memory and locks; a mem tile's also those of the mem tiles
//! beside it (its first channels only); a shim's reaches its own locks and host memory.

use aiec_device::{LockId, TileKind, TileLoc};

use crate::array::address::Run;
use crate::array::fault::DmaFault;
use crate::array::memory::Memory;
use crate::array::pipe::WordBytes;
use crate::array::tile_context::TileContext;
use crate::host::HostMemory;

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

/// The words of a run without gaps, the first of which is at a place; `None` for other runs, and where the memory ends
/// before. The host doesn't count them: they may be read again.
#[inline]
pub(crate) fn neighbours<'m>(
    memory: &'m [Memory],
    host: &'m HostMemory,
    run: Run,
    first: MemoryPlace,
) -> Result<Option<&'m [WordBytes]>, DmaFault> {
    let Some(bytes) = span(run) else {
        return Ok(None);
    };
    let bytes = match first {
        MemoryPlace::Host(addr) => Some(host.peek(addr, bytes).map_err(DmaFault::Host)?),
        MemoryPlace::Tile(tile, addr) => memory[tile].read(addr, bytes as u32),
    };
    Ok(bytes.map(|bytes| bytes.as_chunks().0))
}

/// Reads the words of a run that [`neighbours`] doesn't have.
#[inline(never)]
pub(crate) fn read(
    ctx: &TileContext,
    channel: u8,
    run: Run,
    words: &mut [WordBytes],
) -> Result<(), DmaFault> {
    for (i, word) in words.iter_mut().enumerate() {
        let at = run.start.wrapping_add(i as u64 * run.step);
        *word = match place(ctx, channel, at)? {
            MemoryPlace::Host(addr) => {
                let bytes = ctx.host.peek(addr, WORD).map_err(DmaFault::Host)?;
                [bytes[0], bytes[1], bytes[2], bytes[3]]
            }
            MemoryPlace::Tile(tile, addr) => {
                let word = ctx.memory[tile].word(addr);
                word.ok_or_else(|| unavailable(ctx, at))?.to_le_bytes()
            }
        };
    }
    Ok(())
}

/// The place of a run without gaps in a data memory, the first word of which is at a place; `None` for other runs, and
/// where the memory ends before.
#[inline]
pub(crate) fn neighbours_to_write(
    memory: &mut [Memory],
    run: Run,
    first: MemoryPlace,
) -> Option<&mut [WordBytes]> {
    let MemoryPlace::Tile(tile, addr) = first else {
        return None;
    };
    let bytes = memory[tile].write(addr, span(run)? as u32)?;
    Some(bytes.as_chunks_mut().0)
}

/// Writes the words of a run, the first of which is at a place.
pub(crate) fn write(
    ctx: &mut TileContext,
    channel: u8,
    (run, first): (Run, MemoryPlace),
    words: &[WordBytes],
) -> Result<(), DmaFault> {
    if let Some(bytes) = span(run) {
        let bytes = match first {
            MemoryPlace::Host(addr) => Some(ctx.host.write(addr, bytes).map_err(DmaFault::Host)?),
            MemoryPlace::Tile(tile, addr) => ctx.memory[tile].write(addr, bytes as u32),
        };
        if let Some(bytes) = bytes {
            for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = *word;
            }
            return Ok(());
        }
    }
    for (i, word) in words.iter().enumerate() {
        let word = u32::from_le_bytes(*word);
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
#[derive(Clone, Copy, Debug)]
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

/// The data memory that a channel accessed last, so that it needn't be looked for at each burst.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearMemory {
    tile: usize,
    /// Byte address of its first byte, as the channel sees it.
    start: u64,
    bytes: u64,
}

impl NearMemory {
    /// [`place`] for the channel.
    #[inline]
    pub fn place(
        &mut self,
        ctx: &TileContext,
        channel: u8,
        word: u64,
    ) -> Result<MemoryPlace, DmaFault> {
        let byte = word.wrapping_mul(WORD);
        let inside = byte.wrapping_sub(self.start);
        if inside < self.bytes {
            return Ok(MemoryPlace::Tile(self.tile, inside as u32));
        }
        let found = place(ctx, channel, word)?;
        if let MemoryPlace::Tile(tile, inside) = found {
            *self = NearMemory {
                tile,
                start: byte - u64::from(inside),
                bytes: ctx.memory[tile].len().into(),
            };
        }
        Ok(found)
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
