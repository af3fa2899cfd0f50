//! Speed of the assembler, of packing and of decoding. An item is a chunk.

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::{decode, encode};
use aiec_drra::{AssembleOptions, DrraProgram, assemble, published};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// All cells of a fabric with 64 chunks each.
fn text() -> String {
    let mut text = String::from(".CODE\n");
    for (row, column) in (0..2).flat_map(|row| (0..8).map(move |column| (row, column))) {
        text += &format!("CELL <{row}, {column}>\n");
        for i in 0..9 {
            text += &format!(
                "\"l{row}{column}{i}\" REFI port_no=w0, extra=2, init_addr={i}, l1_iter=3, dimarch=y\n\
                 SRAM rw=r, init_addr=0, l1_iter=3, l1_step=-1, init_addr_sd=d\n\
                 WAIT cycle={i}\n"
            );
        }
        text += "HALT\n";
    }
    text
}

fn assembled(text: &str) -> DrraProgram {
    let options = AssembleOptions::default();
    assemble(text, FileId(0), published(), options, &mut Diags::new())
}

/// The chunks of all cells.
fn chunks(program: &DrraProgram) -> Vec<Vec<u64>> {
    let cells = program.cells.iter();
    cells.map(|cell| encode(cell, published())).collect()
}

#[divan::bench]
fn assemble_text(bencher: Bencher<'_, '_>) {
    let text = text();
    let count: usize = chunks(&assembled(&text)).iter().map(Vec::len).sum();
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| chunks(&assembled(&text)));
}

#[divan::bench]
fn pack(bencher: Bencher<'_, '_>) {
    let program = assembled(&text());
    let count: usize = chunks(&program).iter().map(Vec::len).sum();
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| chunks(&program));
}

#[divan::bench]
fn unpack(bencher: Bencher<'_, '_>) {
    let chunks = chunks(&assembled(&text()));
    let count: usize = chunks.iter().map(Vec::len).sum();
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let decoded = chunks.iter().map(|cell| decode(cell, published()).0.len());
        decoded.sum::<usize>()
    });
}
