//! Relocatable machine code: sections, symbols and relocations of one assembled or compiled file.

use crate::arch::CoreArch;

/// Contents of a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SectionKind {
    /// Bundles: goes to program memory.
    Code,
    /// Data that the program may write.
    Data,
    /// Constants.
    Constants,
    /// Data that begin as zeros.
    Zeros,
    /// Not loaded: debug information and the like.
    Unloaded,
}

impl SectionKind {
    /// Contents of a section of this name, as the compiler names sections.
    pub fn of_name(name: &str) -> SectionKind {
        let begins = |stem: &str| {
            let rest = name.strip_prefix(stem);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if begins(".text") {
            SectionKind::Code
        } else if begins(".rodata") {
            SectionKind::Constants
        } else if begins(".bss") {
            SectionKind::Zeros
        } else if begins(".debug")
            || begins(".comment")
            || begins(".note")
            || name.starts_with(".debug_")
        {
            SectionKind::Unloaded
        } else {
            SectionKind::Data
        }
    }

    /// Whether it lies in data memory.
    pub fn is_in_data_memory(self) -> bool {
        matches!(
            self,
            SectionKind::Data | SectionKind::Constants | SectionKind::Zeros
        )
    }
}

/// A value that the linker puts into a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectRelocation {
    /// First byte of the bundle or word that it patches, from the section's start.
    pub offset: u32,
    /// Its number in [`crate::CoreIsa::relocations`], or a number of debug sections.
    pub number: u32,
    /// Index into [`CoreObject::symbols`].
    pub symbol: usize,
    /// Added to the symbol's address.
    pub addend: i64,
}

/// A section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub kind: SectionKind,
    /// Its address is a multiple of this, in bytes: a power of two.
    pub align: u32,
    /// Its contents; empty for zeros.
    pub bytes: Vec<u8>,
    /// Its length in bytes.
    pub size: u32,
    /// Relocations that the linker applies.
    pub relocations: Vec<ObjectRelocation>,
    /// Its address, if it can't have another.
    pub address: Option<u32>,
}

impl Section {
    /// An empty section.
    pub fn new(name: &str, kind: SectionKind) -> Section {
        let align = if kind == SectionKind::Code {
            CODE_ALIGN
        } else {
            1
        };
        Section {
            name: name.to_owned(),
            kind,
            align,
            bytes: Vec::new(),
            size: 0,
            relocations: Vec::new(),
            address: None,
        }
    }
}

/// Alignment of code sections in bytes: functions begin where a fetch does (`llvm-aie`).
pub const CODE_ALIGN: u32 = 16;

/// Where a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolPlace {
    /// In another file.
    Undefined,
    /// This number.
    Absolute(u32),
    /// In a section of this file.
    Section {
        /// Index into [`CoreObject::sections`].
        section: usize,
        /// Bytes from its start.
        offset: u32,
    },
}

/// Scope of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// In its own file.
    Local,
    /// Everywhere.
    Global,
    /// Everywhere, unless another file defines it too.
    Weak,
    /// Everywhere, as zeros in a section of its own: all files' symbols of that name are one, as large
    /// as the largest. Another file's global definition replaces them.
    Common,
}

/// A symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name; empty for a section's own symbol.
    pub name: String,
    /// Where it is.
    pub place: SymbolPlace,
    /// Length in bytes of the named data or code; 0 if unknown.
    pub size: u32,
    /// Its scope.
    pub binding: Binding,
    /// Whether it names a function.
    pub is_function: bool,
}

/// The machine code of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreObject {
    /// Its name in messages.
    pub name: String,
    /// The architecture.
    pub arch: CoreArch,
    /// Its sections.
    pub sections: Vec<Section>,
    /// Its symbols.
    pub symbols: Vec<Symbol>,
    /// Names of its source files.
    pub files: Vec<String>,
    /// Its source lines, by section and offset.
    pub lines: Vec<ObjectLine>,
}

/// The source line of the code from a place on, up to the next one of its section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectLine {
    /// Index into [`CoreObject::sections`].
    pub section: usize,
    /// Bytes from its start.
    pub offset: u32,
    /// Index into [`CoreObject::files`].
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
}
