// How the routing page is used. A flow is marked by its number wherever it is drawn.
const pictures = [...document.querySelectorAll('svg.view')], list = byId('flows');
// Pixels of a unit below which small text is replaced by large, and the least ones when it opens.
const NEAR = 10 / data.near, FAR = 10 / data.far;
const PACKET = '6 3';
let device, view, port, marked = null, kept = null, tile = null, cursor = null;
let hidden = new Set(), filtered = new Set();
const ports = pictures.map(svg => {
  const whole = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  const seen = new Viewport(svg, () => whole, FAR, () => svg.classList.toggle('distant', seen.pixels() < NEAR * .999));
  return seen;
});

const isShown = n => !hidden.has(n) && !filtered.has(n);
// The first of many lines, and how many there are.
const few = (lines, most) => lines.length > most ? lines.slice(0, most).concat(`and ${lines.length - most} more`) : lines;
const flowTexts = numbers => few(numbers.map(n => device.flows[n].text), 12);
function flowDetail(flow) {
  const lines = [flow.text];
  if (flow.source) lines.push(`line: ${flow.source}`);
  if (flow.compared) lines.push(flow.compared);
  return lines.concat('', few(flow.hops, 40)).join('\n');
}
const numbersOf = node => (node.dataset.flows || '').split(' ').filter(Boolean).map(Number);
const tileNode = at => view.querySelector(`.tile[data-tile="${at}"]`);

function show() {
  const on = [marked, kept].filter(n => n !== null), drawn = view.querySelectorAll('.flow');
  view.classList.toggle('marking', on.length > 0);
  device.flows.forEach((flow, n) => {
    const item = list.children[n];
    drawn[n].classList.toggle('on', on.includes(n));
    drawn[n].classList.toggle('hidden', !isShown(n));
    item.classList.toggle('on', on.includes(n));
    item.classList.toggle('kept', n === kept);
    item.classList.toggle('off', filtered.has(n));
    item.classList.toggle('out', hidden.has(n));
    item.setAttribute('aria-selected', isShown(n));
  });
  const flow = kept !== null ? kept : marked;
  byId('detail').textContent = tile ? tileNode(tile).dataset.tip : flow !== null ? flowDetail(device.flows[flow])
    : 'Choose a flow or a tile: its route, wires, arbiters.';
  byId('count').textContent = `${device.flows.filter((_, n) => isShown(n)).length} of ${device.flows.length} flows shown`;
}
function mark(n) { if (n !== marked) { marked = n; show(); } }
function keep(n) { kept = n === kept ? null : n; tile = null; show(); }
function toggle(n) { hidden.has(n) ? hidden.delete(n) : hidden.add(n); show(); }
function filter() {
  const words = byId('filter').value.toLowerCase().match(/\([^)]*\)?|[^\s(]+/g) || [];
  filtered = new Set();
  device.flows.forEach((flow, n) => {
    const text = `${flow.kind} ${flow.text}`.toLowerCase(), plain = text.replace(/\s+/g, '');
    if (!words.every(word => text.includes(word) || plain.includes(word.replace(/\s+/g, '')))) filtered.add(n);
  });
  show();
}
function heat() {
  const on = byId('heat').checked;
  view.classList.toggle('hot', on);
  view.querySelector('.heats').classList.toggle('hidden', !on);
  byId('scale').classList.toggle('hidden', !on);
}

function choose(n) {
  device = data.devices[n];
  pictures.forEach((svg, k) => svg.classList.toggle('hidden', k !== n));
  [view, port] = [pictures[n], ports[n]];
  hidden = new Set();
  marked = kept = tile = null;
  moveCursor(null);
  byId('title').textContent = document.title = `@${device.name} on ${device.device}`;
  byId('compared').textContent = device.compared || '';
  byId('compared').classList.toggle('hidden', !device.compared);
  const unrouted = device.flows.filter(flow => flow.unrouted).length;
  byId('failure').textContent = unrouted ? [`${unrouted} flows can't be routed`, device.failure].filter(Boolean).join(': ') : '';
  byId('failure').classList.toggle('hidden', !unrouted);
  list.textContent = '';
  device.flows.forEach((flow, k) => {
    const item = document.createElement('li'), name = document.createElement('b'), more = document.createElement('small');
    item.id = `flow-${k}`;
    item.setAttribute('role', 'option');
    const swatch = make(item, 'svg', { viewBox: '0 0 30 8', 'aria-hidden': true });
    make(swatch, 'path', { d: 'M0 4H30', class: `sample ${flow.hue === null ? 'token' : `hue${flow.hue}`}`,
      'stroke-dasharray': flow.kind === 'packet' ? PACKET : 'none' });
    name.textContent = flow.name;
    more.textContent = flow.text.slice(flow.name.length + 2) + (flow.compared && !flow.same ? ` · ${flow.compared}` : '');
    item.classList.toggle('unrouted', flow.unrouted);
    item.append(name, more);
    list.append(item);
  });
  heat();
  port.fit();
  filter();
}

// What is under the pointer, or within a few pixels of it.
const AROUND = [[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3]];
function nearest(event) {
  const nodes = AROUND.map(([dx, dy]) => document.elementFromPoint(event.clientX + dx, event.clientY + dy));
  const found = name => nodes.map(node => node && view.contains(node) ? node.closest(name) : null).find(Boolean);
  return found('.port, .own, .arbiter, .bar-of-wires') || found('.hop') || found('[data-tip]') || null;
}
function describe(node) {
  if (!node) return [null, ''];
  if (node.matches('.hop')) {
    const n = Number(node.closest('.flow').dataset.flow);
    return [n, `${device.flows[n].text}\n${device.flows[n].hops[Number(node.dataset.hop)]}`];
  }
  const numbers = numbersOf(node);
  return [numbers.length === 1 ? numbers[0] : null, [node.dataset.tip].concat(flowTexts(numbers)).filter(Boolean).join('\n')];
}
pictures.forEach((svg, n) => {
  svg.addEventListener('pointermove', event => {
    if (ports[n].drag(event)) return tip();
    const [flow, text] = describe(nearest(event));
    mark(flow);
    tip(text, event.clientX, event.clientY, byId('pictures'));
  });
  svg.addEventListener('pointerleave', () => { tip(); mark(null); });
  svg.addEventListener('click', event => {
    if (ports[n].moved) return;
    const node = nearest(event), [flow] = describe(node);
    if (flow !== null) return keep(flow);
    const at = node && node.dataset.tile;
    kept = null;
    tile = at && at !== tile ? at : null;
    show();
  });
});

// The tile that the keys are at: outlined, described, and brought into sight.
function moveCursor(at) {
  document.querySelectorAll('.cursor').forEach(node => node.remove());
  cursor = at;
  if (!at) return;
  const node = tileNode(at), [x, y, width, height] = ['x', 'y', 'width', 'height'].map(key => Number(node.getAttribute(key)));
  make(node.parentNode, 'rect', { x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: 8, class: 'cursor' });
  const box = port.box;
  if (x < box[0] || x + width > box[0] + box[2]) box[0] = x + width / 2 - box[2] / 2;
  if (y < box[1] || y + height > box[1] + box[3]) box[1] = y + height / 2 - box[3] / 2;
  port.look();
  tile = at;
  show();
}
byId('pictures').addEventListener('keydown', event => {
  const step = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[event.key];
  if (!step) return;
  event.preventDefault();
  if (event.shiftKey) return port.move(step[0] * .15, -step[1] * .15);
  const first = view.querySelector('.tile:not(.unused)') || view.querySelector('.tile');
  if (!cursor) return first && moveCursor(first.dataset.tile);
  const [col, row] = cursor.split(',').map(Number), next = `${col + step[0]},${row + step[1]}`;
  if (tileNode(next)) moveCursor(next);
});

const itemOf = event => { const item = event.target.closest('li'); return item ? [...list.children].indexOf(item) : null; };
list.addEventListener('pointerover', event => mark(itemOf(event)));
list.addEventListener('pointerleave', () => mark(null));
list.addEventListener('click', event => { const n = itemOf(event); if (n !== null) keep(n); });
list.addEventListener('keydown', event => {
  const shown = device.flows.map((_, n) => n).filter(n => !filtered.has(n));
  const here = shown.indexOf(marked === null ? -1 : marked);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: shown.length - 1,
    PageDown: here + 20, PageUp: here - 20 }[event.key];
  if (to !== undefined && shown.length) {
    mark(shown[Math.max(0, Math.min(to, shown.length - 1))]);
    list.children[marked].scrollIntoView({ block: 'nearest' });
    list.setAttribute('aria-activedescendant', `flow-${marked}`);
  } else if (event.key === ' ' && marked !== null) toggle(marked);
  else if (event.key === 'Enter' && marked !== null) keep(marked);
  else return;
  event.preventDefault();
});
byId('filter').addEventListener('input', filter);
byId('device').addEventListener('change', event => choose(Number(event.target.value)));
byId('all').addEventListener('click', () => { hidden = new Set(); show(); });
// What the filter leaves out stays as it is.
byId('none').addEventListener('click', () => {
  device.flows.forEach((_, n) => { if (!filtered.has(n)) hidden.add(n); });
  show();
});
byId('heat').addEventListener('change', heat);
byId('closer').addEventListener('click', () => port.zoom(.8));
byId('farther').addEventListener('click', () => port.zoom(1.25));
byId('fit').addEventListener('click', () => port.fit());
window.addEventListener('keydown', event => {
  if (event.key === 'Escape') { kept = marked = tile = null; moveCursor(null); tip(); return device && show(); }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input[type=search], select')) return;
  const action = { '+': () => port.zoom(.8), '=': () => port.zoom(.8), '-': () => port.zoom(1.25), '0': () => port.fit(),
    'c': () => byId('heat').click(), '/': () => byId('filter').focus() }[event.key];
  if (action) { event.preventDefault(); action(); }
});
data.devices.forEach((d, n) => byId('device').add(new Option(`@${d.name} (${d.device})`, n)));
byId('device').classList.toggle('hidden', data.devices.length < 2);
if (data.devices.length) choose(0);
else byId('title').textContent = 'No device';
