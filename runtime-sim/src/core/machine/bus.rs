//! Operations of core programs that need the rest of the array: locks, streams, the cascade, events,
//! values to show, and kernels.

use aiec_vcode::{Instruction, MemoryType, Opcode};

use super::CoreMachine;
use crate::core::bus::{CoreBus, CoreStop, CoreWait};
use crate::core::immediate::memory_type;
use crate::core::kernels::call_kernel;
use crate::core::memory::{pack_lanes, unpack_lanes};

impl CoreMachine {
    /// Performs an operation on the bus, if it needn't wait.
    pub(super) fn on_bus<B: CoreBus + ?Sized>(
        &mut self,
        instruction: Instruction,
        elapsed: u64,
        bus: &mut B,
    ) -> Result<(), CoreStop> {
        let Instruction { op, a, b, c, .. } = instruction;
        let base = self.frame.base;
        match op {
            Opcode::Acquire => {
                let operand = b as i8;
                bus.acquire(elapsed, a, operand)
                    .or_wait(CoreWait::Acquire { lock: a, operand })?;
            }
            Opcode::Release => {
                let change = b as i8;
                bus.release(elapsed, a, change)
                    .or_wait(CoreWait::Release { lock: a, change })?;
            }
            Opcode::StreamGet => {
                let wait = CoreWait::StreamGet { channel: b };
                let word = bus.stream_get(elapsed, b).or_wait(wait)?;
                self.set(base, a, word as i32 as i64 as u64);
            }
            Opcode::StreamPut => {
                let word = self.get(base, a) as u32;
                bus.stream_put(elapsed, b, word, c != 0)
                    .or_wait(CoreWait::StreamPut { channel: b })?;
            }
            Opcode::CascadeGet => {
                let words = bus.cascade_get(elapsed).or_wait(CoreWait::CascadeGet)?;
                unpack_lanes(memory_type(b), &words, self.vector_mut(a, c));
            }
            Opcode::CascadePut => {
                let words = pack_lanes(memory_type(b), self.vector_mut(a, c));
                bus.cascade_put(elapsed, &words)
                    .or_wait(CoreWait::CascadePut)?;
            }
            Opcode::Event => bus.event(elapsed, a),
            Opcode::Print => {
                let text = printed(memory_type(b), self.get(base, a));
                bus.print(elapsed, self.frame.pc as u32, text);
            }
            Opcode::VPrint => {
                let lanes = self.vector_mut(a, c).iter();
                let lanes: Vec<String> = lanes.map(|lane| printed(memory_type(b), *lane)).collect();
                let text = format!("[{}]", lanes.join(", "));
                bus.print(elapsed, self.frame.pc as u32, text);
            }
            // The inner loop does the others itself.
            _ => {}
        }
        Ok(())
    }

    /// Calls a kernel, or goes on with the call where the core waited inside it; counts its
    /// cycles as they pass.
    pub(super) fn call_kernel<B: CoreBus + ?Sized>(
        &mut self,
        instruction: Instruction,
        cycles: &mut u64,
        bus: &mut B,
    ) -> Result<(), CoreStop> {
        let Instruction { a, b, imm, .. } = instruction;
        let base = self.frame.base;
        let first = base + usize::from(a);
        // The decoder has checked both.
        let values = &self.registers[first..first + usize::from(b)];
        let kernel = &self.kernels[imm as usize];
        let waiting = &mut self.unfinished;
        let result = call_kernel(kernel, values, waiting, &self.costs, cycles, bus)?;
        self.set(base, a, result);
        Ok(())
    }
}

/// A value in a register or a lane as people read it.
fn printed(kind: MemoryType, value: u64) -> String {
    match kind {
        MemoryType::I1 => (value & 1).to_string(),
        MemoryType::I8 | MemoryType::I16 | MemoryType::I32 | MemoryType::I64 => {
            (value as i64).to_string()
        }
        MemoryType::Bf16 | MemoryType::F16 | MemoryType::F32 => {
            format!("{:?}", f32::from_bits(value as u32))
        }
        MemoryType::F64 => format!("{:?}", f64::from_bits(value)),
    }
}
