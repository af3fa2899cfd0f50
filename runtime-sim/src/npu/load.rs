//! The host's part: buffers and programs go to host memory, addresses are patched into programs (XRT:
//! `elf_patcher.cpp`), and of several kernels one is chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use aiec_cert::program::SourceLoc;
use aiec_cert::timing::CertTiming;
use aiec_device::{Arch, DeviceModel};
use aiec_diag::{Diag, codes};
use aiec_npu::elf::{self, NpuElf, NpuInstance, PatchKind, PatchSymbol};
use aiec_npu::txn::{
    self, GENERATION_NPU1, GENERATION_NPU2, Operation, TransactionCursor, TransactionReader,
};
use aiec_npu::xclbin::{NpuXclbin, Xclbin};

use super::fault::FirmwareFault;
use super::firmware::{Firmware, HOST_OFFSET, XCLBIN_PDI};
use crate::host::{BufferId, HostBuffer, HostMemory};
use crate::time::Cycle;

codes! {
    /// Codes of loading programs of Ryzen AI.
    pub static CODES;
    NO_INSTRUCTIONS = "sim::no-instructions",
        "An xclbin holds the configuration of the array, not what a run does: the transaction of the \
         runtime sequence is a file of its own (`--insts insts.bin`, insts.txt or insts.elf).";
    NO_CONFIGURATION = "sim::no-configuration",
        "The transaction runs on an array that something else configured: a transaction or a partial \
         ELF needs the xclbin that it was made for. `--device NAME` runs it without, on an array as after a \
         reset.";
    WHICH_KERNEL = "sim::which-kernel",
        "The file holds several kernels or instances. `--kernel-name NAME` or `NAME:INSTANCE` chooses.";
    NO_SUCH_DEVICE = "sim::no-such-partition",
        "The header of the transaction names a generation and a number of columns that no device \
         has: 3 is npu1 with up to 4 columns, 4 is npu2 with up to 8.";
    OTHER_FILE = "sim::wrong-npu-file",
        "A run of an NPU needs a transaction: `insts.bin`, `insts.txt` or `insts.elf` beside an xclbin, or a \
         full ELF alone, which holds its own configurations. PDI and CDO files hold configurations only: \
         `aiec dis` lists them.";
    OTHER_GENERATION = "sim::other-generation",
        "The header of a transaction names the generation it was made for: 3 is npu1, 4 is npu2. Registers \
         and machine code of one mean something else on the other.";
    UNKNOWN_ADDRESS = "sim::unknown-address",
        "The file wants the address of a buffer that wasn't given or that hosts don't have.";
}

/// Most bytes of a scratch pad that a file may ask for: 512 KiB for each of 8 columns.
const MAX_SCRATCH: u32 = 8 * 512 * 1024;

/// Magics of files without a transaction, and the kinds of these files.
pub const NOT_TRANSACTIONS: [(&[u8], &str); 3] = [
    (b"xclbin2\0", "an xclbin"),
    (&[0xDD, 0, 0, 0, 0x44, 0x33, 0x22, 0x11], "a PDI"),
    (b"\x04\0\0\0CDO\0", "a CDO"),
];

/// A file that holds a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NpuProgramFile {
    /// A transaction alone.
    Transaction(Vec<u8>),
    /// An ELF, partial or full.
    Elf(Box<NpuElf>),
}

impl NpuProgramFile {
    /// Reads a transaction (`insts.bin`), its words as text (`insts.txt`), a sequence of 2023 (`.seq`), or
    /// an ELF.
    ///
    /// # Errors
    /// The bytes are none of these.
    pub fn read(bytes: &[u8]) -> Result<NpuProgramFile, Diag> {
        if bytes.starts_with(b"\x7fELF") {
            return Ok(NpuProgramFile::Elf(Box::new(elf::read(bytes)?)));
        }
        let other = NOT_TRANSACTIONS
            .iter()
            .find(|(magic, _)| bytes.starts_with(magic));
        if let Some((_, what)) = other {
            let why = format!("the instructions are {what}, not a transaction");
            let diag = Diag::error(&OTHER_FILE, why);
            return Err(diag.help("name insts.bin, insts.txt or insts.elf"));
        }
        let bytes = txn::of_file(bytes)?;
        TransactionCursor::new(&bytes)?;
        Ok(NpuProgramFile::Transaction(bytes))
    }
}

/// Program that a host runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpuInput {
    /// The configuration, if the program doesn't hold it.
    pub xclbin: Option<NpuXclbin>,
    /// The program.
    pub program: NpuProgramFile,
    /// `NAME` or `NAME:INSTANCE` of the kernel, if the user says which.
    pub kernel: Option<String>,
    /// The table of parameters that the host gives; zeros without.
    pub scratchpad: Option<Vec<u8>>,
    /// Lines of the design that operations of the transaction come from, by byte offset, where the program
    /// was compiled here.
    pub lines: BTreeMap<u32, SourceLoc>,
}

/// Firmware and arguments, ready to run.
#[derive(Debug)]
pub struct LoadedNpu {
    /// The firmware at the start.
    pub firmware: Firmware,
    /// Arguments in host memory by index: buffer and address.
    pub arguments: BTreeMap<u32, (BufferId, u64)>,
}

impl NpuInput {
    /// Reads the files of a host.
    ///
    /// # Errors
    /// A file is malformed, or a part is missing.
    pub fn read(
        xclbin: Option<&[u8]>,
        program: Option<&[u8]>,
        kernel: Option<String>,
    ) -> Result<NpuInput, Diag> {
        let xclbin = match xclbin {
            Some(bytes) => Some(NpuXclbin::from_sections(&Xclbin::read(bytes)?)?),
            None => None,
        };
        let Some(program) = program else {
            let diag = Diag::error(&NO_INSTRUCTIONS, "the xclbin needs its instructions");
            return Err(diag.help("add `--insts insts.bin`"));
        };
        let program = NpuProgramFile::read(program)?;
        if let (Some(_), NpuProgramFile::Elf(file)) = (&xclbin, &program)
            && file.columns.is_some()
        {
            let why = "this ELF holds its own configurations: the xclbin has no part in its run";
            let diag = Diag::error(&OTHER_FILE, why);
            return Err(diag.help("run the ELF alone, or give a partial one (insts.elf)"));
        }
        Ok(NpuInput {
            xclbin,
            program,
            kernel,
            scratchpad: None,
            lines: BTreeMap::new(),
        })
    }

    /// The device that the program is for.
    ///
    /// # Errors
    /// No device has that generation and number of columns.
    pub fn device(&self) -> Result<&'static DeviceModel, Diag> {
        let header = self.header()?;
        let arch = arch_of(header.generation);
        let columns = match &self.xclbin {
            Some(xclbin) => xclbin.partition.columns,
            None => u16::from(header.columns),
        };
        let mut models = DeviceModel::all().filter(|model| model.name().starts_with("npu"));
        let found = models
            .find(|model| Some(model.arch()) == arch && u16::from(model.columns()) == columns);
        found.ok_or_else(|| {
            let generation = header.generation;
            let why = format!("no device is of generation {generation} and has {columns} columns");
            Diag::error(&NO_SUCH_DEVICE, why).help("name one with `--device`")
        })
    }

    /// Refuses a device of another generation than the program is for.
    ///
    /// # Errors
    /// It is one.
    pub fn check_device(&self, device: &DeviceModel) -> Result<(), Diag> {
        let generation = self.header()?.generation;
        match arch_of(generation) {
            Some(arch) if arch != device.arch() => {
                let own = if arch == Arch::Aie2 { "npu1" } else { "npu2" };
                let name = device.name();
                let why =
                    format!("the transaction is for {own} (generation {generation}), not {name}");
                let diag = Diag::error(&OTHER_GENERATION, why);
                Err(diag.help("leave `--device` out, or name a device of its generation"))
            }
            _ => Ok(()),
        }
    }

    /// The run's buffers whose addresses the program wants; of a malformed one those up to there.
    pub fn arguments_used(&self) -> BTreeSet<u32> {
        let file = match &self.program {
            NpuProgramFile::Elf(file) => file,
            NpuProgramFile::Transaction(bytes) => {
                let operations = TransactionReader::new(bytes)
                    .into_iter()
                    .flatten()
                    .flatten();
                let patched = operations.filter_map(|(_, encoded)| match encoded.operation {
                    Operation::DdrPatch { argument, .. } => Some(argument),
                    _ => None,
                });
                return patched.collect();
            }
        };
        let patches = self
            .instance(file)
            .map_or(&[][..], |instance| &instance.patches);
        let arguments = patches.iter().filter_map(|patch| match patch.symbol {
            PatchSymbol::Argument(index) => Some(index),
            _ => None,
        });
        arguments.collect()
    }

    /// Refuses a kernel's name that an ELF doesn't have, or none where it has several.
    ///
    /// # Errors
    /// It isn't known which kernel is meant.
    pub fn check_kernel(&self) -> Result<(), Diag> {
        match &self.program {
            NpuProgramFile::Elf(file) => self.instance(file).map(|_| ()),
            NpuProgramFile::Transaction(_) => Ok(()),
        }
    }

    /// The header of the transaction.
    fn header(&self) -> Result<txn::Header, Diag> {
        let bytes = match &self.program {
            NpuProgramFile::Transaction(bytes) => bytes,
            NpuProgramFile::Elf(file) => &self.instance(file)?.text,
        };
        Ok(TransactionCursor::new(bytes)?.header)
    }

    /// The instance of an ELF that the user means.
    pub(super) fn instance<'a>(&self, file: &'a NpuElf) -> Result<&'a NpuInstance, Diag> {
        // The program beside an xclbin has no kernels: their names are those of configurations.
        let unnamed = self.kernel.is_none() || file.kernels.is_empty() && self.xclbin.is_some();
        if let ([instance], true) = (file.instances.as_slice(), unnamed) {
            return Ok(instance);
        }
        let mut names = Vec::new();
        for kernel in &file.kernels {
            let name = aiec_xrt_elf::demangle(&kernel.mangled);
            let name = name.map_or_else(|| kernel.mangled.clone(), |(name, _)| name);
            for (id, number) in &kernel.instances {
                names.push((format!("{name}:{id}"), name.clone(), *number));
            }
        }
        let wanted = self.kernel.as_deref().unwrap_or_default();
        let fits = |(full, name, _): &&(String, String, u32)| full == wanted || name == wanted;
        let mut found = names.iter().filter(fits);
        if let (Some((.., number)), None) = (found.next(), found.next())
            && let Some(instance) = file.instances.iter().find(|i| i.number == *number)
        {
            return Ok(instance);
        }
        let why = match wanted {
            "" => "the file holds several kernels or instances".to_string(),
            wanted => format!("'{wanted}' isn't a kernel, or a kernel of several instances"),
        };
        let names: Vec<_> = names.into_iter().map(|(full, ..)| full).collect();
        let help = format!("choose with `--kernel-name`: {}", names.join(", "));
        Err(Diag::error(&WHICH_KERNEL, why).help(help))
    }
}

/// The architecture of a generation in a transaction's header.
fn arch_of(generation: u8) -> Option<Arch> {
    match generation {
        GENERATION_NPU1 => Some(Arch::Aie2),
        GENERATION_NPU2 => Some(Arch::Aie2p),
        _ => None,
    }
}

/// Maps buffers and programs and patches what the host patches.
///
/// `bare_array` allows programs that nothing has configured the array for.
///
/// # Errors
/// A part is missing or malformed.
pub fn load(
    input: &NpuInput,
    bare_array: bool,
    arguments: Vec<HostBuffer>,
    timing: CertTiming,
    start: Cycle,
    host: &mut HostMemory,
) -> Result<LoadedNpu, Diag> {
    let configures = match &input.program {
        NpuProgramFile::Transaction(_) => false,
        NpuProgramFile::Elf(file) => file.columns.is_some(),
    };
    if input.xclbin.is_none() && !configures && !bare_array {
        let why = "nothing configures the array before the transaction begins";
        let diag = Diag::error(&NO_CONFIGURATION, why);
        return Err(diag.help(
            "give the xclbin too: `aiec sim app.xclbin --insts FILE`; `--device NAME` runs it on an array \
             that nothing has configured",
        ));
    }
    let mut mapped = BTreeMap::new();
    for HostBuffer { index, bytes } in arguments {
        let mapping = host.map(format!("argument {index}"), bytes);
        mapped.insert(index, (mapping.id, mapping.base));
    }
    let (mut instance, file) = match &input.program {
        NpuProgramFile::Transaction(bytes) => {
            let text = bytes.clone();
            (
                NpuInstance {
                    text,
                    ..NpuInstance::default()
                },
                None,
            )
        }
        NpuProgramFile::Elf(file) => (input.instance(file)?.clone(), Some(&**file)),
    };
    match file {
        Some(file) => {
            input.check_scratchpad()?;
            let table = input.scratchpad.as_deref();
            patch(&mut instance, file, &mapped, table, host)?;
        }
        None => {
            let mut used = input.arguments_used().into_iter();
            if let Some(index) = used.find(|index| !mapped.contains_key(index)) {
                return Err(unknown_address(&PatchSymbol::Argument(index)));
            }
        }
    }
    let fault = |fault: FirmwareFault| Diag::error(&NO_CONFIGURATION, fault.to_string());
    let mut firmware = Firmware::new(Rc::from(instance.text), timing, start).map_err(fault)?;
    firmware.lines.clone_from(&input.lines);
    firmware.save = Rc::from(instance.save);
    firmware.restore = Rc::from(instance.restore);
    if file.is_none() {
        let addresses = mapped.iter().map(|(i, (_, base))| (*i, *base));
        firmware.arguments = Some(addresses.collect());
    }
    for (id, bytes) in file.iter().flat_map(|file| &file.pdis) {
        firmware.add_pdi(*id, bytes).map_err(fault)?;
    }
    if let Some(xclbin) = &input.xclbin {
        let pdi = xclbin_pdi(xclbin, input.kernel.as_deref())?;
        firmware.add_pdi(XCLBIN_PDI, pdi).map_err(fault)?;
        firmware.configure_first(XCLBIN_PDI);
    }
    Ok(LoadedNpu {
        firmware,
        arguments: mapped,
    })
}

/// The PDI of the kernel that the user means; of the only one without a name.
fn xclbin_pdi<'a>(xclbin: &'a NpuXclbin, wanted: Option<&str>) -> Result<&'a [u8], Diag> {
    let pdis = &xclbin.partition.pdis;
    let name = wanted.map(|w| w.split(':').next().unwrap_or(w));
    let kernel = xclbin
        .kernels
        .iter()
        .find(|k| Some(k.name.as_str()) == name);
    let by_kernel = kernel.and_then(|kernel| {
        let id = u64::from(kernel.id);
        pdis.iter().find(|pdi| pdi.kernel_ids.contains(&id))
    });
    let only = if name.is_none() && pdis.len() == 1 {
        pdis.first()
    } else {
        None
    };
    match by_kernel.or(only) {
        Some(pdi) => Ok(&pdi.bytes),
        None => {
            let names: Vec<_> = xclbin.kernels.iter().map(|k| k.name.as_str()).collect();
            let why = match name {
                Some(name) => format!("the file has no kernel '{name}'"),
                None => "it isn't known which of the file's kernels is meant".to_owned(),
            };
            let help = format!("choose with `--kernel-name`: {}", names.join(", "));
            Err(Diag::error(&WHICH_KERNEL, why).help(help))
        }
    }
}

/// Applies what the host patches, with buffers for what it allocates itself.
fn patch(
    instance: &mut NpuInstance,
    file: &NpuElf,
    arguments: &BTreeMap<u32, (BufferId, u64)>,
    table: Option<&[u8]>,
    host: &mut HostMemory,
) -> Result<(), Diag> {
    let mut memories = BTreeMap::new();
    for (id, bytes) in &file.program_memory {
        let name = format!("control packets {id}");
        memories.insert(*id, host.map(name, bytes.clone()).base);
    }
    let patches = std::mem::take(&mut instance.patches);
    let size_of = |symbol: &PatchSymbol| {
        let sizes = patches
            .iter()
            .filter(|p| p.symbol == *symbol)
            .map(|p| p.size);
        sizes.max().filter(|size| *size <= MAX_SCRATCH)
    };
    let mut scratch = |symbol, name: &str, given: Option<&[u8]>| {
        let size = size_of(&symbol)? as usize;
        let bytes = given.map_or_else(|| vec![0; size], <[u8]>::to_vec);
        Some(host.map(name, bytes).base)
    };
    let memory = scratch(PatchSymbol::ScratchMemory, "saved memory tiles", None);
    let control = scratch(PatchSymbol::ScratchControl, "scratch pad", table);
    let packets = (!instance.data.is_empty())
        .then(|| host.map("control packets", instance.data.clone()).base);
    for patch in &patches {
        let base = match &patch.symbol {
            PatchSymbol::Argument(index) => arguments.get(index).map(|(_, base)| *base),
            PatchSymbol::ControlPackets => packets,
            PatchSymbol::ProgramMemory(id) => memories.get(id).copied(),
            PatchSymbol::ScratchMemory => memory,
            PatchSymbol::ScratchControl => control,
            // the firmware has it by its number
            PatchSymbol::Pdi(id) => file.pdis.contains_key(id).then_some(0),
            PatchSymbol::Other(_) => None,
        };
        let base = base.ok_or_else(|| unknown_address(&patch.symbol))?;
        // the patch adds the offset at which the array sees host memory: bases have it already
        let address = match patch.kind {
            PatchKind::Address64 | PatchKind::Scalar => base,
            _ => base.wrapping_sub(HOST_OFFSET),
        };
        let address = address.wrapping_add_signed(patch.addend);
        let (at, size) = (patch.offset as usize, patch.size);
        let place = patch.place;
        patch
            .kind
            .apply(instance.section_mut(place), at, address, size)?;
    }
    if let Some(base) = packets
        && let Ok(bytes) = host.write(base, instance.data.len() as u64)
    {
        bytes.copy_from_slice(&instance.data);
    }
    Ok(())
}

fn unknown_address(symbol: &PatchSymbol) -> Diag {
    let what = match symbol {
        PatchSymbol::Argument(index) => format!("argument {index}"),
        PatchSymbol::Pdi(id) => format!("PDI {id}"),
        other => format!("{other:?}"),
    };
    let diag = Diag::error(
        &UNKNOWN_ADDRESS,
        format!("the address of {what} isn't known"),
    );
    match symbol {
        PatchSymbol::Argument(index) => diag.help(format!(
            "give the buffer: `--arg {index}=FILE` or `--arg-size {index}=BYTES`"
        )),
        _ => diag,
    }
}
