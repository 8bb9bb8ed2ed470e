"use strict";
addEventListener("error", (problem) => { document.documentElement.dataset.error = problem.message; });
addEventListener("unhandledrejection", (problem) => { document.documentElement.dataset.error = String(problem.reason); });

// Links of the contents scroll without a change of the address, which keeps the filters of the map.
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const heading = document.getElementById(link.getAttribute("href").slice(1));
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  });
}

addEventListener("DOMContentLoaded", async () => {
  const root = document.querySelector(".map");
  if (root) {
    const block = await readBlock(document.getElementById("statements"));
    root.hidden = false;
    new Board(root, block);
  }
  // The map is measured in the first frame and drawn in the second.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
    performance.mark("ready");
    document.documentElement.dataset.ready = "yes";
  })));
});
