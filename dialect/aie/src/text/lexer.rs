//! Tokens of MLIR text with the comments among them: for tools that work on texts as they are
//! written, such as the formatter and editors. The parser runs grammar rules on the text itself;
//! both have the same words.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// `// …` to the end of the line.
    Comment,
    /// `"…"`, which ends with its line at the latest.
    Text,
    /// `%name`, with `#n` for one result of several.
    Value,
    /// `@name`
    Symbol,
    /// `^name`
    Block,
    /// `#name`: an alias, or an attribute of a dialect.
    Attribute,
    /// `!name`: an alias, or a type of a dialect.
    Type,
    /// A bare word: a keyword, the name of an operation, a key.
    Word,
    /// A word that starts with a digit: a number, or the shape of a type.
    Number,
    /// `{-# … #-}`
    Metadata,
    /// Anything else: a bracket, an arrow, a comma.
    Sign,
}

/// A token: bytes `start..end` of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

impl Token {
    /// Its part of the text that it was read from.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// Signs of more than one character, longer ones first.
const LONG_SIGNS: [&str; 5] = ["->", "::", "==", ">=", "<="];

/// All tokens of a text, in order. Any text has tokens; only blanks are between them.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    let mut list = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.next_token() {
        list.push(token);
    }
    list
}

struct Lexer<'s> {
    text: &'s str,
    at: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.$".contains(&byte)
}

fn is_suffix(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        let found = self.text.as_bytes().get(self.at + ahead);
        found.copied().unwrap_or(0)
    }

    /// Goes on while bytes are in a set.
    fn skip(&mut self, is_in: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().position(|b| !is_in(*b)).unwrap_or(rest.len());
    }

    fn next_token(&mut self) -> Option<Token> {
        self.skip(|byte| byte.is_ascii_whitespace());
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let kind = self.take(rest);
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }

    fn take(&mut self, rest: &str) -> TokenKind {
        let next = self.byte(1);
        match self.byte(0) {
            b'/' if next == b'/' => {
                self.skip(|byte| byte != b'\n');
                let comment = rest.get(..self.at - (self.text.len() - rest.len()));
                self.at -= comment.map_or(0, |c| c.len() - c.trim_end().len());
                TokenKind::Comment
            }
            b'"' => self.quoted(),
            b'{' if rest.starts_with("{-#") => {
                self.at += rest.find("#-}").map_or(rest.len(), |end| end + 3);
                TokenKind::Metadata
            }
            b'%' if is_suffix(next) => {
                self.at += 1;
                self.skip(|byte| is_suffix(byte) || byte == b'#');
                TokenKind::Value
            }
            b'@' if next == b'"' => {
                self.at += 1;
                self.quoted();
                TokenKind::Symbol
            }
            b'@' if is_suffix(next) => self.prefixed(is_suffix, TokenKind::Symbol),
            b'^' if is_suffix(next) => self.prefixed(is_suffix, TokenKind::Block),
            b'#' if is_word(next) => self.prefixed(is_word, TokenKind::Attribute),
            b'!' if is_word(next) => self.prefixed(is_word, TokenKind::Type),
            b'0'..=b'9' => {
                self.skip(is_word);
                // The exponent of a float.
                let number = self.text.get(..self.at).unwrap_or("");
                let is_hex = rest.starts_with("0x");
                if number.ends_with(['e', 'E'])
                    && !is_hex
                    && b"+-".contains(&self.byte(0))
                    && self.byte(1).is_ascii_digit()
                {
                    self.at += 1;
                    self.skip(is_word);
                }
                TokenKind::Number
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.skip(is_word);
                TokenKind::Word
            }
            _ => {
                let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let one = rest.chars().next().map_or(1, char::len_utf8);
                self.at += long.map_or(one, |sign| sign.len());
                TokenKind::Sign
            }
        }
    }

    fn prefixed(&mut self, is_in: fn(u8) -> bool, kind: TokenKind) -> TokenKind {
        self.at += 1;
        self.skip(is_in);
        kind
    }

    fn quoted(&mut self) -> TokenKind {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' => break,
                b'"' => {
                    at += 1;
                    break;
                }
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        self.at = at.min(bytes.len());
        // An escape may have ended within a character.
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        TokenKind::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let list = tokens(text).into_iter();
        list.map(|token| (token.kind, token.text(text))).collect()
    }

    #[test]
    fn texts_fall_into_tokens() {
        use TokenKind::*;
        assert_eq!(
            kinds("%a, %b#1 = aie.tile(0, 2) // x \n"),
            [
                (Value, "%a"),
                (Sign, ","),
                (Value, "%b#1"),
                (Sign, "="),
                (Word, "aie.tile"),
                (Sign, "("),
                (Number, "0"),
                (Sign, ","),
                (Number, "2"),
                (Sign, ")"),
                (Comment, "// x"),
            ]
        );
        assert_eq!(
            kinds("!t = memref<4x?xi32> #m -> @\"a b\"::@c ^bb-0: \"e\\\"\" 1.0e-3 0x1F -2"),
            [
                (Type, "!t"),
                (Sign, "="),
                (Word, "memref"),
                (Sign, "<"),
                (Number, "4x"),
                (Sign, "?"),
                (Word, "xi32"),
                (Sign, ">"),
                (Attribute, "#m"),
                (Sign, "->"),
                (Symbol, "@\"a b\""),
                (Sign, "::"),
                (Symbol, "@c"),
                (Block, "^bb-0"),
                (Sign, ":"),
                (Text, "\"e\\\"\""),
                (Number, "1.0e-3"),
                (Number, "0x1F"),
                (Sign, "-"),
                (Number, "2"),
            ]
        );
    }

    #[test]
    fn any_text_has_tokens() {
        for text in [
            "\"open", "\"\\", "\"\\ü", "%", "@", "ü", "{-# open", "/", "é\"\n", "//",
        ] {
            let list = tokens(text);
            let mut at = 0;
            for token in list {
                assert!(token.start >= at && token.end > token.start, "{text}");
                assert!(
                    text.get(at..token.start)
                        .is_some_and(|gap| gap.trim().is_empty())
                );
                assert!(text.is_char_boundary(token.end), "{text}");
                at = token.end;
            }
            assert!(text[at..].trim().is_empty(), "{text}");
        }
    }
}
