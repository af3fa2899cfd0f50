//! The page of `aiec sim --trace FILE.html`, used in a headless Chromium as a person would use it.
//! Where no Chromium is, the test of behaviour is skipped with a message; what can be seen in the
//! text is tested anywhere.

use std::path::PathBuf;

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
expect('a row for each track', trackRows().length === data.tracks.length && data.tracks.length > 20);
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
expect('hover shows the span', !tip.classList.contains('hidden') && tip.textContent.includes('tile (0, 3), core'));
expect('hover names the lock', tip.textContent.includes("waits for lock 'in0_cons_cons_lock_0'") && tip.textContent.includes(`${stop - begin} cycles`));
expect('hover names the line', tip.textContent.includes('design.mlir:'));
pointer('pointerleave', 0, 0);
expect('leaving hides it', tip.classList.contains('hidden'));
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
expect('the filter keeps a tile', trackRows().length > 5 && trackRows().every(row => row.track.words.includes('tile (2, 1)')));
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
expect('all rows again', trackRows().length === data.tracks.length);
byId('sort-port').click();
expect('ports can be hidden', trackRows().every(row => row.track.sort !== 'port'));
byId('sort-port').click();
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
    let use_it = "<script>document.body.dataset.title = byId('title').textContent;</script></body>";
    let Some(document) = opened("timeline-hang", &page.replacen("</body>", use_it, 1)) else {
        return;
    };
    assert!(left(&document, "title").starts_with("deadlock on "));
}
