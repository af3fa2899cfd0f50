//! Names and prose keep to the terms of the field (`docs/src/glossary.md`): words that once had a
//! private meaning here, and type names that nobody understands without their path, don't come back.
//! Phrases that a native engineer wouldn't write become fewer: `phrases.tsv` has how often each folder has
//! each, which is rewritten by `AIEC_BLESS=1 cargo test -p xtask --test terms`.

use std::collections::BTreeMap;
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

/// Phrases of comments and of the book, in lower case, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    (WHAT_FIRST, "begin with the noun or the verb"),
    ("so many", "name the parameter: `n`, `count`"),
    ("so much", "name the parameter"),
    ("behind", "after, past"),
    ("answers", "returns"),
    ("is no ", "isn't a"),
    ("are no ", "aren't"),
    ("stands for", "is, means, replaces"),
    ("of whose", "two sentences"),
    ("nobody", "no one reads it: say what doesn't"),
    ("somebody", "say who: the caller, the host"),
    ("whoever", "say who: the caller, the host"),
    ("anew", "again"),
    ("for ever", "without end"),
];

/// In `phrases.tsv`: a doc comment that begins with the word.
const WHAT_FIRST: &str = "What …";

/// Pages of the book that are made of tables.
const MADE_PAGES: &[&str] = &[
    "supported-ops.md",
    "op-reference.md",
    "passes.md",
    "devices.md",
    "isa.md",
    "diagnostics.md",
    "silicon.md",
];

/// How often each phrase is in each folder.
type PhraseCounts = BTreeMap<(&'static str, String), usize>;

/// The folder that a file is counted for: the crate's, or `docs`.
fn counted_folder(file: &Path) -> String {
    let parts: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
    let depth = if parts[0] == "dialect" || parts[0] == "machines" {
        2
    } else {
        1
    };
    parts[..depth.min(parts.len() - 1)].join("/")
}

/// The phrases of the list in the comments of a source, or in the text of a page.
fn phrases(text: &str, is_rust: bool) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut in_comment = false;
    for line in text.lines().map(str::trim_start) {
        let comment = ["///", "//!", "//"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        let prose = if is_rust { comment } else { Some(line) };
        let Some(prose) = prose else {
            in_comment = false;
            continue;
        };
        let lower = prose.to_lowercase();
        let starts = is_rust && !in_comment && line.len() > 2 && prose.starts_with(" What ");
        found.extend(starts.then_some(WHAT_FIRST));
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        for (phrase, _) in PHRASES.iter().filter(|(phrase, _)| *phrase != WHAT_FIRST) {
            let hits = lower.match_indices(phrase).filter(|(at, _)| {
                let rest = &lower[at + phrase.len()..];
                let is_plain =
                    phrase.ends_with(" no ") && lower[..*at].trim_end().ends_with("there");
                !is_plain
                    && !lower[..*at].ends_with(is_part)
                    && (phrase.ends_with(' ') || !rest.starts_with(is_part))
            });
            found.extend(hits.map(|_| *phrase));
        }
        in_comment = true;
    }
    found
}

/// How often the sources of the repository have the phrases.
fn count_phrases() -> PhraseCounts {
    let root = root();
    let mut files = Vec::new();
    sources(&root, &root, &mut files);
    let mut counts = PhraseCounts::new();
    for file in files {
        let is_rust = file.extension().is_some_and(|e| e == "rs");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_page = file.starts_with("docs/src") && !MADE_PAGES.contains(&&*name);
        if !is_rust && !is_page {
            continue;
        }
        let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
        for phrase in phrases(&text, is_rust) {
            *counts.entry((phrase, counted_folder(&file))).or_default() += 1;
        }
    }
    counts
}

#[test]
fn phrases_become_fewer() {
    let list = root().join("xtask/tests/phrases.tsv");
    let counts = count_phrases();
    if std::env::var_os("AIEC_BLESS").is_some() {
        let lines = counts.iter();
        let lines = lines.map(|((phrase, folder), n)| format!("{phrase}\t{folder}\t{n}\n"));
        fs::write(&list, lines.collect::<String>()).expect("the list can be written");
        return;
    }
    let text = fs::read_to_string(&list).expect("the list");
    let mut allowed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [phrase, folder, n] = fields[..] else {
            panic!("a phrase, a folder and a number in each line: {line}");
        };
        allowed.insert((phrase, folder), n.parse().expect("a number"));
    }
    let mut more = String::new();
    for ((phrase, folder), n) in &counts {
        let most = allowed.get(&(*phrase, folder.as_str())).copied();
        if *n > most.unwrap_or(0) {
            let instead = PHRASES.iter().find(|(listed, _)| listed == phrase);
            let instead = instead.map_or("", |(_, instead)| instead);
            let most = most.unwrap_or(0);
            more += &format!("{folder}: `{phrase}` {n} times, {most} before: {instead}\n");
        }
    }
    assert!(more.is_empty(), "\n{more}");
}

#[test]
fn phrases_are_those_of_prose() {
    let text =
        "/// What it is, so many\n/// What follows.\nlet behind = 1;\n// is no, isn't behind_it\n";
    assert_eq!(phrases(text, true), [WHAT_FIRST, "so many"]);
    assert_eq!(
        phrases("It is no wonder: it lies behind.", false),
        ["behind", "is no "]
    );
}
