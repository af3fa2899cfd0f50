//! Runs control code on arrays in an unknown state.
//!
//! A random design is stopped in the middle, locks get random values, memory is scribbled over. The
//! next one begins with `--prologue=reset` and must give its results; without it many don't. How
//! many pairs, and which, is as `aiec_test::seeds` says.

use aiec_device::DeviceModel;
use aiec_device::regmap::RegisterRef;
use aiec_sim::SimOptions;
use aiec_sim::array::Array;
use aiec_test::designs::Design;
use aiec_test::designs::runs::{buffers, drawn, hold};
use aiec_test::driver::aiec;
use aiec_test::seeds::{cases, entropy, first_seed};

/// Pairs drawn when the environment does not say.
const DEFAULT_COUNT: u64 = 24;

/// The ways to divide work.
const JOBS: [&str; 3] = ["single", "per-column", "parallel"];

/// Designs drawn until one is for the device of the first.
const MAX_DRAWS: u64 = 200;

/// Cycles after which a run counts as hanging: hundreds of times what a design needs.
const MAX_CYCLES: u64 = 2_000_000;

/// Words of each tile's memory that are scribbled over.
const SCRIBBLED_WORDS: u32 = 512;

/// Cycles in which what goes on by itself comes to an end: tokens that come later would be taken for
/// those of the next design.
const SETTLING: u64 = 100_000;

#[test]
fn what_others_left_does_no_harm_behind_a_prologue() {
    let count = cases(DEFAULT_COUNT);
    let first = first_seed();
    let (mut failures, mut harmed) = (Vec::new(), 0);
    for seed in first..first + count {
        match pair(seed) {
            Ok(needed) => harmed += u64::from(needed),
            Err(message) => failures.push(format!("seed {seed}: {message}")),
        }
    }
    println!("{harmed} of {count} designs go wrong without a prologue");
    let (failed, list) = (failures.len(), failures.join("\n"));
    assert!(
        failures.is_empty(),
        "{failed} of {count} go wrong after one\n{list}"
    );
    assert!(
        count < DEFAULT_COUNT || harmed * 3 >= count,
        "only {harmed} of {count} need one"
    );
}

/// Draws a design.
fn design(number: u64) -> Result<Design, String> {
    drawn(number.wrapping_mul(0x1000_0003))
}

/// Whether the second of two designs goes wrong without a prologue.
fn pair(seed: u64) -> Result<bool, String> {
    let start = seed.wrapping_mul(MAX_DRAWS * 2);
    let before = design(start)?;
    let mut after = design(start + 1)?;
    let mut at = start + 1;
    while after.device != before.device && at < start + MAX_DRAWS {
        at += 1;
        after = design(at)?;
    }
    if after.device != before.device {
        return Ok(false);
    }
    let jobs = format!("--jobs={}", JOBS[(seed % JOBS.len() as u64) as usize]);
    let elf = |design: &Design, prologue: &str| {
        aiec(["-", "-o", "-", &jobs, prologue], design.text().as_bytes()).output()
    };
    let left = elf(&before, "--prologue=none")?;
    let ended = |prologue: &str| -> Result<Result<(), String>, String> {
        let array = leave(&left, &before, seed)?;
        Ok(run(array, &elf(&after, prologue)?, &after, seed))
    };
    ended("--prologue=reset")??;
    Ok(ended("--prologue=none")?.is_err())
}

/// The array after a design was stopped in the middle.
fn leave(elf: &[u8], design: &Design, seed: u64) -> Result<Array, String> {
    let (buffers, _) = buffers(design, !seed, 0);
    let all = aiec_sim::simulate(elf, buffers.clone(), &SimOptions::default());
    let cycles = all.map_err(|e| e.to_string())?.cycles;
    let [low, high, ..] = entropy(seed ^ 0x5eed, 4)[..] else {
        return Err("no entropy".to_string());
    };
    let part = u64::from(u16::from_le_bytes([low, high]));
    let options = SimOptions {
        // The second half is where the array is at work.
        until: Some(cycles / 2 + cycles / 2 * part / (u64::from(u16::MAX) + 1)),
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate(elf, buffers, &options).map_err(|e| e.to_string())?;
    let mut array = result.array;
    array.advance(array.now() + SETTLING);
    let model = array.device();
    scribble(model, &mut array, seed)?;
    Ok(array)
}

/// Sets all locks to some value, and words of all memories.
fn scribble(model: &DeviceModel, array: &mut Array, seed: u64) -> Result<(), String> {
    for tile in model.tiles() {
        let Some(kind) = model.tile(tile) else {
            continue;
        };
        let junk = entropy(seed ^ u64::from(tile.col) << 8 ^ u64::from(tile.row), 4096);
        let mut junk = junk.iter().copied().cycle();
        let mut next = || junk.next().unwrap_or(0);
        let locks = (0..kind.locks).map(|id| RegisterRef::LockValue { id });
        let words = SCRIBBLED_WORDS.min(kind.memory_bytes / 4);
        let memory = (0..words).map(|word| RegisterRef::DataMemory { byte: 4 * word });
        for what in locks.chain(memory) {
            let value = match what {
                RegisterRef::LockValue { .. } => u32::from(next() % 4),
                _ => u32::from_le_bytes([next(), next(), next(), next()]),
            };
            if let Some(address) = model.register_address(tile, what) {
                let now = array.now();
                let written = array.bus_write(now, address, value);
                written.map_err(|fault| fault.to_string())?;
            }
        }
    }
    Ok(())
}

/// Runs control code on what is left: whether it does what its design means.
fn run(array: Array, elf: &[u8], design: &Design, seed: u64) -> Result<(), String> {
    let (buffers, wanted) = buffers(design, !(seed ^ 1), 0);
    let options = SimOptions {
        max_cycles: MAX_CYCLES,
        ..SimOptions::default()
    };
    let result = aiec_sim::simulate_on(array, elf, buffers, &options).map_err(|e| e.to_string())?;
    hold(&result, &wanted)
}
