//! Source text: files, byte spans, and the line index that turns a byte offset into line and
//! column. Offsets are bytes from the start of the file (at most 4 GiB); lines and columns are
//! counted from 1, columns in characters.

use std::sync::Arc;

/// One file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes `start..end` of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The file the bytes belong to.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span {
            file,
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The smallest span that covers both; `self` when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A file's name and text, with the offsets of its lines.
#[derive(Debug)]
pub struct SourceFile {
    /// The name as the user gave it (`-` for standard input).
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Takes the text and indexes its lines.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(at, _)| clamp(at + 1)));
        SourceFile {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// Line and column (both from 1, the column in characters) of a byte offset; offsets past the
    /// end answer the end.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let offset = offset.min(clamp(self.text.len()));
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    /// The byte offset of a line and column (both from 1, the column in characters); `None` past
    /// the end of the file or of the line.
    pub fn offset(&self, line: usize, column: usize) -> Option<u32> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let text = self.line_text(line);
        let mut columns = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let within = columns.nth(column.checked_sub(1)?)?;
        Some(start + clamp(within))
    }

    /// The text of a line counted from 1, without its line end.
    pub fn line_text(&self, line: usize) -> &str {
        let range = |i: usize| self.line_starts.get(i).map(|s| *s as usize);
        let Some(start) = line.checked_sub(1).and_then(range) else {
            return "";
        };
        let end = range(line).unwrap_or(self.text.len());
        self.text
            .get(start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }
}

/// The files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(Arc::new(file));
        FileId(clamp(self.files.len() - 1))
    }

    /// The file of an id; `None` for an id of another map.
    pub fn file(&self, id: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(id.0 as usize)
    }

    /// `name:line:column` of a span's start.
    pub fn position(&self, span: Span) -> String {
        match self.file(span.file) {
            Some(file) => {
                let (line, col) = file.line_col(span.start);
                format!("{}:{line}:{col}", file.name)
            }
            None => "<unknown>".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_column_count_from_one_in_characters() {
        let file = SourceFile::new("a", "ab\nç d\n\nlast");
        assert_eq!(file.line_col(0), (1, 1));
        assert_eq!(file.line_col(2), (1, 3));
        assert_eq!(file.line_col(3), (2, 1));
        assert_eq!(file.line_col(6), (2, 3));
        assert_eq!(file.line_col(999), (4, 5));
        assert_eq!(file.offset(2, 3), Some(6));
        assert_eq!((file.offset(2, 5), file.offset(9, 1)), (None, None));
        assert_eq!(file.line_text(2), "ç d");
        assert_eq!(file.line_text(9), "");
    }
}
