//! What operations do to registers and memory.

use aiec_core::CoreArch;

use super::address::ADDRESS_MASK;
use super::convert::{Rounding, Saturation, ShiftRoundSaturate, pack, unpack, upshift};
use super::float::{floor_to_int, narrow, widen};
use super::lanes::{self, lane};
use super::machine::PART_WORD_CYCLES;
use super::op::{
    Conversion, Data, Forwarding, LaneOp, Op, ProductOp, Read, Source, VectorLanes, Walk, Widths,
    Write,
};
use super::pipeline::{Later, Pipeline};
use super::products::{Configuration, Inputs};
use super::registers::{PIECE, R, Scalar, Vector, WIDEST, control};
use super::resolve::{LATE_SOURCE, LOAD_LATENCY, LOAD_UPS_LATENCY};
use super::scalar::{alu, divide_step};
use super::shuffle::shuffle;
use crate::core::bus::CoreMemory;

/// r27: what `sel` looks at.
const CONDITION: Scalar = R + 27;
/// r31: dividend and quotient.
const DIVIDEND: Scalar = R + 31;
/// Stores that convert reach memory this much later than others (llvm-aie: cycle 7, not 5).
const CONVERTING_STORE_CYCLES: u8 = 2;
/// Latency of operations of the move slot on vectors whose result is scalar.
const MASK_LATENCY: u8 = 2;
/// Bytes of a pair of scalars.
const PAIR_BYTES: u32 = 8;
/// Parallel loads take addresses of 32 bits.
const ADDRESS_BITS: u32 = 32;

/// Executes the operations of a bundle.
pub(super) struct Executor<'a, 'm, 'w> {
    pub arch: CoreArch,
    pub pipeline: &'a mut Pipeline,
    pub memory: &'m mut CoreMemory<'w>,
    /// Cycles since the start of the run.
    pub elapsed: u64,
    /// Cycles since the start of the program.
    pub cycles: u64,
    pub part_word_until: &'a mut u64,
}

impl Executor<'_, '_, '_> {
    /// Executes an operation; answers the cycles that it stalls.
    #[inline]
    pub fn execute(&mut self, op: &Op) -> Result<u64, String> {
        let pipeline = &mut *self.pipeline;
        match *op {
            Op::Alu {
                op,
                d,
                a,
                b,
                latency,
            } => {
                let (a, b) = (pipeline.scalar(a), pipeline.source(b));
                let carry = control("srCarry");
                let (value, carried) = alu(op, a, b, pipeline.scalar(carry) != 0);
                pipeline.write(d, value, latency);
                if let Some(carried) = carried {
                    pipeline.write(carry, carried.into(), 1);
                }
            }
            Op::MultiplyAdd { d, a, b, subtract } => {
                let product = pipeline.scalar(a).wrapping_mul(pipeline.scalar(b));
                let old = pipeline.scalar(d);
                let value = match subtract {
                    true => old.wrapping_sub(product),
                    false => old.wrapping_add(product),
                };
                pipeline.write(d, value, 2);
            }
            Op::Select { d, a, b, if_zero } => {
                let chosen = if (pipeline.scalar(CONDITION) == 0) == if_zero {
                    a
                } else {
                    b
                };
                pipeline.write(d, pipeline.scalar(chosen), 1);
            }
            Op::DivideStep {
                d,
                remainder,
                divisor,
            } => {
                let (remainder, divisor) = (pipeline.scalar(remainder), pipeline.scalar(divisor));
                let (rest, dividend) = divide_step(remainder, divisor, pipeline.scalar(DIVIDEND));
                pipeline.write(DIVIDEND, dividend, 1);
                pipeline.write(d, rest, 1);
            }
            Op::Move { d, from, latency } => {
                let value = pipeline.source(from);
                pipeline.write(d, value, latency);
            }
            Op::Counter(d) => {
                pipeline.write(d, self.cycles as u32, 1);
                pipeline.write(d + 1, (self.cycles >> 32) as u32, 1);
            }
            Op::Pointer(walk) => {
                self.pipeline.walk(walk);
            }
            Op::Load { walk, to } => return self.load(walk, to),
            Op::Store { walk, from } => return self.store(walk, from),
            Op::LookUp {
                d,
                addresses,
                bytes,
                high,
            } => return self.look_up(d, addresses, bytes, high),
            Op::Lanes(ref op) => self.lanes(op)?,
            Op::Extract {
                d,
                pair,
                lanes,
                a,
                index,
            } => {
                let signed = pipeline.sign(lanes.sign());
                let mut copy = [0; WIDEST];
                let index = pipeline.source(index);
                let a = pipeline.vector(a, &mut copy);
                let value = lanes::extract(lanes.bits(), signed, a, index);
                pipeline.write(d, value as u32, MASK_LATENCY);
                if pair {
                    pipeline.write(d + 1, (value >> 32) as u32, MASK_LATENCY);
                }
            }
            Op::Convert { d, a, conversion } => self.convert_register(d, a, conversion),
            Op::Clear(d) => pipeline.write_vector(d, &[0; WIDEST][..usize::from(d.vector.bytes)]),
            Op::Product(ref op) => self.product(op)?,
            // The loop over bundles does these.
            Op::Branch { .. } | Op::Call { .. } | Op::Done | Op::Bus(_) => {}
        }
        Ok(0)
    }

    // Addresses and memory

    /// The address of an access of so many bytes, a multiple of its size: what silicon does with
    /// others is unconfirmed, here the low bits don't count.
    #[inline]
    fn aligned(&self, address: u32, bytes: u32) -> Result<u32, String> {
        let rest = address & (bytes - 1);
        if rest != 0 && self.pipeline.strict {
            return Err(format!(
                "access of {bytes} bytes at {address:#x}, which is no multiple of them"
            ));
        }
        Ok(address - rest)
    }

    /// Cycles until all banks of an access are free.
    #[inline]
    fn wait(&mut self, address: u32, bytes: u32) -> u64 {
        if self.memory.conflicts.is_none() {
            return 0;
        }
        self.memory
            .wait_for_banks(address.into(), bytes, self.elapsed)
    }

    /// Loads bytes. Where there is no memory a load gives 0, as code that loads ahead does without
    /// harm, but for strict execution.
    #[inline]
    fn load_bytes(&mut self, address: u32, d: &mut [u8]) -> Result<(), String> {
        match self.memory.perhaps_load_bytes(address.into(), d.len()) {
            Some(bytes) => d.copy_from_slice(bytes),
            None if self.pipeline.needs_memory() => {
                return Err(format!(
                    "load from {address:#x}, where the core sees no memory"
                ));
            }
            None => d.fill(0),
        }
        Ok(())
    }

    pub(super) fn store_bytes(&mut self, address: u32, bytes: &[u8]) -> Result<(), String> {
        match self.memory.store_bytes(address.into(), bytes.len()) {
            Some(to) => to.copy_from_slice(bytes),
            None => {
                return Err(format!(
                    "store to {address:#x}, where the core sees no memory"
                ));
            }
        }
        Ok(())
    }

    fn load(&mut self, walk: Walk, to: Data) -> Result<u64, String> {
        let address = self.pipeline.walk(walk);
        match to {
            Data::Scalar {
                register,
                bytes,
                signed,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let mut word = [0; 4];
                self.load_bytes(address, &mut word[..usize::from(bytes)])?;
                let raw = u32::from_le_bytes(word);
                let value = match (bytes, signed) {
                    (1, true) => raw as i8 as u32,
                    (2, true) => raw as i16 as u32,
                    _ => raw,
                };
                self.pipeline.write(register, value, LOAD_LATENCY);
                Ok(self.wait(address, bytes.into()))
            }
            Data::Pair { low } => {
                let address = self.aligned(address, PAIR_BYTES)?;
                let mut words = [[0; 4]; 2];
                self.load_bytes(address, words.as_flattened_mut())?;
                for (register, word) in (low..).zip(words) {
                    let value = u32::from_le_bytes(word);
                    self.pipeline.write(register, value, LOAD_LATENCY);
                }
                Ok(self.wait(address, PAIR_BYTES))
            }
            Data::Vector {
                vector,
                bytes,
                conversion,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let mut data = [0; 64];
                self.load_bytes(address, &mut data[..usize::from(bytes)])?;
                self.loaded(vector, bytes, conversion, data);
                Ok(self.wait(address, bytes.into()))
            }
        }
    }

    /// Writes what was loaded to a vector, or puts its conversion off.
    fn loaded(&mut self, vector: Vector, bytes: u8, conversion: Conversion, data: [u8; 64]) {
        let latency = match conversion {
            Conversion::Ups(..) => LOAD_UPS_LATENCY,
            _ => LOAD_LATENCY,
        };
        let mut d = Write::new(vector, latency, Forwarding::None);
        if conversion == Conversion::None {
            // 128 bits go to the low half of a w register; the rest becomes 0 (unconfirmed).
            let length = usize::from(vector.bytes).min(data.len());
            self.pipeline.write_vector(d, &data[..length]);
            return;
        }
        d.latency -= LATE_SOURCE;
        let later = Later::ConvertLoaded {
            d,
            bytes,
            data,
            conversion,
        };
        self.pipeline.put_off(later, LATE_SOURCE);
    }

    fn store(&mut self, walk: Walk, from: Data) -> Result<u64, String> {
        let address = self.pipeline.walk(walk);
        match from {
            Data::Scalar {
                register, bytes: 4, ..
            } => {
                let address = self.aligned(address, 4)?;
                let value = self.pipeline.scalar(register).to_le_bytes();
                self.store_bytes(address, &value)?;
                Ok(self.wait(address, 4))
            }
            Data::Pair { low } => {
                let address = self.aligned(address, PAIR_BYTES)?;
                let value = self.pipeline.pair(low).to_le_bytes();
                self.store_bytes(address, &value)?;
                Ok(self.wait(address, PAIR_BYTES))
            }
            Data::Scalar {
                register, bytes, ..
            } => {
                let address = self.aligned(address, bytes.into())?;
                let later = Later::StorePart {
                    address,
                    bytes,
                    register,
                };
                self.pipeline.put_off(later, LATE_SOURCE);
                *self.part_word_until = self.pipeline.now + PART_WORD_CYCLES;
                Ok(self.wait(address, bytes.into()))
            }
            Data::Vector {
                vector,
                bytes,
                conversion,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let mut copy = [0; WIDEST];
                let source = self.pipeline.vector(Read::plain(vector), &mut copy);
                if conversion == Conversion::None {
                    let mut data = [0; 64];
                    let data = &mut data[..usize::from(bytes)];
                    data.copy_from_slice(&source[..usize::from(bytes)]);
                    self.store_bytes(address, data)?;
                } else {
                    let mut data = [0; 64];
                    let source = source.to_vec();
                    self.converted(conversion, &source, &mut data[..usize::from(bytes)]);
                    let later = Later::Store {
                        address,
                        bytes,
                        data,
                    };
                    match conversion {
                        // Packed in the store unit's own time.
                        Conversion::Pack(..) => self.finish(&later)?,
                        _ => self.pipeline.put_off(later, CONVERTING_STORE_CYCLES),
                    }
                }
                Ok(self.wait(address, bytes.into()))
            }
        }
    }

    /// Four loads of 64 bits at the addresses in the lower or upper four lanes of a vector. That each
    /// gives 64 bits whatever elements its name has is measured on NPU1 silicon; which low bits of
    /// an address count is unconfirmed.
    fn look_up(
        &mut self,
        d: Vector,
        addresses: Vector,
        bytes: u8,
        high: bool,
    ) -> Result<u64, String> {
        const LOADED: usize = 8;
        let mut copy = [0; WIDEST];
        let lanes = self
            .pipeline
            .vector(Read::plain(addresses), &mut copy)
            .first_chunk::<{ PIECE }>()
            .copied()
            .unwrap_or_default();
        let mut data = [0; 64];
        let mut stall = 0;
        for i in 0..4 {
            let number = if high { 4 + i } else { i };
            let address = lane(&lanes, number, ADDRESS_BITS, false) as u32 & ADDRESS_MASK;
            let address = self.aligned(address, bytes.into())?;
            self.load_bytes(address, &mut data[i * LOADED..][..LOADED])?;
            stall = self.wait(address, LOADED as u32).max(stall);
        }
        self.loaded(d, 32, Conversion::None, data);
        Ok(stall)
    }

    // Vectors

    fn lanes(&mut self, op: &VectorLanes) -> Result<(), String> {
        let pipeline = &mut *self.pipeline;
        let (mut copy_a, mut copy_b) = ([0; WIDEST], [0; WIDEST]);
        let mut value = op
            .scalar
            .map_or(0, |source| u64::from(pipeline.source(source)));
        if let (Some(Source::Register(low)), true) = (op.scalar, op.wide_scalar) {
            value = pipeline.pair(low);
        }
        let index = op.index.map_or(0, |index| pipeline.source(index));
        let bits = op.lanes.bits();
        let signed = pipeline.sign(op.lanes.sign());
        let a =
            op.a.map_or(&[][..], |read| pipeline.vector(read, &mut copy_a));
        let b =
            op.b.map_or(&[][..], |read| pipeline.vector(read, &mut copy_b));
        let mut result = [0; 64];
        let d = &mut result;
        let mut mask = 0;
        match op.op {
            LaneOp::Pairs(pairs) => mask = lanes::pairs(pairs, op.lanes.with_sign(signed), a, b, d),
            LaneOp::Unary(unary) => mask = lanes::unary(unary, bits, signed, a, d),
            LaneOp::Select => lanes::select(bits, a, b, value, d),
            LaneOp::AddSub => lanes::add_sub(bits, a, b, value, d),
            LaneOp::Broadcast => lanes::broadcast(bits, value, d),
            LaneOp::BroadcastShuffle => {
                // The second source is 0 (36 of 36 on NPU1).
                let mut all = [0; 64];
                lanes::broadcast(bits, value, &mut all);
                shuffle(&all, &[0; 64], index, d);
            }
            LaneOp::BroadcastLane => lanes::broadcast_lane(bits, a, value as u32, d),
            LaneOp::Insert => lanes::insert(bits, a, index, value, d),
            LaneOp::PushHigh => lanes::push_high(bits, a, value, d),
            LaneOp::PushLow => lanes::push_low(bits, a, value, d),
            LaneOp::Shift => lanes::shift_bytes(a, b, value as u32, d),
            // Amounts beyond both sources give 0 whatever the first step is (11 of 11 on NPU1).
            LaneOp::ShiftAlign => {
                if index != 0 && value as usize <= a.len() + b.len() {
                    return Err(
                        "the first step of vshift.align is not simulated: unconfirmed".into(),
                    );
                }
                lanes::shift_bytes(a, b, value as u32, d);
            }
            LaneOp::Shuffle => {
                shuffle(a, b, value as u32, d);
            }
        }
        if let Some(d) = op.d {
            pipeline.write_vector(d, &result[..usize::from(d.vector.bytes).min(64)]);
        }
        if let Some(register) = op.mask {
            pipeline.write(register, mask as u32, MASK_LATENCY);
            if bits == 8 {
                pipeline.write(register + 1, (mask >> 32) as u32, MASK_LATENCY);
            }
        }
        Ok(())
    }

    fn convert_register(&mut self, d: Write, a: Read, conversion: Conversion) {
        if let Conversion::Unpack(..) = conversion {
            let later = Later::Convert {
                d,
                source: a.vector,
                conversion,
            };
            self.pipeline.put_off(later, a.late);
            return;
        }
        let mut copy = [0; WIDEST];
        let source = self.pipeline.vector(a, &mut copy);
        let mut input = [0; WIDEST];
        let input = &mut input[..source.len()];
        input.copy_from_slice(source);
        self.convert(d, conversion, input);
    }

    /// Converts bytes into a register.
    pub(super) fn convert(&mut self, d: Write, conversion: Conversion, source: &[u8]) {
        let mut result = [0; WIDEST];
        let result = &mut result[..usize::from(d.vector.bytes)];
        self.converted(conversion, source, result);
        self.pipeline.write_vector(d, result);
    }

    fn converted(&self, conversion: Conversion, source: &[u8], d: &mut [u8]) {
        let pipeline = &*self.pipeline;
        let saturation = || Saturation::from_register(pipeline.control("crSat"));
        let rounding = || Rounding::from_register(pipeline.control("crRnd"));
        let widths = |widths: Widths| match widths {
            Widths::Fixed(from, to) => (u32::from(from), u32::from(to)),
            Widths::Control(register, clear, set) => {
                let (from, to) = if pipeline.scalar(register) & 1 == 0 {
                    clear
                } else {
                    set
                };
                (from.into(), to.into())
            }
        };
        match conversion {
            Conversion::None => d.copy_from_slice(&source[..d.len()]),
            Conversion::Srs(of, sign, shift) => {
                let (from, to) = widths(of);
                let srs = ShiftRoundSaturate {
                    shift: pipeline.scalar(shift),
                    rounding: rounding(),
                    saturation: saturation(),
                    from,
                    to,
                    signed: pipeline.sign(sign),
                };
                srs.apply(source, d);
            }
            Conversion::Ups(of, sign, shift) => {
                let (from, to) = widths(of);
                let (shift, signed) = (pipeline.scalar(shift), pipeline.sign(sign));
                upshift(shift, from, to, signed, source, d);
            }
            Conversion::Pack(of, sign) => {
                let (_, to) = widths(of);
                pack(to, pipeline.sign(sign), saturation(), source, d);
            }
            Conversion::Unpack(of, sign) => {
                let (from, _) = widths(of);
                unpack(from, pipeline.sign(sign), source, d);
            }
            Conversion::NarrowFloat => {
                let rounding = rounding();
                for (from, d) in source.chunks_exact(4).zip(d.chunks_exact_mut(2)) {
                    let fp32 = lane(from, 0, 32, false) as u32;
                    d.copy_from_slice(&narrow(fp32, rounding).to_le_bytes());
                }
            }
            Conversion::WidenFloat => {
                for (from, d) in source.chunks_exact(2).zip(d.chunks_exact_mut(4)) {
                    let bf16 = lane(from, 0, 16, false) as u16;
                    d.copy_from_slice(&widen(bf16).to_le_bytes());
                }
            }
            Conversion::FloorFloat(shift) => {
                // 6 bits, signed (unconfirmed: only 0 is measured).
                let shift = (pipeline.scalar(shift) << 26) as i32 >> 26;
                for (from, d) in source.chunks_exact(2).zip(d.chunks_exact_mut(4)) {
                    let bf16 = lane(from, 0, 16, false) as u16;
                    d.copy_from_slice(&floor_to_int(bf16, shift).to_le_bytes());
                }
            }
        }
    }

    fn product(&mut self, op: &ProductOp) -> Result<(), String> {
        let pipeline = &*self.pipeline;
        let mut copies = [[0; WIDEST]; 4];
        let [copy_a, copy_b, copy_first, copy_second] = &mut copies;
        let sources = op.sources.map(|(a, b)| {
            (
                pipeline.vector(Read::plain(a), copy_a),
                pipeline.vector(Read::plain(b), copy_b),
            )
        });
        let inputs = Inputs {
            sources,
            sparse: op.sparse,
            first: op.first.map(|read| pipeline.vector(read, copy_first)),
            second: op.second.map(|read| pipeline.vector(read, copy_second)),
            signs: op.signs,
            configuration: Configuration(pipeline.scalar(op.configuration)),
        };
        let mut result = [0; WIDEST];
        let d = &mut result[..usize::from(op.d.vector.bytes)];
        let done = match op.float {
            true => inputs.floats(self.arch, d),
            false => inputs.integers(self.arch, d),
        };
        done.map_err(|unconfirmed| {
            format!(
                "{} is not simulated: unconfirmed (configuration {:#x})",
                unconfirmed.0, inputs.configuration.0
            )
        })?;
        self.pipeline.write_vector(op.d, d);
        Ok(())
    }
}
