//! Physical memory: TCDM, and DRAM of which only the pages that are written exist.

use crate::memory_map::{DRAM, TCDM};

/// Bytes of a page of DRAM.
const PAGE_BYTES: usize = 1 << 16;

type Page = [u8; PAGE_BYTES];

/// Memory that can be accessed by bytes. Whatever was never written is 0.
pub struct Memory {
    tcdm: Vec<u8>,
    dram: Vec<Option<Box<Page>>>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pages = self.dram.iter().flatten().count();
        write!(f, "Memory {{ pages of DRAM: {pages} }}")
    }
}

impl Default for Memory {
    fn default() -> Self {
        let mut dram = Vec::new();
        dram.resize_with((DRAM.bytes as usize).div_ceil(PAGE_BYTES), || None);
        Memory {
            tcdm: vec![0; TCDM.bytes as usize],
            dram,
        }
    }
}

impl Memory {
    /// Whether all of these bytes are memory of one region.
    pub fn has(address: u64, bytes: u64) -> bool {
        DRAM.has(address, bytes) || TCDM.has(address, bytes)
    }

    /// The `N` bytes at an address; `None` where they aren't memory or lie in two pages.
    #[inline]
    pub fn get<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        if address >= DRAM.base {
            let offset = (address - DRAM.base) as usize;
            let (page, at) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
            return match self.dram.get(page)? {
                Some(page) => page.get(at..at + N)?.try_into().ok(),
                None => (at + N <= PAGE_BYTES).then_some([0; N]),
            };
        }
        let offset = address.checked_sub(TCDM.base)? as usize;
        self.tcdm
            .get(offset..offset.checked_add(N)?)?
            .try_into()
            .ok()
    }

    /// Writes the `N` bytes at an address; `None` where they aren't memory or lie in two pages.
    #[inline]
    pub fn put<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let to = if address >= DRAM.base {
            let (page, at) = self.page_mut(address)?;
            page.get_mut(at..at + N)?
        } else {
            let offset = address.checked_sub(TCDM.base)? as usize;
            self.tcdm.get_mut(offset..offset.checked_add(N)?)?
        };
        to.copy_from_slice(&value);
        Some(())
    }

    /// The page of DRAM that an address from its base on lies in, made if there is none, and the offset in it.
    #[inline]
    fn page_mut(&mut self, address: u64) -> Option<(&mut Page, usize)> {
        let offset = (address - DRAM.base) as usize;
        let page = self.dram.get_mut(offset / PAGE_BYTES)?;
        let page = page.get_or_insert_with(|| Box::new([0; PAGE_BYTES]));
        Some((page, offset % PAGE_BYTES))
    }

    /// Reads bytes, all of which are memory.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Option<()> {
        if !Memory::has(address, to.len() as u64) {
            return None;
        }
        let mut done = 0;
        while let Some(rest) = to.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let at = address + done as u64;
            let (from, count) = self.run(at, rest.len());
            match from {
                Some(from) => rest.get_mut(..count)?.copy_from_slice(from),
                None => rest.get_mut(..count)?.fill(0),
            }
            done += count;
        }
        Some(())
    }

    /// Writes bytes, all of which are memory.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Option<()> {
        if !Memory::has(address, from.len() as u64) {
            return None;
        }
        let mut done = 0;
        while let Some(rest) = from.get(done..).filter(|rest| !rest.is_empty()) {
            let at = address + done as u64;
            let count = if at >= DRAM.base {
                let (page, within) = self.page_mut(at)?;
                let count = rest.len().min(PAGE_BYTES - within);
                page.get_mut(within..within + count)?
                    .copy_from_slice(rest.get(..count)?);
                count
            } else {
                let offset = (at - TCDM.base) as usize;
                self.tcdm
                    .get_mut(offset..offset + rest.len())?
                    .copy_from_slice(rest);
                rest.len()
            };
            done += count;
        }
        Some(())
    }

    /// The bytes from an address on that lie together, at most `wanted`, and how many; `None` for a
    /// page that was never written.
    fn run(&self, address: u64, wanted: usize) -> (Option<&[u8]>, usize) {
        if address >= DRAM.base {
            let offset = (address - DRAM.base) as usize;
            let (page, at) = (offset / PAGE_BYTES, offset % PAGE_BYTES);
            let count = wanted.min(PAGE_BYTES - at);
            let page = self.dram.get(page).and_then(Option::as_deref);
            return (page.and_then(|page| page.get(at..at + count)), count);
        }
        let offset = (address - TCDM.base) as usize;
        (self.tcdm.get(offset..offset + wanted), wanted)
    }
}
