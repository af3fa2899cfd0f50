//! Products and sums of accumulators.

use aiec_core::{CoreArch, Register, RegisterFile};

use super::Resolver;
use crate::core::isa::op::{CascadePart, Op, ProductOp, TimedConversion};
use crate::core::isa::products::Signs;
use crate::core::isa::registers::{block_vector, vector as vector_register};

impl Resolver<'_> {
    pub(super) fn product(&self) -> Option<Op> {
        // Accumulators of MX products hold fp32 too.
        let float = matches!(self.parts.get(1), Some(&"f" | &"mx6"));
        let sparse = Register::control("srSparse_of");
        if self.arch() == CoreArch::Aie2ps && sparse.is_some_and(|of| self.row.defs.contains(&of)) {
            return None;
        }
        let d = self.write(&["dst", "cdst", "acc1"])?;
        let first = *self.parts.first()?;
        match first {
            "vclr" => return Some(Op::Clear(d)),
            "vmov" => {
                return Some(Op::Convert {
                    d,
                    a: self.read(&["csrc", "acc1"])?,
                    conversion: TimedConversion::NONE,
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
        let cascade = match self.row.name {
            name if !name.contains("_scd") => None,
            name if name.contains("_incr") => Some(CascadePart::Increment),
            _ => Some(CascadePart::Register),
        };
        let masked = self.register(&["qxs2"]);
        let blocks = |names: &[&str]| block_vector(self.register(names)?);
        let exponents = match (blocks(&["s1"]), blocks(&["s2"])) {
            (Some((_, first)), Some((_, second))) => Some((first, second)),
            _ => None,
        };
        let source = |names: &[&str]| {
            let plain = self.vector(names);
            plain.or_else(|| Some(blocks(names)?.0))
        };
        let sources = match (multiplies, masked) {
            (true, Some(masked)) => Some((
                self.vector(&["xs1", "ys1"])?,
                vector_register(Register::new(RegisterFile::X, masked.number))?,
            )),
            (true, None) => Some((source(&["s1"])?, source(&["s2"])?)),
            (false, _) => None,
        };
        let op = ProductOp {
            d,
            sources,
            exponents,
            sparse: masked.is_some(),
            first: match accumulators {
                0 => None,
                // Where it is the result, AIE2PS names it once.
                _ => Some(self.read(&["acc1", "dst"])?),
            },
            second: match accumulators {
                2 if cascade.is_none() => Some(self.read(&["acc2"])?),
                _ => None,
            },
            cascade,
            signs: Signs {
                product: signs.0,
                first: signs.1,
                second: signs.2,
            },
            configuration: self.scalar(&["c", "acc"])?,
            float,
            form: 0,
        };
        Some(Op::Product(op.with_form()))
    }
}
