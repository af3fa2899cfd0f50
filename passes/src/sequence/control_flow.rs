//! Loops and branches that are decided when the design is compiled.

use aiec_aie::ir::{Block, Op, Value};
use aiec_aie::ops::ScfFor;
use aiec_diag::Diag;

use super::codes::*;
use super::values::KnownValue;
use super::{Lowering, LoweringResult, UNROLL_LIMIT};

impl Lowering<'_> {
    /// Runs the body of a loop for each value of its counter.
    pub(super) fn scf_for(&mut self, op: Op) -> LoweringResult {
        self.int(op, 0, "the lower bound of this loop")?;
        self.int(op, 1, "the upper bound of this loop")?;
        let step = self.int(op, 2, "the step of this loop")?;
        let view = ScfFor(op);
        let Some(trips) = view.trips_of(self.module, |bound| self.known_int(bound)) else {
            let diag = Diag::error(&NOT_CONSTANT, format!("a loop can't step by {step}"))
                .help("use a step of 1 or more");
            return self.refuse(op, diag);
        };
        let Some(body) = self.module.entry(op, 0) else {
            return Ok(());
        };
        let args = self.module.block_args(body).to_vec();
        let Some((counter, carried)) = args.split_first() else {
            return Ok(());
        };
        let inits: Vec<Value> = self.module.operands(op).skip(3).collect();
        let mut state = self.known(&inits);
        for run in 0..trips {
            if self.executed > UNROLL_LIMIT {
                break;
            }
            let at = view.variable_of(self.module, run, |bound| self.known_int(bound));
            if let Some(at) = at {
                self.values.set(*counter, KnownValue::Int(at));
            }
            self.bind(carried, &state);
            self.run_block(body);
            state = self.yielded(body);
        }
        let results: Vec<Value> = self.module.results(op).collect();
        self.bind(&results, &state);
        Ok(())
    }

    /// Runs the branch that a constant condition chooses.
    pub(super) fn scf_if(&mut self, op: Op) -> LoweringResult {
        let condition = self.int(op, 0, "the condition of this branch")?;
        let branch = usize::from(condition == 0);
        let state = match self.module.entry(op, branch) {
            Some(block) => {
                self.run_block(block);
                self.yielded(block)
            }
            None => Vec::new(),
        };
        let results: Vec<Value> = self.module.results(op).collect();
        self.bind(&results, &state);
        Ok(())
    }

    fn known_int(&self, value: Value) -> Option<i128> {
        self.values.int(self.module, value).map(i128::from)
    }

    fn known(&self, values: &[Value]) -> Vec<Option<KnownValue>> {
        let known = values.iter().map(|v| self.values.get(self.module, *v));
        known.collect()
    }

    fn yielded(&self, block: Block) -> Vec<Option<KnownValue>> {
        let operands: Vec<Value> = self
            .module
            .last_op(block)
            .map(|op| self.module.operands(op).collect())
            .unwrap_or_default();
        self.known(&operands)
    }

    /// Lets values be what is known of others.
    pub(super) fn bind(&mut self, values: &[Value], state: &[Option<KnownValue>]) {
        for (at, value) in values.iter().enumerate() {
            match state.get(at).cloned().flatten() {
                Some(known) => self.values.set(*value, known),
                None => self.values.forget(*value),
            }
        }
    }
}
