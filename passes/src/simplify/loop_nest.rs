//! A nest of counted loops in the place of a loop of several dimensions.

use aiec_aie::ir::{Block, InsertPoint, Loc, Module, Op, Type, Value};
use aiec_aie::ops::{OpKind, ScfYield};

/// A nest whose innermost body is to be filled.
pub(super) struct LoopNest {
    /// Counters, the outermost first.
    pub(super) counters: Vec<Value>,
    /// The values that the innermost body takes from the pass before.
    pub(super) carried: Vec<Value>,
    /// The innermost body, which lacks its terminator.
    body: Block,
    /// Results of the nest.
    results: Vec<Value>,
    loc: Loc,
}

impl LoopNest {
    /// Loops over lower bound, upper bound and step of each dimension that carry values, before an operation.
    pub(super) fn build(
        m: &mut Module,
        before: Op,
        bounds: &[[Value; 3]],
        inits: &[Value],
    ) -> Option<Self> {
        let loc = m.loc(before);
        let types: Vec<Type> = inits.iter().map(|init| m.ty(*init).clone()).collect();
        let (mut counters, mut results, mut carried) = (Vec::new(), Vec::new(), inits.to_vec());
        let mut outer: Option<Block> = None;
        for bound in bounds {
            let at = outer.map_or(InsertPoint::Before(before), InsertPoint::End);
            let operands = bound.iter().chain(&carried).copied();
            let nested = m.build(OpKind::ScfFor, loc).operands(operands);
            let nested = nested.results(types.iter().cloned()).insert(at);
            let given: Vec<Value> = m.results(nested).collect();
            match outer {
                Some(block) => finish(m, block, loc, &given),
                None => results = given,
            }
            let region = m.add_region(nested);
            let body = m.add_block(region);
            counters.push(m.add_block_arg(body, Type::Index));
            carried = types
                .iter()
                .map(|ty| m.add_block_arg(body, ty.clone()))
                .collect();
            outer = Some(body);
        }
        Some(LoopNest {
            counters,
            carried,
            body: outer?,
            results,
            loc,
        })
    }

    /// Moves the operations of a block but its terminator into the innermost body, with the counters for its first
    /// arguments. Returns the terminator.
    pub(super) fn fill(&self, m: &mut Module, from: Block) -> Option<Op> {
        for (argument, counter) in m.block_args(from).to_vec().into_iter().zip(&self.counters) {
            m.replace_all_uses(argument, *counter);
        }
        let operations = m.ops_in(from);
        let (terminator, rest) = operations.split_last()?;
        for op in rest {
            m.move_to(*op, InsertPoint::End(self.body));
        }
        Some(*terminator)
    }

    /// The end of the innermost body.
    pub(super) fn end(&self) -> InsertPoint {
        InsertPoint::End(self.body)
    }

    /// Ends the innermost body with what it gives, and puts the nest in the place of an operation.
    pub(super) fn replace(self, m: &mut Module, op: Op, yielded: &[Value]) {
        finish(m, self.body, self.loc, yielded);
        for (old, new) in m.results(op).zip(self.results) {
            m.replace_all_uses(old, new);
        }
        m.erase(op);
    }
}

fn finish(m: &mut Module, block: Block, loc: Loc, yielded: &[Value]) {
    let end = ScfYield::build(m, loc).operands(yielded.iter().copied());
    end.insert(InsertPoint::End(block));
}
