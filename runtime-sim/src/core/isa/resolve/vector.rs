//! Operations of the move slot on vectors, conversions, the cascade.

use aiec_core::{CoreArch, Register, RegisterFile, Slot};

use super::Resolver;
use crate::core::isa::block::{Quantize, QuantizeSource};
use crate::core::isa::lanes::{PairOp, UnaryOp};
use crate::core::isa::op::{
    BusOp, CascadePart, Conversion, Forwarding, LaneOp, Op, Read, ScalarWrite, ShuffleBlocks,
    Source, TimedConversion, VectorLanes, Write,
};
use crate::core::isa::parts::PartsMove;
use crate::core::isa::registers::{R, Scalar, block_vector, pair, scalar as scalar_register};

/// r16: the mask of operations that don't name its register (AIE2P, AIE2PS); of 64 lanes r17 too.
const MASK: Scalar = R + 16;
/// r29: the lane of insertions.
const INSERT_INDEX: Scalar = R + 29;

/// r30: the amount of `vshift.align` where it isn't an operand (AIE2P, AIE2PS).
const ALIGN_SHIFT: Scalar = R + 30;

impl Resolver<'_> {
    pub(super) fn vector_operation(&self) -> Option<Op> {
        match self.parts.as_slice() {
            // The effect of a move into a wider register on the rest of it is unknown.
            ["vmov", ..] => self.vector_move().filter(|op| match op {
                Op::Convert { d, a, .. } => d.vector.bytes <= a.vector.bytes,
                _ => true,
            }),
            ["vextract", lanes] => {
                let (d, pair) = self.scalar_or_pair(&["dst"])?;
                Some(Op::Extract {
                    d,
                    latency: self.latency(&["dst"])?,
                    pair,
                    lanes: self.lanes(lanes, "crVaddSign")?,
                    a: self.read(&["s1"])?,
                    index: self.source(&["idx"])?,
                })
            }
            [
                "vsrs" | "vsrsm" | "vups" | "vpack" | "vunpack" | "vconv" | "vfloor",
                ..,
            ] => self.quantize().or_else(|| self.vector_conversion()),
            ["vexp2" | "vtanh"] => {
                let conversion = match self.parts[0] {
                    "vexp2" => Conversion::Exp2,
                    _ => Conversion::Tanh,
                };
                Some(Op::Convert {
                    d: self.write(&["dst"])?,
                    a: self.read(&["src"])?,
                    conversion: self.timed(conversion),
                })
            }
            ["vshuffle"] if self.arch() == CoreArch::Aie2p => {
                self.shuffled_blocks().or_else(|| self.lane_operation())
            }
            _ => self.lane_operation(),
        }
    }

    pub(super) fn vector_conversion(&self) -> Option<Op> {
        let mut parts = self.parts.clone();
        *parts.first_mut()? = parts.first()?.strip_prefix('v')?;
        let conversion = self.conversion(&parts)?;
        Some(Op::Convert {
            d: self.write(&["dst"])?,
            a: self.read(&["src"])?,
            conversion: self.timed(conversion),
        })
    }

    /// A shuffle of vectors with block exponents (AIE2P).
    pub(super) fn shuffled_blocks(&self) -> Option<Op> {
        let (d, exponents) = self.written_blocks(&["dst"])?;
        let source = |names: &[&str]| {
            let (vector, exponents) = block_vector(self.register(names)?)?;
            let access = self.access(names)?;
            Some((
                Read::new(vector, access.cycle - 1, access.bypass),
                exponents,
            ))
        };
        Some(Op::ShuffleBlocks(ShuffleBlocks {
            d,
            exponents,
            low: source(&["s1"])?,
            high: source(&["s2"])?,
            mode: self.source(&["mod"])?,
        }))
    }

    pub(super) fn vector_move(&self) -> Option<Op> {
        if self.row.slot != Slot::Move {
            return self.cascade();
        }
        if self.arch() == CoreArch::Aie2ps
            && let Some(op) = self.move_of_parts()
        {
            return Some(op);
        }
        if let Some((d, exponents)) = self.written_blocks(&["dst"]) {
            let (a, from) = block_vector(self.register(&["src"])?)?;
            let access = self.access(&["src"])?;
            let a = Read::new(a, access.cycle - 1, access.bypass);
            return Some(Op::MoveBlocks {
                d,
                exponents,
                a,
                from,
            });
        }
        Some(Op::Convert {
            d: self.write(&["dst"])?,
            a: self.read(&["src"])?,
            conversion: TimedConversion::NONE,
        })
    }

    /// Moves of registers that have more parts than a vector (AIE2PS).
    fn move_of_parts(&self) -> Option<Op> {
        let (written, read) = (self.written(&["dst"])?, self.access(&["src"])?);
        let d = (self.register(&["dst"])?, written.cycle, written.bypass);
        let from = (self.register(&["src"])?, read.bypass);
        Some(Op::MoveParts(PartsMove::new(d, from)?))
    }

    /// Moves of 512 bits from and to the cascade.
    pub(super) fn cascade(&self) -> Option<Op> {
        let bus = match (self.row.slot, self.parts.as_slice()) {
            (Slot::LoadA | Slot::Alu, parts) => {
                let d = self.write(&["dst"])?;
                let vector = match (d.vector.bytes, parts) {
                    (64, _) => d.vector,
                    (128, ["vmov", "lo"]) => d.vector.part(0, 64),
                    (128, ["vmov", "hi"]) => d.vector.part(64, 64),
                    _ => return self.expanded_cascade(d),
                };
                BusOp::CascadeGet(Write { vector, ..d })
            }
            (Slot::Store, _) => {
                let source = self.vector(&["src"])?;
                if source.bytes != 64 {
                    return None;
                }
                BusOp::CascadePut(source)
            }
            _ => return None,
        };
        Some(Op::Bus(bus))
    }

    /// Moves of the cascade's word to a part of an accumulator (AIE2P).
    fn expanded_cascade(&self, d: Write) -> Option<Op> {
        let part = match (self.parts.as_slice(), self.row.name) {
            (["vmov", part], _) => CascadePart::Fixed(part.parse().ok()?),
            (_, name) if name.ends_with("_dyn") => CascadePart::Increment,
            (_, name) if name.ends_with("_reg") => CascadePart::Register,
            _ => return None,
        };
        Some(Op::ExpandCascade { d, part })
    }

    /// A vector with block exponents that is written.
    pub(super) fn written_blocks(&self, names: &[&str]) -> Option<(Write, Scalar)> {
        let (vector, exponents) = block_vector(self.register(names)?)?;
        let access = self.written(names)?;
        Some((Write::new(vector, access.cycle, access.bypass), exponents))
    }

    /// Conversions to block floating point.
    fn quantize(&self) -> Option<Op> {
        let (block, from_blocks) = match self.parts.as_slice() {
            ["vconv", "bfp16ebs8", "fp32"] => (8, false),
            ["vconv", "bfp16ebs16", "fp32"] => (16, false),
            ["vconv", "bfp16ebs16", "ebs8"] => (16, true),
            _ => return None,
        };
        let (d, exponents) = self.written_blocks(&["dst"])?;
        let source = if from_blocks {
            let (vector, first) = block_vector(self.register(&["src"])?)?;
            QuantizeSource::Blocks(vector, first)
        } else {
            QuantizeSource::Accumulator(self.vector(&["src"])?)
        };
        Some(Op::Quantize(Quantize {
            d,
            exponents,
            source,
            block,
        }))
    }

    pub(super) fn lane_operation(&self) -> Option<Op> {
        use PairOp::*;
        // `vneg_gtz16` and `vabs_gtz16` are written without a dot.
        let first = *self.parts.first()?;
        let (family, width) = match self.parts.as_slice() {
            [family] => match family.split_once("_gtz") {
                Some(("vneg", width)) if !width.is_empty() => ("vneg_gtz", width),
                Some(("vabs", width)) if !width.is_empty() => ("vabs_gtz", width),
                _ => (first, "32"),
            },
            ["vshift", "align"] => ("vshift.align", "32"),
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
            "vbcstshfl" | "vextbcstshfl" => LaneOp::BroadcastShuffle,
            "vextbcst" => LaneOp::BroadcastLane,
            "vinsert" => LaneOp::Insert,
            "vpush.hi" => LaneOp::PushHigh,
            "vpush.lo" => LaneOp::PushLow,
            "vshift" if self.parts.len() == 1 => LaneOp::Shift,
            "vshift.align" => LaneOp::ShiftAlign,
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
            LaneOp::BroadcastShuffle => value.or_else(|| self.source(&["idx"])),
            LaneOp::Shift => self.source(&["shift"]),
            LaneOp::ShiftAlign => self
                .source(&["shift"])
                .or(Some(Source::Register(ALIGN_SHIFT))),
            LaneOp::Shuffle => self.source(&["mod"]),
            _ => value,
        };
        let index = match op {
            LaneOp::Insert if self.row.name.contains("IdxImm0") => Some(Source::Immediate(0)),
            LaneOp::Insert | LaneOp::BroadcastShuffle => Some(Source::Register(INSERT_INDEX)),
            LaneOp::ShiftAlign => Some(self.source(&["pre"])?),
            _ => None,
        };
        let d = self.write(&["d", "dst"]);
        let mask = match self.register(&["cmp"]) {
            Some(register) => {
                let written = self.written(&["cmp"])?;
                Some(ScalarWrite {
                    register: pair(self.arch(), register).or_else(|| scalar_register(register))?,
                    latency: written.cycle,
                    forwarding: written.bypass,
                })
            }
            None => has_mask(op).then(|| ScalarWrite {
                register: MASK,
                latency: self.implicit_latency(Register::new(RegisterFile::R, MASK - R)),
                forwarding: Forwarding::None,
            }),
        };
        let scalar_forwarding = match op {
            LaneOp::Select | LaneOp::AddSub => self.access(&["sel"])?.bypass,
            _ => Forwarding::None,
        };
        let (a, b) = match op {
            LaneOp::Unary(_) => (self.read(&["s1", "s2"]), None),
            LaneOp::PushLow => (self.read(&["s2"]), None),
            LaneOp::PushHigh | LaneOp::Insert => (self.read(&["s1"]), None),
            LaneOp::BroadcastLane => (self.read(&["src", "s1"]), None),
            LaneOp::Broadcast => (None, None),
            LaneOp::BroadcastShuffle => (self.read(&["s1"]), None),
            _ => (self.read(&["s1"]), self.read(&["s2"])),
        };
        let is_complete = match op {
            LaneOp::Pairs(_) | LaneOp::Shift | LaneOp::ShiftAlign | LaneOp::Shuffle => {
                a.is_some() && b.is_some()
            }
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
            scalar_forwarding,
            index,
            wide_scalar,
        }))
    }
}

/// Whether an operation gives a mask beside its lanes.
fn has_mask(op: LaneOp) -> bool {
    use PairOp::*;
    use UnaryOp::*;
    matches!(
        op,
        LaneOp::Pairs(MaxLt | MinGe | MaxDiffLt | SubGe | SubLt)
            | LaneOp::Unary(AbsGtz | NegGtz | BnegLtz)
    )
}
