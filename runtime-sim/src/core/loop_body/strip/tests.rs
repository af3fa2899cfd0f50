use aiec_device::{Arch, TileKind};
use aiec_vcode::{Instruction, MemoryImmediate, MemoryType, Opcode};

use super::*;
use crate::bank::Banks;
use crate::core::access_log::AccessLog;
use crate::core::bus::CoreBanks;
use crate::core::cost::Costs;

const WINDOW_BITS: u32 = 16;
const MEMORY_BYTES: usize = 0x1000;
/// The last window, and the one before.
const OWN: u64 = 7 << WINDOW_BITS;
const NEIGHBOUR: u64 = 6 << WINDOW_BITS;

/// All that a run of a loop leaves.
#[derive(Clone, Debug)]
struct Scene {
    registers: Registers,
    memories: [Vec<u8>; 2],
    banks: [Banks; 2],
    log: AccessLog,
    counts: Vec<u64>,
    cycles: u64,
}

impl Scene {
    fn run(&mut self, body: &LoopBody, (banks, logs): (bool, bool), budget: u64) -> (LoopEnd, u64) {
        let [neighbour, own] = &mut self.memories;
        let [neighbour_banks, own_banks] = &mut self.banks;
        let mut memory = CoreMemory {
            windows: [&mut [], &mut [], neighbour, own],
            window_bits: WINDOW_BITS,
            conflicts: banks.then(|| {
                let windows = [None, None, Some(neighbour_banks), Some(own_banks)];
                CoreBanks::new(windows, 1000)
            }),
            accesses: logs.then_some(&mut self.log),
        };
        let counted = (&mut self.cycles, Some(self.counts.as_mut_slice()));
        body.run(&mut self.registers, &mut memory, counted, budget)
    }

    /// The loads and the stores in the log.
    fn logged(&mut self) -> [Vec<(usize, crate::core::access_log::AccessRange)>; 2] {
        [false, true].map(|stores| {
            let mut list = Vec::new();
            self.log
                .drain(stores, |window, range| list.push((window, range)));
            list
        })
    }
}

/// Draws a body whose instructions access two memories by the number of the loop, register 0, and by registers 1 to 3.
fn drawn_body(draw: &mut fastrand::Rng) -> Vec<Instruction> {
    let mut register = {
        let mut draw = draw.fork();
        move |from: u8, to: u8| draw.u8(from..to)
    };
    let mut offset = {
        let mut draw = draw.fork();
        move || {
            let kind = MemoryType::I32;
            let base = draw.choice([OWN, NEIGHBOUR]).unwrap_or(OWN) as i32;
            let offset = base + 4 * draw.i32(0..40) + i32::from(draw.u8(0..30) == 0);
            MemoryImmediate { kind, offset }.pack()
        }
    };
    let mut code = Vec::new();
    for _ in 0..draw.usize(1..7) {
        let (a, b, c) = (register(5, 10), register(0, 10), register(0, 10));
        code.push(match draw.u8(0..12) {
            0..3 => Instruction::with(Opcode::LdIdx, a, 0, 0, offset()),
            3 => Instruction::with(Opcode::LdBaseIdx, a, 4, 0, offset()),
            4 => Instruction::with(Opcode::LdAbs, a, 0, 0, offset()),
            5 | 6 => Instruction::with(Opcode::StIdx, b, 0, 0, offset()),
            7 => Instruction::with(Opcode::StBaseIdx, b, 4, 0, offset()),
            8 => Instruction::with(Opcode::Muli32, a, b, 0, draw.u32(0..1000)),
            9 => Instruction::with(Opcode::Li, a, 0, 0, draw.u32(..)),
            _ => {
                use Opcode::*;
                let ops = [Add32, Sub32, Mul64, Xor, Mins, Lts, Shrsi, Mov, AddF, Divs];
                let op = draw.choice(ops).unwrap_or(Add32);
                Instruction::new(op, a, b, c)
            }
        });
    }
    let step = draw.u8(1..4);
    let edge = if draw.bool() {
        Instruction::with(Opcode::Loopi, 0, step, 1, 0)
    } else {
        Instruction::with(Opcode::Loop, 0, 2, 1, 0)
    };
    code.push(edge);
    code
}

fn drawn_scene(draw: &mut fastrand::Rng) -> Scene {
    let mut memory = || (0..MEMORY_BYTES).map(|_| draw.u8(..)).collect();
    let memories = [memory(), memory()];
    let mut registers = [0; WINDOW_REGISTERS];
    registers[0] = draw.u64(0..20);
    registers[1] = draw.u64(0..200);
    registers[2] = draw.u64(1..4);
    registers[4] = 4 * draw.u64(0..20);
    for register in &mut registers[5..10] {
        *register = draw.u64(..);
    }
    let mut banks = Banks::new(Arch::Aie2p, TileKind::Core, true);
    // Cycles in which others have the banks.
    for _ in 0..draw.usize(0..60) {
        banks.access(draw.u32(0..0x400), 1000 + draw.u64(0..600));
    }
    banks.lost.clear();
    Scene {
        registers,
        memories,
        banks: [banks.clone(), banks],
        log: AccessLog::default(),
        counts: Vec::new(),
        cycles: draw.u64(0..50),
    }
}

/// Bodies of all kinds do the same in strips as without them: registers, memories, cycles, waits, and accesses in the log.
#[test]
fn strips_do_the_same_as_plain_execution() {
    let mut executed = 0;
    for seed in 0..20_000 {
        let mut draw = fastrand::Rng::with_seed(seed);
        let code = drawn_body(&mut draw);
        let costs = Costs::default();
        let Some(mut body) = LoopBody::new(&code, code.len() - 1, &costs) else {
            continue;
        };
        let mut plain = drawn_scene(&mut draw);
        plain.counts = vec![0; code.len()];
        let mut quick = plain.clone();
        let seen = (draw.bool(), draw.bool());
        let budget = if draw.bool() {
            u64::MAX
        } else {
            plain.cycles + draw.u64(1..500)
        };
        let started = quick.clone();
        let ends = quick.run(&body, seen, budget);
        if let Some(strip) = body.strip.take() {
            let mut alone = started;
            let [neighbour, own] = &mut alone.memories;
            let mut memory = CoreMemory {
                windows: [&mut [], &mut [], neighbour, own],
                window_bits: WINDOW_BITS,
                conflicts: None,
                accesses: None,
            };
            let mut progress = LoopProgress {
                since: 0,
                run_start: 0,
                budget,
                rounds: 0,
                taken: Vec::new(),
            };
            let r = &mut alone.registers;
            let end = strip.run::<false, false>(&body, r, &mut memory, &mut progress, &mut []);
            executed += usize::from(end.is_some());
        }
        assert_eq!(plain.run(&body, seen, budget), ends, "seed {seed}");
        assert_eq!(plain.registers, quick.registers, "seed {seed}: {code:?}");
        assert_eq!(plain.memories, quick.memories, "seed {seed}: {code:?}");
        let times = |scene: &Scene| (scene.cycles, scene.counts.clone());
        assert_eq!(times(&plain), times(&quick), "seed {seed}: {code:?}");
        for (plain, quick) in plain.banks.iter().zip(&quick.banks) {
            let waits = |banks: &Banks| (banks.conflicts.clone(), banks.lost.clone());
            assert_eq!(waits(plain), waits(quick), "seed {seed}: {code:?}");
        }
        assert_eq!(plain.logged(), quick.logged(), "seed {seed}: {code:?}");
    }
    assert!(executed > 1000, "{executed} loops were executed in strips");
}

#[test]
fn rounds_are_counted_as_the_back_edge_does() {
    assert_eq!(rounds_left(0, 1, 10), Some(10));
    assert_eq!(rounds_left(0, 3, 25), Some(9));
    assert_eq!(rounds_left(5, 1, 3), None);
    assert_eq!(rounds_left(0, 0, 100), None);
    assert_eq!(rounds_left(i64::MIN, 1, i64::MAX), None);
    assert_eq!(rounds_left(i64::MAX - 20, 3, i64::MAX), None);
    assert_eq!(rounds_left(i64::MAX - 30, 3, i64::MAX), Some(10));
}
