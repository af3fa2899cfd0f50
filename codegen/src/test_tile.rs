//! The tile of unit tests that run core programs: a data memory and nothing else.

use aiec_sim::core::{Attempt, CASCADE_WORDS, CoreBus, CoreMemory};

/// A tile with its data memory.
pub(crate) struct TestTile(pub Vec<u8>);

impl CoreBus for TestTile {
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
