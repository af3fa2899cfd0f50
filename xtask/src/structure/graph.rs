//! Cycles between the modules that one module declares.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::source::{ItemPath, Module};

/// Number of re-exports of re-exports that are followed.
const MAX_REEXPORTS: usize = 8;

/// Paths by which modules refer to one another, by the names of both.
pub type References = BTreeMap<(String, String), BTreeSet<ItemPath>>;

/// Modules that refer to one another in a circle, all declared by one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The module that declares them; empty for the crate's root.
    pub parent: ItemPath,
    /// Their names, sorted.
    pub modules: Vec<String>,
    /// For each two of which one refers to the other: both names, and all paths by which it does.
    pub references: References,
}

impl Cycle {
    /// Its parts, in lines; `crate_name` is where.
    #[must_use]
    pub fn description(&self, crate_name: &str) -> String {
        let parent = [&[crate_name.to_string()], self.parent.as_slice()].concat();
        let mut text = format!("{}: {}\n", parent.join("::"), self.modules.join(", "));
        for ((from, to), paths) in &self.references {
            let paths = paths
                .iter()
                .map(|path| format!("crate::{}", path.join("::")));
            let paths: Vec<String> = paths.collect();
            text += &format!("    {from} → {to}: {}\n", paths.join(", "));
        }
        text
    }
}

/// The cycles between the modules that `root` declares, and with `deep` between those that each
/// module below declares.
#[must_use]
pub fn cycles(root: &Module, deep: bool) -> Vec<Cycle> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(parent) = left.pop() {
        found.extend(cycles_between_children(root, parent));
        if deep {
            left.extend(&parent.children);
        }
    }
    found.sort_by(|a, b| (&a.parent, &a.modules).cmp(&(&b.parent, &b.modules)));
    found
}

/// The references between the children of `parent`.
#[must_use]
pub fn references_between_children(root: &Module, parent: &Module) -> References {
    let mut references = References::new();
    for child in &parent.children {
        let own = child.path.last().cloned().unwrap_or_default();
        for path in all_paths(child) {
            let target = resolve(root, path, MAX_REEXPORTS);
            let Some(other) = target.strip_prefix(parent.path.as_slice()) else {
                continue;
            };
            let sibling = other
                .first()
                .filter(|other| parent.children.iter().any(|c| c.path.last() == Some(other)));
            if let Some(sibling) = sibling.filter(|sibling| **sibling != own) {
                references
                    .entry((own.clone(), sibling.clone()))
                    .or_default()
                    .insert(path.clone());
            }
        }
    }
    references
}

fn cycles_between_children(root: &Module, parent: &Module) -> Vec<Cycle> {
    let references = references_between_children(root, parent);
    let mut graph = DiGraph::<String, ()>::new();
    let mut nodes = BTreeMap::new();
    for name in parent.children.iter().filter_map(|c| c.path.last()) {
        nodes.insert(name, graph.add_node(name.clone()));
    }
    for (from, to) in references.keys() {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let rings = tarjan_scc(&graph).into_iter().filter(|ring| ring.len() > 1);
    let cycle = |ring: Vec<petgraph::graph::NodeIndex>| {
        let modules: BTreeSet<String> = ring.into_iter().map(|node| graph[node].clone()).collect();
        let within = |(from, to): &(String, String)| modules.contains(from) && modules.contains(to);
        let inner = references.iter().filter(|(pair, _)| within(pair));
        Cycle {
            parent: parent.path.clone(),
            references: inner.map(|(k, v)| (k.clone(), v.clone())).collect(),
            modules: modules.into_iter().collect(),
        }
    };
    rings.map(cycle).collect()
}

fn all_paths(module: &Module) -> Vec<&ItemPath> {
    let below = module.children.iter().flat_map(all_paths);
    module.paths.iter().chain(below).collect()
}

/// The path of the module that defines what `path` names, as far as re-exports can be followed.
fn resolve(root: &Module, path: &[String], most_reexports: usize) -> ItemPath {
    let mut module = root;
    for (at, segment) in path.iter().enumerate() {
        if let Some(child) = child(module, segment) {
            module = child;
            continue;
        }
        if module.items.contains(segment) || most_reexports == 0 {
            break;
        }
        let named = module.imports.iter().find(|import| import.name == *segment);
        if let Some(import) = named {
            let further = [&import.path, &path[at + 1..]].concat();
            return resolve(root, &further, most_reexports - 1);
        }
        let globs = module.imports.iter().filter(|import| import.name == "*");
        for glob in globs {
            let inner = [glob.path.as_slice(), &path[at..]].concat();
            let target = resolve(root, &inner, most_reexports - 1);
            if find(root, &target).is_some_and(|m| m.items.contains(segment)) {
                return target;
            }
        }
        break;
    }
    module.path.clone()
}

fn child<'m>(module: &'m Module, name: &str) -> Option<&'m Module> {
    let mut children = module.children.iter();
    children.find(|child| child.path.last().is_some_and(|last| last == name))
}

fn find<'m>(root: &'m Module, path: &[String]) -> Option<&'m Module> {
    let mut segments = path.iter();
    segments.try_fold(root, |module, segment| child(module, segment))
}

#[cfg(test)]
mod tests {
    use super::super::source::read_text;
    use super::*;

    fn names(text: &str) -> Vec<Vec<String>> {
        let module = read_text(text).unwrap();
        let found = cycles(&module, true);
        found.into_iter().map(|cycle| cycle.modules).collect()
    }

    #[test]
    fn two_modules_that_use_one_another_are_a_cycle() {
        let text = "mod a { use crate::b::B; } mod b { use super::a; } mod c { use crate::a::x; }";
        assert_eq!(names(text), [["a", "b"]]);
    }

    #[test]
    fn a_chain_is_none_and_neither_is_what_only_tests_use() {
        let text = "mod a { use crate::b::B; #[cfg(test)] mod tests { use crate::c::C; } }
                    mod b { fn f() { crate::c::g() } } mod c {}
                    #[cfg(test)] mod d { use crate::a::A; }";
        assert!(names(text).is_empty());
        let tests_aside = "mod a { use crate::b; #[test] fn t() { crate::c::x() } } mod b {}
                           mod c { use crate::a; }";
        assert!(names(tests_aside).is_empty());
    }

    #[test]
    fn groups_renames_and_paths_in_code_count() {
        let text = "mod a { use crate::{b::{self, x as y}, c::*}; }
                    mod b { fn f() -> u8 { let v = vec![super::c::g()]; v[0] } }
                    mod c { fn h(x: crate::a::T) {} }";
        assert_eq!(names(text), [["a", "b", "c"]]);
    }

    #[test]
    fn reexports_lead_to_where_the_item_is() {
        let by_name = "pub use a::A; mod a { use crate::b::B; } mod b { use crate::A; }";
        assert_eq!(names(by_name), [["a", "b"]]);
        let by_self = "pub use self::a::A; mod a { use crate::b::B; } mod b { use crate::A; }";
        assert_eq!(names(by_self), [["a", "b"]]);
        let of_a_crate = "pub use c::A; mod a { use crate::b::B; } mod b { use crate::A; }";
        assert!(names(of_a_crate).is_empty());
        let by_glob = "pub use crate::a::*; mod a { pub struct A; use crate::b::B; }
                       mod b { use crate::A; }";
        assert_eq!(names(by_glob), [["a", "b"]]);
        let own = "pub use crate::a::A; pub struct S; mod a { use crate::S; }";
        assert!(names(own).is_empty());
    }

    #[test]
    fn cycles_within_a_module_are_those_of_its_children() {
        let text = "mod a { mod x { use super::y::Y; } mod y { use crate::a::x::X; } }
                    mod b { use crate::a::x; }";
        let module = read_text(text).unwrap();
        assert!(cycles(&module, false).is_empty());
        let deep = cycles(&module, true);
        assert_eq!(deep.len(), 1);
        assert_eq!(deep[0].parent, ["a"]);
        let shown = &deep[0].references[&("x".to_string(), "y".to_string())];
        let paths: Vec<String> = shown.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["a::y::Y"]);
    }

    #[test]
    fn each_arrow_has_all_its_paths() {
        let text =
            "mod a { use crate::b::{X, Y}; fn f() -> crate::b::X {} } mod b { use crate::a; }";
        let cycles = cycles(&read_text(text).unwrap(), false);
        let lines = "c: a, b\n    a → b: crate::b::X, crate::b::Y\n    b → a: crate::a\n";
        assert_eq!(cycles[0].description("c"), lines);
    }

    #[test]
    fn comments_and_strings_are_no_paths() {
        let text = "mod a { /* crate::b */ fn f() { \"crate::b::x\"; } // super::b\n }
                    mod b { use crate::a; }";
        assert!(names(text).is_empty());
    }
}
