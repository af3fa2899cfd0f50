//! Members of archives: those that define a missing symbol are linked.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::symbols::is_definition;
use crate::object::{Binding, CoreObject};

/// Adds the members that define symbols which the objects, or members added for them, use without a
/// definition in an object or in `given`; of several members with a symbol the first.
pub fn add_members(objects: &mut Vec<CoreObject>, members: &[CoreObject], given: &[(String, u32)]) {
    let mut defining: FxHashMap<String, usize> = FxHashMap::default();
    for (number, member) in members.iter().enumerate() {
        for symbol in member.symbols.iter().filter(|symbol| is_definition(symbol)) {
            defining.entry(symbol.name.clone()).or_insert(number);
        }
    }
    let mut members: Vec<Option<&CoreObject>> = members.iter().map(Some).collect();
    let mut needs = SymbolNeeds {
        defined: given.iter().map(|(name, _)| name.clone()).collect(),
        ..SymbolNeeds::default()
    };
    objects.iter().for_each(|object| needs.add(object));
    while let Some(name) = needs.wanted.pop_front() {
        if needs.defined.contains(&name) {
            continue;
        }
        let number = defining.get(&name);
        if let Some(member) = number.and_then(|number| members[*number].take()) {
            needs.add(member);
            objects.push(member.clone());
        }
    }
}

/// Defined and undefined symbols of the objects.
#[derive(Default)]
struct SymbolNeeds {
    defined: FxHashSet<String>,
    wanted: VecDeque<String>,
}

impl SymbolNeeds {
    fn add(&mut self, object: &CoreObject) {
        for symbol in &object.symbols {
            if is_definition(symbol) {
                self.defined.insert(symbol.name.clone());
            } else if symbol.binding == Binding::Global {
                self.wanted.push_back(symbol.name.clone());
            }
        }
    }
}
