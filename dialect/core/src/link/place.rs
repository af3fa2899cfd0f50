//! Addresses of sections.

use aiec_diag::Diag;

use super::{DATA_MEMORY_BYTES, ENTRY_SYMBOL, LinkOptions, OWN_DATA_MEMORY, codes};
use crate::isa::CoreIsa;
use crate::object::{CoreObject, SectionKind, SymbolPlace};
use crate::program::ProgramSection;

/// Sections of the program, and where each object's section begins in one.
pub(super) struct PlacedSections {
    /// The program's sections, without contents that relocations change.
    pub sections: Vec<ProgramSection>,
    /// For each object and each of its sections: the program's section and the offset in it.
    pub places: Vec<Vec<(usize, u32)>>,
}

/// Kinds that are loaded, in the order of their addresses.
const LOADED: [(SectionKind, &str); 4] = [
    (SectionKind::Code, ".text"),
    (SectionKind::Constants, ".rodata"),
    (SectionKind::Data, ".data"),
    (SectionKind::Zeros, ".bss"),
];

/// Gives addresses to all sections; a section that does not fit is reported.
pub(super) fn place(objects: &[CoreObject], options: &LinkOptions) -> (PlacedSections, Vec<Diag>) {
    let mut placed = PlacedSections {
        sections: Vec::new(),
        places: objects
            .iter()
            .map(|object| vec![(0, 0); object.sections.len()])
            .collect(),
    };
    let mut next_data = options.data_address;
    let mut findings = Vec::new();
    for (kind, name) in LOADED {
        let (start, end) = match kind {
            SectionKind::Code => (0, options.program_end),
            _ => (next_data, options.data_end),
        };
        let section = joined(
            objects,
            kind,
            name,
            start,
            &mut placed.places,
            placed.sections.len(),
        );
        let Some(section) = section else { continue };
        let last = u64::from(section.address) + u64::from(section.size);
        if last > u64::from(end) {
            let message = format!(
                "{name} needs {} bytes from {:#x} on, memory ends at {end:#x}",
                section.size, section.address
            );
            let help = match kind {
                SectionKind::Code => "make the program smaller: optimise for size, drop functions",
                _ => "make the data or the stack smaller",
            };
            let diag = Diag::error(&codes::NO_ROOM, message).help(help);
            findings.push(with_largest(diag, objects, kind));
        }
        if kind != SectionKind::Code {
            next_data = u32::try_from(last).unwrap_or(u32::MAX);
        }
        placed.sections.push(section);
    }
    add_fixed(objects, options, &mut placed, &mut findings);
    add_unloaded(objects, &mut placed);
    (placed, findings)
}

/// The most files that a finding about missing room names.
const LARGEST_NAMED: usize = 3;

/// Adds which files need most of a kind of sections.
fn with_largest(mut diag: Diag, objects: &[CoreObject], kind: SectionKind) -> Diag {
    let needs = objects.iter().map(|object| {
        let sections = object.sections.iter();
        let of_kind = sections.filter(|section| section.kind == kind);
        let bytes: u64 = of_kind.map(|section| u64::from(section.size)).sum();
        (bytes, &object.name)
    });
    let mut needs: Vec<_> = needs.filter(|(bytes, _)| *bytes > 0).collect();
    needs.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    for (bytes, name) in needs.into_iter().take(LARGEST_NAMED) {
        diag = diag.remark(format!("{name} needs {bytes} bytes of it"));
    }
    diag
}

/// Whether an object has the start-up code.
fn has_entry(object: &CoreObject) -> bool {
    object
        .symbols
        .iter()
        .any(|symbol| symbol.name == ENTRY_SYMBOL && symbol.place != SymbolPlace::Undefined)
}

/// All sections of a kind as one; the start-up code comes first.
fn joined(
    objects: &[CoreObject],
    kind: SectionKind,
    name: &str,
    start: u32,
    places: &mut [Vec<(usize, u32)>],
    index: usize,
) -> Option<ProgramSection> {
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|object| !has_entry(&objects[*object]));
    let all = || {
        order.iter().flat_map(|object| {
            let sections = objects[*object].sections.iter().enumerate();
            sections.map(move |(section, contents)| (*object, section, contents))
        })
    };
    let of_kind = || {
        all().filter(|(_, _, section)| {
            section.kind == kind && section.size > 0 && section.address.is_none()
        })
    };
    let align = of_kind().map(|(_, _, section)| section.align).max()?;
    let address = start.next_multiple_of(align);
    let mut joined = ProgramSection::new(name, kind, address, align);
    for (object, section, contents) in of_kind() {
        let offset = joined.size.next_multiple_of(contents.align);
        places[object][section] = (index, offset);
        joined.size = offset.saturating_add(contents.size);
        if kind != SectionKind::Zeros {
            let gap = offset as usize - joined.bytes.len();
            match kind {
                SectionKind::Code => {
                    let isa = CoreIsa::of(objects[object].arch);
                    joined.bytes.extend(isa.padding(gap));
                }
                _ => joined.bytes.resize(offset as usize, 0),
            }
            joined.bytes.extend_from_slice(&contents.bytes);
            joined.bytes.resize(joined.size as usize, 0);
        }
    }
    Some(joined)
}

/// Adds sections whose address is given.
fn add_fixed(
    objects: &[CoreObject],
    options: &LinkOptions,
    placed: &mut PlacedSections,
    findings: &mut Vec<Diag>,
) {
    for (object, contents) in objects.iter().enumerate() {
        for (index, section) in contents.sections.iter().enumerate() {
            let Some(address) = section.address.filter(|_| section.size > 0) else {
                continue;
            };
            let end = match section.kind {
                SectionKind::Code => options.program_end,
                _ => OWN_DATA_MEMORY + DATA_MEMORY_BYTES,
            };
            let last = u64::from(address) + u64::from(section.size);
            let overlap = placed.sections.iter().find(|other| {
                (other.kind == SectionKind::Code) == (section.kind == SectionKind::Code)
                    && u64::from(other.address) < last
                    && address < other.address.saturating_add(other.size)
            });
            let problem = match overlap {
                Some(other) => Some(format!("{} lies there too", other.name)),
                None if last > u64::from(end) => Some(format!("memory ends at {end:#x}")),
                None => None,
            };
            if let Some(problem) = problem {
                let name = &section.name;
                let message = format!("{name} is to lie at {address:#x}, but {problem}");
                let help = "give `.org` another address";
                findings.push(Diag::error(&codes::NO_ROOM, message).help(help));
            }
            placed.places[object][index] = (placed.sections.len(), 0);
            let section = ProgramSection::of(section, address, 1);
            placed.sections.push(section);
        }
    }
}

/// Adds sections that are not loaded, those of one name together.
fn add_unloaded(objects: &[CoreObject], placed: &mut PlacedSections) {
    let first = placed.sections.len();
    for (object, contents) in objects.iter().enumerate() {
        for (index, section) in contents.sections.iter().enumerate() {
            if section.kind != SectionKind::Unloaded {
                continue;
            }
            let known = placed.sections[first..]
                .iter()
                .position(|s| s.name == section.name);
            let known = known.map_or(placed.sections.len(), |at| first + at);
            if known == placed.sections.len() {
                let joined = ProgramSection::new(&section.name, section.kind, 0, 1);
                placed.sections.push(joined);
            }
            let joined = &mut placed.sections[known];
            placed.places[object][index] = (known, joined.size);
            joined.bytes.extend_from_slice(&section.bytes);
            joined.size = joined.bytes.len() as u32;
        }
    }
}
