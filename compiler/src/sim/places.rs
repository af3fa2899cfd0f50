//! Places of a run as the command line names them: tiles, locks, channels, memory, by position or
//! by their names in the design.

use aiec_cert::debug::{DebugInfo, Direction, Resource, ResourceKind};
use aiec_cert::elf::Instance;
use aiec_device::{ChannelId, DeviceModel, DmaDir, LockId, TileLoc};
use aiec_diag::{Diag, did_you_mean};

use crate::codes;

/// Defect of a place: a message and a way out.
pub type Wrong = (String, String);

/// Look-up of places.
pub struct PlaceLookup<'a> {
    /// Names, if the file has them.
    pub debug: Option<&'a DebugInfo>,
    /// The device.
    pub device: &'static DeviceModel,
    /// The control code that runs; `None` where a machine without controllers runs.
    pub code: Option<&'a Instance>,
}

/// A text in two at a character that may be missing.
pub fn split_optional(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

/// A decimal number, or one with `0x`.
pub fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A number that fits.
pub fn small<T: TryFrom<u64>>(text: &str) -> Option<T> {
    T::try_from(number(text)?).ok()
}

/// The finding for a place that is wrong.
pub fn wrong(flag: &str, text: &str, (message, help): Wrong) -> Diag {
    Diag::error(&codes::PLACE, format!("{flag} {text}: {message}")).help(help)
}

impl<'a> PlaceLookup<'a> {
    /// `(COLUMN,ROW)` at the begin of a text, and what follows a colon. `None`: the text
    /// doesn't begin with a parenthesis.
    pub fn tile<'t>(&self, text: &'t str) -> Option<Result<(TileLoc, &'t str), Wrong>> {
        let inside = text.strip_prefix('(')?;
        let help = || "write a tile as (COLUMN,ROW), for instance (0,2)".to_string();
        let parsed = inside.split_once(')').and_then(|(tile, rest)| {
            let (col, row) = tile.split_once(',')?;
            let loc = TileLoc::new(small(col.trim())?, small(row.trim())?);
            Some((loc, rest.strip_prefix(':').unwrap_or(rest)))
        });
        let Some((loc, rest)) = parsed else {
            return Some(Err(("it names no tile".into(), help())));
        };
        if self.device.tile_kind(loc).is_none() {
            let (columns, rows) = (self.device.columns(), self.device.rows());
            let message = format!("{} has no tile {loc}", self.device.name());
            let help = format!("it has {columns} columns and {rows} rows, counted from 0");
            return Some(Err((message, help)));
        }
        Some(Ok((loc, rest)))
    }

    /// A thing of the design by its name.
    pub fn named(
        &self,
        sort: &str,
        name: &str,
        test: impl Fn(ResourceKind) -> bool,
    ) -> Result<&'a Resource, Wrong> {
        let resources = self.debug.map_or(&[][..], |debug| &debug.resources);
        let fitting = || resources.iter().filter(|resource| test(resource.kind));
        if let Some(found) = fitting().find(|resource| resource.name == name) {
            return Ok(found);
        }
        let message = format!("the design has no {sort} '{name}'");
        let names = fitting().map(|resource| resource.name.as_str());
        let help = match did_you_mean(name, names) {
            Some(near) => format!("did you mean '{near}'?"),
            None if self.debug.is_none() => {
                "this file has no names; write (COLUMN,ROW) and a number".to_string()
            }
            None => {
                let mut names: Vec<&str> = fitting().map(|r| r.name.as_str()).collect();
                names.retain(|name| !name.is_empty());
                names.truncate(MAX_NAMES);
                if names.is_empty() {
                    format!("it has no {sort} with a name")
                } else {
                    format!("there are {}", names.join(", "))
                }
            }
        };
        Err((message, help))
    }

    /// A lock: `(COLUMN,ROW):ID` or a name.
    pub fn lock(&self, text: &str) -> Result<LockId, Wrong> {
        let Some(tile) = self.tile(text) else {
            let resource = self.named("lock", text, |k| matches!(k, ResourceKind::Lock { .. }))?;
            let id = match resource.kind {
                ResourceKind::Lock { id } => id,
                _ => 0,
            };
            let tile = TileLoc::new(resource.column, resource.row);
            return Ok(LockId::new(tile, id));
        };
        let (tile, rest) = tile?;
        let count = self.device.tile(tile).map_or(0, |model| model.locks);
        match small::<u8>(rest) {
            Some(id) if u16::from(id) < u16::from(count) => Ok(LockId::new(tile, id)),
            _ => Err((
                format!("'{rest}' isn't a lock of tile {tile}"),
                match count {
                    0 => "this tile has no locks".to_string(),
                    n => format!("its locks are 0 to {}", n - 1),
                },
            )),
        }
    }

    /// A DMA channel: `(COLUMN,ROW):s2mm|mm2s:N` or a name.
    pub fn channel(&self, text: &str) -> Result<ChannelId, Wrong> {
        let Some(tile) = self.tile(text) else {
            let is = |k| matches!(k, ResourceKind::Channel { .. });
            let resource = self.named("DMA channel", text, is)?;
            let (dir, channel) = match resource.kind {
                ResourceKind::Channel { direction, channel } => match direction {
                    Direction::S2mm => (DmaDir::S2mm, channel),
                    Direction::Mm2s => (DmaDir::Mm2s, channel),
                },
                _ => (DmaDir::S2mm, 0),
            };
            let tile = TileLoc::new(resource.column, resource.row);
            return Ok(ChannelId::new(tile, dir, channel));
        };
        let (tile, rest) = tile?;
        let model = self.device.tile(tile).and_then(|model| model.dma.as_ref());
        let parsed = rest.split_once(':').and_then(|(dir, channel)| {
            let dir = match dir.to_ascii_lowercase().as_str() {
                "s2mm" => DmaDir::S2mm,
                "mm2s" => DmaDir::Mm2s,
                _ => return None,
            };
            let channel: u8 = small(channel)?;
            (channel < model?.channels.get(dir)).then_some(ChannelId::new(tile, dir, channel))
        });
        parsed.ok_or_else(|| {
            let help = match model {
                None => "this tile has no DMA".to_string(),
                Some(dma) => format!(
                    "write s2mm:N or mm2s:N; the tile has {} and {} of them",
                    dma.channels.get(DmaDir::S2mm),
                    dma.channels.get(DmaDir::Mm2s)
                ),
            };
            (format!("'{rest}' isn't a DMA channel of tile {tile}"), help)
        })
    }

    /// A core: `(COLUMN,ROW)` or a name.
    pub fn core(&self, text: &str) -> Result<TileLoc, Wrong> {
        let Some(tile) = self.tile(text) else {
            let resource = self.named("core", text, |kind| kind == ResourceKind::Core)?;
            return Ok(TileLoc::new(resource.column, resource.row));
        };
        let (tile, _) = tile?;
        match self.device.tile(tile).map(|model| model.program_bytes) {
            Some(bytes) if bytes > 0 => Ok(tile),
            _ => Err((
                format!("tile {tile} has no core"),
                "cores are in the upper rows; `aiec devices NAME` tells which".into(),
            )),
        }
    }

    /// Bytes of a data memory: `(COLUMN,ROW):ADDRESS[+BYTES]`, or the name of a buffer with `[+BYTES]`. Tile, first byte and
    /// bytes: those that are written, else those of the buffer or `default_bytes`.
    pub fn memory(&self, text: &str, default_bytes: u32) -> Result<(TileLoc, u32, u32), Wrong> {
        let help = || {
            let help = "write mem:(COLUMN,ROW):ADDRESS+BYTES, for instance mem:(0,2):0x400+64";
            help.to_string()
        };
        let (place, bytes) = split_optional(text, '+');
        let (tile, address, all) = match self.tile(place) {
            Some(tile) => {
                let (tile, address) = tile?;
                let address = number(address);
                let no_address = || ("it names no address".to_string(), help());
                (tile, address.ok_or_else(no_address)?, default_bytes)
            }
            None => {
                let is = |kind| matches!(kind, ResourceKind::Buffer { .. });
                let found = self.named("buffer", place, is)?;
                let ResourceKind::Buffer { address, bytes } = found.kind else {
                    return Err(("it names no buffer".to_string(), help()));
                };
                let tile = TileLoc::new(found.column, found.row);
                (tile, u64::from(address), bytes)
            }
        };
        let no_count = || ("it names no count of bytes".to_string(), help());
        let bytes = bytes.map_or(Some(u64::from(all)), number);
        let bytes = bytes.filter(|bytes| *bytes > 0).ok_or_else(no_count)?;
        let size = self.device.tile(tile).map_or(0, |model| model.memory_bytes);
        let end = address.saturating_add(bytes);
        let fits = end <= u64::from(size);
        match (address.try_into(), bytes.try_into()) {
            (Ok(address), Ok(bytes)) if fits => Ok((tile, address, bytes)),
            _ => {
                let message =
                    format!("bytes 0x{address:X} to 0x{end:X} are not all in tile {tile}");
                let help = match size {
                    0 => "this tile has no data memory".to_string(),
                    size => format!("its memory has 0x{size:X} bytes, from 0"),
                };
                Err((message, help))
            }
        }
    }

    /// A register: `(COLUMN,ROW):OFFSET`, and what follows the offset.
    pub fn register<'t>(&self, text: &'t str) -> Result<(TileLoc, u32, &'t str), Wrong> {
        let help = || "write reg:(COLUMN,ROW):OFFSET, for instance reg:(0,2):0x32000".to_string();
        let Some(tile) = self.tile(text) else {
            return Err(("it names no tile".into(), help()));
        };
        let (tile, rest) = tile?;
        let end = rest.find(['+', '=']).unwrap_or(rest.len());
        let offset: Option<u32> = small(&rest[..end]);
        let offset = offset.ok_or_else(|| (format!("'{rest}' isn't an offset"), help()))?;
        let map = self.device.register_map(tile);
        match map.and_then(|map| map.decode(offset)) {
            Some(_) if offset.is_multiple_of(4) => Ok((tile, offset, &rest[end..])),
            _ => Err((
                format!("tile {tile} has no register at 0x{offset:X}"),
                "offsets are those of the register reference, without column and row".into(),
            )),
        }
    }
}

/// Names that a finding lists at most.
const MAX_NAMES: usize = 8;
