//! The machine-readable description of the instruction set keeps to its schema, and the schema
//! refuses what is not one.

use aiec_test::driver::aiec;
use aiec_test::schema::violations;
use serde_json::{Value, json};

fn isa(target: &str, format: &str) -> String {
    let run = aiec(["isa", "--target", target, format], b"");
    assert_eq!(run.exit, aiec::Exit::Done);
    String::from_utf8(run.stdout).expect("text")
}

fn parsed(target: &str, format: &str) -> Value {
    serde_json::from_str(&isa(target, format)).expect("JSON")
}

#[test]
fn the_description_keeps_to_its_schema() {
    for target in ["cert", "refsi-m1"] {
        let description = parsed(target, "--format=json");
        let found = violations(&parsed(target, "--format=schema"), &description);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn the_schema_refuses_other_things() {
    let schema = parsed("cert", "--format=schema");
    let good = parsed("cert", "--format=json");
    let wrong = |pointer: &str, value: Value| {
        let mut copy = good.clone();
        *copy.pointer_mut(pointer).expect(pointer) = value;
        let found = violations(&schema, &copy);
        assert_eq!(found.len(), 1, "{pointer}: {found:?}");
    };
    wrong("/instruction_templates/0/code", json!("256"));
    wrong("/instruction_templates/0/max_chunk", json!(6.5));
    wrong("/instruction_templates/0/name", json!(1));
    wrong(
        "/instruction_templates/0/segment_templates/0/kind",
        json!(["thing"]),
    );
    wrong("/instruction_templates/0/targets", json!([]));
    wrong("/instruction_templates/0/flow", json!("sideways"));
    wrong("/filler", json!(256));
    wrong("/page", json!({ "bytes": 8192 }));
    wrong("/bit_order", json!("big"));
    let mut copy = good;
    copy.as_object_mut().expect("an object").remove("platform");
    assert_eq!(violations(&schema, &copy).len(), 1);
}

#[test]
fn kinds_of_fields_are_described() {
    let isa = parsed("cert", "--format=json");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|v| v["name"].to_string()).collect()
    };
    let kinds = names(&isa["kinds"]);
    let all = isa["instruction_templates"].as_array().expect("a list");
    for instruction in all {
        for field in instruction["segment_templates"].as_array().expect("a list") {
            assert!(kinds.contains(&field["kind"].to_string()), "{field}");
        }
    }
    assert!(all.len() >= 34);
}
