//! Messages: a header with the length, and JSON.

use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};

/// Bytes that a message has at most: what a client sends is names, numbers and texts that a person typed.
const MAX_BYTES: usize = 1 << 24;
/// The header that gives the length of a message.
const LENGTH: &str = "content-length";

/// A request of the client.
#[derive(Clone, Debug, Deserialize)]
pub struct ClientRequest {
    /// Its number.
    pub seq: u64,
    /// Name of the request.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Value,
}

fn malformed(why: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

/// Reads the next request; `None` at the end of the stream. Messages that aren't requests are skipped.
pub fn read(input: &mut dyn BufRead) -> io::Result<Option<ClientRequest>> {
    loop {
        let Some(length) = read_header(input)? else {
            return Ok(None);
        };
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        let message: Value = serde_json::from_slice(&body).map_err(malformed)?;
        if message["type"] == "request" {
            return serde_json::from_value(message).map(Some).map_err(malformed);
        }
    }
}

/// The length that a header gives; `None` at the end of the stream.
fn read_header(input: &mut dyn BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end();
        if header.is_empty() {
            let length = length.ok_or_else(|| malformed("a message has no Content-Length"))?;
            if length > MAX_BYTES {
                return Err(malformed(format!("a message of {length} bytes")));
            }
            return Ok(Some(length));
        }
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| malformed(format!("'{header}' is no header")))?;
        if name.eq_ignore_ascii_case(LENGTH) {
            let value = value.trim();
            let no_number = |_| malformed(format!("'{value}' is no length"));
            length = Some(value.parse().map_err(no_number)?);
        }
    }
}

/// Sends messages to the client, numbered.
pub struct MessageWriter<'a> {
    output: &'a mut dyn Write,
    last: u64,
}

impl<'a> MessageWriter<'a> {
    /// A writer that has sent nothing.
    pub fn new(output: &'a mut dyn Write) -> MessageWriter<'a> {
        MessageWriter { output, last: 0 }
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.last += 1;
        message["seq"] = json!(self.last);
        let text = message.to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }

    /// Sends an event.
    pub fn event(&mut self, name: &str, body: Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": name, "body": body }))
    }

    /// Sends what a request gave.
    pub fn respond(
        &mut self,
        request: &ClientRequest,
        result: Result<Value, String>,
    ) -> io::Result<()> {
        let (seq, command) = (request.seq, &request.command);
        let mut response = json!({ "type": "response", "request_seq": seq, "command": command });
        match result {
            Ok(body) => {
                response["success"] = json!(true);
                response["body"] = body;
            }
            Err(message) => {
                response["success"] = json!(false);
                response["message"] = json!(message);
                // The braces of a text would be taken for variables of the format.
                let variables = json!({ "text": message });
                let error = json!({
                    "id": 1, "format": "{text}", "variables": variables, "showUser": true,
                });
                response["body"] = json!({ "error": error });
            }
        }
        self.send(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(text: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
    }

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut input = framed(r#"{"type":"request","seq":1,"command":"threads"}"#);
        input.extend(framed(r#"{"type":"response","seq":2}"#));
        input.extend(framed(
            r#"{"type":"request","seq":3,"command":"next","arguments":{"threadId":4}}"#,
        ));
        let mut input = &input[..];
        let first = read(&mut input).expect("a message").expect("a request");
        assert_eq!((first.seq, &*first.command), (1, "threads"));
        let next = read(&mut input).expect("a message").expect("a request");
        assert_eq!(next.arguments["threadId"], 4);
        assert!(read(&mut input).expect("an end").is_none());
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for text in [
            "Content-Length: x\r\n\r\n",
            "\r\n",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: 2\r\n\r\n{",
            "Content-Length: 2\r\n\r\n[[",
            "GET / HTTP/1.1\r\n\r\n",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
