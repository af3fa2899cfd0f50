//! Buffer descriptors: what they mean, and how their words are laid out.
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
use crate::arch::{Arch, TileKind};

/// A value of [`BdFields`] by its register fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Valid,
    Address,
    Length,
    Step(u8),
    Step3Zero,
    Wrap(u8),
    IterationStep,
    IterationCount,
    IterationCurrent,
    PacketEnable,
    PacketId,
    PacketType,
    OutOfOrder,
    UseNext,
    Next,
    AcqEnable,
    AcqId,
    AcqValue,
    RelId,
    RelValue,
    TlastSuppress,
    Compression,
    PadBefore(u8),
    PadAfter(u8),
    Burst,
    AxCache,
    AxQos,
    Smid,
    Secure,
}

impl Key {
    const ALL: [Key; 38] = [
        Key::Valid,
        Key::Address,
        Key::Length,
        Key::Step(0),
        Key::Step(1),
        Key::Step(2),
        Key::Step(3),
        Key::Step3Zero,
        Key::Wrap(0),
        Key::Wrap(1),
        Key::Wrap(2),
        Key::IterationStep,
        Key::IterationCount,
        Key::IterationCurrent,
        Key::PacketEnable,
        Key::PacketId,
        Key::PacketType,
        Key::OutOfOrder,
        Key::UseNext,
        Key::Next,
        Key::AcqEnable,
        Key::AcqId,
        Key::AcqValue,
        Key::RelId,
        Key::RelValue,
        Key::TlastSuppress,
        Key::Compression,
        Key::PadBefore(0),
        Key::PadBefore(1),
        Key::PadBefore(2),
        Key::PadAfter(0),
        Key::PadAfter(1),
        Key::PadAfter(2),
        Key::Burst,
        Key::AxCache,
        Key::AxQos,
        Key::Smid,
        Key::Secure,
    ];

    /// The value that a register field of this name holds, and the bit of the stored value at
    /// which the field begins.
    fn of_field(name: &str) -> Option<(Key, u8)> {
        Some(match name {
            "Valid_BD" => (Key::Valid, 0),
            // Core and mem tiles hold word addresses; so do bits 31:2 of the shim.
            "Base_Address" | "Base_Address_Low" => (Key::Address, 2),
            "Base_Address_High" => (Key::Address, 32),
            "Base_Address_56_48" => (Key::Address, 48),
            "Buffer_Length" => (Key::Length, 0),
            "D0_Stepsize" => (Key::Step(0), 0),
            "D1_Stepsize" => (Key::Step(1), 0),
            "D2_Stepsize" => (Key::Step(2), 0),
            "D3_Stepsize" => (Key::Step(3), 0),
            "D3_Stepsize_Zero" => (Key::Step3Zero, 0),
            "D0_Wrap" => (Key::Wrap(0), 0),
            "D1_Wrap" => (Key::Wrap(1), 0),
            "D2_Wrap" => (Key::Wrap(2), 0),
            "Iteration_Stepsize" => (Key::IterationStep, 0),
            "Iteration_Wrap" => (Key::IterationCount, 0),
            "Iteration_Current" => (Key::IterationCurrent, 0),
            "Enable_Packet" => (Key::PacketEnable, 0),
            "Packet_ID" => (Key::PacketId, 0),
            "Packet_Type" => (Key::PacketType, 0),
            "Out_Of_Order_BD_ID" => (Key::OutOfOrder, 0),
            "Use_Next_BD" => (Key::UseNext, 0),
            "Next_BD" => (Key::Next, 0),
            "Lock_Acq_Enable" => (Key::AcqEnable, 0),
            "Lock_Acq_ID" => (Key::AcqId, 0),
            "Lock_Acq_Value" => (Key::AcqValue, 0),
            "Lock_Rel_ID" => (Key::RelId, 0),
            "Lock_Rel_Value" => (Key::RelValue, 0),
            "TLAST_Suppress" => (Key::TlastSuppress, 0),
            "Enable_Compression" => (Key::Compression, 0),
            "D0_Pad_Before" | "D0_Zero_Before" => (Key::PadBefore(0), 0),
            "D1_Pad_Before" | "D1_Zero_Before" => (Key::PadBefore(1), 0),
            "D2_Pad_Before" | "D2_Zero_Before" => (Key::PadBefore(2), 0),
            "D0_Pad_After" | "D0_Zero_After" => (Key::PadAfter(0), 0),
            "D1_Pad_After" | "D1_Zero_After" => (Key::PadAfter(1), 0),
            "D2_Pad_After" | "D2_Zero_After" => (Key::PadAfter(2), 0),
            // The high parts continue where the low parts of 5 and 4 bits end (AM029).
            "D1_Pad_Before_High" => (Key::PadBefore(1), 5),
            "D2_Pad_Before_High" => (Key::PadBefore(2), 4),
            "D1_Pad_After_High" => (Key::PadAfter(1), 5),
            "D2_Pad_After_High" => (Key::PadAfter(2), 4),
            "Burst_Length" => (Key::Burst, 0),
            "AxCache" => (Key::AxCache, 0),
            "AxQoS" => (Key::AxQos, 0),
            "SMID" => (Key::Smid, 0),
            "Secure_Access" => (Key::Secure, 0),
            _ => return None,
        })
    }

    /// What a message calls the value.
    fn what(self) -> &'static str {
        const STEPS: [&str; 4] = [
            "step of dimension 0 (words)",
            "step of dimension 1 (words)",
            "step of dimension 2 (words)",
            "step of dimension 3 (words)",
        ];
        const WRAPS: [&str; 3] = [
            "size of dimension 0",
            "size of dimension 1",
            "size of dimension 2",
        ];
        const BEFORE: [&str; 3] = [
            "padding before dimension 0",
            "padding before dimension 1",
            "padding before dimension 2",
        ];
        const AFTER: [&str; 3] = [
            "padding after dimension 0",
            "padding after dimension 1",
            "padding after dimension 2",
        ];
        match self {
            Key::Valid => "valid bit",
            Key::Address => "address (bytes)",
            Key::Length => "length (words)",
            Key::Step(dim) => STEPS[usize::from(dim & 3)],
            Key::Step3Zero => "step of dimension 3 (words)",
            Key::Wrap(dim) => WRAPS[usize::from(dim.min(2))],
            Key::IterationStep => "iteration step (words)",
            Key::IterationCount => "iteration count",
            Key::IterationCurrent => "current iteration",
            Key::PacketEnable => "packet enable",
            Key::PacketId => "packet id",
            Key::PacketType => "packet type",
            Key::OutOfOrder => "out-of-order descriptor",
            Key::UseNext => "chaining",
            Key::Next => "next descriptor",
            Key::AcqEnable => "lock acquire",
            Key::AcqId => "lock id of the acquire",
            Key::AcqValue => "lock value of the acquire",
            Key::RelId => "lock id of the release",
            Key::RelValue => "lock value of the release",
            Key::TlastSuppress => "TLAST suppression",
            Key::Compression => "compression",
            Key::PadBefore(dim) => BEFORE[usize::from(dim.min(2))],
            Key::PadAfter(dim) => AFTER[usize::from(dim.min(2))],
            Key::Burst => "burst length code",
            Key::AxCache => "AxCache",
            Key::AxQos => "AxQoS",
            Key::Smid => "SMID",
            Key::Secure => "secure access",
        }
    }

    /// What must be subtracted from the value before it is stored.
    fn bias(self) -> i64 {
        match self {
            Key::Step(_) | Key::IterationStep | Key::IterationCount => 1,
            _ => 0,
        }
    }

    /// Whether the value is stored in two's complement.
    fn signed(self) -> bool {
        matches!(self, Key::AcqValue | Key::RelValue)
    }

    fn get(self, bd: &BdFields) -> i64 {
        match self {
            Key::Valid => bd.valid.into(),
            Key::Address => bd.base_address.try_into().unwrap_or(i64::MAX),
            Key::Length => bd.length.into(),
            // A step of 0 is stored in its own bit; the field then holds the smallest value.
            Key::Step(3) if bd.steps[3] == 0 => 1,
            Key::Step(dim) => bd.steps[usize::from(dim & 3)].into(),
            Key::Step3Zero => (bd.steps[3] == 0).into(),
            Key::Wrap(dim) => bd.wraps[usize::from(dim.min(2))].into(),
            Key::IterationStep => bd.iteration_step.into(),
            Key::IterationCount => bd.iteration_count.into(),
            Key::IterationCurrent => bd.iteration_current.into(),
            Key::PacketEnable => bd.packet_enable.into(),
            Key::PacketId => bd.packet_id.into(),
            Key::PacketType => bd.packet_type.into(),
            Key::OutOfOrder => bd.out_of_order_id.into(),
            Key::UseNext => bd.use_next.into(),
            Key::Next => bd.next_bd.into(),
            Key::AcqEnable => bd.lock_acq_enable.into(),
            Key::AcqId => bd.lock_acq_id.into(),
            Key::AcqValue => bd.lock_acq_value.into(),
            Key::RelId => bd.lock_rel_id.into(),
            Key::RelValue => bd.lock_rel_value.into(),
            Key::TlastSuppress => bd.tlast_suppress.into(),
            Key::Compression => bd.compression.into(),
            Key::PadBefore(dim) => bd.pad_before[usize::from(dim.min(2))].into(),
            Key::PadAfter(dim) => bd.pad_after[usize::from(dim.min(2))].into(),
            Key::Burst => bd.burst.into(),
            Key::AxCache => bd.ax_cache.into(),
            Key::AxQos => bd.ax_qos.into(),
            Key::Smid => bd.smid.into(),
            Key::Secure => bd.secure.into(),
        }
    }

    /// Sets the value. `value` fits: it came out of register fields.
    fn set(self, bd: &mut BdFields, value: i64) {
        let byte = value as u8;
        let word = value as u32;
        let bit = value != 0;
        match self {
            Key::Valid => bd.valid = bit,
            Key::Address => bd.base_address = value as u64,
            Key::Length => bd.length = word,
            Key::Step(dim) => bd.steps[usize::from(dim & 3)] = word,
            // Decoded after Step(3), see the order of ALL.
            Key::Step3Zero if bit => bd.steps[3] = 0,
            Key::Step3Zero => {}
            Key::Wrap(dim) => bd.wraps[usize::from(dim.min(2))] = word,
            Key::IterationStep => bd.iteration_step = word,
            Key::IterationCount => bd.iteration_count = word,
            Key::IterationCurrent => bd.iteration_current = word,
            Key::PacketEnable => bd.packet_enable = bit,
            Key::PacketId => bd.packet_id = byte,
            Key::PacketType => bd.packet_type = byte,
            Key::OutOfOrder => bd.out_of_order_id = byte,
            Key::UseNext => bd.use_next = bit,
            Key::Next => bd.next_bd = byte,
            Key::AcqEnable => bd.lock_acq_enable = bit,
            Key::AcqId => bd.lock_acq_id = byte,
            Key::AcqValue => bd.lock_acq_value = byte as i8,
            Key::RelId => bd.lock_rel_id = byte,
            Key::RelValue => bd.lock_rel_value = byte as i8,
            Key::TlastSuppress => bd.tlast_suppress = bit,
            Key::Compression => bd.compression = bit,
            Key::PadBefore(dim) => bd.pad_before[usize::from(dim.min(2))] = word,
            Key::PadAfter(dim) => bd.pad_after[usize::from(dim.min(2))] = word,
            Key::Burst => bd.burst = byte,
            Key::AxCache => bd.ax_cache = byte,
            Key::AxQos => bd.ax_qos = byte,
            Key::Smid => bd.smid = byte,
            Key::Secure => bd.secure = bit,
        }
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
    /// What is stored of [`BdFields::default`], if no other key has the same field.
    default: Option<i64>,
}

impl Slot {
    fn new(key: Key) -> Slot {
        let shares = matches!(key, Key::Step(3) | Key::Step3Zero);
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
        let mut slots: Vec<Slot> = Key::ALL.into_iter().map(Slot::new).collect();
        let mut words = 0;
        let mut stride = 0;
        while let Some((register, _)) = map.register(RegisterRef::BdWord { bd: 0, word: words }) {
            for &field in register.fields() {
                if let Some((key, shift)) = Key::of_field(field.name) {
                    let piece = FieldPiece {
                        word: words,
                        field,
                        shift,
                    };
                    slots
                        .iter_mut()
                        .filter(|slot| slot.key == key)
                        .for_each(|slot| slot.push(piece));
                }
            }
            // A register that is one number has no named field: the length of the shim.
            if register.fields().is_empty() {
                let whole = Field::new("Buffer_Length", 31, 0);
                let piece = FieldPiece {
                    word: words,
                    field: whole,
                    shift: 0,
                };
                slots
                    .iter_mut()
                    .filter(|slot| slot.key == Key::Length)
                    .for_each(|slot| slot.push(piece));
            }
            stride = register.stride();
            words += 1;
        }
        if words == 0 {
            return None;
        }
        let address = slots.iter().find(|slot| slot.key == Key::Address)?;
        let address_word = address.pieces.first()?.word;
        Some(BdLayout {
            words,
            stride,
            address_word,
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

    /// The following descriptor, if there is one: what [`BdFields::next`] answers of the words' meaning,
    /// without the rest of it.
    pub fn next(&self, words: &[u32]) -> Option<u8> {
        let value = |key| {
            let slot = self.slots.iter().find(|slot| slot.key == key)?;
            Some(slot.bits(words))
        };
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
