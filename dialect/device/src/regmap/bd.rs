//! Buffer descriptors: their meaning, and the layout of their words.
//!
//! [`BdFields`] holds values as a programmer means them. The register stores some of them
//! differently, and only this file knows how: steps, iteration step and iteration count are
//! stored minus 1, addresses in 32-bit words in core and mem tiles, lock values in 7 bits of two's
//! complement. Where a field sits comes from the register table by its name.
//!
//! Sources: AM025 and AM029 (DMA_BD*), `aie-rt: driver/src/dma/xaie_dma_aieml.c`.

use std::sync::OnceLock;

use super::bd_fields::BdFields;
use super::field::{Field, FieldLimit, FieldOverflow};
use super::map::{RegisterMap, RegisterRef};
use super::word::FromBits;
use crate::arch::{Arch, TileKind};

/// Declares the values of a descriptor: the member of [`BdFields`], what a message calls it, and
/// the register fields that hold it, each with the bit of the stored value at which it begins.
macro_rules! bd_keys {
    ($($key:ident: $member:ident $([$dim:literal])?, $what:literal,
        $($field:literal at $shift:literal)|+;)*) => {
        /// A value of [`BdFields`] by its register fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Key {
            $($key),*
        }

        impl Key {
            const ALL: &[Key] = &[$(Key::$key),*];

            /// The value that a register field of this name holds, and the bit of the stored
            /// value at which the field begins.
            fn of_field(name: &str) -> Option<(Key, u8)> {
                match name {
                    $($($field => Some((Key::$key, $shift)),)+)*
                    _ => None,
                }
            }

            /// The value's name in messages.
            fn what(self) -> &'static str {
                match self {
                    $(Key::$key => $what),*
                }
            }

            fn get(self, bd: &BdFields) -> i64 {
                if self == Key::Step3Zero {
                    return (bd.steps[3] == 0).into();
                }
                match self {
                    // A step of 0 is stored in its own bit; the field then holds the smallest value.
                    Key::Step3 if bd.steps[3] == 0 => 1,
                    Key::Address if bd.base_address > i64::MAX as u64 => i64::MAX,
                    $(Key::$key => bd.$member$([$dim])? as i64),*
                }
            }

            /// Sets the value. `value` fits: it came out of register fields.
            fn set(self, bd: &mut BdFields, value: i64) {
                // The bit is decoded after the step: it clears it, or says nothing.
                let value = match self {
                    Key::Step3Zero if value == 0 => return,
                    Key::Step3Zero => 0,
                    _ => value,
                };
                match self {
                    $(Key::$key => bd.$member$([$dim])? = FromBits::from_bits(value)),*
                }
            }
        }
    };
}

bd_keys! {
    Valid: valid, "valid bit", "Valid_BD" at 0;
    // Core and mem tiles hold word addresses; so do bits 31:2 of the shim.
    Address: base_address, "address (bytes)", "Base_Address" at 2 | "Base_Address_Low" at 2
        | "Base_Address_High" at 32 | "Base_Address_56_48" at 48;
    Length: length, "length (words)", "Buffer_Length" at 0;
    Step0: steps[0], "step of dimension 0 (words)", "D0_Stepsize" at 0;
    Step1: steps[1], "step of dimension 1 (words)", "D1_Stepsize" at 0;
    Step2: steps[2], "step of dimension 2 (words)", "D2_Stepsize" at 0;
    Step3: steps[3], "step of dimension 3 (words)", "D3_Stepsize" at 0;
    // Whether that step is 0, after the step itself.
    Step3Zero: steps[3], "step of dimension 3 (words)", "D3_Stepsize_Zero" at 0;
    Wrap0: wraps[0], "size of dimension 0", "D0_Wrap" at 0;
    Wrap1: wraps[1], "size of dimension 1", "D1_Wrap" at 0;
    Wrap2: wraps[2], "size of dimension 2", "D2_Wrap" at 0;
    IterationStep: iteration_step, "iteration step (words)", "Iteration_Stepsize" at 0;
    IterationCount: iteration_count, "iteration count", "Iteration_Wrap" at 0;
    IterationCurrent: iteration_current, "current iteration", "Iteration_Current" at 0;
    PacketEnable: packet_enable, "packet enable", "Enable_Packet" at 0;
    PacketId: packet_id, "packet id", "Packet_ID" at 0;
    PacketType: packet_type, "packet type", "Packet_Type" at 0;
    OutOfOrder: out_of_order_id, "out-of-order descriptor", "Out_Of_Order_BD_ID" at 0;
    UseNext: use_next, "chaining", "Use_Next_BD" at 0;
    Next: next_bd, "next descriptor", "Next_BD" at 0;
    AcqEnable: lock_acq_enable, "lock acquire", "Lock_Acq_Enable" at 0;
    AcqId: lock_acq_id, "lock id of the acquire", "Lock_Acq_ID" at 0;
    AcqValue: lock_acq_value, "lock value of the acquire", "Lock_Acq_Value" at 0;
    RelId: lock_rel_id, "lock id of the release", "Lock_Rel_ID" at 0;
    RelValue: lock_rel_value, "lock value of the release", "Lock_Rel_Value" at 0;
    TlastSuppress: tlast_suppress, "TLAST suppression", "TLAST_Suppress" at 0;
    Compression: compression, "compression", "Enable_Compression" at 0;
    // The high parts continue where the low parts of 5 and 4 bits end (AM029).
    PadBefore0: pad_before[0], "padding before dimension 0", "D0_Pad_Before" at 0 | "D0_Zero_Before" at 0;
    PadBefore1: pad_before[1], "padding before dimension 1", "D1_Pad_Before" at 0 | "D1_Zero_Before" at 0
        | "D1_Pad_Before_High" at 5;
    PadBefore2: pad_before[2], "padding before dimension 2", "D2_Pad_Before" at 0 | "D2_Zero_Before" at 0
        | "D2_Pad_Before_High" at 4;
    PadAfter0: pad_after[0], "padding after dimension 0", "D0_Pad_After" at 0 | "D0_Zero_After" at 0;
    PadAfter1: pad_after[1], "padding after dimension 1", "D1_Pad_After" at 0 | "D1_Zero_After" at 0
        | "D1_Pad_After_High" at 5;
    PadAfter2: pad_after[2], "padding after dimension 2", "D2_Pad_After" at 0 | "D2_Zero_After" at 0
        | "D2_Pad_After_High" at 4;
    Burst: burst, "burst length code", "Burst_Length" at 0;
    AxCache: ax_cache, "AxCache", "AxCache" at 0;
    AxQos: ax_qos, "AxQoS", "AxQoS" at 0;
    Smid: smid, "SMID", "SMID" at 0;
    Secure: secure, "secure access", "Secure_Access" at 0;
}

impl Key {
    /// Number subtracted from the value before it is stored.
    fn bias(self) -> i64 {
        match self {
            Key::Step0 | Key::Step1 | Key::Step2 | Key::Step3 => 1,
            Key::IterationStep | Key::IterationCount => 1,
            _ => 0,
        }
    }

    /// Whether the value is stored in two's complement.
    fn signed(self) -> bool {
        matches!(self, Key::AcqValue | Key::RelValue)
    }
}

/// Some bits of a value in one word.
#[derive(Clone, Copy, Debug)]
struct FieldPiece {
    word: u8,
    field: Field,
    /// Bit of the stored value at which the piece begins.
    shift: u8,
}

/// Where a value is stored.
#[derive(Clone, Debug)]
struct Slot {
    key: Key,
    pieces: Vec<FieldPiece>,
    /// Bits of the stored value that some piece holds.
    mask: u64,
    /// Stored form of the value in [`BdFields::default`], if no other key has the same field.
    default: Option<i64>,
}

impl Slot {
    fn new(key: Key) -> Slot {
        let shares = matches!(key, Key::Step3 | Key::Step3Zero);
        let default = key.get(&BdFields::default()) - key.bias();
        Slot {
            key,
            pieces: Vec::new(),
            mask: 0,
            default: (!shares).then_some(default),
        }
    }

    fn push(&mut self, piece: FieldPiece) {
        self.mask |= u64::from(piece.field.max()) << piece.shift;
        self.pieces.push(piece);
    }

    /// The stored value in the words of a descriptor. Missing words count as 0.
    fn bits(&self, words: &[u32]) -> u64 {
        self.pieces.iter().fold(0, |bits, piece| {
            let word = words.get(usize::from(piece.word)).copied().unwrap_or(0);
            bits | u64::from(piece.field.get(word)) << piece.shift
        })
    }

    fn overflow(&self, value: i64) -> FieldOverflow {
        let what = self.key.what();
        let bias = self.key.bias();
        let mask = self.mask;
        let limit = if mask == 0 {
            FieldLimit::Absent(bias)
        } else if self.key.signed() {
            let half = (mask as i64 + 1) / 2;
            FieldLimit::Range(-half, half - 1, 1)
        } else {
            FieldLimit::Range(bias, mask as i64 + bias, 1 << mask.trailing_zeros())
        };
        FieldOverflow { what, value, limit }
    }
}

/// The words of a buffer descriptor in one kind of tile.
#[derive(Debug)]
pub struct BdLayout {
    slots: Vec<Slot>,
    words: u8,
    stride: u32,
    address_word: u8,
    length_word: u8,
}

impl BdLayout {
    /// The layout in a kind of tile; `None` for tiles without DMA and for AIE1.
    pub fn of(arch: Arch, kind: TileKind) -> Option<&'static BdLayout> {
        static LAYOUTS: [[OnceLock<Option<BdLayout>>; 4]; 4] =
            [const { [const { OnceLock::new() }; 4] }; 4];
        let slot = &LAYOUTS[arch as usize - 1][kind as usize];
        slot.get_or_init(|| BdLayout::build(arch, kind)).as_ref()
    }

    fn build(arch: Arch, kind: TileKind) -> Option<BdLayout> {
        let map = RegisterMap::of(arch, kind)?;
        let mut slots: Vec<Slot> = Key::ALL.iter().copied().map(Slot::new).collect();
        let mut words = 0;
        let mut stride = 0;
        while let Some((register, _)) = map.register(RegisterRef::BdWord { bd: 0, word: words }) {
            // A register that is one number has no named field: the length of the shim.
            let whole = [Field::new("Buffer_Length", 31, 0)];
            let fields = match register.fields() {
                [] => &whole,
                fields => fields,
            };
            for &field in fields {
                let Some((key, shift)) = Key::of_field(field.name) else {
                    continue;
                };
                let slot = slots.iter_mut().find(|slot| slot.key == key)?;
                let word = words;
                slot.push(FieldPiece { word, field, shift });
            }
            stride = register.stride();
            words += 1;
        }
        if words == 0 {
            return None;
        }
        let first_word = |key| {
            let slot = slots.iter().find(|slot| slot.key == key)?;
            Some(slot.pieces.first()?.word)
        };
        let (address_word, length_word) = (first_word(Key::Address)?, first_word(Key::Length)?);
        Some(BdLayout {
            words,
            stride,
            address_word,
            length_word,
            slots,
        })
    }

    /// Words of a descriptor (32 bits each).
    pub const fn words(&self) -> u8 {
        self.words
    }

    /// Bytes from one descriptor to the next.
    pub const fn stride(&self) -> u32 {
        self.stride
    }

    /// The word that holds the (low part of the) base address.
    pub const fn address_word(&self) -> u8 {
        self.address_word
    }

    /// Bytes from the first register of a descriptor to [`BdLayout::address_word`].
    pub const fn address_offset(&self) -> u32 {
        self.address_word as u32 * size_of::<u32>() as u32
    }

    /// Bytes from the first register of a descriptor to the one that holds its length.
    pub const fn length_offset(&self) -> u32 {
        self.length_word as u32 * size_of::<u32>() as u32
    }

    /// The bits of [`BdLayout::address_word`] that hold the address.
    pub fn address_mask(&self) -> u32 {
        let pieces = self
            .slot(Key::Address)
            .into_iter()
            .flat_map(|slot| &slot.pieces);
        let here = pieces.filter(|piece| piece.word == self.address_word);
        here.fold(0, |mask, piece| mask | piece.field.mask())
    }

    /// The base address, in bytes, in the words of a descriptor. Missing words count as 0.
    pub fn address(&self, words: &[u32]) -> u64 {
        self.slot(Key::Address).map_or(0, |slot| slot.bits(words))
    }

    /// Replaces the base address, in bytes; bits that no field holds are dropped, missing words stay so.
    pub fn set_address(&self, words: &mut [u32], address: u64) {
        for piece in self
            .slot(Key::Address)
            .into_iter()
            .flat_map(|slot| &slot.pieces)
        {
            if let Some(word) = words.get_mut(usize::from(piece.word)) {
                let bits = (address >> piece.shift) as u32 & piece.field.max();
                *word = piece.field.set(*word, bits);
            }
        }
    }

    fn slot(&self, key: Key) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.key == key)
    }

    /// The words of a descriptor.
    ///
    /// # Errors
    /// The first value that the hardware cannot hold.
    pub fn pack(&self, bd: &BdFields) -> Result<Vec<u32>, FieldOverflow> {
        let mut words = vec![0; usize::from(self.words)];
        for slot in &self.slots {
            let value = slot.key.get(bd);
            let stored = value - slot.key.bias();
            if stored == 0 {
                continue;
            }
            let mask = slot.mask;
            let bits = if slot.key.signed() {
                let half = (mask as i64 + 1) / 2;
                if mask != 0 && !(-half..half).contains(&stored) {
                    return Err(slot.overflow(value));
                }
                (stored as u64) & if mask == 0 { u64::MAX } else { mask }
            } else {
                stored as u64
            };
            if bits & !mask != 0 {
                return Err(slot.overflow(value));
            }
            for piece in &slot.pieces {
                if let Some(word) = words.get_mut(usize::from(piece.word)) {
                    *word = piece.field.set(*word, (bits >> piece.shift) as u32);
                }
            }
        }
        Ok(words)
    }

    /// The following descriptor, if there is one: same as [`BdFields::next`] of the unpacked words,
    /// without unpacking the rest.
    pub fn next(&self, words: &[u32]) -> Option<u8> {
        let value = |key| Some(self.slot(key)?.bits(words));
        let uses_next = value(Key::UseNext)? != 0;
        uses_next.then_some(value(Key::Next)? as u8)
    }

    /// The meaning of the words of a descriptor. Missing words count as 0.
    pub fn unpack(&self, words: &[u32]) -> BdFields {
        let mut bd = BdFields::default();
        for slot in self.slots.iter().filter(|slot| !slot.pieces.is_empty()) {
            let bits = slot.bits(words);
            // Most values of most descriptors.
            if bits == 0 && slot.default == Some(0) {
                continue;
            }
            let stored = if slot.key.signed() {
                let unused = slot.mask.leading_zeros();
                ((bits << unused) as i64) >> unused
            } else {
                bits as i64
            };
            if slot.default != Some(stored) {
                slot.key.set(&mut bd, stored + slot.key.bias());
            }
        }
        bd
    }
}
