// The judging page. A verdict is written to the browser's own storage first, then sent; the next statement shows when the
// server has confirmed that the verdict is on disk. Every verdict has an id, so that sending it twice stores it once.
"use strict";
(() => {
  const token = document.querySelector("meta[name=token]").content;
  const OUTBOX = `protorel-outbox-${token.slice(0, 16)}`, OPINION = "protorel-opinion";
  const NAMES = { true: "true", false: "false", unclear: "unclear", reversed: "reversed", other: "other", skip: "skipped" };
  const KEYS = { t: "true", f: "false", u: "unclear", r: "reversed", o: "other", s: "skip" };
  const MOST_CHOICES = 100, LONG = 600;
  const by = (id) => document.getElementById(id);
  let view = null; // what the server said last
  let busy = true; // a request is under way: keys wait for the statement that they are about
  let relations = null, choices = [], chosen = 0;

  // Storage may be off in a private window: then an unsent verdict lives as long as the page.
  const kept = {};
  const store = {
    get(name) { try { return kept[name] ?? localStorage.getItem(name); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(name, value); } catch { kept[name] = value; } },
    remove(name) { delete kept[name]; try { localStorage.removeItem(name); } catch { /* it was never there */ } },
  };
  const wantsOpinion = () => by("show-opinion").checked;
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");

  function ask(path, body) {
    const headers = { "X-Protorel-Token": token };
    if (body) headers["Content-Type"] = "application/json";
    const options = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) };
    return fetch(path, { ...options, cache: "no-store", signal: AbortSignal.timeout(15000) });
  }

  // Ask until the server answers. What it refuses for good is returned as { error }.
  async function persist(path, body) {
    for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
      let problem = "The server does not answer. Is it still running?";
      try {
        const answer = await ask(path, body);
        const content = await answer.json();
        if (answer.ok) { warn(""); return content; }
        if (answer.status < 500 && answer.status !== 403) return { error: content.error };
        problem = answer.status === 403 ? "This server belongs to another judge or audit. Reload the page to go on there." : content.error;
      } catch { /* no answer, or half of one */ }
      warn(body ? `${problem} Your verdict is kept, and is sent again until it is stored.` : problem);
      await pause(wait);
    }
  }

  function warn(text) {
    const place = by("alert");
    if (place.textContent !== text) place.textContent = text;
    place.hidden = !text;
  }

  // Send what is in the outbox, then show what the server answers.
  async function deliver() {
    const { path, body } = JSON.parse(store.get(OUTBOX));
    setBusy(true);
    const answer = await persist(path, { ...body, opinion: wantsOpinion() });
    store.remove(OUTBOX);
    if (answer.error) {
      await look(0);
      warn(`The last verdict was refused: ${answer.error}`);
    } else {
      show(answer);
    }
  }

  async function look(back) {
    setBusy(true);
    const answer = await persist(`view?back=${back}&opinion=${wantsOpinion() ? 1 : 0}`);
    if (answer.error) { warn(answer.error); setBusy(false); return; }
    show(answer);
  }

  function send(path, body) {
    if (busy) return;
    store.set(OUTBOX, JSON.stringify({ path, body: { id: newId(), ...body } }));
    deliver();
  }

  function judge(verdict, relation = null) {
    if (busy || !view.card) return;
    if (verdict === "other" && relation === null) { openChoices(); return; }
    const { place, round, opinion, seen } = view.card;
    send("verdict", { place, round, verdict, relation, opinion_shown: Boolean(opinion) || seen });
  }

  function undo() {
    if (!busy && view.history) send("undo", {});
  }

  function step(by) {
    const back = view.back + by;
    if (!busy && back >= 0 && back <= view.history && back !== view.back) look(back);
  }

  function setBusy(now) {
    busy = now;
    by("card").classList.toggle("saving", now);
    by("card").setAttribute("aria-busy", String(now));
    if (!now) refresh();
  }

  function refresh() {
    for (const button of document.querySelectorAll("[data-verdict]")) button.disabled = !view.card;
    by("undo").disabled = !view.history;
    by("back").disabled = view.back >= view.history;
    by("forward").disabled = view.back === 0;
  }

  const said = (given) => NAMES[given.verdict] + (given.relation ? `: ${given.relation}` : "");

  function element(name, text, role) {
    const made = document.createElement(name);
    made.textContent = text;
    if (role) made.className = role;
    return made;
  }

  function opinionText(opinion) {
    const score = opinion.score.toFixed(2);
    if (opinion.agrees) return `The model agrees with the label (score ${score}).`;
    return `${opinion.relation ? `The model predicts ${opinion.relation}` : "The model doubts the label"} (label score ${score}). ${opinion.reason}`;
  }

  function show(next) {
    view = next;
    const card = view.card;
    by("judge").textContent = view.judge;
    by("progress").max = Math.max(view.total, 1);
    by("progress").value = view.done;
    by("count").textContent = `${view.done} of ${view.total}`;
    by("card").hidden = !card;
    by("card").dataset.item = card ? `${card.place} ${card.round}` : "";
    by("finished").hidden = Boolean(card);
    if (card) showCard(card);
    else showFinished();
    showLast();
    setBusy(false);
    (card ? by("card") : by("finished")).focus({ preventScroll: true });
    window.scrollTo(0, 0);
    document.documentElement.dataset.shown = String(Number(document.documentElement.dataset.shown || 0) + 1);
    showEstimate();
  }

  function showCard(card) {
    const judged = card.verdict && `You said ${said(card.verdict)}. A verdict key changes it.`;
    const disagree = card.others.length && `Judges disagree: ${card.others.map((one) => `${one.judge} ${said(one)}`).join(", ")}.`;
    by("question").textContent = judged || disagree || "Does the text say this?";
    by("head").textContent = card.head;
    by("relation").textContent = card.relation.name;
    by("tail").textContent = card.tail;
    by("definition").textContent = card.relation.description;
    by("definition").hidden = !card.relation.description;
    const parts = card.pieces.map(([text, role]) => (role ? element("mark", text, role) : text));
    by("sentence").replaceChildren(...parts);
    by("sentence").classList.toggle("long", card.pieces.reduce((sum, [text]) => sum + text.length, 0) > LONG);
    by("sentence").scrollTop = 0;
    by("opinion").hidden = !card.opinion;
    by("opinion").textContent = card.opinion ? opinionText(card.opinion) : "";
    for (const button of document.querySelectorAll("[data-verdict]")) {
      button.setAttribute("aria-pressed", String(Boolean(card.verdict) && card.verdict.verdict === button.dataset.verdict));
    }
  }

  function showFinished() {
    const skipped = view.skipped.length;
    const what = view.total === 1 ? "The statement has a verdict" : `All ${view.total} statements have a verdict`;
    by("finished-text").textContent = view.total
      ? `${what}${skipped ? `, ${skipped} of them skipped` : ""}. Everything is on disk: close this page and stop the server with Ctrl-C.`
      : "There is nothing to judge in this order.";
    by("show-skipped").hidden = !skipped;
    for (const button of document.querySelectorAll("[data-verdict]")) button.setAttribute("aria-pressed", "false");
  }

  function showLast() {
    const last = view.last;
    const same = last && view.card && last.place === view.card.place && last.round === view.card.round;
    by("last").hidden = !last || same;
    if (!last || same) return;
    const line = element("p", "Last: ");
    line.append(element("bdi", last.head), ` · ${last.relation.name} · `, element("bdi", last.tail), " — you said ", element("b", said(last.verdict)));
    by("last").replaceChildren(line, element("p", last.opinion ? opinionText(last.opinion) : ""));
  }

  async function showEstimate() {
    try {
      const answer = await ask("estimate");
      if (!answer.ok) return;
      const { estimate } = await answer.json();
      by("estimate").hidden = !estimate;
      if (!estimate) return;
      const percent = (share) => (100 * share).toFixed(1);
      const more = estimate.more_to_halve.toLocaleString("en");
      by("estimate").replaceChildren(
        "Wrong labels so far: ", element("b", `${percent(estimate.value)} %`),
        ` (95 % interval ${percent(estimate.low)} to ${percent(estimate.high)}). ${more} more verdicts halve the interval.`,
      );
    } catch { /* the next verdict will say that the server is gone */ }
  }

  // Other relation: a text field that narrows a list down.

  async function openChoices() {
    if (!relations) {
      setBusy(true);
      const answer = await persist("relations");
      setBusy(false);
      relations = answer.relations || [];
    }
    by("search").value = "";
    narrow();
    by("other").showModal();
    by("search").focus();
  }

  function narrow() {
    const typed = by("search").value.trim().toLowerCase();
    const rank = (one) => {
      const name = one.name.toLowerCase();
      if (name.startsWith(typed)) return 0;
      if (name.includes(typed) || one.id.toLowerCase().includes(typed)) return 1;
      return one.description.toLowerCase().includes(typed) ? 2 : 3;
    };
    const ranked = relations.filter((one) => one.id !== view.card.relation.id).map((one) => [rank(one), one]);
    choices = ranked.filter(([place]) => place < 3).sort((a, b) => a[0] - b[0]).slice(0, MOST_CHOICES).map(([, one]) => one);
    by("choices").replaceChildren(...choices.map((one, number) => {
      const row = element("li", one.name);
      if (one.description) row.append(element("small", one.description));
      row.id = `choice-${number}`;
      row.setAttribute("role", "option");
      row.addEventListener("click", () => choose(number));
      return row;
    }));
    by("no-choice").hidden = choices.length > 0;
    by("choices").hidden = !choices.length;
    by("search").setAttribute("aria-expanded", String(choices.length > 0));
    point(0);
  }

  function point(number) {
    chosen = Math.min(Math.max(number, 0), choices.length - 1);
    for (const [at, row] of [...by("choices").children].entries()) {
      row.setAttribute("aria-selected", String(at === chosen));
      if (at === chosen) row.scrollIntoView({ block: "nearest" });
    }
    if (choices.length) by("search").setAttribute("aria-activedescendant", `choice-${chosen}`);
    else by("search").removeAttribute("aria-activedescendant");
  }

  function choose(number) {
    if (!choices[number]) return;
    by("other").close();
    judge("other", choices[number].id);
  }

  // Keys and buttons.

  function toggleOpinion() {
    store.set(OPINION, wantsOpinion() ? "yes" : "no");
    if (!busy) look(view.back);
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 && event.key.toLowerCase() >= "a" && event.key.toLowerCase() <= "z"
      ? event.key.toLowerCase() : /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key;
    const actions = {
      z: undo, ArrowLeft: () => step(1), ArrowRight: () => step(-1), "?": () => by("keys").showModal(), m: () => by("show-opinion").click(),
    };
    const action = KEYS[key] ? () => judge(KEYS[key]) : actions[key];
    if (!action) return;
    event.preventDefault();
    if (!event.repeat) action(); // a key held down is one verdict
  }

  document.addEventListener("keydown", pressed);
  for (const button of document.querySelectorAll("[data-verdict]")) button.addEventListener("click", () => judge(button.dataset.verdict));
  by("undo").addEventListener("click", undo);
  by("back").addEventListener("click", () => step(1));
  by("forward").addEventListener("click", () => step(-1));
  by("show-keys").addEventListener("click", () => by("keys").showModal());
  by("show-skipped").addEventListener("click", () => look(view.skipped[0]));
  by("show-opinion").addEventListener("change", toggleOpinion);
  by("search").addEventListener("input", narrow);
  by("search").addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    if (event.key in moves) { event.preventDefault(); point(chosen + moves[event.key]); }
    if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); choose(chosen); }
  });
  by("show-opinion").checked = store.get(OPINION) === "yes";
  if (store.get(OUTBOX)) deliver();
  else look(0);
})();
