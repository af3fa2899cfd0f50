//! Kinds of instruction fields and the values they carry.

use std::fmt;

use aiec_diag::named_enum;

use crate::names::{ActorId, Target, TileId};

named_enum! {
    /// Meaning of a field; decides how the assembler reads it and how the printer writes it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FieldKind {
        /// Register of the controller, `$r0..$r23` or `$g0..$g15`.
        Register => "register",
        /// Local barrier `$lb0..$lb15`.
        LocalBarrier => "local-barrier",
        /// Remote barrier `$rbN`.
        RemoteBarrier => "remote-barrier",
        /// Number of a job.
        Job => "job",
        /// Bytes from START_JOB through END_JOB; computed by the assembler, never written in text.
        JobSize => "job-size",
        /// Label of data in the same page.
        Label => "label",
        /// Scope, encoded as the number of its first page.
        Scope => "scope",
        /// Address on the register bus of the array.
        Address => "address",
        /// Index of a host argument, see [`ArgOffset`].
        Argument => "argument",
        /// Tile, `TILE_c_r`.
        Tile => "tile",
        /// Task-complete-token actor, see [`crate::names`].
        Actor => "actor",
        /// Any number.
        Number => "number",
    }
}

impl FieldKind {
    /// Syntax in text; empty for fields that aren't written.
    pub const fn syntax(self) -> &'static str {
        match self {
            Self::Register => "$r0..$r23, $g0..$g15",
            Self::LocalBarrier => "$lb0..$lb15",
            Self::RemoteBarrier => "$rb0..$rb64",
            Self::JobSize => "",
            Self::Label | Self::Scope => "@name",
            Self::Tile => "TILE_c_r",
            Self::Actor => "SHIM_S2MM_0, …",
            Self::Job | Self::Address | Self::Argument | Self::Number => "decimal or 0x…",
        }
    }

    /// Encoding of the value.
    pub const fn encoding(self) -> &'static str {
        match self {
            Self::Register => "$rN is N, $gN is N + 8; 0 to 7 are private to a job",
            Self::LocalBarrier => "$lbN is N",
            Self::RemoteBarrier => "$rbN is N + 1; 0 is never a remote barrier",
            Self::Job => "as written",
            Self::JobSize => "bytes from the start of the job through END_JOB; never written",
            Self::Label => "bytes from the end of the page header to the block",
            Self::Scope => "number of the scope's first page in this controller",
            Self::Address => "address on the register bus of the array, as written",
            Self::Argument => "twice the index of a host argument; 0xFFFF is this code's page 0",
            Self::Tile => "column * 32 + row",
            Self::Actor => "number of the actor, by target",
            Self::Number => "as written",
        }
    }

    /// Highest encoded value where it is not the highest that the field holds.
    pub const fn max(self) -> Option<u32> {
        match self {
            Self::Register => Some(Reg::COUNT as u32 - 1),
            Self::LocalBarrier => Some(Barrier::LOCAL_COUNT as u32 - 1),
            Self::RemoteBarrier => Some(Barrier::REMOTE_MAX as u32 + 1),
            Self::Tile => Some((1 << (TileId::COLUMN_BITS + TileId::ROW_BITS)) - 1),
            _ => None,
        }
    }
}

/// A field of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldInfo {
    /// Name as the published instruction set writes it.
    pub name: &'static str,
    /// Its meaning.
    pub kind: FieldKind,
    /// Byte offset in the instruction.
    pub offset: u8,
    /// Width in bits: 8, 16 or 32.
    pub bits: u8,
    /// Description, one line.
    pub doc: &'static str,
}

impl FieldInfo {
    /// True if the field is written as an operand in text.
    pub const fn in_text(&self) -> bool {
        !matches!(self.kind, FieldKind::JobSize)
    }

    /// Highest value that is encoded.
    pub const fn max(&self) -> u32 {
        match self.kind.max() {
            Some(max) => max,
            None => u32::MAX >> (32 - self.bits as u32),
        }
    }
}

named_enum! {
    /// Where an instruction may be.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FlowClass {
        /// Begins a job.
        JobStart => "job-start",
        /// Ends a job.
        JobEnd => "job-end",
        /// Ends the text of a page.
        PageEnd => "page-end",
        /// Inside a job.
        Body => "body",
    }
}

/// Access that an instruction makes on the register bus of the array, at least once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusAccess {
    /// Nothing, or the uC-DMA does.
    None,
    /// Reads a register.
    Read,
    /// Writes a register.
    Write,
    /// Reads a register and writes it.
    ReadWrite,
}

/// Targets that have an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSet {
    /// aie2ps and aie4.
    All,
    /// aie4 only.
    Aie4,
}

impl TargetSet {
    /// The targets.
    pub const fn targets(self) -> &'static [Target] {
        match self {
            Self::All => &Target::ALL,
            Self::Aie4 => &[Target::Aie4],
        }
    }
}

/// A row of the instruction table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpInfo {
    /// Mnemonic in the vendor's upper-case spelling.
    pub mnemonic: &'static str,
    /// Byte 0 of the instruction.
    pub opcode: u8,
    /// Size in bytes.
    pub size: u8,
    /// Where it may be.
    pub flow: FlowClass,
    /// Who has it.
    pub targets: TargetSet,
    /// Its effect on the register bus, for [`crate::timing`].
    pub bus: BusAccess,
    /// Fields in text order.
    pub fields: &'static [FieldInfo],
    /// An operand after them that may be left out and takes no bytes: at most one.
    pub optional: &'static [OptionalOperand],
    /// Its effect.
    pub doc: &'static str,
}

/// An operand that may be left out and takes no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalOperand {
    /// Name.
    pub name: &'static str,
    /// Description.
    pub doc: &'static str,
}

impl OpInfo {
    /// The fields that are written as operands, in text order.
    pub fn operands(&self) -> impl Iterator<Item = &'static FieldInfo> + use<> {
        self.fields.iter().filter(|f| f.in_text())
    }
}

/// Register number, 0..=23: 0..=7 are private to a job, 8..=23 are shared by all jobs of a
/// controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u8);

impl Reg {
    /// Registers that a job owns: 0..=7.
    pub const PRIVATE: u8 = 8;
    /// All registers that a job sees.
    pub const COUNT: u8 = 24;

    /// `$gN`, N in 0..=15.
    pub const fn global(n: u8) -> Self {
        Self(Self::PRIVATE + n)
    }
}

impl fmt::Display for Reg {
    /// As it is written: `$rN`, or `$gN` for the shared ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.checked_sub(Reg::PRIVATE) {
            Some(shared) => write!(f, "$g{shared}"),
            None => write!(f, "$r{}", self.0),
        }
    }
}

/// Whether a barrier joins jobs of one controller or controllers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierKind {
    /// Jobs of one controller.
    Local,
    /// One job of each of several controllers.
    Remote,
}

/// Encoded barrier number: `$lbN` is N, `$rbN` is N + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Barrier(pub u8);

impl Barrier {
    /// Local barriers of a controller.
    pub const LOCAL_COUNT: u8 = 16;
    /// The highest encoded remote barrier that is documented
    /// (`aiebu: specification/aie2ps/isa-spec.yaml`, type barrier).
    pub const REMOTE_DOCUMENTED: u8 = 64;
    /// Highest N that the vendor's assembler takes in `$rbN`; documented are fewer.
    pub const REMOTE_MAX: u8 = 64;

    /// `$lbN`, N in 0..=15.
    pub const fn local(n: u8) -> Self {
        Self(n)
    }

    /// `$rbN`, N in 0..=63.
    pub const fn remote(n: u8) -> Self {
        Self(n + 1)
    }
}

/// Encoded host argument of APPLY_OFFSET_57: twice the argument's index (the position of its low
/// word in an array of 64-bit arguments), or [`ArgOffset::CODE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgOffset(pub u16);

impl ArgOffset {
    /// The address of page 0 of this controller's own code.
    pub const CODE: Self = Self(0xFFFF);

    /// Highest index of a host argument.
    pub const MAX_INDEX: u32 = (Self::CODE.0 >> 1) as u32 - 1;

    /// Host argument `index`; the index is cut to 15 bits.
    pub const fn argument(index: u16) -> Self {
        Self(index << 1)
    }

    /// The argument's index; `None` for [`ArgOffset::CODE`].
    pub const fn index(self) -> Option<u16> {
        if self.0 == Self::CODE.0 {
            None
        } else {
            Some(self.0 >> 1)
        }
    }
}

/// A value that fits an instruction field.
pub trait FieldValue: Copy {
    /// Width in bits.
    const BITS: u8;
    /// The bits of the field.
    fn to_bits(self) -> u32;
    /// From the low [`FieldValue::BITS`] bits; higher bits are dropped.
    fn from_bits(bits: u32) -> Self;
}

macro_rules! field_value {
    ($($ty:ty, $repr:ty, $get:expr, $new:expr;)*) => {$(
        impl FieldValue for $ty {
            const BITS: u8 = <$repr>::BITS as u8;
            fn to_bits(self) -> u32 {
                let get: fn($ty) -> $repr = $get;
                u32::from(get(self))
            }
            fn from_bits(bits: u32) -> Self {
                let new: fn($repr) -> $ty = $new;
                new(bits as $repr)
            }
        }
    )*};
}

field_value! {
    u8, u8, |v| v, |v| v;
    u16, u16, |v| v, |v| v;
    u32, u32, |v| v, |v| v;
    Reg, u8, |v| v.0, Reg;
    Barrier, u8, |v| v.0, Barrier;
    ArgOffset, u16, |v| v.0, ArgOffset;
    TileId, u16, |v| v.0, TileId;
    ActorId, u8, |v| v.0, ActorId;
}

/// The value of one field, for code that handles all instructions alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand<L, S> {
    /// Bits of the field.
    Number(u32),
    /// A data label.
    Label(L),
    /// A scope.
    Scope(S),
}
