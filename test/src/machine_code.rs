//! Machine code of cores, as far as tests need it: executables of bytes that mean nothing.

/// Flags of the program header of a program.
pub const READ_EXECUTE: u32 = 5;
/// Flags of the program header of data.
pub const READ_WRITE: u32 = 6;

/// A segment: flags, address as the core sees it, contents, bytes in memory.
pub type Segment<'a> = (u32, u32, &'a [u8], u32);

/// A core's executable, as a linker writes it.
pub fn executable(segments: &[Segment<'_>]) -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01".to_vec();
    file.resize(16, 0);
    let mut contents = Vec::new();
    let behind = 52 + 32 * segments.len() as u32;
    for half in [2u16, 264] {
        file.extend(half.to_le_bytes());
    }
    // version, entry, program headers, section headers, flags
    for word in [1u32, 0, 52, 0, 2] {
        file.extend(word.to_le_bytes());
    }
    for half in [52u16, 32, segments.len() as u16, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for (flags, address, bytes, in_memory) in segments {
        let from = behind + contents.len() as u32;
        let in_file = bytes.len() as u32;
        for word in [1, from, *address, *address, in_file, *in_memory, *flags, 16] {
            file.extend(word.to_le_bytes());
        }
        contents.extend_from_slice(bytes);
    }
    file.extend(contents);
    file
}
