//! Branches, the scalar unit, moves, locks, events and streams.

use aiec_core::{CoreArch, Register, RegisterFile};

use super::Resolver;
use crate::core::isa::nonlinear::{Function, NonLinear};
use crate::core::isa::op::{
    BusOp, Condition, Forwarding, Last, Op, ScalarWrite, Source, StreamWord,
};
use crate::core::isa::registers::{LC, LE, LR, LS, R, S, Scalar, pair};
use crate::core::isa::scalar::AluOp;

/// r28: whether a word is the last.
const LAST_WORD: Scalar = R + 28;

/// The register on which `acq.cond` and `rel.cond` depend (llvm-aie). That they happen if it is not
/// 0, as the name says, is unconfirmed.
fn lock_condition(arch: CoreArch) -> Scalar {
    match arch {
        CoreArch::Aie2 | CoreArch::Aie2p => R + 26,
        CoreArch::Aie2ps => R + 23,
    }
}

impl Resolver<'_> {
    pub(super) fn control_flow(&self) -> Option<Op> {
        let target = || self.source(&["cpmaddr", "i", "mPm", "a"]);
        let tested = || self.scalar(&["mRx", "s0"]);
        let branch = |condition| {
            Some(Op::Branch {
                condition,
                target: target()?,
                latency: self.latency(&["mRx", "d0"]).unwrap_or(1),
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
                latency: self.implicit_latency(Register::new(RegisterFile::Lr, 0)),
                return_to: self.place.return_to?,
            }),
            "ret" => Some(Op::Branch {
                condition: Condition::Always,
                target: Source::Register(LR),
                latency: 1,
            }),
            "done" => Some(Op::Done),
            _ => None,
        }
    }

    pub(super) fn alu(&self) -> Option<Op> {
        use AluOp::*;
        let d = || self.scalar(&["mRx", "d0"]);
        let a = || self.scalar(&["mRx0", "s0"]);
        let b = || self.source(&["mRy", "s1", "c7s", "imm"]);
        let register = |names: &[&str]| self.scalar(names);
        let latency = || self.latency(&["mRx", "d0"]);
        let (op, unary) = match self.row.mnemonic {
            "add" => (Add, false),
            "sub" => (Sub, false),
            "adc" => (AddWithCarry, false),
            "sbc" => (SubWithBorrow, false),
            "mul" => (Mul, false),
            "and" => (And, false),
            "or" => (Or, false),
            "max" => (Max, false),
            "maxu" => (MaxUnsigned, false),
            "min" => (Min, false),
            "minu" => (MinUnsigned, false),
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
                    latency: latency()?,
                });
            }
            "divs" => {
                return Some(Op::DivideStep {
                    // AIE2PS names the remainder once.
                    d: register(&["d0", "s0"])?,
                    remainder: register(&["s0"])?,
                    divisor: register(&["s1"])?,
                    latency: self.latency(&["d0", "s0"])?,
                });
            }
            "mac" | "msc" => {
                return Some(Op::MultiplyAdd {
                    d: d()?,
                    a: a()?,
                    b: register(&["s1"])?,
                    subtract: self.row.mnemonic == "msc",
                    latency: latency()?,
                    late: self.late(&["d0"]),
                });
            }
            "add.nc" | "addm.nc" | "addxm.nc" if self.row.name.ends_with("_rel") => {
                return Some(Op::Move {
                    d: ScalarWrite {
                        register: self.loop_register()?,
                        latency: 1,
                        forwarding: Forwarding::None,
                    },
                    from: Source::Immediate(self.place.pc.wrapping_add(self.immediate(&["i"])?)),
                    forwarding: Forwarding::None,
                });
            }
            "add.nc" | "addm.nc" => {
                return Some(Op::Alu {
                    op: AddNoCarry,
                    d: self.scalar(&["dst"]).or_else(|| self.loop_register())?,
                    a: a()?,
                    b: self.source(&["imm", "s1"])?,
                    latency: self.latency(&["dst"]).unwrap_or(1),
                });
            }
            _ => return None,
        };
        Some(Op::Alu {
            op,
            d: d()?,
            a: a()?,
            b: if unary { Source::Immediate(0) } else { b()? },
            latency: latency()?,
        })
    }

    /// Functions of fp32 numbers, and moves that convert from and to integers.
    pub(super) fn nonlinear(&self) -> Option<Op> {
        let name = self.row.name;
        let before = name.ends_with("_mOptConv") || name.ends_with("_fx2flt");
        let after = name.contains("_mOptConvDel") || name.ends_with("_flt2fx");
        let function = match self.row.mnemonic {
            "inv" => Function::Inverse,
            "invsqrt" => Function::InverseSquareRoot,
            "sqrt" => Function::SquareRoot,
            "mov" if before != after => Function::Identity,
            _ => return None,
        };
        let (d, a) = (self.scalar(&["d0"])?, self.scalar(&["s0"])?);
        Some(Op::NonLinear(NonLinear {
            function,
            d,
            a,
            from_integer: before.then_some(S + 2),
            to_integer: after.then_some(S + 3),
            latency: self.latency(&["d0"])?,
        }))
    }

    pub(super) fn moves(&self) -> Option<Op> {
        let name = self.row.name;
        if name.ends_with("_flt2fx") || name.ends_with("_fx2flt") {
            return None;
        }
        match self.parts.as_slice() {
            ["mov" | "mova" | "movx" | "movxm" | "movs"] => {}
            ["mov", delay] if delay.strip_prefix('d').is_some_and(is_number) => {}
            _ => return None,
        }
        let names = ["dst", "mMvSclDst", "mMvSclDstCg", "mLdaCg", "mCRm", "d0"];
        // A register in the instruction's name is written in cycle 1.
        let latency = self.latency(&names).unwrap_or(1);
        // Streams have their own rules.
        if self.row.name.contains("cntr") || self.row.name == "MOV_CNTR" {
            let d = self.register(&["dst"])?;
            let d = pair(self.arch(), d)?;
            return Some(Op::Counter { d, latency });
        }
        let write = |register| ScalarWrite {
            register,
            latency,
            forwarding: self
                .written(&names)
                .map_or(Forwarding::None, |access| access.bypass),
        };
        if let (Some(d), [_]) = (self.loop_register(), self.operands) {
            return Some(Op::Move {
                d: write(d),
                from: self.source(&["i"])?,
                forwarding: Forwarding::None,
            });
        }
        if self.operands.len() != 2 || self.is_stream() {
            return None;
        }
        let sources = ["src", "mMvSclSrc", "mRx", "i", "c11s", "s0"];
        Some(Op::Move {
            d: write(self.scalar(&names)?),
            from: self.source(&sources)?,
            forwarding: self
                .access(&sources)
                .map_or(Forwarding::None, |access| access.bypass),
        })
    }

    /// The register of the hardware loop that instructions of AIE2PS have in their name.
    fn loop_register(&self) -> Option<Scalar> {
        match self.row.name {
            name if name.ends_with("_ls_abs") || name.ends_with("_ls_rel") => Some(LS),
            name if name.ends_with("_le_abs") || name.ends_with("_le_rel") => Some(LE),
            "ADD_NC_add_lc_ri" => Some(LC),
            _ => None,
        }
    }

    pub(super) fn is_stream(&self) -> bool {
        let name = self.row.name;
        ["ss2", "2ms", "mMStream", "_tlast", "MOV_lda", "MOV_nb_lda"]
            .iter()
            .any(|part| name.contains(part))
    }

    pub(super) fn bus(&self) -> Option<Op> {
        let bus = match self.row.mnemonic {
            "acq" | "rel" | "acq.cond" | "rel.cond" => BusOp::Lock {
                acquire: self.parts.first() == Some(&"acq"),
                id: self.source(&["id", "mRx", "s0"])?,
                value: self.scalar(&["mRy", "s1"])?,
                condition: (self.parts.len() > 1).then(|| lock_condition(self.arch())),
            },
            "event" | "event.warning" | "event.error" => {
                let number = match self.parts.get(1) {
                    Some(&"warning") => Some(2),
                    Some(_) => Some(3),
                    None => self.immediate(&["val"]),
                };
                let number =
                    number.or_else(|| self.row.name.strip_prefix("EVENT_event")?.parse().ok());
                BusOp::Event(u8::try_from(number?).ok()?)
            }
            _ if self.is_stream() => return self.stream(),
            _ => return None,
        };
        Some(Op::Bus(bus))
    }

    /// Moves from and to streams.
    pub(super) fn stream(&self) -> Option<Op> {
        let name = self.row.name;
        let waits = !name.contains("NB") && !name.contains("nb");
        let status_latency = |name| Some(self.implicit_latency(Register::control(name)?));
        if name.contains("ss2scl") || matches!(name, "MOV_lda" | "MOV_nb_lda") {
            return Some(Op::Bus(BusOp::StreamGet {
                d: self.scalar(&["mRa", "dst"])?,
                latency: self.latency(&["mRa", "dst"])?,
                status_latency: status_latency("srSS0")?,
                waits,
            }));
        }
        let last = if name.contains("doTlast_reg") || name.contains("tlast_reg") {
            Last::Register(LAST_WORD)
        } else if name.contains("TLAST") || name.ends_with("_tlast") {
            Last::Always
        } else {
            Last::Never
        };
        let small = |name: &str| u8::try_from(self.immediate(&[name])?).ok();
        let word = match (small("pcktType"), small("op")) {
            (Some(kind), _) => StreamWord::PacketHeader {
                id: self.scalar(&["id"])?,
                kind,
            },
            (None, Some(operation)) => StreamWord::ControlHeader {
                address: self.scalar(&["addr"])?,
                words: small("nw")?,
                operation,
                id: self.scalar(&["id"])?,
            },
            (None, None) => StreamWord::Register(self.scalar(&["src"])?),
        };
        Some(Op::Bus(BusOp::StreamPut {
            word,
            last,
            waits,
            status_latency: status_latency("srMS0")?,
        }))
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
