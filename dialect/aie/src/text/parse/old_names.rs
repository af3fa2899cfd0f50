//! Names of dialects and operations as texts of 2023 and early 2024 have them become today's, byte for
//! byte, so that offsets stay: `AIE.tile`, `AIEX.ipu.sync`, `!AIE.objectFifo<…>`.

use std::borrow::Cow;

/// Marks of old names: a text without any of them is left as it is.
const MARKS: [&str; 4] = ["AIE.", "AIEX.", "aiex.ipu.", "objectFifo"];

/// Beginnings of old names with today's, of one length.
const DIALECTS: [(&str, &str); 4] = [
    ("AIE.", "aie."),
    ("AIEX.ipu.", "aiex.npu."),
    ("AIEX.", "aiex."),
    ("aiex.ipu.", "aiex.npu."),
];

/// Parts of old names with today's, of one length.
const PARTS: [(&str, &str); 2] = [
    ("objectFifoSubview", "objectfifosubview"),
    ("objectFifo", "objectfifo"),
];

/// The text with today's names, and where the first old one is; unchanged texts are borrowed.
/// Comments must be gone.
pub(super) fn todays_names(text: &str) -> (Cow<'_, str>, Option<usize>) {
    if !MARKS.iter().any(|mark| text.contains(mark)) {
        return (Cow::Borrowed(text), None);
    }
    let mut new = String::with_capacity(text.len());
    let (mut at, mut first, mut quoted) = (0, None, false);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let is_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
        let length = bytes[at..].iter().take_while(|byte| is_name(byte)).count();
        if length == 0 {
            let next = text[at..].chars().next().map_or(1, char::len_utf8);
            match bytes[at] {
                b'"' => quoted = !quoted,
                b'\n' => quoted = false,
                _ => {}
            }
            new.push_str(&text[at..at + next]);
            at += next;
            continue;
        }
        let word = &text[at..at + length];
        // Names of values, symbols, blocks and aliases are the user's.
        let own = at > 0 && matches!(bytes[at - 1], b'%' | b'@' | b'^' | b'#');
        match today(word).filter(|_| !own && !quoted) {
            Some(today) => {
                first.get_or_insert(at);
                new.push_str(&today);
            }
            None => new.push_str(word),
        }
        at += length;
    }
    (Cow::Owned(new), first)
}

/// Today's form of a name; `None` if it has it.
fn today(word: &str) -> Option<String> {
    let mut name = word.to_string();
    if let Some((old, new)) = DIALECTS.iter().find(|(old, _)| word.starts_with(old)) {
        name = format!("{new}{}", &word[old.len()..]);
    }
    if name.starts_with("aie.") {
        for (old, new) in PARTS {
            name = name.replace(old, new);
        }
    }
    (name != word).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::todays_names;

    #[test]
    fn names_change_and_offsets_stay() {
        let old = "%AIE.x = AIE.tile(0, 2) AIEX.ipu.sync !AIE.objectFifoSubview<i32> @AIE.y \"AIE.z\" é AIE.end";
        let (new, first) = todays_names(old);
        let wanted = "%AIE.x = aie.tile(0, 2) aiex.npu.sync !aie.objectfifosubview<i32> @AIE.y \"AIE.z\" é aie.end";
        assert_eq!(new, wanted);
        assert_eq!((new.len(), first), (old.len(), Some(9)));
        let today = "aie.objectfifo @objectFifo(%a)";
        let (new, first) = todays_names(today);
        assert_eq!((&*new, first), (today, None));
    }
}
