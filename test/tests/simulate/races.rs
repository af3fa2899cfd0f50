//! The corpus of `test/races`: pairs of designs, one good, the other with one lock operation, BD, token or
//! depth changed (`_bad`). The second line says `RACES: none`, or `RACES: marked`: then the lines with `// race` are
//! those of the accesses that race or that read what nothing wrote, all and no others. Control code
//! (`.asm`) has no lines: `RACES: found`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_sim::diagnosis::RaceReport;
use aiec_sim::{HostBuffer, SimOptions, SimResult, Status, simulate};
use aiec_test::designs::runs::{buffers, drawn, hold, netlist};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, failures};

/// Least designs.
const LEAST: usize = 60;
/// No design needs more.
const MAX_CYCLES: u64 = 200_000;
/// Mark on the line of an access that races.
const MARK: &str = "// race";
/// Seeds of which at least one shows wrong data.
const SEEDS: u64 = 60;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("races");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn run(elf: &[u8], options: &SimOptions) -> SimResult {
    simulate(elf, Vec::new(), options).unwrap_or_else(|error| panic!("{error}"))
}

fn build(design: &[u8], args: &[&str]) -> Result<Vec<u8>, String> {
    aiec(args, design).output()
}

fn options() -> SimOptions {
    SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    }
}

/// The lines of accesses that race, or read what nothing wrote.
fn reported(result: &SimResult) -> BTreeSet<usize> {
    let races = result.races.iter().flat_map(|found| &found.races);
    let reads = result.races.iter().flat_map(|found| &found.unwritten);
    let accesses = races.flat_map(|race| &race.accesses);
    let accesses = accesses.chain(reads.map(|read| &read.access));
    let line = |source: &String| source.rsplit(':').nth(1)?.parse().ok();
    accesses
        .filter_map(|access| access.source.as_ref().and_then(line))
        .collect()
}

/// Whether races are reported by tile, address, page and offset.
fn names_places(races: &[RaceReport]) -> bool {
    let place = |race: &RaceReport| race.place.contains("bytes 0x40") && race.tile.is_some();
    let mut accesses = races.iter().flat_map(|race| &race.accesses);
    let offset = |operation: &String| operation.starts_with("page 0, offset 0x");
    races.iter().all(place) && accesses.all(|access| access.operation.as_ref().is_some_and(offset))
}

#[test]
fn bad_designs_race_at_their_marks_and_good_ones_nowhere() {
    let files = files();
    assert!(files.len() >= LEAST);
    let mut wrong = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("text");
        let verdict = text.lines().nth(1).unwrap_or_default();
        let bad = !verdict.ends_with("none");
        let control = path.extension().is_some_and(|ext| ext == "asm");
        let marked = text.lines().enumerate();
        let marked = marked.filter(|(at, line)| *at > 1 && line.ends_with(MARK));
        let marked: BTreeSet<usize> = marked.map(|(at, _)| at + 1).collect();
        let args: &[&str] = if control {
            &["asm", "--target", "aie2ps", "--lenient", "-", "-o", "-"]
        } else {
            &["-", "-o", "-"]
        };
        let elf = build(text.as_bytes(), args);
        let elf = elf.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let result = run(&elf, &options());
        let found = result.races.as_ref();
        let races = found.map_or(0, |found| found.races.len() + found.unwritten.len());
        let name = path.file_name().unwrap_or_default();
        let lines = reported(&result);
        if (races > 0) != bad || lines != marked {
            wrong.push(format!(
                "{name:?}: {races} races at {lines:?}, marked {marked:?}"
            ));
        }
        if control && bad && !found.is_some_and(|found| names_places(&found.races)) {
            wrong.push(format!("{name:?}: no addresses, pages and offsets"));
        }
        if !bad && result.status != Status::Completed {
            wrong.push(format!("{name:?}: {:?}", result.status.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Folders with designs; those whose second line says another end than these are bad.
const DESIGNS: [&str; 4] = ["races", "deadlock", "end_to_end", "../examples"];
const GOOD_ENDS: [&str; 2] = ["RACES: none", "VERDICT: completed"];
/// Least good designs.
const MIN_GOOD: usize = 100;

/// The designs in a folder and those below it.
fn designs_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            designs_below(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "mlir") {
            found.push(path);
        }
    }
}

#[test]
fn good_designs_give_no_warning_of_locks_and_headers() {
    let mut designs = Vec::new();
    for folder in DESIGNS {
        designs_below(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut designs,
        );
    }
    designs.retain(|path| {
        let text = fs::read_to_string(path).expect("text");
        let line = text.lines().nth(1).unwrap_or_default();
        let judged = line.contains("RACES: ") || line.contains("VERDICT: ");
        !judged || GOOD_ENDS.iter().any(|good| line.ends_with(good))
    });
    assert!(designs.len() >= MIN_GOOD, "{}", designs.len());
    let mut wrong = Vec::new();
    for path in designs {
        let text = fs::read(&path).expect("text");
        let said = aiec(["-", "-o", "-"], &text).stderr;
        if said.contains("locks::unbalanced") || said.contains("flows::no-header") {
            wrong.push(format!("{}: {said}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Random designs when the environment does not say.
const RANDOM_DESIGNS: u64 = 40;

#[test]
fn nothing_is_reported_of_random_designs() {
    let count = cases(RANDOM_DESIGNS);
    let wrong = failures(count, |seed| {
        let design = drawn(seed.wrapping_mul(0x1000_0001))?;
        let compiled = aiec(["-", "-o", "-"], netlist(&design)?.as_bytes());
        if compiled.stderr.contains("locks::unbalanced") {
            return Err(compiled.stderr);
        }
        let (given, wanted) = buffers(&design, !seed, 0);
        let result = simulate(&compiled.output()?, given, &options()).map_err(|e| e.to_string())?;
        hold(&result, &wanted)?;
        let found = result.races.ok_or("races were not looked for")?;
        let locks = result
            .leftovers
            .iter()
            .filter(|left| left.what.contains("units of"));
        let locks: Vec<String> = locks.map(ToString::to_string).collect();
        if found.races.is_empty() && found.unwritten.is_empty() && locks.is_empty() {
            Ok(())
        } else {
            Err(format!("{found:?} {locks:?}"))
        }
    });
    assert!(wrong.is_empty(), "{} of {count}: {wrong:?}", wrong.len());
}

/// A core that doesn't wait for its input, one that lets it go before it reads, one that lets its output go
/// before it has written.
const WITHOUT_ORDER: [&str; 3] = [
    "dma_core_input_acquire_bad.mlir",
    "dma_core_input_early_bad.mlir",
    "dma_core_output_early_bad.mlir",
];

#[test]
fn random_latencies_show_races_in_the_data_and_leave_sound_designs_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("races");
    let input: Vec<u8> = (0..64u32).flat_map(|i| (i + 1).to_le_bytes()).collect();
    let outputs = |name: &str| -> BTreeSet<Vec<u8>> {
        let text = fs::read(folder.join(name)).expect("a design");
        let elf = build(&text, &["-", "-o", "-"]).unwrap_or_else(|error| panic!("{error}"));
        let seed = |seed| {
            let options = SimOptions {
                jitter: Some(seed),
                ..options()
            };
            let given = HostBuffer {
                index: 0,
                bytes: input.clone(),
            };
            let result = simulate(&elf, vec![given], &options);
            let result = result.unwrap_or_else(|error| panic!("{error}"));
            let output = result.output(1).map(<[u8]>::to_vec);
            output.filter(|_| result.status == Status::Completed)
        };
        (0..SEEDS).filter_map(seed).collect()
    };
    let sound: Vec<u8> = (0..64u32).flat_map(|i| (i + 6).to_le_bytes()).collect();
    assert_eq!(
        outputs("dma_core_input_acquire.mlir"),
        BTreeSet::from([sound.clone()])
    );
    for name in WITHOUT_ORDER {
        let outputs = outputs(name);
        assert!(outputs.iter().any(|output| *output != sound), "{name}");
    }
}
