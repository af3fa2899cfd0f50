//! The assembler of machine code: the compiler's syntax to an object.
//!
//! A line is a label (`name:`), a directive, or a bundle: instructions with `;` between them, with
//! a label before it if need be. A bundle takes the shortest format that has a slot for each of its
//! instructions; slots left over do nothing. Symbols are `#name` or `#name+4`; the linker finds
//! their addresses by the architecture's relocations.

mod bundle;
mod codes;
mod directive;
mod instruction;
mod lexer;
#[cfg(test)]
mod tests;
mod value;

pub use codes::CODES;

use aiec_diag::{Code, Diag, FileId, Span};
use indexmap::IndexMap;

use crate::arch::CoreArch;
use crate::isa::CoreIsa;
use crate::object::{
    Binding, CoreObject, ObjectLine, ObjectRelocation, Section, SectionKind, Symbol, SymbolPlace,
};
use lexer::{Token, Word};

/// Assembles a text; `file` is its number in the source map that findings point into.
///
/// # Errors
/// All findings of the text.
pub fn assemble(
    arch: CoreArch,
    name: &str,
    file: FileId,
    text: &str,
) -> Result<CoreObject, Vec<Diag>> {
    let mut assembler = Assembler::new(arch, name, file);
    let text = lexer::without_comments(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        assembler.line_number += 1;
        match lexer::words(line, at) {
            Ok(words) => assembler.line(&words),
            Err(bad) => assembler.refuse(
                &codes::SYNTAX,
                bad.start,
                bad.end,
                bad.message,
                "numbers are 12, 0x1F or 0b101",
            ),
        }
        at += line.len();
    }
    assembler.finish(name)
}

/// A symbol that the text names.
#[derive(Debug)]
struct KnownSymbol {
    place: SymbolPlace,
    size: u32,
    binding: Binding,
    is_function: bool,
    /// Where it was defined.
    defined: Option<Span>,
}

/// State of an assembly: the sections and symbols read so far.
struct Assembler<'isa> {
    isa: &'isa CoreIsa,
    file: FileId,
    sections: Vec<Section>,
    /// Index of the section that lines go to.
    current: usize,
    symbols: IndexMap<String, KnownSymbol>,
    /// Names of numbers.
    constants: IndexMap<String, i64>,
    findings: Vec<Diag>,
    /// Names of source files: the text itself, then those of `.file`.
    files: Vec<String>,
    /// Index of each number of `.file` in `files`.
    file_numbers: IndexMap<i64, usize>,
    /// Source line that `.loc` gives to what follows: file and line.
    located: Option<(usize, u32)>,
    /// Line of the text.
    line_number: u32,
    lines: Vec<ObjectLine>,
}

impl Assembler<'_> {
    fn new(arch: CoreArch, name: &str, file: FileId) -> Assembler<'static> {
        Assembler {
            isa: CoreIsa::of(arch),
            file,
            sections: vec![Section::new(".text", SectionKind::Code)],
            current: 0,
            symbols: IndexMap::new(),
            constants: IndexMap::new(),
            findings: Vec::new(),
            files: vec![name.to_owned()],
            file_numbers: IndexMap::new(),
            located: None,
            line_number: 0,
            lines: Vec::new(),
        }
    }

    fn refuse(
        &mut self,
        code: &'static Code,
        start: usize,
        end: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let span = Span::new(self.file, start, end);
        let diag = Diag::error(code, message).label(span, "").help(help);
        self.findings.push(diag);
    }

    /// Reads a line.
    fn line(&mut self, mut words: &[Word<'_>]) {
        while let [name, colon, rest @ ..] = words
            && let (Token::Name(label), Token::Mark(':')) = (&name.token, &colon.token)
        {
            self.label(label, name);
            words = rest;
        }
        match words {
            [] => {}
            [name, equals, ..] if equals.token == Token::Mark('=') => {
                self.constant(name, &words[2..])
            }
            [first, ..] => match first.token {
                Token::Name(name) if name.starts_with('.') => self.directive(name, words),
                _ => self.bundle(words),
            },
        }
    }

    fn label(&mut self, name: &str, word: &Word<'_>) {
        let span = Span::new(self.file, word.start, word.end);
        let section = self.current;
        let offset = self.sections[section].size;
        let symbol = self.symbol(name);
        if let Some(earlier) = symbol.defined {
            let diag = Diag::error(&codes::SYMBOL, format!("`{name}` is defined twice"));
            let diag = diag.label(span, "again").label(earlier, "first here");
            self.findings
                .push(diag.help("give one of them another name"));
            return;
        }
        symbol.defined = Some(span);
        symbol.place = SymbolPlace::Section { section, offset };
    }

    /// The symbol of this name; a new one is undefined.
    fn symbol(&mut self, name: &str) -> &mut KnownSymbol {
        self.symbols.entry(name.to_owned()).or_insert(KnownSymbol {
            place: SymbolPlace::Undefined,
            size: 0,
            binding: Binding::Local,
            is_function: false,
            defined: None,
        })
    }

    /// The index of the symbol of this name.
    fn symbol_index(&mut self, name: &str) -> usize {
        self.symbol(name);
        self.symbols.get_index_of(name).unwrap_or_default()
    }

    /// `NAME = VALUE`
    fn constant(&mut self, name: &Word<'_>, words: &[Word<'_>]) {
        let Token::Name(text) = name.token else {
            self.refuse(
                &codes::SYNTAX,
                name.start,
                name.end,
                "a name is missing before `=`",
                "write `NAME = 12`",
            );
            return;
        };
        if let Some(number) = self.number(words) {
            self.constants.insert(text.to_owned(), number);
        }
    }

    /// A number that the words are, all of them.
    fn number(&mut self, words: &[Word<'_>]) -> Option<i64> {
        let mut at = 0;
        let constants = &self.constants;
        let value = value::read(words, &mut at, &|name| constants.get(name).copied());
        match value {
            Some(value) if at == words.len() && value.symbol.is_none() => Some(value.number),
            _ => {
                let start = words.first().map_or(0, |word| word.start);
                let end = words.last().map_or(start, |word| word.end);
                self.refuse(
                    &codes::SYMBOL,
                    start,
                    end,
                    "this must be a number that is known here",
                    "numbers may be added and subtracted; `.equ NAME, 12` names one",
                );
                None
            }
        }
    }

    /// Adds bytes to the current section.
    fn append(&mut self, bytes: &[u8]) {
        let section = &mut self.sections[self.current];
        section.bytes.extend_from_slice(bytes);
        section.size = section.bytes.len() as u32;
    }

    /// Notes the source line of the bundle that comes next.
    fn add_line(&mut self) {
        let (file, line) = self.located.unwrap_or((0, self.line_number));
        self.lines.push(ObjectLine {
            section: self.current,
            offset: self.sections[self.current].size,
            file,
            line,
        });
    }

    /// Adds a relocation at `offset` of the current section.
    fn relocate(&mut self, offset: u32, number: u32, symbol: &str, addend: i64) {
        let symbol = self.symbol_index(symbol);
        let relocations = &mut self.sections[self.current].relocations;
        relocations.push(ObjectRelocation {
            offset,
            number,
            symbol,
            addend,
        });
    }

    fn finish(self, name: &str) -> Result<CoreObject, Vec<Diag>> {
        if !self.findings.is_empty() {
            return Err(self.findings);
        }
        let symbols = self.symbols.into_iter().map(|(name, symbol)| Symbol {
            binding: match symbol.place {
                SymbolPlace::Undefined if symbol.binding == Binding::Local => Binding::Global,
                _ => symbol.binding,
            },
            name,
            place: symbol.place,
            size: symbol.size,
            is_function: symbol.is_function,
        });
        Ok(CoreObject {
            name: name.to_owned(),
            arch: self.isa.arch,
            symbols: symbols.collect(),
            sections: self.sections,
            files: self.files,
            lines: self.lines,
        })
    }
}
