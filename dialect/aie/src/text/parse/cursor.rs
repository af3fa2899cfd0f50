//! The place in a text that is read: blanks, words, signs and matches of the grammar from it on.

use std::rc::Rc;

use super::ParseFailed;
use crate::text::grammar::Rule;
use crate::text::syntax::{Pair, Tree, matched};
use aiec_diag::{Diags, FileId};

/// A text, the place in it, and the findings about it.
pub(crate) struct Cursor<'s> {
    pub(super) text: &'s str,
    pub(super) file: FileId,
    /// Byte offset of the next token.
    pub(super) pos: usize,
    pub(super) diags: Diags,
    /// Regions that are open around the place.
    pub(super) depth: usize,
    /// The rule and the name of the operation being read, for messages.
    pub(super) operation: Option<(Rule, &'s str)>,
    /// Whether the rest of the file was given up: it gets no further findings.
    pub(super) gave_up: bool,
    /// From where a mistake of the current operation is skipped.
    pub(super) skip_from: usize,
    /// The nodes of the last match, to be used again.
    pub(super) spare: Rc<Tree>,
}

impl<'s> Cursor<'s> {
    /// The start of a text.
    pub(super) fn new(file: FileId, text: &'s str) -> Cursor<'s> {
        Cursor {
            text,
            file,
            pos: 0,
            diags: Diags::new(),
            depth: 0,
            operation: None,
            gave_up: false,
            skip_from: 0,
            spare: Rc::default(),
        }
    }

    /// Matches a rule here and goes on after it.
    pub(crate) fn run(&mut self, rule: Rule) -> Result<Pair<'s>, ParseFailed> {
        let base = self.pos;
        match matched(rule, self.rest(), &mut self.spare) {
            Ok(Some(pair)) => {
                self.pos += pair.end();
                Ok(pair)
            }
            Ok(None) => Err(ParseFailed),
            Err(mismatch) => Err(self.syntax_error(rule, &mismatch, base)),
        }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.text.get(self.pos..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Skips blanks and comments.
    pub(super) fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.pos) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.pos += 1,
                b'/' if bytes.get(self.pos + 1) == Some(&b'/') => {
                    let rest = bytes.get(self.pos..).unwrap_or(&[]);
                    self.pos += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// Takes a word or sign if it comes next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let rest = self.rest();
        if !rest.starts_with(token) {
            return false;
        }
        let wordlike = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let joined = token.bytes().last().is_some_and(wordlike)
            && rest
                .as_bytes()
                .get(token.len())
                .is_some_and(|b| wordlike(*b));
        if !joined {
            self.pos += token.len();
        }
        !joined
    }

    /// Requires a word or sign.
    pub(crate) fn expect(&mut self, token: &str) -> Result<(), ParseFailed> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.unexpected(self.pos, &format!("`{token}`")))
        }
    }

    /// Whether a brace comes next, and not the file's metadata (`{-#`).
    pub(crate) fn at_brace(&mut self) -> bool {
        self.skip_blanks();
        self.peek() == Some(b'{') && !self.rest().starts_with("{-#")
    }

    /// Whether this word comes next.
    pub(crate) fn at_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.word_at(self.pos) == word
    }

    /// The bare identifier at a byte offset, empty if there is none.
    pub(super) fn word_at(&self, at: usize) -> &'s str {
        let rest = self.text.get(at..).unwrap_or("");
        let wordlike = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
        let end = rest
            .bytes()
            .position(|b| !wordlike(&b))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }
}
