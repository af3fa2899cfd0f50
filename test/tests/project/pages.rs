//! The designs and commands of the pages for readers who try them.

use std::path::{Path, PathBuf};

use aiec_test::pages;

/// The pages whose commands are run one after the other.
const PAGES: [&str; 4] = [
    "getting-started",
    "tutorial-locks",
    "tutorial-hang",
    "tutorial-performance",
];

#[test]
fn commands_of_pages_do_what_the_pages_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = folder.parent().map(Path::to_path_buf).unwrap_or_default();
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let given = [root.join("examples/scale/arg0.bin")];
    let mut wrong = Vec::new();
    for name in PAGES {
        let page = root.join(format!("docs/src/{name}.md"));
        if let Err(reason) = pages::run(&page, &scratch.join(name), &root, &given) {
            wrong.push(format!("{name}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
