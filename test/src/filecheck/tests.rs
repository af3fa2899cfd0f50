//! The semantics of the checker, case by case: directives, an input and the exit code.
//!
//! With `AIEC_FILECHECK=/path/to/FileCheck` the same cases are also held against LLVM's tool.

use super::{Options, Verdict, check};

/// Name, options, check file, input, expected exit code.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
    u8,
);

const CASES: &[Case] = &[
    // plain
    ("plain in order", &[], "CHECK: a\nCHECK: b\n", "a\nb\n", 0),
    (
        "plain out of order",
        &[],
        "CHECK: a\nCHECK: b\n",
        "b\na\n",
        1,
    ),
    ("plain inside a line", &[], "CHECK: ell\n", "hello\n", 0),
    (
        "plain twice needs two",
        &[],
        "CHECK: a\nCHECK: a\n",
        "a\n",
        1,
    ),
    (
        "comment marker before the prefix",
        &[],
        "// CHECK: a\n",
        "a\n",
        0,
    ),
    (
        "prefix inside a word is none",
        &[],
        "XCHECK: zz\nCHECK: a\n",
        "a\n",
        0,
    ),
    (
        "prefix after a dash is none",
        &[],
        "X-CHECK: zz\nCHECK: a\n",
        "a\n",
        0,
    ),
    (
        "regex characters are plain",
        &[],
        "CHECK: a.c(*)\n",
        "a.c(*)\n",
        0,
    ),
    ("dot is no wildcard", &[], "CHECK: a.c\n", "abc\n", 1),
    (
        "braces alone are plain",
        &[],
        "CHECK: {a} [b]\n",
        "{a} [b]\n",
        0,
    ),
    (
        "literal",
        &[],
        "CHECK{LITERAL}: [[a]] {{b}}\n",
        "[[a]] {{b}}\n",
        0,
    ),
    ("no directives", &[], "nothing\n", "a\n", 2),
    ("empty directive", &[], "CHECK:\n", "a\n", 2),
    ("empty input", &[], "CHECK: a\n", "", 2),
    (
        "empty input allowed",
        &["--allow-empty"],
        "CHECK-NOT: a\n",
        "",
        0,
    ),
    ("commented out", &[], "COM: CHECK: zz\nCHECK: a\n", "a\n", 0),
    (
        "run lines are no directives",
        &[],
        "RUN: x CHECK: zz\nCHECK: a\n",
        "a\n",
        0,
    ),
    // blanks
    ("blanks are canonical", &[], "CHECK: a   b\n", "a \t b\n", 0),
    ("blanks must exist", &[], "CHECK: a b\n", "ab\n", 1),
    (
        "strict blanks",
        &["--strict-whitespace"],
        "CHECK: a  b\n",
        "a b\n",
        1,
    ),
    (
        "carriage returns are dropped",
        &[],
        "CHECK: a\nCHECK-NEXT: b\n",
        "a\r\nb\r\n",
        0,
    ),
    // regex
    ("regex", &[], "CHECK: x{{[0-9]+}}y\n", "x123y\n", 0),
    ("regex fails", &[], "CHECK: x{{[0-9]+}}y\n", "xy\n", 1),
    (
        "regex alternation is grouped",
        &[],
        "CHECK: a{{b|c}}d\n",
        "acd\n",
        0,
    ),
    (
        "regex posix class",
        &[],
        "CHECK: {{[[:digit:]]+}}x\n",
        "12x\n",
        0,
    ),
    (
        "regex dot stays in its line",
        &[],
        "CHECK: a{{.*}}b\n",
        "a\nb\n",
        1,
    ),
    (
        "regex negation stays in its line",
        &[],
        "CHECK: a{{[^x]*}}b\n",
        "a\nb\n",
        1,
    ),
    ("regex anchors", &[], "CHECK: {{^}}b{{$}}\n", "ab\nb\n", 0),
    (
        "regex with a closing brace",
        &[],
        "CHECK: {{a.}}}\n",
        "ab}\n",
        0,
    ),
    ("regex escapes", &[], "CHECK: {{\\(\\.\\)}}\n", "(.)\n", 0),
    ("regex never closed", &[], "CHECK: {{a\n", "a\n", 2),
    ("regex repeats nothing", &[], "CHECK: {{*a}}\n", "a\n", 2),
    (
        "ignore case",
        &["--ignore-case"],
        "CHECK: AbC\n",
        "aBc\n",
        0,
    ),
    // variables
    (
        "variable",
        &[],
        "CHECK: def [[X:%.+]]\nCHECK: use [[X]]\n",
        "def %a\nuse %a\n",
        0,
    ),
    (
        "variable differs",
        &[],
        "CHECK: def [[X:%.+]]\nCHECK: use [[X]]\n",
        "def %a\nuse %b\n",
        1,
    ),
    (
        "variable in its own line",
        &[],
        "CHECK: [[X:.*]]=[[X]]!\n",
        "ab=ab!\n",
        0,
    ),
    (
        "variable in its own line differs",
        &[],
        "CHECK: [[X:.*]]=[[X]]!\n",
        "ab=ac!\n",
        1,
    ),
    ("variable undefined", &[], "CHECK: [[X]]\n", "a\n", 1),
    (
        "variable redefined",
        &[],
        "CHECK: [[X:.]]\nCHECK: [[X:.]]\nCHECK: [[X]]\n",
        "a\nb\nb\n",
        0,
    ),
    (
        "variable value is plain text",
        &[],
        "CHECK: [[X:..]]\nCHECK: <[[X]]>\n",
        "a.\n<ab>\n",
        1,
    ),
    (
        "variable with brackets",
        &[],
        "CHECK: [[X:[a-z]+]]1\nCHECK: [[X]]2\n",
        "ab1\nab2\n",
        0,
    ),
    ("define", &["-DX=abc"], "CHECK: [[X]]\n", "abc\n", 0),
    (
        "scope forgets",
        &["--enable-var-scope"],
        "CHECK: [[X:a]]\nCHECK-LABEL: l\nCHECK: [[X]]\n",
        "a\nl\na\n",
        1,
    ),
    (
        "scope keeps globals",
        &["--enable-var-scope"],
        "CHECK: [[$X:a]]\nCHECK-LABEL: l\nCHECK: [[$X]]\n",
        "a\nl\na\n",
        0,
    ),
    // numbers
    (
        "number",
        &[],
        "CHECK: [[#N:]]\nCHECK: [[#N+1]]\n",
        "9\n10\n",
        0,
    ),
    (
        "number differs",
        &[],
        "CHECK: [[#N:]]\nCHECK: [[#N+1]]\n",
        "9\n11\n",
        1,
    ),
    ("number any", &[], "CHECK: a[[#]]b\n", "a42b\n", 0),
    (
        "number hex",
        &[],
        "CHECK: [[#%x,N:]]\nCHECK: [[#N+1]]\n",
        "9f\na0\n",
        0,
    ),
    (
        "number hex upper",
        &[],
        "CHECK: [[#%X,N:]]\nCHECK: [[#N+1]]\n",
        "9F\nA0\n",
        0,
    ),
    (
        "number hex prefix",
        &[],
        "CHECK: [[#%#x,N:]]\nCHECK: [[#N+1]]\n",
        "0x0f\n0x10\n",
        0,
    ),
    (
        "number precision",
        &[],
        "CHECK: [[#%.4x,N:]]\nCHECK: [[#N+1]]\n",
        "00ff\n0100\n",
        0,
    ),
    (
        "number signed",
        &[],
        "CHECK: [[#%d,N:]]\nCHECK: [[#N+3]]\n",
        "-1\n2\n",
        0,
    ),
    (
        "number constraint",
        &[],
        "CHECK: [[#N:]] [[#M:]]\nCHECK: [[#N+M]]\n",
        "2 3\n5\n",
        0,
    ),
    (
        "number defined by value",
        &[],
        "CHECK: [[#N:7]]\nCHECK: [[#N]]\n",
        "7\n7\n",
        0,
    ),
    (
        "number function",
        &[],
        "CHECK: [[#N:]]\nCHECK: [[#mul(N,2)]]\n",
        "4\n8\n",
        0,
    ),
    ("number define", &["-D#N=5"], "CHECK: [[#N-1]]\n", "4\n", 0),
    (
        "number used where defined",
        &[],
        "CHECK: [[#N:]] [[#N+1]]\n",
        "1 2\n",
        2,
    ),
    ("line", &[], "\nCHECK: [[@LINE+1]]\n", "3\n", 0),
    ("line numeric", &[], "\nCHECK: [[#@LINE-1]]\n", "1\n", 0),
    // next, same, empty
    ("next", &[], "CHECK: a\nCHECK-NEXT: b\n", "a\nb\n", 0),
    (
        "next too far",
        &[],
        "CHECK: a\nCHECK-NEXT: b\n",
        "a\n\nb\n",
        1,
    ),
    (
        "next on the same line",
        &[],
        "CHECK: a\nCHECK-NEXT: b\n",
        "a b\nb\n",
        1,
    ),
    ("next first", &[], "CHECK-NEXT: b\n", "b\n", 2),
    ("same", &[], "CHECK: a\nCHECK-SAME: b\n", "a b\n", 0),
    (
        "same elsewhere",
        &[],
        "CHECK: a\nCHECK-SAME: b\n",
        "a\nb\n",
        1,
    ),
    (
        "empty",
        &[],
        "CHECK: a\nCHECK-EMPTY:\nCHECK-NEXT: b\n",
        "a\n\nb\n",
        0,
    ),
    (
        "empty missing",
        &[],
        "CHECK: a\nCHECK-EMPTY:\n",
        "a\nb\n",
        1,
    ),
    (
        "empty too far",
        &[],
        "CHECK: a\nCHECK-EMPTY:\n",
        "a\nb\n\n",
        1,
    ),
    // not
    (
        "not",
        &[],
        "CHECK: a\nCHECK-NOT: x\nCHECK: b\n",
        "a\nb\nx\n",
        0,
    ),
    (
        "not found",
        &[],
        "CHECK: a\nCHECK-NOT: x\nCHECK: b\n",
        "a\nx\nb\n",
        1,
    ),
    (
        "not at the end",
        &[],
        "CHECK: a\nCHECK-NOT: x\n",
        "a\nb\nx\n",
        1,
    ),
    (
        "not at the start",
        &[],
        "CHECK-NOT: x\nCHECK: a\n",
        "x\na\n",
        1,
    ),
    (
        "not combined",
        &[],
        "CHECK-NOT-NEXT: a\nCHECK: a\n",
        "a\n",
        2,
    ),
    (
        "implicit not",
        &["--implicit-check-not=x"],
        "CHECK: a\nCHECK: b\n",
        "a\nb\n",
        0,
    ),
    (
        "implicit not found",
        &["--implicit-check-not=x"],
        "CHECK: a\nCHECK: b\n",
        "a x\nb\n",
        1,
    ),
    (
        "implicit not after",
        &["--implicit-check-not=x"],
        "CHECK: a\n",
        "a\nx\n",
        1,
    ),
    // dag
    (
        "dag any order",
        &[],
        "CHECK-DAG: a\nCHECK-DAG: b\nCHECK: c\n",
        "b\na\nc\n",
        0,
    ),
    (
        "dag then plain",
        &[],
        "CHECK-DAG: a\nCHECK-DAG: b\nCHECK: c\n",
        "b\nc\na\n",
        1,
    ),
    (
        "dag no overlap",
        &[],
        "CHECK-DAG: a\nCHECK-DAG: a\n",
        "a\n",
        1,
    ),
    (
        "dag no overlap, two",
        &[],
        "CHECK-DAG: a{{.}}\nCHECK-DAG: a{{.}}\n",
        "a1\na2\n",
        0,
    ),
    (
        "dag variable",
        &[],
        "CHECK-DAG: [[X:%.]] = a\nCHECK-DAG: u [[X]]\n",
        "%1 = a\nu %1\n",
        0,
    ),
    (
        "dag not between",
        &[],
        "CHECK-DAG: a\nCHECK-NOT: x\nCHECK-DAG: b\n",
        "a\nx\nb\n",
        1,
    ),
    (
        "dag not outside",
        &[],
        "CHECK-DAG: a\nCHECK-NOT: x\nCHECK-DAG: b\n",
        "x\na\nb\n",
        0,
    ),
    (
        "dag after not is later",
        &[],
        "CHECK-DAG: a\nCHECK-NOT: x\nCHECK-DAG: b\n",
        "b\na\n",
        1,
    ),
    // label
    (
        "label",
        &[],
        "CHECK-LABEL: f\nCHECK: a\nCHECK-LABEL: g\nCHECK: b\n",
        "f\na\ng\nb\n",
        0,
    ),
    (
        "label confines",
        &[],
        "CHECK-LABEL: f\nCHECK: a\nCHECK-LABEL: g\n",
        "f\ng\na\n",
        1,
    ),
    ("label missing", &[], "CHECK-LABEL: f\nCHECK: a\n", "a\n", 1),
    (
        "label with a variable",
        &[],
        "CHECK-LABEL: [[X:a]]\n",
        "a\n",
        2,
    ),
    (
        "label not before",
        &[],
        "CHECK: a\nCHECK-NOT: x\nCHECK-LABEL: g\n",
        "a\nx\ng\n",
        1,
    ),
    // count
    ("count", &[], "CHECK-COUNT-3: a\n", "a\na\na\n", 0),
    ("count short", &[], "CHECK-COUNT-3: a\n", "a\na\n", 1),
    (
        "count then not",
        &[],
        "CHECK-COUNT-2: a\nCHECK-NOT: a\n",
        "a\na\na\n",
        1,
    ),
    ("count zero", &[], "CHECK-COUNT-0: a\n", "a\n", 2),
    // prefixes
    (
        "prefix",
        &["--check-prefix=A"],
        "A: a\nB: b\nCHECK: c\n",
        "a\n",
        0,
    ),
    (
        "prefixes",
        &["--check-prefixes=A,B"],
        "A: a\nB: b\n",
        "a\nb\n",
        0,
    ),
    (
        "prefixes mixed order",
        &["--check-prefixes=A,B"],
        "A: a\nB: b\n",
        "b\na\n",
        1,
    ),
    (
        "prefix unused",
        &["--check-prefixes=A,B"],
        "A: a\n",
        "a\n",
        2,
    ),
    (
        "prefix longer first",
        &["--check-prefixes=A,A-B"],
        "A-B: b\nA: a\n",
        "b\na\n",
        0,
    ),
    // full lines
    (
        "full lines",
        &["--match-full-lines"],
        "CHECK: a\n",
        "  a \n",
        0,
    ),
    (
        "full lines fail",
        &["--match-full-lines"],
        "CHECK: a\n",
        "ab\n",
        1,
    ),
];

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
