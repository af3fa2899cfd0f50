//! Files of Ryzen AI on the command line: which sort a file is, and what `aiec dis` lists of each.

mod annotate;
mod list;

pub use list::list;

use std::ops::RangeInclusive;

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
    /// A transaction as words in text, or a sequence of 2023.
    OtherTransaction,
}

/// Generations that the header of a transaction may name.
const GENERATIONS: RangeInclusive<u8> = 1..=9;

/// Why bytes that begin with the header of a transaction aren't one; `None` if they don't begin so.
pub fn why_no_transaction(bytes: &[u8]) -> Option<String> {
    let head = bytes.first_chunk::<8>()?;
    let [major, minor, generation, .., padding, last] = *head;
    let begins_so = major <= 1 && minor <= 1 && GENERATIONS.contains(&generation);
    if !begins_so || padding != 0 || last != 0 {
        return None;
    }
    Some(match txn::TransactionCursor::new(bytes) {
        Ok(_) => "other bytes follow it".to_owned(),
        Err(error) => error.message,
    })
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
        let transaction = txn::of_file(bytes).ok()?;
        let cursor = txn::TransactionCursor::new(&transaction).ok()?;
        let other = cursor.fills(&transaction);
        other.then_some(NpuFileKind::OtherTransaction)
    }
}
