// Points as pixels. A path on a canvas for each of 50,000 points would take a second; blending their pixels does not.
class Raster {
  constructor(canvas, block) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.block = block;
    this.reach = 0;
  }

  resize(width, height, ratio) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.ratio = ratio;
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.reach = 0;
  }

  // The pixels of each mark around its centre, as offsets and how opaque they are.
  prepare(radius) {
    const reach = Math.ceil((radius * 1.4 + 2) * this.ratio);
    const scale = (radius * this.ratio) / 3.4;
    if (this.reach === reach && this.scale === scale) return;
    Object.assign(this, { reach, scale });
    const paths = this.block.shapeNames.map((name) => new Path2D(this.block.shapes[name]));
    const mark = (draw) => this.mask(reach, scale, draw);
    this.full = paths.map((path) => mark((pen) => pen.fill(path)));
    this.hollow = paths.map((path) => mark((pen) => { pen.lineWidth = 1.5; pen.stroke(path); }));
    const line = (1.2 * this.ratio) / scale;
    this.ring = mark((pen) => { pen.lineWidth = line; pen.beginPath(); pen.arc(0, 0, 4.6 + line, 0, 7); pen.stroke(); });
  }

  mask(reach, scale, draw) {
    const side = 2 * reach + 1;
    const sheet = new OffscreenCanvas(side, side);
    const pen = sheet.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, reach + 0.5, reach + 0.5);
    draw(pen);
    const alpha = pen.getImageData(0, 0, side, side).data;
    const across = [], down = [], opaque = [];
    for (let at = 0; at < side * side; at++) {
      if (alpha[4 * at + 3] < 12) continue;
      across.push((at % side) - reach);
      down.push(Math.floor(at / side) - reach);
      opaque.push(alpha[4 * at + 3]);
    }
    return {
      across: Int16Array.from(across), down: Int16Array.from(down), opaque: Uint16Array.from(opaque),
      offsets: Int32Array.from(across, (x, at) => down[at] * this.canvas.width + x),
    };
  }

  blend(mask, x, y, colour, strength) {
    const { width, height } = this.canvas;
    const { offsets, opaque, across, down } = mask;
    const pixels = this.pixels;
    const inside = x >= this.reach && y >= this.reach && x < width - this.reach && y < height - this.reach;
    const even = colour & 0xff00ff, odd = colour & 0xff00, centre = y * width + x;
    for (let at = 0; at < offsets.length; at++) {
      if (!inside) {
        const column = x + across[at], row = y + down[at];
        if (column < 0 || row < 0 || column >= width || row >= height) continue;
      }
      const place = centre + offsets[at];
      const over = (opaque[at] * strength) >> 8, under = 256 - over;
      const old = pixels[place];
      pixels[place] =
        0xff000000 |
        ((((old & 0xff00ff) * under + even * over) >>> 8) & 0xff00ff) |
        ((((old & 0xff00) * under + odd * over) >>> 8) & 0xff00);
    }
  }

  // Statements that a filter left out stay as a faint trace; a low label score is a ring.
  draw(places, view, visible, everything, colours) {
    this.pixels.fill(colours.page);
    this.prepare(view.radius);
    const { block, reach } = this;
    const { width, height } = this.canvas;
    const scale = view.scale * this.ratio;
    const shapes = this.full.length;
    const scores = block.audit && block.audit.scores;
    const faint = block.count > 10000 ? 12 : 28;
    for (const traces of everything ? [false] : [true, false]) {
      for (let point = 0; point < block.count; point++) {
        if (Boolean(visible[point]) === traces) continue;
        const x = Math.round((places[2 * point] - view.x) * scale);
        const y = Math.round((places[2 * point + 1] - view.y) * scale);
        if (x < -reach || y < -reach || x > width + reach || y > height + reach) continue;
        const relation = block.relation[point];
        const shape = relation < 0 ? 0 : relation % shapes;
        if (traces) {
          this.blend(this.full[shape], x, y, colours.soft, faint);
          continue;
        }
        const colour = relation < 0 ? colours.soft : colours.relations[relation % colours.relations.length];
        const doubt = scores && scores[point] < 0.5 ? 0.5 - scores[point] : 0;
        if (doubt) this.blend(this.ring, x, y, colours.doubt, 40 + 230 * doubt);
        const wrong = block.truth[point] === "f";
        this.blend(wrong ? this.hollow[shape] : this.full[shape], x, y, colour, 225);
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }
}

// The page's colours as numbers of pixels, read off a canvas because only that knows every notation.
function pageColours(block) {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const hues = block.palette.map(
    ([hue, step]) => `oklch(${Number(value("--point")) + step} ${value("--chroma")} ${hue})`,
  );
  const all = [value("--plane"), value("--soft"), value("--doubt"), ...hues];
  const sheet = new OffscreenCanvas(all.length, 1);
  const pen = sheet.getContext("2d");
  all.forEach((colour, at) => { pen.fillStyle = colour; pen.fillRect(at, 0, 1, 1); });
  const numbers = new Uint32Array(pen.getImageData(0, 0, all.length, 1).data.buffer);
  const [page, soft, doubt, ...relations] = numbers;
  return { page, soft, doubt, relations, hues, ink: value("--ink"), paper: value("--plane"), accent: value("--accent") };
}
