//! Sizes of control code, in bytes, as far as cutting it into pages needs them.
//!
//! They are facts of the control code's encoding (`aiebu: specification/aie2ps/isa-spec.yaml`),
//! whose table this room doesn't see; the driver, which sees both, holds them against it.

/// A page.
pub const PAGE: usize = 8192;
/// Head of a page.
pub const PAGE_HEADER: usize = 16;
/// START_JOB.
pub const START_JOB: usize = 8;
/// END_JOB.
pub const END_JOB: usize = 4;
/// The end of a page's text.
pub const EOF: usize = 4;
/// WRITE_32.
pub const WRITE_32: usize = 12;
/// MASK_POLL_32.
pub const MASK_POLL_32: usize = 16;
/// READ_32.
pub const READ_32: usize = 8;
/// ADD.
pub const ADD: usize = 8;
/// WRITE_32_D.
pub const WRITE_32_D: usize = 12;
/// A word that is read, changed and written.
pub const COPY: usize = READ_32 + ADD + WRITE_32_D;
/// MASK_WRITE_32.
pub const MASK_WRITE_32: usize = 16;
/// WAIT_TCTS.
pub const WAIT_TCTS: usize = 8;
/// APPLY_OFFSET_57.
pub const APPLY_OFFSET_57: usize = 8;
/// UC_DMA_WRITE_DES_SYNC.
pub const UC_DMA_WRITE_DES_SYNC: usize = 4;
/// UC_DMA_WRITE_DES.
pub const UC_DMA_WRITE_DES: usize = 8;
/// WAIT_UC_DMA.
pub const WAIT_UC_DMA: usize = 4;
/// LOCAL_BARRIER.
pub const LOCAL_BARRIER: usize = 4;
/// LAUNCH_JOB.
pub const LAUNCH_JOB: usize = 4;
/// REMOTE_BARRIER.
pub const REMOTE_BARRIER: usize = 8;
/// LOAD_PDI.
pub const LOAD_PDI: usize = 12;
/// A uC-DMA descriptor.
pub const UC_DMA_BD: usize = 16;
/// A word of data.
pub const WORD: usize = 4;
/// Data begins at a multiple of this.
pub const DATA_ALIGN: usize = 16;
/// Words of a shim BD image that APPLY_OFFSET_57 patches: the address field ends in word 8.
pub const PATCHED_WORDS: usize = 9;
/// Most tokens of one WAIT_TCTS.
pub const MAX_TOKENS: u32 = 0xFF;

/// Bytes of a page with `text` bytes of jobs and `data` bytes of descriptors and data.
pub const fn page_bytes(text: usize, data: usize) -> usize {
    let before = text + EOF;
    PAGE_HEADER + before.next_multiple_of(DATA_ALIGN) + data
}
