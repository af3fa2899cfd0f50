//! Instructions and time of loads of the simulator and the compiler, with binaries of the profile that users build
//! (`release`).
//!
//! Instructions (`valgrind --tool=callgrind`) depend on nothing that runs beside; those of the last change that counted
//! them are in `xtask/instructions.tsv`, and the table shows how they have changed. It is a report: nothing fails by it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The file with known counts, below the root.
const KNOWN: &str = "xtask/instructions.tsv";
/// Runs of which the least time is taken.
const RUNS: usize = 5;

/// A load.
struct Load {
    name: &'static str,
    program: Program,
}

/// The program of a load.
enum Program {
    /// A case of a bench of `aiec-sim`: instructions are those of an item.
    Case(Bench),
    /// `aiec` with arguments, in which `WHOLE` and `DESIGN` are designs and `OUT` is a file to write: instructions are
    /// millions of the process.
    Aiec(&'static str),
}

/// A bench of `aiec-sim`.
#[derive(Clone, Copy)]
enum Bench {
    Core,
    Array,
}

const fn core(name: &'static str) -> Load {
    Load {
        name,
        program: Program::Case(Bench::Core),
    }
}

const fn aiec(name: &'static str, arguments: &'static str) -> Load {
    Load {
        name,
        program: Program::Aiec(arguments),
    }
}

const LOADS: [Load; 13] = [
    core("operations of a core program"),
    core("operations on 16 lanes of a core program"),
    core("bundles of machine code"),
    core("scalar bundles"),
    core("vmac of 4x8 by 8x8 bytes"),
    core("vmac.f of 4x8 by 8x4 bf16"),
    Load {
        name: "operations on locks",
        program: Program::Case(Bench::Array),
    },
    aiec("compile whole-array", "WHOLE -o OUT.elf"),
    aiec("simulate whole-array", "sim WHOLE"),
    aiec("simulate 64 objects", "sim DESIGN --races=off"),
    aiec(
        "the same with a report",
        "sim DESIGN --races=off --report OUT.json",
    ),
    aiec("the same with the look for races", "sim DESIGN"),
    aiec(
        "the same with a trace",
        "sim DESIGN --races=off --trace OUT.pftrace",
    ),
];

/// Prints the table; with `bless` writes the counts to the file.
///
/// # Errors
/// Cargo or a load fails.
pub fn run(root: &Path, bless: bool) -> Result<(), String> {
    let cargo = |arguments: &str| cargo(root, arguments);
    cargo("build --release --locked -p aiec")?;
    let messages = cargo(
        "build --release --locked -p aiec-sim --benches --message-format=json-render-diagnostics",
    )?;
    let core = bench_program(&messages, "core")?;
    let programs = Programs::new(root, core, bench_program(&messages, "array")?)?;
    let version = Command::new("valgrind").arg("--version").output();
    let counts_instructions = version.is_ok_and(|done| done.status.success());
    let known = known_counts(root);
    let mut counts = String::new();
    println!(
        "{:44} {:>12} {:>8} {:>12}",
        "", "instructions", "change", "ms or M/s"
    );
    for load in &LOADS {
        let figure = programs.time(load)?;
        if !counts_instructions {
            println!("{:44} {:>12} {:>8} {figure:12.2}", load.name, "-", "-");
            continue;
        }
        let count = programs.instructions(load)?;
        let change = match known.get(load.name) {
            Some(before) => format!("{:+.1} %", (count / before - 1.0) * 100.0),
            None => "new".to_owned(),
        };
        println!("{:44} {count:12.1} {change:>8} {figure:12.2}", load.name);
        let _ = writeln!(counts, "{}\t{count:.1}", load.name);
    }
    if bless && !counts.is_empty() {
        let path = root.join(KNOWN);
        std::fs::write(&path, counts).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Binaries and designs.
struct Programs {
    aiec: PathBuf,
    core: PathBuf,
    array: PathBuf,
    whole_array: PathBuf,
    design: PathBuf,
    out: PathBuf,
}

impl Programs {
    fn new(root: &Path, core: PathBuf, array: PathBuf) -> Result<Programs, String> {
        let target = root.join("target");
        let whole_array = root.join("examples/whole-array/design.mlir");
        let text = std::fs::read_to_string(&whole_array).map_err(|error| error.to_string())?;
        let folder = target.join("bench-loads");
        let design = folder.join("objects.mlir");
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&design, many_objects(&text)))
            .map_err(|error| format!("{}: {error}", design.display()))?;
        Ok(Programs {
            aiec: target.join("release/aiec"),
            core,
            array,
            whole_array,
            design,
            out: folder.join("out"),
        })
    }

    /// The program of a bench.
    fn of_bench(&self, bench: Bench) -> &Path {
        match bench {
            Bench::Core => &self.core,
            Bench::Array => &self.array,
        }
    }

    /// The command of a load, possibly under a tool.
    fn command(&self, load: &Load, tool: &[&str]) -> Command {
        let (program, arguments): (&Path, Vec<String>) = match load.program {
            Program::Case(bench) => {
                let words = vec!["--one".to_owned(), load.name.to_owned()];
                (self.of_bench(bench), words)
            }
            Program::Aiec(words) => {
                let word = |word: &str| {
                    word.replace("WHOLE", &self.whole_array.to_string_lossy())
                        .replace("DESIGN", &self.design.to_string_lossy())
                        .replace("OUT", &self.out.to_string_lossy())
                };
                (&self.aiec, words.split(' ').map(word).collect())
            }
        };
        let mut command = match tool.split_first() {
            Some((tool, options)) => {
                let mut command = Command::new(tool);
                command.args(options).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(arguments);
        command
    }

    /// Millions of items in a second, or milliseconds of a process.
    fn time(&self, load: &Load) -> Result<f64, String> {
        let mut figures = Vec::new();
        for _ in 0..RUNS {
            let start = Instant::now();
            let text = output(&mut self.command(load, &[]))?.0;
            let passed = start.elapsed().as_secs_f64() * 1e3;
            figures.push(match load.program {
                // The greatest rate is that of the least time.
                Program::Case(_) => -number(load, &text)? / 1e6,
                Program::Aiec(_) => passed,
            });
        }
        Ok(figures.into_iter().fold(f64::INFINITY, f64::min).abs())
    }

    /// Instructions of an item, or millions of a process, by valgrind.
    fn instructions(&self, load: &Load) -> Result<f64, String> {
        let tool = [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
        ];
        let messages = output(&mut self.command(load, &tool))?.1;
        let collected = messages.lines().find_map(|line| {
            let count = line.split("Collected :").nth(1)?;
            count.trim().parse::<f64>().ok()
        });
        let collected =
            collected.ok_or_else(|| format!("{}: valgrind counts nothing", load.name))?;
        let items = match load.program {
            Program::Case(bench) => {
                let mut command = Command::new(self.of_bench(bench));
                let text = output(command.args(["--items", load.name]))?.0;
                number(load, &text)?
            }
            Program::Aiec(_) => 1e6,
        };
        Ok(collected / items)
    }
}

/// `examples/whole-array` with 64 objects of 4 x 256 words a column.
fn many_objects(text: &str) -> String {
    const WORDS: usize = 64 * 1024;
    let mut text = text
        .replace("memref<128xi32>", "memref<1024xi32>")
        .replace("memref<32xi32>", "memref<256xi32>")
        .replace("[0, 32, 64, 96]", "[0, 256, 512, 768]")
        .replace("arith.constant 32 : index", "arith.constant 256 : index")
        .replace("memref<2048xi32>", &format!("memref<{}xi32>", 8 * WORDS));
    for column in 0..8 {
        let old = format!("[0, 0, 0, {}][1, 1, 1, 256]", 256 * column);
        let new = format!("[0, 0, 0, {}][1, 1, 1, {WORDS}]", WORDS * column);
        text = text.replace(&old, &new);
    }
    text
}

/// Counts in the file, by load.
fn known_counts(root: &Path) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(root.join(KNOWN)).unwrap_or_default();
    let rows = text.lines().filter_map(|line| {
        let (name, count) = line.split_once('\t')?;
        Some((name.to_owned(), count.parse().ok()?))
    });
    rows.collect()
}

fn cargo(root: &Path, arguments: &str) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(arguments.split(' '));
    command.stderr(Stdio::inherit());
    Ok(output(&mut command)?.0)
}

/// The program of a bench that Cargo has built.
fn bench_program(messages: &str, name: &str) -> Result<PathBuf, String> {
    let program = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == name;
        Some(PathBuf::from(
            message["executable"].as_str().filter(|_| is_it)?,
        ))
    });
    program.ok_or_else(|| format!("cargo built no program of bench {name}"))
}

/// The number that a load's program prints.
fn number(load: &Load, text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>();
    number.map_err(|_| format!("{}: its program prints no number: `{text}`", load.name))
}

/// The output and the messages of a command.
fn output(command: &mut Command) -> Result<(String, String), String> {
    let done = command.output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", done.status));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&done.stdout), text(&done.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_of_the_loads_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = std::fs::read_to_string(root.join("examples/whole-array/design.mlir")).unwrap();
        let many = many_objects(&text);
        assert_eq!(many.matches("[1, 1, 1, 65536]").count(), 16);
        assert_eq!(many.matches("memref<32xi32>").count(), 0);
        assert_eq!(many.matches("memref<524288xi32>").count(), 18);
    }

    #[test]
    fn every_load_has_a_known_count() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let known = known_counts(&root);
        for load in &LOADS {
            assert!(known.contains_key(load.name), "{}", load.name);
        }
        assert_eq!(known.len(), LOADS.len());
    }
}
