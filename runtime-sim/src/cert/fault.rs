//! What control code can do wrong.

use std::fmt;

use crate::array::BusFault;
use crate::host::HostFault;
use crate::npu::FirmwareFault;

/// Where an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionSite {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u16,
    /// Byte offset in the page.
    pub offset: u16,
    /// Mnemonic.
    pub mnemonic: &'static str,
}

impl fmt::Display for InstructionSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            uc,
            page,
            offset,
            mnemonic,
        } = self;
        write!(
            f,
            "{mnemonic} at page {page} offset 0x{offset:X} of controller {uc}"
        )
    }
}

/// A fault of the control code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertFault {
    /// The firmware of an NPU stopped.
    #[error("{0}")]
    Firmware(FirmwareFault),
    /// A page cannot be executed.
    #[error("page {page} of controller {uc}: {why}")]
    Page {
        /// Controller.
        uc: u32,
        /// Page number.
        page: u16,
        /// Why.
        why: String,
    },
    /// Two jobs of a page have one number.
    #[error("page {page} of controller {uc} has two jobs {job}")]
    DuplicateJob {
        /// Controller.
        uc: u32,
        /// Page number.
        page: u16,
        /// Number of the jobs.
        job: u16,
    },
    /// A page number that the controller doesn't have.
    #[error("controller {uc} has {count} pages, page {page} is wanted")]
    PageNumber {
        /// Controller.
        uc: u32,
        /// Page wanted.
        page: u32,
        /// Pages there are.
        count: u32,
    },
    /// The code is no longer where it was loaded.
    #[error("controller {uc} cannot fetch page {page}: {fault}")]
    Fetch {
        /// Controller.
        uc: u32,
        /// Page number.
        page: u16,
        /// Why.
        fault: HostFault,
    },
    /// An access of the register bus to nothing.
    #[error("{site}: {fault}")]
    Bus {
        /// The instruction.
        site: InstructionSite,
        /// Why.
        fault: BusFault,
    },
    /// A register number that doesn't exist.
    #[error("{site}: there is no register {register}")]
    Register {
        /// The instruction.
        site: InstructionSite,
        /// The number.
        register: u32,
    },
    /// A wait handle that no descriptor chain gave.
    #[error("{site}: {handle} is no wait handle of a chain of this controller")]
    Handle {
        /// The instruction.
        site: InstructionSite,
        /// The register's value.
        handle: u32,
    },
    /// A descriptor or its data leave the page.
    #[error("{site}: the descriptor at page offset 0x{at:X} {what}")]
    Descriptor {
        /// The instruction.
        site: InstructionSite,
        /// Byte offset of the descriptor in the page.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A BD image to be patched leaves the page, or its argument doesn't exist.
    #[error("{site}: {what}")]
    Patch {
        /// The instruction.
        site: InstructionSite,
        /// What is wrong.
        what: String,
    },
    /// A launch of a job that cannot be launched.
    #[error("{site}: job {job} {what}")]
    Launch {
        /// The instruction.
        site: InstructionSite,
        /// Number of the job.
        job: u16,
        /// What is wrong.
        what: &'static str,
    },
    /// Two jobs wait for tokens of one actor.
    #[error("{site}: another job already waits for tokens of actor {actor} of tile ({col}, {row})")]
    TokenClash {
        /// The instruction.
        site: InstructionSite,
        /// Column.
        col: u8,
        /// Row.
        row: u8,
        /// Actor.
        actor: u8,
    },
    /// A barrier that is used in contradictory ways.
    #[error("{site}: {what}")]
    Barrier {
        /// The instruction.
        site: InstructionSite,
        /// What is wrong.
        what: String,
    },
    /// An instruction that has no meaning here.
    #[error("{site}: {what}")]
    NotExecutable {
        /// The instruction.
        site: InstructionSite,
        /// Why.
        what: &'static str,
    },
}

impl CertFault {
    /// The instruction at fault, if one is.
    pub fn site(&self) -> Option<InstructionSite> {
        match self {
            Self::Firmware(_)
            | Self::Page { .. }
            | Self::DuplicateJob { .. }
            | Self::PageNumber { .. }
            | Self::Fetch { .. } => None,
            Self::Bus { site, .. }
            | Self::Register { site, .. }
            | Self::Handle { site, .. }
            | Self::Descriptor { site, .. }
            | Self::Patch { site, .. }
            | Self::Launch { site, .. }
            | Self::TokenClash { site, .. }
            | Self::Barrier { site, .. }
            | Self::NotExecutable { site, .. } => Some(*site),
        }
    }
}
