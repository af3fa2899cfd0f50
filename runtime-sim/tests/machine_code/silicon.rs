//! Instructions as an NPU1 executed them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;
use aiec_sim::core::isa::MachineCodeCore;

use crate::support::{OWN, Tile, code, core};

const TESTS: &str = include_str!("../../../test/vectors/core/npu1-instructions.txt");

/// Offset of the input buffer in the tile's memory, and of the output buffer.
const INPUT: u32 = 0x1000;
const OUTPUT: u32 = 0x9000;

/// The bytes of every test's input.
fn input() -> Vec<u8> {
    let mut state = 42u32;
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345) & 0x7FFF_FFFF;
        (state >> 16) as u8
    };
    (0..0x7000).map(|_| next()).collect()
}

/// A step of a test: what the pointer register gets before it, and the bundle.
struct Step {
    pointer: Option<(u8, u32)>,
    bundle: String,
}

/// A pointer that no step of a test names.
fn free_pointer(steps: &[&str]) -> u8 {
    let names = |p: u8| steps.iter().any(|step| step.contains(&format!("p{p}")));
    (0..8).rev().find(|p| !names(*p)).unwrap_or(0)
}

/// The bundles of a test's steps.
fn steps(text: &str) -> Vec<Step> {
    let all: Vec<&str> = text.split(';').collect();
    let free = free_pointer(&all);
    let mut steps = Vec::new();
    let mut pointer = None;
    for step in all {
        if let Some(count) = step.strip_prefix('.') {
            for _ in 0..count.parse().unwrap() {
                steps.push(Step {
                    pointer: pointer.take(),
                    bundle: "nop".to_string(),
                });
            }
            continue;
        }
        if let Some((register, place)) = step.split_once(" := ") {
            let number = register[1..].parse().unwrap();
            pointer = Some((number, address(place)));
            continue;
        }
        let place = step.split_once(" @").or_else(|| step.split_once(" >"));
        let Some((operation, offset)) = place else {
            steps.push(Step {
                pointer: pointer.take(),
                bundle: step.to_string(),
            });
            continue;
        };
        let base = if step.contains(" @") { "@" } else { ">" };
        let bundle = format!("{operation}, [p{free}, #0]");
        steps.push(Step {
            pointer: Some((free, address(&format!("{base}{offset}")))),
            bundle,
        });
    }
    steps
}

fn address(place: &str) -> u32 {
    let (base, offset) = place.split_at(1);
    let base = if base == "@" { INPUT } else { OUTPUT };
    OWN + base + offset.parse::<u32>().unwrap()
}

/// Why a test did not agree.
enum Miss {
    Refused(String),
    Wrong {
        steps: String,
        got: String,
        expected: String,
    },
}

/// Executes all steps; the first reason why one could not be.
fn execute(machine: &mut MachineCodeCore, tile: &mut Tile, steps: &[Step]) -> Result<(), String> {
    let mut result = Ok(());
    for step in steps {
        if let Some((pointer, address)) = step.pointer {
            machine
                .set_register(&format!("p{pointer}"), address)
                .unwrap();
        }
        let stop = machine.run(tile, 1).stop;
        if stop != CoreStop::Budget {
            machine.skip_bundle();
            result = result.and(Err(match stop {
                CoreStop::Fault(fault) => fault.to_string(),
                stop => format!("{stop:?}"),
            }));
        }
    }
    result
}

/// Runs all tests; each instruction with its agreeing tests and its misses.
fn run_all() -> BTreeMap<String, (usize, Vec<Miss>)> {
    let input = input();
    let mut results: BTreeMap<String, (usize, Vec<Miss>)> = BTreeMap::new();
    let mut batches: Vec<Vec<&str>> = Vec::new();
    for line in TESTS.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("batch") {
            batches.push(Vec::new())
        } else {
            batches.last_mut().unwrap().push(line)
        }
    }
    let bundles: Vec<Vec<Vec<Step>>> = batches
        .iter()
        .map(|batch| {
            batch
                .iter()
                .map(|test| steps(test_field(test, 1)))
                .collect()
        })
        .collect();
    let mut machine = core(CoreArch::Aie2, "nop", false);
    for (batch, bundles) in batches.iter().zip(&bundles) {
        let mut text = String::new();
        for step in bundles.iter().flatten() {
            writeln!(text, "{}", step.bundle).unwrap();
        }
        // Registers keep what earlier programs left.
        machine.replace_program(Arc::from(code(CoreArch::Aie2, &text)));
        machine.reset_control();
        let mut tile = Tile::default();
        let at = INPUT as usize;
        tile.memory[at..at + input.len()].copy_from_slice(&input);
        let done: Vec<Result<(), String>> = bundles
            .iter()
            .map(|steps| execute(&mut machine, &mut tile, steps))
            .collect();
        machine.finish(&mut tile).unwrap();
        let end = OUTPUT as usize + output_bytes(batch);
        tile.memory[end..].fill(0);
        for (test, done) in batch.iter().zip(done) {
            let field = |number| test_field(test, number);
            let entry = results.entry(field(0).to_string()).or_default();
            let offset = OUTPUT as usize + field(2).parse::<usize>().unwrap();
            let expected = field(3);
            let got: String = tile.memory[offset..offset + expected.len() / 2]
                .iter()
                .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            match done {
                Err(reason) => entry
                    .1
                    .push(Miss::Refused(format!("{}: {reason}", field(1)))),
                Ok(()) if got == expected => entry.0 += 1,
                Ok(()) => entry.1.push(Miss::Wrong {
                    steps: field(1).to_string(),
                    got,
                    expected: expected.to_string(),
                }),
            }
        }
    }
    results
}

/// Bytes of a batch's output that the host gets. Its DMA moves 32-bit words: a part word at the end
/// is left out (the last tests of two batches end in one; the host has 0 there).
fn output_bytes(batch: &[&str]) -> usize {
    let end = |test: &&str| {
        let offset: usize = test_field(test, 2).parse().unwrap();
        offset + test_field(test, 3).len() / 2
    };
    batch.iter().map(end).max().unwrap_or(0) & !3
}

/// A field of a test's line.
fn test_field(line: &str, number: usize) -> &str {
    line.split('|').nth(number).unwrap()
}

/// Inputs of tests that their file does not give: the beginning of the tests' names, and the input.
#[rustfmt::skip]
const UNKNOWN_INPUTS: &[(&str, &str)] = &[
    ("MOV_CNTR", "the cycle counter at the start"),
    ("PADD", "the pointer's value before the test"),
    ("ADC", "srCarry, of a test that is not in the file"),
    ("DIVS", "r31, of a test that is not in the file"),
    ("SELEQZ", "r27, of before the tests"),
    ("SELNEZ", "r27, of before the tests"),
    ("VINSERT_", "r29, of before the tests or of one that is not in the file"),
    ("VBCSTSHFL_", "r29, of before the tests or of one that is not in the file"),
    ("VLDA_2D_dmw_lda_am", "the other half, of a test that is not in the file"),
    ("VLDA_dmw_lda_am", "the other half, of a test that is not in the file"),
    ("VLDB_4x", "memory outside the buffers, at random addresses"),
];

/// Tests that do not agree though all that they read is known: the beginning of their names, how
/// many, and why.
#[rustfmt::skip]
const MISSES: &[(&str, usize, &str)] = &[
    ("VADDMSC_vmac_cm_core_sparse_wide", 2, "the accumulator that a refused test before left"),
];

/// Number of tests of a kind that agree.
#[derive(Default)]
struct Tally {
    tests: usize,
    agree: usize,
    /// Its inputs are unknown.
    unknown: usize,
    /// The instruction or its configuration is refused by name.
    refused: usize,
}

impl Tally {
    /// Tests of what is modelled with known inputs.
    fn modelled(&self) -> usize {
        self.tests - self.unknown - self.refused
    }
}

#[test]
fn instructions_leave_what_an_npu1_left() {
    let results = run_all();
    let mut report = String::new();
    let mut counts = vec![0; MISSES.len()];
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    let (mut scalar, mut vector) = (Tally::default(), Tally::default());
    for (name, (agree, misses)) in &results {
        let tally = if name.starts_with('V') {
            &mut vector
        } else {
            &mut scalar
        };
        tally.tests += agree + misses.len();
        tally.agree += agree;
        let begins = |begin: &str| name.starts_with(begin);
        for miss in misses {
            match miss {
                _ if UNKNOWN_INPUTS.iter().any(|(begin, _)| begins(begin)) => tally.unknown += 1,
                Miss::Refused(reason) => {
                    tally.refused += 1;
                    let what = reason
                        .rsplit(": ")
                        .find(|part| part.contains("not simulated"));
                    *refusals
                        .entry(what.unwrap_or(reason).to_string())
                        .or_default() += 1;
                }
                Miss::Wrong {
                    steps,
                    got,
                    expected,
                } => match MISSES.iter().position(|(begin, ..)| begins(begin)) {
                    Some(row) => counts[row] += 1,
                    None => writeln!(
                        report,
                        "{name}: {steps}\n  got      {got}\n  expected {expected}"
                    )
                    .unwrap(),
                },
            }
        }
    }
    for (kind, tally) in [("scalar", &scalar), ("vector", &vector)] {
        println!(
            "{kind}: {} of {} tests agree; {} have inputs that the file does not give, {} are refused \
             by name; of the other {} {:.2} % agree",
            tally.agree,
            tally.tests,
            tally.unknown,
            tally.refused,
            tally.modelled(),
            100.0 * tally.agree as f64 / tally.modelled() as f64
        );
    }
    for (reason, count) in &refusals {
        println!("  {count} refused: {reason}");
    }
    for (begin, count, reason) in MISSES {
        println!("  {count} of {begin} differ: {reason}");
    }
    assert!(report.is_empty(), "{report}");
    for ((begin, expected, reason), count) in MISSES.iter().zip(counts) {
        assert_eq!(count, *expected, "{begin}: {reason}");
    }
    assert!(100 * vector.agree >= 99 * vector.modelled());
}
