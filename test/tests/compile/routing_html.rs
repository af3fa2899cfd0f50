//! The page of `--emit=routing-html`, used in a headless Chromium as a person would use it. Where
//! no Chromium is, the tests of behaviour are skipped with a message; what can be seen in the
//! text is tested anywhere. `AIEC_CHROMIUM` names another program.

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
const visible = () => document.querySelectorAll('.flow:not(.hidden)').length;
const type = text => { byId('filter').value = text; byId('filter').dispatchEvent(new Event('input')); };
// Where a point of the picture is on the screen.
const screen = (x, y) => { const p = new DOMPoint(x, y).matrixTransform(view.getScreenCTM()); return { clientX: p.x, clientY: p.y, bubbles: true }; };
const hover = (x, y) => view.dispatchEvent(new PointerEvent('pointermove', screen(x, y)));
let hops = 0;
data.devices.forEach((_, n) => {
  choose(n);
  const flows = device.flows;
  hops += flows.reduce((sum, flow) => sum + flow.hops.length, 0);
  const drawn = [...document.querySelectorAll('.way')].map(path => path.getAttribute('d').split('Q').length - 1);
  expect('each flow is drawn with all its hops', drawn.every((count, k) => count === flows[k].hops.length) && drawn.length === flows.length);
  expect('a line for each flow', list.children.length === flows.length);
  expect('a box for each tile', document.querySelectorAll('.tile').length === device.tiles.length);
  byId('none').click();
  expect('none hides all', visible() === 0);
  byId('all').click();
  expect('all shows all', visible() === flows.length);
  type(flows[0].text);
  expect('the filter finds a flow', isShown(0) && visible() >= 1);
  type('no such flow');
  expect('the filter hides others', visible() === 0 && document.querySelectorAll('li:not(.off)').length === 0);
  type('');
  list.children[0].click();
  expect('a click in the list hides a flow', !isShown(0) && visible() === flows.length - 1);
  list.children[0].click();
  const hop = flows[0].hops[0], next = wire(hop, hop.to);
  const [px, py] = place(hop.col, hop.row, hop.to, true);
  hover(px, py);
  const output = `Output ${port(hop.to)} of`;
  expect('hover names the port', byId('tip').textContent.startsWith(output));
  expect('hover names the flow', byId('tip').textContent.includes(flows[0].text));
  if (next) {
    const q = place(next.col, next.row, next.port, false);
    hover((px + q[0]) / 2, (py + q[1]) / 2);
    expect('hover on a wire names its flow', byId('tip').textContent.includes(`${port(hop.from)} → ${port(hop.to)}`));
  }
  expect('hover marks a flow', document.querySelectorAll('.flow.on').length === 1);
  const empty = device.tiles.find(tile => !waysOf.has(at(tile.col, tile.row)));
  if (empty) {
    hover(...centre(empty.col, empty.row));
    expect('hover on a tile describes it', byId('tip').textContent.includes(`(${empty.col}, ${empty.row})`));
  }
  view.dispatchEvent(new PointerEvent('pointerleave'));
  expect('leaving hides the tip', byId('tip').classList.contains('hidden') && !document.querySelector('.flow.on'));
  const wide = box[2];
  byId('closer').click();
  expect('zoom in', box[2] < wide);
  press(view, '0');
  expect('0 shows the whole array', box[2] === wide);
  press(view, '+');
  expect('+ zooms', box[2] < wide);
  const left = box[0];
  press(view, 'ArrowRight', { shiftKey: true });
  expect('shift and arrow move', box[0] > left);
  view.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, ...screen(...centre(0, 0)) }));
  byId('fit').click();
  press(view, 'ArrowUp');
  const first = cursor;
  press(view, 'ArrowUp');
  expect('arrows go from tile to tile', first && (cursor.row === first.row + 1 || first.row === device.rows - 1));
  expect('the tile is said', byId('spoken').textContent.includes(`(${cursor.col}, ${cursor.row})`));
  press(list, 'ArrowDown');
  expect('down marks the first flow', marked === 0 && list.children[0].classList.contains('on'));
  press(list, ' ');
  expect('space hides it', !isShown(0));
  press(list, ' ');
  press(list, 'Enter');
  mark(null);
  expect('enter keeps it marked', document.querySelector('.flow.on').dataset.flow === '0');
  press(view, 'Escape');
  expect('escape unmarks', !document.querySelector('.flow.on') && !document.querySelector('.kept'));
  press(view, 'c');
  const used = device.switches.filter(s => wiresOut(tileOf.get(at(s.col, s.row))).some(w => w.used)).length;
  expect('congestion colours switches', used > 0 && document.querySelectorAll('.warm').length >= used);
  expect('congestion names shares', document.querySelectorAll('.share').length >= used);
  press(view, 'c');
  expect('and not any more', document.querySelectorAll('.warm').length === 0);
});
document.body.dataset.result = failed.length ? failed.join('; ') : 'all well';
document.body.dataset.hops = hops;
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

/// Uses the page of a design; the number of hops that its data hold is that of `routing-json`.
fn use_page(name: &str, design: &str) -> Option<String> {
    let page = emit(design, "routing-html");
    let json: Value = serde_json::from_str(&emit(design, "routing-json")).expect("JSON");
    let devices = json["devices"].as_array().expect("devices");
    let flows = devices
        .iter()
        .filter_map(|device| device["flows"].as_array())
        .flatten();
    let hops: usize = flows
        .filter_map(|flow| flow["hops"].as_array())
        .map(Vec::len)
        .sum();
    let document = opened(name, &page.replacen("</body>", USE_IT, 1))?;
    assert_eq!(left(&document, "result"), "all well");
    assert_eq!(left(&document, "hops"), hops.to_string());
    assert_eq!(left(&document, "devices"), devices.len().to_string());
    Some(left(&document, "milliseconds").to_string())
}

#[test]
fn the_page_needs_nothing_else() {
    let page = emit(DESIGN, "routing-html");
    assert!(!page.contains("/*DATA*/") && !page.contains("/*STYLE*/") && !page.contains("/*USE*/"));
    let addresses = page.split("://").count() - 1;
    assert_eq!(addresses, 1, "but for the name of SVG");
    assert!(page.contains("'http://www.w3.org/2000/svg'"));
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
    let script = "<script>document.body.dataset.tiles = document.querySelectorAll('.tile').length;\
                  </script></body>";
    if let Some(document) = opened("empty", &page.replacen("</body>", script, 1)) {
        assert_eq!(left(&document, "tiles"), "48");
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
