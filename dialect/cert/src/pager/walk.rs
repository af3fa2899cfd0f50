//! Which data a job names, in order of first use.

use rustc_hash::FxHashMap;

use crate::isa::{Op, Operand};
use crate::program::{BodyItem, DataId, DataItem, FixupValue, Inst, Job, Scope, Word};

/// Bytes of blocks.
pub(super) fn data_bytes(scope: &Scope, blocks: &[DataId]) -> usize {
    blocks
        .iter()
        .filter_map(|&id| scope.block(id))
        .map(|b| b.size())
        .sum()
}

/// Entries of the tables of BD images, where an APPLY_OFFSET_57 names more than one.
#[derive(Clone)]
pub(super) struct Tables {
    entries: FxHashMap<DataId, u16>,
}

impl Tables {
    /// Those that jobs name.
    pub fn of<'a>(jobs: impl Iterator<Item = &'a Job>) -> Self {
        let mut tables = FxHashMap::default();
        for inst in jobs.flat_map(Job::insts) {
            if let Op::ApplyOffset57 {
                table, num_entries, ..
            } = inst.op
                && num_entries > 1
            {
                let entries = tables.entry(table).or_insert(num_entries);
                *entries = num_entries.max(*entries);
            }
        }
        Self { entries: tables }
    }

    fn entries(&self, id: DataId) -> u32 {
        if self.entries.is_empty() {
            1
        } else {
            self.entries.get(&id).map_or(1, |&n| u32::from(n))
        }
    }
}

/// Collects data blocks in order of first use, depth first.
pub(super) struct DataWalk<'a> {
    scope: &'a Scope,
    tables: Tables,
    /// For each block the walk that met it last.
    seen: Vec<u32>,
    walk: u32,
    order: Vec<DataId>,
    /// Blocks whose items are being looked at, and the next item.
    stack: Vec<(DataId, usize)>,
}

impl<'a> DataWalk<'a> {
    pub fn new(scope: &'a Scope, tables: Tables) -> Self {
        Self {
            scope,
            tables,
            seen: vec![0; scope.data.len()],
            walk: 1,
            order: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Begins a new walk.
    pub fn clear(&mut self) {
        self.order.clear();
        match self.walk.checked_add(1) {
            Some(next) => self.walk = next,
            None => {
                self.seen.fill(0);
                self.walk = 1;
            }
        }
    }

    /// Data blocks in the order in which this walk first met them.
    pub fn order(&self) -> &[DataId] {
        &self.order
    }

    /// Meets the data of a job.
    pub fn job(&mut self, job: &Job) {
        job.body.iter().for_each(|item| self.item(item));
    }

    /// Meets the data of an item.
    pub fn item(&mut self, item: &BodyItem) {
        match item {
            BodyItem::Inst(inst) => self.inst(inst),
            BodyItem::Word(Word::Label(id)) => self.enter(*id),
            BodyItem::Word(_) | BodyItem::Align(_) => {}
        }
    }

    fn inst(&mut self, inst: &Inst) {
        inst.op.for_each_field(|_, operand| {
            if let Operand::Label(id) = operand {
                self.enter(id);
            }
        });
        for fixup in &inst.fixups {
            if let FixupValue::Label(id) = fixup.value {
                self.enter(id);
            }
        }
    }

    /// Takes a block, the rest of its table, and what they refer to.
    fn enter(&mut self, id: DataId) {
        self.take(id);
        while let Some(&(block, item)) = self.stack.last() {
            let items = self.scope.block(block).map_or(&[][..], |b| &b.items);
            let rest = items.get(item..).unwrap_or_default();
            // words need no look of their own
            let found = rest
                .iter()
                .enumerate()
                .find_map(|(skipped, item)| match item {
                    DataItem::Bd(bd) => Some((skipped, bd.local)),
                    DataItem::Word(Word::Label(id)) => Some((skipped, *id)),
                    DataItem::Word(_) => None,
                });
            match (found, self.stack.last_mut()) {
                (Some((skipped, next)), Some(top)) => {
                    top.1 = item + skipped + 1;
                    self.take(next);
                }
                _ => {
                    self.stack.pop();
                }
            }
        }
    }

    /// True if the walk meets the block for the first time. A block that does not exist is met
    /// each time; encoding reports it.
    fn first(&mut self, id: DataId) -> bool {
        match self.seen.get_mut(id.0 as usize) {
            Some(seen) => std::mem::replace(seen, self.walk) != self.walk,
            None => true,
        }
    }

    fn take(&mut self, id: DataId) {
        if !self.first(id) {
            return;
        }
        self.order.push(id);
        let entries = self.tables.entries(id);
        if entries == 1 {
            return self.stack.push((id, 0));
        }
        let mut walk = vec![(id, 0)];
        for follower in id.0.saturating_add(1)..id.0.saturating_add(entries) {
            let follower = DataId(follower);
            if self.scope.block(follower).is_some() && self.first(follower) {
                self.order.push(follower);
                walk.push((follower, 0));
            }
        }
        self.stack.extend(walk.into_iter().rev());
    }
}
