//! Task complete tokens.
//!
//! A token is a packet through the tile's TileControl port: a header whose packet id is the low
//! five bits of the controller id, and a word: `[7:0]` controller id, `[11:8]` actor, `[14:12]`
//! type 6, `[20:16]` row and `[27:21]` column of the sender, `[31]` odd parity (xdna-emu; AM020 for
//! the controller id). That the word follows its own header is known from designs that
//! run on silicon though their last port drops headers (mlir-aie: test/npu-xrt,
//! dma_configure_task_token). Where the port is configured a token takes that way, and ends at the
//! shim's Controller32 port, or at South 0 of an NPU.
//!
//! A known simplification: where the port is not configured, the token reaches the
//! micro-controller of its column after a fixed time all the same. The actor ids are the device's
//! (`aiebu: src/cpp/common/disassembler_state.h` for AIE2ps).

use aiec_device::TileLoc;

use super::stream_switch::packet::{PacketHeader, with_parity};
use crate::time::Cycle;

/// One task complete token at a column's micro-controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The tile whose channel finished a task.
    pub tile: TileLoc,
    /// Actor id of the channel in its tile.
    pub actor: u8,
    /// Controller_ID field of the channel's control register.
    pub controller: u8,
    /// When it arrived.
    pub at: Cycle,
    /// It came as a packet, by a way that switches lead.
    pub routed: bool,
    /// Words of each BD of the task, if the channel finishes on TLAST in mode 2.
    pub counts: Vec<u32>,
}

/// Packet type of a token; one more for actors from 16 on.
const TYPE: u32 = 6;

impl Token {
    /// The header of the packet.
    pub(crate) fn header(&self) -> u32 {
        PacketHeader::new(self.controller, 0, self.tile).word()
    }

    /// The word after the header.
    pub(crate) fn word(&self) -> u32 {
        let word = u32::from(self.controller)
            | u32::from(self.actor) << 8
            | TYPE << 12
            | u32::from(self.tile.row & 0x1F) << 16
            | u32::from(self.tile.col & 0x7F) << 21;
        with_parity(word)
    }

    /// The token of a packet that arrives at `at`, with or without its header; `None` if it is
    /// another sort of packet.
    pub(crate) fn from_packet(words: &[u32], at: Cycle) -> Option<Token> {
        let kind = |word: u32| word >> 12 & 0x7;
        let headless = match words.split_first()? {
            (&header, rest) if kind(header) == 0 => rest,
            _ => words,
        };
        let (&word, counts) = headless.split_first()?;
        let kind = kind(word);
        (kind >= TYPE).then(|| Token {
            tile: TileLoc::new((word >> 21 & 0x7F) as u8, (word >> 16 & 0x1F) as u8),
            actor: (word >> 8 & 0xF) as u8 | ((kind - TYPE) as u8) << 4,
            controller: word as u8,
            at,
            routed: true,
            counts: counts.to_vec(),
        })
    }

    /// The tile as CERT's WAIT_TCTS names it: `col << 5 | row`.
    pub fn tile_operand(&self) -> u16 {
        u16::from(self.tile.col) << 5 | u16::from(self.tile.row)
    }
}
