//! Speed of the array model: 8 columns of 4 core tiles, fully busy with DMA, without and with
//! core programs, without and with the look for races. An item is an array cycle.

#[path = "../tests/array/split_join.rs"]
mod split_join;
#[path = "../tests/array/support.rs"]
#[allow(dead_code)]
mod support;

use aiec_device::DeviceModel;
use aiec_sim::array::Timing;
use aiec_sim::host::BufferId;
use support::Bench;

const COLUMNS: u8 = 8;
const OBJECTS: u32 = 64;

fn main() {
    divan::main();
}

fn build(cores: bool, timed: bool, races: bool) -> Bench {
    let device = DeviceModel::by_name("npu2").unwrap();
    let arch = device.arch();
    let timing = if timed {
        Timing::of(arch)
    } else {
        Timing::fast(arch)
    };
    let mut bench = Bench::with(device, timing);
    if races {
        bench.array.watch_races();
    }
    split_join::build(bench, COLUMNS, OBJECTS, cores)
}

/// Without the model of time; an item is a word that a DMA channel moves.
#[divan::bench(sample_count = 5, args = [false, true])]
fn split_and_join_untimed(bencher: divan::Bencher, cores: bool) {
    let mut probe = build(cores, false, false);
    probe.run_clean();
    let channels = probe.array.stats().channels;
    let words: u64 = channels.iter().map(|channel| channel.words).sum();
    bencher
        .counter(divan::counter::ItemsCount::new(words))
        .with_inputs(|| build(cores, false, false))
        .bench_values(|mut bench| bench.run());
}

#[divan::bench(sample_count = 5, args = [(false, false), (false, true), (true, false), (true, true)])]
fn split_and_join(bencher: divan::Bencher, (cores, races): (bool, bool)) {
    let mut probe = build(cores, true, races);
    let cycles = probe.run_clean();
    let words: u64 = probe
        .array
        .stats()
        .channels
        .iter()
        .map(|channel| channel.words)
        .sum();
    eprintln!("cores {cores}: {cycles} cycles, {words} words moved by channels");
    for col in 0..u32::from(COLUMNS) {
        assert_eq!(probe.tokens(col as u8).len(), 1);
        let (input, output) = (BufferId(2 * col), BufferId(2 * col + 1));
        let words = probe
            .array
            .host
            .bytes(input)
            .chunks(4)
            .zip(probe.array.host.bytes(output).chunks(4));
        for (input, output) in words {
            let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
            assert_eq!(word(output), word(input) + u32::from(cores));
        }
    }
    bencher
        .counter(divan::counter::ItemsCount::new(cycles))
        .with_inputs(|| build(cores, true, races))
        .bench_values(|mut bench| bench.run());
}
