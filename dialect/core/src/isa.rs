//! The data model of an instruction set: slots, formats of bundles, instructions, register classes,
//! relocations. [`CoreIsa::of`] gives that of an architecture, read once from its table.

use smallvec::SmallVec;

use crate::arch::CoreArch;
use crate::register::Register;
use crate::timing::Timing;

aiec_diag::named_enum! {
    /// A slot of a bundle: the unit that executes the instruction in it.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Slot {
        /// Loads, moves from streams, pointer arithmetic; stores of bytes and half words.
        LoadA => "lda",
        /// Loads, unpacking, pointer arithmetic.
        LoadB => "ldb",
        /// Stores, shift-round-saturate, packing, moves to streams.
        Store => "st",
        /// Scalar arithmetic, branches, locks.
        Alu => "alu",
        /// Moves, and vector operations other than products.
        Move => "mv",
        /// Products and accumulators.
        Vector => "vec",
        /// The ALU and move slots together: immediates of 32 bits, absolute branches.
        Long => "lng",
        /// The slot of the bundle that does nothing.
        Nop => "nop",
    }
}

/// A set of slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SlotSet(u8);

impl SlotSet {
    /// With `slot` too.
    #[must_use]
    pub fn with(self, slot: Slot) -> SlotSet {
        SlotSet(self.0 | 1 << slot as u8)
    }

    /// Whether `slot` is in it.
    pub fn contains(self, slot: Slot) -> bool {
        self.0 & 1 << slot as u8 != 0
    }

    /// Whether all of `others` are in it.
    pub fn contains_all(self, others: SlotSet) -> bool {
        self.0 & others.0 == others.0
    }

    /// Number of its slots.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// All sets, in the order of [`SlotSet::index`].
    pub(crate) fn all() -> impl Iterator<Item = SlotSet> {
        (0..SLOT_SETS).map(|bits| SlotSet(bits as u8))
    }

    /// The number of the set in a table of all of them.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Sets of slots.
pub(crate) const SLOT_SETS: usize = 1 << Slot::ALL.len();

/// Layout of the slots in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Format {
    /// The name in llvm-aie: `I32_LDA`.
    pub name: &'static str,
    /// Length of the bundle in bytes: 2 to 16.
    pub bytes: u8,
    /// The bits that tell this format, at their places.
    pub fixed: u128,
    /// Which bits those are.
    pub mask: u128,
    /// Its slots, each with its lowest bit in the bundle.
    pub slots: SmallVec<[(Slot, u8); 7]>,
    /// The slots as a set.
    pub slot_set: SlotSet,
}

/// Addressing mode of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressMode {
    /// `[p, dj]`
    IndexRegister,
    /// `[p, #imm]`
    IndexImmediate,
    /// `[p], m`: adds `m` afterwards.
    PostModifier,
    /// `[p], #imm`: adds the immediate afterwards.
    PostImmediate,
    /// `[p], d`: two-dimensional update afterwards.
    Post2D,
    /// `[p], d`: three-dimensional update afterwards.
    Post3D,
    /// `[sp, #imm]`
    Stack,
    /// Anything else: `[p]`, parallel look-ups, fifos.
    Other,
}

impl AddressMode {
    pub(crate) const NAMES: [(&'static str, AddressMode); 8] = [
        ("ptr-dj", AddressMode::IndexRegister),
        ("ptr-imm", AddressMode::IndexImmediate),
        ("post-m", AddressMode::PostModifier),
        ("post-imm", AddressMode::PostImmediate),
        ("post-2d", AddressMode::Post2D),
        ("post-3d", AddressMode::Post3D),
        ("sp-imm", AddressMode::Stack),
        ("other", AddressMode::Other),
    ];

    /// Whether the pointer moves.
    pub fn walks(self) -> bool {
        matches!(
            self,
            AddressMode::PostModifier
                | AddressMode::PostImmediate
                | AddressMode::Post2D
                | AddressMode::Post3D
        )
    }
}

/// Memory access of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryAccess {
    /// Bytes in memory.
    pub bytes: u8,
    /// Addressing mode.
    pub mode: AddressMode,
}

/// Sign of an immediate field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImmediateSign {
    /// Two's complement.
    Signed,
    /// Not negative.
    Unsigned,
    /// Always negative: the field less 2^width. Offsets from the stack pointer.
    Negative,
}

/// Kind of a field of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// A register of the class with this index in [`CoreIsa::classes`].
    Register {
        /// The class's index.
        class: u16,
    },
    /// A number.
    Immediate {
        /// Sign of its bits.
        sign: ImmediateSign,
        /// Unit of the field: the value is the field times this.
        scale: u8,
        /// Whether the value counts from the bundle's own address.
        pc_relative: bool,
    },
    /// A register whose codes no public source states; the class's name in llvm-aie.
    Unconfirmed {
        /// The class's name.
        class: &'static str,
    },
}

/// A field of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperandField {
    /// Its name in llvm-aie.
    pub name: &'static str,
    /// Its kind.
    pub kind: OperandKind,
    /// Where its bits are in the slot, the value's lowest bits first: lowest bit and width.
    pub segments: SmallVec<[(u8, u8); 2]>,
}

impl OperandField {
    /// Width of the field in bits.
    pub fn width(&self) -> u32 {
        self.segments
            .iter()
            .map(|(_, width)| u32::from(*width))
            .sum()
    }

    /// The field's bits in a slot's word.
    pub fn extract(&self, word: u64) -> u64 {
        let mut value = 0;
        let mut at = 0;
        for (lsb, width) in &self.segments {
            value |= (word >> lsb & low_bits(u32::from(*width))) << at;
            at += u32::from(*width);
        }
        value
    }

    /// The slot's bits that hold `value`.
    pub fn place(&self, value: u64) -> u64 {
        let mut word = 0;
        let mut at = 0;
        for (lsb, width) in &self.segments {
            word |= (value >> at & low_bits(u32::from(*width))) << lsb;
            at += u32::from(*width);
        }
        word
    }
}

/// The lowest `width` bits set; `width` up to 64.
pub(crate) fn low_bits(width: u32) -> u64 {
    if width >= u64::BITS {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// A part of an instruction's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextPart {
    /// These characters.
    Literal(&'static str),
    /// The operand with this index.
    Operand(u8),
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// The name in llvm-aie: `ADD_add_r_ri`.
    pub name: &'static str,
    /// Its slot.
    pub slot: Slot,
    /// The bits that tell it, at their places in the slot.
    pub fixed: u64,
    /// Which bits those are.
    pub mask: u64,
    /// The first word of its text: `add`.
    pub mnemonic: &'static str,
    /// Its text, mnemonic first.
    pub text: Vec<TextPart>,
    /// Its fields.
    pub operands: Vec<OperandField>,
    /// Its memory access, if it makes one.
    pub memory: Option<MemoryAccess>,
    /// Whether it loads.
    pub is_load: bool,
    /// Whether it stores.
    pub is_store: bool,
    /// Bundles after it that execute before its branch takes place.
    pub delay_slots: u8,
    /// Registers that it reads besides its operands.
    pub uses: Vec<Register>,
    /// Registers that it writes besides its operands.
    pub defs: Vec<Register>,
    /// Whether an operand is both read and written: pointers that are updated, accumulators.
    pub is_tied: bool,
}

impl Instruction {
    /// The first operand whose register codes no public source states.
    pub fn unconfirmed_operand(&self) -> Option<&OperandField> {
        let mut operands = self.operands.iter();
        operands.find(|field| matches!(field.kind, OperandKind::Unconfirmed { .. }))
    }

    /// Whether its address is the stack pointer, or it moves that.
    pub fn addresses_stack(&self) -> bool {
        let mut parts = self.text.iter();
        parts.any(|part| matches!(part, TextPart::Literal(literal) if literal.contains("[sp")))
    }

    /// The index of the operand of this name.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|field| field.name == name)
    }
}

/// Registers that a field can name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisterClass {
    /// The name in llvm-aie.
    pub name: &'static str,
    /// The register of each code.
    by_code: Vec<Option<Register>>,
}

impl RegisterClass {
    pub(crate) fn new(name: &'static str) -> RegisterClass {
        RegisterClass {
            name,
            by_code: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, code: usize, register: Register) {
        if self.by_code.len() <= code {
            self.by_code.resize(code + 1, None);
        }
        self.by_code[code] = Some(register);
    }

    /// The register of a code.
    pub fn register(&self, code: u64) -> Option<Register> {
        let code = usize::try_from(code).ok()?;
        self.by_code.get(code).copied().flatten()
    }

    /// The code of a register.
    pub fn code(&self, register: Register) -> Option<u64> {
        let mut codes = self.by_code.iter();
        let code = codes.position(|known| *known == Some(register))?;
        Some(code as u64)
    }

    /// Its registers, in the order of their codes.
    pub fn registers(&self) -> impl Iterator<Item = Register> {
        self.by_code.iter().flatten().copied()
    }
}

/// Field that a relocation patches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RelocationField {
    /// An address of 20 bits in a bundle.
    Address20,
    /// A signed immediate of this many bits in a bundle.
    Signed(u8),
    /// An immediate of this many bits that is not negative, in a bundle.
    Unsigned(u8),
    /// An immediate of 32 bits in a bundle.
    Immediate32,
    /// The low 20 bits of a data word.
    Data20,
    /// A data word.
    Data32,
}

/// A type of relocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Its number in ELF files.
    pub number: u32,
    /// Length in bytes of the bundle or data that it patches.
    pub bytes: u8,
    /// The field that it patches.
    pub field: RelocationField,
    /// Whether the value counts from the patched place.
    pub pc_relative: bool,
    /// Where the value's bits go: lowest bit in the bundle, lowest bit in the value, width.
    pub segments: SmallVec<[(u8, u8, u8); 2]>,
}

impl Relocation {
    /// Whether it patches a bundle, not a data word.
    pub fn is_in_bundle(&self) -> bool {
        !matches!(
            self.field,
            RelocationField::Data20 | RelocationField::Data32
        )
    }
}

/// The instruction set of an architecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreIsa {
    /// The architecture.
    pub arch: CoreArch,
    /// Length of a bundle in bytes by the low five bits of its first byte; 0: no bundle.
    pub(crate) lengths: [u8; 32],
    /// Width of each slot in bits, in the order of [`Slot::ALL`].
    pub(crate) slot_widths: [u8; 8],
    /// Formats, shortest first.
    pub formats: Vec<Format>,
    /// The shortest format that has all slots of each set: schedulers ask for it at each place that they try.
    pub(crate) shortest_formats: [Option<u8>; SLOT_SETS],
    /// Instructions; a [`crate::SlotInstruction`] has an index into them.
    pub instructions: Vec<Instruction>,
    /// Register classes.
    pub classes: Vec<RegisterClass>,
    /// Relocations by number.
    pub relocations: Vec<Relocation>,
    /// Indices of each slot's instructions, those with most fixed bits first.
    pub(crate) by_slot: [Vec<u16>; 8],
    /// When instructions read and write.
    pub timing: Timing,
}

impl CoreIsa {
    /// Width of a slot in bits.
    pub fn slot_width(&self, slot: Slot) -> u32 {
        u32::from(self.slot_widths[slot as usize])
    }

    /// Length in bytes of the bundle that begins with this byte: 2 to 16.
    pub fn bundle_length(&self, first_byte: u8) -> Option<u8> {
        let length = self.lengths[usize::from(first_byte & 0x1F)];
        (length != 0).then_some(length)
    }

    /// The class with this index of [`OperandKind::Register`].
    pub fn class(&self, index: u16) -> &RegisterClass {
        &self.classes[usize::from(index)]
    }

    /// The relocation of this number.
    pub fn relocation(&self, number: u32) -> Option<&Relocation> {
        self.relocations.iter().find(|known| known.number == number)
    }
}
