//! Assembling and disassembling command buffers; chunks a second.

use aiec_diag::{Diags, FileId};
use aiec_refsi::dis::{DisOptions, disassemble};
use aiec_refsi::{Reading, asm, bytes_of};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Launches with their windows and transfers.
const LAUNCHES: usize = 10_000;

fn text() -> String {
    let launch = "\
        WRITE_REG64 WINDOW_BASE0, 0x10000\n\
        WRITE_REG64 WINDOW_MODE0, ACTIVE=1 MODE=SHARED SIZE=0xf0000\n\
        WRITE_REG64 KUB_DESC, KUB_ADDR=0xbff0f200 KUB_SIZE=512\n\
        STORE_IMM64 DMA_SRC_ADDR, 0xbff0f200\n\
        STORE_IMM64 DMA_CTRL, 0xe1\n\
        LOAD_REG64 SCRATCH, DMA_START_SEQ\n\
        STORE_REG64 SCRATCH, DMA_DONE_SEQ\n\
        COPY_MEM64 32, PERF_COUNTERS, 0x47ff0000, hart:1\n\
        RUN_INSTANCES 4, 3, 16, 0, 0xbff0f200, 0x14000000\n\
        SYNC_CACHE DCACHE|ICACHE\n";
    let mut text = launch.repeat(LAUNCHES);
    text += "FINISH\n";
    text
}

#[divan::bench]
fn assemble(bencher: Bencher) {
    let text = text();
    let run = || asm::assemble(&text, FileId(0), Reading::Published, &mut Diags::new());
    let chunks = run().map_or(0, |assembly| assembly.chunks.len());
    bencher
        .counter(ItemsCount::new(chunks))
        .bench(|| run().is_ok());
}

#[divan::bench]
fn disassemble_chunks(bencher: Bencher) {
    let text = text();
    let assembly = asm::assemble(&text, FileId(0), Reading::Published, &mut Diags::new());
    let chunks = assembly.map(|a| a.chunks).unwrap_or_default();
    let bytes = bytes_of(&chunks);
    bencher
        .counter(ItemsCount::new(chunks.len()))
        .bench(|| disassemble(&bytes, DisOptions::default()).0.len());
}
