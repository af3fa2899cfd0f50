//! Accessors of branches.

use super::CfSwitch;
use crate::ir::{Attr, Block, Module, Value};

/// A target of a switch: the case (`None` is the default), the block and its arguments.
pub type SwitchTarget = (Option<i64>, Block, Vec<Value>);

impl CfSwitch {
    /// Where the switch goes, the default first. Cases without a number or a block are left out;
    /// the verifier reports them.
    pub fn targets(self, m: &Module) -> Vec<SwitchTarget> {
        let groups = m.operand_groups(self.0);
        let operands: Vec<Value> = m.operands(self.0).collect();
        let group = |n: usize| -> &[Value] {
            let range = groups.get(n).cloned().unwrap_or(0..0);
            operands.get(range).unwrap_or(&[])
        };
        let successors = m.successors(self.0);
        let mut targets = Vec::new();
        if let Some(default) = successors.first() {
            targets.push((None, *default, group(1).to_vec()));
        }
        let (values, sizes) = (self.values(m), self.case_operand_segments(m));
        let mut rest = group(2);
        let cases = successors.iter().skip(1).zip(values).zip(sizes);
        for ((block, value), size) in cases {
            let size = usize::try_from(size).unwrap_or(0).min(rest.len());
            let (given, others) = rest.split_at(size);
            rest = others;
            targets.push((Some(value), *block, given.to_vec()));
        }
        targets
    }

    /// The numbers of the cases.
    fn values(self, m: &Module) -> Vec<i64> {
        let Some(Attr::Dense(dense)) = self.case_values(m) else {
            return Vec::new();
        };
        let size = dense.elem_bytes().unwrap_or(1) as usize;
        let count = self.case_operand_segments(m).len();
        let one = |bytes: &[u8]| {
            let mut wide = [0; 8];
            for (to, from) in wide.iter_mut().zip(bytes) {
                *to = *from;
            }
            let unused = 64 - 8 * size.clamp(1, 8);
            i64::from_le_bytes(wide) << unused >> unused
        };
        let mut values: Vec<i64> = dense.bytes.chunks(size.max(1)).map(one).collect();
        if dense.splat {
            values = vec![values.first().copied().unwrap_or(0); count];
        }
        values
    }
}
