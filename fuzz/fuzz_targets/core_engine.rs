//! Machine code of any bytes is executed: it waits, ends or stops with a fault, and a second core
//! does the same.
#![no_main]

use std::sync::Arc;

use aiec_core::CoreArch;
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{Attempt, CASCADE_WORDS, CoreBus, CoreMemory};
use libfuzzer_sys::fuzz_target;

/// A tile that lets everything happen at once.
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
        Attempt::Done(())
    }

    fn release(&mut self, _: u64, _: u8, _: i8) -> Attempt<()> {
        Attempt::Done(())
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        Attempt::Done(0x1234_5678)
    }

    fn stream_put(&mut self, _: u64, _: u8, _: u32, _: bool) -> Attempt<()> {
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        Attempt::Done([7; CASCADE_WORDS])
    }

    fn cascade_put(&mut self, _: u64, _: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        Attempt::Done(())
    }

    fn event(&mut self, _: u64, _: u8) {}
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, code)) = bytes.split_first() else {
        return;
    };
    let arch = CoreArch::ALL[usize::from(*choice) % CoreArch::ALL.len()];
    let run = || {
        let mut core = MachineCodeCore::new(arch, Arc::from(code), *choice >= 128);
        let mut tile = Tile(vec![3; 0x1_0000]);
        for p in 0..8 {
            core.set_register(&format!("p{p}"), 0x7_1000 + 0x400 * p);
        }
        let run = core.run(&mut tile, 2000);
        let mut registers = String::new();
        core.write_registers(&mut registers).expect("text");
        (run, registers, tile.0)
    };
    assert!(run() == run());
});
