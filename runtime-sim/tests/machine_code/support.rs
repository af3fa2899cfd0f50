//! A tile for one core, and programs from their text.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use aiec_core::CoreArch;
use aiec_core::asm::assemble;
use aiec_core::link::{LinkOptions, link};
use aiec_diag::FileId;
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{Attempt, CASCADE_WORDS, CoreBus, CoreMemory, RegisterAccess};

/// Where the core sees its own memory.
pub const OWN: u32 = 0x7_0000;

/// A tile with one data memory, locks that never wait, and queues for streams and cascade.
#[derive(Debug)]
pub struct Tile {
    pub memory: Vec<u8>,
    pub locks: [i32; 64],
    pub stream_in: VecDeque<u32>,
    pub stream_out: Vec<(u32, bool)>,
    pub cascade_in: VecDeque<[u32; CASCADE_WORDS]>,
    pub cascade_out: Vec<[u32; CASCADE_WORDS]>,
    pub events: Vec<u8>,
    /// Registers of the tile by their offset.
    pub registers: BTreeMap<u32, u32>,
}

impl Default for Tile {
    fn default() -> Tile {
        Tile {
            memory: vec![0; 0x1_0000],
            locks: [0; 64],
            stream_in: VecDeque::new(),
            stream_out: Vec::new(),
            cascade_in: VecDeque::new(),
            cascade_out: Vec::new(),
            events: Vec::new(),
            registers: BTreeMap::new(),
        }
    }
}

impl CoreBus for Tile {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: [&mut [], &mut [], &mut [], &mut self.memory],
            window_bits: 16,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, _: u64, lock: u8, operand: i8) -> Attempt<()> {
        let Some(value) = self.locks.get_mut(usize::from(lock)) else {
            return Attempt::Later;
        };
        let operand = i32::from(operand);
        if operand < 0 && *value >= -operand {
            *value += operand;
            return Attempt::Done(());
        }
        if operand >= 0 && *value == operand {
            return Attempt::Done(());
        }
        Attempt::Later
    }

    fn release(&mut self, _: u64, lock: u8, change: i8) -> Attempt<()> {
        let Some(value) = self.locks.get_mut(usize::from(lock)) else {
            return Attempt::Later;
        };
        *value += i32::from(change);
        Attempt::Done(())
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        let word = self.stream_in.pop_front();
        word.map_or(Attempt::Later, Attempt::Done)
    }

    fn stream_put(&mut self, _: u64, _: u8, word: u32, last: bool) -> Attempt<()> {
        self.stream_out.push((word, last));
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        let words = self.cascade_in.pop_front();
        words.map_or(Attempt::Later, Attempt::Done)
    }

    fn cascade_put(&mut self, _: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        self.cascade_out.push(*words);
        Attempt::Done(())
    }

    fn event(&mut self, _: u64, event: u8) {
        self.events.push(event);
    }

    fn register(&mut self, _: u64, access: RegisterAccess) -> Attempt<u32> {
        let register = self.registers.entry(access.offset).or_default();
        *register = access.write.unwrap_or(*register);
        Attempt::Done(*register)
    }
}

/// The bytes of a program from its text.
pub fn code(arch: CoreArch, text: &str) -> Vec<u8> {
    let object = assemble(arch, "test", FileId::default(), text).unwrap_or_else(|findings| {
        let lines = findings.iter().map(|finding| {
            let start = finding.span().unwrap_or_default().start as usize;
            let line = text[start..].lines().next().unwrap_or_default();
            format!("{}: {line}\n", finding.message)
        });
        panic!("{}", lines.collect::<String>())
    });
    let options = LinkOptions {
        start_code: false,
        program_end: 1 << 20,
        ..LinkOptions::default()
    };
    link(&[object], &options)
        .unwrap_or_else(|findings| panic!("{text}\n{findings:?}"))
        .code()
}

/// A core at the start of a program.
pub fn core(arch: CoreArch, text: &str, strict: bool) -> MachineCodeCore {
    MachineCodeCore::new(arch, Arc::from(code(arch, text)), strict)
}
