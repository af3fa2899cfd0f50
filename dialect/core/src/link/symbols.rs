//! Global symbols and their definitions.

use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::{LinkOptions, codes};
use crate::object::{Binding, CoreObject, Symbol, SymbolPlace};

/// Who defines a global symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// Index of the object.
    pub object: usize,
    /// Index of the symbol in the object.
    pub symbol: usize,
    strength: Strength,
}

/// Which of several definitions counts: the stronger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Weak,
    Common,
    Global,
}

impl Strength {
    fn of(binding: Binding) -> Strength {
        match binding {
            Binding::Weak => Strength::Weak,
            Binding::Common => Strength::Common,
            Binding::Global | Binding::Local => Strength::Global,
        }
    }
}

/// Gives the common symbols of a name the length and the alignment of the largest.
pub(super) fn join_commons(objects: &mut [CoreObject]) {
    let mut largest: FxHashMap<String, (u32, u32)> = FxHashMap::default();
    let commons = |object: &CoreObject| -> Vec<(usize, usize)> {
        let symbols = object.symbols.iter().enumerate();
        let commons = symbols.filter(|(_, symbol)| symbol.binding == Binding::Common);
        let placed = commons.filter_map(|(number, symbol)| match symbol.place {
            SymbolPlace::Section { section, .. } => Some((number, section)),
            _ => None,
        });
        placed.collect()
    };
    for object in objects.iter() {
        for (symbol, section) in commons(object) {
            let name = &object.symbols[symbol].name;
            let (size, align) = largest.entry(name.clone()).or_default();
            *size = object.sections[section].size.max(*size);
            *align = object.sections[section].align.max(*align);
        }
    }
    for object in objects.iter_mut() {
        for (symbol, section) in commons(object) {
            if let Some((size, align)) = largest.get(&object.symbols[symbol].name) {
                object.symbols[symbol].size = *size;
                (
                    object.sections[section].size,
                    object.sections[section].align,
                ) = (*size, *align);
            }
        }
    }
}

/// Strengths of two definitions of which neither counts more.
const TWICE: (Strength, Strength) = (Strength::Global, Strength::Global);

/// Whether other files can use the symbol of this one.
pub(super) fn is_definition(symbol: &Symbol) -> bool {
    symbol.binding != Binding::Local
        && symbol.place != SymbolPlace::Undefined
        && !symbol.name.is_empty()
}

/// Global symbols that objects define, by name. Symbols that two objects define, or an object and the
/// options, are findings.
pub(super) fn definitions(
    objects: &[CoreObject],
    options: &LinkOptions,
    findings: &mut Vec<Diag>,
) -> FxHashMap<String, Definition> {
    let mut globals: FxHashMap<String, Definition> = FxHashMap::default();
    for (index, object) in objects.iter().enumerate() {
        let symbols = object.symbols.iter().enumerate();
        for (number, symbol) in symbols.filter(|(_, symbol)| is_definition(symbol)) {
            let definition = Definition {
                object: index,
                symbol: number,
                strength: Strength::of(symbol.binding),
            };
            match globals.get(&symbol.name) {
                Some(known) if (known.strength, definition.strength) == TWICE => {
                    let message = format!(
                        "`{}` is defined by {} and by {}",
                        symbol.name, objects[known.object].name, object.name
                    );
                    let help = "make one of them local, or link only one of the files";
                    findings.push(Diag::error(&codes::DUPLICATE, message).help(help));
                }
                Some(known) if known.strength >= definition.strength => {}
                _ => {
                    globals.insert(symbol.name.clone(), definition);
                }
            }
        }
    }
    for (name, address) in &options.symbols {
        let is_firm = |known: &&Definition| known.strength != Strength::Weak;
        let Some(known) = globals.get(name).filter(is_firm) else {
            continue;
        };
        let message = format!(
            "`{name}` is to lie at {address:#x}, but {} defines it",
            objects[known.object].name
        );
        let diag = Diag::error(&codes::DUPLICATE, message)
            .label(options.span_of(name), "an address is given to it here")
            .help("give the buffer or the object's symbol another name");
        findings.push(diag);
    }
    globals
}
