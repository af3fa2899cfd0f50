//! A linked program: the contents of an executable.

use crate::arch::CoreArch;
use crate::object::{Binding, CoreObject, Section, SectionKind, SymbolPlace};

/// A section of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSection {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub kind: SectionKind,
    /// Its first byte: in program memory for code, in data memory for data.
    pub address: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its length in bytes.
    pub size: u32,
    /// Its contents; empty for zeros.
    pub bytes: Vec<u8>,
}

impl ProgramSection {
    /// A section with nothing in it.
    pub(crate) fn new(name: &str, kind: SectionKind, address: u32, align: u32) -> ProgramSection {
        ProgramSection {
            name: name.to_owned(),
            kind,
            address,
            align,
            size: 0,
            bytes: Vec::new(),
        }
    }

    /// A section of an object at an address.
    pub(crate) fn of(section: &Section, address: u32, align: u32) -> ProgramSection {
        ProgramSection {
            size: section.size,
            bytes: section.bytes.clone(),
            ..ProgramSection::new(&section.name, section.kind, address, align)
        }
    }
}

/// A symbol of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSymbol {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Length in bytes of the named data or code; 0 if unknown.
    pub size: u32,
    /// Its scope.
    pub binding: Binding,
    /// Whether it names a function.
    pub is_function: bool,
    /// Index of its section; `None` for numbers.
    pub section: Option<usize>,
}

/// A program that a core can run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreProgram {
    /// The architecture.
    pub arch: CoreArch,
    /// Address of the first bundle.
    pub entry: u32,
    /// Its sections.
    pub sections: Vec<ProgramSection>,
    /// Its symbols.
    pub symbols: Vec<ProgramSymbol>,
    /// Names of its source files.
    pub files: Vec<String>,
    /// Its source lines, by address.
    pub lines: Vec<ProgramLine>,
}

/// The source line of the code from an address on, up to the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramLine {
    /// The address.
    pub address: u32,
    /// Index into [`CoreProgram::files`].
    pub file: usize,
    /// The line, from 1; 0: the code has no line from here on.
    pub line: u32,
}

impl CoreProgram {
    /// The bundles from address 0 on: contents of program memory.
    pub fn code(&self) -> Vec<u8> {
        let mut code = Vec::new();
        let sections = self.sections.iter();
        for section in sections.filter(|section| section.kind == SectionKind::Code) {
            let start = section.address as usize;
            let end = start + section.bytes.len();
            if code.len() < end {
                code.resize(end, 0);
            }
            code[start..end].copy_from_slice(&section.bytes);
        }
        code
    }

    /// The address of a symbol.
    pub fn address_of(&self, name: &str) -> Option<u32> {
        let mut symbols = self.symbols.iter();
        symbols
            .find(|symbol| symbol.name == name)
            .map(|symbol| symbol.address)
    }
}

impl CoreProgram {
    /// An object before it is linked, for listings: every section begins at 0.
    pub fn of_object(object: &CoreObject) -> CoreProgram {
        let sections = object.sections.iter();
        let sections = sections.map(|section| ProgramSection::of(section, 0, section.align));
        let symbols = object
            .symbols
            .iter()
            .filter_map(|symbol| match symbol.place {
                SymbolPlace::Section { section, offset } => Some(ProgramSymbol {
                    name: symbol.name.clone(),
                    address: offset,
                    size: symbol.size,
                    binding: symbol.binding,
                    is_function: symbol.is_function,
                    section: Some(section),
                }),
                _ => None,
            });
        CoreProgram {
            arch: object.arch,
            entry: 0,
            sections: sections.collect(),
            symbols: symbols.filter(|symbol| !symbol.name.is_empty()).collect(),
            files: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Code from address 0 on, without symbols: contents of a program memory.
    pub fn of_code(arch: CoreArch, code: &[u8]) -> CoreProgram {
        CoreProgram {
            arch,
            entry: 0,
            sections: vec![ProgramSection {
                size: code.len() as u32,
                bytes: code.to_vec(),
                ..ProgramSection::new(".text", SectionKind::Code, 0, 1)
            }],
            symbols: Vec::new(),
            files: Vec::new(),
            lines: Vec::new(),
        }
    }
}
