//! The page of `--emit=routing-html`, used in a headless Chromium as a person would use it. Where
//! no Chromium is, the tests of behaviour are skipped with a message; what can be seen in the
//! text is tested anywhere. `AIEC_CHROMIUM` names another program.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_test::browser::{left, opened};
use aiec_test::driver::aiec;
use serde_json::Value;

/// Two devices; broadcast, packets that share a port, a name that would end a script.
const DESIGN: &str = r#"
aie.device(npu2) @main {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.flow(%s, DMA : 0, %b, DMA : 1)
  aie.flow(%m, DMA : 0, %s, DMA : 0)
  aie.packet_flow(4) { aie.packet_source<%a, DMA : 0> aie.packet_dest<%s, DMA : 1> }
  aie.packet_flow(5) { aie.packet_source<%a, DMA : 0> aie.packet_dest<%b, DMA : 0> }
}
aie.device(npu1) @"</script>" {
  %s = aie.tile(0, 0)
  %a = aie.tile(3, 2)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
}
"#;

/// Uses the page and leaves what failed in the body's data: in `expect` what holds of any page,
/// in the rest what a person does.
const USE_IT: &str = r#"<script>
const failed = [], expect = (what, holds) => { if (!holds) failed.push(what); };
const press = (node, key, more) => node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
const visible = () => view.querySelectorAll('.flow:not(.hidden)').length;
const type = text => { byId('filter').value = text; byId('filter').dispatchEvent(new Event('input')); };
const luminance = text => {
  const [r, g, b] = text.match(/[\d.]+/g).map(Number).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const ground = name => { const node = document.createElement('i'); node.style.color = `var(${name})`; document.body.append(node); const found = getComputedStyle(node).color; node.remove(); return found; };
const overlap = (a, b) => a.left < b.right - .5 && b.left < a.right - .5 && a.top < b.bottom - .5 && b.top < a.bottom - .5;
const shownTexts = () => [...view.querySelectorAll('text')].filter(t => !t.closest('.idle') && t.getBoundingClientRect().width > 0);
// All texts can be read and none covers another one. Texts from left to right: only neighbours are compared.
const readable = when => {
  const texts = shownTexts().map(node => ({ node, box: node.getBoundingClientRect() })).sort((a, b) => a.box.left - b.box.left);
  texts.forEach(({ node, box }, k) => {
    const pixels = parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a;
    expect(`${when}: ${node.textContent} has ${pixels} pixels`, pixels >= 9.99);
    const on = node.closest(".heats");
    const paper = on ? getComputedStyle(node.previousElementSibling).fill : ground(node.matches('.lane, .head, .faint') || node.closest('.own, .arbiter') ? '--paper' : '--tile');
    expect(`${when}: contrast of ${node.textContent}`, contrast(getComputedStyle(node).fill, paper) >= 4.5);
    for (let n = k + 1; n < texts.length && texts[n].box.left < box.right; n++)
      expect(`${when}: ${node.textContent} is under ${texts[n].node.textContent}`, !overlap(box, texts[n].box));
  });
};
// The pointer over an element: its middle, or that of a line.
const over = node => {
  let box = node.getBoundingClientRect(), [clientX, clientY] = [box.left + box.width / 2, box.top + box.height / 2];
  if (node.getPointAtLength) {
    const p = node.getPointAtLength(node.getTotalLength() / 2), q = new DOMPoint(p.x, p.y).matrixTransform(node.getScreenCTM());
    [clientX, clientY] = [q.x, q.y];
  }
  view.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY, bubbles: true }));
  return byId('tip').textContent;
};
let drawn = 0;
data.devices.forEach((_, n) => {
  choose(n);
  const flows = device.flows, near = !view.classList.contains('distant');
  drawn += view.querySelectorAll('.flow').length;
  readable('opened');
  expect('the array fits, or large letters are small', near || port.pixels() >= .41);
  expect('a line for each flow', list.children.length === flows.length && view.querySelectorAll('.flow').length === flows.length);
  flows.forEach((flow, k) => {
    const hops = new Set([...view.querySelectorAll(`.flow[data-flow="${k}"] .hop`)].map(h => h.dataset.hop));
    expect('each flow is drawn with all its hops', hops.size === flow.hops.length);
    if (flow.hue !== null) expect(`${flow.name} is named`, [...view.querySelectorAll('.own text')].some(t => t.textContent.includes(flow.name.slice(0, 2))));
  });
  byId('none').click();
  expect('none hides all', visible() === 0);
  byId('all').click();
  expect('all shows all', visible() === flows.length);
  type(flows[0].text);
  expect('the filter finds a flow', isShown(0) && visible() >= 1);
  type('no such flow');
  expect('the filter hides others', visible() === 0 && list.querySelectorAll('li:not(.off)').length === 0);
  type('');
  list.children[0].click();
  expect('a click in the list marks', kept === 0 && byId('detail').textContent.includes(flows[0].hops[0]));
  press(document.body, 'Escape');
  // As near as text is small.
  while (port.pixels() < NEAR) port.zoom(.8, 0, .9);
  readable('near');
  const inside = node => { const box = node.getBoundingClientRect(), area = view.getBoundingClientRect(); return box.left > area.left && box.right < area.right && box.top > area.top && box.bottom < area.bottom; };
  const own = [...view.querySelectorAll('.own')].find(inside);
  if (own) expect('hover names a port and its flows', over(own.querySelector('rect')).includes(own.dataset.tip) && byId('tip').textContent.includes(flows[numbersOf(own)[0]].text));
  const hop = [...view.querySelectorAll('.hop')].find(inside);
  expect('hover on a wire names its flow', !hop || / → /.test(over(hop)));
  const empty = [...view.querySelectorAll('.tile.unused')].find(inside);
  if (empty) expect('hover on a tile describes it', over(empty).includes('its switch is not used'));
  view.dispatchEvent(new PointerEvent('pointerleave'));
  expect('leaving hides the tip', byId('tip').classList.contains('hidden') && !view.querySelector('.flow.on'));
  press(view, 'c');
  expect('congestion is coloured and counted', view.querySelectorAll('.warm').length > 0 && view.querySelectorAll('.bar-of-wires').length >= view.querySelectorAll('.warm').length);
  readable('congestion');
  const bar = [...view.querySelectorAll('.bar-of-wires:not(.idle)')].find(inside);
  if (bar) expect('hover on a bar counts wires', / of \d+ wires /.test(over(bar.querySelector('rect'))));
  press(view, 'c');
  expect('and not any more', view.querySelector('.warm').getBoundingClientRect().width === 0);
  press(document.body, '0');
  const wide = port.box[2];
  byId('closer').click();
  expect('zoom in', port.box[2] < wide);
  press(document.body, '0');
  expect('0 fits', Math.abs(port.box[2] - wide) < .01);
  const left = port.box[0];
  press(byId('pictures'), 'ArrowRight', { shiftKey: true });
  expect('shift and arrow move', port.box[0] > left);
  byId('fit').click();
  press(byId('pictures'), 'ArrowUp');
  const first = cursor;
  press(byId('pictures'), 'ArrowUp');
  expect('arrows go from tile to tile', first && cursor);
  expect('the tile is said', byId('detail').textContent.includes(`(${cursor.replace(',', ', ')})`));
  press(document.body, 'Escape');
  press(list, 'ArrowDown');
  expect('down marks the first flow', marked === 0 && list.children[0].classList.contains('on'));
  press(list, ' ');
  expect('space hides it', !isShown(0));
  press(list, ' ');
  press(list, 'Enter');
  mark(null);
  expect('enter keeps it marked', view.querySelector('.flow.on').dataset.flow === '0');
  press(document.body, 'Escape');
  expect('escape unmarks', !view.querySelector('.flow.on') && !document.querySelector('.kept'));
});
document.body.dataset.result = failed.length ? [...new Set(failed)].slice(0, 5).join('; ') : 'all well';
document.body.dataset.drawn = drawn;
document.body.dataset.devices = data.devices.length;
document.body.dataset.milliseconds = Math.round(performance.now());
</script>
</body>"#;

fn emit(design: &str, kind: &str) -> String {
    let run = aiec(
        ["-", &format!("--emit={kind}"), "-o", "-"],
        design.as_bytes(),
    );
    let bytes = run.output().unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(bytes).expect("text")
}

/// Uses the page of a design; it shows as many flows as `routing-json` has.
fn use_page(name: &str, design: &str) -> Option<String> {
    let page = emit(design, "routing-html");
    let json: Value = serde_json::from_str(&emit(design, "routing-json")).expect("JSON");
    let devices = json["devices"].as_array().expect("devices");
    let flows = devices
        .iter()
        .filter_map(|device| device["flows"].as_array());
    let flows: usize = flows.map(Vec::len).sum();
    let document = opened(name, &page.replacen("</body>", USE_IT, 1))?;
    assert_eq!(left(&document, "result"), "all well", "{name}");
    assert_eq!(left(&document, "drawn"), flows.to_string());
    assert_eq!(left(&document, "devices"), devices.len().to_string());
    Some(left(&document, "milliseconds").to_string())
}

/// A design of the folder of examples.
fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples");
    std::fs::read_to_string(root.join(name)).expect("a design")
}

#[test]
fn the_pages_of_examples_are_looked_at() {
    for name in [
        "scale/design.mlir",
        "pipeline/design.mlir",
        "packet-flows/design.mlir",
        "deadlock/design.mlir",
        "whole-array/design.mlir",
        "whole-array/design.xcve3858.mlir",
    ] {
        let Some(time) = use_page("example", &example(name)) else {
            return;
        };
        eprintln!("{name}: used in {time} ms");
    }
}

#[test]
fn the_page_of_a_routing_that_fails_says_why() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("emit/routing_that_fails.mlir");
    let path = file.to_str().expect("a path");
    let run = aiec([path, "--emit=routing-html", "-o", "-"], b"");
    assert_eq!(run.exit, aiec::Exit::BadInput, "{}", run.stderr);
    let page = String::from_utf8(run.stdout).expect("text");
    let Some(document) = opened("failure", &page.replacen("</body>", USE_IT, 1)) else {
        return;
    };
    assert_eq!(left(&document, "result"), "all well");
    let said = "1 flows can't be routed: 7 streams must leave tiles (0, 0) to (0, 1), 6 wires do";
    assert!(document.contains(said));
    assert_eq!(document.matches("class=\"missing\"").count(), 1);
}

#[test]
fn a_fifo_has_one_hue_on_all_pages() {
    for name in ["whole-array/design.mlir", "packet-flows/design.mlir"] {
        let design = example(name);
        let hues = |kind: &str, key: &str| {
            let page = emit(&design, kind);
            let data = page.split("id=\"data\">").nth(1).expect("data");
            let data = data.split("</script>").next().expect("data");
            let data: Value = serde_json::from_str(data).expect("JSON");
            let list = data["devices"][0][key].as_array().expect("a list").clone();
            let hue =
                |item: &Value| Some((item["name"].as_str()?.to_string(), item["hue"].as_u64()?));
            list.iter()
                .filter_map(hue)
                .collect::<BTreeMap<String, u64>>()
        };
        let (routing, dataflow) = (hues("routing-html", "flows"), hues("design-html", "links"));
        assert!(routing.len() > 2, "{routing:?}");
        for (flow, hue) in &routing {
            assert_eq!(dataflow.get(flow), Some(hue), "{name}: {flow}");
        }
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let page = emit(DESIGN, "routing-html");
    let addresses = page.split("://").count() - 1;
    let names = page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(addresses, names, "but for the name of SVG");
    assert!(page.contains("default-src 'none'"));
    for word in ["src=", "href=", "@import", "url(", "fetch(", "import("] {
        assert!(!page.contains(word), "{word}");
    }
    // The device's name must not end the data.
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_small_design_is_looked_at() {
    if let Some(time) = use_page("small", DESIGN) {
        eprintln!("used in {time} ms");
    }
}

#[test]
fn a_design_without_flows_is_looked_at() {
    let page = emit("aie.device(npu2) { %t = aie.tile(0, 2) }", "routing-html");
    let script = "<script>document.body.dataset.tiles = byId('title').textContent;\
                  </script></body>";
    if let Some(document) = opened("empty", &page.replacen("</body>", script, 1)) {
        assert_eq!(left(&document, "tiles"), "@main on npu2");
    }
}

/// Circuits from each core tile to the next.
fn neighbours(device: &DeviceModel, count: usize) -> String {
    let cores = device
        .tiles()
        .filter(|tile| device.tile_kind(*tile) == Some(TileKind::Core));
    let mut cores: Vec<TileLoc> = cores.collect();
    // Row by row, so that most flows go to the east and few to the row above.
    cores.sort_by_key(|tile| (tile.row, tile.col));
    let mut text = format!("aie.device({}) {{\n", device.name());
    for tile in &cores {
        let (col, row) = (tile.col, tile.row);
        text += &format!("  %t{col}_{row} = aie.tile({col}, {row})\n");
    }
    let ports = ["DMA : 0", "DMA : 1", "Core : 0"];
    let flows = ports.iter().flat_map(|port| {
        let cores = &cores;
        (0..cores.len()).map(move |at| {
            let (from, to) = (cores[at], cores[(at + 1) % cores.len()]);
            let end = |tile: TileLoc| format!("%t{}_{}, {port}", tile.col, tile.row);
            format!("  aie.flow({}, {})\n", end(from), end(to))
        })
    });
    let flows: Vec<String> = flows.take(count).collect();
    assert_eq!(flows.len(), count);
    text + &flows.concat() + "}\n"
}

#[test]
fn a_thousand_flows_on_the_largest_array_are_looked_at() {
    let tiles = |device: &DeviceModel| u32::from(device.columns()) * u32::from(device.rows());
    let largest = DeviceModel::all()
        .max_by_key(|device| tiles(device))
        .expect("a device");
    let design = neighbours(largest, 1000);
    if let Some(time) = use_page("thousand", &design) {
        eprintln!("a thousand flows: used in {time} ms");
    }
}
