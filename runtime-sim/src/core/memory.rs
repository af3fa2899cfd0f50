//! Access to the memories that a core sees.

use aiec_device::core_program::MemoryType;
use half::{bf16, f16};

use super::bus::{CoreFault, CoreMemory};
use super::scalar::sext;

/// The first window begins at this many window sizes (AM020; AM009).
const FIRST_WINDOW: u64 = 4;

impl CoreMemory<'_> {
    #[inline(always)]
    fn place(&self, address: u64) -> (usize, usize) {
        let window = (address >> self.window_bits).wrapping_sub(FIRST_WINDOW);
        let inside = address & ((1 << self.window_bits) - 1);
        (window as usize, inside as usize)
    }

    #[inline(always)]
    fn bytes<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (window, inside) = self.place(address);
        self.windows
            .get(window)?
            .get(inside..)?
            .first_chunk::<N>()
            .copied()
    }

    #[inline(always)]
    fn bytes_mut<const N: usize>(&mut self, address: u64) -> Option<&mut [u8; N]> {
        let (window, inside) = self.place(address);
        self.windows
            .get_mut(window)?
            .get_mut(inside..)?
            .first_chunk_mut::<N>()
    }

    /// The value at an address in the form of a register.
    #[inline(always)]
    pub(super) fn load(&self, kind: MemoryType, address: u64) -> Option<u64> {
        Some(match kind {
            MemoryType::I1 => u64::from(self.bytes::<1>(address)?[0] & 1).wrapping_neg(),
            MemoryType::I8 => sext(self.bytes::<1>(address)?[0].into(), 8),
            MemoryType::I16 => sext(u16::from_le_bytes(self.bytes(address)?).into(), 16),
            MemoryType::I32 => sext(u32::from_le_bytes(self.bytes(address)?).into(), 32),
            MemoryType::F32 => u32::from_le_bytes(self.bytes(address)?).into(),
            MemoryType::I64 | MemoryType::F64 => u64::from_le_bytes(self.bytes(address)?),
            MemoryType::Bf16 => f32::from(bf16::from_le_bytes(self.bytes(address)?))
                .to_bits()
                .into(),
            MemoryType::F16 => f32::from(f16::from_le_bytes(self.bytes(address)?))
                .to_bits()
                .into(),
        })
    }

    /// Stores the value of a register.
    #[inline(always)]
    pub(super) fn store(&mut self, kind: MemoryType, address: u64, value: u64) -> Option<()> {
        match kind {
            MemoryType::I1 => *self.bytes_mut::<1>(address)? = [(value & 1) as u8],
            MemoryType::I8 => *self.bytes_mut::<1>(address)? = [value as u8],
            MemoryType::I16 => *self.bytes_mut(address)? = (value as u16).to_le_bytes(),
            MemoryType::I32 | MemoryType::F32 => {
                *self.bytes_mut(address)? = (value as u32).to_le_bytes();
            }
            MemoryType::I64 | MemoryType::F64 => *self.bytes_mut(address)? = value.to_le_bytes(),
            MemoryType::Bf16 => {
                let value = bf16::from_f32(f32::from_bits(value as u32));
                *self.bytes_mut(address)? = value.to_le_bytes();
            }
            MemoryType::F16 => {
                let value = f16::from_f32(f32::from_bits(value as u32));
                *self.bytes_mut(address)? = value.to_le_bytes();
            }
        }
        Some(())
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
        Some(())
    }
}

/// The fault of an access that found no memory.
#[cold]
pub(super) fn no_memory(address: u64) -> CoreFault {
    CoreFault::Address {
        address: u32::try_from(address).unwrap_or(u32::MAX),
    }
}

/// Packs lanes as memory holds them into a cascade transfer.
pub(super) fn pack_lanes<const WORDS: usize>(kind: MemoryType, lanes: &[u64]) -> [u32; WORDS] {
    let mut bytes = vec![0; WORDS * 4];
    let size = kind.bytes() as usize;
    for (chunk, lane) in bytes.chunks_exact_mut(size).zip(lanes) {
        let raw = match kind {
            MemoryType::Bf16 => bf16::from_f32(f32::from_bits(*lane as u32))
                .to_bits()
                .into(),
            MemoryType::F16 => f16::from_f32(f32::from_bits(*lane as u32)).to_bits().into(),
            MemoryType::I1 => lane & 1,
            _ => *lane,
        };
        chunk.copy_from_slice(&raw.to_le_bytes()[..size]);
    }
    let mut words = [0; WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    }
    words
}

/// The inverse of [`pack_lanes`].
pub(super) fn unpack_lanes<const WORDS: usize>(
    kind: MemoryType,
    words: &[u32; WORDS],
    lanes: &mut [u64],
) {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let window_bits = bytes.len().trailing_zeros();
    let memory = CoreMemory {
        windows: [&mut bytes, &mut [], &mut [], &mut []],
        window_bits,
    };
    let base = FIRST_WINDOW << window_bits;
    for (place, lane) in lanes.iter_mut().enumerate() {
        let address = base + place as u64 * u64::from(kind.bytes());
        *lane = memory.load(kind, address).unwrap_or(0);
    }
}
