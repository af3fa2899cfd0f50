//! ELF files of Ryzen AI: partial ones (transactions beside an xclbin) and full ones (PDIs,
//! transactions and signatures; npu2 only). (aiebu: `src/cpp/elf`, `src/cpp/preprocessor/aie2`; XRT:
//! `elf_patcher.cpp`.)
//!
//! | section | holds |
//! |---|---|
//! | `.ctrltext` | the transaction |
//! | `.ctrldata` | control packets |
//! | `.ctrlpkt.pm.ID` | control packets that load program memory |
//! | `.preempt_save`, `.preempt_restore` | programs for a change of context |
//! | `.pdi.ID` | a PDI, in full files |
//! | `.group.K` | the sections of instance K, in full files, whose names end in `.K` |
//! | `.note.xrt.configuration` | columns; only full files have it |

mod patch;
mod preempt;
mod read;
mod relocate;
mod write;

pub use patch::{PatchKind, PatchSymbol, SHIM_HOST_OFFSET};
pub use preempt::{RESTORE, SAVE, restore_program, save_program};
pub use read::{NpuElf, NpuInstance, NpuPatch, NpuPatchPlace, is_npu_elf, read};
pub use write::{
    ControlPackets, FullElf, NpuKernel, NpuProgram, PacketPatch, write_full, write_partial,
};

/// OS/ABI byte of the header.
pub const OS_ABI: u8 = 0x45;
/// ABI version of files of 2023 and 2024, whose relocations have their type in the low bits of the
/// addend (XRT: `xrt_module.cpp`).
const ABI_FIRST: u8 = 0x01;
/// ABI version of partial files.
const ABI_PARTIAL: u8 = 0x02;
/// ABI version of full files; older ones have 0x10.
const ABI_FULL: u8 = 0x21;
/// Kernel arguments before the first buffer: opcode, instructions, their count. In partial files a
/// buffer's symbol counts them.
const ARGUMENTS_BEFORE_BUFFERS: u32 = 3;
/// Most buffers that a transaction may name (aiebu).
const MAX_ARGUMENTS: u32 = 512;

const SECTION_TEXT: &str = ".ctrltext";
const SECTION_DATA: &str = ".ctrldata";
const SECTION_PM: &str = ".ctrlpkt.pm.";
const SECTION_PDI: &str = ".pdi.";
const SECTION_SAVE: &str = ".preempt_save";
const SECTION_RESTORE: &str = ".preempt_restore";
/// Symbol of the buffer that memory tiles are saved to.
const SCRATCH_MEMORY: &str = "scratch-pad-mem";
/// Symbol of the buffer of the state table.
const SCRATCH_CONTROL: &str = "scratch-pad-ctrl";
/// Prefix of the symbols of program memory buffers.
const PM_SYMBOL: &str = "ctrlpkt-pm-";
