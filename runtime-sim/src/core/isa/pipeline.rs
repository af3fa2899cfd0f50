//! Registers with the pipeline that the instruction set exposes: results land some cycles after
//! their issue, and until then others read the old value.
//!
//! When what is read and written is in the tables of timing (`dialect/core/src/tables/*.timing`);
//! that nothing interlocks is measured on NPU1 silicon (xdna-emu).

use std::fmt;
use std::ops::Deref;

use aiec_core::CoreArch;

use super::later::{Later, Product};
use super::op::{Forwarding, Read, ScalarWrite, Sign, Source, Write};
use super::registers::{
    PIECE, PIECES, SCALAR_BITS, SCALARS, Scalar, Vector, WIDEST, shown_vectors,
};
use super::scalar_bundles::ScalarSet;

/// Cycles ahead that anything is put off, a power of two above the longest latency.
const CYCLES: usize = 16;

/// Scalars that come in one cycle and have a place of their own; it takes bundles of many slots to have more.
const PLACES: usize = 16;

/// A scalar on its way.
#[derive(Clone, Copy, Debug, Default)]
struct PendingScalar {
    value: u32,
    register: Scalar,
    forwarding: Forwarding,
}

/// A piece of a vector on its way.
#[derive(Clone, Copy, Debug)]
struct PendingPiece {
    piece: u8,
    forwarding: Forwarding,
    data: [u8; PIECE],
}

/// The bytes of a vector that was read.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most reads are of registers, and write a reference only"
)]
pub(super) enum VectorBytes<'a> {
    /// Those of the register.
    Kept(&'a [u8]),
    /// Some of them came on a path; the number of bytes.
    Forwarded([u8; WIDEST], usize),
}

impl Deref for VectorBytes<'_> {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            VectorBytes::Kept(bytes) => bytes,
            VectorBytes::Forwarded(bytes, count) => &bytes[..*count],
        }
    }
}

/// The registers of a core, and what is under way to them.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    /// Bundles issued, stalls not counted.
    pub now: u64,
    /// Accesses that are not aligned, and loads from where there is no memory, are faults.
    pub strict: bool,
    scalars: [u32; SCALARS],
    vectors: [[u8; PIECE]; PIECES],
    scalar_writes: [[PendingScalar; PLACES]; CYCLES],
    /// Number of places that are taken in each cycle.
    scalar_counts: [u8; CYCLES],
    /// Scalars for which their cycle had no place left, in the order of their issue.
    more_scalars: Vec<(usize, PendingScalar)>,
    vector_writes: [Vec<PendingPiece>; CYCLES],
    later: [Vec<Later>; CYCLES],
    /// Products that are done, for others to take their place.
    #[expect(
        clippy::vec_box,
        reason = "they move between this list and those of cycles"
    )]
    spare_products: Vec<Box<Product>>,
    /// Bit n: vectors or second halves of operations are under way to cycle n modulo [`CYCLES`].
    occupied: u32,
    /// Same for vectors only.
    vectors_occupied: u32,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            // Issue 0 is that of the reset values.
            now: 1,
            strict: false,
            scalars: [0; SCALARS],
            vectors: [[0; PIECE]; PIECES],
            scalar_writes: Default::default(),
            scalar_counts: [0; CYCLES],
            more_scalars: Vec::new(),
            vector_writes: Default::default(),
            later: Default::default(),
            spare_products: Vec::new(),
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

    /// A scalar register, as an operation issued now reads it.
    #[inline]
    pub fn scalar(&self, register: Scalar) -> u32 {
        self.scalars[usize::from(register)]
    }

    /// A scalar operand that may come on a path.
    pub fn forwarded(&self, source: Source, forwarding: Forwarding) -> u32 {
        if let Source::Register(register) = source
            && forwarding != Forwarding::None
        {
            let at = slot(self.now + 1);
            let count = usize::from(self.scalar_counts[at]);
            let more = self.more_scalars.iter().rev();
            let more = more.filter(|(cycle, _)| *cycle == at).map(|more| &more.1);
            let mut last_first = more.chain(self.scalar_writes[at][..count].iter().rev());
            let found = last_first
                .find(|write| write.register == register && write.forwarding == forwarding);
            if let Some(write) = found {
                return write.value;
            }
        }
        self.source(source)
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

    /// Writes a scalar register that operations issued `latency` cycles from now read.
    #[inline(always)]
    pub fn write(&mut self, register: Scalar, value: u32, latency: u8) {
        let write = ScalarWrite {
            register,
            latency,
            forwarding: Forwarding::None,
        };
        self.write_scalar(write, value);
    }

    /// Writes a scalar register.
    #[inline(always)]
    pub fn write_scalar(&mut self, write: ScalarWrite, value: u32) {
        let at = slot(self.now + u64::from(write.latency));
        let pending = PendingScalar {
            value: value & SCALAR_BITS[usize::from(write.register)],
            register: write.register,
            forwarding: write.forwarding,
        };
        let count = &mut self.scalar_counts[at];
        match self.scalar_writes[at].get_mut(usize::from(*count)) {
            Some(place) => {
                *place = pending;
                *count += 1;
            }
            None => self.write_more(at, pending),
        }
    }

    /// Keeps a scalar for which its cycle has no place.
    #[cold]
    #[inline(never)]
    fn write_more(&mut self, at: usize, pending: PendingScalar) {
        self.more_scalars.push((at, pending));
    }

    /// Whether one of the scalars that come in the next cycle goes to one of some registers.
    #[inline(always)]
    pub fn lands_next_in(&self, registers: &ScalarSet) -> bool {
        let at = slot(self.now + 1);
        self.scalar_counts[at] > 0 && self.lands_in(at, registers)
    }

    #[inline(never)]
    fn lands_in(&self, at: usize, registers: &ScalarSet) -> bool {
        let count = usize::from(self.scalar_counts[at]);
        let mut coming = self.scalar_writes[at][..count.min(PLACES)].iter();
        count == PLACES || coming.any(|write| registers.has(write.register))
    }

    /// Writes a scalar register at once: the loop counter, and registers before the start.
    #[inline(always)]
    pub fn set(&mut self, register: Scalar, value: u32) {
        let at = usize::from(register);
        self.scalars[at] = value & SCALAR_BITS[at];
    }

    /// [`Pipeline::set`] of bits that the register has.
    #[inline(always)]
    pub fn set_bits(&mut self, register: Scalar, value: u32) {
        self.scalars[usize::from(register)] = value;
    }

    /// The bytes that a vector's register holds.
    #[inline(always)]
    pub fn held(&self, vector: Vector) -> &[u8] {
        let first = PIECE * usize::from(vector.first);
        &self.vectors.as_flattened()[first..first + usize::from(vector.bytes)]
    }

    /// The bytes of a vector as an operation issued now reads them.
    #[inline(always)]
    pub fn vector(&self, read: Read) -> VectorBytes<'_> {
        if read.forwarding != Forwarding::None
            && self.vectors_occupied & (1 << slot(self.now + 1)) != 0
            && let Some(forwarded) = self.overlay(read)
        {
            return forwarded;
        }
        VectorBytes::Kept(self.held(read.vector))
    }

    /// [`Pipeline::vector`] with a place for bytes that came on a path, which then needn't be moved.
    #[inline(always)]
    pub fn vector_in<'a>(&'a self, read: Read, place: &'a mut Option<[u8; WIDEST]>) -> &'a [u8] {
        if read.forwarding != Forwarding::None
            && self.vectors_occupied & (1 << slot(self.now + 1)) != 0
            && self.overlay_in(read, place)
            && let Some(bytes) = place
        {
            return &bytes[..usize::from(read.vector.bytes)];
        }
        self.held(read.vector)
    }

    /// The bytes of a vector with what comes in the next cycle on the same path, if there is any.
    #[inline(never)]
    fn overlay(&self, read: Read) -> Option<VectorBytes<'_>> {
        let mut place = None;
        let is_forwarded = self.overlay_in(read, &mut place);
        let bytes = place.filter(|_| is_forwarded)?;
        Some(VectorBytes::Forwarded(bytes, read.vector.bytes.into()))
    }

    /// [`Pipeline::overlay`] to a place; returns whether there is any.
    #[inline(never)]
    fn overlay_in(&self, read: Read, place: &mut Option<[u8; WIDEST]>) -> bool {
        let pieces = read.vector.pieces();
        let comes = |write: &&PendingPiece| {
            write.forwarding == read.forwarding && pieces.contains(&usize::from(write.piece))
        };
        let mut coming = self.vector_writes[slot(self.now + 1)]
            .iter()
            .filter(comes)
            .peekable();
        if coming.peek().is_none() {
            return false;
        }
        let bytes = place.insert([0; WIDEST]);
        let old = self.vectors[pieces.clone()].as_flattened();
        bytes[..old.len()].copy_from_slice(old);
        for write in coming {
            let to = usize::from(write.piece) - pieces.start;
            bytes[to * PIECE..][..PIECE].copy_from_slice(&write.data);
        }
        true
    }

    /// Writes a vector; what is beyond the data in its last piece becomes 0.
    #[inline]
    pub fn write_vector(&mut self, write: Write, data: &[u8]) {
        let at = slot(self.now + u64::from(write.latency));
        let pending = &mut self.vector_writes[at];
        let (pieces, rest) = data.as_chunks::<PIECE>();
        let first = write.vector.first;
        pending.extend((first..).zip(pieces).map(|(piece, data)| PendingPiece {
            piece,
            forwarding: write.forwarding,
            data: *data,
        }));
        if !rest.is_empty() {
            let mut data = [0; PIECE];
            data[..rest.len()].copy_from_slice(rest);
            pending.push(PendingPiece {
                piece: first + pieces.len() as u8,
                forwarding: write.forwarding,
                data,
            });
        }
        self.occupied |= 1 << at;
        self.vectors_occupied |= 1 << at;
    }

    /// Writes 0 to a vector.
    #[inline(never)]
    pub fn clear_vector(&mut self, write: Write) {
        self.write_vector(write, &[0; WIDEST][..usize::from(write.vector.bytes)]);
    }

    /// Puts the second half of an operation off, to the start of the bundle `cycles` from now.
    pub fn put_off(&mut self, later: Later, cycles: u8) {
        let at = slot(self.now + u64::from(cycles));
        self.later[at].push(later);
        self.occupied |= 1 << at;
    }

    /// Goes on by a cycle: what lands then is in its register. Returns whether second halves of
    /// operations are due ([`Pipeline::take_due`]).
    ///
    /// Of two results to one register the one that lands later stays, whichever was issued first (Peano's
    /// `gemm-256-1col` of tibrezus/xdna-npu-toolkit, exact on Phoenix, loads r27, compares into it while the load is
    /// under way, and reads the loaded value later).
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        self.now += 1;
        let at = slot(self.now);
        if self.scalar_counts[at] > 0 {
            self.land_scalars(at);
        }
        self.occupied & (1 << at) != 0 && self.land(at)
    }

    /// Scalars due in a cycle land in their registers.
    #[inline(never)]
    fn land_scalars(&mut self, at: usize) {
        let count = usize::from(std::mem::take(&mut self.scalar_counts[at]));
        for write in &self.scalar_writes[at][..count.min(PLACES)] {
            self.scalars[usize::from(write.register)] = write.value;
        }
        if count == PLACES {
            self.land_more(at);
        }
    }

    /// Scalars without a place land.
    #[cold]
    #[inline(never)]
    fn land_more(&mut self, at: usize) {
        let scalars = &mut self.scalars;
        self.more_scalars.retain(|(cycle, write)| {
            if *cycle == at {
                scalars[usize::from(write.register)] = write.value;
            }
            *cycle != at
        });
    }

    /// Vectors due in a cycle land in their registers; whether second halves of operations are due.
    #[inline(never)]
    fn land(&mut self, at: usize) -> bool {
        self.occupied &= !(1 << at);
        if self.vectors_occupied & (1 << at) != 0 {
            self.vectors_occupied &= !(1 << at);
            for write in &self.vector_writes[at] {
                self.vectors[usize::from(write.piece)] = write.data;
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
        while let Some(later) = due.pop() {
            if let Later::Product(product) = later {
                self.keep_product(product);
            }
        }
        let at = slot(self.now);
        if self.later[at].is_empty() {
            self.later[at] = due;
        }
    }

    /// A place for a product, with whatever was in it.
    pub fn spare_product(&mut self) -> Box<Product> {
        let spare = self.spare_products.pop();
        spare.unwrap_or_else(|| Box::new(Product::empty()))
    }

    /// Keeps the place of a product that is done.
    pub fn keep_product(&mut self, product: Box<Product>) {
        self.spare_products.push(product);
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
        self.occupied == 0 && self.scalar_counts == [0; CYCLES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X0: Vector = Vector {
        first: 0,
        bytes: 64,
    };

    fn read(pipeline: &Pipeline, forwarding: Forwarding) -> u8 {
        pipeline.vector(Read::new(X0, 0, forwarding))[0]
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
    fn the_result_that_lands_later_stays() {
        let mut pipeline = Pipeline::default();
        pipeline.write(3, 1, 7);
        pipeline.step();
        pipeline.write(3, 2, 1);
        pipeline.step();
        assert_eq!(pipeline.scalar(3), 2);
        for _ in 0..7 {
            pipeline.step();
        }
        assert_eq!(pipeline.scalar(3), 1);
        assert!(pipeline.is_idle());
    }

    #[test]
    fn more_scalars_than_a_cycle_has_places_for() {
        let mut pipeline = Pipeline::default();
        let path = |register| ScalarWrite {
            register,
            latency: 2,
            forwarding: Forwarding::Move,
        };
        for number in 0..2 * PLACES as u32 {
            pipeline.write_scalar(path(number as u8), 100 + number);
        }
        pipeline.write_scalar(path(PLACES as u8 + 1), 7);
        pipeline.write_scalar(path(0), 8);
        pipeline.step();
        for (register, value) in [(0, 8), (1, 101), (PLACES as u8 + 1, 7), (31, 131)] {
            let source = Source::Register(register);
            assert_eq!(pipeline.forwarded(source, Forwarding::Move), value);
            assert_eq!(pipeline.forwarded(source, Forwarding::None), 0);
        }
        pipeline.step();
        for (register, value) in [(0, 8), (1, 101), (PLACES as u8 + 1, 7), (31, 131)] {
            assert_eq!(pipeline.scalar(register), value);
        }
        assert!(pipeline.is_idle());
    }

    #[test]
    fn forwarding() {
        let mut pipeline = Pipeline::default();
        let write = Write {
            vector: X0,
            latency: 2,
            forwarding: Forwarding::Move,
        };
        pipeline.write_vector(write, &[9; 64]);
        pipeline.step();
        assert_eq!(read(&pipeline, Forwarding::None), 0);
        assert_eq!(read(&pipeline, Forwarding::Product), 0);
        assert_eq!(read(&pipeline, Forwarding::Move), 9);
        pipeline.step();
        assert_eq!(read(&pipeline, Forwarding::None), 9);
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
        // The load of the low half lands last.
        assert_eq!(pipeline.vectors[0][0], 1);
        assert_eq!(pipeline.vectors[1][0], 5);
    }
}
