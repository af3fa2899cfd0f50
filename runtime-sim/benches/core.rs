//! Speed of core programs: the inner loop of a matrix product, as the compiler makes it, and one
//! on vectors. An item is an instruction.
//!
//! Machine code is measured in processor time too, which other processes change less than time that passes.

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
use aiec_sim::core::{
    Attempt, CASCADE_WORDS, CoreBus, CoreMachine, CoreMemory, CoreSettings, CoreStop,
};
use aiec_vcode::{
    CoreProgram, Function, Instruction, MapImmediate, MemoryImmediate, MemoryType, Opcode,
};
use divan::counter::ItemsCount;
use processor_time::processor_time;

fn main() {
    divan::main();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_run = !arguments.iter().any(|a| a == "--list" || a == "--test");
    let mut filters = arguments.iter().filter(|a| !a.starts_with('-')).peekable();
    if is_run
        && (filters.peek().is_none() || filters.any(|filter| "machine_code".contains(&**filter)))
    {
        machine_code_in_processor_time();
    }
}

/// A tile of which only the memory is used.
struct Tile(Vec<u8>);

impl CoreBus for Tile {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: [&mut [], &mut [], &mut [], &mut self.0],
            window_bits: 16,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, _: u64, _: u8, _: i8) -> Attempt<()> {
        Attempt::Later
    }

    fn release(&mut self, _: u64, _: u8, _: i8) -> Attempt<()> {
        Attempt::Later
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        Attempt::Later
    }

    fn stream_put(&mut self, _: u64, _: u8, _: u32, _: bool) -> Attempt<()> {
        Attempt::Later
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        Attempt::Later
    }

    fn cascade_put(&mut self, _: u64, _: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        Attempt::Later
    }

    fn event(&mut self, _: u64, _: u8) {}
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

fn bench(bencher: divan::Bencher, code: Vec<Instruction>, items: u64) {
    let mut core = machine(code);
    let mut tile = Tile(vec![1; 0x1_0000]);
    bencher.counter(ItemsCount::new(items)).bench_local(|| {
        core.reset();
        let run = core.run(&mut tile, u64::MAX);
        assert_eq!(run.stop, CoreStop::Done);
    });
}

const ROUNDS: u32 = 1 << 20;

/// sum += a[row + l] * b[l * 16 + j]
#[divan::bench(sample_count = 10)]
fn dot_product(bencher: divan::Bencher) {
    let code = vec![
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
    ];
    bench(bencher, code, 8 * u64::from(ROUNDS));
}

/// Vectors of 16 numbers: load, multiply, add, store.
#[divan::bench(sample_count = 10)]
fn vectors(bencher: divan::Bencher) {
    let map = |op| {
        MapImmediate {
            op,
            fourth: 0,
            lanes: 16,
        }
        .pack()
    };
    let rounds = ROUNDS / 16;
    let code = vec![
        li(0, 0),
        li(1, rounds),
        li(2, 0x7_0000),
        Instruction::with(Opcode::VLd, 0, 2, 16, at(MemoryType::I32, 0)),
        Instruction::with(Opcode::VMap, 1, 0, 0, map(Opcode::Mul32)),
        Instruction::with(Opcode::VMap, 2, 1, 0, map(Opcode::Add32)),
        Instruction::with(Opcode::VSt, 2, 2, 16, at(MemoryType::I32, 0x100)),
        Instruction::with(Opcode::Loopi, 0, 1, 1, 3),
        Instruction::new(Opcode::End, 0, 0, 0),
    ];
    bench(bencher, code, 5 * u64::from(rounds));
}

/// Bundles of machine code: a loop of loads, products of the scalar unit, vector sums and stores, as
/// a compiler pipelines it. An item is a bundle.
#[divan::bench(sample_count = 10)]
fn machine_code(bencher: divan::Bencher) {
    let program = machine_code_program();
    let mut tile = Tile(vec![1; 0x1_0000]);
    let items = ItemsCount::new(BUNDLES);
    bencher
        .counter(items)
        .bench_local(|| run_machine_code(&program, &mut tile));
}

/// Bundles that the program of [`machine_code_program`] takes.
const BUNDLES: u64 = 9 * ROUNDS as u64;

fn run_machine_code(program: &Arc<[u8]>, tile: &mut Tile) {
    let mut core = MachineCodeCore::new(CoreArch::Aie2, program.clone(), false);
    assert_eq!(core.run(tile, u64::MAX).stop, CoreStop::Done);
}

/// Prints bundles in a second of processor time: slowest, median and fastest of some runs.
fn machine_code_in_processor_time() {
    const RUNS: usize = 11;
    let program = machine_code_program();
    let mut tile = Tile(vec![1; 0x1_0000]);
    let start = Instant::now();
    let mut rates: Vec<f64> = (0..RUNS)
        .map(|_| {
            let before = processor_time(start);
            run_machine_code(&program, &mut tile);
            BUNDLES as f64 * 1e3 / (processor_time(start) - before)
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!(
        "machine_code: {:.1} million bundles in a second of processor time, the median of {RUNS} runs ({:.1} to {:.1})",
        rates[RUNS / 2],
        rates[0],
        rates[RUNS - 1]
    );
}

fn machine_code_program() -> Arc<[u8]> {
    let text = format!(
        "movxm p0, #0x70400\nmovxm p1, #0x71000\nmovxm r1, #{ROUNDS}\nmova r0, #0\nmova r3, #0\nloop:\n\
         lda r4, [p0, #4]; vldb wl0, [p1, #0]; add r0, r0, #1; add.nc r5, r3, #3\n\
         mul r6, r4, r5; vldb wh0, [p1, #32]\n\
         ltu r7, r0, r1; vadd.32 x2, x0, x2\n\
         jnz r7, #loop\n\
         add r3, r3, r6; mov r8, r4\nnop\nst r3, [p0, #8]; xor r9, r3, r0\n\
         vst wl2, [p1, #64]; or r10, r9, r8\nnop\ndone\n"
    );
    let object = assemble(CoreArch::Aie2, "bench", FileId::default(), &text);
    let options = LinkOptions {
        start_code: false,
        ..LinkOptions::default()
    };
    let program = object.and_then(|object| link(&[object], &options));
    match program {
        Ok(program) => Arc::from(program.code()),
        Err(findings) => panic!("{findings:?}"),
    }
}
