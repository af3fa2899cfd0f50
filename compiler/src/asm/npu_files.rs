//! `aiec asm -t aie2txn`: transactions, from the vendor's text or already binary, as files; and
//! `-t aie2_config`: full ELF files of PDIs and transactions, by a description (aiebu: `-t aie2_config`).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use aiec_diag::{Diag, Reported, codes};
use aiec_npu::elf::{ControlPackets, FullElf, NpuKernel, NpuProgram, PacketPatch};
use aiec_npu::elf::{write_full, write_partial};
use aiec_npu::txn;
use aiec_xrt_elf::KernelArgument;
use serde_json::Value;

use super::AsmArgs;
use crate::io::Io;
use crate::npu_files::NpuFileKind;
use crate::session::{Session, without_mark};

codes! {
    /// Codes of assembling files of Ryzen AI.
    pub static CODES;
    DESCRIPTION = "asm::npu-description",
        "The JSON description of a full ELF or of control packets lacks something or holds what is \
         not supported. `xrt-kernels` is a list of { `name`, `arguments` [{ `type` }], `PDIs` \
         [{ `id`, `PDI_file` }], `instance` [{ `id`, `TXN_ctrl_code_file` }] }.";
    ONE_INPUT = "asm::one-transaction",
        "An ELF of this form holds one transaction: name one file, text or binary.";
}

/// A transaction (`-o FILE.bin`), its words as text (`-o FILE.txt`) or a partial ELF; or by a
/// description a full ELF.
pub fn assemble(
    args: &AsmArgs,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    if let Some(config) = &args.config {
        let json = session.read(config, io)?;
        let mut reader = DescriptionReader {
            path: config,
            include: &args.include,
            session,
        };
        let full = reader.full(&json, io)?;
        return write_full(&full).map_err(|diag| session.fail(diag));
    }
    let [input] = &args.inputs[..] else {
        let diag = Diag::error(&ONE_INPUT, "several files make no transaction");
        return Err(session.fail(diag));
    };
    let bytes = session.read(input, io)?;
    let transaction = transaction(input, bytes, session)?;
    match args.output.extension().and_then(OsStr::to_str) {
        Some("bin") => return Ok(transaction),
        Some("txt") => return Ok(txn::print_hex_words(&transaction).into_bytes()),
        _ => {}
    }
    let mut program = NpuProgram {
        transaction,
        ..NpuProgram::default()
    };
    if let Some(patch) = &args.patch {
        let json = session.read(patch, io)?;
        let mut reader = DescriptionReader {
            path: patch,
            include: &args.include,
            session,
        };
        program.control_packets = Some(reader.control_packets(&json, io)?);
    }
    write_partial(&program).map_err(|diag| session.fail(diag))
}

/// The transaction of a file: binary, words as text, or the vendor's text.
fn transaction(path: &Path, bytes: Vec<u8>, session: &mut Session) -> Result<Vec<u8>, Reported> {
    match NpuFileKind::of(&bytes) {
        Some(NpuFileKind::Transaction) => return Ok(bytes),
        Some(NpuFileKind::OtherTransaction) => {
            return txn::of_file(&bytes).map_err(|diag| session.fail(diag));
        }
        _ => {}
    }
    let (file, text) = session.file_and_text(path, bytes)?;
    match txn::parse(&text, file) {
        Ok(transaction) => Ok(transaction.write()),
        Err(findings) => {
            session.diags.extend(findings);
            Err(Reported)
        }
    }
}

struct DescriptionReader<'a> {
    path: &'a Path,
    include: &'a [PathBuf],
    session: &'a mut Session,
}

impl DescriptionReader<'_> {
    fn fail(&mut self, what: impl std::fmt::Display) -> Reported {
        let message = format!("{}: {what}", self.path.display());
        let diag = Diag::error(&DESCRIPTION, message);
        let help = "`aiec explain asm::npu-description` says what it may hold";
        self.session.fail(diag.help(help))
    }

    fn json(&mut self, bytes: &[u8]) -> Result<Value, Reported> {
        serde_json::from_slice(without_mark(bytes)).map_err(|error| self.fail(error))
    }

    fn text<'v>(&mut self, value: &'v Value, key: &str, of: &str) -> Result<&'v str, Reported> {
        let found = value.get(key).and_then(Value::as_str);
        found.ok_or_else(|| self.fail(format!("{of} has no text '{key}'")))
    }

    fn number(&mut self, value: &Value, key: &str, of: &str) -> Result<u32, Reported> {
        let found = value.get(key).and_then(Value::as_u64);
        let found = found.and_then(|n| u32::try_from(n).ok());
        found.ok_or_else(|| self.fail(format!("{of} has no number '{key}'")))
    }

    fn list<'v>(&mut self, value: &'v Value, key: &str) -> Result<&'v [Value], Reported> {
        match value.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.fail(format!("'{key}' isn't a list"))),
        }
    }

    /// A file beside the description, or in a folder of `--include`.
    fn file(&mut self, name: &str, io: &mut Io<'_>) -> Result<Vec<u8>, Reported> {
        let beside = self.path.parent().unwrap_or(Path::new("")).join(name);
        let folders = self.include.iter().map(|folder| folder.join(name));
        let mut places = std::iter::once(beside.clone()).chain(folders);
        let found = places.find(|path| path.exists()).unwrap_or(beside);
        self.session.read(&found, io)
    }

    fn full(&mut self, json: &[u8], io: &mut Io<'_>) -> Result<FullElf, Reported> {
        let description = self.json(json)?;
        let mut full = FullElf::default();
        for kernel in self.list(&description, "xrt-kernels")? {
            full.kernels.push(self.kernel(kernel, io)?);
        }
        if full.kernels.is_empty() {
            return Err(self.fail("there is no list 'xrt-kernels'"));
        }
        for section in self.list(&description, "custom_section")? {
            let name = self
                .text(section, "section_name", "a custom section")?
                .to_owned();
            let path = self.text(section, "path", "a custom section")?;
            full.custom.push((name, self.file(path, io)?));
        }
        Ok(full)
    }

    fn kernel(&mut self, kernel: &Value, io: &mut Io<'_>) -> Result<NpuKernel, Reported> {
        let mut made = NpuKernel {
            name: self.text(kernel, "name", "a kernel")?.to_owned(),
            arguments: Vec::new(),
            pdis: BTreeMap::new(),
            instances: BTreeMap::new(),
        };
        let mut memories = BTreeMap::new();
        for argument in self.list(kernel, "arguments")? {
            let ty = self.text(argument, "type", "an argument")?;
            made.arguments.push(KernelArgument::from_name(ty));
        }
        for pdi in self.list(kernel, "PDIs")? {
            let id = self.number(pdi, "id", "a PDI")?;
            let file = self.text(pdi, "PDI_file", "a PDI")?;
            let bytes = self.file(file, io)?;
            match pdi.get("type").and_then(Value::as_str) {
                Some("pmctrlpkt") => memories.insert(id, bytes),
                _ => made.pdis.insert(id, bytes),
            };
        }
        for instance in self.list(kernel, "instance")? {
            let id = self.text(instance, "id", "an instance")?.to_owned();
            let file = self.text(instance, "TXN_ctrl_code_file", "an instance")?;
            let bytes = self.file(file, io)?;
            let transaction = transaction(Path::new(file), bytes, self.session)?;
            let packets = instance.get("ctrl_packet_file").and_then(Value::as_str);
            let control_packets = match packets {
                Some(file) => Some(ControlPackets {
                    bytes: self.file(file, io)?,
                    ..self.patches_of(instance, io)?
                }),
                None => None,
            };
            let program = NpuProgram {
                transaction,
                control_packets,
                program_memory: memories.clone(),
            };
            made.instances.insert(id, program);
        }
        Ok(made)
    }

    fn patches_of(
        &mut self,
        instance: &Value,
        io: &mut Io<'_>,
    ) -> Result<ControlPackets, Reported> {
        match instance.get("patch_info_file").and_then(Value::as_str) {
            Some(file) => {
                let json = self.file(file, io)?;
                let description = self.json(&json)?;
                self.patches(&description)
            }
            None => Ok(ControlPackets::default()),
        }
    }

    /// Control packets of a description that names their file too.
    fn control_packets(
        &mut self,
        json: &[u8],
        io: &mut Io<'_>,
    ) -> Result<ControlPackets, Reported> {
        let description = self.json(json)?;
        let file = self
            .text(&description, "ctrl_packet_file", "the description")?
            .to_owned();
        let bytes = self.file(&file, io)?;
        Ok(ControlPackets {
            bytes,
            ..self.patches(&description)?
        })
    }

    /// The addresses in control packets, in both forms of the vendor's description.
    fn patches(&mut self, description: &Value) -> Result<ControlPackets, Reported> {
        let mut packets = ControlPackets::default();
        for patch in self.list(description, "ctrl_pkt_patch_info")? {
            packets.patches.push(PacketPatch {
                offset: self.number(patch, "offset", "a patch")?,
                argument: self.number(patch, "xrt_arg_idx", "a patch")?,
                addend: self.number(patch, "bo_offset", "a patch")?,
            });
        }
        let buffers = description
            .get("external_buffers")
            .and_then(Value::as_object);
        for buffer in buffers.into_iter().flat_map(|buffers| buffers.values()) {
            let argument = self.number(buffer, "xrt_id", "a buffer")?;
            if buffer
                .get("ctrl_pkt_buffer")
                .is_some_and(|v| *v == 1 || *v == true)
            {
                packets.argument = Some(argument);
            }
            self.locations(buffer, argument, 0, &mut packets)?;
            // the vendor's spelling
            for part in self.list(buffer, "coalesed_buffers")? {
                let addend = self.number(part, "offset_in_bytes", "a buffer")?;
                self.locations(part, argument, addend, &mut packets)?;
            }
        }
        Ok(packets)
    }

    fn locations(
        &mut self,
        of: &Value,
        argument: u32,
        addend: u32,
        packets: &mut ControlPackets,
    ) -> Result<(), Reported> {
        for location in self.list(of, "control_packet_patch_locations")? {
            let offset = self.number(location, "offset", "a location")?;
            packets.patches.push(PacketPatch {
                offset,
                argument,
                addend,
            });
        }
        Ok(())
    }
}
