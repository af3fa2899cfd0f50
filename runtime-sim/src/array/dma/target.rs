//! What a DMA channel reaches: data memories, host memory, locks.
//!
//! A core tile's DMA reaches its own memory and locks; a mem tile's also those of the mem tiles
//! beside it (its first channels only); a shim's reaches its own locks and host memory.

use aiec_device::{TileKind, TileLoc};

use super::address::Run;
use crate::array::fault::DmaFault;
use crate::array::world::World;

/// Bytes of a DMA word.
const WORD: u64 = 4;

/// The tile index and the lock that a channel names by a number in its BD.
pub(crate) fn lock(world: &World, channel: u8, number: u8) -> Option<(usize, u8)> {
    let (owner, id) = match world.kind {
        TileKind::Mem => world.device.resolve_mem_tile_lock(world.loc, number)?,
        _ => (world.loc, number),
    };
    let tile = reachable(world, channel, owner)?;
    (u32::from(id) < world.locks.get(tile)?.len()).then_some((tile, id))
}

fn reachable(world: &World, channel: u8, owner: TileLoc) -> Option<usize> {
    let neighbours = world.dma_model().map_or(0, |dma| dma.neighbour_channels);
    if owner != world.loc && channel >= neighbours {
        return None;
    }
    world.grid.index(owner)
}

/// Reads the words of a run.
pub(crate) fn read(
    world: &World,
    channel: u8,
    run: Run,
    words: &mut [u32],
) -> Result<(), DmaFault> {
    let words = &mut words[..run.count as usize];
    if let Some(bytes) = span(run) {
        let bytes = match place(world, channel, run.start)? {
            Place::Host(addr) => Some(world.host.read(addr, bytes).map_err(DmaFault::Host)?),
            Place::Tile(tile, addr) => world.memory[tile].read(addr, bytes as u32),
        };
        if let Some(bytes) = bytes {
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(WORD as usize)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            return Ok(());
        }
    }
    for (i, word) in words.iter_mut().enumerate() {
        let at = run.start.wrapping_add(i as u64 * run.step);
        *word = match place(world, channel, at)? {
            Place::Host(addr) => world.host.read_word(addr).map_err(DmaFault::Host)?,
            Place::Tile(tile, addr) => world.memory[tile]
                .word(addr)
                .ok_or_else(|| unavailable(at))?,
        };
    }
    Ok(())
}

/// Writes the words of a run.
pub(crate) fn write(
    world: &mut World,
    channel: u8,
    run: Run,
    words: &[u32],
) -> Result<(), DmaFault> {
    if words.is_empty() {
        return Ok(());
    }
    if let Some(bytes) = span(run) {
        let bytes = match place(world, channel, run.start)? {
            Place::Host(addr) => Some(world.host.write(addr, bytes).map_err(DmaFault::Host)?),
            Place::Tile(tile, addr) => world.memory[tile].write(addr, bytes as u32),
        };
        if let Some(bytes) = bytes {
            for (word, bytes) in words.iter().zip(bytes.chunks_exact_mut(WORD as usize)) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            return Ok(());
        }
    }
    for (i, &word) in words.iter().enumerate() {
        let at = run.start.wrapping_add(i as u64 * run.step);
        match place(world, channel, at)? {
            Place::Host(addr) => world.host.write_word(addr, word).map_err(DmaFault::Host)?,
            Place::Tile(tile, addr) => {
                if !world.memory[tile].set_word(addr, word) {
                    return Err(unavailable(at));
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

/// The tile and the byte address in its memory behind a word address, if it is a tile's memory.
pub(crate) fn memory_of(world: &World, channel: u8, word: u64) -> Option<(usize, u32)> {
    if !world.timing.bank_conflicts {
        return None;
    }
    match place(world, channel, word) {
        Ok(Place::Tile(tile, byte)) => Some((tile, byte)),
        Ok(Place::Host(_)) | Err(_) => None,
    }
}

enum Place {
    /// Byte address in host memory.
    Host(u64),
    /// Tile index and byte address in its data memory.
    Tile(usize, u32),
}

fn place(world: &World, channel: u8, word: u64) -> Result<Place, DmaFault> {
    let byte = word.wrapping_mul(WORD);
    if world.kind.is_shim() {
        return Ok(Place::Host(byte));
    }
    let addr = u32::try_from(byte).map_err(|_| unavailable(word))?;
    if world.kind != TileKind::Mem {
        return Ok(Place::Tile(world.tile, addr));
    }
    let found = world
        .device
        .resolve_mem_tile_address(world.loc, addr)
        .and_then(|(owner, addr)| Some(Place::Tile(reachable(world, channel, owner)?, addr)));
    found.ok_or_else(|| unavailable(word))
}

fn unavailable(word: u64) -> DmaFault {
    DmaFault::MemoryUnavailable {
        address: word.wrapping_mul(WORD),
    }
}
