//! Control packets: register writes that travel through the streams to the control port of a tile
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/{AIETxnToControlPacket,AIECtrlPacketToDma}.cpp`).
//!
//! * [`from_writes`] makes them from the writes of a runtime sequence;
//! * [`legalize`] cuts them to the four words that one can carry;
//! * [`infer_tiles`] sees to the tiles they go to, and their controller ids;
//! * [`to_dma`] turns them into transfers from a host buffer, which holds the packets.
//!
//! The ways to the control ports are made by `aie-generate-column-control-overlay`.

mod from_writes;
mod infer_tiles;
mod legalize;
mod to_dma;

use aiec_aie::ir::Module;
use aiec_aie::ops::{ControlPacket, OpView};
use aiec_device::{DeviceModel, TileLoc};
use aiec_diag::{Diag, codes};

pub use from_writes::PASS as FROM_WRITES;
pub use infer_tiles::PASS as INFER_TILES;
pub use legalize::PASS as LEGALIZE;
pub use to_dma::PASS as TO_DMA;

codes! {
    /// Codes of the control packet passes.
    pub static CODES;
    ADDRESS = "control-packet::address",
        "The address of a control packet is that of a register in the array, \
         column << 25 | row << 20 | offset; it names the tile that the packet goes to.";
    WORDS = "control-packet::words",
        "The words of a block write become control packets if they are known when the design is \
         compiled: a `memref.get_global` of a `memref.global` with 32-bit initial values.";
}

/// Words that one control packet can write (AM020, control packets: two bits for their number).
const MAX_WORDS: usize = 4;

/// The tile that a packet goes to.
fn target(
    module: &Module,
    model: &DeviceModel,
    packet: ControlPacket,
) -> Result<TileLoc, Box<Diag>> {
    let address = packet.address(module);
    let (loc, _) = model.split_address(address);
    if model.contains(loc) {
        return Ok(loc);
    }
    let message = format!("address {address:#x} lies in no tile of {}", model.name());
    let diag = Diag::error(&ADDRESS, message)
        .label(
            module.span(packet.op()),
            format!("column {}, row {}", loc.col, loc.row),
        )
        .help("addresses are column << 25 | row << 20 | offset");
    Err(Box::new(diag))
}
