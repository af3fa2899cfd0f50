//! A set as a page of Markdown and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::{BitOrder, Field, Instruction, Set};

/// The description of a set, which keeps to [`crate::schema::of`].
pub fn description(set: &Set) -> Value {
    let mut out = Object::default();
    out.put("platform", set.platform.as_str());
    out.text("doc", &set.doc);
    out.put("instr_bitwidth", set.chunk_bits);
    out.put("instr_code_bitwidth", set.code_bits);
    if let BitOrder::LsbFirst { code_position } = set.order {
        out.put("bit_order", "lsb");
        out.put("code_position", code_position);
    }
    let instructions = set.instructions.iter().map(|i| instruction(set, i));
    out.put("instruction_templates", instructions.collect::<Vec<_>>());
    if !set.kinds.is_empty() {
        let row = |kind: &crate::OperandKind| json!({ "name": kind.name, "syntax": kind.syntax, "encoding": kind.encoding });
        out.put("kinds", set.kinds.iter().map(row).collect::<Vec<_>>());
    }
    if !set.tables.is_empty() {
        let row = |table: &crate::Table| {
            json!({
                "title": table.title, "doc": table.doc, "columns": table.columns,
                "rows": table.rows,
            })
        };
        out.put("tables", set.tables.iter().map(row).collect::<Vec<_>>());
    }
    out.with(&set.extras)
}

/// The members of a JSON object, in order.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn text(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.put(key, value);
        }
    }

    fn stated(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn with(mut self, extras: &Map<String, Value>) -> Value {
        self.0.extend(extras.clone());
        Value::Object(self.0)
    }
}

fn instruction(set: &Set, instruction: &Instruction) -> Value {
    let mut out = Object::default();
    out.put("code", instruction.code);
    out.put("name", instruction.name.as_str());
    out.stated("phase", instruction.phases);
    out.stated("max_chunk", instruction.max_chunks);
    out.stated("syntax", instruction.syntax.as_deref());
    out.text("doc", &instruction.doc);
    let fields = instruction.fields.as_ref();
    let fields = fields.map(|all| all.iter().map(|f| field(set, f)).collect::<Vec<_>>());
    out.stated("segment_templates", fields);
    out.with(&instruction.extras)
}

fn field(set: &Set, field: &Field) -> Value {
    let mut out = Object::default();
    out.put("name", field.name.as_str());
    out.put("comment", field.doc.as_str());
    out.put("bitwidth", field.bits);
    if set.order != BitOrder::MsbFirst {
        out.put("position", field.position);
    }
    out.stated("default_val", field.default);
    out.stated("controllable", field.settable);
    out.stated("observable", field.decoded);
    let word = |(key, word): &(u64, String)| json!({ "key": key, "val": word });
    let words = field.words.as_ref();
    out.stated(
        "verbo_map",
        words.map(|all| all.iter().map(word).collect::<Vec<_>>()),
    );
    out.stated("kind", field.kind.as_deref());
    out.stated("max", field.max);
    out.with(&field.extras)
}

/// A page about a set.
pub fn markdown(set: &Set, title: &str) -> String {
    let mut page = format!("# {title}\n");
    // writing to a string cannot fail
    let mut line = |text: String| {
        let _ = writeln!(page, "{text}");
    };
    if !set.doc.is_empty() {
        line(format!("\n{}", set.doc.trim_end()));
    }
    if !set.kinds.is_empty() {
        line("\n## Operands\n\n| kind | written | encoded |\n| --- | --- | --- |".to_owned());
    }
    for kind in &set.kinds {
        let syntax = match kind.syntax.as_str() {
            "" => String::new(),
            syntax => format!("`{}`", cell(syntax)),
        };
        line(format!(
            "| {} | {syntax} | {} |",
            kind.name,
            cell(&kind.encoding)
        ));
    }
    line("\n## Instructions".to_owned());
    for instruction in &set.instructions {
        section(set, instruction, &mut line);
    }
    for table in &set.tables {
        line(format!("\n## {}\n", table.title));
        if !table.doc.is_empty() {
            line(format!("{}\n", table.doc));
        }
        line(format!("| {} |", table.columns.join(" | ")));
        line(format!("|{}", " --- |".repeat(table.columns.len())));
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
            line(format!("| {} |", cells.join(" | ")));
        }
    }
    page
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn section(set: &Set, instruction: &Instruction, line: &mut impl FnMut(String)) {
    line(format!("\n### {}\n", instruction.name));
    if let Some(syntax) = &instruction.syntax {
        line(format!("`{syntax}`\n"));
    }
    let unit = set.chunk_name;
    let chunks = match (set.order, instruction.longest()) {
        (_, 1) => format!("1 {unit}"),
        (BitOrder::MsbFirst, n) => format!("1 to {n} {unit}s"),
        (BitOrder::LsbFirst { .. }, n) => format!("{n} {unit}s"),
    };
    let phases = match instruction.phases {
        None => String::new(),
        Some(1) => ", 1 phase".to_owned(),
        Some(n) => format!(", {n} phases"),
    };
    let about = format!(
        "Code 0x{:02X}, {chunks}{phases}. {}",
        instruction.code, instruction.doc
    );
    line(about.trim_end().to_owned());
    if instruction.fields().is_empty() {
        return;
    }
    let worded = instruction.fields().iter().any(|f| !f.words().is_empty());
    let kinds = instruction.fields().iter().any(|f| f.kind.is_some());
    let defaults = instruction.fields().iter().any(|f| f.default.is_some());
    let column = |shown: bool, head: &str| {
        if shown {
            format!(" {head} |")
        } else {
            String::new()
        }
    };
    let heads = format!(
        "| field |{} bits | width |{}{} |",
        column(kinds, "kind"),
        column(defaults, "default"),
        column(worded, "values")
    );
    let count = heads.matches('|').count() - 1;
    line(format!("\n{heads}\n|{}", " --- |".repeat(count)));
    for field in instruction.fields() {
        let name = if field.is_settable() {
            field.name.clone()
        } else {
            format!("[{}]", field.name)
        };
        let values: Vec<String> = field
            .words()
            .iter()
            .map(|(k, w)| format!("{k} {w}"))
            .collect();
        line(format!(
            "| {name} |{} {} | {} |{}{} {} |",
            column(kinds, field.kind.as_deref().unwrap_or("")),
            bit_range(field.position, field.bits),
            field.bits,
            column(defaults, &field.default_value().to_string()),
            column(worded, &cell(&values.join(", "))),
            cell(field.doc.as_str())
        ));
    }
}

/// `high:low`, or the one bit.
fn bit_range(low: u32, bits: u32) -> String {
    match bits {
        1 => low.to_string(),
        bits => format!("{}:{low}", low + bits - 1),
    }
}
