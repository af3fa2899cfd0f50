//! A client of `aiec lsp`, which speaks the protocol over the standard streams of the process.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running server.
pub struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next_id: u64,
    /// Findings of the last publication, with the version that they are of.
    pub published: Option<(Value, Value)>,
}

/// The name of an open document.
pub const URI: &str = "file:///designs/design.mlir";

/// A design of the examples.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/{name}/design.mlir"))
}

/// A position.
pub fn at(line: usize, character: usize) -> Value {
    json!({ "line": line, "character": character })
}

/// The position of the n-th time that a word is in a text, which is ASCII.
pub fn place(text: &str, word: &str, n: usize) -> Value {
    let (offset, _) = text.match_indices(word).nth(n).expect("the word");
    let before = &text[..offset];
    let line = before.matches('\n').count();
    at(line, before.rsplit('\n').next().map_or(0, str::len) + 1)
}

impl Client {
    /// Starts a server and greets it.
    pub fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aiec"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server");
        let (to, from) = (child.stdin.take(), child.stdout.take().expect("a stream"));
        let mut client = Client {
            child,
            to,
            from: BufReader::new(from),
            next_id: 1,
            published: None,
        };
        let about = client.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(about["result"]["serverInfo"]["name"], "aiec");
        client.notify("initialized", json!({}));
        client
    }

    /// Writes a message.
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let to = self.to.as_mut().expect("a stream");
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a server that reads");
        to.flush().expect("a server that reads");
    }

    /// Reads a message.
    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("a header");
            assert!(read > 0, "the server has gone");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).expect("a message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// Takes a message that isn't an answer.
    fn keep(&mut self, message: &Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let version = params["version"].clone();
            self.published = Some((version, params["diagnostics"].clone()));
        }
    }

    /// Tells the server something.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks the server something: the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.keep(&message);
        }
    }

    /// Asks about a place of a document.
    pub fn ask_at(&mut self, uri: &str, method: &str, position: &Value) -> Value {
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        self.request(method, params)["result"].clone()
    }

    /// Opens a document; its findings.
    pub fn open(&mut self, uri: &str, language: &str, text: &str) -> Value {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.findings(1)
    }

    /// Replaces a range of a document.
    pub fn change(&mut self, uri: &str, version: u64, range: &Value, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Replaces the text of a document.
    pub fn replace(&mut self, uri: &str, version: u64, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Waits for the findings of a version of a document.
    pub fn findings(&mut self, version: u64) -> Value {
        loop {
            match &self.published {
                Some((published, found)) if *published == version => return found.clone(),
                _ => {
                    let message = self.receive();
                    self.keep(&message);
                }
            }
        }
    }

    /// Says goodbye; whether the server ended well.
    pub fn end(mut self) -> bool {
        let answer = self.request("shutdown", Value::Null);
        assert_eq!(answer["result"], Value::Null);
        self.notify("exit", Value::Null);
        drop(self.to.take());
        self.child.wait().is_ok_and(|status| status.success())
    }
}
