// What all maps of the page share: filters, the statement that is pinned or pointed at, and the words around the maps.
class Board {
  static LISTED = 8;

  constructor(root, block) {
    Object.assign(this, { root, block, hovered: -1, pinned: -1, page: 0 });
    this.filters = new Filters(block);
    this.colours = pageColours(block);
    this.form = root.querySelector("form");
    this.panel = root.querySelector(".panel");
    this.list = root.querySelector(".matches ol");
    this.projections = [...root.querySelectorAll("[data-projection]")];
    this.projection = this.projections.length ? this.projections[0].dataset.projection : "";
    this.views = [...root.querySelectorAll("figure")].map((figure) => {
      const own = block.layouts.filter((layout) => layout.run === figure.dataset.run);
      return new MapView(figure, block, own, this);
    });
    this.legend();
    this.listen();
    this.follow();
  }

  legend() {
    const { block } = this;
    this.buttons = block.relations.map((_, relation) => {
      const count = element("span", "quiet", block.perRelation[relation].toLocaleString("en"));
      const button = element("button", "", swatch(block, this.colours, relation), relationName(block, relation), count);
      button.type = "button";
      button.addEventListener("click", () => this.toggle(relation));
      return button;
    });
    this.root.querySelector(".relations").replaceChildren(...this.buttons.map((button) => element("li", "", button)));
  }

  listen() {
    const { form } = this;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      this.filters.text = form.elements.text.value;
      if (form.elements.score) this.filters.score = Number(form.elements.score.value);
      if (form.elements.issues) this.filters.issues = form.elements.issues.checked;
      this.changed();
    });
    this.root.querySelector(".clear").addEventListener("click", () => { this.filters.clear(); this.changed(); });
    for (const button of this.projections) button.addEventListener("click", () => this.project(button.dataset.projection));
    const [previous, next] = this.root.querySelectorAll(".steps button");
    previous.addEventListener("click", () => this.turn(-1));
    next.addEventListener("click", () => this.turn(1));
    addEventListener("hashchange", () => this.follow());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = pageColours(this.block);
      this.legend();
      this.changed();
    });
  }

  // Do what the fragment of the address says.
  follow() {
    const { projection, pinned } = this.filters.read(location.hash);
    if (this.projections.some((button) => button.dataset.projection === projection)) this.projection = projection;
    this.pinned = pinned >= 0 && pinned < this.block.count ? pinned : -1;
    this.changed();
  }

  toggle(relation) {
    const { relations } = this.filters;
    if (!relations.delete(relation)) relations.add(relation);
    this.changed();
  }

  project(projection) {
    this.projection = projection;
    this.changed();
  }

  shows(relation) {
    return !this.filters.relations.size || this.filters.relations.has(relation);
  }

  changed() {
    const { form, filters, block } = this;
    this.visible = filters.visible();
    this.everything = filters.empty;
    this.matching = [];
    for (let point = 0; point < block.count; point++) if (this.visible[point]) this.matching.push(point);
    if (block.audit && !filters.empty) {
      const { scores } = block.audit;
      this.matching.sort((one, other) => (scores[one] || 0) - (scores[other] || 0) || one - other);
    }
    this.page = 0;
    if (form.elements.text.value.trim() !== filters.text.trim()) form.elements.text.value = filters.text;
    if (form.elements.score) {
      form.elements.score.value = filters.score;
      form.querySelector("output").textContent = filters.score.toFixed(2);
      form.elements.issues.checked = filters.issues;
    }
    this.buttons.forEach((button, relation) => button.setAttribute("aria-pressed", String(filters.relations.has(relation))));
    for (const button of this.projections)
      button.setAttribute("aria-pressed", String(button.dataset.projection === this.projection));
    this.root.querySelector(".clear").disabled = filters.empty;
    const [found, all] = [this.matching.length, block.count].map((number) => number.toLocaleString("en"));
    this.root.querySelector(".count").textContent = filters.empty ? `${all} statements` : `${found} of ${all} statements`;
    for (const view of this.views) { view.use(this.projection); view.draw(); }
    this.show();
    this.fill();
    this.remember();
  }

  remember() {
    const chosen = this.projections.length && this.projection !== this.projections[0].dataset.projection;
    const fragment = this.filters.fragment(chosen ? this.projection : "", this.pinned);
    if (location.hash.replace(/^#/, "") !== fragment) history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
  }

  hover(point) {
    if (point === this.hovered) return;
    this.hovered = point;
    this.show();
  }

  pin(point) {
    this.pinned = point;
    this.hovered = -1;
    if (point >= 0) for (const view of this.views) view.reveal(point);
    this.show();
    this.remember();
  }

  step(by) {
    const { matching } = this;
    if (!matching.length) return;
    const at = matching.indexOf(this.pinned);
    this.pin(matching[at < 0 ? (by > 0 ? 0 : matching.length - 1) : (at + by + matching.length) % matching.length]);
  }

  show() {
    const point = this.hovered >= 0 ? this.hovered : this.pinned;
    const hint = element("p", "quiet", "Point at a statement, or choose one from the list, to read it here.");
    this.panel.replaceChildren(...(point < 0 ? [hint] : details(this.block, this.colours, point)));
    this.panel.classList.toggle("pinned", point >= 0 && point === this.pinned);
    for (const view of this.views) if (view.width && !view.due) view.drawMarks();
    [...this.list.querySelectorAll("button")].forEach((button) =>
      button.setAttribute("aria-pressed", String(Number(button.dataset.point) === this.pinned)));
  }

  turn(by) {
    this.page += by;
    this.fill();
  }

  fill() {
    const pages = Math.max(1, Math.ceil(this.matching.length / Board.LISTED));
    const first = this.page * Board.LISTED;
    const rows = this.matching.slice(first, first + Board.LISTED).map((point) => {
      const button = element("button", "", swatch(this.block, this.colours, this.block.relation[point]), sentence(this.block, point));
      button.type = "button";
      button.dataset.point = point;
      button.setAttribute("aria-pressed", String(point === this.pinned));
      button.addEventListener("click", () => this.pin(this.pinned === point ? -1 : point));
      return element("li", "", button);
    });
    this.list.replaceChildren(...(rows.length ? rows : [element("li", "quiet", "No statement matches.")]));
    const [previous, next] = this.root.querySelectorAll(".steps button");
    previous.disabled = this.page === 0;
    next.disabled = this.page + 1 >= pages;
    this.root.querySelector(".steps span").textContent = `${this.page + 1} / ${pages.toLocaleString("en")}`;
  }
}
