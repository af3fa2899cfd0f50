//! Addresses of symbols, and the relocations of sections to them.

use aiec_diag::Diag;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::place::PlacedSections;
use super::symbols::Definition;
use super::{ENTRY_SYMBOL, LinkOptions, STACK_SYMBOL, codes};
use crate::arch::CoreArch;
use crate::isa::{CoreIsa, Relocation, RelocationField};
use crate::object::{Binding, CoreObject, SectionKind, Symbol, SymbolPlace};
use crate::program::{CoreProgram, ProgramLine, ProgramSection, ProgramSymbol};

/// Symbols of the linker script that take the value of another if no object defines them.
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

/// The address of a function that was left out, in debug information (DWARF 6: the greatest
/// address), and in its lists of ranges, where that has another meaning.
const LEFT_OUT: u32 = u32::MAX;
const LEFT_OUT_OF_RANGES: u32 = u32::MAX - 1;
const RANGE_LISTS: [&str; 2] = [".debug_ranges", ".debug_loc"];

/// Addresses of symbols.
struct Addresses<'a> {
    objects: &'a [CoreObject],
    /// The address of each of the program's sections.
    sections: Vec<u32>,
    /// For each object and each of its sections: the program's section and the offset in it.
    places: Vec<Vec<(usize, u32)>>,
    globals: FxHashMap<&'a str, u32>,
}

impl<'a> Addresses<'a> {
    fn new(
        objects: &'a [CoreObject],
        sections: &[ProgramSection],
        places: Vec<Vec<(usize, u32)>>,
        definitions: &'a FxHashMap<String, Definition>,
        options: &'a LinkOptions,
    ) -> Addresses<'a> {
        let mut addresses = Addresses {
            objects,
            sections: sections.iter().map(|section| section.address).collect(),
            places,
            globals: FxHashMap::default(),
        };
        for (name, known) in definitions {
            let symbol = &objects[known.object].symbols[known.symbol];
            if let Some(address) = addresses.of_symbol(known.object, symbol) {
                addresses.globals.insert(name, address);
            }
        }
        let ends = sections
            .iter()
            .map(|section| section.address.saturating_add(section.size));
        addresses.add_script_symbols(options, ends.max().unwrap_or(0));
        addresses
    }

    /// The address of a symbol that an object defines.
    fn of_symbol(&self, object: usize, symbol: &Symbol) -> Option<u32> {
        match symbol.place {
            SymbolPlace::Undefined => None,
            SymbolPlace::Absolute(value) => Some(value),
            SymbolPlace::Section { section, offset } => {
                let (joined, start) = self.places[object][section];
                let base = self.sections.get(joined).copied().unwrap_or(0);
                Some(base.wrapping_add(start).wrapping_add(offset))
            }
        }
    }

    /// The address of a symbol that a relocation of an object names.
    fn of_target(&self, object: usize, index: usize) -> Option<u32> {
        let symbol = &self.objects[object].symbols[index];
        match symbol.binding {
            // the first entry of a file's table is empty: its address is 0
            Binding::Local if index == 0 && symbol.name.is_empty() => {
                Some(self.of_symbol(object, symbol).unwrap_or(0))
            }
            Binding::Local => self.of_symbol(object, symbol),
            Binding::Weak => Some(self.globals.get(&*symbol.name).copied().unwrap_or(0)),
            Binding::Global | Binding::Common => self.globals.get(&*symbol.name).copied(),
        }
    }

    /// Adds the symbols of mlir-aie's linker script that no object defines; `end` is the address
    /// after the last section.
    fn add_script_symbols(&mut self, options: &'a LinkOptions, end: u32) {
        let mut provide = |name: &'a str, address: u32| {
            self.globals.entry(name).or_insert(address);
        };
        for (name, address) in &options.symbols {
            provide(name, *address);
        }
        provide(STACK_SYMBOL, options.stack_address);
        for name in EMPTY_TABLES {
            provide(name, end);
        }
        if let Some(main) = &options.main
            && let Some(address) = self.globals.get(&**main).copied()
        {
            self.globals.entry(ALIASES[0].0).or_insert(address);
        }
        for (alias, name) in ALIASES {
            if let Some(address) = self.globals.get(name).copied() {
                self.globals.entry(alias).or_insert(address);
            }
        }
    }
}

/// Gives symbols their addresses and patches the sections; returns the program, and the findings.
pub(super) fn relocate(
    objects: &[CoreObject],
    placed: PlacedSections,
    definitions: &FxHashMap<String, Definition>,
    options: &LinkOptions,
) -> (CoreProgram, Vec<Diag>) {
    let PlacedSections {
        mut sections,
        places,
    } = placed;
    let addresses = Addresses::new(objects, &sections, places, definitions, options);
    let isa = CoreIsa::of(objects[0].arch);
    let mut findings = Vec::new();
    let mut missing: Vec<(&str, &str)> = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        for (number, section) in object.sections.iter().enumerate() {
            if section.relocations.is_empty() {
                continue;
            }
            let (joined, start) = addresses.places[index][number];
            let target = &mut sections[joined];
            for relocation in &section.relocations {
                let symbol = &object.symbols[relocation.symbol].name;
                let at = u64::from(start) + u64::from(relocation.offset);
                let value = match addresses.of_target(index, relocation.symbol) {
                    Some(address) => i64::from(address).wrapping_add(relocation.addend),
                    None if target.kind == SectionKind::Unloaded => {
                        mark_left_out(&mut target.bytes, at as usize, &section.name);
                        continue;
                    }
                    None => {
                        missing.push((symbol, &object.name));
                        continue;
                    }
                };
                let place = i64::from(target.address) + at as i64;
                let row = isa.relocation(relocation.number);
                let patched = match row {
                    Some(row) => patch(row, &mut target.bytes, at as usize, value, place),
                    None if target.kind == SectionKind::Unloaded => Ok(()),
                    None => Err(NotPatched::unknown(relocation.number, isa.arch)),
                };
                if let Err(NotPatched { problem, help }) = patched {
                    let message = format!(
                        "{}: {} at {:#x}: `{symbol}`: {problem}",
                        object.name, section.name, relocation.offset
                    );
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
            .label(options.span_of(symbol), "the design names it here")
            .help("link the object that defines it, or name it in the design (`link_with`)")
    }));
    let (files, lines) = program_lines(&addresses);
    let program = CoreProgram {
        arch: isa.arch,
        entry: addresses.globals.get(ENTRY_SYMBOL).copied().unwrap_or(0),
        symbols: program_symbols(&addresses, options),
        sections,
        files,
        lines,
    };
    (program, findings)
}

/// Marks a word of debug information: what it names was left out.
fn mark_left_out(bytes: &mut [u8], at: usize, section: &str) {
    let is_list = RANGE_LISTS.contains(&section);
    let word = if is_list {
        LEFT_OUT_OF_RANGES
    } else {
        LEFT_OUT
    };
    if let Some(target) = bytes.get_mut(at..at.saturating_add(4)) {
        target.copy_from_slice(&word.to_le_bytes());
    }
}

/// Why a relocation can't be done, and the way out.
struct NotPatched {
    problem: String,
    help: String,
}

impl NotPatched {
    fn unknown(number: u32, arch: CoreArch) -> NotPatched {
        NotPatched {
            problem: format!("type {number} isn't a relocation of {arch}"),
            help: format!("compile the file for {arch}, with a compiler that `aiec` knows"),
        }
    }
}

/// Source files and lines of the program.
fn program_lines(addresses: &Addresses<'_>) -> (Vec<String>, Vec<ProgramLine>) {
    let mut files: IndexSet<String> = IndexSet::new();
    let mut lines = Vec::new();
    for (index, object) in addresses.objects.iter().enumerate() {
        let mut last = None;
        for line in &object.lines {
            let (joined, start) = addresses.places[index][line.section];
            let base = addresses.sections[joined].wrapping_add(start);
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

/// Patches `bytes` at `at` with `value`; `place` is the address of the patched bytes.
fn patch(
    relocation: &Relocation,
    bytes: &mut [u8],
    at: usize,
    value: i64,
    place: i64,
) -> Result<(), NotPatched> {
    let value = if relocation.pc_relative {
        value.wrapping_sub(place)
    } else {
        value
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
        let help = match relocation.field {
            RelocationField::Data20 | RelocationField::Data32 => {
                "give the data an address, not a number that is added to one"
            }
            _ if relocation.pc_relative => "bring the code nearer to where it is used",
            _ => "load the address with `movxm`, which takes 32 bits",
        };
        return Err(NotPatched {
            problem: format!("{value} does not fit its field, {least} to {greatest}"),
            help: help.to_owned(),
        });
    }
    let end = at.saturating_add(usize::from(relocation.bytes));
    let Some(target) = bytes.get_mut(at..end) else {
        return Err(NotPatched {
            problem: "the bytes to patch are outside of the section".to_owned(),
            help: "the file is damaged: compile it again".to_owned(),
        });
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

/// Symbols of the program: named ones of objects, except those that another file's definition
/// replaces, and those that were given.
fn program_symbols(addresses: &Addresses<'_>, options: &LinkOptions) -> Vec<ProgramSymbol> {
    let mut symbols = Vec::new();
    for (index, object) in addresses.objects.iter().enumerate() {
        for symbol in &object.symbols {
            let Some(address) = addresses.of_symbol(index, symbol) else {
                continue;
            };
            let is_replaced = symbol.binding != Binding::Local
                && addresses.globals.get(&*symbol.name) != Some(&address);
            if symbol.name.is_empty() || is_replaced {
                continue;
            }
            symbols.push(ProgramSymbol {
                name: symbol.name.clone(),
                address,
                size: symbol.size,
                binding: symbol.binding,
                is_function: symbol.is_function,
                section: match symbol.place {
                    SymbolPlace::Section { section, .. } => {
                        Some(addresses.places[index][section].0)
                    }
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
