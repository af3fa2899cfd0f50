//! Reading control code files of any assembler. Total: any bytes give a value or an error.

mod role;

use std::collections::BTreeMap;

use aiec_diag::Diag;
pub use aiec_xrt_elf::read::KernelEntry;
use aiec_xrt_elf::read::{Header, damaged, header, kernels, note_description};
use aiec_xrt_elf::{MACHINE, SECTION_CONFIGURATION, SECTION_UID, SHT_CUSTOM};
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SectionIndex};

use super::{ABI_GROUPED, ABI_MERGED, SECTION_DUMP};
use crate::binary::{NOT_CONTROL_CODE, malformed};
use crate::debug::{self, DebugInfo};
use crate::image;
use crate::page::PAGE_BYTES;
use crate::patch::PatchKind;
use role::{Role, SectionContents};

/// Turns an error of the ELF reader into a finding.
fn not_elf(error: object::read::Error) -> Diag {
    damaged(&NOT_CONTROL_CODE)(error)
}

fn twice(section: &str) -> Diag {
    malformed(format!("section '{section}' occurs twice"))
}

/// A control code file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ControlElf {
    /// OS/ABI byte.
    pub os_abi: u8,
    /// ABI version byte: major and minor nibble.
    pub abi_version: u8,
    /// Instances; plain files have one without a name.
    pub instances: Vec<Instance>,
    /// Columns of the partition, if the file says.
    pub columns: Option<u32>,
    /// Unique id, as in the note.
    pub uid: Option<Vec<u8>>,
    /// Names and source lines, if the file was compiled by us.
    pub debug: Option<DebugInfo>,
    /// The vendor's debug record, see [`crate::dump`].
    pub dump: Option<Vec<u8>>,
    /// Kernels of a configuration file, in file order.
    pub kernels: Vec<KernelEntry>,
    /// Extra sections of a configuration file: name and contents.
    pub custom: Vec<(String, Vec<u8>)>,
}

/// The code of one instance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instance {
    /// Number of the instance in the section names; 0 in plain files.
    pub number: u32,
    /// Controllers with code, ascending.
    pub ucs: Vec<UcCode>,
    /// Control packet buffers by id.
    pub ctrl_packets: BTreeMap<u32, Vec<u8>>,
    /// Places the host patches, in file order.
    pub patches: Vec<Patch>,
    /// The vendor's debug record of an instance of a configuration file.
    pub dump: Option<Vec<u8>>,
}

/// The code of a controller.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UcCode {
    /// Number of the controller.
    pub uc: u32,
    /// Pages, by number; each has at most 8192 bytes, the rest is zero.
    pub pages: Vec<Vec<u8>>,
    /// Bytes of each page that lie in its text section; all of them in merged files.
    pub text_bytes: Vec<usize>,
    /// Scratch pads, after the pages in memory.
    pub pad: Vec<u8>,
}

/// A place that the host patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Place of the patch.
    pub place: PatchPlace,
    /// Sort of address field.
    pub kind: PatchKind,
    /// Address to add.
    pub symbol: PatchSymbol,
    /// Number to add to that address, in bytes.
    pub addend: i64,
}

/// Where a patch goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchPlace {
    /// Code of a controller: byte offset from the begin of a page (header counted).
    Page {
        /// Controller.
        uc: u32,
        /// Page number.
        page: u32,
        /// Byte offset in the page.
        offset: u32,
    },
    /// The scratch pads of a controller.
    Pad {
        /// Controller.
        uc: u32,
        /// Byte offset from the first pad.
        offset: u32,
    },
    /// A control packet buffer.
    CtrlPacket {
        /// Its id.
        id: u32,
        /// Byte offset in the buffer.
        offset: u32,
    },
}

/// Value that a patch adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchSymbol {
    /// Device address of a host argument.
    Argument(u32),
    /// Device address of a controller's page 0.
    Code(u32),
    /// Device address of a control packet buffer.
    CtrlPacket(u32),
    /// Anything else.
    Other(String),
}

impl PatchSymbol {
    fn parse(name: &str) -> Self {
        // other spellings of a number are other symbols
        let number = |text: &str| text.parse::<u32>().ok().filter(|n| n.to_string() == text);
        if let Some(index) = number(name) {
            return Self::Argument(index);
        }
        if let Some(uc) = name.strip_prefix("control-code-").and_then(number) {
            return Self::Code(uc);
        }
        match name.strip_prefix(".ctrlpkt-").and_then(number) {
            Some(id) => Self::CtrlPacket(id),
            None => Self::Other(name.to_owned()),
        }
    }
}

impl std::fmt::Display for PatchSymbol {
    /// As the symbol table spells it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PatchSymbol::Argument(n) => write!(f, "{n}"),
            PatchSymbol::Code(uc) => f.write_str(&image::code_symbol(*uc)),
            PatchSymbol::CtrlPacket(id) => f.write_str(&image::ctrl_packet_symbol(*id)),
            PatchSymbol::Other(name) => f.write_str(name),
        }
    }
}

type TextAndData = (Vec<u8>, Vec<u8>);

/// An instance while its sections come in.
#[derive(Default)]
struct PartialInstance {
    /// Text and data by controller and page.
    pages: BTreeMap<u32, BTreeMap<u32, TextAndData>>,
    pads: BTreeMap<u32, Vec<u8>>,
    ctrl_packets: BTreeMap<u32, Vec<u8>>,
    patches: Vec<Patch>,
    dump: Option<Vec<u8>>,
}

impl PartialInstance {
    /// Text and data of a page.
    fn page(&mut self, uc: u32, page: u32) -> &mut TextAndData {
        let pages = self.pages.entry(uc).or_default();
        pages.entry(page).or_default()
    }
}

/// Reads a control code file.
pub fn read(bytes: &[u8]) -> Result<ControlElf, Diag> {
    let header = header(bytes, &NOT_CONTROL_CODE)?;
    let endian = header.endian().map_err(not_elf)?;
    let machine = header.e_machine(endian).0;
    if machine != MACHINE {
        let message =
            format!("the ELF file is for machine {machine}, control code has machine {MACHINE}");
        return Err(malformed(message));
    }
    let abi_version = header.e_ident().abi_version;
    let merged = abi_version == ABI_MERGED;
    let grouped = abi_version >= ABI_GROUPED;
    let sections = header.sections(endian, bytes).map_err(not_elf)?;
    let mut file = ControlElf {
        os_abi: header.e_ident().os_abi.0,
        abi_version,
        ..ControlElf::default()
    };
    let mut parts: BTreeMap<u32, PartialInstance> = BTreeMap::new();
    let mut roles: BTreeMap<usize, Role> = BTreeMap::new();
    for (index, section) in sections.enumerate() {
        let name = sections.section_name(endian, section).map_err(not_elf)?;
        let name = String::from_utf8_lossy(name).into_owned();
        let data = section.data(endian, bytes).map_err(not_elf)?;
        match name.as_str() {
            SECTION_UID => file.uid = note_description(data).map(<[u8]>::to_vec),
            SECTION_CONFIGURATION => {
                file.columns = note_description(data)
                    .and_then(|d| d.first_chunk())
                    .map(|c| u32::from_le_bytes(*c));
            }
            debug::SECTION => file.debug = Some(DebugInfo::parse(data)?),
            SECTION_DUMP => file.dump = Some(data.to_vec()),
            _ if section.sh_type(endian).0 == SHT_CUSTOM => {
                file.custom.push((name, data.to_vec()));
            }
            _ => {
                if let Some(role) = Role::parse(&name, grouped, merged)? {
                    roles.insert(index.0, role);
                    let parts = parts.entry(role.instance).or_default();
                    add_section(parts, role, name, data)?;
                }
            }
        }
    }
    read_relocations(bytes, &sections, &roles, &mut parts)?;
    if grouped {
        file.kernels = kernels(bytes, &sections);
    }
    for (number, parts) in parts {
        file.instances.push(finish(number, parts)?);
    }
    if file.instances.is_empty() {
        return Err(malformed("the ELF file holds no control code"));
    }
    Ok(file)
}

fn add_section(
    parts: &mut PartialInstance,
    role: Role,
    name: String,
    data: &[u8],
) -> Result<(), Diag> {
    let put = |slot: &mut Vec<u8>| {
        if !slot.is_empty() {
            return Err(twice(&name));
        }
        slot.extend_from_slice(data);
        Ok(())
    };
    match role.holds {
        SectionContents::Text { uc, page } => put(&mut parts.page(uc, page).0),
        SectionContents::Data { uc, page } => put(&mut parts.page(uc, page).1),
        SectionContents::Pad { uc } => put(parts.pads.entry(uc).or_default()),
        SectionContents::Dump => put(parts.dump.get_or_insert_default()),
        SectionContents::CtrlPacket { id } => {
            // the vendor writes a copy for each controller; the first counts
            parts
                .ctrl_packets
                .entry(id)
                .or_insert_with(|| data.to_vec());
            Ok(())
        }
        SectionContents::Merged { uc } => {
            let pages = parts.pages.entry(uc).or_default();
            if !pages.is_empty() {
                return Err(twice(&name));
            }
            for (number, page) in data.chunks(PAGE_BYTES).enumerate() {
                pages.insert(number as u32, (page.to_vec(), Vec::new()));
            }
            Ok(())
        }
    }
}

fn read_relocations(
    bytes: &[u8],
    sections: &SectionTable<'_, Header>,
    roles: &BTreeMap<usize, Role>,
    parts: &mut BTreeMap<u32, PartialInstance>,
) -> Result<(), Diag> {
    let endian = LittleEndian;
    let symbols = sections
        .symbols(endian, bytes, elf::SHT_DYNSYM)
        .map_err(not_elf)?;
    for section in sections.iter() {
        let Some((relocations, _)) = section.rela(endian, bytes).map_err(not_elf)? else {
            continue;
        };
        for (index, relocation) in relocations.iter().enumerate() {
            let error = |what| malformed(format!("relocation {index} {what}"));
            let number = relocation.r_sym(endian) as usize;
            let symbol = symbols
                .symbol(object::SymbolIndex(number))
                .map_err(|_| error("names no symbol"))?;
            let name = symbol.name(endian, symbols.strings()).map_err(not_elf)?;
            let role = symbols
                .symbol_section(endian, symbol, object::SymbolIndex(number))
                .map_err(not_elf)?
                .and_then(|SectionIndex(i)| roles.get(&i))
                .ok_or_else(|| error("patches no section with code"))?;
            let kind = PatchKind::from_number(relocation.r_type(endian).0)
                .ok_or_else(|| error("is of an unknown type"))?;
            let offset = relocation.r_offset(endian);
            let place = place_of(*role, offset).ok_or_else(|| error("lies outside the code"))?;
            parts.entry(role.instance).or_default().patches.push(Patch {
                place,
                kind,
                symbol: PatchSymbol::parse(&String::from_utf8_lossy(name)),
                addend: i64::from(relocation.r_addend(endian)),
            });
        }
    }
    Ok(())
}

/// Relocations in code count from the end of the page header.
fn place_of(role: Role, offset: u32) -> Option<PatchPlace> {
    const HEADER: u32 = crate::page::HEADER_BYTES as u32;
    const PAGE: u32 = PAGE_BYTES as u32;
    Some(match role.holds {
        SectionContents::Text { uc, page } | SectionContents::Data { uc, page } => {
            PatchPlace::Page {
                uc,
                page,
                offset: offset.checked_add(HEADER)?,
            }
        }
        SectionContents::Merged { uc } => {
            let offset = offset.checked_add(HEADER)?;
            PatchPlace::Page {
                uc,
                page: offset / PAGE,
                offset: offset % PAGE,
            }
        }
        SectionContents::Pad { uc } => PatchPlace::Pad { uc, offset },
        SectionContents::CtrlPacket { id } => PatchPlace::CtrlPacket { id, offset },
        SectionContents::Dump => return None,
    })
}

fn finish(number: u32, parts: PartialInstance) -> Result<Instance, Diag> {
    let PartialInstance {
        mut pages,
        mut pads,
        ctrl_packets,
        patches,
        dump,
    } = parts;
    let mut ucs = Vec::new();
    for &uc in pads.keys() {
        // pads without code
        pages.entry(uc).or_default();
    }
    for (uc, pages) in pages {
        let count = pages.len();
        let mut code = UcCode {
            uc,
            pages: Vec::new(),
            text_bytes: Vec::new(),
            pad: pads.remove(&uc).unwrap_or_default(),
        };
        for (missing, (page, (mut text, data))) in pages.into_iter().enumerate() {
            if page as usize != missing {
                let message =
                    format!("controller {uc} has {count} pages, but page {missing} is missing");
                return Err(malformed(message));
            }
            code.text_bytes.push(text.len());
            text.extend_from_slice(&data);
            if text.len() > PAGE_BYTES {
                let message = format!(
                    "page {missing} of controller {uc} has {} bytes, more than {PAGE_BYTES}",
                    text.len()
                );
                return Err(malformed(message));
            }
            code.pages.push(text);
        }
        ucs.push(code);
    }
    Ok(Instance {
        number,
        ucs,
        ctrl_packets,
        patches,
        dump,
    })
}
