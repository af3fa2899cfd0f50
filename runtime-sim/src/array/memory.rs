//! Data and program memories of tiles: little-endian bytes, no timing of their own.

/// One memory of a tile. The address unit is the byte, local to the memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    /// A memory of `len` zero bytes.
    pub fn new(len: u32) -> Memory {
        Memory {
            bytes: vec![0; len as usize],
        }
    }

    /// Size in bytes.
    pub fn len(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// True for tiles without such a memory.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Takes all bytes away, or puts them back.
    pub fn swap(&mut self, bytes: &mut Vec<u8>) {
        std::mem::swap(&mut self.bytes, bytes);
    }

    /// `len` bytes from `addr`, or `None` if they aren't all inside.
    pub fn read(&self, addr: u32, len: u32) -> Option<&[u8]> {
        self.bytes.get(addr as usize..addr as usize + len as usize)
    }

    /// Same as [`Self::read`], for a write.
    pub fn write(&mut self, addr: u32, len: u32) -> Option<&mut [u8]> {
        self.bytes
            .get_mut(addr as usize..addr as usize + len as usize)
    }

    /// The word at byte address `addr`.
    pub fn word(&self, addr: u32) -> Option<u32> {
        let bytes = self.read(addr, 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Stores a word at byte address `addr`; false if it isn't inside.
    #[must_use]
    pub fn set_word(&mut self, addr: u32, value: u32) -> bool {
        let word = self.write(addr, 4);
        word.map(|word| word.copy_from_slice(&value.to_le_bytes()))
            .is_some()
    }

    /// Clears every byte (memory zeroisation).
    pub fn zero(&mut self) {
        self.bytes.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_overlay_bytes() {
        let mut memory = Memory::new(16);
        assert!(memory.set_word(4, 0xA1B2_C3D4));
        assert_eq!(memory.read(4, 4), Some(&[0xD4, 0xC3, 0xB2, 0xA1][..]));
        assert_eq!(memory.word(4), Some(0xA1B2_C3D4));
        assert_eq!(memory.word(14), None);
        assert!(!memory.set_word(16, 1));
    }
}
