//! A core alone: its program with all that it waits for at hand, to see the least time between its lock operations.

use aiec_device::{Arch, TileLoc};

use super::bus::{Attempt, CASCADE_WORDS, CoreBus, CoreMemory, CoreStop, WINDOWS};
use super::engine::{MACHINE_CODE, StartedCore};
use super::start::CoreSettings;
use crate::time::Cycle;

/// Cycles after which a core without another lock operation is given up.
const MAX_CYCLES: Cycle = 200_000_000;
/// Cycles of a run of a core.
const BUDGET: Cycle = 1 << 20;

/// A lock operation of a core that is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockOperation {
    /// The core's number of the lock.
    pub lock: u8,
    /// It gives units; otherwise it takes them.
    pub gives: bool,
    /// Cycle from the start of the program.
    pub at: Cycle,
}

/// Why nothing is known of a core that is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAlone {
    /// The program can't be started, or does something that no run may.
    #[error("its program can't run alone")]
    Fails,
    /// How long machine code takes may depend on data.
    #[error("it executes machine code")]
    MachineCode,
}

/// The first `most` lock operations of a core's program, with memories of `memory_bytes` that hold zeros: the least cycles
/// between them, if these don't depend on data.
///
/// # Errors
/// The program can't run, or is machine code.
pub fn lock_operations(
    tile: TileLoc,
    words: &[u32],
    (arch, memory_bytes): (Arch, u32),
    settings: &CoreSettings,
    most: usize,
) -> Result<Vec<LockOperation>, NotAlone> {
    let started = StartedCore::start(tile, words, arch, settings).map_err(|_| NotAlone::Fails)?;
    if started.checksum == MACHINE_CODE {
        return Err(NotAlone::MachineCode);
    }
    // Most programs access their own memory only; where others are missing, a program that accesses them fails.
    let own_memory = [false, false, false, true];
    let alone = execute(started, (own_memory, memory_bytes), most);
    if alone != Err(NotAlone::Fails) {
        return alone;
    }
    let started = StartedCore::start(tile, words, arch, settings).map_err(|_| NotAlone::Fails)?;
    execute(started, ([true; WINDOWS], memory_bytes), most)
}

/// The first `most` lock operations of a core with some of the memories.
fn execute(
    started: StartedCore,
    (has_memory, memory_bytes): ([bool; WINDOWS], u32),
    most: usize,
) -> Result<Vec<LockOperation>, NotAlone> {
    let mut core = started.core;
    let memory = |has: bool| {
        if has {
            vec![0; memory_bytes as usize]
        } else {
            Vec::new()
        }
    };
    let mut bus = AloneBus {
        memories: has_memory.map(memory),
        window_bits: memory_bytes.trailing_zeros(),
        now: 0,
        most,
        operations: Vec::new(),
    };
    while bus.operations.len() < most && bus.now < MAX_CYCLES {
        let run = core.run(&mut bus, BUDGET);
        bus.now += run.cycles;
        match run.stop {
            CoreStop::Budget => {}
            CoreStop::Done | CoreStop::Waiting(_) => break,
            CoreStop::Break | CoreStop::Fault(_) => return Err(NotAlone::Fails),
        }
    }
    Ok(bus.operations)
}

/// A tile that has all that its core waits for.
struct AloneBus {
    memories: [Vec<u8>; WINDOWS],
    window_bits: u32,
    /// Start of the run.
    now: Cycle,
    most: usize,
    operations: Vec<LockOperation>,
}

impl AloneBus {
    fn operation(&mut self, elapsed: u64, lock: u8, gives: bool) -> Attempt<()> {
        if self.operations.len() == self.most {
            return Attempt::Later;
        }
        let at = self.now + elapsed;
        self.operations.push(LockOperation { lock, gives, at });
        Attempt::Done(())
    }
}

impl CoreBus for AloneBus {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: self.memories.each_mut().map(Vec::as_mut_slice),
            window_bits: self.window_bits,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, elapsed: u64, lock: u8, _: i8) -> Attempt<()> {
        self.operation(elapsed, lock, false)
    }

    fn release(&mut self, elapsed: u64, lock: u8, _: i8) -> Attempt<()> {
        self.operation(elapsed, lock, true)
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        Attempt::Done(0)
    }

    fn stream_put(&mut self, _: u64, _: u8, _: u32, _: bool) -> Attempt<()> {
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        Attempt::Done([0; CASCADE_WORDS])
    }

    fn cascade_put(&mut self, _: u64, _: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        Attempt::Done(())
    }

    fn event(&mut self, _: u64, _: u8) {}
}
