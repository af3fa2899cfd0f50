//! Transactions (TXN): the register programs that the firmware executes (`insts.bin`, and the
//! `.ctrltext` sections of ELFs).
//!
//! Two encodings exist: that of version 1.0 is short, all other versions have the long one
//! (aie-rt: `driver/src/common/xaie_helper.c`). Padding bytes of vendors' files are not zero; they
//! are kept, so that a file is written back as it was.

mod operation;
mod sequence;
mod text;

pub use operation::{FieldPosition, OPERATIONS, Operation, OperationLayout, OperationRow, Tail};
pub use text::{parse, parse_hex_words, print, print_hex_words, print_operation};

use aiec_diag::Diag;

use crate::bytes::{Bytes, put, word_bytes};
use crate::codes::TXN_MALFORMED;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 16;
/// Generation byte of npu1.
pub const GENERATION_NPU1: u8 = 3;
/// Generation byte of npu2 and its kin.
pub const GENERATION_NPU2: u8 = 4;
/// Rows of the array of both.
pub const ROWS: u8 = 6;
/// Offset that the firmware adds itself to the host addresses of the first arguments (mlir-aie:
/// `lib/Targets/AIETargetNPU.cpp`): a writer of transactions for an xclbin adds it to the offset of
/// the arguments from [`FOLDED_FROM`] on.
pub const HOST_OFFSET: u64 = 0x8000_0000;
/// First argument to whose offset [`HOST_OFFSET`] is added.
pub const FOLDED_FROM: u32 = 5;

/// Header without the counts that follow from the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
    /// Generation of the device: [`GENERATION_NPU1`], [`GENERATION_NPU2`].
    pub generation: u8,
    /// Rows of the array.
    pub rows: u8,
    /// Columns of the partition.
    pub columns: u8,
    /// Rows of memory tiles.
    pub memory_rows: u8,
    /// Two bytes without meaning.
    pub padding: u16,
}

impl Header {
    /// The header of version 0.1 for a generation and a number of columns.
    pub fn new(generation: u8, columns: u8) -> Self {
        Self {
            major: 0,
            minor: 1,
            generation,
            rows: ROWS,
            columns,
            memory_rows: 1,
            padding: 0,
        }
    }

    /// True for the short encoding.
    pub fn is_short(&self) -> bool {
        (self.major, self.minor) == (1, 0)
    }
}

/// An operation with the bytes of its encoding that no field names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedOperation {
    /// The operation.
    pub operation: Operation,
    /// Bytes that no field names, in their order; empty when all of them are zero and there are as
    /// many as usual.
    pub unused: Vec<u8>,
}

impl From<Operation> for EncodedOperation {
    fn from(operation: Operation) -> Self {
        let unused = Vec::new();
        Self { operation, unused }
    }
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The header.
    pub header: Header,
    /// The operations, in order of execution.
    pub operations: Vec<EncodedOperation>,
}

impl Transaction {
    /// A transaction of these operations.
    pub fn new(header: Header, operations: impl IntoIterator<Item = Operation>) -> Self {
        let operations = operations.into_iter().map(Into::into).collect();
        Self { header, operations }
    }

    /// Reads a transaction, all of it.
    ///
    /// # Errors
    /// The first place at which the bytes aren't a transaction.
    pub fn read(bytes: &[u8]) -> Result<Self, Diag> {
        let reader = TransactionReader::new(bytes)?;
        let header = reader.header;
        let operations = reader
            .map(|found| Ok(found?.1))
            .collect::<Result<_, Diag>>()?;
        Ok(Self { header, operations })
    }

    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        let header = &self.header;
        out[..6].copy_from_slice(&[
            header.major,
            header.minor,
            header.generation,
            header.rows,
            header.columns,
            header.memory_rows,
        ]);
        put(&mut out, 6, 2, u64::from(header.padding));
        put(&mut out, 8, 4, self.operations.len() as u64);
        for operation in &self.operations {
            write_operation(operation, header.is_short(), &mut out);
        }
        let size = out.len() as u64;
        put(&mut out, 12, 4, size);
        out
    }

    /// The transaction with [`HOST_OFFSET`] added to the offsets of the arguments from
    /// [`FOLDED_FROM`] on, as the firmware wants it where the host doesn't patch (xclbin).
    pub fn folded(mut self) -> Self {
        for record in &mut self.operations {
            if let Operation::DdrPatch { argument, plus, .. } = &mut record.operation
                && *argument >= FOLDED_FROM
            {
                *plus = plus.wrapping_add(HOST_OFFSET);
            }
        }
        self
    }
}

/// The transaction of a file: its bytes, its words as text, or what does the same as a sequence of 2023
/// in either form. Bytes that are none of these come back as they are.
///
/// # Errors
/// A sequence of 2023 holds what isn't known.
pub fn of_file(bytes: &[u8]) -> Result<Vec<u8>, Diag> {
    let text = std::str::from_utf8(bytes).ok().and_then(parse_hex_words);
    let bytes = text.unwrap_or_else(|| bytes.to_vec());
    if sequence::is_sequence(&bytes) {
        Ok(sequence::from_sequence(&bytes)?.write())
    } else {
        Ok(bytes)
    }
}

/// A position in the bytes of a transaction, to execute or read its operations one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionCursor {
    /// The header.
    pub header: Header,
    size: usize,
    at: usize,
    left: u32,
    failed: bool,
}

impl TransactionCursor {
    /// Reads the header.
    ///
    /// # Errors
    /// The bytes don't begin with the header of a transaction of this size.
    pub fn new(all: &[u8]) -> Result<Self, Diag> {
        let bytes = Bytes::new(all, &TXN_MALFORMED);
        let head = bytes.slice(0, HEADER_BYTES)?;
        let header = Header {
            major: head[0],
            minor: head[1],
            generation: head[2],
            rows: head[3],
            columns: head[4],
            memory_rows: head[5],
            padding: bytes.u16(6)?,
        };
        let size = bytes.u32(12)? as usize;
        if size < HEADER_BYTES || size > all.len() || !size.is_multiple_of(4) {
            let have = all.len();
            let why = format!("the header gives {size} bytes, the file has {have}");
            return Err(bytes.malformed(12, why));
        }
        Ok(Self {
            header,
            left: bytes.u32(8)?,
            size,
            at: HEADER_BYTES,
            failed: false,
        })
    }

    /// Whether the transaction is as long as the bytes, and names a generation that exists: a test
    /// for files without a name.
    pub fn fills(&self, all: &[u8]) -> bool {
        self.size == all.len() && (1..=9).contains(&self.header.generation)
    }

    /// The operation that comes next and its byte offset, of the bytes that the cursor was made of;
    /// `None` at the end and after an error.
    pub fn next(&mut self, all: &[u8]) -> Option<Result<(usize, EncodedOperation), Diag>> {
        if self.failed {
            return None;
        }
        let own = &all[..self.size.min(all.len())];
        let next = self.read(&Bytes::new(own, &TXN_MALFORMED)).transpose();
        self.failed = !matches!(next, Some(Ok(_)));
        next
    }

    fn read(&mut self, bytes: &Bytes<'_>) -> Result<Option<(usize, EncodedOperation)>, Diag> {
        let at = self.at;
        match (self.left, at == bytes.all.len()) {
            (0, true) => return Ok(None),
            (0, false) => {
                let why = "bytes follow the last operation that the header counts";
                return Err(bytes.malformed(at, why));
            }
            (left, true) => {
                let why = format!("the header counts {left} more operations");
                return Err(bytes.malformed(at, why));
            }
            _ => {}
        }
        let (operation, size) = read_operation(bytes, at, self.header.is_short())?;
        self.at += size;
        self.left -= 1;
        Ok(Some((at, operation)))
    }
}

/// Reads the operations of a transaction one by one: byte offset and operation.
#[derive(Clone, Debug)]
pub struct TransactionReader<'a> {
    /// The header.
    pub header: Header,
    all: &'a [u8],
    cursor: TransactionCursor,
}

impl<'a> TransactionReader<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Same as [`TransactionCursor::new`].
    pub fn new(all: &'a [u8]) -> Result<Self, Diag> {
        let cursor = TransactionCursor::new(all)?;
        let header = cursor.header;
        Ok(Self {
            header,
            all,
            cursor,
        })
    }
}

impl Iterator for TransactionReader<'_> {
    type Item = Result<(usize, EncodedOperation), Diag>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next(self.all)
    }
}

/// Byte ranges of an operation's start that fields, opcode, size and tail counts take.
fn covered(layout: &OperationLayout, tail: Tail, at: usize) -> bool {
    let in_field = |f: &FieldPosition| (f.at..f.at + f.width).contains(&at);
    let in_word = |word: usize| (word..word + 4).contains(&at);
    let counted = match tail {
        Tail::Addresses(count) => in_word(count),
        _ => false,
    };
    at == 0 || counted || layout.size_at.is_some_and(in_word) || layout.fields.iter().any(in_field)
}

/// An operation that was read, and its bytes.
type ReadOperation = Result<(EncodedOperation, usize), Diag>;

fn read_operation(bytes: &Bytes<'_>, at: usize, short: bool) -> ReadOperation {
    let opcode = bytes.u8(at)?;
    let Some(row) = OperationRow::of(opcode) else {
        return read_custom(bytes, at, opcode);
    };
    let layout = row.layout(short);
    let size = match layout.size_at {
        None => layout.least,
        Some(size_at) => operation_size(bytes, at, row, layout, size_at)?,
    };
    let all = bytes.slice(at, size)?;
    let own = Bytes::new(all, bytes.code);
    let mut numbers = Vec::with_capacity(layout.fields.len());
    for field in layout.fields {
        numbers.push(own.number(field.at, field.width)?);
    }
    let mut operation = Operation::from_numbers(opcode, &numbers).map_err(|index| {
        let (name, position) = (row.fields[index], layout.fields[index]);
        let why = format!("the {name} 0x{:X} is out of range", numbers[index]);
        bytes.malformed(at + position.at, why)
    })?;
    let fixed = match &mut operation {
        Operation::BlockWrite { words, .. } => {
            *words = own.words(layout.least, size - layout.least)?;
            layout.least
        }
        Operation::ReadRegs { addresses } => {
            let room = (size - layout.least) / 8;
            let count = own.u32(8)? as usize;
            if count != room {
                let why = format!("{count} registers are counted, {room} are here");
                return Err(bytes.malformed(at + 8, why));
            }
            let each = (0..count).map(|i| own.number(layout.least + 8 * i, 8));
            *addresses = each.collect::<Result<_, _>>()?;
            layout.least
        }
        _ => size,
    };
    let mut unused: Vec<u8> = (0..fixed)
        .filter(|&i| !covered(layout, row.tail, i))
        .map(|i| all[i])
        .collect();
    let usual = row.tail != Tail::None || size == layout.usual;
    if usual && unused.iter().all(|byte| *byte == 0) {
        unused.clear();
    }
    Ok((EncodedOperation { operation, unused }, size))
}

fn operation_size(
    bytes: &Bytes<'_>,
    at: usize,
    row: &OperationRow,
    layout: &OperationLayout,
    size_at: usize,
) -> Result<usize, Diag> {
    let size = bytes.u32(at + size_at)? as usize;
    let unit = if matches!(row.tail, Tail::Addresses(_)) {
        8
    } else {
        4
    };
    if size < layout.least || !(size - layout.least).is_multiple_of(unit) {
        let why = format!("{size} bytes isn't a size of {}", row.name);
        return Err(bytes.malformed(at + size_at, why));
    }
    Ok(size)
}

fn read_custom(bytes: &Bytes<'_>, at: usize, opcode: u8) -> ReadOperation {
    if let Some(why) = OperationRow::unknown(opcode) {
        return Err(bytes.malformed(at, why));
    }
    let size = bytes.u32(at + 4)? as usize;
    if size < 8 || !size.is_multiple_of(4) {
        let why = format!("{size} bytes isn't a size of an operation");
        return Err(bytes.malformed(at + 4, why));
    }
    let all = bytes.slice(at, size)?;
    let operation = Operation::Custom {
        opcode,
        payload: all[8..].to_vec(),
    };
    let unused = match all[1..4] {
        [0, 0, 0] => Vec::new(),
        [..] => all[1..4].to_vec(),
    };
    Ok((EncodedOperation { operation, unused }, size))
}

fn write_operation(encoded: &EncodedOperation, short: bool, out: &mut Vec<u8>) {
    let start = out.len();
    let operation = &encoded.operation;
    let Some(row) = OperationRow::of_operation(operation) else {
        write_custom(encoded, out);
        return;
    };
    let layout = row.layout(short);
    let free: usize = (0..layout.least)
        .filter(|&i| !covered(layout, row.tail, i))
        .count();
    let own = match encoded.unused.len().checked_sub(free) {
        Some(more) if !encoded.unused.is_empty() => layout.least + more,
        _ => layout.usual,
    };
    out.resize(start + own, 0);
    let head = &mut out[start..];
    head[0] = operation.opcode();
    for (field, number) in layout.fields.iter().zip(operation.numbers()) {
        put(head, field.at, field.width, number);
    }
    let positions = (0..own).filter(|&i| !covered(layout, row.tail, i));
    for (at, byte) in positions.zip(&encoded.unused) {
        head[at] = *byte;
    }
    match operation {
        Operation::BlockWrite { words, .. } => out.extend(word_bytes(words)),
        Operation::ReadRegs { addresses } => {
            put(head, 8, 4, addresses.len() as u64);
            out.extend(addresses.iter().flat_map(|a| a.to_le_bytes()));
        }
        _ => {}
    }
    if let Some(size_at) = layout.size_at {
        let size = (out.len() - start) as u64;
        put(&mut out[start..], size_at, 4, size);
    }
}

fn write_custom(encoded: &EncodedOperation, out: &mut Vec<u8>) {
    let Operation::Custom { opcode, payload } = &encoded.operation else {
        return;
    };
    out.push(*opcode);
    let mut unused = encoded.unused.clone();
    unused.resize(3, 0);
    out.extend(unused);
    out.extend((8 + payload.len() as u32).to_le_bytes());
    out.extend(payload);
}
