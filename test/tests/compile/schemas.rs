//! `aiec schema`: each output for programs keeps to its schema, and each schema is of an output.

use std::path::Path;

use aiec_test::driver::aiec;
use aiec_test::schema::violations;
use serde_json::Value;

const SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/scale/design.mlir");

/// Commands whose whole output is of a schema; `%s` is a design, `%e` its control code, `%w` a wrong design.
const OUTPUTS: [(&str, &str); 15] = [
    ("core-report", "%s --emit=core-report-json -o -"),
    ("devices", "devices --format=json"),
    ("devices", "devices npu2 --format=json"),
    ("diagnostics", "check %w --format=json"),
    ("diagnostics", "%w --diagnostics=json"),
    ("dis", "dis %e --format=json"),
    ("explain", "explain --format=json"),
    ("isa", "isa --format=json"),
    ("isa-core", "isa -t aie2-core --format=json"),
    ("registers", "devices xcve3858 --registers --format=json"),
    ("report", "%s --emit=report-json -o -"),
    ("routing", "%s --emit=routing-json -o -"),
    ("run", "sim %s --report -"),
    ("throughput", "%s --emit=throughput-json -o -"),
    ("tune", "tune %s --depth --bd --format=json"),
];

fn schema(name: &str) -> Value {
    let text = aiec(["schema", name], b"").output();
    let text = text.unwrap_or_else(|_| panic!("{name} has a schema"));
    serde_json::from_slice(&text).expect("a schema is JSON")
}

fn output(command: &str, folder: &Path) -> Vec<u8> {
    let file = |name: &str| folder.join(name).display().to_string();
    let command = command.replace("%s", SCALE);
    let command = command.replace("%e", &file("code.elf"));
    let command = command.replace("%w", &file("wrong.mlir"));
    let run = aiec(command.split_whitespace(), b"");
    // Findings of a compilation go to the other stream.
    if run.stdout.is_empty() {
        run.stderr.into_bytes()
    } else {
        run.stdout
    }
}

#[test]
fn outputs_for_programs_keep_to_their_schemas() {
    let folder = std::env::temp_dir().join(format!("aiec-schemas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let wrong = "aie.device(npu1) {\n  %t = aie.tile(0, 9)\n}\n";
    std::fs::write(folder.join("wrong.mlir"), wrong).expect("a design");
    let elf = folder.join("code.elf").display().to_string();
    aiec([SCALE, "-o", &elf], b"")
        .output()
        .expect("control code");
    for (name, command) in OUTPUTS {
        let schema = schema(name);
        let text = output(command, &folder);
        let parsed = serde_json::from_slice::<Value>(&text);
        let value = parsed.unwrap_or_else(|error| panic!("{command}: {error}"));
        let found = violations(&schema, &value);
        assert!(found.is_empty(), "{command}: {found:#?}");
    }
    // Left-overs in a temporary folder do no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn all_schemas_are_of_outputs_that_are_tested() {
    let list = aiec(["schema"], b"").output().expect("a list");
    let list = String::from_utf8(list).expect("text");
    let named = list.lines().map(|line| line.split_whitespace().next());
    for name in named.flatten() {
        assert!(OUTPUTS.iter().any(|(tested, _)| *tested == name), "{name}");
    }
    let near = aiec(["schema", "routign"], b"");
    assert!(
        near.stderr.contains("did you mean 'routing'?"),
        "{}",
        near.stderr
    );
}
