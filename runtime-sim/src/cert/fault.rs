//! Faults of control code.

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
        let (page, offset) = (self.page, self.offset);
        let (uc, mnemonic) = (self.uc, self.mnemonic);
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
        /// Reason.
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
    /// The code isn't where it was loaded any more.
    #[error("controller {uc} cannot fetch page {page}: {fault}")]
    Fetch {
        /// Controller.
        uc: u32,
        /// Page number.
        page: u16,
        /// Reason.
        fault: HostFault,
    },
    /// An instruction cannot be executed.
    #[error("{site}: {fault}")]
    Instruction {
        /// The instruction.
        site: InstructionSite,
        /// Reason.
        fault: InstructionFault,
    },
}

/// Faults of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstructionFault {
    /// An access of the register bus to nothing.
    #[error("{0}")]
    Bus(BusFault),
    /// A register number that doesn't exist.
    #[error("there is no register {0}")]
    Register(u32),
    /// A wait handle, the register's value, that no descriptor chain gave.
    #[error("{0} isn't a wait handle of a chain of this controller")]
    Handle(u32),
    /// A descriptor or its data leave the page.
    #[error("the descriptor at page offset 0x{at:X} {what}")]
    Descriptor {
        /// Byte offset of the descriptor in the page.
        at: usize,
        /// The defect.
        what: &'static str,
    },
    /// A BD image to be patched leaves the page, or its argument doesn't exist.
    #[error("{0}")]
    Patch(String),
    /// A launch of a job that cannot be launched.
    #[error("job {job} {what}")]
    Launch {
        /// Number of the job.
        job: u16,
        /// The defect.
        what: &'static str,
    },
    /// Two jobs wait for tokens of one actor.
    #[error("another job already waits for tokens of actor {actor} of tile ({col}, {row})")]
    TokenClash {
        /// Column.
        col: u8,
        /// Row.
        row: u8,
        /// Actor.
        actor: u8,
    },
    /// A barrier that is used in contradictory ways.
    #[error("{0}")]
    Barrier(String),
    /// An instruction that has no meaning here.
    #[error("{0}")]
    NotExecutable(&'static str),
}

impl InstructionFault {
    /// The fault of an instruction.
    pub(super) fn at(self, site: InstructionSite) -> CertFault {
        CertFault::Instruction { site, fault: self }
    }
}

impl CertFault {
    /// The instruction at fault, if one is.
    pub fn site(&self) -> Option<InstructionSite> {
        match self {
            Self::Instruction { site, .. } => Some(*site),
            _ => None,
        }
    }
}
