//! The state table: 32 words that the host gives and transactions change, and by which they change
//! addresses in registers (aie-rt: `driver/src/common/xaie_txn.h`; mlir-aie: `aiex.npu` scratchpad
//! operations).

/// Bits of an address's lower register that the firmware keeps when it adds to it.
pub(super) const ADDRESS_MASK: u32 = !3;

/// Words of the table.
pub(super) const WORDS: usize = 32;

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StateTable {
    words: [u32; WORDS],
    /// Host address and bytes of the scratch pad it came from.
    pub(super) pad: Option<(u64, usize)>,
}

/// The functions of the operations: multiply, increment, decrement.
fn apply(function: u8, entry: u32, argument: u32) -> Result<u32, String> {
    match function {
        0 => Ok(entry.wrapping_mul(argument)),
        1 => Ok(entry.wrapping_add(argument)),
        2 => Ok(entry.wrapping_sub(argument)),
        _ => Err(format!("{function} isn't a function of the state table")),
    }
}

impl StateTable {
    /// Takes the words of a scratch pad.
    pub(super) fn fill(&mut self, bytes: &[u8], address: u64) {
        for (word, chunk) in self.words.iter_mut().zip(bytes.chunks(4)) {
            let mut padded = [0; 4];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u32::from_le_bytes(padded);
        }
        self.pad = Some((address, bytes.len()));
    }

    /// The words as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// An entry with a function applied.
    pub(super) fn combined(&self, index: u8, function: u8, argument: u32) -> Result<u32, String> {
        let entry = self.words.get(usize::from(index));
        let entry =
            entry.ok_or_else(|| format!("the state table has {WORDS} words, not {index}"))?;
        apply(function, *entry, argument)
    }

    /// Changes an entry.
    pub(super) fn update(&mut self, index: u8, function: u8, argument: u32) -> Result<(), String> {
        let value = self.combined(index, function, argument)?;
        self.words[usize::from(index)] = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_change_by_functions() {
        let mut table = StateTable::default();
        table.fill(&[5, 0, 0, 0, 7], 0x1000);
        assert_eq!(table.combined(0, 0, 3), Ok(15));
        table.update(1, 2, 8).unwrap();
        assert_eq!(table.combined(1, 1, 1), Ok(0));
        assert!(table.update(32, 0, 0).is_err());
        assert!(table.combined(0, 3, 0).is_err());
        assert_eq!(table.bytes().len(), 4 * WORDS);
    }
}
