//! Descriptions: what is taken, what is refused and where, and that a set prints what was read.

use aiec_diag::{FileId, SourceFile, SourceMap};
use aiec_isa::{Set, description, print, schema};
use serde_json::{Value, json};

/// A description with all keys that there are.
fn example() -> Value {
    json!({
        "platform": "X", "instr_bitwidth": 10, "instr_code_bitwidth": 2, "remark": [1],
        "instruction_templates": [
            {"code": 0, "name": "HALT"},
            {"code": 3, "name": "MOVE", "phase": 2, "max_chunk": 2, "since": "v1",
             "segment_templates": [
                {"name": "to", "comment": "Where.", "bitwidth": 3},
                {"name": "mode", "comment": "How.", "bitwidth": 1, "default_val": 1,
                 "controllable": true,
                 "verbo_map": [{"key": 0, "val": "fast"}, {"key": 1, "val": "slow"}]},
                {"name": "by", "comment": "How far.", "bitwidth": 8, "default_val": 0, "id": 4},
                {"name": "rest", "comment": "Unused.", "bitwidth": 2, "default_val": 2,
                 "controllable": false, "observable": false},
             ]},
        ],
    })
}

fn read(value: &Value) -> Result<Set, Vec<String>> {
    let text = format!("{value:#}");
    description::read(&text, FileId(0)).map_err(|diags| {
        let mut sources = SourceMap::new();
        sources.add(SourceFile::new("set.json", text));
        diags.iter().map(|diag| diag.one_line(&sources)).collect()
    })
}

#[test]
fn a_set_prints_the_description_that_it_was_read_from() {
    let set = read(&example()).expect("a good description");
    assert_eq!(print::description(&set), example());
    assert_eq!(schema::of(&set), schema::base());
    assert!(schema::violations(&schema::of(&set), &example()).is_empty());
    let (_, by) = set
        .find("move")
        .and_then(|m| m.field("BY"))
        .expect("the field");
    // 20 bits: code 19:18, to 17:15, mode 14, by 13:6, rest 5:4
    assert_eq!((by.position, by.bits), (6, 8));
    let page = print::markdown(&set, "Instructions of X");
    assert!(
        page.contains("| by | 13:6 | 8 | 0 |  | How far. |"),
        "{page}"
    );
    assert!(
        page.contains("| mode | 14 | 1 | 1 | 0 fast, 1 slow | How. |"),
        "{page}"
    );
}

/// Changes of the example that make it wrong: where, to what, and what is found there.
#[test]
fn what_is_wrong_is_refused_with_its_path() {
    let field = "/instruction_templates/1/segment_templates/0";
    let words = "/instruction_templates/1/segment_templates/1/verbo_map/1";
    let cases: &[(&str, Value, &str)] = &[
        ("", json!([]), "$ is an array, not an object"),
        (
            "/platform",
            json!(7),
            "$.platform is the number 7, not a string",
        ),
        ("/platform", Value::Null, "$.platform is null, not a string"),
        (
            "/instr_bitwidth",
            json!("27"),
            "$.instr_bitwidth is a string, not an integer",
        ),
        (
            "/instr_bitwidth",
            json!(2.5),
            "$.instr_bitwidth is the number 2.5, not an integer",
        ),
        (
            "/instr_bitwidth",
            json!(0),
            "$.instr_bitwidth is 0; a chunk has 1 to 64 bits",
        ),
        (
            "/instr_bitwidth",
            json!(65),
            "$.instr_bitwidth is 65; a chunk has 1 to 64 bits",
        ),
        (
            "/instr_bitwidth",
            json!(-1),
            "$.instr_bitwidth is -1; numbers are not negative",
        ),
        (
            "/instr_bitwidth",
            json!(1u64 << 40),
            "$.instr_bitwidth is 4294967295",
        ),
        (
            "/instr_code_bitwidth",
            json!(0),
            "$.instr_code_bitwidth is 0",
        ),
        (
            "/instr_code_bitwidth",
            json!(11),
            "$.instr_code_bitwidth is 11",
        ),
        (
            "/instruction_templates",
            json!({}),
            "$.instruction_templates is an object, not an array",
        ),
        (
            "/instruction_templates",
            json!([]),
            "$.instruction_templates is empty",
        ),
        (
            "/instruction_templates/0",
            json!(1),
            "$.instruction_templates[0] is the number 1",
        ),
        (
            "/instruction_templates/0",
            json!({"name": "A"}),
            "$.instruction_templates[0] has no 'code'",
        ),
        (
            "/instruction_templates/0",
            json!({"code": 1}),
            "$.instruction_templates[0] has no 'name'",
        ),
        (
            "/instruction_templates/0/name",
            json!("move"),
            "$.instruction_templates[1].name 'MOVE'",
        ),
        (
            "/instruction_templates/0/name",
            json!(""),
            "$.instruction_templates[0].name ''",
        ),
        (
            "/instruction_templates/0/name",
            json!("A B"),
            "$.instruction_templates[0].name 'A B'",
        ),
        (
            "/instruction_templates/0/code",
            json!(3),
            "$.instruction_templates[1].code 3 is another",
        ),
        (
            "/instruction_templates/0/code",
            json!(4),
            "$.instruction_templates[0].code is 4",
        ),
        (
            "/instruction_templates/0/code",
            json!(true),
            "$.instruction_templates[0].code is a boolean",
        ),
        (
            "/instruction_templates/1/phase",
            json!(0),
            "$.instruction_templates[1].phase is 0",
        ),
        (
            "/instruction_templates/1/max_chunk",
            json!(0),
            "$.instruction_templates[1].max_chunk is 0",
        ),
        (
            "/instruction_templates/1/max_chunk",
            json!(65),
            "$.instruction_templates[1].max_chunk is 65",
        ),
        (
            "/instruction_templates/1/max_chunk",
            json!(1),
            "code and fields have 16 bits, 1 of 10 bits have 10",
        ),
        (
            &format!("{field}/name"),
            json!("instr_code"),
            "segment_templates[0].name 'instr_code'",
        ),
        (
            &format!("{field}/name"),
            json!("BY"),
            "segment_templates[2].name 'by' is another",
        ),
        (
            &format!("{field}/bitwidth"),
            json!(0),
            "segment_templates[0].bitwidth is 0",
        ),
        (
            &format!("{field}/bitwidth"),
            json!(65),
            "segment_templates[0].bitwidth is 65",
        ),
        (
            field,
            json!({"name": "a", "bitwidth": 1}),
            "segment_templates[0] has no 'comment'",
        ),
        (
            &format!("{field}/comment"),
            json!([]),
            "segment_templates[0].comment is an array",
        ),
        (
            "/instruction_templates/1/segment_templates/1/default_val",
            json!(2),
            "[1].default_val is 2",
        ),
        (
            "/instruction_templates/1/segment_templates/1/controllable",
            json!("no"),
            "controllable is a string",
        ),
        (
            words,
            json!({"key": 0, "val": "x"}),
            "verbo_map[1].key 0 has a word already",
        ),
        (
            words,
            json!({"key": 1, "val": "FAST"}),
            "verbo_map[1].val 'FAST' is the word of another",
        ),
        (
            words,
            json!({"key": 2, "val": "x"}),
            "verbo_map[1].key is 2, which doesn't fit 1 bits",
        ),
        (words, json!({"key": 1}), "verbo_map[1] has no 'val'"),
        (
            words,
            json!({"key": -1, "val": "x"}),
            "verbo_map[1].key is -1",
        ),
    ];
    for (pointer, wrong, wanted) in cases {
        let mut value = example();
        *value.pointer_mut(pointer).expect(pointer) = wrong.clone();
        let found = read(&value).expect_err(wanted);
        assert!(
            found.iter().any(|f| f.contains(wanted)),
            "{wanted}: {found:#?}"
        );
        assert!(
            found.iter().all(|f| f.starts_with("set.json:")),
            "{found:#?}"
        );
    }
}

#[test]
fn the_place_of_a_finding_is_that_of_the_value() {
    let text = "{\"platform\": \"X\", \"instr_bitwidth\": 8,\n \"instr_code_bitwidth\": 2,\n \
                \"instruction_templates\": [\n  {\"code\": 0, \"name\": \"A\"},\n  \
                {\"name\": \"B\\\"]\", \"code\": 7}]}";
    let diags = description::read(text, FileId(0)).expect_err("a wrong code");
    let mut sources = SourceMap::new();
    sources.add(SourceFile::new("f", text));
    let lines: Vec<String> = diags.iter().map(|diag| diag.one_line(&sources)).collect();
    assert!(
        lines
            .iter()
            .any(|l| l.starts_with("f:5:28: ") && l.contains("code is 7")),
        "{lines:#?}"
    );
    let diags = description::read("{\"platform\":\n  ,}", FileId(0)).expect_err("no JSON");
    assert_eq!(diags[0].span().map(|s| s.start), Some(15));
}

#[test]
fn instructions_that_are_the_same_are_refused() {
    let mut value = example();
    let all = value["instruction_templates"]
        .as_array_mut()
        .expect("an array");
    all.push(all[0].clone());
    let found = read(&value).expect_err("given twice");
    assert!(
        found[0].contains("$.instruction_templates[2] is the same as one before"),
        "{found:?}"
    );
}
