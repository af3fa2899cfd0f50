//! Watched ports: which port of a switch each of the eight selectors of a tile looks at.

use aiec_device::switch::PortSide;

use super::Happening;
use crate::array::Array;
use crate::array::pipe::PipeId;
use crate::time::Cycle;

/// Who looks at a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    pub tile: usize,
    /// Selector.
    pub port: u8,
}

/// Something seen at a watched port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    pub by: Watch,
    pub at: Cycle,
    pub what: fn(u8) -> Happening,
}

impl Array {
    /// Lets a selector look at a port, by its index on its side.
    pub(in crate::array) fn watch_port(
        &mut self,
        tile: usize,
        port: u8,
        side: PortSide,
        index: usize,
    ) {
        let switch = &self.net.switches[tile];
        let pipe: Option<PipeId> = match side {
            PortSide::Slave => switch.slaves.get(index).map(|slave| slave.pipe),
            PortSide::Master => switch.masters.get(index).and_then(|master| master.target),
        };
        let by = Watch { tile, port };
        self.net.fabric.unwatch(by);
        if let Some(pipe) = pipe {
            self.net.fabric.watch(pipe, by, side == PortSide::Slave);
        }
        // Routes may no longer skip the pipe.
        self.net.reconfigured(tile);
    }

    /// Tells the event units what was seen at watched ports.
    pub(in crate::array) fn tell_sights(&mut self) {
        for Sight { by, at, what } in std::mem::take(&mut self.net.fabric.sights) {
            let what = what(by.port);
            self.events
                .emit(&mut self.net.fabric.sched, by.tile, at, what);
        }
    }
}
