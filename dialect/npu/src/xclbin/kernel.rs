//! The signatures of kernels: EMBEDDED_METADATA (XML), IP_LAYOUT, CONNECTIVITY, MEM_TOPOLOGY.

use std::fmt::Write;

use aiec_diag::Diag;

use crate::bytes::{Bytes, put};
use crate::codes::XCLBIN_MALFORMED;

/// Name, instance and id that aiecc gives a kernel.
const DEFAULT_NAME: &str = "MLIR_AIE";
const DEFAULT_INSTANCE: &str = "MLIRAIE";
const DEFAULT_ID: u16 = 0x901;
/// Fewest buffers of a kernel: with fewer, run lists of XRT break (mlir-aie: aiecc).
pub const MIN_BUFFERS: usize = 5;
/// Most buffers of a kernel (mlir-aie: aiecc).
pub const MAX_BUFFERS: usize = 16;

/// Purpose of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentUse {
    /// A number.
    Scalar,
    /// The buffer of instructions.
    Instructions,
    /// A buffer of the host.
    Buffer,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArgument {
    /// Name.
    pub name: String,
    /// Type, as in C.
    pub ty: String,
    /// Purpose.
    pub usage: ArgumentUse,
    /// Byte offset in the register map.
    pub offset: u32,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XclbinKernel {
    /// Name.
    pub name: String,
    /// Name of its only instance.
    pub instance: String,
    /// Id, by which a PDI's group names it (12 bits).
    pub id: u16,
    /// Arguments.
    pub arguments: Vec<KernelArgument>,
    /// The attributes `dpu_kernel_id`, `functional` and `subtype`, in the order of the
    /// metadata; drivers don't care.
    pub attribute_order: [&'static str; 3],
}

/// The order in which aiecc writes the attributes.
const ATTRIBUTE_ORDER: [&str; 3] = ["dpu_kernel_id", "functional", "subtype"];

impl XclbinKernel {
    /// A kernel with aiecc's name that takes an opcode, instructions, their count and some buffers:
    /// at least five, whatever the sequence takes.
    pub fn with_buffers(buffers: usize) -> Self {
        let argument = |name: &str, ty: &str, usage, offset| KernelArgument {
            name: name.to_owned(),
            ty: ty.to_owned(),
            usage,
            offset,
        };
        let mut arguments = vec![
            argument("opcode", "uint64_t", ArgumentUse::Scalar, 0),
            argument("instr", "char *", ArgumentUse::Instructions, 8),
            argument("ninstr", "uint32_t", ArgumentUse::Scalar, 0x10),
        ];
        for index in 0..buffers.max(MIN_BUFFERS) {
            let (name, offset) = (format!("bo{index}"), 0x14 + 8 * index as u32);
            arguments.push(argument(&name, "void*", ArgumentUse::Buffer, offset));
        }
        Self {
            name: DEFAULT_NAME.to_owned(),
            instance: DEFAULT_INSTANCE.to_owned(),
            id: DEFAULT_ID,
            arguments,
            attribute_order: ATTRIBUTE_ORDER,
        }
    }
}

/// Number of bytes of an argument's type.
fn size_of(ty: &str) -> u32 {
    match ty {
        "uint32_t" | "int32_t" | "float" => 4,
        _ => 8,
    }
}

/// EMBEDDED_METADATA.
pub(super) fn metadata(kernels: &[XclbinKernel]) -> Vec<u8> {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<project>\n");
    out += "  <platform>\n    <device>\n      <core>\n";
    for kernel in kernels {
        let name = escaped(&kernel.name);
        let _ = writeln!(
            out,
            "        <kernel name=\"{name}\" language=\"c\" type=\"dpu\">"
        );
        out += "          <extended-data";
        for attribute in kernel.attribute_order {
            let _ = match attribute {
                "dpu_kernel_id" => write!(out, " dpu_kernel_id=\"0x{:x}\"", kernel.id),
                "functional" => write!(out, " functional=\"0\""),
                _ => write!(out, " subtype=\"1\""),
            };
        }
        out += "/>\n";
        for (id, argument) in kernel.arguments.iter().enumerate() {
            let size = size_of(&argument.ty);
            let qualifier = u8::from(argument.usage != ArgumentUse::Scalar);
            let _ = writeln!(
                out,
                "          <arg name=\"{}\" addressQualifier=\"{qualifier}\" id=\"{id}\" \
                 size=\"0x{size:x}\" offset=\"0x{:02X}\" hostOffset=\"0x0\" hostSize=\"0x{size:x}\" \
                 type=\"{}\"/>",
                escaped(&argument.name),
                argument.offset,
                escaped(&argument.ty)
            );
        }
        let _ = writeln!(
            out,
            "          <instance name=\"{}\"/>",
            escaped(&kernel.instance)
        );
        out += "        </kernel>\n";
    }
    out += "      </core>\n    </device>\n  </platform>\n</project>\n";
    out.into_bytes()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Bytes of an entry of the tables, after a count and padding (8 bytes).
const MEMORY_BYTES: usize = 40;
const IP_BYTES: usize = 80;
/// Memories that arguments are in: name, size in KiB. Their addresses mean nothing on an NPU.
const MEMORIES: [(&str, u64); 2] = [("HOST", 0x1_0000), ("SRAM", 0xC000)];
const MEMORY_ADDRESS: u64 = 0x400_0000;
const MEM_DRAM: u64 = 2;
/// Type and subtype of a compute unit that runs on an NPU.
const IP_PS_KERNEL: u64 = 7;
const SUBTYPE_DPU: u64 = 1;
/// Byte offset of a compute unit's name.
const IP_NAME: usize = 16;

/// MEM_TOPOLOGY and GROUP_TOPOLOGY.
pub(super) fn memories() -> Vec<u8> {
    let mut out = (MEMORIES.len() as u64).to_le_bytes().to_vec();
    for (name, size) in MEMORIES {
        let mut entry = [0; MEMORY_BYTES];
        put(&mut entry, 0, 1, MEM_DRAM);
        put(&mut entry, 1, 1, 1);
        put(&mut entry, 8, 8, size);
        put(&mut entry, 16, 8, MEMORY_ADDRESS);
        entry[24..24 + name.len()].copy_from_slice(name.as_bytes());
        out.extend(entry);
    }
    out
}

/// The name of a kernel's compute unit, cut to its field.
pub(super) fn unit_name(kernel: &XclbinKernel) -> String {
    format!("{}:{}", kernel.name, kernel.instance)
}

/// IP_LAYOUT.
pub(super) fn layout(kernels: &[XclbinKernel]) -> Vec<u8> {
    let mut out = (kernels.len() as u64).to_le_bytes().to_vec();
    for kernel in kernels {
        let mut entry = [0; IP_BYTES];
        put(&mut entry, 0, 4, IP_PS_KERNEL);
        put(&mut entry, 4, 2, SUBTYPE_DPU);
        put(&mut entry, 6, 2, u64::from(kernel.id));
        put(&mut entry, 8, 8, u64::MAX);
        let name = unit_name(kernel);
        let name = &name.as_bytes()[..name.len().min(IP_BYTES - IP_NAME - 1)];
        entry[IP_NAME..IP_NAME + name.len()].copy_from_slice(name);
        out.extend(entry);
    }
    out
}

/// Index of the memory of an argument.
fn memory_of(usage: ArgumentUse) -> Option<u32> {
    match usage {
        ArgumentUse::Scalar => None,
        ArgumentUse::Instructions => Some(1),
        ArgumentUse::Buffer => Some(0),
    }
}

/// Which argument of which compute unit is in which memory.
pub(super) fn connections(kernels: &[XclbinKernel]) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for (unit, kernel) in kernels.iter().enumerate() {
        for (index, argument) in kernel.arguments.iter().enumerate() {
            let memory = memory_of(argument.usage);
            all.extend(memory.map(|memory| [index as u32, unit as u32, memory]));
        }
    }
    all
}

/// CONNECTIVITY; GROUP_CONNECTIVITY holds the list `times` over, which is 2 with the vendor's tool.
pub(super) fn connectivity(kernels: &[XclbinKernel], times: usize) -> Vec<u8> {
    let once = connections(kernels);
    let mut out = ((once.len() * times) as u32).to_le_bytes().to_vec();
    for _ in 0..times {
        out.extend(once.iter().flatten().flat_map(|word| word.to_le_bytes()));
    }
    out
}

/// The kernels of a file: names and arguments of the metadata, ids of the compute units.
pub(super) fn read(metadata: &[u8], layout: &[u8]) -> Result<Vec<XclbinKernel>, Diag> {
    let text = String::from_utf8_lossy(metadata);
    let mut kernels: Vec<XclbinKernel> = Vec::new();
    for element in elements(&text) {
        let attribute = |name| attribute(element, name).unwrap_or_default();
        match element.split([' ', '/', '\n', '\t']).next() {
            Some("kernel") => kernels.push(XclbinKernel {
                name: attribute("name"),
                arguments: Vec::new(),
                instance: String::new(),
                ..XclbinKernel::with_buffers(0)
            }),
            Some("arg") => {
                if let Some(kernel) = kernels.last_mut() {
                    let ty = attribute("type");
                    let global = attribute("addressQualifier") == "1";
                    let usage = match (global, kernel.arguments.len()) {
                        (false, _) => ArgumentUse::Scalar,
                        (true, 1) => ArgumentUse::Instructions,
                        (true, _) => ArgumentUse::Buffer,
                    };
                    kernel.arguments.push(KernelArgument {
                        name: attribute("name"),
                        ty,
                        usage,
                        offset: number(&attribute("offset")).unwrap_or(0),
                    });
                }
            }
            Some("extended-data") => {
                if let (Some(kernel), Some(id)) =
                    (kernels.last_mut(), number(&attribute("dpu_kernel_id")))
                {
                    kernel.id = (id & 0xFFF) as u16;
                }
            }
            Some("instance") => {
                if let Some(kernel) = kernels.last_mut() {
                    kernel.instance = attribute("name");
                }
            }
            _ => {}
        }
    }
    if kernels.is_empty() {
        let why = "the metadata of the file name no kernel";
        return Err(Diag::error(&XCLBIN_MALFORMED, why));
    }
    read_ids(layout, &mut kernels)?;
    Ok(kernels)
}

/// Takes the ids of kernels from their compute units, whose names begin with the kernels'.
fn read_ids(layout: &[u8], kernels: &mut [XclbinKernel]) -> Result<(), Diag> {
    let bytes = Bytes::new(layout, &XCLBIN_MALFORMED);
    for index in 0..bytes.u32(0)? as usize {
        let entry = 8usize.saturating_add(index.saturating_mul(IP_BYTES));
        let all = bytes.slice(entry, IP_BYTES)?;
        let name = all[IP_NAME..]
            .split(|byte| *byte == 0)
            .next()
            .unwrap_or(&[]);
        let name = String::from_utf8_lossy(name);
        let kernel = kernels
            .iter_mut()
            .find(|k| name.split(':').next() == Some(&k.name));
        if let Some(kernel) = kernel {
            kernel.id = bytes.u16(entry + 6)? & 0xFFF;
        }
    }
    Ok(())
}

/// The inner text of the elements of an XML text, without comments and declarations: enough for the
/// attributes of metadata, which have no text of their own.
fn elements(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split('<').skip(1);
    let inner = pieces.filter_map(|piece| piece.split('>').next());
    inner.filter(|inner| !inner.starts_with(['/', '?', '!']))
}

fn attribute(element: &str, name: &str) -> Option<String> {
    let mut rest = element;
    loop {
        let at = rest.find(name)?;
        let before = rest[..at].chars().next_back();
        rest = &rest[at + name.len()..];
        let value = rest.trim_start().strip_prefix('=').map(str::trim_start);
        let value = value.and_then(|v| v.strip_prefix('"')?.split('"').next());
        if let (Some(value), true) = (value, before.is_none_or(char::is_whitespace)) {
            let text = value.replace("&lt;", "<").replace("&gt;", ">");
            return Some(text.replace("&quot;", "\"").replace("&amp;", "&"));
        }
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The memories for the mirror: name and size in KiB.
pub(super) fn memory_list() -> [(&'static str, u64); 2] {
    MEMORIES
}

/// Address that the mirror shows for all memories.
pub(super) const SHOWN_ADDRESS: u64 = MEMORY_ADDRESS;
