//! Watched ports: the port of a switch that each of the eight selectors of a tile watches.

use aiec_device::switch::PortSide;

use crate::array::Array;
use crate::array::pipe::PipeId;
use crate::array::port_sample::{PortSample, PortWatch};

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
        let by = PortWatch { tile, port };
        self.net.fabric.unwatch(by);
        if let Some(pipe) = pipe {
            self.net.fabric.watch(pipe, by, side == PortSide::Slave);
        }
        // Routes may no longer skip the pipe.
        self.net.reconfigured(tile);
        self.last_progress = self.now;
    }

    /// Passes the samples of watched ports to the event units.
    pub(in crate::array) fn report_samples(&mut self) {
        for PortSample { by, at, event } in std::mem::take(&mut self.net.fabric.samples) {
            self.emit(by.tile, at, event(by.port));
        }
    }
}
