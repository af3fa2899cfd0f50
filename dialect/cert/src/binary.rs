//! Findings about binary files: bytes that aren't a file, page, record or instruction of control
//! code. Their messages name the byte offset.

use aiec_diag::Diag;

aiec_diag::codes! {
    /// Codes of the readers of binary files.
    pub static CODES;
    NOT_CONTROL_CODE = "dis::not-control-code",
        "The file is not an ELF of control code, or it is damaged so that its sections, \
         relocations or pages cannot be found.";
}

/// The error for bytes that aren't control code.
pub fn malformed(why: impl Into<String>) -> Diag {
    Diag::error(&NOT_CONTROL_CODE, why)
}
