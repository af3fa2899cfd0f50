//! Products and sums of accumulators.

use aiec_core::{Register, RegisterFile};

use super::Resolver;
use crate::core::isa::op::{Op, ProductOp, TimedConversion};
use crate::core::isa::products::Signs;
use crate::core::isa::registers::vector as vector_register;

impl Resolver<'_> {
    pub(super) fn product(&self) -> Option<Op> {
        let float = self.parts.get(1) == Some(&"f");
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
        let has_cascade = self.row.name.contains("_scd");
        let masked = self.register(&["qxs2"]);
        let sources = match (multiplies, masked) {
            (true, Some(masked)) => Some((
                self.vector(&["xs1", "ys1"])?,
                vector_register(Register::new(RegisterFile::X, masked.number))?,
            )),
            (true, None) => Some((self.vector(&["s1"])?, self.vector(&["s2"])?)),
            (false, _) => None,
        };
        if has_cascade {
            return None;
        }
        Some(Op::Product(ProductOp {
            d,
            sources,
            sparse: masked.is_some(),
            first: match accumulators {
                0 => None,
                _ => Some(self.read(&["acc1"])?),
            },
            second: match accumulators {
                2 => Some(self.read(&["acc2"])?),
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
