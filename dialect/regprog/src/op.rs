//! Register operations: what writes, polls and copies words of the array, and waits for its tokens.

use aiec_device::{ChannelId, DeviceModel, TileLoc};

/// Action of one operation.
///
/// Addresses are partition-relative byte addresses (`column << 25 | row << 20 | offset`; AM025),
/// values are 32-bit words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegAction {
    /// Writes a register.
    Write {
        /// Register's address.
        address: u32,
        /// New value.
        value: u32,
    },
    /// Changes some bits of a register.
    Mask {
        /// Register's address.
        address: u32,
        /// Bits to change.
        mask: u32,
        /// Their new values; other bits are 0.
        value: u32,
    },
    /// Writes consecutive registers or memory words.
    Block {
        /// Address of the first word.
        address: u32,
        /// Words, in ascending order of addresses.
        words: Vec<u32>,
    },
    /// Writes a shim BD whose address field receives the address of a host buffer when the code
    /// is loaded. The image already holds the byte offset into the buffer, because a patch adds
    /// to the field instead of replacing it.
    PatchedBd {
        /// Address of word 0 of the BD.
        address: u32,
        /// The whole BD.
        words: Vec<u32>,
        /// Argument of the runtime sequence.
        argument: u32,
    },
    /// Reads a word of the array, adds to it, and writes the sum elsewhere.
    Copy {
        /// Address that is read.
        from: u32,
        /// Addend; the sum wraps.
        add: u32,
        /// Address that is written.
        to: u32,
    },
    /// Waits until some bits of a register have a value.
    Poll {
        /// Register's address.
        address: u32,
        /// Bits to compare.
        mask: u32,
        /// Value to wait for.
        value: u32,
    },
    /// Waits for task complete tokens of a DMA channel.
    Wait {
        /// Channel that sends the tokens.
        channel: ChannelId,
        /// Number of tokens.
        tokens: u8,
    },
}

/// An operation with the location of the source that it implements.
///
/// `L` is whatever the maker of the list uses for locations, so that lists are independent of any IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegOp<L> {
    /// Action.
    pub action: RegAction,
    /// Source location.
    pub loc: L,
}

impl RegAction {
    /// The tile acted on, and the address written or polled; `None` for waits, which have no address.
    pub fn target(&self, model: &DeviceModel) -> (TileLoc, Option<u32>) {
        match *self {
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Block { address, .. }
            | RegAction::PatchedBd { address, .. }
            | RegAction::Copy { to: address, .. }
            | RegAction::Poll { address, .. } => (model.split_address(address).0, Some(address)),
            RegAction::Wait { channel, .. } => (channel.tile, None),
        }
    }
}

impl<L> RegOp<L> {
    /// Makes a [`RegAction::Write`].
    pub fn write(address: u32, value: u32, loc: L) -> RegOp<L> {
        RegOp {
            action: RegAction::Write { address, value },
            loc,
        }
    }

    /// Makes a [`RegAction::Mask`]; bits of `value` outside `mask` are dropped.
    pub fn mask(address: u32, mask: u32, value: u32, loc: L) -> RegOp<L> {
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

    /// Makes a [`RegAction::Block`].
    pub fn block(address: u32, words: Vec<u32>, loc: L) -> RegOp<L> {
        RegOp {
            action: RegAction::Block { address, words },
            loc,
        }
    }

    /// Makes a [`RegAction::Poll`].
    pub fn poll(address: u32, mask: u32, value: u32, loc: L) -> RegOp<L> {
        RegOp {
            action: RegAction::Poll {
                address,
                mask,
                value,
            },
            loc,
        }
    }

    /// Makes a [`RegAction::Wait`].
    pub fn wait(channel: ChannelId, tokens: u8, loc: L) -> RegOp<L> {
        RegOp {
            action: RegAction::Wait { channel, tokens },
            loc,
        }
    }
}
