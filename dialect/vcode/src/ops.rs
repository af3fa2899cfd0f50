//! The table of operations.

/// What an 8-bit operand of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Unused, 0.
    No,
    /// Scalar register that is written.
    Dest,
    /// Scalar register that is read.
    Source,
    /// Scalar register that is read and written.
    Both,
    /// Vector register that is written.
    VDest,
    /// Vector register that is read.
    VSource,
    /// A number, 0..=255.
    Number,
    /// A number, -128..=127.
    Signed,
    /// Lanes of a vector, 1..=255, or 0 for 256.
    Lanes,
}

/// What the second word of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// There is none.
    No,
    /// A signed number.
    Int,
    /// An instruction.
    Target,
    /// A function.
    Function,
    /// An external kernel.
    Kernel,
    /// Type and offset of an access, see [`super::MemoryImmediate`].
    Memory,
    /// A fourth scalar register that is read.
    Source,
    /// A small number: a predicate or the number of a function.
    Small,
    /// An operation over lanes, see [`super::MapImmediate`].
    Map,
    /// First lanes of destination (upper half) and source (lower half).
    LanePair,
}

/// Operands of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The three 8-bit operands.
    pub operands: [Operand; 3],
    /// The second word.
    pub immediate: Immediate,
    /// Whether the operation computes its first operand from the others and nothing else, so
    /// that it can be applied to lanes.
    pub pure_scalar: bool,
}

/// Declares the operations. A row is: name, opcode, mnemonic, three operands, immediate, whether
/// it is pure (else it has an effect or an immediate that lanes cannot carry), doc.
macro_rules! declare {
    ($($name:ident $code:literal $mnemonic:literal
        ($a:ident, $b:ident, $c:ident) $immediate:ident $purity:ident $doc:literal;)*) => {
        /// An operation of the modelled core.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = concat!("`", $doc, "`")] $name = $code),*
        }

        impl Opcode {
            /// Every operation, by opcode.
            pub const ALL: &[Opcode] = &[$(Opcode::$name),*];

            /// The operation with this code.
            pub const fn from_code(code: u8) -> Option<Opcode> {
                match code {
                    $($code => Some(Opcode::$name),)*
                    _ => None,
                }
            }

            /// Its name in listings.
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $(Opcode::$name => $mnemonic),*
                }
            }

            /// What it does, in one line.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Opcode::$name => $doc),*
                }
            }

            /// Its operands.
            pub const fn shape(self) -> Shape {
                match self {
                    $(Opcode::$name => Shape {
                        operands: [Operand::$a, Operand::$b, Operand::$c],
                        immediate: Immediate::$immediate,
                        pure_scalar: declare!(@$purity),
                    }),*
                }
            }
        }
    };
    (@pure) => { true };
    (@effect) => { false };
}

declare! {
    // Control
    Trap 0x00 "trap" (No, No, No) Int effect
        "Stop with a fault; the immediate is the reason.";
    Li 0x01 "li" (Dest, No, No) Int effect "a = immediate";
    Lih 0x02 "lih" (Both, No, No) Int effect "Bits 63:32 of a = immediate";
    Jmp 0x03 "jmp" (No, No, No) Target effect "Go to the target.";
    Jnz 0x04 "jnz" (Source, No, No) Target effect "Go to the target if a is not 0.";
    Jz 0x05 "jz" (Source, No, No) Target effect "Go to the target if a is 0.";
    Beq 0x06 "beq" (Source, Source, No) Target effect "Go to the target if a = b.";
    Bne 0x07 "bne" (Source, Source, No) Target effect "Go to the target if a != b.";
    Blts 0x08 "blts" (Source, Source, No) Target effect
        "Go to the target if a < b, signed.";
    Bles 0x09 "bles" (Source, Source, No) Target effect
        "Go to the target if a <= b, signed.";
    Bltu 0x0A "bltu" (Source, Source, No) Target effect
        "Go to the target if a < b, unsigned.";
    Bleu 0x0B "bleu" (Source, Source, No) Target effect
        "Go to the target if a <= b, unsigned.";
    Loop 0x0C "loop" (Both, Source, Source) Target effect
        "a += b; go to the target if a < c, signed.";
    Loopi 0x0D "loopi" (Both, Number, Source) Target effect
        "a += the number b; go to the target if a < c, signed.";
    Call 0x0E "call" (Number, Number, No) Function effect
        "Call with the window moved by a registers and b granules.";
    CallKernel 0x0F "callk" (Number, Number, No) Kernel effect
        "Call an external kernel with b arguments from register a on.";
    Ret 0x10 "ret" (No, No, No) No effect "Return.";
    End 0x11 "end" (No, No, No) No effect "The core is done.";

    // Synchronisation
    Acquire 0x18 "acq" (Number, Signed, No) No effect
        "Acquire lock a: b = -n at least n, taking n; b = n equal.";
    Release 0x19 "rel" (Number, Signed, No) No effect "Add b to lock a.";
    StreamGet 0x1A "sget" (Dest, Number, No) No effect "a = word from input stream b";
    StreamPut 0x1B "sput" (Source, Number, Number) No effect
        "Send a to output stream b, as the last word if c is 1.";
    CascadeGet 0x1C "cget" (VDest, Number, Lanes) No effect
        "a = c lanes of memory type b from the cascade";
    CascadePut 0x1D "cput" (VSource, Number, Lanes) No effect
        "Send c lanes of memory type b to the cascade.";
    Event 0x1E "event" (Number, No, No) No effect "Raise instruction event a.";

    // Debugging; b is a memory type
    Print 0x16 "print" (Source, Number, No) No effect "Show a.";
    VPrint 0x17 "vprint" (VSource, Number, Lanes) No effect "Show c lanes of a.";

    // Integers
    Mov 0x20 "mov" (Dest, Source, No) No pure "a = b";
    Add32 0x21 "add.i32" (Dest, Source, Source) No pure "a = b + c, 32 bits";
    Sub32 0x22 "sub.i32" (Dest, Source, Source) No pure "a = b - c, 32 bits";
    Mul32 0x23 "mul.i32" (Dest, Source, Source) No pure "a = b * c, 32 bits";
    Shl32 0x24 "shl.i32" (Dest, Source, Source) No pure "a = b << c, 32 bits";
    Add64 0x25 "add.i64" (Dest, Source, Source) No pure "a = b + c";
    Sub64 0x26 "sub.i64" (Dest, Source, Source) No pure "a = b - c";
    Mul64 0x27 "mul.i64" (Dest, Source, Source) No pure "a = b * c";
    Shl64 0x28 "shl.i64" (Dest, Source, Source) No pure "a = b << c";
    And 0x29 "and" (Dest, Source, Source) No pure "a = b & c";
    Or 0x2A "or" (Dest, Source, Source) No pure "a = b | c";
    Xor 0x2B "xor" (Dest, Source, Source) No pure "a = b ^ c";
    Shrs 0x2C "shrs" (Dest, Source, Source) No pure "a = b >> c, arithmetic";
    Shru 0x2D "shru" (Dest, Source, Source) No pure "a = b >> c, logical, 64 bits";
    Divs 0x2E "divs" (Dest, Source, Source) No pure "a = b / c, signed, to zero";
    Rems 0x2F "rems" (Dest, Source, Source) No pure "a = remainder of divs";
    Divu 0x30 "divu" (Dest, Source, Source) No pure "a = b / c, unsigned, 64 bits";
    Remu 0x31 "remu" (Dest, Source, Source) No pure "a = remainder of divu";
    DivFloor 0x32 "divfloor" (Dest, Source, Source) No pure
        "a = b / c, signed, to negative infinity";
    DivCeil 0x33 "divceil" (Dest, Source, Source) No pure
        "a = b / c, signed, to positive infinity";
    DivuCeil 0x34 "divuceil" (Dest, Source, Source) No pure
        "a = b / c, unsigned, 64 bits, upward";
    Mins 0x35 "mins" (Dest, Source, Source) No pure "a = lesser of b and c, signed";
    Maxs 0x36 "maxs" (Dest, Source, Source) No pure "a = greater of b and c, signed";
    Minu 0x37 "minu" (Dest, Source, Source) No pure "a = lesser of b and c, unsigned";
    Maxu 0x38 "maxu" (Dest, Source, Source) No pure "a = greater of b and c, unsigned";
    Mulhs 0x39 "mulhs" (Dest, Source, Source) No pure
        "a = upper 64 bits of b * c, signed";
    Mulhu 0x3A "mulhu" (Dest, Source, Source) No pure
        "a = upper 64 bits of b * c, unsigned";
    Eq 0x3B "eq" (Dest, Source, Source) No pure "a = b = c";
    Ne 0x3C "ne" (Dest, Source, Source) No pure "a = b != c";
    Lts 0x3D "lts" (Dest, Source, Source) No pure "a = b < c, signed";
    Les 0x3E "les" (Dest, Source, Source) No pure "a = b <= c, signed";
    Ltu 0x3F "ltu" (Dest, Source, Source) No pure "a = b < c, unsigned";
    Leu 0x40 "leu" (Dest, Source, Source) No pure "a = b <= c, unsigned";
    Select 0x41 "sel" (Dest, Source, Source) Source pure
        "a = c if b is not 0, else the fourth";
    Sext 0x42 "sext" (Dest, Source, Number) No pure "a = lower c bits of b, signed";
    Zext 0x43 "zext" (Dest, Source, Number) No pure "a = lower c bits of b";
    Shli32 0x44 "shli.i32" (Dest, Source, Number) No pure "a = b << the number c, 32 bits";
    Shli64 0x45 "shli.i64" (Dest, Source, Number) No pure "a = b << the number c";
    Shrsi 0x46 "shrsi" (Dest, Source, Number) No pure
        "a = b >> the number c, arithmetic";
    Shrui 0x47 "shrui" (Dest, Source, Number) No pure
        "a = b >> the number c, logical, 64 bits";
    Ctlz 0x48 "ctlz" (Dest, Source, Number) No pure
        "a = leading zeros in the lower c bits of b";
    Cttz 0x49 "cttz" (Dest, Source, Number) No pure
        "a = trailing zeros in the lower c bits of b";
    Ctpop 0x4A "ctpop" (Dest, Source, Number) No pure "a = ones in the lower c bits of b";
    Addi32 0x4B "addi.i32" (Dest, Source, No) Int effect "a = b + immediate, 32 bits";
    Addi64 0x4C "addi.i64" (Dest, Source, No) Int effect "a = b + immediate";
    Muli32 0x4D "muli.i32" (Dest, Source, No) Int effect "a = b * immediate, 32 bits";
    Muli64 0x4E "muli.i64" (Dest, Source, No) Int effect "a = b * immediate";
    Andi 0x4F "andi" (Dest, Source, No) Int effect "a = b & immediate";
    Ori 0x50 "ori" (Dest, Source, No) Int effect "a = b | immediate";
    Xori 0x51 "xori" (Dest, Source, No) Int effect "a = b ^ immediate";
    Pows 0x52 "pows" (Dest, Source, Source) No pure
        "a = b to the power of c, signed; to zero if c < 0";

    // Floats
    AddF 0x60 "add.f32" (Dest, Source, Source) No pure "a = b + c";
    SubF 0x61 "sub.f32" (Dest, Source, Source) No pure "a = b - c";
    MulF 0x62 "mul.f32" (Dest, Source, Source) No pure "a = b * c";
    DivF 0x63 "div.f32" (Dest, Source, Source) No pure "a = b / c";
    RemF 0x64 "rem.f32" (Dest, Source, Source) No pure "a = remainder of b / c to zero";
    MinF 0x65 "min.f32" (Dest, Source, Source) No pure "a = lesser; NaN if one is NaN";
    MaxF 0x66 "max.f32" (Dest, Source, Source) No pure "a = greater; NaN if one is NaN";
    MinNumF 0x67 "minnum.f32" (Dest, Source, Source) No pure
        "a = lesser; the other if one is NaN";
    MaxNumF 0x68 "maxnum.f32" (Dest, Source, Source) No pure
        "a = greater; the other if one is NaN";
    NegF 0x69 "neg.f32" (Dest, Source, No) No pure "a = -b";
    FmaF 0x6A "fma.f32" (Dest, Source, Source) Source pure
        "a = b * c + the fourth, rounded once";
    CmpF 0x6B "cmp.f32" (Dest, Source, Source) Small pure
        "a = b and c compared by a predicate";
    MathF 0x6C "math.f32" (Dest, Source, Number) No pure "a = function c of b";
    Math2F 0x6D "math2.f32" (Dest, Source, Source) Small pure
        "a = function of b and c";
    FmaBf16 0x6E "fma.bf16" (Dest, Source, Source) Source pure
        "a = b * c + the fourth, rounded once to bf16";
    FmaF16 0x6F "fma.f16" (Dest, Source, Source) Source pure
        "a = b * c + the fourth, rounded once to f16";
    AddD 0x70 "add.f64" (Dest, Source, Source) No pure "a = b + c";
    SubD 0x71 "sub.f64" (Dest, Source, Source) No pure "a = b - c";
    MulD 0x72 "mul.f64" (Dest, Source, Source) No pure "a = b * c";
    DivD 0x73 "div.f64" (Dest, Source, Source) No pure "a = b / c";
    RemD 0x74 "rem.f64" (Dest, Source, Source) No pure "a = remainder of b / c to zero";
    MinD 0x75 "min.f64" (Dest, Source, Source) No pure "a = lesser; NaN if one is NaN";
    MaxD 0x76 "max.f64" (Dest, Source, Source) No pure "a = greater; NaN if one is NaN";
    MinNumD 0x77 "minnum.f64" (Dest, Source, Source) No pure
        "a = lesser; the other if one is NaN";
    MaxNumD 0x78 "maxnum.f64" (Dest, Source, Source) No pure
        "a = greater; the other if one is NaN";
    NegD 0x79 "neg.f64" (Dest, Source, No) No pure "a = -b";
    FmaD 0x7A "fma.f64" (Dest, Source, Source) Source pure
        "a = b * c + the fourth, rounded once";
    CmpD 0x7B "cmp.f64" (Dest, Source, Source) Small pure
        "a = b and c compared by a predicate";
    MathD 0x7C "math.f64" (Dest, Source, Number) No pure "a = function c of b";
    Math2D 0x7D "math2.f64" (Dest, Source, Source) Small pure
        "a = function of b and c";

    // Conversions; c is a float format, with the rounding mode in bits 7:4 where one narrows
    Widen 0x80 "widen" (Dest, Source, No) No pure "a = the f32 b as f64";
    NarrowF 0x81 "narrow.f32" (Dest, Source, Number) No pure
        "a = the f32 b rounded to bf16 or f16 as a mode says";
    NarrowD 0x82 "narrow.f64" (Dest, Source, Number) No pure
        "a = the f64 b rounded to f32, bf16 or f16 as a mode says";
    SToF 0x83 "stof" (Dest, Source, Number) No pure "a = the signed b as float";
    UToF 0x84 "utof" (Dest, Source, Number) No pure
        "a = the unsigned 64-bit b as float";
    FToS 0x85 "ftos" (Dest, Source, Number) No pure
        "a = the float b to zero, saturated to 64 bits signed";
    FToU 0x86 "ftou" (Dest, Source, Number) No pure
        "a = the float b to zero, saturated to 64 bits unsigned";
    FromBits 0x87 "frombits" (Dest, Source, Number) No pure
        "a = the float with the bits b";
    ToBits 0x88 "tobits" (Dest, Source, Number) No pure
        "a = the bits of the float b, as a signed integer";

    // Memory; the immediate holds type and offset
    LdAbs 0x90 "ld.abs" (Dest, No, No) Memory effect "a = [offset]";
    LdBase 0x91 "ld.base" (Dest, Source, No) Memory effect "a = [b + offset]";
    LdIdx 0x92 "ld.idx" (Dest, Source, No) Memory effect "a = [b * size + offset]";
    LdBaseIdx 0x93 "ld.baseidx" (Dest, Source, Source) Memory effect
        "a = [b + c * size + offset]";
    StAbs 0x94 "st.abs" (Source, No, No) Memory effect "[offset] = a";
    StBase 0x95 "st.base" (Source, Source, No) Memory effect "[b + offset] = a";
    StIdx 0x96 "st.idx" (Source, Source, No) Memory effect "[b * size + offset] = a";
    StBaseIdx 0x97 "st.baseidx" (Source, Source, Source) Memory effect
        "[b + c * size + offset] = a";
    Copy 0x98 "copy" (Source, Source, No) Int effect
        "Copy as many bytes as the immediate says from [b] to [a].";

    // Vectors
    VLd 0xA0 "vld" (VDest, Source, Lanes) Memory effect
        "a = c lanes from [b + offset] on";
    VSt 0xA1 "vst" (VSource, Source, Lanes) Memory effect
        "c lanes from [b + offset] on = a";
    VMap 0xA2 "vmap" (VDest, VSource, VSource) Map effect
        "The scalar operation in each lane; a number as operand stays a number.";
    VReduce 0xA3 "vred" (Dest, VSource, Source) Map effect
        "a = c combined with the lanes of b in order";
    VSplat 0xA4 "vsplat" (VDest, Source, Lanes) No effect "c lanes of a = b";
    VExtract 0xA5 "vext" (Dest, VSource, No) Int effect "a = lane of b";
    VExtractAt 0xA6 "vextat" (Dest, VSource, Source) Int effect
        "a = lane c of b, which has as many lanes as the immediate says";
    VInsert 0xA7 "vins" (VDest, Source, No) Int effect "Lane of a = b";
    VInsertAt 0xA8 "vinsat" (VDest, Source, Source) Int effect
        "Lane c of a, which has as many lanes as the immediate says, = b";
    VCopy 0xA9 "vcopy" (VDest, VSource, Lanes) LanePair effect
        "c lanes of a from a first lane on = lanes of b from a first lane on";
}

impl Opcode {
    /// The 8-bit code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether the next instruction can never follow this one.
    pub const fn ends_block(self) -> bool {
        matches!(self, Opcode::Trap | Opcode::Jmp | Opcode::Ret | Opcode::End)
    }
}
