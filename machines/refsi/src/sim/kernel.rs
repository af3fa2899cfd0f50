//! Kernels: instances of a function in rounds over the harts.

use crate::Reading;
use crate::command::Command;
use crate::memory_map::PER_HART_AREA;
use crate::register::{ENTRY_PT_FN, KARGS_INFO, KUB_DESC, RETURN_ADDR, STACK_TOP, TSD_INFO};
use crate::table::opcode;
use crate::unit::Unit;

use super::bus::Bus;
use super::hart::{Hart, HartState};

/// Number of the registers of the calling convention.
const RA: usize = 1;
const SP: usize = 2;
const A0: usize = 10;

/// A command that runs instances.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The first instance of the next round.
    pub next: u64,
    /// Number of instances.
    pub instances: u64,
    /// Harts in use.
    pub harts: usize,
    /// Where instances begin.
    pub entry: u64,
    /// Where they return to.
    pub return_address: u64,
    /// Arguments after the instance: a1 and so on.
    arguments: Vec<u64>,
    /// Whether each hart has a Kernel Thread Block, which is its fourth argument.
    thread_blocks: bool,
    /// Stack pointer of all harts; `None` for the top of each one's own area.
    stack: Option<u64>,
    /// Caches are flushed after it.
    pub flushes: bool,
    /// When it began.
    pub began: u64,
}

/// Fields of a register: value, lowest bit, width.
fn bits(value: u64, low: u32, width: u32) -> u64 {
    (value >> low) & ((1 << width) - 1)
}

impl Kernel {
    /// Sets up the kernel of a command: its arguments, and the thread blocks of the harts.
    ///
    /// # Errors
    /// What the registers say can't be: why, and what to do.
    pub fn begin(
        command: &Command,
        bus: &mut Bus,
        harts: usize,
        reading: Reading,
    ) -> Result<Kernel, (String, &'static str)> {
        let slice = command.opcode() == opcode::RUN_KERNEL_SLICE;
        let wanted = command.values[0] as usize;
        let harts = match wanted {
            0 => harts,
            wanted => wanted.min(harts),
        };
        let (instances, arguments) = if slice {
            (command.values[1], vec![command.values[2]])
        } else {
            (command.values[2], command.arguments().to_vec())
        };
        let stack = Some(bus.register(STACK_TOP)).filter(|stack| !slice || *stack != 0);
        let mut kernel = Kernel {
            next: 0,
            instances,
            harts,
            entry: bus.register(ENTRY_PT_FN) & u64::from(u32::MAX),
            return_address: bus.register(RETURN_ADDR),
            arguments,
            thread_blocks: false,
            stack,
            flushes: slice,
            began: 0,
        };
        if slice {
            kernel.uniform_block(bus, reading)?;
        }
        Ok(kernel)
    }

    /// The packed arguments, and the thread blocks, out of the Kernel Uniform Block.
    fn uniform_block(
        &mut self,
        bus: &mut Bus,
        reading: Reading,
    ) -> Result<(), (String, &'static str)> {
        let descriptor = bus.register(KUB_DESC);
        let (address, bytes) = (bits(descriptor, 0, 48), bits(descriptor, 48, 16) * 256);
        let part = |value: u64| (bits(value, 16, 24), bits(value, 40, 24));
        let (arguments_at, arguments) = part(bus.register(KARGS_INFO));
        let (data_at, data) = part(bus.register(TSD_INFO));
        let parts = [("KARGS", arguments_at, arguments), ("TSD", data_at, data)];
        for (name, at, size) in parts {
            if bytes > 0 && size > 0 && at + size > bytes {
                let why =
                    format!("{name} of {size} bytes at {at} is not in the KUB of {bytes} bytes");
                return Err((why, "let offset and size lie inside KUB_SIZE"));
            }
        }
        let packed = match (reading, bytes > 0 && arguments > 0) {
            (Reading::Driver, _) => address,
            (_, true) => address + arguments_at,
            (_, false) => 0,
        };
        self.arguments.push(packed);
        if bytes > 0 && reading == Reading::Published {
            let located = bus.locate(Unit::Cmp, super::bus::Access::Read, address, bytes);
            bus.uniform_block = located.ok().map(|(physical, _)| (physical, bytes));
            bus.changes += 1;
        }
        self.thread_blocks = bytes > 0 && data > 0;
        if !self.thread_blocks {
            return Ok(());
        }
        let area = PER_HART_AREA.bytes / self.harts as u64;
        if data > area {
            let why = format!("TSD of {data} bytes is larger than the {area} bytes of each hart");
            return Err((why, "use fewer harts, or smaller thread-specific data"));
        }
        let mut block = vec![0; data as usize];
        let help = "KUB_ADDR and TSD_OFFSET say where it is";
        bus.read(Unit::Cmp, address + data_at, &mut block)
            .map_err(|fault| (fault.to_string(), help))?;
        for hart in 0..self.harts {
            bus.write(Unit::Cmp, self.thread_block(hart), &block)
                .map_err(|fault| (fault.to_string(), help))?;
        }
        Ok(())
    }

    /// Where the thread block of a hart is; its own area begins with it.
    fn thread_block(&self, hart: usize) -> u64 {
        let area = PER_HART_AREA.bytes / self.harts as u64;
        PER_HART_AREA.base + area * hart as u64
    }

    /// Whether stacks are at the top of each hart's own area.
    pub fn uses_own_stacks(&self) -> bool {
        self.stack.is_none()
    }

    /// Gives each hart of the next round its instance; false if there is none left.
    pub fn begin_round(&mut self, harts: &mut [Hart]) -> bool {
        if self.next >= self.instances {
            return false;
        }
        let area = PER_HART_AREA.bytes / self.harts as u64;
        for (index, hart) in harts.iter_mut().enumerate().take(self.harts) {
            let instance = self.next.saturating_add(index as u64);
            if instance >= self.instances {
                break;
            }
            hart.state = HartState::Running(instance);
            hart.pc = self.entry;
            hart.x[RA] = self.return_address;
            let own = self.thread_block(index) + area;
            hart.x[SP] = self.stack.unwrap_or(own);
            hart.x[A0] = instance;
            for (register, value) in hart.x.iter_mut().skip(A0 + 1).zip(&self.arguments) {
                *register = *value;
            }
            if self.flushes {
                let block = if self.thread_blocks {
                    self.thread_block(index)
                } else {
                    0
                };
                hart.x[A0 + 3] = block;
            }
        }
        self.next = self.next.saturating_add(self.harts as u64);
        true
    }
}
