//! The simulator on the whole of a large device, and how fast it reports a deadlock.
//!
//! `cargo bench -p aiec-test --bench simulate`
//!
//! The design has, in each of the 36 columns of xcve3858, a mem tile that splits a buffer over four
//! cores and joins their results. What is measured: its run with and without time, the peak memory
//! of compiling and running it, and every design of the deadlock corpus, the slowest of which is
//! named.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aiec_test::driver::aiec;

const DEVICE: &str = "xcve3858";
const COLUMNS: usize = 36;
/// Rows of the cores: the device has mem tiles in rows 1 and 2.
const CORES: [usize; 4] = [3, 4, 5, 6];
/// Numbers of an object of a core.
const OBJECT: usize = 32;
/// Objects that pass each core.
const OBJECTS: usize = 64;

fn main() {
    // `cargo test` runs benches with this to see that they start.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("aiec-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{error}"));
    whole_device(&folder);
    if let Some(peak) = peak_memory() {
        println!("peak memory of compiling and running {COLUMNS} columns: {peak}");
    }
    deadlocks(&folder);
    // a folder of temporary files may stay if that fails
    let _ = fs::remove_dir_all(folder);
}

/// One column: x + 1 on each core, split and joined by the mem tile.
fn column(text: &mut String, col: usize) -> std::fmt::Result {
    let (core, column) = (OBJECT, OBJECT * CORES.len());
    let fifo = |size: usize| format!("!aie.objectfifo<memref<{size}xi32>>");
    let sub = |size: usize| format!("!aie.objectfifosubview<memref<{size}xi32>>");
    writeln!(
        text,
        "%s{col} = aie.tile({col}, 0)\n%m{col} = aie.tile({col}, 1)"
    )?;
    for row in CORES {
        writeln!(text, "%w{col}_{row} = aie.tile({col}, {row})")?;
    }
    let (whole, part) = (fifo(column), fifo(core));
    writeln!(
        text,
        "aie.objectfifo @in{col}(%s{col}, {{%m{col}}}, 2 : i32) : {whole}"
    )?;
    writeln!(
        text,
        "aie.objectfifo @out{col}(%m{col}, {{%s{col}}}, 2 : i32) : {whole}"
    )?;
    let names = |what: &str| -> String {
        let names: Vec<String> = CORES
            .iter()
            .map(|row| format!("@{what}{col}_{row}"))
            .collect();
        names.join(", ")
    };
    for row in CORES {
        writeln!(
            text,
            "aie.objectfifo @i{col}_{row}(%m{col}, {{%w{col}_{row}}}, 2 : i32) : {part}"
        )?;
        writeln!(
            text,
            "aie.objectfifo @o{col}_{row}(%w{col}_{row}, {{%m{col}}}, 2 : i32) : {part}"
        )?;
    }
    let offsets: Vec<String> = (0..CORES.len()).map(|n| (n * OBJECT).to_string()).collect();
    let offsets = offsets.join(", ");
    writeln!(
        text,
        "aie.objectfifo.link [@in{col}] -> [{}]([] [{offsets}])",
        names("i")
    )?;
    writeln!(
        text,
        "aie.objectfifo.link [{}] -> [@out{col}]([{offsets}] [])",
        names("o")
    )?;
    let sub = sub(core);
    for row in CORES {
        writeln!(
            text,
            "aie.core(%w{col}_{row}) {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %n = arith.constant {core} : index
               %forever = arith.constant 9223372036854775807 : index
               %one = arith.constant 1 : i32
               scf.for %round = %c0 to %forever step %c1 {{
                 %i = aie.objectfifo.acquire @i{col}_{row}(Consume, 1) : {sub}
                 %x = aie.objectfifo.subview.access %i[0] : {sub} -> memref<{core}xi32>
                 %o = aie.objectfifo.acquire @o{col}_{row}(Produce, 1) : {sub}
                 %y = aie.objectfifo.subview.access %o[0] : {sub} -> memref<{core}xi32>
                 scf.for %k = %c0 to %n step %c1 {{
                   %a = memref.load %x[%k] : memref<{core}xi32>
                   %b = arith.addi %a, %one : i32
                   memref.store %b, %y[%k] : memref<{core}xi32>
                 }}
                 aie.objectfifo.release @i{col}_{row}(Consume, 1)
                 aie.objectfifo.release @o{col}_{row}(Produce, 1)
               }}
               aie.end
             }}"
        )?;
    }
    Ok(())
}

fn design() -> Result<String, std::fmt::Error> {
    let words = OBJECT * CORES.len() * OBJECTS;
    let all = words * COLUMNS;
    let mut text = format!("module {{ aie.device({DEVICE}) {{\n");
    for col in 0..COLUMNS {
        column(&mut text, col)?;
    }
    writeln!(
        text,
        "aie.runtime_sequence(%a: memref<{all}xi32>, %b: memref<{all}xi32>) {{"
    )?;
    for (way, buffer) in [("in", "a"), ("out", "b")] {
        for col in 0..COLUMNS {
            let at = col * words;
            let token = if way == "out" {
                ", issue_token = true"
            } else {
                ""
            };
            writeln!(
                text,
                "aiex.npu.dma_memcpy_nd(%{buffer}[0, 0, 0, {at}][1, 1, 1, {words}][0, 0, 0, 1]) \
                 {{id = {} : i64, metadata = @{way}{col}{token}}} : memref<{all}xi32>",
                u8::from(way == "out")
            )?;
        }
    }
    for col in 0..COLUMNS {
        writeln!(text, "aiex.npu.dma_wait {{symbol = @out{col}}}")?;
    }
    text += "} } }\n";
    Ok(text)
}

/// Runs `aiec` and measures how long it took and what it said.
fn timed(args: &[OsString]) -> (Duration, aiec::Exit, String) {
    let begin = Instant::now();
    let run = aiec(args, b"");
    (begin.elapsed(), run.exit, run.stderr)
}

fn with(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

fn whole_device(folder: &Path) {
    let (source, elf) = (folder.join("design.mlir"), folder.join("design.elf"));
    let (input, output) = (folder.join("in.bin"), folder.join("out.bin"));
    let text = design().unwrap_or_else(|error| panic!("{error}"));
    let words = OBJECT * CORES.len() * OBJECTS * COLUMNS;
    let numbers: Vec<u8> = (0..words as u32).flat_map(u32::to_le_bytes).collect();
    for (path, bytes) in [(&source, text.as_bytes()), (&input, &numbers[..])] {
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{error}"));
    }
    let compile = [source.into(), "-o".into(), elf.clone().into()];
    let (time, exit, said) = timed(&compile);
    assert_eq!(exit, aiec::Exit::Done, "{said}");
    println!(
        "{COLUMNS} columns of {} cores: compiled in {time:.2?}",
        CORES.len()
    );
    for timing in ["on", "off"] {
        let args = [
            "sim".into(),
            elf.clone().into(),
            format!("--timing={timing}").into(),
            "--arg".into(),
            with("0=", &input),
            "--out".into(),
            with("1=", &output),
        ];
        let (time, exit, said) = timed(&args);
        assert_eq!(exit, aiec::Exit::Done, "{said}");
        let out = fs::read(&output).unwrap_or_default();
        let right = (1..=words as u32).flat_map(u32::to_le_bytes).eq(out);
        assert!(right, "the output is wrong");
        println!("--timing={timing}: {} in {time:.2?}", said.trim());
    }
}

/// Every file of the deadlock corpus that deadlocks.
fn deadlocks(folder: &Path) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock");
    let mut files: Vec<PathBuf> = fs::read_dir(corpus)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let (mut slowest, mut reported) = ((Duration::ZERO, PathBuf::new()), 0);
    for file in files {
        let mut design = file.clone();
        if file.extension().is_some_and(|extension| extension == "asm") {
            design = folder.join("program.elf");
            let assemble = [
                "asm".into(),
                file.clone().into(),
                "-o".into(),
                design.clone().into(),
            ];
            if timed(&assemble).1 != aiec::Exit::Done {
                continue;
            }
        }
        let (time, exit, said) = timed(&["sim".into(), design.into()]);
        if exit == aiec::Exit::SimulationFailed && said.contains("sim::deadlock") {
            reported += 1;
            slowest = slowest.max((time, file));
        }
    }
    let (time, file) = slowest;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{reported} deadlocks reported, compilation included; the slowest, {name}, in {time:.2?}"
    );
}

/// The process's largest resident size, where the system reports it.
fn peak_memory() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_string())
}
