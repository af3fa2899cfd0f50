//! The semantics of the checker, case by case: directives, an input and the exit code.
//!
//! With `AIEC_FILECHECK=/path/to/FileCheck` the same cases are also compared with LLVM's tool.

mod cases;

use super::{Options, Verdict, check};
use cases::CASES;

fn options(args: &[&str]) -> Options {
    let mut args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
    args.push("check.txt".into());
    Options::parse(&args).expect("options of a case")
}

#[test]
fn cases() {
    let mut wrong = Vec::new();
    for (name, args, text, input, code) in CASES {
        let verdict = check(&options(args), text, "check.txt", input, "<stdin>");
        if verdict.code() != *code {
            wrong.push(format!("{name}: expected {code}, got {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn llvm_agrees() {
    let Some(tool) = std::env::var_os("AIEC_FILECHECK") else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("filecheck-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the cases");
    let (check, input) = (folder.join("check.txt"), folder.join("input.txt"));
    let mut wrong = Vec::new();
    for (name, args, text, given, code) in CASES {
        std::fs::write(&check, text).expect("the check file");
        std::fs::write(&input, given).expect("the input");
        let output = std::process::Command::new(&tool)
            .args(*args)
            .arg(&check)
            .arg("--input-file")
            .arg(&input)
            .output()
            .expect("LLVM's FileCheck runs");
        if output.status.code() != Some(i32::from(*code)) {
            wrong.push(format!(
                "{name}: expected {code}, LLVM says {:?}",
                output.status.code()
            ));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn message(args: &[&str], text: &str, input: &str) -> String {
    match check(&options(args), text, "check.txt", input, "<stdin>") {
        Verdict::Pass => "passes".into(),
        Verdict::Fail(message) | Verdict::Unusable(message) => message,
    }
}

#[test]
fn a_failure_names_the_nearest_line() {
    let text = "CHECK: [[T:%.*]] = tile(0, 2)\nCHECK: flow([[T]], DMA : 0)\n";
    let input = "%t = tile(0, 2)\nlock\nflow(%t, DMA : 1)\n";
    expect_test::expect![[r#"
        check.txt:2:8: error: CHECK: expected string not found in input
        CHECK: flow([[T]], DMA : 0)
               ^
        <stdin>:1:16: note: scanning from here
        %t = tile(0, 2)
                       ^
        <stdin>:3:1: note: possible intended match here
        flow(%t, DMA : 1)
        ^
        note: with "T" equal to "%t"
    "#]]
    .assert_eq(&message(&[], text, input));
}

#[test]
fn a_wrong_line_shows_both_matches() {
    expect_test::expect![[r#"
        check.txt:2:13: error: CHECK-NEXT: is not on the line after the previous match
        CHECK-NEXT: b
                    ^
        <stdin>:3:1: note: the match is here
        b
        ^
        <stdin>:1:2: note: previous match ended here
        a
         ^
    "#]]
    .assert_eq(&message(&[], "CHECK: a\nCHECK-NEXT: b\n", "a\nx\nb\n"));
}

#[test]
fn perl_escapes_are_refused() {
    let text = message(&[], "CHECK: {{\\d+}}\n", "1\n");
    assert!(
        text.contains("'\\d' is not known in FileCheck's regexes"),
        "{text}"
    );
}

#[test]
fn every_region_reports() {
    let text = "CHECK-LABEL: f\nCHECK: a\nCHECK-LABEL: g\nCHECK: b\n";
    let report = message(&[], text, "f\nx\ng\nx\n");
    assert_eq!(report.matches("error:").count(), 2, "{report}");
}
