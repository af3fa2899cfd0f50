//! `aiec` with upstream MLIR (feature `mlir`): what we print is what upstream reads.

use std::path::{Path, PathBuf};

use std::collections::BTreeSet;

use aiec_dialect::ops::kind_of;
use aiec_dialect::text::has_own_syntax;
use aiec_test::driver::{Run, aiec};
use aiec_test::examples::Example;
use aiec_test::lit::suite::{Suite, Verdict};

/// Folders of lit tests that print modules.
const SUITES: [&str; 4] = ["dialect", "passes", "emit", "driver"];

/// The flag under test.
const FLAG: &str = "--verify-with-mlir";

/// Lit tests of builds without upstream.
const WITHOUT: [&str; 2] = ["driver/verify-with-mlir.mlir", "driver/core-llvm.mlir"];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn with_upstream(args: &[&str], stdin: &str) -> Run {
    ::aiec::mlir::install();
    aiec(args, stdin.as_bytes())
}

#[test]
fn examples_verify_before_and_after_every_pass() {
    for group in ["examples", "test/end_to_end"] {
        for example in Example::all(&root().join(group)).expect("a folder of examples") {
            for device in &example.devices {
                let design = example.design(device).display().to_string();
                let args = [
                    &design,
                    "--device",
                    device,
                    FLAG,
                    "--verify-each",
                    "--emit=mlir",
                ];
                let run = with_upstream(&args, "");
                assert_eq!(run.stderr.find("mlir::"), None, "{design}: {}", run.stderr);
                assert!(!run.stdout.is_empty(), "{design}: {}", run.stderr);
            }
        }
    }
}

/// Every command of a lit test that reads and prints a module, with the flag; not those that must
/// fail.
fn with_flag(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let mut out: Vec<String> = Vec::new();
    for (n, word) in words.iter().enumerate() {
        out.push(word.to_string());
        let next = words.get(n + 1).copied().unwrap_or("");
        if n > 0 && words[n - 1] == "not" {
            continue;
        }
        if *word == "aiec" && (next.starts_with('%') || next == "-") {
            out.push(FLAG.to_string());
        }
        if *word == "opt" && n > 0 && words[n - 1] == "aiec" && (n < 2 || words[n - 2] != "not") {
            out.push(FLAG.to_string());
        }
    }
    out.join(" ")
}

#[test]
fn lit_tests_pass_with_upstream_looking_on() {
    ::aiec::mlir::install();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let suite = Suite {
        root: root(),
        temporary: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("up"),
        features: Vec::new(),
        rewrite: with_flag,
        folder,
    };
    let mut failures = Vec::new();
    for below in SUITES {
        for file in suite.files(below).expect("a folder of tests") {
            let name = suite.name(&file);
            if WITHOUT.contains(&&*name) {
                continue;
            }
            if let Verdict::Fail(text) = suite.run(&file) {
                failures.push(format!("{name}: {text}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn upstream_finds_what_our_verifier_leaves_to_it() {
    let design = "func.func @f(%a: i32) -> i32 {\n  \
                  %r = \"arith.addi\"(%a, %a) {overflowFlags = 7 : i32} : (i32, i32) -> i32\n  \
                  return %r : i32\n}\n";
    let plain = with_upstream(&["opt", "-"], design);
    assert_eq!(plain.stderr, "");
    let run = with_upstream(&["opt", "-", FLAG, "--diagnostics=mlir"], design);
    assert!(run.stderr.starts_with("-:2:8: error: "), "{}", run.stderr);
    assert!(run.stderr.contains("mlir::refused"), "{}", run.stderr);
    assert_eq!(run.exit, ::aiec::Exit::BadInput);
}

/// Operations in custom syntax in a file, by their names.
fn operations(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(str::trim);
    let heads = lines.map(|line| line.split_once(" = ").map_or(line, |(_, op)| op));
    let names = heads.filter_map(|head| head.split([' ', '(', ':']).next());
    let name = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    names
        .filter(|word| word.contains('.') && word.chars().all(name))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect()
}

#[test]
fn upstream_reads_operations_whose_syntax_we_do_not_know() {
    let file = root().join("test/mlir/upstream_ops.mlir");
    let text = std::fs::read_to_string(&file).expect("the file");
    let unknown = operations(&text)
        .into_iter()
        .filter(|name| !has_own_syntax(kind_of(name)));
    let unknown: Vec<&str> = unknown.collect();
    assert!(unknown.len() >= 50, "only {}: {unknown:?}", unknown.len());
    let path = file.display().to_string();
    let printed = with_upstream(&["opt", &path, FLAG], "");
    assert_eq!(printed.stderr, "");
    let printed = String::from_utf8(printed.stdout).expect("text");
    for name in unknown {
        assert!(
            printed.contains(&format!("\"{name}\"(")),
            "{name}:\n{printed}"
        );
    }
    let again = with_upstream(&["opt", "-", FLAG], &printed);
    assert_eq!(
        again.output().map(|bytes| bytes == printed.as_bytes()),
        Ok(true)
    );
}

#[test]
fn findings_stay_where_the_user_wrote() {
    let design = "func.func @f(%a: f32, %i: i32) {\n  \
                  %c = complex.create %a, %a : complex<f32>\n  \
                  %r = complex.re %c : complex<f32>\n  %z = arith.addi %i, %undefined : i32\n  \
                  %q = complex.re %i : i32\n  return\n}\n";
    let run = with_upstream(&["opt", "-", "--diagnostics=mlir"], design);
    let found: Vec<&str> = run.stderr.lines().filter(|l| l.starts_with("-:")).collect();
    let [undefined, refused] = found[..] else {
        panic!("{}", run.stderr);
    };
    assert!(undefined.starts_with("-:4:23: error"), "{undefined}");
    assert!(undefined.contains("%undefined"), "{undefined}");
    assert!(refused.starts_with("-:5:8: error"), "{refused}");
    let text = with_upstream(&["opt", "-", "--diagnostics=text"], design);
    assert!(
        text.stderr.contains("upstream MLIR: invalid kind of type"),
        "{}",
        text.stderr
    );
}

/// A tool of the LLVM that the feature is built with.
fn llvm(tool: &str, input: &str, args: &[&str]) -> Result<(), String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let prefix = env!("MLIR_SYS_220_PREFIX");
    let mut child = Command::new(Path::new(prefix).join("bin").join(tool))
        .args(args)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{tool}: {error}"))?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    stdin
        .write_all(input.as_bytes())
        .map_err(|error| format!("{tool}: {error}"))?;
    drop(stdin);
    let done = child.wait_with_output().map_err(|e| e.to_string())?;
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

/// The LLVM IR of the cores of a design, by the names of the files.
fn cores(design: &Path, device: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("core-llvm")
        .join(device);
    let _ = std::fs::remove_dir_all(&folder);
    let (design, out) = (design.display().to_string(), folder.display().to_string());
    let args = [&design, "--device", device, "--emit=core-llvm", "-o", &out];
    let run = with_upstream(&args, "");
    assert_eq!(run.exit, ::aiec::Exit::Done, "{design}: {}", run.stderr);
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, String)> = files
        .map(|file| {
            let text = std::fs::read_to_string(file.path()).expect("a text");
            (file.file_name().to_string_lossy().into_owned(), text)
        })
        .collect();
    files.sort();
    files
}

/// For the machine that runs the tests: without the target, with stubs for the intrinsics.
fn for_the_host(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("target "));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    ["llvm.aie2p.", "llvm.aie2.", "llvm.aie."]
        .into_iter()
        .fold(text, |text, before| text.replace(before, "stub_"))
}

#[test]
fn cores_of_examples_are_llvm_ir_that_llvm_takes() {
    let mut count = 0;
    for group in ["examples", "test/end_to_end"] {
        for example in Example::all(&root().join(group)).expect("a folder of examples") {
            for device in &example.devices {
                for (name, text) in cores(&example.design(device), device) {
                    let what = format!("{} on {device}: {name}", example.name);
                    assert!(text.contains("target triple = \"aie"), "{what}");
                    // The distribution's LLVM has no such target; the data layout stays.
                    let lines = text
                        .lines()
                        .filter(|line| !line.starts_with("target triple"));
                    let verified: String = lines.flat_map(|line| [line, "\n"]).collect();
                    llvm("opt", &verified, &["-passes=verify", "-disable-output"])
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    let args = ["-filetype=obj", "-relocation-model=pic", "-o", "/dev/null"];
                    llvm("llc", &for_the_host(&text), &args)
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 50, "only {count} cores");
}

/// What plays the array for the core of `examples/scale`: its buffers, and locks that bring a
/// block of the input and take a block of the output.
const ARRAY_OF_SCALE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BLOCK = 64, INPUT_READY = 51, OUTPUT_READY = 49 };
int in_cons_buff_0[BLOCK], in_cons_buff_1[BLOCK], out_buff_0[BLOCK], out_buff_1[BLOCK];
static FILE *in, *out;
static int taken, given;
void stub_acquire(int lock, int value) {
  if (value != -1) abort();
  if (lock != INPUT_READY) return;
  int *block = taken++ % 2 ? in_cons_buff_1 : in_cons_buff_0;
  if (fread(block, sizeof(int), BLOCK, in) != BLOCK) { fclose(out); exit(0); }
}
void stub_release(int lock, int value) {
  if (value != 1) abort();
  if (lock != OUTPUT_READY) return;
  fwrite(given++ % 2 ? out_buff_1 : out_buff_0, sizeof(int), BLOCK, out);
}
void core_0_3(void);
int main(int argc, char **argv) {
  in = fopen(argv[1], "rb");
  out = fopen(argv[2], "wb");
  core_0_3();
  return 1;
}
"#;

#[test]
fn a_core_compiled_for_the_host_computes_what_the_simulated_one_does() {
    use std::process::Command;
    let example = root().join("examples/scale");
    let cores = cores(&example.join("design.mlir"), "npu2");
    let [(name, text)] = &cores[..] else {
        panic!("{} cores", cores.len());
    };
    assert_eq!(name, "core_0_3.ll");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scale-on-the-host");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).display().to_string();
    let object = path("core.o");
    let args = ["-filetype=obj", "-relocation-model=pic", "-o", &object];
    llvm("llc", &for_the_host(text), &args).expect("an object");
    std::fs::write(path("array.c"), ARRAY_OF_SCALE).expect("written");
    let built = Command::new("cc")
        .args([&path("array.c"), &object, "-o", &path("scale")])
        .output()
        .expect("the C compiler that the linker comes with");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let input = example.join("arg0.bin");
    let run = Command::new(path("scale"))
        .arg(input)
        .arg(path("out.bin"))
        .status();
    assert!(run.expect("it starts").success());
    let written = std::fs::read(path("out.bin")).expect("an output");
    let expected = std::fs::read(example.join("expected1.bin")).expect("the example's output");
    assert!(written == expected, "the numbers differ");
}
