//! Pages in a headless Chromium. Where no Chromium is, tests of behaviour are skipped with a message;
//! `AIEC_CHROMIUM` names another program.
//!
//! [`opened`] runs one page with a test's own script in it, [`session::Session`] looks at many.
//! Scripts of both can ask `pageProbes.findings({ size, contrast, overlaps })` ([`PROBES`]): texts
//! below `size` pixels (10), of less `contrast` (4.5) to their background, and texts over each
//! other.

pub mod session;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The script that knows what is wrong with what a page shows.
pub const PROBES: &str = include_str!("probes.js");

/// No network, no questions, the same window everywhere.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
];

/// A folder of its own for a test.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("aiec-page-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    /// The argument that keeps the browser's files here.
    fn profile(&self) -> String {
        format!("--user-data-dir={}", self.0.join("profile").display())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left-overs of the browser in a temporary folder do no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("AIEC_CHROMIUM").map(PathBuf::from);
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    named
        .into_iter()
        .chain(in_path)
        .find(|program| program.is_file())
}

/// Opens a page and returns its document afterwards; `None` where there is no Chromium. `name` is
/// that of the test.
pub fn opened(name: &str, page: &str) -> Option<String> {
    let Some(program) = chromium() else {
        eprintln!("skipped: no Chromium here (AIEC_CHROMIUM names one, or install chromium)");
        return None;
    };
    let scratch = Scratch::new(name);
    let file = scratch.0.join("page.html");
    let probes = format!("<head><script>{PROBES}</script>");
    fs::write(&file, page.replacen("<head>", &probes, 1)).expect("a page");
    let run = Command::new(program)
        .args(FLAGS)
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(scratch.profile())
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .output()
        .expect("Chromium runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    if !run.status.success() && text.is_empty() {
        // No page keeps a browser from starting.
        let said = String::from_utf8_lossy(&run.stderr);
        eprintln!("skipped: Chromium doesn't start here: {}", said.trim());
        return None;
    }
    assert!(
        text.contains("<body"),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    Some(text)
}

/// A value that the script left in the body's data.
pub fn left<'t>(document: &'t str, name: &str) -> &'t str {
    let mark = format!("data-{name}=\"");
    let rest = document.split(&mark).nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}
