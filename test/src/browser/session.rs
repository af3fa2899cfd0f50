//! A Chromium that stays open for many pages, steered over its pipe for debuggers (Chrome DevTools
//! Protocol: one JSON message after another, each followed by a zero byte).

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{FLAGS, PROBES, Scratch, chromium};

/// Limit of the wait for a reply: a page is parsed and drawn in it, on a machine that does other
/// things.
const ANSWER: Duration = Duration::from_secs(60);

/// A browser with one window of 1400 by 900 pixels.
#[derive(Debug)]
pub struct Session {
    browser: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    tab: Option<String>,
    last_id: u64,
    /// Errors of pages and requests for anything but files, of the page that is open.
    troubles: Vec<String>,
    loaded: bool,
    // Removed when the browser has ended.
    _scratch: Scratch,
}

impl Session {
    /// Starts a browser; `None` if none can be started. `name` is that of the test.
    pub fn start(name: &str) -> Option<Session> {
        let Some(program) = chromium() else {
            eprintln!("skipped: no Chromium here (AIEC_CHROMIUM names one, or install chromium)");
            return None;
        };
        let scratch = Scratch::new(name);
        // The browser reads commands from descriptor 3 and writes replies to descriptor 4.
        let mut browser = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null 2>&1"])
            .arg(program)
            .args(FLAGS)
            .arg("--remote-debugging-pipe")
            .arg(scratch.profile())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let commands = browser.stdin.take().expect("a pipe");
        let answers = BufReader::new(browser.stdout.take().expect("a pipe"));
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0) {
                let Ok(message) = message else { return };
                let message = serde_json::from_slice(&message).expect("JSON of the browser");
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut session = Session {
            browser,
            commands,
            messages,
            tab: None,
            last_id: 0,
            troubles: Vec::new(),
            loaded: false,
            _scratch: scratch,
        };
        let Some(target) = session.command("Target.createTarget", json!({ "url": "about:blank" }))
        else {
            // No page keeps a browser from starting.
            eprintln!("skipped: Chromium doesn't start here");
            return None;
        };
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let tab = session.ask("Target.attachToTarget", target);
        session.tab = tab["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            session.ask(&format!("{domain}.enable"), json!({}));
        }
        let offline = json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        session.ask("Network.emulateNetworkConditions", offline);
        let probes = json!({ "source": PROBES });
        session.ask("Page.addScriptToEvaluateOnNewDocument", probes);
        Some(session)
    }

    /// Opens a file and waits until it is drawn.
    pub fn open(&mut self, file: &Path) {
        self.troubles.clear();
        self.loaded = false;
        let url = format!("file://{}", file.display());
        let answer = self.ask("Page.navigate", json!({ "url": url }));
        assert!(answer["errorText"].is_null(), "{url}: {answer}");
        let until = Instant::now() + ANSWER;
        while !self.loaded {
            let left = until.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) => self.take_event(&message),
                Err(error) => panic!("{url} isn't loaded: {error}"),
            }
        }
        // The second picture has what the first one asked for.
        self.evaluate(
            "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => go(0))))",
        );
    }

    /// Light or dark, as a system would ask for.
    pub fn colour_scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
        self.evaluate(
            "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => go(0))))",
        );
    }

    /// The value of an expression of the page, or of the promise that it is.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let request =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.ask("Runtime.evaluate", request);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].take()
    }

    /// Findings of `pageProbes.findings(OPTIONS)` of `probes.js`.
    pub fn findings(&mut self, options: &Value) -> Vec<String> {
        let found = self.evaluate(&format!("pageProbes.findings({options})"));
        let found = found.as_array().expect("findings").iter();
        found
            .map(|line| line.as_str().unwrap_or_default().to_string())
            .collect()
    }

    /// Errors of the open page on its console, and what it asked the network for.
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Writes what the window shows as PNG.
    pub fn screenshot(&mut self, file: &Path) {
        let answer = self.ask(
            "Page.captureScreenshot",
            json!({ "format": "png", "optimizeForSpeed": true }),
        );
        let data = answer["data"].as_str().expect("a picture");
        fs::write(file, from_base64(data)).expect("a picture can be written");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.command(method, params)
            .unwrap_or_else(|| panic!("the browser ended at {method}"))
    }

    /// Sends a command and waits for its answer; `None` when the browser has ended.
    fn command(&mut self, method: &str, params: Value) -> Option<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(tab) = &self.tab {
            message["sessionId"] = json!(tab);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).ok()?;
        let until = Instant::now() + ANSWER;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut message = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("{method} isn't answered"),
            };
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return Some(message["result"].take());
            }
            self.take_event(&message);
        }
    }

    fn take_event(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.loaded = true,
            Some("Runtime.exceptionThrown") => {
                let details = &params["exceptionDetails"];
                self.troubles.push(format!("exception: {details}"));
            }
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                self.troubles.push(format!("console: {}", params["args"]));
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.troubles.push(format!("log: {}", params["entry"]));
            }
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !url.starts_with("file:") && !url.starts_with("data:") {
                    self.troubles.push(format!("request: {url}"));
                }
            }
            _ => {}
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.tab = None;
        // A browser that has ended already does no harm.
        let _ = self
            .commands
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.browser.wait();
    }
}

/// The bytes of a text in base 64 (RFC 4648, section 4).
fn from_base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() * 3 / 4), 0u32, 0);
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::from_base64;

    #[test]
    fn base64_of_the_rfc() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9vYmFy", "foobar"),
            ("+/+/", "\u{fb}\u{ff}\u{bf}"),
        ] {
            let wanted: Vec<u8> = bytes.chars().map(|c| c as u8).collect();
            assert_eq!(from_base64(text), wanted, "{text}");
        }
    }
}
