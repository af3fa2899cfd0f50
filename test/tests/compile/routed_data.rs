//! Routings of the benchmark, simulated with data: what each source sends arrives at each of its
//! sinks, whatever waits for what on the way.

use aiec_sim::{HostBuffer, SimOptions, simulate};
use aiec_test::driver::aiec;
use aiec_test::routing_bench::Problem;
use aiec_test::routing_bench::design::{Landing, WORD_BYTES, WORDS, design, inside, word};
use aiec_test::routing_bench::families::{FAMILIES, Family, Shape};

/// Cycles after the configuration in which everything has arrived.
const CYCLES: u64 = 200_000;

/// Wrong words after a simulation of a problem.
fn wrong(problem: &Problem, jitter: Option<u64>) -> Vec<String> {
    let (text, landings) = design(problem);
    let elf = match aiec(["-", "-o", "-"], text.as_bytes()).output() {
        Ok(elf) => elf,
        Err(what) => return vec![format!("{}: {what}", problem.name)],
    };
    let options = SimOptions {
        jitter,
        ..SimOptions::default()
    };
    let mut result = match simulate(&elf, Vec::<HostBuffer>::new(), &options) {
        Ok(result) => result,
        Err(what) => return vec![format!("{}: {what}", problem.name)],
    };
    let end = result.array.now() + CYCLES;
    result.array.advance(end);
    let mut list = Vec::new();
    for landing in &landings {
        let Landing { sink, address, .. } = landing;
        let tile = aiec_device::TileLoc::new(sink.col, sink.row);
        let memory = result.array.data_memory(tile).expect("a tile with memory");
        let mut left = landing.blocks.clone();
        for block in 0..landing.blocks.len() as u32 {
            let at = |n: u32| memory.word(address + (block * WORDS + n) * WORD_BYTES);
            let first = at(0).unwrap_or_default();
            if !left.remove(&first) {
                list.push(format!("{}: {sink:?} has {first:#x}", problem.name));
            } else if (0..WORDS).any(|n| at(n) != Some(word(first, n))) {
                list.push(format!("{}: {first:#x} at {sink:?} is torn", problem.name));
            }
        }
    }
    list
}

/// The families that the simulator knows the devices of, and whose problems are small.
fn sample(shape: Shape, size: usize) -> impl Iterator<Item = &'static Family> {
    FAMILIES
        .iter()
        .filter(move |family| family.shape == shape && family.size == size)
        .filter(|family| family.device.starts_with("npu"))
}

fn check(shape: Shape, size: usize, seeds: u64) {
    let mut list = Vec::new();
    let mut count = 0;
    for family in sample(shape, size) {
        for seed in 1..=seeds {
            let problem = inside(&family.problem(seed).expect("a known device"));
            for jitter in [None, Some(seed)] {
                list.extend(wrong(&problem, jitter));
                count += 1;
            }
        }
    }
    assert!(count > 0 && list.is_empty(), "{}", list.join("\n"));
}

#[test]
fn circuits_arrive() {
    check(Shape::Circuit, 24, 1);
}

#[test]
fn broadcasts_arrive() {
    check(Shape::Broadcast, 24, 1);
}

#[test]
fn packets_arrive() {
    check(Shape::Packet, 24, 3);
    check(Shape::Packet, 32, 1);
}

#[test]
fn packets_of_many_sources_arrive_in_one_channel() {
    check(Shape::FanIn, 8, 2);
    check(Shape::FanIn, 32, 1);
}
