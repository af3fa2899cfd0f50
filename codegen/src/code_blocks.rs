//! Basic blocks of three-address code, and which values are live where they begin.

use std::ops::Range;

use smallvec::SmallVec;

use crate::bits::Bits;
use crate::mir::{Code, Node, Virtual};

/// Nodes that are executed one after another.
pub(crate) struct CodeBlock {
    pub nodes: Range<usize>,
    /// The blocks that may follow.
    pub successors: SmallVec<[usize; 2]>,
}

/// The blocks of a function in the order of its nodes, the first of which is its entry.
pub(crate) fn code_blocks(code: &Code) -> Vec<CodeBlock> {
    let mut starts = vec![0];
    for (at, node) in code.nodes.iter().enumerate() {
        if matches!(node, Node::Label(_)) {
            starts.push(at);
        }
        if node.ends_block() || node.target().is_some() {
            starts.push(at + 1);
        }
    }
    starts.push(code.nodes.len());
    starts.sort_unstable();
    starts.dedup();
    let mut block_of_label = vec![0; code.label_count()];
    for (block, &start) in starts.iter().enumerate() {
        // Several labels may follow one another; each begins a block of its own.
        if let Some(Node::Label(label)) = code.nodes.get(start) {
            block_of_label[label.0 as usize] = block;
        }
    }
    let block = |(at, pair): (usize, &[usize])| {
        let nodes = pair[0]..pair[1];
        let last = &code.nodes[nodes.end - 1];
        let jump = last.target().map(|label| block_of_label[label.0 as usize]);
        let next = (!last.ends_block() && nodes.end < code.nodes.len()).then_some(at + 1);
        CodeBlock {
            nodes,
            successors: jump.into_iter().chain(next).collect(),
        }
    };
    starts.windows(2).enumerate().map(block).collect()
}

/// The values that are live where each block begins, of those below `size` that `number` has a number for.
pub(crate) fn live_in(
    code: &Code,
    blocks: &[CodeBlock],
    size: usize,
    number: impl Fn(Virtual) -> Option<usize>,
) -> Vec<Bits> {
    let mut live = Vec::with_capacity(blocks.len());
    let mut written = Vec::with_capacity(blocks.len());
    for block in blocks {
        let (mut reads, mut writes) = (Bits::new(size), Bits::new(size));
        for node in &code.nodes[block.nodes.clone()] {
            node.uses(|value| {
                if let Some(at) = number(value).filter(|at| !writes.contains(*at)) {
                    reads.insert(at);
                }
            });
            node.defs(|value| {
                if let Some(at) = number(value) {
                    writes.insert(at);
                }
            });
        }
        live.push(reads);
        written.push(writes);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in blocks.iter().enumerate().rev() {
            // A block that follows itself has nothing new for itself.
            let mut now = std::mem::take(&mut live[at]);
            for next in &block.successors {
                changed |= now.merge_except(&live[*next], &written[at]);
            }
            live[at] = now;
        }
    }
    live
}
