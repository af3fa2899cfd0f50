//! `aiec` with upstream MLIR (feature `mlir`): what we print is what upstream reads.

mod cores;
mod numbers;
mod peano;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aiec_aie::ops::kind_of;
use aiec_aie::text::has_own_syntax;
use aiec_test::driver::{Run, aiec};
use aiec_test::examples::Example;
use aiec_test::lit::suite::{Suite, Verdict};

/// Folders of lit tests that print modules.
const SUITES: [&str; 4] = ["dialect", "passes", "emit", "driver"];

/// The flag under test.
const FLAG: &str = "--verify-with-mlir";

/// Lit tests of builds without upstream.
const WITHOUT: [&str; 3] = [
    "driver/verify-with-mlir.mlir",
    "driver/core-llvm.mlir",
    "driver/peano.mlir",
];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The design whose streams and cascades carry more than 64 bits: only the simulator's own compiler of
/// cores knows them.
const WITHOUT_LLVM_FORM: &str = "wide-integers";

/// The examples of a folder whose cores upstream MLIR can compile.
fn examples_with_llvm_form(group: &str) -> impl Iterator<Item = Example> {
    let all = Example::all(&root().join(group)).expect("a folder of examples");
    all.into_iter()
        .filter(|example| example.name != WITHOUT_LLVM_FORM)
}

fn with_upstream(args: &[&str], stdin: &str) -> Run {
    ::aiec::mlir::install();
    aiec(args, stdin.as_bytes())
}

#[test]
fn cores_without_llvm_form_are_refused() {
    let design = format!("test/end_to_end/{WITHOUT_LLVM_FORM}/design.mlir");
    let design = root().join(design).display().to_string();
    let run = with_upstream(&[&design, "--emit=core-llvm", "-o", "-"], "");
    assert_eq!(run.exit, ::aiec::Exit::BadInput, "{}", run.stderr);
    assert!(run.stderr.contains("mlir::no-llvm-form"), "{}", run.stderr);
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
