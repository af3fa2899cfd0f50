//! The page of published figures of silicon beside ours. `cargo xtask silicon` writes it: rows of designs
//! that are in the project are computed; those of published files, which are not, were measured by hand,
//! with the day and the commit.

use std::fmt::Write as _;

use aiec::Exit;
use indexmap::IndexMap;

use crate::verdicts::{Design, FORMS, designs};

/// When, and with which commit, figures were taken by hand.
const MEASURED: (&str, &str) = ("2026-11-24", "838fb776");

/// Words that the corpus' design `ovr_6` sends beyond what its receiver takes.
const OVERRUN: usize = 6;
/// Words that its receiver takes.
const TAKEN: usize = 128;
/// The most words beyond that are tried.
const MAX_OVERRUN: usize = 24;

/// A figure.
struct Figure {
    what: String,
    source: &'static str,
    silicon: String,
    model: String,
}

impl Figure {
    fn new(what: &str, source: &'static str, silicon: &str, model: &str) -> Figure {
        Figure {
            what: what.to_string(),
            source,
            silicon: silicon.to_string(),
            model: model.to_string(),
        }
    }

    /// Distance of the model from silicon: in percent between two numbers, `none` where both texts
    /// are the same.
    fn error(&self) -> String {
        let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
        // A figure that was taken later has its day after it.
        let model = self.model.split(" (20").next().unwrap_or_default();
        match (number(&self.silicon), number(model)) {
            (Some(silicon), Some(model)) if silicon != 0.0 => {
                format!("{:+.1} %", (model - silicon) / silicon * 100.0)
            }
            _ if self.silicon == model => "none".to_string(),
            _ => "–".to_string(),
        }
    }
}

/// The page.
///
/// # Panics
///
/// If the corpus of verdicts can't be read or run.
pub fn page() -> String {
    let (day, commit) = MEASURED;
    let mut text = String::from(
        "# Silicon\n\nPublished figures of hardware that anyone can check, beside what the model says. `cargo xtask \
         silicon` rewrites this page, and a test holds that it is what the command writes. The error is that of the \
         model; *none*: the same. Costs of single steps are in [Calibration](calibration.md), what is coarser \
         than silicon in the [fidelity registry](fidelity.md).\n\n## From designs of the project\n\nThe designs of \
         `test/verdicts` are our own, each after one of mlir-aie's \
         `test/create-packet-flows/{,nightly/}Inputs/hw_verdicts` whose verdict on an NPU2 (Strix) is published: a routing that \
         passed, or that hung. They are run as an ELF and as an xclbin, and as control code unless they say why not; where the run passes, all words of the \
         output are compared. A row is a family of them.\n\n",
    );
    table(&mut text, &computed());
    let _ = write!(
        text,
        "\n## From published files\n\nThese files are not in the project; where a row has no day of its own, the \
         figure was taken on {day} with commit {commit}. *exact*: every element equal to the stated function; `–`: not run.\n\n"
    );
    table(&mut text, &by_hand());
    text
}

fn table(text: &mut String, figures: &[Figure]) {
    text.push_str("| what | source | silicon | model | error |\n| --- | --- | --- | --- | --- |\n");
    for figure in figures {
        let Figure {
            what,
            source,
            silicon,
            model,
        } = figure;
        let error = figure.error();
        let _ = writeln!(
            text,
            "| {what} | {source} | {silicon} | {model} | {error} |"
        );
    }
}

/// Descriptions of the families of verdicts.
const FAMILIES: [(&str, &str); 15] = [
    (
        "sj",
        "two channels of a memory tile to two receivers that get their tasks in the other order",
    ),
    ("prio", "the same with tokens as packets"),
    ("mj3", "three channels joined in order by a memory tile"),
    ("j2m", "two flows of a memory tile joined by a core"),
    ("j2", "two flows of two memory tiles joined by a core"),
    (
        "bc",
        "a flow broadcast to two cores, one of which joins it with another",
    ),
    ("relay", "a relayed flow joined with one that goes straight"),
    ("pipe", "two cores in a row"),
    ("jwc", "generators joined in order by a memory tile"),
    ("bch", "the same with a broadcast of the joined flow"),
    ("crowd", "flows into and out of one memory tile"),
    (
        "ovr",
        "a packet longer than its receiver takes, and another after it",
    ),
    ("kh", "headers kept in memory"),
    ("sd", "two ids into one receiver"),
    ("stress", "copies of multicasts that cross"),
];

fn computed() -> Vec<Figure> {
    let mut families: IndexMap<&str, Vec<Design>> = IndexMap::new();
    for (family, _) in FAMILIES {
        families.insert(family, Vec::new());
    }
    for design in designs() {
        let family = design.name.split('_').next().unwrap_or_default();
        let known = families.get_mut(family);
        known
            .expect("the family of each design is listed")
            .push(design.clone());
    }
    let mut figures = Vec::new();
    for (family, what) in FAMILIES {
        let list = &families[family];
        let hang = list.iter().filter(|design| design.hangs()).count();
        let agrees = |design: &&Design| {
            design
                .forms()
                .iter()
                .all(|form| design.disagreement(form).is_none())
        };
        let silicon = match (hang, list.len() - hang) {
            (0, pass) => format!("{pass} PASS"),
            (hang, 0) => format!("{hang} HANG"),
            (hang, pass) => format!("{pass} PASS, {hang} HANG"),
        };
        let right = list.iter().filter(agrees).count();
        figures.push(Figure {
            what: format!("`{family}`: {what}"),
            source: "mlir-aie hw_verdicts",
            model: if right == list.len() {
                silicon.clone()
            } else {
                format!("{right} of {} as on silicon", list.len())
            },
            silicon,
        });
    }
    figures.push(Figure {
        what: "words that an S2MM without a task and the way before it hold".to_string(),
        source: "mlir-aie hw_verdicts: `ovr_5_arb` PASS, `ovr_6_arb` HANG",
        silicon: "5".to_string(),
        model: most_words_beyond().to_string(),
    });
    figures
}

/// The most words beyond what a receiver takes with which `ovr_6` still completes.
fn most_words_beyond() -> usize {
    let all = designs();
    let design = all.iter().find(|design| design.name == "ovr_6");
    let design = design.expect("the design is in the corpus");
    let completes = |over: &usize| {
        let sizes = [TAKEN, 2 * TAKEN];
        let text = sizes.iter().fold(design.text.clone(), |text, size| {
            text.replace(&(size + OVERRUN).to_string(), &(size + over).to_string())
        });
        Design {
            text,
            ..design.clone()
        }
        .completes()
    };
    let tried = (0..=MAX_OVERRUN).take_while(completes);
    tried.last().unwrap_or_default()
}

impl Design {
    /// Whether a run of it completes.
    fn completes(&self) -> bool {
        self.run(&self.text, FORMS[1]).run.exit == Exit::Done
    }
}

fn by_hand() -> Vec<Figure> {
    let row = Figure::new;
    vec![
        row(
            "`xrt-smi validate -r gemm`, int8, 32 cores of AIE2P: cycles of a core",
            "Xilinx/VTD `elf/gemm_int8.elf` (word 0xc14 of each core); 51.0 TOPS at 1.80 GHz (XRT PR 9061)",
            "222.05",
            "222",
        ),
        row(
            "the same from 51.3 TOPS at 1.81 GHz",
            "Ryzen AI documentation",
            "221.98",
            "222",
        ),
        row(
            "bf16 32×32×32 by hand, AIE2: cycles with the call",
            "scalable-analyses/xdna (Ryzen 7 8700G)",
            "288.0",
            "288",
        ),
        row(
            "bf16 32³, 64³ by Peano (mlir-aie mm.cc), AIE2: cycles",
            "the same",
            "879.3; 5,407",
            "–",
        ),
        row(
            "int8 32³, 64³, 32×64×32 by Peano, AIE2: cycles",
            "the same",
            "514.1; 2,584; 697 with the call",
            "–",
        ),
        row(
            "int8 64³ to i32 and to i16 by Chess, AIE-ML: cycles",
            "AMD tutorial for XD100",
            "1,750; 1,121",
            "–",
        ),
        row(
            "scale of 1024 × i32: scalar, vector, pipelined; of i16: cycles",
            "mlir-aie programming_guide/section-4/section-4c",
            "12,297; 1,490; 339; 78",
            "–",
        ),
        row(
            "matmul i16 64×64×32, AIE2: cycles",
            "the same",
            "2,535",
            "–",
        ),
        row(
            "distance of dependent products, AIE2: bf16, int8 (nearer: the old accumulator, no stall)",
            "scalable-analyses/xdna",
            "4; 2",
            "4; 2",
        ),
        row(
            "two accesses of one bank in a bundle: cycles more",
            "the same",
            "1",
            "1",
        ),
        row(
            "matmul bf16 64×64×32, AIE2P: by bfp16, native: cycles",
            "page *Kernels* of a public project (bf16 GEMM, saxpy; hardware traces)",
            "954.7; 5,250.9",
            "–",
        ),
        row(
            "saxpy bf16 4,096, AIE2P: vector; scalar: cycles",
            "the same",
            "335; 541,662",
            "–",
        ),
        row(
            "int8 GEMM 128×64×64 by hand, AIE2P: bundles; cycles with conflicts",
            "hipfire gemm_core.rs",
            "1,067; about 1,360",
            "–",
        ),
        row(
            "clock of the array of Strix Halo",
            "hipfire ClockProbe",
            "1.80 GHz",
            "–",
        ),
        row(
            "five Peano designs, npu1 (additions, gemm 256³ and 512³ i16, gemv): exact",
            "tibrezus/xdna-npu-toolkit `iron/builds`",
            "5 of 5",
            "5 of 5 (2026-11-25)",
        ),
        row(
            "Riallto's six applications, npu1, Chess: exact",
            "AMDResearch/Riallto",
            "6 of 6",
            "6 of 6 (2026-11-25)",
        ),
        row(
            "elementwise designs of Strix, 32 cores, Chess: SDMul; SDAdd, elements rounded to even",
            "amd/DynamicDispatch f50a852",
            "3,072 of 3,072; 163,840 of 163,840",
            "3,072 of 3,072; 163,840 of 163,840 (2026-11-25)",
        ),
        row(
            "square kernel, npu2, Peano",
            "amd/Triton-XDNA `examples/elementwise_arith/air_project/aie.elf`",
            "exact",
            "exact",
        ),
        row(
            "designs of Stable Diffusion for Strix, 32 cores, Chess: each with its smallest transaction, to its end",
            "amd/DynamicDispatch f50a852, `SD*.xclbin`",
            "13 of 13",
            "13 of 13 (2026-11-25)",
        ),
        row(
            "routings with a verdict, Strix, written after the published ones: PASS or HANG, and the data",
            "mlir-aie `test/create-packet-flows/{,nightly/}Inputs/hw_verdicts`",
            "117 (two of them hung in some of three runs)",
            "117 as the files that a driver loads: of the two, `stress_s125_old` (2 HANG, 1 PASS) hangs, `stress_s106_old` (1 HANG, 2 PASS) passes. As control code, which no NPU executes, `stress_s155_old` passes. In `stress_s60` three flows that nothing awaits stop, which on silicon went on (2026-11-26); all 57 that hang are named before a run",
        ),
        row(
            "bundles of AMD's programs for Strix, of all cores of 80 xclbins: decoded, every instruction and operand \
             by name, with a meaning",
            "amd/DynamicDispatch f50a852, `xclbin/stx`",
            "3,907,817",
            "3,907,817 (2026-11-25)",
        ),
        row(
            "lines of llvm-aie's tests of AIE2PS encodings: bytes and text, both ways",
            "Xilinx/llvm-aie `llvm/test/CodeGen/AIE/aie2ps/BinaryOutput`",
            "3,425",
            "3,425 (2026-11-26)",
        ),
        row(
            "chained buffer descriptors of 16 words, Phoenix: cycles between them",
            "xdna-emu 7380bd56, trace of `add_one`",
            "1",
            "1 (2026-11-25)",
        ),
        row(
            "words that an S2MM with a loaded descriptor takes while its lock waits, Phoenix",
            "xdna-emu, finding of 2026-07-14",
            "15 to 16",
            "16",
        ),
        row(
            "GEMM on the whole array, int8 and bf16: TOPS of XDNA; of XDNA2; MAC per cycle of one AIE2 core",
            "arXiv 2512.13282",
            "6.76, 3.14; 38.05, 14.71; 233.0, 112.6",
            "–",
        ),
    ]
}
