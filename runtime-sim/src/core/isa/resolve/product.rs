//! Products and sums of accumulators.

use aiec_core::{CoreArch, Register, RegisterFile};

use super::Resolver;
use crate::core::isa::op::{Conversion, Forwarding, Op, ProductOp, Read, Write};
use crate::core::isa::products::Signs;
use crate::core::isa::registers::{Vector, vector as vector_register};

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

impl Resolver<'_> {
    pub(super) fn product(&self) -> Option<Op> {
        let timing = product_timing(self.arch());
        let float = self.parts.get(1) == Some(&"f");
        let (latency, forwarding) = match float {
            true if !timing.float_forwards => (timing.float, Forwarding::None),
            true => (timing.float, Forwarding::Product),
            false => (timing.integer, Forwarding::Product),
        };
        let write = |vector: Vector| Write::new(vector, latency, forwarding);
        let accumulator = |names: &[&str]| {
            let vector = self.vector(names)?;
            Some(Read::new(vector, timing.accumulator, forwarding))
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
                    a: Read::new(
                        self.vector(&["csrc", "acc1"])?,
                        timing.accumulator,
                        Forwarding::None,
                    ),
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
            d: write(d),
            sources,
            sparse: masked.is_some(),
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
