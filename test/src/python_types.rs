//! The JSON Schema of the simulator's report as types of Python, so that a type checker knows its keys.

use serde_json::Value;

/// Text before the types.
const HEAD: &str = "\
\"\"\"Keys of reports of runs, made from the schema that ``aiec sim --report-schema`` prints.

``AIEC_BLESS=1 cargo test -p aiec-test --test project docs`` writes this file anew.
\"\"\"

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired
";

/// The module of types of a schema; `root` is the name of the type of the whole document.
pub fn module(schema: &Value, root: &str) -> String {
    let mut text = HEAD.to_string();
    for (name, def) in schema["$defs"].as_object().into_iter().flatten() {
        text += &class(name, def);
    }
    text + &class(root, schema)
}

fn class(name: &str, schema: &Value) -> String {
    let about = schema["description"].as_str().unwrap_or_default();
    let mut text = format!("\n\nclass {name}(TypedDict):\n    \"\"\"{about}\"\"\"\n\n");
    let required = schema["required"].as_array();
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|k| k == key));
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        let name = type_of(member);
        text += &if is_required(key) {
            format!("    {key}: {name}\n")
        } else {
            format!("    {key}: NotRequired[{name}]\n")
        };
    }
    text
}

fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_string();
    }
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<String> = names.iter().map(Value::to_string).collect();
        return format!("Literal[{}]", names.join(", ")).replace("null", "None");
    }
    let alternatives = |all: &Vec<Value>, name: &dyn Fn(&Value) -> String| {
        let names: Vec<String> = all.iter().map(name).collect();
        names.join(" | ")
    };
    if let Some(any) = schema["anyOf"].as_array() {
        return alternatives(any, &type_of);
    }
    let named = |name: &Value| match name.as_str() {
        Some("integer") => "int".to_string(),
        Some("number") => "float".to_string(),
        Some("string") => "str".to_string(),
        Some("boolean") => "bool".to_string(),
        Some("array") => format!("list[{}]", type_of(&schema["items"])),
        Some("object") => format!("dict[str, {}]", type_of(&schema["additionalProperties"])),
        Some("null") => "None".to_string(),
        _ => "Any".to_string(),
    };
    match &schema["type"] {
        Value::Array(names) => alternatives(names, &named),
        name => named(name),
    }
}
