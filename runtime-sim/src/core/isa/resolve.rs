//! From a decoded instruction to what the engine executes: a table of rules over names.
//!
//! Latencies, late reads and forwarding are those of `llvm-aie`'s itineraries (AIE2:
//! `AIE2Schedule.td`; AIE2P: by class; AIE2PS: taken to be AIE2P's, unconfirmed).

use aiec_core::{
    AddressMode, CoreArch, CoreIsa, Instruction, Operand, Register, RegisterFile, Slot,
    SlotInstruction,
};

use super::lanes::{PairOp, UnaryOp};
use super::op::{
    BusOp, Condition, Conversion, Data, Forwarding, LaneOp, Lanes, Last, Op, ProductOp, Read, Sign,
    Source, StreamWord, VectorLanes, Walk, WalkMode, Widths, Write,
};
use super::products::Signs;
use super::registers::{
    DC, DJ, DN, LR, M, P, R, SP, Scalar, Vector, control, pair, scalar, vector,
};
use super::scalar::AluOp;

/// Cycles from a load to its result.
pub(super) const LOAD_LATENCY: u8 = 7;
/// From a load that shifts up to its result.
pub(super) const LOAD_UPS_LATENCY: u8 = 9;
/// Multiplications of the scalar unit, and operations of the move slot on vectors.
const MULTIPLY_LATENCY: u8 = 2;
const MOVE_LATENCY: u8 = 2;
const UPS_LATENCY: u8 = 3;
const SRS_LATENCY: u8 = 4;
/// jl writes lr this much later.
pub(super) const LINK_LATENCY: u8 = 4;
/// The cycle in which unpacking and part-word stores read their source.
pub(super) const LATE_SOURCE: u8 = 6;

/// Cycles of products.
struct ProductTiming {
    integer: u8,
    float: u8,
    accumulator: u8,
    float_forwards: bool,
}

fn product_timing(arch: CoreArch) -> ProductTiming {
    match arch {
        CoreArch::Aie2 => ProductTiming {
            integer: 5,
            float: 6,
            accumulator: 2,
            float_forwards: false,
        },
        CoreArch::Aie2p | CoreArch::Aie2ps => ProductTiming {
            integer: 6,
            float: 6,
            accumulator: 3,
            float_forwards: true,
        },
    }
}

/// r29: the lane of insertions.
const INSERT_INDEX: Scalar = R + 29;
/// r28: whether a word is the last.
const LAST_WORD: Scalar = R + 28;

/// An instruction to be resolved.
struct Resolver<'a> {
    isa: &'a CoreIsa,
    row: &'a Instruction,
    operands: &'a [Operand],
    /// The mnemonic, cut at its dots.
    parts: Vec<&'a str>,
    /// The address after five more bundles.
    return_to: Option<u32>,
}

/// The operation of an instruction; `None` for those that do nothing, an error for those without a
/// model.
pub(super) fn resolve(
    isa: &CoreIsa,
    instruction: &SlotInstruction,
    return_to: Option<u32>,
) -> Result<Option<Op>, String> {
    let Some(row) = isa.instructions.get(usize::from(instruction.instruction)) else {
        return Err("an instruction that the table does not have".to_string());
    };
    if row.mnemonic.starts_with("nop") {
        return Ok(None);
    }
    if let Some(operand) = row.unconfirmed_operand() {
        return Err(format!(
            "`{}` is not simulated: the registers of its operand `{}` are unconfirmed",
            row.mnemonic, operand.name
        ));
    }
    let resolver = Resolver {
        isa,
        row,
        operands: &instruction.operands,
        parts: row.mnemonic.split('.').collect(),
        return_to,
    };
    match resolver.resolve() {
        Some(op) => Ok(Some(op)),
        None => Err(format!(
            "`{}` is not simulated ({}: no confirmed meaning)",
            row.mnemonic, row.name
        )),
    }
}

impl Resolver<'_> {
    fn resolve(&self) -> Option<Op> {
        if let Some(op) = self.memory() {
            return Some(op);
        }
        if self.row.memory.is_some() {
            return self.look_up();
        }
        match self.row.slot {
            Slot::Vector => self.product(),
            _ if self.row.mnemonic.starts_with('v') => self.vector_operation(),
            _ => self
                .control_flow()
                .or_else(|| self.alu())
                .or_else(|| self.moves())
                .or_else(|| self.bus()),
        }
    }

    fn arch(&self) -> CoreArch {
        self.isa.arch
    }

    /// The operand of the first of some names.
    fn operand(&self, names: &[&str]) -> Option<Operand> {
        let index = names.iter().find_map(|name| self.row.operand_index(name))?;
        self.operands.get(index).copied()
    }

    fn register(&self, names: &[&str]) -> Option<Register> {
        match self.operand(names)? {
            Operand::Register(register) => Some(register),
            _ => None,
        }
    }

    fn scalar(&self, names: &[&str]) -> Option<Scalar> {
        scalar(self.register(names)?)
    }

    fn vector(&self, names: &[&str]) -> Option<Vector> {
        vector(self.arch(), self.register(names)?)
    }

    fn immediate(&self, names: &[&str]) -> Option<u32> {
        match self.operand(names)? {
            Operand::Immediate(value) => Some(value as u32),
            _ => None,
        }
    }

    /// A register or a number.
    fn source(&self, names: &[&str]) -> Option<Source> {
        match self.operand(names)? {
            Operand::Immediate(value) => Some(Source::Immediate(value as u32)),
            Operand::Register(register) => scalar(register).map(Source::Register),
            Operand::Code(_) => None,
        }
    }

    /// A scalar or the lower register of a pair, and whether it is one.
    fn scalar_or_pair(&self, names: &[&str]) -> Option<(Scalar, bool)> {
        let register = self.register(names)?;
        match pair(self.arch(), register) {
            Some(low) => Some((low, true)),
            None => Some((scalar(register)?, false)),
        }
    }

    /// The sign in an instruction's name: `…Sign1`.
    fn named_sign(&self) -> Option<bool> {
        match self.row.name {
            name if name.ends_with("Sign1") => Some(true),
            name if name.ends_with("Sign0") => Some(false),
            _ => None,
        }
    }

    /// Width and sign of lanes: `s16`, `d16` (the sign is in a control register), `16`.
    fn lanes(&self, text: &str, register: &str) -> Option<Lanes> {
        if text == "bf16" {
            return Some(Lanes::Bf16);
        }
        let (letter, digits) = match text.as_bytes().first()? {
            b's' | b'd' => text.split_at(1),
            _ => ("", text),
        };
        let bits: u8 = digits.parse().ok()?;
        if !bits.is_power_of_two() || bits > 128 {
            return None;
        }
        let sign = match letter {
            "s" => Sign::Fixed(true),
            "d" => Sign::Control(control(register)),
            _ => Sign::Fixed(self.named_sign().unwrap_or(false)),
        };
        Some(Lanes::Int { bits, sign })
    }

    // Memory

    fn walk(&self) -> Option<Walk> {
        let memory = self.row.memory?;
        let pointer = || self.scalar(&["ptr"]);
        let mode = match memory.mode {
            AddressMode::IndexRegister => WalkMode::Offset(self.source(&["dj"])?),
            AddressMode::IndexImmediate => WalkMode::Offset(self.source(&["imm"])?),
            AddressMode::PostModifier => WalkMode::Post(self.source(&["mod"])?),
            AddressMode::PostImmediate => WalkMode::Post(self.source(&["imm"])?),
            AddressMode::Post2D => WalkMode::Post2D(self.register(&["mod"])?.number),
            AddressMode::Post3D => WalkMode::Post3D(self.register(&["mod"])?.number),
            AddressMode::Stack => {
                return Some(Walk {
                    pointer: SP,
                    mode: WalkMode::Offset(self.source(&["imm"])?),
                });
            }
            AddressMode::Other if self.row.mnemonic == "vlda.128" => {
                WalkMode::Offset(Source::Immediate(0))
            }
            AddressMode::Other => return None,
        };
        Some(Walk {
            pointer: pointer()?,
            mode,
        })
    }

    /// Loads and stores, and what only moves pointers.
    fn memory(&self) -> Option<Op> {
        if self.row.mnemonic.starts_with("padd") {
            return self.pointer();
        }
        let first = *self.parts.first()?;
        let walk = self.walk()?;
        let rest: Vec<&str> = self.parts[1..]
            .iter()
            .copied()
            .filter(|part| !matches!(*part, "2d" | "3d"))
            .collect();
        let data = match first {
            "lda" | "st" => self.scalar_data(&rest)?,
            "vlda" | "vldb" | "vst" => self.vector_data(first, &rest)?,
            _ => return None,
        };
        Some(match self.row.is_store {
            true => Op::Store { walk, from: data },
            false => Op::Load { walk, to: data },
        })
    }

    fn scalar_data(&self, rest: &[&str]) -> Option<Data> {
        let names = ["mLdaScl", "mSclSt", "mRa", "mRv", "dst", "src"];
        let register = self.register(&names)?;
        if let Some(vector) = vector(self.arch(), register) {
            return Some(Data::Vector {
                vector,
                bytes: vector.bytes as u8,
                conversion: Conversion::None,
            });
        }
        let (bytes, signed) = match rest {
            [] => (4, false),
            ["u8"] => (1, false),
            ["s8"] => (1, true),
            ["u16"] => (2, false),
            ["s16"] => (2, true),
            _ => return None,
        };
        Some(Data::Scalar {
            register: scalar(register)?,
            bytes,
            signed,
        })
    }

    fn vector_data(&self, first: &str, rest: &[&str]) -> Option<Data> {
        let vector = self.vector(&["dst", "src", "op"])?;
        let conversion = match rest {
            [] | ["128"] => Conversion::None,
            ["ups" | "srs" | "pack" | "unpack" | "conv", ..] => self.conversion(rest)?,
            _ => return None,
        };
        let bytes = match rest {
            ["128"] => 16,
            [] => u8::try_from(vector.bytes).ok()?,
            _ => match (self.arch(), first) {
                (CoreArch::Aie2, _) => 32,
                _ => self.row.memory?.bytes,
            },
        };
        Some(Data::Vector {
            vector,
            bytes,
            conversion,
        })
    }

    /// What `srs.s16.s32`, `ups.2x`, `pack.d8.d16`, `conv.bf16.fp32` and the like convert.
    fn conversion(&self, parts: &[&str]) -> Option<Conversion> {
        let shift = || self.scalar(&["shft", "su"]);
        let int = |text: &str, register: &str| match self.lanes(text, register)? {
            Lanes::Int { bits, sign } => Some((bits, sign)),
            Lanes::Bf16 => None,
        };
        let named = || self.named_sign().map(Sign::Fixed);
        Some(match parts {
            ["srs" | "srsm", to, from] => {
                let ((to, sign), (from, _)) = (int(to, "crSRSSign")?, int(from, "crSRSSign")?);
                Conversion::Srs {
                    widths: Widths::Fixed(from, to),
                    sign,
                    shift: shift()?,
                }
            }
            ["ups", to, from] => {
                let ((to, _), (from, sign)) = (int(to, "crUPSSign")?, int(from, "crUPSSign")?);
                Conversion::Ups {
                    widths: Widths::Fixed(from, to),
                    sign,
                    shift: shift()?,
                }
            }
            ["pack", to, from] => {
                let ((to, sign), (from, _)) = (int(to, "crPackSign")?, int(from, "crPackSign")?);
                Conversion::Pack {
                    widths: Widths::Fixed(from, to),
                    sign,
                }
            }
            ["unpack", to, from] => {
                let ((to, _), (from, sign)) =
                    (int(to, "crUnpackSign")?, int(from, "crUnpackSign")?);
                Conversion::Unpack {
                    widths: Widths::Fixed(from, to),
                    sign,
                }
            }
            // The mode registers: 0 = 32-bit lanes, 1 = 64-bit lanes.
            ["srs", factor] => Conversion::Srs {
                widths: Widths::Control(
                    control("crSRSMode"),
                    (32, 32 / times(factor)?),
                    (64, 64 / times(factor)?),
                ),
                sign: named()?,
                shift: shift()?,
            },
            ["ups", factor] => Conversion::Ups {
                widths: Widths::Control(
                    control("crUPSMode"),
                    (32 / times(factor)?, 32),
                    (64 / times(factor)?, 64),
                ),
                sign: named()?,
                shift: shift()?,
            },
            // 0 = 4-bit lanes, 1 = 8-bit lanes on the narrow side.
            ["pack"] => Conversion::Pack {
                widths: Widths::Control(control("crPackSize"), (8, 4), (16, 8)),
                sign: named()?,
            },
            ["unpack"] => Conversion::Unpack {
                widths: Widths::Control(control("crUnpackSize"), (4, 8), (8, 16)),
                sign: named()?,
            },
            ["conv", "bf16", "fp32"] => Conversion::NarrowFloat,
            ["conv", "fp32", "bf16"] => Conversion::WidenFloat,
            ["floor", "s32", "bf16"] => Conversion::FloorFloat { shift: shift()? },
            _ => return None,
        })
    }

    fn pointer(&self) -> Option<Op> {
        let (pointer, by) = match self.scalar(&["ptr"]) {
            Some(pointer) => (pointer, self.source(&["imm"])),
            None => (SP, self.source(&["imm", "mod"])),
        };
        let mode = match (by, self.register(&["mod"])) {
            (Some(by), _) => WalkMode::Post(by),
            (None, Some(register)) => match register.file {
                RegisterFile::Dim2 => WalkMode::Post2D(register.number),
                RegisterFile::Dim3 => WalkMode::Post3D(register.number),
                _ => WalkMode::Post(Source::Register(scalar(register)?)),
            },
            (None, None) => return None,
        };
        Some(Op::Pointer(Walk { pointer, mode }))
    }

    /// Parallel loads through addresses in a vector.
    fn look_up(&self) -> Option<Op> {
        let ["vldb", width, half] = self.parts.as_slice() else {
            return None;
        };
        let bits: u8 = width.strip_prefix("4x")?.parse().ok()?;
        Some(Op::LookUp {
            d: self.vector(&["dst"])?,
            addresses: self.vector(&["src"])?,
            bytes: bits / 8,
            high: *half == "hi",
        })
    }

    // Scalars

    fn control_flow(&self) -> Option<Op> {
        let target = || self.source(&["cpmaddr", "i", "mPm", "a"]);
        let tested = || self.scalar(&["mRx", "s0"]);
        let branch = |condition| {
            Some(Op::Branch {
                condition,
                target: target()?,
            })
        };
        match self.row.mnemonic {
            "j" => branch(Condition::Always),
            "jz" => branch(Condition::Zero(tested()?)),
            "jnz" => branch(Condition::NonZero(tested()?)),
            "jnzd" => branch(Condition::Decrement(
                self.scalar(&["mRx", "d0"])?,
                self.scalar(&["mRx0", "s0"])?,
            )),
            "jl" => Some(Op::Call {
                target: target()?,
                return_to: self.return_to?,
            }),
            "ret" => Some(Op::Branch {
                condition: Condition::Always,
                target: Source::Register(LR),
            }),
            "done" => Some(Op::Done),
            _ => None,
        }
    }

    fn alu(&self) -> Option<Op> {
        use AluOp::*;
        let d = || self.scalar(&["mRx", "d0"]);
        let a = || self.scalar(&["mRx0", "s0"]);
        let b = || self.source(&["mRy", "s1", "c7s", "imm"]);
        let register = |names: &[&str]| self.scalar(names);
        let (op, unary) = match self.row.mnemonic {
            "add" => (Add, false),
            "sub" => (Sub, false),
            "adc" => (AddWithCarry, false),
            "sbc" => (SubWithBorrow, false),
            "mul" => (Mul, false),
            "and" => (And, false),
            "or" => (Or, false),
            "xor" => (Xor, false),
            "lshl" => (ShiftLogical, false),
            "ashl" => (ShiftArithmetic, false),
            "eq" => (Eq, false),
            "ne" => (Ne, false),
            "lt" => (Lt, false),
            "ltu" => (Ltu, false),
            "ge" => (Ge, false),
            "geu" => (Geu, false),
            "eqz" => (Eqz, true),
            "nez" => (Nez, true),
            "abs" => (Abs, true),
            "clz" => (CountLeadingZeros, true),
            "clb" => (CountLeadingSigns, true),
            "popcount" => (PopulationCount, true),
            "extend.s8" => (SignExtend8, true),
            "extend.s16" => (SignExtend16, true),
            "extend.u8" => (ZeroExtend8, true),
            "extend.u16" => (ZeroExtend16, true),
            "sel.eqz" | "sel.nez" => {
                return Some(Op::Select {
                    d: d()?,
                    a: a()?,
                    b: register(&["mRy", "s1"])?,
                    if_zero: self.row.mnemonic == "sel.eqz",
                });
            }
            "divs" => {
                return Some(Op::DivideStep {
                    d: register(&["d0"])?,
                    remainder: register(&["s0"])?,
                    divisor: register(&["s1"])?,
                });
            }
            "mac" | "msc" => {
                return Some(Op::MultiplyAdd {
                    d: d()?,
                    a: a()?,
                    b: register(&["s1"])?,
                    subtract: self.row.mnemonic == "msc",
                });
            }
            "add.nc" => {
                return Some(Op::Alu {
                    op: Add,
                    d: self.scalar(&["dst"])?,
                    a: a()?,
                    b: self.source(&["imm", "s1"])?,
                    latency: 1,
                });
            }
            _ => return None,
        };
        Some(Op::Alu {
            op,
            d: d()?,
            a: a()?,
            b: if unary { Source::Immediate(0) } else { b()? },
            latency: if op == Mul { MULTIPLY_LATENCY } else { 1 },
        })
    }

    fn moves(&self) -> Option<Op> {
        let latency = match self.parts.as_slice() {
            ["mov" | "mova" | "movx" | "movxm" | "movs"] => 1,
            ["mov", delay] => delay.strip_prefix('d')?.parse::<u8>().ok()? + 1,
            _ => return None,
        };
        // Streams and block exponents have their own rules.
        if self.row.name.contains("cntr") || self.row.name == "MOV_CNTR" {
            let d = self.register(&["dst"])?;
            return Some(Op::Counter {
                d: pair(self.arch(), d)?,
            });
        }
        if self.operands.len() != 2 || self.is_stream() {
            return None;
        }
        let d = self.scalar(&["dst", "mMvSclDst", "mMvSclDstCg", "mLdaCg", "mCRm", "d0"])?;
        let from = self.source(&["src", "mMvSclSrc", "mRx", "i", "c11s", "s0"])?;
        Some(Op::Move { d, from, latency })
    }

    // Streams, locks, events

    fn is_stream(&self) -> bool {
        let name = self.row.name;
        ["ss2", "2ms", "mMStream", "_tlast", "MOV_lda", "MOV_nb_lda"]
            .iter()
            .any(|part| name.contains(part))
    }

    fn bus(&self) -> Option<Op> {
        let bus = match self.row.mnemonic {
            "acq" | "rel" => BusOp::Lock {
                acquire: self.row.mnemonic == "acq",
                id: match self.row.operand_index("id") {
                    Some(_) => self.source(&["id"])?,
                    None => self.source(&["mRx"])?,
                },
                value: self.scalar(&["mRy", "s1"])?,
            },
            "event" | "event.warning" | "event.error" => {
                let number = self.immediate(&["val"]);
                let number =
                    number.or_else(|| self.row.name.strip_prefix("EVENT_event")?.parse().ok());
                BusOp::Event(u8::try_from(number?).ok()?)
            }
            _ if self.is_stream() => return self.stream(),
            _ => return None,
        };
        Some(Op::Bus(bus))
    }

    /// Blocking moves from and to streams. Those that do not block are unconfirmed in what they
    /// leave in their status bits.
    fn stream(&self) -> Option<Op> {
        let name = self.row.name;
        if name.contains("NB")
            || name.contains("nb")
            || name.contains("cph")
            || name.contains("CPH")
        {
            return None;
        }
        if name.contains("ss2scl") || name == "MOV_lda" {
            return Some(Op::Bus(BusOp::StreamGet {
                d: self.scalar(&["mRa", "dst"])?,
            }));
        }
        let last = if name.contains("doTlast_reg") || name.contains("tlast_reg") {
            Last::Register(LAST_WORD)
        } else if name.contains("TLAST") || name.ends_with("_tlast") {
            Last::Always
        } else {
            Last::Never
        };
        let word = match self.row.operand_index("pcktType") {
            Some(_) => StreamWord::PacketHeader {
                id: self.scalar(&["id"])?,
                kind: u8::try_from(self.immediate(&["pcktType"])?).ok()?,
            },
            None => StreamWord::Register(self.scalar(&["src"])?),
        };
        Some(Op::Bus(BusOp::StreamPut { word, last }))
    }

    // Vectors

    fn read(&self, names: &[&str]) -> Option<Read> {
        Some(Read {
            vector: self.vector(names)?,
            late: 0,
            forwarding: Forwarding::Move,
        })
    }

    fn plain_read(&self, names: &[&str]) -> Option<Read> {
        let forwarding = Forwarding::None;
        let vector = self.vector(names)?;
        Some(Read {
            vector,
            late: 0,
            forwarding,
        })
    }

    fn vector_operation(&self) -> Option<Op> {
        match self.parts.as_slice() {
            ["vmov", ..] => self.vector_move(),
            ["vextract", lanes] => {
                let (d, pair) = self.scalar_or_pair(&["dst"])?;
                let latency_free = self.read(&["s1"])?;
                Some(Op::Extract {
                    d,
                    pair,
                    lanes: self.lanes(lanes, "crVaddSign")?,
                    a: latency_free,
                    index: self.source(&["idx"])?,
                })
            }
            [
                "vsrs" | "vsrsm" | "vups" | "vpack" | "vunpack" | "vconv" | "vfloor",
                ..,
            ] => self.vector_conversion(),
            _ => self.lane_operation(),
        }
    }

    fn vector_conversion(&self) -> Option<Op> {
        let mut parts = self.parts.clone();
        *parts.first_mut()? = parts.first()?.strip_prefix('v')?;
        let conversion = self.conversion(&parts)?;
        let latency = match conversion {
            Conversion::Srs { .. } => SRS_LATENCY,
            Conversion::Ups { .. } => UPS_LATENCY,
            Conversion::Unpack { .. } => LOAD_LATENCY - LATE_SOURCE,
            _ => MOVE_LATENCY,
        };
        let mut a = self.plain_read(&["src"])?;
        if matches!(conversion, Conversion::WidenFloat) && is_low_half(a.vector) {
            a.forwarding = Forwarding::Move;
        }
        if matches!(conversion, Conversion::Unpack { .. }) {
            a.late = LATE_SOURCE;
        }
        Some(Op::Convert {
            d: Write {
                vector: self.vector(&["dst"])?,
                latency,
                forwarding: Forwarding::None,
            },
            a,
            conversion,
        })
    }

    fn vector_move(&self) -> Option<Op> {
        if self.row.slot != Slot::Move {
            return self.cascade();
        }
        let (d, a) = (self.vector(&["dst"])?, self.vector(&["src"])?);
        // Accumulators and upper halves of vectors have no forwarding.
        let forwards = |vector: Vector| match vector.bytes {
            64 if is_low_half(vector) => Forwarding::Move,
            32 if is_low_half(vector) => Forwarding::Move,
            _ => Forwarding::None,
        };
        Some(Op::Convert {
            d: Write {
                vector: d,
                latency: MOVE_LATENCY,
                forwarding: forwards(d),
            },
            a: Read {
                vector: a,
                late: 0,
                forwarding: forwards(a),
            },
            conversion: Conversion::None,
        })
    }

    /// Moves of 512 bits from and to the cascade.
    fn cascade(&self) -> Option<Op> {
        let bus = match (self.row.slot, self.parts.as_slice()) {
            (Slot::LoadA, parts) => {
                let d = self.vector(&["dst"])?;
                let d = match (d.bytes, parts) {
                    (64, _) => d,
                    (128, ["vmov", "lo"]) => d.part(0, 64),
                    (128, ["vmov", "hi"]) => d.part(64, 64),
                    _ => return None,
                };
                BusOp::CascadeGet { d }
            }
            (Slot::Store, _) => {
                let source = self.vector(&["src"])?;
                if source.bytes != 64 {
                    return None;
                }
                BusOp::CascadePut { source }
            }
            _ => return None,
        };
        Some(Op::Bus(bus))
    }

    fn lane_operation(&self) -> Option<Op> {
        use PairOp::*;
        // `vneg_gtz16` is written without a dot.
        let first = *self.parts.first()?;
        let (family, width) = match self.parts.as_slice() {
            [family] => match family.strip_prefix("vneg_gtz") {
                Some(width) if !width.is_empty() => ("vneg_gtz", width),
                _ => (first, "32"),
            },
            ["vpush", ends, width] => (
                if *ends == "hi" {
                    "vpush.hi"
                } else {
                    "vpush.lo"
                },
                *width,
            ),
            [family, width] => (*family, *width),
            _ => return None,
        };
        let op = match family {
            "vadd" => LaneOp::Pairs(Add),
            "vsub" => LaneOp::Pairs(Sub),
            "vband" => LaneOp::Pairs(And),
            "vbor" => LaneOp::Pairs(Or),
            "vlt" => LaneOp::Pairs(Lt),
            "vge" => LaneOp::Pairs(Ge),
            "vmax_lt" => LaneOp::Pairs(MaxLt),
            "vmin_ge" => LaneOp::Pairs(MinGe),
            "vmaxdiff_lt" => LaneOp::Pairs(MaxDiffLt),
            "vsub_ge" => LaneOp::Pairs(SubGe),
            "vsub_lt" => LaneOp::Pairs(SubLt),
            "vabs_gtz" => LaneOp::Unary(UnaryOp::AbsGtz),
            "vneg_gtz" => LaneOp::Unary(UnaryOp::NegGtz),
            "vbneg_ltz" => LaneOp::Unary(UnaryOp::BnegLtz),
            "veqz" => LaneOp::Unary(UnaryOp::Eqz),
            "vsel" => LaneOp::Select,
            "vaddsub" => LaneOp::AddSub,
            "vbcst" => LaneOp::Broadcast,
            "vbcstshfl" => LaneOp::BroadcastShuffle,
            "vextbcst" => LaneOp::BroadcastLane,
            "vinsert" => LaneOp::Insert,
            "vpush.hi" => LaneOp::PushHigh,
            "vpush.lo" => LaneOp::PushLow,
            "vshift" if self.parts.len() == 1 => LaneOp::Shift,
            "vshuffle" => LaneOp::Shuffle,
            _ => return None,
        };
        let lanes = self.lanes(width, "crVaddSign")?;
        let (value, wide_scalar) = match op {
            LaneOp::PushLow => self.scalar_or_pair(&["s1"]),
            LaneOp::PushHigh => self.scalar_or_pair(&["s2"]),
            LaneOp::Broadcast | LaneOp::BroadcastShuffle => self.scalar_or_pair(&["s0", "src"]),
            LaneOp::Insert => self.scalar_or_pair(&["s0", "src"]),
            LaneOp::Select | LaneOp::AddSub => self.scalar_or_pair(&["sel"]),
            _ => None,
        }
        .map_or((None, false), |(scalar, pair)| {
            (Some(Source::Register(scalar)), pair)
        });
        let scalar = match op {
            LaneOp::BroadcastLane => self.source(&["idx"]),
            LaneOp::Shift => self.source(&["shift"]),
            LaneOp::Shuffle => self.source(&["mod"]),
            _ => value,
        };
        let index = match op {
            LaneOp::Insert if self.row.name.contains("IdxImm0") => Some(Source::Immediate(0)),
            LaneOp::Insert | LaneOp::BroadcastShuffle => Some(Source::Register(INSERT_INDEX)),
            _ => None,
        };
        let d = self.vector(&["d", "dst"]).map(|vector| Write {
            vector,
            latency: MOVE_LATENCY,
            forwarding: Forwarding::Move,
        });
        let mask = match self.register(&["cmp"]) {
            Some(register) => Some(pair(self.arch(), register).or_else(|| scalar_of(register))?),
            None => None,
        };
        let (a, b) = match op {
            LaneOp::Unary(_) => (self.read(&["s1", "s2"]), None),
            LaneOp::PushLow => (self.read(&["s2"]), None),
            LaneOp::PushHigh | LaneOp::Insert => (self.read(&["s1"]), None),
            LaneOp::BroadcastLane => (self.read(&["src", "s1"]), None),
            LaneOp::Broadcast | LaneOp::BroadcastShuffle => (None, None),
            _ => (self.read(&["s1"]), self.read(&["s2"])),
        };
        let is_complete = match op {
            LaneOp::Pairs(_) | LaneOp::Shift | LaneOp::Shuffle => a.is_some() && b.is_some(),
            LaneOp::Broadcast | LaneOp::BroadcastShuffle => scalar.is_some(),
            LaneOp::Unary(_) => a.is_some(),
            LaneOp::Select | LaneOp::AddSub => a.is_some() && b.is_some() && scalar.is_some(),
            _ => a.is_some() && scalar.is_some(),
        };
        if !is_complete || (d.is_none() && mask.is_none()) {
            return None;
        }
        Some(Op::Lanes(VectorLanes {
            op,
            lanes,
            d,
            mask,
            a,
            b,
            scalar,
            index,
            wide_scalar,
        }))
    }

    fn product(&self) -> Option<Op> {
        let timing = product_timing(self.arch());
        let float = self.parts.get(1) == Some(&"f");
        let (latency, forwarding) = match float {
            true if !timing.float_forwards => (timing.float, Forwarding::None),
            true => (timing.float, Forwarding::Product),
            false => (timing.integer, Forwarding::Product),
        };
        let write = |vector: Vector| Write {
            vector,
            latency,
            forwarding,
        };
        let accumulator = |names: &[&str]| {
            let vector = self.vector(names)?;
            Some(Read {
                vector,
                late: timing.accumulator,
                forwarding,
            })
        };
        let d = self.vector(&["dst", "cdst", "acc1"])?;
        let first = *self.parts.first()?;
        match first {
            "vclr" => {
                let float = self.arch() == CoreArch::Aie2 && d.bytes == 64;
                let latency = if float { timing.float } else { timing.integer };
                return Some(Op::Clear(Write {
                    latency,
                    forwarding: if float {
                        Forwarding::None
                    } else {
                        Forwarding::Product
                    },
                    ..write(d)
                }));
            }
            "vmov" => {
                return Some(Op::Convert {
                    d: write(d),
                    a: Read {
                        vector: self.vector(&["csrc", "acc1"])?,
                        late: timing.accumulator,
                        forwarding: Forwarding::None,
                    },
                    conversion: Conversion::None,
                });
            }
            _ => {}
        }
        // Sign of the product, of the first and of the second accumulator; what there is of them.
        let (signs, multiplies, accumulators) = match first {
            "vmul" => ((false, false, false), true, 0),
            "vnegmul" => ((true, false, false), true, 0),
            "vmac" => ((false, false, false), true, 1),
            "vmsc" => ((true, false, false), true, 1),
            "vnegmac" => ((true, true, false), true, 1),
            "vnegmsc" => ((false, true, false), true, 1),
            "vaddmac" => ((false, false, false), true, 2),
            "vaddmsc" => ((true, false, false), true, 2),
            "vsubmac" => ((false, false, true), true, 2),
            "vsubmsc" => ((true, false, true), true, 2),
            "vadd" => ((false, false, false), false, 2),
            "vsub" => ((false, false, true), false, 2),
            "vnegadd" => ((false, true, true), false, 2),
            "vnegsub" => ((false, true, false), false, 2),
            "vneg" => ((false, true, false), false, 1),
            _ => return None,
        };
        let has_cascade = self.row.name.contains("_scd");
        let sources = match multiplies {
            true => Some((self.vector(&["s1"])?, self.vector(&["s2"])?)),
            false => None,
        };
        if has_cascade {
            return None;
        }
        Some(Op::Product(ProductOp {
            d: write(d),
            sources,
            first: match accumulators {
                0 => None,
                _ => Some(accumulator(&["acc1"])?),
            },
            second: match accumulators {
                2 => Some(accumulator(&["acc2"])?),
                _ => None,
            },
            signs: Signs {
                product: signs.0,
                first: signs.1,
                second: signs.2,
            },
            configuration: self.scalar(&["c", "acc"])?,
            float,
        }))
    }
}

/// `2x`, `4x`
fn times(factor: &str) -> Option<u8> {
    match factor {
        "2x" => Some(2),
        "4x" => Some(4),
        _ => None,
    }
}

fn scalar_of(register: Register) -> Option<Scalar> {
    scalar(register)
}

/// Whether a vector is an x register or the low half of one.
fn is_low_half(vector: Vector) -> bool {
    vector.first < 24 && vector.first.is_multiple_of(2) && vector.bytes <= 64
}

/// The scalars of the dimension of a number: mN, dnN, djN, dcN.
pub(super) fn dimension(number: u8) -> [Scalar; 4] {
    [M + number, DN + number, DJ + number, DC + number]
}

const _: () = assert!(P == R + 32);
