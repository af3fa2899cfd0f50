//! Speed of the array model: 8 columns of 4 core tiles, fully busy by DMA alone.
//!
//! Each column splits a host buffer over four core tiles and joins it again through its mem tile:
//! 64 objects of 4 × 256 words, every hop double-buffered with locks.

#[path = "../tests/array/support.rs"]
#[allow(dead_code)]
mod support;

use aiec_device::regmap::{BdFields, QueueEntry};
use aiec_device::{Bundle, DmaDir::*, TileLoc};
use aiec_sim::host::BufferId;
use support::*;

const COLUMNS: u8 = 8;
const WORKERS: u8 = 4;
const OBJECTS: u32 = 64;
const SLICE_WORDS: u32 = 256;
const SLICE_BYTES: u64 = SLICE_WORDS as u64 * 4;
const OWN_WINDOW: u64 = 0x8_0000;
const OWN_LOCKS: u8 = 64;
const FIRST_CORE_ROW: u8 = 2;

fn main() {
    divan::main();
}

/// A BD that takes one of `acquire`, moves a slice, gives one to `release`, and goes on.
fn step(address: u64, acquire: u8, release: u8, next_bd: u8) -> BdFields {
    BdFields {
        lock_acq_enable: true,
        lock_acq_id: acquire,
        lock_acq_value: -1,
        lock_rel_id: release,
        lock_rel_value: 1,
        use_next: true,
        next_bd,
        ..bd(address, SLICE_WORDS)
    }
}

/// A ping-pong of two slices: `bd` and `bd + 1`.
fn ping_pong(bench: &mut Bench, tile: TileLoc, bd: u8, address: u64, acquire: u8, release: u8) {
    bench.bd(tile, bd, &step(address, acquire, release, bd + 1));
    bench.bd(
        tile,
        bd + 1,
        &step(address + SLICE_BYTES, acquire, release, bd),
    );
}

fn worker(bench: &mut Bench, col: u8, k: u8) {
    let core = tile(col, FIRST_CORE_ROW + k);
    bench.lock(core, 0, 2);
    ping_pong(bench, core, 0, 0, 0, 1);
    ping_pong(bench, core, 2, 0, 1, 0);
    bench.connect(core, port(Bundle::South, k), port(Bundle::Dma, 0));
    bench.connect(core, port(Bundle::Dma, 0), port(Bundle::South, k));
    for row in 0..k {
        let below = tile(col, FIRST_CORE_ROW + row);
        bench.connect(below, port(Bundle::South, k), port(Bundle::North, k));
        bench.connect(below, port(Bundle::North, k), port(Bundle::South, k));
    }
    bench.push(core, S2mm, 0, once(0));
    bench.push(core, Mm2s, 0, once(2));
}

fn mem_tile(bench: &mut Bench, col: u8) {
    let mem = tile(col, 1);
    bench.connect(mem, port(Bundle::South, 0), port(Bundle::Dma, 0));
    bench.connect(mem, port(Bundle::Dma, 5), port(Bundle::South, 0));
    // Even channels use BDs 0..24, odd ones 24..48.
    let bds_of = |channel: u8, at: u8| if channel % 2 == 0 { at } else { 24 + at };
    for k in 0..WORKERS {
        let address = |half: u64| OWN_WINDOW + (2 * u64::from(k) + half) * SLICE_BYTES;
        let out = |half: u64| address(half) + 0x1_0000;
        let (free, full) = (OWN_LOCKS + 4 * k, OWN_LOCKS + 4 * k + 1);
        let (out_free, out_full) = (free + 2, full + 2);
        bench.lock(mem, 4 * k, 2);
        bench.lock(mem, 4 * k + 2, 2);
        // The splitter fills slice k, first halves then second halves.
        for half in 0..2u8 {
            let at = half * WORKERS + k;
            let next = (at + 1) % (2 * WORKERS);
            bench.bd(mem, at, &step(address(half.into()), free, full, next));
            bench.bd(
                mem,
                24 + at,
                &step(out(half.into()), out_full, out_free, 24 + next),
            );
        }
        let send = bds_of(k, 8 + 2 * k);
        ping_pong(bench, mem, send, address(0), full, free);
        bench.connect(mem, port(Bundle::Dma, k), port(Bundle::North, k));
        bench.push(mem, Mm2s, k, once(send));
        let take = bds_of(k + 1, 16 + 2 * k);
        ping_pong(bench, mem, take, out(0), out_free, out_full);
        bench.connect(mem, port(Bundle::North, k), port(Bundle::Dma, k + 1));
        bench.push(mem, S2mm, k + 1, once(take));
    }
    bench.push(mem, S2mm, 0, once(0));
    bench.push(mem, Mm2s, 5, once(24));
}

fn build() -> Bench {
    let mut bench = Bench::new("npu2");
    let words = OBJECTS * u32::from(WORKERS) * SLICE_WORDS;
    for col in 0..COLUMNS {
        let shim = tile(col, 0);
        let data: Vec<u8> = (0..words).flat_map(u32::to_le_bytes).collect();
        let input = bench.array.host.map("in", data).base;
        let output = bench
            .array
            .host
            .map("out", vec![0; words as usize * 4])
            .base;
        let (into, out) = (bench.shim(col, Mm2s, 0), bench.shim(col, S2mm, 0));
        bench.connect(shim, into, port(Bundle::North, 0));
        bench.connect(shim, port(Bundle::North, 0), out);
        mem_tile(&mut bench, col);
        for k in 0..WORKERS {
            worker(&mut bench, col, k);
        }
        bench.bd(shim, 0, &bd(input, words));
        bench.bd(shim, 1, &bd(output, words));
        bench.push(
            shim,
            S2mm,
            0,
            QueueEntry {
                bd: 1,
                repeat: 0,
                token: true,
            },
        );
        bench.push(shim, Mm2s, 0, once(0));
    }
    bench
}

#[divan::bench(sample_count = 5)]
fn split_and_join(bencher: divan::Bencher) {
    let mut probe = build();
    let cycles = probe.run_clean();
    let words: u64 = probe
        .array
        .stats()
        .channels
        .iter()
        .map(|channel| channel.words)
        .sum();
    eprintln!("{cycles} cycles, {words} words moved by channels, {COLUMNS} columns");
    for col in 0..u32::from(COLUMNS) {
        assert_eq!(probe.tokens(col as u8).len(), 1);
        let (input, output) = (BufferId(2 * col), BufferId(2 * col + 1));
        assert!(probe.array.host.bytes(input) == probe.array.host.bytes(output));
    }
    bencher
        .counter(divan::counter::ItemsCount::new(cycles))
        .with_inputs(build)
        .bench_values(|mut bench| bench.run());
}
