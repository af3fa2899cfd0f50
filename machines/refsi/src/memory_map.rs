//! The physical memory map (oneAPI Construction Kit: RefSi M1 memory map; sizes as `refsidrv`).

/// A region of physical memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Name, also in assembly.
    pub name: &'static str,
    /// First address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    /// Description.
    pub doc: &'static str,
}

impl Region {
    /// Whether `bytes` bytes from an address on all lie in it.
    pub fn has(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        address >= self.base && offset < self.bytes && bytes <= self.bytes - offset
    }
}

/// On-chip memory of all cores.
pub const TCDM: Region = Region {
    name: "TCDM",
    base: 0x1000_0000,
    bytes: 0x40_0000,
    doc: "on-chip memory; the upper half is the per-hart area",
};

/// The part of [`TCDM`] that is divided among harts.
pub const PER_HART_AREA: Region = Region {
    name: "PER_HART_AREA",
    base: 0x1020_0000,
    bytes: 0x20_0000,
    doc: "the upper half of the TCDM, divided among the harts",
};

/// The registers of the DMA controller; each unit has its own set.
pub const DMA: Region = Region {
    name: "DMA_REGISTERS",
    base: 0x2000_2000,
    bytes: 0x100,
    doc: "registers of the DMA controller, one set for each unit; whole registers only",
};

/// The performance counters.
pub const PERF_COUNTERS: Region = Region {
    name: "PERF_COUNTERS",
    base: 0x2010_0000,
    bytes: 0x200,
    doc: "32 counters of the accessing hart, then 32 global ones",
};

/// Main memory, of the size that the driver gives it.
pub const DRAM: Region = Region {
    name: "DRAM",
    base: 0x4000_0000,
    bytes: 0x8000_0000,
    doc: "main memory",
};

/// All regions.
pub const REGIONS: [Region; 5] = [TCDM, PER_HART_AREA, DMA, PERF_COUNTERS, DRAM];

/// The region that an address lies in; [`TCDM`] for its per-hart part too.
pub fn region_of(address: u64) -> Option<&'static Region> {
    static ALL: [Region; 4] = [TCDM, DMA, PERF_COUNTERS, DRAM];
    ALL.iter().find(|region| region.has(address, 1))
}

/// Harts of a core.
pub const HARTS_PER_CORE: u32 = 4;
/// Memory windows of the platform.
pub const WINDOWS: usize = 8;
/// Performance counters of a hart, and global ones.
pub const COUNTERS: u64 = 32;
