"use strict";
// The sample viewer: filters, a list that renders its visible rows only, and one turn in detail.
(() => {
  const { systems, samples } = JSON.parse(document.getElementById("sample-data").textContent);
  const byId = new Map(samples.map((sample, index) => [sample.id, index]));
  const dialogues = new Map();
  for (const one of samples) dialogues.set(one.dialogue, [...(one.dialogue && dialogues.get(one.dialogue) || []), one]);
  const viewer = document.querySelector(".samples");
  const [filters, count, list, detail] = ["filters", "count", "list", "detail"].map(name => viewer.querySelector(`.${name}`));
  const rows = list.firstElementChild;
  const ROW = 48, MARGIN = 8, SHOWN_VALUES = 12;
  let shown = [], selected = 0;

  /** Return an element; texts are set as text, so nothing of a graph or a model becomes markup. */
  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in node) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...children.filter(child => child !== null && child !== ""));
    return node;
  }

  const isWrong = answer => answer.f1 !== undefined && answer.f1 < 1;
  const mark = answer => answer.f1 === undefined ? "" : isWrong(answer) ? "✗" : "✓";
  const answersOf = sample => sample.answers || [];

  // Each filter: its label, the values of a sample, and the choices that come before those of the samples.
  const FIELDS = [
    ["form", one => [one.form]], ["link", one => [one.link]], ["class", one => [one.class]], ["file", one => [one.source]],
    ["wrong", wrongChoices], ["stage", one => answersOf(one).map(answer => answer.stage)],
  ];

  function wrongChoices(sample) {
    const wrong = answersOf(sample).flatMap((answer, index) => isWrong(answer) ? [systems[index]] : []);
    const isScored = answersOf(sample).some(answer => answer.f1 !== undefined);
    if (!wrong.length) return isScored ? ["no system"] : [];
    return systems.length > 1 ? ["any system", ...(wrong.length === systems.length ? ["all systems"] : []), ...wrong] : wrong;
  }

  function addFilters() {
    for (const [name, valuesOf] of FIELDS) {
      const values = [...new Set(samples.flatMap(valuesOf))].filter(Boolean).sort();
      if (values.length < 2 && !(values.length && name in { wrong: 1, stage: 1 })) continue;
      const select = make("select", { name }, make("option", { value: "" }, "all"), ...values.map(value => make("option", { value }, value)));
      filters.append(make("label", {}, name, select));
    }
    filters.append(make("label", { className: "search" }, "text", make("input", { type: "search", name: "text", placeholder: "question, answer, query" })));
    filters.addEventListener("input", () => applyFilters());
    filters.addEventListener("submit", event => event.preventDefault());
  }

  function textOf(sample) {
    const parts = [sample.id, sample.question, sample.standalone, sample.query, sample.gold, answersOf(sample).map(answer => [answer.values, answer.query, answer.notes])];
    return sample.text ??= JSON.stringify(parts).toLowerCase();
  }

  function applyFilters() {
    const chosen = FIELDS.filter(([name]) => filters[name] && filters[name].value);
    const words = filters.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const current = shown[selected];
    shown = samples.filter(one =>
      chosen.every(([name, valuesOf]) => valuesOf(one).includes(filters[name].value)) && words.every(word => textOf(one).includes(word)));
    count.textContent = `${shown.length.toLocaleString("en")} of ${samples.length.toLocaleString("en")} turns; j and k go to the next and the previous one`;
    rows.style.height = `${shown.length * ROW}px`;
    select(Math.max(0, shown.indexOf(current)), { isFirst: !current });
  }

  function renderRows() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - MARGIN);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + MARGIN);
    rows.replaceChildren(...shown.slice(first, last).map((sample, offset) => renderRow(sample, first + offset)));
  }

  function renderRow(sample, index) {
    const marks = answersOf(sample).map(mark).join("");
    return make("div", {
      id: `row-${index}`, className: "row", role: "option", "aria-selected": String(index === selected),
      "aria-setsize": shown.length, "aria-posinset": index + 1, style: `top:${index * ROW}px`, onclick: () => select(index),
    }, make("span", { className: "line" }, make("b", {}, sample.id), make("span", { className: "marks" }, marks)), make("span", { className: "line", dir: "auto" }, sample.question));
  }

  function select(index, { isFirst = false } = {}) {
    selected = Math.min(index, Math.max(0, shown.length - 1));
    const top = selected * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    renderRows();
    const sample = shown[selected];
    detail.replaceChildren(...(sample ? renderDetail(sample) : [make("p", { className: "soft" }, "No turn fits the filters.")]));
    if (sample) list.setAttribute("aria-activedescendant", `row-${selected}`);
    else list.removeAttribute("aria-activedescendant");
    if (sample && !isFirst) history.replaceState(null, "", `#${encodeURI(sample.id)}`);
  }

  /** Select the turn, or the first turn of the dialogue, that the address names. */
  function followAddress() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { return; }
    const index = byId.get(id) ?? samples.findIndex(one => id && one.dialogue === id);
    if (index < 0) return;
    if (!shown.includes(samples[index])) {
      filters.reset();
      applyFilters();
    }
    select(shown.indexOf(samples[index]));
    viewer.scrollIntoView();
  }

  function renderDetail(sample) {
    const tags = [sample.seed && `${sample.seed}${sample.class ? ` (${sample.class})` : ""}`, sample.form, sample.link, sample.source].filter(Boolean);
    return [
      make("h3", {}, sample.id), make("p", { className: "soft", dir: "auto" }, tags.join(" · ")),
      renderHistory(sample), make("p", { className: "question", dir: "auto" }, sample.question),
      sample.standalone && sample.standalone !== sample.question ? make("p", { className: "soft", dir: "auto" }, sample.standalone) : null,
      make("div", { className: "answers" }, renderGold(sample), ...answersOf(sample).map((answer, index) => renderAnswer(answer, index))),
    ].filter(Boolean);
  }

  function renderGold(sample) {
    const silence = () => make("p", {}, sample.gold ? "The graph does not say." : "The file states no gold.");
    return make("section", { className: "answer gold", "aria-label": "gold" }, make("h4", {}, "gold"),
      sample.gold && sample.gold.length ? renderValues(sample.gold, sample.more) : silence(),
      sample.witness ? make("dl", {}, make("dt", {}, "because"), ...sample.witness.map(text => make("dd", { dir: "auto" }, text))) : null,
      sample.query ? make("pre", {}, sample.query) : null);
  }

  function renderHistory(sample) {
    const earlier = (sample.dialogue ? dialogues.get(sample.dialogue) : []).filter(one => one.turn < sample.turn);
    if (!earlier.length) return null;
    const items = earlier.map(one => {
      const gold = (one.gold || []).slice(0, 3).map(([text]) => text).join(" · ");
      const more = (one.gold || []).length > 3 ? " …" : "";
      return make("li", {}, make("a", { href: `#${encodeURI(one.id)}`, dir: "auto" }, one.question), make("span", { className: "soft", dir: "auto" }, ` ${answersOf(one).map(mark).join("")} ${gold}${more}`));
    });
    return make("details", { className: "history", open: items.length < 6 }, make("summary", {}, items.length === 1 ? "1 earlier turn" : `${items.length} earlier turns`), make("ol", {}, ...items));
  }

  function renderValues(values, more = 0) {
    const items = values.map(([text, iri]) => make("li", { dir: "auto" }, /^https?:/.test(iri || "") ? make("a", { href: iri, title: iri, rel: "noopener noreferrer" }, text) : text));
    const rest = items.splice(SHOWN_VALUES);
    if (!rest.length) return make("ul", {}, ...items);
    const summary = `${(rest.length + more).toLocaleString("en")} more`;
    if (more) rest.push(make("li", {}, `and ${more.toLocaleString("en")} that this page leaves out`));
    return make("div", {}, make("ul", {}, ...items), make("details", {}, make("summary", {}, summary), make("ul", {}, ...rest)));
  }

  function renderAnswer(answer, index) {
    const score = answer.f1 === undefined ? "" : `F1 ${answer.f1.toFixed(2)}${answer.stage ? `, stage: ${answer.stage}` : ""}`;
    const facts = [["reason", answer.values && answer.explanation], ["understood as", answer.standalone], ...(answer.notes || []).map(note => ["note", note])];
    return make("section", { className: isWrong(answer) ? "answer wrong" : "answer", "aria-label": systems[index] },
      make("h4", {}, `${mark(answer)} ${systems[index]}`.trim()), score ? make("p", { className: "soft" }, score) : null,
      answer.values ? renderValues(answer.values, answer.more) : make("p", { dir: "auto" }, answer.explanation || "I do not know."),
      make("dl", {}, ...facts.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", { dir: "auto" }, text)])),
      answer.query ? make("pre", {}, answer.query) : null,
      make("p", { className: "soft" }, `confidence ${(answer.confidence || 0).toFixed(2)}, ${(answer.seconds || 0).toFixed(2)} s`),
      answer.steps ? renderSteps(answer.steps) : null);
  }

  function renderSteps(steps) {
    const head = make("tr", {}, ...["step", "what it returned", "seconds"].map(name => make("th", { scope: "col" }, name)));
    const lines = steps.map(([agent, text, seconds]) => make("tr", {}, make("td", {}, agent), make("td", {}, text), make("td", { className: "n" }, seconds.toFixed(3))));
    return make("details", {}, make("summary", {}, steps.length === 1 ? "1 step" : `${steps.length} steps`), make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
  }

  const isTyping = target => /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
  const MOVES = { j: 1, k: -1 }, LIST_MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

  document.addEventListener("keydown", event => {
    const step = event.target === list && LIST_MOVES[event.key] || MOVES[event.key];
    if (!step || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    select(Math.max(0, Math.min(shown.length - 1, selected + step)));
  });
  list.addEventListener("scroll", () => requestAnimationFrame(renderRows), { passive: true });
  window.addEventListener("resize", renderRows);
  window.addEventListener("hashchange", followAddress);
  addFilters();
  applyFilters();
  followAddress();
})();
