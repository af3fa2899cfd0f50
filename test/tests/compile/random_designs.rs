//! Holds the simulated control code of random designs to what the designs mean.
//!
//! Each design is drawn from a seed, compiled in-process by the driver, executed by the simulator,
//! and its host buffers compared with those that the design's description implies. Each way to
//! divide the work gets its share of the designs, some designs are compiled in all ways: then
//! dividing must not make them slower.
//! How many are drawn, and which, is as `aiec_test::seeds` says; a part of them is compiled in all
//! ways. A design that goes wrong is written
//! to the target folder and named in the failure.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aiec_sim::{HostBuffer, SimOptions, Status};
use aiec_test::designs::{Design, Elem, draw};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, entropy, first_seed};
use arbitrary::Unstructured;

/// Designs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 150;

/// How many of them are compiled in all ways when the environment does not say.
const DEFAULT_ALL_WAYS: u64 = 30;

/// The ways to divide work, by their names on the command line; the first is the yardstick.
const WAYS: [&str; 3] = ["single", "per-column", "parallel"];

/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;

/// Lines of a failure that are shown.
const MAX_LINES: usize = 4;

/// Cycles after which a run counts as hanging: thousands of times what a design needs.
const MAX_CYCLES: u64 = 20_000_000;

#[test]
fn simulated_control_code_does_what_the_design_means() {
    let count = cases(DEFAULT_COUNT);
    let first = first_seed();
    let all_ways = cases(DEFAULT_ALL_WAYS);
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    if let Err(message) = run(seed, seed < first + all_ways) {
                        let mut list = failures.lock().unwrap_or_else(PoisonError::into_inner);
                        list.push((seed, message));
                    }
                }
            });
        }
    });
    let mut failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    failures.sort();
    let shown: Vec<String> = failures
        .iter()
        .map(|(seed, m)| {
            let start: Vec<&str> = m.lines().take(MAX_LINES).collect();
            format!("seed {seed}: {}", start.join("\n"))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {count} designs went wrong\n{}",
        failures.len(),
        shown.join("\n")
    );
}

fn run(seed: u64, all_ways: bool) -> Result<(), String> {
    let bytes = entropy(seed.wrapping_mul(0x1000_0001), ENTROPY_BYTES);
    let design = draw(&mut Unstructured::new(&bytes)).map_err(|e| e.to_string())?;
    try_ways(&design, seed, all_ways).map_err(|message| {
        let path = format!("{}/random_design_{seed}.mlir", env!("CARGO_TARGET_TMPDIR"));
        match std::fs::write(&path, design.text()) {
            Ok(()) => format!("{message} ({path})"),
            Err(error) => format!("{message} (can't write {path}: {error})"),
        }
    })
}

/// Compiles a design in one way or all, and compares how long it takes.
fn try_ways(design: &Design, seed: u64, all: bool) -> Result<(), String> {
    if !all {
        let way = WAYS[(seed % WAYS.len() as u64) as usize];
        return check(design, seed, way)
            .map(drop)
            .map_err(|e| format!("{way}: {e}"));
    }
    let mut yardstick = None;
    for way in WAYS {
        let cycles = check(design, seed, way).map_err(|e| format!("{way}: {e}"))?;
        let single = *yardstick.get_or_insert(cycles);
        if cycles * 100 > single * 101 {
            return Err(format!("{way} takes {cycles} cycles, single {single}"));
        }
    }
    Ok(())
}

/// Compiles and simulates a design; the cycles it took.
fn check(design: &Design, seed: u64, way: &str) -> Result<u64, String> {
    let text = match design.packets {
        true => with_packets(&design.text())?,
        false => design.text(),
    };
    let elf = compile(&text, way)?;
    let data = entropy(!seed, design.buffers.iter().sum::<usize>());
    let mut rest = data.as_slice();
    let before: Vec<Vec<i64>> = design
        .buffers
        .iter()
        .map(|n| {
            let (head, tail) = rest.split_at(*n);
            rest = tail;
            head.iter().map(|b| i64::from(*b as i8)).collect()
        })
        .collect();
    let buffers = before
        .iter()
        .enumerate()
        .map(|(index, values)| HostBuffer {
            index: index as u32,
            bytes: to_bytes(design.elem, values),
        })
        .collect();
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(&elf, buffers, &options).map_err(|e| e.to_string())?;
    if result.status != Status::Completed {
        return Err(format!("ended as {:?}", result.status));
    }
    for (index, want) in design.meaning(&before).iter().enumerate() {
        let want = to_bytes(design.elem, want);
        let got = result.outputs.iter().find(|b| b.index == index as u32);
        let got = got
            .map(|b| b.bytes.as_slice())
            .ok_or("a buffer is missing")?;
        if let Some(at) = (0..want.len()).find(|i| got.get(*i) != want.get(*i)) {
            return Err(format!(
                "buffer {index} differs at byte {at}: {:?} instead of {}",
                got.get(at),
                want[at]
            ));
        }
    }
    Ok(result.cycles)
}

/// The ELF of a design, by the driver as a user runs it.
fn compile(text: &str, way: &str) -> Result<Vec<u8>, String> {
    let way = format!("--jobs={way}");
    aiec(["-", "-o", "-", &way], text.as_bytes()).output()
}

/// A design whose fifos are lowered to packet flows.
fn with_packets(text: &str) -> Result<String, String> {
    let option = "--aie-objectFifo-stateful-transform=packet-sw-objFifos=true";
    let before = ["--lower-affine", "--aie-register-objectFifos"];
    let lowered = aiec(["opt", before[0], before[1], option, "-"], text.as_bytes()).output()?;
    String::from_utf8(lowered).map_err(|e| e.to_string())
}

fn to_bytes(elem: Elem, values: &[i64]) -> Vec<u8> {
    let size = elem.bytes();
    values
        .iter()
        .flat_map(|v| v.to_le_bytes().into_iter().take(size))
        .collect()
}
