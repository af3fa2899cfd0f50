//! Registers of the DMA controller (oneAPI Construction Kit: RefSi M1 DMA controller).

use crate::memory_map::DMA;

/// Registers of a set.
pub const COUNT: usize = 32;
/// Bytes of a register.
pub const BYTES: u64 = 8;

/// Index of DMA_CTRL.
pub const CTRL: usize = 0;
/// Index of DMA_START_SEQ.
pub const START_SEQ: usize = 1;
/// Index of DMA_DONE_SEQ.
pub const DONE_SEQ: usize = 2;
/// Index of DMA_SRC_ADDR.
pub const SRC_ADDR: usize = 3;
/// Index of DMA_DST_ADDR.
pub const DST_ADDR: usize = 4;
/// Index of DMA_XFER_SIZE0; the other two follow.
pub const SIZE0: usize = 5;
/// Index of DMA_XFER_SRC_STRIDE0; the other follows.
pub const SRC_STRIDE0: usize = 8;
/// Index of DMA_XFER_DST_STRIDE0; the other follows.
pub const DST_STRIDE0: usize = 10;

/// Bit of DMA_CTRL that starts a transfer.
pub const START: u64 = 1;
/// Lowest bit of the dimension in DMA_CTRL.
pub const DIMENSION_SHIFT: u32 = 4;
/// Lowest bit of the stride mode in DMA_CTRL.
pub const STRIDE_SHIFT: u32 = 6;
/// Bit of the stride mode: the destination has strides.
pub const STRIDE_DST: u64 = 1;
/// Bit of the stride mode: the source has strides.
pub const STRIDE_SRC: u64 = 2;
/// Bits of DMA_CTRL that mean something.
pub const CTRL_BITS: u64 = START | 3 << DIMENSION_SHIFT | 3 << STRIDE_SHIFT;

/// Names and meanings, by index.
pub const REGISTERS: [(&str, &str); 12] = [
    (
        "DMA_CTRL",
        "bit 0 START, 5:4 dimension (1 to 3), 7:6 strides (0 none, 1 destination, 2 source, 3 both)",
    ),
    (
        "DMA_START_SEQ",
        "id of the transfer started last; read-only",
    ),
    (
        "DMA_DONE_SEQ",
        "all transfers up to this id are complete; writing an id waits for it",
    ),
    ("DMA_SRC_ADDR", "source address"),
    ("DMA_DST_ADDR", "destination address"),
    ("DMA_XFER_SIZE0", "bytes in a row"),
    ("DMA_XFER_SIZE1", "rows"),
    ("DMA_XFER_SIZE2", "slices"),
    ("DMA_XFER_SRC_STRIDE0", "bytes between rows in the source"),
    ("DMA_XFER_SRC_STRIDE1", "bytes between slices in the source"),
    (
        "DMA_XFER_DST_STRIDE0",
        "bytes between rows in the destination",
    ),
    (
        "DMA_XFER_DST_STRIDE1",
        "bytes between slices in the destination",
    ),
];

/// Address of a register by index.
pub fn address(index: usize) -> u64 {
    DMA.base + BYTES * index as u64
}

/// Address of a register by name, in any letter case.
pub fn by_name(name: &str) -> Option<u64> {
    let mut all = REGISTERS.iter();
    all.position(|(other, _)| other.eq_ignore_ascii_case(name))
        .map(address)
}

/// Name of the register at exactly this address.
pub fn name_at(at: u64) -> Option<&'static str> {
    let offset = at.checked_sub(DMA.base).filter(|o| o % BYTES == 0)?;
    let index = usize::try_from(offset / BYTES).ok()?;
    REGISTERS.get(index).map(|(name, _)| *name)
}
