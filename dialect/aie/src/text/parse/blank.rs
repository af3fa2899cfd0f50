//! Comments become blanks before the grammar sees the text, byte for byte, so that offsets stay.

use std::borrow::Cow;

/// The text with comments (`//` to the end of the line, outside of strings), tabs and carriage
/// returns turned into blanks of the same length. Unchanged texts are borrowed.
pub(super) fn blank_comments(text: &str) -> Cow<'_, str> {
    // A search for one byte is several times as fast as one for a text.
    let comments = text.contains('/') && text.contains("//");
    if !comments && !text.contains('\t') && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    // Strings end with their line. A loop without an exit is vectorised: most lines have nothing to blank.
    for line in bytes.split_mut(|byte| *byte == b'\n') {
        let signs = line.iter().map(|byte| matches!(byte, b'/' | b'\t' | b'\r'));
        if signs.fold(false, |found, is_sign| found | is_sign) {
            blank_line(line);
        }
    }
    // Only whole characters were replaced, since a comment ends at a line end.
    match String::from_utf8(bytes) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(text),
    }
}

/// Blanks the comment, tabs and carriage returns of a line.
fn blank_line(line: &mut [u8]) {
    let (mut at, mut quoted) = (0, false);
    while let Some(byte) = line.get(at).copied() {
        match byte {
            b'\t' | b'\r' => line[at] = b' ',
            b'"' => quoted = !quoted,
            b'\\' if quoted => at += 1,
            b'/' if !quoted && line.get(at + 1) == Some(&b'/') => {
                line[at..].fill(b' ');
                return;
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::blank_comments;

    #[test]
    fn comments_outside_of_strings_go_and_offsets_stay() {
        let text = "a // b\n\"c // \\\" d\" e//ü\r\n\tf";
        let expected = "a     \n\"c // \\\" d\" e     \n f";
        assert_eq!(blank_comments(text), expected);
        assert_eq!(text.len(), expected.len());
        // A string that isn't closed ends with its line.
        assert_eq!(blank_comments("\"a // b\n// c"), "\"a // b\n    ");
        assert!(matches!(
            blank_comments("a / b"),
            std::borrow::Cow::Borrowed(_)
        ));
    }
}
