//! Diagnostic codes of `aiec asm`.

aiec_diag::codes! {
    /// Codes of `aiec asm`.
    pub static CODES;
    DESCRIPTION = "asm::description",
        "A JSON description (`--config` or `--patch`) is malformed, names a file that cannot be \
         read, or instances of a configuration contradict one another.";
    STALE_RECORD = "asm::stale-record",
        "A disassembled text carries the debug section of its file as comments. Its names of \
         arguments and buffers are kept, but its places of jobs and instructions no longer fit \
         the code, which was changed.";
}
