//! Instructions as an NPU1 executed them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

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
        match line.starts_with("batch") {
            true => batches.push(Vec::new()),
            false => batches.last_mut().unwrap().push(line),
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
        machine.replace_program(Rc::from(code(CoreArch::Aie2, &text)));
        machine.reset_control();
        let mut tile = Tile::default();
        let at = INPUT as usize;
        tile.memory[at..at + input.len()].copy_from_slice(&input);
        let done: Vec<Result<(), String>> = bundles
            .iter()
            .map(|steps| execute(&mut machine, &mut tile, steps))
            .collect();
        // What is still on its way to memory lands.
        machine.finish(&mut tile).unwrap();
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

/// A field of a test's line.
fn test_field(line: &str, number: usize) -> &str {
    line.split('|').nth(number).unwrap()
}

/// Why instructions have tests that do not agree: the beginning of their names, how many tests, why.
#[rustfmt::skip]
const MISSES: &[(&str, usize, &str)] = &[
    ("VLDB_SPARSE", 10, "sparse loads: no public source states them"),
    ("VLDB_COMPR", 3, "compressed loads: no public source states them"),
    ("MOV_CNTR", 7, "the cycle counter's value"),
    ("PADD", 57, "the pointer's value before the test is unknown"),
    ("ADC", 2, "srCarry comes from a test that is not in the file"),
    ("DIVS", 9, "r31 comes from a test that is not in the file"),
    ("SELEQZ", 12, "r27 comes from before the tests"),
    ("SELNEZ", 14, "r27 comes from before the tests"),
    ("VINSERT_", 13, "r29 comes from before the tests or from one that is not in the file"),
    ("VBCSTSHFL_", 36, "the mode in r29 comes from before the tests"),
    ("VLDA_2D_dmw_lda_am", 2, "the other half comes from a test that is not in the file"),
    ("VLDA_dmw_lda_am", 8, "the other half comes from a test that is not in the file"),
    ("VLDB_4x", 29, "random addresses outside the buffers"),
    ("VSHIFT_ALIGN", 11, "its meaning is unconfirmed"),
    ("VSHUFFLE", 3, "modes 48 and above are unconfirmed"),
    ("ST_2D_S8", 1, "the last bundle of its program: the store does not come to memory"),
    ("ST_S16_ag_pstm_nrm_imm", 1, "the last bundle of its program: the store does not come to memory"),
    ("VADD_F", 4, "the fraction of a NaN"),
    ("VNEGADD_F", 1, "the fraction of a NaN"),
    ("VNEGSUB_F", 1, "the fraction of a NaN"),
    ("VNEG_F", 1, "the fraction of a NaN"),
    ("VADDMAC", 90, "sparse sources, sub_mask or shapes without a name"),
    ("VADDMSC", 88, "sparse sources, sub_mask or shapes without a name"),
    ("VSUBMAC", 47, "sparse sources, sub_mask or shapes without a name"),
    ("VSUBMSC", 43, "sparse sources, sub_mask or shapes without a name"),
    ("VMAC", 93, "sparse sources, sub_mask or shapes without a name"),
    ("VMSC", 88, "sparse sources, sub_mask or shapes without a name"),
    ("VMUL", 75, "sparse sources, sub_mask or shapes without a name"),
    ("VNEGMAC", 42, "sparse sources, sub_mask or shapes without a name"),
    ("VNEGMSC", 41, "sparse sources, sub_mask or shapes without a name"),
    ("VNEGMUL", 88, "sparse sources, sub_mask or shapes without a name"),
    ("VADD", 1, "shift16 with lanes of 64 bits"),
    ("VNEGADD", 1, "shift16 with lanes of 64 bits"),
];

#[test]
fn instructions_leave_what_an_npu1_left() {
    let results = run_all();
    let mut report = String::new();
    let mut counts = vec![0; MISSES.len()];
    for (name, (_, misses)) in &results {
        for miss in misses {
            let reason = MISSES
                .iter()
                .position(|(begin, ..)| name.starts_with(begin));
            match (reason, miss) {
                (Some(reason), _) => counts[reason] += 1,
                (None, Miss::Refused(reason)) => writeln!(report, "{name}: {reason}").unwrap(),
                (
                    None,
                    Miss::Wrong {
                        steps,
                        got,
                        expected,
                    },
                ) => {
                    writeln!(
                        report,
                        "{name}: {steps}\n  got      {got}\n  expected {expected}"
                    )
                    .unwrap();
                }
            }
        }
    }
    assert!(report.is_empty(), "{report}");
    for ((begin, expected, reason), count) in MISSES.iter().zip(counts) {
        assert_eq!(count, *expected, "{begin}: {reason}");
    }
}
