//! Names and source lines of instructions and parts.

use aiec_cert::debug::{DebugInfo, Direction, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_device::{DmaDir, TileLoc};

use crate::array::{Fault, FaultKind, Party};
use crate::cert::Site;

/// Source line of an instruction.
pub fn source_of(site: Site, debug: Option<&DebugInfo>) -> Option<String> {
    let debug = debug?;
    let lines = &debug.page(site.uc, site.page)?.lines;
    let line = lines.iter().find(|line| line.at == site.offset)?;
    debug.show(line.source)
}

/// Names of the channel or core that a fault of the array concerns.
pub fn concerned(fault: &Fault, debug: Option<&DebugInfo>) -> Vec<String> {
    let names = Names { debug };
    let found = match fault.kind {
        FaultKind::Dma {
            tile, dir, channel, ..
        }
        | FaultKind::TaskQueueOverflow {
            tile, dir, channel, ..
        } => names.of_party(Party::Channel { tile, dir, channel }),
        FaultKind::LockRange { tile, lock, .. } => names.lock(tile, lock),
        FaultKind::Core { tile, .. } | FaultKind::NoKernels { tile, .. } => {
            names.of_party(Party::Core(tile))
        }
        FaultKind::ControlPacket { .. } => None,
    };
    let describe = |resource: &Resource| {
        let sort = crate::run::sort_of(resource.kind);
        match names.show(resource.source) {
            Some(source) => format!("{sort} '{}', {source}", resource.name),
            None => format!("{sort} '{}'", resource.name),
        }
    };
    found.map(describe).into_iter().collect()
}

/// Look-up of names and lines.
pub(crate) struct Names<'a> {
    pub debug: Option<&'a DebugInfo>,
}

impl<'a> Names<'a> {
    fn resource(&self, tile: TileLoc, test: impl Fn(ResourceKind) -> bool) -> Option<&'a Resource> {
        let here = |r: &&Resource| (r.column, r.row) == (tile.col, tile.row) && test(r.kind);
        self.debug?.resources.iter().find(here)
    }

    pub fn lock(&self, tile: TileLoc, lock: u8) -> Option<&'a Resource> {
        self.resource(tile, |kind| kind == ResourceKind::Lock { id: lock })
    }

    pub fn of_party(&self, party: Party) -> Option<&'a Resource> {
        match party {
            Party::Core(tile) => self.resource(tile, |kind| kind == ResourceKind::Core),
            Party::Channel { tile, dir, channel } => {
                let direction = match dir {
                    DmaDir::S2mm => Direction::S2mm,
                    DmaDir::Mm2s => Direction::Mm2s,
                };
                self.resource(tile, |kind| {
                    kind == ResourceKind::Channel { direction, channel }
                })
            }
            Party::Slave { .. } | Party::Master { .. } | Party::Bus => None,
        }
    }

    pub fn show(&self, loc: Option<SourceLoc>) -> Option<String> {
        self.debug?.show(loc?)
    }
}
