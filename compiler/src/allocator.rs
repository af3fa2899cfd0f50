//! The allocator of the process: mimalloc, asked for fewer different sizes.
//!
//! mimalloc keeps blocks of each of its size classes, four between a power of two and the next, in pages of
//! their own, which have 512 KiB for blocks above 8 KiB (mimalloc: `include/mimalloc/types.h`,
//! `MI_MEDIUM_PAGE_SIZE`). A compilation has one or two blocks of each such class, and the system clears
//! the memory between them, as it comes in huge pages of 2 MiB: rounding sizes to powers of two saves two of five.
#![expect(
    unsafe_code,
    reason = "what implements an allocator promises what the compiler can't check"
)]

use std::alloc::{GlobalAlloc, Layout};
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

// SAFETY: blocks have at least as many bytes as asked for and the alignment asked for; all of them are mimalloc's.
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
        let bytes = rounded(layout.size());
        let block = if layout.align() <= USUAL_ALIGNMENT {
            unsafe { mi::mi_zalloc(bytes) }
        } else {
            unsafe { mi::mi_zalloc_aligned(bytes, layout.align()) }
        };
        block.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller has the block from one of these functions.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let bytes = rounded(new_size);
        let block = if layout.align() <= USUAL_ALIGNMENT {
            unsafe { mi::mi_realloc(block.cast(), bytes) }
        } else {
            unsafe { mi::mi_realloc_aligned(block.cast(), bytes, layout.align()) }
        };
        block.cast()
    }
}
