//! Time of the program as a user waits for it, from start to exit, on the whole-array example
//! (47 kB of text) and on a control program of fifty lines.
//!
//! `cargo bench -p aiec --bench process`

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    divan::main();
}

/// The design with every core of the array.
fn design() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/whole-array/design.mlir")
}

/// Runs the program to its end; what it prints is thrown away.
fn run<S: AsRef<OsStr>>(program: &str, args: &[S]) {
    let status = Command::new(program)
        .args(args)
        .stdout(Stdio::null())
        .status();
    assert!(
        status.is_ok_and(|s| s.success()),
        "{program} does not run to its end"
    );
}

fn aiec<S: AsRef<OsStr>>(args: &[S]) {
    run(env!("CARGO_BIN_EXE_aiec"), args);
}

/// Cost of starting any process on this machine, to be subtracted from the others.
#[divan::bench(sample_count = 200)]
fn nothing() {
    run::<&str>("true", &[]);
}

#[divan::bench(sample_count = 200)]
fn version() {
    aiec(&["--version"]);
}

/// Parse, verify, print.
#[divan::bench(sample_count = 200)]
fn opt(bencher: divan::Bencher) {
    let design = design();
    bencher.bench(|| aiec(&[OsStr::new("opt"), design.as_os_str()]));
}

/// From text to ELF.
#[divan::bench(sample_count = 200)]
fn compile(bencher: divan::Bencher) {
    let design = design();
    bencher.bench(|| aiec(&[design.as_os_str(), OsStr::new("-o"), OsStr::new("-")]));
}

/// From text to the ELF that npu2's driver loads: also what the firmware takes.
#[divan::bench(sample_count = 200)]
fn compile_for_npu2(bencher: divan::Bencher) {
    let design = design();
    let options = ["--emit=npu-elf", "--core=model", "-o", "-"].map(OsStr::new);
    let args = [&[design.as_os_str()], &options[..]].concat();
    bencher.bench(|| aiec(&args));
}

/// The assembler on fifty lines.
#[divan::bench(sample_count = 200)]
fn assemble(bencher: divan::Bencher) {
    let mut text = String::from("START_JOB 0\n");
    for n in 0..46u32 {
        let _ = writeln!(text, "WRITE_32 {:#x}, {n}", 0x1D000 + 4 * n);
    }
    text.push_str("END_JOB\nEOF\n");
    let file = std::env::temp_dir().join(format!("aiec-bench-{}.asm", std::process::id()));
    if let Err(error) = std::fs::write(&file, text) {
        panic!("{}: {error}", file.display());
    }
    bencher.bench(|| {
        aiec(&[
            OsStr::new("asm"),
            file.as_os_str(),
            OsStr::new("-o"),
            OsStr::new("-"),
        ]);
    });
    // a file in the temporary folder may stay if that fails
    let _ = std::fs::remove_file(file);
}
