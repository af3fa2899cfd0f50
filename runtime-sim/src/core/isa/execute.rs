//! Effects of operations on registers and memory.

use aiec_core::{CoreArch, PART_WORD_BUNDLES};

use super::address::ADDRESS_MASK;
use super::convert::{Saturation, ShiftRoundSaturate, pack, unpack, upshift};
use super::float::{floor_to_int, narrow};
use super::formats::FloatFormat;
use super::lanes::{self, lane};
use super::later::{Input, KnownProducts, Later, Target};
use super::nonlinear::{exp2, from_integer, tanh, to_integer};
use super::op::{
    CascadePart, Conversion, Data, Forwarding, LaneOp, Lanes, Op, Read, ScalarWrite, Source,
    TimedConversion, VectorLanes, Walk, Widths, Write,
};
use super::pipeline::Pipeline;
use super::registers::{
    CARRY, FLOAT_SATURATION, PIECE, R, ROUNDING, SATURATION, Scalar, Vector, WIDEST,
};
use super::rounding::Rounding;
use super::scalar::{alu, divide_step};
use super::shuffle::shuffle;
use crate::core::bus::CoreMemory;

/// r27: what `sel` looks at.
pub(super) const CONDITION: Scalar = R + 27;
/// r31: dividend and quotient.
const DIVIDEND: Scalar = R + 31;
/// Bytes of the widest register of several words.
const MAX_WORD_BYTES: usize = 32;
/// Parallel loads take addresses of 32 bits.
const ADDRESS_BITS: u32 = 32;

/// When operations are executed.
#[derive(Clone, Debug)]
pub(super) struct Issue {
    pub arch: CoreArch,
    /// A bundle is issued; else second halves of operations are done, before the next one.
    pub issues: bool,
    /// The bundle, to which accesses to memory are attributed until the next one is issued.
    pub pc: u32,
    /// Cycles since the start of the run.
    pub elapsed: u64,
    /// Cycles of the program before the run, stalls counted.
    pub cycles: u64,
    /// Until this bundle a part-word store keeps memory.
    pub part_word_until: u64,
    pub products: KnownProducts,
}

/// The reason of a store that has no memory to go to.
#[cold]
pub(super) fn no_memory_to_store(address: u32) -> String {
    format!("store to {address:#x}, where the core sees no memory")
}

/// Executes the operations of a bundle.
pub(super) struct Executor<'a, 'm, 'w> {
    pub issue: &'a mut Issue,
    pub pipeline: &'a mut Pipeline,
    pub memory: &'m mut CoreMemory<'w>,
}

impl Executor<'_, '_, '_> {
    /// Executes an operation; returns the cycles that it stalls.
    #[inline(always)]
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
                let (value, carried) = alu(op, a, b, pipeline.scalar(CARRY) != 0);
                pipeline.write(d, value, latency);
                if let Some(carried) = carried {
                    pipeline.write(CARRY, carried.into(), latency);
                }
            }
            Op::MultiplyAdd {
                d,
                a,
                b,
                subtract,
                latency,
                late,
            } => {
                let product = pipeline.scalar(a).wrapping_mul(pipeline.scalar(b));
                let later = Later::MultiplyAdd {
                    d,
                    product,
                    subtract,
                    latency: latency - late,
                };
                if late == 0 {
                    self.finish(&later)?;
                } else {
                    pipeline.put_off(later, late);
                }
            }
            Op::Select {
                d,
                a,
                b,
                if_zero,
                latency,
            } => {
                let chosen = if (pipeline.scalar(CONDITION) == 0) == if_zero {
                    a
                } else {
                    b
                };
                pipeline.write(d, pipeline.scalar(chosen), latency);
            }
            Op::DivideStep {
                d,
                remainder,
                divisor,
                latency,
            } => {
                let (remainder, divisor) = (pipeline.scalar(remainder), pipeline.scalar(divisor));
                let (rest, dividend) = divide_step(remainder, divisor, pipeline.scalar(DIVIDEND));
                pipeline.write(DIVIDEND, dividend, latency);
                pipeline.write(d, rest, latency);
            }
            Op::Move {
                d,
                from,
                forwarding,
            } => {
                let value = pipeline.forwarded(from, forwarding);
                pipeline.write_scalar(d, value);
            }
            Op::Counter { d, latency } => {
                let cycles = self.issue.cycles + self.issue.elapsed;
                pipeline.write(d, cycles as u32, latency);
                pipeline.write(d + 1, (cycles >> 32) as u32, latency);
            }
            Op::Pointer(walk) => {
                self.pipeline.walk(walk);
            }
            Op::Load { walk, to, latency } => return self.load(walk, to, latency),
            Op::Store {
                walk,
                from,
                late,
                seen,
            } => return self.store(walk, from, late, seen),
            Op::LookUp {
                d,
                addresses,
                bytes,
                high,
            } => return self.look_up(d, addresses, bytes, high),
            Op::Lanes(ref op) => self.lanes(op)?,
            Op::Extract {
                d,
                latency,
                pair,
                lanes,
                a,
                index,
            } => {
                let value = self.extracted(lanes, a, index);
                self.pipeline.write(d, value as u32, latency);
                if pair {
                    self.pipeline.write(d + 1, (value >> 32) as u32, latency);
                }
            }
            Op::Convert { d, a, conversion } => self.convert_register(d, a, conversion)?,
            Op::MoveBlocks {
                d,
                exponents,
                a,
                from,
            } => {
                let pair = pipeline.pair(from).to_le_bytes();
                let latency = d.latency;
                self.convert_register(d, a, TimedConversion::NONE)?;
                self.write_exponents(exponents, pair, latency);
            }
            Op::ShuffleBlocks(ref op) => self.shuffle_blocks(op)?,
            Op::Quantize(ref op) => self.quantize(op),
            Op::Fifo(ref op) => return self.fifo(op),
            Op::NonLinear(op) => {
                let shift = |register: Option<Scalar>| register.map(|s| pipeline.scalar(s));
                let (before, after) = (shift(op.from_integer), shift(op.to_integer));
                let x = pipeline.scalar(op.a);
                let x = before.map_or(x, |shift| from_integer(x, shift));
                let y = op.function.of(x);
                let y = after.map_or(y, |shift| to_integer(y, shift));
                pipeline.write(op.d, y, op.latency);
            }
            Op::ExpandCascade { d, part } => self.expanded_cascade(d, part),
            Op::MoveParts(ref op) => self.move_parts(op),
            Op::Clear(d) => pipeline.clear_vector(d),
            Op::Product(ref op) => self.product(op)?,
            // The loop over bundles does these.
            Op::Branch { .. } | Op::Call { .. } | Op::Done | Op::Bus(_) => {}
        }
        Ok(0)
    }

    // Addresses and memory

    /// The address of an access of `bytes`, a multiple of its size: the behaviour of silicon with
    /// others is unconfirmed, here the low bits don't count.
    #[inline]
    fn aligned(&self, address: u32, bytes: u32) -> Result<u32, String> {
        let rest = address & (bytes - 1);
        if rest != 0 && self.pipeline.strict {
            return Err(format!(
                "access of {bytes} bytes at {address:#x}, which isn't a multiple of them"
            ));
        }
        Ok(address - rest)
    }

    /// Cycles until all banks of an access are free.
    #[inline]
    pub(super) fn wait(&mut self, address: u32, bytes: u32) -> u64 {
        if self.memory.conflicts.is_none() {
            return 0;
        }
        self.memory
            .wait_for_banks(address.into(), bytes, self.issue.elapsed)
    }

    /// Loads bytes. Where there is no memory a load gives 0, as code that loads ahead does without
    /// harm; strict execution refuses it.
    #[inline]
    pub(super) fn load_bytes(&mut self, address: u32, d: &mut [u8]) -> Result<(), String> {
        match self.memory.perhaps_load_bytes(address.into(), d.len()) {
            Some(bytes) => d.copy_from_slice(bytes),
            None if self.pipeline.strict => {
                return Err(format!(
                    "load from {address:#x}, where the core sees no memory"
                ));
            }
            None => d.fill(0),
        }
        Ok(())
    }

    /// [`Executor::load_bytes`] of a number of bytes that is known when it is compiled.
    #[inline(always)]
    fn load_array<const N: usize>(&mut self, address: u32) -> Result<[u8; N], String> {
        match self.memory.perhaps_load_array(address.into()) {
            Some(bytes) => Ok(bytes),
            None => {
                let mut bytes = [0; N];
                self.load_bytes(address, &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// [`Executor::store_bytes`] of a number of bytes that is known when it is compiled.
    #[inline(always)]
    fn store_array<const N: usize>(&mut self, address: u32, bytes: [u8; N]) -> Result<(), String> {
        match self.memory.array_to_store(address.into()) {
            Some(to) => {
                *to = bytes;
                Ok(())
            }
            None => self.store_bytes(address, &bytes),
        }
    }

    pub(super) fn store_bytes(&mut self, address: u32, bytes: &[u8]) -> Result<(), String> {
        match self.memory.store_bytes(address.into(), bytes.len()) {
            Some(to) => to.copy_from_slice(bytes),
            None => return Err(no_memory_to_store(address)),
        }
        Ok(())
    }

    #[inline(never)]
    fn load(&mut self, walk: Walk, to: Data, latency: u8) -> Result<u64, String> {
        let address = self.pipeline.walk(walk);
        match to {
            Data::Scalar {
                register,
                bytes,
                signed,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let value = match (bytes, signed) {
                    (4, _) => u32::from_le_bytes(self.load_array(address)?),
                    (2, false) => u16::from_le_bytes(self.load_array(address)?).into(),
                    (2, true) => i16::from_le_bytes(self.load_array(address)?) as u32,
                    (_, false) => u8::from_le_bytes(self.load_array(address)?).into(),
                    (_, true) => i8::from_le_bytes(self.load_array(address)?) as u32,
                };
                self.pipeline.write(register, value, latency);
                Ok(self.wait(address, bytes.into()))
            }
            Data::Words(words) => {
                let bytes = words.bytes().into();
                let address = self.aligned(address, bytes)?;
                let mut data = [0; MAX_WORD_BYTES];
                let data = &mut data[..bytes as usize];
                self.load_bytes(address, data)?;
                for (register, word) in words.registers().iter().zip(data.as_chunks::<4>().0) {
                    let value = u32::from_le_bytes(*word);
                    self.pipeline.write(*register, value, latency);
                }
                Ok(self.wait(address, bytes))
            }
            Data::Vector {
                vector,
                bytes,
                conversion,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let d = Write::new(vector, latency, Forwarding::None);
                if conversion.conversion == Conversion::None && bytes == 32 && vector.bytes == 32 {
                    let data: [u8; 32] = self.load_array(address)?;
                    self.pipeline.write_vector(d, &data);
                    return Ok(self.wait(address, 32));
                }
                let mut data = [0; 64];
                self.load_bytes(address, &mut data[..usize::from(bytes)])?;
                self.loaded(d, bytes, conversion, &data)?;
                Ok(self.wait(address, bytes.into()))
            }
        }
    }

    /// Writes what was loaded to a vector, converted if it is to be.
    fn loaded(
        &mut self,
        d: Write,
        bytes: u8,
        conversion: TimedConversion,
        data: &[u8; 64],
    ) -> Result<(), String> {
        if conversion.conversion == Conversion::None {
            // 128 bits go to the low half of a w register; the rest becomes 0 (unconfirmed).
            let length = usize::from(d.vector.bytes).min(data.len());
            self.pipeline.write_vector(d, &data[..length]);
            return Ok(());
        }
        let input = Input::new(&data[..usize::from(bytes)]);
        self.convert_when_read(Target::Register(d), input, conversion)
    }

    #[inline(never)]
    fn store(&mut self, walk: Walk, from: Data, late: u8, seen: u8) -> Result<u64, String> {
        let address = self.pipeline.walk(walk);
        match from {
            Data::Scalar {
                register, bytes: 4, ..
            } => {
                let address = self.aligned(address, 4)?;
                let value = self.pipeline.scalar(register).to_le_bytes();
                self.store_array(address, value)?;
                Ok(self.wait(address, 4))
            }
            Data::Words(words) => {
                let bytes = words.bytes().into();
                let address = self.aligned(address, bytes)?;
                let mut data = [0; MAX_WORD_BYTES];
                let data = &mut data[..bytes as usize];
                let chunks = data.as_chunks_mut::<4>().0;
                for (register, word) in words.registers().iter().zip(chunks) {
                    *word = self.pipeline.scalar(*register).to_le_bytes();
                }
                self.store_bytes(address, data)?;
                Ok(self.wait(address, bytes))
            }
            Data::Scalar {
                register, bytes, ..
            } => {
                let address = self.aligned(address, bytes.into())?;
                let later = Later::StorePart {
                    address,
                    bytes,
                    register,
                    seen: seen.saturating_sub(late),
                };
                self.pipeline.put_off(later, late);
                self.issue.part_word_until = self.pipeline.now + u64::from(PART_WORD_BUNDLES);
                Ok(self.wait(address, bytes.into()))
            }
            Data::Vector {
                vector,
                bytes,
                conversion,
            } => {
                let address = self.aligned(address, bytes.into())?;
                let source = self.pipeline.vector(Read::plain(vector));
                if conversion.conversion == Conversion::None {
                    let mut data = [0; 64];
                    let data = &mut data[..usize::from(bytes)];
                    data.copy_from_slice(&source[..usize::from(bytes)]);
                    self.store_seen(address, data, seen)?;
                } else {
                    let to = Target::Memory {
                        address,
                        bytes,
                        seen,
                    };
                    let input = Input::new(&source);
                    self.convert_when_read(to, input, conversion)?;
                }
                Ok(self.wait(address, bytes.into()))
            }
        }
    }

    /// Four loads of 64 bits at the addresses in the lower or upper four lanes of a vector. That each
    /// gives 64 bits whatever elements its name has is measured on NPU1 silicon; which low bits of
    /// an address count is unconfirmed.
    #[inline(never)]
    /// Four lookups side by side, one for each lane. The table is twice in memory, its elements in
    /// rows of a bank: even lanes read the first row of a pair, odd lanes the second, so that two
    /// lookups never meet in a bank. An address counts bytes of both copies; what is beyond the end
    /// of the row reads as 0.
    fn look_up(
        &mut self,
        d: Write,
        addresses: Vector,
        bytes: u8,
        high: bool,
    ) -> Result<u64, String> {
        const LOADED: usize = 8;
        const ROW: u32 = 16;
        const COPIES: u32 = 2;
        let lanes = self
            .pipeline
            .vector(Read::plain(addresses))
            .first_chunk::<{ PIECE }>()
            .copied()
            .unwrap_or_default();
        let mut data = [0; 64];
        let mut stall = 0;
        for i in 0..4 {
            let number = if high { 4 + i } else { i };
            let address = lane(&lanes, number, ADDRESS_BITS, false) as u32 & ADDRESS_MASK;
            let address = self.aligned(address, COPIES * u32::from(bytes))?;
            let pair = address & !(COPIES * ROW - 1);
            let inside = (address - pair) / COPIES;
            let from = pair + ROW * (i as u32 % COPIES) + inside;
            let loaded = LOADED.min((ROW - inside) as usize);
            self.load_bytes(from, &mut data[i * LOADED..][..loaded])?;
            stall = self.wait(from, loaded as u32).max(stall);
        }
        self.loaded(d, 32, TimedConversion::NONE, &data)?;
        Ok(stall)
    }

    // Vectors

    /// A lane of a vector.
    #[inline(never)]
    fn extracted(&self, lanes: Lanes, a: Read, index: Source) -> i64 {
        let signed = self.pipeline.sign(lanes.sign());
        let index = self.pipeline.source(index);
        lanes::extract(lanes.bits(), signed, &self.pipeline.vector(a), index)
    }

    #[inline(never)]
    fn expanded_cascade(&mut self, d: Write, part: CascadePart) {
        let mut word = [0; WIDEST];
        let word = &mut word[..usize::from(d.vector.bytes)];
        self.expand_cascade(part, word);
        self.pipeline.write_vector(d, word);
    }

    #[inline(never)]
    fn lanes(&mut self, op: &VectorLanes) -> Result<(), String> {
        let pipeline = &mut *self.pipeline;
        let mut value = op.scalar.map_or(0, |source| {
            u64::from(pipeline.forwarded(source, op.scalar_forwarding))
        });
        if let (Some(Source::Register(low)), true) = (op.scalar, op.wide_scalar) {
            let half = |register| {
                u64::from(pipeline.forwarded(Source::Register(register), op.scalar_forwarding))
            };
            value = half(low) | half(low + 1) << 32;
        }
        let index = op.index.map_or(0, |index| pipeline.source(index));
        let bits = op.lanes.bits();
        let signed = pipeline.sign(op.lanes.sign());
        let (a, b) = (
            op.a.map(|read| pipeline.vector(read)),
            op.b.map(|read| pipeline.vector(read)),
        );
        let (a, b) = (
            a.as_deref().unwrap_or_default(),
            b.as_deref().unwrap_or_default(),
        );
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
                if op.a.is_some() {
                    lanes::broadcast_lane(bits, a, value as u32, &mut all);
                } else {
                    lanes::broadcast(bits, value, &mut all);
                }
                shuffle(self.issue.arch, &all, &[0; 64], index, d);
            }
            LaneOp::BroadcastLane => lanes::broadcast_lane(bits, a, value as u32, d),
            LaneOp::Insert => lanes::insert(bits, a, index, value, d),
            LaneOp::PushHigh => lanes::push_high(bits, a, value, d),
            LaneOp::PushLow => lanes::push_low(bits, a, value, d),
            LaneOp::Shift => lanes::shift_bytes(a, b, value as u32, d),
            LaneOp::ShiftAlign => {
                let step = lanes::shift_align(a, b, index, value as u32, d);
                step.ok_or("the steps 5 to 7 of vshift.align are not simulated: unconfirmed")?;
            }
            LaneOp::Shuffle => {
                shuffle(self.issue.arch, a, b, value as u32, d);
            }
        }
        if let Some(d) = op.d {
            pipeline.write_vector(d, &result[..usize::from(d.vector.bytes).min(64)]);
        }
        if let Some(low) = op.mask {
            pipeline.write_scalar(low, mask as u32);
            if bits == 8 {
                let high = ScalarWrite {
                    register: low.register + 1,
                    ..low
                };
                pipeline.write_scalar(high, (mask >> 32) as u32);
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn convert_register(
        &mut self,
        d: Write,
        a: Read,
        conversion: TimedConversion,
    ) -> Result<(), String> {
        self.convert_when_read(Target::Register(d), Input::Register(a), conversion)
    }

    pub(super) fn converted(&self, conversion: Conversion, source: &[u8], d: &mut [u8]) {
        let pipeline = &*self.pipeline;
        let saturation = || Saturation::from_register(pipeline.scalar(SATURATION));
        let rounding = || Rounding::from_register(pipeline.scalar(ROUNDING));
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
                    shift: pipeline.source(shift),
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
                let (shift, signed) = (pipeline.source(shift), pipeline.sign(sign));
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
            Conversion::NarrowFloat(format, _) => {
                let rounding = rounding();
                let saturates = pipeline.scalar(FLOAT_SATURATION) & 1 != 0;
                let size = format.bits() as usize / 8;
                for (from, d) in source.chunks_exact(4).zip(d.chunks_exact_mut(size)) {
                    let fp32 = lane(from, 0, 32, false) as u32;
                    let number = match format {
                        FloatFormat::Bf16 if !saturates => narrow(fp32, rounding),
                        _ => format.narrow(fp32, rounding, saturates),
                    };
                    d.copy_from_slice(&number.to_le_bytes()[..size]);
                }
            }
            Conversion::WidenFloat(format) => {
                let bits = format.bits();
                let lanes = source.chunks_exact(bits as usize / 8);
                for (from, d) in lanes.zip(d.chunks_exact_mut(4)) {
                    let number = lane(from, 0, bits, false) as u16;
                    d.copy_from_slice(&format.widen(number).to_le_bytes());
                }
            }
            Conversion::Exp2 | Conversion::Tanh => {
                let function = if conversion == Conversion::Exp2 {
                    exp2
                } else {
                    tanh
                };
                for (from, d) in source.chunks_exact(4).zip(d.chunks_exact_mut(2)) {
                    let fp32 = lane(from, 0, 32, false) as u32;
                    d.copy_from_slice(&function(fp32).to_le_bytes());
                }
            }
            Conversion::FloorFloat(shift) => {
                // 6 bits, signed (unconfirmed: only 0 is measured).
                let shift = (pipeline.source(shift) << 26) as i32 >> 26;
                for (from, d) in source.chunks_exact(2).zip(d.chunks_exact_mut(4)) {
                    let bf16 = lane(from, 0, 16, false) as u16;
                    d.copy_from_slice(&floor_to_int(bf16, shift).to_le_bytes());
                }
            }
        }
    }
}
