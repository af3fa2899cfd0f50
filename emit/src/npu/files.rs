//! The files that hold transactions and PDIs.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_cert::program::SourceLoc;
use aiec_diag::{Diag, Diags, Reported, SourceMap};
use aiec_npu::elf::{FullElf, NpuKernel, NpuProgram, write_full, write_partial};
use aiec_npu::txn::{GENERATION_NPU1, TransactionReader};
use aiec_npu::xclbin::{
    NpuXclbin, Partition, PartitionPdi, Xclbin, XclbinIdentity, XclbinKernel, content_uuid,
};
use aiec_passes::jobs::program::{choose_device, choose_sequence};

use crate::debug_names;

use super::configuration::{device_pdi, devices, empty_pdi};
use super::transaction::{DeviceLoading, PdiNumbers, transaction};
use super::{KERNEL_TWICE, MODEL_KERNEL, NO_FULL_ELF, NpuOptions, firmware_model};

/// Columns of the arrays of npu1 and npu2 at which a design may begin.
const NPU1_COLUMNS: u16 = 4;
const NPU2_COLUMNS: u16 = 8;
/// Fewest arguments of a kernel of a full file (mlir-aie: aiecc).
const MIN_ARGUMENTS: usize = 3;

/// The device that the choice means.
///
/// # Errors
/// There is none, or it isn't known which one is meant.
pub fn device_of(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Device, Reported> {
    choose_device(module, &choice.device, diags).map(Device)
}

/// The device and the sequence that the choice means.
///
/// # Errors
/// There is none, or it isn't known which one is meant.
pub fn chosen(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<(Device, RuntimeSequence), Reported> {
    let device = device_of(module, choice, diags)?;
    match choose_sequence(module, device.op(), &choice.sequence, diags)? {
        Some(sequence) => Ok((device, sequence)),
        None => {
            let diag = Diag::error(&super::NO_TRANSACTION, "the device has no runtime sequence")
                .label(module.span(device.op()), "this device")
                .help("write an `aie.runtime_sequence`: it is what the host runs");
            Err(diags.fail(diag))
        }
    }
}

/// The bytes of a sequence's transaction: `folded` for use beside an xclbin, where the firmware
/// patches addresses; unfolded for ELF files, where the host does.
fn bytes(
    module: &Module,
    choice: &NpuOptions,
    folded: bool,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let (device, sequence) = chosen(module, choice, diags)?;
    let made = transaction(module, device, sequence, &DeviceLoading::None, diags)?.transaction;
    Ok(if folded { made.folded() } else { made }.write())
}

/// `insts.bin`: the transaction that runs beside an xclbin.
pub fn instructions(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let (_, sequence) = chosen(module, choice, diags)?;
    let pads = module.find(sequence.op(), OpKind::NpuCreateScratchpad);
    if let Some(pad) = pads.first() {
        let message = "a transaction beside an xclbin has no address of a scratchpad: the host patches it in ELF files";
        let diag = Diag::error(&super::NO_TRANSACTION, message)
            .label(module.span(*pad), "made here")
            .help("write `--emit=npu-elf`, or `--emit=insts-elf` beside the xclbin (npu2)");
        return Err(diags.fail(diag));
    }
    bytes(module, choice, !choice.unfolded, diags)
}

/// `insts.elf`: the same for hosts that patch.
pub fn partial_elf(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let transaction = bytes(module, choice, false, diags)?;
    let program = NpuProgram {
        transaction,
        ..NpuProgram::default()
    };
    write_partial(&program).map_err(|diag| diags.fail(diag))
}

/// Number of arguments of a sequence.
fn arguments(module: &Module, sequence: Op) -> usize {
    let entry = module.entry(sequence, 0);
    entry.map_or(0, |block| module.block_args(block).len())
}

/// The kernels and PDIs of an xclbin that another is added to.
fn kernels_before(
    bytes: &[u8],
    added: &XclbinKernel,
    diags: &mut Diags,
) -> Result<NpuXclbin, Reported> {
    let read = Xclbin::read(bytes).and_then(|file| NpuXclbin::from_sections(&file));
    let before = read.map_err(|diag| diags.fail(diag))?;
    let mut kernels = before.kernels.iter();
    let same = kernels.find(|kernel| kernel.name == added.name || kernel.id == added.id);
    match same {
        None => Ok(before),
        Some(kernel) => {
            let (name, id) = (&kernel.name, kernel.id);
            let message = format!("the file has a kernel {name} with id 0x{id:x} already");
            let help = "name the new one with --xclbin-kernel-name and --xclbin-kernel-id";
            Err(diags.fail(Diag::error(&KERNEL_TWICE, message).help(help)))
        }
    }
}

/// The xclbin of a device.
pub fn xclbin(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let device = device_of(module, choice, diags)?;
    let (model, generation) = firmware_model(module, device, diags)?;
    let pdi = device_pdi(module, device, choice, diags)?;
    let sequences = module.children::<RuntimeSequence>(device.op());
    let buffers = sequences.iter().map(|s| arguments(module, s.op())).max();
    let mut kernel = XclbinKernel::with_buffers(buffers.unwrap_or(0));
    kernel.name = choice.kernel.clone().unwrap_or(kernel.name);
    kernel.instance = choice.instance.clone().unwrap_or(kernel.instance);
    kernel.id = choice.kernel_id.unwrap_or(kernel.id);
    if choice.model_cores {
        kernel.name = match &choice.kernel {
            Some(name) => format!("{MODEL_KERNEL}_{name}"),
            None => MODEL_KERNEL.to_owned(),
        };
    }
    let own_columns = u16::from(model.columns());
    let before = match &choice.xclbin_input {
        Some(bytes) => kernels_before(bytes, &kernel, diags)?,
        None => NpuXclbin::default(),
    };
    // the driver gives as many columns as the widest of the designs needs
    let columns = own_columns.max(before.partition.columns);
    let array = match generation {
        GENERATION_NPU1 => NPU1_COLUMNS,
        _ => NPU2_COLUMNS,
    };
    let name = device.name(module);
    let mut pdis = before.partition.pdis;
    pdis.push(PartitionPdi {
        uuid: content_uuid(md5::compute(&pdi).0),
        bytes: pdi,
        kernel_ids: vec![u64::from(kernel.id)],
    });
    let mut kernels = before.kernels;
    kernels.push(kernel);
    let file = NpuXclbin {
        partition: Partition {
            columns,
            start_columns: Partition::possible_starts(columns, array),
            pdis,
        },
        kernels,
        section_names: ["mem_topology".into(), format!("partition_{name}")],
    };
    file.check_limits().map_err(|diag| diags.fail(diag))?;
    let uuid = file.content_uuid();
    Ok(file.to_sections(XclbinIdentity { uuid, time: 0 }).write())
}

/// The numbers of the PDIs of a module's devices in a full ELF.
fn pdi_numbers(all: &[Device], choice: &NpuOptions) -> PdiNumbers {
    let last = all.len() as u16;
    PdiNumbers {
        devices: all
            .iter()
            .zip(1..)
            .map(|(device, id)| (device.op(), id))
            .collect(),
        empty: [last + 1, last + 2],
        expanded: choice.expand_loads,
    }
}

/// The places in the source that the operations of a sequence's transaction come from, by byte offset;
/// `loads`: in a full ELF, where the transaction loads devices.
pub fn operation_lines(
    module: &Module,
    (device, sequence): (Device, RuntimeSequence),
    loads: bool,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<BTreeMap<u32, SourceLoc>, Reported> {
    let every = NpuOptions::default();
    let numbers = pdi_numbers(&devices(module, &every), &every);
    let loads = if loads {
        DeviceLoading::Pdi(&numbers)
    } else {
        DeviceLoading::None
    };
    let made = transaction(module, device, sequence, &loads, diags)?;
    let bytes = made.transaction.write();
    let reader = TransactionReader::new(&bytes).map_err(|diag| diags.fail(diag))?;
    let offsets = reader.filter_map(|next| u32::try_from(next.ok()?.0).ok());
    let lines = offsets.zip(&made.spans).filter_map(|(offset, span)| {
        let place = debug_names::source_loc((*span)?, sources)?;
        Some((offset, place))
    });
    Ok(lines.collect())
}

/// The full ELF: a kernel for each device with sequences, an instance for each sequence, the PDIs of
/// all devices.
pub fn full_elf(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let all = devices(module, &NpuOptions::default());
    let numbers = pdi_numbers(&all, choice);
    let mut pdis = BTreeMap::new();
    for device in &all {
        let (_, generation) = firmware_model(module, *device, diags)?;
        if generation == GENERATION_NPU1 {
            let diag = Diag::error(&NO_FULL_ELF, "drivers of npu1 load no ELF with PDIs")
                .label(module.span(device.op()), "this device")
                .help("write `--emit=xclbin,insts`");
            return Err(diags.fail(diag));
        }
        let id = numbers.devices.get(&device.op()).copied().unwrap_or(0);
        pdis.insert(u32::from(id), device_pdi(module, *device, choice, diags)?);
    }
    let mut kernels = Vec::new();
    for device in devices(module, choice) {
        let kernel = kernel(module, device, choice, &numbers, &pdis, diags)?;
        kernels.extend(kernel);
    }
    if kernels.is_empty() {
        // it says which sequence is missing
        chosen(module, choice, diags)?;
    }
    let full = FullElf {
        kernels,
        custom: Vec::new(),
    };
    write_full(&full).map_err(|diag| diags.fail(diag))
}

/// The kernel of a device; none without sequences.
fn kernel(
    module: &Module,
    device: Device,
    choice: &NpuOptions,
    numbers: &PdiNumbers,
    pdis: &BTreeMap<u32, Vec<u8>>,
    diags: &mut Diags,
) -> Result<Option<NpuKernel>, Reported> {
    let mut instances = BTreeMap::new();
    let mut most = MIN_ARGUMENTS;
    let mut pdis = pdis.clone();
    for sequence in module.children::<RuntimeSequence>(device.op()) {
        let name = sequence.name(module);
        if !choice.sequence.is_empty() && name != choice.sequence {
            continue;
        }
        most = most.max(arguments(module, sequence.op()));
        let made = transaction(
            module,
            device,
            sequence,
            &DeviceLoading::Pdi(numbers),
            diags,
        )?;
        for empty in made.resets {
            pdis.insert(u32::from(empty), empty_pdi());
        }
        let program = NpuProgram {
            transaction: made.transaction.write(),
            ..NpuProgram::default()
        };
        instances.insert(name, program);
    }
    if instances.is_empty() {
        return Ok(None);
    }
    let name = if choice.model_cores {
        format!("{MODEL_KERNEL}_{}", device.name(module))
    } else {
        device.name(module)
    };
    Ok(Some(NpuKernel {
        name,
        arguments: vec![aiec_xrt_elf::KernelArgument::CharPointer; most],
        pdis,
        instances,
    }))
}
