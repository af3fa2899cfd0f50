//! Random functions over scalars and memory, compared with what their steps mean one after another.

use aiec_codegen::machine::{BlockId, MachineOp, MachineOperand};
use aiec_core::{CoreArch, RegisterFile};
use fastrand::Rng;

use crate::support::{Builder, DATA, Tile, imm, program, run, v};

const PROGRAMS: u64 = 10;
const STEPS: usize = 60;
const VALUES: usize = 45;
const WORDS: u32 = 8;

fn random_of(arch: CoreArch) {
    use RegisterFile::{P, R};
    for seed in 0..PROGRAMS {
        let mut rng = Rng::with_seed(seed);
        let entry = BlockId(0);
        let mut main = Builder::new(arch, "core");
        let body = main.block();
        let exit = main.block();
        let p = main.constant(entry, P, DATA);
        let counter = main.constant(entry, R, 3);
        let mut values: Vec<u32> = Vec::new();
        let registers: Vec<_> = (0..VALUES)
            .map(|_| {
                let value = rng.u32(..);
                values.push(value);
                main.constant(entry, R, value)
            })
            .collect();
        main.successors(entry, &[body]);
        let mut memory: Vec<u32> = (0..WORDS).map(|_| rng.u32(..)).collect();
        let mut tile = Tile::new();
        for (at, word) in memory.iter().enumerate() {
            tile.set_word(DATA + 4 * at as u32, *word);
        }
        let mut steps = Vec::new();
        for _ in 0..STEPS {
            let (a, b, d) = (
                rng.usize(..VALUES),
                rng.usize(..VALUES),
                rng.usize(..VALUES),
            );
            let (ra, rb, rd) = (v(registers[a]), v(registers[b]), v(registers[d]));
            let kind = rng.u8(..8);
            let word = rng.u32(..WORDS);
            let offset = imm(4 * word as i32);
            match kind {
                0 => main.inst(body, "add", &[rd, ra, rb]),
                1 => main.inst(body, "sub", &[rd, ra, rb]),
                2 => main.inst(body, "xor", &[rd, ra, rb]),
                3 => main.inst(body, "mul", &[rd, ra, rb]),
                4 => main.inst(body, "ltu", &[rd, ra, rb]),
                5 => main.step(body, MachineOp::Copy, &[rd, ra]),
                6 => main.inst(body, "lda", &[rd, v(p), offset]),
                _ => main.inst(body, "st", &[ra, v(p), offset]),
            };
            if kind >= 6 && rng.bool() {
                main.access(body, 0, Some(i64::from(4 * word)), 4);
            }
            steps.push((kind, a, b, d, word as usize));
        }
        main.step(
            body,
            MachineOp::CountedBranch,
            &[v(counter), MachineOperand::Block(body)],
        );
        main.successors(body, &[body, exit]);
        let out = main.constant(exit, P, DATA + 256);
        for register in &registers {
            main.inst(exit, "st+", &[v(*register), v(out), imm(4)]);
        }
        main.inst(exit, "done", &[]);
        for _ in 0..3 {
            for (kind, a, b, d, word) in &steps {
                let (x, y) = (values[*a], values[*b]);
                match kind {
                    0 => values[*d] = x.wrapping_add(y),
                    1 => values[*d] = x.wrapping_sub(y),
                    2 => values[*d] = x ^ y,
                    3 => values[*d] = x.wrapping_mul(y),
                    4 => values[*d] = u32::from(x < y),
                    5 => values[*d] = x,
                    6 => values[*d] = memory[*word],
                    _ => memory[*word] = x,
                }
            }
        }
        run(&program(arch, vec![main]), &mut tile);
        for (at, value) in values.iter().enumerate() {
            let found = tile.word(DATA + 256 + 4 * at as u32);
            assert_eq!(found, *value, "{arch} seed {seed} value {at}");
        }
        for (at, word) in memory.iter().enumerate() {
            assert_eq!(
                tile.word(DATA + 4 * at as u32),
                *word,
                "{arch} seed {seed} word {at}"
            );
        }
    }
}

#[test]
fn random_functions_of_aie2() {
    random_of(CoreArch::Aie2);
}

#[test]
fn random_functions_of_aie2p() {
    random_of(CoreArch::Aie2p);
}

#[test]
fn random_functions_of_aie2ps() {
    random_of(CoreArch::Aie2ps);
}
