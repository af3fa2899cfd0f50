//! Diagnostic codes of the assembler.

aiec_diag::codes! {
    /// Codes of the assembler of machine code.
    pub static CODES;
    SYNTAX = "core-asm::syntax",
        "A line of machine code in assembly is a label (`name:`), a directive (`.word 1`) or a \
         bundle: instructions with `;` between them. Immediates begin with `#`, comments with `//`.";
    UNKNOWN_INSTRUCTION = "core-asm::unknown-instruction",
        "The architecture has no instruction with this mnemonic. Mnemonics are those of the \
         compiler (llvm-aie); they differ between aie2, aie2p and aie2ps.";
    WRONG_OPERANDS = "core-asm::wrong-operands",
        "No instruction of this mnemonic has these operands: one is missing, too much, or not one \
         of the registers that its field can name.";
    OUT_OF_RANGE = "core-asm::out-of-range",
        "The number does not fit the instruction's field, or is not a multiple of what the field \
         counts in. `movxm` takes any 32 bits.";
    UNCONFIRMED = "core-asm::unconfirmed",
        "No public source states the register codes of this operand, so that its instruction can't \
         be encoded. `aiec dis` prints such instructions with the code in angle brackets.";
    NO_FORMAT = "core-asm::no-format",
        "A bundle has at most one instruction for each slot, and only some sets of slots have a \
         format. `lng` takes the place of `alu` and `mv`. Put the instruction into a bundle of its \
         own.";
    DIRECTIVE = "core-asm::directive",
        "The directive is unknown, or its arguments are not what it takes.";
    SYMBOL = "core-asm::symbol",
        "A label is defined twice, or a symbol is used where a number must be known.";
    NO_RELOCATION = "core-asm::no-relocation",
        "No relocation of the architecture patches this field, so that it can't hold an address \
         that the linker finds. Load the address with `movxm`.";
    PLACE = "core-asm::place",
        "Code must lie in a code section and data in one that is not of zeros. `.text`, `.data`, \
         `.bss` and `.section NAME` choose the section.";
}
