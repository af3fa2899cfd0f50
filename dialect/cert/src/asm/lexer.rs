//! Lines: their kinds, and their operands.

use aiec_diag::{FileId, Span};

use super::directive::{DIRECTIVES, DirectiveInfo};
use crate::program::SourceLoc;

/// A line with its place; pieces of it know theirs by where they lie in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineAt<'s> {
    /// The file.
    pub file: FileId,
    /// Number, from 1.
    pub number: u32,
    /// Byte offset in the file.
    pub start: u32,
    /// The whole line, without its end.
    pub raw: &'s str,
}

impl LineAt<'_> {
    /// Where a piece of the line is; for anything else, the line itself.
    pub fn span(&self, piece: &str) -> Span {
        let (at, len) = self.find(piece);
        let start = self.start as usize + at;
        Span::new(self.file, start, start + len)
    }

    /// Where a piece is; the whole line for an empty one.
    pub fn span_or_whole(&self, piece: &str) -> Span {
        if piece.is_empty() {
            self.span(trim(self.raw))
        } else {
            self.span(piece)
        }
    }

    /// Line and column of a piece of the line; for anything else, of the line itself.
    pub fn loc(&self, piece: &str) -> SourceLoc {
        SourceLoc {
            file: self.file.0,
            line: self.number,
            column: self.find(piece).0 as u32 + 1,
        }
    }

    /// Byte offset in the line and length of a piece.
    fn find(&self, piece: &str) -> (usize, usize) {
        let begin = self.raw.as_ptr() as usize;
        let at = (piece.as_ptr() as usize).wrapping_sub(begin);
        if at <= self.raw.len() && piece.len() <= self.raw.len() - at {
            (at, piece.len())
        } else {
            (0, self.raw.len())
        }
    }
}

/// A trimmed line of source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'s> {
    /// Nothing, or a comment.
    Empty,
    /// A directive and the rest of its line.
    Directive(&'static DirectiveInfo, &'s str),
    /// `NAME:`
    Label(&'s str),
    /// An operation and the rest of its line.
    Operation(&'s str, &'s str),
    /// None of these: the piece that is to blame.
    Unknown(&'s str),
}

/// Bytes of names and words.
const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Without blanks at both ends.
pub(super) fn trim(text: &str) -> &str {
    // by bytes: this is done for every line, and blanks are single bytes
    let bytes = text.as_bytes();
    let start = bytes
        .iter()
        .position(|&b| !is_blank(b))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|&b| !is_blank(b))
        .map_or(start, |at| at + 1);
    text.get(start..end).unwrap_or_default()
}

/// Removes the bytes that the vendor's assembler deletes before it reads anything.
pub(super) fn clean(text: &str) -> Option<String> {
    let kept = |b: u8| matches!(b, b' '..=b'~' | b'\n' | b'\t' | b'\r');
    if text.bytes().all(kept) {
        return None;
    }
    Some(
        text.chars()
            .filter(|&c| u8::try_from(c).is_ok_and(kept))
            .collect(),
    )
}

/// Sorts a line. Strict lines may carry a comment after code.
pub(super) fn classify(raw: &str, compat: bool) -> Line<'_> {
    let line = trim(raw);
    let Some(&first) = line.as_bytes().first() else {
        return Line::Empty;
    };
    if first == b';' || (!compat && first == b'#') {
        return Line::Empty;
    }
    let code = match line.bytes().position(|b| b == b';') {
        Some(end) if !compat => trim(&line[..end]),
        _ => line,
    };
    if first == b'.'
        && let Some(found) = directive(code, compat)
    {
        return found;
    }
    let bytes = code.as_bytes();
    let end = bytes
        .iter()
        .position(|&b| !is_word_byte(b))
        .unwrap_or(bytes.len());
    let (word, rest) = code.split_at(end);
    if rest == ":" && !word.contains('.') && !word.is_empty() {
        return Line::Label(word);
    }
    if word.is_empty() || rest.bytes().next().is_some_and(|b| !is_blank(b)) {
        return Line::Unknown(code);
    }
    if !compat
        && let Some(at) = rest
            .bytes()
            .position(|b| !matches!(b, b' '..=b'~' | b'\t' | b'\r'))
    {
        let len = rest[at..].chars().next().map_or(0, char::len_utf8);
        return Line::Unknown(&rest[at..at + len]);
    }
    Line::Operation(word, rest)
}

/// The directive that a line begins with. Compatible: whatever follows the name.
fn directive(code: &str, compat: bool) -> Option<Line<'_>> {
    DIRECTIVES.iter().find_map(|info| {
        let (head, rest) = code.split_at_checked(info.name.len())?;
        let found = if compat {
            head == info.name
        } else {
            let ends = rest.bytes().next().is_none_or(is_blank);
            ends && head.eq_ignore_ascii_case(info.name)
        };
        found.then(|| Line::Directive(info, trim(rest)))
    })
}

/// Most operands that any operation takes.
pub(super) const MAX_OPERANDS: usize = 6;

/// The operands of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands<'s> {
    pieces: [&'s str; MAX_OPERANDS],
    /// Number of all; may exceed the number kept.
    pub count: usize,
    /// A comma that separates nothing (strict only).
    pub stray: Option<&'s str>,
}

impl<'s> Operands<'s> {
    /// Compatible: cut at spaces, one trailing comma dropped, empty pieces dropped. Strict: cut
    /// at blanks and commas.
    pub fn split(rest: &'s str, compat: bool) -> Self {
        let mut operands = Self {
            pieces: [""; MAX_OPERANDS],
            count: 0,
            stray: None,
        };
        if compat {
            operands.split_compatible(rest)
        } else {
            operands.split_strict(rest)
        }
        operands
    }

    /// Those that are kept.
    pub fn kept(&self) -> &[&'s str] {
        &self.pieces[..self.count.min(MAX_OPERANDS)]
    }

    fn push(&mut self, piece: &'s str) {
        if let Some(slot) = self.pieces.get_mut(self.count) {
            *slot = piece;
        }
        self.count += 1;
    }

    fn split_compatible(&mut self, rest: &'s str) {
        for piece in trim(rest).split(' ') {
            let piece = piece.strip_suffix(',').unwrap_or(piece);
            if !piece.is_empty() {
                self.push(piece);
            }
        }
    }

    fn split_strict(&mut self, rest: &'s str) {
        let bytes = rest.as_bytes();
        let mut at = 0;
        // a comma is wanted, allowed, or stray
        let mut may_separate = false;
        let mut last_comma = None;
        while let Some(&byte) = bytes.get(at) {
            if byte == b',' {
                if !may_separate {
                    self.stray.get_or_insert(&rest[at..at + 1]);
                }
                may_separate = false;
                last_comma = Some(at);
                at += 1;
            } else if is_blank(byte) {
                at += 1;
            } else {
                let begin = at;
                while bytes.get(at).is_some_and(|&b| b != b',' && !is_blank(b)) {
                    at += 1;
                }
                self.push(&rest[begin..at]);
                may_separate = true;
                last_comma = None;
            }
        }
        if let Some(at) = last_comma {
            self.stray.get_or_insert(&rest[at..at + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str, compat: bool) -> Vec<&str> {
        let Line::Operation(_, rest) = classify(line, compat) else {
            panic!("{line}")
        };
        let operands = Operands::split(rest, compat);
        operands.pieces[..operands.count].to_vec()
    }

    #[test]
    fn compatible_operands_are_cut_at_blanks() {
        assert_eq!(texts("op A, b  , c", true), ["A", "b", "c"]);
        assert_eq!(texts("op a,b", true), ["a,b"]);
        assert_eq!(texts("op 1 ; rest", true), ["1", ";", "rest"]);
    }

    #[test]
    fn strict_operands_are_cut_at_commas() {
        assert_eq!(texts("op a,b\t c ; rest", false), ["a", "b", "c"]);
        for (text, stray) in [("a,,b", true), (",a", true), ("a,", true), ("a , b", false)] {
            assert_eq!(
                Operands::split(text, false).stray.is_some(),
                stray,
                "{text}"
            );
        }
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(classify("  ; x", true), Line::Empty);
        assert_eq!(classify("# x", true), Line::Unknown("# x"));
        assert_eq!(classify("# x", false), Line::Empty);
        assert_eq!(classify(" 9a_Z:\r", true), Line::Label("9a_Z"));
        assert_eq!(classify("x: y", false), Line::Unknown("x: y"));
        assert!(matches!(
            classify(".Endl x", true),
            Line::Operation(".Endl", _)
        ));
        assert!(matches!(classify(".Endl x", false), Line::Directive(d, "x") if d.name == ".endl"));
        assert_eq!(classify("nop \u{e9}", false), Line::Unknown("\u{e9}"));
    }

    #[test]
    fn spans_point_at_operands() {
        let raw = "  MOV $r0, 0x12";
        let line = LineAt {
            file: FileId(0),
            number: 3,
            start: 100,
            raw,
        };
        let Line::Operation(_, rest) = classify(raw, true) else {
            panic!()
        };
        let operands = Operands::split(rest, true);
        let (span, loc) = (line.span(operands.kept()[1]), line.loc(operands.kept()[1]));
        assert_eq!(
            (loc.line, loc.column, span.start, span.end),
            (3, 12, 111, 115)
        );
        let elsewhere = line.span("elsewhere");
        assert_eq!(
            (elsewhere.start, elsewhere.end),
            (100, 100 + raw.len() as u32)
        );
    }
}
