//! Schedules that are wrong: programs whose bundles stand as near as strict execution takes them,
//! then one bundle moved, two exchanged or an empty one dropped. What strict execution takes does
//! the same as its bundles one after another, each finished before the next; so it refuses every
//! mutation whose data differ from what its order means.

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;
use fastrand::Rng;

use crate::random::{AREA, line, number};
use crate::support::{OWN, Tile, core};

/// Mutations of each architecture; `AIEC_TEST_SIZE=N` makes N times as many, `AIEC_TEST_SEED=S`
/// others.
const MUTATIONS: u64 = 200;
/// Mutations of a program.
const OF_PROGRAM: u64 = 20;
/// Bundles of a program that are not empty.
const BUNDLES: usize = 16;
/// Empty bundles in which everything is finished.
const FINISH: usize = 16;
const EMPTY: &str = "nop";

/// Final state of a program: general registers, vectors, memory.
#[derive(PartialEq, Eq)]
struct Left(Vec<u32>, Vec<Vec<u8>>, Vec<u8>);

/// Initial state of programs.
struct Start {
    arch: CoreArch,
    registers: Vec<(String, u32)>,
    memory: Vec<u8>,
}

impl Start {
    fn new(arch: CoreArch, rng: &mut Rng) -> Start {
        let mut registers: Vec<(String, u32)> =
            (0..26).map(|r| (format!("r{r}"), rng.u32(..))).collect();
        registers.extend([
            ("r26".to_string(), rng.u32(0..140)),
            ("r27".to_string(), rng.u32(0..2)),
            ("srCarry".to_string(), 0),
            ("s0".to_string(), rng.u32(0..12)),
        ]);
        for p in 0..6 {
            registers.push((format!("p{p}"), OWN + 0x400 + 64 * rng.u32(0..32)));
        }
        for n in 0..2 {
            registers.push((format!("m{n}"), 4 * rng.u32(0..4)));
            registers.push((format!("dn{n}"), rng.u32(0..4)));
            registers.push((format!("dj{n}"), 4 * rng.u32(0..8)));
            registers.push((format!("dc{n}"), 0));
        }
        let memory = (0..AREA).map(|_| rng.u8(..)).collect();
        Start {
            arch,
            registers,
            memory,
        }
    }

    /// Runs bundles; what they leave, or why strict execution refuses them.
    fn run(&self, bundles: &[String], strict: bool) -> Result<Left, String> {
        let accumulator = match self.arch {
            CoreArch::Aie2 => "vups.s32.s16 bml0, wl0, s0",
            CoreArch::Aie2p | CoreArch::Aie2ps => "vups.2x bmll0, wl0, s0, upssign1",
        };
        let mut text = String::new();
        for x in 0..12 {
            text += &format!("vbcst.32 x{x}, r{x}\n");
        }
        let finish = "nop\n".repeat(FINISH);
        text += &format!("{finish}{accumulator}\n{finish}");
        for bundle in bundles {
            text += &format!("{bundle}\n");
        }
        text += &format!("{finish}done\n");
        let mut machine = core(self.arch, &text, strict);
        for (register, value) in &self.registers {
            machine.set_register(register, *value).unwrap();
        }
        let mut tile = Tile::default();
        tile.memory[..self.memory.len()].copy_from_slice(&self.memory);
        match machine.run(&mut tile, 100_000).stop {
            CoreStop::Done => {}
            CoreStop::Fault(fault) if strict => return Err(fault.to_string()),
            stop => panic!("{stop:?}\n{text}"),
        }
        let vectors = (0..12).map(|x| machine.vector_bytes(&format!("x{x}")).unwrap());
        Ok(Left(
            (0..28).map(|r| machine.r(r)).collect(),
            vectors.collect(),
            tile.memory,
        ))
    }

    /// Final state if each bundle is finished before the next is issued.
    fn run_apart(&self, bundles: &[String]) -> Left {
        let apart: Vec<String> = bundles
            .iter()
            .flat_map(|bundle| {
                std::iter::once(bundle.clone())
                    .chain(std::iter::repeat_n(EMPTY.to_string(), FINISH))
            })
            .collect();
        self.run(&apart, false)
            .unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// A random program, as tight as strict execution takes it.
    fn program(&self, rng: &mut Rng) -> Vec<String> {
        let mut bundles: Vec<String> = Vec::new();
        let mut filled = 0;
        while filled < BUNDLES {
            let bundle = line(rng, self.arch);
            let before = bundles.len();
            loop {
                bundles.push(bundle.clone());
                if self.run(&bundles, true).is_ok() {
                    filled += 1;
                    break;
                }
                bundles.pop();
                if bundles.len() > before + FINISH {
                    // It breaks a rule in any place.
                    bundles.truncate(before);
                    break;
                }
                bundles.push(EMPTY.to_string());
            }
        }
        bundles
    }
}

/// A bundle moved, two exchanged, or an empty one dropped.
fn mutate(rng: &mut Rng, bundles: &[String]) -> Vec<String> {
    let mut mutant = bundles.to_vec();
    let (a, b) = (rng.usize(0..mutant.len()), rng.usize(0..mutant.len()));
    let empty = (a..mutant.len()).find(|at| mutant[*at] == EMPTY);
    match (rng.u8(0..3), empty) {
        (0, Some(empty)) => {
            mutant.remove(empty);
        }
        (1, _) => mutant.swap(a, b),
        _ => {
            let moved = mutant.remove(a);
            mutant.insert(b.min(mutant.len()), moved);
        }
    }
    mutant
}

fn mutations_of(arch: CoreArch) {
    let mut rng = Rng::with_seed(36 + number("AIEC_TEST_SEED").unwrap_or(0));
    let programs = MUTATIONS / OF_PROGRAM * number("AIEC_TEST_SIZE").unwrap_or(1);
    let (mut differ, mut refused, mut other) = (0, 0, 0);
    for _ in 0..programs {
        let start = Start::new(arch, &mut rng);
        let bundles = start.program(&mut rng);
        let expected = start.run_apart(&bundles);
        let text = || bundles.join("\n");
        let tight = start
            .run(&bundles, true)
            .unwrap_or_else(|reason| panic!("{reason}"));
        assert!(tight == expected, "{arch}\n{}", text());
        for _ in 0..OF_PROGRAM {
            let mutant = mutate(&mut rng, &bundles);
            let left = start
                .run(&mutant, false)
                .unwrap_or_else(|reason| panic!("{reason}"));
            let means = start.run_apart(&mutant);
            other += u64::from(means != expected);
            if left != means {
                differ += 1;
                let strict = start.run(&mutant, true);
                assert!(strict.is_err(), "{arch} takes\n{}", mutant.join("\n"));
                refused += 1;
            }
        }
    }
    println!(
        "{arch}: of {} mutations {differ} leave other data than their order means, {refused} of them \
         are refused; {other} have another order of what depends on each other",
        programs * OF_PROGRAM
    );
}

#[test]
fn wrong_schedules_of_aie2_are_refused() {
    mutations_of(CoreArch::Aie2);
}

#[test]
fn wrong_schedules_of_aie2p_are_refused() {
    mutations_of(CoreArch::Aie2p);
}

#[test]
fn wrong_schedules_of_aie2ps_are_refused() {
    mutations_of(CoreArch::Aie2ps);
}
