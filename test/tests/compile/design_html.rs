//! The page of `--emit=design-html` and of `aiec sim --page`, used in a headless Chromium. Where no
//! Chromium is, the tests of behaviour are skipped with a message.

use std::path::PathBuf;

use aiec_test::browser::{left, opened};
use aiec_test::driver::aiec;

/// Script of a user on a page of this kind; it checks properties that every such page must have.
const USE_IT: &str = r#"<script>
const failed = [], expect = (what, holds) => { if (!holds) failed.push(what); };
const press = (node, key, more) => node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
const luminance = text => {
  const [r, g, b] = text.match(/[\d.]+/g).map(Number).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const overlap = (a, b) => a.left < b.right - .5 && b.left < a.right - .5 && a.top < b.bottom - .5 && b.top < a.bottom - .5;
data.devices.forEach((d, n) => {
  choose(n);
  if (!device.tiles.length) return;
  const texts = [...view.querySelectorAll('text')], boxes = texts.map(t => t.getBoundingClientRect());
  texts.forEach((text, k) => {
    const style = getComputedStyle(text), matrix = text.getScreenCTM();
    expect(`text of ${parseFloat(style.fontSize) * matrix.a} pixels`, parseFloat(style.fontSize) * matrix.a >= 7.99);
    const ground = getComputedStyle(text.closest('.box').querySelector('.frame')).fill;
    expect(`contrast of ${text.textContent}`, contrast(style.fill, ground) >= 4.5);
    const frame = text.closest('.box').querySelector('.frame').getBoundingClientRect();
    expect(`${text.textContent} leaves its box`, boxes[k].left >= frame.left - .5 && boxes[k].right <= frame.right + .5);
    for (let other = 0; other < k; other++) expect(`${text.textContent} overlaps ${texts[other].textContent}`, !overlap(boxes[k], boxes[other]));
  });
  const [whole, tall] = port.size();
  expect('the whole array is seen', port.box[0] <= .01 && port.box[1] <= .01 && port.box[2] >= whole - .01 && port.box[3] >= tall - .01);
  const frames = [...view.querySelectorAll('.frame')].map(f => f.getBoundingClientRect());
  frames.forEach((a, k) => frames.slice(0, k).forEach(b => expect('boxes overlap', !overlap(a, b))));
  for (const link of device.links.filter(l => l.fifo)) {
    expect(`fifo ${link.name} is named`, texts.some(t => t.textContent.startsWith(link.name)));
    expect(`fifo ${link.name} is drawn`, view.querySelector(`.wire[data-link="${device.links.indexOf(link)}"]`));
  }
  expect('a line for each link', list.children.length === device.links.length);
  list.children[0].click();
  expect('a click marks', view.classList.contains('marking') && view.querySelectorAll('.wire.on').length >= 1);
  expect('and tells the line', byId('detail').textContent.includes(device.links[0].name));
  press(document.body, 'Escape');
  expect('escape unmarks', !view.classList.contains('marking'));
  view.querySelector('.box[data-tile] .frame').dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect('a click on a tile describes it', byId('detail').textContent.includes('tile ('));
  byId('filter').value = 'no such thing';
  byId('filter').dispatchEvent(new Event('input'));
  expect('the filter hides', [...list.children].every(item => item.classList.contains('off')));
  byId('filter').value = '';
  byId('filter').dispatchEvent(new Event('input'));
  const wide = port.box[2];
  byId('closer').click();
  expect('zoom in', port.box[2] < wide);
  press(document.body, '0');
  expect('0 fits', Math.abs(port.box[2] - wide) < .01);
});
document.body.dataset.result = failed.length ? failed.slice(0, 5).join('; ') : 'all well';
document.body.dataset.links = data.devices.map(d => d.links.map(l => `${l.kind} ${l.name}`).join(', ')).join('; ');
document.body.dataset.stuck = document.querySelectorAll('.box.stuck').length + document.querySelectorAll('.wire.stuck').length;
document.body.dataset.bars = document.querySelectorAll('svg .busy').length;
</script>
</body>"#;

fn example(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples");
    root.join(name).join("design.mlir")
}

/// Uses a page; the links on it, by kind and name, and the whole document.
fn use_page(name: &str, page: &str) -> Option<(String, String)> {
    for word in ["src=", "href=", "@import", "url(", "fetch(", "import("] {
        assert!(!page.contains(word), "{name}: {word}");
    }
    let document = opened(
        &format!("design-{name}"),
        &page.replacen("</body>", USE_IT, 1),
    )?;
    assert_eq!(left(&document, "result"), "all well", "{name}");
    Some((left(&document, "links").to_string(), document))
}

fn design_page(name: &str, more: &[&str]) -> Option<String> {
    let path = example(name);
    let path = path.to_str().expect("a path");
    let args = [path, "--emit=design-html", "-o", "-"];
    let run = aiec(args.iter().chain(more).copied(), b"");
    let bytes = run.output().unwrap_or_else(|error| panic!("{error}"));
    let page = String::from_utf8(bytes).expect("text");
    use_page(name, &page).map(|(links, _)| links)
}

#[test]
fn the_links_of_examples_are_on_their_pages() {
    for (name, wanted) in [
        ("scale", &["host host a", "circuit in", "circuit out"][..]),
        (
            "pipeline",
            &["shared memory a", "circuit b", "shared memory c"],
        ),
        ("cascade", &["cascade cascade", "circuit x"]),
        (
            "split-join",
            &["circuit in", "circuit in3", "circuit out0", "circuit out"],
        ),
        ("packet-flows", &["packet "]),
        ("whole-array", &["circuit in00", "circuit in73"]),
        ("hand-written", &["circuit "]),
        ("two-kernels", &["circuit in", "circuit out"]),
    ] {
        let Some(links) = design_page(name, &[]) else {
            return;
        };
        for link in wanted {
            assert!(links.contains(link), "{name}: {links}");
        }
    }
}

#[test]
fn a_page_of_a_run_shows_shares_and_the_deadlock() {
    let folder = std::env::temp_dir().join(format!("aiec-run-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("run.html");
    let path = example("deadlock");
    let args = [
        "sim",
        path.to_str().expect("a path"),
        "--page",
        file.to_str().expect("a path"),
    ];
    let run = aiec(args, b"");
    assert_eq!(run.exit, aiec::Exit::SimulationFailed, "{}", run.stderr);
    let page = std::fs::read_to_string(&file).expect("a page");
    // Left-overs in a temporary folder do no harm.
    let _ = std::fs::remove_dir_all(&folder);
    assert!(page.contains("likely mistake"));
    if let Some((_, document)) = use_page("deadlock-run", &page) {
        assert_eq!(left(&document, "stuck"), "4", "two cores and two fifos");
        assert_eq!(left(&document, "bars"), "2");
    }
}

#[test]
fn the_picture_alone_is_svg() {
    let path = example("pipeline");
    let args = [
        path.to_str().expect("a path"),
        "--emit=design-svg",
        "-o",
        "-",
    ];
    let svg = aiec(args, b"")
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    let svg = String::from_utf8(svg).expect("text");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(
        svg.contains("shared memory") && svg.contains(">a ×2<"),
        "{svg}"
    );
}
