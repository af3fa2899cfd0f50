//! Diagnostic codes of encoding.

aiec_diag::codes! {
    /// Codes of encoding.
    pub static CODES;
    BD_TABLE = "cert::bd-table",
        "The images that an APPLY_OFFSET_57 patches are not defined one after the other, or are \
         fewer than it says.";
    BD_IMAGE = "cert::bd-image",
        "The words at the label are fewer than the address fields of a shim BD need.";
    DANGLING = "cert::dangling",
        "The code refers to something that does not exist, or to a scope without jobs.";
    NOT_ON_TARGET = "cert::not-on-target",
        "The family of controllers lacks the instruction.";
    OVERFLOW = "cert::overflow",
        "A position or page number does not fit 16 bits.";
    DESCRIPTOR_LENGTH = "cert::descriptor-length",
        "A uC-DMA descriptor moves 1 to 32767 words.";
}
