//! Diagnostic codes of the linker.

aiec_diag::codes! {
    /// Codes of the linker of machine code.
    pub static CODES;
    UNDEFINED = "core-link::undefined",
        "A symbol is used that no file defines. Link the object that defines it too (`link_with`).";
    DUPLICATE = "core-link::duplicate",
        "Two files define the same global symbol.";
    MIXED = "core-link::mixed-architectures",
        "Objects of different architectures can't run on one core.";
    RELOCATION = "core-link::relocation",
        "An address does not fit the field that it is for, or the relocation's type is unknown for \
         the architecture.";
    CONSTRUCTORS = "core-link::constructors",
        "A file has functions that are to run before `main`: constructors of global C++ objects. Their \
         table would lie in program memory, which cores can't read.";
    NO_ROOM = "core-link::no-room",
        "The program or its data don't fit the core's memory.";
}
