//! SSA names and block numbers, given as MLIR's printer gives them, so that our text equals the
//! reference's: all values of a region before those of nested regions; a name that is taken gets
//! a number from one counter of the scope.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Cow;
use std::fmt::Write as _;

use crate::ir::{Block, Module, Op, Region, Value, ValueDef};
use crate::text::custom;

/// Name of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueName {
    Missing,
    Number(u32),
    /// The number of its text.
    Named(u32),
}

/// The names of everything inside one operation.
pub(super) struct Names {
    values: Vec<ValueName>,
    /// The texts of names: designs give the same ones in each of their cores.
    texts: IndexSet<Box<str>, FxBuildHasher>,
    blocks: FxHashMap<Block, usize>,
}

/// The counters that a scope starts with.
#[derive(Clone, Copy, Default)]
struct Counters {
    value: u32,
    argument: u32,
    conflict: u32,
}

struct Numbering<'m> {
    m: &'m Module,
    generic: bool,
    names: Names,
    /// Whether a name is taken, by the number of its text.
    used: Vec<bool>,
    /// Names in order of use; scopes remember how long it was when they began.
    log: Vec<u32>,
    counters: Counters,
}

impl Names {
    /// Names everything in `root`.
    pub(super) fn of(m: &Module, root: Op, generic: bool) -> Names {
        let mut numbering = Numbering {
            m,
            generic,
            names: Names {
                values: vec![ValueName::Missing; m.value_count()],
                texts: IndexSet::default(),
                blocks: FxHashMap::default(),
            },
            used: Vec::new(),
            log: Vec::new(),
            counters: Counters::default(),
        };
        let start = numbering.counters;
        numbering.op(root);
        let counters = numbering.counters;
        // Regions still to be named: with the counters and names of their parent.
        let mut stack: Vec<(Region, Counters, usize)> = m
            .regions_of(root)
            .iter()
            .map(|r| {
                (
                    *r,
                    if m.num_results(root) > 0 {
                        counters
                    } else {
                        start
                    },
                    0,
                )
            })
            .collect();
        while let Some((region, counters, scope)) = stack.pop() {
            numbering.counters = counters;
            for name in numbering.log.drain(scope..) {
                numbering.used[name as usize] = false;
            }
            numbering.region(region);
            let (counters, scope) = (numbering.counters, numbering.log.len());
            for block in m.blocks_of(region) {
                let mut next = m.first_op(*block);
                while let Some(op) = next {
                    stack.extend(m.regions_of(op).iter().map(|r| (*r, counters, scope)));
                    next = m.next_op(op);
                }
            }
        }
        numbering.names
    }

    /// Writes the name of a definition.
    pub(super) fn write(&self, value: Value, out: &mut String) {
        match self.values.get(value.index()) {
            Some(ValueName::Number(n)) => {
                let _ = write!(out, "%{n}");
            }
            Some(ValueName::Named(name)) => {
                let name = self.texts.get_index(*name as usize);
                out.push('%');
                out.push_str(name.map_or("", |name| name));
            }
            _ => out.push_str("<<UNKNOWN SSA VALUE>>"),
        }
    }

    /// Writes a use: results of a pack get their number.
    pub(super) fn write_use(&self, m: &Module, value: Value, out: &mut String) {
        if let ValueDef::Result(op, n) = m.def(value)
            && m.num_results(op) > 1
        {
            for (first, size) in self.groups(m, op) {
                let start = match m.def(first) {
                    ValueDef::Result(_, start) => start,
                    ValueDef::Argument(..) => continue,
                };
                if size > 1 && (start..start + size as u32).contains(&n) {
                    self.write(first, out);
                    let _ = write!(out, "#{}", n - start);
                    return;
                }
            }
        }
        self.write(value, out);
    }

    /// The packs of an operation's results: first value and size.
    pub(super) fn groups(&self, m: &Module, op: Op) -> Vec<(Value, usize)> {
        let mut list: Vec<(Value, usize)> = Vec::new();
        for result in m.results(op) {
            let named = self.values.get(result.index()) != Some(&ValueName::Missing);
            match list.last_mut() {
                Some(last) if !named => last.1 += 1,
                _ => list.push((result, 1)),
            }
        }
        list
    }

    /// A block's number in its region.
    pub(super) fn block(&self, block: Block) -> usize {
        self.blocks.get(&block).copied().unwrap_or(0)
    }

    /// For each block of a region the numbers of the blocks that jump to it, sorted; nothing for a
    /// region of one block.
    pub(super) fn predecessors(&self, m: &Module, region: Region) -> Vec<Vec<usize>> {
        let blocks = m.blocks_of(region);
        if blocks.len() < 2 {
            return Vec::new();
        }
        let mut list = vec![Vec::new(); blocks.len()];
        for (from, block) in blocks.iter().enumerate() {
            if let Some(last) = m.last_op(*block) {
                for target in m.successors(last) {
                    if let Some(to) = list.get_mut(self.block(*target)) {
                        to.push(from);
                    }
                }
            }
        }
        list
    }
}

impl Numbering<'_> {
    fn region(&mut self, region: Region) {
        for (n, block) in self.m.blocks_of(region).iter().enumerate() {
            self.names.blocks.insert(*block, n);
            for arg in self.m.block_args(*block) {
                if n == 0 {
                    let name = format!("arg{}", self.counters.argument);
                    self.counters.argument += 1;
                    self.set(*arg, &name);
                } else {
                    self.number(*arg);
                }
            }
            let mut next = self.m.first_op(*block);
            while let Some(op) = next {
                self.op(op);
                next = self.m.next_op(op);
            }
        }
    }

    fn op(&mut self, op: Op) {
        let Some(first) = self.m.result(op, 0) else {
            return;
        };
        if self.generic {
            self.number(first);
            return;
        }
        match custom::printed::hint(self.m, op) {
            Some(name) if !name.is_empty() => self.set(first, &name),
            _ => self.number(first),
        }
    }

    fn number(&mut self, value: Value) {
        self.put(value, ValueName::Number(self.counters.value));
        self.counters.value += 1;
    }

    fn set(&mut self, value: Value, name: &str) {
        let name = self.unique(&sanitise(name));
        self.put(value, ValueName::Named(name));
    }

    fn put(&mut self, value: Value, name: ValueName) {
        if let Some(slot) = self.names.values.get_mut(value.index()) {
            *slot = name;
        }
    }

    fn unique(&mut self, name: &str) -> u32 {
        let mut number = self.text(name);
        while self.used[number as usize] {
            let candidate = format!("{name}_{}", self.counters.conflict);
            self.counters.conflict += 1;
            number = self.text(&candidate);
        }
        self.used[number as usize] = true;
        self.log.push(number);
        number
    }

    /// The number of a text.
    fn text(&mut self, name: &str) -> u32 {
        let texts = &mut self.names.texts;
        let number = match texts.get_index_of(name) {
            Some(number) => number,
            None => texts.insert_full(name.into()).0,
        };
        if self.used.len() <= number {
            self.used.resize(number + 1, false);
        }
        number as u32
    }
}

/// A text as an identifier: blanks become underscores, other strange characters their hex code;
/// a leading digit gets an underscore, so that it can't be taken for a number.
fn sanitise(name: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"$._-".contains(&b);
    if !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(plain) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 1);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('_');
    }
    for byte in name.bytes() {
        match byte {
            b if plain(b) => out.push(char::from(b)),
            b' ' => out.push('_'),
            b => {
                let _ = write!(out, "{b:X}");
            }
        }
    }
    Cow::Owned(out)
}
