//! The tile as a core sees it, and the ends of a run of a core.

use super::access_log::AccessLog;
use super::strict_finding::StrictFinding;
use crate::bank::Banks;
use crate::time::Cycle;

/// Words of a cascade transfer (512 bits, AM020).
pub const CASCADE_WORDS: usize = 16;

/// Outcome of an operation that may have to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt<T> {
    /// It happened.
    Done(T),
    /// Not now. The run stops, and the same operation is tried again by the next run.
    Later,
}

impl<T> Attempt<T> {
    /// Maps the contained value.
    pub(crate) fn map<U>(self, turn: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Attempt::Done(value) => Attempt::Done(turn(value)),
            Attempt::Later => Attempt::Later,
        }
    }

    /// The value; otherwise the core waits.
    pub(crate) fn or_wait(self, wait: CoreWait) -> Result<T, CoreStop> {
        match self {
            Attempt::Done(value) => Ok(value),
            Attempt::Later => Err(CoreStop::Waiting(wait)),
        }
    }
}

/// The data memories that a core sees, for as long as it neither waits nor synchronises.
///
/// Windows follow one another in the order south, west, north, east; all have the size of a core's
/// data memory, and the first begins at four times that size (0x40000 on AIE-ML).
#[derive(Debug)]
pub struct CoreMemory<'a> {
    /// The memory that each window shows; empty where there is none.
    pub windows: [&'a mut [u8]; WINDOWS],
    /// Logarithm of the size of a window in bytes: 16 on AIE-ML, 15 on AIE1.
    pub window_bits: u32,
    /// Who says when an access takes place; `None` if all do at once.
    pub conflicts: Option<CoreBanks<'a>>,
    /// Log of accesses, if there is an observer.
    pub accesses: Option<&'a mut AccessLog>,
}

/// The banks of the memories that a core sees, by window.
#[derive(Debug)]
pub struct CoreBanks<'a> {
    windows: [Option<&'a mut Banks>; WINDOWS],
    now: Cycle,
}

/// Windows of a core.
pub const WINDOWS: usize = 4;

/// Lines that a core loads or stores at once: both banks of a pair (AM020).
const LINES_A_TURN: u64 = 2;

impl<'a> CoreBanks<'a> {
    /// The banks of each window for a run that starts at a cycle.
    pub(crate) fn new(windows: [Option<&'a mut Banks>; WINDOWS], now: Cycle) -> CoreBanks<'a> {
        CoreBanks { windows, now }
    }

    /// Cycles that an access has to wait which wants to happen `elapsed` cycles after the start
    /// of the run: `bytes` bytes from `inside` on in a window.
    #[inline(always)]
    pub(crate) fn wait(&mut self, window: usize, inside: u32, bytes: u32, elapsed: u64) -> u64 {
        let Some(Some(banks)) = self.windows.get_mut(window) else {
            return 0;
        };
        let wanted = self.now + elapsed;
        let line = banks.line_bytes();
        let at = inside & !(line - 1);
        if inside - at + bytes <= line {
            return banks.access(at, wanted) - wanted;
        }
        wait_for_lines(banks, at, inside.saturating_add(bytes), wanted)
    }
}

impl CoreBanks<'_> {
    /// The banks of a window, if there is a memory with banks.
    #[inline(always)]
    pub(super) fn of_window(&mut self, window: usize) -> Option<&mut Banks> {
        self.windows.get_mut(window)?.as_deref_mut()
    }

    /// The cycle at which the run starts.
    pub(super) fn run_start(&self) -> Cycle {
        self.now
    }
}

/// A wide access needs all its banks; each line after the first pair is a turn later.
#[inline(never)]
fn wait_for_lines(banks: &mut Banks, first: u32, end: u32, wanted: Cycle) -> u64 {
    let mut last = wanted;
    let lines = (first..end).step_by(banks.line_bytes() as usize);
    for (number, at) in lines.enumerate() {
        let later = number as u64 / LINES_A_TURN;
        last = last.max(banks.access(at, wanted + later) - later);
    }
    last - wanted
}

/// A word that a core took from a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenWord {
    /// The word.
    pub word: u32,
    /// TLAST.
    pub last: bool,
}

/// An access of a core to a register of its tile, through the tile's processor bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterAccess {
    /// Byte offset in the register space of the tile.
    pub offset: u32,
    /// The word to write; `None` to read.
    pub write: Option<u32>,
}

/// The tile as a core sees it.
///
/// A core runs ahead of the rest of the array until it synchronises. Every synchronising call gets
/// `elapsed`, the cycles since the start of the current run: the operation takes place that much
/// after the time at which the run was started. A bus that cannot decide yet what happens then
/// returns [`Attempt::Later`] and runs the core again at that time, or when what it waits for has
/// come.
pub trait CoreBus {
    /// The memories.
    fn memory(&mut self) -> CoreMemory<'_>;

    /// Exchanges the bytes of the memories with those given, by window: takes them away, or puts them
    /// back. A bus that doesn't own its memories leaves them where they are.
    fn swap_memories(&mut self, taken: &mut [Vec<u8>; WINDOWS]) {
        let _ = taken;
    }

    /// Lets the current run begin at `elapsed` cycles after its start instead, if nothing else happens in the array until then;
    /// returns whether it does, in which case what follows counts its cycles from there. Without an effect otherwise.
    fn restart_at(&mut self, elapsed: u64) -> bool {
        let _ = elapsed;
        false
    }

    /// Acquires a lock by the core's number of it (48 + id for the tile's own on AIE-ML).
    /// A negative operand -n waits until the lock is at least n and takes n; n >= 0 waits until
    /// it equals n.
    fn acquire(&mut self, elapsed: u64, lock: u8, operand: i8) -> Attempt<()>;

    /// Adds to a lock.
    fn release(&mut self, elapsed: u64, lock: u8, change: i8) -> Attempt<()>;

    /// Takes a word from an input stream of the core.
    fn stream_get(&mut self, elapsed: u64, channel: u8) -> Attempt<u32>;

    /// Sends a word to an output stream of the core.
    fn stream_put(&mut self, elapsed: u64, channel: u8, word: u32, last: bool) -> Attempt<()>;

    /// [`CoreBus::stream_get`] with what the stream says of the word; a bus that does not know
    /// says that it is not the last.
    fn stream_take(&mut self, elapsed: u64, channel: u8) -> Attempt<TakenWord> {
        self.stream_get(elapsed, channel)
            .map(|word| TakenWord { word, last: false })
    }

    /// Takes a word from an input stream of the core if there is one at this time.
    fn stream_poll(&mut self, elapsed: u64, channel: u8) -> Attempt<Option<TakenWord>> {
        match self.stream_take(elapsed, channel) {
            Attempt::Done(taken) => Attempt::Done(Some(taken)),
            Attempt::Later => Attempt::Done(None),
        }
    }

    /// Sends a word to an output stream of the core if there is room at this time; returns whether
    /// there was.
    fn stream_offer(&mut self, elapsed: u64, channel: u8, word: u32, last: bool) -> Attempt<bool> {
        let done = self.stream_put(elapsed, channel, word, last);
        Attempt::Done(done == Attempt::Done(()))
    }

    /// Accesses a register of the core's own tile; returns the word that was read or written. A bus
    /// without registers reads 0.
    fn register(&mut self, elapsed: u64, access: RegisterAccess) -> Attempt<u32> {
        let _ = elapsed;
        Attempt::Done(access.write.unwrap_or(0))
    }

    /// Takes a transfer from the cascade.
    fn cascade_get(&mut self, elapsed: u64) -> Attempt<[u32; CASCADE_WORDS]>;

    /// Sends a transfer to the cascade.
    fn cascade_put(&mut self, elapsed: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()>;

    /// Raises the event of an instruction: event 0 or 1, a warning (2), an error (3).
    fn event(&mut self, elapsed: u64, event: u8);

    /// Shows a value for debugging; `at` is the number of the instruction.
    fn print(&mut self, _elapsed: u64, _at: u32, _text: String) {}
}

/// A tile with a data memory, as its core's own (the last window), and nothing else: what synchronises waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTile(pub Vec<u8>);

impl CoreBus for MemoryTile {
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

/// Why a run of a core ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreStop {
    /// The core waits; run it again when that may have changed.
    Waiting(CoreWait),
    /// The program has ended.
    Done,
    /// The program did something impossible. The core stays where it is.
    Fault(CoreFault),
    /// The budget is used up; run it again.
    Budget,
    /// It has come to an instruction at which it is to stop; the next run executes that.
    Break,
}

/// Cause of a wait of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoreWait {
    /// The acquire of a lock, see [`CoreBus::acquire`].
    Acquire {
        /// The core's number of the lock.
        lock: u8,
        /// The operand.
        operand: i8,
    },
    /// The release of a lock.
    Release {
        /// The core's number of the lock.
        lock: u8,
        /// The change.
        change: i8,
    },
    /// A word from an input stream.
    StreamGet {
        /// The stream.
        channel: u8,
    },
    /// Room in an output stream.
    StreamPut {
        /// The stream.
        channel: u8,
    },
    /// A transfer from the cascade.
    CascadeGet,
    /// Room in the cascade.
    CascadePut,
    /// The processor bus of the tile, for a register at this byte offset.
    Register {
        /// Byte offset in the register space of the tile.
        offset: u32,
    },
}

/// Words for the reason of a trap.
fn trapped(code: u32) -> String {
    match aiec_vcode::TrapReason::from_code(code) {
        Some(reason) => reason.to_string(),
        None => format!("the program trapped (code {code})"),
    }
}

/// Something that a core cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreFault {
    /// An address without memory.
    #[error("access to {address:#x}, where the core sees no memory")]
    Address {
        /// Core-local byte address.
        address: u32,
    },
    /// Division of an integer by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A vector lane outside the vector.
    #[error("lane {lane} of a vector of {lanes} lanes")]
    Lane {
        /// The lane asked for.
        lane: u64,
        /// Lanes of the vector.
        lanes: u32,
    },
    /// More calls inside calls than the modelled core has room for.
    #[error("calls nest too deep")]
    CallDepth,
    /// The program stopped itself.
    #[error("{}", trapped(*code))]
    Trap {
        /// Its reason.
        code: u32,
    },
    /// A bundle of machine code that can't be executed.
    #[error("at {pc:#x}{}: {reason}", if bundle.is_empty() { String::new() } else { format!(" (`{bundle}`)") })]
    MachineCode {
        /// Byte address of the bundle.
        pc: u32,
        /// Its text; empty where the bytes don't decode.
        bundle: String,
        /// Reason.
        reason: String,
    },
    /// A bundle of machine code that breaks a rule of the pipeline (`--core-strict`).
    #[error("at {pc:#x}{}: {finding}", if bundle.is_empty() { String::new() } else { format!(" (`{bundle}`)") })]
    Strict {
        /// Byte address of the bundle.
        pc: u32,
        /// Its text.
        bundle: String,
        /// The rule.
        finding: Box<StrictFinding>,
    },
    /// A kernel failed.
    #[error("kernel `{name}`: {reason}")]
    Kernel {
        /// The name.
        name: String,
        /// Reason.
        reason: String,
    },
}
