//! Wrong control code: the exact findings of `aiec asm` with severity, code, file, line and
//! column. The cases are in `vectors/asm/wrong.txt`; AIEC_BLESS=1 writes what is found there.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::{Run, aiec};
use serde_json::Value;

/// Cases that there must be at least.
const ENOUGH: usize = 120;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/asm/wrong.txt")
}

/// A case of the file.
#[derive(Default)]
struct Case {
    name: String,
    options: Vec<String>,
    wanted: Vec<String>,
    text: String,
    /// Names and contents of included files.
    files: Vec<(String, String)>,
}

/// The remarks at the head of the file, and the cases.
fn read() -> (String, Vec<Case>) {
    let text = fs::read_to_string(file()).expect("the cases");
    let mut head = String::new();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            let (name, options) = title.split_once(" | ").unwrap_or((title, ""));
            cases.push(Case {
                name: name.to_owned(),
                options: options.split_whitespace().map(str::to_owned).collect(),
                ..Case::default()
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            head += line;
            head.push('\n');
            continue;
        };
        if let Some(wanted) = line.strip_prefix("=> ") {
            case.wanted.push(wanted.to_owned());
        } else if let Some(name) = line.strip_prefix("+++ ") {
            case.files.push((name.to_owned(), String::new()));
        } else {
            let text = case
                .files
                .last_mut()
                .map_or(&mut case.text, |(_, text)| text);
            text.push_str(line);
            text.push('\n');
        }
    }
    for case in &mut cases {
        // the empty line between cases
        let last = case
            .files
            .last_mut()
            .map_or(&mut case.text, |(_, text)| text);
        last.truncate(last.trim_end_matches('\n').len());
        last.push('\n');
    }
    (head, cases)
}

fn write(head: &str, cases: &[Case]) {
    let mut text = head.trim_end().to_owned() + "\n";
    for case in cases {
        let options = case.options.join(" ");
        let bar = if options.is_empty() { "" } else { " | " };
        writeln!(text, "\n=== {}{bar}{options}", case.name).expect("a string");
        for wanted in &case.wanted {
            writeln!(text, "=> {wanted}").expect("a string");
        }
        text += &case.text;
        for (name, contents) in &case.files {
            write!(text, "+++ {name}\n{contents}").expect("a string");
        }
    }
    fs::write(file(), text).expect("the cases");
}

/// Runs a case in a folder of its own.
fn run(case: &Case, number: usize) -> (Vec<String>, u8, Vec<String>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("asm-wrong/{number}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let main = folder.join("main.asm");
    fs::write(&main, &case.text).expect("the text");
    for (name, contents) in &case.files {
        fs::write(folder.join(name), contents).expect("an included file");
    }
    assemble(&main, &folder.join("out.elf"), &case.options)
}

/// Assembles a file: findings as the file lists them, exit code, and complaints about their form.
fn assemble(main: &Path, output: &Path, options: &[String]) -> (Vec<String>, u8, Vec<String>) {
    let mut args: Vec<OsString> = vec!["asm".into(), main.into(), "-o".into(), output.into()];
    args.push("--diagnostics=json".into());
    args.extend(options.iter().map(OsString::from));
    let Run { exit, stderr, .. } = aiec(&args, b"");
    let exit = exit.code();
    let mut complaints = Vec::new();
    let mut found = Vec::new();
    for line in stderr.lines() {
        let finding: Value = match serde_json::from_str(line) {
            Ok(finding) => finding,
            Err(_) => {
                complaints.push(format!("no finding: {line}"));
                continue;
            }
        };
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        if text("message").is_empty() {
            complaints.push(format!("no message: {line}"));
        }
        let label = &finding["spans"][0];
        let name = label["file"].as_str().unwrap_or("nowhere");
        let name = name.rsplit('/').next().unwrap_or(name);
        let place = match name {
            own if main.ends_with(own) => String::new(),
            other => format!("{other}:"),
        };
        found.push(format!(
            "{} {} {place}{}:{}",
            text("severity"),
            text("code"),
            label["line"],
            label["column"]
        ));
    }
    if (exit == 0) != output.exists() {
        complaints.push(format!("exit code {exit}, output: {}", output.exists()));
    }
    (found, exit, complaints)
}

#[test]
fn wrong_texts_are_told_where_they_are_wrong() {
    let (head, mut cases) = read();
    assert!(cases.len() >= ENOUGH, "only {} cases", cases.len());
    let bless = std::env::var_os("AIEC_BLESS").is_some();
    let mut failures = Vec::new();
    for (number, case) in cases.iter_mut().enumerate() {
        let (found, exit, complaints) = run(case, number);
        failures.extend(
            complaints
                .iter()
                .map(|what| format!("{}: {what}", case.name)),
        );
        if found.is_empty() {
            failures.push(format!("{}: nothing is found", case.name));
        }
        let errors = found.iter().any(|finding| finding.starts_with("error"));
        if errors != (exit == 1) {
            failures.push(format!("{}: exit code {exit}", case.name));
        }
        if bless {
            case.wanted = found;
        } else if found != case.wanted {
            failures.push(format!("{}: {found:#?}, not {:#?}", case.name, case.wanted));
        }
    }
    if bless {
        write(&head, &cases);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The texts that the vendor's assembler refuses, or takes and should not.
#[test]
fn refused_vectors_are_told_where_they_are_wrong() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/asm/refused.txt");
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/cert");
    let manifest = fs::read_to_string(vectors.join("manifest.json")).expect("the manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asm-refused");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let mut text = String::new();
    let mut failures = Vec::new();
    for vector in manifest.as_array().expect("a list") {
        if vector["kind"] != "refused" {
            continue;
        }
        let name = vector["name"].as_str().expect("a name");
        let input = vectors.join(vector["input"].as_str().expect("an input"));
        let target = vector["target"].as_str().unwrap_or("aie2ps").to_owned();
        let options = ["--target".to_owned(), target];
        let output = folder.join(format!("{name}.elf"));
        let (found, exit, complaints) = assemble(&input, &output, &options);
        failures.extend(complaints.iter().map(|what| format!("{name}: {what}")));
        if exit != 1 && vector["may_accept"] != true {
            failures.push(format!("{name}: exit code {exit}"));
        }
        let found = if found.is_empty() {
            "taken".to_owned()
        } else {
            found.join(", ")
        };
        writeln!(text, "{name}: {found}").expect("a string");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if std::env::var_os("AIEC_BLESS").is_some() {
        fs::write(&list, &text).expect("the list");
    }
    let wanted = fs::read_to_string(&list).expect("the list");
    assert_eq!(text, wanted);
}
