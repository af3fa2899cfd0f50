//! Listings: one chunk a line as binary digits, which test benches of the hardware take. Lines
//! `# CELL <row, column>` say whose chunks follow; a listing without is of cell <0, 0>.

use std::fmt::Write;

use aiec_diag::{Diag, Diags, FileId, Reported, Span};
use aiec_isa::Set;

use crate::codes;
use crate::elf::code_of_chunks;
use crate::encode::encode;
use crate::fabric::{CellId, MEMORY_CHUNKS};
use crate::program::DrraProgram;

/// The part before a cell's coordinates.
const CELL: &str = "# CELL <";

/// The listing of a program's code.
pub fn write(program: &DrraProgram, set: &Set) -> String {
    let mut out = String::new();
    let width = set.chunk_bits as usize;
    for cell in &program.cells {
        let at = cell.cell;
        // writing to a string cannot fail
        let _ = writeln!(out, "{CELL}{}, {}>", at.row, at.column);
        for chunk in encode(cell, set) {
            let _ = writeln!(out, "{chunk:0width$b}");
        }
    }
    out
}

/// Whether a text is a listing: its first line is a chunk or names a cell.
pub fn is_listing(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_first =
        |line: &str| line.starts_with(CELL) || line.bytes().all(|byte| matches!(byte, b'0' | b'1'));
    lines.next().is_some_and(is_first)
}

/// Reads a listing.
pub fn read(
    text: &str,
    file: FileId,
    set: &Set,
    diags: &mut Diags,
) -> Result<DrraProgram, Reported> {
    let mut cells: Vec<(CellId, Vec<u64>)> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let line = line.trim();
        let span = Span::new(file, start, start + line.len());
        if let Some(place) = line.strip_prefix(CELL) {
            match cell_of(place) {
                Some(cell) => cells.push((cell, Vec::new())),
                None => diags.push(malformed("this isn't a cell", span, set)),
            }
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let digits =
            line.len() == set.chunk_bits as usize && line.bytes().all(|b| matches!(b, b'0' | b'1'));
        let Some(chunk) = u64::from_str_radix(line, 2).ok().filter(|_| digits) else {
            diags.push(malformed("this isn't a chunk", span, set));
            continue;
        };
        if cells.is_empty() {
            cells.push((CellId::default(), Vec::new()));
        }
        if let Some((cell, chunks)) = cells.last_mut() {
            if chunks.len() == MEMORY_CHUNKS {
                let message = format!("cell {cell} has more than {MEMORY_CHUNKS} chunks");
                let diag =
                    Diag::error(&codes::MEMORY, message).label(span, "the first past the end");
                return Err(diags.fail(diag.help("put the chunks into several cells")));
            }
            chunks.push(chunk);
        }
    }
    if cells.is_empty() {
        let message = "the file has no chunks";
        let diag = Diag::error(&codes::ELF, message);
        diags.push(diag.help("`aiec asm -t drra-v2` writes files of chunks"));
    }
    diags.check()?;
    let mut program = DrraProgram::default();
    cells.sort_by_key(|(cell, _)| *cell);
    for (cell, chunks) in &cells {
        let code = code_of_chunks(*cell, chunks, set, diags);
        program.cells.push(code.map_err(|diag| diags.fail(diag))?);
    }
    if let Some([cell, _]) = program.cells.windows(2).find(|c| c[0].cell == c[1].cell) {
        let message = format!("cell {} is there twice", cell.cell);
        let diag = Diag::error(&codes::ELF, message);
        return Err(diags.fail(diag.help("put all chunks of a cell together")));
    }
    Ok(program)
}

/// `ROW, COLUMN>`
fn cell_of(place: &str) -> Option<CellId> {
    let (row, column) = place.strip_suffix('>')?.split_once(',')?;
    Some(CellId {
        row: row.trim().parse().ok()?,
        column: column.trim().parse().ok()?,
    })
}

fn malformed(message: &str, span: Span, set: &Set) -> Diag {
    let help = format!(
        "a line is `# CELL <row, column>` or a chunk of {} binary digits",
        set.chunk_bits
    );
    Diag::error(&codes::ELF, message).label(span, "").help(help)
}
