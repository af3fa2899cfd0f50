//! Whole programs, written in assembly, with what they are to leave in memory: each checked against a plain
//! computation of the same in Rust. They leave every latency its bundles, so that they run in strict
//! mode too and give the same there.

mod aie2p;
mod aie2ps;
mod fifo;
mod io;
mod memory;
mod pipeline;
mod products;
mod scalar;
mod strict;
mod vectors;

use aiec_core::CoreArch;
use aiec_sim::core::CoreStop;

use crate::support::{OWN, Tile, core};

/// Offsets of two inputs and the output in the tile's memory; p0, p1 and p2 point there.
pub const A: u32 = 0x1000;
pub const B: u32 = 0x2000;
pub const OUT: u32 = 0x3000;

/// Architectures of programs that differ between none.
pub const ALL: &[CoreArch] = &CoreArch::ALL;
/// Of programs with vectors of AIE2.
pub const AIE2: &[CoreArch] = &[CoreArch::Aie2];
/// Of programs with vectors of AIE2P.
pub const AIE2P: &[CoreArch] = &[CoreArch::Aie2p];

/// Most bundles that a program takes.
const BUDGET: u64 = 1_000_000;

/// A bundle of 16 bytes that does nothing.
pub const FULL: &str = "nopa; nopb; nops; nopxm; nopv\n";

/// Makes a program's text: pointers and stack first. `wait N` are N bundles that do nothing, `enter N`
/// and `leave N` make and drop a frame of N bytes, `exit` ends the program. Labels alone on a line
/// are aligned as branch targets are, and so is what a call returns to.
pub fn text_of(arch: CoreArch, program: &str) -> String {
    let mut text = format!(
        "movxm p0, #{}\nmovxm p1, #{}\nmovxm p2, #{}\nmovxm sp, #{OWN}\n",
        OWN + A,
        OWN + B,
        OWN + OUT
    );
    let adjust = match arch {
        CoreArch::Aie2 => "padda",
        CoreArch::Aie2p | CoreArch::Aie2ps => "paddxm",
    };
    let mut calls = false;
    for line in program.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after_call = std::mem::replace(&mut calls, words.first() == Some(&"jl"));
        match words[..] {
            ["wait", "5"] if after_call => text += &FULL.repeat(5),
            ["jl", target] => {
                let slot = if target.starts_with('#') {
                    ""
                } else {
                    "; nopm"
                };
                text += &format!(".p2align 4\nnopa; nopb; nops; jl {target}{slot}; nopv\n");
            }
            [label] if label.ends_with(':') => text += &format!(".p2align 4\n{label}\n"),
            ["wait", count] => text += &"nop\n".repeat(count.parse().unwrap()),
            ["enter", bytes] => text += &format!("{adjust} [sp], #{bytes}\n"),
            ["leave", bytes] => text += &format!("{adjust} [sp], #-{bytes}\n"),
            ["exit"] => text += &format!("{}done\n", "nop\n".repeat(10)),
            _ => text += &format!("{line}\n"),
        }
    }
    text
}

/// Runs a program on a tile, strictly or not.
pub fn run_on(arch: CoreArch, program: &str, tile: &mut Tile, strict: bool) -> CoreStop {
    let mut machine = core(arch, &text_of(arch, program), strict);
    machine.run(tile, BUDGET).stop
}

/// A tile with these contents.
pub fn tile(contents: &[(u32, Vec<u8>)]) -> Tile {
    let mut tile = Tile::default();
    for (offset, bytes) in contents {
        let at = *offset as usize;
        tile.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }
    tile
}

/// Runs a program on each architecture and holds its output to what is expected.
pub fn check(archs: &[CoreArch], program: &str, inputs: &[(u32, Vec<u8>)], expected: &[u8]) {
    for arch in archs {
        for strict in [false, true] {
            let mut tile = tile(inputs);
            let stop = run_on(*arch, program, &mut tile, strict);
            assert_eq!(stop, CoreStop::Done, "{arch}, strict {strict}\n{program}");
            let at = OUT as usize;
            let found = &tile.memory[at..at + expected.len()];
            assert_eq!(found, expected, "{arch}, strict {strict}\n{program}");
        }
    }
}

/// Random words.
pub fn words(seed: u64, count: usize) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u32(..)).collect()
}

/// Words as bytes.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Half words as bytes.
pub fn bytes_of16(halves: &[u16]) -> Vec<u8> {
    halves.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// Random bytes.
pub fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u8(..)).collect()
}

/// Random half words.
pub fn halves(seed: u64, count: usize) -> Vec<u16> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u16(..)).collect()
}
