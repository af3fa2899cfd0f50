//! The examples of `aiec explain`: the wrong text gives the code, the right one doesn't.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use aiec::explain::examples::{self, Case};
use aiec_test::driver::aiec;

/// Files that commands of examples name, and what they hold.
const GIVEN: [(&str, &[u8]); 7] = [
    ("zeros.bin", &[0; 64]),
    ("short.bin", &[0; 60]),
    ("long.bin", &[0; 128]),
    ("ones.bin", &[255; 64]),
    ("zeros.npy", &[0; 64]),
    ("damaged.elf", b"\x7fELF damaged"),
    ("empty.json", b"{}"),
];

/// Files that commands of examples name and that aren't there, or that they write.
const NOT_GIVEN: [&str; 3] = ["missing.bin", "run.trace", "kernel.elf"];

/// A finding: its code, and whether it is an error.
type Finding = (String, bool);

/// Findings of a case, and the text that was written.
fn findings(case: &Case, folder: &Path) -> (Vec<Finding>, String) {
    let file = folder.join(format!("code.{}", case.ending()));
    let mut parts = case.text.split("//--- ");
    let main = parts.next().unwrap_or_default();
    fs::write(&file, format!("{main}\n")).expect("a file");
    let mut names: Vec<&str> = GIVEN.iter().map(|(name, _)| *name).collect();
    names.extend(NOT_GIVEN);
    for part in parts {
        let (name, text) = part.split_once('\n').expect("a name and a text");
        fs::write(folder.join(name), text).expect("a file");
        names.push(name);
    }
    let place = |word: &str| -> String {
        let (before, name) = match word.rfind('=') {
            Some(at) => word.split_at(at + 1),
            None => ("", word),
        };
        if names.iter().any(|known| name.starts_with(known)) {
            format!("{before}{}", folder.join(name).display())
        } else {
            word.replace("%s", &file.display().to_string())
                .replace("%t", &folder.join("out").display().to_string())
        }
    };
    let (mut codes, mut said) = (Vec::new(), String::new());
    for command in case.command.split(" && aiec ") {
        let mut args: Vec<String> = command.split_whitespace().map(place).collect();
        if args.first().is_some_and(|name| name != "isa") {
            args.push("--diagnostics=json".to_string());
        }
        let run = aiec(&args, b"");
        for line in run.stderr.lines() {
            match serde_json::from_str::<serde_json::Value>(line) {
                Ok(value) => {
                    let code = value["code"].as_str().unwrap_or_default().to_string();
                    codes.push((code, value["severity"] == "error"));
                }
                // Commands without that option begin with the code.
                Err(_) if line.contains("::") && !line.contains(' ') => {
                    codes.push((line.to_string(), true));
                }
                Err(_) => {}
            }
        }
        said += &run.stderr;
    }
    (codes, said)
}

#[test]
fn wrong_examples_give_their_code_and_right_ones_no_error() {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explain");
    let problems = Mutex::new(Vec::new());
    let check = |part: usize| {
        let folder = scratch.join(part.to_string());
        fs::create_dir_all(&folder).expect("a folder");
        for (name, bytes) in GIVEN {
            fs::write(folder.join(name), bytes).expect("a file");
        }
        let tried = examples::all()
            .iter()
            .filter(|example| example.not_run.is_none());
        for example in tried.skip(part).step_by(2) {
            let code = example.code;
            let say = |what: &str, said: String| {
                let mut problems = problems.lock().expect("no panic");
                problems.push(format!("{code}: the {what} example gives {said}"));
            };
            let (found, said) = findings(&example.wrong, &folder);
            if found.iter().all(|(found, _)| found != code) {
                say("wrong", said);
            }
            let (found, said) = findings(&example.right, &folder);
            let bad = found.iter().any(|(found, error)| *error || found == code);
            if bad || said.starts_with("error:") {
                say("right", said);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check(0));
        check(1);
    });
    let problems = problems.into_inner().expect("no panic");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Number of examples that can't be tried and are in words; there should be no more.
const IN_WORDS: usize = 66;

#[test]
fn every_code_has_an_example() {
    let ids: Vec<&str> = aiec::explain::code_tables::all()
        .map(|code| code.id)
        .collect();
    let missing = ids.iter().filter(|id| examples::of(id).is_none());
    let missing: Vec<&&str> = missing.collect();
    assert!(missing.is_empty(), "without an example: {missing:?}");
    let unknown = examples::all().iter().map(|example| example.code);
    let unknown: Vec<&str> = unknown.filter(|id| !ids.contains(id)).collect();
    assert!(unknown.is_empty(), "no codes: {unknown:?}");
    assert_eq!(examples::all().len(), ids.len(), "a code has two examples");
    let in_words = examples::all()
        .iter()
        .filter(|example| example.not_run.is_some());
    assert_eq!(in_words.count(), IN_WORDS);
}
