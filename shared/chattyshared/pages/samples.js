"use strict";
// The sample viewer: filters, a list that renders its visible rows only, and one turn in detail.
(() => {
  const { systems, samples } = JSON.parse(document.getElementById("sample-data").textContent);
  const byId = new Map(samples.map((sample, index) => [sample.id, index]));
  const dialogues = new Map();
  for (const one of samples) {
    if (one.dialogue && dialogues.has(one.dialogue)) dialogues.get(one.dialogue).push(one);
    else dialogues.set(one.dialogue, [one]);
  }
  const viewer = document.querySelector(".samples");
  const find = name => viewer.querySelector(`.${name}`);
  const [filters, count, list, detail] = ["filters", "count", "list", "detail"].map(find);
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
    node.append(...children.filter(child => child || child === 0));
    return node;
  }

  const makeText = (tag, text, className = "") => make(tag, { className, dir: "auto" }, text);
  const format = number => number.toLocaleString("en");
  const isWrong = answer => answer.f1 !== undefined && answer.f1 < 1;
  const mark = answer => answer.f1 === undefined ? "" : isWrong(answer) ? "✗" : "✓";
  const answersOf = sample => sample.answers || [];
  const marksOf = sample => answersOf(sample).map(mark).join("");

  // Each filter: its label, and the values of a sample.
  const FIELDS = [
    ["form", one => [one.form]], ["link", one => [one.link]], ["class", one => [one.class]],
    ["file", one => [one.source]], ["wrong", wrongSystems],
    ["stage", one => answersOf(one).map(answer => answer.stage)],
  ];

  function wrongSystems(sample) {
    const wrong = answersOf(sample).flatMap((answer, index) => isWrong(answer) ? [systems[index]] : []);
    if (!wrong.length) return marksOf(sample) ? ["no system"] : [];
    if (systems.length === 1) return wrong;
    return [...wrong, "any system", ...(wrong.length === systems.length ? ["all systems"] : [])];
  }

  function addFilters() {
    for (const [name, valuesOf] of FIELDS) {
      const values = [...new Set(samples.flatMap(valuesOf))].filter(Boolean).sort();
      if (values.length < 2 && !(values.length && systems.length)) continue;
      const options = ["", ...values].map(value => make("option", { value }, value || "all"));
      filters.append(make("label", {}, name, make("select", { name }, ...options)));
    }
    const search = make("input", { type: "search", name: "text", placeholder: "question, answer, query" });
    filters.append(make("label", { className: "search" }, "text", search));
    filters.addEventListener("input", applyFilters);
    filters.addEventListener("submit", event => event.preventDefault());
  }

  function textOf(sample) {
    const answers = answersOf(sample).map(answer => [answer.values, answer.query, answer.notes]);
    const parts = [sample.id, sample.question, sample.standalone, sample.query, sample.gold, answers];
    return sample.text ??= JSON.stringify(parts).toLowerCase();
  }

  function applyFilters() {
    const chosen = FIELDS.filter(([name]) => filters[name] && filters[name].value);
    const words = filters.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const current = shown[selected];
    const isChosen = one => chosen.every(([name, valuesOf]) => valuesOf(one).includes(filters[name].value));
    shown = samples.filter(one => isChosen(one) && words.every(word => textOf(one).includes(word)));
    count.textContent = `${format(shown.length)} of ${format(samples.length)} turns; j and k go on and back`;
    rows.style.height = `${shown.length * ROW}px`;
    select(Math.max(0, shown.indexOf(current)), Boolean(current));
  }

  function renderRows() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - MARGIN);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + MARGIN);
    rows.replaceChildren(...shown.slice(first, last).map((sample, offset) => renderRow(sample, first + offset)));
  }

  function renderRow(sample, index) {
    const head = make("span", { className: "line" }, make("b", {}, sample.id), make("span", {}, marksOf(sample)));
    return make("div", {
      id: `row-${index}`, className: "row", role: "option", "aria-selected": String(index === selected),
      "aria-setsize": shown.length, "aria-posinset": index + 1, style: `top:${index * ROW}px`,
      onclick: () => select(index),
    }, head, makeText("span", sample.question, "line"));
  }

  function select(index, setsAddress = true) {
    selected = Math.min(index, Math.max(0, shown.length - 1));
    const top = selected * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    renderRows();
    const sample = shown[selected];
    detail.replaceChildren(...(sample ? renderDetail(sample) : [makeText("p", "No turn fits the filters.", "soft")]));
    if (sample) list.setAttribute("aria-activedescendant", `row-${selected}`);
    else list.removeAttribute("aria-activedescendant");
    if (sample && setsAddress) history.replaceState(null, "", `#${encodeURI(sample.id)}`);
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
    const seed = sample.seed && sample.seed + (sample.class ? ` (${sample.class})` : "");
    const tags = [seed, sample.form, sample.link, sample.source].filter(Boolean).join(" · ");
    const standalone = sample.standalone !== sample.question && sample.standalone;
    const answers = answersOf(sample).map((answer, index) => renderAnswer(answer, systems[index]));
    return [
      make("h3", {}, sample.id), makeText("p", tags, "soft"), renderHistory(sample),
      makeText("p", sample.question, "question"), standalone && makeText("p", standalone, "soft"),
      make("div", { className: "answers" }, renderGold(sample), ...answers),
    ].filter(Boolean);
  }

  function renderHistory(sample) {
    const earlier = sample.dialogue ? dialogues.get(sample.dialogue).filter(one => one.turn < sample.turn) : [];
    if (!earlier.length) return null;
    const items = earlier.map(one => {
      const values = (one.gold || []).slice(0, 3).map(([text]) => text).join(" · ");
      const gold = makeText("span", ` ${marksOf(one)} ${values}${(one.gold || []).length > 3 ? " …" : ""}`, "soft");
      return make("li", {}, make("a", { href: `#${encodeURI(one.id)}`, dir: "auto" }, one.question), gold);
    });
    const summary = items.length === 1 ? "1 earlier turn" : `${items.length} earlier turns`;
    return unfold(summary, make("ol", {}, ...items), { className: "history", open: items.length < 6 });
  }

  const unfold = (summary, content, properties = {}) =>
    make("details", properties, make("summary", {}, summary), content);

  function renderGold(sample) {
    const silence = sample.gold ? "The graph does not say." : "The file states no gold.";
    const facts = (sample.witness || []).map(text => ["because", text]);
    return make("section", { className: "answer gold", "aria-label": "gold" }, make("h4", {}, "gold"),
      ...renderContent(sample.gold, sample.more, silence, facts, sample.query));
  }

  function renderAnswer(answer, system) {
    const score = answer.f1 === undefined ? "" : `F1 ${answer.f1.toFixed(2)}`;
    const stage = answer.stage ? `, stage: ${answer.stage}` : "";
    const notes = (answer.notes || []).map(note => ["note", note]);
    const facts = [["reason", answer.values && answer.explanation], ["understood as", answer.standalone], ...notes];
    const costs = `confidence ${(answer.confidence || 0).toFixed(2)}, ${(answer.seconds || 0).toFixed(2)} s`;
    return make("section", { className: isWrong(answer) ? "answer wrong" : "answer", "aria-label": system },
      make("h4", {}, `${mark(answer)} ${system}`.trim()), score && makeText("p", score + stage, "soft"),
      ...renderContent(answer.values, answer.more, answer.explanation || "I do not know.", facts, answer.query),
      makeText("p", costs, "soft"), answer.steps && renderSteps(answer.steps));
  }

  function renderContent(values, more, silence, facts, query) {
    const stated = facts.filter(([, text]) => text);
    const terms = stated.flatMap(([name, text], index) =>
      [...(index && stated[index - 1][0] === name ? [] : [make("dt", {}, name)]), makeText("dd", text)]);
    return [
      values && values.length ? renderValues(values, more) : makeText("p", silence),
      terms.length && make("dl", {}, ...terms), query && make("pre", {}, query),
    ].filter(Boolean);
  }

  function renderValues(values, more = 0) {
    const items = values.map(([text, iri]) => {
      const isAddress = /^https?:/.test(iri || "");
      const link = { href: iri, title: iri, rel: "noopener noreferrer" };
      return make("li", { dir: "auto" }, isAddress ? make("a", link, text) : text);
    });
    const rest = items.splice(SHOWN_VALUES);
    if (!rest.length) return make("ul", {}, ...items);
    const summary = `${format(rest.length + more)} more`;
    if (more) rest.push(make("li", {}, `and ${format(more)} that this page leaves out`));
    return make("div", {}, make("ul", {}, ...items), unfold(summary, make("ul", {}, ...rest)));
  }

  function renderSteps(steps) {
    const heads = ["step", "what it returned", "seconds"].map(name => make("th", { scope: "col" }, name));
    const lines = steps.map(([agent, text, seconds]) =>
      make("tr", {}, make("td", {}, agent), makeText("td", text), make("td", { className: "n" }, seconds.toFixed(3))));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
    return unfold(steps.length === 1 ? "1 step" : `${steps.length} steps`, table);
  }

  const MOVES = { j: 1, k: -1 };
  const LIST_MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

  document.addEventListener("keydown", event => {
    const step = event.target === list && LIST_MOVES[event.key] || MOVES[event.key];
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (!step || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
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
