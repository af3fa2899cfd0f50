//! Task complete tokens.
//!
//! A known simplification: a token reaches the micro-controller of the column of its tile after
//! a fixed time, whether or not the stream switches route the tile's TileControl port there. On
//! silicon it is a packet through the control overlay. The actor ids are the device's
//! (`aiebu: src/cpp/common/disassembler_state.h` for AIE2ps).

use aiec_device::TileLoc;

use crate::time::Cycle;

/// One task complete token at a column's micro-controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The tile whose channel finished a task.
    pub tile: TileLoc,
    /// Actor id of the channel in its tile.
    pub actor: u8,
    /// Controller_ID field of the channel's control register.
    pub controller: u8,
    /// When it arrived.
    pub at: Cycle,
}

impl Token {
    /// The tile as CERT's WAIT_TCTS names it: `col << 5 | row`.
    pub fn tile_operand(&self) -> u16 {
        u16::from(self.tile.col) << 5 | u16::from(self.tile.row)
    }
}
