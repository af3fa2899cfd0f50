//! `aiec dis`: every file at hand comes back from its text, byte for byte, with the command that
//! the text's first line names; the listing keeps to its schema.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::{Run, aiec};
use aiec_test::hex::unhex;
use aiec_test::schema::violations;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `aiec`; what it wrote to its streams.
fn run(args: &[&str]) -> (aiec::Exit, Vec<u8>, String) {
    let Run {
        exit,
        stdout,
        stderr,
    } = aiec(args, b"");
    (exit, stdout, stderr)
}

/// A folder of its own for a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("aiec-dis-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // a test that fails may have removed it
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Disassembles a file and assembles it again as the text says.
fn round_trip(scratch: &Scratch, file: &[u8], flags: &[&str]) -> Result<(), String> {
    let elf = scratch.path("in.elf");
    fs::write(&elf, file).expect("a file");
    let text = scratch.path("out.asm");
    let mut args = vec!["dis", &elf, "-o", &text];
    args.extend(flags);
    let (exit, _, said) = run(&args);
    if exit != aiec::Exit::Done || !said.is_empty() {
        return Err(format!("dis: {said}"));
    }
    let written = fs::read_to_string(&text).expect("the text");
    let again = scratch.path("again.elf");
    // the texts of the instances of a configuration file name the command too
    let text = if written.starts_with('{') {
        fs::read_to_string(scratch.path("out.0.asm")).expect("the first text")
    } else {
        written
    };
    let first = text.lines().next().unwrap_or_default();
    let words = first.strip_prefix("; aiec ").ok_or(first.to_owned())?;
    let words = words.split(" -o ").next().unwrap_or_default().split(' ');
    let mut command: Vec<String> = words
        .map(|word| {
            if word.starts_with("out.") {
                scratch.path(word)
            } else {
                word.to_owned()
            }
        })
        .collect();
    command.extend(["-o".to_owned(), again.clone()]);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (exit, _, said) = run(&command);
    if exit != aiec::Exit::Done {
        return Err(format!("{command:?}: {said}"));
    }
    if fs::read(&again).expect("the file") == file {
        Ok(())
    } else {
        Err("it comes back otherwise".to_owned())
    }
}

/// Name, family and bytes of the golden files.
fn vectors() -> Vec<(String, String, Vec<u8>)> {
    let folder = root().join("test/vectors/cert");
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let all: Value = serde_json::from_str(&manifest).expect("JSON");
    let all = all.as_array().expect("a list").iter();
    let files = all.filter(|vector| vector["kind"] == "elf");
    files
        .map(|vector| {
            let text = |key: &str| vector[key].as_str().unwrap_or_default().to_owned();
            let hex = fs::read_to_string(folder.join(text("expect"))).expect("the golden file");
            let family = text("target").trim_end_matches("_config").to_owned();
            (text("name"), family, unhex(&hex))
        })
        .collect()
}

/// Name and ELF of every example.
fn examples() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let folder = root().join("examples");
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path().join("design.mlir"))
        .filter(|design| design.exists())
        .collect();
    names.sort();
    let compiled = names.iter().map(|design| {
        let name = design.display().to_string();
        let (exit, elf, said) = run(&[&name, "-o", "-"]);
        assert_eq!(exit, aiec::Exit::Done, "{name}: {said}");
        let (_, asm, _) = run(&[&name, "--emit=ctrl-asm", "-o", "-"]);
        (name, elf, asm)
    });
    compiled.collect()
}

#[test]
fn golden_files_come_back() {
    let scratch = Scratch::new("golden");
    let mut failures = Vec::new();
    let mut same = 0;
    for (name, family, file) in vectors() {
        for annotate in [false, true] {
            let mut flags = vec!["--target", &family];
            // the registers of aie4 are not known
            if annotate && family == "aie2ps" {
                flags.push("--annotate");
            }
            match round_trip(&scratch, &file, &flags) {
                Ok(()) => same += 1,
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(same, 2 * 29);
}

#[test]
fn compiled_designs_come_back() {
    let scratch = Scratch::new("examples");
    let mut failures = Vec::new();
    let mut same = 0;
    for (name, file, asm) in examples() {
        for flags in [&[][..], &["--annotate"]] {
            match round_trip(&scratch, &file, flags) {
                Ok(()) => same += 1,
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
        // the assembly that the compiler writes is the same code
        let (text, elf) = (scratch.path("emitted.asm"), scratch.path("emitted.elf"));
        fs::write(&text, asm).expect("a file");
        let (exit, _, said) = run(&["asm", &text, "-o", &elf]);
        assert_eq!(exit, aiec::Exit::Done, "{name}: {said}");
        let code = |file: &str| {
            let (_, text, _) = run(&["dis", file]);
            let text = String::from_utf8(text).expect("text");
            let lines = text.lines().filter(|line| !line.starts_with(';'));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let blank = |line: &&String| !line.is_empty();
        let (ours, emitted) = (code(&scratch.path("in.elf")), code(&elf));
        assert!(
            ours.iter().filter(blank).eq(emitted.iter().filter(blank)),
            "{name}"
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(same >= 20, "{same}");
}

#[test]
fn listings_keep_to_their_schema() {
    let (_, schema, _) = run(&["dis", "--json-schema"]);
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let scratch = Scratch::new("json");
    let elf = scratch.path("in.elf");
    let mut files = vectors();
    let examples = examples().into_iter().take(2);
    files.extend(examples.map(|(name, elf, _)| (name, "aie2ps".to_owned(), elf)));
    for (name, family, file) in files {
        fs::write(&elf, file).expect("a file");
        let (exit, json, said) = run(&["dis", &elf, "--json", "--annotate", "--target", &family]);
        assert_eq!(exit, aiec::Exit::Done, "{name}: {said}");
        let listing: Value = serde_json::from_slice(&json).expect("JSON");
        let found = violations(&schema, &listing);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
        assert!(!listing["instances"][0]["controllers"][0]["pages"][0]["jobs"].is_null());
    }
}
