//! From the address of an access to what is there: windows, regions, permissions.

mod transfer;

use crate::memory_map::{
    COUNTERS, DMA, DRAM, HARTS_PER_CORE, PERF_COUNTERS, Region, TCDM, WINDOWS,
};
use crate::register::{
    self, MODE_PER_CORE, MODE_PER_HART, MODE_SHARED, WINDOW_BASE, WINDOW_MODE, WINDOW_SCALE,
    WINDOW_TARGET,
};
use crate::unit::Unit;
use crate::{Reading, dma};

use super::memory::Memory;
use transfer::DmaSet;

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Fetches an instruction.
    Execute,
}

impl Access {
    /// The bit of a window's permissions.
    fn permission(self) -> u64 {
        match self {
            Access::Read => 1,
            Access::Write => 2,
            Access::Execute => 4,
        }
    }

    /// In words: "read".
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Execute => "fetch",
        }
    }
}

/// Why an access can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} of {unit} at 0x{address:x}: {reason}", .access.name())]
pub struct AccessFault {
    /// Unit that made the access.
    pub unit: Unit,
    /// Its effect.
    pub access: Access,
    /// Address of the access.
    pub address: u64,
    /// Why not.
    pub reason: String,
}

impl AccessFault {
    pub(super) fn new(unit: Unit, access: Access, address: u64, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        AccessFault {
            unit,
            access,
            address,
            reason,
        }
    }
}

/// Result of an access.
pub(super) type Done<T = ()> = Result<T, AccessFault>;

/// A range of addresses in which all accesses of a unit go to memory, at the same distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MemoryRange {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// The addend, modulo 2^64, to get the physical address.
    pub distance: u64,
}

impl MemoryRange {
    /// The physical address of `count` bytes, if all lie in the range.
    #[inline]
    pub fn physical(&self, address: u64, count: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.start);
        let fits = offset < self.bytes && count <= self.bytes - offset;
        fits.then(|| address.wrapping_add(self.distance))
    }
}

/// A window as it is in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapping {
    base: u64,
    target: u64,
    mode: u64,
    perms: u64,
    interleaved: bool,
    bytes: u64,
    scale: u64,
}

/// Everything that accesses can reach.
#[derive(Debug)]
pub struct Bus {
    /// Memory.
    pub memory: Memory,
    /// Registers of the CMP.
    pub registers: [u64; register::COUNT as usize],
    /// Sets of DMA registers: of the CMP, the host, and each hart.
    pub dma: Vec<DmaSet>,
    /// Counters of each hart.
    pub counters: Vec<[u64; COUNTERS as usize]>,
    /// Counters of the whole platform.
    pub global_counters: [u64; COUNTERS as usize],
    /// The physical bytes of the Kernel Uniform Block that runs, which harts can't write.
    pub uniform_block: Option<(u64, u64)>,
    /// Counts the changes of windows, which invalidate cached ranges.
    pub changes: u64,
    reading: Reading,
    windows: [Option<Mapping>; WINDOWS],
}

/// Sets of DMA registers before those of the harts.
const DMA_CMP: usize = 0;
const DMA_EXTERNAL: usize = 1;
const DMA_HARTS: usize = 2;

impl Bus {
    /// A bus after reset: all zero, with `harts` harts.
    pub fn new(harts: usize, reading: Reading) -> Bus {
        Bus {
            memory: Memory::default(),
            registers: [0; register::COUNT as usize],
            dma: vec![DmaSet::default(); DMA_HARTS + harts],
            counters: vec![[0; COUNTERS as usize]; harts],
            global_counters: [0; COUNTERS as usize],
            uniform_block: None,
            changes: 0,
            reading,
            windows: [None; WINDOWS],
        }
    }

    /// A register of the CMP; 0 for numbers of none.
    pub fn register(&self, id: u32) -> u64 {
        self.registers.get(id as usize).copied().unwrap_or(0)
    }

    /// Writes a register of the CMP. `loaded` says that LOAD_REG64 does.
    pub fn set_register(&mut self, id: u32, value: u64, loaded: bool) {
        if let Some(register) = self.registers.get_mut(id as usize) {
            *register = value;
        }
        let Some(info) = register::info(u64::from(id)).filter(|info| info.per_window) else {
            return;
        };
        let index = (id - info.id) as usize;
        let now = self.mapping_of(index);
        if let Some(window) = self.windows.get_mut(index) {
            *window = match self.reading {
                Reading::Published => now,
                Reading::Driver if loaded => *window,
                // writing MODE maps the window, unless it is mapped with another mode or size;
                // writing anything else of a mapped window unmaps it
                Reading::Driver => match (info.id, *window) {
                    (WINDOW_MODE, None) => now,
                    (WINDOW_MODE, Some(old)) => {
                        now.filter(|new| (new.mode, new.bytes) == (old.mode, old.bytes))
                    }
                    _ => None,
                },
            };
        }
        self.changes += 1;
    }

    /// A window as its registers say; `None` if it isn't active.
    fn mapping_of(&self, index: usize) -> Option<Mapping> {
        let index = index as u32;
        let mode = self.register(WINDOW_MODE + index);
        let scale = self.register(WINDOW_SCALE + index);
        let factor = match scale & 0x1F {
            0 => 0,
            code => 1u64 << (code - 1),
        };
        (mode & 1 == 1).then(|| Mapping {
            base: self.register(WINDOW_BASE + index),
            target: self.register(WINDOW_TARGET + index),
            mode: mode >> 1 & 3,
            perms: mode >> 4 & 7,
            interleaved: mode >> 3 & 1 == 1,
            bytes: (mode >> 32) + 1,
            scale: factor.wrapping_mul((scale >> 32) + 1),
        })
    }

    /// The physical address of an access, and the range around it in which all are at the same
    /// distance.
    pub fn locate(
        &self,
        unit: Unit,
        access: Access,
        address: u64,
        bytes: u64,
    ) -> Result<(u64, MemoryRange), AccessFault> {
        let fault = |reason: String| AccessFault::new(unit, access, address, reason);
        let hit = self.windows.iter().enumerate().find_map(|(index, window)| {
            let window = (*window)?;
            let offset = address.checked_sub(window.base)?;
            (offset < window.bytes).then_some((index, window, offset))
        });
        let Some((index, window, offset)) = hit else {
            let region = region_at(address).ok_or_else(|| fault("nothing is there".to_owned()))?;
            if !region.has(address, bytes) {
                return Err(fault(format!(
                    "{bytes} bytes go beyond the end of {}",
                    region.name
                )));
            }
            let range = MemoryRange {
                start: region.base,
                bytes: region.bytes,
                distance: 0,
            };
            return Ok((address, range));
        };
        let target = self.window_target(index, &window, unit).map_err(&fault)?;
        let driver = self.reading.is_driver();
        // the driver compares with <, so that the last byte can't be reached
        let usable = window.bytes - u64::from(driver);
        if offset > usable || bytes > usable - offset {
            return Err(fault(format!(
                "{bytes} bytes go beyond the end of window {index}"
            )));
        }
        if !driver && window.perms != 0 && window.perms & access.permission() == 0 {
            return Err(fault(format!("window {index} doesn't permit it")));
        }
        let physical = target.wrapping_add(offset);
        let region = region_at(physical).filter(|region| region.has(physical, bytes));
        let Some(region) = region else {
            return Err(fault(format!(
                "window {index} leads to 0x{physical:x}, where no memory is; a window can't lead into another"
            )));
        };
        // the part of the window that lies in the region
        let distance = target.wrapping_sub(window.base);
        let before = offset.min(physical - region.base);
        let after = (usable - offset).min(region.base + region.bytes - physical);
        let range = MemoryRange {
            start: address - before,
            bytes: before + after,
            distance,
        };
        Ok((physical, range))
    }

    /// Where a window leads for a unit.
    fn window_target(&self, index: usize, window: &Mapping, unit: Unit) -> Result<u64, String> {
        let driver = self.reading.is_driver();
        if window.interleaved && !driver {
            return Err(format!(
                "window {index} is interleaved, which is not modelled"
            ));
        }
        let number = match (window.mode, unit) {
            (MODE_SHARED, _) => 0,
            (MODE_PER_HART, Unit::Hart(hart)) => u64::from(hart),
            (MODE_PER_HART, _) => {
                return Err(format!(
                    "window {index} is PER_HART, and {unit} isn't a hart"
                ));
            }
            (MODE_PER_CORE, _) if driver => {
                return Err(format!(
                    "the reference driver has no PER_CORE windows such as {index}"
                ));
            }
            (MODE_PER_CORE, Unit::Hart(hart)) => u64::from(u32::from(hart) / HARTS_PER_CORE),
            (MODE_PER_CORE, Unit::Core(core)) => u64::from(core),
            (MODE_PER_CORE, _) => {
                return Err(format!(
                    "window {index} is PER_CORE, and {unit} is in no core"
                ));
            }
            _ => {
                return Err(format!(
                    "window {index} has the reserved mode {}",
                    window.mode
                ));
            }
        };
        Ok(window
            .target
            .wrapping_add(window.scale.wrapping_mul(number)))
    }

    /// The range of memory around an address for a hart's accesses, without the Kernel Uniform
    /// Block where it can't be written. `None` for registers.
    pub fn range(
        &self,
        unit: Unit,
        access: Access,
        address: u64,
        bytes: u64,
    ) -> Result<Option<MemoryRange>, AccessFault> {
        let (physical, mut range) = self.locate(unit, access, address, bytes)?;
        if !Memory::has(physical, bytes) {
            return Ok(None);
        }
        let Some((block, block_bytes)) = self.uniform_block.filter(|_| access == Access::Write)
        else {
            return Ok(Some(range));
        };
        let first = range.start.wrapping_add(range.distance);
        if physical < block {
            let until = range.bytes.min(block - first);
            if physical - first + bytes > until {
                return Err(uniform(unit, address));
            }
            range.bytes = until;
        } else if physical < block + block_bytes {
            return Err(uniform(unit, address));
        } else if first < block + block_bytes {
            let cut = block + block_bytes - first;
            range.start += cut;
            range.bytes -= cut;
        }
        Ok(Some(range))
    }

    /// Reads 64 bits as a unit.
    pub fn read64(&mut self, unit: Unit, address: u64) -> Result<u64, AccessFault> {
        let mut bytes = [0; 8];
        self.read(unit, address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes 64 bits as a unit; the cycles that a transfer takes which it starts.
    pub fn write64(&mut self, unit: Unit, address: u64, value: u64) -> Done<u64> {
        self.write(unit, address, &value.to_le_bytes())
    }

    /// Reads memory, or registers of devices.
    pub fn read(&mut self, unit: Unit, address: u64, to: &mut [u8]) -> Result<(), AccessFault> {
        let count = to.len() as u64;
        let (physical, _) = self.locate(unit, Access::Read, address, count)?;
        let fault = |reason: String| AccessFault::new(unit, Access::Read, address, reason);
        if DMA.has(physical, 1) {
            let index = whole_register(physical, count, false).map_err(fault)?;
            let value = self.dma_set(unit).map_err(fault)?.read(index);
            copy_low(value, to);
            return Ok(());
        }
        if PERF_COUNTERS.has(physical, 1) {
            if !physical.is_multiple_of(8) || count < 4 || (count > 4 && !count.is_multiple_of(8)) {
                return Err(fault(
                    "counters are read by 4, 8 or more times 8 bytes".to_owned(),
                ));
            }
            for (at, part) in to.chunks_mut(8).enumerate() {
                let index = (physical - PERF_COUNTERS.base) / 8 + at as u64;
                let value = *self.counter(unit, index).map_err(fault)?;
                copy_low(value, part);
            }
            return Ok(());
        }
        let read = self.memory.read(physical, to);
        read.ok_or_else(|| fault("no memory is there".to_owned()))
    }

    /// Writes memory, or registers of devices; the cycles that a transfer takes which it starts.
    pub fn write(&mut self, unit: Unit, address: u64, from: &[u8]) -> Result<u64, AccessFault> {
        let count = from.len() as u64;
        let (physical, _) = self.locate(unit, Access::Write, address, count)?;
        let fault = |reason: String| AccessFault::new(unit, Access::Write, address, reason);
        if DMA.has(physical, 1) {
            let index = whole_register(physical, count, true).map_err(fault)?;
            let value = u64::from_le_bytes(from.try_into().unwrap_or_default());
            return self.write_dma(unit, index, value);
        }
        if PERF_COUNTERS.has(physical, 1) {
            if !physical.is_multiple_of(8) || !matches!(count, 4 | 8) {
                return Err(fault("counters are written by 4 or 8 bytes".to_owned()));
            }
            let index = (physical - PERF_COUNTERS.base) / 8;
            let counter = self.counter(unit, index).map_err(fault)?;
            let mut bytes = [0; 8];
            bytes[..from.len()].copy_from_slice(from);
            *counter = u64::from_le_bytes(bytes);
            return Ok(0);
        }
        if matches!(unit, Unit::Hart(_)) {
            self.range(unit, Access::Write, address, count)?;
        }
        let written = self.memory.write(physical, from);
        written.ok_or_else(|| fault("no memory is there".to_owned()))?;
        Ok(0)
    }

    fn dma_set(&mut self, unit: Unit) -> Result<&mut DmaSet, String> {
        let index = match unit {
            Unit::Cmp => DMA_CMP,
            Unit::External | Unit::Any => DMA_EXTERNAL,
            Unit::Hart(hart) => DMA_HARTS + usize::from(hart),
            Unit::Core(_) => usize::MAX,
        };
        let set = self.dma.get_mut(index);
        set.ok_or_else(|| format!("{unit} has no DMA registers"))
    }

    fn write_dma(&mut self, unit: Unit, index: usize, value: u64) -> Result<u64, AccessFault> {
        let address = dma::address(index);
        let fault = |reason: String| AccessFault::new(unit, Access::Write, address, reason);
        let transfer = self.dma_set(unit).map_err(fault)?.write(index, value);
        let Some(transfer) = transfer.map_err(fault)? else {
            return Ok(0);
        };
        transfer::run(self, unit, &transfer, self.reading)
    }

    /// A counter: 0 to 31 of the accessing hart, then the global ones.
    fn counter(&mut self, unit: Unit, index: u64) -> Result<&mut u64, String> {
        if let Some(global) = index.checked_sub(COUNTERS) {
            let counter = self.global_counters.get_mut(global as usize);
            return counter.ok_or_else(|| "no counter is there".to_owned());
        }
        match unit {
            Unit::Hart(hart) => {
                let of_hart = self.counters.get_mut(usize::from(hart));
                let counter = of_hart.and_then(|all| all.get_mut(index as usize));
                counter.ok_or_else(|| format!("there is no {unit}"))
            }
            _ => Err(format!("counter {index} is a hart's, and {unit} is none")),
        }
    }
}

/// A hart writes what all share.
fn uniform(unit: Unit, address: u64) -> AccessFault {
    let reason = "the Kernel Uniform Block can't be written by harts";
    AccessFault::new(unit, Access::Write, address, reason)
}

/// The region of memory or registers that an address lies in.
fn region_at(address: u64) -> Option<&'static Region> {
    static ALL: [Region; 4] = [DRAM, TCDM, DMA, PERF_COUNTERS];
    ALL.iter().find(|region| region.has(address, 1))
}

/// The index of a DMA register that is accessed whole: stores have 8 bytes, loads 4 or 8.
fn whole_register(physical: u64, count: u64, store: bool) -> Result<usize, String> {
    let offset = physical - DMA.base;
    let sizes: &[u64] = if store { &[8] } else { &[4, 8] };
    if offset.is_multiple_of(dma::BYTES) && sizes.contains(&count) {
        Ok((offset / dma::BYTES) as usize)
    } else {
        Err("registers of the DMA controller are accessed whole".to_owned())
    }
}

/// The low bytes of a value.
fn copy_low(value: u64, to: &mut [u8]) {
    to.iter_mut()
        .zip(value.to_le_bytes())
        .for_each(|(to, from)| *to = from);
}
