//! Hazards: accesses that a design makes at its own risk.

use aiec_device::regmap::{BdFields, QueueEntry, SwitchSlot};
use aiec_device::{Bundle, DmaDir::*, TileLoc};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const SHIM: TileLoc = TileLoc::new(0, 0);

fn notes(bench: &Bench) -> Vec<String> {
    bench
        .array
        .hazards()
        .map(|hazard| hazard.kind.to_string())
        .collect()
}

#[test]
fn writing_a_descriptor_of_a_running_task_is_told() {
    let mut bench = Bench::new("npu1");
    bench.bd(A, 0, &bd(0, 64));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    // Nothing takes the words: the task goes on. The same words again aren't a change.
    bench.bd(A, 0, &bd(0, 64));
    assert!(notes(&bench).is_empty());
    bench.bd(A, 1, &bd(0, 16));
    assert!(notes(&bench).is_empty());
    bench.bd(A, 0, &bd(0, 16));
    let text = "BD 0 of tile (0, 2) is written while a task of DMA MM2S 0 of tile (0, 2) uses it";
    assert_eq!(notes(&bench), [text]);
}

#[test]
fn descriptors_of_waiting_tasks_and_behind_in_the_chain_are_in_use_too() {
    let mut bench = Bench::new("npu1");
    let chained = BdFields {
        use_next: true,
        next_bd: 3,
        ..bd(0, 64)
    };
    bench.bd(A, 0, &bd(0, 64));
    bench.bd(A, 2, &chained);
    bench.bd(A, 3, &bd(0, 4));
    bench.push(A, Mm2s, 0, once(0));
    bench.push(A, Mm2s, 0, once(2));
    bench.run();
    bench.bd(A, 3, &bd(0, 5));
    assert_eq!(notes(&bench).len(), 1);
}

/// Host memory through shim, mem tile row and first core's switch and back; BD 0 sends, BD 1
/// receives.
fn host_loop() -> (Bench, u64) {
    let mut bench = Bench::new("npu1");
    bench.array.watch_races();
    let base = bench.array.host.map("data", vec![0; 4096]).base;
    let (from, to) = (bench.shim(0, Mm2s, 0), bench.shim(0, S2mm, 0));
    bench.connect(SHIM, from, port(Bundle::North, 0));
    let m = tile(0, 1);
    bench.connect(m, port(Bundle::South, 0), port(Bundle::North, 0));
    bench.connect(A, port(Bundle::South, 0), port(Bundle::South, 0));
    bench.connect(m, port(Bundle::North, 0), port(Bundle::South, 0));
    bench.connect(SHIM, port(Bundle::North, 0), to);
    (bench, base)
}

/// Which accesses of each race write.
fn races(bench: &Bench) -> Vec<(bool, bool)> {
    let races = bench.array.race_records();
    races
        .map(|race| (race.first.writes, race.second.writes))
        .collect()
}

fn start(bench: &mut Bench) {
    bench.push(SHIM, S2mm, 0, once(1));
    bench.push(SHIM, Mm2s, 0, once(0));
}

#[test]
fn transfers_of_different_places_are_fine() {
    let (mut bench, base) = host_loop();
    bench.bd(SHIM, 0, &bd(base, 64));
    bench.bd(SHIM, 1, &bd(base + 256, 64));
    start(&mut bench);
    bench.run_clean();
    assert_eq!(races(&bench), []);
}

#[test]
fn writing_back_what_was_read_is_fine() {
    // In place: each word comes back after it was read.
    let (mut bench, base) = host_loop();
    bench.bd(SHIM, 0, &bd(base, 512));
    bench.bd(SHIM, 1, &bd(base, 512));
    start(&mut bench);
    bench.run_clean();
    assert_eq!(races(&bench), []);
}

#[test]
fn writing_what_is_still_to_be_read_is_told() {
    // Word 0 goes to word 512 and so on: the reader finds there what the writer put.
    let (mut bench, base) = host_loop();
    bench.bd(SHIM, 0, &bd(base, 1024));
    bench.bd(SHIM, 1, &bd(base + 2048, 512));
    start(&mut bench);
    bench.run();
    assert_eq!(races(&bench), [(false, true)]);
}

#[test]
fn strided_transfers_that_interleave_are_fine() {
    // Even words are read, odd words written.
    let (mut bench, base) = host_loop();
    let every_other = |address| BdFields {
        steps: [2, 1, 1, 1],
        ..bd(address, 64)
    };
    bench.bd(SHIM, 0, &every_other(base));
    bench.bd(SHIM, 1, &every_other(base + 4));
    start(&mut bench);
    bench.run_clean();
    assert_eq!(races(&bench), []);
}

#[test]
fn two_writers_of_one_place_are_told() {
    let (mut bench, base) = host_loop();
    let (from, to) = (bench.shim(0, Mm2s, 1), bench.shim(0, S2mm, 1));
    bench.connect(SHIM, from, port(Bundle::North, 1));
    let m = tile(0, 1);
    bench.connect(m, port(Bundle::South, 1), port(Bundle::South, 1));
    bench.connect(SHIM, port(Bundle::North, 1), to);
    bench.bd(SHIM, 0, &bd(base, 64));
    bench.bd(SHIM, 1, &bd(base + 1024, 64));
    bench.bd(SHIM, 2, &bd(base + 256, 64));
    bench.bd(SHIM, 3, &bd(base + 1024 + 64, 64));
    start(&mut bench);
    let entry = |bd| QueueEntry {
        bd,
        repeat: 0,
        token: false,
    };
    bench.push(SHIM, S2mm, 1, entry(3));
    bench.push(SHIM, Mm2s, 1, entry(2));
    bench.run_clean();
    assert!(races(&bench).contains(&(true, true)));
}

#[test]
fn a_rule_that_is_replaced_before_a_packet_is_told() {
    let rule = |id| SwitchSlot {
        enable: true,
        id,
        mask: 31,
        arbiter: 0,
        msel: 0,
    };
    let from = port(Bundle::Dma, 0);
    let mut bench = Bench::new("npu1");
    // Rules in time, the same once more, and one more aren't a hazard.
    bench.rule(A, from, 0, rule(1));
    bench.bd(A, 0, &bd(0, 4));
    bench.push(A, Mm2s, 0, once(0));
    bench.run();
    bench.rule(A, from, 0, rule(1));
    bench.rule(A, from, 1, rule(2));
    assert!(notes(&bench).is_empty());
    bench.rule(A, from, 0, rule(3));
    let text = notes(&bench);
    assert_eq!(text.len(), 1, "{text:?}");
    assert!(text[0].starts_with("the packet rules of"), "{text:?}");
}
