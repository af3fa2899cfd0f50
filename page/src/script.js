// What all pages share: the data, elements, the tip, and a picture that is zoomed and moved.
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);

function make(parent, name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// Shows a text near a point of the window, inside the element `area`; no text hides it.
function tip(text, x, y, area = byId('view')) {
  const node = byId('tip');
  node.classList.toggle('hidden', !text);
  if (!text) return;
  node.textContent = text;
  const edge = area.getBoundingClientRect();
  node.style.left = Math.max(0, Math.min(x - edge.left + 14, edge.width - node.offsetWidth - 8)) + 'px';
  node.style.top = Math.max(0, Math.min(y - edge.top + 14, edge.height - node.offsetHeight - 8)) + 'px';
}

// A picture of which `box` is seen: left, top, width and height in the picture's units. `size`
// answers the width and height of the whole, `scale` the least pixels of a unit when it opens;
// `looked` is called when another part is seen.
class Viewport {
  constructor(view, size, scale = 0, looked = () => {}) {
    Object.assign(this, { view, size, scale, looked, box: [0, 0, 1, 1], moved: false, from: null });
    view.addEventListener('wheel', event => {
      event.preventDefault();
      const p = this.point(event);
      if (p) this.zoom(event.deltaY < 0 ? .85 : 1 / .85, (p.x - this.box[0]) / this.box[2], (p.y - this.box[1]) / this.box[3]);
    }, { passive: false });
    view.addEventListener('pointerdown', event => {
      this.from = this.point(event);
      this.moved = false;
      view.classList.add('dragged');
    });
    window.addEventListener('pointerup', () => { this.from = null; view.classList.remove('dragged'); });
    view.addEventListener('keydown', event => {
      const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[event.key];
      if (!step || !event.shiftKey) return;
      event.preventDefault();
      this.move(step[0] * .15, step[1] * .15);
    });
  }
  look() {
    this.view.setAttribute('viewBox', this.box.map(v => v.toFixed(2)).join(' '));
    this.looked();
  }
  // Pixels of the window in a unit of the picture.
  pixels() {
    const area = this.view.getBoundingClientRect();
    return Math.min(area.width / this.box[2], area.height / this.box[3]);
  }
  // The whole picture, or as much from its top left as can be read.
  fit() {
    const [width, height] = this.size(), area = this.view.getBoundingClientRect();
    const whole = Math.min(area.width / width, area.height / height, 1.6);
    const scale = Math.max(whole, this.scale);
    const seen = [area.width / scale, area.height / scale];
    this.box = [seen[0] > width ? (width - seen[0]) / 2 : 0, seen[1] > height ? (height - seen[1]) / 2 : 0, ...seen];
    this.look();
  }
  // fx, fy: the point that stays where it is, as a share of the picture.
  zoom(factor, fx = .5, fy = .5) {
    const [width] = this.size(), box = this.box;
    const wide = Math.min(Math.max(box[2] * factor, 60), Math.max(width * 4, 60));
    factor = wide / box[2];
    this.box = [box[0] + box[2] * fx * (1 - factor), box[1] + box[3] * fy * (1 - factor), wide, box[3] * factor];
    this.look();
  }
  move(dx, dy) { this.box[0] += dx * this.box[2]; this.box[1] += dy * this.box[3]; this.look(); }
  // Moves the picture with the pointer; whether it did.
  drag(event) {
    const p = this.point(event);
    if (!p || !this.from || !(event.buttons & 1)) return false;
    this.box[0] -= p.x - this.from.x;
    this.box[1] -= p.y - this.from.y;
    this.moved = true;
    this.look();
    return true;
  }
  // Where a point of the window is in the picture.
  point(event) {
    const matrix = this.view.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
  }
}
