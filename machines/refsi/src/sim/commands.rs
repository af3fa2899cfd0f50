//! Command buffers: their reading and execution by the command processor (CMP).

use crate::command::Command;
use crate::register;
use crate::table::opcode;
use crate::unit::Unit;
use crate::{CHUNK_BYTES, Reading, chunks_of};

use super::bus::{Access, AccessFault};
use super::hart::Hart;
use super::kernel::Kernel;
use super::{CMP_UNIT, CommandBuffer, Refsi, RefsiFault, event, log};
use aiec_run_loop::Cycle;

impl Refsi {
    /// The next command, or the next buffer.
    pub(super) fn advance_buffer(&mut self) -> Result<(), RefsiFault> {
        let Some(buffer) = self.buffer else {
            self.buffer = self.queue.pop_front();
            if let Some(buffer) = self.buffer {
                let begins = "[CMP] Starting to execute command buffer at";
                self.log += &format!("{begins} 0x{:x}.\n", buffer.address);
            }
            return Ok(());
        };
        let result = match self.next_command(buffer) {
            Ok(Some(command)) => self.command(buffer, &command),
            Ok(None) => {
                self.end_buffer();
                return Ok(());
            }
            Err(fault) => Err(fault),
        };
        if let Err((name, message, help)) = result {
            let (at, offset) = (buffer.at, buffer.at * CHUNK_BYTES);
            let message = format!(
                "{name}, chunk {at} (offset 0x{offset:x}) of the buffer at 0x{:x}: {message}",
                buffer.address
            );
            if self.reading.is_driver() {
                // the driver drops the buffer without reporting it
                self.remark(format!("the rest of the buffer was dropped: {message}"));
                self.end_buffer();
                return Ok(());
            }
            return Err(RefsiFault { message, help });
        }
        Ok(())
    }

    fn end_buffer(&mut self) {
        self.buffer = None;
        self.buffers_done += 1;
        self.log += "[CMP] Finished executing command buffer in 0.000 s\n";
    }

    /// The command that a buffer has come to; `None` at its end, where the driver ends it.
    fn next_command(&mut self, buffer: CommandBuffer) -> Result<Option<Command>, CommandFault> {
        let chunks = buffer.bytes / CHUNK_BYTES;
        let fault =
            |message: String, help: &str| ("the command".to_owned(), message, help.to_owned());
        if buffer.at >= chunks {
            return match self.reading {
                Reading::Driver => Ok(None),
                Reading::Published => {
                    let help = "end the buffer with FINISH; --compat takes the end of the bytes, as the driver does";
                    Err(fault("the buffer ends without FINISH".to_owned(), help))
                }
            };
        }
        let address = buffer.address + buffer.at * CHUNK_BYTES;
        let outside = |f: AccessFault| fault(f.to_string(), "buffers lie in memory");
        let header = self.bus.read64(Unit::Cmp, address).map_err(outside)?;
        let payload = (header >> 17) & 0x1FFF;
        let count = (1 + payload).min(chunks - buffer.at);
        let mut bytes = vec![0; (count * CHUNK_BYTES) as usize];
        self.bus
            .read(Unit::Cmp, address, &mut bytes)
            .map_err(outside)?;
        let (words, _) = chunks_of(&bytes);
        let command = Command::decode(&words, self.reading);
        command
            .map(Some)
            .map_err(|refusal| fault(refusal.message, &refusal.help))
    }

    fn command(&mut self, buffer: CommandBuffer, command: &Command) -> Result<(), CommandFault> {
        let began = self.now;
        self.commands += 1;
        self.now += command.chunks();
        if let Some(buffer) = &mut self.buffer {
            buffer.at += command.chunks();
        }
        let done = self.execute(buffer.at, command, began);
        let loaded = done.map_err(|(message, help)| (command.name().to_owned(), message, help))?;
        self.log += &log::line(command, loaded);
        self.log.push('\n');
        if self.kernel.is_none() {
            self.record_command(buffer.at, command, began);
        }
        if command.opcode() == opcode::FINISH {
            self.end_buffer();
        }
        Ok(())
    }

    fn record_command(&mut self, at: u64, command: &Command, began: Cycle) {
        if self.recorder.is_on() {
            let text = format!("chunk={at},command={}", words_of(command));
            self.record(began, CMP_UNIT, event::COMMAND, at, text);
        }
    }

    /// Executes a command; the value that a register took or gave.
    fn execute(
        &mut self,
        at: u64,
        command: &Command,
        began: Cycle,
    ) -> Result<u64, (String, String)> {
        let v = command.values;
        let access = |fault: AccessFault| {
            let help = "`aiec isa --target refsi-m1` lists the memory map; windows are set with WINDOW_MODE";
            (fault.to_string(), help.to_owned())
        };
        match command.opcode() {
            opcode::WRITE_REG64 => {
                let id = self.register_id(v[0])?;
                self.bus.set_register(id, v[1], false);
            }
            opcode::LOAD_REG64 => {
                let id = self.register_id(v[0])?;
                self.remark_unsynchronised(v[1], CHUNK_BYTES);
                let value = self.bus.read64(Unit::Cmp, v[1]).map_err(access)?;
                self.bus.set_register(id, value, true);
                return Ok(value);
            }
            opcode::STORE_REG64 => {
                let value = self.bus.register(self.register_id(v[0])?);
                let written = self.bus.write64(Unit::Cmp, v[1], value);
                self.now += written.map_err(access)?;
                return Ok(value);
            }
            opcode::STORE_IMM64 => {
                let written = self.bus.write64(Unit::Cmp, v[0], v[1]);
                self.now += written.map_err(access)?;
            }
            opcode::COPY_MEM64 => self.copy(&v)?,
            opcode::RUN_KERNEL_SLICE | opcode::RUN_INSTANCES => {
                let count = self.harts.len();
                let kernel = Kernel::begin(command, &mut self.bus, count, self.reading);
                let mut kernel = kernel.map_err(|(why, help)| (why, help.to_owned()))?;
                self.check_begins(&kernel)?;
                if kernel.uses_own_stacks() {
                    let text = "STACK_TOP is 0: stacks begin at the top of each hart's own area";
                    self.remark(text.to_owned());
                }
                kernel.began = began;
                self.kernel_at = at;
                self.kernel_line = words_of(command);
                self.harts.iter_mut().for_each(Hart::drop_caches);
                self.kernel = Some(kernel);
                self.begin_round();
            }
            opcode::SYNC_CACHE => self.harts.iter_mut().for_each(Hart::write_back),
            _ => {}
        }
        Ok(0)
    }

    /// Refuses a kernel whose instances are over before their first instruction: its results would be missing without
    /// a word, and as its rounds take no time, no limit of cycles would end it.
    fn check_begins(&self, kernel: &Kernel) -> Result<(), (String, String)> {
        let entry = kernel.entry;
        let by_host = self.host_kernels.iter().any(|(at, _)| *at == entry);
        if by_host || kernel.instances == 0 || entry != kernel.return_address {
            return Ok(());
        }
        let why = match entry {
            0 => "ENTRY_PT_FN and RETURN_ADDR are not set".to_owned(),
            entry => format!("ENTRY_PT_FN and RETURN_ADDR are both 0x{entry:x}"),
        };
        let help = "write the address of the kernel to ENTRY_PT_FN, and to RETURN_ADDR one at which no code is";
        let message = format!("{why}: an instance would end before its first instruction");
        Err((message, help.to_owned()))
    }

    fn register_id(&self, id: u64) -> Result<u32, (String, String)> {
        let undefined = u64::from(register::UNDEFINED);
        let exists = register::info(id).is_some() || self.reading.is_driver() && id == undefined;
        match (exists, u32::try_from(id)) {
            (true, Ok(id)) => Ok(id),
            _ => {
                let help = "registers are 0 to 6 and 8 to 39".to_owned();
                Err((format!("there is no register {id}"), help))
            }
        }
    }

    /// Remarks that the CMP reads what harts may still hold in their caches.
    fn remark_unsynchronised(&mut self, address: u64, bytes: u64) {
        let located = self.bus.locate(Unit::Cmp, Access::Read, address, bytes);
        let Ok((physical, _)) = located else {
            return;
        };
        if let Some(hart) = self.harts.iter().find(|hart| hart.wrote(physical, bytes)) {
            let text = format!(
                "the CMP reads 0x{address:x}, where hart {} wrote without SYNC_CACHE after it: the data may not \
                 be visible",
                hart.id
            );
            self.remark(text);
        }
    }

    fn copy(&mut self, v: &[u64]) -> Result<(), (String, String)> {
        let (elements, source, destination) = (v[0], v[1], v[2]);
        let refuse = |message: String, help: &str| (message, help.to_owned());
        let unit = Unit::of(v[3]);
        let help = "units are any, external, cmp, hart:N and core:N";
        let unit = unit.ok_or_else(|| refuse(format!("0x{:x} isn't a unit", v[3]), help))?;
        if let Unit::Hart(hart) = unit
            && usize::from(hart) >= self.harts.len()
        {
            let message = format!(
                "there is no {unit}: the platform has {} harts",
                self.harts.len()
            );
            return Err(refuse(message, "`--cores N` makes more"));
        }
        if !source.is_multiple_of(CHUNK_BYTES) {
            let message = format!("the source 0x{source:x} isn't a multiple of 8");
            return Err(refuse(message, "align it"));
        }
        let bytes = elements * CHUNK_BYTES;
        let help = "source and destination each lie in one region";
        let access = |fault: AccessFault| refuse(fault.to_string(), help);
        if bytes > 0 {
            self.bus
                .locate(unit, Access::Read, source, bytes)
                .map_err(access)?;
            self.bus
                .locate(Unit::Cmp, Access::Write, destination, bytes)
                .map_err(access)?;
            if matches!(unit, Unit::Cmp) {
                self.remark_unsynchronised(source, bytes);
            }
        }
        for element in 0..elements {
            let offset = element * CHUNK_BYTES;
            let value = self.bus.read64(unit, source + offset).map_err(access)?;
            let written = self.bus.write64(Unit::Cmp, destination + offset, value);
            self.now += written.map_err(access)?;
        }
        self.now += elements;
        Ok(())
    }
}

/// The line of a command, with single blanks.
fn words_of(command: &Command) -> String {
    let line = crate::dis::line(command);
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ")
}

/// The problem with a command: its name, the reason, and advice.
type CommandFault = (String, String, String);
