//! The text form of transactions: aiebu's (`-t aie2asm`; aiebu: `src/cpp/preprocessor/aie2`), and
//! the same for the operations that its assembler lacks.
//!
//! One operation a line. The number of columns is the number of `.attach_to_group` lines. Where a
//! transaction isn't of version 0.1 or not for npu2, directives of ours say so: `.version 1.0`,
//! `.generation 3`. In the table of operations, `{register:x}` is a field printed as hexadecimal
//! number, `{id:d}` a decimal one, and other styles name one of [`STYLES`]; both spellings of a number
//! are read. Mnemonics and names are read in any case, blanks anywhere between operands.

use std::fmt::Write;

use aiec_diag::{Diag, FileId, Span, did_you_mean};

use super::operation::{OPERATIONS, Operation, OperationRow, Tail};
use super::{EncodedOperation, GENERATION_NPU2, Header, Transaction};
use crate::bytes::{word_bytes, words};
use crate::codes::TXN_SYNTAX;

/// Prefix of all mnemonics.
const PREFIX: &str = "XAIE_IO_";
/// Column at which operands begin in the vendor's listings.
const OPERANDS_AT: usize = 32;
/// Mnemonic of operations of unknown meaning.
const CUSTOM: &str = "CUSTOM_OP";
/// The vendor's assembler writes four more bytes after MASKWRITE's fields than mlir-aie.
const MASK_WRITE_PADDING: usize = 11;

/// Names of small numbers, by style.
const STYLES: &[(&str, &[&str])] = &[
    ("level", &["NOOP", "MEM_TILE", "AIE_TILE", "AIE_REGISTERS"]),
    ("direction", &["S2MM", "MM2S"]),
    ("function", &["MUL", "INCR", "DECR"]),
];

/// A piece of a row's text.
enum RowPiece<'a> {
    Character(char),
    Field { index: usize, style: &'a str },
}

/// The pieces of a row's text, left to right.
fn pieces(row: &OperationRow) -> impl Iterator<Item = RowPiece<'static>> {
    let (text, fields) = (row.text, row.fields);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first != '{' {
            rest = &rest[first.len_utf8()..];
            return Some(RowPiece::Character(first));
        }
        let (field, after) = rest[1..].split_once('}')?;
        rest = after;
        let (name, style) = field.split_once(':')?;
        let index = fields.iter().position(|f| *f == name)?;
        Some(RowPiece::Field { index, style })
    })
}

fn names(style: &str) -> &'static [&'static str] {
    let found = STYLES.iter().find(|(name, _)| *name == style);
    found.map_or(&[], |(_, names)| names)
}

/// The lines of a transaction.
pub fn print(transaction: &Transaction) -> String {
    let mut out = String::new();
    let header = &transaction.header;
    let usual = Header::new(GENERATION_NPU2, header.columns);
    if (header.major, header.minor) != (usual.major, usual.minor) {
        let _ = writeln!(out, "    .version {}.{}", header.major, header.minor);
    }
    if header.generation != usual.generation {
        let _ = writeln!(out, "    .generation {}", header.generation);
    }
    for column in 0..header.columns {
        let _ = writeln!(out, "    .attach_to_group {column}");
    }
    out.push('\n');
    for encoded in &transaction.operations {
        print_operation(&encoded.operation, &mut out);
    }
    out
}

/// The lines of an operation.
pub fn print_operation(operation: &Operation, out: &mut String) {
    let Some(row) = OperationRow::of_operation(operation) else {
        if let Operation::Custom { opcode, payload } = operation {
            let words = words(payload);
            line(CUSTOM, &format!("#{opcode}, [{}]", words.len()), out);
            print_words(CUSTOM, &words, out);
        }
        return;
    };
    let numbers = operation.numbers();
    let mut operands = String::new();
    for piece in pieces(row) {
        match piece {
            RowPiece::Character(character) => operands.push(character),
            RowPiece::Field { index, style } => print_field(numbers[index], style, &mut operands),
        }
    }
    match operation {
        Operation::BlockWrite { words, .. } => {
            let _ = write!(operands, ", [{}]", words.len());
            line(row.name, &operands, out);
            print_words(row.name, words, out);
        }
        Operation::ReadRegs { addresses } => {
            let each: Vec<_> = addresses.iter().map(|a| format!("@0x{a:x}")).collect();
            line(row.name, &each.join(", "), out);
        }
        _ => line(row.name, &operands, out),
    }
}

fn print_field(number: u64, style: &str, out: &mut String) {
    let _ = match (style, names(style).get(number as usize)) {
        ("x", _) => write!(out, "0x{number:x}"),
        (_, Some(name)) => write!(out, "{name}"),
        (_, None) => write!(out, "{number}"),
    };
}

fn line(name: &str, operands: &str, out: &mut String) {
    let mnemonic = format!("{PREFIX}{name}");
    let text = format!("{mnemonic:OPERANDS_AT$}{operands}");
    out.push_str(text.trim_end());
    out.push('\n');
}

fn print_words(name: &str, words: &[u32], out: &mut String) {
    for (i, word) in words.iter().enumerate() {
        line(&format!("{name}.{i}"), &format!("0x{word:x}"), out);
    }
}

/// A line that is being read.
struct Cursor<'a> {
    rest: &'a str,
    file: FileId,
    /// Byte offset of `rest` in the file.
    at: usize,
}

impl<'a> Cursor<'a> {
    fn advance(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
        self.at += bytes;
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest.len() - self.rest.trim_start().len();
        self.advance(blanks);
    }

    /// A finding about the `len` bytes that come next.
    fn finding(&self, len: usize, why: impl Into<String>) -> Diag {
        let span = Span::new(self.file, self.at, self.at + len);
        Diag::error(&TXN_SYNTAX, why).label(span, "")
    }

    /// The letters, digits and underscores that come next.
    fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.advance(end);
        word
    }

    fn expect(&mut self, character: char) -> Result<(), Diag> {
        self.skip_blanks();
        match self.rest.chars().next() {
            Some(found) if found.eq_ignore_ascii_case(&character) => {
                self.advance(found.len_utf8());
                Ok(())
            }
            found => {
                let found = found.map_or("the line ends".into(), |c| format!("'{c}' is here"));
                let len = self.rest.chars().next().map_or(0, char::len_utf8);
                Err(self.finding(len, format!("'{character}' is expected, {found}")))
            }
        }
    }

    fn number(&mut self) -> Result<u64, Diag> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let number = match digits {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| {
            let span = Span::new(self.file, start, self.at);
            let why = match word {
                "" => "a number is missing".to_owned(),
                _ => format!("'{word}' isn't a number of at most 64 bits"),
            };
            Diag::error(&TXN_SYNTAX, why).label(span, "")
        })
    }

    fn named(&mut self, names: &[&str]) -> Result<u64, Diag> {
        self.skip_blanks();
        let (start, before) = (self.at, self.rest);
        let word = self.word();
        let found = names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(word));
        if let Some(number) = found {
            return Ok(number as u64);
        }
        (self.rest, self.at) = (before, start);
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        Err(self.finding(
            word.len(),
            format!("'{word}' is none of {}", names.join(", ")),
        ))
    }

    /// `[COUNT]`, which can't be more than the file has lines.
    fn count(&mut self) -> Result<usize, Diag> {
        self.expect('[')?;
        let count = self.number()?;
        self.expect(']')?;
        Ok(count as usize)
    }

    fn end(&mut self) -> Result<(), Diag> {
        self.skip_blanks();
        match self.rest {
            "" => Ok(()),
            rest => Err(self.finding(rest.len(), format!("'{rest}' is left over"))),
        }
    }
}

/// Lines that still belong to the operation before.
struct OpenBlock {
    name: &'static str,
    left: usize,
    span: Span,
}

struct Parser {
    file: FileId,
    header: Header,
    operations: Vec<EncodedOperation>,
    open: Option<OpenBlock>,
    findings: Vec<Diag>,
}

/// Reads a transaction in text form.
///
/// # Errors
/// All lines that are none of its.
pub fn parse(text: &str, file: FileId) -> Result<Transaction, Vec<Diag>> {
    let mut parser = Parser {
        file,
        header: Header::new(GENERATION_NPU2, 0),
        operations: Vec::new(),
        open: None,
        findings: Vec::new(),
    };
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        // '#' begins operands too: only a line that begins with it is a comment
        let code = whole.split(';').next().unwrap_or("").trim_end();
        let mut cursor = Cursor {
            rest: code,
            file,
            at,
        };
        cursor.skip_blanks();
        if !cursor.rest.is_empty() && !cursor.rest.starts_with('#') {
            let read = parser.line(&mut cursor);
            parser.findings.extend(read.err());
        }
        at += whole.len();
    }
    parser.close_block();
    if parser.header.columns == 0 && parser.findings.is_empty() {
        let span = Span::new(file, 0, 0);
        let why = "no .attach_to_group line says how many columns the transaction is for";
        let finding = Diag::error(&TXN_SYNTAX, why).label(span, "");
        parser
            .findings
            .push(finding.help("begin with '.attach_to_group 0'"));
    }
    if parser.findings.is_empty() {
        Ok(Transaction {
            header: parser.header,
            operations: parser.operations,
        })
    } else {
        Err(parser.findings)
    }
}

impl Parser {
    fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diag> {
        if cursor.rest.starts_with('.') {
            return self.directive(cursor);
        }
        let start = cursor.at;
        let mnemonic = cursor.word();
        let span = Span::new(self.file, start, cursor.at);
        let upper = mnemonic.to_ascii_uppercase();
        let name = upper.strip_prefix(PREFIX).unwrap_or(&upper);
        if cursor.rest.starts_with('.') {
            return self.block_word(name, span, cursor);
        }
        self.close_block();
        if name == CUSTOM {
            return self.custom(span, cursor);
        }
        let Some(row) = OPERATIONS.iter().find(|row| row.name == name) else {
            let finding = Diag::error(&TXN_SYNTAX, format!("'{mnemonic}' isn't an operation"));
            let known = OPERATIONS.iter().map(|row| row.name);
            let help =
                did_you_mean(name, known).map(|near| format!("did you mean {PREFIX}{near}?"));
            let finding = finding.label(span, "");
            return Err(match help {
                Some(help) => finding.help(help),
                None => finding,
            });
        };
        self.operation(row, span, cursor)
    }

    fn operation(
        &mut self,
        row: &'static OperationRow,
        span: Span,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Diag> {
        let mut numbers = vec![0; row.fields.len()];
        let mut spans = vec![span; row.fields.len()];
        for piece in pieces(row) {
            match piece {
                RowPiece::Character(' ') => {}
                RowPiece::Character(character) => cursor.expect(character)?,
                RowPiece::Field { index, style } => {
                    cursor.skip_blanks();
                    let start = cursor.at;
                    numbers[index] = match names(style) {
                        [] => cursor.number()?,
                        names => cursor.named(names)?,
                    };
                    spans[index] = Span::new(self.file, start, cursor.at);
                }
            }
        }
        let too_large = |index: usize| {
            let why = format!(
                "0x{:X} is too large for the {}",
                numbers[index], row.fields[index]
            );
            Diag::error(&TXN_SYNTAX, why).label(spans[index], "")
        };
        // the table knows the widths of the encoding, which may be less than those of the types
        let layout = row.layout(self.header.is_short());
        for (index, (field, number)) in layout.fields.iter().zip(&numbers).enumerate() {
            if field.width < 8 && *number >> (8 * field.width) != 0 {
                return Err(too_large(index));
            }
        }
        let mut operation = Operation::from_numbers(row.opcode, &numbers).map_err(too_large)?;
        match (&mut operation, row.tail) {
            (Operation::ReadRegs { addresses }, _) => loop {
                cursor.expect('@')?;
                addresses.push(cursor.number()?);
                cursor.skip_blanks();
                if cursor.rest.is_empty() {
                    break;
                }
                cursor.expect(',')?;
            },
            (_, Tail::Words) => {
                cursor.expect(',')?;
                let left = cursor.count()?;
                self.open = Some(OpenBlock {
                    name: row.name,
                    left,
                    span,
                });
            }
            _ => {}
        }
        cursor.end()?;
        let unused = match operation {
            Operation::MaskWrite { .. } if !self.header.is_short() => vec![0; MASK_WRITE_PADDING],
            _ => Vec::new(),
        };
        self.operations.push(EncodedOperation { operation, unused });
        Ok(())
    }

    fn custom(&mut self, span: Span, cursor: &mut Cursor<'_>) -> Result<(), Diag> {
        cursor.expect('#')?;
        let opcode = cursor.number()?;
        let known = u8::try_from(opcode).ok();
        let known = known.filter(|o| OperationRow::of(*o).is_none());
        let Some(opcode) = known.filter(|o| OperationRow::unknown(*o).is_none()) else {
            let why = format!("{opcode} isn't an opcode of the firmware's own range");
            return Err(Diag::error(&TXN_SYNTAX, why).label(span, ""));
        };
        cursor.expect(',')?;
        let left = cursor.count()?;
        cursor.end()?;
        let payload = Vec::new();
        let operation = Operation::Custom { opcode, payload };
        self.operations.push(operation.into());
        self.open = Some(OpenBlock {
            name: CUSTOM,
            left,
            span,
        });
        Ok(())
    }

    /// `NAME.INDEX 0xWORD`: a word of the operation before.
    fn block_word(&mut self, name: &str, span: Span, cursor: &mut Cursor<'_>) -> Result<(), Diag> {
        cursor.expect('.')?;
        cursor.number()?;
        let word = cursor.number()?;
        cursor.end()?;
        let open = self
            .open
            .as_mut()
            .filter(|open| open.name == name && open.left > 0);
        let Some(open) = open else {
            let why = format!("no {PREFIX}{name} before this line has words left");
            return Err(Diag::error(&TXN_SYNTAX, why).label(span, ""));
        };
        open.left -= 1;
        let Ok(word) = u32::try_from(word) else {
            let why = format!("0x{word:X} has more than 32 bits");
            return Err(Diag::error(&TXN_SYNTAX, why).label(span, ""));
        };
        match self.operations.last_mut().map(|last| &mut last.operation) {
            Some(Operation::BlockWrite { words, .. }) => words.push(word),
            Some(Operation::Custom { payload, .. }) => payload.extend(word_bytes(&[word])),
            _ => {}
        }
        Ok(())
    }

    fn close_block(&mut self) {
        if let Some(open) = self.open.take().filter(|open| open.left > 0) {
            let why = format!("{} words of this operation are missing", open.left);
            self.findings
                .push(Diag::error(&TXN_SYNTAX, why).label(open.span, ""));
        }
    }

    fn directive(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Diag> {
        let start = cursor.at;
        cursor.expect('.')?;
        let name = cursor.word();
        let span = Span::new(self.file, start, cursor.at);
        let refuse = |why: String| Err(Diag::error(&TXN_SYNTAX, why).label(span, ""));
        match name.to_ascii_lowercase().as_str() {
            "attach_to_group" => {
                cursor.number()?;
                match self.header.columns.checked_add(1) {
                    Some(columns) => self.header.columns = columns,
                    None => return refuse("more than 255 columns".into()),
                }
            }
            "generation" => match u8::try_from(cursor.number()?) {
                Ok(generation) => self.header.generation = generation,
                Err(_) => return refuse("a generation is a number of 8 bits".into()),
            },
            "version" => {
                let major = cursor.number()?;
                cursor.expect('.')?;
                let minor = cursor.number()?;
                match (u8::try_from(major), u8::try_from(minor)) {
                    (Ok(major), Ok(minor)) if self.operations.is_empty() => {
                        (self.header.major, self.header.minor) = (major, minor);
                    }
                    (Ok(_), Ok(_)) => return refuse(".version comes before all operations".into()),
                    _ => return refuse("a version is two numbers of 8 bits".into()),
                }
            }
            _ => {
                let known = ["attach_to_group", "generation", "version"];
                let why = format!(
                    "'.{name}' isn't a directive; there are .{}",
                    known.join(", .")
                );
                return refuse(why);
            }
        }
        cursor.end()
    }
}

/// `insts.txt`: a word a line, eight hexadecimal digits.
pub fn print_hex_words(bytes: &[u8]) -> String {
    words(bytes).iter().fold(String::new(), |mut out, word| {
        let _ = writeln!(out, "{word:08X}");
        out
    })
}

/// The bytes of `insts.txt`; `None` if a line isn't a word of eight hexadecimal digits.
pub fn parse_hex_words(text: &str) -> Option<Vec<u8>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let word = |line: &str| {
        let digits = line.strip_prefix("0x").unwrap_or(line);
        let plain = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        plain
            .then(|| u32::from_str_radix(digits, 16).ok())
            .flatten()
    };
    let words: Option<Vec<u32>> = lines.map(word).collect();
    words.filter(|w| !w.is_empty()).map(|w| word_bytes(&w))
}
