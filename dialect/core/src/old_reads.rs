//! Reads of old values: a register that is read on purpose while a later result is under way to it, as
//! software-pipelined loops do. Hardware takes them as they are; strict execution accepts those that a
//! program lists in a section of its own.

use std::fmt::Write;

use crate::object::SectionKind;
use crate::program::{CoreProgram, ProgramSection};

/// Name of the section. Its text has a line for each read: the bundle's address in hexadecimal digits
/// and the register.
const SECTION: &str = ".aiec.old_reads";

/// A register that a bundle reads on purpose while a result is under way to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OldRead {
    /// Byte address of the bundle in program memory.
    pub address: u32,
    /// The register as assembly names it.
    pub register: String,
}

impl OldRead {
    /// The section that lists reads.
    pub fn section(reads: &[OldRead]) -> ProgramSection {
        let mut text = String::new();
        for OldRead { address, register } in reads {
            let _ = writeln!(text, "{address:x} {register}");
        }
        ProgramSection {
            size: text.len() as u32,
            bytes: text.into_bytes(),
            ..ProgramSection::new(SECTION, SectionKind::Unloaded, 0, 1)
        }
    }

    fn read(line: &str) -> Option<OldRead> {
        let (address, register) = line.split_once(' ')?;
        Some(OldRead {
            address: u32::from_str_radix(address, 16).ok()?,
            register: register.to_owned(),
        })
    }
}

impl CoreProgram {
    /// The reads that the program lists. Damaged lines list none: strict execution then reports the read.
    pub fn old_reads(&self) -> Vec<OldRead> {
        let sections = self.sections.iter();
        let texts = sections
            .filter(|section| section.name == SECTION && section.kind == SectionKind::Unloaded)
            .filter_map(|section| std::str::from_utf8(&section.bytes).ok());
        texts
            .flat_map(str::lines)
            .filter_map(OldRead::read)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::CoreArch;
    use crate::elf;

    #[test]
    fn reads_survive_the_file() {
        let reads = [(0x10, "r3"), (0x2f0, "bmh1")].map(|(address, register)| OldRead {
            address,
            register: register.to_owned(),
        });
        let mut program = CoreProgram::of_code(CoreArch::Aie2, &[0; 16]);
        program.sections.push(OldRead::section(&reads));
        let file = elf::write_program(&program);
        assert_eq!(elf::read_program(&file).unwrap().old_reads(), reads);
    }
}
