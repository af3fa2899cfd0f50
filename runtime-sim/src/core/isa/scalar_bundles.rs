//! Bundles of the scalar unit alone: arithmetic, moves, branches, loads and stores of words. They are executed in a loop of
//! their own, most results without a detour through the pipeline.
//!
//! A result that the next bundle's operations read is written at once, which isn't observable:
//! within the bundle no operation that comes after reads the register, nor does another write it
//! (operations are ordered so when the bundle is resolved, else it is none of these), and nothing
//! else that is under way to the register lands in the same cycle (looked at for each bundle). All
//! else is as in `execute`, which executes the same bundles where they are observed; tests compare
//! both.

use super::execute::CONDITION;
use super::op::{Condition, Data, Forwarding, Op, Source, Walk, WalkMode};
use super::registers::{CARRY, LC, LE, LS, SCALAR_BITS, Scalar};
use super::scalar::AluOp;

/// A register that no instruction has: it is always 0.
const NONE: Scalar = Scalar::MAX;

/// Calls a macro with the names of all operations of [`AluOp`].
macro_rules! with_alu_ops {
    ($callback:ident) => {
        $callback! {
            Add AddNoCarry Sub AddWithCarry SubWithBorrow Mul And Or Xor ShiftLogical ShiftArithmetic
            Eq Ne Lt Ltu Ge Geu Eqz Nez Abs CountLeadingZeros CountLeadingSigns PopulationCount
            SignExtend8 SignExtend16 ZeroExtend8 ZeroExtend16 Max MaxUnsigned Min MinUnsigned
        }
    };
}
pub(super) use with_alu_ops;

macro_rules! declare_kinds {
    ($($alu:ident)*) => {
        /// Execution of an operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($alu,)*
            /// `d = a + b + number`, of which one isn't 0.
            Move,
            SelectIfZero,
            SelectIfNonZero,
            /// Of the word at `a + b + number`.
            Load,
            /// Of the word at `a`, to which `b + number` is added.
            LoadPost,
            /// Of register d, addressed as [`Kind::Load`].
            Store,
            StorePost,
            /// To `b + number`.
            Jump,
            JumpIfZero,
            JumpIfNonZero,
            /// A product that is written later.
            MulLater,
            /// Any other result that is written later.
            Later,
        }

        impl Kind {
            /// That of an operation whose result is written at once.
            fn of(op: AluOp) -> Kind {
                match op {
                    $(AluOp::$alu => Kind::$alu,)*
                }
            }

            /// The operation of the arithmetic unit, if it is one.
            pub fn alu(self) -> Option<AluOp> {
                match self {
                    $(Kind::$alu => Some(AluOp::$alu),)*
                    _ => None,
                }
            }
        }
    };
}

with_alu_ops!(declare_kinds);

/// An operation of the scalar unit. Its second operand is the sum of a register and a number, one of which is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarOp {
    pub kind: Kind,
    /// The kind that it would have if its result were written at once.
    pub computes: Kind,
    pub d: Scalar,
    pub a: Scalar,
    pub b: Scalar,
    /// Cycles after the issue from which on others read the result.
    pub latency: u8,
    /// Same for a pointer that walks.
    pub walk_latency: u8,
    pub number: u32,
    /// The bits that register d has.
    pub bits: u32,
}

/// Scalar registers, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScalarSet([u64; 4]);

impl ScalarSet {
    fn of(registers: impl IntoIterator<Item = Scalar>) -> ScalarSet {
        let mut set = ScalarSet::default();
        for register in registers {
            set.0[usize::from(register / 64)] |= 1 << (register % 64);
        }
        set
    }

    /// Whether a register is among them.
    #[inline(always)]
    pub fn has(&self, register: Scalar) -> bool {
        self.0[usize::from(register / 64)] >> (register % 64) & 1 != 0
    }

    fn meets(&self, other: &ScalarSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    fn join(&mut self, other: &ScalarSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
}

/// The kind as which an operation of a kind is executed whose result others read some cycles later.
fn executed(computes: Kind, latency: u8) -> Kind {
    match computes {
        Kind::Jump | Kind::JumpIfZero | Kind::JumpIfNonZero => computes,
        _ if latency == 1 => computes,
        Kind::Mul => Kind::MulLater,
        _ => Kind::Later,
    }
}

/// The register and the number of an operand.
fn operand(source: Source) -> (Scalar, u32) {
    match source {
        Source::Register(register) => (register, 0),
        Source::Immediate(number) => (NONE, number),
    }
}

impl ScalarOp {
    /// The operation in this form, if it has one.
    fn new(op: &Op) -> Option<ScalarOp> {
        let plain = |computes, d, a, (b, number), latency| ScalarOp {
            kind: executed(computes, latency),
            computes,
            d,
            a,
            b,
            latency,
            walk_latency: 0,
            number,
            bits: SCALAR_BITS.get(usize::from(d)).copied().unwrap_or(0),
        };
        let op = match *op {
            Op::Alu {
                op,
                d,
                a,
                b,
                latency,
            } => plain(Kind::of(op), d, a, operand(b), latency),
            Op::Select {
                d,
                a,
                b,
                if_zero,
                latency,
            } => {
                let kind = if if_zero {
                    Kind::SelectIfZero
                } else {
                    Kind::SelectIfNonZero
                };
                plain(kind, d, a, (b, 0), latency)
            }
            Op::Move {
                d,
                from,
                forwarding: Forwarding::None,
            } if d.forwarding == Forwarding::None => {
                let (a, number) = operand(from);
                plain(Kind::Move, d.register, a, (NONE, number), d.latency)
            }
            Op::Load {
                walk,
                to: Data::Scalar {
                    register, bytes: 4, ..
                },
                latency,
            } => ScalarOp::access([Kind::Load, Kind::LoadPost], register, walk, latency)?,
            Op::Store {
                walk,
                from: Data::Scalar {
                    register, bytes: 4, ..
                },
                ..
            } => ScalarOp::access([Kind::Store, Kind::StorePost], register, walk, 0)?,
            Op::Branch {
                condition, target, ..
            } => {
                let (kind, a) = match condition {
                    Condition::Always => (Kind::Jump, NONE),
                    Condition::Zero(register) => (Kind::JumpIfZero, register),
                    Condition::NonZero(register) => (Kind::JumpIfNonZero, register),
                    Condition::Decrement(..) => return None,
                };
                plain(kind, NONE, a, operand(target), 0)
            }
            _ => return None,
        };
        let written = op.written();
        let of_loops = [LC, LE, LS].iter().any(|register| written.has(*register));
        (!of_loops).then_some(op)
    }

    fn access(kinds: [Kind; 2], d: Scalar, walk: Walk, latency: u8) -> Option<ScalarOp> {
        let (kind, by) = match walk.mode {
            WalkMode::Offset(by) => (kinds[0], by),
            WalkMode::Post(by) => (kinds[1], by),
            WalkMode::Post2D(_) | WalkMode::Post3D(_) => return None,
        };
        let (b, number) = operand(by);
        Some(ScalarOp {
            kind,
            computes: kind,
            d,
            a: walk.pointer,
            b,
            latency,
            walk_latency: walk.latency,
            number,
            bits: SCALAR_BITS.get(usize::from(d)).copied().unwrap_or(0),
        })
    }

    fn written(&self) -> ScalarSet {
        match self.computes {
            Kind::LoadPost => ScalarSet::of([self.d, self.a]),
            Kind::StorePost => ScalarSet::of([self.a]),
            Kind::Store | Kind::Jump | Kind::JumpIfZero | Kind::JumpIfNonZero => {
                ScalarSet::default()
            }
            kind if kind.alu().is_some_and(AluOp::writes_carry) => ScalarSet::of([self.d, CARRY]),
            _ => ScalarSet::of([self.d]),
        }
    }

    fn read(&self) -> ScalarSet {
        let mut read = ScalarSet::of([self.a, self.b]);
        match self.computes {
            kind if kind.alu().is_some_and(AluOp::reads_carry) => {
                read.join(&ScalarSet::of([CARRY]));
            }
            Kind::SelectIfZero | Kind::SelectIfNonZero => {
                read.join(&ScalarSet::of([CONDITION]));
            }
            Kind::Store | Kind::StorePost => read.join(&ScalarSet::of([self.d])),
            _ => {}
        }
        read
    }

    /// Whether its result is written at once.
    fn is_direct(&self) -> bool {
        let is_move = matches!(
            self.kind,
            Kind::Move | Kind::SelectIfZero | Kind::SelectIfNonZero
        );
        is_move || self.kind.alu().is_some()
    }

    /// Its place in the bundle: what writes nothing at once comes first, accesses to memory in their order.
    fn rank(&self) -> u8 {
        match self.kind {
            Kind::Load | Kind::LoadPost | Kind::Store | Kind::StorePost => 0,
            _ if !self.is_direct() => 1,
            _ => 2,
        }
    }
}

/// The operations of a bundle in this form, in the order in which they are executed, and the registers that they write. Operations
/// whose results are written at once come last. Returns `None` for other operations, and if their order isn't possible.
pub(super) fn scalar_ops(ops: &[Op]) -> Option<(Vec<ScalarOp>, ScalarSet)> {
    let ops: Option<Vec<ScalarOp>> = ops.iter().map(ScalarOp::new).collect();
    let mut left = ops?;
    let mut written = ScalarSet::default();
    for op in &left {
        if written.meets(&op.written()) {
            return None;
        }
        written.join(&op.written());
    }
    left.sort_by_key(ScalarOp::rank);
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let next = (0..left.len()).find(|&at| {
            let others = left.iter().enumerate().filter(|(other, _)| *other != at);
            let writes = left[at].written();
            !left[at].is_direct() || others.into_iter().all(|(_, op)| !op.read().meets(&writes))
        })?;
        ordered.push(left.remove(next));
    }
    Some((ordered, written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::isa::op::ScalarWrite;

    fn add(d: Scalar, a: Scalar, b: Scalar) -> Op {
        Op::Alu {
            op: AluOp::Add,
            d,
            a,
            b: Source::Register(b),
            latency: 1,
        }
    }

    fn copy(d: Scalar, a: Scalar) -> Op {
        Op::Move {
            d: ScalarWrite {
                register: d,
                latency: 1,
                forwarding: Forwarding::None,
            },
            from: Source::Register(a),
            forwarding: Forwarding::None,
        }
    }

    fn order(ops: &[Op]) -> Option<Vec<Scalar>> {
        let (ops, _) = scalar_ops(ops)?;
        Some(ops.iter().map(|op| op.d).collect())
    }

    #[test]
    fn what_is_written_at_once_comes_after_its_readers() {
        assert_eq!(order(&[add(1, 2, 3), copy(4, 1)]), Some(vec![4, 1]));
        assert_eq!(order(&[add(1, 2, 3), copy(4, 5)]), Some(vec![1, 4]));
        assert_eq!(order(&[copy(1, 2), copy(2, 1)]), None);
        assert_eq!(order(&[copy(1, 2), copy(1, 3)]), None);
        assert_eq!(order(&[add(1, 2, 3), copy(CARRY, 3)]), None);
        assert_eq!(order(&[copy(LC, 2)]), None);
    }

    #[test]
    fn stores_come_before_what_they_read_changes() {
        let store = Op::Store {
            walk: Walk {
                pointer: 33,
                mode: WalkMode::Post(Source::Immediate(4)),
                latency: 1,
            },
            from: Data::Scalar {
                register: 1,
                bytes: 4,
                signed: false,
            },
            late: 0,
            seen: 1,
        };
        let (ops, written) = scalar_ops(&[add(1, 2, 3), store]).unwrap();
        assert_eq!(ops[0].kind, Kind::StorePost);
        assert!(written.has(1) && written.has(33) && written.has(CARRY) && !written.has(2));
    }
}
