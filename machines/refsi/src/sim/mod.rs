//! The RefSi M1 platform: a command processor that executes command buffers, harts of RV64IMAFDC, a DMA
//! controller, memory windows, performance counters.
//!
//! Simplified: an instruction of a hart takes a cycle, a command of the CMP one for each of its chunks; harts
//! take turns of [`TURN`] cycles; DMA transfers are complete when they are started; caches hold nothing,
//! but reading what harts wrote before SYNC_CACHE is remarked.

mod bus;
mod commands;
mod hart;
mod host_kernel;
mod kernel;
mod log;
mod memory;
mod rv64;

use std::collections::VecDeque;

use crate::Reading;
use crate::memory_map::{DRAM, HARTS_PER_CORE};
use crate::unit::Unit;
use serde_json::{Map, json};

use aiec_run_loop::Cycle;
use aiec_run_loop::{
    self as run_loop, Drive, EndStatus, Halt, Limits, MachineBreak, MachineOutcome, Recorder,
    RunEnd, UnitId, UnitRecord, UnitRecording,
};
use bus::{Access, AccessFault, Bus};
use hart::{Hart, HartState, HartStop};
pub use host_kernel::{HostAccess, HostKernel};
use kernel::Kernel;
use memory::Memory;

/// Cycles that a hart runs before it is the turn of the next.
pub const TURN: u64 = 1024;
/// Most cores of a platform.
pub const MAX_CORES: u32 = 64;
/// Longest text that a kernel prints, in bytes.
const LONGEST_PRINT: u64 = 4096;
/// Most bytes of all that kernels print.
const MAX_PRINTED: usize = 1 << 20;
/// Most remarks about a run.
const MAX_REMARKS: usize = 20;
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

/// Options of the platform and of its reading of buffers.
#[derive(Debug)]
pub struct RefsiOptions {
    /// Which reading of the platform holds.
    pub reading: Reading,
    /// Cores, 1 to [`MAX_CORES`].
    pub cores: u32,
    /// The records to keep.
    pub recording: Option<UnitRecording>,
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

/// The cause of a failed run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefsiFault {
    /// The problem, with command and offset.
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
        if let Some(recording) = options.recording {
            recorder.keep(recording);
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
        match run_loop::run(self, limits, progress) {
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

    /// The outcome of a run that ended with `status`.
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

    /// The waits of harts.
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
        if self.remarks.len() < MAX_REMARKS && !self.remarks.contains(&text) {
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
        let text = format!("chunk={at},command={line}");
        self.record(began, CMP_UNIT, event::COMMAND, at, text);
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
        let arguments = std::array::from_fn(|number| hart.x[10 + number]);
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
                if self.printed.len() < MAX_PRINTED {
                    self.printed += &text;
                }
            }
            HartStop::Barrier(argument) => hart.state = HartState::Barrier(instance, argument),
            HartStop::Break => {
                let text = format!("pc=0x{pc:x},instance={instance}");
                self.record(self.now, unit, event::PC, pc, text);
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

    /// Releases the barrier at which all running harts wait; reports if they wait forever.
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
        self.recorder.hit()
    }

    fn advance(&mut self, to: Cycle) {
        self.now = self.now.max(to);
    }
}
