//! Bursts of words and loops of cores are as each word and each instruction by itself: every file of the
//! corpora ends in the same way, in the same cycle, with the same totals and races, with and without
//! random latencies; a trace has the same records.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_sim::{HostBuffer, Recording, SimOptions, simulate};
use aiec_test::driver::aiec;
use aiec_test::outcome::outcome;

const MAX_CYCLES: u64 = 300_000;
/// Trace events that are compared at most.
const EVENTS: usize = 20_000;
/// Files that there are at least.
const LEAST: usize = 120;

/// Control code of a design or a program; `None` where it is meant to be refused.
fn build(path: &Path) -> Option<Vec<u8>> {
    let file = path.to_string_lossy();
    let run = match path.extension()?.to_str()? {
        "mlir" => aiec([&file, "-o", "-"], b""),
        "asm" => aiec(["asm", &file, "-o", "-"], b""),
        _ => return None,
    };
    run.output().ok()
}

fn runs() -> Vec<SimOptions> {
    let run = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let trace = Recording::Trace {
        from: 0,
        limit: EVENTS,
    };
    vec![
        run.clone(),
        SimOptions {
            timing: false,
            ..run.clone()
        },
        SimOptions {
            jitter: Some(5),
            ..run.clone()
        },
        SimOptions {
            recording: trace,
            races: false,
            ..run
        },
    ]
}

#[test]
fn bursts_and_loops_are_as_words_and_instructions_one_by_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpora = [
        "deadlock",
        "races",
        "../examples/whole-array",
        "../examples/scale",
    ];
    let mut files: Vec<PathBuf> = corpora
        .iter()
        .flat_map(|corpus| fs::read_dir(folder.join(corpus)).into_iter().flatten())
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for path in &files {
        let Some(elf) = build(path) else { continue };
        compared += 1;
        for options in runs() {
            let end = |exact| {
                let options = SimOptions {
                    exact,
                    ..options.clone()
                };
                let run = simulate(&elf, Vec::<HostBuffer>::new(), &options);
                run.map_or_else(|error| error.to_string(), |result| outcome(&result))
            };
            if end(false) != end(true) {
                wrong.push(format!("{} {options:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= LEAST, "{compared} files");
}
