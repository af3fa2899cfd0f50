//! Directives: sections, symbols, data.

use super::lexer::{Token, Word};
use super::{Assembler, codes, value};
use crate::isa::RelocationField;
use crate::object::{Binding, Section, SectionKind, SymbolPlace};

/// Most bytes that one `.space` adds, more than any memory of a core has.
const MAX_SPACE: i64 = 1 << 20;
/// Greatest alignment in bytes.
const MAX_ALIGN: i64 = 1 << 16;

/// Directives without a meaning for a core's program: the compiler writes them for debuggers and
/// linkers of other machines.
const IGNORED: &[&str] = &[
    ".ident",
    ".addrsig",
    ".addrsig_sym",
    ".cfi_startproc",
    ".cfi_endproc",
    ".cfi_def_cfa_offset",
    ".cfi_offset",
    ".cfi_sections",
];

/// Names of all directives, for suggestions.
const KNOWN: &[&str] = &[
    ".text", ".data", ".bss", ".rodata", ".section", ".globl", ".global", ".weak", ".local",
    ".p2align", ".align", ".balign", ".byte", ".short", ".half", ".word", ".long", ".int", ".quad",
    ".ascii", ".asciz", ".string", ".space", ".zero", ".skip", ".equ", ".set", ".type", ".size",
    ".comm", ".org", ".file", ".loc",
];

/// The token that an argument consists of.
fn only_token<'a, 'w>(argument: Option<&&'a [Word<'w>]>) -> Option<&'a Token<'w>> {
    match argument {
        Some([word]) => Some(&word.token),
        _ => None,
    }
}

impl Assembler<'_> {
    /// Reads a directive; `words` begin with its name.
    pub(super) fn directive(&mut self, name: &str, words: &[Word<'_>]) {
        let arguments: Vec<&[Word<'_>]> = words[1..]
            .split(|word| word.token == Token::Mark(','))
            .collect();
        match name {
            ".text" | ".data" | ".bss" | ".rodata" => self.enter_section(name, None),
            ".section" => self.section(&arguments, words),
            ".globl" | ".global" => self.bind(&arguments, Binding::Global, words),
            ".weak" => self.bind(&arguments, Binding::Weak, words),
            ".local" => self.bind(&arguments, Binding::Local, words),
            ".p2align" | ".align" | ".balign" => self.align(name, &arguments, words),
            ".byte" => self.data(1, &arguments),
            ".short" | ".half" => self.data(2, &arguments),
            ".word" | ".long" | ".int" => self.data(4, &arguments),
            ".quad" => self.data(8, &arguments),
            ".ascii" | ".asciz" | ".string" => self.text(name, &arguments, words),
            ".space" | ".zero" | ".skip" => self.space(&arguments, words),
            ".equ" | ".set" => match (arguments.first(), arguments.get(1)) {
                (Some([name]), Some(value)) => self.constant(name, value),
                _ => self.malformed(words, "write `.equ NAME, 12`"),
            },
            ".type" => match only_token(arguments.first()) {
                Some(Token::Name(name)) => {
                    let is_function = words.iter().any(|word| match word.token {
                        Token::Name(kind) => kind.trim_start_matches('@') == "function",
                        _ => false,
                    });
                    self.symbol(name).is_function |= is_function;
                }
                _ => self.malformed(words, "write `.type NAME, @function`"),
            },
            ".size" => self.size(&arguments),
            ".comm" => self.common(&arguments, words),
            ".org" => self.origin(&arguments, words),
            ".file" => self.file(&words[1..]),
            ".loc" => self.locate(&words[1..]),
            _ if IGNORED.contains(&name) => {}
            _ => {
                let help = match aiec_diag::did_you_mean(name, KNOWN.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "sections, symbols, alignment and data have directives".to_owned(),
                };
                let word = &words[0];
                let message = format!("`{name}` isn't a directive");
                self.refuse(&codes::DIRECTIVE, word.start, word.end, message, help);
            }
        }
    }

    fn malformed(&mut self, words: &[Word<'_>], help: &str) {
        let start = words.first().map_or(0, |word| word.start);
        let end = words.last().map_or(start, |word| word.end);
        let message = "the directive does not have these arguments";
        self.refuse(&codes::DIRECTIVE, start, end, message, help);
    }

    fn enter_section(&mut self, name: &str, kind: Option<SectionKind>) {
        let known = self
            .sections
            .iter()
            .position(|section| section.name == name);
        self.current = known.unwrap_or_else(|| {
            let kind = kind.unwrap_or_else(|| SectionKind::of_name(name));
            self.sections.push(Section::new(name, kind));
            self.sections.len() - 1
        });
    }

    /// `.section NAME[, "flags"[, @type]]`
    fn section(&mut self, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        let Some([Word { token, .. }]) = arguments.first() else {
            return self.malformed(words, "write `.section .rodata`");
        };
        let name = match token {
            Token::Name(name) => (*name).to_owned(),
            Token::Text(name) => String::from_utf8_lossy(name).into_owned(),
            _ => return self.malformed(words, "write `.section .rodata`"),
        };
        let flags = match only_token(arguments.get(1)) {
            Some(Token::Text(flags)) => Some(flags.clone()),
            _ => None,
        };
        let kind = flags.map(|flags| {
            let has = |flag: u8| flags.contains(&flag);
            match SectionKind::of_name(&name) {
                SectionKind::Zeros => SectionKind::Zeros,
                _ if !has(b'a') => SectionKind::Unloaded,
                _ if has(b'x') => SectionKind::Code,
                _ if has(b'w') => SectionKind::Data,
                _ => SectionKind::Constants,
            }
        });
        self.enter_section(&name, kind);
    }

    fn bind(&mut self, arguments: &[&[Word<'_>]], binding: Binding, words: &[Word<'_>]) {
        for argument in arguments {
            match only_token(Some(argument)) {
                Some(Token::Name(name)) => self.symbol(name).binding = binding,
                _ => return self.malformed(words, "write the names of symbols"),
            }
        }
    }

    fn align(&mut self, name: &str, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        let Some(argument) = arguments.first() else {
            return self.malformed(words, "write `.p2align 4` for 16 bytes");
        };
        let Some(number) = self.number(argument) else {
            return;
        };
        let align = match name {
            ".balign" => number,
            _ => 1i64
                .checked_shl(u32::try_from(number).unwrap_or(u32::MAX))
                .unwrap_or(0),
        };
        if !(1..=MAX_ALIGN).contains(&align) || align.count_ones() != 1 {
            return self.malformed(words, "alignments are powers of two up to 64 KiB");
        }
        let align = align as u32;
        let isa = self.isa;
        let section = &mut self.sections[self.current];
        section.align = section.align.max(align);
        let missing = section.size.next_multiple_of(align) - section.size;
        match section.kind {
            SectionKind::Zeros => section.size += missing,
            SectionKind::Code => {
                let padding = isa.padding(missing as usize);
                self.append(&padding);
            }
            _ => self.append(&vec![0; missing as usize]),
        }
    }

    /// Whether data may go to the current section; reports if not.
    fn takes_data(&mut self, start: usize, end: usize) -> bool {
        let section = &self.sections[self.current];
        let takes = section.kind != SectionKind::Zeros;
        if !takes {
            let message = format!("section `{}` holds only zeros", section.name);
            self.refuse(
                &codes::PLACE,
                start,
                end,
                message,
                "use `.space`, or `.data` before it",
            );
        }
        takes
    }

    /// Numbers, or addresses of symbols, of `bytes` bytes each.
    fn data(&mut self, bytes: usize, arguments: &[&[Word<'_>]]) {
        for argument in arguments {
            let start = argument.first().map_or(0, |word| word.start);
            let end = argument.last().map_or(start, |word| word.end);
            if !self.takes_data(start, end) {
                return;
            }
            let mut at = 0;
            let constants = &self.constants;
            let found = value::read(argument, &mut at, &|name| constants.get(name).copied());
            let Some(value) = found.filter(|_| at == argument.len()) else {
                let help = "write numbers or names of symbols with `,` between them";
                self.refuse(&codes::DIRECTIVE, start, end, "this isn't a number", help);
                continue;
            };
            if let Some(symbol) = value.symbol {
                self.address(bytes, symbol, value.number, start, end);
                continue;
            }
            let bits = 8 * bytes as u32;
            let fits = bits >= i64::BITS
                || (value.number >= -(1 << (bits - 1)) && value.number < 1 << bits);
            if !fits {
                let message = format!("{} does not fit {bytes} bytes", value.number);
                let help = "`.byte`, `.short`, `.word` and `.quad` take 1, 2, 4 and 8 bytes";
                self.refuse(&codes::OUT_OF_RANGE, start, end, message, help);
                continue;
            }
            self.append(&value.number.to_le_bytes()[..bytes]);
        }
    }

    /// The address of a symbol as data.
    fn address(&mut self, bytes: usize, symbol: &str, addend: i64, start: usize, end: usize) {
        let mut relocations = self.isa.relocations.iter();
        let number = relocations
            .clone()
            .find(|relocation| relocation.field == RelocationField::Data32)
            .or_else(|| relocations.find(|relocation| relocation.field == RelocationField::Data20))
            .map(|relocation| relocation.number);
        match number {
            Some(number) if bytes == 4 => {
                let offset = self.sections[self.current].size;
                self.relocate(offset, number, symbol, addend);
                self.append(&[0; 4]);
            }
            _ => {
                let message = "an address takes a word of 4 bytes";
                self.refuse(&codes::NO_RELOCATION, start, end, message, "use `.word`");
            }
        }
    }

    fn text(&mut self, name: &str, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        for argument in arguments {
            let [word] = argument else {
                return self.malformed(words, "write texts in quotes");
            };
            let Token::Text(text) = &word.token else {
                return self.malformed(words, "write texts in quotes");
            };
            if !self.takes_data(word.start, word.end) {
                return;
            }
            self.append(text);
            if name != ".ascii" {
                self.append(&[0]);
            }
        }
    }

    fn space(&mut self, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        let Some(bytes) = arguments.first().and_then(|argument| self.number(argument)) else {
            return;
        };
        let fill = match arguments.get(1) {
            Some(argument) => self.number(argument).unwrap_or(0),
            None => 0,
        };
        if !(0..=MAX_SPACE).contains(&bytes) {
            return self.malformed(words, "sizes are 0 to 1048576 bytes");
        }
        let section = &mut self.sections[self.current];
        if section.kind == SectionKind::Zeros {
            section.size += bytes as u32;
        } else {
            self.append(&vec![fill as u8; bytes as usize]);
        }
    }

    /// `.size NAME, 12` or `.size NAME, .-NAME`
    fn size(&mut self, arguments: &[&[Word<'_>]]) {
        let Some(Token::Name(name)) = only_token(arguments.first()) else {
            return;
        };
        let here = self.sections[self.current].size;
        let symbol = self.symbol(name);
        symbol.size = match (only_token(arguments.get(1)), symbol.place) {
            (Some(Token::Number(bytes)), _) => *bytes as u32,
            (_, SymbolPlace::Section { offset, .. }) => here.saturating_sub(offset),
            _ => 0,
        };
    }

    /// `.comm NAME, BYTES[, ALIGN]`: zeros in `.bss`.
    fn common(&mut self, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        let (Some([word]), Some(bytes)) = (arguments.first(), arguments.get(1)) else {
            return self.malformed(words, "write `.comm NAME, BYTES, ALIGN`");
        };
        let Token::Name(name) = word.token else {
            return self.malformed(words, "write `.comm NAME, BYTES, ALIGN`");
        };
        let before = self.current;
        self.enter_section(".bss", None);
        if let Some(align) = arguments.get(2) {
            self.align(".balign", &[align], words);
        }
        self.label(name, word);
        self.symbol(name).binding = Binding::Global;
        self.space(&[bytes], words);
        self.current = before;
    }

    /// `.org ADDRESS`: the section, empty so far, lies there.
    fn origin(&mut self, arguments: &[&[Word<'_>]], words: &[Word<'_>]) {
        let Some(address) = arguments.first().and_then(|argument| self.number(argument)) else {
            return;
        };
        let section = &mut self.sections[self.current];
        match u32::try_from(address) {
            Ok(address) if section.size == 0 => section.address = Some(address),
            _ => self.malformed(words, "`.org ADDRESS` comes first in its section"),
        }
    }

    /// Reads `.file NUMBER "FOLDER" "NAME"` or `.file NUMBER "NAME"`; without a number it has no
    /// effect.
    fn file(&mut self, words: &[Word<'_>]) {
        let [number, texts @ ..] = words else { return };
        let Token::Number(number) = number.token else {
            return;
        };
        let texts = texts.iter().filter_map(|word| match &word.token {
            Token::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        });
        let name = texts.take(2).collect::<Vec<_>>().join("/");
        self.file_numbers.insert(number, self.files.len());
        self.files.push(name);
    }

    /// `.loc FILE LINE …`
    fn locate(&mut self, words: &[Word<'_>]) {
        if let [file, line, ..] = words
            && let (Token::Number(file), Token::Number(line)) = (&file.token, &line.token)
            && let Some(file) = self.file_numbers.get(file)
        {
            self.located = Some((*file, u32::try_from(*line).unwrap_or(0)));
        }
    }
}
