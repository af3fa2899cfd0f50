//! Sections that the code doesn't need (debug records), kept in the text as comments.
//!
//! `;@NAME TEXT` is a line of the section NAME. Assemblers take it for a comment; the driver of
//! this one puts the section back. The lines joined by newlines are the section's bytes.

use std::fmt::Write;

/// Section of the vendor's debug record.
pub const DUMP: &str = crate::elf::SECTION_DUMP;

/// Prefix of such lines.
const MARK: &str = ";@";

/// The lines of a section; `None` if it isn't text, or a line can't hold its name.
pub fn lines(section: &str, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    if section.is_empty() || section.contains(char::is_whitespace) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split('\n') {
        // writing to a string cannot fail
        let _ = writeln!(out, "{MARK}{section} {line}");
    }
    Some(out)
}

/// The section that lines of a text hold, if there are any.
pub fn section(text: &[u8], section: &str) -> Option<Vec<u8>> {
    // most texts hold none, and searching is much faster than looking at lines
    if std::str::from_utf8(text).is_ok_and(|text| !text.contains(MARK)) {
        return None;
    }
    let mut found: Option<Vec<u8>> = None;
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.strip_prefix(MARK.as_bytes());
        let line = line.and_then(|line| line.strip_prefix(section.as_bytes()));
        let Some([b' ', rest @ ..]) = line else {
            continue;
        };
        match &mut found {
            Some(bytes) => {
                bytes.push(b'\n');
                bytes.extend_from_slice(rest);
            }
            None => found = Some(rest.to_vec()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back() {
        for bytes in ["", "\n", "a", "a\n", "a\n\n b\r\n"] {
            let mut text = String::from("NOP\n");
            text.push_str(&lines(".x", bytes.as_bytes()).unwrap());
            text.push_str("; end\n");
            let found = section(text.as_bytes(), ".x");
            assert_eq!(found.as_deref(), Some(bytes.as_bytes()), "{bytes:?}");
            assert_eq!(section(text.as_bytes(), ".xy"), None);
        }
        assert_eq!(lines(".x", &[0xFF]), None);
        assert_eq!(lines("a b", b""), None);
    }
}
