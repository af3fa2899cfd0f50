//! Names and prose keep to the terms of the field (`docs/src/glossary.md`): words that once had a
//! private meaning here, and type names that nobody understands without their path, don't come back.

use std::fs;
use std::path::{Path, PathBuf};

/// Words, in lower case, and what to write instead. `stands for` is plain English.
const WORDS: &[(&str, &str)] = &[
    ("told", "reported, distinguished"),
    ("stands", "is, waits, is kept"),
    ("heed", "watch, follow"),
    ("heeds", "watches, follows"),
    ("peer", "mlir_aie"),
    ("in_peer", "in_mlir_aie"),
    ("rooms", "crates"),
    ("world", "tile context, device state"),
    ("worlds", "device states"),
    ("strangers", "unrelated flows"),
    ("roads", "channels"),
    ("happening", "event"),
    ("rigour", "verify mode"),
    ("misfit", "BD error"),
    ("tangled", "cyclic routing"),
    ("untie", "deadlock repair"),
];

/// Names of types that say nothing without their path.
const TYPES: &[&str] = &[
    "After",
    "Afterwards",
    "Again",
    "Around",
    "Asked",
    "AtRest",
    "Bar",
    "Beside",
    "Bond",
    "Built",
    "Cause",
    "Circle",
    "CompId",
    "Dealt",
    "Drain",
    "Elsewhere",
    "Emitted",
    "End",
    "Extras",
    "Follows",
    "Found",
    "Further",
    "Happening",
    "Held",
    "Hint",
    "Holds",
    "Implied",
    "Kept",
    "Lifted",
    "Made",
    "Maker",
    "Meeting",
    "Mentioned",
    "Misfit",
    "Moved",
    "Needs",
    "Next",
    "Note",
    "Onlooker",
    "Party",
    "Passed",
    "Peer",
    "Piece",
    "Pieces",
    "Place",
    "Placed",
    "Places",
    "Refused",
    "Rest",
    "Rigour",
    "Sent",
    "Settler",
    "Sight",
    "Standing",
    "Started",
    "Stops",
    "Stretch",
    "Survey",
    "Tangled",
    "Then",
    "To",
    "Touch",
    "Touched",
    "Unread",
    "Unsure",
    "Way",
    "What",
    "Which",
    "Whole",
    "Why",
    "Wish",
    "World",
];

/// Files or folders in which a word or a name has its usual meaning, and which.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "passes/src/place/place_tiles",
        "peer",
        "the other end of a core's fifo; part of a message of mlir-aie",
    ),
    (
        "runtime-sim/src/array/race",
        "peer",
        "the other side of a hand-over",
    ),
];

/// Folders that are not ours to word: results, published vectors, this list.
const SKIPPED: &[&str] = &["target", ".git", "test/vectors", "xtask/tests/terms.rs"];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

/// The files below a folder that people write, by their path from the root.
fn sources(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let below = path.strip_prefix(root).expect("below the root");
        if SKIPPED.iter().any(|skipped| below == Path::new(skipped)) {
            continue;
        }
        if path.is_dir() {
            sources(root, &path, found);
        } else if let Some("rs" | "md" | "mlir" | "test" | "py" | "pest") =
            path.extension().and_then(|e| e.to_str())
        {
            found.push(below.to_path_buf());
        }
    }
}

/// The words of the list in a line.
fn words(line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lower = line.to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    WORDS.iter().copied().filter(move |(word, _)| {
        lower.match_indices(word).any(|(at, _)| {
            let rest = &lower[at + word.len()..];
            !lower[..at].ends_with(is_part)
                && !rest.starts_with(is_part)
                && !rest.starts_with(" for")
        })
    })
}

/// The name of the list that a line of Rust defines as a type.
fn type_name(line: &str) -> Option<&'static str> {
    let mut tokens = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    tokens.find(|token| ["struct", "enum", "trait"].contains(token))?;
    let name = tokens.next()?;
    TYPES.iter().copied().find(|listed| *listed == name)
}

#[test]
fn words_with_a_private_meaning_and_bare_type_names_do_not_come_back() {
    let root = root();
    let (mut files, mut findings) = (Vec::new(), String::new());
    sources(&root, &root, &mut files);
    assert!(files.len() > 1000, "{} files", files.len());
    for file in files {
        let is_allowed = |word: &str| {
            let mut allowed = ALLOWED.iter();
            allowed.any(|(folder, of, _)| *of == word && file.to_string_lossy().starts_with(folder))
        };
        let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
        let is_rust = file.extension().is_some_and(|e| e == "rs");
        let mut report = |line: usize, word: &str, instead: &str| {
            if !is_allowed(word) {
                findings += &format!("{}:{line}: `{word}`: {instead}\n", file.display());
            }
        };
        for (n, line) in text.lines().enumerate() {
            for (word, instead) in words(line) {
                report(n + 1, word, instead);
            }
            if let Some(name) =
                type_name(line).filter(|_| is_rust && !line.trim().starts_with("//"))
            {
                report(n + 1, name, "say what it is");
            }
        }
    }
    assert!(findings.is_empty(), "\n{findings}");
}

#[test]
fn words_are_found_as_words() {
    let found = |line| words(line).map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(found("What is Told, and stands."), ["told", "stands"]);
    assert!(found("it stands for others; a retold peerless world_size").is_empty());
    assert_eq!(type_name("pub(super) struct Place {"), Some("Place"));
    assert_eq!(type_name("pub struct Placement {"), None);
}
