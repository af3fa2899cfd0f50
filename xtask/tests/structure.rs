//! The structure of the workspace: crates depend on one another as the architecture page draws it,
//! and modules, at the top of a crate and below, don't refer to one another in circles but where that is listed
//! with its reason.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::structure::crates::{Crate, dependencies_of_page, oldest_compilers, read_workspace};
use xtask::structure::graph::cycles;
use xtask::structure::source::read_crate;

/// Modules that may refer to one another in circles: crate, the path of the module that declares them, their
/// names, and why. An entry covers each circle of some of its modules.
const LISTED: &[(&str, &str, &[&str], &str)] = &[
    (
        "aiec-aie",
        "text",
        &["custom", "parse", "print"],
        "the own form of an operation has regions and attributes in it: reader and printer call the forms, \
         and these call them",
    ),
    (
        "aiec-codegen",
        "",
        &["data", "lower"],
        "the data segments of a core name values in the making",
    ),
    (
        "aiec-codegen",
        "select",
        &["emit", "flow", "memory", "vector"],
        "families of instructions are methods of the selector, which calls them",
    ),
    (
        "aiec-device",
        "regmap",
        &["map", "role"],
        "a map finds the role of an address, a role the address in a map",
    ),
    (
        "aiec-sim",
        "array",
        &[
            "control_packet",
            "core_port",
            "core_tile",
            "dma",
            "races",
            "tile_context",
            "view",
        ],
        "parts of the array act on one another through the array itself",
    ),
    (
        "aiec-sim",
        "core::isa",
        &[
            "block",
            "code",
            "execute",
            "fifo",
            "later",
            "machine",
            "op",
            "parts",
            "pipeline",
            "products",
            "resolve",
            "scalar_bundles",
            "strict",
        ],
        "what operations do is resolved to functions of the machine that executes them",
    ),
];

/// Lines that a file may have.
const MAX_LINES: usize = 1500;

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
fn modules_refer_to_one_another_in_no_circle_but_those_listed() {
    let mut unlisted = String::new();
    for member in workspace() {
        let module = read_crate(&member.root).expect("its modules");
        for cycle in cycles(&module, true) {
            let is_listed = LISTED.iter().any(|(name, parent, modules, _)| {
                *name == member.name
                    && *parent == cycle.parent.join("::")
                    && cycle
                        .modules
                        .iter()
                        .all(|module| modules.contains(&&**module))
            });
            if !is_listed {
                unlisted += &cycle.description(&member.name);
            }
        }
    }
    assert!(unlisted.is_empty(), "circles of modules:\n{unlisted}");
}

/// Sources of Rust below a folder, except for those that builds leave there.
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
fn files_are_short() {
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
    assert!(
        long.is_empty(),
        "files of more than {MAX_LINES} lines: {long:?}"
    );
}

#[test]
fn no_dependency_needs_a_newer_compiler_than_the_workspace_asks_for() {
    let oldest = oldest_compilers(&root()).expect("the packages");
    let ours = oldest["aiec"];
    let newer: Vec<_> = oldest.iter().filter(|(_, minor)| **minor > ours).collect();
    assert!(newer.is_empty(), "Rust 1.{ours} is promised: {newer:?}");
}
