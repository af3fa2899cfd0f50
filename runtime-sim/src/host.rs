//! Host memory: a flat, sparse 64-bit byte address space that holds separately mapped buffers.
//!
//! Buffers lie at distinct page-aligned bases above 4 GiB, so that the high address words of a
//! descriptor matter, with unmapped guard gaps between them. An access that isn't wholly inside
//! one buffer is a fault that names the nearest buffer. Words are little endian.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

/// Base of the first buffer: beyond 32 bits, so that a lost high half of an address shows.
const FIRST_BASE: u64 = 0x10_0000_0000;
/// Bases are multiples of this many bytes (a page of the host).
const BASE_ALIGN: u64 = 0x1000;
/// Unmapped bytes, at least, between two buffers.
const GUARD_BYTES: u64 = 0x10_0000;

/// A buffer of the host that the runtime sequence names by its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostBuffer {
    /// Index of the argument.
    pub index: u32,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// Names one mapped buffer; ids count up from 0 in the order of mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

/// Where a buffer was mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The buffer.
    pub id: BufferId,
    /// Byte address of its first byte.
    pub base: u64,
}

/// Traffic of the array and the controllers from and to a buffer since it was mapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BufferTraffic {
    /// Bytes that were read, each time they were.
    pub bytes_read: u64,
    /// Bytes that were written, each time they were.
    pub bytes_written: u64,
    /// Bytes were read that the run hadn't written.
    pub reads_given: bool,
}

/// Ranges of addresses that were written.
#[derive(Debug, Clone, Default)]
struct WrittenRanges {
    /// The range that was written last, as one write often goes on where another ended.
    last: (u64, u64),
    /// The others, which don't overlap, by their starts.
    ranges: BTreeMap<u64, u64>,
}

impl WrittenRanges {
    fn add(&mut self, start: u64, end: u64) {
        if self.last.1 == start {
            self.last.1 = end;
            return;
        }
        let (from, to) = std::mem::replace(&mut self.last, (start, end));
        self.insert(from, to);
    }

    fn insert(&mut self, mut start: u64, mut end: u64) {
        while let Some((&from, &to)) = self.ranges.range(..=end).next_back()
            && to >= start
        {
            self.ranges.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.ranges.insert(start, end);
    }

    /// Whether all bytes of a range were written.
    fn has(&self, start: u64, end: u64) -> bool {
        let mut at = start;
        while at < end {
            let (from, to) = self.last;
            if (from..to).contains(&at) {
                at = to;
                continue;
            }
            match self.ranges.range(..=at).next_back() {
                Some((_, &to)) if to > at => at = to,
                _ => return false,
            }
        }
        true
    }
}

#[derive(Debug, Clone)]
struct Buffer {
    name: String,
    base: u64,
    bytes: Vec<u8>,
    traffic: Cell<BufferTraffic>,
    written: WrittenRanges,
}

impl Buffer {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }
}

/// The mapped buffers of one run.
#[derive(Debug, Clone, Default)]
pub struct HostMemory {
    /// Sorted by base, because bases are given out in ascending order.
    buffers: Vec<Buffer>,
}

impl HostMemory {
    /// No buffer mapped.
    pub fn new() -> HostMemory {
        HostMemory::default()
    }

    /// Maps `bytes` as a new buffer at a fresh base.
    pub fn map(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Mapping {
        let base = match self.buffers.last() {
            None => FIRST_BASE,
            Some(last) => (last.end() + GUARD_BYTES).next_multiple_of(BASE_ALIGN),
        };
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(Buffer {
            name: name.into(),
            base,
            bytes,
            traffic: Cell::default(),
            written: WrittenRanges::default(),
        });
        Mapping { id, base }
    }

    /// Contents of a buffer; empty if the id was never given out.
    pub fn bytes(&self, id: BufferId) -> &[u8] {
        self.buffers
            .get(id.0 as usize)
            .map_or(&[], |buffer| &buffer.bytes)
    }

    /// Traffic from and to a buffer since it was mapped.
    pub fn traffic(&self, id: BufferId) -> BufferTraffic {
        let buffer = self.buffers.get(id.0 as usize);
        buffer.map_or(BufferTraffic::default(), |buffer| buffer.traffic.get())
    }

    /// Name and base address of a buffer.
    pub fn buffer(&self, id: BufferId) -> Option<(&str, u64)> {
        self.buffers
            .get(id.0 as usize)
            .map(|buffer| (buffer.name.as_str(), buffer.base))
    }

    /// The buffer that covers `addr`, with the byte offset into it.
    pub fn locate(&self, addr: u64) -> Option<(BufferId, u64)> {
        let index = self.index_of(addr, 1)?;
        Some((BufferId(index as u32), addr - self.buffers[index].base))
    }

    /// Bytes from an address to the end of its buffer; 0 outside all.
    pub fn bytes_behind(&self, addr: u64) -> u64 {
        let index = self.index_of(addr, 1);
        index.map_or(0, |index| self.buffers[index].end() - addr)
    }

    /// Base and bytes of the buffers, in the order of mapping.
    pub fn buffers(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let buffers = self.buffers.iter();
        buffers.map(|buffer| (buffer.base, buffer.bytes.len() as u64))
    }

    /// `len` bytes from `addr`, which must lie in one buffer.
    pub fn read(&self, addr: u64, len: u64) -> Result<&[u8], HostFault> {
        let bytes = self.peek(addr, len)?;
        self.count_read(addr, len);
        Ok(bytes)
    }

    /// Same bytes for a caller that may not take all of them and says so with
    /// [`HostMemory::count_read`].
    pub fn peek(&self, addr: u64, len: u64) -> Result<&[u8], HostFault> {
        let index = self
            .index_of(addr, len)
            .ok_or_else(|| self.fault(addr, len, false))?;
        let buffer = &self.buffers[index];
        let start = (addr - buffer.base) as usize;
        Ok(&buffer.bytes[start..start + len as usize])
    }

    /// Bytes from an address on were read.
    pub fn count_read(&self, addr: u64, bytes: u64) {
        if let Some(index) = self.index_of(addr, 1) {
            let buffer = &self.buffers[index];
            let before = buffer.traffic.get();
            let is_written = || buffer.written.has(addr, addr + bytes);
            buffer.traffic.set(BufferTraffic {
                bytes_read: before.bytes_read + bytes,
                reads_given: before.reads_given || !is_written(),
                ..before
            });
        }
    }

    /// `len` bytes from `addr`, which must lie in one buffer, to be written.
    pub fn write(&mut self, addr: u64, len: u64) -> Result<&mut [u8], HostFault> {
        let Some(index) = self.index_of(addr, len) else {
            return Err(self.fault(addr, len, true));
        };
        let buffer = &mut self.buffers[index];
        buffer.traffic.get_mut().bytes_written += len;
        buffer.written.add(addr, addr + len);
        let start = (addr - buffer.base) as usize;
        Ok(&mut buffer.bytes[start..start + len as usize])
    }

    /// The little-endian word at `addr`.
    pub fn read_word(&self, addr: u64) -> Result<u32, HostFault> {
        let bytes = self.read(addr, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Stores a little-endian word at `addr`.
    pub fn write_word(&mut self, addr: u64, value: u32) -> Result<(), HostFault> {
        self.write(addr, 4)?.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn index_of(&self, addr: u64, len: u64) -> Option<usize> {
        let index = self
            .buffers
            .partition_point(|buffer| buffer.base <= addr)
            .checked_sub(1)?;
        let end = addr.checked_add(len)?;
        (end <= self.buffers[index].end()).then_some(index)
    }

    fn fault(&self, addr: u64, len: u64, write: bool) -> HostFault {
        let distance = |buffer: &Buffer| {
            buffer
                .base
                .saturating_sub(addr)
                .max(addr.saturating_sub(buffer.end()))
        };
        let nearest = self.buffers.iter().min_by_key(|buffer| distance(buffer));
        let nearest = nearest.map(|buffer| Nearest {
            name: buffer.name.clone(),
            base: buffer.base,
            bytes: buffer.bytes.len() as u64,
        });
        HostFault {
            addr,
            len,
            write,
            nearest,
        }
    }
}

/// An access to host memory outside every mapped buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFault {
    /// First byte address of the access.
    pub addr: u64,
    /// Its length in bytes.
    pub len: u64,
    /// A write, else a read.
    pub write: bool,
    /// The buffer next to it, if any is mapped.
    pub nearest: Option<Nearest>,
}

/// The buffer nearest to a faulting access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Name given at mapping.
    pub name: String,
    /// Byte address of its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl fmt::Display for HostFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "write" } else { "read" };
        write!(
            f,
            "{verb} of {} bytes at host address {:#x}",
            self.len, self.addr
        )?;
        let Some(near) = &self.nearest else {
            return write!(f, ", but no host buffer is mapped");
        };
        let Nearest { name, base, bytes } = near;
        if self.addr < FIRST_BASE - GUARD_BYTES {
            // The distance tells the reader nothing.
            return write!(
                f,
                ", below all host buffers (`{name}` is at {base:#x}): no buffer's address was put \
                 into what leads there"
            );
        }
        if self.addr < *base {
            write!(f, ", {} bytes before buffer `{name}`", base - self.addr)?;
        } else {
            write!(
                f,
                ", at byte offset {:#x} of buffer `{name}`",
                self.addr - base
            )?;
        }
        write!(f, " ({bytes} bytes at {base:#x})")
    }
}

impl std::error::Error for HostFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_apart_and_above_four_gigabytes() {
        let mut host = HostMemory::new();
        let a = host.map("a", vec![1; 100]);
        let b = host.map("b", vec![2; 0x2000]);
        assert!(a.base > u64::from(u32::MAX));
        assert!(b.base >= a.base + 100 + GUARD_BYTES && b.base.is_multiple_of(BASE_ALIGN));
        assert_eq!(host.locate(b.base + 4), Some((b.id, 4)));
        assert_eq!(host.bytes(a.id).len(), 100);
    }

    #[test]
    fn reads_of_what_the_run_wrote_are_told_apart() {
        let mut host = HostMemory::new();
        let a = host.map("a", vec![0; 64]);
        let given = |host: &HostMemory| host.traffic(a.id).reads_given;
        for at in [8, 0, 4, 20, 12, 16] {
            host.write_word(a.base + at, 7).unwrap();
        }
        for (at, bytes) in [(0, 4), (0, 24), (8, 12), (20, 4)] {
            host.read(a.base + at, bytes).unwrap();
            assert!(!given(&host), "{at}");
        }
        host.write_word(a.base + 24, 7).unwrap();
        host.read(a.base, 28).unwrap();
        host.read(a.base + 4, 24).unwrap();
        assert!(!given(&host));
        host.read(a.base + 24, 8).unwrap();
        assert!(given(&host));
    }

    #[test]
    fn words_are_little_endian() {
        let mut host = HostMemory::new();
        let a = host.map("a", vec![0; 8]);
        host.write_word(a.base + 4, 0x0102_0304).unwrap();
        assert_eq!(host.bytes(a.id), [0, 0, 0, 0, 4, 3, 2, 1]);
        assert_eq!(host.read_word(a.base + 4), Ok(0x0102_0304));
        let traffic = host.traffic(a.id);
        assert_eq!((traffic.bytes_read, traffic.bytes_written), (4, 4));
    }

    #[test]
    fn an_access_over_the_end_names_the_buffer() {
        let mut host = HostMemory::new();
        let a = host.map("input", vec![0; 8]);
        let fault = host.read_word(a.base + 6).unwrap_err();
        assert!(
            fault
                .to_string()
                .contains("byte offset 0x6 of buffer `input`"),
            "{fault}"
        );
        let fault = host.write_word(a.base - 4, 0).unwrap_err();
        assert!(
            fault.to_string().contains("4 bytes before buffer `input`"),
            "{fault}"
        );
        let fault = host.write_word(0x400, 0).unwrap_err();
        assert!(
            fault.to_string().contains("no buffer's address was put"),
            "{fault}"
        );
        assert!(host.read_word(u64::MAX - 1).is_err());
    }
}
