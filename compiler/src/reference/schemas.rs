//! `aiec schema`: JSON schemas of whatever `aiec` prints for programs.

use aiec_cert::instruction_set;
use aiec_diag::did_you_mean;
use aiec_isa::schema;
use aiec_sim::SimReport;
use clap::Args;

use super::core_instructions;

/// `aiec schema`
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// The output [default: a list of all]
    #[arg(value_name = "NAME", value_parser = schema_row)]
    pub name: Option<&'static SchemaRow>,
}

/// An output for programs that has a schema.
#[derive(Debug)]
pub struct SchemaRow {
    name: &'static str,
    /// Commands that print such output.
    printed_by: &'static str,
    source: SchemaSource,
}

/// Origin of a schema.
#[derive(Debug)]
enum SchemaSource {
    /// It is written by hand.
    Text(&'static str),
    /// It is made from the types that are printed.
    Made(fn() -> serde_json::Value),
}

const fn written(name: &'static str, printed_by: &'static str, text: &'static str) -> SchemaRow {
    SchemaRow {
        name,
        printed_by,
        source: SchemaSource::Text(text),
    }
}

const fn made(
    name: &'static str,
    printed_by: &'static str,
    make: fn() -> serde_json::Value,
) -> SchemaRow {
    SchemaRow {
        name,
        printed_by,
        source: SchemaSource::Made(make),
    }
}

/// All outputs for programs, by name.
static SCHEMAS: [SchemaRow; 13] = [
    written(
        "core-report",
        "aiec DESIGN.mlir --emit=core-report-json",
        include_str!("schemas/core_report.json"),
    ),
    written(
        "devices",
        "aiec devices [NAME] --format=json",
        include_str!("schemas/devices.json"),
    ),
    written(
        "diagnostics",
        "aiec check FILE… --format=json, --diagnostics=json of all commands",
        include_str!("schemas/diagnostics.json"),
    ),
    written("dis", "aiec dis FILE.elf --format=json", crate::dis::SCHEMA),
    written(
        "explain",
        "aiec explain [CODE] --format=json",
        include_str!("schemas/explain.json"),
    ),
    made("isa", "aiec isa --format=json", || {
        schema::of(&instruction_set::set())
    }),
    made(
        "isa-core",
        "aiec isa -t aie2-core --format=json",
        core_instructions::schema,
    ),
    written(
        "registers",
        "aiec devices NAME --registers --format=json",
        include_str!("schemas/registers.json"),
    ),
    written(
        "report",
        "aiec DESIGN.mlir --emit=report-json",
        aiec_emit::report::SCHEMA,
    ),
    written(
        "routing",
        "aiec DESIGN.mlir --emit=routing-json",
        aiec_emit::routing_json::SCHEMA,
    ),
    made("run", "aiec sim FILE --report FILE.json", SimReport::schema),
    written(
        "throughput",
        "aiec DESIGN.mlir --emit=throughput-json",
        crate::throughput::SCHEMA,
    ),
    written(
        "tune",
        "aiec tune DESIGN.mlir --format=json",
        include_str!("schemas/tune.json"),
    ),
];

fn schema_row(name: &str) -> Result<&'static SchemaRow, String> {
    let names = || SCHEMAS.iter().map(|row| row.name);
    SCHEMAS
        .iter()
        .find(|row| row.name == name)
        .ok_or_else(|| match did_you_mean(name, names()) {
            Some(near) => format!("no output has this name; did you mean '{near}'?"),
            None => format!("they are {}", names().collect::<Vec<_>>().join(", ")),
        })
}

/// The text to print.
pub fn run(args: &SchemaArgs) -> String {
    match args.name.map(|row| &row.source) {
        Some(SchemaSource::Text(text)) => (*text).to_string(),
        Some(SchemaSource::Made(make)) => format!("{:#}\n", make()),
        None => SCHEMAS
            .iter()
            .map(|row| format!("{:<14}{}\n", row.name, row.printed_by))
            .collect(),
    }
}
