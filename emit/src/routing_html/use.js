// How the page is used: the list, the filter, the pointer, the keys.

// The part of the picture that is seen; the flow under the pointer or chosen in the list; the
// flow that stays marked; the tile that the keys are at.
let box, marked = null, kept = null, cursor = null;
const view = byId('view'), list = byId('flows');

function look() { view.setAttribute('viewBox', box.map(v => v.toFixed(2)).join(' ')); }
function fit() { box = [0, 0, device.columns * CELL, device.rows * CELL]; look(); }
// fx, fy: the point that stays where it is, as a share of the picture.
function zoom(factor, fx = .5, fy = .5) {
  const width = Math.min(Math.max(box[2] * factor, CELL / 4), device.columns * CELL * 4);
  factor = width / box[2];
  box = [box[0] + box[2] * fx * (1 - factor), box[1] + box[3] * fy * (1 - factor),
         width, box[3] * factor];
  look();
}
function move(dx, dy) { box[0] += dx * box[2]; box[1] += dy * box[3]; look(); }
// Where a point of the screen is in the picture.
function point(event) {
  const matrix = view.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
}

function tip(text, x, y) {
  const node = byId('tip');
  node.classList.toggle('hidden', !text);
  if (!text) return;
  node.textContent = text;
  const area = view.getBoundingClientRect();
  node.style.left = Math.max(0, Math.min(x - area.left + 14, area.width - node.offsetWidth - 8)) + 'px';
  node.style.top = Math.max(0, Math.min(y - area.top + 14, area.height - node.offsetHeight - 8)) + 'px';
}

// Marks one flow in the picture and in the list.
function mark(n, scroll) {
  const old = marked;
  marked = n;
  for (const [number, on] of [[old, false], [kept, true], [n, true]]) {
    if (number === null || (!on && number === kept)) continue;
    const group = byId('ways').children[number], item = list.children[number];
    group && group.classList.toggle('on', on);
    item && item.classList.toggle('on', on);
    if (on && item && scroll) item.scrollIntoView({ block: 'nearest' });
  }
  byId('ways').classList.toggle('marking', n !== null || kept !== null);
}
function keep(n) {
  if (kept !== null) list.children[kept].classList.remove('kept');
  const old = kept;
  kept = n === kept ? null : n;
  if (old !== null) { byId('ways').children[old].classList.remove('on'); list.children[old].classList.remove('on'); }
  if (kept !== null) list.children[kept].classList.add('kept');
  mark(marked);
}

function show() {
  device.flows.forEach((_, n) => {
    byId('ways').children[n].classList.toggle('hidden', !isShown(n));
    const item = list.children[n];
    item.classList.toggle('off', filtered.has(n));
    item.classList.toggle('out', hidden.has(n));
    item.setAttribute('aria-selected', isShown(n));
  });
  const shown = device.flows.filter((_, n) => isShown(n)).length;
  byId('count').textContent = `${shown} of ${device.flows.length} flows shown · ` +
    `${device.totals.connections} connections · ${device.totals.wires} wires · ${device.totals.switches} switches`;
}
function toggle(n) {
  hidden.has(n) ? hidden.delete(n) : hidden.add(n);
  show();
}
function fill() {
  list.textContent = '';
  device.flows.forEach((flow, n) => {
    const item = document.createElement('li');
    item.id = `flow-${n}`;
    item.dataset.flow = n;
    item.setAttribute('role', 'option');
    const swatch = make(item, 'svg', { viewBox: '0 0 30 8', 'aria-hidden': true });
    make(swatch, 'path', { d: 'M0 4H30', 'stroke-width': 3, style: `stroke: ${colour(n)}`,
      'stroke-dasharray': dashes(n) });
    item.append(`${n}: ${flow.text}`);
    list.append(item);
  });
}
// Every word of the filter must be in the flow's line; words in brackets belong together.
function filter() {
  const words = byId('filter').value.toLowerCase().match(/\([^)]*\)?|[^\s(]+/g) || [];
  filtered = new Set();
  device.flows.forEach((flow, n) => {
    const text = `${flow.kind} ${flow.text}`.toLowerCase();
    const plain = text.replace(/\s+/g, '');
    if (!words.every(word => text.includes(word) || plain.includes(word.replace(/\s+/g, '')))) filtered.add(n);
  });
  show();
}

// What lies at a point of the picture: a port, a way through a switch, a wire, or a tile.
const NEAR = 4;
function find(x, y) {
  const col = Math.floor(x / CELL), row = device.rows - 1 - Math.floor(y / CELL);
  const tile = tileOf.get(at(col, row));
  if (!tile) return null;
  const near = { distance: NEAR, n: null, text: null };
  for (const q of portsOf.get(at(col, row)) || []) {
    const distance = Math.hypot(q.x - x, q.y - y) / 1.5;
    if (isShown(q.n) && distance < near.distance) Object.assign(near, { distance, n: q.n, text: q });
  }
  if (near.text) {
    const { p, out } = near.text;
    const same = q => q.out === out && q.p.bundle === p.bundle && q.p.channel === p.channel;
    const users = portsOf.get(at(col, row)).filter(same).map(q => q.n);
    return { n: near.n, text: portText(tile, p, out, users) };
  }
  // Wires begin in this tile or in one beside it.
  const around = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]];
  for (const [dx, dy] of around) for (const { n, hop } of waysOf.get(at(col + dx, row + dy)) || []) {
    if (!isShown(n)) continue;
    const distance = distanceTo(hop, x, y);
    if (distance < near.distance) Object.assign(near, { distance, n, text: hop });
  }
  if (!near.text) return { n: null, text: tileText(tile) };
  const { from, to } = near.text, key = at(near.text.col, near.text.row);
  const same = ({ hop }) => hop.to.bundle === to.bundle && hop.to.channel === to.channel;
  const users = waysOf.get(key).filter(same).map(way => way.n);
  const text = `tile (${near.text.col}, ${near.text.row}): ${port(from)} → ${port(to)}`;
  return { n: near.n, text: [text].concat(flowTexts(users)).join('\n') };
}
// The distance of a point from a way through a switch and the wire behind it, both as lines.
function distanceTo(hop, x, y) {
  const a = place(hop.col, hop.row, hop.from, false), b = place(hop.col, hop.row, hop.to, true);
  const c = centre(hop.col, hop.row), next = wire(hop, hop.to);
  const bend = [(a[0] + b[0] + (c[0] + a[0] + b[0]) / 3 * 2) / 4, (a[1] + b[1] + (c[1] + a[1] + b[1]) / 3 * 2) / 4];
  const lines = [[a, bend], [bend, b]];
  if (next) lines.push([b, place(next.col, next.row, next.port, false)]);
  return Math.min(...lines.map(([p, q]) => {
    const dx = q[0] - p[0], dy = q[1] - p[1], long = dx * dx + dy * dy;
    const t = long ? Math.max(0, Math.min(1, ((x - p[0]) * dx + (y - p[1]) * dy) / long)) : 0;
    return Math.hypot(p[0] + t * dx - x, p[1] + t * dy - y);
  }));
}

// The tile that the keys are at: outlined, described, and brought into sight.
function goTo(col, row) {
  const tile = tileOf.get(at(col, row));
  if (!tile) return;
  cursor = tile;
  const [x, y] = centre(col, row), node = byId('cursor');
  for (const [key, value] of Object.entries({ x: x - HALF - 3, y: y - HALF - 3, width: 2 * HALF + 6, height: 2 * HALF + 6, rx: 5 }))
    node.setAttribute(key, value);
  node.classList.remove('hidden');
  if (x - HALF < box[0] || x + HALF > box[0] + box[2]) box[0] = x - box[2] / 2;
  if (y - HALF < box[1] || y + HALF > box[1] + box[3]) box[1] = y - box[3] / 2;
  look();
  const text = tileText(tile), area = node.getBoundingClientRect();
  tip(text, area.right, area.top);
  byId('spoken').textContent = text;
}

function choose(n) {
  device = data.devices[n];
  byId('title').textContent = document.title = `@${device.name} on ${device.device}`;
  hidden = new Set();
  marked = kept = cursor = null;
  byId('cursor').classList.add('hidden');
  byId('ways').classList.remove('marking');
  index();
  fit();
  drawTiles();
  drawFlows();
  drawHeat();
  fill();
  filter();
}

data.devices.forEach((d, n) => byId('device').add(new Option(`@${d.name} (${d.device})`, n)));
byId('device').classList.toggle('hidden', data.devices.length < 2);
byId('device').addEventListener('change', e => choose(Number(e.target.value)));
byId('filter').addEventListener('input', filter);
byId('all').addEventListener('click', () => { hidden = new Set(); show(); });
// What the filter leaves out stays as it is.
byId('none').addEventListener('click', () => {
  device.flows.forEach((_, n) => { if (!filtered.has(n)) hidden.add(n); });
  show();
});
byId('heat').addEventListener('change', drawHeat);
byId('closer').addEventListener('click', () => zoom(.8));
byId('farther').addEventListener('click', () => zoom(1.25));
byId('fit').addEventListener('click', fit);

// One listener for all flows of the list.
const itemOf = event => { const item = event.target.closest('li'); return item ? Number(item.dataset.flow) : null; };
list.addEventListener('pointerover', e => mark(itemOf(e)));
list.addEventListener('pointerleave', () => mark(null));
list.addEventListener('click', e => { const n = itemOf(e); if (n !== null) toggle(n); });
list.addEventListener('keydown', e => {
  const shown = device.flows.map((_, n) => n).filter(n => !filtered.has(n));
  const here = shown.indexOf(marked === null ? -1 : marked);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: shown.length - 1,
    PageDown: here + 20, PageUp: here - 20 }[e.key];
  if (to !== undefined && shown.length) {
    mark(shown[Math.max(0, Math.min(to, shown.length - 1))], true);
    list.setAttribute('aria-activedescendant', `flow-${marked}`);
  } else if (e.key === ' ' && marked !== null) toggle(marked);
  else if (e.key === 'Enter' && marked !== null) keep(marked);
  else return;
  e.preventDefault();
});

view.addEventListener('wheel', e => {
  e.preventDefault();
  const p = point(e);
  if (p) zoom(e.deltaY < 0 ? .85 : 1 / .85, (p.x - box[0]) / box[2], (p.y - box[1]) / box[3]);
}, { passive: false });
let held = null, dragged = false;
view.addEventListener('pointerdown', e => { held = point(e); dragged = false; view.classList.add('held'); });
window.addEventListener('pointerup', () => { held = null; view.classList.remove('held'); });
view.addEventListener('pointermove', e => {
  const p = point(e);
  if (!p) return;
  if (held && (e.buttons & 1)) {
    box[0] -= p.x - held.x;
    box[1] -= p.y - held.y;
    dragged = true;
    tip();
    return look();
  }
  const found = find(p.x, p.y);
  mark(found && found.n);
  tip(found && found.text, e.clientX, e.clientY);
});
view.addEventListener('pointerleave', () => { tip(); mark(null); });
view.addEventListener('click', () => { if (!dragged && (marked !== null || kept !== null)) keep(marked); });
view.addEventListener('keydown', e => {
  const step = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[e.key];
  if (!step) return;
  e.preventDefault();
  if (e.shiftKey) return move(step[0] * .15, -step[1] * .15);
  const first = cursor || device.tiles.find(t => t.named) || device.tiles[0];
  if (first) cursor ? goTo(first.col + step[0], first.row + step[1]) : goTo(first.col, first.row);
});
view.addEventListener('blur', () => tip());
window.addEventListener('keydown', e => {
  if (e.key === 'Escape') { tip(); if (kept !== null) keep(kept); mark(null); return; }
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input[type=search], select')) return;
  const action = { '+': () => zoom(.8), '=': () => zoom(.8), '-': () => zoom(1.25), '0': fit,
    'c': () => byId('heat').click(), '/': () => byId('filter').focus() }[e.key];
  if (action) { e.preventDefault(); action(); }
});
if (data.devices.length) choose(0);
else byId('title').textContent = 'No device';
