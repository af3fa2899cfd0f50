//! `aiec fmt` on every design of the repository: words and meaning stay, and a second run changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_aie::text::layout::{check_same, layout};

/// Designs of a folder and its sub-folders.
fn designs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            designs(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "mlir") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["examples", "test"] {
        designs(&root.join(folder), &mut found);
    }
    found.sort();
    let texts = found.into_iter().filter_map(|path| {
        // Some tests are of files that aren't text.
        let text = fs::read_to_string(&path).ok()?;
        Some((path, text))
    });
    texts.collect()
}

#[test]
fn designs_keep_their_meaning_in_their_layout() {
    let all = all();
    assert!(all.len() > 100, "{} designs", all.len());
    let mut wrong = Vec::new();
    for (path, text) in &all {
        let once = layout(text);
        if let Err(error) = check_same(text, &once) {
            wrong.push(format!("{}: {error:?}", path.display()));
        } else if layout(&once) != once {
            wrong.push(format!("{}: a second run changes it", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_are_in_their_layout() {
    let all = all().into_iter();
    let other: Vec<PathBuf> = all
        .filter(|(path, text)| {
            path.components().any(|c| c.as_os_str() == "examples") && layout(text) != *text
        })
        .map(|(path, _)| path)
        .collect();
    assert!(other.is_empty(), "`aiec fmt` changes {other:?}");
}

#[test]
fn texts_that_are_cut_anywhere_have_a_layout() {
    let all = all();
    let (_, text) = all
        .iter()
        .find(|(path, _)| path.ends_with("examples/scale/design.mlir"))
        .expect("an example");
    let mut sizes = 0;
    for (end, _) in text.char_indices() {
        sizes += layout(&text[..end]).len();
    }
    assert!(sizes > text.len());
}
