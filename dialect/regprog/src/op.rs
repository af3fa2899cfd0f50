//! Register operations: writes, polls and copies of words of the array, and waits for its tokens.

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
    /// Reads a register for the host, which gets the word when the run is over.
    Read {
        /// Register's address.
        address: u32,
    },
    /// Waits for task complete tokens of a DMA channel.
    Wait {
        /// Channel that sends the tokens.
        channel: ChannelId,
        /// Number of tokens.
        tokens: u8,
    },
    /// Waits for one token of the same channel in each tile of a rectangle.
    Sync {
        /// Channel of the tile with the lowest column and row.
        first: ChannelId,
        /// Columns of the rectangle.
        columns: u8,
        /// Rows of the rectangle.
        rows: u8,
    },
    /// Adds the address of a host buffer to the address field of a BD that an earlier operation
    /// wrote. [`RegAction::PatchedBd`] is both in one; texts may have other writes between them.
    Patch {
        /// Address of the register with the (low part of the) address field.
        address: u32,
        /// Argument of the runtime sequence.
        argument: u32,
        /// Byte offset into the buffer.
        plus: u64,
    },
    /// Point at which the driver may switch to another context.
    Preempt {
        /// State to save: 0 nothing, 1 mem tiles, 2 core tiles, 3 registers
        /// (`mlir-aie: include/aie/Dialect/AIEX/IR/AIEX.td`, `NpuPreemptOp`).
        level: u8,
    },
    /// NPU firmware copies words of the host into its state table (`aie-rt: xaie_txn.h`).
    CreateScratchpad {
        /// Purpose: 0 for the state table.
        usage: u8,
        /// Bytes, at most 128.
        bytes: u32,
    },
    /// NPU firmware adds a word of its state table to the address in two registers, of which it
    /// keeps bits 16 and above of the second and clears bits 0 and 1 of the first.
    UpdateFromScratchpad {
        /// Address of the first register.
        address: u32,
        /// Word of the state table, below 32.
        index: u8,
        /// Function applied to the word and `argument`: 0 multiply, 1 increment, 2 decrement.
        function: u8,
        /// Second operand of the function.
        argument: u32,
    },
}

/// Reason why a form of code has no counterpart for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The form has no addresses of host buffers.
    HostAddress,
    /// The form can't add to a word that it reads from the array.
    Copy,
    /// The form can't wait for registers or tokens.
    Wait,
    /// The form has no preemption points of its own.
    Preemption,
    /// The form returns nothing to the host.
    Read,
    /// The form has no state table.
    Scratchpad,
    /// The words are data beside the code, not part of an instruction.
    Data,
    /// No tile of the device has the channel.
    Channel(ChannelId),
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
    /// The tile acted on, and the address written or polled. Waits have no address; preemption
    /// points act on no tile and count for the first one, so that they have a place in any order by tiles.
    pub fn target(&self, model: &DeviceModel) -> (TileLoc, Option<u32>) {
        match *self {
            RegAction::Write { address, .. }
            | RegAction::Mask { address, .. }
            | RegAction::Block { address, .. }
            | RegAction::PatchedBd { address, .. }
            | RegAction::Copy { to: address, .. }
            | RegAction::Patch { address, .. }
            | RegAction::UpdateFromScratchpad { address, .. }
            | RegAction::Read { address }
            | RegAction::Poll { address, .. } => (model.split_address(address).0, Some(address)),
            RegAction::Wait { channel, .. } | RegAction::Sync { first: channel, .. } => {
                (channel.tile, None)
            }
            RegAction::Preempt { .. } | RegAction::CreateScratchpad { .. } => {
                (TileLoc::new(0, 0), None)
            }
        }
    }

    /// The channels whose tokens the operation waits for, each with the number of tokens.
    pub fn awaited(&self) -> impl Iterator<Item = (ChannelId, u8)> + use<> {
        let (first, columns, rows, tokens) = match *self {
            RegAction::Wait { channel, tokens } => (Some(channel), 1, 1, tokens),
            RegAction::Sync {
                first,
                columns,
                rows,
            } => (Some(first), columns, rows, 1),
            _ => (None, 0, 0, 0),
        };
        first.into_iter().flat_map(move |first| {
            let columns = (0..columns).map(move |col| first.tile.col.saturating_add(col));
            columns.flat_map(move |col| {
                (0..rows).map(move |row| {
                    let tile = TileLoc::new(col, first.tile.row.saturating_add(row));
                    (ChannelId { tile, ..first }, tokens)
                })
            })
        })
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
