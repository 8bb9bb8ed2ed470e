// Statements in words: the one that is pointed at, and a list of those that match. Text is only ever set as text.
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function sentence(block, point) {
  const text = block.texts[point];
  const [headStart, headStop, tailStart, tailStop] = block.spans.subarray(4 * point, 4 * point + 4);
  const ends = [...new Set([0, text.length, headStart, headStop, tailStart, tailStop])].sort((a, b) => a - b);
  const whole = element("bdi", "sentence");
  for (let at = 0; at + 1 < ends.length; at++) {
    const [start, stop] = [ends[at], ends[at + 1]];
    const roles = [];
    if (headStart <= start && stop <= headStop) roles.push("head");
    if (tailStart <= start && stop <= tailStop) roles.push("tail");
    const part = text.slice(start, stop);
    whole.append(roles.length ? element("mark", roles.join(" "), part) : part);
  }
  return whole;
}

const SWATCH = element("div", "");
SWATCH.innerHTML = '<svg viewBox="-6 -6 12 12" aria-hidden="true"><path/></svg>'; // ours, without any text from outside

function swatch(block, colours, relation) {
  const svg = SWATCH.firstChild.cloneNode(true);
  const shape = block.shapeNames[relation < 0 ? 0 : relation % block.shapeNames.length];
  svg.firstChild.setAttribute("d", block.shapes[shape]);
  svg.firstChild.setAttribute("fill", relation < 0 ? "currentColor" : colours.hues[relation % colours.hues.length]);
  return svg;
}

function relationName(block, relation) {
  return element("bdi", "", relation < 0 ? "no label" : block.relations[relation][1]);
}

function details(block, colours, point) {
  const relation = block.relation[point];
  const heading = element("p", "label", swatch(block, colours, relation), relationName(block, relation));
  const facts = element("dl", "");
  const fact = (name, value) => facts.append(element("div", "", element("dt", "", name), element("dd", "", value)));
  if (block.audit && !Number.isNaN(block.audit.scores[point])) {
    fact("label score", block.audit.scores[point].toFixed(2));
    const predicted = block.audit.predicted[point];
    if (predicted >= 0 && predicted !== relation) fact("looks like", relationName(block, predicted));
  }
  if (block.truth[point] !== "-") fact("known truth", block.truth[point] === "t" ? "the label is true" : "the label is wrong");
  if (block.ids[point]) fact("id", element("bdi", "", block.ids[point]));
  const reason = block.audit && block.audit.reasons[point];
  const parts = [heading, sentence(block, point)];
  if (reason) parts.push(element("p", "reason", element("bdi", "", reason)));
  if (facts.childElementCount) parts.push(facts);
  return parts;
}
