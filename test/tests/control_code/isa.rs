//! The machine-readable description of the instruction set keeps to its schema, and the schema
//! refuses what is not one.

use aiec_test::driver::aiec;
use aiec_test::schema::violations;
use serde_json::{Value, json};

fn isa(format: &str) -> String {
    let run = aiec(["isa", format], b"");
    assert_eq!(run.exit, aiec::Exit::Done);
    String::from_utf8(run.stdout).expect("text")
}

fn parsed(format: &str) -> Value {
    serde_json::from_str(&isa(format)).expect("JSON")
}

#[test]
fn the_description_keeps_to_its_schema() {
    let found = violations(&parsed("--format=schema"), &parsed("--format=json"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_schema_refuses_other_things() {
    let schema = parsed("--format=schema");
    let good = parsed("--format=json");
    let wrong = |pointer: &str, value: Value| {
        let mut copy = good.clone();
        *copy.pointer_mut(pointer).expect(pointer) = value;
        let found = violations(&schema, &copy);
        assert_eq!(found.len(), 1, "{pointer}: {found:?}");
    };
    wrong("/instructions/0/opcode", json!(256));
    wrong("/instructions/0/bytes", json!(6));
    wrong("/instructions/0/mnemonic", json!("start job"));
    wrong("/instructions/0/fields/0/kind", json!("thing"));
    wrong("/instructions/0/targets", json!([]));
    wrong("/filler", json!("0xA5"));
    wrong("/byte_order", json!("big"));
    let mut copy = good.clone();
    copy["more"] = json!(1);
    assert_eq!(violations(&schema, &copy).len(), 1);
    copy = good;
    copy.as_object_mut().expect("an object").remove("kinds");
    assert_eq!(violations(&schema, &copy).len(), 1);
}

#[test]
fn kinds_of_fields_are_described() {
    let isa = parsed("--format=json");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|v| v["name"].to_string()).collect()
    };
    let kinds = names(&isa["kinds"]);
    for instruction in isa["instructions"].as_array().expect("a list") {
        for field in instruction["fields"].as_array().expect("a list") {
            assert!(kinds.contains(&field["kind"].to_string()), "{field}");
        }
    }
    assert!(isa["instructions"].as_array().expect("a list").len() >= 34);
}
