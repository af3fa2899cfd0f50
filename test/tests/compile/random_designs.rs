//! Holds the simulated control code of random designs to what the designs mean.
//!
//! Each design is drawn from a seed, compiled in-process by the driver, executed by the simulator,
//! and its host buffers compared with those that the design's description implies. Each way to
//! divide the work gets its share of the designs, some designs are compiled in all ways: then
//! dividing must not make them slower.
//! How many are drawn, and which, is as `aiec_test::seeds` says; a part of them is compiled in all
//! ways. A design that goes wrong is written
//! to the target folder and named in the failure.

use std::fs;
use std::path::PathBuf;

use aiec_sim::SimOptions;
use aiec_test::designs::Design;
use aiec_test::designs::runs::{buffers, drawn, hold, netlist};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, failures, first_seed};

/// Designs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 150;

/// Number of them that are compiled in all ways by default.
const DEFAULT_ALL_WAYS: u64 = 30;

/// The ways to divide work, by their names on the command line; the first is the yardstick.
const WAYS: [&str; 3] = ["single", "per-column", "parallel"];

/// The files of Ryzen AI's drivers that designs for [`BY_DRIVER`] are run as, in turn.
const FILES: [&str; 3] = ["npu-elf", "xclbin", "xclbin-elf"];

/// The device whose driver loads all of them.
const BY_DRIVER: &str = "npu2";

/// One design of each `EVERY` seeds is run as such a file too.
const EVERY: u64 = 4;

/// Lines of a failure that are shown.
const MAX_LINES: usize = 4;

/// Cycles after which a run counts as hanging: thousands of times what a design needs.
const MAX_CYCLES: u64 = 20_000_000;

#[test]
fn simulated_control_code_does_what_the_design_means() {
    let count = cases(DEFAULT_COUNT);
    let all_ways = first_seed() + cases(DEFAULT_ALL_WAYS);
    let failures = failures(count, |seed| run(seed, seed < all_ways));
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
    let design = drawn(seed.wrapping_mul(0x1000_0001))?;
    let ran = try_ways(&design, seed, all_ways).and_then(|()| {
        if design.device == BY_DRIVER && seed.is_multiple_of(EVERY) {
            as_file(&design, seed)
        } else {
            Ok(())
        }
    });
    ran.map_err(|message| {
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
    let text = netlist(design)?;
    let elf = compile(&text, way)?;
    let (buffers, wanted) = buffers(design, !seed, 0);
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(&elf, buffers, &options).map_err(|e| e.to_string())?;
    hold(&result, &wanted)?;
    Ok(result.cycles)
}

/// Runs a design as one of the files that the driver loads.
fn as_file(design: &Design, seed: u64) -> Result<(), String> {
    let kind = FILES[(seed / EVERY) as usize % FILES.len()];
    let (given, wanted) = buffers(design, !seed, 0);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("random_files/{seed}"));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let place = |name: String| folder.join(name).display().to_string();
    let path = place("design.mlir".to_string());
    fs::write(&path, netlist(design)?).map_err(failed)?;
    let mut args = vec!["sim".to_string(), path, format!("--as={kind}")];
    for buffer in &given {
        let (file, n) = (place(format!("in{}.bin", buffer.index)), buffer.index);
        fs::write(&file, &buffer.bytes).map_err(failed)?;
        args.push(format!("--arg={n}={file}"));
        args.push(format!("--out={n}={}", place(format!("out{n}.bin"))));
    }
    let run = aiec(&args, b"");
    if run.exit.code() != 0 {
        return Err(format!("{kind}: {}", run.stderr));
    }
    for (n, wanted) in wanted.iter().enumerate() {
        let found = fs::read(place(format!("out{n}.bin"))).map_err(failed)?;
        let same = found.iter().zip(wanted).position(|(a, b)| a != b);
        if let Some(at) = same.or((found.len() < wanted.len()).then_some(found.len())) {
            return Err(format!("{kind}: buffer {n} differs at byte {at}"));
        }
    }
    fs::remove_dir_all(&folder).map_err(failed)
}

/// The ELF of a design, by the driver as a user runs it.
fn compile(text: &str, way: &str) -> Result<Vec<u8>, String> {
    let way = format!("--jobs={way}");
    aiec(["-", "-o", "-", &way], text.as_bytes()).output()
}
