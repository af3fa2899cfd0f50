//! The page of `aiec sim --trace FILE.html`, used in a headless Chromium as a person would use it.
//! Where no Chromium is, the test of behaviour is skipped with a message; what can be seen in the
//! text is tested anywhere.

use std::path::PathBuf;

use aiec_sim::trace::html;
use aiec_sim::trace::timeline::{Span, SpanState, Timeline, Track, TrackKind};
use aiec_test::browser::{left, opened};
use aiec_test::driver::aiec;

/// Uses the page and leaves what failed in the body's data.
const USE_IT: &str = r#"<script>
const failed = [], expect = (what, holds) => { if (!holds) failed.push(what); };
const press = (key, more) => view.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
const type = text => { byId('filter').value = text; byId('filter').dispatchEvent(new Event('input')); };
const screen = (px, py) => { const rect = view.getBoundingClientRect(); return { clientX: rect.left + px, clientY: rect.top + py, bubbles: true, pointerId: 1 }; };
const pointer = (what, px, py) => view.dispatchEvent(new PointerEvent(what, screen(px, py)));
const trackRows = () => rows.filter(row => row.track);
const colourAt = (px, py) => { const scale = window.devicePixelRatio || 1; return [...ink.getImageData(Math.round(px * scale), Math.round(py * scale), 1, 1).data].slice(0, 3).join(); };
const rowOf = (group, name) => rows.find(row => row.track && row.track.group === group && row.track.name === name);
// Counters are shown on request where there are many tracks.
for (const sort of ['rate', 'lock']) if (!shown[sort]) byId(`sort-${sort}`).click();
press('e');
if (!shown.port) byId('sort-port').click();
expect('tiles with cores are the first', groups[0].tracks.some(track => track.sort === 'core'));
expect('a line of the map for each tile that computes or moves words', groups.every(group => group.map || group.tracks.every(track => ['port', 'uc_dma'].includes(track.sort))));
expect('a row for each track', trackRows().length === data.tracks.filter(track => !track.samples || track.most > 0).length && data.tracks.length > 20);
expect('the picture has a size', view.width > 800 && view.height > 300);
expect('the whole run at first', from === 0 && to === data.cycles);
for (const sort of ['controller', 'job', 'uc_dma', 'core', 'channel', 'port']) expect(`tracks of ${sort}`, data.tracks.some(track => track.sort === sort));
// each span is inside the run and has a colour
for (const track of data.tracks) for (let i = 0; i < track.spans.length; i += 5) {
  const [begin, stop, depth, state, text] = track.spans.slice(i, i + 5);
  expect('spans are well formed', begin < stop && depth < 3 && COLOURS[data.states[state]] && typeof data.texts[text] === 'string');
}
// a core that runs is drawn in its colour, with the text of the span on hover
const core = rowOf('tile (0, 3)', 'core');
expect('the core has a row', core);
const stall = (() => { const s = core.track.spans; for (let i = 0; i < s.length; i += 5) if (data.states[s[i + 3]] === 'lock_stall' && s[i + 1] - s[i] > 100) return i; return -1; })();
expect('the core waits for a lock', stall >= 0);
const [begin, stop] = core.track.spans.slice(stall, stall + 2), middle = (begin + stop) / 2;
box.scrollTop = Math.max(0, core.y - 100);
draw();
const y = () => AXIS + core.y - box.scrollTop + 4 + 5;
const near = (a, b) => a.split(',').every((v, k) => Math.abs(v - b.split(',')[k]) < 130);
expect('a stall has its colour', (c => c !== '255,255,255' && c !== '240,247,255')(colourAt(x(middle) + 1, y())));
pointer('pointermove', x(middle), y());
expect('hover shows the span', !byId('tip').classList.contains('hidden') && byId('tip').textContent.includes('tile (0, 3), core'));
expect('hover names the lock', byId('tip').textContent.includes("waits for lock 'in0_cons_cons_lock_0'") && byId('tip').textContent.includes(`${stop - begin} cycles`));
expect('rows name the fifo', core.track.group && data.tracks.some(track => track.sort === 'channel' && track.detail.includes('@in')));
expect('hover names the line', byId('tip').textContent.includes('design.mlir:'));
pointer('pointerleave', 0, 0);
expect('leaving hides it', byId('tip').classList.contains('hidden'));
// each pixel has the share of each state that its cycles have
for (const track of data.tracks) track.depths.forEach((list, depth) => {
  const { shares, long } = pixelShares(track, depth, LABELS, view.clientWidth), wide = view.clientWidth - LABELS;
  const all = Float64Array.from(shares), scale = wide / (to - from);
  for (const i of list) {
    const one = (track.spans[i + 1] - track.spans[i]) * scale;
    expect('spans of two pixels and more are drawn one by one', long.includes(i) === (one >= 2));
    if (one >= 2) continue;
    for (let pixel = Math.floor(track.spans[i] * scale); pixel < wide; pixel++) {
      const part = Math.min(track.spans[i + 1] * scale, pixel + 1) - Math.max(track.spans[i] * scale, pixel);
      if (part <= 0) break;
      all[pixel * states.length + track.spans[i + 3]] -= part;
    }
  }
  expect('shares of pixels', all.every(share => Math.abs(share) < 1e-6));
});
// a tile is folded by its line
const header = rows.find(row => row.group);
const unfoldedRows = rows.length;
pointer('pointerdown', 60, AXIS + header.y - box.scrollTop + 8); pointer('pointerup', 60, AXIS + header.y - box.scrollTop + 8);
expect('a click folds a tile', rows.length < unfoldedRows && header.group.folded);
press('e');
expect('e unfolds all', rows.length === unfoldedRows);
// the longest stall is found
press('s');
expect('s goes to the longest stall', marked !== null && stallAt === 0 && STALLS.includes(states[longest[0].track.spans[longest[0].i + 3]]));
press('Escape'); press('0');
box.scrollTop = Math.max(0, core.y - 100);
draw();
// zoom and pan
press('+');
expect('+ zooms in', to - from < data.cycles * 0.6);
press('0');
expect('0 shows all', from === 0 && to === data.cycles);
const before = cycleAt(700);
view.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, cancelable: true, ...screen(700, 200) }));
expect('the wheel zooms where the pointer is', to - from < data.cycles && Math.abs(cycleAt(700) - before) < 2);
press('+'); press('+');
let left = from;
press('ArrowRight');
expect('an arrow moves', from > left);
left = from;
pointer('pointerdown', 700, 200); pointer('pointermove', 800, 200); pointer('pointerup', 800, 200);
expect('dragging moves', from < left);
byId('closer').click(); byId('farther').click(); byId('fit').click();
expect('the buttons zoom', from === 0 && to === data.cycles);
// a click marks a track
pointer('pointerdown', 100, y()); pointer('pointerup', 100, y());
expect('a click marks a row', marked === core.track.index);
press('Escape');
expect('escape unmarks', marked === null);
// filter and search
type('tile (2, 1)');
expect('the filter keeps a tile', trackRows().length > 5 && trackRows().every(row => row.track.words.includes('tile (2, 1)') || matches.some(found => found.track === row.track)));
type('in0_cons_cons_lock_0');
expect('the filter finds texts of spans', matches.length > 0 && trackRows().some(row => row.track === core.track));
byId('filter').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
expect('enter goes to a match', match === 0 && from <= matches[0].track.spans[matches[0].i] && to >= matches[0].track.spans[matches[0].i + 1]);
const first = match;
press('n');
expect('n goes to the next', matches.length < 2 || match !== first);
type('no such thing');
expect('nothing found, no rows', rows.length === 0);
type('');
press('0');
expect('all rows again', trackRows().length === data.tracks.filter(track => !track.samples || track.most > 0).length);
byId('sort-port').click();
expect('ports can be hidden', trackRows().every(row => row.track.sort !== 'port'));
byId('sort-port').click();
// Counters: a channel's bytes, and a lock that is drawn as high as its value.
const rates = data.tracks.filter(track => track.sort === 'rate'), locks = data.tracks.filter(track => track.sort === 'lock');
expect('rates', rates.length > 5 && rates.every(track => track.most > 0 && track.unit === 'bytes per cycle'));
expect('objects in fifos', locks.some(track => track.name === 'objects in @in0'));
const counter = rowOf(rates[0].group, rates[0].name);
box.scrollTop = Math.max(0, counter.y - 100);
draw();
const peak = counter.track.samples.findIndex((value, k) => k % 2 && value === counter.track.most);
const peakAt = counter.track.samples[peak - 1];
show(peakAt, peakAt + 40);
const base = AXIS + counter.y - box.scrollTop + 4 + 2 * LANE - 4;
expect('a counter is drawn', colourAt(LABELS + 5, base) === colourAt(LABELS + 5, base - LANE) && colourAt(LABELS + 5, base) !== colourAt(LABELS + 5, base - 2 * LANE - 6));
pointer('pointermove', LABELS + 5, base);
expect('a counter tells its value', byId('tip').textContent.includes(`at most ${counted(counter.track, counter.track.most)}`));
press('0');
// The critical path: its links are the run, and its list leads to their tracks.
expect('the path is the run', data.path.reduce((sum, [, , begin, stop]) => sum + stop - begin, 0) === data.cycles && data.path.every(([, , begin], k) => !k || begin === data.path[k - 1][3]));
const linked = [...byId('links').children].find(item => item.className === 'linked');
linked.click();
expect('the list of the path leads to a track', showsPath && byId('path').checked && marked !== null);
press('p');
expect('p hides the path', !showsPath);
press('Escape'); press('0');
// arrows lead forward in time
expect('arrows', data.arrows.length > 10 && data.arrows.every(arrow => arrow.stops.every((stop, k) => !k || stop[1] >= arrow.stops[k - 1][1])));
// what looks different has different colours, and each stall a hatching of its own
const stalls = ['lock_stall', 'stream_stall', 'cascade_stall', 'wait'];
expect('stalls are hatched', new Set(stalls.map(state => HATCHED[state])).size === stalls.length);
expect('colours differ', new Set(stalls.concat('run', 'move', 'setup').map(state => COLOURS[state])).size === 7);
expect('the legend has what is used', byId('legend').children.length >= 5);
document.body.dataset.result = failed.length ? [...new Set(failed)].join('; ') : 'all well';
document.body.dataset.tracks = data.tracks.length;
</script>
</body>"#;

fn page(example: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(example);
    let argument = format!("0={}", folder.join("arg0.bin").display());
    let design = folder.join("design.mlir").into_os_string();
    let flags = ["--arg", &argument, "--trace", "-", "--trace-format", "html"];
    let args = ["sim".into(), design].into_iter();
    let run = aiec(args.chain(flags.map(Into::into)), &[]);
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page("split-join");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("/*DATA*/"));
    assert!(page.contains("default-src 'none'"));
    // The name of SVG's elements isn't an address to load from.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for word in [
        "://", "src=", "href=", "@import", "url(", "fetch(", "import(",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    // no text of the design ends the data
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn the_page_works() {
    let page = page("split-join");
    let Some(document) = opened("timeline", &page.replacen("</body>", USE_IT, 1)) else {
        return;
    };
    assert_eq!(left(&document, "result"), "all well");
}

#[test]
fn the_page_of_a_run_that_hangs_says_so() {
    let page = page("deadlock");
    let use_it = r#"<script>
document.body.dataset.title = byId('title').textContent;
const lines = [...byId('diagnosis').children];
document.body.dataset.story = lines.map(line => line.textContent).join(' | ').replaceAll('"', "'");
const wrong = [];
// Each wait of the story leads to its track, on which the wait is open, drawn to the end and named.
const linked = lines.filter(line => line.className === 'linked');
for (const line of linked) {
  line.click();
  const track = data.tracks[marked];
  const row = rows.find(row => row.track === track);
  const stalls = [...track.open].filter(i => STALLS.includes(states[track.spans[i + 3]]));
  if (!row || stalls.length !== 1 || track.spans[stalls[0] + 1] !== data.cycles) wrong.push(`${track.group} ${track.name}: no open stall`);
  const words = stalls.map(i => data.texts[track.spans[i + 4]]).join();
  if (!words.startsWith('waits ')) wrong.push(`${track.group} ${track.name}: ${words}`);
}
document.body.dataset.waits = linked.length;
document.body.dataset.wrong = wrong.join('; ');
document.body.dataset.lines = [...document.querySelectorAll('#diagnosis a')].map(link => link.getAttribute('href')).join(' ');
</script></body>"#;
    let Some(document) = opened("timeline-hang", &page.replacen("</body>", use_it, 1)) else {
        return;
    };
    assert!(left(&document, "title").starts_with("deadlock on "));
    let story = left(&document, "story");
    assert!(story.contains("likely mistake: "), "{story}");
    assert_eq!(left(&document, "wrong"), "");
    let waits: usize = left(&document, "waits").parse().expect("a number");
    assert!(waits >= 2, "{story}");
    let lines = left(&document, "lines");
    assert!(lines.contains("design.mlir#L"), "{lines}");
}

/// A core that runs three cycles and waits one, for 2.7 million cycles, on each of 32 tiles.
fn long_run() -> Timeline {
    let track = |tile: u64| {
        let spans = (0..2_700_000 / 4).flat_map(|n| {
            let begin = n * 4;
            [
                (begin, begin + 3, SpanState::Run),
                (begin + 3, begin + 4, SpanState::Lock),
            ]
        });
        // As many events as a trace has at most, over all tiles.
        let share = 20;
        let spans = spans.filter(|(begin, ..)| begin / 4 % share == tile % share);
        Track {
            group: format!("tile ({}, {})", tile / 4, 2 + tile % 4),
            name: "core".into(),
            kind: TrackKind::Core,
            detail: String::new(),
            spans: spans
                .map(|(begin, end, state)| Span {
                    begin,
                    end,
                    depth: 0,
                    state,
                    text: state.name().into(),
                    open: false,
                })
                .collect(),
            marks: Vec::new(),
            samples: Vec::new(),
        }
    };
    Timeline {
        device: "npu2".into(),
        status: "completed",
        cycles: 2_700_000,
        run_began: 0,
        full: None,
        tracks: (0..32).map(track).collect(),
        arrows: Vec::new(),
        diagnosis: Vec::new(),
        path: Vec::new(),
    }
}

#[test]
fn long_runs_have_small_pages_with_right_shares() {
    let page = html::write(&long_run());
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    let use_it = r#"<script>
const wrong = [], count = states.length;
// Away from the ends of what is merged, a pixel has a twentieth of three quarters and of one quarter.
for (const track of data.tracks) {
  const { shares, long } = pixelShares(track, 0, LABELS, view.clientWidth), wide = view.clientWidth - LABELS;
  const sums = Array(count).fill(0);
  for (let k = 0; k < shares.length; k++) sums[k % count] += shares[k] / wide;
  if (long.length) wrong.push('spans that are merged are drawn one by one');
  if (Math.abs(sums[states.indexOf('run')] - .0375) > .001) wrong.push(`run ${sums}`);
  if (Math.abs(sums[states.indexOf('lock_stall')] - .0125) > .001) wrong.push(`lock ${sums}`);
}
const began = performance.now();
for (let n = 0; n < 10; n++) { zoom(.8); }
document.body.dataset.wrong = [...new Set(wrong)].join('; ');
document.body.dataset.milliseconds = ((performance.now() - began) / 10).toFixed(1);
document.body.dataset.merged = byId('full').textContent;
</script></body>"#;
    let Some(document) = opened("timeline-long", &page.replacen("</body>", use_it, 1)) else {
        return;
    };
    assert_eq!(left(&document, "wrong"), "");
    assert!(left(&document, "merged").starts_with("Spans shorter than "));
    let (bytes, milliseconds) = (page.len(), left(&document, "milliseconds"));
    println!("{bytes} bytes, {milliseconds} ms for a picture");
}
