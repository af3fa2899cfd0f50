//! Diagnostic codes of `aiec asm`.

/// The way out of a description that can't be used.
pub const DESCRIPTION_HELP: &str = "`aiec explain asm::description` says what it may hold";

aiec_diag::codes! {
    /// Codes of `aiec asm`.
    pub static CODES;
    DESCRIPTION = "asm::description",
        "A JSON description (`--config` or `--patch`) is malformed, names a file that cannot be \
         read, or instances of a configuration contradict one another. A configuration has `xrt-kernels`, a \
         list of { `name`, `arguments` [{ `name`, `type`, `offset` }], `instance` [{ `id`, \
         `ctrl_code_file`, `patch_info_file` }] }; a description of control packets has \
         `external_buffers`, an object of { `xrt_id`, `size_in_bytes`, `ctrl_pkt_buffer`, `path`, \
         `control_packet_patch_locations` [{ `xrt_id`, `offset` }] }.";
    STALE_RECORD = "asm::stale-record",
        "A disassembled text carries the debug section of its file as comments. Its names of \
         arguments and buffers are kept, but its places of jobs and instructions no longer fit \
         the code, which was changed.";
}
