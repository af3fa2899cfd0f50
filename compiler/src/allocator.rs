//! The allocator of the process: mimalloc, asked for fewer different sizes.
//!
//! mimalloc keeps blocks of each of its size classes, four between a power of two and the next, in pages of
//! their own, which have 512 KiB for blocks above 8 KiB (mimalloc: `include/mimalloc/types.h`,
//! `MI_MEDIUM_PAGE_SIZE`). A compilation has one or two blocks of each such class, and the system clears
//! the memory between them, as it comes in huge pages of 2 MiB: rounding sizes to powers of two saves two of five.
//!
//! Large blocks of zeros are the system's: its pages are zero when they are touched first, where mimalloc clears memory
//! that something was in before, as a simulation's memories find it after the compilation.
#![expect(
    unsafe_code,
    reason = "what implements an allocator promises what the compiler can't check"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_long};
use std::ops::RangeInclusive;

use libmimalloc_sys as mi;

/// mimalloc with rounded sizes.
pub struct Allocator;

/// The sizes that are rounded to powers of two, in bytes: those below share pages of 64 KiB, each of those above
/// has memory of its own.
const ROUNDED: RangeInclusive<usize> = 1 << 10..=1 << 16;

/// Alignment that mimalloc gives each block by itself, in bytes.
const USUAL_ALIGNMENT: usize = align_of::<usize>();

/// Bytes from which on blocks of zeros are the system's: as many as a core's data memory has. glibc maps larger ones by
/// themselves (`M_MMAP_THRESHOLD` of mallopt(3)), and takes others from the end of its heap, which is zero too.
const LARGE: usize = 1 << 16;

/// `mi_option_purge_delay`: milliseconds until freed memory goes back to the system, -1 for never (mimalloc:
/// `include/mimalloc.h`, `mi_option_e`).
const PURGE_DELAY: c_int = 15;

#[inline]
fn rounded(bytes: usize) -> usize {
    if ROUNDED.contains(&bytes) {
        bytes.next_power_of_two()
    } else {
        bytes
    }
}

/// Freed memory stays with the process from now on: one that is about to end has no use for giving it back.
pub fn keep_memory() {
    const NEVER: c_long = -1;
    // SAFETY: it stores a number.
    unsafe { mi::mi_option_set(PURGE_DELAY, NEVER) }
}

// SAFETY: blocks have at least as many bytes as asked for and the alignment asked for; all of them are mimalloc's but those
// that `is_systems` finds.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = rounded(layout.size());
        let block = if layout.align() <= USUAL_ALIGNMENT {
            unsafe { mi::mi_malloc(bytes) }
        } else {
            unsafe { mi::mi_malloc_aligned(bytes, layout.align()) }
        };
        block.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE {
            return unsafe { System.alloc_zeroed(layout) };
        }
        let bytes = rounded(layout.size());
        let block = if layout.align() <= USUAL_ALIGNMENT {
            unsafe { mi::mi_zalloc(bytes) }
        } else {
            unsafe { mi::mi_zalloc_aligned(bytes, layout.align()) }
        };
        block.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= LARGE {
            return unsafe { free_large(block, layout) };
        }
        // SAFETY: the caller has the block from one of these functions.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if layout.size() >= LARGE && is_systems(block) {
            return unsafe { self.moved(block, layout, new_size) };
        }
        let bytes = rounded(new_size);
        let block = if layout.align() <= USUAL_ALIGNMENT {
            unsafe { mi::mi_realloc(block.cast(), bytes) }
        } else {
            unsafe { mi::mi_realloc_aligned(block.cast(), bytes, layout.align()) }
        };
        block.cast()
    }
}

/// Whether a large block is the system's and not mimalloc's.
fn is_systems(block: *mut u8) -> bool {
    // SAFETY: it compares the address with those of mimalloc's regions.
    unsafe { !mi::mi_is_in_heap_region(block.cast()) }
}

/// Frees a large block.
#[cold]
unsafe fn free_large(block: *mut u8, layout: Layout) {
    // SAFETY: the caller has the block from the system or from mimalloc.
    unsafe {
        if is_systems(block) {
            System.dealloc(block, layout);
        } else {
            mi::mi_free(block.cast());
        }
    }
}

impl Allocator {
    /// Moves the system's block to one of another size, which is mimalloc's if it is smaller than those of the system.
    #[cold]
    unsafe fn moved(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if new_size >= LARGE {
            return unsafe { System.realloc(block, layout, new_size) };
        }
        // SAFETY: the caller has checked the new size against the alignment.
        let smaller = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let new = unsafe { self.alloc(smaller) };
        if !new.is_null() {
            // SAFETY: the new block is smaller, and another one.
            unsafe { std::ptr::copy_nonoverlapping(block, new, new_size) };
            unsafe { System.dealloc(block, layout) };
        }
        new
    }
}
