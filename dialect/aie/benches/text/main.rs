//! Reading, checking and writing of designs.
//!
//! `cargo bench -p aiec-aie --bench text`. With `AIEC_BENCH_DESIGN=FILE` the generated design of
//! `AIEC_BENCH_DEVICES` devices (200 if not given) is written to that file instead, for measuring
//! the command line tool on it.

mod generated;

use aiec_aie::ir::Module;
use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_aie::verify::verify;
use aiec_diag::{Diags, FileId};
use divan::counter::BytesCount;

/// Devices of the generated designs: 45 kB, 1 MB and 9 MB of text.
const DEVICES: [usize; 3] = [1, 22, 200];

/// 9 and 45 MB, one run each, to see that cost grows with size and no faster.
const LARGE: [usize; 2] = [200, 1000];

fn main() {
    let devices = std::env::var("AIEC_BENCH_DEVICES").ok();
    let devices = devices.and_then(|n| n.parse().ok()).unwrap_or(200);
    match std::env::var_os("AIEC_BENCH_DESIGN") {
        Some(file) => std::fs::write(file, generated::design(devices)).expect("a writable file"),
        None => divan::main(),
    }
}

fn parsed(text: &str) -> Module {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    assert!(diags.is_empty(), "{:?}", diags.iter().next());
    module
}

fn verified(module: &Module) {
    let mut diags = Diags::new();
    verify(module, &mut diags);
    assert!(diags.is_empty(), "{:?}", diags.iter().next());
}

#[divan::bench(args = DEVICES)]
fn parse(bencher: divan::Bencher, devices: usize) {
    let text = generated::design(devices);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| parsed(&text));
}

#[divan::bench(args = DEVICES)]
fn check(bencher: divan::Bencher, devices: usize) {
    let text = generated::design(devices);
    let module = parsed(&text);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| verified(&module));
}

#[divan::bench(args = DEVICES)]
fn write(bencher: divan::Bencher, devices: usize) {
    let text = generated::design(devices);
    let module = parsed(&text);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| print(&module, PrintOptions::default()));
}

#[divan::bench(args = LARGE, sample_count = 3, sample_size = 1)]
fn all(bencher: divan::Bencher, devices: usize) {
    let text = generated::design(devices);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| {
        let module = parsed(&text);
        verified(&module);
        print(&module, PrintOptions::default()).len()
    });
}
