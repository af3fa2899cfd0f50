// The variable of the palette of each state; stalls are hatched besides.
const COLOURS = { run: '--c2', setup: '--line', move: '--c0', lock_stall: '--c1', stream_stall: '--c5', cascade_stall: '--c3', wait: '--dim', ready: '--free', stood: '--c5', part: '--tile', mixed: '--tile' };
const WORDS = { run: 'runs', setup: 'gets ready', move: 'moves words', lock_stall: 'waits for a lock', stream_stall: 'waits for a stream', cascade_stall: 'waits for a cascade', wait: 'waits', ready: 'could run', stood: 'a word is not taken', part: 'task, BD, instruction', mixed: 'several' };
const HATCHED = { lock_stall: '/', stream_stall: '\\', cascade_stall: 'x', stood: '-', wait: '|' };
const PLAIN = ['setup', 'ready', 'part', 'mixed'];
const STALLS = ['lock_stall', 'stream_stall', 'cascade_stall', 'wait', 'stood'];
const SORTS = { controller: 'controllers', job: 'jobs', uc_dma: 'uC-DMA', core: 'cores', program: 'calls and loops', channel: 'DMA channels', port: 'ports', unit: 'units', rate: 'bytes per cycle', lock: 'locks, objects in fifos' };
const ACTIVITIES = { work: 'works', setup: 'gets ready', lock: 'gets a lock', stream: 'its stream moves nothing', token: 'a token is on its way', control: 'control code waits' };
const LABELS = 270, AXIS = 24, GROUP = 20, LANE = 14, STRIDE = 5;
// Tracks that are unfolded when the page opens, in all.
const UNFOLDED = 60;
const view = byId('view'), box = byId('box'), overview = byId('overview'), ink = view.getContext('2d', { willReadFrequently: true });
const end = Math.max(data.cycles, 1);
const states = [...data.states, 'mixed'], MIXED = data.states.length;
let from = 0, to = end, rows = [], matches = [], match = -1, stallAt = -1, marked = null, showsPath = false;

// Places in the design without the folders of their file.
const brief = text => text.replace(/[^\s[\](),']*[\\/]([^\\/\s[\](),']+:\d+:\d+)/g, '$1');

// Spans as begin, end, depth, state, text; those of each depth by begin.
data.tracks.forEach((track, index) => {
  track.index = index;
  const flat = track.spans, spans = new Float64Array(flat.length), depths = [];
  track.open = new Set();
  track.parts = new Map();
  let begin = 0, mixed = 0;
  for (let i = 0; i < flat.length; i += STRIDE) {
    begin += flat[i];
    const depth = flat[i + 2] & 3;
    if (flat[i + 2] & 4) track.open.add(i);
    if (flat[i + 3] === MIXED) track.parts.set(i, track.mixed[mixed++]);
    spans.set([begin, begin + flat[i + 1], depth, flat[i + 3], flat[i + 4]], i);
    while (depths.length <= depth) depths.push([]);
    depths[depth].push(i);
  }
  track.spans = spans;
  track.depths = depths;
  track.lanes = Math.max(1, depths.length);
  for (let i = 0, at = 0; i < track.marks.length; i += 2) track.marks[i] = at += track.marks[i];
  if (track.samples) {
    // Cycle and value of each sample.
    for (let i = 0, at = 0; i < track.samples.length; i += 2) track.samples[i] = at += track.samples[i];
    track.most = track.samples.reduce((most, value, i) => i % 2 ? Math.max(most, value) : most, 0);
    track.lanes = 2;
  }
  track.detail = brief(track.detail);
  track.words = `${track.group} ${track.name} ${track.detail}`.toLowerCase();
});
const lower = data.texts.map(text => text.toLowerCase());
const shown = Object.fromEntries(Object.keys(SORTS).map(sort => [sort, true]));
if (data.tracks.filter(track => track.sort === 'port').length > UNFOLDED) shown.port = false;
if (data.tracks.length > UNFOLDED) shown.rate = shown.lock = false;

// Groups: tiles with cores, other tiles, controllers.
const groups = [];
for (const track of data.tracks) {
  let group = groups.find(group => group.name === track.group);
  if (!group) groups.push(group = { name: track.group, tracks: [], folded: false, rank: 1, map: data.overview.groups.find(map => map.group === track.group) });
  group.tracks.push(track);
  if (track.sort === 'core') group.rank = 0;
  if (['controller', 'job', 'uc_dma'].includes(track.sort)) group.rank = 2;
}
groups.sort((a, b) => a.rank - b.rank);
const members = new Set(data.diagnosis.map(line => line.track).filter(track => track !== null));
let unfolded = 0;
for (const group of groups) {
  const count = group.tracks.filter(track => shown[track.sort]).length;
  const member = group.tracks.some(track => members.has(track.index));
  group.folded = !member && unfolded + count > UNFOLDED;
  if (!group.folded) unfolded += count;
}

// Colours of the palette as they are now, light or dark, and the patterns of stalls.
let colours = {}, patterns = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = new Proxy({}, { get: (known, name) => known[name] ??= style.getPropertyValue(name).trim() });
  patterns = {};
}
const hue = state => colours[COLOURS[state]];
function pattern(state) {
  if (patterns[state]) return patterns[state];
  const sign = HATCHED[state];
  if (!sign) return patterns[state] = hue(state);
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const pen = tile.getContext('2d');
  pen.fillStyle = hue(state);
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = colours['--paper'];
  pen.globalAlpha = .55;
  pen.beginPath();
  if (sign === '/' || sign === 'x') { pen.moveTo(0, 6); pen.lineTo(6, 0); }
  if (sign === '\\' || sign === 'x') { pen.moveTo(0, 0); pen.lineTo(6, 6); }
  if (sign === '-') { pen.moveTo(0, 3); pen.lineTo(6, 3); }
  if (sign === '|') { pen.moveTo(3, 0); pen.lineTo(3, 6); }
  pen.stroke();
  return patterns[state] = ink.createPattern(tile, 'repeat');
}

// Which rows there are: a line for each group, a row for each of its tracks that passes.
function arrange() {
  const wanted = byId('filter').value.trim().toLowerCase();
  const hits = new Set();
  if (wanted) lower.forEach((text, n) => { if (text.includes(wanted)) hits.add(n); });
  rows = [];
  matches = [];
  let y = 0;
  for (const group of groups) {
    const passing = [];
    for (const track of group.tracks) {
      // A counter that stays 0 has nothing to show.
      if (!shown[track.sort] || track.samples && !track.most) continue;
      const named = !wanted || track.words.includes(wanted), found = [];
      if (wanted && hits.size) {
        for (let i = 0; i < track.spans.length; i += STRIDE) if (hits.has(track.spans[i + 4])) found.push(i);
      }
      const marks = wanted && hits.size && track.marks.some((text, i) => i % 2 === 1 && hits.has(text));
      if (!named && !found.length && !marks) continue;
      passing.push(track);
      found.forEach(i => matches.push({ track, i }));
    }
    if (!passing.length) continue;
    rows.push({ y, height: GROUP, group });
    y += GROUP;
    // What is searched for is seen.
    if (group.folded && !wanted) continue;
    for (const track of passing) {
      const height = 8 + LANE * track.lanes;
      rows.push({ y, height, track });
      y += height;
    }
  }
  match = stallAt = -1;
  byId('space').style.height = `${Math.max(0, y + AXIS - box.clientHeight)}px`;
  draw();
}
function fold(folded) { for (const group of groups) group.folded = folded; arrange(); }

const x = cycle => LABELS + (cycle - from) / (to - from) * (view.clientWidth - LABELS);
const cycleAt = px => from + (px - LABELS) / Math.max(1, view.clientWidth - LABELS) * (to - from);

function axis() {
  const wide = (to - from) / Math.max(1, view.clientWidth - LABELS) * 90;
  const power = 10 ** Math.floor(Math.log10(Math.max(wide, 1)));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= wide) || power * 10;
  ink.fillStyle = colours['--paper'];
  ink.fillRect(0, 0, view.clientWidth, AXIS);
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const text = at.toLocaleString('en');
    ink.strokeStyle = colours['--free'];
    ink.beginPath(); ink.moveTo(x(at), 4); ink.lineTo(x(at), view.clientHeight); ink.stroke();
    ink.fillStyle = colours['--dim'];
    if (x(at) + 3 + ink.measureText(text).width < view.clientWidth) ink.fillText(text, x(at) + 3, 15);
  }
  if (data.runBegan > from && data.runBegan < to) {
    ink.strokeStyle = colours['--c0'];
    ink.beginPath(); ink.moveTo(x(data.runBegan), 0); ink.lineTo(x(data.runBegan), view.clientHeight); ink.stroke();
  }
  ink.fillStyle = colours['--ink'];
  ink.fillText('cycle', 6, 15);
}

// Where in a list of spans without overlap the first is that ends behind a cycle.
function firstBehind(spans, list, cycle) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[list[middle] + 1] <= cycle) low = middle + 1; else high = middle;
  }
  return low;
}

// What a track does at a depth, in the pixels from `left` on: spans of two pixels and more one by one;
// of shorter ones, for each pixel, the share of each state. Shares are by pixel, then state.
function pixelShares(track, depth, left, right) {
  const { spans, parts } = track, list = track.depths[depth] || [], wide = right - left, count = states.length;
  const shares = new Float64Array(wide * count), long = [];
  const scale = wide / (to - from);
  let short = false;
  const add = (begin, stop, state, share) => {
    short = true;
    let at = Math.max(0, (begin - from) * scale);
    const till = Math.min(wide, (stop - from) * scale);
    while (at < till) {
      const pixel = Math.floor(at), next = Math.min(pixel + 1, till);
      shares[pixel * count + state] += (next - at) * share;
      if (next <= at) break;
      at = next;
    }
  };
  for (let n = firstBehind(spans, list, from); n < list.length && spans[list[n]] < to; n++) {
    const i = list[n], begin = spans[i], stop = spans[i + 1], state = spans[i + 3];
    const mixture = parts.get(i);
    if (mixture) {
      for (let k = 0; k < mixture.length; k += 2) add(begin, stop, mixture[k], mixture[k + 1] / (stop - begin));
    } else if ((stop - begin) * scale < 2) {
      add(begin, stop, state, 1);
    } else {
      long.push(i);
    }
  }
  return { shares, long, short };
}

// Where the last sample up to a cycle is, -2 for none.
function lastSample(track, cycle) {
  let low = 0, high = track.samples.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.samples[2 * middle] <= cycle) low = middle + 1; else high = middle;
  }
  return 2 * low - 2;
}
const counted = (track, value) => `${+(value / track.per).toFixed(2)}${track.unit && ` ${track.unit}`}`;

// A counter as an area, of each pixel its greatest value.
function drawCounter(track, top) {
  const { samples, most } = track, width = view.clientWidth, high = 2 * LANE - 2, base = top + 4 + high;
  if (!most) return;
  let i = lastSample(track, from);
  ink.fillStyle = colours[track.sort === 'rate' ? '--c0' : '--c2'];
  for (let px = LABELS; px < width; px++) {
    const stop = cycleAt(px + 1);
    let value = i >= 0 ? samples[i + 1] : 0;
    while (i + 2 < samples.length && samples[i + 2] < stop) {
      i += 2;
      value = Math.max(value, samples[i + 1]);
    }
    const tall = value ? Math.max(1, value / most * high) : 0;
    ink.fillRect(px, base - tall, 1, tall);
  }
}

function drawTrack(row, top) {
  const { track } = row, width = view.clientWidth;
  if (track.samples) return drawCounter(track, top);
  for (let depth = 0; depth < track.lanes; depth++) {
    const y = top + 4 + depth * LANE, high = LANE - 2;
    const { shares, long, short } = pixelShares(track, depth, LABELS, width);
    if (short) drawShares(shares, y, width - LABELS, high);
    for (const i of long) drawSpan(track, i, y, high, width);
  }
  ink.fillStyle = colours['--ink'];
  let before = -9;
  for (let i = 0; i < track.marks.length; i += 2) {
    const at = x(track.marks[i]);
    if (at < LABELS || at > width || at < before + 2) continue;
    before = at;
    ink.beginPath(); ink.moveTo(at, top + 5); ink.lineTo(at - 3, top); ink.lineTo(at + 3, top); ink.fill();
  }
}

// Stacks the shares of each pixel's states in a lane, as one picture.
const lane = document.createElement('canvas');
function drawShares(shares, y, wide, high) {
  const count = states.length, picture = new ImageData(wide, high), bytes = new Uint32Array(picture.data.buffer);
  const colour = states.map(state => {
    const hex = parseInt(hue(state).slice(1), 16);
    return (0xff000000 | (hex & 255) << 16 | hex & 0xff00 | hex >> 16) >>> 0;
  });
  for (let pixel = 0; pixel < wide; pixel++) {
    let sum = 0, line = high;
    for (let state = 0; state < count; state++) {
      sum += shares[pixel * count + state];
      // One line at least where there is anything.
      const top = sum > 0 ? Math.max(0, Math.min(high - 1, Math.round(high - sum * high))) : high;
      while (line > top) bytes[--line * wide + pixel] = colour[state];
    }
  }
  lane.width = wide;
  lane.height = high;
  lane.getContext('2d').putImageData(picture, 0, 0);
  ink.imageSmoothingEnabled = false;
  ink.drawImage(lane, LABELS, y, wide, high);
}

function drawSpan(track, i, y, high, width) {
  const [begin, stop, , state, text] = track.spans.subarray(i, i + STRIDE), name = states[state];
  const left = Math.max(x(begin), LABELS), right = Math.min(x(stop), width);
  const open = track.open.has(i) && STALLS.includes(name);
  ink.fillStyle = pattern(name);
  ink.fillRect(left, y, right - left, high);
  ink.strokeStyle = open ? colours['--ink'] : colours['--dim'];
  ink.lineWidth = open ? 2 : 1;
  ink.strokeRect(left + .5, y + .5, right - left - 1, high - 1);
  ink.lineWidth = 1;
  if (right - left < 40) return;
  const words = brief(open ? `${data.texts[text]}, to the end` : data.texts[text]);
  const long = Math.min(ink.measureText(words).width + 4, right - left - 3);
  ink.save();
  ink.beginPath(); ink.rect(left + 2, y + 1, right - left - 4, high - 2); ink.clip();
  // Letters on a ground of one colour, not on stripes.
  ink.fillStyle = hue(name);
  ink.fillRect(left + 2, y + 1, long, high - 2);
  ink.fillStyle = PLAIN.includes(name) ? colours['--ink'] : colours['--paper'];
  ink.fillText(words, left + 4, y + high - 2.5);
  ink.restore();
}

// A folded tile: what share of each slice it was busy, and waited.
function drawFolded(group, top) {
  if (!group.map) return;
  const { busy, waits } = group.map, slice = data.overview.slice, width = view.clientWidth;
  for (let px = LABELS; px < width; px++) {
    const n = Math.floor(cycleAt(px + .5) / slice), high = GROUP - 6;
    const parts = [['--c2', busy[n] || 0], ['--c1', waits[n] || 0]];
    let below = top + 3 + high;
    for (const [colour, share] of parts) {
      ink.fillStyle = colours[colour];
      ink.fillRect(px, below - share / 100 * high, 1, share / 100 * high);
      below -= share / 100 * high;
    }
  }
}

function drawArrows(scroll) {
  const places = new Map(rows.filter(row => row.track).map(row => [row.track.index, row]));
  data.arrows.forEach(arrow => {
    const stops = arrow.stops.filter(([track]) => places.has(track));
    if (stops.length < 2 || stops[stops.length - 1][1] < from || stops[0][1] > to) return;
    const strong = marked !== null && arrow.stops.some(([track]) => track === marked);
    if (marked !== null && !strong) return;
    if (marked === null && data.arrows.length > 400) return;
    ink.strokeStyle = colours['--c0'];
    ink.globalAlpha = strong ? 1 : .35;
    ink.beginPath();
    stops.forEach(([track, at], k) => {
      const row = places.get(track), y = AXIS + row.y - scroll + row.height / 2;
      if (k) ink.lineTo(x(at), y); else ink.moveTo(x(at), y);
    });
    ink.stroke();
    ink.globalAlpha = 1;
  });
}

// The critical path: a frame around each of its links, a line from one to the next.
function drawPath(scroll) {
  if (!showsPath) return;
  const places = new Map(rows.filter(row => row.track).map(row => [row.track.index, row]));
  ink.strokeStyle = colours['--ink'];
  ink.lineWidth = 2;
  let before = null;
  for (const [track, , begin, stop] of data.path) {
    const row = places.get(track);
    if (!row) { before = null; continue; }
    const y = AXIS + row.y - scroll, left = x(begin), right = Math.max(x(stop), left + 1);
    if (stop > from && begin < to) ink.strokeRect(left, y + 2, right - left, row.height - 4);
    if (before !== null && begin >= from && begin <= to) {
      ink.beginPath(); ink.moveTo(left, before); ink.lineTo(left, y + row.height / 2); ink.stroke();
    }
    before = y + row.height / 2;
  }
  ink.lineWidth = 1;
}

function sized(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  return scale;
}

function clipped(text, left, baseline, width) {
  ink.save();
  ink.beginPath(); ink.rect(left, baseline - 11, width, 15); ink.clip();
  ink.fillText(text, left, baseline);
  ink.restore();
}

function draw() {
  const scroll = box.scrollTop, width = box.clientWidth, height = box.clientHeight;
  const scale = sized(view, width, height);
  ink.setTransform(scale, 0, 0, scale, 0, 0);
  ink.font = '11px system-ui, sans-serif';
  ink.fillStyle = colours['--paper'];
  ink.fillRect(0, 0, width, height);
  axis();
  ink.save();
  ink.beginPath(); ink.rect(0, AXIS, width, height - AXIS); ink.clip();
  for (const row of rows) {
    const top = AXIS + row.y - scroll;
    if (top + row.height < AXIS || top > height) continue;
    if (row.group) drawGroup(row.group, top, width); else drawRow(row, top, width);
  }
  ink.beginPath(); ink.rect(LABELS, AXIS, width - LABELS, height - AXIS); ink.clip();
  drawArrows(scroll);
  drawPath(scroll);
  ink.restore();
  drawOverview();
}

function drawGroup(group, top, width) {
  ink.fillStyle = colours['--free'];
  ink.fillRect(0, top, width, GROUP);
  if (group.folded) drawFolded(group, top);
  ink.fillStyle = colours['--free'];
  ink.fillRect(0, top, LABELS - 1, GROUP);
  ink.fillStyle = colours['--ink'];
  ink.font = 'bold 12px system-ui, sans-serif';
  ink.fillText(`${group.folded ? '▸' : '▾'} ${group.name}`, 6, top + 14);
  ink.font = '11px system-ui, sans-serif';
}

function drawRow(row, top, width) {
  const { track } = row;
  if (track.index === marked) { ink.fillStyle = colours['--tile']; ink.fillRect(0, top, width, row.height); }
  drawTrack(row, top);
  ink.fillStyle = colours[track.index === marked ? '--tile' : '--paper'];
  ink.fillRect(0, top, LABELS - 1, row.height);
  if (members.has(track.index)) { ink.fillStyle = colours['--error']; ink.fillRect(0, top, 4, row.height - 1); }
  ink.fillStyle = colours[track.index === marked ? '--c0' : '--ink'];
  clipped(track.name, 16, top + 14, LABELS - 24);
  ink.fillStyle = colours['--dim'];
  if (track.samples) {
    const most = `0–${+(track.most / track.per).toFixed(2)}`;
    ink.fillText(most, LABELS - 8 - ink.measureText(most).width, top + 14);
  }
  const name = 26 + ink.measureText(track.name).width;
  // Under the name where there is room for a second line, else beside it.
  if (track.lanes > 1) clipped(track.detail, 16, top + 28, LABELS - 24); else if (name < LABELS - 30) clipped(track.detail, name, top + 14, LABELS - 8 - name);
  ink.strokeStyle = colours['--free'];
  ink.beginPath(); ink.moveTo(0, top + row.height - .5); ink.lineTo(width, top + row.height - .5); ink.stroke();
}

// The array over time: a line for each group, as green as it is busy and as red as it waits.
const mapRows = () => groups.filter(group => group.map);
const mapHigh = () => Math.max(2, Math.min(14, Math.floor(130 / Math.max(1, mapRows().length))));
const map = { canvas: document.createElement('canvas'), of: '' };
function drawMap(all, high, width, scale) {
  const of = [width, scale, colours['--paper']].join();
  if (map.of === of) return;
  map.of = of;
  map.canvas.width = Math.round(width * scale);
  map.canvas.height = Math.round((all.length * high + 6) * scale);
  const pen = map.canvas.getContext('2d'), step = (width - LABELS) * data.overview.slice / end;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = colours['--paper'];
  pen.fillRect(0, 0, width, all.length * high + 6);
  all.forEach((group, n) => {
    const { busy, waits } = group.map, y = 3 + n * high, tall = high - (high > 4 ? 1 : 0);
    pen.fillStyle = colours['--tile'];
    pen.fillRect(LABELS, y, width - LABELS, tall);
    for (const [colour, shares] of [['--c2', busy], ['--c1', waits]]) {
      pen.fillStyle = colours[colour];
      shares.forEach((share, k) => {
        if (!share) return;
        pen.globalAlpha = share / 100;
        pen.fillRect(LABELS + k * step, y, step + .5, tall);
      });
      pen.globalAlpha = 1;
    }
  });
}
function drawOverview() {
  const all = mapRows(), high = mapHigh(), width = box.clientWidth, tall = all.length * high + 6;
  const scale = sized(overview, width, tall), wide = width - LABELS;
  const pen = overview.getContext('2d');
  drawMap(all, high, width, scale);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, tall);
  pen.drawImage(map.canvas, 0, 0, width, tall);
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = colours['--ink'];
  if (high < 12) pen.fillText(`${all.length} tiles and controllers over time`, 6, 14);
  else all.forEach((group, n) => pen.fillText(group.name, 6, 3 + (n + 1) * high - 4));
  pen.strokeStyle = colours['--ink'];
  pen.lineWidth = 1.5;
  pen.strokeRect(LABELS + from / end * wide + .75, .75, Math.max((to - from) / end * wide - 1.5, 2), tall - 1.5);
}
const overviewCycle = event => (event.clientX - overview.getBoundingClientRect().left - LABELS) / Math.max(1, box.clientWidth - LABELS) * end;
let mapFrom = null;
overview.addEventListener('pointerdown', event => { mapFrom = overviewCycle(event); });
overview.addEventListener('pointermove', event => {
  const cycle = overviewCycle(event), n = Math.floor((event.clientY - overview.getBoundingClientRect().top - 3) / mapHigh());
  const group = mapRows()[n], k = Math.floor(cycle / data.overview.slice);
  if (mapFrom !== null && Math.abs(cycle - mapFrom) > end / 200) return show(Math.min(cycle, mapFrom), Math.max(cycle, mapFrom));
  if (!group || cycle < 0 || k >= group.map.busy.length) return tip('');
  const begin = k * data.overview.slice;
  tip(`${group.name}, cycles ${begin} to ${Math.min(begin + data.overview.slice, end)}: busy ${group.map.busy[k]} %, waiting ${group.map.waits[k]} %`, event.clientX, event.clientY, byId('main'));
});
overview.addEventListener('pointerup', event => {
  const cycle = overviewCycle(event), half = Math.min(to - from, end / 4) / 2;
  if (mapFrom !== null && Math.abs(cycle - mapFrom) <= end / 200 && cycle >= 0) show(cycle - half, cycle + half);
  mapFrom = null;
});
overview.addEventListener('pointerleave', () => { mapFrom = null; tip(''); });

// What is at a point of the picture: the row, the spans there by depth, the mark nearby.
function at(px, py) {
  if (py < AXIS) return null;
  const y = py - AXIS + box.scrollTop;
  const row = rows.find(row => y >= row.y && y < row.y + row.height);
  if (!row) return null;
  const cycle = cycleAt(px), inside = [];
  let mark = null;
  if (row.track && px >= LABELS) {
    const { spans, marks, depths } = row.track, slack = (to - from) / Math.max(1, view.clientWidth) * 4;
    for (const list of depths) {
      const i = list[firstBehind(spans, list, cycle - slack / 4)];
      if (i !== undefined && spans[i] <= cycle + slack / 4) inside.push(i);
    }
    for (let i = 0; i < marks.length; i += 2) if (Math.abs(marks[i] - cycle) <= slack) mark = i;
  }
  return { row, cycle, inside, mark };
}

const cyclesOf = (track, i) => (track.spans[i + 1] - track.spans[i]).toLocaleString('en').replace(/,/g, '');
function spanWords(track, i) {
  const [begin, stop, , state, text] = track.spans.subarray(i, i + STRIDE), parts = track.parts.get(i);
  const over = track.open.has(i) ? ', not over when the run ended' : '';
  const words = [`${data.texts[text]}: ${begin} to ${stop}, ${cyclesOf(track, i)} cycles (${WORDS[states[state]]})${over}`];
  for (let k = 0; parts && k < parts.length; k += 2) words.push(`  ${WORDS[states[parts[k]]]}: ${parts[k + 1]} cycles`);
  return words;
}

function hover(event) {
  const found = at(...place(event));
  if (!found || !found.row.track) return tip('');
  const { track } = found.row, lines = [`${track.group}, ${track.name}`];
  if (track.detail) lines.push(track.detail);
  if (track.samples && found.cycle >= 0) {
    const i = lastSample(track, found.cycle);
    lines.push(`cycle ${Math.floor(found.cycle)}: ${counted(track, i < 0 ? 0 : track.samples[i + 1])}, at most ${counted(track, track.most)}`);
  }
  for (const i of found.inside) lines.push(...spanWords(track, i));
  if (found.mark !== null) lines.push(`cycle ${track.marks[found.mark]}: ${data.texts[track.marks[found.mark + 1]]}`);
  tip(lines.join('\n'), event.clientX, event.clientY, byId('main'));
}

let waiting = 0;
function show(begin, stop) {
  const length = Math.min(Math.max(stop - begin, 10), end);
  from = Math.min(Math.max(begin, 0), end - length);
  to = from + length;
  draw();
}
const zoom = (factor, cycle = (from + to) / 2) => show(cycle - (cycle - from) * factor, cycle + (to - cycle) * factor);
const move = share => show(from + (to - from) * share, to + (to - from) * share);

// Brings a span into view, whatever is folded.
function reveal(track, i) {
  const group = groups.find(group => group.tracks.includes(track));
  if (!shown[track.sort] || group.folded) {
    shown[track.sort] = true;
    const tick = byId(`sort-${track.sort}`);
    if (tick) tick.checked = true;
    group.folded = false;
    const kept = [match, stallAt];
    arrange();
    [match, stallAt] = kept;
  }
  const row = rows.find(row => row.track === track);
  if (!row) return;
  box.scrollTop = Math.max(0, row.y - view.clientHeight / 3);
  marked = track.index;
  if (i === undefined) return draw();
  const begin = track.spans[i], stop = track.spans[i + 1];
  const length = Math.max(to - from > end / 2 ? (stop - begin) * 8 : to - from, stop - begin, 40);
  show((begin + stop - length) / 2, (begin + stop + length) / 2);
}
function next(way) {
  if (!matches.length) return;
  match = (match + way + matches.length) % matches.length;
  reveal(matches[match].track, matches[match].i);
}

// The longest stalls, those first that were not over at the end.
let longest = null;
function nextStall(way) {
  if (!longest) {
    longest = [];
    const numbers = new Set(STALLS.map(state => states.indexOf(state)));
    for (const track of data.tracks) for (let i = 0; i < track.spans.length; i += STRIDE) {
      if (numbers.has(track.spans[i + 3])) longest.push({ track, i, open: track.open.has(i), cycles: track.spans[i + 1] - track.spans[i] });
    }
    longest.sort((a, b) => b.open - a.open || b.cycles - a.cycles);
    longest.length = Math.min(longest.length, 500);
  }
  if (!longest.length) return;
  stallAt = stallAt < 0 && way < 0 ? longest.length - 1 : (stallAt + way + longest.length) % longest.length;
  reveal(longest[stallAt].track, longest[stallAt].i);
}

const place = event => { const rect = view.getBoundingClientRect(); return [event.clientX - rect.left, event.clientY - rect.top]; };
let pressed = null;
view.addEventListener('pointerdown', event => { pressed = { x: event.clientX, y: event.clientY, from, to, top: box.scrollTop, moved: false }; try { view.setPointerCapture(event.pointerId); } catch (_) { } });
view.addEventListener('pointermove', event => {
  if (!pressed) return hover(event);
  const dx = event.clientX - pressed.x, dy = event.clientY - pressed.y;
  pressed.moved = pressed.moved || Math.abs(dx) + Math.abs(dy) > 4;
  const shift = -dx / Math.max(1, view.clientWidth - LABELS) * (pressed.to - pressed.from);
  box.scrollTop = pressed.top - dy;
  show(pressed.from + shift, pressed.to + shift);
});
view.addEventListener('pointerup', event => {
  const found = pressed && !pressed.moved ? at(...place(event)) : null;
  if (found && found.row.group) {
    found.row.group.folded = !found.row.group.folded;
    arrange();
  } else if (pressed && !pressed.moved) {
    marked = found && found.row.track.index !== marked ? found.row.track.index : null;
    draw();
  }
  pressed = null;
});
view.addEventListener('pointerleave', () => tip(''));
view.addEventListener('wheel', event => {
  if (event.shiftKey) { box.scrollTop += event.deltaY; event.preventDefault(); return; }
  event.preventDefault();
  if (event.deltaX) move(event.deltaX / 1000);
  if (event.deltaY) zoom(event.deltaY < 0 ? .8 : 1.25, cycleAt(place(event)[0]));
}, { passive: false });
const ACTS = {
  '+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2), '0': () => show(0, end), ArrowLeft: () => move(-.2), ArrowRight: () => move(.2),
  ArrowUp: () => { box.scrollTop -= 40; }, ArrowDown: () => { box.scrollTop += 40; }, n: () => next(1), N: () => next(-1), s: () => nextStall(1), S: () => nextStall(-1),
  e: () => fold(false), c: () => fold(true), p: () => showPath(!showsPath), '/': () => byId('filter').focus(), Escape: () => { marked = null; draw(); },
};
window.addEventListener('keydown', event => {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = ACTS[event.key];
  if (act) { act(); event.preventDefault(); }
});
byId('filter').addEventListener('input', arrange);
byId('filter').addEventListener('keydown', event => {
  if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') view.focus();
});
for (const [id, act] of [['closer', '+'], ['farther', '-'], ['fit', '0'], ['expand', 'e'], ['collapse', 'c'], ['stall', 's']]) byId(id).addEventListener('click', ACTS[act]);
// One picture for each that the window shows, however many events there are.
box.addEventListener('scroll', () => { waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); }); });
window.addEventListener('resize', arrange);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); legend(); draw(); });

// Lines of the design in a text lead to them.
function withLinks(node, text) {
  let rest = 0;
  for (const found of text.matchAll(/([^\s[\](),]+):(\d+):(\d+)/g)) {
    node.append(text.slice(rest, found.index));
    const link = document.createElement('a');
    link.textContent = brief(found[0]);
    link.title = found[0];
    link.href = `${encodeURI(found[1])}#L${found[2]}`;
    link.addEventListener('click', event => event.stopPropagation());
    node.append(link);
    rest = found.index + found[0].length;
  }
  node.append(text.slice(rest));
}
for (const line of data.diagnosis) {
  const item = document.createElement('li');
  withLinks(item, line.text);
  if (line.track !== null) {
    item.className = 'linked';
    item.tabIndex = 0;
    const track = data.tracks[line.track];
    const go = () => {
      const open = [...track.open].filter(i => STALLS.includes(states[track.spans[i + 3]]));
      reveal(track, open[0]);
    };
    item.addEventListener('click', go);
    item.addEventListener('keydown', event => { if (event.key === 'Enter') go(); });
  }
  byId('diagnosis').append(item);
  byId('diagnosis').classList.remove('hidden');
}
// The critical path by track and activity, the most cycles first.
function showPath(on) {
  showsPath = on && data.path.length > 0;
  byId('path').checked = showsPath;
  draw();
}
{
  const sums = new Map(), whole = data.path.reduce((sum, [, , begin, stop]) => sum + stop - begin, 0);
  for (const [track, activity, begin, stop] of data.path) {
    const key = `${track} ${activity}`, sum = sums.get(key) || { track, activity, cycles: 0 };
    sum.cycles += stop - begin;
    sums.set(key, sum);
  }
  const most = [...sums.values()].sort((a, b) => b.cycles - a.cycles).slice(0, 6);
  for (const { track, activity, cycles } of most) {
    const item = document.createElement('li'), of = data.tracks[track];
    item.textContent = `${Math.round(cycles * 100 / whole)} %: ${of ? `${of.group}, ${of.name}` : 'other'}: ${ACTIVITIES[activity]}`;
    if (of) {
      item.className = 'linked';
      item.tabIndex = 0;
      const go = () => { showPath(true); reveal(of); };
      item.addEventListener('click', go);
      item.addEventListener('keydown', event => { if (event.key === 'Enter') go(); });
    }
    byId('links').append(item);
  }
  byId('critical').classList.toggle('hidden', !data.path.length);
  byId('path').addEventListener('change', event => showPath(event.target.checked));
}
for (const [sort, words] of Object.entries(SORTS)) {
  if (!data.tracks.some(track => track.sort === sort)) continue;
  const label = document.createElement('label'), tick = document.createElement('input');
  tick.type = 'checkbox';
  tick.checked = shown[sort];
  tick.id = `sort-${sort}`;
  tick.addEventListener('change', () => { shown[sort] = tick.checked; arrange(); });
  label.append(tick, ` ${words} `);
  byId('sorts').append(label);
}
function legend() {
  const used = new Set();
  for (const track of data.tracks) {
    for (let i = 3; i < track.spans.length; i += STRIDE) used.add(track.spans[i]);
    for (const parts of track.parts.values()) for (let k = 0; k < parts.length; k += 2) used.add(parts[k]);
  }
  byId('legend').replaceChildren();
  data.states.forEach((state, n) => {
    if (!used.has(n)) return;
    const item = document.createElement('span'), sample = document.createElement('canvas');
    sample.width = 18;
    sample.height = 12;
    const pen = sample.getContext('2d');
    pen.fillStyle = pattern(state);
    pen.fillRect(0, 0, 18, 12);
    item.append(sample, WORDS[state]);
    byId('legend').append(item);
  });
}
byId('title').textContent = `${data.status} on ${data.device}`;
byId('summary').textContent = `${data.cycles.toLocaleString('en')} cycles${data.runBegan ? `, the runtime sequence from ${data.runBegan.toLocaleString('en')} on` : ''}`;
const missing = [];
if (data.full !== null) missing.push(`Events are missing from about cycle ${data.full} on.`);
if (data.merged !== null) missing.push(`Spans shorter than ${data.merged} cycles are drawn as shares.`);
if (data.moreArrows) missing.push(`${data.moreArrows} more tasks have no arrows.`);
byId('full').textContent = missing.join(' ');
byId('full').classList.toggle('hidden', !missing.length);
readColours();
legend();
arrange();
// The overview has its height now.
arrange();
