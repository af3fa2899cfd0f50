//! Cost of loading a device, in bytes of control code: in full, and only differences.
//!
//! Eight columns of four cores on npu2, one controller, in the variants of [`VARIANTS`]. The table
//! that is printed is the one of the book's page "Several configurations".

use aiec_test::driver::aiec;

/// The design that figures are taken of: eight columns of four cores.
const WHOLE_ARRAY: &str = include_str!("../../../examples/whole-array/design.mlir");

/// Kernels of its cores, and of those of the other device.
const KERNELS: [&str; 2] = [
    "%doubled = arith.addi %value, %value : i32",
    "%doubled = arith.xori %value, %forever_i32 : i32\n          %more = arith.muli %doubled, %value : i32",
];

/// Words that the columns of [`WHOLE_ARRAY`] take, two objects each.
const WORDS: usize = 256;

/// A variant of the design, and how much a load of differences may take beyond programs, in percent
/// of a full load.
struct Variant {
    /// Name in the table.
    name: &'static str,
    /// Words that each column takes.
    words: usize,
    /// A change of the text.
    change: fn(&str) -> String,
    percent: u64,
}

const VARIANTS: [Variant; 4] = [
    Variant {
        name: "two objects through fifos of two",
        words: WORDS,
        change: str::to_string,
        percent: 10,
    },
    Variant {
        name: "three objects: channels are at their second buffers",
        words: WORDS / 2 * 3,
        change: str::to_string,
        percent: 10,
    },
    Variant {
        name: "cores clear their next output before they wait for input",
        words: WORDS,
        change: clears_before,
        percent: 10,
    },
    Variant {
        name: "a core uses a lock in a branch: its column is reset",
        words: WORDS,
        change: with_a_branch,
        percent: 25,
    },
];

/// Each core clears the output that it is about to make, then waits for input.
fn clears_before(text: &str) -> String {
    let mut out = String::new();
    let mut input = String::new();
    for line in text.lines() {
        let name = line.trim_start();
        if name.starts_with("%x_s =") || name.starts_with("%x =") {
            input += &format!("{line}\n");
            continue;
        }
        out += &format!("{line}\n");
        if name.starts_with("%y =") {
            let size = "memref<32xi32>";
            out += &format!(
                "scf.for %z = %c0 to %c32 step %c1 {{\nmemref.store %k, %y[%z] : {size}\n}}\n"
            );
            out += &std::mem::take(&mut input);
        }
    }
    out
}

/// One core takes a lock in a branch.
fn with_a_branch(text: &str) -> String {
    let lock = "%guard = aie.lock(%w00, 15) {init = 1 : i32}\n    %core00 = aie.core(";
    let branch = "%k = arith.constant 0 : i32\n      %yes = arith.cmpi eq, %k, %k : i32\n      \
                  scf.if %yes {\n        aie.use_lock(%guard, AcquireGreaterEqual, 1)\n      }";
    text.replacen("%core00 = aie.core(", lock, 1)
        .replacen("%k = arith.constant 0 : i32", branch, 1)
}

impl Variant {
    fn words(&self) -> usize {
        8 * self.words
    }

    /// The design with as many words.
    fn text(&self) -> String {
        let (head, sequence) = WHOLE_ARRAY.split_once("aie.runtime_sequence").unwrap();
        let mut sequence = sequence
            .replace("memref<2048xi32>", &format!("memref<{}xi32>", self.words()))
            .replace("1, 1, 256]", &format!("1, 1, {}]", self.words));
        // From the last on, so that none is changed twice.
        for column in (1..8).rev() {
            let [old, new] = [WORDS, self.words].map(|n| format!("[0, 0, 0, {}][", column * n));
            sequence = sequence.replace(&old, &new);
        }
        (self.change)(&format!("{head}aie.runtime_sequence{sequence}"))
    }

    /// A module whose main device does `body` with devices `@a`, `@b`, equal except for their
    /// kernels, and a copy of `@a`.
    fn module(&self, text: &str, body: &str) -> String {
        let (_, inner) = text.split_once("module {").unwrap();
        let (inner, _) = inner.trim_end().rsplit_once('}').unwrap();
        let device = |name: &str, inner: &str| {
            let named = format!("aie.device(npu2) @{name} {{");
            let sequence = "runtime_sequence @run(";
            inner.replacen("aie.device(npu2) {", &named, 1).replacen(
                "runtime_sequence(",
                sequence,
                1,
            )
        };
        let ty = format!("memref<{}xi32>", self.words());
        format!(
            "module {{\n  aie.device(npu2) @main {{\n    aie.runtime_sequence(%x: {ty}, %y: {ty}, %z: {ty}) {{\n\
             {body}    }}\n  }}\n{}\n{}\n{}\n}}\n",
            device("a", inner),
            device("b", &other_kernels(inner)),
            device("copy", inner)
        )
    }

    /// A load of a device and runs of its sequence.
    fn load(&self, name: &str, runs: &[[&str; 2]]) -> String {
        let ty = format!("memref<{}xi32>", self.words());
        let run = |[from, to]: &[&str; 2]| format!("aiex.run @run({from}, {to}) : ({ty}, {ty})\n");
        let runs: String = runs.iter().map(run).collect();
        format!("aiex.configure @{name} {{\n{runs}}}\n")
    }
}

/// The design with kernels that compute something else.
fn other_kernels(inner: &str) -> String {
    inner.replace(KERNELS[0], KERNELS[1]).replace(
        "%k = arith",
        "%forever_i32 = arith.constant 77 : i32\n      %k = arith",
    )
}

/// Bytes of a descriptor of the uC-DMA.
const DESCRIPTOR: u64 = aiec_cert::bd::UC_BD_BYTES as u64;

/// Bytes of control code in use.
#[derive(Clone, Copy)]
struct Bytes {
    all: u64,
    /// Words of programs, each counted.
    words: u64,
    /// Descriptors that carry them.
    descriptors: u64,
}

impl Bytes {
    fn of(text: &str, way: &str) -> Bytes {
        let way = format!("--reconfigure={way}");
        let code = |kind: &str| {
            let args = ["-", "-o", "-", "--jobs=single", &way, kind];
            let code = aiec(args, text.as_bytes()).output();
            code.unwrap_or_else(|e| panic!("{e}"))
        };
        let elf = aiec_cert::elf::read(&code("--emit=ctrl-elf")).unwrap();
        let pages = elf.instances.iter().flat_map(|i| &i.ucs);
        let pages = pages.flat_map(|uc| &uc.pages);
        let used = pages.map(|page| u64::from(u16::from_le_bytes([page[8], page[9]])));
        let asm = String::from_utf8(code("--emit=ctrl-asm")).unwrap();
        let (mut words, mut descriptors) = (0, 0);
        let lines = asm.lines().map(str::trim_start);
        for line in lines.filter(|line| line.starts_with("UC_DMA_BD")) {
            let fields = line.split_whitespace().map(|f| f.trim_end_matches(','));
            let fields: Vec<&str> = fields.collect();
            let address = u32::from_str_radix(fields[2].trim_start_matches("0x"), 16).unwrap();
            // Program memory of a core tile (AM025): rows from 2 on in this device, from 0x20000 on.
            if address >> 20 & 0x1F >= 2 && (0x2_0000..0x3_0000).contains(&(address & 0xF_FFFF)) {
                words += 4 * fields[4].parse::<u64>().unwrap();
                descriptors += DESCRIPTOR;
            }
        }
        Bytes {
            all: used.sum(),
            words,
            descriptors,
        }
    }

    /// The bytes beyond `all` and `programs`.
    fn without(self, all: Bytes, programs: Bytes) -> Bytes {
        Bytes {
            all: self.all - all.all,
            words: self.words - programs.words,
            descriptors: self.descriptors - programs.descriptors,
        }
    }

    fn beyond(self) -> u64 {
        self.all.saturating_sub(self.words + self.descriptors)
    }
}

#[test]
fn other_kernels_on_equal_ways_take_little_beyond_their_programs() {
    println!(
        "| design | full | differences | of them programs | beyond | of a full load's | with the programs' descriptors |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for variant in &VARIANTS {
        let text = variant.text();
        let bytes = |body: &str, way: &str| Bytes::of(&variant.module(&text, body), way);
        let first = [["%x", "%y"]];
        let one = bytes(&variant.load("a", &first), "full");
        // The second run of the sequence isn't part of the load.
        let twice = bytes(&variant.load("a", &[["%x", "%y"], ["%y", "%z"]]), "full");
        let cost = |name: &str, way: &str| {
            let body = variant.load("a", &first) + &variant.load(name, &[["%y", "%z"]]);
            bytes(&body, way).without(twice, one)
        };
        let full = cost("b", "full");
        let diff = cost("b", "diff");
        let same = cost("copy", "diff");
        let percent = |part: u64| part as f64 * 100.0 / full.beyond() as f64;
        println!(
            "| {} | {} | {} | {} | {} | {:.1} % | {:.1} % |",
            variant.name,
            full.all,
            diff.all,
            diff.words + diff.descriptors,
            diff.beyond(),
            percent(diff.beyond()),
            percent(diff.beyond() + diff.descriptors),
        );
        // Words that cores share count for each, which makes the full load smaller than it is.
        let allowed = variant.percent * full.beyond() / 100;
        let name = variant.name;
        assert!(
            diff.beyond() <= allowed,
            "{name}: {} of {allowed}",
            diff.beyond()
        );
        assert!(
            same.beyond() <= allowed,
            "{name}: {} of {allowed}",
            same.beyond()
        );
    }
}
