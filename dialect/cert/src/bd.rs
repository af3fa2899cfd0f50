//! uC-DMA descriptors: 16 bytes, 16-byte aligned, chained by following one another.
//!
//! [`BD_FIELDS`] lists their fields (AM029 uC-DMA; aiebu: src/cpp/ops/ops.cpp).

/// Size of a descriptor in bytes.
pub const UC_BD_BYTES: usize = 16;
/// Most 32-bit words one descriptor moves.
pub const UC_BD_MAX_WORDS: u32 = 0x7FFF;

/// A field of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BdField {
    /// Name.
    pub name: &'static str,
    /// Word it is in.
    pub word: u8,
    /// Its lowest bit.
    pub bit: u8,
    /// Width in bits.
    pub bits: u8,
    /// Description.
    pub doc: &'static str,
}

const fn field(name: &'static str, word: u8, (bit, bits): (u8, u8), doc: &'static str) -> BdField {
    BdField {
        name,
        word,
        bit,
        bits,
        doc,
    }
}

/// The fields of a descriptor.
pub static BD_FIELDS: &[BdField] = &[
    field("words", 0, (0, 15), "Length in 32-bit words."),
    field(
        "next",
        0,
        (16, 1),
        "Another descriptor follows directly after this one.",
    ),
    field(
        "external",
        0,
        (17, 1),
        "The remote address is outside the array.",
    ),
    field(
        "relative",
        0,
        (18, 1),
        "The local address is relative to the descriptor; always 1.",
    ),
    field(
        "local",
        1,
        (0, 32),
        "Local address: of the label, from the descriptor on, signed.",
    ),
    field("address_low", 2, (0, 32), "Low bits of the remote address."),
    field(
        "address_high",
        3,
        (0, 29),
        "High bits of the remote address; 0 on present devices.",
    ),
];

const LENGTH_MASK: u32 = 0x7FFF;
const NEXT: u32 = 1 << 16;
const EXTERNAL: u32 = 1 << 17;
const LOCAL_RELATIVE: u32 = 1 << 18;
const HIGH_MASK: u32 = 0x1FFF_FFFF;

/// A descriptor. `L` names the local side: a data block before layout, a byte offset relative to
/// the descriptor once encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UcDmaBd<L> {
    /// Address on the register bus of the array (up to 61 bits; present devices use 32).
    pub remote: u64,
    /// The data.
    pub local: L,
    /// Length in 32-bit words, 1..=32767.
    pub words: u32,
    /// The remote address is outside the array; not on present devices.
    pub external: bool,
    /// Another descriptor of the same chain follows.
    pub next: bool,
}

impl<L> UcDmaBd<L> {
    /// A descriptor that writes `words` words from `local` to an array address.
    pub fn write(remote: u32, local: L, words: u32) -> Self {
        Self {
            remote: u64::from(remote),
            local,
            words,
            external: false,
            next: false,
        }
    }
}

impl<L> UcDmaBd<L> {
    /// A descriptor of the same transfer, of other data.
    pub fn with_local<M>(&self, local: M) -> UcDmaBd<M> {
        let &Self {
            remote,
            words,
            external,
            next,
            ..
        } = self;
        UcDmaBd {
            remote,
            local,
            words,
            external,
            next,
        }
    }
}

impl UcDmaBd<u32> {
    /// The four words. Lengths and high address bits are cut to their fields.
    pub fn to_words(&self) -> [u32; 4] {
        let mut head = self.words & LENGTH_MASK | LOCAL_RELATIVE;
        if self.next {
            head |= NEXT;
        }
        if self.external {
            head |= EXTERNAL;
        }
        [
            head,
            self.local,
            self.remote as u32,
            (self.remote >> 32) as u32 & HIGH_MASK,
        ]
    }

    /// From the four words, together with whether the local address is relative.
    pub fn from_words(words: [u32; 4]) -> (Self, bool) {
        let bd = Self {
            remote: u64::from(words[3] & HIGH_MASK) << 32 | u64::from(words[2]),
            local: words[1],
            words: words[0] & LENGTH_MASK,
            external: words[0] & EXTERNAL != 0,
            next: words[0] & NEXT != 0,
        };
        (bd, words[0] & LOCAL_RELATIVE != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_as_the_vendor_does() {
        let bd = UcDmaBd {
            remote: 0x1F_FFFF_FFFC,
            local: 0x50,
            words: 0x7FFF,
            external: true,
            next: true,
        };
        assert_eq!(bd.to_words(), [0x0007_7FFF, 0x50, 0xFFFF_FFFC, 0x1F]);
        assert_eq!(UcDmaBd::from_words(bd.to_words()), (bd, true));
    }
}
