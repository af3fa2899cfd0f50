//! Global symbols: who defines which.

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
    is_weak: bool,
}

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
                is_weak: symbol.binding == Binding::Weak,
            };
            match globals.get(&symbol.name) {
                Some(known) if !known.is_weak && !definition.is_weak => {
                    let message = format!(
                        "`{}` is defined by {} and by {}",
                        symbol.name, objects[known.object].name, object.name
                    );
                    let help = "make one of them local, or link only one of the files";
                    findings.push(Diag::error(&codes::DUPLICATE, message).help(help));
                }
                Some(known) if !known.is_weak || definition.is_weak => {}
                _ => {
                    globals.insert(symbol.name.clone(), definition);
                }
            }
        }
    }
    for (name, address) in &options.symbols {
        let Some(known) = globals.get(name).filter(|known| !known.is_weak) else {
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
