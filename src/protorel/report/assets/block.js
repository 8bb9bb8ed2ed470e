// The statements of the map: base64 of compressed JSON, in a data block that no browser runs.
async function readBlock(element) {
  const text = atob(element.textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return prepared(JSON.parse(await new Response(stream).text()));
}

function prepared(block) {
  const count = block.texts.length;
  block.count = count;
  block.relation = Int32Array.from(block.relation);
  block.spans = Int32Array.from(block.spans);
  block.lower = block.texts.map((text) => text.toLowerCase());
  block.perRelation = new Int32Array(block.relations.length);
  for (const relation of block.relation) if (relation >= 0) block.perRelation[relation] += 1;
  block.shapeNames = Object.keys(block.shapes).filter((name) => name !== "star");
  if (block.audit) {
    block.audit.scores = Float32Array.from(block.audit.scores, (score) => (score < 0 ? NaN : score / 1000));
    block.audit.issues = Uint8Array.from(block.audit.issues, Number);
  }
  for (const layout of block.layouts) {
    layout.places = Uint16Array.from(layout.places);
    layout.grid = new Grid(layout.places);
  }
  return block;
}
