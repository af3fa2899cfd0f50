//! Rows of cells as aligned columns.

use std::fmt::Write;

use crate::time::Cycle;

/// Spaces between columns.
const GAP: &str = "  ";

/// Cycles, and their share of all.
pub(super) fn share(part: Cycle, all: Cycle) -> String {
    format!("{part} {:3}%", part * 100 / all.max(1))
}

/// A table and an empty line; nothing if it has no rows. Numbers are aligned to the right, all else
/// to the left.
pub fn rows_as_table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(heads[column].len())
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let numbers: Vec<bool> = (0..heads.len())
        .map(|column| {
            let mut cells = rows.iter().filter_map(|row| row.get(column));
            cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        })
        .collect();
    let heads = heads.iter().map(|head| head.to_string()).collect();
    for row in std::iter::once(&heads).chain(&rows) {
        let cells = row.iter().zip(&widths).zip(&numbers);
        let cells = cells.map(|((cell, &width), &number)| {
            if number {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    out
}
