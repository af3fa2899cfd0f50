//! Time and memory of the main job on the largest example.
//!
//! `cargo bench -p aiec-test --bench examples`

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;

fn main() {
    divan::main();
    if let Some(peak) = peak_memory() {
        println!("peak memory of all benches: {peak}");
    }
}

fn example(file: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join("examples/whole-array").join(file)
}

fn run(args: &[OsString]) -> Vec<u8> {
    aiec(args, b"")
        .output()
        .unwrap_or_else(|said| panic!("{said}"))
}

const DESIGNS: [&str; 2] = ["design.mlir", "design.xcve3858.mlir"];

/// From text to ELF: reading the file, all passes, pages.
#[divan::bench(args = DESIGNS)]
fn compile(bencher: divan::Bencher, design: &str) {
    let args: Vec<OsString> = vec![example(design).into(), "-o".into(), "-".into()];
    bencher.bench(|| run(&args));
}

/// The ELF on the simulator.
#[divan::bench(args = DESIGNS)]
fn simulate(bencher: divan::Bencher, design: &str) {
    let elf = std::env::temp_dir().join(format!("aiec-bench-{}-{design}.elf", std::process::id()));
    run(&[example(design).into(), "-o".into(), elf.clone().into()]);
    let mut argument = OsString::from("0=");
    argument.push(example("arg0.bin"));
    let args: Vec<OsString> = vec!["sim".into(), elf.clone().into(), "--arg".into(), argument];
    bencher.bench(|| run(&args));
    // a file in the temporary folder may stay if that fails
    let _ = std::fs::remove_file(elf);
}

/// The process's largest resident size, where the system reports it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_string())
}
