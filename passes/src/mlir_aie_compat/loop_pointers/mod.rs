//! Passes that make the addresses of vectors in a loop values that the loop carries on.
//!
//! | pass | addresses |
//! | --- | --- |
//! | [`transfers`] | of `vector.transfer_read` and `vector.transfer_write`, as `index` |
//! | [`vector_access`] | of `vector.load` and `vector.store`, as pointers of the `ptr` dialect |

mod linear;
pub mod transfers;
pub mod vector_access;

use aiec_aie::ir::{Block, InsertPoint, Module, Op, Type, Value};
use aiec_aie::ops::OpKind;
use aiec_aie::ops::netlist::const_int;
use rustc_hash::FxHashMap;

use super::copy_attrs;

/// An `scf.for` with a counter of type `index` and one block.
struct CountedLoop {
    op: Op,
    body: Block,
    lower: Value,
    upper: Value,
    step: Value,
    /// The values that the first round starts with, the arguments of the body that carry them, and
    /// what the body yields for the next round: of one length.
    initial: Vec<Value>,
    carried: Vec<Value>,
    yielded: Vec<Value>,
    counter: Value,
}

impl CountedLoop {
    fn of(m: &Module, op: Op) -> Option<CountedLoop> {
        let operands: Vec<Value> = m.operands(op).collect();
        let [lower, upper, step, initial @ ..] = &operands[..] else {
            return None;
        };
        let body = m.entry(op, 0)?;
        let (counter, carried) = m.block_args(body).split_first()?;
        let end = m.last_op(body)?;
        let yielded: Vec<Value> = m.operands(end).collect();
        let whole = m.kind(end) == OpKind::ScfYield
            && yielded.len() == carried.len()
            && initial.len() == carried.len()
            && *m.ty(*counter) == Type::Index;
        whole.then(|| CountedLoop {
            op,
            body,
            lower: *lower,
            upper: *upper,
            step: *step,
            initial: initial.to_vec(),
            carried: carried.to_vec(),
            yielded,
            counter: *counter,
        })
    }

    /// Its bounds that are constants, by their values.
    fn constants(&self, m: &Module) -> FxHashMap<i64, Value> {
        [self.lower, self.upper, self.step]
            .into_iter()
            .filter_map(|bound| Some((const_int(m, bound)?, bound)))
            .collect()
    }

    /// Replaces the loop by one that carries other values: what they start with.
    /// The operations of the body move; its arguments except for the counter, what it yields and the
    /// results of the loop are the caller's. The new loop and the arguments.
    fn carrying(&self, m: &mut Module, initial: &[Value]) -> Option<(Op, Vec<Value>)> {
        let types: Vec<Type> = initial.iter().map(|v| m.ty(*v).clone()).collect();
        let loc = m.loc(self.op);
        let new = m
            .build(OpKind::ScfFor, loc)
            .operands([self.lower, self.upper, self.step])
            .operands(initial.iter().copied())
            .results(types.iter().cloned())
            .body()
            .insert(InsertPoint::Before(self.op));
        copy_attrs(m, self.op, new);
        let body = m.entry(new, 0)?;
        let counter = m.add_block_arg(body, Type::Index);
        m.replace_all_uses(self.counter, counter);
        let arguments = types.into_iter().map(|ty| m.add_block_arg(body, ty));
        let arguments = arguments.collect();
        for op in m.ops_in(self.body) {
            m.move_to(op, InsertPoint::End(body));
        }
        Some((new, arguments))
    }
}

/// All loops below an operation, inner ones first.
fn loops(m: &Module, root: Op) -> Vec<Op> {
    let mut loops = m.find(root, OpKind::ScfFor);
    loops.reverse();
    loops
}

/// Whether a value is there before an operation with a region starts: it isn't defined in it.
fn defined_before(m: &Module, value: Value, op: Op) -> bool {
    let mut inside = match m.def(value) {
        aiec_aie::ir::ValueDef::Argument(block, _) => m.block_parent(block),
        aiec_aie::ir::ValueDef::Result(def, _) => m.parent_op(def),
    };
    while let Some(around) = inside {
        if around == op {
            return false;
        }
        inside = m.parent_op(around);
    }
    true
}
