//! Findings as SARIF 2.1.0 (OASIS: "Static Analysis Results Interchange Format"): one run of one tool, its rules
//! those codes that were found, with the texts of `aiec explain`.

use aiec_diag::{Code, Diag, Diags, Label, Severity, SourceMap};
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::io::output::STANDARD_STREAM;

/// The version of the format.
const VERSION: &str = "2.1.0";

/// Where its JSON schema is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log under construction.
#[derive(Debug, Default)]
pub struct Log {
    /// The codes that were found, in the order of their first findings.
    rules: IndexMap<&'static str, &'static Code>,
    results: Vec<Value>,
}

impl Log {
    /// Adds the findings of some files.
    pub fn add(&mut self, diags: &Diags, sources: &SourceMap) {
        for diag in diags {
            let result = self.result(diag, sources);
            self.results.push(result);
        }
    }

    fn result(&mut self, diag: &Diag, sources: &SourceMap) -> Value {
        let (rule, _) = self.rules.insert_full(diag.code.id, diag.code);
        let mut result = json!({
            "ruleId": diag.code.id,
            "ruleIndex": rule,
            "level": level(diag.severity),
            "message": { "text": message(diag) },
        });
        let mut labels = diag.labels.iter();
        // The format wants the place of the result, and others beside it.
        let primary = labels.next().and_then(|label| location(label, sources));
        let related: Vec<Value> = labels
            .filter_map(|label| location(label, sources))
            .collect();
        if let Some(place) = primary {
            result["locations"] = json!([place]);
        }
        if !related.is_empty() {
            result["relatedLocations"] = Value::Array(related);
        }
        result
    }

    /// The text of the log.
    pub fn text(&self) -> String {
        let rules: Vec<Value> = self.rules.values().map(|code| rule(code)).collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": VERSION,
            "runs": [{
                "tool": { "driver": {
                    "name": "aiec",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                // Columns count characters.
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        format!("{log:#}\n")
    }
}

/// A code as a rule.
fn rule(code: &Code) -> Value {
    let explanation = code.explanation;
    let first = explanation.split_once(". ").map_or(explanation, |(s, _)| s);
    json!({
        "id": code.id,
        "shortDescription": { "text": format!("{}.", first.trim_end_matches('.')) },
        "fullDescription": { "text": explanation },
        "help": { "text": format!("{explanation} `aiec explain {}` shows an example.", code.id) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The message with the way out and the remarks.
fn message(diag: &Diag) -> String {
    let mut text = diag.message.clone();
    if let Some(help) = &diag.help {
        text += &format!("\nhelp: {help}");
    }
    for note in &diag.notes {
        text += &format!("\nnote: {note}");
    }
    text
}

/// A place: lines and columns from 1, the end column is that after the last character.
fn location(label: &Label, sources: &SourceMap) -> Option<Value> {
    let file = sources.file(label.span.file)?;
    let (line, column) = file.line_col(label.span.start);
    let (end_line, end_column) = file.line_col(label.span.end);
    let mut place = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&file.name) },
            "region": {
                "startLine": line,
                "startColumn": column,
                "endLine": end_line,
                "endColumn": end_column,
            },
        },
    });
    if !label.text.is_empty() {
        place["message"] = json!({ "text": label.text });
    }
    Some(place)
}

/// The reference of a file: relative as it was given, absolute ones with their scheme.
fn uri(name: &str) -> String {
    if name == STANDARD_STREAM {
        return "stdin".to_string();
    }
    let path = name.replace('\\', "/");
    let mut uri = if path.starts_with('/') {
        "file://".to_string()
    } else {
        String::new()
    };
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_diag::{SourceFile, Span};

    static CODE: Code = Code {
        id: "check::example",
        explanation: "The first sentence. The second.",
    };

    /// The required properties of the schema's definitions that a log has, with the path to their objects.
    fn missing(log: &Value) -> Vec<String> {
        let mut missing = Vec::new();
        let mut need = |value: &Value, keys: &[&str], what: &str| {
            for key in keys {
                if value.get(key).is_none() {
                    missing.push(format!("{what}.{key}"));
                }
            }
        };
        need(log, &["version", "runs"], "sarifLog");
        let list = |value: &Value, key: &str| -> Vec<Value> {
            value
                .get(key)
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        for run in list(log, "runs") {
            need(&run, &["tool"], "run");
            need(&run["tool"], &["driver"], "tool");
            let driver = &run["tool"]["driver"];
            need(driver, &["name"], "toolComponent");
            for rule in list(driver, "rules") {
                need(&rule, &["id"], "reportingDescriptor");
                for text in ["shortDescription", "fullDescription", "help"] {
                    need(&rule[text], &["text"], "multiformatMessageString");
                }
            }
            for result in list(&run, "results") {
                need(&result, &["message"], "result");
                need(&result["message"], &["text"], "message");
                for place in list(&result, "locations") {
                    let physical = &place["physicalLocation"];
                    need(physical, &["artifactLocation"], "physicalLocation");
                    need(&physical["region"], &["startLine"], "region");
                }
            }
        }
        missing
    }

    #[test]
    fn a_log_has_what_the_schema_requires() {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a b.mlir", "first\nsecond ü x\n"));
        let mut diags = Diags::new();
        diags.push(
            Diag::error(&CODE, "wrong")
                .label(Span::new(file, 16, 17), "here")
                .label(Span::new(file, 0, 5), "because of this")
                .help("mend it"),
        );
        diags.push(Diag::note(&CODE, "of no place"));
        let mut log = Log::default();
        log.add(&diags, &sources);
        let log: Value = serde_json::from_str(&log.text()).expect("JSON");
        assert_eq!(missing(&log), Vec::<String>::new());
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(
            run["tool"]["driver"]["rules"].as_array().map(Vec::len),
            Some(1)
        );
        let result = &run["results"][0];
        assert_eq!(result["level"], "error");
        assert_eq!(result["message"]["text"], "wrong\nhelp: mend it");
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "a%20b.mlir");
        assert_eq!(
            physical["region"],
            json!({ "startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 11 })
        );
        assert_eq!(
            result["relatedLocations"][0]["message"]["text"],
            "because of this"
        );
        assert!(run["results"][1].get("locations").is_none());
        let mut broken = log.clone();
        broken["runs"][0]["results"][0]["message"] = json!({});
        assert_eq!(missing(&broken), ["message.text"]);
    }
}
