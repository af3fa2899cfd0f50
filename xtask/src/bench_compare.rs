//! Benches of two commits side by side.
//!
//! Each commit is checked out and built once, in a work tree with a target folder of its own below
//! `target/bench`. The machine's speed changes while it measures, so the runs of the two go in turn,
//! pair by pair; what is reported is the median of each, its extremes, and the median of the pairs'
//! ratios with its extremes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Packages and their benches that know `--list` and `--one CASE`.
const BENCHES: [(&str, &str); 3] = [
    ("aiec-sim", "array"),
    ("aiec-sim", "core"),
    ("aiec", "designs"),
];

/// Pairs of runs of each case when the command line doesn't say.
const DEFAULT_PAIRS: usize = 15;

/// The versions and benches to compare, from the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct BenchComparison {
    old: String,
    /// The work tree if there is none.
    new: Option<String>,
    /// Only this bench.
    bench: Option<String>,
    pairs: usize,
    /// The work trees of the commits, with all that was built, are removed at the end.
    remove: bool,
}

impl BenchComparison {
    /// Reads `OLD [NEW] [--bench NAME] [--pairs N] [--remove]`.
    ///
    /// # Errors
    /// An option is unknown or lacks its value, or there is no commit or a third one.
    pub fn from_arguments(arguments: &[&str]) -> Result<BenchComparison, String> {
        let (mut commits, mut words) = (Vec::new(), arguments.iter());
        let (mut bench, mut pairs, mut remove) = (None, DEFAULT_PAIRS, false);
        while let Some(&word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word {
                "--bench" => bench = Some((*value()?).to_owned()),
                "--pairs" => {
                    let number = value()?.parse().ok().filter(|pairs| *pairs > 0);
                    pairs = number.ok_or("--pairs needs a number above 0")?;
                }
                "--remove" => remove = true,
                _ if word.starts_with('-') => return Err(format!("no option {word}")),
                commit => commits.push(commit.to_owned()),
            }
        }
        if let Some(name) = &bench
            && !BENCHES.iter().any(|(_, known)| known == name)
        {
            let names = BENCHES.map(|(_, known)| known).join(" and ");
            return Err(format!("no bench {name} to compare; there are {names}"));
        }
        let mut commits = commits.into_iter();
        let old = commits.next().ok_or("bench-compare needs a commit")?;
        let new = commits.next();
        match commits.next() {
            Some(third) => Err(format!("two commits are compared; {third} is a third")),
            None => Ok(BenchComparison {
                old,
                new,
                bench,
                pairs,
                remove,
            }),
        }
    }

    /// Builds the benches and prints their figures.
    ///
    /// # Errors
    /// Git or Cargo fails, or a bench does.
    pub fn run(&self, root: &Path) -> Result<(), String> {
        let old = checked_out(root, &self.old)?;
        let new = match &self.new {
            Some(new) => checked_out(root, new)?,
            None => root.to_path_buf(),
        };
        let compared = self.compare_trees(&old, &new);
        if self.remove {
            for tree in [&old, &new].into_iter().filter(|tree| *tree != root) {
                let path = tree.to_string_lossy();
                git(root, &["worktree", "remove", "--force", &path])?;
            }
        }
        compared
    }

    fn compare_trees(&self, old: &Path, new: &Path) -> Result<(), String> {
        let wanted = |(_, known): &(&str, &str)| {
            let bench = self.bench.as_ref();
            bench.is_none_or(|bench| known == bench)
        };
        let mut pairs = Vec::new();
        for known in BENCHES.into_iter().filter(wanted) {
            match (built(old, known)?, built(new, known)?) {
                (Some(old), Some(new)) => pairs.push((old, new)),
                _ => println!("bench {} is not in both commits", known.1),
            }
        }
        let name = self.new.as_deref().unwrap_or("the work tree");
        println!(
            "{:36} {:>28} {:>28} {:>22}",
            "millions a second, ms or MB", self.old, name, "ratio"
        );
        for (before, after) in &pairs {
            let known = output(before, &["--list"])?;
            for case in output(after, &["--list"])?.lines() {
                if known.lines().any(|name| name == case) {
                    compare(case, before, after, self.pairs)?
                } else {
                    println!("{case:36} not known to {}", self.old)
                }
            }
        }
        Ok(())
    }
}

/// Runs the case of both programs in turn.
fn compare(case: &str, before: &Path, after: &Path, pairs: usize) -> Result<(), String> {
    let once = |program: &Path| {
        let text = output(program, &["--one", case])?;
        let figure = text.trim().parse::<f64>();
        figure.map_err(|error| format!("{case}: `{}`: {error}", text.trim()))
    };
    let mut figures = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..pairs {
        let (old, new) = (once(before)?, once(after)?);
        for (all, figure) in figures.iter_mut().zip([old, new, new / old]) {
            all.push(figure);
        }
    }
    let [old, new, ratio] = figures.map(SampleSpread::of);
    // rates are by the second, and there are millions of them
    let scale = if new.median > 1e4 { 1e6 } else { 1.0 };
    let [old, new, ratio] = [old.shown(scale), new.shown(scale), ratio.shown(1.0)];
    println!("{case:36} {old:>28} {new:>28} {ratio:>22}");
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

    /// Median and extremes, divided by a scale.
    fn shown(&self, scale: f64) -> String {
        let [low, median, high] = [self.low, self.median, self.high].map(|figure| figure / scale);
        format!("{median:.2} ({low:.2} to {high:.2})")
    }
}

/// A work tree of a commit below `target/bench`.
fn checked_out(root: &Path, commit: &str) -> Result<PathBuf, String> {
    let id = git(root, &["rev-parse", "--short=12", commit])?;
    let tree = root.join("target/bench").join(id.trim());
    if !tree.exists() {
        let path = tree.to_string_lossy();
        git(root, &["worktree", "add", "--detach", &path, id.trim()])?;
    }
    Ok(tree)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    run(command.current_dir(root).args(arguments))
}

/// Builds a bench of a work tree; returns its program, or `None` if the tree has no such bench.
fn built(tree: &Path, (package, bench): (&str, &str)) -> Result<Option<PathBuf>, String> {
    let cargo = || {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(tree);
        command
    };
    let mut metadata = cargo();
    metadata.args(["metadata", "--no-deps", "--format-version=1"]);
    let metadata = run(&mut metadata)?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]).into_iter();
    let mut targets = packages
        .filter(|found| found["name"] == package)
        .flat_map(|found| list(&found["targets"]));
    if !targets.any(|target| target["name"] == bench && target["kind"][0] == "bench") {
        return Ok(None);
    }
    let mut build = cargo();
    build.args(["bench", "--no-run", "--message-format=json"]);
    build.args(["--target-dir", "target", "-p", package, "--bench", bench]);
    let messages = run(&mut build)?;
    let program = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let named = message["target"]["name"] == bench;
        let program = message["executable"].as_str().filter(|_| named)?;
        Some(PathBuf::from(program))
    });
    let missing = || format!("cargo built no program of bench {bench}");
    program.ok_or_else(missing).map(Some)
}

fn output(program: &Path, arguments: &[&str]) -> Result<String, String> {
    run(Command::new(program).args(arguments))
}

/// Output of a command.
fn run(command: &mut Command) -> Result<String, String> {
    let done = command.stderr(std::process::Stdio::inherit()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_says_what_is_compared() {
        let read = |words: &str| {
            let words: Vec<&str> = words.split_whitespace().collect();
            BenchComparison::from_arguments(&words)
        };
        let comparison = |new: Option<&str>, bench: Option<&str>, pairs, remove| BenchComparison {
            old: "main".into(),
            new: new.map(String::from),
            bench: bench.map(String::from),
            pairs,
            remove,
        };
        assert_eq!(read("main"), Ok(comparison(None, None, 15, false)));
        let all = "main HEAD --bench array --pairs 3 --remove";
        let wanted = comparison(Some("HEAD"), Some("array"), 3, true);
        assert_eq!(read(all), Ok(wanted));
        for wrong in [
            "",
            "a b c",
            "a --pairs",
            "a --pairs 0",
            "a --bench x",
            "a --x",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn spreads_are_medians_with_extremes() {
        let spread = SampleSpread::of(vec![3e6, 1e6, 2e6]);
        assert_eq!(spread.shown(1e6), "2.00 (1.00 to 3.00)");
    }
}
