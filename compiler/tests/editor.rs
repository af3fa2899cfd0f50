//! `aiec lsp` as an editor uses it, and `--watch`: the real process, with a scripted client.

mod client;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use client::{Client, URI, at, example, place};
use serde_json::{Value, json};

const DESIGN: &str = "\
aie.device(npu2) {
  %tile_0_0 = aie.tile(0, 0)
  %tile_0_2 = aie.tile(0, 2)
  %buffer = aie.buffer(%tile_0_2) {sym_name = \"buffer\"} : memref<16xi32>
  aie.objectfifo @in(%tile_0_0, {%tile_0_2}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core = aie.core(%tile_0_2) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %v = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
    memref.store %c1, %buffer[%c0] : memref<16xi32>
    aie.objectfifo.release @in(Consume, 1)
    aie.end
  }
}
";

fn text_of(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or_default()
}

fn labels(list: &Value) -> Vec<&str> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect()
}

fn lines(locations: &Value) -> Vec<u64> {
    let list = locations.as_array().map_or(&[][..], Vec::as_slice);
    let line = |location: &Value| location["range"]["start"]["line"].as_u64();
    list.iter().filter_map(line).collect()
}

#[test]
fn names_lead_to_what_is_known_of_them() {
    let mut client = Client::start();
    assert_eq!(client.open(URI, "mlir", DESIGN), json!([]));
    let ask = |client: &mut Client, what: &str, position: &Value| {
        client.ask_at(URI, &format!("textDocument/{what}"), position)
    };
    let tile = ask(&mut client, "hover", &place(DESIGN, "%tile_0_2", 0));
    for part in [
        "%tile_0_2 = aie.tile(0, 2)",
        "resources of tile (0, 2)",
        "locks    2 of 16",
        "BDs      2 of 16",
        "S2MM     1 of 2",
    ] {
        assert!(text_of(&tile).contains(part), "{}", text_of(&tile));
    }
    let buffer = ask(&mut client, "hover", &place(DESIGN, "%buffer", 1));
    assert!(
        text_of(&buffer).contains("`buffer`: 64 bytes in tile (0, 2) at 0x"),
        "{}",
        text_of(&buffer)
    );
    let fifo = ask(&mut client, "hover", &place(DESIGN, "@in", 1));
    for part in [
        "2 × `aie.buffer`",
        "4 × `aie.lock`",
        "lock 0 of tile (0, 2)",
        "`in_cons_buff_0`: 64 bytes",
    ] {
        assert!(text_of(&fifo).contains(part), "{}", text_of(&fifo));
    }
    let op = ask(&mut client, "hover", &place(DESIGN, "aie.objectfifo", 0));
    assert!(
        text_of(&op).contains("**aie.objectfifo**"),
        "{}",
        text_of(&op)
    );
    assert_eq!(ask(&mut client, "hover", &at(99, 0)), Value::Null);

    let definition = ask(&mut client, "definition", &place(DESIGN, "@in", 1));
    assert_eq!(definition["range"]["start"], at(4, 18));
    let definition = ask(&mut client, "definition", &place(DESIGN, "%tile_0_2", 3));
    assert_eq!(definition["range"]["start"], at(2, 3));
    let params = json!({
        "textDocument": { "uri": URI }, "position": place(DESIGN, "%tile_0_2", 0),
        "context": { "includeDeclaration": true },
    });
    let references = client.request("textDocument/references", params)["result"].clone();
    assert_eq!(lines(&references), [2, 3, 4, 5]);

    let params = json!({
        "textDocument": { "uri": URI }, "position": place(DESIGN, "@in", 2), "newName": "@input",
    });
    let edit = client.request("textDocument/rename", params)["result"].clone();
    let edits = edit["changes"][URI].as_array().cloned().unwrap_or_default();
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "input"));
    let params = json!({
        "textDocument": { "uri": URI }, "position": place(DESIGN, "@in", 2), "newName": "a b",
    });
    let refused = client.request("textDocument/rename", params);
    assert!(
        refused["error"]["message"]
            .as_str()
            .is_some_and(|m| m.contains("`a b`")),
        "{refused}"
    );
    assert!(client.end());
}

#[test]
fn what_can_come_next_is_offered() {
    let mut client = Client::start();
    client.open(URI, "mlir", DESIGN);
    let offered = |client: &mut Client, version: u64, line: &str| -> Value {
        // The line is typed in front of the end of the core.
        let text = DESIGN.replace("    aie.end\n", &format!("    {line}\n    aie.end\n"));
        client.replace(URI, version, &text);
        let row = text
            .lines()
            .position(|l| l.trim() == line.trim())
            .expect("the line");
        let params = json!({ "textDocument": { "uri": URI }, "position": at(row, 4 + line.len()) });
        client.request("textDocument/completion", params)["result"].clone()
    };
    let ops = offered(&mut client, 2, "aie.objectf");
    assert!(labels(&ops).contains(&"aie.objectfifo.acquire"), "{ops}");
    assert!(labels(&ops).iter().all(|label| label.starts_with("aie")));
    let values = offered(&mut client, 3, "memref.load %");
    for name in ["%c0", "%buffer", "%tile_0_2", "%v"] {
        assert!(labels(&values).contains(&name), "{values}");
    }
    let symbols = offered(&mut client, 4, "aie.objectfifo.release @");
    assert!(labels(&symbols).contains(&"@in"), "{symbols}");
    let ports = offered(&mut client, 5, "aie.objectfifo.release @in(");
    assert!(labels(&ports).contains(&"Consume"), "{ports}");
    let keys = offered(&mut client, 6, "%l = aie.lock(%tile_0_2) {");
    assert!(labels(&keys).contains(&"init"), "{keys}");
    client.replace(URI, 7, "aie.device(");
    let params = json!({ "textDocument": { "uri": URI }, "position": at(0, 11) });
    let devices = client.request("textDocument/completion", params)["result"].clone();
    assert!(labels(&devices).contains(&"npu2"), "{devices}");
    assert!(client.end());
}

#[test]
fn findings_have_places_and_edits() {
    let mut client = Client::start();
    client.open(URI, "mlir", DESIGN);
    let range = json!({ "start": at(5, 20), "end": at(5, 28) });
    client.change(URI, 2, &range, "tile_0_3");
    let found = client.findings(2);
    assert_eq!(found[0]["severity"], 1, "{found}");
    assert_eq!(found[0]["range"]["start"]["line"], 5);
    assert_eq!(found[0]["source"], "aiec");
    let params = json!({
        "textDocument": { "uri": URI }, "range": found[0]["range"], "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params)["result"].clone();
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert!(
        edit["newText"]
            .as_str()
            .is_some_and(|text| text.starts_with("%tile_0_")),
        "{actions}"
    );
    assert_eq!(edit["range"]["start"], at(5, 19));
    // Facts from before the mistake are still shown.
    let tile = client.ask_at(URI, "textDocument/hover", &place(DESIGN, "%tile_0_2", 0));
    assert!(
        text_of(&tile).contains("resources of tile (0, 2)"),
        "{tile}"
    );
    client.change(URI, 3, &range, "tile_0_2");
    assert_eq!(client.findings(3), json!([]));
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert!(client.end());
}

#[test]
fn texts_have_colours_outlines_and_a_layout() {
    let mut client = Client::start();
    let wide = DESIGN.replace("aie.tile(0, 2)", "aie.tile( 0,2 )");
    client.open(URI, "mlir", &wide);
    let document = json!({ "textDocument": { "uri": URI } });
    let tokens =
        client.request("textDocument/semanticTokens/full", document.clone())["result"].clone();
    let data = tokens["data"].as_array().cloned().unwrap_or_default();
    assert!(data.len() > 5 * 40 && data.len() % 5 == 0, "{}", data.len());
    let outline = client.request("textDocument/documentSymbol", document.clone())["result"].clone();
    let children = outline[0]["children"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let names: Vec<&str> = children
        .iter()
        .filter_map(|child| child["name"].as_str())
        .collect();
    assert_eq!(
        names,
        ["%tile_0_0", "%tile_0_2", "\"buffer\"", "@in", "%core"]
    );
    let params = json!({
        "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true },
    });
    let edits = client.request("textDocument/formatting", params)["result"].clone();
    assert_eq!(edits[0]["newText"], DESIGN);
    assert!(client.end());
}

#[test]
fn control_code_has_findings_labels_and_instructions() {
    let uri = "file:///designs/code.asm";
    let text = "START_JOB 1\n  WRITE_33 0x0, 0x1\n  UC_DMA_WRITE_DES_SYNC @bds\nEND_JOB\nEOF\nbds:\n  UC_DMA_BD 0, 0x2000000, @data, 1, 0, 0\ndata:\n  .long 1\n";
    let mut client = Client::start();
    let found = client.open(uri, "cert-asm", text);
    assert_eq!(
        found[0]["range"],
        json!({ "start": at(1, 2), "end": at(1, 10) }),
        "{found}"
    );
    let params = json!({
        "textDocument": { "uri": uri }, "range": found[0]["range"], "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params)["result"].clone();
    assert_eq!(
        actions[0]["edit"]["changes"][uri][0]["newText"], "WRITE_32",
        "{actions}"
    );
    let hover = client.ask_at(
        uri,
        "textDocument/hover",
        &place(text, "UC_DMA_WRITE_DES_SYNC", 0),
    );
    assert!(text_of(&hover).contains("opcode"), "{hover}");
    let label = client.ask_at(uri, "textDocument/definition", &place(text, "@bds", 0));
    assert_eq!(label["range"]["start"], at(5, 0));
    assert!(client.end());
}

#[test]
fn a_text_in_the_middle_of_being_typed_is_served() {
    let whole = fs::read_to_string(example("scale")).expect("an example");
    let whole = whole.replace(|c: char| !c.is_ascii(), "?");
    let mut client = Client::start();
    client.open(URI, "mlir", "");
    let mut version = 1;
    for end in (0..whole.len()).step_by(29) {
        let text = &whole[..end];
        version += 1;
        client.replace(URI, version, text);
        let line = text.matches('\n').count();
        let here = at(line, text.rsplit('\n').next().map_or(0, str::len));
        for what in [
            "hover",
            "definition",
            "completion",
            "documentHighlight",
            "prepareRename",
        ] {
            client.ask_at(URI, &format!("textDocument/{what}"), &here);
        }
        let document = json!({ "textDocument": { "uri": URI } });
        for what in ["semanticTokens/full", "documentSymbol"] {
            let answer = client.request(&format!("textDocument/{what}"), document.clone());
            assert!(answer["error"].is_null(), "{answer}");
        }
    }
    assert_eq!(
        client.request("no/such", json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        client.request("textDocument/hover", json!({}))["error"]["code"],
        -32602
    );
    assert!(client.end());
}

/// Time in which a run must be noticed.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn watched_files_are_checked_again() {
    let folder = std::env::temp_dir().join(format!("aiec-watching-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("design.mlir");
    fs::write(&file, DESIGN).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_aiec"))
        .args(["check", "--watch"])
        .arg(&file)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command");
    let stderr = BufReader::new(child.stderr.take().expect("a stream"));
    let (sender, said) = channel();
    let reader = std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let wait_for = |part: &str| loop {
        let line = said.recv_timeout(PATIENCE).expect(part);
        if line.contains(part) {
            break;
        }
    };
    wait_for("nothing to say");
    wait_for("watching 1 file");
    fs::write(&file, DESIGN.replace("aie.tile(0, 2)", "aie.tile(0, 99)")).expect("a file");
    wait_for("design.mlir changed");
    wait_for("verify::tile-outside-device");
    wait_for("watching 1 file");
    fs::write(&file, DESIGN).expect("a file");
    wait_for("nothing to say");
    child.kill().expect("it ends");
    let _ = child.wait();
    reader.join().expect("the reader");
    fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn neovim_is_served() {
    let found = Command::new("nvim").arg("--version").output();
    if found.is_err() {
        println!("nvim isn't installed: not tried");
        return;
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let session = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-S", "editors/neovim/test.lua"])
        .arg(example("scale"))
        .current_dir(root)
        .env("AIEC", env!("CARGO_BIN_EXE_aiec"))
        .output()
        .expect("the editor");
    let said = String::from_utf8_lossy(&session.stderr);
    assert!(session.status.success(), "{said}");
}
