//! Names of SSA values and blocks while parsing.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::ir::{Block, Value};

/// Meaning of a name. Names are kept with their `%`, without `#n`.
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
    /// Names of regions that ended, for suggestions.
    ended: Vec<&'s str>,
}

/// Uses without definition when a scope ended, in the order of their places, and all names that
/// the scope ever had. A use is a name, its stand-in and its place.
#[derive(Default)]
pub(super) struct Undefined<'s> {
    pub(super) uses: Vec<(&'s str, Value, &'s str)>,
    pub(super) names: Vec<&'s str>,
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

    /// Ends a region; returns the uses without definition when an isolated one ends.
    pub(super) fn leave(&mut self, isolated: bool) -> Undefined<'s> {
        if isolated && self.stack.len() > 1 {
            let scope = self.stack.pop().unwrap_or_default();
            return undefined(scope);
        }
        if let Some(top) = self.stack.last_mut() {
            let start = top.regions.pop().unwrap_or(0);
            for name in top.log.drain(start..) {
                top.names.remove(name);
                top.ended.push(name);
            }
        }
        Undefined::default()
    }

    /// Ends everything; returns the uses without definition.
    pub(super) fn finish(&mut self) -> Undefined<'s> {
        let mut all = Undefined::default();
        for scope in self.stack.drain(..) {
            let found = undefined(scope);
            all.uses.extend(found.uses);
            all.names.extend(found.names);
        }
        all
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

    /// Defines a name; returns its former meaning.
    pub(super) fn define(&mut self, name: &'s str, entry: Entry<'s>) -> Option<Entry<'s>> {
        let top = self.stack.last_mut()?;
        top.log.push(name);
        top.names.insert(name, entry)
    }
}

fn undefined(scope: Isolated<'_>) -> Undefined<'_> {
    let mut uses = Vec::new();
    for (name, entry) in scope.names {
        if let Entry::Forward(list) = entry {
            uses.extend(list.into_iter().map(|(_, value, at)| (name, value, at)));
        }
    }
    uses.sort_by_key(|(_, _, at)| at.as_ptr() as usize);
    if uses.is_empty() {
        return Undefined::default();
    }
    let mut names = scope.log;
    names.extend(scope.ended);
    Undefined { uses, names }
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
