//! .DATA: `$NAME PLACE TYPE ROW COLUMN CONTENTS`.

use std::collections::{HashMap, HashSet};

use aiec_diag::{Diag, Span};
use aiec_isa::text::TokenKind;

use super::cursor::{LineCursor, whole_number};
use crate::codes;
use crate::fabric::{BLOCK_WORDS, CellId, FabricShape, REGISTER_FILE_WORDS, SRAM_ROWS};
use crate::program::{MemoryKind, Variable};

/// One, as a fixed point number of 15 fraction bits.
const FIXED_POINT_ONE: f64 = 32_768.0;

/// Reads lines of .DATA.
pub struct DataReader {
    shape: FabricShape,
    variables: Vec<Variable>,
    names: HashSet<String>,
    /// Words of each memory that have contents.
    used: HashMap<(MemoryKind, CellId), usize>,
}

impl DataReader {
    /// A reader before the first line.
    pub fn new(shape: FabricShape) -> DataReader {
        DataReader {
            shape,
            variables: Vec::new(),
            names: HashSet::new(),
            used: HashMap::new(),
        }
    }

    /// All variables.
    pub fn finish(self) -> Vec<Variable> {
        self.variables
    }

    /// Reads a line.
    pub fn line(&mut self, cursor: &mut LineCursor<'_, '_>) -> Result<(), Diag> {
        let name = cursor.peek_kind(TokenKind::Word);
        let name = name.and_then(|token| token.text.strip_prefix('$'));
        let name = name.filter(|name| !name.is_empty());
        let Some(name) = name else {
            let help = "a variable is `$NAME PLACE TYPE ROW COLUMN CONTENTS`";
            return Err(cursor.expected("the name of a variable").help(help));
        };
        let name_span = cursor.place();
        cursor.next();
        let memory = if cursor.flag("the place", "1 is DiMArch, 0 the register file of a cell")? {
            MemoryKind::Sram
        } else {
            MemoryKind::RegisterFile
        };
        let fixed_point = cursor.flag("the type", "0 is integer, 1 fixed point")?;
        let cell = self.cell(cursor, memory)?;
        let capacity = match memory {
            MemoryKind::RegisterFile => REGISTER_FILE_WORDS,
            MemoryKind::Sram => SRAM_ROWS * BLOCK_WORDS,
        };
        let used = self.used.get(&(memory, cell)).copied().unwrap_or(0);
        let place = cursor.place();
        let words = contents(cursor, capacity - used, fixed_point)?;
        cursor.end()?;
        let end = cursor.line_span().end;
        let place = Span { end, ..place };
        if memory == MemoryKind::Sram && !words.len().is_multiple_of(BLOCK_WORDS) {
            let message = format!(
                "{} words aren't a whole number of rows of {BLOCK_WORDS}",
                words.len()
            );
            let rows = words.len().div_ceil(BLOCK_WORDS) * BLOCK_WORDS;
            return Err(Diag::error(&codes::DATA, message)
                .label(place, "contents")
                .help(format!("fill them up to {rows} words")));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(Diag::error(&codes::DATA, format!("${name} is there twice"))
                .label(name_span, "the second one")
                .help("give it another name"));
        }
        self.used.insert((memory, cell), used + words.len());
        self.variables.push(Variable {
            name: name.to_owned(),
            memory,
            fixed_point,
            cell,
            address: used,
            words,
        });
        Ok(())
    }

    fn cell(&self, cursor: &mut LineCursor<'_, '_>, memory: MemoryKind) -> Result<CellId, Diag> {
        let start = cursor.place();
        let (row, _) = cursor.number("the row")?;
        let (column, end) = cursor.number("the column")?;
        let rows = match memory {
            MemoryKind::RegisterFile => self.shape.rows,
            MemoryKind::Sram => self.shape.sram_rows,
        };
        checked_cell(row, column, rows, self.shape.columns).ok_or_else(|| {
            let what = match memory {
                MemoryKind::RegisterFile => "cell",
                MemoryKind::Sram => "SRAM",
            };
            no_cell(
                what,
                (row, column),
                start.to(end),
                (rows, self.shape.columns),
            )
        })
    }
}

/// The cell of a row and column, if there is one.
pub fn checked_cell(row: i64, column: i64, rows: u8, columns: u8) -> Option<CellId> {
    let row = u8::try_from(row).ok().filter(|row| *row < rows)?;
    let column = u8::try_from(column).ok().filter(|c| *c < columns)?;
    Some(CellId { row, column })
}

/// A cell that the fabric doesn't have.
pub fn no_cell(what: &str, at: (i64, i64), span: Span, size: (u8, u8)) -> Diag {
    let message = format!("there is no {what} <{}, {}>", at.0, at.1);
    let (rows, columns) = (size.0.saturating_sub(1), size.1.saturating_sub(1));
    Diag::error(&codes::CELL, message)
        .label(span, "outside the fabric")
        .help(format!(
            "rows go from 0 to {rows}, columns from 0 to {columns}"
        ))
}

/// Reads `ZEROS(n)`, `ONES(n)` or `[list]`, of at most `most` words.
fn contents(
    cursor: &mut LineCursor<'_, '_>,
    most: usize,
    fixed_point: bool,
) -> Result<Vec<i16>, Diag> {
    const FORMS: &str = "contents are ZEROS(n), ONES(n) or a list [1, 2, 3]";
    let start = cursor.place();
    let too_many = |count: String, span: Span| {
        let message = format!("{count} words don't fit: the memory has room for {most} more");
        Diag::error(&codes::MEMORY, message)
            .label(span, "too many")
            .help("make it smaller, or put it into the memory of another cell")
    };
    match cursor.peek() {
        Some(token) if token.kind == TokenKind::Word => {
            let fill = match token.text.to_ascii_uppercase().as_str() {
                "ZEROS" => 0,
                "ONES" if fixed_point => {
                    let message = "1 isn't a fixed point number: they are less than 1";
                    return Err(Diag::error(&codes::DATA, message)
                        .label(start, "ONES of fixed point")
                        .help("write a list, or make the type 0"));
                }
                "ONES" => 1,
                _ => return Err(cursor.expected("contents").help(FORMS)),
            };
            cursor.next();
            cursor.expect('(', FORMS)?;
            let (count, span) = cursor.number("a number of words")?;
            cursor.expect(')', FORMS)?;
            match usize::try_from(count).ok().filter(|count| *count <= most) {
                Some(count) => Ok(vec![fill; count]),
                None => Err(too_many(count.to_string(), span)),
            }
        }
        Some(token) if token.is_sign('[') => {
            cursor.next();
            let mut words = Vec::new();
            while !cursor.take(']') {
                if !words.is_empty() {
                    cursor.expect(',', FORMS)?;
                }
                words.push(word(cursor, fixed_point)?);
            }
            if words.len() <= most {
                Ok(words)
            } else {
                Err(too_many(
                    words.len().to_string(),
                    start.to(cursor.line_span()),
                ))
            }
        }
        _ => Err(cursor.expected("contents").help(FORMS)),
    }
}

/// A word of a list: a whole number, or a fraction for fixed point.
fn word(cursor: &mut LineCursor<'_, '_>, fixed_point: bool) -> Result<i16, Diag> {
    let start = cursor.place();
    let negative = cursor.take('-');
    let Some(token) = cursor.take_kind(TokenKind::Number) else {
        let help = "write numbers with commas between them, and ] after them";
        return Err(cursor.expected("a number").help(help));
    };
    let (text, span) = (token.text, start.to(token.span));
    let wrong = |message: String, help: &str| {
        Diag::error(&codes::DATA, message)
            .label(span, "no word")
            .help(help)
    };
    if text.contains('.') {
        let fraction: Option<f64> = text.parse().ok();
        let fraction = fraction.map(|value| if negative { -value } else { value });
        return match fraction {
            Some(_) if !fixed_point => Err(wrong(
                format!("{text} isn't a whole number"),
                "make the type of the variable 1, fixed point",
            )),
            Some(value) if (-1.0..1.0).contains(&value) => {
                Ok((value * FIXED_POINT_ONE).round().min(f64::from(i16::MAX)) as i16)
            }
            _ => Err(wrong(
                format!("{text} isn't a fixed point number"),
                "they go from -1.0 to less than 1.0",
            )),
        };
    }
    let value = whole_number(text, span)?;
    let value = if negative { -value } else { value };
    i16::try_from(value).map_err(|_| {
        wrong(
            format!("{value} doesn't fit a word of 16 bits"),
            "words go from -32768 to 32767",
        )
    })
}
