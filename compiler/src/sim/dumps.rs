//! `--dump`: what is in memories, locks and registers when the run ends.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_cert::debug::{DebugInfo, ResourceKind};
use aiec_cert::isa::Reg;
use aiec_device::{LockId, TileLoc};
use aiec_diag::Reported;
use aiec_sim::array::{ActorId, Array, WaitReason};
use aiec_sim::cert::{JobState, Machine, Vm};
use aiec_sim::diagnosis::job_wait_reason;
use aiec_sim::report::state_name;
use aiec_sim::{LiveRun, SimResult};

use super::places::{PlaceLookup, Wrong, small, split_optional, wrong};
use crate::session::Session;

/// Syntax of places, for help texts.
const FORMS: &str = "write mem:(C,R):ADDRESS+BYTES, buffer:NAME[+BYTES], lock:(C,R)[:ID], lock:NAME, \
                     reg:(C,R):OFFSET[+BYTES], dma:(C,R), core:(C,R), uc:N or arg:N[:OFFSET+BYTES]";
/// Bytes that are shown by default.
const DEFAULT_BYTES: u32 = 64;
/// Words on a line.
const LINE_WORDS: usize = 4;

/// Something to show.
#[derive(Clone, Debug)]
pub enum Dump {
    /// Bytes of a data memory.
    Memory(TileLoc, u32, u32),
    /// A lock.
    Lock(LockId),
    /// All locks of a tile that were changed.
    Locks(TileLoc),
    /// Words of registers.
    Register(TileLoc, u32, u32),
    /// The channels of a tile.
    Dma(TileLoc),
    /// A core.
    Core(TileLoc),
    /// A controller of the control code.
    Controller(u32),
    /// Bytes of an argument of the runtime sequence.
    Argument(u32, u64, Option<u64>),
}

/// Reads the texts of `--dump`; each with its text.
pub fn read(
    texts: &[String],
    places: &PlaceLookup<'_>,
    session: &mut Session,
) -> Result<Vec<(String, Dump)>, Reported> {
    let mut dumps = Vec::new();
    for text in texts {
        match parse(text, places) {
            Ok(dump) => dumps.push((text.clone(), dump)),
            Err(error) => session.push(wrong("--dump", text, error)),
        }
    }
    session.diags.check()?;
    Ok(dumps)
}

fn parse(text: &str, places: &PlaceLookup<'_>) -> Result<Dump, Wrong> {
    let forms = || {
        (
            "it is nothing that can be shown".to_string(),
            FORMS.to_string(),
        )
    };
    let (sort, rest) = text.split_once(':').ok_or_else(forms)?;
    match sort {
        "mem" | "buffer" => {
            let (tile, address, bytes) = places.memory(rest, DEFAULT_BYTES)?;
            Ok(Dump::Memory(tile, address, bytes))
        }
        "lock" => match places.tile(rest) {
            Some(Ok((tile, ""))) => Ok(Dump::Locks(tile)),
            _ => places.lock(rest).map(Dump::Lock),
        },
        "reg" => {
            let (tile, offset, rest) = places.register(rest)?;
            let bytes = match rest.strip_prefix('+') {
                Some(bytes) => small(bytes).ok_or_else(forms)?,
                None if rest.is_empty() => 4,
                None => return Err(forms()),
            };
            Ok(Dump::Register(tile, offset, bytes))
        }
        "dma" => match places.tile(rest) {
            Some(tile) => tile.map(|(tile, _)| Dump::Dma(tile)),
            None => places.channel(rest).map(|channel| Dump::Dma(channel.tile)),
        },
        "core" => places.core(rest).map(Dump::Core),
        "uc" => controller(rest, places).map(Dump::Controller),
        "arg" => {
            let (index, range) = split_optional(rest, ':');
            let index = small(index).ok_or_else(forms)?;
            let Some(range) = range else {
                return Ok(Dump::Argument(index, 0, None));
            };
            let (offset, bytes) = range.split_once('+').ok_or_else(forms)?;
            let offset = small(offset).ok_or_else(forms)?;
            let bytes = small(bytes).ok_or_else(forms)?;
            Ok(Dump::Argument(index, offset, Some(bytes)))
        }
        _ => Err(forms()),
    }
}

/// A controller that runs control code.
fn controller(text: &str, places: &PlaceLookup<'_>) -> Result<u32, Wrong> {
    let Some(code) = places.code else {
        let message = "no controller takes part in this run".to_owned();
        return Err((
            message,
            "the firmware of an NPU executes it: look at the array instead".to_owned(),
        ));
    };
    let all = || code.ucs.iter().map(|controller| controller.uc);
    small(text)
        .filter(|uc| all().any(|other| other == *uc))
        .ok_or_else(|| {
            let all: Vec<String> = all().map(|uc| uc.to_string()).collect();
            let message = format!("there is no controller '{text}' in this control code");
            (message, format!("its controllers are {}", all.join(", ")))
        })
}

/// Refuses dumps of arguments that the run doesn't have, and of bytes past their ends.
pub fn check_arguments(
    dumps: &[(String, Dump)],
    buffers: &BTreeMap<u32, Vec<u8>>,
    session: &mut Session,
) -> Result<(), Reported> {
    for (text, dump) in dumps {
        let &Dump::Argument(index, offset, bytes) = dump else {
            continue;
        };
        let Some(buffer) = buffers.get(&index) else {
            let message = format!("the run has no argument {index}");
            let all: Vec<String> = buffers.keys().map(u32::to_string).collect();
            let help = format!("its arguments are {}", all.join(", "));
            session.push(wrong("--dump", text, (message, help)));
            continue;
        };
        let (end, size) = (offset.saturating_add(bytes.unwrap_or(0)), buffer.len());
        if end > size as u64 {
            let message = format!("argument {index} ends at byte {size}");
            let help = "name bytes in front of its end".to_owned();
            session.push(wrong("--dump", text, (message, help)));
        }
    }
    session.diags.check()
}

/// A run of which something is shown: one that is over, or one that a debugger has stopped.
pub trait DumpedRun {
    /// The array as it is now.
    fn array(&self) -> &Array;

    /// Names, if the file has them.
    fn debug(&self) -> Option<&DebugInfo>;

    /// The controllers as they are now.
    fn machine(&self) -> &Machine;

    /// The contents of an argument.
    fn output(&self, index: u32) -> Option<&[u8]>;

    /// A register of a tile, if there is one that can be read.
    fn register(&mut self, tile: TileLoc, offset: u32) -> Option<u32>;
}

impl DumpedRun for SimResult {
    fn array(&self) -> &Array {
        &self.array
    }

    fn debug(&self) -> Option<&DebugInfo> {
        self.debug.as_ref()
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn output(&self, index: u32) -> Option<&[u8]> {
        SimResult::output(self, index)
    }

    fn register(&mut self, tile: TileLoc, offset: u32) -> Option<u32> {
        let base = self.array.device().tile_address(tile, 0);
        let now = self.array.now();
        self.array.bus_read(now, base | offset).ok()
    }
}

impl DumpedRun for LiveRun {
    fn array(&self) -> &Array {
        LiveRun::array(self)
    }

    fn debug(&self) -> Option<&DebugInfo> {
        LiveRun::debug(self)
    }

    fn machine(&self) -> &Machine {
        LiveRun::machine(self)
    }

    fn output(&self, index: u32) -> Option<&[u8]> {
        self.argument(index)
    }

    fn register(&mut self, tile: TileLoc, offset: u32) -> Option<u32> {
        LiveRun::register(self, tile, offset)
    }
}

/// The text of a dump.
pub fn show(title: &str, dump: &Dump, result: &mut dyn DumpedRun) -> String {
    let mut out = format!("{title}, cycle {}\n", result.array().now());
    match *dump {
        Dump::Memory(tile, address, bytes) => {
            let memory = result.array().data_memory(tile);
            let start = address as usize;
            let bytes = memory.and_then(|m| m.bytes().get(start..start + bytes as usize));
            words(&mut out, u64::from(address), bytes.unwrap_or_default());
        }
        Dump::Lock(lock) => self::lock(&mut out, result, lock),
        Dump::Locks(tile) => {
            for lock in (0..=u8::MAX).map(|index| LockId::new(tile, index)) {
                let value = result.array().lock_value(lock);
                if result.array().lock_change(lock).is_some() || value.is_some_and(|n| n != 0) {
                    self::lock(&mut out, result, lock);
                }
            }
        }
        Dump::Register(tile, offset, bytes) => {
            for at in (offset..offset.saturating_add(bytes)).step_by(4) {
                let _ = match result.register(tile, at) {
                    Some(value) => writeln!(out, "  0x{at:05X}  0x{value:08X}"),
                    None => writeln!(out, "  0x{at:05X}  no register"),
                };
            }
        }
        Dump::Dma(tile) => {
            let stats = result.array().view().stats();
            for c in stats.channels.iter().filter(|c| c.channel.tile == tile) {
                let _ = writeln!(
                    out,
                    "  DMA {} {}: {} task(s), {} BD(s), {} words done; {}",
                    c.channel.dir,
                    c.channel.index,
                    c.counts.tasks,
                    c.counts.bds,
                    c.counts.words,
                    state(result, ActorId::channel(c.channel))
                );
            }
        }
        Dump::Core(tile) => {
            let stats = result.array().view().stats();
            match stats.cores.iter().find(|core| core.tile == tile) {
                None => out.push_str("  it was not started\n"),
                Some(core) => {
                    let state = if core.done {
                        "its program has ended".to_string()
                    } else {
                        state(result, ActorId::core(tile))
                    };
                    // Executing comes first among the states, the waits follow.
                    let mut states = core.times.fields().into_iter();
                    let busy = states.next().map_or(0, |(_, cycles)| cycles);
                    let stalls =
                        states.map(|(key, cycles)| format!("{} {cycles}", state_name(key)));
                    let stalls = stalls.collect::<Vec<_>>().join(", ");
                    let _ = writeln!(out, "  {state}\n  busy {busy} cycles, stalls: {stalls}");
                    if let Some(registers) = result.array().core_registers(tile) {
                        out.push_str(&registers);
                    }
                }
            }
        }
        Dump::Controller(uc) => {
            let machine = result.machine();
            if let Some(vm) = machine.controllers().iter().find(|vm| vm.uc == uc) {
                self::pages(&mut out, vm, machine, result.array());
            }
        }
        Dump::Argument(index, offset, bytes) => {
            let all = result.output(index).unwrap_or_default();
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(all.len());
            let count = bytes.map_or(all.len(), |n| usize::try_from(n).unwrap_or(usize::MAX));
            let end = from.saturating_add(count).min(all.len());
            match result.output(index) {
                None => out.push_str("  there is no such argument\n"),
                Some(all) => words(&mut out, offset, &all[from..end]),
            }
        }
    }
    out
}

/// Pages that a controller runs, the innermost last, with their jobs, and registers that aren't 0.
fn pages(out: &mut String, vm: &Vm, machine: &Machine, array: &Array) {
    if vm.is_done() {
        out.push_str("  its program has ended\n");
    } else if vm.running().is_empty() {
        out.push_str("  its first page is being fetched\n");
    }
    for page in vm.running() {
        let _ = writeln!(out, "  page {}", page.number);
        for job in &page.jobs {
            let state = match &job.state {
                JobState::Deferred => "waits to be launched".to_owned(),
                JobState::Gated => "waits for a job before it to end".to_owned(),
                JobState::Ready => format!("can run, at {}", job.op().op.info().mnemonic),
                JobState::Blocked(block) => format!(
                    "waits since cycle {} for {}, at {}",
                    job.since,
                    job_wait_reason(machine, array, *block),
                    job.waiting_op().op.info().mnemonic
                ),
                JobState::Ended => "has ended".to_owned(),
            };
            let _ = writeln!(out, "    job {}: {state}", job.id);
            registers(out, "      ", 0, &job.regs);
        }
    }
    registers(out, "  ", Reg::PRIVATE, vm.shared_registers());
}

/// Registers that aren't 0, by name from a first number on.
fn registers(out: &mut String, indent: &str, first: u8, values: &[u32]) {
    let set = (first..).zip(values).filter(|(_, value)| **value != 0);
    let set: Vec<String> = set
        .map(|(number, value)| format!("$r{number} = 0x{value:X}"))
        .collect();
    if !set.is_empty() {
        let _ = writeln!(out, "{indent}{}", set.join(", "));
    }
}

/// State of an actor.
fn state(result: &dyn DumpedRun, actor: ActorId) -> String {
    let waits = result.array().view().waits();
    match waits.iter().find(|wait| wait.who == actor) {
        Some(wait) => format!("waits since cycle {} for {}", wait.since, wait.reason),
        None if result.array().view().active().contains(&actor) => "at work".to_string(),
        None => "idle".to_string(),
    }
}

fn lock(out: &mut String, result: &dyn DumpedRun, lock: LockId) {
    let LockId { tile, index } = lock;
    let value = result.array().lock_value(lock).unwrap_or(0);
    let resources = result
        .debug()
        .into_iter()
        .flat_map(|debug| &debug.resources);
    let name = resources
        .filter(|r| (r.column, r.row) == (tile.col, tile.row))
        .find(|r| r.kind == ResourceKind::Lock { id: index })
        .map_or(String::new(), |r| format!(" '{}'", r.name));
    let _ = write!(out, "  lock {index}{name} = {value}, ");
    match result.array().lock_change(lock) {
        None => out.push_str("never changed"),
        Some(change) => {
            let _ = write!(out, "{change}");
        }
    }
    for wait in result.array().view().waits() {
        match wait.reason {
            WaitReason::Lock { lock: id, .. } if id == lock => {
                let _ = write!(out, "; {} waits since cycle {}", wait.who, wait.since);
            }
            _ => {}
        }
    }
    out.push('\n');
}

/// Words in hexadecimal and as signed numbers.
fn words(out: &mut String, base: u64, bytes: &[u8]) {
    for (line, chunk) in bytes.chunks(4 * LINE_WORDS).enumerate() {
        let at = base + (4 * LINE_WORDS * line) as u64;
        let (mut hex, mut decimal) = (String::new(), String::new());
        for word in chunk.chunks(4) {
            let mut padded = [0; 4];
            padded[..word.len()].copy_from_slice(word);
            let value = u32::from_le_bytes(padded);
            let _ = write!(hex, " {value:0width$x}", width = 2 * word.len());
            let _ = write!(decimal, " {}", value as i32);
        }
        let _ = writeln!(out, "  0x{at:08X} {hex:<36} |{decimal}");
    }
}
