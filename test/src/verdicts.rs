//! The corpus of `test/verdicts`: designs with a routing written by hand, each after one whose verdict
//! on an NPU2 (Strix) is published: the run passed, or it hung. The first lines say what the design
//! is, the verdict, and where the published design is; lines `DATA: out A..B = TERMS` what the words
//! of the output are in a run that completes, as a sum of numbers, `i` (the place in the range),
//! `in N` and `out N` (the words from there on). `WARNING: CODE` is what the compiler says of it. With
//! `FORMS: npu` only files that a driver loads end as on silicon: control code, which no NPU executes, sets
//! up tile after tile and starts their channels then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use aiec::Exit;

use crate::driver::{Run, aiec};

/// Options for the forms in which a design is run: as control code, and as the files that a driver
/// of Ryzen AI loads.
pub const FORMS: [&[&str]; 3] = [&[], &["--as=npu-elf"], &["--as=xclbin"]];
const WORD_BYTES: usize = 4;

/// A design of the corpus.
#[derive(Clone, Debug)]
pub struct Design {
    /// The name of the file; up to the first `_` that of the family.
    pub name: String,
    /// The design.
    pub text: String,
}

/// All designs, by name.
///
/// # Panics
///
/// If the corpus can't be read.
pub fn designs() -> Vec<Design> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("verdicts");
    let entries = fs::read_dir(folder).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let design = |path: &PathBuf| Design {
        name: path.file_stem().unwrap_or_default().display().to_string(),
        text: fs::read_to_string(path).expect("a design"),
    };
    files.iter().map(design).collect()
}

/// A word of the input: all differ, and so do their differences.
fn input(at: usize) -> u32 {
    let at = at as u32;
    at.wrapping_mul(at)
        .wrapping_mul(40503)
        .wrapping_add(at * 7 + 3)
}

/// Outcome of a run, and the words of the output.
#[derive(Debug)]
pub struct Ending {
    /// Its outcome.
    pub run: Run,
    /// The output of a run that completed.
    pub output: Vec<u32>,
}

impl Design {
    /// Values of a key in the first lines.
    pub fn header<'t>(&'t self, key: &'t str) -> impl Iterator<Item = &'t str> {
        let lines = self.text.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(move |line| Some(line.split_once(key)?.1.trim()))
    }

    /// Options for the forms in which it is to end as on silicon.
    pub fn forms(&self) -> &'static [&'static [&'static str]] {
        let npu_only = self.header("FORMS: ").any(|forms| forms == "npu");
        &FORMS[usize::from(npu_only)..]
    }

    /// Whether it hung on silicon.
    ///
    /// # Panics
    ///
    /// If the design doesn't say.
    pub fn hangs(&self) -> bool {
        match self.header("VERDICT: ").next() {
            Some("HANG") => true,
            Some("PASS") => false,
            other => panic!("{}: {other:?}", self.name),
        }
    }

    /// Words of an argument of the sequence.
    fn words_of(&self, argument: &str) -> usize {
        let (_, after) = self
            .text
            .split_once(&format!("{argument}: memref<"))
            .expect("an argument");
        let (words, _) = after.split_once("xi32>").expect("its words");
        words.parse().expect("a number")
    }

    /// Runs a text of the design.
    ///
    /// # Panics
    ///
    /// If the text isn't one of the corpus, or no file can be written.
    pub fn run(&self, text: &str, options: &[&str]) -> Ending {
        // other tests run the same design at the same time
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = format!("aiec-verdicts-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let path = |what: &str| {
            folder
                .join(format!("{}.{what}", self.name))
                .display()
                .to_string()
        };
        let data: Vec<u8> = (0..self.words_of("%in"))
            .flat_map(|at| input(at).to_le_bytes())
            .collect();
        fs::write(path("in"), data).expect("the input");
        let (input, output) = (format!("0={}", path("in")), format!("1={}", path("out")));
        let size = format!("1={}", self.words_of("%out") * WORD_BYTES);
        let arguments = [
            "sim",
            "-",
            "--arg",
            &input,
            "--arg-size",
            &size,
            "--out",
            &output,
        ];
        let run = aiec(arguments.iter().chain(options), text.as_bytes());
        let bytes = match run.exit {
            Exit::Done => fs::read(path("out")).expect("the output"),
            _ => Vec::new(),
        };
        let words = bytes.chunks_exact(WORD_BYTES);
        let output = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let output = output.collect();
        // a folder that can't be removed isn't a failure of the design
        let _ = fs::remove_dir_all(&folder);
        Ending { run, output }
    }

    /// The difference of a run from silicon, or from the expected data, if there is one.
    pub fn disagreement(&self, form: &[&str]) -> Option<String> {
        let Ending { run, output } = self.run(&self.text, form);
        match (self.hangs(), run.exit) {
            (true, Exit::SimulationFailed) if run.stderr.contains("sim::deadlock") => None,
            (false, Exit::Done) => self.wrong_word(&output),
            (_, Exit::Done) => Some("completed".to_string()),
            _ => Some(run.stderr),
        }
    }

    /// The first word of an output that isn't as the lines say.
    ///
    /// # Panics
    ///
    /// If a line can't be read.
    pub fn wrong_word(&self, output: &[u32]) -> Option<String> {
        self.header("DATA: out ").find_map(|line| {
            let (range, terms) = line.split_once(" = ").expect("a range and terms");
            let (from, to) = range.split_once("..").expect("a range");
            let number = |text: &str| text.parse::<usize>().expect("a number");
            let (from, to) = (number(from), number(to));
            (from..to).find_map(|at| {
                let wanted = sum(terms, at - from, output);
                let found = *output.get(at)?;
                (found != wanted)
                    .then(|| format!("word {at} is {found:#x}, not {wanted:#x} ({line})"))
            })
        })
    }
}

/// The sum that some terms are at a place of their range.
fn sum(terms: &str, at: usize, output: &[u32]) -> u32 {
    let mut words = terms.split_whitespace();
    let (mut total, mut negative) = (0u32, false);
    while let Some(word) = words.next() {
        let mut place = || {
            at + words
                .next()
                .and_then(|n| n.parse::<usize>().ok())
                .expect("a place")
        };
        let term = match word {
            "+" | "-" => {
                negative = word == "-";
                continue;
            }
            "i" => at as u32,
            "in" => input(place()),
            "out" => output[place()],
            number => number.parse().expect("a term"),
        };
        total = if negative {
            total.wrapping_sub(term)
        } else {
            total.wrapping_add(term)
        };
    }
    total
}
