//! Load and store fifos of AIE2P and AIE2PS: vectors at addresses that aren't multiples of a line of
//! memory, and vectors of other sizes than a line.
//!
//! A load fifo is a pointer, a register of two lines and a position, the store fifo likewise. That
//! the pointer is the address of the next byte to be popped follows from aie_api: its streams add
//! strides to it between pops (`aie2p/array_helpers.hpp`), and `pop` with a stride needs a `fill`
//! after it. That a pop loads a line if fewer bytes than it takes are there follows from the ratio of
//! fills to pops there (`ld_fill_ratio`: one to eight for 72 bytes). The rest is unconfirmed: units of
//! the position, where bytes lie in the register, what under- and overflow do.

use super::address::ADDRESS_MASK;
use super::execute::Executor;
use super::op::{Forwarding, Read, Walk, WalkMode, Write};
use super::registers::{
    EXTRA_WINDOW, FIFO_UNDERFLOW, LoadFifo, R, STORE_FIFO, STORE_FIFO_POINTER, Scalar, Vector,
};

/// Bytes of a line of memory, which the fifos load and store.
const LINE: u32 = 64;
/// Bytes that a fifo's register holds.
const CAPACITY: usize = 128;
/// Bytes of the widest vector that is popped or pushed: 64 numbers of 8 bits with 8 exponents.
const WIDEST_VECTOR: usize = 72;
/// r30: step and mask of `popx` (llvm-aie: `conf = step << 6 | mask`).
const STEP: Scalar = R + 30;
/// r26: the position of the store fifo.
const STORE_POSITION: Scalar = R + 26;
/// Cycles until the next bundle's instructions of the same fifo see what one did to it.
const FIFO_LATENCY: u8 = 1;

/// Takes a vector from a load fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pop {
    pub fifo: LoadFifo,
    /// 64, 68 or 72.
    pub bytes: u8,
    pub d: Write,
    /// The block exponents after the vector's 64 bytes.
    pub exponents: Option<Scalar>,
    /// The pointer walks after it, and the fifo is empty.
    pub walk: Option<WalkMode>,
    /// The vector is a window that continues the last one, whose step is in r30.
    pub window: bool,
    /// Cycles until srFifo_uf is written.
    pub flag_latency: u8,
}

/// Puts a vector into the store fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Push {
    /// 64, 68 or 72.
    pub bytes: u8,
    pub source: PushSource,
    /// Cycles until loads see it.
    pub seen: u8,
}

/// Content that is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PushSource {
    /// A vector, and the block exponents after it.
    Vector(Vector, Option<Scalar>),
    /// An accumulator of 64 fp32 numbers as blocks of this many.
    Quantized(Vector, usize),
}

/// An operation on a fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FifoOp {
    Fill(LoadFifo),
    Pop(Pop),
    Push(Push),
    /// Stores what is in the store fifo; its pointer walks after it.
    Flush {
        walk: Option<WalkMode>,
        seen: u8,
    },
}

/// Bytes by which windows of `popx` follow one another, by the step's code (aie_api: `inc_to_step`,
/// which takes 8, 16 and 32 bytes).
fn window_step(code: u32) -> Option<u32> {
    match code {
        1..=3 => Some(4 << code),
        _ => None,
    }
}

/// Bits of r30 below the step's code: the mask that is added to the pointer to get the address of the
/// window's last byte.
const MASK_BITS: u32 = 6;

impl Executor<'_, '_, '_> {
    #[inline(never)]
    pub(super) fn fifo(&mut self, op: &FifoOp) -> Result<u64, String> {
        match op {
            FifoOp::Fill(fifo) => self.fill(fifo),
            FifoOp::Pop(pop) if pop.window => self.pop_window(pop),
            FifoOp::Pop(pop) => self.pop(pop),
            FifoOp::Push(push) => self.push(push),
            FifoOp::Flush { walk, seen } => self.flush(*walk, *seen),
        }
    }

    /// The line of memory that has an address.
    fn line(&mut self, address: u32) -> Result<([u8; LINE as usize], u64), String> {
        let address = address & ADDRESS_MASK & !(LINE - 1);
        let mut line = [0; LINE as usize];
        self.load_bytes(address, &mut line)?;
        Ok((line, self.wait(address, LINE)))
    }

    /// The bytes in a load fifo, and how many they are.
    fn held(&self, fifo: &LoadFifo) -> ([u8; CAPACITY], usize) {
        let count = self.pipeline.scalar(fifo.position) as usize;
        (self.bytes_of(fifo.data), count.min(CAPACITY))
    }

    /// The bytes of a fifo's register.
    fn bytes_of(&self, vector: Vector) -> [u8; CAPACITY] {
        let mut held = [0; CAPACITY];
        held.copy_from_slice(&self.pipeline.vector(Read::plain(vector)));
        held
    }

    /// Loads the line after the bytes that a fifo holds; of the first one only what is not before
    /// the pointer. Returns the cycles that it stalls.
    fn load_ahead(
        &mut self,
        fifo: &LoadFifo,
        held: &mut [u8; CAPACITY],
        count: &mut usize,
    ) -> Result<u64, String> {
        let next = self.pipeline.scalar(fifo.pointer) + *count as u32;
        let from = (next & (LINE - 1)) as usize;
        let (line, stall) = self.line(next)?;
        let new = (LINE as usize - from).min(CAPACITY - *count);
        held[*count..*count + new].copy_from_slice(&line[from..from + new]);
        *count += new;
        Ok(stall)
    }

    fn set_fifo(&mut self, fifo: &LoadFifo, held: &[u8; CAPACITY], count: usize) {
        let data = Write::new(fifo.data, FIFO_LATENCY, Forwarding::None);
        self.pipeline.write_vector(data, held);
        self.pipeline
            .write(fifo.position, count as u32, FIFO_LATENCY);
    }

    fn fill(&mut self, fifo: &LoadFifo) -> Result<u64, String> {
        let (mut held, mut count) = self.held(fifo);
        let stall = if count + LINE as usize <= CAPACITY {
            self.load_ahead(fifo, &mut held, &mut count)?
        } else {
            0
        };
        self.set_fifo(fifo, &held, count);
        Ok(stall)
    }

    fn pop(&mut self, pop: &Pop) -> Result<u64, String> {
        let (mut held, mut count) = self.held(&pop.fifo);
        let bytes = usize::from(pop.bytes);
        let mut stall = 0;
        if count < bytes {
            stall = self.load_ahead(&pop.fifo, &mut held, &mut count)?;
        }
        let underflow = count < bytes;
        let mut popped = [0; WIDEST_VECTOR];
        let there = bytes.min(count);
        popped[..there].copy_from_slice(&held[..there]);
        self.deliver(pop, &popped, underflow);
        held.copy_within(there.., 0);
        self.advance(pop, &held, count - there);
        Ok(stall)
    }

    /// `popx`: the window's last bytes are from the line of its last byte, the others are in the
    /// window before it, one step further on.
    fn pop_window(&mut self, pop: &Pop) -> Result<u64, String> {
        let pointer = self.pipeline.scalar(pop.fifo.pointer);
        let configuration = self.pipeline.scalar(STEP);
        let mask = configuration & ((1 << MASK_BITS) - 1);
        if mask != LINE - 1 {
            return Err(format!(
                "`popx` with mask {mask} in r30 is not simulated: unconfirmed"
            ));
        }
        let last = pointer + mask;
        let (line, stall) = self.line(last)?;
        let new = (last & (LINE - 1)) as usize + 1;
        let old = LINE as usize - new.min(LINE as usize);
        let mut window = [0; WIDEST_VECTOR];
        if old > 0 {
            let code = configuration >> MASK_BITS;
            let Some(step) = window_step(code) else {
                return Err(format!(
                    "`popx` at {pointer:#x}, which isn't a multiple of {LINE}, with step {code} in \
                     r30 is not simulated: unconfirmed"
                ));
            };
            let before = self.pipeline.vector(Read::plain(EXTRA_WINDOW));
            let from = step as usize;
            let there = old.min(before.len() - from);
            window[..there].copy_from_slice(&before[from..from + there]);
        }
        window[old..LINE as usize].copy_from_slice(&line[..new]);
        let extra = Write::new(EXTRA_WINDOW, FIFO_LATENCY, Forwarding::None);
        self.pipeline.write_vector(extra, &window[..LINE as usize]);
        self.deliver(pop, &window, false);
        let mut held = [0; CAPACITY];
        held[..LINE as usize - new].copy_from_slice(&line[new..]);
        self.advance(pop, &held, LINE as usize - new);
        Ok(stall)
    }

    /// Writes what was popped to its registers.
    fn deliver(&mut self, pop: &Pop, popped: &[u8; WIDEST_VECTOR], underflow: bool) {
        let (vector, exponents) = popped.split_at(LINE as usize);
        self.pipeline.write_vector(pop.d, vector);
        if let Some(low) = pop.exponents {
            for (register, word) in (low..).zip(exponents.as_chunks::<4>().0) {
                let word = u32::from_le_bytes(*word);
                self.pipeline.write(register, word, pop.d.latency);
            }
        }
        self.pipeline
            .write(FIFO_UNDERFLOW, underflow.into(), pop.flag_latency);
    }

    /// Moves a load fifo's pointer past what was popped.
    fn advance(&mut self, pop: &Pop, held: &[u8; CAPACITY], count: usize) {
        let pointer = pop.fifo.pointer;
        let next = self.pipeline.scalar(pointer) + u32::from(pop.bytes);
        match pop.walk {
            None => {
                self.pipeline
                    .write(pointer, next & ADDRESS_MASK, FIFO_LATENCY);
                self.set_fifo(&pop.fifo, held, count);
            }
            Some(mode) => {
                let walk = Walk {
                    pointer,
                    mode,
                    latency: FIFO_LATENCY,
                };
                self.pipeline.walk_from(next, walk);
                self.set_fifo(&pop.fifo, held, 0);
            }
        }
    }

    fn push(&mut self, push: &Push) -> Result<u64, String> {
        let bytes = usize::from(push.bytes);
        let mut pushed = [0; WIDEST_VECTOR];
        match push.source {
            PushSource::Vector(vector, exponents) => {
                let from = self.pipeline.vector(Read::plain(vector));
                pushed[..from.len()].copy_from_slice(&from);
                if let Some(low) = exponents {
                    let pair = self.pipeline.pair(low).to_le_bytes();
                    pushed[LINE as usize..].copy_from_slice(&pair);
                }
            }
            PushSource::Quantized(accumulator, block) => {
                let (numbers, exponents) = self.quantized(accumulator, block);
                pushed[..LINE as usize].copy_from_slice(&numbers);
                pushed[LINE as usize..].copy_from_slice(&exponents);
            }
        }
        let count = (self.pipeline.scalar(STORE_POSITION) as usize).min(CAPACITY);
        let mut held = [0; CAPACITY + WIDEST_VECTOR];
        held[..CAPACITY].copy_from_slice(&self.bytes_of(STORE_FIFO));
        held[count..count + bytes].copy_from_slice(&pushed[..bytes]);
        self.store_lines(&mut held, count + bytes, false, None, push.seen)
    }

    fn flush(&mut self, walk: Option<WalkMode>, seen: u8) -> Result<u64, String> {
        let count = (self.pipeline.scalar(STORE_POSITION) as usize).min(CAPACITY);
        let mut held = [0; CAPACITY + WIDEST_VECTOR];
        held[..CAPACITY].copy_from_slice(&self.bytes_of(STORE_FIFO));
        self.store_lines(&mut held, count, true, walk, seen)
    }

    /// Stores the bytes of the store fifo that end lines, or all of them.
    fn store_lines(
        &mut self,
        held: &mut [u8; CAPACITY + WIDEST_VECTOR],
        mut count: usize,
        all: bool,
        walk: Option<WalkMode>,
        seen: u8,
    ) -> Result<u64, String> {
        let pointer = STORE_FIFO_POINTER;
        let mut address = self.pipeline.scalar(pointer);
        let mut stall = 0;
        loop {
            let room = (LINE - address % LINE) as usize;
            let bytes = room.min(count);
            if bytes == 0 || (bytes < room && !all) {
                break;
            }
            self.store_seen(address, &held[..bytes], seen)?;
            stall = self.wait(address & !(LINE - 1), LINE).max(stall);
            address = (address + bytes as u32) & ADDRESS_MASK;
            held.copy_within(bytes.., 0);
            count -= bytes;
        }
        let data = Write::new(STORE_FIFO, FIFO_LATENCY, Forwarding::None);
        self.pipeline.write_vector(data, &held[..CAPACITY]);
        self.pipeline
            .write(STORE_POSITION, count as u32, FIFO_LATENCY);
        match walk {
            None => self.pipeline.write(pointer, address, FIFO_LATENCY),
            Some(mode) => {
                let walk = Walk {
                    pointer,
                    mode,
                    latency: FIFO_LATENCY,
                };
                self.pipeline.walk_from(address, walk);
            }
        }
        Ok(stall)
    }
}
