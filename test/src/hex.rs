//! Golden files are stored as hexadecimal text.

/// The bytes that the hexadecimal digits of `text` say; all else in it is passed over.
pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(text, 16).expect("digits")
    };
    digits.chunks(2).map(pair).collect()
}
