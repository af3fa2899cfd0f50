// How the dataflow page is used. A link is marked by its number wherever it is drawn.
const pictures = [...document.querySelectorAll('svg.view')], list = byId('links');
// Least size of a text when a picture opens, as a share of its own: whole arrays are seen on a window of 1,400 pixels.
const SMALLEST = 8 / 12;
let device, view, port, marked = null, kept = null, tile = null;
const size = svg => [svg.width.baseVal.value, svg.height.baseVal.value];
const ports = pictures.map(svg => {
  const whole = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  return new Viewport(svg, () => whole, SMALLEST);
});

const depths = link => link.depth.filter(d => d !== null).join(' and ');
function linkText(link) {
  const lines = [link.text];
  if (link.element) lines.push(`objects: ${link.element}`);
  if (depths(link)) lines.push(`depth: ${depths(link)}`);
  if (link.hops) lines.push(`route: ${link.hops} connections through switches`);
  if (link.source) lines.push(`line: ${link.source}`);
  return lines.concat(link.run || []).join('\n');
}
function tileText(t) {
  const lines = [`${t.kind} (${t.tile.join(', ')})`];
  if (t.core) lines.push(`core: ${t.source || ''}`);
  if (t.kernels.length) lines.push(`calls ${t.kernels.join(', ')}`);
  for (const b of t.buffers) lines.push(`buffer ${b.name}: ${b.bytes} bytes${b.address === null ? '' : ` at 0x${b.address.toString(16)}`}`);
  for (const l of t.locks) lines.push(`lock ${l.name}${l.id === null ? '' : `: number ${l.id}`}`);
  for (const c of t.bds) lines.push(`${c.channel}: ${c.bds} BD${c.bds === 1 ? '' : 's'}`);
  const run = device.run && device.run.tiles.find(r => r.tile.join() === t.tile.join());
  if (run) lines.push(`core busy ${run.busy} %, stalled ${run.stalled} % of the run`);
  return lines.join('\n');
}

function show() {
  const on = [marked, kept].filter(n => n !== null);
  view.classList.toggle('marking', on.length > 0);
  for (const node of view.querySelectorAll('[data-link]'))
    node.classList.toggle('on', node.dataset.link.split(' ').some(n => on.includes(Number(n))));
  [...list.children].forEach((item, n) => {
    item.classList.toggle('on', on.includes(n));
    item.classList.toggle('kept', n === kept);
    item.setAttribute('aria-selected', n === kept);
  });
  for (const box of view.querySelectorAll('.box')) box.classList.toggle('on', tile !== null && box.dataset.tile === tile);
  const t = tile !== null && device.tiles.find(t => t.tile.join() === tile);
  const link = kept !== null ? device.links[kept] : marked !== null ? device.links[marked] : null;
  byId('detail').textContent = t ? tileText(t) : link ? linkText(link) : (device.run ? device.run.lines.join('\n') : '') || 'Choose a link or a tile for its line, buffers, locks and BDs.';
}
function mark(n) { if (n !== marked) { marked = n; show(); } }
function keep(n) { kept = n === kept ? null : n; tile = null; show(); }

function filter() {
  const words = byId('filter').value.toLowerCase().match(/\([^)]*\)?|[^\s(]+/g) || [];
  [...list.children].forEach((item, n) => {
    const text = device.links[n].text.toLowerCase(), plain = text.replace(/\s+/g, '');
    item.classList.toggle('off', !words.every(w => text.includes(w) || plain.includes(w.replace(/\s+/g, ''))));
  });
}

// What a run showed: a bar in each core's box, the critical links, the members of a deadlock.
function drawRun() {
  const run = device.run, status = byId('run');
  status.classList.toggle('hidden', !run);
  byId('run-keys').classList.toggle('hidden', !run);
  if (!run || view.dataset.run) return;
  view.dataset.run = 'drawn';
  for (const { tile, busy, stalled } of run.tiles) {
    const box = view.querySelector(`[data-tile="${tile.join()}"]`), frame = box && box.querySelector('.frame');
    if (!frame) continue;
    const [x, y, width] = ['x', 'y', 'width'].map(key => Number(frame.getAttribute(key))), part = (width - 12) / 100;
    make(box, 'rect', { x: x + 6, y: y + 17, width: width - 12, height: 3, class: 'whole' });
    make(box, 'rect', { x: x + 6, y: y + 17, width: part * busy, height: 3, class: 'busy' });
    make(box, 'rect', { x: x + 6 + part * busy, y: y + 17, width: part * Math.min(stalled, 100 - busy), height: 3, class: 'stall' });
  }
  const add = (numbers, name) => numbers.forEach(n => view.querySelectorAll('.wire').forEach(wire => {
    if (Number(wire.dataset.link) === n) wire.classList.add(name);
  }));
  if (run.status === 'completed') run.critical.forEach(n => view.querySelectorAll('.wire').forEach(wire => {
    if (Number(wire.dataset.link) !== n) return;
    const line = wire.querySelector('.line');
    line.before(make(wire, 'path', { d: line.getAttribute('d'), class: 'halo' }));
  }));
  add(run.stuck_links, 'stuck');
  for (const tile of run.stuck_tiles) {
    const box = view.querySelector(`[data-tile="${tile.join()}"]`);
    if (box) box.classList.add('stuck');
  }
}

function choose(n) {
  device = data.devices[n];
  pictures.forEach((svg, k) => svg.classList.toggle('hidden', k !== n));
  view = pictures[n];
  port = ports[n];
  marked = kept = tile = null;
  drawRun();
  byId('run').textContent = device.run ? `${device.run.lines[0]}.` : '';
  byId('title').textContent = document.title = `@${device.name} on ${device.device}`;
  list.textContent = '';
  device.links.forEach((link, k) => {
    const item = document.createElement('li'), swatch = document.createElement('i'), name = document.createElement('b');
    const more = document.createElement('small');
    item.setAttribute('role', 'option');
    item.id = `link-${k}`;
    swatch.className = `hue${link.hue} ${link.kind.replace(' ', '-')}`;
    name.textContent = link.name;
    more.textContent = link.share || [link.kind, depths(link) && `×${depths(link)}`].filter(Boolean).join(' ');
    item.append(swatch, name, more);
    list.append(item);
  });
  filter();
  port.fit();
  show();
}

const linkOf = event => {
  const node = event.target.closest('[data-link]');
  return node ? Number(node.dataset.link.split(' ')[0]) : null;
};
pictures.forEach((svg, n) => {
  svg.addEventListener('pointermove', event => {
    if (ports[n].drag(event)) return tip();
    const link = linkOf(event), box = event.target.closest('.box');
    mark(link);
    const node = event.target.closest('[data-link]');
    const t = box && box.dataset.tile && device.tiles.find(t => t.tile.join() === box.dataset.tile);
    const text = node ? node.dataset.link.split(' ').map(k => linkText(device.links[k])).join('\n\n') : t ? tileText(t) : '';
    tip(text, event.clientX, event.clientY, byId('pictures'));
  });
  svg.addEventListener('pointerleave', () => { tip(); mark(null); });
  svg.addEventListener('click', event => {
    if (ports[n].moved) return;
    const link = linkOf(event), box = event.target.closest('.box');
    if (link !== null) return keep(link);
    kept = null;
    tile = box && box.dataset.tile && box.dataset.tile !== tile ? box.dataset.tile : null;
    show();
  });
});
const itemOf = event => { const item = event.target.closest('li'); return item ? [...list.children].indexOf(item) : null; };
list.addEventListener('pointerover', event => mark(itemOf(event)));
list.addEventListener('pointerleave', () => mark(null));
list.addEventListener('click', event => { const n = itemOf(event); if (n !== null) keep(n); });
list.addEventListener('keydown', event => {
  const shown = device.links.map((_, n) => n).filter(n => !list.children[n].classList.contains('off'));
  const here = shown.indexOf(marked === null ? -1 : marked);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: shown.length - 1 }[event.key];
  if (to !== undefined && shown.length) {
    mark(shown[Math.max(0, Math.min(to, shown.length - 1))]);
    list.children[marked].scrollIntoView({ block: 'nearest' });
    list.setAttribute('aria-activedescendant', `link-${marked}`);
  } else if (event.key === 'Enter' && marked !== null) keep(marked);
  else return;
  event.preventDefault();
});
byId('filter').addEventListener('input', filter);
byId('device').addEventListener('change', event => choose(Number(event.target.value)));
byId('closer').addEventListener('click', () => port.zoom(.8));
byId('farther').addEventListener('click', () => port.zoom(1.25));
byId('fit').addEventListener('click', () => port.fit());
byId('pictures').addEventListener('keydown', event => {
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[event.key];
  if (step && event.shiftKey) { port.move(step[0] * .15, step[1] * .15); event.preventDefault(); }
});
window.addEventListener('keydown', event => {
  if (event.key === 'Escape') { kept = marked = tile = null; tip(); return show(); }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select')) return;
  const action = { '+': () => port.zoom(.8), '=': () => port.zoom(.8), '-': () => port.zoom(1.25), '0': () => port.fit(),
    '/': () => byId('filter').focus() }[event.key];
  if (action) { event.preventDefault(); action(); }
});
data.devices.forEach((d, n) => byId('device').add(new Option(`@${d.name} (${d.device})`, n)));
byId('device').classList.toggle('hidden', data.devices.length < 2);
const first = data.devices.findIndex(d => d.tiles.length);
if (data.devices.length) choose(Math.max(first, 0));
else byId('title').textContent = 'No device';
