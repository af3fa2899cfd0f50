//! Every page and picture of six designs in a headless Chromium: pictures of them in the test's output
//! folder (`target/tmp/screenshots`), and what holds of each: no error on the console, nothing asked
//! of a network, and what can be read at the opening zoom.

use std::fs;
use std::path::{Path, PathBuf};

use aiec_test::browser::session::Session;
use aiec_test::driver::aiec;
use serde_json::json;

/// The designs: folder of the example and file.
const DESIGNS: [(&str, &str); 6] = [
    ("scale", "design.mlir"),
    ("pipeline", "design.mlir"),
    ("whole-array", "design.mlir"),
    ("whole-array", "design.xcve3858.mlir"),
    ("packet-flows", "design.mlir"),
    ("deadlock", "design.mlir"),
];

/// Source of a page.
#[derive(Clone, Copy, Debug)]
enum PageSource {
    /// `--emit=KIND`
    Emit(&'static str),
    /// `aiec sim OPTION FILE`
    Run(&'static str),
}

/// A kind of page.
struct PageKind {
    name: &'static str,
    source: PageSource,
    ending: &'static str,
    /// Whether all that it shows can be read, at the zoom that it opens with.
    readable: bool,
}

/// The pages.
const PAGES: [PageKind; 7] = [
    PageKind::new("design", PageSource::Emit("design-html"), "html", true),
    PageKind::new("design-svg", PageSource::Emit("design-svg"), "svg", true),
    PageKind::new("run", PageSource::Run("--page"), "html", true),
    PageKind::new("trace", PageSource::Run("--trace"), "html", true),
    PageKind::new("routing", PageSource::Emit("routing-html"), "html", true),
    PageKind::new("routing-svg", PageSource::Emit("routing-svg"), "svg", true),
    PageKind::new("jobs", PageSource::Emit("job-graph-svg"), "svg", true),
];

impl PageKind {
    const fn new(
        name: &'static str,
        source: PageSource,
        ending: &'static str,
        readable: bool,
    ) -> PageKind {
        PageKind {
            name,
            source,
            ending,
            readable,
        }
    }
}

/// Writes a page of a design into a folder; the file.
fn write_page(folder: &Path, (example, design): (&str, &str), page: &PageKind) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(example);
    let text = |path: &Path| path.to_str().expect("a path").to_string();
    let stem = design.replace("design", example).replace(".mlir", "");
    let file = folder.join(format!("{stem}.{}.{}", page.name, page.ending));
    let design = text(&here.join(design));
    let argument = format!("0={}", text(&here.join("arg0.bin")));
    let args = match page.source {
        PageSource::Emit(kind) => vec![design, format!("--emit={kind}"), "-o".into(), text(&file)],
        PageSource::Run(option) => {
            vec![
                "sim".into(),
                design,
                "--arg".into(),
                argument,
                option.into(),
                text(&file),
            ]
        }
    };
    let run = aiec(&args, b"");
    // The page of a run that hangs is what it is for.
    let hangs = example == "deadlock" && matches!(page.source, PageSource::Run(_));
    let wanted = if hangs {
        aiec::Exit::SimulationFailed
    } else {
        aiec::Exit::Done
    };
    assert_eq!(run.exit, wanted, "{args:?}: {}", run.stderr);
    file
}

#[test]
fn pages_are_readable_and_need_nothing_else() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).expect("a folder");
    let Some(mut session) = Session::start("screenshots") else {
        return;
    };
    let mut wrong = Vec::new();
    for design in DESIGNS {
        for page in &PAGES {
            let file = write_page(&folder, design, page);
            session.open(&file);
            let mut found = Vec::new();
            for scheme in ["dark", "light"] {
                session.colour_scheme(scheme);
                if page.readable {
                    found.extend(session.findings(&json!({})));
                }
            }
            session.screenshot(&file.with_extension(format!("{}.png", page.ending)));
            found.extend(session.troubles().iter().cloned());
            wrong.extend(
                found
                    .into_iter()
                    .map(|line| format!("{}: {line}", file.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page on which everything is wrong that the probes find, so that they can be believed.
const WRONG: &str = "<!DOCTYPE html><html><head></head><body style=\"background:#fff\">\
    <p style=\"font:9px sans-serif\">tiny</p><p style=\"color:#aaa\">faint</p><p>plain</p>\
    <p style=\"position:absolute;left:300px;top:200px;margin:0\">under</p>\
    <p style=\"position:absolute;left:310px;top:204px;margin:0\">over</p>\
    <div style=\"position:absolute;left:290px;top:300px;background:#fff;width:90px;height:40px;z-index:2\"></div>\
    <p style=\"position:absolute;left:300px;top:310px;margin:0;color:#ddd\">hidden</p>\
    <svg viewBox=\"0 0 100 100\" width=\"50\" height=\"50\"><rect width=\"100\" height=\"100\" fill=\"#222\"/>\
    <text x=\"2\" y=\"60\" font-size=\"18\" fill=\"#eee\">small</text></svg>\
    <svg viewBox=\"0 0 100 100\" width=\"100\" height=\"100\"><rect width=\"100\" height=\"100\" fill=\"#222\"/>\
    <text x=\"2\" y=\"60\" font-size=\"18\" fill=\"#444\">dim</text></svg>\
    <canvas id=\"view\" width=\"300\" height=\"100\"></canvas><script>\
    const ink = document.getElementById('view').getContext('2d');\
    ink.fillStyle = '#fff'; ink.fillRect(0, 0, 300, 100);\
    ink.fillStyle = '#000'; ink.font = '12px sans-serif'; ink.fillText('erased', 10, 40);\
    ink.fillStyle = '#fff'; ink.fillRect(0, 20, 300, 40);\
    ink.fillStyle = '#ccc'; ink.fillText('drawn', 10, 40);\
    console.error('said'); new Image().src = 'http://localhost:9/none.png';\
    </script></body></html>";

#[test]
fn the_probes_find_what_is_wrong() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-page");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("wrong.html");
    fs::write(&file, WRONG).expect("a page");
    let Some(mut session) = Session::start("wrong-page") else {
        return;
    };
    session.open(&file);
    let mut found = session.findings(&json!({}));
    found.sort();
    let words: Vec<String> = found
        .iter()
        .map(|line| {
            line.split_whitespace()
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let wanted = [
        "text 'dim' with",
        "text 'drawn' with",
        "text 'faint' with",
        "text 'small' of",
        "text 'tiny' of",
        "text 'under' overlaps",
    ];
    assert_eq!(words, wanted, "{found:#?}");
    let troubles = session.troubles().join("\n");
    assert!(
        troubles.contains("console: ") && troubles.contains("request: http://localhost:9/none.png"),
        "{troubles}"
    );
    assert!(
        session
            .findings(&json!({ "size": 8, "contrast": 1, "overlaps": true }))
            .is_empty()
    );
}
