//! The designs and commands of the pages for readers who try them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use aiec_test::pages::{self, Command};

/// The pages that tell what to do from begin to end: what they show is compared, too.
const TUTORIALS: [&str; 7] = [
    "bound",
    "getting-started",
    "jobs",
    "scratchpad-parameters",
    "tutorial-locks",
    "tutorial-hang",
    "tutorial-performance",
];

/// Files that a page's commands name and the page doesn't hold, with those of the repository that
/// are there in their place.
const GIVEN: [(&str, &[(&str, &str)]); 10] = [
    (
        "README",
        &[("in.npy", "test/tests/project/given/numbers.npy")],
    ),
    (
        "drra",
        &[
            ("scale.drra", "examples/drra-scale/scale.drra"),
            ("x.npy", "examples/drra-scale/x.npy"),
        ],
    ),
    (
        "kernels",
        &[
            ("design.mlir", "examples/external-kernel/design.mlir"),
            ("kernels.mlir", "examples/external-kernel/kernels.mlir"),
        ],
    ),
    (
        "machine-code",
        &[
            ("design.mlir", "test/tests/project/given/machine-code.mlir"),
            ("kernel.s", "test/tests/project/given/kernel.s"),
            ("main.s", "test/tests/project/given/main.s"),
            ("program.bin", "test/tests/project/given/program.bin"),
        ],
    ),
    (
        "object-fifos",
        &[("in.npy", "test/tests/project/given/few-numbers.npy")],
    ),
    (
        "refsi",
        &[
            ("run.asm", "examples/refsi-vector-add/run.asm"),
            ("vector_add.bin", "examples/refsi-vector-add/vector_add.bin"),
            ("a.bin", "examples/refsi-vector-add/a.bin"),
            ("b.bin", "examples/refsi-vector-add/b.bin"),
        ],
    ),
    ("router", &[("other.mlir", "examples/scale/design.mlir")]),
    (
        "ryzen-ai",
        &[
            ("aie.mlir", "examples/scale/design.mlir"),
            ("a.bin", "examples/scale/arg0.bin"),
            ("b.bin", "examples/scale/expected1.bin"),
        ],
    ),
    (
        "scratchpad-parameters",
        &[("params.bin", "test/sim/Inputs/scratchpad.bin")],
    ),
    (
        "sequences",
        &[("design.mlir", "test/tests/project/given/scalar.mlir")],
    ),
];

/// Pages whose commands need files that Python programs of the page write: the tests of the Python package run them.
const OF_PYTHON: [&str; 1] = ["write-a-kernel"];

/// Commands before those of a page, for files that the page takes from elsewhere.
const BEFORE: [(&str, &[&str]); 4] = [
    (
        "README",
        &[
            "aiec design.mlir -o code.elf",
            "aiec dis code.elf -o code.asm",
            "aiec aiecc --core=model --get-xclbin --xclbin-name=app.xclbin --get-npu-insts --npu-insts-name=insts.bin design.mlir",
        ],
    ),
    ("disassembling", &["aiec design.mlir -o design.elf"]),
    ("kernels", &["aiec design.mlir -o design.elf"]),
    ("ryzen-ai", &["aiec aie.mlir --emit=npu-elf -o app.elf"]),
];

/// Parts of commands that can't be run here, and why.
const NOT_RUN: [(&str, &str); 6] = [
    ("--verify-with-mlir", "it needs the feature `mlir`"),
    ("--emit=core-llvm", "it needs the feature `mlir`"),
    (
        "--peano",
        "it needs the feature `mlir` and LLVM for AI Engines",
    ),
    (
        "libkernels.so",
        "a library that the reader's compiler makes",
    ),
    ("aiebu/", "programs of the vendor's repository"),
    ("|", "the rest is another program's"),
];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("pages")
        .join(name)
}

/// The row of a page in a table.
fn of_page<'a, T>(table: &[(&str, &'a [T])], name: &str) -> &'a [T] {
    let row = table.iter().find(|row| row.0 == name);
    row.map_or(&[], |row| row.1)
}

#[test]
fn commands_of_pages_do_what_the_pages_show() {
    let root = root();
    let mut wrong = Vec::new();
    for name in TUTORIALS {
        let page = root.join(format!("docs/src/{name}.md"));
        let folder = scratch(name);
        let mut given = vec![("arg0.bin", root.join("examples/scale/arg0.bin"))];
        let own = of_page(&GIVEN, name).iter();
        given.extend(own.map(|(name, file)| (*name, root.join(file))));
        let ran = pages::folder_with(&folder, &given)
            .and_then(|()| pages::run(&page, (&folder, &root), true, |_| false));
        wrong.extend(ran.err().map(|reason| format!("{name}: {reason}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files that a page shows as pictures.
fn pictures(page: &str) -> Vec<&str> {
    let named = page.match_indices("](").filter_map(|(at, _)| {
        let is_picture = page[..at]
            .rfind('[')
            .is_some_and(|from| page[..from].ends_with('!'));
        let file = page[at + 2..].split(')').next()?;
        is_picture.then_some(file)
    });
    let tags = page.split("<img ").skip(1);
    let of_tags = tags.filter_map(|tag| tag.split_once("src=\"")?.1.split('"').next());
    named.chain(of_tags).collect()
}

#[test]
fn pictures_of_pages_are_written_by_commands_of_the_pages() {
    assert_eq!(
        pictures("![a](b.svg) [c](d.md) <img alt=\"\" src=\"e.png\">"),
        ["b.svg", "e.png"]
    );
    let root = root();
    let book = fs::read_dir(root.join("docs/src")).expect("the book is there");
    let book = book.map(|entry| entry.expect("an entry of the book").path());
    let mut wrong = Vec::new();
    for page in book.chain([root.join("README.md")]) {
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).expect("a page of the book");
        let blocks = pages::blocks(&text);
        let commands = blocks.iter().flat_map(|block| pages::commands(&block.text));
        let commands: Vec<Command> = commands.collect();
        let is_written = |file: &&str| {
            commands
                .iter()
                .any(|c| c.args.iter().any(|arg| arg == file))
        };
        let missing = pictures(&text).into_iter().filter(|file| !is_written(file));
        wrong.extend(missing.map(|file| format!("{}: {file}", page.display())));
    }
    assert!(
        wrong.is_empty(),
        "pictures that no command of their page writes: {wrong:?}"
    );
}

#[test]
fn commands_of_all_other_pages_end_as_the_pages_say() {
    let root = root();
    let mut files: Vec<PathBuf> = fs::read_dir(root.join("docs/src"))
        .expect("the book is there")
        .map(|entry| entry.expect("an entry of the book").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    files.push(root.join("README.md"));
    files.sort();
    let (mut wrong, mut met, mut ran) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for page in files {
        let name = page
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&page).expect("a page of the book");
        let blocks = pages::blocks(&text);
        let mut shells = blocks
            .iter()
            .filter(|b| ["sh", "console"].contains(&&*b.language));
        let with_commands = shells.any(|block| !pages::commands(&block.text).is_empty());
        let is_elsewhere = TUTORIALS.contains(&&*name) || OF_PYTHON.contains(&&*name);
        if is_elsewhere || !with_commands {
            continue;
        }
        let mut given: Vec<(&str, PathBuf)> = [
            ("design.mlir", "examples/scale/design.mlir"),
            ("in.bin", "examples/scale/arg0.bin"),
            ("arg0.bin", "examples/scale/arg0.bin"),
        ]
        .map(|(name, file)| (name, root.join(file)))
        .into();
        let own = of_page(&GIVEN, &name).iter();
        given.extend(own.map(|(name, file)| (*name, root.join(file))));
        let folder = scratch(&name);
        let result = pages::folder_with(&folder, &given).and_then(|()| {
            for command in pages::commands(&of_page(&BEFORE, &name).join("\n")) {
                let run = aiec(command.within(&folder, &root), b"");
                if run.exit.code() != 0 {
                    return Err(format!("{}\n{}", command.args.join(" "), run.stderr));
                }
            }
            pages::run(&page, (&folder, &root), false, |command: &Command| {
                let parts = NOT_RUN.iter().map(|row| row.0);
                let mut parts =
                    parts.filter(|part| command.args.iter().any(|arg| arg.contains(part)));
                let part = parts.next();
                met.extend(part);
                part.is_some()
            })
        });
        wrong.extend(result.err().map(|reason| format!("{name}: {reason}")));
        ran.insert(name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all: BTreeSet<&str> = NOT_RUN.iter().map(|row| row.0).collect();
    assert_eq!(met, all, "parts of commands that can't be run");
    for name in GIVEN
        .iter()
        .map(|row| row.0)
        .chain(BEFORE.iter().map(|row| row.0))
    {
        let has_commands = ran.contains(name) || TUTORIALS.contains(&name);
        assert!(has_commands, "{name} has no commands");
    }
}
