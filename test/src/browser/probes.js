// What can be asked of any page: `pageProbes.findings()` answers what is wrong with what is seen now,
// as lines of text. Runs before the scripts of the page, so that texts on canvases are known, too.
'use strict';
const pageProbes = (() => {
  // Texts on canvases, with their boxes in the canvas's pixels, until something is drawn over them.
  const drawn = new Map();
  const context = CanvasRenderingContext2D.prototype;
  // The box around a rectangle of a context in the canvas's pixels.
  const boxOn = (ink, x, y, width, height) => {
    const matrix = ink.getTransform();
    const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]];
    const at = corners.map(([px, py]) => new DOMPoint(px, py).matrixTransform(matrix));
    const xs = at.map(p => p.x), ys = at.map(p => p.y);
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  };
  const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const covers = (ink, box) => {
    const kept = (drawn.get(ink.canvas) || []).filter(text => !within(text.box, box));
    drawn.set(ink.canvas, kept);
  };
  for (const name of ['fillRect', 'clearRect']) {
    const before = context[name];
    context[name] = function (x, y, width, height) {
      covers(this, boxOn(this, x, y, width, height));
      return before.call(this, x, y, width, height);
    };
  }
  // What clips a context: the rectangle of the last `rect` before each `clip`, with what clipped before.
  const clips = new Map();
  const cut = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right), top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const clipOf = ink => {
    if (!clips.has(ink)) clips.set(ink, { path: null, now: null, saved: [] });
    return clips.get(ink);
  };
  const also = (name, act) => {
    const before = context[name];
    context[name] = function (...values) {
      act(clipOf(this), this, values);
      return before.apply(this, values);
    };
  };
  also('beginPath', state => { state.path = null; });
  also('rect', (state, ink, values) => { state.path = boxOn(ink, ...values); });
  also('clip', state => { if (state.path) state.now = state.now ? cut(state.now, state.path) : state.path; });
  also('save', state => state.saved.push(state.now));
  also('restore', state => { if (state.saved.length) state.now = state.saved.pop(); });
  for (const side of ['width', 'height']) {
    const before = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
    Object.defineProperty(HTMLCanvasElement.prototype, side, {
      ...before,
      set(value) { drawn.delete(this); clips.clear(); before.set.call(this, value); },
    });
  }
  const fillText = context.fillText;
  context.fillText = function (text, x, y, ...more) {
    const size = this.measureText(text), matrix = this.getTransform();
    const whole = boxOn(this, x - size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent,
      size.actualBoundingBoxLeft + size.actualBoundingBoxRight, size.actualBoundingBoxAscent + size.actualBoundingBoxDescent);
    // Beyond the canvas there are no pixels.
    const canvas = { left: 0, top: 0, right: this.canvas.width, bottom: this.canvas.height };
    const clip = clipOf(this).now, box = cut(whole, clip ? cut(clip, canvas) : canvas);
    const hidden = box.left >= box.right || box.top >= box.bottom;
    // What is behind the letters, on the mean: stripes are half of each colour.
    const [px, py] = [Math.max(0, Math.floor(box.left)), Math.max(0, Math.floor(box.top))];
    const [wide, high] = [Math.max(1, Math.min(48, Math.ceil(box.right) - px)), Math.max(1, Math.min(24, Math.ceil(box.bottom) - py))];
    const pixels = hidden ? [0, 0, 0, 0] : this.getImageData(px, py, wide, high).data;
    const ground = [0, 0, 0, 0];
    pixels.forEach((value, k) => { ground[k % 4] += value * 4 / pixels.length; });
    const font = parseFloat(/([\d.]+)px/.exec(this.font)[1]) * Math.hypot(matrix.a, matrix.b);
    if (!drawn.has(this.canvas)) drawn.set(this.canvas, []);
    if (String(text).trim() && !hidden) drawn.get(this.canvas).push({ text: String(text), box, font, colour: this.fillStyle, alpha: this.globalAlpha, ground });
    return fillText.call(this, text, x, y, ...more);
  };

  // Documents of SVG have these elements, too.
  const element = name => document.createElementNS('http://www.w3.org/1999/xhtml', name);
  // Colours as red, green, blue and opacity, each up to 255.
  const known = new Map();
  const dot = Object.assign(element('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const rgba = colour => {
    if (!known.has(colour)) {
      dot.clearRect(0, 0, 1, 1);
      dot.fillStyle = '#000';
      dot.fillStyle = colour;
      dot.fillRect(0, 0, 1, 1);
      known.set(colour, [...dot.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  // A colour over an opaque one.
  const over = (top, share, below) => [0, 1, 2].map(k => top[k] * share + below[k] * (1 - share));
  const luminance = colour => {
    const [r, g, b] = colour.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  // WCAG 2, 1.4.3: 1 to 21.
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + .05) / (y + .05);
  };

  // What an element paints behind what is in it: colour and share; none for what paints nothing.
  const painted = (element, style) => {
    const shape = element instanceof SVGGeometryElement;
    const colour = shape ? style.fill : element instanceof SVGElement && element.parentElement ? 'none' : style.backgroundColor;
    if (!colour || colour === 'none' || colour.startsWith('url')) return null;
    const paint = rgba(colour);
    let share = paint[3] / 255 * (shape ? parseFloat(style.fillOpacity) : 1);
    for (let node = element; node instanceof Element; node = node.parentElement) share *= parseFloat(getComputedStyle(node).opacity);
    return share > 0.01 ? { colour: paint, share } : null;
  };
  const isText = element => ['text', 'tspan', 'textPath'].includes(element.localName);
  // The colour behind a point of an element; null where something opaque covers the element.
  const groundAt = (element, x, y) => {
    const layers = [];
    let below = false;
    for (const other of document.elementsFromPoint(x, y)) {
      if (other === element) below = true;
      if (isText(other)) continue;
      const paint = painted(other, getComputedStyle(other));
      if (!paint) continue;
      if (!below && !other.contains(element)) {
        if (paint.share > .9) return null;
        continue;
      }
      layers.push(paint);
      if (paint.share > .99) break;
    }
    const page = getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((ground, layer) => over(layer.colour, layer.share, ground), page);
  };
  // The part of a box that the window and boxes that scroll let see.
  const seen = (element, rect) => {
    const box = { left: Math.max(rect.left, 0), top: Math.max(rect.top, 0), right: Math.min(rect.right, innerWidth), bottom: Math.min(rect.bottom, innerHeight) };
    for (let node = element; node instanceof Element; node = node.parentElement) {
      if (node instanceof SVGElement ? node.localName !== 'svg' : getComputedStyle(node).overflow === 'visible') continue;
      const clip = node.getBoundingClientRect();
      Object.assign(box, { left: Math.max(box.left, clip.left), top: Math.max(box.top, clip.top), right: Math.min(box.right, clip.right), bottom: Math.min(box.bottom, clip.bottom) });
    }
    return box;
  };

  // The texts that are seen: text, box, size in pixels, colour, colour behind.
  function texts() {
    const found = [];
    const all = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = all.nextNode(); node; node = all.nextNode()) {
      const element = node.parentElement, text = node.textContent.trim();
      if (!text || ['script', 'style', 'title', 'desc', 'option'].includes(element.localName) || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      // That says nothing of groups of a picture that aren't displayed.
      if (element instanceof SVGElement && !element.getBoundingClientRect().width) continue;
      const style = getComputedStyle(element), range = document.createRange();
      range.selectNodeContents(node);
      const matrix = element instanceof SVGElement ? element.getScreenCTM() : null;
      const font = parseFloat(style.fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
      const paint = rgba(element instanceof SVGElement ? style.fill : style.color);
      for (const rect of range.getClientRects()) {
        const box = seen(element, rect);
        const [width, height] = [box.right - box.left, box.bottom - box.top];
        if (width <= 0 || height <= 0 || width * height < rect.width * rect.height / 10) continue;
        // A text with a border of its own lies on that.
        const halo = style.paintOrder.startsWith('stroke') && style.stroke !== 'none' && parseFloat(style.strokeWidth) > 1;
        let ground = groundAt(element, box.left + Math.min(width / 2, 4), (box.top + box.bottom) / 2);
        if (!ground) continue;
        if (halo) ground = rgba(style.stroke).slice(0, 3);
        const opacity = paint[3] / 255 * parseFloat(element instanceof SVGElement ? style.fillOpacity : 1);
        found.push({ text, box, font, colour: over(paint, opacity, ground), ground, whole: width * height > .9 * rect.width * rect.height });
      }
    }
    for (const [canvas, list] of drawn) {
      if (!canvas.isConnected || !canvas.checkVisibility()) continue;
      const area = canvas.getBoundingClientRect(), scale = area.width / canvas.width;
      const known = new Set();
      for (const { text, box, font, colour, alpha, ground } of list) {
        const at = { left: area.left + box.left * scale, right: area.left + box.right * scale, top: area.top + box.top * scale, bottom: area.top + box.bottom * scale };
        const key = `${text} ${at.left} ${at.top}`;
        if (known.has(key)) continue;
        known.add(key);
        const visible = seen(canvas, at);
        if (visible.right - visible.left <= 0 || visible.bottom - visible.top <= 0) continue;
        const paint = rgba(colour), below = ground[3] ? ground.slice(0, 3) : groundAt(canvas, at.left, at.top) || [255, 255, 255];
        found.push({ text, box: visible, font: font * scale, colour: over(paint, paint[3] / 255 * alpha, below), ground: below, whole: true });
      }
    }
    return found;
  }

  // What is wrong: `size` is the least height of letters in pixels, `contrast` the least contrast;
  // `overlaps` says whether texts may lie over each other.
  function findings({ size = 10, contrast: least = 4.5, overlaps = false } = {}) {
    const every = element('style');
    every.textContent = '* { pointer-events: auto !important; }';
    document.documentElement.append(every);
    const all = texts(), wrong = new Set();
    every.remove();
    for (const { text, font, colour, ground } of all) {
      if (font < size - .05) wrong.add(`text '${text}' of ${font.toFixed(1)} pixels`);
      const ratio = contrast(colour, ground);
      if (ratio < least) wrong.add(`text '${text}' with a contrast of ${ratio.toFixed(2)}`);
    }
    if (!overlaps) {
      // The boxes of lines have room above and below the letters.
      const boxes = all.filter(text => text.whole).map(({ text, box }) => {
        const room = (box.bottom - box.top) * .18;
        return { text, left: box.left + .5, right: box.right - .5, top: box.top + room, bottom: box.bottom - room };
      });
      boxes.sort((a, b) => a.top - b.top);
      boxes.forEach((a, k) => {
        for (let other = k + 1; other < boxes.length && boxes[other].top < a.bottom; other++) {
          const b = boxes[other];
          if (a.left < b.right && b.left < a.right) wrong.add(`text '${a.text}' overlaps '${b.text}'`);
        }
      });
    }
    return [...wrong];
  }

  return { texts, findings, contrast };
})();
