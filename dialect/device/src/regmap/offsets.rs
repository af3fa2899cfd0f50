//! Which register an offset is, by a look-up in two tables.

/// Bytes of a block of offsets, whose words are looked up by their places in it.
const BLOCK_BYTES: u32 = 0x100;
const BLOCK_WORDS: usize = BLOCK_BYTES as usize / 4;

/// The number of a block without registers, and that of a word without one: more than a tile has.
const NONE: u16 = u16::MAX;

/// The numbers of a tile's registers by their byte offsets.
#[derive(Debug, Default)]
pub(super) struct OffsetIndex {
    /// Numbers of the blocks of [`BLOCK_BYTES`] that have registers.
    blocks: Vec<u16>,
    /// Numbers of the registers of the words of these blocks.
    words: Vec<u16>,
}

/// The block that an offset is in, and which of its words it is.
fn place_of(offset: u32) -> (usize, usize) {
    let inside = (offset % BLOCK_BYTES) as usize;
    ((offset / BLOCK_BYTES) as usize, inside / 4)
}

impl OffsetIndex {
    /// Of registers at these byte offsets, ascending.
    pub(super) fn of(offsets: impl Iterator<Item = u32>) -> OffsetIndex {
        let mut index = OffsetIndex::default();
        for (number, offset) in offsets.enumerate() {
            let (block, word) = place_of(offset);
            if index.blocks.len() <= block {
                index.blocks.resize(block + 1, NONE);
            }
            if index.blocks[block] == NONE {
                index.blocks[block] = (index.words.len() / BLOCK_WORDS) as u16;
                index.words.resize(index.words.len() + BLOCK_WORDS, NONE);
            }
            index.words[usize::from(index.blocks[block]) * BLOCK_WORDS + word] = number as u16;
        }
        index
    }

    /// The number of the register whose word an offset is in, or one that no register has.
    pub(super) fn number(&self, offset: u32) -> Option<usize> {
        let (block, word) = place_of(offset);
        let block = *self.blocks.get(block)?;
        let number = self.words.get(usize::from(block) * BLOCK_WORDS + word)?;
        Some(usize::from(*number))
    }
}
