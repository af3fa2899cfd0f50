//! `--dump`: what stands in memories, locks and registers when the run ends.

use std::fmt::Write;

use aiec_cert::debug::ResourceKind;
use aiec_device::TileLoc;
use aiec_diag::Reported;
use aiec_sim::SimResult;
use aiec_sim::array::{Cause, Party};

use super::places::{Places, Wrong, small, wrong};
use crate::session::Session;

/// How places are written, for help texts.
const FORMS: &str = "write mem:(C,R):ADDRESS+BYTES, buffer:NAME, lock:(C,R)[:ID], lock:NAME, \
                     reg:(C,R):OFFSET[+BYTES], dma:(C,R), core:(C,R) or arg:N[:OFFSET+BYTES]";
/// Bytes that are shown if none are said.
const DEFAULT_BYTES: u32 = 64;
/// Words on a line.
const LINE_WORDS: usize = 4;

/// Something to show.
#[derive(Clone, Debug)]
pub enum Dump {
    /// Bytes of a data memory.
    Memory(TileLoc, u32, u32),
    /// A lock, or all that were touched.
    Lock(TileLoc, Option<u8>),
    /// Words of registers.
    Register(TileLoc, u32, u32),
    /// The channels of a tile.
    Dma(TileLoc),
    /// A core.
    Core(TileLoc),
    /// Bytes of an argument of the runtime sequence.
    Argument(u32, u64, Option<u64>),
}

/// Reads the texts of `--dump`; each with its text.
pub fn read(
    texts: &[String],
    places: &Places<'_>,
    session: &mut Session,
) -> Result<Vec<(String, Dump)>, Reported> {
    let mut dumps = Vec::new();
    for text in texts {
        match parse(text, places) {
            Ok(dump) => dumps.push((text.clone(), dump)),
            Err(error) => session.diags.push(wrong("--dump", text, error)),
        }
    }
    session.diags.check()?;
    Ok(dumps)
}

fn parse(text: &str, places: &Places<'_>) -> Result<Dump, Wrong> {
    let forms = || {
        (
            "it is nothing that can be shown".to_string(),
            FORMS.to_string(),
        )
    };
    let (sort, rest) = text.split_once(':').ok_or_else(forms)?;
    match sort {
        "mem" => memory(rest, places),
        "buffer" => {
            let is = |kind| matches!(kind, ResourceKind::Buffer { .. });
            let found = places.named("buffer", rest, is)?;
            let tile = TileLoc::new(found.column, found.row);
            match found.kind {
                ResourceKind::Buffer { address, bytes } => Ok(Dump::Memory(tile, address, bytes)),
                _ => Err(forms()),
            }
        }
        "lock" => match places.tile(rest) {
            Some(Ok((tile, ""))) => Ok(Dump::Lock(tile, None)),
            _ => places
                .lock(rest)
                .map(|(tile, id)| Dump::Lock(tile, Some(id))),
        },
        "reg" => {
            let (tile, offset, rest) = places.register(rest)?;
            let bytes = match rest.strip_prefix('+') {
                Some(bytes) => small(bytes).ok_or_else(forms)?,
                None if rest.is_empty() => 4,
                None => return Err(forms()),
            };
            Ok(Dump::Register(tile, offset, bytes))
        }
        "dma" => match places.tile(rest) {
            Some(tile) => tile.map(|(tile, _)| Dump::Dma(tile)),
            None => places.channel(rest).map(|(tile, ..)| Dump::Dma(tile)),
        },
        "core" => places.core(rest).map(Dump::Core),
        "arg" => {
            let (index, range) = match rest.split_once(':') {
                Some((index, range)) => (index, Some(range)),
                None => (rest, None),
            };
            let index = small(index).ok_or_else(forms)?;
            let Some(range) = range else {
                return Ok(Dump::Argument(index, 0, None));
            };
            let (offset, bytes) = range.split_once('+').ok_or_else(forms)?;
            let offset = small(offset).ok_or_else(forms)?;
            let bytes = small(bytes).ok_or_else(forms)?;
            Ok(Dump::Argument(index, offset, Some(bytes)))
        }
        _ => Err(forms()),
    }
}

fn memory(text: &str, places: &Places<'_>) -> Result<Dump, Wrong> {
    let forms = || ("it names no memory".to_string(), FORMS.to_string());
    let (tile, rest) = places.tile(text).ok_or_else(forms)??;
    let (address, bytes) = match rest.split_once('+') {
        Some((address, bytes)) => (address, Some(bytes)),
        None => (rest, None),
    };
    let address: u32 = small(address).ok_or_else(forms)?;
    let bytes = bytes.map_or(Some(DEFAULT_BYTES), small);
    let bytes: u32 = bytes.ok_or_else(forms)?;
    let size = places
        .device
        .tile(tile)
        .map_or(0, |model| model.memory_bytes);
    let end = u64::from(address) + u64::from(bytes);
    if end > u64::from(size) {
        let message = format!("bytes 0x{address:X} to 0x{end:X} are not all in tile {tile}");
        let help = match size {
            0 => "this tile has no data memory".to_string(),
            size => format!("its memory has 0x{size:X} bytes, from 0"),
        };
        return Err((message, help));
    }
    Ok(Dump::Memory(tile, address, bytes))
}

/// The text of a dump.
pub fn show(title: &str, dump: &Dump, result: &mut SimResult) -> String {
    let mut out = format!("{title}, cycle {}\n", result.array.now());
    match *dump {
        Dump::Memory(tile, address, bytes) => {
            let memory = result.array.data_memory(tile);
            let start = address as usize;
            let bytes = memory.and_then(|m| m.bytes().get(start..start + bytes as usize));
            words(&mut out, u64::from(address), bytes.unwrap_or_default());
        }
        Dump::Lock(tile, Some(lock)) => self::lock(&mut out, result, tile, lock),
        Dump::Lock(tile, None) => {
            let locks = (0..=u8::MAX).filter(|&id| {
                let touched = result.array.lock_touch(tile, id).is_some();
                touched
                    || result
                        .array
                        .lock_value(tile, id)
                        .is_some_and(|value| value != 0)
            });
            for id in locks.collect::<Vec<_>>() {
                self::lock(&mut out, result, tile, id);
            }
        }
        Dump::Register(tile, offset, bytes) => {
            let (now, base) = (result.array.now(), address(result, tile));
            for at in (offset..offset.saturating_add(bytes)).step_by(4) {
                let _ = match result.array.bus_read(now, base | at) {
                    Ok(value) => writeln!(out, "  0x{at:05X}  0x{value:08X}"),
                    Err(_) => writeln!(out, "  0x{at:05X}  no register"),
                };
            }
        }
        Dump::Dma(tile) => {
            let stats = result.array.stats();
            for c in stats.channels.iter().filter(|c| c.tile == tile) {
                let party = Party::Channel {
                    tile,
                    dir: c.dir,
                    channel: c.channel,
                };
                let _ = writeln!(
                    out,
                    "  DMA {} {}: {} task(s), {} BD(s), {} words done; {}",
                    c.dir,
                    c.channel,
                    c.tasks,
                    c.bds,
                    c.words,
                    state(result, party)
                );
            }
        }
        Dump::Core(tile) => {
            let stats = result.array.stats();
            match stats.cores.iter().find(|core| core.tile == tile) {
                None => out.push_str("  it was not started\n"),
                Some(core) => {
                    let state = match core.done {
                        true => "its program has ended".to_string(),
                        false => state(result, Party::Core(tile)),
                    };
                    let _ = writeln!(
                        out,
                        "  {state}\n  busy {} cycles, stalls: lock {}, stream {}, cascade {}",
                        core.busy, core.lock_stall, core.stream_stall, core.cascade_stall
                    );
                }
            }
        }
        Dump::Argument(index, offset, bytes) => {
            let all = result.output(index).unwrap_or_default();
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(all.len());
            let count = bytes.map_or(all.len(), |n| usize::try_from(n).unwrap_or(usize::MAX));
            let end = from.saturating_add(count).min(all.len());
            match result.output(index) {
                None => out.push_str("  there is no such argument\n"),
                Some(all) => words(&mut out, offset, &all[from..end]),
            }
        }
    }
    out
}

/// Address of the first register of a tile.
fn address(result: &SimResult, tile: TileLoc) -> u32 {
    result.array.device().tile_address(tile, 0)
}

/// What a part does.
fn state(result: &SimResult, party: Party) -> String {
    let waits = result.array.waits();
    match waits.iter().find(|wait| wait.who == party) {
        Some(wait) => format!("waits since cycle {} for {}", wait.since, wait.on),
        None if result.array.active().contains(&party) => "at work".to_string(),
        None => "idle".to_string(),
    }
}

fn lock(out: &mut String, result: &SimResult, tile: TileLoc, lock: u8) {
    let value = result.array.lock_value(tile, lock).unwrap_or(0);
    let resources = result.debug.iter().flat_map(|debug| &debug.resources);
    let name = resources
        .filter(|r| (r.column, r.row) == (tile.col, tile.row))
        .find(|r| r.kind == ResourceKind::Lock { id: lock })
        .map_or(String::new(), |r| format!(" '{}'", r.name));
    let _ = write!(out, "  lock {lock}{name} = {value}");
    match result.array.lock_touch(tile, lock) {
        None => out.push_str(", never changed"),
        Some(touch) if touch.by == Party::Bus => {
            let _ = write!(out, ", set by a register write in cycle {}", touch.at);
        }
        Some(touch) => {
            let (change, at, by) = (touch.change, touch.at, touch.by);
            let _ = write!(out, ", last changed by {change:+} in cycle {at} by {by}");
        }
    }
    for wait in result.array.waits() {
        match wait.on {
            Cause::Lock {
                owner, lock: id, ..
            } if (owner, id) == (tile, lock) => {
                let _ = write!(out, "; {} waits since cycle {}", wait.who, wait.since);
            }
            _ => {}
        }
    }
    out.push('\n');
}

/// Words in hexadecimal and as signed numbers.
fn words(out: &mut String, base: u64, bytes: &[u8]) {
    for (line, chunk) in bytes.chunks(4 * LINE_WORDS).enumerate() {
        let at = base + (4 * LINE_WORDS * line) as u64;
        let (mut hex, mut decimal) = (String::new(), String::new());
        for word in chunk.chunks(4) {
            let mut padded = [0; 4];
            padded[..word.len()].copy_from_slice(word);
            let value = u32::from_le_bytes(padded);
            let _ = write!(hex, " {value:0width$x}", width = 2 * word.len());
            let _ = write!(decimal, " {}", value as i32);
        }
        let _ = writeln!(out, "  0x{at:08X} {hex:<36} |{decimal}");
    }
}
