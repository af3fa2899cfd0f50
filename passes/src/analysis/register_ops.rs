//! Register operations: the currency between the lowerings of device configuration and runtime
//! sequence on one side and the making of jobs on the other.
//!
//! A list of them is executed in order. Addresses are partition-relative byte addresses
//! (`column << 25 | row << 20 | offset`), values are 32-bit words, each with the location of the
//! operation it comes from.

use aiec_aie::ir::Loc;
use aiec_device::{DeviceModel, DmaDir, TileLoc};

/// What one operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegAction {
    /// Writes a register.
    Write {
        /// Where.
        address: u32,
        /// What.
        value: u32,
    },
    /// Changes some bits of a register.
    Mask {
        /// Where.
        address: u32,
        /// Bits to change.
        mask: u32,
        /// Their new values; other bits are 0.
        value: u32,
    },
    /// Writes consecutive registers or memory words.
    Block {
        /// Of the first word.
        address: u32,
        /// The words.
        words: Vec<u32>,
    },
    /// Writes a shim BD whose address field receives the address of a host buffer when the code
    /// is loaded. The byte offset into the buffer is in the image already: the patch adds.
    PatchedBd {
        /// Of word 0 of the BD.
        address: u32,
        /// The whole BD.
        words: Vec<u32>,
        /// Argument of the runtime sequence.
        argument: u32,
    },
    /// Reads a word of the array and writes it, with something added, elsewhere.
    Copy {
        /// Where it is read.
        from: u32,
        /// What is added, wrapping.
        add: u32,
        /// Where it is written.
        to: u32,
    },
    /// Waits until some bits of a register have a value.
    Poll {
        /// Where.
        address: u32,
        /// Bits to compare.
        mask: u32,
        /// What they must be.
        value: u32,
    },
    /// Waits for task complete tokens of a DMA channel.
    Wait {
        /// The channel's tile.
        tile: TileLoc,
        /// Its direction.
        dir: DmaDir,
        /// Its number.
        channel: u8,
        /// How many tokens.
        tokens: u8,
    },
}

/// An operation and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegOp {
    /// What it does.
    pub action: RegAction,
    /// Where it comes from.
    pub loc: Loc,
}

impl RegAction {
    /// The tile that it concerns, and the address that is written or polled; none of tokens.
    pub fn target(&self, model: &DeviceModel) -> (TileLoc, Option<u32>) {
        match *self {
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Block { address, .. }
            | RegAction::PatchedBd { address, .. }
            | RegAction::Copy { to: address, .. }
            | RegAction::Poll { address, .. } => (model.split_address(address).0, Some(address)),
            RegAction::Wait { tile, .. } => (tile, None),
        }
    }
}

impl RegOp {
    /// See [`RegAction::Write`].
    pub fn write(address: u32, value: u32, loc: Loc) -> RegOp {
        RegOp {
            action: RegAction::Write { address, value },
            loc,
        }
    }

    /// See [`RegAction::Mask`].
    pub fn mask(address: u32, mask: u32, value: u32, loc: Loc) -> RegOp {
        let value = value & mask;
        RegOp {
            action: RegAction::Mask {
                address,
                mask,
                value,
            },
            loc,
        }
    }

    /// See [`RegAction::Block`].
    pub fn block(address: u32, words: Vec<u32>, loc: Loc) -> RegOp {
        RegOp {
            action: RegAction::Block { address, words },
            loc,
        }
    }

    /// See [`RegAction::Poll`].
    pub fn poll(address: u32, mask: u32, value: u32, loc: Loc) -> RegOp {
        RegOp {
            action: RegAction::Poll {
                address,
                mask,
                value,
            },
            loc,
        }
    }

    /// See [`RegAction::Wait`].
    pub fn wait(tile: TileLoc, dir: DmaDir, channel: u8, tokens: u8, loc: Loc) -> RegOp {
        RegOp {
            action: RegAction::Wait {
                tile,
                dir,
                channel,
                tokens,
            },
            loc,
        }
    }
}
