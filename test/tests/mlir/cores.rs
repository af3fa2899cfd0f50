//! `--emit=core-llvm`: the cores of examples as LLVM IR that LLVM takes, and that computes what the
//! simulated cores do.

use std::path::{Path, PathBuf};

use aiec_test::lit::suite::Suite;

use super::{SUITES, examples_with_llvm_form, root, with_upstream};

/// A tool of the LLVM that the feature is built with.
pub fn llvm(tool: &str, input: &str, args: &[&str]) -> Result<(), String> {
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
    if done.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

/// The LLVM IR of the cores of a design, by the names of the files.
fn cores(design: &Path, device: &str) -> Vec<(String, String)> {
    compiled_cores(design, device).0
}

/// Compiles the cores of a design; also returns the text of the routed module.
pub fn compiled_cores(design: &Path, device: &str) -> (Vec<(String, String)>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("core-llvm")
        .join(device);
    let _ = std::fs::remove_dir_all(&folder);
    let (design, out) = (design.display().to_string(), folder.display().to_string());
    let print = "--print-ir-after=aie-create-pathfinder-flows";
    let args = [
        &design,
        "--device",
        device,
        "--emit=core-llvm",
        print,
        "-o",
        &out,
    ];
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
    (files, run.stderr)
}

/// For the machine that runs the tests: without the target, with stubs for the intrinsics.
pub fn for_the_host(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("target "));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    ["llvm.aie2p.", "llvm.aie2.", "llvm.aie."]
        .into_iter()
        .fold(text, |text, before| text.replace(before, "stub_"))
}

/// LLVM IR as the distribution's LLVM, which has no such target, can verify it and compile it for
/// this machine.
fn taken_by_llvm(what: &str, text: &str) {
    assert!(text.contains("target triple = \"aie"), "{what}");
    // The data layout stays.
    let lines = text.lines();
    let lines = lines.filter(|line| !line.starts_with("target triple"));
    let verified: String = lines.flat_map(|line| [line, "\n"]).collect();
    llvm("opt", &verified, &["-passes=verify", "-disable-output"])
        .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    let args = ["-filetype=obj", "-relocation-model=pic", "-o", "/dev/null"];
    llvm("llc", &for_the_host(text), &args)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
}

#[test]
fn cores_of_examples_are_llvm_ir_that_llvm_takes() {
    let mut count = 0;
    for group in ["examples", "test/end_to_end"] {
        for example in examples_with_llvm_form(group) {
            for device in &example.devices {
                for (name, text) in cores(&example.design(device), device) {
                    taken_by_llvm(&format!("{} on {device}: {name}", example.name), &text);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 50, "only {count} cores");
}

/// Lit tests that hold cores which can't be LLVM IR, and why that is right.
const NO_LLVM_FORM: &[(&str, &str)] = &[(
    "passes/core-program/linked_objects.mlir",
    "vendor.op is an operation that nobody knows",
)];

#[test]
fn cores_of_lit_tests_are_llvm_ir_that_llvm_takes() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let suite = Suite {
        root: root(),
        temporary: PathBuf::new(),
        features: Vec::new(),
        rewrite: str::to_string,
        folder,
    };
    let mut count = 0;
    let mut refused = Vec::new();
    for below in SUITES {
        for file in suite.files(below).expect("a folder of tests") {
            let name = suite.name(&file);
            let text = std::fs::read_to_string(&file).expect("a text");
            for (n, part) in text.split("// -----").enumerate() {
                if !part.contains("aie.core(") {
                    continue;
                }
                let args = ["-", "--emit=core-llvm", "-o", "-"];
                let run = with_upstream(&args, part);
                let known = NO_LLVM_FORM.iter().any(|(known, _)| *known == name);
                if run.exit == aiec::Exit::Done {
                    // One file after the other.
                    let printed = String::from_utf8(run.stdout).expect("text");
                    for core in printed.split("; ModuleID = ").skip(1) {
                        taken_by_llvm(&format!("{name}, part {n}"), &format!("; {core}"));
                        count += 1;
                    }
                } else if run.stderr.contains("mlir::") != known {
                    refused.push(format!("{name}, part {n}: {}", run.stderr));
                }
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 40, "only {count} cores");
}

/// Array around the core of `examples/scale`: its buffers, and locks that bring a block of the
/// input and take a block of the output.
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
