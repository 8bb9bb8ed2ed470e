// The filters of the map, in the fragment of the address, so that they survive a reload and can be sent to others.
class Filters {
  constructor(block) {
    this.block = block;
    this.clear();
  }

  clear() {
    Object.assign(this, { text: "", relations: new Set(), score: 1, issues: false });
  }

  get empty() {
    return !this.text.trim() && !this.relations.size && this.score >= 1 && !this.issues;
  }

  // Return 1 for each statement that every filter lets through.
  visible() {
    const { block } = this;
    const { audit, relation, lower, count } = block;
    const found = new Uint8Array(count);
    const text = this.text.trim().toLowerCase();
    const chosen = new Uint8Array(block.relations.length);
    for (const one of this.relations) chosen[one] = 1;
    for (let point = 0; point < count; point++) {
      if (this.relations.size && !chosen[relation[point]]) continue;
      if (audit && this.issues && !audit.issues[point]) continue;
      if (audit && this.score < 1 && !(audit.scores[point] <= this.score)) continue;
      if (text && !lower[point].includes(text)) continue;
      found[point] = 1;
    }
    return found;
  }

  read(fragment) {
    this.clear();
    const said = new URLSearchParams(fragment.replace(/^#/, ""));
    this.text = said.get("text") || "";
    const wanted = new Set(said.getAll("relation"));
    this.block.relations.forEach(([id], at) => { if (wanted.has(id)) this.relations.add(at); });
    const score = Number.parseFloat(said.get("score"));
    if (score >= 0 && score <= 1) this.score = score;
    this.issues = said.get("issues") === "yes";
    return { projection: said.get("projection"), pinned: Number.parseInt(said.get("statement"), 10) };
  }

  fragment(projection, pinned) {
    const said = new URLSearchParams();
    for (const one of this.relations) said.append("relation", this.block.relations[one][0]);
    if (this.text.trim()) said.set("text", this.text.trim());
    if (this.score < 1) said.set("score", String(this.score));
    if (this.issues) said.set("issues", "yes");
    if (projection) said.set("projection", projection);
    if (pinned >= 0) said.set("statement", String(pinned));
    return said.toString();
  }
}
