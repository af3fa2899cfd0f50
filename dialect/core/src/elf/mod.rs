//! ELF files of cores: objects and executables, as llvm-aie's tools write them. ELF32,
//! little-endian, machine 264, the architecture in the flags, relocations with addends.

mod archive;
mod codes;
mod read;
mod write;

pub use archive::{is_archive, read_archive, read_members};
pub use codes::{CODES, WRONG_KIND};
pub use read::{is_core_file, is_elf, is_object, is_program, read_object, read_program};
pub use write::{write_object, write_program};
