//! Addresses of symbols, and what they change in sections.

use aiec_diag::Diag;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::place::PlacedSections;
use super::{ENTRY_SYMBOL, LinkOptions, STACK_SYMBOL, codes};
use crate::isa::{CoreIsa, Relocation, RelocationField};
use crate::object::{Binding, CoreObject, SectionKind, Symbol, SymbolPlace};
use crate::program::{CoreProgram, ProgramLine, ProgramSymbol};

/// Symbols of the linker script that stand for another if nobody defines them.
const ALIASES: [(&str, &str); 2] = [("main", "core_c_r"), ("core_c_r", "main")];

/// Symbols of the linker script that bound tables which a program without constructors does not
/// have: both ends are the same address.
const EMPTY_TABLES: [&str; 6] = [
    "_init_array_start",
    "_init_array_end",
    "_ctors_start",
    "_ctors_end",
    "_dtors_start",
    "_dtors_end",
];

/// A global symbol's address and who defines it.
#[derive(Clone, Copy)]
struct Definition {
    address: u32,
    object: usize,
    is_weak: bool,
}

/// Gives symbols their addresses and patches the sections.
pub(super) fn relocate(
    objects: &[CoreObject],
    placed: PlacedSections,
    options: &LinkOptions,
) -> Result<CoreProgram, Vec<Diag>> {
    let PlacedSections {
        mut sections,
        places,
    } = placed;
    let addresses: Vec<u32> = sections.iter().map(|section| section.address).collect();
    let address_of = |object: usize, symbol: &Symbol| match symbol.place {
        SymbolPlace::Undefined => None,
        SymbolPlace::Absolute(value) => Some(value),
        SymbolPlace::Section { section, offset } => {
            let (joined, start) = places[object][section];
            let base = addresses.get(joined).copied().unwrap_or(0);
            Some(base.wrapping_add(start).wrapping_add(offset))
        }
    };
    let mut findings = Vec::new();
    let mut globals = definitions(objects, &address_of, &mut findings);
    add_script_symbols(
        &mut globals,
        options,
        sections.iter().map(|s| s.address + s.size).max(),
    );
    let isa = CoreIsa::of(objects[0].arch);
    let mut missing: Vec<(&str, &str)> = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        for (number, section) in object.sections.iter().enumerate() {
            let (joined, start) = places[index][number];
            for relocation in &section.relocations {
                let symbol = &object.symbols[relocation.symbol];
                let known = match symbol.binding {
                    Binding::Local => address_of(index, symbol),
                    _ => globals.get(symbol.name.as_str()).map(|found| found.address),
                };
                let address = match known {
                    Some(address) => address,
                    None if symbol.binding == Binding::Weak => 0,
                    None => {
                        missing.push((&symbol.name, &object.name));
                        continue;
                    }
                };
                let target = &mut sections[joined];
                let at = start + relocation.offset;
                let value = i64::from(address).wrapping_add(relocation.addend);
                let place = i64::from(target.address) + i64::from(at);
                let patched = match isa.relocation(relocation.number) {
                    Some(row) => patch(row, &mut target.bytes, at as usize, value, place),
                    None if target.kind == SectionKind::Unloaded => Ok(()),
                    None => Err(format!(
                        "type {} is no relocation of {}",
                        relocation.number, isa.arch
                    )),
                };
                if let Err(problem) = patched {
                    let message = format!(
                        "{}: {} at {:#x}: `{}`: {problem}",
                        object.name, section.name, relocation.offset, symbol.name
                    );
                    let help = "load far addresses with `movxm`; keep code below 0x4000";
                    findings.push(Diag::error(&codes::RELOCATION, message).help(help));
                }
            }
        }
    }
    missing.sort_unstable();
    missing.dedup();
    findings.extend(missing.into_iter().map(|(symbol, object)| {
        let message = format!("`{symbol}` is not defined; {object} uses it");
        Diag::error(&codes::UNDEFINED, message)
            .help("link the object that defines it, or name it in the design (`link_with`)")
    }));
    if !findings.is_empty() {
        return Err(findings);
    }
    let symbols = program_symbols(objects, &places, &address_of, options);
    let (files, lines) = program_lines(objects, &places, &addresses);
    Ok(CoreProgram {
        arch: isa.arch,
        entry: globals.get(ENTRY_SYMBOL).map_or(0, |found| found.address),
        sections,
        symbols,
        files,
        lines,
    })
}

/// Source files and lines of the program.
fn program_lines(
    objects: &[CoreObject],
    places: &[Vec<(usize, u32)>],
    addresses: &[u32],
) -> (Vec<String>, Vec<ProgramLine>) {
    let mut files: IndexSet<String> = IndexSet::new();
    let mut lines = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        let mut last = None;
        for line in &object.lines {
            let (joined, start) = places[index][line.section];
            let base = addresses[joined] + start;
            lines.push(ProgramLine {
                address: base + line.offset,
                file: files.insert_full(object.files[line.file].clone()).0,
                line: line.line,
            });
            last = last.max(Some((base + object.sections[line.section].size, line.file)));
        }
        if let Some((end, _)) = last {
            lines.push(ProgramLine {
                address: end,
                file: 0,
                line: 0,
            });
        }
    }
    lines.sort_by_key(|line| (line.address, line.line == 0));
    lines.dedup_by(|later, earlier| later.address == earlier.address && later.line == 0);
    (files.into_iter().collect(), lines)
}

/// Global symbols that objects define.
fn definitions<'a>(
    objects: &'a [CoreObject],
    address_of: &dyn Fn(usize, &Symbol) -> Option<u32>,
    findings: &mut Vec<Diag>,
) -> FxHashMap<&'a str, Definition> {
    let mut globals: FxHashMap<&str, Definition> = FxHashMap::default();
    for (index, object) in objects.iter().enumerate() {
        for symbol in &object.symbols {
            let Some(address) = address_of(index, symbol) else {
                continue;
            };
            if symbol.binding == Binding::Local || symbol.name.is_empty() {
                continue;
            }
            let definition = Definition {
                address,
                object: index,
                is_weak: symbol.binding == Binding::Weak,
            };
            match globals.get(symbol.name.as_str()) {
                Some(known) if !known.is_weak && !definition.is_weak => {
                    let message = format!(
                        "`{}` is defined by {} and by {}",
                        symbol.name, objects[known.object].name, object.name
                    );
                    let help = "make one of them local, or link only one of the files";
                    findings.push(Diag::error(&codes::DUPLICATE, message).help(help));
                }
                Some(known) if !known.is_weak => {}
                Some(_) if definition.is_weak => {}
                _ => {
                    globals.insert(&symbol.name, definition);
                }
            }
        }
    }
    globals
}

/// Adds what the linker script of mlir-aie defines, unless an object does.
fn add_script_symbols<'a>(
    globals: &mut FxHashMap<&'a str, Definition>,
    options: &'a LinkOptions,
    end: Option<u32>,
) {
    let mut provide = |name: &'a str, address: u32| {
        globals.entry(name).or_insert(Definition {
            address,
            object: 0,
            is_weak: true,
        });
    };
    for (name, address) in &options.symbols {
        provide(name, *address);
    }
    provide(STACK_SYMBOL, options.stack_address);
    for name in EMPTY_TABLES {
        provide(name, end.unwrap_or(0));
    }
    for (alias, name) in ALIASES {
        if let Some(found) = globals.get(name).copied() {
            globals.entry(alias).or_insert(found);
        }
    }
}

/// Patches `bytes` at `at` with `value`; `place` is the address of the patched bytes.
fn patch(
    relocation: &Relocation,
    bytes: &mut [u8],
    at: usize,
    value: i64,
    place: i64,
) -> Result<(), String> {
    let value = match relocation.pc_relative {
        true => value.wrapping_sub(place),
        false => value,
    };
    let (least, greatest) = match relocation.field {
        RelocationField::Address20 | RelocationField::Data20 if relocation.pc_relative => {
            (-(1 << 19), (1 << 19) - 1)
        }
        RelocationField::Address20 | RelocationField::Data20 => (0, (1 << 20) - 1),
        RelocationField::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        RelocationField::Unsigned(bits) => (0, (1 << bits) - 1),
        RelocationField::Immediate32 | RelocationField::Data32 => {
            (i64::from(i32::MIN), i64::from(u32::MAX))
        }
    };
    if value < least || value > greatest {
        return Err(format!("{value:#x} does not fit {least} to {greatest}"));
    }
    let end = at + usize::from(relocation.bytes);
    let Some(target) = bytes.get_mut(at..end) else {
        return Err("the patched bytes are outside of the section".to_owned());
    };
    let mut padded = [0; 16];
    padded[..target.len()].copy_from_slice(target);
    let mut bits = u128::from_le_bytes(padded);
    for (lsb, value_lsb, width) in &relocation.segments {
        let mask = (1u128 << width) - 1;
        let part = u128::from((value >> value_lsb) as u64) & mask;
        bits = bits & !(mask << lsb) | part << lsb;
    }
    let length = target.len();
    target.copy_from_slice(&bits.to_le_bytes()[..length]);
    Ok(())
}

/// Symbols of the program: those of objects that have names, and those that were given.
fn program_symbols(
    objects: &[CoreObject],
    places: &[Vec<(usize, u32)>],
    address_of: &dyn Fn(usize, &Symbol) -> Option<u32>,
    options: &LinkOptions,
) -> Vec<ProgramSymbol> {
    let mut symbols = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        for symbol in &object.symbols {
            let Some(address) = address_of(index, symbol) else {
                continue;
            };
            if symbol.name.is_empty() {
                continue;
            }
            symbols.push(ProgramSymbol {
                name: symbol.name.clone(),
                address,
                size: symbol.size,
                binding: symbol.binding,
                is_function: symbol.is_function,
                section: match symbol.place {
                    SymbolPlace::Section { section, .. } => Some(places[index][section].0),
                    _ => None,
                },
            });
        }
    }
    let given = options
        .symbols
        .iter()
        .map(|(name, address)| (name.as_str(), *address));
    for (name, address) in given.chain([(STACK_SYMBOL, options.stack_address)]) {
        symbols.push(ProgramSymbol {
            name: name.to_owned(),
            address,
            size: 0,
            binding: Binding::Global,
            is_function: false,
            section: None,
        });
    }
    symbols
}
