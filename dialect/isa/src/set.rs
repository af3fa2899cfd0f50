//! The model: a set of instructions, each of one or several chunks, with fields.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json_path::JsonPath;

/// Most bits of a chunk and of a field: both are handled as `u64`.
pub const MAX_BITS: u32 = 64;
/// Most chunks of an instruction; far more than any set has, and a bound on memory.
pub const MAX_CHUNKS: u32 = 64;
/// Name of the code among the fields of a description; no field may have it.
pub const CODE_FIELD: &str = "instr_code";

/// Where bits of an instruction are counted from, and in which chunk a bit lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BitOrder {
    /// The code and then the fields, in order, without gaps, from the most significant bit of the
    /// first chunk down and across chunk borders. Positions count from the last bit of an
    /// instruction of as many chunks as it can have.
    #[default]
    MsbFirst,
    /// Positions count from the least significant bit of the first chunk up; chunk n has bits n ·
    /// width and above. Every field states its position.
    LsbFirst {
        /// Lowest bit of the code.
        code_position: u32,
    },
}

/// An instruction set.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Set {
    /// Name of the machine.
    pub platform: String,
    /// Introduction of its page; paragraphs of Markdown, may be empty.
    pub doc: String,
    /// Name of a chunk in prose, in the singular: "chunk", "byte".
    pub chunk_name: &'static str,
    /// Bits of a chunk: 1 to 64.
    pub chunk_bits: u32,
    /// Bits of the code.
    pub code_bits: u32,
    /// Order of the bits.
    pub order: BitOrder,
    /// The instructions, in the order of the description.
    pub instructions: Vec<Instruction>,
    /// Meanings of fields, for sets whose fields name one.
    pub kinds: Vec<OperandKind>,
    /// Further tables of its page: registers, units, directives.
    pub tables: Vec<Table>,
    /// Further keys of the description, as they are.
    pub extras: Map<String, Value>,
    /// Keys beyond those of every description, with the values that they may hold.
    pub extensions: Vec<Extension>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Instruction {
    /// Its code.
    pub code: u64,
    /// Mnemonic.
    pub name: String,
    /// Number of its phases for scheduling, if the description states it.
    pub phases: Option<u32>,
    /// Chunks of its longest form, if the description states it.
    pub max_chunks: Option<u32>,
    /// Syntax, if the description states it.
    pub syntax: Option<String>,
    /// Its effect; may be empty.
    pub doc: String,
    /// Fields after the code, in text order; `None` if the description has no list of them.
    pub fields: Option<Vec<Field>>,
    /// Further keys of the description, as they are.
    pub extras: Map<String, Value>,
}

/// A field of an instruction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Width in bits: 1 to 64.
    pub bits: u32,
    /// Lowest bit, counted as [`BitOrder`] says; [`Set::checked`] sets it for
    /// [`BitOrder::MsbFirst`].
    pub position: u32,
    /// Value where none is given, if the description states it.
    pub default: Option<u64>,
    /// Whether text may set it, if the description states it.
    pub settable: Option<bool>,
    /// Whether it is decoded, if the description states it.
    pub decoded: Option<bool>,
    /// Words for values, if the description has a list of them.
    pub words: Option<Vec<(u64, String)>>,
    /// Its meaning: the name of one of [`Set::kinds`].
    pub kind: Option<String>,
    /// Highest value that is encoded, where it is not the highest that the field holds.
    pub max: Option<u64>,
    /// Description.
    pub doc: String,
    /// Further keys of the description, as they are.
    pub extras: Map<String, Value>,
}

/// Meaning of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandKind {
    /// Name.
    pub name: String,
    /// Syntax in text; empty for kinds that aren't written.
    pub syntax: String,
    /// Encoding of the value.
    pub encoding: String,
}

/// A table that belongs to a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The items that it lists.
    pub title: String,
    /// Text above it; may be empty.
    pub doc: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Cells, as many in each row as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// A key that only this set's description has.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension {
    /// Where it is.
    pub level: Level,
    /// The key.
    pub key: &'static str,
    /// The JSON schema of its value.
    pub schema: Value,
}

/// Which object of a description has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The description itself.
    Set,
    /// Each instruction.
    Instruction,
    /// Each field.
    Field,
}

/// The problem with a set, and where in its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Path in the description.
    pub path: JsonPath,
    /// The problem, after the path: "isn't an integer".
    pub message: String,
    /// The way out.
    pub help: String,
}

impl Defect {
    pub(crate) fn new(path: JsonPath, message: String, help: &str) -> Defect {
        let help = help.to_owned();
        Defect {
            path,
            message,
            help,
        }
    }
}

impl Field {
    /// A field that text may set and that is decoded, with default 0.
    pub fn new(name: &str, bits: u32) -> Field {
        Field {
            name: name.to_owned(),
            bits,
            ..Field::default()
        }
    }

    /// Sets its lowest bit.
    pub fn at(mut self, position: u32) -> Field {
        self.position = position;
        self
    }

    /// Sets its description.
    pub fn doc(mut self, doc: &str) -> Field {
        self.doc = doc.to_owned();
        self
    }

    /// Sets its kind of operand.
    pub fn kind(mut self, kind: &str) -> Field {
        self.kind = Some(kind.to_owned());
        self
    }

    /// Gives it a value that text cannot change.
    pub fn fixed(mut self, value: u64) -> Field {
        self.default = Some(value);
        self.settable = Some(false);
        self
    }

    /// Value where none is given: 0 unless stated.
    pub fn default_value(&self) -> u64 {
        self.default.unwrap_or(0)
    }

    /// Whether text may set it: yes unless stated.
    pub fn is_settable(&self) -> bool {
        self.settable.unwrap_or(true)
    }

    /// Whether it is decoded: yes unless stated.
    pub fn is_decoded(&self) -> bool {
        self.decoded.unwrap_or(true)
    }

    /// Highest value that the field holds.
    pub fn mask(&self) -> u64 {
        low_bits(self.bits)
    }

    /// Highest value that is encoded.
    pub fn highest(&self) -> u64 {
        self.max.unwrap_or(self.mask())
    }

    /// Words for values; none if the description has none.
    pub fn words(&self) -> &[(u64, String)] {
        self.words.as_deref().unwrap_or_default()
    }

    /// The word for a value.
    pub fn word_of(&self, value: u64) -> Option<&str> {
        let found = self.words().iter().find(|(key, _)| *key == value);
        found.map(|(_, word)| word.as_str())
    }

    /// The value of a word, in any letter case.
    pub fn value_of(&self, word: &str) -> Option<u64> {
        let same = |(_, other): &&(u64, String)| other.eq_ignore_ascii_case(word);
        self.words().iter().find(same).map(|(key, _)| *key)
    }
}

impl Instruction {
    /// An instruction of one chunk without fields.
    pub fn new(code: u64, name: &str) -> Instruction {
        Instruction {
            code,
            name: name.to_owned(),
            ..Instruction::default()
        }
    }

    /// The fields after the code, in text order.
    pub fn fields(&self) -> &[Field] {
        self.fields.as_deref().unwrap_or_default()
    }

    /// Chunks of the longest form: 1 unless stated.
    pub fn longest(&self) -> u32 {
        self.max_chunks.unwrap_or(1)
    }

    /// Number of phases: 1 unless stated.
    pub fn phase_count(&self) -> u32 {
        self.phases.unwrap_or(1)
    }

    /// Index and field of a name, in any letter case.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        let mut fields = self.fields().iter().enumerate();
        fields.find(|(_, field)| field.name.eq_ignore_ascii_case(name))
    }

    /// Values of the fields where none is given.
    pub fn defaults(&self) -> Vec<u64> {
        self.fields().iter().map(Field::default_value).collect()
    }
}

impl Set {
    /// The instruction of a name, in any letter case.
    pub fn find(&self, name: &str) -> Option<&Instruction> {
        let mut all = self.instructions.iter();
        all.find(|instruction| instruction.name.eq_ignore_ascii_case(name))
    }

    /// The instruction of a code.
    pub fn by_code(&self, code: u64) -> Option<&Instruction> {
        let mut all = self.instructions.iter();
        all.find(|instruction| instruction.code == code)
    }

    /// Sets the positions of fields where the order gives them, and returns all that is wrong
    /// with the set: codes, names and fields given twice, what doesn't fit its bits, fields that
    /// need more chunks than there are or lie on one another.
    pub fn checked(mut self) -> Result<Set, Vec<Defect>> {
        let mut checker = Checker::default();
        checker.widths(&self);
        if checker.defects.is_empty() {
            let (order, chunk_bits, code_bits) = (self.order, self.chunk_bits, self.code_bits);
            for (at, instruction) in self.instructions.iter_mut().enumerate() {
                checker.instruction(at, instruction, code_bits);
                if order == BitOrder::MsbFirst {
                    place_in_order(instruction, chunk_bits, code_bits);
                }
            }
            checker.places(&self);
        }
        if checker.defects.is_empty() {
            Ok(self)
        } else {
            Err(checker.defects)
        }
    }
}

/// The lowest `bits` bits set; `bits` is 0 to 64.
pub(crate) fn low_bits(bits: u32) -> u64 {
    match bits {
        0 => 0,
        bits => u64::MAX >> (MAX_BITS - bits.min(MAX_BITS)),
    }
}

/// Gives the fields their positions after the code, most significant bit first.
fn place_in_order(instruction: &mut Instruction, chunk_bits: u32, code_bits: u32) {
    let total = chunk_bits * instruction.longest().min(MAX_CHUNKS);
    let mut left = total.saturating_sub(code_bits);
    for field in instruction.fields.iter_mut().flatten() {
        left = left.saturating_sub(field.bits);
        field.position = left;
    }
}

/// Finds the defects of a set.
#[derive(Default)]
struct Checker {
    defects: Vec<Defect>,
}

impl Checker {
    fn refuse(&mut self, path: JsonPath, message: String, help: &str) {
        self.defects.push(Defect::new(path, message, help));
    }

    fn widths(&mut self, set: &Set) {
        let root = JsonPath::default();
        if !(1..=MAX_BITS).contains(&set.chunk_bits) {
            let message = format!("is {}; a chunk has 1 to {MAX_BITS} bits", set.chunk_bits);
            let help = "give the bits of an instruction word";
            self.refuse(root.key("instr_bitwidth"), message, help);
        }
        if set.code_bits == 0 || set.code_bits > set.chunk_bits {
            let message = format!(
                "is {}; the code has 1 bit at least and lies in the first chunk of {} bits",
                set.code_bits, set.chunk_bits
            );
            let help = "give the bits of the code";
            self.refuse(root.key("instr_code_bitwidth"), message, help);
        }
        if set.instructions.is_empty() {
            let message = "is empty: the set has no instruction".to_owned();
            let help = "describe an instruction at least";
            self.refuse(root.key("instruction_templates"), message, help);
        }
    }

    fn instruction(&mut self, at: usize, instruction: &Instruction, code_bits: u32) {
        let path = JsonPath::default().key("instruction_templates").index(at);
        self.name(&path, &instruction.name);
        if instruction.code > low_bits(code_bits) {
            let message = format!(
                "is {}, which doesn't fit the {code_bits} bits of the code",
                instruction.code
            );
            self.refuse(path.key("code"), message, "take a code that fits");
        }
        if !(1..=MAX_CHUNKS).contains(&instruction.longest()) {
            let message = format!(
                "is {}; an instruction has 1 to {MAX_CHUNKS} chunks",
                instruction.longest()
            );
            self.refuse(path.key("max_chunk"), message, "give its longest form");
        }
        if instruction.phases == Some(0) {
            let message = "is 0; an instruction has at least one phase".to_owned();
            self.refuse(path.key("phase"), message, "leave it out for 1");
        }
        let mut names = HashSet::new();
        for (at, field) in instruction.fields().iter().enumerate() {
            let path = path.key("segment_templates").index(at);
            self.name(&path, &field.name);
            if field.name == CODE_FIELD || !names.insert(field.name.to_ascii_lowercase()) {
                let message = format!("'{}' is another field's name", field.name);
                let help = "give each field of an instruction its own name";
                self.refuse(path.key("name"), message, help);
            }
            self.field(&path, field);
        }
    }

    /// A name can be written in text.
    fn name(&mut self, path: &JsonPath, name: &str) {
        let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
        let rest = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if !first || !name.bytes().all(rest) {
            let message = format!("'{name}' can't be written in text");
            let help = "names are a letter, then letters, digits and '_'";
            self.refuse(path.key("name"), message, help);
        }
    }

    fn field(&mut self, path: &JsonPath, field: &Field) {
        if !(1..=MAX_BITS).contains(&field.bits) {
            let message = format!("is {}; a field has 1 to {MAX_BITS} bits", field.bits);
            self.refuse(path.key("bitwidth"), message, "give the field's width");
            return;
        }
        if field.default_value() > field.mask() {
            let message = format!(
                "is {}, which doesn't fit {} bits",
                field.default_value(),
                field.bits
            );
            self.refuse(path.key("default_val"), message, "take a value that fits");
        }
        let (mut keys, mut words) = (HashSet::new(), HashSet::new());
        for (at, (key, word)) in field.words().iter().enumerate() {
            let path = path.key("verbo_map").index(at);
            if *key > field.mask() {
                let message = format!("is {key}, which doesn't fit {} bits", field.bits);
                self.refuse(path.key("key"), message, "take a value that fits");
            }
            if !keys.insert(*key) {
                let message = format!("{key} has a word already");
                self.refuse(path.key("key"), message, "give each value one word");
            }
            if !words.insert(word.to_ascii_lowercase()) {
                let message = format!("'{word}' is the word of another value");
                self.refuse(path.key("val"), message, "give each word one value");
            }
        }
    }

    /// Codes and names are given once; fields lie inside the instruction and on no other's bits.
    fn places(&mut self, set: &Set) {
        let (mut codes, mut names) = (HashSet::new(), HashSet::new());
        for (at, instruction) in set.instructions.iter().enumerate() {
            let path = JsonPath::default().key("instruction_templates").index(at);
            if !codes.insert(instruction.code) {
                let message = format!("{} is another instruction's code", instruction.code);
                self.refuse(path.key("code"), message, "give each its own code");
            }
            if !names.insert(instruction.name.to_ascii_lowercase()) {
                let message = format!("'{}' is another instruction's name", instruction.name);
                self.refuse(path.key("name"), message, "give each its own name");
            }
            let total = set.chunk_bits * instruction.longest().min(MAX_CHUNKS);
            let fields = instruction.fields();
            let need =
                u64::from(set.code_bits) + fields.iter().map(|f| u64::from(f.bits)).sum::<u64>();
            if need > u64::from(total) {
                let message = format!(
                    "code and fields have {need} bits, {} of {} bits have {total}",
                    instruction.longest(),
                    set.chunk_bits
                );
                let help = "state more chunks in max_chunk, or make fields narrower";
                self.refuse(path.key("segment_templates"), message, help);
                continue;
            }
            if let BitOrder::LsbFirst { code_position } = set.order {
                self.overlaps(&path, set, instruction, code_position, total);
            }
        }
    }

    fn overlaps(
        &mut self,
        path: &JsonPath,
        set: &Set,
        instruction: &Instruction,
        code_position: u32,
        total: u32,
    ) {
        let mut used: Vec<(u32, u32, &str)> = vec![(code_position, set.code_bits, CODE_FIELD)];
        for (at, field) in instruction.fields().iter().enumerate() {
            let path = path.key("segment_templates").index(at).key("position");
            let (low, high) = (field.position, field.position.saturating_add(field.bits));
            if high > total {
                let message = format!("bits {low} to {} lie after the last chunk", high - 1);
                self.refuse(path, message, "take a position inside");
                continue;
            }
            if let Some((_, _, other)) = used.iter().find(|(p, b, _)| low < p + b && *p < high) {
                let message = format!("'{}' lies on the bits of '{other}'", field.name);
                self.refuse(path, message, "take bits that no other field has");
            }
            used.push((low, field.bits, &field.name));
        }
    }
}
