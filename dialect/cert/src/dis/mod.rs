//! The disassembler: a file back to text that assembles to the same bytes.
//!
//! What an assembler threw away is found again where the bytes allow it:
//!
//! * scopes: a page begins one when the header before it says that nothing follows;
//! * data: chains are found from the instructions that name them, payloads from their
//!   descriptors, images of shim BDs from the relocations; each such place begins a block, and a
//!   block reaches to the next one;
//! * the pads of a controller are one pad.
//!
//! Names are made up from the page and the place. Nothing is taken on trust: the text is
//! assembled again and compared with the file. A page that no jobs and data give (an unknown
//! instruction, the header of another assembler's version, damage) is kept as words with the
//! reason beside it; what no text can hold is a finding.
//!
//! ```
//! use aiec_cert::asm::{self, AsmOptions, NoFiles};
//! use aiec_cert::pager::LayoutOptions;
//! use aiec_cert::{dis, elf, image};
//!
//! let options = AsmOptions { target: aiec_cert::names::Target::Aie2ps, compat: false };
//! let assemble = |text: &str| {
//!     let program = asm::parse("a.asm", text.as_bytes(), &NoFiles, options).program.unwrap();
//!     let image = image::assemble(&program, LayoutOptions::default()).unwrap();
//!     elf::write(&image, None).unwrap()
//! };
//! let file = assemble("START_JOB 0\n  WRITE_32 0x0211f000, 1\nEND_JOB\nEOF\n");
//! let found = dis::disassemble(&file, &dis::DisOptions::default()).unwrap();
//! assert!(found.findings.is_empty());
//! assert!(found.instances[0].text.contains("WRITE_32"));
//! assert_eq!(assemble(&found.instances[0].text), file);
//! ```

mod data;
mod decode;
pub mod embed;
mod lift;
mod listing;
mod settle;
mod text;
mod verify;

pub use listing::{ListedBlock, ListedData, ListedItem, ListedJob, ListedPage, Remarks};

use aiec_diag::Diag;

use crate::elf::{self, ControlElf, Instance, KernelEntry};
use crate::isa::RawOp;
use crate::names::{ActorId, Target, TargetVariant};
use crate::page::decode_page;
use crate::patch::PatchKind;
use crate::print::named_actor;
use crate::program::Program;

/// Columns of a partition when a file doesn't say; the assembler's default.
const DEFAULT_COLUMNS: u32 = 4;

/// Options of the disassembler.
#[derive(Clone, Copy, Default)]
pub struct DisOptions<'a> {
    /// Family of controllers; found out if `None`.
    pub target: Option<Target>,
    /// Prefix of the names of files beside the text.
    pub stem: &'a str,
    /// Remarks after instructions and data.
    pub remarks: Option<&'a dyn Remarks>,
}

/// A disassembled file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembly {
    /// The parts that were read.
    pub file: ControlElf,
    /// Family of controllers.
    pub target: Target,
    /// Whether it must be assembled with the vendor's quirks ([`crate::asm::AsmOptions::compat`]).
    pub compat: bool,
    /// Whether the checks find that it can't work on the machine.
    pub faulty: bool,
    /// The instances, in file order; plain files have one.
    pub instances: Vec<InstanceText>,
    /// Kernels, for configuration files.
    pub kernels: Vec<KernelText>,
    /// Sections that are kept in the text as comments, see [`embed`].
    pub embedded: Vec<(&'static str, Vec<u8>)>,
    /// Parts of the file that assembling the text doesn't restore.
    pub findings: Vec<Diag>,
}

/// A kernel of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelText {
    /// Name.
    pub name: String,
    /// Types of its arguments.
    pub arguments: Vec<elf::KernelArgument>,
    /// Its instances: id, and index in [`Disassembly::instances`].
    pub instances: Vec<(String, usize)>,
}

/// A disassembled instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceText {
    /// Its number in the section names.
    pub number: u32,
    /// The text.
    pub text: String,
    /// The program the text says.
    pub program: Program,
    /// Its pages, by controller and number.
    pub pages: Vec<ListedPage>,
    /// Files that the text names: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

aiec_diag::codes! {
    /// Codes of the disassembler.
    pub static CODES;
    NOT_THE_SAME = "dis::not-the-same",
        "The text does not give the file back as it was: something in it is lost, or another \
         assembler wrote the same code into a file of another layout (an older version, a unique \
         id that is not the sum over its contents).";
    RAW_PAGE = "dis::raw-page",
        "A page isn't made of jobs and data as the assembler would lay them out: it holds an unknown \
         instruction, was laid out by another assembler, or is damaged. It is kept as words \
         between `.raw_page` and `.end_raw_page`, with the reason beside it, and comes back as it \
         was.";
}

/// Something that the text does not give back as it is in the file; in configuration files with
/// the number of the instance.
fn lost(instance: Option<u32>, what: String) -> Diag {
    let message = match instance {
        Some(number) => format!("instance {number}: {what}"),
        None => what,
    };
    Diag::warning(&NOT_THE_SAME, message)
}

/// Why no jobs and data give a page.
fn raw_page(why: impl Into<String>) -> Diag {
    Diag::warning(&RAW_PAGE, why)
}

/// The family of controllers that a file is for, as far as it shows: relocations, the kind of
/// configuration file, and instructions and actors that only one family has tell. Plain files
/// have one header for both.
pub fn target_of(file: &ControlElf) -> Option<Target> {
    if file.abi_version == elf::ABI_MERGED {
        return TargetVariant::from_os_abi(file.os_abi).map(|variant| variant.target);
    }
    let mut patches = file.instances.iter().flat_map(|i| &i.patches);
    let kind = patches.find_map(|patch| match patch.kind {
        PatchKind::ShimBd57Aie4 | PatchKind::CtrlPacket57Aie4 => Some(Target::Aie4),
        PatchKind::ShimBd57 | PatchKind::CtrlPacket57 => Some(Target::Aie2ps),
        _ => None,
    });
    let ucs = file.instances.iter().flat_map(|i| &i.ucs);
    let of_page = |page: &Vec<u8>| {
        let page = decode_page(page).ok()?;
        let mut ops = page.jobs.iter().flat_map(|job| &job.ops);
        ops.find_map(|placed| family_of(&placed.op))
    };
    let of_code = || ucs.flat_map(|uc| &uc.pages).find_map(of_page);
    // the compiler, which writes the debug section, knows one family
    let compiled = || file.debug.is_some().then_some(Target::Aie2ps);
    kind.or_else(of_code).or_else(compiled)
}

/// The family that alone has an instruction, or its actor.
fn family_of(op: &RawOp) -> Option<Target> {
    let known = |family: &Target| match *op {
        RawOp::WaitTcts { tile, actor, .. } => {
            actor == ActorId::CORE || named_actor(*family, tile, actor).is_some()
        }
        _ => op.info().targets.targets().contains(family),
    };
    let families = Target::ALL.into_iter().filter(known);
    match families.collect::<Vec<_>>()[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Disassembles a file. The error says why it can't be one of control code.
pub fn disassemble(bytes: &[u8], options: &DisOptions<'_>) -> Result<Disassembly, Diag> {
    let file = elf::read(bytes)?;
    Ok(of_file(bytes, file, options))
}

/// Disassembles a file that has been read.
pub fn of_file(bytes: &[u8], file: ControlElf, options: &DisOptions<'_>) -> Disassembly {
    let found = options.target.or_else(|| target_of(&file));
    let target = found.unwrap_or(Target::Aie2ps);
    let mut findings = Vec::new();
    let mut instances = Vec::new();
    for (index, instance) in file.instances.iter().enumerate() {
        let lifted = lift_instance(&file, instance, target, None);
        instances.push(instance_text(&file, index, lifted, target, options));
        lost_patches(&file, instance, target, &mut findings);
    }
    let kernels = kernels(&file, &mut findings);
    let embedded = embedded(&file, &mut findings);
    let mut made = Disassembly {
        file,
        target,
        compat: false,
        faulty: false,
        instances,
        kernels,
        embedded,
        findings,
    };
    verify::verify(&mut made, bytes, options);
    made
}

/// Makes a program of an instance; with a reason, of nothing but words.
fn lift_instance(
    file: &ControlElf,
    instance: &Instance,
    target: Target,
    all_raw: Option<&str>,
) -> lift::LiftedProgram {
    let mut known = lift::KnownPages::default();
    if let Some(why) = all_raw {
        let pages = lift::all_pages(instance).into_iter();
        known.raw = pages.map(|key| (key, why.to_owned())).collect();
    }
    let columns = file.columns.unwrap_or(DEFAULT_COLUMNS);
    let merged = file.abi_version == elf::ABI_MERGED;
    settle::settle(instance, target, columns, merged, known)
}

/// The text of an instance, and the files it names.
fn instance_text(
    file: &ControlElf,
    index: usize,
    lifted: lift::LiftedProgram,
    target: Target,
    options: &DisOptions<'_>,
) -> InstanceText {
    let number = file.instances.get(index).map_or(0, |i| i.number);
    let grouped = file.abi_version >= elf::ABI_GROUPED;
    let mut files = Vec::new();
    let mut pads = Vec::new();
    for group in &lifted.program.groups {
        let bytes = group.pads.iter().flat_map(|pad| &pad.bytes);
        let bytes: Vec<u8> = bytes.copied().collect();
        let is_plain = bytes.iter().all(|&byte| byte == 0) && bytes.len().is_multiple_of(4);
        if !is_plain {
            let suffix = if grouped {
                format!("{number}.pad-{}.bin", group.uc)
            } else {
                format!("pad-{}.bin", group.uc)
            };
            let name = format!("{}{suffix}", options.stem);
            pads.push((group.uc, name.clone()));
            files.push((name, bytes));
        }
    }
    let merged = file.abi_version == elf::ABI_MERGED;
    let declared = if merged {
        TargetVariant::from_os_abi(file.os_abi).map(|variant| variant.name)
    } else {
        (!grouped).then_some(target.name())
    };
    let head = text::Heading {
        target: declared,
        columns: file.columns,
        pads: &pads,
    };
    let pages = listing::list(&lifted.program, &lifted.pages, options.remarks);
    let mut text = text::text(&lifted.program, &pages, &head);
    let dump = file.instances.get(index).and_then(|i| i.dump.as_ref());
    let dump = dump.and_then(|dump| embed::lines(elf::SECTION_DUMP, dump));
    text.push_str(&dump.unwrap_or_default());
    InstanceText {
        number,
        text,
        program: lifted.program,
        pages,
        files,
    }
}

/// Relocations that no text makes.
fn lost_patches(file: &ControlElf, instance: &Instance, target: Target, findings: &mut Vec<Diag>) {
    let wanted = match target {
        Target::Aie2ps => PatchKind::CtrlPacket57,
        Target::Aie4 => PatchKind::CtrlPacket57Aie4,
    };
    let grouped = file.abi_version >= elf::ABI_GROUPED;
    let mut report = |what: String| {
        findings.push(lost(grouped.then_some(instance.number), what));
    };
    for patch in &instance.patches {
        let symbol = patch.symbol.to_string();
        if patch.addend != 0 {
            report(format!(
                "the relocation to '{symbol}' has an addend, which is lost"
            ));
        }
        match patch.place {
            elf::PatchPlace::Pad { .. } => {
                report(format!("the relocation of a pad to '{symbol}' is lost"));
            }
            elf::PatchPlace::CtrlPacket { id, .. }
                if patch.kind != wanted || symbol.parse::<u32>().is_err() =>
            {
                report(format!(
                    "the relocation of control packets {id} to '{symbol}' is lost"
                ));
            }
            _ => {}
        }
    }
}

fn kernels(file: &ControlElf, findings: &mut Vec<Diag>) -> Vec<KernelText> {
    let mut named = vec![false; file.instances.len()];
    let mut kernels = Vec::new();
    for KernelEntry { mangled, instances } in &file.kernels {
        let (name, arguments) = aiec_xrt_elf::demangle(mangled).unwrap_or_else(|| {
            let what = format!("the name of the kernel '{mangled}' is lost");
            findings.push(lost(None, what));
            (mangled.clone(), Vec::new())
        });
        let mut of_kernel = Vec::new();
        for (id, number) in instances {
            let at = file.instances.iter().position(|i| i.number == *number);
            if let Some(at) = at {
                if let Some(slot) = named.get_mut(at) {
                    *slot = true;
                }
                of_kernel.push((id.clone(), at));
            }
        }
        kernels.push(KernelText {
            name,
            arguments,
            instances: of_kernel,
        });
    }
    let grouped = file.abi_version >= elf::ABI_GROUPED;
    for (instance, _) in file
        .instances
        .iter()
        .zip(named)
        .filter(|(_, named)| grouped && !named)
    {
        let what = "it belongs to no kernel and is lost".to_owned();
        findings.push(lost(Some(instance.number), what));
    }
    kernels
}

fn embedded(file: &ControlElf, findings: &mut Vec<Diag>) -> Vec<(&'static str, Vec<u8>)> {
    let debug = file.debug.as_ref().map(|debug| debug.to_bytes());
    let sections = [
        (crate::debug::SECTION, debug),
        (elf::SECTION_DUMP, file.dump.clone()),
    ];
    let mut embedded = Vec::new();
    for (name, bytes) in sections {
        let Some(bytes) = bytes else { continue };
        if file.abi_version >= elf::ABI_GROUPED || std::str::from_utf8(&bytes).is_err() {
            findings.push(lost(None, format!("the section '{name}' is lost")));
            continue;
        }
        embedded.push((name, bytes));
    }
    embedded
}

impl Disassembly {
    /// True for files of several instances.
    pub fn is_config(&self) -> bool {
        self.file.abi_version >= elf::ABI_GROUPED
    }

    /// The lines that keep the sections that are not code; empty if there are none.
    pub fn embedded_text(&self) -> String {
        let sections = self.embedded.iter();
        let lines = sections.filter_map(|(name, bytes)| embed::lines(name, bytes));
        lines.collect()
    }

    /// Pages that are kept as words: number of the instance, and the page.
    pub fn raw_pages(&self) -> impl Iterator<Item = (u32, &ListedPage)> {
        self.instances.iter().flat_map(|instance| {
            let pages = instance.pages.iter().filter(|page| page.raw.is_some());
            pages.map(|page| (instance.number, page))
        })
    }
}
