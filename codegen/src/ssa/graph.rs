//! The blocks of a function as a graph: predecessors, dominators, loops.

use super::{Block, Function};

/// Relations of the blocks of a function, derived from its jumps: a change of those makes it stale.
pub(crate) struct Graph {
    pub predecessors: Vec<Vec<Block>>,
    /// The blocks in reverse postorder: each after those that dominate it.
    pub order: Vec<Block>,
    /// The immediate dominator of each block; that of the entry is itself.
    pub dominator: Vec<Block>,
    /// Place of each block in [`Graph::order`].
    place: Vec<usize>,
    /// The innermost loop that each block is in: an index into [`Graph::loops`].
    pub innermost: Vec<Option<usize>>,
    /// The natural loops, outer ones before those in them.
    pub loops: Vec<Loop>,
}

/// A natural loop.
pub(crate) struct Loop {
    pub header: Block,
    /// Its blocks, in reverse postorder.
    pub blocks: Vec<Block>,
    /// The loop around it.
    pub parent: Option<usize>,
}

impl Graph {
    pub(crate) fn of(function: &Function) -> Graph {
        let count = function.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        for (block, data) in function.numbered_blocks() {
            for target in data.terminator.targets() {
                predecessors[target.block.index()].push(block);
            }
        }
        let order = order(function);
        let mut place = vec![usize::MAX; count];
        for (at, block) in order.iter().enumerate() {
            place[block.index()] = at;
        }
        let dominator = dominators(&order, &place, &predecessors, count);
        let mut graph = Graph {
            predecessors,
            order,
            dominator,
            place,
            innermost: vec![None; count],
            loops: Vec::new(),
        };
        graph.find_loops(function);
        graph
    }

    /// Whether all ways to `block` come through `by`, which may be the block itself.
    pub(crate) fn is_dominated(&self, block: Block, by: Block) -> bool {
        let mut at = block;
        while self.place[at.index()] > self.place[by.index()] {
            at = self.dominator[at.index()];
        }
        at == by
    }

    /// Whether a block can be reached.
    pub(crate) fn is_reached(&self, block: Block) -> bool {
        self.place[block.index()] != usize::MAX
    }

    /// The block before a loop from which it is entered, if that is the only one and goes nowhere else.
    pub(crate) fn preheader(&self, function: &Function, number: usize) -> Option<Block> {
        let header = self.loops[number].header;
        let mut outside = self.predecessors[header.index()]
            .iter()
            .filter(|block| !self.is_in_loop(**block, number));
        match (outside.next(), outside.next()) {
            (Some(block), None) => {
                let data = function.block(*block);
                (data.terminator.targets().len() == 1).then_some(*block)
            }
            _ => None,
        }
    }

    /// The block of a loop from which it goes on with its header, if that is the only one.
    pub(crate) fn only_latch(&self, number: usize) -> Option<Block> {
        let header = self.loops[number].header;
        let mut latches = self.predecessors[header.index()]
            .iter()
            .filter(|block| self.is_in_loop(**block, number));
        match (latches.next(), latches.next()) {
            (Some(latch), None) => Some(*latch),
            _ => None,
        }
    }

    /// Whether a block is in a loop or in one inside it.
    pub(crate) fn is_in_loop(&self, block: Block, number: usize) -> bool {
        let mut at = self.innermost[block.index()];
        while let Some(inner) = at {
            if inner == number {
                return true;
            }
            at = self.loops[inner].parent;
        }
        false
    }

    fn find_loops(&mut self, function: &Function) {
        // Headers in reverse postorder: outer loops come first.
        for at in 0..self.order.len() {
            let header = self.order[at];
            let latches: Vec<Block> = self.predecessors[header.index()]
                .iter()
                .copied()
                .filter(|latch| self.is_reached(*latch) && self.is_dominated(*latch, header))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let number = self.loops.len();
            let mut inside = vec![false; function.blocks.len()];
            inside[header.index()] = true;
            let mut open = latches;
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut inside[block.index()], true) {
                    let before = self.predecessors[block.index()].iter();
                    open.extend(before.filter(|block| self.place[block.index()] != usize::MAX));
                }
            }
            let parent = self.innermost[header.index()];
            let blocks = self.order.iter().filter(|block| inside[block.index()]);
            let blocks: Vec<Block> = blocks.copied().collect();
            for block in &blocks {
                self.innermost[block.index()] = Some(number);
            }
            self.loops.push(Loop {
                header,
                blocks,
                parent,
            });
        }
    }
}

fn order(function: &Function) -> Vec<Block> {
    let mut seen = vec![false; function.blocks.len()];
    let mut done = Vec::new();
    let mut open = vec![(Block(0), 0)];
    seen[0] = true;
    while let Some((block, next)) = open.pop() {
        match function.block(block).terminator.targets().get(next) {
            Some(target) => {
                open.push((block, next + 1));
                if !std::mem::replace(&mut seen[target.block.index()], true) {
                    open.push((target.block, 0));
                }
            }
            None => done.push(block),
        }
    }
    done.reverse();
    done
}

/// Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
fn dominators(
    order: &[Block],
    place: &[usize],
    predecessors: &[Vec<Block>],
    count: usize,
) -> Vec<Block> {
    let mut dominator: Vec<Option<Block>> = vec![None; count];
    dominator[0] = Some(Block(0));
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().skip(1) {
            let mut common: Option<Block> = None;
            for before in &predecessors[block.index()] {
                if dominator[before.index()].is_none() {
                    continue;
                }
                common = Some(match common {
                    None => *before,
                    Some(other) => intersect(&dominator, place, *before, other),
                });
            }
            if common.is_some() && dominator[block.index()] != common {
                dominator[block.index()] = common;
                changed = true;
            }
        }
    }
    let known = dominator.into_iter();
    known.map(|block| block.unwrap_or(Block(0))).collect()
}

fn intersect(
    dominator: &[Option<Block>],
    place: &[usize],
    mut one: Block,
    mut other: Block,
) -> Block {
    while one != other {
        let later = if place[one.index()] > place[other.index()] {
            &mut one
        } else {
            &mut other
        };
        match dominator[later.index()] {
            Some(up) => *later = up,
            None => break,
        }
    }
    one
}
