//! Files that drivers of Ryzen AI load: transactions, configurations, PDIs, xclbin and ELF files of a
//! design. The lowerings are those of control code: a device's configuration becomes a CDO, a runtime
//! sequence a transaction.
//!
//! | kind | holds | for |
//! |---|---|---|
//! | `insts` | the transaction of a sequence | npu1, npu2, beside an xclbin |
//! | `cdo` | the configuration in three files | tools of boot images |
//! | `pdi` | the configuration of each device | npu1, npu2 |
//! | `xclbin` | the PDI of a device and the kernel's signature | npu1, npu2 |
//! | `npu-elf` | PDIs of all devices, transactions of all sequences | npu2 |

mod configuration;
mod control_packets;
mod files;
mod transaction;

pub(crate) use transaction::operations;

pub use configuration::{cdo_files, pdi_files};
pub use control_packets::control_packets;
pub use files::{chosen, device_of, full_elf, instructions, operation_lines, partial_elf, xclbin};

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, Device, OpView, RuntimeSequence};
use aiec_cert::debug::DebugInfo;
use aiec_codegen::CorePrograms;
use aiec_device::{Arch, DeviceModel};
use aiec_diag::{Diag, Diags, Reported, SourceMap, codes};
use aiec_npu::txn::{GENERATION_NPU1, GENERATION_NPU2};
use aiec_passes::analysis::core_elf;

use crate::debug_names;

codes! {
    /// Codes of the emission of what Ryzen AI loads.
    pub static CODES;
    NO_FIRMWARE = "npu::no-firmware",
        "Transactions, PDIs, xclbin and their ELF are for the firmware of the NPUs (npu1, npu2 and \
         their parts). Other devices have none that reads them: xcve3858 loads control code \
         (`--emit=ctrl-elf`).";
    NO_FULL_ELF = "npu::no-full-elf",
        "The driver of npu1 refuses ELF files that hold PDIs (its firmware lacks the command). Write \
         an xclbin and its instructions: `--emit=xclbin,insts`.";
    NO_MACHINE_CODE = "npu::no-machine-code",
        "Hardware executes machine code only, and this core has a body that nothing compiled. Give \
         the core an `elf_file`, let `--peano` compile it, or ask with `--core=model` for a file \
         with the simulator's own programs, which no hardware runs.";
    NO_TRANSACTION = "npu::no-such-operation",
        "A transaction writes registers, waits for them and for tokens; it can't do this.";
    CONTROL_PACKET = "npu::control-packet",
        "A control packet writes or reads one to four registers of a tile, which it finds by the tile's \
         controller id. A host buffer holds the packets, and transfers of the sequence stream them \
         (`aiec opt --aie-ctrl-packet-to-dma`).";
    KERNEL_TWICE = "npu::kernel-twice",
        "An xclbin finds its kernels by name and by id: a kernel that is added to those of another file \
         needs a name and an id of its own.";
    SEVERAL_DEVICES = "npu::several-devices",
        "A transaction beside an xclbin runs on one configuration: the host patches no addresses \
         of PDIs in it. Sequences that load devices need the ELF (`--emit=npu-elf`).";
}

/// Options of files for Ryzen AI.
#[derive(Clone, Debug, Default)]
pub struct NpuOptions {
    /// Name of the device; empty if none is chosen.
    pub device: String,
    /// Name of the runtime sequence; empty if none is chosen.
    pub sequence: String,
    /// Cores with bodies get the simulator's programs; the files are not for hardware.
    pub model_cores: bool,
    /// Addresses beside an xclbin are those of the host: the runtime adds the offset of the array's window
    /// itself.
    pub unfolded: bool,
    /// Loads of devices in ELF files become a reset and writes of the device's configuration.
    pub expand_loads: bool,
    /// Name of the kernel of an xclbin, if it is not the usual one.
    pub kernel: Option<String>,
    /// Name of its instance.
    pub instance: Option<String>,
    /// Its number (12 bits).
    pub kernel_id: Option<u16>,
    /// An xclbin whose kernels come first in the one that is written.
    pub xclbin_input: Option<Vec<u8>>,
}

/// Names and source lines of a design, which its files for Ryzen AI have no place for.
pub fn debug_info(
    module: &Module,
    device: Device,
    sequence: RuntimeSequence,
    sources: &SourceMap,
) -> DebugInfo {
    let mut debug = DebugInfo {
        files: debug_names::file_names(sources),
        ..DebugInfo::default()
    };
    let cores = CorePrograms::default();
    debug_names::fill(&mut debug, module, device, Some(sequence), &cores, sources);
    debug
}

/// The name of a kernel made for the simulator only; hosts that look for the usual one don't find it.
pub const MODEL_KERNEL: &str = "AIEC_MODEL_ONLY";

/// The model of a device that has firmware.
pub(crate) fn firmware_model(
    module: &Module,
    device: Device,
    diags: &mut Diags,
) -> Result<(&'static DeviceModel, u8), Reported> {
    // the verifier reports unknown devices
    let model = device.model(module).ok_or(Reported)?;
    match model.arch() {
        Arch::Aie2 if !model.has_cert() => Ok((model, GENERATION_NPU1)),
        Arch::Aie2p => Ok((model, GENERATION_NPU2)),
        _ => {
            let message = format!("{} has no firmware that loads this", model.name());
            let diag = Diag::error(&NO_FIRMWARE, message)
                .label(module.span(device.op()), "this device")
                .help("use control code: `aiec DESIGN.mlir --emit=ctrl-elf`");
            Err(diags.fail(diag))
        }
    }
}

/// Refuses cores without machine code, unless the simulator's programs are asked for.
///
/// # Errors
/// A core has none.
pub fn check_cores(
    module: &Module,
    device: Op,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<(), Reported> {
    if choice.model_cores {
        return Ok(());
    }
    for core in module.children::<Core>(device) {
        if core_elf::file_of(module, core).is_none() {
            let place = core.tile_loc(module);
            let place = place.map_or(String::new(), |loc| format!(" {loc}"));
            let diag = Diag::error(&NO_MACHINE_CODE, format!("core{place} has no machine code"))
                .label(module.span(core.op()), "this body isn't compiled")
                .help(
                    "compile it with `--peano=FOLDER`, name an `elf_file`, or write `--core=model` \
                     for a file that only the simulator runs",
                );
            diags.push(diag);
        }
    }
    diags.check()
}
