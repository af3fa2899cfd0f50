//! Operations of the firmware of an NPU, as traces name them.

use aiec_cert::program::SourceLoc;

use super::stored_enum::stored_enum;

stored_enum! {
    /// Which program the firmware executes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
    pub enum FirmwareProgram {
        /// The transaction of the run.
        #[error("the transaction")]
        Transaction,
        /// The program that saves the memory tiles.
        #[error("the program that saves")]
        Save,
        /// The program that restores them.
        #[error("the program that restores")]
        Restore,
        /// The configuration of an xclbin.
        #[error("the xclbin's PDI")]
        XclbinPdi,
        /// A configuration of an ELF, by its number.
        #[error("PDI {0}")]
        Pdi(id: u32),
    }
}

/// An operation of a transaction, or a command of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirmwareOperation {
    /// The program.
    pub program: FirmwareProgram,
    /// Byte offset in a transaction, number of the command in a configuration.
    pub offset: u32,
    /// Name.
    pub name: &'static str,
    /// Line of the design that it comes from, where that was compiled here.
    pub source: Option<SourceLoc>,
}
