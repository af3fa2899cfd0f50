//! The RefSi M1 platform: a command processor that executes command buffers, harts of RV64IMC, a DMA
//! controller, memory windows, performance counters.
//!
//! Simplified: an instruction of a hart takes a cycle, a command of the CMP one for each of its chunks; harts
//! take turns of [`TURN`] cycles; DMA transfers are complete when they are started; caches hold nothing,
//! but reading what harts wrote before SYNC_CACHE is remarked.

mod bus;
mod dma;
mod hart;
mod host_kernel;
mod kernel;
mod log;
mod memory;
mod rv64;

use std::collections::VecDeque;

use aiec_refsi::command::Command;
use aiec_refsi::memory_map::{DRAM, HARTS_PER_CORE};
use aiec_refsi::register;
use aiec_refsi::table::opcode;
use aiec_refsi::unit::Unit;
use aiec_refsi::{CHUNK_BYTES, Reading, chunks_of};
use serde_json::{Map, json};

use crate::drive::{
    self, Drive, EndStatus, Halt, Limits, MachineBreak, MachineOutcome, Recorder, RunEnd, UnitId,
    UnitRecord,
};
use crate::time::Cycle;
use bus::{Access, AccessFault, Bus};
use hart::{Hart, HartState, HartStop};
pub use host_kernel::{HostAccess, HostKernel, HostKernelError};
use kernel::Kernel;
use memory::Memory;

/// Cycles that a hart runs before it is the turn of the next.
pub const TURN: u64 = 1024;
/// Most cores of a platform.
pub const MAX_CORES: u32 = 64;
/// Longest text that a kernel prints, in bytes.
const LONGEST_PRINT: u64 = 4096;
/// Most bytes of all that kernels print.
const MOST_PRINTED: usize = 1 << 20;
/// Most remarks about a run.
const MOST_REMARKS: usize = 20;
/// The CMP among the units of a trace; harts follow.
const CMP_UNIT: UnitId = UnitId(0);

/// Kinds of events that traces have and breakpoints find.
pub mod event {
    /// A command of the CMP; its number is the chunk in its buffer.
    pub const COMMAND: &str = "COMMAND";
    /// An instance on a hart; its number is that of the instance.
    pub const INSTANCE: &str = "INSTANCE";
    /// A hart comes to an instruction at which the run may stop; its number is the program counter.
    pub const PC: &str = "PC";
}

/// How the platform is made and read.
#[derive(Clone, Debug)]
pub struct RefsiOptions {
    /// Which reading of the platform holds.
    pub reading: Reading,
    /// Cores, 1 to [`MAX_CORES`].
    pub cores: u32,
    /// What is recorded: from which cycle on, and how many events.
    pub recording: Option<(Cycle, usize)>,
    /// Where to stop.
    pub breakpoints: Vec<MachineBreak>,
    /// Functions of the host in place of code: address and function.
    pub host_kernels: Vec<(u64, HostKernel)>,
}

impl Default for RefsiOptions {
    fn default() -> Self {
        RefsiOptions {
            reading: Reading::default(),
            cores: 1,
            recording: None,
            breakpoints: Vec::new(),
            host_kernels: Vec::new(),
        }
    }
}

/// A buffer that is executed or waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CommandBuffer {
    address: u64,
    bytes: u64,
    /// The next chunk.
    at: u64,
}

/// What ends a run that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefsiFault {
    /// What, with command and offset.
    pub message: String,
    /// The way out.
    pub help: String,
}

/// The platform.
#[derive(Debug)]
pub struct Refsi {
    bus: Bus,
    harts: Vec<Hart>,
    queue: VecDeque<CommandBuffer>,
    buffer: Option<CommandBuffer>,
    kernel: Option<Kernel>,
    /// The command that runs the kernel: its chunk, for messages.
    kernel_at: u64,
    /// Its line.
    kernel_line: String,
    now: Cycle,
    stuck: bool,
    reading: Reading,
    recorder: Recorder,
    breaks: Vec<u64>,
    host_kernels: Vec<(u64, HostKernel)>,
    printed: String,
    log: String,
    remarks: Vec<String>,
    commands: u64,
    instances: u64,
    buffers_done: u64,
}

impl Refsi {
    /// A platform after reset.
    pub fn new(options: RefsiOptions) -> Refsi {
        let cores = options.cores.clamp(1, MAX_CORES);
        let harts = (cores * HARTS_PER_CORE) as usize;
        let mut units = vec![(String::new(), "cmp".to_owned())];
        units.extend((0..harts as u32).map(|hart| {
            let core = hart / HARTS_PER_CORE;
            (format!("core {core}"), format!("hart {hart}"))
        }));
        let mut recorder = Recorder::new(units);
        if let Some((from, limit)) = options.recording {
            recorder.keep(from, limit);
        }
        let breaks = options.breakpoints.iter();
        let breaks = breaks
            .filter(|point| point.event == event::PC)
            .filter_map(|point| point.key);
        let breaks = breaks.collect();
        recorder.stop_at(options.breakpoints);
        Refsi {
            bus: Bus::new(harts, options.reading),
            harts: (0..harts).map(|id| Hart::new(id as u16)).collect(),
            queue: VecDeque::new(),
            buffer: None,
            kernel: None,
            kernel_at: 0,
            kernel_line: String::new(),
            now: 0,
            stuck: false,
            reading: options.reading,
            recorder,
            breaks,
            host_kernels: options.host_kernels,
            printed: String::new(),
            log: String::new(),
            remarks: Vec::new(),
            commands: 0,
            instances: 0,
            buffers_done: 0,
        }
    }

    /// Writes memory, as the host does before a run.
    ///
    /// # Errors
    /// Not all of the bytes are memory.
    pub fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), AccessFault> {
        self.bus.write(Unit::External, address, bytes).map(|_| ())
    }

    /// Reads memory, as the host does after a run.
    ///
    /// # Errors
    /// Not all of the bytes are memory.
    pub fn read_memory(&mut self, address: u64, bytes: usize) -> Result<Vec<u8>, AccessFault> {
        if !Memory::has(address, bytes as u64) {
            // before anything is allocated
            self.bus
                .locate(Unit::External, Access::Read, address, bytes as u64)?;
        }
        let mut out = vec![0; bytes];
        self.bus.read(Unit::External, address, &mut out)?;
        Ok(out)
    }

    /// A register of the CMP.
    pub fn register(&self, id: u32) -> u64 {
        self.bus.register(id)
    }

    /// Queues a command buffer that lies in memory.
    pub fn enqueue(&mut self, address: u64, bytes: u64) {
        self.queue.push_back(CommandBuffer {
            address,
            bytes,
            at: 0,
        });
    }

    /// Writes a command buffer below an address of DRAM, and queues it; where it begins.
    ///
    /// # Errors
    /// It doesn't fit.
    pub fn enqueue_below(&mut self, top: u64, buffer: &[u8]) -> Result<u64, AccessFault> {
        let address = top.saturating_sub(buffer.len() as u64);
        self.write_memory(address, buffer)?;
        self.enqueue(address, buffer.len() as u64);
        Ok(address)
    }

    /// The end of DRAM, below which the driver places command buffers.
    pub const DRAM_END: u64 = DRAM.base + DRAM.bytes;

    /// Runs all buffers that are queued.
    pub fn run(&mut self, limits: Limits, progress: &mut dyn FnMut(Cycle)) -> EndStatus {
        match drive::run(self, limits, progress) {
            RunEnd::Completed => EndStatus::Completed,
            RunEnd::Limit | RunEnd::Interrupted => EndStatus::Limit,
            RunEnd::Deadlock => EndStatus::Deadlock(self.waits()),
            RunEnd::Until(cycle) => EndStatus::Stopped(None, format!("after cycle {cycle}")),
            RunEnd::Breakpoint(which, record) => {
                let unit = self.recorder.unit_name(record.unit);
                let what = format!(
                    "cycle {}: {unit} {} {}",
                    record.at, record.event, record.text
                );
                EndStatus::Stopped(Some(which), what)
            }
            RunEnd::Fault(fault) => EndStatus::Fault {
                message: fault.message,
                help: fault.help,
            },
        }
    }

    /// What a run gave, with how it ended.
    pub fn outcome(&mut self, status: EndStatus) -> MachineOutcome {
        let harts = self.harts.iter().zip(&self.bus.counters).map(|(hart, counters)| {
            json!({ "hart": hart.id, "cycles": hart.cycles, "counters": counters })
        });
        let harts: Vec<_> = harts.collect();
        let mut parts = Map::new();
        parts.insert("buffers".into(), json!(self.buffers_done));
        parts.insert("commands".into(), json!(self.commands));
        parts.insert("instances".into(), json!(self.instances));
        parts.insert("instructions".into(), json!(self.instructions()));
        parts.insert("harts".into(), json!(harts));
        MachineOutcome {
            machine: "refsi-m1",
            status,
            cycles: self.now,
            remarks: std::mem::take(&mut self.remarks),
            printed: std::mem::take(&mut self.printed),
            parts,
            trace: std::mem::take(&mut self.recorder).into_trace(),
        }
    }

    /// Instructions that all harts have executed.
    pub fn instructions(&self) -> u64 {
        self.bus.counters.iter().map(|counters| counters[2]).sum()
    }

    /// The lines about commands so far, as the reference driver prints them.
    pub fn command_log(&self) -> &str {
        &self.log
    }

    /// Who waits for what.
    fn waits(&self) -> Vec<String> {
        let wait = |hart: &Hart| match hart.state {
            HartState::Barrier(instance, argument) => Some(format!(
                "instance {instance} on hart {} waits at barrier {argument}, at 0x{:x}",
                hart.id, hart.pc
            )),
            _ => None,
        };
        self.harts.iter().filter_map(wait).collect()
    }

    fn remark(&mut self, text: String) {
        if self.remarks.len() < MOST_REMARKS && !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }

    fn record(&mut self, at: Cycle, unit: UnitId, event: &'static str, key: u64, text: String) {
        if self.recorder.is_on() {
            self.recorder.add(UnitRecord {
                at,
                until: self.now,
                unit,
                event,
                key,
                text,
            });
        }
    }

    /// The next command, or the next buffer.
    fn advance_buffer(&mut self) -> Result<(), RefsiFault> {
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
                // the driver drops the buffer and tells nobody
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
                self.now += self
                    .bus
                    .write(Unit::Cmp, v[1], &value.to_le_bytes())
                    .map_err(access)?;
                return Ok(value);
            }
            opcode::STORE_IMM64 => {
                self.now += self
                    .bus
                    .write(Unit::Cmp, v[0], &v[1].to_le_bytes())
                    .map_err(access)?;
            }
            opcode::COPY_MEM64 => self.copy(&v)?,
            opcode::RUN_KERNEL_SLICE | opcode::RUN_INSTANCES => {
                let count = self.harts.len();
                let kernel = Kernel::begin(command, &mut self.bus, count, self.reading);
                let mut kernel = kernel.map_err(|(why, help)| (why, help.to_owned()))?;
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
                "the CMP reads 0x{address:x}, where hart {} wrote without SYNC_CACHE behind it: the data may not \
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
        let unit = unit.ok_or_else(|| refuse(format!("0x{:x} is no unit", v[3]), help))?;
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
            let message = format!("the source 0x{source:x} is no multiple of 8");
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
            let written = self
                .bus
                .write(Unit::Cmp, destination + offset, &value.to_le_bytes());
            self.now += written.map_err(access)?;
        }
        self.now += elements;
        Ok(())
    }

    /// Gives harts their instances; ends the kernel if there are none left.
    fn begin_round(&mut self) {
        let now = self.now;
        let Some(kernel) = &mut self.kernel else {
            return;
        };
        if kernel.begin_round(&mut self.harts) {
            self.harts
                .iter_mut()
                .for_each(|hart| (hart.cycles, hart.began) = (now, now));
            return;
        }
        let (began, flushes, at) = (kernel.began, kernel.flushes, self.kernel_at);
        let line = std::mem::take(&mut self.kernel_line);
        self.kernel = None;
        if self.bus.uniform_block.take().is_some() {
            self.bus.changes += 1;
        }
        if flushes {
            self.harts.iter_mut().for_each(Hart::write_back);
        }
        self.record(
            began,
            CMP_UNIT,
            event::COMMAND,
            at,
            format!("chunk={at},command={line}"),
        );
    }

    /// Lets every hart run for a turn.
    fn turn(&mut self, last: Cycle) -> Result<(), RefsiFault> {
        let until = self.now + TURN.min(last.saturating_sub(self.now) + 1);
        let Some(return_address) = self.kernel.as_ref().map(|kernel| kernel.return_address) else {
            return Ok(());
        };
        for index in 0..self.harts.len() {
            while let Some(HartState::Running(instance)) =
                self.harts.get(index).map(|hart| hart.state)
            {
                if let Some(stop) = self.host_kernel(index) {
                    self.stopped(index, instance, stop)?;
                    continue;
                }
                let Some(hart) = self.harts.get_mut(index) else {
                    break;
                };
                let stop = hart.run(&mut self.bus, until, return_address, &self.breaks);
                if stop == HartStop::Time {
                    break;
                }
                self.stopped(index, instance, stop)?;
                if self.recorder.is_hit() {
                    return Ok(());
                }
            }
        }
        self.release_barrier();
        let running = self
            .harts
            .iter()
            .filter(|hart| hart.state != HartState::Idle);
        match running.map(|hart| hart.cycles).min() {
            Some(_) => self.now = until,
            None => {
                let clocks = self.harts.iter().map(|hart| hart.cycles);
                self.now = clocks.max().unwrap_or(self.now).max(self.now);
                self.begin_round();
            }
        }
        Ok(())
    }

    /// Runs the function of the host that is at a hart's program counter, if there is one.
    fn host_kernel(&mut self, index: usize) -> Option<HartStop> {
        let hart = self.harts.get_mut(index)?;
        let pc = hart.pc;
        let (_, function) = self
            .host_kernels
            .iter()
            .find(|(address, _)| *address == pc)?;
        let mut arguments = [0; 8];
        arguments
            .iter_mut()
            .zip(hart.x.iter().skip(10))
            .for_each(|(to, from)| *to = *from);
        let mut access = HostAccess::new(&mut self.bus, hart.unit());
        function.call(&arguments, &mut access);
        let fault = access.fault();
        hart.pc = hart.x[1];
        hart.cycles += 1;
        Some(match fault {
            Some(fault) => HartStop::Trap(
                fault.to_string(),
                "the host function reads and writes simulated memory",
            ),
            None => HartStop::Returned,
        })
    }

    /// A hart stopped before its turn was over.
    fn stopped(&mut self, index: usize, instance: u64, stop: HartStop) -> Result<(), RefsiFault> {
        let Some(hart) = self.harts.get_mut(index) else {
            return Ok(());
        };
        let (id, pc, cycles, began) = (hart.id, hart.pc, hart.cycles, hart.began);
        let unit = UnitId(1 + u32::from(id));
        let fault = |message: String, help: &str| RefsiFault {
            message: format!("hart {id}, instance {instance}: {message}"),
            help: help.to_owned(),
        };
        match stop {
            HartStop::Time => {}
            HartStop::Returned | HartStop::Exit(0) => {
                hart.state = HartState::Idle;
                self.instances += 1;
                if self.recorder.is_on() {
                    self.recorder.add(UnitRecord {
                        at: began,
                        until: cycles,
                        unit,
                        event: event::INSTANCE,
                        key: instance,
                        text: format!("instance={instance}"),
                    });
                }
            }
            HartStop::Exit(status) => {
                let help = "a status other than 0 is a failure of the kernel";
                return Err(fault(format!("it exited with status {status}"), help));
            }
            HartStop::Print(address) => {
                let text = self.text_at(Unit::Hart(id), address);
                let text =
                    text.map_err(|f| fault(f.to_string(), "a text ends with a zero byte"))?;
                if self.printed.len() < MOST_PRINTED {
                    self.printed += &text;
                }
            }
            HartStop::Barrier(argument) => hart.state = HartState::Barrier(instance, argument),
            HartStop::Break => {
                let now = self.now;
                self.record(
                    now,
                    unit,
                    event::PC,
                    pc,
                    format!("pc=0x{pc:x},instance={instance}"),
                );
            }
            HartStop::Trap(message, help) => {
                return Err(fault(format!("{message} (pc 0x{pc:x})"), help));
            }
        }
        Ok(())
    }

    /// The text at an address, up to its zero byte.
    fn text_at(&mut self, unit: Unit, address: u64) -> Result<String, AccessFault> {
        let mut text = Vec::new();
        for offset in 0..LONGEST_PRINT {
            let mut byte = [0];
            self.bus
                .read(unit, address.wrapping_add(offset), &mut byte)?;
            if byte[0] == 0 {
                break;
            }
            text.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Releases the barrier at which all harts wait that run; finds out that they wait for ever.
    fn release_barrier(&mut self) {
        let mut waiting: Option<u64> = None;
        let mut same = true;
        for hart in &self.harts {
            match hart.state {
                HartState::Idle => {}
                HartState::Running(_) => return,
                HartState::Barrier(_, argument) => {
                    same &= waiting.is_none_or(|other| other == argument);
                    waiting = Some(argument);
                }
            }
        }
        if waiting.is_none() {
            return;
        }
        if !same {
            self.stuck = true;
            return;
        }
        let clock = self.harts.iter().map(|hart| hart.cycles).max().unwrap_or(0);
        for hart in &mut self.harts {
            if let HartState::Barrier(instance, _) = hart.state {
                hart.state = HartState::Running(instance);
                hart.cycles = clock;
            }
        }
    }
}

/// The line of a command, with single blanks.
fn words_of(command: &Command) -> String {
    let line = aiec_refsi::dis::line(command);
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ")
}

/// What is wrong with a command: its name, why, and what to do.
type CommandFault = (String, String, String);

impl Drive for Refsi {
    type Fault = RefsiFault;
    type Hit = UnitRecord;

    fn now(&self) -> Cycle {
        self.now
    }

    fn next(&mut self) -> Option<Cycle> {
        (!self.stuck).then_some(self.now)
    }

    fn step(&mut self, last: Cycle) -> Result<(), Halt<RefsiFault>> {
        let done = match self.kernel {
            Some(_) => self.turn(last),
            None => self.advance_buffer(),
        };
        done.map_err(Halt::Fault)
    }

    fn is_done(&self) -> bool {
        self.queue.is_empty() && self.buffer.is_none() && self.kernel.is_none()
    }

    fn hit(&self) -> Option<(usize, UnitRecord)> {
        match self.recorder.is_hit() {
            true => self.recorder.hit(),
            false => None,
        }
    }

    fn advance(&mut self, to: Cycle) {
        self.now = self.now.max(to);
    }
}
