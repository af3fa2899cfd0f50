use aiec_device::Arch;
use aiec_vcode::{
    CoreProgram, Function, Instruction, MapImmediate, MemoryImmediate, MemoryType, Opcode,
};

use super::*;

/// A tile with one data memory at 0x70000, lock 48 and a loop-back stream.
#[derive(Default)]
struct Tile {
    memory: Vec<u8>,
    lock: i32,
    stream: Vec<u32>,
    cascade: Vec<[u32; CASCADE_WORDS]>,
    events: Vec<(u64, u8)>,
    acquired_at: Vec<u64>,
    released_at: Vec<u64>,
    /// Runs may begin at operations on locks.
    restarts_runs: bool,
    /// When the current run began, and how many have begun in this way.
    run_start: u64,
    restarts: u32,
}

impl CoreBus for Tile {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: [&mut [], &mut [], &mut [], &mut self.memory],
            window_bits: 16,
            conflicts: None,
            accesses: None,
        }
    }

    fn restart_at(&mut self, elapsed: u64) -> bool {
        if self.restarts_runs {
            self.run_start += elapsed;
            self.restarts += 1;
        }
        self.restarts_runs
    }

    fn acquire(&mut self, elapsed: u64, lock: u8, operand: i8) -> Attempt<()> {
        assert_eq!((lock, operand), (48, -1));
        if self.lock == 0 {
            return Attempt::Later;
        }
        self.lock -= 1;
        self.acquired_at.push(self.run_start + elapsed);
        Attempt::Done(())
    }

    fn release(&mut self, elapsed: u64, _: u8, change: i8) -> Attempt<()> {
        self.released_at.push(self.run_start + elapsed);
        self.lock += i32::from(change);
        Attempt::Done(())
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        self.stream.pop().map_or(Attempt::Later, Attempt::Done)
    }

    fn stream_put(&mut self, _: u64, _: u8, word: u32, _: bool) -> Attempt<()> {
        self.stream.push(word);
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        self.cascade.pop().map_or(Attempt::Later, Attempt::Done)
    }

    fn cascade_put(&mut self, _: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        self.cascade.push(*words);
        Attempt::Done(())
    }

    fn event(&mut self, elapsed: u64, event: u8) {
        self.events.push((elapsed, event));
    }
}

fn tile() -> Tile {
    Tile {
        memory: vec![0; 0x1_0000],
        ..Tile::default()
    }
}

fn machine(functions: &[u32], code: Vec<Instruction>) -> CoreMachine {
    let functions = functions
        .iter()
        .map(|&entry| Function {
            entry,
            registers: 16,
            granules: 8,
        })
        .collect();
    let program = CoreProgram {
        functions,
        kernels: Vec::new(),
        code,
    };
    CoreMachine::load(
        &program.encode(0x4000).unwrap(),
        Arch::Aie2,
        &CoreSettings::default(),
    )
    .unwrap()
}

fn li(register: u8, value: i32) -> Instruction {
    Instruction::with(Opcode::Li, register, 0, 0, value as u32)
}

fn at(kind: MemoryType, offset: i32) -> u32 {
    MemoryImmediate { kind, offset }.pack()
}

fn word(tile: &Tile, byte: usize) -> i32 {
    i32::from_le_bytes(tile.memory[byte..byte + 4].try_into().unwrap())
}

const END: Instruction = Instruction::new(Opcode::End, 0, 0, 0);

#[test]
fn a_loop_over_memory() {
    // for i in 0..10 { b[i] = 3 * a[i] }, a at 0x70000, b at 0x70100.
    let mut core = machine(
        &[0],
        vec![
            li(0, 0),
            li(1, 10),
            Instruction::with(Opcode::LdIdx, 2, 0, 0, at(MemoryType::I32, 0x7_0000)),
            Instruction::with(Opcode::Muli32, 2, 2, 0, 3),
            Instruction::with(Opcode::StIdx, 2, 0, 0, at(MemoryType::I32, 0x7_0100)),
            Instruction::with(Opcode::Loopi, 0, 1, 1, 2),
            END,
        ],
    );
    let mut tile = tile();
    for i in 0..10 {
        tile.memory[i * 4..i * 4 + 4].copy_from_slice(&(i as i32 - 4).to_le_bytes());
    }
    let run = core.run(&mut tile, u64::MAX);
    assert_eq!(
        run,
        CoreRun {
            stop: CoreStop::Done,
            cycles: 42
        }
    );
    for i in 0..10 {
        assert_eq!(word(&tile, 0x100 + i * 4), 3 * (i as i32 - 4));
    }
    core.reset();
    let first = core.run(&mut tile, 10);
    assert_eq!(first.stop, CoreStop::Budget);
    let rest = core.run(&mut tile, u64::MAX);
    assert_eq!(
        (rest.stop, first.cycles + rest.cycles),
        (CoreStop::Done, 42)
    );
}

#[test]
fn waiting_and_going_on() {
    let mut core = machine(
        &[0],
        vec![
            li(0, 7),
            Instruction::new(Opcode::Acquire, 48, -1i8 as u8, 0),
            Instruction::new(Opcode::Event, 1, 0, 0),
            Instruction::new(Opcode::StreamPut, 0, 0, 1),
            Instruction::new(Opcode::StreamGet, 1, 0, 0),
            Instruction::with(Opcode::StAbs, 1, 0, 0, at(MemoryType::I16, 0x7_0002)),
            Instruction::new(Opcode::StreamGet, 1, 0, 0),
            END,
        ],
    );
    let mut tile = tile();
    let wait = CoreStop::Waiting(CoreWait::Acquire {
        lock: 48,
        operand: -1,
    });
    assert_eq!(
        core.run(&mut tile, u64::MAX),
        CoreRun {
            stop: wait.clone(),
            cycles: 1
        }
    );
    assert_eq!(
        core.run(&mut tile, u64::MAX),
        CoreRun {
            stop: wait,
            cycles: 0
        }
    );
    tile.lock = 1;
    let stop = CoreStop::Waiting(CoreWait::StreamGet { channel: 0 });
    assert_eq!(core.run(&mut tile, u64::MAX), CoreRun { stop, cycles: 5 });
    assert_eq!((tile.lock, tile.acquired_at.as_slice()), (0, &[0][..]));
    assert_eq!(tile.events, [(1, 1)]);
    assert_eq!(tile.memory[2], 7);
}

/// A drawn program that takes its lock and gives it back in a loop, with work in between and around.
fn drawn_lock_program(draw: &mut fastrand::Rng) -> Vec<Instruction> {
    let work = |code: &mut Vec<Instruction>, draw: &mut fastrand::Rng| {
        for _ in 0..draw.usize(0..4) {
            code.push(Instruction::with(Opcode::Addi32, 4, 4, 0, draw.u32(1..9)));
        }
        if draw.bool() {
            let first = code.len() as u32 + 2;
            let words = at(MemoryType::I32, 0x7_0000);
            code.extend([
                li(2, 0),
                li(3, draw.i32(1..40)),
                Instruction::with(Opcode::LdIdx, 5, 2, 0, words),
                Instruction::new(Opcode::Add32, 5, 5, 4),
                Instruction::with(Opcode::StIdx, 5, 2, 0, words),
                Instruction::with(Opcode::Loopi, 2, 1, 3, first),
            ]);
        }
    };
    let mut code = vec![li(0, 0), li(1, draw.i32(1..30))];
    let first = code.len() as u32;
    for _ in 0..draw.usize(1..3) {
        code.push(Instruction::new(Opcode::Acquire, 48, -1i8 as u8, 0));
        work(&mut code, draw);
        code.push(Instruction::new(Opcode::Release, 48, 1, 0));
        work(&mut code, draw);
    }
    code.push(Instruction::with(Opcode::Loopi, 0, 1, 1, first));
    work(&mut code, draw);
    code.push(END);
    code
}

/// Runs that begin at operations on locks end at the same time as without, with operations at the same times and the same memory.
#[test]
fn runs_may_begin_at_operations_on_locks() {
    let mut restarts = 0;
    for seed in 0..500 {
        let mut draw = fastrand::Rng::with_seed(seed);
        let code = drawn_lock_program(&mut draw);
        let budget = draw.u64(1..400);
        let mut end = |restarts_runs| {
            let mut core = machine(&[0], code.clone());
            let mut tile = Tile {
                lock: 1,
                restarts_runs,
                ..tile()
            };
            loop {
                let run = core.run(&mut tile, budget);
                tile.run_start += run.cycles;
                if run.stop != CoreStop::Budget {
                    assert_eq!(run.stop, CoreStop::Done, "seed {seed}");
                    break;
                }
            }
            restarts += tile.restarts;
            let times = (tile.run_start, tile.acquired_at, tile.released_at);
            (times, tile.memory, tile.lock)
        };
        assert_eq!(end(true), end(false), "seed {seed}: {code:?}");
    }
    assert!(restarts > 1000, "{restarts} runs began at an operation");
}

#[test]
fn calls_move_the_window() {
    let mut core = machine(
        &[0, 5],
        vec![
            li(0, 20),
            li(4, 22),
            Instruction::with(Opcode::Call, 4, 0, 0, 1),
            Instruction::with(Opcode::StAbs, 4, 0, 0, at(MemoryType::I32, 0x7_0000)),
            END,
            Instruction::with(Opcode::Addi64, 0, 0, 0, 1),
            Instruction::new(Opcode::Ret, 0, 0, 0),
        ],
    );
    let mut tile = tile();
    assert_eq!(core.run(&mut tile, u64::MAX).stop, CoreStop::Done);
    assert_eq!(word(&tile, 0), 23);
}

#[test]
fn endless_recursion_is_a_fault() {
    let mut core = machine(&[0], vec![Instruction::with(Opcode::Call, 1, 0, 0, 0), END]);
    let fault = CoreStop::Fault(CoreFault::CallDepth);
    assert_eq!(core.run(&mut tile(), u64::MAX).stop, fault);
}

#[test]
fn vectors_and_the_cascade() {
    let map = |op, lanes| {
        MapImmediate {
            op,
            fourth: 0,
            lanes,
        }
        .pack()
    };
    let mut core = machine(
        &[0],
        vec![
            li(0, 0x7_0000),
            Instruction::with(Opcode::VLd, 0, 0, 16, at(MemoryType::I32, 0)),
            Instruction::with(Opcode::VMap, 1, 0, 0, map(Opcode::Add32, 16)),
            Instruction::new(Opcode::CascadePut, 1, MemoryType::I32.code(), 16),
            Instruction::new(Opcode::CascadeGet, 2, MemoryType::I32.code(), 16),
            li(1, 100),
            Instruction::with(Opcode::VReduce, 2, 2, 1, map(Opcode::Add32, 16)),
            Instruction::with(Opcode::StAbs, 2, 0, 0, at(MemoryType::I32, 0x7_0100)),
            Instruction::with(Opcode::VSt, 2, 0, 16, at(MemoryType::I16, 0x200)),
            li(3, 16),
            Instruction::with(Opcode::VExtractAt, 4, 2, 3, 16),
            END,
        ],
    );
    let mut tile = tile();
    for i in 0..16 {
        tile.memory[i * 4] = i as u8;
    }
    let fault = CoreStop::Fault(CoreFault::Lane {
        lane: 16,
        lanes: 16,
    });
    assert_eq!(core.run(&mut tile, u64::MAX).stop, fault);
    assert_eq!(word(&tile, 0x100), 100 + 2 * 120);
    assert_eq!(tile.memory[0x200..0x206], [0, 0, 2, 0, 4, 0]);
}

#[test]
fn narrow_floats_in_memory() {
    let mut core = machine(
        &[0],
        vec![
            Instruction::with(Opcode::LdAbs, 0, 0, 0, at(MemoryType::Bf16, 0x7_0000)),
            Instruction::new(Opcode::AddF, 0, 0, 0),
            Instruction::with(Opcode::StAbs, 0, 0, 0, at(MemoryType::F16, 0x7_0002)),
            END,
        ],
    );
    let mut tile = tile();
    tile.memory[..2].copy_from_slice(&0x3FC0u16.to_le_bytes());
    assert_eq!(core.run(&mut tile, u64::MAX).stop, CoreStop::Done);
    assert_eq!(tile.memory[2..4], 0x4200u16.to_le_bytes());
}

#[test]
fn faults() {
    let stop = |code: Vec<Instruction>| machine(&[0], code).run(&mut tile(), u64::MAX).stop;
    let load = Instruction::with(Opcode::LdAbs, 0, 0, 0, at(MemoryType::I32, 0x6_0000));
    let fault = CoreFault::Address { address: 0x6_0000 };
    assert_eq!(stop(vec![load, END]), CoreStop::Fault(fault));
    let across = Instruction::with(Opcode::StAbs, 0, 0, 0, at(MemoryType::I32, 0x7_FFFE));
    let fault = CoreFault::Address { address: 0x7_FFFE };
    assert_eq!(stop(vec![across, END]), CoreStop::Fault(fault));
    let divide = Instruction::new(Opcode::Divs, 0, 0, 1);
    assert_eq!(
        stop(vec![divide, END]),
        CoreStop::Fault(CoreFault::DivisionByZero)
    );
    let trap = Instruction::with(Opcode::Trap, 0, 0, 0, 3);
    assert_eq!(
        stop(vec![trap]),
        CoreStop::Fault(CoreFault::Trap { code: 3 })
    );
}

#[test]
fn copies_between_and_inside_windows() {
    let mut core = machine(
        &[0],
        vec![
            li(0, 0x7_0004),
            li(1, 0x7_0000),
            Instruction::with(Opcode::Copy, 0, 1, 0, 8),
            END,
        ],
    );
    let mut tile = tile();
    for (i, byte) in tile.memory[..8].iter_mut().enumerate() {
        *byte = i as u8;
    }
    assert_eq!(core.run(&mut tile, u64::MAX).stop, CoreStop::Done);
    assert_eq!(tile.memory[..12], [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7]);
}
