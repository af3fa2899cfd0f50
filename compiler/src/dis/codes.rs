//! Diagnostic codes of the disassembler.

aiec_diag::codes! {
    /// Codes of the disassembler.
    pub static CODES;
    NEEDS_FILES = "dis::needs-files",
        "Part of the file cannot be in an assembly text: contents of pads, control packets, \
         the instances of a configuration file. With `-o FILE.asm` they are written into files \
         beside it.";
    FAMILY_ASSUMED = "dis::family-assumed",
        "Control code of both families of controllers comes in files of one kind. Nothing in this \
         one (relocations, instructions, actors) is of one family only, so it is read as aie2ps. \
         `--target aie4` reads it as the other; only `.target` differs.";
    NO_REGISTERS = "dis::no-registers",
        "`--annotate` explains writes by the register map of the device, and none is known for \
         this file.";
}
