//! The directives: lines that steer the assembler. Operations whose names begin with a dot
//! (`.long`, `.align`, `.eop`) are not among them, as they end up in the code.

/// A directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectiveInfo {
    /// Its name, dot included.
    pub name: &'static str,
    /// Syntax of its operand.
    pub operand: &'static str,
    /// Effect.
    pub doc: &'static str,
}

const fn row(name: &'static str, operand: &'static str, doc: &'static str) -> DirectiveInfo {
    DirectiveInfo { name, operand, doc }
}

/// An operation that isn't an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationInfo {
    /// It and its operands, as written.
    pub syntax: &'static str,
    /// Effect.
    pub doc: &'static str,
}

/// All operations other than instructions (aiebu: src/cpp/ops/ops.cpp).
pub static OPERATIONS: &[OperationInfo] = &[
    OperationInfo {
        syntax: ".long VALUE",
        doc: "A 32-bit word: a number, `@label`, a tile or an actor.",
    },
    OperationInfo {
        syntax: "UC_DMA_BD address_high, address_low, @label, words, external, next",
        doc: "A descriptor that moves words from the label to the array; `next` is 1 if another \
              descriptor follows.",
    },
    OperationInfo {
        syntax: ".align N",
        doc: "Fills up to a multiple of N bytes.",
    },
    OperationInfo {
        syntax: ".eop",
        doc: "Ends the page.",
    },
];

/// All directives (aiebu: src/cpp/preprocessor/asm/asm_parser.cpp).
pub static DIRECTIVES: &[DirectiveInfo] = &[
    row(
        ".attach_to_group",
        "N",
        "What follows is for controller N (the column on aie2ps, twice the column or one more on \
         aie4).",
    ),
    row(
        ".section",
        ".ctrltext | .ctrldata | annotation",
        "What follows is text or data; `annotation` is followed by an `id:`, a `name:` and a \
         `description:` line about the operation before it.",
    ),
    row(
        ".include",
        "FILE",
        "Reads a file here. It has its own names of labels and numbers of jobs.",
    ),
    row(
        ".endl",
        "NAME",
        "Closes the scope that the line `NAME:` opened.",
    ),
    row(
        ".setpad",
        "NAME, WORDS | FILE",
        "Declares a scratch pad after the pages of the controller: a number of zero words, or \
         the contents of a file.",
    ),
    row(
        ".partition",
        "Ncolumn | Ncore:Mmem",
        "Size of the partition; configuration files carry it.",
    ),
    row(
        ".target",
        "FAMILY[-VARIANT]",
        "Family of controllers; must be the one that is assembled for.",
    ),
    row(
        ".aie_row_topology",
        "A-B-C-D",
        "Numbers of south shim, memory, core and north shim rows; the instances of a \
         configuration file must agree.",
    ),
    row(
        ".raw_page",
        "BYTES",
        "What follows, up to `.end_raw_page`, is one page from its header on, as `.long` words and \
         `.reloc POSITION, TYPE, SYMBOL` lines; its first BYTES bytes are its text section. The \
         disassembler writes so what no jobs and data give. Only this assembler knows it.",
    ),
    row(".end_raw_page", "", "Ends a `.raw_page`."),
    row(
        ".equ",
        "NAME, VALUE",
        "NAME is VALUE from here on, in all files: a number, a register `TILE_c_r.NAME`, a tile, an actor or \
         another such name. Only this assembler knows it.",
    ),
];
