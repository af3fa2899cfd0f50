//! The broadcast network: sixteen channels from module to module.
//!
//! What a module broadcasts goes to all four sides; what comes from the south or north goes on in
//! all other directions, what comes from the west or east only straight on (AM020). In a core tile
//! the core module's east side is the memory module's west side, and only core modules have north
//! and south. The shim row passes nothing to its sides (xdna-emu).

use aiec_device::TileLoc;
use aiec_device::regmap::Module;

use super::{Change, Pending};
use crate::array::Array;
use crate::array::sched::{CompId, Part};
use crate::time::Cycle;
use std::cmp::Reverse;

/// A side of a module, in the order of the block registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    South = 0,
    West = 1,
    North = 2,
    East = 3,
    Inside = 4,
}

/// Cycles from tile to tile, and between the modules of a core tile (xdna-emu).
const HORIZONTAL: Cycle = 4;
const VERTICAL: Cycle = 2;
const INTO_MEMORY: Cycle = 2;

/// A broadcast on its way.
struct Hop {
    tile: usize,
    unit: u8,
    from: From,
    at: Cycle,
}

impl Array {
    /// Sends a broadcast from a module at `now`.
    pub(in crate::array) fn broadcast(&mut self, tile: usize, unit: u8, channel: u8, now: Cycle) {
        let mut hops = vec![Hop {
            tile,
            unit,
            from: From::Inside,
            at: now,
        }];
        while let Some(hop) = hops.pop() {
            if hop.from != From::Inside {
                let events = &mut self.events.tiles[hop.tile];
                let event = events.units[usize::from(hop.unit)].numbers.broadcast + channel;
                events.listening = true;
                events.pending.push(Reverse(Pending {
                    at: hop.at,
                    unit: hop.unit,
                    event,
                    change: Change::Pulse,
                }));
                let me = CompId::new(hop.tile, Part::Events);
                self.net.fabric.sched.schedule(hop.at, me);
            }
            for to in [From::South, From::West, From::North, From::East] {
                let straight = matches!(
                    (hop.from, to),
                    (From::West, From::East) | (From::East, From::West)
                );
                let turns = !matches!(hop.from, From::West | From::East);
                if to == hop.from || !(straight || turns) {
                    continue;
                }
                let unit = &self.events.tiles[hop.tile].units[usize::from(hop.unit)];
                if unit.block[to as usize] >> channel & 1 == 0 {
                    hops.extend(self.beside(&hop, to));
                }
            }
        }
    }

    /// Where a broadcast goes on a side.
    fn beside(&self, hop: &Hop, to: From) -> Option<Hop> {
        let loc = self.grid.loc(hop.tile);
        let module = self.events.tiles[hop.tile].units[usize::from(hop.unit)].module;
        let TileLoc { col, row } = loc;
        let inside = |unit, from| {
            Some(Hop {
                tile: hop.tile,
                unit,
                from,
                at: hop.at + INTO_MEMORY,
            })
        };
        match (module, to) {
            (Module::Core, From::East) => return inside(1, From::West),
            (Module::Memory, From::West) => return inside(0, From::East),
            (Module::Memory, From::North | From::South)
            | (Module::Shim, From::West | From::East | From::South) => return None,
            _ => {}
        }
        let (next, from, delay) = match to {
            From::South => (
                TileLoc::new(col, row.checked_sub(1)?),
                From::North,
                VERTICAL,
            ),
            From::North => (TileLoc::new(col, row + 1), From::South, VERTICAL),
            From::West => (
                TileLoc::new(col.checked_sub(1)?, row),
                From::East,
                HORIZONTAL,
            ),
            From::East => (TileLoc::new(col + 1, row), From::West, HORIZONTAL),
            From::Inside => return None,
        };
        let tile = self.grid.index(next)?;
        // Coming from the east one meets the memory module of a core tile first.
        let last = self.events.tiles[tile].units.len() as u8 - 1;
        let unit = if to == From::West { last } else { 0 };
        Some(Hop {
            tile,
            unit,
            from,
            at: hop.at + delay,
        })
    }
}
