//! Operations of core programs that need the rest of the array: locks, streams, the cascade, events,
//! values to show, and kernels.

use aiec_vcode::{BusOp, BusVisitor, Instruction, MemoryType};

use super::CoreMachine;
use crate::core::bus::{CoreBus, CoreStop, CoreWait};
use crate::core::immediate::memory_type;
use crate::core::kernels::call_kernel;
use crate::core::memory::{pack_lanes, unpack_lanes};

/// An operation that needs the rest of the array, with what it acts on. A method that returns a stop has no effect: the
/// operation is executed again when the core goes on.
struct BusStep<'a, B: ?Sized> {
    machine: &'a mut CoreMachine,
    bus: &'a mut B,
    instruction: Instruction,
    /// Cycles of the run so far.
    cycles: &'a mut u64,
}

impl CoreMachine {
    /// Executes an operation on the bus, if it needn't wait, and counts its cycles.
    pub(super) fn on_bus<B: CoreBus + ?Sized>(
        &mut self,
        op: BusOp,
        instruction: Instruction,
        cycles: &mut u64,
        bus: &mut B,
    ) -> Result<(), CoreStop> {
        let cost = match op {
            // A kernel counts its cycles as they pass.
            BusOp::CallKernel => 0,
            op => self.costs.of(op.opcode()),
        };
        op.visit(&mut BusStep {
            machine: self,
            bus,
            instruction,
            cycles,
        })?;
        *cycles += cost;
        Ok(())
    }
}

impl<B: CoreBus + ?Sized> BusStep<'_, B> {
    /// A register that the instruction names.
    fn get(&self, register: u8) -> u64 {
        self.machine.get(self.machine.frame.base, register)
    }

    fn set(&mut self, register: u8, value: u64) {
        let base = self.machine.frame.base;
        self.machine.set(base, register, value);
    }
}

impl<B: CoreBus + ?Sized> BusVisitor for BusStep<'_, B> {
    type Output = Result<(), CoreStop>;

    fn acq(&mut self) -> Self::Output {
        acquire(self.bus, self.instruction, *self.cycles)
    }

    fn rel(&mut self) -> Self::Output {
        release(self.bus, self.instruction, *self.cycles)
    }

    fn sget(&mut self) -> Self::Output {
        let channel = self.instruction.b;
        let word = self.bus.stream_get(*self.cycles, channel);
        let word = word.or_wait(CoreWait::StreamGet { channel })?;
        self.set(self.instruction.a, word as i32 as i64 as u64);
        Ok(())
    }

    fn sput(&mut self) -> Self::Output {
        let Instruction { a, b, c, .. } = self.instruction;
        let word = self.get(a) as u32;
        let done = self.bus.stream_put(*self.cycles, b, word, c != 0);
        done.or_wait(CoreWait::StreamPut { channel: b })
    }

    fn cget(&mut self) -> Self::Output {
        let Instruction { a, b, c, .. } = self.instruction;
        let words = self.bus.cascade_get(*self.cycles);
        let words = words.or_wait(CoreWait::CascadeGet)?;
        unpack_lanes(memory_type(b), &words, self.machine.vector_mut(a, c));
        Ok(())
    }

    fn cput(&mut self) -> Self::Output {
        let Instruction { a, b, c, .. } = self.instruction;
        let words = pack_lanes(memory_type(b), self.machine.vector_mut(a, c));
        let done = self.bus.cascade_put(*self.cycles, &words);
        done.or_wait(CoreWait::CascadePut)
    }

    fn event(&mut self) -> Self::Output {
        self.bus.event(*self.cycles, self.instruction.a);
        Ok(())
    }

    fn callk(&mut self) -> Self::Output {
        let Instruction { a, b, imm, .. } = self.instruction;
        let machine = &mut *self.machine;
        let first = machine.frame.base + usize::from(a);
        // The decoder has checked both.
        let values = &machine.registers[first..first + usize::from(b)];
        let kernel = &machine.kernels[imm as usize];
        let (waiting, costs) = (&mut machine.unfinished, &machine.costs);
        let result = call_kernel(kernel, values, waiting, costs, self.cycles, self.bus)?;
        self.set(a, result);
        Ok(())
    }

    fn print(&mut self) -> Self::Output {
        let Instruction { a, b, .. } = self.instruction;
        let text = printed(memory_type(b), self.get(a));
        self.bus.print(*self.cycles, self.machine.position(), text);
        Ok(())
    }

    fn vprint(&mut self) -> Self::Output {
        let Instruction { a, b, c, .. } = self.instruction;
        let lanes = self.machine.vector_mut(a, c).iter();
        let lanes: Vec<String> = lanes.map(|lane| printed(memory_type(b), *lane)).collect();
        let text = format!("[{}]", lanes.join(", "));
        self.bus.print(*self.cycles, self.machine.position(), text);
        Ok(())
    }
}

/// Acquires the lock of an instruction after some cycles of the run.
#[inline(always)]
pub(super) fn acquire<B: CoreBus + ?Sized>(
    bus: &mut B,
    instruction: Instruction,
    cycles: u64,
) -> Result<(), CoreStop> {
    let (lock, operand) = (instruction.a, instruction.b as i8);
    let done = bus.acquire(cycles, lock, operand);
    done.or_wait(CoreWait::Acquire { lock, operand })
}

/// Releases the lock of an instruction after some cycles of the run.
#[inline(always)]
pub(super) fn release<B: CoreBus + ?Sized>(
    bus: &mut B,
    instruction: Instruction,
    cycles: u64,
) -> Result<(), CoreStop> {
    let (lock, change) = (instruction.a, instruction.b as i8);
    let done = bus.release(cycles, lock, change);
    done.or_wait(CoreWait::Release { lock, change })
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
