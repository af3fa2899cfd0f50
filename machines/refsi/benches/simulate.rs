//! RISC-V instructions a second of RefSi M1's harts: checksums, and arithmetic on tables.

use aiec_diag::{Diags, FileId};
use aiec_refsi::sim::{Refsi, RefsiOptions};
use aiec_refsi::{Reading, asm, bytes_of};
use aiec_run_loop::{EndStatus, Limits};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// The kernels of the tests.
const KERNELS: &[u8] = include_bytes!("../tests/sim/kernels.bin");

/// Runs a kernel; the instructions that it took.
fn run(entry: u64, instances: u64, arguments: &str) -> u64 {
    let text = format!(
        "WRITE_REG64 WINDOW_BASE0, 0x10000\nWRITE_REG64 WINDOW_TARGET0, 0xbff00000\n\
         WRITE_REG64 WINDOW_MODE0, ACTIVE=1 MODE=SHARED SIZE=0x10000\n\
         WRITE_REG64 STACK_TOP, 0x10400000\n\
         WRITE_REG64 RETURN_ADDR, 0x1fff0\nWRITE_REG64 ENTRY_PT_FN, {entry}\n\
         RUN_INSTANCES 0, {instances}, {arguments}\nFINISH\n"
    );
    let mut diags = Diags::new();
    let (assembly, _) = asm::translate(&text, FileId(0), Reading::Published, &mut diags);
    let mut refsi = Refsi::new(RefsiOptions::default());
    let loaded = refsi.write_memory(0xBFF0_0000, KERNELS);
    let queued = refsi.enqueue_below(0xBFF0_0000, &bytes_of(&assembly.chunks));
    assert!(loaded.is_ok() && queued.is_ok());
    let limits = Limits {
        max_cycles: u64::MAX,
        until: None,
    };
    assert_eq!(refsi.run(limits, &mut |_| {}), EndStatus::Completed);
    refsi.instructions()
}

#[divan::bench]
fn checksums(bencher: Bencher) {
    let one = || run(0x10004, 16, "0x40000000, 0x41000000, 20000");
    bencher.counter(ItemsCount::new(one())).bench(one);
}

#[divan::bench]
fn arithmetic(bencher: Bencher) {
    let one = || run(0x10000, 100_000, "0x40000000, 0x41000000");
    bencher.counter(ItemsCount::new(one())).bench(one);
}
