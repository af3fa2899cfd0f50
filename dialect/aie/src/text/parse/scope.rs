//! Names of SSA values and blocks while parsing.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::ir::{Block, Value};

/// What a name stands for. Names are kept with their `%`, without `#n`.
#[derive(Clone, Debug)]
pub(super) enum Entry<'s> {
    /// The values, one for each result of a pack; the text of the definition.
    Values(SmallVec<[Value; 1]>, &'s str),
    /// Used but not yet defined: stand-ins by result number, each with its first use.
    Forward(Vec<(u32, Value, &'s str)>),
    /// Its definition had an error; uses of it are not reported.
    Poisoned,
}

/// A scope that ends at operations isolated from above.
#[derive(Default)]
struct Isolated<'s> {
    names: FxHashMap<&'s str, Entry<'s>>,
    /// Names in order of definition; regions remember how long it was when they began.
    log: Vec<&'s str>,
    regions: Vec<usize>,
}

/// The names visible at a place.
pub(super) struct Scopes<'s> {
    stack: Vec<Isolated<'s>>,
}

impl<'s> Scopes<'s> {
    pub(super) fn new() -> Scopes<'s> {
        Scopes {
            stack: vec![Isolated::default()],
        }
    }

    /// Begins a region; an isolated one sees nothing from outside.
    pub(super) fn enter(&mut self, isolated: bool) {
        if isolated {
            self.stack.push(Isolated::default());
        }
        if let Some(top) = self.stack.last_mut() {
            top.regions.push(top.log.len());
        }
    }

    /// Ends a region; answers the uses without definition when an isolated one ends.
    pub(super) fn leave(&mut self, isolated: bool) -> Vec<(&'s str, Value, &'s str)> {
        if isolated && self.stack.len() > 1 {
            let scope = self.stack.pop().unwrap_or_default();
            return undefined(scope.names);
        }
        if let Some(top) = self.stack.last_mut() {
            let start = top.regions.pop().unwrap_or(0);
            for name in top.log.drain(start..) {
                top.names.remove(name);
            }
        }
        Vec::new()
    }

    /// Ends everything; answers the uses without definition.
    pub(super) fn finish(&mut self) -> Vec<(&'s str, Value, &'s str)> {
        let mut list = Vec::new();
        for scope in self.stack.drain(..) {
            list.extend(undefined(scope.names));
        }
        list
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry<'s>> {
        self.stack.last()?.names.get(name)
    }

    /// Adds a stand-in for a result of a name that isn't defined yet.
    pub(super) fn forward(&mut self, name: &'s str, number: u32, value: Value, at: &'s str) {
        let Some(top) = self.stack.last_mut() else {
            return;
        };
        match top.names.get_mut(name) {
            Some(Entry::Forward(list)) => list.push((number, value, at)),
            _ => {
                top.names
                    .insert(name, Entry::Forward(vec![(number, value, at)]));
            }
        }
    }

    /// Defines a name; answers what it stood for before.
    pub(super) fn define(&mut self, name: &'s str, entry: Entry<'s>) -> Option<Entry<'s>> {
        let top = self.stack.last_mut()?;
        top.log.push(name);
        top.names.insert(name, entry)
    }

    /// All names visible now, for suggestions.
    pub(super) fn visible(&self) -> Vec<&'s str> {
        let mut names: Vec<_> = self
            .stack
            .last()
            .map(|top| top.log.clone())
            .unwrap_or_default();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Uses without definition, in the order of their places.
fn undefined<'s>(names: FxHashMap<&'s str, Entry<'s>>) -> Vec<(&'s str, Value, &'s str)> {
    let mut list = Vec::new();
    for (name, entry) in names {
        if let Entry::Forward(uses) = entry {
            list.extend(uses.into_iter().map(|(_, value, at)| (name, value, at)));
        }
    }
    list.sort_by_key(|(_, _, at)| at.as_ptr() as usize);
    list
}

/// The block labels of one region.
#[derive(Default)]
pub(super) struct BlockScope<'s> {
    /// Label to block; the place of the definition, or of the first use with `false`.
    pub(super) names: FxHashMap<&'s str, (Block, &'s str, bool)>,
}

/// One value as an entry.
pub(super) fn single<'s>(value: Value, at: &'s str) -> Entry<'s> {
    Entry::Values(smallvec![value], at)
}
