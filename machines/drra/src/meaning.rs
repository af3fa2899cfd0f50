//! Meanings that a user's description gives its own instructions.
//!
//! `"meaning": {"instruction": "DPU", "fields": {"mode": "mac", "acc_clear": "by"}}` of an instruction says that it does what a
//! published one does. Each field of that is a number, a word of the published description, or the name of a
//! field of the own instruction; one that isn't listed is the own field of the same name or, if there is none, has its
//! published default.

use aiec_diag::{Diag, FileId};
use aiec_isa::json_path::JsonPath;
use aiec_isa::{Defect, Instruction, Set, description};
use serde_json::{Map, Value};

use crate::description::published;

/// The key of an instruction in a description.
const MEANING: &str = "meaning";
const INSTRUCTION: &str = "instruction";
const FIELDS: &str = "fields";

/// The meaning of an own instruction.
#[derive(Clone, Copy)]
pub(crate) struct Meaning<'a> {
    own: &'a Instruction,
    /// The published instruction that it is.
    pub published: &'static Instruction,
    fields: Option<&'a Map<String, Value>>,
}

impl<'a> Meaning<'a> {
    /// The meaning that the description of an instruction gives it.
    pub fn of(own: &'a Instruction) -> Option<Meaning<'a>> {
        let meaning = own.extras.get(MEANING)?;
        let name = meaning.get(INSTRUCTION)?.as_str()?;
        Some(Meaning {
            own,
            published: published().find(name)?,
            fields: meaning.get(FIELDS).and_then(Value::as_object),
        })
    }

    /// The bits of a field of the published instruction, the own fields being `values`.
    pub fn bits(&self, values: &[u64], field: &str) -> u64 {
        let (_, published) = match self.published.field(field) {
            Some(found) => found,
            None => return 0,
        };
        let own = |name: &str| {
            let (at, _) = self.own.field(name)?;
            values.get(at).copied()
        };
        let given = match self.fields.and_then(|fields| fields.get(field)) {
            Some(Value::String(name)) => own(name).or_else(|| published.value_of(name)),
            Some(number) => number.as_u64(),
            None => own(field),
        };
        given.unwrap_or_else(|| published.default_value())
    }

    /// Bits of the number that a field of the published instruction has: those of the own field where it is one.
    pub fn width(&self, field: &str) -> Option<u32> {
        let name = match self.fields.and_then(|fields| fields.get(field)) {
            Some(Value::String(name)) => name,
            Some(_) => return Some(self.published.field(field)?.1.bits),
            None => field,
        };
        let own = self.own.field(name).or_else(|| self.published.field(field));
        Some(own?.1.bits)
    }
}

/// A user's own description, its meanings checked.
///
/// # Errors
/// The text isn't a description, or a meaning fits no published instruction.
pub fn read_own_set(text: &str, file: FileId) -> Result<Set, Vec<Diag>> {
    let set = description::read(text, file)?;
    let defects = defects(&set);
    if defects.is_empty() {
        return Ok(set);
    }
    let findings = defects.iter().map(|d| description::finding(d, text, file));
    Err(findings.collect())
}

/// The problems with the meanings of a description.
fn defects(set: &Set) -> Vec<Defect> {
    let mut defects = Vec::new();
    for (at, own) in set.instructions.iter().enumerate() {
        if let Some(meaning) = own.extras.get(MEANING) {
            let path = JsonPath::default().key("instruction_templates").index(at);
            of_instruction(own, meaning, &path.key(MEANING), &mut defects);
        }
    }
    defects
}

fn of_instruction(own: &Instruction, meaning: &Value, path: &JsonPath, defects: &mut Vec<Defect>) {
    let mut refuse = |path: JsonPath, message: String, help: String| {
        defects.push(Defect {
            path,
            message,
            help,
        });
    };
    let name = meaning.get(INSTRUCTION).and_then(Value::as_str);
    let Some(published) = name.and_then(|name| published().find(name)) else {
        let message = "names no instruction of the published set".to_string();
        let help = "write {\"instruction\": \"DPU\", \"fields\": {…}}, with one that `aiec isa -t drra-v2` lists";
        return refuse(path.clone(), message, help.to_string());
    };
    let fields = match meaning.get(FIELDS) {
        None => return,
        Some(Value::Object(fields)) => fields,
        Some(_) => {
            let help =
                "give each field of the published instruction a number, a word, or a field's name";
            return refuse(
                path.key(FIELDS),
                "isn't an object".to_string(),
                help.to_string(),
            );
        }
    };
    for (field, value) in fields {
        let path = path.key(FIELDS).key(field);
        let Some((_, known)) = published.field(field) else {
            let message = format!("isn't a field of {}", published.name);
            let help = format!(
                "`aiec isa -t drra-v2` lists the fields of {}",
                published.name
            );
            refuse(path, message, help);
            continue;
        };
        let fits = |number: u64| known.bits >= 64 || number >> known.bits == 0;
        let is_known = match value {
            Value::String(word) => own.field(word).is_some() || known.value_of(word).is_some(),
            number => number.as_u64().is_some_and(fits),
        };
        if !is_known {
            let message = format!(
                "is neither a number of {} bits nor a word of {field} nor a field of {}",
                known.bits, own.name
            );
            let help = "name one of these";
            refuse(path, message, help.to_string());
        }
    }
}
