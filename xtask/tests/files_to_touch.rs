//! Adding an instruction of CERT, an operation that is only parts, or a pass touches at most three
//! files (`CONTRIBUTING.md`): of each that exists, the sources that spell it are counted, without
//! tests and pages. Files with rules about certain rows of a table are listed with their reasons; none
//! of them may know so many rows that it is a second table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use xtask::structure::spelled::SpelledNames;

/// Files that an addition may touch.
const MAX_FILES: usize = 3;

/// Files or folders that name rows of a table for a reason of their own.
type Exceptions = &'static [(&'static str, &'static str)];

/// The instruction table, what instructions do, and where the compiler emits them.
const INSTRUCTION_FILES: [&str; 3] = [
    "dialect/cert/src/isa/table.rs",
    "runtime-sim/src/cert/exec.rs",
    "passes/src/jobs/encode.rs",
];

/// Who else names instructions. A new one is an instruction like all others there.
const INSTRUCTION_EXCEPTIONS: Exceptions = &[
    (
        "compiler/src/dis/remarks.rs",
        "remarks on addresses of registers",
    ),
    (
        "dialect/cert/src/asm/",
        "operands with bounds; frames of jobs",
    ),
    (
        "dialect/cert/src/check/",
        "rules about certain instructions",
    ),
    (
        "dialect/cert/src/dis/",
        "where jobs and scopes begin and end",
    ),
    ("dialect/cert/src/dump.rs", "END_JOB ends a job"),
    (
        "dialect/cert/src/fix",
        "what depends on registers and barriers",
    ),
    (
        "dialect/cert/src/image/encode.rs",
        "the headers of jobs; relocations",
    ),
    ("dialect/cert/src/pager", "jobs of a barrier share a page"),
    ("dialect/cert/src/print.rs", "frames of jobs; hexadecimal"),
    ("dialect/cert/src/program.rs", "relocations"),
    (
        "passes/src/mlir_aie_compat/npu_to_cert.rs",
        "the pass that emits `aiex.cert` operations",
    ),
    (
        "passes/src/jobs/cost.rs",
        "times of the bus, for the choice between chain and writes",
    ),
    (
        "passes/src/jobs/estimate.rs",
        "instructions that wait for others",
    ),
    (
        "passes/src/jobs/operations.rs",
        "`aiex.cert` operations that are two instructions",
    ),
    (
        "passes/src/jobs/pages.rs",
        "barriers of several controllers",
    ),
    ("passes/src/jobs/plan.rs", "data of the uC-DMA"),
    (
        "passes/src/jobs/schedule/",
        "emits waits, barriers and launches",
    ),
    ("passes/src/jobs/timeline.rs", "waits for tokens"),
    (
        "runtime-sim/src/cert/",
        "what goes on behind an instruction",
    ),
];

/// The rows of the table of operations.
const OPERATION_FILE: &str = "dialect/aie/src/op_table/rows.rs";

/// Who else in `dialect/aie` names operations that have a format. An operation that is only parts
/// needs none of them.
const OPERATION_EXCEPTIONS: Exceptions = &[
    (
        "dialect/aie/src/ir/",
        "the module and the ends of its regions",
    ),
    (
        "dialect/aie/src/ops/netlist.rs",
        "answers beyond single attributes",
    ),
    (
        "dialect/aie/src/text/custom/",
        "names of results, defaults, and texts that are more than a format",
    ),
    ("dialect/aie/src/text/parse/", "regions; older texts"),
    (
        "dialect/aie/src/verify/",
        "what operations must hold beyond their rows",
    ),
];

/// Files that spell a pass although they need not for its addition.
const PASS_EXCEPTIONS: Exceptions = &[
    (
        "compiler/src/design_compiler.rs",
        "options of `compile` that are options of passes",
    ),
    ("compiler/src/session.rs", "what jobs need is run by parts"),
];

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().expect("the repository").to_path_buf()
}

/// Names that the sources below some folders spell, by path; without tests and benches.
fn sources(folders: &[&str]) -> BTreeMap<String, SpelledNames> {
    let mut found = BTreeMap::new();
    for folder in folders {
        read_folder(&root().join(folder), &mut found);
    }
    found
}

fn read_folder(folder: &Path, found: &mut BTreeMap<String, SpelledNames>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if matches!(name.as_str(), "tests" | "tests.rs" | "benches" | "target") {
            continue;
        }
        if path.is_dir() {
            read_folder(&path, found);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let names = SpelledNames::read(&text).expect("Rust");
            let path = path.strip_prefix(root()).expect("a path of the repository");
            found.insert(path.to_string_lossy().replace('\\', "/"), names);
        }
    }
}

/// The files that spell each row of a table.
struct Spellings(BTreeMap<String, BTreeSet<String>>);

impl Spellings {
    fn count<Row>(
        sources: &BTreeMap<String, SpelledNames>,
        rows: &BTreeMap<String, Row>,
        spells: impl Fn(&str, &SpelledNames, &str, &Row) -> bool,
    ) -> Spellings {
        let files_of = |name: &String, row: &Row| {
            let spelling = sources
                .iter()
                .filter(|(file, names)| spells(file, names, name, row));
            spelling.map(|(file, _)| file.clone()).collect()
        };
        let count = |(name, row): (&String, &Row)| (name.clone(), files_of(name, row));
        Spellings(rows.iter().map(count).collect())
    }

    /// Every row is spelled in at most [`MAX_FILES`] files besides the exceptions, each of which is
    /// needed.
    fn check(&self, tables: &[&str], exceptions: Exceptions) {
        let excepted = |file: &str| exceptions.iter().find(|(path, _)| file.starts_with(path));
        let mut needed = BTreeSet::new();
        let mut rows_of_file: BTreeMap<&str, usize> = BTreeMap::new();
        for (row, files) in &self.0 {
            let mut counted = Vec::new();
            for file in files {
                *rows_of_file.entry(file).or_default() += 1;
                match excepted(file) {
                    Some((path, _)) if !tables.contains(&file.as_str()) => {
                        needed.insert(*path);
                    }
                    _ => counted.push(file),
                }
            }
            let few = counted.len() <= MAX_FILES;
            assert!(
                few,
                "{row} is spelled in more than three files: {counted:?}"
            );
        }
        let stale = exceptions.iter().filter(|(path, _)| !needed.contains(path));
        let stale: Vec<_> = stale.collect();
        assert!(stale.is_empty(), "exceptions without need: {stale:?}");
        rows_of_file.retain(|file, rows| 2 * *rows > self.0.len() && !tables.contains(file));
        assert!(rows_of_file.is_empty(), "second tables: {rows_of_file:?}");
    }
}

/// The text of a source and its rows `Kind = …`, as the kind and what is behind the equals sign.
fn table_rows(file: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(file)).expect("a table");
    let row = |line: &str| {
        let (kind, rest) = line.trim_start().split_once(" = ")?;
        let is_kind =
            kind.chars().all(char::is_alphanumeric) && kind.starts_with(char::is_uppercase);
        is_kind.then(|| (kind.to_string(), rest.to_string()))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn an_instruction_of_cert_touches_at_most_three_files() {
    let sources = sources(&[
        "compiler/src",
        "dialect/cert/src",
        "emit/src",
        "passes/src",
        "runtime-sim/src",
    ]);
    // A row: `Nop = 0x14 "NOP" …`.
    let rows = table_rows(INSTRUCTION_FILES[0]).into_iter();
    let rows: BTreeMap<String, String> = rows
        .filter(|(_, rest)| rest.starts_with("0x"))
        .map(|(kind, rest)| {
            (
                kind,
                rest.split('"').nth(1).expect("a mnemonic").to_string(),
            )
        })
        .collect();
    assert!(rows.len() > 30, "rows: {rows:?}");
    let spelled = Spellings::count(&sources, &rows, |file, names, kind, mnemonic| {
        let knows = file.starts_with("dialect/cert/")
            || names.paths.iter().any(|(first, _)| first == "aiec_cert");
        let variant = |type_name| names.has_path(type_name, kind);
        knows
            && (names.strings.contains(mnemonic)
                || ["Op", "RawOp", "SymOp"].into_iter().any(variant))
    });
    for (kind, files) in &spelled.0 {
        let executed = files.contains(INSTRUCTION_FILES[1]);
        assert!(
            executed,
            "{kind} has no semantics in {}",
            INSTRUCTION_FILES[1]
        );
    }
    spelled.check(&INSTRUCTION_FILES, INSTRUCTION_EXCEPTIONS);
}

#[test]
fn an_operation_of_parts_touches_at_most_three_files() {
    let sources = sources(&["dialect/aie/src", "dialect/aie/build"]);
    // A row: `Tile = "aie.tile" … "($col, $row)$attrs"`; those without a format are more than parts.
    let rows: BTreeMap<String, String> = table_rows(OPERATION_FILE)
        .into_iter()
        .filter(|(_, rest)| rest.starts_with('"') && rest.ends_with('"'))
        .map(|(kind, rest)| (kind, rest.split('"').nth(1).expect("a name").to_string()))
        .collect();
    assert!(rows.len() > 250, "{} rows", rows.len());
    let spelled = Spellings::count(&sources, &rows, |file, names, kind, name| {
        let view = |function| names.has_path(kind, function);
        file == OPERATION_FILE
            || names.strings.contains(name)
            || names.has_path("OpKind", kind)
            || ["build", "cast", "new"].into_iter().any(view)
    });
    let nowhere_else = spelled.0.values().filter(|files| files.len() == 1).count();
    let most = 2 * nowhere_else > rows.len();
    assert!(
        most,
        "only {nowhere_else} of {} rows are known by their table alone",
        rows.len()
    );
    spelled.check(&[OPERATION_FILE], OPERATION_EXCEPTIONS);
}

#[test]
fn a_pass_touches_at_most_three_files() {
    let pipelines = "passes/src/pipelines.rs";
    let sources = sources(&["compiler/src", "emit/src", "passes/src"]);
    // A row: `&crate::place::place_tiles::PASS,`.
    let text = fs::read_to_string(root().join(pipelines)).expect("the pipelines");
    let rows: BTreeMap<String, Vec<&str>> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("&crate::")?.strip_suffix(','))
        .map(|path| (path.to_string(), path.split("::").collect()))
        .collect();
    assert!(rows.len() > 50, "{} passes", rows.len());
    let spelled = Spellings::count(&sources, &rows, |file, names, path, row| {
        let [folders @ .., module, constant] = row.as_slice() else {
            panic!("{path} is no path of a pass");
        };
        let folder = format!("passes/src/{}", folders.join("/"));
        let folder = folder.trim_end_matches('/');
        let defined = [
            format!("{folder}/{module}.rs"),
            format!("{folder}/{module}/mod.rs"),
        ];
        let declares = [format!("{folder}/mod.rs"), "passes/src/lib.rs".to_string()];
        defined.iter().any(|place| place == file)
            || names.has_path(module, constant)
            || declares.iter().any(|place| place == file) && names.modules.contains(*module)
    });
    for (path, files) in &spelled.0 {
        assert!(files.len() >= 2, "{path} is found in {files:?} only");
    }
    spelled.check(&[pipelines], PASS_EXCEPTIONS);
}
