//! Cycles that cores take for kernels, beside published ones: the designs of `test/core_bench`, compiled to machine code
//! and run in the simulator. `cargo xtask core-bench` writes `docs/src/core-performance.md` of them.
//!
//! The head of a design says what it is measured against, and what its data are, in lines of comments:
//!
//! ```text
//! // Kernel: AIE2 scale 1,024 × i32
//! // Published: 339
//! // Source: mlir-aie: programming_guide/section-4/section-4c
//! // At most: 339 cycles
//! // Data: i32 scale 3
//! ```
//!
//! Data are the types of the input's and, where it differs, of the output's elements, then a [`Meaning`].

use std::fmt::Write as _;
use std::fs;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use aiec::Exit;
use aiec_aie::ops::BFP16_PRODUCTS;
use aiec_device::{Arch, BFP16_BLOCKS, DeviceModel};
use serde_json::Value;

use crate::driver::aiec;

/// Cycles beyond which a kernel is run by the command only: a debug build takes seconds for more.
const MAX_TESTED_CYCLES: u64 = 1_000_000;

/// Elements of a kernel's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    I8,
    I16,
    I32,
    Bf16,
    F32,
}

impl Element {
    fn named(name: &str) -> Option<Element> {
        Some(match name {
            "i8" => Element::I8,
            "i16" => Element::I16,
            "i32" => Element::I32,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            _ => return None,
        })
    }

    const fn bits(self) -> u32 {
        match self {
            Element::I8 => 8,
            Element::I16 | Element::Bf16 => 16,
            Element::I32 | Element::F32 => 32,
        }
    }

    const fn is_float(self) -> bool {
        matches!(self, Element::Bf16 | Element::F32)
    }

    /// Numbers of inputs: products and sums of them are exact in each type that holds them.
    const fn inputs(self) -> Range<i64> {
        if self.is_float() { -8..8 } else { -100..101 }
    }

    /// The bytes of a number; integers wrap, a float that isn't exact is a fault of the table.
    fn bytes(self, number: i64) -> Vec<u8> {
        match self {
            Element::I8 => (number as i8).to_le_bytes().to_vec(),
            Element::I16 => (number as i16).to_le_bytes().to_vec(),
            Element::I32 => (number as i32).to_le_bytes().to_vec(),
            Element::F32 => (number as f32).to_le_bytes().to_vec(),
            Element::Bf16 => {
                let bits = (number as f32).to_bits();
                assert_eq!(bits & 0xffff, 0, "{number} is exact in bf16");
                ((bits >> 16) as u16).to_le_bytes().to_vec()
            }
        }
    }
}

/// The function that a kernel computes. Products of matrices lie in blocks ([`Arch::product_blocks`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// x · factor.
    Scale(i64),
    /// x · factor + y.
    Saxpy(i64),
    Add,
    Mul,
    Relu,
    /// Rows, inner, columns.
    Matmul(usize, usize, usize),
    /// Rows, columns, channels in, channels out; 3×3 taps, an edge of one around.
    Conv2d(usize, usize, usize, usize),
}

impl Meaning {
    fn parse(words: &[&str]) -> Option<Meaning> {
        let numbers: Option<Vec<usize>> = words.iter().skip(1).map(|w| w.parse().ok()).collect();
        let meaning = match (*words.first()?, numbers?.as_slice()) {
            ("scale", [factor]) => Meaning::Scale(*factor as i64),
            ("saxpy", [factor]) => Meaning::Saxpy(*factor as i64),
            ("add", []) => Meaning::Add,
            ("mul", []) => Meaning::Mul,
            ("relu", []) => Meaning::Relu,
            ("matmul", [m, k, n]) => Meaning::Matmul(*m, *k, *n),
            ("conv2d", [h, w, i, o]) => Meaning::Conv2d(*h, *w, *i, *o),
            _ => return None,
        };
        Some(meaning)
    }

    /// Elements of the inputs.
    fn sizes(self, elements: usize) -> Vec<usize> {
        match self {
            Meaning::Scale(_) | Meaning::Relu => vec![elements],
            Meaning::Saxpy(_) | Meaning::Add | Meaning::Mul => vec![elements, elements],
            Meaning::Matmul(m, k, n) => vec![m * k, k * n],
            Meaning::Conv2d(h, w, i, o) => vec![(h + 2) * (w + 2) * i, 9 * i * o],
        }
    }

    /// Multiplications with accumulation.
    fn macs(self) -> usize {
        match self {
            Meaning::Matmul(m, k, n) => m * k * n,
            Meaning::Conv2d(h, w, i, o) => h * w * 9 * i * o,
            _ => 0,
        }
    }

    /// The output, by the definition of the function.
    fn output(self, inputs: &[Vec<i64>], blocks: [usize; 3]) -> Vec<i64> {
        let x = &inputs[0];
        let pairs = || x.iter().zip(&inputs[1]);
        match self {
            Meaning::Scale(factor) => x.iter().map(|x| x * factor).collect(),
            Meaning::Saxpy(factor) => pairs().map(|(x, y)| x * factor + y).collect(),
            Meaning::Add => pairs().map(|(x, y)| x + y).collect(),
            Meaning::Mul => pairs().map(|(x, y)| x * y).collect(),
            Meaning::Relu => x.iter().map(|x| *x.max(&0)).collect(),
            Meaning::Matmul(m, k, n) => {
                let [rows, inner, columns] = blocks;
                let a = |i, l| x[in_blocks(i, l, k, rows, inner)];
                let b = |l, j| inputs[1][in_blocks(l, j, n, inner, columns)];
                let mut out = vec![0; m * n];
                for i in 0..m {
                    for j in 0..n {
                        out[in_blocks(i, j, n, rows, columns)] =
                            (0..k).map(|l| a(i, l) * b(l, j)).sum();
                    }
                }
                out
            }
            Meaning::Conv2d(h, w, i, o) => {
                let mut out = Vec::with_capacity(h * w * o);
                for (row, column, to) in places([h, w, o]) {
                    let product = |(v, u, from): (usize, usize, usize)| {
                        let value = x[((row + v) * (w + 2) + column + u) * i + from];
                        value * inputs[1][((v * 3 + u) * i + from) * o + to]
                    };
                    out.push(places([3, 3, i]).map(product).sum());
                }
                out
            }
        }
    }
}

/// All places of three dimensions, the last one fastest.
fn places([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| (x, y, z))))
}

/// Where an element of a matrix in blocks lies.
fn in_blocks(i: usize, j: usize, width: usize, rows: usize, columns: usize) -> usize {
    let block = i / rows * (width / columns) + j / columns;
    (block * rows + i % rows) * columns + j % columns
}

/// A design of the folder.
#[derive(Clone, Debug)]
pub struct BenchKernel {
    /// The name of its file.
    pub name: String,
    text: String,
}

/// All of them, by name.
///
/// # Panics
///
/// If the folder can't be read.
pub fn kernels() -> Vec<BenchKernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("core_bench");
    let entries = fs::read_dir(folder).expect("the designs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let kernel = |path: &PathBuf| BenchKernel {
        name: path.file_stem().unwrap_or_default().display().to_string(),
        text: fs::read_to_string(path).expect("a design"),
    };
    files.iter().map(kernel).collect()
}

impl BenchKernel {
    /// The text of its head after a key.
    fn head(&self, key: &str) -> &str {
        let start = format!("// {key}: ");
        let found = self.text.lines().find_map(|line| line.strip_prefix(&start));
        found.unwrap_or_else(|| panic!("{}: `{start}`", self.name))
    }

    fn arch(&self) -> Arch {
        let (_, device) = self.text.split_once("aie.device(").expect("a device");
        let (device, _) = device.split_once(')').expect("its name");
        let model = DeviceModel::by_name(device);
        model.expect("a device that is known").arch()
    }

    /// Elements of the arguments of the sequence, the output last.
    fn elements(&self) -> Vec<usize> {
        let (_, sequence) = self.text.split_once("runtime_sequence(").expect("one");
        let (arguments, _) = sequence.split_once(") {").expect("its arguments");
        let sizes = arguments.split("memref<").skip(1);
        let size = |text: &str| text.split('x').next().and_then(|size| size.parse().ok());
        sizes.map(|text| size(text).expect("a size")).collect()
    }

    /// Runs it as machine code, compares its data, and returns the busy cycles of its core.
    ///
    /// # Panics
    ///
    /// If it can't be compiled or run, or its data are not what its head says.
    pub fn busy_cycles(&self) -> u64 {
        // Other tests may run the same kernel at the same time.
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = format!("aiec-core-bench-{}-{run}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let path = |what: &str| folder.join(what).display().to_string();
        let (inputs, expected) = self.data();
        let mut line: Vec<String> = ["sim", "-", "--core=machine"].map(String::from).to_vec();
        let of = inputs.iter().chain([&expected]).enumerate();
        for (number, bytes) in of {
            let file = path(&format!("{number}.bin"));
            fs::write(&file, bytes).expect("a file of data");
            let option = if number < inputs.len() {
                "--arg"
            } else {
                "--expect"
            };
            line.extend([option.to_string(), format!("{number}={file}")]);
        }
        let report = path("report.json");
        line.extend(["--report".to_string(), report.clone()]);
        let run = aiec(&line, self.text.as_bytes());
        assert!(run.exit == Exit::Done, "{}: {}", self.name, run.stderr);
        let text = fs::read(report).expect("the report");
        let report: Value = serde_json::from_slice(&text).expect("JSON");
        // A folder that stays does not fail the kernel.
        let _ = fs::remove_dir_all(&folder);
        let tiles = report["tiles"].as_array().map_or(&[][..], Vec::deref);
        let cycles = tiles
            .iter()
            .filter_map(|tile| tile["core"]["busy_cycles"].as_u64());
        cycles.max().expect("a core")
    }

    /// The elements of input and output, and the function, by its data.
    fn meaning(&self) -> (Element, Element, Meaning) {
        let words: Vec<&str> = self.head("Data").split(' ').collect();
        let elements: Vec<Element> = words.iter().map_while(|w| Element::named(w)).collect();
        let meaning = Meaning::parse(&words[elements.len()..]);
        let meaning = meaning.unwrap_or_else(|| panic!("{}: {words:?}", self.name));
        let [from, .., to] = [&elements[..], &elements[..]].concat()[..] else {
            panic!("{}: elements of the data", self.name)
        };
        (from, to, meaning)
    }

    /// Bytes of its inputs and of its output.
    fn data(&self) -> (Vec<Vec<u8>>, Vec<u8>) {
        let (from, to, meaning) = self.meaning();
        let blocks = if self.text.contains(BFP16_PRODUCTS) {
            Some(BFP16_BLOCKS)
        } else {
            self.arch().product_blocks(from.bits(), from.is_float())
        };
        let blocks = blocks.map_or([1; 3], |blocks| blocks.map(|side| side as usize));
        let mut random = fastrand::Rng::with_seed(39);
        let size = self.elements().pop().expect("an output");
        let sizes = meaning.sizes(size);
        let numbers: Vec<Vec<i64>> = sizes
            .iter()
            .map(|size| (0..*size).map(|_| random.i64(from.inputs())).collect())
            .collect();
        let output = meaning.output(&numbers, blocks);
        assert_eq!(output.len(), size, "{}: its output", self.name);
        let bytes = |numbers: &Vec<i64>, element: Element| {
            numbers.iter().flat_map(|n| element.bytes(*n)).collect()
        };
        let inputs = numbers.iter().map(|numbers| bytes(numbers, from));
        (inputs.collect(), bytes(&output, to))
    }

    /// Its row of the page, and whether it takes no more than it may.
    fn row(&self, cycles: u64) -> (String, bool) {
        let at_most = self.head("At most");
        let (limit, unit) = at_most.split_once(' ').expect("a number and its unit");
        let limit: u64 = limit.parse().expect("a number");
        let macs = self.meaning().2.macs() as f64 / cycles as f64;
        let (figure, is_reached) = if unit == "MAC/cycle" {
            (format!("{macs:.2}"), macs >= limit as f64)
        } else {
            (grouped(cycles), cycles <= limit)
        };
        let asked = if unit == "MAC/cycle" {
            format!("at least {limit} {unit}")
        } else {
            grouped(limit)
        };
        let reached = if is_reached { "yes" } else { "no" };
        let row = format!(
            "| `{}` | {} | {} | {} | {asked} | {figure} | {} | {reached} |",
            self.name,
            self.head("Kernel"),
            self.head("Published"),
            self.head("Source"),
            grouped(cycles),
        );
        (row, is_reached)
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The cycles of a kernel that a page has.
fn known_cycles(page: &str, name: &str) -> Option<u64> {
    let start = format!("| `{name}` |");
    let row = page.lines().find(|line| line.starts_with(&start))?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let cycles = cells.get(cells.len().checked_sub(3)?)?;
    cycles.replace(',', "").parse().ok()
}

/// The page. Of kernels that take long by a page that there is, its figure is believed.
///
/// # Panics
///
/// As [`BenchKernel::busy_cycles`].
pub fn page(before: &str) -> String {
    let mut text = String::from(
        "# Cycles of cores\n\nCycles that one core takes for a kernel, beside what is published for hardware. The designs are those of \
         `test/core_bench`: `aiec` compiles them to machine code, the simulator runs it, and all data are compared with the \
         function by its definition. `cargo xtask core-bench` writes this page again, and a test holds that it is what the command \
         writes (but for rows of more than 1,000,000 cycles, which only the command runs). [A loop's report](loop-report.md) says what a loop waits for.\n\n*Cycles* are those in which the core is busy (`tiles[].core.busy_cycles` of `aiec sim \
         --report`): all of its body, with locks and calls, without waiting for data. Published figures count \
         the kernel alone. Products add to what is in memory, which is zero when the design is loaded. *Ours* is in the unit of \
         what is asked.\n\n\
         Element by element (`add`, `mul`, `relu`), each kernel has two rows: one of 1,024 elements, and one of 4,096, \
         whose design's name ends in `_4096`. A roof is in cycles for all elements of its row, and what is asked is 1.2 times that. \
         What a call costs once (locks, the set-up of its loop, the first and last iterations) is the same at both sizes. \
         The count below is of all rows.\n\n\
         | design | kernel | published | source | asked | ours | cycles | reached |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut reached = 0;
    let all = kernels();
    for kernel in &all {
        let known = known_cycles(before, &kernel.name);
        let slow = known.filter(|cycles| *cycles > MAX_TESTED_CYCLES);
        let cycles = slow.unwrap_or_else(|| kernel.busy_cycles());
        let (row, is_reached) = kernel.row(cycles);
        reached += usize::from(is_reached);
        let _ = writeln!(text, "{row}");
    }
    let _ = writeln!(text, "\nReached: {reached} of {}.", all.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_the_cycles_of_its_rows() {
        let page = "| `a` | k | 1 | s | 2 | 3 | 1,234,567 | no |\n| `ab` | k | 1 | s | 2 | 0.5 | 8 | no |\n";
        assert_eq!(known_cycles(page, "a"), Some(1_234_567));
        assert_eq!(known_cycles(page, "ab"), Some(8));
        assert_eq!(known_cycles(page, "b"), None);
    }

    #[test]
    fn a_matrix_in_blocks_has_each_place_once() {
        let mut places: Vec<usize> = (0..8)
            .flat_map(|i| (0..16).map(move |j| in_blocks(i, j, 16, 4, 8)))
            .collect();
        assert_eq!(places[..9], [0, 1, 2, 3, 4, 5, 6, 7, 32]);
        places.sort_unstable();
        assert!(places.into_iter().eq(0..128));
    }
}
