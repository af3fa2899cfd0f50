//! Access to the memories that a core sees.

use aiec_vcode::{FloatFormat, MemoryType};

use super::access_log::AccessLog;
use super::bus::{CoreFault, CoreMemory, WINDOWS};
use super::immediate::access_type;
use super::scalar::sext;
use crate::bank::Banks;
use crate::time::Cycle;

/// A window that accesses are expected to go to, with what accesses to aligned words need.
#[derive(Debug)]
pub(super) struct NearWindow<'m> {
    words: &'m mut [[u8; 4]],
    banks: Option<&'m mut Banks>,
    log: Option<&'m mut AccessLog>,
    window: usize,
    /// Address of its first byte.
    start: u64,
}

impl NearWindow<'_> {
    /// The number of the aligned word at an address; one that the window doesn't have if there is none.
    #[inline(always)]
    fn number(&self, address: u64) -> usize {
        // An address that isn't aligned has its low bits on top, beyond any window.
        address.wrapping_sub(self.start).rotate_right(2) as usize
    }

    /// The bytes of an aligned word for an access at a cycle. `None` if it isn't there, or has to wait for its bank, which
    /// it does not without `TIMED`.
    #[inline(always)]
    pub(super) fn word<const TIMED: bool>(
        &mut self,
        address: u64,
        at: Cycle,
    ) -> Option<&mut [u8; 4]> {
        let number = self.number(address);
        let word = self.words.get_mut(number)?;
        if TIMED
            && let Some(banks) = &mut self.banks
            && !banks.access_at((number * 4) as u32, at)
        {
            return None;
        }
        Some(word)
    }

    /// Logs the access to a word that [`NearWindow::word`] gave, by an instruction at some cycle after the start of the run.
    #[inline(always)]
    pub(super) fn log_word(&mut self, address: u64, store: bool, by: (u32, u64)) {
        let number = self.number(address);
        if let Some(log) = &mut self.log {
            log.word(store, self.window, number * 4, by);
        }
    }
}

/// The first window begins at this many window sizes (AM020; AM009).
pub const FIRST_WINDOW: u64 = 4;

impl CoreMemory<'_> {
    #[inline(always)]
    fn place(&self, address: u64) -> (usize, usize) {
        let window = (address >> self.window_bits).wrapping_sub(FIRST_WINDOW);
        let inside = address & ((1 << self.window_bits) - 1);
        (window as usize, inside as usize)
    }

    /// Attributes the accesses that follow to an instruction, `elapsed` cycles after the start of the run.
    #[inline(always)]
    pub fn set_instruction(&mut self, instruction: u32, elapsed: u64) {
        if let Some(log) = &mut self.accesses {
            log.set_instruction(instruction, elapsed);
        }
    }

    /// The window of an address.
    #[inline(always)]
    pub(super) fn near(&mut self, address: u64) -> NearWindow<'_> {
        let (window, inside) = self.place(address);
        let words = self.windows.get_mut(window);
        let banks = self.conflicts.as_mut();
        NearWindow {
            words: words.map_or(&mut [], |bytes| {
                let bytes_inside = bytes.len().min(1 << self.window_bits);
                bytes[..bytes_inside].as_chunks_mut().0
            }),
            banks: banks.and_then(|banks| banks.of_window(window)),
            log: self.accesses.as_deref_mut(),
            window,
            start: address - inside as u64,
        }
    }

    /// Cycles that an access with a memory immediate has to wait for its banks.
    #[inline(always)]
    pub(super) fn wait(&mut self, address: u64, imm: u32, elapsed: u64) -> u64 {
        self.wait_for(address, access_type(imm).bytes(), elapsed)
    }

    /// Cycles that an access of `bytes` has to wait for its banks.
    #[inline(never)]
    pub(super) fn wait_for_banks(&mut self, address: u64, bytes: u32, elapsed: u64) -> u64 {
        self.wait_for(address, bytes, elapsed)
    }

    /// [`CoreMemory::wait_for_banks`] where it has to be quick.
    #[inline(always)]
    pub(super) fn wait_for(&mut self, address: u64, bytes: u32, elapsed: u64) -> u64 {
        let (window, inside) = self.place(address);
        match &mut self.conflicts {
            Some(banks) => banks.wait(window, inside as u32, bytes, elapsed),
            None => 0,
        }
    }

    #[inline(always)]
    fn bytes<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let (window, inside) = self.place(address);
        let bytes = *self
            .windows
            .get(window)?
            .get(inside..)?
            .first_chunk::<N>()?;
        if let Some(log) = &mut self.accesses {
            log.load(window, inside, N);
        }
        Some(bytes)
    }

    #[inline(always)]
    fn bytes_mut<const N: usize>(&mut self, address: u64) -> Option<&mut [u8; N]> {
        let (window, inside) = self.place(address);
        let bytes = self
            .windows
            .get_mut(window)?
            .get_mut(inside..)?
            .first_chunk_mut::<N>()?;
        if let Some(log) = &mut self.accesses {
            log.store(window, inside, N);
        }
        Some(bytes)
    }

    /// [`CoreMemory::perhaps_load_bytes`] of an array.
    #[inline(always)]
    pub(super) fn perhaps_load_array<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        let (window, inside) = self.place(address);
        let window_bytes = self.windows.get(window)?;
        let bytes = *window_bytes.get(inside..)?.first_chunk::<N>()?;
        if let Some(log) = &mut self.accesses {
            log.perhaps_load(window, inside, N);
        }
        Some(bytes)
    }

    /// [`CoreMemory::store_bytes`] of an array.
    #[inline(always)]
    pub(super) fn array_to_store<const N: usize>(&mut self, address: u64) -> Option<&mut [u8; N]> {
        self.bytes_mut(address)
    }

    /// [`CoreMemory::load`] of a 32-bit integer.
    #[inline(always)]
    pub(super) fn load_i32(&mut self, address: u64) -> Option<u64> {
        let bytes = self.bytes::<4>(address)?;
        Some(i64::from(i32::from_le_bytes(bytes)) as u64)
    }

    /// [`CoreMemory::store`] of a 32-bit integer.
    #[inline(always)]
    pub(super) fn store_i32(&mut self, address: u64, value: u64) -> Option<()> {
        *self.bytes_mut(address)? = (value as u32).to_le_bytes();
        Some(())
    }

    /// The value at an address in the form of a register.
    #[inline(always)]
    pub(super) fn load(&mut self, kind: MemoryType, address: u64) -> Option<u64> {
        Some(match kind.bytes() {
            1 => decode(kind, self.bytes::<1>(address)?),
            2 => decode(kind, self.bytes::<2>(address)?),
            4 => decode(kind, self.bytes::<4>(address)?),
            _ => decode(kind, self.bytes::<8>(address)?),
        })
    }

    /// Stores the value of a register.
    #[inline(always)]
    pub(super) fn store(&mut self, kind: MemoryType, address: u64, value: u64) -> Option<()> {
        let raw = encode(kind, value);
        match kind.bytes() {
            1 => *self.bytes_mut::<1>(address)? = [raw as u8],
            2 => *self.bytes_mut(address)? = (raw as u16).to_le_bytes(),
            4 => *self.bytes_mut(address)? = (raw as u32).to_le_bytes(),
            _ => *self.bytes_mut(address)? = raw.to_le_bytes(),
        }
        Some(())
    }

    /// The bytes of consecutive elements, with what becomes of them noted in the log.
    #[inline(always)]
    fn noted_bytes(&mut self, address: u64, bytes: usize, note: Note) -> Option<&mut [u8]> {
        let (window, inside) = self.place(address);
        let range = self.windows.get_mut(window)?.get_mut(inside..)?;
        let range = range.get_mut(..bytes)?;
        if let Some(log) = &mut self.accesses {
            note(log, window, inside, bytes);
        }
        Some(range)
    }

    /// Notes in the log what becomes of bytes.
    #[inline(always)]
    fn note(&mut self, address: u64, bytes: usize, note: Note) {
        let (window, inside) = self.place(address);
        if let Some(log) = &mut self.accesses {
            note(log, window, inside, bytes);
        }
    }

    /// The bytes of consecutive elements, to be loaded.
    pub fn load_bytes(&mut self, address: u64, bytes: usize) -> Option<&[u8]> {
        self.noted_bytes(address, bytes, AccessLog::load)
            .map(|range| &*range)
    }

    /// The bytes of consecutive elements, all to be stored.
    pub fn store_bytes(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        self.noted_bytes(address, bytes, AccessLog::store)
    }

    /// The bytes of consecutive elements, of which perhaps not all are used.
    pub(super) fn perhaps_load_bytes(&mut self, address: u64, bytes: usize) -> Option<&[u8]> {
        self.noted_bytes(address, bytes, AccessLog::perhaps_load)
            .map(|range| &*range)
    }

    /// The bytes of consecutive elements for a caller whose accesses aren't reported: see
    /// [`AccessLog::lend`]. What changes is for [`CoreMemory::note_changes`].
    pub fn lend_bytes(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        self.noted_bytes(address, bytes, AccessLog::lend)
    }

    /// The window of an address, and the offset in it; `None` where no window is.
    pub fn window_at(&self, address: u64) -> Option<(usize, usize)> {
        let (window, inside) = self.place(address);
        (window < WINDOWS).then_some((window, inside))
    }

    /// Bytes of memories that a kernel has taken are lent to it.
    pub fn lent(&mut self, address: u64, bytes: usize) {
        self.note(address, bytes, AccessLog::lend);
    }

    /// Whether accesses are logged.
    pub fn is_logged(&self) -> bool {
        self.accesses.is_some()
    }

    /// Logs as stores the elements of lent memory that differ; `element` is their size in bytes.
    /// Whether the others were isn't known, and doesn't matter to later reads.
    pub fn note_changes(&mut self, address: u64, element: usize, before: &[u8], after: &[u8]) {
        let elements = before
            .chunks(element.max(1))
            .zip(after.chunks(element.max(1)));
        // Where the run of elements that differ begins, and the element that is next.
        let (mut begins, mut at) = (None, 0);
        for (old, new) in elements {
            match (old != new, begins) {
                (true, None) => begins = Some(at),
                (false, Some(first)) => {
                    self.note(address + first as u64, at - first, AccessLog::store);
                    begins = None;
                }
                _ => {}
            }
            at += new.len();
        }
        if let Some(first) = begins {
            self.note(address + first as u64, at - first, AccessLog::store);
        }
    }

    /// Copies bytes. The ranges may overlap.
    pub(super) fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Option<()> {
        let ((to_window, to), (from_window, from)) = (self.place(to), self.place(from));
        if to_window == from_window {
            let window = self.windows.get_mut(to_window)?;
            let source = from..from.checked_add(bytes)?;
            if source.end > window.len() || to.checked_add(bytes)? > window.len() {
                return None;
            }
            window.copy_within(source, to);
        } else {
            let [target, source] = self
                .windows
                .get_disjoint_mut([to_window, from_window])
                .ok()?;
            let source = source.get(from..)?.get(..bytes)?;
            target
                .get_mut(to..)?
                .get_mut(..bytes)?
                .copy_from_slice(source);
        }
        if let Some(log) = &mut self.accesses {
            log.load(from_window, from, bytes);
            log.store(to_window, to, bytes);
        }
        Some(())
    }
}

/// Notes bytes in the log: by window, offset in it and number.
type Note = fn(&mut AccessLog, usize, usize, usize);

/// The register form of a value in memory.
#[inline(always)]
pub(super) fn decode<const N: usize>(kind: MemoryType, bytes: [u8; N]) -> u64 {
    let mut raw = [0; 8];
    raw[..N].copy_from_slice(&bytes);
    let raw = u64::from_le_bytes(raw);
    match kind {
        MemoryType::I1 => (raw & 1).wrapping_neg(),
        MemoryType::I8 => sext(raw, 8),
        MemoryType::I16 => sext(raw, 16),
        MemoryType::I32 => sext(raw, 32),
        MemoryType::F32 | MemoryType::I64 | MemoryType::F64 => raw,
        MemoryType::Bf16 => FloatFormat::Bf16.to_register(raw),
        MemoryType::F16 => FloatFormat::F16.to_register(raw),
    }
}

/// The memory form of a register, in the lower bits.
#[inline(always)]
fn encode(kind: MemoryType, value: u64) -> u64 {
    match kind {
        MemoryType::I1 => value & 1,
        MemoryType::Bf16 => FloatFormat::Bf16.from_register(value),
        MemoryType::F16 => FloatFormat::F16.from_register(value),
        _ => value,
    }
}

/// Does something for a type of memory in an arm of its own, in which only the code of that type is left.
macro_rules! each_type_alone {
    ($kind:expr, |$known:ident, $size:ident| $body:expr, $($type:ident: $bytes:literal)*) => {
        match $kind {
            $(MemoryType::$type => {
                const $size: usize = $bytes;
                let $known = MemoryType::$type;
                $body
            })*
        }
    };
}

/// Fills lanes from the bytes of consecutive elements.
pub(super) fn decode_lanes(kind: MemoryType, bytes: &[u8], lanes: &mut [u64]) {
    each_type_alone!(kind, |kind, SIZE| {
        for (lane, element) in lanes.iter_mut().zip(bytes.as_chunks::<SIZE>().0) {
            *lane = decode(kind, *element);
        }
    }, I1: 1 I8: 1 I16: 2 Bf16: 2 F16: 2 I32: 4 F32: 4 I64: 8 F64: 8);
}

/// Writes lanes as consecutive elements.
pub(super) fn encode_lanes(kind: MemoryType, lanes: &[u64], bytes: &mut [u8]) {
    each_type_alone!(kind, |kind, SIZE| {
        for (element, lane) in bytes.as_chunks_mut::<SIZE>().0.iter_mut().zip(lanes) {
            let value = encode(kind, *lane).to_le_bytes();
            *element = value.first_chunk().copied().unwrap_or_default();
        }
    }, I1: 1 I8: 1 I16: 2 Bf16: 2 F16: 2 I32: 4 F32: 4 I64: 8 F64: 8);
}

/// The fault of an access that found no memory. Sums that leave 32 bits are reported as the last
/// address.
#[cold]
pub(super) fn no_memory(address: u64) -> CoreFault {
    CoreFault::Address {
        address: u32::try_from(address).unwrap_or(u32::MAX),
    }
}

/// Packs lanes as memory holds them into a cascade transfer.
pub(super) fn pack_lanes<const WORDS: usize>(kind: MemoryType, lanes: &[u64]) -> [u32; WORDS] {
    let mut bytes = vec![0; WORDS * 4];
    encode_lanes(kind, lanes, &mut bytes);
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The inverse of [`pack_lanes`].
pub(super) fn unpack_lanes<const WORDS: usize>(
    kind: MemoryType,
    words: &[u32; WORDS],
    lanes: &mut [u64],
) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    decode_lanes(kind, &bytes, lanes);
}
