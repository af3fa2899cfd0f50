//! `aiec isa`: the instruction set of the controllers, as a page and for programs.

use std::fmt::Write;
use std::path::PathBuf;

use aiec_cert::asm::{DIRECTIVES, OPERATIONS, OperationInfo};
use aiec_cert::bd::{BD_FIELDS, BdField, UC_BD_BYTES, UC_BD_MAX_WORDS};
use aiec_cert::isa::{FILLER, FieldInfo, FieldKind, OPS, OpInfo, OptionalOperand};
use aiec_cert::names::{self, Target};
use aiec_cert::page::{DATA_ALIGN, HEADER_BYTES, PAGE_BYTES};
use aiec_diag::Reported;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::diagnostics::Format;
use crate::io::{Exit, Io};
use crate::session::Session;
use crate::targets::drra;

/// `aiec isa`
#[derive(Args, Debug)]
pub struct IsaArgs {
    /// How to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: IsaFormat,
    /// Whose instructions
    #[arg(short, long, value_name = "TARGET", value_enum, default_value_t)]
    pub target: IsaTarget,
    /// A description of one's own, which is checked first (drra-v2)
    #[arg(long, value_name = "FILE.json")]
    pub isa: Option<PathBuf>,
}

/// Whose instructions are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IsaTarget {
    /// The controllers of AI Engine arrays.
    #[default]
    Cert,
    /// DRRA's cells.
    DrraV2,
}

/// How the instruction set is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IsaFormat {
    /// A page of Markdown.
    #[default]
    Md,
    /// For programs; the schema says what it holds.
    Json,
    /// The JSON schema of the above.
    Schema,
}

/// The JSON schema of [`IsaFormat::Json`].
pub const SCHEMA: &str = include_str!("isa.schema.json");

/// Version of the description's form.
const FORM: u32 = 1;

/// Prints a description; the exit code.
pub fn run(args: &IsaArgs, io: &mut Io<'_>) -> Exit {
    let mut session = Session::new(Format::default());
    let text = match args.target {
        IsaTarget::Cert if args.isa.is_some() => {
            // When the error stream is gone there is nobody left to tell.
            let _ = writeln!(
                io.stderr,
                "error: --isa is an option for drra-v2, not for cert"
            );
            return Exit::BadCommandLine;
        }
        IsaTarget::Cert => Ok(text(args.format)),
        IsaTarget::DrraV2 => drra_text(args, &mut session, io),
    };
    session.say(io);
    match text {
        Ok(text) => crate::print(io, &text),
        Err(Reported) => Exit::BadInput,
    }
}

/// The description of CERT.
fn text(format: IsaFormat) -> String {
    match format {
        IsaFormat::Md => page(),
        IsaFormat::Json => format!("{:#}\n", description()),
        IsaFormat::Schema => SCHEMA.to_string(),
    }
}

/// The description of DRRA, as published, or of one's own.
fn drra_text(args: &IsaArgs, session: &mut Session, io: &mut Io<'_>) -> Result<String, Reported> {
    let set = drra::instruction_set(args.isa.as_deref(), session, io)?;
    Ok(match (args.format, &args.isa) {
        (IsaFormat::Schema, _) => aiec_drra::description::SCHEMA.to_owned(),
        (IsaFormat::Json, None) => aiec_drra::description::PUBLISHED.to_owned(),
        (IsaFormat::Json, Some(_)) => format!("{:#}\n", aiec_isa::print::description(&set)),
        (IsaFormat::Md, _) => {
            let title = format!("Instructions of {}", set.platform);
            aiec_isa::print::markdown(&set, &title)
        }
    })
}

fn description() -> Value {
    let targets: Vec<Value> = Target::ALL
        .into_iter()
        .map(|target| {
            let actors: Vec<Value> = names::actors(target)
                .map(|(name, tile, id)| json!({ "name": name, "tile": tile.name(), "id": id.0 }))
                .collect();
            json!({ "name": target.name(), "actors": actors })
        })
        .collect();
    let kinds: Vec<Value> = FieldKind::ALL
        .into_iter()
        .map(|kind| {
            json!({
                "name": kind.name(),
                "syntax": kind.syntax(),
                "encoding": kind.encoding(),
            })
        })
        .collect();
    let directives: Vec<Value> = DIRECTIVES
        .iter()
        .map(|d| json!({ "name": d.name, "operand": d.operand, "doc": d.doc }))
        .collect();
    json!({
        "form": FORM,
        "byte_order": "little",
        "filler": FILLER,
        "page": {
            "bytes": PAGE_BYTES,
            "header_bytes": HEADER_BYTES,
            "data_align": DATA_ALIGN,
        },
        "descriptor": {
            "bytes": UC_BD_BYTES,
            "max_words": UC_BD_MAX_WORDS,
            "fields": descriptor_fields(),
        },
        "targets": targets,
        "kinds": kinds,
        "directives": directives,
        "operations": operations(),
        "instructions": OPS.iter().map(instruction).collect::<Vec<_>>(),
    })
}

/// The fields of a descriptor.
fn descriptor_fields() -> Vec<Value> {
    let field = |f: &BdField| json!({ "name": f.name, "word": f.word, "bit": f.bit, "bits": f.bits, "doc": f.doc });
    BD_FIELDS.iter().map(field).collect()
}

/// Operations that are no instructions.
fn operations() -> Vec<Value> {
    let row = |o: &OperationInfo| json!({ "syntax": o.syntax, "doc": o.doc });
    OPERATIONS.iter().map(row).collect()
}

fn instruction(row: &OpInfo) -> Value {
    let targets: Vec<&str> = row.targets.targets().iter().map(|t| t.name()).collect();
    json!({
        "mnemonic": row.mnemonic,
        "opcode": row.opcode,
        "bytes": row.size,
        "flow": row.flow.name(),
        "targets": targets,
        "doc": joined(row.doc),
        "fields": row.fields.iter().map(field).collect::<Vec<_>>(),
        "optional": row.optional.iter().map(optional).collect::<Vec<_>>(),
    })
}

fn field(field: &FieldInfo) -> Value {
    json!({
        "name": field.name,
        "kind": field.kind.name(),
        "offset": field.offset,
        "bits": field.bits,
        "max": field.max(),
        "operand": field.in_text(),
        "doc": joined(field.doc),
    })
}

fn optional(operand: &OptionalOperand) -> Value {
    json!({ "name": operand.name, "doc": operand.doc })
}

/// Doc comments of several lines, on one.
fn joined(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

const INTRODUCTION: &str = "\
# Instructions of the controllers

Made from the instruction table; `aiec isa` prints it, `aiec isa --format=json` gives the same to
programs and `aiec isa --format=schema` the JSON schema of that.

Byte 0 of an instruction is its opcode, byte 1 is zero; fields are little-endian, at the byte
offsets given, and bytes that no field names are zero. Fields in brackets are not written in text.
";

fn page() -> String {
    let mut out = String::from(INTRODUCTION);
    let mut line = |args: std::fmt::Arguments<'_>| {
        // writing to a string cannot fail
        let _ = writeln!(out, "{args}");
    };
    line(format_args!(
        "\n## Operands\n\n| kind | written | encoded |\n| --- | --- | --- |"
    ));
    for kind in FieldKind::ALL {
        let syntax = match kind.syntax() {
            "" => String::new(),
            syntax => format!("`{syntax}`"),
        };
        line(format_args!(
            "| {} | {syntax} | {} |",
            kind.name(),
            kind.encoding()
        ));
    }
    line(format_args!("\n## Instructions"));
    for row in OPS {
        for text in section(row) {
            line(format_args!("{text}"));
        }
    }
    line(format_args!(
        "\n## Operations that are no instructions\n\n| operation | what it does |\n| --- | --- |"
    ));
    for o in OPERATIONS {
        line(format_args!("| `{}` | {} |", o.syntax, o.doc));
    }
    line(format_args!(
        "\n## Descriptors\n\n{UC_BD_BYTES} bytes, 1 to {UC_BD_MAX_WORDS} words; the descriptors of a \
         chain follow one another. Alignments are filled with 0x{FILLER:02X}.\n\n\
         | field | word | bits | |\n| --- | --- | --- | --- |"
    ));
    for f in BD_FIELDS {
        let high = f.bit + f.bits - 1;
        let bits = match f.bits {
            1 => f.bit.to_string(),
            _ => format!("{high}:{}", f.bit),
        };
        line(format_args!(
            "| {} | {} | {bits} | {} |",
            f.name, f.word, f.doc
        ));
    }
    line(format_args!(
        "\n## Directives\n\n| directive | what it does |\n| --- | --- |"
    ));
    for d in DIRECTIVES {
        let operand = d.operand.replace('|', "\\|");
        line(format_args!("| `{} {operand}` | {} |", d.name, d.doc));
    }
    for target in Target::ALL {
        line(format_args!(
            "\n## Actors of {target}\n\n| name | number |\n| --- | --- |"
        ));
        for (name, _, id) in names::actors(target) {
            line(format_args!("| `{name}` | {} |", id.0));
        }
    }
    out
}

fn section(row: &OpInfo) -> Vec<String> {
    let operands: Vec<&str> = row.operands().map(|f| f.name).collect();
    let optional: String = row
        .optional
        .iter()
        .map(|operand| format!(" [, {}]", operand.name))
        .collect();
    let only = match row.targets.targets() {
        [one] => format!(", only {one}"),
        _ => String::new(),
    };
    let mut lines = vec![
        format!("\n### {}\n", row.mnemonic),
        format!(
            "`{}`\n",
            format!("{} {}{optional}", row.mnemonic, operands.join(", ")).trim_end()
        ),
        format!(
            "Opcode 0x{:02X}, {} bytes{only}. {}",
            row.opcode,
            row.size,
            joined(row.doc)
        ),
    ];
    if !row.fields.is_empty() {
        lines.push(
            "\n| field | kind | byte | bits | |\n| --- | --- | --- | --- | --- |".to_string(),
        );
    }
    for field in row.fields {
        let name = match field.in_text() {
            true => field.name.to_string(),
            false => format!("[{}]", field.name),
        };
        lines.push(format!(
            "| {name} | {} | {} | {} | {} |",
            field.kind.name(),
            field.offset,
            field.bits,
            joined(field.doc)
        ));
    }
    for operand in row.optional {
        lines.push(format!(
            "| {} | optional | - | 0 | {} |",
            operand.name, operand.doc
        ));
    }
    lines
}
