//! Machine code of cores: the ELF file that an `aie.core` names with `elf_file`, as the vendor's
//! linker writes it, taken apart into what goes to which memory.
//!
//! A file is ELF32, little-endian, executable, of machine 264. Each `PT_LOAD` program header is a
//! segment at its physical address: an executable one lies in program memory from 0, any other in
//! data memory as the core sees it, in its own or a neighbour's window; bytes beyond the file's are
//! zeros (`aie-rt: driver/src/core/xaie_elfloader.c`; `llvm-aie: llvm/include/llvm/BinaryFormat/
//! ELF.h`).

use std::ops::Range;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Core, OpKind, OpView};
use aiec_device::{Arch, DeviceModel, TileLoc};
use aiec_diag::{Diag, codes};

codes! {
    /// Codes of machine code for cores.
    pub static CODES;
    CANNOT_READ = "core::cannot-read-elf",
        "The ELF file that a core names can't be read. Relative names start at the folder of the \
         design.";
    BAD_ELF = "core::bad-elf",
        "The file that a core names with elf_file is not an executable for a core: 32 bits, \
         little-endian, machine 264 (AIE), with load segments.";
    OUT_OF_MEMORY = "core::elf-out-of-memory",
        "A segment of the core's ELF file lies where the core has no memory: programs start at 0 \
         and end with the program memory, data are in the windows of the core's own and its \
         neighbours' data memory.";
}

/// Machine number of AIE cores.
const EM_AIE: u16 = 264;
/// Type of an executable.
const ET_EXEC: u16 = 2;
/// Type of a loadable segment.
const PT_LOAD: u32 = 1;
/// Flag of an executable segment.
const PF_X: u32 = 1;
/// Bytes of an ELF32 header.
const HEADER_BYTES: usize = 52;
/// Bytes of a program header of ELF32.
const PROGRAM_HEADER_BYTES: usize = 32;

/// A piece of a core's memory image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Memory that it fills.
    pub memory: Memory,
    /// First byte.
    pub offset: u32,
    /// Contents, with the zeros after what the file holds.
    pub bytes: Vec<u8>,
}

/// A memory that a segment fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The core's program memory.
    Program,
    /// The data memory of a tile.
    Data(TileLoc),
}

impl Segment {
    /// Its bytes' addresses.
    pub fn range(&self) -> Range<u64> {
        let start = u64::from(self.offset);
        start..start + self.bytes.len() as u64
    }
}

/// Whether a core's body does nothing, so that its `elf_file` counts.
fn is_empty(module: &Module, core: Op) -> bool {
    let idle = |op: Op| matches!(module.kind(op), OpKind::End | OpKind::ArithConstant);
    module.walk(core).skip(1).all(idle)
}

/// The name of the machine code that a core without a body of its own runs.
pub fn file_of(module: &Module, core: Core) -> Option<String> {
    let name = core.elf_file(module)?;
    is_empty(module, core.op()).then(|| name.to_string())
}

/// The segments of a core's machine code; `None` for a core with a body.
///
/// # Errors
/// Problem of the file.
pub fn segments(
    module: &Module,
    model: &DeviceModel,
    core: Core,
) -> Option<Result<Vec<Segment>, Diag>> {
    let name = file_of(module, core)?;
    let loc = core.tile_loc(module)?;
    let segments = read(module, &name).and_then(|bytes| take_apart(bytes, model, loc));
    Some(segments.map_err(|problem| {
        let message = if problem.code.id == CANNOT_READ.id {
            format!("cannot read {name}: {}", problem.text)
        } else {
            format!("{name} {}", problem.text)
        };
        Diag::error(problem.code, message)
            .label(module.span(core.op()), "this core runs it")
            .help(problem.help)
    }))
}

/// The data memory that a core's machine code fills, by tile; nothing if it has none or can't be
/// read, which is found where it is loaded.
pub fn machine_code_data(
    module: &Module,
    model: &DeviceModel,
    core: Core,
) -> Vec<(TileLoc, Range<u64>)> {
    let segments = segments(module, model, core).and_then(Result::ok);
    let segments = segments.into_iter().flatten();
    let data = segments.filter_map(|segment| match segment.memory {
        Memory::Data(tile) => Some((tile, segment.range())),
        Memory::Program => None,
    });
    data.collect()
}

/// Problem of a file.
struct Problem {
    code: &'static aiec_diag::Code,
    text: String,
    help: &'static str,
}

fn read<'m>(module: &'m Module, name: &str) -> Result<&'m [u8], Problem> {
    let unread = |text: &str| Problem {
        code: &CANNOT_READ,
        text: text.to_string(),
        help: "names are relative to the design's folder; a core with a body needs no file",
    };
    match module.files.get(name) {
        Some(Ok(bytes)) => Ok(bytes),
        Some(Err(why)) => Err(unread(why)),
        None => Err(unread("it was not loaded with the design")),
    }
}

fn bad(text: impl Into<String>) -> Problem {
    Problem {
        code: &BAD_ELF,
        text: text.into(),
        help: "link the core's program with the vendor's tools for this tile, and name the result",
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..)?
        .first_chunk()
        .copied()
        .map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..)?
        .first_chunk()
        .copied()
        .map(u32::from_le_bytes)
}
fn take_apart(bytes: &[u8], model: &DeviceModel, loc: TileLoc) -> Result<Vec<Segment>, Problem> {
    if bytes.get(..4) != Some(b"\x7fELF") {
        return Err(bad("isn't an ELF file"));
    }
    if bytes.len() < HEADER_BYTES {
        return Err(bad("ends within its ELF header"));
    }
    if bytes[4..6] != [1, 1] {
        return Err(bad("is an ELF file, but not of 32 bits and little-endian"));
    }
    let half = |at| u16_at(bytes, at).unwrap_or(0);
    if half(18) != EM_AIE {
        let machine = half(18);
        return Err(bad(format!(
            "is for machine {machine}, an AIE core is {EM_AIE}"
        )));
    }
    if half(16) != ET_EXEC {
        return Err(Problem {
            help: "link it: `aiec asm -t TARGET FILE.o -o core.elf`, TARGET `aie2-core` or another",
            ..bad("isn't linked: it isn't an executable")
        });
    }
    check_flags(u32_at(bytes, 36).unwrap_or(0), model)?;
    let (start, count) = (u32_at(bytes, 28).unwrap_or(0) as usize, half(44));
    let size = usize::from(half(42));
    if size != PROGRAM_HEADER_BYTES {
        return Err(bad(format!("has program headers of {size} bytes")));
    }
    let part = |at: usize, len: usize| bytes.get(at..)?.get(..len);
    let mut found = Vec::new();
    for n in 0..usize::from(count) {
        let header = part(start.saturating_add(n * size), size);
        let header = header.ok_or_else(|| bad(format!("ends before program header {n}")))?;
        let word = |k: usize| u32_at(header, 4 * k).unwrap_or(0);
        // type, offset, virtual and physical address, bytes in the file and in memory, flags
        if word(0) == PT_LOAD && word(5) > 0 {
            let [from, address, in_file, in_memory, flags] = [1, 3, 4, 5, 6].map(word);
            let contents = part(from as usize, in_file as usize);
            let contents = contents.ok_or_else(|| bad(format!("ends within segment {n}")))?;
            let place = PlacedSegment {
                address,
                bytes: in_memory.max(in_file),
                program: flags & PF_X != 0,
            };
            found.extend(place.split(contents, model, loc)?);
        }
    }
    let entry = u32_at(bytes, 24).unwrap_or(0);
    let is_code = |segment: &Segment| {
        segment.memory == Memory::Program && segment.range().contains(&entry.into())
    };
    if found.is_empty() {
        return Err(bad("has nothing to load"));
    }
    if entry != 0 && !found.iter().any(is_code) {
        return Err(bad(format!(
            "is to begin at {entry:#x}, where it has no program"
        )));
    }
    Ok(found)
}

/// Architectures by the flags of their ELF files (llvm-aie: `EF_AIE_*`). That of AIE2PS is unconfirmed.
const FLAGS: [(u32, Arch); 3] = [(1, Arch::Aie1), (2, Arch::Aie2), (3, Arch::Aie2p)];

/// Refuses machine code of another architecture. Which flags files of AIE2PS have is unconfirmed: its cores
/// take any.
fn check_flags(flags: u32, model: &DeviceModel) -> Result<(), Problem> {
    let core = model.arch();
    match FLAGS.into_iter().find(|(number, _)| *number == flags) {
        Some((_, arch)) if arch != core && core != Arch::Aie2ps => Err(Problem {
            help: "compile it for the design's device: no architecture runs another's machine code",
            ..bad(format!(
                "holds machine code of {arch} cores, the core is {core}"
            ))
        }),
        _ => Ok(()),
    }
}

/// Where a segment goes, as the core sees it.
struct PlacedSegment {
    address: u32,
    bytes: u32,
    program: bool,
}

impl PlacedSegment {
    /// The segment as pieces of memories.
    fn split(
        &self,
        contents: &[u8],
        model: &DeviceModel,
        loc: TileLoc,
    ) -> Result<Vec<Segment>, Problem> {
        let core = &model.arch_model().core;
        let outside = |what: &str| Problem {
            code: &OUT_OF_MEMORY,
            text: format!(
                "has {} bytes of {} at {:#x}, {what}",
                self.bytes,
                if self.program { "program" } else { "data" },
                self.address
            ),
            help: "link it for this tile: the linker script gives the memories of the core",
        };
        let end = u64::from(self.address) + u64::from(self.bytes);
        if self.program {
            if end > u64::from(core.program_bytes) {
                return Err(outside("past the end of program memory"));
            }
            return Ok(vec![Segment {
                memory: Memory::Program,
                offset: self.address,
                bytes: filled(contents, 0..self.bytes as usize),
            }]);
        }
        // A piece for each window that it reaches into.
        let mut pieces = Vec::new();
        let mut done = 0u32;
        while done < self.bytes {
            let address = self.address.checked_add(done);
            let place = address.and_then(|address| model.resolve_core_address(loc, address));
            let Some((tile, offset)) = place else {
                return Err(outside("where the core sees no data memory"));
            };
            let until = done.saturating_add(core.memory_bytes - offset);
            let until = until.min(self.bytes);
            pieces.push(Segment {
                memory: Memory::Data(tile),
                offset,
                bytes: filled(contents, done as usize..until as usize),
            });
            done = until;
        }
        Ok(pieces)
    }
}

/// A part of the contents, with zeros where they are too short.
fn filled(contents: &[u8], range: Range<usize>) -> Vec<u8> {
    let have = range.start.min(contents.len())..range.end.min(contents.len());
    let mut bytes = contents[have].to_vec();
    bytes.resize(range.len(), 0);
    bytes
}
