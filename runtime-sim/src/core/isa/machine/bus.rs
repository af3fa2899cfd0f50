//! Operations of machine code that need the rest of the array: locks, streams, the cascade, events.

use std::ops::Range;

use super::MachineCodeCore;
use crate::core::bus::{CASCADE_WORDS, CoreBus, CoreStop, CoreWait, RegisterAccess, TakenWord};
use crate::core::isa::address::ADDRESS_MASK;
use crate::core::isa::op::{BusOp, Last, Op, Read, StreamWord, Walk};
use crate::core::isa::pipeline::Pipeline;
use crate::core::isa::registers::{SEND_STATUS, Scalar, TAKE_STATUS};

/// The stream that a core has.
const STREAM: u8 = 0;
/// Bits of srSS0 after a word was taken, or was not there (`llvm-aie:
/// clang/lib/Headers/aiev2/aiev2_streams.h`).
const STREAM_LAST: u32 = 1;
const STREAM_SUCCESS: u32 = 2;
/// srMS0 after a word found room; 0 if there was none. `llvm-aie` compares with 0 only: the bit is
/// unconfirmed.
const SENT: u32 = 1;
/// Addresses of the registers of a core's own tile (`llvm-aie`: `read_tm`, `write_tm`; the size of
/// the window: AM020).
const TILE_REGISTERS: Range<u32> = 0x8_0000..0xC_0000;

impl MachineCodeCore {
    /// Does the operations of the bundle at `pc` that need the bus.
    pub(super) fn bus_operations(
        &mut self,
        bus: &mut dyn CoreBus,
        elapsed: u64,
    ) -> Result<(), CoreStop> {
        let bundle = match self.code.bundle(self.pc) {
            Ok(bundle) => *bundle,
            Err(refusal) => return Err(self.refused(refusal)),
        };
        while self.done < bundle.bus {
            let op = self.code.ops(bundle)[usize::from(self.done)];
            if let Op::Bus(op) = op {
                self.bus_operation(op, bus, elapsed)?;
            }
            self.done += 1;
        }
        Ok(())
    }

    /// Does an operation, if it needn't wait.
    fn bus_operation(
        &mut self,
        op: BusOp,
        bus: &mut dyn CoreBus,
        elapsed: u64,
    ) -> Result<(), CoreStop> {
        let pipeline = &mut self.pipeline;
        match op {
            BusOp::Lock {
                condition: Some(condition),
                ..
            } if pipeline.scalar(condition) == 0 => {}
            BusOp::Lock {
                acquire, id, value, ..
            } => {
                let (lock, value) = (pipeline.source(id) as u8, pipeline.scalar(value) as i8);
                if acquire {
                    let operand = value;
                    let wait = CoreWait::Acquire { lock, operand };
                    bus.acquire(elapsed, lock, operand).or_wait(wait)?;
                } else {
                    let change = value;
                    let wait = CoreWait::Release { lock, change };
                    bus.release(elapsed, lock, change).or_wait(wait)?;
                }
            }
            BusOp::StreamGet {
                d,
                latency,
                status_latency,
                waits,
            } => {
                let taken = if waits {
                    bus.stream_take(elapsed, STREAM).map(Some)
                } else {
                    bus.stream_poll(elapsed, STREAM)
                };
                let taken = taken.or_wait(CoreWait::StreamGet { channel: STREAM })?;
                take_word(pipeline, (d, latency), status_latency, taken);
            }
            BusOp::StreamPut {
                word,
                last,
                waits,
                status_latency,
            } => {
                let word = word_to_send(pipeline, word);
                let last = match last {
                    Last::Always => true,
                    Last::Never => false,
                    Last::Register(register) => pipeline.scalar(register) & 1 != 0,
                };
                let wait = CoreWait::StreamPut { channel: STREAM };
                if waits {
                    let done = bus.stream_put(elapsed, STREAM, word, last);
                    done.or_wait(wait)?;
                } else {
                    let sent = bus.stream_offer(elapsed, STREAM, word, last);
                    let status = if sent.or_wait(wait)? { SENT } else { 0 };
                    pipeline.write(SEND_STATUS, status, status_latency);
                }
            }
            BusOp::RegisterGet { d, latency, walk } => {
                let word = self.access_register(bus, elapsed, walk, None)?;
                self.pipeline.write(d, word, latency);
            }
            BusOp::RegisterPut { from, walk } => {
                let word = pipeline.scalar(from);
                self.access_register(bus, elapsed, walk, Some(word))?;
            }
            BusOp::CascadeGet(d) => {
                let words = bus.cascade_get(elapsed).or_wait(CoreWait::CascadeGet)?;
                pipeline.write_vector(d, words.map(u32::to_le_bytes).as_flattened());
            }
            BusOp::CascadePut(source) => {
                let bytes = pipeline.vector(Read::plain(source));
                let mut words = [0; CASCADE_WORDS];
                for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *word = u32::from_le_bytes(*bytes);
                }
                let done = bus.cascade_put(elapsed, &words);
                done.or_wait(CoreWait::CascadePut)?;
            }
            BusOp::Event(event) => bus.event(elapsed, event),
        }
        Ok(())
    }

    /// Accesses a register of the core's own tile; the word that was read or written.
    fn access_register(
        &mut self,
        bus: &mut dyn CoreBus,
        elapsed: u64,
        walk: Walk,
        write: Option<u32>,
    ) -> Result<u32, CoreStop> {
        let offset = register_offset(&self.pipeline, walk);
        let offset = offset.map_err(|reason| self.fault(&reason))?;
        let access = RegisterAccess { offset, write };
        let word = bus.register(elapsed, access);
        let word = word.or_wait(CoreWait::Register { offset })?;
        self.pipeline.walk(walk);
        Ok(word)
    }
}

/// Puts a word that was taken into a register, and how it went into srSS0. Where there was none the
/// register keeps its value (unconfirmed).
fn take_word(
    pipeline: &mut Pipeline,
    (d, latency): (Scalar, u8),
    status_latency: u8,
    taken: Option<TakenWord>,
) {
    let mut status = 0;
    if let Some(TakenWord { word, last }) = taken {
        pipeline.write(d, word, latency);
        status = STREAM_SUCCESS | if last { STREAM_LAST } else { 0 };
    }
    pipeline.write(TAKE_STATUS, status, status_latency);
}

/// The word that a move to the stream sends.
fn word_to_send(pipeline: &Pipeline, word: StreamWord) -> u32 {
    match word {
        StreamWord::Register(register) => pipeline.scalar(register),
        StreamWord::PacketHeader { id, kind } => packet_header(pipeline.scalar(id), kind),
        StreamWord::ControlHeader {
            address,
            words,
            operation,
            id,
        } => control_header(
            pipeline.scalar(address),
            words,
            operation,
            pipeline.scalar(id),
        ),
    }
}

/// The register that an access means. The pointer stays: an access that has to wait is tried again.
fn register_offset(pipeline: &Pipeline, walk: Walk) -> Result<u32, String> {
    let address = pipeline.address(walk);
    if !TILE_REGISTERS.contains(&address) || !address.is_multiple_of(4) {
        return Err(format!(
            "{address:#x} isn't an address of a register of its tile: those are words from {:#x} to \
             {:#x}",
            TILE_REGISTERS.start, TILE_REGISTERS.end
        ));
    }
    Ok(address - TILE_REGISTERS.start)
}

/// A stream packet's header (AM020): the id in bits 4:0, the type in bits 14:12, odd parity in bit
/// 31. What silicon puts into the source's row and column is unconfirmed; they are 0.
fn packet_header(id: u32, kind: u8) -> u32 {
    let header = id & 0x1F | u32::from(kind & 7) << 12;
    with_parity(header)
}

/// A control packet's header (AM020): the address in bits 19:0, the number of words less 1 in bits 21:20,
/// the operation in bits 23:22, the id of the answer in bits 28:24, odd parity in bit 31. That the
/// core puts its operands there is unconfirmed.
fn control_header(address: u32, words: u8, operation: u8, id: u32) -> u32 {
    let (words, operation) = (u32::from(words & 3), u32::from(operation & 3));
    with_parity(address & ADDRESS_MASK | words << 20 | operation << 22 | (id & 0x1F) << 24)
}

/// A header with odd parity in bit 31.
fn with_parity(header: u32) -> u32 {
    header | u32::from(header.count_ones().is_multiple_of(2)) << 31
}
