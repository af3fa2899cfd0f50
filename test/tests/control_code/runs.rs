//! Executes the control code of the golden vectors: every file either runs to its end, or stops
//! for a reason that is written down here by name, and none is left out.
//!
//! The texts of the vectors were made for an assembler: their addresses are arbitrary numbers.
//! The run therefore only reports writes to where the device has nothing, and the table says how
//! many addresses that are.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_sim::{HostBuffer, SimOptions, Status, simulate};
use aiec_test::hex::unhex;
use serde_json::Value;

/// Bytes of each argument.
const ARGUMENT_BYTES: usize = 1 << 16;
/// Arguments that the vectors use.
const ARGUMENTS: u32 = 16;
/// None of the vectors runs longer.
const MAX_CYCLES: u64 = 500_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/cert")
}

/// Expected outcome of each vector.
const ENDINGS: [(&str, &str); 29] = [
    // A probe's opcode; the replaced instruction is known only to the tool that put it there.
    (
        "01_all_opcodes",
        "fault: TRACE at page 0 offset 0x158 of controller 0: a probe was put here",
    ),
    ("02_lexical", "completed, 1 unmapped"),
    // Its barrier is for controllers that have no code.
    (
        "03_regs_barriers",
        "deadlock: job 0 of controller 0 (page 0): a controller of the party mask",
    ),
    // They wait for tokens of tasks that are never started.
    (
        "04_actors_aie2ps",
        "deadlock: job 0 of controller 0 (page 0) waits for DMA",
    ),
    (
        "05_actors_aie4",
        "deadlock: job 0 of controller 0 (page 0) waits for DMA",
    ),
    // A length of 16 bits, of which the assembler keeps 15.
    (
        "06_ucdma_chain",
        "fault: UC_DMA_WRITE_DES at page 0 offset 0x18 of controller 0: the descriptor at page \
         offset 0x30 takes data from outside the page",
    ),
    ("07_multi_column", "completed, 0 unmapped"),
    ("08_eop", "completed, 1 unmapped"),
    ("09_page_overflow", "completed, 0 unmapped"),
    ("10_barrier_group", "completed, 0 unmapped"),
    ("11_deferred", "completed, 2 unmapped"),
    ("12_shared_label_one_page", "completed, 3 unmapped"),
    ("13_data_order", "completed, 10 unmapped"),
    ("14_apply_offset", "completed, 36 unmapped"),
    ("15_apply_offset_table", "completed, 27 unmapped"),
    ("16_setpad", "completed, 18 unmapped"),
    ("17_include", "completed, 2 unmapped"),
    ("18_scopes", "completed, 2 unmapped"),
    // A scalar symbol, which no loader gives a value.
    (
        "19_scalar_symbols",
        "refused: the code wants the address of 'batch_size'",
    ),
    // Jobs 0x15 and 21, which the assembler takes for two.
    (
        "20_directives",
        "fault: page 0 of controller 0 has two jobs 21",
    ),
    // The actors of AIE4, which aren't modelled here.
    (
        "21_aie4_bd57",
        "deadlock: job 0 of controller 1 (page 0) waits for tokens of an actor that",
    ),
    ("23_config", "completed, 1 unmapped"),
    (
        "24_config_merged",
        "refused: the code wants the address of 'stride'",
    ),
    ("25_dump", "completed, 0 unmapped"),
    ("26_ctrlpkt", "completed, 18 unmapped"),
    ("27_ctrlpkt_aie4", "completed, 18 unmapped"),
    ("28_page_exact_fit", "completed, 656 unmapped"),
    // Data words between instructions.
    (
        "29_inline_words",
        "fault: page 0 of controller 0: unknown opcode 0x78 at offset 0x24",
    ),
    ("30_config_aie4", "completed, 9 unmapped"),
];

/// Outcome of a file, in one line.
fn ending(file: &[u8]) -> String {
    let arguments = (0..ARGUMENTS).map(|index| HostBuffer {
        index,
        bytes: vec![0; ARGUMENT_BYTES],
    });
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        report_unmapped: true,
        ..SimOptions::default()
    };
    match simulate(file, arguments.collect(), &options) {
        Err(error) => format!("refused: {error}"),
        Ok(result) => match &result.status {
            Status::Completed => format!("completed, {} unmapped", result.array.unmapped().count()),
            Status::Deadlock(deadlock) => format!("deadlock: {}", deadlock.mistake.cause),
            Status::Fault(fault) => format!("fault: {fault}"),
            other => other.name().into(),
        },
    }
}

/// Mutants of the vectors end somehow, without a panic: files with changed, cut or doubled bytes.
#[test]
fn mutants_of_the_vectors_never_panic() {
    /// Mutants of each vector.
    const MUTANTS: u64 = 24;
    let text = fs::read_to_string(folder().join("manifest.json")).expect("the manifest");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let mut random = fastrand::Rng::with_seed(0x0BAD_5EED_0BAD_5EED);
    for vector in all.as_array().expect("a list") {
        let Some(name) = vector["expect"]
            .as_str()
            .filter(|_| vector["kind"] == "elf")
        else {
            continue;
        };
        let file = unhex(&fs::read_to_string(folder().join(name)).expect("the golden file"));
        let used: Vec<usize> = (0..file.len()).filter(|&i| file[i] != 0).collect();
        for mutant in 0..MUTANTS {
            let mut bytes = file.clone();
            for _ in 0..1 + random.u64(..6) {
                let at = used[random.usize(..used.len())];
                bytes[at] = match random.u64(..3) {
                    0 => bytes[at] ^ 1 << random.u64(..8),
                    1 => 0xFF,
                    _ => random.u8(..),
                };
            }
            if mutant % 8 == 7 {
                bytes.truncate(random.usize(..file.len()));
            }
            let _ = ending(&bytes);
        }
    }
}

#[test]
fn vectors_run_or_stop_at_a_named_limit() {
    let text = fs::read_to_string(folder().join("manifest.json")).expect("the manifest");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let mut wanted = ENDINGS.iter();
    for vector in all.as_array().expect("a list") {
        if vector["kind"] != "elf" {
            continue;
        }
        let path = folder().join(vector["expect"].as_str().expect("a name"));
        let file = unhex(&fs::read_to_string(path).expect("the golden file"));
        let name = vector["name"].as_str().expect("a name");
        let (wanted_name, wanted) = wanted.next().expect("a row for each vector");
        let found = ending(&file);
        assert_eq!(name, *wanted_name, "{found}");
        assert!(found.starts_with(wanted), "{name}: {found}");
    }
    assert_eq!(wanted.next(), None);
}
