//! The instruction table as a set in the model that all machines share, for descriptions.

use aiec_isa::{BitOrder, Extension, Field, Instruction, Level, OperandKind, Set, Table};
use serde_json::json;

use crate::asm::{DIRECTIVES, OPERATIONS};
use crate::bd::{BD_FIELDS, UC_BD_BYTES, UC_BD_MAX_WORDS};
use crate::isa::{FILLER, FieldInfo, FieldKind, FlowClass, OPS, OpInfo};
use crate::names::{self, Target};
use crate::page::{DATA_ALIGN, HEADER_BYTES, PAGE_BYTES};

const INTRODUCTION: &str = "\
Made from the instruction table; `aiec isa` prints it, `aiec isa --format=json` gives the same to
programs and `aiec isa --format=schema` the JSON schema of that.

A chunk is a byte. Byte 0 of an instruction is its opcode, byte 1 is zero; fields are little-endian,
bits count from bit 0 of byte 0, and bytes that no field names are zero. Fields in brackets are not
written in text.";

/// The instruction table as a set; chunks are bytes.
pub fn set() -> Set {
    let set = Set {
        platform: "CERT".to_owned(),
        doc: INTRODUCTION.to_owned(),
        chunk_name: "byte",
        chunk_bits: 8,
        code_bits: 8,
        order: BitOrder::LsbFirst { code_position: 0 },
        instructions: OPS.iter().map(instruction).collect(),
        kinds: FieldKind::ALL.into_iter().map(kind).collect(),
        tables: tables(),
        extensions: extensions(),
        ..Set::default()
    };
    // the table's own assertions hold what is checked here
    let mut set = set.checked().unwrap_or_default();
    let page =
        json!({ "bytes": PAGE_BYTES, "header_bytes": HEADER_BYTES, "data_align": DATA_ALIGN });
    set.extras.insert("filler".to_owned(), json!(FILLER));
    set.extras.insert("page".to_owned(), page);
    set
}

/// Keys of the description that only CERT has.
fn extensions() -> Vec<Extension> {
    let names = |all: &mut dyn Iterator<Item = &'static str>| all.collect::<Vec<_>>();
    let flows = [
        FlowClass::JobStart,
        FlowClass::JobEnd,
        FlowClass::PageEnd,
        FlowClass::Body,
    ];
    let flows = names(&mut flows.into_iter().map(FlowClass::name));
    let targets = names(&mut Target::ALL.into_iter().map(Target::name));
    let size = json!({ "type": "integer", "minimum": 1 });
    let row = |level, key, schema| Extension { level, key, schema };
    vec![
        row(
            Level::Set,
            "filler",
            json!({
                "type": "integer", "minimum": 0, "maximum": 255,
                "description": "Byte that fills text up to an alignment; the controller skips it.",
            }),
        ),
        row(
            Level::Set,
            "page",
            json!({
                "type": "object",
                "properties": { "bytes": size, "header_bytes": size, "data_align": size },
                "required": ["bytes", "header_bytes", "data_align"],
                "additionalProperties": false,
            }),
        ),
        row(
            Level::Instruction,
            "flow",
            json!({ "enum": flows, "description": "Where it may be." }),
        ),
        row(
            Level::Instruction,
            "targets",
            json!({ "type": "array", "minItems": 1, "items": { "enum": targets } }),
        ),
    ]
}

fn kind(kind: FieldKind) -> OperandKind {
    OperandKind {
        name: kind.name().to_owned(),
        syntax: kind.syntax().to_owned(),
        encoding: kind.encoding().to_owned(),
    }
}

fn instruction(row: &OpInfo) -> Instruction {
    let operands: Vec<&str> = row.operands().map(|f| f.name).collect();
    let optional = row.optional.iter();
    let optional: String = optional
        .map(|operand| format!(" [, {}]", operand.name))
        .collect();
    let syntax = format!("{} {}{optional}", row.mnemonic, operands.join(", "));
    let targets: Vec<&str> = row.targets.targets().iter().map(|t| t.name()).collect();
    let mut doc = joined(row.doc);
    if let [only] = targets[..] {
        doc += &format!(" Only {only}.");
    }
    for operand in row.optional {
        doc += &format!(
            " `{}` may be left out and takes no bytes: {}",
            operand.name, operand.doc
        );
    }
    let mut out = Instruction {
        max_chunks: Some(u32::from(row.size)),
        syntax: Some(syntax.trim_end().to_owned()),
        doc,
        fields: Some(row.fields.iter().map(field).collect()),
        ..Instruction::new(u64::from(row.opcode), row.mnemonic)
    };
    out.extras.insert("flow".to_owned(), json!(row.flow.name()));
    out.extras.insert("targets".to_owned(), json!(targets));
    out
}

fn field(info: &FieldInfo) -> Field {
    let field = Field::new(info.name, u32::from(info.bits));
    Field {
        max: info.kind.max().map(u64::from),
        settable: (!info.in_text()).then_some(false),
        ..field
            .at(8 * u32::from(info.offset))
            .kind(info.kind.name())
            .doc(&joined(info.doc))
    }
}

/// Doc comments of several lines, on one.
fn joined(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Operations, descriptors, directives and actors.
fn tables() -> Vec<Table> {
    let table = |title: &str, doc: String, columns: &[&str], rows: Vec<Vec<String>>| Table {
        title: title.to_owned(),
        doc,
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        rows,
    };
    let operations = OPERATIONS.iter();
    let operations = operations.map(|o| vec![format!("`{}`", o.syntax), o.doc.to_owned()]);
    let descriptor = BD_FIELDS.iter().map(|f| {
        let bits = match f.bits {
            1 => f.bit.to_string(),
            bits => format!("{}:{}", f.bit + bits - 1, f.bit),
        };
        vec![
            f.name.to_owned(),
            f.word.to_string(),
            bits,
            f.doc.to_owned(),
        ]
    });
    let directives = DIRECTIVES.iter();
    let directives =
        directives.map(|d| vec![format!("`{} {}`", d.name, d.operand), d.doc.to_owned()]);
    let mut tables = vec![
        table(
            "Operations other than instructions",
            String::new(),
            &["operation", "what it does"],
            operations.collect(),
        ),
        table(
            "Descriptors",
            format!(
                "{UC_BD_BYTES} bytes, 1 to {UC_BD_MAX_WORDS} words; the descriptors of a chain follow one another. \
                 Alignments are filled with 0x{FILLER:02X}."
            ),
            &["field", "word", "bits", ""],
            descriptor.collect(),
        ),
        table(
            "Directives",
            String::new(),
            &["directive", "what it does"],
            directives.collect(),
        ),
    ];
    for target in Target::ALL {
        let actors = names::actors(target);
        let actors = actors.map(|(name, _, id)| vec![format!("`{name}`"), id.0.to_string()]);
        let title = format!("Actors of {target}");
        tables.push(table(
            &title,
            String::new(),
            &["name", "number"],
            actors.collect(),
        ));
    }
    tables
}
