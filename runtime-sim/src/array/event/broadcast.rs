//! The broadcast network: sixteen channels from module to module.
//!
//! A module broadcasts to all four sides; a broadcast from the south or north goes on in
//! all other directions, what comes from the west or east only straight on (AM020). In a core tile
//! the core module's east side is the memory module's west side, and only core modules have north
//! and south. The shim row passes nothing to its sides (xdna-emu).

use aiec_device::regmap::Module;
use aiec_device::{Side, TileLoc};

use super::LevelChange;
use crate::array::Array;
use crate::time::Cycle;

/// Cycles from tile to tile, and between the modules of a core tile (xdna-emu).
const HORIZONTAL: Cycle = 4;
const VERTICAL: Cycle = 2;
const INTO_MEMORY: Cycle = 2;

/// A broadcast in flight.
struct BroadcastHop {
    tile: usize,
    unit: u8,
    /// The side that it comes from; `None` if the module has sent it.
    from: Option<Side>,
    at: Cycle,
}

impl Array {
    /// Sends a broadcast from a module at `now`.
    pub(in crate::array) fn broadcast(&mut self, tile: usize, unit: u8, channel: u8, now: Cycle) {
        let mut hops = vec![BroadcastHop {
            tile,
            unit,
            from: None,
            at: now,
        }];
        while let Some(hop) = hops.pop() {
            if hop.from.is_some() {
                let events = &mut self.events.tiles[hop.tile];
                let event = events.units[usize::from(hop.unit)].numbers.broadcast + channel;
                events.listening = true;
                let change = (hop.unit, event, LevelChange::Pulse);
                events.queue(&mut self.net.fabric.sched, hop.at, change);
            }
            for to in Side::ALL {
                let unit = &self.events.tiles[hop.tile].units[usize::from(hop.unit)];
                let goes_on = match hop.from {
                    Some(Side::West) => to == Side::East,
                    Some(Side::East) => to == Side::West,
                    from => from != Some(to),
                };
                if goes_on && unit.block[to as usize] >> channel & 1 == 0 {
                    hops.extend(self.next_hop(&hop, to));
                }
            }
        }
    }

    /// Where a broadcast goes on a side.
    fn next_hop(&self, hop: &BroadcastHop, to: Side) -> Option<BroadcastHop> {
        let loc = self.grid.loc(hop.tile);
        let module = self.events.tiles[hop.tile].units[usize::from(hop.unit)].module;
        let TileLoc { col, row } = loc;
        let inside = |unit, from| {
            Some(BroadcastHop {
                tile: hop.tile,
                unit,
                from: Some(from),
                at: hop.at + INTO_MEMORY,
            })
        };
        match (module, to) {
            (Module::Core, Side::East) => return inside(1, Side::West),
            (Module::Memory, Side::West) => return inside(0, Side::East),
            (Module::Memory, Side::North | Side::South)
            | (Module::Shim, Side::West | Side::East | Side::South) => {
                return None;
            }
            _ => {}
        }
        let (next, from, delay) = match to {
            Side::South => (
                TileLoc::new(col, row.checked_sub(1)?),
                Side::North,
                VERTICAL,
            ),
            Side::North => (TileLoc::new(col, row + 1), Side::South, VERTICAL),
            Side::West => (
                TileLoc::new(col.checked_sub(1)?, row),
                Side::East,
                HORIZONTAL,
            ),
            Side::East => (TileLoc::new(col + 1, row), Side::West, HORIZONTAL),
        };
        let tile = self.grid.index(next)?;
        // Coming from the east one meets the memory module of a core tile first.
        let last = self.events.tiles[tile].units.len() as u8 - 1;
        let unit = if to == Side::West { last } else { 0 };
        Some(BroadcastHop {
            tile,
            unit,
            from: Some(from),
            at: hop.at + delay,
        })
    }
}
