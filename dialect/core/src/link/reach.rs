//! Leaves out sections that the program does not reach from its start, as llvm-aie's linker does with
//! `--gc-sections`.

use rustc_hash::FxHashMap;

use super::symbols::Definition;
use super::{ENTRY_SYMBOL, LinkOptions, start};
use crate::object::{Binding, CoreObject, SectionKind, Symbol, SymbolPlace};

/// Empties loaded sections that nothing refers to, directly or by others, from the start-up code and
/// the function that it calls. Their symbols are undefined from here on. A program without either
/// keeps all its sections.
pub(super) fn drop_unreached(
    objects: &mut [CoreObject],
    definitions: &FxHashMap<String, Definition>,
    options: &LinkOptions,
) {
    let section_of_global = |name: &str| {
        let known = definitions.get(name)?;
        let symbol = &objects[known.object].symbols[known.symbol];
        Some((known.object, section_of(symbol)?))
    };
    let entries = [ENTRY_SYMBOL].into_iter().chain(start::main_names(options));
    let mut open: Vec<(usize, usize)> = entries.filter_map(section_of_global).collect();
    if open.is_empty() {
        return;
    }
    let mut reached: Vec<Vec<bool>> = Vec::with_capacity(objects.len());
    for (index, object) in objects.iter().enumerate() {
        let sections = object.sections.iter().enumerate();
        let fixed = sections.filter(|(_, section)| section.address.is_some());
        open.extend(fixed.map(|(section, _)| (index, section)));
        reached.push(vec![false; object.sections.len()]);
    }
    while let Some((object, section)) = open.pop() {
        if std::mem::replace(&mut reached[object][section], true) {
            continue;
        }
        for relocation in &objects[object].sections[section].relocations {
            let symbol = &objects[object].symbols[relocation.symbol];
            let target = match symbol.binding {
                Binding::Local => section_of(symbol).map(|section| (object, section)),
                _ => section_of_global(&symbol.name),
            };
            open.extend(target);
        }
    }
    for (object, reached) in objects.iter_mut().zip(reached) {
        keep_only(object, &reached);
    }
}

/// The section that a symbol of an object is in.
fn section_of(symbol: &Symbol) -> Option<usize> {
    match symbol.place {
        SymbolPlace::Section { section, .. } => Some(section),
        _ => None,
    }
}

/// Empties loaded sections that are not to be kept.
fn keep_only(object: &mut CoreObject, kept: &[bool]) {
    let kinds: Vec<SectionKind> = object.sections.iter().map(|section| section.kind).collect();
    let is_dropped = |index: usize| !kept[index] && kinds[index] != SectionKind::Unloaded;
    for (index, section) in object.sections.iter_mut().enumerate() {
        if is_dropped(index) {
            section.size = 0;
            section.bytes = Vec::new();
            section.relocations = Vec::new();
        }
    }
    for symbol in &mut object.symbols {
        if section_of(symbol).is_some_and(is_dropped) {
            symbol.place = SymbolPlace::Undefined;
        }
    }
    object.lines.retain(|line| !is_dropped(line.section));
}
