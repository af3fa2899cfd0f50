//! `cargo xtask CHORE`: runs a chore of the project.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use xtask::archive;
use xtask::bench;
use xtask::bench_compare::BenchComparison;
use xtask::keys;
use xtask::structure::crates::read_workspace;
use xtask::structure::graph::cycles;
use xtask::structure::source::read_crate;

const USAGE: &str = "\
cargo xtask quick           the tests worth a minute: unit tests, lit tests, control code, structure
cargo xtask modules [-d]    the circles of modules that refer to one another, with all paths of each arrow;
                            -d: within modules too
cargo xtask silicon         writes the page of published figures of silicon beside ours
cargo xtask core-bench      runs the kernels of test/core_bench and writes the page of their cycles again
cargo xtask upstream DIR    what a checkout of mlir-aie declares (operations, enumerations, passes) and we don't know
cargo xtask bench [--bless] instructions (valgrind) and time of loads with binaries of the profile `release`, beside the
                            instructions in xtask/instructions.tsv; --bless: writes them there
cargo xtask archive [TARGET]
                            an archive of the program, its manual pages and completions, for the host or a target of rustc, in
                            target/archives
cargo xtask keys            time from a key in an editor to the findings about the text (profile `release`)
cargo xtask bench-compare OLD [NEW] [--bench array|core|designs] [--pairs N] [--remove]
                            figures of the benches of two commits side by side, their runs in turn;
                            without NEW: those of the work tree; --remove: removes the work trees
                            below target/bench with what was built there
";

/// The arguments of `cargo test` for `quick`, one run each.
const QUICK: [&[&str]; 2] = [
    &[
        "--workspace",
        "--exclude",
        "aiec-test",
        "--lib",
        "--bins",
        "--quiet",
    ],
    &[
        "--package=xtask",
        "--package=aiec-test",
        "--test=structure",
        "--test=files_to_touch",
        "--test=lit",
        "--test=control_code",
        "--test=project",
        "--quiet",
    ],
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["quick"] => quick(),
        ["silicon"] => page_of("silicon-page", "docs/src/silicon.md"),
        ["core-bench"] => page_of("core-bench-page", "docs/src/core-performance.md"),
        ["upstream", folder] => upstream(folder),
        ["bench"] => bench::run(&root(), false),
        ["archive"] => archive::run(&root(), None),
        ["archive", target] => archive::run(&root(), Some(target)),
        ["keys"] => keys::run(&root()),
        ["bench", "--bless"] => bench::run(&root(), true),
        ["bench-compare", more @ ..] => {
            BenchComparison::from_arguments(more).and_then(|compared| compared.run(&root()))
        }
        ["modules"] => modules(false),
        ["modules", "-d"] => modules(true),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn quick() -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let test = |more: &[&str]| {
        let mut command = Command::new(&cargo);
        command.args(["test", "--locked"]).args(more);
        let status = command.current_dir(root()).status();
        status.map_err(|error| format!("cargo: {error}"))
    };
    // The first build takes most of the time and doesn't count.
    for arguments in QUICK {
        test(&[arguments, &["--no-run"]].concat())?;
    }
    let start = Instant::now();
    for arguments in QUICK {
        if !test(arguments)?.success() {
            return Err(format!("failed: cargo test {}", arguments.join(" ")));
        }
    }
    println!("all passed in {:.0} s", start.elapsed().as_secs_f32());
    Ok(())
}

/// Writes the page that a program of the tests prints.
fn page_of(program: &str, page: &str) -> Result<(), String> {
    let printed = run_program(program, &[])?;
    let path = root().join(page);
    std::fs::write(&path, printed).map_err(|error| format!("{}: {error}", path.display()))
}

fn upstream(folder: &str) -> Result<(), String> {
    let folder = std::path::absolute(folder).map_err(|error| format!("{folder}: {error}"))?;
    let printed = run_program("upstream", &[folder.as_os_str()])?;
    print!("{}", String::from_utf8_lossy(&printed));
    Ok(())
}

/// Runs a program of the tests and returns its output.
fn run_program(program: &str, arguments: &[&OsStr]) -> Result<Vec<u8>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args([
        "run",
        "--locked",
        "--quiet",
        "--package=aiec-test",
        "--bin",
        program,
        "--",
    ]);
    command
        .args(arguments)
        .current_dir(root())
        .stderr(std::process::Stdio::inherit());
    let printed = command
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !printed.status.success() {
        return Err(format!(
            "failed: cargo run --package=aiec-test --bin={program}"
        ));
    }
    Ok(printed.stdout)
}

fn modules(deep: bool) -> Result<(), String> {
    for member in read_workspace(&root())? {
        for cycle in cycles(&read_crate(&member.root)?, deep) {
            print!("{}", cycle.description(&member.name));
        }
    }
    Ok(())
}
