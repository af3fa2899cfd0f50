//! Speed of the array model: 8 columns of 4 core tiles that split, work and join, 64 objects a
//! column, without and with core programs or machine code, without and with the look for races; two
//! cores that hand locks to each other.
//!
//! * `cargo bench -p aiec-sim --bench array`: each case several times, medians and extremes.
//! * `cargo xtask bench-compare OLD [NEW]`: the same of two commits, their runs in turn; it asks a
//!   bench for its cases (`--list`) and for one run of one of them (`--one CASE`).

#[path = "support/processor_time.rs"]
mod processor_time;
#[path = "../tests/array/split_join.rs"]
mod split_join;
#[path = "../tests/array/support.rs"]
#[allow(dead_code)]
mod support;

use std::time::Instant;

use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{DeviceModel, LockId, TileLoc};
use aiec_sim::array::Timing;
use aiec_sim::host::BufferId;
use aiec_vcode::{Instruction, Opcode};
use processor_time::processor_time;
use split_join::{BUNDLES_PER_WORD, SLICE_WORDS, WORKERS, Workers};
use support::{Bench, load};

const COLUMNS: u8 = 8;
const OBJECTS: u32 = 64;
/// Bundles that the loops of all cores take, without what goes around them.
const BUNDLES: u64 =
    COLUMNS as u64 * WORKERS as u64 * OBJECTS as u64 * SLICE_WORDS as u64 * BUNDLES_PER_WORD;

/// Runs of each case.
const RUNS: usize = 9;

/// A case: the cores of workers, and the models that are switched on.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    workers: Workers,
    timed: bool,
    races: bool,
}

const fn case(name: &'static str, workers: Workers, timed: bool, races: bool) -> Case {
    Case {
        name,
        workers,
        timed,
        races,
    }
}

/// Rates are array cycles with time, of machine code bundles, else words that DMA channels move, in a
/// second of processor time.
const CASES: [Case; 8] = [
    case("cycles, cores at work", Workers::CoreProgram, true, false),
    case(
        "cycles, cores at work, races",
        Workers::CoreProgram,
        true,
        true,
    ),
    case("cycles, DMAs only", Workers::Idle, true, false),
    case("cycles, DMAs only, races", Workers::Idle, true, true),
    case("words without time, DMAs only", Workers::Idle, false, false),
    case(
        "words without time, cores at work",
        Workers::CoreProgram,
        false,
        false,
    ),
    case(
        "words without time, races",
        Workers::CoreProgram,
        false,
        true,
    ),
    case("bundles of machine code", Workers::MachineCode, true, false),
];

/// The case of two cores that hand locks to each other: rates are operations on locks.
const LOCK_OPERATIONS: &str = "operations on locks";
const HANDOVERS: u32 = 20_000;
/// More cycles than they take.
const LOCK_CYCLES: u64 = 100 * HANDOVERS as u64;
/// Operations of a handover: each of the cores takes a lock and gives the other one.
const OPERATIONS: u64 = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        // `cargo test` runs benches with this to see that they start.
        [.., "--test"] => {}
        ["--list", ..] => {
            CASES.iter().for_each(|case| println!("{}", case.name));
            println!("{LOCK_OPERATIONS}");
        }
        ["--items", LOCK_OPERATIONS, ..] => println!("{}", u64::from(HANDOVERS) * OPERATIONS),
        ["--one", LOCK_OPERATIONS, ..] => println!("{}", lock_operations()),
        ["--one", name, ..] => {
            let found = CASES.iter().find(|case| case.name == *name);
            let case = found.unwrap_or_else(|| panic!("no case `{name}`"));
            println!("{}", case.rate());
        }
        _ => report(),
    }
}

/// Prints the rates of all cases, and how many times as long those take that look for races.
fn report() {
    let mut medians: Vec<f64> = Vec::new();
    for case in &CASES {
        let median = case.report();
        let same = |other: &Case| (other.workers, other.timed) == (case.workers, case.timed);
        let without = |other: &Case| same(other) && !other.races;
        let without = CASES.iter().position(without).filter(|_| case.races);
        if let Some(without) = without.and_then(|at| medians.get(at)) {
            println!(
                "{:36} {:8.3} times as long as without",
                "",
                without / median
            );
        }
        medians.push(median);
    }
}

/// Operations on locks a second.
fn lock_operations() -> f64 {
    const SOUTH: TileLoc = TileLoc::new(0, 2);
    const NORTH: TileLoc = TileLoc::new(0, 3);
    /// The cores' numbers of the locks 0 and 1 of the southern tile.
    const OWN: u8 = 48;
    const SOUTHERN: u8 = 0;
    let mut bench = Bench::new("npu2");
    bench.lock(SOUTH, 0, 1);
    for (core, takes, gives) in [(SOUTH, OWN, OWN + 1), (NORTH, SOUTHERN + 1, SOUTHERN)] {
        let code = vec![
            Instruction::with(Opcode::Li, 0, 0, 0, 0),
            Instruction::with(Opcode::Li, 1, 0, 0, HANDOVERS),
            Instruction::new(Opcode::Acquire, takes, -1i8 as u8, 0),
            Instruction::new(Opcode::Release, gives, 1, 0),
            Instruction::with(Opcode::Loopi, 0, 1, 1, 2),
            Instruction::new(Opcode::End, 0, 0, 0),
        ];
        load(&mut bench, core, code);
        let (enable, reset) = (true, false);
        let control = CoreControl { enable, reset };
        bench.write(core, RegisterRef::CoreControl, control.pack());
    }
    let start = Instant::now();
    let before = processor_time(start);
    // In one go, as a run does while no controller acts.
    bench.array.advance(LOCK_CYCLES);
    let seconds = (processor_time(start) - before) / 1e9;
    let value = bench.array.lock_value(LockId::new(SOUTH, 0));
    assert_eq!(value, Some(1), "the cores wait for each other");
    (u64::from(HANDOVERS) * OPERATIONS) as f64 / seconds
}

impl Case {
    fn build(&self) -> Bench {
        let device = DeviceModel::by_name("npu2").unwrap();
        let arch = device.arch();
        let timing = if self.timed {
            Timing::of(arch)
        } else {
            Timing::fast(arch)
        };
        let mut bench = Bench::with(device, timing);
        if self.races {
            bench.array.watch_races();
        }
        split_join::build(bench, COLUMNS, OBJECTS, self.workers)
    }

    /// Runs it once; returns cycles or words a second.
    fn rate(&self) -> f64 {
        let mut bench = self.build();
        let start = Instant::now();
        let before = processor_time(start);
        let cycles = bench.run();
        let seconds = (processor_time(start) - before) / 1e9;
        self.check(&mut bench);
        let channels = bench.array.view().stats().channels;
        let words: u64 = channels.iter().map(|channel| channel.counts.words).sum();
        let work = match self.workers {
            Workers::MachineCode => BUNDLES,
            _ if self.timed => cycles,
            _ => words,
        };
        work as f64 / seconds
    }

    fn check(&self, bench: &mut Bench) {
        for col in 0..u32::from(COLUMNS) {
            assert_eq!(bench.tokens(col as u8).len(), 1);
            let host = &bench.array.host;
            let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
            let input = host.bytes(BufferId(2 * col)).chunks(4).map(word);
            let output = host.bytes(BufferId(2 * col + 1)).chunks(4).map(word);
            let wanted = input.map(|word| word + u32::from(self.workers != Workers::Idle));
            assert!(output.eq(wanted), "the output is wrong");
        }
    }

    /// Prints its rates; returns their median, in millions a second.
    fn report(&self) -> f64 {
        let mut rates: Vec<f64> = (0..RUNS).map(|_| self.rate() / 1e6).collect();
        rates.sort_by(f64::total_cmp);
        println!(
            "{:36} {:8.3} M/s ({:.3} to {:.3})",
            self.name,
            rates[RUNS / 2],
            rates[0],
            rates[RUNS - 1]
        );
        rates[RUNS / 2]
    }
}
