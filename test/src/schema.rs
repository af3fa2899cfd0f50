//! Checks JSON against the part of JSON Schema that our schemas use: `type`, `const`, `enum`,
//! `properties`, `required`, `additionalProperties` (false or a schema), `anyOf`, `items`, bounds of numbers, strings
//! and lists, `multipleOf`, `uniqueItems`, `pattern` and `$ref` within the schema. A keyword it does not know
//! is a violation, so that no part of a schema goes unchecked.

use serde_json::Value;

/// Keywords without an effect on what is allowed.
const REMARKS: [&str; 4] = ["$schema", "$defs", "title", "description"];

/// Violations of a schema by a value, each with the path to it; none if it keeps to the schema.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker {
        root: schema,
        found: Vec::new(),
    };
    checker.check(schema, value, "");
    checker.found
}

struct Checker<'s> {
    root: &'s Value,
    found: Vec<String>,
}

impl Checker<'_> {
    fn hold(&mut self, holds: bool, path: &str, keyword: &str) {
        if !holds {
            self.found.push(format!("{path}: {keyword}"));
        }
    }

    fn check(&mut self, schema: &Value, value: &Value, path: &str) {
        let Some(keywords) = schema.as_object() else {
            return self.hold(false, path, "the schema isn't an object");
        };
        for (keyword, wanted) in keywords {
            self.keyword(schema, (keyword, wanted), value, path);
        }
    }

    fn keyword(
        &mut self,
        schema: &Value,
        (keyword, wanted): (&str, &Value),
        value: &Value,
        path: &str,
    ) {
        let number = value.as_f64();
        let bound = wanted.as_f64().unwrap_or(f64::NAN);
        let length = value.as_array().map(Vec::len).map(|n| n as f64);
        let holds = match keyword {
            "type" => match wanted.as_array() {
                Some(any) => any
                    .iter()
                    .any(|t| is_of_type(value, t.as_str().unwrap_or_default())),
                None => is_of_type(value, wanted.as_str().unwrap_or_default()),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => number.is_none_or(|n| n >= bound),
            "maximum" => number.is_none_or(|n| n <= bound),
            "multipleOf" => number.is_none_or(|n| n % bound == 0.0),
            "uniqueItems" => {
                let items: Vec<&Value> = value.as_array().into_iter().flatten().collect();
                let mut pairs = items.iter().enumerate();
                pairs.all(|(at, item)| !items.iter().take(at).any(|other| other == item))
            }
            "minItems" => length.is_none_or(|n| n >= bound),
            "maxItems" => length.is_none_or(|n| n <= bound),
            "minLength" => value.as_str().is_none_or(|s| s.len() as f64 >= bound),
            "pattern" => matches(value, wanted),
            "required" => {
                let names = wanted.as_array().into_iter().flatten();
                let mut names = names.filter_map(Value::as_str);
                value
                    .as_object()
                    .is_none_or(|object| names.all(|name| object.contains_key(name)))
            }
            "additionalProperties" => {
                let known = schema.get("properties");
                let members = value.as_object().into_iter().flatten();
                let others = members
                    .filter(|(name, _)| known.is_none_or(|known| known.get(*name).is_none()));
                let mut others = others.peekable();
                match wanted {
                    Value::Bool(false) => others.peek().is_none(),
                    Value::Object(_) => {
                        others.for_each(|(name, member)| {
                            self.check(wanted, member, &format!("{path}/{name}"));
                        });
                        true
                    }
                    _ => false,
                }
            }
            "anyOf" => wanted.as_array().into_iter().flatten().any(|schema| {
                let mut alternative = Checker {
                    root: self.root,
                    found: Vec::new(),
                };
                alternative.check(schema, value, path);
                alternative.found.is_empty()
            }),
            "properties" => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(member) = value.get(name) {
                        self.check(schema, member, &format!("{path}/{name}"));
                    }
                }
                true
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(wanted, item, &format!("{path}/{i}"));
                }
                true
            }
            "$ref" => {
                let pointer = wanted.as_str().and_then(|p| p.strip_prefix('#'));
                match pointer.and_then(|p| self.root.pointer(p)) {
                    Some(schema) => {
                        self.check(schema, value, path);
                        true
                    }
                    None => false,
                }
            }
            _ => REMARKS.contains(&keyword),
        };
        self.hold(holds, path, keyword);
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn matches(value: &Value, pattern: &Value) -> bool {
    let (Some(text), Some(pattern)) = (value.as_str(), pattern.as_str()) else {
        return pattern.is_string();
    };
    fancy_regex::Regex::new(pattern).is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
}
