//! Waits of jobs.

use std::fmt;

use aiec_device::{ChannelId, LockId, TileLoc};

use crate::cert::InstructionSite;

/// The wait of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobWait {
    /// The cause of its wait.
    pub reason: JobWaitReason,
    /// Where in its program it waits.
    pub site: WaitSite,
}

/// Where in its program a job or the firmware waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitSite {
    /// In an instruction of control code.
    Instruction(InstructionSite),
    /// In an operation of a transaction.
    Operation {
        /// Name of the operation.
        name: &'static str,
        /// Byte offset in the transaction.
        offset: usize,
    },
}

/// Cause of a wait of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobWaitReason {
    /// A chain of uC-DMA descriptors.
    UcDma,
    /// A free place in the queue of the uC-DMA.
    UcDmaQueue,
    /// Tokens.
    Tokens {
        /// The tile that would send them.
        tile: TileLoc,
        /// The actor id in the tokens.
        actor: u8,
        /// The channel of that actor id; `None` if there is none.
        sender: Option<ChannelId>,
        /// Number of tokens that the job takes.
        need: u8,
        /// Number that has arrived.
        arrived: u32,
    },
    /// Other jobs of the page.
    LocalBarrier {
        /// Number of the barrier.
        barrier: u8,
        /// Jobs that it is for.
        participants: u8,
    },
    /// Jobs of other controllers.
    RemoteBarrier {
        /// Number of the barrier.
        barrier: u8,
        /// Controllers that have not come.
        missing: Vec<u32>,
    },
    /// The value of a register.
    Poll {
        /// The tile.
        tile: TileLoc,
        /// Byte offset in the tile.
        offset: u32,
        /// The value wanted.
        value: u32,
        /// The bits compared.
        mask: u32,
    },
    /// The value of a word outside the array.
    ExternalPoll {
        /// Its address on the device.
        address: u64,
        /// The value wanted.
        value: u32,
        /// The bits compared.
        mask: u32,
    },
    /// A lock that the controller requests over and over.
    Spin {
        /// The lock, the operand of the request and the value now; `None` if the address names no
        /// lock.
        lock: Option<(LockId, i8, i32)>,
        /// Address of the request.
        address: u32,
    },
    /// The pages of a scope.
    SubProgram {
        /// First page.
        page: u16,
    },
    /// Tokens of any channels.
    MergedTokens {
        /// Number of columns, from the first one on.
        columns: u8,
        /// Number of tokens.
        need: u32,
        /// Number that has arrived.
        arrived: u32,
    },
    /// All controllers.
    SyncPoint,
}

impl fmt::Display for JobWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, offset) = match self.site {
            WaitSite::Instruction(site) => (site.mnemonic, usize::from(site.offset)),
            WaitSite::Operation { name, offset } => (name, offset),
        };
        write!(f, "{} ({name} at offset 0x{offset:X})", self.reason)
    }
}

impl fmt::Display for JobWaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UcDma => f.write_str("a chain of uC-DMA descriptors"),
            Self::UcDmaQueue => f.write_str("room in the queue of the uC-DMA"),
            Self::Tokens {
                tile,
                actor,
                sender,
                need,
                arrived,
            } => {
                write!(f, "{need} token(s) from ")?;
                match sender {
                    Some(sender) => write!(f, "{sender}")?,
                    None => write!(f, "actor {actor} of tile {tile}, which isn't a DMA channel")?,
                }
                write!(f, " ({arrived} arrived)")
            }
            Self::LocalBarrier {
                barrier,
                participants,
            } => write!(f, "{participants} jobs at local barrier {barrier}"),
            Self::RemoteBarrier { barrier, missing } => {
                let missing: Vec<String> = missing.iter().map(u32::to_string).collect();
                let missing = missing.join(", ");
                write!(f, "controller(s) {missing} at remote barrier {barrier}")
            }
            Self::Poll {
                tile,
                offset,
                value,
                mask,
            } => write!(
                f,
                "register 0x{offset:05x} of tile {tile} to become 0x{value:x} under mask 0x{mask:x}"
            ),
            Self::ExternalPoll {
                address,
                value,
                mask,
            } => write!(
                f,
                "the word at address 0x{address:x} to become 0x{value:x} under mask 0x{mask:x}"
            ),
            Self::Spin {
                lock: Some((lock, operand, value)),
                ..
            } => write!(f, "{lock} (operand {operand}, it is {value})"),
            Self::Spin { address, .. } => write!(f, "a lock at address 0x{address:x}"),
            Self::SubProgram { page } => write!(f, "the pages of a scope from page {page} on"),
            Self::MergedTokens {
                columns,
                need,
                arrived,
            } => write!(
                f,
                "{need} tokens from {columns} column(s) ({arrived} arrived)"
            ),
            Self::SyncPoint => f.write_str("all controllers to load as many configurations"),
        }
    }
}
