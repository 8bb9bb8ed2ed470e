"use strict";
// The map: the nearest statement is shown below it, by pointer, by touch or with the buttons.
addEventListener("error", (problem) => { document.documentElement.dataset.error = problem.message; });
(() => {
  const map = document.querySelector(".map");
  if (map) read(map);
  document.documentElement.dataset.ready = "yes";

  function read(map) {
    const svg = map.querySelector("svg.drawing");
    const ring = map.querySelector(".ring");
    const panel = map.querySelector(".panel");
    const buttons = [...map.querySelectorAll(".relations button")];
    const [previous, next] = map.querySelectorAll(".steps button");
    const points = [...map.querySelectorAll(".points use")].map(point);
    let chosen = null;
    let shown = null;

    // The panel replaces the browser's tooltips.
    function point(mark) {
      const group = mark.parentNode;
      const title = mark.querySelector("title");
      const text = title.textContent.slice(group.dataset.name.length + 2);
      title.remove();
      return {
        x: Number(mark.getAttribute("x")), y: Number(mark.getAttribute("y")), wrong: mark.classList.contains("wrong"),
        relation: group.dataset.relation, name: group.dataset.name, text, marks: mark.dataset.marks || "",
      };
    }

    function element(tag, className, text) {
      const made = document.createElement(tag);
      if (className) made.className = className;
      if (text) made.textContent = text;
      return made;
    }

    function sentence(point) {
      const whole = element("bdi", "sentence");
      let reached = 0;
      for (const mark of point.marks.split(",").filter(Boolean)) {
        const [start, stop, ...roles] = mark.split(" ");
        whole.append(point.text.slice(reached, Number(start)));
        whole.append(element("mark", roles.join(" "), point.text.slice(Number(start), Number(stop))));
        reached = Number(stop);
      }
      whole.append(point.text.slice(reached));
      return whole;
    }

    function show(point) {
      if (point === shown) return;
      shown = point;
      ring.setAttribute("cx", point.x);
      ring.setAttribute("cy", point.y);
      const heading = element("p", "label");
      const button = buttons.find((one) => one.dataset.relation === point.relation);
      if (button) heading.append(button.querySelector("svg").cloneNode(true));
      heading.append(element("bdi", "", point.name));
      if (point.wrong) heading.append(element("span", "quiet", "this label is known to be wrong"));
      panel.replaceChildren(heading, sentence(point));
    }

    function visible() {
      return chosen === null ? points : points.filter((point) => point.relation === chosen);
    }

    function nearest(event) {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      let best = null;
      let least = 40 ** 2;
      for (const point of visible()) {
        const distance = (point.x - place.x) ** 2 + (point.y - place.y) ** 2;
        if (distance < least) [best, least] = [point, distance];
      }
      return best;
    }

    function step(by) {
      const list = visible();
      const at = list.indexOf(shown);
      if (list.length) show(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length]);
    }

    function choose(relation) {
      chosen = chosen === relation ? null : relation;
      svg.classList.toggle("choosing", chosen !== null);
      for (const part of svg.querySelectorAll("[data-relation]"))
        part.classList.toggle("chosen", part.dataset.relation === chosen);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.relation === chosen));
    }

    for (const kind of ["pointermove", "click"])
      svg.addEventListener(kind, (event) => { const point = nearest(event); if (point) show(point); });
    for (const button of buttons) {
      button.disabled = false;
      button.addEventListener("click", () => choose(button.dataset.relation));
    }
    if (!points.length) return;
    previous.addEventListener("click", () => step(-1));
    next.addEventListener("click", () => step(1));
    map.querySelector(".steps").hidden = false;
    panel.firstElementChild.textContent =
      "Point at or tap a statement to read it, or step through them. Click a relation to highlight it.";
  }
})();
