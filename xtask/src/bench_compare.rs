//! Benches of two commits side by side.
//!
//! The machine's speed changes while it measures, so the runs of the two go in turn, pair by pair; what
//! is reported is the median of each, its extremes, and the median of the pairs' ratios.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The benches that know `--list` and `--one CASE`: package and bench.
const BENCHES: [(&str, &str); 2] = [("aiec-sim", "array"), ("aiec", "designs")];

/// Pairs of runs of each case.
const PAIRS: usize = 15;

/// Builds the benches of two commits (`new` is the work tree if there is none) and prints their
/// figures.
///
/// # Errors
/// Git or Cargo fails, or a bench does.
pub fn bench_compare(root: &Path, old: &str, new: Option<&str>) -> Result<(), String> {
    let before = build_commit(root, old)?;
    let after = match new {
        Some(new) => build_commit(root, new)?,
        None => build(root)?,
    };
    println!(
        "{:44} {:>26} {:>26} {:>8}",
        "millions a second, or ms", old, "new", "ratio"
    );
    for (before, after) in before.iter().zip(&after) {
        let known = output(before, &["--list"])?;
        for case in output(after, &["--list"])?.lines() {
            match known.lines().any(|name| name == case) {
                true => compare(case, before, after)?,
                false => println!("{case:44} not known to {old}"),
            }
        }
    }
    Ok(())
}

/// Runs the case of both programs in turn.
fn compare(case: &str, before: &Path, after: &Path) -> Result<(), String> {
    let once = |program: &Path| {
        let text = output(program, &["--one", case])?;
        let figure = text.trim().parse::<f64>();
        figure.map_err(|error| format!("{case}: `{}`: {error}", text.trim()))
    };
    let mut figures = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..PAIRS {
        let (old, new) = (once(before)?, once(after)?);
        for (all, figure) in figures.iter_mut().zip([old, new, new / old]) {
            all.push(figure);
        }
    }
    let [old, new, ratio] = figures.map(SampleSpread::of);
    let scaled = |spread: &SampleSpread| {
        let scale = if spread.median > 1e4 { 1e6 } else { 1.0 };
        let [low, median, high] = [spread.low, spread.median, spread.high].map(|x| x / scale);
        format!("{median:.3} ({low:.2} to {high:.2})")
    };
    let (old, new) = (scaled(&old), scaled(&new));
    println!("{case:44} {old:>26} {new:>26} {:>8.2}", ratio.median);
    Ok(())
}

struct SampleSpread {
    low: f64,
    median: f64,
    high: f64,
}

impl SampleSpread {
    fn of(mut figures: Vec<f64>) -> SampleSpread {
        figures.sort_by(f64::total_cmp);
        let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
        SampleSpread {
            low: at(0),
            median: at(figures.len() / 2),
            high: at(figures.len().saturating_sub(1)),
        }
    }
}

/// The programs of the benches of a commit, in a work tree of its own below `target`.
fn build_commit(root: &Path, commit: &str) -> Result<Vec<PathBuf>, String> {
    let id = git(root, &["rev-parse", "--short=12", commit])?;
    let tree = root.join("target/bench").join(&id);
    if !tree.exists() {
        let path = tree.to_string_lossy();
        git(root, &["worktree", "add", "--detach", &path, &id])?;
    }
    build(&tree)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    run(command.current_dir(root).args(arguments))
}

/// Builds the benches of a work tree; answers their programs.
fn build(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut programs = Vec::new();
    for (package, bench) in BENCHES {
        let mut command = Command::new(&cargo);
        command.current_dir(tree).args(["bench", "--no-run"]);
        command.args(["--message-format=json", "-p", package, "--bench", bench]);
        let messages = run(&mut command)?;
        let program = messages.lines().find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            let named = message["target"]["name"] == bench;
            let program = message["executable"].as_str().filter(|_| named)?;
            Some(PathBuf::from(program))
        });
        programs.push(program.ok_or_else(|| format!("{package} has no bench {bench}"))?);
    }
    Ok(programs)
}

fn output(program: &Path, arguments: &[&str]) -> Result<String, String> {
    run(Command::new(program).args(arguments))
}

/// What a command prints.
fn run(command: &mut Command) -> Result<String, String> {
    let done = command.stderr(std::process::Stdio::inherit()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
