//! Lines: what sort of line it is, and its operands.

use super::Span;

/// Directives; a line that begins with one of these is no operation.
pub(super) const DIRECTIVES: [&str; 8] = [
    ".attach_to_group",
    ".section",
    ".include",
    ".endl",
    ".setpad",
    ".partition",
    ".target",
    ".aie_row_topology",
];

/// A word of a line with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The text; lower case where the assembler folds it.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing, or a comment.
    Empty,
    /// A directive and the rest of its line.
    Directive(&'static str, Piece),
    /// `NAME:`
    Label(Piece),
    /// An operation and its operands.
    Operation(Piece, Vec<Piece>),
    /// None of these.
    Unknown,
}

/// Splits a file into lines with their spans; bytes the assembler ignores are blanked out, so
/// that offsets stay true.
pub(super) fn lines(file: u32, text: &str) -> Vec<(String, Span)> {
    let mut out = Vec::new();
    let mut start = 0;
    for (number, raw) in text.split('\n').enumerate() {
        let keep = |c: char| matches!(c, ' '..='~' | '\t' | '\r');
        let clean: String = raw.chars().filter(|&c| keep(c)).collect();
        let lead = clean.len() - clean.trim_start().len();
        let trimmed = clean.trim().to_owned();
        let span = Span {
            file,
            line: number as u32 + 1,
            start: (start + lead) as u32,
            len: trimmed.len() as u32,
            column: lead as u32 + 1,
        };
        out.push((trimmed, span));
        start += raw.len() + 1;
    }
    out
}

fn piece(line: &str, span: Span, text: &str) -> Piece {
    // `text` is a slice of `line`
    let at = (text.as_ptr() as usize).saturating_sub(line.as_ptr() as usize) as u32;
    let span = Span {
        start: span.start + at,
        column: span.column + at,
        len: text.len() as u32,
        ..span
    };
    Piece {
        text: text.to_owned(),
        span,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Sorts a trimmed line. Strict lines may carry a comment behind code.
pub(super) fn classify(line: &str, span: Span, compat: bool) -> Line {
    if line.is_empty() || line.starts_with(';') || (!compat && line.starts_with('#')) {
        return Line::Empty;
    }
    let code = if compat {
        line
    } else {
        line.split(';').next().unwrap_or("").trim_end()
    };
    for name in DIRECTIVES {
        let folded = code.get(..name.len()).is_some_and(|head| match compat {
            true => head == name,
            false => head.eq_ignore_ascii_case(name),
        });
        let rest = code.get(name.len()..).unwrap_or("");
        if folded && (compat || rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return Line::Directive(name, piece(line, span, rest.trim()));
        }
    }
    if let Some(name) = code.strip_suffix(':')
        && is_name(name)
    {
        return Line::Label(piece(line, span, name));
    }
    let word_end = code.find([' ', '\t']).unwrap_or(code.len());
    let (word, rest) = code.split_at(word_end);
    if !word
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    {
        return Line::Unknown;
    }
    let mut head = piece(line, span, word);
    head.text.make_ascii_lowercase();
    let operands = operands(rest.trim(), compat).map(|text| {
        let mut operand = piece(line, span, text);
        operand.text.make_ascii_lowercase();
        operand
    });
    Line::Operation(head, operands.collect())
}

/// Compatible: cut at blanks, one trailing comma dropped, empty pieces dropped. Strict: commas
/// cut too.
fn operands(rest: &str, compat: bool) -> Box<dyn Iterator<Item = &str> + '_> {
    if compat {
        let pieces = rest.split(' ').map(|p| p.strip_suffix(',').unwrap_or(p));
        return Box::new(pieces.filter(|p| !p.is_empty()));
    }
    Box::new(rest.split([' ', '\t', ',']).filter(|p| !p.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str, compat: bool) -> Line {
        let (text, span) = lines(0, line).remove(0);
        classify(&text, span, compat)
    }

    fn texts(line: Line) -> Vec<String> {
        let Line::Operation(_, operands) = line else {
            panic!("{line:?}")
        };
        operands.into_iter().map(|p| p.text).collect()
    }

    #[test]
    fn compatible_operands_are_cut_at_blanks() {
        assert_eq!(texts(at("op A, b  , c", true)), ["a", "b", "c"]);
        assert_eq!(texts(at("op a,b", true)), ["a,b"]);
        assert_eq!(texts(at("op 1 ; rest", true)), ["1", ";", "rest"]);
    }

    #[test]
    fn strict_operands_are_cut_at_commas() {
        assert_eq!(texts(at("op a,b\t c ; rest", false)), ["a", "b", "c"]);
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(at("  ; x", true), Line::Empty);
        assert_eq!(at("# x", true), Line::Unknown);
        assert_eq!(at("# x", false), Line::Empty);
        assert!(matches!(at("9a_Z:", true), Line::Label(p) if p.text == "9a_Z"));
        assert!(matches!(at(".Endl x", true), Line::Operation(p, _) if p.text == ".endl"));
        assert!(matches!(at(".endl x", true), Line::Directive(".endl", p) if p.text == "x"));
    }

    #[test]
    fn spans_point_at_operands() {
        let Line::Operation(_, operands) = at("  MOV $r0, 0x12", true) else {
            panic!()
        };
        assert_eq!((operands[1].span.start, operands[1].span.len), (11, 4));
        assert_eq!(operands[1].span.column, 12);
    }
}
