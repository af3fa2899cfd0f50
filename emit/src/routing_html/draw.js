// What is drawn, and where: tiles, ports, flows, congestion.

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
// Width of a tile with the gap to the next, half of the tile itself, and the distance of ports.
const CELL = 110, HALF = 34, LANE = 4.6;
const COLOURS = 7;
// Flows of one colour differ by their dashes; circuits have long ones, packets short ones.
const DASHES = {
  circuit: ['none', '9 1.2', '14 1.5 3 1.5', '6 1.2'],
  packet: ['2.4 1.4', '1.1 1.1', '4 1.2 1.1 1.2', '1.1 2.2'],
};
const SIDES = ['North', 'South', 'East', 'West'];
const STEP = { North: [0, 1, 'South'], South: [0, -1, 'North'], East: [1, 0, 'West'], West: [-1, 0, 'East'] };

// The device shown; its flows that are hidden by hand or by the filter.
let device, hidden = new Set(), filtered = new Set();
// By tile: ways through its switch, used ports, settings, the tile itself.
let waysOf, portsOf, switchOf, tileOf;

function make(parent, name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}
const colour = n => `var(--c${n % COLOURS})`;
const dashes = n => DASHES[device.flows[n].kind][Math.floor(n / COLOURS) % 4];
const port = p => `${p.bundle} : ${p.channel}`;
const at = (col, row) => `${col},${row}`;
const centre = (col, row) => [col * CELL + CELL / 2, (device.rows - 1 - row) * CELL + CELL / 2];

// Where a port is drawn. Ports that face each other over a wire get the same lane.
function place(col, row, p, out) {
  const [x, y] = centre(col, row), k = p.channel * LANE;
  switch (p.bundle) {
    case 'North': return [x + (out ? -30 : 5) + k, y - HALF];
    case 'South': return [x + (out ? 5 : -30) + k, y + HALF];
    case 'East': return [x + HALF, y + (out ? -28 : 8) + k];
    case 'West': return [x - HALF, y + (out ? 8 : -28) + k];
    case 'DMA': return [x + (out ? 5 : -28) + k, y + 10];
    case 'Core': return [x + (out ? 5 : -10) + k, y - 12];
    case 'Trace': return [x - 10 + k, y - 20];
    default: return [x + (out ? 14 : -20) + k, y - 12];
  }
}
function wire(tile, p) {
  const step = STEP[p.bundle];
  if (!step) return null;
  const col = tile.col + step[0], row = tile.row + step[1];
  if (!tileOf.has(at(col, row))) return null;
  return { col, row, port: { bundle: step[2], channel: p.channel } };
}

// Used and existing wires out of a tile, by side.
function wiresOut(tile) {
  const own = switchOf.get(at(tile.col, tile.row));
  const list = [];
  for (const side of SIDES) {
    if (!tile.wires[side] || !wire(tile, { bundle: side, channel: 0 })) continue;
    const use = own && own.use.outputs[side];
    list.push({ side, used: use ? use.used : 0, of: tile.wires[side] });
  }
  return list;
}
// Cividis, which the colour-blind see as others do.
const STOPS = [[0, 34, 78], [87, 93, 109], [166, 157, 117], [254, 232, 56]];
function heat(share) {
  const position = Math.min(share, 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(position), STOPS.length - 2);
  const mix = i => Math.round(STOPS[low][i] + (STOPS[low + 1][i] - STOPS[low][i]) * (position - low));
  return `rgb(${mix(0)}, ${mix(1)}, ${mix(2)})`;
}

function index() {
  tileOf = new Map(device.tiles.map(t => [at(t.col, t.row), t]));
  switchOf = new Map(device.switches.map(s => [at(s.col, s.row), s]));
  waysOf = new Map();
  portsOf = new Map();
  const add = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
  device.flows.forEach((flow, n) => flow.hops.forEach(hop => {
    const key = at(hop.col, hop.row);
    add(waysOf, key, { n, hop });
    for (const [p, out] of [[hop.from, false], [hop.to, true]]) {
      const [x, y] = place(hop.col, hop.row, p, out);
      add(portsOf, key, { p, out, x, y, n });
    }
  }));
}

function drawTiles() {
  const tiles = byId('tiles'), ports = byId('ports'), labels = byId('labels');
  tiles.textContent = ports.textContent = labels.textContent = '';
  for (const t of device.tiles) {
    const [x, y] = centre(t.col, t.row);
    make(tiles, 'rect', { x: x - HALF, y: y - HALF, width: 2 * HALF, height: 2 * HALF, rx: 4,
      class: 'tile' + (t.named ? ' named' : '') });
    make(labels, 'text', { x, y: y - HALF + 11, class: 'label' }, `${t.kind} (${t.col}, ${t.row})`);
    // One element for all ports of a tile.
    const seen = new Set();
    let d = '';
    for (const { x, y } of portsOf.get(at(t.col, t.row)) || []) {
      if (seen.has(`${x},${y}`)) continue;
      seen.add(`${x},${y}`);
      d += `M${x - 1.3} ${y - 1.3}h2.6v2.6h-2.6z`;
    }
    if (d) make(ports, 'path', { d, class: 'port' });
  }
}

// One element for each flow, however long it is.
function pathOf(flow) {
  let d = '';
  for (const hop of flow.hops) {
    const [x1, y1] = place(hop.col, hop.row, hop.from, false);
    const [x2, y2] = place(hop.col, hop.row, hop.to, true);
    const [cx, cy] = centre(hop.col, hop.row), next = wire(hop, hop.to);
    d += `M${x1} ${y1}Q${(cx + x1 + x2) / 3} ${(cy + y1 + y2) / 3} ${x2} ${y2}`;
    if (next) d += 'L' + place(next.col, next.row, next.port, false).join(' ');
  }
  return d;
}
function drawFlows() {
  const ways = byId('ways');
  ways.textContent = '';
  device.flows.forEach((flow, n) => {
    const group = make(ways, 'g', { class: 'flow', 'data-flow': n });
    make(group, 'path', { d: pathOf(flow), class: 'way', 'stroke-dasharray': dashes(n),
      style: `stroke: ${colour(n)}` });
    // A dot where it starts, rings where it ends.
    const [first] = flow.hops, [sx, sy] = place(first.col, first.row, first.from, false);
    make(group, 'circle', { cx: sx, cy: sy, r: 2, style: `fill: ${colour(n)}` });
    for (const hop of flow.hops.filter(hop => !wire(hop, hop.to))) {
      const [cx, cy] = place(hop.col, hop.row, hop.to, true);
      make(group, 'circle', { cx, cy, r: 2.4, class: 'ring', style: `stroke: ${colour(n)}` });
    }
  });
}

// A bar across each bundle of wires that leaves a tile, and the tile in the colour of all of them.
function drawHeat() {
  const heats = byId('heats'), on = byId('heat').checked;
  heats.textContent = '';
  byId('scale').classList.toggle('hidden', !on);
  if (!on) return;
  for (const t of device.tiles) {
    const [x, y] = centre(t.col, t.row), sides = wiresOut(t);
    const used = sides.reduce((sum, s) => sum + s.used, 0), of = sides.reduce((sum, s) => sum + s.of, 0);
    if (!switchOf.has(at(t.col, t.row)) || !of) continue;
    make(heats, 'rect', { x: x - HALF, y: y - HALF, width: 2 * HALF, height: 2 * HALF, rx: 4,
      fill: heat(used / of), 'fill-opacity': .45, class: 'warm' });
    for (const side of sides.filter(s => s.used)) {
      const [x1, y1] = place(t.col, t.row, { bundle: side.side, channel: 0 }, true);
      const long = (side.of - 1) * LANE + 4, across = side.side === 'North' || side.side === 'South';
      const [dx, dy] = STEP[side.side];
      const [mx, my] = [x1 - 2 + (dx > 0 ? 6 : dx < 0 ? -8 : 0), y1 - 2 + (dy > 0 ? -8 : dy < 0 ? 6 : 0)];
      const box = across ? { x: x1 - 2, y: my, width: long, height: 6 } : { x: mx, y: y1 - 2, width: 6, height: long };
      make(heats, 'rect', { ...box, rx: 1.5, fill: heat(side.used / side.of), class: 'bar-of-wires' });
      make(heats, 'text', { x: box.x + box.width / 2, y: box.y + box.height / 2, class: 'share' },
        `${side.used}/${side.of}`);
    }
  }
}

const isShown = n => !hidden.has(n) && !filtered.has(n);
function portText(tile, p, out, users) {
  const lines = [`${out ? 'Output' : 'Input'} ${port(p)} of ${tile.kind} (${tile.col}, ${tile.row})`];
  const far = wire(tile, p);
  if (far && out) lines.push(`wire to ${port(far.port)} of (${far.col}, ${far.row})`);
  if (far && !out) lines.push(`wire from ${port(far.port)} of (${far.col}, ${far.row})`);
  const own = switchOf.get(at(tile.col, tile.row));
  const same = other => other.bundle === p.bundle && other.channel === p.channel;
  for (const m of own && out ? own.masters.filter(m => same(m.port)) : []) {
    lines.push('arbiter ' + m.amsels.map(([a, s]) => `${a}, msel ${s}`).join('; ')
      + (m.keep_header === null ? '' : m.keep_header ? '; header kept' : '; header dropped'));
  }
  for (const r of own && !out ? own.rules.filter(r => same(r.port)) : [])
    lines.push(`rule: id & ${r.mask} = ${r.value} to arbiter ${r.amsel[0]}, msel ${r.amsel[1]}`);
  return lines.concat(flowTexts(users)).join('\n');
}
// The first of many flows, and how many there are.
const MANY = 12;
function flowTexts(users) {
  const shown = [...new Set(users)].map(n => `${n}: ${device.flows[n].text}`);
  const rest = shown.length - MANY;
  return rest > 0 ? shown.slice(0, MANY).concat(`and ${rest} more flows`) : shown;
}
function tileText(tile) {
  const lines = [`${tile.kind} (${tile.col}, ${tile.row})`], own = switchOf.get(at(tile.col, tile.row));
  if (!own) return lines.concat('its switch is not used').join('\n');
  for (const { side, used, of } of wiresOut(tile)) lines.push(`wires ${side}: ${used} of ${of}`);
  for (const [side, name] of [['inputs', 'in'], ['outputs', 'out']])
    for (const bundle in own.use[side])
      if (!(side === 'outputs' && SIDES.includes(bundle)))
        lines.push(`${bundle} ${name}: ${own.use[side][bundle].used} of ${own.use[side][bundle].of}`);
  const msels = new Set(own.masters.flatMap(m => m.amsels.map(a => a.join('.'))));
  const arbiters = new Set([...msels].map(m => m.split('.')[0]));
  if (msels.size) lines.push(`arbiters: ${arbiters.size}, msels: ${msels.size}, rules: ${own.rules.length}`);
  for (const m of own.mux) lines.push(`mux: ${port(m.from)} to ${port(m.to)}`);
  const users = new Set((waysOf.get(at(tile.col, tile.row)) || []).map(w => w.n));
  lines.push(`flows through it: ${users.size}`);
  return lines.join('\n');
}
