//! Operations as the engine executes them: names and operands resolved once, when a bundle is
//! decoded.

pub(super) use aiec_core::Bypass as Forwarding;

use super::block::Quantize;
use super::fifo::FifoOp;
use super::formats::FloatFormat;
use super::lanes::{LaneType, PairOp, UnaryOp};
use super::nonlinear::NonLinear;
use super::parts::{PartsMove, Words};
use super::products::Signs;
use super::registers::{Scalar, Vector};
use super::scalar::AluOp;

/// A scalar operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(Scalar),
    Immediate(u32),
}

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    Zero(Scalar),
    NonZero(Scalar),
    /// If the second register is not 0; the first one gets it less 1.
    Decrement(Scalar, Scalar),
}

/// The address of an access and what becomes of its pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    pub pointer: Scalar,
    pub mode: WalkMode,
    /// Cycles until a pointer that walks, and the counts of its dimensions, are written.
    pub latency: u8,
}

/// See [`Walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkMode {
    /// At the pointer plus this; the pointer stays.
    Offset(Source),
    /// At the pointer, to which this is added.
    Post(Source),
    /// At the pointer, which walks in the dimension of this number.
    Post2D(u8),
    /// At the pointer, which walks in the dimension of this number and in that 4 above.
    Post3D(u8),
}

/// Whether lanes are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Fixed(bool),
    /// As bit 0 of a control register says.
    Control(Scalar),
}

/// Width and sign of lanes, the sign possibly in a control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    Int { bits: u8, sign: Sign },
    Float(FloatFormat),
}

impl Lanes {
    /// With the sign that is known.
    pub fn with_sign(self, signed: bool) -> LaneType {
        match self {
            Lanes::Int { bits, .. } => LaneType::Int { bits, signed },
            Lanes::Float(format) => LaneType::Float(format),
        }
    }

    /// Bits of a lane.
    pub fn bits(self) -> u32 {
        match self {
            Lanes::Int { bits, .. } => bits.into(),
            Lanes::Float(format) => format.bits(),
        }
    }

    pub fn sign(self) -> Sign {
        match self {
            Lanes::Int { sign, .. } => sign,
            Lanes::Float(_) => Sign::Fixed(true),
        }
    }
}

/// Lane widths of a conversion: fixed by the instruction, or by bit 0 of a control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Widths {
    /// Bits of the source's and of the result's lanes.
    Fixed(u8, u8),
    /// The first pair if bit 0 of the register is 0, else the second.
    Control(Scalar, (u8, u8), (u8, u8)),
}

/// Between vectors and accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Nothing is converted.
    None,
    /// Shift-round-saturate: lane widths, sign, and the shift.
    Srs(Widths, Sign, Source),
    /// Upshift: the same.
    Ups(Widths, Sign, Source),
    /// Lane widths and sign.
    Pack(Widths, Sign),
    /// Lane widths and sign.
    Unpack(Widths, Sign),
    /// fp32 to a narrower format, by a shift where the instruction has one.
    NarrowFloat(FloatFormat, Option<Source>),
    /// A narrower format to fp32.
    WidenFloat(FloatFormat),
    /// bf16 to 32-bit integers, by a shift.
    FloorFloat(Source),
    /// fp32 to 2^x in bf16.
    Exp2,
    /// fp32 to tanh x in bf16.
    Tanh,
}

/// A conversion and when it reads what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedConversion {
    pub conversion: Conversion,
    /// Cycles after the issue in which shift and sign are read.
    pub late: u8,
    /// Same for what else is in control registers: modes, rounding.
    pub mode_late: u8,
}

impl TimedConversion {
    /// Nothing is converted.
    pub const NONE: TimedConversion = TimedConversion {
        conversion: Conversion::None,
        late: 0,
        mode_late: 0,
    };
}

/// Read of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub vector: Vector,
    /// Cycles after the issue: 0 for most.
    pub late: u8,
    pub forwarding: Forwarding,
}

impl Read {
    /// At the issue, without forwarding.
    pub const fn plain(vector: Vector) -> Read {
        Read::new(vector, 0, Forwarding::None)
    }

    /// A read `late` cycles after the issue.
    pub const fn new(vector: Vector, late: u8, forwarding: Forwarding) -> Read {
        Read {
            vector,
            late,
            forwarding,
        }
    }
}

/// Write of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub vector: Vector,
    /// Cycles after the issue from which on others read it.
    pub latency: u8,
    pub forwarding: Forwarding,
}

impl Write {
    /// A write that others see from `latency` cycles after the issue on.
    pub const fn new(vector: Vector, latency: u8, forwarding: Forwarding) -> Write {
        Write {
            vector,
            latency,
            forwarding,
        }
    }

    /// As it is `late` cycles after the issue.
    pub const fn late_by(self, late: u8) -> Write {
        Write {
            latency: self.latency.saturating_sub(late),
            ..self
        }
    }
}

/// Write of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScalarWrite {
    pub register: Scalar,
    /// Cycles after the issue from which on others read it.
    pub latency: u8,
    pub forwarding: Forwarding,
}

/// Operations of the move slot on vectors of 512 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneOp {
    /// Two sources.
    Pairs(PairOp),
    /// One source.
    Unary(UnaryOp),
    /// Two sources and a mask.
    Select,
    /// Two sources and a mask.
    AddSub,
    /// A scalar.
    Broadcast,
    /// A scalar, shuffled by a mode in another.
    BroadcastShuffle,
    /// A lane by its number.
    BroadcastLane,
    /// A scalar replaces a lane.
    Insert,
    PushHigh,
    PushLow,
    /// Two sources in a row, cut at a byte.
    Shift,
    /// Same after a step that a shift register chooses.
    ShiftAlign,
    /// Two sources, by a mode.
    Shuffle,
}

/// An operation of the move slot on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorLanes {
    pub op: LaneOp,
    pub lanes: Lanes,
    /// The result, if it is a vector.
    pub d: Option<Write>,
    /// Where a mask goes.
    pub mask: Option<ScalarWrite>,
    pub a: Option<Read>,
    pub b: Option<Read>,
    /// A mask, an index, a mode, a shift or the value.
    pub scalar: Option<Source>,
    /// The path on which that may come.
    pub scalar_forwarding: Forwarding,
    /// The index where the scalar is a value.
    pub index: Option<Source>,
    /// Scalars of 64 bits are pairs.
    pub wide_scalar: bool,
}

/// The quarter of an accumulator that a word of the cascade is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CascadePart {
    Fixed(u8),
    /// As r31 says.
    Register,
    /// As r31 says, which is increased after it.
    Increment,
}

/// Products and sums of accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProductOp {
    pub d: Write,
    pub sources: Option<(Vector, Vector)>,
    /// The block exponents of the sources: the first registers of both.
    pub exponents: Option<(Scalar, Scalar)>,
    /// The second source has a sparsity mask.
    pub sparse: bool,
    pub first: Option<Read>,
    pub second: Option<Read>,
    /// The second one is what [`BusOp::CascadeGet`] put into the cascade's register.
    pub cascade: Option<CascadePart>,
    pub signs: Signs,
    pub configuration: Scalar,
    pub float: bool,
    /// See [`ProductOp::with_form`].
    pub form: u64,
}

impl ProductOp {
    /// The operation with all that its check depends on beside the configuration
    /// ([`super::products::Inputs::check`]), in a number.
    pub fn with_form(mut self) -> ProductOp {
        let bytes = |vector: Option<Vector>| vector.map_or(0, |vector| u64::from(vector.bytes));
        let flags = [
            self.float,
            self.sparse,
            self.exponents.is_some(),
            self.first.is_some(),
            self.second.is_some() || self.cascade.is_some(),
            self.sources.is_some(),
        ];
        let flags = flags
            .iter()
            .fold(0, |all, flag| all << 1 | u64::from(*flag));
        let sources = [self.sources.map(|(a, _)| a), self.sources.map(|(_, b)| b)];
        let [a, b] = sources.map(bytes);
        self.form = flags << 48 | u64::from(self.d.vector.bytes) << 32 | a << 16 | b;
        self
    }
}

/// Mark of the last word of a stream transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Always,
    Never,
    /// As bit 0 of a register says.
    Register(Scalar),
}

/// A part of a bundle that needs the rest of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BusOp {
    Lock {
        acquire: bool,
        id: Source,
        value: Scalar,
        /// It happens only if this register is not 0.
        condition: Option<Scalar>,
    },
    StreamGet {
        d: Scalar,
        latency: u8,
        /// Cycles until srSS0 is written.
        status_latency: u8,
        /// Waits for a word.
        waits: bool,
    },
    StreamPut {
        word: StreamWord,
        last: Last,
        /// Waits for room.
        waits: bool,
        /// Cycles until srMS0 is written.
        status_latency: u8,
    },
    /// A register of the core's own tile into a scalar.
    RegisterGet {
        d: Scalar,
        latency: u8,
        walk: Walk,
    },
    /// A scalar into a register of the core's own tile.
    RegisterPut {
        from: Scalar,
        walk: Walk,
    },
    /// Into a vector.
    CascadeGet(Write),
    /// From a vector.
    CascadePut(Vector),
    Event(u8),
}

/// Words that a core sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamWord {
    Register(Scalar),
    /// A packet header of an id in a register and a type.
    PacketHeader {
        id: Scalar,
        kind: u8,
    },
    /// A control packet's header: an address, the number of words less 1, an operation and the id of the
    /// answer.
    ControlHeader {
        address: Scalar,
        words: u8,
        operation: u8,
        id: Scalar,
    },
}

/// Data that a load or store moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// A scalar of 1, 2 or 4 bytes.
    Scalar {
        register: Scalar,
        bytes: u8,
        signed: bool,
    },
    /// Pairs and other registers of several words.
    Words(Words),
    /// A vector of `bytes` bytes in memory.
    Vector {
        vector: Vector,
        bytes: u8,
        conversion: TimedConversion,
    },
}

/// A shuffle of two vectors of block floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShuffleBlocks {
    pub d: Write,
    /// The first of the exponents written.
    pub exponents: Scalar,
    /// The sources, each with its first exponents.
    pub low: (Read, Scalar),
    pub high: (Read, Scalar),
    pub mode: Source,
}

/// An operation of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Alu {
        op: AluOp,
        d: Scalar,
        a: Scalar,
        b: Source,
        latency: u8,
    },
    /// `d = d ± a · b`.
    MultiplyAdd {
        d: Scalar,
        a: Scalar,
        b: Scalar,
        subtract: bool,
        latency: u8,
        /// Cycles after the issue in which the old value is read.
        late: u8,
    },
    /// `a` if r27 is 0 (or if it is not), else `b`.
    Select {
        d: Scalar,
        a: Scalar,
        b: Scalar,
        if_zero: bool,
        latency: u8,
    },
    DivideStep {
        d: Scalar,
        remainder: Scalar,
        divisor: Scalar,
        latency: u8,
    },
    Move {
        d: ScalarWrite,
        from: Source,
        /// The path on which that may come.
        forwarding: Forwarding,
    },
    /// The cycle counter into a pair.
    Counter {
        d: Scalar,
        latency: u8,
    },
    Branch {
        condition: Condition,
        target: Source,
        /// Cycles until a count is written.
        latency: u8,
    },
    Call {
        target: Source,
        /// Cycles until lr is written.
        latency: u8,
        /// The address after the delay slots.
        return_to: u32,
    },
    Done,
    /// Moves the pointer only.
    Pointer(Walk),
    Load {
        walk: Walk,
        to: Data,
        latency: u8,
    },
    Store {
        walk: Walk,
        from: Data,
        /// Cycles after the issue in which the data are read.
        late: u8,
        /// Cycles after the issue from which on loads see them.
        seen: u8,
    },
    /// Loads four elements at the addresses in lanes of a vector.
    LookUp {
        d: Write,
        addresses: Vector,
        bytes: u8,
        high: bool,
    },
    Lanes(VectorLanes),
    /// A lane into a scalar, or into a pair.
    Extract {
        d: Scalar,
        latency: u8,
        pair: bool,
        lanes: Lanes,
        a: Read,
        index: Source,
    },
    /// Vectors that are moved or converted.
    Convert {
        d: Write,
        a: Read,
        conversion: TimedConversion,
    },
    /// A vector with its block exponents is moved.
    MoveBlocks {
        d: Write,
        exponents: Scalar,
        a: Read,
        from: Scalar,
    },
    /// Blocks of two vectors, moved with their exponents.
    ShuffleBlocks(ShuffleBlocks),
    /// To block floating point.
    Quantize(Quantize),
    /// On a load or store fifo.
    Fifo(FifoOp),
    NonLinear(NonLinear),
    /// A word of the cascade, the other quarters 0.
    ExpandCascade {
        d: Write,
        part: CascadePart,
    },
    /// Registers of several parts.
    MoveParts(PartsMove),
    /// An accumulator becomes 0.
    Clear(Write),
    Product(ProductOp),
    Bus(BusOp),
}

impl Op {
    /// Whether it accesses data memory.
    pub fn accesses_memory(&self) -> bool {
        matches!(
            self,
            Op::Load { .. } | Op::Store { .. } | Op::LookUp { .. } | Op::Fifo(_)
        )
    }
}
