//! The broadcast network: sixteen channels from module to module.
//!
//! What a module broadcasts goes to all four sides; what comes from the south or north goes on in
//! all other directions, what comes from the west or east only straight on (AM020). In a core tile
//! the core module's east side is the memory module's west side, and only core modules have north
//! and south. The shim row passes nothing to its sides (xdna-emu).

use aiec_device::TileLoc;
use aiec_device::regmap::Module;

use super::{LevelChange, PendingChange};
use crate::array::Array;
use crate::array::actor::ActorId;
use crate::time::Cycle;
use std::cmp::Reverse;

/// A side of a module, in the order of the block registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BroadcastSide {
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

/// A broadcast in flight.
struct BroadcastHop {
    tile: usize,
    unit: u8,
    from: BroadcastSide,
    at: Cycle,
}

impl Array {
    /// Sends a broadcast from a module at `now`.
    pub(in crate::array) fn broadcast(&mut self, tile: usize, unit: u8, channel: u8, now: Cycle) {
        let mut hops = vec![BroadcastHop {
            tile,
            unit,
            from: BroadcastSide::Inside,
            at: now,
        }];
        while let Some(hop) = hops.pop() {
            if hop.from != BroadcastSide::Inside {
                let events = &mut self.events.tiles[hop.tile];
                let event = events.units[usize::from(hop.unit)].numbers.broadcast + channel;
                events.listening = true;
                events.pending.push(Reverse(PendingChange {
                    at: hop.at,
                    unit: hop.unit,
                    event,
                    change: LevelChange::Pulse,
                }));
                let me = ActorId::event_units(events.loc);
                self.net.fabric.sched.schedule(hop.at, me);
            }
            for to in [
                BroadcastSide::South,
                BroadcastSide::West,
                BroadcastSide::North,
                BroadcastSide::East,
            ] {
                let straight = matches!(
                    (hop.from, to),
                    (BroadcastSide::West, BroadcastSide::East)
                        | (BroadcastSide::East, BroadcastSide::West)
                );
                let turns = !matches!(hop.from, BroadcastSide::West | BroadcastSide::East);
                if to == hop.from || !(straight || turns) {
                    continue;
                }
                let unit = &self.events.tiles[hop.tile].units[usize::from(hop.unit)];
                if unit.block[to as usize] >> channel & 1 == 0 {
                    hops.extend(self.next_hop(&hop, to));
                }
            }
        }
    }

    /// Where a broadcast goes on a side.
    fn next_hop(&self, hop: &BroadcastHop, to: BroadcastSide) -> Option<BroadcastHop> {
        let loc = self.grid.loc(hop.tile);
        let module = self.events.tiles[hop.tile].units[usize::from(hop.unit)].module;
        let TileLoc { col, row } = loc;
        let inside = |unit, from| {
            Some(BroadcastHop {
                tile: hop.tile,
                unit,
                from,
                at: hop.at + INTO_MEMORY,
            })
        };
        match (module, to) {
            (Module::Core, BroadcastSide::East) => return inside(1, BroadcastSide::West),
            (Module::Memory, BroadcastSide::West) => return inside(0, BroadcastSide::East),
            (Module::Memory, BroadcastSide::North | BroadcastSide::South)
            | (Module::Shim, BroadcastSide::West | BroadcastSide::East | BroadcastSide::South) => {
                return None;
            }
            _ => {}
        }
        let (next, from, delay) = match to {
            BroadcastSide::South => (
                TileLoc::new(col, row.checked_sub(1)?),
                BroadcastSide::North,
                VERTICAL,
            ),
            BroadcastSide::North => (TileLoc::new(col, row + 1), BroadcastSide::South, VERTICAL),
            BroadcastSide::West => (
                TileLoc::new(col.checked_sub(1)?, row),
                BroadcastSide::East,
                HORIZONTAL,
            ),
            BroadcastSide::East => (TileLoc::new(col + 1, row), BroadcastSide::West, HORIZONTAL),
            BroadcastSide::Inside => return None,
        };
        let tile = self.grid.index(next)?;
        // Coming from the east one meets the memory module of a core tile first.
        let last = self.events.tiles[tile].units.len() as u8 - 1;
        let unit = if to == BroadcastSide::West { last } else { 0 };
        Some(BroadcastHop {
            tile,
            unit,
            from,
            at: hop.at + delay,
        })
    }
}
