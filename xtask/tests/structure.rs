//! The structure of the workspace: crates depend on one another as the architecture page draws it,
//! and modules don't refer to one another in circles but where that is listed with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::structure::crates::{Crate, arrows_of_page, read_workspace};
use xtask::structure::graph::cycles;
use xtask::structure::source::read_crate;

/// Circles between top-level modules that remain: crate, modules, and why.
const LISTED: [(&str, &[&str], &str); 0] = [];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

fn workspace() -> Vec<Crate> {
    read_workspace(&root()).expect("the workspace")
}

#[test]
fn crates_depend_on_one_another_as_the_architecture_page_draws_it() {
    let page = root().join("docs/src/architecture.md");
    let page = fs::read_to_string(page).expect("the page");
    let found = workspace().into_iter().map(|c| (c.name, c.depends_on));
    let found: BTreeMap<_, _> = found.collect();
    assert_eq!(
        arrows_of_page(&page),
        found,
        "left: docs/src/architecture.md; right: the manifests"
    );
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
