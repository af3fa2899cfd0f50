//! Loads, stores, pointers and the conversions in them.

use aiec_core::{AddressMode, CoreArch, RegisterFile};

use super::{LOAD_STAGE, Resolver};
use crate::core::isa::formats::FloatFormat;
use crate::core::isa::op::{
    BusOp, Conversion, Data, Lanes, Op, Sign, Source, TimedConversion, Walk, WalkMode, Widths,
};
use crate::core::isa::parts::words;
use crate::core::isa::registers::{SP, control, scalar, vector};

/// Names of the operands that loads and stores move.
const DATA: [&str; 7] = ["mLdaScl", "mSclSt", "mRa", "mRv", "dst", "src", "op"];

impl Resolver<'_> {
    pub(super) fn walk(&self) -> Option<Walk> {
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
                    latency: self.isa.timing.walk(),
                });
            }
            AddressMode::Other if matches!(self.row.mnemonic, "vlda.128" | "lda.tm" | "st.tm") => {
                WalkMode::Offset(Source::Immediate(0))
            }
            AddressMode::Other => return None,
        };
        Some(Walk {
            pointer: pointer()?,
            mode,
            latency: self.isa.timing.walk(),
        })
    }

    /// Loads and stores, and what only moves pointers.
    pub(super) fn memory(&self) -> Option<Op> {
        if self.row.mnemonic.starts_with("padd") {
            return self.pointer();
        }
        let first = *self.parts.first()?;
        let walk = self.walk()?;
        if self.parts.get(1) == Some(&"tm") {
            return Some(Op::Bus(if self.row.is_store {
                BusOp::RegisterPut {
                    from: self.scalar(&["mSclSt", "src"])?,
                    walk,
                }
            } else {
                BusOp::RegisterGet {
                    d: self.scalar(&["dst"])?,
                    latency: self.latency(&["dst"])?,
                    walk,
                }
            }));
        }
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
        Some(if self.row.is_store {
            Op::Store {
                walk,
                from: data,
                late: self.late(&DATA),
                // A store in a stage is seen by loads that come to theirs afterwards.
                seen: self.seen(),
            }
        } else {
            Op::Load {
                walk,
                to: data,
                latency: self.latency(&DATA)?,
            }
        })
    }

    /// Cycles until loads see what is stored.
    pub(super) fn seen(&self) -> u8 {
        let stages = self.isa.stages(self.index);
        stages.last().map_or(1, |stage| stage - LOAD_STAGE + 1)
    }

    pub(super) fn scalar_data(&self, rest: &[&str]) -> Option<Data> {
        let register = self.register(&DATA)?;
        if let Some(vector) = vector(register) {
            return Some(Data::Vector {
                vector,
                bytes: vector.bytes as u8,
                conversion: TimedConversion::NONE,
            });
        }
        if let (Some(words), []) = (words(self.arch(), register), rest) {
            return Some(Data::Words(words));
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

    pub(super) fn vector_data(&self, first: &str, rest: &[&str]) -> Option<Data> {
        let words = words(self.arch(), self.register(&DATA)?);
        if let (Some(words), [] | ["128"]) = (words, rest) {
            return Some(Data::Words(words));
        }
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
            conversion: self.timed(conversion),
        })
    }

    /// Conversion of `srs.s16.s32`, `ups.2x`, `pack.d8.d16`, `conv.bf16.fp32` and the like.
    pub(super) fn conversion(&self, parts: &[&str]) -> Option<Conversion> {
        let shift = || self.scalar(&["shft", "su", "base"]).map(Source::Register);
        let int = |text: &str, register: &str| match self.lanes(text, register)? {
            Lanes::Int { bits, sign } => Some((bits, sign)),
            Lanes::Float(_) => None,
        };
        let named = || self.named_sign().map(Sign::Fixed);
        Some(match parts {
            ["srs" | "srsm", to, from] => {
                let ((to, sign), (from, _)) = (int(to, "crSRSSign")?, int(from, "crSRSSign")?);
                Conversion::Srs(Widths::Fixed(from, to), sign, shift()?)
            }
            ["ups", to, from] => {
                let ((to, _), (from, sign)) = (int(to, "crUPSSign")?, int(from, "crUPSSign")?);
                Conversion::Ups(Widths::Fixed(from, to), sign, shift()?)
            }
            ["pack", to, from] => {
                let ((to, sign), (from, _)) = (int(to, "crPackSign")?, int(from, "crPackSign")?);
                Conversion::Pack(Widths::Fixed(from, to), sign)
            }
            ["unpack", to, from] => {
                let ((to, _), (from, sign)) =
                    (int(to, "crUnpackSign")?, int(from, "crUnpackSign")?);
                Conversion::Unpack(Widths::Fixed(from, to), sign)
            }
            // The mode registers: 0 = 32-bit lanes, 1 = 64-bit lanes.
            ["srs", factor] => Conversion::Srs(
                Widths::Control(
                    control("crSRSMode"),
                    (32, 32 / times(factor)?),
                    (64, 64 / times(factor)?),
                ),
                named()?,
                shift()?,
            ),
            ["ups", factor] => Conversion::Ups(
                Widths::Control(
                    control("crUPSMode"),
                    (32 / times(factor)?, 32),
                    (64 / times(factor)?, 64),
                ),
                named()?,
                shift()?,
            ),
            // 0 = 4-bit lanes, 1 = 8-bit lanes on the narrow side.
            ["pack"] => Conversion::Pack(
                Widths::Control(control("crPackSize"), (8, 4), (16, 8)),
                named()?,
            ),
            ["unpack"] => Conversion::Unpack(
                Widths::Control(control("crUnpackSize"), (4, 8), (8, 16)),
                named()?,
            ),
            ["conv", to, "fp32"] => {
                let shift = self.source(&["i"]);
                Conversion::NarrowFloat(FloatFormat::of_name(to)?, shift)
            }
            ["conv", "fp32", from] => Conversion::WidenFloat(FloatFormat::of_name(from)?),
            ["floor", "s32", "bf16"] => Conversion::FloorFloat(shift()?),
            _ => return None,
        })
    }

    pub(super) fn pointer(&self) -> Option<Op> {
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
        Some(Op::Pointer(Walk {
            pointer,
            mode,
            latency: self.isa.timing.walk(),
        }))
    }

    /// Parallel loads through addresses in a vector.
    pub(super) fn look_up(&self) -> Option<Op> {
        let ["vldb", width, half] = self.parts.as_slice() else {
            return None;
        };
        let bits: u8 = width.strip_prefix("4x")?.parse().ok()?;
        Some(Op::LookUp {
            d: self.write(&["dst"])?,
            addresses: self.vector(&["src"])?,
            bytes: bits / 8,
            high: *half == "hi",
        })
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
