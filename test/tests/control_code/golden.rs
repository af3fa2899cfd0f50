//! `aiec asm` on the golden vectors of the vendor's assembler: the same bytes from the same
//! texts, and diagnoses with line and column for those that are refused.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::{Run, aiec};
use aiec_test::hex::unhex;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/cert")
}

fn manifest() -> Vec<Value> {
    let text = fs::read_to_string(folder().join("manifest.json")).expect("the manifest");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    all.as_array().expect("a list").clone()
}

fn text_of<'a>(vector: &'a Value, key: &str) -> &'a str {
    vector[key].as_str().unwrap_or_default()
}

fn path_of(vector: &Value, key: &str) -> Option<String> {
    let name = vector[key].as_str()?;
    Some(folder().join(name).display().to_string())
}

fn golden(vector: &Value) -> Vec<u8> {
    let path = folder().join(text_of(vector, "expect"));
    unhex(&fs::read_to_string(path).expect("the golden file"))
}

/// Assembles a vector as its manifest says.
fn assemble(vector: &Value, compat: bool) -> Run {
    let target = text_of(vector, "target");
    let input = path_of(vector, "input").expect("an input");
    let mut args = vec!["asm", "--target", target, "-o", "-"];
    let patch = path_of(vector, "patch").or_else(|| path_of(vector, "json"));
    match (target.ends_with("_config"), &patch) {
        (true, _) => args.extend(["--config", &input]),
        (false, Some(patch)) => args.extend([&*input, "--patch", patch]),
        (false, None) => args.push(&input),
    }
    if text_of(vector, "name") == "25_dump" {
        args.push("--dump");
    }
    if compat {
        args.push("--compat");
    }
    aiec(&args, b"")
}

#[test]
fn the_same_text_gives_the_same_file() {
    let mut failures = Vec::new();
    let mut same = 0;
    for vector in manifest() {
        if text_of(&vector, "kind") != "elf" {
            continue;
        }
        let run = assemble(&vector, true);
        if run.stdout == golden(&vector) {
            same += 1
        } else {
            failures.push(format!("{}: {}", text_of(&vector, "name"), run.stderr))
        }
    }
    assert!(failures.is_empty(), "{same} same\n{}", failures.join("\n"));
    assert_eq!(same, 29);
}

/// Without `--compat` texts that lean on quirks are refused; all others give the same bytes.
#[test]
fn sound_texts_need_no_compatibility() {
    /// Not marked in the manifest: a remote barrier with a controller that has no code, a
    /// descriptor with a length of 16 bits, an operand that is a symbol no loader fills in.
    const UNSOUND: [&str; 3] = ["01_all_opcodes", "06_ucdma_chain", "24_config_merged"];
    let mut failures = Vec::new();
    let mut same = 0;
    for vector in manifest() {
        let name = text_of(&vector, "name");
        let quirks = vector["quirks"] == true || UNSOUND.contains(&name);
        if text_of(&vector, "kind") != "elf" {
            continue;
        }
        let run = assemble(&vector, false);
        match (quirks, run.exit) {
            (false, aiec::Exit::Done) if run.stdout == golden(&vector) => same += 1,
            // a quirk may be harmless, but then the bytes are the same
            (true, aiec::Exit::Done) if run.stdout == golden(&vector) => {}
            (true, aiec::Exit::BadInput) => {}
            _ => failures.push(format!("{name}: {:?}\n{}", run.exit, run.stderr)),
        }
    }
    assert!(failures.is_empty(), "{same} same\n{}", failures.join("\n"));
    assert_eq!(same, 18);
}

/// The vendor's assembler brings save and restore programs along; ours takes those of the text.
/// The page with the preemption point is the same.
#[test]
fn a_preemption_point_is_encoded_alike() {
    let text = fs::read_to_string(folder().join("22_aie4_preempt.asm")).expect("the vector");
    let scope = |name: &str| format!("{name}:\nSTART_JOB 0\nNOP\nEND_JOB\nEOF\n.endl {name}\n");
    let text = text + ".section .ctrltext\n" + &scope("save") + &scope("restore");
    let run = aiec(["asm", "--target", "aie4", "-", "-o", "-"], text.as_bytes());
    assert_eq!(run.exit, aiec::Exit::Done, "{}", run.stderr);
    let file = aiec_cert::elf::read(&run.stdout).expect("an ELF");
    let partial = fs::read_to_string(folder().join("22_aie4_preempt.partial.txt")).expect("it");
    let rows = partial.lines().filter_map(|l| l.trim().strip_prefix("0x"));
    let wanted: Vec<u8> = rows.flat_map(|row| unhex(&row[9..44])).collect();
    assert_eq!(file.instances[0].ucs[0].pages[0][..wanted.len()], wanted);
    let alone = assemble(
        &manifest()
            .into_iter()
            .find(|v| v["name"] == "22_aie4_preempt")
            .expect("it"),
        true,
    );
    assert!(alone.stderr.contains("asm::undefined"), "{}", alone.stderr);
}
