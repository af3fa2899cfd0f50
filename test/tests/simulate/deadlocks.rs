//! The corpus of `test/deadlock`: short designs (`.mlir`) and control programs (`.asm`), about half
//! of them good. The second line of each says how the simulation ends, and the likely cause that
//! is named: `VERDICT: completed` or `VERDICT: deadlock CAUSE`. A third line `OPTIONS: …` has those that
//! the file is built with.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aiec_sim::{DeadlockKind, HostBuffer, SimOptions, Status, simulate};
use aiec_test::driver::aiec;

/// Least files, and least of either verdict.
const LEAST: usize = 60;
const LEAST_OF_EACH: usize = 28;
/// No file needs more.
const MAX_CYCLES: u64 = 5_000_000;
/// A report must not take longer, on a machine that does other things as well.
const REPORT_TIME: Duration = Duration::from_secs(10);

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// The ELF of a file.
fn build(path: &Path) -> Result<Vec<u8>, String> {
    let mut args: Vec<OsString> = Vec::new();
    if path.extension().is_some_and(|ext| ext == "asm") {
        // the assembler sees some of the causes itself
        args.extend(["asm", "--target", "aie2ps", "--lenient"].map(OsString::from));
    }
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let options = text
        .lines()
        .nth(2)
        .and_then(|line| line.split_once("OPTIONS: "));
    let options = options
        .iter()
        .flat_map(|(_, options)| options.split_whitespace());
    args.extend(options.map(OsString::from));
    args.push(path.into());
    args.extend(["-o", "-"].map(OsString::from));
    aiec(&args, b"").output()
}

/// How a file ends, as its header would say it, and the cause in words.
fn ending(path: &Path, options: &SimOptions) -> Result<(String, String), String> {
    let elf = build(path)?;
    let begin = Instant::now();
    let result = simulate(&elf, Vec::<HostBuffer>::new(), options).map_err(|e| e.to_string())?;
    let ending = match &result.status {
        Status::Completed => ("completed".into(), String::new()),
        Status::Deadlock(deadlock) => {
            assert!(!deadlock.chain.is_empty(), "{}", path.display());
            (
                format!("deadlock {}", deadlock.kind),
                deadlock.cause.clone(),
            )
        }
        Status::Fault(fault) => ("fault".into(), fault.to_string()),
        other => (other.name().into(), String::new()),
    };
    assert!(begin.elapsed() < REPORT_TIME, "{}", path.display());
    Ok(ending)
}

fn verdict(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("text");
    let line = text.lines().nth(1).unwrap_or_default();
    let verdict = line.split_once("VERDICT: ").map(|(_, verdict)| verdict);
    verdict.unwrap_or("no verdict").trim().to_string()
}

#[test]
fn each_file_ends_as_it_says_and_for_that_reason() {
    let files = files();
    let mut wrong = Vec::new();
    let mut good = 0;
    for path in &files {
        let wanted = verdict(path);
        good += usize::from(wanted == "completed");
        for timing in [true, false] {
            let options = SimOptions {
                timing,
                max_cycles: MAX_CYCLES,
                ..SimOptions::default()
            };
            let found = match ending(path, &options) {
                Ok((found, _)) if found == wanted => continue,
                Ok((found, cause)) => format!("{found}: {cause}"),
                Err(error) => error,
            };
            let name = path.file_name().unwrap_or_default().display();
            wrong.push(format!("{name} (timing {timing}): {wanted}, but {found}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(files.len() >= LEAST);
    assert!(good >= LEAST_OF_EACH && files.len() - good >= LEAST_OF_EACH);
}

#[test]
fn causes_in_headers_exist() {
    for path in files() {
        let verdict = verdict(&path);
        let cause = verdict.strip_prefix("deadlock ");
        let known =
            cause.is_none_or(|cause| DeadlockKind::ALL.iter().any(|kind| kind.name() == cause));
        assert!(known, "{}: {verdict}", path.display());
    }
}
