//! xclbin files: PDIs and the signatures of the kernels that run on them (XRT: `xclbin.h`;
//! xclbinutil).
//!
//! A frame with a table of sections; [`Xclbin`] holds them as bytes, [`NpuXclbin`] is what a driver of
//! an NPU reads of them or a compiler writes.

mod kernel;
mod mirror;
mod partition;

pub use kernel::{ArgumentUse, KernelArgument, XclbinKernel};
pub use partition::{Partition, PartitionPdi};

use aiec_diag::Diag;

use crate::bytes::{Bytes, put};
use crate::codes::{LIMIT, XCLBIN_MALFORMED};

/// Bytes before the table of sections.
const HEAD_BYTES: usize = 456;
/// Bytes of a section's row in the table.
const ROW_BYTES: usize = 40;
/// Bytes of a section's name.
const NAME_BYTES: usize = 16;
/// Sections begin at multiples of this many bytes.
const SECTION_ALIGN: usize = 8;
/// The first bytes.
const MAGIC: &[u8; 8] = b"xclbin2\0";
/// Bytes of the signature's length (none), reserved bytes and key block, all 0xFF.
const UNSIGNED: std::ops::Range<usize> = 8..296;

/// Byte offsets of the frame's fields.
mod at {
    pub(super) const UNIQUE_ID: usize = 296;
    pub(super) const LENGTH: usize = 304;
    pub(super) const TIME: usize = 312;
    pub(super) const VERSION: usize = 328;
    pub(super) const UUID: usize = 416;
    pub(super) const SECTIONS: usize = 448;
}

/// Most kernels of a hardware context.
const MAX_KERNELS: usize = 32;
/// Version of the tool whose files these are: patch (16 bits), major, minor.
const TOOL_VERSION: [u8; 4] = [0, 0, 2, 18];

/// Numbers of the sections of an NPU's file, in their usual order.
pub mod section {
    /// Memories.
    pub const MEM_TOPOLOGY: u32 = 6;
    /// PDIs and columns.
    pub const AIE_PARTITION: u32 = 32;
    /// Kernels and arguments, XML.
    pub const EMBEDDED_METADATA: u32 = 2;
    /// Compute units.
    pub const IP_LAYOUT: u32 = 8;
    /// Which memory an argument is in.
    pub const CONNECTIVITY: u32 = 7;
    /// Section of the connectivity of groups of memories.
    pub const GROUP_CONNECTIVITY: u32 = 27;
    /// Groups of memories.
    pub const GROUP_TOPOLOGY: u32 = 26;
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XclbinSection {
    /// Its number, see [`section`].
    pub kind: u32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// A file as sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xclbin {
    /// The bytes before the table of sections; the length in them is that of the file read.
    head: Vec<u8>,
    /// The sections.
    pub sections: Vec<XclbinSection>,
    /// Bytes after the last section.
    tail: Vec<u8>,
}

impl Xclbin {
    /// Reads a file.
    ///
    /// # Errors
    /// The bytes aren't such a file.
    pub fn read(all: &[u8]) -> Result<Self, Diag> {
        let bytes = Bytes::new(all, &XCLBIN_MALFORMED);
        let head = bytes.slice(0, HEAD_BYTES)?;
        if !head.starts_with(MAGIC) {
            return Err(bytes.malformed(0, "the file doesn't begin with 'xclbin2'"));
        }
        let (length, have) = (bytes.number(at::LENGTH, 8)?, all.len());
        if length > have as u64 {
            let why = format!("the header gives {length} bytes, the file has {have}");
            return Err(bytes.malformed(at::LENGTH, why));
        }
        let count = bytes.u32(at::SECTIONS)? as usize;
        let table_end = HEAD_BYTES.saturating_add(count.saturating_mul(ROW_BYTES));
        if table_end > all.len() {
            let why =
                format!("{count} sections are counted, the file ends before their table does");
            return Err(bytes.malformed(at::SECTIONS, why));
        }
        let mut sections = Vec::new();
        let mut end = table_end;
        for index in 0..count {
            let row = HEAD_BYTES + ROW_BYTES * index;
            let name = bytes.slice(row + 4, NAME_BYTES)?;
            let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
            let (offset, size) = (bytes.number(row + 24, 8)?, bytes.number(row + 32, 8)?);
            let data = usize::try_from(offset).and_then(|o| Ok((o, usize::try_from(size)?)));
            let (offset, size) = data.unwrap_or((usize::MAX, usize::MAX));
            // sections that overlap would let a short file fill the memory
            if offset < end {
                let why = format!("section {index} begins at 0x{offset:X}, before 0x{end:X}");
                return Err(bytes.malformed(row + 24, why));
            }
            let data = bytes.slice(offset, size)?;
            end = offset + size;
            sections.push(XclbinSection {
                kind: bytes.u32(row)?,
                name: String::from_utf8_lossy(name).into_owned(),
                data: data.to_vec(),
            });
        }
        let tail = end.next_multiple_of(SECTION_ALIGN).min(all.len());
        Ok(Self {
            head: head.to_vec(),
            sections,
            tail: all[tail..].to_vec(),
        })
    }

    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = self.head.clone();
        put(&mut out, at::SECTIONS, 4, self.sections.len() as u64);
        for (section, offset) in self.sections.iter().zip(self.offsets()) {
            let row = out.len();
            out.resize(row + ROW_BYTES, 0);
            put(&mut out, row, 4, u64::from(section.kind));
            let name = section.name.as_bytes();
            let name = &name[..name.len().min(NAME_BYTES - 1)];
            out[row + 4..row + 4 + name.len()].copy_from_slice(name);
            put(&mut out, row + 24, 8, offset as u64);
            put(&mut out, row + 32, 8, section.data.len() as u64);
        }
        for (section, offset) in self.sections.iter().zip(self.offsets()) {
            out.resize(offset, 0);
            out.extend(&section.data);
        }
        if !self.tail.is_empty() {
            out.resize(out.len().next_multiple_of(SECTION_ALIGN), 0);
            out.extend(&self.tail);
        }
        let length = out.len() as u64;
        put(&mut out, at::LENGTH, 8, length);
        out
    }

    /// The first section of a kind.
    pub fn section(&self, kind: u32) -> Option<&XclbinSection> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// The UUID by which drivers know the file.
    pub fn uuid(&self) -> [u8; 16] {
        let uuid = self.head.get(at::UUID..at::UUID + 16);
        uuid.and_then(|bytes| bytes.first_chunk().copied())
            .unwrap_or_default()
    }

    /// Byte offsets of the sections in the file.
    fn offsets(&self) -> Vec<usize> {
        let mut next = HEAD_BYTES + ROW_BYTES * self.sections.len();
        let place = |section: &XclbinSection| {
            let offset = next.next_multiple_of(SECTION_ALIGN);
            next = offset + section.data.len();
            offset
        };
        self.sections.iter().map(place).collect()
    }
}

/// Where the identity of a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XclbinIdentity {
    /// UUID; [`NpuXclbin::content_uuid`] gives one that differs between different files.
    pub uuid: [u8; 16],
    /// Time of writing in seconds; 0 in files of this project, whose bytes depend on their
    /// contents only.
    pub time: u64,
}

/// A file for an NPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NpuXclbin {
    /// Columns and PDIs.
    pub partition: Partition,
    /// The kernels; each runs on the PDI whose group names its id.
    pub kernels: Vec<XclbinKernel>,
    /// Names of the sections with memories and partition.
    pub section_names: [String; 2],
}

impl NpuXclbin {
    /// Reads what drivers need: sections by number, in any order, others passed over.
    ///
    /// # Errors
    /// A section that drivers need is missing or malformed.
    pub fn from_sections(file: &Xclbin) -> Result<Self, Diag> {
        let need = |kind, name: &str| {
            file.section(kind).ok_or_else(|| {
                let why = format!("section {name} (number {kind}) is missing");
                Diag::error(&XCLBIN_MALFORMED, why)
            })
        };
        let partition = need(section::AIE_PARTITION, "AIE_PARTITION")?;
        let metadata = need(section::EMBEDDED_METADATA, "EMBEDDED_METADATA")?;
        let layout = need(section::IP_LAYOUT, "IP_LAYOUT")?;
        let memories = file.section(section::MEM_TOPOLOGY);
        let memories = memories.map_or(String::new(), |s| s.name.clone());
        Ok(Self {
            section_names: [memories, partition.name.clone()],
            partition: Partition::read(&partition.data)?,
            kernels: kernel::read(&metadata.data, &layout.data)?,
        })
    }

    /// Whether drivers accept this number of kernels and buffers (XRT; mlir-aie: aiecc).
    ///
    /// # Errors
    /// There are too many.
    pub fn check_limits(&self) -> Result<(), Diag> {
        let count = self.kernels.len();
        if count > MAX_KERNELS {
            let why = format!("{count} kernels; a context has at most {MAX_KERNELS}");
            return Err(Diag::error(&LIMIT, why));
        }
        for kernel in &self.kernels {
            let buffers = kernel
                .arguments
                .iter()
                .filter(|a| a.usage == ArgumentUse::Buffer);
            let count = buffers.count();
            if count > kernel::MAX_BUFFERS {
                let most = kernel::MAX_BUFFERS;
                let why = format!(
                    "kernel '{}' takes {count} buffers of at most {most}",
                    kernel.name
                );
                return Err(Diag::error(&LIMIT, why));
            }
        }
        Ok(())
    }

    /// The sections, in their usual order.
    pub fn to_sections(&self, identity: XclbinIdentity) -> Xclbin {
        let [memories, partition] = self.section_names.clone();
        let section = |kind, name: &str, data| XclbinSection {
            kind,
            name: name.to_owned(),
            data,
        };
        let connectivity = kernel::connectivity(&self.kernels, 1);
        let groups = kernel::connectivity(&self.kernels, 2);
        let sections = vec![
            section(section::MEM_TOPOLOGY, &memories, kernel::memories()),
            section(section::AIE_PARTITION, &partition, self.partition.write()),
            section(
                section::EMBEDDED_METADATA,
                "",
                kernel::metadata(&self.kernels),
            ),
            section(section::IP_LAYOUT, "", kernel::layout(&self.kernels)),
            section(section::CONNECTIVITY, "", connectivity),
            section(section::GROUP_CONNECTIVITY, "", groups),
            section(section::GROUP_TOPOLOGY, "", kernel::memories()),
        ];
        let mut head = vec![0; HEAD_BYTES];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        head[UNSIGNED].fill(0xFF);
        put(&mut head, at::UNIQUE_ID, 8, identity.time);
        put(&mut head, at::TIME, 8, identity.time);
        head[at::VERSION..at::VERSION + 4].copy_from_slice(&TOOL_VERSION);
        head[at::UUID..at::UUID + 16].copy_from_slice(&identity.uuid);
        let mut file = Xclbin {
            head,
            sections,
            tail: Vec::new(),
        };
        file.tail = mirror::write(self, &file, identity).into_bytes();
        file
    }

    /// A UUID made of the contents (version 8 of RFC 9562, of their MD5).
    pub fn content_uuid(&self) -> [u8; 16] {
        let mut context = md5::Context::new();
        context.consume(self.partition.write());
        context.consume(kernel::metadata(&self.kernels));
        content_uuid(context.finalize().0)
    }
}

/// A UUID of version 8 (RFC 9562) of a digest.
pub fn content_uuid(mut digest: [u8; 16]) -> [u8; 16] {
    digest[6] = digest[6] & 0x0F | 0x80;
    digest[8] = digest[8] & 0x3F | 0x80;
    digest
}
