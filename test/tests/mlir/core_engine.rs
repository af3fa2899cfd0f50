//! `--core-engine=mlir`: what cores compute doesn't depend on who executes them.

use fancy_regex::Regex;
use std::path::{Path, PathBuf};

use aiec::Exit;
use aiec_test::designs::{Design, draw};
use aiec_test::driver::Run;
use aiec_test::examples::{Ending, Example, data};
use aiec_test::seeds::{cases, entropy, first_seed};
use arbitrary::Unstructured;

use super::{examples_with_llvm_form, root, with_upstream};

/// The flag under test.
const ENGINE: &str = "--core-engine=mlir";

/// Random designs that are drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 200;
/// Bytes of randomness for one design; more than any design uses.
const ENTROPY_BYTES: usize = 4096;
/// The ways to divide work.
const WAYS: [&str; 3] = ["single", "per-column", "parallel"];

/// An empty folder for one test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("core-engine")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// `aiec sim` with more arguments.
fn sim(design: &str, more: &[&str], stdin: &str) -> Run {
    // the engine of upstream logs no accesses, so that only one of them would find races
    let before = ["sim", design, "--races=off"];
    let args: Vec<&str> = before.into_iter().chain(more.to_vec()).collect();
    with_upstream(&args, stdin)
}

/// What a run says, without its cycles and without where a core was, in parentheses at the end of a
/// message: the built-in engine's programs have lines, upstream's have none.
fn without_cycles(said: &str) -> String {
    let place = Regex::new(r" \((in `[^`]*`|core '[^']*'), [^)\s]*\)").expect("a pattern");
    let said = place.replace_all(said, "");
    let words = said.split_whitespace();
    let mut before = "";
    let words = words.map(|word| {
        let number = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_cycle = before == "cycle" || before == "since";
        before = number;
        match is_cycle && number.parse::<u64>().is_ok() {
            true => "N",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Both engines say and exit the same.
fn same_ending(design: &str, more: &[&str], stdin: &str) -> Run {
    let built_in = sim(design, more, stdin);
    let with: Vec<&str> = more.iter().copied().chain([ENGINE]).collect();
    let compiled = sim(design, &with, stdin);
    assert_eq!(
        compiled.exit, built_in.exit,
        "{design}: {}",
        compiled.stderr
    );
    assert_eq!(
        without_cycles(&compiled.stderr),
        without_cycles(&built_in.stderr),
        "{design}"
    );
    compiled
}

#[test]
fn examples_compute_what_is_expected() {
    let mut count = 0;
    for group in ["examples", "test/end_to_end"] {
        for example in examples_with_llvm_form(group) {
            for device in &example.devices {
                for timing in ["--timing=on", "--timing=off"] {
                    run_example(&example, device, timing);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 60, "only {count} runs");
}

fn run_example(example: &Example, device: &str, timing: &str) {
    let what = format!("{} on {device} with {timing}", example.name);
    let folder = scratch(&format!("{}-{device}", example.name));
    let data = data(&example.name).expect("data of the example");
    let mut args = vec![ENGINE.to_string(), timing.to_string()];
    args.extend(["--device".to_string(), device.to_string()]);
    for (index, bytes) in &data.inputs {
        let path = folder.join(format!("arg{index}.bin"));
        std::fs::write(&path, bytes).expect("written");
        args.extend(["--arg".to_string(), format!("{index}={}", text(&path))]);
    }
    let out = |index: &usize| folder.join(format!("out{index}.bin"));
    for (index, _) in &data.outputs {
        args.extend([
            "--out".to_string(),
            format!("{index}={}", text(&out(index))),
        ]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = sim(&text(&example.design(device)), &args, "");
    let exit = match example.ending {
        Ending::Completed => Exit::Done,
        Ending::Deadlock => Exit::SimulationFailed,
    };
    assert_eq!(run.exit, exit, "{what}: {}", run.stderr);
    for (index, expected) in &data.outputs {
        let actual = std::fs::read(out(index)).expect("an output");
        assert!(actual == *expected, "{what}: argument {index} differs");
    }
}

#[test]
fn random_designs_compute_what_they_mean() {
    let count = cases(DEFAULT_COUNT);
    let first = first_seed();
    let folder = scratch("random");
    let wrong: Vec<String> = (first..first + count)
        .filter_map(|seed| {
            let bytes = entropy(seed.wrapping_mul(0x1000_0001), ENTROPY_BYTES);
            let design = draw(&mut Unstructured::new(&bytes)).expect("enough randomness");
            let error = run_random(&design, seed, &folder).err()?;
            Some(format!("seed {seed}: {error}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} designs went wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn run_random(design: &Design, seed: u64, folder: &Path) -> Result<(), String> {
    let data = entropy(!seed, design.buffers.iter().sum::<usize>());
    let mut rest = data.as_slice();
    let mut before = Vec::new();
    for count in &design.buffers {
        let (head, tail) = rest.split_at(*count);
        rest = tail;
        before.push(head.iter().map(|b| i64::from(*b as i8)).collect::<Vec<_>>());
    }
    let size = design.elem.bytes();
    let to_bytes = |values: &[i64]| -> Vec<u8> {
        let words = values.iter();
        words
            .flat_map(|v| v.to_le_bytes().into_iter().take(size))
            .collect()
    };
    let way = format!("--jobs={}", WAYS[(seed % WAYS.len() as u64) as usize]);
    let mut args = vec![ENGINE.to_string(), way];
    let path = |index: usize| folder.join(format!("{index}.bin"));
    for (index, values) in before.iter().enumerate() {
        std::fs::write(path(index), to_bytes(values)).map_err(|e| e.to_string())?;
        args.extend([
            "--arg".to_string(),
            format!("{index}={}", text(&path(index))),
        ]);
    }
    let meaning = design.meaning(&before);
    for index in 0..meaning.len() {
        args.extend([
            "--out".to_string(),
            format!("{index}={}", text(&path(index))),
        ]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    sim("-", &args, &design.text()).output()?;
    for (index, want) in meaning.iter().enumerate() {
        let got = std::fs::read(path(index)).map_err(|e| e.to_string())?;
        if got != to_bytes(want) {
            return Err(format!("buffer {index} differs\n{}", design.text()));
        }
    }
    Ok(())
}

#[test]
fn deadlocks_are_found_and_named_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock");
    let report = text(&scratch("deadlocks").join("report.json"));
    let entries = std::fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "mlir"));
    files.sort();
    let mut cores = 0;
    for path in &files {
        let design = std::fs::read_to_string(path).expect("text");
        if !design.contains("aie.core(") {
            continue;
        }
        cores += 1;
        let verdict = |engine: &str| {
            let args = [engine, "--max-cycles=5000000", "--report", &report];
            let run = sim(&text(path), &args, "");
            let written = std::fs::read_to_string(&report).unwrap_or(run.stderr);
            let written: serde_json::Value =
                serde_json::from_str(&written).unwrap_or_else(|e| panic!("{written}: {e}"));
            let diagnosis = &written["diagnosis"];
            (
                run.exit,
                written["status"].clone(),
                diagnosis["kind"].clone(),
            )
        };
        let built_in = verdict("--core-engine=builtin");
        assert_eq!(verdict(ENGINE), built_in, "{}", path.display());
    }
    assert!(cores > 20, "only {cores} designs have cores");
}

/// A core with a buffer of 16 words at 0x400 of its own memory, a lock, and this body.
fn core(body: &str) -> String {
    format!(
        "aie.device(npu1) {{
           %shim = aie.tile(0, 0)
           %tile = aie.tile(0, 2)
           %a = aie.buffer(%tile) {{address = 1024 : i32, sym_name = \"a\"}} : memref<16xi32>
           %lock = aie.lock(%tile, 3) {{init = 0 : i32, sym_name = \"never\"}}
           aie.core(%tile) {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %zero = arith.constant 0 : i32
             {body}
             aie.end
           }}
           aie.runtime_sequence(%unused: memref<16xi32>) {{
             aiex.npu.maskwrite32 {{address = 0 : ui32, column = 0 : i32, mask = 0 : ui32, row = 2 : i32, value = 0 : ui32}}
           }}
         }}"
    )
}

#[test]
fn what_a_core_cannot_do_stops_it() {
    for (body, said) in [
        (
            "%x = memref.load %a[%c0] : memref<16xi32>
             %i = arith.index_cast %x : i32 to index
             %elements = arith.constant 20000 : index
             %far = arith.addi %i, %elements : index
             memref.store %zero, %a[%far] : memref<16xi32>",
            "where the core sees no memory",
        ),
        (
            "%x = memref.load %a[%c0] : memref<16xi32>
             %y = arith.divsi %x, %x : i32
             memref.store %y, %a[%c0] : memref<16xi32>",
            "division by zero",
        ),
        (
            "%x = memref.load %a[%c0] : memref<16xi32>
             %i = arith.index_cast %x : i32 to index
             %j = arith.addi %i, %c1 : index
             %k = arith.shli %j, %c1 : index
             %l = arith.shli %k, %k : index
             %v = vector.load %a[%c0] : memref<16xi32>, vector<8xi32>
             %y = vector.extract %v[%l] : i32 from vector<8xi32>
             memref.store %y, %a[%c0] : memref<16xi32>",
            "lane 8 of a vector of 8 lanes",
        ),
        (
            "%x = memref.load %a[%c0] : memref<16xi32>
             %good = arith.cmpi ne, %x, %zero : i32
             cf.assert %good, \"it is zero\"",
            "the program trapped (code 1)",
        ),
    ] {
        let run = same_ending("-", &["--diagnostics=json"], &core(body));
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn a_core_that_never_waits_comes_to_the_limit() {
    let body = "%true = arith.constant true
                scf.while : () -> () {
                  scf.condition(%true)
                } do {
                  scf.yield
                }
                memref.store %zero, %a[%c0] : memref<16xi32>";
    // Nothing waits for the core, so that the run completes; until then the core takes part.
    let run = same_ending("-", &[], &core(body));
    assert_eq!(run.exit, Exit::Done, "{}", run.stderr);
}

#[test]
fn what_has_no_form_is_refused_at_its_place() {
    let run = sim(
        "-",
        &[ENGINE, "--diagnostics=mlir"],
        &core(
            "%v = vector.load %a[%c0] : memref<16xi32>, vector<16xi32>\n%w = aievec.shift %v, %v, %zero {isAcc = false} : vector<16xi32>, vector<16xi32>, i32, vector<16xi32>",
        ),
    );
    assert_eq!(run.exit, Exit::BadInput, "{}", run.stderr);
}

#[test]
fn an_elf_is_refused() {
    let example = root().join("examples/scale/design.mlir");
    let elf = text(&scratch("elf").join("design.elf"));
    let built = with_upstream(&[&text(&example), "-o", &elf], "");
    assert_eq!(built.exit, Exit::Done, "{}", built.stderr);
    let run = sim(&elf, &[ENGINE], "");
    assert_eq!(run.exit, Exit::BadInput);
    assert!(run.stderr.contains("mlir::needs-design"), "{}", run.stderr);
}
