//! Blanks, words and signs, taken by hand.

use super::{ParseFailed, Parser};

impl<'s> Parser<'s> {
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
        let wordlike = |b: &u8| b.is_ascii_alphanumeric() || b"_$.".contains(b);
        let end = rest
            .bytes()
            .position(|b| !wordlike(&b))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }
}
