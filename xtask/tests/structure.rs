//! The structure of the workspace: crates depend on one another as the architecture page draws it,
//! and modules don't refer to one another in circles but where that is listed with its reason.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::structure::crates::{Crate, dependencies_of_page, oldest_compilers, read_workspace};
use xtask::structure::graph::cycles;
use xtask::structure::source::read_crate;

/// Circles between top-level modules that remain: crate, modules, and why.
const LISTED: &[(&str, &[&str], &str)] = &[];

/// Lines that a file may have.
const MAX_LINES: usize = 1500;

/// Files that may be longer, and why.
const LONG_FILES: &[(&str, &str)] = &[
    (
        "dialect/aie/src/op_table/rows.rs",
        "a table: a row for each operation",
    ),
    (
        "dialect/refsi/tests/refusals.rs",
        "a list of refused programs",
    ),
    (
        "runtime-sim/tests/machine_code/programs/scalar.rs",
        "a list of programs",
    ),
    (
        "runtime-sim/tests/machine_code/random.rs",
        "the rows that random programs draw from",
    ),
    ("runtime-sim/tests/refsi/main.rs", "a list of programs"),
];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

fn workspace() -> Vec<Crate> {
    read_workspace(&root()).expect("the workspace")
}

#[test]
fn crates_depend_on_no_others_than_the_architecture_page_draws() {
    let page = root().join("docs/src/architecture.md");
    let drawn = dependencies_of_page(&fs::read_to_string(page).expect("the page"));
    for member in workspace() {
        let allowed = drawn.get(&member.name).cloned().unwrap_or_default();
        let others: Vec<_> = member.depends_on.difference(&allowed).collect();
        assert!(
            drawn.contains_key(&member.name),
            "{} has no row",
            member.name
        );
        assert!(others.is_empty(), "{} depends on {others:?}", member.name);
    }
}

#[test]
fn top_level_modules_refer_to_one_another_in_no_circle_but_those_listed() {
    let mut unlisted = String::new();
    let mut stale: Vec<_> = LISTED.to_vec();
    for member in workspace() {
        let module = read_crate(&member.root).expect("its modules");
        for cycle in cycles(&module, false) {
            let is_same = |(name, modules, _): &(&str, &[&str], &str)| {
                *name == member.name && cycle.modules == *modules
            };
            match stale.iter().position(is_same) {
                Some(at) => drop(stale.remove(at)),
                None => unlisted += &cycle.description(&member.name),
            }
        }
    }
    assert!(unlisted.is_empty(), "circles of modules:\n{unlisted}");
    assert!(stale.is_empty(), "no circles any more: {stale:?}");
}

/// Sources of Rust below a folder, but for what builds leave there.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let is_hidden = name.to_string_lossy().starts_with('.');
        if path.is_dir() && !is_hidden && name != "target" {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_are_short_but_for_those_listed() {
    let root = root();
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(!files.is_empty());
    files.sort();
    let mut long = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("a file of the repository");
        let name = name.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).expect("a source");
        if text.lines().count() > MAX_LINES {
            long.push(name);
        }
    }
    let listed: Vec<&str> = LONG_FILES.iter().map(|(file, _)| *file).collect();
    assert_eq!(long, listed, "the files of more than {MAX_LINES} lines");
}

#[test]
fn no_dependency_needs_a_newer_compiler_than_the_workspace_asks_for() {
    let oldest = oldest_compilers(&root()).expect("the packages");
    let ours = oldest["aiec"];
    let newer: Vec<_> = oldest.iter().filter(|(_, minor)| **minor > ours).collect();
    assert!(newer.is_empty(), "Rust 1.{ours} is promised: {newer:?}");
}
