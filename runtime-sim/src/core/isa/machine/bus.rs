//! Operations of machine code that need the rest of the array: locks, streams, the cascade, events.

use super::MachineCodeCore;
use crate::core::bus::{Attempt, CASCADE_WORDS, CoreBus, CoreStop, CoreWait};
use crate::core::isa::op::{BusOp, Forwarding, Last, Op, Read, StreamWord, Write};
use crate::core::isa::registers::WIDEST;
use crate::core::isa::resolve::LOAD_LATENCY;

/// The stream that a core has.
const STREAM: u8 = 0;

impl MachineCodeCore {
    /// Does the operations of the bundle at `pc` that need the bus.
    pub(super) fn bus_operations(
        &mut self,
        bus: &mut dyn CoreBus,
        elapsed: u64,
    ) -> Result<(), CoreStop> {
        let bundle = match self.code.bundle(self.pc) {
            Ok(bundle) => bundle.clone(),
            Err(refusal) => return Err(self.refused(refusal)),
        };
        while self.done < bundle.bus {
            let op = self.code.ops(&bundle)[usize::from(self.done)];
            if let Op::Bus(op) = op
                && let Some(wait) = self.bus_operation(op, bus, elapsed)
            {
                return Err(CoreStop::Waiting(wait));
            }
            self.done += 1;
        }
        Ok(())
    }

    /// Does an operation, or answers what it waits for.
    fn bus_operation(
        &mut self,
        op: BusOp,
        bus: &mut dyn CoreBus,
        elapsed: u64,
    ) -> Option<CoreWait> {
        let pipeline = &mut self.pipeline;
        match op {
            BusOp::Lock { acquire, id, value } => {
                let (lock, value) = (pipeline.source(id) as u8, pipeline.scalar(value) as i8);
                let (done, wait) = match acquire {
                    true => (
                        bus.acquire(elapsed, lock, value),
                        CoreWait::Acquire {
                            lock,
                            operand: value,
                        },
                    ),
                    false => (
                        bus.release(elapsed, lock, value),
                        CoreWait::Release {
                            lock,
                            change: value,
                        },
                    ),
                };
                (done == Attempt::Later).then_some(wait)
            }
            BusOp::StreamGet { d } => match bus.stream_get(elapsed, STREAM) {
                Attempt::Done(word) => {
                    pipeline.write(d, word, LOAD_LATENCY);
                    None
                }
                Attempt::Later => Some(CoreWait::StreamGet { channel: STREAM }),
            },
            BusOp::StreamPut { word, last } => {
                let word = match word {
                    StreamWord::Register(register) => pipeline.scalar(register),
                    StreamWord::PacketHeader { id, kind } => {
                        packet_header(pipeline.scalar(id), kind)
                    }
                };
                let last = match last {
                    Last::Always => true,
                    Last::Never => false,
                    Last::Register(register) => pipeline.scalar(register) & 1 != 0,
                };
                let done = bus.stream_put(elapsed, STREAM, word, last);
                (done == Attempt::Later).then_some(CoreWait::StreamPut { channel: STREAM })
            }
            BusOp::CascadeGet { d } => match bus.cascade_get(elapsed) {
                Attempt::Done(words) => {
                    let write = Write {
                        vector: d,
                        latency: LOAD_LATENCY,
                        forwarding: Forwarding::None,
                    };
                    pipeline.write_vector(write, words.map(u32::to_le_bytes).as_flattened());
                    None
                }
                Attempt::Later => Some(CoreWait::CascadeGet),
            },
            BusOp::CascadePut { source } => {
                let read = Read {
                    vector: source,
                    late: 0,
                    forwarding: Forwarding::None,
                };
                let mut copy = [0; WIDEST];
                let bytes = pipeline.vector(read, &mut copy);
                let mut words = [0; CASCADE_WORDS];
                for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *word = u32::from_le_bytes(*bytes);
                }
                let done = bus.cascade_put(elapsed, &words);
                (done == Attempt::Later).then_some(CoreWait::CascadePut)
            }
            BusOp::Event(event) => {
                bus.event(elapsed, event);
                None
            }
        }
    }
}

/// A stream packet's header (AM020): the id in bits 4:0, the type in bits 14:12, odd parity in bit
/// 31. What silicon puts into the source's row and column is unconfirmed; they are 0.
fn packet_header(id: u32, kind: u8) -> u32 {
    let header = id & 0x1F | u32::from(kind & 7) << 12;
    header | u32::from(header.count_ones().is_multiple_of(2)) << 31
}
