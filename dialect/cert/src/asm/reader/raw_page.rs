//! `.raw_page` … `.end_raw_page`: a page that is given by its bytes.
//!
//! The disassembler writes pages so that no jobs and data give: those with unknown instructions,
//! of older or newer assemblers, or damaged ones.

use std::borrow::Cow;

use aiec_diag::Span;

use super::super::codes;
use super::super::lexer::{self, LineAt, Operands};
use super::Reader;
use crate::page::{HEADER_BYTES, PAGE_BYTES};
use crate::patch::PatchKind;
use crate::program::{RawPage, RawPatch};

const BEGIN: &str = ".raw_page";
const END: &str = ".end_raw_page";

/// A page whose words come in.
pub(super) struct OpenRawPage {
    page: RawPage,
    begin: Span,
}

impl Reader<'_> {
    /// The directive that begins a page, or one that ends none.
    pub(super) fn raw_page(&mut self, line: &LineAt<'_>, name: &'static str, rest: &str) {
        if name == END {
            return self.malformed(line, "", END, "a .raw_page before it");
        }
        let range = HEADER_BYTES..=PAGE_BYTES;
        let text_bytes = number(rest).filter(|n| range.contains(&(*n as usize)));
        let Some(text_bytes) = text_bytes else {
            let wanted = "the number of bytes in its text section, 16 to 8192";
            return self.malformed(line, rest, BEGIN, wanted);
        };
        let begin = line.span(lexer::trim(line.raw));
        if let Some(job) = self.open_job() {
            return self.error(begin, codes::inside_job(BEGIN, job));
        }
        let page = RawPage {
            text_bytes: text_bytes as usize,
            ..RawPage::default()
        };
        self.raw = Some(OpenRawPage { page, begin });
    }

    /// A line between the two directives.
    pub(super) fn raw_line(&mut self, line: &LineAt<'_>) {
        let whole = lexer::trim(line.raw);
        let code = lexer::trim(whole.split([';', '#']).next().unwrap_or_default());
        let (word, rest) = code.split_once([' ', '\t']).unwrap_or((code, ""));
        let operands = Operands::split(rest, false);
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        let Some(open) = &mut self.raw else { return };
        let wanted = match operands.kept() {
            // a symbol may hold anything, so it is the rest of the line
            _ if is(".reloc") => match reloc(whole.get(word.len()..).unwrap_or_default()) {
                Some(patch) => return open.page.patches.push(patch),
                None => "a position in the page, a relocation type and a symbol in each .reloc",
            },
            [] if code.is_empty() => return,
            [] if is(END) => return self.close_raw_page_at(line),
            [value] if is(".long") => match number(value) {
                Some(_) if open.page.bytes.len() >= PAGE_BYTES => "at most 2048 words",
                Some(word) => return open.page.bytes.extend_from_slice(&word.to_le_bytes()),
                None => "a number in each .long",
            },
            _ => "only .long, .reloc and .end_raw_page after it",
        };
        self.malformed(line, code, BEGIN, wanted);
    }

    fn close_raw_page_at(&mut self, line: &LineAt<'_>) {
        let Some(OpenRawPage { page, begin }) = self.raw.take() else {
            return;
        };
        if page.bytes.len() < HEADER_BYTES {
            let wanted = "at least the four words of a page header";
            return self.malformed(line, lexer::trim(line.raw), BEGIN, wanted);
        }
        self.in_scope(|scope, _| {
            scope.first.get_or_insert(begin);
            scope.scope.push_raw_page(page);
        });
    }

    /// Reports a page that is not ended.
    pub(super) fn close_raw_page(&mut self) {
        if let Some(OpenRawPage { begin, .. }) = self.raw.take() {
            let wanted = "a .end_raw_page after its words";
            self.error(begin, codes::malformed(BEGIN, wanted));
        }
    }
}

fn number(text: &str) -> Option<u32> {
    // a sign isn't a digit
    let text = Some(text).filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))?;
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn reloc(operands: &str) -> Option<RawPatch> {
    let mut parts = operands.splitn(3, ',').map(lexer::trim);
    let (position, kind) = (parts.next()?, parts.next()?);
    let symbol = symbol_of_text(parts.next()?)?;
    Some(RawPatch {
        position: u16::try_from(number(position)?).ok()?,
        kind: PatchKind::from_number(number(kind)?)?,
        symbol,
    })
}

/// Form of a symbol in a `.reloc` line: as it is, or quoted with `\xHH` for bytes that a line can't
/// hold.
pub(crate) fn symbol_text(symbol: &str) -> Cow<'_, str> {
    let plain = |b: u8| matches!(b, b' '..=b'~');
    let bare = !symbol.is_empty() && !symbol.starts_with('"') && symbol.trim() == symbol;
    if bare && symbol.bytes().all(plain) {
        return Cow::Borrowed(symbol);
    }
    let mut quoted = String::from("\"");
    for byte in symbol.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            _ if plain(byte) => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// The symbol that a `.reloc` line names.
fn symbol_of_text(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    };
    let mut bytes = quoted.strip_suffix('"')?.bytes();
    let mut symbol = Vec::new();
    while let Some(byte) = bytes.next() {
        symbol.push(match byte {
            b'"' => return None,
            b'\\' => match bytes.next()? {
                b'x' => {
                    let digits = [bytes.next()?, bytes.next()?];
                    let digits = std::str::from_utf8(&digits).ok()?;
                    // a sign isn't a digit
                    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
                    u8::from_str_radix(digits, 16).ok().filter(|_| plain)?
                }
                other => other,
            },
            other => other,
        });
    }
    String::from_utf8(symbol).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_back() {
        for symbol in [
            "7", "a b", "a;b", "", " a", "\ra", "a\t", "\"", "\"a\"", "\\", "é", "a\0",
        ] {
            let text = symbol_text(symbol);
            assert!(text.bytes().all(|b| matches!(b, b' '..=b'~')), "{text}");
            assert_eq!(symbol_of_text(&text).as_deref(), Some(symbol), "{text}");
        }
        for text in [
            "",
            "\"",
            "\"a",
            "\"a\"b\"",
            "\"\\\"",
            "\"\\x+1\"",
            "\"\\xff\"",
        ] {
            assert_eq!(symbol_of_text(text), None, "{text}");
        }
    }
}
