//! Diagnostic codes of core ELF files.

aiec_diag::codes! {
    /// Codes of core ELF files.
    pub static CODES;
    NOT_A_CORE_FILE = "core-elf::not-a-core-file",
        "The file isn't an ELF file of an AI Engine core: 32 bits, little-endian, machine 264, with the \
         architecture in its flags (2 AIE2, 3 AIE2P), or its tables point outside of it.";
    NOT_AN_ARCHIVE = "core-elf::not-an-archive",
        "The archive (`.a`) is damaged, or a thin one, which names its members' files instead of holding \
         them.";
    WRONG_KIND = "core-elf::wrong-kind",
        "An executable is needed where an object is given, or the reverse: compilers write objects \
         (`-c`), linkers executables. Or an option doesn't fit the file: `--target` names another \
         architecture than the file does, or the option is for control code.";
}
