//! The shim mux: which South ports of a shim switch its DMA channels are connected to.
//!
//! Mux_Config and Demux_Config choose for each South port between programmable logic, the DMA
//! and the network on chip. Only the DMA is modelled: a channel whose port is switched elsewhere
//! waits (AM025, AM029).

use aiec_device::DmaDir;
use aiec_device::regmap::mux_field;
use aiec_device::switch::{MuxDir, MuxInput};

use super::Array;

impl Array {
    /// Takes over a value of Mux_Config (for MM2S) or Demux_Config (for S2MM).
    pub(super) fn write_shim_mux(&mut self, tile: usize, mux: MuxDir, value: u32) {
        let arch = self.device.arch();
        let dir = match mux {
            MuxDir::In => DmaDir::Mm2s,
            MuxDir::Out => DmaDir::S2mm,
        };
        for channel in &mut self.dma[tile].channels {
            if channel.id.dir != dir {
                continue;
            }
            let south = arch.shim_dma_south(dir, channel.id.index);
            let field = south.and_then(|south| mux_field(arch, mux, south));
            let connected = field.is_some_and(|field| field.get(value) == MuxInput::Dma as u32);
            if connected != channel.connected {
                channel.connected = connected;
                self.net.fabric.sched.wake(channel.actor());
            }
        }
    }
}
