//! Going on after a mistake.

use super::{Cursor, Entry, Parser, RegionStyle};
use crate::ir::{InsertPoint, Loc};
use crate::ops::OpKind;

impl<'s> Parser<'s> {
    /// Skips the rest of an operation that couldn't be read: up to the next line that starts an
    /// operation, a block or closes a region. Regions that it opens are still parsed, so that
    /// mistakes in them are found in the same run.
    pub(super) fn recover(&mut self) {
        let mut from = self.cursor.skip_from;
        loop {
            match self.cursor.line_end(from) {
                LineEnd::Region(brace) => {
                    self.cursor.pos = brace;
                    self.lost_region(from);
                    from = self.cursor.pos;
                    self.cursor.skip_from = from;
                    if from >= self.cursor.text.len() {
                        return;
                    }
                }
                LineEnd::Line(end) => {
                    self.cursor.pos = end;
                    self.cursor.skip_blanks();
                    if self.cursor.peek().is_none() || self.cursor.starts_item() {
                        return;
                    }
                    from = self.cursor.pos;
                }
                LineEnd::Closed(at) => {
                    self.cursor.pos = at;
                    return;
                }
            }
        }
    }

    /// Skips to the end of the line of a byte offset.
    pub(super) fn skip_line(&mut self, from: usize) {
        self.cursor.skip_from = from;
        self.recover();
    }

    /// Parses a region that belongs to nothing. Names that its header, from byte `header` on, may
    /// have defined are not reported as missing.
    fn lost_region(&mut self, header: usize) {
        let header = self.cursor.text.get(header..self.cursor.pos).unwrap_or("");
        self.scopes.enter(false);
        self.poison_names(header);
        let holder = self
            .m
            .build(OpKind::UnrealizedCast, Loc::UNKNOWN)
            .insert(InsertPoint::Detached);
        // Its findings are what matters.
        let _ = self.region(holder, &[], RegionStyle::default());
        self.m.erase(holder);
        let undefined = self.scopes.leave(false);
        self.report_undefined(undefined);
    }

    /// Names that a text which couldn't be read may have defined are not reported as missing.
    pub(super) fn poison_names(&mut self, text: &'s str) {
        for (at, _) in text.match_indices('%') {
            let word = self.cursor.word_at(self.cursor.offset(text) + at + 1);
            let name = text.get(at..at + 1 + word.len()).unwrap_or("");
            if self.scopes.get(name).is_none() {
                self.scopes.define(name, Entry::Poisoned);
            }
        }
    }
}

impl Cursor<'_> {
    /// Where a line ends, or what region it opens. Braces of attribute dictionaries are passed.
    fn line_end(&self, from: usize) -> LineEnd {
        let bytes = self.text.as_bytes();
        let mut at = from;
        let mut depth = 0usize;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    at += 1;
                    while let Some(b) = bytes.get(at) {
                        match b {
                            b'\\' => at += 1,
                            b'"' | b'\n' => break,
                            _ => {}
                        }
                        at += 1;
                    }
                    if bytes.get(at) == Some(&b'\n') {
                        // The string is never closed, nor is what is around it.
                        return LineEnd::Line(at + 1);
                    }
                    at += 1;
                    continue;
                }
                b'\n' if depth == 0 => return LineEnd::Line(at + 1),
                // A dictionary that is never closed ends where an operation starts.
                b'\n' if self.item_at(at + 1) => return LineEnd::Line(at + 1),
                b'{' if depth > 0 || self.is_dictionary(at + 1) => depth += 1,
                b'{' => return LineEnd::Region(at),
                b'}' if depth == 0 => return LineEnd::Closed(at),
                b'}' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        LineEnd::Line(bytes.len())
    }

    /// Whether what follows a brace is an attribute dictionary (or a list of consumers) and not a
    /// region: it doesn't start an operation, a block or nothing at all.
    fn is_dictionary(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or("");
        let behind = rest.lines().next().unwrap_or("");
        let rest = rest.trim_start();
        let line = rest.lines().next().unwrap_or("");
        let first = rest.bytes().next().unwrap_or(b'}');
        match first {
            b'%' => !line.contains('='),
            b'^' => false,
            b'}' => !behind.trim().is_empty(),
            b'"' => {
                let quoted = rest.get(1..).and_then(|r| r.split_once('"'));
                !quoted.is_some_and(|(_, after)| after.trim_start().starts_with('('))
            }
            _ => {
                let word = self.word_at(self.text.len() - rest.len());
                let after = rest.get(word.len()..).unwrap_or("").trim_start();
                let keyed = after.starts_with(['=', ',', '}']);
                keyed || !(word.contains('.') || is_shorthand(word))
            }
        }
    }

    /// Whether an operation, a block, an alias or the end of a region comes next.
    fn starts_item(&self) -> bool {
        match self.peek() {
            Some(b'^' | b'}' | b'#') => true,
            Some(b'!') => self.depth == 0,
            _ => self.item_at(self.pos),
        }
    }

    /// Whether an operation starts after the blanks at a byte offset.
    fn item_at(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or("");
        let rest = rest.trim_start_matches(' ');
        match rest.bytes().next() {
            Some(b'%') => true,
            Some(b'"') => {
                let quoted = rest.get(1..).and_then(|r| r.split_once('"'));
                quoted.is_some_and(|(_, after)| after.trim_start().starts_with('('))
            }
            _ => {
                let word = self.word_at(self.text.len() - rest.len());
                let after = rest.get(word.len()..).unwrap_or("").trim_start();
                (word.contains('.') && !after.starts_with('=')) || is_shorthand(word)
            }
        }
    }
}

enum LineEnd {
    /// The next line starts here.
    Line(usize),
    /// A region's brace.
    Region(usize),
    /// The brace that closes the enclosing region.
    Closed(usize),
}

/// Whether a word without a dot is an operation's name.
fn is_shorthand(word: &str) -> bool {
    ["module", "return", "func", "call", "br", "cond_br"].contains(&word)
}
