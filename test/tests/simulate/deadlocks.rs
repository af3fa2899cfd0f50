//! The corpus of `test/deadlock`: short designs (`.mlir`) and control programs (`.asm`), about half
//! of them good. The second line of each says how the simulation ends, and the likely cause that
//! is named: `VERDICT: completed` or `VERDICT: deadlock CAUSE`. Of deadlocks a line `MISTAKE: …` has the
//! mistake that was planted; a line `OPTIONS: …` those that the file is built with.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_sim::diagnosis::MistakeKind;
use aiec_sim::{DeadlockKind, HostBuffer, SimOptions, Status, simulate};
use aiec_test::driver::aiec;

/// Least files, and least of either verdict.
const LEAST: usize = 60;
const MIN_OF_EACH: usize = 28;
/// Lines at the begin of a file that describe it.
const HEADER_LINES: usize = 4;
/// Lines of a story.
const STORY_LINES: usize = 12;
/// Mistakes that must be named as they were planted, of a hundred.
const NAMED_PERCENT: usize = 95;
/// No file needs more.
const MAX_CYCLES: u64 = 5_000_000;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// Value of a key in one of the first lines.
fn header<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.lines().take(HEADER_LINES);
    lines.find_map(|line| Some(line.split_once(key)?.1.trim()))
}

/// The ELF of a file.
fn build(path: &Path) -> Result<Vec<u8>, String> {
    let mut args: Vec<OsString> = Vec::new();
    if path.extension().is_some_and(|ext| ext == "asm") {
        // the assembler sees some of the causes itself
        args.extend(["asm", "--target", "aie2ps", "--lenient"].map(OsString::from));
    }
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let options = header(&text, "OPTIONS: ").unwrap_or_default();
    args.extend(options.split_whitespace().map(OsString::from));
    args.push(path.into());
    args.extend(["-o", "-"].map(OsString::from));
    aiec(&args, b"").output()
}

/// Outcome of a file, as its header would say it, and the cause in words.
fn ending(path: &Path, options: &SimOptions) -> Result<(String, String), String> {
    let elf = build(path)?;
    let result = simulate(&elf, Vec::<HostBuffer>::new(), options).map_err(|e| e.to_string())?;
    let ending = match &result.status {
        Status::Completed => ("completed".into(), String::new()),
        Status::Deadlock(deadlock) => {
            assert!(!deadlock.chain.is_empty(), "{}", path.display());
            (
                format!("deadlock {}", deadlock.kind),
                deadlock.mistake.cause.clone(),
            )
        }
        Status::Fault(fault) => ("fault".into(), fault.to_string()),
        other => (other.name().into(), String::new()),
    };
    Ok(ending)
}

fn verdict(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("text");
    header(&text, "VERDICT: ")
        .unwrap_or("no verdict")
        .to_string()
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
    assert!(good >= MIN_OF_EACH && files.len() - good >= MIN_OF_EACH);
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

/// The mistake that was planted is named, in a story of few lines.
#[test]
fn stories_end_with_the_mistake() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files() {
        let text = fs::read_to_string(&path).expect("text");
        let Some(planted) = header(&text, "MISTAKE: ") else {
            assert_eq!(
                verdict(&path),
                "completed",
                "{}: no mistake",
                path.display()
            );
            continue;
        };
        let known = MistakeKind::ALL.iter().any(|kind| kind.name() == planted);
        assert!(known, "{}: {planted}", path.display());
        count += 1;
        let elf = build(&path).expect("an ELF");
        let options = SimOptions {
            max_cycles: MAX_CYCLES,
            ..SimOptions::default()
        };
        let result = simulate(&elf, Vec::new(), &options).expect("a run");
        let Status::Deadlock(deadlock) = result.status else {
            panic!("{}: {}", path.display(), result.status.name());
        };
        let story = &deadlock.story;
        assert!(story.len() <= STORY_LINES, "{}: {story:#?}", path.display());
        let last = story.last().expect("a line");
        assert!(last.contains(&deadlock.mistake.cause), "{last}");
        let found = deadlock.mistake.kind.name();
        if found != planted {
            let name = path.file_name().unwrap_or_default().display();
            wrong.push(format!("{name}: {planted}, but {found}\n{story:#?}"));
        }
    }
    let named = count - wrong.len();
    println!("{named} of {count} mistakes are named as they were planted");
    assert!(
        named * 100 >= count * NAMED_PERCENT,
        "{named} of {count}\n{}",
        wrong.join("\n")
    );
}

/// Message of `aiec sim` about a design, in one line.
fn said_of(design: &str) -> String {
    let run = aiec(["sim", "-"], design.as_bytes());
    let words: Vec<&str> = run.stderr.split_whitespace().collect();
    words.join(" ")
}

/// The report about a too shallow fifo names the smallest depth that runs: with one less the design
/// hangs, with it it doesn't.
#[test]
fn the_smallest_depth_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a design");
    let shared = read("sim/smallest_depth.mlir");
    let with_depth =
        |depth: &str| shared.replace("{%two}, 1 : i32", &format!("{{%two}}, {depth} : i32"));
    let says = |design: &str, what: &str| {
        let said = said_of(design);
        assert!(said.contains(what), "{said}");
    };
    says(
        &with_depth("2"),
        "depth 3 of @x is the smallest that runs (tried: 3, 4)",
    );
    assert!(!said_of(&with_depth("3")).contains("deadlock"));
    let large = shared.replace("16xi32", "6000xi32");
    says(&large, "no larger depth of @x that fits the tiles runs");

    let apart = read("deadlock/exchange_too_shallow.mlir");
    let smallest = "depth 4 at each end of @there is the smallest that runs";
    says(&apart, smallest);
    let there = "@there(%left, {%right}, [2, 2])";
    let with_depth = |depth: &str| apart.replace(there, &there.replace("[2, 2]", depth));
    says(&with_depth("[3, 3]"), smallest);
    assert!(!said_of(&with_depth("[4, 4]")).contains("deadlock"));
}
