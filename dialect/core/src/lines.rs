//! Source lines of a program: DWARF in, DWARF out, and the answer to "what is at this address?".

use std::borrow::Cow;

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, Sections,
};
use gimli::{Encoding, EndianSlice, Format, LineEncoding, LittleEndian};
use indexmap::IndexSet;

use crate::object::SectionKind;
use crate::program::{CoreProgram, ProgramLine, ProgramSection, ProgramSymbol};

/// Encoding of lines: DWARF 4, whose line table names its files without other sections.
const ENCODING: Encoding = Encoding {
    format: Format::Dwarf32,
    version: 4,
    address_size: 4,
};

/// Function and source line of an address of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeLocation {
    /// The function, or the label before it.
    pub function: Option<String>,
    /// Bytes from the function's begin.
    pub offset: u32,
    /// The source file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

impl CoreProgram {
    /// Function and source line of an address of program memory.
    pub fn locate(&self, address: u32) -> CodeLocation {
        let mut location = CodeLocation::default();
        let labels = self
            .code_labels()
            .filter(|symbol| symbol.address <= address);
        let is_within = |symbol: &&ProgramSymbol| address - symbol.address < symbol.size;
        // the function around it, else the nearest label
        let within = labels
            .clone()
            .filter(|symbol| symbol.is_function)
            .find(is_within);
        let nearest = within.or_else(|| labels.rev().max_by_key(|symbol| symbol.address));
        if let Some(symbol) = nearest {
            location.function = Some(symbol.name.clone());
            location.offset = address - symbol.address;
        }
        let after = self.lines.partition_point(|line| line.address <= address);
        let line = after.checked_sub(1).map(|at| self.lines[at]);
        if let Some(line) = line.filter(|line| line.line != 0) {
            location.file = self.files.get(line.file).cloned();
            location.line = Some(line.line);
        }
        location
    }

    /// The labels of its code, but those that compilers make for themselves.
    fn code_labels(&self) -> impl DoubleEndedIterator<Item = &ProgramSymbol> + Clone {
        self.symbols.iter().filter(|symbol| {
            let section = symbol.section.and_then(|index| self.sections.get(index));
            section.is_some_and(|section| section.kind == SectionKind::Code)
                && !is_temporary(&symbol.name)
        })
    }

    /// Its functions; labels of its code if it names no function.
    pub fn functions(&self) -> impl Iterator<Item = &ProgramSymbol> {
        let code = self.code_labels();
        let has_functions = code.clone().any(|symbol| symbol.is_function);
        code.filter(move |symbol| symbol.is_function == has_functions)
    }
}

/// Whether a label is one that compilers make for themselves.
fn is_temporary(name: &str) -> bool {
    name.starts_with(".L") || name.starts_with('$')
}

/// Reads the lines of a program's debug sections; what can't be read has no lines.
pub(crate) fn read(program: &mut CoreProgram) {
    let mut files: IndexSet<String> = program.files.drain(..).collect();
    let mut lines = Vec::new();
    // A malformed table ends the lines, as a debugger would do.
    let _ = read_rows(&program.sections, &mut files, &mut lines);
    lines.sort_by_key(|line: &ProgramLine| (line.address, line.line == 0));
    // an end of a sequence has no meaning where another begins
    lines.dedup_by(|later, earlier| {
        let is_end_after = later.address == earlier.address && later.line == 0;
        if later.address == earlier.address && earlier.line == 0 {
            *earlier = *later;
        }
        is_end_after || later == earlier
    });
    program.lines = lines;
    program.files = files.into_iter().collect();
}

fn read_rows(
    sections: &[ProgramSection],
    files: &mut IndexSet<String>,
    lines: &mut Vec<ProgramLine>,
) -> Result<(), gimli::Error> {
    let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let found = sections.iter().find(|section| section.name == id.name());
        let bytes = found.map_or(&[][..], |section| &section.bytes[..]);
        Ok(EndianSlice::new(bytes, LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load)?;
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let Some(program) = unit.line_program.clone() else {
            continue;
        };
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            let name = match row.file(header) {
                Some(file) => {
                    let name = dwarf
                        .attr_string(&unit, file.path_name())?
                        .to_string_lossy();
                    let folder = match file.directory(header) {
                        Some(folder) => dwarf.attr_string(&unit, folder)?.to_string_lossy(),
                        None => Cow::Borrowed(""),
                    };
                    joined(&folder, &name)
                }
                None => String::new(),
            };
            let file = files.insert_full(name).0;
            let line = match row.line() {
                Some(line) if !row.end_sequence() => line.get() as u32,
                _ => 0,
            };
            lines.push(ProgramLine {
                address: row.address() as u32,
                file: if line == 0 { 0 } else { file },
                line,
            });
        }
    }
    Ok(())
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() || folder == "." || name.starts_with('/') {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// The debug sections of a program's lines: name and contents.
pub(crate) fn write(program: &CoreProgram) -> Vec<(&'static str, Vec<u8>)> {
    let mut sections = Vec::new();
    if program.lines.is_empty() {
        return sections;
    }
    let mut unit = DwarfUnit::new(ENCODING);
    let name = |text: &str| LineString::String(text.as_bytes().to_vec());
    let first = program.files.first().map_or("", String::as_str);
    let mut table = LineProgram::new(
        ENCODING,
        LineEncoding::default(),
        name("."),
        None,
        name(if first.is_empty() { "-" } else { first }),
        None,
    );
    let folder = table.default_directory();
    let files: Vec<_> = program
        .files
        .iter()
        .map(|file| {
            let file = if file.is_empty() { "-" } else { file };
            table.add_file(name(file), folder, None)
        })
        .collect();
    let mut start = None;
    for line in &program.lines {
        match (line.line, start) {
            (0, Some(begin)) => {
                table.end_sequence(u64::from(line.address - begin));
                start = None;
            }
            (0, None) => {}
            (number, _) => {
                let begin = *start.get_or_insert_with(|| {
                    table.begin_sequence(Some(Address::Constant(line.address.into())));
                    line.address
                });
                let row = table.row();
                row.address_offset = u64::from(line.address - begin);
                row.file = files[line.file];
                row.line = number.into();
                table.generate_row();
            }
        }
    }
    if let (Some(begin), Some(last)) = (start, program.lines.last()) {
        table.end_sequence(u64::from(last.address - begin) + 1);
    }
    unit.unit.line_program = table;
    let root = unit.unit.root();
    let entry = unit.unit.get_mut(root);
    entry.set(
        gimli::DW_AT_name,
        AttributeValue::String(first.as_bytes().to_vec()),
    );
    entry.set(gimli::DW_AT_comp_dir, AttributeValue::String(b".".to_vec()));
    entry.set(gimli::DW_AT_stmt_list, AttributeValue::LineProgramRef);
    let mut written = Sections::new(EndianVec::new(LittleEndian));
    // It fails only for references that are out of range, of which there are none.
    if unit.write(&mut written).is_ok() {
        let _: gimli::write::Result<()> = written.for_each(|id, data| {
            if !data.slice().is_empty() {
                sections.push((id.name(), data.slice().to_vec()));
            }
            Ok(())
        });
    }
    sections
}
