//! `aiec dis` of files of Ryzen AI. Transactions come out as the vendor's assembly; of files that hold
//! several things, all of them, with headings in comments.

use std::fmt::Write;

use aiec_device::DeviceModel;
use aiec_diag::Diag;
use aiec_npu::cdo::{self, Cdo, Command};
use aiec_npu::elf::{self, NpuElf, NpuInstance, NpuPatchPlace};
use aiec_npu::pdi;
use aiec_npu::txn::{
    self, EncodedOperation, GENERATION_NPU1, GENERATION_NPU2, Operation, Transaction,
    TransactionReader,
};
use aiec_npu::xclbin::{NpuXclbin, Xclbin};

use super::NpuFileKind;
use super::annotate::RegisterRemarks;

/// Column at which remarks begin.
const REMARK_AT: usize = 72;

/// The listing of a file; with register names of a device if they are wanted: of the one that is named,
/// else of the one that the file shows.
///
/// # Errors
/// The file is malformed.
pub fn list(
    kind: NpuFileKind,
    bytes: &[u8],
    annotate: bool,
    device: Option<&'static DeviceModel>,
) -> Result<String, Diag> {
    let mut listing = Listing {
        out: String::new(),
        annotate,
        device,
    };
    match kind {
        NpuFileKind::Xclbin => listing.xclbin(bytes)?,
        NpuFileKind::Elf => listing.elf(&elf::read(bytes)?)?,
        NpuFileKind::Pdi => listing.configuration(&pdi::read(bytes)?, device),
        NpuFileKind::Cdo => listing.configuration(&Cdo::read(bytes)?, device),
        NpuFileKind::Transaction => listing.transaction(bytes)?,
        NpuFileKind::OtherTransaction => listing.transaction(&txn::of_file(bytes)?)?,
    }
    Ok(listing.out)
}

/// A device of a generation, for names of registers: the widest.
fn device_of(generation: u8) -> Option<&'static DeviceModel> {
    DeviceModel::by_name(match generation {
        GENERATION_NPU1 => "npu1",
        GENERATION_NPU2 => "npu2",
        _ => return None,
    })
}

struct Listing {
    out: String,
    annotate: bool,
    device: Option<&'static DeviceModel>,
}

impl Listing {
    fn remarks(&self, device: Option<&'static DeviceModel>) -> RegisterRemarks {
        let device = self.device.or(device).filter(|_| self.annotate);
        RegisterRemarks { device }
    }

    fn heading(&mut self, text: impl std::fmt::Display) {
        let blank = if self.out.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.out, "{blank}; {text}");
    }

    /// Adds lines, the first with a remark.
    fn lines(&mut self, lines: &str, remark: Option<String>) {
        let Some(remark) = remark else {
            self.out += lines;
            return;
        };
        let (first, rest) = lines.split_once('\n').unwrap_or((lines, ""));
        let _ = writeln!(self.out, "{first:REMARK_AT$}; {remark}");
        self.out += rest;
    }

    fn transaction(&mut self, bytes: &[u8]) -> Result<(), Diag> {
        let reader = TransactionReader::new(bytes)?;
        let remarks = self.remarks(device_of(reader.header.generation));
        self.out += &txn::print(&Transaction::new(reader.header, []));
        for next in reader {
            let (_, EncodedOperation { operation, .. }) = next?;
            let mut text = String::new();
            txn::print_operation(&operation, &mut text);
            match &operation {
                Operation::BlockWrite { register, words } if remarks.device.is_some() => {
                    let text = self.block_remarks(&text, remarks, *register, words);
                    self.lines(&text, remarks.operation(&operation));
                }
                _ => self.lines(&text, remarks.operation(&operation)),
            }
        }
        Ok(())
    }

    /// The lines of a block with the effect of each word, except for the first line.
    fn block_remarks(
        &self,
        text: &str,
        remarks: RegisterRemarks,
        register: u32,
        words: &[u32],
    ) -> String {
        let mut out = String::new();
        for (index, line) in text.lines().enumerate() {
            let word = index.checked_sub(1).and_then(|i| Some((i, *words.get(i)?)));
            let remark = word.and_then(|(i, value)| {
                let address = register.checked_add(u32::try_from(4 * i).ok()?)?;
                remarks.word(address, value)
            });
            let _ = match remark {
                Some(remark) => writeln!(out, "{line:REMARK_AT$}; {remark}"),
                None => writeln!(out, "{line}"),
            };
        }
        out
    }

    fn configuration(&mut self, configuration: &Cdo, device: Option<&'static DeviceModel>) {
        let remarks = self.remarks(device);
        for command in &configuration.commands {
            let mut text = String::new();
            cdo::print_command(command, &mut text);
            let remark = remarks.command(command);
            match (command, remark) {
                // its line is long: the remark comes before
                (Command::DmaWrite { .. }, Some(remark)) => {
                    let _ = writeln!(self.out, "; {remark}");
                    self.out += &text;
                }
                (_, remark) => self.lines(&text, remark),
            }
        }
    }

    fn elf(&mut self, file: &NpuElf) -> Result<(), Diag> {
        match file.columns {
            Some(columns) => self.heading(format!("full ELF for {columns} columns")),
            None => self.heading("partial ELF: it goes with an xclbin"),
        }
        for kernel in &file.kernels {
            let name = aiec_xrt_elf::demangle(&kernel.mangled);
            let (name, arguments) = name.unwrap_or((kernel.mangled.clone(), Vec::new()));
            let types: Vec<_> = arguments.iter().map(|a| a.spelling()).collect();
            for (id, number) in &kernel.instances {
                self.heading(format!(
                    "kernel {name}:{id} ({}), instance {number}",
                    types.join(", ")
                ));
            }
        }
        let generation = file.instances.first().and_then(|i| i.text.get(2).copied());
        let device = generation.and_then(device_of);
        for (id, bytes) in &file.pdis {
            self.heading(format!("PDI {id}, {} bytes", bytes.len()));
            self.configuration(&pdi::read(bytes)?, device);
        }
        for instance in &file.instances {
            self.instance(instance)?;
        }
        Ok(())
    }

    fn instance(&mut self, instance: &NpuInstance) -> Result<(), Diag> {
        let parts = [
            (NpuPatchPlace::Text, "transaction", &instance.text),
            (
                NpuPatchPlace::Save,
                "program that saves the memory tiles",
                &instance.save,
            ),
            (
                NpuPatchPlace::Restore,
                "program that restores the memory tiles",
                &instance.restore,
            ),
        ];
        for (place, what, bytes) in parts {
            if bytes.is_empty() {
                continue;
            }
            self.heading(format!(
                "instance {}: {what}, {} bytes",
                instance.number,
                bytes.len()
            ));
            for patch in instance.patches.iter().filter(|p| p.place == place) {
                let (kind, symbol) = (patch.kind, &patch.symbol);
                let _ = writeln!(
                    self.out,
                    "; at 0x{:X} the host adds {symbol:?} + 0x{:x} ({kind:?}, size 0x{:x})",
                    patch.offset, patch.addend, patch.size
                );
            }
            self.transaction(bytes)?;
        }
        if !instance.data.is_empty() {
            let (number, size) = (instance.number, instance.data.len());
            self.heading(format!("instance {number}: control packets, {size} bytes"));
            let packets = aiec_npu::control_packet::read(&instance.data)?;
            self.out += &aiec_npu::control_packet::print(&packets);
        }
        Ok(())
    }

    fn xclbin(&mut self, bytes: &[u8]) -> Result<(), Diag> {
        let file = Xclbin::read(bytes)?;
        let uuid = file.uuid().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        self.heading(format!("xclbin {uuid}"));
        for section in &file.sections {
            let (kind, size) = (section.kind, section.data.len());
            let _ = writeln!(
                self.out,
                "; section {kind:2} {:16} {size} bytes",
                section.name
            );
        }
        let npu = NpuXclbin::from_sections(&file)?;
        for kernel in &npu.kernels {
            let arguments: Vec<_> = kernel
                .arguments
                .iter()
                .map(|a| format!("{} {}", a.ty, a.name))
                .collect();
            let arguments = arguments.join(", ");
            self.heading(format!(
                "kernel {} (id 0x{:x}): {arguments}",
                kernel.name, kernel.id
            ));
        }
        let partition = &npu.partition;
        self.heading(format!(
            "{} column(s), from column {:?}",
            partition.columns, partition.start_columns
        ));
        let device = match partition
            .start_columns
            .iter()
            .max()
            .map(|s| s + partition.columns)
        {
            Some(..=4) => device_of(GENERATION_NPU1),
            _ => device_of(GENERATION_NPU2),
        };
        for pdi in &partition.pdis {
            let (size, ids) = (pdi.bytes.len(), &pdi.kernel_ids);
            self.heading(format!("PDI of {size} bytes for kernels {ids:x?}"));
            self.configuration(&pdi::read(&pdi.bytes)?, device);
        }
        Ok(())
    }
}
