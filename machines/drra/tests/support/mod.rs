//! Assembling and printing the code of one cell.

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::{decode, encode};
use aiec_drra::fabric::CellId;
use aiec_drra::print::{PrintOptions, print};
use aiec_drra::{AssembleOptions, CellProgram, CodeItem, DrraProgram, assemble, published};

/// The chunks of a cell, and the codes of the errors.
pub fn assembled(code: &str, compat: bool) -> (Vec<u64>, Vec<&'static str>) {
    let options = AssembleOptions {
        compat,
        ..AssembleOptions::default()
    };
    let text = format!(".CODE\nCELL <0, 0>\n{code}\n");
    let mut diags = Diags::new();
    let program = assemble(&text, FileId(0), published(), options, &mut diags);
    let errors = diags
        .iter()
        .filter(|d| d.severity == aiec_diag::Severity::Error);
    let errors = errors.map(|d| d.code.id).collect();
    let chunks = program.cells.first().map(|cell| encode(cell, published()));
    (chunks.unwrap_or_default(), errors)
}

/// The text of chunks, without section and cell.
pub fn text_of(chunks: &[u64]) -> String {
    let (items, _) = decode(chunks, published());
    let items = items.into_iter().map(|content| CodeItem {
        label: None,
        content,
        span: None,
    });
    let program = DrraProgram {
        cells: vec![CellProgram {
            cell: CellId::default(),
            items: items.collect(),
        }],
        ..DrraProgram::default()
    };
    let text = print(&program, published(), PrintOptions::default());
    let code = text.strip_prefix(".CODE\nCELL <0, 0>\n");
    code.unwrap_or_default().trim_end().to_owned()
}
