// One map: a plane of points with stars and names on top. It zooms, pans, and finds the statement under the pointer.
class MapView {
  static CLOSEST = 400;
  static FINGER = 24;

  constructor(figure, block, layouts, board) {
    Object.assign(this, { figure, block, layouts, board });
    this.plane = figure.querySelector(".plane");
    this.marks = figure.querySelector(".marks");
    this.pen = this.marks.getContext("2d");
    this.raster = new Raster(figure.querySelector(".points"), block);
    this.star = new Path2D(block.shapes.star);
    this.view = { scale: 1, x: 0, y: 0, radius: 3 };
    this.pointers = new Map();
    this.layout = layouts[0];
    new ResizeObserver(() => this.fit()).observe(this.plane);
    this.listen();
  }

  use(projection) {
    const found = this.layouts.find((layout) => layout.projection === projection) || this.layouts[0];
    if (found === this.layout) return;
    this.layout = found;
    this.reset();
  }

  fit() {
    const { width, height } = this.plane.getBoundingClientRect();
    if (!width || !height) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    Object.assign(this, { width, height, ratio });
    this.raster.resize(width, height, ratio);
    this.marks.width = Math.round(width * ratio);
    this.marks.height = Math.round(height * ratio);
    this.reset();
  }

  reset() {
    if (!this.width) return;
    const edge = Math.min(34, this.width / 12);
    const [across, down] = this.layout.size;
    this.least = Math.min((this.width - 2 * edge) / across, (this.height - 2 * edge) / down);
    this.look(this.least, across / 2 - this.width / 2 / this.least, down / 2 - this.height / 2 / this.least);
  }

  look(scale, x, y) {
    const [across, down] = this.layout.size;
    const kept = (value, span, shown) => Math.min(Math.max(value, -shown / 2), span - shown / 2);
    this.view.scale = scale;
    this.view.x = kept(x, across, this.width / scale);
    this.view.y = kept(y, down, this.height / scale);
    const zoom = scale / this.least;
    const small = Math.min(Math.max(4.6 - 0.3 * Math.log2(1 + this.block.count / 40), 1.3), 3.6);
    this.view.radius = Math.min(small * zoom ** 0.3, 6);
    this.plane.classList.toggle("near", zoom > 1.01);
    this.draw();
  }

  zoom(factor, at = [this.width / 2, this.height / 2]) {
    const { scale, x, y } = this.view;
    const next = Math.min(Math.max(scale * factor, this.least), this.least * MapView.CLOSEST);
    if (next === this.least && factor < 1) return this.reset();
    return this.look(next, x + at[0] / scale - at[0] / next, y + at[1] / scale - at[1] / next);
  }

  pan(across, down) {
    this.look(this.view.scale, this.view.x - across / this.view.scale, this.view.y - down / this.view.scale);
  }

  draw() {
    if (this.due || !this.width) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      const { visible, everything, colours } = this.board;
      this.raster.draw(this.layout.places, this.view, visible, everything, colours);
      this.drawMarks();
    });
  }

  place(x, y) {
    return [(x - this.view.x) * this.view.scale, (y - this.view.y) * this.view.scale];
  }

  drawMarks() {
    const { pen, board, ratio } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const stars = this.layout.stars.filter(([relation]) => board.shows(relation));
    for (const [relation, x, y] of stars) {
      pen.setTransform(ratio, 0, 0, ratio, ...this.place(x, y).map((at) => at * ratio));
      pen.lineWidth = 2.5;
      pen.lineJoin = "round";
      pen.strokeStyle = board.colours.paper;
      pen.stroke(this.star);
      pen.fillStyle = board.colours.hues[relation % board.colours.hues.length];
      pen.fill(this.star);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawNames(stars);
    this.drawRing(board.pinned, 2.5);
    if (board.hovered !== board.pinned) this.drawRing(board.hovered, 1.5);
  }

  drawRing(point, line) {
    if (point < 0) return;
    const [x, y] = this.place(this.layout.places[2 * point], this.layout.places[2 * point + 1]);
    for (const [colour, width] of [[this.board.colours.paper, line + 3], [this.board.colours.ink, line]]) {
      this.pen.beginPath();
      this.pen.arc(x, y, this.view.radius + 5, 0, 7);
      this.pen.lineWidth = width;
      this.pen.strokeStyle = colour;
      this.pen.stroke();
    }
  }

  // A name is written where it covers neither a star nor another name; more fit when the map is closer.
  drawNames(stars) {
    const { pen } = this;
    const size = this.width < 500 ? 11 : 12.5;
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const taken = stars.map(([, x, y]) => { const [a, b] = this.place(x, y); return [a - 8, b - 8, a + 8, b + 8]; });
    for (const [relation, x, y] of stars) {
      const [across, down] = this.place(x, y);
      if (across < 0 || down < 0 || across > this.width || down > this.height) continue;
      const name = shorter(this.block.relations[relation][1], 28);
      const wide = pen.measureText(name).width;
      const spots = [[11, 0], [-11 - wide, 0], [-wide / 2, 17], [-wide / 2, -17], [9, 13], [9, -13], [-9 - wide, 13], [-9 - wide, -13]];
      for (const [right, below] of spots) {
        const box = [across + right - 2, down + below - 8, across + right + wide + 2, down + below + 8];
        const outside = box[0] < 2 || box[1] < 2 || box[2] > this.width - 2 || box[3] > this.height - 2;
        if (outside || taken.some((one) => box[0] < one[2] && one[0] < box[2] && box[1] < one[3] && one[1] < box[3])) continue;
        taken.push(box);
        pen.lineWidth = 4;
        pen.strokeStyle = this.board.colours.paper;
        pen.strokeText(name, across + right, down + below);
        pen.fillStyle = this.board.colours.ink;
        pen.fillText(name, across + right, down + below);
        break;
      }
    }
  }

  nearest([x, y]) {
    const { scale } = this.view;
    const within = MapView.FINGER / scale;
    return this.layout.grid.nearest(x / scale + this.view.x, y / scale + this.view.y, within, this.board.visible);
  }

  // Bring a statement into view if it is not.
  reveal(point) {
    const [x, y] = [this.layout.places[2 * point], this.layout.places[2 * point + 1]];
    const [across, down] = this.place(x, y);
    const { scale } = this.view;
    if (across > 12 && down > 12 && across < this.width - 12 && down < this.height - 12) return this.draw();
    return this.look(scale, x - this.width / 2 / scale, y - this.height / 2 / scale);
  }

  listen() {
    const { marks } = this;
    const at = (event) => { const box = marks.getBoundingClientRect(); return [event.clientX - box.x, event.clientY - box.y]; };
    marks.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, at(event));
      this.moved = this.pointers.size > 1;
      marks.setPointerCapture(event.pointerId);
    });
    marks.addEventListener("pointermove", (event) => {
      const now = at(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) return this.board.hover(this.nearest(now));
      return this.drag(event.pointerId, before, now);
    });
    const lift = (event) => this.pointers.delete(event.pointerId);
    marks.addEventListener("pointerup", (event) => {
      if (lift(event) && !this.moved) this.board.pin(this.nearest(at(event)));
    });
    marks.addEventListener("pointercancel", lift);
    marks.addEventListener("pointerleave", () => { if (!this.pointers.size) this.board.hover(-1); });
    marks.addEventListener("wheel", (event) => {
      if (event.deltaY > 0 && this.view.scale <= this.least) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), at(event));
    }, { passive: false });
    marks.addEventListener("keydown", (event) => this.key(event));
    const [closer, farther, whole] = this.figure.querySelectorAll(".zoom button");
    closer.addEventListener("click", () => this.zoom(1.6));
    farther.addEventListener("click", () => this.zoom(1 / 1.6));
    whole.addEventListener("click", () => this.reset());
  }

  drag(id, before, now) {
    if (this.pointers.size > 1) {
      const [other] = [...this.pointers].filter(([one]) => one !== id).map(([, place]) => place);
      const apart = (place) => Math.max(Math.hypot(place[0] - other[0], place[1] - other[1]), 1);
      this.zoom(apart(now) / apart(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
    } else if (this.moved || Math.hypot(now[0] - before[0], now[1] - before[1]) > 4) {
      this.moved = true;
      this.pan(now[0] - before[0], now[1] - before[1]);
    } else return;
    this.pointers.set(id, now);
  }

  key(event) {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const doings = {
      "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6), 0: () => this.reset(),
      n: () => this.board.step(1), p: () => this.board.step(-1), Escape: () => this.board.pin(-1),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key]) this.pan(...steps[event.key]);
    else if (doings[event.key]) doings[event.key]();
    else return;
    event.preventDefault();
  }
}

function shorter(text, limit) {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("").trimEnd()}…`;
}
