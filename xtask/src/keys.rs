//! `cargo xtask keys`: the time from a key in an editor to the findings about the text, of `aiec lsp` as users build it.
//!
//! A client types a comment and takes it back in a design, one key at a time; each key compiles the design again.

use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// The design that is edited, 8 columns of 4 cores.
const DESIGN: &str = "examples/whole-array/design.mlir";
/// Name of the text for the server.
const URI: &str = "file:///whole-array.mlir";
/// The text that is typed at the end of the first line, and taken back.
const TYPED: &str = " // some words of a comment, typed key by key";
const PUBLISH: &str = "textDocument/publishDiagnostics";

/// A running server.
struct Editor {
    server: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    version: i64,
}

impl Editor {
    /// Starts a server with the text open.
    fn open(program: &Path, text: &str) -> Result<Editor, String> {
        let mut command = Command::new(program);
        command
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut server = command
            .spawn()
            .map_err(|error| format!("aiec lsp: {error}"))?;
        let (Some(to), Some(from)) = (server.stdin.take(), server.stdout.take()) else {
            return Err("aiec lsp has no streams".to_owned());
        };
        let mut editor = Editor {
            server,
            to: BufWriter::new(to),
            from: BufReader::new(from),
            version: 1,
        };
        editor.request(1, "initialize", json!({ "capabilities": {} }))?;
        editor.notify("initialized", json!({}))?;
        let document = json!({ "uri": URI, "languageId": "mlir", "version": 1, "text": text });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
        editor.wait_for_findings()?;
        Ok(editor)
    }

    fn send(&mut self, message: Message) -> Result<(), String> {
        message
            .write(&mut self.to)
            .map_err(|error| format!("aiec lsp: {error}"))
    }

    fn receive(&mut self) -> Result<Message, String> {
        let message =
            Message::read(&mut self.from).map_err(|error| format!("aiec lsp: {error}"))?;
        message.ok_or_else(|| "aiec lsp ended".to_owned())
    }

    fn notify(&mut self, method: &str, params: Value) -> Result<(), String> {
        self.send(Message::Notification(Notification::new(
            method.to_owned(),
            params,
        )))
    }

    fn request(&mut self, id: i32, method: &str, params: Value) -> Result<(), String> {
        let id = RequestId::from(id);
        self.send(Message::Request(Request::new(
            id.clone(),
            method.to_owned(),
            params,
        )))?;
        while !matches!(self.receive()?, Message::Response(response) if response.id == id) {}
        Ok(())
    }

    /// Waits for the findings about the present version.
    fn wait_for_findings(&mut self) -> Result<(), String> {
        loop {
            if let Message::Notification(said) = self.receive()?
                && said.method == PUBLISH
                && said.params["version"]
                    .as_i64()
                    .is_none_or(|version| version >= self.version)
            {
                return Ok(());
            }
        }
    }

    /// Puts a text in the place of columns of the first line; returns the time until the findings are there.
    fn replace(&mut self, from: usize, to: usize, text: &str) -> Result<Duration, String> {
        self.version += 1;
        let place = |column: usize| json!({ "line": 0, "character": column });
        let change = json!({ "range": { "start": place(from), "end": place(to) }, "text": text });
        let document = json!({ "uri": URI, "version": self.version });
        let start = Instant::now();
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        )?;
        self.wait_for_findings()?;
        Ok(start.elapsed())
    }

    fn close(mut self) -> Result<(), String> {
        self.request(2, "shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        drop(self.to);
        let status = self
            .server
            .wait()
            .map_err(|error| format!("aiec lsp: {error}"))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("aiec lsp: {status}"))
        }
    }
}

/// Measures, and prints median and longest time.
///
/// # Errors
/// The server can't be built or run, or ends.
pub fn run(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(cargo)
        .args(["build", "--release", "--locked", "--package=aiec"])
        .current_dir(root)
        .status();
    if !build.map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("aiec can't be built".to_owned());
    }
    let path = root.join(DESIGN);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let end = text.lines().next().map_or(0, str::len);
    let mut editor = Editor::open(&root.join("target/release/aiec"), &text)?;
    let mut times = Vec::new();
    for (at, key) in TYPED.char_indices() {
        times.push(editor.replace(end + at, end + at, key.encode_utf8(&mut [0; 4]))?);
    }
    for at in (0..TYPED.len()).rev() {
        times.push(editor.replace(end + at, end + at + 1, "")?);
    }
    editor.close()?;
    times.sort();
    let milliseconds = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    println!(
        "{} keys in {DESIGN}: {:.1} ms from a key to its findings in the median, {:.1} ms at most",
        times.len(),
        milliseconds(times.get(times.len() / 2)),
        milliseconds(times.last())
    );
    Ok(())
}
