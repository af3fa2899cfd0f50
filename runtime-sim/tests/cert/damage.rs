//! Damaged files: any bytes give a result or an error, never a panic.

use aiec_sim::{SimOptions, simulate};

use super::support::*;
use super::transfers::{WORDS, passthrough};

#[test]
fn damaged_code_never_panics() {
    let elf = assemble(&passthrough(0, 16));
    let options = SimOptions {
        max_cycles: 20_000,
        ..SimOptions::default()
    };
    // the pages' contents; headers and tables are the reader's tests
    let used: Vec<usize> = (0x100..elf.len()).filter(|&i| elf[i] != 0).collect();
    let mut random = fastrand::Rng::with_seed(0x0123_4567_89AB_CDEF);
    let mut loaded = 0;
    for _ in 0..250 {
        let mut bytes = elf.clone();
        for _ in 0..1 + random.u64(..4) {
            let near = used[random.usize(..used.len())];
            let at = (near + random.usize(..4)).min(elf.len() - 1);
            bytes[at] = match random.u64(..2) {
                0 => bytes[at] ^ 1 << random.u64(..8),
                _ => random.u8(..),
            };
        }
        let arguments = vec![buffer(0, 0..WORDS + 4), buffer(1, [0; 64])];
        loaded += usize::from(simulate(&bytes, arguments, &options).is_ok());
    }
    assert!(loaded > 100, "only {loaded} files were run");
}
