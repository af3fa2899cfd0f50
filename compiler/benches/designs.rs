//! Time of compiling designs, as a user waits for it, from the start of the process to its exit, in
//! milliseconds, and the peak memory of the largest in MB (10^6 bytes).
//!
//! * `cargo bench -p aiec --bench designs`: medians and extremes, then the time of each pass by the size
//!   of the design, with the exponent of the power of the size that fits it best.
//! * `cargo xtask bench-compare OLD [NEW]`: two commits side by side.
//!
//! The large design looks like the one of mlir-aie issue 3689: 36 devices, which one sequence loads one
//! after the other, with 190 cores and 2.4 MB of text in all.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs of each case.
const RUNS: usize = 15;

const WHOLE_ARRAY: &str = "ms: 8 columns of 4 cores";
const DEVICES: &str = "ms: 36 devices, 190 cores, 2.4 MB";
const MEMORY: &str = "MB: 36 devices, 190 cores, 2.4 MB";
const CASES: [&str; 3] = [WHOLE_ARRAY, DEVICES, MEMORY];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        // `cargo test` runs benches with this to see that they start.
        [.., "--test"] => {}
        ["--list", ..] => println!("{}", CASES.join("\n")),
        ["--one", case, ..] => println!("{}", figure(case)),
        _ => {
            CASES.iter().for_each(|case| report(case));
            passes_by_size();
        }
    }
}

fn report(case: &str) {
    let mut figures: Vec<f64> = (0..RUNS).map(|_| figure(case)).collect();
    figures.sort_by(f64::total_cmp);
    let [low, median, high] = [figures[0], figures[RUNS / 2], figures[RUNS - 1]];
    println!("{case:36} {median:8.2} ({low:.2} to {high:.2})");
}

fn figure(case: &str) -> f64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let whole_array = folder.join("../examples/whole-array/design.mlir");
    match case {
        WHOLE_ARRAY => milliseconds(&whole_array),
        DEVICES => with_file(&devices(36, 190, 2_400_000), milliseconds),
        MEMORY => with_file(&devices(36, 190, 2_400_000), peak_megabytes),
        _ => panic!("no case `{case}`"),
    }
}

fn compiler(design: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aiec"));
    command.arg(design).args(["-o", "-"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn milliseconds(design: &Path) -> f64 {
    let mut command = compiler(design);
    let start = Instant::now();
    let status = command.status();
    let time = start.elapsed();
    assert!(status.is_ok_and(|status| status.success()), "it fails");
    time.as_secs_f64() * 1e3
}

/// The largest resident size that the system reports while the process runs.
fn peak_megabytes(design: &Path) -> f64 {
    let mut child = compiler(design).spawn().expect("it starts");
    let file = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    while let Ok(None) = child.try_wait() {
        let status = std::fs::read_to_string(&file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = kib.map_or(peak, |kib| kib * 1024.0 / 1e6);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    peak
}

/// Writes a design to a file for as long as something looks at it.
fn with_file<T>(text: &str, look: impl FnOnce(&Path) -> T) -> T {
    let name = format!("aiec-bench-{}.mlir", std::process::id());
    let file: PathBuf = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("a file of the temporary folder");
    let seen = look(&file);
    // a file in the temporary folder may stay if that fails
    let _ = std::fs::remove_file(file);
    seen
}

/// A module of `devices` devices with `cores` cores in all, whose bodies are as long as it takes for the
/// text to have about `bytes` bytes. Each core adds to and multiplies what passes it.
fn devices(devices: usize, cores: usize, bytes: usize) -> String {
    /// Bytes of a core beside its operations, and of an operation.
    const CORE: usize = 1900;
    const OPERATION: usize = 43;
    let operations = (bytes / cores).saturating_sub(CORE) / OPERATION;
    let mut text = String::with_capacity(bytes + bytes / 4);
    text += "module {\n  aie.device(npu2) @main {\n    aie.runtime_sequence @all(";
    text += "%a: memref<512xi32>, %b: memref<512xi32>) {\n";
    for device in 0..devices {
        let _ = writeln!(
            text,
            "      aiex.configure @device{device} {{\n        aiex.run @run(%a, %b) : \
             (memref<512xi32>, memref<512xi32>)\n      }}"
        );
    }
    text += "    }\n  }\n";
    for number in 0..devices {
        let share = cores * (number + 1) / devices - cores * number / devices;
        device(&mut text, number, share, operations);
    }
    text + "}\n"
}

/// A device whose cores, at most 8, are in columns of their own.
fn device(text: &mut String, number: usize, cores: usize, operations: usize) {
    let fifo = "!aie.objectfifo<memref<64xi32>>";
    let view = "!aie.objectfifosubview<memref<64xi32>>";
    let _ = writeln!(text, "  aie.device(npu2) @device{number} {{");
    for col in 0..cores {
        let _ = writeln!(
            text,
            "    %s{col} = aie.tile({col}, 0)\n    %w{col} = aie.tile({col}, {})\n    \
             aie.objectfifo @in{col}(%s{col}, {{%w{col}}}, 2 : i32) : {fifo}\n    \
             aie.objectfifo @out{col}(%w{col}, {{%s{col}}}, 2 : i32) : {fifo}",
            2 + (number + col) % 4
        );
    }
    for col in 0..cores {
        let _ = writeln!(
            text,
            "    %core{col} = aie.core(%w{col}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 64 : index
      %forever = arith.constant 9223372036854775807 : index
      %k = arith.constant {number} : i32
      scf.for %round = %c0 to %forever step %c1 {{
        %i = aie.objectfifo.acquire @in{col}(Consume, 1) : {view}
        %x = aie.objectfifo.subview.access %i[0] : {view} -> memref<64xi32>
        %o = aie.objectfifo.acquire @out{col}(Produce, 1) : {view}
        %y = aie.objectfifo.subview.access %o[0] : {view} -> memref<64xi32>
        scf.for %at = %c0 to %n step %c1 {{
          %v0 = memref.load %x[%at] : memref<64xi32>"
        );
        for op in 0..operations {
            let name = ["arith.addi", "arith.muli", "arith.xori"][op % 3];
            let _ = writeln!(text, "          %v{} = {name} %v{op}, %k : i32", op + 1);
        }
        let _ = writeln!(
            text,
            "          memref.store %v{operations}, %y[%at] : memref<64xi32>
        }}
        aie.objectfifo.release @in{col}(Consume, 1)
        aie.objectfifo.release @out{col}(Produce, 1)
      }}
      aie.end
    }}"
        );
    }
    text.push_str("    aie.runtime_sequence @run(%a: memref<512xi32>, %b: memref<512xi32>) {\n");
    for (buffer, fifo, id) in [("a", "in", 0), ("b", "out", 1)] {
        let token = if id == 1 { ", issue_token = true" } else { "" };
        for col in 0..cores {
            let _ = writeln!(
                text,
                "      aiex.npu.dma_memcpy_nd(%{buffer}[0, 0, 0, {}][1, 1, 1, 64][0, 0, 0, 1]) \
                 {{id = {id} : i64, metadata = @{fifo}{col}{token}}} : memref<512xi32>",
                64 * col
            );
        }
    }
    for col in 0..cores {
        let _ = writeln!(text, "      aiex.npu.dma_wait {{symbol = @out{col}}}");
    }
    text.push_str("    }\n  }\n");
}

/// Sizes of the designs whose passes are timed, in devices of 5 cores.
const SIZES: [usize; 4] = [1, 2, 4, 8];
/// Devices of the smallest.
const UNIT: usize = 8;
/// Passes that never take longer, in ms, tell nothing about their growth.
const NOISE: f64 = 0.5;

/// The time of each pass (`--timing`, the least of some runs) by size, and the exponent that fits.
fn passes_by_size() {
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (index, size) in SIZES.into_iter().enumerate() {
        let count = UNIT * size;
        let text = devices(count, 5 * count, 60_000 * count);
        let mut least: BTreeMap<String, f64> = BTreeMap::new();
        for _ in 0..5 {
            for (pass, time) in with_file(&text, pass_times) {
                let known = least.entry(pass).or_insert(time);
                *known = known.min(time);
            }
        }
        for (pass, time) in least {
            times.entry(pass).or_insert(vec![0.0; index]).push(time);
        }
    }
    println!("\nms by size {SIZES:?}; exponent");
    for (pass, times) in times {
        if times.last().is_some_and(|time| *time >= NOISE) {
            let shown: Vec<String> = times.iter().map(|time| format!("{time:9.3}")).collect();
            println!("{pass:36} {} {:6.2}", shown.concat(), exponent(&times));
        }
    }
}

/// The passes that `--timing` lists, each with its time in ms, and the whole process.
fn pass_times(design: &Path) -> Vec<(String, f64)> {
    let mut command = compiler(design);
    command.arg("--timing").stderr(Stdio::piped());
    let start = Instant::now();
    let done = command.output().expect("it starts");
    let whole = start.elapsed().as_secs_f64() * 1e3;
    assert!(done.status.success(), "it fails");
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    let passes = text.lines().filter_map(|line| {
        let (time, rest) = line.trim().split_once(" ms  ")?;
        let name = rest.split_whitespace().next()?;
        (name != "all").then(|| Some((name.to_string(), time.parse().ok()?)))?
    });
    let mut times: Vec<(String, f64)> = passes.collect();
    let known: f64 = times.iter().map(|(_, time)| time).sum();
    times.push(("outside the passes".to_string(), whole - known));
    times.push(("the process".to_string(), whole));
    times
}

/// Slope of the line that fits logarithms of sizes and times best.
fn exponent(times: &[f64]) -> f64 {
    let points = SIZES.iter().zip(times).filter(|(_, time)| **time > 0.0);
    let points: Vec<(f64, f64)> = points.map(|(&s, t)| ((s as f64).ln(), t.ln())).collect();
    let count = points.len() as f64;
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (x, y) = (sum(|p| p.0) / count, sum(|p| p.1) / count);
    let up: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let down: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    up / down
}
