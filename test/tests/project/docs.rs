//! Documentation that can be wrong is tested: links, the table of contents, and the pages that are
//! made from tables. `AIEC_BLESS=1` rewrites those.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use aiec_test::op_reference;
use aiec_test::operations;
use aiec_test::refused;

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

/// The Markdown files of a folder and its sub-folders.
fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            out.push(path);
        }
    }
}

/// The targets of the inline links of a text.
fn links(text: &str) -> Vec<&str> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split(')').next()).collect()
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    let mut code = false;
    let lines = page.lines().filter(|line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn links_lead_somewhere() {
    let root = root();
    let mut files = vec![root.join("README.md")];
    pages(&root.join("docs"), &mut files);
    pages(&root.join("examples"), &mut files);
    let mut broken = Vec::new();
    for file in &files {
        let text = prose(&fs::read_to_string(file).expect("a page"));
        for link in links(&text) {
            let target = link.split('#').next().unwrap_or_default();
            let web = target.contains("://") || target.is_empty();
            if !web
                && !file
                    .parent()
                    .is_some_and(|folder| folder.join(target).exists())
            {
                broken.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let src = root().join("docs/src");
    let summary = fs::read_to_string(src.join("SUMMARY.md")).expect("the table of contents");
    let listed = links(&summary);
    let mut files = Vec::new();
    pages(&src, &mut files);
    for file in files {
        let name = file
            .strip_prefix(&src)
            .expect("a page of the book")
            .display()
            .to_string();
        assert!(
            name == "SUMMARY.md" || listed.contains(&name.as_str()),
            "{name} is not listed"
        );
    }
}

/// The README shows every example.
#[test]
fn every_example_is_listed() {
    let folder = root().join("examples");
    let text = fs::read_to_string(folder.join("README.md")).expect("the examples' page");
    for entry in fs::read_dir(&folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            assert!(
                links(&text).contains(&name.as_str()),
                "{name} is not listed"
            );
        }
    }
}

/// Compares a generated page with its file.
fn generated(name: &str, text: &str) {
    generated_file(&format!("docs/src/{name}"), text);
}

/// Compares a generated file of the repository with its text.
fn generated_file(name: &str, text: &str) {
    let path = root().join(name);
    if std::env::var_os("AIEC_BLESS").is_some() {
        fs::write(&path, text).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{name} is not what its table says; AIEC_BLESS=1 rewrites it"
    );
}

#[test]
fn diagnostic_codes() {
    let mut codes: Vec<_> = aiec::explain::code_tables::all().collect();
    codes.sort_by_key(|code| code.id);
    let mut text = String::from(
        "# Diagnostic codes\n\nMade from the tables of all crates; `aiec explain CODE` shows one, with a text that gives it and \
         the same without the mistake.\n",
    );
    for code in codes {
        text += &format!("\n## `{}`\n\n{}\n", code.id, code.explanation);
    }
    generated("diagnostics.md", &text);
}

/// The keys of reports that Python's type checkers know.
#[test]
fn report_types_of_python() {
    let schema = aiec_sim::SimReport::schema();
    let text = aiec_test::python_types::module(&schema, "SimReport");
    generated_file("python/aiec/report_types.pyi", &text);
}

#[test]
fn silicon() {
    generated("silicon.md", &aiec_test::silicon::page());
}

#[test]
fn core_performance() {
    let page = root().join("docs/src/core-performance.md");
    let before = fs::read_to_string(page).unwrap_or_default();
    generated("core-performance.md", &aiec_test::core_bench::page(&before));
}

#[test]
fn devices() {
    let mut stdout = Vec::new();
    let mut show = |args: &[&str]| stdout.extend(shown(args));
    show(&["devices"]);
    for device in ["npu1", "npu2", "xcve3858"] {
        show(&["devices", device]);
    }
    let tables = String::from_utf8(stdout).expect("text");
    let text = format!(
        "# Devices\n\nAs `aiec devices` and `aiec devices NAME` show them; `--format=json` gives \
         the same to programs.\n\n```text\n{tables}```\n"
    );
    generated("devices.md", &text);
}

#[test]
fn instructions() {
    for (target, page) in [("cert", "isa.md"), ("refsi-m1", "isa-refsi.md")] {
        let text = String::from_utf8(shown(&["isa", "--target", target])).expect("text");
        generated(page, &text);
    }
}

#[test]
fn supported_operations() {
    let forgotten = operations::without_heading();
    assert!(forgotten.is_empty(), "no heading for {forgotten:?}");
    generated("supported-ops.md", &operations::page());
}

#[test]
fn what_is_refused() {
    assert_eq!(refused::out_of_date(), [""; 0], "reasons and operations");
    assert_eq!(refused::unknown_codes(), [""; 0], "codes");
    generated("refused.md", &refused::page());
}

#[test]
fn operations_in_detail() {
    let page = op_reference::page(&root());
    generated(
        "op-reference.md",
        &page.unwrap_or_else(|problem| panic!("{problem}")),
    );
}

#[test]
fn passes_by_name() {
    use aiec_passes::infra::pass::PassScope;
    use aiec_passes::pipelines::{COMPILE, all_passes};
    let mut text = String::from(
        "# Passes\n\nMade from the table of passes. `aiec opt --NAME[=OPTIONS]` runs one; a \
         compilation runs the first group, in this order.\n",
    );
    for (n, pass) in all_passes().enumerate() {
        match n {
            0 => text += "\n## Of a compilation\n",
            n if n == COMPILE.len() => text += "\n## By name only\n",
            _ => {}
        }
        text += &format!("\n### `{}`\n\n{}.\n", pass.name, pass.summary);
        if let PassScope::PartOf(whole, _) = pass.run {
            text += &format!("\nDone by `{}`, which takes its options.\n", whole.name);
        }
        if !pass.postconditions.is_empty() {
            text += "\nAfterwards:\n\n";
            for line in pass.postconditions {
                text += &format!("* {line}\n");
            }
        }
        if !pass.options.is_empty() {
            text += "\n| option | default | |\n| --- | --- | --- |\n";
            for option in pass.options {
                let (name, default) = (option.name, option.default);
                text += &format!("| `{name}` | `{default}` | {} |\n", option.summary);
            }
        }
    }
    generated("passes.md", &text);
}

/// Every operation of the table is in a test of its text form.
#[test]
fn every_operation_is_printed_and_read_in_a_test() {
    let folder = root().join("test/dialect/ops");
    let mut words = HashSet::new();
    for entry in fs::read_dir(&folder).expect("the tests of operations") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a test");
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        words.extend(text.split(|c| !name(c)).map(str::to_string));
    }
    let missing = aiec_aie::ops::OPS.iter().map(|def| def.name);
    let missing: Vec<&str> = missing
        .filter(|name| *name != "builtin.module" && *name != "func.return")
        .filter(|name| !words.contains(*name))
        .collect();
    assert!(missing.is_empty(), "in no test: {}", missing.join(", "));
}

/// Output of a run that succeeds.
fn shown(args: &[&str]) -> Vec<u8> {
    let run = aiec(args, b"");
    assert_eq!(run.exit, aiec::Exit::Done);
    run.stdout
}

/// Every code that any crate declares is known to `aiec explain`.
#[test]
fn every_declared_code_is_explained() {
    let root = root();
    let known: Vec<&str> = aiec::explain::code_tables::all()
        .map(|code| code.id)
        .collect();
    let mut files = Vec::new();
    for folder in ["dialect", "passes", "compiler"] {
        sources(&root.join(folder), &mut files);
    }
    let mut missing = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        // declarations in tests and documentation are indented comments or below `mod tests`
        let text = text.split("mod tests {").next().unwrap_or_default();
        for id in declared(text) {
            if !known.contains(&id) {
                missing.push(format!("{id} ({})", file.display()));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "not in aiec::codes: {}",
        missing.join(", ")
    );
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "tests") {
                sources(&path, out);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The ids in `NAME = "stage::what", …` lines of `codes!` tables.
fn declared(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .filter_map(|line| line.split_once(" = \"")?.1.split_once('"'))
        .filter(|(id, after)| id.contains("::") && after.starts_with(','))
        .map(|(id, _)| id)
        .collect()
}
