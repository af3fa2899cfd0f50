//! Wrong input: each case gives a finding with code, place, cause and way out, the right exit code,
//! and writes no file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use serde_json::Value;

/// A run that must fail.
struct Outcome {
    code: u8,
    /// The findings, as JSON objects.
    findings: Vec<Value>,
    stderr: String,
    /// Files in the folder of outputs afterwards.
    files: Vec<String>,
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("wrong-input")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("out")).expect("a folder for the case");
    folder
}

fn run(folder: &Path, args: &[OsString]) -> Outcome {
    let run = aiec(args, b"");
    let code = run.exit.code();
    let stderr = run.stderr;
    let findings = stderr
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let entries = fs::read_dir(folder.join("out")).expect("the folder of outputs");
    let files = entries
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    Outcome {
        code,
        findings,
        stderr,
        files,
    }
}

/// Compiles a design that is wrong; the finding of the expected code must be at the line that
/// holds the text `here`.
fn design(name: &str, expected: &str, here: &str, text: &str) {
    let folder = scratch(name);
    let path = folder.join("design.mlir");
    fs::write(&path, text).expect("the design");
    let args: Vec<OsString> = vec![
        path.into(),
        "-o".into(),
        folder.join("out/design.elf").into(),
        "--diagnostics=json".into(),
    ];
    let outcome = run(&folder, &args);
    assert_eq!(outcome.code, 1, "{name}: {}", outcome.stderr);
    assert_eq!(outcome.files, Vec::<String>::new(), "{name}");
    let line = text
        .lines()
        .position(|line| line.contains(here))
        .expect("the place")
        + 1;
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding["code"] == expected);
    let finding = finding.unwrap_or_else(|| panic!("{name}: no {expected}\n{}", outcome.stderr));
    assert_eq!(finding["spans"][0]["line"], line, "{name}: {finding:#}");
    assert!(
        finding["message"].as_str().is_some_and(|m| !m.is_empty()),
        "{name}"
    );
    assert!(
        finding["help"].is_string(),
        "{name} has no way out: {finding:#}"
    );
}

/// A design for npu1 around some lines.
fn around(lines: &str) -> String {
    format!("module {{\n  aie.device(npu1) {{\n{lines}\n  }}\n}}\n")
}

#[test]
fn syntax_error() {
    design(
        "syntax",
        "parse::syntax",
        "aie.tile(0, )",
        &around("%t = aie.tile(0, )"),
    );
}

#[test]
fn unknown_operation() {
    design(
        "unknown-op",
        "parse::unknown-op",
        "aie.tiel",
        &around("%t = aie.tiel(0, 2)"),
    );
}

#[test]
fn tile_outside_of_the_device() {
    design(
        "tile",
        "verify::tile-outside-device",
        "aie.tile(99",
        &around("%t = aie.tile(99, 2)"),
    );
}

#[test]
fn flow_to_a_port_that_does_not_exist() {
    let lines = "%a = aie.tile(0, 0)\n%b = aie.tile(0, 2)\naie.flow(%a, DMA : 0, %b, DMA : 9)";
    design("port", "verify::port", "aie.flow", &around(lines));
}

#[test]
fn buffers_that_do_not_fit() {
    let tile = "%t = aie.tile(0, 2)\n";
    let buffer = |name: &str, size: u32| {
        format!("%{name} = aie.buffer(%t) {{sym_name = \"{name}\"}} : memref<{size}xi32>\n")
    };
    let one = format!("{tile}{}", buffer("a", 20000));
    design("buffer", "verify::buffer", "aie.buffer", &around(&one));
    let names = ["a", "b", "c"].map(|name| buffer(name, 8000));
    let three = format!("{tile}{}", names.concat());
    design(
        "buffers",
        "buffers::do-not-fit",
        "%c = aie",
        &around(&three),
    );
}

#[test]
fn more_descriptors_than_the_tile_has() {
    let mut lines = String::from(
        "%t = aie.tile(0, 2)\n%b = aie.buffer(%t) {sym_name = \"b\"} : memref<16xi32>\n\
         %m = aie.mem(%t) {\n  %0 = aie.dma_start(S2MM, 0, ^bb0, ^end)\n",
    );
    for n in 0..17 {
        let next = if n == 16 { 0 } else { n + 1 };
        let comment = if n == 16 { " // 17th" } else { "" };
        lines += &format!(
            "^bb{n}:\n  aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16){comment}\n  aie.next_bd ^bb{next}\n"
        );
    }
    lines += "^end:\n  aie.end\n}";
    design(
        "bds",
        "verify::bd",
        "aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16) // 17th",
        &around(&lines),
    );
}

#[test]
fn fifo_between_impossible_tiles() {
    let lines = "%a = aie.tile(0, 0)\n%b = aie.tile(2, 2)\n\
                 aie.objectfifo @f(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>";
    let text = around(lines).replace("npu1", "xcve2302");
    design("fifo", "verify::objectfifo", "aie.objectfifo", &text);
}

/// The ELF of the smallest example.
fn scale(folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the repository");
    let elf = folder.join("scale.elf");
    let design = root.join("examples/scale/design.mlir");
    let outcome = run(folder, &[design.into(), "-o".into(), elf.clone().into()]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    elf
}

fn simulate(name: &str, prepare: impl FnOnce(&Path) -> OsString, code: u8, expected: &str) {
    let folder = scratch(name);
    let elf = scale(&folder);
    let argument = prepare(&folder);
    let mut out = OsString::from("1=");
    out.push(folder.join("out/out1.bin"));
    let mut args: Vec<OsString> = vec!["sim".into(), elf.into(), "--arg".into(), argument];
    args.extend(["--out".into(), out, "--diagnostics=json".into()]);
    let outcome = run(&folder, &args);
    assert_eq!(outcome.code, code, "{name}: {}", outcome.stderr);
    assert_eq!(outcome.files, Vec::<String>::new(), "{name}");
    if code == 1 {
        let finding = outcome
            .findings
            .iter()
            .find(|finding| finding["code"] == expected);
        let finding = finding.unwrap_or_else(|| panic!("{name}: {}", outcome.stderr));
        assert!(
            finding["help"].is_string(),
            "{name} has no way out: {finding:#}"
        );
    } else {
        assert!(
            outcome.stderr.contains(expected),
            "{name}: {}",
            outcome.stderr
        );
    }
}

fn argument(index: u32, path: &Path) -> OsString {
    let mut text = OsString::from(format!("{index}="));
    text.push(path);
    text
}

#[test]
fn missing_argument_file() {
    let missing = |folder: &Path| argument(0, &folder.join("no-such-file.bin"));
    simulate("missing", missing, 1, "driver::cannot-read");
}

#[test]
fn argument_of_the_wrong_size() {
    let short = |folder: &Path| {
        let path = folder.join("short.bin");
        fs::write(&path, [0; 100]).expect("the file");
        argument(0, &path)
    };
    simulate("size", short, 1, "driver::argument-size");
}

#[test]
fn argument_that_the_sequence_does_not_have() {
    let seventh = |folder: &Path| {
        let path = folder.join("x.bin");
        fs::write(&path, [0; 4]).expect("the file");
        argument(7, &path)
    };
    simulate("index", seventh, 1, "driver::argument-index");
}

#[test]
fn damaged_npy_file() {
    let damaged = |folder: &Path| {
        let path = folder.join("x.npy");
        fs::write(&path, b"\x93NUMPY\x01").expect("the file");
        argument(0, &path)
    };
    simulate("npy", damaged, 1, "driver::argument-file");
}

#[test]
fn argument_without_a_file() {
    simulate("usage", |_| "0".into(), 2, "expected N=");
}

#[test]
fn missing_design() {
    let folder = scratch("no-design");
    let out = folder.join("out/x.elf").into();
    let args = [
        folder.join("none.mlir").into(),
        "-o".into(),
        out,
        "--diagnostics=json".into(),
    ];
    let outcome = run(&folder, &args);
    assert_eq!(
        (outcome.code, outcome.files.len()),
        (1, 0),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.findings[0]["code"], "driver::cannot-read");
}

#[test]
fn an_elf_is_no_design_and_a_design_no_elf() {
    let folder = scratch("kinds");
    let elf = scale(&folder);
    let out: OsString = folder.join("out/x.elf").into();
    let json: OsString = "--diagnostics=json".into();
    let args = [elf.into_os_string(), "-o".into(), out, json.clone()];
    let outcome = run(&folder, &args);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let damaged = folder.join("damaged.elf");
    fs::write(&damaged, b"\x7fELF and nothing else").expect("the file");
    let outcome = run(&folder, &["sim".into(), damaged.into(), json]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert_eq!(outcome.findings[0]["code"], "sim::not-control-code");
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = scratch("unwritable");
    let elf = scale(&folder);
    fs::write(folder.join("file"), "in the way").expect("the file");
    let report: OsString = folder.join("file/report.json").into();
    let args = [
        "sim".into(),
        elf.into(),
        "--report".into(),
        report,
        "--diagnostics=json".into(),
    ];
    let outcome = run(&folder, &args);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(
        outcome
            .findings
            .iter()
            .any(|f| f["code"] == "driver::cannot-write")
    );
}

#[test]
fn json_has_one_object_a_line_with_places_and_ways_out() {
    let folder = scratch("json-lines");
    let path = folder.join("design.mlir");
    fs::write(
        &path,
        "aie.device(npu1) {\n  %ü = aie.tile(0, 2)\n  %t = aie.tile(0 2)\n}\n",
    )
    .expect("the design");
    let name = path.display().to_string();
    let outcome = run(
        &folder,
        &["opt".into(), path.into(), "--diagnostics=json".into()],
    );
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.findings.len(), outcome.stderr.lines().count());
    assert_eq!(outcome.findings.len(), 2, "{}", outcome.stderr);
    for finding in &outcome.findings {
        for key in ["code", "severity", "message", "file", "help"] {
            assert!(finding[key].is_string(), "no {key}: {finding:#}");
        }
        assert_eq!(finding["code"], "parse::syntax");
        assert_eq!(finding["severity"], "error");
        assert_eq!(finding["file"], name);
    }
    let span = &outcome.findings[1]["spans"][0];
    assert_eq!(span["file"], name);
    let place = ["line", "column", "end_line", "end_column"].map(|key| span[key].as_u64());
    assert_eq!(place, [3, 19, 3, 20].map(Some));
    assert_eq!(span["text"], "expected `,`");
}
