//! Looking things up by what the table declares: views and operand groups.

use super::OpView;
use crate::ir::{Attr, Module, Op, Value};

impl Module {
    /// All operations with this view inside `root`, at any depth, in textual order.
    pub fn find_all<V: OpView>(&self, root: Op) -> Vec<V> {
        let found = self.find(root, V::KIND).into_iter();
        found.filter_map(|op| V::cast(self, op)).collect()
    }

    /// The operations with this view directly in the first region of `op`, in textual order.
    pub fn children<V: OpView>(&self, op: Op) -> Vec<V> {
        let blocks = self
            .region(op, 0)
            .map_or(&[][..], |region| self.blocks_of(region));
        let ops = blocks.iter().flat_map(|block| self.block_ops(*block));
        let found = ops.filter_map(|op| V::cast(self, op));
        found.take(self.count(V::KIND)).collect()
    }

    /// The operations directly in the regions of `op`, in textual order.
    pub(crate) fn ops_inside(&self, op: Op) -> impl Iterator<Item = Op> + '_ {
        let regions = self.regions_of(op).iter();
        let blocks = regions.flat_map(|region| self.blocks_of(*region));
        blocks.flat_map(|block| self.block_ops(*block))
    }

    /// The operand numbers of each operand and operand group of the declaration, in its order.
    /// Operations with several open groups say their sizes in `operandSegmentSizes`; a single
    /// open group takes what the others leave. Empty for operations outside the table.
    pub fn operand_groups(&self, op: Op) -> Vec<std::ops::Range<usize>> {
        let total = self.num_operands(op);
        let declared = self.kind(op).def().map_or(&[][..], |def| def.operands);
        let sizes: Vec<usize> = match self.attr(op, "operandSegmentSizes") {
            // Texts from before an operation got its last groups have fewer sizes.
            Some(Attr::DenseArray(sizes)) if sizes.values.len() <= declared.len() => sizes
                .values
                .iter()
                .map(|n| usize::try_from(*n).unwrap_or(0))
                .chain(std::iter::repeat(0))
                .take(declared.len())
                .collect(),
            _ => {
                let open = |name: &&str| name.ends_with(['?', '*']);
                let fixed = declared.iter().filter(|n| !open(n)).count();
                let mut left = total.saturating_sub(fixed);
                let size = |name: &&str| {
                    if !open(name) {
                        1
                    } else {
                        std::mem::take(&mut left)
                    }
                };
                declared.iter().map(size).collect()
            }
        };
        let mut start = 0;
        let mut list = Vec::with_capacity(sizes.len());
        for size in sizes {
            let end = (start + size).min(total);
            list.push(start.min(end)..end);
            start = end;
        }
        list
    }

    /// Replaces the operands of a group of the declaration, by its name without `?` and `*`, of an operation with several
    /// open groups.
    pub fn set_operand_group(&mut self, op: Op, name: &str, values: &[Value]) {
        let declared = self.kind(op).def().map_or(&[][..], |def| def.operands);
        let old: Vec<Value> = self.operands(op).collect();
        let groups = self.operand_groups(op);
        let mut operands = Vec::with_capacity(old.len() + values.len());
        let mut sizes = Vec::with_capacity(groups.len());
        for (declared, group) in declared.iter().zip(groups) {
            let kept = old.get(group).unwrap_or_default();
            let is_it = declared.trim_end_matches(['?', '*']) == name;
            let group = if is_it { values } else { kept };
            operands.extend_from_slice(group);
            sizes.push(group.len() as i32);
        }
        self.set_operands(op, &operands);
        self.set_attr(op, "operandSegmentSizes", Attr::i32_array(sizes));
    }

    /// The operands of a group of the declaration, by its name without `?` and `*`.
    pub fn operand_group(&self, op: Op, name: &str) -> Vec<Value> {
        let declared = self.kind(op).def().map_or(&[][..], |def| def.operands);
        let at = declared
            .iter()
            .position(|n| n.trim_end_matches(['?', '*']) == name);
        let range = at.and_then(|at| self.operand_groups(op).get(at).cloned());
        let values: Vec<Value> = self.operands(op).collect();
        range
            .and_then(|r| values.get(r).map(<[Value]>::to_vec))
            .unwrap_or_default()
    }
}
