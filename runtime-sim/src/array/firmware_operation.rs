//! Operations of the firmware of an NPU, as traces name them.

use std::fmt;

use aiec_cert::program::SourceLoc;

use super::stored_enum::stored_enum;

stored_enum! {
    /// Which program the firmware executes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FirmwareProgram {
        /// The transaction of the run.
        Transaction,
        /// The program that saves the memory tiles.
        Save,
        /// The program that restores them.
        Restore,
        /// The configuration of an xclbin.
        XclbinPdi,
        /// A configuration of an ELF, by its number.
        Pdi(id: u32),
    }
}

impl fmt::Display for FirmwareProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transaction => f.write_str("the transaction"),
            Self::Save => f.write_str("the program that saves"),
            Self::Restore => f.write_str("the program that restores"),
            Self::XclbinPdi => f.write_str("the xclbin's PDI"),
            Self::Pdi(id) => write!(f, "PDI {id}"),
        }
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
