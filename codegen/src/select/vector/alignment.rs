//! Known zeros at the end of values: which addresses are multiples of an access.

use aiec_vcode::{FloatFormat, MemoryType, Opcode};

use crate::ssa::{Action, Function, Value};

/// Zero bits at the end of a value that is 0.
const ALL: u32 = 64;

/// Zeros at the end of a bf16 in the form of f32.
const BF16_ZEROS: u32 = 16;

/// Number of each value's lowest bits that are known to be 0.
#[derive(Debug, Default)]
pub(in crate::select) struct Alignment {
    zeros: Vec<u32>,
}

impl Alignment {
    /// Begins with all zeros everywhere but at what is known from outside, and takes away until nothing changes. Each round takes
    /// something away from a value, of 64 bits at most. `arguments` are the zeros of the function's arguments.
    pub(in crate::select) fn of(function: &Function, arguments: &[u32]) -> Alignment {
        let mut alignment = Alignment {
            zeros: vec![ALL; function.values as usize],
        };
        for (argument, zeros) in function.arguments.iter().zip(arguments) {
            alignment.zeros[argument.index()] = *zeros;
        }
        let constants = function.constants();
        while alignment.round(function, &constants) {}
        alignment
    }

    /// Zero bits at the end of a value.
    pub(in crate::select) fn zeros(&self, value: Value) -> u32 {
        self.zeros[value.index()]
    }

    /// Whether an address plus an offset is a multiple of a power of two.
    pub(in crate::select) fn is_multiple(&self, address: Value, offset: i32, bytes: u32) -> bool {
        let zeros = self.zeros[address.index()].min(offset.trailing_zeros());
        zeros >= bytes.trailing_zeros()
    }

    fn round(&mut self, function: &Function, constants: &[Option<u64>]) -> bool {
        let mut changed = false;
        for block in &function.blocks {
            for step in &block.steps {
                let zeros = match step.action {
                    Action::Const(bits) => bits.trailing_zeros(),
                    Action::Load {
                        kind: MemoryType::Bf16,
                        ..
                    } => BF16_ZEROS,
                    Action::Pure { op, number } => {
                        let args = step.args.iter().map(|arg| self.zeros[arg.index()]);
                        let args: Vec<u32> = args.collect();
                        let amount = step.args.get(1).and_then(|arg| constants[arg.index()]);
                        pure(op, &args, number, amount)
                    }
                    _ => 0,
                };
                for result in &step.results {
                    changed |= self.lower(*result, zeros);
                }
            }
            for target in block.terminator.targets() {
                let params = &function.block(target.block).params;
                for (param, arg) in params.iter().zip(&target.args) {
                    changed |= self.lower(*param, self.zeros[arg.index()]);
                }
            }
        }
        changed
    }

    fn lower(&mut self, value: Value, zeros: u32) -> bool {
        let known = &mut self.zeros[value.index()];
        let lower = zeros < *known;
        *known = zeros.min(*known);
        lower
    }
}

/// Zeros at the end of the result of an operation.
fn pure(op: Opcode, args: &[u32], number: u8, amount: Option<u64>) -> u32 {
    use Opcode::*;
    let arg = |n: usize| args.get(n).copied().unwrap_or(0);
    match op {
        Mov => arg(0),
        Add32 | Add64 | Sub32 | Sub64 | Or | Xor | Mins | Maxs | Minu | Maxu => arg(0).min(arg(1)),
        And => arg(0).max(arg(1)),
        Mul32 | Mul64 => (arg(0) + arg(1)).min(ALL),
        Shl32 | Shl64 => match amount {
            Some(amount) if amount < u64::from(ALL) => (arg(0) + amount as u32).min(ALL),
            _ => arg(0),
        },
        Select => arg(1).min(arg(2)),
        NarrowF if number == FloatFormat::Bf16.code() => BF16_ZEROS,
        Sext | Zext if arg(0) >= number.into() => ALL,
        Sext | Zext => arg(0),
        _ => 0,
    }
}
