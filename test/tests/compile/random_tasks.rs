//! Holds random sequences of tasks to the copies that they mean, as control code in all ways to divide
//! work and as files of Ryzen AI. A sequence that goes wrong stays in the target folder and is named.

use std::fs;
use std::path::PathBuf;

use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, entropy, failures};
use aiec_test::task_sequences::TaskSequence;
use arbitrary::Unstructured;

/// Sequences drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 60;

/// Bytes of randomness for one sequence; more than any uses.
const ENTROPY_BYTES: usize = 2048;

/// Lines of a failure that are shown.
const MAX_LINES: usize = 6;

/// The ways to run a device's sequences: control code in each way to divide it, or its drivers' files.
fn ways(device: &str) -> &'static [&'static str] {
    match device {
        "npu2" => &[
            "--jobs=single",
            "--jobs=parallel",
            "--as=xclbin",
            "--as=npu-elf",
        ],
        "npu1_3col" => &["--jobs=single", "--jobs=parallel", "--as=xclbin"],
        _ => &["--jobs=single", "--jobs=per-column", "--jobs=parallel"],
    }
}

#[test]
fn tasks_copy_what_they_say() {
    let count = cases(DEFAULT_COUNT);
    let failures = failures(count, run);
    let shown: Vec<String> = failures
        .iter()
        .map(|(seed, why)| {
            let start: Vec<&str> = why.lines().take(MAX_LINES).collect();
            format!("seed {seed}: {}", start.join("\n"))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {count} sequences went wrong\n{}",
        failures.len(),
        shown.join("\n")
    );
}

fn run(seed: u64) -> Result<(), String> {
    let bytes = entropy(seed.wrapping_mul(0x1000_0001), ENTROPY_BYTES);
    let drawn = TaskSequence::draw(&mut Unstructured::new(&bytes));
    let drawn = drawn.map_err(|error| error.to_string())?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random_tasks");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let [design, input, output] = ["mlir", "in.bin", "out.bin"].map(|ending| {
        folder
            .join(format!("{seed}.{ending}"))
            .display()
            .to_string()
    });
    let bytes: Vec<u8> = drawn.input.iter().flat_map(|n| n.to_le_bytes()).collect();
    fs::write(&design, &drawn.text)
        .and_then(|()| fs::write(&input, bytes))
        .map_err(|error| error.to_string())?;
    for way in ways(drawn.device) {
        let run = aiec(
            [
                "sim",
                &design,
                way,
                "--strict",
                &format!("--arg=0={input}"),
                &format!("--arg-size=1={}", 4 * drawn.output.len()),
                &format!("--out=1={output}"),
            ],
            b"",
        );
        let said = format!("{design} {way}: ");
        if run.exit.code() != 0 {
            return Err(said + &run.stderr);
        }
        let found = fs::read(&output).map_err(|error| said.clone() + &error.to_string())?;
        let words = found.chunks_exact(4);
        let words = words.map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut both = words.zip(&drawn.output).enumerate();
        let wrong = both.find(|(_, (found, wanted))| wanted.is_some_and(|wanted| wanted != *found));
        if let Some((at, (found, wanted))) = wrong {
            return Err(format!(
                "{said}element {at} is {found} instead of {wanted:?}"
            ));
        }
    }
    let files = [&design, &input, &output];
    files
        .iter()
        .try_for_each(fs::remove_file)
        .map_err(|error| error.to_string())
}
