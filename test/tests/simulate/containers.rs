//! A run tells the same of a design in whatever it comes to the array: as control code, and as each of the files that
//! drivers of Ryzen AI load. The corpora of races, of deadlocks (which has the near misses) and the examples are held to
//! what their control code gives.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use aiec_test::examples::data;
use aiec_test::seeds::every;
use serde_json::Value;

/// Forms in which a design is run, beside control code.
const KINDS: [&str; 3] = ["xclbin", "xclbin-elf", "npu-elf"];
/// The device on which all of these can be run.
const DEVICE: &str = "npu2";
/// Why a file has no run to compare: it is for another device, or for the functions of a core only.
const ELSEWHERE: [&str; 2] = ["verify::tile-outside-device", "emit::no-device"];
/// Least designs that can be run as all.
const LEAST: usize = 170;
/// No design needs more.
const MAX_CYCLES: &str = "--max-cycles=500000";
/// Folders with designs.
const CORPORA: [&str; 4] = ["test/races", "test/deadlock", "test/end_to_end", "examples"];

/// A design that is made of several: only an ELF can hold it, and its control code polls registers between the two.
const SEVERAL: &str = "two-kernels";
/// Whether its packets block one another depends on when they are sent.
const BY_TIME: &str = "packets_in_a_circle.mlir";

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

fn designs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = CORPORA.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "mlir") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a design, with the data of the example that it belongs to; returns the report, or the
/// messages.
fn report(path: &Path, kind: Option<&str>, folder: &Path) -> Result<Value, String> {
    let mut args = vec![
        "sim".to_string(),
        path.display().to_string(),
        format!("--device={DEVICE}"),
        "--report=-".to_string(),
        MAX_CYCLES.to_string(),
    ];
    args.extend(kind.map(|kind| format!("--as={kind}")));
    // A folder of a corpus may have the name of an example (`deadlock`): only a folder with a design of its own has data.
    let has_data = path.file_name().is_some_and(|name| name == "design.mlir");
    let example = path.parent().and_then(Path::file_name);
    let example = example.map(|name| name.to_string_lossy().into_owned());
    let inputs = example
        .filter(|_| has_data)
        .and_then(|name| data(&name))
        .unwrap_or_default()
        .inputs;
    for (index, bytes) in inputs {
        let file = folder.join(format!("arg{index}.bin"));
        fs::write(&file, bytes).map_err(|error| error.to_string())?;
        args.push(format!("--arg={index}={}", file.display()));
    }
    let run = aiec(&args, &[]);
    serde_json::from_slice(&run.stdout).map_err(|_| run.stderr)
}

fn list<'r>(report: &'r Value, key: &str) -> &'r [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

/// Parts of a report that must hold however the design came to the array: of a sound design all but
/// times, of a bad one the races, as everything else may then depend on time.
fn findings_of(report: &Value) -> BTreeSet<String> {
    let status = &report["status"];
    let completed = status == "completed";
    let mut all = BTreeSet::from([format!("status {status}")]);
    let mut tell = |key: &str, value: &Value| {
        all.insert(format!("{key} {value}"));
    };
    let races = list(report, "races");
    for race in races {
        let accesses = list(race, "accesses").iter();
        let sources: BTreeSet<String> = accesses.map(|a| a["source"].to_string()).collect();
        tell("race", &sources.into_iter().collect());
    }
    if !races.is_empty() {
        return all;
    }
    for key in ["unwritten_reads", "outside_of_buffers", "not_acquired"] {
        for found in list(report, key) {
            tell(key, &found["place"]);
            tell(key, &found["access"]["source"]);
        }
    }
    // words that are still under way are more or fewer
    let near = list(report, "near_misses");
    let is_under_way = |near: &Value| near["what"].to_string().contains("undelivered data");
    near.iter()
        .filter(|near| !is_under_way(near))
        .for_each(|near| tell("near miss", &near["what"]));
    if completed {
        tell("determinate", &report["determinate"]);
    }
    if completed && !near.iter().any(is_under_way) {
        for link in list(report, "links") {
            let keys = ["column", "row", "side", "port", "words", "packets"];
            let facts = keys.iter().map(|key| link[*key].clone());
            tell("link", &facts.collect());
        }
    }
    all
}

#[test]
fn runs_tell_the_same_in_all_kinds_of_files() {
    let designs = designs();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("containers");
    let compared = std::sync::atomic::AtomicUsize::new(0);
    let wrong = every(&designs, |number, path| {
        let folder = folder.join(number.to_string());
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        if path.ends_with(BY_TIME) {
            return Ok(());
        }
        let by_control_code = match report(path, None, &folder) {
            Ok(report) => report,
            Err(said) if ELSEWHERE.iter().any(|code| said.contains(code)) => return Ok(()),
            Err(said) => return Err(said),
        };
        let wanted = findings_of(&by_control_code);
        for kind in KINDS {
            let mut wanted = wanted.clone();
            if path.ends_with(format!("{SEVERAL}/design.mlir")) {
                if kind != "npu-elf" {
                    continue;
                }
                wanted.remove("determinate false");
                wanted.insert("determinate true".to_string());
            }
            let found = match report(path, Some(kind), &folder) {
                Ok(report) => findings_of(&report),
                Err(said) if said.contains("npu::no-such-operation") => return Ok(()),
                Err(said) => return Err(format!("{kind}: {said}")),
            };
            // Words of links are reported where none is under way at the end, which may depend on the kind.
            let is_link = |fact: &&String| fact.starts_with("link ");
            let linked = |facts: &BTreeSet<String>| facts.iter().any(|fact| is_link(&fact));
            let both = linked(&wanted) && linked(&found);
            let counts = |fact: &&String| both || !is_link(fact);
            let missing: Vec<_> = wanted.difference(&found).filter(counts).collect();
            let new: Vec<_> = found.difference(&wanted).filter(counts).collect();
            if !(missing.is_empty() && new.is_empty()) {
                return Err(format!("{kind}: without {missing:#?}, but with {new:#?}"));
            }
        }
        compared.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    let wrong: Vec<String> = wrong
        .into_iter()
        .map(|(at, why)| format!("{}: {why}", designs[at].display()))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let compared = compared.into_inner();
    assert!(compared >= LEAST, "{compared}");
}

/// Examples whose traces are compared, whose words pass in the same bursts whenever they come: forks and joins, packets,
/// patterns of memory tiles.
const TRACED: [&str; 3] = ["split-join", "packet-flows", "transpose"];

/// The events of words at ports in a trace, without their times.
fn stream_events(path: &Path, kind: Option<&str>) -> Vec<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("containers.trace.txt");
    let mut args = vec![
        "sim".to_string(),
        path.display().to_string(),
        format!("--device={DEVICE}"),
        format!("--trace={}", file.display()),
    ];
    args.extend(kind.map(|kind| format!("--as={kind}")));
    let run = aiec(&args, &[]);
    assert_eq!(run.exit, aiec::Exit::Done, "{}", run.stderr);
    let trace = fs::read_to_string(file).expect("a trace");
    let events = trace
        .lines()
        .filter_map(|line| Some(line.split_once(",event=")?.1));
    let mut events: Vec<String> = events
        .filter(|event| event.starts_with("DATA_"))
        .map(str::to_string)
        .collect();
    events.sort();
    events
}

#[test]
fn traces_have_the_same_words_in_all_kinds_of_files() {
    for name in TRACED {
        let path = root().join("examples").join(name).join("design.mlir");
        let wanted = stream_events(&path, None);
        assert!(!wanted.is_empty(), "{name}");
        for kind in KINDS {
            assert!(
                stream_events(&path, Some(kind)) == wanted,
                "{name} as {kind}"
            );
        }
    }
}
