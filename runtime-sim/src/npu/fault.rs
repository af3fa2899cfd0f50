//! Faults that end a run of the firmware.

use crate::array::BusFault;

/// Why the firmware stopped. Offsets are bytes in the transaction, or in the PDI that it loads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FirmwareFault {
    /// The bytes aren't a transaction or configuration.
    #[error("{what}: {why}")]
    Malformed {
        /// Which program.
        what: String,
        /// The defect.
        why: String,
    },
    /// An operation reaches what isn't there.
    #[error("{name} at offset 0x{offset:X} of {program}: {fault}")]
    Bus {
        /// Which program.
        program: String,
        /// Name of the operation.
        name: &'static str,
        /// Byte offset of the operation.
        offset: usize,
        /// The defect.
        fault: BusFault,
    },
    /// An operation that can't be executed.
    #[error("{name} at offset 0x{offset:X} of {program}: {why}")]
    Operation {
        /// Which program.
        program: String,
        /// Name of the operation.
        name: &'static str,
        /// Byte offset of the operation.
        offset: usize,
        /// The defect.
        why: String,
    },
}
