//! Static checks of a command buffer: commands, registers, addresses and windows that can't work on
//! the machine, as far as one buffer shows them.

use aiec_diag::{Code, Diag, Severity, Span};

use crate::command::Command;
use crate::memory_map::{self, PERF_COUNTERS, WINDOWS};
use crate::register::{self, MODE_PER_CORE, MODE_SHARED};
use crate::table::opcode;
use crate::unit::Unit;
use crate::{CHUNK_BYTES, Reading, codes, dma};

/// Something wrong with a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The chunk, counted from 0.
    pub chunk: usize,
    /// Kind of finding.
    pub code: &'static Code,
    /// Severity.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The way out.
    pub help: String,
}

impl Finding {
    /// The finding for a file without lines: with the chunk's number and offset.
    pub fn at_offset(self) -> Diag {
        let (chunk, offset) = (self.chunk, self.chunk as u64 * CHUNK_BYTES);
        let message = format!("chunk {chunk} at 0x{offset:x}: {}", self.message);
        let mut diag = Diag::error(self.code, message).help(self.help);
        diag.severity = self.severity;
        diag
    }

    /// The finding for a line of text.
    pub fn at_line(self, span: Option<Span>) -> Diag {
        let message = format!("{} (chunk {})", self.message, self.chunk);
        let mut diag = Diag::error(self.code, message)
            .label(span, "")
            .help(self.help);
        diag.severity = self.severity;
        diag
    }
}

/// Everything that is wrong with a buffer, in the order of its chunks.
pub fn check(chunks: &[u64], reading: Reading) -> Vec<Finding> {
    let mut checker = Checker {
        reading,
        findings: Vec::new(),
        windows: [Window::default(); WINDOWS],
    };
    checker.buffer(chunks);
    checker.findings
}

/// Values that a buffer has written to the registers of a window.
#[derive(Clone, Copy, Default)]
struct Window {
    base: Option<u64>,
    target: Option<(usize, u64)>,
    mode: Option<u64>,
}

impl Window {
    /// Whether an address lies in it, as far as it is known.
    fn has(&self, address: u64) -> bool {
        let (Some(base), Some(mode)) = (self.base, self.mode) else {
            return false;
        };
        let bytes = (mode >> 32) + 1;
        mode & 1 == 1 && address >= base && address - base < bytes
    }
}

struct Checker {
    reading: Reading,
    findings: Vec<Finding>,
    windows: [Window; WINDOWS],
}

impl Checker {
    fn push(
        &mut self,
        severity: Severity,
        chunk: usize,
        code: &'static Code,
        message: String,
        help: &str,
    ) {
        self.findings.push(Finding {
            chunk,
            code,
            severity,
            message,
            help: help.to_owned(),
        });
    }

    fn error(&mut self, chunk: usize, code: &'static Code, message: String, help: &str) {
        self.push(Severity::Error, chunk, code, message, help);
    }

    fn warning(&mut self, chunk: usize, code: &'static Code, message: String, help: &str) {
        self.push(Severity::Warning, chunk, code, message, help);
    }

    fn buffer(&mut self, chunks: &[u64]) {
        let mut at = 0;
        while let Some(left) = chunks.get(at..).filter(|left| !left.is_empty()) {
            match Command::decode(left, self.reading) {
                Ok(command) => {
                    self.command(at, &command, left);
                    at += command.chunks() as usize;
                    if command.opcode() == opcode::FINISH {
                        return self.behind_finish(at, chunks.len());
                    }
                }
                Err(refusal) => {
                    self.error(at, refusal.code, refusal.message, &refusal.help);
                    // without a credible length, decoding can't find the next command
                    match refusal.chunks {
                        Some(count) => at += count as usize,
                        None => return,
                    }
                }
            }
        }
        let message = "the buffer does not end with FINISH".to_owned();
        let help = "add FINISH: it signals the host that the buffer is complete";
        let severity = if self.reading.is_driver() {
            Severity::Warning
        } else {
            Severity::Error
        };
        let last = chunks.len().saturating_sub(1);
        self.push(severity, last, &codes::FINISH, message, help);
    }

    fn behind_finish(&mut self, at: usize, chunks: usize) {
        if chunks > at {
            let message = format!("{} chunks after FINISH are never executed", chunks - at);
            let help = "remove them, unless they are data that commands refer to";
            self.warning(at, &codes::FINISH, message, help);
        }
    }

    fn command(&mut self, at: usize, command: &Command, chunks: &[u64]) {
        let header = chunks.first().copied().unwrap_or(0);
        let unnamed = command.unnamed_bits(header);
        if unnamed != 0 && command.opcode() != opcode::NOP {
            let message = format!("{} has reserved bits 0x{unnamed:x}", command.name());
            self.warning(at, &codes::RESERVED, message, "let them be 0");
        }
        let values = &command.values;
        match command.opcode() {
            opcode::WRITE_REG64 => {
                let exists = self.register(at, values[0]);
                self.register_value(at + 1, values[0], values[1], exists);
            }
            opcode::LOAD_REG64 => {
                self.register(at, values[0]);
                self.address(at + 1, values[1], CHUNK_BYTES);
            }
            opcode::STORE_REG64 => {
                self.register(at, values[0]);
                self.address(at + 1, values[1], CHUNK_BYTES);
            }
            opcode::STORE_IMM64 => {
                self.address(at, values[0], CHUNK_BYTES);
                if values[0] == dma::address(dma::CTRL) {
                    self.dma_ctrl(at + 1, values[1]);
                }
            }
            opcode::COPY_MEM64 => self.copy(at, values),
            opcode::RUN_KERNEL_SLICE | opcode::RUN_INSTANCES => self.unset_windows(at),
            opcode::SYNC_CACHE if values[0] > 3 => {
                let message = format!("SYNC_CACHE has reserved flags 0x{:x}", values[0] & !3);
                self.warning(at, &codes::RESERVED, message, "flags are DCACHE and ICACHE");
            }
            _ => {}
        }
    }

    /// Whether there is such a register.
    fn register(&mut self, at: usize, id: u64) -> bool {
        let undefined = u64::from(register::UNDEFINED);
        let kept = self.reading.is_driver() && id == undefined;
        if register::info(id).is_none() && !kept {
            let message = format!("the command processor has no register {id}");
            let help = if id == undefined {
                "registers are 0 to 6 and 8 to 39; --compat keeps 7, as the driver does"
            } else {
                "registers are 0 to 6 and 8 to 39"
            };
            self.error(at, &codes::REGISTER, message, help);
            return false;
        }
        !kept
    }

    fn register_value(&mut self, at: usize, id: u64, value: u64, exists: bool) {
        let Some(row) = register::info(id).filter(|_| exists) else {
            return;
        };
        let reserved = value & register::reserved_bits(row);
        if reserved != 0 {
            let message = format!("{} has reserved bits 0x{reserved:x}", register::Name(id));
            self.warning(at, &codes::RESERVED, message, "let them be 0");
        }
        let index = (id - u64::from(row.id)) as usize;
        let Some(window) = self.windows.get_mut(index).filter(|_| row.per_window) else {
            return;
        };
        match row.id {
            register::WINDOW_BASE => window.base = Some(value),
            register::WINDOW_TARGET => {
                window.target = Some((at, value));
                if memory_map::region_of(value).is_none() {
                    let message = format!("window {index} leads to 0x{value:x}, where nothing is");
                    let help = "the target is a physical address of TCDM or DRAM";
                    self.error(at, &codes::WINDOW, message, help);
                }
            }
            register::WINDOW_MODE => {
                window.mode = Some(value);
                self.window_mode(at, index, value);
            }
            _ => {}
        }
    }

    fn window_mode(&mut self, at: usize, index: usize, value: u64) {
        let mode = (value >> 1) & 3;
        if value & 1 == 0 {
            return;
        }
        if mode > MODE_PER_CORE {
            let message = format!("mode 3 of window {index} is reserved");
            let help = "modes are SHARED, PER_HART and PER_CORE";
            self.error(at, &codes::WINDOW, message, help);
        }
        if self.reading.is_driver() {
            return;
        }
        if value >> 3 & 1 == 1 {
            let message = format!("window {index} is interleaved, which is not modelled");
            let help = "let INTERLEAVE be 0; no formula for it is published";
            self.error(at, &codes::WINDOW, message, help);
        }
        let window = self.windows.get(index).copied().unwrap_or_default();
        let target = window.target.map(|(_, target)| target);
        let region = target.and_then(memory_map::region_of);
        let bytes = (value >> 32) + 1;
        if let (Some(target), Some(region)) = (target, region)
            && mode == MODE_SHARED
            && !region.has(target, bytes)
        {
            let message = format!(
                "window {index} of 0x{bytes:x} bytes goes beyond the end of {}",
                region.name
            );
            let help = "make SIZE smaller, or the target lower";
            self.error(at, &codes::PAST_END, message, help);
        }
    }

    /// A kernel runs: windows that were begun have their modes.
    fn unset_windows(&mut self, at: usize) {
        for index in 0..WINDOWS {
            let window = self.windows.get(index).copied().unwrap_or_default();
            if window.mode.is_none() && (window.base.is_some() || window.target.is_some()) {
                let message = format!("a kernel runs before the mode of window {index} is set");
                let help = "write WINDOW_MODE with ACTIVE=1 first: until then the window is closed";
                self.warning(at, &codes::WINDOW, message, help);
            }
        }
    }

    /// An access of the CMP.
    fn address(&mut self, at: usize, address: u64, bytes: u64) {
        if self.windows.iter().any(|window| window.has(address)) {
            return;
        }
        let begun = |window: &Window| window.mode.is_none() && window.base == Some(address);
        if let Some(index) = self.windows.iter().position(begun) {
            let message = format!("window {index} is used before its mode is set");
            let help = "write WINDOW_MODE with ACTIVE=1 first: until then the window is closed";
            return self.error(at, &codes::WINDOW, message, help);
        }
        let Some(region) = memory_map::region_of(address) else {
            let message =
                format!("nothing is at 0x{address:x}, unless another buffer set a window there");
            let help = "`aiec isa --target refsi-m1` lists the memory map";
            return self.warning(at, &codes::ADDRESS, message, help);
        };
        if !region.has(address, bytes) {
            let message = format!(
                "{bytes} bytes at 0x{address:x} go beyond the end of {}",
                region.name
            );
            let help = "take an address further down";
            self.error(at, &codes::PAST_END, message, help);
        }
        let registers = region.name == memory_map::DMA.name;
        if registers && !address.is_multiple_of(dma::BYTES) {
            let message = format!("0x{address:x} is inside a register of the DMA controller");
            self.error(at, &codes::ADDRESS, message, "registers are accessed whole");
        }
        if region.name == PERF_COUNTERS.name && address < global_counters() {
            let message = format!(
                "counter {} is a hart's: the CMP has none",
                (address - PERF_COUNTERS.base) / 8
            );
            let help =
                "copy it with COPY_MEM64 and hart:N as the unit; global counters are 32 to 63";
            self.error(at, &codes::COPY, message, help);
        }
    }

    fn copy(&mut self, at: usize, values: &[u64]) {
        let (elements, source, destination) = (values[0], values[1], values[2]);
        if elements == 0 {
            let message = "COPY_MEM64 copies 0 elements".to_owned();
            self.warning(at, &codes::COPY, message, "remove it, or give the elements");
        }
        for (chunk, address, what) in [(1, source, "source"), (2, destination, "destination")] {
            if !address.is_multiple_of(CHUNK_BYTES) {
                let message = format!("the {what} 0x{address:x} isn't a multiple of 8");
                self.error(at + chunk, &codes::COPY, message, "align it");
            }
        }
        let bytes = elements.saturating_mul(CHUNK_BYTES);
        self.address(at + 2, destination, bytes.max(CHUNK_BYTES));
        let unit = Unit::of(values[3]);
        match unit {
            None => {
                let message = format!("0x{:x} isn't a unit", values[3]);
                let help = "units are any, external, cmp, hart:N and core:N";
                self.error(at + 3, &codes::COPY, message, help);
            }
            Some(Unit::Hart(_)) => self.hart_source(at + 1, source, bytes),
            Some(_) => self.address(at + 1, source, bytes.max(CHUNK_BYTES)),
        }
    }

    /// The source of a copy that a hart reads.
    fn hart_source(&mut self, at: usize, source: u64, bytes: u64) {
        match memory_map::region_of(source) {
            Some(region) if !region.has(source, bytes.max(CHUNK_BYTES)) => {
                let message = format!(
                    "{bytes} bytes at 0x{source:x} go beyond the end of {}",
                    region.name
                );
                self.error(at, &codes::PAST_END, message, "copy fewer elements");
            }
            _ => {}
        }
    }

    fn dma_ctrl(&mut self, at: usize, value: u64) {
        let reserved = value & !dma::CTRL_BITS;
        if reserved != 0 {
            let message = format!("DMA_CTRL has reserved bits 0x{reserved:x}");
            self.warning(at, &codes::RESERVED, message, "let them be 0");
        }
        if value & dma::START == 0 {
            return;
        }
        let (dimension, strides) = (
            value >> dma::DIMENSION_SHIFT & 3,
            value >> dma::STRIDE_SHIFT & 3,
        );
        if dimension == 0 {
            let message = "the transfer has dimension 0".to_owned();
            let help = "bits 5:4 are 1, 2 or 3: 0x11 starts a transfer of one dimension";
            self.error(at, &codes::DMA, message, help);
        }
        if dimension == 1 && strides != 0 {
            let message = "a transfer of one dimension has no strides".to_owned();
            let help = "let bits 7:6 be 0, or take 2 dimensions";
            self.error(at, &codes::DMA, message, help);
        }
    }
}

/// Address of the first global counter.
fn global_counters() -> u64 {
    PERF_COUNTERS.base + memory_map::COUNTERS * 8
}
