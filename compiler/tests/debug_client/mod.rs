//! A client of `aiec dap`, which speaks the protocol over the standard streams of the process.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running adapter.
pub struct DebugClient {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
    /// Events that were not looked at.
    events: VecDeque<Value>,
    /// Output of the adapter for people.
    pub output: String,
}

/// A place where the run has stopped: why, of which thread, and the lines of its stack.
#[derive(Debug, PartialEq)]
pub struct Stopped {
    pub reason: String,
    pub thread: u64,
    pub lines: Vec<u64>,
    pub body: Value,
}

/// An empty folder of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("debugger")
        .join(name);
    // It may not be there yet.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

impl DebugClient {
    /// Starts an adapter and greets it.
    pub fn start() -> DebugClient {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aiec"))
            .arg("dap")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the adapter");
        let to = child.stdin.take().expect("a stream");
        let from = BufReader::new(child.stdout.take().expect("a stream"));
        let mut client = DebugClient {
            child,
            to,
            from,
            last: 0,
            events: VecDeque::new(),
            output: String::new(),
        };
        let about = client.ask("initialize", json!({ "adapterID": "aiec" }));
        assert_eq!(about["supportsStepBack"], true);
        client
    }

    /// Starts an adapter with a program, which waits for its breakpoints.
    pub fn launch(program: &Path, args: &[&str], more: Value) -> DebugClient {
        let mut client = DebugClient::start();
        let mut arguments = json!({ "program": program, "args": args });
        for (key, value) in more.as_object().into_iter().flatten() {
            arguments[key] = value.clone();
        }
        client.ask("launch", arguments);
        client.event("initialized");
        client
    }

    fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.last += 1;
        let message = json!({
            "type": "request", "seq": self.last, "command": command, "arguments": arguments,
        });
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a reader");
        self.to.flush().expect("a reader");
        self.last
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("a header");
            assert!(read > 0, "the adapter has gone; it said {}", self.output);
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

    fn keep(&mut self, event: Value) {
        if event["event"] == "output" {
            self.output += event["body"]["output"].as_str().unwrap_or_default();
        } else {
            self.events.push_back(event);
        }
    }

    /// The response to a request.
    fn response(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        loop {
            let message = self.receive();
            if message["type"] == "response" && message["request_seq"] == seq {
                return message;
            }
            self.keep(message);
        }
    }

    /// The result of a request.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    /// The message of a request that is refused.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], false, "{command}: {response}");
        assert_eq!(
            response["body"]["error"]["variables"]["text"],
            response["message"]
        );
        response["message"].as_str().unwrap_or_default().to_string()
    }

    /// The next event with a name.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(at).unwrap_or_default()["body"].clone();
            }
            let message = self.receive();
            self.keep(message);
        }
    }

    /// Where the run stops next.
    pub fn stopped(&mut self) -> Stopped {
        let body = self.event("stopped");
        let thread = body["threadId"].as_u64().expect("a thread");
        Stopped {
            reason: body["reason"].as_str().unwrap_or_default().to_string(),
            thread,
            lines: self.lines(thread),
            body,
        }
    }

    /// Goes on in some way; where the run stops.
    pub fn go(&mut self, command: &str, thread: u64) -> Stopped {
        self.ask(command, json!({ "threadId": thread }));
        self.stopped()
    }

    /// The lines of the stack of a thread.
    pub fn lines(&mut self, thread: u64) -> Vec<u64> {
        let stack = self.ask("stackTrace", json!({ "threadId": thread }));
        let frames = stack["stackFrames"].as_array().cloned().unwrap_or_default();
        frames
            .iter()
            .filter_map(|frame| frame["line"].as_u64())
            .collect()
    }

    /// The thread whose name begins so.
    pub fn thread(&mut self, name: &str) -> (u64, String) {
        let threads = self.ask("threads", json!({}))["threads"].clone();
        let threads = threads.as_array().cloned().unwrap_or_default();
        let mut named = threads.iter().filter_map(|thread| {
            let full = thread["name"].as_str()?;
            full.starts_with(name)
                .then(|| (thread["id"].as_u64(), full.to_string()))
        });
        let (id, full) = named
            .next()
            .unwrap_or_else(|| panic!("{name} among {threads:?}"));
        (id.expect("a number"), full)
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> String {
        let value = self.ask("evaluate", json!({ "expression": expression }));
        value["result"].as_str().unwrap_or_default().to_string()
    }

    /// Sets the breakpoints of a source; the lines that they are at.
    pub fn break_at(&mut self, source: &Path, lines: &[u64]) -> Vec<Option<u64>> {
        let breakpoints: Vec<Value> = lines.iter().map(|line| json!({ "line": line })).collect();
        let set = self.ask(
            "setBreakpoints",
            json!({ "source": { "path": source }, "breakpoints": breakpoints }),
        );
        let set = set["breakpoints"].as_array().cloned().unwrap_or_default();
        set.iter().map(|point| point["line"].as_u64()).collect()
    }

    /// Begins the run; where it stops.
    pub fn begin(&mut self) -> Stopped {
        self.ask("configurationDone", json!({}));
        self.stopped()
    }

    /// The variables of a scope of a thread's first frame, by name.
    pub fn scope(&mut self, thread: u64, name: &str) -> Vec<Value> {
        let stack = self.ask("stackTrace", json!({ "threadId": thread, "levels": 1 }));
        let frame = stack["stackFrames"][0]["id"].clone();
        let scopes = self.ask("scopes", json!({ "frameId": frame }))["scopes"].clone();
        let scopes = scopes.as_array().cloned().unwrap_or_default();
        let scope = scopes.iter().find(|scope| scope["name"] == name);
        let scope = scope.unwrap_or_else(|| panic!("{name} among {scopes:?}"));
        self.parts(scope)
    }

    /// The variables in a variable.
    pub fn parts(&mut self, variable: &Value) -> Vec<Value> {
        let reference = variable["variablesReference"].clone();
        let parts = self.ask("variables", json!({ "variablesReference": reference }));
        parts["variables"].as_array().cloned().unwrap_or_default()
    }

    /// Says goodbye; whether the adapter ended well.
    pub fn end(mut self) -> bool {
        self.ask("disconnect", json!({}));
        drop(self.to);
        self.child.wait().is_ok_and(|status| status.success())
    }
}

/// The variable of a name.
pub fn named<'v>(variables: &'v [Value], name: &str) -> &'v Value {
    let found = variables.iter().find(|variable| variable["name"] == name);
    found.unwrap_or_else(|| panic!("{name} among {variables:?}"))
}
