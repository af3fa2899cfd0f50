//! `--emit=report-json` of all examples keeps to its schema, and its sums are right.

use std::path::{Path, PathBuf};

use aiec_test::driver::aiec;
use aiec_test::schema::violations;
use serde_json::Value;

fn designs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = std::fs::read_dir(root).expect("the examples");
    let mut designs: Vec<PathBuf> = folders
        .map(|entry| entry.expect("a folder").path().join("design.mlir"))
        .filter(|design| design.exists())
        .collect();
    designs.sort();
    designs
}

fn json(args: &[&str]) -> Value {
    let output = aiec(args, b"").output().expect("it succeeds");
    serde_json::from_slice(&output).expect("JSON")
}

fn schema() -> Value {
    let design = designs()[0].display().to_string();
    json(&[&design, "--emit=report-json-schema", "-o", "-"])
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().expect("a list")
}

fn sum(values: &[Value]) -> u64 {
    values.iter().map(|v| v.as_u64().expect("a number")).sum()
}

#[test]
fn reports_keep_to_their_schema() {
    let schema = schema();
    let mut tiles = 0;
    for design in designs() {
        let name = design.display().to_string();
        let report = json(&[&name, "--emit=report-json", "-o", "-"]);
        let found = violations(&schema, &report);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
        for device in list(&report, "devices") {
            for tile in list(device, "tiles") {
                let memory = &tile["memory"];
                // Every byte in use lies in one bank.
                let banks = list(memory, "banks");
                assert_eq!(
                    memory["used"].as_u64(),
                    Some(sum(banks)),
                    "{name}: {tile:#}"
                );
                let bds = list(tile, "channels").iter().flat_map(|c| list(c, "list"));
                let bds: u64 = bds.map(|c| c["bds"].as_u64().expect("a number")).sum();
                assert_eq!(tile["bds"]["used"].as_u64(), Some(bds), "{name}: {tile:#}");
                tiles += 1;
            }
        }
    }
    assert!(tiles > 40, "{tiles} tiles");
}

#[test]
fn a_report_that_breaks_the_schema_is_found() {
    let schema = schema();
    let mut report: Value = serde_json::json!({
        "form": 1, "devices": [{"name": "main", "device": "npu2",
            "packet_ids": {"used": [0], "of": 32}, "tiles": []}]});
    assert!(violations(&schema, &report).is_empty());
    report["devices"][0]["packet_ids"]["used"][0] = 32.into();
    assert!(!violations(&schema, &report).is_empty());
}
