//! Files of Ryzen AI on the command line: `aiec dis` lists each of them, `aiec asm -t aie2txn` and
//! `-t aie2_config` make ELF files and transactions.

mod annotate;
mod assemble;
mod list;

pub use assemble::{CODES, assemble};
pub use list::list;

use aiec_npu::txn;

/// The sorts of files, by their first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NpuFileKind {
    /// PDIs and signatures.
    Xclbin,
    /// A partial or full ELF.
    Elf,
    /// A PDI.
    Pdi,
    /// A configuration.
    Cdo,
    /// A transaction.
    Transaction,
    /// A transaction as words in text.
    TransactionText,
}

impl NpuFileKind {
    /// The sort of a file; `None` if it is none of Ryzen AI.
    pub fn of(bytes: &[u8]) -> Option<NpuFileKind> {
        let starts = |magic: &[u8]| bytes.starts_with(magic);
        if starts(b"xclbin2\0") {
            return Some(NpuFileKind::Xclbin);
        }
        if aiec_npu::elf::is_npu_elf(bytes) {
            return Some(NpuFileKind::Elf);
        }
        if starts(&[0xDD, 0, 0, 0, 0x44, 0x33, 0x22, 0x11]) {
            return Some(NpuFileKind::Pdi);
        }
        if starts(b"\x04\0\0\0CDO\0") {
            return Some(NpuFileKind::Cdo);
        }
        if txn::TransactionCursor::new(bytes).is_ok_and(|c| c.fills(bytes)) {
            return Some(NpuFileKind::Transaction);
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let words = txn::parse_hex_words(text)?;
        let cursor = txn::TransactionCursor::new(&words).ok()?;
        cursor.fills(&words).then_some(NpuFileKind::TransactionText)
    }
}
