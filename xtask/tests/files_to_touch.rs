//! Adding an instruction of CERT, an operation that is only parts, a pass or an emitter touches at
//! most three files, a counter of the simulator two (`CONTRIBUTING.md`): of each that exists, the
//! sources that spell it are counted, without tests and pages. Files with rules about certain rows
//! of a table are listed with their reasons; none of them may know half of the rows or more, as it
//! would be a second table.

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

/// Files that a counter of the simulator may touch: its row, and where it counts.
const MAX_COUNTER_FILES: usize = 2;

/// The tables of counters (`counters!`), with the folders in which they are counted.
const COUNTER_FILES: [(&str, &str); 3] = [
    ("runtime-sim/src/array/stats.rs", "runtime-sim/src/array/"),
    ("runtime-sim/src/cert/vm.rs", "runtime-sim/src/cert/"),
    (
        "runtime-sim/src/npu/firmware/mod.rs",
        "runtime-sim/src/npu/",
    ),
];

/// Fields that hold a record of counters.
const COUNTER_HOLDERS: [&str; 3] = ["counts", "stats", "times"];

/// Files that read certain counters. The report, its schema, the Python types and the columns of states derive from the rows.
const COUNTER_EXCEPTIONS: Exceptions = &[
    ("compiler/src/sim/dumps.rs", "a state as text"),
    (
        "compiler/src/sim/run_facts.rs",
        "shares of the busiest parts",
    ),
    (
        "compiler/src/sim/unreached.rs",
        "whether a preemption point was reached",
    ),
    (
        "runtime-sim/src/array/dma/status.rs",
        "waits that are open count too",
    ),
    ("runtime-sim/src/array/progress.rs", "words of a task"),
    ("runtime-sim/src/array/wait_state.rs", "ticks to cycles"),
    (
        "runtime-sim/src/report/mod.rs",
        "idle cycles and rates are computed",
    ),
    ("runtime-sim/src/report/stalls.rs", "stalls by cause"),
    (
        "runtime-sim/src/report/table.rs",
        "columns in an order of their own",
    ),
];

/// Files that spell a pass although they need not for its addition.
const PASS_EXCEPTIONS: Exceptions = &[
    (
        "compiler/src/design_compiler.rs",
        "options of `compile` that are options of passes",
    ),
    (
        "compiler/src/session/mod.rs",
        "what jobs need is run by parts",
    ),
];

/// The rows of the table of emitters.
const EMITTER_FILE: &str = "emit/src/lib.rs";

/// Who else names kinds of files.
const EMITTER_EXCEPTIONS: Exceptions = &[
    (
        "compiler/src/build.rs",
        "what the host code of a device loads",
    ),
    ("compiler/src/compile/", "options of aiecc that are kinds"),
    ("compiler/src/example/", "the picture of an example"),
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

    /// Every row is spelled in at most `max_files` files besides the exceptions, each of which is
    /// needed.
    fn check(&self, tables: &[&str], exceptions: Exceptions, max_files: usize) {
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
            let few = counted.len() <= max_files;
            assert!(
                few,
                "{row} is spelled in more than {max_files} files: {counted:?}"
            );
        }
        let stale = exceptions.iter().filter(|(path, _)| !needed.contains(path));
        let stale: Vec<_> = stale.collect();
        assert!(stale.is_empty(), "exceptions without need: {stale:?}");
        rows_of_file.retain(|file, rows| 2 * *rows > self.0.len() && !tables.contains(file));
        assert!(rows_of_file.is_empty(), "second tables: {rows_of_file:?}");
    }
}

/// The text of a source and its rows `Kind = …`, as the kind and the text after the equals sign.
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
    spelled.check(&INSTRUCTION_FILES, INSTRUCTION_EXCEPTIONS, MAX_FILES);
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
    spelled.check(&[OPERATION_FILE], OPERATION_EXCEPTIONS, MAX_FILES);
}

/// The fields of the `counters!` of a source, each with its record.
fn counters(file: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(file)).expect("a source");
    let (_, after) = text.split_once("\ncounters! {\n").expect("counters");
    let (table, _) = after.split_once("\n}\n").expect("the end of the counters");
    let (mut record, mut found) = (String::new(), Vec::new());
    for line in table.lines() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("pub struct ") {
            record = name.trim_end_matches([' ', '{']).to_string();
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|l| l.split_once(':')) {
            found.push((record.clone(), name.to_string()));
        }
    }
    found
}

#[test]
fn a_counter_of_the_simulator_touches_two_files() {
    let sources = sources(&[
        "compiler/src/sim",
        "emit/src/dataflow",
        "python/src",
        "runtime-sim/src",
    ]);
    let mut rows: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (table, (file, _)) in COUNTER_FILES.iter().enumerate() {
        for (record, field) in counters(file) {
            rows.insert(format!("{record}.{field}"), (table, field));
        }
    }
    assert!(rows.len() >= 20, "{rows:?}");
    let spelled = Spellings::count(&sources, &rows, |file, names, _, (table, field)| {
        let (own, _) = COUNTER_FILES[*table];
        let mut others = COUNTER_FILES.iter().enumerate();
        // Another machine's counters may have the same name.
        let is_other = others.any(|(n, (_, folder))| n != *table && file.starts_with(folder));
        let holds = |holder: &&str| {
            names
                .members
                .contains(&(holder.to_string(), field.to_string()))
        };
        file == own || !is_other && COUNTER_HOLDERS.iter().any(holds)
    });
    let tables = COUNTER_FILES.map(|(file, _)| file);
    spelled.check(&tables, COUNTER_EXCEPTIONS, MAX_COUNTER_FILES);
}

#[test]
fn a_pass_touches_at_most_three_files() {
    let pipelines = "passes/src/pipelines.rs";
    let sources = sources(&["compiler/src", "emit/src", "passes/src"]);
    // A row: `&crate::place::place_tiles::PASS,` or `step(&crate::place::place_tiles::PASS)` with its options.
    let text = fs::read_to_string(root().join(pipelines)).expect("the pipelines");
    let rows: BTreeMap<String, Vec<&str>> = text
        .lines()
        .filter_map(|line| {
            let row = line.trim();
            let row = row.strip_prefix("step(").unwrap_or(row);
            let path = row.strip_prefix("&crate::")?;
            let end = path.find([',', ')'])?;
            Some(&path[..end])
        })
        .map(|path| (path.to_string(), path.split("::").collect()))
        .collect();
    assert!(rows.len() > 50, "{} passes", rows.len());
    let spelled = Spellings::count(&sources, &rows, |file, names, path, row| {
        let [folders @ .., module, constant] = row.as_slice() else {
            panic!("{path} isn't a path of a pass");
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
    spelled.check(&[pipelines], PASS_EXCEPTIONS, MAX_FILES);
}

#[test]
fn an_emitter_touches_at_most_three_files() {
    let sources = sources(&["compiler/src", "emit/src"]);
    // A row: `"routing-dot" "routing.dot" text Routed One(routing_dot::emit)`.
    let text = fs::read_to_string(root().join(EMITTER_FILE)).expect("the kinds");
    let row = |line: &str| {
        let (name, rest) = line.trim().strip_prefix('"')?.split_once("\" \"")?;
        // A word of one part is something else elsewhere: a feature, an extension.
        let is_row = rest.ends_with(')') && name.contains('-');
        let (_, emitter) = rest.split_once('(')?;
        is_row.then(|| (name.to_string(), emitter.trim_end_matches(')').to_string()))
    };
    let rows: BTreeMap<String, String> = text.lines().filter_map(row).collect();
    assert!(rows.len() > 12, "{} rows", rows.len());
    let spelled = Spellings::count(&sources, &rows, |file, names, name, emitter| {
        let module = emitter.split("::").next().unwrap_or_default();
        let defined = [
            format!("emit/src/{module}.rs"),
            format!("emit/src/{module}/mod.rs"),
        ];
        defined.iter().any(|place| place == file) || names.strings.contains(name)
    });
    for (name, files) in &spelled.0 {
        assert!(files.len() >= 2, "{name} is found in {files:?} only");
    }
    spelled.check(&[EMITTER_FILE], EMITTER_EXCEPTIONS, MAX_FILES);
}
