//! The findings that all assemblers on this crate share.

use aiec_diag::{Diag, Span, did_you_mean};

aiec_diag::codes! {
    /// Codes of descriptions of instruction sets and of their assembly.
    pub static CODES;
    NOT_TEXT = "isa::not-text",
        "The file isn't text: its bytes are not UTF-8. Assembly and descriptions are text; `aiec dis` \
         makes text of binary files.";
    DESCRIPTION = "isa::description",
        "The description of an instruction set does not hold to its schema (`aiec isa --format=schema`), or \
         describes what can't be encoded: codes or names given twice, values that don't fit their bits, \
         fields that need more chunks than max_chunk. The message names the JSON path.";
    UNTERMINATED = "isa::unterminated",
        "A comment or a text in quotes has no end. Texts end on the line they begin on, with a quote; comments that \
         begin with /* end with */.";
    NOT_A_NUMBER = "isa::not-a-number",
        "A number was expected. Numbers are decimal or hexadecimal with 0x; other notations are refused, as tools \
         read them differently.";
    LEADING_ZERO = "isa::leading-zero",
        "A decimal number begins with 0. Some tools read it as octal: write it without the zero, or \
         hexadecimal with 0x.";
    TOO_LARGE = "isa::too-large",
        "The number does not fit the bits that it is encoded in. The message says which values do.";
    UNKNOWN_NAME = "isa::unknown-name",
        "No instruction, field or word has this name. `aiec isa --target NAME` lists those of a target.";
}

/// The finding for a file that isn't text, with the byte offset of the first byte that isn't UTF-8.
pub fn not_text(name: &str, bytes: &[u8], help: &str) -> Option<Diag> {
    let error = std::str::from_utf8(bytes).err()?;
    let at = error.valid_up_to();
    let message = format!("{name} isn't text: byte 0x{at:x} is not UTF-8");
    Some(Diag::error(&NOT_TEXT, message).help(help))
}

/// A name that nothing has: "there is no register 'X'", with the nearest or `else_help`.
pub fn unknown_name<'a>(
    what: &str,
    name: &str,
    span: Span,
    candidates: impl IntoIterator<Item = &'a str>,
    else_help: &str,
) -> Diag {
    let diag = Diag::error(&UNKNOWN_NAME, format!("there is no {what} '{name}'")).label(span, "");
    match did_you_mean(name, candidates) {
        Some(near) => diag.help(format!("did you mean '{near}'?")),
        None => diag.help(else_help),
    }
}

/// A number that doesn't fit: `what` holds `lowest` to `highest`.
pub fn too_large(text: &str, span: Span, what: &str, lowest: i64, highest: u64) -> Diag {
    let message = format!("{text} is out of range: {what} holds {lowest} to {highest}");
    let help = format!("give a number from {lowest} to {highest}");
    Diag::error(&TOO_LARGE, message).label(span, "").help(help)
}
