//! Lines of assembly as tokens, each with its span.

use aiec_diag::{Diag, Diags, FileId, Span};

use crate::finding::UNTERMINATED;

/// Marks that begin and end comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comments {
    /// Marks of comments that go to the end of the line.
    pub line: &'static [&'static str],
    /// Whether there are comments from `/*` to `*/`, over several lines too.
    pub block: bool,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A letter, `_`, `.` or `$`, then those and digits.
    Word,
    /// A digit, then letters, digits, `_` and `.`: a number, or a misspelt one.
    Number,
    /// In quotes; the token's text is between them.
    Quoted,
    /// Any other character.
    Sign,
}

/// A token of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text; without the quotes for [`TokenKind::Quoted`].
    pub text: &'t str,
    /// Where; with the quotes.
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is this character.
    pub fn is_sign(&self, sign: char) -> bool {
        let mut chars = self.text.chars();
        self.kind == TokenKind::Sign && chars.next() == Some(sign)
    }
}

/// Reads the lines of a text.
#[derive(Debug)]
pub struct LineReader<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    line: usize,
    comments: Comments,
}

impl<'t> LineReader<'t> {
    /// Begins at the first line.
    pub fn new(file: FileId, text: &'t str, comments: Comments) -> LineReader<'t> {
        LineReader {
            file,
            text,
            at: 0,
            line: 0,
            comments,
        }
    }

    /// The number of the line read last, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The span of the text's end.
    pub fn end(&self) -> Span {
        Span::new(self.file, self.text.len(), self.text.len())
    }

    /// Reads the next line that has tokens; false at the end of the text. A comment over several
    /// lines ends none.
    pub fn next_line(&mut self, tokens: &mut Vec<Token<'t>>, diags: &mut Diags) -> bool {
        tokens.clear();
        while self.at < self.text.len() {
            self.line += 1;
            self.read_line(tokens, diags);
            if !tokens.is_empty() {
                return true;
            }
        }
        false
    }

    /// Reads up to and including the line's end.
    fn read_line(&mut self, tokens: &mut Vec<Token<'t>>, diags: &mut Diags) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    return;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ if self.skips_line_comment() => return,
                b'/' if self.comments.block && bytes.get(self.at + 1) == Some(&b'*') => {
                    self.skip_block_comment(diags);
                }
                b'"' => self.quoted(tokens, diags),
                _ => self.plain(byte, tokens),
            }
        }
    }

    /// Skips a comment to the end of the line and that end, if one begins here.
    fn skips_line_comment(&mut self) -> bool {
        let rest = self.rest();
        if !self.comments.line.iter().any(|mark| rest.starts_with(mark)) {
            return false;
        }
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        true
    }

    fn skip_block_comment(&mut self, diags: &mut Diags) {
        let rest = self.rest();
        match rest.get(2..).and_then(|inner| inner.find("*/")) {
            Some(end) => {
                let skipped = end + 4;
                let lines = rest.as_bytes().iter().take(skipped);
                self.line += lines.filter(|b| **b == b'\n').count();
                self.at += skipped;
            }
            None => {
                let span = Span::new(self.file, self.at, self.at + 2);
                let diag = Diag::error(&UNTERMINATED, "the comment has no end");
                diags.push(diag.label(span, "begins here").help("end it with */"));
                self.at = self.text.len();
            }
        }
    }

    fn quoted(&mut self, tokens: &mut Vec<Token<'t>>, diags: &mut Diags) {
        let start = self.at;
        let rest = self.rest();
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let inner = line.get(1..).unwrap_or("");
        match inner.find('"') {
            Some(end) => {
                self.at = start + end + 2;
                tokens.push(Token {
                    kind: TokenKind::Quoted,
                    text: &inner[..end],
                    span: Span::new(self.file, start, self.at),
                });
            }
            None => {
                self.at = start + line.len();
                let span = Span::new(self.file, start, self.at);
                let diag = Diag::error(&UNTERMINATED, "the text in quotes has no end on its line");
                diags.push(diag.label(span, "").help("end it with \""));
            }
        }
    }

    fn plain(&mut self, first: u8, tokens: &mut Vec<Token<'t>>) {
        let start = self.at;
        let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
        let kind = match first {
            b'0'..=b'9' => TokenKind::Number,
            _ if inside(&first) => TokenKind::Word,
            _ => TokenKind::Sign,
        };
        let rest = self.rest();
        let len = match kind {
            TokenKind::Sign => rest.chars().next().map_or(1, char::len_utf8),
            _ => rest.bytes().take_while(inside).count(),
        };
        self.at += len;
        tokens.push(Token {
            kind,
            text: rest.get(..len).unwrap_or(""),
            span: Span::new(self.file, start, self.at),
        });
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMENTS: Comments = Comments {
        line: &["#", "//"],
        block: true,
    };

    fn lines(text: &str) -> (Vec<(usize, Vec<&str>)>, usize) {
        let mut reader = LineReader::new(FileId(0), text, COMMENTS);
        let (mut tokens, mut diags, mut out) = (Vec::new(), Diags::new(), Vec::new());
        while reader.next_line(&mut tokens, &mut diags) {
            out.push((reader.line(), tokens.iter().map(|t| t.text).collect()));
        }
        (out, diags.len())
    }

    #[test]
    fn lines_are_words_numbers_texts_and_signs() {
        let (found, bad) = lines("A b=0x1f, -12 # no\n\n/* x\ny */ \"L 1\" .quad é|a.b\n// c");
        let first = vec!["A", "b", "=", "0x1f", ",", "-", "12"];
        let second = vec!["L 1", ".quad", "é", "|", "a.b"];
        assert_eq!(found, [(1, first), (4, second)]);
        assert_eq!(bad, 0);
    }

    #[test]
    fn what_has_no_end_is_reported() {
        assert_eq!(lines("A \"b\nC").1, 1);
        assert_eq!(lines("A /* b\nC").1, 1);
        assert_eq!(lines("A /*/ b\nC").1, 1);
    }

    #[test]
    fn spans_are_bytes_of_the_text() {
        let text = "é \"q\" w";
        let mut reader = LineReader::new(FileId(0), text, COMMENTS);
        let mut tokens = Vec::new();
        assert!(reader.next_line(&mut tokens, &mut Diags::new()));
        let spans: Vec<&str> = tokens
            .iter()
            .map(|t| &text[t.span.start as usize..t.span.end as usize])
            .collect();
        assert_eq!(spans, ["é", "\"q\"", "w"]);
    }
}
