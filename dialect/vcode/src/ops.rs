//! The table of operations.

/// Role of an 8-bit operand of an instruction.
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

/// Role of the second word of an instruction.
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

/// Declares the operations in three groups: those that the inner loop of a core executes, those that need the rest of the
/// array, and those that compute their first operand from the others and nothing else. A row is: name, method of the
/// visitor, opcode, mnemonic, three operands, immediate, doc.
///
/// Each group has a visitor with one method an operation, so that an operation that nothing executes doesn't compile.
macro_rules! declare {
    (
        effect { $($effect:ident $effect_method:ident $effect_code:literal $effect_mnemonic:literal
            ($ea:ident, $eb:ident, $ec:ident) $effect_immediate:ident $effect_doc:literal;)* }
        bus { $($bus:ident $bus_method:ident $bus_code:literal $bus_mnemonic:literal
            ($ba:ident, $bb:ident, $bc:ident) $bus_immediate:ident $bus_doc:literal;)* }
        pure { $($pure:ident $pure_method:ident $pure_code:literal $pure_mnemonic:literal
            ($pa:ident, $pb:ident, $pc:ident) $pure_immediate:ident $pure_doc:literal;)* }
    ) => {
        declare!(@opcodes
            $($effect $effect_code $effect_mnemonic ($ea, $eb, $ec) $effect_immediate false $effect_doc;)*
            $($bus $bus_code $bus_mnemonic ($ba, $bb, $bc) $bus_immediate false $bus_doc;)*
            $($pure $pure_code $pure_mnemonic ($pa, $pb, $pc) $pure_immediate true $pure_doc;)*
        );

        declare!(@group
            /// An operation that needs locks, streams, the cascade, events, kernels or the host.
            BusOp
            /// Executes the operations that need the rest of the array.
            BusVisitor
            $($bus $bus_method $bus_doc;)*
        );

        declare!(@group
            /// An operation that computes its first operand from the others and nothing else, so that it can be applied
            /// to lanes.
            PureOp
            /// Executes the pure operations.
            PureVisitor
            $($pure $pure_method $pure_doc;)*
        );

        /// Executes the operations of a core: one method an operation that the inner loop does itself, one each for the
        /// groups of the others.
        pub trait OpVisitor {
            /// Outcome of an operation.
            type Output;

            /// Executes a pure operation.
            fn pure(&mut self, op: PureOp) -> Self::Output;

            /// Executes an operation that needs the rest of the array.
            fn bus(&mut self, op: BusOp) -> Self::Output;

            $(
                #[doc = concat!("`", $effect_doc, "`")]
                fn $effect_method(&mut self) -> Self::Output;
            )*
        }

        impl Opcode {
            /// Calls the visitor's method for the operation. The visitor has its operands.
            #[inline(always)]
            pub fn visit<V: OpVisitor>(self, visitor: &mut V) -> V::Output {
                match self {
                    $(Opcode::$effect => visitor.$effect_method(),)*
                    $(Opcode::$bus => visitor.bus(BusOp::$bus),)*
                    $(Opcode::$pure => visitor.pure(PureOp::$pure),)*
                }
            }

            /// The pure operation, if it is one.
            pub const fn pure(self) -> Option<PureOp> {
                match self {
                    $(Opcode::$pure => Some(PureOp::$pure),)*
                    $(Opcode::$effect)|* $(| Opcode::$bus)* => None,
                }
            }
        }
    };
    (@opcodes $($name:ident $code:literal $mnemonic:literal
        ($a:ident, $b:ident, $c:ident) $immediate:ident $pure:literal $doc:literal;)*) => {
        /// An operation of the modelled core.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = concat!("`", $doc, "`")] $name = $code),*
        }

        impl Opcode {
            /// Every operation, by opcode.
            pub const ALL: &[Opcode] = &Self::in_order::<{ [$($code),*].len() }>();

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

            /// Its effect, in one line.
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
                        pure_scalar: $pure,
                    }),*
                }
            }
        }
    };
    (@group $(#[$op_doc:meta])* $Op:ident $(#[$visitor_doc:meta])* $Visitor:ident
        $($name:ident $method:ident $doc:literal;)*) => {
        $(#[$op_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $Op {
            $(#[doc = concat!("`", $doc, "`")] $name = Opcode::$name as u8),*
        }

        $(#[$visitor_doc])*
        pub trait $Visitor {
            /// Outcome of an operation.
            type Output;

            $(
                #[doc = concat!("`", $doc, "`")]
                fn $method(&mut self) -> Self::Output;
            )*
        }

        impl $Op {
            /// The operation in programs.
            pub const fn opcode(self) -> Opcode {
                match self {
                    $($Op::$name => Opcode::$name),*
                }
            }

            /// Calls the visitor's method for the operation. The visitor has its operands.
            #[inline(always)]
            pub fn visit<V: $Visitor>(self, visitor: &mut V) -> V::Output {
                match self {
                    $($Op::$name => visitor.$method()),*
                }
            }
        }
    };
}

declare! {
    effect {
        // Control
        Trap trap 0x00 "trap" (No, No, No) Int "Stop with a fault; the immediate is the reason.";
        Li li 0x01 "li" (Dest, No, No) Int "a = immediate";
        Lih lih 0x02 "lih" (Both, No, No) Int "Bits 63:32 of a = immediate";
        Jmp jmp 0x03 "jmp" (No, No, No) Target "Go to the target.";
        Jnz jnz 0x04 "jnz" (Source, No, No) Target "Go to the target if a is not 0.";
        Jz jz 0x05 "jz" (Source, No, No) Target "Go to the target if a is 0.";
        Beq beq 0x06 "beq" (Source, Source, No) Target "Go to the target if a = b.";
        Bne bne 0x07 "bne" (Source, Source, No) Target "Go to the target if a != b.";
        Blts blts 0x08 "blts" (Source, Source, No) Target "Go to the target if a < b, signed.";
        Bles bles 0x09 "bles" (Source, Source, No) Target "Go to the target if a <= b, signed.";
        Bltu bltu 0x0A "bltu" (Source, Source, No) Target "Go to the target if a < b, unsigned.";
        Bleu bleu 0x0B "bleu" (Source, Source, No) Target "Go to the target if a <= b, unsigned.";
        Loop loop_by 0x0C "loop" (Both, Source, Source) Target
            "a += b; go to the target if a < c, signed.";
        Loopi loop_by_number 0x0D "loopi" (Both, Number, Source) Target
            "a += the number b; go to the target if a < c, signed.";
        Call call 0x0E "call" (Number, Number, No) Function
            "Call with the window moved by a registers and b granules.";
        Ret ret 0x10 "ret" (No, No, No) No "Return.";
        End end 0x11 "end" (No, No, No) No "The core is done.";

        // Integers
        Addi32 addi_i32 0x4B "addi.i32" (Dest, Source, No) Int "a = b + immediate, 32 bits";
        Addi64 addi_i64 0x4C "addi.i64" (Dest, Source, No) Int "a = b + immediate";
        Muli32 muli_i32 0x4D "muli.i32" (Dest, Source, No) Int "a = b * immediate, 32 bits";
        Muli64 muli_i64 0x4E "muli.i64" (Dest, Source, No) Int "a = b * immediate";
        Andi andi 0x4F "andi" (Dest, Source, No) Int "a = b & immediate";
        Ori ori 0x50 "ori" (Dest, Source, No) Int "a = b | immediate";
        Xori xori 0x51 "xori" (Dest, Source, No) Int "a = b ^ immediate";

        // Memory; the immediate holds type and offset
        LdAbs ld_abs 0x90 "ld.abs" (Dest, No, No) Memory "a = [offset]";
        LdBase ld_base 0x91 "ld.base" (Dest, Source, No) Memory "a = [b + offset]";
        LdIdx ld_idx 0x92 "ld.idx" (Dest, Source, No) Memory "a = [b * size + offset]";
        LdBaseIdx ld_baseidx 0x93 "ld.baseidx" (Dest, Source, Source) Memory
            "a = [b + c * size + offset]";
        StAbs st_abs 0x94 "st.abs" (Source, No, No) Memory "[offset] = a";
        StBase st_base 0x95 "st.base" (Source, Source, No) Memory "[b + offset] = a";
        StIdx st_idx 0x96 "st.idx" (Source, Source, No) Memory "[b * size + offset] = a";
        StBaseIdx st_baseidx 0x97 "st.baseidx" (Source, Source, Source) Memory
            "[b + c * size + offset] = a";
        Copy copy 0x98 "copy" (Source, Source, No) Int
            "Copy as many bytes as the immediate says from [b] to [a].";

        // Vectors
        VLd vld 0xA0 "vld" (VDest, Source, Lanes) Memory "a = c lanes from [b + offset] on";
        VSt vst 0xA1 "vst" (VSource, Source, Lanes) Memory "c lanes from [b + offset] on = a";
        VMap vmap 0xA2 "vmap" (VDest, VSource, VSource) Map
            "The scalar operation in each lane; a number as operand stays a number.";
        VReduce vred 0xA3 "vred" (Dest, VSource, Source) Map
            "a = c combined with the lanes of b in order";
        VSplat vsplat 0xA4 "vsplat" (VDest, Source, Lanes) No "c lanes of a = b";
        VExtract vext 0xA5 "vext" (Dest, VSource, No) Int "a = lane of b";
        VExtractAt vextat 0xA6 "vextat" (Dest, VSource, Source) Int
            "a = lane c of b, which has as many lanes as the immediate says";
        VInsert vins 0xA7 "vins" (VDest, Source, No) Int "Lane of a = b";
        VInsertAt vinsat 0xA8 "vinsat" (VDest, Source, Source) Int
            "Lane c of a, which has as many lanes as the immediate says, = b";
        VCopy vcopy 0xA9 "vcopy" (VDest, VSource, Lanes) LanePair
            "c lanes of a from a first lane on = lanes of b from a first lane on";
    }
    bus {
        // Control
        CallKernel callk 0x0F "callk" (Number, Number, No) Kernel
            "Call an external kernel with b arguments from register a on.";

        // Synchronisation
        Acquire acq 0x18 "acq" (Number, Signed, No) No
            "Acquire lock a: b = -n at least n, taking n; b = n equal.";
        Release rel 0x19 "rel" (Number, Signed, No) No "Add b to lock a.";
        StreamGet sget 0x1A "sget" (Dest, Number, No) No "a = word from input stream b";
        StreamPut sput 0x1B "sput" (Source, Number, Number) No
            "Send a to output stream b, as the last word if c is 1.";
        CascadeGet cget 0x1C "cget" (VDest, Number, Lanes) No
            "a = c lanes of memory type b from the cascade";
        CascadePut cput 0x1D "cput" (VSource, Number, Lanes) No
            "Send c lanes of memory type b to the cascade.";
        Event event 0x1E "event" (Number, No, No) No "Raise instruction event a.";

        // Debugging; b is a memory type
        Print print 0x16 "print" (Source, Number, No) No "Show a.";
        VPrint vprint 0x17 "vprint" (VSource, Number, Lanes) No "Show c lanes of a.";
    }
    pure {
        // Integers
        Mov mov 0x20 "mov" (Dest, Source, No) No "a = b";
        Add32 add_i32 0x21 "add.i32" (Dest, Source, Source) No "a = b + c, 32 bits";
        Sub32 sub_i32 0x22 "sub.i32" (Dest, Source, Source) No "a = b - c, 32 bits";
        Mul32 mul_i32 0x23 "mul.i32" (Dest, Source, Source) No "a = b * c, 32 bits";
        Shl32 shl_i32 0x24 "shl.i32" (Dest, Source, Source) No "a = b << c, 32 bits";
        Add64 add_i64 0x25 "add.i64" (Dest, Source, Source) No "a = b + c";
        Sub64 sub_i64 0x26 "sub.i64" (Dest, Source, Source) No "a = b - c";
        Mul64 mul_i64 0x27 "mul.i64" (Dest, Source, Source) No "a = b * c";
        Shl64 shl_i64 0x28 "shl.i64" (Dest, Source, Source) No "a = b << c";
        And and 0x29 "and" (Dest, Source, Source) No "a = b & c";
        Or or 0x2A "or" (Dest, Source, Source) No "a = b | c";
        Xor xor 0x2B "xor" (Dest, Source, Source) No "a = b ^ c";
        Shrs shrs 0x2C "shrs" (Dest, Source, Source) No "a = b >> c, arithmetic";
        Shru shru 0x2D "shru" (Dest, Source, Source) No "a = b >> c, logical, 64 bits";
        Divs divs 0x2E "divs" (Dest, Source, Source) No "a = b / c, signed, to zero";
        Rems rems 0x2F "rems" (Dest, Source, Source) No "a = remainder of divs";
        Divu divu 0x30 "divu" (Dest, Source, Source) No "a = b / c, unsigned, 64 bits";
        Remu remu 0x31 "remu" (Dest, Source, Source) No "a = remainder of divu";
        DivFloor divfloor 0x32 "divfloor" (Dest, Source, Source) No
            "a = b / c, signed, to negative infinity";
        DivCeil divceil 0x33 "divceil" (Dest, Source, Source) No
            "a = b / c, signed, to positive infinity";
        DivuCeil divuceil 0x34 "divuceil" (Dest, Source, Source) No
            "a = b / c, unsigned, 64 bits, upward";
        Mins mins 0x35 "mins" (Dest, Source, Source) No "a = lesser of b and c, signed";
        Maxs maxs 0x36 "maxs" (Dest, Source, Source) No "a = greater of b and c, signed";
        Minu minu 0x37 "minu" (Dest, Source, Source) No "a = lesser of b and c, unsigned";
        Maxu maxu 0x38 "maxu" (Dest, Source, Source) No "a = greater of b and c, unsigned";
        Mulhs mulhs 0x39 "mulhs" (Dest, Source, Source) No "a = upper 64 bits of b * c, signed";
        Mulhu mulhu 0x3A "mulhu" (Dest, Source, Source) No "a = upper 64 bits of b * c, unsigned";
        Eq eq 0x3B "eq" (Dest, Source, Source) No "a = b = c";
        Ne ne 0x3C "ne" (Dest, Source, Source) No "a = b != c";
        Lts lts 0x3D "lts" (Dest, Source, Source) No "a = b < c, signed";
        Les les 0x3E "les" (Dest, Source, Source) No "a = b <= c, signed";
        Ltu ltu 0x3F "ltu" (Dest, Source, Source) No "a = b < c, unsigned";
        Leu leu 0x40 "leu" (Dest, Source, Source) No "a = b <= c, unsigned";
        Select sel 0x41 "sel" (Dest, Source, Source) Source "a = c if b is not 0, else the fourth";
        Sext sext 0x42 "sext" (Dest, Source, Number) No "a = lower c bits of b, signed";
        Zext zext 0x43 "zext" (Dest, Source, Number) No "a = lower c bits of b";
        Shli32 shli_i32 0x44 "shli.i32" (Dest, Source, Number) No "a = b << the number c, 32 bits";
        Shli64 shli_i64 0x45 "shli.i64" (Dest, Source, Number) No "a = b << the number c";
        Shrsi shrsi 0x46 "shrsi" (Dest, Source, Number) No "a = b >> the number c, arithmetic";
        Shrui shrui 0x47 "shrui" (Dest, Source, Number) No
            "a = b >> the number c, logical, 64 bits";
        Ctlz ctlz 0x48 "ctlz" (Dest, Source, Number) No
            "a = leading zeros in the lower c bits of b";
        Cttz cttz 0x49 "cttz" (Dest, Source, Number) No
            "a = trailing zeros in the lower c bits of b";
        Ctpop ctpop 0x4A "ctpop" (Dest, Source, Number) No "a = ones in the lower c bits of b";
        Pows pows 0x52 "pows" (Dest, Source, Source) No
            "a = b to the power of c, signed; to zero if c < 0";

        // Floats
        AddF add_f32 0x60 "add.f32" (Dest, Source, Source) No "a = b + c";
        SubF sub_f32 0x61 "sub.f32" (Dest, Source, Source) No "a = b - c";
        MulF mul_f32 0x62 "mul.f32" (Dest, Source, Source) No "a = b * c";
        DivF div_f32 0x63 "div.f32" (Dest, Source, Source) No "a = b / c";
        RemF rem_f32 0x64 "rem.f32" (Dest, Source, Source) No "a = remainder of b / c to zero";
        MinF min_f32 0x65 "min.f32" (Dest, Source, Source) No "a = lesser; NaN if one is NaN";
        MaxF max_f32 0x66 "max.f32" (Dest, Source, Source) No "a = greater; NaN if one is NaN";
        MinNumF minnum_f32 0x67 "minnum.f32" (Dest, Source, Source) No
            "a = lesser; the other if one is NaN";
        MaxNumF maxnum_f32 0x68 "maxnum.f32" (Dest, Source, Source) No
            "a = greater; the other if one is NaN";
        NegF neg_f32 0x69 "neg.f32" (Dest, Source, No) No "a = -b";
        FmaF fma_f32 0x6A "fma.f32" (Dest, Source, Source) Source
            "a = b * c + the fourth, rounded once";
        CmpF cmp_f32 0x6B "cmp.f32" (Dest, Source, Source) Small
            "a = b and c compared by a predicate";
        MathF math_f32 0x6C "math.f32" (Dest, Source, Number) No "a = function c of b";
        Math2F math2_f32 0x6D "math2.f32" (Dest, Source, Source) Small "a = function of b and c";
        FmaBf16 fma_bf16 0x6E "fma.bf16" (Dest, Source, Source) Source
            "a = b * c + the fourth, rounded once to bf16";
        FmaF16 fma_f16 0x6F "fma.f16" (Dest, Source, Source) Source
            "a = b * c + the fourth, rounded once to f16";
        AddD add_f64 0x70 "add.f64" (Dest, Source, Source) No "a = b + c";
        SubD sub_f64 0x71 "sub.f64" (Dest, Source, Source) No "a = b - c";
        MulD mul_f64 0x72 "mul.f64" (Dest, Source, Source) No "a = b * c";
        DivD div_f64 0x73 "div.f64" (Dest, Source, Source) No "a = b / c";
        RemD rem_f64 0x74 "rem.f64" (Dest, Source, Source) No "a = remainder of b / c to zero";
        MinD min_f64 0x75 "min.f64" (Dest, Source, Source) No "a = lesser; NaN if one is NaN";
        MaxD max_f64 0x76 "max.f64" (Dest, Source, Source) No "a = greater; NaN if one is NaN";
        MinNumD minnum_f64 0x77 "minnum.f64" (Dest, Source, Source) No
            "a = lesser; the other if one is NaN";
        MaxNumD maxnum_f64 0x78 "maxnum.f64" (Dest, Source, Source) No
            "a = greater; the other if one is NaN";
        NegD neg_f64 0x79 "neg.f64" (Dest, Source, No) No "a = -b";
        FmaD fma_f64 0x7A "fma.f64" (Dest, Source, Source) Source
            "a = b * c + the fourth, rounded once";
        CmpD cmp_f64 0x7B "cmp.f64" (Dest, Source, Source) Small
            "a = b and c compared by a predicate";
        MathD math_f64 0x7C "math.f64" (Dest, Source, Number) No "a = function c of b";
        Math2D math2_f64 0x7D "math2.f64" (Dest, Source, Source) Small "a = function of b and c";

        // Conversions; c is a float format, with the rounding mode in bits 7:4 where one narrows
        Widen widen 0x80 "widen" (Dest, Source, No) No "a = the f32 b as f64";
        NarrowF narrow_f32 0x81 "narrow.f32" (Dest, Source, Number) No
            "a = the f32 b rounded to bf16 or f16 as a mode says";
        NarrowD narrow_f64 0x82 "narrow.f64" (Dest, Source, Number) No
            "a = the f64 b rounded to f32, bf16 or f16 as a mode says";
        SToF stof 0x83 "stof" (Dest, Source, Number) No "a = the signed b as float";
        UToF utof 0x84 "utof" (Dest, Source, Number) No "a = the unsigned 64-bit b as float";
        FToS ftos 0x85 "ftos" (Dest, Source, Number) No
            "a = the float b to zero, saturated to 64 bits signed";
        FToU ftou 0x86 "ftou" (Dest, Source, Number) No
            "a = the float b to zero, saturated to 64 bits unsigned";
        FromBits frombits 0x87 "frombits" (Dest, Source, Number) No "a = the float with the bits b";
        ToBits tobits 0x88 "tobits" (Dest, Source, Number) No
            "a = the bits of the float b, as a signed integer";
    }
}

impl Opcode {
    /// All operations, by opcode.
    const fn in_order<const COUNT: usize>() -> [Opcode; COUNT] {
        let mut all = [Opcode::Trap; COUNT];
        let (mut count, mut code) = (0, 0);
        while code <= u8::MAX as u16 {
            if let Some(op) = Opcode::from_code(code as u8) {
                all[count] = op;
                count += 1;
            }
            code += 1;
        }
        all
    }

    /// The 8-bit code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether the next instruction can never follow this one.
    pub const fn ends_block(self) -> bool {
        matches!(self, Opcode::Trap | Opcode::Jmp | Opcode::Ret | Opcode::End)
    }
}
