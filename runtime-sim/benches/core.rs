//! Speed of cores by themselves: core programs and machine code, from the inner loop of a matrix product to one product
//! instruction after another.
//!
//! * `cargo bench -p aiec-sim --bench core`: each case several times, medians and extremes.
//! * `cargo xtask bench-compare OLD [NEW] --bench core`: the same of two commits, their runs in turn; it asks a bench for
//!   its cases (`--list`) and for one run of one of them (`--one CASE`).
//! * `cargo xtask bench`: instructions of the host for an item, of which `--items CASE` tells the number in a run.
//!
//! Rates are items in a second of processor time, which other processes change less than time that passes.

#[path = "support/processor_time.rs"]
mod processor_time;

use std::sync::Arc;
use std::time::Instant;

use aiec_core::CoreArch;
use aiec_core::asm::assemble;
use aiec_core::link::{LinkOptions, link};
use aiec_device::Arch;
use aiec_diag::FileId;
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{CoreMachine, CoreSettings, CoreStop, MemoryTile};
use aiec_vcode::{
    CoreProgram, Function, Instruction, MapImmediate, MemoryImmediate, MemoryType, Opcode,
};
use processor_time::processor_time;

/// Runs of each case.
const RUNS: usize = 9;
/// Rounds of the loop that a case executes.
const ROUNDS: u32 = 1 << 16;
/// Same as [`ROUNDS`], for a case whose items are products of the vector unit.
const PRODUCT_ROUNDS: u32 = ROUNDS / 8;

/// The program of a case.
enum Program {
    Core(fn() -> Vec<Instruction>),
    MachineCode(CoreArch, fn() -> String),
}

struct Case {
    name: &'static str,
    program: Program,
    rounds: u32,
    /// Items of a round.
    items: u64,
}

const CASES: [Case; 6] = [
    Case {
        name: "operations of a core program",
        program: Program::Core(dot_product),
        rounds: ROUNDS,
        items: 8,
    },
    Case {
        name: "operations on 16 lanes of a core program",
        program: Program::Core(vectors),
        rounds: ROUNDS,
        items: 4,
    },
    Case {
        name: "bundles of machine code",
        program: Program::MachineCode(CoreArch::Aie2, mixed_bundles),
        rounds: ROUNDS,
        items: 9,
    },
    Case {
        name: "scalar bundles",
        program: Program::MachineCode(CoreArch::Aie2, scalar_bundles),
        rounds: ROUNDS,
        items: 9,
    },
    Case {
        name: "vmac of 4x8 by 8x8 bytes",
        program: Program::MachineCode(CoreArch::Aie2, byte_products),
        rounds: PRODUCT_ROUNDS,
        items: 8,
    },
    Case {
        name: "vmac.f of 4x8 by 8x4 bf16",
        program: Program::MachineCode(CoreArch::Aie2, float_products),
        rounds: PRODUCT_ROUNDS,
        items: 8,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let case = |name: &str| {
        let found = CASES.iter().find(|case| case.name == name);
        found.unwrap_or_else(|| panic!("no case `{name}`"))
    };
    match words.as_slice() {
        // `cargo test` runs benches with this to see that they start.
        [.., "--test"] => {}
        ["--list", ..] => CASES.iter().for_each(|case| println!("{}", case.name)),
        ["--items", name, ..] => println!("{}", case(name).all_items()),
        ["--one", name, ..] => println!("{}", case(name).rate()),
        _ => CASES.iter().for_each(Case::report),
    }
}

impl Case {
    /// Items of a run.
    fn all_items(&self) -> u64 {
        self.items * u64::from(self.rounds)
    }

    /// Runs it once; returns items in a second of processor time.
    fn rate(&self) -> f64 {
        let mut tile = MemoryTile(vec![1; 0x1_0000]);
        let start = Instant::now();
        let (stop, nanoseconds) = match self.program {
            Program::Core(code) => {
                let mut core = machine(code());
                let before = processor_time(start);
                let stop = core.run(&mut tile, u64::MAX).stop;
                (stop, processor_time(start) - before)
            }
            Program::MachineCode(arch, text) => {
                let mut core = MachineCodeCore::new(arch, assembled(arch, &text()), false);
                let before = processor_time(start);
                let stop = core.run(&mut tile, u64::MAX).stop;
                (stop, processor_time(start) - before)
            }
        };
        assert_eq!(stop, CoreStop::Done);
        self.all_items() as f64 * 1e9 / nanoseconds
    }

    /// Prints its rates.
    fn report(&self) {
        let mut rates: Vec<f64> = (0..RUNS).map(|_| self.rate() / 1e6).collect();
        rates.sort_by(f64::total_cmp);
        println!(
            "{:44} {:8.3} M/s ({:.3} to {:.3})",
            self.name,
            rates[RUNS / 2],
            rates[0],
            rates[RUNS - 1]
        );
    }
}

fn assembled(arch: CoreArch, text: &str) -> Arc<[u8]> {
    let object = assemble(arch, "bench", FileId::default(), text);
    let options = LinkOptions {
        start_code: false,
        ..LinkOptions::default()
    };
    match object.and_then(|object| link(&[object], &options)) {
        Ok(program) => Arc::from(program.code()),
        Err(findings) => panic!("{findings:?}"),
    }
}

fn machine(code: Vec<Instruction>) -> CoreMachine {
    let functions = vec![Function {
        entry: 0,
        registers: 16,
        granules: 16,
    }];
    let program = CoreProgram {
        functions,
        kernels: Vec::new(),
        code,
    };
    let words = program.encode(0x4000).unwrap_or_default();
    CoreMachine::load(&words, Arch::Aie2, &CoreSettings::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn li(register: u8, value: u32) -> Instruction {
    Instruction::with(Opcode::Li, register, 0, 0, value)
}

fn at(kind: MemoryType, offset: i32) -> u32 {
    MemoryImmediate { kind, offset }.pack()
}

/// sum += a[row + l] * b[l * 16 + j]
fn dot_product() -> Vec<Instruction> {
    vec![
        li(0, 0),
        li(1, ROUNDS),
        li(2, 0),
        li(3, 0),
        Instruction::with(Opcode::Andi, 4, 0, 0, 15),
        Instruction::new(Opcode::Add64, 5, 4, 2),
        Instruction::with(Opcode::LdIdx, 6, 5, 0, at(MemoryType::I32, 0x7_0400)),
        Instruction::new(Opcode::Shli64, 7, 4, 4),
        Instruction::with(Opcode::LdIdx, 8, 7, 0, at(MemoryType::I32, 0x7_1000)),
        Instruction::new(Opcode::Mul32, 9, 6, 8),
        Instruction::new(Opcode::Add32, 3, 3, 9),
        Instruction::with(Opcode::Loopi, 0, 1, 1, 4),
        Instruction::new(Opcode::End, 0, 0, 0),
    ]
}

/// Vectors of 16 numbers: load, multiply, add, store.
fn vectors() -> Vec<Instruction> {
    let map = |op| {
        MapImmediate {
            op,
            fourth: 0,
            lanes: 16,
        }
        .pack()
    };
    vec![
        li(0, 0),
        li(1, ROUNDS),
        li(2, 0x7_0000),
        Instruction::with(Opcode::VLd, 0, 2, 16, at(MemoryType::I32, 0)),
        Instruction::with(Opcode::VMap, 1, 0, 0, map(Opcode::Mul32)),
        Instruction::with(Opcode::VMap, 2, 1, 0, map(Opcode::Add32)),
        Instruction::with(Opcode::VSt, 2, 2, 16, at(MemoryType::I32, 0x100)),
        Instruction::with(Opcode::Loopi, 0, 1, 1, 3),
        Instruction::new(Opcode::End, 0, 0, 0),
    ]
}

/// A loop of loads, products of the scalar unit, vector sums and stores, as a compiler pipelines it.
fn mixed_bundles() -> String {
    format!(
        "movxm p0, #0x70400\nmovxm p1, #0x71000\nmovxm r1, #{ROUNDS}\nmova r0, #0\nmova r3, #0\nloop:\n\
         lda r4, [p0, #4]; vldb wl0, [p1, #0]; add r0, r0, #1; add.nc r5, r3, #3\n\
         mul r6, r4, r5; vldb wh0, [p1, #32]\n\
         ltu r7, r0, r1; vadd.32 x2, x0, x2\n\
         jnz r7, #loop\n\
         add r3, r3, r6; mov r8, r4\nnop\nst r3, [p0, #8]; xor r9, r3, r0\n\
         vst wl2, [p1, #64]; or r10, r9, r8\nnop\ndone\n"
    )
}

/// A loop of the scalar unit, two operations a bundle.
fn scalar_bundles() -> String {
    format!(
        "movxm p0, #0x70400\nmovxm r1, #{ROUNDS}\nmova r0, #0\nmova r3, #0\nloop:\n\
         lda r4, [p0, #4]; add r0, r0, #1; add.nc r5, r3, #3\n\
         mul r6, r4, r5; mov r11, r3\n\
         ltu r7, r0, r1; mov r12, r5\n\
         jnz r7, #loop\n\
         add r3, r3, r6; mov r8, r4\n\
         lshl r13, r3, r8; mov r14, r9\n\
         st r3, [p0, #8]; xor r9, r3, r0\n\
         sub r2, r9, r4; mov r15, r8\n\
         or r10, r9, r8; mov r16, r3\ndone\n"
    )
}

/// A loop of products of two registers, which an accumulator of its own each sums up.
fn products(instruction: &str, accumulators: [&str; 4], configuration: u32) -> String {
    let mac = |number: usize| {
        let accumulator = accumulators[number % 4];
        format!("{instruction} {accumulator}, {accumulator}, x0, x2, r2")
    };
    let [a, b, c, d, e, f, g, h] = std::array::from_fn(mac);
    format!(
        "movxm p0, #0x70400\nmovxm r1, #{PRODUCT_ROUNDS}\nmova r0, #0\nmova r2, #{configuration}\n\
         vlda wl0, [p0, #0]\nvlda wh0, [p0, #32]\nvlda wl2, [p0, #64]\nvlda wh2, [p0, #96]\n\
         nop\nnop\nnop\nnop\nnop\nnop\nnop\nloop:\n\
         {a}; add r0, r0, #1\n{b}; ltu r7, r0, r1\n{c}; jnz r7, #loop\n{d}\n{e}\n{f}\n{g}\n{h}\ndone\n"
    )
}

fn byte_products() -> String {
    products("vmac", ["cm0", "cm1", "cm2", "cm3"], 0x308)
}

fn float_products() -> String {
    products("vmac.f", ["bml0", "bml1", "bml2", "bml3"], 0x1C)
}
