//! Requests of aiecc's options beyond the kinds of `--emit` (mlir-aie: `tools/aiecc/aiecc.cpp`).

use std::path::PathBuf;

/// Requests of aiecc's options.
#[derive(Clone, Debug, Default)]
pub struct AieccChoice {
    /// The command is aiecc's: Peano is asked for always, whether or not something is compiled.
    pub is_aiecc: bool,
    /// The design before routing, when all that has an address or a number has it.
    pub addresses: Option<PathBuf>,
    /// The design with a sequence that configures the device.
    pub transaction: Option<PathBuf>,
    /// The device's configuration, or its sequence's control packets, as the host streams them.
    pub control_packets: Option<PathBuf>,
    /// The transaction that streams the packets of the configuration.
    pub packet_transfers: Option<PathBuf>,
    /// Loads of devices become writes of their configurations.
    pub expand_loads: bool,
    /// Addresses are the host's in transactions beside an xclbin.
    pub unfolded: bool,
}
