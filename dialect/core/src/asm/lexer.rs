//! Words of a line.

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A name: `add.nc`, `r0`, `.LBB0_1`.
    Name(&'a str),
    /// A number.
    Number(i64),
    /// A text in quotes, with its escapes resolved.
    Text(Vec<u8>),
    /// Anything else, one character.
    Mark(char),
}

/// A word with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    /// Its token.
    pub token: Token<'a>,
    /// First byte in the file.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A character that can't be in a line, or a malformed number.
#[derive(Debug)]
pub(super) struct BadWord {
    /// First byte in the file.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The problem.
    pub message: String,
}

fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_' || c == b'.' || c == b'$'
}

fn is_name_part(c: u8) -> bool {
    is_name_start(c) || c.is_ascii_digit() || c == b'@'
}

/// Takes comments out of a text: `//` to the end of the line, `/* … */`. What is left keeps its
/// place: comments become blanks.
pub(super) fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => at = end_of_text(&bytes, at),
            (b'/', Some(b'/')) => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    bytes[at] = b' ';
                    at += 1;
                }
            }
            (b'/', Some(b'*')) => {
                let rest = &bytes[at + 2..];
                let length = rest.windows(2).position(|pair| pair == b"*/");
                let end = length.map_or(bytes.len(), |length| at + 2 + length + 2);
                for byte in &mut bytes[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    // Only whole comments were overwritten, so this is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

/// One past the end of the text in quotes that begins at `start`; it ends with its line.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// The words of a line that begins at byte `at` of its file.
pub(super) fn words(line: &str, at: usize) -> Result<Vec<Word<'_>>, BadWord> {
    let bytes = line.as_bytes();
    let mut words = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let byte = bytes[start];
        if byte.is_ascii_whitespace() {
            start += 1;
            continue;
        }
        let run = |accept: fn(u8) -> bool| {
            let rest = &bytes[start..];
            start
                + rest
                    .iter()
                    .position(|byte| !accept(*byte))
                    .unwrap_or(rest.len())
        };
        let (token, end) = if byte == b'"' {
            let end = end_of_text(bytes, start);
            (Token::Text(unescaped(&bytes[start + 1..end])), end)
        } else if is_name_start(byte) {
            let end = run(is_name_part);
            (Token::Name(&line[start..end]), end)
        } else if byte.is_ascii_digit() {
            let end = run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let number = number(&line[start..end]).ok_or_else(|| BadWord {
                start: at + start,
                end: at + end,
                message: format!("`{}` isn't a number", &line[start..end]),
            })?;
            (Token::Number(number), end)
        } else {
            let c = line[start..].chars().next().unwrap_or(' ');
            (Token::Mark(c), start + c.len_utf8())
        };
        words.push(Word {
            token,
            start: at + start,
            end: at + end,
        });
        start = end;
    }
    Ok(words)
}

/// The bytes of a text in quotes whose closing quote is its last character, if it has one.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => text.push(match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'0') | None => 0,
                Some(other) => other,
            }),
            byte => text.push(byte),
        }
    }
    text
}

/// `10`, `0x1F`, `0b101`, `0o17`; `_` between digits is ignored.
fn number(text: &str) -> Option<i64> {
    let text = text.replace('_', "");
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ => (&lower[..], 10),
    };
    i64::from_str_radix(digits, radix).ok()
}
