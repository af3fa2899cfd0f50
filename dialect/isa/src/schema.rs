//! The JSON schema of descriptions, and what of JSON Schema is needed to check a description
//! against it: `type`, `properties`, `required`, `items`, `uniqueItems`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::json_path::JsonPath;
use crate::set::{BitOrder, Defect, Level};
use crate::{Extension, Set};

/// The schema of a description that has no keys of its own (as published with DRRA's; vesyla:
/// instruction set schema).
pub fn base() -> Value {
    let string = json!({ "type": "string" });
    let integer = json!({ "type": "integer" });
    let boolean = json!({ "type": "boolean" });
    let verb = json!({ "type": "object", "properties": { "key": integer, "val": string } });
    let field = json!({
        "type": "object",
        "properties": {
            "name": string,
            "bitwidth": integer,
            "default_val": integer,
            "controllable": boolean,
            "observable": boolean,
            "verbo_map": { "type": "array", "items": verb },
            "comment": string,
        },
        "required": ["name", "bitwidth", "comment"],
    });
    let instruction = json!({
        "type": "object",
        "properties": {
            "code": integer,
            "name": string,
            "phase": integer,
            "max_chunk": integer,
            "segment_templates": { "type": "array", "items": field, "uniqueItems": true },
        },
        "required": ["code", "name"],
    });
    json!({
        "type": "object",
        "properties": {
            "platform": string,
            "instr_bitwidth": integer,
            "instr_code_bitwidth": integer,
            "instruction_templates": {
                "type": "array", "items": instruction, "uniqueItems": true,
            },
        },
        "required": [
            "platform", "instr_bitwidth", "instr_code_bitwidth", "instruction_templates",
        ],
    })
}

/// The keys that the model has beyond the published schema: which sets use them shows in the
/// schema of the set.
pub fn model_extensions() -> Vec<Extension> {
    let row = |level, key, schema| Extension { level, key, schema };
    let text = |doc: &str| json!({ "type": "string", "description": doc });
    let number = |doc: &str| json!({ "type": "integer", "description": doc });
    let object = |names: &[&str], properties: Value| {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": properties,
                "required": names,
                "additionalProperties": false,
            },
        })
    };
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    vec![
        row(Level::Set, "doc", text("What the set is.")),
        row(
            Level::Set,
            "bit_order",
            json!({
                "enum": ["msb", "lsb"],
                "description": "msb, where it is left out: code and fields follow one another from the most \
                                significant bit of the first chunk. lsb: positions are stated and count from the \
                                least significant bit of the first chunk.",
            }),
        ),
        row(
            Level::Set,
            "code_position",
            number("Lowest bit of the code, for bit_order lsb."),
        ),
        row(
            Level::Set,
            "kinds",
            object(
                &["name", "syntax", "encoding"],
                json!({
                    "name": { "type": "string" },
                    "syntax": { "type": "string" },
                    "encoding": { "type": "string" },
                }),
            ),
        ),
        row(
            Level::Set,
            "tables",
            object(
                &["title", "doc", "columns", "rows"],
                json!({
                    "title": { "type": "string" },
                    "doc": { "type": "string" },
                    "columns": strings,
                    "rows": { "type": "array", "items": strings },
                }),
            ),
        ),
        row(Level::Instruction, "syntax", text("How it is written.")),
        row(Level::Instruction, "doc", text("What it does.")),
        row(
            Level::Field,
            "position",
            number("Lowest bit, for bit_order lsb."),
        ),
        row(Level::Field, "kind", text("Name of one of the kinds.")),
        row(
            Level::Field,
            "max",
            number("Highest value that is encoded."),
        ),
    ]
}

/// The schema of a set's description: the published one, and after it the keys that only this
/// set has.
pub fn of(set: &Set) -> Value {
    let mut schema = base();
    let own = set.order != BitOrder::MsbFirst || !set.kinds.is_empty() || !set.tables.is_empty();
    let model = if own { model_extensions() } else { Vec::new() };
    if own || !set.extensions.is_empty() {
        let remark = json!(format!("Instruction set of {}", set.platform));
        if let Some(object) = schema.as_object_mut() {
            object.insert("title".to_owned(), remark);
        }
    }
    for extension in model.iter().chain(&set.extensions) {
        if let Some(properties) = properties(&mut schema, extension.level) {
            properties.insert(extension.key.to_owned(), extension.schema.clone());
        }
    }
    schema
}

/// The `properties` of the objects of a level.
pub(crate) fn properties(schema: &mut Value, level: Level) -> Option<&mut Map<String, Value>> {
    let pointer = match level {
        Level::Set => "/properties",
        Level::Instruction => "/properties/instruction_templates/items/properties",
        Level::Field => {
            "/properties/instruction_templates/items/properties/segment_templates/items/properties"
        }
    };
    schema.pointer_mut(pointer)?.as_object_mut()
}

/// All that a value has against a schema, each with its path.
pub fn violations(schema: &Value, value: &Value) -> Vec<Defect> {
    let mut found = Vec::new();
    check(schema, value, &JsonPath::default(), &mut found);
    found
}

fn check(schema: &Value, value: &Value, path: &JsonPath, found: &mut Vec<Defect>) {
    let mut refuse = |path: JsonPath, message: String, help: &str| {
        found.push(Defect::new(path, message, help));
    };
    let wanted = schema.get("type").and_then(Value::as_str);
    if let Some(wanted) = wanted.filter(|wanted| !is_of_type(value, wanted)) {
        let message = format!("is {}, not {}", a_type(value), article(wanted));
        let help = format!("give {}", article(wanted));
        return refuse(path.clone(), message, &help);
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if value.as_object().is_some_and(|o| !o.contains_key(name)) {
            let message = format!("has no '{name}'");
            let help = format!("add \"{name}\"");
            refuse(path.clone(), message, &help);
        }
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        let mut seen = HashSet::new();
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            if !seen.insert(item.to_string()) {
                let message = "is the same as one before".to_owned();
                refuse(path.index(at), message, "remove one of them");
            }
        }
    }
    for (name, schema) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if let Some(member) = value.get(name) {
            check(schema, member, &path.key(name), found);
        }
    }
    if let Some(items) = schema.get("items") {
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            check(items, item, &path.index(at), found);
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

fn article(name: &str) -> String {
    match name {
        "object" | "array" | "integer" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

fn a_type(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
