//! A set from its description, a JSON file: checked against the schema first, then for what the
//! schema can't say.

use aiec_diag::{Diag, FileId, Span};
use serde_json::{Map, Value};

use crate::finding::DESCRIPTION;
use crate::json_path::{JsonPath, PathKey};
use crate::schema;
use crate::set::{Defect, Level};
use crate::{Field, Instruction, Set};

/// Reads a description. `file` is the text's place in the sources, for spans.
pub fn read(text: &str, file: FileId) -> Result<Set, Vec<Diag>> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let at = offset(text, error.line(), error.column());
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        let diag = Diag::error(&DESCRIPTION, format!("the description is no JSON: {why}"));
        let help = "`aiec isa --target drra-v2 --format=json` prints one to begin from";
        vec![diag.label(Span::new(file, at, at + 1), "").help(help)]
    })?;
    let defects = match from_value(&value) {
        Ok(set) => return Ok(set),
        Err(defects) => defects,
    };
    Err(defects.iter().map(|d| finding(d, text, file)).collect())
}

/// A defect of a description as a finding in its text.
pub fn finding(defect: &Defect, text: &str, file: FileId) -> Diag {
    let message = format!("{} {}", defect.path, defect.message);
    let (start, end) = locate(text, &defect.path);
    let diag = Diag::error(&DESCRIPTION, message).label(Span::new(file, start, end), "");
    diag.help(defect.help.clone())
}

/// A set from a description that is JSON already.
pub fn from_value(value: &Value) -> Result<Set, Vec<Defect>> {
    let schema = schema::base();
    let violations = schema::violations(&schema, value);
    if !violations.is_empty() {
        return Err(violations);
    }
    let mut reader = Reader {
        schema,
        defects: Vec::new(),
    };
    let set = reader.set(value);
    if reader.defects.is_empty() {
        set.checked()
    } else {
        Err(reader.defects)
    }
}

/// Byte offset of a line and column, both from 1, the column in bytes; at most the last byte.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(line.saturating_sub(1)).unwrap_or(0);
    let at = start + column.saturating_sub(1);
    at.min(text.len().saturating_sub(1))
}

/// Turns a value that keeps to the schema into a set. Numbers out of the range of u64 or u32 are
/// defects.
struct Reader {
    /// That of plain descriptions, see [`schema::base`].
    schema: Value,
    defects: Vec<Defect>,
}

impl Reader {
    fn set(&mut self, value: &Value) -> Set {
        let root = JsonPath::default();
        let templates = value.get("instruction_templates").and_then(Value::as_array);
        let path = root.key("instruction_templates");
        let instructions = templates.into_iter().flatten().enumerate();
        Set {
            platform: text(value, "platform").unwrap_or_default(),
            chunk_name: "chunk",
            chunk_bits: self.small(value, &root, "instr_bitwidth").unwrap_or(0),
            code_bits: self.small(value, &root, "instr_code_bitwidth").unwrap_or(0),
            instructions: instructions
                .map(|(at, value)| self.instruction(value, &path.index(at)))
                .collect(),
            extras: self.extras(value, Level::Set),
            ..Set::default()
        }
    }

    fn instruction(&mut self, value: &Value, path: &JsonPath) -> Instruction {
        let templates = value.get("segment_templates").and_then(Value::as_array);
        let fields_path = path.key("segment_templates");
        let fields = templates.map(|all| {
            let all = all.iter().enumerate();
            all.map(|(at, value)| self.field(value, &fields_path.index(at)))
                .collect()
        });
        Instruction {
            code: self.number(value, path, "code").unwrap_or(0),
            name: text(value, "name").unwrap_or_default(),
            phases: self.small(value, path, "phase"),
            max_chunks: self.small(value, path, "max_chunk"),
            fields,
            extras: self.extras(value, Level::Instruction),
            ..Instruction::default()
        }
    }

    fn field(&mut self, value: &Value, path: &JsonPath) -> Field {
        let words = value.get("verbo_map").and_then(Value::as_array);
        let words_path = path.key("verbo_map");
        let words = words.map(|all| {
            let all = all.iter().enumerate();
            all.filter_map(|(at, value)| self.word(value, &words_path.index(at)))
                .collect()
        });
        Field {
            name: text(value, "name").unwrap_or_default(),
            bits: self.small(value, path, "bitwidth").unwrap_or(0),
            default: self.number(value, path, "default_val"),
            settable: value.get("controllable").and_then(Value::as_bool),
            decoded: value.get("observable").and_then(Value::as_bool),
            words,
            doc: text(value, "comment").unwrap_or_default(),
            extras: self.extras(value, Level::Field),
            ..Field::default()
        }
    }

    /// A value and its word: both must be there, which the schema leaves open.
    fn word(&mut self, value: &Value, path: &JsonPath) -> Option<(u64, String)> {
        for key in ["key", "val"] {
            if value.get(key).is_none() {
                self.refuse(path, format!("has no '{key}'"), "give value and word");
            }
        }
        Some((self.number(value, path, "key")?, text(value, "val")?))
    }

    /// A number, if the key is there.
    fn number(&mut self, value: &Value, path: &JsonPath, key: &str) -> Option<u64> {
        let given = value.get(key)?;
        if given.as_u64().is_none() {
            let message = format!("is {given}; numbers are not negative");
            self.refuse(&path.key(key), message, "give a number of 0 or more");
        }
        given.as_u64()
    }

    fn small(&mut self, value: &Value, path: &JsonPath, key: &str) -> Option<u32> {
        let number = self.number(value, path, key)?;
        // what is too large here is refused with its bound by the check of the set
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn refuse(&mut self, path: &JsonPath, message: String, help: &str) {
        self.defects.push(Defect::new(path.clone(), message, help));
    }

    /// The members that the schema does not know.
    fn extras(&mut self, value: &Value, level: Level) -> Map<String, Value> {
        let known = schema::properties(&mut self.schema, level);
        let members = value.as_object().into_iter().flatten();
        members
            .filter(|(key, _)| !known.as_ref().is_some_and(|known| known.contains_key(*key)))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The bytes of the value at a path of a JSON text; of the innermost value on the way there that
/// exists.
fn locate(text: &str, path: &JsonPath) -> (usize, usize) {
    let mut scanner = Scanner { text, at: 0 };
    scanner.blanks();
    for key in path.keys() {
        let start = scanner.at;
        if scanner.enter(key).is_none() {
            scanner.at = start;
            break;
        }
    }
    let start = scanner.at;
    scanner.skip_value();
    let all = text.get(start..scanner.at).unwrap_or_default();
    // of a value over several lines the first one says enough
    let first = all.lines().next().unwrap_or_default();
    (start, start + first.trim_end().len().max(1))
}

/// Walks a text that is valid JSON.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Moves from a value to the one inside it.
    fn enter(&mut self, key: &PathKey) -> Option<()> {
        let mut element = 0;
        self.at += 1;
        loop {
            self.blanks();
            match (self.peek()?, key) {
                (b'}' | b']', _) => return None,
                (b',', _) => {
                    self.at += 1;
                    continue;
                }
                (_, PathKey::Element(wanted)) => {
                    if element == *wanted {
                        return Some(());
                    }
                    element += 1;
                }
                (_, PathKey::Member(wanted)) => {
                    let start = self.at;
                    self.skip_value();
                    let name = self.text.get(start..self.at)?;
                    let name: String = serde_json::from_str(name).ok()?;
                    self.blanks();
                    self.at += 1;
                    self.blanks();
                    if name == *wanted {
                        return Some(());
                    }
                }
            }
            self.skip_value();
        }
    }

    /// Skips a value: text, number, word, or all of an object or array.
    fn skip_value(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_text(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let inside = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
                    while self.peek().is_some_and(inside) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_text(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }
}
