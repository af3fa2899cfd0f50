//! Diagnostic codes of the disassembler.

aiec_diag::codes! {
    /// Codes of the disassembler.
    pub static CODES;
    NOT_CONTROL_CODE = "dis::not-control-code",
        "The file is not an ELF of control code, or it is damaged so that its sections, \
         relocations or pages cannot be found.";
    NOT_THE_SAME = "dis::not-the-same",
        "The text does not give the file back as it was: something in it is lost, or another \
         assembler wrote the same code into a file of another layout (an older version, a unique \
         id that is not the sum over its contents).";
    RAW_PAGE = "dis::raw-page",
        "A page is no jobs and data that the assembler would lay out so: it holds an unknown \
         instruction, was laid out by another assembler, or is damaged. It is kept as words \
         between `.raw_page` and `.end_raw_page`, with the reason beside it, and comes back as it \
         was.";
    NEEDS_FILES = "dis::needs-files",
        "Part of the file cannot stand in an assembly text: contents of pads, control packets, \
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
