//! Registers with the pipeline that the instruction set exposes: results land some cycles after
//! their issue, and until then others read the old value.
//!
//! Source: `llvm-aie: llvm/lib/Target/AIE/aie2/AIE2Schedule.td` (operand cycles, bypasses); that
//! nothing interlocks is measured on NPU1 silicon (xdna-emu).

use std::cell::Cell;
use std::fmt;

use aiec_core::CoreArch;

use super::op::{Conversion, Forwarding, Read, Sign, Source, Write};
use super::registers::{
    PIECE, PIECES, SCALAR_BITS, SCALARS, Scalar, Vector, WIDEST, control, shown_vectors,
};

/// Cycles ahead that anything is put off, a power of two above the longest latency.
const CYCLES: usize = 16;
/// Pieces of a pending write; wider ones are two.
const WRITE_PIECES: usize = 4;

#[derive(Clone, Copy, Debug)]
struct ScalarWrite {
    register: Scalar,
    value: u32,
    issued: u64,
}

#[derive(Clone, Copy, Debug)]
struct VectorWrite {
    vector: Vector,
    forwarding: Forwarding,
    issued: u64,
    data: [u8; WRITE_PIECES * PIECE],
}

/// The second half of an operation that reads or stores late.
#[derive(Clone, Copy, Debug)]
pub(super) enum Later {
    /// Bytes on their way to memory.
    Store {
        address: u32,
        bytes: u8,
        data: [u8; 64],
    },
    /// A byte or half word, which is read from its register now.
    StorePart {
        address: u32,
        bytes: u8,
        register: Scalar,
    },
    /// A conversion whose source is read now.
    Convert {
        d: Write,
        source: Vector,
        conversion: Conversion,
    },
    /// A conversion of bytes that were loaded.
    ConvertLoaded {
        d: Write,
        bytes: u8,
        data: [u8; 64],
        conversion: Conversion,
    },
}

/// The registers of a core, and what is under way to them.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    /// Bundles issued, stalls not counted.
    pub now: u64,
    /// Reads inside a latency window are recorded in `hazard`.
    pub strict: bool,
    /// A load from where there is no memory is a fault.
    pub refuses_missing_memory: bool,
    /// The register of such a read: a scalar, or 256 plus the piece of a vector.
    pub hazard: Cell<Option<u16>>,
    scalars: [u32; SCALARS],
    scalars_issued: [u64; SCALARS],
    vectors: [[u8; PIECE]; PIECES],
    vectors_issued: [u64; PIECES],
    scalar_writes: [Vec<ScalarWrite>; CYCLES],
    vector_writes: [Vec<VectorWrite>; CYCLES],
    later: [Vec<Later>; CYCLES],
    /// Bit n: something is under way to cycle n modulo [`CYCLES`].
    occupied: u32,
    /// The same of vectors only.
    vectors_occupied: u32,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            // Issue 0 is that of the reset values.
            now: 1,
            strict: false,
            refuses_missing_memory: false,
            hazard: Cell::new(None),
            scalars: [0; SCALARS],
            scalars_issued: [0; SCALARS],
            vectors: [[0; PIECE]; PIECES],
            vectors_issued: [0; PIECES],
            scalar_writes: Default::default(),
            vector_writes: Default::default(),
            later: Default::default(),
            occupied: 0,
            vectors_occupied: 0,
        }
    }
}

fn slot(cycle: u64) -> usize {
    cycle as usize % CYCLES
}

impl Pipeline {
    /// All registers 0, nothing under way.
    pub fn new(strict: bool) -> Pipeline {
        Pipeline {
            strict,
            ..Pipeline::default()
        }
    }

    /// Whether a load from where there is no memory is a fault.
    pub fn needs_memory(&self) -> bool {
        self.strict || self.refuses_missing_memory
    }

    /// A scalar register, as an operation issued now reads it.
    #[inline]
    pub fn scalar(&self, register: Scalar) -> u32 {
        if self.strict {
            self.check_scalar(register);
        }
        self.scalars[usize::from(register)]
    }

    /// A scalar operand.
    #[inline]
    pub fn source(&self, source: Source) -> u32 {
        match source {
            Source::Register(register) => self.scalar(register),
            Source::Immediate(value) => value,
        }
    }

    /// A pair of scalar registers.
    pub fn pair(&self, low: Scalar) -> u64 {
        u64::from(self.scalar(low)) | u64::from(self.scalar(low + 1)) << 32
    }

    /// A sign.
    pub fn sign(&self, sign: Sign) -> bool {
        match sign {
            Sign::Fixed(signed) => signed,
            Sign::Control(register) => self.scalars[usize::from(register)] & 1 != 0,
        }
    }

    /// A control register of a name.
    pub fn control(&self, name: &str) -> u32 {
        self.scalars[usize::from(control(name))]
    }

    /// Writes a scalar register that operations issued `latency` cycles from now read.
    #[inline]
    pub fn write(&mut self, register: Scalar, value: u32, latency: u8) {
        let at = slot(self.now + u64::from(latency));
        self.scalar_writes[at].push(ScalarWrite {
            register,
            value: value & SCALAR_BITS[usize::from(register)],
            issued: self.now,
        });
        self.occupied |= 1 << at;
    }

    /// Writes a scalar register at once: the loop counter, and registers before the start.
    pub fn set(&mut self, register: Scalar, value: u32) {
        let at = usize::from(register);
        self.scalars[at] = value & SCALAR_BITS[at];
        self.scalars_issued[at] = self.now;
    }

    /// The bytes of a vector as an operation issued now reads them.
    #[inline]
    pub fn vector<'a>(&'a self, read: Read, copy: &'a mut [u8; WIDEST]) -> &'a [u8] {
        let pieces = read.vector.pieces();
        let bytes = usize::from(read.vector.bytes);
        if self.vectors_occupied != 0 {
            let reach = u64::from(read.late) + u64::from(read.forwarding != Forwarding::None);
            if reach != 0 && self.overlay(read, reach, copy) {
                return &copy[..bytes];
            }
            if self.strict {
                self.check_vector(read, reach);
            }
        }
        &self.vectors[pieces].as_flattened()[..bytes]
    }

    /// The bytes of a vector with what of the coming `reach` cycles is read already; whether there
    /// was any.
    fn overlay(&self, read: Read, reach: u64, copy: &mut [u8; WIDEST]) -> bool {
        let pieces = read.vector.pieces();
        let mut any = false;
        let mut issued = [0; WIDEST / PIECE];
        for ahead in 1..=reach {
            let at = slot(self.now + ahead);
            if self.vectors_occupied & (1 << at) == 0 {
                continue;
            }
            let forwarded_only = ahead > u64::from(read.late);
            for write in &self.vector_writes[at] {
                if forwarded_only && write.forwarding != read.forwarding {
                    continue;
                }
                for (number, piece) in write.vector.pieces().enumerate() {
                    if !pieces.contains(&piece) {
                        continue;
                    }
                    if !any {
                        let old = self.vectors[pieces.clone()].as_flattened();
                        copy[..old.len()].copy_from_slice(old);
                        let ages = &self.vectors_issued[pieces.clone()];
                        issued[..ages.len()].copy_from_slice(ages);
                        any = true;
                    }
                    let to = piece - pieces.start;
                    if write.issued >= issued[to] {
                        issued[to] = write.issued;
                        copy[to * PIECE..][..PIECE]
                            .copy_from_slice(&write.data[number * PIECE..][..PIECE]);
                    }
                }
            }
        }
        if any && self.strict {
            self.check_vector(read, reach);
        }
        any
    }

    /// Writes a vector.
    pub fn write_vector(&mut self, write: Write, data: &[u8]) {
        let at = slot(self.now + u64::from(write.latency));
        for (number, part) in data.chunks(WRITE_PIECES * PIECE).enumerate() {
            let mut bytes = [0; WRITE_PIECES * PIECE];
            bytes[..part.len()].copy_from_slice(part);
            let from = (number * WRITE_PIECES * PIECE) as u16;
            self.vector_writes[at].push(VectorWrite {
                vector: write.vector.part(from, part.len() as u16),
                forwarding: write.forwarding,
                issued: self.now,
                data: bytes,
            });
        }
        self.occupied |= 1 << at;
        self.vectors_occupied |= 1 << at;
    }

    /// Puts the second half of an operation off, to the start of the bundle `cycles` from now.
    pub fn put_off(&mut self, later: Later, cycles: u8) {
        let at = slot(self.now + u64::from(cycles));
        self.later[at].push(later);
        self.occupied |= 1 << at;
    }

    /// Goes on by a cycle: what lands then is in its register. Answers whether second halves of
    /// operations are due ([`Pipeline::take_due`]).
    #[inline]
    pub fn step(&mut self) -> bool {
        self.now += 1;
        let at = slot(self.now);
        if self.occupied & (1 << at) == 0 {
            return false;
        }
        self.occupied &= !(1 << at);
        self.land(at)
    }

    fn land(&mut self, at: usize) -> bool {
        for write in &self.scalar_writes[at] {
            let register = usize::from(write.register);
            // Of two writes under way, the later issued one stays.
            if write.issued >= self.scalars_issued[register] {
                self.scalars_issued[register] = write.issued;
                self.scalars[register] = write.value;
            }
        }
        self.scalar_writes[at].clear();
        if self.vectors_occupied & (1 << at) != 0 {
            self.vectors_occupied &= !(1 << at);
            for write in &self.vector_writes[at] {
                for (number, piece) in write.vector.pieces().enumerate() {
                    if write.issued >= self.vectors_issued[piece] {
                        self.vectors_issued[piece] = write.issued;
                        self.vectors[piece].copy_from_slice(&write.data[number * PIECE..][..PIECE]);
                    }
                }
            }
            self.vector_writes[at].clear();
        }
        !self.later[at].is_empty()
    }

    /// The second halves of operations that are due now.
    pub fn take_due(&mut self) -> Vec<Later> {
        std::mem::take(&mut self.later[slot(self.now)])
    }

    /// Gives the memory of [`Pipeline::take_due`] back.
    pub fn return_due(&mut self, mut due: Vec<Later>) {
        due.clear();
        let at = slot(self.now);
        if self.later[at].is_empty() {
            self.later[at] = due;
        }
    }

    /// A register of the hardware loop, which reads what has landed.
    #[inline]
    pub fn loop_register(&self, register: Scalar) -> u32 {
        self.scalars[usize::from(register)]
    }

    /// The x registers and accumulators that are not 0, a line each.
    pub fn write_vectors(&self, arch: CoreArch, f: &mut impl fmt::Write) -> fmt::Result {
        for (name, vector) in shown_vectors(arch) {
            let bytes = &self.vectors[vector.pieces()].as_flattened()[..vector.bytes.into()];
            if bytes.iter().all(|byte| *byte == 0) {
                continue;
            }
            write!(f, "{name:>5}")?;
            for word in bytes.as_chunks::<4>().0 {
                write!(f, " {:08x}", u32::from_le_bytes(*word))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    /// Whether anything is under way.
    pub fn is_idle(&self) -> bool {
        self.occupied == 0
    }

    #[cold]
    fn check_scalar(&self, register: Scalar) {
        let mut writes = self.scalar_writes.iter().flatten();
        if writes.any(|write| write.register == register && write.issued < self.now) {
            self.hazard.set(Some(register.into()));
        }
    }

    #[cold]
    fn check_vector(&self, read: Read, reach: u64) {
        let pieces = read.vector.pieces();
        for ahead in 1..CYCLES as u64 {
            let seen = |forwarding| {
                ahead <= u64::from(read.late) || (ahead <= reach && forwarding == read.forwarding)
            };
            for write in &self.vector_writes[slot(self.now + ahead)] {
                let hit = write.vector.pieces().find(|piece| pieces.contains(piece));
                if let Some(piece) = hit
                    && write.issued < self.now
                    && !seen(write.forwarding)
                {
                    self.hazard.set(Some(256 + piece as u16));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X0: Vector = Vector {
        first: 0,
        bytes: 64,
    };

    fn read(pipeline: &Pipeline, late: u8, forwarding: Forwarding) -> u8 {
        let mut copy = [0; WIDEST];
        let read = Read {
            vector: X0,
            late,
            forwarding,
        };
        pipeline.vector(read, &mut copy)[0]
    }

    #[test]
    fn the_old_value_inside_the_window() {
        let mut pipeline = Pipeline::default();
        pipeline.write(3, 7, 7);
        for _ in 0..6 {
            pipeline.step();
            assert_eq!(pipeline.scalar(3), 0);
        }
        pipeline.step();
        assert_eq!(pipeline.scalar(3), 7);
    }

    #[test]
    fn the_later_issued_write_wins() {
        let mut pipeline = Pipeline::default();
        pipeline.write(3, 1, 7);
        pipeline.step();
        pipeline.write(3, 2, 1);
        for _ in 0..8 {
            pipeline.step();
        }
        assert_eq!(pipeline.scalar(3), 2);
        assert!(pipeline.is_idle());
    }

    #[test]
    fn forwarding_and_late_reads() {
        let mut pipeline = Pipeline::default();
        let write = Write {
            vector: X0,
            latency: 2,
            forwarding: Forwarding::Move,
        };
        pipeline.write_vector(write, &[9; 64]);
        pipeline.step();
        assert_eq!(read(&pipeline, 0, Forwarding::None), 0);
        assert_eq!(read(&pipeline, 0, Forwarding::Product), 0);
        assert_eq!(read(&pipeline, 0, Forwarding::Move), 9);
        assert_eq!(read(&pipeline, 1, Forwarding::None), 9);
        pipeline.step();
        assert_eq!(read(&pipeline, 0, Forwarding::None), 9);
    }

    #[test]
    fn halves_land_apart() {
        let mut pipeline = Pipeline::default();
        let half = |first, latency| Write {
            vector: Vector { first, bytes: 32 },
            latency,
            forwarding: Forwarding::None,
        };
        pipeline.write_vector(half(0, 7), &[1; 32]);
        pipeline.step();
        let whole = Write {
            vector: X0,
            latency: 2,
            forwarding: Forwarding::None,
        };
        pipeline.write_vector(whole, &[5; 64]);
        for _ in 0..8 {
            pipeline.step();
        }
        assert_eq!(read(&pipeline, 0, Forwarding::None), 5);
    }

    #[test]
    fn strict_reads_are_recorded() {
        let mut pipeline = Pipeline {
            strict: true,
            ..Pipeline::default()
        };
        pipeline.write(3, 1, 7);
        pipeline.step();
        pipeline.scalar(4);
        assert_eq!(pipeline.hazard.get(), None);
        pipeline.scalar(3);
        assert_eq!(pipeline.hazard.get(), Some(3));
    }
}
