//! A text that an editor has open: its lines, its tokens, and the results of its analysis.

use std::path::{Path, PathBuf};

use aiec_aie::text::lexer::{Token, tokens};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

use crate::Analysis;
use crate::labels::AssemblyNames;
use crate::names::Names;

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// A design.
    Mlir,
    /// Control code.
    Assembly,
}

impl Language {
    /// The language of a document, by the name that the editor has for it or by the ending of its file.
    pub fn of(id: &str, path: &Path) -> Language {
        let is_assembly = path.extension().is_some_and(|ending| ending == "asm");
        if is_assembly || id.ends_with("asm") {
            Language::Assembly
        } else {
            Language::Mlir
        }
    }
}

/// Offsets of lines: positions of the protocol count lines, and in a line UTF-16 code units.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Of a text.
    pub fn of(text: &str) -> Lines {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The position of a byte offset.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or("");
        Position {
            line: number(line),
            character: number(before.chars().map(char::len_utf16).sum()),
        }
    }

    /// The byte offset of a position; past the end of a line it is that end.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text
            .get(start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= position.character {
                return start + at;
            }
            units += number(c.len_utf16());
        }
        start + content.len()
    }

    /// The range of bytes.
    pub fn range(&self, text: &str, start: usize, end: usize) -> Range {
        Range {
            start: self.position(text, start),
            end: self.position(text, end),
        }
    }
}

/// A count as the protocol has it.
pub fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A document.
pub struct Document {
    /// Its name in the protocol.
    pub uri: Uri,
    /// Its file.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// The version of the editor.
    pub version: i32,
    /// Its text.
    pub text: String,
    /// Its lines.
    pub lines: Lines,
    /// Its tokens, of a design.
    pub tokens: Vec<Token>,
    /// Operations and names of a design.
    pub names: Names,
    /// Labels of control code.
    pub labels: AssemblyNames,
    /// The last analysis.
    pub analysis: Analysis,
    /// The last analysis that has a design, with the text that it is of.
    pub good: Option<(String, Analysis)>,
    /// Whether the text has changed since the last analysis.
    pub is_dirty: bool,
    /// Whether the next analysis is to be thorough.
    pub is_saved: bool,
}

impl Document {
    /// A document that was opened.
    pub fn new(uri: Uri, language: &str, version: i32, text: String) -> Document {
        let path = path_of(&uri);
        let language = Language::of(language, &path);
        let mut document = Document {
            uri,
            path,
            language,
            version,
            text: String::new(),
            lines: Lines::of(""),
            tokens: Vec::new(),
            names: Names::default(),
            labels: AssemblyNames::default(),
            analysis: Analysis::default(),
            good: None,
            is_dirty: true,
            is_saved: true,
        };
        document.set(text);
        document
    }

    fn set(&mut self, text: String) {
        self.lines = Lines::of(&text);
        match self.language {
            Language::Mlir => {
                self.tokens = tokens(&text);
                self.names = Names::of(&text, &self.tokens);
            }
            Language::Assembly => self.labels = AssemblyNames::of(&text),
        }
        self.text = text;
        self.is_dirty = true;
    }

    /// Takes the changes of an editor.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        self.version = version;
        let mut text = std::mem::take(&mut self.text);
        let mut lines = self.lines.clone();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let start = lines.offset(&text, range.start);
                    let end = lines.offset(&text, range.end).max(start);
                    text.replace_range(start..end, &change.text);
                }
            }
            lines = Lines::of(&text);
        }
        self.set(text);
    }

    /// Takes a new analysis of the text.
    pub fn take(&mut self, analysis: Analysis) {
        self.is_dirty = false;
        self.is_saved = false;
        let old = std::mem::replace(&mut self.analysis, analysis);
        if self.analysis.parsed.is_some() {
            self.good = None;
        } else if old.parsed.is_some()
            && let Some(file) = old.sources.file(old.file)
        {
            self.good = Some((file.text.clone(), old));
        }
    }

    /// The last analysis with a design.
    pub fn design(&self) -> &Analysis {
        match &self.good {
            Some((_, analysis)) => analysis,
            None => &self.analysis,
        }
    }

    /// The number of the token at a byte offset, or of that which ends there.
    pub fn token_at(&self, offset: usize) -> Option<usize> {
        let after = self.tokens.partition_point(|token| token.start <= offset);
        let at = after.checked_sub(1)?;
        let token = self.tokens.get(at)?;
        (offset <= token.end).then_some(at)
    }

    /// The text of a token.
    pub fn word(&self, token: usize) -> &str {
        let token = self.tokens.get(token);
        token.map_or("", |token| token.text(&self.text))
    }

    /// The range of a token.
    pub fn token_range(&self, token: usize) -> Range {
        let (start, end) = self.tokens.get(token).map_or((0, 0), |t| (t.start, t.end));
        self.lines.range(&self.text, start, end)
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        self.lines.offset(&self.text, position)
    }
}

/// The file of a document.
fn path_of(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let rest = text.strip_prefix("file://").unwrap_or(text);
    PathBuf::from(decoded(rest))
}

/// A text without its escapes `%XX`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or(&[]);
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_count_utf16() {
        let text = "ab\n𝒳é x\r\n\nend";
        let lines = Lines::of(text);
        for (offset, position) in [
            (0, at(0, 0)),
            (2, at(0, 2)),
            (3, at(1, 0)),
            (7, at(1, 2)),
            (9, at(1, 3)),
            (14, at(3, 0)),
            (17, at(3, 3)),
        ] {
            assert_eq!(lines.position(text, offset), position, "{offset}");
            assert_eq!(lines.offset(text, position), offset, "{position:?}");
        }
        assert_eq!(lines.offset(text, at(0, 99)), 2);
        assert_eq!(lines.offset(text, at(1, 99)), 11);
        assert_eq!(lines.offset(text, at(99, 0)), text.len());
        // Within a surrogate pair.
        assert_eq!(lines.offset(text, at(1, 1)), 7);
    }

    #[test]
    fn changes_are_made_in_their_order() {
        let uri: Uri = "file:///tmp/a%20b.mlir".parse().expect("a URI");
        let mut document = Document::new(uri, "mlir", 1, "one\ntwo\n".to_string());
        assert_eq!(document.path, Path::new("/tmp/a b.mlir"));
        let edit = |start, end, text: &str| TextDocumentContentChangeEvent {
            range: Some(Range { start, end }),
            range_length: None,
            text: text.to_string(),
        };
        let changes = vec![
            edit(at(0, 1), at(0, 2), "NN"),
            edit(at(1, 0), at(9, 9), ""),
            edit(at(1, 0), at(1, 0), "é"),
        ];
        document.change(2, changes);
        assert_eq!((document.text.as_str(), document.version), ("oNNe\né", 2));
    }
}
