//! Programs of DRRA in all their forms: the assembler, the readers of files and listings, the
//! checker and the fabric never panic; a program comes back from its text and its file.
#![no_main]

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::{cell_code, encode};
use aiec_drra::fabric::FabricShape;
use aiec_drra::print::{PrintOptions, print};
use aiec_drra::sim::Fabric;
use aiec_drra::{AssembleOptions, DrraProgram, assemble, check, elf, listing, published};
use libfuzzer_sys::fuzz_target;

/// Cycles that a fabric is run.
const CYCLES: u64 = 4096;

/// The chunks of all cells.
fn chunks(program: &DrraProgram) -> Vec<Vec<u64>> {
    let cells = program.cells.iter();
    cells.map(|cell| encode(cell, published())).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let set = published();
    let options = AssembleOptions {
        compat: true,
        ..AssembleOptions::default()
    };
    let mut diags = Diags::new();
    let program = match elf::read(bytes, set, &mut diags) {
        Ok(program) => Some(program),
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            let mut diags = Diags::new();
            if listing::is_listing(&text) {
                listing::read(&text, FileId(0), set, &mut diags).ok()
            } else {
                let program = assemble(&text, FileId(0), set, options, &mut diags);
                (!diags.has_errors()).then_some(program)
            }
        }
    };
    let Some(program) = program else { return };
    let shape = FabricShape::DEFAULT;
    check::check(&program, set, shape, true, &mut Diags::new());
    let file = elf::write(&program, set).expect("a file");
    let again = elf::read(&file, set, &mut Diags::new()).expect("our own file is read");
    assert_eq!(chunks(&again), chunks(&program));
    let inside = program
        .cells
        .iter()
        .all(|cell| shape.cell_index(cell.cell).is_some());
    if inside {
        let text = print(&program, set, PrintOptions::default());
        let code: String = text.split_inclusive(".RELATION\n").take(1).collect();
        let mut diags = Diags::new();
        let again = assemble(&code, FileId(0), set, options, &mut diags);
        assert_eq!(chunks(&again), chunks(&program), "{text}");
    }
    let cells = program.cells.iter();
    let mut fabric = Fabric::new(shape, cells.map(|cell| (cell.cell, cell_code(cell, set))));
    while fabric.now() < CYCLES && matches!(fabric.tick(), Ok(true)) {}
});
